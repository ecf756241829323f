"""How many steps a descent may take, and until when."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from rpw.base.check import Array
from rpw.base.deadline import Deadline
from rpw.means.evaluation import Evaluation

__all__ = ["Budget", "Descent"]


class Budget:
    """Steps to iterate over. Afterwards ``status`` says why there are no more."""

    def __init__(self, deadline: Deadline, most: int, report: Callable[[], object] = lambda: None) -> None:
        self.deadline, self.status = deadline, "max_iter"
        self._most, self._report = most, report

    def __iter__(self) -> Iterator[int]:
        for step in range(self._most):
            if self.is_over:
                return
            yield step
            self._report()

    @property
    def is_over(self) -> bool:
        """Whether time is up."""
        if self.deadline.is_set and self.deadline.seconds_left == 0:
            self.status = "time_limit"
        return self.status == "time_limit"


@dataclass(frozen=True, eq=False)
class Descent:
    """Where a descent has ended: the best measure, its objective after each step, and a proven lower bound, if any."""

    at: Evaluation
    history: list[float]
    status: str
    lower: float | None = None

    @property
    def value(self) -> float:
        """The objective that was reached."""
        return self.history[-1]

    @property
    def weights(self) -> Array:
        """Of the best measure."""
        return self.at.measure.weights
