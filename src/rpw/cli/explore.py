"""``rpw explore A B``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import rpw
from rpw.cli._options import (
    DISTANCE,
    First,
    Json,
    K,
    P,
    Second,
    as_diameter_of_pair,
    as_one_k,
    check_choice,
    check_question,
    note_row,
    notes_of_tables,
    one_of,
    path,
    read_pair,
    units_note,
    usage,
)
from rpw.cli._output import print_json, print_rows
from rpw.cli._tables import reads_tables
from rpw.cli._targets import check_not_read
from rpw.explore import write_page
from rpw.explore.document import METRICS, check_suffix
from rpw.io.selection import EVERYTHING, Selection

__all__ = ["EXAMPLES", "explore"]

EXAMPLES = (
    "rpw explore a.csv b.csv",
    "rpw explore a.csv b.csv --k 0.5 --diameter 10 --out page.html",
)

Out = Annotated[
    Path | None,
    typer.Option("--out", metavar="FILE.html", parser=path, help="The page.", show_default="explore.html"),
]
Metric = Annotated[str, one_of("--metric", METRICS, "Distance between two points.", DISTANCE)]
Diameter = Annotated[
    str | None,
    typer.Option(
        "--diameter",
        metavar="NUMBER",
        help="Δ, the unit of length.",
        show_default="the largest distance between points",
        rich_help_panel=DISTANCE,
    ),
]


@reads_tables
def explore(
    a: First,
    b: Second,
    p: P = 2.0,
    k: K = None,
    metric: Metric = "euclidean",
    diameter: Diameter = None,
    wanted: Selection = EVERYTHING,
    out: Out = None,
    as_json: Json = False,
) -> None:
    """Write a page on which you move points and watch RPW follow.

    The page is one HTML file. Open it in a browser: it needs no server and sends nothing. Points lie on a line or in
    the plane, at most 5,000 in each file.
    """
    target, price, given = out or Path("explore.html"), as_one_k(k), as_diameter_of_pair(diameter)
    with usage():
        check_suffix(target, "--out")
    check_choice("--metric", metric, METRICS)
    check_not_read("--out", target, [a, b])
    with usage():
        check_question(p=p, k=price, diameter=given)
    one, other = read_pair(a, b, wanted)
    x, y = one.measure, other.measure
    for file, cloud in ((a, x), (b, y)):
        _check(file, cloud)
    delta = given if given is not None else float(rpw.diameter(x, y, metric=metric)) or 1.0
    called = {"names": (a.name, b.name), "columns": one.columns or other.columns}
    write_page(target, x, y, p=p, k=price, diameter=delta, metric=metric, **called)
    units = units_note(x, y, price, metric, "press Scale the columns on the page")
    if as_json:
        sizes = {"a": {"path": a, "points": len(x)}, "b": {"path": b, "points": len(y)}}
        print_json({"page": target, "p": p, "k": price, "metric": metric, "diameter": delta, **sizes})
        return
    print_rows(
        [
            ("page", f"{target}: open it in a browser"),
            ("first", f"{a}: {x!r}"),
            ("second", f"{b}: {y!r}"),
            ("begins with", f"p={p:g}, k={price:g}, metric={metric}, diameter={delta:g}"),
            *notes_of_tables(a, one, b, other),
            *note_row(units),
        ]
    )


def _check(file: Path, cloud: rpw.Measure) -> None:
    """Raise if the page cannot draw a file, by its name."""
    most = rpw.explore.MOST_POINTS
    if cloud.dimension > 2:
        raise ValueError(f"{file}: its points have {cloud.dimension} coordinates, and the page draws one or two")
    if len(cloud) > most:
        raise ValueError(f"{file}: has {len(cloud):,} points, and the page takes {most:,} a side")
