"""The contract of Result: bounds, plan, potentials, unmatched mass, early stops, and how it behaves as a value."""

import dataclasses
import math
import pickle
import time

import numpy as np
import oracles
import pytest
from checks import check_bounds, check_plan, check_potentials, lower_line
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import normalised
from strategies import cost_matrices, examples, exponents, measures, prices

import rpw

INF = math.inf


def cloud_pair(n=120, m=100, kind="dirichlet", seed=0):
    rng = np.random.default_rng(seed)
    x, y = rng.random((n, 2)), rng.random((m, 2))
    if kind == "grid":
        x, y = np.round(5 * x), np.round(5 * y)
    if kind == "outliers":
        y[: m // 10] += 5
    if kind == "dirichlet":
        return x, y, rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(m))
    return x, y, None, None


def check_certificate(result, cost, a, b, p, kappa):
    """What the potentials prove, recomputed from scratch, is the lower bound."""
    slope, height = lower_line(result, a, b, *cost.shape)
    at = result.lower
    unit_p = max(result.multiplier, float((cost[cost <= kappa] ** p).max(initial=0.0)), 1e-300)
    assert slope * (1 - at) + height >= (kappa * at) ** p - 1e-9 * unit_p


# ---------------------------------------------------------------- exact results


@given(measures(), exponents(), prices())
@settings(max_examples=examples(200))
def test_contract(pair, p, k):
    (x, a), (y, b) = pair
    result = rpw.solve(x, y, a, b, p=p, k=k)
    cost = oracles.euclidean(x, y)
    check_bounds(result, k)
    check_plan(result, cost, a, b, p, k)


@given(cost_matrices(), exponents(), prices())
@settings(max_examples=examples(200))
def test_contract_for_cost_matrices(problem, p, k):
    cost, a, b = problem
    result = rpw.solve(cost=cost, a=a, b=b, p=p, k=k, diameter=2.0)
    check_bounds(result, 2 * k)
    check_plan(result, cost, a, b, p, 2 * k)


@pytest.mark.sample(10)
@pytest.mark.parametrize("p", [1, 2, 3, 8, INF])
@pytest.mark.parametrize("k", [0.1, 1, 10])
@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_contract_for_tiny_and_huge_spaces(scale, k, p):
    x, y, a, b = cloud_pair(60, 50)
    result = rpw.solve(scale * x, scale * y, a, b, p=p, k=k, diameter=scale)
    check_bounds(result, scale * k)
    check_plan(result, scale * oracles.euclidean(x, y), a, b, p, scale * k)


@given(measures(most=4), exponents(finite=True), prices(zero=False))
def test_potentials_prove_the_value(pair, p, k):
    (x, a), (y, b) = pair
    cost = oracles.euclidean(x, y)
    result = rpw.solve(x, y, a, b, p=p, k=k)
    check_potentials(result, cost, p)
    slope, height = lower_line(result, a, b, *cost.shape)
    unit = float(cost.max()) or 1.0
    for mass, value in oracles.exact_profile((cost / unit) ** p, a, b):  # convex: the breakpoints are enough
        assert float(value) * unit**p >= slope * float(mass) + height - 1e-12 * unit**p
    check_certificate(result, cost, a, b, p, k)


@given(cost_matrices(most=4), exponents(finite=True), prices(zero=False))
@settings(max_examples=examples(30))
def test_potentials_lie_below_the_profile_of_the_linear_programme(problem, p, k):
    cost, a, b = problem
    result = rpw.solve(cost=cost, a=a, b=b, p=p, k=k)
    check_potentials(result, cost, p)
    slope, height = lower_line(result, a, b, *cost.shape)
    for mass in (0.0, 0.25, result.mass, 0.9, 1.0):
        assert oracles.lp_cost_p(cost, a, b, p, mass) >= slope * mass + height - 1e-8 * max(1.0, slope)


