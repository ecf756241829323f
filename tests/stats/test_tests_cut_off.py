"""Tests of ``rpw.stats`` under a time limit: they end in time, in little memory, and say what is missing."""

import contextlib
import math
import time
import tracemalloc

import numpy as np
import pytest

import rpw
from rpw.base.deadline import Deadline
from rpw.stats import drift, two_sample_test
from rpw.stats.evidence import Evidence
from rpw.stats.prices import GRID, Prices
from rpw.stats.resampled import Resampled
from rpw.stats.samples import as_samples
from rpw.stats.splits import all_or_random_splits, splits_of_counts

FAR_TOO_LONG = 10.0  # seconds; the limits below are at most one, and without them these calls take minutes
MANY = 1_000_000


def samples(n=300, shift=0.0):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, 2)), rng.normal(shift, 1, size=(n, 2))


@pytest.mark.parametrize(
    "options",
    [{}, {"k": 1, "alpha": 1e-5}, {"statistic": "energy"}, {"statistic": "wasserstein"}],
    ids=str,
)
def test_drawing_and_solving_end_in_time_and_need_little_memory(options):
    x, y = samples(shift=1.0)
    two_sample_test(x, y, n_resamples=1)  # imports what it needs
    tracemalloc.start()
    try:
        start = time.monotonic()
        result = two_sample_test(x, y, n_resamples=MANY, rng=0, time_limit=0.5, **options)
        assert time.monotonic() - start < FAR_TOO_LONG
        assert tracemalloc.get_traced_memory()[1] < 3e8  # all splits as bytes are twice as much
    finally:
        tracemalloc.stop()
    assert result.n_resamples == MANY
    assert MANY / 2 < result.unanswered <= MANY
    assert result.pvalue >= (1 + result.unanswered) / (MANY + 1)


@pytest.mark.parametrize("column", [np.arange(600.0), np.arange(600).astype(str)], ids=["numbers", "categories"])
def test_drift_ends_in_time(column):
    start = time.monotonic()
    with contextlib.suppress(rpw.TimeLimitError):
        drift({"x": column[::2]}, {"x": column[1::2]}, rng=0, n_resamples=MANY, time_limit=0.5)
    assert time.monotonic() - start < FAR_TOO_LONG


@pytest.mark.parametrize("options", [{}, {"k": 1, "diameter": 2.0}, {"statistic": "energy"}], ids=str)
def test_a_slow_metric_is_interrupted(options):
    def slow(u, v):
        time.sleep(0.002)
        return float(abs(u - v).max())

    start = time.monotonic()
    with pytest.raises(rpw.TimeLimitError):
        two_sample_test(*samples(100), metric=slow, n_resamples=9, time_limit=0.2, **options)
    with pytest.raises(rpw.TimeLimitError):
        rpw.stats.equivalence_test(*samples(100), 0.5, diameter=2.0, metric=slow, time_limit=0.2)
    assert time.monotonic() - start < FAR_TOO_LONG


def test_a_test_that_was_cut_off_says_so():
    result = two_sample_test(*samples(60), k=1, diameter=4.0, n_resamples=MANY, rng=0, time_limit=0.5)
    assert f"{result.unanswered:,} of 1,000,000 random splits without an answer" in str(result)
    assert f"p ≤ {result.pvalue:.3g}" in str(result)
    assert "no row needs to have changed" not in str(result)
    assert f"n_resamples=1000000, unanswered={result.unanswered}" in repr(result)
    assert "≤" in result.plot().get_title()
    whole = two_sample_test(*samples(30), k=1, diameter=4.0, n_resamples=99, rng=0)
    assert (whole.n_resamples, whole.unanswered) == (99, 0)
    assert "cut off" not in str(whole)
    few = two_sample_test([0.0, 1, 2], [5.0, 6, 7], n_resamples=99)
    assert few.n_resamples == 20  # all there are


def test_an_early_stop_says_how_many_splits_it_took():
    x, y = samples(30)
    early = two_sample_test(x, y, k=1, alpha=0.05, n_resamples=199, rng=1)
    assert early.pvalue == 10 / early.n_resamples
    assert early.unanswered == 0


def test_a_scan_over_prices_that_was_cut_off_does_not_rank_by_the_mean_of_those_with_an_answer():
    """Which splits have an answer may depend on their values. So every price has a p-value, and they are combined."""
    values = np.array([[3.0, 1.0, 1.0], [1.0, 2.0, 0.0], [2.0, 0.0, 3.0], [0.0, 0.5, 2.0], [math.nan] * 3])
    found = Resampled(values, np.array(GRID), np.full(5, 10))
    evidence = Evidence(Prices(GRID, 1.0, is_fixed=False), found)
    assert evidence.unanswered == 1
    assert evidence.pvalue(0) == min(1, 3 * (1 + 1) / 5)  # at the first price only the split without an answer counts
    assert (
        Evidence(Prices((1.0,), 1.0, is_fixed=True), Resampled(values[:, :1], np.ones(1), found.sizes)).pvalue(0) == 0.4
    )


# ---------------------------------------------------------------- splits in blocks


def drawn(splits, most):
    return np.concatenate([block.first for _, block in splits.blocks(most)])


@pytest.mark.parametrize("draw", ["rows", "all", "groups", "counts"])
def test_blocks_of_any_length_hold_the_same_splits(draw):
    rows = np.array([0.0, 0, 1, 2, 2, 2, 3, 4, 4, 5])
    groups = np.array([0, 0, 1, 1, 2, 3, 3, 4, 5, 5])

    def splits():
        rng, pooled = np.random.default_rng(3), as_samples(rows[:4], rows[4:])
        if draw == "counts":
            return splits_of_counts(np.arange(3.0)[:, None], np.array([70, 20, 10]), np.array([30, 5, 5]), 50, rng)
        return all_or_random_splits(pooled, 300 if draw == "all" else 50, rng, groups if draw == "groups" else None)

    whole = drawn(splits(), 10_000)
    assert splits().is_all == (draw in ("all", "groups"))
    assert len(whole) == len(splits()) == {"all": 211, "groups": 16}.get(draw, 51)
    for most in (1, 7, 50):
        np.testing.assert_array_equal(drawn(splits(), most), whole)
        places = [start for start, _ in splits().blocks(most)]
        assert places == [0, *range(1, len(whole), most)]
    if draw == "all":
        assert len(np.unique(whole[1:], axis=0)) < 210 == math.comb(10, 4)


def test_no_split_but_the_observed_one_is_drawn_after_the_deadline():
    splits = all_or_random_splits(as_samples(*samples(20)), 99, np.random.default_rng(0))
    assert [len(block) for _, block in splits.blocks(10, Deadline(time.monotonic() - 1))] == [1]
