"""Measures on the line: against the dense solver, by certificates, and where a fast algorithm might stumble."""

import math

import numpy as np
import pytest
from checks import check_bounds, check_plan, check_potentials
from scipy.spatial.distance import cdist

import rpw
from rpw import _core
from rpw.base.deadline import NEVER
from rpw.pair.problem import as_problem
from rpw.pair.question import as_question

INF = math.inf
ALL_P = [1, 1.5, 2, 3, INF]


def random_points(rng, n):
    """Points of one of four kinds: apart from each other, on a coarse grid, on tenths, or in clusters."""
    kind = rng.integers(4)
    if kind == 0:
        return rng.normal(size=n) + rng.normal()
    if kind == 1:
        return rng.integers(0, 8, n).astype(float)
    if kind == 2:
        return np.round(rng.random(n), 1) + 0.3
    return rng.integers(0, 3, n) + 1e-3 * rng.random(n)


def random_weights(rng, n):
    """Equal, Dirichlet, over fifteen orders of magnitude, or small multiples of each other."""
    kind = rng.integers(4)
    if kind == 0:
        return np.ones(n)
    if kind == 1:
        return rng.dirichlet(np.ones(n))
    if kind == 2:
        return 10.0 ** rng.uniform(-15, 0, n)
    return rng.integers(1, 4, n).astype(float)


def random_problem(rng, most=30):
    n, m = rng.integers(1, most, 2)
    return random_points(rng, n), random_points(rng, m), random_weights(rng, n), random_weights(rng, m)


def relative_error(value, expected):
    return 0.0 if value == expected else abs(value - expected) / max(abs(expected), 1e-300)


def between(x, y):
    """The matrix of distances: with it the dense solvers are asked."""
    return np.abs(np.asarray(x, dtype=float)[:, None] - np.asarray(y, dtype=float))


def solve(x, y, a=None, b=None, *, p=2, k=1, **options):
    result = rpw.solve(x, y, a, b, p=p, k=k, diameter=1, **options)
    assert result.solver == "line"
    return result


def ask(x, y, a=None, b=None, *, quantity="mass", p=2, unmoved=0.0, truncation=INF, seconds=INF):
    """The whole answer of the core, with bounds, plan and potentials."""
    problem = as_problem(x, y, a, b)
    question = _core.Question(
        getattr(_core.Quantity, quantity), p=p, unmoved=unmoved, truncation=truncation, need=_core.Need.plan
    )
    outcome = _core.solve(*problem.to_core(as_question(p=p, diameter=1), 0, NEVER), question, seconds)
    assert outcome.solver == _core.Solver.line
    return outcome


@pytest.mark.parametrize("p", ALL_P)
def test_equals_the_dense_solver(p):
    """200 problems for each of five p."""
    rng = np.random.default_rng(10 if p == INF else int(10 * p))
    for _ in range(200):
        x, y, a, b = random_problem(rng)
        cost, lam = between(x, y), 10.0 ** rng.uniform(-2, 1)
        k, mass = 10.0 ** rng.uniform(-2, 2), rng.choice([rng.random(), 0.5, 0.9, 0.0])
        expected = rpw.distance(None, None, a, b, cost=cost, p=p, k=k, diameter=1)
        assert relative_error(rpw.distance(x, y, a, b, p=p, k=k, diameter=1), expected) <= 1e-12
        assert solve(x, y, a, b, p=p, k=k).distance == rpw.distance(x, y, a, b, p=p, k=k, diameter=1)
        expected = rpw.partial_wasserstein(None, None, a, b, cost=cost, p=p, mass=mass)
        assert relative_error(rpw.partial_wasserstein(x, y, a, b, p=p, mass=mass), expected) <= 1e-12
        expected = rpw.wasserstein(None, None, a, b, cost=cost, p=p)
        assert relative_error(rpw.wasserstein(x, y, a, b, p=p), expected) <= 1e-12
        expected = rpw.robot(None, None, a, b, cost=cost, p=p, lam=lam)
        assert relative_error(rpw.robot(x, y, a, b, p=p, lam=lam), expected) <= 1e-12


@pytest.mark.parametrize("p", ALL_P)
def test_plan_potentials_and_bounds(p):
    rng = np.random.default_rng(100 if p == INF else int(100 * p))
    for _ in range(40):
        x, y, a, b = random_problem(rng, most=20)
        k = 10.0 ** rng.uniform(-2, 2)
        result = solve(x, y, a, b, p=p, k=k)
        cost = between(x, y)
        check_plan(result, cost, a, b, p, k)
        check_bounds(result, k)
        assert result.gap == 0
        if p < INF:
            check_potentials(result, cost, p)


