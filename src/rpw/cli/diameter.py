"""``rpw diameter FILE...``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import rpw
from rpw.cli._command import command
from rpw.cli._notes import dropped_of, skipped_of
from rpw.cli._options import argument
from rpw.cli._print import Answer, counted
from rpw.io.readers import Collection, select_queries
from rpw.io.selection import Selection
from rpw.pair.options import Option

__all__ = ["diameter"]


@command(
    "Compare many",
    "rpw diameter a.csv b.csv",
    "rpw diameter folder --quantile 0.9",
    "rpw diameter a.csv b.csv --number",
    "rpw distance a.csv b.csv --diameter 0.769",
    files=argument("FILE", "Files and folders: all that you are going to compare.", list[Path]),
    number=Option(
        "Print the number with all its digits, and nothing else.", bool, None, default=False, excludes=("as_json",)
    ),
)
def diameter(files: list[Path], quantile: float, metric: str, wanted: Selection, number: bool, as_json: bool) -> Answer:
    """One diameter Δ for all the files: the largest distance.

    Pass the number as --diameter to every command whose distances you want to compare.
    """
    collections = _read(files, wanted)
    clouds = [cloud for each in collections for cloud in _clouds(each)]
    found = rpw.diameter(clouds, metric=metric, quantile=quantile)
    points, count = sum(map(len, clouds)), sum(map(len, collections))
    facts: dict[str, Any] = {
        "diameter": float(found),
        "is_exact": found.is_exact,
        "lower": found.lower,
        "quantile": quantile,
    }
    facts |= {"metric": metric, "files": files, "clouds": count, "points": points}
    facts["dropped"] = sum(each.dropped for each in collections)
    if number:
        return Answer(facts, [repr(float(found))])
    counting = "all points" if quantile == 1 else f"{quantile:.6g} of the points"
    rows = [
        ("diameter", f"{float(found):.12g}"),
        ("proven", "exact" if found.is_exact else f"an upper bound; at least {found.lower:.6g}"),
        ("points", f"{points:,} in {counted(count, 'cloud')}; {counting} count"),
        ("with", f"metric={metric}"),
        *skipped_of(*collections),
        *dropped_of(*collections),
    ]
    return Answer(facts, [rows])


def _read(files: list[Path], wanted: Selection) -> list[Collection]:
    """What the files hold, with their columns in the order of the first."""
    collections: list[Collection] = []
    for file in files:
        each = select_queries(file, wanted)
        if collections:
            first = collections[0]
            each.check_beside(first.kind, str(files[0]))
            each = each.matched_to(first.columns, str(files[0]))
            here, there = (_clouds(one)[0].shape[1] for one in (each, first))
            if here != there:
                raise ValueError(f"{file}: its points have {here} coordinates, those of {files[0]} have {there}")
        collections.append(each)
    return collections


def _clouds(collection: Collection) -> list[np.ndarray]:
    """The points of a collection; of histograms, the places that they share."""
    if collection.support is not None:
        return [collection.support]
    return [measure.points for measure in collection.as_measures()]
