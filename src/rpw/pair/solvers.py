"""Which solver answers, and the core's answer as a Result, a Profile or a number. The algorithms are in the core."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from rpw import _core
from rpw.base.deadline import NEVER, Deadline, TimeLimitError
from rpw.pair.problem import Problem
from rpw.pair.profile import Profile
from rpw.pair.question import Question
from rpw.pair.result import Dual, Plan, Result

__all__ = ["choose", "profile", "solve", "value"]

# From the table in docs/benchmarks.md: LMR pays where k·tol is at least this and there are that many pairs.
_COARSE = 0.1
_MANY_PAIRS = 1_000_000


def choose(problem: Problem, question: Question) -> tuple[str, str]:
    """The name of the solver for this question, and why (the table is in `rpw.choose_solver`)."""
    if question.is_of_shared_mass:
        return "total_variation", "k = 0 is total variation for every p: no transport problem has to be solved"
    if question.has_error or (question.is_by_name and not math.isinf(question.p)):
        return question.solver, "it was asked for"
    if math.isinf(question.p):
        return "infinity", "p = inf is decided by maximum flows over short pairs, in the order of their length"
    if question.tol > 0 and question.solver == "auto" and _lmr_is_faster(problem, question):
        return "lmr", "a coarse tol, unequal weights and many pairs: there LMR beats the exact strategies"
    end = "as soon as the bounds are within tol" if question.tol > 0 else "at the crossing"
    return "exact", (
        "finite p: a walk along the exact OT-profile, which jumps by a simplex at a fixed multiplier where the way "
        f"would be long, stops {end}; Result.solver tells whether it was the walk alone or the simplex too"
    )


def _lmr_is_faster(problem: Problem, question: Question) -> bool:
    """Where LMR won in the measurements of docs/benchmarks.md."""
    coarse = question.kappa * question.tol >= _COARSE * question.diameter
    return coarse and not problem.is_uniform and len(problem.rows) * len(problem.columns) >= _MANY_PAIRS


def solve(problem: Problem, question: Question, deadline: Deadline = NEVER) -> Result:
    """The answer with its plan and its proof; past the deadline, what is proven by then."""
    question = replace(question, solver=choose(problem, question)[0], need="plan")
    try:
        outcome = _ask(problem, question, deadline)
    except TimeLimitError:  # before the core began: its answers carry the bounds that it had proven
        return _nothing_proven(problem, question)
    return _as_result(problem, question, outcome)


def value(problem: Problem, question: Question, deadline: Deadline = NEVER) -> float:
    """The number alone; past the deadline, an error that carries the bounds."""
    question = replace(question, solver=choose(problem, question)[0])
    try:
        outcome = _ask(problem, question, deadline)
    except TimeLimitError:
        raise TimeLimitError(0.0, question.largest) from None
    if outcome.status == _core.Status.time_limit:
        raise TimeLimitError(outcome.lower, outcome.upper)
    return outcome.value


def profile(problem: Problem, question: Question, max_breakpoints: int, deadline: Deadline = NEVER) -> Profile:
    """Every breakpoint of the profile (with ``tol`` > 0: of a curve above it, with one below)."""
    if question.solver == "bisection":
        raise ValueError("solver='bisection' finds one distance, not a profile: use 'exact' or 'lmr'")
    if question.solver == "simplex":
        raise ValueError("solver='simplex' finds one distance, not a profile: use 'exact' or 'lmr'")
    pair = problem.to_core(question, _bytes_per_cost(question.solver), deadline)
    try:
        upper, lower = _core.profile(*pair, question.to_core(max_breakpoints), deadline.seconds_left)
    except TimeoutError:
        raise TimeLimitError from None
    result = _as_profile(question, upper)
    if lower is not None:
        result = replace(result, _lower=_as_profile(question, lower))
    if result.solver in ("walk", "simplex"):
        _ = result.cost_p  # raises here, not later, where it cannot be represented
    return result


def _as_profile(question: Question, curve: _core.Curve) -> Profile:
    name = curve.solver.name
    return Profile(question.p, question.diameter, name, curve.unmoved, curve.cost, curve.scale, curve.slope)


def _ask(problem: Problem, question: Question, deadline: Deadline) -> _core.Outcome:
    pair = problem.to_core(question, _bytes_per_cost(question.solver), deadline)
    return _core.solve(*pair, question.to_core(), deadline.seconds_left)


def _bytes_per_cost(solver: str) -> int:
    """Of the matrix in the core: float64, or the integers of LMR (which are wider only for the smallest ``tol``)."""
    return 4 if solver == "lmr" else 8


def _as_result(problem: Problem, question: Question, outcome: _core.Outcome) -> Result:
    solver, status, plan = outcome.solver.name, outcome.status.name, Plan(*outcome.plan)
    if solver == "bisection" or len(outcome.lengths):  # flows may move more than is asked for
        plan = plan.trimmed(1.0 - outcome.value)
    potentials = Dual(outcome.multiplier, outcome.u, outcome.v, outcome.scale) if outcome.has_potentials else None
    return Result(
        distance=outcome.value,
        lower=outcome.lower,
        upper=outcome.upper,
        cost=_cost_of(problem, question, outcome, plan),
        status=status,
        solver=solver,
        iterations=outcome.iterations,
        _problem=problem,
        _question=question,
        _plan=plan,
        _dual=potentials,
    )


def _cost_of(problem: Problem, question: Question, outcome: _core.Outcome, plan: Plan) -> float:
    """W of the plan, as it is after trimming."""
    if outcome.solver.name == "total_variation":
        return 0.0
    if math.isinf(question.p) and outcome.solver.name != "bisection":
        return float(outcome.lengths[: len(plan.row)].max(initial=0.0))
    return plan.cost_in(problem, question)


def _nothing_proven(problem: Problem, question: Question) -> Result:
    """The result of a solve that was cut off before it began."""
    nowhere: Any = np.empty(0, dtype=np.int32)
    plan = Plan(nowhere, nowhere, np.empty(0))
    return Result(1.0, 0.0, 1.0, 0.0, "time_limit", question.solver, 0, problem, question, plan)
