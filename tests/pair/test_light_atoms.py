"""Light atoms far away keep their mass, however the weights of the other measure were rounded.

Masses are whole multiples of 2^-60, and the sums of two measures differ by some of them. What is left over must not be
taken from the atoms that are dearest to move.
"""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from oracles import exact_profile

import rpw

UNIT = 2.0**-60


def far_mass(weights):
    """W of one far atom, the last, to points at 0, per length 1: the p-th power is its share of the mass."""
    return weights[-1] / math.fsum(weights)


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
def test_a_light_atom_far_away_counts_whole(size):
    x, y, b = np.zeros(size), np.array([0.0, 1e4]), [1, 1e-14]
    expected = 1e4 * far_mass(b) ** (1 / 5)
    near = 2 * UNIT / 1e-14 / 5  # two units, of a mass of 1e-14, after the root
    assert rpw.wasserstein(x, y, b=b, p=5) == pytest.approx(expected, rel=near)
    assert rpw.wasserstein(y, x, a=b, p=5) == pytest.approx(expected, rel=near)
    assert rpw.wasserstein(cost=abs(x[:, None] - y), b=b, p=5) == pytest.approx(expected, rel=near)
    plane = [np.c_[each, np.zeros(len(each))] for each in (x, y)]
    for solver in ("auto", "walk", "simplex", "points"):
        assert rpw.wasserstein(*plane, b=b, p=5, solver=solver) == pytest.approx(expected, rel=near)
    assert rpw.robot(x, y, b=b, p=5, lam=1e5) == pytest.approx(expected, rel=near)
    assert float(rpw.sliced(x, y, b=b, p=5)) == pytest.approx(expected, rel=near)
    assert rpw.profile(x, y, b=b, p=5)(1.0) == pytest.approx(expected, rel=near)
    assert rpw.wasserstein(x, y, b=b, p=math.inf) == 1e4


def test_a_far_atom_among_many():
    """Each of the weights is rounded by up to half a unit, and of equal ones all in the same direction."""
    for n, m in ((31623, 30011), (100_000, 77_777)):
        x, y, ones = np.zeros(n), np.zeros(m), np.ones(m)
        y[-1] = 1e6
        assert rpw.wasserstein(x, y) == pytest.approx(1e6 * far_mass(ones) ** 0.5, rel=1e-14)
        light = np.where(y > 0, 1e-6, 1.0)
        assert rpw.wasserstein(x, y, b=light) == pytest.approx(1e6 * far_mass(light) ** 0.5, rel=1e-7)


def drawn(rng, exponents=(0, 0, 3, 7, 11, 13), farthest=5):
    """Small measures in the plane on whole numbers; light atoms lie far away."""
    found = []
    for size in rng.integers(1, 5, 2):
        points, weights = rng.integers(0, 4, (size, 2)).astype(float), np.ones(size)
        if rng.random() < 0.7:
            weights = rng.choice([1.0, 3.0, rng.random() + 0.1], size)
            weights[1:] *= 10.0 ** -rng.choice(exponents, size - 1)
        points[weights < 1e-6, 0] += 10.0 ** rng.integers(0, farthest)
        found.append((points, weights))
    return found


def answers(x, y, a, b, p, lam):
    """W, partial W of nine tenths, and ROBOT, in each way there is."""
    cost, given = np.abs(x[:, None] - y).sum(axis=2), {"p": p, "metric": "cityblock"}
    measures = [rpw.Measure(x, a)], [rpw.Measure(y, b)]
    for solver in ("auto", "walk", "simplex", "points"):
        yield "W", rpw.wasserstein(x, y, a, b, solver=solver, **given)
        yield "partial", rpw.partial_wasserstein(x, y, a, b, mass=0.9, solver=solver, **given)
        yield "robot", rpw.robot(x, y, a, b, lam=lam, solver=solver, **given)
    yield "W", rpw.wasserstein(cost=cost, a=a, b=b, p=p)
    yield "W", rpw.transport(x, y, a, b, **given).distance
    yield "W", rpw.pairwise(*measures, distance="wasserstein", **given)[0, 0]
    yield "W", rpw.pairwise(*measures, distance="wasserstein", device="cuda", **given)[0, 0]
    yield "robot", rpw.pairwise(*measures, distance="robot", lam=lam, device="cuda", **given)[0, 0]


def exact_cost(cost_p, a, b, mass=Fraction(1)):
    """The least cost of moving a share of the mass, as a fraction."""
    for (m0, f0), (m1, f1) in itertools.pairwise(exact_profile(cost_p, a, b)):
        if m1 >= mass:
            return float(f0 + (f1 - f0) * (mass - m0) / (m1 - m0))
    raise AssertionError("there is less mass")


