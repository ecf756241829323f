"""The OT-profile: breakpoints, values, slopes, crossings, elbow."""

import math
import pickle
import warnings

import numpy as np
import oracles
import pytest
from checks import assert_close
from hypothesis import example, given, settings
from hypothesis import strategies as st
from strategies import ALL_P, cost_matrices, examples, exponents, measures

import rpw

INF = math.inf
MANY_K = [0, 1e-9, 1e-3, 0.1, 0.5, 1, 2, 3.7, 10, 100, 1e9]


def clouds(n, m, seed=0, weighted=False):
    rng = np.random.default_rng(seed)
    x, y = rng.random((n, 2)), rng.random((m, 2))
    return (x, y, rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(m))) if weighted else (x, y, None, None)


def merged(points):
    """Exact breakpoints without those whose slopes agree to 1e-12 or that lie closer than rounding."""
    kept = [points[0]]
    for point in points[1:]:
        if point[0] - kept[-1][0] < 1e-13:
            continue
        if len(kept) > 1:
            before = (kept[-1][1] - kept[-2][1]) / (kept[-1][0] - kept[-2][0])
            after = (point[1] - kept[-1][1]) / (point[0] - kept[-1][0])
            if abs(after - before) <= 1e-12 * max(before, after):
                kept.pop()
        kept.append(point)
    return kept


# ---------------------------------------------------------------- finite p


@given(cost_matrices(), exponents(finite=True))
@settings(max_examples=examples(300))
@example((np.array([[2.0, 1.0], [0.0, 1.0]]), None, np.array([3.0, 3.0])), 2.0)
def test_profile_against_exact_fractions(problem, p):
    cost, a, b = problem
    unit = float(cost.max()) or 1.0
    profile = rpw.profile(cost=cost, a=a, b=b, p=p)
    points = oracles.exact_profile((cost / unit) ** p, a, b)
    scaled = profile.cost_p / unit**p
    for mass, value in points:
        assert abs(np.interp(float(mass), profile.mass, scaled) - float(value)) <= 1e-12
    exact_mass, exact_value = np.array([[float(m), float(f)] for m, f in points]).T
    np.testing.assert_allclose(scaled, np.interp(profile.mass, exact_mass, exact_value), rtol=0, atol=1e-12)
    found = merged(list(zip(profile.mass.tolist(), scaled.tolist(), strict=True)))
    assert len(found) == len(merged([(float(m), float(f)) for m, f in points]))


@given(measures(), exponents())
@settings(max_examples=examples(150))
def test_distance_from_the_profile_agrees_with_distance(pair, p):
    (x, a), (y, b) = pair
    profile = rpw.profile(x, y, a, b, p=p)
    for k in MANY_K:
        assert_close(profile.distance(k), rpw.distance(x, y, a, b, p=p, k=k))


@pytest.mark.parametrize(
    ("x", "y", "a", "b", "p", "k"),
    [
        ([0.0, 2.0], [2.0, 1.0, 2.0, 2.0, 1.0], None, [2, 3, 0, 1, 0], 8, 0.1),
        ([[2, 1], [0, 2], [0, 2], [1, 2], [2, 1]], [[0, 0], [0, 2]], [2, 1, 3, 1, 3], [3, 2], 3, 1e-9),
        (
            [[1, 0, 1], [0, 0, 1], [2, 1, 2], [0, 2, 2]],
            [[0, 1, 1], [2, 0, 0], [0, 2, 1]],
            [2, 1, 2, 1],
            [2, 1, 1],
            3,
            3,
        ),
    ],
)
def test_no_breakpoint_is_lost_beside_an_edge_of_rounding(x, y, a, b, p, k):
    """Weights such as 1/6 leave edges of 2**-60 behind; a real breakpoint next to one must survive."""
    expected = oracles.exact_rpw(oracles.euclidean(x, y), a, b, p, k)
    assert_close(rpw.distance(x, y, a, b, p=p, k=k), expected)
    assert_close(rpw.profile(x, y, a, b, p=p).distance(k), expected)


@pytest.mark.parametrize("p", ALL_P)
@pytest.mark.parametrize("weighted", [False, True])
def test_distance_from_the_profile_agrees_on_larger_problems(weighted, p):
    x, y, a, b = clouds(90, 70, weighted=weighted)
    profile = rpw.profile(x, y, a, b, p=p, diameter=math.sqrt(2))
    for k in MANY_K:
        assert_close(profile.distance(k), rpw.distance(x, y, a, b, p=p, k=k, diameter=math.sqrt(2)))


