"""Which columns of a table are coordinates, and whether rows with missing values are left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rpw.io.spelled import MISSING

__all__ = ["EVERYTHING", "Column", "MissingValueError", "Selection", "check_finite_rows", "is_missing", "rows_left"]


class MissingValueError(ValueError):
    """A value is missing: a `Selection` could leave out its row."""


class Column(NamedTuple):
    """A column by its name, a column by its number, from 0, or a range of them.

    With ``number`` alone it is a number that was written without quotation marks, and may also be meant as a name.
    With ``last`` it is the range from ``number`` to ``last``, both included, which goes by place only.
    """

    name: str
    number: int | None = None
    last: int | None = None


@dataclass(frozen=True)
class Selection:
    """What is read of a table or of an array of points."""

    columns: tuple[Column, ...] | None = None  # None: all
    drop_missing: bool = False

    @property
    def has_names(self) -> bool:
        """Whether a column can be found by its name alone."""
        return self.columns is not None and any(column.number is None for column in self.columns)

    def places(self, header: Sequence[str], width: int) -> list[int]:
        """The numbers of the chosen columns, in the order in which they were chosen."""
        if self.columns is None:
            return list(range(width))
        found: dict[int, None] = {}  # a set that keeps the order
        for column in self.columns:
            for place in _places(column, header, width):
                if place in found:
                    shown = column.name if column.last is None else str(place + 1)
                    raise ValueError(f"column {shown!r} is chosen twice")
                found[place] = None
        return list(found)


EVERYTHING = Selection()


def _places(column: Column, header: Sequence[str], width: int) -> Sequence[int]:
    if column.number is None:
        return [_place_of_name(column.name, header)]
    if column.last is not None:
        if column.last < width:
            return range(column.number, column.last + 1)
        raise ValueError(f"has no column {column.last + 1}: it has only {width}, counted from 1")
    named = [place for place, name in enumerate(header) if name == column.name]
    if column.number < width:
        if any(place != column.number for place in named):
            raise ValueError(_two_meanings(column.number, named, header))
        return [column.number]
    if named:
        return [_place_of_name(column.name, header)]
    raise ValueError(f"has no column {column.number + 1}: it has only {width}, counted from 1")


def _two_meanings(number: int, named: Sequence[int], header: Sequence[str]) -> str:
    """What to say of a number that is the place of one column and the name of another."""
    shown = number + 1
    other = next(place for place in named if place != number)
    return (
        f"{shown} could be column {shown}, which is named {header[number]!r}, or the column named '{shown}', which is "
        f"column {other + 1}: write {shown}-{shown} for the first, or the name in quotation marks, '\"{shown}\"', for "
        "the second"
    )


def _place_of_name(name: str, header: Sequence[str]) -> int:
    for names, wanted in ((list(header), name), ([each.casefold() for each in header], name.casefold())):
        if names.count(wanted) == 1:
            return names.index(wanted)
        if names.count(wanted) > 1:
            raise ValueError(f"has {names.count(wanted)} columns named {wanted!r}: choose them by number")
    if not header:
        raise ValueError(f"has no column {name!r}: its columns have no names, so choose them by number, from 1")
    raise ValueError(f"has no column {name!r}: its columns are {', '.join(header)}")


def is_missing(cell: str) -> bool:
    """Whether a cell of a text file says that there is no value."""
    return cell.strip().casefold() in MISSING


def rows_left(misses: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """The numbers of the rows in which nothing is missing; raises if there are none."""
    kept = np.flatnonzero(~misses)
    if len(kept) == 0:
        raise ValueError("every row has a missing value, so no point is left")
    return kept


def check_finite_rows(values: npt.NDArray[Any], kept: npt.NDArray[np.int64], column: str) -> None:
    """Raise if an entry of a column is infinite; ``kept`` has the numbers of its rows in the file."""
    infinite = np.flatnonzero(np.isinf(values))
    if len(infinite):
        first = int(infinite[0])
        raise ValueError(f"row {kept[first]}, counted from 0, {column}: {values[first]} is not a finite number")
