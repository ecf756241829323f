"""Options and small helpers that several commands share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import typer

import rpw
from rpw.base.advice import about_diameter
from rpw.base.check import as_device, as_share
from rpw.base.deadline import deadline_after
from rpw.base.usage import UsageError
from rpw.cli._output import counted
from rpw.io.readers import Collection, describe_image, select_pair
from rpw.io.selection import Selection
from rpw.io.tables import Table
from rpw.many.diameter import all_clouds
from rpw.measure import CollectionLike
from rpw.pair.metrics import METRICS
from rpw.pair.metrics import as_metric as resolve
from rpw.pair.problem import as_problem
from rpw.pair.question import SOLVERS, as_question

DISTANCE, READING, WRITING = "Distance", "Tables", "Files to write"  # headings of the help
_DEVICES = ("cpu", "cuda", "cuda:N")


def path(text: str) -> Path:
    """A path that says something: an unset variable of a shell would mean the current folder, a blank a new one."""
    if not str(text).strip():
        raise typer.BadParameter("the path is empty" if not str(text) else "the path is blank")
    return Path(text)


def one_of(option: str, names: Sequence[str], help: str, group: str | None = None, **more: Any) -> Any:
    """An option with a fixed set of values: the help lists them, and a shell completes them; see `check_choice`."""
    return typer.Option(
        option,
        metavar="NAME",
        help=f"{help} One of: {', '.join(names)}.",
        autocompletion=lambda incomplete: [name for name in names if name.startswith(incomplete)],
        rich_help_panel=group,
        **more,
    )


def check_choice(option: str, value: str, names: Sequence[str]) -> None:
    """Raise unless the value is one of these."""
    if value not in names:
        raise UsageError(f"{option} {value}: choose one of {', '.join(names)}")


First = Annotated[Path, typer.Argument(metavar="A", parser=path, help="The first file: points, or an image.")]
Second = Annotated[Path, typer.Argument(metavar="B", parser=path, help="The second file.")]
Many = Annotated[
    Path,
    typer.Argument(metavar="DIR|FILE", parser=path, help="A folder with a file for each cloud, or an NPZ or NPY file."),
]
P = Annotated[float, typer.Option("--p", metavar="NUMBER", help="Exponent p, from 1 to inf.", rich_help_panel=DISTANCE)]
K = Annotated[
    list[float] | None,
    typer.Option(
        "--k",
        metavar="NUMBER",
        help="Cost of leaving mass behind, at least 0.",
        show_default="1",
        rich_help_panel=DISTANCE,
    ),
]
SeveralK = Annotated[
    list[str] | None,
    typer.Option(
        "--k",
        metavar="NUMBER[,NUMBER...]",
        help="Cost of leaving mass behind. RPW is shown for the numbers given and for 0.1, 1 and 10; --plot draws only "
        "the numbers given.",
        show_default="1",
        rich_help_panel=DISTANCE,
    ),
]
Metric = Annotated[str, one_of("--metric", METRICS, "Distance between two points.", DISTANCE)]
Diameter = Annotated[
    str | None,
    typer.Option(
        "--diameter",
        metavar="auto|NUMBER",
        help="Size Δ of the space, the unit of length. auto: the largest distance between any two points.",
        show_default="1",
        rich_help_panel=DISTANCE,
    ),
]
Quantile = Annotated[
    float | None,
    typer.Option(
        "--quantile",
        metavar="SHARE",
        help="With --diameter auto: the share of the points that count, in (0, 1]. 0.9 ignores the 10 % of points "
        "farthest from a central point.",
        show_default="1",
        rich_help_panel=DISTANCE,
    ),
]
DiameterOfPair = Annotated[
    str | None,
    typer.Option(
        "--diameter",
        metavar="NUMBER",
        help="Size Δ of the space, the unit of length: one number for all pairs that you compare. rpw diameter "
        "computes it.",
        show_default="1",
        rich_help_panel=DISTANCE,
    ),
]
Tol = Annotated[
    float,
    typer.Option(
        "--tol", metavar="NUMBER", help="Error allowed in the distance; 0 means exact.", rich_help_panel=DISTANCE
    ),
]
Solver = Annotated[str, one_of("--solver", SOLVERS, "Algorithm; lmr and bisection need --tol.", DISTANCE)]
TimeLimit = Annotated[
    float | None,
    typer.Option("--time-limit", metavar="SECONDS", help="Give up after this many seconds, with exit code 1."),
]
NThreads = Annotated[
    int | None, typer.Option("--n-threads", metavar="NUMBER", min=1, help="Threads.", show_default="all cores")
]
Device = Annotated[
    str, one_of("--device", _DEVICES, "Where to compute; cuda is an NVIDIA GPU, cuda:N the GPU number N.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object, and nothing else.")]


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


def check_device_name(device: str) -> None:
    """Raise unless it is the name of a device, be there one or not."""
    try:
        as_device(device)
    except ValueError:
        raise UsageError(f"--device {device}: choose one of {', '.join(_DEVICES)}") from None


def as_one_k(given: list[float] | None) -> float:
    """The cost; a second one is refused, where others take the last for the only one."""
    if given is not None and len(given) > 1:
        raise UsageError(f"--k is given {len(given)} times, and one number is needed here; rpw profile takes several")
    return given[0] if given else 1.0


def as_several_k(given: list[str] | None) -> list[float]:
    """Numbers with commas between them, or each after a --k of its own; none if it was left out."""
    if not given:
        return []
    text = ",".join(given)
    try:
        return [float(number) for number in text.split(",")]
    except ValueError:
        raise UsageError(f"--k {text!r} is neither a number nor numbers with commas between them") from None


# ---------------------------------------------------------------- what is read


def read_pair(a: Path, b: Path, wanted: Selection) -> tuple[Table, Table]:
    """The points of two files that fit together."""
    one, other = select_pair(a, b, wanted)
    x, y = one.measure, other.measure
    if x.dimension != y.dimension:
        text = f"the points of {a} have {x.dimension} coordinates, those of {b} have {y.dimension}"
        kinds = [kind for kind in (describe_image(a), describe_image(b)) if kind is not None]
        raise ValueError(f"{text}: {' and '.join(kinds)}" if len(kinds) == 2 else text)
    return one, other


def notes_of_tables(a: Path, one: Table, b: Path, other: Table) -> list[tuple[str, str]]:
    """Which columns of two tables were taken for weights, and how many rows were left out."""
    tables = (a, one), (b, other)
    heavy = [f"column {each.weighed_by!r} of {path}" for path, each in tables if each.weighed_by]
    missing = [f"{each.dropped:,} of {path}" for path, each in tables if each.dropped]
    rows = [("weights", ", ".join(heavy))] if heavy else []
    return [*rows, ("left out", f"rows with missing values: {', '.join(missing)}")] if missing else rows


def dropped_of(*collections: Collection | None) -> list[tuple[str, str]]:
    """How many rows of collections were left out."""
    count = sum(each.dropped for each in collections if each is not None)
    return [("left out", f"{counted(count, 'row')} with missing values")] if count else []


def images_note(a: Path, b: Path) -> str | None:
    """A hint if two images do not have the same size."""
    first, second = describe_image(a), describe_image(b)
    if first is None or second is None or first == second:
        return None
    return f"{first} and {second}: images of different sizes lie in different spaces, so compare with care"


# ---------------------------------------------------------------- what is asked


def as_metric(name: str) -> str:
    """A metric that is known. What Python offers besides names (a callable, ``cost=``) is no way out here."""
    try:
        resolve(name)
    except ValueError as error:
        reason = str(error).partition(";")[0]
        start = f"--metric {name}: " if reason.startswith("unknown") else f"{reason}; "
        raise UsageError(f"{start}choose one of {', '.join(METRICS)}") from None
    return name


def as_diameter(text: str | None, quantile: float | None = None) -> float | Literal["auto"] | None:
    """``auto``, a number, or None if it was left out; raises for a quantile that has no meaning beside it."""
    if quantile is not None:
        if text != "auto":
            raise UsageError("--quantile belongs to --diameter auto: use both together, or leave out --quantile")
        with usage():
            as_share(quantile, "quantile")
    if text is None:
        return None
    if text == "auto":
        return "auto"
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"--diameter {text}: is neither auto nor a number") from None


def diameter_of(A: CollectionLike, B: CollectionLike | None, metric: str, quantile: float | None) -> float:
    """Δ of everything in the collections, which must be positive."""
    span = rpw.diameter(A, B, metric=metric, quantile=1.0 if quantile is None else quantile)
    if span > 0:
        return span
    points = "all points are equal" if quantile in (None, 1) else "all points that --quantile counts are equal"
    raise ValueError(f"--diameter auto must be positive, and here it is 0: {points}; pass a number")


def as_diameter_of_pair(text: str | None) -> float | None:
    """A number, or None if it was left out. One pair's own Δ is refused, as in Python."""
    given = as_diameter(text)
    if isinstance(given, str):
        raise UsageError(
            "--diameter auto: the diameter belongs to the space, not to one pair, and distances with different ones "
            "cannot be compared; pass a number, the same for all pairs: rpw diameter FILE... --quantile 0.9 computes it"
        )
    return given


