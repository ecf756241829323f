"""Points without a matrix: the walk over k-d trees gives what the dense solver gives, with a proof over all pairs."""

import math
import os
from dataclasses import replace

import numpy as np
import pytest
from checks import check_plan
from children import run, seconds_until_interrupted
from oracles import normalised
from scipy.spatial.distance import cdist

import rpw
from rpw.pair import solvers
from rpw.pair.problem import as_problem
from rpw.pair.question import as_question

METRICS = ["euclidean", "cityblock", "chebyshev", "minkowski"]


def on_a_grid(rng, n, d):
    return rng.integers(0, 4, (n, d)).astype(float)


def repeated(rng, n, d):
    return rng.random((n // 4 + 1, d))[rng.integers(0, n // 4 + 1, n)]


def over_many_orders(rng, n, d):
    return rng.random((n, d)) * 10.0 ** rng.integers(-8, 3, (n, 1))


def on_a_line(rng, n, d):
    return rng.random((n, 1)) * np.arange(1.0, d + 1)


def with_far_outliers(rng, n, d):
    points = rng.random((n, d))
    points[: n // 4] += 100
    return points


CLOUDS = [np.random.Generator.random, on_a_grid, repeated, over_many_orders, on_a_line, with_far_outliers]


def some_weights(rng, n):
    """None, any, some of them zero, or of many orders of magnitude."""
    kind = rng.integers(4)
    if kind == 0:
        return None
    weights = rng.random(n) if kind < 3 else 10.0 ** rng.integers(-12, 1, n)
    if kind == 2:
        weights[rng.random(n) < 0.4] = 0
    weights[rng.integers(n)] = 1
    return weights


def some_pair(seed):
    rng = np.random.default_rng(seed)
    (n, m), d = rng.integers(1, 50, 2), int(rng.integers(1, 16))
    draw_x, draw_y = (CLOUDS[i] if i else lambda r, size, dim: r.random((size, dim)) for i in rng.integers(0, 6, 2))
    x, y = draw_x(rng, n, d), draw_y(rng, m, d)
    if rng.random() < 0.3:  # points of both measures
        y[: m // 2] = x[rng.integers(0, n, m // 2)]
    return rng, x, y, some_weights(rng, n), some_weights(rng, m)


def check_potentials(result, distances, a, b, p):
    """f, g ≤ 0 and f + g ≤ c^p - λ over all pairs, and their line proves the lower bound."""
    (f, g), slope = result.potentials, result.multiplier
    powers = distances**p
    rounding = 1e-12 * max(slope, powers.max())
    assert f.max() <= 0
    assert g.max() <= 0
    assert (f[:, None] + g[None, :] <= powers - slope + rounding).all()
    line = slope * result.mass + normalised(a, len(f)) @ f + normalised(b, len(g)) @ g
    assert line == pytest.approx(result.cost**p, abs=rounding, rel=1e-9)


@pytest.mark.sample(12)
@pytest.mark.parametrize("seed", range(60))
def test_rpw_equals_that_of_the_matrix(seed):
    _, *pair = some_pair(seed)
    metric, p = METRICS[seed % 4], [1, 1.5, 2, 3, 5][seed % 5]
    distances = cdist(*pair[:2], metric)
    diameter = max(1.0, distances.max())
    for k in (0.01, 0.1, 1, 10, 100):
        dense = rpw.solve(*pair, p=p, k=k, metric=metric, diameter=diameter, solver="walk")
        trees = rpw.solve(*pair, p=p, k=k, metric=metric, diameter=diameter, solver="points")
        assert trees.solver == "points"
        assert trees.status == "exact"
        assert trees.distance == pytest.approx(dense.distance, rel=1e-12, abs=1e-15)
        assert trees.lower == trees.upper
        check_plan(trees, distances, *pair[2:], p, k * diameter)
        check_potentials(trees, distances, *pair[2:], p)


@pytest.mark.parametrize("far_sides", [(True, False), (False, True), (True, True)])
@pytest.mark.parametrize("p", [1, 2])
def test_a_matrix_with_far_outliers_gives_what_trees_give(far_sides, p):
    """Once all near mass has moved, the walk lists arcs between active nodes only; trees never list them."""
    rng = np.random.default_rng([5, *far_sides, p])
    n, m = 150, 130
    x, y = (
        with_far_outliers(rng, size, 2) if far else rng.random((size, 2))
        for size, far in zip((n, m), far_sides, strict=True)
    )
    y[y[:, 0] > 1] *= -1  # far from those of x, too
    distances = cdist(x, y)
    for a, b in ((None, None), (rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(m)))):
        for k in (0.1, 1, 30, 1000):
            trees = rpw.solve(x, y, a, b, p=p, k=k, diameter=1, solver="points")
            for solver in ("walk", "auto"):
                dense = rpw.solve(cost=distances, a=a, b=b, p=p, k=k, diameter=1, solver=solver)
                assert dense.distance == pytest.approx(trees.distance, rel=1e-12)
                assert dense.lower == dense.upper
                check_potentials(dense, distances, a, b, p)
        dense, trees = (rpw.profile(x, y, a, b, p=p, diameter=1, solver=solver) for solver in ("walk", "points"))
        masses = np.linspace(0, 1, 50)
        np.testing.assert_allclose([dense(mass) for mass in masses], [trees(mass) for mass in masses], rtol=1e-9)


@pytest.mark.sample(10)
@pytest.mark.parametrize("seed", range(40))
def test_transport_equals_that_of_the_matrix(seed):
    rng, *pair = some_pair(1000 + seed)
    metric, p = METRICS[seed % 4], [1, 1.5, 2, 3, 5][seed % 5]
    distances = cdist(*pair[:2], metric)
    mass, lam = float(rng.random()), float(np.quantile(distances, rng.random()) / 2 + 1e-3)
    for function, question in (
        (rpw.wasserstein, {}),
        (rpw.partial_wasserstein, {"mass": mass}),
        (rpw.robot, {"lam": lam}),
    ):
        question |= {"p": p, "metric": metric}
        dense, trees = (rpw.transport(*pair, **question, solver=solver) for solver in ("walk", "points"))
        assert function(*pair, **question, solver="points") == trees.distance
        assert trees.solver == "points"
        assert trees.distance == pytest.approx(dense.distance, rel=1e-12, abs=1e-300)
        assert trees.lower == pytest.approx(trees.upper, rel=1e-9)
        assert trees.plan.sum() == pytest.approx(dense.plan.sum(), rel=1e-9)


@pytest.mark.sample(8)
@pytest.mark.parametrize("seed", range(30))
def test_profiles_equal_those_of_the_matrix(seed):
    _, *pair = some_pair(2000 + seed)
    metric, p = METRICS[seed % 4], [1, 1.5, 2, 3, 5][seed % 5]
    dense = rpw.profile(*pair, p=p, metric=metric, diameter=1, solver="walk")
    trees = rpw.profile(*pair, p=p, metric=metric, diameter=1, solver="points")
    assert trees.solver == "points"
    largest = dense.cost_p[-1]
    masses = np.linspace(0, 1, 50)
    np.testing.assert_allclose(
        [float(trees(mass)) ** p for mass in masses],
        [float(dense(mass)) ** p for mass in masses],
        rtol=1e-11, atol=1e-13 * largest,
    )  # fmt: skip
    for k in (0.1, 1, 10):
        assert trees.distance(k) == pytest.approx(dense.distance(k), rel=1e-11, abs=1e-14)


def test_several_k_from_one_walk():
    rng = np.random.default_rng(3)
    x, y = rng.random((400, 2)), rng.random((300, 2))
    several = [3.0, 0.1, 1.0, 1.0, 20.0]
    problem = as_problem(x, y, None, None)
    asked = replace(as_question(k=20.0, solver="points"), several_k=tuple(several))
    for k, value in zip(several, solvers.values_at(problem, asked), strict=True):
        assert value == pytest.approx(rpw.distance(x, y, k=k, diameter=1), rel=1e-12)


def test_trees_need_points():
    with pytest.raises(ValueError, match="solver='points' needs points"):
        rpw.solve(cost=[[1.0]], diameter=1, solver="points")
    with pytest.raises(ValueError, match="solver='points' needs points"):
        rpw.solve([[1.0, 2.0]], [[1.0, 1.0]], metric="canberra", diameter=1, solver="points")
    with pytest.raises(ValueError, match="solver='points' needs points"):
        rpw.profile(cost=[[1.0]], diameter=1, solver="points")


def test_total_variation_and_p_inf_need_no_trees():
    x, y = [[0.0, 1.0], [2.0, 3.0]], [[0.0, 1.0], [5.0, 5.0]]
    assert rpw.solve(x, y, k=0, diameter=1, solver="points").distance == 0.5


def test_what_a_matrix_cannot_hold_is_chosen_by_size_alone(monkeypatch):
    monkeypatch.setattr("rpw.base.memory.available_bytes", lambda: 1e15)
    many = np.zeros((60_000, 2))
    many[:, 0], many[:, 1] = np.arange(60_000), np.arange(60_000) ** 0.5
    assert rpw.choose_solver(many, many, diameter=1)[0] == "points"
    assert rpw.choose_solver(many, many[:10], diameter=1)[0] == "exact"
    wide = np.hstack([many, many, many])
    assert rpw.choose_solver(wide, wide, diameter=1)[0] == "points"
    assert rpw.choose_solver(wide[:20_000], wide[:20_000], diameter=1)[0] == "exact"


def test_points_of_extreme_size():
    rng = np.random.default_rng(5)
    x, y = rng.random((20, 3)), rng.random((15, 3))
    for size in (1e-180, 1e-30, 1e30, 1e180):
        for p in (1, 2, 3):
            dense, trees = (
                rpw.solve(size * x, size * y, p=p, diameter=size, solver=solver) for solver in ("walk", "points")
            )
            assert trees.distance == pytest.approx(dense.distance, rel=1e-12)
    with pytest.raises(ValueError, match="too far apart"):
        rpw.solve([[1e308, 1e308]], [[-1e308, 0.0]], diameter=1, solver="points")


def test_time_is_up():
    rng = np.random.default_rng(6)
    pair = rng.random((2000, 2)), rng.random((2000, 2)) / 2
    cut_off = rpw.solve(*pair, k=100, diameter=1, solver="points", time_limit=0.05)
    assert cut_off.status == "time_limit"
    exact = rpw.distance(*pair, k=100, diameter=1)
    assert cut_off.lower <= exact <= cut_off.upper
    assert cut_off.plan.sum() == pytest.approx(1 - cut_off.upper)


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="what is used is read from /proc")
def test_little_memory_is_enough():
    """30,000 x 30,000 points in 400 MB of address space; their costs alone would be 7.2 GB."""
    code = (
        "import numpy as np, resource, rpw\n"
        "rng = np.random.default_rng(0)\n"
        "x, y = rng.random((30_000, 2)), rng.random((30_000, 2))\n"
        "used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (used + 200_000_000,) * 2)\n"
        "result = rpw.solve(x, y, k=0.05, diameter=1)\n"
        "print(result.solver, result.status, result.lower == result.upper, result.plan.nnz > 10_000)\n"
    )
    done = run("-c", code)
    assert done.stdout.split() == ["points", "exact", "True", "True"], done.stderr


def test_ctrl_c_ends_the_walk():
    clouds = "rng = np.random.default_rng(0)\nx, y = rng.random((40_000, 2)), rng.normal(size=(40_000, 2))"
    assert seconds_until_interrupted(clouds, "rpw.solve(x, y, k=10, diameter=1, solver='points')", after=0.7) < 5


def test_large_pairs_of_a_collection_need_no_matrix(monkeypatch):
    """As by themselves, to the last bit; a machine with 50 MB to spare could hold no matrix of theirs."""
    monkeypatch.setattr("rpw.base.memory.available_bytes", lambda: 5e7)
    rng = np.random.default_rng(7)
    clouds = [rng.random((17_000, 2)), rng.random((17_000, 2)), rng.random((50, 2))]
    found = rpw.pairwise(clouds, k=0.05, diameter=1, n_threads=1)
    assert found[0, 1] == rpw.distance(*clouds[:2], k=0.05, diameter=1)
    assert found[0, 2] == rpw.distance(clouds[0], clouds[2], k=0.05, diameter=1)
    several = rpw.pairwise(clouds[:1], clouds[1:2], k=[0.02, 0.05], diameter=1)
    assert several[1, 0, 0] == pytest.approx(found[0, 1], rel=1e-12)


@pytest.mark.thorough
@pytest.mark.parametrize("d", [5, 6, 9, 16])
def test_many_dimensions_are_tried_without_a_matrix_by_every_entry(d):
    """Plain clouds without one; clouds far apart are left to it. All entries choose alike, to the bit."""
    rng = np.random.default_rng(d)
    near = rng.random((2, 3200, d))
    far = near[0], near[1] + 3
    options = {"diameter": d**0.5, "k": 0.2}
    without = rpw.solve(*near, **options)
    assert without.solver == "points"
    assert rpw.solve(*far, diameter=1, k=1e4).solver in ("walk", "simplex")
    assert rpw.choose_solver(*near, **options)[0] == "exact"  # by sizes alone
    assert without.distance == rpw.distance(*near, **options) == rpw.pairwise(near, **options)[0, 1]
    assert without.distance == rpw.Index(near[1:], **options).query(near[0], top=1)[0][0]
    assert without.distance == rpw.solve_pairs(near[:1], near[1:], **options)[0].distance
    assert without.distance == pytest.approx(rpw.distance(cost=cdist(*near), **options), rel=1e-12)


# ---------------------------------------------------------------- p = inf


@pytest.mark.sample(12)
@pytest.mark.parametrize("seed", range(60))
def test_flows_over_trees_equal_those_of_the_matrix(seed):
    """To the bit: trees find the same pairs, and give them in the same order."""
    _, *pair = some_pair(3000 + seed)
    metric = METRICS[seed % 4]
    for k in (0.01, 0.1, 1, 10):
        asked = {"p": math.inf, "k": k, "metric": metric, "diameter": 1}
        dense, trees = (rpw.solve(*pair, **asked, solver=solver) for solver in ("exact", "points"))
        assert trees.solver == "points"
        assert trees.status == "exact"
        assert (trees.distance, trees.lower, trees.upper) == (dense.distance, dense.lower, dense.upper)
        if dense.solver == "infinity":  # the line has a flow of its own
            assert (trees.plan != dense.plan).nnz == 0
            assert trees.cost == dense.cost
    for mass in (1.0, 0.3):
        asked = {"p": math.inf, "mass": mass, "metric": metric}
        dense, trees = (rpw.transport(*pair, **asked, solver=solver) for solver in ("exact", "points"))
        assert trees.distance == pytest.approx(dense.distance, rel=1e-15)


def test_several_k_at_infinity():
    rng = np.random.default_rng(3)
    x, y = rng.random((300, 2)), rng.random((200, 2))
    several = [3.0, 0.1, 1.0, 20.0]
    asked = replace(as_question(p=math.inf, k=20.0, solver="points"), several_k=tuple(several))
    for k, value in zip(several, solvers.values_at(as_problem(x, y, None, None), asked), strict=True):
        assert value == rpw.distance(x, y, p=math.inf, k=k, diameter=1)


def test_many_points_at_infinity():
    """A lattice and its shift: nothing shorter than the shift can be moved, and all moves by it."""
    side = np.arange(150.0)
    x = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    y = np.random.default_rng(0).permutation(x) + np.array([0.25, 0.0])
    for k in (0.5, 1, 2):
        result = rpw.solve(x, y, p=math.inf, k=k, diameter=1, solver="points")
        assert result.distance == pytest.approx(0.25 / k, rel=1e-12)
        assert result.cost == 0.25
    assert rpw.wasserstein(x, y, p=math.inf, solver="points") == 0.25


def test_pairs_that_are_too_many_are_left_to_the_matrix():
    """From 2,000 points on trees are tried first; where most pairs are as long as the answer, they give up."""
    rng = np.random.default_rng(0)
    x, y = rng.random((2000, 2)), rng.random((2000, 2))
    near, far = (rpw.solve(x, z, p=math.inf, k=1, diameter=3) for z in (y, y + 1))
    assert (near.solver, far.solver) == ("points", "infinity")
    assert near == rpw.solve(x, y, p=math.inf, k=1, diameter=3, solver="points")
    assert far.distance == rpw.distance(cost=cdist(x, y + 1), p=math.inf, k=1, diameter=3)


@pytest.mark.parametrize("unit", [1e-200, 1e-150, 1e150])
def test_lengths_that_squares_lose_at_infinity(unit):
    rng = np.random.default_rng(1)
    x, y = rng.random((40, 2)) * unit, rng.random((50, 2)) * unit
    x[0], y[0] = 0, unit  # far from all others, so that all lengths have the same unit
    trees = rpw.solve(x, y, p=math.inf, diameter=unit, solver="points")
    assert trees.distance == rpw.distance(x, y, p=math.inf, diameter=unit)


@pytest.mark.parametrize("d", [6, 11])
@pytest.mark.parametrize("far", [10, 1e3, 1e5])
@pytest.mark.parametrize("n", [1, 60, 100, 300])
def test_far_outliers_in_many_dimensions(d, far, n):
    """Lists up to a near horizon led to them by steps without end."""
    rng = np.random.default_rng(0)
    x, y = rng.random((n, d)), rng.random((n, d))
    x[:3] += far * rng.random((len(x[:3]), 1))
    trees = rpw.solve(x, y, k=100, diameter=3 * far, solver="points", time_limit=20)
    assert trees.status == "exact"
    assert trees.distance == pytest.approx(rpw.distance(x, y, k=100, diameter=3 * far, solver="walk"), rel=1e-12)


def test_equal_places_in_many_dimensions():
    assert rpw.distance(np.zeros((1, 11)), np.zeros((1, 11)), diameter=1, solver="points") == 0
    assert rpw.distance(np.zeros((4, 12)), np.zeros((3, 12)), diameter=1, solver="points") == 0
