"""Profiles with ``tol``: two proven curves, nowhere further apart than that; and the limit of the exact ones."""

import math
import pickle

import numpy as np
import oracles
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import cost_matrices, examples, exponents

import rpw

INF = math.inf
TOLS = (0.3, 0.03, 0.003, 1e-5)


def clouds(n, m, seed=0):
    rng = np.random.default_rng(seed)
    return rng.random((n, 2)), rng.random((m, 2)), rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(m))


def exponential_example(n):
    """Its profile has 2 ** (n - 1) + 1 breakpoints."""
    i = np.arange(n)
    cost = 2.0 ** np.maximum(i[:, None], i) - 1
    cost[i, i] = 2.0 ** (n + 1)
    return {"cost": cost, "a": 2.0**i, "b": 2.0**i, "p": 1}


def all_masses(*profiles):
    """Where any of the curves bends, and a grid."""
    return np.unique(np.concatenate([np.linspace(0, 1, 101), *(profile.mass for profile in profiles)])).clip(0, 1)


def assert_within(profile, tol, unit=1.0):
    """That the two curves are in order, and within ``tol``; the rounding of F is 1e-14 of its unit, before the root."""
    masses = all_masses(profile, profile.lower)
    above, below = profile(masses), profile.lower(masses)
    p = profile.p
    assert (below**p - above**p <= 1e-13 * unit**p).all()
    rounding = (above**p + 1e-13 * unit**p) ** (1 / p) - above
    assert (above - below <= tol + 1e-9 * unit + rounding).all()


# ---------------------------------------------------------------- both curves are proven, on any input


@given(cost_matrices(), exponents(finite=True), st.sampled_from(TOLS))
@settings(max_examples=examples(200))
def test_the_exact_profile_lies_between(problem, p, tol):
    cost, a, b = problem
    unit = float(cost.max()) or 1.0
    profile = rpw.profile(cost=cost, a=a, b=b, p=p, tol=tol * unit)
    assert_within(profile, tol * unit, unit)
    points = oracles.exact_profile((cost / unit) ** p, a, b)
    mass, exact = np.array([[float(m), float(f)] for m, f in points]).T
    upper, lower = profile.cost_p / unit**p, profile.lower.cost_p / unit**p
    assert (upper >= np.interp(profile.mass, mass, exact) - 1e-12).all()  # at its vertices, so everywhere: F is convex
    assert (np.interp(mass, profile.lower.mass, lower) <= exact + 1e-12).all()
    bends = all_masses(profile.lower)
    assert (np.interp(bends, profile.lower.mass, lower) <= np.interp(bends, mass, exact) + 1e-12).all()


@pytest.mark.parametrize("p", [1, 1.5, 2, 3, 8])
@pytest.mark.parametrize("tol", [0.1, 0.01, 0.001])
def test_larger_clouds(p, tol):
    x, y, a, b = clouds(70, 90)
    exact = rpw.profile(x, y, a, b, p=p)
    near = rpw.profile(x, y, a, b, p=p, tol=tol)
    assert near.solver == "simplex"
    assert_within(near, tol)
    assert len(near) < len(exact)
    masses = all_masses(near, near.lower, exact)
    assert (near(masses) >= exact(masses) - 1e-9).all()
    assert (near.lower(masses) <= exact(masses) + 1e-9).all()
    assert near.mass[[0, -1]].tolist() == near.lower.mass[[0, -1]].tolist() == [0, 1]
    assert near(1.0) == pytest.approx(exact(1.0), rel=1e-12)  # both ends are vertices


@pytest.mark.parametrize("dimension", [1, 2])
@pytest.mark.parametrize("p", [2, 3, 5, 8])
@pytest.mark.parametrize("far", [1e3, 1e6, 1e8])
def test_tol_holds_where_outliers_lie_far_away(dimension, p, far):
    """Beside their powers those of all others are as small as rounding: the curves were up to 10,000 tol apart."""
    rng = np.random.default_rng(7)
    x, y, a = rng.random((20, dimension)), rng.random((23, dimension)), rng.dirichlet(np.ones(20))
    x[:2] += far
    exact = rpw.profile(x, y, a, p=p)
    for tol in (0.5, 0.02, 0.001):
        near = rpw.profile(x, y, a, p=p, tol=tol)
        masses = all_masses(near, near.lower, exact)
        masses = np.unique([masses, np.nextafter(masses, 0), np.nextafter(masses, 2)]).clip(0, 1)
        assert (near(masses) - near.lower(masses) <= tol * (1 + 1e-9)).all()
        assert (near.lower(masses) <= near(masses)).all()
        rounding = 1e-13 * exact(1.0) ** p
        assert (near(masses) ** p >= exact(masses) ** p - rounding).all()
        assert (near.lower(masses) ** p <= exact(masses) ** p + rounding).all()
        for k in (1e-3, 1, 1e3):
            assert near.lower.distance(k) <= near.distance(k)


