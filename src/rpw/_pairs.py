"""Many pairs of two collections under one distance: what every executor computes, and nothing else."""

from __future__ import annotations

import hashlib
import json
import math
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rpw import _check as check
from rpw import _core, _solvers
from rpw._check import Array
from rpw._collection import Collection, Space
from rpw._problem import Problem
from rpw.cost import CORE_METRICS, SEPARATING, Metric, check_metric, equal_rows, fill_distances

_Ints = npt.NDArray[np.int64]
Failures = list[tuple[int, str]]

_POINTS_IN_SAMPLE = 24
_SECONDS_BETWEEN_REPORTS = 0.05

DISTANCES = ("rpw", "wasserstein", "partial_wasserstein", "total_variation", "levy_prokhorov", "robot")


@dataclass(frozen=True)
class PairDistance:
    """Which number to compute for a pair, checked."""

    name: str = "rpw"
    p: float = 2.0
    kappa: float = 1.0
    unmoved: float = 0.0
    truncation: float = math.inf
    metric: Metric = "euclidean"
    diameter: float = 1.0

    @property
    def k(self) -> float:
        """The price of leaving mass behind, in units of the diameter."""
        return self.kappa / self.diameter

    @property
    def quantity(self) -> _core.Quantity:
        """The kind of number that the core computes."""
        if self.name == "total_variation" or (self.name == "rpw" and self.kappa == 0):
            return _core.Quantity.shared
        if self.name in ("rpw", "levy_prokhorov"):
            return _core.Quantity.crossing
        return _core.Quantity.mass

    def describe(self) -> dict[str, Any]:
        """Everything that influences the number, as plain values (for manifests)."""
        facts = {name: getattr(self, name) for name in ("name", "p", "kappa", "unmoved", "truncation", "diameter")}
        facts["metric"] = self.metric if isinstance(self.metric, str) else _describe_callable(self.metric)
        return {name: repr(value) if isinstance(value, float) else value for name, value in facts.items()}


def _describe_callable(metric: Any) -> str:
    """The same text for the same function in another process: its name and its code, not its address."""
    name = getattr(metric, "__qualname__", type(metric).__qualname__)
    code = getattr(metric, "__code__", None)
    if code is None:
        return f"callable {name}"
    constants = [value for value in code.co_consts if isinstance(value, int | float | str | None)]
    return (
        f"callable {name} {hashlib.sha256(code.co_code + repr((constants, code.co_names)).encode()).hexdigest()[:16]}"
    )


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
    p, kappa = check.as_p(p), check.as_kappa(k, diameter)
    if name == "levy_prokhorov":
        p, kappa = math.inf, 1.0
    unmoved = 0.0 if mass is None else 1.0 - check.as_mass(mass)
    truncation = math.inf if lam is None else 2 * check.as_positive(lam, "lam")
    return PairDistance(name, p, kappa, unmoved, truncation, metric, diameter)


def as_n_threads(value: Any) -> int:
    """The number of threads: all cores that this process may use, unless given."""
    if value is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    number = check.as_number(value, "n_threads")
    if number < 1 or number != int(number):
        raise ValueError(f"n_threads must be a whole number of at least 1, got {value!r}")
    return int(number)


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
        if self.is_for_core:
            first, second = (np.ascontiguousarray(index, dtype=np.int64) for index in (first, second))
            return _core.pair_values(*self.core_collections, self.task, first, second, n_threads, progress)
        return self._values_in_python(first, second, n_threads, progress)

    @property
    def is_for_core(self) -> bool:
        """Whether the core knows the ground distance; a callable or a rarer metric is asked pair by pair."""
        if self.space.cost is not None or self.space.support is not None:
            return True
        return isinstance(self.distance.metric, str) and self.distance.metric in CORE_METRICS

    @cached_property
    def _shared_distances(self) -> Array | None:
        """The distances between the places of a shared space."""
        if self.space.support is None:
            return self.space.cost
        distances = np.empty((len(self.space.support), len(self.space.support)))
        fill_distances(self.space.support, self.space.support, self.distance.metric, distances, math.inf)
        return distances

    @cached_property
    def task(self) -> _core.PairTask:
        """The distance as the core takes it."""
        d = self.distance
        metric = CORE_METRICS.get(d.metric, _core.Metric.euclidean) if isinstance(d.metric, str) else None
        return _core.PairTask(
            d.quantity, d.p, d.kappa, d.unmoved, d.truncation, metric or _core.Metric.euclidean, self._shared_distances
        )

    @cached_property
    def core_collections(self) -> tuple[_core.Collection, _core.Collection]:
        """The two collections as the core takes them."""
        labels_a, labels_b = self._labels()
        a = self.a.to_core(labels_a)
        return a, a if self.b is self.a else self.b.to_core(labels_b)

    def _labels(self) -> tuple[_Ints | None, _Ints | None]:
        """Labels of equal points, where total variation can be read off them."""
        separates = isinstance(self.distance.metric, str) and self.distance.metric in SEPARATING
        if self.distance.quantity != _core.Quantity.shared or self.space.cost is not None or not separates:
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
                    failures.append((e, f"{type(error).__name__}: {error}"))
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
