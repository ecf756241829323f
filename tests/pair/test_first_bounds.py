"""What is proven early: bounds without a matrix, and the best of all that a search saw before time was up."""

import itertools
import math

import numpy as np
import pytest
from checks import check_plan
from scipy.spatial.distance import cdist

import rpw
from rpw.base.deadline import NEVER, deadline_after
from rpw.pair import first_bounds, solvers
from rpw.pair.problem import as_problem
from rpw.pair.question import as_question

INF = math.inf


def clouds(rng, n, m, dimension):
    x, y = rng.random((n, dimension)), rng.random((m, dimension))
    if rng.random() < 0.3:
        x, y = np.round(3 * x), np.round(3 * y)
    if rng.random() < 0.5:
        y[: m // 8] += 10.0 ** rng.integers(0, 9)
    a, b = (rng.random(size) * (rng.random(size) < 0.8) + 1e-9 if rng.random() < 0.5 else None for size in (n, m))
    return x, y, a, b


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "chebyshev"])
@pytest.mark.parametrize("p", [1, 2, 8, INF])
def test_the_answer_lies_between_the_first_bounds(p, metric, monkeypatch):
    monkeypatch.setattr(first_bounds, "_MANY_PAIRS", 0)
    for seed in range(25):
        rng = np.random.default_rng(seed)
        x, y, a, b = clouds(rng, *rng.integers(2, 40, 2), int(rng.integers(2, 6)))
        kappa = 10.0 ** rng.integers(-3, 4)
        problem, question = as_problem(x, y, a, b, metric=metric), as_question(p=p, k=kappa / 2, diameter=2)
        found = first_bounds.first_bounds(problem, question, deadline_after(600))
        exact = rpw.distance(x, y, a, b, p=p, k=kappa, diameter=1, metric=metric)
        assert found.lower <= exact * (1 + 1e-9)
        assert exact <= found.upper * (1 + 1e-9)
        if found.plan is not None:
            result = rpw.solve(x, y, a, b, p=p, k=kappa, diameter=1, metric=metric)
            better = solvers._better_of(solvers.as_result(problem, question, None), found)
            assert better.upper == better.distance == found.upper
            assert better.lower <= result.distance * (1 + 1e-9)
            check_plan(better, cdist(x, y, metric), a, b, p, kappa)


def test_without_a_deadline_nothing_is_spent_on_them():
    x, y = np.random.default_rng(0).random((2, 1100, 2))
    problem, question = as_problem(x, y, None, None), as_question()
    assert first_bounds.first_bounds(problem, question, NEVER).plan is None
    assert first_bounds.first_bounds(problem, question, deadline_after(600)).plan is not None
    assert first_bounds.first_bounds(problem, question, deadline_after(0)).upper == INF


def test_a_cost_that_is_cut_off_keeps_what_was_proven_of_it():
    """A cost in raw units is often more than 1, and so are its bounds."""
    x, y = 1000 * np.random.default_rng(0).random((2, 30, 2))
    problem, question = as_problem(x, y, None, None), as_question("wasserstein")
    proven = solvers.solve(problem, question)
    assert proven.lower > 1
    kept = solvers._better_of(proven, first_bounds.first_bounds(problem, question, deadline_after(600)))
    assert (kept.lower, kept.upper) == (proven.lower, proven.upper)


@pytest.fixture(scope="module")
def large():
    """Seconds of work for an exact answer, and some tenths for the matrix alone."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 6000, 3))
    y[:300] += 100
    return x, y, rng.dirichlet(np.ones(6000)), rng.dirichlet(np.ones(6000))


def test_something_is_known_in_a_tenth_of_a_second(large):
    """300 of 6,000 points are outliers; their weights say how much must stay at least, but for what is beside them."""
    outliers = large[3][:300].sum()
    limit = 3  # far more than the promise, since others may use the machine too
    result = rpw.solve(*large, k=1, diameter=8, time_limit=limit)
    assert 0.9 * outliers < result.lower <= result.upper < outliers + 0.2
    dear = {"k": 100, "diameter": 8, "time_limit": limit}  # takes several times as long
    result = rpw.solve(*large, **dear)
    assert result.status == "time_limit"
    assert 0.3 * outliers < result.lower < result.upper < outliers + 0.2
    with pytest.raises(rpw.TimeLimitError) as caught:
        rpw.distance(*large, **dear)
    assert 0.3 * outliers < caught.value.lower < caught.value.upper < outliers + 0.2


def test_bounds_do_not_get_worse_with_time(large):
    """Each limit proves an interval around the answer, and ten times as much time proves no less."""
    x, y, a, b = (part[:1500] for part in large)
    results = [rpw.solve(x, y, a, b, k=1, diameter=8, time_limit=t) for t in (0.05, 0.5, 60)]
    assert results[-1].status == "exact"
    for early, late in itertools.pairwise(results):
        assert early.lower <= results[-1].distance <= early.upper
        assert late.upper <= early.upper * (1 + 1e-9)
        assert late.lower >= early.lower * (1 - 1e-9)


@pytest.mark.parametrize("solver", ["auto", "walk", "simplex"])
@pytest.mark.parametrize("p", [1, 2, 5])
def test_plans_of_searches_that_were_cut_off(solver, p):
    rng = np.random.default_rng(3)
    x, y, a, b = rng.random((700, 4)), rng.random((650, 4)), rng.dirichlet(np.ones(700)), rng.dirichlet(np.ones(650))
    cost, exact = cdist(x, y), rpw.distance(x, y, a, b, p=p, k=2, diameter=1)
    for limit in (0.02, 0.04, 0.08, 0.15, 0.3):
        result = rpw.solve(cost=cost, a=a, b=b, p=p, k=2, diameter=1, solver=solver, time_limit=limit)
        assert result.lower <= exact * (1 + 1e-9)
        assert exact <= result.upper * (1 + 1e-9)
        check_plan(result, cost, a, b, p, 2)


def bounds_by(time_limit, *clouds, **options):
    """What `rpw.distance` knows by then: the number twice, or the bounds in its error."""
    try:
        found = rpw.distance(*clouds, **options, time_limit=time_limit)
    except rpw.TimeLimitError as error:
        return error.lower, error.upper, False
    return found, found, True


@pytest.mark.parametrize("time_limit", [0.1, 0.2, 0.4, 0.8, 1.6])
def test_bounds_that_have_met_are_an_answer_although_time_is_up(time_limit):
    """Equal clouds in another order: the curve through space finds every point again, long before the matrix is built.

    How far a machine gets is its own affair; what the bounds say has to fit to them.
    """
    rng = np.random.default_rng(5)
    x = rng.random((8000, 2))
    y = rng.permutation(x)
    result = rpw.solve(x, y, diameter=1, time_limit=time_limit)
    assert (result.status == "time_limit") == (result.upper > 0)
    lower, upper, is_answer = bounds_by(time_limit, x, y, diameter=1)
    assert lower == 0
    assert is_answer == (upper == 0)


@pytest.mark.parametrize("time_limit", [0.1, 0.2, 0.4, 0.8])
def test_bounds_within_tol_are_an_answer_although_time_is_up(time_limit):
    rng = np.random.default_rng(6)
    x, y = rng.random((2, 6000, 2))
    result = rpw.solve(x, y, diameter=1, tol=0.1, time_limit=time_limit)
    assert (result.status == "time_limit") == (result.gap > 0.1)
    lower, upper, is_answer = bounds_by(time_limit, x, y, diameter=1, tol=0.1)
    assert is_answer or upper - lower > 0.1
