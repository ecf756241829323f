"""Discrete measures: points with weights that sum to 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from rpw._check import Array, as_points, as_weights

__all__ = ["Measure"]


class Measure:
    """A finite set of points with non-negative weights, normalised to sum 1.

    Parameters
    ----------
    points : array-like, shape (n, d), or (n,) for n points on the line
    weights : array-like, shape (n,), optional
        Non-negative; uniform if omitted. Normalised in float64.

    Measures are immutable, pickle, and compare by value.

    >>> Measure([[0.0, 0.0], [1.0, 0.0]], [3, 1]).weights
    array([0.75, 0.25])
    """

    __slots__ = ("_points", "_weights")

    def __init__(self, points: Any, weights: Any = None) -> None:
        clean = as_points(points, "points")
        self._points = _frozen(clean)
        self._weights = _frozen(as_weights(weights, "weights", len(clean)))

    @classmethod
    def from_histogram(cls, w: Any, support: Any) -> Measure:
        """Weights ``w`` (n,) on the points ``support`` (n, d); entries of zero weight are dropped."""
        points = as_points(support, "support")
        weights = as_weights(w, "w", len(points))
        kept = weights > 0
        return cls(points[kept], weights[kept])

    @property
    def points(self) -> Array:
        """The points, shape (n, d), read-only."""
        return self._points

    @property
    def weights(self) -> Array:
        """The weights, shape (n,), summing to 1, read-only."""
        return self._weights

    @property
    def dimension(self) -> int:
        """The number of coordinates of a point."""
        return int(self._points.shape[1])

    def __len__(self) -> int:
        return len(self._points)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Measure):
            return NotImplemented
        return np.array_equal(self._points, other._points) and np.array_equal(self._weights, other._weights)

    def __hash__(self) -> int:
        return hash((self._points.shape, self._points.tobytes(), self._weights.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        return (_restore, (self._points, self._weights))

    def __repr__(self) -> str:
        n, d = self._points.shape
        uniform = "uniform" if n == 1 or np.ptp(self._weights) == 0 else "weighted"
        return f"Measure({n} point{'s' * (n != 1)} in {d} dimension{'s' * (d != 1)}, {uniform})"


def _frozen(array: Array) -> Array:
    copy = np.array(array, dtype=np.float64, order="C")
    copy += 0.0  # -0.0 becomes 0.0: measures that are equal hash equally
    copy.flags.writeable = False
    return copy


def _restore(points: Array, weights: Array) -> Measure:
    """Rebuild from clean arrays without normalising again, so that a pickled measure is equal bit for bit."""
    measure = Measure.__new__(Measure)
    measure._points = _frozen(points)
    measure._weights = _frozen(weights)
    return measure
