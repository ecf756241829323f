"""W_{p, mass} for one mass after the other on the same costs, for every p."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rpw import _core
from rpw._check import Array
from rpw._problem import Problem

# Up to this p, dividing by the largest distance loses nothing that matters to underflow.
LARGEST_PLAIN_P = 4


def partial_cost(problem: Problem, mass: float) -> float:
    """W_{p, mass}, for every p."""
    costs = PartialCosts.of(problem, 1.0 - mass)
    assert costs is not None
    return costs.at(1.0 - mass)[0]


@dataclass(frozen=True, eq=False)
class PartialCosts:
    """The costs of a problem, ready for the core: distances at p = inf, else p-th powers in units of ``scale ** p``."""

    problem: Problem
    costs: Array
    scale: float

    @classmethod
    def of(cls, problem: Problem, unmoved: float = 0.0, deadline: float = np.inf) -> PartialCosts | None:
        """Build the costs; None if the deadline passed before they were complete.

        Powers beyond p = 4 are scaled by W_{inf, 1 - unmoved}: below the largest cost they might vanish.
        """
        distances = problem.distances(deadline)
        if distances is None:
            return None
        if math.isinf(problem.p):
            return cls(problem, np.ascontiguousarray(distances), 1.0)
        scale = float(distances.max()) or 1.0
        if problem.p > LARGEST_PLAIN_P:
            ready = np.ascontiguousarray(distances)
            scale = _core.threshold_at(ready, problem.mass_a, problem.mass_b, unmoved, np.inf).cost or scale
        costs = problem.costs_p(distances, scale, deadline)
        return None if costs is None else cls(problem, costs, scale)

    def at(self, unmoved: float) -> tuple[float, _core.Outcome]:
        """W_{p, 1 - unmoved} and the outcome that has its plan."""
        masses = self.problem.mass_a, self.problem.mass_b
        if math.isinf(self.problem.p):
            outcome = _core.threshold_at(self.costs, *masses, unmoved, np.inf)
            return outcome.cost, outcome
        outcome = _core.profile_at(self.costs, *masses, unmoved, np.inf)
        return float(self.scale * outcome.cost ** (1 / self.problem.p)), outcome
