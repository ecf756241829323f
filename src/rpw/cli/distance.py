"""``rpw distance A B``."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

import rpw
from rpw.base.warn import told_once
from rpw.cli._options import (
    WRITING,
    DiameterOfPair,
    First,
    Json,
    K,
    Metric,
    P,
    Second,
    Solver,
    Tol,
    as_diameter_of_pair,
    as_metric,
    as_one_k,
    check_choice,
    check_question,
    diameter_note,
    images_note,
    joined,
    note_row,
    notes_of_tables,
    path,
    read_pair,
    units_note,
    usage,
)
from rpw.cli._output import counted, print_json, print_rows, seconds
from rpw.cli._progress import is_for_person
from rpw.cli._table_file import check_tables, sides, write_plan, write_table
from rpw.cli._tables import reads_tables
from rpw.io.selection import EVERYTHING, Selection
from rpw.io.tables import Table
from rpw.pair.question import SOLVERS, Question

__all__ = ["EXAMPLES", "distance"]

EXAMPLES = (
    "rpw distance a.csv b.csv",
    "rpw distance a.csv b.csv --k 0.3 --diameter 2.5",
    "rpw distance a.csv b.csv --columns x,y --drop-missing",
    "# what moves where, and what stays behind",
    "rpw distance a.csv b.csv --plan plan.csv",
    "rpw distance a.csv b.csv --unmatched points.csv",
    "# two images, to within 0.01",
    "rpw distance a.png b.png --tol 0.01",
)

TimeLimit = Annotated[
    float | None,
    typer.Option(
        "--time-limit", metavar="SECONDS", help="After this many seconds, print the bounds that are proven by then."
    ),
]
Plan = Annotated[
    Path | None,
    typer.Option(
        "--plan",
        metavar="FILE",
        parser=path,
        help="The transport plan: rows i, j, mass (.csv, .tsv, .parquet), or a sparse matrix of SciPy (.npz).",
        rich_help_panel=WRITING,
    ),
]
Unmatched = Annotated[
    Path | None,
    typer.Option(
        "--unmatched",
        metavar="FILE",
        parser=path,
        help="For each point its mass, how much of it stays behind, and whether that is more than half "
        "(.csv, .tsv, .parquet, .npz).",
        rich_help_panel=WRITING,
    ),
]


@reads_tables
def distance(
    a: First,
    b: Second,
    p: P = 2.0,
    k: K = None,
    metric: Metric = "euclidean",
    diameter: DiameterOfPair = None,
    tol: Tol = 0.0,
    solver: Solver = "auto",
    wanted: Selection = EVERYTHING,
    plan: Plan = None,
    unmatched: Unmatched = None,
    time_limit: TimeLimit = None,
    as_json: Json = False,
) -> None:
    """How far apart two files are: the RPW distance, with proven bounds.

    RPW is the smallest share of the mass to leave behind so that moving the rest costs at most k·Δ times that share. It
    lies between 0 and 1.
    """
    metric, given, price = as_metric(metric), as_diameter_of_pair(diameter), as_one_k(k)
    check_choice("--solver", solver, SOLVERS)
    with usage():
        check_question(p=p, k=price, diameter=given, tol=tol, solver=solver, time_limit=time_limit)
    targets = {"--plan": plan, "--unmatched": unmatched}
    check_tables(targets, [a, b])
    one, other = read_pair(a, b, wanted)
    x, y = one.measure, other.measure
    delta = 1.0 if given is None else given
    start = time.perf_counter()
    asked: Any = {"p": p, "k": price, "metric": metric, "diameter": delta, "tol": tol, "solver": solver}
    units = units_note(x, y, price, metric)
    with told_once({units or ""}):  # it is a row below
        result = rpw.solve(x, y, **asked, time_limit=time_limit, progress=is_for_person(as_json))
    end = time.perf_counter()
    _write(result, one, other, plan, unmatched)
    notes = (diameter_note(given, price, [x], [y], metric, looks_near=k is None), units, images_note(a, b))
    if as_json:
        parameters = {"p": p, "k": price, "metric": metric, "diameter": delta, "tol": tol}
        sizes = {"a": {"path": a, "points": len(x)}, "b": {"path": b, "points": len(y)}}
        files = {"dropped": one.dropped + other.dropped, "plan": plan, "unmatched": unmatched}
        more = {"note": joined(*notes), "seconds": end - start}
        print_json({**_facts(result), **parameters, **sizes, **files, **more})
        return
    judged_by = Question(p=p, k=price, diameter=delta).judged_by
    print_rows(
        [
            ("RPW distance", f"{result.distance:.12g}"),
            ("proven", f"[{result.lower:.12g}, {result.upper:.12g}] ({result.status})"),
            ("moved", f"{result.mass:.6g} of the mass at cost {result.cost:.6g}"),
            ("first", f"{a}: {x!r}"),
            ("second", f"{b}: {y!r}"),
            *notes_of_tables(a, one, b, other),
            ("with", f"p={p:g}, k={price:g}, metric={metric}, diameter={delta:g}"),
            ("solver", f"{result.solver}, {counted(result.iterations, 'iteration')}, {seconds(start, end)}"),
            *((option.lstrip("-"), str(target)) for option, target in targets.items() if target is not None),
            *note_row(*notes),
            ("is it large?", f"{judged_by(x.weights, y.weights, metric)}; rpw drift judges tables"),
        ]
    )


def _write(result: rpw.Result, one: Table, other: Table, plan: Path | None, unmatched: Path | None) -> None:
    """The files that were asked for."""
    if plan is not None:
        write_plan(plan, result.plan, one, other)
    if unmatched is not None:
        left = result.unmatched_a, result.unmatched_b
        outlier = result.outliers_a, result.outliers_b
        write_table(unmatched, sides(one, other, left_behind=left, outlier=outlier))


def _facts(result: rpw.Result) -> dict[str, Any]:
    names = ("distance", "lower", "upper", "mass", "cost", "status", "solver", "iterations")
    return {name: getattr(result, name) for name in names}
