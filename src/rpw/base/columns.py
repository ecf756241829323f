"""The names of the columns of tables (of pandas, polars or Arrow), and the unit of images.

Numbers go by their place, so tables that are compared must name their columns alike and in one order. Names are never
used to put columns in order: a table that names them otherwise is refused. Images in different units are compared,
with a warning.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from rpw.base.warn import warn_caller

__all__ = ["Columns", "is_lazy", "names_of_coordinates"]

_MOST_LISTED = 12  # names in a message
_UNIT_ROUNDING = 1e-9  # relative
_WITHOUT_NAMES = {float, int, list, tuple, np.ndarray}  # themselves; items of a list may have some


class _Named(NamedTuple):
    owner: str  # what a message calls it
    names: tuple[str, ...]

    @property
    def is_numbered(self) -> bool:
        """Whether the columns got no names, but numbers (0, 1, 2, …): they may stand beside some with names."""
        return all(name.isdecimal() for name in self.names)

    def check_alike(self, other: _Named) -> None:
        """Raise for other names in the same number. (Another number is another dimension, which is refused as such.)"""
        if len(self.names) != len(other.names) or self.is_numbered != other.is_numbered or self.names == other.names:
            return
        text = f"{self.owner} has the columns {', '.join(self.names)}, and {other.owner} has {', '.join(other.names)}"
        if len(self.names) > _MOST_LISTED:
            pairs = enumerate(zip(self.names, other.names, strict=True))
            place, here, there = next((place, *pair) for place, pair in pairs if pair[0] != pair[1])
            text = f"{self.owner} has the column {here} at index {place}, and {other.owner} has {there} there"
        raise ValueError(
            f"{text}: tables must have the same columns in the same order; reorder or rename them, or pass arrays "
            "without names"
        )


@dataclass(frozen=True)
class Columns:
    """The names that the columns had so far; none where only arrays without names have come.

    Columns hold coordinates. Those of histograms hold places (``of_places``), and there a series (of pandas) is one
    histogram, whose labels name the places too.
    """

    of_places: bool = False
    _seen: tuple[_Named, ...] = ()
    _pixel: float | None = None  # how long a pixel was in the images so far

    @classmethod
    def stored(cls, owner: str, names: list[tuple[str, ...]], of_places: bool) -> Columns:
        """Those that `names` gave."""
        return cls(of_places, tuple(_Named(owner, each) for each in names))

    @property
    def names(self) -> list[tuple[str, ...]]:
        """Nothing, or the names; where some tables only number their columns, the numbers too."""
        return [each.names for each in self._seen]

    @property
    def best(self) -> tuple[str, ...]:
        """The names to show: those of a table that names its columns, rather than numbers; else nothing."""
        return next((each.names for each in self._seen if not each.is_numbered), ())

    def owned_by(self, owner: str) -> Columns:
        """The same, which messages say that ``owner`` has."""
        return replace(self, _seen=tuple(_Named(owner, names) for names in self.names))

    def shared_with(self, **arguments: Any) -> Columns:
        """Those of tables, or lists of tables, that come now as well; raises where they are named otherwise."""
        seen, pixels = [*self._seen], [] if self._pixel is None else [self._pixel]
        for owner, value in _each(arguments):
            named = _Named(owner, _names_of(value, self.of_places))
            for other in seen:
                named.check_alike(other)
            if named.names and named.names not in (other.names for other in seen):
                seen.append(named)
            if isinstance(pixel := getattr(value, "pixel", None), float):
                pixels.append(pixel)
        if pixels and max(pixels) - min(pixels) > _UNIT_ROUNDING * max(pixels):
            warn_caller(
                "these images have different sizes, and Measure.from_image has scaled each by its own "
                "diagonal: pass the same diagonal= for all of them, or resize the images to one size"
            )
        is_known = len(seen) == len(self._seen) and not pixels
        return self if is_known else Columns(self.of_places, tuple(seen), pixels[0] if pixels else None)


def _each(arguments: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in arguments.items():
        if type(value) not in _WITHOUT_NAMES:
            yield name, value
        if isinstance(value, (list, tuple)) and not _WITHOUT_NAMES.issuperset(map(type, value)):
            yield from ((f"{name}[{s}]", item) for s, item in enumerate(value))


def names_of_coordinates(points: Any) -> tuple[str, ...]:
    """The names of the columns of points that come as a table; none where they do not."""
    return _names_of(points, of_places=False)


def is_lazy(value: Any) -> bool:
    """Whether it is a LazyFrame (of polars or narwhals), a table that is still to be computed."""
    return type(value).__name__ == "LazyFrame" and hasattr(value, "collect")


def _names_of(value: Any, of_places: bool) -> tuple[str, ...]:
    """The names of a table's columns, or of the places of a series; none where it is neither."""
    if is_lazy(value):  # it would have to compute them
        return ()
    names = getattr(value, "column_names", getattr(value, "columns", None))
    is_series = names is None and of_places and getattr(value, "ndim", None) == 1
    names = getattr(value, "index", None) if is_series else names
    if callable(names) or not isinstance(names, Iterable):
        return ()
    names = tuple(names)
    if is_series and not all(isinstance(label, str) for label in names):  # numbers may be those of rows
        return ()
    return tuple(map(str, names))
