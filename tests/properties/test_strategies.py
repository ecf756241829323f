"""The two exact strategies and the rule between them: one answer, three ways, each with its own proof.

``RPW_PROBLEMS=100000`` tries that many random problems instead of some 1,500.
"""

import os

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import rpw
from rpw import _core
from rpw.base.deadline import NEVER
from rpw.pair.atoms import as_masses
from rpw.pair.problem import as_problem
from rpw.pair.question import as_question

STRATEGIES = ("walk", "simplex", "exact")
RANDOM_PROBLEMS = int(os.environ.get("RPW_PROBLEMS", "1500"))
SEEDS = 10


class Case:
    """Two measures under a matrix of distances, and a price."""

    def __init__(self, a, b, *, cost, p, k):
        self.problem, self.p, self.kappa = as_problem(None, None, a, b, cost=cost), float(p), float(k)
        self.rows, self.columns, self.cost = self.problem.rows, self.problem.columns, np.asarray(cost, dtype=float)
        self.mass_a = as_masses(self.problem.a)[self.rows]
        self.mass_b = as_masses(self.problem.b)[self.columns]

    def question(self, strategy, mass):
        asked = {"name": "rpw", "k": self.kappa, "diameter": 1}
        if mass is not None:
            asked = {"name": "partial_wasserstein", "mass": mass}
        return as_question(**asked, p=self.p, solver=strategy, need="plan")


def ask(case, strategy, mass=None):
    """The core's outcome for RPW, or for W at a given mass."""
    question = case.question(strategy, mass)
    return _core.solve(*case.problem.to_core(question, NEVER), question.to_core(), 1e300)


def seen_by_core(problem, scale):
    """The costs in units of scale**p, and the weights, of the atoms that carry mass."""
    cost = np.minimum((problem.cost[np.ix_(problem.rows, problem.columns)] / scale) ** problem.p, 1e290)
    total = min(problem.mass_a.sum(), problem.mass_b.sum())
    return cost, problem.mass_a / total, problem.mass_b / total


def check_plan(problem, outcome, cost, a, b):
    """Within the marginals, of the mass and the cost that are told; gives that mass."""
    rows, columns, masses = outcome.plan
    assert (masses > 0).all()
    assert len(set(zip(rows.tolist(), columns.tolist(), strict=True))) == len(rows)
    assert (np.bincount(rows, masses, len(a)) <= a + 1e-12).all()
    assert (np.bincount(columns, masses, len(b)) <= b + 1e-12).all()
    paid = float((masses * cost[rows, columns]).sum())
    told = (outcome.cost / outcome.scale) ** problem.p
    assert abs(paid - told) <= 1e-9 * max(outcome.multiplier, paid)
    return float(masses.sum()), paid


def check_potentials(outcome, cost, a, b):
    """Feasible over all pairs; gives the height of their line, F(1 - ε) >= height - λ ε."""
    u, v, multiplier = outcome.u, outcome.v, outcome.multiplier
    assert (u >= 0).all()
    assert (v >= 0).all()
    short = multiplier - cost - u[:, None] - v[None, :]
    assert short.max() <= 1e-12 * max(multiplier, u.max(), v.max())
    return multiplier - float(u @ a) - float(v @ b)


def same_number(problem, outcome, low, high, mass):
    """Equal to 1e-12. What rounding leaves is a share of λ, in units of costs (docs/proofs/rounding.md, "Rounding")."""
    if mass is None:
        return high - low <= 1e-12
    low_p, high_p = ((x / outcome.scale) ** problem.p for x in (low, high))
    return high - low <= 1e-12 * high or high_p - low_p <= 4e-14 * outcome.multiplier


def check_outcome(problem, outcome, mass):
    """The plan is a plan, the potentials prove that nothing is cheaper, and the bounds meet."""
    cost, a, b = seen_by_core(problem, outcome.scale)
    moved, paid = check_plan(problem, outcome, cost, a, b)
    height = check_potentials(outcome, cost, a, b)
    unmoved = outcome.value if mass is None else 1 - mass
    assert abs(moved - (1 - unmoved)) <= 1e-12
    proven = height - outcome.multiplier * unmoved
    assert abs(paid - proven) <= 1e-12 * max(outcome.multiplier, paid)
    if mass is None:
        allowed = problem.kappa * outcome.value / outcome.scale
        assert paid <= allowed**problem.p * (1 + 1e-9) + 4e-16 * outcome.multiplier  # ε is rounded, too
    assert outcome.status == _core.Status.exact
    assert outcome.lower <= outcome.value <= outcome.upper
    assert same_number(problem, outcome, outcome.lower, outcome.upper, mass)


