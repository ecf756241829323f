"""Runs the tests of a comparison: all of them on few random splits, and on many those that these leave open.

With many tests, Holm's correction needs p-values so small that only many splits can give them. Most columns have not
changed, and a few splits show it: a test ends there if they give p > α (docs/proofs/statistics.md, "Two stages").
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from rpw.base.progress import progress_bar
from rpw.base.spelling import name_of
from rpw.base.warn import warn_caller
from rpw.stats.tables.columns import ColumnTest
from rpw.stats.tables.joint import JointFinding, JointTest
from rpw.stats.tables.numbers import LineFinding
from rpw.stats.tables.row import NO_TIME, DriftRow
from rpw.stats.tables.setup import Setup

__all__ = ["Finding", "Test", "findings_of", "rng_of", "row_of"]

Test = ColumnTest | JointTest
Finding = DriftRow | LineFinding | JointFinding

_BEFORE_WORDS, _LONG = 3.0, 120.0  # seconds


def findings_of(
    every: Sequence[Test | DriftRow], counts: Sequence[int], setup: Setup, seed: int, report: progress_bar
) -> list[Finding]:
    """What every test gave, on ``counts`` of random splits; rows without a test stay what they are."""
    tests = {place: each for place, each in enumerate(every) if not isinstance(each, DriftRow)}
    findings: dict[int, Finding] = {}
    start, is_told = time.monotonic(), setup.effort.deadline.is_set
    for stage, count in enumerate(counts):
        for number, (place, test) in enumerate(tests.items(), 1):
            before = report.done
            if stage == 0 or row_of(findings[place]).pvalue <= setup.alpha:
                effort = replace(setup.effort, report=_after(report, before))
                again = replace(setup, n_resamples=count, effort=effort)
                findings[place] = _run(test, again, rng_of(test, seed, stage))
            report(before + count + 1)
            seconds = time.monotonic() - start
            if not is_told and seconds > _BEFORE_WORDS:
                is_told = True
                _warn_of_cost(seconds / number, len(tests), counts, setup.alpha)
    return [each if isinstance(each, DriftRow) else findings[place] for place, each in enumerate(every)]


def _after(report: progress_bar, done: int) -> Callable[[int], object]:
    return lambda more: report(done + more)


def rng_of(test: Test, seed: int, stage: int) -> np.random.Generator:
    """By the name of the column, so that no other column has a say in its random splits."""
    return np.random.default_rng([seed, stage, *f"{test.column}\0{test.part}".encode("utf-8", "surrogatepass")])


def row_of(finding: Finding) -> DriftRow:
    """The row of a test, whatever else it found."""
    return finding if isinstance(finding, DriftRow) else finding.row


def _run(test: Test, setup: Setup, rng: np.random.Generator) -> Finding:
    """A row that says so if no time was left: for the observed split, or for any other."""
    part = "not compared" if test.part == "values" else test.part
    count = setup.n_resamples
    nothing = DriftRow(test.column, part, test.kind, note=NO_TIME, n_resamples=count, unanswered=count)
    if setup.is_over:
        return nothing
    found = test.run(setup, rng)
    row = row_of(found)
    has_none = row.note == NO_TIME or (row.is_test and np.isnan(row.distance + row.floor_low))
    return nothing if has_none else found


def _warn_of_cost(each: float, tests: int, counts: Sequence[int], alpha: float) -> None:
    """Of tests that find nothing, a share of α is made again."""
    again = each * (counts[1] + 1) / (counts[0] + 1) if len(counts) > 1 else 0.0
    seconds = tests * (each + alpha * again)
    if seconds < _LONG:
        return
    more = f" if nothing has drifted, and {_words_of(again)} more for each column that has" if again else ""
    warn_caller(
        f"{tests:,} test{'s' * (tests != 1)} of {counts[0]:,} random splits will take about "
        f"{_words_of(seconds)}{more}: name fewer columns, draw fewer rows, or pass {name_of('time_limit')}",
        about="the cost of rpw.stats.drift",
    )


def _words_of(seconds: float) -> str:
    if seconds < 100:
        return f"{max(1.0, seconds):.0f} s"
    return f"{seconds / 60:.0f} minutes" if seconds < 100 * 60 else f"{seconds / 3600:.0f} hours"
