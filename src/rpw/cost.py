"""Ground distances: which metrics are allowed, how they are computed, and the diameter of a space."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from rpw import _core
from rpw._check import Array, as_points, check_finite, check_nonnegative
from rpw._types import CollectionLike, PointsLike
from rpw.measure import Measure

__all__ = ["Metric", "check_metric", "diameter", "fill_distances"]

Metric = str | Callable[[Any, Any], float]

# Names that SciPy computes and that are metrics on the points themselves.
METRICS = (
    "euclidean",
    "cityblock",
    "chebyshev",
    "minkowski",  # with SciPy's default exponent 2; another one as a callable
    "canberra",
    "hamming",
    "jaccard",
    "jensenshannon",
    "rogerstanimoto",
    "sokalsneath",
)
_NO_TRIANGLE = ("sqeuclidean", "cosine", "correlation", "braycurtis", "dice", "yule")
_FROM_THE_PAIR = ("seuclidean", "mahalanobis")
_NOT_ZERO_AT_EQUALITY = ("russellrao", "kulczynski1", "matching", "sokalmichener")
_BOX = {"euclidean": 2.0, "cityblock": 1.0, "chebyshev": np.inf}
# d(x, y) = 0 exactly where x == y, so that equal points can be found without computing distances.
SEPARATING = ("euclidean", "cityblock", "chebyshev", "minkowski", "canberra", "hamming")
CORE_METRICS = {name: getattr(_core.Metric, name) for name in _BOX} | {"minkowski": _core.Metric.euclidean}
_PAIRS_PER_BLOCK = 1 << 19  # small enough that Ctrl-C and time_limit are noticed between two blocks


def check_metric(metric: Any) -> Metric:
    """Return ``metric`` if it may be used, else raise with the reason and the way out."""
    if callable(metric):
        return metric  # type: ignore[no-any-return]
    if not isinstance(metric, str):
        raise ValueError(f"metric must be a name or a callable, got {metric!r}")
    if metric in METRICS:
        return metric
    if metric in _NO_TRIANGLE:
        raise ValueError(
            f"metric={metric!r} breaks the triangle inequality, so RPW would not be a metric; "
            "if that is what you want, compute the matrix yourself and pass it as cost="
        )
    if metric in _FROM_THE_PAIR:
        raise ValueError(
            f"metric={metric!r} takes its parameters from the pair itself, so distances of different pairs would not "
            "be comparable; fix the parameters in a callable"
        )
    if metric in _NOT_ZERO_AT_EQUALITY:
        raise ValueError(f"metric={metric!r} is not zero exactly between equal points; pass a matrix as cost= instead")
    raise ValueError(f"unknown metric {metric!r}; choose one of {', '.join(METRICS)}, a callable, or pass cost=")


def row_blocks(rows: int, columns: int) -> Iterator[slice]:
    """Slices of rows that hold a moderate number of pairs each."""
    step = max(1, _PAIRS_PER_BLOCK // max(1, columns))
    for start in range(0, rows, step):
        yield slice(start, min(rows, start + step))


def fill_distances(x: Array, y: Array, metric: Metric, out: Array, deadline: float) -> bool:
    """Write the distances between ``x`` and ``y`` into ``out``; False if the deadline passed before the end."""
    if isinstance(metric, str) and metric in CORE_METRICS:
        return _fill_in_core(x, y, CORE_METRICS[metric], out, deadline)
    from scipy.spatial.distance import cdist

    for rows in row_blocks(len(x), len(y)):
        if time.monotonic() > deadline:
            return False
        block = out[rows]
        try:
            cdist(x[rows], y, cast(Any, metric), out=block)
        except (TypeError, ValueError) as error:
            raise ValueError(f"metric={metric!r} could not be computed on these points: {error}") from error
        check_finite(block, f"metric={metric!r}: the matrix of distances")
        check_nonnegative(block, f"metric={metric!r}: the matrix of distances")
    return True


def _fill_in_core(x: Array, y: Array, metric: _core.Metric, out: Array, deadline: float) -> bool:
    x, y = np.ascontiguousarray(x), np.ascontiguousarray(y)
    unit = _core.length_unit(x, y)
    if np.isinf(unit):
        raise ValueError("x and y are too far apart: their distance is not a float64")
    for rows in row_blocks(len(x), len(y)):
        if time.monotonic() > deadline:
            return False
        _core.fill_distances(x[rows], y, metric, unit, out[rows])
    return True


def pair_distances(x: Array, y: Array, metric: Metric) -> Array:
    """The distance between x[s] and y[s] for every s."""
    if isinstance(metric, str) and metric in CORE_METRICS:
        differences = np.abs(x - y)
        largest = float(differences.max(initial=0.0)) or 1.0
        order = _BOX.get(metric, 2.0)
        return largest * np.asarray(np.linalg.norm(differences / largest, order, axis=1), dtype=np.float64)
    distances = np.empty((len(x), 1))
    for s in range(len(x)):
        fill_distances(x[s : s + 1], y[s : s + 1], metric, distances[s : s + 1], np.inf)
    return distances[:, 0]


def diameter(
    A: PointsLike | CollectionLike, B: PointsLike | CollectionLike | None = None, *, metric: Metric = "euclidean"
) -> float:
    """One diameter Δ for everything in ``A`` and ``B``.

    Parameters
    ----------
    A, B : a Measure, an array of points (n, d) or (n,), a (B, n, d) array, or a list of Measures or arrays
    metric : name or callable
        For ``euclidean``, ``cityblock`` and ``chebyshev`` the diameter is that of the bounding box (an upper bound that
        costs linear time); for any other metric it is exact over the distinct points.

    Returns
    -------
    float
        Use it as ``diameter=`` for *every* pair of a collection: Δ belongs to the space, not to the pair.

    >>> diameter([[0.0, 0.0], [3.0, 4.0]])
    5.0
    """
    metric = check_metric(metric)
    clouds = _clouds(A, "A") + ([] if B is None else _clouds(B, "B"))
    dimensions = {cloud.shape[1] for cloud in clouds}
    if len(dimensions) > 1:
        raise ValueError(f"A and B mix points of different dimensions: {sorted(dimensions)}")
    return diameter_of_points(clouds, metric)


def diameter_of_points(clouds: list[Array], metric: Metric) -> float:
    """The diameter of the bounding box where the metric has one, else the largest distance."""
    if isinstance(metric, str) and metric in _BOX:
        low = np.min([cloud.min(axis=0) for cloud in clouds], axis=0)
        high = np.max([cloud.max(axis=0) for cloud in clouds], axis=0)
        with np.errstate(over="ignore"):
            size = _norm(high - low, _BOX[metric])
    else:
        size = _largest_distance(np.unique(np.concatenate(clouds), axis=0), metric)
    if not np.isfinite(size):
        raise ValueError("the points are too far apart: their diameter is not a float64")
    return size


def _norm(sides: Array, order: float) -> float:
    longest = float(sides.max())
    if longest == 0 or not np.isfinite(longest):
        return longest
    return longest * float(np.linalg.norm(sides / longest, order))


def _largest_distance(points: Array, metric: Metric) -> float:
    largest = 0.0
    for rows in row_blocks(len(points), len(points)):
        block = np.empty((rows.stop - rows.start, len(points)))
        fill_distances(points[rows], points, metric, block, np.inf)
        largest = max(largest, float(block.max()))
    return largest


def _clouds(value: Any, name: str) -> list[Array]:
    """The point sets in one argument of `diameter`."""
    if isinstance(value, Measure):
        return [value.points]
    if isinstance(value, (list, tuple)) and any(isinstance(item, (Measure, np.ndarray)) for item in value):
        if all(isinstance(item, np.ndarray) and item.ndim == 0 for item in value):
            return [as_points(value, name)]
        return [cloud for k, item in enumerate(value) for cloud in _clouds(item, f"{name}[{k}]")]
    if isinstance(value, np.ndarray) and value.ndim == 3:
        return [as_points(item, f"{name}[{k}]") for k, item in enumerate(value)] or [as_points([], name)]
    return [as_points(value, name)]


def equal_rows(points: Array) -> npt.NDArray[np.int64]:
    """One label per row, the same for equal rows."""
    # Rows as opaque bytes: sorting them does not depend on the dimension. Adding 0.0 turns -0.0 into 0.0.
    rows = np.ascontiguousarray(points + 0.0)
    opaque = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
    _, labels = np.unique(opaque, return_inverse=True)
    return np.ascontiguousarray(labels.reshape(-1), dtype=np.int64)
