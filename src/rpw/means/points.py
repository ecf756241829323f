"""Free support: the points y_j move, by majorise and minimise.

With the plans γ_i of the best points held fixed, Σ pull_i Σ γ_i,lj |x_il - y_j|^p has the slope of the objective at
these points, where pull_i = (∂Φ/∂t_i) · rate_i. Each point moves towards

    Σ_i,l h x_il / Σ_i,l h    with    h = pull_i γ_i,lj |x_il - y_j|^(p-2)

which is the minimum at p = 2, and a step of Weiszfeld otherwise. Either way the objective falls along it, so steps are
halved until it does. Points that nothing is matched with stay where they are.
"""

from __future__ import annotations

import numpy as np

from rpw.base.check import Array
from rpw.means.budget import Budget, Descent
from rpw.means.evaluation import Evaluation, Inputs
from rpw.means.objective import Objective
from rpw.measure import Measure

__all__ = ["descend_points"]

_MOST_HALVINGS = 12
_NEAREST = 1e-6  # of the longest way: |x - y|^(p-2) is infinite at 0 where p < 2


def descend_points(
    inputs: Inputs, start: Measure, objective: Objective, budget: Budget, tol: float, price: float = 1.0
) -> Descent:
    """Lower the objective from one start until a step gains less than ``tol`` of it."""
    best = inputs.at(start, budget.deadline, price)
    history, status = [objective.value(best.distances)], None
    if not best.is_whole:
        return Descent(best, history, "time_limit")
    for _ in budget:
        found = _step(inputs, best, objective, budget, price)
        if found is None:
            status = "time_limit" if budget.is_over else "converged"
            break
        best = found
        history.append(objective.value(best.distances))
        if history[-2] - history[-1] <= tol * history[-1]:
            status = "converged"
            break
    return Descent(best, history, budget.status if status is None else status)


def _step(inputs: Inputs, best: Evaluation, objective: Objective, budget: Budget, price: float) -> Evaluation | None:
    """The first of the halved steps that lowers the objective; None where there is none, or time is up."""
    here, value = best.measure.points, objective.value(best.distances)
    way = _targets(best, objective) - here
    length = 1.0 if inputs.p <= 2 else 1.0 / (inputs.p - 1)
    for _ in range(_MOST_HALVINGS):
        found = inputs.at(_moved(best.measure, here + length * way), budget.deadline, price)
        if not found.is_whole:
            return None
        if objective.value(found.distances) < value:
            return found
        length /= 2
    return None


def _targets(best: Evaluation, objective: Objective) -> Array:
    """Where each point is pulled to."""
    points = best.measure.points
    sums, shares = np.zeros_like(points), np.zeros(len(points))
    pulls = objective.tangent(best.distances) * best.rates
    for pull, result, measure in zip(pulls, best.results, best.inputs.measures, strict=True):
        plan = result.plan.tocoo()
        rows, columns = plan.coords
        share = pull * plan.data
        if best.p != 2 and len(share):
            ways = np.linalg.norm(measure.points[rows] - points[columns], axis=1)
            longest = float(ways.max()) or 1.0
            share = share * np.maximum(ways / longest, _NEAREST) ** (best.p - 2) * longest ** (best.p - 2)
        np.add.at(sums, columns, share[:, None] * measure.points[rows])
        shares += np.bincount(columns, share, minlength=len(points))
    return np.divide(sums, shares[:, None], out=points.copy(), where=shares[:, None] > 0)


def _moved(measure: Measure, points: Array) -> Measure:
    return Measure(points, measure.weights)
