"""What chance alone gives over the price κ, and at which κ a change stands out: the picture in docs/choosing.md.

Run it with ``python benchmarks/stats/null_over_prices.py FILE.png``; it takes a minute.
"""

from __future__ import annotations

import sys

import matplotlib
import numpy as np
import numpy.typing as npt

import rpw

matplotlib.use("Agg")  # a picture in a file; no display is needed
from matplotlib import pyplot
from matplotlib.axes import Axes

Floats = npt.NDArray[np.float64]
PRICES = np.geomspace(0.03, 100, 19)
SIZE, DRAWS = 200, 6
DIMENSIONS = (2, 6, 15)
CHANGES = (
    "a shift by 0.4 in the plane",
    "a clump of 12 % in the plane",
    "10 % far away in 10-d",
    "a shift by 1 in 15-d",
)
COLOURS = ("tab:blue", "tab:orange", "tab:green", "tab:red")
MARKERS = ("o", "s", "^", "D")


def changed(change: str, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Two samples with one of the changes."""
    dimension = 2 if "plane" in change else 10 if "10-d" in change else 15
    x, y = rng.standard_normal((2, SIZE, dimension))
    if change == CHANGES[0]:
        y[:, 0] += 0.4
    elif change == CHANGES[1]:
        y[:24] = rng.normal(0, 0.1, (24, 2))
    elif change == CHANGES[2]:
        y[:20] += 3
    else:
        y[:, 0] += 1
    return x, y


def draw_nulls(ax: Axes) -> None:
    """RPW of two samples of one distribution."""
    for dimension, colour, marker in zip(DIMENSIONS, COLOURS, MARKERS, strict=False):
        rng = np.random.default_rng(dimension)
        pairs = [rng.standard_normal((2, SIZE, dimension)) for _ in range(3 * DRAWS)]
        found = [rpw.profile(x, y, p=2, diameter=1).distance(PRICES) for x, y in pairs]
        low, median, high = np.quantile(found, (0.05, 0.5, 0.95), axis=0)
        ax.fill_between(PRICES, low, high, color=colour, alpha=0.3, linewidth=0)
        ax.plot(PRICES, median, color=colour, marker=marker, markersize=4, label=f"d = {dimension}: median")
    ax.fill_between([], [], color="0.5", alpha=0.3, linewidth=0, label="middle 90 %")
    ax.set(ylim=(0, 1), ylabel="RPW (share of the mass)", title="Two samples of one distribution")
    ax.legend(frameon=False)


def excess(change: str) -> Floats:
    """By how many standard deviations of the null a change stands out, at each price; the mean of some draws."""
    rng = np.random.default_rng(0)
    found = []
    for _ in range(DRAWS):
        x, y = changed(change, rng)
        floors = [rpw.stats.noise_floor(x, y, k=1, diameter=price, n_resamples=29, rng=0) for price in PRICES]
        found.append([floor.excess / max(1e-12, float(np.std(floor.values))) for floor in floors])
    return np.asarray(np.mean(found, axis=0))


def draw_changes(ax: Axes) -> None:
    """At which price each change stands out."""
    ax.axhspan(-1.64, 1.64, color="0.85", label="chance, 5 to 95 %")
    for change, colour, marker in zip(CHANGES, COLOURS, MARKERS, strict=True):
        seen = excess(change)
        print(change, dict(zip(PRICES.round(2).tolist(), seen.round(1).tolist(), strict=True)))
        ax.plot(PRICES, seen, color=colour, marker=marker, markersize=4, label=change)
    ax.set(ylim=(-2, 12), ylabel="standard deviations above chance", title="By how much a change stands out")
    ax.legend(frameon=False, fontsize=9, loc="upper left")


def main() -> None:
    """Draw both side by side."""
    figure, axes = pyplot.subplots(1, 2, figsize=(11, 4), layout="constrained")
    draw_nulls(axes[0])
    draw_changes(axes[1])
    for ax in axes:
        ax.set(xscale="log", xlabel="κ = kΔ, in standard deviations of a coordinate")
    figure.savefig(sys.argv[1], dpi=110)


if __name__ == "__main__":
    main()
