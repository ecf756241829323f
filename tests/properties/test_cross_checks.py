"""Every function of the front door against slow oracles: linear programmes, exact fractions, definitions, POT."""

import math

import numpy as np
import oracles
import ot
import pytest
from checks import assert_close, assert_cost_close
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow
from strategies import ALL_P, FINITE_P, cost_matrices, examples, exponents, measures, prices

import rpw

INF = math.inf


def unit_of(cost):
    return float(np.max(cost)) or 1.0


# ---------------------------------------------------------------- RPW


@given(measures(), exponents(finite=True), prices())
@settings(max_examples=examples(300))
def test_distance_against_exact_fractions(pair, p, k):
    (x, a), (y, b) = pair
    expected = oracles.exact_rpw(oracles.euclidean(x, y), a, b, p, k)
    assert_close(rpw.distance(x, y, a, b, p=p, k=k), expected)


@given(cost_matrices(), exponents(finite=True), prices())
@settings(max_examples=examples(200))
def test_distance_of_cost_matrices_against_exact_fractions(problem, p, k):
    cost, a, b = problem
    assert_close(rpw.distance(cost=cost, a=a, b=b, p=p, k=k), oracles.exact_rpw(cost, a, b, p, k))


@given(cost_matrices(), st.sampled_from([5.0, 8.0, 20.0]), prices(zero=False))
def test_large_p_against_exact_fractions(problem, p, k):
    cost, a, b = problem
    assert_close(rpw.distance(cost=cost, a=a, b=b, p=p, k=k), oracles.exact_rpw(cost, a, b, p, k))


@given(measures(most=4), exponents(), st.sampled_from([0.1, 1.0, 10.0]))
@settings(max_examples=examples(30))
def test_distance_against_linear_programmes(pair, p, k):
    (x, a), (y, b) = pair
    expected = oracles.lp_rpw(oracles.euclidean(x, y), a, b, p, k)
    assert abs(rpw.distance(x, y, a, b, p=p, k=k) - expected) <= 1e-9


@given(cost_matrices(), prices(zero=False))
def test_distance_at_infinity_against_linear_programmes(problem, k):
    cost, a, b = problem
    expected = oracles.lp_rpw(cost, a, b, INF, k)
    assert abs(rpw.distance(cost=cost, a=a, b=b, p=INF, k=k) - expected) <= 1e-10


@pytest.mark.sample(4)
@pytest.mark.parametrize("p", ALL_P)
@pytest.mark.parametrize("k", [0.1, 1, 10])
def test_medium_sizes_against_linear_programmes(p, k):
    rng = np.random.default_rng(int(10 * k))
    x, y, a, b = rng.random((14, 2)), rng.random((11, 2)), rng.dirichlet(np.ones(14)), rng.dirichlet(np.ones(11))
    expected = oracles.lp_rpw(oracles.euclidean(x, y), a, b, p, k)
    assert abs(rpw.distance(x, y, a, b, p=p, k=k) - expected) <= 1e-9


@pytest.mark.parametrize("p", [1, 2, 3])
@pytest.mark.parametrize("kind", ["uniform", "dirichlet", "grid", "outliers", "wide"])
def test_larger_sizes_against_bisection_on_pot(kind, p):
    """The paper's highly accurate algorithm: bisection on ε, with one dummy atom on each side for the unmoved mass."""
    rng = np.random.default_rng(3)
    n, m = (60, 150) if kind == "wide" else (100, 100)
    x, y = rng.random((n, 2)), rng.random((m, 2))
    if kind == "grid":
        x, y = np.round(6 * x), np.round(6 * y)
    if kind == "outliers":
        y[:10] += 3
    a = rng.dirichlet(np.ones(n)) if kind == "dirichlet" else np.full(n, 1 / n)
    b = np.full(m, 1 / m)
    powers = oracles.euclidean(x, y) ** p
    dummy = np.zeros((n + 1, m + 1))
    dummy[:n, :m] = powers
    dummy[n, m] = 2 * powers.max() + 1
    low, high = 0.0, 1.0
    while high - low > 1e-7:
        epsilon = (low + high) / 2
        value = ot.emd2(np.append(a, epsilon), np.append(b, epsilon), dummy, numItermax=10**6)
        low, high = (low, epsilon) if value ** (1 / p) <= epsilon else (epsilon, high)
    assert abs(rpw.distance(x, y, a, b, p=p, k=1) - high) <= 1e-6


