"""The diameter of everything in two collections."""

from __future__ import annotations

from typing import Any

from rpw.base.check import Array, as_share
from rpw.base.columns import Columns
from rpw.many.collection import as_clouds
from rpw.measure import CollectionLike, PointsLike
from rpw.pair.diameter import Diameter, diameter_of
from rpw.pair.metrics import Metric, as_metric

__all__ = ["all_clouds", "diameter"]


def diameter(
    A: PointsLike | CollectionLike,
    B: PointsLike | CollectionLike | None = None,
    *,
    metric: Metric = "euclidean",
    quantile: float = 1.0,
) -> Diameter:
    """One diameter Δ for everything in ``A`` and ``B``: the largest distance between any two of the points.

    Parameters
    ----------
    A, B : one cloud of points or a collection of them
        One cloud is what `rpw.distance` takes: a Measure, an array or table (n, d) or (n,), or a list of numbers or of
        rows. A collection is what `rpw.pairwise` takes: a list of Measures, arrays or tables, or an array (B, n, d). Of
        histograms, pass their support.
        Every point counts, also one without weight: Δ belongs to the space.
    metric : name or callable
        A callable is taken for a metric: symmetric, with the triangle inequality.
    quantile : float
        In (0, 1]. Below 1, gross outliers are left out: the distance is that between two of the inliers. The inliers
        are this share of the points, those that lie nearest to a point in their midst. Up to a share 1 - quantile of
        the points may then lie anywhere; of n points, that is (1 - quantile) * n, rounded down. All points count
        alike, whatever their weights. Leave out more than the outliers that you expect: one that is kept sets Δ.

    Returns
    -------
    Diameter
        A float, which also has ``.is_exact`` and ``.lower``. Pairs that cannot be the farthest are left out. Where the
        others are at most 10**9, with 10**10 coordinates to compare, the number is exact (for a metric of SciPy, a
        tenth of that; for a callable, 2**19 calls). Beyond that it is an upper bound, at most twice the largest
        distance, and ``.lower`` is the largest distance that was found.

    Use it as ``diameter=`` for *every* pair that you compare. Any fixed Δ > 0 keeps RPW a metric, so nothing is lost
    by leaving outliers out of it; the scale of the inliers is the one in which k has its meaning.

    >>> diameter([[0.0, 0.0], [3.0, 4.0]])
    5.0
    >>> diameter([[0.0, 0.0], [3.0, 4.0]]).is_exact
    True
    """
    share = as_share(quantile, "quantile")
    return diameter_of(as_metric(metric), all_clouds(A, B), share)


def all_clouds(A: Any, B: Any) -> list[Array]:
    """The point sets in both arguments."""
    clouds = as_clouds(A, "A") + ([] if B is None else as_clouds(B, "B"))
    dimensions = {cloud.shape[1] for cloud in clouds}
    if len(dimensions) > 1:
        raise ValueError(f"A and B mix points of different dimensions: {sorted(dimensions)}")
    Columns().shared_with(A=A, B=B)
    return clouds