@pytest.mark.parametrize("p", [1, 1.5, 2, 3])
def test_partial_plans_are_proven_optimal(p):
    """The plan moves what it should at the cost it claims, and the line through the potentials attains that."""
    rng = np.random.default_rng(int(1000 * p))
    for _ in range(40):
        x, y, a, b = random_problem(rng, most=20)
        mass = rng.choice([rng.random(), 1.0])
        outcome = ask(x, y, a, b, p=p, unmoved=1 - mass)
        row, column, moved = outcome.plan
        assert abs(moved.sum() - mass) <= 1e-14
        lengths = np.abs(x[row] - y[column])
        assert relative_error(float((moved * lengths**p).sum()) ** (1 / p), outcome.value) <= 1e-9
        assert outcome.upper - outcome.lower <= 1e-12 * outcome.upper + 1e-15


@pytest.mark.parametrize("p", [1, 2, INF])
def test_truncated_plans(p):
    """What is left behind costs 2λ; what is moved is shorter than that."""
    rng = np.random.default_rng(3)
    x, y = rng.random(30), 2 * rng.random(30)
    outcome = ask(x, y, p=p, truncation=0.3)
    assert outcome.lower == outcome.upper == outcome.value
    assert outcome.value == rpw.robot(x, y, p=p, lam=0.15)
    row, column, moved = outcome.plan
    if p < INF:
        lengths = np.abs(x[row] - y[column])
        assert lengths.max() <= 0.3
        whole = (moved * lengths**p).sum() + 0.3**p * (1 - moved.sum())
        assert relative_error(whole ** (1 / p), outcome.value) <= 1e-12


@pytest.mark.parametrize("p", [1, 1.5, 2, 3])
def test_transport_with_its_plan(p):
    """W, partial W and λ-ROBOT: the value of the matrix, the masses asked for, and the plan that costs it."""
    rng = np.random.default_rng(30)
    for _ in range(40):
        x, y, a, b = random_problem(rng, most=25)
        cost, lam, mass = between(x, y), 10.0 ** rng.uniform(-2, 1), rng.random()
        for options in ({}, {"mass": mass}, {"lam": lam}):
            result = rpw.transport(x, y, a, b, p=p, **options)
            dense = rpw.transport(None, None, a, b, cost=cost, p=p, **options)
            assert result.solver == "line"
            assert relative_error(result.distance, dense.distance) <= 1e-12
            assert result.lower <= result.distance == result.upper
            plan, cut = result.plan.toarray(), 2 * options.get("lam", INF)
            assert (plan.sum(axis=1) - a / a.sum()).max() <= 1e-15
            assert (plan.sum(axis=0) - b / b.sum()).max() <= 1e-15
            if "lam" not in options:
                assert abs(plan.sum() - options.get("mass", 1.0)) <= 1e-14
            rest = 0.0 if cut == INF else cut**p * max(0.0, 1 - plan.sum())
            whole = (plan * np.minimum(cost, cut) ** p).sum() + rest
            assert abs(whole ** (1 / p) - result.distance) <= 1e-9 * max(cost.max(), 1e-300)


