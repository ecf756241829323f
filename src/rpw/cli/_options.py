"""Options of the command line alone, and how texts become values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from rpw.base.usage import UsageError
from rpw.io.delimited import TextRules
from rpw.io.selection import Column, Selection
from rpw.pair.metrics import METRICS
from rpw.pair.metrics import as_metric as resolve
from rpw.pair.options import OPTIONS, Option

__all__ = [
    "COMMON", "DIAMETER_OF_ALL", "OF_TABLES", "QUANTILE_OF_AUTO", "READING", "SEVERAL_K", "WRITING", "argument",
    "as_selection", "check_quantile", "file", "one_of",
]  # fmt: skip

READING, WRITING = "Tables", "Files to write"  # headings of the help


def argument(metavar: str, sentence: str, kind: Any = Path) -> Option:
    """What stands on the command line without a name."""
    return Option(sentence, kind, metavar, is_argument=True)


def file(sentence: str, metavar: str = "FILE", **more: Any) -> Option:
    """The name of a file that is written."""
    return Option(sentence, Path, metavar, **{"heading": WRITING, **more})


def one_of(choices: tuple[str, ...], sentence: str, **more: Any) -> Option:
    """A word of a few."""
    return Option(sentence, str, "NAME", choices=choices, **more)


def as_metric(name: str) -> str:
    """A metric that is known. What Python offers besides names (a callable, ``cost=``) is no way out here."""
    try:
        resolve(name)
    except ValueError as error:
        reason = str(error).partition(";")[0]
        start = f"--metric {name}: " if reason.startswith("unknown") else f"{reason}; "
        raise UsageError(f"{start}choose one of {', '.join(METRICS)}") from None
    return name


def one_k(given: list[float]) -> float | None:
    """The cost; a second one is refused, where others take the last for the only one."""
    if len(given) > 1:
        raise UsageError(f"--k is given {len(given)} times, and one number is needed here; rpw profile takes several")
    return given[0] if given else None


def several_k(given: list[str]) -> list[float]:
    """Numbers with commas between them, or each after a --k of its own; none if it was left out."""
    text = ",".join(given)
    try:
        return [float(number) for number in text.split(",")] if given else []
    except ValueError:
        raise UsageError(f"--k {text!r} is neither a number nor numbers with commas between them") from None


def diameter_of_all(text: str) -> float | str:
    """``auto``, or a number."""
    try:
        return text if text == "auto" else OPTIONS["diameter"].check(float(text))  # type: ignore[misc]
    except ValueError as error:
        reason = error if str(error).startswith("--") else f"--diameter {text}: is neither auto nor a number"
        raise UsageError(str(reason)) from None


def diameter_of_pair(text: str) -> float | str:
    """A number. One pair's own Δ is refused, as in Python."""
    if text == "auto":
        raise UsageError(
            "--diameter auto: the diameter belongs to the space, not to one pair, and distances with different ones "
            "cannot be compared; pass a number, the same for all pairs: rpw diameter FILE... --quantile 0.9 computes it"
        )
    return diameter_of_all(text)


COMMON = {
    "a": argument("A", "The first file: points, or an image."),
    "b": argument("B", "The second file."),
    "many": argument("DIR|FILE", "A folder with a file for each cloud, or an NPZ or NPY file."),
    "k": replace(OPTIONS["k"], kind=list[float], default=None, otherwise="1", check=one_k),
    "metric": replace(OPTIONS["metric"], check=as_metric),
    "diameter": replace(OPTIONS["diameter"], kind=str, default=None, otherwise="1", check=diameter_of_pair),
    "as_json": Option("Print one JSON object, and nothing else.", bool, None, default=False),
}
SEVERAL_K = replace(
    COMMON["k"], kind=list[str], metavar="NUMBER[,NUMBER...]", check=several_k,
    sentence="Cost of leaving mass behind, at least 0. Several: a matrix for each.",
)  # fmt: skip
DIAMETER_OF_ALL = replace(
    COMMON["diameter"],
    sentence="Size Δ of the space, the unit of length. auto: the largest distance between any two points.",
    metavar="auto|NUMBER",
    check=diameter_of_all,
)
QUANTILE_OF_AUTO = replace(
    OPTIONS["quantile"],
    sentence="With --diameter auto: the share of the points that count, in (0, 1]. 0.9 ignores the 10 % of points "
    "farthest from a central point.",
    default=None,
    otherwise="1",
)


