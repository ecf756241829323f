"""The prices κ = kΔ at which samples are compared, and what they could be if some rows were replaced.

A price that was fixed beforehand stays what it is. A price computed from the pooled rows moves when rows are replaced:
r rows touch only so many of the pooled distances, so an order statistic of them moves by at most so many ranks
(docs/proofs/statistics.md, "Prices from pooled points").
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rpw.base import check
from rpw.base.check import Array
from rpw.base.deadline import NEVER, Deadline
from rpw.pair.metrics import GroundMetric
from rpw.stats.scale import NO_SCALES, Scales

__all__ = ["GRID", "Prices", "check_prices", "prices_of"]

# k in units of the median pooled distance. A small k sees clumps, a large k shifts; in ten dimensions only k = 15 sees
# that a tenth of the rows moved. benchmarks/stats/bench_power.py has the power of other grids.
GRID = (0.15, 1.5, 15.0)
_MOST_POINTS = 1500  # whose distances are looked at: a million pairs
_QUANTILES = (0.5, 0.75, 0.9, 1.0)  # the first that is positive: most rows may be equal


@dataclass(frozen=True, eq=False)
class Prices:
    """Prices, one for each k, and their unit Δ."""

    ks: tuple[float, ...]
    unit: float
    is_fixed: bool  # by the caller, before there were data
    scales: Scales = NO_SCALES
    _distances: Array | None = None  # sorted, pooled: what the unit is an order statistic of
    _rank: int = 0
    _points: int = 0

    @property
    def kappas(self) -> Array:
        """k Δ."""
        return np.array(self.ks) * self.unit

    def bounds(self, rows: int) -> tuple[Array, Array]:
        """The lowest and the highest that each price can be if ``rows`` of the pooled rows are put back."""
        low, high = self._unit_bounds(rows)
        shrunk, stretched = self.scales.bounds(rows)
        if self._distances is not None:  # then the unit is measured on the same scales as all distances
            shrunk, stretched = (shrunk / stretched, stretched / shrunk if shrunk > 0 else np.inf)
        ks = np.array(self.ks)
        with np.errstate(invalid="ignore", over="ignore"):
            return ks * low * shrunk, np.where(ks > 0, ks * high * stretched, 0.0)

    def _unit_bounds(self, rows: int) -> tuple[float, float]:
        if self._distances is None or rows == 0:
            return self.unit, self.unit
        rows = min(rows, self._points)
        touched = rows * (self._points - 1) - rows * (rows - 1) // 2
        below, above = self._rank - touched, self._rank + touched
        least = float(self._distances[below]) if below >= 0 else 0.0
        # If that quantile could be 0 without the replaced rows, a larger quantile would have been taken.
        is_known = least > 0 and above < len(self._distances)
        return least if self._is_median else 0.0, float(self._distances[above]) if is_known else np.inf

    @property
    def _is_median(self) -> bool:
        """Whether no smaller quantile had to be passed over, which replaced rows could bring back."""
        return self._distances is not None and self._rank == _rank_of(_QUANTILES[0], len(self._distances))


def prices_of(
    k: Any, diameter: Any, points: Array, metric: GroundMetric, scales: Scales, rng: np.random.Generator,
    deadline: Deadline = NEVER,
) -> Prices:  # fmt: skip
    """Check ``k`` and ``diameter``; without a diameter Δ is the median distance of the pooled rows."""
    ks = GRID if k is None else (check.as_k(k),)
    if diameter is not None:
        unit = check.as_positive(diameter, "diameter")
        for each in ks:
            check.as_kappa(each, unit)
        return Prices(ks, unit, is_fixed=k is not None and scales is NO_SCALES, scales=scales)
    some = points if len(points) <= _MOST_POINTS else points[rng.choice(len(points), _MOST_POINTS, replace=False)]
    distances = _pooled_distances(some, metric, deadline)
    rank = next((rank for rank in _ranks(len(distances)) if distances[rank] > 0), len(distances) - 1)
    unit = float(distances[rank]) or 1.0  # all rows are equal: then every price gives 0
    if not np.isfinite(unit):
        raise ValueError(
            "x and y are too far apart: their median distance is outside the range of float64; pass diameter="
        )
    return Prices(ks, unit, False, scales, distances, rank, len(some))


def check_prices(prices: Prices) -> None:
    """Raise if k times the median distance is outside the range of float64."""
    for k in prices.ks:
        if not np.isfinite(k * prices.unit):
            raise ValueError(
                f"x and y are too far apart: k={k:g} times their median distance {prices.unit:.3g} is outside the "
                "range of float64; rescale the rows of x and y by the same factor, or pass diameter="
            )


def _ranks(count: int) -> list[int]:
    return [_rank_of(quantile, count) for quantile in _QUANTILES]


def _rank_of(quantile: float, count: int) -> int:
    return max(0, int(np.ceil(quantile * count)) - 1)


def _pooled_distances(points: Array, metric: GroundMetric, deadline: Deadline) -> Array:
    between = np.empty((len(points), len(points)))
    metric.fill(points, points, between, deadline)
    return np.sort(between[np.triu_indices(len(points), 1)])
