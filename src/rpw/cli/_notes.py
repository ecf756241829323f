"""What is odd about the files, as rows of an answer; Δ of everything; and two files that fit together."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import rpw
from rpw.base.advice import about_diameter
from rpw.cli._print import Rows, counted
from rpw.io.readers import Collection, describe_image, select_pair
from rpw.io.selection import Selection
from rpw.io.tables import Table
from rpw.many.diameter import all_clouds
from rpw.measure import CollectionLike
from rpw.pair.metrics import as_metric
from rpw.pair.problem import as_problem

__all__ = [
    "diameter_note", "diameter_of", "dropped_of", "images_note", "joined", "note_rows", "notes_of_tables", "read_pair",
    "skipped_of", "units_note",
]  # fmt: skip


def read_pair(a: Path, b: Path, wanted: Selection) -> tuple[Table, Table]:
    """The points of two files that fit together."""
    one, other = select_pair(a, b, wanted)
    x, y = one.measure, other.measure
    if x.dimension != y.dimension:
        text = f"the points of {a} have {x.dimension} coordinates, those of {b} have {y.dimension}"
        kinds = [kind for kind in (describe_image(a), describe_image(b)) if kind is not None]
        raise ValueError(f"{text}: {' and '.join(kinds)}" if len(kinds) == 2 else text)
    return one, other


def notes_of_tables(a: Path, one: Table, b: Path, other: Table) -> Rows:
    """Which columns of two tables were taken for weights, and how many rows were left out."""
    tables = (a, one), (b, other)
    heavy = [f"column {each.weighed_by!r} of {path}" for path, each in tables if each.weighed_by]
    missing = [f"{each.dropped:,} of {path}" for path, each in tables if each.dropped]
    rows = [("weights", ", ".join(heavy))] if heavy else []
    return [*rows, ("left out", f"rows with missing values: {', '.join(missing)}")] if missing else rows


def dropped_of(*collections: Collection | None) -> Rows:
    """How many rows of collections were left out."""
    count = sum(each.dropped for each in collections if each is not None)
    return [("left out", f"{counted(count, 'row')} with missing values")] if count else []


def skipped_of(*collections: Collection | None) -> Rows:
    """Which files of folders were passed over."""
    names = [name for each in collections if each is not None for name in each.skipped]
    return [("passed over", f"{counted(len(names), 'file')} of unknown kind, such as {names[0]}")] if names else []


def images_note(a: Path, b: Path) -> str | None:
    """A hint if two images do not have the same size."""
    first, second = describe_image(a), describe_image(b)
    if first is None or second is None or first == second:
        return None
    return f"{first} and {second}: images of different sizes lie in different spaces, so compare with care"


def diameter_of(A: CollectionLike, B: CollectionLike | None, metric: str, quantile: float | None) -> float:
    """Δ of everything in the collections, which must be positive."""
    span = rpw.diameter(A, B, metric=metric, quantile=1.0 if quantile is None else quantile)
    if span > 0:
        return span
    points = "all points are equal" if quantile in (None, 1) else "all points that --quantile counts are equal"
    raise ValueError(f"--diameter auto must be positive, and here it is 0: {points}; pass a number")


def diameter_note(
    given: object, k: float | list[float], A: CollectionLike, B: CollectionLike | None, metric: str, looks_near: bool
) -> str | None:
    """A hint if the diameter was left out, matters and hardly fits, by the rules by which Python warns."""
    costs = [float(each) for each in np.atleast_1d(k)]
    if given is not None or max(costs) == 0:
        return None
    points = np.concatenate(all_clouds(A, B))
    way_out = "rpw diameter FILE... --quantile 0.9 computes one for --diameter"
    return about_diameter(as_metric(metric).extent(points, points), *(costs if looks_near else []), way_out=way_out)


def units_note(x: rpw.Measure, y: rpw.Measure, k: float, metric: str, *way_out: str) -> str | None:
    """The words of Python's warning that one column makes up nearly all of the distances, if it does."""
    return as_problem(x, y, None, None, metric=metric).about_units(*way_out) if k > 0 else None


def note_rows(*notes: str | None) -> Rows:
    """Hints as rows of a table; None is no hint."""
    return [("note", note) for note in notes if note is not None]


def joined(*notes: str | None) -> str | None:
    """Hints as one text, for JSON; None is no hint."""
    return "; ".join(note for note in notes if note is not None) or None
