"""Options and small helpers that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import typer

import rpw
from rpw.base.deadline import deadline_after
from rpw.base.doubts import of_one_scale
from rpw.base.usage import UsageError
from rpw.cli._output import counted
from rpw.io import readers
from rpw.io.readers import describe_image
from rpw.many.diameter import all_clouds
from rpw.measure import CollectionLike
from rpw.pair.ground import Points
from rpw.pair.metrics import METRICS
from rpw.pair.metrics import as_metric as resolve
from rpw.pair.problem import as_problem
from rpw.pair.question import SOLVERS, as_question
from rpw.pair.reach import near_for


def path(text: str) -> Path:
    """A path that says something: an unset variable of a shell would mean the current folder, a blank a new one."""
    if not str(text).strip():
        raise typer.BadParameter("the path is empty" if not str(text) else "the path is blank")
    return Path(text)


def choices(*names: str) -> Callable[[str], list[str]]:
    """What a shell offers for an option: the names that begin with what was typed."""
    return lambda incomplete: [name for name in names if name.startswith(incomplete)]


First = Annotated[Path, typer.Argument(metavar="A", parser=path, help="The first measure: a file.")]
Second = Annotated[Path, typer.Argument(metavar="B", parser=path, help="The second measure: a file.")]
Many = Annotated[
    Path, typer.Argument(metavar="DIR|FILE", parser=path, help="A folder of files, or an NPZ or NPY file.")
]
P = Annotated[float, typer.Option("--p", help="Exponent, from 1 to inf.")]
K = Annotated[
    list[float] | None,
    typer.Option("--k", metavar="NUMBER", help="Price of leaving mass behind, at least 0; 1 if left out."),
]
SeveralK = Annotated[
    list[str] | None,
    typer.Option(
        "--k",
        metavar="NUMBER[,NUMBER...]",
        help="Prices of leaving mass behind. RPW is shown for them, and for 0.1, 1 and 10; --plot draws them, or 1.",
    ),
]
Metric = Annotated[
    str,
    typer.Option(
        "--metric", help="Ground metric, such as euclidean or cityblock.", autocompletion=choices(*sorted(METRICS))
    ),
]
Diameter = Annotated[
    str | None,
    typer.Option("--diameter", metavar="auto|NUMBER", help="Of the space; 1 if left out; auto: that of all points."),
]
DiameterOfPair = Annotated[
    str | None, typer.Option("--diameter", metavar="NUMBER", help="Of the space, for all pairs alike; 1 if left out.")
]
Tol = Annotated[float, typer.Option("--tol", help="Error allowed in the answer; 0 is exact.")]
Solver = Annotated[
    str,
    typer.Option("--solver", help=f"{', '.join(SOLVERS[:-1])} or {SOLVERS[-1]}.", autocompletion=choices(*SOLVERS)),
]
TimeLimit = Annotated[float | None, typer.Option("--time-limit", help="Seconds; then the command fails.")]
NThreads = Annotated[int | None, typer.Option("--n-threads", min=1, help="Threads; all cores if left out.")]
Device = Annotated[
    str,
    typer.Option(
        "--device",
        help="cpu if left out; cuda: a GPU.",
        autocompletion=choices("cpu", "cuda"),
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else.")]


@contextmanager
def usage() -> Iterator[None]:
    """What is wrong in here is wrong on the command line itself: nothing has been read yet."""
    try:
        yield
    except ValueError as error:
        raise UsageError(str(error)) from None


def check_question(*, diameter: object = None, time_limit: float | None = None, **asked: Any) -> None:
    """Raise before anything is read if no pair could be asked that."""
    as_question(diameter=None if diameter == "auto" else diameter, **asked)
    deadline_after(time_limit)


def as_one_k(given: list[float] | None) -> float:
    """The price; a second one is refused, where others take the last for the only one."""
    if given is not None and len(given) > 1:
        raise UsageError(f"--k is given {len(given)} times, and one number is needed here; rpw profile takes several")
    return given[0] if given else 1.0


def as_several_k(given: list[str] | None) -> list[float]:
    """Numbers with commas between them, or each after a --k of its own; none where it was left out."""
    if not given:
        return []
    text = ",".join(given)
    try:
        return [float(number) for number in text.split(",")]
    except ValueError:
        raise UsageError(f"--k {text!r} is neither a number nor numbers with commas between them") from None


def read_pair(a: Path, b: Path) -> tuple[rpw.Measure, rpw.Measure]:
    """The measures of two files that fit together."""
    x, y = readers.read_pair(a, b)
    if x.dimension != y.dimension:
        text = f"the points of {a} have {x.dimension} coordinates, those of {b} have {y.dimension}"
        kinds = [kind for kind in (describe_image(a), describe_image(b)) if kind is not None]
        raise ValueError(f"{text}: {' and '.join(kinds)}" if len(kinds) == 2 else text)
    return x, y


def images_note(a: Path, b: Path) -> list[tuple[str, str]]:
    """A hint where two images do not have one size."""
    first, second = describe_image(a), describe_image(b)
    if first is None or second is None or first == second:
        return []
    return [("note", f"{first} and {second}: the spaces of images of different sizes differ, so compare with care")]


def as_metric(name: str) -> str:
    """A metric that is known. What Python offers besides names (a callable, ``cost=``) is no way out here."""
    try:
        resolve(name)
    except ValueError as error:
        raise UsageError(f"{str(error).partition(';')[0]}; choose one of {', '.join(METRICS)}") from None
    return name


def as_diameter(text: str | None) -> float | Literal["auto"] | None:
    """``auto``, a number, or None where it was left out."""
    if text is None:
        return None
    if text == "auto":
        return "auto"
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"--diameter {text}: is neither auto nor a number") from None


def as_diameter_of_pair(text: str | None) -> float | None:
    """A number, or None where it was left out. One pair's own Δ is refused, as in Python."""
    given = as_diameter(text)
    if isinstance(given, str):
        raise UsageError(
            "--diameter auto: the diameter belongs to the space, not to one pair, and distances with different ones "
            "cannot be compared; pass a number, the same for all pairs (rpw pairwise --diameter auto takes and shows "
            "that of a whole collection)"
        )
    return given


def diameter_note(
    given: object, k: float | list[float], A: CollectionLike, B: CollectionLike | None, metric: str, looks_near: bool
) -> str | None:
    """A hint where the diameter was left out, matters and hardly fits, by the rules by which Python warns."""
    prices = [float(price) for price in np.atleast_1d(k)]
    if given is not None or max(prices) == 0:
        return None
    points, ground = np.concatenate(all_clouds(A, B)), Points(resolve(metric))
    reach = ground.reach(points, points)
    if reach.is_far:
        return f"{reach.subject} {reach.length:.4g}, far more than the diameter, which was left at 1: see --diameter"
    if looks_near and ground.is_near(points, points, near_for(*prices)):
        return "all points lie far closer than the diameter, which was left at 1: outliers look near; see --diameter"
    return None


def units_note(x: rpw.Measure, y: rpw.Measure, k: float, metric: str) -> str:
    """The words of Python's warning that one column makes up nearly all of the distances; empty where there is none."""
    column = as_problem(x, y, None, None, metric=metric).leading_column if k > 0 else None
    return "" if column is None else of_one_scale(column)


def note_row(note: str | None) -> list[tuple[str, str]]:
    """A hint as a row of a table, if there is one."""
    return [] if note is None else [("note", note)]


def skipped_note(names: list[str]) -> list[tuple[str, str]]:
    """Which files of a folder were passed over."""
    return [("passed over", f"{counted(len(names), 'file')} of unknown kind, such as {names[0]}")] if names else []
