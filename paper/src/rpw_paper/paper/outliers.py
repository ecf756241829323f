"""Theorem 3.1 with outliers far away, and how much noise or shift a picture withstands (ours).

Theorem 3.1: a share δ of outliers changes RPW by at most δ, at any distance.
"""

import math
from dataclasses import replace

import numpy as np

from rpw_paper.base import Report
from rpw_paper.paper.exhibit import NO, YES, Drawing, Exhibit, Table, Verdict
from rpw_paper.paper.retrieved import Runs
from rpw_paper.robustness import Outliers, outlier_changes, thresholds
from rpw_paper.theory_views import change_table, draw_outliers, reached_table

RULE = "The paper makes no claim here; the table has what was found."


def outlier_exhibit(random: Exhibit, seed: int) -> Exhibit:
    """The theorem on random measures, and on a sample with outliers at several distances."""
    found = outlier_changes(seed)
    drawing = Drawing("outliers", draw_outliers(found), "|Change| over the share of outliers, by their distance.")
    verdicts, tables = [*random.verdicts, changes_verdict(found)], [*random.tables, change_table(found)]
    return replace(random, verdicts=verdicts, tables=tables, drawings=[drawing])


def changes_verdict(found: Outliers) -> Verdict:
    """Whether no change of RPW exceeds the share."""
    ours = [f for f, name in enumerate(found.names) if name.startswith("RPW")]
    changes = found.change[ours]
    broken = int((changes > np.array(found.shares) + 1e-12).sum())
    words = f"{changes.size - broken} of {changes.size} changes are at most δ"
    return Verdict("Outliers at 0.5 to 100 diameters change RPW by at most δ", words, NO if broken else YES)


def threshold_exhibit(runs: Runs, dataset: str, count: int, report: Report) -> Exhibit:
    """Medians over the pictures."""
    found = thresholds(runs.pictures(dataset), runs.seed, count, runs.n_threads, report)
    medians = [
        [way.name, *(_text(float(np.median(part[w]))) for part in (found.noise, found.shift))]
        for w, way in enumerate(found.methods)
    ]
    caption = f"Medians over {count} pictures of {dataset}: noise as a share of the mass, shift in rows."
    table = Table("medians", ["distance", "noise", "shift"], medians, caption)
    return Exhibit(RULE, [], [table, reached_table(found)])


def _text(value: float) -> str:
    return "never" if math.isinf(value) else f"{value:.3g}"
