"""Lengths, prices and masses that lie many orders of magnitude apart: answers, bounds and plans hold there too.

The reference is always another way to the same number, or the definition.
"""

import numpy as np
import pytest
from oracles import exact_rpw

import rpw
from rpw.pair.metrics import as_metric

INF = np.inf


def cost_of(result, cost, p):
    """W of the result's plan, from a matrix of distances."""
    plan = result.plan.tocoo()
    lengths, longest = cost[plan.row, plan.col], cost[plan.row, plan.col].max(initial=0)
    if longest == 0 or p == INF:
        return longest
    return longest * (plan.data.astype(np.longdouble) @ (lengths / np.longdouble(longest)) ** p) ** (1 / p)


def check_plan(result, cost, p, k):
    """The plan must attain the upper bound, by mass and by cost."""
    assert result.lower <= result.distance <= result.upper
    assert result.plan.sum() >= 1 - result.upper - 1e-11
    assert cost_of(result, cost, p) <= k * result.upper * (1 + 1e-8)


# ---------------------------------------------------------------- distances


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "chebyshev"])
@pytest.mark.parametrize("far", [1.0, 1e120, 1e300])
def test_short_distances_do_not_vanish(metric, far):
    """The square of 1e-200 is not a float64, nor is 1e-200 / 1e300."""
    x, y = np.array([[0.0, 0.0], [far, 0.0]]), np.array([[3e-200, 4e-200], [3e-160, 4e-160], [far, far]])
    block, norm = np.empty((2, 3)), {"euclidean": 5, "cityblock": 7, "chebyshev": 4}[metric]
    as_metric(metric).fill(x, y, block)
    np.testing.assert_allclose(block[0, :2], [norm * 1e-200, norm * 1e-160], rtol=1e-15)
    np.testing.assert_allclose(as_metric(metric).pairs(x[[0, 0, 1]], y), block[[0, 0, 1], [0, 1, 2]], rtol=1e-15)
    assert rpw.total_variation(x, y[:2], metric=metric) == 1
    assert rpw.pairwise([x], [y[:2]], k=[0.0, 1e-250], diameter=1, metric=metric).min() == 1


# ---------------------------------------------------------------- algorithms with an error


@pytest.mark.parametrize("p", [2, 5, 30, 200, INF])
@pytest.mark.parametrize("solver", ["bisection", "lmr", "auto", "simplex"])
def test_bounds_within_tol_hold(solver, p):
    """Powers of the costs that decide vanished beside the largest, and moved for nothing."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        orders = 3 if seed % 2 else 120
        x, y = (10.0 ** rng.uniform(-orders, orders, size) for size in rng.integers(2, 8, 2))
        k, tol = 10.0 ** rng.uniform(-orders, orders), 10.0 ** rng.uniform(-5, -0.5)
        cost = np.abs(x[:, None] - y)
        exact = rpw.distance(cost=cost, p=p, k=k, diameter=1)
        result = rpw.solve(x, y, p=p, k=k, diameter=1, tol=tol, solver=solver)
        assert result.lower - 1e-12 <= exact <= result.upper + 1e-12
        assert result.gap <= tol
        check_plan(result, cost, p, k)


@pytest.mark.parametrize("p", [1, 3, 30])
@pytest.mark.parametrize("solver", ["auto", "simplex"])
def test_a_plan_within_tol_attains_the_bound_for_huge_prices(solver, p):
    """Beyond 1e290 prices are lowered and answers shrink; a plan that stopped before the end does not."""
    for seed in range(45):
        rng = np.random.default_rng(seed)
        x, y = (rng.random((size, 2)) for size in rng.integers(2, 13, 2))
        a, tol = rng.dirichlet(np.ones(len(x))), 10.0 ** rng.uniform(-4, -1)
        result = rpw.solve(x, y, a, p=p, k=1e300, diameter=1, tol=tol, solver=solver)
        check_plan(result, np.hypot(*(x[:, None] - y).transpose(2, 0, 1)), p, 1e300)


def test_powers_that_vanish_are_not_free_for_lmr():
    x, y = np.array([0.0, 1.0]), np.array([6e-4, 1 + 6e-4])
    result = rpw.solve(x, y, p=200, k=1, diameter=1, tol=0.2, solver="lmr")
    assert result.lower <= rpw.distance(x, y, p=200, k=1, diameter=1) <= result.upper
    check_plan(result, np.abs(x[:, None] - y), 200, 1)


def test_potentials_of_lmr_prove_its_lower_bound():
    """The better of two plans came with its own potentials, though the other's proved more."""
    for seed in range(80):
        rng = np.random.default_rng(seed)
        x, y, k = 10.0 ** rng.uniform(-1, 0, 10), 10.0 ** rng.uniform(-1, 0, 8), 10.0 ** rng.uniform(-1, 0)
        result = rpw.solve(x, y, p=2, k=k, diameter=1, tol=0.1, solver="lmr")
        proven = result.multiplier * (1 - result.lower) + sum(potential.mean() for potential in result.potentials)
        assert max(proven, 0) >= (k * result.lower) ** 2 - 1e-12


