"""What the splits say about the observed one: p-values, also if some rows were replaced.

H0 with r replaced rows: the pooled rows are exchangeable but for at most r of them. An adversary who saw everything
chose these and replaced them. With s = r / min(n, m), the p-value

    p_r = (1 + #{i : T⁺_s(split i) ≥ T⁻_s(observed)}) / (B + 1)

has P(p_r ≤ α) ≤ α for every sample size, in any metric space. At r = 0 it is the ordinary permutation test.
docs/proofs/statistics.md, "A p-value that outliers cannot forge".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rpw.base.check import Array
from rpw.stats.prices import Prices
from rpw.stats.resampled import Resampled

__all__ = ["Evidence", "fewest_replaced", "rank_pvalue"]

_TIE = 1e-11  # of the largest number: what is closer is a tie


def rank_pvalue(observed: float, others: Array, is_all: bool) -> float:
    """The share of splits that reach the observed number; those without an answer (NaN) count as if they did.

    The observed split is among ``others`` if they are all there are; else it counts once more.
    """
    tie = _TIE * max(abs(observed), float(np.nanmax(np.abs(others), initial=0.0)))
    reached = int((~(others < observed - tie)).sum())
    return reached / len(others) if is_all else (1 + reached) / (len(others) + 1)


@dataclass(frozen=True, eq=False)
class Evidence:
    """The prices, and what the splits gave."""

    prices: Prices
    resampled: Resampled
    is_all: bool = False  # whether the splits after the first are all there are, the observed one among them

    @cached_property
    def excess(self) -> Array:
        """(T - mean) / sd of each split at each price, mean and sd over all splits, each of them once."""
        values = self.resampled.values
        once = values[1:] if self.is_all else values
        with np.errstate(invalid="ignore", divide="ignore"):
            excess = (values - np.nanmean(once, axis=0)) / np.nanstd(once, axis=0)
        excess[~np.isnan(values) & np.isnan(excess)] = 0.0  # all splits are the same
        return np.asarray(excess)

    @cached_property
    def clearest(self) -> int:
        """The price at which the observed split stands out most."""
        return int(np.argmax(self.excess[0]))

    @property
    def statistics(self) -> Array:
        """Of each split: RPW at one price; at several the largest standardised excess."""
        values = self.resampled.values
        return values[:, 0] if values.shape[1] == 1 else self.excess.max(axis=1)

    @property
    def unanswered(self) -> int:
        """How many splits had no answer in time."""
        return int((~self.resampled.has_answer).sum())

    def pvalue(self, rows: int) -> float:
        """p_r for r = ``rows``; at several prices by Bonferroni's inequality, unless r = 0 and all have an answer.

        A scan over prices compares with the mean and sd of all splits, and those that have an answer in time may not be
        like the others (docs/proofs/statistics.md, "Several prices in one test").
        """
        if rows == 0 and (len(self.prices.ks) == 1 or self.unanswered == 0):
            statistics = self.statistics
            return rank_pvalue(float(statistics[0]), statistics[1:], self.is_all)
        low, high = self.prices.bounds(rows)
        each = [self._pvalue_at(price, float(low[price]), float(high[price]), rows) for price in range(len(low))]
        return min(1.0, len(each) * min(each))

    def _pvalue_at(self, price: int, low: float, high: float, rows: int) -> float:
        if rows == 0:
            values = self.resampled.values[:, price]
            return rank_pvalue(float(values[0]), values[1:], self.is_all)
        shares = np.minimum(1.0, rows / self.resampled.sizes)
        observed = self.resampled.lowest(0, price, high, float(shares[0]))
        others = [self.resampled.highest(s, price, low, float(shares[s])) for s in range(1, len(self.resampled.values))]
        return rank_pvalue(observed, np.array(others), self.is_all)

    def fewest_replaced(self, alpha: float) -> int:
        """The smallest r with p_r > α: fewer replaced rows cannot explain the difference. p_r grows with r."""
        return fewest_replaced(self.pvalue, int(self.resampled.sizes[0]), alpha)


def fewest_replaced(pvalue: Callable[[int], float], most: int, alpha: float) -> int:
    """The smallest r, up to ``most``, with p_r > α, by halving: p_r grows with r."""
    if pvalue(0) > alpha:
        return 0
    rejected, kept = 0, most
    while kept - rejected > 1:
        middle = (rejected + kept) // 2
        rejected, kept = (rejected, middle) if pvalue(middle) > alpha else (middle, kept)
    return kept
