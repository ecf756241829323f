"""Two samples: checked once, and pooled."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rpw.base.advice import about_units
from rpw.base.check import Array, are_uneven, as_points
from rpw.base.columns import Columns, names_of_coordinates
from rpw.base.warn import warn_caller
from rpw.measure import Measure
from rpw.pair.atoms import Ints
from rpw.pair.metrics import CoreMetric, GroundMetric, equal_rows

__all__ = [
    "Samples",
    "as_rng",
    "as_rows",
    "as_samples",
    "check_scalable",
    "names_of_either",
    "warn_of_units",
]

_LEAST_ROWS = 2  # of a sample: with one there is nothing to exchange


@dataclass(frozen=True, eq=False)
class Samples:
    """The rows of two samples, those of the first before those of the second."""

    points: Array
    n: int
    columns: tuple[str, ...]

    @property
    def m(self) -> int:
        """Rows of the second sample."""
        return len(self.points) - self.n

    @cached_property
    def labels(self) -> Ints:
        """The place of each row: equal rows have one place."""
        return equal_rows(self.points)

    @cached_property
    def places(self) -> Array:
        """The different rows, in the order of their labels."""
        first = np.full(int(self.labels.max()) + 1, -1, dtype=np.int64)
        first[self.labels[::-1]] = np.arange(len(self.labels))[::-1]
        return np.ascontiguousarray(self.points[first])


def as_samples(x: Any, y: Any, names: tuple[str, str] = ("x", "y")) -> Samples:
    """Check two samples of points."""
    given = dict(zip(names, (x, y), strict=True))
    points = [as_rows(value, name) for name, value in given.items()]
    for name, rows in zip(names, points, strict=True):
        if len(rows) < _LEAST_ROWS:
            raise ValueError(f"{name} has {len(rows)} row: a test needs at least {_LEAST_ROWS} rows in each sample")
    if points[0].shape[1] != points[1].shape[1]:
        raise ValueError(
            f"{names[0]} has {points[0].shape[1]} coordinates and {names[1]} has {points[1].shape[1]}: they must agree"
        )
    Columns().shared_with(**given)
    return Samples(np.concatenate(points), len(points[0]), names_of_either(x, y))


def as_rng(value: Any) -> np.random.Generator:
    """A generator of random numbers: the one given, or a new one from a seed (None: from the system)."""
    try:
        return np.random.default_rng(value)
    except (TypeError, ValueError) as error:
        raise ValueError(f"rng must be a whole number, a numpy.random.Generator or None: {error}") from error


def as_rows(value: Any, name: str) -> Array:
    """The points of one sample; raises for weights that differ."""
    if not isinstance(value, Measure):
        return as_points(value, name)
    if are_uneven(value.weights):
        raise ValueError(f"{name} has weights, but a test exchanges rows, so all rows must have the same weight")
    return value.points


def check_scalable(scale: Any, metric: GroundMetric) -> None:
    """Raise if columns are to be scaled, and the metric does not grow with each of them."""
    if scale is not None and not isinstance(metric, CoreMetric):
        raise ValueError(
            f"scale={scale!r} needs a metric that grows with each coordinate (euclidean, cityblock or chebyshev), got "
            f"metric={metric.given!r}: scale the columns beforehand"
        )


def warn_of_units(x: Array, y: Array, names: tuple[str, ...], metric: GroundMetric) -> None:
    """Warn if one column makes up nearly all of the distances, for functions that take ``scale``."""
    if isinstance(metric, CoreMetric):
        warn_caller(about_units(x, y, names, "pass scale='robust'"))


def names_of_either(x: Any, y: Any) -> tuple[str, ...]:
    """The names of the columns, from the first of the two that has some; else none."""
    return _names(x) or _names(y)


def _names(value: Any) -> tuple[str, ...]:
    return value.columns if isinstance(value, Measure) else names_of_coordinates(value)
