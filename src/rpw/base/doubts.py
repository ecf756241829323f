"""Warnings where an input is probably meant otherwise than it is taken: the answer would be a number all the same.

They look for what hardly any other data have, so that points of floats, and tables of small whole numbers, are never
suspected.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from rpw.base.warn import warn_caller

__all__ = ["has_pixels", "of_one_scale", "read_before", "warn_of_columns", "warn_of_image", "warn_of_images"]

_LEAST_SIDE = 8  # pixels; points of bytes (colours, flags, counts) have fewer coordinates as a rule
_LONGEST_SIDE = 2  # times the other one; a set of points is as a rule far longer than a point
_SUM_ROUNDING = 1e-6  # of weights that somebody has normalised, perhaps in float32

_was_read: ContextVar[bool] = ContextVar("was_read", default=False)


@contextmanager
def read_before() -> Iterator[None]:
    """Within, collections are read again, under names that their user does not know: no doubt about them is told."""
    token = _was_read.set(True)
    try:
        yield
    finally:
        _was_read.reset(token)


def warn_of_image(**arguments: Any) -> None:
    """Warn where one set of points is a picture: bytes, with two sides of similar length."""
    for name, value in arguments.items():
        if has_pixels(value, 2):
            warn_caller(
                f"{name} looks like an image (uint8), and its rows are taken as points: pass "
                f"rpw.Measure.from_image({name}) for an image, or {name}.astype(float) for points"
            )
            return


def warn_of_images(value: Any, name: str) -> None:
    """Warn where a collection, a list or one array, holds pictures and nothing else."""
    if _was_read.get():
        return
    is_list = isinstance(value, (list, tuple)) and len(value) > 0
    if all(has_pixels(item, 2) for item in value) if is_list else has_pixels(value, 3):
        warn_caller(
            f"{name} looks like images (uint8), and the rows of each are taken as points: pass "
            f"rpw.Measure.from_image(item) of each item for images, or floats for points"
        )


def has_pixels(value: Any, dimensions: int) -> bool:
    """Whether it is an array, of any library, of so many dimensions, whose last two are those of a picture."""
    if getattr(value, "itemsize", 0) != 1 or not str(getattr(value, "dtype", "")).endswith("uint8"):
        return False
    shape = getattr(value, "shape", None)
    if not isinstance(shape, tuple) or len(shape) != dimensions or 0 in shape:
        return False
    shorter, longer = sorted(value.shape[-2:])
    if shorter < _LEAST_SIDE or longer > _LONGEST_SIDE * shorter:
        return False
    try:
        return bool(value.max() > 1)
    except Exception:  # of an odd kind: whoever reads it says what is wrong
        return False


_SCALE_FIRST = "bring the columns to one scale first (rpw.stats.two_sample_test(x, y, scale='robust') does so)"


def of_one_scale(column: str, way_out: str = _SCALE_FIRST) -> str:
    """The words about a column that makes up nearly all of the distances, and what to do about it."""
    return (
        f"{column} makes up nearly all of the distance between points, and the others hardly count: {way_out}, or pass "
        "that column alone if the others are not meant to count"
    )


def warn_of_columns(histograms: Any, name: str) -> None:
    """Warn where histograms of a square array, which are its rows, seem to be its columns, as POT has them."""
    rows, columns = histograms.shape
    if _was_read.get() or rows != columns or _are_ones(histograms.sum(axis=1)) or not _are_ones(histograms.sum(axis=0)):
        return
    warn_caller(
        f"the columns of {name} sum to 1, and its rows do not: rows are taken as the histograms; pass {name}.T if they "
        f"are the columns, or rows that sum to 1"
    )


def _are_ones(sums: Any) -> bool:
    return bool(np.allclose(np.asarray(sums), 1, rtol=0, atol=_SUM_ROUNDING))
