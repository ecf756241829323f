"""Exact searches on many points start from one between cells: they give what a matrix gives, with a proof."""

import numpy as np
import pytest
from checks import check_plan, check_potentials, lower_line
from children import seconds_until_interrupted
from scipy.spatial.distance import cdist

import rpw


def square(rng, n, d):
    return rng.random((n, d))


def bell(rng, n, d):
    return rng.normal(0.5, 0.15, (n, d))


def lattice(rng, n, d):
    return rng.integers(0, 60, (n, d)) / 60


def clusters(rng, n, d):
    return rng.random((6, d))[rng.integers(0, 6, n)] + rng.normal(0, 0.02, (n, d))


def far_away(rng, n, d):
    points = rng.random((n, d))
    points[: n // 10] += 5
    return points


CLOUDS = [square, bell, lattice, clusters, far_away]


def some_weights(rng, n):
    """None, any, some of them zero, or of many orders of magnitude."""
    kind = rng.integers(4)
    if kind == 0:
        return None
    weights = rng.dirichlet(np.ones(n)) if kind < 3 else 10.0 ** rng.integers(-9, 1, n)
    if kind == 2:
        weights[rng.random(n) < 0.3] = 0
    return weights


def some_pair(seed):
    """Clouds of which a walk alone takes long: each seed pairs another two kinds."""
    rng = np.random.default_rng(seed)
    n, m = rng.integers(1000, 1500, 2)
    d = 2 + seed % 3
    x = CLOUDS[seed % 5](rng, n, d)
    y = CLOUDS[(seed + 1 + seed // 5) % 5](rng, m, d)
    return x, y, some_weights(rng, n), some_weights(rng, m)


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", range(15))
def test_rpw_equals_that_of_the_matrix(seed):
    pair = some_pair(seed)
    metric, p = ["euclidean", "cityblock", "chebyshev"][seed % 3], [1, 2, 3, 1.5][seed % 4]
    distances = cdist(*pair[:2], metric)
    diameter = distances.max()
    for k in (0.3, 3):
        dense = rpw.solve(*pair, p=p, k=k, metric=metric, diameter=diameter, solver="simplex")
        found = rpw.solve(*pair, p=p, k=k, metric=metric, diameter=diameter, solver="points")
        assert found.status == "exact"
        assert found.distance == pytest.approx(dense.distance, rel=1e-12)
        assert found.lower == found.upper
        check_plan(found, distances, *pair[2:], p, k * diameter)
        check_potentials(found, distances, p)
        slope, start = lower_line(found, *pair[2:], *distances.shape)
        short = found.lower * (1 - 1e-9)
        assert slope * (1 - short) + start >= (k * diameter * short) ** p - 1e-12 * diameter**p


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", range(10))
def test_transport_equals_that_of_the_matrix(seed):
    pair = some_pair(seed)
    p = [1, 2, 3][seed % 3]
    mass = [0.3, 0.9, 0.999][seed % 3]
    limit = np.quantile(cdist(*pair[:2]), 0.3)
    for function, options in (
        (rpw.wasserstein, {}),
        (rpw.partial_wasserstein, {"mass": mass}),
        (rpw.robot, {"lam": limit}),
    ):
        dense, found = (function(*pair, p=p, **options, solver=solver) for solver in ("exact", "points"))
        assert found == pytest.approx(dense, rel=1e-11), function.__name__


@pytest.mark.sample(4)
@pytest.mark.parametrize("seed", range(12))
def test_few_against_many_equal_the_matrix(seed):
    """Only the many are merged: from few rows to many columns, and back."""
    rng = np.random.default_rng(seed)
    sizes = [int(rng.choice([1, 2, 7, 60])), int(rng.integers(1000, 3000))]
    n, m = sizes if seed % 2 else sizes[::-1]
    d, p = 2 + seed % 3, [1, 2, 3, 1.5][seed % 4]
    x, y = CLOUDS[seed % 5](rng, n, d), CLOUDS[(seed + 1) % 5](rng, m, d)
    pair = x, y, some_weights(rng, n), some_weights(rng, m)
    distances = cdist(x, y)
    diameter = distances.max()
    for k in (0.3, 3):
        dense = rpw.distance(cost=distances, a=pair[2], b=pair[3], p=p, k=k, diameter=diameter, solver="walk")
        found = rpw.solve(*pair, p=p, k=k, diameter=diameter, solver="points")
        assert found.distance == pytest.approx(dense, rel=1e-11)
        assert found.lower == found.upper
        check_plan(found, distances, *pair[2:], p, k * diameter)
        check_potentials(found, distances, p)
    within = rpw.solve(*pair, p=p, k=0.3, diameter=diameter, tol=0.05, solver="points")
    dense = rpw.distance(cost=distances, a=pair[2], b=pair[3], p=p, k=0.3, diameter=diameter, solver="walk")
    assert within.lower <= dense * (1 + 1e-12) <= within.upper * (1 + 1e-11)
    assert within.upper - within.lower <= 0.05


def curve(rng, n, d):
    turn = rng.random(n) * 6.28
    return np.stack([np.cos((t + 1) * turn) / (t + 1) for t in range(d)], axis=1)


@pytest.mark.parametrize("cloud", [square, curve])
def test_a_hundred_against_a_hundred_thousand_end(cloud):
    """They take a second; without cells of the many, and without lists that reach further on a curve, a minute."""
    rng = np.random.default_rng(0)
    x, y = cloud(rng, 100, 2), cloud(rng, 100_000, 2)
    found = rpw.transport(x, y, p=2, time_limit=50)
    assert found.status == "exact"
    assert found.lower == found.upper
    check_potentials(found, cdist(x, y), 2)


@pytest.mark.thorough
def test_several_k_equal_one_at_a_time():
    rng = np.random.default_rng(4)
    x, y, a = bell(rng, 2100, 2), square(rng, 2200, 2), rng.dirichlet(np.ones(2100))
    prices = [0.1, 0.5, 2, 20]
    together = rpw.pairwise([rpw.Measure(x, a)], [y], k=prices, diameter=1)[:, 0, 0]
    alone = [rpw.distance(x, y, a, k=k, diameter=1, solver="simplex") for k in prices]
    np.testing.assert_allclose(together, alone, rtol=1e-12)


@pytest.mark.thorough
def test_no_moment_is_wrong_to_stop():
    """Cut off among cells, while arcs are listed, in the simplex or in a walk: bounds hold, and plans are plans."""
    rng = np.random.default_rng(3)
    x, y, b = square(rng, 6000, 2), bell(rng, 5000, 2), rng.dirichlet(np.ones(5000))
    exact = rpw.distance(x, y, None, b, diameter=1)
    distances = cdist(x, y)
    seen = set()
    for limit in np.geomspace(0.001, 0.6, 25):
        result = rpw.solve(x, y, None, b, diameter=1, solver="points", time_limit=limit)
        assert result.lower <= exact * (1 + 1e-12)
        assert exact <= result.upper * (1 + 1e-12)
        check_plan(result, distances, None, b, 2, 1)
        seen.add(result.upper)
    assert len(seen) >= 2


@pytest.mark.parametrize("after", [1, pytest.param(4, marks=pytest.mark.thorough)])
def test_ctrl_c_ends_a_search_from_cells(after):
    clouds = "rng = np.random.default_rng(0)\nx, y = rng.random((100_000, 2)), rng.normal(0.5, 0.15, (100_000, 2))"
    assert seconds_until_interrupted(clouds, "rpw.distance(x, y, diameter=1)", after) < 5


def tight_clusters(rng, n, centres):
    return centres[rng.integers(0, len(centres), n)] + 0.01 * rng.normal(size=(n, centres.shape[1]))


@pytest.mark.thorough
@pytest.mark.parametrize(("metric", "p"), [("cityblock", 1.5), ("chebyshev", 3)])
def test_clusters_that_gain_together_end_soon(metric, p):
    """Most pairs of two clusters gain as much: the trial over trees is short or given up. Before, it took 25 s."""
    rng = np.random.default_rng(0)
    x, y = (tight_clusters(rng, n, rng.normal(size=(3, 2))) for n in (2113, 2344))
    asked = {"p": p, "k": 6.49, "diameter": 0.333, "metric": metric}
    found = rpw.solve(x, y, **asked, time_limit=15)
    assert found.status == "exact"
    assert found.upper - found.lower <= 1e-9
    assert found.distance == pytest.approx(rpw.distance(x, y, **asked, solver="simplex"), rel=1e-9)


@pytest.mark.sample(2)
@pytest.mark.parametrize("shape", [(40, 1500), (1500, 40), (1010, 1020)])
@pytest.mark.parametrize("p", [1, 1.5])
def test_more_arcs_gain_than_a_list_may_hold(shape, p):
    """Two far clusters on each side: all pairs between two of them gain together, from either side."""
    rng = np.random.default_rng(3)
    x, y = (tight_clusters(rng, n, rng.normal(size=(2, 2))) for n in shape)
    for mass in (0.3, 0.6):
        found = rpw.transport(x, y, p=p, mass=mass, solver="points")
        assert found.distance == pytest.approx(rpw.transport(x, y, p=p, mass=mass, solver="exact").distance, rel=1e-9)
        assert found.lower >= found.upper * (1 - 1e-9)