def check_agreement(problem, mass=None, strategies=STRATEGIES):
    """All strategies answer alike, and prove it; gives the answer."""
    outcomes = [ask(problem, strategy, mass) for strategy in strategies]
    for outcome in outcomes:
        check_outcome(problem, outcome, mass)
    values = [outcome.value for outcome in outcomes]
    assert same_number(problem, outcomes[-1], min(values), max(values), mass), values
    ran = [outcome.solver for outcome in outcomes if outcome.iterations > 0]
    assert set(ran) <= {_core.Solver.walk, _core.Solver.simplex}
    return values[-1]


def draw_weights(rng, n):
    kind = rng.integers(6)
    if kind == 0:
        return np.ones(n)
    if kind == 1:
        return rng.dirichlet(np.ones(n)) + 1e-300
    if kind == 2:
        return rng.integers(1, 4, n).astype(float)
    if kind == 3:
        return 10 ** rng.uniform(-9, 0, n)
    if kind == 4:
        return 10 ** rng.uniform(-15, 0, n)
    weights = rng.random(n)
    weights[rng.random(n) < 0.3] = 0
    return weights if weights.sum() > 0 else np.ones(n)


def exponential_costs(n, m):
    """Costs over which a walk is long: 2^max(i, j), and dear on the diagonal."""
    i, j = np.arange(1, n + 1)[:, None], np.arange(1, m + 1)[None, :]
    return np.where(i == j, 2.0 ** (max(n, m) + 1), 2.0 ** np.maximum(i, j) - 1)


COSTS = {
    "random": lambda rng, n, m: rng.random((n, m)),
    "ties": lambda rng, n, m: rng.integers(0, 4, (n, m)).astype(float),
    "zero or one": lambda rng, n, m: rng.integers(0, 2, (n, m)).astype(float),
    "line": lambda rng, n, m: np.abs(rng.normal(size=(n, 1)) - rng.normal(size=m) - rng.choice([0, 1, 5])),
    "whole numbers on a line": lambda rng, n, m: np.abs(rng.integers(0, 9, (n, 1)) - rng.integers(0, 9, m)) + 0.0,
    "outer sum": lambda rng, n, m: rng.integers(0, 9, (n, 1)) + rng.integers(0, 9, m) + 0.0,
    "plane": lambda rng, n, m: np.linalg.norm(rng.random((n, 1, 2)) - rng.random((m, 2)), axis=2),
    "clouds apart": lambda rng, n, m: 3 + np.linalg.norm(rng.random((n, 1, 2)) - rng.random((m, 2)), axis=2),
    "constant": lambda rng, n, m: np.full((n, m), rng.random()),
    "nothing": lambda rng, n, m: np.zeros((n, m)),
    "wide": lambda rng, n, m: 10 ** rng.uniform(-6, 2, (n, m)),
    "exponential": lambda rng, n, m: exponential_costs(n, m),
}


def draw_problem(rng, kind):
    n, m = rng.integers(1, 14, 2) if rng.random() < 0.8 else rng.integers(1, 40, 2)
    cost, a, b = COSTS[kind](rng, n, m), draw_weights(rng, n), draw_weights(rng, m)
    p, k = float(rng.choice([1, 1.5, 2, 3])), 10.0 ** rng.integers(-2, 4)
    return Case(a, b, cost=cost, p=p, k=k)


