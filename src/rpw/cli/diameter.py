"""``rpw diameter FILE...``."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

import rpw
from rpw.base.check import as_share
from rpw.base.usage import UsageError
from rpw.cli._options import (
    DISTANCE,
    Json,
    Metric,
    as_metric,
    dropped_of,
    path,
    skipped_note,
    usage,
)
from rpw.cli._output import counted, print_json, print_lines, print_rows, seconds
from rpw.cli._tables import reads_tables
from rpw.io.readers import Collection, select_queries
from rpw.io.selection import EVERYTHING, Selection

__all__ = ["EXAMPLES", "diameter"]

EXAMPLES = (
    "rpw diameter a.csv b.csv",
    "rpw diameter folder --quantile 0.9",
    "# pass it on to another command",
    "rpw diameter a.csv b.csv --number",
    "rpw distance a.csv b.csv --diameter 0.769",
)

Files = Annotated[
    list[Path],
    typer.Argument(metavar="FILE", parser=path, help="Files and folders: all that you are going to compare."),
]
Quantile = Annotated[
    float,
    typer.Option(
        "--quantile",
        metavar="SHARE",
        help="The share of the points that count, in (0, 1]. 0.9 ignores the 10 % of points farthest from a central "
        "point.",
        rich_help_panel=DISTANCE,
    ),
]
Number = Annotated[bool, typer.Option("--number", help="Print the number with all its digits, and nothing else.")]


@reads_tables
def diameter(
    files: Files,
    quantile: Quantile = 1.0,
    metric: Metric = "euclidean",
    wanted: Selection = EVERYTHING,
    number: Number = False,
    as_json: Json = False,
) -> None:
    """One diameter Δ for all the files: the largest distance.

    Pass the number as --diameter to every command whose distances you want to compare.
    """
    metric = as_metric(metric)
    if number and as_json:
        raise UsageError("--number and --json: choose one of them")
    with usage():
        as_share(quantile, "quantile")
    collections = _read(files, wanted)
    start = time.perf_counter()
    found = rpw.diameter([cloud for each in collections for cloud in _clouds(each)], metric=metric, quantile=quantile)
    end = time.perf_counter()
    if number:
        print_lines([repr(float(found))])
        return
    points = sum(len(cloud) for each in collections for cloud in _clouds(each))
    if as_json:
        facts = {"diameter": float(found), "is_exact": found.is_exact, "lower": found.lower, "quantile": quantile}
        about = {"metric": metric, "files": files, "clouds": sum(map(len, collections)), "points": points}
        dropped = sum(each.dropped for each in collections)
        print_json({**facts, **about, "dropped": dropped, "seconds": end - start})
        return
    counting = "all points" if quantile == 1 else f"{quantile:.6g} of the points"
    bounds = "exact" if found.is_exact else f"an upper bound; at least {found.lower:.6g}"
    print_rows(
        [
            ("diameter", f"{float(found):.12g}"),
            ("proven", bounds),
            ("points", f"{points:,} in {counted(sum(map(len, collections)), 'cloud')}; {counting} count"),
            ("with", f"metric={metric}"),
            *skipped_note([name for each in collections for name in each.skipped]),
            *dropped_of(*collections),
            ("time", seconds(start, end)),
        ]
    )


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
