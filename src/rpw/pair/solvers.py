"""The core's answer as a Result, a Profile or a number. What answers, and how, is decided in the core."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from rpw import _core
from rpw.base.check import Array
from rpw.base.deadline import NEVER, Deadline, TimeLimitError
from rpw.base.progress import Tell
from rpw.base.spelling import setting
from rpw.pair.dual import Dual
from rpw.pair.elbow import spread_of
from rpw.pair.ground import Matrix
from rpw.pair.light_atoms import opened
from rpw.pair.metrics import equal_rows
from rpw.pair.problem import Problem
from rpw.pair.profile import Profile
from rpw.pair.question import Question
from rpw.pair.result import Plan, Result

__all__ = ["as_result", "choose", "outcome", "profile", "solve", "value", "values_at"]

_SAME_NUMBER = 1e-9  # bounds that differ by no more than this part of the number agree up to rounding
_ROUNDING_OF_ONE = 2.0**-53


def choose(problem: Problem, question: Question) -> tuple[str, str]:
    """The name of the solver for this question, and why, as the core says (the table is in `rpw.choose_solver`).

    Raises the ``MemoryError`` that the solver would.
    """
    _check_has_points(problem, question)
    solver, reason, bytes_per_pair = _choice(problem, question)
    problem.check_fits(question, *problem.sizes, bytes_per_pair)
    return solver.name, reason


def _choice(problem: Problem, question: Question) -> tuple[_core.Solver, str, int]:
    has_labels, has_matrix = problem.ground.uses_labels(question), isinstance(problem.ground, Matrix)
    layout = (problem.is_on_line, has_labels, has_matrix, *problem.sizes, problem.dimension)
    return _core.choose(question.to_core(), *layout)


def solve(problem: Problem, question: Question, deadline: Deadline = NEVER, tell: Tell | None = None) -> Result:
    """The answer with its plan and its proof; past the deadline, what is proven by then."""
    _check_has_points(problem, question)
    question = replace(question, need="plan")
    try:
        answer = outcome(problem, question, deadline, tell)
    except TimeLimitError:  # before the core began: its answers carry the bounds that it had proven
        answer = None
    result = as_result(problem, question, answer, deadline)
    if result.status != "time_limit":
        return result
    return replace(result, status=_status_between(result.lower, result.upper, question))


def value(problem: Problem, question: Question, deadline: Deadline = NEVER, tell: Tell | None = None) -> float:
    """The number alone; past the deadline, an error that carries the bounds."""
    _check_has_points(problem, question)
    lower, upper = 0.0, question.largest
    with suppress(TimeLimitError):
        answer = outcome(problem, question, deadline, tell)
        if answer.status != _core.Status.time_limit:
            return answer.value
        lower, upper = max(lower, answer.lower), min(upper, answer.upper)
    if _status_between(lower, upper, question) == "time_limit":
        raise TimeLimitError(lower, upper)
    return upper


def values_at(problem: Problem, question: Question, deadline: Deadline = NEVER) -> Array:
    """The numbers alone for each of the question's k, from one search."""
    pair, kappas = problem.to_core(question, deadline), np.array(question.kappas)
    fits = partial(problem.check_fits, question)
    try:
        return _core.several(*pair, question.to_core(), kappas, deadline.seconds_left, fits)
    except TimeoutError:
        raise TimeLimitError from None


def profile(
    problem: Problem,
    question: Question,
    max_breakpoints: int,
    deadline: Deadline = NEVER,
    tell: Tell | None = None,
) -> Profile:
    """Every breakpoint of the profile (with ``tol`` > 0: of a curve above it, with one below)."""
    if question.solver == "bisection":
        raise ValueError("solver='bisection' computes one distance, not a profile: use 'exact' or 'lmr'")
    if question.solver == "simplex":
        raise ValueError("solver='simplex' computes one distance, not a profile: use 'exact' or 'lmr'")
    _check_has_points(problem, question)
    pair = problem.to_core(question, deadline)
    fits = partial(problem.check_fits, question, is_profile=True)
    try:
        upper, lower = _core.profile(*pair, question.to_core(max_breakpoints), deadline.seconds_left, tell, fits)
    except TimeoutError:
        raise TimeLimitError from None
    solved = SolvedPair(problem.kept(), question, problem.ground.digest())
    result = replace(_as_profile(question, upper), _pair=solved)
    if len(upper.used_up_a):
        result = replace(result, _used_up=_used_up(problem, upper))
    if lower is not None:
        result = replace(result, _lower=_as_profile(question, lower))
    if result.is_exact:
        result = replace(result, _spread=spread_of(problem, deadline))
    if result.solver in ("walk", "simplex", "line", "points"):
        _ = result.cost_p  # raises here, not later, where it cannot be represented
    return result


