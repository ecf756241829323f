"""Nearest neighbours by a backend that computes long lists of pairs: bounds first, then what they cannot exclude.

The core has a search of its own, which looks at one pair at a time (cpp/many/search.cpp). Here all queries take part in
each round, so that a round is long enough for a GPU. The answers are those of brute force, always: a pair is left out
only when its bound lies beyond the distances that are known by then to be better, and given up when its solve proves
as much.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import numpy.typing as npt

from rpw.base.check import Array
from rpw.many.backends.protocol import Backend, BoundingBackend
from rpw.many.errors import Failures

__all__ = ["Found", "search_in_rounds"]

_Ints = npt.NDArray[np.int64]

# Bounds and distances come from different sums: only what is farther than this beyond the cutoff is left out.
_MARGIN = 4e-12
# Pairs in the first round, at least: of each query, and of all together. Each round is twice as long as the one before.
_OF_EACH, _OF_ALL = 16, 512


@dataclass
class Found:
    """The neighbours of every query, nearest first; pairs that failed; how many were solved, and how many given up."""

    neighbours: list[tuple[Array, _Ints]]
    failures: Failures
    solved: int
    stopped_early: int


def search_in_rounds(
    backend: Backend, bounds: Array, top: int, radius: float, n_threads: int, report: Callable[[int], object]
) -> Found:
    """The ``top`` nearest measures of b, within ``radius``, for each measure of a; equal distances by lower index.

    ``bounds`` are lower bounds that are known already, one row for each query. ``report`` is called with the number of
    queries that are finished.
    """
    if isinstance(backend, BoundingBackend):
        first, second = (index.ravel() for index in np.indices(bounds.shape))
        bounds = np.maximum(bounds, backend.bounds(first, second).reshape(bounds.shape))
    searches = [_Query(row, top, radius) for row in bounds]
    failures, solved, stopped, length = Failures(), 0, 0, max(top, _OF_EACH, _OF_ALL // len(searches))
    while True:
        taken = [search.take(length) for search in searches]
        length *= 2
        sizes = [len(items) for items in taken]
        finished = sizes.count(0)
        report(finished)
        if finished == len(searches):
            break
        first, second = np.repeat(np.arange(len(searches)), sizes), np.concatenate(taken)
        note = partial(_report, report, finished)
        if isinstance(backend, BoundingBackend):
            cutoffs = np.array([search.cutoff for search in searches])[first]
            values, failed = backend.values_within(first, second, cutoffs, note)
        else:
            values, failed = backend.values(first, second, n_threads, note)
        failures += failed
        is_stopped = np.isinf(values)
        stopped += int(is_stopped.sum())
        solved += int((~is_stopped).sum())
        for search, items, found in zip(searches, taken, np.split(values, np.cumsum(sizes)[:-1]), strict=True):
            search.keep(items, found)
    return Found([search.neighbours() for search in searches], failures, solved, stopped)


def _report(report: Callable[[int], object], finished: int, done: int) -> None:
    report(finished)  # rounds differ in length: only whole queries are counted


@dataclass
class _Query:
    """The search for one query: what is known, and what could still be better."""

    bounds: Array
    top: int
    radius: float
    _next: int = 0
    _distances: Array = field(default_factory=lambda: np.empty(0))
    _items: _Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def __post_init__(self) -> None:
        self._order = np.argsort(self.bounds, kind="stable").astype(np.int64)

    @property
    def cutoff(self) -> float:
        """What is farther than this is no answer. RPW is at most 1."""
        worst = float(self._distances[-1]) if len(self._distances) == self.top else np.inf
        return min(self.radius, worst, 1.0) + _MARGIN

    def take(self, length: int) -> _Ints:
        """The next ``length`` pairs to solve, most promising first; none when the rest is too far."""
        part = self._order[self._next : self._next + length]
        part = part[self.bounds[part] <= self.cutoff]
        self._next += len(part)
        return part

    def keep(self, items: _Ints, distances: Array) -> None:
        """Sort in what was found; failures (NaN) and what was given up (infinite) are not."""
        is_near = (distances <= self.radius) & (distances < np.inf)
        items, distances = np.append(self._items, items[is_near]), np.append(self._distances, distances[is_near])
        best = np.lexsort((items, distances))[: self.top]
        self._items, self._distances = items[best], distances[best]

    def neighbours(self) -> tuple[Array, _Ints]:
        """Distances and items, sorted."""
        return self._distances, self._items