# ---------------------------------------------------------------- plans


def test_what_costs_nothing_is_found_beside_large_powers():
    """Where all powers but those of the largest distances vanish, equal points are not the only ones that are free."""
    points = np.array([[0.0, 0.0], [1e-3, 2e-3], [2e-5, 5e-5], [7e-9, 1e-9], [1.0, 2.0]])
    cost = np.hypot(*(points[:, None] - points[::-1]).transpose(2, 0, 1))
    for solver in ("auto", "walk", "simplex"):
        result = rpw.solve(points, points[::-1], p=200, k=1e-3, diameter=1, solver=solver)
        assert result.distance == 0 == cost_of(result, cost, 200)


def test_plans_of_the_simplex_cost_what_they_may():
    """At a large λ it took pairs whose costs are lost in the rounding of λ."""
    x = np.array([7.077309170781815e-32, 2.0605642105481585e-33, 5.050327961227841e-36, 7.298494739211673e-20])
    y = np.array([1.5831189075551576e-17, 1.2458043419749165e-26, 6.319328174627838e-11, 4.83586661443626e-37])
    a = [0.231, 0.523, 0.199, 0.047]
    for k in (7.606080938918527e-33, 5e-33, 1e-32):
        result = rpw.solve(x, y, a, p=30, k=k, diameter=1, solver="simplex")
        check_plan(result, np.abs(x[:, None] - y), 30, k)


@pytest.mark.parametrize("sizes", [(8, 2), (1, 6)])
@pytest.mark.parametrize("dimension", [1, 2])
def test_a_cost_between_two_edges_is_proven(dimension, sizes):
    """The first λ that was found to be right there could be so large that its rounding proved nothing."""
    for seed in range(30):
        rng = np.random.default_rng(seed)
        x, y = (rng.random((size, dimension)) for size in sizes)
        b = [2, 3] if len(y) == 2 else None
        result = rpw.transport(x, y, b=b, p=200, mass=0.5)
        assert result.distance == pytest.approx(rpw.partial_wasserstein(x, y, b=b, p=200, mass=0.5), rel=1e-9)
        assert result.gap <= 1e-9 * result.distance


def test_cost_at_infinity_on_a_slanted_line():
    """It is that of the points, not of their places on the line, which are rounded."""
    x, y = np.array([[6e-53, 5e-76], [7e-72, 2e-97]]), np.array([[5e-41, 4e-18], [7e-72, 2e-97]])
    result = rpw.solve(x, y, [1, 0], [0.8, 0.2], p=INF, k=3e-19, diameter=1)
    assert result.solver == "line"
    assert result.cost == pytest.approx(6e-53, rel=1e-12)


# ---------------------------------------------------------------- the line


@pytest.mark.parametrize("p", [1, 2, 30, 200])
def test_lengths_of_all_orders_on_the_line(p):
    """No one unit brings 1e-250 and 1e200 to the middle of float64."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        x, y = (10.0 ** rng.uniform(-250, 220, size) for size in rng.integers(1, 9, 2))
        a = rng.dirichlet(np.ones(len(x)))
        for k in (1e-200, 1e-40, 10.0 ** rng.uniform(-250, 220)):
            expected = rpw.distance(cost=np.abs(x[:, None] - y), a=a, p=p, k=k, diameter=1)
            assert rpw.distance(x, y, a, p=p, k=k, diameter=1) == pytest.approx(expected, abs=1e-12)
            several = rpw.pairwise([rpw.Measure(x, a)], [y], p=p, k=[k, k], diameter=1)
            np.testing.assert_allclose(several.ravel(), expected, rtol=0, atol=1e-12)


def test_profiles_of_points_that_lie_straight_only_from_afar():
    """Beside a far point all others lie on one line, up to rounding, and may be the same place on it."""
    rng = np.random.default_rng(3)
    near, others = rng.random((6, 2)), rng.random((5, 2))
    for far in (1e12, 1e17, 1e40):
        x, y = np.vstack([near, [far, far]]), np.vstack([others, [far, -far]])
        for p in (1, 2, INF):
            profile = rpw.profile(x, y, p=p, diameter=1)
            for k in (0.01, 0.3, 1.0):
                expected = rpw.distance(cost=np.hypot(*(x[:, None] - y).transpose(2, 0, 1)), p=p, k=k, diameter=1)
                assert profile.distance(k) == pytest.approx(expected, abs=1e-12)
        x, y = np.vstack([near, [far, far]]), np.vstack([others, [-far, -far]])
        assert rpw.profile(x, y, p=1, diameter=1).distance(0.1) == pytest.approx(
            rpw.distance(x, y, p=1, k=0.1, diameter=1, solver="walk"), abs=1e-12
        )


# ---------------------------------------------------------------- λ-ROBOT


@pytest.mark.parametrize("p", [5, 10, 30])
@pytest.mark.parametrize("times", [1.0, 20.0, 1e4])
def test_robot_beside_a_large_truncation(p, times):
    """What is cheap was lost in the rounding of a price that nobody pays, with bounds that agreed on it or gaped."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        x, y = rng.random((6, 2)), np.vstack([rng.random((4, 2)) * 10.0 ** rng.uniform(-4, 0), [times, times]])
        a, b = rng.dirichlet(np.ones(6)), np.append(rng.dirichlet(np.ones(4)), 0.0 if seed % 2 else 0.1)
        for ground in ({"x": x, "y": y}, {"cost": np.hypot(*(x[:, None] - y).transpose(2, 0, 1))}):
            result = rpw.transport(a=a, b=b, p=p, lam=times / 2, **ground)
            assert result.distance == pytest.approx(rpw.robot(a=a, b=b, p=p, lam=times / 2, **ground), rel=1e-9)
            assert result.gap <= 1e-6 * result.distance


