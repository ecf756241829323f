"""The parts of a comparison against slow, obvious versions: counts, exact chances, and rounding."""

import math
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import fisher_exact

import rpw
from rpw.base.deadline import NEVER
from rpw.pair.metrics import as_metric
from rpw.pair.question import as_question
from rpw.stats.resampled import Effort, resample
from rpw.stats.splits import Splits
from rpw.stats.tables.categories import CategoryTest, total_variation
from rpw.stats.tables.numbers import LineTest
from rpw.stats.tables.rounding import RoundedCurves, round_column
from rpw.stats.tables.setup import Setup, splits_for
from rpw.stats.tables.shares import ShareTest

RNG = np.random.default_rng(0)
EFFORT = Effort("cpu", 1, NEVER, lambda done: None)
KAPPAS = np.array([0.15, 1.5])


def setup(n_resamples=999, alpha=0.05, groups=None):
    return Setup(alpha, n_resamples, EFFORT, groups)


# ---------------------------------------------------------------- missing values and categories


def all_splits(marks, n):
    """|share here - share there| of every choice of n rows."""
    marks = np.asarray(marks, dtype=float)
    found = []
    for chosen in combinations(range(len(marks)), n):
        inside = np.isin(np.arange(len(marks)), chosen)
        found.append(abs(marks[inside].mean() - marks[~inside].mean()))
    return np.array(found)


@pytest.mark.parametrize(("here", "there", "n", "m"), [(4, 0, 6, 5), (1, 3, 4, 8), (0, 2, 5, 5), (3, 3, 5, 6)])
def test_the_share_of_missing_rows_against_every_split(here, there, n, m):
    missing = np.r_[np.arange(n) < here, np.arange(m) < there]
    row = ShareTest("x", "number", missing, n).run(setup(), np.random.default_rng(0))
    values, observed = all_splits(missing, n), abs(here / n - there / m)
    assert row.distance == pytest.approx(observed)
    assert row.pvalue == pytest.approx((values >= observed - 1e-12).mean())
    for alpha in (0.05, 0.3, 0.9):
        changed = (
            ShareTest("x", "number", missing, n).run(setup(alpha=alpha), np.random.default_rng(0)).changed_at_least
        )
        smaller = min(n, m)
        pvalues = [(values + r / smaller >= observed - r / smaller - 1e-12).mean() for r in range(smaller + 1)]
        assert changed == next((r for r, pvalue in enumerate(pvalues) if pvalue > alpha), smaller)


def test_with_samples_of_one_size_it_is_fishers_exact_test():
    missing = np.r_[np.arange(40) < 9, np.arange(40) < 1]
    row = ShareTest("x", "number", missing, 40).run(setup(), np.random.default_rng(0))
    assert row.pvalue == pytest.approx(fisher_exact([[9, 31], [1, 39]]).pvalue)


def test_two_categories_are_the_missing_test_up_to_the_random_splits():
    marks = np.r_[np.arange(60) < 20, np.arange(50) < 8]
    exact = ShareTest("x", "number", marks, 60).run(setup(), np.random.default_rng(0))
    test = CategoryTest("x", "category", np.array(["a", "b"]), marks.astype(np.int64), 60, np.ones(110, dtype=bool))
    drawn = test.run(setup(9999), np.random.default_rng(1))
    assert drawn.distance == pytest.approx(exact.distance)
    assert drawn.pvalue == pytest.approx(exact.pvalue, abs=4 * math.sqrt(exact.pvalue / 9999))
    assert abs(drawn.changed_at_least - exact.changed_at_least) <= 1
    assert (drawn.floor_low, drawn.floor_high) == pytest.approx((exact.floor_low, exact.floor_high), abs=0.02)


def drawn_of(splits):
    return np.concatenate([block.first for _, block in splits.blocks(100)])


def test_total_variation_is_rpw_at_k_0():
    codes = RNG.integers(0, 5, 40).astype(float)
    splits = splits_for(codes, 15, None, 9, np.random.default_rng(0))
    values, sizes = total_variation(splits, EFFORT)
    drawn = drawn_of(splits_for(codes, 15, None, 9, np.random.default_rng(0)))
    for value, first in zip(values, drawn, strict=True):
        x, y = (np.repeat(splits.places[:, 0], counts) for counts in (first, splits.pooled - first))
        assert value == pytest.approx(rpw.distance(x, y, k=0))
    assert sizes.tolist() == [15] * 10


def test_of_very_many_categories_the_rarest_are_one():
    codes = np.r_[np.repeat(np.arange(3000), 2), np.zeros(500, dtype=np.int64)]
    labels = np.array([f"label {i}" for i in range(3000)])
    test = CategoryTest("x", "category", labels, RNG.permutation(codes), 3000, np.ones(len(codes), dtype=bool))
    row = test.run(setup(19), np.random.default_rng(0))
    assert "the rarest of 3,000 categories are counted as one" in row.note
    assert row.changed_at_least is None


def test_counts_of_many_rows_are_drawn_as_splits_are():
    """Above 10,000 rows splits are drawn as counts: the same means and spreads as choosing rows."""
    values = np.repeat([0.0, 1.0, 2.0], [6000, 5000, 500])
    splits = splits_for(RNG.permutation(values), 4000, None, 800, np.random.default_rng(0))
    drawn = drawn_of(splits)
    assert drawn.shape == (801, 3)
    assert (drawn.sum(axis=1) == 4000).all()
    share = splits.pooled / 11500
    spread = np.sqrt(4000 * share * (1 - share) * 7500 / 11499)
    assert np.abs(drawn[1:].mean(axis=0) - 4000 * share).max() < 4 * spread.max() / math.sqrt(800)
    assert drawn[1:].std(axis=0) == pytest.approx(spread, rel=0.1)


