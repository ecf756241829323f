"""Figures 5 and 7 and the claims of section 6.1: retrieval of pictures, from runs that lie in folders.

A run is a folder of ``rpw reproduce retrieval``. One that is finished is read, not computed again, wherever it was
computed; one that is not resumes where it was cut off.
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rpw.experiments.claims import judge, read_hits, verdict_table
from rpw.experiments.files import new_figure
from rpw.experiments.paper.exhibit import Drawing, Exhibit, Table, Verdict
from rpw.experiments.perturbation import SCENARIOS
from rpw.experiments.retrieval import Plan, chosen_methods
from rpw.experiments.retrieval_run import Run, run_retrieval
from rpw.experiments.retrieval_views import COLOUR_OF
from rpw.io.pictures import load_pictures

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["ALL", "Experiment", "NotRunError", "Runs", "claims_exhibit", "digest_of_runs", "retrieval_exhibit"]

ALL = ("w1", "w2", "tv", "rpw-k1", "rpw-k0.1", "robot-0.1")
NAMES = {"w1": "W1", "w2": "W2", "tv": "TV", "rpw-k1": "RPW(2,1)", "rpw-k0.1": "RPW(2,0.1)", "robot-0.1": "ROBOT(0.1)"}
SHOWN_M = (1, 10, 50, 100)
Report = Callable[[float, str], object]
RULE = "The claims of the paper about such curves are judged under section 6.1, by its own pictures."
CLAIMS_RULE = (
    "Hits among the ten nearest are paired by query. Yes: the difference is positive and at most 5 % likely by chance "
    "(bootstrap and sign-flip test, corrected over all claims by Holm's method). No: it is negative and as unlikely. "
    "Else not decided."
)


class NotRunError(Exception):
    """A part cannot be made here, and why."""


@dataclass(frozen=True)
class Experiment:
    """The sizes of a run."""

    dataset: str
    scenario: str
    labelled: int
    queries: int
    nearest: int = 100
    repeats: int = 1
    distances: tuple[str, ...] = ALL

    @property
    def name(self) -> str:
        """Its folder."""
        return f"{self.dataset}-{self.scenario}-{self.queries}"


@dataclass(frozen=True, eq=False)
class Runs:
    """Where runs lie, where pictures come from, and what computes."""

    folder: Path
    seed: int = 0
    data: Path | None = None
    n_threads: int | None = None
    device: str = "cpu"

    def ready(self, experiment: Experiment, report: Report) -> Path:
        """The folder of a run that is finished; computes it where it is not."""
        folder = self.folder / experiment.name
        if not self.is_finished(experiment):
            run = Run(self.plan(experiment), chosen_methods(list(experiment.distances)), experiment.repeats)
            run_retrieval(run, folder, n_threads=self.n_threads, device=self.device, report=report)
        return folder

    def plan(self, experiment: Experiment) -> Plan:
        """What an experiment draws; raises where its pictures are not here."""
        try:
            pictures = load_pictures(experiment.dataset, self.data, None)
        except (ValueError, OSError, ImportError) as error:
            raise NotRunError(f"the pictures of {experiment.dataset} are not here: {error}") from error
        sizes = (experiment.labelled, experiment.queries, self.seed)
        return Plan(pictures, experiment.scenario, *sizes, largest_m=experiment.nearest)

    def is_finished(self, experiment: Experiment) -> bool:
        """Whether the files of the run are there and were made from what is asked for."""
        folder = self.folder / experiment.name
        try:
            facts = json.loads((folder / "run.json").read_text(encoding="utf-8"))
            asked = {
                name: getattr(experiment, name) for name in ("dataset", "scenario", "labelled", "queries", "nearest")
            }
            asked |= {"seed": self.seed, "plain_queries": False}
            is_same = all(facts[name] == value for name, value in asked.items())
            has_all = set(experiment.distances) <= set(facts["distances"].split(","))
            return is_same and has_all and facts["repeats"] >= experiment.repeats and _has_tables(folder, experiment)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return False


def _has_tables(folder: Path, experiment: Experiment) -> bool:
    """Tables are written after the last distance is known; ``run.json`` before the first one."""
    names = [NAMES[key] for key in experiment.distances]
    curves = {row["distance"] for row in _rows(folder / "accuracy.csv")}
    hits = {(row["distance"], int(row["repeat"])) for row in _rows(folder / "hits.csv")}
    return all(name in curves and (name, repeat) in hits for name in names for repeat in range(experiment.repeats))


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def retrieval_exhibit(runs: Runs, experiments: Sequence[Experiment], report: Report = lambda *_: None) -> Exhibit:
    """One data set: a panel for each scenario, as in the paper's figures."""
    first = experiments[0]
    shown = [m for m in SHOWN_M if m <= min(first.nearest, first.labelled)]
    m_apart = max(m for m in shown if m <= 10)
    curves: dict[str, list[dict[str, str]]] = {}
    apart: list[list[Any]] = []
    for number, experiment in enumerate(experiments):

        def tell(share: float, what: str, number: int = number, experiment: Experiment = experiment) -> None:
            report((number + share) / len(experiments), f"{experiment.scenario}: {what}")

        folder = runs.ready(experiment, tell)
        curves[experiment.scenario] = _rows(folder / "accuracy.csv")
        apart += _by_repeat(experiment, _rows(folder / "hits.csv"), m_apart)
    rows: list[list[Any]] = []
    for scenario, found in curves.items():
        by_place = {(row["distance"], int(row["m"])): float(row["accuracy"]) for row in found}
        for name in dict.fromkeys(row["distance"] for row in found):
            rows.append([SCENARIOS[scenario], name, *(by_place[name, m] for m in shown)])
    sizes = f"{first.labelled:,} labelled pictures, {first.queries} queries, repeats: {first.repeats}"
    tables = [
        Table("accuracies", ["scenario", "distance", *(f"m = {m}" for m in shown)], rows, f"Accuracies: {sizes}.")
    ]
    if first.repeats > 1:
        columns = ["scenario", "distance", *(f"repeat {repeat + 1}" for repeat in range(first.repeats))]
        tables.append(Table("repeats", columns, apart, f"Accuracies at m = {m_apart}, the repeats apart."))
    drawn = f"Accuracy over m on {first.dataset}: {sizes}."
    return Exhibit(RULE, [], tables, [Drawing("accuracy", draw(first.dataset, curves), drawn)])


