"""When does a fitted exponent agree with a bound Õ(n^r)?

Õ hides powers of log n, so no finite sample can refute it outright. The rule compares the 95 % interval of the exponent
(bootstrap over the repeats) with slopes that are fitted over the same n:

- no: the whole interval lies above the slope of n^r log n;
- yes: the whole interval lies at or below the slope of n^r √log n (a factor from the paper's proof of Lemma A.2), and
  it reaches the slope r of n^r itself;
- consistent: the same, but the whole interval lies above r: only the factor √log n saves the bound;
- open: in all other cases, and if there is no interval.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rpw_paper.base import Array
from rpw_paper.paper.exhibit import CONSISTENT, NO, OPEN, YES, Table, Verdict
from rpw_paper.statistics import exponent_band, fitted_exponent

RULE = (
    "The bound n^r holds up to powers of log n. Judged by the 95 % interval of the fitted exponent (bootstrap over the "
    "repeats). Yes: the interval lies at or below the slope of n^r·√log n over the same n, and reaches r. Consistent: "
    "it lies below that slope, but wholly above r. No: it lies above the slope of n^r·log n. Open: none of these."
)
CAPTION = (
    "Fitted exponents with their 95 % intervals; the exponent of the bound; that of the bound times √log n over the "
    "same n; the spread: the largest repeat over the mean, at the largest n."
)


def slope_with(n: Array, bound: float, power: float) -> float:
    """The slope that n^bound times (log n)^power has over these n."""
    return fitted_exponent(n, n**bound * np.log(n) ** power)


def answer_by_rule(n: Array, bound: float, low: float, high: float) -> str:
    """The rule, for the interval from ``low`` to ``high`` of an exponent fitted over n."""
    if math.isnan(low) or math.isnan(high):
        return OPEN
    if high <= slope_with(n, bound, 0.5):
        return CONSISTENT if low > bound else YES
    return NO if low > slope_with(n, bound, 1) else OPEN


HEADER = ["what", "fitted", "low", "high", "bound", "with_log", "spread", "verdict"]  # with_log: of the bound · √log n


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
        """Half the 95 % interval of the exponent."""
        return exponent_band(self.n, self.values) if len(self.n) > 2 else math.nan

    @property
    def spread(self) -> float:
        """The largest repeat over the mean, at the largest n: how far "with high probability" reaches."""
        last = self.values[-1]
        return float(last.max() / last.mean()) if last.mean() > 0 else math.nan

    def row(self) -> list[object]:
        """What a table says of it; see `HEADER`."""
        fitted, band, with_log = self.fitted, self.band, slope_with(self.n, self.bound, 0.5)
        return [self.what, fitted, fitted - band, fitted + band, self.bound, with_log, self.spread, answer_of(self)]


def tables(found: Sequence[Rate], caption: str) -> list[Table]:
    """What was fitted, with this caption, and every value it was fitted to."""
    values = [
        [rate.what, int(n), repeat, float(value)]
        for rate in found
        for n, row in zip(rate.n, rate.values, strict=True)
        for repeat, value in enumerate(row)
    ]
    return [
        Table("rates", HEADER, [rate.row() for rate in found], caption),
        Table("values", ["what", "n", "repeat", "value"], values),
    ]


def answer_of(rate: Rate) -> str:
    """By the rule above."""
    return answer_by_rule(rate.n, rate.bound, rate.fitted - rate.band, rate.fitted + rate.band)


def verdict(rate: Rate) -> Verdict:
    """The statement that the quantity is Õ(n^bound)."""
    return verdict_from(rate.what, rate.n, rate.bound, rate.fitted, rate.band)


def verdict_from(what: str, n: Array, bound: float, fitted: float, band: float) -> Verdict:
    """The same, from what was fitted over n, with half of its 95 % interval."""
    found = f"n^({fitted:.3f})" if math.isnan(band) else f"n^({fitted:.3f} ± {band:.3f})"
    answer = answer_by_rule(n, bound, fitted - band, fitted + band)
    return Verdict(f"{what}: at most about n^({bound:.3f})", found, answer)
