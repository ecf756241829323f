"""Warnings that point at the code that called rpw."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

__all__ = ["warn_caller"]

_HERE = str(Path(__file__).parents[1])  # the whole package


def warn_caller(text: str) -> None:
    """Warn the code that called rpw.

    A text has no figures: Python shows a warning once for each line of code and text, and in a loop they would differ.
    """
    warnings.warn(text, UserWarning, stacklevel=_level_of_caller())


def _level_of_caller() -> int:
    """The ``stacklevel``, seen from the function that asks, of the first frame outside of this package."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_HERE):
        level, frame = level + 1, frame.f_back
    return level