@pytest.mark.parametrize("p", [1, 2, 5])
def test_every_way_agrees_with_exact_arithmetic(on_host, p):
    for seed in range(25):
        (x, a), (y, b) = drawn(np.random.default_rng([p, seed]))
        cost, lam = np.abs(x[:, None] - y).sum(axis=2), 700.0
        exact = {
            "W": exact_cost(cost**p, a, b),
            "partial": exact_cost(cost**p, a, b, Fraction(9, 10)),
            "robot": exact_cost(np.minimum(cost, 2 * lam) ** p, a, b),
        }
        lightest = min(a.min() / a.sum(), b.min() / b.sum())
        heavy = cost[np.ix_(a > 1e-3 * a.max(), b > 1e-3 * b.max())].max() ** p
        for name, found in answers(x, y, a, b, p, lam):
            # A unit of each atom, and for heavy ones the rounding of float64, which is 128 of them.
            rounding = (len(a) + len(b) + 4) * UNIT / lightest * exact[name] + 256 * UNIT * heavy
            assert found**p == pytest.approx(exact[name], rel=1e-11, abs=rounding), (seed, name)


def lighter(rng):
    """The same with atoms lighter than 1e-15 of the mass, and even than 2**-61, whose mass is 0."""
    return drawn(rng, (0, 3, 7, 11, 14, 15, 15.5, 16, 16.5, 17, 18, 20), 20)


def solved(x, y, a, b, p):
    """W with its bounds, in each way there is."""
    for solver in ("auto", "walk", "simplex", "points"):
        yield rpw.transport(x, y, a, b, p=p, metric="cityblock", solver=solver)
    yield rpw.transport(cost=np.abs(x[:, None] - y).sum(axis=2), a=a, b=b, p=p)
    if not (x[:, 1].any() or y[:, 1].any()):
        yield rpw.transport(x[:, 0], y[:, 0], a, b, p=p)


@pytest.mark.parametrize("p", [1, 2, 5])
@pytest.mark.parametrize("is_on_line", [True, False])
def test_bounds_contain_the_truth_whatever_the_weights_are(p, is_on_line):
    for seed in range(40):
        (x, a), (y, b) = lighter(np.random.default_rng([p, seed]))
        if is_on_line:
            x[:, 1] = y[:, 1] = 0
        exact = exact_cost(np.abs(x[:, None] - y).sum(axis=2) ** p, a, b) ** (1 / p)
        for result in solved(x, y, a, b, p):
            assert result.lower * (1 - 1e-9) <= exact <= result.upper * (1 + 1e-9), (seed, result)
            assert result.lower <= result.distance <= result.upper


@pytest.mark.parametrize("p", [1, 2, 5])
def test_one_rule_for_every_entrance(p, on_host):
    """What lies between 2**-61 and 1e-15 of the mass counts everywhere, however far away; each mass is rounded."""
    for seed in range(25):
        (x, a), (y, b) = lighter(np.random.default_rng([p, seed]))
        cost = np.abs(x[:, None] - y).sum(axis=2)
        given = {"p": p, "metric": "cityblock"}
        found = [value for name, value in answers(x, y, a, b, p, lam=1e300) if name != "partial"]
        found += [rpw.profile(x, y, a, b, **given)(1.0), rpw.profile(cost=cost, a=a, b=b, p=p)(1.0)]
        units = 2 * (len(a) + len(b)) * UNIT * cost.max() ** p
        assert np.power(found, p) == pytest.approx(found[0] ** p, rel=1e-9, abs=units), seed


@pytest.mark.parametrize("p", [1, 2, math.inf])
@pytest.mark.parametrize("weight", [1e-15, 1e-16, 1e-17])
def test_the_profile_rises_only_where_the_light_atom_moves(p, weight):
    x, y, b = [0.0], [0.0, 1e20], [1.0, weight]
    expected = 1e20 if p == math.inf else 1e20 * far_mass(b) ** (1 / p)
    for given in ({"x": x, "y": y}, {"cost": [[0.0, 1e20]]}):
        profile = rpw.profile(**given, b=b, p=p)
        assert profile(0.999) == 0
        assert profile(1.0) == pytest.approx(expected, rel=UNIT / weight)
        assert rpw.wasserstein(**given, b=b, p=p) == pytest.approx(expected, rel=UNIT / weight)


def test_bounds_of_ordinary_weights_stay_one_number():
    rng = np.random.default_rng(0)
    tails = np.exp(-(np.linspace(-9, 9, 200) ** 2) / 2)  # down to 1e-18
    result = rpw.transport(np.linspace(-9, 9, 200), np.linspace(-9, 9, 200) + 0.5, tails, tails[::-1])
    assert (result.status, result.lower, result.upper) == ("exact", result.distance, result.distance)
    x, y = rng.random((2, 40, 2))
    assert rpw.transport(x, y, rng.dirichlet(np.ones(40)), rng.dirichlet(np.ones(40))).status == "exact"


@pytest.mark.parametrize(("weight", "p"), [(1e-300, 20), (1e-30, 8), (3e-19, 2)])
def test_bounds_open_no_further_than_what_has_no_mass(weight, p):
    """Of an atom below half a unit nothing moves: its own mass is all that is left open."""
    found = rpw.transport([[0.0, 0.0], [1.0, 0.0]], [[0.0, 0.0]], a=[1, weight], p=p)
    truth = weight ** (1 / p)
    assert found.lower <= truth * (1 + 1e-12)
    assert truth * (1 - 1e-12) <= found.upper <= 1.01 * truth
