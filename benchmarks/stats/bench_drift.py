"""Drift of large tables: times beside SciPy's permutation test, the level, and what rounding to few places costs.

    python benchmarks/stats/bench_drift.py [--rows 100000] [--columns 20] [--nulls 200] [--repeats 5] [--n-threads 2]

SciPy's test of one column is run with fewer rows and fewer splits, and its time is scaled to the same number of both:
its statistics sort, so that is a little too kind to it. The level is the share of tables without any change in which a
column is called drifted; SciPy's p-values have Bonferroni's correction there. The last table has the mean excess of a
planted change, in standard deviations of the splits: the power of the test, up to the random splits.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
import scipy.stats

import rpw
from rpw.base.deadline import NEVER
from rpw.pair.metrics import as_metric
from rpw.pair.question import as_question
from rpw.stats.prices import GRID
from rpw.stats.resampled import Effort, ground_of, values_of
from rpw.stats.splits import splits_of_counts
from rpw.stats.tables.rounding import round_column

PEER_ROWS, PEER_SPLITS = 5_000, 19
ALPHA = 0.05


def draw(column: int, n: int, rng: np.random.Generator) -> np.ndarray:
    """Bell curves, long tails, counts, heavy tails and evenly spread numbers, in turn."""
    kinds: list[Callable[[], np.ndarray]] = [
        lambda: rng.normal(size=n),
        lambda: np.exp(rng.normal(size=n)),
        lambda: rng.poisson(20, n).astype(float),
        lambda: rng.standard_t(2, size=n),
        lambda: rng.random(n),
    ]
    return kinds[column % len(kinds)]()


def tables(columns: int, n: int, rng: np.random.Generator) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Two tables without any change."""
    first, second = ({f"c{column}": draw(column, n, rng) for column in range(columns)} for _ in range(2))
    return first, second


def timed(call: Callable[[], object]) -> tuple[float, float, object]:
    """Seconds by the clock and of the processor, and the answer."""
    clock, processor = time.perf_counter(), time.process_time()
    answer = call()
    return time.perf_counter() - clock, time.process_time() - processor, answer


def scipy_pvalue(x: np.ndarray, y: np.ndarray, statistic: Callable[..., float], splits: int, seed: int) -> float:
    """SciPy's permutation test of one column."""
    found = scipy.stats.permutation_test(
        (x, y), statistic, n_resamples=splits, alternative="greater", vectorized=False, rng=np.random.default_rng(seed)
    )
    return float(found.pvalue)


def show_times(columns: int, rows: int, n_threads: int) -> None:
    print(f"\n{columns} columns, {rows:,} rows in each table, {n_threads} threads, load unknown: see `uptime`")
    print(f"{'':42}{'clock':>10}{'processor':>12}{'false alarms':>14}")
    first, second = tables(columns, rows, np.random.default_rng(0))
    for name, most in (("rpw.stats.drift, columns alone", 0), ("rpw.stats.drift, and all together", 500)):
        clock, processor, found = timed(
            lambda most=most: rpw.stats.drift(first, second, rng=0, n_threads=n_threads, most_joint_rows=most)
        )
        splits = found.n_resamples
        print(f"{name:42}{clock:9.1f}s{processor:11.1f}s{len(found.drifted):14}   {splits} splits", flush=True)
    moved = {
        name: values + 0.05 * np.std(values) if name in ("c0", "c1") else values for name, values in second.items()
    }
    clock, processor, found = timed(
        lambda: rpw.stats.drift(first, moved, rng=0, n_threads=n_threads, most_joint_rows=0)
    )
    print(f"{'the same with two columns shifted':42}{clock:9.1f}s{processor:11.1f}s   {found.sentence}", flush=True)
    for statistic in (scipy.stats.wasserstein_distance, scipy.stats.energy_distance):
        few = min(rows, PEER_ROWS)
        x, y = first["c0"][:few], second["c0"][:few]
        clock, processor, _ = timed(lambda x=x, y=y, s=statistic: scipy_pvalue(x, y, s, PEER_SPLITS, 0))
        factor = columns * rows / few * (splits + 1) / (PEER_SPLITS + 1)
        name = f"scipy {statistic.__name__}, scaled"
        print(f"{name:42}{clock * factor:9.0f}s{processor * factor:11.0f}s", flush=True)


def show_level(nulls: int, n_threads: int) -> None:
    print(f"\nFalse alarms at alpha = {ALPHA} over {nulls} pairs of tables of 5 columns, 60 and 80 rows")
    rng = np.random.default_rng(1)
    ours = theirs = 0
    for seed in range(nulls):
        first, second = tables(5, 60, rng)[0], tables(5, 80, rng)[0]
        ours += bool(rpw.stats.drift(first, second, n_resamples=239, rng=seed, n_threads=n_threads))
        pvalues = [
            scipy_pvalue(first[name], second[name], scipy.stats.wasserstein_distance, 239, seed) for name in first
        ]
        theirs += min(pvalues) <= ALPHA / 5
    spread = (ALPHA * (1 - ALPHA) / nulls) ** 0.5
    print(f"rpw.stats.drift {ours / nulls:.3f}, scipy wasserstein_distance {theirs / nulls:.3f}")
    print(f"at most {ALPHA}, with a standard error of {spread:.3f}")


def excess(x: np.ndarray, y: np.ndarray, most: int, splits: int, seed: int) -> np.ndarray:
    """(T - mean) / sd at every price, on so many places."""
    values = np.concatenate([x, y])
    rounded = round_column(values / np.subtract(*np.quantile(values, [0.75, 0.25])), most)
    pooled, observed = (
        np.bincount(rows, minlength=len(rounded.places)) for rows in (rounded.labels, rounded.labels[: len(x)])
    )
    drawn = splits_of_counts(rounded.places[:, None], pooled, observed, splits, np.random.default_rng(seed))
    ground, effort = ground_of(drawn.places, as_metric("euclidean")), Effort("cpu", 2, NEVER, lambda done: None)
    found = values_of(ground, drawn, as_question(p=1), effort, GRID)
    return np.asarray((found[0] - found[1:].mean(axis=0)) / found[1:].std(axis=0))


def show_places(rows: int, repeats: int) -> None:
    print(f"\nMean excess over {repeats} draws of {rows:,} rows of a bell curve, at k = {GRID}, 99 splits")
    changes: dict[str, Callable[[np.ndarray], np.ndarray]] = {
        "shift by 0.01 sd": lambda y: y + 0.01,
        "0.3 % at 3.5 sd": lambda y: np.where(np.arange(len(y)) < 0.003 * len(y), 3.5, y),
        "wider by 1 %": lambda y: 1.01 * y,
    }
    for name, change in changes.items():
        for most in (2048, 1024, 512):
            rng = np.random.default_rng(2)
            _, processor, found = timed(
                lambda most=most, rng=rng, change=change: np.mean(
                    [excess(rng.normal(size=rows), change(rng.normal(size=rows)), most, 99, 3) for _ in range(repeats)],
                    axis=0,
                )
            )
            print(
                f"{name:20}{most:6} places  {np.round(found, 1)}  {processor / repeats:6.2f} s of the processor",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--nulls", type=int, default=200)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--n-threads", type=int, default=2)
    given = parser.parse_args()
    show_times(given.columns, given.rows, given.n_threads)
    if given.nulls:
        show_level(given.nulls, given.n_threads)
    if given.repeats:
        show_places(given.rows, given.repeats)


if __name__ == "__main__":
    main()
