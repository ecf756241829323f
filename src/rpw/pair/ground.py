"""Grounds: where the distances between atoms come from.

Points under a metric, a matrix, or (in `rpw.many.support`) a support that many measures share. Each gives blocks of
distances and lists of them, says how far it extends, and takes the form in which the core reads it (`ground_form`).
Another one (say, costs that are computed only where they are needed) is another class here; nothing else in the library
asks what kind of ground it has.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from rpw import _core
from rpw.base.advice import MANY, Extent
from rpw.base.check import Array
from rpw.base.deadline import NEVER, Deadline
from rpw.base.memory import check_pairs_fit
from rpw.pair.atoms import Atoms, Where
from rpw.pair.diameter import Diameter, diameter_of
from rpw.pair.ground_form import InArrays, InCore, common_labels, labelled, measures_of, on_places
from rpw.pair.metrics import CallableMetric, GroundMetric
from rpw.pair.question import Question

__all__ = ["Ground", "Matrix", "Points", "sample_of"]

_ROWS_PER_DIGEST = 64


class Ground(ABC):
    """Distances between atoms; which atoms, is said by their points or by their places (see `rpw.pair.atoms`)."""

    metric: GroundMetric

    @property
    def is_in_core(self) -> bool:
        """Whether the core can take many measures at once; else Python is needed for each pair."""
        return True

    @property
    def is_trusted(self) -> bool:
        """Whether the triangle inequality is known to hold."""
        return self.metric.is_trusted

    @property
    def size(self) -> int | None:
        """The number of places that measures share; None where they bring points of their own."""
        return None

    @property
    def is_symmetric(self) -> bool:
        """Whether the way back is as long as the way there, and none leads from a point to itself."""
        return True

    @property
    @abstractmethod
    def separates(self) -> bool:
        """Whether distance 0 means equal points, so that these are found without any distances."""

    @property
    def has_norm(self) -> bool:
        """Whether atoms have points, and their distance is a norm of the difference."""
        return False

    @property
    @abstractmethod
    def may_change(self) -> bool:
        """Whether distances may be others later: they are the caller's, or a function computes them."""

    @abstractmethod
    def block(self, x: Where, y: Where, deadline: Deadline = NEVER) -> Array:
        """The matrix of distances between two sets of atoms; raises where the deadline passes meanwhile."""

    @abstractmethod
    def pairs(self, x: Where, y: Where) -> Array:
        """The distance between x[s] and y[s] for every s."""

    def points_at(self, where: Where) -> Array | None:
        """Where atoms lie; None where only their distances are known."""
        return None

    def count(self, where: Where) -> int:
        """How many atoms the core sees: equal points are one, where it looks for them."""
        return len(where)

    def has_on_line(self, x: Where, y: Where) -> bool:
        """Whether the core finds these atoms on one line, so that it needs no matrix."""
        return False

    def places(self, x: Where, y: Where) -> tuple[Array, Array] | None:
        """Where atoms lie on an axis, if their distance is the difference of these; else None."""
        return None

    @abstractmethod
    def diameter(self, clouds: list[Where], deadline: Deadline = NEVER) -> Diameter:
        """Δ of the space, as far as it is known: all of it where it is shared, else these points."""

    @abstractmethod
    def extent(self, x: Where, y: Where) -> Extent:
        """How far atoms extend together, as far as linear time tells."""

    @abstractmethod
    def prepare(self, question: Question, a: Atoms, b: Atoms, deadline: Deadline = NEVER) -> InCore:
        """The form for the core, in which these measures can be laid out.

        The same object again where nothing had to be made anew. Raises where the deadline passes meanwhile.
        """

    @abstractmethod
    def lay_open(self, question: Question, a: Atoms, b: Atoms) -> InArrays:
        """The arrays in which these measures can be laid out; only where `is_in_core`."""

    def sample(self, a: Atoms, b: Atoms, count: int) -> bytes:
        """Some distances by the metric: they differ where it depends on something that has changed."""
        return b"no points"

    def arrays(self) -> dict[str, Array]:
        """What the measures share, under the name of the argument that it came as."""
        return {}

    def copy(self) -> Ground:
        """The same ground on arrays of its own, which nobody else can change."""
        return self

    def digest(self) -> bytes:
        """Other bytes after the caller has changed an array that is read again later."""
        return b""

    def uses_labels(self, question: Question) -> bool:
        """Whether labels of equal points are all that is needed."""
        return question.is_of_shared_mass and self.separates

    def without_metric(self) -> Ground:
        """The same ground where a metric that cannot be pickled is left out."""
        return self


