"""Python threads, one pair after the other: for grounds whose distances only Python can compute."""

from __future__ import annotations

import math
import sys
import threading
from collections.abc import Callable
from contextlib import suppress

import numpy as np

from rpw import _core
from rpw.base.check import Array
from rpw.base.deadline import NEVER, Deadline, TimeLimitError
from rpw.many.backends.protocol import Report, Round
from rpw.many.batch import PairBatch
from rpw.many.errors import Failures
from rpw.pair import solvers
from rpw.pair.atoms import Ints
from rpw.pair.ground import Ground, Points
from rpw.pair.problem import Problem

__all__ = ["PythonBackend"]

_SECONDS_BETWEEN_REPORTS = 0.05


class NoCuts:
    """No pair that Python solves says anything about others."""

    def count(self, query: int) -> int:
        """As `Cuts.count`."""
        return 0

    def forget(self, query: int) -> None:
        """As `Cuts.forget`."""


class PythonBackend:
    """Solves each pair as if it were the only one."""

    pairs_at_once = 1 << 18

    def __init__(self, batch: PairBatch) -> None:
        self.batch = batch

    def check_ready(self) -> None:
        """As `Backend.check_ready`: Python is always there."""

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
        question = self.batch.question
        values = self.batch.no_values(len(first)) if into is None else into
        solve = solvers.values_at if question.kappas else solvers.value

        def work(e: int, problem: Problem) -> None:
            values[e] = solve(problem, question, deadline)

        return values, self._for_each(work, first, second, n_threads, report)

    def outcomes(
        self, first: Ints, second: Ints, n_threads: int, report: Report = None, deadline: Deadline = NEVER
    ) -> tuple[list[_core.Outcome | None], Failures]:
        """As `Backend.outcomes`."""
        found: list[_core.Outcome | None] = [None] * len(first)
        kept_back = deadline.kept_back(len(first), n_threads)

        def work(e: int, problem: Problem) -> None:
            with suppress(TimeLimitError):  # before the core began: nothing is known
                found[e] = solvers.outcome(problem, self.batch.question, deadline.sooner_by(kept_back[e]))

        return found, self._for_each(work, first, second, n_threads, report)

    def round_for(self, number: int, queries: int, n_threads: int) -> Round:
        """As `Backend.round_for`: all, since nothing is known of pairs before they are solved."""
        return Round(sys.maxsize, mixtures=0, bounds_all=False)

    def bounds(self, first: Ints, second: Ints, n_threads: int, report: Report = None) -> Array:
        """As `Backend.bounds`: none, since they would take as many distances between points as a solve."""
        return np.zeros(len(first))

    def new_cuts(self) -> NoCuts:
        """As `Backend.new_cuts`."""
        return NoCuts()

    def values_within(
        self, first: Ints, second: Ints, cutoffs: Array, cuts: NoCuts, n_threads: int, report: Report = None
    ) -> tuple[Array, Failures]:
        """As `Backend.values_within`: nothing is given up."""
        return self.values(first, second, n_threads, report)

    def cut_bounds(self, cuts: NoCuts, since: Ints, first: Ints, second: Ints, n_threads: int) -> Array:
        """As `Backend.cut_bounds`: none."""
        return np.zeros(len(first))

    def mixed_bounds(self, cuts: NoCuts, first: Ints, second: Ints, n_threads: int) -> Array:
        """As `Backend.mixed_bounds`: none."""
        return np.zeros(len(first))

    def _for_each(
        self, solve: Callable[[int, Problem], None], first: Ints, second: Ints, n_threads: int, report: Report
    ) -> Failures:
        """Call ``solve`` for each pair, on threads; the pairs that fail."""
        n_threads = max(1, min(n_threads, len(first)))
        finished, failures, raised = list[int](), Failures(), list[BaseException]()
        stop, todo = threading.Event(), iter(range(len(first)))
        ground = Points(self.batch.ground.metric.stopped_by(stop))

        def take_pairs() -> None:
            for e in todo:  # shared by the threads: each takes the next pair
                if stop.is_set():
                    return
                s, t = int(first[e]), int(second[e])
                try:
                    solve(e, self._problem(s, t, ground))
                except TimeLimitError:
                    raise
                except Exception as error:
                    failures.append((s, t, f"{type(error).__name__}: {error}"))
                finished.append(e)

        def work() -> None:
            try:
                take_pairs()
            except BaseException as error:
                raised.append(error)

        # Not a pool of Python's, for which a process that exits would wait until the last pair.
        workers = [threading.Thread(target=work, daemon=True) for _ in range(n_threads)]
        try:
            for worker in workers:
                worker.start()
            for worker in workers:
                while _goes_on(worker):
                    if report is not None:
                        report(len(finished))
        finally:  # after Ctrl-C: what has not begun need not begin
            stop.set()
            for worker in filter(threading.Thread.is_alive, workers):
                worker.join()
        if report is not None:
            report(len(finished))
        if raised:
            raise raised[0]
        return failures

    def _problem(self, s: int, t: int, ground: Ground) -> Problem:
        a, b = self.batch.a.measure(s), self.batch.b.measure(t)
        return Problem(a.weights, b.weights, a.where, b.where, ground)


def _goes_on(worker: threading.Thread) -> bool:
    """Whether a thread still works after some time."""
    worker.join(_SECONDS_BETWEEN_REPORTS)
    return worker.is_alive()
