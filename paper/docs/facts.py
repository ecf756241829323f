"""Writes small tables that the pages cite and that follow from seeds alone.

.venv/bin/python paper/docs/facts.py

- ``shared.csv``: how many pictures each repeat of the runs with 50 queries has in common with the run with 600. Which
  pictures are drawn depends on their number and the seed only.
- ``paper/two-squares.csv``: of the samples of two squares behind Lemmas 3.4 and 3.6, how far the share of points in one
  square is from a half (in units of its mean, 1/√(2πn)), and its correlation with RPW over the twenty repeats.
- ``paper/two-squares-together.csv``: the exponent that the repeats of both lemmas give together.
"""

import math

import numpy as np
from figures import values_of_rates
from results_csv import HERE

from rpw_paper.files import write_csv
from rpw_paper.paper.rate_rule import Rate
from rpw_paper.paper.spaces import DENSITIES
from rpw_paper.pictures import Pictures
from rpw_paper.retrieval import draw

PICTURES = {"mnist": 60_000, "cifar10": 10_000, "corel": 5_000}
LABELLED = 2000
TWO_SQUARES = "two squares, p = 2"
SEEDS = {"lemma-3-4": [0, 40, 4, 1], "lemma-3-6": [0, 40, 6, 9]}  # of this case, before n and the repeat


def drawn(count, queries, repeat):
    """The pictures of a repeat, as indices; what they show plays no part."""
    blank = Pictures("blank", np.zeros((count, 1, 1), dtype=np.uint8), np.zeros(count, dtype=np.str_))
    return draw(blank, "clean", LABELLED, queries, [0, repeat])


def shared():
    header = ["dataset", "pictures", "repeat", "queries_in_common", "labelled_in_common"]
    rows = []
    for dataset, count in PICTURES.items():
        large = drawn(count, 600, 0)
        for repeat in range(3):
            own = drawn(count, 50, repeat)
            queries, labelled = (
                len(np.intersect1d(getattr(own, name), getattr(large, name)))
                for name in ("query_index", "labelled_index")
            )
            rows.append([dataset, count, repeat + 1, queries, labelled])
    return header, rows


def off_a_half(part, n):
    """Of the twenty samples of size n behind a lemma: how far the share of points in one square is from a half."""
    density = DENSITIES["two squares"]
    samples = [density.sample(np.random.default_rng([*SEEDS[part], n, repeat]), n) for repeat in range(20)]
    return np.array([abs(np.mean(points[:, 0] < 0.3) - 0.5) for points in samples])


def two_squares():
    header = ["part", "n", "times_the_mean", "correlation"]
    rows = []
    for part in SEEDS:
        for n, values in values_of_rates(part)[TWO_SQUARES].items():
            off = off_a_half(part, n)
            times, correlation = off.mean() * math.sqrt(2 * math.pi * n), np.corrcoef(off, values)[0, 1]
            rows.append([part, n, float(times), float(correlation)])
    return header, rows


def together():
    values = [values_of_rates(part)[TWO_SQUARES] for part in SEEDS]
    n = np.array(list(values[0]), dtype=float)
    both = Rate("both", n, np.array([[*values[0][size], *values[1][size]] for size in values[0]]), -1 / 3)
    return ["what", "fitted", "low", "high"], [
        [TWO_SQUARES, both.fitted, both.fitted - both.band, both.fitted + both.band]
    ]


FILES = {"shared.csv": shared, "paper/two-squares.csv": two_squares, "paper/two-squares-together.csv": together}

if __name__ == "__main__":
    for name, table in FILES.items():
        write_csv(HERE / name, *table())
