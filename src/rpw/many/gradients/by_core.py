"""Pairs in arrays of NumPy, solved by the threads of the core."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from rpw.base.arrays import repeated
from rpw.base.check import Array
from rpw.many.backends.core import CoreBackend, FlatOutcomes
from rpw.many.batch import PairBatch
from rpw.many.errors import error_of
from rpw.many.gradients.asked import Asked, as_prices
from rpw.many.gradients.pairs import Pairs, Side, Solved
from rpw.pair.atoms import Atoms, Where
from rpw.pair.dual import Dual
from rpw.pair.ground import Ground, Matrix, Points
from rpw.pair.metrics import as_metric
from rpw.pair.problem import Problem

__all__ = ["solve_by_core"]


def solve_by_core(pairs: Pairs, asked: Asked, k: Array) -> Solved:
    """The answers; a pair that fails raises."""
    first, second = (replace(side, sizes=side.counts) for side in (pairs.a, pairs.b))
    pairs = replace(pairs, a=first, b=second)
    kappas = as_prices(k, asked)
    work = _Work(pairs, asked)
    found = work.answers(kappas)
    u, v = work.potentials(found)
    pair = repeated(np.diff(found.plan_start), len(found.row))
    return Solved(
        pairs,
        found.value,
        found.multiplier,
        found.scale,
        kappas,
        u,
        v,
        pair,
        first.atoms_at(pair, found.row),
        second.atoms_at(pair, found.column),
        found.mass,
        found.plan_start[:-1],
        lambda: work.ground.extent(work.a.where, work.b.where),
    )


@dataclass(frozen=True, eq=False)
class _Work:
    pairs: Pairs
    asked: Asked

    @cached_property
    def ground(self) -> Ground:
        metric, table = as_metric(self.asked.metric), self.pairs.ground.table
        return Points(metric) if table is None else Matrix(table, float(table.max()), metric)

    @cached_property
    def a(self) -> Atoms:
        return _atoms_of(self.pairs.a, self.pairs.ground.where[0])

    @cached_property
    def b(self) -> Atoms:
        return _atoms_of(self.pairs.b, self.pairs.ground.where[1])

    def answers(self, kappas: Array) -> FlatOutcomes:
        """Of all pairs, in their order."""
        backend = CoreBackend(PairBatch(self.a, self.b, self.ground, self.asked.question))
        threads = min(self.asked.n_threads, len(kappas))
        backend.check_fits(threads, is_halved=False)
        found, failures = backend.flat_outcomes(kappas, threads)
        if failures:
            raise error_of(sorted(failures), found.value.tolist())
        return found

    def potentials(self, found: FlatOutcomes) -> tuple[Array, Array]:
        """Of all atoms; those without mass are asked for only where their derivative is."""
        u, v = self.pairs.a.whole(found.u), self.pairs.b.whole(found.v)
        asks = [side.has_idle for side in (self.pairs.a, self.pairs.b) if side.raw is not None]
        for pair in np.flatnonzero(np.any(asks, axis=0) & (found.value > 0)) if asks else ():
            u[pair], v[pair] = self._with_idle(found, int(pair))
        return u, v

    def _with_idle(self, found: FlatOutcomes, pair: int) -> tuple[Array, Array]:
        a, b = self.pairs.a, self.pairs.b
        u, v = (part[side.start[pair] : side.start[pair + 1]] for part, side in ((found.u, a), (found.v, b)))
        x, y = (where[pair] for where in self.pairs.ground.where)
        dual = Dual(float(found.multiplier[pair]), u, v, float(found.scale[pair]))
        problem = Problem(a.weights[pair], b.weights[pair], x, y, self.ground)
        whole = dual.of_each_atom(problem, self.asked.question)
        return whole.u, whole.v


def _atoms_of(side: Side, where: Where) -> Atoms:
    """As the core takes them."""
    return Atoms(side.start, side.kept(side.weights), side.kept(side.mass), np.ascontiguousarray(side.kept(where)))
