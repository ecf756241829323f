"""Bisection: the paper's highly accurate algorithm (appendix, section 5), as a slow and obvious reference.

With w = W_{p,1-g} for a guess g, the distance lies between g and w / κ, in whatever order they stand (paper, Lemma 2.2;
its second half and its binary search are printed with small mistakes, docs/theory.md has them right).
"""

from __future__ import annotations

import time

from rpw._problem import Problem
from rpw._result import Plan, Result
from rpw._solvers.exact import nothing_proven
from rpw._solvers.partial import PartialCosts

NAME = "bisection"


def solve(problem: Problem, tol: float, deadline: float) -> Result:
    """(p,k)-RPW to within ``tol`` > 0, for k > 0 and every p, by halving an interval."""
    costs = PartialCosts.of(problem, deadline=deadline)
    if costs is None:
        return nothing_proven(problem, NAME)
    lower, upper, steps = 0.0, 1.0, 0
    while upper - lower > tol and time.monotonic() < deadline:
        guess = (lower + upper) / 2
        if guess in (lower, upper):  # no float64 lies between
            break
        steps += 1
        ratio = costs.at(guess)[0] / problem.kappa
        lower = max(lower, min(guess, ratio))
        upper = min(upper, max(guess, ratio))
    cost, outcome = costs.at(upper)
    status = "tolerance" if upper - lower <= tol else "time_limit"
    plan = Plan(*outcome.plan).trimmed(1.0 - upper)
    return Result(upper, lower, upper, cost, status, NAME, steps, problem, plan)
