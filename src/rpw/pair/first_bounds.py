"""Bounds on RPW that need no matrix: what is proven before a long solve has begun, should time run out early.

From below, the distance of what the measures look like along one axis: no difference of coordinates exceeds the
distance of the points. From above, a plan between points that lie near to each other on a curve through all of space.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from rpw import _core
from rpw.base.check import Array
from rpw.base.deadline import Deadline, TimeLimitError
from rpw.pair.atoms import Ints
from rpw.pair.problem import Problem
from rpw.pair.profile import Profile
from rpw.pair.question import Question
from rpw.pair.result import Plan

__all__ = ["NOTHING_KNOWN", "FirstBounds", "first_bounds"]

_MANY_PAIRS = 1 << 20  # fewer are solved, or bounded, in less time
_MOST_AXES = 3
_BITS = 16  # of each coordinate, where they are interleaved to a place on the curve
_NEIGHBOURS = (-3, -2, -1, 0, 1, 2)  # on the curve


@dataclass(frozen=True, eq=False)
class FirstBounds:
    """The answer lies between these; ``plan`` attains the upper one."""

    lower: float = 0.0
    upper: float = math.inf
    plan: Plan | None = None


NOTHING_KNOWN = FirstBounds()


def first_bounds(problem: Problem, question: Question, deadline: Deadline) -> FirstBounds:
    """Bounds in near-linear time, as far as the deadline allows; [0, inf] where a solve will soon have better ones."""
    found = NOTHING_KNOWN
    if not (deadline.is_set and question.is_of_crossing and problem.ground.has_norm):
        return found
    is_long = len(problem.rows) * len(problem.columns) >= _MANY_PAIRS and not problem.is_on_line
    points = problem.points
    if not is_long or points is None:
        return found
    x, y = points[0][problem.rows], points[1][problem.columns]
    low, high = np.minimum(x.min(axis=0), y.min(axis=0)), np.maximum(x.max(axis=0), y.max(axis=0))
    with np.errstate(over="ignore"):
        widths = high - low
    if not np.isfinite(widths).all():
        return found  # the solve will say that their distances are no float64
    axes = np.argsort(-widths, kind="stable")[:_MOST_AXES]
    shares = [(side[:, axes] - low[axes]) / np.where(widths > 0, widths, 1.0)[axes] for side in (x, y)]
    with suppress(TimeLimitError):
        found = FirstBounds(_lower_along(axes[0], problem, question, deadline))
        plan = _plan_along_curve(_places_on_curve(shares[0]), _places_on_curve(shares[1]), problem, deadline)
        found = _cut_at_crossing(plan, problem, question, found.lower)
        for axis in axes[1:]:
            deadline.check()
            found = replace(found, lower=max(found.lower, _lower_along(axis, problem, question, deadline)))
    return found


def _lower_along(axis: int, problem: Problem, question: Question, deadline: Deadline) -> float:
    """RPW of the two measures as they look along one axis."""
    seen = problem.along(axis)
    asked = replace(question, solver="auto", tol=0.0, need="bounds")
    return _core.solve(*seen.to_core(asked, 0, deadline), asked.to_core(), deadline.seconds_left).lower


def _plan_along_curve(of_x: Ints, of_y: Ints, problem: Problem, deadline: Deadline) -> Plan:
    """What fits between neighbours on the curve, the nearest first; the rest in the order of the curve."""
    order = np.argsort(of_y, kind="stable")
    at = np.searchsorted(of_y[order], of_x)
    row = np.tile(np.arange(len(of_x)), len(_NEIGHBOURS))
    column = order[np.concatenate([at + step for step in _NEIGHBOURS]).clip(0, len(of_y) - 1)]
    deadline.check()
    lengths = problem.pairs(problem.rows[row], problem.columns[column])
    deadline.check()
    left_a, left_b = problem.a[problem.rows].tolist(), problem.b[problem.columns].tolist()
    entries = []
    nearest = np.argsort(lengths, kind="stable")
    for i, j in zip(row[nearest].tolist(), column[nearest].tolist(), strict=True):
        mass = min(left_a[i], left_b[j])
        if mass > 0:
            entries.append((i, j, mass))
            left_a[i] -= mass
            left_b[j] -= mass
    row, column, mass = (np.array(part) for part in zip(*entries, strict=True))
    plan = Plan(row.astype(np.int32), column.astype(np.int32), mass)
    deadline.check()
    return plan.completed(1.0, problem, (np.argsort(of_x, kind="stable"), order))


def _places_on_curve(shares: Array) -> Ints:
    """The bits of coordinates in [0, 1], taken in turn: points whose places are near lie near to each other."""
    cells = (shares * (2**_BITS - 1)).astype(np.int64)
    places = np.zeros(len(cells), dtype=np.int64)
    for bit in reversed(range(_BITS)):
        for axis in range(cells.shape[1]):
            places = 2 * places + (cells[:, axis] >> bit & 1)
    return places


def _cut_at_crossing(plan: Plan, problem: Problem, question: Question, lower: float) -> FirstBounds:
    """As much of the plan, the shortest ways first, as costs no more than what it leaves behind."""
    lengths = problem.pairs(problem.rows[plan.row], problem.columns[plan.column])
    order = np.argsort(lengths, kind="stable")
    plan, lengths = Plan(plan.row[order], plan.column[order], plan.mass[order]), lengths[order]
    upper = _curve_of(plan.mass, lengths, question).distance(question.k)
    plan = plan.trimmed(1.0 - upper)
    is_paid = plan.cost_in(problem, question) <= question.kappa * upper * (1 + 1e-9)  # powers may have vanished
    return FirstBounds(lower, upper, plan) if is_paid else FirstBounds(lower)


def _curve_of(mass: Array, lengths: Array, question: Question) -> Profile:
    """The cost of the first entries of a plan, for each share of the mass."""
    unmoved = np.append(1.0, np.maximum(0.0, 1.0 - np.cumsum(mass)))
    if np.isinf(question.p):
        costs, scale, slopes = np.append(0.0, lengths), 1.0, np.empty(0)
    else:
        scale = float(lengths[-1]) or 1.0
        slopes = (lengths / scale) ** question.p
        costs = np.append(0.0, np.cumsum(mass * slopes))
    return Profile(question.p, question.diameter, "curve", unmoved, costs, scale, slopes)
