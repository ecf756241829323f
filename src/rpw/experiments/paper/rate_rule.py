"""When does a fitted exponent agree with a bound Õ(n^r)?

Õ hides powers of log n, so that no finite sample can refute it outright. The rule, with the 95 % interval of the
exponent (bootstrap over the repeats) and slopes that are fitted over the same n:

- yes: the whole interval lies at or below the slope of n^r √log n (the paper's proof of Lemma A.2 has this factor);
- no: the whole interval lies above the slope of n^r log n;
- not decided: else, and where there is no interval.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rpw.base.check import Array
from rpw.experiments.paper.exhibit import NO, OPEN, YES, Table, Verdict
from rpw.experiments.statistics import exponent_band, fitted_exponent

__all__ = ["RULE", "Rate", "answer_of", "header", "tables", "verdict"]

RULE = (
    "The bound holds up to powers of log n. Yes: the whole 95 % interval of the fitted exponent (bootstrap over the "
    "repeats) lies at or below the slope of the bound times √log n over the same n. No: it lies above the slope of the "
    "bound times log n. Else not decided."
)


@dataclass(frozen=True, eq=False)
class Rate:
    """Values (sizes, repeats) of one quantity over n, beside the exponent r of its bound."""

    what: str
    n: Array
    values: Array
    bound: float

    @property
    def fitted(self) -> float:
        """The exponent of the means."""
        means = self.values.mean(axis=1)
        return fitted_exponent(self.n, means) if len(self.n) > 1 and (means > 0).all() else math.nan

    @property
    def band(self) -> float:
        """Half its 95 % interval."""
        return exponent_band(self.n, self.values) if len(self.n) > 2 else math.nan

    def slope_with(self, power: float) -> float:
        """The slope that the bound times (log n)^power has over the same n."""
        return fitted_exponent(self.n, self.n**self.bound * np.log(self.n) ** power)

    @property
    def spread(self) -> float:
        """The largest repeat over the mean, at the largest n: what "with high probability" is about."""
        last = self.values[-1]
        return float(last.max() / last.mean()) if last.mean() > 0 else math.nan

    def row(self) -> list[object]:
        """What a table says of it; see `header`."""
        band = self.band
        interval = [self.fitted - band, self.fitted + band]
        return [self.what, self.fitted, *interval, self.bound, self.slope_with(0.5), self.spread, answer_of(self)]


def header() -> list[str]:
    """The columns of `Rate.row`; ``with_log`` is the slope of the bound times √log n."""
    return ["what", "fitted", "low", "high", "bound", "with_log", "spread", "verdict"]


def tables(found: Sequence[Rate], caption: str) -> list[Table]:
    """What was fitted, with this caption, and every value it was fitted to."""
    values = [
        [rate.what, int(n), repeat, float(value)]
        for rate in found
        for n, row in zip(rate.n, rate.values, strict=True)
        for repeat, value in enumerate(row)
    ]
    return [
        Table("rates", header(), [rate.row() for rate in found], caption),
        Table("values", ["what", "n", "repeat", "value"], values),
    ]


def answer_of(rate: Rate) -> str:
    """By the rule above."""
    fitted, band = rate.fitted, rate.band
    if math.isnan(band):
        return OPEN
    if fitted + band <= rate.slope_with(0.5):
        return YES
    return NO if fitted - band > rate.slope_with(1) else OPEN


def verdict(rate: Rate) -> Verdict:
    """The statement that the quantity is Õ(n^bound)."""
    found = f"n^({rate.fitted:.3f} ± {rate.band:.3f})" if not math.isnan(rate.band) else f"n^({rate.fitted:.3f})"
    return Verdict(f"{rate.what}: at most about n^({rate.bound:.3f})", found, answer_of(rate))
