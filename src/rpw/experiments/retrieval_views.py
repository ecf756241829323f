"""Views of a retrieval: table, CSV files, figure and page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rpw.experiments.files import new_figure, write_csv, write_figure, write_text
from rpw.experiments.page import page
from rpw.experiments.perturbation import SCENARIOS
from rpw.experiments.retrieval import Method, Retrieval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["COLOUR_OF", "accuracy_table", "draw_accuracy", "hit_counts", "style_of", "write_retrieval"]

SHOWN_M = (1, 10, 50, 100)
# One colour and one marker for each distance in all figures.
COLOURS = ("#0072b2", "#56b4e9", "#777777", "#d55e00", "#e69f00", "#009e73")
COLOUR_OF = dict(zip(("W1", "W2", "TV", "RPW(2,1)", "RPW(2,0.1)", "ROBOT"), COLOURS, strict=True))
MARKER_OF = dict(zip(COLOUR_OF, "osX^vD", strict=True))


def style_of(way: Method) -> tuple[str, str]:
    """The colour and the marker of a distance."""
    name = way.name.partition("(")[0] if way.options["distance"] == "robot" else way.name
    return COLOUR_OF[name], MARKER_OF[name]


def accuracy_table(result: Retrieval) -> tuple[list[str], list[list[str]]]:
    """Header and rows: mean accuracy with half its confidence interval at some m, and the share of ties."""
    shown = [m for m in SHOWN_M if m <= result.largest_m]
    mean, band = result.summary()
    rows = []
    for w, way in enumerate(result.methods):
        cells = [_with_band(mean[w, m - 1], band[w, m - 1]) for m in shown]
        rows.append([way.name, *cells, f"{result.ties[w]:.1%}"])
    return ["distance", *(f"m = {m}" for m in shown), "ties"], rows


def _with_band(mean: float, band: float) -> str:
    return f"{mean:.3f}" if np.isnan(band) else f"{mean:.3f} ±{band:.3f}"


def hit_counts(result: Retrieval) -> tuple[list[str], Iterator[list[Any]]]:
    """Header and rows: how many of the m nearest carry the label of the query, for every query by itself."""
    shown = [m for m in SHOWN_M if m <= result.largest_m]
    counts, labels = result.hits.cumsum(axis=3)[..., [m - 1 for m in shown]], result.pictures.labels
    rows = (
        [way.name, repeat, int(query), str(labels[query]), *map(int, counts[w, repeat, q])]
        for w, way in enumerate(result.methods)
        for repeat, queries in enumerate(result.query_index)
        for q, query in enumerate(queries)
    )
    return ["distance", "repeat", "query", "label", *(f"hits_at_{m}" for m in shown)], rows


def write_retrieval(result: Retrieval, out: Path, facts: dict[str, Any]) -> dict[str, Path]:
    """Everything that a run shows, and where it lies."""
    mean, band = result.summary()
    by_mean = (
        (way.name, m + 1, float(mean[w, m]), float(mean[w, m] - band[w, m]), float(mean[w, m] + band[w, m]))
        for w, way in enumerate(result.methods)
        for m in range(result.largest_m)
    )
    by_repeat = (
        (way.name, repeat, m + 1, float(result.accuracy[w, repeat, m]))
        for w, way in enumerate(result.methods)
        for repeat in range(result.accuracy.shape[1])
        for m in range(result.largest_m)
    )
    ties = ((way.name, float(share)) for way, share in zip(result.methods, result.ties, strict=True))
    paths = {  # numbers first: they are what took so long
        "table": write_csv(out / "accuracy.csv", ["distance", "m", "accuracy", "low", "high"], by_mean),
        "repeats": write_csv(out / "repeats.csv", ["distance", "repeat", "m", "accuracy"], by_repeat),
        "hits": write_csv(out / "hits.csv", *hit_counts(result)),
        "ties": write_csv(out / "ties.csv", ["distance", "ties"], ties),
    }
    figure = draw_accuracy(result)
    paths["figure"], paths["drawing"] = write_figure(figure, out / "accuracy")
    paths["page"] = write_text(out / "page.html", page(result, figure, accuracy_table(result), facts))
    return paths


def draw_accuracy(result: Retrieval) -> Figure:
    """Mean accuracy over m, a line for each distance, with its confidence band if there are enough repeats."""
    figure = new_figure(6.4, 4.4)
    ax = figure.add_subplot()
    mean, band = result.summary()
    repeats, m = result.accuracy.shape[1], np.arange(1, result.largest_m + 1)
    step = max(1, result.largest_m // 10)
    for w, way in enumerate(result.methods):
        is_ours = way.options["distance"] == "rpw"
        colour, marker = style_of(way)
        ax.plot(
            m,
            mean[w],
            color=colour,
            lw=2.2 if is_ours else 1.3,
            marker=marker,
            ms=5.5,
            markevery=(w * step // len(result.methods), step),  # each at its own m: lines that coincide are seen
            label=way.name,
            zorder=3 if is_ours else 2,
        )
        if result.has_bands:
            ax.fill_between(m, mean[w] - band[w], mean[w] + band[w], color=colour, alpha=0.12, lw=0)
    ax.set_ylim(max(0, float(mean.min()) - 0.1), min(1, float(mean.max()) + 0.1))  # bands may reach farther
    ax.set(
        xlabel="retrieved pictures m",
        ylabel="accuracy",
        xlim=(1, max(2, result.largest_m)),
    )
    bands = ", 95 % bands" if result.has_bands else ""
    title = f"{result.pictures.name}: {SCENARIOS[result.scenario]} ({repeats} repeat{'s' * (repeats > 1)}{bands})"
    ax.set_title(title, parse_math=False)  # a folder may have any name
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(alpha=0.25)
    ax.legend(frameon=False, ncols=2, fontsize=9)
    return figure
