"""``rpw pairwise DIR|FILE --out D.zarr`` (or ``D.csv``, ``D.tsv``, ``D.npy``, ``D.npz``)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import rpw
from rpw.base.usage import UsageError
from rpw.cli._command import command, usage
from rpw.cli._files import MATRICES, check_matrix, write_matrix
from rpw.cli._notes import diameter_note, diameter_of, dropped_of, note_rows, skipped_of
from rpw.cli._options import DIAMETER_OF_ALL, QUANTILE_OF_AUTO, SEVERAL_K, check_quantile, file, one_of
from rpw.cli._print import Answer, Rows, bar, counted
from rpw.io.readers import Collection, select_collection
from rpw.io.selection import Selection
from rpw.many.store.tile_store import complete_shape, write_names
from rpw.pair.options import DISTANCE, OPTIONS
from rpw.pair.question import DEFAULTS, DISTANCES, as_question

__all__ = ["pairwise"]

_ROWS_AT_ONCE = 256
_LINES = 16  # for as many k, so that everything stays on one screen
_WITHOUT_SOLVER = ("total_variation", "levy_prokhorov")


@command(
    "Compare many",
    "rpw pairwise folder --out matrix.csv --diameter auto",
    "rpw pairwise folder --out m.npz --diameter auto --quantile 0.9",
    "rpw pairwise folder --out matrix.zarr --diameter 2.5",
    "rpw pairwise folder --b other --out between.csv --tol 0.01",
    "rpw pairwise folder --out stack.npz --k 0.1,1,10",
    out=file(
        "The matrix: .csv, .tsv, .npy, .npz, or a Zarr store (.zarr, or no ending), which can resume.",
        heading=None,
        is_needed=True,
    ),
    b=file("A second collection: the columns of the matrix.", "DIR|FILE", heading=None),
    distance=one_of(tuple(DISTANCES), "Which distance.", default="rpw", heading=DISTANCE),
    p=replace(OPTIONS["p"], default=None, otherwise="2"),
    k=SEVERAL_K,
    diameter=DIAMETER_OF_ALL,
    quantile=QUANTILE_OF_AUTO,
    tol=replace(OPTIONS["tol"], sentence="Error allowed in each RPW; 0 means exact.", default=None, otherwise="0"),
    solver=replace(OPTIONS["solver"], default=None, otherwise="auto"),
    on_error=one_of(
        ("raise", "nan"),
        "What to do if a pair fails. raise: finish all other pairs, then exit with code 1. nan: NaN in the matrix, "
        "and no error. A file that cannot be read is always an error.",
        default="raise",
    ),
)
def pairwise(
    many: Path, out: Path, b: Path | None, distance: str, p: float | None, k: list[float] | None, metric: str,
    diameter: float | str | None, quantile: float | None, mass: float | None, lam: float | None, tol: float | None,
    solver: str | None, wanted: Selection, on_error: str, time_limit: float | None, n_threads: int | None,
    device: str, as_json: bool,
) -> Answer:  # fmt: skip
    """All distances within a collection, or between two: a matrix."""
    with usage():
        check_quantile(quantile, diameter)
        given = {"p": p, "k": k[0] if k and len(k) == 1 else k or None, "diameter": diameter, "mass": mass, "lam": lam}
        options = {**_options(distance, given), "metric": metric}
        options |= _effort(distance, options, {"tol": tol, "solver": solver})
    check_matrix(out, [many] if b is None else [many, b], is_stack=isinstance(options.get("k"), list))
    first, second = select_collection(many, wanted), None if b is None else select_collection(b, wanted)
    if second is not None:
        second.check_beside(first.kind, str(many))
        second = second.matched_to(first.columns, str(many))
    names = {"rows": first.names, "columns": (first if second is None else second).names}
    was_there, shape_before = (out / "zarr.json").exists(), complete_shape(out)
    if options.get("diameter") == "auto":
        options["diameter"] = diameter_of(*_points(first, second), metric, quantile)
    run = {"n_threads": n_threads, "device": device, "time_limit": time_limit, "on_error": on_error}
    with bar(as_json, "pairs") as progress:
        matrix = _matrix(out, names, {"distance": distance, **options}, first, second, progress=progress, **run)
    shape = list(matrix.shape)
    before = {"resumed": was_there, "already_complete": shape == shape_before}  # another shape: the store has grown
    facts = {"shape": shape, **_summary(matrix, b is None), **before}
    note = None
    if "diameter" in options:
        note = diameter_note(diameter, options["k"], *_points(first, second), metric, looks_near=True)
    collections = [("rows", many, first), *([] if second is None else [("columns", b, second)])]
    rows = [
        *((name, f"{path}: {counted(len(each), 'measure')}") for name, path, each in collections),
        *skipped_of(first, second),
        *dropped_of(first, second),
        *_entries(out, distance, options, facts),
        *([] if device == "cpu" else [("computed", f" on {device}".strip())]),
        *note_rows(note),
    ]
    facts |= {"out": out, "distance": distance, "tol": 0, "solver": "auto", **options, **names, "device": device}
    facts |= {"quantile": quantile, "dropped": first.dropped + (0 if second is None else second.dropped), "note": note}
    return Answer(facts, [rows])


def _options(distance: str, given: dict[str, Any]) -> dict[str, Any]:
    """What the distance is called with; raises if no pair could be asked that, or an option has no effect."""
    several = given["k"] if isinstance(given["k"], list) else [given["k"]]
    asked = {name: value for name, value in given.items() if value is not None and value != "auto"}
    for k in several:
        as_question(distance, **{**asked, **({} if k is None else {"k": k})})
    heard = DISTANCES[distance]
    if given["diameter"] == "auto" and "diameter" not in heard:
        raise UsageError(f"--diameter has no effect on --distance {distance}: leave it out")
    return {name: DEFAULTS[name] if given[name] is None else given[name] for name in heard}


def _effort(distance: str, options: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """``tol`` and ``solver`` as far as they were given."""
    asked = {name: value for name, value in given.items() if value is not None}
    for name in asked:
        if distance != "rpw" and (name == "tol" or distance in _WITHOUT_SOLVER):
            raise UsageError(f"--{name} has no effect on --distance {distance}: leave it out")
        if isinstance(options.get("k"), list):
            raise UsageError(
                f"--{name} has no effect on several --k, because one exact search answers all of them: leave it out"
            )
    as_question(distance, **{name: options[name] for name in ("mass", "lam") if name in options}, **asked)
    return asked


def _shared_support(first: Collection, second: Collection | None) -> tuple[Any, Any, dict[str, Any]]:
    """The collections as `rpw.pairwise` takes them: histograms if all share one support, else measures."""
    everything = [first] if second is None else [first, second]
    support = first.support
    if support is not None and all(c.support is not None and np.array_equal(c.support, support) for c in everything):
        return first.histograms, None if second is None else second.histograms, {"support": support}
    return first.as_measures(), None if second is None else second.as_measures(), {}


def _matrix(
    out: Path, names: dict[str, list[str]], asked: dict[str, Any], first: Collection, second: Collection | None,
    **run: Any,
) -> Any:  # fmt: skip
    """The matrix, which then lies in ``out``; also if pairs failed, for somebody will want the others."""
    is_file = out.suffix.lower() in MATRICES

    def keep(matrix: Any) -> None:
        if is_file:
            write_matrix(out, matrix, **names, parameters=asked)
        else:
            write_names(out, **names)

    A, B, shared = _shared_support(first, second)
    where: dict[str, Any] = {} if is_file else {"out": str(out)}
    try:
        matrix = rpw.pairwise(A, B, **asked, **run, **shared, **where)
    except rpw.PairwiseError as error:
        keep(error.distances)
        raise RuntimeError(_told(error, out, **names)) from None
    except rpw.TimeLimitError as error:
        if not is_file:
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


def _entries(out: Path, distance: str, options: dict[str, Any], facts: dict[str, Any]) -> Rows:
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


def _ranges(options: dict[str, Any], facts: dict[str, Any]) -> Rows:
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