def large_problems(n):
    """Where a fast algorithm might meet a quadratic amount of work, or too many ties."""
    rng = np.random.default_rng(0)
    x, y, ramp = rng.random(n), rng.random(n), np.arange(n, dtype=float)
    a, b = rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(n))
    clusters = np.repeat(rng.random(n // 100), 100)
    yield "apart", x, y + 2, None, None
    yield "apart, weighted", x, y + 2, a, b
    yield "interleaved", ramp, ramp + 0.5, a, b
    yield "clusters", clusters + 1e-6 * x, clusters[::-1] + 1e-6 * y, a, b
    yield "one against many", x[:1], y, None, b
    yield "heavy tails", rng.standard_cauchy(n), rng.standard_cauchy(n), rng.pareto(0.3, n), rng.pareto(0.3, n)
    yield "wide weights", x, y, 10.0 ** rng.uniform(-15, 0, n), 10.0 ** rng.uniform(-15, 0, n)
    yield "integers", rng.integers(0, 50, n), rng.integers(0, 60, n), None, None
    yield "tenths, weighted", np.round(5 * x, 1), np.round(6 * y, 1), a, b
    yield "geometric", 2.0 ** -np.minimum(ramp, 1000), 1.1 * 2.0 ** -np.minimum(ramp, 1000), a, b


@pytest.mark.parametrize("p", [1, 2])
def test_large_problems_by_their_certificates(p):
    """The potentials are completed over all pairs inside the solver: a gap of 0 is a proof, whatever the path to it."""
    for name, x, y, a, b in large_problems(4000):
        for k in (0.01, 1, 100):
            result = solve(x, y, a, b, p=p, k=k)
            assert result.status == "exact", name
            assert result.gap == 0, name
            rows, columns = as_problem(x, y, a, b).a, as_problem(x, y, a, b).b
            assert (np.asarray(result.plan.sum(axis=1)).ravel() - rows).max() <= 1e-14, name
            assert (np.asarray(result.plan.sum(axis=0)).ravel() - columns).max() <= 1e-14, name


def test_a_hundred_thousand_points():
    rng = np.random.default_rng(3)
    n = 100_000
    x, y = rng.normal(size=n), 1.1 * rng.normal(size=n + 1) + 0.2
    result = solve(x, y, rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(n + 1)), p=2)
    assert result.gap == 0
    assert abs(result.plan.sum() - result.mass) <= 1e-12


@pytest.mark.parametrize("p", ALL_P)
def test_equal_measures_are_at_distance_zero(p):
    rng = np.random.default_rng(1)
    x, a = rng.normal(size=50), rng.random(50)
    order = rng.permutation(50)
    assert solve(x, x[order], a, a[order], p=p).distance == 0
    halves = np.repeat(x, 2), np.repeat(a / 2, 2)
    assert solve(x, halves[0], a, halves[1], p=p).distance == 0
    assert rpw.wasserstein(x, halves[0], a, halves[1], p=p) == 0
    assert rpw.profile(x, halves[0], a, halves[1], p=p)(1.0) == 0


@pytest.mark.parametrize("p", ALL_P)
@pytest.mark.parametrize("unit", [1e-300, 1e-30, 1e30, 1e300])
def test_any_unit_of_length(unit, p):
    rng = np.random.default_rng(2)
    x, y, a = rng.random(30), rng.random(20) + 0.5, rng.random(30)
    expected = solve(x, y, a, p=p).distance
    assert relative_error(solve(x * unit, y * unit, a, p=p, k=unit).distance, expected) <= 1e-12
    whole = rpw.wasserstein(x, y, a, p=p) * unit
    assert relative_error(rpw.wasserstein(x * unit, y * unit, a, p=p), whole) <= 1e-12


def test_points_too_far_apart_are_refused():
    big = np.finfo(np.float64).max
    for call in (rpw.distance, rpw.wasserstein, rpw.profile):
        with pytest.raises(ValueError, match="too far apart"):
            call([-big], [big])
    assert relative_error(rpw.wasserstein([-big / 4], [big / 4]), big / 2) <= 1e-12


@pytest.mark.parametrize("k", [1e-300, 1e-9, 1e9, 1e300])
def test_extreme_prices(k):
    """Also where p-th powers of distances, in units of the price, are no float64."""
    rng = np.random.default_rng(5)
    x, y, a = rng.random(40), rng.random(30), rng.random(40)
    for p in ALL_P:
        assert solve(x, y, a, p=p, k=k).gap == 0
        expected = rpw.distance(None, None, a, cost=between(x, y), p=p, k=k, diameter=1)
        assert relative_error(solve(x, y, a, p=p, k=k).distance, expected) <= 1e-12


def test_large_exponents():
    rng = np.random.default_rng(6)
    x, y = rng.random(20), rng.random(25)
    y[0] = x[0] + 1e-9
    for p in (8.0, 40.0, 300.0):
        assert relative_error(solve(x, y, p=p).distance, rpw.distance(cost=between(x, y), p=p, diameter=1)) <= 1e-11


@pytest.mark.parametrize("p", [1, 2, INF])
def test_early_ends_are_honest(p):
    rng = np.random.default_rng(7)
    x, y, a = rng.normal(size=3000), rng.normal(size=2000) + 0.3, rng.dirichlet(np.ones(3000))
    exact = solve(x, y, a, p=p).distance
    coarse = solve(x, y, a, p=p, tol=1e-2)
    assert coarse.lower <= exact <= coarse.upper
    assert coarse.gap <= 1e-2
    assert coarse.iterations < solve(x, y, a, p=p).iterations or p == 1
    cut_off = rpw.solve(x, y, a, p=p, diameter=1, time_limit=0.0)
    assert cut_off.status == "time_limit"
    assert cut_off.lower <= exact <= cut_off.upper


@pytest.mark.parametrize("p", [1, 2, INF])
def test_a_time_limit_keeps_what_was_proven(p):
    """Some milliseconds are enough to begin, not to end."""
    rng = np.random.default_rng(17)
    n = 200_000
    x, y, a = rng.normal(size=n), rng.normal(size=n) + 0.3, rng.dirichlet(np.ones(n))
    exact = solve(x, y, a, p=p).distance
    for seconds in (0.02, 0.05, 0.1):
        result = rpw.solve(x, y, a, p=p, diameter=1, time_limit=seconds)
        assert result.lower <= exact <= result.upper
        assert abs(result.plan.sum() - result.mass) <= 1e-9


@pytest.mark.parametrize("p", ALL_P)
def test_profile_equals_the_dense_one(p):
    """All breakpoints for p = 1 and p = inf, on grids too, where many paths cost the same."""
    rng = np.random.default_rng(13)
    masses = np.linspace(0, 1, 101)
    for _ in range(60):
        x, y, a, b = random_problem(rng, most=30)
        dense = rpw.profile(None, None, a, b, cost=between(x, y), p=p, diameter=1)
        sparse = rpw.profile(x, y, a, b, p=p, diameter=1)
        assert sparse.solver == ("line" if p in (1, INF) else sparse.solver)
        np.testing.assert_allclose(sparse(masses), dense(masses), rtol=1e-10, atol=1e-10 * dense(1.0))
        for k in (0.1, 1.0, 10.0):
            assert relative_error(sparse.distance(k), dense.distance(k)) <= 1e-11
        assert (np.diff(sparse._slopes) > 0).all()


@pytest.mark.parametrize("p", [1, 1.5, 2, 3])
def test_looking_only_where_plans_differ_loses_nothing(p):
    """Hundreds of atoms and long detours: the potentials, over all pairs, prove what was found among some of them."""
    rng = np.random.default_rng(28)
    for trial in range(12):
        n = 300 + 100 * (trial % 3)
        x, y = random_points(rng, n), random_points(rng, n + trial)
        a, b = rng.dirichlet(np.full(n, 0.2)), rng.dirichlet(np.ones(n + trial))
        for k in (0.03, 1.0, 30.0):
            result = solve(x, y, a, b, p=p, k=k)
            assert (result.status, result.gap) == ("exact", 0)
        mass = rng.random()
        outcome = ask(x, y, a, b, p=p, unmoved=1 - mass)
        assert outcome.upper - outcome.lower <= 1e-12 * outcome.upper
        expected = rpw.partial_wasserstein(None, None, a, b, cost=between(x, y), p=p, mass=mass)
        assert relative_error(outcome.value, expected) <= 1e-12


@pytest.mark.parametrize("n", [300, 401, 5000])
def test_sorting(n):
    """Any order of any numbers, also -0.0 beside 0.0, denormal and huge ones: W_1 is that of sorted points."""
    rng = np.random.default_rng(29)
    for points in (
        rng.normal(size=n),
        rng.choice([-0.0, 0.0, 5e-324, -5e-324, 1e300, -1e300, 1.0], n),
        rng.integers(-5, 5, n).astype(float),
        np.sign(rng.normal(size=n)) * 10.0 ** rng.uniform(-300, 300, n),
    ):
        weights = rng.dirichlet(np.ones(n))
        order = np.argsort(points, kind="stable")
        other = rng.permutation(points) / 2
        expected = rpw.wasserstein(points[order], np.sort(other), weights[order], p=1)
        assert rpw.wasserstein(points, other, weights, p=1) == expected
        result = rpw.transport(points, other, weights, p=1)
        np.testing.assert_allclose(np.asarray(result.plan.sum(axis=1)).ravel(), weights, rtol=0, atol=1e-14)


def test_steps_at_infinity_are_those_of_the_dense_profile():
    rng = np.random.default_rng(14)
    for _ in range(60):
        x, y, a, b = random_problem(rng, most=30)
        dense, sparse = rpw.profile(None, None, a, b, cost=between(x, y), p=INF), rpw.profile(x, y, a, b, p=INF)
        np.testing.assert_array_equal(sparse.cost_p, dense.cost_p)
        np.testing.assert_allclose(sparse.unmoved, dense.unmoved, rtol=0, atol=1e-15)


@pytest.mark.parametrize("p", [1.5, 2, 3])
def test_profile_between_equal_masses(p):
    """Pair by pair, without a matrix."""
    rng = np.random.default_rng(15)
    masses = np.linspace(0, 1, 101)
    for _ in range(60):
        n = rng.integers(1, 40)
        x, y = random_points(rng, n), random_points(rng, n)
        dense, sparse = rpw.profile(cost=between(x, y), p=p), rpw.profile(x, y, p=p)
        assert sparse.solver == "line"
        np.testing.assert_allclose(sparse(masses), dense(masses), rtol=1e-12, atol=1e-12 * dense(1.0))
        assert len(sparse) <= n + 1


@pytest.mark.parametrize("p", [1.5, 2, 3.5])
def test_profile_between_equal_masses_gives_the_distances(p):
    """Every breakpoint is a solve of another kind: mixed points, measures apart from each other, and ties."""
    rng = np.random.default_rng(23)
    n = 3000
    x, y = rng.normal(size=n), 1.1 * rng.normal(size=n) + 0.2
    for pair in ((x, y), (x, y + 20), (np.round(x, 1), np.round(y, 1)), (x, x[::-1] + 1e-6)):
        profile = rpw.profile(*pair, p=p, diameter=1)
        assert profile.solver == "line"
        for k in (0.1, 1.0, 10.0):
            assert relative_error(profile.distance(k), rpw.distance(*pair, p=p, k=k, diameter=1)) <= 1e-12
        for mass in (0.3, 0.75, 1.0):
            assert relative_error(profile(mass), rpw.partial_wasserstein(*pair, p=p, mass=mass)) <= 1e-12


def test_profile_for_p_1_where_flows_are_reversed_again_and_again():
    """Pairs that enclose a cluster and push flow through it in turn: about n²/4 breakpoints, found all the same."""
    turns, gaps = 12, 10
    cluster = np.arange(2 * gaps, dtype=float)
    outer = 100.0 * 4.0 ** np.arange(turns)
    left, right = -outer, outer + 2 * gaps
    is_even = np.arange(turns) % 2 == 0
    x = np.concatenate([cluster[:gaps], np.where(is_even, left, right)])
    y = np.concatenate([cluster[gaps:], np.where(is_even, right, left)])
    heights = 0.01 * np.arange(1, gaps + 1)
    pushes = np.full(turns, 4.0)
    pushes[0] = 2.0
    a, b = np.concatenate([heights, pushes]), np.concatenate([heights[::-1], pushes])
    dense, sparse = rpw.profile(None, None, a, b, cost=between(x, y), p=1), rpw.profile(x, y, a, b, p=1)
    assert sparse.solver == "line"
    assert len(sparse) > turns * gaps
    masses = np.linspace(0, 1, 301)
    np.testing.assert_allclose(sparse(masses), dense(masses), rtol=1e-12, atol=1e-12 * dense(1.0))


def test_profile_within_a_tolerance_is_a_sandwich():
    rng = np.random.default_rng(8)
    x, y, a = rng.normal(size=300), rng.normal(size=200) + 0.3, rng.dirichlet(np.ones(300))
    exact, rough = rpw.profile(x, y, a, p=2), rpw.profile(x, y, a, p=2, tol=1e-3)
    masses = np.linspace(0, 1, 501)
    excess = rough(masses) - exact(masses)
    assert excess.min() >= -1e-12
    assert excess.max() <= 1e-3
    assert len(rough) < len(exact) / 10


@pytest.mark.parametrize("p", [1, 1.5, 2])
def test_profile_between_chords_and_lines(p):
    """Where the walk finds all of it: as few breakpoints as tol allows, and the scores of the exact one."""
    rng = np.random.default_rng(24)
    for tol in (1e-1, 1e-2, 1e-3):
        x, y = rng.normal(size=300), 1.2 * rng.normal(size=300) + 0.3
        a, b = (rng.random(300), rng.random(300)) if p == 1 else (None, None)
        exact, rough = rpw.profile(x, y, a, b, p=p), rpw.profile(x, y, a, b, p=p, tol=tol)
        assert rough.solver == "line"
        assert len(rough) + len(rough.lower) < len(exact) / 3
        masses = np.unique(np.concatenate([exact.mass, rough.mass, rough.lower.mass]))
        assert (rough(masses) >= exact(masses) - 1e-12).all()
        assert (rough.lower(masses) ** p <= exact(masses) ** p + 1e-12).all()
        assert (rough(masses) - rough.lower(masses)).max() <= tol + 1e-12
        assert rough(1.0) == exact(1.0)
        np.testing.assert_array_equal(rough.scores_a, exact.scores_a)
    assert rpw.profile(x, y, a, b, p=p, tol=1e-300) == exact
    with pytest.raises(ValueError, match="max_breakpoints=20"):
        rpw.profile(x, y, a, b, p=p, tol=1e-12, max_breakpoints=20)
    assert len(rpw.profile(x, y, a, b, p=p, tol=0.1, max_breakpoints=20)) <= 20


@pytest.mark.parametrize("p", [1, 1.5, 2, 3])
def test_scores_equal_those_of_the_dense_walk(p):
    rng = np.random.default_rng(25)
    for turn in range(40):
        n = int(rng.integers(1, 25))
        m = int(rng.integers(1, 25)) if p == 1 else n
        x, y = rng.normal(size=n), rng.normal(size=m)
        a, b = (rng.random(n) + 0.01, rng.random(m) + 0.01) if p == 1 and turn % 2 else (None, None)
        sparse, dense = rpw.profile(x, y, a, b, p=p), rpw.profile(x, y, a, b, p=p, solver="walk")
        assert (sparse.solver, dense.solver) == ("line", "walk")
        np.testing.assert_allclose(sparse.scores_a, dense.scores_a, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(sparse.scores_b, dense.scores_b, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("p", [1, 2])
def test_scores_of_many_points(p):
    """A matrix would be 80 GB. The atoms with a score above λ are those that the cheapest plan at λ leaves."""
    rng = np.random.default_rng(26)
    n = 100_000
    x, y = rng.normal(size=n), rng.normal(size=n)
    y[:500] += 20
    profile = rpw.profile(x, y, p=p)
    assert set(np.argsort(profile.scores_b)[-500:]) == set(range(500))
    kept = rpw.transport(x, y, p=p, mass=0.9)
    for scores, behind in ((profile.scores_a, kept.unmatched_a), (profile.scores_b, kept.unmatched_b)):
        is_left = behind > 0.5 / n
        assert is_left.sum() == n // 10
        assert scores[is_left].min() >= scores[~is_left].max() * (1 - 1e-9)


def test_scores_build_no_large_matrix_unasked():
    rng = np.random.default_rng(27)
    x, y, a = rng.random(4000), rng.random(4000), rng.random(4000)
    with pytest.raises(ValueError, match="solver='walk'"):
        _ = rpw.profile(x, y, p=INF).scores_a
    with pytest.raises(ValueError, match="leave tol out"):
        _ = rpw.profile(x, y, a, p=2, tol=0.1).scores_a


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
    with pytest.raises(MemoryError):
        rpw.profile(x, y, rng.random(n), p=2)


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


@pytest.mark.parametrize("p", [100, 500, 3000])
def test_potentials_hold_where_powers_leave_float64(p):
    """Equal in float64, powers of unlike distances hid the best row of a column: bounds excluded the truth."""
    for seed in range(200):
        rng = np.random.default_rng(seed)
        n, m = rng.integers(1, 25, 2)
        wide = seed % 2
        x, y = (10.0 ** rng.uniform(-8, 0, size) if wide else rng.random(size) for size in (n, m))
        k = 10 ** rng.uniform(-6, 0) if wide else rng.uniform(0.005, 0.5)
        exact = rpw.solve(x, y, p=p, k=k, diameter=1)
        rough = rpw.solve(x, y, p=p, k=k, diameter=1, tol=0.05)
        assert rough.lower <= exact.distance * (1 + 1e-9)
        assert exact.distance * (1 - 1e-9) <= rough.upper <= rough.lower + 0.05 * (1 + 1e-9)
        for result in (exact, rough):
            if result.solver == "line" and result._dual is not None:
                dual = result._dual
                with np.errstate(over="ignore"):
                    power = (np.abs(x[:, None] - y) / dual.scale) ** p
                assert (dual.multiplier - dual.u[:, None] - dual.v - power).max() <= 1e-9 * dual.multiplier
