"""``rpw distance A B``."""

from __future__ import annotations

import time
from typing import Annotated, Any

import typer

import rpw
from rpw.base.warn import told_once
from rpw.cli._options import (
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
    check_question,
    diameter_note,
    images_note,
    note_row,
    read_pair,
    units_note,
    usage,
)
from rpw.cli._output import counted, print_json, print_rows, seconds
from rpw.cli._progress import is_for_person
from rpw.pair.result import IS_IT_LARGE

__all__ = ["distance"]

TimeLimit = Annotated[float | None, typer.Option("--time-limit", help="Seconds; then the interval proven so far.")]


def distance(
    a: First,
    b: Second,
    p: P = 2.0,
    k: K = None,
    metric: Metric = "euclidean",
    diameter: DiameterOfPair = None,
    tol: Tol = 0.0,
    solver: Solver = "auto",
    time_limit: TimeLimit = None,
    as_json: Json = False,
) -> None:
    """The (p,k)-RPW distance between two measures, with proven bounds."""
    metric, given, price = as_metric(metric), as_diameter_of_pair(diameter), as_one_k(k)
    with usage():
        check_question(p=p, k=price, diameter=given, tol=tol, solver=solver, time_limit=time_limit)
    x, y = read_pair(a, b)
    delta = 1.0 if given is None else given
    start = time.perf_counter()
    asked: Any = {"p": p, "k": price, "metric": metric, "diameter": delta, "tol": tol, "solver": solver}
    units = units_note(x, y, price, metric)
    with told_once({units}):  # it is a row below
        result = rpw.solve(x, y, **asked, time_limit=time_limit, progress=is_for_person(as_json))
    end = time.perf_counter()
    notes = [note for note in (diameter_note(given, price, [x], [y], metric, looks_near=k is None), units) if note]
    if as_json:
        parameters = {"p": p, "k": price, "metric": metric, "diameter": delta, "tol": tol}
        sizes = {"a": {"path": a, "points": len(x)}, "b": {"path": b, "points": len(y)}}
        print_json({**_facts(result), **parameters, **sizes, "note": "; ".join(notes) or None, "seconds": end - start})
        return
    print_rows(
        [
            ("RPW distance", f"{result.distance:.12g}"),
            ("proven", f"[{result.lower:.12g}, {result.upper:.12g}] ({result.status})"),
            ("moved", f"{result.mass:.6g} of the mass at cost {result.cost:.6g}"),
            ("first", f"{a}: {x!r}"),
            ("second", f"{b}: {y!r}"),
            ("with", f"p={p:g}, k={price:g}, metric={metric}, diameter={delta:g}"),
            ("solver", f"{result.solver}, {counted(result.iterations, 'iteration')}, {seconds(start, end)}"),
            *(row for note in notes for row in note_row(note)),
            *images_note(a, b),
            ("is it large?", IS_IT_LARGE),
        ]
    )


def _facts(result: rpw.Result) -> dict[str, Any]:
    names = ("distance", "lower", "upper", "mass", "cost", "status", "solver", "iterations")
    return {name: getattr(result, name) for name in names}
