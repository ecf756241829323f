"""Do the bounds hold as often as they promise, and how close do they come?

*At least so many rows have changed*: rows of y are replaced, or all are shifted. A shift is planted by the coupling
that changes as few rows as possible, so the number of rows that changed is known in every draw.

*At most so far apart*: the populations differ in the first coordinate alone. Then their RPW is that of the first
coordinates, on the line, and is computed there from 20,000 quantiles.

Run it with ``make bench-stats``. Means and shares are given with one standard error.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy.stats import norm
from trials import Array, Stopwatch, generator, mean_shown, options, print_row, shown

import rpw
from rpw.stats.evidence import Evidence

EXPONENTS = (1.0, 2.0, math.inf)
CONFIDENCE = 0.95
QUANTILES = 20_000
UNITS: tuple[tuple[str, dict[str, float]], ...] = (("k=1, Δ=2", {"k": 1, "diameter": 2}), ("k=None", {}))


def replaced_far(rng: np.random.Generator, m: int, share: float) -> tuple[Array, int]:
    """A normal sample; a share of its rows lies in a cluster far away."""
    y, rows = rng.normal(size=(m, 2)), round(share * m)
    y[:rows] = 8 + 0.5 * rng.normal(size=(rows, 2))
    return y, rows


def replaced_near(rng: np.random.Generator, m: int, share: float) -> tuple[Array, int]:
    """A normal sample; a share of its rows lies in a clump amid the others."""
    y, rows = rng.normal(size=(m, 2)), round(share * m)
    y[:rows] = 1 + 0.1 * rng.normal(size=(rows, 2))
    return y, rows


def shifted(rng: np.random.Generator, m: int, shift: float) -> tuple[Array, int]:
    """A normal sample, shifted in one coordinate, and how many of its rows are not those of an unshifted one.

    A row of the unshifted sample is kept with probability min(1, q/p). In its stead comes one of the density (q - p)⁺.
    """
    y = rng.normal(size=(m, 2))
    changed = rng.random(m) >= norm.pdf(y[:, 0] - shift) / norm.pdf(y[:, 0])
    for row in np.flatnonzero(changed):
        while True:
            place = shift + rng.normal()
            if rng.random() >= norm.pdf(place) / norm.pdf(place - shift):
                break
        y[row, 0] = place
    return y, int(changed.sum())


CHANGES: tuple[tuple[str, Callable[[np.random.Generator, int, float], tuple[Array, int]], float], ...] = (
    ("1 % far", replaced_far, 0.01),
    ("5 % far", replaced_far, 0.05),
    ("20 % far", replaced_far, 0.2),
    ("5 % in a clump", replaced_near, 0.05),
    ("20 % in a clump", replaced_near, 0.2),
    ("shift by 0.25 sd", shifted, 0.25),
    ("shift by 1 sd", shifted, 1.0),
)


def changed_table(draws: int, n: int, splits: int, seed: int) -> None:
    print(f"changed_at_least(0.95): normal points in the plane, n = m = {n}, {splits} splits, {draws} draws")
    widths = [18, 10, 6, 16, 14, 14]
    print_row(["what changed", "test", "p", "bound ≤ truth", "rows changed", "bound"], widths)
    for case, (name, plant, size) in enumerate(CHANGES):
        for p in EXPONENTS:
            for label, unit in UNITS if p == 2 else UNITS[:1]:
                rng = generator(seed, case)
                truths, bounds = [], []
                for draw in range(draws):
                    x, (y, truth) = rng.normal(size=(n, 2)), plant(rng, n, size)
                    found = rpw.stats.two_sample_test(x, y, p=p, n_resamples=splits, rng=draw, n_threads=1, **unit)
                    truths.append(truth)
                    bounds.append(found.changed_at_least(CONFIDENCE))
                held = [bound <= truth for bound, truth in zip(bounds, truths, strict=True)]
                row = [name, label, f"{p:g}", shown(held), f"{np.mean(truths):.1f}", mean_shown(bounds)]
                print_row(row, widths)


def plain_bound(found: rpw.stats.TwoSampleResult) -> int:
    """The same bound without profiles: T ± s in place of T⁻ and T⁺."""
    evidence = found._evidence
    values = replace(evidence.resampled, upper={}, lower={})
    return Evidence(evidence.prices, values, evidence.is_all).fewest_replaced(1 - CONFIDENCE)


def sandwich_table(draws: int, n: int, splits: int, seed: int) -> None:
    """Profiles against T ± s: a tenth of the points in a far cluster, and a shift by a fifth of the width."""
    print(f"\nProfiles beside T ± s: n = m = {n} in the unit square, k fixed, Δ = 1, {splits} splits, {draws} draws")
    widths = [22, 4, 6, 14, 14]
    print_row(["what changed", "p", "k", "by profiles", "by T ± s"], widths)
    for case, name in enumerate(("a tenth, far", "shift by 0.2")):
        for p in (1.0, 2.0):
            for k in (0.3, 1.0):
                rng = generator(seed, 7, case)
                bounds, plain = [], []
                for draw in range(draws):
                    x, y = rng.random((n, 2)), rng.random((n, 2))
                    if case == 0:
                        y[: n // 10] = 5 + 0.1 * rng.random((n // 10, 2))
                    else:
                        y[:, 0] += 0.2
                    found = rpw.stats.two_sample_test(
                        x, y, p=p, k=k, diameter=1, n_resamples=splits, rng=draw, n_threads=1
                    )
                    bounds.append(found.changed_at_least(CONFIDENCE))
                    plain.append(plain_bound(found))
                print_row([name, f"{p:g}", k, mean_shown(bounds), mean_shown(plain)], widths)


def population_distance(p: float, shift: float) -> float:
    """RPW at k = 1, Δ = 1 of the uniform distribution on [0, 1] and the same shifted."""
    line = (np.arange(QUANTILES) + 0.5) / QUANTILES
    return rpw.distance(line, line + shift, p=p, k=1, diameter=1)


def at_most_table(draws: int, n: int, seed: int) -> None:
    print(f"\nat_most(0.95): uniform in the unit cube, shifted in a coordinate, k=1, Δ=1, n = m = {n}, {draws} draws")
    widths = [4, 6, 8, 16, 14, 18, 18]
    print_row(["d", "p", "shift", "truth ≤ bound", "RPW of the", "RPW of the", "bound"], widths)
    print_row(["", "", "", "", "populations", "samples", ""], widths)
    for d in (1, 2, 10):
        for p in EXPONENTS:
            for shift in (0.0, 0.3):
                rng, truth = generator(seed, 9, d), population_distance(p, shift)
                bounds, distances = [], []
                for draw in range(draws):
                    x, y = rng.random((n, d)), rng.random((n, d))
                    y[:, 0] += shift
                    found = rpw.stats.two_sample_test(x, y, p=p, k=1, diameter=1, n_resamples=1, rng=draw, n_threads=1)
                    bounds.append(found.at_most(CONFIDENCE))
                    distances.append(found.distance)
                held = [truth <= bound + 1e-4 for bound in bounds]  # 1e-4: the error of the truth
                print_row(
                    [d, f"{p:g}", shift, shown(held), f"{truth:.3f}", mean_shown(distances, ".3f"),
                     mean_shown(bounds, ".3f")],
                    widths,
                )  # fmt: skip


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--draws", type=int, help="of each row (200)")
    parser.add_argument("--only", choices=("changed", "sandwich", "at_most"))
    asked = parser.parse_args()
    watch, draws = Stopwatch(), asked.draws or (10 if asked.quick else 200)
    n, splits = (40, 59) if asked.quick else (200, 99)
    if asked.only in (None, "changed"):
        changed_table(draws, n, splits, asked.seed)
    if asked.only in (None, "sandwich"):
        sandwich_table(max(2, draws // 40), 60 if asked.quick else 500, splits, asked.seed)
    if asked.only in (None, "at_most"):
        at_most_table(draws, n, asked.seed)
    print(f"\n{watch}")


if __name__ == "__main__":
    main()
