"""The test of categories: the total variation distance, which is RPW at k = 0.

A replaced row changes it by at most 1/n or 1/m, so T - s and T + s bound it after a share s was replaced.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rpw.base.check import Array
from rpw.stats.evidence import Evidence
from rpw.stats.prices import Prices
from rpw.stats.resampled import Values
from rpw.stats.splits import Splits
from rpw.stats.tables.row import DriftRow, band_of
from rpw.stats.tables.setup import Setup, splits_for

__all__ = ["CategoryTest", "total_variation"]

_MOST_LABELS = 2048  # the rarest beyond are one category
_ENTRIES_AT_ONCE = 2_000_000


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
        values = total_variation(splits)
        setup.effort.report(len(splits))
        prices = Prices((0.0,), 1.0, is_fixed=True)
        evidence = Evidence(prices, splits, Values(values[:, None], np.zeros(1)))
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


def total_variation(splits: Splits) -> Array:
    """Half the sum of |share in one sample - share in the other|, of every split."""
    found = []
    step = max(1, _ENTRIES_AT_ONCE // len(splits.pooled))
    for start in range(0, len(splits), step):
        first = splits.first[start : start + step].astype(np.float64)
        second = splits.pooled - first
        apart = first / first.sum(axis=1, keepdims=True) - second / second.sum(axis=1, keepdims=True)
        found.append(np.abs(apart).sum(axis=1) / 2)
    return np.concatenate(found)


def _with_rare_ones_merged(codes: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], bool]:
    """By the pooled counts, so no table has a say in what is rare."""
    counts = np.bincount(codes)
    if len(counts) <= _MOST_LABELS:
        return codes, False
    kept = np.argsort(-counts, kind="stable")[: _MOST_LABELS - 1]
    place = np.full(len(counts), _MOST_LABELS - 1)
    place[kept] = np.arange(len(kept))
    return place[codes], True
