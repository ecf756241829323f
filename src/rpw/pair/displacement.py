"""Which column moved: the moves of a plan, coordinate by coordinate.

Let π be the plan, M the mass that it moves, and Δ = y - x the move of a pair. For each coordinate c,

    mean_c = Σ π Δ_c / M        absolute_c = Σ π |Δ_c| / M        share_c = Σ π ℓ^(p-1) Δ_c ∂_c ℓ / Σ π ℓ^p.

Here ℓ is the length of Δ, a norm, and ∂_c ℓ its derivative in Δ_c. Since Σ_c Δ_c ∂_c ℓ = ℓ for every norm (Euler), the
shares sum to 1: they split W^p. With the Euclidean norm and p = 2, a share is that of Δ_c² in the sum of all squares.
With cityblock and p = 1, it is that of |Δ_c| in the sum of all. At p = ∞ the longest moves alone count.

RPW moves parts of outliers too, as far as its price allows. A little mass on a long way may be most of the cost, and
much of the mean. It hardly changes the median of Δ_c over the mass that moves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rpw.base.check import Array
from rpw.base.frozen import read_only
from rpw.pair.atoms import Ints
from rpw.pair.metrics import GroundMetric
from rpw.pair.problem import Problem

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Displacement", "displacement_of"]

_IN_REPR, _IN_HTML = 6, 30  # columns that are listed
_ROUNDING = 1e-12  # of sums of masses


@dataclass(frozen=True, eq=False)
class Displacement:
    """How far a plan moves the mass along each coordinate, in the units of the points.

    The plan of RPW leaves the farthest rows behind, so its moves are shorter than the shift between the measures. Raise
    ``k``, or use ``rpw.transport(x, y).displacement``, to see the full shift.

    The numbers have no chance level. Two samples of one distribution show small moves too, and
    `rpw.stats.two_sample_test` says whether the samples differ. In many dimensions every column has a part of the cost,
    moved or not: look at the largest ``abs(mean)``, not at ``share``.

    Attributes
    ----------
    names : tuple of str
        The names of the columns, if the points came as tables; else ``"column 0"``, ``"column 1"``, …
    mean : array (d,)
        The mean move from the first measure to the second, over the mass that moves; NaN if nothing moves.
    median : array (d,)
        Its median: half of the mass moves less, half more. A few outliers that move far change it little; they may make
        up most of ``mean`` and ``share``.
    absolute : array (d,)
        The mean of the absolute value. It is far larger than ``abs(mean)`` if mass moves both ways.
    share : array (d,) or None
        The part of W^p that each coordinate makes up. The parts sum to 1; they are all 0 if the plan costs nothing.
        None under a metric that is no norm of the differences.

    >>> import rpw
    >>> moved = rpw.transport([[0.0, 0.0], [1.0, 0.0]], [[3.0, 1.0], [4.0, -1.0]]).displacement
    >>> moved.mean.tolist(), moved.absolute.tolist(), moved.share.round(9).tolist()
    ([3.0, 0.0], [3.0, 1.0], [0.9, 0.1])
    """

    names: tuple[str, ...]
    mean: Array
    median: Array
    absolute: Array
    share: Array | None

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the mean move along each coordinate as a bar (needs ``rpw[plot]``).

        The pale bar behind it is as long as the mean absolute value, the mark is the median, and the text is the share
        of the cost. Of more than 30 columns, those with the longest mean moves are drawn.
        """
        from rpw.plot import plot_displacement

        return plot_displacement(self, ax)

    def largest(self, most: int) -> list[int]:
        """The columns with the longest mean moves, the longest first.

        Not those with the largest shares: in many dimensions, chance makes up most of each share.
        """
        return [int(column) for column in np.argsort(-np.abs(self.mean), kind="stable")[:most]]

    def _in_words(self, column: int) -> str:
        share = "" if self.share is None else f" ({self.share[column]:.0%} of the cost)"
        return f"{self.mean[column]:+.4g}{share}"

    def __repr__(self) -> str:
        shown = [f"{self.names[column]} {self._in_words(column)}" for column in self.largest(_IN_REPR)]
        hidden = len(self.names) - len(shown)
        return f"Displacement({', '.join(shown)}{f', and {hidden:,} more' if hidden else ''})"

    def _repr_html_(self) -> str:
        from rpw.base.html import facts

        rows = [
            (
                self.names[column],
                f"{self._in_words(column)}; median {self.median[column]:+.4g}, absolute {self.absolute[column]:.4g}",
            )
            for column in self.largest(_IN_HTML)
        ]
        hidden = len(self.names) - len(rows)
        return facts("Mean move", [*rows, *([("not shown", f"{hidden:,} more columns")] if hidden else [])])


def displacement_of(problem: Problem, p: float, rows: Ints, columns: Ints, mass: Array) -> Displacement:
    """Of the plan that moves ``mass[s]`` from atom ``rows[s]`` to atom ``columns[s]``; raises without points."""
    if problem.points is None:
        raise ValueError("displacement needs points: this result comes from cost=, which has distances alone")
    x, y = (np.asarray(points)[atoms] for points, atoms in zip(problem.points, (rows, columns), strict=True))
    moves = y - x
    names = problem.names or tuple(f"column {column}" for column in range(moves.shape[1]))
    metric = problem.ground.metric
    share = None if metric.core is None else _shares(metric, p, x, y, mass)
    return Displacement(names, _mean(moves, mass), _median(moves, mass), _mean(np.abs(moves), mass), share)


def _mean(moves: Array, mass: Array) -> Array:
    total = mass.sum()
    return read_only(mass / total @ moves if total > 0 else np.full(moves.shape[1], np.nan))


def _median(moves: Array, mass: Array) -> Array:
    """In the middle between the first move that half of the mass does not exceed, and the first that more does not."""
    if mass.sum() == 0:
        return read_only(np.full(moves.shape[1], np.nan))
    order = np.argsort(moves, axis=0)
    sums = np.cumsum(mass[order], axis=0)
    halves = np.stack([sums < part * sums[-1] for part in (0.5 - _ROUNDING, 0.5 + _ROUNDING)]).sum(axis=1)
    ranked = np.take_along_axis(moves, order, axis=0)
    return read_only(np.take_along_axis(ranked, halves, axis=0).mean(axis=0))


def _shares(metric: GroundMetric, p: float, x: Array, y: Array, mass: Array) -> Array:
    """The parts of W^p under a norm."""
    lengths, derivative = metric.ways(y, x)
    longest = lengths.max(initial=0.0)
    if longest == 0:
        return read_only(np.zeros(x.shape[1]))
    # In units of the longest move, so that no power leaves float64; at p = inf only moves as long as it stay.
    costs = mass * (lengths / longest) ** p
    parts = (y - x) * derivative / np.where(lengths > 0, lengths, 1.0)[:, None]
    return read_only(costs @ parts / costs.sum())
