"""One bar with the time left, for a person at a terminal; for everybody else, nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TaskProgressColumn, TextColumn
from rich.text import Text

from rpw.cli._layout import WIDTH

__all__ = ["bar", "counting", "is_for_person"]

Report = Callable[[float, str], object]


def is_for_person(is_quiet: bool) -> bool:
    """Whether somebody looks at what is under way."""
    return not is_quiet and sys.stderr.isatty()


@contextmanager
def bar(is_quiet: bool) -> Iterator[Report]:
    """Gives the function to tell what share of the work is done, and what comes now; the bar vanishes at the end."""
    console = Console(stderr=True, highlight=False, markup=False, emoji=False)
    if not is_for_person(is_quiet) or console.is_dumb_terminal:
        yield lambda *_: None
        return
    console.width = min(console.width, WIDTH)
    text = TextColumn("{task.description}", markup=False)
    columns = (BarColumn(bar_width=30), TaskProgressColumn(), _TimeLeft(), text)
    with Progress(*columns, console=console, transient=True) as shown:
        task = shown.add_task("", total=1.0, begun=None)

        def report(share: float, what: str) -> None:
            if shown.tasks[0].fields["begun"] is None:  # a run that resumes has not earned what was there
                shown.update(task, begun=share)
            shown.update(task, completed=share, description=what)

        yield report


def counting(report: Report, noun: str) -> Callable[[int, int], object]:
    """The same for whoever counts what is done, as `rpw.pairwise` and `rpw.Index.query` do."""
    return lambda done, total: report(done / max(total, 1), f"{total:,} {noun}")


class _TimeLeft(ProgressColumn):
    """As long as before for as much as before: over the whole run, for steps may be longer than rich's memory."""

    def render(self, task: Task) -> Text:
        begun, elapsed = task.fields["begun"], task.elapsed
        if begun is None or elapsed is None or task.completed <= begun:
            return Text("-:-- left")
        left = round(elapsed * (1 - task.completed) / (task.completed - begun))
        hours, minutes, seconds = left // 3600, left // 60 % 60, left % 60
        return Text(f"{hours}:{minutes:02}:{seconds:02} left" if hours else f"{minutes}:{seconds:02} left")