def _as_profile(question: Question, curve: _core.Curve) -> Profile:
    name = curve.solver.name
    return Profile(question.p, question.diameter, name, curve.unmoved, curve.cost, curve.scale, curve.slope)


def _used_up(problem: Problem, curve: _core.Curve) -> tuple[Array, Array]:
    """The prices at which atoms had moved, for all atoms: the highest among equal points, of which any may be last."""
    sides, is_ready = [], curve.solver.name == "line"  # sorted points show which are equal
    for size, kept, prices, where in (
        (problem.shape[0], problem.rows, curve.used_up_a, problem.x),
        (problem.shape[1], problem.columns, curve.used_up_b, problem.y),
    ):
        of_all = np.zeros(size)
        of_all[kept] = prices
        points = None if is_ready else problem.ground.points_at(where[kept])
        if points is not None:
            labels = equal_rows(points)
            highest = np.zeros(labels.max() + 1)
            np.maximum.at(highest, labels, prices)
            of_all[kept] = highest[labels]
        sides.append(of_all)
    return sides[0], sides[1]


@dataclass(frozen=True)
class SolvedPair:
    """A pair that can be solved again: what a Profile keeps, so that it can give plans."""

    problem: Problem
    question: Question
    digest: bytes  # of ``cost=``, which is too large for a copy

    def crossing(self, k: float) -> Result:
        """The plan of RPW at another price."""
        return self._solve(replace(self.question, k=k, tol=0.0, solver="exact"))

    def transport(self, mass: float) -> Result:
        """The plan that moves a mass."""
        return self._solve(Question("partial_wasserstein", p=self.question.p, mass=mass))

    def _solve(self, question: Question) -> Result:
        if self.problem.ground.digest() != self.digest:
            raise ValueError("cost has changed since this profile was computed: call rpw.profile again")
        return solve(self.problem, question)

    def without_metric(self) -> SolvedPair:
        """The same, where a metric that cannot be pickled is left out."""
        return replace(self, problem=self.problem.without_metric())


def outcome(problem: Problem, question: Question, deadline: Deadline, tell: Tell | None = None) -> _core.Outcome:
    """The core's answer; raises where the deadline passes before it begins. ``tell`` hears how far it is."""
    pair = problem.to_core(question, deadline)
    fits = partial(problem.check_fits, question)
    return _core.solve(*pair, question.to_core(), deadline.seconds_left, tell, fits)


def _check_has_points(problem: Problem, question: Question) -> None:
    if question.solver == "points" and problem.dimension == 0:
        raise ValueError(
            f"{setting('solver', 'points')} needs points x and y, and one of the metrics euclidean, cityblock, "
            f"chebyshev and minkowski: leave solver out, or pass {setting('solver', 'exact')}"
        )


def as_result(
    problem: Problem, question: Question, outcome: _core.Outcome | None, deadline: Deadline = NEVER
) -> Result:
    """The core's answer to a question with need="plan"; None where time was up before there was one."""
    problem = problem.kept()
    if outcome is None:
        return _nothing_proven(problem, question)
    dual = _dual_of(outcome)
    if dual is not None and problem.may_change:
        dual = dual.on_all_atoms(problem, question, deadline)
    if question.is_of_cost and outcome.status == _core.Status.time_limit:
        return _unfinished_transport(problem, question, outcome, dual)
    plan, (lower, upper, status) = Plan(*outcome.plan), _bounds_and_status(outcome, problem, question)
    if outcome.solver.name == "bisection" or len(outcome.lengths):  # flows may move more than is asked for
        plan = plan.trimmed(question.moved if question.is_of_cost else 1.0 - outcome.value)
    if question.lam is not None:
        plan = plan.shorter_than(question.truncation, problem)
    cost = outcome.value if question.is_of_cost else _cost_of(problem, question, outcome, plan)
    return _made_of(outcome, (outcome.value, lower, upper, cost, status), problem, question, plan, dual)


