"""What a text spells: a number, a date, a duration, or nothing at all. Files of text have no other types.

The same rules hold for texts in frames and in Parquet files, so a table and its own CSV file have the same columns.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta

from rpw.io.delimited import as_number, is_missing

__all__ = ["DATE", "NUMBER", "TEXT", "Spelled", "days_of", "days_of_span", "spelled"]

NUMBER, DATE, TEXT = "number", "date", "text"
Spelled = tuple[str, float | str]  # one of these types, or "" for what is missing; and the number, the day or the text

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}.*)?", re.ASCII)
# As pandas and Python write durations, "-1 days +23:59:59.5"; and as ISO 8601 does, "P1DT12H".
_SPAN = re.compile(r"(?:(-?\d+) days?,? ?)?(?:([+-]?)(\d+):(\d\d):(\d\d(?:\.\d*)?))?", re.ASCII)
_ISO_SPAN = re.compile(r"(-?)P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d*)?)S)?)?", re.ASCII)
_EPOCH, _MICROSECOND = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)
_MICROSECONDS_OF_DAY = 86_400e6


def spelled(text: str, number_of: Callable[[str], float | None] = as_number) -> Spelled:
    """The type of a text, and what it says."""
    text = text.strip()
    if is_missing(text):
        return "", ""
    number = number_of(text)
    if number is None:
        number = _span(text)
    if number is not None:
        return NUMBER, number
    day = _day(text)
    if day is not None:
        return DATE, day
    return TEXT, text.title() if text.lower() in ("true", "false") else text  # libraries write them differently


def days_of(moment: date) -> float:
    """Since 1970-01-01; moments without a time zone are taken as UTC."""
    if not isinstance(moment, datetime):
        moment = datetime(moment.year, moment.month, moment.day)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return days_of_span(moment - _EPOCH)


def days_of_span(span: timedelta) -> float:
    """From whole microseconds, as NumPy and all libraries count: the last bit is the same."""
    return (span // _MICROSECOND) / _MICROSECONDS_OF_DAY


def _day(text: str) -> float | None:
    if _DATE.fullmatch(text):
        with suppress(ValueError):  # such as the 30th of February
            return days_of(datetime.fromisoformat(text))
    return None


def _span(text: str) -> float | None:
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
