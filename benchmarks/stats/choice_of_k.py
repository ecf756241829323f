"""Why a lower k helps one problem and ruins another, and what far outliers hide: the figures in docs/meaning.md.

1. A robust fit: move a cloud onto another one that has outliers, by minimising RPW over the shift.
2. Patients: each is a cloud of points in 15 dimensions, and the nearest other patient tells the group.
3. A shift beside far outliers.
4. How far a shift by 0.5 stands above the null, over the number of rows.

Run it with ``python benchmarks/stats/choice_of_k.py``; it takes a minute or two.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.stats import chi

import rpw

Floats = npt.NDArray[np.float64]
KS = (3.0, 1.0, 0.3, 0.1, 0.03)


def unit(dimension: int) -> float:
    """Δ: the 99 % quantile of the distance between two standard normal points."""
    return float(np.sqrt(2) * chi.ppf(0.99, dimension))


def error_of_fit(k: float, seed: int) -> float:
    """How far the best shift is from the true one; 15 % of the second cloud lie in a clump 5 deviations off."""
    rng = np.random.default_rng(seed)
    x, y = rng.standard_normal((2, 200, 2))
    y[:30] = rng.normal((5, 0), 0.5, (30, 2))
    truth = np.array([1.0, -2.0])

    def loss(shift: Floats) -> float:
        return float(rpw.distance(x + shift, y + truth, k=k, diameter=unit(2)))

    start = np.median(y + truth, axis=0) - np.median(x, axis=0)
    best = minimize(loss, start, method="Nelder-Mead", options={"xatol": 1e-3, "fatol": 1e-6})
    return float(np.linalg.norm(best.x - truth))


def patients(seed: int, count: int = 60, size: int = 40, dimension: int = 15) -> tuple[list[Floats], Floats]:
    """Clouds of three groups, which differ in their mean along one direction each; and their groups."""
    rng = np.random.default_rng(seed)
    groups = np.arange(count) % 3
    clouds = []
    for group in groups:
        cloud = rng.standard_normal((size, dimension))
        cloud[:, group] += 0.8
        clouds.append(cloud)
    return clouds, groups.astype(float)


def accuracy(k: float, seed: int) -> float:
    """The share of patients whose nearest other patient is of the same group."""
    clouds, groups = patients(seed)
    between = rpw.pairwise(clouds, k=k, diameter=unit(15))
    np.fill_diagonal(between, np.inf)
    return float((groups[between.argmin(axis=1)] == groups).mean())


def beside_outliers(share: float, shift: float, k: float = 1.0, n: int = 1000) -> float:
    """RPW of two samples of the plane; the second is shifted, and a share of it lies far away."""
    rng = np.random.default_rng(1)
    x, y = rng.standard_normal((2, n, 2))
    y[:, 0] += shift
    y[: round(share * n)] = 1000.0
    return float(rpw.distance(x, y, k=k, diameter=unit(2)))


def height(n: int, dimension: int) -> float:
    """By how many standard deviations a shift of one column by 0.5 stands above the null; the median of some draws."""
    found = []
    for seed in range(7):
        x, y = np.random.default_rng([n, seed]).standard_normal((2, n, dimension))
        y[:, 0] += 0.5
        floor = rpw.stats.noise_floor(x, y, diameter=unit(dimension), n_resamples=29, rng=0)
        found.append(floor.excess / float(np.std(floor.values)))
    return float(np.median(found))


def main() -> None:
    """Print the tables."""
    print("| k | error of the fit | RPW of two patients of one group | 1-NN accuracy |")
    print("|---|---|---|---|")
    for k in KS:
        fit = np.median([error_of_fit(k, seed) for seed in range(15)])
        clouds, _ = patients(0)
        apart = rpw.distance(clouds[0], clouds[3], k=k, diameter=unit(15))
        right = np.mean([accuracy(k, seed) for seed in range(5)])
        print(f"| {k:g} | {fit:.3f} | {apart:.3f} | {right:.2f} |", flush=True)
    print("\n| outliers | κδ | " + " | ".join(f"shift {shift}" for shift in (0.0, 0.2, 0.5, 1.0)) + " |")
    for share in (0.0, 0.02, 0.085, 0.2):
        cells = " | ".join(f"{beside_outliers(share, shift):.5f}" for shift in (0.0, 0.2, 0.5, 1.0))
        print(f"| {share:.1%} | {unit(2) * share:.2f} | {cells} |", flush=True)
    print("\nwith k = 0.1: ", [round(beside_outliers(0.085, shift, 0.1), 5) for shift in (0.0, 0.2, 0.5, 1.0)])
    for dimension in (2, 10):
        heights = {n: round(height(n, dimension), 1) for n in (100, 300, 1000)}
        print(f"a shift by 0.5 in {dimension} dimensions, in standard deviations above the null, by n: {heights}")


if __name__ == "__main__":
    main()
