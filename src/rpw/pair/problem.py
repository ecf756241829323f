"""The validated, immutable problem that every solver takes: two measures and the ground between them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from rpw import _core
from rpw.base import check
from rpw.base.advice import Extent, about_units, warn_of_image
from rpw.base.check import Array
from rpw.base.columns import Columns
from rpw.base.deadline import NEVER, Deadline
from rpw.base.frozen import frozen
from rpw.base.memory import check_pairs_fit
from rpw.measure import Measure, is_grid
from rpw.pair.atoms import Ints, Where, as_masses, atoms_of_one
from rpw.pair.ground import Ground, Matrix, Points
from rpw.pair.metrics import as_metric, check_beside_cost
from rpw.pair.question import Question

__all__ = ["Problem", "as_problem"]

_MANY_PAIRS = 250_000  # fewer fit into any memory, and what answers does not depend on their number


@dataclass(frozen=True, eq=False)
class Problem:
    """Two measures, as the user gave them, and a way to get the distances between them.

    Atoms that carry no mass are left out of what the solvers see (``rows`` and ``columns`` list those that stay).
    """

    a: Array
    b: Array
    x: Where
    y: Where
    ground: Ground
    names: tuple[str, ...] = ()  # of the coordinates, if the points came as tables
    is_picture: bool = False  # whether the points are rows and columns of pixels

    @cached_property
    def rows(self) -> Ints:
        """Indices of the atoms of the first measure that carry mass."""
        return np.flatnonzero(as_masses(self.a))

    @cached_property
    def columns(self) -> Ints:
        """Indices of the atoms of the second measure that carry mass."""
        return np.flatnonzero(as_masses(self.b))

    @property
    def shape(self) -> tuple[int, int]:
        """The sizes of the two measures as the user gave them."""
        return len(self.a), len(self.b)

    @property
    def points(self) -> tuple[Array, Array] | None:
        """Where the atoms lie, if that is known."""
        x, y = self.ground.points_at(self.x), self.ground.points_at(self.y)
        return None if x is None or y is None else (x, y)

    @property
    def is_uniform(self) -> bool:
        """Whether all atoms of each measure weigh the same."""
        return bool(np.ptp(as_masses(self.a)[self.rows]) == 0 and np.ptp(as_masses(self.b)[self.columns]) == 0)

    @property
    def extent(self) -> Extent:
        """How far the atoms extend together."""
        return self.ground.extent(self.x, self.y)

    def about_units(self, *way_out: str) -> str | None:
        """What to say if one column makes up nearly all of the distances."""
        return about_units(self.x, self.y, self.names, *way_out) if self.ground.has_norm else None

    @property
    def is_balanced(self) -> bool:
        """Whether the two measures have as many atoms, and all weigh the same."""
        return self.is_uniform and len(self.rows) == len(self.columns)

    @cached_property
    def is_on_line(self) -> bool:
        """Whether the core needs no matrix."""
        return self.ground.has_on_line(self.x[self.rows], self.y[self.columns])

    @cached_property
    def sizes(self) -> tuple[int, int]:
        """The sizes of the two measures as the solvers see them: without idle atoms, and equal points are one."""
        n, m = len(self.rows), len(self.columns)
        if n * m < _MANY_PAIRS:
            return n, m
        return self.ground.count(self.x[self.rows]), self.ground.count(self.y[self.columns])

    @property
    def dimension(self) -> int:
        """The number of coordinates of points whose distances the core computes; else 0."""
        return int(self.x.shape[1]) if self.ground.has_norm and self.points is not None and self.x.ndim == 2 else 0

    def to_core(self, question: Question, deadline: Deadline) -> tuple[_core.Space, _core.Measures, _core.Measures]:
        """The space and the two measures for the core.

        Raises if the deadline passes while Python computes distances that the core cannot.
        """
        a, b = atoms_of_one(self.a, self.x), atoms_of_one(self.b, self.y)
        prepared = self.ground.prepare(question, a, b, deadline)
        return prepared.space, prepared.measures(a), prepared.measures(b)

    def check_fits(
        self, question: Question, rows: int, columns: int, bytes_per_pair: int, *, is_profile: bool = False
    ) -> None:
        """Raise ``MemoryError`` where a matrix of this size, which answers the question, does not fit."""

        def has_trees() -> bool:
            return not (is_profile and math.isinf(question.p)) and self._has_trees_for(question)

        check_pairs_fit(rows, columns, bytes_per_pair, has_trees=has_trees)

    def _has_trees_for(self, question: Question) -> bool:
        """Whether the caller may pass ``solver="points"``, and has not yet; at p = inf they need plain coordinates."""
        if self.dimension == 0 or question.solver == "points" or not question.can_ask_for_trees:
            return False
        return math.isfinite(question.p) or _core.length_unit(self.x, self.y) == 1

    def kept(self) -> Problem:
        """The same on points of its own, which nobody can change. A matrix of costs is too large for that."""
        return replace(self, x=frozen(self.x), y=frozen(self.y))

    def without_metric(self) -> Problem:
        """The same problem where a metric that cannot be pickled is left out."""
        ground = self.ground.without_metric()
        return self if ground is self.ground else replace(self, ground=ground)

    @property
    def may_change(self) -> bool:
        """Whether distances that are asked for later may be others than now."""
        return self.ground.may_change

    @cached_property
    def places(self) -> tuple[Array, Array] | None:
        """Where the atoms lie on an axis, if the distance is the difference of these; else None."""
        return self.ground.places(self.x, self.y)

    def block(self, rows: Ints, columns: Ints, deadline: Deadline = NEVER) -> Array:
        """The distances between any atoms."""
        return self.ground.block(self.x[rows], self.y[columns], deadline)

    def pairs(self, rows: Ints, columns: Ints) -> Array:
        """The distances of a list of pairs of atoms."""
        return self.ground.pairs(self.x[rows], self.y[columns])


def as_problem(x: Any, y: Any, a: Any, b: Any, *, cost: Any = None, metric: Any = "euclidean") -> Problem:
    """The one place where user input becomes a Problem."""
    resolved = as_metric(metric)
    if cost is not None:
        if x is not None or y is not None:
            raise ValueError("pass either points x and y or a matrix cost, not both")
        check_beside_cost(resolved)
        matrix, largest = check.as_cost(cost)
        weights_a = check.as_weights(a, "a", matrix.shape[0])
        weights_b = check.as_weights(b, "b", matrix.shape[1])
        rows, columns = (np.arange(size, dtype=np.int32) for size in matrix.shape)
        return Problem(weights_a, weights_b, rows, columns, Matrix(matrix, largest, resolved))
    if x is None or y is None:
        raise ValueError(f"{'x' if x is None else 'y'} is missing: pass points x and y, or a matrix cost")
    named = Columns().shared_with(x=x, y=y)
    warn_of_image(x=x, y=y)
    points_x, weights_a = _as_measure(x, a, "x", "a")
    points_y, weights_b = _as_measure(y, b, "y", "b")
    if points_x.shape[1] != points_y.shape[1]:
        raise ValueError(
            f"x and y must have points of the same dimension, got {points_x.shape[1]} and {points_y.shape[1]}"
        )
    is_picture = is_grid(x) or is_grid(y)
    return Problem(weights_a, weights_b, points_x, points_y, Points(resolved), named.best, is_picture)


def _as_measure(points: Any, weights: Any, name: str, weights_name: str) -> tuple[Array, Array]:
    if isinstance(points, Measure):
        if weights is not None:
            raise ValueError(f"{weights_name} must be left out: the Measure {name} has its own weights")
        return points.points, points.weights
    clean = check.as_points(points, name)
    return clean, check.as_weights(weights, weights_name, len(clean))
