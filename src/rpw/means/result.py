"""What `rpw.barycenter` returns: facts that the descent found, and what follows from them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from rpw.base.check import Array
from rpw.base.frozen import read_only
from rpw.means.reading import lightened
from rpw.measure import Measure
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
    """A mean of measures under RPW, and what each input leaves out of it.

    Attributes
    ----------
    measure : Measure
        The barycenter.
    objective : float
        What was minimised, at that measure: Σ w RPW^p, or Σ w RPW.
    lower : float, or None
        A proven bound below the objective of every measure on the support, up to the rounding of float64. None where
        the search is local: with ``n_points``, with ``objective="rpw"`` at p > 1, and with ``trim``.
    status : str
        ``"tolerance"`` (the proven gap is within ``tol``), ``"converged"`` (no step gains more than ``tol``; the search
        was local, or rounding keeps the gap open), ``"max_iter"`` or ``"time_limit"``.
    history : array
        The objective at the start and after each step; it never rises.
    start_objectives : array
        What each start came to, best first.
    counted : array (inputs,)
        The weight with which each input counts; 0 for those that ``trim`` has left out.
    results : list of Result
        The solved pair of each input and the barycenter, with its plan.
    p, k, diameter : float
        What it was computed with; Δ also where it was ``"auto"``.

    >>> import rpw
    >>> found = rpw.barycenter([[[0.0]], [[0.2]], [[9.0]]], n_points=1, k=0.1, objective="rpw", diameter=1)
    >>> found.left_out.argmax()
    np.int64(2)
    """

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

    @property
    def gap(self) -> float | None:
        """``objective - lower``; None where the search is local."""
        return None if self.lower is None else self.objective - self.lower

    @cached_property
    def distances(self) -> Array:
        """RPW between each input and the barycenter; where ``time_limit`` left it open, its upper bound."""
        return read_only(np.array([result.distance for result in self.results]))

    @property
    def left_out(self) -> Array:
        """The mass that each input leaves out. RPW is that mass, so these are the ``distances``.

        An input that leaves out far more than the others was treated as an outlier.
        """
        return self.distances

    @cached_property
    def unmatched(self) -> list[Array]:
        """The same atom by atom: for each input, the mass of each of its atoms that is left out."""
        return [
            read_only(_on_all_atoms(result.unmatched_a, measure))
            for result, measure in zip(self.results, self._given, strict=True)
        ]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the barycenter over the atoms of the inputs (needs ``rpw[plot]``).

        Atoms of which more than half is left out are drawn in red. The larger a dot of the barycenter, the more it
        weighs; those of the inputs are all of one size. On the line, the inputs lie in rows below it. Points
        with more than two coordinates are drawn on their first two principal axes.
        """
        from rpw.plot import plot_barycenter

        behind = [result.outliers_a for result in self.results]
        inputs = [lightened(measure) for measure in self._given]
        return plot_barycenter(self.measure, inputs, behind, ax, self._in_short())

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
            ("with", f"p = {self.p:g}, k = {self.k:g}, diameter = {self.diameter:g}"),
        ]
        return facts("Barycenter", rows)


def _on_all_atoms(masses: Array, measure: Measure) -> Array:
    """Masses of the atoms that carry some, and 0 for the others."""
    whole = np.zeros(len(measure))
    whole[measure.weights > 0] = masses
    return whole
