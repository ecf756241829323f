"""Which points are taken for points on a line, and that those need no matrix, in lists and histograms too."""

import math

import numpy as np
import pytest
from checks import check_plan
from lines import ALL_P, INF, between, random_problem, relative_error
from scipy.spatial.distance import cdist

import rpw


@pytest.mark.parametrize("p", [1, 2, INF])
def test_choose_solver_names_the_line(p):
    x, y = np.array([0.0, 1.0, 5.0]), np.array([2.0, 3.0])
    for arguments in ({}, {"solver": "exact"}, {"tol": 0.1}):
        name, reason = rpw.choose_solver(x, y, p=p, diameter=5, **arguments)
        assert name == rpw.solve(x, y, p=p, diameter=5, **arguments).solver == "line"
        assert "line" in reason
    assert rpw.choose_solver(cost=between(x, y), p=p)[0] == ("infinity" if p == INF else "exact")
    assert rpw.choose_solver(x, y, p=p, k=0)[0] == "total_variation"


def test_lines_are_recognised():
    x, y = np.array([[0.5, 1.0], [0.5, 2.0]]), np.array([[0.5, 7.0]])
    for metric in ("euclidean", "cityblock", "chebyshev", "minkowski"):
        assert rpw.solve(x, y, metric=metric, diameter=1).solver == "line"
        assert rpw.solve(x, y + np.array([1, 0]), metric=metric, diameter=1).solver != "line"
    assert rpw.solve(x, x, diameter=1).solver == "line"
    assert rpw.solve([[1.0, 2.0]], [[1.0, 2.0]], diameter=1).distance == 0  # one point, on every line
    assert rpw.solve(x, y, metric="canberra", diameter=1).solver != "line"
    assert rpw.solve(cost=[[1.0]], diameter=1).solver != "line"
    assert rpw.solve(x, y, solver="lmr", tol=0.1, diameter=1).solver == "lmr"
    assert rpw.solve(x, y, solver="bisection", tol=0.1, diameter=1).solver == "bisection"


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "chebyshev"])
def test_points_along_an_axis_are_points_on_the_line(metric):
    rng = np.random.default_rng(16)
    x, y = rng.random(40), rng.random(30)
    for p in ALL_P:
        expected = rpw.distance(x, y, p=p, diameter=1)
        for axis in range(3):
            along = [
                np.insert(points[:, None] * np.ones(1), [0] * axis + [1] * (2 - axis), 7.0, axis=1) for points in (x, y)
            ]
            assert rpw.distance(*along, p=p, metric=metric, diameter=1) == expected


def on_slanted_line(rng, places, dimension, is_whole):
    """Points at these places of a line that follows no axis and does not pass through 0."""
    direction = rng.normal(size=dimension)
    if is_whole:
        direction = rng.integers(1, 4, dimension) * rng.choice([-1.0, 1.0], dimension)
    offset = rng.normal(size=dimension)
    return [offset + np.multiply.outer(part, direction) for part in places]


@pytest.mark.sample(1)
@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "chebyshev"])
def test_slanted_lines_equal_the_dense_solver(metric):
    """In two to five dimensions, with ties and without."""
    rng = np.random.default_rng(19)
    solvers = set()
    for trial in range(60):
        x, y, a, b = random_problem(rng)
        x, y = on_slanted_line(rng, (x, y), 2 + trial % 4, is_whole=trial % 3 == 0)
        cost, mass = cdist(x, y, metric), rng.random()
        for p in ALL_P:
            result = rpw.solve(x, y, a, b, p=p, metric=metric, diameter=1)
            solvers.add(result.solver)
            expected = rpw.distance(None, None, a, b, cost=cost, p=p, diameter=1)
            assert relative_error(result.distance, expected) <= 1e-12
            check_plan(result, cost, a, b, p, 1)
            expected = rpw.partial_wasserstein(None, None, a, b, cost=cost, p=p, mass=mass)
            value = rpw.partial_wasserstein(x, y, a, b, p=p, metric=metric, mass=mass)
            assert relative_error(value, expected) <= 1e-12
        dense = rpw.profile(None, None, a, b, cost=cost, p=1)
        np.testing.assert_allclose(rpw.profile(x, y, a, b, p=1, metric=metric)(0.7), dense(0.7), rtol=0, atol=1e-12)
    assert "line" in solvers


