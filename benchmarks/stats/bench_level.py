"""How often the two-sample test rejects when there is no difference, honestly and after an adversary replaced rows.

With B = 19 splits the level is 1/20 exactly. The adversary replaces r rows of one sample, knows the splits, tries
several attacks and keeps the one with the smallest p-value.

Run it with ``make bench-stats``. Shares are given with one standard error of their draws.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from trials import LEVEL, Array, Stopwatch, generator, options, print_row, shown

import rpw

SPLITS = 19
SIZES = ((50, 50), (50, 150), (200, 200), (100, 400), (1000, 1000), (300, 1000))
LARGE = 500  # rows of the larger sample; beyond, a tenth of the draws
REPLACED = 10
SEEDS = 2**31


def pvalue(x: Array, y: Array, seed: int, **asked: object) -> float:
    return rpw.stats.two_sample_test(x, y, **({"n_resamples": SPLITS, "rng": seed, "n_threads": 1} | asked)).pvalue


def size_table(nulls: int, seed: int) -> None:
    print(f"Size at level {LEVEL}: normal points, B = {SPLITS}, p = 2, k=None")
    widths = [12, 4, 6, 16]
    print_row(["n, m", "d", "nulls", "rejected"], widths)
    for n, m in SIZES:
        for d in (1, 2, 10):
            rng = generator(seed, d, n, m)
            count = nulls if max(n, m) <= LARGE else max(4, nulls // 10)
            rejected = []
            for _ in range(count):
                x, y = rng.normal(size=(n, d)), rng.normal(size=(m, d))
                rejected.append(pvalue(x, y, int(rng.integers(SEEDS))) <= LEVEL)
            print_row([f"{n}, {m}", d, count, shown(rejected)], widths)


def far(x: Array, y: Array, rows: int) -> Array:
    """Rows of y go far away, to one side."""
    attacked = y.copy()
    attacked[:rows] = 0
    attacked[:rows, 0] = 100 + np.arange(rows)
    return attacked


def copies(x: Array, y: Array, rows: int) -> Array:
    """Rows of y become copies of the row of y that is farthest from the middle of x."""
    attacked = y.copy()
    attacked[:rows] = y[np.argmax(np.linalg.norm(y - x.mean(axis=0), axis=1))]
    return attacked


def like_a_shift(x: Array, y: Array, rows: int) -> Array:
    """The means are moved farther apart: those rows of y that speak against a shift go to the other end of the data."""
    apart = y.mean(axis=0) - x.mean(axis=0)
    along = y @ (apart / np.linalg.norm(apart))
    order = np.argsort(along)
    attacked = y.copy()
    attacked[order[:rows]] = y[order[-rows:]]
    return attacked


ATTACKS: tuple[Callable[[Array, Array, int], Array], ...] = (far, copies, like_a_shift)
STATISTICS: dict[str, dict[str, object]] = {
    # Three prices, by Bonferroni: with fewer splits p_r could not reach the level.
    "p_r, k=None": {"contamination": REPLACED, "n_resamples": 3 * (SPLITS + 1) - 1},
    "p_r, k=1, Δ=2": {"contamination": REPLACED, "k": 1, "diameter": 2},
    "RPW, r=0, k=1": {"k": 1, "diameter": 2},
    "W2": {"statistic": "wasserstein"},
    "energy": {"statistic": "energy"},
}


def adversary_table(nulls: int, seed: int) -> None:
    names = [attack.__name__.replace("_", " ") for attack in ATTACKS]
    print(f"\nRejected at level {LEVEL} though both samples came from one distribution; {REPLACED} rows of y replaced")
    widths = [4, 10, 15, 15, 15, 15, 15, 15]
    print_row(["d", "n, m", "test", "untouched", *names, "worst of them"], widths)
    for d, n, m in ((1, 100, 100), (2, 100, 100), (2, 80, 160), (10, 100, 100)):
        rng = generator(seed, d, n, m, 1)
        rejected = {name: [] for name in STATISTICS}
        for _ in range(nulls):
            x, y = rng.normal(size=(n, d)), rng.normal(size=(m, d))
            splits = int(rng.integers(SEEDS))
            tables = [y, *(attack(x, y, REPLACED) for attack in ATTACKS)]
            for name, asked in STATISTICS.items():
                rejected[name].append([pvalue(x, table, splits, **asked) <= LEVEL for table in tables])
        for name, found in rejected.items():
            columns = np.array(found).T
            shares = [shown(list(column)) for column in (*columns, columns[1:].any(axis=0))]
            print_row([d, f"{n}, {m}", name, *shares], widths)


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--nulls", type=int, help="draws for each row (2000; a tenth for large samples)")
    parser.add_argument("--adversary", type=int, help="draws for each row of the second table (500)")
    parser.add_argument("--only", choices=("size", "adversary"))
    asked = parser.parse_args()
    watch = Stopwatch()
    if asked.only in (None, "size"):
        size_table(asked.nulls or (20 if asked.quick else 2000), asked.seed)
    if asked.only in (None, "adversary"):
        adversary_table(asked.adversary or (5 if asked.quick else 500), asked.seed)
    print(f"\n{watch}")


if __name__ == "__main__":
    main()
