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
        n_threads = max(1, min(n_threads, len(first)))
        first, second = (np.ascontiguousarray(index, dtype=np.int64) for index in (first, second))
        question = self.batch.question.to_core()
        space, a, b = self._prepared
        try:
            return _core.pair_values(space, a, b, question, first, second, n_threads, deadline.seconds_left, report)
        except TimeoutError as error:
            raise TimeLimitError from error
