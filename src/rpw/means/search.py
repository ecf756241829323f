"""From starts to ends: which descents run, under which k first, and the best of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rpw.base.check import Array
from rpw.base.deadline import Deadline
from rpw.means.both import descend_both
from rpw.means.budget import Budget, Descent
from rpw.means.evaluation import Evaluation, Inputs
from rpw.means.objective import Objective
from rpw.means.points import descend_points
from rpw.means.starts import free_starts, mean_on
from rpw.means.weights import descend_weights
from rpw.measure import Measure

__all__ = ["Search"]

_COSTLY_FIRST = (8.0, 4.0, 2.0)  # times k: where leaving mass costs more, no point stays behind alone
_STEPS_WHILE_COSTLY = 10


@dataclass(frozen=True, eq=False)
class Search:
    """What is sought, and how long."""

    inputs: Inputs
    objective: Objective
    tol: float
    max_iter: int
    deadline: Deadline
    report: Callable[[], object]

    def on_support(self, places: Array) -> list[Descent]:
        """The one descent of the weights on these points."""
        start = self.inputs.at(Measure(places, mean_on(places, self.inputs)), self.deadline)
        return [descend_weights(self.inputs, start, self.objective, self._budget(), self.tol)]

    def of_points(self, n_points: int, n_starts: int, rng: np.random.Generator, *, free_weights: bool) -> list[Descent]:
        """The descents of the points from all starts for which there is time, best first."""
        ends: list[Descent] = []
        for start in free_starts(self.inputs, n_points, n_starts, self.objective, rng, self.deadline):
            ends.append(self._descend(start, free_weights))
            if ends[-1].status == "time_limit":
                break
        return sorted(ends, key=lambda end: end.value)

    def _descend(self, start: Evaluation, free_weights: bool) -> Descent:
        """From one start; where time is short, the start itself may be the best that is known."""
        measure = start.measure
        for price in _COSTLY_FIRST:
            some = Budget(self.deadline, _STEPS_WHILE_COSTLY)
            measure = descend_points(self.inputs, measure, self.objective, some, self.tol, price).at.measure
        descend = descend_both if free_weights else descend_points
        end = descend(self.inputs, measure, self.objective, self._budget(), self.tol)
        value = self.objective.value(start.distances)
        return end if end.value <= value else Descent(start, [value], end.status)

    def _budget(self) -> Budget:
        return Budget(self.deadline, self.max_iter, self.report)
