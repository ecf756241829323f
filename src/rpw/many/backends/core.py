"""The threads of the core."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rpw import _core
from rpw.base.check import Array
from rpw.base.deadline import NEVER, Deadline, TimeLimitError
from rpw.many.backends.protocol import Report, Round
from rpw.many.batch import PairBatch
from rpw.many.errors import Failures
from rpw.pair.atoms import Ints

__all__ = ["CoreBackend", "FlatOutcomes"]

# Of each query in its first round: so many pairs at least, or this many entries of their matrices, whichever is more.
# With fewer, calls take longer than solves; with four times as many, a quarter more is solved.
_SOLVES_IN_ROUND, _ENTRIES_IN_ROUND = 4, 1024
_GROWTH = 1.25  # from round to round
_MIXTURES_PER_SOLVE = 3
_FEW = 24  # items that are solved for less than bounds by cuts take
_SOLVES_WITHOUT_CUTS = 8  # in the first round, and twice as many in each one after it: those are given up early
_CUTS_TO_MIX = 32  # the last of each query


class FlatOutcomes(NamedTuple):
    """The answers for many pairs in a few arrays, those of one pair after those of the other.

    λ, u and v are in units of ``scale ** p`` of their pair; u and v are 0 where a pair has no potentials.
    """

    value: Array
    multiplier: Array
    scale: Array
    u: Array
    v: Array
    plan_start: Ints  # of each pair, and the end
    row: npt.NDArray[np.int32]
    column: npt.NDArray[np.int32]
    mass: Array


class CoreBackend:
    """Hands the batch to the core, once, and asks it for one list of pairs after the other."""

    pairs_at_once = 1 << 18

    def __init__(self, batch: PairBatch) -> None:
        self.batch = batch

    def __reduce__(self) -> tuple[Any, ...]:
        return CoreBackend, (self.batch,)

    @cached_property
    def _prepared(self) -> tuple[_core.Space, _core.Measures, _core.Measures]:
        a, b = self.batch.a, self.batch.b
        in_core = self.batch.ground.prepare(self.batch.question, a, b)
        return in_core.space, in_core.kept(a), in_core.kept(b)

    def check_ready(self) -> None:
        """As `Backend.check_ready`: the core is always there."""

    def check_fits(self, n_threads: int, is_halved: bool, limit: float = math.inf) -> None:
        """As `Backend.check_fits`."""
        self.batch.check_fits(n_threads, is_halved, limit)

    def values(
        self,
        first: Ints,
        second: Ints,
        n_threads: int,
        report: Report = None,
        deadline: Deadline = NEVER,
        *,
        into: Array | None = None,
    ) -> tuple[Array, Failures]:
        """As `Backend.values`."""
        values = self.batch.no_values(len(first)) if into is None else into
        question, kappas = self._question, np.array(self.batch.question.kappas)
        s, t, threads = _work(first, second, n_threads)
        asked, effort = (*self._prepared, question, s, t), (threads, deadline.seconds_left, report)
        try:
            if len(kappas) == 0:
                return values, _core.pair_values(*asked, values, *effort)
            return values, _core.pair_values_at(*asked, values.reshape(-1), kappas, *effort)
        except TimeoutError as error:
            raise TimeLimitError from error

    def outcomes(
        self, first: Ints, second: Ints, n_threads: int, report: Report = None, deadline: Deadline = NEVER
    ) -> tuple[list[_core.Outcome | None], Failures]:
        """As `Backend.outcomes`."""
        question, pair = self._question, self._prepared
        s, t, threads = _work(first, second, n_threads)
        kept_back = deadline.kept_back(len(s), threads)
        found, failures = _core.pair_outcomes(*pair, question, s, t, kept_back, threads, deadline.seconds_left, report)
        failed = {(i, j) for i, j, _ in failures}
        pairs = zip(s.tolist(), t.tolist(), found, strict=True)
        return [None if (i, j) in failed else outcome for i, j, outcome in pairs], failures

    def profiles(
        self, first: Ints, second: Ints, n_threads: int, report: Report = None, deadline: Deadline = NEVER
    ) -> tuple[list[tuple[_core.Curve, _core.Curve | None] | None], Failures]:
        """The whole profiles of the pairs (first[e], second[e]); None for those that fail, or had no time."""
        s, t, threads = _work(first, second, n_threads)
        return _core.pair_profiles(*self._prepared, self._question, s, t, threads, deadline.seconds_left, report)

    def flat_outcomes(self, kappas: Array, n_threads: int) -> tuple[FlatOutcomes, Failures]:
        """The answers for the pairs (0, 0), (1, 1), … in a few arrays, each at a price of its own."""
        s, t, threads = _work(np.arange(len(kappas)), np.arange(len(kappas)), n_threads)
        question, pair = self._question, self._prepared
        arrays, failures = _core.pair_flat_outcomes(*pair, question, s, t, kappas, threads, math.inf, None)
        return FlatOutcomes(*arrays), failures

    def round_for(self, number: int, queries: int, n_threads: int) -> Round:
        """As `Backend.round_for`: enough to keep the threads busy and to be worth a call, and more in later rounds."""
        busy = -(-2 * n_threads // queries)
        if not self._has_cuts or len(self.batch.b) <= _FEW:
            return Round(max(_SOLVES_WITHOUT_CUTS, busy) << min(number, 40), mixtures=0, bounds_all=False)
        least = max(_SOLVES_IN_ROUND, int(_ENTRIES_IN_ROUND / self._entries), busy)
        solves = int(least * _GROWTH ** min(number, 50))
        return Round(solves, _MIXTURES_PER_SOLVE * solves, bounds_all=self.batch.ground.size is not None)

    def bounds(self, first: Ints, second: Ints, n_threads: int, report: Report = None) -> Array:
        """As `Backend.bounds`: by nearest neighbours, unless the first cuts will be better for less. They take p-th
        powers of all distances, and not only of the least."""
        is_cheap = self.batch.ground.size is not None or self.batch.question.p in (1, 2)
        if self._has_cuts and is_cheap:
            return np.zeros(len(first))
        s, t, threads = _work(first, second, n_threads)
        return _core.neighbour_bounds(*self._prepared, self._question, s, t, threads, math.inf, report)

    def new_cuts(self) -> _core.Cuts:
        """As `Backend.new_cuts`."""
        return _core.Cuts(len(self.batch.a))

    def values_within(
        self, first: Ints, second: Ints, cutoffs: Array, cuts: _core.Cuts, n_threads: int, report: Report = None
    ) -> tuple[Array, Failures]:
        """As `Backend.values_within`."""
        if not self.batch.question.is_of_crossing:
            return self.values(first, second, n_threads, report)
        question, (s, t, threads) = self._question, _work(first, second, n_threads)
        return _core.pair_values_within(*self._prepared, question, s, t, cutoffs, cuts, threads, math.inf, report)

    def cut_bounds(self, cuts: _core.Cuts, since: Ints, first: Ints, second: Ints, n_threads: int) -> Array:
        """As `Backend.cut_bounds`."""
        s, t, threads = _work(first, second, n_threads)
        return _core.cut_bounds(*self._prepared, self._question, s, t, cuts, since, threads, math.inf, None)

    def mixed_bounds(self, cuts: _core.Cuts, first: Ints, second: Ints, n_threads: int) -> Array:
        """As `Backend.mixed_bounds`."""
        s, t, threads = _work(first, second, n_threads)
        return _core.mixed_bounds(*self._prepared, self._question, s, t, cuts, _CUTS_TO_MIX, threads, math.inf, None)

    @property
    def _question(self) -> _core.Question:
        return self.batch.question.to_core()

    @cached_property
    def _entries(self) -> float:
        """In the matrix of a pair, on average."""
        return float(self.batch.a.sizes.mean() * self.batch.b.sizes.mean())

    @cached_property
    def _has_cuts(self) -> bool:
        """Whether solves have potentials: not at p = inf, and not on the line."""
        a, b = self.batch.a.where, self.batch.b.where
        return self.batch.question.is_on_profile and not self.batch.ground.has_on_line(a, b)


def _work(first: Ints, second: Ints, n_threads: int) -> tuple[Ints, Ints, int]:
    """The pairs as the core takes them, on no more threads than there are pairs."""
    first, second = (np.ascontiguousarray(index, dtype=np.int64) for index in (first, second))
    return first, second, max(1, min(n_threads, len(first)))
