"""Views of the convergence and robustness experiments: tables, CSV files and figures."""

import math
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from rpw_paper.base import Array
from rpw_paper.convergence import Curve
from rpw_paper.drawing import COLOURS, GUIDE, MARKERS, finish, legend, style_of
from rpw_paper.files import new_figure
from rpw_paper.paper.exhibit import Table, write_files
from rpw_paper.robustness import Outliers, Thresholds

_SAMPLE, _MEAN = "sample size n", "mean distance over the repeats"


def exponent_table(curves: list[Curve]) -> tuple[list[str], list[list[str]]]:
    """Fitted exponents beside those of the theory."""
    rows = [[curve.case, curve.distance, _fitted(curve), _number(curve.theory), curve.remark] for curve in curves]
    return ["distribution", "distance", "fitted", "theory", "remark"], rows


def bound_table(curves: list[Curve]) -> tuple[list[str], list[list[str]]]:
    """The same for densities, for which the theory gives upper bounds: a row for each p, W beside RPW."""
    rows = []
    for plain, ours in zip(curves[::2], curves[1::2], strict=True):
        cells = [cell for curve in (plain, ours) for cell in (_fitted(curve), _number(curve.theory))]
        rows.append([plain.case, plain.distance.removeprefix("W"), *cells])
    return ["density", "p", "W_p", "bound", "RPW(p,1)", "bound"], rows


def _fitted(curve: Curve) -> str:
    """The exponent, with half its confidence interval if there are enough repeats."""
    band = curve.band()
    return _number(curve.exponent()) + ("" if math.isnan(band) else f" ±{band:.2f}")


def _number(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.2f}"


def value_table(curves: list[Curve]) -> Table:
    """Every value of every repeat."""
    rows = [
        [curve.case, curve.distance, int(n), repeat, float(value)]
        for curve in curves
        for n, row in zip(curve.n, curve.values, strict=True)
        for repeat, value in enumerate(row)
    ]
    return Table("values", ["distribution", "distance", "n", "repeat", "value"], rows)


def fitted_table(curves: list[Curve], caption: str = "") -> Table:
    """Fitted exponents with their intervals, and those of the theory."""
    fitted = [(curve, curve.exponent(), curve.band()) for curve in curves]
    rows = [[each.case, each.distance, e, e - band, e + band, each.theory] for each, e, band in fitted]
    return Table("exponents", ["distribution", "distance", "fitted", "low", "high", "theory"], rows, caption)


def write_convergence(discrete: list[Curve], continuous: list[Curve], out: Path) -> list[Path]:
    """Values, exponents, and a figure for each kind of distribution."""
    both = [*discrete, *continuous]
    figures = {"discrete": draw_discrete(discrete)} | ({"densities": draw_continuous(continuous)} if continuous else {})
    return write_files([value_table(both), fitted_table(both)], figures, out)


def draw_discrete(curves: list[Curve]) -> Figure:
    """Distances over n on finitely many points."""
    cases = list(dict.fromkeys(curve.case for curve in curves))
    figure = new_figure(5.2 * len(cases), 4.6)
    for ax, case in zip(np.atleast_1d(figure.subplots(1, len(cases), sharey=True)), cases, strict=True):
        for curve in (curve for curve in curves if curve.case == case):
            colour, marker = style_of(curve.distance)
            look: dict[str, Any] = {"ms": 5, "lw": 2 if curve.distance.startswith("RPW") else 1.3}
            if curve.distance == "TV":  # else RPW(2,0.1) would hide it
                look |= {"ls": "--", "zorder": 3}
            ax.loglog(curve.n, curve.mean, marker=marker, color=colour, label=curve.distance, **look)
            if curve.distance == "W2":
                ax.loglog(curve.n, curve.mean / 10, "--", color=colour, lw=1, label="W2 / 10")
        for exponent, at_one in ((-0.25, 1.2), (-0.5, 0.5)):
            style = ":" if exponent == -0.25 else "-."
            power = at_one * np.asarray(curves[0].n, dtype=float) ** exponent
            ax.loglog(curves[0].n, power, style, color=GUIDE, lw=1, label=f"slope of $n^{{{exponent:g}}}$")
        finish(ax, f"{case}: distance between two samples", _SAMPLE, _MEAN)
        legend(ax, loc="lower left")
    return figure


