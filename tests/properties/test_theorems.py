"""What the paper proves, on random measures: ties, zero weights, repeated points, different sizes, every p and k.

Numbers are those of DESIGN section 1 and of the paper (A New Robust Partial p-Wasserstein-Based Metric).
"""

import itertools
import math

import numpy as np
import oracles
import pytest
from checks import assert_close
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import exponents, measures, prices

import rpw

INF = math.inf
SLACK = 1e-12


def rounding(*values):
    """Room for rounding: 1e-12, but nine digits where the values are tiny."""
    return min(SLACK, 1e-9 * sum(values) + 1e-14)


def mixture(nu, other, delta):
    """(1 - δ) ν + δ ν'."""
    points = np.concatenate([nu.points, other.points])
    weights = [(1 - delta) * oracles.normalised(nu.weights, len(nu.points))]
    weights.append(delta * oracles.normalised(other.weights, len(other.points)))
    return points, np.concatenate(weights)


def rpw_of(mu, nu, **options):
    return rpw.distance(mu[0], nu[0], mu[1], nu[1], **options)


def spread(*clouds):
    """The exact diameter of all points, at least a little above 0."""
    points = np.concatenate(clouds)
    return max(float(oracles.euclidean(points, points).max()), 1e-3)


# ---------------------------------------------------------------- the metric axioms (Theorem 2.1)


@given(measures(), exponents(), prices())
def test_values_lie_between_zero_and_one(pair, p, k):
    assert 0 <= rpw_of(*pair, p=p, k=k) <= 1


@given(measures(), exponents(), prices())
def test_symmetry(pair, p, k):
    mu, nu = pair
    assert_close(rpw_of(mu, nu, p=p, k=k), rpw_of(nu, mu, p=p, k=k))


@given(measures(), exponents(), prices())
def test_zero_exactly_for_equal_measures(pair, p, k):
    mu, nu = pair
    assert rpw_of(mu, mu, p=p, k=k) == 0
    difference = oracles.total_variation(mu.points, nu.points, mu.weights, nu.weights)
    assume(difference == 0 or difference > 1e-9)
    assert (rpw_of(mu, nu, p=p, k=k) == 0) == (difference == 0)


@given(measures(count=3), exponents(), prices())
def test_triangle_inequality(triple, p, k):
    mu, nu, xi = triple
    direct, first, second = rpw_of(mu, xi, p=p, k=k), rpw_of(mu, nu, p=p, k=k), rpw_of(nu, xi, p=p, k=k)
    assert direct <= first + second + rounding(first, second)


@pytest.mark.parametrize("p", [1, 1.5, 2, 3, INF])
@pytest.mark.parametrize("k", [0, 0.3, 1, 10])
def test_triangle_inequality_on_larger_measures(p, k):
    rng = np.random.default_rng(6)
    clouds = [(np.round(rng.random((25, 2)) * 8) / 8, rng.dirichlet(np.ones(25))) for _ in range(5)]
    table = np.array([[rpw_of(mu, nu, p=p, k=k) for nu in clouds] for mu in clouds])
    assert (np.diag(table) == 0).all()
    np.testing.assert_allclose(table, table.T, rtol=0, atol=1e-12)
    through = (table[:, :, None] + table[None, :, :]).min(axis=1)
    assert (table <= through + 1e-12).all()


# ---------------------------------------------------------------- outliers (Theorem 3.1), robustness (Lemma A.1)


@given(measures(count=3), exponents(), prices(), st.floats(0.01, 0.99))
def test_outliers_change_the_distance_by_at_most_their_mass(triple, p, k, delta):
    mu, nu, noise = triple
    clean = rpw_of(mu, nu, p=p, k=k)
    noisy = rpw_of(mu, mixture(nu, noise, delta), p=p, k=k)
    assert clean - delta - SLACK <= noisy <= (1 - delta) * clean + delta + SLACK


@given(measures(count=3), exponents(), prices(), st.floats(0.01, 0.5), st.sampled_from([1e3, 1e9, 1e30]))
def test_outliers_however_far_away(triple, p, k, delta, far):
    mu, nu, noise = triple
    clean = rpw_of(mu, nu, p=p, k=k)
    noise = noise._replace(points=noise.points + far)
    noisy = rpw_of(mu, mixture(nu, noise, delta), p=p, k=k)
    assert clean - delta - SLACK <= noisy <= (1 - delta) * clean + delta + SLACK


@given(measures(), exponents(), prices(zero=False), st.floats(0.01, 0.99), st.floats(0.1, 10))
def test_explicit_robustness_bound(pair, p, k, s, diameter):
    """RPW >= min { δ (1 - s), W_{p, 1 - δ(1 - s)} / (kΔ) } with δ = TV."""
    mu, nu = pair
    x, y, a, b = mu.points, nu.points, mu.weights, nu.weights
    epsilon = oracles.total_variation(x, y, a, b) * (1 - s)
    moved = rpw.partial_wasserstein(x, y, a, b, p=p, mass=1 - epsilon) / (k * diameter)
    value = rpw_of(mu, nu, p=p, k=k, diameter=diameter)
    assert value >= min(epsilon, moved) - rounding(epsilon)


