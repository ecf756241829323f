"""Tables of points: CSV, TSV and Parquet. A row is a point; a column ``weight`` or ``weights`` holds the weights."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import IO, NamedTuple

import numpy as np

from rpw.base.check import Array
from rpw.measure import Measure

__all__ = ["WEIGHT_NAMES", "Columns", "Table", "in_order", "read_parquet", "read_text"]

WEIGHT_NAMES = ("weight", "weights")

Columns = tuple[str, ...]


class Table(NamedTuple):
    """The measure of a file, and the names of its coordinates where the file has some."""

    measure: Measure
    columns: Columns | None = None


def in_order(table: Table, wanted: Columns | None, whose: str) -> Measure:
    """The measure with its coordinates in the order ``wanted``; raises where the names are not the same.

    Without names on one side, or with another number of them, there is nothing to match.
    """
    measure, columns = table
    if columns is None or wanted is None or len(columns) != len(wanted):
        return measure
    here, there = ([name.casefold() for name in names] for names in (columns, wanted))
    if here == there:
        return measure
    if set(here) != set(there) or len(set(here)) < len(here):
        raise ValueError(
            f"has the columns {', '.join(columns)}, and {whose} has {', '.join(wanted)}: columns are matched by their "
            "names; give them the same ones, or leave out the line of names"
        )
    return measure.with_coordinates([here.index(name) for name in there])


def read_text(stream: IO[bytes], delimiter: str) -> Table:
    """A table with a separator: CSV or TSV."""
    try:
        text = stream.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"not text in UTF-8 (byte {error.start} is {error.object[error.start]:#04x})") from error
    rows, lines = _rows(text, delimiter)
    header = _header(rows[0]) if rows else None
    if header is not None:
        rows, lines = rows[1:], lines[1:]
    if not rows:
        raise ValueError("holds no points")
    width = len(rows[0]) if header is None else len(header)
    for row, line in zip(rows, lines, strict=True):
        if len(row) != width:
            raise ValueError(f"line {line} has {len(row)} values instead of {width}")
    return _from_table(_numbers(rows, lines), header or [])


def _rows(text: str, delimiter: str) -> tuple[list[list[str]], list[int]]:
    """The rows that are not blank, and the number of the line where each ends."""
    rows, lines = [], []
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    for row in reader:
        if any(cell.strip() for cell in row):
            rows.append([cell.strip() for cell in row])
            lines.append(reader.line_num)
    return rows, lines


def _header(row: list[str]) -> list[str] | None:
    """The names of the columns, or None where the first row holds numbers already."""
    numeric = [_is_number(cell) for cell in row]
    if all(numeric):
        return None
    if not any(numeric) or any(cell.lower() in WEIGHT_NAMES for cell in row):
        return row
    first = numeric.index(False)
    raise ValueError(f"line 1 mixes numbers and text (column {first + 1} is {row[first][:40]!r})")


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _numbers(rows: list[list[str]], lines: list[int]) -> Array:
    try:
        table = np.array(rows, dtype=np.float64)
    except ValueError:
        for row, line in zip(rows, lines, strict=True):
            for column, cell in enumerate(row):
                if not _is_number(cell):
                    raise ValueError(f"line {line}, column {column + 1}: {cell[:40]!r} is not a number") from None
        raise
    wrong = np.argwhere(~np.isfinite(table))
    if len(wrong):
        i, j = (int(index) for index in wrong[0])
        raise ValueError(f"line {lines[i]}, column {j + 1}: {rows[i][j][:40]!r} is not a finite number")
    return table


def read_parquet(stream: IO[bytes]) -> Table:
    """A table of numbers in Parquet."""
    try:
        import pyarrow as arrow
        from pyarrow import parquet
    except ImportError as error:
        raise ImportError("Parquet files need pyarrow: pip install 'rpw[parquet]'") from error
    try:
        table = parquet.ParquetFile(stream).read(use_threads=False)
    except MemoryError as error:  # more often a damaged size than a large table
        raise ValueError(f"damaged, or too large for the memory: {error}") from error
    for name, kind, column in zip(table.column_names, table.schema.types, table.columns, strict=True):
        if not (arrow.types.is_integer(kind) or arrow.types.is_floating(kind) or arrow.types.is_boolean(kind)):
            raise ValueError(f"column {name!r} is not numeric: {kind}")
        if column.null_count:
            raise ValueError(f"column {name!r} has {column.null_count} missing values")
    if not table.num_columns or not table.num_rows:
        raise ValueError("holds no points")
    columns = [column.to_numpy().astype(np.float64) for column in table.columns]
    return _from_table(np.column_stack(columns), table.column_names)


def _from_table(table: Array, header: Sequence[str]) -> Table:
    """Points and weights by the names of the columns."""
    for column, name in enumerate(header):
        if not name or name.startswith("__index_level_"):
            raise ValueError(f"column {column + 1} looks like an index, not a coordinate: write the table without it")
    heavy = [column for column, name in enumerate(header) if name.lower() in WEIGHT_NAMES]
    if len(heavy) > 1:
        raise ValueError(f"has {len(heavy)} columns of weights; one is allowed")
    points = np.delete(table, heavy, axis=1)
    if points.shape[1] == 0:
        raise ValueError("has weights but no coordinates")
    measure = Measure(points, table[:, heavy[0]] if heavy else None)
    return Table(measure, tuple(name for name in header if name.lower() not in WEIGHT_NAMES) or None)
