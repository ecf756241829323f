"""How far replaced rows can move RPW, and the prices it is computed at: each theorem of
docs/proofs/statistics.md over random inputs, beside definitions that are evaluated slowly.
"""

import dataclasses
import math
from itertools import combinations

import numpy as np
import pytest

import rpw
from rpw.base.deadline import deadline_after
from rpw.pair.metrics import as_metric
from rpw.pair.question import as_question
from rpw.stats.prices import prices_of
from rpw.stats.resampled import Effort, resample
from rpw.stats.samples import as_samples
from rpw.stats.scale import NO_SCALES, as_scales, width_bounds, width_of
from rpw.stats.splits import observed_split

EXPONENTS = [1, 2, 3.5, math.inf]
EUCLIDEAN = as_metric("euclidean")
CLOSE = 1e-9


def cost_of(x, y, p, mass):
    """W of moving this mass; nothing costs nothing."""
    return 0.0 if mass <= 0 else rpw.partial_wasserstein(x, y, mass=min(mass, 1.0), p=p)


def crossing_by_halving(x, y, p, kappa, shift):
    """min { e ≥ 0 : W_{1 - (e - shift)} ≤ κ e }, at most 1, to 1e-9."""
    low, high = max(0.0, shift), 1.0
    if low >= 1 or cost_of(x, y, p, 1 - low + shift) <= kappa * low:
        return min(low, 1.0)
    while high - low > 1e-10:
        middle = (low + high) / 2
        if cost_of(x, y, p, 1 - middle + shift) <= kappa * middle:
            high = middle
        else:
            low = middle
    return high


def resampled(x, y, p, kappas, tol=0.0):
    effort = Effort("cpu", 1, deadline_after(None), lambda done: None)
    split = observed_split(as_samples(x, y))
    return resample(split, as_question(p=p, tol=tol), EUCLIDEAN, np.asarray(kappas, dtype=float), effort)


def curve_of(x, y, p):
    found = resampled(x, y, p, [1.0])
    return found.upper[0]


def random_pair(rng, dimension):
    """Two samples of different sizes; every third time on a grid, so that there are ties."""
    n, m = rng.integers(4, 15, 2)
    x, y = rng.normal(size=(n, dimension)), rng.normal(rng.uniform(0, 1.5), 1, size=(m, dimension))
    return (np.round(x), np.round(y)) if rng.random() < 1 / 3 else (x, y)


def replace(rng, rows, others, count):
    """The rows with so many replaced: by far points, by copies of one row of the other sample, or by anything."""
    changed, which = rows.copy(), rng.choice(len(rows), count, replace=False)
    kind = rng.integers(3)
    if kind == 0:
        changed[which] = 1e3 * rng.normal(size=rows.shape[1])
    elif kind == 1:
        changed[which] = others[rng.integers(len(others))]
    else:
        changed[which] = rng.normal(0, 2, size=(count, rows.shape[1]))
    return changed