def test_answers_that_rounding_would_reach_are_left_to_the_matrix():
    """Distances of 1e-9 between points that lie on their line up to 1e-16: the sum along it would have seven digits."""
    rng = np.random.default_rng(20)
    x = np.multiply.outer(rng.random(50), [0.6, 0.7])
    for y in (x + np.array([6e-10, 7e-10]), x[::-1].copy()):
        cost = cdist(x, y)
        for p in (1, 2, INF):
            value, expected = rpw.wasserstein(x, y, p=p), rpw.wasserstein(cost=cost, p=p)
            assert abs(value - expected) <= 1e-12 * expected
            value = rpw.distance(x, y, p=p, k=1e-9, diameter=1)
            assert abs(value - rpw.distance(cost=cost, p=p, k=1e-9, diameter=1)) <= 1e-12
    assert rpw.wasserstein(x, x[::-1].copy()) == 0


def test_only_points_on_a_line_are_taken_for_such():
    steps = np.arange(20.0)[:, None]
    line = steps * [1.0, 2.0, 0.0] + [0.5, 0.0, 7.0]  # with a constant column
    assert rpw.solve(line[:9], line[9:], diameter=1).solver == "line"
    for aside in (1e-3, 1e-9, 1e-13):
        bent = line.copy()
        bent[11] += [2 * aside, -aside, 0]
        assert rpw.solve(bent[:9], bent[9:], diameter=1).solver != "line"
        assert rpw.solve(bent[9:], bent[:9], diameter=1).solver != "line"
    far = 1e6 + np.random.default_rng(21).random((20, 1)) * [0.6, 0.8]  # rounded by 1e-10
    assert rpw.solve(far[:9], far[9:], diameter=1).solver != "line"
    v = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0]])
    assert rpw.solve(v, v + np.array([0.0, 1.0]), metric="cityblock", diameter=1).solver != "line"


@pytest.mark.parametrize("unit", [1e-320, 1e-300, 1e-150, 1e150, 1e300])
def test_slanted_lines_in_any_unit_of_length(unit):
    rng = np.random.default_rng(22)
    x, y = rng.random((30, 1)) * [0.6, -0.8], rng.random((20, 1)) * [0.6, -0.8]
    x, y = x * unit, y * unit
    cost = np.hypot(*np.moveaxis(x[:, None] - y, -1, 0))
    for p in (1, 2, INF):
        expected = rpw.wasserstein(cost=cost, p=p)
        assert abs(rpw.wasserstein(x, y, p=p) - expected) <= 1e-12 * expected + 5e-324


def test_no_matrix_is_refused_where_none_is_needed():
    """A hundred thousand points each would be 80 GB."""
    rng = np.random.default_rng(18)
    n = 100_000
    x, y = rng.random(n), rng.random(n)
    slanted = np.array([0.6, 0.7])
    assert rpw.wasserstein(x, y) == rpw.pairwise([x], [y], distance="wasserstein")[0, 0]
    whole = rpw.pairwise([np.multiply.outer(x, slanted)], [np.multiply.outer(y, slanted)], distance="wasserstein")
    assert relative_error(whole[0, 0], rpw.wasserstein(x, y) * math.hypot(*slanted)) <= 1e-10
    assert rpw.profile(x, y, p=1).solver == "line"
    with pytest.raises(MemoryError):
        rpw.solve(x, y, solver="lmr", tol=0.5, diameter=1)
    with pytest.raises(ValueError, match="more than max_breakpoints=1000"):
        rpw.profile(x, y, rng.random(n), p=2, max_breakpoints=1000)


def test_many_pairs_and_search_equal_single_solves():
    rng = np.random.default_rng(9)
    clouds = [rng.random(rng.integers(2, 40)) for _ in range(12)]
    for p in ALL_P:
        matrix = rpw.pairwise(clouds, p=p, diameter=1)
        singles = [[rpw.distance(x, y, p=p, diameter=1) for y in clouds] for x in clouds]
        np.testing.assert_array_equal(matrix, singles)
        distances, indices = rpw.Index(clouds, p=p, diameter=1).query(clouds, top=4)
        order = np.argsort(singles, axis=1, kind="stable")[:, :4]
        np.testing.assert_array_equal(distances, np.take_along_axis(np.array(singles), order, axis=1))
        np.testing.assert_array_equal(np.sort(indices, axis=1), np.sort(order, axis=1))