def _made_of(
    outcome: _core.Outcome,
    numbers: tuple[float, float, float, float, str],
    problem: Problem,
    question: Question,
    plan: Plan,
    dual: Dual | None,
) -> Result:
    """A result with these numbers (distance, bounds, cost, status), and with what ran."""
    ran = outcome.solver.name, outcome.iterations
    return Result(*numbers, *ran, problem, question, plan, dual, tuple(outcome.route))


def _bounds_and_status(outcome: _core.Outcome, problem: Problem, question: Question) -> tuple[float, float, str]:
    """Exact means that the bounds agree. Weights near 2**-60 may decide, and masses have no finer parts.

    What two shares of the mass differ by less than the rounding of 1 is closed; beyond that, bounds apart say so.
    """
    lower, upper = outcome.lower, outcome.upper
    if outcome.status != _core.Status.exact:
        return lower, upper, outcome.status.name
    if question.moves_all:
        open_lower, open_upper = opened(lower, upper, problem, question)
        if open_upper - open_lower > _SAME_NUMBER * open_upper:
            return open_lower, open_upper, "tolerance"
    if upper - lower <= _SAME_NUMBER * upper:
        return lower, upper, "exact"
    if question.is_of_crossing and upper - lower <= _ROUNDING_OF_ONE:
        return upper, upper, "exact"
    return lower, upper, "tolerance"


def _status_between(lower: float, upper: float, question: Question) -> str:
    """What bounds say that were proven by the time limit: they may have met all the same.

    Not "exact": the plan of the upper one may cost a little less than it could.
    """
    has_met = upper - lower <= max(question.tol, _SAME_NUMBER * upper) and math.isfinite(upper)
    return "tolerance" if has_met else "time_limit"


def _dual_of(outcome: _core.Outcome) -> Dual | None:
    return Dual(outcome.multiplier, outcome.u, outcome.v, outcome.scale) if outcome.has_potentials else None


def _unfinished_transport(
    problem: Problem, question: Question, outcome: _core.Outcome | None, dual: Dual | None = None
) -> Result:
    """A cost that was cut off: the plan so far, and for the rest what comes first, so that the upper bound is attained.

    λ-ROBOT may leave the rest behind, for 2λ.
    """
    nowhere: Any = np.empty(0, dtype=np.int32)
    plan = Plan(nowhere, nowhere, np.empty(0)) if outcome is None else Plan(*outcome.plan)
    if question.lam is None:
        plan = plan.trimmed(question.moved).completed(question.moved, problem)
        upper = plan.cost_in(problem, question)
    else:
        plan = plan.shorter_than(question.truncation, problem)
        upper = plan.cost_in(problem, question, question.truncation)
    if outcome is None:
        return replace(_nothing_moved(problem, question), distance=upper, upper=upper, cost=upper, _plan=plan)
    numbers = (upper, min(outcome.lower, upper), upper, upper, "time_limit")
    return _made_of(outcome, numbers, problem, question, plan, dual)


def _cost_of(problem: Problem, question: Question, outcome: _core.Outcome, plan: Plan) -> float:
    """W of the plan, as it is after trimming."""
    if outcome.solver.name == "total_variation":
        return 0.0
    if math.isinf(question.p) and outcome.solver.name not in ("bisection", "line"):  # a line knows places, rounded
        return float(outcome.lengths[: len(plan.row)].max(initial=0.0))
    return plan.cost_in(problem, question)


def _nothing_proven(problem: Problem, question: Question) -> Result:
    """The result of a solve that was cut off before it began."""
    return _unfinished_transport(problem, question, None) if question.is_of_cost else _nothing_moved(problem, question)


def _nothing_moved(problem: Problem, question: Question) -> Result:
    nowhere: Any = np.empty(0, dtype=np.int32)
    plan, solver = Plan(nowhere, nowhere, np.empty(0)), _choice(problem, question)[0].name
    return Result(1.0, 0.0, 1.0, 0.0, "time_limit", solver, 0, problem, question, plan)
