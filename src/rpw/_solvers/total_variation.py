"""k = 0: total variation, for every p (paper, section 4; docs/theory.md, "Total variation").

The distance is the mass that is left when everything that can be moved for free has been. Equal points form blocks, and
then the shared mass is a sum of minima, in linear time; with ``cost=`` the zeros decide, by the same sum where they
form blocks and by one maximum flow where they do not.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rpw import _core
from rpw._problem import Problem
from rpw._result import Plan, Result
from rpw._solvers.exact import left, nothing_proven
from rpw.cost import equal_rows

NAME = "total_variation"

_Labels = npt.NDArray[np.int64]


def solve(problem: Problem, deadline: float) -> Result:
    """Total variation as a Result; its plan moves mass between points at distance 0."""
    if problem.points_identify:
        labels_a, labels_b = _labels_of_equal_points(problem)
        return _from_blocks(problem, labels_a, labels_b)
    distances = problem.distances(deadline)
    if distances is None:
        return nothing_proven(problem, NAME)
    costs = np.ascontiguousarray(distances)
    blocks = _core.label_zero_blocks(costs)
    if blocks is not None:
        return _from_blocks(problem, *blocks)
    outcome = _core.flow_at_zero(costs, problem.mass_a, problem.mass_b, left(deadline))
    proven = outcome.status == _core.Status.exact
    return _result(problem, outcome.unmoved, Plan(*outcome.plan), outcome.iterations, proven)


def _labels_of_equal_points(problem: Problem) -> tuple[_Labels, _Labels]:
    assert problem.x is not None and problem.y is not None
    labels = equal_rows(np.concatenate([problem.x[problem.rows], problem.y[problem.columns]]))
    return labels[: len(problem.rows)].copy(), labels[len(problem.rows) :].copy()


def _from_blocks(problem: Problem, labels_a: _Labels, labels_b: _Labels) -> Result:
    count = int(max(labels_a.max(), labels_b.max())) + 1
    unmoved, plan = _core.match_blocks(problem.mass_a, problem.mass_b, labels_a, labels_b, count)
    return _result(problem, unmoved, Plan(*plan), 0, proven=True)


def _result(problem: Problem, unmoved: float, plan: Plan, iterations: int, proven: bool) -> Result:
    return Result(
        distance=unmoved,
        lower=unmoved if proven else 0.0,
        upper=unmoved,
        cost=0.0,
        status="exact" if proven else "time_limit",
        solver=NAME,
        iterations=iterations,
        _problem=problem,
        _plan=plan,
    )
