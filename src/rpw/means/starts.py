"""Where descents start: at inputs themselves, the best of some of them first.

An input that is itself noise is far from most others, so it is not among the best. On a fixed support, each atom of the
inputs goes to its nearest place.
"""

from __future__ import annotations

import numpy as np

from rpw.base.check import Array
from rpw.base.deadline import Deadline
from rpw.means.evaluation import Evaluation, Inputs
from rpw.means.objective import Objective
from rpw.measure import Measure
from rpw.pair.metrics import as_metric

__all__ = ["free_starts", "mean_on"]

_CANDIDATES = 8  # that are evaluated for a first look, or twice the number of starts
_SPREAD = 0.1  # of the spacing of n points in the box around them: how far points that coincide are moved apart


def free_starts(
    inputs: Inputs, n_points: int, n_starts: int, objective: Objective, rng: np.random.Generator, deadline: Deadline
) -> list[Evaluation]:
    """The best of some inputs, each resampled to as many points."""
    weighty = np.flatnonzero(inputs.weights > 0)
    count = max(n_starts, min(len(weighty), max(_CANDIDATES, 2 * n_starts)))
    order = np.resize(rng.permutation(weighty), count)
    found: list[Evaluation] = []
    for i in order:
        found.append(inputs.at(_resampled(inputs.measures[i], n_points, rng), deadline))
        if not found[-1].is_whole:  # time is up
            break
    return sorted(found, key=lambda each: objective.value(each.distances))[:n_starts]


def _resampled(measure: Measure, n_points: int, rng: np.random.Generator) -> Measure:
    """So many points of equal weight, at the atoms as often as their weights say."""
    until = np.cumsum(measure.weights)
    places = np.searchsorted(until, (np.arange(n_points) + rng.random()) / n_points * until[-1])
    points = measure.points[places.clip(max=len(measure) - 1)]
    is_again = np.concatenate([[False], places[1:] == places[:-1]])
    sides = np.ptp(measure.points, axis=0)
    apart = _SPREAD * sides / n_points ** (1 / len(sides))
    return Measure(points + is_again[:, None] * apart * rng.standard_normal(points.shape))


def mean_on(support: Array, inputs: Inputs) -> Array:
    """The mean of the inputs, each atom at the place of the support that is nearest to it."""
    metric = as_metric(inputs.metric)
    mean = np.zeros(len(support))
    for weight, measure in zip(inputs.weights, inputs.measures, strict=True):
        ways = np.empty((len(measure), len(support)))
        metric.fill(measure.points, support, ways)
        mean += weight * np.bincount(ways.argmin(axis=1), measure.weights, minlength=len(support))
    return mean
