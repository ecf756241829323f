"""How far apart two samples of one distribution are: the table of the noise floor in docs/meaning.md.

Both samples come from the standard normal distribution in d dimensions. Δ is the 99 % quantile of the distance between
two of its points, √2 times that of a chi distribution with d degrees of freedom, so it does not depend on the sample.
Run it with ``python benchmarks/stats/noise_floor_table.py``; it takes several minutes. The last line has Δ from
``rpw.diameter(quantile=0.9)`` instead, which depends on the sample.
"""

from __future__ import annotations

import argparse

import numpy as np
from scipy.stats import chi

import rpw

SIZES = (100, 300, 1000, 3000)
DIMENSIONS = (1, 2, 6, 10, 30)
KS = (1.0, 0.2)
P = 2


def diameter(dimension: int) -> float:
    """The 99 % quantile of the distance between two points."""
    return float(np.sqrt(2) * chi.ppf(0.99, dimension))


def floors(n: int, dimension: int, draws: int) -> list[float]:
    """The median RPW of two samples of n points, for each k."""
    rng = np.random.default_rng([n, dimension])
    found = []
    for _ in range(draws):
        x, y = rng.standard_normal((2, n, dimension))
        profile = rpw.profile(x, y, p=P, diameter=diameter(dimension), tol=0.002)
        found.append([float(profile.distance(k)) for k in KS])
    return [float(value) for value in np.median(found, axis=0)]


def floor_with_delta_of_sample(n: int, dimension: int, draws: int) -> float:
    """The median RPW at k = 1 where Δ ignores the 10 % of points that are farthest out."""
    rng = np.random.default_rng([n, dimension])
    pairs = [rng.standard_normal((2, n, dimension)) for _ in range(draws)]
    return float(np.median([rpw.distance(x, y, p=P, diameter=rpw.diameter(x, y, quantile=0.9)) for x, y in pairs]))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=11, help="pairs of samples for each entry, of up to 1,000 points")
    draws = parser.parse_args().draws
    print("| d | Δ | k | κ | " + " | ".join(f"n = {n:,}" for n in SIZES) + " |")
    print("|---" * (4 + len(SIZES)) + "|")
    for dimension in DIMENSIONS:
        columns = [floors(n, dimension, draws if n <= 1000 else 3) for n in SIZES]
        for number, k in enumerate(KS):
            unit = diameter(dimension)
            cells = " | ".join(f"{column[number]:.3f}" for column in columns)
            print(f"| {dimension} | {unit:.1f} | {k:g} | {k * unit:.2f} | {cells} |", flush=True)
    shown = (f"{floor_with_delta_of_sample(300, dimension, draws):.3f} (d = {dimension})" for dimension in DIMENSIONS)
    print("with Δ of the sample, n = 300, k = 1: " + ", ".join(shown))


if __name__ == "__main__":
    main()
