"""The test of a numeric column: RPW on the line, over a grid of prices, in units of the pooled middle half.

With at most 500 rows it is ``two_sample_test(x, y, scale="robust", diameter=1.0)``. Longer columns are compared at
p = 1. With more than 10,000 rows they are rounded first, the observed split and all others alike, so the p-value stays
exact.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from rpw.base.check import Array
from rpw.pair.crossing import Polyline
from rpw.pair.metrics import as_metric
from rpw.pair.question import Question, as_question
from rpw.stats.evidence import Evidence
from rpw.stats.prices import GRID, Prices
from rpw.stats.resampled import Resampled, ground_of, resample, values_of
from rpw.stats.scale import Scales, as_scales
from rpw.stats.splits import Splits
from rpw.stats.tables.rounding import RoundedColumn, RoundedCurves, round_column
from rpw.stats.tables.row import DriftRow, band_of
from rpw.stats.tables.setup import MANY_ROWS, Setup, splits_for

__all__ = ["MOST_AT_P_2", "LineFinding", "LineTest"]

# p = 2 sees a few far rows more clearly: 60 of 20,000, eight standard deviations out, stood out from the splits by 12.3
# of theirs, at p = 1 by 3.1 (8 draws of 40 splits); 3 of 200 by 1.6 and 1.4. Shifts and clumps stood out the same.
# But at p = 2 there is no exact profile if one table has more values than the other. Then 1,000 and 999 values with 50
# far ones in one table took 34 ms a split, and at p = 1 they take 1.6 ms.
MOST_AT_P_2 = 500

_METRIC = as_metric("euclidean")
_SHORT, _LONG = as_question(p=2), as_question(p=1)


@dataclass(frozen=True, eq=False)
class LineFinding:
    """What the page shows of a column beyond its row."""

    row: DriftRow
    excess: float  # by how many standard deviations of the splits the observed one stands out
    k: float
    width: float


@dataclass(frozen=True, eq=False)
class LineTest:
    """A numeric column or one of dates: the present values of the reference, then those of the current table."""

    column: str
    kind: str
    values: Array
    n: int
    present: npt.NDArray[np.bool_]  # which of the pooled rows these are
    note: str = ""
    part: str = "values"

    @cached_property
    def scales(self) -> Scales:
        """The width of the pooled middle half."""
        return as_scales("robust", self.values[:, None])

    @cached_property
    def rounded(self) -> RoundedColumn:
        """The scaled values, on few places if there are many."""
        scaled = self.scales.apply(self.values[:, None])[:, 0]
        if len(scaled) > MANY_ROWS:
            return round_column(scaled)
        places, labels = np.unique(scaled, return_inverse=True)
        return RoundedColumn(places, labels)

    @property
    def m(self) -> int:
        """Values of the current table."""
        return len(self.values) - self.n

    @property
    def question(self) -> Question:
        """Which RPW is asked for."""
        return _LONG if len(self.values) > MOST_AT_P_2 else _SHORT

    @property
    def prices(self) -> Prices:
        """The grid, in units of the width."""
        return Prices(GRID, 1.0, is_fixed=False, scales=self.scales)

    def run(self, setup: Setup, rng: np.random.Generator) -> LineFinding:
        """Of a short column values first; whole profiles only if rows have to have changed."""
        found = self._curves(setup, rng) if self.question is _LONG else self._values(setup, rng)
        values = found.values
        width = 1.0 if self.scales.widths is None else float(self.scales.widths[0])
        medians = _median(self.values[: self.n]), _median(self.values[self.n :])
        if np.isnan(values[0]).any():
            row = DriftRow(
                self.column, self.part, self.kind, pvalue=1.0, n=self.n, m=self.m, note="no time was left",
                median_reference=medians[0], median_current=medians[1],
            )  # fmt: skip
            return LineFinding(row, 0.0, GRID[-1], width)
        evidence = Evidence(self.prices, found, self.splits(setup, rng).is_all)
        price, pvalue = evidence.clearest, evidence.pvalue(0)
        changed: int | None = 0
        if pvalue <= setup.alpha:
            curves = found if self.question is _LONG else self._curves(setup, rng)
            changed = None if setup.is_over else self._changed(curves, evidence.is_all, setup)
        low, high = band_of(values[1:, price])
        distance = float(values[0, price])
        row = DriftRow(
            self.column, self.part, self.kind, distance, low, high, pvalue, changed_at_least=changed, n=self.n,
            m=self.m, note=self.note, p=self.question.p, k=GRID[price], unit=width, median_reference=medians[0],
            median_current=medians[1], n_resamples=len(values) - 1,
            unanswered=int(np.isnan(values[1:]).any(axis=1).sum()),
        )  # fmt: skip
        return LineFinding(row, float(evidence.excess[0, price]), GRID[price], width)

    def splits(self, setup: Setup, rng: np.random.Generator) -> Splits:
        """Random splits of the column, each time the same."""
        places = self.rounded.places[self.rounded.labels]
        return splits_for(places, self.n, setup.groups_of(self.present), setup.n_resamples, copy.deepcopy(rng))

    def _values(self, setup: Setup, rng: np.random.Generator) -> Resampled:
        splits, kappas = self.splits(setup, rng), self.prices.kappas
        values = values_of(
            ground_of(splits.places, _METRIC), splits, self.question, setup.effort, tuple(kappas.tolist())
        )
        return replace(Resampled.nothing(len(splits), kappas), values=values)

    def _curves(self, setup: Setup, rng: np.random.Generator) -> Resampled:
        return resample(self.splits(setup, rng), self.question, _METRIC, self.prices.kappas, setup.effort)

    def _changed(self, curves: Resampled, is_all: bool, setup: Setup) -> int:
        slack = self.rounded.slack(self.n, self.m)
        return Evidence(self.prices, RoundedCurves(**vars(curves), slack=slack), is_all).fewest_replaced(setup.alpha)

    def profiles(self, setup: Setup, rng: np.random.Generator, count: int) -> list[Polyline]:
        """The profile of the observed split, and of some random ones."""
        found = self._curves(replace(setup, n_resamples=count), rng)
        return [found.upper[split] for split in sorted(found.upper)]


def _median(values: Array) -> float:
    """Halves are added, for the sum of two finite numbers may be infinite."""
    middle = np.sort(values)[[(len(values) - 1) // 2, len(values) // 2]]
    return float((middle / 2).sum())
