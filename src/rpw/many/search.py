"""Nearest neighbours, exactly, with most pairs never solved: the one search, whoever computes.

A search goes in rounds. Each takes the candidates with the least lower bounds and solves them. What a solve has found
(a cut: a line below the profile of its pair) bounds the other candidates of its query too, and those that are then
proven to be too far are never solved (docs/proofs/search.md, "Search"). The backend keeps the cuts, and says how much
a round takes. The answers are those of brute force, always: a pair is left out only when its bound lies beyond the
distances that are known by then to be better, and given up when its solve proves as much.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import numpy.typing as npt

from rpw.base.check import Array
from rpw.many.backends.protocol import Backend, Cuts, Round
from rpw.many.errors import Failures

__all__ = ["Found", "search_in_rounds"]

_Ints = npt.NDArray[np.int64]
_Report = Callable[[int], object]

# Bounds and distances come from different sums: only what is farther than this beyond the cutoff is left out.
_MARGIN = 4e-12
_PAIRS_AT_ONCE = 1 << 20  # whose bounds are kept; queries beyond them wait


@dataclass
class Found:
    """The neighbours of every query, nearest first; pairs that failed; how many were solved, and how many given up."""

    neighbours: list[tuple[Array, _Ints]] = field(default_factory=list)
    failures: Failures = field(default_factory=Failures)
    solved: int = 0
    stopped_early: int = 0


def search_in_rounds(backend: Backend, top: int, radius: float, n_threads: int, report: _Report) -> Found:
    """The ``top`` nearest measures of b, within ``radius``, for each measure of a; equal distances by lower index.

    ``report`` is called with the number of queries that are finished.
    """
    found, cuts, count = Found(), backend.new_cuts(), len(backend.batch.a)
    at_once = max(1, _PAIRS_AT_ONCE // len(backend.batch.b))
    for begin in range(0, count, at_once):
        queries = np.arange(begin, min(begin + at_once, count))
        _Search(backend, cuts, queries, top, radius, n_threads, report, found).run()
    report(count)
    return found


@dataclass
class _Search:
    """Some of the queries, in rounds."""

    backend: Backend
    cuts: Cuts
    queries: _Ints
    top: int
    radius: float
    n_threads: int
    report: _Report
    found: Found

    def run(self) -> None:
        """Add what is found."""
        self._finished = int(self.queries[0])
        items = len(self.backend.batch.b)
        first, second = np.repeat(self.queries, items), np.tile(np.arange(items), len(self.queries))
        bounds = self.backend.bounds(first, second, self.n_threads, self._note).reshape(len(self.queries), items)
        wanted = self.top, self.radius, self.backend.batch.question.largest
        searches = [_Query(int(q), row, self.cuts, *wanted) for q, row in zip(self.queries, bounds, strict=True)]
        number = 0
        while is_open := [search for search in searches if search.is_open()]:
            self._finished = int(self.queries[0]) + len(searches) - len(is_open)
            self._take_round(is_open, self.backend.round_for(number, len(is_open), self.n_threads))
            number += 1
        self.found.neighbours += [(search.distances, search.items) for search in searches]

    def _take_round(self, searches: list[_Query], size: Round) -> None:
        self._raise_bounds(searches, size)
        taken = [search.take(size) for search in searches]
        sizes = [len(items) for items in taken]
        if sum(sizes) == 0:
            return
        first = np.repeat([search.query for search in searches], sizes)
        cutoffs = np.repeat([search.cutoff for search in searches], sizes)
        second = np.concatenate(taken)
        values, failures = self.backend.values_within(first, second, cutoffs, self.cuts, self.n_threads, self._note)
        is_stopped = np.isinf(values)
        self.found.failures += failures
        self.found.stopped_early += int(is_stopped.sum())
        self.found.solved += int((~is_stopped).sum())
        ends = np.cumsum(sizes)
        for search, begin, end in zip(searches, ends - sizes, ends, strict=True):
            search.keep(second[begin:end], values[begin:end])

    def _raise_bounds(self, searches: list[_Query], size: Round) -> None:
        """By new cuts those of all candidates, and by mixtures those of the best."""
        if size.bounds_all:
            since = np.zeros(len(self.backend.batch.a), dtype=np.int64)
            since[[search.query for search in searches]] = [search.seen for search in searches]
            places = [np.arange(len(s.candidates) if s.seen < s.n_cuts else 0) for s in searches]
            self._ask_for_bounds(searches, places, partial(self.backend.cut_bounds, self.cuts, since))
            for search in searches:
                search.seen = search.n_cuts
        places = [search.near(size.mixtures) for search in searches]
        self._ask_for_bounds(searches, places, partial(self.backend.mixed_bounds, self.cuts))
        for search, mixed in zip(searches, places, strict=True):
            search.mixed[mixed] = search.n_cuts

    def _ask_for_bounds(self, searches: list[_Query], places: list[_Ints], ask: Callable[..., Array]) -> None:
        """For the candidates at these places of each search."""
        sizes = [len(each) for each in places]
        if sum(sizes) == 0:
            return
        first = np.repeat([search.query for search in searches], sizes)
        second = np.concatenate([s.candidates[each] for s, each in zip(searches, places, strict=True)])
        bounds = ask(first, second, self.n_threads)
        for search, each, found in zip(searches, places, np.split(bounds, np.cumsum(sizes)[:-1]), strict=True):
            search.bounds[each] = np.maximum(search.bounds[each], found)

    def _note(self, done: int) -> None:
        self.report(self._finished)  # rounds differ in length: only whole queries are counted

    _finished: int = 0


class _Query:
    """The search for one query: what is known, and what could still be better."""

    def __init__(self, query: int, bounds: Array, cuts: Cuts, top: int, radius: float, largest: float) -> None:
        self.query, self._cuts, self.top, self.radius, self._largest = query, cuts, top, radius, largest
        self.candidates: _Ints = np.arange(len(bounds), dtype=np.int64)
        self.bounds = bounds
        self.seen = 0  # of the cuts, by all candidates
        self.mixed = np.zeros(len(bounds), dtype=np.int64)  # how many cuts there were when each had its mixture
        self.distances, self.items = np.empty(0), np.empty(0, dtype=np.int64)

    @property
    def n_cuts(self) -> int:
        """How many its solves have left."""
        return self._cuts.count(self.query)

    @property
    def cutoff(self) -> float:
        """What is farther than this is no answer."""
        worst = float(self.distances[-1]) if len(self.distances) == self.top else self._largest
        return min(self.radius, worst) + _MARGIN

    def is_open(self) -> bool:
        """Whether something could still be an answer; what could not is forgotten."""
        self._retain(self.bounds <= self.cutoff)
        if len(self.candidates) == 0:
            self._cuts.forget(self.query)
        return len(self.candidates) > 0

    def near(self, most: int) -> _Ints:
        """The places of candidates that new cuts should be mixed for: among so many of the best, and those of which
        nothing is known."""
        if self.n_cuts == 0:
            return np.empty(0, dtype=np.int64)
        is_near = self.bounds == 0 if most else np.zeros(len(self.bounds), dtype=np.bool_)
        is_near[_least(self.bounds, most)] = True
        return np.flatnonzero(is_near & (self.mixed < self.n_cuts) & (self.bounds <= self.cutoff))

    def take(self, size: Round) -> _Ints:
        """The best of the candidates, of those that all cuts were mixed for; none when these are too far."""
        is_ready = self.bounds <= self.cutoff
        if size.mixtures:
            is_ready &= self.mixed == self.n_cuts
        ready = np.flatnonzero(is_ready)
        places = ready[_least(self.bounds[ready], size.solves)]
        taken = self.candidates[places]
        is_left = np.ones(len(self.candidates), dtype=np.bool_)
        is_left[places] = False
        self._retain(is_left)
        return taken

    def keep(self, items: _Ints, distances: Array) -> None:
        """Sort in what was found; failures (NaN) and what was given up (infinite) are not."""
        is_near = (distances <= self.radius) & (distances < np.inf)
        items, distances = np.append(self.items, items[is_near]), np.append(self.distances, distances[is_near])
        best = np.lexsort((items, distances))[: self.top]
        self.items, self.distances = items[best], distances[best]

    def _retain(self, is_left: npt.NDArray[np.bool_]) -> None:
        if not is_left.all():
            self.candidates, self.mixed = self.candidates[is_left], self.mixed[is_left]
            self.bounds = self.bounds[is_left]


def _least(values: Array, most: int) -> _Ints:
    """Where the least values are, at most so many."""
    return np.argpartition(values, most)[:most] if len(values) > most else np.arange(len(values))
