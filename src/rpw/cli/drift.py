"""``rpw drift REF CUR``."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

import rpw
from rpw.base.deadline import deadline_after
from rpw.base.usage import UsageError
from rpw.cli._options import READING, Json, NThreads, check_choice, one_of, path, usage
from rpw.cli._output import print_json, print_lines, print_rows, print_table, seconds, spelled_out
from rpw.cli._progress import bar, counting
from rpw.cli._streams import complain
from rpw.cli._tables import Decimal, Header
from rpw.cli._targets import check_not_read
from rpw.io.delimited import TextRules

__all__ = ["EXAMPLES", "drift"]

EXAMPLES = (
    "rpw drift before.csv after.csv",
    "rpw drift before.csv after.csv --columns age,city",
    "rpw drift before.csv after.csv --exclude time",
    "rpw drift before.csv after.csv --out drift.html",
    "# in a pipeline: fail if something has changed",
    "rpw drift before.csv after.csv --fail-on any",
)

HAS_DRIFTED = 3  # an exit code of its own, so that pipelines can distinguish it from a failure
NO_TIME = 1
_FAIL_ON = ("drift", "any")
_MOST_ROWS, _MOST_REASONS = 24, 5

Reference = Annotated[
    Path,
    typer.Argument(metavar="REF", parser=path, help="The reference: a CSV, TSV or Parquet file with names of columns."),
]
Current = Annotated[
    Path, typer.Argument(metavar="CUR", parser=path, help="The current data: also a CSV, TSV or Parquet file.")
]
Columns = Annotated[
    str | None,
    typer.Option(
        "--columns",
        metavar="NAME[,NAME...]",
        help="Columns to compare.",
        show_default="all",
        rich_help_panel=READING,
    ),
]
Exclude = Annotated[
    str | None,
    typer.Option(
        "--exclude",
        metavar="NAME[,NAME...]",
        help="Columns to leave out, such as a time stamp.",
        rich_help_panel=READING,
    ),
]
Alpha = Annotated[float, typer.Option("--alpha", metavar="NUMBER", help="Chance of even one false alarm.")]
NResamples = Annotated[
    int | None,
    typer.Option(
        "--n-resamples",
        metavar="NUMBER",
        min=1,
        help="Random splits for each test.",
        show_default="399, then enough for --alpha",
    ),
]
Seed = Annotated[int, typer.Option("--seed", metavar="NUMBER", min=0, help="Seed of the random splits.")]
Out = Annotated[
    Path | None,
    typer.Option("--out", metavar="FILE.html", parser=path, help="Also write a page that needs no network."),
]
FailOn = Annotated[
    str | None,
    one_of(
        "--fail-on",
        _FAIL_ON,
        f"drift: exit with code {HAS_DRIFTED} if something has drifted, and with {NO_TIME} if nothing has, and there "
        "was no time to finish a test, or nothing to compare. any: exit with "
        f"{HAS_DRIFTED} then, and if a column could not be compared.",
    ),
]
TimeLimit = Annotated[
    float | None,
    typer.Option(
        "--time-limit",
        metavar="SECONDS",
        help="Stop after this many seconds. Random splits that are not solved by then count as if they were farther "
        "apart than the tables.",
    ),
]


def drift(
    reference: Reference,
    current: Current,
    columns: Columns = None,
    exclude: Exclude = None,
    decimal: Decimal = None,
    header: Header = None,
    alpha: Alpha = 0.05,
    n_resamples: NResamples = None,
    seed: Seed = 0,
    out: Out = None,
    fail_on: FailOn = None,
    time_limit: TimeLimit = None,
    n_threads: NThreads = None,
    as_json: Json = False,
) -> None:
    """Has the data changed? Two tables, column by column and all together.

    Each column is tested: numbers, dates and categories. All numbers and dates are also tested together.
    """
    _check(alpha, out, fail_on, time_limit, [reference, current])
    with usage():
        TextRules(decimal, header)
    names, excluded = (
        None if text is None else [name.strip() for name in text.split(",")] for text in (columns, exclude)
    )
    start = time.perf_counter()
    with _warnings_as_lines(), bar(as_json) as report:
        result = rpw.stats.drift(
            reference, current, names, exclude=excluded, decimal=decimal, header=header, alpha=alpha,
            n_resamples=n_resamples, rng=seed, n_threads=n_threads,
            progress=counting(report, "random splits"), time_limit=time_limit,
        )  # fmt: skip
    end = time.perf_counter()
    if out is not None:
        result.save_page(out, f"{reference.name} and {current.name}: has the data changed?")
    if as_json:
        files = {"reference": reference, "current": current, "page": out}
        print_json({**files, **result.to_dict(), "seconds": end - start})
    else:
        _show(result, out, seconds(start, end))
    has_drifted = bool(result) or (fail_on == "any" and bool(result.not_compared or result.unanswered))
    if fail_on is not None and (has_drifted or result.unanswered or not result.has_compared):
        raise SystemExit(HAS_DRIFTED if has_drifted else NO_TIME)  # no error, so nothing for `guarded` to report


@contextmanager
def _warnings_as_lines() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = lambda message, *_: complain(str(message).replace("time_limit=", "--time-limit"))
        yield


def _check(alpha: float, out: Path | None, fail_on: str | None, time_limit: float | None, inputs: list[Path]) -> None:
    if not 0 < alpha < 1:
        raise UsageError(f"--alpha must lie between 0 and 1, got {alpha:g}")
    if fail_on is not None:
        check_choice("--fail-on", fail_on, _FAIL_ON)
    if out is not None:
        if out.suffix.lower() not in (".html", ".htm"):
            raise UsageError(f"--out {out}: the page is written to a file that ends in .html")
        check_not_read("--out", out, inputs)
    with usage():
        deadline_after(time_limit)


def _show(result: rpw.stats.DriftResult, out: Path | None, duration: str) -> None:
    print_lines([result.sentence, ""])
    rows_of_table = [(name, *map(spelled_out, cells)) for name, *cells in result.table(_MOST_ROWS)]
    print_table([spelled_out(name) for name in result.HEADER], rows_of_table)
    hidden = len(result.rows) - _MOST_ROWS
    print_lines([f"... and {hidden:,} more rows: see --json or --out"] if hidden > 0 else [])
    print_lines(["", *result.reasons(_MOST_REASONS), result.CAUTION])
    rows = [
        ("rows", f"{result.n:,} and {result.m:,}, up to {result.n_resamples:,} random splits, {duration}"),
        ("level", f"{result.alpha:g} over all tests (Holm), if rows are independent"),
    ]
    print_lines([""])
    print_rows([*rows, *([("page", str(out))] if out is not None else [])])