def draw_continuous(curves: list[Curve]) -> Figure:
    """The same for densities: a colour and a marker for each p, W_p hollow and dashed."""
    cases = list(dict.fromkeys(curve.case for curve in curves))
    exponents = list(dict.fromkeys(curve.distance.removeprefix("W") for curve in curves if curve.distance[0] == "W"))
    figure = new_figure(4.4 * len(cases), 5.0)
    for ax, case in zip(np.atleast_1d(figure.subplots(1, len(cases))), cases, strict=True):
        for curve in (curve for curve in curves if curve.case == case):
            is_ours = curve.distance.startswith("RPW")
            place = exponents.index(curve.distance[4:].split(",")[0] if is_ours else curve.distance.removeprefix("W"))
            look = {"ls": "-", "lw": 1.8} if is_ours else {"ls": "--", "lw": 1.2, "mfc": "white"}
            label = f"{curve.distance.replace('inf', '∞')}: {curve.exponent():.2f}"
            style = {"marker": MARKERS[place], "color": COLOURS[place], "ms": 5, **look}
            ax.loglog(curve.n, curve.mean, label=label, **style)
        bottom, top = ax.get_ylim()
        ax.set_ylim(bottom * (bottom / top) ** 0.6)  # room for the legend
        sizes = [int(n) for n in curves[0].n]
        ax.set_xticks(sizes, [str(n) for n in sizes])
        ax.minorticks_off()
        finish(ax, f"{case}: distance between two samples", _SAMPLE, _MEAN)
        legend(ax, ncols=2, loc="lower center", title="distance: fitted exponent", title_fontsize=8)
    return figure


def outlier_table(result: Outliers, shares: tuple[float, ...] = (0.01, 0.1)) -> tuple[list[str], list[list[str]]]:
    """|change| at some shares of outliers, by their distance."""
    places = [(result.shares.index(share), f, name) for share in shares for f, name in enumerate(result.names)]
    rows = [
        [name, f"{result.shares[s]:.0%}", *(f"{value:.4g}" for value in result.change[f, :, s])]
        for s, f, name in places
    ]
    return ["distance", "outliers", *(f"at {far:g}" for far in result.distances)], rows


def threshold_table(result: Thresholds) -> tuple[list[str], list[list[str]]]:
    """Medians over the pictures; "never" if most pictures never get that far."""
    rows = [
        [way.name, _median(result.noise[w], ".1%"), _median(result.shift[w], ".1f")]
        for w, way in enumerate(result.methods)
    ]
    return ["distance", "noise (share of mass)", "shift (rows)"], rows


def _median(values: Array, form: str) -> str:
    middle = float(np.median(values))
    return "never" if math.isinf(middle) else format(middle, form)


def change_table(found: Outliers) -> Table:
    """The change of each distance, by the distance and the share of the outliers."""
    rows = [
        [name, far, share, float(found.change[f, d, s])]
        for f, name in enumerate(found.names)
        for d, far in enumerate(found.distances)
        for s, share in enumerate(found.shares)
    ]
    return Table("outliers", ["distance", "outliers_at", "share", "change"], rows)


def reached_table(found: Thresholds) -> Table:
    """The thresholds of each picture."""
    rows = [
        [way.name, s, float(found.noise[w, s]), float(found.shift[w, s])]
        for w, way in enumerate(found.methods)
        for s in range(found.noise.shape[1])
    ]
    return Table("thresholds", ["distance", "picture", "noise", "shift"], rows)


def write_robustness(outliers: Outliers, thresholds: Thresholds, out: Path) -> list[Path]:
    """Both tables and the figure."""
    tables = [change_table(outliers), reached_table(thresholds)]
    return write_files(tables, {"outliers": draw_outliers(outliers)}, out)


def draw_outliers(result: Outliers) -> Figure:
    """|change| over the share of outliers, a panel for each distance of theirs."""
    figure = new_figure(3.6 * len(result.distances), 4.4)
    axes = figure.subplots(1, len(result.distances), sharey=True)
    for d, (ax, far) in enumerate(zip(axes, result.distances, strict=True)):
        ax.plot(result.shares, result.shares, ":", color=GUIDE, label="δ, the bound for RPW")
        for f, name in enumerate(result.names):
            colour, marker = style_of(name)
            look: dict[str, Any] = {"lw": 2 if "RPW" in name else 1.3, "ms": 5, "markevery": (f, 5)}
            ax.plot(result.shares, result.change[f, d], color=colour, marker=marker, label=name, **look)
        unit = "diameter" if far == 1 else "diameters"
        finish(ax, f"outliers {far:g} {unit} away", "share δ of outliers", "|change of the distance|")
        ax.set_ylim(0, 1.25 * max(result.shares))
    handles, labels = axes[0].get_legend_handles_labels()
    title = "Lines of W that leave the frame go on above it; outliers.csv has all values."
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False, title=title)
    return figure
