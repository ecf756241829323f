"""``rpw distance A B``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import rpw
from rpw.base.warn import told_once
from rpw.cli._command import command, usage
from rpw.cli._files import TABLES, check_target, sides, write_plan, write_table
from rpw.cli._notes import diameter_note, images_note, joined, note_rows, notes_of_tables, read_pair, units_note
from rpw.cli._options import file
from rpw.cli._print import Answer, counted, is_for_person
from rpw.io.selection import Selection
from rpw.pair.options import OPTIONS
from rpw.pair.question import as_question

__all__ = ["distance"]

_FACTS = ("distance", "lower", "upper", "mass", "cost", "status", "solver", "iterations")


@command(
    "Compare two files",
    "rpw distance a.csv b.csv",
    "rpw distance a.csv b.csv --k 0.3 --diameter 2.5",
    "rpw distance a.csv b.csv --columns x,y --drop-missing",
    "rpw distance a.csv b.csv --plan plan.csv",
    "rpw distance a.csv b.csv --unmatched points.csv",
    "rpw distance a.png b.png --tol 0.01",
    plan=file("The transport plan: rows i, j, mass (.csv, .tsv, .parquet), or a sparse matrix of SciPy (.npz)."),
    unmatched=file(
        "For each point its mass, how much of it stays behind, and whether that is more than half (.csv, .tsv, "
        ".parquet, .npz)."
    ),
    time_limit=replace(
        OPTIONS["time_limit"], sentence="After this many seconds, print the bounds that are proven by then."
    ),
)
def distance(
    a: Path, b: Path, p: float, k: float | None, metric: str, diameter: float | None, tol: float, solver: str,
    wanted: Selection, plan: Path | None, unmatched: Path | None, time_limit: float | None, as_json: bool,
) -> Answer:  # fmt: skip
    """How far apart two files are: the RPW distance, with proven bounds.

    RPW is the smallest share of the mass to leave behind so that moving the rest costs at most k·Δ times that share. It
    lies between 0 and 1.
    """
    asked: dict[str, Any] = {"p": p, "k": 1.0 if k is None else k, "diameter": 1.0 if diameter is None else diameter}
    with usage():
        question = as_question(**asked, tol=tol, solver=solver)
    targets = {"plan": plan, "unmatched": unmatched}
    for name, target in targets.items():
        check_target(f"--{name}", target, [a, b], TABLES)
    if plan is not None and unmatched is not None and plan.resolve() == unmatched.resolve():
        with usage():
            raise ValueError(f"--plan {plan}: --unmatched writes to the same file")
    one, other = read_pair(a, b, wanted)
    x, y = one.measure, other.measure
    asked |= {"metric": metric, "tol": tol}
    units = units_note(x, y, question.k, metric)
    with told_once({units or ""}):  # it is a row below
        result = rpw.solve(x, y, **asked, solver=solver, time_limit=time_limit, progress=is_for_person(as_json))
    if plan is not None:
        write_plan(plan, result.plan, one, other)
    if unmatched is not None:
        left = result.unmatched_a, result.unmatched_b
        outlier = result.outliers_a, result.outliers_b
        write_table(unmatched, sides(one, other, left_behind=left, outlier=outlier))
    notes = (diameter_note(diameter, question.k, [x], [y], metric, looks_near=k is None), units, images_note(a, b))
    sizes = {"a": {"path": a, "points": len(x)}, "b": {"path": b, "points": len(y)}}
    facts = {**{name: getattr(result, name) for name in _FACTS}, **asked, **sizes, **targets}
    facts |= {"dropped": one.dropped + other.dropped, "note": joined(*notes)}
    rows = [
        ("RPW distance", f"{result.distance:.12g}"),
        ("proven", f"[{result.lower:.12g}, {result.upper:.12g}] ({result.status})"),
        ("moved", f"{result.mass:.6g} of the mass at cost {result.cost:.6g}"),
        ("first", f"{a}: {x!r}"),
        ("second", f"{b}: {y!r}"),
        *notes_of_tables(a, one, b, other),
        ("with", f"p={p:g}, k={question.k:g}, metric={metric}, diameter={question.diameter:g}"),
        ("solver", f"{result.solver}, {counted(result.iterations, 'iteration')}"),
        *((name, str(target)) for name, target in targets.items() if target is not None),
        *note_rows(*notes),
        ("is it large?", f"{question.judged_by(x.weights, y.weights, metric)}; rpw drift judges tables"),
    ]
    return Answer(facts, [rows])
