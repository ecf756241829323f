"""Which solver answers, and the core's answer as a Result, a Profile or a number. The algorithms are in the core."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

from rpw import _core
from rpw._problem import Problem
from rpw._profile import Profile
from rpw._result import Dual, Plan, Result

__all__ = ["check_solver", "choose", "distance", "partial_cost", "profile", "solve"]

# From the table in docs/benchmarks.md: LMR pays where k·tol is at least this and there are that many pairs.
_COARSE = 0.1
_MANY_PAIRS = 1_000_000

SOLVERS = ("auto", "exact", "lmr", "bisection")
_WITH_ERROR = ("lmr", "bisection")


def check_solver(solver: object, tol: float) -> None:
    """Raise unless ``solver`` is a known name that can keep ``tol``."""
    if not isinstance(solver, str) or solver not in SOLVERS:
        raise ValueError(f"unknown solver {solver!r}; choose one of {', '.join(map(repr, SOLVERS))}")
    if solver in _WITH_ERROR and tol == 0:
        raise ValueError(f"solver={solver!r} has an error that tol must bound: pass tol > 0, or solver='exact'")


def choose(problem: Problem, solver: str, tol: float) -> tuple[str, str]:
    """The name of the solver for this problem, and why (the table is in `rpw.choose_solver`)."""
    if problem.kappa == 0:
        return "total_variation", "k = 0 is total variation for every p: no transport problem has to be solved"
    if solver in _WITH_ERROR:
        return solver, "it was asked for"
    if math.isinf(problem.p):
        return "infinity", "p = inf is decided by maximum flows over short pairs, in the order of their length"
    if tol > 0 and solver == "auto" and _lmr_is_faster(problem, tol):
        return "lmr", "a coarse tol, unequal weights and many pairs: there LMR beats the exact walk"
    if tol > 0:
        return "exact", "finite p: the walk along the exact OT-profile stops as soon as the bounds are within tol"
    return "exact", "finite p: the walk along the exact OT-profile stops at the crossing"


def _lmr_is_faster(problem: Problem, tol: float) -> bool:
    """Where LMR won in the measurements of docs/benchmarks.md."""
    coarse = problem.kappa * tol >= _COARSE * problem.diameter
    if problem.is_uniform or problem.is_on_line:
        return False
    return coarse and len(problem.rows) * len(problem.columns) >= _MANY_PAIRS


def solve(problem: Problem, solver: str, tol: float, deadline: float) -> Result:
    """Run the chosen solver."""
    name, _ = choose(problem, solver, tol)
    try:
        outcome = _ask(problem, name, tol, _core.Need.plan, deadline)
    except TimeoutError:  # before the core began: its answers carry the bounds that it had proven
        return _nothing_proven(problem, name)
    return _as_result(problem, outcome)


def distance(problem: Problem, solver: str, tol: float) -> float:
    """The number of `solve`, without its plan and proof."""
    name, _ = choose(problem, solver, tol)
    return _ask(problem, name, tol, _core.Need.value).value


def partial_cost(problem: Problem, mass: float) -> float:
    """W_{p, mass}, for every p."""
    question = _core.Question(_core.Quantity.mass, p=problem.p, unmoved=1.0 - mass, truncation=problem.truncation)
    return _core.solve(*problem.to_core(_bytes_per_cost("exact", problem.is_on_line)), question, np.inf).value


def profile(problem: Problem, diameter: float, solver: str, tol: float) -> Profile:
    """Every breakpoint of the profile (with LMR: of a profile at most ``tol`` above it)."""
    if solver == "bisection":
        raise ValueError("solver='bisection' finds one distance, not a profile: use 'exact' or 'lmr'")
    wanted = _core.Solver.lmr if solver == "lmr" else _core.Solver.exact
    question = _core.Question(
        _core.Quantity.crossing, p=problem.p, truncation=problem.truncation, tol=tol, solver=wanted
    )
    is_short = problem.p == 1 or math.isinf(problem.p) or problem.is_balanced or tol > 0
    curve = _core.profile(*problem.to_core(_bytes_per_cost(solver, is_short and problem.is_on_line)), question, np.inf)
    name = curve.solver.name
    result = Profile(problem.p, diameter, name, curve.unmoved, curve.cost, curve.scale, curve.slope)
    if name in ("exact", "line"):
        _ = result.cost_p  # raises here, not later, where it cannot be represented
    return result


def _ask(problem: Problem, name: str, tol: float, need: _core.Need, deadline: float = np.inf) -> _core.Outcome:
    """RPW by the solver of this name (total variation where k = 0)."""
    question = _core.Question(
        _core.Quantity.shared if problem.kappa == 0 else _core.Quantity.crossing,
        p=problem.p,
        kappa=problem.kappa,
        truncation=problem.truncation,
        tol=tol,
        solver=getattr(_core.Solver, name) if name in _WITH_ERROR else _core.Solver.exact,
        need=need,
    )
    pair = problem.to_core(_bytes_per_cost(name, problem.is_on_line), deadline)
    return _core.solve(*pair, question, max(0.0, deadline - time.monotonic()))


def _bytes_per_cost(solver: str, is_on_line: bool) -> int:
    """Of the matrix in the core: float64, or the integers of LMR (which are wider only for the smallest ``tol``).

    On the line there is none, unless a solver that needs one is asked for.
    """
    if solver in _WITH_ERROR:
        return 4 if solver == "lmr" else 8
    return 0 if is_on_line else 8


def _as_result(problem: Problem, outcome: _core.Outcome) -> Result:
    solver, status, plan = outcome.solver.name, outcome.status.name, Plan(*outcome.plan)
    if solver == "bisection" or len(outcome.lengths):  # flows may move more than is asked for
        plan = plan.trimmed(1.0 - outcome.value)
    potentials = Dual(outcome.multiplier, outcome.u, outcome.v, outcome.scale) if outcome.has_potentials else None
    return Result(
        distance=outcome.value,
        lower=outcome.lower,
        upper=outcome.upper,
        cost=_cost_of(problem, outcome, plan),
        status=status,
        solver=solver,
        iterations=outcome.iterations,
        _problem=problem,
        _plan=plan,
        _dual=potentials,
    )


def _cost_of(problem: Problem, outcome: _core.Outcome, plan: Plan) -> float:
    """W of the plan, as it is after trimming."""
    if outcome.solver.name == "total_variation":
        return 0.0
    if math.isinf(problem.p) and outcome.solver.name != "bisection":
        return float(outcome.lengths[: len(plan.row)].max(initial=0.0))
    return plan.cost_in(problem)


def _nothing_proven(problem: Problem, solver: str) -> Result:
    """The result of a solve that was cut off before it began."""
    nowhere: Any = np.empty(0, dtype=np.int32)
    return Result(1.0, 0.0, 1.0, 0.0, "time_limit", solver, 0, problem, Plan(nowhere, nowhere, np.empty(0)), None)
