"""What the rounding of masses leaves open of a cost, where atoms are so light that it may be much of their mass."""

from __future__ import annotations

import numpy as np

from rpw.base.check import Array
from rpw.pair.atoms import MASS_UNITS
from rpw.pair.problem import Problem
from rpw.pair.question import Question

__all__ = ["opened"]

_LIGHT = 2e-9  # below it, a unit is more of an atom than bounds may differ by
_ROUNDING_OF_WEIGHTS = 2.0**-52  # of each, where they are divided by their sum
_UNITS_PER_ATOM = 2.0  # one by its own rounding, one where both measures get one sum


def opened(lower: float, upper: float, problem: Problem, question: Question) -> tuple[float, float]:
    """Bounds on W that hold for the weights as they were given (docs/proofs/rounding.md, "Light atoms")."""
    lightest = min(float(weights[weights > 0].min()) for weights in (problem.a, problem.b))
    if lightest >= _LIGHT or np.isinf(question.p):
        return lower, upper
    lengths, masses = _ways_of_rounding(problem)
    lengths = np.minimum(lengths, question.truncation)
    longest = max(float(lengths.max()), upper)
    if longest == 0:
        return lower, upper
    open_p = float(np.sum(masses * (lengths / longest) ** question.p))

    def shifted(bound: float, by: float) -> float:
        return float(longest * max(0.0, (bound / longest) ** question.p + by) ** (1 / question.p))

    return shifted(lower, -open_p), shifted(upper, open_p)


def _ways_of_rounding(problem: Problem) -> tuple[Array, Array]:
    """How far each atom is from the heaviest one of the other measure, and how much of its mass is not known."""
    rows, columns = (np.arange(size) for size in problem.shape)
    to_heaviest = problem.block(rows, columns[[np.argmax(problem.b)]]), problem.block(
        rows[[np.argmax(problem.a)]], columns
    )
    weights = np.concatenate([problem.a, problem.b])
    unknown = np.where(weights > 0, _UNITS_PER_ATOM / MASS_UNITS + _ROUNDING_OF_WEIGHTS * weights, 0.0)
    return np.concatenate([part.ravel() for part in to_heaviest]), unknown
