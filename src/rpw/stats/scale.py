"""Scales of columns, from order statistics of the pooled rows.

``scale="robust"`` divides each column by the width of its middle half, z₍b₎ - z₍a₎. A few outliers hardly move that
width: with r rows put back it lies between z₍b-r₎ - z₍a+r₎ and z₍b+r₎ - z₍a-r₎.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rpw.base import check
from rpw.base.check import Array

__all__ = ["NO_SCALES", "Scales", "as_scales", "width_bounds"]

_SPANS = ((0.25, 0.75), (0.05, 0.95), (0.0, 1.0))  # the first with a width: most entries may be equal


@dataclass(frozen=True, eq=False)
class Scales:
    """What each column was divided by, and how much that could change."""

    widths: Array | None = None
    _sorted: Array | None = None  # the columns, each in order

    def bounds(self, rows: int) -> tuple[float, float]:
        """By how much at least and at most a distance would change if ``rows`` rows were put back, as a factor."""
        if self.widths is None or self._sorted is None or rows == 0:
            return 1.0, 1.0
        shrunk, stretched = 1.0, 1.0
        for column, width in zip(self._sorted.T, self.widths, strict=True):
            low, high = width_bounds(column, rows)
            if column[0] < column[-1]:
                shrunk, stretched = min(shrunk, low / width), max(stretched, high / width)
        return shrunk, stretched

    def apply(self, points: Array) -> Array:
        """The points in units of the widths."""
        return points if self.widths is None else points / self.widths


NO_SCALES = Scales()


def as_scales(value: Any, points: Array) -> Scales:
    """``None`` leaves columns as they are, ``"robust"`` divides each by the width of its pooled middle half."""
    if value is None:
        return NO_SCALES
    check.as_choice(value, "scale", ("robust",))
    ordered = np.sort(points, axis=0)
    return Scales(np.array([width_of(column) for column in ordered.T]), ordered)


def width_of(column: Array) -> float:
    """Of a sorted column; 1 where all entries are equal."""
    return next((width for width in (_width(column, *_ranks(column, span)) for span in _SPANS) if width > 0), 1.0)


def width_bounds(column: Array, rows: int) -> tuple[float, float]:
    """The least and the largest width if ``rows`` entries of the sorted column were put back."""
    low, high = _ranks(column, _SPANS[0])
    if _width(column, low, high) == 0:  # another span was taken, and with other rows it might not be
        return 0.0, np.inf
    narrowest = _width(column, low + rows, high - rows) if low + rows <= high - rows else 0.0
    # If the width could be 0 without the replaced rows, another span would have been taken.
    is_known = narrowest > 0 and low - rows >= 0 and high + rows < len(column)
    return narrowest, _width(column, low - rows, high + rows) if is_known else np.inf


def _ranks(column: Array, span: tuple[float, float]) -> tuple[int, int]:
    last = len(column) - 1
    return int(np.floor(span[0] * last)), int(np.ceil(span[1] * last))


def _width(column: Array, low: int, high: int) -> float:
    return float(column[high] - column[low])
