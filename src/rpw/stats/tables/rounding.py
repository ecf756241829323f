"""A long column on few places, and what that does to RPW.

The sorted values are cut twice: into runs of equally many rows, and into runs of equal length. Every common run is a
place, the middle of its values. So the body has fine places and an outlier keeps its own.

With d_i the move of row i, S = Σ d_i², and n and m the sizes of the two samples, the cost of moving any share of any
split changes by at most

    H = √(S (1/n + 1/m)),

by Minkowski's and the Cauchy-Schwarz inequality, at p = 1 and p = 2. So W - H and W + H bound the cost before rounding,
and with H/κ = g the bounds of RPW after a share s was replaced become

    T⁺ = g + crossing(κ, s - g),      T⁻ = max(0, crossing(κ, g - s) - g).

docs/proofs/statistics.md, "Rounded columns".
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rpw.base.check import Array
from rpw.stats.resampled import Resampled

__all__ = ["MOST_PLACES", "RoundedColumn", "RoundedCurves", "round_column"]

MOST_PLACES = 2048  # a profile on them takes 1.4 ms, on 1,024 about 1 ms: benchmarks/stats/bench_drift.py


@dataclass(frozen=True, eq=False)
class RoundedColumn:
    """The places, and which one each row has; ``squares`` is the sum of the squares of all moves."""

    places: Array
    labels: npt.NDArray[np.int64]
    squares: float = 0.0

    def slack(self, n: int, m: int) -> float:
        """H, the most by which a cost changes."""
        return math.sqrt(self.squares * (1 / n + 1 / m))


def round_column(values: Array, most: int = MOST_PLACES) -> RoundedColumn:
    """Round to at most so many places; not at all if there are no more different values."""
    places, labels = np.unique(values, return_inverse=True)
    if len(places) <= most:
        return RoundedColumn(places, labels)
    counts = np.bincount(labels)
    run = _common_runs(_runs_of_rows(counts, most // 2), _runs_of_length(places, most // 2))
    first = np.flatnonzero(np.diff(run, prepend=-1))
    last = np.append(first[1:], len(places)) - 1
    middle = places[first] + (places[last] - places[first]) / 2
    moves = places - middle[run]
    with np.errstate(over="ignore"):  # then nothing is known about the costs before rounding
        return RoundedColumn(middle, run[labels], float(counts @ moves**2))


def _common_runs(one: npt.NDArray[np.int64], other: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The run of each place: a new one begins if either cut begins one."""
    begins = (np.diff(one, prepend=one[0]) != 0) | (np.diff(other, prepend=other[0]) != 0)
    runs: npt.NDArray[np.int64] = begins.cumsum()
    return runs


def _runs_of_rows(counts: npt.NDArray[np.int64], runs: int) -> npt.NDArray[np.int64]:
    before = counts.cumsum() - counts
    return before * runs // int(counts.sum())


def _runs_of_length(places: Array, runs: int) -> npt.NDArray[np.int64]:
    """The shortest length, by halving, for which so many runs are enough."""
    low, high = 0.0, float(places[-1] - places[0]) / runs
    found = _cover(places, high)
    while high - low > 1e-2 * high:
        middle = (low + high) / 2
        cover = _cover(places, middle)
        if cover[-1] < runs:
            high, found = middle, cover
        else:
            low = middle
    return found


def _cover(places: Array, length: float) -> npt.NDArray[np.int64]:
    """Runs from left to right, each as many places as lie within the length."""
    begins = np.zeros(len(places), dtype=np.int64)
    start = 0
    while start < len(places):
        begins[start] = 1
        start = max(start + 1, int(np.searchsorted(places, places[start] + length, side="right")))
        if start >= len(places):
            break
    return begins.cumsum() - 1


@dataclass(frozen=True, eq=False)
class RoundedCurves(Resampled):
    """Profiles of rounded columns, with bounds for the columns as they were."""

    slack: float = 0.0

    def lowest(self, split: int, price: int, kappa: float, share: float) -> float:
        """T⁻."""
        gap = self._gap(kappa)
        return 0.0 if gap >= 1 else max(0.0, super().lowest(split, price, kappa, share - gap) - gap)

    def highest(self, split: int, price: int, kappa: float, share: float) -> float:
        """T⁺."""
        gap = self._gap(kappa)
        return 1.0 if gap >= 1 else min(1.0, gap + super().highest(split, price, kappa, share - gap))

    def _gap(self, kappa: float) -> float:
        """H/κ."""
        return self.slack / kappa if kappa > 0 else math.inf * self.slack if self.slack else 0.0
