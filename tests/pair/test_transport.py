"""Plans of W, partial W and λ-ROBOT: feasible, of the cost that is stated, and proven to be the cheapest."""

import math
import pickle

import numpy as np
import oracles
import ot
import pytest

import rpw

INF = math.inf


def random_problem(rng):
    """A small problem: ties, weights of 0, n ≠ m."""
    n, m = rng.integers(1, 7, 2)
    x, y = (
        rng.integers(0, 5, (n, 2)) / 4 + 0.0,
        rng.random((m, 2)) if rng.random() < 0.5 else rng.integers(0, 5, (m, 2)),
    )
    a, b = rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(m))
    if n > 1 and rng.random() < 0.3:
        a[0] = 0
    return x, y, a / a.sum(), b


def check_feasible(result, a, b):
    """The plan stays within the marginals, and what it leaves is what is said to be unmatched."""
    plan = result.plan.toarray()
    assert plan.min(initial=0) >= 0
    np.testing.assert_allclose(plan.sum(axis=1) + result.unmatched_a, a, atol=1e-15)
    np.testing.assert_allclose(plan.sum(axis=0) + result.unmatched_b, b, atol=1e-15)
    assert plan.sum() == pytest.approx(result.mass, abs=1e-14)
    assert result.unmatched_a.sum() == pytest.approx(1 - result.mass, abs=1e-13)
    return plan


def check_potentials(result, cost, a, b, p):
    """f, g <= 0 are feasible, and their line touches the profile at the mass of the plan."""
    f, g = result.potentials
    assert f.max() <= 0
    assert g.max() <= 0
    assert (f[:, None] + g - cost**p + result.multiplier).max() <= 1e-12
    return result.multiplier * result.mass + a @ f + b @ g


def cost_of(plan, cost, p):
    return float(cost[plan > 0].max(initial=0.0)) if math.isinf(p) else float((plan * cost**p).sum() ** (1 / p))


def test_small_problems_against_linear_programmes():
    rng = np.random.default_rng(0)
    for _ in range(250):
        x, y, a, b = random_problem(rng)
        p, mass = rng.choice([1, 1.5, 2, 3]), rng.choice([0, 0.3, 0.75, 1, 1])
        cost = oracles.euclidean(x, y)
        result = rpw.transport(x, y, a, b, p=p, mass=mass)
        plan = check_feasible(result, a, b)
        assert result.distance == result.cost
        assert result.mass == mass
        assert result.distance**p == pytest.approx(oracles.lp_cost_p(cost, a, b, p, mass), abs=1e-9)
        assert cost_of(plan, cost, p) == pytest.approx(result.distance, rel=1e-12, abs=1e-12)
        assert check_potentials(result, cost, a, b, p) == pytest.approx(result.distance**p, abs=1e-12)
        assert result.lower <= result.distance == result.upper
        assert result.gap <= 1e-12 * result.upper


@pytest.mark.sample(1)
@pytest.mark.parametrize("mass", [0.25, 0.8, 1])
def test_the_longest_way_at_infinity(mass):
    rng = np.random.default_rng(1)
    for _ in range(30):
        x, y, a, b = random_problem(rng)
        result = rpw.transport(x, y, a, b, p=INF, mass=mass)
        plan = check_feasible(result, a, b)
        cost = oracles.euclidean(x, y)
        assert result.distance == pytest.approx(oracles.lp_partial(cost, a, b, INF, mass), abs=1e-12)
        assert cost_of(plan, cost, INF) == pytest.approx(result.distance, abs=1e-12)
        assert result.potentials is None
        assert result.multiplier is None


# ---------------------------------------------------------------- as POT tests its own


def test_the_cases_of_pot_for_emd():
    """A measure against itself, against another, and of different sizes: ot.emd's cost and marginals."""
    rng = np.random.RandomState(0)
    x, y, u, w = rng.randn(100, 2), rng.randn(50, 2), ot.utils.unif(100), ot.utils.unif(50)
    own = rpw.transport(x, x, u, u)
    np.testing.assert_allclose(own.plan.toarray(), np.diag(u), atol=1e-15)
    assert own.distance == 0
    cost = ot.dist(x, y, metric="euclidean")
    for p in (1, 2):
        result = rpw.transport(cost=cost, a=u, b=w, p=p)
        plan = check_feasible(result, u, w)
        assert result.distance**p == pytest.approx(ot.emd2(u, w, cost**p), rel=1e-10)
        np.testing.assert_allclose(plan.sum(axis=1), u, atol=1e-15)
        np.testing.assert_allclose(plan.sum(axis=0), w, atol=1e-15)


@pytest.mark.parametrize("mass", [0.1, 0.5, 0.9])
def test_the_cases_of_pot_for_partial_wasserstein(mass):
    rng = np.random.RandomState(42)
    x = np.concatenate([rng.multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]], 20), 10 + rng.randn(5, 2)])
    y = np.concatenate([rng.multivariate_normal([1, 1], [[1, -0.4], [-0.4, 1]], 20), -10 + rng.randn(5, 2)])
    u = ot.utils.unif(25)
    cost = ot.dist(x, y, metric="euclidean")
    result = rpw.transport(cost=cost, a=u, b=u, p=2, mass=mass)
    check_feasible(result, u, u)
    theirs = ot.partial.partial_wasserstein(u, u, cost**2, m=mass)
    assert result.distance**2 == pytest.approx((theirs * cost**2).sum(), rel=1e-9)


