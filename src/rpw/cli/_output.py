"""What the commands print: a small table or JSON on stdout, one line on stderr for a user's mistake."""

from __future__ import annotations

import functools
import json
import math
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn, ParamSpec, TypeVar

import numpy as np
import typer

from rpw.base.ctrl_c import INTERRUPTED, heard
from rpw.base.usage import UsageError
from rpw.cli._layout import folded, row_lines, table_lines, terminal_width
from rpw.cli._streams import complain, stop_writing
from rpw.io.selection import MissingValueError, NoNumberError

__all__ = [
    "counted",
    "encodable",
    "guarded",
    "print_json",
    "print_lines",
    "print_rows",
    "print_table",
    "print_version",
    "seconds",
    "spelled_out",
]

P = ParamSpec("P")
R = TypeVar("R")

_PLAIN = {"≥": ">=", "–": "-"}


def guarded(command: Callable[P, R]) -> Callable[P, R]:
    """Turn what users can cause into one line on stderr and an exit code."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            with heard(), _noted():
                return command(*args, **kwargs)
        except BrokenPipeError:  # the reader of our output has gone; typer ends quietly
            raise
        except KeyboardInterrupt:
            _fail("interrupted", INTERRUPTED)
        except UsageError as error:
            _fail(_reason(error), 2)
        except (ValueError, OSError, ImportError, MemoryError, RuntimeError) as error:
            _fail(_reason(error), 1)

    return run


_notes: list[str] = []  # the warnings of Python that nobody has read yet


@contextmanager
def _noted() -> Iterator[None]:
    """Inside, warnings are kept: for the object of --json, or for a line each on stderr after a good end."""
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_: _notes.append(_as_option(str(message)))
        try:
            yield
        except Exception:  # then one line says what is wrong
            _notes.clear()
            raise
        finally:
            for note in _taken_notes():
                complain(encodable(f"note: {note}", sys.stderr.encoding))


def _taken_notes() -> list[str]:
    taken = list(dict.fromkeys(_notes))
    _notes.clear()
    return taken


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, TimeoutError):
        return str(error).replace("time_limit", "--time-limit", 1)
    hint = next((text for kind, text in _HINTS.items() if isinstance(error.__cause__, kind)), "")
    return (_as_option(str(error)) or type(error).__name__) + hint


_HINTS = {
    MissingValueError: "; --drop-missing leaves out such rows",
    NoNumberError: "; --columns says which columns to read, and --exclude which not",
}


_NAMES = (
    "p|k|tol|diameter|quantile|mass|lam|fdr|calibration|n_neighbors|device|n_threads|time_limit|"
    "n_resamples|alpha|columns|exclude|decimal"
)
_OF_DRIFT = re.compile(r"(n_resamples|alpha)=\S+ (is too few|with) .*", re.DOTALL)
_ARGUMENT = re.compile(rf"({_NAMES})(?= (must|is|has)\b)")


def _as_option(text: str) -> str:
    """A message of Python about an argument, as the command line spells it."""
    text = re.sub(r"\b(device|metric|solver|out|decimal)='([^']*)'", r"--\1 \2", text)
    text = re.sub(r"\bheader=(True|False)\b", lambda found: "--header" if found[1] == "True" else "--no-header", text)
    text = re.sub(r"\btol (?=must bound|> 0)", "--tol ", text)
    if _OF_DRIFT.fullmatch(text):
        text = re.sub(r"\b(n_resamples|alpha)=(?=\d)", lambda found: f"{_option(found[1])} ", text)
    named = _ARGUMENT.match(text)
    return text if named is None else f"{_option(named[0])}{text[named.end() :]}"


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _fail(message: str, code: int) -> NoReturn:
    complain(encodable(message, sys.stderr.encoding))
    raise typer.Exit(code)


def print_version(version: str) -> None:
    """One line: the program and its version."""
    with _on_stdout():
        print(f"rpw {version}")


def print_json(answer: Mapping[str, Any]) -> None:
    """One line of JSON; numbers that JSON lacks become the texts "inf", "-inf" and "nan"."""
    notes = _taken_notes()
    with _on_stdout():
        print(json.dumps(_plain({**answer, "warnings": notes} if notes else answer), allow_nan=False))


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
    _print([part for line in lines for part in folded(_shown(line), terminal_width())])


def print_rows(rows: Iterable[tuple[str, str]]) -> None:
    """Names and what they are, in two columns; long entries are folded."""
    _print(row_lines([(_shown(name), _shown(entry)) for name, entry in rows], terminal_width()))


def print_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table with a header; numbers go to the right."""
    cells = [[_shown(cell) for cell in row] for row in rows]
    _print(table_lines([_shown(name) for name in header], cells, terminal_width()))


def _shown(text: str) -> str:
    return encodable(text, sys.stdout.encoding)


def _print(lines: Iterable[str]) -> None:
    """Print without blanks at the ends of lines: they trouble whoever reads a pipe."""
    with _on_stdout():
        for line in lines:
            typer.echo(line.rstrip(" "))


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


def encodable(text: str, encoding: str | None) -> str:
    """The text of one line, with escapes for what the terminal cannot show (a file may have any name)."""
    encoding = encoding or "utf-8"
    shown = "".join(c if c.isprintable() or 0xDC80 <= ord(c) <= 0xDCFF else " " for c in text)
    return shown.encode(encoding, "backslashreplace").decode(encoding)


def spelled_out(text: str) -> str:
    """Signs of our own that the terminal lacks, by signs that all have: escapes are so wide that they break numbers."""
    for sign, plain in _PLAIN.items():
        if encodable(sign, sys.stdout.encoding) != sign:
            text = text.replace(sign, plain)
    return text


def counted(count: int, noun: str) -> str:
    """A number of things, such as ``1 file`` or ``2 files``."""
    return f"{count:,} {noun}{'s' * (count != 1)}"


def seconds(since: float, now: float) -> str:
    """A duration for people."""
    return f"{now - since:.3g} s" if now - since < 100 else f"{now - since:,.0f} s"