@dataclass(frozen=True, eq=False)
class Points(Ground):
    """Points under a metric."""

    metric: GroundMetric

    @property
    def separates(self) -> bool:
        """As the metric does."""
        return self.metric.separates

    @property
    def is_in_core(self) -> bool:
        """Whether the core computes the metric."""
        return self.metric.core is not None

    @property
    def has_norm(self) -> bool:
        """As all metrics of the core."""
        return self.metric.core is not None

    @property
    def may_change(self) -> bool:
        """Only a function of the caller's may: the points are those that one asks with."""
        return self.metric.calls_python

    def block(self, x: Where, y: Where, deadline: Deadline = NEVER) -> Array:
        """By the metric."""
        check_pairs_fit(len(x), len(y))
        matrix = np.empty((len(x), len(y)))
        self.metric.fill(np.ascontiguousarray(x), np.ascontiguousarray(y), matrix, deadline)
        return matrix

    def pairs(self, x: Where, y: Where) -> Array:
        """By the metric."""
        return self.metric.pairs(x, y)

    def points_at(self, where: Where) -> Array:
        """Themselves."""
        return where

    def count(self, where: Where) -> int:
        """As the core sees them; Python's metrics may tell -0.0 from 0.0."""
        return len(where) if self.metric.core is None else _core.count_distinct(np.ascontiguousarray(where))

    def has_on_line(self, x: Where, y: Where) -> bool:
        """As the core sees them."""
        return self.metric.core is not None and _core.lie_on_line(x, y, self.metric.core)

    def places(self, x: Where, y: Where) -> tuple[Array, Array] | None:
        """Under a norm, the one coordinate in which any points differ."""
        if self.metric.core is None:
            return None
        axes = np.flatnonzero((x != x[0]).any(axis=0) | (y != x[0]).any(axis=0))
        axis = axes[0] if len(axes) else 0
        return None if len(axes) > 1 else (x[:, axis], y[:, axis])

    def diameter(self, clouds: list[Where], deadline: Deadline = NEVER) -> Diameter:
        """Of these points."""
        return diameter_of(self.metric, clouds, deadline=deadline)

    def extent(self, x: Where, y: Where) -> Extent:
        """By the metric."""
        return self.metric.extent(x, y)

    def prepare(self, question: Question, a: Atoms, b: Atoms, deadline: Deadline = NEVER) -> InCore:
        """Labels, the metric, or (of one pair) a matrix that is computed here."""
        if self.uses_labels(question):
            deadline.check()
            return labelled(a, b)
        if self._in_core is not None:
            return self._in_core
        check_pairs_fit(len(a.where), len(b.where))
        matrix = np.empty((len(a.where), len(b.where)))
        self.metric.fill(a.where, b.where, matrix, deadline)
        return InCore(_core.Space.of_scratch(matrix), lambda atoms: measures_of(atoms))

    @cached_property
    def _in_core(self) -> InCore | None:
        if self.metric.core is None:
            return None
        return InCore(_core.Space.of_metric(self.metric.core), lambda atoms: measures_of(atoms, points=atoms.where))

    def lay_open(self, question: Question, a: Atoms, b: Atoms) -> InArrays:
        """Labels, or the metric."""
        if self.uses_labels(question):
            return InArrays(common_labels(a, b))
        return InArrays(lambda atoms: atoms.where, metric=self.metric.core)

    def sample(self, a: Atoms, b: Atoms, count: int) -> bytes:
        """Of their points."""
        return sample_of(self.metric, a.where, b.where, count)

    def without_metric(self) -> Ground:
        """With a metric that says so when it is called."""
        return self if self.metric.can_pickle else replace(self, metric=CallableMetric(_left_out))

    def __getstate__(self) -> dict[str, Any]:
        return {"metric": self.metric}  # not what the core was given


