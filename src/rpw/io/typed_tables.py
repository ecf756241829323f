"""Files of tables whose columns have types: CSV with any of three separators, gzipped or not, and Parquet.

The first line of a CSV file names the columns. The separator is the one of ``,``, ``;`` and tab that splits it into the
most names. In files with semicolons, numbers may have a decimal comma.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import IO, Any

import numpy as np

from rpw.base.extras import import_extra
from rpw.base.memory import check_file_fits
from rpw.base.types import PathLike
from rpw.io.expansion import check_expansion
from rpw.io.files import read_guarded
from rpw.io.spelled import plain_number
from rpw.io.typed_columns import TypedColumn, column_of_array, column_of_entries, column_of_numbers, column_of_texts

__all__ = ["TypedTable", "column_of_arrow", "read_typed_table"]

TypedTable = dict[str, TypedColumn]

_SEPARATORS = (",", ";", "\t")
_WITH_COMMA = re.compile(r"[+-]?\d*,?\d+([eE][+-]?\d+)?", re.ASCII)
_PACKED = b"\x1f\x8b"
_CHUNK = 1 << 24
_END = "end"
_BYTES_OF_CELLS = 16  # for each byte of text: a short cell is an object of 50 bytes


def read_typed_table(path: PathLike) -> TypedTable:
    """Read a CSV, TSV or Parquet file; text files may be gzipped.

    Raises ``OSError`` if the file cannot be opened and ``ValueError`` for everything that is wrong in it.
    """
    where = Path(path)
    endings = [suffix.lower() for suffix in where.suffixes]
    if endings[-1:] == [".gz"]:
        endings.pop()
    if where.is_dir():
        raise ValueError(f"{where}: is a folder; one file is needed here")
    if endings[-1:] in ([".parquet"], [".pq"]):
        return read_guarded(where, _read_parquet)
    if endings[-1:] in ([".csv"], [".tsv"], [".txt"]):
        return read_guarded(where, _read_text)
    known = "csv, tsv, txt, each also with .gz, and parquet"
    raise ValueError(f"{where}: unknown kind of table {where.suffix or '(no extension)'!r}; known are {known}")


# ---------------------------------------------------------------- text


def _read_text(stream: IO[bytes]) -> TypedTable:
    content = _unpacked(stream)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"not text in UTF-8 (byte {error.start} is {error.object[error.start]:#04x})") from error
    names, separator = _header(text)
    cells = _cells(text, separator, names)
    return {name: _column(column, separator == ";") for name, column in zip(names, cells, strict=True)}


def _unpacked(stream: IO[bytes]) -> bytes:
    is_packed = stream.read(2) == _PACKED
    stream.seek(0)
    if not is_packed:
        return stream.read()
    chunks, size = [], 0
    with gzip.GzipFile(fileobj=stream) as packed:
        while chunk := packed.read(_CHUNK):
            chunks.append(chunk)
            size += len(chunk)
            check_expansion(_BYTES_OF_CELLS * size, stream, "its cells need", "nearly all rows are equal")
    return b"".join(chunks)


def _header(text: str) -> tuple[list[str], str]:
    """The names of the columns, and what separates them."""
    parsed = {separator: _first_row(text, separator) for separator in _SEPARATORS}
    separator = max(_SEPARATORS, key=lambda each: len(parsed[each]))
    names = [name.strip() for name in parsed[separator]]
    if names and all(plain_number(name) is not None for name in names):
        raise ValueError("line 1 holds numbers, and the names of the columns are needed there")
    for place, name in enumerate(names):
        if not name:
            raise ValueError(f"line 1, column {place + 1}: the name of the column is empty")
        if name in names[:place]:
            raise ValueError(f"line 1, column {place + 1}: the name {name!r} comes twice")
    return names, separator


def _first_row(text: str, separator: str) -> list[str]:
    """The first that is not blank. A name may hold a line break, so lines do not tell."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    with _naming_line(1):
        return next((row for row in reader if not _is_blank(row, separator)), [])


def _is_blank(row: list[str], separator: str) -> bool:
    """Whether the line of a row has nothing but white space."""
    return not separator.join(row).strip()


def _rows(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """All rows, each with the line in which it begins; raises for a quote that is never closed."""
    lines = 1 + sum(1 for _ in io.StringIO(text, newline=""))
    # One more line at the end is a row of its own, unless it falls into an open quote.
    reader = csv.reader(chain(io.StringIO(text, newline=""), [_END]), delimiter=separator)
    while reader.line_num < lines:
        line = reader.line_num + 1
        with _naming_line(line):
            row = next(reader)
        if reader.line_num < lines:
            yield line, row
        elif line < lines:
            raise ValueError(f"line {line}: a quote is opened there and never closed")


@contextmanager
def _naming_line(line: int) -> Iterator[None]:
    try:
        yield
    except csv.Error as error:
        raise ValueError(f"line {line}: {error}; a quote may be opened there and not closed") from error


def _cells(text: str, separator: str, names: list[str]) -> list[tuple[str, ...]]:
    """The entries, column by column."""
    rows = []
    is_header = True
    for line, row in _rows(text, separator):
        if not row or (len(names) > 1 and not any(cell.strip() for cell in row)):  # a blank line
            continue
        if is_header:
            is_header = _is_blank(row, separator)
            continue
        if len(row) != len(names):
            raise ValueError(f"line {line} has {len(row)} values instead of {len(names)}")
        rows.append(row)
    if not rows:
        raise ValueError("holds the names of columns, and no rows")
    return list(zip(*rows, strict=True))


def _column(cells: Sequence[str], has_commas: bool) -> TypedColumn:
    return column_of_texts(cells, _with_comma if has_commas else plain_number)


def _with_comma(cell: str) -> float | None:
    return float(cell.replace(",", ".")) if _WITH_COMMA.fullmatch(cell) else plain_number(cell)


# ---------------------------------------------------------------- Parquet


def _read_parquet(stream: IO[bytes]) -> TypedTable:
    parquet = import_extra("pyarrow.parquet", "Parquet files need")
    # A thread that reads ahead may hold a buffer of ours when Python ends, and would abort the process.
    file = parquet.ParquetFile(stream, pre_buffer=False)
    declared = file.metadata
    needed = 16 * declared.num_rows * declared.num_columns
    check_file_fits(needed, f"its {declared.num_rows:,} rows of {declared.num_columns:,} columns need")
    if not declared.num_rows:
        raise ValueError("holds no rows")
    table = file.read(use_threads=False)
    if len(set(table.column_names)) < table.num_columns:
        raise ValueError("has two columns of the same name")
    return {name: column_of_arrow(column) for name, column in zip(table.column_names, table.columns, strict=True)}


def column_of_arrow(column: Any) -> TypedColumn:
    """Of a column of PyArrow."""
    types = import_extra("pyarrow", "Parquet files need").types
    kind = column.type
    if types.is_integer(kind) or types.is_floating(kind):
        return column_of_numbers(column.to_numpy())
    if types.is_timestamp(kind) or types.is_date(kind):
        return column_of_array(column.cast("timestamp[us]", safe=False).to_numpy())
    if types.is_duration(kind):
        return column_of_array(column.cast("duration[us]", safe=False).to_numpy())
    if types.is_null(kind):
        return column_of_numbers(np.full(len(column), np.nan))
    return column_of_entries(column.to_pylist())
