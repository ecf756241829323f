"""Collections of measures: checked once, laid out for the core."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rpw import _core
from rpw._check import Array, as_cost, as_floats, as_points, as_weights, is_sparse
from rpw._problem import as_masses
from rpw.measure import Measure

_Ints = npt.NDArray[np.int64]
_WEIGHTS_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Space:
    """What the histograms of a collection share: a support, or a matrix of distances; neither for lists of measures."""

    support: Array | None = None
    cost: Array | None = None

    @property
    def size(self) -> int | None:
        """The number of places, where there is a shared support or matrix."""
        if self.support is not None:
            return len(self.support)
        return None if self.cost is None else len(self.cost)

    def copy(self) -> Space:
        """The same space on arrays of its own, which nobody else can change."""
        return Space(*(None if array is None else array.copy() for array in (self.support, self.cost)))


def as_space(support: Any, cost: Any) -> Space:
    """Check ``support=`` and ``cost=``."""
    if support is not None and cost is not None:
        raise ValueError("pass either support or cost, not both")
    if support is not None:
        return Space(support=np.ascontiguousarray(as_points(support, "support")))
    if cost is not None:
        matrix = np.ascontiguousarray(as_cost(cost)[0])
        if matrix.shape[0] != matrix.shape[1]:
            raise ValueError(f"cost must be square for a collection on one shared support, got shape {matrix.shape}")
        return Space(cost=matrix)
    return Space()


@dataclass(frozen=True, eq=False)
class Collection:
    """Measures one after the other; atoms without mass are left out.

    ``points`` holds the coordinates of all atoms, or ``place`` their positions in the shared space.
    """

    start: _Ints
    weights: Array
    mass: _Ints
    points: Array | None
    place: npt.NDArray[np.int32] | None

    def __len__(self) -> int:
        return len(self.start) - 1

    def atoms(self, s: int) -> slice:
        """The stretch of atoms that belongs to measure s."""
        return slice(int(self.start[s]), int(self.start[s + 1]))

    def check(self, space: Space) -> None:
        """Raise unless the arrays are those of measures on ``space`` (they may come from a file)."""
        for name, array, kind, dimensions in (
            ("start", self.start, np.int64, 1),
            ("mass", self.mass, np.int64, 1),
            ("weights", self.weights, np.float64, 1),
            ("points", self.points, np.float64, 2),
            ("place", self.place, np.int32, 1),
        ):
            if array is not None and (array.dtype != kind or array.ndim != dimensions or not array.flags.c_contiguous):
                raise ValueError(f"{name} is not an array of {np.dtype(kind)} with {dimensions} dimensions")
        self._check_atoms(space)
        self._check_masses()

    def _check_atoms(self, space: Space) -> None:
        """Every atom belongs to one measure, and has a point or a place."""
        atoms = len(self.mass)
        if len(self.start) < 2 or self.start[0] != 0 or self.start[-1] != atoms or (np.diff(self.start) < 1).any():
            raise ValueError("start does not divide the atoms into measures")
        if (self.points is None) == (self.place is None) or (self.place is None) != (space.size is None):
            raise ValueError("there must be either points, or place with support or cost")
        if self.points is not None and (self.points.shape[1] == 0 or not np.isfinite(self.points).all()):
            raise ValueError("points are not finite, or have no coordinates")
        if self.place is not None and (self.place.min() < 0 or self.place.max() >= (space.size or 0)):
            raise ValueError("place lies outside of the support or cost")
        located = self.place if self.points is None else self.points
        if located is None or not atoms == len(self.weights) == len(located):
            raise ValueError("weights, mass, and points or place have different lengths")

    def _check_masses(self) -> None:
        """The weights of each measure sum to 1, and its masses are those weights."""
        if not ((self.weights > 0) & (self.weights <= 1)).all():
            raise ValueError("weights lie outside of (0, 1]")
        if (np.abs(np.add.reduceat(self.weights, self.start[:-1]) - 1) > _WEIGHTS_ROUNDING).any():
            raise ValueError("weights do not sum to 1 for each measure")
        if not np.array_equal(as_masses(self.weights), self.mass) or not (self.mass > 0).all():
            raise ValueError("mass is not that of the weights")

    def to_core(self, labels: _Ints | None) -> _core.Measures:
        """The same arrays as the core takes them, with labels of equal points if they are needed."""
        return _core.Measures(self.start, self.mass, self.points, self.place, labels)

    def take(self, indices: Any) -> Collection:
        """A collection of some of the measures."""
        stretches = [np.arange(self.start[s], self.start[s + 1]) for s in indices]
        atoms = np.concatenate(stretches) if stretches else np.empty(0, dtype=np.int64)
        start = np.concatenate([[0], np.cumsum([len(stretch) for stretch in stretches])]).astype(np.int64)
        points = None if self.points is None else self.points[atoms]
        place = None if self.place is None else self.place[atoms]
        return Collection(start, self.weights[atoms], self.mass[atoms], points, place)

    def joined_with(self, other: Collection) -> Collection:
        """Both collections, one after the other."""
        return _joined([self, other])

    @cached_property
    def fingerprint(self) -> str:
        """A digest of everything that influences a distance."""
        digest = hashlib.sha256()
        for array in (self.start, self.mass, self.points, self.place):
            if array is not None:
                digest.update(str((array.dtype.str, array.shape)).encode())
                digest.update(np.ascontiguousarray(array).data)
        return digest.hexdigest()


def as_collection(value: Any, name: str, space: Space) -> Collection:
    """Coerce a list of measures or point sets, a (B, n, d) array, or histograms (B, n) on a shared space."""
    if isinstance(value, Collection):
        return value
    if isinstance(value, Measure):
        raise ValueError(f"{name} must be a collection, got one Measure: put it into a list")
    if space.size is not None:
        read = _from_sparse_histograms if is_sparse(value) else _from_histograms
        return read(value, name, space.size)
    if is_sparse(value):
        raise ValueError(f"{name} is sparse (of SciPy), so its rows must be histograms: pass their support= or cost=")
    if isinstance(value, np.ndarray) or not isinstance(value, (list, tuple)):
        value = _split_array(value, name)
    if len(value) == 0:
        raise ValueError(f"{name} is an empty collection")
    measures = [
        item if isinstance(item, Measure) else _as_measure(item, f"{name}[{s}]") for s, item in enumerate(value)
    ]
    dimensions = {measure.dimension for measure in measures}
    if len(dimensions) > 1:
        raise ValueError(f"{name} mixes measures of different dimensions: {sorted(dimensions)}")
    return _joined([_from_measure(measure) for measure in measures])


def _as_measure(item: Any, name: str) -> Measure:
    return item if isinstance(item, Measure) else Measure(as_points(item, name))


def _split_array(value: Any, name: str) -> list[Array]:
    array = as_floats(value, name)
    if array.ndim == 3:
        return list(array)
    if array.ndim == 2:
        raise ValueError(
            f"{name} is a two-dimensional array, which could mean histograms or points: pass support= or cost= for "
            f"histograms (B, n), or [{name}] for one set of points"
        )
    raise ValueError(f"{name} must be a list of measures or an array (B, n, d); got shape {array.shape}")


def _from_measure(measure: Measure) -> Collection:
    mass = as_masses(measure.weights)
    kept = np.flatnonzero(mass)
    start = np.array([0, len(kept)], dtype=np.int64)
    return Collection(start, measure.weights[kept], mass[kept], np.ascontiguousarray(measure.points[kept]), None)


def _from_histograms(value: Any, name: str, size: int) -> Collection:
    rows = as_floats(value, name)
    _check_histograms(rows.shape, name, size)
    weights = np.stack([as_weights(row, f"{name}[{s}]", size) for s, row in enumerate(rows)])
    masses = as_masses(weights)
    owner, place = np.nonzero(masses)
    start = np.searchsorted(owner, np.arange(len(rows) + 1)).astype(np.int64)
    kept = owner, place
    return Collection(start, weights[kept], masses[kept], None, np.ascontiguousarray(place, dtype=np.int32))


def _from_sparse_histograms(value: Any, name: str, size: int) -> Collection:
    """The rows of a sparse matrix, the same to the bit as those of the dense one, which may not fit into memory."""
    _check_histograms(value.shape, name, size)
    rows = value.tocsr(copy=True)
    rows.sum_duplicates()  # and sorts each row
    data = as_floats(rows.data, f"{name}.data")
    parts = []
    for s, (start, end) in enumerate(zip(rows.indptr[:-1], rows.indptr[1:], strict=True)):
        if start == end:
            raise ValueError(f"{name}[{s}] sums to 0: at least one weight must be positive")
        weights = as_weights(data[start:end], f"{name}[{s}]", end - start)
        mass = as_masses(weights)
        kept = np.flatnonzero(mass)
        place = rows.indices[start:end][kept].astype(np.int32)
        parts.append(Collection(np.array([0, len(kept)]), weights[kept], mass[kept], None, place))
    return _joined(parts)


def _check_histograms(shape: tuple[int, ...], name: str, size: int) -> None:
    if len(shape) != 2 or shape[1] != size:
        raise ValueError(f"{name} must hold histograms on the shared support, shape (B, {size}); got shape {shape}")
    if shape[0] == 0:
        raise ValueError(f"{name} is an empty collection")


def _joined(parts: list[Collection]) -> Collection:
    sizes = np.concatenate([np.diff(part.start) for part in parts])
    start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    points = None if parts[0].points is None else np.concatenate([p.points for p in parts if p.points is not None])
    place = None if parts[0].place is None else np.concatenate([p.place for p in parts if p.place is not None])
    weights, mass = (np.concatenate([getattr(part, field) for part in parts]) for field in ("weights", "mass"))
    return Collection(start, weights, mass, points, place)
