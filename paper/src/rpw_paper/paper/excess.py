"""Lemma 3.5 and Lemma A.2: the excess of a grid.

For any μ inside the unit cube of d dimensions, its sample μ_n, and a grid G with cells of side n^(-α),

    excess(G) = Σ over cells of max(0, μ(cell) - μ_n(cell)) = Õ(n^(dα/2 - 1/2))   with high probability;

Lemma 3.5 is d = 2. Only counts matter, so samples of a million points take little time. There are two distributions:
the uniform one, and one whose coordinates are third powers of uniform numbers (dense in a corner, sparse elsewhere).
"""

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from rpw_paper.base import Array, Report, silent
from rpw_paper.drawing import COLOURS, GUIDE, MARKERS, finish, legend
from rpw_paper.files import new_figure
from rpw_paper.paper.exhibit import Drawing, Exhibit
from rpw_paper.paper.rate_rule import RULE, Rate, tables, verdict

POWERS = {"uniform": 1, "cubed": 3}
SIDES = {1: (0.3, 0.6), 2: (0.2, 0.3, 0.4), 3: (0.2, 0.3)}  # α by dimension, all below 1/d
SEED_OF = {"uniform": 31, "cubed": 32}
_DRAWN_AS = {"uniform": "uniform points", "cubed": "third powers of uniform numbers"}


def _edges(n: int, alpha: float) -> Array:
    """The ends of cells of side n^-α on [0, 1]; the last is cut off by the cube."""
    side = n**-alpha
    cells = int(np.ceil(1 / side - 1e-9))
    return np.asarray(np.minimum(np.arange(cells + 1) * side, 1.0))


def excess(shares: Array, counts: npt.NDArray[np.int_]) -> float:
    """The excess of μ (shares of cells) over a sample (counts in cells)."""
    return float(np.maximum(shares - counts / counts.sum(), 0).sum())


def excess_of_sample(n: int, alpha: float, d: int, power: int, rng: np.random.Generator) -> float:
    """One sample of n points; coordinates are uniform numbers to a power."""
    edges = _edges(n, alpha)
    line = np.diff(edges ** (1 / power))
    shares = line
    for _ in range(d - 1):
        shares = np.multiply.outer(shares, line)
    at = [np.searchsorted(edges, rng.random(n) ** power, side="right") - 1 for _ in range(d)]
    at = [np.minimum(axis, len(line) - 1) for axis in at]  # the end of the cube belongs to its last cell
    counts = np.bincount(np.ravel_multi_index(at, shares.shape), minlength=shares.size)
    return excess(shares.ravel(), counts)


def rates(dimensions: tuple[int, ...], sizes: tuple[int, ...], repeats: int, seed: int, report: Report) -> list[Rate]:
    """A rate for each distribution, dimension and α."""
    cases = [(name, d, alpha) for name in POWERS for d in dimensions for alpha in SIDES[d]]
    found = []
    for done, (name, d, alpha) in enumerate(cases):
        values = np.empty((len(sizes), repeats))
        for i, n in enumerate(sizes):
            report((done + i / len(sizes)) / len(cases), f"{name}, d = {d}, α = {alpha:g}")
            for repeat in range(repeats):
                rng = np.random.default_rng([seed, SEED_OF[name], d, round(100 * alpha), n, repeat])
                values[i, repeat] = excess_of_sample(n, alpha, d, POWERS[name], rng)
        what = f"excess, {name}, d = {d}, α = {alpha:g}"
        found.append(Rate(what, np.array(sizes, dtype=float), values, d * alpha / 2 - 0.5))
    return found


def excess_exhibit(
    dimensions: tuple[int, ...], *, sizes: tuple[int, ...], repeats: int, seed: int, report: Report = silent
) -> Exhibit:
    """The lemma for these dimensions."""
    found = rates(dimensions, sizes, repeats, seed, report)
    caption = (
        "Fitted exponents of the excess with their 95 % intervals; the bound dα/2 - 1/2; the slope of the bound times "
        "√log n; the spread: the largest repeat over the mean, at the largest n."
    )
    return Exhibit(
        RULE,
        [verdict(rate) for rate in found],
        tables(found, caption),
        [Drawing("excess", draw(found), "Marks: the mean excess over n. Lines: the bound, through the first mark.")],
    )


def draw(found: list[Rate]) -> Figure:
    """A panel for each distribution."""
    figure = new_figure(10.4, 4.6)
    axes = figure.subplots(1, len(POWERS), sharey=True)
    line = Line2D([], [], color=GUIDE, lw=1, label="line: the bound, through the first mean")
    for ax, (name, words) in zip(axes, _DRAWN_AS.items(), strict=True):
        own = [rate for rate in found if f", {name}," in rate.what]
        for colour, marker, rate in zip(COLOURS, MARKERS, own, strict=False):
            mean = rate.values.mean(axis=1)
            label = rate.what.partition(f"{name}, ")[2]
            ax.loglog(rate.n, mean, marker, color=colour, ms=5.5, label=label)
            ax.loglog(rate.n, mean[0] * (rate.n / rate.n[0]) ** rate.bound, color=colour, lw=1)
        bottom, top = ax.get_ylim()
        ax.set_ylim(bottom * (bottom / top) ** 0.2)  # room for the legend
        finish(ax, words, "sample size n", "mean excess of the grid")
        legend(ax, line, loc="lower left")
    return figure