# ---------------------------------------------------------------- rounding


@pytest.mark.parametrize(
    "draw", [RNG.normal, RNG.standard_cauchy, RNG.random, lambda size: np.exp(3 * RNG.normal(size=size))]
)
def test_a_rounded_column_has_few_places_in_order_and_outliers_keep_theirs(draw):
    values = np.r_[draw(size=5000), 1e6, -1e5]
    rounded = round_column(values, 64)
    assert len(rounded.places) <= 64
    assert (np.diff(rounded.places) > 0).all()
    order = np.argsort(values)
    assert (np.diff(rounded.labels[order]) >= 0).all()
    moves = values - rounded.places[rounded.labels]
    assert rounded.squares == pytest.approx((moves**2).sum())
    assert moves[-2:].tolist() == [0, 0]
    # No place serves more rows than a cut into equal parts would, nor a longer stretch than a cut into equal lengths.
    assert np.bincount(rounded.labels).max() <= 5002 / 32 + 1
    assert np.abs(moves).max() <= 1.1e6 / 64 + 1e-9


def test_few_values_are_not_rounded():
    values = RNG.integers(0, 40, 1000) / 7
    rounded = round_column(values, 64)
    assert (rounded.places[rounded.labels] == values).all()
    assert rounded.squares == rounded.slack(500, 500) == 0


def curves_of(values, sides):
    """The profiles of splits; ``sides`` says for each which rows are in the first sample."""
    places, labels = np.unique(values, return_inverse=True)
    first = np.array([np.bincount(labels[side], minlength=len(places)) for side in sides])
    splits = Splits(
        places[:, None], np.bincount(labels), first[0], len(first) - 1, False, lambda _: iter([first[1:]]), 1
    )
    found = resample(splits, as_question(p=2), as_metric("euclidean"), KAPPAS, EFFORT)
    assert len(found.upper) == len(sides)
    return found


@pytest.mark.parametrize("sizes", [(30, 30), (20, 34)])
def test_bounds_of_rounded_columns_hold_the_bounds_of_the_columns(sizes):
    n, m = sizes
    values = np.r_[RNG.normal(size=n), RNG.normal(0.5, 1, size=m)]
    rounded = round_column(values, 16)
    slack = rounded.slack(n, m)
    sides = [np.isin(np.arange(n + m), RNG.choice(n + m, n, replace=False)) for _ in range(12)]
    exact = curves_of(values, sides)
    bounds = RoundedCurves(**vars(curves_of(rounded.places[rounded.labels], sides)), slack=slack)
    is_close = False
    for split in range(len(sides)):
        for price, kappa in enumerate(KAPPAS):
            for share in (0.0, 1 / min(sizes), 0.2, 0.7):
                low, high = (getattr(bounds, end)(split, price, kappa, share) for end in ("lowest", "highest"))
                true_low, true_high = (getattr(exact, end)(split, price, kappa, share) for end in ("lowest", "highest"))
                # Bands around long profiles are up to a hundredth of the smallest price wide.
                assert low <= true_low + 1e-2 * KAPPAS[0] / kappa + 1e-9
                assert high >= true_high - 1e-2 * KAPPAS[0] / kappa - 1e-9
                is_close |= high - low < true_high - true_low + 5 * slack / kappa < 1
    assert is_close
    assert bounds.highest(0, 0, 0.0, 0.1) == 1
    assert bounds.lowest(0, 0, math.inf, 0.1) == 0


def test_the_slack_bounds_what_rounding_does_to_costs():
    """W of any part of the mass, before and after, for splits of unequal sizes."""
    for _ in range(20):
        values = RNG.normal(size=37)
        rounded = round_column(values, 6)
        x, y = values[:14], values[14:]
        mass = float(RNG.random())
        before = rpw.transport(x, y, mass=mass, p=2).cost
        places = rounded.places[rounded.labels]
        after = rpw.transport(places[:14], places[14:], mass=mass, p=2).cost
        assert abs(before - after) <= rounded.slack(14, 23) + 1e-12


@pytest.mark.parametrize("trials", [4, pytest.param(60, marks=pytest.mark.thorough)])
def test_a_long_column_keeps_its_level_and_its_power(trials):
    n = 6000
    rejections = 0
    for seed in range(trials):
        rng = np.random.default_rng(seed)
        values = rng.normal(size=2 * n)
        row = LineTest("x", "number", values, n, np.ones(2 * n, dtype=bool)).run(setup(19), rng).row
        rejections += row.pvalue <= 0.1
    assert rejections <= 0.1 * trials + 3 * math.sqrt(0.09 * trials)
    rng = np.random.default_rng(0)
    values = np.r_[rng.normal(size=n), rng.normal(0.3, 1, size=n)]
    row = LineTest("x", "number", values, n, np.ones(2 * n, dtype=bool)).run(setup(99), rng).row
    assert row.pvalue == 0.01
    # A shift by 0.3 standard deviations can be had by replacing 12 % of the rows: no bound may claim more.
    assert 0 < row.changed_at_least <= 0.15 * n