@pytest.mark.parametrize("p", [5, 10])
def test_light_atoms_far_away(p):
    """They set a λ whose rounding hid what is cheap, and the value alone was another than that of the plan."""
    for seed in range(30):
        rng = np.random.default_rng(seed)
        x, y = rng.random(7), np.append(rng.random(6) * 10.0 ** rng.uniform(-5, 0), 500.0)
        b, lam = np.append(rng.dirichlet(np.ones(6)), 2.0**-40), 10.0 ** rng.uniform(0, 2.3)
        cost = np.abs(x[:, None] - y)
        values = [rpw.robot(x, y, b=b, p=p, lam=lam), rpw.robot(cost=cost, b=b, p=p, lam=lam)]
        values += [rpw.wasserstein(cost=np.minimum(cost, 2 * lam), b=b, p=p)]
        np.testing.assert_allclose(values, rpw.transport(x, y, b=b, p=p, lam=lam).distance, rtol=1e-9)


def test_robot_moves_equal_points_whatever_the_truncation():
    result = rpw.transport(cost=[[0.0]], p=200, lam=1e-12)
    assert (result.distance, result.mass) == (0, 1)


# ---------------------------------------------------------------- small answers


def test_answers_below_float64():
    """W / κ of 1e-230 / 1e217 is 0 at p = inf; the scale must come from W itself."""
    x, y = np.array([[8.9e-239, 1.7e-221]]), np.array([[9e-239, 1.7e-221], [8.92e-239, 1.7e-221], [3e-232, 7e-232]])
    result = rpw.solve(x, y, b=[0.26, 0.23, 0.51], p=30, k=2.7e217, diameter=1)
    assert result.distance == 0
    assert result.plan.sum() == pytest.approx(1)


def test_against_exact_arithmetic():
    for seed in range(60):
        rng = np.random.default_rng(seed)
        p, cost = int(rng.choice([1, 2, 3, 5])), 10.0 ** rng.uniform(-20, 5, rng.integers(1, 5, 2))
        a, k = rng.dirichlet(np.ones(len(cost))), 10.0 ** rng.uniform(-20, 5)
        expected = exact_rpw(cost, a, None, p, k)
        for options in ({}, {"solver": "walk"}, {"solver": "simplex"}):
            assert rpw.distance(cost=cost, a=a, p=p, k=k, diameter=1, **options) == pytest.approx(expected, abs=1e-13)


# ---------------------------------------------------------------- search


@pytest.mark.parametrize("p", [2, 10])
@pytest.mark.parametrize("dimension", [1, 2])
def test_search_beside_tiny_prices(p, dimension):
    """At prices far above all that is paid, the line took a vertex for proven: near items were left out."""
    for seed in range(25):
        rng = np.random.default_rng(seed)
        support = 10.0 ** rng.uniform(-20, 0, (4, dimension))
        items = rng.integers(0, 3, (8, 4)) + np.eye(4, dtype=int)[rng.integers(0, 4, 8)]
        options = {"p": p, "k": 10.0 ** rng.uniform(-40, 0), "diameter": 1, "support": support}
        expected, radius = rpw.pairwise(items, **options), rng.random()
        index = rpw.Index(items, **options)
        np.testing.assert_allclose(index.query(items, top=3)[0], np.sort(expected)[:, :3], rtol=0, atol=1e-12)
        for row, found in zip(expected, index.radius_query(items, radius)[1], strict=True):
            assert (
                set(np.flatnonzero(row <= radius - 1e-12)) <= set(found) <= set(np.flatnonzero(row <= radius + 1e-12))
            )