def test_a_tol_below_rounding_is_refused_where_no_matrix_can_be_asked():
    rng = np.random.default_rng(7)
    x, y, a = rng.random(3500), rng.random(3400), rng.random(3500)
    x[:5] += 10.0 ** np.arange(4, 9)
    with pytest.raises(ValueError, match=r"tol=0.0001 cannot be kept: .* p=8 .* apart"):
        rpw.profile(x, y, a, p=8, tol=1e-4)
    assert rpw.profile(x, y, a, p=2, tol=0.001).solver == "line"


@pytest.mark.parametrize("p", [1, 2, 3])
def test_distances_of_both_curves_hold_the_exact_one(p):
    x, y, a, b = clouds(40, 50, seed=2)
    tol = 0.02
    near = rpw.profile(x, y, a, b, p=p, tol=tol, diameter=1.5)
    for k in (0.1, 0.5, 1, 3, 10, 1000):
        exact = rpw.distance(x, y, a, b, p=p, k=k, diameter=1.5)
        lower, upper = near.lower.distance(k), near.distance(k)
        assert lower - 1e-12 <= exact <= upper + 1e-12
        assert upper - lower <= tol / (1.5 * k) + 1e-9
    assert near.lower.distance(0) <= rpw.total_variation(x, y, a, b) <= near.distance(0) + 1e-12


@pytest.mark.parametrize("shared", [0.0, 0.25, 0.75])
def test_shared_mass_costs_nothing_below_and_little_above(shared):
    """F is 0 up to a mass, and the root is steep after it."""
    weights = [shared, 1 - shared]
    near = rpw.profile([0.0, 1.0], [0.0, 3.0], weights, weights, p=2, tol=1e-3)
    assert near.lower(shared) == pytest.approx(0, abs=1e-7)
    assert near(shared) <= 1e-3 + 1e-7
    assert_within(near, 1e-3, 3.0)


def test_the_slope_of_the_end_may_exceed_every_cost():
    """The last unit of mass pushes all others along."""
    n = 12
    cost = np.full((n, n), 1.0)
    cost[np.arange(n), np.arange(n)] = 0.0
    cost[np.arange(1, n), np.arange(n - 1)] = 0.0
    cost[0, :] = 1.0
    weights = np.linspace(1, 2, n)
    near = rpw.profile(cost=cost, a=weights, b=weights[::-1], p=1, tol=1e-3)
    exact = rpw.profile(cost=cost, a=weights, b=weights[::-1], p=1)
    assert_within(near, 1e-3)
    assert near(1.0) == pytest.approx(exact(1.0), abs=1e-12)


@pytest.mark.parametrize("scale", [1e-150, 1.0, 1e150])
@pytest.mark.parametrize("tol", [1e-200, 1e-6, 1e-2, 1e300])
def test_extreme_tolerances_and_scales(scale, tol):
    x, y, a, b = clouds(15, 12, seed=3)
    near = rpw.profile(scale * x, scale * y, a, b, p=1, tol=tol * scale if tol < 1 else tol)
    assert near(1.0) == pytest.approx(rpw.wasserstein(scale * x, scale * y, a, b, p=1), rel=1e-9)
    assert_within(near, tol * scale if tol < 1 else tol, scale)


def test_identical_measures():
    near = rpw.profile([0.0, 1.0], [0.0, 1.0], tol=0.1)
    assert near(1.0) == near.lower(1.0) == near.distance(1) == 0


# ---------------------------------------------------------------- long profiles


def test_length_of_the_exponential_example_and_its_limit():
    problem = exponential_example(7)
    profile = rpw.profile(**problem, max_breakpoints=65)
    assert len(profile) == 65
    with pytest.raises(ValueError, match=r"max_breakpoints=64 .*tol"):
        rpw.profile(**problem, max_breakpoints=64)


