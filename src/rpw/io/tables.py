"""Tables of points: CSV, TSV and Parquet. A row is a point; a column ``weight`` or ``weights`` holds the weights.

All columns are read, or those that a `Selection` names; it may also leave out rows with missing values.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import IO, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rpw.base.check import Array
from rpw.base.extras import import_extra
from rpw.base.memory import check_file_fits
from rpw.io.expansion import check_expansion
from rpw.io.selection import EVERYTHING, MissingValueError, Selection, check_finite_rows, is_missing, rows_left
from rpw.measure import Measure

__all__ = ["WEIGHT_NAMES", "Columns", "Table", "as_text_cell", "in_order", "read_parquet", "read_text"]

WEIGHT_NAMES = ("weight", "weights")

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
    many rows the file has. ``weighed_by`` is the name of the column of weights, if there is one.
    """

    measure: Measure
    columns: Columns | None = None
    kept: npt.NDArray[np.int64] | None = None
    size: int | None = None
    weighed_by: str | None = None

    @property
    def dropped(self) -> int:
        """How many rows were left out."""
        return 0 if self.size is None else self.size - len(self.measure)


def in_order(table: Table, wanted: Columns | None, whose: str) -> Measure:
    """The measure with its coordinates in the order ``wanted``; raises where the names are not the same.

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
            f"has the columns {', '.join(columns)}, and {whose} has {', '.join(wanted)}: columns are matched by their "
            "names; give them the same ones, or leave out the line of names"
        )
    return measure.with_coordinates([here.index(name) for name in there])


def read_text(stream: IO[bytes], delimiter: str, wanted: Selection = EVERYTHING) -> Table:
    """A table with a separator: CSV or TSV."""
    try:
        text = stream.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"not text in UTF-8 (byte {error.start} is {error.object[error.start]:#04x})") from error
    rows, lines = _rows(text, delimiter)
    header = _header(rows[0], wanted) if rows else None
    if header is not None:
        rows, lines = rows[1:], lines[1:]
    if not rows:
        raise ValueError("holds no points")
    _check_separator(header or [], rows[0], delimiter)
    width = len(rows[0]) if header is None else len(header)
    for row, line in zip(rows, lines, strict=True):
        if len(row) != width:
            raise ValueError(f"line {line} has {len(row)} values instead of {width}")
    places, heavy = _chosen(header or [], width, wanted)
    used, size = places + heavy, len(rows)
    if wanted.columns is not None:
        rows = [[row[place] for place in used] for row in rows]
    else:
        used = list(range(width))
    kept = None
    if wanted.drop_missing:
        kept = rows_left(np.array([any(map(is_missing, row)) for row in rows], dtype=np.bool_))
        rows, lines = [rows[i] for i in kept], [lines[i] for i in kept]
    columns = dict(zip(used, _numbers(rows, lines, used).T, strict=True))
    return _as_table(columns, places, heavy, header or [], kept, size)


def _rows(text: str, delimiter: str) -> tuple[list[list[str]], list[int]]:
    """The rows that are not blank, and the number of the line where each ends."""
    rows, lines = [], []
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    for row in reader:
        if any(cell.strip() for cell in row):
            rows.append([cell.strip() for cell in row])
            lines.append(reader.line_num)
    return rows, lines


def _header(row: list[str], wanted: Selection) -> list[str] | None:
    """The names of the columns, or None where the first row holds numbers already."""
    if wanted.has_names and not all(map(_is_number, row)):
        return row
    if wanted.columns is not None:  # the whole line counts: the columns that were not chosen may hold text
        has_index = not row[0] and len(row) > 1  # as pandas writes it, above the numbers of the rows
        return row if has_index or not all(_is_number(cell) or is_missing(cell) for cell in row) else None
    known = {place: cell for place, cell in enumerate(row) if not (wanted.drop_missing and is_missing(cell))}
    numeric = [_is_number(cell) for cell in known.values()]
    if all(numeric):
        return None
    if not any(numeric) or any(cell.lower() in WEIGHT_NAMES for cell in row):
        return row
    first = list(known)[numeric.index(False)]
    raise ValueError(f"line 1 mixes numbers and text (column {first + 1} is {row[first][:40]!r})")


# What else tables are separated by; of those that hold decimal commas, it is the semicolon.
_SEPARATORS = {",": "commas", "\t": "tabs", ";": "semicolons", " ": "spaces"}


def _check_separator(header: list[str], first: list[str], delimiter: str) -> None:
    """Raise where the whole first line is one name, and that and the next line hold another separator."""
    for other, name in _SEPARATORS.items():
        if other != delimiter and len(header) == 1 and other in header[0] and any(other in cell for cell in first):
            raise ValueError(
                f"its columns are separated by {name}, and {_SEPARATORS[delimiter]} are needed here; numbers need a "
                "decimal point"
            )


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


# Of all that Python takes for a number, tables know these signs: neither 1_000 nor the digits of other scripts.
_SIGNS = frozenset("0123456789+-.eE")


def _numbers(rows: list[list[str]], lines: list[int], places: list[int]) -> Array:
    """The cells as numbers; ``lines`` and ``places`` say where they stand in the file."""
    try:
        table = np.array(rows, dtype=np.float64)
    except ValueError:
        for row, line in zip(rows, lines, strict=True):
            for place, cell in zip(places, row, strict=True):
                if not _is_number(cell):
                    raise _no_number(line, place, cell, "a number") from None
        raise
    wrong = np.argwhere(~np.isfinite(table))
    if len(wrong):
        i, j = (int(index) for index in wrong[0])
        raise _no_number(lines[i], places[j], rows[i][j], "a finite number")
    _check_spelling(rows, lines, places)
    return table


def _no_number(line: int, place: int, cell: str, what: str) -> ValueError:
    kind = MissingValueError if is_missing(cell) else ValueError
    return kind(f"line {line}, column {place + 1}: {cell[:40]!r} is not {what}")


def _check_spelling(rows: list[list[str]], lines: list[int], places: list[int]) -> None:
    """Raise where Python reads a number that a spreadsheet takes for text, or for another number."""
    for row, line in zip(rows, lines, strict=True):
        if _SIGNS.issuperset("".join(row)):
            continue
        column = next(j for j, cell in enumerate(row) if not _SIGNS.issuperset(cell))
        raise ValueError(
            f"line {line}, column {places[column] + 1}: {row[column][:40]!r} is not written as a number in a table; "
            "use the digits 0 to 9, a point and an exponent, such as -1.5e3"
        )


def read_parquet(stream: IO[bytes], wanted: Selection = EVERYTHING) -> Table:
    """A table of numbers in Parquet."""
    parquet = import_extra("pyarrow.parquet", "Parquet files need")
    # A thread that reads ahead may hold a buffer of ours when Python ends, and would abort the process.
    file = parquet.ParquetFile(stream, pre_buffer=False)
    header = file.schema_arrow.names
    places, heavy = _chosen(header, len(header), wanted) if header else ([], [])
    used = sorted(places + heavy)
    for place in used:
        _check_numeric(file.schema_arrow.field(place))
    _check_sizes(file.metadata, stream)
    try:
        table = file.read(use_threads=False, columns=None if wanted.columns is None else [header[i] for i in used])
    except MemoryError as error:  # more often a damaged size than a large table
        raise ValueError(f"damaged, or too large for the memory: {error}") from error
    if table.num_columns != len(used):
        raise ValueError("two columns have the same name: no column can be chosen by name or number")
    for name, column in zip(table.column_names, table.columns, strict=True):
        if column.null_count and not wanted.drop_missing:
            raise MissingValueError(f"column {name!r} has {column.null_count} missing values")
    if not table.num_columns or not table.num_rows:
        raise ValueError("holds no points")
    columns = {place: _as_floats(column) for place, column in zip(used, table.columns, strict=True)}
    kept = None
    if wanted.drop_missing:
        misses = np.zeros(table.num_rows, dtype=np.bool_)
        for column in columns.values():
            misses |= np.isnan(column)
        kept = rows_left(misses)
        columns = {place: column[kept] for place, column in columns.items()}
        for place, column in columns.items():
            check_finite_rows(column, kept, f"column {header[place]!r}")
    return _as_table(columns, places, heavy, header, kept, table.num_rows)


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
        raise ValueError(f"column {column.name!r} is not numeric: {column.type}")


# While a table is read there are three copies of it: Arrow's, its columns as float64, and all of them together.
_BYTES_OF_VALUE = 3 * 8


def _check_sizes(declared: Any, stream: IO[bytes]) -> None:
    """Raise before anything is expanded where a table does not fit into memory, or its sizes are not believable."""
    groups = [declared.row_group(i) for i in range(declared.num_row_groups)]
    if sum(group.num_rows for group in groups) != declared.num_rows:
        raise ValueError(f"damaged: {declared.num_rows:,} rows are declared, and its parts have another number of them")
    needed = _BYTES_OF_VALUE * declared.num_rows * declared.num_columns
    needed = max(needed, sum(group.total_byte_size for group in groups))
    subject = f"its {declared.num_rows:,} rows of {declared.num_columns:,} columns need"
    check_file_fits(needed, subject)
    check_expansion(
        needed, stream, subject, "nearly all rows are equal; write each of them once, with a column of weights"
    )


def _chosen(header: Sequence[str], width: int, wanted: Selection) -> tuple[list[int], list[int]]:
    """Which columns are coordinates, in their order, and which one has the weights, if there is one."""
    heavy = [column for column, name in enumerate(header) if name.lower() in WEIGHT_NAMES]
    if len(heavy) > 1:
        raise ValueError(f"has {len(heavy)} columns of weights; one is allowed")
    if wanted.columns is None:
        for column, name in enumerate(header):
            if not name or name.startswith("__index_level_"):
                raise ValueError(
                    f"column {column + 1} looks like an index, not a coordinate: write the table without it"
                )
        places = [column for column in range(width) if column not in heavy]
    else:
        places = wanted.places(header, width)
        if set(heavy) & set(places):
            raise ValueError(
                f"column {header[heavy[0]]!r} holds the weights, so it cannot be a coordinate; if it "
                "is one, rename it in the file"
            )
    if not places:
        raise ValueError("has weights but no coordinates")
    return places, heavy


def _as_table(
    columns: dict[int, Array],
    places: list[int],
    heavy: list[int],
    header: Sequence[str],
    kept: npt.NDArray[np.int64] | None,
    size: int,
) -> Table:
    """Points and weights by the numbers of the columns."""
    points = np.column_stack([columns[place] for place in places])
    measure = Measure(points, columns[heavy[0]] if heavy else None)
    names = tuple(header[place] for place in places) if header else None
    return Table(measure, names, kept, size, header[heavy[0]] if heavy else None)
