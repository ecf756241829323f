"""Free support with free weights: points and weights move in turns, and neither turn raises the objective."""

from __future__ import annotations

from rpw.means.budget import Budget, Descent
from rpw.means.evaluation import Inputs
from rpw.means.objective import Objective
from rpw.means.points import descend_points
from rpw.means.weights import descend_weights
from rpw.measure import Measure

__all__ = ["descend_both"]

_STEPS_OF_POINTS, _STEPS_OF_WEIGHTS = 20, 30  # of one turn


def descend_both(inputs: Inputs, start: Measure, objective: Objective, budget: Budget, tol: float) -> Descent:
    """Lower the objective until both turns together gain less than ``tol`` of it; a step is a turn of each."""
    best = descend_points(inputs, start, objective, Budget(budget.deadline, _STEPS_OF_POINTS), tol)
    history, status = best.history, None
    for _ in budget:
        before = best.value
        weighed = descend_weights(inputs, best.at, objective, Budget(budget.deadline, _STEPS_OF_WEIGHTS), tol)
        moved = descend_points(inputs, weighed.at.measure, objective, Budget(budget.deadline, _STEPS_OF_POINTS), tol)
        best = moved if moved.value <= weighed.value else weighed
        history = [*history, *weighed.history[1:], *(moved.history[1:] if best is moved else [])]
        if before - best.value <= tol * best.value:
            status = "time_limit" if budget.is_over else "converged"
            break
    return Descent(best.at, history, budget.status if status is None else status)
