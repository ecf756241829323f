"""Where a profile bends: which share of the mass is far dearer to move than the inliers are wide.

docs/proofs/profile.md, "The elbow", says why these numbers, and what was measured with them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rpw.base.check import Array
from rpw.base.deadline import NEVER, Deadline
from rpw.pair.atoms import Ints
from rpw.pair.problem import Problem

__all__ = ["Spread", "outlier_share", "spread_of"]

_PAIRS = 987  # whose distances are looked at
_CALLS = 16  # between two looks at the clock: a metric may be a slow function
_GOLDEN = (5**0.5 - 1) / 2
_STEPS = np.arange(0.5, _PAIRS)
_PLACES = _STEPS / _PAIRS, _STEPS * _GOLDEN % 1  # where they lie in the mass of the two measures

_HALF = 0.5  # of the mass is never out: which half would it be?
_NEARLY_ALL = 0.95  # of the inliers lie no farther apart than their width
_BEYOND = 2.0  # widths; no outlier is nearer, however many there are
_TAIL = 3.0  # the share of a t-distribution with 3 degrees of freedom beyond r falls like r^-3
_TAIL_REACH = 0.35  # widths, at a share of 1
_CHANCE = 0.02  # that such a tail reaches farther


@dataclass(frozen=True, eq=False)
class Spread:
    """How far apart two measures lie, and how many atoms say so."""

    distances: Array  # of some pairs of atoms, in order
    atoms: float  # of the smaller measure; those of unequal weight count for fewer

    def width(self, left: Array) -> Array:
        """How far apart inliers lie if a share ``left`` of each measure is out.

        Outliers of both measures spoil all but (1 - left)² of the pairs, and their distances are the longest. Where
        most points are equal, a quarter of the other distances still counts for the width: what differs is not out.
        """
        other = self.distances[self.distances > 0]
        if len(other) == 0:
            return np.full(left.shape, np.inf)
        return np.maximum(np.quantile(self.distances, _NEARLY_ALL * (1 - left) ** 2), np.quantile(other, 0.25))

    def reach(self, left: Array) -> Array:
        """How far the outermost share ``left`` of inliers with a heavy tail may lie: the fewer they are, the farther.

        The share of such a tail that k of the atoms stand for is seldom less than the lower quantile of a gamma
        distribution.
        """
        from scipy.special import gammaincinv

        with np.errstate(divide="ignore", over="ignore"):
            share = gammaincinv(left * self.atoms, _CHANCE) / self.atoms
            widths = np.maximum(_BEYOND, _TAIL_REACH * share ** (-1 / _TAIL))
            return np.asarray(widths * self.width(left))


def spread_of(problem: Problem, deadline: Deadline = NEVER) -> Spread:
    """From pairs of atoms that lie evenly over the mass of both measures; raises where the deadline passes."""
    rows, columns = _atoms_at(_PLACES[0], problem.a), _atoms_at(_PLACES[1], problem.b)
    if problem.ground.metric.core is None:
        distances = _asked_once(rows, columns, problem, deadline)
    else:
        distances = problem.pairs(rows, columns)
    return Spread(np.sort(distances), min(1 / float(weights @ weights) for weights in (problem.a, problem.b)))


def _asked_once(rows: Ints, columns: Ints, problem: Problem, deadline: Deadline) -> Array:
    """The same distances, each pair of atoms once: here it is a call, and the clock is looked at between some."""
    numbers, counts = np.unique(rows * len(problem.b) + columns, return_counts=True)  # far faster than of pairs
    pairs = np.column_stack(np.divmod(numbers, len(problem.b)))
    distances = np.empty(len(pairs))
    step = _CALLS if deadline.is_set else len(pairs)
    for start in range(0, len(pairs), step):
        deadline.check()
        part = slice(start, start + step)
        distances[part] = problem.pairs(pairs[part, 0], pairs[part, 1])
    return np.repeat(distances, counts)


def _atoms_at(shares: Array, weights: Array) -> Ints:
    """The atoms at which these shares of the mass are reached."""
    until = np.cumsum(weights)
    return np.asarray(np.searchsorted(until, shares * until[-1]))


def outlier_share(left: Array, lengths: Array, spread: Spread) -> float:
    """The share of the mass that is out: where the first edge begins that is too long for inliers, or 0.

    ``left`` is the mass that has not moved where each edge of the profile begins, and ``lengths`` what the next bit
    costs there, as a length.
    """
    may_be_out = np.flatnonzero((left < _HALF) & (lengths > _BEYOND * spread.width(np.array(_HALF))))
    out = may_be_out[lengths[may_be_out] > spread.reach(left[may_be_out])]
    return float(left[out[0]]) if len(out) else 0.0
