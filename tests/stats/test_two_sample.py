"""Two-sample tests: every split by hand, and what must be refused."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest

import rpw
from rpw.stats import two_sample_test


def all_values(x, y, distance):
    """The distance of every split of the pooled rows, the observed one first."""
    pooled, n = np.concatenate([x, y]), len(x)
    values = []
    for chosen in combinations(range(len(pooled)), n):
        rest = np.setdiff1d(np.arange(len(pooled)), chosen)
        values.append(distance(pooled[list(chosen)], pooled[rest]))
    return np.array(values)  # combinations come in order: the first is the observed one


def clouds(seed, n=5, m=4, d=2, ties=False):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(n, d)), rng.normal(0.7, 1, size=(m, d))
    return (x.round(), y.round()) if ties else (x, y)


CASES = [
    (p, d, ties, sizes)
    for p in (1.0, 2.0, 3.0, math.inf)
    for d in (1, 2)
    for ties in (False, True)
    for sizes in ((5, 4), (4, 4))
]


@pytest.mark.parametrize(("p", "d", "ties", "sizes"), CASES)
def test_every_split_by_hand(p, d, ties, sizes):
    x, y = clouds(3, *sizes, d=d, ties=ties)
    result = two_sample_test(x, y, p=p, k=1, diameter=2.0)
    values = all_values(x, y, lambda a, b: rpw.distance(a, b, p=p, k=1, diameter=2.0))
    assert result.statistic == pytest.approx(values[0], abs=1e-12)
    assert np.sort(result.null_distribution) == pytest.approx(np.sort(values), abs=1e-12)
    assert result.pvalue == pytest.approx((values >= values[0] - 1e-12).mean())
    assert result.distance == result.statistic == result.noise_floor.distance
    assert result.noise_floor.median == pytest.approx(np.median(values))


@pytest.mark.parametrize("d", [1, 3])
def test_a_grid_of_prices_by_hand(d):
    x, y = clouds(5, 5, 5, d=d)
    result = two_sample_test(x, y)
    pooled = np.concatenate([x, y])
    between = np.sqrt(((pooled[:, None] - pooled[None]) ** 2).sum(-1))[np.triu_indices(10, 1)]
    unit = np.sort(between)[math.ceil(len(between) / 2) - 1]
    assert result.diameter == pytest.approx(unit)
    each = [all_values(x, y, lambda a, b, k=k: rpw.distance(a, b, k=k, diameter=unit)) for k in (0.15, 1.5, 15.0)]
    seen = np.array(each)
    excess = ((seen - seen.mean(axis=1, keepdims=True)) / seen.std(axis=1, keepdims=True)).max(axis=0)
    assert result.statistic == pytest.approx(excess[0])
    assert result.pvalue == pytest.approx((excess >= excess[0] - 1e-12).mean())


@pytest.mark.parametrize("name", ["wasserstein", "energy"])
def test_other_statistics_by_hand(name):
    x, y = clouds(1)

    def energy(a, b):
        def mean(u, v):
            return np.sqrt(((u[:, None] - v[None]) ** 2).sum(-1)).mean()

        return 2 * mean(a, b) - mean(a, a) - mean(b, b)

    values = all_values(x, y, rpw.wasserstein if name == "wasserstein" else energy)
    result = two_sample_test(x, y, statistic=name)
    assert result.statistic == pytest.approx(values[0])
    assert result.pvalue == pytest.approx((values >= values[0] - 1e-12).mean())
    with pytest.raises(ValueError, match="changed_at_least"):
        result.changed_at_least()
    with pytest.raises(ValueError, match="at_most"):
        result.at_most()


def test_random_splits_agree_with_the_distance_of_each():
    from rpw.stats.samples import as_samples
    from rpw.stats.splits import all_or_random_splits

    x, y = clouds(2, 30, 20)
    result = two_sample_test(x, y, k=0.5, diameter=1.5, n_resamples=20, rng=7)
    splits = all_or_random_splits(as_samples(x, y), 20, np.random.default_rng(7))
    drawn = np.concatenate([block.first for start, block in splits.blocks(7) if start > 0])
    for first, value in zip(drawn, result.null_distribution, strict=True):
        a, b = splits.places[first == 1], splits.places[first == 0]
        assert value == pytest.approx(rpw.distance(a, b, k=0.5, diameter=1.5), abs=1e-12)
    reached = (result.null_distribution >= result.statistic - 1e-12).sum()
    assert result.pvalue == (1 + reached) / 21


def test_whole_groups_change_sides():
    x, y = clouds(4, 6, 6)
    of_x, of_y = ["a", "a", "b", "c", "c", "c"], ["d", "d", "e", "e", "f", "g"]
    result = two_sample_test(x, y, k=1, diameter=2.0, groups=(of_x, of_y))
    pooled, labels = np.concatenate([x, y]), np.array(of_x + of_y)
    values = []
    for chosen in combinations("abcdefg", 3):
        side = np.isin(labels, chosen)
        values.append(rpw.distance(pooled[side], pooled[~side], k=1, diameter=2.0))
    assert np.sort(result.null_distribution) == pytest.approx(np.sort(values), abs=1e-12)
    assert result.changed_at_least() >= 0
    with pytest.raises(ValueError, match="groups"):
        result.at_most()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("options", [{}, {"k": 1.0, "diameter": 3.0}, {"k": 1.0, "scale": "robust"}])
@pytest.mark.parametrize("d", [1, 2])
def test_p_grows_with_the_replaced_rows_and_changed_at_least_is_where_it_passes(seed, options, d):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(40, d)), rng.normal(size=(30, d))
    y[:10] += 15
    result = two_sample_test(x, y, n_resamples=99, rng=seed, **options)
    levels = [result._evidence.pvalue(rows) for rows in range(31)]
    assert levels[0] == result.pvalue
    assert all(a <= b + 1e-12 for a, b in pairwise(levels[1:]))
    changed = result.changed_at_least()
    assert changed == next(rows for rows, level in enumerate(levels) if level > 0.05)
    assert 1 <= changed <= 10
    robust = two_sample_test(x, y, n_resamples=99, rng=seed, contamination=changed, **options)
    assert robust.pvalue == levels[changed] > 0.05
    share = two_sample_test(x, y, n_resamples=99, rng=seed, contamination=changed / 30, **options)
    assert share.pvalue == robust.pvalue
    assert share.contamination == changed


def test_bounds_without_profiles_are_wider():

    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(50, 2)), rng.normal(size=(50, 2))
    y[:12] += 9
    evidence = two_sample_test(x, y, n_resamples=99, rng=0)._evidence
    plain = replace(evidence.resampled, upper={}, lower={})
    assert type(evidence)(evidence.prices, plain).fewest_replaced(0.05) <= evidence.fewest_replaced(0.05)
    for rows in (1, 3, 8):
        low, high = evidence.prices.bounds(rows)
        for price in range(3):
            given = 5, price, float(low[price]), rows / 50
            assert plain.highest(*given) >= evidence.resampled.highest(*given) - 1e-12
            given = 0, price, float(high[price]), rows / 50
            assert plain.lowest(*given) <= evidence.resampled.lowest(*given) + 1e-12


def test_early_stop_follows_besag_and_clifford():
    x, y = clouds(0, 30, 30)
    whole = two_sample_test(x, x + 0.01 * y, k=1, diameter=3.0, n_resamples=199, rng=1)
    early = two_sample_test(x, x + 0.01 * y, k=1, diameter=3.0, n_resamples=199, rng=1, alpha=0.05)
    reached = np.flatnonzero(whole.null_distribution >= whole.statistic - 1e-12)
    assert early.pvalue == 10 / (reached[9] + 1) > 0.05
    assert early.null_distribution is None
    assert early.noise_floor is None
    for refused in (early.changed_at_least, early.at_most, early.plot):
        with pytest.raises(ValueError, match="alpha"):
            refused()
    far = two_sample_test(x, y + 9, k=1, diameter=3.0, n_resamples=199, rng=1, alpha=0.05)
    assert far.pvalue == 1 / 200


def test_tolerance_keeps_p_from_falling():
    x, y = clouds(6, 40, 35)
    exact = two_sample_test(x, y, k=1, diameter=2.0, n_resamples=99, rng=1)
    rough = two_sample_test(x, y, k=1, diameter=2.0, n_resamples=99, rng=1, tol=0.02)
    assert exact.distance <= rough.distance <= exact.distance + 0.02
    assert rough._evidence.pvalue(1) >= exact._evidence.pvalue(1)


def test_the_same_whoever_computes_it():
    x, y = clouds(8, 40, 40)
    one = two_sample_test(x, y, rng=3, n_resamples=60, n_threads=1)
    two = two_sample_test(x.tolist(), rpw.Measure(y), rng=np.random.default_rng(3), n_resamples=60, n_threads=2)
    assert np.array_equal(one.null_distribution, two.null_distribution)
    called = two_sample_test(x, y, rng=3, n_resamples=60, metric=lambda u, v: float(np.linalg.norm(u - v)))
    assert called.null_distribution == pytest.approx(one.null_distribution, abs=1e-9)
    told = []
    two_sample_test(x, y, rng=3, n_resamples=60, progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (61, 61)
    assert pickle.loads(pickle.dumps(one)).pvalue == one.pvalue


def test_robust_scales_are_those_of_the_middle_half():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(41, 2)) * [1, 1000], rng.normal(size=(40, 2)) * [1, 1000]
    ordered = np.sort(np.concatenate([x, y]), axis=0)
    widths = ordered[60] - ordered[20]
    scaled = two_sample_test(x, y, k=1, diameter=2.0, scale="robust", n_resamples=50, rng=1)
    by_hand = two_sample_test(x / widths, y / widths, k=1, diameter=2.0, n_resamples=50, rng=1)
    assert np.array_equal(scaled.null_distribution, by_hand.null_distribution)
    with pytest.raises(ValueError, match="scale="):
        scaled.at_most()


def test_equal_rows_everywhere():
    result = two_sample_test(np.zeros((20, 2)), np.zeros((30, 2)), n_resamples=99, rng=0)
    assert result.pvalue == 1
    assert result.distance == 0
    mostly = np.zeros(60)
    mostly[:10] = 5
    assert two_sample_test(mostly, np.zeros(50), n_resamples=199, rng=0).pvalue < 0.05


@pytest.mark.parametrize("size", [1e-200, 1e-14, 1e200])
@pytest.mark.parametrize("options", [{}, {"statistic": "wasserstein"}, {"statistic": "energy"}])
def test_units_do_not_matter(size, options):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(30, 2)), rng.normal(1, 1, size=(25, 2))
    asked = {"n_resamples": 49, "rng": 0} | options
    result, plain = (two_sample_test(a, b, **asked) for a, b in ((x * size, y * size), (x, y)))
    assert result.pvalue == plain.pvalue < 0.1
    if not options:
        assert result.null_distribution == pytest.approx(plain.null_distribution, abs=1e-9)


def test_numbers_over_many_orders_of_magnitude():
    x, y = 10.0 ** -np.random.default_rng(0).uniform(0, 250, (2, 40))
    result = two_sample_test(x, y, n_resamples=49, rng=0)
    assert 0 < result.pvalue <= 1
    assert result.changed_at_least() >= 0


HUGE = 1e307  # 15 times the median distance of such rows is infinite, the distances are not


def huge_samples():
    x = np.random.default_rng(0).normal(size=(40, 2))
    return x, x[:30]


@pytest.mark.parametrize("p", [1, 2, 3, math.inf])
@pytest.mark.parametrize("d", [1, 2])
@pytest.mark.parametrize("options", [{}, {"k": 15}, {"k": 15, "contamination": 2}, {"k": 15, "alpha": 0.05}], ids=str)
def test_prices_outside_of_float64_are_refused(p, d, options):
    """At p = 1 and inf an infinite price would even give a distance of 0."""
    x, y = (2 * HUGE * rows[:, :d] for rows in huge_samples())
    with pytest.raises(ValueError, match=r"k=15 times their median distance .* outside the range .* rescale the rows"):
        two_sample_test(x, y, p=p, n_resamples=9, rng=0, **options)


def test_noise_floor_and_equivalence_refuse_such_prices_too():
    x, y = (HUGE * rows for rows in huge_samples())
    with pytest.raises(ValueError, match=r"k=15 times their median distance .* outside the range .* rescale the rows"):
        rpw.stats.noise_floor(x, y, k=15)
    with pytest.raises(ValueError, match=r"k \* diameter is outside the range of float64"):
        rpw.stats.equivalence_test(x, y, 0.2, diameter=HUGE, k=100)


@pytest.mark.parametrize(
    "options", [{"k": 1}, {"diameter": 1.0}, {"statistic": "wasserstein"}, {"scale": "robust"}], ids=str
)
def test_huge_rows_with_prices_inside_of_float64_have_an_answer(options):
    x, y = huge_samples()
    large = {**options, "diameter": HUGE} if "diameter" in options else options
    expected = two_sample_test(x, y, n_resamples=9, rng=0, **options)
    result = two_sample_test(HUGE * x, HUGE * y, n_resamples=9, rng=0, **large)
    assert result.pvalue == expected.pvalue
    length = HUGE if "statistic" in options else 1.0
    assert result.statistic / length == pytest.approx(expected.statistic)


def test_other_functions_of_huge_rows_have_an_answer():
    x, y = huge_samples()
    floors = [rpw.stats.noise_floor(u * x, u * y, rng=0).distance for u in (1.0, HUGE)]
    proofs = [rpw.stats.equivalence_test(u * x, u * y, 0.2, diameter=u).distance for u in (1.0, HUGE)]
    named = [rpw.stats.find_outliers(u * x, u * y, fdr=0.5, rng=0).pvalues for u in (1.0, HUGE)]
    assert floors[1] == pytest.approx(floors[0])
    assert proofs[1] == pytest.approx(proofs[0])
    np.testing.assert_array_equal(named[1], named[0])


def test_a_huge_diameter_leaves_nothing_to_prove():
    x, y = np.random.default_rng(0).normal(size=(2, 30))
    for p in (1.5, 50):
        assert rpw.stats.equivalence_test(x, y, 0.5, diameter=1e300, p=p).distance < 1e-200


def test_in_words():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(50, 2)), rng.normal(size=(50, 2))
    same = two_sample_test(x, y, n_resamples=99, rng=0)
    y[:20] += 9
    far = two_sample_test(x, y, n_resamples=99, rng=0, contamination=1)
    assert "no row needs to have changed" in str(same)
    assert f"({far.changed_at_least()} of 100)" in str(far)
    assert "whichever row was replaced" in str(far)
    assert "pvalue=" in repr(far)
    assert str(far) in far._repr_html_()
    ax = far.plot()
    assert ax.get_xlabel() == f"RPW of two samples (k = {far.k:.3g}, Δ = {far.diameter:.3g})"


def test_noise_floor_is_that_of_the_test():
    x, y = clouds(9, 30, 30)
    floor = rpw.stats.noise_floor(x, y, k=2, diameter=1.0, n_resamples=40, rng=2)
    test = two_sample_test(x, y, k=2, diameter=1.0, n_resamples=40, rng=2)
    assert floor.values == pytest.approx(test.null_distribution, abs=1e-12)
    assert (floor.distance, floor.median) == pytest.approx((test.distance, test.noise_floor.median), abs=1e-12)
    assert floor.excess == floor.distance - floor.median


@pytest.mark.parametrize("p", [1.0, 2.0, math.inf])
def test_equivalence_by_the_formula(p):
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=300), rng.normal(size=200)
    result = rpw.stats.equivalence_test(x, y, 0.25, diameter=3.0, p=p)
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if rpw.partial_wasserstein(x, y, mass=middle, p=p) <= 0.75 else (low, middle)
    gained = max(0.0, low - 1 + 0.25)
    assert result.pvalue == pytest.approx(math.exp(-2 * gained**2 / (1 / 300 + 1 / 200)), rel=1e-6)
    least = math.sqrt((1 / 300 + 1 / 200) * math.log(20) / 2)
    assert result.least_margin == pytest.approx(least)
    small = rpw.stats.equivalence_test(x, y, 0.05, diameter=3.0, p=p)
    assert small.pvalue > 0.05
    assert "cannot prove a margin below" in str(small)


def test_upper_bound_contains_the_distance_and_needs_fixed_prices():
    x, y = clouds(3, 60, 50)
    result = two_sample_test(x, y, k=1, diameter=4.0, n_resamples=9, rng=0)
    share = math.sqrt((1 / 60 + 1 / 50) * math.log(20) / 2)
    assert result.distance + 1e-9 < result.at_most() <= result.distance + share + 1e-12
    assert result.at_most(0.5) < result.at_most(0.99)
    for options in ({}, {"k": 1}, {"diameter": 4.0}):
        with pytest.raises(ValueError, match="diameter="):
            two_sample_test(x, y, n_resamples=9, rng=0, **options).at_most()


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"x": [[1.0, 2.0]]}, "x has 1 row"),
        ({"y": [[1.0, np.nan]] * 5}, "y has a NaN"),
        ({"y": [1.0, 2.0, 3.0]}, "coordinates"),
        ({"x": rpw.Measure([[0.0, 1.0], [1.0, 1.0]], [0.3, 0.7])}, "x has weights"),
        ({"p": 0.5}, "p must"),
        ({"k": -1}, "k must"),
        ({"diameter": 0}, "diameter must"),
        ({"metric": "cosine"}, "metric"),
        ({"contamination": -1}, "contamination"),
        ({"contamination": 1.5}, "contamination"),
        ({"contamination": 100}, "contamination"),
        ({"contamination": 1, "statistic": "energy"}, "contamination"),
        ({"contamination": True}, "contamination"),
        ({"n_resamples": 0}, "n_resamples"),
        ({"n_resamples": 9.5}, "n_resamples"),
        ({"rng": "seed"}, "rng"),
        ({"statistic": "mmd"}, "statistic"),
        ({"statistic": "energy", "k": 1}, "k, diameter and tol"),
        ({"alpha": 0.05}, "pass k="),
        ({"alpha": 2, "k": 1}, "alpha"),
        ({"scale": "standard"}, "scale"),
        ({"groups": [1, 2, 3]}, "groups"),
        ({"groups": ([1, 1, 2, 2, 2], [1, 3, 3, 4])}, "in both samples"),
        ({"groups": ([1, 1, 1, 1, 1], [2, 3, 3, 4])}, "at least two groups"),
        ({"groups": ([1, 1, 2], [3, 3, 4, 4])}, r"groups\[0\]"),
        ({"tol": -1}, "tol"),
        ({"device": "gpu"}, "device"),
        ({"progress": 3}, "progress"),
        ({"time_limit": -1}, "time_limit"),
    ],
)
def test_bad_input_is_named(changes, named):
    x, y = clouds(0)
    with pytest.raises(ValueError, match=named):
        two_sample_test(**({"x": x, "y": y} | changes))


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"margin": 0}, "margin"),
        ({"margin": 1.5}, "margin"),
        ({"margin": 0.1, "diameter": -1}, "diameter"),
        ({"margin": 0.1, "k": math.nan}, "k"),
        ({"margin": 0.1, "x": [1.0]}, "x has 1 row"),
    ],
)
def test_bad_input_of_equivalence(arguments, named):
    x, y = clouds(0)
    with pytest.raises(ValueError, match=named):
        rpw.stats.equivalence_test(**({"x": x, "y": y, "diameter": 1.0} | arguments))


def test_levels_and_confidences_are_checked():
    x, y = clouds(0)
    result = two_sample_test(x, y, k=1, diameter=2.0)
    for level in (0, 1, 95, math.nan, "high"):
        with pytest.raises(ValueError, match="confidence_level"):
            result.changed_at_least(level)
        with pytest.raises(ValueError, match="confidence_level"):
            result.at_most(level)


@pytest.mark.parametrize("sizes", [(12, 12), (9, 14)])
def test_a_gpu_gives_the_same_values(on_host, sizes):
    x, y = clouds(4, *sizes)
    on_cpu = two_sample_test(x, y, n_resamples=20, rng=1)
    on_gpu = two_sample_test(x, y, n_resamples=20, rng=1, device="cuda")
    assert on_host.launched
    assert on_gpu.null_distribution == pytest.approx(on_cpu.null_distribution, abs=1e-9)
    assert on_gpu.pvalue == on_cpu.pvalue
    assert on_gpu.changed_at_least(0.6) <= on_cpu.changed_at_least(0.6)


def test_bounds_on_a_gpu_are_those_of_the_whole_profile_of_the_observed_split(on_host):
    x, y = clouds(4, 14, 12)
    asked = {"k": 1, "diameter": 2.0, "n_resamples": 20, "rng": 1}
    on_cpu, on_gpu = (two_sample_test(x, y, device=device, **asked) for device in ("cpu", "cuda"))
    assert on_host.launched
    for level in (0.1, 0.5):
        assert on_gpu.at_most(level) == pytest.approx(on_cpu.at_most(level), abs=1e-9)
    assert on_gpu._evidence.resampled.lowest(0, 0, 2.0, 0.2) == pytest.approx(
        on_cpu._evidence.resampled.lowest(0, 0, 2.0, 0.2), abs=1e-9
    )


@pytest.mark.thorough
def test_bounds_without_a_shared_matrix_are_close_to_those_of_the_whole_profile():
    """More than 5,000 places: two curves enclose the profile of the observed split."""
    x, y = clouds(5, 2501, 2502)
    result = two_sample_test(x, y, k=1, diameter=2.0, n_resamples=1, rng=0)
    assert len(result._evidence.resampled.upper) == 1
    profile, share = rpw.profile(x, y), math.sqrt((1 / 2501 + 1 / 2502) * math.log(20) / 2)
    low, high = share, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if profile(min(1.0, 1 - middle + share)) <= 2 * middle else (middle, high)
    assert high - 1e-9 <= result.at_most() <= high + 0.01
    assert result.at_most() < result.distance + share - 1e-3
