"""LMR: the paper's graph algorithm with an error promised in advance (section 5; docs/theory.md, "LMR").

Costs are rounded up to whole units. The plan is then too dear by at most one unit per unit of mass for the rounding and
one for 1-feasibility, so F is known to within 2 units, and the distance to within tol if

    2 units <= (κ(L + tol))**p - (κL)**p

for any proven lower bound L. The first round guesses L; if the bounds that it finds are too far apart, the second round
uses the L that it proved.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from rpw import _core
from rpw._problem import Problem
from rpw._profile import Profile
from rpw._result import Dual, Plan, Result
from rpw._solvers import exact, infinity
from rpw._solvers.exact import left, nothing_proven

NAME = "lmr"

_FIRST_GUESS = 8.0  # of L, in units of tol
_FINEST = 2.0**60  # units in the largest cost that can be used; beyond, only the exact solver is finer
_SMALLEST = 1e-290  # a unit this small leaves float64 in the sums
_FINEST_PROFILE = 2.0**50  # without a cap, sums along a path must fit 64 bits too


def solve(problem: Problem, tol: float, deadline: float) -> Result:
    """(p,k)-RPW to within ``tol`` > 0, for k > 0."""
    if math.isinf(problem.p):
        return _solve_at_infinity(problem, tol, deadline)
    best: Result | None = None
    for _ in range(2):
        # The first round guesses the lower bound L, the second uses the one that was proven.
        bound = min(_FIRST_GUESS * tol, 1.0) if best is None else best.lower
        unit = _unit_for(problem.p, min(tol, 1.0), bound)
        if unit < _SMALLEST or 1 / (min(tol, 1.0) * unit) > _FINEST:
            break
        result = _round(problem, min(tol, 1.0), unit, deadline)
        best = _better(best, result)
        if best is None:
            return nothing_proven(problem, NAME)
        if best.gap <= tol:
            return best
        if result is None or result.status == "time_limit":
            return replace(best, status="time_limit")
    return exact.solve(problem, tol, deadline)


def profile(problem: Problem, diameter: float, tol: float) -> Profile:
    """The profile, nowhere below the exact one and at most ``tol`` above it, in units of W."""
    largest = problem.largest_distance()
    if problem.p * math.log2(max(largest / tol, 1.0)) + 1 > math.log2(_FINEST_PROFILE):
        return exact.profile(problem, diameter)
    units = math.ceil(2 * max(largest / tol, 1.0) ** problem.p) + 1
    dtype = _narrowest(units)
    costs = problem.rounded_costs(tol, 0.5, units, dtype)
    curve = _core.lmr_profile(costs, problem.mass_a, problem.mass_b, int(np.iinfo(dtype).max), np.inf)
    costs_p = 0.5 * curve.cost
    slopes = np.diff(costs_p) / -np.diff(curve.unmoved)
    return Profile(problem.p, diameter, NAME, curve.unmoved, costs_p, tol, slopes)


def _better(first: Result | None, second: Result | None) -> Result | None:
    """The plan with the smaller upper bound, with the larger of the lower bounds: both were proven."""
    if first is None or second is None:
        return second if first is None else first
    nearer = second if second.upper <= first.upper else first
    return replace(nearer, lower=min(max(first.lower, second.lower), nearer.upper))


def _unit_for(p: float, tol: float, lower: float) -> float:
    """Half of (L + tol)**p - L**p: everything here is in units of κ**p. 0 where that is no float64."""
    try:
        if lower == 0:
            return 0.5 * math.pow(tol, p)
        return 0.5 * math.pow(lower, p) * math.expm1(p * math.log1p(tol / lower))
    except OverflowError:
        return 0.0


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
    lower = min(_core.crossing(outcome.dual_height, outcome.multiplier, kappa, problem.p), distance)
    status = "time_limit" if outcome.status == _core.Status.time_limit else "tolerance"
    return Result(
        distance=distance,
        lower=lower,
        upper=distance,
        cost=plan.cost_in(problem),
        status=status,
        solver=NAME,
        iterations=outcome.iterations,
        _problem=problem,
        _plan=plan,
        _dual=Dual(outcome.multiplier * unit, outcome.u * unit, outcome.v * unit, problem.kappa),
    )


def _solve_at_infinity(problem: Problem, tol: float, deadline: float) -> Result:
    """p = inf with distances rounded up to multiples of κ·tol: the answer rises by at most tol."""
    distances = problem.distances(deadline)
    if distances is None:
        return nothing_proven(problem, NAME)
    step = problem.kappa * min(tol, 1.0)
    if not step * 2.0**50 > float(distances.max()):  # the unit would be lost in the rounding of float64
        return infinity.solve(problem, tol, deadline)
    rounded = np.ceil(distances / step)
    np.multiply(rounded, step, out=rounded)
    outcome = _core.cross_thresholds(rounded, problem.mass_a, problem.mass_b, problem.kappa, 0.0, left(deadline))
    distance, proven = outcome.unmoved, outcome.status == _core.Status.exact
    plan = Plan(*outcome.plan).trimmed(1.0 - distance)
    return Result(
        distance=distance,
        lower=_below(distance, tol) if proven else 0.0,
        upper=distance,
        cost=plan.longest_in(distances),
        status="tolerance" if proven else "time_limit",
        solver=NAME,
        iterations=outcome.iterations,
        _problem=problem,
        _plan=plan,
    )


def _below(upper: float, tol: float) -> float:
    """The smallest bound that is at most tol below ``upper``, also after rounding."""
    lower = max(0.0, upper - tol)
    while upper - lower > tol:
        lower = math.nextafter(lower, upper)
    return lower
