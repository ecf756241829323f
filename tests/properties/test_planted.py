"""Inputs whose answer is known without computing it."""

import math
from fractions import Fraction

import numpy as np
import pytest
from checks import assert_close
from hypothesis import given
from strategies import ALL_P, exponents, prices, split_copies

import rpw

INF = math.inf
P_VALUES = [1, 1.5, 2, 3, 8, INF]
K_VALUES = [1e-9, 0.1, 1, 2.5, 10, 1e9]


def two_diracs(c, k, p):
    """The root of c (1 - ε)**(1/p) = k ε, by bisection; at p = inf the smaller of c/k and 1."""
    if math.isinf(p):
        return min(1.0, c / k)
    low, high = 0.0, 1.0
    for _ in range(2000):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if c * (1 - middle) ** (1 / p) > k * middle else (low, middle)
    return high


@pytest.mark.sample(40)
@pytest.mark.parametrize("p", P_VALUES)
@pytest.mark.parametrize("k", K_VALUES)
@pytest.mark.parametrize("c", [1e-30, 1e-6, 0.5, 1.0, 3.0, 1e6, 1e30])
def test_two_diracs(c, k, p):
    assert_close(rpw.distance([0.0], [c], p=p, k=k), two_diracs(c, k, p))
    assert_close(rpw.distance(cost=[[c]], p=p, k=k), two_diracs(c, k, p))


@pytest.mark.parametrize(
    ("c", "k", "p", "expected"),
    [
        (1, 1, 1, 0.5),
        (1, 1, 2, (math.sqrt(5) - 1) / 2),
        (1, 1, INF, 1.0),
        (0.5, 1, 1, 1 / 3),
        (0.5, 1, INF, 0.5),
        (1, 0, 2, 1.0),
        (0, 0, 2, 0.0),
        (0, 1, 2, 0.0),
        (0, 1, INF, 0.0),
    ],
)
def test_two_diracs_by_hand(c, k, p, expected):
    assert_close(rpw.distance([[0.0, 0.0]], [[0.0, c]], p=p, k=k), expected)


@pytest.mark.sample(12)
@pytest.mark.parametrize("p", P_VALUES)
@pytest.mark.parametrize("k", K_VALUES)
def test_one_of_two_points_moves(k, p):
    """Half the mass stays for free; the other half is c away: W_{p,1-ε}**p = (1/2 - ε) c**p."""
    c = 0.75
    expected = min(0.5, c / k)  # p = inf
    if not math.isinf(p):
        low, high = 0.0, 0.5
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (middle, high) if c * (0.5 - middle) ** (1 / p) > k * middle else (low, middle)
        expected = high
    assert_close(rpw.distance([[0.0], [5.0]], [[0.0], [5.0 + c]], p=p, k=k), expected)


@pytest.mark.parametrize("p", P_VALUES)
@pytest.mark.parametrize("k", [0.1, 1, 10])
def test_shifted_copy_is_like_two_diracs_when_points_are_far_apart(k, p):
    """Every point has one partner at distance c and all others are out of reach."""
    x = np.arange(12.0)[:, None] * 1000
    assert_close(rpw.distance(x, x + 0.25, p=p, k=k), two_diracs(0.25, k, p))


@pytest.mark.parametrize("p", P_VALUES)
def test_wasserstein_of_a_shifted_copy_is_the_shift(p):
    rng = np.random.default_rng(5)
    x, shift = rng.random((30, 2)), np.array([0.3, -0.4])
    assert rpw.wasserstein(x, x + shift, p=p) == pytest.approx(0.5, rel=1e-12)


@pytest.mark.parametrize("p", P_VALUES)
def test_disjoint_and_far_supports_give_nearly_one(p):
    """Nothing is worth moving: ε = 1 - (k/c)**p at most, and never above 1."""
    x, y = np.zeros((3, 2)), np.full((4, 2), 1e6)
    value = rpw.distance(x, y, p=p, k=1)
    assert value <= 1
    assert_close(value, two_diracs(math.sqrt(2) * 1e6, 1, p))


