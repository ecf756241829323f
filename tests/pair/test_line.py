"""Measures on the line: against the dense solver, by certificates, and where a fast algorithm might stumble."""

import time

import numpy as np
import pytest
from checks import check_bounds, check_plan, check_potentials
from lines import ALL_P, INF, ask, between, random_points, random_problem, relative_error, solve

import rpw
from rpw.pair.problem import as_problem


@pytest.mark.sample(2)
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


@pytest.mark.sample(1)
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


@pytest.mark.sample(3)
@pytest.mark.parametrize("is_weighted", [False, True], ids=["equal", "weighted"])
@pytest.mark.parametrize("p", [1, 2, 3, INF])
def test_distances_of_many_orders_of_magnitude(p, is_weighted):
    """Next to a far point near ones are at the same distance in float64: answers were NaN, or proven and wrong."""
    for seed in range(150):
        rng = np.random.default_rng(seed)
        n, m = (6, 6) if seed % 2 else rng.integers(1, 14, 2)
        x, y = (10.0 ** rng.uniform(-40, 3, size) for size in (n, m))
        a, b = (rng.dirichlet(np.ones(size)) if is_weighted else None for size in (n, m))
        for k in (1e-38, 1e-20, 10.0 ** rng.uniform(-42, 4)):
            result = solve(x, y, a, b, p=p, k=k)
            expected = rpw.distance(None, None, a, b, cost=between(x, y), p=p, k=k, diameter=1)
            assert abs(result.distance - expected) <= 1e-12
            assert result.lower <= result.distance <= result.upper <= result.lower + 1e-12


def test_many_points_on_two_places():
    """ε + ε^5 = 17/32 at ε = 1/2. Work that grows with the square of the points would take minutes."""
    n = 640_000
    x, y = (np.arange(n) < n * 17 // 32).astype(float), np.zeros(n)
    start = time.monotonic()
    assert solve(x, y, p=5).distance == pytest.approx(0.5, rel=1e-12)
    assert time.monotonic() - start < 20


def test_repeated_places_of_many_orders_of_magnitude():
    """The least distance decides the scale: it is found wherever it lies, behind equal points too."""
    for seed in range(100):
        rng = np.random.default_rng(seed)
        x, y = (10.0 ** rng.integers(-12, 3, size) for size in rng.integers(1, 14, 2))
        for p, k in ((5, 1.0), (40, 1e-9), (300, 1e-3)):
            expected = rpw.distance(cost=between(x, y), p=p, k=k, diameter=1)
            assert abs(rpw.distance(x, y, p=p, k=k, diameter=1) - expected) <= 1e-11
