"""What other packages get wrong (PEERS, "Their defects = our regression tests"); where no input is given there, one of
that kind, with the answer from the linear programme."""

import math

import numpy as np
import oracles
import pytest
from checks import assert_close

import rpw

INF = math.inf


def random_pair(n, m, seed=0):
    rng = np.random.default_rng(seed)
    return rng.random((n, 2)), rng.random((m, 2))


# ---------------------------------------------------------------- PyCoOT


@pytest.mark.parametrize("p", [1, 2, INF])
def test_identical_measures(p):
    x, _ = random_pair(40, 1)
    assert rpw.distance(x, x, p=p, k=1) == 0


@pytest.mark.parametrize(
    ("c", "p", "expected"), [(1, 1, 0.5), (1, 2, 0.6180339887498949), (1, INF, 1.0), (0.5, 1, 1 / 3)]
)
def test_two_diracs(c, p, expected):
    assert_close(rpw.distance(cost=[[c]], p=p, k=1), expected)


@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (4, 7), (30, 30)])
def test_all_costs_equal_to_one(shape):
    assert_close(rpw.distance(cost=np.ones(shape), p=1, k=1), 0.5)


@pytest.mark.parametrize("p", [1, 2, INF])
@pytest.mark.parametrize("k", [0, 1, 1e9])
@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (4, 7)])
def test_all_costs_zero(shape, k, p):
    assert rpw.distance(cost=np.zeros(shape), p=p, k=k) == 0


@pytest.mark.sample(3)
@pytest.mark.parametrize(("n", "m"), [(5, 9), (9, 5), (1, 8), (8, 1)])
@pytest.mark.parametrize("p", [1, 2, INF])
def test_different_sizes(n, m, p):
    x, y = random_pair(n, m)
    expected = oracles.lp_rpw(oracles.euclidean(x, y), None, None, p, 1.0)
    assert abs(rpw.distance(x, y, p=p, k=1) - expected) <= 1e-9


@pytest.mark.parametrize("p", [1, 2, INF])
def test_k_zero(p):
    assert_close(rpw.distance([0.0, 1.0, 2.0], [1.0, 2.0, 3.0, 4.0], p=p, k=0), 0.5)


def test_p_infinity():
    x, y = random_pair(9, 9, seed=1)
    expected = oracles.lp_rpw(oracles.euclidean(x, y), None, None, INF, 1.0)
    assert abs(rpw.distance(x, y, p=INF, k=1) - expected) <= 1e-10


def test_p_eight():
    x, y = random_pair(12, 12, seed=2)
    expected = oracles.lp_rpw(oracles.euclidean(x, y), None, None, 8, 1.0)
    assert abs(rpw.distance(x, y, p=8, k=1) - expected) <= 1e-9


@pytest.mark.parametrize(("scale", "p"), [(0.1, 2), (0.03, 2), (100.0, 1)])
def test_scaled_costs(scale, p):
    x, y = random_pair(12, 12, seed=3)
    cost = scale * oracles.euclidean(x, y)
    expected = oracles.lp_rpw(cost, None, None, p, 1.0)
    assert abs(rpw.distance(cost=cost, p=p, k=1) - expected) <= 1e-9


def test_two_heavy_atoms_among_fifty_points():
    x, y = random_pair(50, 50, seed=4)
    a, b = np.zeros(50), np.zeros(50)
    a[[3, 17]], b[[8, 40]] = 0.5, 0.5
    expected = oracles.lp_rpw(oracles.euclidean(x[[3, 17]], y[[8, 40]]), None, None, 1, 1.0)
    for tol in (0.0, 1e-4):
        assert abs(rpw.distance(x, y, a, b, p=1, k=1, tol=tol) - expected) <= 1e-9 + tol


def test_weights_that_sum_to_two():
    x, y = random_pair(6, 7, seed=5)
    a, b = np.arange(1.0, 7.0), np.arange(1.0, 8.0)
    plain = rpw.distance(x, y, a / a.sum(), b / b.sum())
    assert_close(rpw.distance(x, y, 2 * a / a.sum(), 2 * b / b.sum()), plain)


def test_a_negative_weight():
    with pytest.raises(ValueError, match=r"\ba\b.*negative.*index 1"):
        rpw.distance([0.0, 1.0], [0.0], [2.0, -1.0])


def test_nan_in_the_cost():
    with pytest.raises(ValueError, match=r"cost.*NaN.*\(0, 1\)"):
        rpw.distance(cost=[[0.0, math.nan]])


# ---------------------------------------------------------------- POT


def test_mass_one_for_every_uniform_size():
    """On the line, W_1 at mass 1 is the sorted matching."""
    rng = np.random.default_rng(0)
    for n in range(10, 400):
        x, y = rng.random(n), rng.random(n)
        weights = np.full(n, 1 / n)  # their sum is not 1 for many n
        expected = np.mean(np.abs(np.sort(x) - np.sort(y)))
        assert rpw.partial_wasserstein(x, y, weights, weights, p=1, mass=1.0) == pytest.approx(expected, rel=1e-11), n


@pytest.mark.parametrize("seed", range(20))
def test_mass_one_in_float32(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(10, 60))
    x, y = rng.random(n), rng.random(n)
    a, b = (rng.dirichlet(np.ones(n)).astype(np.float32) for _ in range(2))
    expected = rpw.wasserstein(x, y, a, b, p=1)
    assert rpw.partial_wasserstein(x, y, a, b, p=1, mass=1.0) == pytest.approx(expected, rel=1e-12)
    assert expected == pytest.approx(oracles.lp_partial(oracles.euclidean(x, y), a, b, 1, 1.0), abs=1e-9)


@pytest.mark.parametrize("p", [1, 2])
def test_two_thousand_points_with_a_tenth_of_outliers(p):
    """The inliers of y are those of x, shifted; the outliers are far from everything: W**p = 0.9 shift**p."""
    rng = np.random.default_rng(1)
    n, outliers, shift = 2000, 200, 0.01
    x = rng.random((n, 2))
    y = x + np.array([shift, 0.0])
    x[:outliers] -= 5
    y[:outliers] += 5
    value = rpw.partial_wasserstein(x, rng.permutation(y), p=p, mass=0.9)
    assert value == pytest.approx((0.9 * shift**p) ** (1 / p), rel=1e-9)


@pytest.mark.parametrize("huge", [1e6, 1e12, 1e25])
def test_a_few_huge_entries_do_not_spoil_the_plan(huge):
    """A forbidden diagonal, as people write it: the answer is the best assignment that avoids it."""
    from scipy.optimize import linear_sum_assignment

    rng = np.random.default_rng(2)
    cost = rng.random((40, 40))
    np.fill_diagonal(cost, huge)
    rows, columns = linear_sum_assignment(cost)
    assert (rows != columns).all()
    assert rpw.wasserstein(cost=cost, p=1) == pytest.approx(cost[rows, columns].mean(), rel=1e-9)
    result = rpw.solve(cost=cost, p=1, k=1)
    assert result.distance == pytest.approx(rpw.distance(cost=np.minimum(cost, 50.0), p=1, k=1), abs=1e-12)
    assert (result.plan.toarray()[np.arange(40), np.arange(40)] == 0).all()
