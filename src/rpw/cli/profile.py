"""``rpw profile A B --plot OUT.png``."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

import rpw
from rpw.cli._options import (
    Diameter,
    First,
    Json,
    K,
    Metric,
    P,
    Second,
    TimeLimit,
    as_diameter,
    as_metric,
    choices,
    diameter_note,
    diameter_of_pair,
    images_note,
    note_row,
    path,
    read_pair,
)
from rpw.cli._output import counted, print_json, print_rows, seconds
from rpw.cli._targets import check_not_read
from rpw.io.files import replacing

__all__ = ["profile"]

Tol = Annotated[float, typer.Option("--tol", help="Error allowed, in units of W; 0: the exact profile.")]
Solver = Annotated[
    str, typer.Option("--solver", help="auto, exact or lmr.", autocompletion=choices("auto", "exact", "lmr"))
]
Plot = Annotated[
    Path | None, typer.Option("--plot", parser=path, help="Draw the profile and its crossing into this file.")
]

_MASSES = (0.5, 0.9, 0.95, 0.99, 1.0)
_PRICES = (0.1, 1.0, 10.0)


def profile(
    a: First,
    b: Second,
    p: P = 2.0,
    k: K = 1.0,
    metric: Metric = "euclidean",
    diameter: Diameter = None,
    tol: Tol = 0.0,
    solver: Solver = "auto",
    time_limit: TimeLimit = None,
    plot: Plot = None,
    as_json: Json = False,
) -> None:
    """The cost of moving every share of the mass, and RPW for every k, from one solve."""
    metric, given = as_metric(metric), as_diameter(diameter)
    if plot is not None:
        _check_plot(plot)
        check_not_read("--plot", plot, [a, b])
    x, y = read_pair(a, b)
    delta = diameter_of_pair(given, x, y, metric)
    start = time.perf_counter()
    curve = rpw.profile(x, y, p=p, metric=metric, diameter=delta, solver=solver, tol=tol, time_limit=time_limit)
    end = time.perf_counter()
    note = diameter_note(given, 1, [x], [y], metric)
    prices = sorted({*_PRICES, k})
    if plot is not None:
        _draw(curve, plot, k)
    if as_json:
        answer = {"p": p, "metric": metric, "diameter": delta, "tol": tol, **_curves(curve), **_bounds(curve, prices)}
        facts = {"elbow": curve.elbow() if curve.is_exact else None, "solver": curve.solver, "plot": plot}
        print_json({**answer, **facts, "note": note, "seconds": end - start})
        return
    error = f", tol={tol:g}" if tol else ""
    print_rows(
        [
            ("profile", f"{counted(len(curve), 'breakpoint')}, p={p:g}, metric={metric}, diameter={delta:g}{error}"),
            *((f"W at {mass:.0%}", _shown(curve.lower(mass), curve(mass))) for mass in _MASSES),
            *_elbow(curve),
            *((f"RPW k={k:g}", _shown(curve.lower.distance(k), curve.distance(k))) for k in prices),
            ("first", f"{a}: {x!r}"),
            ("second", f"{b}: {y!r}"),
            ("solver", f"{curve.solver}, {seconds(start, end)}"),
            *_picture(plot),
            *note_row(note),
            *images_note(a, b),
        ]
    )


def _elbow(curve: rpw.Profile) -> list[tuple[str, str]]:
    if not curve.is_exact:
        return []
    share = curve.elbow()
    meaning = "no outliers stand out" if share == 1 else "a first guess of the inlier share"
    return [("elbow", f"{share:.4g} of the mass ({meaning})")]


def _curves(curve: rpw.Profile) -> dict[str, Any]:
    """The breakpoints; where ``tol`` makes two curves of them, those of the upper one, and the other by name."""
    below = curve.lower
    other = None if below is curve else {"mass": below.mass, "cost_p": below.cost_p}
    return {"mass": curve.mass, "cost_p": curve.cost_p, "lower_curve": other}


def _bounds(curve: rpw.Profile, prices: list[float]) -> dict[str, dict[str, float]]:
    """RPW at each k, and what is proven of it."""
    upper = {f"{k:g}": curve.distance(k) for k in prices}
    return {"distances": upper, "lower": {f"{k:g}": curve.lower.distance(k) for k in prices}, "upper": upper}


def _shown(lower: float, upper: float) -> str:
    """A number, or the interval that is known."""
    return f"{upper:.9g}" if lower == upper else f"{lower:.6g} to {upper:.6g}"


def _picture(plot: Path | None) -> list[tuple[str, str]]:
    return [] if plot is None else [("picture", str(plot))]


def _check_plot(plot: Path) -> None:
    """A mistake in the file's name should not cost a long solve."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install 'rpw[plot]'") from error
    known = Figure().canvas.get_supported_filetypes()
    if plot.suffix.lower().lstrip(".") not in known:
        raise ValueError(f"--plot {plot}: the file must end in one of {', '.join(sorted(known))}")
    if not plot.parent.is_dir():
        raise ValueError(f"--plot {plot}: there is no folder {plot.parent}")


def _draw(curve: Any, plot: Path, k: float) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4), layout="constrained")  # no window, whatever the backend
    curve.plot(ax=figure.subplots(), k=k)
    with replacing(plot) as stream:
        figure.savefig(stream, format=plot.suffix.lower().lstrip("."), dpi=120)
