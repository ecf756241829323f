"""Any table becomes columns with types: DataFrames and PyArrow tables through narwhals, dicts of arrays, 2-d arrays."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from rpw.base.columns import is_lazy
from rpw.base.extras import import_extra
from rpw.io.dates import MICROSECONDS_OF_DAY
from rpw.io.delimited import ANY_TEXT, TextRules
from rpw.io.typed_columns import DATE, TypedColumn, column_of_array, column_of_entries, column_of_numbers
from rpw.io.typed_tables import TypedTable, read_typed_table

__all__ = ["as_typed_table", "text_of_label"]


def as_typed_table(value: Any, name: str, rules: TextRules = ANY_TEXT) -> TypedTable:
    """Check one table; ``name`` is that of the argument, and ``rules`` are for text files."""
    if isinstance(value, np.ndarray) or (isinstance(value, (list, tuple)) and len(value) > 0):
        table = _of_array(value, name)
    elif isinstance(value, Mapping):
        table = _of_mapping(value, name)
    elif is_lazy(value):
        raise ValueError(f"{name} is a LazyFrame, a table that is still to be computed: pass {name}.collect()")
    elif isinstance(value, (str, os.PathLike)):
        table = read_typed_table(value, rules)
    elif hasattr(value, "columns") or hasattr(value, "column_names"):
        table = _of_frame(value, name)
    else:
        raise ValueError(
            f"{name} must be a DataFrame, a PyArrow table, a dict of arrays, a 2-d array or a path, got "
            f"{type(value).__name__}"
        )
    _check_lengths(table, name)
    return table


def _of_array(value: Any, name: str) -> TypedTable:
    array = _as_array(value)
    if array.dtype.names:
        return {field: _named(column_of_array, array[field], f"{name}[{field!r}]") for field in array.dtype.names}
    if array.ndim != 2:
        raise ValueError(f"{name} must be a table; as an array it must have two dimensions, got shape {array.shape}")
    return {str(place): _named(column_of_array, column, f"{name}[:, {place}]") for place, column in enumerate(array.T)}


def _as_array(value: Any) -> np.ndarray:
    """A mask stays. Lists keep their entries: NumPy would turn numbers beside texts into texts."""
    if isinstance(value, np.ma.MaskedArray):
        return value
    return np.asarray(value) if isinstance(value, np.ndarray) else np.array(value, dtype=np.object_)


def _of_mapping(value: Mapping[Any, Any], name: str) -> TypedTable:
    texts = _texts_of(value, name)
    return {
        text: _named(column_of_array, entries, f"{name}[{key!r}]")
        for text, (key, entries) in zip(texts, value.items(), strict=True)
    }


def _texts_of(labels: Iterable[Any], name: str) -> list[str]:
    """The names of columns as texts, which must differ. Those of pandas may be anything, and may repeat."""
    found: dict[str, Any] = {}
    for label in labels:
        text = text_of_label(label)
        if text in found:
            raise ValueError(_words_of_two(found[text], label, name))
        found[text] = label
    return list(found)


def text_of_label(label: Any) -> str:
    """The name of a column as a text. Pandas gives the numbers of a pair now as Python's, now as NumPy's."""
    if isinstance(label, tuple):
        label = tuple(part.item() if isinstance(part, np.generic) else part for part in label)
    return str(label)


def _words_of_two(one: Any, other: Any, name: str) -> str:
    if repr(one) == repr(other):
        return f"{name} has two columns of the name {one!r}: rename one of them"
    return f"{name} has the columns {one!r} and {other!r}, whose names are the same text"


def _named(convert: Any, entries: Any, owner: str) -> TypedColumn:
    try:
        found: TypedColumn = convert(entries)
    except (TypeError, ValueError, ArithmeticError) as error:
        raise ValueError(f"{owner}: {error}") from error
    return found


def _check_lengths(table: TypedTable, name: str) -> None:
    if not table:
        raise ValueError(f"{name} has no columns")
    lengths = {column: len(entries) for column, entries in table.items()}
    first, rows = next(iter(lengths.items()))
    for column, length in lengths.items():
        if length != rows:
            raise ValueError(f"{name}[{column!r}] has {length:,} entries, and {name}[{first!r}] has {rows:,}")
    if rows < 2:
        raise ValueError(f"{name} has {rows} row{'s' * (rows != 1)}: a comparison needs at least 2 in each table")


def _of_frame(value: Any, name: str) -> TypedTable:
    narwhals = import_extra("narwhals", "DataFrames and PyArrow tables need")
    # Asked of the class: a DataFrame of pandas shows a column of its own as an attribute too.
    labels = value.column_names if hasattr(type(value), "column_names") else getattr(value, "columns", None)
    texts = _texts_of(labels, name) if isinstance(labels, Iterable) else []
    try:
        columns = list(narwhals.from_native(value, eager_only=True).iter_columns())
    except TypeError as error:
        raise ValueError(f"{name} is no table that narwhals knows: {type(value).__name__}") from error
    except ValueError as error:  # such as True and 1, which are equal names and different texts
        raise ValueError(f"{name}: {' '.join(str(error).split())}") from error
    return {
        text: _named(lambda series: _of_series(series, narwhals), column, f"{name}[{text!r}]")
        for text, column in zip(texts, columns, strict=True)
    }


def _of_series(series: Any, narwhals: Any) -> TypedColumn:
    kind = series.dtype
    if kind.is_numeric() and kind != narwhals.Decimal:
        return column_of_numbers(_numbers(series, narwhals))
    if kind == narwhals.Datetime or kind == narwhals.Date:
        return column_of_numbers(_numbers(series.dt.timestamp("us"), narwhals) / MICROSECONDS_OF_DAY, DATE)
    if kind == narwhals.Duration:
        return column_of_array(np.asarray(series.to_numpy()))
    return column_of_entries(series.to_list())


def _numbers(series: Any, narwhals: Any) -> Any:
    """Short floats stay what they are."""
    if series.dtype != narwhals.Float32:
        series = series.cast(narwhals.Float64)
    return series.fill_null(float("nan")).to_numpy()
