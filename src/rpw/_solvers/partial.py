"""W_{p, mass} for one mass after the other on the same costs, for every p."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np

from rpw import _core
from rpw._check import Array
from rpw._problem import Problem


def partial_cost(problem: Problem, mass: float) -> float:
    """W_{p, mass}, for every p."""
    costs = PartialCosts.of(problem, 1.0 - mass)
    assert costs is not None
    if mass == 1 and not math.isinf(problem.p):
        cost_p = _core.transport_cost(costs.costs, problem.mass_a, problem.mass_b, np.inf)
        return costs.scale * _core.root(cost_p, problem.p)
    return costs.at(1.0 - mass)[0]


@dataclass(frozen=True, eq=False)
class PartialCosts:
    """The costs of a problem, ready for the core: distances at p = inf, else p-th powers in units of ``scale ** p``."""

    problem: Problem
    costs: Array
    scale: float

    @classmethod
    def of(cls, problem: Problem, unmoved: float = 0.0, deadline: float = np.inf) -> PartialCosts | None:
        """Build the costs, scaled for masses near 1 - unmoved; None if the deadline passed meanwhile."""
        distances = problem.distances(deadline)
        if distances is None:
            return None
        if math.isinf(problem.p):
            return cls(problem, np.ascontiguousarray(distances), 1.0)
        ready = np.ascontiguousarray(distances)
        seconds = max(0.0, deadline - time.monotonic())
        scale = _core.scale_for_mass(ready, problem.mass_a, problem.mass_b, unmoved, problem.p, seconds)
        costs = problem.costs_p(distances, scale, deadline)
        return None if costs is None else cls(problem, costs, scale)

    def at(self, unmoved: float, seconds: float = np.inf) -> tuple[float, _core.Outcome]:
        """W_{p, 1 - unmoved} and the outcome that has its plan (its status tells if it ran out of time)."""
        masses = self.problem.mass_a, self.problem.mass_b
        if math.isinf(self.problem.p):
            outcome = _core.threshold_at(self.costs, *masses, unmoved, seconds)
            return outcome.cost, outcome
        outcome = _core.profile_at(self.costs, *masses, unmoved, seconds)
        return self.scale * _core.root(outcome.cost, self.problem.p), outcome
