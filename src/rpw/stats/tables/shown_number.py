"""A number of a column, as people read it."""

from __future__ import annotations

import numpy as np

__all__ = ["shown_number"]

_LONG, _HUGE = 1e4, 1e12  # between them whole numbers with commas read better than powers of ten


def shown_number(number: float, kind: str) -> str:
    """A number in few digits, or a day as a date."""
    if kind != "date":
        return f"{number:,.0f}" if _LONG <= abs(number) < _HUGE else f"{number:.4g}"
    try:
        moment = np.datetime64(round(number * 86_400), "s")
    except (OverflowError, ValueError):
        return f"day {number:.4g}"
    return str(moment).replace("T", " ").removesuffix(" 00:00:00")