@pytest.mark.sample(3)
@pytest.mark.parametrize("seed", range(SEEDS))
def test_strategies_agree_on_random_problems(seed):
    rng = np.random.default_rng([11, seed])
    for _ in range(RANDOM_PROBLEMS // SEEDS):
        problem = draw_problem(rng, rng.choice(list(COSTS)))
        mass = rng.choice([1.0, 0.5, rng.random()]) if rng.random() < 0.25 else None
        check_agreement(problem, mass)


@pytest.mark.parametrize("kind", COSTS)
def test_strategies_agree_on_some_dozens_of_points(kind):
    rng = np.random.default_rng([14, len(kind)])
    for k in 10 ** rng.uniform(-2, 3, 12):
        n, m = rng.integers(32, 90, 2)
        cost, a, b = COSTS[kind](rng, n, m), draw_weights(rng, n), draw_weights(rng, m)
        check_agreement(Case(a, b, cost=cost, p=float(rng.choice([1, 1.5, 2, 3])), k=k))


def curve(rng, n, phase):
    """Points on a spiral."""
    t = 6 * np.pi * rng.random(n)
    return np.c_[t * np.cos(t + phase), t * np.sin(t + phase)] / 20


def structured(name):
    """Inputs of some size on which one strategy is much slower than the other."""
    rng = np.random.default_rng([12, len(name)])
    n, m = {"one against many": (1, 400), "many against three": (300, 3)}.get(name, (60, 50))
    uniform, uneven = (np.ones(n), np.ones(m)), (rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(m)))
    if name in COSTS:
        return COSTS[name](rng, n, m), *uneven
    if name == "line, equal weights":
        return COSTS["line"](rng, n, m), *uniform
    if name == "spirals":
        return np.linalg.norm(curve(rng, n, 0)[:, None] - curve(rng, m, 0.3), axis=2), *uniform
    if name == "weights over 15 orders":
        return COSTS["plane"](rng, n, m), 10 ** rng.uniform(-15, 0, n), 10 ** rng.uniform(-15, 0, m)
    if name == "weights of zero":
        return COSTS["plane"](rng, n, m), np.arange(n) % 3 + 0.0, np.arange(m) % 2 + 0.0
    return COSTS["plane"](rng, n, m), *uneven


STRUCTURED = (
    "line",
    "line, equal weights",
    "ties",
    "zero or one",
    "outer sum",
    "clouds apart",
    "constant",
    "spirals",
    "weights over 15 orders",
    "weights of zero",
    "one against many",
    "many against three",
)


@pytest.mark.parametrize("name", STRUCTURED)
@pytest.mark.parametrize("p", [1.0, 2.0])
def test_strategies_agree_on_structured_inputs(name, p):
    cost, a, b = structured(name)
    for k in (0.1, 1.0, 10.0, 100.0):
        check_agreement(Case(a, b, cost=cost, p=p, k=k))
    for mass in (0.3, 0.999, 1.0):
        check_agreement(Case(a, b, cost=cost, p=p, k=1.0), mass)


@pytest.mark.parametrize("strategy", ["simplex", "exact"])
def test_equal_costs_need_no_long_search(strategy):
    """At the price of the nearest neighbours nothing moves yet; trying that price again and again is no way on."""
    n = 100
    problem = Case(np.ones(n), np.ones(n), cost=np.full((n, n), 0.5), p=1, k=10)
    outcome = ask(problem, strategy)
    assert outcome.value == pytest.approx(0.5 / 10.5, rel=1e-14)
    assert outcome.iterations <= 3 * n < ask(problem, "walk").iterations


@pytest.mark.parametrize("mass", [0.5, 1.0])
def test_strategies_agree_on_costs_of_many_orders(mass):
    """What a search finds at a λ far above the cheap costs is proven, or asked of the walk."""
    rng = np.random.default_rng(0)
    for _ in range(400):
        n, m = rng.integers(1, 90, 2)
        a, b = (rng.dirichlet(np.ones(size)) for size in (n, m))
        check_agreement(Case(a, b, cost=10 ** rng.uniform(-6, 2, (n, m)), p=3, k=1.0), mass)


class Exponential:
    """Costs 2^max(i, j) - 1, and 2^(n+1) on the diagonal; weights 2^i. Its profile has 2^(n-1) + 1 breakpoints.

    docs/proofs/simplex.md, "Two strategies", derives the values at the masses (2^m - 2) / (2^n - 1).
    """

    def __init__(self, n, common=0.0):
        self.n, self.common = n, common
        self.cost = exponential_costs(n, n) + common
        self.weights = 2.0 ** np.arange(1, n + 1)

    def mass(self, m):
        return (2.0**m - 2) / (2.0**self.n - 1)

    def value(self, m):
        """F at that mass (p = 1)."""
        return self.mass(m) * (2.0**m - 1 + self.common)

    def full(self):
        """F(1): the rest, 2 / (2^(n+1) - 2), has to take the diagonal."""
        return self.value(self.n) + (2.0 ** (self.n + 1) + self.common) / (2.0**self.n - 1)

    def problem(self, kappa):
        return Case(self.weights, self.weights, cost=self.cost, p=1.0, k=kappa)