@pytest.mark.sample(12)
@pytest.mark.parametrize("p", P_VALUES)
@pytest.mark.parametrize("k", [0, *K_VALUES])
def test_disjoint_supports_at_k_zero_are_one_apart(k, p):
    value = rpw.distance([0.0, 1.0], [2.0, 3.0], p=p, k=k)
    assert value == 1 if k == 0 else 0 < value <= 1


@pytest.mark.sample(60)
@pytest.mark.parametrize("p", P_VALUES)
@pytest.mark.parametrize("k", [0, *K_VALUES])
@pytest.mark.parametrize(
    ("x", "a", "y", "b"),
    [
        ([0.1, 0.2, 0.3], None, [0.1, 0.2, 0.3], None),
        ([0.1, 0.2, 0.3], None, [0.3, 0.1, 0.2], None),
        ([0.1, 0.2], [1 / 3, 2 / 3], [0.2, 0.1], [2 / 3, 1 / 3]),
        ([0.1, 0.2], [1, 2], [0.2, 0.1, 0.2], [1, 1, 1]),
        ([0.1, 0.2], [1 / 3, 2 / 3], [0.2, 0.1, 0.2], None),
        ([0.1], None, [0.1] * 7, None),
        ([0.1] * 3, None, [0.1] * 7, None),
        ([0.1, 0.2], [0.3, 0.7], [0.1, 0.1, 0.2], [0.1, 0.2, 0.7]),
        ([0.1, 0.2, 9.0], [0.3, 0.7, 0.0], [0.2, 0.1], [7, 3]),
        ([0.0, -0.0], None, [0.0], None),
        ([1e30, 2e30], None, [2e30, 1e30], None),
        ([1e-30, 2e-30], None, [2e-30, 1e-30], None),
    ],
)
def test_identical_measures_are_exactly_zero(x, a, y, b, k, p):
    result = rpw.solve(x, y, a, b, p=p, k=k)
    assert (result.distance, result.lower, result.upper) == (0.0, 0.0, 0.0)
    assert result.cost == 0
    assert rpw.wasserstein(x, y, a, b, p=p) == 0
    assert rpw.profile(x, y, a, b, p=p).distance(k) == 0


@pytest.mark.parametrize("p", P_VALUES)
def test_larger_identical_measures_are_exactly_zero(p):
    rng = np.random.default_rng(0)
    x, w = rng.random((150, 3)), rng.dirichlet(np.ones(150))
    order = rng.permutation(150)
    for k in (0, 1, 1e9):
        assert rpw.distance(x, x[order], w, w[order], p=p, k=k) == 0
        assert rpw.distance(x, x[order], p=p, k=k) == 0
    twice = np.concatenate([x, x])
    halves = np.concatenate([0.3 * w, 0.7 * w])
    assert rpw.distance(x, twice, w, halves, p=p) == 0


@given(split_copies(), exponents(), prices())
def test_split_repeated_and_permuted_atoms_are_the_same_measure(copies, p, k):
    (x, a), (y, b) = copies
    assert rpw.distance(x, y, a, b, p=p, k=k) == 0


@pytest.mark.parametrize("p", P_VALUES)
@pytest.mark.parametrize("scale", [1e-30, 1e-3, 1e3, 1e30])
def test_costs_of_any_size(scale, p):
    """Scaling all distances and the diameter changes nothing."""
    rng = np.random.default_rng(7)
    cost, a, b = rng.random((6, 5)), rng.random(6), rng.random(5)
    for k in (0.1, 1, 10):
        plain = rpw.distance(cost=cost, a=a, b=b, p=p, k=k)
        assert_close(rpw.distance(cost=cost * scale, a=a, b=b, p=p, k=k, diameter=scale), plain)
    assert rpw.wasserstein(cost=cost * scale, p=p) == pytest.approx(scale * rpw.wasserstein(cost=cost, p=p), rel=1e-12)