# ---------------------------------------------------------------- partial and plain Wasserstein, ROBOT


@given(measures(), exponents(), st.floats(0, 1))
def test_partial_wasserstein_against_linear_programmes(pair, p, mass):
    (x, a), (y, b) = pair
    cost = oracles.euclidean(x, y)
    value = rpw.partial_wasserstein(x, y, a, b, p=p, mass=mass)
    if math.isinf(p):  # a step curve: on a step, either side of it is the right answer up to rounding
        expected = [oracles.lp_partial(cost, a, b, p, np.clip(mass + e, 0, 1)) for e in (-1e-9, 0, 1e-9)]
        assert any(value == pytest.approx(e, abs=1e-12) for e in expected)
    else:
        unit = unit_of(cost)
        assert abs((value / unit) ** p - oracles.lp_cost_p(cost / unit, a, b, p, mass)) <= 1e-9


@given(measures(), exponents(finite=True))
def test_partial_wasserstein_at_exact_breakpoints(pair, p):
    (x, a), (y, b) = pair
    cost = oracles.euclidean(x, y)
    unit = unit_of(cost)
    for mass, value in oracles.exact_profile((cost / unit) ** p, a, b):
        found = rpw.partial_wasserstein(x, y, a, b, p=p, mass=min(1.0, float(mass)))
        assert abs((found / unit) ** p - float(value)) <= 1e-12


@given(measures(), exponents())
def test_wasserstein_against_linear_programmes(pair, p):
    (x, a), (y, b) = pair
    cost = oracles.euclidean(x, y)
    unit = unit_of(cost)
    value, expected = rpw.wasserstein(x, y, a, b, p=p), oracles.lp_partial(cost, a, b, p, 1.0)
    if math.isinf(p):
        assert_cost_close(value, expected, unit)
    else:
        assert abs((value / unit) ** p - (expected / unit) ** p) <= 1e-9


@given(cost_matrices(), exponents(), st.sampled_from([0.05, 0.5, 0.75, 1.0, 10.0]))
def test_robot_is_wasserstein_under_the_truncated_distance(problem, p, lam):
    cost, a, b = problem
    truncated = np.minimum(cost, 2 * lam)
    unit = unit_of(truncated)
    value, expected = rpw.robot(cost=cost, a=a, b=b, p=p, lam=lam), oracles.lp_partial(truncated, a, b, p, 1.0)
    if math.isinf(p):
        assert_cost_close(value, expected, unit)
    else:
        assert abs((value / unit) ** p - (expected / unit) ** p) <= 1e-9


@pytest.mark.parametrize("p", [1, 1.5, 2, 3])
@pytest.mark.parametrize("sizes", [(80, 80), (40, 110), (1, 30)])
def test_wasserstein_against_pot(sizes, p):
    rng = np.random.default_rng(sum(sizes))
    n, m = sizes
    x, y, a, b = rng.random((n, 3)), rng.random((m, 3)), rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(m))
    expected = ot.emd2(a, b, oracles.euclidean(x, y) ** p) ** (1 / p)
    assert rpw.wasserstein(x, y, a, b, p=p) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("p", [1, 2, 3])
@pytest.mark.parametrize("mass", [0.1, 0.5, 0.9])
def test_partial_wasserstein_against_pot(p, mass):
    rng = np.random.default_rng(17)
    x, y, a, b = rng.random((40, 2)), rng.random((50, 2)), rng.dirichlet(np.ones(40)), rng.dirichlet(np.ones(50))
    expected = ot.partial.partial_wasserstein2(a, b, oracles.euclidean(x, y) ** p, m=mass) ** (1 / p)
    assert rpw.partial_wasserstein(x, y, a, b, p=p, mass=mass) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("p", [1, 2, 3])
def test_wasserstein_on_the_line_is_the_sorted_matching(p):
    rng = np.random.default_rng(18)
    x, y = rng.random(300), rng.random(300)
    expected = np.mean(np.abs(np.sort(x) - np.sort(y)) ** p) ** (1 / p)
    assert rpw.wasserstein(x, y, p=p) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("p", ALL_P)
def test_moving_nothing_costs_nothing(p):
    assert rpw.partial_wasserstein([0.0, 1.0], [5.0], mass=0, p=p) == 0


