"""How far a long call has come: a bar, or a function of the caller."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rpw.base.extras import import_extra

__all__ = ["Progress", "progress_bar"]

Progress = bool | Callable[[int, int], object]  # whether to show a bar, or a function to call with (done, total)


class progress_bar:  # noqa: N801 (reads as a verb: with progress_bar(...) as report)
    """A tqdm bar, or the caller's function, or nothing; itself the function that is told how many are done."""

    def __init__(self, total: int, progress: Progress, unit: str = "pair", initial: int = 0) -> None:
        self.done = initial
        self._bar: Any = None
        self._tell = progress if callable(progress) else None
        self._total = total
        if self._tell is not None:
            self._tell(initial, total)
        elif progress:
            tqdm: Any = import_extra("tqdm.auto", "progress=True needs").tqdm

            class Bar(tqdm):  # type: ignore[misc]
                monitor_interval = 0  # else tqdm starts a thread that outlives the call

            self._bar = Bar(total=total, unit=unit, initial=initial)

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
