"""Tables of points: CSV, TSV and Parquet. A row is a point; a column ``weight`` or ``weights`` holds the weights.

All columns are read, or those that a `Selection` names; it may also leave out rows with missing values.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import IO, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rpw.base.check import Array
from rpw.base.extras import import_extra
from rpw.io.delimited import WEIGHT_NAMES, Delimited, as_number, is_missing, read_delimited
from rpw.io.parquet import open_parquet, read_columns
from rpw.io.selection import EVERYTHING, MissingValueError, NoNumberError, Selection
from rpw.measure import Measure

__all__ = ["Columns", "Table", "as_table", "as_text_cell", "in_order", "read_parquet", "read_text"]

Columns = tuple[str, ...]


# What makes a spreadsheet compute a cell (the second four are what East Asian keyboards give); and the sign against it.
_FORMULA_STARTS = tuple("=+-@\uff1d\uff0b\uff0d\uff20'")
_CONTROLS = {code: f"\\x{code:02x}" for code in (*range(32), 127)}


def as_text_cell(name: str) -> str:
    """A name as a cell of a table that no spreadsheet takes for a formula: with an apostrophe in front, if need be.

    Whoever reads the table gets the name back by dropping one apostrophe from the front, where there is one. Only
    control characters stay the escapes that they become: a carriage return would begin a new row.
    """
    shown = name.translate(_CONTROLS)
    return f"'{shown}" if shown.startswith(_FORMULA_STARTS) else shown


class Table(NamedTuple):
    """The measure of a file, and the names of its coordinates where the file has some.

    If rows with missing values were left out, ``kept`` has the numbers of the others, from 0, and ``size`` says how
    many rows the file has. ``weighed_by`` is the name of the column of weights, if there is one, and
    ``image`` describes the image that the file is.
    """

    measure: Measure
    columns: Columns | None = None
    kept: npt.NDArray[np.int64] | None = None
    size: int | None = None
    weighed_by: str | None = None
    image: str | None = None

    @property
    def dropped(self) -> int:
        """How many rows were left out."""
        return 0 if self.size is None else self.size - len(self.measure)


def as_table(
    points: npt.NDArray[Any],
    weights: npt.NDArray[Any] | None,
    labels: Sequence[str],
    drop_missing: bool,
    names: Columns | None = None,
    weighed_by: str | None = None,
) -> Table:
    """The table of a matrix in which NaN is missing; ``labels`` says what messages call its columns."""
    if not drop_missing:
        return Table(Measure(points, weights), names, weighed_by=weighed_by)
    misses = np.isnan(points if weights is None else np.column_stack([points, weights])).any(axis=1)
    kept = rows_left(misses)
    infinite = np.argwhere(np.isinf(points[kept]))
    if len(infinite):
        row, column = kept[infinite[0][0]], infinite[0][1]
        raise ValueError(f"row {row}, counted from 0, {labels[column]}: {points[row, column]} is not a finite number")
    measure = Measure(points[kept], None if weights is None else weights[kept])
    return Table(measure, names, kept, len(points), weighed_by)


def rows_left(misses: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """The numbers of the rows in which nothing is missing; raises if there are none."""
    kept = np.flatnonzero(~misses)
    if len(kept) == 0:
        raise ValueError("every row has a missing value, so no point is left")
    return kept


def in_order(table: Table, where: str, wanted: Columns | None, whose: str) -> Measure:
    """The measure of the file ``where`` with its coordinates in the order ``wanted``, which is that of ``whose``.

    Without names on one side, or with another number of them, there is nothing to match.
    """
    measure, columns = table.measure, table.columns
    if columns is None or wanted is None or len(columns) != len(wanted):
        return measure
    here, there = ([name.casefold() for name in names] for names in (columns, wanted))
    if here == there:
        return measure
    if set(here) != set(there) or len(set(here)) < len(here):
        raise ValueError(
            f"{where}: has the columns {', '.join(columns)}, and {whose} has {', '.join(wanted)}: columns are matched "
            "by their names; give them the same ones, or leave out the line of names"
        )
    place_of = {name: place for place, name in enumerate(here)}
    return measure.with_coordinates([place_of[name] for name in there])


def read_text(stream: IO[bytes], usual: str, wanted: Selection = EVERYTHING) -> Table:
    """A table of delimited text; ``usual`` separates its columns if it has one only."""
    text = read_delimited(stream, usual, wanted.text, has_texts=wanted.chooses, needs_names=wanted.has_names)
    if not text.rows:
        raise ValueError("holds no points")
    header = text.names or []
    places, heavy = _chosen(header, len(text.rows[0]), wanted)
    used, kept = places + heavy, np.arange(len(text.rows))
    if wanted.drop_missing:
        kept = rows_left(np.array([any(is_missing(row[place]) for place in used) for row in text.rows], dtype=np.bool_))
    decimal = text.decimal(used)
    numbers = np.array([[_number(text, row, place, decimal) for place in used] for row in kept.tolist()])
    return Table(
        Measure(numbers[:, : len(places)], numbers[:, -1] if heavy else None),
        _names(header, places),
        kept if wanted.drop_missing else None,
        len(text.rows),
        header[heavy[0]] if heavy else None,
    )


def _number(text: Delimited, row: int, place: int, decimal: str) -> float:
    """A cell as a number; raises if it is none, or infinite."""
    cell = text.rows[row][place]
    number = as_number(cell, decimal)
    if number is None or math.isinf(number):
        kind = MissingValueError if is_missing(cell) else NoNumberError
        where = text.place(text.lines[row], place)
        raise kind(f"{where}: {cell[:40]!r} is not a {'number' if number is None else 'finite number'}")
    return number


def read_parquet(stream: IO[bytes], wanted: Selection = EVERYTHING) -> Table:
    """A table of numbers in Parquet."""
    file = open_parquet(stream)
    header = file.schema_arrow.names
    places, heavy = _chosen(header, len(header), wanted) if header else ([], [])
    used = places + heavy
    for place in sorted(used):
        _check_numeric(file.schema_arrow.field(place))
    if len(set(header)) < len(header) and wanted.chooses:
        raise ValueError("two columns have the same name: no column can be chosen by name or number")
    table = read_columns(file, stream, [header[place] for place in used] if wanted.chooses else None)
    if not used or not table.num_rows:
        raise ValueError("holds no points")
    columns = [table.column(i if wanted.chooses else place) for i, place in enumerate(used)]
    for place, column in zip(used, columns, strict=True):
        if column.null_count and not wanted.drop_missing:
            raise MissingValueError(f"column {header[place]!r} has {column.null_count} missing values")
    numbers = np.column_stack([_as_floats(column) for column in columns])
    return as_table(
        numbers[:, : len(places)],
        numbers[:, -1] if heavy else None,
        [f"column {header[place]!r}" for place in places],
        wanted.drop_missing,
        _names(header, places),
        header[heavy[0]] if heavy else None,
    )


def _as_floats(column: Any) -> Array:
    """A column of Arrow; what is null becomes NaN."""
    kinds = import_extra("pyarrow", "Parquet files need")
    if column.null_count and kinds.types.is_boolean(column.type):
        column = column.cast(kinds.int8())
    floats: Array = column.to_numpy().astype(np.float64)
    return floats


def _check_numeric(column: Any) -> None:
    kinds = import_extra("pyarrow", "Parquet files need").types
    if not (kinds.is_integer(column.type) or kinds.is_floating(column.type) or kinds.is_boolean(column.type)):
        raise NoNumberError(f"column {column.name!r} is not numeric: {column.type}")


def _chosen(header: Sequence[str], width: int, wanted: Selection) -> tuple[list[int], list[int]]:
    """Which columns are coordinates, in their order, and which one has the weights, if there is one."""
    places, left_out = wanted.places(header, width), wanted.left_out(header, width)
    heavy = [column for column, name in enumerate(header) if name.lower() in WEIGHT_NAMES and column not in left_out]
    if len(heavy) > 1:
        raise ValueError(f"has {len(heavy)} columns of weights; one is allowed")
    if wanted.columns is None:
        for column in places:
            if header and (not header[column] or header[column].startswith("__index_level_")):
                raise NoNumberError(
                    f"column {column + 1} looks like an index, not a coordinate: write the table without it"
                )
        places = [column for column in places if column not in heavy]
    elif set(heavy) & set(places):
        raise ValueError(
            f"column {header[heavy[0]]!r} holds the weights, so it cannot be a coordinate; if it is one, rename it in "
            "the file"
        )
    if not places:
        raise ValueError("has weights but no coordinates" if heavy else "has no column that is left")
    return places, heavy


def _names(header: Sequence[str], places: Sequence[int]) -> Columns | None:
    return tuple(header[place] for place in places) if header else None
