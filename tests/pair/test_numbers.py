"""The numbers of a Result agree with its plan, at every p, k and scale: checked in 50 decimal digits."""

import copy
import math
import pickle
import warnings
from decimal import Decimal, localcontext

import numpy as np
import pytest

import rpw

INF = math.inf
SUBNORMAL = 5e-324


def decimal_cost(plan, cost, p):
    """(Σ plan c^p)^(1/p), or the longest pair, without float64."""
    used = np.argwhere(plan > 0)
    if math.isinf(p):
        return max((float(cost[i, j]) for i, j in used), default=0.0)
    with localcontext() as context:
        context.prec, context.Emax, context.Emin = 50, 10**9, -(10**9)
        moves = [(Decimal(float(plan[i, j])), Decimal(float(cost[i, j]))) for i, j in used if cost[i, j] > 0]
        unit = max((length for _, length in moves), default=Decimal(0))  # powers of 1e-300 would take long
        total = sum((mass * (length / unit) ** Decimal(p) for mass, length in moves), Decimal(0))
        return float(unit * total ** (1 / Decimal(p))) if total > 0 else 0.0


def random_problem(rng):
    n, m = rng.integers(1, 9, 2)
    kind = rng.integers(3)
    cost = rng.random((n, m))
    if kind == 1:
        cost = rng.integers(0, 4, (n, m)).astype(float)  # ties, and pairs that cost nothing
    elif kind == 2:
        cost = 10.0 ** rng.uniform(-8, 0, (n, m))
    return cost, *((None, None) if rng.random() < 0.5 else (rng.random(n), rng.random(m)))


@pytest.mark.sample(10)
@pytest.mark.parametrize("scale", [1.0, 1e-318, 1e-300, 1e-30, 1e300])
@pytest.mark.parametrize("p", [1.0, 1.5, 2.0, 50.0, 1000.0, INF])
def test_cost_and_mass_are_those_of_the_plan(p, scale):
    rng = np.random.default_rng(int(min(p, 9999)))
    for k in (1e-62, 1e-9, 0.1, 1.0, 10.0, 1e9):
        for _ in range(8):
            cost, a, b = random_problem(rng)
            cost = cost * scale
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                result = rpw.solve(cost=cost, a=a, b=b, p=p, k=k, diameter=1)
            plan = result.plan.toarray()
            expected = decimal_cost(plan, cost, p)
            assert abs(result.cost - expected) <= 1e-12 * expected + SUBNORMAL
            assert abs(result.mass - plan.sum()) <= 1e-12 * result.mass
            assert abs(result.mass - (1 - result.distance)) <= 1e-15
            assert result.cost <= k * result.distance * (1 + 1e-9) + k * 1e-15 + SUBNORMAL
            assert result.distance == rpw.distance(cost=cost, a=a, b=b, p=p, k=k)


@pytest.mark.parametrize("solver", ["lmr", "bisection"])
@pytest.mark.parametrize("p", [1.0, 2.0, 50.0, INF])
def test_the_other_solvers_too(solver, p):
    rng = np.random.default_rng(1)
    for k in (1e-9, 1.0, 1e9):
        cost, a, b = random_problem(rng)
        result = rpw.solve(cost=cost, a=a, b=b, p=p, k=k, solver=solver, tol=1e-3)
        assert result.cost == pytest.approx(decimal_cost(result.plan.toarray(), cost, p), rel=1e-12, abs=0)
        assert result.mass == pytest.approx(result.plan.sum(), rel=1e-12)


def test_ties_at_infinity():
    result = rpw.solve([0.0], [0.1, 0.5], p=INF)
    assert (result.distance, result.cost, result.mass) == (0.5, 0.1, 0.5)
    result = rpw.solve([0.0], [1.0], p=INF)  # to leave everything behind is as good as to move it
    assert (result.distance, result.cost, result.mass) == (1.0, 0.0, 0.0)


def test_the_cost_at_infinity_is_the_least_for_its_mass():
    rng = np.random.default_rng(3)
    for _ in range(300):
        n, m = rng.integers(1, 7, 2)
        cost = rng.integers(0, 5, (n, m)) / 4.0
        result = rpw.solve(cost=cost, p=INF, k=float(rng.choice([0.25, 0.5, 1.0, 2.0])))
        if result.mass > 1e-9:
            least = rpw.partial_wasserstein(cost=cost, p=INF, mass=result.mass - 1e-12)
            assert result.cost == pytest.approx(least, abs=1e-15)


