"""Bisection: the paper's highly accurate algorithm (appendix, section 5), as a slow and obvious reference.

With w = W_{p,1-g} for a guess g, the distance lies between g and w / κ, in whatever order they stand (paper, Lemma 2.2;
its second half and its binary search are printed with small mistakes, docs/theory.md has them right).
"""

from __future__ import annotations

from rpw import _core
from rpw._problem import Problem
from rpw._result import Plan, Result
from rpw._solvers.exact import left, no_plan, nothing_proven
from rpw._solvers.partial import PartialCosts

NAME = "bisection"


def solve(problem: Problem, tol: float, deadline: float) -> Result:
    """(p,k)-RPW to within ``tol`` > 0, for k > 0 and every p, by halving an interval."""
    costs = PartialCosts.of(problem, deadline=deadline)
    if costs is None:
        return nothing_proven(problem, NAME)
    lower, upper, steps, plan = 0.0, 1.0, 0, no_plan()
    while upper - lower > tol:
        guess = (lower + upper) / 2
        cost, outcome = costs.at(guess, left(deadline))
        if guess in (lower, upper) or outcome.status == _core.Status.time_limit:
            break  # no float64 lies between, or no time is left
        steps += 1
        ratio = cost / problem.kappa
        lower = max(lower, min(guess, ratio))
        if max(guess, ratio) < upper:
            upper = max(guess, ratio)
            plan = Plan(*outcome.plan)  # moves 1 - guess at the cost κ ratio, so any smaller mass for less
    plan = plan.trimmed(1.0 - upper)
    status = "tolerance" if upper - lower <= tol else "time_limit"
    return Result(upper, lower, upper, plan.cost_in(problem), status, NAME, steps, problem, plan)
