"""Options and small helpers that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import rpw
from rpw.readers import read_points

First = Annotated[Path, typer.Argument(metavar="A", help="The first measure: a file.")]
Second = Annotated[Path, typer.Argument(metavar="B", help="The second measure: a file.")]
Many = Annotated[Path, typer.Argument(metavar="DIR|FILE", help="A folder of files, or an NPZ or NPY file.")]
P = Annotated[float, typer.Option("--p", help="Exponent in [1, inf]; inf is allowed.")]
K = Annotated[float, typer.Option("--k", help="Price of leaving mass behind, at least 0.")]
Metric = Annotated[str, typer.Option("--metric", help="Ground metric, such as euclidean or cityblock.")]
Diameter = Annotated[float, typer.Option("--diameter", help="Diameter of the space; it sets the unit of length.")]
DiameterOfMany = Annotated[
    str, typer.Option("--diameter", metavar="auto|NUMBER", help="Diameter of the space; auto: that of all the points.")
]
Tol = Annotated[float, typer.Option("--tol", help="Error allowed in the answer; 0 is exact.")]
Solver = Annotated[str, typer.Option("--solver", help="auto, exact, lmr or bisection.")]
NThreads = Annotated[int | None, typer.Option("--n-threads", min=1, help="Threads; all cores if left out.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON on stdout and nothing else.")]

_BOX_METRICS = ("euclidean", "cityblock", "chebyshev")  # their diameter costs linear time


def read_pair(a: Path, b: Path) -> tuple[rpw.Measure, rpw.Measure]:
    """The measures of two files that fit together."""
    x, y = read_points(a), read_points(b)
    if x.dimension != y.dimension:
        raise ValueError(f"the points of {a} have {x.dimension} coordinates, those of {b} have {y.dimension}")
    return x, y


def as_diameter(text: str) -> float | str:
    """``auto`` or a number."""
    if text == "auto":
        return text
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is neither 'auto' nor a number", param_hint="--diameter") from None


def diameter_note(diameter: float, A: Any, B: Any, metric: str = "euclidean") -> list[tuple[str, str]]:
    """A hint where the points reach farther than the diameter that was given."""
    if metric not in _BOX_METRICS:
        return []
    span = rpw.diameter(A, B, metric=metric)
    if span <= diameter * (1 + 1e-9):
        return []
    return [("note", f"the points reach over {span:.4g}, more than the diameter {diameter:g}: see --diameter")]


def skipped_note(names: list[str]) -> list[tuple[str, str]]:
    """Which files of a folder were passed over."""
    return [("passed over", f"{len(names)} files of unknown kind, such as {names[0]}")] if names else []
