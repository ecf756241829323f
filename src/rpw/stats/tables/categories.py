"""The test of categories: the total variation distance, which is RPW at k = 0.

A replaced row changes it by at most 1/n or 1/m, so T - s and T + s bound it after a share s was replaced.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rpw.base.check import Array
from rpw.pair.atoms import Ints
from rpw.stats.evidence import Evidence
from rpw.stats.prices import Prices
from rpw.stats.resampled import Effort, Resampled
from rpw.stats.splits import Splits
from rpw.stats.tables.row import DriftRow, band_of
from rpw.stats.tables.setup import Setup, splits_for

__all__ = ["CategoryTest", "total_variation"]

_MOST_LABELS = 2048  # the rarest beyond are one category
_AT_ONCE = 256  # splits


@dataclass(frozen=True, eq=False)
class CategoryTest:
    """A column of categories, by the numbers of its labels: those of the reference first."""

    column: str
    kind: str
    labels: npt.NDArray[Any]  # all that occur, in order
    codes: npt.NDArray[np.int64]  # the label of each present row
    n: int
    present: npt.NDArray[np.bool_]
    part: str = "values"
    note: str = ""

    @property
    def m(self) -> int:
        """Entries of the current table."""
        return len(self.codes) - self.n

    def run(self, setup: Setup, rng: np.random.Generator) -> DriftRow:
        """Rank the observed split among random ones."""
        codes, is_merged = _with_rare_ones_merged(self.codes)
        splits = splits_for(codes.astype(np.float64), self.n, setup.groups_of(self.present), setup.n_resamples, rng)
        values, sizes = total_variation(splits, setup.effort)
        prices = Prices((0.0,), 1.0, is_fixed=True)
        evidence = Evidence(prices, Resampled(values[:, None], np.zeros(1), sizes), splits.is_all)
        notes = [self.note] if self.note else []
        if is_merged:
            notes.append(f"the rarest of {len(self.labels):,} categories are counted as one")
        elif 2 * len(self.labels) > len(codes):
            notes.append("most entries occur once, so only large changes of the frequent ones show")
        low, high = band_of(values[1:])
        return DriftRow(
            self.column, self.part, self.kind, float(values[0]), low, high, evidence.pvalue(0),
            changed_at_least=None if is_merged else evidence.fewest_replaced(setup.alpha), n=self.n, m=self.m,
            note="; ".join(notes), k=0.0, n_resamples=len(values) - 1, unanswered=int(np.isnan(values[1:]).sum()),
        )  # fmt: skip


def total_variation(splits: Splits, effort: Effort) -> tuple[Array, Ints]:
    """Half the sum of |share in one sample - share in the other|, of every split; NaN for those that had no time.

    And the smaller sample of each split.
    """
    values, sizes = np.full(len(splits), np.nan), np.ones(len(splits), dtype=np.int64)
    for start, block in splits.blocks(_AT_ONCE, effort.deadline):
        of_first, of_second = block.shares()
        here = slice(start, start + len(block))
        values[here], sizes[here] = np.abs(of_first - of_second).sum(axis=1) / 2, block.sizes
        effort.report(start + len(block))
    return values, sizes


def _with_rare_ones_merged(codes: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], bool]:
    """By the pooled counts, so no table has a say in what is rare."""
    counts = np.bincount(codes)
    if len(counts) <= _MOST_LABELS:
        return codes, False
    kept = np.argsort(-counts, kind="stable")[: _MOST_LABELS - 1]
    place = np.full(len(counts), _MOST_LABELS - 1)
    place[kept] = np.arange(len(kept))
    return place[codes], True
