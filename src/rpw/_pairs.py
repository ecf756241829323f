"""Many pairs of two collections under one distance: what every executor computes, and nothing else."""

from __future__ import annotations

import hashlib
import json
import math
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rpw import _check as check
from rpw import _core, _solvers
from rpw._check import Array
from rpw._collection import Collection, Space
from rpw._identity import describe_callable
from rpw._memory import check_pairs_fit, check_threads_fit
from rpw._problem import Problem
from rpw.cost import CORE_METRICS, SEPARATING, Metric, check_metric, equal_rows, fill_distances

_Ints = npt.NDArray[np.int64]
Failures = list[tuple[int, int, str]]  # the numbers of two measures, and why their distance is missing

_POINTS_IN_SAMPLE = 24
_SECONDS_BETWEEN_REPORTS = 0.05
_MOST_THREADS = 64  # or four per core: more would only cost memory, and systems refuse thousands
_LARGE_SUPPORT = 2048  # places; beyond, those without mass are left out of the matrix of distances

DISTANCES = ("rpw", "wasserstein", "partial_wasserstein", "total_variation", "levy_prokhorov", "robot")


@dataclass(frozen=True)
class PairDistance:
    """Which number to compute for a pair, checked: what the user passed, and what follows from it."""

    name: str = "rpw"
    p: float = 2.0
    k: float = 1.0
    mass: float | None = None
    lam: float | None = None
    metric: Metric = "euclidean"
    diameter: float = 1.0

    @property
    def kappa(self) -> float:
        """The price of leaving mass behind, in units of distance."""
        return 1.0 if self.name == "levy_prokhorov" else self.k * self.diameter

    @property
    def unmoved(self) -> float:
        """The share of mass that stays."""
        return 0.0 if self.mass is None else 1.0 - self.mass

    @property
    def truncation(self) -> float:
        """Where the ground distance is cut off."""
        return math.inf if self.lam is None else 2 * self.lam

    @property
    def quantity(self) -> _core.Quantity:
        """The kind of number that the core computes."""
        if self.name == "total_variation" or (self.name == "rpw" and self.kappa == 0):
            return _core.Quantity.shared
        if self.name in ("rpw", "levy_prokhorov"):
            return _core.Quantity.crossing
        return _core.Quantity.mass

    def describe(self) -> dict[str, Any]:
        """Everything that influences the number, as plain values (for fingerprints: stores on disk depend on them)."""
        facts = {name: getattr(self, name) for name in ("name", "p", "kappa", "unmoved", "truncation", "diameter")}
        facts["metric"] = self._described_metric
        return {name: repr(value) if isinstance(value, float) else value for name, value in facts.items()}

    @cached_property
    def _described_metric(self) -> str:
        """Cached: a callable object may change while it is called, and what it was at the start is what counts."""
        return self.metric if isinstance(self.metric, str) else describe_callable(self.metric)


def as_pair_distance(
    name: Any, *, p: Any, k: Any, diameter: float, metric: Any, mass: Any = None, lam: Any = None
) -> PairDistance:
    """Check the name of the distance and the parameters that belong to it."""
    if not isinstance(name, str) or name not in DISTANCES:
        raise ValueError(f"unknown distance {name!r}; choose one of {', '.join(DISTANCES)}")
    if (mass is not None) != (name == "partial_wasserstein"):
        raise ValueError("mass belongs to distance='partial_wasserstein', which needs it")
    if (lam is not None) != (name == "robot"):
        raise ValueError("lam belongs to distance='robot', which needs it")
    metric = check_metric(metric)
    p, k = check.as_p(p), check.as_k(k)
    check.as_kappa(k, diameter)
    if name == "levy_prokhorov":  # its own exponent and price, whatever was passed
        p, k = math.inf, 1.0
    mass = None if mass is None else check.as_mass(mass)
    lam = None if lam is None else check.as_positive(lam, "lam")
    return PairDistance(name, p, k, mass, lam, metric, diameter)


def is_out_of_memory(reason: str) -> bool:
    """Whether a pair failed because the memory ran out, in the core or in Python."""
    return reason.startswith("MemoryError")


