"""The names of the columns of tables (of pandas, polars or Arrow).

Numbers go by their place, so tables that are compared must name their columns alike and in one order. Names are never
used to put columns in order: a table that names them otherwise is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

__all__ = ["Columns", "names_of_coordinates"]

_MOST_LISTED = 12  # names in a message
_WITHOUT_NAMES = {float, int, list, tuple, np.ndarray}  # themselves; items of a list may have some


class _Named(NamedTuple):
    owner: str  # what a message calls it
    names: tuple[str, ...]


@dataclass(frozen=True)
class Columns:
    """The names that the columns had so far; none where only arrays without names have come.

    Columns hold coordinates. Those of histograms hold places (``of_places``), and there a series (of pandas) is one
    histogram, whose labels name the places too.
    """

    of_places: bool = False
    _seen: tuple[_Named, ...] = ()

    @classmethod
    def stored(cls, owner: str, names: list[tuple[str, ...]], of_places: bool) -> Columns:
        """Those that `names` gave."""
        return cls(of_places, tuple(_Named(owner, each) for each in names))

    @property
    def names(self) -> list[tuple[str, ...]]:
        """Nothing, or the names; where some tables only number their columns, the numbers too."""
        return [each.names for each in self._seen]

    def shared_with(self, **arguments: Any) -> Columns:
        """Those of tables, or lists of tables, that come now as well; raises where they are named otherwise."""
        seen = list(self._seen)
        for owner, value in _each(arguments):
            named = _Named(owner, _names_of(value, self.of_places))
            _check_alike(named, seen)
            if named.names and all(named.names != other.names for other in seen):
                seen.append(named)
        return self if len(seen) == len(self._seen) else Columns(self.of_places, tuple(seen))

    def owned_by(self, owner: str) -> Columns:
        """The same, which messages say that ``owner`` has."""
        return Columns.stored(owner, self.names, self.of_places)


def _each(arguments: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in arguments.items():
        if type(value) not in _WITHOUT_NAMES:
            yield name, value
        if isinstance(value, (list, tuple)) and not _WITHOUT_NAMES.issuperset(map(type, value)):
            yield from ((f"{name}[{s}]", item) for s, item in enumerate(value))


def _check_alike(one: _Named, others: list[_Named]) -> None:
    """Raise for other names in the same number. (Another number is another dimension, which is refused as such.)"""
    for other in others:
        is_comparable = len(one.names) == len(other.names) and _are_numbered(one) == _are_numbered(other)
        if is_comparable and one.names != other.names:
            raise ValueError(
                f"{_difference(one, other)}: put them into one order and give them the same names, or pass arrays "
                "without names"
            )


def _difference(one: _Named, other: _Named) -> str:
    if len(one.names) <= _MOST_LISTED:
        return f"{one.owner} has the columns {', '.join(one.names)}, and {other.owner} has {', '.join(other.names)}"
    pairs = zip(one.names, other.names, strict=True)
    place, (here, there) = next((place, pair) for place, pair in enumerate(pairs) if pair[0] != pair[1])
    return f"{one.owner} has the column {here} at index {place}, and {other.owner} has {there} there"


def _are_numbered(columns: _Named) -> bool:
    """Whether a table got no names, but numbers (0, 1, 2, …): it may stand beside one with names."""
    return all(name.isdecimal() for name in columns.names)


def names_of_coordinates(points: Any) -> tuple[str, ...]:
    """The names of the columns of points that come as a table; none where they do not."""
    return _names_of(points, of_places=False)


def _names_of(value: Any, of_places: bool) -> tuple[str, ...]:
    """The names of a table's columns, or of the places of a series; none where it is neither."""
    names = getattr(value, "column_names", getattr(value, "columns", None))
    if names is None and of_places and getattr(value, "ndim", None) == 1:
        return _texts_in(getattr(value, "index", None))
    return () if callable(names) or not isinstance(names, Iterable) else tuple(str(name) for name in names)


def _texts_in(labels: Any) -> tuple[str, ...]:
    """The labels of a series, if they are names: numbers may be those of rows, and say nothing about places."""
    listed = () if callable(labels) or not isinstance(labels, Iterable) else tuple(labels)
    return listed if all(isinstance(label, str) for label in listed) else ()