@pytest.mark.parametrize("scale", [1e-318, 1e-310, 1e-300])
@pytest.mark.parametrize("p", [1, 1.5, 2, 50, 1000])
def test_the_smallest_coordinates(p, scale):
    x, y = np.array([0, 1, 3]) * scale, np.array([0.1, 0.7, 2]) * scale
    result = rpw.solve(x, y, p=p)
    # So close to mass 1, k · RPW is W.
    expected = rpw.wasserstein(x, y, p=p)
    assert expected > 0
    for distance in (
        result.distance,
        result.lower,
        rpw.distance(x, y, p=p),
        rpw.pairwise([x[:, None]], [y[:, None]], p=p),
    ):
        assert distance == pytest.approx(expected, rel=1e-12, abs=2 * SUBNORMAL)
    assert result.plan.sum() == pytest.approx(1, abs=1e-12)
    assert rpw.Index([y[:, None]], p=p).query(x[:, None], top=1)[0] == result.distance


@pytest.mark.filterwarnings("error")
def test_profiles_at_the_ends_of_the_scale():
    for scale in (1e-305, 1e-300, 1.0, 1e300):
        x, y = np.array([0, 1, 3]) * scale, np.array([0.1, 0.7, 2]) * scale
        curve = rpw.profile(x, y, p=1, diameter=1)
        for k in (1e-300, 1e-9, 1.0, 1e9, 1e300):
            expected = rpw.solve(x, y, p=1, k=k, diameter=1).distance
            assert curve.distance(k) == pytest.approx(expected, rel=1e-12, abs=2 * SUBNORMAL)


def test_a_little_mass_is_not_lost():
    result = rpw.solve([0.0], [1.0], p=1, k=1e-62)
    assert (result.distance, result.mass, result.plan.sum()) == (1.0, 1e-62, 1e-62)
    assert rpw.solve([0.0], [1e300]).plan.nnz == 0  # 1e-600 is no float64
    assert rpw.solve([0.0], [1e300]).mass == 0


@pytest.mark.parametrize("p", [1.0, 50.0, 1000.0, INF])
def test_the_rounding_of_a_mass_costs_nothing(p):
    """n points, each moved at a price of its own: what a mass of j/n costs is known, whatever j/n rounds to."""
    for n in range(2, 13):
        cost = np.full((n, n), 1.0)
        prices = 10.0 ** -np.arange(n, 0, -1)
        np.fill_diagonal(cost, prices)
        curve = rpw.profile(cost=cost, p=p) if p in (1.0, INF) else None
        for j in range(1, n + 1):
            expected = decimal_cost(np.diag([1 / n] * j + [0.0] * (n - j)), cost, p)
            assert rpw.partial_wasserstein(cost=cost, p=p, mass=j / n) == pytest.approx(expected, rel=1e-9)
            if curve is not None:
                assert curve(j / n) == pytest.approx(expected, rel=1e-9)


def test_a_profile_is_read_off_at_its_breakpoints():
    cost = np.array([[1e-3, 1.0, 1.0], [1.0, 1e-3, 1.0], [1.0, 1.0, 1.0]])
    for share in (2 / 3, 2 / 3 + 2e-16, 2 / 3 + 6e-16):
        assert rpw.profile(cost=cost, p=50)(share) == pytest.approx(1e-3 * (2 / 3) ** (1 / 50), rel=1e-9)


class Taxi:
    def __call__(self, x, y):
        return abs(x - y).sum()


@pytest.mark.parametrize("metric", [lambda x, y: abs(x - y).sum(), Taxi()], ids=["lambda", "object"])
def test_pickle_with_a_callable_metric(metric):
    x, y, weights = np.array([[0.0], [1.0], [5.0]]), np.array([[0.5], [2.0]]), [0.5, 0.5, 0.0]
    result = rpw.solve(x, y, weights, metric=metric)  # the third atom's potential asks for the metric
    expected = rpw.solve(x, y, weights, metric="cityblock")
    for again in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
        assert again == result
        np.testing.assert_array_equal(again.plan.toarray(), result.plan.toarray())
        np.testing.assert_array_equal(again.unmatched_a, result.unmatched_a)
        for mine, theirs in zip(again.potentials, expected.potentials, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-12)
        assert again.multiplier == result.multiplier
    huge = rpw.solve(x * 1e200, y * 1e200, k=1e200, metric=metric)
    for one in (huge, pickle.loads(pickle.dumps(huge))):
        with pytest.raises(ValueError, match="the multiplier and the potentials cannot be represented"):
            _ = one.potentials


@pytest.mark.parametrize("p", [1, 3, 4, 8, 12, 50])
def test_plain_transport_of_costs_over_many_orders_of_magnitude(p):
    """What a plan pays is not measured by the dearest pair: the profile, which never looks at it, says the same."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n, m = rng.integers(2, 20, 2)
        cost = 10.0 ** rng.uniform(-min(8, 250 / p), 0, (n, m))
        a = rng.random(n) if seed % 2 else None
        expected = rpw.profile(cost=cost, a=a, p=p, diameter=1)(1.0)
        assert rpw.wasserstein(cost=cost, a=a, p=p) == pytest.approx(expected, rel=1e-9)
