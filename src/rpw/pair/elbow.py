"""Where a profile bends: which share of the mass is far dearer to move than the clouds are wide."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import gammaincinv

from rpw.base.check import Array
from rpw.pair.problem import Problem

__all__ = ["Spread", "elbow_of", "spread_of"]

_PAIRS = 987  # whose distances are looked at
_GOLDEN = (5**0.5 - 1) / 2

_MOST_OUTLIERS = 0.5  # beyond, it is the others that are out
_WITHIN = 0.95  # of the inliers' distances are taken for their width
_BEYOND = 1.5  # widths: no outlier is nearer, however many there are
_HEAVY_TAIL = 3.0  # the share of a t-distribution with 3 degrees of freedom beyond r falls like r^-3
_TAIL_AT_ONE = 0.3  # widths that such a tail would reach, were it all of the mass
_CHANCE = 0.05  # that the tail reaches farther
_SUDDEN = 4.0  # times the length before: so much it hardly ever rises at once without outliers
_FEWEST = 2.999  # atoms (or 3, rounded) that say something together
_STRAGGLERS = 3.0  # widths: inliers that lie farther out would hide where the outliers begin


@dataclass(frozen=True, eq=False)
class Spread:
    """How far apart two measures lie, and how many atoms say so."""

    distances: Array  # of some pairs of atoms, in order
    atoms: float  # of the smaller measure; of unequal weight they count for fewer

    def width(self, left: Array) -> Array:
        """How far apart inliers lie if a share of ``left`` is out: nearly all of them lie closer.

        Outliers on both sides spoil all but (1 - left)² of the pairs, and theirs are the longest. Equal values say
        nothing about a width: where most are, a quarter of the other distances is still counted.
        """
        other = self.distances[self.distances > 0]
        if len(other) == 0:
            return np.full(left.shape, np.inf)
        return np.maximum(np.quantile(self.distances, _WITHIN * (1 - left) ** 2), np.quantile(other, 0.25))

    @property
    def least_width(self) -> float:
        """That of a quarter of the distances that are not 0."""
        return float(self.width(np.ones(1))[0])


def spread_of(problem: Problem) -> Spread:
    """From pairs of atoms that are spread evenly over the mass of both measures, by no more than they weigh."""
    steps = np.arange(_PAIRS) + 0.5
    rows, columns = _at(problem.a, steps / _PAIRS), _at(problem.b, steps * _GOLDEN % 1)
    pairs, counts = np.unique(np.column_stack([rows, columns]), axis=0, return_counts=True)
    distances = np.repeat(problem.pairs(pairs[:, 0], pairs[:, 1]), counts)
    return Spread(np.sort(distances), min(1 / float(w @ w) for w in (problem.a, problem.b)))


def _at(weights: Array, shares: Array) -> npt.NDArray[np.int64]:
    """The atoms at which so much of the mass has come."""
    until = np.cumsum(weights)
    return np.searchsorted(until, shares * until[-1], side="right").clip(max=len(weights) - 1)


def elbow_of(left: Array, lengths: Array, spread: Spread) -> float:
    """The share of outliers: where an edge begins that is too long for inliers, or 0.

    ``left`` is what each edge of the profile has not moved yet, and ``lengths`` what the next bit of mass costs there,
    as a length.
    """
    before = np.concatenate([[0.0], lengths[:-1]])
    is_long = _are_far(left, lengths, spread) | _are_sudden(left, lengths, before, spread)
    found = np.flatnonzero(is_long & (left <= _MOST_OUTLIERS))
    if len(found) == 0:
        return 0.0
    width = spread.width(left[found[:1]])
    near = found[before[found] <= _STRAGGLERS * width]
    if len(near) == 0:
        near = found[:1]
    return float(left[near[np.argmax(lengths[near] / np.maximum(before[near], width))]])


def _are_far(left: Array, lengths: Array, spread: Spread) -> npt.NDArray[np.bool_]:
    """Whether edges are longer than the inliers are wide, and longer than so few points of a heavy tail would be."""
    found = np.zeros(len(left), dtype=bool)
    with np.errstate(over="ignore", divide="ignore"):
        far = np.flatnonzero((left <= _MOST_OUTLIERS) & (lengths > _BEYOND * spread.width(left)))
        share = gammaincinv(left[far] * spread.atoms, _CHANCE) / spread.atoms
        reach = _TAIL_AT_ONE * share ** (-1 / _HEAVY_TAIL)
        found[far] = lengths[far] > reach * spread.width(left[far])
    return found


def _are_sudden(left: Array, lengths: Array, before: Array, spread: Spread) -> npt.NDArray[np.bool_]:
    """Whether edges are so much longer than those before them that inliers alone would not do that."""
    is_rise = (before > 0) & (lengths / _SUDDEN >= before) & (lengths >= spread.least_width)
    return np.asarray(is_rise & (left * spread.atoms >= _FEWEST))
