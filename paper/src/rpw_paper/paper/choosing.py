"""How to choose k (not in the paper): accuracy over k for several experiments, and what a wrong k costs."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rpw_paper.base import Report, silent, within
from rpw_paper.paper.exhibit import NO, OPEN, YES, Drawing, Exhibit, Table, Verdict
from rpw_paper.paper.retrieved import Experiment, Runs
from rpw_paper.price_sweep import CHOICE_COLUMNS, Choice, choice_among, choice_cells, draw_sweeps, sweep_prices

MOST = 0.05
NEAREST = 10  # among which hits are counted
RULE = (
    f"Yes: the whole 95 % interval of the loss (bootstrap over queries) lies below {MOST:g}. No: it lies above. Open: "
    "on both sides. The best k was chosen on the same queries."
)


def choosing_exhibit(runs: Runs, experiments: Sequence[Experiment], report: Report = silent) -> Exhibit:
    """One sweep for each experiment."""
    sweeps = []
    for number, experiment in enumerate(experiments):
        tell = within(report, number / len(experiments), 1 / len(experiments), f"{experiment.name}: ")
        plan, store = replace(runs.plan(experiment), largest_m=NEAREST), runs.folder / experiment.name / "nearest"
        sweeps.append(
            sweep_prices(plan, store=store, m=NEAREST, n_threads=runs.n_threads, device=runs.device, report=tell)
        )
    rows: list[list[Any]] = []
    curves: list[list[Any]] = []
    verdicts = []
    for sweep in sweeps:
        for name, values, hits in sweep.families:
            choice = choice_among(values, hits, sweep.m)
            rows.append([sweep.title, name, *choice_cells(choice)])
            curves += [
                [sweep.title, name, value, float(share)]
                for value, share in zip(values, sweep.accuracy(hits), strict=True)
            ]
            if name.startswith("RPW"):
                verdicts.append(verdict_on(sweep.title, choice))
    caption = (
        "The best parameter and its accuracy; the range around it in which no loss is significant; the losses at a "
        "third of it and at three times it, with 95 % intervals."
    )
    columns = ["experiment", "distance", "parameter", "accuracy"]
    drawn = (
        "Accuracy over k and over λ. Bars: 95 % intervals of the loss to the best parameter, query by query. Shaded: "
        "no loss is significant."
    )
    return Exhibit(
        RULE,
        verdicts,
        [Table("choice", ["experiment", "distance", *CHOICE_COLUMNS], rows, caption), Table("curves", columns, curves)],
        [Drawing("sweeps", draw_sweeps(sweeps), drawn)],
    )


def verdict_on(title: str, choice: Choice) -> Verdict:
    """Whether a factor of three in k matters little; at an end of the sweep, only one side is known."""
    worst = max((loss for loss in (choice.below, choice.above) if loss), key=lambda loss: loss.high)
    answer = YES if worst.high < MOST else NO if worst.low > MOST else OPEN
    found = f"loses {worst.mean:.3f} ({worst.low:.3f} to {worst.high:.3f}), best k = {choice.best:g}"
    return Verdict(f"{title}: a k that is wrong by a factor of three costs less than {MOST:g}", found, answer)
