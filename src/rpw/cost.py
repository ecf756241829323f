"""Ground metrics by name, and the diameter of a space; see `rpw.pair.metrics` and `rpw.many.diameter`."""

from typing import Any

from rpw.many.diameter import diameter
from rpw.pair.diameter import Diameter
from rpw.pair.metrics import METRICS, Metric, as_metric

__all__ = ["METRICS", "Diameter", "Metric", "check_metric", "diameter"]


def check_metric(metric: Any) -> Metric:
    """Raise unless ``metric`` may be used, with the reason and the way out; else it comes back as it is."""
    return as_metric(metric).given