@pytest.mark.sample(12)
@pytest.mark.parametrize("p", [1, 1.5, 2, 3, 8])
@pytest.mark.parametrize("k", [0.1, 1, 10])
@pytest.mark.parametrize("kind", ["uniform", "dirichlet", "grid", "outliers"])
def test_contract_on_larger_problems(kind, k, p):
    x, y, a, b = cloud_pair(kind=kind)
    result = rpw.solve(x, y, a, b, p=p, k=k)
    cost = oracles.euclidean(x, y)
    check_bounds(result, k)
    check_plan(result, cost, a, b, p, k)
    check_potentials(result, cost, p)
    check_certificate(result, cost, a, b, p, k)


@pytest.mark.parametrize("k", [0.1, 1, 10])
@pytest.mark.parametrize("kind", ["uniform", "dirichlet", "grid", "outliers"])
def test_contract_on_larger_problems_at_infinity(kind, k):
    x, y, a, b = cloud_pair(kind=kind)
    result = rpw.solve(x, y, a, b, p=INF, k=k)
    check_bounds(result, k)
    check_plan(result, oracles.euclidean(x, y), a, b, INF, k)


@pytest.mark.parametrize("p", [1, 2, 3])
def test_potentials_hold_for_atoms_without_mass(p):
    rng = np.random.default_rng(1)
    x, y, a, b = rng.random((30, 2)), rng.random((25, 2)), rng.random(30), rng.random(25)
    a[::3], b[1::2] = 0, 0
    result = rpw.solve(x, y, a, b, p=p, k=1)
    check_potentials(result, oracles.euclidean(x, y), p)
    assert (result.plan.toarray()[::3] == 0).all()
    assert (result.plan.toarray()[:, 1::2] == 0).all()
    assert (result.unmatched_a[::3] == 0).all()


@pytest.mark.parametrize(("p", "k"), [(INF, 1), (INF, 0), (2, 0), (1, 0)])
def test_no_potentials_where_there_are_none(p, k):
    result = rpw.solve([0.0, 1.0], [0.0, 3.0], p=p, k=k)
    assert result.potentials is None
    assert result.multiplier is None


def test_potentials_are_the_derivative_with_respect_to_the_weights():
    """dε = (f_i - Σ a f) / (Σ a_raw · D), D = λ + p (kΔ)**p ε**(p-1), against a finite difference."""
    rng = np.random.default_rng(2)
    x, y, a, b = rng.random((6, 2)), rng.random((7, 2)), rng.random(6), rng.random(7)
    p, k, step = 2, 1.5, 1e-6
    result = rpw.solve(x, y, a, b, p=p, k=k)
    f, _ = result.potentials
    speed = result.multiplier + p * k**p * result.distance ** (p - 1)
    expected = (f - f @ a / a.sum()) / (a.sum() * speed)
    for i in range(6):
        up, down = a.copy(), a.copy()
        up[i], down[i] = a[i] + step, a[i] - step
        change = rpw.distance(x, y, up, b, p=p, k=k) - rpw.distance(x, y, down, b, p=p, k=k)
        assert change / (2 * step) == pytest.approx(expected[i], abs=1e-5)


def test_unmatched_mass_shows_the_outlier():
    """The crossing lies on the edge that would move the outlier: 1/30 + (1/3 - ε) 8.9 = ε."""
    result = rpw.solve([0.0, 0.0, 9.0], [0.0, 0.1, 0.1], p=1, k=1)
    assert result.distance == pytest.approx(10 / 33, abs=1e-14)
    np.testing.assert_allclose(result.unmatched_a, [0, 0, 10 / 33], atol=1e-12)
    assert result.unmatched_b.sum() == pytest.approx(result.distance, abs=1e-12)


@pytest.mark.parametrize("p", [1, 2, 8, INF])
@pytest.mark.parametrize("k", [0, 1e-9, 1, 1e9])
def test_the_plan_of_identical_measures_moves_everything(k, p):
    for x in ([0.0], [0.0, 0.0], [0.0, 1.0, 2.0]):
        result = rpw.solve(x, x, p=p, k=k)
        assert result.plan.sum() == pytest.approx(1, abs=1e-12)
        assert result.unmatched_a.sum() == pytest.approx(0, abs=1e-12)


