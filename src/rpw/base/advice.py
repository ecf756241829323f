"""Warnings where an input is probably meant otherwise than it is taken: the answer would be a number all the same.

Four mistakes are looked for: pictures that are taken for points, pictures in different units, a column in another unit
than the rest, and a diameter that was left out and does not fit. Python warns of them, and the command line shows
them as notes, in the same words.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from rpw import _core
from rpw.base.check import Array
from rpw.base.warn import warn_caller

__all__ = [
    "FAR",
    "MANY",
    "NEAR",
    "UNKNOWN",
    "Extent",
    "about_diameter",
    "about_units",
    "has_pixels",
    "warn_of_image",
    "warn_of_images",
]

# ---------------------------------------------------------------- pictures that are taken for points

_LEAST_SIDE = 8  # pixels; points of bytes (colours, flags, counts) have fewer coordinates as a rule
_LONGEST_SIDE = 2  # times the other one; a set of points is as a rule far longer than a point
_WHITE = 255.0
_LEAST_BLACK = 0.01  # of the pixels; ratings from 1 to 5 have none
_LOOKED_AT = 100  # items of a collection


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
    is_list = isinstance(value, (list, tuple)) and len(value) > 0
    if all(has_pixels(item, 2) for item in value) if is_list else has_pixels(value, 3):
        warn_caller(
            f"{name} looks like images (uint8), but the rows of each are treated as points: pass "
            "rpw.Measure.from_image(item) for each item if they are images, or a list of arrays of floats if they "
            "are points"
        )
    elif isinstance(value, np.ndarray) and value.dtype.kind == "f" and _has_sides(value.shape, 3):
        if not _are_grey_values(value[:_LOOKED_AT]):
            return
        count, height, width = value.shape
        warn_caller(
            f"{name} has shape {value.shape}: are these images? They are read as {count:,} cloud{'s' * (count != 1)} "
            f"of {height} points in {width} dimensions. For images, pass rpw.Measure.from_image of each; for clouds, "
            f"pass list({name}) and this warning ends.",
            about=f"{name}: are these images?",
        )


def has_pixels(value: Any, dimensions: int) -> bool:
    """Whether it is an array of bytes, of any library, of so many dimensions, the last two those of a picture."""
    if getattr(value, "itemsize", 0) != 1 or not str(getattr(value, "dtype", "")).endswith("uint8"):
        return False
    try:
        return _has_sides(value.shape, dimensions) and bool(value.max() > 1)
    except Exception:  # of an odd kind: whoever reads it says what is wrong
        return False


def _has_sides(shape: Any, dimensions: int) -> bool:
    if not isinstance(shape, tuple) or len(shape) != dimensions or 0 in shape:
        return False
    shorter, longer = sorted(shape[-2:])
    return bool(shorter >= _LEAST_SIDE and longer <= _LONGEST_SIDE * shorter)


def _are_grey_values(pixels: Any) -> bool:
    """Whether all lie between black and white, are shares of white or whole, and some but not all are black."""
    if not (pixels.min() >= 0 and pixels.max() <= _WHITE):  # or NaN, which is refused later
        return False
    black = np.count_nonzero(pixels == 0)
    return bool(_LEAST_BLACK * pixels.size <= black < pixels.size) and bool(
        pixels.max() <= 1 or (pixels == np.floor(pixels)).all()
    )


# ---------------------------------------------------------------- a column in another unit

_SCALE_FIRST = "scale the columns first (as rpw.stats.two_sample_test(x, y, scale='robust') does)"


def about_units(x: Array, y: Array, names: tuple[str, ...], way_out: str = _SCALE_FIRST) -> str | None:
    """What to say if one column makes up nearly all of the distances under a norm, and what to do about it."""
    column = _core.leading_column(np.ascontiguousarray(x), np.ascontiguousarray(y))
    if column is None:
        return None
    subject = f"the column {names[column]}" if names else f"column {column} (counted from 0)"
    return (
        f"{subject} makes up nearly all of the distance between points, and the other columns have "
        f"almost no effect: {way_out}, or pass this column alone if only this one should count"
    )


# ---------------------------------------------------------------- a diameter that does not fit

FAR = 2.0  # in units of the default diameter, 1: RPW is close to 1 for nearly all measures
NEAR = 0.05  # likewise, for k = 1: no way is long enough to be left out, and RPW is W_p
MANY = 20  # distinct points; of fewer, nobody expects outliers to be told apart


@dataclass(frozen=True)
class Extent:
    """How far points or costs extend, as far as linear time tells."""

    least: float = 0.0  # two points lie at least so far apart; looked for only where ``most`` is far
    most: float = inf  # no two lie farther apart
    are_many: bool = False  # whether at least `MANY` are distinct; looked at only where ``most`` is near
    is_of_cost: bool = False


UNKNOWN = Extent()


def about_diameter(extent: Extent, *k: float, way_out: str = "") -> str | None:
    """What to say if the default diameter, 1, hardly fits: that it is too small or, for each of these k, too large."""
    one = "one diameter, the largest cost," if extent.is_of_cost else "one diameter=rpw.diameter(...)"
    way_out = way_out or f"pass {one} for everything you compare; diameter=1 keeps this scale"
    if extent.least > FAR:
        return (
            f"the {'costs reach' if extent.is_of_cost else 'points span'} more than {FAR:g}, and diameter was left "
            f"at 1: RPW is then close to 1 for all measures that are far apart; {way_out}"
        )
    if k and extent.are_many and extent.most <= NEAR * min(1.0, *k):
        return (
            f"all points (or all costs) span less than {NEAR:g}, and diameter was left at 1: RPW is then "
            f"close to W_p / k, and as sensitive to outliers as W_p; {way_out}"
        )
    return None
