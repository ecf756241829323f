"""Equal points of a measure are merged before anything else; the answer is that of the atoms as they were given.

A matrix of costs says nothing about which points are equal: there nothing is merged, which makes it the other way to
compute the same.
"""

import math
from dataclasses import replace

import numpy as np
import pytest
from checks import check_plan
from oracles import normalised
from scipy.spatial.distance import cdist

import rpw
from rpw import _core
from rpw.pair import solvers
from rpw.pair.problem import as_problem
from rpw.pair.question import as_question

METRICS = ["euclidean", "cityblock", "chebyshev"]


def some_pair(seed):
    """Points of which many are equal: on a lattice, or drawn again; with any weights, some of them zero."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(2, 5))

    def points(n):
        if rng.random() < 0.5:
            return rng.integers(-2, 3, (n, d)) / 4
        return rng.random((n // 3, d))[rng.integers(0, n // 3, n)]

    def weights(n):
        kind = rng.integers(3)
        drawn = rng.dirichlet(np.ones(n)) * (1 if kind == 1 else rng.random(n) < 0.7)
        return None if kind == 0 else drawn

    n, m = (int(size) for size in rng.integers(60, 110, 2))
    x, y = points(n), points(m)
    x[rng.random((n, d)) < 0.5] *= -1  # also zeros, which are equal whatever their sign
    y[: m // 3] = x[: m // 3]
    return x, y, weights(n), weights(m)


def weighted(points, weights=None):
    """The same measure without equal points, in the order in which they first appear."""
    _, first, label = np.unique(points + 0.0, axis=0, return_index=True, return_inverse=True)
    sums = np.bincount(label.ravel(), normalised(weights, len(points)))
    order = np.argsort(first)
    return points[first[order]], sums[order]


def solved_as_given(x, y, a, b, **options):
    """Without another normalisation of the weights, which would change their last bits."""
    problem = replace(as_problem(x, y, None, None), a=a, b=b)
    return solvers.solve(problem, as_question(**options))


def check_marginals(result, a, b):
    """Each atom moves no more than its weight, and moves or keeps all of it."""
    for axis, weights, rest in ((1, a, result.unmatched_a), (0, b, result.unmatched_b)):
        moved = result.plan.sum(axis=axis)
        weights = normalised(weights, len(moved))
        assert (moved <= weights + 1e-14 * weights.max()).all()
        np.testing.assert_allclose(moved + rest, weights, rtol=0, atol=1e-14 * weights.max())


def is_same_among_equal(numbers, points, weights):
    _, label = np.unique(points + 0.0, axis=0, return_inverse=True)
    label = label.ravel()
    kept = normalised(weights, len(points)) > 0
    largest, least = np.full(label.max() + 1, -np.inf), np.full(label.max() + 1, np.inf)
    np.maximum.at(largest, label[kept], numbers[kept])
    np.minimum.at(least, label[kept], numbers[kept])
    seen = np.isfinite(least)
    return np.array_equal(largest[seen], least[seen])


@pytest.mark.sample(10)
@pytest.mark.parametrize("seed", range(40))
def test_rpw_equals_that_of_the_matrix(seed):
    x, y, a, b = some_pair(seed)
    metric, p = METRICS[seed % 3], [1, 1.5, 2, 3, math.inf][seed % 5]
    cost = cdist(x, y, metric)
    for k in (0.1, 1, 10):
        given = rpw.solve(x, y, a, b, p=p, k=k, metric=metric, diameter=1)
        matrix = rpw.solve(cost=cost, a=a, b=b, p=p, k=k, diameter=1)
        assert given.status == "exact"
        assert given.distance == pytest.approx(matrix.distance, rel=1e-12, abs=1e-15)
        assert given.distance == rpw.distance(x, y, a, b, p=p, k=k, metric=metric, diameter=1)
        assert given.plan.shape == cost.shape
        check_marginals(given, a, b)
        check_plan(given, cost, a, b, p, k)
        if given.potentials is not None:
            f, g = given.potentials
            assert (f[:, None] + g <= cost**p - given.multiplier + 1e-12).all()
            assert is_same_among_equal(f, x, a)
            assert is_same_among_equal(g, y, b)


@pytest.mark.sample(8)
@pytest.mark.parametrize("seed", range(30))
def test_costs_equal_those_of_the_matrix(seed):
    x, y, a, b = some_pair(100 + seed)
    metric, p = METRICS[seed % 3], [1, 2, 3, math.inf][seed % 4]
    cost = cdist(x, y, metric)
    mass, lam = 0.1 + 0.8 * (seed % 7) / 7, float(np.quantile(cost, 0.3) / 2 + 0.01)
    for options in ({}, {"mass": mass}, {"lam": lam}):
        given = rpw.transport(x, y, a, b, p=p, metric=metric, **options)
        matrix = rpw.transport(cost=cost, a=a, b=b, p=p, **options)
        assert given.distance == pytest.approx(matrix.distance, rel=1e-12, abs=1e-15)
        assert given.lower == pytest.approx(given.upper, rel=1e-9)
        assert given.plan.sum() == pytest.approx(given.mass, abs=1e-14)
        check_marginals(given, a, b)
    points = {"p": p, "metric": metric}
    matrix = {"cost": cost, "a": a, "b": b, "p": p}
    for function, options in (
        (rpw.wasserstein, {}),
        (rpw.partial_wasserstein, {"mass": mass}),
        (rpw.robot, {"lam": lam}),
    ):
        assert function(x, y, a, b, **points, **options) == pytest.approx(
            function(**matrix, **options), rel=1e-12, abs=1e-15
        )


@pytest.mark.parametrize("seed", range(20))
def test_profiles_equal_those_of_the_matrix(seed):
    x, y, a, b = some_pair(200 + seed)
    metric, p = METRICS[seed % 3], [1, 2, math.inf][seed % 3]
    given = rpw.profile(x, y, a, b, p=p, metric=metric)
    matrix = rpw.profile(cost=cdist(x, y, metric), a=a, b=b, p=p)
    masses = np.linspace(0, 1, 40)
    np.testing.assert_allclose(given(masses), matrix(masses), rtol=1e-11, atol=1e-12)
    assert is_same_among_equal(given.scores_a, x, a)
    assert is_same_among_equal(given.scores_b, y, b)


@pytest.mark.parametrize("seed", range(20))
def test_scores_equal_the_highest_among_equal_points(seed):
    """Without ties between different points, which leave a choice of who is used up first."""
    rng = np.random.default_rng(seed)
    x, y = (rng.random((40, 3))[rng.integers(0, 40, n)] for n in (90, 70))
    a, b = rng.dirichlet(np.ones(90)), rng.dirichlet(np.ones(70))
    given, matrix = rpw.profile(x, y, a, b, p=2), rpw.profile(cost=cdist(x, y), a=a, b=b, p=2)
    for scores, alone, points in ((given.scores_a, matrix.scores_a, x), (given.scores_b, matrix.scores_b, y)):
        _, label = np.unique(points, axis=0, return_inverse=True)
        highest = np.zeros(label.max() + 1)
        np.maximum.at(highest, label.ravel(), alone)
        np.testing.assert_allclose(scores, highest[label.ravel()], rtol=1e-9)


def test_many_pairs_and_several_prices_agree_with_one_pair():
    pairs = [some_pair(300 + seed) for seed in range(12)]
    pairs = [pair for pair in pairs if pair[0].shape[1] == 3]
    left = [rpw.Measure(x, a) for x, _, a, _ in pairs]
    right = [rpw.Measure(y, b) for _, y, _, b in pairs]
    several = [0.2, 1.0, 5.0]
    values = rpw.pairwise(left, right, k=several, diameter=1)
    for s, k in enumerate(several):
        one = rpw.pairwise(left, right, k=k, diameter=1)
        np.testing.assert_allclose(values[s], one, rtol=1e-12, atol=1e-15)
        for i, mu in enumerate(left):
            for j, nu in enumerate(right):
                cost = cdist(mu.points, nu.points)
                expected = rpw.distance(cost=cost, a=mu.weights, b=nu.weights, k=k, diameter=1)
                assert one[i, j] == pytest.approx(expected, rel=1e-12, abs=1e-15)
    for result, mu, nu in zip(rpw.solve_pairs(left, right, diameter=1), left, right, strict=True):
        assert result == rpw.solve(mu, nu, diameter=1)


@pytest.mark.parametrize("solver", ["exact", "walk", "simplex", "points", "lmr", "bisection"])
def test_every_solver_sees_the_merged_problem(solver):
    """As many steps as on the weighted points, to the same answer: without merging there are other steps."""
    rng = np.random.default_rng(5)
    x, y = (rng.integers(0, 7, (512, 2)) / 7 for _ in range(2))
    tol = 0.01 if solver in ("lmr", "bisection") else 0.0
    given = rpw.solve(x, y, solver=solver, tol=tol, diameter=1)
    (u, a), (v, b) = weighted(x), weighted(y)
    small = solved_as_given(u, v, a, b, solver=solver, tol=tol)
    assert given.iterations == small.iterations
    assert given.solver == small.solver
    assert given.distance == small.distance
    check_marginals(given, None, None)


def test_a_lattice_of_many_points_is_a_small_problem():
    rng = np.random.default_rng(0)
    x, y = (rng.integers(0, 50, (32_768, 2)) / 50 for _ in range(2))
    (u, a), (v, b) = weighted(x), weighted(y)
    assert rpw.choose_solver(x, y)[0] == rpw.choose_solver(u, v, a, b)[0] == "exact"
    result, small = rpw.solve(x, y, diameter=1), solved_as_given(u, v, a, b)
    assert result.status == "exact"
    assert result.distance == small.distance
    assert result.iterations == small.iterations
    assert result.plan.nnz <= 65_536 + small.plan.nnz
    check_marginals(result, None, None)
    assert rpw.wasserstein(x, y) == pytest.approx(rpw.wasserstein(u, v, a, b), rel=1e-12)
    assert rpw.partial_wasserstein(x, y, mass=0.9) == pytest.approx(
        rpw.partial_wasserstein(u, v, a, b, mass=0.9), rel=1e-12, abs=1e-15
    )


def test_a_matrix_of_merged_points_is_all_that_has_to_fit():
    rng = np.random.default_rng(1)
    x, y = (rng.integers(0, 20, (100_000, 2)) / 20 for _ in range(2))  # 100 GB without merging
    (u, a), (v, b) = weighted(x), weighted(y)
    assert rpw.levy_prokhorov(x, y) == pytest.approx(rpw.levy_prokhorov(u, v, a, b), rel=1e-12)


def test_zeros_of_both_signs_are_one_point():
    points = np.array([[0.0, 1.0], [-0.0, 1.0], [0.0, -1.0], [-0.0, 1.0]])
    assert _core.count_distinct(points) == 2
    rng = np.random.default_rng(2)
    x, y = rng.integers(-1, 2, (80, 2)) * 0.5, rng.random((70, 2))
    signed = np.where((x == 0) & (rng.random(x.shape) < 0.5), -0.0, x)
    assert np.signbit(signed).sum() > np.signbit(x).sum()
    one, other = rpw.solve(x, y, diameter=1), rpw.solve(signed, y, diameter=1)
    assert one.distance == other.distance
    assert one.iterations == other.iterations


def test_a_measure_of_one_point_many_times():
    x, y = np.full((500, 2), 0.25), np.full((300, 2), 0.75)
    result = rpw.solve(x, y, p=1, diameter=1)
    length = math.sqrt(0.5)
    assert result.distance == pytest.approx(length / (1 + length), rel=1e-12)
    check_marginals(result, None, None)
    assert rpw.distance(x, x[:200], diameter=1) == 0
