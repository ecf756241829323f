"""Columns of tables, with their types: numbers, dates, categories, and what is missing.

Dates are numbers of days since 1970-01-01. Booleans are categories. None, NaN, NaT and the NA of pandas are missing.
Infinite numbers have no place on the line: they count as missing, and the column says so.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from rpw.base.check import Array

__all__ = ["Kind", "TypedColumn", "column_of_array", "column_of_entries", "column_of_numbers", "column_of_texts"]

Kind = str  # of these:
NUMBER, DATE, CATEGORY, MIXED, EMPTY, OTHER = "number", "date", "category", "mixed", "empty", "other"

_DAY = 86_400.0
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LONG_UNITS, _MOST_LONG_UNITS = ("Y", "M", "W"), 10**15  # of NumPy: days of more of them may not fit into int64
_SHORT_UNITS = ("us", "ns", "ps", "fs", "as")  # as microseconds they fit
_MOST_DAYS_IN_MICROSECONDS = 1e8
_NAMES_OF_MISSING = ("NAType", "NaTType")  # of pandas, which need not be there


@dataclass(frozen=True, eq=False)
class TypedColumn:
    """One column: what kind it is, and its entries.

    Attributes
    ----------
    kind : {"number", "date", "category", "mixed", "empty", "other"}
        "mixed": numbers, dates and texts together. "empty": every entry is missing. "other": no type known here.
    numbers : array, or None
        Of numbers and dates (in days); NaN where one is missing.
    labels, types : arrays of str, or None
        Of categories and mixed entries: the entry as a text, and its type; empty where one is missing.
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

    def as_texts(self) -> npt.NDArray[Any]:
        """Every entry as a text."""
        if self.labels is not None:
            return self.labels
        if self.numbers is None:
            return np.full(len(self), "")
        return np.array([f"{number:.12g}" for number in self.numbers.tolist()])

    def as_types(self) -> npt.NDArray[Any]:
        """The type of every entry, as a text."""
        return (
            self.types if self.types is not None else np.full(len(self), "text" if self.kind == CATEGORY else self.kind)
        )


def column_of_numbers(values: Any, kind: Kind = NUMBER) -> TypedColumn:
    """Of floats; NaN is missing."""
    numbers = np.array(values, dtype=np.float64)
    infinite = np.isinf(numbers)
    note = ""
    if infinite.any():
        numbers[infinite] = np.nan
        count = int(infinite.sum())
        note = "1 infinite number counts as missing" if count == 1 else f"{count:,} infinite numbers count as missing"
    missing = np.isnan(numbers)
    return TypedColumn(EMPTY if missing.all() else kind, missing, numbers, note=note)


def column_of_texts(texts: npt.NDArray[Any], missing: npt.NDArray[np.bool_]) -> TypedColumn:
    """Of categories."""
    labels = np.where(missing, "", texts.astype(np.object_))
    return TypedColumn(EMPTY if missing.all() else CATEGORY, missing, labels=labels)


def column_of_array(values: Any) -> TypedColumn:
    """Of an array of NumPy, or what becomes one; by its dtype."""
    array = values if isinstance(values, np.ndarray) else _as_array(values)
    if array.ndim != 1:
        raise ValueError(f"must be one-dimensional, got shape {array.shape}")
    if isinstance(array, np.ma.MaskedArray):
        return _of_masked(array)
    if array.dtype.kind in "iuf":
        return column_of_numbers(array)
    if array.dtype.kind == "M":
        return _of_times(array, DATE)
    if array.dtype.kind == "m":
        return _of_times(array, NUMBER)
    if array.dtype.kind in "bU":
        return column_of_texts(
            array if array.dtype.kind == "U" else array.astype(np.str_), np.zeros(len(array), dtype=np.bool_)
        )
    if array.dtype.kind == "O":
        return column_of_entries(array.tolist())
    return TypedColumn(
        OTHER, np.zeros(len(array), dtype=np.bool_), note=f"{array.dtype} is no type that can be compared"
    )