def test_a_profile_of_millions_of_breakpoints():
    problem = exponential_example(26)
    with pytest.raises(ValueError, match=r"more than max_breakpoints=1000000 .*tol"):
        rpw.profile(**problem)
    unit = float(problem["cost"].max())
    near = rpw.profile(**problem, tol=1e-3 * unit)
    assert_within(near, 1e-3 * unit, unit)
    assert len(near) < 200
    assert near(1.0) == pytest.approx(rpw.wasserstein(**problem), rel=1e-12)


def test_exponential_example_lies_between():
    problem = exponential_example(11)
    unit = float(problem["cost"].max())
    exact, near = rpw.profile(**problem), rpw.profile(**problem, tol=1e-3 * unit)
    assert len(exact) == 2**10 + 1
    assert len(near) < 100
    masses = all_masses(exact, near, near.lower)
    assert (near(masses) >= exact(masses) - 1e-12 * unit).all()
    assert (near.lower(masses) <= exact(masses) + 1e-12 * unit).all()


def test_the_limit_holds_for_every_kind_of_profile():
    x, y, a, b = clouds(30, 30)
    for arguments in ({"p": 2}, {"p": INF}, {"p": 1, "tol": 1e-4}, {"p": 1, "tol": 1e-3, "solver": "lmr"}):
        with pytest.raises(ValueError, match="max_breakpoints=5"):
            rpw.profile(x, y, a, b, max_breakpoints=5, **arguments)
        rpw.profile(x, y, a, b, max_breakpoints=1e300, **arguments)


@pytest.mark.parametrize("bad", [0, 1, 2.5, -3, math.nan, INF, "many", None])
def test_bad_limits_are_refused(bad):
    with pytest.raises(ValueError, match="max_breakpoints"):
        rpw.profile([0.0], [1.0], max_breakpoints=bad)


def test_where_a_fine_tol_takes_too_many_solves_the_profile_is_exact():
    x, y, a, b = clouds(150, 150, seed=4)
    assert rpw.profile(x, y, a, b, tol=1e-12) == rpw.profile(x, y, a, b)


# ---------------------------------------------------------------- the second curve of other profiles, and as a value


@pytest.mark.parametrize("arguments", [{"p": 1}, {"p": 2}, {"p": INF}])
def test_an_exact_profile_is_its_own_lower_curve(arguments):
    x, y, a, b = clouds(9, 8)
    profile = rpw.profile(x, y, a, b, **arguments)
    assert profile.lower is profile


@given(cost_matrices(), st.sampled_from((1.0, 2.0, 3.0)), st.sampled_from((0.5, 0.05)))
def test_lmr_has_a_lower_curve_too(problem, p, tol):
    cost, a, b = problem
    unit = float(cost.max()) or 1.0
    near = rpw.profile(cost=cost, a=a, b=b, p=p, tol=tol, solver="lmr")
    exact = rpw.profile(cost=cost, a=a, b=b, p=p)
    assert near.solver == near.lower.solver == "lmr"
    assert_within(near, tol, unit)
    masses = all_masses(near, near.lower, exact)
    assert (near.lower(masses) ** p <= exact(masses) ** p + 1e-12 * unit**p).all()


def test_value_semantics():
    x, y, a, b = clouds(20, 20)
    near = rpw.profile(x, y, a, b, tol=0.01)
    again = pickle.loads(pickle.dumps(near))
    assert again == near == rpw.profile(x, y, a, b, tol=0.01)
    assert again.lower == near.lower != near
    assert hash(again) == hash(near)
    assert again.lower.distance(1) == near.lower.distance(1)
    assert "at least" in repr(near)


def test_the_lower_curve_warns_of_a_missing_diameter_too():
    near = rpw.profile([0.0, 1.0, 7.0], [50.0, 60.0, 61.5], p=1, tol=0.01)
    with pytest.warns(UserWarning, match="diameter"):
        near.lower.distance(1)


@pytest.mark.parametrize("arguments", [{}, {"solver": "lmr"}])
def test_what_only_the_exact_profile_or_only_the_upper_curve_knows(arguments):
    x, y, a, b = clouds(20, 20)
    near = rpw.profile(x, y, a, b, tol=0.05, **arguments)
    for curve in (near, near.lower, pickle.loads(pickle.dumps(near.lower))):
        with pytest.raises(ValueError, match=r"scores need the exact profile, .* computed with tol: leave tol out"):
            _ = curve.scores_b
    lower = near.lower
    for ask in (lambda: lower.plan(0.5), lambda: lower.result(1)):
        with pytest.raises(ValueError, match=r"call plan\(mass\) or result\(k\) of the profile that it belongs to"):
            ask()
    assert near.plan(0.5).sum() == pytest.approx(0.5)
    assert f"W at least {lower(1.0):.6g} at mass 1" in repr(lower)
    assert f"at least {lower(0.5):.6g}" in lower._repr_html_()


