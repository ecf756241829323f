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
        return {place for column in self.excluded for place in _places(column, header, width)}

    def places(self, header: Sequence[str], width: int) -> list[int]:
        """The numbers of the chosen columns, in the order in which they were chosen."""
        excluded = self.left_out(header, width)
        if self.columns is None:
            return [place for place in range(width) if place not in excluded]
        found: dict[int, None] = {}  # a set that keeps the order
        for column in self.columns:
            for place in _places(column, header, width):
                if place in found:
                    shown = column.name if column.last is None else str(place + 1)
                    raise ValueError(f"column {shown!r} is chosen twice")
                found[place] = None
        return [place for place in found if place not in excluded]


EVERYTHING = Selection()


def _places(column: Column, header: Sequence[str], width: int) -> Sequence[int]:
    """The place of a column, or those of a range."""
    name, number = column.name, column.number
    named = [] if column.last is not None else [place for place, each in enumerate(header) if each == name]
    if number is not None and not set(named) - {number}:
        last = number if column.last is None else column.last
        if last >= width:
            raise ValueError(f"has no column {last + 1}: it has only {width}, counted from 1")
        return range(number, last + 1)
    if number is not None and number < width:
        raise ValueError(
            f"{name} could be column {name}, which is named {header[number]!r}, or the column named '{name}', which "
            f"is column {named[0] + 1}: write {name}-{name} for the first, or the name in quotation marks, "
            f"'\"{name}\"', for the second"
        )
    named = named or [place for place, each in enumerate(header) if each.casefold() == name.casefold()]
    if len(named) > 1:
        raise ValueError(f"has {len(named)} columns named {name!r}: choose them by number")
    if not header:
        raise ValueError(f"has no column {name!r}: its columns have no names, so choose them by number, from 1")
    if not named:
        raise ValueError(f"has no column {name!r}: its columns are {', '.join(header)}")
    return named
