"""Power of the two-sample test beside W2, the energy distance, MMD and dcMMD, and of other grids of prices.

*Shift*: y is moved along the first coordinate. *Outliers*: the same with 2 % of the rows of y far away. *Clump*: a
share of the rows of y lies in a clump amid the others. Normal points in the plane.

MMD has a Gaussian kernel, whose width is the median distance of the pooled rows. dcMMD (Schrab and Kim, arXiv
2405.19912) is written down here by its rule: with the same kernel of fixed width √d, it rejects if

    MMD > the (1 - α)-quantile over all splits, the observed one included, + 2 r √2 / min(n, m).

Run it with ``make bench-stats``. It draws docs/images/stats_power.png with ``--image``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.spatial.distance import cdist, pdist
from trials import LEVEL, Array, Stopwatch, generator, options, print_row, shown, standard_error

import rpw
from rpw.base.deadline import deadline_after
from rpw.pair.metrics import as_metric
from rpw.pair.question import as_question
from rpw.stats.evidence import Evidence
from rpw.stats.prices import GRID, Prices
from rpw.stats.resampled import Effort, Resampled, resample
from rpw.stats.samples import as_samples
from rpw.stats.splits import all_or_random_splits

SPLITS = 99
UNIT = 1.665  # the median distance of two normal points in the plane: fixed, so that the robust tests are valid
ALLOWED = 2  # rows that the robust tests allow for: the outliers
KAPPAS = (0.05, 0.15, 0.5, 1.5, 5.0, 15.0)
GRIDS = (GRID, (0.15, 1.5, 5.0), (0.3, 1.0, 3.0), (0.5, 5.0), (0.15, 1.5, 5.0, 15.0), KAPPAS)
MANY = 10  # dimensions


def shift(rng: np.random.Generator, n: int, size: float) -> tuple[Array, Array]:
    x, y = rng.normal(size=(n, 2)), rng.normal(size=(n, 2))
    y[:, 0] += size
    return x, y


def shift_with_outliers(rng: np.random.Generator, n: int, size: float) -> tuple[Array, Array]:
    x, y = shift(rng, n, size)
    y[: round(0.02 * n)] = 30 * rng.choice([-1, 1], size=(round(0.02 * n), 2)) + rng.normal(size=(round(0.02 * n), 2))
    return x, y


def clump(rng: np.random.Generator, n: int, size: float) -> tuple[Array, Array]:
    x, y = rng.normal(size=(n, 2)), rng.normal(size=(n, 2))
    rows = round(size * n)
    y[:rows] = [0.7, 0.7] + 0.1 * rng.normal(size=(rows, 2))
    return x, y


def tenth_moved(rng: np.random.Generator, n: int, size: float) -> tuple[Array, Array]:
    """In ten dimensions: a tenth of y moves in every column."""
    x, y = rng.normal(size=(n, MANY)), rng.normal(size=(n, MANY))
    y[: n // 10] += size
    return x, y


def column_shifted(rng: np.random.Generator, n: int, size: float) -> tuple[Array, Array]:
    """In ten dimensions: all of y moves in one column."""
    x, y = rng.normal(size=(n, MANY)), rng.normal(size=(n, MANY))
    y[:, 0] += size
    return x, y


Scenario = tuple[str, str, Callable[[np.random.Generator, int, float], tuple[Array, Array]], tuple[float, ...]]
SCENARIOS: tuple[Scenario, ...] = (
    ("shift, clean", "shift (sd)", shift, (0, 0.2, 0.4, 0.6, 0.8, 1.0)),
    ("shift, 2 % outliers in y", "shift (sd)", shift_with_outliers, (0, 0.2, 0.4, 0.6, 0.8, 1.0)),
    ("a clump", "share of y in the clump", clump, (0, 0.05, 0.1, 0.15, 0.2, 0.3)),
)


def mmd_of_splits(z: Array, n: int, width: float, rng: np.random.Generator) -> Array:
    """√ of the V-statistic of each split; the observed one is the first."""
    kernel = np.exp(-(cdist(z, z, "sqeuclidean")) / (2 * width**2))
    signs = np.r_[np.full(n, 1 / n), np.full(len(z) - n, -1 / (len(z) - n))]
    each = np.vstack([signs, rng.permuted(np.tile(signs, (SPLITS, 1)), axis=1)])
    return np.sqrt(np.maximum(0, np.einsum("ij,ij->i", each @ kernel, each)))


def mmd(x: Array, y: Array, rng: np.random.Generator) -> bool:
    z = np.vstack([x, y])
    values = mmd_of_splits(z, len(x), float(np.median(pdist(z))), rng)
    return (values >= values[0] - 1e-12).sum() / len(values) <= LEVEL


def dcmmd(x: Array, y: Array, rng: np.random.Generator, rows: int) -> bool:
    values = mmd_of_splits(np.vstack([x, y]), len(x), np.sqrt(x.shape[1]), rng)
    quantile = np.sort(values)[int(np.ceil(len(values) * (1 - LEVEL))) - 1]
    return bool(values[0] > quantile + 2 * rows * np.sqrt(2) / min(len(x), len(y)))


def robust_pvalue(found: rpw.stats.TwoSampleResult) -> float:
    """p_r at the middle price alone, as k=1.5 with contamination=r would give it; the walks are there already."""
    evidence = found._evidence
    middle = replace(evidence.resampled, values=evidence.resampled.values[:, [1]])
    return Evidence(Prices(GRID[1:2], UNIT, True), middle, evidence.is_all).pvalue(ALLOWED)


def rejected(x: Array, y: Array, rng: np.random.Generator) -> dict[str, bool]:
    seed = int(rng.integers(2**31))
    shared = {"n_resamples": SPLITS, "rng": seed, "n_threads": 1}
    ours = rpw.stats.two_sample_test(x, y, diameter=UNIT, **shared)
    return {
        "RPW": ours.pvalue <= LEVEL,
        "W2": rpw.stats.two_sample_test(x, y, statistic="wasserstein", **shared).pvalue <= LEVEL,
        "energy": rpw.stats.two_sample_test(x, y, statistic="energy", **shared).pvalue <= LEVEL,
        "MMD": mmd(x, y, rng),
        f"RPW, r={ALLOWED}": robust_pvalue(ours) <= LEVEL,
        f"dcMMD, r={ALLOWED}": dcmmd(x, y, rng, ALLOWED),
    }


def power_table(draws: int, n: int, seed: int) -> dict[str, dict[str, list[float]]]:
    curves: dict[str, dict[str, list[float]]] = {}
    print(
        f"Rejected at level {LEVEL}: n = m = {n}, {SPLITS} splits, {draws} draws, k=None (r={ALLOWED}: 1.5), Δ = {UNIT}"
    )
    for case, (name, _, plant, sizes) in enumerate(SCENARIOS):
        curves[name] = {}
        for size in sizes:
            rng = generator(seed, case, round(100 * size))
            found = [rejected(*plant(rng, n, size), rng) for _ in range(draws)]
            tests = list(found[0])
            widths = [24, 6] + [15] * len(tests)
            if size == sizes[0]:
                print_row([name, "", *tests], widths)
            print_row(["", size, *(shown([each[test] for each in found]) for test in tests)], widths)
            for test in tests:
                curves[name].setdefault(test, []).append(float(np.mean([each[test] for each in found])))
    return curves


def pvalues_of_grids(x: Array, y: Array, seed: int) -> dict[tuple[float, ...], float]:
    """Of all grids and single prices from one walk of each split."""
    samples = as_samples(x, y)
    splits = all_or_random_splits(samples, SPLITS, np.random.default_rng(seed))
    unit = float(np.median(pdist(samples.points)))
    effort = Effort("cpu", 1, deadline_after(None), lambda done: None)
    solved = resample(splits, as_question(p=2), as_metric("euclidean"), unit * np.array(ALL), effort)
    pvalues = {}
    for grid in (*((kappa,) for kappa in KAPPAS), *GRIDS):
        chosen = [ALL.index(kappa) for kappa in grid]
        found = Resampled(solved.values[:, chosen], unit * np.array(grid), solved.sizes)
        pvalues[grid] = Evidence(Prices(grid, unit, False), found, splits.is_all).pvalue(0)
    return pvalues


ALL = tuple(sorted({kappa for grid in (*GRIDS, KAPPAS) for kappa in grid}))


def grid_table(draws: int, n: int, seed: int) -> None:
    print(f"\nPower of grids of k (Δ = the pooled median distance): n = m = {n}, {SPLITS} splits, {draws} draws")
    cases = (
        ("shift 0.5", shift, 0.5),
        ("shift 0.5, outliers", shift_with_outliers, 0.5),
        ("clump 15 %", clump, 0.15),
        ("10-d: shift 1.0", column_shifted, 1.0),
        ("10-d: a tenth by 3", tenth_moved, 3.0),
    )
    table: dict[tuple[float, ...], list[list[bool]]] = {}
    for case, (_, plant, size) in enumerate(cases):
        rng = generator(seed, 20, case)
        found = [pvalues_of_grids(*plant(rng, n, size), int(rng.integers(2**31))) for _ in range(draws)]
        for grid in found[0]:
            table.setdefault(grid, []).append([pvalues[grid] <= LEVEL for pvalues in found])
    widths = [36, 20, 20, 20, 20, 20, 8]
    print_row(["k", *(name for name, _, _ in cases), "least"], widths)
    for grid, columns in table.items():
        name = ", ".join(f"{kappa:g}" for kappa in grid) + " (default)" * (grid == GRID)
        print_row([name, *map(shown, columns), f"{min(np.mean(column) for column in columns):.3f}"], widths)


STYLES = {  # marker and colour of each test: the robust ones have empty markers and dashed lines
    "RPW": ("o", "#0b5394", "-"),
    "W2": ("s", "#b45f06", "-"),
    "energy": ("^", "#38761d", "-"),
    "MMD": ("D", "#741b47", "-"),
    f"RPW, r={ALLOWED}": ("o", "#0b5394", "--"),
    f"dcMMD, r={ALLOWED}": ("D", "#741b47", "--"),
}


def draw(curves: dict[str, dict[str, list[float]]], draws: int, n: int, path: Path) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(SCENARIOS), figsize=(11, 4), sharey=True, layout="constrained")
    for ax, (name, label, _, sizes) in zip(axes, SCENARIOS, strict=True):
        for test, powers in curves[name].items():
            marker, colour, line = STYLES[test]
            face = "white" if line == "--" else colour
            errors = [standard_error(power, draws) for power in powers]
            ax.errorbar(
                sizes, powers, errors, marker=marker, color=colour, linestyle=line, markerfacecolor=face,
                linewidth=1.3, markersize=5, elinewidth=0.8, label=test.replace("W2", "W₂").replace("r=", "r = "),
            )  # fmt: skip
        ax.axhline(LEVEL, color="0.5", linewidth=0.8, linestyle=":")
        ax.set(title=f"{name[0].upper()}{name[1:]}", xlabel=label, ylim=(-0.02, 1.04))
    axes[0].set_ylabel(f"share rejected at level {LEVEL:g}")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
    allowed = f"r = {ALLOWED}: the test allows for {ALLOWED} replaced rows"
    marks = f"bars: one standard error; dotted: the level {LEVEL:g}; {allowed}"
    figure.suptitle(f"n = m = {n} in the plane, {SPLITS} splits, {draws} draws a point; {marks}", fontsize=9)
    figure.savefig(path, dpi=130)
    print(f"\ndrawn: {path}")


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--draws", type=int, help="of each point (300)")
    parser.add_argument("--only", choices=("curves", "grids"))
    parser.add_argument("--image", type=Path, help="where to draw the curves")
    asked = parser.parse_args()
    watch, draws = Stopwatch(), asked.draws or (8 if asked.quick else 300)
    n = 50 if asked.quick else 100
    if asked.only in (None, "curves"):
        curves = power_table(draws, n, asked.seed)
        if asked.image is not None:
            draw(curves, draws, n, asked.image)
    if asked.only in (None, "grids"):
        grid_table(draws, 60, asked.seed)
    print(f"\n{watch}")


if __name__ == "__main__":
    main()
