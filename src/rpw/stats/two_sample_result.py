"""What a two-sample test found, in numbers, in words and as a picture."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rpw.base import check
from rpw.base.check import Array
from rpw.stats.evidence import Evidence

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["NoiseFloor", "TwoSampleResult", "as_alpha", "deviation"]

_BAND = (0.05, 0.5, 0.95)


@dataclass(frozen=True, eq=False)
class NoiseFloor:
    """What two samples of one distribution, of these sizes, would give.

    Attributes
    ----------
    distance : float
        The observed distance.
    low, median, high : float
        The 5 %, 50 % and 95 % quantiles of the distance between random splits of the pooled rows.
    values : array
        Those distances.
    kappa : float
        The price k·Δ at which all of them were computed; NaN for statistics that have none.
    """

    distance: float
    low: float
    median: float
    high: float
    values: Array
    kappa: float

    @classmethod
    def of(cls, distance: float, values: Array, kappa: float) -> NoiseFloor:
        """From the distances of random splits; those without an answer are left out."""
        known = values[~np.isnan(values)]
        low, median, high = np.quantile(known, _BAND) if len(known) else (math.nan,) * 3
        return cls(distance, float(low), float(median), float(high), values, kappa)

    @property
    def excess(self) -> float:
        """The distance less the median. It describes these samples: it depends on their sizes and dimension."""
        return self.distance - self.median

    def __str__(self) -> str:
        return f"{self.distance:.3g}; {self.chance}"

    @property
    def chance(self) -> str:
        """The middle 90 % of the splits, in words."""
        return f"two samples of one distribution would give {self.low:.3g} to {self.high:.3g}"

    def __repr__(self) -> str:
        return (
            f"NoiseFloor(distance={self.distance:.6g}, low={self.low:.6g}, median={self.median:.6g}, "
            f"high={self.high:.6g})"
        )


@dataclass(frozen=True, eq=False)
class TwoSampleResult:
    """Whether two samples differ, by how much at least and at most, and what chance alone would give.

    Attributes
    ----------
    statistic : float
        What the splits were ranked by. With one k, RPW itself. Without k, the largest standardised excess over a grid.
    pvalue : float
        The share of splits that reach it. With ``contamination``, an upper bound that replaced rows cannot forge.
    null_distribution : array, or None
        The statistic of every random split; None after an early stop (``alpha``).
    distance : float
        RPW of the two samples at ``k`` and ``diameter``.
    noise_floor : NoiseFloor, or None
        What two samples of one distribution would give at that k; None after an early stop.
    k, diameter : float
        Where the difference is clearest, or as given.
    contamination : int
        How many replaced rows ``pvalue`` allows for.
    """

    statistic: float
    pvalue: float
    null_distribution: Array | None
    distance: float
    noise_floor: NoiseFloor | None
    name: str
    p: float
    k: float
    diameter: float
    contamination: int
    n: int
    m: int
    _evidence: Evidence | None
    _no_upper_bound: str  # why there is none, if so

    @property
    def kappa(self) -> float:
        """k·Δ, the price of leaving mass behind."""
        return self.k * self.diameter

    def changed_at_least(self, confidence_level: float = 0.95) -> int:
        """How many of the n + m rows, in either sample, must have changed: at least so many, with this confidence.

        Fewer replaced rows could not make two samples of one distribution as different as these. The number counts
        rows. It says nothing about how far they moved.

        >>> import numpy as np
        >>> import rpw
        >>> x, y = np.arange(60.0), np.r_[np.arange(40.0), 1000 + np.arange(20.0)]
        >>> rpw.stats.two_sample_test(x, y, rng=0).changed_at_least() > 0
        True
        """
        alpha = as_alpha(confidence_level)
        if self._evidence is None:
            why = (
                "alpha stopped the test early, which leaves no null distribution: leave alpha out"
                if self.name == "rpw"
                else f"statistic={self.name!r} has no robust p-value: use statistic='rpw'"
            )
            raise ValueError(f"changed_at_least is not known: {why}")
        return self._evidence.fewest_replaced(alpha)

    def at_most(self, confidence_level: float = 0.95) -> float:
        """An upper bound, with this confidence, on RPW of the two *populations* that the rows were drawn from.

        It holds in any dimension and for every p, if the rows were drawn independently and k and diameter were fixed
        before the data were seen. Two equal samples have one too: no bound is below √((1/n + 1/m) ln(1/α) / 2).
        """
        alpha = as_alpha(confidence_level)
        if self._no_upper_bound or self._evidence is None:
            raise ValueError(f"at_most is not known: {self._no_upper_bound or 'alpha stopped the test early'}")
        return self._evidence.resampled.highest(0, 0, self.kappa, deviation(self.n, self.m, alpha))

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the distances of the random splits, their middle 90 %, and the observed one (needs ``rpw[plot]``)."""
        from rpw.plot import plot_null

        if self.noise_floor is None:
            raise ValueError("plot needs the null distribution, which an early stop (alpha) leaves out")
        label = {"rpw": "RPW", "wasserstein": "W", "energy": "energy distance"}[self.name]
        return plot_null(self.noise_floor, f"{label} of two samples", f"p = {self.pvalue:.3g}", ax)

    def __str__(self) -> str:
        where = f" (k = {self.k:.3g}, Δ = {self.diameter:.3g})" if self.name == "rpw" else ""
        chance = "" if self.noise_floor is None else f"; {self.noise_floor.chance}"
        words = f"{self.distance:.3g}{where}{chance}: p = {self.pvalue:.3g}"
        if self.contamination:
            rows = "row was" if self.contamination == 1 else f"{self.contamination} rows were"
            words += f", whichever {rows} replaced"
        return f"{words}{self._change}."

    @property
    def _change(self) -> str:
        """How many rows have changed, in words."""
        if self._evidence is None:
            return ""
        changed, rows = self.changed_at_least(), self.n + self.m
        if changed == 0:
            return "; no row needs to have changed"
        return f"; at least {changed / rows:.1%} of all rows ({changed:,} of {rows:,}) have changed"

    def __repr__(self) -> str:
        return (
            f"TwoSampleResult(statistic={self.statistic:.6g}, pvalue={self.pvalue:.6g}, distance={self.distance:.6g}, "
            f"k={self.k:.6g}, diameter={self.diameter:.6g})"
        )

    def _repr_html_(self) -> str:
        from rpw.base.html import facts

        rows = [("in words", str(self)), ("p-value", f"{self.pvalue:.4g}"), ("statistic", f"{self.statistic:.6g}")]
        if self.noise_floor is not None:
            floor = self.noise_floor
            rows.append(("distance", f"{self.distance:.6g}, {floor.excess:.3g} above the median of the noise floor"))
        rows.append(("between", f"{self.n:,} and {self.m:,} rows"))
        rows.append(("with", f"p = {self.p:g}, k = {self.k:.4g}, Δ = {self.diameter:.4g}"))
        return facts("Two-sample test", rows)


def as_alpha(confidence_level: Any) -> float:
    """1 less a confidence level in (0, 1)."""
    level = check.as_number(confidence_level, "confidence_level")
    if not 0 < level < 1:
        raise ValueError(f"confidence_level must lie between 0 and 1, got {level}")
    return 1.0 - level


def deviation(n: int, m: int, alpha: float) -> float:
    """u with P(G > E G + u) ≤ α (McDiarmid), where one row changes G by at most 1/n or 1/m."""
    return math.sqrt((1 / n + 1 / m) * math.log(1 / alpha) / 2)
