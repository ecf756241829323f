"""The compiled core in a real browser gives Python's numbers, to 1e-12, over 500 random problems."""

import warnings

import numpy as np
import pytest

import rpw
from rpw import _core

pytestmark = pytest.mark.xdist_group("browser")

INF = float("inf")
COUNT = 500
CLOSE = 1e-12
P = (1.0, 1.5, 2.0, 3.0, 7.0, INF)
K = (0.0, 0.02, 0.3, 1.0, 4.0, 60.0)
METRICS = ("euclidean", "cityblock", "chebyshev")

ASK = """async (problems) => {
    const answers = [];
    for (const problem of problems) {
        const what = ["crossing", "transport", "profile", "places"];
        const p = problem.p ?? Infinity;
        const { crossing, transport, profile, places } = await playground.askOnce({ ...problem, p, what });
        const lists = (answer, ...names) => names.map((name) => Array.from(answer[name]));
        answers.push({
            errors: [crossing, transport, profile, places].map((answer) => answer.error ?? ""),
            crossing: [crossing.distance, crossing.lower, crossing.upper, crossing.planCost, crossing.moved],
            isExact: crossing.isExact && transport.isExact,
            plan: lists(crossing, "row", "column", "mass"),
            unmatched: lists(crossing, "unmatchedA", "unmatchedB"),
            transport: [transport.distance, transport.lower, transport.upper],
            profile: lists(profile, "alpha", "cost"),
            places: [...lists(places, "alpha", "cost"), places.isWhole],
        });
    }
    return answers;
}"""


def problem(rng, largest):
    """Clouds on a line or in the plane: with or without weights, ties, equal points and points without weight."""
    n, m, d = rng.integers(1, largest), rng.integers(1, largest), rng.integers(1, 3)
    x, y = rng.normal(size=(n, d)), rng.normal(size=(m, d)) + rng.choice([0, 0.3, 2])
    if rng.random() < 0.35:  # a lattice: many distances and many points are equal
        x, y = np.round(2 * x) / 2, np.round(2 * y) / 2
    if rng.random() < 0.3:
        y[rng.integers(m)] = 30.0
    if rng.random() < 0.2:
        x, y = 1e-3 * x, 1e-3 * y
    a, b = (rng.random(size) * (rng.random(size) < 0.9) if rng.random() < 0.5 else np.ones(size) for size in (n, m))
    a, b = (w if w.any() else np.ones_like(w) for w in (a, b))
    return {
        "x": x, "y": y, "a": a, "b": b, "p": float(rng.choice(P)), "k": float(rng.choice(K)),
        "diameter": float(rng.choice([1.0, 3.0, 0.4])), "metric": str(rng.choice(METRICS)),
    }  # fmt: skip


def as_job(given):
    sides = {"a": ("x", "a"), "b": ("y", "b")}
    clouds = {
        side: {"points": given[points].ravel().tolist(), "weights": given[weights].tolist()}
        for side, (points, weights) in sides.items()
    }
    p = None if np.isinf(given["p"]) else given["p"]
    dimension = given["x"].shape[1]
    return {
        **clouds,
        "dimension": dimension,
        "metric": given["metric"],
        "p": p,
        "kappa": given["k"] * given["diameter"],
    }


def close(found, true, scale=1.0):
    np.testing.assert_allclose(found, true, rtol=CLOSE, atol=CLOSE * scale)


def check(given, found):
    measures = [given[name] for name in "xyab"]
    options = {"p": given["p"], "metric": given["metric"]}
    priced = {**options, "k": given["k"], "diameter": given["diameter"]}
    assert found["errors"] == [""] * 4
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result, whole = rpw.solve(*measures, **priced), rpw.profile(*measures, **options)
        transport = rpw.wasserstein(*measures, **options)
    assert found["isExact"]
    close(found["crossing"], [result.distance, result.lower, result.upper, result.cost, 1 - result.distance])
    close(found["transport"], transport)
    check_plan(given, found, result)
    check_profile(given["p"], found, whole)
    *places, is_whole = found["places"]
    assert is_whole
    check_places(*map(np.array, places), whole)


def check_plan(given, found, result):
    """Ties leave a choice between plans. What is found is a plan that moves as much, and costs no more."""
    row, column, mass = (np.array(each) for each in found["plan"])
    row, column = row.astype(int), column.astype(int)
    a, b = (given[name] / given[name].sum() for name in "ab")
    left_a, left_b = (np.array(each) for each in found["unmatched"])
    close(np.bincount(row, mass, minlength=len(a)) + left_a, a)
    close(np.bincount(column, mass, minlength=len(b)) + left_b, b)
    close(mass.sum(), 1 - result.distance)
    assert (mass > 0).all()
    order = {"euclidean": 2, "cityblock": 1, "chebyshev": INF}[given["metric"]]
    lengths = np.linalg.norm(given["x"][row] - given["y"][column], ord=order, axis=1)
    longest = lengths.max(initial=0)
    if np.isinf(given["p"]) or longest == 0:
        cost = longest
    else:
        cost = longest * ((lengths / longest) ** given["p"] @ mass) ** (1 / given["p"])
    close(cost, found["crossing"][3])


