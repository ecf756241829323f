"""Discrete measures: points with weights that sum to 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from rpw.base.advice import warn_of_image
from rpw.base.check import Array, as_points, as_weights, as_whole
from rpw.base.columns import names_of_coordinates
from rpw.base.types import PathLike, SparseRows

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["CollectionLike", "Measure", "PointsLike"]


class Measure:
    """Points with weights that sum to 1.

    Measures cannot be changed. They can be pickled, and they are equal if their points and weights are.

    Parameters
    ----------
    points : array-like of shape (n, d)
        The points, one row each. An array of shape (n,) holds points on a line.
    weights : array-like of shape (n,), optional
        Weights of the points, at least 0; they are divided by their sum. All points weigh the same by default.

    Examples
    --------
    >>> import rpw
    >>> measure = rpw.Measure([[0.0, 0.0], [1.0, 0.0]], [3, 1])
    >>> measure
    Measure(2 points in 2 dimensions, weighted)
    >>> measure.weights
    array([0.75, 0.25])
    """

    __slots__ = ("_columns", "_is_grid", "_pixel", "_points", "_weights")

    def __init__(self, points: ArrayLike, weights: ArrayLike | None = None) -> None:
        warn_of_image(points=points)
        clean = as_points(points, "points")
        self._points = _frozen(clean)
        self._weights = _frozen(as_weights(weights, "weights", len(clean)))
        self._columns = names_of_coordinates(points)
        self._pixel: float | None = None
        self._is_grid = False

    @classmethod
    def from_histogram(cls, w: ArrayLike, support: ArrayLike) -> Measure:
        """Make a measure from a histogram and the points of its bins.

        Parameters
        ----------
        w : array-like of shape (n,)
            The counts or weights of the bins, at least 0; they are divided by their sum. Empty bins are dropped.
        support : array-like of shape (n, d) or (n,)
            The point of each bin.

        Returns
        -------
        Measure
            The points of the bins that are not empty, with their weights.

        Examples
        --------
        >>> import rpw
        >>> measure = rpw.Measure.from_histogram([6, 0, 2], [[0.0], [0.5], [1.0]])
        >>> measure.points.ravel(), measure.weights
        (array([0., 1.]), array([0.75, 0.25]))
        """
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
        """Make a measure from an image, in a space of diameter 1, so that the default Δ = 1 fits.

        A grey image has its mass where it is bright: each pixel is a point at (row, column), divided by the diagonal,
        and its value is its weight. Pixels of value 0 are dropped.

        A colour image has equal weights. Each pixel is a point in five dimensions, position and colour, with squared
        distance ``(|colour difference|² / 3 + position_weight · |position difference|² / diagonal²) / (1 +
        position_weight)``.

        Parameters
        ----------
        img : array-like, PIL image, or path
            An array of shape (h, w) or (h, w, 1) is grey. An array of shape (h, w, 3) is in colour: uint8, uint16, or
            floats from 0 to 1. A fourth channel (alpha) is dropped. PIL images and files need ``rpw[images]``.
        position_weight : float, default 0.5
            How much position counts beside colour, at least 0. It has no effect on grey images.
        diagonal : float, optional
            What positions are divided by, in pixels. By default it is the diagonal of this image, from the first pixel
            to the last. To compare images of different sizes, pass the diagonal of the largest one for all of them;
            functions that compare images warn you if you do not.

        Returns
        -------
        Measure
            The image as a measure.

        Examples
        --------
        >>> import rpw
        >>> measure = rpw.Measure.from_image([[0, 3], [1, 0]])
        >>> measure.weights
        array([0.75, 0.25])
        >>> measure.points.round(3).tolist()
        [[0.0, 0.707], [0.707, 0.0]]
        """
        from rpw.io.images import image_measure

        points, weights, pixel = image_measure(img, position_weight, diagonal)
        measure = cls(points, weights)
        measure._pixel = pixel
        measure._is_grid = measure.dimension == 2
        return measure

    @property
    def points(self) -> Array:
        """The points, shape (n, d); read-only."""
        return self._points

    @property
    def weights(self) -> Array:
        """The weights, shape (n,); they sum to 1; read-only."""
        return self._weights

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns if the points came as a table; empty if not.

        Measures whose columns have different names are not compared. The names do not count for equality.
        """
        return self._columns

    @property
    def pixel(self) -> float | None:
        """The distance between two neighbouring pixels if the measure comes from an image; None if not."""
        return self._pixel

    @property
    def dimension(self) -> int:
        """The number of coordinates of each point."""
        return int(self._points.shape[1])

    def with_coordinates(self, order: Sequence[int]) -> Measure:
        """Return a measure with some of the coordinates, in the given order, and the same weights.

        Parameters
        ----------
        order : sequence of int
            The columns to keep.

        Returns
        -------
        Measure
            The measure with these columns.

        Examples
        --------
        >>> import rpw
        >>> rpw.Measure([[1.0, 2.0, 3.0]]).with_coordinates([2, 0]).points
        array([[3., 1.]])
        """
        kept = [as_whole(place, f"order[{i}]", 0) for i, place in enumerate(np.atleast_1d(order))]
        if not kept or max(kept) >= self.dimension:
            raise ValueError(f"order must list columns from 0 to {self.dimension - 1}, got {kept}")
        columns = tuple(self._columns[place] for place in kept) if self._columns else ()
        is_grid = self._is_grid and kept == [0, 1]
        return _restore(self._points[:, kept], self._weights, columns, self._pixel, is_grid)

    def __len__(self) -> int:
        return len(self._points)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Measure):
            return NotImplemented
        return np.array_equal(self._points, other._points) and np.array_equal(self._weights, other._weights)

    def __hash__(self) -> int:
        return hash((self._points.shape, self._points.tobytes(), self._weights.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        return (_restore, (self._points, self._weights, self._columns, self._pixel, self._is_grid))

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


#: One measure: a Measure or an array of points.
PointsLike: TypeAlias = ArrayLike | Measure
#: Many measures: a list of them, an array (B, n, d), or histograms.
CollectionLike: TypeAlias = Sequence[ArrayLike | Measure] | ArrayLike | SparseRows


def _frozen(array: Array) -> Array:
    copy = np.array(array, dtype=np.float64, order="C")
    copy += 0.0  # -0.0 becomes 0.0: measures that are equal hash equally
    copy.flags.writeable = False
    return copy


def is_grid(value: object) -> bool:
    """Whether it is the measure of a grey image, whose points are rows and columns of pixels."""
    return isinstance(value, Measure) and value._is_grid


def _restore(
    points: Array,
    weights: Array,
    columns: tuple[str, ...] = (),
    pixel: float | None = None,
    is_grid: bool = False,
) -> Measure:
    """Rebuild from clean arrays without normalising again, so that a pickled measure is equal bit for bit."""
    measure = Measure.__new__(Measure)
    measure._points = _frozen(points)
    measure._weights = _frozen(weights)
    measure._columns = columns
    measure._pixel = pixel
    measure._is_grid = is_grid
    return measure