def diameter_note(
    given: object, k: float | list[float], A: CollectionLike, B: CollectionLike | None, metric: str, looks_near: bool
) -> str | None:
    """A hint if the diameter was left out, matters and hardly fits, by the rules by which Python warns."""
    prices = [float(price) for price in np.atleast_1d(k)]
    if given is not None or max(prices) == 0:
        return None
    points = np.concatenate(all_clouds(A, B))
    way_out = "rpw diameter FILE... --quantile 0.9 computes one for --diameter"
    return about_diameter(resolve(metric).extent(points, points), *(prices if looks_near else []), way_out=way_out)


def units_note(x: rpw.Measure, y: rpw.Measure, k: float, metric: str, *way_out: str) -> str | None:
    """The words of Python's warning that one column makes up nearly all of the distances, if it does."""
    return as_problem(x, y, None, None, metric=metric).about_units(*way_out) if k > 0 else None


def note_row(*notes: str | None) -> list[tuple[str, str]]:
    """Hints as rows of a table; None is no hint."""
    return [("note", note) for note in notes if note is not None]


def joined(*notes: str | None) -> str | None:
    """Hints as one text, for JSON; None is no hint."""
    return "; ".join(note for note in notes if note is not None) or None


def skipped_note(names: list[str]) -> list[tuple[str, str]]:
    """Which files of a folder were passed over."""
    return [("passed over", f"{counted(len(names), 'file')} of unknown kind, such as {names[0]}")] if names else []
