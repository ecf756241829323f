"""Views of a retrieval: table, CSV files, figure and page."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from rpw_paper.base import Array
from rpw_paper.drawing import finish, legend, style_of
from rpw_paper.files import new_figure, write_csv, write_figure, write_text
from rpw_paper.page import page
from rpw_paper.perturbation import SCENARIOS
from rpw_paper.retrieval import Retrieval

SHOWN_M = (1, 10, 50, 100)


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
    """Header and rows: how many of the m nearest carry the label of the query, for each query."""
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
    """Write all files of a run, and return their paths."""
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
    paths = {  # numbers first: they took long
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
    """Mean accuracy over m; with its confidence band if there are enough repeats."""
    mean, band = result.summary()
    names = [way.name for way in result.methods]
    title = figure_title(
        result.pictures.name, result.scenario, queries=result.plan.queries, repeats=result.accuracy.shape[1]
    )
    figure = new_figure(6.4, 4.6)
    bands = dict(zip(names, band, strict=True)) if result.has_bands else {}
    draw_curves(figure.add_subplot(), title, dict(zip(names, mean, strict=True)), bands)
    return figure


def figure_title(dataset: str, scenario: str, queries: int, repeats: int) -> str:
    """What was retrieved, and from how much."""
    mean = f", mean of {repeats} repeats" if repeats > 1 else ""
    return f"{dataset}, {SCENARIOS[scenario]}: {queries} queries{mean}"


def draw_curves(ax: Axes, title: str, curves: Mapping[str, Array], bands: Mapping[str, Array]) -> None:
    """Accuracies over m = 1, 2, ..., by the name of the distance; and half the widths of their intervals."""
    largest = len(next(iter(curves.values())))
    m, step = np.arange(1, largest + 1), max(1, largest // 10)
    for number, (name, mean) in enumerate(curves.items()):
        is_ours = name.startswith("RPW")
        colour, marker = style_of(name)
        # Each has its markers at its own m: lines that coincide can be seen.
        places = (number * step // len(curves), step)
        look: dict[str, Any] = {"lw": 2.2 if is_ours else 1.3, "zorder": 3 if is_ours else 2}
        ax.plot(m, mean, color=colour, marker=marker, ms=5.5, markevery=places, label=name, **look)
        if name in bands:
            ax.fill_between(m, mean - bands[name], mean + bands[name], color=colour, alpha=0.12, lw=0)
    lowest, highest = (float(end([end(mean) for mean in curves.values()])) for end in (min, max))
    ax.set_xlim(1, max(2, largest))
    ax.set_ylim(max(0, lowest - 0.1), min(1, highest + 0.1))  # bands may reach farther
    finish(ax, title, "number m of retrieved pictures", "accuracy: share with the query's label")
    shaded = [Patch(color="0.5", alpha=0.25, lw=0, label="shaded: 95 % interval of the mean")] if bands else []
    legend(ax, *shaded, ncols=2, fontsize=9)
