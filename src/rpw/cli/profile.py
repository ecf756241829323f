"""``rpw profile A B --plot OUT.png``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import rpw
from rpw.base.extras import import_extra
from rpw.cli._command import command, usage
from rpw.cli._files import TABLES, check_target, sides, write_table
from rpw.cli._notes import diameter_note, images_note, joined, note_rows, notes_of_tables, read_pair
from rpw.cli._options import SEVERAL_K, file
from rpw.cli._print import Answer, Rows, counted, is_for_person
from rpw.io.files import replacing
from rpw.io.selection import Selection
from rpw.pair.options import OPTIONS
from rpw.pair.question import as_question

__all__ = ["profile"]

_SOLVERS = ("auto", "exact", "walk", "points", "lmr")
_MASSES = (0.5, 0.9, 0.95, 0.99, 1.0)
_ALWAYS = (0.1, 1.0, 10.0)  # the k at which RPW is shown whatever was asked
_LINES = 16  # for as many k, so that everything stays on one screen


@command(
    "Compare two files",
    "rpw profile a.csv b.csv",
    "rpw profile a.csv b.csv --k 0.1,0.3 --plot profile.png",
    "rpw profile a.csv b.csv --scores scores.csv",
    "rpw profile a.npy b.npy --tol 0.05",
    k=replace(
        SEVERAL_K,
        sentence="Cost of leaving mass behind. RPW is shown for the numbers given and for 0.1, 1 and 10; --plot draws "
        "only the numbers given.",
    ),
    tol=replace(OPTIONS["tol"], sentence="Error allowed, in units of the cost W; 0 means the exact profile."),
    solver=replace(OPTIONS["solver"], sentence="Algorithm; lmr needs --tol.", choices=_SOLVERS),
    plot=file("A picture of the profile and of RPW for each k, such as .png, .svg or .pdf."),
    scores=file(
        "For each point its score: what the last bit of its mass costs to move (.csv, .tsv, .parquet, .npz). Not with "
        "--tol.",
        excludes=("tol",),
    ),
)
def profile(
    a: Path, b: Path, p: float, k: list[float] | None, metric: str, diameter: float | None, tol: float, solver: str,
    wanted: Selection, plot: Path | None, scores: Path | None, time_limit: float | None, as_json: bool,
) -> Answer:  # fmt: skip
    """What it costs to move each share of the mass, and RPW for every k.

    One solve gives the whole curve. Its elbow is a first guess of the share of inliers.
    """
    asked_k = k or [1.0]
    asked: dict[str, Any] = {"p": p, "diameter": 1.0 if diameter is None else diameter, "tol": tol}
    with usage():
        for each in asked_k:
            as_question(k=each, **asked, solver=solver)
    check_target("--plot", plot, [a, b], () if plot is None else _endings_of_pictures())
    check_target("--scores", scores, [a, b], TABLES)
    one, other = read_pair(a, b, wanted)
    x, y = one.measure, other.measure
    asked["metric"] = metric
    curve = rpw.profile(x, y, **asked, solver=solver, time_limit=time_limit, progress=is_for_person(as_json))
    if plot is not None:
        _draw(curve, plot, asked_k)
    if scores is not None:
        write_table(scores, sides(one, other, score=(curve.scores_a, curve.scores_b)))
    notes = (diameter_note(diameter, 1, [x], [y], metric, looks_near=False), images_note(a, b))
    costs = sorted({*_ALWAYS, *asked_k})
    below = curve.lower
    upper, lower = ({_name(k): each.distance(k) for k in costs} for each in (curve, below))
    facts = {**asked, "mass": curve.mass, "cost_p": curve.cost_p, "distances": upper, "lower": lower, "upper": upper}
    facts["lower_curve"] = None if below is curve else {"mass": below.mass, "cost_p": below.cost_p}
    facts |= {
        "elbow": curve.elbow() if curve.is_exact else None,
        "solver": curve.solver,
        "plot": plot,
        "scores": scores,
        "dropped": one.dropped + other.dropped,
    }
    error = f", tol={tol:g}" if tol else ""
    given = f"p={p:g}, metric={metric}, diameter={asked['diameter']:g}{error}"
    rows = [
        ("profile", f"{counted(len(curve), 'breakpoint')}, {given}"),
        *((f"W at {mass:.0%}", _shown(curve.lower(mass), curve(mass))) for mass in _MASSES),
        *_elbow(curve),
        *_distances(curve, costs),
        ("first", f"{a}: {x!r}"),
        ("second", f"{b}: {y!r}"),
        *notes_of_tables(a, one, b, other),
        ("solver", curve.solver),
        *([] if plot is None else [("picture", str(plot))]),
        *([] if scores is None else [("scores", str(scores))]),
        *note_rows(*notes),
    ]
    return Answer({**facts, "note": joined(*notes)}, [rows])


def _distances(curve: rpw.Profile, costs: list[float]) -> Rows:
    """RPW at each k, or at as many as leave the rest on the screen."""
    shown = costs[:_LINES]
    rows = [(f"RPW k={_name(k)}", _shown(curve.lower.distance(k), curve.distance(k))) for k in shown]
    left = len(costs) - len(shown)
    return [*rows, ("", f"and {left:,} more: --json has them all")] if left else rows


def _elbow(curve: rpw.Profile) -> Rows:
    if not curve.is_exact:
        return []
    share = curve.elbow()
    meaning = "no gross outliers found; there may be others" if share == 1 else "a first guess of the inlier share"
    return [("elbow", f"{share:.4g} of the mass ({meaning})")]


def _name(k: float) -> str:
    """A k with as many digits as distinguish it from all others."""
    return f"{k:g}" if float(f"{k:g}") == k else repr(k)


def _shown(lower: float, upper: float) -> str:
    """A number, or the interval that is known."""
    return f"{upper:.9g}" if lower == upper else f"{lower:.6g} to {upper:.6g}"


def _endings_of_pictures() -> list[str]:
    known = import_extra("matplotlib.figure", "plots need").Figure().canvas.get_supported_filetypes()
    return [f".{ending}" for ending in sorted(known)]


def _draw(curve: Any, plot: Path, k: list[float]) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4), layout="constrained")  # no window, whatever the backend
    curve.plot(ax=figure.subplots(), k=k)
    with replacing(plot) as stream:
        figure.savefig(stream, format=plot.suffix.lower().lstrip("."), dpi=120)
