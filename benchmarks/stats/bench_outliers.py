"""Outliers against a reference: the false discovery rate and the power of each score, beside scikit-learn's detectors.

    python benchmarks/stats/bench_outliers.py [--draws 500] [--processes 2] [--only moons] [--methods LOF price]

Each case draws a reference and rows with planted outliers. Of the rows that a method names, the share that was not
planted is its false discovery rate (FDR), and of the planted rows the share that it names is its power. Both are means
over the draws. If nothing is planted, the FDR is the share of draws in which anything is named.

`rpw` runs `find_outliers` at fdr = 0.05 with each of its scores, with the lengths of RPW's plan, and with the score of
LOF. Peers are fitted on the whole reference, as their users do, with their own threshold (contamination="auto").
Power alone says little of them: look at their FDR first.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
import warnings
from collections.abc import Callable
from functools import partial

import numpy as np
from sklearn.ensemble import IsolationForest
from sklearn.neighbors import LocalOutlierFactor

import rpw

LEVEL = 0.05
N, M, OUT = 600, 150, 15  # rows of the reference, rows to look at, planted ones among these: the first
Rng = np.random.Generator
Rows = np.ndarray
Draw = Callable[[Rng, int], Rows]
Case = Callable[[Rng], tuple[Rows, Rows, int]]  # reference, rows, how many of the first are planted


# ---------------------------------------------------------------- cases


def normal(rng: Rng, count: int, dimension: int = 2) -> Rows:
    return rng.normal(size=(count, dimension))


def moons(rng: Rng, count: int) -> Rows:
    angle, is_upper = rng.uniform(0, np.pi, count), rng.random(count) < 0.5
    upper = np.column_stack([np.cos(angle), np.sin(angle)])
    return np.where(is_upper[:, None], upper, [1, 0.5] - upper) + rng.normal(0, 0.05, (count, 2))


def clusters(rng: Rng, count: int, share: float) -> Rows:
    return normal(rng, count) + np.where(rng.random(count) < share, 0, 10)[:, None] * [1, 0]


def two_widths(rng: Rng, count: int) -> Rows:
    is_narrow = rng.random((count, 1)) < 0.5
    return np.where(is_narrow, 0.1 * normal(rng, count), normal(rng, count) + np.array([6, 0]))


def integers(rng: Rng, count: int) -> Rows:
    return np.round(2 * normal(rng, count))


def on_ring(rng: Rng, count: int, inner: float, outer: float) -> Rows:
    angle = rng.uniform(0, 2 * np.pi, count)
    return rng.uniform(inner, outer, (count, 1)) * np.column_stack([np.cos(angle), np.sin(angle)])


def planted(
    rng: Rng, base: Callable[[Rng, int], Rows], outliers: Callable[[Rng, int], Rows], count: int = OUT
) -> tuple:
    reference, rows = base(rng, N), base(rng, M)
    rows[:count] = outliers(rng, count)
    return reference, rows, count


def uneven_clusters(rng: Rng) -> tuple[Rows, Rows, int]:
    """The reference has half of its rows in each cluster, and x has 60 % in one: the shares are no outliers."""
    reference, rows = clusters(rng, 1000, 0.5), clusters(rng, 100, 0.6)
    rows[:4] = [5, 0] + rng.uniform(-1, 1, (4, 2)) * [1, 6]
    return reference, rows, 4


CASES: dict[str, Case] = {
    "clump at the edge": lambda rng: planted(rng, normal, lambda g, c: [4, 0] + 0.1 * normal(g, c)),
    "clump inside": lambda rng: planted(rng, normal, lambda g, c: [1.5, 0] + 0.05 * normal(g, c), 45),
    "uniform strays": lambda rng: planted(rng, normal, lambda g, c: g.uniform(-6, 6, (c, 2))),
    "strays around two moons": lambda rng: planted(rng, moons, lambda g, c: g.uniform([-1.5, -1], [2.5, 1.5], (c, 2))),
    "clusters 60/40 and 50/50, 4 strays": uneven_clusters,
    "points 8 sd away": lambda rng: planted(rng, normal, lambda g, c: on_ring(g, c, 8, 8)),
    "integers": lambda rng: planted(rng, integers, lambda g, c: np.round(g.uniform(-12, 12, (c, 2)))),
    "shift by 1.5 sd in 10-d": lambda rng: planted(
        rng, partial(normal, dimension=10), lambda g, c: 1.5 + normal(g, c, 10)
    ),
    "halo of a narrow cluster": lambda rng: planted(rng, two_widths, lambda g, c: on_ring(g, c, 0.4, 1.2)),
    "nothing, normal": lambda rng: planted(rng, normal, normal, 0),
    "nothing, two moons": lambda rng: planted(rng, moons, moons, 0),
    "nothing, integers": lambda rng: planted(rng, integers, integers, 0),
    # Here a single row can be named, and the bound is attained.
    "x without outliers, 2,000 reference rows": lambda rng: (normal(rng, 2000), normal(rng, 50), 0),
}


# ---------------------------------------------------------------- methods


def moved_by_rpw(rows: Rows, reference: Rows) -> Rows:
    """The length that each row's mass moves in RPW's plan; what stays behind counts with the price of the next bit."""
    delta = rpw.diameter(reference, rows, quantile=0.95)
    result = rpw.solve(reference, rows, p=2, diameter=delta)
    plan = result.plan.tocoo()
    i, j = plan.coords
    squares = ((reference[i] - rows[j]) ** 2).sum(axis=1)
    sums = np.bincount(j, plan.data * squares, minlength=len(rows)) + result.multiplier * result.unmatched_b
    return np.sqrt(len(rows) * sums)


def by_lof(rows: Rows, reference: Rows) -> Rows:
    return -LocalOutlierFactor(novelty=True).fit(reference).score_samples(rows)


def conformal(rows: Rows, reference: Rows, seed: int, **options) -> Rows:
    return rpw.stats.find_outliers(rows, reference, fdr=LEVEL, rng=seed, n_threads=1, **options).mask


def lof(rows: Rows, reference: Rows, seed: int) -> Rows:
    return LocalOutlierFactor(novelty=True).fit(reference).predict(rows) < 0


def forest(rows: Rows, reference: Rows, seed: int) -> Rows:
    return IsolationForest(random_state=seed).fit(reference).predict(rows) < 0


METHODS = {
    "5th nearest": conformal,
    "nearest": partial(conformal, n_neighbors=1),
    "move": partial(conformal, score="move"),
    "RPW's plan": partial(conformal, score=moved_by_rpw),
    "price": partial(conformal, score="price"),
    "LOF as score": partial(conformal, score=by_lof),
    "LOF": lof,
    "IsolationForest": forest,
}


# ---------------------------------------------------------------- runs


def rates(task: tuple[str, int, list[str]]) -> list[tuple[float, float, float]]:
    """The FDR, the power and the seconds of each method in one draw; all see the same rows."""
    name, draw, methods = task
    warnings.simplefilter("ignore")
    reference, rows, count = CASES[name](np.random.default_rng([draw, sorted(CASES).index(name)]))
    is_out = np.arange(len(rows)) < count
    found = []
    for method in methods:
        start = time.process_time()
        mask = METHODS[method](rows, reference, seed=draw)
        taken = time.process_time() - start
        power = mask[is_out].mean() if count else np.nan
        found.append(((mask & ~is_out).sum() / max(1, mask.sum()), power, taken))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=500)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--only", default="", help="cases whose name has this text")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS), metavar="NAME")
    asked = parser.parse_args()
    methods = asked.methods
    print(f"FDR / power, means over {asked.draws} draws; fdr = {LEVEL}\n")
    print("| planted | " + " | ".join(methods) + " |\n|---" + "|---" * len(methods) + "|")
    seconds = []
    with multiprocessing.Pool(asked.processes) as pool:
        for name in CASES:
            if asked.only not in name:
                continue
            tasks = [(name, draw, methods) for draw in range(asked.draws)]
            found = np.array(pool.map(rates, tasks, chunksize=5))
            seconds.append(found[:, :, 2].mean(axis=0))
            cells = [
                f"{fdr:.3f}" if np.isnan(power) else f"{fdr:.3f} / {power:.2f}" for fdr, power, _ in found.mean(axis=0)
            ]
            print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
    print("| milliseconds | " + " | ".join(f"{1e3 * each:.1f}" for each in np.mean(seconds, axis=0)) + " |")


if __name__ == "__main__":
    main()
