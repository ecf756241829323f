"""Ground metrics by name, and the diameter of a space."""

from typing import Any

from rpw.many.diameter import diameter
from rpw.pair.diameter import Diameter
from rpw.pair.metrics import METRICS, Metric, as_metric

__all__ = ["METRICS", "Diameter", "Metric", "check_metric", "diameter"]


def check_metric(metric: Any) -> Metric:
    """Raise a ValueError unless ``metric`` can be used; the message says why, and what to do.

    Parameters
    ----------
    metric : str or callable
        A name in `rpw.cost.METRICS`, or a function of two points.

    Returns
    -------
    str or callable
        The same metric.

    Examples
    --------
    >>> import rpw
    >>> rpw.cost.check_metric("cityblock")
    'cityblock'
    >>> try:
    ...     rpw.cost.check_metric("cosine")
    ... except ValueError as error:
    ...     print(str(error)[:46])
    metric='cosine' breaks the triangle inequality
    """
    return as_metric(metric).given
