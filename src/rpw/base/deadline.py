"""Deadlines: the moment by which an answer is wanted, and the error that says it has passed."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

from rpw.base.check import as_number

__all__ = ["NEVER", "Deadline", "TimeLimitError", "deadline_after"]


class TimeLimitError(TimeoutError):
    """``time_limit`` passed before there was an answer.

    Attributes
    ----------
    lower, upper : float, or None
        What was proven by then, where one number was asked for.
    done, total : int, or None
        How many pairs were finished, and how many there are, where a matrix was asked for.

    Of a profile it carries nothing: all four are None.

    >>> print(TimeLimitError(lower=0.25, upper=0.5))
    time_limit passed before the end: the answer is proven to lie in [0.25, 0.5]; allow more time
    """

    def __init__(
        self, lower: float | None = None, upper: float | None = None, done: int | None = None, total: int | None = None
    ) -> None:
        self.lower, self.upper, self.done, self.total = lower, upper, done, total
        super().__init__(f"time_limit passed before the end{self._known()}; allow more time")

    def _known(self) -> str:
        if self.done is not None and self.total is not None:
            return f": {self.done:,} of {self.total:,} pairs were finished"
        if self.lower is not None and self.upper is not None:
            return f": the answer is proven to lie in [{self.lower:.8g}, {self.upper:.8g}]"
        return ""

    def __reduce__(self) -> tuple[Any, ...]:  # else pickle would call it with the message alone
        return type(self), (self.lower, self.upper, self.done, self.total)


@dataclass(frozen=True)
class Deadline:
    """A moment on the monotonic clock of this process."""

    moment: float = math.inf

    def check(self) -> None:
        """Raise if the moment has passed."""
        if time.monotonic() > self.moment:
            raise TimeLimitError

    @property
    def is_set(self) -> bool:
        """Whether there is one."""
        return math.isfinite(self.moment)

    @property
    def seconds_left(self) -> float:
        """Until the moment; 0 after it."""
        return max(0.0, self.moment - time.monotonic())


NEVER = Deadline()


def deadline_after(time_limit: Any) -> Deadline:
    """The deadline for ``time_limit=`` seconds from now; none for None."""
    if time_limit is None:
        return NEVER
    seconds = as_number(time_limit, "time_limit")
    if seconds < 0:
        raise ValueError(f"time_limit must be at least 0 seconds, got {seconds}")
    return Deadline(time.monotonic() + seconds)
