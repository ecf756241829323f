"""Warnings where an input is probably meant otherwise than it is taken: the answer would be a number all the same.

They look for what hardly any other data have, so that points drawn from a density are never suspected. Floats that are
whole and often 0, in an array with two sides of similar length, are: counts are, and so are digits.
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
_WHITE = 255.0  # the largest value of a pixel that is a whole number
_AT_ONCE = 1 << 16  # values that are looked at
_LEAST_BLACK = 0.01  # of the pixels of images that are not smooth; ratings from 1 to 5 have none
# Mean squared step over variance: 0.2 to 1.3 in crops of photographs, from 24 pixels on. Of 100,000 arrays of points in
# any order, none had less than 1.4.
_STEP_OF_PICTURES = 1.3
_ROUNDING = 1e-6  # of values, perhaps in float32
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
                f"{name} looks like an image (uint8), but its rows are treated as points: pass "
                f"rpw.Measure.from_image({name}) for an image, or {name}.astype(float) for points"
            )
            return


def warn_of_images(value: Any, name: str) -> None:
    """Warn where a collection, a list or one array, holds pictures and nothing else."""
    if _was_read.get():
        return
    if _has_pixels_of_floats(value):
        count, height, width = value.shape
        warn_caller(
            f"{name} has shape {value.shape}: are these images? They are read as {count:,} cloud{'s' * (count != 1)} "
            f"of {height} points in {width} dimensions. For images, pass rpw.Measure.from_image of each; for clouds, "
            f"pass list({name}) and this warning ends.",
            about=f"{name}: are these images?",
        )
        return
    is_list = isinstance(value, (list, tuple)) and len(value) > 0
    if all(has_pixels(item, 2) for item in value) if is_list else has_pixels(value, 3):
        warn_caller(
            f"{name} looks like images (uint8), but the rows of each are treated as points: pass "
            "rpw.Measure.from_image(item) for each item if they are images, or a list of arrays of floats if they "
            "are points"
        )


def has_pixels(value: Any, dimensions: int) -> bool:
    """Whether it is an array, of any library, of so many dimensions, whose last two are those of a picture."""
    if getattr(value, "itemsize", 0) != 1 or not str(getattr(value, "dtype", "")).endswith("uint8"):
        return False
    if not _has_sides(getattr(value, "shape", None), dimensions):
        return False
    try:
        return bool(value.max() > 1)
    except Exception:  # of an odd kind: whoever reads it says what is wrong
        return False


def _has_sides(shape: Any, dimensions: int) -> bool:
    """Whether the last two sides are those of a picture."""
    if not isinstance(shape, tuple) or len(shape) != dimensions or 0 in shape:
        return False
    shorter, longer = sorted(shape[-2:])
    return bool(shorter >= _LEAST_SIDE and longer <= _LONGEST_SIDE * shorter)


def _has_pixels_of_floats(value: Any) -> bool:
    """Whether it is an array (B, H, W) of NumPy whose floats look like grey values.

    These lie between 0 and 255, and differ little from their neighbours, or are often 0 and either whole or at most 1.
    Points drawn from a density do none of it. Most arrays are known by their first items.
    """
    if not isinstance(value, np.ndarray) or value.dtype.kind != "f" or not _has_sides(value.shape, 3):
        return False
    step = max(1, _AT_ONCE // (value.shape[1] * value.shape[2]))
    are_smooth, are_whole, are_shares, zeros = _are_smooth(value[:step]), True, True, 0
    for start in range(0, len(value), step):
        part = value[start : start + step]
        least, most = part.min(), part.max()
        are_shares = are_shares and bool(most <= 1)
        are_whole = are_whole and bool((part == np.floor(part)).all())
        if not (least >= 0 and most <= _WHITE and (are_whole or are_shares or are_smooth)):  # NaN is refused later
            return False
        zeros += part.size - int(np.count_nonzero(part))
    return are_smooth or _LEAST_BLACK * value.size <= zeros < value.size


def _are_smooth(arrays: np.ndarray) -> bool:
    """Whether neighbours are nearly equal along both sides, once the means of rows and of columns are taken away.

    Spectra are smooth along one side, and so are walks. Means are taken away because spectra of one kind share theirs.
    """
    if not np.isfinite(arrays).all():
        return False
    rest = arrays - arrays.mean(axis=1, keepdims=True) - arrays.mean(axis=2, keepdims=True)
    rest += arrays.mean(axis=(1, 2), keepdims=True)
    most = _STEP_OF_PICTURES * rest.var()
    if rest.std() <= _ROUNDING * np.abs(arrays).max():  # the means are all there is, and the rest is noise of rounding
        return False
    return all(np.mean(np.diff(rest, axis=axis) ** 2) < most for axis in (1, 2))


_SCALE_FIRST = "scale the columns first (as rpw.stats.two_sample_test(x, y, scale='robust') does)"


def of_one_scale(column: str, way_out: str = _SCALE_FIRST) -> str:
    """The words about a column that makes up nearly all of the distances, and what to do about it."""
    return (
        f"{column} makes up nearly all of the distance between points, and the other columns have "
        f"almost no effect: {way_out}, or pass this column alone if only this one should count"
    )


def warn_of_columns(histograms: Any, name: str) -> None:
    """Warn where histograms of a square array, which are its rows, seem to be its columns, as POT has them."""
    rows, columns = histograms.shape
    if _was_read.get() or rows != columns or _are_ones(histograms.sum(axis=1)) or not _are_ones(histograms.sum(axis=0)):
        return
    warn_caller(
        f"the columns of {name} sum to 1, and its rows do not, but each row is treated as a "
        f"histogram: pass {name}.T if the histograms are the columns, or rows that sum to 1"
    )


def _are_ones(sums: Any) -> bool:
    return bool(np.allclose(np.asarray(sums), 1, rtol=0, atol=_SUM_ROUNDING))
