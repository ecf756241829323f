"""Commands: a function, its examples, and what the registry knows of its parameters.

A parameter has the name of an option of `rpw.pair.options`, of `rpw.cli._options`, or of one that the command brings
along. Its value is checked before the function runs; what the function gives is printed here, and so are errors.
"""

from __future__ import annotations

import inspect
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from rpw.base.ctrl_c import INTERRUPTED, heard
from rpw.base.spelling import on_command_line
from rpw.base.usage import UsageError
from rpw.cli._options import COMMON, OF_TABLES, as_selection
from rpw.cli._print import Answer, complain_in_a_line, print_answer
from rpw.io.selection import MissingValueError, NoNumberError
from rpw.pair.options import OPTIONS, Option

__all__ = ["Command", "command", "fail", "usage"]


class Command:
    """A function as a command of the program."""

    def __init__(self, function: Callable[..., Answer], heading: str, examples: Sequence[str], own: dict[str, Option]):
        self.function, self.heading, self.examples = function, heading, examples
        known = {**OPTIONS, **COMMON, **own}
        self.options: dict[str, Option] = {}
        for name in inspect.signature(function).parameters:
            self.options |= OF_TABLES if name == "wanted" else {name: known[name]}

    def add_to(self, app: typer.Typer) -> None:
        """Register it."""

        def run(**given: Any) -> None:
            self._run(given)

        parameters = [_parameter(name, option) for name, option in self.options.items()]
        run.__signature__ = inspect.Signature(sorted(parameters, key=_has_default))  # type: ignore[attr-defined]
        run.__annotations__ = {each.name: each.annotation for each in parameters}
        about = "\n\n".join(" ".join(each.split()) for each in (self.function.__doc__ or "").split("\n\n"))
        epilog = "\n\n".join(["Examples:", *self.examples])
        app.command(self.function.__name__, help=about, epilog=epilog, rich_help_panel=self.heading)(run)

    def _run(self, given: dict[str, Any]) -> None:
        start, as_json = time.perf_counter(), given["as_json"]
        with _errors_told(), on_command_line(), heard(), _notes_told(as_json) as notes:
            answer = self.function(**self._checked(given))
            print_answer(answer, as_json, time.perf_counter() - start, list(dict.fromkeys(notes)))
        if answer.code:
            raise typer.Exit(answer.code)

    def _checked(self, given: dict[str, Any]) -> dict[str, Any]:
        """The values in range; the options of tables become a `Selection`."""
        with usage():
            for name, option in self.options.items():
                value, flag = given[name], _flag(name)
                if value is None or value is False:
                    continue
                for other in option.excludes:
                    if given[other]:
                        raise UsageError(f"{flag} and {_flag(other)}: choose one of them")
                if option.check is not None:
                    given[name] = option.check(value)
                elif option.choices and value not in option.choices:
                    raise UsageError(f"{flag} {value}: choose one of {', '.join(option.choices)}")
        if "wanted" in inspect.signature(self.function).parameters:
            given["wanted"] = as_selection(**{name: given.pop(name) for name in OF_TABLES})
        return given


def command(heading: str, *examples: str, **own: Option) -> Callable[[Callable[..., Answer]], Command]:
    """Make a command of a function; ``heading`` is the one that it stands under."""
    return partial(Command, heading=heading, examples=examples, own=own)


def _flag(name: str) -> str:
    return f"--{name.removeprefix('as_').replace('_', '-')}"


def _parameter(name: str, option: Option) -> inspect.Parameter:
    """What typer makes an option of."""
    described: dict[str, Any] = {"metavar": option.metavar, "help": option.sentence, "rich_help_panel": option.heading}
    if option.kind in (Path, list[Path]):
        described["parser"] = _path
    if option.is_argument:
        info = typer.Argument(**described)
    else:
        if option.choices:
            described["help"] += f" One of: {', '.join(option.choices)}."
            described["autocompletion"] = lambda incomplete: [
                each for each in option.choices if each.startswith(incomplete)
            ]
        info = typer.Option(option.flags or _flag(name), show_default=option.otherwise or True, **described)
    is_needed = option.is_argument or option.is_needed
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        annotation=Annotated[option.kind if is_needed or option.default is not None else option.kind | None, info],
        default=inspect.Parameter.empty if is_needed else option.default,
    )


def _has_default(parameter: inspect.Parameter) -> bool:
    return parameter.default is not inspect.Parameter.empty


def _path(text: str) -> Path:
    """A path that says something: an unset variable of a shell would mean the current folder, a blank a new one."""
    if not str(text).strip():
        raise typer.BadParameter("the path is empty" if not str(text) else "the path is blank")
    return Path(text)


# ---------------------------------------------------------------- what goes wrong


@contextmanager
def usage() -> Iterator[None]:
    """What is wrong in here is wrong on the command line itself: nothing has been read yet."""
    try:
        yield
    except ValueError as error:
        raise UsageError(str(error)) from None


@contextmanager
def _errors_told() -> Iterator[None]:
    """Turn what users can cause into one line on stderr and an exit code."""
    try:
        yield
    except BrokenPipeError:  # the reader of our output has gone; typer ends quietly
        raise
    except KeyboardInterrupt:
        fail("interrupted", INTERRUPTED)
    except (ValueError, OSError, ImportError, MemoryError, RuntimeError) as error:
        fail(_reason(error), 2 if isinstance(error, UsageError) else 1)


@contextmanager
def _notes_told(as_json: bool) -> Iterator[list[str]]:
    """Inside, each warning is a line on stderr, at once; or with ``as_json`` a fact."""
    notes: list[str] = []
    tell = notes.append if as_json else lambda text: complain_in_a_line(f"note: {text}")
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_: tell(str(message))
        yield notes


_WAYS_OUT = {
    MissingValueError: "; --drop-missing leaves out such rows",
    NoNumberError: "; --columns says which columns to read, and --exclude which not",
}


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}"
    way_out = next((text for kind, text in _WAYS_OUT.items() if isinstance(error.__cause__, kind)), "")
    return (str(error) or type(error).__name__) + way_out


def fail(message: str, code: int) -> NoReturn:
    """End with one line."""
    complain_in_a_line(message)
    raise typer.Exit(code)