def test_plan_is_a_sparse_array():
    from scipy.sparse import csr_array

    result = rpw.solve([0.0, 1.0], [0.0, 1.0, 2.0], p=2, k=1)
    assert isinstance(result.plan, csr_array)
    assert result.plan.shape == (2, 3)


def test_huge_costs_give_a_value_but_no_potentials_in_p_units():
    result = rpw.solve(cost=[[1e30, 2e30]], p=11, k=1, diameter=1e30)
    assert 0 < result.distance < 1
    with pytest.raises(ValueError, match="p=11"):
        _ = result.potentials


# ---------------------------------------------------------------- early stops


@pytest.mark.parametrize("p", [1, 2, 3, INF])
@pytest.mark.parametrize("tol", [1e-6, 1e-3, 1e-2, 0.1, 1.0])
def test_tolerance_gives_an_interval_that_holds(p, tol):
    x, y, a, b = cloud_pair(300, 300)
    exact = rpw.distance(x, y, a, b, p=p, k=1)
    result = rpw.solve(x, y, a, b, p=p, k=1, tol=tol)
    check_bounds(result, 1, exact=False)
    check_plan(result, oracles.euclidean(x, y), a, b, p, 1)
    assert result.lower - 1e-12 <= exact <= result.upper + 1e-12
    assert result.gap <= tol
    assert result.status in ("exact", "tolerance")
    assert abs(rpw.distance(x, y, a, b, p=p, k=1, tol=tol) - exact) <= tol + 1e-12


@pytest.mark.parametrize("p", [1, 2])
def test_a_coarse_tolerance_stops_early(p):
    x, y, a, b = cloud_pair(300, 300)
    result = rpw.solve(x, y, a, b, p=p, k=1, tol=0.3)
    assert result.status == "tolerance"
    assert result.iterations < rpw.solve(x, y, a, b, p=p, k=1).iterations
    if not math.isinf(p):
        check_potentials(result, oracles.euclidean(x, y), p)
        check_certificate(result, oracles.euclidean(x, y), a, b, p, 1)


@pytest.mark.parametrize("p", [1, 2, 3, 8, INF])
@pytest.mark.parametrize("form", ["points", "cost"])
def test_no_time_at_all_proves_nothing(form, p):
    x, y, a, b = cloud_pair(40, 30)
    points = {"x": x, "y": y} if form == "points" else {"cost": oracles.euclidean(x, y)}
    result = rpw.solve(**points, a=a, b=b, p=p, k=1, time_limit=0)
    assert (result.lower, result.upper, result.distance) == (0, 1, 1)
    assert result.status == "time_limit"
    assert result.plan.sum() == 0
    assert result.plan.shape == (40, 30)
    assert result.unmatched_a.sum() == pytest.approx(1)
    assert "time_limit" in repr(result)


@pytest.mark.parametrize("p", [1, 2, 8, INF])
@pytest.mark.parametrize("seconds", [1e-4, 1e-3, 1e-2, 0.03, 0.1, 30])
def test_time_limit_gives_an_interval_that_holds(p, seconds):
    x, y, a, b = cloud_pair(400, 400)
    exact = rpw.distance(x, y, a, b, p=p, k=3)
    result = rpw.solve(x, y, a, b, p=p, k=3, time_limit=seconds)
    check_bounds(result, 3, exact=False)
    check_plan(result, oracles.euclidean(x, y), a, b, p, 3)
    assert result.lower - 1e-12 <= exact <= result.upper + 1e-12
    assert result.status in ("exact", "time_limit")
    if result.status == "exact":
        assert result.distance == exact
    if result.potentials is not None:
        check_potentials(result, oracles.euclidean(x, y), p)


@pytest.mark.parametrize("p", [2, INF])
def test_a_generous_time_limit_changes_nothing(p):
    x, y, a, b = cloud_pair(30, 30)
    assert rpw.solve(x, y, a, b, p=p, time_limit=1e6) == rpw.solve(x, y, a, b, p=p)
    assert rpw.solve(x, y, a, b, p=p, time_limit=INF).status == "exact"