def check_profile(p, found, whole):
    """In p-th powers, relative to the end: near 0 a p-th root would make much of little."""
    alpha, cost = map(np.array, found["profile"])
    end = whole(1.0) or 1.0
    if np.isinf(p):
        assert len(alpha) == len(whole.mass)
        close(alpha, whole.mass)
        close(cost, whole.cost_p)
        return
    power = (cost / end) ** p
    close(power, np.interp(alpha, whole.mass, whole.cost_p / end**p))
    close(np.interp(whole.mass, alpha, power), whole.cost_p / end**p)


def check_places(alpha, cost, whole):
    """The line through the places is the profile, but for so much of the picture, across or up."""
    masses = np.linspace(0, 1, 201)
    assert (np.diff(alpha) >= 0).all()
    assert (np.diff(cost) >= 0).all()
    check_on(masses, np.interp(masses, alpha, cost), whole, far=1 / 40 + 1 / 128)


def check_on(alpha, cost, whole, far):
    end = whole(1.0)
    assert (cost >= whole(np.maximum(alpha - far, 0)) - far * end).all()
    assert (cost <= whole(np.minimum(alpha + far, 1)) + far * end).all()


@pytest.fixture(scope="module")
def rng():
    return np.random.default_rng(20240531)


@pytest.mark.parametrize("count", [80, pytest.param(COUNT, marks=pytest.mark.thorough)])
def test_random_problems(opened, plain_page, count):
    rng = np.random.default_rng(20240531)
    given = [problem(rng, 28) for _ in range(count)]
    assert {each["p"] for each in given} == set(P)
    assert {each["k"] for each in given} == set(K)
    found = opened(plain_page).evaluate(ASK, [as_job(each) for each in given])
    assert len(found) == count
    for number, (one, other) in enumerate(zip(given, found, strict=True)):
        try:
            check(one, other)
        except AssertionError as error:
            shown = {name: value for name, value in one.items() if name not in "xyab"}
            raise AssertionError(
                f"problem {number}, {one['x'].shape} and {one['y'].shape}, {shown}: {error}"
            ) from error


@pytest.mark.thorough
@pytest.mark.parametrize("p", [1.0, 2.0, INF])
def test_many_points(opened, plain_page, rng, p):
    """Enough pairs for trees, which are asked for by name there."""
    x, y = rng.normal(size=(620, 2)), rng.normal([0.5, 0], size=(560, 2))
    given = {"x": x, "y": y, "a": np.ones(620), "b": rng.random(560), "p": p, "k": 0.5, "diameter": 4.0}
    given["metric"] = "euclidean"
    (found,) = opened(plain_page).evaluate(ASK, [as_job(given)])
    check(given, found)


def test_a_time_limit_leaves_proven_bounds(opened, plain_page, rng):
    x, y = rng.normal(size=(1500, 2)), rng.normal([0.5, 0], size=(1500, 2))
    given = {"x": x, "y": y, "a": np.ones(1500), "b": np.ones(1500), "p": 1.0, "k": 0.5, "diameter": 4.0}
    job = as_job({**given, "metric": "euclidean"}) | {"what": ["crossing"], "seconds": 0.005}
    found = opened(plain_page).evaluate(
        "async (job) => { const { crossing } = await playground.askOnce(job);"
        " return [crossing.lower, crossing.upper, crossing.mass.reduce((sum, each) => sum + each, 0)]; }",
        job,
    )
    true = rpw.distance(x, y, p=1, k=0.5, diameter=4)
    assert found[0] - 1e-12 <= true <= found[1] + 1e-12
    assert found[0] < found[1]
    assert abs(found[2] - (1 - found[1])) < 1e-9


ASK_LEADING = """async (jobs) => {
    const columns = [];
    for (const job of jobs) columns.push((await playground.askOnce({ ...job, what: ["leading"] })).leading.numbers[0]);
    return columns;
}"""


def test_the_leading_column_is_that_of_python(opened, plain_page):
    rng = np.random.default_rng(7)
    given = [problem(rng, 40) for _ in range(60)]
    for each in given:
        units = 10.0 ** rng.integers(-3, 4, each["x"].shape[1])
        each["x"], each["y"] = units * each["x"], units * each["y"]
        # An atom without mass is in no cloud.
        each["x"], each["y"] = each["x"][each["a"] > 0], each["y"][each["b"] > 0]
        each["a"], each["b"] = each["a"][each["a"] > 0], each["b"][each["b"] > 0]
    found = opened(plain_page).evaluate(ASK_LEADING, [as_job(each) for each in given])
    true = [_core.leading_column(each["x"], each["y"]) for each in given]
    assert {None, 0, 1} <= set(true)
    assert found == [-1 if column is None else column for column in true]
