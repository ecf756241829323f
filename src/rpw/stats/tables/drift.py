"""Has the data changed? Two tables, column by column and all together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rpw.base import check
from rpw.base.deadline import TimeLimitError, deadline_after
from rpw.base.progress import Progress, progress_bar
from rpw.base.shared_docs import documented
from rpw.base.spelling import name_of, setting
from rpw.base.threads import as_n_threads
from rpw.io.delimited import TextRules
from rpw.io.typed_tables import TypedTable
from rpw.stats.resampled import Effort
from rpw.stats.samples import as_rng
from rpw.stats.splits import as_groups
from rpw.stats.tables.columns import tests_of
from rpw.stats.tables.glance import glance_at
from rpw.stats.tables.holm import holm, least_resamples, usual_resamples
from rpw.stats.tables.joint import JointFinding, joint_test_of
from rpw.stats.tables.numbers import LineFinding, LineTest
from rpw.stats.tables.result import DriftResult
from rpw.stats.tables.row import DriftRow
from rpw.stats.tables.setup import Setup
from rpw.stats.tables.stages import Test, findings_of, row_of
from rpw.stats.tables.tables import as_typed_table, text_of_label
from rpw.stats.tables.worst import worst_column

__all__ = ["drift"]

_USUAL_RESAMPLES = 399  # if fewer would do: a p-value from forty splits varies too much
_MOST_RESAMPLES = 1_000_000  # a column of 1,000 rows then needs a gigabyte


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

    A text is what it spells, whatever the table comes from: "12.50" is a number, "2024-01-02" a date, "NA" missing. If
    a column has numbers, dates and texts, each is compared by itself, and the share of each rarer type has a test.

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
        Random splits for each test. By default 399; and if these leave open whether a column has drifted, as many more
        as the number of tests needs.
    rng : int or numpy.random.Generator, optional
        Seed or generator of the random splits, and of the sample for the joint test.
    %(groups)s
    most_joint_rows : int, default 500
        At most this many rows of each table are drawn for the joint test of all numbers and dates, at least 2; 0 skips
        that test. With ``groups``, whole groups are drawn, of about so many rows together.
    %(n_threads)s
    %(progress splits)s
    time_limit : float, optional
        Seconds. Splits without an answer by then count as if they were farther apart than the observed one. Each row
        says how many there are. ``result.unanswered`` names the tests that had no time to find out.

    Returns
    -------
    DriftResult
        A row for each test. ``print(result)`` says in words which columns have drifted.

    Raises
    ------
    TimeLimitError
        If ``time_limit`` passes before any test has an answer.

    Warns
    -----
    UserWarning
        In the first seconds, if all tests will take more than two minutes, and there is no ``time_limit``.

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
    lines = [each for each in planned if isinstance(each, LineTest) and each.part == "values"]
    joint = joint_test_of(lines, sizes, of_row, most) if most else None
    every: list[Test | DriftRow] = [*planned, *([] if joint is None else [joint])]
    tests = sum(not isinstance(each, DriftRow) for each in every)
    family = tests + sum(isinstance(each, DriftRow) and each.is_counted for each in every)
    counts = _as_counts(given, family, level)
    setup = Setup(level, counts[-1], Effort("cpu", threads, deadline, lambda done: None), of_row)
    seed = int(generator.integers(2**63))
    with progress_bar(tests * sum(count + 1 for count in counts), progress, unit="split") as report:
        findings = findings_of(every, counts, setup, seed, report)
    worst = worst_column(
        [
            (test, found)
            for test, found in zip(every, findings, strict=True)
            if isinstance(test, LineTest) and isinstance(found, LineFinding)
        ],
        sizes[0], setup, seed,
    )  # fmt: skip
    rows = _judged([row_of(each) for each in findings], level)
    if any(row.is_unanswered for row in rows) and not any(row.is_test for row in rows):
        raise TimeLimitError
    glances = {
        row.name: glance_at(test)
        for row, test in zip(rows, planned, strict=False)
        if row.is_test and not isinstance(test, DriftRow)
    }
    together = next((each for each in findings if isinstance(each, JointFinding)), None)
    return DriftResult(rows, level, counts[-1], *sizes, glances, worst, together)


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
        raise ValueError(f"{name_of('columns')} is empty: name one column at least, or leave it out for all of them")
    excluded = set(() if exclude is None else _names(exclude, "exclude", known))
    left = [name for name in chosen if name not in excluded]
    if not left:
        raise ValueError(f"{name_of('exclude')} has every column: none is left to compare")
    return left


def _names(given: Any, argument: str, known: list[str]) -> list[str]:
    """The names of columns as texts, each once."""
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise ValueError(f"{argument} must be a list of names, got {given!r}")
    found, names = {text_of_label(name): name for name in given}, set(known)
    for text, name in found.items():
        if text not in names:
            raise ValueError(
                f"{name_of(argument)} has {name!r}, which is in neither table; they have {', '.join(known[:12])}"
            )
    return list(found)


def _as_counts(given: int | None, tests: int, alpha: float) -> list[int]:
    """How many random splits, stage by stage."""
    least, usual = least_resamples(tests, alpha), usual_resamples(tests, alpha)
    if given is None:
        if usual > _MOST_RESAMPLES:
            raise ValueError(
                f"{setting('alpha', alpha)} with {tests:,} test{'s' * (tests != 1)} needs {usual:.3g} random splits "
                f"for each, and at most {_MOST_RESAMPLES:,} are drawn: pass a larger alpha, or fewer columns"
            )
        return [_USUAL_RESAMPLES, usual] if usual > _USUAL_RESAMPLES else [_USUAL_RESAMPLES]
    if given > _MOST_RESAMPLES:
        raise ValueError(f"{name_of('n_resamples')} must be at most {_MOST_RESAMPLES:,}, got {given:,}")
    if given < least:
        level = tests / (given + 1)
        raise ValueError(
            f"{setting('n_resamples', given)} is too few for {tests} tests at {setting('alpha', alpha)}: "
            f"no adjusted p-value can be below {min(level, 1.0):.3g}; pass at least {least}, or leave it out"
            + (f", or pass {setting('alpha', math.ceil(1000 * level) / 1000)}" if level < 0.999 else "")
        )
    return [given]


def _judged(rows: list[DriftRow], alpha: float) -> tuple[DriftRow, ...]:
    """With adjusted p-values. What has no answer counts as p = 1, so time and chance do not choose the family."""
    tested = [place for place, row in enumerate(rows) if row.is_test]
    others = sum(not row.is_test and (row.is_counted or row.is_unanswered) for row in rows)
    adjusted = holm(np.array([rows[place].pvalue for place in tested] + [1.0] * others))
    for place, each in zip(tested, adjusted.tolist(), strict=False):
        rows[place] = replace(rows[place], adjusted=each, is_drifted=each <= alpha)
    return tuple(rows)