# ---------------------------------------------------------------- as a value


@pytest.mark.parametrize(("p", "k"), [(1, 1), (2, 0.1), (INF, 1), (2, 0)])
def test_pickle_keeps_everything(p, k):
    x, y, a, b = cloud_pair(20, 15)
    a[3] = 0
    result = rpw.solve(x, y, a, b, p=p, k=k)
    plan = result.plan.toarray()
    again = pickle.loads(pickle.dumps(result))
    assert again == result
    assert hash(again) == hash(result)
    assert (again.plan.toarray() == plan).all()
    assert (again.unmatched_a == result.unmatched_a).all()
    if result.potentials is not None:
        for mine, theirs in zip(result.potentials, again.potentials, strict=True):
            assert (mine == theirs).all()


def test_equality_is_by_value():
    one, same = rpw.solve([0.0], [1.0], p=1), rpw.solve([0.0], [1.0], p=1)
    other = rpw.solve([0.0], [1.5], p=1)
    assert one == same
    assert one != other
    assert one != 0.5


def test_repr_says_what_was_found():
    text = repr(rpw.solve([0.0], [1.0], p=1))
    assert text == "Result(distance=0.5, exact, mass=0.5, cost=0.5)"


@pytest.mark.parametrize("status", ["exact", "tolerance", "time_limit"])
@pytest.mark.parametrize("size", [1.0, 1 / 3, 1.23456789123e-5, 1.23456789123e-100])
def test_repr_fits_on_one_line(status, size):
    result = rpw.solve([0.0], [1.0], p=1)
    odd = dataclasses.replace(
        result, distance=size, lower=size / 1.7, upper=size, cost=size * 1.7e-200, status=status, solver="x" * 90
    )
    assert len(repr(odd)) <= 80
    assert "\n" not in repr(odd)
    assert status in repr(odd)
    assert (f"[{size / 1.7:.8g}, {size:.8g}]" in repr(odd)) == (status != "exact")


# ---------------------------------------------------------------- what happens to the arrays later

SOLVES = {
    "solve": rpw.solve,
    "transport": lambda *points, k=1, diameter=1, **given: rpw.transport(*points, mass=0.8, **given),
    "robot": lambda *points, k=1, diameter=1, **given: rpw.transport(*points, lam=0.2, **given),
    "solve_pairs": lambda x, y, a, b, **given: rpw.solve_pairs([rpw.Measure(x, a)], [rpw.Measure(y, b)], **given)[0],
}


def with_idle_atoms(shape, seed=0, count=40):
    rng = np.random.default_rng(seed)
    x, y, a, b = rng.random((count, *shape)), rng.random((count - 5, *shape)), rng.random(count), rng.random(count - 5)
    a[::3], b[1::2] = 0, 0
    return x, y, a, b


def taxi(x, y):
    return float(np.abs(x - y).sum())


