"""Columns of tables, with their types: numbers, dates, categories, and what is missing.

A text is what it spells, as in a file of text: "12.50" is a number, "2024-01-02" a date, and "NA" is missing. Dates are
numbers of days since 1970-01-01, and durations are numbers of days. Booleans are categories. None, NaN, NaT and the NA
of pandas are missing. Infinite numbers have no place on the line: they count as missing, and the column says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import date, time, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from rpw.base.check import Array
from rpw.io.dates import day_of_text, days_of, days_of_array, days_of_span, span_of_text
from rpw.io.delimited import as_number, is_missing

__all__ = ["Kind", "TypedColumn", "column_of_array", "column_of_entries", "column_of_numbers", "spelled"]

NUMBER, DATE, TEXT = "number", "date", "text"
Kind = str  # of these, NUMBER or DATE:
CATEGORY, MIXED, EMPTY, OTHER = "category", "mixed", "empty", "other"
Spelled = tuple[str, float | str]  # one of these types, or "" for what is missing; and the number, the day or the text

_NAMES_OF_MISSING = ("NAType", "NaTType")  # of pandas, which need not be there
_TOO_LARGE = "its times are too large to be counted in days"


@dataclass(frozen=True, eq=False)
class TypedColumn:
    """One column: what kind it is, and its entries.

    Attributes
    ----------
    kind : {"number", "date", "category", "mixed", "empty", "other"}
        "mixed": numbers, dates and texts together. "empty": every entry is missing. "other": no type known here.
    numbers : array, or None
        Of numbers and dates (in days); NaN elsewhere.
    labels : array of str, or None
        Of texts; empty elsewhere.
    types : array of str, or None
        Of mixed entries: "number", "date", "text", or empty where one is missing.
    note : str
        What was done to it that the reader should know.
    """

    kind: Kind
    missing: npt.NDArray[np.bool_]
    numbers: Array | None = None
    labels: npt.NDArray[Any] | None = None
    types: npt.NDArray[Any] | None = None
    note: str = ""

    def __len__(self) -> int:
        return len(self.missing)

    def are(self, kind: Kind) -> npt.NDArray[np.bool_]:
        """Which entries are numbers, dates or texts."""
        if self.types is not None:
            return np.asarray(self.types == kind)
        return ~self.missing if self.kind == (CATEGORY if kind == TEXT else kind) else np.zeros_like(self.missing)


def column_of_numbers(values: Any, kind: Kind = NUMBER) -> TypedColumn:
    """Of floats; NaN is missing."""
    numbers = _as_doubles(np.asarray(values))
    infinite = np.isinf(numbers)
    note = ""
    if infinite.any():
        numbers[infinite] = np.nan
        count = int(infinite.sum())
        note = "1 infinite number counts as missing" if count == 1 else f"{count:,} infinite numbers count as missing"
    missing = np.isnan(numbers)
    return TypedColumn(EMPTY if missing.all() else kind, missing, numbers, note=note)


def _as_doubles(values: npt.NDArray[Any]) -> Array:
    """A copy. Short floats count as the decimals that they are written as: 0.1, and not 0.10000000149."""
    is_short = values.dtype.kind == "f" and values.dtype.itemsize < 8
    return np.array(values.astype(np.str_) if is_short else values, dtype=np.float64)


def column_of_array(values: Any) -> TypedColumn:
    """Of an array of NumPy, or what becomes one; by its dtype."""
    array = values if isinstance(values, np.ndarray) else _as_array(values)
    if array.ndim != 1:
        raise ValueError(f"must be one-dimensional, got shape {array.shape}")
    if isinstance(array, np.ma.MaskedArray):
        return _of_masked(array)
    if array.dtype.kind in "iuf":
        return column_of_numbers(array)
    if array.dtype.kind in "mM":
        return _of_times(array)
    if array.dtype.kind in "bUO":
        return column_of_entries(array.tolist())
    return TypedColumn(
        OTHER, np.zeros(len(array), dtype=np.bool_), note=f"{array.dtype} is no type that can be compared"
    )


def _of_masked(array: np.ma.MaskedArray[Any, Any]) -> TypedColumn:
    """What the mask hides is missing."""
    hidden = np.ma.getmaskarray(array).tolist()
    return column_of_entries(None if is_hidden else entry for entry, is_hidden in zip(array.data, hidden, strict=True))


def _of_times(array: npt.NDArray[Any]) -> TypedColumn:
    kind = DATE if array.dtype.kind == "M" else NUMBER
    try:
        return column_of_numbers(days_of_array(array), kind)
    except OverflowError:
        return TypedColumn(OTHER, np.isnat(array), note=_TOO_LARGE)


def _as_array(values: Any) -> npt.NDArray[Any]:
    """Lists keep their entries: NumPy would turn numbers beside texts into texts."""
    if not isinstance(values, (list, tuple)):
        return np.asarray(values)
    entries = np.empty(len(values), dtype=np.object_)
    entries[:] = values
    return entries


def column_of_entries(entries: Iterable[Any], number_of: Callable[[str], float | None] = as_number) -> TypedColumn:
    """Of objects, each of which may have a type of its own; ``number_of`` knows how texts write numbers."""
    listed = list(entries)
    known = {text: spelled(text, number_of) for text in {entry for entry in listed if isinstance(entry, str)}}
    return _of_typed([known[entry] if isinstance(entry, str) else _typed(entry) for entry in listed])


def spelled(text: str, number_of: Callable[[str], float | None] = as_number) -> Spelled:
    """The type of a text, and what it says."""
    text = text.strip()
    if is_missing(text):
        return "", ""
    number = number_of(text)
    if number is None:
        number = span_of_text(text)
    if number is not None:
        return NUMBER, number
    day = day_of_text(text)
    if day is not None:
        return DATE, day
    return TEXT, text.title() if text.lower() in ("true", "false") else text  # libraries write them differently


def _of_typed(entries: list[Spelled]) -> TypedColumn:
    types = np.array([each[0] for each in entries], dtype=np.str_)
    if (types == OTHER).any():
        return TypedColumn(OTHER, types == "", note=next(str(each[1]) for each in entries if each[0] == OTHER))
    line = column_of_numbers([each[1] if each[0] in (NUMBER, DATE) else np.nan for each in entries])
    types[line.missing & (types != TEXT)] = ""  # what was infinite
    present = sorted(set(types.tolist()) - {""})
    if TEXT not in present and len(present) < 2:
        return replace(line, kind=present[0] if present else EMPTY)
    labels = np.array([each[1] if each[0] == TEXT else "" for each in entries], dtype=np.object_)
    if len(present) == 1:
        return TypedColumn(CATEGORY, types == "", None, labels, note=line.note)
    return TypedColumn(MIXED, types == "", line.numbers, labels, types, line.note)


def _typed(entry: Any) -> Spelled:
    """As `spelled`; or OTHER, and why it is neither."""
    if entry is None or type(entry).__name__ in _NAMES_OF_MISSING:
        return "", ""
    if isinstance(entry, (bool, np.bool_)):
        return TEXT, str(entry)
    if isinstance(entry, (np.datetime64, np.timedelta64)):  # before numbers: NumPy counts durations among them
        return _typed_time(entry)
    if isinstance(entry, (Real, Decimal)):
        return _typed_number(entry)
    if isinstance(entry, date):
        return DATE, days_of(entry)
    if isinstance(entry, timedelta):
        return NUMBER, days_of_span(entry)
    if isinstance(entry, time):
        return spelled(entry.isoformat())
    return OTHER, f"entries such as {type(entry).__name__} have no type that can be compared"


def _typed_number(entry: Any) -> Spelled:
    if entry.is_nan() if isinstance(entry, Decimal) else entry != entry:
        return "", ""
    try:
        number = float(str(entry) if isinstance(entry, (np.float16, np.float32)) else entry)
    except OverflowError:
        number = math.inf
    if math.isinf(number) and entry not in (math.inf, -math.inf):
        return OTHER, f"a number of type {type(entry).__name__} is too large for float64"
    return NUMBER, number


def _typed_time(entry: np.datetime64 | np.timedelta64) -> Spelled:
    if np.isnat(entry):
        return "", ""
    try:
        return (DATE if isinstance(entry, np.datetime64) else NUMBER), float(days_of_array(np.asarray(entry)))
    except OverflowError:
        return OTHER, _TOO_LARGE
