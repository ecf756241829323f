"""``rpw drift REF CUR``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import rpw
from rpw.cli._command import command
from rpw.cli._files import PAGES, check_target
from rpw.cli._options import OF_TABLES, argument, file, one_of
from rpw.cli._print import Answer, Table, bar
from rpw.pair.options import OPTIONS

__all__ = ["drift"]

HAS_DRIFTED = 3  # an exit code of its own, so that pipelines can distinguish it from a failure
NO_TIME = 1
_MOST_ROWS, _MOST_REASONS = 24, 5


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")]


@command(
    "Compare two files",
    "rpw drift before.csv after.csv",
    "rpw drift before.csv after.csv --columns age,city",
    "rpw drift before.csv after.csv --exclude time",
    "rpw drift before.csv after.csv --out drift.html",
    "rpw drift before.csv after.csv --fail-on any",
    reference=argument("REF", "The reference: a CSV, TSV or Parquet file with names of columns."),
    current=argument("CUR", "The current data: also a CSV, TSV or Parquet file."),
    columns=replace(OF_TABLES["columns"], sentence="Columns to compare.", metavar="NAME[,NAME...]", check=_names),
    exclude=replace(
        OF_TABLES["exclude"],
        sentence="Columns to leave out, such as a time stamp.",
        metavar="NAME[,NAME...]",
        check=_names,
    ),
    decimal=OF_TABLES["decimal"],
    header=OF_TABLES["header"],
    out=file("Also write a page that needs no network.", "FILE.html"),
    fail_on=one_of(
        ("drift", "any"),
        f"drift: exit with code {HAS_DRIFTED} if something has drifted, and with {NO_TIME} if nothing has, and there "
        "was no time to finish a test, or nothing to compare. any: exit with "
        f"{HAS_DRIFTED} then, and if a column could not be compared.",
    ),
    time_limit=replace(
        OPTIONS["time_limit"],
        sentence="Stop after this many seconds. Random splits that are not solved by then count as if they were "
        "farther apart than the tables.",
    ),
)
def drift(
    reference: Path, current: Path, columns: list[str] | None, exclude: list[str] | None, decimal: str | None,
    header: bool | None, alpha: float, n_resamples: int | None, seed: int, out: Path | None, fail_on: str | None,
    time_limit: float | None, n_threads: int | None, as_json: bool,
) -> Answer:  # fmt: skip
    """Has the data changed? Two tables, column by column and all together.

    Each column is tested: numbers, dates and categories. All numbers and dates are also tested together.
    """
    check_target("--out", out, [reference, current], PAGES)
    with bar(as_json, "random splits") as progress:
        result = rpw.stats.drift(
            reference, current, columns, exclude=exclude, decimal=decimal, header=header, alpha=alpha,
            n_resamples=n_resamples, rng=seed, n_threads=n_threads, progress=progress, time_limit=time_limit,
        )  # fmt: skip
    if out is not None:
        result.save_page(out, f"{reference.name} and {current.name}: has the data changed?")
    hidden = len(result.rows) - _MOST_ROWS
    shown: list[Any] = [
        result.sentence,
        "",
        Table(result.HEADER, result.table(_MOST_ROWS)),
        *([f"... and {hidden:,} more rows: see --json or --out"] if hidden > 0 else []),
        "",
        *result.reasons(_MOST_REASONS),
        result.CAUTION,
        "",
        [
            ("rows", f"{result.n:,} and {result.m:,}, up to {result.n_resamples:,} random splits"),
            ("level", f"{result.alpha:g} over all tests (Holm), if rows are independent"),
            *([("page", str(out))] if out is not None else []),
        ],
    ]
    facts = {"reference": reference, "current": current, "page": out, **result.to_dict()}
    return Answer(facts, shown, _code(result, fail_on))


def _code(result: rpw.stats.DriftResult, fail_on: str | None) -> int:
    if fail_on is None:
        return 0
    if result or (fail_on == "any" and (result.not_compared or result.unanswered)):
        return HAS_DRIFTED
    return NO_TIME if result.unanswered or not result.has_compared else 0
