"""What is proven early: bounds without a matrix, and the best of all that a search saw before time was up."""

import itertools
import math

import numpy as np
import pytest
from checks import check_plan
from scipy.spatial.distance import cdist

import rpw

INF = math.inf


def clouds(rng, n, m, dimension):
    x, y = rng.random((n, dimension)), rng.random((m, dimension))
    if rng.random() < 0.3:
        x, y = np.round(3 * x), np.round(3 * y)
    if rng.random() < 0.5:
        y[: m // 8] += 10.0 ** rng.integers(0, 9)
    a, b = (rng.random(size) * (rng.random(size) < 0.8) + 1e-9 if rng.random() < 0.5 else None for size in (n, m))
    return x, y, a, b


@pytest.mark.sample(3)
@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "chebyshev"])
@pytest.mark.parametrize("p", [1, 2, 8, INF])
def test_the_answer_lies_between_the_first_bounds(p, metric):
    """From 2**20 pairs on, cells of points say something before a solve: with far outliers, ties and any weights."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        x, y, a, b = clouds(rng, *rng.integers(1030, 1500, 2), int(rng.integers(2, 6)))
        kappa = 10.0 ** rng.integers(-3, 4)
        asked = {"p": p, "k": kappa, "diameter": 1, "metric": metric}
        exact = rpw.distance(x, y, a, b, **asked)
        for limit in (0.002, 0.01, 0.03):
            result = rpw.solve(x, y, a, b, **asked, time_limit=limit)
            assert result.lower <= exact * (1 + 1e-9)
            assert exact <= result.upper * (1 + 1e-9)
            check_plan(result, cdist(x, y, metric), a, b, p, kappa)


@pytest.mark.sample(2)
@pytest.mark.parametrize("mass", [1.0, 0.7])
@pytest.mark.parametrize("p", [1, 2, INF])
def test_so_does_a_cost(p, mass):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        x, y, a, b = clouds(rng, *rng.integers(1030, 1500, 2), 2)
        exact = rpw.partial_wasserstein(x, y, a, b, p=p, mass=mass)
        for limit in (0.002, 0.02, 0.1):
            result = rpw.transport(x, y, a, b, p=p, mass=mass, time_limit=limit)
            assert result.lower <= exact * (1 + 1e-9)
            assert exact <= result.upper * (1 + 1e-9)
            assert result.plan.sum() == pytest.approx(mass, rel=1e-9)


def bound_by_potentials(result, a, b, p, kappa):
    """The lower bound on RPW that potentials prove, by bisection: F(1 - e) >= height - multiplier * e."""
    f, g = result.potentials
    height, low, high = result.multiplier + a @ f + b @ g, 0.0, 1.0
    for _ in range(100):
        middle = (low + high) / 2
        proves_more = max(0.0, height - result.multiplier * middle) ** (1 / p) > kappa * middle
        low, high = (middle, high) if proves_more else (low, middle)
    return low


@pytest.mark.sample(1)
@pytest.mark.parametrize("given", ["cost", "points"])
def test_potentials_prove_the_lower_bound_or_there_are_none(given):
    """Searches know bounds from vertices that they have left; what they return must be what they prove."""
    without, limits = 0, np.geomspace(5e-4, 5e-3, 200)
    for seed, limit in enumerate(limits.tolist()):
        rng, n, p, kappa = np.random.default_rng(seed), 200, 1 + seed % 2, 30.0
        x, y, a, b = rng.random((n, 3)), rng.random((n, 3)), rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(n))
        cost = cdist(x, y)
        arguments = {"cost": cost} if given == "cost" else {"x": x, "y": y, "solver": "points"}
        result = rpw.solve(**arguments, a=a, b=b, p=p, k=kappa, diameter=1, time_limit=limit)
        if result.potentials is None:
            without += 1
            continue
        f, g = result.potentials
        assert (f[:, None] + g <= cost**p - result.multiplier + 1e-9).all()
        assert result.lower <= bound_by_potentials(result, a, b, p, kappa) * (1 + 1e-6) + 1e-9
    assert without < 200


@pytest.mark.thorough
@pytest.mark.parametrize(
    "ask", ["rpw.solve(x, y, p=np.inf, diameter=1, time_limit=3)", "rpw.levy_prokhorov(x, y, time_limit=3)"]
)
def test_something_is_known_of_very_many_points_at_infinity(ask):
    """A curve through space took longer than any limit, and proved nothing where time was up before its end."""
    x, y = np.random.default_rng(0).random((2, 300_000, 2))
    try:
        result = eval(ask, {"rpw": rpw, "np": np, "x": x, "y": y})
        lower, upper = result.lower, result.upper
    except rpw.TimeLimitError as error:
        lower, upper = error.lower, error.upper
    assert 0 <= lower < upper < 0.9


@pytest.fixture(scope="module")
def large():
    """A quarter of a minute of work for an exact answer at k = 100."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 20_000, 3))
    y[:1000] += 100
    return x, y, rng.dirichlet(np.ones(20_000)), rng.dirichlet(np.ones(20_000))


@pytest.mark.thorough
def test_something_is_known_in_a_tenth_of_a_second(large):
    """One point in twenty is an outlier; their weights say how much must stay, but for what is beside them."""
    outliers = large[3][:1000].sum()
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
    """Equal clouds in another order: cells may find every point again before the search does.

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
