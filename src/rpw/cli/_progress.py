"""One bar with the time left, for a person at a terminal; for everybody else, nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from rpw.cli._print import WIDTH

__all__ = ["bar", "is_for_person"]


def is_for_person(is_quiet: bool) -> bool:
    """Whether somebody looks at what is under way."""
    return not is_quiet and sys.stderr.isatty()


@contextmanager
def bar(is_quiet: bool, noun: str) -> Iterator[Callable[[int, int], object]]:
    """Gives the function to tell how many are done, of how many; the bar vanishes at the end."""
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
