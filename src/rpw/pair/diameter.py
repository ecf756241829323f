"""The largest distance between any two points, exactly within a stated amount of work, and of their inliers.

docs/proofs/profile.md, "The diameter", has the proofs.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from rpw import _core
from rpw.base.check import Array
from rpw.base.deadline import NEVER, Deadline
from rpw.base.made_by_rpw import NO_PARAMETERS
from rpw.pair.atoms import Ints
from rpw.pair.metrics import GroundMetric, equal_rows

__all__ = ["Diameter", "diameter_of"]

# How many differences of coordinates are looked at, beside a few passes over the points; seconds, in each case. A pair
# counts for ten at least, which is what it costs beside them.
_MOST_IN_CORE = 10**10
_MOST_IN_SCIPY = 10**9
_MOST_CALLS = 2**19  # of a user's function: all pairs of 1,000 points

_MOST_SWEEPS = 4
_TILE = 128, 4096  # rows and columns: Ctrl-C is noticed between two tiles
_TILE_OF_CALLS = 16, 512
_MOST_TO_SORT = 1 << 24  # coordinates; beyond, equal points are not sought
_ROUNDING = 1e-12  # as a share of a length: of sums over ten thousand coordinates, in the worst case

_SAMPLE = 512  # points among which the middle one is sought


class Diameter(float):
    """A float that `rpw.diameter` returns: the largest distance between any two points, or an upper bound on it.

    Examples
    --------
    >>> import rpw
    >>> delta = rpw.diameter([[0.0, 0.0], [3.0, 4.0]])
    >>> delta, delta.lower, delta.is_exact
    (5.0, 5.0, True)
    """

    __signature__ = NO_PARAMETERS

    __slots__ = ("_lower",)
    _lower: float

    def __new__(cls, upper: float, lower: float | None = None) -> Diameter:
        """Exact where ``lower`` is left out."""
        number = super().__new__(cls, upper)
        number._lower = float(upper if lower is None else lower)
        return number

    @property
    def lower(self) -> float:
        """The largest distance between two points that was found."""
        return self._lower

    @property
    def is_exact(self) -> bool:
        """Whether the number is the largest distance; if not, the truth lies between ``lower`` and the number."""
        return self._lower == float(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return Diameter, (float(self), self._lower)


def diameter_of(
    metric: GroundMetric, clouds: list[Array], quantile: float = 1.0, deadline: Deadline = NEVER
) -> Diameter:
    """The largest distance between any two points of all clouds; below quantile 1, between any two of the inliers.

    Raises where the deadline passes meanwhile.
    """
    points = np.ascontiguousarray(clouds[0]) if len(clouds) == 1 else np.concatenate(clouds)
    if quantile < 1:
        points = points[_inliers(_Distances(metric, points, deadline), quantile)]
    box, is_exact = metric.box(points)
    if not math.isfinite(box) and metric.core is not None:
        raise ValueError("the points are too far apart: their diameter is outside the range of float64")
    if is_exact:
        return Diameter(box)
    if metric.core is not None and _core.length_unit(points, points) != 1:
        points = points - points.min(axis=0)  # else huge coordinates that all share would swallow the differences
    if metric.calls_python:
        points = points[np.sort(_first_of_equals(points))]
    return _largest_distance(_Distances(metric, points, deadline), box)


@dataclass(frozen=True, eq=False)
class _Distances:
    """Points, and the distances between them."""

    metric: GroundMetric
    points: Array
    deadline: Deadline

    def row(self, here: Array) -> Array:
        """Of all points from one, which need not be one of them."""
        row: Array = self._between(here[None, :], self.points)[0]
        return row

    def block(self, rows: Ints, columns: Ints) -> Array:
        """Of some points from others."""
        return self._between(self.points[rows], self.points[columns])

    def of_pair(self, i: int, j: int) -> float:
        """Of two points: the same bits, whatever led to them."""
        return float(self.metric.pairs(self.points[[i]], self.points[[j]])[0])

    def _between(self, x: Array, y: Array) -> Array:
        lengths = np.empty((len(x), len(y)))
        self.metric.fill(x, y, lengths, self.deadline)
        return lengths

    @property
    def most_pairs(self) -> int:
        """How many pairs may be looked at."""
        if self.metric.calls_python:
            return _MOST_CALLS
        most = _MOST_IN_SCIPY if self.metric.core is None else _MOST_IN_CORE
        return most // max(10, int(self.points.shape[1]))


@dataclass(frozen=True)
class _Pair:
    """Two points, by their rows, and the distance between them."""

    i: int
    j: int
    length: float


def _largest_distance(distances: _Distances, box: float) -> Diameter:
    pair, rows = _sweep(distances, box)
    bound = box
    if not _is_reached(pair.length, box):
        pair, bound = _search(distances, _from_middle(distances, pair, rows), pair)
        bound = min(bound, box)
    lower = distances.of_pair(pair.i, pair.j)
    if _is_reached(pair.length, bound):
        return Diameter(lower)
    return Diameter(min(bound * (1 + _ROUNDING), sys.float_info.max), lower)


def _is_reached(length: float, bound: float) -> bool:
    return length >= bound * (1 - _ROUNDING)


# ---------------------------------------------------------------- passes over all points


def _sweep(distances: _Distances, box: float) -> tuple[_Pair, list[Array]]:
    """From a point to the farthest, from there to the farthest, while the way gets longer; with the distances seen."""
    pair, here, rows = _Pair(0, 0, 0.0), 0, []
    for _ in range(_MOST_SWEEPS):
        rows.append(distances.row(distances.points[here]))
        there = int(rows[-1].argmax())
        length = float(rows[-1][there])
        if length <= pair.length:
            break
        pair, here = _Pair(here, there, length), there
        if _is_reached(length, box):
            break
    return pair, rows


def _from_middle(distances: _Distances, pair: _Pair, rows: list[Array]) -> Array:
    """The distances from wherever the farthest point is nearest, among a few places."""
    points = distances.points
    central = int(np.max(rows[-2:], axis=0).argmin())  # of the points, the one nearest to both ends
    places = [points[central], *distances.metric.middles(points, points[pair.i], points[pair.j])]
    return min([*rows, *map(distances.row, places)], key=lambda row: float(row.max()))


# ---------------------------------------------------------------- pairs, farthest from the middle first


def _search(distances: _Distances, from_middle: Array, pair: _Pair) -> tuple[_Pair, float]:
    """The farthest pair, or the best that the work allows, and a bound on all pairs.

    No pair is farther apart than the sum of its distances from the middle: pairs that cannot be the farthest are left
    out, and so are all that come after them in this order.
    """
    order = _worth_a_look(distances.points, from_middle, pair.length)
    r, left = from_middle[order], distances.most_pairs
    rows, columns = _TILE_OF_CALLS if distances.metric.calls_python else _TILE
    for i in range(0, len(order) - 1, rows):
        here = order[i : i + rows]
        for j in range(i + 1, len(order), columns):
            if r[i] + r[j] <= pair.length:
                break
            there = order[j : j + columns]
            left -= len(here) * len(there)
            if left < 0:
                return pair, max(pair.length, float(r[i] + r[i + 1]))
            pair = _better(distances, here, there, pair)
    return pair, pair.length


def _better(distances: _Distances, here: Ints, there: Ints, pair: _Pair) -> _Pair:
    lengths = distances.block(here, there)
    s, t = np.unravel_index(int(lengths.argmax()), lengths.shape)
    found = _Pair(int(here[s]), int(there[t]), float(lengths[s, t]))
    return found if found.length > pair.length else pair


def _worth_a_look(points: Array, from_middle: Array, length: float) -> Ints:
    """The points that may lie farther than ``length`` from another one, each once, in the order of the search."""
    kept = np.flatnonzero(from_middle + from_middle.max() > length)
    if 0 < len(kept) * points.shape[1] <= _MOST_TO_SORT:
        kept = kept[_first_of_equals(points[kept])]
    order: Ints = kept[np.argsort(-from_middle[kept], kind="stable")]
    return order


def _first_of_equals(points: Array) -> Ints:
    return np.unique(equal_rows(points), return_index=True)[1]


# ---------------------------------------------------------------- without gross outliers


def _inliers(distances: _Distances, quantile: float) -> Ints:
    """The points within the least radius around the middle one that holds a share ``quantile`` of them."""
    from_middle, count = distances.row(distances.points[_middle_one(distances)]), len(distances.points)
    outside = math.floor((1 - quantile) * count * (1 + 1e-9))  # one of ten at 0.9, although 1 - 0.9 is less than 0.1
    last = max(0, count - 1 - outside)
    return np.flatnonzero(from_middle <= np.partition(from_middle, last)[last])


def _middle_one(distances: _Distances) -> int:
    """The row of a point in the midst of the others: of some, the one whose median distance to these is the least.

    Which ones are tried depends on where they lie, and not on the order of the rows.
    """
    points = distances.points
    from_corner = distances.row(points[_corner(points)])
    along = np.cos(np.arange(points.shape[1]))  # no two points of a lattice lie equally far in this direction
    with np.errstate(over="ignore", invalid="ignore"):
        order = np.lexsort(((points * along).sum(axis=1), from_corner))
    some = order[np.unique(np.linspace(0, len(order) - 1, min(_SAMPLE, len(order))).round().astype(np.int64))]
    return int(some[np.median(distances.block(some, some), axis=1).argmin()])


def _corner(points: Array) -> int:
    """The row of the point with the least first coordinate; among several, with the least second one, and so on."""
    rows = np.arange(len(points))
    for column in points.T:
        rows = rows[column[rows] == column[rows].min()]
        if len(rows) == 1:
            break
    return int(rows[0])
