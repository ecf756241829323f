"""``rpw profile A B --plot OUT.png``."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

import rpw
from rpw.base.extras import import_extra
from rpw.base.usage import UsageError
from rpw.cli._options import (
    DISTANCE,
    WRITING,
    DiameterOfPair,
    First,
    Json,
    Metric,
    P,
    Second,
    SeveralK,
    TimeLimit,
    as_diameter_of_pair,
    as_metric,
    as_several_k,
    check_choice,
    check_question,
    diameter_note,
    images_note,
    joined,
    note_row,
    notes_of_tables,
    one_of,
    path,
    read_pair,
    usage,
)
from rpw.cli._output import counted, print_json, print_rows, seconds
from rpw.cli._progress import is_for_person
from rpw.cli._table_file import check_tables, sides, write_table
from rpw.cli._tables import reads_tables
from rpw.cli._targets import check_not_read
from rpw.io.files import replacing
from rpw.io.selection import EVERYTHING, Selection
from rpw.pair.question import SOLVERS

__all__ = ["EXAMPLES", "profile"]

EXAMPLES = (
    "rpw profile a.csv b.csv",
    "rpw profile a.csv b.csv --k 0.1,0.3 --plot profile.png",
    "# a score for each point; outliers have high scores",
    "rpw profile a.csv b.csv --scores scores.csv",
    "# large files: two curves that enclose the profile",
    "rpw profile a.npy b.npy --tol 0.05",
)

_SOLVERS = ("auto", "exact", "walk", "points", "lmr")
Tol = Annotated[
    float,
    typer.Option(
        "--tol",
        metavar="NUMBER",
        help="Error allowed, in units of the cost W; 0 means the exact profile.",
        rich_help_panel=DISTANCE,
    ),
]
Solver = Annotated[str, one_of("--solver", _SOLVERS, "Algorithm; lmr needs --tol.", DISTANCE)]
Plot = Annotated[
    Path | None,
    typer.Option(
        "--plot",
        metavar="FILE",
        parser=path,
        help="A picture of the profile and of RPW for each k, such as .png, .svg or .pdf.",
        rich_help_panel=WRITING,
    ),
]
Scores = Annotated[
    Path | None,
    typer.Option(
        "--scores",
        metavar="FILE",
        parser=path,
        help="For each point its score: what the last bit of its mass costs to move "
        "(.csv, .tsv, .parquet, .npz). Not with --tol.",
        rich_help_panel=WRITING,
    ),
]

_MASSES = (0.5, 0.9, 0.95, 0.99, 1.0)
_PRICES = (0.1, 1.0, 10.0)
_LINES = 16  # for as many k, so that everything stays on one screen


@reads_tables
def profile(
    a: First,
    b: Second,
    p: P = 2.0,
    k: SeveralK = None,
    metric: Metric = "euclidean",
    diameter: DiameterOfPair = None,
    tol: Tol = 0.0,
    solver: Solver = "auto",
    wanted: Selection = EVERYTHING,
    plot: Plot = None,
    scores: Scores = None,
    time_limit: TimeLimit = None,
    as_json: Json = False,
) -> None:
    """What it costs to move each share of the mass, and RPW for every k.

    One solve gives the whole curve. Its elbow is a first guess of the share of inliers.
    """
    metric, given = as_metric(metric), as_diameter_of_pair(diameter)
    asked_k = as_several_k(k) or [1.0]
    _check_solver(solver)
    with usage():
        for each in asked_k:
            check_question(p=p, k=each, diameter=given, tol=tol, solver=solver, time_limit=time_limit)
        if plot is not None:
            check_not_read("--plot", plot, [a, b])
    if scores is not None and tol > 0:
        raise UsageError("--scores needs the exact profile: leave out --tol")
    if plot is not None:
        _check_plot(plot)
    check_tables({"--scores": scores}, [a, b])
    one, other = read_pair(a, b, wanted)
    x, y = one.measure, other.measure
    delta = 1.0 if given is None else given
    start = time.perf_counter()
    asked: Any = {"p": p, "metric": metric, "diameter": delta, "solver": solver, "tol": tol}
    curve = rpw.profile(x, y, **asked, time_limit=time_limit, progress=is_for_person(as_json))
    end = time.perf_counter()
    notes = (diameter_note(given, 1, [x], [y], metric, looks_near=False), images_note(a, b))
    prices = sorted({*_PRICES, *asked_k})
    if plot is not None:
        _draw(curve, plot, asked_k)
    if scores is not None:
        write_table(scores, sides(one, other, score=(curve.scores_a, curve.scores_b)))
    if as_json:
        answer = {"p": p, "metric": metric, "diameter": delta, "tol": tol, **_curves(curve), **_bounds(curve, prices)}
        facts = {"elbow": curve.elbow() if curve.is_exact else None, "solver": curve.solver, "plot": plot}
        files = {"scores": scores, "dropped": one.dropped + other.dropped}
        print_json({**answer, **facts, **files, "note": joined(*notes), "seconds": end - start})
        return
    error = f", tol={tol:g}" if tol else ""
    print_rows(
        [
            ("profile", f"{counted(len(curve), 'breakpoint')}, p={p:g}, metric={metric}, diameter={delta:g}{error}"),
            *((f"W at {mass:.0%}", _shown(curve.lower(mass), curve(mass))) for mass in _MASSES),
            *_elbow(curve),
            *_distances(curve, prices),
            ("first", f"{a}: {x!r}"),
            ("second", f"{b}: {y!r}"),
            *notes_of_tables(a, one, b, other),
            ("solver", f"{curve.solver}, {seconds(start, end)}"),
            *([] if plot is None else [("picture", str(plot))]),
            *([] if scores is None else [("scores", str(scores))]),
            *note_row(*notes),
        ]
    )


def _distances(curve: rpw.Profile, prices: list[float]) -> list[tuple[str, str]]:
    """RPW at each k, or at as many as leave the rest on the screen."""
    shown = prices[:_LINES]
    rows = [(f"RPW k={_name(k)}", _shown(curve.lower.distance(k), curve.distance(k))) for k in shown]
    left = len(prices) - len(shown)
    return [*rows, ("", f"and {left:,} more: --json has them all")] if left else rows


def _elbow(curve: rpw.Profile) -> list[tuple[str, str]]:
    if not curve.is_exact:
        return []
    share = curve.elbow()
    meaning = "no gross outliers found; there may be others" if share == 1 else "a first guess of the inlier share"
    return [("elbow", f"{share:.4g} of the mass ({meaning})")]


def _curves(curve: rpw.Profile) -> dict[str, Any]:
    """The breakpoints; if ``tol`` makes two curves, those of the upper one, and the lower one by name."""
    below = curve.lower
    other = None if below is curve else {"mass": below.mass, "cost_p": below.cost_p}
    return {"mass": curve.mass, "cost_p": curve.cost_p, "lower_curve": other}


def _bounds(curve: rpw.Profile, prices: list[float]) -> dict[str, dict[str, float]]:
    """RPW at each k, and what is proven of it."""
    upper = {_name(k): curve.distance(k) for k in prices}
    return {"distances": upper, "lower": {_name(k): curve.lower.distance(k) for k in prices}, "upper": upper}


def _name(k: float) -> str:
    """A k with as many digits as distinguish it from all others."""
    return f"{k:g}" if float(f"{k:g}") == k else repr(k)


def _shown(lower: float, upper: float) -> str:
    """A number, or the interval that is known."""
    return f"{upper:.9g}" if lower == upper else f"{lower:.6g} to {upper:.6g}"


def _check_solver(solver: str) -> None:
    if solver in SOLVERS and solver not in _SOLVERS:
        raise UsageError(f"--solver {solver} finds one distance and no profile; choose one of {', '.join(_SOLVERS)}")
    check_choice("--solver", solver, _SOLVERS)


def _check_plot(plot: Path) -> None:
    """A mistake in the file's name should not cost a long solve."""
    known = import_extra("matplotlib.figure", "plots need").Figure().canvas.get_supported_filetypes()
    if plot.suffix.lower().lstrip(".") not in known:
        raise UsageError(f"--plot {plot}: the file must end in one of {', '.join(sorted(known))}")
    if not plot.parent.is_dir():
        raise ValueError(f"--plot {plot}: there is no folder {plot.parent}")


def _draw(curve: Any, plot: Path, k: list[float]) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4), layout="constrained")  # no window, whatever the backend
    curve.plot(ax=figure.subplots(), k=k)
    with replacing(plot) as stream:
        figure.savefig(stream, format=plot.suffix.lower().lstrip("."), dpi=120)
