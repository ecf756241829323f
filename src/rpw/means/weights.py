"""Fixed support: the weights b move, by a bundle method with a box around the best weights.

Each evaluation gives a line below RPW^p of each input. Their maximum is a model; its least value in a box around the
best weights is a linear programme, its minimiser is evaluated next, and its multipliers prove a lower bound for the
whole simplex (`rpw.means.cuts`). The box decides where to look, never what is proven:

    predicted gain / proven gap < 0.05   the box is wider next: it hides what the bound is waiting for
    no gain though > 0.1 was predicted   the box is narrower: the model is wrong so far from the best weights

Where the objective Φ is concave in t instead of linear, its tangent at the best weights is minimised, and what is
proven of the tangent only says when to stop.
"""

from __future__ import annotations

import numpy as np

from rpw.base.check import Array
from rpw.means.budget import Budget, Descent
from rpw.means.cuts import Cuts
from rpw.means.evaluation import Evaluation, Inputs
from rpw.means.objective import Objective
from rpw.measure import Measure

__all__ = ["descend_weights"]

_SMALL_GAIN, _LARGE_GAIN = 0.05, 0.1
_WIDER, _NARROWER = 2.5, 0.5
_SOLVER_ROUNDING = 1e-7  # the tolerance of HiGHS, in units of the objective: it sees no smaller gains
_NO_DISTANCE = 1e-15  # what the rounding of weights leaves between copies of one measure
_NO_WEIGHT = 1e-12  # what HiGHS leaves of a weight that should be 0


def descend_weights(inputs: Inputs, start: Evaluation, objective: Objective, budget: Budget, tol: float) -> Descent:
    """Lower the objective by moving weights alone; a proven bound comes with it where the objective is convex."""
    best, lower = start, 0.0
    value, counts = objective.value(best.distances), objective.tangent(best.distances)
    history, evaluated = [value], best
    radius = float(best.measure.weights.max())
    cuts = Cuts(len(inputs.measures), len(best.measure))
    status = None
    for _ in budget:
        cuts.add(evaluated)
        level = float(counts @ best.distances**inputs.p)
        guess = cuts.least(counts, best.measure.weights, radius, level, budget.deadline) if level > 0 else None
        if guess is not None:
            lower = max(lower, cuts.bound(guess.multipliers, counts))
            cuts.forget(guess.multipliers)
        gap = max(0.0, level - lower)
        if gap <= tol * level + _NO_DISTANCE**inputs.p:
            status = "tolerance" if objective.is_convex else "converged"
            break
        if guess is None or _sees_nothing_more(level - guess.value, gap, level, radius):
            status = "time_limit" if budget.is_over else "converged"
            break
        evaluated = inputs.at(_measure(best, guess.weights), budget.deadline)
        if not evaluated.is_whole:
            status = "time_limit"
            break
        reached = objective.value(evaluated.distances)
        radius = _next_radius(radius, (level - guess.value) / gap, reached < value)
        if reached < value:
            best, value = evaluated, reached
            if not objective.is_convex:
                counts, lower = objective.tangent(best.distances), 0.0
        history.append(value)
    lowest = min(lower, value) if objective.is_convex else None
    return Descent(best, history, budget.status if status is None else status, lowest)


def _sees_nothing_more(predicted: float, gap: float, level: float, radius: float) -> bool:
    """Whether what is left to gain is below the rounding of the linear programmes."""
    rounding = _SOLVER_ROUNDING * level
    return predicted <= rounding and (radius >= 1 or gap <= 10 * rounding)


def _next_radius(radius: float, share: float, has_gained: bool) -> float:
    if share < _SMALL_GAIN:
        return min(1.0, radius * _WIDER)
    return radius * _NARROWER if share > _LARGE_GAIN and not has_gained else radius


def _measure(best: Evaluation, weights: Array) -> Measure:
    return Measure(best.measure.points, np.where(weights < _NO_WEIGHT, 0.0, weights))
