"""Levels and coverage by simulation: few draws with room for chance here, many in benchmarks/stats."""

import math

import numpy as np
import pytest
from scipy.stats import binom

import rpw
from rpw.stats import two_sample_test

RESAMPLES = 19  # with the observed split 20: a test of level 0.05 is exact


def most_by_chance(draws, level):
    """A count that a binomial number exceeds once in 10,000."""
    return int(binom.ppf(1 - 1e-4, draws, level))


def far_away(x, y, rows):
    y[:rows] = 1e3


def copies_of_a_corner(x, y, rows):
    y[:rows] = y.max(axis=0)


def looks_like_a_shift(x, y, rows):
    """The lowest rows of y come back a little above the middle, and the highest of x a little below."""
    half = rows // 2
    y[np.argsort(y[:, 0])[:half], 0] += 2
    x[np.argsort(-x[:, 0])[: rows - half], 0] -= 2


ADVERSARIES = [far_away, copies_of_a_corner, looks_like_a_shift]


def rejections(adversary, rows, allowed, draws, sizes, **options):
    """How often level 0.05 rejects two samples of one distribution of which so many rows were replaced."""
    rng, found = np.random.default_rng(0), 0
    for _ in range(draws):
        x, y = (rng.normal(size=(size, 2)) for size in sizes)
        if adversary is not None:
            adversary(x, y, rows)
        test = two_sample_test(x, y, contamination=allowed, n_resamples=RESAMPLES, rng=rng, n_threads=1, **options)
        found += test.pvalue <= 0.05
    return found


@pytest.mark.parametrize("options", [{}, {"k": 1, "diameter": 3}, {"k": 0.3, "p": math.inf}])
def test_samples_of_one_distribution_are_rejected_at_the_level(options):
    assert rejections(None, 0, 0, 100, (12, 17), **options) <= most_by_chance(100, 0.05)


@pytest.mark.parametrize("adversary", ADVERSARIES)
def test_replaced_rows_do_not_raise_the_level(adversary):
    options = {"k": 0.5, "diameter": 3, "p": 1}
    most = most_by_chance(60, 0.05)
    assert rejections(adversary, 5, 5, 60, (25, 20), **options) <= most
    if adversary is far_away:  # a test that allows for none is fooled
        assert rejections(adversary, 8, 0, 60, (25, 20), **options) > most


def test_one_row_fools_the_wasserstein_distance():
    """In y alone, so far out that W is the larger the smaller the sample with that row."""
    rng, found = np.random.default_rng(0), 0
    for _ in range(60):
        x, y = rng.normal(size=(40, 1)), rng.normal(size=(10, 1))
        y[0] = 1e6
        found += two_sample_test(x, y, statistic="wasserstein", n_resamples=RESAMPLES, rng=rng).pvalue <= 0.25
        assert two_sample_test(x, y, k=1, contamination=1, n_resamples=RESAMPLES, rng=rng).pvalue > 0.05
    assert found > most_by_chance(60, 0.25)


@pytest.mark.thorough
@pytest.mark.parametrize("options", [{}, {"k": 1}, {"k": 0.3, "diameter": 3, "p": 1}, {"k": 0.5, "p": math.inf}])
@pytest.mark.parametrize("adversary", ADVERSARIES)
@pytest.mark.parametrize("sizes", [(40, 40), (25, 60)])
def test_replaced_rows_do_not_raise_the_level_in_many_draws(adversary, sizes, options):
    assert rejections(adversary, 5, 5, 400, sizes, **options) <= most_by_chance(400, 0.05)


# ---------------------------------------------------------------- at least so much has changed


def test_changed_at_least_seldom_exceeds_what_was_replaced():
    rng, draws, exceeded, found = np.random.default_rng(1), 40, 0, []
    for draw in range(draws):
        x, y = rng.normal(size=(30, 2)), rng.normal(size=(30, 2))
        replaced = (0, 3, 12)[draw % 3]
        y[:replaced] += 1e3
        changed = two_sample_test(x, y, n_resamples=39, rng=rng, n_threads=1).changed_at_least()
        exceeded += changed > replaced
        found.append((replaced, changed))
    assert exceeded <= most_by_chance(draws, 0.05)
    assert all(changed > 0 for replaced, changed in found if replaced == 12)


def test_changed_at_least_of_disjoint_samples():
    """Nothing fits, so nearly half of the rows would have to be replaced; never more than the smaller sample."""
    x, y = np.zeros(30), np.ones(20)
    changed = two_sample_test(x + np.arange(30) * 1e-3, y * 1e6 + np.arange(20) * 1e-3, n_resamples=99, rng=0)
    assert 3 < changed.changed_at_least() <= 20


# ---------------------------------------------------------------- at most so far apart


def rpw_of_coins(a, b, p, kappa):
    """Of two measures on 0 and 1 with the shares a and b at 1: what is moved goes from one to the other."""
    surplus = abs(a - b)
    if math.isinf(p):
        return min(surplus, 1 / kappa)
    low, high = 0.0, surplus
    for _ in range(60):
        middle = (low + high) / 2
        if (surplus - middle) ** (1 / p) <= kappa * middle:
            high = middle
        else:
            low = middle
    return high


