"""What a two-sample test found, in numbers, in words and as a picture."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rpw.base import check
from rpw.base.check import Array
from rpw.base.made_by_rpw import NO_PARAMETERS
from rpw.base.shared_docs import documented
from rpw.stats.evidence import Evidence

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["NoiseFloor", "TwoSampleResult", "as_alpha", "deviation", "noise_floor_of"]

_LABELS = {"rpw": "RPW", "wasserstein": "W", "energy": "Energy distance"}
_BAND = (0.05, 0.5, 0.95)


@dataclass(frozen=True, eq=False)
class NoiseFloor:
    """The distance of two samples, and what two samples of one distribution would give.

    `rpw.stats.noise_floor` returns it, and `rpw.stats.two_sample_test` includes it.

    Attributes
    ----------
    distance : float
        The observed distance.
    low, median, high : float
        The 5 %, 50 % and 95 % quantiles of the distance between random splits of the pooled rows.
    values : array
        The distances of all splits.
    k, diameter : float
        The k and the Δ in use; NaN for statistics that have none.

    Examples
    --------
    >>> import numpy as np
    >>> import rpw
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=100), rng.normal(1, 1, size=100)
    >>> floor = rpw.stats.noise_floor(x, y, diameter=4, rng=0)
    >>> floor.distance > floor.high  # the means differ
    True
    """

    __signature__ = NO_PARAMETERS

    distance: float
    low: float
    median: float
    high: float
    values: Array
    k: float
    diameter: float

    @property
    def kappa(self) -> float:
        """The product k·Δ; NaN for statistics that have none."""
        return self.k * self.diameter

    @property
    def excess(self) -> float:
        """The distance minus the median. It depends on the sizes and the dimension of the samples."""
        return self.distance - self.median

    def __str__(self) -> str:
        return f"{self.distance:.3g}; {self.chance}"

    @property
    def chance(self) -> str:
        """The middle 90 % of the splits, in words."""
        if math.isnan(self.low):
            return "no random split has an answer"
        return f"two samples of one distribution would give {self.low:.3g} to {self.high:.3g}"

    def __repr__(self) -> str:
        return (
            f"NoiseFloor(distance={self.distance:.6g}, low={self.low:.6g}, median={self.median:.6g}, "
            f"high={self.high:.6g}, k={self.k:.6g}, diameter={self.diameter:.6g})"
        )

    def _repr_html_(self) -> str:
        from rpw.base.html import facts

        rows = [
            ("distance", f"{self.distance:.6g}, {self.excess:.3g} above the median of the splits"),
            ("random splits", f"{self.low:.6g} to {self.high:.6g}, median {self.median:.6g}"),
            *([] if math.isnan(self.k) else [("with", f"k = {self.k:.4g}, Δ = {self.diameter:.4g}")]),
        ]
        return facts("Noise floor", rows)


def noise_floor_of(distance: float, values: Array, k: float = math.nan, diameter: float = math.nan) -> NoiseFloor:
    """From the distances of random splits; those without an answer are left out."""
    known = values[~np.isnan(values)]
    low, median, high = np.quantile(known, _BAND) if len(known) else (math.nan,) * 3
    return NoiseFloor(distance, float(low), float(median), float(high), values, k, diameter)


@dataclass(frozen=True, eq=False)
class TwoSampleResult:
    """Whether two samples differ, by how much at least, and what chance alone would give.

    `rpw.stats.two_sample_test` returns it. ``print(result)`` says it in words.

    Attributes
    ----------
    statistic : float
        The number by which the splits were ranked: the distance. For RPW without k, it is the largest z-score over
        three values of k: how many standard deviations RPW lies above its mean over all splits.
    pvalue : float
        The share of splits that are at least as far apart as the samples. With ``contamination``, an upper bound on it
        that holds whichever rows were replaced.
    null_distribution : array or None
        The statistic of every random split; None if you passed ``alpha``.
    distance : float
        The distance of the two samples, at ``k`` and ``diameter``.
    noise_floor : NoiseFloor or None
        What two samples of one distribution would give at that k; None if you passed ``alpha``.
    name : str
        The statistic: ``"rpw"``, ``"wasserstein"`` or ``"energy"``.
    p : float
        The exponent; NaN for ``"energy"``.
    k, diameter : float
        The k and the Δ in use. If you left out k, it is the k with the clearest difference. NaN for statistics other
        than RPW.
    contamination : int
        How many replaced rows ``pvalue`` allows for.
    n, m : int
        The numbers of rows of the two samples.
    n_resamples : int
        How many splits the observed one was compared with.
    unanswered : int
        How many of them had no answer when ``time_limit`` had passed. ``pvalue`` counts each of them against a
        difference: it stays valid, but may be far too large.

    Examples
    --------
    >>> import numpy as np
    >>> import rpw
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=(60, 2)), rng.normal(1, 1, size=(60, 2))
    >>> result = rpw.stats.two_sample_test(x, y, k=1, diameter=4, n_resamples=199, rng=0)
    >>> result.pvalue
    0.005
    >>> round(result.distance, 2), round(result.noise_floor.median, 2)
    (0.16, 0.1)
    """

    __signature__ = NO_PARAMETERS

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
    n_resamples: int
    unanswered: int
    _evidence: Evidence | None
    _no_upper_bound: str  # why there is none, if so

    @property
    def kappa(self) -> float:
        """The product k·Δ."""
        return self.k * self.diameter

    @documented
    def changed_at_least(self, confidence_level: float = 0.95) -> int:
        """Return how many rows must have changed, at least, with the given confidence.

        If fewer rows had been replaced, two samples of one distribution would not look as different as these. The
        number counts rows of both samples. It does not say how far they moved.

        On a GPU, and if there are more than 5,000 different rows of two or more columns, the bound is coarser: the
        number may be lower than for fewer rows on the CPU.

        Parameters
        ----------
        %(confidence_level)s

        Returns
        -------
        int
            The number of rows; 0 if no row needs to have changed.

        Raises
        ------
        ValueError
            If the test had ``alpha``, and for other statistics than RPW.

        Examples
        --------
        Twenty of 60 rows have moved far away. With 95 % confidence, at least five rows have changed:

        >>> import numpy as np
        >>> import rpw
        >>> x, y = np.arange(60.0), np.r_[np.arange(40.0), 1000 + np.arange(20.0)]
        >>> rpw.stats.two_sample_test(x, y, rng=0).changed_at_least()
        5
        """
        alpha = as_alpha(confidence_level)
        if self._evidence is None:
            why = (
                "a test with alpha keeps no null distribution; leave alpha out"
                if self.name == "rpw"
                else f"statistic={self.name!r} has no robust p-value: use statistic='rpw'"
            )
            raise ValueError(f"changed_at_least is not known: {why}")
        return self._evidence.fewest_replaced(alpha)

    @documented
    def at_most(self, confidence_level: float = 0.95) -> float:
        """Return an upper bound, with the given confidence, on RPW of the two populations.

        It holds in any dimension and for every p, if the rows were drawn independently and k and Δ were fixed before
        the data were seen. With ``contamination``, it holds whichever rows were replaced after that.

        With more than 20,000 different rows of two or more columns, the bound is coarser.

        Even if the samples are equal, no bound is below √((1/n + 1/m) ln(1/α) / 2) + r / min(n, m), with
        α = 1 - confidence_level and r replaced rows.

        Parameters
        ----------
        %(confidence_level)s

        Returns
        -------
        float
            The bound.

        Raises
        ------
        ValueError
            If k or ``diameter`` was left out, if the test had ``scale``, ``groups`` or ``alpha``, and for other
            statistics than RPW.

        See Also
        --------
        rpw.stats.equivalence_test : A p-value for one margin that you choose.

        Examples
        --------
        >>> import numpy as np
        >>> import rpw
        >>> rng = np.random.default_rng(0)
        >>> x, y = rng.normal(size=1000), rng.normal(size=1000)
        >>> result = rpw.stats.two_sample_test(x, y, k=1, diameter=6, n_resamples=99, rng=0)
        >>> round(result.at_most(), 2)
        0.05
        """
        alpha = as_alpha(confidence_level)
        if self._no_upper_bound or self._evidence is None:
            why = self._no_upper_bound or "a test with alpha does not keep what it needs; leave alpha out"
            raise ValueError(f"at_most is not known: {why}")
        share = deviation(self.n, self.m, alpha) + self.contamination / min(self.n, self.m)
        return self._evidence.resampled.highest(0, 0, self.kappa, share)

    @documented
    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the distances of the random splits, their middle 90 %, and the observed distance (needs ``rpw[plot]``).

        Parameters
        ----------
        %(ax)s

        Returns
        -------
        %(returns_ax)s

        Raises
        ------
        ValueError
            If the test had ``alpha``, and so kept no distances to draw.

        Examples
        --------
        >>> import numpy as np
        >>> import rpw
        >>> x = np.arange(30.0)
        >>> ax = rpw.stats.two_sample_test(x, x + 9, n_resamples=99, rng=0).plot()
        >>> ax.get_title()
        'p = 0.01'
        """
        from rpw.plot import plot_null

        if self.noise_floor is None:
            raise ValueError("plot needs the null distribution, and a test with alpha keeps none: leave alpha out")
        where = f" (k = {self.k:.3g}, Δ = {self.diameter:.3g})" if self.name == "rpw" else ""
        return plot_null(self.noise_floor, f"{_LABELS[self.name]} of two samples{where}", self._p_in_words, ax)

    def __str__(self) -> str:
        where = f" (k = {self.k:.3g}, Δ = {self.diameter:.3g})" if self.name == "rpw" else ""
        chance = "" if self.noise_floor is None else f"; {self.noise_floor.chance}"
        words = f"{_LABELS[self.name]} is {self.distance:.3g}{where}{chance}; {self._p_in_words}"
        if self.contamination:
            rows = "row was" if self.contamination == 1 else f"{self.contamination} rows were"
            words += f", whichever {rows} replaced"
        return f"{words}{self._change}.{self._what_is_missing}"

    @property
    def _p_in_words(self) -> str:
        return f"p {'≤' if self.unanswered else '='} {self.pvalue:.3g}"

    @property
    def _what_is_missing(self) -> str:
        if self.unanswered == 0:
            return ""
        return (
            f" The test was cut off: time_limit left {self.unanswered:,} of {self.n_resamples:,} random splits without "
            "an answer, so p may be far too large."
        )

    @property
    def _change(self) -> str:
        """How many rows have changed, in words."""
        if self._evidence is None:
            return ""
        changed, rows = self.changed_at_least(), self.n + self.m
        if changed == 0:
            return "" if self.unanswered else "; no row needs to have changed"
        return f"; at least {changed / rows:.1%} of all rows ({changed:,} of {rows:,}) have changed"

    def __repr__(self) -> str:
        return (
            f"TwoSampleResult(statistic={self.statistic:.6g}, pvalue={self.pvalue:.6g}, distance={self.distance:.6g}, "
            f"k={self.k:.6g}, diameter={self.diameter:.6g}, n_resamples={self.n_resamples}, "
            f"unanswered={self.unanswered})"
        )

    def _repr_html_(self) -> str:
        from rpw.base.html import facts

        rows = [
            ("in words", str(self)),
            ("p-value", f"{'at most ' * (self.unanswered > 0)}{self.pvalue:.4g}"),
            ("statistic", f"{self.statistic:.6g}"),
        ]
        floor = self.noise_floor
        if floor is not None and not math.isnan(floor.low):
            rows.append(("distance", f"{self.distance:.6g}, {floor.excess:.3g} above the median of the noise floor"))
        rows.append(("between", f"{self.n:,} and {self.m:,} rows"))
        if self.name == "rpw":
            rows.append(("with", f"p = {self.p:g}, k = {self.k:.4g}, Δ = {self.diameter:.4g}"))
        else:
            rows.append(("with", f"statistic = {self.name}" + ("" if math.isnan(self.p) else f", p = {self.p:g}")))
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