@dataclass(frozen=True, eq=False)
class Matrix(Ground):
    """A matrix of distances: rows are places of the first measure, columns of the second."""

    cost: Array
    largest: float  # entry
    metric: GroundMetric  # given beside it, and without meaning
    may_change: bool = True  # the caller's own

    @property
    def is_trusted(self) -> bool:
        """Nothing is known about a matrix."""
        return False

    @property
    def size(self) -> int:
        """The number of columns (of a shared matrix: and of rows)."""
        return int(self.cost.shape[1])

    @cached_property
    def is_symmetric(self) -> bool:
        """Whether the matrix is."""
        return np.array_equal(self.cost, self.cost.T) and not self.cost.diagonal().any()

    @property
    def separates(self) -> bool:
        """Two places may have distance 0."""
        return False

    def block(self, x: Where, y: Where, deadline: Deadline = NEVER) -> Array:
        """Entries of the matrix."""
        # One side after the other, the shorter one first: several times as fast as both at once.
        part = self.cost[x][:, y] if len(x) <= len(y) else self.cost[:, y][x]
        return np.asarray(part)

    def pairs(self, x: Where, y: Where) -> Array:
        """Entries of the matrix."""
        return np.asarray(self.cost[x, y])

    def diameter(self, clouds: list[Where], deadline: Deadline = NEVER) -> Diameter:
        """The largest entry."""
        return Diameter(self.largest)

    def extent(self, x: Where, y: Where) -> Extent:
        """By the largest entry; places that are not the same count as different."""
        are_many = self.largest > 0 and sum(self.cost.shape) >= MANY
        return Extent(self.largest, self.largest, are_many, is_of_cost=True)

    def prepare(self, question: Question, a: Atoms, b: Atoms, deadline: Deadline = NEVER) -> InCore:
        """The matrix itself."""
        rows, columns = self.cost.shape
        if rows == columns:
            return self._shared
        space = _core.Space.of_matrix(self.cost)
        return InCore(space, lambda atoms: on_places(atoms, rows if atoms is a else columns))

    @cached_property
    def _shared(self) -> InCore:
        return InCore(_core.Space.of_matrix(self.cost), lambda atoms: on_places(atoms, len(self.cost)))

    def lay_open(self, question: Question, a: Atoms, b: Atoms) -> InArrays:
        """The matrix itself."""
        return InArrays(lambda atoms: atoms.where, matrix=self.cost)

    def arrays(self) -> dict[str, Array]:
        """The matrix."""
        return {"cost": self.cost}

    def copy(self) -> Ground:
        """With another matrix of the same entries."""
        return replace(self, cost=self.cost.copy(), may_change=False)

    def digest(self) -> bytes:
        """Of the entries, a few rows at a time: they may lie in any order.

        Each row is a sum of its bits times odd numbers, which no single change leaves as it was; a hash of all bits
        would take as long as the profile of a matrix.
        """
        factors = np.random.PCG64(0).random_raw(self.cost.shape[1]) | np.uint64(1)
        digest = hashlib.blake2b(digest_size=16)
        for start in range(0, len(self.cost), _ROWS_PER_DIGEST):
            rows = np.ascontiguousarray(self.cost[start : start + _ROWS_PER_DIGEST]).view(np.uint64)
            digest.update((rows @ factors).data)
        return digest.digest()

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}  # not what the core was given


def sample_of(metric: GroundMetric, x: Array, y: Array, count: int) -> bytes:
    """Some distances, by which a metric is known again."""
    x, y = (points[:: max(1, len(points) // count)][:count] for points in (x, y))
    distances = np.empty((len(x), len(y)))
    try:
        metric.fill(x, y, distances)
    except Exception as error:
        return type(error).__name__.encode()
    return distances.tobytes()


def _left_out(x: Any, y: Any) -> float:
    """Stands for a metric that cannot be pickled, such as a lambda."""
    raise ValueError(
        "the metric of this result could not be pickled and was left out: solve the pair again, or define "
        "the function at the top level of a module"
    )
