"""The validated, immutable problem that every solver takes."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rpw import _check as check
from rpw import _core
from rpw._check import Array
from rpw._memory import check_pairs_fit
from rpw.cost import CORE_METRICS, SEPARATING, Metric, check_metric, equal_rows, fill_distances, pair_distances
from rpw.measure import Measure

Masses = npt.NDArray[np.int64]

# Masses are multiples of 2^-60: flows are integers, and a weight's rounding does not depend on its place.
MASS_UNITS = 2.0**60


@dataclass(frozen=True, eq=False)
class Problem:
    """Two measures, a way to get the distances between them, and the parameters of the distance.

    ``kappa`` is kΔ, the price of leaving mass behind in units of distance. Atoms that carry no mass are left out of
    what the solvers see (``rows`` and ``columns`` list those that stay).
    """

    a: Array
    b: Array
    p: float
    kappa: float
    metric: Metric = "euclidean"
    x: Array | None = None
    y: Array | None = None
    cost: Array | None = None
    largest: float | None = None  # entry of cost
    truncation: float = np.inf
    diameter: float = 1.0

    @cached_property
    def _atoms_a(self) -> tuple[Masses, Masses]:
        return _atoms_with_mass(self.a)

    @cached_property
    def _atoms_b(self) -> tuple[Masses, Masses]:
        return _atoms_with_mass(self.b)

    @property
    def rows(self) -> Masses:
        """Indices of the atoms of the first measure that carry mass."""
        return self._atoms_a[0]

    @property
    def columns(self) -> Masses:
        """Indices of the atoms of the second measure that carry mass."""
        return self._atoms_b[0]

    @property
    def mass_a(self) -> Masses:
        """Integer masses of `rows`."""
        return self._atoms_a[1]

    @property
    def mass_b(self) -> Masses:
        """Integer masses of `columns`."""
        return self._atoms_b[1]

    @property
    def shape(self) -> tuple[int, int]:
        """The sizes of the two measures as the user gave them."""
        return len(self.a), len(self.b)

    @property
    def is_uniform(self) -> bool:
        """Whether all atoms of each measure weigh the same."""
        return bool(np.ptp(self.mass_a) == 0 and np.ptp(self.mass_b) == 0)

    @property
    def is_balanced(self) -> bool:
        """Whether the two measures have as many atoms, and all weigh the same."""
        return self.is_uniform and len(self.rows) == len(self.columns)

    @property
    def points_identify(self) -> bool:
        """Whether distance 0 means equal coordinates, so that no distance has to be computed to find it."""
        return self.cost is None and isinstance(self.metric, str) and self.metric in SEPARATING

    @cached_property
    def is_on_line(self) -> bool:
        """Whether the core needs no matrix: distances are differences of one coordinate."""
        if self.cost is not None or not isinstance(self.metric, str) or self.metric not in CORE_METRICS:
            return False
        return _core.lie_on_line(*self._points())

    def to_core(
        self, bytes_per_cost: int, deadline: float = np.inf
    ) -> tuple[_core.Space, _core.Measures, _core.Measures]:
        """The space and the two measures for the core, which will need so many bytes for each pair of atoms.

        Raises ``TimeoutError`` if the deadline passed while Python computed distances that the core cannot.
        """
        if self.kappa == 0 and self.points_identify:
            x, y = self._points()
            labels = np.split(equal_rows(np.concatenate([x, y])), [len(x)])
            return _core.Space.of_labels(), *self._measures(labels=labels)
        if self.cost is not None:
            if self.kappa > 0 and not np.isinf(self.p) and not self._has_cost_as_power:
                check_pairs_fit(len(self.rows), len(self.columns), bytes_per_cost)
            kept = zip((self.rows, self.columns), self.shape, strict=True)
            places = [None if len(atoms) == size else atoms.astype(np.int32) for atoms, size in kept]
            return _core.Space.of_matrix(self.cost), *self._measures(places=places)
        check_pairs_fit(len(self.rows), len(self.columns), bytes_per_cost)
        x, y = self._points()
        if isinstance(self.metric, str) and self.metric in CORE_METRICS:
            return _core.Space.of_metric(CORE_METRICS[self.metric]), *self._measures(points=(x, y))
        matrix = np.empty((len(x), len(y)))
        if not fill_distances(x, y, self.metric, matrix, deadline):
            raise TimeoutError
        return _core.Space.of_scratch(matrix), *self._measures()

    def _measures(
        self, points: Any = (None, None), places: Any = (None, None), labels: Any = (None, None)
    ) -> tuple[_core.Measures, _core.Measures]:
        a, b = (
            _core.Measures(np.array([0, len(mass)]), mass, *where)
            for mass, *where in zip((self.mass_a, self.mass_b), points, places, labels, strict=True)
        )
        return a, b

    def _points(self) -> tuple[Array, Array]:
        """The points of the atoms that carry mass."""
        assert self.x is not None and self.y is not None
        return np.ascontiguousarray(self.x[self.rows]), np.ascontiguousarray(self.y[self.columns])

    @property
    def _has_cost_as_power(self) -> bool:
        """Whether the core can use the user's matrix as it is."""
        assert self.cost is not None
        return self.p == 1 and self.kappa == 1 and self.cost.flags.c_contiguous and float(self.cost.max()) >= 1

    def _distances_between(self, rows: Masses, columns: Masses) -> Array:
        if self.cost is not None:
            matrix = self.cost[np.ix_(rows, columns)]
        else:
            assert self.x is not None and self.y is not None
            check_pairs_fit(len(rows), len(columns))
            matrix = np.empty((len(rows), len(columns)))
            x, y = (np.ascontiguousarray(points[kept]) for points, kept in ((self.x, rows), (self.y, columns)))
            fill_distances(x, y, self.metric, matrix, np.inf)
        return np.minimum(matrix, self.truncation)

    def distances_of_pairs(self, row: Any, column: Any) -> Array:
        """The distances of a list of pairs, given as positions in `rows` and `columns`."""
        i, j = self.rows[row], self.columns[column]
        if self.cost is not None:
            pairs = self.cost[i, j]
        else:
            assert self.x is not None and self.y is not None
            pairs = pair_distances(self.x[i], self.y[j], self.metric)
        return np.asarray(np.minimum(pairs, self.truncation), dtype=np.float64)

    def costs_p_between(self, rows: Masses, columns: Masses, scale: float) -> Array:
        """``(distances / scale) ** p`` for any atoms."""
        distances = self._distances_between(rows, columns)
        powers = np.empty(distances.shape)
        _core.fill_powers(np.ascontiguousarray(distances), scale, self.p, powers)
        return powers