def test_rpw_of_coins():
    for p in (1, 2, math.inf):
        x, y = np.r_[np.zeros(6), np.ones(4)], np.r_[np.zeros(3), np.ones(7)]
        assert rpw.distance(x, y, p=p, k=0.7, diameter=1) == pytest.approx(rpw_of_coins(0.4, 0.7, p, 0.7), abs=1e-9)


@pytest.mark.parametrize("p", [1, 2, math.inf])
def test_at_most_is_seldom_too_low(p):
    """A level of 0.3, so that a bound that was too small by a little would show."""
    rng, draws, missed = np.random.default_rng(2), 150, 0
    truth = rpw_of_coins(0.2, 0.6, p, 5.0)
    for _ in range(draws):
        x, y = (rng.random(40) < 0.2).astype(float), (rng.random(60) < 0.6).astype(float)
        test = two_sample_test(x, y, p=p, k=5, diameter=1, n_resamples=1, rng=rng, n_threads=1)
        bound = test.at_most(0.7)
        missed += bound < truth
        assert bound >= math.sqrt((1 / 40 + 1 / 60) * math.log(1 / 0.3) / 2)
    assert missed <= most_by_chance(draws, 0.3)


@pytest.mark.parametrize("p", [1, 2, math.inf])
def test_at_most_is_seldom_too_low_whichever_rows_were_replaced(p):
    """30 of 200 rows of y are made like x by someone who sees everything."""
    rng, draws, missed = np.random.default_rng(12), 100, 0
    truth = rpw_of_coins(0.2, 0.6, p, 1.5)
    for _ in range(draws):
        x, y = (rng.random(200) < 0.2).astype(float), (rng.random(200) < 0.6).astype(float)
        y[np.flatnonzero(y)[:30]] = 0
        test = two_sample_test(x, y, p=p, k=1.5, diameter=1, contamination=30, n_resamples=1, rng=rng, n_threads=1)
        missed += test.at_most() < truth
    assert missed <= most_by_chance(draws, 0.05)


def test_the_equivalence_test_keeps_its_level():
    """At the worst case of the null hypothesis: the populations are as far apart as the margin."""
    rng, draws, margin = np.random.default_rng(3), 200, 0.25
    b = next(b for b in np.linspace(0.1, 1, 9001) if rpw_of_coins(0.1, b, 1, 0.5) > margin)
    found = 0
    for _ in range(draws):
        x, y = (rng.random(300) < 0.1).astype(float), (rng.random(300) < b).astype(float)
        found += rpw.stats.equivalence_test(x, y, margin, p=1, k=0.5, diameter=1).pvalue <= 0.2
    assert found <= most_by_chance(draws, 0.2)
    close = rpw.stats.equivalence_test(np.repeat([0.0, 1], 150), np.repeat([0.0, 1], 150), margin, diameter=1)
    assert close.pvalue < 1e-6
    assert close.least_margin == pytest.approx(math.sqrt(math.log(20) / 300))


def test_no_margin_below_the_least_can_be_proven():
    x = np.arange(100.0)
    least = rpw.stats.equivalence_test(x, x, 0.5, diameter=100).least_margin
    assert rpw.stats.equivalence_test(x, x, least * 0.999, diameter=100).pvalue > 0.05
    assert rpw.stats.equivalence_test(x, x, least * 1.001, diameter=100).pvalue < 0.05


# ---------------------------------------------------------------- stopping early


def test_an_early_stop_keeps_the_level_and_loses_nothing():
    rng, draws, found = np.random.default_rng(4), 60, 0
    for seed in range(draws):
        x, y = rng.normal(size=15), rng.normal(size=15)
        early = two_sample_test(x, y, k=1, alpha=0.05, n_resamples=59, rng=seed, n_threads=1).pvalue
        full = two_sample_test(x, y, k=1, n_resamples=59, rng=seed, n_threads=1).pvalue
        found += early <= 0.05
        assert (early <= 0.05) == (full <= 0.05)
    assert found <= most_by_chance(draws, 0.05)


def test_dependent_rows_fool_the_test_unless_groups_are_kept_together():
    rng, alone, together = np.random.default_rng(5), 0, 0
    labels = np.repeat(np.arange(10), 6)
    for _ in range(30):
        x, y = (np.repeat(rng.normal(size=10), 6) + 0.1 * rng.normal(size=60) for _ in range(2))
        alone += two_sample_test(x, y, k=1, n_resamples=RESAMPLES, rng=rng).pvalue <= 0.05
        kept = two_sample_test(x, y, k=1, groups=(labels, labels + 10), n_resamples=RESAMPLES, rng=rng)
        together += kept.pvalue <= 0.05
    assert alone > 15
    assert together <= most_by_chance(30, 0.05)
