"""``rpw outliers REFERENCE NEW``."""

from __future__ import annotations

import time
import warnings
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

import rpw
from rpw.base.check import are_uneven, as_inner_share
from rpw.cli._options import (
    WRITING,
    Json,
    Metric,
    NThreads,
    as_metric,
    check_choice,
    notes_of_tables,
    one_of,
    path,
    read_pair,
    usage,
)
from rpw.cli._output import counted, print_json, print_lines, print_rows, print_table, seconds
from rpw.cli._table_file import check_tables, row_numbers, write_table
from rpw.cli._tables import reads_tables
from rpw.io.selection import EVERYTHING, Selection
from rpw.stats.scores import SCORES

__all__ = ["EXAMPLES", "outliers"]

EXAMPLES = (
    "rpw outliers usual.csv new.csv",
    "rpw outliers usual.csv new.csv --scale robust --fdr 0.1",
    "# every row with its score and p-value",
    "rpw outliers usual.csv new.csv --out rows.csv",
)

_SCALES = ("none", "robust")
_LINES = 16  # of a table, so that everything stays on one screen

Reference = Annotated[
    Path, typer.Argument(metavar="REFERENCE", parser=path, help="A table of rows that are known to be ordinary.")
]
New = Annotated[Path, typer.Argument(metavar="NEW", parser=path, help="The rows to look at.")]
Fdr = Annotated[
    float,
    typer.Option(
        "--fdr",
        metavar="SHARE",
        help="False discovery rate: on average, at most this share of the rows named are ordinary.",
    ),
]
ScoreName = Annotated[
    str,
    one_of(
        "--score",
        tuple(SCORES),
        "How far out a row lies. nearest: the distance to its 5th nearest reference row. move: how far its mass moves. "
        "price: what the last bit of its mass costs to move.",
    ),
]
Scale = Annotated[
    str, one_of("--scale", _SCALES, "robust: divide each column by the width of the middle half of its values.")
]
Seed = Annotated[
    int,
    typer.Option(
        "--seed", metavar="NUMBER", min=0, help="Seed of the random draws. Choose it before you look at the answer."
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="FILE",
        parser=path,
        help="For each row of NEW its score, its p-value, and whether it is named (.csv, .tsv, .parquet, .npz).",
        rich_help_panel=WRITING,
    ),
]


@reads_tables
def outliers(
    reference: Reference,
    new: New,
    fdr: Fdr = 0.05,
    score: ScoreName = "nearest",
    scale: Scale = "none",
    metric: Metric = "euclidean",
    seed: Seed = 0,
    wanted: Selection = EVERYTHING,
    out: Out = None,
    n_threads: NThreads = None,
    as_json: Json = False,
) -> None:
    """Name the rows of a table that do not belong to a reference.

    On average, at most a share --fdr of the rows named are ordinary. This is proven if rows are independent of each
    other, and the reference was not picked by hand.
    """
    metric = as_metric(metric)
    check_choice("--score", score, tuple(SCORES))
    check_choice("--scale", scale, _SCALES)
    with usage():
        as_inner_share(fdr, "fdr")
    check_tables({"--out": out}, [reference, new])
    known, rows = read_pair(reference, new, wanted)
    for file, read in ((reference, known), (new, rows)):
        if are_uneven(read.measure.weights):
            raise ValueError(f"{file}: has weights, but all rows must have the same weight here")
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as heard:  # they are rows below
        warnings.simplefilter("always")
        found = rpw.stats.find_outliers(
            rows.measure,
            known.measure,
            fdr=fdr,
            rng=seed,
            score=score,  # type: ignore[arg-type]  # one of SCORES
            metric=metric,
            scale="robust" if scale == "robust" else None,
            n_threads=n_threads,
        )
    end = time.perf_counter()
    notes = list(dict.fromkeys(str(each.message) for each in heard))
    numbers = row_numbers(rows)
    table = {"row": numbers, "score": found.scores, "pvalue": found.pvalues, "outlier": found.mask}
    if out is not None:
        write_table(out, table)
    where = np.flatnonzero(found.mask)
    if as_json:
        facts = {"named": numbers[where], "count": len(where), "rows": len(found.mask), "fdr": fdr}
        facts |= {"least_named": found.least_named, "score": score, "scale": scale, "metric": metric, "seed": seed}
        all_rows = {"scores": found.scores, "pvalues": found.pvalues, "row_numbers": numbers}
        files = {"reference": reference, "new": new, "out": out, "dropped": known.dropped + rows.dropped}
        print_json({**facts, **all_rows, **files, "note": "; ".join(notes) or None, "seconds": end - start})
        return
    print_lines([str(found)])
    farthest = where[np.argsort(-found.scores[where], kind="stable")]
    if len(where):
        cells = [[str(numbers[i]), f"{found.scores[i]:.6g}", f"{found.pvalues[i]:.4g}"] for i in farthest[:_LINES]]
        print_lines([""])
        print_table(["row", "score", "p-value"], cells)
        left = len(where) - len(cells)
        print_lines([f"... and {left:,} more: --json or --out has them all"] if left else [])
        print_lines([""])
    print_rows(
        [
            ("reference", f"{reference}: {counted(len(known.measure), 'row')}"),
            ("new", f"{new}: {counted(len(rows.measure), 'row')}, numbered from 0"),
            *notes_of_tables(reference, known, new, rows),
            ("with", f"fdr={fdr:g}, score={score}, scale={scale}, metric={metric}, seed={seed}"),
            *([] if out is None else [("table", str(out))]),
            ("time", seconds(start, end)),
            *(("note", note) for note in notes),
        ]
    )
