"""The ground of collections: a support that many measures share, or what `pair.ground` has."""

from __future__ import annotations

import threading
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rpw import _core
from rpw.base.advice import Extent
from rpw.base.check import Array, as_cost, as_points
from rpw.base.deadline import NEVER, Deadline
from rpw.base.memory import check_pairs_fit
from rpw.pair.atoms import Atoms, Ints, Where
from rpw.pair.diameter import Diameter, diameter_of
from rpw.pair.ground import Ground, Matrix, Points, sample_of
from rpw.pair.ground_form import InArrays, InCore, measures_of
from rpw.pair.metrics import GroundMetric, check_beside_cost, equal_rows
from rpw.pair.question import Question

__all__ = ["Support", "as_shared_ground"]

_LARGE_SUPPORT = 2048  # places; beyond, those without mass are left out of the matrix of distances


class Support(Ground):
    """Points that all measures share, under a metric.

    On a line the core takes the points; else the matrix of their distances is computed once, and kept.
    """

    def __init__(self, points: Array, metric: GroundMetric) -> None:
        self.points, self.metric = points, metric
        self._lock = threading.Lock()
        self._shared: _SharedMatrix | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return Support, (self.points, self.metric)

    @property
    def size(self) -> int:
        """The number of points."""
        return len(self.points)

    @property
    def separates(self) -> bool:
        """As the metric does."""
        return self.metric.separates

    @property
    def may_change(self) -> bool:
        """As the metric may; the points are those of a copy, where results are kept."""
        return self.metric.calls_python

    def block(self, x: Where, y: Where, deadline: Deadline = NEVER) -> Array:
        """By the metric."""
        return Points(self.metric).block(self.points[x], self.points[y], deadline)

    def places(self, x: Where, y: Where) -> tuple[Array, Array] | None:
        """As of points."""
        return Points(self.metric).places(self.points[x], self.points[y])

    def pairs(self, x: Where, y: Where) -> Array:
        """By the metric."""
        return self.metric.pairs(self.points[x], self.points[y])

    def points_at(self, where: Where) -> Array:
        """The points of the support."""
        return self.points[where]

    def diameter(self, clouds: list[Where], deadline: Deadline = NEVER) -> Diameter:
        """Of all places."""
        return diameter_of(self.metric, [self.points], deadline=deadline)

    def extent(self, x: Where, y: Where) -> Extent:
        """Of all places."""
        return self.metric.extent(self.points, self.points)

    def prepare(self, question: Question, a: Atoms, b: Atoms, deadline: Deadline = NEVER) -> InCore:
        """Labels of equal places, their points on a line, or the matrix of their distances."""
        if self.uses_labels(question):
            return self._labels_in_core
        if self._on_line is not None:
            return self._on_line
        return self._matrix_for(a, b, deadline).in_core

    def lay_open(self, question: Question, a: Atoms, b: Atoms) -> InArrays:
        """Labels of equal places, the metric on their points, or the matrix of the distances of another metric."""
        if self.uses_labels(question):
            return InArrays(lambda atoms: self._labels[atoms.where])
        if self.metric.core is not None:
            return InArrays(lambda atoms: self.points[atoms.where], metric=self.metric.core)
        shared = self._matrix_for(a, b, NEVER)
        return InArrays(lambda atoms: shared.rows_of(atoms), matrix=shared.distances)

    def _matrix_for(self, a: Atoms, b: Atoms, deadline: Deadline) -> _SharedMatrix:
        with self._lock:  # threads wait for one matrix, instead of making one each
            if self._shared is None or not self._shared.covers(a, b):
                self._shared = _SharedMatrix.of(self.points, self.metric, a, b, deadline)
            return self._shared

    def has_on_line(self, x: Where, y: Where) -> bool:
        """Whether all places are."""
        return self._on_line is not None

    @cached_property
    def _on_line(self) -> InCore | None:
        core = self.metric.core
        if core is None or not _core.lie_on_line(self.points, self.points, core):
            return None
        return InCore(_core.Space.of_metric(core), lambda atoms: measures_of(atoms, points=self.points[atoms.where]))

    @cached_property
    def _labels(self) -> Ints:
        return equal_rows(self.points)

    @cached_property
    def _labels_in_core(self) -> InCore:
        return InCore(_core.Space.of_labels(), lambda atoms: measures_of(atoms, labels=self._labels[atoms.where]))

    def sample(self, a: Atoms, b: Atoms, count: int) -> bytes:
        """Of the places."""
        return sample_of(self.metric, self.points, self.points, count)

    def arrays(self) -> dict[str, Array]:
        """The points."""
        return {"support": self.points}

    def copy(self) -> Ground:
        """On other points with the same coordinates."""
        return Support(self.points.copy(), self.metric)


class _SharedMatrix:
    """The distances between the places of a support: of a large one, between those that carry mass."""

    def __init__(self, occupied: Ints | None, size: int, distances: Array) -> None:
        self._occupied, self._size, self.distances = occupied, size, distances
        self.in_core = InCore(
            _core.Space.of_matrix(distances), lambda atoms: measures_of(atoms, places=self.rows_of(atoms))
        )

    @classmethod
    def of(cls, support: Array, metric: GroundMetric, a: Atoms, b: Atoms, deadline: Deadline) -> _SharedMatrix:
        """For the places of these measures, or for all."""
        is_large = len(support) >= _LARGE_SUPPORT
        occupied = np.unique(np.concatenate([a.where, b.where])).astype(np.int64) if is_large else None
        places = support if occupied is None else support[occupied]
        check_pairs_fit(len(places), len(places))
        distances = np.empty((len(places), len(places)))
        metric.fill(places, places, distances, deadline)
        return cls(occupied, len(support), distances)

    def covers(self, a: Atoms, b: Atoms) -> bool:
        """Whether every place of these measures has a row."""
        if self._occupied is None:
            return True
        has_row = np.zeros(self._size, dtype=np.bool_)
        has_row[self._occupied] = True
        return bool(has_row[a.where].all() and has_row[b.where].all())

    def rows_of(self, atoms: Atoms) -> npt.NDArray[np.int32]:
        """Where the distances of atoms lie in the matrix."""
        if self._occupied is None:
            return atoms.where
        return np.searchsorted(self._occupied, atoms.where).astype(np.int32)


def as_shared_ground(support: Any, cost: Any, metric: GroundMetric) -> Ground:
    """The ground of collections: check ``support=`` and ``cost=``; points under the metric without either."""
    if support is not None and cost is not None:
        raise ValueError("pass either support or cost, not both")
    if isinstance(support, str):
        raise ValueError(
            f"support must be an array of points, got {support!r}; n equally spaced points of [0, 1], which "
            "RPWTransformer calls 'line', are np.linspace(0, 1, n)"
        )
    if support is not None:
        return Support(np.ascontiguousarray(as_points(support, "support")), metric)
    if cost is not None:
        check_beside_cost(metric)
        matrix, largest = as_cost(cost)
        if matrix.shape[0] != matrix.shape[1]:
            raise ValueError(f"cost must be square for a collection on one shared support, got shape {matrix.shape}")
        return Matrix(np.ascontiguousarray(matrix), largest, metric)
    return Points(metric)
