"""One algorithm per file; each takes a validated Problem and returns a Result, a Profile or a number."""

from __future__ import annotations

import math

from rpw._problem import Problem
from rpw._profile import Profile
from rpw._result import Result
from rpw._solvers import exact, infinity, total_variation

SOLVERS = ("auto", "exact")


def check_solver(solver: object) -> None:
    """Raise unless ``solver`` is a known name."""
    if solver not in SOLVERS:
        raise ValueError(f"unknown solver {solver!r}; choose one of {', '.join(map(repr, SOLVERS))}")


def choose(problem: Problem) -> tuple[str, str]:
    """The name of the solver for this problem, and why."""
    if problem.kappa == 0:
        return total_variation.NAME, "k = 0 is total variation for every p: no transport problem has to be solved"
    if math.isinf(problem.p):
        return infinity.NAME, "p = inf is decided by maximum flows over short pairs, in the order of their length"
    return exact.NAME, "finite p: the walk along the exact OT-profile stops at the crossing"


def solve(problem: Problem, tol: float, deadline: float) -> Result:
    """Run the chosen solver."""
    name, _ = choose(problem)
    if name == total_variation.NAME:
        return total_variation.solve(problem, deadline)
    if name == infinity.NAME:
        return infinity.solve(problem, tol, deadline)
    return exact.solve(problem, tol, deadline)


def partial_cost(problem: Problem, mass: float) -> float:
    """W_{p, mass}."""
    if math.isinf(problem.p):
        return infinity.partial_cost(problem, mass)
    return exact.partial_cost(problem, mass)


def profile(problem: Problem, diameter: float) -> Profile:
    """Every breakpoint of the profile."""
    if math.isinf(problem.p):
        return infinity.profile(problem, diameter)
    return exact.profile(problem, diameter)
