"""What the GPU answered, in the terms of the core: one `Outcome` for each pair, with its plan and its potentials."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rpw import _core
from rpw.base.check import Array
from rpw.many.backends.cuda.terms import CUT_OFF, EXACT, UNFINISHED, WITHIN_TOLERANCE, Answers, Measures, Question
from rpw.pair.atoms import Ints

__all__ = ["outcomes_of"]

_Nodes = npt.NDArray[np.int32]
_STATUS = {
    EXACT: _core.Status.exact,
    WITHIN_TOLERANCE: _core.Status.tolerance,
    CUT_OFF: _core.Status.time_limit,
}
_NO_POTENTIALS = np.empty(0)


def outcomes_of(
    answers: Answers, question: Question, a: Measures, b: Measures, first: Ints, second: Ints
) -> list[_core.Outcome | None]:
    """The answers for the pairs (first[e], second[e]) one by one; None where nothing is known.

    They were asked for with plans and with work.
    """
    found: list[_core.Outcome | None] = [None] * len(first)
    for e in np.flatnonzero(answers.status != UNFINISHED).tolist():
        row, column, mass = _plan(answers, e)
        row, column = _as_given(a, int(first[e]), row), _as_given(b, int(second[e]), column)
        if question.quantity == "shared":  # entries came by label, and the core gives them by place
            order = np.lexsort((column, row))
            row, column, mass = row[order], column[order], mass[order]
        found[e] = _outcome(answers, question, e, row, column, mass)
    return found


def _outcome(answers: Answers, question: Question, e: int, row: _Nodes, column: _Nodes, mass: Array) -> _core.Outcome:
    value = float(answers.value[e])
    cost = {"crossing": question.kappa * value, "mass": value, "shared": 0.0}[question.quantity]
    is_shared = question.quantity == "shared"
    return _core.Outcome(
        status=_STATUS[int(answers.status[e])],
        solver=_core.Solver.total_variation if is_shared else _core.Solver.walk,
        value=value,
        lower=float(answers.lower[e]),
        upper=float(answers.upper[e]),
        cost=cost,
        scale=answers.scale,
        row=row,
        column=column,
        mass=mass,
        **_proof(answers, e),
    )


def _proof(answers: Answers, e: int) -> dict[str, Any]:
    """Potentials, multiplier and the number of steps; total variation has none of them."""
    if answers.u is None or answers.v is None or answers.multiplier is None:
        return {"u": _NO_POTENTIALS, "v": _NO_POTENTIALS, "multiplier": 0.0, "iterations": 0}
    assert answers.u_start is not None and answers.v_start is not None and answers.work is not None
    return {
        "u": answers.u[answers.u_start[e] : answers.u_start[e + 1]],
        "v": answers.v[answers.v_start[e] : answers.v_start[e + 1]],
        "multiplier": float(answers.multiplier[e]),
        "iterations": int(answers.work[e, :2].sum()),  # trees that were reached, and moves of mass
    }


def _plan(answers: Answers, e: int) -> tuple[_Nodes, _Nodes, Array]:
    """The entries that carry mass."""
    assert answers.plan_start is not None and answers.plan_mass is not None
    assert answers.plan_row is not None and answers.plan_column is not None
    begin, end = answers.plan_start[e : e + 2]
    kept = begin + np.flatnonzero(answers.plan_mass[begin:end])
    return answers.plan_row[kept], answers.plan_column[kept], answers.plan_mass[kept]


def _as_given(measures: Measures, s: int, atoms: _Nodes) -> _Nodes:
    """Atoms of measure s by their places before it was sorted."""
    return atoms if measures.rank is None else measures.rank[measures.start[s] + atoms].astype(np.int32)