@pytest.mark.parametrize("n", [4, 9, 24, pytest.param(48, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("is_metric", [False, True])
def test_the_exponential_example_has_its_known_values(n, is_metric):
    example = Exponential(n, common=2.0 ** (n + 1) if is_metric else 0.0)
    strategies = STRATEGIES if n < 12 else ("simplex", "exact")  # a walk over 2^23 breakpoints takes seconds
    assert check_agreement(example.problem(1.0), 1.0, strategies) == pytest.approx(example.full(), rel=1e-12)
    for m in {2, n // 2, n - 1, n}:
        mass, value = example.mass(m), example.value(m)
        rounding = 4e-16 * (2.0 ** (m + 1) + example.common)  # of the smallest weights and of the mass asked for
        found = check_agreement(example.problem(1.0), mass, strategies)
        assert found == pytest.approx(value, rel=1e-12, abs=rounding)
        crossed = check_agreement(example.problem(value / (1 - mass)), None, strategies)
        assert crossed == pytest.approx(1 - mass, abs=1e-12)


def one_against_many(cost, weights, kappa):
    """RPW with p = 1 and W, by sorting: the one point sends its mass to the nearest first."""
    order = np.argsort(cost)
    paid, unmoved = 0.0, 1.0
    rpw = None
    for length, weight in zip(cost[order], weights[order], strict=True):
        end = unmoved - weight
        if rpw is None and kappa * end <= paid + length * weight:
            rpw = (paid + length * unmoved) / (kappa + length)
        paid, unmoved = paid + length * weight, end
    return rpw, paid


@pytest.mark.parametrize("many", [1, 7, 3000])
@pytest.mark.parametrize("is_turned", [False, True])
def test_one_against_many_is_solved_by_sorting(many, is_turned):
    rng = np.random.default_rng([13, many])
    cost, weights = rng.random(many), rng.dirichlet(np.ones(many))
    for kappa in (0.05, 1.0, 30.0):
        rpw, full = one_against_many(cost, weights, kappa)
        one, matrix = np.ones(1), cost[None, :]
        given = (weights, one, matrix.T.copy()) if is_turned else (one, weights, matrix)
        problem = Case(*given[:2], cost=given[2], p=1.0, k=kappa)
        assert check_agreement(problem) == pytest.approx(rpw, abs=1e-12)
        assert check_agreement(problem, 1.0) == pytest.approx(full, rel=1e-12)


def wide_weights(seed):
    rng = np.random.default_rng(seed)
    n, m = rng.integers(5, 80, 2)
    x, y = rng.random((n, 2)), rng.random((m, 2))
    a, b = 10.0 ** rng.uniform(-18, 0, n), 10.0 ** rng.uniform(-18, 0, m)
    return {"cost": cdist(x, y), "a": a, "b": b}


@pytest.mark.parametrize("first", range(0, 1000, 250))
def test_weights_over_many_orders_come_to_an_end(first):
    """One in a hundred went on for ever: a plan that had moved next to nothing led to a λ below 0."""
    for seed in range(first, first + 250):
        pair = wide_weights(seed)
        p, k = [1, 2, 3][seed % 3], [0.1, 1, 10, 1000][seed % 4]
        result = rpw.solve(**pair, p=p, k=k, diameter=1, time_limit=20)
        assert result.status == "exact", seed
        assert result.distance == pytest.approx(rpw.distance(**pair, p=p, k=k, diameter=1, solver="walk"), rel=1e-9)


SEEDS_OF_SEVERAL = [1467, 1849, 2009, 2184, 2481, 3046, 3289, 3858, 3904, 4444, 4965, 5177, 5349, 5451, 5527, 5596]


@pytest.mark.sample(12)
@pytest.mark.parametrize("seed", [*SEEDS_OF_SEVERAL, *range(50)])
def test_several_prices_from_one_search_equal_single_ones(seed):
    """On the first sixteen a walk that a vertex had overtaken went on, and took the slope of that vertex with it."""
    rng = np.random.default_rng(seed)
    n, m = rng.integers(5, 120, 2)
    d = int(rng.integers(1, 4))
    x, y = rng.random((n, d)), rng.random((m, d))
    a, b = (rng.dirichlet(np.ones(size) * rng.choice([0.3, 1, 5])) for size in (n, m))
    p, ks = float(rng.choice([1, 1.5, 2, 3])), sorted(10 ** rng.uniform(-2, 2.5, 5))
    pair = [rpw.Measure(x, a), rpw.Measure(y, b)]
    at_once = rpw.pairwise(pair, k=ks, p=p, diameter=1)[:, 0, 1]
    np.testing.assert_allclose(at_once, [rpw.distance(*pair, p=p, k=k, diameter=1) for k in ks], rtol=1e-10)
