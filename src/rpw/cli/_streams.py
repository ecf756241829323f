"""stdout and stderr where they are closed, or lie on a disk that is full."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from io import TextIOWrapper
from typing import TextIO

__all__ = ["complain", "escape_what_has_no_code", "open_what_is_closed", "stop_writing"]


def open_what_is_closed() -> None:
    """Without a stdout or stderr (``rpw ... >&-``) Python has None there, and whatever prints would fail."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 (open to the end)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115


def escape_what_has_no_code() -> None:
    """A sign that the terminal does not know must not cost the rest of the output. (stderr does so by itself.)"""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def stop_writing(stream: TextIO) -> None:
    """What is still to be written goes nowhere: Python tries it again at its end, and would show a traceback."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def complain(message: str) -> None:
    """One line on stderr. Where that cannot be written, the exit code still tells."""
    try:
        print(f"rpw: {message}", file=sys.stderr, flush=True)
    except OSError:
        stop_writing(sys.stderr)
