"""Python threads, one pair after the other: for grounds whose distances only Python can compute."""

from __future__ import annotations

import math
import threading
from concurrent.futures import ThreadPoolExecutor, wait

import numpy as np

from rpw.base.check import Array
from rpw.base.deadline import NEVER, Deadline, TimeLimitError
from rpw.many.backends.protocol import Report
from rpw.many.batch import PairBatch
from rpw.many.errors import Failures
from rpw.pair import solvers
from rpw.pair.atoms import Ints
from rpw.pair.ground import Ground, Points
from rpw.pair.problem import Problem

__all__ = ["PythonBackend"]

_SECONDS_BETWEEN_REPORTS = 0.05


class PythonBackend:
    """Solves each pair as if it were the only one."""

    def __init__(self, batch: PairBatch) -> None:
        self.batch = batch

    def check_ready(self) -> None:
        """As `Backend.check_ready`: Python is always there."""

    def check_fits(self, n_threads: int, is_halved: bool, limit: float = math.inf) -> None:
        """As `Backend.check_fits`."""
        self.batch.check_fits(n_threads, is_halved, limit)

    def values(
        self, first: Ints, second: Ints, n_threads: int, report: Report = None, deadline: Deadline = NEVER
    ) -> tuple[Array, Failures]:
        """As `Backend.values`."""
        n_threads = max(1, min(n_threads, len(first)))
        values, finished, failures = np.full(len(first), np.nan), list[int](), Failures()
        stop, todo = threading.Event(), iter(range(len(first)))
        ground = Points(self.batch.ground.metric.stopped_by(stop))

        def work() -> None:
            for e in todo:  # shared by the threads: each takes the next pair
                if stop.is_set():
                    return
                s, t = int(first[e]), int(second[e])
                try:
                    values[e] = self._value_of(s, t, ground, deadline)
                except TimeLimitError:
                    raise
                except Exception as error:
                    failures.append((s, t, f"{type(error).__name__}: {error}"))
                finished.append(e)

        with ThreadPoolExecutor(n_threads) as pool:
            try:
                workers = [pool.submit(work) for _ in range(n_threads)]
                while wait(workers, timeout=_SECONDS_BETWEEN_REPORTS).not_done:
                    if report is not None:
                        report(len(finished))
            finally:  # after Ctrl-C: what has not begun need not begin
                stop.set()
        if report is not None:
            report(len(finished))
        for worker in workers:
            worker.result()
        return values, failures

    def _value_of(self, s: int, t: int, ground: Ground, deadline: Deadline) -> float:
        a, b = self.batch.a.measure(s), self.batch.b.measure(t)
        return solvers.value(Problem(a.weights, b.weights, a.where, b.where, ground), self.batch.question, deadline)
