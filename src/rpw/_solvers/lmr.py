"""LMR: the paper's graph algorithm with an error promised in advance (section 5; docs/theory.md, "LMR").

Costs are rounded up to whole units. The plan is then too dear by at most one unit per unit of mass for the rounding and
one for 1-feasibility, so F is known to within 2 units, and the distance to within tol if

    2 units <= (κ(L + tol))**p - (κL)**p

for any proven lower bound L. The first round guesses L; if the bounds that it finds are too far apart, the second round
uses the L that it proved.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rpw import _core
from rpw._check import Array
from rpw._problem import Problem
from rpw._profile import Profile
from rpw._result import Dual, Plan, Result
from rpw._solvers import exact
from rpw._solvers.exact import left, nothing_proven

NAME = "lmr"

_FIRST_GUESS = 8.0  # of L, in units of tol
_FINEST = 2.0**60  # units in the largest cost that can be used; beyond, only the exact solver is finer
_FINEST_PROFILE = 2.0**50  # without a cap, sums along a path must fit 64 bits too


def solve(problem: Problem, tol: float, deadline: float) -> Result:
    """(p,k)-RPW to within ``tol`` > 0, for k > 0."""
    if math.isinf(problem.p):
        return _solve_at_infinity(problem, tol, deadline)
    guess = min(_FIRST_GUESS * tol, 1.0)
    lower = 0.0
    for bound in (guess, None):
        unit = _unit_for(problem.p, tol, lower if bound is None else bound)
        if 1 / (tol * unit) > _FINEST:
            break
        result = _round(problem, tol, unit, deadline)
        if result is None:
            return nothing_proven(problem, NAME)
        if result.gap <= tol or result.status == "time_limit":
            return result
        lower = result.lower
    return exact.solve(problem, tol, deadline)


def profile(problem: Problem, diameter: float, tol: float) -> Profile:
    """The profile, nowhere below the exact one and at most ``tol`` above it, in units of W."""
    unit = 0.5 * tol**problem.p
    largest = problem.largest_distance()
    if unit < np.finfo(np.float64).tiny or (largest / tol) ** problem.p * 2 > _FINEST_PROFILE:
        return exact.profile(problem, diameter)
    units = math.ceil((largest / tol) ** problem.p * 2) + 1
    dtype = _narrowest(units)
    costs = problem.rounded_costs(tol, 0.5, units, dtype)
    curve = _core.lmr_profile(costs, problem.mass_a, problem.mass_b, int(np.iinfo(dtype).max), np.inf)
    return Profile(problem.p, diameter, NAME, curve.unmoved, 0.5 * curve.cost, tol)


def _unit_for(p: float, tol: float, lower: float) -> float:
    """Half of (L + tol)**p - L**p: everything here is in units of κ**p."""
    if lower == 0:
        return 0.5 * math.pow(tol, p)
    return 0.5 * math.pow(lower, p) * math.expm1(p * math.log1p(tol / lower))


def _narrowest(units: int) -> Any:
    """32 bits where they hold the largest cost with room for the walk, else 64."""
    return np.int32 if units < 2**30 else np.int64


def _round(problem: Problem, tol: float, unit: float, deadline: float) -> Result | None:
    """One run of LMR with the given unit; None if the deadline passed before it began."""
    # Where F is steeper than κ**p / tol, the crossing is less than tol away: no need to know such costs.
    cap = math.ceil(1 / (tol * unit)) + 3
    dtype = _narrowest(cap)
    costs = problem.rounded_costs(problem.kappa, unit, cap, dtype, deadline)
    if costs is None:
        return None
    kappa = unit ** (-1 / problem.p)
    outcome = _core.cross_lmr(costs, problem.mass_a, problem.mass_b, cap, kappa, problem.p, tol, left(deadline))
    distance, plan = outcome.unmoved, Plan(*outcome.plan)
    lengths = problem.distances_of_pairs(plan.row, plan.column)
    lower = min(_core.crossing(outcome.dual_height, outcome.multiplier, kappa, problem.p), distance)
    status = "time_limit" if outcome.status == _core.Status.time_limit else "tolerance"
    return Result(
        distance=distance,
        lower=lower,
        upper=distance,
        cost=_cost_of(lengths, plan.mass, problem.p),
        status=status,
        solver=NAME,
        iterations=outcome.iterations,
        _problem=problem,
        _plan=plan,
        _dual=Dual(outcome.multiplier * unit, outcome.u * unit, outcome.v * unit, problem.kappa),
    )


def _cost_of(lengths: Array, masses: Array, p: float) -> float:
    """W of a plan, from the distances themselves rather than from what they were rounded to."""
    longest = float(lengths.max(initial=0.0)) or 1.0
    return longest * math.pow(float(masses @ (lengths / longest) ** p), 1 / p)


def _solve_at_infinity(problem: Problem, tol: float, deadline: float) -> Result:
    """p = inf with distances rounded up to multiples of κ·tol: the answer rises by at most tol."""
    distances = problem.distances(deadline)
    if distances is None:
        return nothing_proven(problem, NAME)
    step = problem.kappa * tol
    rounded = np.ceil(distances / step)
    np.multiply(rounded, step, out=rounded)
    outcome = _core.cross_thresholds(rounded, problem.mass_a, problem.mass_b, problem.kappa, 0.0, left(deadline))
    distance, proven = outcome.unmoved, outcome.status == _core.Status.exact
    plan = Plan(*outcome.plan).trimmed(1.0 - distance)
    return Result(
        distance=distance,
        lower=max(0.0, distance - tol) if proven else 0.0,
        upper=distance,
        cost=float(distances[plan.row, plan.column].max(initial=0.0)),
        status="tolerance" if proven else "time_limit",
        solver=NAME,
        iterations=outcome.iterations,
        _problem=problem,
        _plan=plan,
    )
