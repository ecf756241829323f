"""Section 5: the running time of LMR against its bound.

A distance within δ needs the profile within δ' = (kδ/2)^p, and LMR takes O(n²/δ' + n/δ'²) for that. The paper drops
k, a constant, and writes O(n²/δ^p + n/δ^(2p)); here it stays:

    T(n, δ, k) ≤ C · (n²/(kδ)^p + n/(kδ)^(2p))        (the factor 2^p is part of C)

Samples of two shifted squares, p = 2. Time is processor time, the best of three runs. It differs from run to run; the
number of phases does not. The constant C is not known, so only growth can be tested. Along each of n, 1/δ and 1/k, the
fitted exponent of the time is compared with the exponent of the bound in the end: 2 in n, 2p in 1/δ and in 1/k. Over
the few values that are run, the bound may grow more slowly, because its other term is larger there.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import rpw
from rpw_paper.base import Array, Report, silent
from rpw_paper.drawing import COLOURS, finish, legend
from rpw_paper.files import new_figure
from rpw_paper.paper.exhibit import NO, OPEN, YES, Drawing, Exhibit, Table, Verdict
from rpw_paper.statistics import exponent_band, fitted_exponent

P = 2
SHIFT = 0.1
BEST_OF = 3
RULE = (
    "The constant of the bound is not known, so only growth is compared: the 95 % interval of the exponent of the time "
    "(bootstrap over the samples) with the exponent of the bound in the end, 2 in n and 2p = 4 in 1/δ and in 1/k. Yes: "
    "the interval lies at or below it. No: it lies above. Open: on both sides."
)
IN_THE_END = {"n": 2.0, "1/δ": 2.0 * P, "1/k": 2.0 * P}


@dataclass(frozen=True, eq=False)
class Sweep:
    """Times (values, samples) along one variable; what varies grows, and the bound with it."""

    along: str
    fixed: str
    values: Array
    times: Array
    bounds: Array

    @property
    def fitted(self) -> float:
        """The exponent of the mean time."""
        return fitted_exponent(self.values, self.times.mean(axis=1))

    @property
    def allowed(self) -> float:
        """The exponent of the bound in the end."""
        return IN_THE_END[self.along]

    @property
    def local(self) -> float:
        """That of the bound over the same values."""
        return fitted_exponent(self.values, self.bounds)


def bound(n: float, delta: float, k: float, p: float = P) -> float:
    """The paper's bound with its k, without its constant."""
    unit = (k * delta) ** p
    return float(n**2 / unit + n / unit**2)


def sample(n: int, seed: list[int]) -> tuple[Array, Array]:
    """Two samples of one square of diameter 1 less the shift, the second shifted."""
    rng = np.random.default_rng(seed)
    x, y = rng.random((2, n, 2)) * (1 - SHIFT) / math.sqrt(2)
    return x, y + np.array([SHIFT, 0.0])


def timed(n: int, delta: float, k: float, seed: list[int]) -> tuple[float, int, float]:
    """Seconds of one solve (the best of some), its phases, and the error that it proved."""
    x, y = sample(n, seed)
    cost = np.linalg.norm(x[:, None] - y[None], axis=2)
    best = math.inf
    for _ in range(BEST_OF):
        start = time.thread_time()
        result = rpw.solve(cost=cost, p=P, k=k, tol=delta, solver="lmr", diameter=1)
        best = min(best, time.thread_time() - start)
    return best, result.iterations, result.gap


