"""Files of tables whose columns have types: delimited text, gzipped or not, and Parquet.

The first line of a text names the columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np

from rpw.base.extras import import_extra
from rpw.base.spelling import setting
from rpw.base.types import PathLike
from rpw.io.delimited import ANY_TEXT, TextRules, as_number, read_delimited
from rpw.io.files import check_room, read_guarded
from rpw.io.parquet import open_parquet, read_columns
from rpw.io.typed_columns import (
    OTHER,
    TypedColumn,
    column_of_array,
    column_of_entries,
    column_of_numbers,
)

__all__ = ["TypedTable", "read_typed_table"]

TypedTable = dict[str, TypedColumn]

_BYTES_OF_OBJECT = 64  # in the lists through which entries go that Arrow has no numbers for


def read_typed_table(path: PathLike, rules: TextRules = ANY_TEXT) -> TypedTable:
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
        usual = "\t" if endings[-1] == ".tsv" else ","
        return read_guarded(where, lambda stream: _read_text(stream, usual, rules))
    known = "csv, tsv, txt, each also with .gz, and parquet"
    raise ValueError(f"{where}: unknown kind of table {where.suffix or '(no extension)'!r}; known are {known}")


# ---------------------------------------------------------------- text


def _read_text(stream: IO[bytes], usual: str, rules: TextRules) -> TypedTable:
    text = read_delimited(stream, usual, rules, has_texts=True, needs_names=True)
    if not text.rows:
        raise ValueError("holds the names of columns, and no rows")
    width = len(text.rows[0])
    if text.names is None and rules.header is None:
        raise ValueError(
            "line 1 holds numbers, and the names of the columns are needed there: "
            f"{setting('header', True)} makes them names, and "
            f"{setting('header', False)} calls the columns 0, 1, …"
        )
    names = [str(place) for place in range(width)] if text.names is None else text.names
    cells = list(zip(*text.rows, strict=True))
    if width > 1 and not names[0] and all(cell == str(row) for row, cell in enumerate(cells[0])):
        names, cells = names[1:], cells[1:]  # the numbers that pandas gives to rows
    _check_names(names)
    number_of = partial(as_number, decimal=text.decimal(range(width)))
    return {name: column_of_entries(column, number_of) for name, column in zip(names, cells, strict=True)}


def _check_names(names: list[str]) -> None:
    known = set()
    for place, name in enumerate(names):
        if not name:
            raise ValueError(f"line 1, column {place + 1}: the name of the column is empty; write one there")
        if name in known:
            raise ValueError(f"line 1, column {place + 1}: the name {name!r} comes twice")
        known.add(name)


# ---------------------------------------------------------------- Parquet


def _read_parquet(stream: IO[bytes]) -> TypedTable:
    file = open_parquet(stream)
    schema = file.schema_arrow
    if not file.metadata.num_rows:
        raise ValueError("holds no rows")
    if len(set(schema.names)) < len(schema.names):
        raise ValueError("has two columns of the same name")
    known = [field.name for field in schema if _has_one_value(field.type)]
    objects = sum(not _is_of_numbers(schema.field(name).type) for name in known) * file.metadata.num_rows
    check_room(
        _BYTES_OF_OBJECT * objects, stream, f"its {objects:,} texts and other objects need", "nearly all are equal"
    )
    table = read_columns(open_parquet(stream, known), stream, None if len(known) == len(schema) else known)
    return {field.name: _column_of_file(table, field) for field in schema}


def _is_of_numbers(kind: Any) -> bool:
    types = import_extra("pyarrow", "Parquet files need").types
    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_temporal(kind))


def _has_one_value(kind: Any) -> bool:
    """Whether an entry of a column is one number, date or text: others could not be compared, and are not read."""
    types = import_extra("pyarrow", "Parquet files need").types
    kind = kind.value_type if types.is_dictionary(kind) else kind
    return not (types.is_nested(kind) or "binary" in str(kind))


def _column_of_file(table: Any, field: Any) -> TypedColumn:
    if not _has_one_value(field.type):
        missing = np.zeros(table.num_rows, dtype=np.bool_)
        return TypedColumn(OTHER, missing, note=f"{field.type} is no type that can be compared")
    return _column_of_arrow(table.column(field.name))


def _column_of_arrow(column: Any) -> TypedColumn:
    """Of a column of PyArrow."""
    types = import_extra("pyarrow", "Parquet files need").types
    kind = column.type
    if types.is_integer(kind) or types.is_floating(kind):
        return column_of_numbers(column.to_numpy())
    if types.is_timestamp(kind) or types.is_date(kind):
        return column_of_array(column.cast("timestamp[us]", safe=False).to_numpy())
    if types.is_duration(kind):
        return column_of_array(column.cast("duration[us]", safe=False).to_numpy())
    return column_of_entries(_entries(column) if types.is_dictionary(kind) else column.to_pylist())


def _entries(column: Any) -> Iterator[Any]:
    """The entries of a dictionary; equal ones are one object, however long and many they are."""
    for chunk in column.chunks:
        values = [*chunk.dictionary.to_pylist(), None]
        yield from (values[-1 if place is None else place] for place in chunk.indices.to_pylist())