def check_quantile(quantile: float | None, diameter: object) -> None:
    """Raise for a quantile that has no meaning."""
    if quantile is not None and diameter != "auto":
        raise UsageError("--quantile belongs to --diameter auto: use both together, or leave out --quantile")


# ---------------------------------------------------------------- how a table is read, and what of it

_FOUND: dict[str, Any] = {"otherwise": "found in the file", "heading": READING}
OF_TABLES = {
    "columns": Option(
        "Which columns are coordinates: names, numbers from 1, or ranges, such as x,y or 1-3. A column named weight "
        "still holds the weights.",
        str, "LIST", otherwise="all", heading=READING, check=lambda text: tuple(_columns("--columns", text)),
    ),
    "exclude": Option(
        "Columns to leave out, such as a time stamp; written as for --columns.", str, "LIST", heading=READING,
        check=lambda text: tuple(_columns("--exclude", text)),
    ),
    "drop_missing": Option(
        "Leave out rows with missing values, and say how many.", bool, None, default=False, heading=READING
    ),
    "decimal": Option(
        "The decimal mark of CSV and TSV files.", str, ".|,", check=lambda mark: TextRules(mark).decimal, **_FOUND
    ),
    "header": Option(
        "Whether the first line of CSV and TSV files names the columns.", bool, None, flags="--header/--no-header",
        **_FOUND,
    ),
}  # fmt: skip


def as_selection(columns: Any, exclude: Any, drop_missing: bool, decimal: str | None, header: bool | None) -> Selection:
    """What of each table is read, and how."""
    return Selection(columns, exclude or (), drop_missing, TextRules(decimal, header))


_RANGE = re.compile(r"([0-9]{1,18})-([0-9]{1,18})")
_NUMBER = re.compile(r"[1-9][0-9]{0,17}")
_PART = re.compile(r'\s*(?:"(?P<quoted>(?:[^"]|"")+)"|(?P<plain>[^",\s][^,]*?))\s*(?P<end>,|$)')


def _columns(option: str, text: str) -> Iterator[Column]:
    """The columns of a list with commas between them. A name that has a comma, or is a number, goes in quotes."""
    if text.splitlines() not in ([], [text]):
        raise UsageError(f"{option} {text!r}: has a line break; put commas between the columns")
    place, goes_on = 0, True
    while goes_on:
        part = _PART.match(text, place)
        if part is None:
            is_quoted = text[place:].lstrip().startswith('"')
            needed = "names, numbers or ranges are needed, with commas between them"
            closed = "a quotation mark is not closed, closes an empty name, or has text after it"
            raise UsageError(f"{option} {text!r}: {closed if is_quoted else needed}")
        name = part["quoted"]
        yield _column(option, part["plain"]) if name is None else Column(name.replace('""', '"').strip())
        place, goes_on = part.end(), part["end"] == ","


def _column(option: str, text: str) -> Column:
    """A name, a number or a range, written without quotation marks."""
    numbers = _RANGE.fullmatch(text)
    if numbers is None:
        return Column(text, int(text) - 1 if _NUMBER.fullmatch(text) else None)
    first, last = int(numbers[1]), int(numbers[2])
    if not 1 <= first <= last:
        raise UsageError(f"{option} {text}: a range goes from a column to a later one, counted from 1")
    return Column(text, first - 1, last - 1)
