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
    """Compute one unit of length Δ for everything you compare: the largest distance between any two points.

    Pass the result as ``diameter=`` for every pair. Any fixed Δ > 0 keeps RPW a metric, so you may ignore outliers with
    ``quantile``; k then refers to the scale of the ordinary points.

    Parameters
    ----------
    A, B : one set of points, or a collection of them
        One set is what `rpw.distance` takes: a Measure, an array or table of shape (n, d) or (n,), or a list of numbers
        or rows. A collection is what `rpw.pairwise` takes: a list of sets, or an array (B, n, d). For histograms, pass
        their support. Every point counts the same, even if its weight is 0.
    metric : str or callable, default "euclidean"
        Distance between points: a name in `rpw.cost.METRICS`, or a function of two points. A function must be symmetric
        and satisfy the triangle inequality; this is not checked.
    quantile : float, default 1.0
        The share of the points that count, above 0 and at most 1. At 0.99, the 1 % of the points farthest from a
        central point are ignored (of n points, (1 - quantile)·n, rounded down). Ignore more points than there
        are outliers: a single outlier that is kept sets Δ.

    Returns
    -------
    Diameter
        A float that also has ``is_exact`` and ``lower``.

    Notes
    -----
    Pairs that cannot be the farthest are excluded first. The number is exact if at most 10**9 pairs with 10**10
    coordinates remain (for a metric of SciPy, a tenth of that; for a callable, 2**19 calls). If more pairs remain, it
    is an upper bound, at most twice the largest distance, and ``lower`` is the largest distance that was
    found.

    Examples
    --------
    >>> import rpw
    >>> rpw.diameter([[0.0, 0.0], [3.0, 4.0]])
    5.0

    One of 100 points lies far away. It need not set the unit:

    >>> points = [*range(99), 5000.0]
    >>> rpw.diameter(points), rpw.diameter(points, quantile=0.9)
    (5000.0, 89.0)
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