@pytest.mark.parametrize("distance", ["rpw", "wasserstein", "partial_wasserstein", "robot", "levy_prokhorov"])
def test_histograms_on_a_line_equal_those_on_a_matrix(distance):
    """Bins in no order, of which some are equal, along an axis and along no axis."""
    rng = np.random.default_rng(24)
    histograms = rng.integers(0, 3, (8, 40)) + np.eye(8, 40)
    bins = rng.integers(0, 60, 40) / 7
    options = {"partial_wasserstein": {"mass": 0.7}, "robot": {"lam": 0.4}}.get(distance, {})
    for support in (bins, np.multiply.outer(bins, [3.0, 4.0])):
        cost = cdist(*[support.reshape(40, -1)] * 2)
        for p in ALL_P:
            given = options | ({"p": p} if distance != "levy_prokhorov" else {})
            given |= {"diameter": 1} if distance == "rpw" else {}
            on_line = rpw.pairwise(histograms, support=support, distance=distance, **given)
            np.testing.assert_allclose(
                on_line, rpw.pairwise(histograms, cost=cost, distance=distance, **given), rtol=1e-12
            )


def test_search_and_plans_between_histograms_on_a_line():
    rng = np.random.default_rng(25)
    histograms, bins = rng.dirichlet(np.full(50, 0.3), 20), np.sort(rng.random(50))
    on_line, on_matrix = rpw.Index(histograms, support=bins), rpw.Index(histograms, cost=between(bins, bins))
    for found, expected in zip(on_line.query(histograms, top=5), on_matrix.query(histograms, top=5), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    for result in rpw.solve_pairs(histograms[:10], histograms[10:], support=bins):
        assert result.solver == "line"
        assert result.gap == 0


@pytest.mark.parametrize("p", ALL_P)
def test_several_prices_on_the_line(p):
    rng = np.random.default_rng(26)
    clouds, prices = [np.round(rng.random(rng.integers(2, 40)), 1) for _ in range(6)], [1.0, 0.0, 10.0, 0.1]
    stack = rpw.pairwise(clouds, p=p, k=prices, diameter=1)
    for k, matrix in zip(prices, stack, strict=True):
        np.testing.assert_allclose(matrix, rpw.pairwise(clouds, p=p, k=k, diameter=1), rtol=0, atol=1e-15)


def test_no_matrix_between_large_histograms_on_a_line():
    """A hundred thousand bins would need 80 GB."""
    rng = np.random.default_rng(27)
    n = 100_000
    bins, histograms = np.linspace(0, 1, n), rng.random((2, n))
    expected = rpw.wasserstein(bins, bins, *histograms)
    assert rpw.pairwise(histograms, support=bins, distance="wasserstein")[0, 1] == expected
    stack = rpw.pairwise(histograms, support=bins, p=1, k=[0.0, 0.1], diameter=1)
    assert stack[1, 0, 1] == rpw.distance(bins, bins, *histograms, p=1, k=0.1, diameter=1)
    index = rpw.Index(histograms, support=bins, p=1, k=0.1, diameter=1)
    assert index.query(histograms[:1], top=2)[0][0, 1] == stack[1, 0, 1]
    (result,) = rpw.solve_pairs(histograms[:1], histograms[1:], distance="wasserstein", support=bins)
    assert relative_error(result.distance, expected) <= 1e-12


@pytest.mark.parametrize("p", [1, 2, 5, 20])
def test_a_measure_and_its_permutation(p):
    """Light and heavy atoms at few places: what rounding leaves of one must not put all that follows out of step."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 8))
        points, weights, order = rng.integers(0, 4, n) * 1.0, 10.0 ** -rng.integers(0, 20, n), rng.permutation(n)
        assert rpw.wasserstein(points, points[order], weights, weights[order], p=p) == 0
        shifted = rpw.wasserstein(points, points[order] + 0.25, weights, weights[order], p=p)
        assert shifted == pytest.approx(0.25, rel=1e-9)
