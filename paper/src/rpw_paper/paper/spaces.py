"""Distributions in spaces of diameter 1 whose distances are known, exactly or up to a bound: the rates need them.

Densities: the middles of m^d equal cells stand for a density on a cube. Its W_p to them is at most that of one cell to
its middle.

Pairs: two measures that differ in their first coordinate only, μ = μ₁ × λ and ν = ν₁ × λ, with λ uniform. A plan
between μ₁ and ν₁ gives one between μ and ν of the same cost, which keeps the other coordinates. The first coordinates
of a plan between μ and ν give one between μ₁ and ν₁ that costs no more. So the profiles agree, and RPW(μ, ν) =
RPW(μ₁, ν₁): a distance on the line.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

import rpw
from rpw_paper.base import Array

SAMPLE_SIZES = (128, 200, 343, 625, 1000, 2000, 4096, 10_000, 31_623, 100_000)
SHIFT = 0.1
SHARE = 0.1  # of the mass, that one slab has more
SLAB = 0.2  # of the width
SQUARE_SIDE = 0.2  # of the two small squares, in units of the large one
MIDDLES_ON_LINE = 10  # for each point of a sample: they cost little there
TRUTH_POINTS = 200_000


@dataclass(frozen=True)
class Density:
    """A density in d dimensions: samples, and its middles with their greatest distance from it in W_p."""

    name: str
    dimension: int
    cubes: int = 1

    @property
    def _side(self) -> float:
        return (SQUARE_SIDE if self.cubes > 1 else 1.0) / math.sqrt(self.dimension)

    def _corners(self) -> Array:
        return np.linspace(0, 1 / math.sqrt(self.dimension) - self._side, self.cubes)

    def sizes(self, largest_n: int) -> list[int]:
        """Sample sizes that are numbers of equal cells, at or below those of `SAMPLE_SIZES`."""
        per_axis = {int((n / self.cubes) ** (1 / self.dimension) + 1e-9) for n in SAMPLE_SIZES if n <= largest_n}
        return [self.cubes * m**self.dimension for m in sorted(per_axis)]

    def sample(self, rng: np.random.Generator, n: int) -> Array:
        corner = self._corners()[rng.integers(self.cubes, size=(n, 1))]
        return np.asarray(corner + self._side * rng.random((n, self.dimension)))

    def middles(self, n: int) -> Array:
        """The middles of equal cells, as many as a sample of n has points."""
        m = self._per_axis(n)
        unit = (np.indices((m,) * self.dimension).reshape(self.dimension, -1).T + 0.5) / m
        return np.concatenate([corner + self._side * unit for corner in self._corners()])

    def error(self, n: int, p: float) -> float:
        """At least W_p between the density and its middles: the root of the mean square for p ≤ 2, else the largest."""
        diagonal = self._side * math.sqrt(self.dimension) / self._per_axis(n)
        return diagonal / math.sqrt(12) if p <= 2 else diagonal / 2

    def _per_axis(self, n: int) -> int:
        if self.dimension == 1:
            return MIDDLES_ON_LINE * n
        return round(float((n / self.cubes) ** (1 / self.dimension)))


DENSITIES = {
    "line": Density("line", 1),
    "square": Density("square", 2),
    "two squares": Density("two squares", 2, cubes=2),
    "cube": Density("cube", 3),
}


@dataclass(frozen=True)
class Pair:
    """Two distributions that differ in their first coordinate: its quantiles, for both. ``slow``: the largest sample
    of the slowest (d, p), whose mass moves over many points."""

    name: str
    first: Callable[[Array, float], Array]
    second: Callable[[Array, float], Array]
    slow: Mapping[tuple[int, float], int]

    def sample(self, rng: np.random.Generator, n: int, d: int) -> tuple[Array, Array]:
        """n points of each, in d dimensions."""
        side = box_side(d)
        points = []
        for quantiles in (self.first, self.second):
            own = side * rng.random((n, d))
            own[:, 0] = quantiles(rng.random(n), side)
            points.append(own)
        return points[0], points[1]


def box_side(d: int) -> float:
    """The side b of the box whose shift by `SHIFT` fits into diameter 1: (b + SHIFT)² + (d - 1) b² = 1."""
    return (-SHIFT + math.sqrt(SHIFT**2 + d * (1 - SHIFT**2))) / d


def _slabs(share: float) -> Callable[[Array, float], Array]:
    """This share of the mass on the left slab of the box and its shift, the rest on the right one."""

    def quantiles(u: Array, side: float) -> Array:
        width = side + SHIFT
        slab = SLAB * width
        left, right = u / share * slab, width - slab + (u - share) / (1 - share) * slab
        return np.where(u < share, left, right)

    return quantiles


PAIRS = (
    Pair(
        "shifted box",
        lambda u, side: side * u,
        lambda u, side: side * u + SHIFT,
        slow={(2, 1.0): 10_000, (3, 1.0): 10_000, (2, 4.0): 31_623, (3, 4.0): 31_623},
    ),
    Pair("slabs of other weights", _slabs(0.5), _slabs(0.5 - SHARE), slow={(2, 1.0): 10_000, (3, 1.0): 10_000}),
)


def true_distance(pair: Pair, d: int, p: float, k: float = 1.0, points: int = TRUTH_POINTS) -> float:
    """RPW between the two distributions, to about 1/points: that of their first coordinates."""
    middles, side = (np.arange(points) + 0.5) / points, box_side(d)
    return float(rpw.distance(pair.first(middles, side), pair.second(middles, side), p=p, k=k, diameter=1))
