"""How a message calls an argument: ``tol=0.1``, or ``--tol 0.1`` inside the command ``rpw``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["name_of", "on_command_line", "setting"]

_is_on_command_line = False  # of the process, and not of a context: messages of its threads are read there too


@contextmanager
def on_command_line() -> Iterator[None]:
    """Within, arguments are options of the command."""
    global _is_on_command_line
    _is_on_command_line = True
    try:
        yield
    finally:
        _is_on_command_line = False


def name_of(argument: str) -> str:
    """``time_limit``, or ``--time-limit``."""
    return f"--{argument.replace('_', '-')}" if _is_on_command_line else argument


def setting(argument: str, value: object) -> str:
    """An argument and its value, as somebody would pass it."""
    shown = f"{value:g}" if isinstance(value, float) else str(value)
    if not _is_on_command_line:
        return f"{argument}={value!r}" if isinstance(value, str) else f"{argument}={shown}"
    if isinstance(value, bool):
        return name_of(argument if value else f"no_{argument}")
    return f"{name_of(argument)} {shown}"
