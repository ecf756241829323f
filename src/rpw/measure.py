"""Discrete measures: points with weights that sum to 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from rpw.base.check import Array, as_points, as_weights
from rpw.base.columns import names_of_coordinates
from rpw.base.doubts import warn_of_image
from rpw.base.types import PathLike, SparseRows

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["CollectionLike", "Measure", "PointsLike"]


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

    __slots__ = ("_columns", "_pixel", "_points", "_weights")

    def __init__(self, points: ArrayLike, weights: ArrayLike | None = None) -> None:
        warn_of_image(points=points)
        clean = as_points(points, "points")
        self._points = _frozen(clean)
        self._weights = _frozen(as_weights(weights, "weights", len(clean)))
        self._columns = names_of_coordinates(points)
        self._pixel: float | None = None

    @classmethod
    def from_histogram(cls, w: ArrayLike, support: ArrayLike) -> Measure:
        """Weights ``w`` (n,) on the points ``support`` (n, d); entries of zero weight are dropped."""
        points = as_points(support, "support")
        weights = as_weights(w, "w", len(points))
        kept = weights > 0
        measure = cls(points[kept], weights[kept])
        measure._columns = names_of_coordinates(support)
        return measure

    @classmethod
    def from_image(
        cls, img: ArrayLike | PathLike | Image, *, position_weight: float = 0.5, diagonal: float | None = None
    ) -> Measure:
        """An image as a measure in a Euclidean space of diameter 1, so that the default ``diameter=1`` fits.

        Parameters
        ----------
        img : array-like, PIL image, or path of an image file (the last two need ``rpw[images]``)
            Grey, shape (h, w) or (h, w, 1): the values are masses on the pixels' positions (row, column), divided by
            the diagonal of the grid; zero pixels are dropped.
            Colour, shape (h, w, 3), uint8, uint16, or floats in [0, 1]: uniform mass on the pixels, placed in the five
            dimensions of position and colour with squared distance
            (|Δcolour|² / 3 + position_weight · |Δposition|² / diagonal²) / (1 + position_weight).
            An alpha channel (fourth channel, or that of a PIL image or file) is dropped.
        position_weight : float
            What position counts beside colour, >= 0; grey images do not use it.
        diagonal : float, optional
            What positions are divided by, in pixels; left out, the diagonal of the image's own grid, from the first
            pixel to the last. To compare images of different sizes, pass that of the largest one for all of them.

        Left out, the length of a pixel depends on the size of the image. Functions that compare images of different
        sizes warn of that.

        >>> Measure.from_image([[0, 3], [1, 0]]).weights
        array([0.75, 0.25])
        """
        from rpw.io.images import image_measure

        points, weights, pixel = image_measure(img, position_weight, diagonal)
        measure = cls(points, weights)
        measure._pixel = pixel
        return measure

    @property
    def points(self) -> Array:
        """The points, shape (n, d), read-only."""
        return self._points

    @property
    def weights(self) -> Array:
        """The weights, shape (n,), summing to 1, read-only."""
        return self._weights

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the coordinates, where the points came as a table; empty otherwise.

        Measures whose coordinates are named otherwise are not compared. Equality is that of the numbers.
        """
        return self._columns

    @property
    def pixel(self) -> float | None:
        """The distance of two pixels beside each other, where the measure is that of an image; None otherwise."""
        return self._pixel

    @property
    def dimension(self) -> int:
        """The number of coordinates of a point."""
        return int(self._points.shape[1])

    def with_coordinates(self, order: Sequence[int]) -> Measure:
        """The same measure with some of its coordinates, in this order; weights stay as they are, bit for bit."""
        columns = tuple(self._columns[place] for place in order) if self._columns else ()
        return _restore(self._points[:, list(order)], self._weights, columns, self._pixel)

    def __len__(self) -> int:
        return len(self._points)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Measure):
            return NotImplemented
        return np.array_equal(self._points, other._points) and np.array_equal(self._weights, other._weights)

    def __hash__(self) -> int:
        return hash((self._points.shape, self._points.tobytes(), self._weights.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        return (_restore, (self._points, self._weights, self._columns, self._pixel))

    def _repr_html_(self) -> str:
        from rpw.base.html import facts

        n, d = self._points.shape
        low, high = self._points.min(axis=0), self._points.max(axis=0)
        ranges = [f"{name}: {a:.6g} to {b:.6g}" for name, a, b in zip("xyz", low, high, strict=False)]
        rows = [
            ("points", f"{n:,} in {d:,} dimension{'s' * (d != 1)}"),
            ("weights", f"{self._weights.min():.6g} to {self._weights.max():.6g}, sum 1"),
            ("coordinates", "; ".join(ranges) if d <= 3 else f"{low.min():.6g} to {high.max():.6g}"),
        ]
        return facts("Measure", rows)

    def __repr__(self) -> str:
        n, d = self._points.shape
        uniform = "uniform" if n == 1 or np.ptp(self._weights) == 0 else "weighted"
        return f"Measure({n} point{'s' * (n != 1)} in {d} dimension{'s' * (d != 1)}, {uniform})"


# What users may pass in for one measure, and for many.
PointsLike: TypeAlias = ArrayLike | Measure
CollectionLike: TypeAlias = Sequence[ArrayLike | Measure] | ArrayLike | SparseRows


def _frozen(array: Array) -> Array:
    copy = np.array(array, dtype=np.float64, order="C")
    copy += 0.0  # -0.0 becomes 0.0: measures that are equal hash equally
    copy.flags.writeable = False
    return copy


def _restore(points: Array, weights: Array, columns: tuple[str, ...] = (), pixel: float | None = None) -> Measure:
    """Rebuild from clean arrays without normalising again, so that a pickled measure is equal bit for bit."""
    measure = Measure.__new__(Measure)
    measure._points = _frozen(points)
    measure._weights = _frozen(weights)
    measure._columns = columns
    measure._pixel = pixel
    return measure
