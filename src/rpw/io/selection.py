"""Which columns of a table are coordinates, how its text is read, and whether rows with missing values are left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rpw.io.delimited import ANY_TEXT, TextRules

__all__ = [
    "EVERYTHING",
    "Column",
    "MissingValueError",
    "NoNumberError",
    "Selection",
]


class MissingValueError(ValueError):
    """A value is missing: a `Selection` could leave out its row."""


class NoNumberError(ValueError):
    """An entry is no number: a `Selection` could leave out its column."""


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
    excluded: tuple[Column, ...] = ()
    drop_missing: bool = False
    text: TextRules = ANY_TEXT

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left out."""
        return self.columns is None and not self.excluded and not self.drop_missing

    @property
    def chooses(self) -> bool:
        """Whether there may be columns that are not read."""
        return self.columns is not None or bool(self.excluded)

    @property
    def has_names(self) -> bool:
        """Whether a column can be found by its name alone."""
        return any(column.number is None for column in (*(self.columns or ()), *self.excluded))

    def left_out(self, header: Sequence[str], width: int) -> set[int]:
        """The numbers of the columns to leave out."""
        names = _Names(header, width)
        return {place for column in self.excluded for place in names.places(column)}

    def places(self, header: Sequence[str], width: int) -> list[int]:
        """The numbers of the chosen columns, in the order in which they were chosen."""
        names, excluded = _Names(header, width), self.left_out(header, width)
        if self.columns is None:
            return [place for place in range(width) if place not in excluded]
        found: dict[int, None] = {}  # a set that keeps the order
        for column in self.columns:
            for place in names.places(column):
                if place in found:
                    shown = column.name if column.last is None else str(place + 1)
                    raise ValueError(f"column {shown!r} is chosen twice")
                found[place] = None
        return [place for place in found if place not in excluded]


EVERYTHING = Selection()


class _Names:
    """Finds the columns of one table."""

    def __init__(self, header: Sequence[str], width: int) -> None:
        self.header, self.width = header, width
        self._exact = _places_by_name(header)
        self._folded = _places_by_name([name.casefold() for name in header])

    def places(self, column: Column) -> Sequence[int]:
        """The place of a column, or those of a range."""
        if column.number is None:
            return [self._named(column.name)]
        if column.last is not None:
            if column.last < self.width:
                return range(column.number, column.last + 1)
            raise ValueError(self._too_few(column.last))
        named = self._exact.get(column.name, [])
        if column.number < self.width:
            if any(place != column.number for place in named):
                raise ValueError(_two_meanings(column.number, named, self.header))
            return [column.number]
        if named:
            return [self._named(column.name)]
        raise ValueError(self._too_few(column.number))

    def _too_few(self, number: int) -> str:
        return f"has no column {number + 1}: it has only {self.width}, counted from 1"

    def _named(self, name: str) -> int:
        for places in (self._exact.get(name, []), self._folded.get(name.casefold(), [])):
            if len(places) == 1:
                return places[0]
            if len(places) > 1:
                raise ValueError(f"has {len(places)} columns named {name!r}: choose them by number")
        if not self.header:
            raise ValueError(f"has no column {name!r}: its columns have no names, so choose them by number, from 1")
        raise ValueError(f"has no column {name!r}: its columns are {', '.join(self.header)}")


def _places_by_name(names: Sequence[str]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        found.setdefault(name, []).append(place)
    return found


def _two_meanings(number: int, named: Sequence[int], header: Sequence[str]) -> str:
    """What to say of a number that is the place of one column and the name of another."""
    shown = number + 1
    other = next(place for place in named if place != number)
    return (
        f"{shown} could be column {shown}, which is named {header[number]!r}, or the column named '{shown}', which is "
        f"column {other + 1}: write {shown}-{shown} for the first, or the name in quotation marks, '\"{shown}\"', for "
        "the second"
    )
