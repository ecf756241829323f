"""Finite p, exact: the walk along the OT-profile (docs/theory.md, "The exact algorithm").

RPW is the crossing of F(1 - ε) with (κε)**p, κ = kΔ. The core walks the edges of F from mass 0 upwards and solves the
crossing on one edge in closed form (paper, section 2, equation 1). Distances are divided by a scale before the p-th
power is taken, so that neither 1e30 nor 1e-30 leaves float64.
"""

from __future__ import annotations

import time

import numpy as np

from rpw import _core
from rpw._check import Array
from rpw._problem import Problem
from rpw._profile import Profile
from rpw._result import Dual, Plan, Result, representable_power

NAME = "exact"

# The two bounds come from different sums; they count as equal when they agree to this many parts.
_ROUNDING = 1e-12


def distance(problem: Problem) -> float:
    """(p,k)-RPW for finite p and k > 0: the number of `solve`, without its plan and proof."""
    ready = _ready_costs(problem, np.inf)
    assert ready is not None
    costs, scale = ready
    kappa, shrink = _core.scaled_price(problem.kappa, scale)
    return shrink * _core.cross_profile_value(costs, problem.mass_a, problem.mass_b, kappa, problem.p, np.inf)


def _ready_costs(problem: Problem, deadline: float) -> tuple[Array, float] | None:
    """The p-th powers for the walk, and their scale; None past the deadline."""
    distances = problem.distances(deadline)
    if distances is None:
        return None
    ready = np.ascontiguousarray(distances)
    masses = problem.mass_a, problem.mass_b
    scale = _core.scale_for_crossing(ready, *masses, problem.kappa, problem.p, left(deadline))
    costs = problem.costs_p(distances, scale, deadline)
    return None if costs is None else (costs, scale)


def solve(problem: Problem, tol: float, deadline: float) -> Result:
    """(p,k)-RPW for finite p and k > 0."""
    ready = _ready_costs(problem, deadline)
    if ready is None:
        return nothing_proven(problem, NAME)
    costs, scale = ready
    masses = problem.mass_a, problem.mass_b
    kappa, shrink = _core.scaled_price(problem.kappa, scale)
    outcome = _core.cross_profile(costs, *masses, kappa, problem.p, tol, left(deadline))
    distance, plan = shrink * outcome.unmoved, Plan(*outcome.plan)
    lower = min(shrink * _core.crossing(outcome.dual_height, outcome.multiplier, kappa, problem.p), distance)
    if distance - lower <= _ROUNDING * distance:
        lower = distance
    return Result(
        distance=distance,
        lower=lower,
        upper=distance,
        cost=plan.cost_in(problem),
        status=outcome.status.name,
        solver=NAME,
        iterations=outcome.iterations,
        _problem=problem,
        _plan=plan,
        _dual=Dual(outcome.multiplier, outcome.u, outcome.v, scale),
    )


def profile(problem: Problem, diameter: float) -> Profile:
    """All breakpoints of F for finite p."""
    distances = problem.distances()
    assert distances is not None
    scale = _largest(distances)
    _check_powers_fit(distances, scale, problem.p)
    costs = problem.costs_p(distances, scale)
    assert costs is not None
    curve = _core.whole_profile(costs, problem.mass_a, problem.mass_b, np.inf)
    result = Profile(problem.p, diameter, NAME, curve.unmoved, curve.cost, scale, curve.slope)
    _ = result.cost_p  # raises here, not later, where it cannot be represented
    return result


def nothing_proven(problem: Problem, solver: str) -> Result:
    """The result of a solve that was cut off before it began."""
    return Result(1.0, 0.0, 1.0, 0.0, "time_limit", solver, 0, problem, no_plan(), None)


def no_plan() -> Plan:
    """The plan that moves nothing."""
    nowhere = np.empty(0, dtype=np.int32)
    return Plan(nowhere, nowhere, np.empty(0))


def left(deadline: float) -> float:
    """Seconds until the deadline."""
    return max(0.0, deadline - time.monotonic())


def _largest(distances: Array) -> float:
    largest = float(distances.max())
    return largest if largest > 0 else 1.0


def _check_powers_fit(distances: Array, largest: float, p: float) -> None:
    """Raise where the p-th power of a positive distance would vanish: beside the largest one, or by itself.

    A profile spans all costs, so no one scale suits every k, as it does in `solve`.
    """
    smallest = float(np.min(distances, where=distances > 0, initial=np.inf))
    if np.isinf(smallest):
        return
    with np.errstate(under="ignore"):
        ratio = np.float64(smallest / largest) ** p
    if ratio < np.finfo(np.float64).tiny:
        raise ValueError(
            f"the profile cannot be represented: the powers p={p:g} of distances from {smallest:.3g} to {largest:.3g} "
            "do not fit into float64 together; lower p, or use rpw.solve, which needs no profile"
        )
    representable_power(smallest, p, "cost_p")