@pytest.mark.parametrize("p", EXPONENTS)
def test_replaced_rows_move_rpw_no_further_than_the_sandwich(p):
    rng = np.random.default_rng(1)
    for _ in range(25):
        x, y = random_pair(rng, 2)
        in_x, in_y = rng.integers(0, len(x) // 2), rng.integers(0, len(y) // 2)
        share = in_x / len(x) + in_y / len(y)
        after = replace(rng, x, y, in_x), replace(rng, y, x, in_y)
        for mass in rng.uniform(share, 1, 4):
            assert cost_of(x, y, p, mass - share) <= cost_of(*after, p, mass) + CLOSE
        before, kappa = curve_of(x, y, p), rng.choice([0.0, 0.1, 0.5, 1, 3])
        lowest, value, highest = (before.crossing(kappa, shift) for shift in (-share, 0.0, share))
        moved = curve_of(*after, p).crossing(kappa)
        assert lowest - CLOSE <= moved <= highest + CLOSE
        assert value - share - CLOSE <= lowest <= value + CLOSE
        assert value - CLOSE <= highest <= value + share + CLOSE


def test_the_sandwich_is_reached():
    """Half of ten points at 0 and all of ten points at 1; five rows replaced reach both ends."""
    x, y = np.r_[np.zeros(5), np.ones(5)], np.ones(10)
    curve = curve_of(x, y, 1)
    assert curve.crossing(1.0) == 0.25
    assert curve.crossing(1.0, -0.5) == 0 == rpw.distance(np.ones(10), y, p=1, k=1, diameter=1)
    far = np.r_[np.zeros(5), np.full(5, 1e6)]
    assert curve.crossing(1.0, 0.5) == 0.5 == rpw.distance(far, y, p=1, k=1, diameter=1)


@pytest.mark.parametrize("p", EXPONENTS)
def test_crossings_with_shifts_follow_the_definition(p):
    rng = np.random.default_rng(2)
    for _ in range(12):
        x, y = random_pair(rng, int(rng.integers(1, 4)))
        kappa, shift = rng.choice([0.05, 0.3, 1, 4]), rng.choice([-1, 1]) * rng.choice([0, 1 / len(x), 0.2, 0.7, 1])
        expected = crossing_by_halving(x, y, p, kappa, shift)
        assert curve_of(x, y, p).crossing(kappa, shift) == pytest.approx(expected, abs=1e-7)


def test_crossings_at_extreme_prices():
    x, y = np.array([0.0, 0, 1, 2]), np.array([0.0, 5, 6, 7])
    for p in (1, 2, math.inf):
        curve = curve_of(x, y, p)
        assert curve.crossing(0.0) == 0.75  # total variation
        assert curve.crossing(0.0, 0.125) == 0.875
        assert curve.crossing(0.0, -0.125) == 0.625
        assert curve.crossing(math.inf) == 0
        assert curve.crossing(math.inf, 0.25) == 0.25
        assert curve.crossing(math.inf, -0.25) == 0
        assert curve.crossing(1e-300, 1.0) == 1
        assert curve.crossing(1e300, 0.25) == pytest.approx(0.25)


@pytest.mark.parametrize("p", EXPONENTS)
def test_most_mass_follows_the_definition(p):
    rng = np.random.default_rng(3)
    for _ in range(12):
        x, y = random_pair(rng, 2)
        length = rng.choice([0.0, 0.05, 0.3, 1, 100])
        mass = curve_of(x, y, p).most_mass(length)
        assert cost_of(x, y, p, mass - 1e-9) <= length + CLOSE
        assert mass == 1 or cost_of(x, y, p, mass + 1e-6) > length


@pytest.mark.parametrize("p", EXPONENTS)
def test_rpw_rises_at_most_in_proportion_as_the_price_falls(p):
    rng = np.random.default_rng(4)
    for _ in range(20):
        curve, (low, high) = curve_of(*random_pair(rng, 2), p), np.sort(rng.uniform(0.01, 5, 2))
        assert curve.crossing(high) <= curve.crossing(low) + CLOSE
        assert curve.crossing(low) <= curve.crossing(high) * high / low + CLOSE


@pytest.mark.parametrize("p", EXPONENTS)
def test_bounds_without_profiles_contain_those_with(p):
    rng = np.random.default_rng(5)
    for _ in range(15):
        kappas = np.sort(rng.uniform(0.05, 3, 2))
        curves = resampled(*random_pair(rng, 2), p, kappas)
        values = dataclasses.replace(curves, upper={}, lower={})
        for price, kappa in enumerate(kappas):
            share, factor = rng.choice([0, 0.1, 0.5]), rng.choice([1, 1.3, 10, math.inf])
            below = curves.lowest(0, price, kappa * factor, share)
            above = curves.highest(0, price, kappa / factor, share)
            assert values.lowest(0, price, kappa * factor, share) <= below + CLOSE
            assert above <= values.highest(0, price, kappa / factor, share) + CLOSE


@pytest.mark.parametrize("dimension", [1, 2])
def test_two_curves_enclose_the_profile(dimension):
    """With tol, and on a line between samples of two sizes."""
    rng = np.random.default_rng(6)
    x, y = rng.normal(size=(40, dimension)), rng.normal(0.5, 1, size=(31, dimension))
    for tol in (0.0, 0.05):
        found = resampled(x, y, 2, [1.0], tol)
        for share in (0, 0.05, 0.3):
            low, high = (crossing_by_halving(x, y, 2, 1.0, shift) for shift in (-share, share))
            assert low - 0.05 - CLOSE <= found.lowest(0, 0, 1.0, share) <= low + CLOSE
            assert high - CLOSE <= found.highest(0, 0, 1.0, share) <= high + 0.05 + CLOSE


# ---------------------------------------------------------------- prices and scales from pooled rows


def random_rows(rng):
    """Pooled rows: spread out, on a coarse grid, or nearly all equal."""
    count, kind = int(rng.integers(8, 30)), rng.integers(3)
    rows = rng.normal(size=(count, 2))
    if kind == 1:
        rows = np.round(rows)
    elif kind == 2:
        rows[rng.random(count) < rng.choice([0.6, 0.7, 0.8])] = 0.0
    return rows


def test_units_move_no_further_than_their_bounds():
    """The median pooled distance before rows were replaced lies within the bounds that are computed afterwards."""
    rng, informative = np.random.default_rng(7), 0
    for _ in range(400):
        before = random_rows(rng)
        count = int(rng.integers(0, 4))
        after = replace(rng, before, before, count)
        unit = prices_of(1.0, None, before, EUCLIDEAN, NO_SCALES, rng).unit
        low, high = prices_of(1.0, None, after, EUCLIDEAN, NO_SCALES, rng).bounds(count)
        assert low[0] <= unit <= high[0]
        informative += count > 0 and low[0] > 0 and bool(np.isfinite(high[0]))
    assert informative > 50


def test_a_median_that_could_have_been_zero_has_no_upper_bound():
    """Without the replaced row most distances are 0, and the unit is a larger quantile."""
    before = np.r_[np.zeros(7), 50.0, 60.0].reshape(-1, 1)  # 21 of 36 distances are 0
    after = before.copy()
    after[0] = 1.0
    rng = np.random.default_rng(0)
    assert prices_of(1.0, None, before, EUCLIDEAN, NO_SCALES, rng).unit == 50
    prices = prices_of(1.0, None, after, EUCLIDEAN, NO_SCALES, rng)
    low, high = prices.bounds(1)
    assert prices.unit == 1
    assert (low[0], high[0]) == (0, math.inf)


def test_widths_move_no_further_than_their_bounds():
    rng, informative = np.random.default_rng(8), 0
    for _ in range(400):
        before = random_rows(rng)
        count = int(rng.integers(0, 4))
        after = replace(rng, before, before, count)
        for old, new in zip(np.sort(before, axis=0).T, np.sort(after, axis=0).T, strict=True):
            low, high = width_bounds(new, count)
            assert low <= width_of(old) <= high or old[0] == old[-1]
            informative += count > 0 and low > 0 and math.isfinite(high)
    assert informative > 50


def test_a_width_that_could_have_been_zero_has_no_upper_bound():
    before = np.r_[np.zeros(16), 50.0, 50.0, 60.0, 60.0]  # the middle half is 0, the middle 90 % is not
    after = np.sort(np.r_[np.zeros(14), 1.0, 2.0, 50.0, 50.0, 60.0, 60.0])
    assert width_of(before) == 60
    assert width_of(after) in (1, 2)
    assert width_bounds(after, 2) == (0, math.inf)


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "chebyshev"])
@pytest.mark.parametrize("is_given", [True, False])
def test_rpw_on_scales_of_the_data_stays_between_the_bounds_of_its_price(metric, is_given):
    """The rows as they were, each time on the scales and at the price of either set of rows."""
    rng, ground, informative = np.random.default_rng(9), as_metric(metric), 0
    for _ in range(60):
        before = random_rows(rng) * [1, 100]
        count = int(rng.integers(0, 4))
        after = replace(rng, before, before, count)
        old, new = as_scales("robust", before), as_scales("robust", after)
        unit = 1.5 if is_given else None
        then = prices_of(1.0, unit, old.apply(before), ground, old, rng).kappas[0]
        low, high = prices_of(1.0, unit, new.apply(after), ground, new, rng).bounds(count)

        def distance(scales, kappa, rows=before):
            half = len(rows) // 2
            x, y = np.split(scales.apply(rows), [half])
            if kappa == 0 or math.isinf(kappa):
                return rpw.total_variation(x, y) if kappa == 0 else 0.0
            return rpw.distance(x, y, k=1, diameter=kappa, metric=metric)

        if np.ptp(after, axis=0).min() > 0 and np.ptp(before, axis=0).min() > 0:
            assert distance(new, high[0]) <= distance(old, then) + CLOSE
            assert distance(old, then) <= distance(new, low[0]) + CLOSE
            informative += count > 0 and low[0] > 0 and bool(np.isfinite(high[0]))
    assert informative > 5