def lmr_exhibit(
    *,
    sizes: Sequence[int],
    deltas: Sequence[float],
    prices: Sequence[float],
    repeats: int,
    seed: int,
    report: Report = silent,
) -> Exhibit:
    """All combinations along three lines: over n, over 1/δ, over 1/k; the others keep their middle value."""
    middle = (sizes[len(sizes) // 2], deltas[len(deltas) // 2], prices[len(prices) // 2])
    lines = {
        "n": [(n, *middle[1:]) for n in sizes],
        "1/δ": [(sizes[-1], delta, middle[2]) for delta in deltas],
        "1/k": [(sizes[-1], middle[1], k) for k in prices],
    }
    rows, sweeps, done, total = [], [], 0, sum(map(len, lines.values()))
    for along, points in lines.items():
        times = np.empty((len(points), repeats))
        for i, (n, delta, k) in enumerate(points):
            report(done / total, f"n = {n}, δ = {delta:g}, k = {k:g}")
            done += 1
            for repeat in range(repeats):
                times[i, repeat], phases, gap = timed(n, delta, k, [seed, 90, n, repeat])
                rows.append([along, n, delta, k, repeat, float(times[i, repeat]), phases, gap, bound(n, delta, k)])
        sweeps.append(sweep_of(along, points, times))
    header = ["along", "n", "delta", "k", "repeat", "seconds", "phases", "gap", "bound"]
    fitted = [
        [each.along, each.fixed, each.fitted, exponent_band(each.values, each.times), each.allowed, each.local]
        for each in sweeps
    ]
    caption = (
        "Exponents of the time with half their 95 % intervals; those of the bound, in the end and over these values."
    )
    return Exhibit(
        RULE,
        [*(verdict(each) for each in sweeps), promise(rows)],
        [
            Table("exponents", ["along", "fixed", "fitted", "half_width", "bound", "bound_here"], fitted, caption),
            Table("times", header, rows),
        ],
        [Drawing("times", draw(sweeps), "The time of LMR and its bound, scaled so that no time lies above it.")],
    )


def sweep_of(along: str, points: Sequence[tuple[int, float, float]], times: Array) -> Sweep:
    """Times (points, samples) along one variable, in the order of its values."""
    varied = {"n": [n for n, _, _ in points], "1/δ": [1 / delta for _, delta, _ in points]}
    values = np.array(varied.get(along) or [1 / k for _, _, k in points], dtype=float)
    n, delta, k = points[0]
    fixed = {"n": f"δ = {delta:g}, k = {k:g}", "1/δ": f"n = {n}, k = {k:g}", "1/k": f"n = {n}, δ = {delta:g}"}[along]
    order = np.argsort(values)
    bounds = np.array([bound(*point) for point in points])
    return Sweep(along, fixed, values[order], times[order], bounds[order])


def verdict(sweep: Sweep) -> Verdict:
    """Whether the time grows no faster than the bound."""
    band = exponent_band(sweep.values, sweep.times)
    fitted, allowed = sweep.fitted, sweep.allowed
    found = f"exponent {fitted:.2f} ± {band:.2f}, the bound has {allowed:.2f}"
    answer = YES if fitted + band <= allowed else NO if fitted - band > allowed else OPEN
    return Verdict(f"Along {sweep.along} ({sweep.fixed}) the time grows no faster than the bound", found, answer)


def promise(rows: Sequence[Sequence[Any]]) -> Verdict:
    """The accuracy that was asked for."""
    broken = sum(float(row[7]) > float(row[2]) * (1 + 1e-9) for row in rows)
    found = f"the error that is proved is at most δ in {len(rows) - broken} of {len(rows)} solves"
    return Verdict("LMR computes RPW within δ", found, NO if broken else YES)


def draw(sweeps: Sequence[Sweep]) -> Figure:
    """A panel for each variable."""
    figure = new_figure(4.6 * len(sweeps), 4.4)
    for ax, sweep in zip(figure.subplots(1, len(sweeps), sharey=True), sweeps, strict=True):
        for number, repeat in enumerate(sweep.times.T):
            label = None if number else "dots: single samples"
            ax.loglog(sweep.values, repeat, "o", color=COLOURS[0], ms=3, alpha=0.5, label=label)
        scale = float((sweep.times.max(axis=1) / sweep.bounds).max())
        time_says = f"mean time: fitted exponent {sweep.fitted:.2f} in {sweep.along}"
        bound_says = f"scaled bound: fitted exponent {sweep.local:.2f} here, {sweep.allowed:.0f} in the end"
        ax.loglog(sweep.values, sweep.times.mean(axis=1), marker="s", ms=5, color=COLOURS[0], lw=1.4, label=time_says)
        ax.loglog(sweep.values, sweep.bounds * scale, marker="^", ms=5, color=COLOURS[3], lw=1.5, label=bound_says)
        finish(ax, f"LMR over {sweep.along}, with {sweep.fixed}", sweep.along, "seconds of one processor")
        ax.set_xticks(sweep.values, [f"{value:g}" for value in sweep.values])
        ax.minorticks_off()
        legend(ax, loc="upper left")
    bottom, top = figure.axes[0].get_ylim()  # of all panels
    figure.axes[0].set_ylim(top=top * (top / bottom) ** 0.25)  # room for the legends
    return figure
