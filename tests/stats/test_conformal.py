"""Conformal p-values and Benjamini–Hochberg: by their definitions, and the theorem by counting all cases."""

import itertools
import math

import numpy as np
import pytest

from rpw.stats import conformal


def slow_pvalues(calibration, scores):
    return [(1 + sum(c >= s for c in calibration)) / (len(calibration) + 1) for s in scores]


def slow_named(pvalues, level):
    for count in range(len(pvalues), 0, -1):
        cut = level * count / len(pvalues) + 1e-13
        if sum(p <= cut for p in pvalues) >= count:
            return [p <= cut for p in pvalues]
    return [False] * len(pvalues)


@pytest.mark.parametrize("seed", range(20))
def test_pvalues_and_names_are_those_of_the_definitions(seed):
    rng = np.random.default_rng(seed)
    calibration, scores = rng.integers(0, 12, rng.integers(1, 60)), rng.integers(0, 15, rng.integers(1, 40))
    pvalues = conformal.conformal_pvalues(calibration, scores)
    np.testing.assert_allclose(pvalues, slow_pvalues(calibration, scores), rtol=1e-14)
    for level in (0.01, 0.05, 0.1, 0.3, 0.5, 0.9):
        assert conformal.named(pvalues, level).tolist() == slow_named(pvalues.tolist(), level)


@pytest.mark.parametrize("seed", range(5))
def test_a_score_is_above_the_limit_just_if_its_pvalue_is_small(seed):
    rng = np.random.default_rng(seed)
    calibration = rng.integers(0, 9, rng.integers(1, 50)).astype(float)
    scores = np.arange(-1, 10, 0.5)
    for level in (0.02, 0.05, 0.1, 0.2, 1 / 3, 0.5, 0.999):
        is_small = conformal.conformal_pvalues(calibration, scores) <= level + 1e-13
        np.testing.assert_array_equal(scores > conformal.score_limit(calibration, level), is_small)


def test_no_score_is_above_the_limit_of_too_few_rows():
    assert conformal.score_limit(np.arange(18.0), 0.05) == math.inf
    assert conformal.score_limit(np.arange(19.0), 0.05) == 18


def mean_false_share(positions_of_outliers, ordinary, calibrating, level):
    """The exact mean of V / max(R, 1) over all orders of the ordinary rows, which are all as likely."""
    total = ordinary + calibrating + len(positions_of_outliers)
    free = [place for place in range(total) if place not in positions_of_outliers]
    shares = []
    for order in itertools.permutations(free):
        scores = [*order[calibrating:], *positions_of_outliers]
        mask = conformal.named(conformal.conformal_pvalues(np.array(order[:calibrating]), np.array(scores)), level)
        shares.append(mask[:ordinary].sum() / max(1, mask.sum()))
    return np.mean(shares)


def test_the_false_discovery_rate_by_counting():
    """All places that up to two outliers may have among up to four other rows."""
    check_all_cases([(1, 1), (2, 1), (1, 2), (2, 2), (3, 1)], 2)


@pytest.mark.thorough
def test_the_false_discovery_rate_by_counting_more():
    check_all_cases([(3, 2), (4, 1), (2, 3), (4, 2)], 2)


def check_all_cases(sizes, most_outliers):
    largest = 0
    for calibrating, ordinary in sizes:
        for count in range(most_outliers + 1):
            for places in itertools.permutations(range(ordinary + calibrating + count), count):
                for level in (0.25, 0.5, 0.75):
                    rate = mean_false_share(places, ordinary, calibrating, level)
                    bound = level * ordinary / (ordinary + count)
                    assert rate <= bound + 1e-12
                    largest = max(largest, rate / bound)
    assert largest > 0.99  # the bound is attained, so that a procedure that names more would have been caught


def test_equal_scores_are_put_in_a_random_order():
    """The p-value of any of the rows is uniform, though all scores but one are equal."""
    rng = np.random.default_rng(0)
    scores = np.array([3.0, 3, 3, 3, 3, 3, 3, 9])
    found = np.array([conformal.order_with_random_ties(scores, rng) for _ in range(4000)])
    assert (np.sort(found, axis=1) == np.arange(8)).all()
    assert (found[:, 7] == 7).all()
    for row in range(7):
        counts = np.bincount(found[:, row], minlength=7)
        assert np.abs(counts / 4000 - 1 / 7).max() < 4.5 * math.sqrt(1 / 7 / 4000)


@pytest.mark.parametrize(
    ("count", "level", "calibrating"), [(10, 0.1, 9), (10, 0.05, 99), (15, 0.05, 99), (7, 0.3, 11)]
)
def test_the_least_number_that_can_be_named(count, level, calibrating):
    """So many rows beyond all others are named, and one fewer are not."""
    least = conformal.least_that_can_be_named(count, level, calibrating)
    for out in range(count + 1):
        pvalues = np.where(np.arange(count) < out, 1 / (calibrating + 1), 1.0)
        assert conformal.named(pvalues, level).sum() == (out if out >= least else 0)


def test_a_single_row_can_be_named_from_so_many_on():
    for count, level in [(1, 0.05), (3, 0.1), (200, 0.05), (7, 0.3)]:
        enough = conformal.calibration_for_one(count, level)
        assert conformal.least_that_can_be_named(count, level, enough) == 1
        assert conformal.least_that_can_be_named(count, level, enough - 1) == 2


@pytest.mark.parametrize("count", [2, 3, 10, 101])
def test_a_split_has_every_row_once_and_no_empty_part(count):
    rng = np.random.default_rng(count)
    for share in (1e-9, 0.2, 0.5, 1 - 1e-9):
        first, second = conformal.split(count, share, rng)
        assert sorted([*first, *second]) == list(range(count))
        assert len(first) > 0
        assert len(second) > 0
        assert abs(len(second) - share * count) <= 1


def test_a_split_is_drawn():
    rng = np.random.default_rng(0)
    is_second = np.zeros(10)
    for _ in range(2000):
        is_second[conformal.split(10, 0.5, rng)[1]] += 1
    assert np.abs(is_second / 2000 - 0.5).max() < 4 * 0.5 / math.sqrt(2000)