def _by_repeat(experiment: Experiment, hits: list[dict[str, str]], m: int) -> list[list[Any]]:
    """Rows: a scenario, a distance, and its accuracy at m in each repeat."""
    counts: dict[str, list[int]] = {}
    for row in hits:
        counts.setdefault(row["distance"], [0] * experiment.repeats)
        if int(row["repeat"]) < experiment.repeats:
            counts[row["distance"]][int(row["repeat"])] += int(row[f"hits_at_{m}"])
    scenario = SCENARIOS[experiment.scenario]
    return [[scenario, name, *(found / m / experiment.queries for found in own)] for name, own in counts.items()]


def draw(dataset: str, curves: dict[str, list[dict[str, str]]]) -> Figure:
    """A panel for each scenario."""
    figure = new_figure(4.2 * len(curves), 3.9)
    axes = figure.subplots(1, len(curves), sharey=True, squeeze=False)[0]
    for ax, (scenario, rows) in zip(axes, curves.items(), strict=True):
        for name in dict.fromkeys(row["distance"] for row in rows):
            own = [(int(row["m"]), float(row["accuracy"])) for row in rows if row["distance"] == name]
            colour = COLOUR_OF.get(name, COLOUR_OF.get(name.partition("(")[0]))
            ax.plot(*zip(*own, strict=True), color=colour, lw=2 if name.startswith("RPW") else 1.3, label=name)
        ax.set(title=f"{dataset}: {SCENARIOS[scenario]}", xlabel="retrieved pictures m")
        ax.grid(alpha=0.25)
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("accuracy")
    axes[-1].legend(frameon=False, fontsize=8)
    return figure


def digest_of_runs(folder: Path) -> str:
    """Changes when any run does."""
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*/hits.csv")):
        digest.update(path.parent.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def claims_exhibit(folder: Path) -> Exhibit:
    """Every claim of the paper about retrieval, and ours, by the runs that lie there."""
    try:
        judged = judge(read_hits(folder))
    except (ValueError, OSError) as error:
        raise NotRunError(str(error)) from error
    verdicts = []
    for each in judged:
        claim, by = each.claim, each.difference
        found = f"by {by.mean:+.3f} ({by.low:+.3f} to {by.high:+.3f}), {each.queries} queries" if by else "–"
        where = f"{claim.dataset}, {SCENARIOS[claim.scenario]}"
        verdicts.append(Verdict(f"{where}: {claim.text} ({claim.source})", found, each.verdict))
    return Exhibit(CLAIMS_RULE, verdicts, [Table("claims", *verdict_table(judged))])
