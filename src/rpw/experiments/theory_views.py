"""Views of the convergence and robustness experiments: tables, CSV files and figures."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rpw.base.check import Array
from rpw.experiments.convergence import Curve
from rpw.experiments.files import new_figure, write_csv, write_figure
from rpw.experiments.retrieval_views import COLOURS
from rpw.experiments.robustness import Outliers, Thresholds

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "bound_table",
    "draw_continuous",
    "draw_discrete",
    "draw_outliers",
    "exponent_table",
    "outlier_table",
    "threshold_table",
    "write_convergence",
    "write_robustness",
]

# k = 1, 0.1 and 10 of RPW, W and TV keep their colours in all figures.
_LINES = {"W2": COLOURS[1], "TV": COLOURS[2], "RPW(2,1)": COLOURS[3], "RPW(2,0.1)": COLOURS[4], "RPW(2,10)": "#cc79a7"}


def exponent_table(curves: list[Curve]) -> tuple[list[str], list[list[str]]]:
    """Fitted exponents beside those of the theory."""
    rows = [[curve.case, curve.distance, _fitted(curve), _number(curve.theory), curve.remark] for curve in curves]
    return ["distribution", "distance", "fitted", "theory", "remark"], rows


def bound_table(curves: list[Curve]) -> tuple[list[str], list[list[str]]]:
    """The same for densities, where the theory bounds from above: a row for each p, W beside RPW."""
    rows = []
    for plain, ours in zip(curves[::2], curves[1::2], strict=True):
        cells = [cell for curve in (plain, ours) for cell in (_fitted(curve), _number(curve.theory))]
        rows.append([plain.case, plain.distance.removeprefix("W"), *cells])
    return ["density", "p", "W_p", "bound", "RPW(p,1)", "bound"], rows


def _fitted(curve: Curve) -> str:
    """The exponent, with half its confidence interval where repeats show one."""
    band = curve.band()
    return _number(curve.exponent()) + ("" if math.isnan(band) else f" ±{band:.2f}")


def _number(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.2f}"


def write_convergence(discrete: list[Curve], continuous: list[Curve], out: Path) -> dict[str, Path]:
    """Values, exponents, and a figure for each kind of distribution."""
    both = [*discrete, *continuous]
    values = (
        (curve.case, curve.distance, int(n), repeat, float(value))
        for curve in both
        for n, row in zip(curve.n, curve.values, strict=True)
        for repeat, value in enumerate(row)
    )
    exponents = (
        (curve.case, curve.distance, fitted, fitted - band, fitted + band, curve.theory)
        for curve, fitted, band in ((curve, curve.exponent(), curve.band()) for curve in both)
    )
    paths = {
        "values": write_csv(out / "values.csv", ["distribution", "distance", "n", "repeat", "value"], values),
        "exponents": write_csv(
            out / "exponents.csv", ["distribution", "distance", "fitted", "low", "high", "theory"], exponents
        ),
    }
    paths["figure"], _ = write_figure(draw_discrete(discrete), out / "discrete")
    if continuous:
        paths["densities"], _ = write_figure(draw_continuous(continuous), out / "densities")
    return paths


def draw_discrete(curves: list[Curve]) -> Figure:
    """Distances over n on finitely many points."""
    cases = list(dict.fromkeys(curve.case for curve in curves))
    figure = new_figure(4.8 * len(cases), 4.2)
    for ax, case in zip(np.atleast_1d(figure.subplots(1, len(cases), sharey=True)), cases, strict=True):
        for curve in (curve for curve in curves if curve.case == case):
            color, width = _LINES[curve.distance], 2 if curve.distance.startswith("RPW") else 1.3
            style = {"ls": "--", "zorder": 3} if curve.distance == "TV" else {}  # else RPW(2,0.1) would hide it
            ax.loglog(curve.n, curve.mean, marker=".", color=color, lw=width, label=curve.distance, **style)
            if curve.distance == "W2":
                ax.loglog(curve.n, curve.mean / 10, "--", color=color, lw=1, label="W2 / 10")
        _draw_slope(ax, curves[0].n, -0.5, 0.5, "below")
        _draw_slope(ax, curves[0].n, -0.25, 1.2, "above")
        _finish(ax, case)
    return figure


def draw_continuous(curves: list[Curve]) -> Figure:
    """The same for densities."""
    cases = list(dict.fromkeys(curve.case for curve in curves))
    exponents = list(dict.fromkeys(curve.distance.removeprefix("W") for curve in curves if curve.distance[0] == "W"))
    figure = new_figure(4 * len(cases), 4.2)
    for ax, case in zip(np.atleast_1d(figure.subplots(1, len(cases))), cases, strict=True):
        for curve in curves:
            if curve.case == case:
                is_ours = curve.distance.startswith("RPW")
                p = curve.distance.removeprefix("W") if not is_ours else curve.distance[4:].split(",")[0]
                style, color = "-" if is_ours else "--", COLOURS[exponents.index(p)]
                label = f"{curve.distance.replace('inf', '∞')}: {curve.exponent():.2f}"
                ax.loglog(curve.n, curve.mean, style, marker=".", color=color, lw=1.8 if is_ours else 1.2, label=label)
        bottom, top = ax.get_ylim()
        ax.set_ylim(bottom * (bottom / top) ** 0.45)  # room for the legend
        sizes = [int(n) for n in curves[0].n]
        ax.set_xticks(sizes, [str(n) for n in sizes])
        ax.minorticks_off()
        _finish(ax, f"{case} (with fitted exponents)", ncols=2, loc="lower center")
    return figure


def _draw_slope(ax: Axes, n: Array, exponent: float, at_one: float, named: str) -> None:
    """A power of n, with its name above or below its end, where no curve is."""
    power = at_one * np.asarray(n, dtype=float) ** exponent
    ax.loglog(n, power, ":", color="0.5", lw=1)
    place: dict[str, Any] = {"xytext": (0, 2), "va": "bottom"} if named == "above" else {"xytext": (0, -3), "va": "top"}
    text = f"$n^{{{exponent:g}}}$"
    ax.annotate(text, (n[-1], power[-1]), textcoords="offset points", ha="right", color="0.4", fontsize=8, **place)


def _finish(ax: Axes, title: str, **legend: Any) -> None:
    ax.set(title=title, xlabel="sample size n", ylabel="distance between two samples")
    ax.grid(alpha=0.25)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(fontsize=8, framealpha=0.85, edgecolor="none", **legend)


def outlier_table(result: Outliers, shares: tuple[float, ...] = (0.01, 0.1)) -> tuple[list[str], list[list[str]]]:
    """|change| at some shares of outliers, by their distance."""
    header = ["distance", "outliers", *(f"at {far:g}" for far in result.distances)]
    rows = [
        [
            name,
            f"{share:.0%}",
            *(f"{result.change[f, d, result.shares.index(share)]:.4g}" for d in range(len(result.distances))),
        ]
        for share in shares
        for f, name in enumerate(result.names)
    ]
    return header, rows


def threshold_table(result: Thresholds) -> tuple[list[str], list[list[str]]]:
    """Medians over the pictures; a cell says "never" where most pictures are never that far."""
    rows = [
        [way.name, _median(result.noise[w], ".1%"), _median(result.shift[w], ".1f")]
        for w, way in enumerate(result.methods)
    ]
    return ["distance", "noise (share of mass)", "shift (rows)"], rows


def _median(values: Array, form: str) -> str:
    middle = float(np.median(values))
    return "never" if math.isinf(middle) else format(middle, form)


def write_robustness(outliers: Outliers, thresholds: Thresholds, out: Path) -> dict[str, Path]:
    """Both tables and the figure."""
    changes = (
        (name, far, share, float(outliers.change[f, d, s]))
        for f, name in enumerate(outliers.names)
        for d, far in enumerate(outliers.distances)
        for s, share in enumerate(outliers.shares)
    )
    reached = (
        (way.name, s, float(thresholds.noise[w, s]), float(thresholds.shift[w, s]))
        for w, way in enumerate(thresholds.methods)
        for s in range(thresholds.noise.shape[1])
    )
    paths = {
        "outliers": write_csv(out / "outliers.csv", ["distance", "outliers_at", "share", "change"], changes),
        "thresholds": write_csv(out / "thresholds.csv", ["distance", "picture", "noise", "shift"], reached),
    }
    paths["figure"], _ = write_figure(draw_outliers(outliers), out / "outliers")
    return paths


def draw_outliers(result: Outliers) -> Figure:
    """|change| over the share of outliers, a panel for each distance of theirs."""
    figure = new_figure(3.3 * len(result.distances), 3.6)
    colours = (COLOURS[0], COLOURS[1], COLOURS[5], COLOURS[3], COLOURS[4])
    axes = figure.subplots(1, len(result.distances), sharey=True)
    for d, (ax, far) in enumerate(zip(axes, result.distances, strict=True)):
        ax.plot(result.shares, result.shares, ":", color="0.4", label="δ, the bound for RPW")
        for f, name in enumerate(result.names):
            ax.plot(result.shares, result.change[f, d], color=colours[f], lw=2 if "RPW" in name else 1.3, label=name)
        ax.set(title=f"outliers at distance {far:g}", xlabel="outlier mass δ")
        ax.set_ylim(0, 1.25 * max(result.shares))
        ax.grid(alpha=0.25)
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("|change of the distance|")
    note = "W leaves the frame:\nsee outliers.csv"
    axes[-1].text(0.97, 0.97, note, fontsize=8, ha="right", va="top", color="0.4", transform=axes[-1].transAxes)
    axes[0].legend(frameon=False, fontsize=8)
    return figure
