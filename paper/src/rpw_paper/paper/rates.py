"""Lemmas 3.3, 3.4 and 3.6 and Theorem 3.7: how fast a sample's RPW approaches that of its distribution.

With r(p, d) = -1/d for p ≤ d/2 and -p/(p(d+2) - d) for p > d/2, with high probability and for constant k > 0:

    Lemma 3.6    RPW_{p,k}(μ, μ_n) = Õ(n^r)                      Lemma 3.4: p = 2, k = 1, d = 2, so r = -1/3
    Theorem 3.7  |RPW_{p,k}(μ, ν) - RPW_{p,k}(μ_n, ν_n)| = Õ(n^r)    Lemma 3.3: the same case

In RPW(μ, μ_n), the middles of equal cells stand for μ. The error of this is bounded and added, so the values are upper
bounds (`spaces`). For Theorem 3.7, μ and ν differ, and RPW(μ, ν) is known: it is a distance on the line.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

import rpw
from rpw_paper.base import Array, Report, as_n_threads, silent, spelled
from rpw_paper.convergence import rate_of_rpw
from rpw_paper.drawing import COLOURS, GUIDE, MARKERS, finish, legend
from rpw_paper.files import new_figure
from rpw_paper.paper.exhibit import Drawing, Exhibit
from rpw_paper.paper.rate_rule import CAPTION, RULE, Rate, tables, verdict
from rpw_paper.paper.spaces import DENSITIES, PAIRS, SAMPLE_SIZES, Pair, true_distance

LARGEST_WITH_MATRIX = 4096  # off the line, p = ∞ may need one

Measured = Callable[[np.random.Generator, int], float]


@dataclass(frozen=True, eq=False)
class Case:
    """One quantity over n: what it is called, its sizes, one measurement, the exponent of its bound; its dimension,
    and the formula of the quantity."""

    what: str
    space: str
    sizes: Sequence[int]
    measure: Measured
    bound: float
    dimension: int
    quantity: str


def to_sample(spaces: Sequence[str], exponents: Sequence[float], largest_n: int) -> list[Case]:
    """μ against μ_n."""

    def case(name: str, p: float) -> Case:
        density = DENSITIES[name]
        d = density.dimension

        def measure(rng: np.random.Generator, n: int) -> float:
            value = rpw.distance(density.middles(n), density.sample(rng, n), p=p, k=1, diameter=1)
            return value + density.error(n, p)

        sizes = density.sizes(_most(d, p, largest_n))
        what, bound = f"{name}, p = {spelled(p)}", rate_of_rpw(p, d)
        return Case(what, name, sizes, measure, bound, d, r"RPW($\mu$, $\mu_n$)")

    return [case(name, p) for name in spaces for p in exponents]


def between_samples(dimensions: Sequence[int], exponents: Sequence[float], largest_n: int) -> list[Case]:
    """|RPW(μ, ν) - RPW(μ_n, ν_n)| for pairs of different distributions."""

    def case(pair: Pair, d: int, p: float) -> Case:
        truth = true_distance(pair, d, p)

        def measure(rng: np.random.Generator, n: int) -> float:
            x, y = pair.sample(rng, n, d)
            x, y = (x[:, 0], y[:, 0]) if d == 1 else (x, y)
            return abs(rpw.distance(x, y, p=p, k=1, diameter=1) - truth)

        most = min(_most(d, p, largest_n), pair.slow.get((d, p), largest_n))
        sizes = [n for n in SAMPLE_SIZES if n <= most]
        space = f"{pair.name}, d = {d}"
        quantity = r"|RPW($\mu$, $\nu$) - RPW($\mu_n$, $\nu_n$)|"
        return Case(f"{space}, p = {spelled(p)}", space, sizes, measure, rate_of_rpw(p, d), d, quantity)

    return [case(pair, d, p) for pair in PAIRS for d in dimensions for p in exponents]


def _most(dimension: int, p: float, largest_n: int) -> int:
    """The largest sample of a case."""
    return min(largest_n, LARGEST_WITH_MATRIX) if dimension > 1 and math.isinf(p) else largest_n


def measured(
    cases: Sequence[Case], repeats: int, seed: list[int], n_threads: int | None, report: Report
) -> Iterator[Rate]:
    """Repeats of one size run side by side; a seed for each, whatever the threads."""
    effort = [sum(_effort(case, n) for n in case.sizes) for case in cases]
    done, total = 0.0, sum(effort)
    with ThreadPoolExecutor(as_n_threads(n_threads)) as pool:
        for number, case in enumerate(cases):
            values = []
            for n in case.sizes:
                report(done / total, case.what)
                seeds = [[*seed, number, n, repeat] for repeat in range(repeats)]
                values.append(
                    list(pool.map(lambda own, n=n, case=case: case.measure(np.random.default_rng(own), n), seeds))
                )
                done += _effort(case, n)
            yield Rate(case.what, np.array(case.sizes, dtype=float), np.array(values), case.bound)


def _effort(case: Case, n: int) -> float:
    return float(n if case.dimension == 1 else n**1.4)


def rate_exhibit(
    cases: Sequence[Case],
    *,
    repeats: int,
    seed: list[int],
    n_threads: int | None = None,
    report: Report = silent,
    caption: str,
) -> Exhibit:
    """Measure all cases and judge them."""
    found = list(measured(cases, repeats, seed, n_threads, report))
    return Exhibit(
        RULE, [verdict(rate) for rate in found], tables(found, CAPTION), [Drawing("rates", draw(cases, found), caption)]
    )


def draw(cases: Sequence[Case], found: Sequence[Rate]) -> Figure:
    """A panel for each space; a colour and a marker for each p. Dotted lines have the slope of the bound."""
    spaces = list(dict.fromkeys(case.space for case in cases))
    columns = 2 if len(spaces) == 4 else min(3, len(spaces))
    rows = -(-len(spaces) // columns)
    figure = new_figure(4.6 * columns if columns > 1 else 6.0, 4.0 * rows)
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    slope = Line2D([], [], color=GUIDE, lw=1, ls=":", label="dotted: slope of the bound")
    for ax, space in zip(axes, spaces, strict=False):
        own = [rate for case, rate in zip(cases, found, strict=True) if case.space == space]
        for colour, marker, rate in zip(COLOURS, MARKERS, own, strict=False):
            mean = rate.values.mean(axis=1)
            label = f"{rate.what.rpartition(', ')[2]}: {rate.fitted:.2f} ({rate.bound:.2f})"
            ax.loglog(rate.n, mean, marker=marker, color=colour, ms=4.5, lw=1.6, label=label)
            ax.loglog(rate.n, mean[0] * (rate.n / rate.n[0]) ** rate.bound, ":", color=colour, lw=1)
        bottom, top = ax.get_ylim()
        ax.set_ylim(bottom * (bottom / top) ** 0.25)  # room for the legend
        ticks = _ticks(max((rate.n for rate in own), key=len))
        ax.set_xticks(ticks, [f"{int(n):,}" for n in ticks])
        ax.tick_params(axis="x", which="minor", bottom=False, labelbottom=False)
        ax.tick_params(axis="y", which="minor", labelleft=False)
        finish(ax, space, "sample size n", f"mean of {cases[0].quantity}")
        legend(ax, slope, loc="lower left", title="fitted exponent (that of the bound)", title_fontsize=8)
    for ax in axes[len(spaces) :]:
        ax.set_axis_off()
    return figure


def _ticks(sizes: Array) -> Array:
    """At most four of them, and the largest."""
    return sizes[:: -math.ceil(len(sizes) / 4)]
