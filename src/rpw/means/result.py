"""What `rpw.barycenter` returns: facts that the descent found, and what follows from them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from rpw.base.check import Array
from rpw.base.frozen import read_only
from rpw.base.made_by_rpw import NO_PARAMETERS
from rpw.base.shared_docs import documented
from rpw.means.reading import lightened
from rpw.measure import Measure, is_grid
from rpw.pair.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Barycenter"]

_ADVICE = {
    "tolerance": "the proven gap is within tol",
    "converged": "no step gains more than tol",
    "max_iter": "stopped by max_iter; allow more steps",
    "time_limit": "stopped by time_limit; allow more time",
}


@dataclass(frozen=True, eq=False)
class Barycenter:
    """A mean of measures under RPW, and what each measure leaves out of it.

    `rpw.barycenter` returns it.

    Attributes
    ----------
    measure : Measure
        The barycenter.
    objective : float
        The sum that was minimised, Σ w·RPW^p or Σ w·RPW, at the barycenter.
    lower : float or None
        A proven lower bound on the objective of every measure on the support, up to the rounding of float64. None if
        the search is local: with ``n_points``, with ``trim``, and with ``objective="rpw"`` for p > 1.
    status : str
        ``"tolerance"`` if the proven gap is within ``tol``; ``"converged"`` if no step gains more than ``tol``;
        ``"max_iter"`` or ``"time_limit"`` if that limit ended the search.
    history : array
        The objective at the start and after each step; it never rises.
    start_objectives : array
        The objective that each start reached, best first.
    counted : array of shape (B,)
        How much each measure counts; 0 for measures that ``trim`` ignores.
    results : list of Result
        The solved pair of each measure and the barycenter, with its plan.
    p, k, diameter : float
        The parameters in use, with the Δ that ``"auto"`` found.

    Examples
    --------
    Three of four point masses lie close together. The mean stays with them, and leaves out nearly all of the fourth:

    >>> import rpw
    >>> found = rpw.barycenter([[[0.0]], [[0.1]], [[0.2]], [[9.0]]], n_points=1, diameter=1)
    >>> found.measure.points.round(2), found.left_out.round(2)
    (array([[0.1]]), array([0.1 , 0.  , 0.09, 0.99]))
    """

    __signature__ = NO_PARAMETERS

    measure: Measure
    objective: float
    lower: float | None
    status: str
    history: Array
    start_objectives: Array
    counted: Array
    results: list[Result]
    p: float
    k: float
    diameter: float
    _given: list[Measure]  # with their atoms that carry no mass, which the results do not have
    _names: tuple[str, ...] = ()  # of the columns, if the measures came as tables

    @property
    def gap(self) -> float | None:
        """``objective - lower``; None if the search is local."""
        return None if self.lower is None else self.objective - self.lower

    @cached_property
    def distances(self) -> Array:
        """RPW between each measure and the barycenter, shape (B,); the upper bound if ``time_limit`` passed first."""
        return read_only(np.array([result.distance for result in self.results]))

    @property
    def left_out(self) -> Array:
        """The mass that each measure leaves out, shape (B,). It equals ``distances``.

        A measure that leaves out far more than the others was treated as an outlier.
        """
        return self.distances

    @cached_property
    def unmatched(self) -> list[Array]:
        """For each measure, the mass of each of its points that is left out."""
        return [
            read_only(_on_all_atoms(result.unmatched_a, measure))
            for result, measure in zip(self.results, self._given, strict=True)
        ]

    @documented
    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the barycenter over the points of all measures (needs ``rpw[plot]``).

        A point is red if more than half of its mass is left out. Larger dots of the barycenter weigh more; the points
        of the measures all have one size. On a line, the measures are drawn in rows below the barycenter. Points with
        more than two coordinates are drawn on their first two principal axes.

        Parameters
        ----------
        %(ax)s

        Returns
        -------
        %(returns_ax)s

        Examples
        --------
        >>> import rpw
        >>> found = rpw.barycenter([[[0.0]], [[0.1]], [[0.2]], [[9.0]]], n_points=1, diameter=1)
        >>> found.plot().get_title()
        'input 3 leaves out most: 98.8% (median 9.5%)'
        """
        from rpw.plot import plot_barycenter

        behind = [result.outliers_a for result in self.results]
        inputs = [lightened(measure) for measure in self._given]
        is_picture = any(is_grid(each) for each in self._given)
        return plot_barycenter(self.measure, inputs, behind, ax, self._in_short(), self._names, is_picture)

    def _in_short(self) -> str:
        farthest = int(self.left_out.argmax())
        return (
            f"input {farthest} leaves out most: {self.left_out[farthest]:.1%} (median {np.median(self.left_out):.1%})"
        )

    def __repr__(self) -> str:
        bound = "local" if self.lower is None else f"at least {self.lower:.6g}"
        return f"Barycenter({self.measure!r}, objective={self.objective:.6g}, {bound}, {self.status})"

    def _repr_html_(self) -> str:
        from rpw.base.html import facts

        bound = "none: the search is local" if self.lower is None else f"{self.lower:.6g}"
        rows = [
            ("measure", repr(self.measure)),
            ("objective", f"{self.objective:.6g}"),
            ("proven lower bound", bound),
            ("status", f"{self.status}: {_ADVICE[self.status]}"),
            ("left out", self._in_short()),
            ("steps", f"{len(self.history) - 1:,}"),
            ("with", f"p = {self.p:g}, k = {self.k:g}, Δ = {self.diameter:g}"),
        ]
        return facts("Barycenter", rows)


def _on_all_atoms(masses: Array, measure: Measure) -> Array:
    """Masses of the atoms that carry some, and 0 for the others."""
    whole = np.zeros(len(measure))
    whole[measure.weights > 0] = masses
    return whole