def test_rows_that_are_priced_in_stretches():
    """Many columns: the cheap ones anywhere, all on the left, or all on the right."""
    rng = np.random.default_rng(0)
    for rows, columns in ((200, 700), (300, 1100)):
        cost, a, b = rng.random((rows, columns)), rng.dirichlet(np.ones(rows)), rng.dirichlet(np.ones(columns))
        rising = np.sort(cost, axis=1)
        for case in (cost, rising, np.ascontiguousarray(rising[:, ::-1])):
            expected = ot.emd2(a, b, case, numItermax=10**7)
            assert rpw.wasserstein(cost=case, a=a, b=b, p=1) == pytest.approx(expected, rel=1e-9)


# ---------------------------------------------------------------- λ-ROBOT


@pytest.mark.parametrize("p", [1, 2, 3.5, INF])
def test_robot_leaves_what_is_too_far(p):
    rng = np.random.default_rng(2)
    for _ in range(60):
        x, y, a, b = random_problem(rng)
        lam = rng.choice([0.1, 0.25, 0.5, 3])
        cost = oracles.euclidean(x, y)
        result = rpw.transport(x, y, a, b, p=p, lam=lam)
        plan = check_feasible(result, a, b)
        assert (cost[plan > 0] < 2 * lam).all()
        assert result.distance == result.cost == pytest.approx(rpw.robot(x, y, a, b, p=p, lam=lam), rel=1e-12)
        left = 1 - plan.sum()
        if math.isinf(p):
            assert result.distance == pytest.approx(max(cost_of(plan, cost, p), 2 * lam * (left > 1e-12)), rel=1e-12)
            continue
        priced = (plan * cost**p).sum() + (2 * lam) ** p * left
        assert priced == pytest.approx(result.distance**p, rel=1e-11, abs=1e-14)
        truncated = check_potentials(result, np.minimum(cost, 2 * lam), a, b, p)
        of_all = truncated + result.multiplier * left  # the line at mass 1
        assert of_all == pytest.approx(result.distance**p, rel=1e-11, abs=1e-14)
        if left > 1e-9:
            assert result.multiplier == pytest.approx((2 * lam) ** p)


def test_mass_beside_lam_is_an_error():
    with pytest.raises(ValueError, match=r"mass=0\.5 and lam exclude each other"):
        rpw.transport([0.0], [1.0], mass=0.5, lam=1)
    for bad in ({"mass": 1.1}, {"mass": math.nan}, {"lam": 0}, {"lam": INF}, {"p": 0.5}, {"time_limit": -1}):
        with pytest.raises(ValueError, match=next(iter(bad))):
            rpw.transport([0.0], [1.0], **bad)


# ---------------------------------------------------------------- one type of result


def test_the_multiplier_at_mass_one_is_the_last_slope():
    rng = np.random.default_rng(3)
    for p in (1, 2, 3):
        x, y, a = rng.random((12, 2)), rng.random((9, 2)), rng.dirichlet(np.ones(12))
        last = rpw.profile(x, y, a, p=p).slope(1 - 1e-9)
        assert rpw.transport(x, y, a, p=p).multiplier == pytest.approx(last, rel=1e-12)


@pytest.mark.parametrize("name", ["cloud", "line", "few", "grid"])
@pytest.mark.parametrize("p", [1, 2])
def test_the_last_slope_of_larger_problems(name, p):
    """Where another algorithm than the walk may answer."""
    rng = np.random.default_rng(6)
    x, y = {
        "cloud": (rng.random((250, 2)), rng.random((230, 2))),
        "line": (rng.random(150), rng.random(150) + 0.3),
        "few": (rng.random((9, 2)), rng.random((300, 2))),
        "grid": (rng.integers(0, 9, (200, 2)) / 8, rng.integers(0, 9, (200, 2)) / 8),
    }[name]
    a, b = rng.dirichlet(np.ones(len(x))), rng.dirichlet(np.ones(len(y)))
    result = rpw.transport(x, y, a, b, p=p)
    assert result.multiplier == pytest.approx(rpw.profile(x, y, a, b, p=p).slope(1 - 1e-9), rel=1e-9)
    x, y = (np.reshape(points, (len(points), -1)) for points in (x, y))
    proven = check_potentials(result, oracles.euclidean(x, y), a, b, p)
    assert proven == pytest.approx(result.distance**p, rel=1e-11)
    check_feasible(result, a, b)


