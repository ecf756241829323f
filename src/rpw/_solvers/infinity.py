"""p = inf, exact: W_{inf,1-ε} <= t exactly when pairs no longer than t carry a flow of 1 - ε.

RPW_{inf,k} is the smallest ε with a flow of 1 - ε over pairs no longer than κε (paper, section 4; docs/theory.md,
"p = infinity"). Lévy–Prokhorov is κ = 1.
"""

from __future__ import annotations

import numpy as np

from rpw import _core
from rpw._problem import Problem
from rpw._profile import Profile
from rpw._result import Plan, Result
from rpw._solvers.exact import left, nothing_proven

NAME = "infinity"


def solve(problem: Problem, tol: float, deadline: float) -> Result:
    """(inf,k)-RPW for k > 0."""
    distances = problem.distances(deadline)
    if distances is None:
        return nothing_proven(problem, NAME)
    costs = np.ascontiguousarray(distances)
    outcome = _core.cross_thresholds(costs, problem.mass_a, problem.mass_b, problem.kappa, tol, left(deadline))
    distance = outcome.unmoved
    reached = outcome.status == _core.Status.exact
    plan = Plan(*outcome.plan).trimmed(1.0 - distance)
    return Result(
        distance=distance,
        lower=distance if reached else min(outcome.cost / problem.kappa, distance),
        upper=distance,
        cost=plan.longest_in(distances),
        status=outcome.status.name,
        solver=NAME,
        iterations=outcome.iterations,
        _problem=problem,
        _plan=plan,
    )


def profile(problem: Problem, diameter: float) -> Profile:
    """All steps of W_{inf, α}."""
    distances = problem.distances()
    assert distances is not None
    curve = _core.whole_thresholds(np.ascontiguousarray(distances), problem.mass_a, problem.mass_b, np.inf)
    return Profile(problem.p, diameter, NAME, curve.unmoved, curve.cost, 1.0, np.empty(0))
