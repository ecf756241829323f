"""How to choose k: the accuracy of retrieval over k, beside λ-ROBOT over its λ (not an experiment of the paper).

RPW(2,k) lies between TV (k = 0) and W2 (k → ∞), λ-ROBOT between TV (λ → 0) and W1. For 17 k from 0.01 to 100 the
nearest pictures are those of one search; a k is compared with the best one query by query. The best one was chosen on
the same queries, so it looks better than it is. The safe reading is the range of parameters that are not significantly
worse.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from rpw_paper.base import Array, Ints, Report, silent, within
from rpw_paper.drawing import GUIDE, finish, legend, style_of
from rpw_paper.files import new_figure, write_csv, write_figure
from rpw_paper.perturbation import SCENARIOS
from rpw_paper.retrieval import SWEPT_K, SWEPT_LAM, Plan, find, methods, swept_k, swept_lam
from rpw_paper.statistics import LEVEL, UNKNOWN, Difference, holm, paired_difference

THREE = (2.5, 3.6)  # what counts as a factor of three: two steps of the sweep are one of 3.16
ENDS = ("w1", "w2", "tv")


@dataclass(frozen=True, eq=False)
class PriceSweep:
    """Hits among the m nearest: RPW (k, queries), λ-ROBOT (λ, queries), and the distances at their ends.

    ``title`` names the pictures and what was done to them.
    """

    title: str
    m: int
    rpw: Ints
    robot: Ints
    ends: dict[str, Ints]
    lams: tuple[float, ...] = SWEPT_LAM

    @property
    def families(self) -> list[tuple[str, tuple[float, ...], Ints]]:
        return [("RPW(2,k)", SWEPT_K, self.rpw), ("ROBOT(λ)", self.lams, self.robot)]

    def accuracy(self, hits: Ints) -> Array:
        """The share of hits, averaged over the queries."""
        return np.asarray(hits.mean(axis=-1) / self.m)


@dataclass(frozen=True)
class Choice:
    """The best of some parameters, and the range around it (``low`` to ``high``) in which no loss is significant.

    ``below`` and ``above`` are the losses at a third of it and at three times it: None if that was not swept.
    """

    best: float
    accuracy: float
    low: float
    high: float
    below: Difference | None
    above: Difference | None


def sweep_prices(
    plan: Plan,
    *,
    store: Path,
    m: int = 10,
    lams: Sequence[float] = SWEPT_LAM,
    n_threads: int | None = None,
    device: str = "cpu",
    report: Report = silent,
) -> PriceSweep:
    """Search by all distances, among them λ-ROBOT at ``lams``.

    What is found goes to the folder ``store``; the same call again resumes.
    """
    drawn = plan.draw(0)
    labels = plan.pictures.labels
    ways = [swept_k(), *swept_lam(lams), *(way for way in methods() if way.key in ENDS)]
    total = sum(way.effort for way in ways)
    done, counts = 0.0, {}
    for way in ways:
        tell = within(report, done / total, way.effort / total)
        order, _ = find(plan, way, 0, drawn, store=store, n_threads=n_threads, device=device, report=tell)
        hits = labels[drawn.labelled_index][order[..., :m]] == labels[drawn.query_index][:, None]
        counts[way.key] = hits.sum(axis=-1)
        done += way.effort
    robot = np.stack([counts[way.key] for way in swept_lam(lams)])
    ends = {way.name: counts[way.key] for way in methods() if way.key in ENDS}
    title = f"{plan.pictures.name}: {SCENARIOS[plan.scenario]}"
    return PriceSweep(title, min(m, plan.labelled), counts[swept_k().key], robot, ends, tuple(lams))


@dataclass(frozen=True, eq=False)
class Losses:
    """Which of some parameters is the best, what each loses against it (in accuracy), and how likely that is chance,
    corrected for their number."""

    best: int
    each: list[Difference]
    chance: Array


def losses_of(hits: Ints, m: int) -> Losses:
    """What the hits (parameters, queries) say about each parameter.

    Of equally good ones the middle one is the best: it is the farthest from what is worse.
    """
    mean = hits.mean(axis=1)
    top = np.flatnonzero(mean == mean.max())
    best = int(top[len(top) // 2])
    found = [paired_difference(hits[best], row) for row in hits]
    chance = holm(np.array([each.pvalue for each in found]))
    return Losses(best, [Difference(each.mean / m, each.low / m, each.high / m, each.pvalue) for each in found], chance)


def choice_among(values: Sequence[float], hits: Ints, m: int) -> Choice:
    """What the hits (parameters, queries) say about the choice of a parameter."""
    losses = losses_of(hits, m)
    best = first = last = losses.best
    while first > 0 and losses.chance[first - 1] > LEVEL:
        first -= 1
    while last < len(values) - 1 and losses.chance[last + 1] > LEVEL:
        last += 1

    def loss(least: float, most: float) -> Difference | None:
        """Of the parameter that is so many times the best one."""
        return next((losses.each[i] for i, value in enumerate(values) if least < value / values[best] < most), None)

    accuracy = float(hits[best].mean()) / m
    below, above = loss(1 / THREE[1], 1 / THREE[0]), loss(*THREE)
    return Choice(float(values[best]), accuracy, float(values[first]), float(values[last]), below, above)


def write_sweep(sweep: PriceSweep, out: Path) -> dict[str, Path]:
    """The hits of every query, the accuracies, the choice, and the figure."""
    families = sweep.families
    hits: list[list[Any]] = [
        [name, value, q, int(count)]
        for name, values, rows in families
        for value, row in zip(values, rows, strict=True)
        for q, count in enumerate(row)
    ]
    hits += [[name, float("nan"), q, int(count)] for name, row in sweep.ends.items() for q, count in enumerate(row)]
    accuracies = [row for name, values, rows in families for row in _curve(sweep, name, values, rows)]
    none = float("nan")
    accuracies += [[name, none, float(sweep.accuracy(row)), *[none] * 4] for name, row in sweep.ends.items()]
    curves = ["distance", "parameter", f"accuracy_at_{sweep.m}", "loss", "loss_low", "loss_high", "holm"]
    chosen = [[name, *choice_cells(choice_among(values, rows, sweep.m))] for name, values, rows in families]
    paths = {
        "queries": write_csv(out / "queries.csv", ["distance", "parameter", "query", f"hits_at_{sweep.m}"], hits),
        "accuracy": write_csv(out / "sweep.csv", curves, accuracies),
        "choice": write_csv(out / "choice.csv", ["distance", *CHOICE_COLUMNS], chosen),
    }
    paths["figure"], _ = write_figure(draw_sweeps([sweep]), out / "sweep")
    return paths


def _curve(sweep: PriceSweep, name: str, values: Sequence[float], hits: Ints) -> list[list[Any]]:
    """For each parameter the accuracy, and what it loses against the best one."""
    losses, shares = losses_of(hits, sweep.m), sweep.accuracy(hits)
    return [
        [name, value, float(shares[i]), losses.each[i].mean, losses.each[i].low, losses.each[i].high, losses.chance[i]]
        for i, value in enumerate(values)
    ]


CHOICE_COLUMNS = ["best", "accuracy", "low", "high"]
CHOICE_COLUMNS += [f"{side}{end}" for side in ("third", "triple") for end in ("", "_low", "_high")]


def choice_cells(choice: Choice) -> list[float]:
    """What `CHOICE_COLUMNS` name; the last six are losses."""
    losses = [loss or UNKNOWN for loss in (choice.below, choice.above)]
    cells = [number for loss in losses for number in (loss.mean, loss.low, loss.high)]
    return [choice.best, choice.accuracy, choice.low, choice.high, *cells]


def draw_sweeps(sweeps: Sequence[PriceSweep]) -> Figure:
    """A row for each experiment: RPW over k with its ends TV and W2, λ-ROBOT over λ with TV and W1."""
    figure = new_figure(10.4, 4.0 * len(sweeps))
    axes = figure.subplots(len(sweeps), 2, sharey="row", squeeze=False)
    for row, sweep in zip(axes, sweeps, strict=True):
        _draw(row[0], sweep, SWEPT_K, sweep.rpw, ("RPW(2,k)", "k"), style_of("RPW(2,1)"), ("TV", "W2"))
        _draw(row[1], sweep, sweep.lams, sweep.robot, ("ROBOT(λ)", "λ"), style_of("ROBOT"), ("TV", "W1"))
    return figure


def _draw(
    ax: Axes,
    sweep: PriceSweep,
    values: Sequence[float],
    hits: Ints,
    names: tuple[str, str],
    style: tuple[str, str],
    ends: tuple[str, str],
) -> None:

    chosen, losses = choice_among(values, hits, sweep.m), losses_of(hits, sweep.m)
    (distance, parameter), (colour, marker) = names, style
    swept = SWEPT_K if parameter == "k" else SWEPT_LAM
    ax.axvspan(chosen.low, chosen.high, color=colour, alpha=0.1, lw=0)
    low = [chosen.accuracy - loss.high for loss in losses.each]
    high = [chosen.accuracy - loss.low for loss in losses.each]
    ax.vlines(values, low, high, color=colour, alpha=0.35, lw=2.5)  # each against the best one, query by query
    ax.semilogx(values, sweep.accuracy(hits), marker=marker, color=colour, ms=5, label=distance)
    best: dict[str, Any] = {"marker": "*", "ms": 13, "color": colour, "mec": "black", "ls": "none", "label": "the best"}
    ax.plot([chosen.best], [chosen.accuracy], **best)
    for end, line in zip(ends, (":", "--"), strict=True):
        ax.axhline(float(sweep.accuracy(sweep.ends[end])), color=GUIDE, lw=1, ls=line, label=end)
    ax.set_xlim(min(swept[0], *values) / 1.25, max(swept[-1], *values) * 1.25)  # the same for few as for all
    finish(ax, f"{distance} on {sweep.title} ({hits.shape[1]} queries)", parameter, f"accuracy at m = {sweep.m}")
    interval = Line2D([], [], color=colour, alpha=0.35, lw=2.5, label="bar: 95 % interval of the loss to the best")
    shaded = Patch(color=colour, alpha=0.15, lw=0, label="shaded: not significantly below the best")
    legend(ax, interval, shaded, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2)
