"""A warning where points reach far beyond a diameter that nobody chose.

RPW counts lengths in units of Δ and is never above 1. Where Δ was left at 1 and the points lie tens or hundreds apart,
nearly every distance comes out close to 1 and says nothing.
"""

from __future__ import annotations

import math
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path

__all__ = ["FAR", "NO_REACH", "Reach", "warn_of_reach"]

FAR = 2.0  # in units of the default diameter, 1
_HERE = str(Path(__file__).parents[1])  # the whole package


@dataclass(frozen=True)
class Reach:
    """How far something is known to reach: the distance of two of the points, or the largest cost."""

    length: float
    is_of_cost: bool = False

    @property
    def is_far(self) -> bool:
        """Whether the default diameter is unlikely to be meant; an infinite length is an error of its own elsewhere."""
        return FAR < self.length < math.inf

    @property
    def subject(self) -> str:
        """What reaches, and how."""
        return "the costs reach" if self.is_of_cost else "the points reach over"


NO_REACH = Reach(0.0)


def warn_of_reach(reach: Reach) -> None:
    """Warn the code that called rpw, if the default diameter hardly fits."""
    if not reach.is_far:
        return
    way = "the largest cost" if reach.is_of_cost else "rpw.diameter(...)"
    # No figure: Python shows a warning once for each line of code and text, and in a loop the figure would differ.
    warnings.warn(
        f"{reach.subject} more than {FAR:g}, and diameter was left at 1: RPW comes out close to 1 for measures that "
        f"are far apart; pass diameter={way} of everything you compare, or diameter=1 if that is the scale you mean",
        UserWarning,
        stacklevel=_level_of_caller(),
    )


def _level_of_caller() -> int:
    """The ``stacklevel``, seen from the function that asks, of the first frame outside of this package."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_HERE):
        level, frame = level + 1, frame.f_back
    return level
