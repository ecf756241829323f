"""The test of a share: are missing values, or texts among numbers, as frequent in both tables?

It is exact, without random splits. With M of N pooled rows marked, the number X among n rows of a split is
hypergeometric. The statistic is the total variation distance T(X) = |X/n - (M - X)/m|, and allowing for r replaced
rows, s = r / min(n, m),

    p_r = P(T(X) + s ≥ T(observed) - s).

If rows belong to groups, whole groups change sides, and the test is that of a column of two categories.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rpw.base.check import Array
from rpw.stats.evidence import fewest_replaced
from rpw.stats.tables.categories import CategoryTest
from rpw.stats.tables.row import DriftRow
from rpw.stats.tables.setup import Setup

__all__ = ["ShareTest"]

_TIE = 1e-12


@dataclass(frozen=True, eq=False)
class ShareTest:
    """Which of the pooled rows are marked, those of the reference first, and what such rows are called."""

    column: str
    kind: str
    marked: npt.NDArray[np.bool_]
    n: int
    what: str = "missing"

    @property
    def part(self) -> str:
        """As rows of results name it."""
        return self.what if self.what == "missing" else f"share of {self.what}"

    @property
    def labels(self) -> npt.NDArray[np.str_]:
        """What rows without and with the mark are called."""
        return np.array(["present" if self.what == "missing" else "other rows", self.what])

    @property
    def m(self) -> int:
        """Rows of the current table."""
        return len(self.marked) - self.n

    def run(self, setup: Setup, rng: np.random.Generator) -> DriftRow:
        """Exactly, or with groups by random splits."""
        here, there = int(self.marked[: self.n].sum()), int(self.marked[self.n :].sum())
        note = f"{self.what} in {here:,} of {self.n:,} and in {there:,} of {self.m:,} rows"
        if setup.groups is not None:
            everything = np.ones(len(self.marked), dtype=np.bool_)
            codes = self.marked.astype(np.int64)
            return CategoryTest(self.column, self.kind, self.labels, codes, self.n, everything, self.part, note).run(
                setup, rng
            )
        values, chances = self._null(here + there)
        setup.effort.report(setup.n_resamples + 1)
        observed = abs(here / self.n - there / self.m)
        low, high = (float(_quantile(values, chances, level)) for level in (0.05, 0.95))
        smaller = min(self.n, self.m)
        changed = fewest_replaced(lambda r: _pvalue(observed, values, chances, r / smaller), smaller, setup.alpha)
        return DriftRow(
            self.column, self.part, self.kind, observed, low, high, _pvalue(observed, values, chances, 0.0),
            changed_at_least=changed, n=self.n, m=self.m, note=note, k=0.0,
        )  # fmt: skip

    def _null(self, total: int) -> tuple[Array, Array]:
        """What the statistic can be, and the chance of each."""
        from scipy.stats import hypergeom  # its import takes a third of a second

        among = np.arange(max(0, total - self.m), min(self.n, total) + 1)
        chances = hypergeom.pmf(among, len(self.marked), total, self.n)
        return np.abs(among / self.n - (total - among) / self.m), np.asarray(chances)


def _pvalue(observed: float, values: Array, chances: Array, share: float) -> float:
    return min(1.0, float(chances[values + share >= observed - share - _TIE].sum()))


def _quantile(values: Array, chances: Array, level: float) -> float:
    order = np.argsort(values, kind="stable")
    place = int(np.searchsorted(chances[order].cumsum(), level))
    return float(values[order][min(place, len(values) - 1)])
