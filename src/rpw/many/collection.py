"""Collections of measures: checked once, and laid out one after the other."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from rpw.base.advice import warn_of_image, warn_of_images
from rpw.base.arrays import GpuPoints, gpu_points
from rpw.base.check import Array, as_floats, as_points, as_weights, is_sparse, normalised
from rpw.measure import Measure
from rpw.pair.atoms import Atoms, Ints, Where, as_masses, atoms_of_one, joined
from rpw.pair.ground import Ground

__all__ = [
    "as_clouds",
    "as_collection",
    "as_list_of_measures",
    "as_measures",
    "check_collection",
    "check_same_dimension",
    "is_one_cloud",
    "points_given",
]

_WEIGHTS_ROUNDING = 1e-9
_MOST_DIMENSIONS = 4  # more than a collection has


def as_collection(value: Any, name: str, ground: Ground, *, device: str = "cpu") -> Atoms:
    """Coerce a list of measures or point sets, a (B, n, d) array, or histograms (B, n) on a shared ground.

    Points that lie on a GPU stay there if that is what computes.
    """
    if ground.size is not None:
        _check_no_measure(value, name)
        read = _from_sparse_histograms if is_sparse(value) else _from_histograms
        return read(value, name, ground.size)
    on_gpu = None if device == "cpu" else gpu_points(value)
    if on_gpu is not None:
        warn_of_images(value, name)
        return _uniform(*on_gpu)
    measures = as_list_of_measures(value, name)
    return joined([atoms_of_one(measure.weights, measure.points) for measure in measures])


def _uniform(points: GpuPoints, sizes: Ints) -> Atoms:
    weights = np.repeat(1.0 / sizes, sizes)
    start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return Atoms(start, weights, as_masses(weights), cast(Any, points))


def as_measures(value: Any, name: str, ground: Ground) -> list[tuple[Array, Where]]:
    """The same, one by one, as weights and points or places: with atoms that carry no mass, as plans have a row for
    them."""
    if ground.size is None:
        return [(measure.weights, measure.points) for measure in as_list_of_measures(value, name)]
    _check_no_measure(value, name)
    places = np.arange(ground.size, dtype=np.int32)
    rows = value.tocsr() if is_sparse(value) else as_floats(value, name)
    _check_histograms(rows, name, ground.size)
    if is_sparse(value):
        rows = (row.toarray().ravel() for row in rows)
    return [(as_weights(row, f"{name}[{s}]", ground.size), places) for s, row in enumerate(rows)]


def is_one_cloud(value: Any) -> bool:
    """Whether it is what `rpw.distance` takes: points, and no collection of them.

    So are a Measure, an array or table with one or two dimensions, and a list of numbers or of rows of numbers, all as
    long. A list that holds a Measure, an array or a table is a collection.
    """
    if isinstance(value, Measure):
        return True
    if not isinstance(value, (list, tuple)):
        return _dimensions(value) <= 2
    if any(isinstance(item, Measure) or (not _is_plain(item) and _dimensions(item) > 0) for item in value):
        return False
    is_ragged = len({len(item) for item in value if _is_plain(item)}) > 1
    return _dimensions(value) <= 2 and not is_ragged


def _is_plain(value: Any) -> bool:
    return isinstance(value, (list, tuple))


def _dimensions(value: Any) -> int:
    """How deep lists are nested at their first entries, with the dimensions of an array or table that lies there."""
    depth = 0
    while _is_plain(value) and depth < _MOST_DIMENSIONS:  # a list may hold itself
        depth, value = depth + 1, value[0] if value else None
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple):
        return depth + len(shape)
    return depth + (hasattr(value, "__len__") and not _is_plain(value))


def as_clouds(value: Any, name: str) -> list[Array]:
    """The points of one cloud, or of each measure of a collection."""
    if is_one_cloud(value):
        warn_of_image(**{name: value})
        return [_as_measure(value, name).points]
    return [measure.points for measure in as_list_of_measures(value, name)]


def _check_no_measure(value: Any, name: str) -> None:
    if isinstance(value, Measure):
        raise ValueError(f"{name} must be a collection, got one Measure: put it into a list")


def as_list_of_measures(value: Any, name: str) -> list[Measure]:
    """Measures, or points with equal weights."""
    _check_no_measure(value, name)
    if is_sparse(value):
        raise ValueError(
            f"{name} is a sparse matrix of SciPy, so its rows must be histograms: pass their support= or cost="
        )
    warn_of_images(value, name)
    if not _is_plain(value):
        value = _split_array(value, name)
    _check_no_table(value, name)
    if len(value) == 0:
        raise ValueError(f"{name} is an empty collection")
    measures = [
        item if isinstance(item, Measure) else _as_measure(item, f"{name}[{s}]") for s, item in enumerate(value)
    ]
    dimensions = {measure.dimension for measure in measures}
    if len(dimensions) > 1:
        raise ValueError(f"{name} mixes measures of different dimensions: {sorted(dimensions)}")
    return measures


def _check_no_table(value: list[Any] | tuple[Any, ...], name: str) -> None:
    """Raise for rows of numbers: `rpw.diameter` and `Index.query` take them for one cloud, as `rpw.distance` does."""
    if _dimensions(value) == 2 and is_one_cloud(value) and len(value[0]) > 1:
        raise ValueError(
            f"{name} is a list of rows of numbers, which could mean one set of points, several on the line, or "
            f"histograms: pass [np.array({name})] for one set, [np.array(row) for row in {name}] for several on the "
            f"line, or support= or cost= for histograms"
        )


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
    way_out = f"; pass [rpw.Measure.from_image(item) for item in {name}] for images" if array.ndim == 4 else ""
    raise ValueError(f"{name} must be a list of measures or an array (B, n, d); got shape {array.shape}{way_out}")


def _from_histograms(value: Any, name: str, size: int) -> Atoms:
    rows = as_floats(value, name)
    _check_histograms(rows, name, size)
    weights = np.stack([normalised(row, f"{name}[{s}]") for s, row in enumerate(rows)])
    masses = as_masses(weights)
    owner, place = np.nonzero(masses)
    start = np.searchsorted(owner, np.arange(len(rows) + 1)).astype(np.int64)
    kept = owner, place
    return Atoms(start, weights[kept], masses[kept], np.ascontiguousarray(place, dtype=np.int32))


def _from_sparse_histograms(value: Any, name: str, size: int) -> Atoms:
    """The rows of a sparse matrix, the same to the bit as those of the dense one, which may not fit into memory."""
    _check_histograms(value, name, size)
    rows = value.tocsr(copy=True)
    rows.sum_duplicates()  # and sorts each row
    data = as_floats(rows.data, f"{name}.data")
    parts = []
    for s, (start, end) in enumerate(zip(rows.indptr[:-1], rows.indptr[1:], strict=True)):
        if start == end:
            raise ValueError(f"{name}[{s}] sums to 0: at least one weight must be positive")
        weights = as_weights(data[start:end], f"{name}[{s}]", end - start)
        parts.append(atoms_of_one(weights, rows.indices[start:end].astype(np.int32)))
    return joined(parts)


def _check_histograms(rows: Any, name: str, size: int) -> None:
    """Raise unless the rows are histograms."""
    shape = rows.shape
    if len(shape) != 2 or shape[1] != size:
        way_out = f"; histograms are rows here, so pass {name}.T" if len(shape) == 2 and shape[0] == size else ""
        raise ValueError(
            f"{name} must hold histograms on the shared support, shape (B, {size}); got shape {shape}{way_out}"
        )
    if shape[0] == 0:
        raise ValueError(f"{name} is an empty collection")


def check_same_dimension(a: Atoms, b: Atoms) -> None:
    """Raise if points of the two collections have different dimensions."""
    if a.dimension != b.dimension:
        raise ValueError(f"A and B have points of different dimensions: {a.dimension} and {b.dimension}")


def points_given(*collections: Any) -> list[Array]:
    """The points of the Measures that collections were given as: atoms without mass are not in a collection, but they
    are points of the space."""
    lists = (items for items in collections if isinstance(items, list | tuple))
    return [item.points for items in lists for item in items if isinstance(item, Measure)]


# ---------------------------------------------------------------- from a file, where nothing is trusted


def check_collection(atoms: Atoms, ground: Ground) -> None:
    """Raise unless the arrays are those of measures on ``ground``."""
    where = ("points", np.float64, 2) if ground.size is None else ("place", np.int32, 1)
    for array, (name, kind, dimensions) in (
        (atoms.start, ("start", np.int64, 1)),
        (atoms.mass, ("mass", np.int64, 1)),
        (atoms.weights, ("weights", np.float64, 1)),
        (atoms.where, where),
    ):
        if array.dtype != kind or array.ndim != dimensions or not array.flags.c_contiguous:
            raise ValueError(f"{name} is not an array of {np.dtype(kind)} with {dimensions} dimensions")
    _check_atoms(atoms, ground)
    _check_masses(atoms)


def _check_atoms(atoms: Atoms, ground: Ground) -> None:
    """Every atom belongs to one measure, and has a point or a place."""
    start, where, count = atoms.start, atoms.where, len(atoms.mass)
    if len(start) < 2 or start[0] != 0 or start[-1] != count or (np.diff(start) < 1).any():
        raise ValueError("start does not divide the atoms into measures")
    if not count == len(atoms.weights) == len(where):
        raise ValueError("weights, mass, and points or place have different lengths")
    if ground.size is None and (where.shape[1] == 0 or not np.isfinite(where).all()):
        raise ValueError("points are not finite, or have no coordinates")
    if ground.size is not None and (where.min() < 0 or where.max() >= ground.size):
        raise ValueError("place lies outside of the support or cost")


def _check_masses(atoms: Atoms) -> None:
    """The weights of each measure sum to 1, and its masses are those weights."""
    if not ((atoms.weights > 0) & (atoms.weights <= 1)).all():
        raise ValueError("weights lie outside of (0, 1]")
    if (np.abs(np.add.reduceat(atoms.weights, atoms.start[:-1]) - 1) > _WEIGHTS_ROUNDING).any():
        raise ValueError("weights do not sum to 1 for each measure")
    if not np.array_equal(as_masses(atoms.weights), atoms.mass) or not (atoms.mass > 0).all():
        raise ValueError("mass is not that of the weights")