@pytest.mark.parametrize("p", P_VALUES)
@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_points_of_any_size(scale, p):
    rng = np.random.default_rng(8)
    x, y = rng.random((6, 2)), rng.random((5, 2))
    for k in (0.1, 1, 10):
        assert_close(rpw.distance(x * scale, y * scale, p=p, k=k, diameter=scale), rpw.distance(x, y, p=p, k=k))


@pytest.mark.parametrize("p", P_VALUES)
def test_tiny_and_huge_costs_without_a_diameter(p):
    """1e-30: RPW is W_p / k to many digits. 1e30: next to nothing moves."""
    rng = np.random.default_rng(9)
    cost = 0.5 + rng.random((5, 5))
    near = rpw.distance(cost=cost * 1e-30, p=p)
    assert near == pytest.approx(rpw.wasserstein(cost=cost * 1e-30, p=p), rel=1e-9)
    far = rpw.distance(cost=cost * 1e30, p=p)
    assert 1 - 1e-9 < far <= 1


@pytest.mark.parametrize("p", [1, 1.5, 2, 3, 8])
def test_huge_k_gives_wasserstein_and_tiny_k_gives_total_variation(p):
    rng = np.random.default_rng(10)
    x, y = rng.integers(0, 4, (9, 2)), rng.integers(0, 4, (8, 2))
    assert rpw.distance(x, y, p=p, k=1e9) * 1e9 == pytest.approx(rpw.wasserstein(x, y, p=p), rel=1e-6)
    assert rpw.distance(x, y, p=p, k=1e-9) == pytest.approx(rpw.total_variation(x, y), abs=1e-8)


def test_diracs_at_huge_k_keep_their_digits():
    """ε is solved for itself, never as 1 - α: c = 1, k = 1e9, p = 1 is 1 / (1 + 1e9)."""
    assert rpw.distance([0.0], [1.0], p=1, k=1e9) == pytest.approx(float(Fraction(1, 10**9 + 1)), rel=1e-14)


@pytest.mark.parametrize("p", ALL_P)
def test_permuting_the_atoms_changes_nothing(p):
    rng = np.random.default_rng(11)
    x, y, a, b = rng.random((9, 2)), rng.random((7, 2)), rng.random(9), rng.random(7)
    i, j = rng.permutation(9), rng.permutation(7)
    assert_close(rpw.distance(x[i], y[j], a[i], b[j], p=p), rpw.distance(x, y, a, b, p=p))


def test_atoms_lighter_than_the_resolution_count_as_nothing():
    assert rpw.distance([0.0, 1.0], [0.0], [1.0, 1e-30], None) == 0


def test_outliers_move_w_far_and_rpw_by_no_more_than_their_mass():
    """The paper's introduction: 1 % of the mass at distance 1 makes W_p 0.01^(1/p)."""
    mu, nu = rpw.Measure([[0.0]]), rpw.Measure([[0.0], [1.0]], [0.99, 0.01])
    for p in (1, 2, 3, np.inf):
        assert rpw.wasserstein(mu, nu, p=p) == pytest.approx(0.01 ** (1 / p), rel=1e-12)
        assert rpw.distance(mu, nu, p=p, k=1) <= 0.01


def test_partial_w_breaks_the_triangle_inequality_and_rpw_does_not():
    """Half of b lies on a, half on c: moving half of the mass costs nothing by way of b, and √½ without."""
    a, b, c = rpw.Measure([[0.0]]), rpw.Measure([[0.0], [1.0]]), rpw.Measure([[1.0]])
    parts = [rpw.partial_wasserstein(x, y, p=2, mass=0.5) for x, y in ((a, b), (b, c), (a, c))]
    assert parts == [0, 0, pytest.approx(np.sqrt(0.5), rel=1e-12)]
    first, second, whole = (rpw.distance(x, y, p=2, k=1) for x, y in ((a, b), (b, c), (a, c)))
    # The half that lies apart has to move by 1: √(½ - ε) = ε; between a and c all of it: √(1 - ε) = ε.
    assert [first, second, whole] == pytest.approx([(3**0.5 - 1) / 2, (3**0.5 - 1) / 2, (5**0.5 - 1) / 2], rel=1e-12)
    assert whole <= first + second
