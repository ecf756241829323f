"""The threads of the core."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np

from rpw import _core
from rpw.base.check import Array
from rpw.base.deadline import NEVER, Deadline, TimeLimitError
from rpw.many.backends.protocol import Report
from rpw.many.batch import PairBatch
from rpw.many.errors import Failures
from rpw.pair.atoms import Ints

__all__ = ["CoreBackend"]


class CoreBackend:
    """Hands the batch to the core, once, and asks it for one list of pairs after the other."""

    def __init__(self, batch: PairBatch) -> None:
        self.batch = batch

    def __reduce__(self) -> tuple[Any, ...]:
        return CoreBackend, (self.batch,)

    @cached_property
    def _prepared(self) -> tuple[_core.Space, _core.Measures, _core.Measures]:
        a, b = self.batch.a, self.batch.b
        in_core = self.batch.ground.prepare(self.batch.question, a, b)
        of_a = in_core.measures(a)
        return in_core.space, of_a, of_a if b is a else in_core.measures(b)

    def check_ready(self) -> None:
        """As `Backend.check_ready`: the core is always there."""

    def check_fits(self, n_threads: int, is_halved: bool, limit: float = math.inf) -> None:
        """As `Backend.check_fits`."""
        self.batch.check_fits(n_threads, is_halved, limit)

    def values(
        self, first: Ints, second: Ints, n_threads: int, report: Report = None, deadline: Deadline = NEVER
    ) -> tuple[Array, Failures]:
        """As `Backend.values`."""
        question, kappas = self.batch.question.to_core(), np.array(self.batch.question.kappas)
        s, t, threads = _work(first, second, n_threads)
        pair, seconds = self._prepared, deadline.seconds_left
        try:
            if len(kappas) == 0:
                return _core.pair_values(*pair, question, s, t, threads, seconds, report)
            values, failures = _core.pair_values_at(*pair, question, kappas, s, t, threads, seconds, report)
            return values.reshape(len(s), len(kappas)), failures
        except TimeoutError as error:
            raise TimeLimitError from error

    def outcomes(
        self, first: Ints, second: Ints, n_threads: int, report: Report = None, deadline: Deadline = NEVER
    ) -> tuple[list[_core.Outcome | None], Failures]:
        """As `Backend.outcomes`."""
        question, pair = self.batch.question.to_core(), self._prepared
        s, t, threads = _work(first, second, n_threads)
        found, failures = _core.pair_outcomes(*pair, question, s, t, threads, deadline.seconds_left, report)
        failed = {(i, j) for i, j, _ in failures}
        pairs = zip(s.tolist(), t.tolist(), found, strict=True)
        return [None if (i, j) in failed else outcome for i, j, outcome in pairs], failures


def _work(first: Ints, second: Ints, n_threads: int) -> tuple[Ints, Ints, int]:
    """The pairs as the core takes them, on no more threads than there are pairs."""
    first, second = (np.ascontiguousarray(index, dtype=np.int64) for index in (first, second))
    return first, second, max(1, min(n_threads, len(first)))
