"""The diameter of a space, from points or from whole collections."""

from __future__ import annotations

from typing import Any

import numpy as np

from rpw.base.check import Array, as_points
from rpw.measure import CollectionLike, Measure, PointsLike
from rpw.pair.metrics import Metric, as_metric
from rpw.pair.reach import FAR, Reach

__all__ = ["diameter", "reach_of"]


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
    ground = as_metric(metric)
    return ground.diameter(_all_clouds(A, B))


def reach_of(A: PointsLike | CollectionLike, B: PointsLike | CollectionLike | None, metric: Metric) -> Reach:
    """How far everything in ``A`` and ``B`` reaches, by the rule by which single functions warn."""
    points = np.concatenate(_all_clouds(A, B))
    return Reach(as_metric(metric).reach(points, points, FAR))


def _all_clouds(A: PointsLike | CollectionLike, B: PointsLike | CollectionLike | None) -> list[Array]:
    clouds = _clouds(A, "A") + ([] if B is None else _clouds(B, "B"))
    dimensions = {cloud.shape[1] for cloud in clouds}
    if len(dimensions) > 1:
        raise ValueError(f"A and B mix points of different dimensions: {sorted(dimensions)}")
    return clouds


def _clouds(value: Any, name: str) -> list[Array]:
    """The point sets in one argument."""
    if isinstance(value, Measure):
        return [value.points]
    if isinstance(value, (list, tuple)) and any(isinstance(item, (Measure, np.ndarray)) for item in value):
        if all(isinstance(item, np.ndarray) and item.ndim == 0 for item in value):
            return [as_points(value, name)]
        return [cloud for k, item in enumerate(value) for cloud in _clouds(item, f"{name}[{k}]")]
    if isinstance(value, np.ndarray) and value.ndim == 3:
        return [as_points(item, f"{name}[{k}]") for k, item in enumerate(value)] or [as_points([], name)]
    return [as_points(value, name)]
