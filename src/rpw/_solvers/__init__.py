"""One algorithm per file; each takes a validated Problem and returns a Result, a Profile or a number."""

from __future__ import annotations

import math

from rpw._problem import Problem
from rpw._profile import Profile
from rpw._result import Result
from rpw._solvers import bisection, exact, infinity, lmr, total_variation
from rpw._solvers.partial import partial_cost

__all__ = ["check_solver", "choose", "distance", "partial_cost", "profile", "solve"]

# From the table in docs/benchmarks.md: LMR pays where k·tol is at least this and there are that many pairs.
_COARSE = 0.1
_MANY_PAIRS = 1_000_000

SOLVERS = ("auto", "exact", "lmr", "bisection")


def check_solver(solver: object, tol: float) -> None:
    """Raise unless ``solver`` is a known name that can keep ``tol``."""
    if not isinstance(solver, str) or solver not in SOLVERS:
        raise ValueError(f"unknown solver {solver!r}; choose one of {', '.join(map(repr, SOLVERS))}")
    if solver in (lmr.NAME, bisection.NAME) and tol == 0:
        raise ValueError(f"solver={solver!r} has an error that tol must bound: pass tol > 0, or solver='exact'")


def choose(problem: Problem, solver: str, tol: float) -> tuple[str, str]:
    """The name of the solver for this problem, and why (the table is in `rpw.choose_solver`)."""
    if problem.kappa == 0:
        return total_variation.NAME, "k = 0 is total variation for every p: no transport problem has to be solved"
    if solver in (lmr.NAME, bisection.NAME):
        return solver, "it was asked for"
    if math.isinf(problem.p):
        return infinity.NAME, "p = inf is decided by maximum flows over short pairs, in the order of their length"
    if tol > 0 and solver == "auto" and _lmr_is_faster(problem, tol):
        return lmr.NAME, "a coarse tol, unequal weights and many pairs: there LMR beats the exact walk"
    if tol > 0:
        return exact.NAME, "finite p: the walk along the exact OT-profile stops as soon as the bounds are within tol"
    return exact.NAME, "finite p: the walk along the exact OT-profile stops at the crossing"


def _lmr_is_faster(problem: Problem, tol: float) -> bool:
    """Where LMR won in the measurements of docs/benchmarks.md."""
    coarse = problem.kappa * tol >= _COARSE * problem.diameter
    return coarse and not problem.is_uniform and len(problem.rows) * len(problem.columns) >= _MANY_PAIRS


def solve(problem: Problem, solver: str, tol: float, deadline: float) -> Result:
    """Run the chosen solver."""
    name, _ = choose(problem, solver, tol)
    if name == total_variation.NAME:
        return total_variation.solve(problem, deadline)
    run = {exact.NAME: exact.solve, infinity.NAME: infinity.solve, lmr.NAME: lmr.solve, bisection.NAME: bisection.solve}
    return run[name](problem, tol, deadline)


def distance(problem: Problem, solver: str, tol: float) -> float:
    """The number of `solve`; the exact walk leaves plan and proof out."""
    name, _ = choose(problem, solver, tol)
    if name == exact.NAME and tol == 0:
        return exact.distance(problem)
    return solve(problem, solver, tol, math.inf).distance


def profile(problem: Problem, diameter: float, solver: str, tol: float) -> Profile:
    """Every breakpoint of the profile (with LMR: of a profile at most ``tol`` above it)."""
    if solver == bisection.NAME:
        raise ValueError("solver='bisection' finds one distance, not a profile: use 'exact' or 'lmr'")
    if math.isinf(problem.p):
        return infinity.profile(problem, diameter)
    if solver == lmr.NAME:
        return lmr.profile(problem, diameter, tol)
    return exact.profile(problem, diameter)
