"""What the commands print: text of at most 80 columns or JSON on stdout, one line on stderr for a mistake, one bar."""

import functools
import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn, ParamSpec, TypeVar

import numpy as np
import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from rpw_paper.base import Report, UsageError, silent

P = ParamSpec("P")
R = TypeVar("R")

_WIDTH = 80


def guarded(command: Callable[P, R]) -> Callable[P, R]:
    """Turn what users can cause into one line on stderr and an exit code."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except BrokenPipeError:  # the reader of our output has gone; typer ends quietly
            raise
        except KeyboardInterrupt:
            _fail("interrupted", 130)
        except OSError as error:
            _fail(f"{error.filename}: {error.strerror}" if error.filename and error.strerror else str(error), 1)
        except (ValueError, ImportError, MemoryError, RuntimeError) as error:
            _fail(str(error) or type(error).__name__, 2 if isinstance(error, UsageError) else 1)

    return run


def _fail(message: str, code: int) -> NoReturn:
    print(f"rpw-paper: {' '.join(message.split())}", file=sys.stderr)
    raise typer.Exit(code)


def print_json(answer: Mapping[str, Any]) -> None:
    """One line of JSON; numbers that JSON lacks become the texts "inf", "-inf" and "nan"."""
    print(json.dumps(_plain(answer), allow_nan=False))


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def print_lines(lines: Iterable[str]) -> None:
    """Plain text, folded at the width of the terminal."""
    for line in lines:
        _print(Text(line))


def print_rows(rows: Iterable[tuple[str, str]]) -> None:
    """Names and what they are, in two columns; long entries are folded."""
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, entry in rows:
        table.add_row(Text(name, "bold"), Text(entry))
    _print(table)


def print_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table with a header; numbers go to the right."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    cells = [list(row) for row in rows]
    for column, name in enumerate(header):
        numeric = all(row[column].replace(".", "", 1).replace("e-", "", 1).isdigit() for row in cells)
        table.add_column(Text(name), justify="right" if numeric else "left", overflow="fold", no_wrap=numeric)
    for row in cells:
        table.add_row(*map(Text, row))
    _print(table)


def _print(what: Table | Text) -> None:
    """Print without the blanks that rich fills lines with: they trouble whoever reads a pipe."""
    console = Console(highlight=False, markup=False, emoji=False)
    console.width = min(console.width, _WIDTH)
    with console.capture() as captured:
        console.print(what)
    for line in captured.get().rstrip("\n").split("\n"):
        print(line.rstrip(" "))


def counted(count: int, noun: str) -> str:
    """A number of things, such as ``1 file`` or ``2 files``."""
    return f"{count:,} {noun}{'s' * (count != 1)}"


@contextmanager
def bar(is_quiet: bool) -> Iterator[Report]:
    """Gives the function to tell what share of the work is done, and what comes now: a bar, for a person at a terminal
    alone, that vanishes at the end."""
    console = Console(stderr=True, highlight=False, markup=False, emoji=False)
    if is_quiet or not sys.stderr.isatty() or console.is_dumb_terminal:
        yield silent
        return
    console.width = min(console.width, _WIDTH)
    columns = (BarColumn(bar_width=30), TaskProgressColumn(), TimeRemainingColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=console, transient=True, speed_estimate_period=math.inf) as shown:
        task = shown.add_task("", total=1.0)
        yield lambda share, what: shown.update(task, completed=share, description=escape(what))