@pytest.mark.parametrize("is_given", [True, False])
def test_scales_of_the_data_keep_the_sandwich_if_a_column_is_constant_before_or_after(is_given):
    """A width may be 0 in either set of rows, and then something else is divided by."""
    rng, informative = np.random.default_rng(14), 0
    for trial in range(120):
        before = random_rows(rng)
        before[:, trial % 2] = 3.0
        count = int(rng.integers(1, 4))
        after = replace(rng, before, before, count)
        if trial % 3 == 0:
            before, after = after, before
        old, new = as_scales("robust", before), as_scales("robust", after)
        unit, half = (1.5 if is_given else None), len(before) // 2
        kappa = prices_of(1.0, unit, old.apply(before), EUCLIDEAN, old, rng).kappas[0]
        low, high = prices_of(1.0, unit, new.apply(after), EUCLIDEAN, new, rng).bounds(count)
        found = resampled(*np.split(new.apply(after), [half]), 2, [1.0])
        share, true = count / half, rpw.distance(*np.split(old.apply(before), [half]), k=1, diameter=kappa)
        assert found.lowest(0, 0, high[0], share) <= true + CLOSE
        assert true <= found.highest(0, 0, low[0], share) + CLOSE
        informative += low[0] > 0 and bool(np.isfinite(high[0]))
    assert informative > 5


