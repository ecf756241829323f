"""How far the values of a column reach, in widths of its middle half; beyond some extent they cannot be compared."""

from __future__ import annotations

import math

import numpy as np

from rpw.base.check import Array
from rpw.stats.scale import width_of

__all__ = ["WIDEST", "WIDEST_TOGETHER", "extent_of", "why_too_wide"]

WIDEST = 1e300  # beyond, distances are no float64
WIDEST_TOGETHER = 1e100  # the profile of several columns squares the distances, the smallest beside the largest


def extent_of(values: Array) -> float:
    """The difference between the largest and the smallest value, in widths of the middle half."""
    halves = np.sort(values) / 2  # so that no difference overflows
    span, width = float(halves[-1] - halves[0]), width_of(halves)
    return span / width if span < width * WIDEST else math.inf


def why_too_wide(values: Array) -> str:
    """Why the values cannot be compared, if so."""
    if values.max() / 2 - values.min() / 2 > WIDEST / 2:
        return f"its values lie more than {WIDEST:g} apart"
    if extent_of(values) > WIDEST:
        return f"its values reach farther than {WIDEST:g} times the width of its middle half"
    return ""
