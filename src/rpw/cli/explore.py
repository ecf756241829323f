"""``rpw explore A B``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import rpw
from rpw.cli._command import command, usage
from rpw.cli._files import PAGES, check_target
from rpw.cli._notes import note_rows, notes_of_tables, read_pair, units_note
from rpw.cli._options import COMMON, file
from rpw.cli._print import Answer
from rpw.explore import write_page
from rpw.explore.document import METRICS
from rpw.io.selection import Selection
from rpw.pair.options import OPTIONS
from rpw.pair.question import as_question

__all__ = ["explore"]


@command(
    "Compare two files",
    "rpw explore a.csv b.csv",
    "rpw explore a.csv b.csv --k 0.5 --diameter 10 --out page.html",
    metric=replace(OPTIONS["metric"], choices=METRICS),
    diameter=replace(
        COMMON["diameter"], sentence="Δ, the unit of length.", otherwise="the largest distance between points"
    ),
    out=file("The page.", "FILE.html", otherwise="explore.html", heading=None),
)
def explore(
    a: Path, b: Path, p: float, k: float | None, metric: str, diameter: float | None, wanted: Selection,
    out: Path | None, as_json: bool,
) -> Answer:  # fmt: skip
    """Write a page on which you move points and watch RPW follow.

    The page is one HTML file. Open it in a browser: it needs no server and sends nothing. Points lie on a line or in
    the plane, at most 5,000 in each file.
    """
    target, k = out or Path("explore.html"), 1.0 if k is None else k
    check_target("--out", target, [a, b], PAGES)
    with usage():
        as_question(p=p, k=k, diameter=diameter)
    one, other = read_pair(a, b, wanted)
    x, y = one.measure, other.measure
    for path, cloud in ((a, x), (b, y)):
        _check(path, cloud)
    delta = diameter if diameter is not None else float(rpw.diameter(x, y, metric=metric)) or 1.0
    called = {"names": (a.name, b.name), "columns": one.columns or other.columns}
    write_page(target, x, y, p=p, k=k, diameter=delta, metric=metric, **called)
    facts = {"page": target, "p": p, "k": k, "metric": metric, "diameter": delta}
    facts |= {"a": {"path": a, "points": len(x)}, "b": {"path": b, "points": len(y)}}
    rows = [
        ("page", f"{target}: open it in a browser"),
        ("first", f"{a}: {x!r}"),
        ("second", f"{b}: {y!r}"),
        ("begins with", f"p={p:g}, k={k:g}, metric={metric}, diameter={delta:g}"),
        *notes_of_tables(a, one, b, other),
        *note_rows(units_note(x, y, k, metric, "press Scale the columns on the page")),
    ]
    return Answer(facts, [rows])


def _check(path: Path, cloud: rpw.Measure) -> None:
    """Raise if the page cannot draw a file, by its name."""
    most = rpw.explore.MOST_POINTS
    if cloud.dimension > 2:
        raise ValueError(f"{path}: its points have {cloud.dimension} coordinates, and the page draws one or two")
    if len(cloud) > most:
        raise ValueError(f"{path}: has {len(cloud):,} points, and the page takes {most:,} a side")
