"""``rpw pairwise DIR|FILE --out D.zarr`` (or ``D.csv``, ``D.tsv``, ``D.npy``, ``D.npz``)."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

import rpw
from rpw.base.usage import UsageError
from rpw.cli._matrix_file import check_out, is_file_format, write_matrix
from rpw.cli._options import (
    DISTANCE,
    Device,
    Diameter,
    Json,
    Many,
    Metric,
    NThreads,
    Quantile,
    TimeLimit,
    as_diameter,
    as_metric,
    as_several_k,
    check_choice,
    check_device_name,
    check_question,
    diameter_note,
    diameter_of,
    dropped_of,
    note_row,
    one_of,
    path,
    skipped_note,
    usage,
)
from rpw.cli._output import counted, print_json, print_rows, seconds
from rpw.cli._progress import bar, counting
from rpw.cli._tables import reads_tables
from rpw.io.readers import Collection, select_collection
from rpw.io.selection import EVERYTHING, Selection
from rpw.many.store.tile_store import complete_shape, write_names
from rpw.pair.question import DEFAULTS, DISTANCES, SOLVERS

__all__ = ["EXAMPLES", "pairwise"]

EXAMPLES = (
    "rpw pairwise folder --out matrix.csv --diameter auto",
    "# gross outliers do not count for the diameter",
    "rpw pairwise folder --out m.npz --diameter auto --quantile 0.9",
    "# long runs: the same command again resumes",
    "rpw pairwise folder --out matrix.zarr --diameter 2.5",
    "# between two collections; to within 0.01",
    "rpw pairwise folder --b other --out between.csv --tol 0.01",
    "# a matrix for each k",
    "rpw pairwise folder --out stack.npz --k 0.1,1,10",
)

_ROWS_AT_ONCE = 256
_ON_ERROR = ("raise", "nan")
_LINES = 16  # for as many k, so that everything stays on one screen
# Which distances take tol and solver, beside what they are called with.
_EFFORT = {
    "rpw": ("tol", "solver"),
    "wasserstein": ("solver",),
    "partial_wasserstein": ("solver",),
    "robot": ("solver",),
}

Out = Annotated[
    Path,
    typer.Option(
        "--out",
        metavar="FILE",
        parser=path,
        help="The matrix: .csv, .tsv, .npy, .npz, or a Zarr store (.zarr, or no ending), which can resume.",
    ),
]
Other = Annotated[
    Path | None,
    typer.Option("--b", metavar="DIR|FILE", parser=path, help="A second collection: the columns of the matrix."),
]
Distance = Annotated[str, one_of("--distance", tuple(DISTANCES), "Which distance.", DISTANCE)]
P = Annotated[
    float | None,
    typer.Option(
        "--p", metavar="NUMBER", help="Exponent p, from 1 to inf.", show_default="2", rich_help_panel=DISTANCE
    ),
]
K = Annotated[
    list[str] | None,
    typer.Option(
        "--k",
        metavar="NUMBER[,NUMBER...]",
        help="Cost of leaving mass behind, at least 0. Several: a matrix for each.",
        show_default="1",
        rich_help_panel=DISTANCE,
    ),
]
Mass = Annotated[
    float | None,
    typer.Option(
        "--mass", metavar="SHARE", help="For partial_wasserstein: the share that moves.", rich_help_panel=DISTANCE
    ),
]
Lam = Annotated[
    float | None,
    typer.Option("--lam", metavar="NUMBER", help="For robot: λ; lengths are cut at 2λ.", rich_help_panel=DISTANCE),
]
Tol = Annotated[
    float | None,
    typer.Option(
        "--tol",
        metavar="NUMBER",
        help="Error allowed in each RPW; 0 means exact.",
        show_default="0",
        rich_help_panel=DISTANCE,
    ),
]
Solver = Annotated[
    str | None,
    one_of("--solver", SOLVERS, "Algorithm; lmr and bisection need --tol.", DISTANCE, show_default="auto"),
]
OnError = Annotated[
    str,
    one_of(
        "--on-error",
        _ON_ERROR,
        "What to do if a pair fails. raise: finish all other pairs, then exit with code 1. nan: NaN in the matrix, "
        "and no error. A file that cannot be read is always an error.",
    ),
]


@reads_tables
def pairwise(
    a: Many,
    out: Out,
    b: Other = None,
    distance: Distance = "rpw",
    p: P = None,
    k: K = None,
    metric: Metric = "euclidean",
    diameter: Diameter = None,
    quantile: Quantile = None,
    mass: Mass = None,
    lam: Lam = None,
    tol: Tol = None,
    solver: Solver = None,
    wanted: Selection = EVERYTHING,
    on_error: OnError = "raise",
    time_limit: TimeLimit = None,
    n_threads: NThreads = None,
    device: Device = "cpu",
    as_json: Json = False,
) -> None:
    """All distances within a collection, or between two: a matrix."""
    span = as_diameter(diameter, quantile)
    check_choice("--distance", distance, tuple(DISTANCES))
    check_choice("--on-error", on_error, _ON_ERROR)
    check_device_name(device)
    options = _options(distance, {"p": p, "k": _as_k(k), "diameter": span, "mass": mass, "lam": lam})
    options["metric"] = as_metric(metric)
    options |= _effort(distance, options, {"tol": tol, "solver": solver})
    with usage():
        _check_options(distance, options, time_limit)
    check_out(out, [a] if b is None else [a, b], is_stack=isinstance(options.get("k"), list))
    first, second = select_collection(a, wanted), None if b is None else select_collection(b, wanted)
    if second is not None:
        second.check_beside(first.kind, str(a))
        second = second.matched_to(first.columns, str(a))
    A, B, shared = _arguments(first, second)
    names = {"rows": first.names, "columns": (first if second is None else second).names}
    was_there, shape_before = (out / "zarr.json").exists(), complete_shape(out)
    start = time.perf_counter()
    if options.get("diameter") == "auto":
        options["diameter"] = diameter_of(*_points(first, second), options["metric"], quantile)
    asked = {"distance": distance, **options}
    run = {"n_threads": n_threads, "device": device, "time_limit": time_limit, "on_error": on_error, **shared}
    with bar(as_json) as report:
        matrix = _matrix(out, names, asked, A, B, progress=counting(report, "pairs"), **run)
    shape = list(matrix.shape)
    before = {"resumed": was_there, "already_complete": shape == shape_before}  # another shape: the store has grown
    facts = {"shape": shape, **_summary(matrix, b is None), **before}
    end = time.perf_counter()
    note = _note(diameter, options, first, second)
    if as_json:
        dropped = first.dropped + (0 if second is None else second.dropped)
        how = {"device": device, "quantile": quantile, "dropped": dropped, "note": note, "seconds": end - start}
        print_json({"out": out, "distance": distance, "tol": 0, "solver": "auto", **options, **facts, **names, **how})
        return
    inputs = [("rows", a, first)] if b is None or second is None else [("rows", a, first), ("columns", b, second)]
    print_rows(
        [
            *((name, f"{path}: {counted(len(collection), 'measure')}") for name, path, collection in inputs),
            *skipped_note([name for _, _, collection in inputs for name in collection.skipped]),
            *dropped_of(first, second),
            *_entries(out, distance, options, facts),
            ("time", seconds(start, end) + ("" if device == "cpu" else f" on {device}")),
            *note_row(note),
        ]
    )


def _as_k(given: list[str] | None) -> float | list[float] | None:
    """A number, several of them, or None if it was left out."""
    several = as_several_k(given)
    return several if len(several) > 1 else several[0] if several else None


def _check_options(distance: str, options: dict[str, Any], time_limit: float | None) -> None:
    """Raise before anything is read if no pair could be asked that."""
    asked = {name: value for name, value in options.items() if name not in ("k", "metric")}
    for k in np.atleast_1d(options.get("k", DEFAULTS["k"])).tolist():
        check_question(name=distance, k=k, time_limit=time_limit, **asked)


def _options(distance: str, given: dict[str, Any]) -> dict[str, Any]:
    """What the distance is called with; an option without effect is a mistake."""
    heard = DISTANCES[distance]
    for name, value in given.items():
        if value is not None and name not in heard:
            raise UsageError(f"--{name} has no effect on --distance {distance}: leave it out")
    for name in heard:
        if given[name] is None and name not in DEFAULTS:
            raise UsageError(f"--distance {distance} needs --{name}")
    return {name: DEFAULTS[name] if given[name] is None else given[name] for name in heard}


def _effort(distance: str, options: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """``tol`` and ``solver`` as far as they were given."""
    asked = {name: value for name, value in given.items() if value is not None}
    for name in asked:
        if name not in _EFFORT.get(distance, ()):
            raise UsageError(f"--{name} has no effect on --distance {distance}: leave it out")
        if isinstance(options.get("k"), list):
            raise UsageError(
                f"--{name} has no effect on several --k, because one exact search answers all of them: leave it out"
            )
    if "solver" in asked:
        check_choice("--solver", asked["solver"], SOLVERS)
    return asked


def _arguments(first: Collection, second: Collection | None) -> tuple[Any, Any, dict[str, Any]]:
    """The collections as `rpw.pairwise` takes them: histograms if all share one support, else measures."""
    everything = [first] if second is None else [first, second]
    support = first.support
    if support is not None and all(c.support is not None and np.array_equal(c.support, support) for c in everything):
        return first.histograms, None if second is None else second.histograms, {"support": support}
    return first.as_measures(), None if second is None else second.as_measures(), {}


def _matrix(out: Path, names: dict[str, list[str]], asked: dict[str, Any], A: Any, B: Any, **run: Any) -> Any:
    """The matrix, which then lies in ``out``; also if pairs failed, for somebody will want the others."""

    def keep(matrix: Any) -> None:
        if is_file_format(out):
            write_matrix(out, matrix, **names, parameters=asked)
        else:
            write_names(out, **names)

    store: dict[str, Any] = {} if is_file_format(out) else {"out": str(out)}
    try:
        matrix = rpw.pairwise(A, B, **asked, **run, **store)
    except rpw.PairwiseError as error:
        keep(error.distances)
        raise RuntimeError(_told(error, out, **names)) from None
    except rpw.TimeLimitError as error:
        if store:
            raise TimeoutError(f"{error}, or run the same command again: it goes on from there") from None
        raise
    keep(matrix)
    return matrix


def _told(error: rpw.PairwiseError, out: Path, rows: list[str], columns: list[str]) -> str:
    """Pairs that failed, in the words of the command line."""
    i, j, reason = error.failures[0]
    more = f" (and {len(error.failures) - 1:,} more)" if len(error.failures) > 1 else ""
    rest = f"the matrix is in {out}, with NaN for failed pairs; with --on-error nan that is no error"
    return f"pair ({rows[i]}, {columns[j]}) failed: {reason.removeprefix('ValueError: ')}{more}; {rest}"


def _points(first: Collection, second: Collection | None) -> tuple[Any, Any]:
    """All points of the space, as `rpw.diameter` takes them."""
    points = [c.as_measures() if c.support is None else c.support for c in (first, second) if c is not None]
    return points[0], points[1] if len(points) > 1 else None


def _note(given: str | None, options: dict[str, Any], first: Collection, second: Collection | None) -> str | None:
    if "diameter" not in options:
        return None
    return diameter_note(given, options["k"], *_points(first, second), options["metric"], looks_near=True)


def _summary(matrix: Any, within: bool) -> dict[str, Any]:
    """Smallest, mean and largest entry (off the diagonal within one collection), read in blocks of rows.

    Of a stack they are lists, one entry for each k.
    """
    *stack, n, m = matrix.shape
    smallest, largest = np.full(stack, np.inf), np.full(stack, -np.inf)
    total, count, failed = np.zeros(stack), np.zeros(stack), 0
    for start in range(0, n, _ROWS_AT_ONCE):
        block = np.array(matrix[..., start : start + _ROWS_AT_ONCE, :], dtype=np.float64)
        missing = np.isnan(block.reshape(-1, *block.shape[-2:])[0])  # of a stack: there at each k
        failed += int((np.triu(missing, start) if within else missing).sum())  # within: a pair has two entries
        if within and n * m > 1:
            rows = np.arange(block.shape[-2])
            block[..., rows, start + rows] = np.nan
        valid = ~np.isnan(block)
        total, count = total + block.sum(axis=(-2, -1), where=valid), count + valid.sum(axis=(-2, -1))
        smallest = np.minimum(smallest, block.min(axis=(-2, -1), initial=np.inf, where=valid))
        largest = np.maximum(largest, block.max(axis=(-2, -1), initial=-np.inf, where=valid))
    mean = np.divide(total, count, out=np.full(stack, np.nan), where=count > 0)
    smallest, largest = (np.where(count > 0, each, np.nan) for each in (smallest, largest))
    found = {"smallest": smallest, "mean": mean, "largest": largest}
    return {**{name: value.tolist() for name, value in found.items()}, "failed": failed}


def _entries(out: Path, distance: str, options: dict[str, Any], facts: dict[str, Any]) -> list[tuple[str, str]]:
    *stack, n, m = facts["shape"]
    size = f"{n:,} x {m:,}" + (f" for each of {stack[0]} k" if stack else "")
    given = {name: _shown(value) for name, value in options.items()}
    state = " (already complete)" if facts["already_complete"] else " (continued)" if facts["resumed"] else ""
    rows = [
        ("matrix", f"{size} in {out}{state}"),
        ("distance", ", ".join([distance, *(f"{name}={value}" for name, value in given.items())])),
        *_ranges(options, facts),
    ]
    if facts["failed"]:
        rows.append(("failed", counted(facts["failed"], "pair")))
    return rows


def _ranges(options: dict[str, Any], facts: dict[str, Any]) -> list[tuple[str, str]]:
    """What the entries are like: one line, or one for each k."""
    of = [np.atleast_1d(facts[name]).tolist() for name in ("smallest", "mean", "largest")]
    texts = [
        "none: all pairs failed" if np.isnan(mean) else f"smallest {low:.6g}, mean {mean:.6g}, largest {high:.6g}"
        for low, mean, high in zip(*of, strict=True)
    ]
    if not isinstance(options.get("k"), list):
        return [("entries", texts[0])]
    rows = [(f"k={k:g}", text) for k, text in zip(options["k"], texts, strict=True)]
    left = len(rows) - _LINES
    return rows if left <= 0 else [*rows[:_LINES], ("", f"and {left:,} more: --json has them all")]


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(map(_shown, value))
    return value if isinstance(value, str) else f"{value:g}"