@given(measures(count=2), exponents(), prices(zero=False), st.floats(0.01, 0.99), st.floats(0.01, 0.99))
def test_explicit_robustness_bound_for_a_contaminated_copy(pair, p, k, s, delta):
    mu, noise = pair
    points, weights = mixture(mu, noise, delta)
    epsilon = oracles.total_variation(mu.points, points, mu.weights, weights) * (1 - s)
    moved = rpw.partial_wasserstein(mu.points, points, mu.weights, weights, p=p, mass=1 - epsilon) / k
    assert rpw_of(mu, (points, weights), p=p, k=k) >= min(epsilon, moved) - rounding(epsilon)


# ---------------------------------------------------------------- relations to other distances (section 4)


@given(measures(), exponents(), prices(zero=False), st.floats(0.1, 10))
def test_at_most_total_variation_and_wasserstein(pair, p, k, diameter):
    mu, nu = pair
    x, y, a, b = mu.points, nu.points, mu.weights, nu.weights
    value = rpw_of(mu, nu, p=p, k=k, diameter=diameter)
    bound = min(oracles.total_variation(x, y, a, b), rpw.wasserstein(x, y, a, b, p=p) / (k * diameter))
    assert value <= bound + rounding(bound)


@given(measures(), exponents(), prices(zero=False))
def test_wasserstein_over_k_is_close_for_large_k(pair, p, k):
    """W_p / k <= RPW + k**(-(p+1)/p) on unit diameter."""
    mu, nu = pair
    size = spread(mu.points, nu.points)
    x, y = mu.points / size, nu.points / size
    value = rpw.distance(x, y, mu.weights, nu.weights, p=p, k=k)
    exponent = 1.0 if math.isinf(p) else (p + 1) / p
    bound = value + k**-exponent
    assert rpw.wasserstein(x, y, mu.weights, nu.weights, p=p) / k <= bound * (1 + 1e-9)


@given(measures(), exponents(), prices(zero=False), st.floats(0, 1), st.floats(0.1, 10))
def test_any_point_of_the_profile_brackets_the_distance(pair, p, k, alpha, diameter):
    """min(α, β) <= RPW <= max(α, β) where W_{p,1-α} = kΔβ."""
    mu, nu = pair
    moved = rpw.partial_wasserstein(mu.points, nu.points, mu.weights, nu.weights, p=p, mass=1 - alpha)
    beta = moved / (k * diameter)
    value = rpw_of(mu, nu, p=p, k=k, diameter=diameter)
    assert min(alpha, beta) - SLACK <= value <= max(alpha, beta) + SLACK


@given(measures(), exponents(), st.lists(prices(), min_size=2, max_size=5))
def test_non_increasing_in_k(pair, p, ks):
    values = [rpw_of(*pair, p=p, k=k) for k in sorted(ks)]
    assert all(after <= before + rounding(before) for before, after in itertools.pairwise(values))


@given(measures(), exponents(), prices(), st.sampled_from([2.0**-60, 0.1, 3.0, 1e12, 2.0**90]))
def test_scaling_space_and_diameter_together_changes_nothing(pair, p, k, factor):
    mu, nu = pair
    scaled = [(measure.points * factor, measure.weights) for measure in pair]
    assert_close(rpw_of(*scaled, p=p, k=k, diameter=factor), rpw_of(mu, nu, p=p, k=k))


@given(measures(), exponents(), prices(zero=False), st.floats(0.1, 10))
def test_diameter_multiplies_k(pair, p, k, diameter):
    assert_close(rpw_of(*pair, p=p, k=k, diameter=diameter), rpw_of(*pair, p=p, k=k * diameter))


@given(measures(most=5))
def test_infinity_one_is_levy_prokhorov(pair):
    mu, nu = pair
    x, y, a, b = mu.points, nu.points, mu.weights, nu.weights
    expected = oracles.levy_prokhorov(x, y, a, b)
    assert_close(rpw_of(mu, nu, p=INF, k=1), expected)
    assert_close(rpw.levy_prokhorov(x, y, a, b), expected)


@given(measures(), exponents())
def test_k_zero_is_total_variation(pair, p):
    mu, nu = pair
    expected = oracles.total_variation(mu.points, nu.points, mu.weights, nu.weights)
    assert_close(rpw_of(mu, nu, p=p, k=0), expected)


@given(measures(count=4), exponents(), prices(zero=False))
def test_perturbing_both_measures_moves_the_answer_by_a_known_amount(four, p, k):
    """|RPW(μ,ν) - RPW(μ',ν')| <= RPW(μ,μ') + RPW(ν,ν') <= (W_p(μ,μ') + W_p(ν,ν')) / k."""
    mu, nu, mu2, nu2 = four
    change = abs(rpw_of(mu, nu, p=p, k=k) - rpw_of(mu2, nu2, p=p, k=k))
    bound = rpw_of(mu, mu2, p=p, k=k) + rpw_of(nu, nu2, p=p, k=k)
    assert change <= bound + SLACK
    moved = sum(rpw.wasserstein(s[0], t[0], s[1], t[1], p=p) for s, t in ((mu, mu2), (nu, nu2)))
    assert bound <= moved / k + rounding(bound)


@given(measures(), exponents(), prices(zero=False), st.floats(0, 1))
def test_a_threshold_is_decided_by_one_partial_cost(pair, p, k, tau):
    """RPW > τ exactly where W_{p,1-τ} > kΔτ."""
    mu, nu = pair
    value = rpw_of(mu, nu, p=p, k=k)
    assume(abs(value - tau) > 1e-9)
    moved = rpw.partial_wasserstein(mu.points, nu.points, mu.weights, nu.weights, p=p, mass=1 - tau)
    assert (value > tau) == (moved > k * tau)
