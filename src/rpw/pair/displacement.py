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

from rpw.base import check
from rpw.base.check import Array
from rpw.base.frozen import read_only
from rpw.base.made_by_rpw import NO_PARAMETERS
from rpw.base.shared_docs import documented
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
    """How far a plan moves the mass along each column, in the units of the points.

    ``rpw.Result.displacement`` returns it.

    The plan of RPW leaves the farthest rows behind, so its moves are shorter than the shift between the measures. To
    see the full shift, raise ``k`` or use ``rpw.transport(x, y).displacement``.

    Two samples of one distribution show small moves too; `rpw.stats.two_sample_test` says whether two samples differ.
    In many dimensions every column has a part of the cost, even one that has not shifted: look at the largest
    ``abs(mean)``, not at ``share``.

    Attributes
    ----------
    names : tuple of str
        The names of the columns, if the points came as tables; if not, ``"column 0"``, ``"column 1"``, ...
    mean : array of shape (d,)
        The mean move from the first measure to the second, over the mass that moves; NaN if nothing moves.
    median : array of shape (d,)
        The median move. A few outliers that move far change it little; they may dominate ``mean`` and ``share``.
    absolute : array of shape (d,)
        The mean of the absolute move. It is larger than ``abs(mean)`` if some mass moves up and some moves down.
    share : array of shape (d,), or None
        The part of W_p**p that each column makes up. The parts sum to 1; all are 0 if the plan costs nothing. None
        unless the metric is euclidean, cityblock, chebyshev or minkowski.

    Examples
    --------
    The first column moves by 3. In the second, one point moves up and the other down:

    >>> import rpw
    >>> x, y = [[0.0, 0.0], [1.0, 0.0]], [[3.0, 1.0], [4.0, -1.0]]
    >>> moved = rpw.transport(x, y).displacement
    >>> moved.mean, moved.absolute, moved.share.round(3)
    (array([3., 0.]), array([3., 1.]), array([0.9, 0.1]))
    """

    __signature__ = NO_PARAMETERS

    names: tuple[str, ...]
    mean: Array
    median: Array
    absolute: Array
    share: Array | None

    @documented
    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the mean move along each column as a bar (needs ``rpw[plot]``).

        The pale bar shows the mean absolute move, the mark is the median, and the text is the share of the cost. If
        there are more than 30 columns, the 30 with the longest mean moves are drawn.

        Parameters
        ----------
        %(ax)s

        Returns
        -------
        %(returns_ax)s

        Examples
        --------
        >>> import rpw
        >>> x, y = [[0.0, 0.0], [1.0, 0.0]], [[3.0, 1.0], [4.0, -1.0]]
        >>> moved = rpw.transport(x, y).displacement
        >>> [label.get_text() for label in moved.plot().get_yticklabels()]
        ['column 0', 'column 1']
        """
        from rpw.plot import plot_displacement

        return plot_displacement(self, ax)

    def largest(self, most: int) -> list[int]:
        """Return the columns with the longest mean moves, longest first.

        Parameters
        ----------
        most : int
            How many columns.

        Returns
        -------
        list of int
            Their column numbers, from 0.

        Examples
        --------
        >>> import rpw
        >>> rpw.transport([[0.0, 0.0, 0.0]], [[1.0, -5.0, 2.0]]).displacement.largest(2)
        [1, 2]
        """
        shown = check.as_whole(most, "most", 0)
        return [int(column) for column in np.argsort(-np.abs(self.mean), kind="stable")[:shown]]

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
        raise ValueError("displacement needs points: this result comes from cost=, which has only distances")
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