@pytest.mark.parametrize("metric", ["canberra", lambda a, b: abs(a - b).max()])
def test_scales_need_a_metric_that_grows_with_each_coordinate(metric):
    x = np.random.default_rng(0).normal(size=(10, 2))
    with pytest.raises(ValueError, match="scale='robust' needs a metric that grows"):
        rpw.stats.two_sample_test(x, x + 1, metric=metric, scale="robust")


# ---------------------------------------------------------------- the p-value with r rows


@pytest.mark.parametrize(
    ("with_groups", "scale", "diameter"),
    [(False, None, 2.0), (False, None, None), (False, "robust", None), (False, "robust", 2.0), (True, None, None)],
)
def test_the_robust_p_value_is_never_below_that_of_the_rows_before(with_groups, scale, diameter):
    """Split by split: the validity of p_r rests on this alone."""
    rng, informative = np.random.default_rng(10), 0
    for trial in range(40):
        x, y = rng.normal(size=(25, 2)), rng.normal(rng.choice([0, 2]), 1, size=(20, 2))
        if trial % 4 == 0:
            x, y = np.round(x), np.round(y)
        in_x, in_y = rng.integers(0, 2, 2)
        others = replace(rng, x, y, in_x), replace(rng, y, x, in_y)
        groups = (np.arange(25) // 3, 100 + np.arange(20) // 2) if with_groups else None
        asked = {
            "k": rng.choice([0.2, 1.0, 3.0]),
            "diameter": diameter,
            "p": rng.choice([1, 2, math.inf]),
            "scale": scale,
            "groups": groups,
            "n_resamples": 39,
            "rng": 5,
        }
        clean = rpw.stats.two_sample_test(x, y, **asked)
        replaced = int(in_x + in_y)
        robust = rpw.stats.two_sample_test(*others, contamination=replaced, **asked)
        assert robust.pvalue >= clean.pvalue
        informative += replaced > 0 and robust.pvalue < 0.5
    assert informative >= 5


@pytest.mark.parametrize("p", EXPONENTS)
def test_the_upper_bound_on_rpw_is_never_below_that_of_the_rows_before(p):
    """The coverage of ``at_most`` with r replaced rows rests on this alone."""
    rng = np.random.default_rng(13)
    for _ in range(20):
        x, y = rng.normal(size=(25, 2)), rng.normal(rng.choice([0, 2]), 1, size=(20, 2))
        in_x, in_y = (int(count) for count in rng.integers(0, 4, 2))
        others = replace(rng, x, y, in_x), replace(rng, y, x, in_y)
        asked = {"k": rng.choice([0.2, 1.0, 3.0]), "diameter": 2.0, "p": p, "n_resamples": 1, "rng": 5}
        clean = rpw.stats.two_sample_test(x, y, **asked)
        robust = rpw.stats.two_sample_test(*others, contamination=in_x + in_y, **asked)
        for confidence in (0.1, 0.5, 0.95):
            assert robust.at_most(confidence) >= clean.at_most(confidence) - CLOSE


def test_the_robust_p_value_grows_with_the_rows():
    rng = np.random.default_rng(11)
    x, y = rng.normal(size=(30, 2)), np.r_[rng.normal(size=(18, 2)), rng.normal(20, 1, size=(12, 2))]
    for k, diameter in ((None, None), (1, 3.0)):
        evidence = rpw.stats.two_sample_test(x, y, p=1, k=k, diameter=diameter, n_resamples=99, rng=0)._evidence
        found = [evidence.pvalue(rows) for rows in range(1, 31)]
        assert found == sorted(found)
        assert found[-1] == 1
        first = next(rows for rows, pvalue in enumerate(found, start=1) if pvalue > 0.05)
        assert evidence.fewest_replaced(0.05) == first
        assert first > 1 or diameter is None


@pytest.mark.parametrize("k", [None, 1.0])
def test_all_splits_give_an_exact_test(k):
    """Each split in turn is the observed one: at most a share α of them has a p-value of α or less, for every α."""
    rng = np.random.default_rng(12)
    for _ in range(4):
        rows = rng.exponential(size=(7, 1)) ** 3
        found = []
        for split in combinations(range(7), 3):
            members = np.isin(np.arange(7), split)
            found.append(rpw.stats.two_sample_test(rows[members], rows[~members], k=k, n_resamples=40).pvalue)
        found = np.sort(found)
        assert (np.arange(1, 36) / 35 <= found + 1e-12).all()