def _of_masked(array: np.ma.MaskedArray[Any, Any]) -> TypedColumn:
    """What the mask hides is missing."""
    if array.dtype.kind in "iuf":
        return column_of_numbers(np.ma.filled(array.astype(np.float64), np.nan))
    hidden = np.ma.getmaskarray(array).tolist()
    return column_of_entries(None if is_hidden else entry for entry, is_hidden in zip(array.data, hidden, strict=True))


def _of_times(array: npt.NDArray[Any], kind: Kind) -> TypedColumn:
    try:
        return column_of_numbers(_days(array), kind)
    except OverflowError:
        return TypedColumn(OTHER, np.isnat(array), note="its times are too large to be counted in days")


def _days(array: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
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
    return np.where(is_missing, np.nan, microseconds / (_DAY * 1e6))


def _as_array(values: Any) -> npt.NDArray[Any]:
    """Lists keep their entries: NumPy would turn numbers beside texts into texts."""
    if not isinstance(values, (list, tuple)):
        return np.asarray(values)
    entries = np.empty(len(values), dtype=np.object_)
    entries[:] = values
    return entries


def column_of_entries(entries: Iterable[Any]) -> TypedColumn:
    """Of objects, each of which may have a type of its own."""
    found = [_typed(entry) for entry in entries]
    types = np.array([each[0] for each in found])
    missing = types == ""
    present = set(types[~missing].tolist())
    if not present:
        return column_of_numbers(np.full(len(found), np.nan))
    if OTHER in present:
        sample = next(each[1] for each in found if each[0] == OTHER)
        return TypedColumn(OTHER, missing, note=sample)
    if present in ({NUMBER}, {DATE}):
        return column_of_numbers([np.nan if each[0] == "" else each[1] for each in found], present.pop())
    labels = np.array([_as_label(each) for each in found], dtype=np.object_)
    if present == {"text"}:
        return column_of_texts(labels, missing)
    return TypedColumn(MIXED, missing, labels=labels, types=types)


def _typed(entry: Any) -> tuple[str, Any]:
    """The type of an entry, empty if it is missing; and the entry as a float or as a text, or why it is neither."""
    if entry is None or type(entry).__name__ in _NAMES_OF_MISSING:
        return "", ""
    if isinstance(entry, (bool, np.bool_, str)):
        return "text", str(entry)
    if isinstance(entry, (np.datetime64, np.timedelta64)):  # before numbers: NumPy counts durations among them
        return _typed_time(entry)
    if isinstance(entry, (Real, Decimal)):
        return _typed_number(entry)
    if isinstance(entry, date):
        return DATE, days_of(entry)
    if isinstance(entry, timedelta):
        return NUMBER, entry.total_seconds() / _DAY
    return OTHER, f"entries such as {type(entry).__name__} have no type that can be compared"


def _typed_number(entry: Any) -> tuple[str, Any]:
    if entry.is_nan() if isinstance(entry, Decimal) else entry != entry:
        return "", ""
    try:
        number = float(entry)
    except OverflowError:
        number = math.inf
    if math.isinf(number) and entry not in (math.inf, -math.inf):
        return OTHER, f"a number of type {type(entry).__name__} is too large for float64"
    return NUMBER, number


def _typed_time(entry: np.datetime64 | np.timedelta64) -> tuple[str, Any]:
    if np.isnat(entry):
        return "", ""
    try:
        return (DATE if isinstance(entry, np.datetime64) else NUMBER), float(_days(np.asarray(entry)))
    except OverflowError:
        return OTHER, "its times are too large to be counted in days"


def days_of(moment: date) -> float:
    """Since 1970-01-01; moments without a time zone are taken as UTC."""
    if not isinstance(moment, datetime):
        moment = datetime(moment.year, moment.month, moment.day)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - _EPOCH).total_seconds() / _DAY


def _as_label(typed: tuple[str, Any]) -> str:
    return f"{typed[1]:.12g}" if isinstance(typed[1], float) else str(typed[1])
