"""The options that say how a table is read, and what of it. `reads_tables` gives them to a command."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Annotated, Any, get_type_hints

import typer

from rpw.base.usage import UsageError
from rpw.cli._options import READING, usage
from rpw.io.delimited import TextRules
from rpw.io.selection import Column, Selection

__all__ = ["Decimal", "Header", "reads_tables"]

Decimal = Annotated[
    str | None,
    typer.Option(
        "--decimal",
        metavar=".|,",
        help="The decimal mark of CSV and TSV files.",
        show_default="found in the file",
        rich_help_panel=READING,
    ),
]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the first line of CSV and TSV files names the columns.",
        show_default="found in the file",
        rich_help_panel=READING,
    ),
]
_Columns = Annotated[
    str | None,
    typer.Option(
        "--columns",
        metavar="LIST",
        help="Which columns are coordinates: names, numbers from 1, or ranges, such as x,y or 1-3. A column named "
        "weight still holds the weights.",
        show_default="all",
        rich_help_panel=READING,
    ),
]
_Exclude = Annotated[
    str | None,
    typer.Option(
        "--exclude",
        metavar="LIST",
        help="Columns to leave out, such as a time stamp; written as for --columns.",
        rich_help_panel=READING,
    ),
]
_DropMissing = Annotated[
    bool,
    typer.Option(
        "--drop-missing", help="Leave out rows with missing values, and say how many.", rich_help_panel=READING
    ),
]
_OPTIONS: dict[str, tuple[Any, Any]] = {
    "columns": (_Columns, None),
    "exclude": (_Exclude, None),
    "drop_missing": (_DropMissing, False),
    "decimal": (Decimal, None),
    "header": (Header, None),
}


def reads_tables(command: Callable[..., None]) -> Callable[..., None]:
    """The command, whose parameter ``wanted`` became the options that make up a `Selection`."""

    @wraps(command)
    def run(**given: Any) -> None:
        wanted = _as_selection(**{name: given.pop(name) for name in _OPTIONS})
        command(**given, wanted=wanted)

    types = get_type_hints(command, include_extras=True)
    kept = [each.replace(annotation=types[name]) for name, each in inspect.signature(command).parameters.items()]
    place = next(place for place, each in enumerate(kept) if each.name == "wanted")
    kept[place : place + 1] = [
        inspect.Parameter(name, kept[place].kind, annotation=kind, default=default)
        for name, (kind, default) in _OPTIONS.items()
    ]
    run.__signature__ = inspect.Signature(kept)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in kept}
    return run


def _as_selection(
    columns: str | None, exclude: str | None, drop_missing: bool, decimal: str | None, header: bool | None
) -> Selection:
    with usage():
        rules = TextRules(decimal, header)
    chosen = None if columns is None else tuple(_columns("--columns", columns))
    return Selection(chosen, () if exclude is None else tuple(_columns("--exclude", exclude)), drop_missing, rules)


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