def test_a_transport_says_what_it_is():
    result = rpw.transport([0.0, 4.0], [1.0, 2.0], p=1)
    assert repr(result) == "Result(distance=1.5, exact, mass=1)"
    assert "Wasserstein distance" in result._repr_html_()
    assert "mass = 1" in result._repr_html_()
    assert "λ = 2" in rpw.transport([0.0], [9.0], lam=2)._repr_html_()
    assert "k = 1, Δ = 1" in rpw.solve([0.0], [1.0])._repr_html_()
    copy = pickle.loads(pickle.dumps(result))
    assert copy == result
    assert copy.mass == 1
    assert (copy.plan != result.plan).nnz == 0
    assert rpw.transport([0.0], [0.5], p=1, mass=0.25).mass == 0.25  # not 1 - distance


def test_the_title_of_a_plot_names_the_cost():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    ax = rpw.transport([0.0, 4.0], [1.0, 2.0], p=1, mass=0.5).plot()
    assert ax.get_title() == "50.0% moves, partial Wasserstein distance = 0.5"
    pyplot.close(ax.figure)


@pytest.mark.parametrize("options", [{}, {"mass": 0.6}, {"p": INF}, {"p": INF, "mass": 0.3}, {"lam": 0.1}])
@pytest.mark.parametrize("time_limit", [0, 0.02])
def test_a_plan_that_is_cut_off_attains_its_upper_bound(options, time_limit):
    rng = np.random.default_rng(4)
    n = 40 if time_limit == 0 else 1500
    x, y, a, b = rng.random((n, 2)), rng.random((n, 2)) + 0.3, rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(n))
    result = rpw.transport(x, y, a, b, time_limit=time_limit, **options)
    p, cost = options.get("p", 2), oracles.euclidean(x, y)
    plan = check_feasible(result, a, b)
    assert result.lower <= result.upper == result.distance == result.cost
    rest = 0.0 if math.isinf(p) else (2 * options.get("lam", 0)) ** p * (1 - plan.sum())
    attained = cost_of(plan, cost, p) if rest == 0 else ((plan * cost**p).sum() + rest) ** (1 / p)
    assert attained == pytest.approx(result.distance, rel=1e-9)
    if time_limit == 0:
        assert result.status == "time_limit"
        assert result.lower <= rpw.transport(x, y, a, b, **options).distance <= result.upper * (1 + 1e-12)


# ---------------------------------------------------------------- from a profile


@pytest.mark.parametrize("p", [1, 2, INF])
def test_a_profile_gives_plans_and_results(p):
    rng = np.random.default_rng(5)
    x, y, a = rng.random((15, 2)), rng.random((11, 2)), rng.dirichlet(np.ones(15))
    given = rpw.profile(x, y, a, p=p, diameter=2)
    for profile in (given, pickle.loads(pickle.dumps(given))):
        for k in (0, 0.3, 2):
            assert profile.result(k) == rpw.solve(x, y, a, p=p, k=k, diameter=2)
        for mass in (0.2, 1):
            assert (profile.plan(mass) != rpw.transport(x, y, a, p=p, mass=mass).plan).nnz == 0
    with pytest.raises(ValueError, match="mass must lie"):
        given.plan(1.5)
    with pytest.raises(ValueError, match="k must be"):
        given.result(-1)


def test_a_profile_without_its_metric_says_so():
    profile = rpw.profile([0.0, 1.0], [0.5], metric=lambda x, y: abs(float(x[0] - y[0])))
    assert profile.result(1).distance == pytest.approx(profile.distance(1))
    with pytest.raises(ValueError, match="could not be pickled and was left out"):
        pickle.loads(pickle.dumps(profile)).plan(0.5)


def test_results_of_a_profile_warn_of_the_diameter():
    profile = rpw.profile([0.0, 1.0], [50.0])
    with pytest.warns(UserWarning, match="diameter was left at 1"):
        profile.result(1)


@pytest.mark.parametrize("solver", ["exact", "walk", "simplex", "points"])
def test_a_solver_can_be_asked_for(solver):
    rng = np.random.default_rng(8)
    x, y = rng.random((40, 2)), rng.random((30, 2))
    for function, options in (
        (rpw.wasserstein, {}),
        (rpw.partial_wasserstein, {"mass": 0.6}),
        (rpw.robot, {"lam": 0.1}),
    ):
        result = rpw.transport(x, y, **options, solver=solver)
        assert result.distance == pytest.approx(rpw.transport(x, y, **options).distance, rel=1e-12)
        assert function(x, y, **options, solver=solver) == result.distance
        if solver == "points":
            assert result.solver == "points"


@pytest.mark.parametrize("solver", ["lmr", "bisection", "fast", None, 3])
def test_a_solver_that_finds_no_cost_is_refused(solver):
    why = "computes only RPW" if solver in ("lmr", "bisection") else "unknown solver"
    for call in (
        lambda: rpw.transport([0.0], [1.0], solver=solver),
        lambda: rpw.wasserstein([0.0], [1.0], solver=solver),
        lambda: rpw.partial_wasserstein([0.0], [1.0], mass=0.5, solver=solver),
        lambda: rpw.robot([0.0], [1.0], lam=0.5, solver=solver),
    ):
        with pytest.raises(ValueError, match=f"{why}.*'points'"):
            call()
