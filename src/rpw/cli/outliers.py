"""``rpw outliers REFERENCE NEW``."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np

import rpw
from rpw.base.check import are_uneven
from rpw.cli._command import command
from rpw.cli._files import TABLES, check_target, row_numbers, write_table
from rpw.cli._notes import joined, note_rows, notes_of_tables, read_pair
from rpw.cli._options import argument, file, one_of
from rpw.cli._print import Answer, Table, counted
from rpw.io.selection import Selection
from rpw.pair.options import OPTIONS
from rpw.stats.scores import SCORES

__all__ = ["outliers"]

_LINES = 16  # of a table, so that everything stays on one screen


@command(
    "Compare two files",
    "rpw outliers usual.csv new.csv",
    "rpw outliers usual.csv new.csv --scale robust --fdr 0.1",
    "rpw outliers usual.csv new.csv --out rows.csv",
    reference=argument("REFERENCE", "A table of rows that are known to be ordinary."),
    new=argument("NEW", "The rows to look at."),
    score=one_of(
        tuple(SCORES),
        "How far out a row lies. nearest: the distance to its 5th nearest reference row. move: how far its mass moves. "
        "price: what the last bit of its mass costs to move.",
        default="nearest",
    ),
    scale=one_of(
        ("none", "robust"),
        "robust: divide each column by the width of the middle half of its values.",
        default="none",
    ),
    seed=replace(OPTIONS["seed"], sentence="Seed of the random draws. Choose it before you look at the answer."),
    out=file("For each row of NEW its score, its p-value, and whether it is named (.csv, .tsv, .parquet, .npz)."),
)
def outliers(
    reference: Path, new: Path, fdr: float, score: str, scale: str, metric: str, seed: int, wanted: Selection,
    out: Path | None, n_threads: int | None, as_json: bool,
) -> Answer:  # fmt: skip
    """Name the rows of a table that do not belong to a reference.

    On average, at most a share --fdr of the rows named are ordinary. This is proven if rows are independent of each
    other, and the reference was not picked by hand.
    """
    check_target("--out", out, [reference, new], TABLES)
    known, rows = read_pair(reference, new, wanted)
    for path, read in ((reference, known), (new, rows)):
        if are_uneven(read.measure.weights):
            raise ValueError(f"{path}: has weights, but all rows must have the same weight here")
    with warnings.catch_warnings(record=True) as heard:  # they are rows below
        warnings.simplefilter("always")
        found = rpw.stats.find_outliers(
            rows.measure, known.measure, fdr=fdr, rng=seed, metric=metric, n_threads=n_threads,
            score=score,  # type: ignore[arg-type]  # one of SCORES
            scale="robust" if scale == "robust" else None,
        )  # fmt: skip
    notes = list(dict.fromkeys(str(each.message) for each in heard))
    numbers = row_numbers(rows)
    if out is not None:
        write_table(out, {"row": numbers, "score": found.scores, "pvalue": found.pvalues, "outlier": found.mask})
    where = np.flatnonzero(found.mask)
    options = {"fdr": fdr, "score": score, "scale": scale, "metric": metric, "seed": seed}
    facts = {"named": numbers[where], "count": len(where), "rows": len(found.mask), "least_named": found.least_named}
    facts |= {**options, "scores": found.scores, "pvalues": found.pvalues, "row_numbers": numbers}
    facts |= {"reference": reference, "new": new, "out": out, "dropped": known.dropped + rows.dropped}
    shown = [
        str(found),
        *_farthest(found, where, numbers),
        [
            ("reference", f"{reference}: {counted(len(known.measure), 'row')}"),
            ("new", f"{new}: {counted(len(rows.measure), 'row')}, numbered from 0"),
            *notes_of_tables(reference, known, new, rows),
            ("with", ", ".join(f"{name}={value}" for name, value in options.items())),
            *([] if out is None else [("table", str(out))]),
            *note_rows(*notes),
        ],
    ]
    return Answer({**facts, "note": joined(*notes)}, shown)


def _farthest(found: rpw.stats.OutliersResult, where: np.ndarray, numbers: np.ndarray) -> list[str | Table]:
    """A table of the rows that are named, those farthest out first."""
    if not len(where):
        return []
    first = where[np.argsort(-found.scores[where], kind="stable")][:_LINES]
    cells = [[str(numbers[i]), f"{found.scores[i]:.6g}", f"{found.pvalues[i]:.4g}"] for i in first]
    left = len(where) - len(cells)
    more = [f"... and {left:,} more: --json or --out has them all"] if left else []
    return ["", Table(["row", "score", "p-value"], cells), *more, ""]