@pytest.mark.parametrize("metric", ["euclidean", "canberra", taxi])
@pytest.mark.parametrize("shape", [(2,), ()], ids=["plane", "line"])
@pytest.mark.parametrize("ask", SOLVES.values(), ids=SOLVES)
def test_points_that_change_later_change_nothing(ask, shape, metric):
    x, y, a, b = with_idle_atoms(shape)
    given = {"k": 1, "diameter": 1, "metric": metric}
    result, expected = ask(x, y, a, b, **given), ask(x.copy(), y.copy(), a, b, **given)
    expected = expected.potentials, expected.plan.toarray(), expected.unmatched_a
    for array in (x, y, a, b):
        array *= 1000
    np.testing.assert_array_equal(result.plan.toarray(), expected[1])
    np.testing.assert_array_equal(result.unmatched_a, expected[2])
    for mine, theirs in zip(result.potentials, expected[0], strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("ask", [rpw.solve, SOLVES["transport"], SOLVES["robot"]])
def test_a_matrix_that_changes_later_changes_nothing(ask):
    x, y, a, b = with_idle_atoms((2,))
    cost = oracles.euclidean(x, y)
    given = cost.copy()
    result = ask(cost=given, a=a, b=b, k=1, diameter=1)
    given *= 1000
    check_potentials(result, np.minimum(cost, 0.4) if ask is SOLVES["robot"] else cost, 2)


def test_histograms_on_a_support_that_changes_later():
    rng = np.random.default_rng(3)
    support, histograms = rng.random((30, 2)), rng.random((6, 30)) * (rng.random((6, 30)) < 0.5)
    cost = oracles.euclidean(support, support)
    for shared in ({"support": support.copy()}, {"cost": cost.copy()}):
        results = rpw.solve_pairs(histograms[:3], histograms[3:], diameter=1, **shared)
        for array in shared.values():
            array *= 1000
        for result in results:
            check_potentials(result, cost, 2)


def test_a_plot_shows_the_points_that_were_solved():
    pytest.importorskip("matplotlib")
    x, y = np.random.default_rng(4).random((2, 12, 2))
    axes = rpw.solve(x, y, diameter=1)
    x *= 1000
    assert axes.plot().get_xlim()[1] < 10


def test_a_callable_metric_is_not_asked_again():
    calls = []

    def counted(x, y):
        calls.append(1)
        return taxi(x, y)

    x, y, a, b = with_idle_atoms((2,))
    result = rpw.solve(x, y, a, b, diameter=1, metric=counted)
    before = len(calls)
    _ = result.potentials, result.plan, result.unmatched_b
    assert len(calls) == before


def test_no_copy_of_a_matrix_is_kept():
    x, y, a, b = with_idle_atoms((2,), count=400)
    cost = oracles.euclidean(x, y)
    result = rpw.solve(cost=cost, a=a, b=b, diameter=1)
    _ = result.potentials
    held, seen = [result], set()
    while held:
        one = held.pop()
        if isinstance(one, np.ndarray):
            assert one.size < cost.size or np.shares_memory(one, cost)
        elif hasattr(one, "__dict__") and id(one) not in seen:
            seen.add(id(one))
            held += vars(one).values()
        elif isinstance(one, tuple):
            held += one


@pytest.mark.parametrize("p", [1, 1.5, 2])
@pytest.mark.parametrize("dimension", [1, 3])
def test_potentials_of_many_atoms_without_mass_on_the_line(dimension, p):
    """Ten thousand millions of pairs; a matrix of them would take 80 GB."""
    rng = np.random.default_rng(5)
    n = 100_000
    x, y = (np.outer(np.sort(rng.random(n)), np.eye(dimension)[-1]) for _ in range(2))
    a, b = np.zeros(n), np.zeros(n)
    a[:: n // 200], b[7 :: n // 150] = 1, 1
    result = rpw.solve(x, y, a, b, p=p, diameter=1)
    f, g = result.potentials
    some, others = rng.integers(0, n, (2, 500))
    some, others = np.append(some, np.flatnonzero(a)), np.append(others, np.flatnonzero(b))
    cost_p = np.abs(x[:, None, -1][some] - y[None, others, -1]) ** p
    assert (f[some][:, None] + g[others] <= cost_p - result.multiplier + 1e-14).all()
    # Each atom without mass has the largest potential that those with mass allow.
    active, idle = np.flatnonzero(b), rng.choice(np.flatnonzero(a == 0), 300)
    allowed = (np.abs(x[idle][:, None, -1] - y[None, active, -1]) ** p - result.multiplier - g[active]).min(axis=1)
    np.testing.assert_allclose(f[idle], np.minimum(0, allowed), rtol=0, atol=1e-14)


@given(measures(most=8), exponents(finite=True), prices(zero=False), st.integers(0, 2**16))
@settings(max_examples=examples(60))
def test_potentials_in_order_are_those_from_all_pairs(pair, p, k, mask):
    """On the line they are found in the order of the points, from a matrix among all pairs."""
    (x, a), (y, b) = pair
    x, y = x[:, :1], y[:, :1]
    a = np.where(mask >> np.arange(len(x)) & 1, 0.0, 1.0 if a is None else a)
    if a.sum() == 0:
        a[0] = 1
    cost = np.abs(x - y.T)
    result = rpw.solve(x, y, a, b, p=p, k=k, diameter=1)
    check_potentials(result, cost, p)
    f, g = result.potentials
    masses = np.rint(normalised(b, len(y)) * 2.0**60) > 0
    allowed = (cost[:, masses] ** p - result.multiplier - g[masses]).min(axis=1)
    unit = max(result.multiplier, -float(f.min()), -float(g.min()))
    idle = a == 0
    np.testing.assert_allclose(f[idle], np.minimum(0, allowed)[idle], rtol=0, atol=1e-12 * unit)


def test_past_the_time_limit_atoms_without_mass_are_safe():
    x, y, a, b = with_idle_atoms((2,))

    def slow(x, y):
        time.sleep(1e-3)
        return taxi(x, y)

    result = rpw.solve(x, y, a, b, diameter=1, metric=slow, time_limit=1.0)
    if result.potentials is not None:
        check_potentials(result, np.abs(x[:, None] - y).sum(axis=2), 2)


def test_what_a_result_gives_is_read_only():
    x, y, a, b = with_idle_atoms((2,))
    result = rpw.solve(x, y, a, b, diameter=1)
    for one in (result, pickle.loads(pickle.dumps(result))):
        plan = one.plan
        for array in (plan.data, plan.indices, plan.indptr, one.unmatched_a, one.unmatched_b, *one.potentials):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 7
        plan.sort_indices()
        plan.sum_duplicates()
        assert (plan.T @ np.ones(len(x)) + plan.sum(axis=0) >= 0).all()
        own = plan.copy()
        own.data[0] = 7
        assert (plan != own).nnz == 1


@pytest.mark.parametrize(("x", "y", "p", "k"), [([0.0], [1e4], 100, 3), ([0.0, 1.0], [1e30], 20, 100)])
def test_a_multiplier_beyond_float64_is_refused_by_name(x, y, p, k):
    """Where powers have no float64, nothing moves, and the price that proves it may have none either."""
    result = rpw.solve(x, y, p=p, k=k, diameter=1)
    assert result.distance == pytest.approx(1)
    for name in ("multiplier", "potentials"):
        with pytest.raises(ValueError, match=r"the multiplier and the potentials cannot be represented.* p="):
            getattr(result, name)


@pytest.mark.parametrize(
    ("near", "far", "to", "light", "p"),
    [(1e7, 1e13, 1.0, 2.0**-47, 2), (1e4, 1e13, 100.0, 2.0**-49, 1), (1e7, 1e11, 10.0, 2.0**-48, 2), (1, 3, 2, 0.5, 2)],
)
def test_bounds_apart_are_not_called_exact(near, far, to, light, p):
    """Where an atom near the unit of masses decides, what is rounded of it keeps the bounds apart."""
    cost_p = (abs(near - to) ** p + light * abs(far - to) ** p) / (1 + light)
    result = rpw.transport([near, far], [to], [1, light], p=p)
    assert result.lower * (1 - 1e-12) <= cost_p ** (1 / p) <= result.upper * (1 + 1e-12)
    assert result.status == ("exact" if result.gap <= 1e-9 * result.upper else "tolerance")


@pytest.mark.parametrize("light", [1e-12, 3e-15, 2.0**-50, 2.0**-57])
@pytest.mark.parametrize("p", [1, 2, 8])
def test_an_exact_share_has_bounds_that_agree(p, light):
    """All but one light atom are where they should be, and it is too far away to move."""
    for k in (1e-9, 1e-3, 1.0):
        result = rpw.solve([0.0, 1e9], [0.0], [1, light], p=p, k=k, diameter=1)
        assert result.distance == pytest.approx(light, rel=1e-3)
        assert result.status == ("exact" if result.gap <= 1e-9 * result.upper else "tolerance")
