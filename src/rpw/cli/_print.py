"""One printer for results, and one for errors: lines that fit the terminal, or JSON, on stdout; one line on stderr.

From 40 columns on, no line ends within a number.
"""

from __future__ import annotations

import json
import math
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import typer
from rich.cells import cell_len
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.text import Text

from rpw.cli._streams import complain, stop_writing

__all__ = ["Answer", "Table", "bar", "complain_in_a_line", "counted", "is_for_person", "print_answer"]

WIDTH = 80
_LEAST = 32
_GAP = "  "
_LEAST_COLUMN = 9  # columns of words get no narrower: "together)" is a word of ours
_PLAIN = {"≥": ">=", "–": "-"}  # where the terminal lacks a sign of ours: an escape is so wide that it breaks numbers

Rows = list[tuple[str, str]]


class Table(NamedTuple):
    """A table with a header; numbers go to the right."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]


class Answer(NamedTuple):
    """What a command has found: the facts for ``--json``, what people are shown, and the exit code."""

    facts: Mapping[str, Any]
    shown: Sequence[str | Rows | Table]
    code: int = 0


def print_answer(answer: Answer, as_json: bool, seconds: float, notes: list[str]) -> None:
    """All that goes to stdout. Rows at the end say how long it took; with ``as_json``, warnings are among the facts."""
    if as_json:
        more = {"warnings": notes} if notes else {}
        lines = [json.dumps(_as_json({**answer.facts, "seconds": seconds, **more}), allow_nan=False)]
    else:
        *blocks, last = answer.shown
        took = f"{seconds:.3g} s" if seconds < 100 else f"{seconds:,.0f} s"
        blocks.append([*last, ("time", took)] if isinstance(last, list) else last)
        width = max(_LEAST, min(shutil.get_terminal_size().columns, WIDTH))
        lines = [line.rstrip(" ") for block in blocks for line in _lines(block, width)]
    with _on_stdout():
        for line in lines:
            typer.echo(line)


def _as_json(value: Any) -> Any:
    """Numbers that JSON lacks become the texts "inf", "-inf" and "nan"."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _as_json(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_as_json(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


@contextmanager
def _on_stdout() -> Iterator[None]:
    """Print at once, so that what cannot be printed is an error now; it names stdout, as others name their file."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        stop_writing(sys.stdout)
        raise OSError(error.errno, error.strerror, "stdout") from error


def complain_in_a_line(message: str) -> None:
    """What went wrong, or a note, on stderr."""
    complain(_encodable(message, sys.stderr.encoding))


def _encodable(text: str, encoding: str | None) -> str:
    """The text of one line, with escapes for what the terminal cannot show (a file may have any name)."""
    encoding = encoding or "utf-8"
    shown = "".join(c if c.isprintable() or 0xDC80 <= ord(c) <= 0xDCFF else " " for c in text)
    return shown.encode(encoding, "backslashreplace").decode(encoding)


def counted(count: int, noun: str) -> str:
    """A number of things, such as ``1 file`` or ``2 files``."""
    return f"{count:,} {noun}{'s' * (count != 1)}"


# ---------------------------------------------------------------- lines that fit


def _lines(block: str | Rows | Table, width: int) -> list[str]:
    if isinstance(block, str):
        return folded(_shown(block), width)
    if isinstance(block, Table):
        header, *rows = ([_shown(_in_plain_signs(cell)) for cell in row] for row in (block.header, *block.rows))
        return table_lines(header, rows, width)
    return row_lines([(_shown(name), _shown(entry)) for name, entry in block], width)


def _shown(text: str) -> str:
    return _encodable(text, sys.stdout.encoding)


def _in_plain_signs(text: str) -> str:
    for sign, plain in _PLAIN.items():
        text = text if _shown(sign) == sign else text.replace(sign, plain)
    return text


def folded(text: str, width: int) -> list[str]:
    """The lines of a text: they end at blanks, and within a word only if it is longer than a line."""
    return [line.plain.rstrip() for line in Text(text).wrap(Console(width=width), width, overflow="fold")] or [""]


def row_lines(rows: Sequence[tuple[str, str]], width: int) -> list[str]:
    """Names and what they are, in two columns."""
    column = max((cell_len(name) for name, _ in rows), default=0)
    return [
        _padded("" if place else name, column, bold=True) + _GAP + line
        for name, entry in rows
        for place, line in enumerate(folded(entry, width - column - len(_GAP)))
    ]


def table_lines(header: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """The table; as names and entries, one below the other, where it does not fit."""
    columns = [list(column) for column in zip(header, *rows, strict=True)]
    widths = _widths(columns, width - len(_GAP) * (len(columns) - 1))
    if widths is None:
        blocks = ([pair for pair in zip(header, row, strict=True) if pair[1]] for row in rows)
        return [line for block in blocks for line in [*row_lines(block, width), ""]][:-1]
    to_the_right = [all(map(_is_number, column[1:])) for column in columns]
    lines = []
    for row in [header, *rows]:
        cells = [folded(cell, each) for cell, each in zip(row, widths, strict=True)]
        for place in range(max(map(len, cells))):
            parts = [cell[place] if place < len(cell) else "" for cell in cells]
            padded = zip(parts, widths, to_the_right, strict=True)
            lines.append(_GAP.join(_padded(*part, bold=row is header) for part in padded))
    return lines


def _widths(columns: Sequence[Sequence[str]], room: int) -> list[int] | None:
    """The widths of the columns, the widest ones made narrower until all fit; None if that would break a number."""
    widths = [max(map(cell_len, column)) for column in columns]
    figures = ([word for cell in column for word in cell.split() if any(map(str.isdigit, word))] for column in columns)
    least = [max(_LEAST_COLUMN, *map(cell_len, words), 0) for words in figures]
    while sum(widths) > room:
        wide = [place for place, each in enumerate(widths) if each > least[place]]
        if not wide:
            return None
        widths[max(wide, key=widths.__getitem__)] -= 1
    return widths


def _is_number(text: str) -> bool:
    try:
        return bool(float(text.replace(",", ""))) or True
    except ValueError:
        return False


def _padded(text: str, width: int, to_right: bool = False, *, bold: bool = False) -> str:
    blanks = " " * (width - cell_len(text))
    shown = typer.style(text, bold=True) if bold and text else text
    return blanks + shown if to_right else shown + blanks


# ---------------------------------------------------------------- while it takes


def is_for_person(is_quiet: bool) -> bool:
    """Whether somebody looks at what is under way."""
    return not is_quiet and sys.stderr.isatty()


@contextmanager
def bar(is_quiet: bool, noun: str) -> Iterator[Callable[[int, int], object]]:
    """A bar with the time left; gives the function to tell how many are done, of how many."""
    console = Console(stderr=True, highlight=False, markup=False, emoji=False)
    if not is_for_person(is_quiet) or console.is_dumb_terminal:
        yield lambda *_: None
        return
    console.width = min(console.width, WIDTH)
    left = TimeRemainingColumn(compact=True)
    columns = (BarColumn(bar_width=30), TaskProgressColumn(), left, TextColumn("left {task.description}"))
    with Progress(*columns, console=console, transient=True, speed_estimate_period=3600) as shown:
        task = shown.add_task("", total=1.0)
        yield lambda done, total: shown.update(task, completed=done / max(total, 1), description=f"{total:,} {noun}")
