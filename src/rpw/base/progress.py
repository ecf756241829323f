"""How far a long call has come: a bar over many pairs, a line for one, or a function of the caller."""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

from rpw.base.extras import import_extra

__all__ = ["Progress", "ProgressOfOne", "Tell", "progress_bar", "progress_line"]

Progress = bool | Callable[[int, int], object]  # whether to show a bar, or a function to call with (done, total)
# Whether to show a line, or a function to call with the share of mass that is moved, and two bounds.
ProgressOfOne = bool | Callable[[float, float, float], object]
# The same as the core tells it: with what is being done, and the pivots that it took so far.
Tell = Callable[[float, float, float, str, int], object]

_BEFORE_FIRST = 2.0  # seconds: what is over sooner needs no line
_ON_TERMINAL, _ELSEWHERE = 0.5, 5.0  # seconds between two lines
_BAR_ON_SCREEN = 0.1  # seconds between two looks of a bar


class progress_bar:  # noqa: N801 (reads as a verb: with progress_bar(...) as report)
    """A tqdm bar, or the caller's function, or nothing; itself the function that is told how many are done."""

    def __init__(self, total: int, progress: Progress, unit: str = "pair", initial: int = 0) -> None:
        self.done = initial
        self._bar: Any = None
        self._tell = progress if callable(progress) else None
        self._total = total
        if self._tell is not None:
            self._tell(initial, total)
        elif progress and sys.stderr is not None:
            tqdm: Any = import_extra("tqdm.auto", "progress=True needs").tqdm

            class Bar(tqdm):  # type: ignore[misc]
                monitor_interval = 0  # else tqdm starts a thread that outlives the call

            pause = _BAR_ON_SCREEN if _is_looked_at(sys.stderr) else _ELSEWHERE
            # Without miniters, tqdm guesses how many pairs to wait for, and is silent once pairs take longer.
            self._bar = Bar(total=total, unit=unit, initial=initial, mininterval=pause, miniters=1)

    def __enter__(self) -> progress_bar:
        return self

    def __call__(self, done: int) -> None:
        """Pass on how many are done."""
        self.done = done
        if self._tell is not None:
            self._tell(done, self._total)
        elif self._bar is not None:
            self._bar.update(done - self._bar.n)

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()


def _is_looked_at(stream: TextIO) -> bool:
    """Whether somebody sees each look of a bar before it is written over: not in a file."""
    return stream.isatty() or "ipykernel" in sys.modules  # a notebook's stream is no terminal


@contextmanager
def progress_line(progress: ProgressOfOne, bounded: str = "the answer") -> Iterator[Tell | None]:
    """Gives the function to tell how far one solve has come: that of a line on stderr, the caller's, or none.

    ``bounded`` says in words what the bounds are on.
    """
    if callable(progress):
        yield lambda moved, lower, upper, stage, pivots: progress(moved, lower, upper)
    elif not progress or sys.stderr is None:
        yield None
    else:
        line = _Line(sys.stderr, bounded)
        try:
            yield line.tell
        finally:
            line.erase()


class _Line:
    """On a terminal one line, which is written over and vanishes at the end; elsewhere a new line now and then."""

    def __init__(self, stream: TextIO, bounded: str) -> None:
        self._stream, self._bounded, self._start = stream, bounded, time.monotonic()
        self._is_terminal = stream.isatty()
        self._next, self._width = self._start + _BEFORE_FIRST, 0

    def tell(self, moved: float, lower: float, upper: float, stage: str, pivots: int) -> None:
        """Write, unless the last line is too fresh. Bounds may stand still for long; pivots never do."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + (_ON_TERMINAL if self._is_terminal else _ELSEWHERE)
        bounds = f"in [{lower:.6g}, {upper:.6g}]" if math.isfinite(upper) else f"at least {lower:.6g}"
        doing = f"{stage}, {pivots:,} pivots".removeprefix(", ")
        self._write(f"rpw, {now - self._start:.0f} s: {moved:.1%} moved, {self._bounded} {bounds}; {doing}")

    def erase(self) -> None:
        """Leave an empty line on a terminal."""
        if self._width > 0:
            self._write("", end="\r")

    def _write(self, text: str, end: str = "") -> None:
        with suppress(OSError, ValueError):  # a solve does not fail because nobody can read about it
            if not self._is_terminal:
                self._stream.write(text + "\n")
            else:
                text = text[: self._columns() - 1]  # a longer one would be broken, and could not be written over
                self._stream.write("\r" + text.ljust(self._width) + end)
                self._width = len(text)
            self._stream.flush()

    def _columns(self) -> int:
        try:
            return os.get_terminal_size(self._stream.fileno()).columns or 80
        except (OSError, ValueError):
            return 80
