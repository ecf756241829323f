"""The potentials that prove a lower bound, on the atoms that carry mass and on those that do not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from rpw import _core
from rpw.base.check import Array
from rpw.base.deadline import NEVER, Deadline, TimeLimitError
from rpw.pair.atoms import Ints
from rpw.pair.problem import Problem
from rpw.pair.question import Question

__all__ = ["Dual"]

_PAIRS_PER_BLOCK = 1 << 18  # linear memory, and the clock is looked at between two blocks


@dataclass(frozen=True, eq=False)
class Dual:
    """Potentials u, v >= 0 at slope λ, in units of ``scale ** p``; of the core, over the atoms that carry mass."""

    multiplier: float
    u: Array
    v: Array
    scale: float

    def on_all_atoms(self, problem: Problem, question: Question, deadline: Deadline = NEVER) -> Dual:
        """Atoms without mass get the least u, v that satisfy every constraint, or λ where time is up: that is enough.

        The same object where all atoms have potentials already.
        """
        return self._extended(problem, question, deadline, is_joint=True)

    def of_each_atom(self, problem: Problem, question: Question) -> Dual:
        """Atoms without mass get what each would need if it alone had some: a derivative, but no proof.

        Where all mass moves, nothing can be left behind, and a potential may be negative
        (docs/proofs/derivatives.md, "Gradients").
        """
        return self._extended(problem, question, NEVER, is_joint=False)

    def _extended(self, problem: Problem, question: Question, deadline: Deadline, *, is_joint: bool) -> Dual:
        if (len(self.u), len(self.v)) == problem.shape:
            return self
        u, v = (np.full(size, self.multiplier) for size in problem.shape)
        u[problem.rows], v[problem.columns] = self.u, self.v
        need = _Need(problem, question, self, deadline, least=0.0 if is_joint or not question.moves_all else -np.inf)
        try:
            idle = np.setdiff1d(np.arange(len(u)), problem.rows)
            u[idle] = need.of_rows(idle, problem.columns, self.v)
            idle = np.setdiff1d(np.arange(len(v)), problem.columns)
            rows = np.arange(len(u)) if is_joint else problem.rows
            v[idle] = need.of_columns(idle, rows, u[rows])
        except TimeLimitError:
            pass
        return replace(self, u=u, v=v)


@dataclass(frozen=True, eq=False)
class _Need:
    """The least potentials of some atoms beside given ones of the other side: max(least, max_j λ - c_ij**p - v_j)."""

    problem: Problem
    question: Question
    dual: Dual
    deadline: Deadline
    least: float  # that a potential may be

    def of_rows(self, rows: Ints, columns: Ints, v: Array) -> Array:
        """Of atoms of the first measure, beside potentials of some of the second."""
        return self._of(rows, columns, v, is_of_rows=True)

    def of_columns(self, columns: Ints, rows: Ints, u: Array) -> Array:
        """Of atoms of the second measure, beside potentials of some of the first."""
        return self._of(columns, rows, u, is_of_rows=False)

    def _of(self, atoms: Ints, partners: Ints, potentials: Array, *, is_of_rows: bool) -> Array:
        if len(atoms) == 0:
            return np.zeros(0)
        places = self.problem.places
        if places is None:
            cheapest = self._least_in_blocks(atoms, partners, potentials, is_of_rows)
        else:
            here, there = places if is_of_rows else places[::-1]
            cheapest = self._least_in_order(atoms, partners, potentials, here, there)
        if np.isfinite(self.question.truncation):  # the distances are cut off there
            longest = self._powers(np.array([self.question.truncation]))[0]
            cheapest = np.minimum(cheapest, longest + potentials.min())
        return np.maximum(self.least, self.dual.multiplier - cheapest)

    def _least_in_blocks(self, atoms: Ints, partners: Ints, potentials: Array, is_of_rows: bool) -> Array:
        """min over j of c_ij**p + v_j, from all pairs."""
        least = np.empty(len(atoms))
        for part in _parts(len(atoms), len(partners)):
            self.deadline.check()
            rows, columns = (atoms[part], partners) if is_of_rows else (partners, atoms[part])
            powers = self._powers(self.problem.block(rows, columns, self.deadline))
            powers += potentials if is_of_rows else potentials[:, None]
            least[part] = powers.min(axis=1 if is_of_rows else 0)
        return least

    def _least_in_order(self, atoms: Ints, partners: Ints, potentials: Array, here: Array, there: Array) -> Array:
        """The same on an axis. Costs there are convex in the way, so that the best partners come in order too.

        Hence the atom in the middle tells the others where to look, and so on in both halves: each round looks at
        every partner about once.
        """
        order, order_there = np.argsort(here[atoms]), np.argsort(there[partners])
        at, to, potentials = here[atoms][order], there[partners][order_there], potentials[order_there]
        best = np.full(len(at) + 2, len(to) - 1)  # of the atoms, and of two that lie around all
        best[0] = 0
        least = np.empty(len(at))
        for middle, before, after in _halvings(len(at)):
            self.deadline.check()
            first, length = best[before + 1], best[after + 1] - best[before + 1] + 1
            start = np.cumsum(length) - length
            which = np.repeat(np.arange(len(middle)), length)
            looked_at = np.arange(len(which)) + (first - start)[which]
            costs = self._powers(np.abs(at[middle][which] - to[looked_at])) + potentials[looked_at]
            found = np.minimum.reduceat(costs, start)
            cheapest = np.flatnonzero(costs == found[which])
            best[middle + 1] = looked_at[cheapest[np.searchsorted(cheapest, start)]]
            least[order[middle]] = found
        return least

    def _powers(self, distances: Array) -> Array:
        lengths = np.atleast_2d(np.ascontiguousarray(distances))
        powers = np.empty(lengths.shape)
        _core.fill_powers(lengths, self.dual.scale, self.question.p, powers)
        return powers.reshape(distances.shape)


def _parts(rows: int, columns: int) -> Iterator[slice]:
    step = max(1, _PAIRS_PER_BLOCK // columns)
    return (slice(start, start + step) for start in range(0, rows, step))


def _halvings(count: int) -> Iterator[tuple[Ints, Ints, Ints]]:
    """The middles of all stretches, with what lies before and after each stretch; then those of their halves, …"""
    before, after = np.array([-1]), np.array([count])
    while len(before):
        middle = (before + after) // 2
        yield middle, before, after
        before, after = np.concatenate([before, middle]), np.concatenate([middle, after])
        is_left = after - before > 1
        before, after = before[is_left], after[is_left]
