"""Warnings that point at the code that called rpw."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from types import FrameType

__all__ = ["told_once", "warn_caller"]

_HERE = str(Path(__file__).parents[1])  # the whole package
_BETWEEN = ("sklearn", "joblib")  # call rpw for somebody else: pipelines, searches, and wrappers around `transform`
_told: ContextVar[set[str] | None] = ContextVar("told", default=None)


def warn_caller(text: str | None, about: str | None = None) -> bool:
    """Warn the code that called rpw, if there is a text; returns whether there is.

    A text has no figures: Python shows a warning once for each line of code and text, and in a loop they would differ.
    One that needs them says what it is ``about``, which is what `told_once` knows it by.
    """
    if text is None:
        return False
    told, known = _told.get(), about or text
    if told is None or known not in told:
        warnings.warn(text, UserWarning, stacklevel=_level_of_caller())
    if told is not None:
        told.add(known)
    return True


@contextmanager
def told_once(told: set[str]) -> Iterator[None]:
    """Within, no text of ``told`` is repeated, and what is told is added there."""
    token = _told.set(told)
    try:
        yield
    finally:
        _told.reset(token)


def _level_of_caller() -> int:
    """The ``stacklevel``, seen from the function that asks, of the first frame outside of this package."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and _is_between(frame):
        level, frame = level + 1, frame.f_back
    return level


def _is_between(frame: FrameType) -> bool:
    root = str(frame.f_globals.get("__name__", "")).partition(".")[0]
    return frame.f_code.co_filename.startswith(_HERE) or root in _BETWEEN
