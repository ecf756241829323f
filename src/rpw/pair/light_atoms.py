"""What the rounding of masses leaves open of a cost, where atoms are so light that it may be much of their mass."""

from __future__ import annotations

import numpy as np

from rpw.base.check import Array
from rpw.pair.atoms import MASS_UNITS
from rpw.pair.problem import Problem
from rpw.pair.question import Question

__all__ = ["opened"]

_LIGHT = 2e-9  # below it, a unit is more of an atom than bounds may differ by
_UNITS_PER_ATOM = 2.0  # one by its own rounding, one where both measures get one sum
_ROUNDING_OF_WEIGHTS = 2.0**-52  # of each, where they are divided by their sum


def opened(lower: float, upper: float, problem: Problem, question: Question) -> tuple[float, float]:
    """Bounds on W that hold for the weights as they were given (docs/proofs/rounding.md, "Light atoms")."""
    if min(problem.a.min(), problem.b.min()) >= _LIGHT or np.isinf(question.p):  # at once for most
        return lower, upper
    weights = np.concatenate([problem.a, problem.b])
    is_light = (weights > 0) & (weights < _LIGHT)
    if not is_light.any():
        return lower, upper
    lengths = np.minimum(_to_heaviest(problem), question.truncation)
    longest = max(float(lengths.max()), upper)
    if longest == 0:
        return lower, upper
    powers = (lengths / longest) ** question.p
    has_mass = weights * MASS_UNITS > 0.5  # all of the others is left out
    unknown = np.where(has_mass, _UNITS_PER_ATOM / MASS_UNITS + _ROUNDING_OF_WEIGHTS * weights, weights)
    left_out = _negligible(weights) * powers[is_light & has_mass].max(initial=0.0)
    open_p = float(np.sum(unknown * powers) + left_out)

    def shifted(bound: float, by: float) -> float:
        return float(longest * max(0.0, (bound / longest) ** question.p + by) ** (1 / question.p))

    return shifted(lower, -open_p), shifted(upper, open_p)


def _to_heaviest(problem: Problem) -> Array:
    """How far each atom is from the heaviest one of the other measure."""
    rows, columns = (np.arange(size) for size in problem.shape)
    of_rows = problem.block(rows, columns[[np.argmax(problem.b)]])
    of_columns = problem.block(rows[[np.argmax(problem.a)]], columns)
    return np.concatenate([of_rows.ravel(), of_columns.ravel()])


def _negligible(weights: Array) -> float:
    """The share of the mass that the core counts as moved wherever it is (cpp/base/masses.hpp)."""
    rounding = 2.0**-50 + len(weights) / MASS_UNITS
    kept = weights[weights * MASS_UNITS > 0.5]
    return 0.0 if kept.min() < 2 * rounding else rounding
