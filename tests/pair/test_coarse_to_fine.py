"""Bounds from the cells of trees: a plan that attains the upper one, potentials over all pairs that prove the lower."""

import numpy as np
import pytest
from checks import check_plan, check_potentials, lower_line
from scipy.spatial.distance import cdist

import rpw


def some_cloud(rng, kind, n, d):
    if kind == "square":
        return rng.random((n, d))
    if kind == "lattice":
        return rng.integers(0, 12, (n, d)) / 12
    if kind == "clusters":
        return rng.random((5, d))[rng.integers(0, 5, n)] + rng.normal(0, 0.03, (n, d))
    points = rng.normal(0.5, 0.2, (n, d))
    points[: n // 20] += 3
    return points


def some_weights(rng, n):
    kind = rng.integers(3)
    if kind == 0:
        return None
    weights = rng.dirichlet(np.ones(n))
    if kind == 2:
        weights[rng.random(n) < 0.3] = 0
    return weights


def some_pair(seed):
    rng = np.random.default_rng(seed)
    n, m = rng.integers(1000, 2000, 2)
    d = int(rng.integers(1, 4)) if seed % 4 else 15  # in so many dimensions there is no search
    kinds = ["square", "lattice", "clusters", "outliers"]
    x, y = (some_cloud(rng, kinds[i], size, d) for i, size in zip(rng.integers(0, 4, 2), (n, m), strict=True))
    return x, y, some_weights(rng, n), some_weights(rng, m)


@pytest.mark.sample(2)
@pytest.mark.parametrize("seed", range(12))
def test_an_interval_holds_the_answer_and_is_proven(seed):
    pair = some_pair(seed)
    metric, p = ["euclidean", "cityblock", "chebyshev"][seed % 3], [1, 1.5, 2, 3][seed % 4]
    k = [0.1, 1, 10][seed % 3]
    distances = cdist(*pair[:2], metric)
    diameter = distances.max()
    exact = rpw.distance(*pair, p=p, k=k, metric=metric, diameter=diameter, solver="walk")
    for tol in (1.0, 0.2, 0.05, 0.01):
        result = rpw.solve(*pair, p=p, k=k, metric=metric, diameter=diameter, tol=tol, solver="points")
        assert result.lower <= exact * (1 + 1e-12)
        assert exact <= result.upper * (1 + 1e-12)
        assert result.upper - result.lower <= tol
        check_plan(result, distances, *pair[2:], p, k * diameter)
        check_potentials(result, distances, p)
        slope, start = lower_line(result, *pair[2:], *distances.shape)
        short = result.lower * (1 - 1e-9)  # there the line still lies above (κε)^p
        assert slope * (1 - short) + start >= (k * diameter * short) ** p - 1e-12 * diameter**p


@pytest.mark.parametrize("shift", [0.0, 1e-3])
def test_cells_that_prove_nothing_say_so(shift):
    """Of equal measures the lower bound is 0, and no line is better than λ = 0 with potentials 0."""
    x = np.random.default_rng(4).random((2000, 2))
    y = x[::-1] + shift
    distances = cdist(x, y)
    for tol in (1.0, 0.5, 0.03):
        result = rpw.solve(x, y, diameter=1, tol=tol, solver="points")
        assert 0 <= result.lower <= rpw.distance(x, y, diameter=1) <= result.upper <= result.lower + tol
        check_plan(result, distances, None, None, 2, 1)
        check_potentials(result, distances, 2)


@pytest.mark.thorough
def test_time_may_be_up_at_any_moment():
    """Also before the first cells have proven anything."""
    rng = np.random.default_rng(5)
    x, y = rng.random((1500, 2)), np.sqrt(rng.random((1500, 2)))
    exact, cost = rpw.distance(x, y, p=1, k=10, diameter=1), rpw.wasserstein(x, y)
    for milliseconds in range(60):
        result = rpw.solve(x, y, p=1, k=10, diameter=1, solver="points", time_limit=milliseconds / 1000)
        assert result.lower <= exact * (1 + 1e-12) <= result.upper * (1 + 2e-12)
        moved = rpw.transport(x, y, solver="points", time_limit=milliseconds / 1000)
        assert moved.lower <= cost * (1 + 1e-12) <= moved.upper * (1 + 2e-12)


@pytest.mark.thorough
def test_time_limits_have_an_interval_at_once():
    rng = np.random.default_rng(1)
    x, y = rng.random((100_000, 2)), rng.normal(0.5, 0.15, (100_000, 2))
    result = rpw.solve(x, y, k=1, diameter=1, time_limit=4)
    assert result.status == "time_limit"
    assert 0 < result.upper - result.lower < 0.05
    within = rpw.solve(x, y, k=1, diameter=1, tol=0.002)
    assert within.lower <= result.upper
    assert result.lower <= within.upper
    with pytest.raises(rpw.TimeLimitError) as caught:
        rpw.wasserstein(x, y, time_limit=2)
    assert 0.1 < caught.value.lower < caught.value.upper < 0.3