# ---------------------------------------------------------------- in units of W, beside a far outlier


def near(masses):
    """Masses, and those within a few roundings of them, where a steep profile shows what was rounded."""
    around = [masses, np.nextafter(masses, 0), np.nextafter(masses, 1), masses + 2e-15, masses + 1e-14]
    return np.unique(np.concatenate(around)).clip(0, 1)


def assert_within_after_the_root(profile, tol):
    masses = near(all_masses(profile, profile.lower))
    above, below = profile(masses), profile.lower(masses)
    assert (below <= above).all()
    assert (above - below <= tol * (1 + 1e-6)).all()
    prices = 10.0 ** np.arange(-6, 4)
    assert (profile.lower.distance(prices) <= profile.distance(prices)).all()


def with_an_outlier(rng):
    n, dimension = int(rng.integers(2, 25)), int(rng.integers(1, 3))
    m = n if rng.random() < 0.5 else int(rng.integers(2, 25))
    x, y = rng.random((n, dimension)), rng.random((m, dimension))
    if rng.random() < 0.3:
        x, y = np.round(4 * x), np.round(4 * y)
    y[0] += 10.0 ** rng.integers(1, 9)
    a, b = (rng.random(size) if rng.random() < 0.5 else None for size in (n, m))
    return x, y, a, b


def test_tol_holds_beside_a_far_outlier():
    for seed in range(300):
        rng = np.random.default_rng(seed)
        points, p, tol = with_an_outlier(rng), float(rng.choice([1, 1.5, 2, 3, 5, 8, 10])), 10.0 ** rng.integers(-4, 0)
        assert_within_after_the_root(rpw.profile(*points, p=p, tol=tol, diameter=1), tol)


@pytest.mark.parametrize("dimension", [1, 2])
def test_the_exact_profile_beside_a_far_outlier_lies_between(dimension):
    """Of integers, so that powers are exact; a little away from breakpoints, whose masses are rounded."""
    for seed in range(15):
        rng = np.random.default_rng(seed)
        x, y = (rng.integers(0, 5, (5, dimension)).astype(float) for _ in range(2))
        y[0, 0] += 1000
        p, tol = int(rng.integers(2, 6)), 0.02
        cost = np.abs(x[:, None] - y).sum(axis=2)
        profile = rpw.profile(x, y, p=p, tol=tol, diameter=1, metric="cityblock")
        assert_within_after_the_root(profile, tol)
        mass, exact = np.array([[float(m), float(f)] for m, f in oracles.exact_profile(cost**p, None, None)]).T
        masses = (all_masses(profile) + 1e-9).clip(max=1)
        expected = np.interp(masses, mass, exact) ** (1 / p)
        assert (profile(masses) >= expected * (1 - 1e-4)).all()
        assert (profile.lower(masses) <= expected * (1 + 1e-4)).all()


def test_tol_is_kept_where_the_exact_profile_would_be_too_long():
    """Solves at smaller multipliers find what the rounding of a large one hides: no walk over all breakpoints."""
    rng = np.random.default_rng(1)
    x, y, a, b = rng.random((100, 2)), rng.random((100, 2)), rng.random(100), rng.random(100)
    y[:3] += 1000
    with pytest.raises(ValueError, match="more than max_breakpoints=100"):
        rpw.profile(x, y, a, b, p=5, diameter=1, max_breakpoints=100)
    assert_within_after_the_root(rpw.profile(x, y, a, b, p=5, tol=0.02, diameter=1, max_breakpoints=100), 0.02)


def test_a_walk_that_is_asked_for_by_name_walks():
    """`tol` allows an error, it asks for none: the exact profile keeps every one."""
    x, y, a, b = clouds(30, 25)
    walked = rpw.profile(x, y, a, b, solver="walk", tol=0.05)
    assert walked.solver == "walk"
    assert walked.is_exact
    assert walked == rpw.profile(x, y, a, b, solver="walk")
    assert rpw.profile(x, y, a, b, tol=0.05).solver == "simplex"
