"""Dates and durations as numbers of days, the same to the last bit from every library; dates since 1970-01-01."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["MICROSECONDS_OF_DAY", "day_of_text", "days_of", "days_of_array", "days_of_span", "span_of_text"]

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}.*)?", re.ASCII)
# As pandas and Python write durations, "-1 days +23:59:59.5"; and as ISO 8601 does, "P1DT12H".
_SPAN = re.compile(r"(?:(-?\d+) days?,? ?)?(?:([+-]?)(\d+):(\d\d):(\d\d(?:\.\d*)?))?", re.ASCII)
_ISO_SPAN = re.compile(r"(-?)P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d*)?)S)?)?", re.ASCII)
_EPOCH, _MICROSECOND = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)
MICROSECONDS_OF_DAY = 86_400e6
_LONG_UNITS, _MOST_LONG_UNITS = ("Y", "M", "W"), 10**15  # of NumPy: days of more of them may not fit into int64
_SHORT_UNITS = ("us", "ns", "ps", "fs", "as")  # as microseconds they fit
_MOST_DAYS_IN_MICROSECONDS = 1e8


def days_of(moment: date) -> float:
    """Since 1970-01-01; moments without a time zone are taken as UTC."""
    if not isinstance(moment, datetime):
        moment = datetime(moment.year, moment.month, moment.day)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return days_of_span(moment - _EPOCH)


def days_of_span(span: timedelta) -> float:
    """From whole microseconds, as NumPy and all libraries count: the last bit is the same."""
    return (span // _MICROSECOND) / MICROSECONDS_OF_DAY


def days_of_array(array: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Days of moments or durations of NumPy. Microseconds are counted if they fit into int64, and else whole days."""
    kind = "datetime64" if array.dtype.kind == "M" else "timedelta64"
    is_missing = np.isnat(array)
    unit = np.datetime_data(array.dtype)[0]
    if unit in _LONG_UNITS and (np.abs(array.astype(np.int64)) > _MOST_LONG_UNITS)[~is_missing].any():
        raise OverflowError
    if unit not in _SHORT_UNITS:
        days = array.astype(f"{kind}[D]").astype(np.float64)
        if (np.abs(days) > _MOST_DAYS_IN_MICROSECONDS)[~is_missing].any():
            return np.where(is_missing, np.nan, days)
    microseconds = array.astype(f"{kind}[us]").astype(np.int64)
    return np.where(is_missing, np.nan, microseconds / MICROSECONDS_OF_DAY)


def day_of_text(text: str) -> float | None:
    """Of a date, with a time or without."""
    if _DATE.fullmatch(text):
        with suppress(ValueError):  # such as the 30th of February
            return days_of(datetime.fromisoformat(text))
    return None


def span_of_text(text: str) -> float | None:
    """Days of a duration; a time of day is the duration since midnight."""
    with suppress(ValueError, OverflowError):  # more digits than a duration can have
        if (found := _SPAN.fullmatch(text)) and any(found.groups()):
            days, sign, *clock = found.groups()
            rest = _time(*clock)
            return days_of_span(timedelta(days=int(days or 0)) + (-rest if sign == "-" else rest))
        if (found := _ISO_SPAN.fullmatch(text)) and any(found.groups()[1:]):
            sign, days, *clock = found.groups()
            whole = timedelta(days=int(days or 0)) + _time(*clock)
            return days_of_span(-whole if sign else whole)
    return None


def _time(hours: str | None, minutes: str | None, seconds: str | None) -> timedelta:
    whole, _, part = (seconds or "0").partition(".")
    microseconds = int(part[:6].ljust(6, "0"))
    return timedelta(hours=int(hours or 0), minutes=int(minutes or 0), seconds=int(whole), microseconds=microseconds)