def as_problem(
    x: Any,
    y: Any,
    a: Any,
    b: Any,
    *,
    cost: Any = None,
    metric: Any = "euclidean",
    p: Any = 2,
    k: Any = 1,
    diameter: Any = None,
    truncation: float = np.inf,
) -> Problem:
    """The one place where user input becomes a Problem."""
    if isinstance(diameter, str):
        raise ValueError(
            f"diameter must be a number for a single pair, got {diameter!r}: it belongs to the space; compute it once "
            "for everything you will compare, with rpw.diameter"
        )
    p, diameter = check.as_p(p), check.as_diameter(diameter)
    kappa = check.as_kappa(k, diameter)
    metric = check_metric(metric)
    if cost is not None:
        if x is not None or y is not None:
            raise ValueError("pass either points x and y or a matrix cost, not both")
        matrix, largest = check.as_cost(cost)
        weights_a = check.as_weights(a, "a", matrix.shape[0])
        weights_b = check.as_weights(b, "b", matrix.shape[1])
        return Problem(
            weights_a, weights_b, p, kappa, cost=matrix, largest=largest, truncation=truncation, diameter=diameter
        )
    if x is None or y is None:
        raise ValueError(f"{'x' if x is None else 'y'} is missing: pass points x and y, or a matrix cost")
    points_x, weights_a = _as_measure(x, a, "x", "a")
    points_y, weights_b = _as_measure(y, b, "y", "b")
    if points_x.shape[1] != points_y.shape[1]:
        raise ValueError(
            f"x and y must have points of the same dimension, got {points_x.shape[1]} and {points_y.shape[1]}"
        )
    return Problem(weights_a, weights_b, p, kappa, metric, points_x, points_y, truncation=truncation, diameter=diameter)


def _as_measure(points: Any, weights: Any, name: str, weights_name: str) -> tuple[Array, Array]:
    if isinstance(points, Measure):
        if weights is not None:
            raise ValueError(f"{weights_name} must be left out: the Measure {name} carries its weights")
        return points.points, points.weights
    clean = check.as_points(points, name)
    return clean, check.as_weights(weights, weights_name, len(clean))


def as_masses(weights: Array) -> Masses:
    """Weights as whole multiples of 1 / MASS_UNITS."""
    return np.rint(weights * MASS_UNITS).astype(np.int64)


def _atoms_with_mass(weights: Array) -> tuple[Masses, Masses]:
    masses = as_masses(weights)
    kept = np.flatnonzero(masses)
    return kept, masses[kept]


def deadline_after(seconds: float) -> float:
    """The moment, on the monotonic clock, at which ``seconds`` from now are over."""
    return time.monotonic() + seconds
