"""Judges the statements of the paper again, by the rules of the library, and writes what changed into the CSV files.

.venv/bin/python paper/docs/judge.py

Rates, times and figure 6 are judged from the CSV files, because their runs take long. The other parts are computed
again.
"""

import csv

import numpy as np
from figures import curves, lmr_sweeps, values_of_rates
from results_csv import HERE, rows_of

from rpw_paper.files import write_csv
from rpw_paper.paper import lmr_time, samples
from rpw_paper.paper.parts import FULL, Job, all_parts
from rpw_paper.paper.rate_rule import verdict_from
from rpw_paper.paper.retrieved import Runs

RATES = {
    "Lemma 3.3": "lemma-3-3",
    "Lemma 3.4": "lemma-3-4",
    "Lemma 3.5": "lemma-3-5",
    "Lemma 3.6": "lemma-3-6",
    "Theorem 3.7": "theorem-3-7",
    "Theorem 3.7, equal distributions": "theorem-3-7-equal-distributions",
    "Lemma A.2": "lemma-a-2",
}


def rates_judged(folder):
    """The verdicts of a part on rates: by what was fitted, and over which n."""
    values = values_of_rates(folder)
    found = []
    for row in rows_of(f"paper/{folder}/rates.csv"):
        n = np.array(list(values[row["what"]]), dtype=float)
        fitted, high, bound = (float(row[name]) for name in ("fitted", "high", "bound"))
        found.append(verdict_from(row["what"], n, bound, fitted, high - fitted))
    return found


def figure_6():
    """By the curves of the experiment on convergence."""
    discrete = [curve for curve in curves() if curve.fitted_from == 10_000]
    cases = dict.fromkeys(curve.case for curve in discrete)
    return [
        verdict
        for case in cases
        for verdict in samples.case_verdicts(case, {curve.distance: curve for curve in discrete if curve.case == case})
    ]


def section_5():
    """By the times; the promise of LMR by the errors that it proved."""
    names = ("delta", "k", "repeat", "seconds", "phases", "gap")
    numbers = [
        [row["along"], int(row["n"]), *(float(row[name]) for name in names)]
        for row in rows_of("paper/section-5/times.csv")
    ]
    return [*(lmr_time.verdict(sweep) for sweep in lmr_sweeps()), lmr_time.promise(numbers)]


def from_files():
    """The verdicts of all parts that are judged by their files."""
    rates = {part: rates_judged(folder) for part, folder in RATES.items()}
    return {**rates, "Figure 6": figure_6(), "Section 5": section_5()}


def computed():
    """The verdicts of the other parts that need no data set, computed again."""
    known = dict.fromkeys(row["part"] for row in rows_of("paper/verdicts.csv"))
    judged_by_files = {*RATES, "Figure 6", "Section 5"}
    job = Job(Runs(HERE))
    return {
        part.number: part.exhibit(job).verdicts
        for part in all_parts(FULL)
        if part.number in known and part.number not in judged_by_files
    }


def verdict_rows(verdicts):
    """The rows of ``verdicts.csv``, in the order of the paper."""
    order = [part.number for part in all_parts(FULL)]
    return [
        [number, each.statement, each.found, each.answer]
        for number in sorted(verdicts, key=order.index)
        for each in verdicts[number]
    ]


def write_rates(folder, verdicts):
    """The same table with these answers; all numbers stay as they are."""
    path = HERE / "paper" / folder / "rates.csv"
    header, *rows = csv.reader(path.open(encoding="utf-8", newline=""))
    judged = [[*row[:-1], each.answer] for row, each in zip(rows, verdicts, strict=True)]
    write_csv(path, header, judged)


if __name__ == "__main__":
    found = from_files()
    for part, folder in RATES.items():
        write_rates(folder, found[part])
    header = ["part", "statement", "found", "verdict"]
    write_csv(HERE / "paper" / "verdicts.csv", header, verdict_rows({**found, **computed()}))