@given(measures(), exponents(finite=True))
def test_profile_is_convex_from_the_origin_to_wasserstein(pair, p):
    (x, a), (y, b) = pair
    profile = rpw.profile(x, y, a, b, p=p)
    assert profile.mass[0] == 0
    assert profile.cost_p[0] == 0
    assert profile.mass[-1] == 1
    assert profile(1.0) == pytest.approx(rpw.wasserstein(x, y, a, b, p=p), rel=1e-12, abs=1e-300)
    assert (np.diff(profile.mass) > 0).all()
    slopes = np.diff(profile.cost_p) / np.diff(profile.mass)
    assert (slopes >= 0).all()
    rounding = 1e-15 * profile.cost_p[-1] / np.diff(profile.mass) + 1e-15 * slopes.max() / np.diff(profile.mass)
    assert (np.diff(slopes) >= -1e-9 * slopes.max() - rounding[1:] - rounding[:-1]).all()


@pytest.mark.parametrize("p", [1, 2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_breakpoints_of_larger_profiles_are_partial_costs(weighted, p):
    x, y, a, b = clouds(60, 60, weighted=weighted)
    profile = rpw.profile(x, y, a, b, p=p)
    for index in range(0, len(profile), 7):
        mass = float(profile.mass[index])
        value = rpw.partial_wasserstein(x, y, a, b, p=p, mass=mass)
        assert value**p == pytest.approx(profile.cost_p[index], rel=1e-10, abs=1e-14)
        assert profile(mass) == pytest.approx(value, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("n", [1, 2, 17, 100])
@pytest.mark.parametrize("p", [1, 2, INF])
def test_uniform_weights_have_at_most_one_breakpoint_per_point_and_one(n, p):
    x, y, _, _ = clouds(n, n)
    profile = rpw.profile(x, y, p=p)
    assert 2 <= len(profile) <= n + 1
    assert len(profile.mass) == len(profile.cost_p) == len(profile)
    np.testing.assert_allclose(profile.mass * n, np.round(profile.mass * n), atol=1e-9)


def test_planted_breakpoints():
    profile = rpw.profile([0.0, 10.0, 20.0, 30.0], [0.0, 11.0, 22.0, 33.0], p=2)
    np.testing.assert_allclose(profile.mass, [0, 0.25, 0.5, 0.75, 1], atol=1e-15)
    np.testing.assert_allclose(profile.cost_p, np.cumsum([0, 0, 1, 4, 9]) / 4, atol=1e-14)
    assert profile.slope(0) == 0
    assert profile.slope(0.25) == pytest.approx(1)
    assert profile.slope(0.3) == pytest.approx(1)
    assert profile.slope(0.5) == pytest.approx(4)
    assert profile.slope(0.99) == pytest.approx(9)
    assert profile.slope(1) == INF


@given(measures(), exponents(finite=True), st.floats(0, 0.999))
def test_slope_is_the_right_derivative(pair, p, alpha):
    (x, a), (y, b) = pair
    profile = rpw.profile(x, y, a, b, p=p)
    edge = np.searchsorted(profile.mass, alpha, side="right")
    expected = (profile.cost_p[edge] - profile.cost_p[edge - 1]) / (profile.mass[edge] - profile.mass[edge - 1])
    rounding = 1e-15 * (profile.cost_p[-1] + expected) / (profile.mass[edge] - profile.mass[edge - 1])
    assert profile.slope(alpha) == pytest.approx(expected, rel=1e-9, abs=1e-9 + rounding)


@pytest.mark.parametrize("p", ALL_P)
def test_call_takes_numbers_and_arrays(p):
    x, y, a, b = clouds(12, 9, weighted=True)
    profile = rpw.profile(x, y, a, b, p=p)
    alphas = np.linspace(0, 1, 12).reshape(3, 4)
    values = profile(alphas)
    assert values.shape == (3, 4)
    assert isinstance(profile(0.37), float)
    for alpha, value in zip(alphas.ravel(), values.ravel(), strict=True):
        assert profile(alpha) == value
        assert value == pytest.approx(rpw.partial_wasserstein(x, y, a, b, p=p, mass=alpha), abs=1e-12)
    assert (profile([0, 1]) == [profile(0), profile(1)]).all()
    assert profile(0) == 0


@pytest.mark.parametrize("bad", [-0.1, 1.1, math.nan, [0.5, 2.0]])
def test_call_refuses_masses_outside_zero_to_one(bad):
    profile = rpw.profile([0.0, 1.0], [2.0])
    with pytest.raises(ValueError, match=r"mass|alpha"):
        profile(bad)


@pytest.mark.parametrize("p", ALL_P)
def test_distance_and_slope_take_numbers_and_arrays(p):
    profile = rpw.profile(*clouds(12, 9, weighted=True), p=p)
    ks = np.array([[0, 1e-3, 0.1], [1, 10, 1e6]])
    distances = profile.distance(ks)
    assert distances.tolist() == [[profile.distance(k) for k in row] for row in ks.tolist()]
    assert (profile.distance([1, 2]) == [profile.distance(1), profile.distance(2)]).all()
    assert isinstance(profile.distance(np.array(2.0)), float)
    assert profile.distance([]).shape == (0,)
    if p < INF:
        alphas = [[0.0, 0.3], [0.99, 1.0]]
        assert profile.slope(alphas).tolist() == [[profile.slope(alpha) for alpha in row] for row in alphas]
        assert isinstance(profile.slope(0.3), float)
    for bad in (["1"], [1, -1], [[1], [1, 2]], [None], [True]):
        with pytest.raises(ValueError, match="k must be"):
            profile.distance(bad)


def test_an_array_of_k_warns_once_of_a_diameter_that_was_left_out():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        rpw.profile([0.0], [9.0]).distance([0, 1, 2])
    assert len(caught) == 1


@pytest.mark.parametrize("bad", [-1, math.nan, INF, "1", None])
def test_distance_refuses_a_bad_k(bad):
    with pytest.raises(ValueError, match="k"):
        rpw.profile([0.0, 1.0], [2.0]).distance(bad)


@pytest.mark.parametrize(("scale", "p"), [(1e30, 11), (1e-30, 11), (1e200, 2)])
def test_powers_beyond_float64_are_refused_by_name(scale, p):
    cost = np.array([[1.0, 2.0], [3.0, 4.0]]) * scale
    with pytest.raises(ValueError, match=f"p={p}"):
        rpw.profile(cost=cost, p=p)
    assert 0 < rpw.distance(cost=cost, p=p, diameter=scale) < 1  # the distance itself is no trouble


# ---------------------------------------------------------------- p = inf


@given(cost_matrices())
@settings(max_examples=examples(60))
def test_step_curve_against_linear_programmes(problem):
    cost, a, b = problem
    profile = rpw.profile(cost=cost, a=a, b=b, p=INF)
    assert (profile.mass[0], profile.cost_p[0], profile.mass[-1]) == (0, 0, 1)
    assert (np.diff(profile.mass) > 0).all()
    assert (np.diff(profile.cost_p[1:]) > 0).all()
    for threshold in np.unique(cost):
        reached = profile.mass[profile.cost_p <= threshold].max()
        assert abs(reached - oracles.lp_flow(cost, a, b, threshold)) <= 1e-10


def test_step_curve_is_left_continuous():
    profile = rpw.profile([0.0, 10.0, 20.0], [0.0, 11.0, 22.0], [0.5, 0.25, 0.25], [0.5, 0.25, 0.25], p=INF)
    np.testing.assert_array_equal(profile.mass, [0, 0.5, 0.75, 1])
    np.testing.assert_array_equal(profile.cost_p, [0, 0, 1, 2])
    np.testing.assert_array_equal(profile([0, 0.3, 0.5, 0.500001, 0.75, 0.750001, 1]), [0, 0, 0, 1, 1, 2, 2])


def test_there_is_no_slope_at_infinity():
    with pytest.raises(ValueError, match="inf"):
        rpw.profile([0.0], [1.0], p=INF).slope(0.5)


# ---------------------------------------------------------------- elbow, value semantics, picture


@pytest.mark.parametrize("p", [1, 2, 3, INF])
@pytest.mark.parametrize("share", [0.6, 0.8, 0.95])
def test_elbow_finds_the_planted_share_of_inliers(share, p):
    rng = np.random.default_rng(4)
    n = 100
    x = rng.random((n, 2))
    y = x + 0.01 * rng.standard_normal((n, 2))
    outliers = round(n * (1 - share))
    y[:outliers] = 50 + 30 * rng.random((outliers, 2))
    assert rpw.profile(x, y, p=p).elbow() == pytest.approx(share, abs=0.02)


def test_two_curves_have_no_elbow():
    """The few breakpoints within tol say nothing about where the slope jumps: 0.70 was given for 0.94."""
    rng = np.random.default_rng(2)
    x, y = rng.normal(0, 0.1, 400), rng.normal(0.02, 0.1, 350)
    y[:20] += 1
    assert rpw.profile(x, y).elbow() == pytest.approx(330 / 350, abs=0.01)
    rough = rpw.profile(x, y, tol=1e-3)
    for curve in (rough, rough.lower):
        assert not curve.is_exact
        assert "elbow" not in curve._repr_html_()
        with pytest.raises(ValueError, match=r"elbow needs the exact profile, .* leave tol out"):
            curve.elbow()


@pytest.mark.parametrize("p", [2, INF])
def test_elbow_of_tiny_profiles_is_a_mass(p):
    for x, y in (([0.0], [0.0]), ([0.0], [1.0]), ([0.0, 1.0], [0.0, 1.0])):
        assert 0 <= rpw.profile(x, y, p=p).elbow() <= 1


@pytest.mark.parametrize("p", [2, INF])
def test_pickle_equality_hash_and_repr(p):
    x, y, a, b = clouds(10, 8, weighted=True)
    profile = rpw.profile(x, y, a, b, p=p, diameter=2.0)
    assert profile.distance(1) > 0
    again = pickle.loads(pickle.dumps(profile))
    assert again == profile == rpw.profile(x, y, a, b, p=p, diameter=2.0)
    assert hash(again) == hash(profile)
    assert again.distance(1) == profile.distance(1)
    assert profile != rpw.profile(x, y, p=p, diameter=2.0)
    assert profile != rpw.profile(x, y, a, b, p=p)
    assert profile != 1
    assert repr(profile).startswith(f"Profile(p={p:g}, {len(profile)} breakpoints")


def test_diameter_scales_k():
    x, y, a, b = clouds(10, 8, weighted=True)
    assert_close(rpw.profile(x, y, a, b, diameter=4.0).distance(0.5), rpw.profile(x, y, a, b).distance(2.0))


@pytest.mark.parametrize("shape", [(6, 2), (6,)], ids=["plane", "line"])
def test_what_a_profile_gives_later_does_not_change_with_the_points(shape):
    rng = np.random.default_rng(5)
    x, y = rng.random(shape), rng.random(shape)
    curve, other = rpw.profile(x, y, diameter=1), rpw.profile(x, y, diameter=1)
    expected = other.scores_a.copy(), other.plan(0.5).toarray()
    x *= 0
    y += 3
    assert curve.result(1).distance == pytest.approx(curve.distance(1), abs=1e-12)
    np.testing.assert_array_equal(curve.scores_a, expected[0])
    np.testing.assert_array_equal(curve.plan(0.5).toarray(), expected[1])


def test_a_matrix_that_was_changed_is_noticed():
    cost = np.random.default_rng(6).random((5, 4))
    curve = rpw.profile(cost=cost, diameter=1)
    assert curve.result(1).distance == pytest.approx(curve.distance(1), abs=1e-12)
    assert curve.plan(0.5).sum() == pytest.approx(0.5)
    cost *= 0.1
    with pytest.raises(ValueError, match="cost has changed since this profile was computed"):
        curve.result(1)
    with pytest.raises(ValueError, match="cost has changed since this profile was computed"):
        curve.plan(0.5)


def test_a_matrix_of_another_order_is_noticed():
    """Swapped rows have the same profile, and another plan."""
    cost = np.random.default_rng(7).random((5, 5))
    curve = rpw.profile(cost=cost, diameter=1)
    cost[:] = cost[::-1].copy()
    for ask in (lambda: curve.plan(0.5), lambda: curve.result(1)):
        with pytest.raises(ValueError, match="cost has changed since this profile was computed"):
            ask()
    cost[:] = cost[::-1].copy()
    assert curve.plan(0.5).sum() == pytest.approx(0.5)


@pytest.mark.parametrize("tol", [0.0, 0.05])
@pytest.mark.parametrize("p", [2, INF])
def test_what_a_profile_gives_is_read_only(p, tol):
    curve = rpw.profile([0.0, 1.0, 5.0], [0.5, 2.0, 2.5], p=p, tol=tol)
    for one in (curve, curve.lower, pickle.loads(pickle.dumps(curve))):
        for array in (one.mass, one.unmoved, one.cost_p):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 7
    exact = rpw.profile([0.0, 1.0, 5.0], [0.5, 2.0, 2.5], p=p)
    for array in (exact.scores_a, exact.scores_b, exact.plan(0.5).data):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7
