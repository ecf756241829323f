"""Has the data changed? Two tables, column by column and all together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rpw.base import check
from rpw.base.deadline import TimeLimitError, deadline_after
from rpw.base.progress import Progress, progress_bar
from rpw.base.shared_docs import documented
from rpw.base.threads import as_n_threads
from rpw.io.delimited import TextRules
from rpw.io.typed_tables import TypedTable
from rpw.stats.resampled import Effort
from rpw.stats.samples import as_rng
from rpw.stats.splits import as_groups
from rpw.stats.tables.columns import ColumnTest, tests_of
from rpw.stats.tables.glance import glance_at
from rpw.stats.tables.holm import holm, least_resamples
from rpw.stats.tables.joint import JointFinding, JointTest, joint_test_of
from rpw.stats.tables.missing import MissingTest
from rpw.stats.tables.numbers import LineFinding, LineTest
from rpw.stats.tables.result import DriftResult
from rpw.stats.tables.row import NO_TIME, DriftRow
from rpw.stats.tables.setup import Setup
from rpw.stats.tables.tables import as_typed_table, text_of_label
from rpw.stats.tables.worst import worst_column

__all__ = ["drift"]

_USUAL_RESAMPLES = 399  # if fewer would do: a p-value from forty splits varies too much
_MOST_RESAMPLES = 1_000_000  # a column of 1,000 rows then needs a gigabyte

_Test = ColumnTest | JointTest
_Finding = DriftRow | LineFinding | JointFinding


@documented
def drift(
    reference: Any,
    current: Any,
    columns: Sequence[Any] | None = None,
    *,
    exclude: Sequence[Any] | None = None,
    decimal: str | None = None,
    header: bool | None = None,
    alpha: float = 0.05,
    n_resamples: int | None = None,
    rng: Any = None,
    groups: Any = None,
    most_joint_rows: int = 500,
    n_threads: int | None = None,
    progress: Progress = False,
    time_limit: float | None = None,
) -> DriftResult:
    """Find out which columns of a table have changed.

    Numbers and dates are compared by RPW, at several values of k. Each column is first divided by its interquartile
    range (the width of its middle half), over both tables. Categories and booleans are compared by total variation.
    The share of missing values has a test of its own. All numbers and dates are also compared together.

    If nothing has changed, the chance that any column is called drifted is at most ``alpha``: Holm's correction covers
    all tests.

    Rows must be independent. Repeated rows of one customer, or rows that follow each other in time, make every p-value
    too small; ``groups`` keeps such rows together.

    Parameters
    ----------
    reference, current : table or path
        The two tables. DataFrames of pandas or polars and tables of PyArrow need ``rpw[tables]``; a dict of arrays or a
        2-d array needs nothing. A path is a CSV, TSV or Parquet file. Columns are matched by name. A name that is no
        text counts as its text: the columns 0 and 1 of a DataFrame, or of an array, are called "0" and "1".
    columns : sequence of names, optional
        Which columns to compare; all by default. ``[0]`` and ``["0"]`` select the same column.
    exclude : sequence of names, optional
        Columns to leave out, such as a time stamp.
    %(text_rules)s
    alpha : float, default 0.05
        The chance of even one false alarm.
    n_resamples : int, optional
        Random splits for each test. By default 399, or more if there are many tests.
    rng : int or numpy.random.Generator, optional
        Seed or generator of the random splits, and of the sample for the joint test.
    %(groups)s
    most_joint_rows : int, default 500
        At most this many rows of each table are drawn for the joint test of all numbers and dates, at least 2; 0 skips
        that test.
    %(n_threads)s
    %(progress splits)s
    time_limit : float, optional
        Seconds. Splits without an answer by then count as if they were farther apart than the observed one. Tests
        without an answer have a row that says so.

    Returns
    -------
    DriftResult
        A row for each test. ``print(result)`` says in words which columns have drifted.

    Raises
    ------
    TimeLimitError
        If ``time_limit`` passes before any test has an answer.

    See Also
    --------
    rpw.stats.two_sample_test : One test of whole rows.

    Examples
    --------
    People have become older; the cities are the same:

    >>> import numpy as np
    >>> import rpw
    >>> rng = np.random.default_rng(0)
    >>> before = {"age": rng.normal(40, 10, 300), "city": rng.choice(["Graz", "Linz"], 300)}
    >>> after = {"age": rng.normal(47, 10, 300), "city": rng.choice(["Graz", "Linz"], 300)}
    >>> print(rpw.stats.drift(before, after, rng=0))
    1 of 2 columns has drifted: age.
    """
    deadline = deadline_after(time_limit)
    level = check.as_number(alpha, "alpha")
    if not 0 < level < 1:
        raise ValueError(f"alpha must lie between 0 and 1, got {level}")
    check.check_progress(progress)
    threads, generator = as_n_threads(n_threads), as_rng(rng)
    most = _as_most_rows(most_joint_rows)
    given = None if n_resamples is None else check.as_whole(n_resamples, "n_resamples", 1)
    rules = TextRules(decimal, header)
    tables = (as_typed_table(reference, "reference", rules), as_typed_table(current, "current", rules))
    sizes = (_rows(tables[0]), _rows(tables[1]))
    of_row = as_groups(groups, *sizes)
    planned = [each for name in _chosen(columns, exclude, *tables) for each in tests_of(name, *tables, of_row)]
    lines = [each for each in planned if isinstance(each, LineTest)]
    joint = joint_test_of(lines, sizes, of_row, most) if most else None
    every: list[_Test | DriftRow] = [*planned, *([] if joint is None else [joint])]
    tests = sum(not isinstance(each, DriftRow) for each in every)
    splits = _as_n_resamples(given, tests, level)
    seeds = generator.integers(2**63, size=len(every) + 1)
    findings: list[_Finding] = []
    with progress_bar(tests * (splits + 1), progress, unit="split") as report:
        for test, seed in zip(every, seeds, strict=False):
            effort = Effort("cpu", threads, deadline, _after(report, report.done))
            setup = Setup(level, splits, effort, of_row)
            findings.append(test if isinstance(test, DriftRow) else _run(test, setup, np.random.default_rng(seed)))
    quiet = Setup(level, splits, Effort("cpu", threads, deadline, lambda done: None), of_row)
    answered = [each for each in zip(every, findings, strict=True) if isinstance(each[1], LineFinding)]
    worst = worst_column(
        [test for test, _ in answered if isinstance(test, LineTest)],
        [found for _, found in answered if isinstance(found, LineFinding)], sizes[0], quiet,
        np.random.default_rng(seeds[-1]),
    )  # fmt: skip
    rows = _judged([each if isinstance(each, DriftRow) else each.row for each in findings], level)
    if any(row.is_unanswered for row in rows) and not any(row.is_test for row in rows):
        raise TimeLimitError
    glances = {
        row.name: glance_at(test)
        for row, test in zip(rows, planned, strict=False)
        if row.is_test and not isinstance(test, DriftRow)
    }
    together = next((each for each in findings if isinstance(each, JointFinding)), None)
    return DriftResult(rows, level, splits, *sizes, glances, worst, together)


def _run(test: _Test, setup: Setup, rng: np.random.Generator) -> _Finding:
    """A row that says so if no time was left: for the observed split, or for any other."""
    nothing = _unanswered(test)
    if setup.is_over:
        return nothing
    found = test.run(setup, rng)
    row = found if isinstance(found, DriftRow) else found.row
    return nothing if row.is_test and (np.isnan(row.distance) or np.isnan(row.floor_low)) else found


def _unanswered(test: _Test) -> DriftRow:
    if isinstance(test, JointTest):
        return DriftRow("", "together", test.kind, note=NO_TIME)
    return DriftRow(
        test.column, "missing" if isinstance(test, MissingTest) else "not compared", test.kind, note=NO_TIME
    )


def _as_most_rows(value: Any) -> int:
    most = check.as_whole(value, "most_joint_rows", 0)
    if most == 1:
        raise ValueError("most_joint_rows must be at least 2, for a test needs 2 rows of each table, or 0; got 1")
    return most


def _rows(table: TypedTable) -> int:
    return len(next(iter(table.values())))


def _chosen(columns: Any, exclude: Any, reference: TypedTable, current: TypedTable) -> list[str]:
    """The columns to compare: those of the reference in their order, then those of the current table alone."""
    known = list(dict.fromkeys([*reference, *current]))
    chosen = known if columns is None else _names(columns, "columns", known)
    if not chosen:
        raise ValueError("columns is empty: name one column at least, or leave it out for all of them")
    excluded = set(() if exclude is None else _names(exclude, "exclude", known))
    left = [name for name in chosen if name not in excluded]
    if not left:
        raise ValueError("exclude has every column: none is left to compare")
    return left


def _names(given: Any, argument: str, known: list[str]) -> list[str]:
    """The names of columns as texts, each once."""
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise ValueError(f"{argument} must be a list of names, got {given!r}")
    found, names = {text_of_label(name): name for name in given}, set(known)
    for text, name in found.items():
        if text not in names:
            raise ValueError(f"{argument} has {name!r}, which is in neither table; they have {', '.join(known[:12])}")
    return list(found)


def _as_n_resamples(given: int | None, tests: int, alpha: float) -> int:
    least = least_resamples(tests, alpha)
    if least > _MOST_RESAMPLES:
        raise ValueError(
            f"alpha={alpha:g} with {tests:,} test{'s' * (tests != 1)} needs {least:.3g} random splits for each, "
            f"and at most {_MOST_RESAMPLES:,} are drawn: pass a larger alpha, or fewer columns"
        )
    if given is None:
        return max(_USUAL_RESAMPLES, least)
    if given > _MOST_RESAMPLES:
        raise ValueError(f"n_resamples must be at most {_MOST_RESAMPLES:,}, got {given:,}")
    if given < least:
        raise ValueError(
            f"n_resamples={given} is too few for {tests} tests at alpha={alpha:g}: Holm's correction "
            f"could hardly reject any of them; pass at least {least}, or leave it out"
        )
    return given


def _after(report: Any, done: int) -> Any:
    return lambda more: report(done + more)


def _judged(rows: list[DriftRow], alpha: float) -> tuple[DriftRow, ...]:
    """With adjusted p-values. Tests without an answer count as p = 1, so that time has no say in the others."""
    tested = [place for place, row in enumerate(rows) if row.is_test]
    unanswered = sum(row.is_unanswered for row in rows)
    adjusted = holm(np.array([rows[place].pvalue for place in tested] + [1.0] * unanswered))
    for place, each in zip(tested, adjusted.tolist(), strict=False):
        rows[place] = replace(rows[place], adjusted=each, is_drifted=each <= alpha)
    return tuple(rows)
