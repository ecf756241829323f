"""Numbers and dates together: two columns may keep their values and change how they belong to each other.

Rows with a missing value are left out. Of many rows a random sample is compared. Each column is divided by the width of
its pooled middle half.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rpw.base.check import Array
from rpw.base.deadline import TimeLimitError
from rpw.pair.atoms import Ints
from rpw.pair.functions import solve
from rpw.stats.scale import as_scales
from rpw.stats.tables.extent import WIDEST_TOGETHER, extent_of
from rpw.stats.tables.numbers import LineTest
from rpw.stats.tables.row import NO_TIME, DriftRow
from rpw.stats.tables.setup import Setup
from rpw.stats.two_sample import two_sample_test

__all__ = ["JointFinding", "JointTest", "joint_test_of"]

_LEAST_ROWS = 10
_MOST_NAMES = 8  # in the note


@dataclass(frozen=True, eq=False)
class JointFinding:
    """The row, and which columns the plan moves: their share of its cost, and their mean move in their own units."""

    row: DriftRow
    columns: tuple[str, ...] = ()
    shares: Array | None = None
    moves: Array | None = None


def _some(entries: Ints, most: int, rng: np.random.Generator) -> Ints:
    """At most so many of them, in their order."""
    return entries if len(entries) <= most else np.sort(rng.choice(entries, most, replace=False))


@dataclass(frozen=True, eq=False)
class JointTest:
    """The complete rows of the columns of numbers and dates, those of the reference first."""

    columns: tuple[str, ...]
    points: Array
    n: int
    groups: Ints | None
    most_rows: int
    left_out: int
    without: tuple[str, ...] = ()  # columns that are left out, in words

    column, part, kind = "", "together", "number"

    def run(self, setup: Setup, rng: np.random.Generator) -> JointFinding:
        """The two-sample test of a random sample of the rows."""
        x, y, groups = self._sample(rng)
        note = self._note(len(x), len(y))
        empty = DriftRow("", "together", self.kind, n=len(x), m=len(y), note=NO_TIME)
        deadline = setup.effort.deadline
        try:
            result = two_sample_test(
                x, y, scale="robust", n_resamples=setup.n_resamples, rng=rng, groups=groups,
                n_threads=setup.effort.n_threads, progress=lambda done, total: setup.effort.report(done),
                time_limit=deadline.seconds_left if deadline.is_set else None,
            )  # fmt: skip
        except TimeLimitError:
            return JointFinding(empty)
        floor = result.noise_floor
        low, high = (floor.low, floor.high) if floor is not None else (math.nan, math.nan)
        null = np.zeros(0) if result.null_distribution is None else result.null_distribution
        is_small = result.pvalue <= setup.alpha
        changed = result.changed_at_least(1 - setup.alpha) if is_small else 0
        row = DriftRow(
            "", "together", self.kind, result.distance, low, high, result.pvalue, changed_at_least=changed, n=len(x),
            m=len(y), note=note, p=2.0, k=result.kappa, n_resamples=len(null), unanswered=int(np.isnan(null).sum()),
        )  # fmt: skip
        return self._with_moves(row, x, y, result.kappa) if is_small else JointFinding(row)

    def _sample(self, rng: np.random.Generator) -> tuple[Array, Array, tuple[Ints, Ints] | None]:
        """Of each side at most so many rows, in their order; or whole groups that have about so many rows.

        A larger share of the rows of each group in the smaller table would show as a difference between groups.
        """
        sides = np.arange(self.n), np.arange(self.n, len(self.points))
        if self.groups is None:
            x, y = (_some(side, self.most_rows, rng) for side in sides)
            return self.points[x], self.points[y], None
        sizes = np.minimum(np.unique(self.groups, return_counts=True)[1], self.most_rows)
        count = max(2, int(self.most_rows / sizes.mean()))
        x, y = (self._some_groups(side, count, rng) for side in sides)
        return self.points[x], self.points[y], (self.groups[x], self.groups[y])

    def _some_groups(self, side: Ints, count: int, rng: np.random.Generator) -> Ints:
        assert self.groups is not None
        of_row = self.groups[side]
        drawn = _some(np.unique(of_row), count, rng)
        return np.sort(np.concatenate([_some(side[of_row == group], self.most_rows, rng) for group in drawn]))

    def _note(self, n: int, m: int) -> str:
        texts = [f"{len(self.columns)} columns of numbers and dates"]
        if self.left_out:
            texts.append(f"{self.left_out:,} rows with missing values are left out")
        texts += self.without
        if n + m < len(self.points):
            texts.append(f"a random sample of {n:,} and {m:,} rows")
        return "; ".join(texts)

    def _with_moves(self, row: DriftRow, x: Array, y: Array, kappa: float) -> JointFinding:
        """Which columns RPW's plan moves."""
        widths = as_scales("robust", np.concatenate([x, y])).widths
        assert widths is not None
        moved = solve(x / widths, y / widths, p=2, k=1, diameter=kappa).displacement
        return JointFinding(row, self.columns, moved.share, moved.mean * widths)


def _without(columns: list[str], reason: str) -> tuple[str, ...]:
    if not columns:
        return ()
    hidden = len(columns) - _MOST_NAMES
    listed = ", ".join(columns[:_MOST_NAMES]) + (f" and {hidden:,} more" if hidden > 0 else "")
    return (f"without {listed}: {reason}",)


def joint_test_of(
    tests: list[LineTest], rows: tuple[int, int], groups: Ints | None, most_rows: int
) -> JointTest | DriftRow | None:
    """None with fewer than two such columns, for then there is nothing to put together.

    Both tables together decide which columns are left out. So the split has no say in it, and p-values stay exact.
    """
    if len(tests) < 2:
        return None
    sparse = [test.column for test in tests if 2 * np.count_nonzero(~test.present) >= min(rows)]
    wide = [test.column for test in tests if test.column not in sparse and extent_of(test.values) > WIDEST_TOGETHER]
    without = _without(sparse, "values are missing in too many rows") + _without(
        wide, f"values reach farther than {WIDEST_TOGETHER:g} times the width of the middle half"
    )
    tests = [test for test in tests if test.column not in {*sparse, *wide}]
    if len(tests) < 2:
        return DriftRow("", "together", "number", note=f"{'; '.join(without)}, so fewer than two remain")
    points = np.full((sum(rows), len(tests)), np.nan)
    for place, test in enumerate(tests):
        points[test.present, place] = test.values
    is_complete = ~np.isnan(points).any(axis=1)
    n, left_out = int(is_complete[: rows[0]].sum()), int((~is_complete).sum())
    fewest = min(n, int(is_complete.sum()) - n)
    if fewest < _LEAST_ROWS:
        reason = (
            f"one table has only {fewest} rows without missing values in the {len(tests)} columns of numbers and dates"
        )
        return DriftRow("", "together", "number", note=reason, is_counted=True)
    some = None if groups is None else groups[is_complete]
    if some is not None and min(len(np.unique(some[:n])), len(np.unique(some[n:]))) < 2:
        reason = "in one table, all rows without missing values are of one group"
        return DriftRow("", "together", "number", note=reason, is_counted=True)
    return JointTest(tuple(test.column for test in tests), points[is_complete], n, some, most_rows, left_out, without)
