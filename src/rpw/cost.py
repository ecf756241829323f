"""Ground metrics by name, and the diameter of a space; see `rpw.pair.metrics` and `rpw.pair.diameter`."""

from typing import Any

from rpw.pair.diameter import diameter
from rpw.pair.metrics import METRICS, Metric, as_metric

__all__ = ["METRICS", "Metric", "check_metric", "diameter"]


def check_metric(metric: Any) -> Metric:
    """Raise unless ``metric`` may be used, with the reason and the way out; else it comes back as it is."""
    return as_metric(metric).given
