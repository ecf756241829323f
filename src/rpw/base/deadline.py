"""Deadlines: the moment by which an answer is wanted, and the error that says it has passed."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from rpw.base.check import Array, as_number
from rpw.base.spelling import name_of

__all__ = ["NEVER", "Deadline", "TimeLimitError", "deadline_after"]


class TimeLimitError(TimeoutError):
    """``time_limit`` passed before there was an answer.

    Parameters
    ----------
    lower, upper : float, optional
        The bounds proven by then, if one number was asked for.
    done, total : int, optional
        How many pairs were finished, and how many there are, if a matrix was asked for. The pairs of a test are its
        splits.

    Notes
    -----
    All four are attributes of the error, and None if they do not apply. For a profile, all are None.

    Examples
    --------
    >>> import rpw
    >>> print(rpw.TimeLimitError(lower=0.25, upper=0.5))
    time_limit passed before the end: the answer is proven to lie in [0.25, 0.5]; allow more time
    """

    def __init__(
        self, lower: float | None = None, upper: float | None = None, done: int | None = None, total: int | None = None
    ) -> None:
        self.lower, self.upper, self.done, self.total = lower, upper, done, total
        super().__init__(f"{name_of('time_limit')} passed before the end{self._known()}; allow more time")

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
        if self.is_over:
            raise TimeLimitError

    @property
    def is_set(self) -> bool:
        """Whether there is one."""
        return math.isfinite(self.moment)

    @property
    def is_over(self) -> bool:
        """Whether it has passed."""
        return time.monotonic() > self.moment

    @property
    def seconds_left(self) -> float:
        """Until the moment; 0 after it."""
        return max(0.0, self.moment - time.monotonic())

    def kept_back(self, count: int, n_threads: int) -> Array:
        """For each of so many pairs, taken in order: how many seconds before the moment it has to stop.

        Half of the time is kept for the pairs that wait, in equal parts. So one hard pair cannot take all of it, and
        pairs of which some are harder than others still have time to end.
        """
        if not self.is_set:
            return np.zeros(count)
        part = self.seconds_left / 2 / math.ceil(count / n_threads)
        pairs_after = np.arange(count - 1, -1, -1)
        return np.ceil(pairs_after / n_threads).astype(np.float64) * part  # of those that its thread will take

    def sooner_by(self, seconds: float) -> Deadline:
        """The moment so many seconds before it."""
        return Deadline(self.moment - seconds)


NEVER = Deadline()


def deadline_after(time_limit: Any) -> Deadline:
    """The deadline for ``time_limit=`` seconds from now; none for None."""
    if time_limit is None:
        return NEVER
    seconds = as_number(time_limit, "time_limit")
    if seconds < 0:
        raise ValueError(f"{name_of('time_limit')} must be at least 0 seconds, got {seconds}")
    return Deadline(time.monotonic() + seconds)