def as_n_threads(value: Any) -> int:
    """The number of threads: all cores that this process may use, unless given."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if value is None:
        return cores
    return min(check.as_whole(value, "n_threads", 1), max(_MOST_THREADS, 4 * cores))


@dataclass(frozen=True, eq=False)
class PairBatch:
    """Two collections and a distance. Immutable and picklable; computes any list of pairs."""

    a: Collection
    b: Collection
    space: Space
    distance: PairDistance

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}  # not what the core was given

    def values(
        self, first: _Ints, second: _Ints, n_threads: int, progress: Callable[[int], object] | None = None
    ) -> tuple[Array, Failures]:
        """The distances of the pairs (first[e], second[e]); NaN and a reason for those that fail."""
        n_threads = max(1, min(n_threads, len(first)))
        if self.is_for_core:
            first, second = (np.ascontiguousarray(index, dtype=np.int64) for index in (first, second))
            return _core.pair_values(*self.to_core(), first, second, n_threads, math.inf, progress)
        return self._values_in_python(first, second, n_threads, progress)

    @property
    def is_for_core(self) -> bool:
        """Whether the core knows the ground distance; a callable or a rarer metric is asked pair by pair."""
        if self.space.cost is not None or self.space.support is not None:
            return True
        return isinstance(self.distance.metric, str) and self.distance.metric in CORE_METRICS

    def check_fits(self, n_threads: int, is_halved: bool = False, limit: float = math.inf) -> None:
        """Raise ``MemoryError`` if the pairs that the threads work on at the same time do not fit into memory."""
        if not self._uses_labels and not self._is_on_line:
            check_threads_fit(np.diff(self.a.start), np.diff(self.b.start), n_threads, is_halved, limit)

    @property
    def _is_on_line(self) -> bool:
        """Whether no pair needs a matrix: all points have one coordinate."""
        points = (self.a.points, self.b.points)
        return self.is_for_core and all(p is not None and p.shape[1] == 1 for p in points)

    @cached_property
    def _shared_distances(self) -> Array | None:
        """The distances between the places of a shared space (of a large one: between those with mass)."""
        if self.space.support is None or self._uses_labels:
            return self.space.cost
        places = self.space.support if self._occupied is None else self.space.support[self._occupied]
        check_pairs_fit(len(places), len(places))
        distances = np.empty((len(places), len(places)))
        fill_distances(places, places, self.distance.metric, distances, math.inf)
        return distances

    @cached_property
    def _occupied(self) -> _Ints | None:
        """The places with mass, where the others are left out of the shared matrix."""
        if self.space.support is None or len(self.space.support) < _LARGE_SUPPORT:
            return None
        assert self.a.place is not None and self.b.place is not None
        return np.unique(np.concatenate([self.a.place, self.b.place])).astype(np.int64)

    def _on_occupied(self, collection: Collection) -> Collection:
        """The same measures, with their places as rows of the shared matrix."""
        if self._occupied is None or collection.place is None:
            return collection
        return replace(collection, place=np.searchsorted(self._occupied, collection.place).astype(np.int32))

    def to_core(self) -> tuple[_core.Space, _core.Measures, _core.Measures, _core.Question]:
        """The space, the two collections and the question as the core takes them."""
        d = self.distance
        question = _core.Question(d.quantity, p=d.p, kappa=d.kappa, unmoved=d.unmoved, truncation=d.truncation)
        return self._core_space, *self._core_measures, question

    @cached_property
    def _core_space(self) -> _core.Space:
        if self._uses_labels:
            return _core.Space.of_labels()
        if self._shared_distances is not None:
            return _core.Space.of_matrix(self._shared_distances)
        assert isinstance(self.distance.metric, str)
        return _core.Space.of_metric(CORE_METRICS[self.distance.metric])

    @cached_property
    def _core_measures(self) -> tuple[_core.Measures, _core.Measures]:
        labels_a, labels_b = self._labels()
        a = self._on_occupied(self.a).to_core(labels_a)
        return a, a if self.b is self.a else self._on_occupied(self.b).to_core(labels_b)

    @property
    def _uses_labels(self) -> bool:
        """Whether total variation can be read off labels of equal points, without any distances."""
        separates = isinstance(self.distance.metric, str) and self.distance.metric in SEPARATING
        return self.distance.quantity == _core.Quantity.shared and self.space.cost is None and separates

    def _labels(self) -> tuple[_Ints | None, _Ints | None]:
        """Labels of equal points, where they are used."""
        if not self._uses_labels:
            return None, None
        if self.space.support is not None:
            labels = equal_rows(self.space.support)
            assert self.a.place is not None and self.b.place is not None
            return labels[self.a.place], labels[self.b.place]
        assert self.a.points is not None and self.b.points is not None
        labels = equal_rows(np.concatenate([self.a.points, self.b.points]))
        return labels[: len(self.a.points)].copy(), labels[len(self.a.points) :].copy()

    def _values_in_python(
        self, first: _Ints, second: _Ints, n_threads: int, progress: Callable[[int], object] | None
    ) -> tuple[Array, Failures]:
        values, finished, failures = np.full(len(first), np.nan), list[int](), Failures()
        stop, todo = threading.Event(), iter(range(len(first)))
        metric = self.distance.metric
        if not isinstance(metric, str):
            metric = _Stoppable(metric, stop)

        def work() -> None:
            for e in todo:  # shared by the threads: each takes the next pair
                if stop.is_set():
                    return
                try:
                    values[e] = self._value_of(int(first[e]), int(second[e]), metric)
                except Exception as error:
                    failures.append((int(first[e]), int(second[e]), f"{type(error).__name__}: {error}"))
                finished.append(e)

        with ThreadPoolExecutor(n_threads) as pool:
            try:
                workers = [pool.submit(work) for _ in range(n_threads)]
                while wait(workers, timeout=_SECONDS_BETWEEN_REPORTS).not_done:
                    if progress is not None:
                        progress(len(finished))
            finally:  # after Ctrl-C: what has not begun need not begin
                stop.set()
        for worker in workers:
            worker.result()
        if progress is not None:
            progress(len(finished))
        return values, failures

    def _value_of(self, s: int, t: int, metric: Metric) -> float:
        d, in_a, in_b = self.distance, self.a.atoms(s), self.b.atoms(t)
        assert self.a.points is not None and self.b.points is not None
        problem = Problem(
            self.a.weights[in_a],
            self.b.weights[in_b],
            d.p,
            0.0 if d.quantity == _core.Quantity.shared else d.kappa,
            metric,
            self.a.points[in_a],
            self.b.points[in_b],
            truncation=d.truncation,
        )
        if d.quantity == _core.Quantity.mass:
            return _solvers.partial_cost(problem, 1.0 - d.unmoved)
        return _solvers.solve(problem, "exact", 0.0, math.inf).distance

    @cached_property
    def fingerprint(self) -> str:
        """A digest of the inputs and the parameters: equal only for equal work."""
        digest = hashlib.sha256(json.dumps(self.distance.describe(), sort_keys=True).encode())
        for part in (self.a.fingerprint, "same" if self.b is self.a else self.b.fingerprint):
            digest.update(part.encode())
        for array in (self.space.support, self.space.cost):
            digest.update(b"none" if array is None else np.ascontiguousarray(array).tobytes())
        if not isinstance(self.distance.metric, str):
            digest.update(self._sample_of_metric())
        return digest.hexdigest()

    def _sample_of_metric(self) -> bytes:
        """Some distances by the user's function: they differ where it depends on something that has changed."""
        x, y = (self.space.support if points is None else points for points in (self.a.points, self.b.points))
        if x is None or y is None:
            return b"no points"
        x, y = (points[:: max(1, len(points) // _POINTS_IN_SAMPLE)][:_POINTS_IN_SAMPLE] for points in (x, y))
        distances = np.empty((len(x), len(y)))
        try:
            fill_distances(x, y, self.distance.metric, distances, math.inf)
        except Exception as error:
            return type(error).__name__.encode()
        return distances.tobytes()


class _Stoppable:
    """A user's metric that can be stopped between two calls."""

    def __init__(self, metric: Callable[[Array, Array], float], stop: threading.Event) -> None:
        self._metric, self._stop = metric, stop

    def __call__(self, x: Array, y: Array) -> float:
        if self._stop.is_set():
            raise InterruptedError
        return self._metric(x, y)

    def __repr__(self) -> str:
        return repr(self._metric)
