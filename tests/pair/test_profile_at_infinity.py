"""The step curve at p = inf against maximum flows by SciPy, at every length that occurs."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

import rpw

INF = np.inf


def flow_by_scipy(cost, a, b, threshold):
    """The maximum flow of whole masses over pairs no longer than the threshold."""
    n, m = cost.shape
    arcs = np.zeros((n + m + 2, n + m + 2), dtype=np.int32)
    arcs[n + m, :n] = a
    arcs[n : n + m, n + m + 1] = b
    arcs[:n, n : n + m] = np.where(cost <= threshold, np.minimum(a[:, None], b), 0)
    return maximum_flow(csr_array(arcs), n + m, n + m + 1).flow_value


def random_problem(seed, n, m):
    rng = np.random.default_rng(seed)
    lengths = (
        rng.random((n, m)),
        rng.integers(0, 4, (n, m)).astype(float),
        np.abs(rng.random(n)[:, None] - rng.random(m)),
        rng.integers(1, 25, (n, m)).astype(float),
    )[seed % 4]
    a, b = rng.integers(0, 9, n), rng.integers(0, 9, m)
    a[0] += 1
    b[-1] += 1
    return lengths, a * b.sum(), b * a.sum()  # equal sums


def assert_equals_flows(cost, a, b):
    profile = rpw.profile(cost=cost, a=a, b=b, p=INF)
    lengths, masses = [0.0], [0]
    for threshold in np.unique(cost):
        moved = flow_by_scipy(cost, a, b, threshold)
        if moved > masses[-1]:
            lengths.append(threshold)
            masses.append(moved)
    np.testing.assert_array_equal(profile.cost_p, lengths)
    np.testing.assert_allclose(profile.mass, np.array(masses) / a.sum(), rtol=0, atol=1e-14)


@pytest.mark.sample(12)
@pytest.mark.parametrize("seed", range(60))
def test_every_step_is_a_maximum_flow(seed):
    n, m = np.random.default_rng(seed + 1000).integers(1, 13, 2)
    assert_equals_flows(*random_problem(seed, n, m))


@pytest.mark.parametrize("columns", [63, 64, 65, 511, 512, 513])
def test_rows_of_bits_of_every_length(columns):
    """Pairs are kept as bits, in words of 64 and blocks of 512."""
    cost, a, b = random_problem(1, 6, columns)
    assert_equals_flows(cost, a, b)
    assert_equals_flows(cost.T, b, a)


def test_mass_that_has_to_give_way_along_a_chain():
    """Row i fills column i first; the last pair lets every row move on by one."""
    n = 70
    cost = np.full((n, n), 9.0)
    cost[np.arange(n), np.arange(n)] = 1.0
    cost[np.arange(n - 1), np.arange(1, n)] = 2.0
    a, b = np.full(n, 2), np.full(n, 2)
    a[0], b[0], b[-1], a[-1] = 3, 2, 3, 2
    assert_equals_flows(cost, a, b)
    profile = rpw.profile(cost=cost, a=a, b=b, p=INF)
    np.testing.assert_array_equal(profile.cost_p, [0, 1, 2])


def test_steps_are_partial_costs_on_a_larger_problem():
    rng = np.random.default_rng(5)
    x, y, a, b = rng.random((150, 2)), rng.random((130, 2)), rng.dirichlet(np.ones(150)), rng.dirichlet(np.ones(130))
    profile = rpw.profile(x, y, a, b, p=INF)
    assert len(profile) > 200
    middles = (profile.mass[1:] + profile.mass[:-1]) / 2
    for step in range(0, len(middles), 17):
        assert rpw.partial_wasserstein(x, y, a, b, p=INF, mass=middles[step]) == profile.cost_p[step + 1]


def clouds(dimension, has_weights=True):
    rng = np.random.default_rng(6)
    x, y = rng.random((150, dimension)), rng.random((130, dimension)) ** 1.3
    x[:20] = y[:20]
    if not has_weights:
        return x[:130], y, None, None
    return x, y, rng.dirichlet(np.ones(150)), rng.dirichlet(np.ones(130))


@pytest.mark.parametrize("share", [0.7, 0.1, 1e-2, 1e-3, 1e-5])
@pytest.mark.parametrize("has_weights", [True, False])
@pytest.mark.parametrize("dimension", [1, 2])
def test_tol_gives_two_curves(dimension, has_weights, share):
    """On the line and over a matrix: as few steps as tol allows, and the profile between them."""
    x, y, a, b = clouds(dimension, has_weights)
    exact = rpw.profile(x, y, a, b, p=INF, diameter=1)
    tol = share * exact(1.0)
    rough = rpw.profile(x, y, a, b, p=INF, tol=tol, diameter=1)
    assert len(rough) <= min(len(exact), 3 + 1 / share)
    assert len(rough) == len(exact) or rough.lower is not rough
    masses = np.unique(np.concatenate([exact.mass, rough.mass, rough.lower.mass, np.linspace(0, 1, 301)]))
    assert (rough.lower(masses) <= exact(masses)).all()
    assert (exact(masses) <= rough(masses)).all()
    assert (rough(masses) - rough.lower(masses)).max() <= tol
    assert rough(1.0) == exact(1.0)
    for k in (0.05, 0.3, 1.0, 10.0):
        low, high = rough.lower.distance(k), rough.distance(k)
        assert low <= exact.distance(k) <= high <= low + tol / k
    assert rough.distance(0) == rough.lower.distance(0) == exact.distance(0) < 1
    assert rough.result(0.3).distance == pytest.approx(exact.distance(0.3), abs=1e-12)


@pytest.mark.parametrize("tol", [0.003, 0.01, 0.02, 0.05])
@pytest.mark.parametrize("factor", [1.0, 1.1])
def test_tol_on_a_regular_grid(factor, tol):
    """Lengths are multiples of tol there, but for rounding: half of a range may be all of it."""
    x = np.arange(60) / 60
    y = factor * x + 0.3
    exact = rpw.profile(x, y, p=INF, diameter=1)
    rough = rpw.profile(x, y, p=INF, diameter=1, tol=tol, time_limit=20)
    masses = np.linspace(0, 1, 301)
    assert (rough.lower(masses) <= exact(masses)).all()
    assert (exact(masses) <= rough(masses)).all()
    assert (rough(masses) - rough.lower(masses)).max() <= tol


@pytest.mark.parametrize("dimension", [1, 2])
def test_tol_is_the_way_out_of_too_many_steps(dimension):
    x, y, a, b = clouds(dimension)
    exact = rpw.profile(x, y, a, b, p=INF)
    assert len(exact) > 200
    with pytest.raises(ValueError, match=r"max_breakpoints=20 .* tol"):
        rpw.profile(x, y, a, b, p=INF, max_breakpoints=20)
    assert len(rpw.profile(x, y, a, b, p=INF, tol=0.1 * exact(1.0), max_breakpoints=20)) <= 20
    finest = rpw.profile(x, y, a, b, p=INF, tol=1e-300)
    assert finest == exact
    assert finest.lower is finest


@pytest.mark.parametrize("seed", range(20))
def test_total_variation_over_zeros_that_form_no_blocks(seed):
    rng = np.random.default_rng(seed)
    cost = rng.integers(0, 3, (9, 70)).astype(float)
    a, b = rng.integers(1, 9, 9), rng.integers(1, 9, 70)
    a, b = a * b.sum(), b * a.sum()
    result = rpw.solve(cost=cost, a=a, b=b, k=0)
    assert 1 - result.distance == pytest.approx(flow_by_scipy(cost, a, b, 0) / a.sum(), abs=1e-14)
    assert result.plan.sum() == pytest.approx(1 - result.distance, abs=1e-12)
    assert cost[result.plan.nonzero()].max(initial=0) == 0
    assert (result.plan.sum(axis=1) <= a / a.sum() + 1e-12).all()
    assert (result.plan.sum(axis=0) <= b / b.sum() + 1e-12).all()
