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


def drawn(rng):
    """Small measures in the plane on whole numbers; light atoms lie far away."""
    found = []
    for size in rng.integers(1, 5, 2):
        points, weights = rng.integers(0, 4, (size, 2)).astype(float), np.ones(size)
        if rng.random() < 0.7:
            weights = rng.choice([1.0, 3.0, rng.random() + 0.1], size)
            weights[1:] *= 10.0 ** -rng.choice([0, 0, 3, 7, 11, 13], size - 1)
        points[weights < 1e-6, 0] += 10.0 ** rng.integers(0, 5)
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