@pytest.mark.parametrize("p", FINITE_P)
def test_moving_everything_is_wasserstein(p):
    rng = np.random.default_rng(19)
    x, y = rng.random((20, 2)), rng.random((30, 2))
    assert rpw.partial_wasserstein(x, y, mass=1, p=p) == pytest.approx(rpw.wasserstein(x, y, p=p), rel=1e-13)


# ---------------------------------------------------------------- total variation, Lévy–Prokhorov


@given(measures())
def test_total_variation_by_definition(pair):
    (x, a), (y, b) = pair
    expected = oracles.total_variation(x, y, a, b)
    assert_close(rpw.total_variation(x, y, a, b), expected)
    assert_close(rpw.total_variation(cost=oracles.euclidean(x, y), a=a, b=b), expected)


@given(cost_matrices())
def test_total_variation_of_a_cost_matrix_is_one_minus_the_free_flow(problem):
    """The zeros of such a matrix need not form blocks."""
    cost, a, b = problem
    assert abs(rpw.total_variation(cost=cost, a=a, b=b) - (1 - oracles.lp_flow(cost, a, b, 0.0))) <= 1e-10


def test_zeros_that_form_no_blocks_need_a_maximum_flow():
    """Greedy matching of the first zeros would give 2/3."""
    cost = [[0.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 1.0]]
    assert_close(rpw.total_variation(cost=cost), 1 / 3)


def test_free_flow_of_many_points_against_scipy():
    """Few zeros and unequal masses: paths are long, and much of what flows is taken back."""
    rng = np.random.default_rng(5)
    for n, m in ((120, 120), (60, 200), (200, 40)):
        is_free = rng.random((n, m)) < 3 / min(n, m)
        a, b = rng.integers(1, 50, n), rng.integers(1, 50, m)
        b[0] += max(0, a.sum() - b.sum())
        a[0] += max(0, b.sum() - a.sum())
        arcs = np.zeros((n + m + 2, n + m + 2), dtype=np.int32)
        arcs[0, 1 : n + 1], arcs[n + 1 : -1, -1] = a, b
        arcs[1 : n + 1, n + 1 : -1] = is_free * a.sum()
        free = maximum_flow(csr_array(arcs), 0, n + m + 1).flow_value / a.sum()
        assert_close(rpw.total_variation(cost=1.0 - is_free, a=a, b=b), 1 - free)


@given(measures(most=6))
@settings(max_examples=examples(60))
def test_levy_prokhorov_by_definition_over_all_subsets(pair):
    (x, a), (y, b) = pair
    assert_close(rpw.levy_prokhorov(x, y, a, b), oracles.levy_prokhorov(x, y, a, b))


@pytest.mark.parametrize("seed", range(4))
def test_levy_prokhorov_of_eight_points_by_definition(seed):
    rng = np.random.default_rng(seed)
    x, y, a, b = rng.random((8, 2)), rng.random((8, 2)), rng.random(8), rng.random(8)
    assert_close(rpw.levy_prokhorov(x, y, a, b), oracles.levy_prokhorov(x, y, a, b))


# ---------------------------------------------------------------- agreement of the doors


@given(measures(), exponents(), prices())
def test_distance_solve_and_cost_agree(pair, p, k):
    (x, a), (y, b) = pair
    value = rpw.distance(x, y, a, b, p=p, k=k)
    assert rpw.solve(x, y, a, b, p=p, k=k).distance == value
    assert rpw.distance(rpw.Measure(x, a), rpw.Measure(y, b), p=p, k=k) == pytest.approx(value, abs=1e-15)
    assert rpw.distance(x, y, a, b, p=p, k=k, solver="exact") == value
    assert_close(rpw.distance(cost=oracles.euclidean(x, y), a=a, b=b, p=p, k=k), value)


@pytest.mark.parametrize(
    ("p", "k", "name"), [(2, 0, "total_variation"), (INF, 0, "total_variation"), (INF, 1, "infinity"), (2, 1, "exact")]
)
def test_choose_solver_names_what_solve_runs(p, k, name):
    chosen, reason = rpw.choose_solver([[0.0, 0.0]], [[1.0, 1.0]], p=p, k=k)
    assert chosen == name
    took = rpw.solve([[0.0, 0.0]], [[1.0, 1.0]], p=p, k=k).solver
    assert took in {"exact": ("walk", "simplex")}.get(name, (name,))  # the rule, and what it took
    assert len(reason) > 10
    assert rpw.choose_solver(cost=[[1.0]], p=p, k=k)[0] == name
