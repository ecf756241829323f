"""Figures 5 and 7 and the claims of section 6.1: retrieval of pictures, from runs that lie in folders.

A run is a folder of ``rpw-paper reproduce retrieval``. A finished run is read, wherever it was computed; an unfinished
one resumes. If the pictures are here, they must be those of the run.
"""

import csv
import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from rpw_paper.base import Report, silent, within
from rpw_paper.claims import digest_in, judge, read_hits, verdict_table
from rpw_paper.files import check_same_run, new_figure
from rpw_paper.paper.exhibit import Drawing, Exhibit, Table, Verdict
from rpw_paper.perturbation import SCENARIOS
from rpw_paper.pictures import Pictures, load_pictures
from rpw_paper.retrieval import Plan, chosen_methods
from rpw_paper.retrieval_run import MAY_DIFFER, Run, run_retrieval
from rpw_paper.retrieval_views import SHOWN_M, draw_curves, figure_title

ALL = ("w1", "w2", "tv", "rpw-k1", "rpw-k0.1", "robot-0.1")
NAMES = {"w1": "W1", "w2": "W2", "tv": "TV", "rpw-k1": "RPW(2,1)", "rpw-k0.1": "RPW(2,0.1)", "robot-0.1": "ROBOT(0.1)"}
ROUNDING = 1e-6  # of the numbers in tables
RULE = "Section 6.1 judges what the paper says about these curves."
CLAIMS_RULE = (
    "Hits among the ten nearest are paired by query. Yes: the difference is positive, and significant at 5 % (by the "
    "larger p-value of bootstrap and sign-flip test, after Holm's correction over all claims). No: it is negative, and "
    "significant. If neither: not significant."
)


class NotRunError(Exception):
    """A part cannot be made here; the message says why."""


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
        return f"{self.dataset}-{self.scenario}-{self.queries}"

    @property
    def most(self) -> int:
        """How many pictures are retrieved for a query."""
        return min(self.nearest, self.labelled)

    @property
    def shown_m(self) -> list[int]:
        return [m for m in SHOWN_M if m <= self.most]


@dataclass(frozen=True, eq=False)
class Runs:
    """The folder of the runs, the source of the pictures, and the device."""

    folder: Path
    seed: int = 0
    data: Path | None = None
    n_threads: int | None = None
    device: str = "cpu"
    _digests: dict[str, str | None] = field(default_factory=dict, init=False)

    def ready(self, experiment: Experiment, report: Report) -> Path:
        """The folder of a finished run; the run is computed if it is not finished."""
        folder = self.folder / experiment.name
        if not self.is_finished(experiment):
            run = Run(self.plan(experiment), chosen_methods(list(experiment.distances)), experiment.repeats)
            try:
                check_same_run(folder, run.facts, MAY_DIFFER)
            except ValueError as error:
                raise NotRunError(f"{folder} holds something else: {error}") from error
            run_retrieval(run, folder, n_threads=self.n_threads, device=self.device, report=report)
        return folder

    def plan(self, experiment: Experiment) -> Plan:
        """What an experiment draws; raises if its pictures are not here."""
        sizes = (experiment.labelled, experiment.queries, self.seed)
        return Plan(self.pictures(experiment.dataset), experiment.scenario, *sizes, largest_m=experiment.nearest)

    def pictures(self, dataset: str) -> Pictures:
        """A data set; raises if it is not here."""
        try:
            return load_pictures(dataset, self.data, None)
        except (ValueError, OSError, ImportError) as error:
            raise NotRunError(f"the pictures of {dataset} are not here: {error}") from error

    def digest(self, dataset: str) -> str | None:
        """A digest of the pictures of a data set; None if they are not here."""
        if dataset not in self._digests:
            try:
                self._digests[dataset] = self.pictures(dataset).digest
            except NotRunError:
                self._digests[dataset] = None
        return self._digests[dataset]

    def other_pictures(self, made_from: Mapping[str, str | None]) -> list[str]:
        """The data sets among these whose pictures are here and have another digest."""
        return [name for name, digest in made_from.items() if self.digest(name) not in (None, digest)]

    def is_finished(self, experiment: Experiment) -> bool:
        """Whether the files of the run are whole and were made from what is asked for.

        If its pictures are here, they are compared too.
        """
        folder = self.folder / experiment.name
        try:
            facts = json.loads((folder / "run.json").read_text(encoding="utf-8"))
            asked = {
                name: getattr(experiment, name) for name in ("dataset", "scenario", "labelled", "queries", "nearest")
            }
            asked |= {"experiment": "retrieval", "seed": self.seed, "plain_queries": False, "lam": 0.1}
            is_same = all(facts[name] == value for name, value in asked.items())
            has_all = set(experiment.distances) <= set(facts["distances"].split(","))
            is_long = facts["repeats"] >= experiment.repeats
            if not (is_same and has_all and is_long and _has_tables(folder, experiment, facts["repeats"])):
                return False
            return not self.other_pictures({experiment.dataset: digest_in(facts["pictures"])})
        except (OSError, ValueError, KeyError, TypeError, AttributeError, csv.Error):
            return False


def _has_tables(folder: Path, experiment: Experiment, repeats: int) -> bool:
    """Whether both tables are whole and agree. They are written after the last distance is known; ``run.json`` before
    the first one."""
    curves = {(row["distance"], int(row["m"])): float(row["accuracy"]) for row in _rows(folder / "accuracy.csv")}
    hits = _rows(folder / "hits.csv")
    for name in (NAMES[key] for key in experiment.distances):
        own = [row for row in hits if row["distance"] == name]
        queries = Counter(int(row["repeat"]) for row in own)
        if queries != dict.fromkeys(range(repeats), experiment.queries):
            return False
        if any((name, m) not in curves for m in range(1, experiment.most + 1)):
            return False
        for m in experiment.shown_m:
            found = [int(row[f"hits_at_{m}"]) for row in own]
            mean = sum(found) / len(found) / m
            if not all(0 <= each <= m for each in found) or abs(mean - curves[name, m]) > ROUNDING:
                return False
    return True


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def retrieval_exhibit(runs: Runs, experiments: Sequence[Experiment], report: Report = silent) -> Exhibit:
    """One data set: a panel for each scenario, as in the paper's figures."""
    first = experiments[0]
    curves: dict[str, list[dict[str, str]]] = {}
    apart: dict[tuple[str, str], list[float]] = {}
    for number, experiment in enumerate(experiments):
        tell = within(report, number / len(experiments), 1 / len(experiments), f"{experiment.scenario}: ")
        folder = runs.ready(experiment, tell)
        curves[experiment.scenario] = _rows(folder / "accuracy.csv")
        for name, own in _by_repeat(experiment, _rows(folder / "hits.csv")).items():
            apart[SCENARIOS[experiment.scenario], name] = own
    rows: list[list[Any]] = []
    for scenario, found in curves.items():
        by_place = {(row["distance"], int(row["m"])): float(row["accuracy"]) for row in found}
        for name in dict.fromkeys(row["distance"] for row in found):
            rows.append([SCENARIOS[scenario], name, *(by_place[name, m] for m in first.shown_m)])
    counts = [len(own) for own in apart.values()]  # a run may have more repeats than asked for
    repeats = str(min(counts)) if min(counts) == max(counts) else f"{min(counts)} to {max(counts)}"
    sizes = f"{first.labelled:,} labelled pictures, {first.queries} queries, repeats: {repeats}"
    tables = [
        Table(
            "accuracies", ["scenario", "distance", *(f"m = {m}" for m in first.shown_m)], rows, f"Accuracies: {sizes}."
        )
    ]
    if max(counts) > 1:
        columns = ["scenario", "distance", *(f"repeat {repeat + 1}" for repeat in range(max(counts)))]
        padded = [[*where, *own, *[""] * (max(counts) - len(own))] for where, own in apart.items()]
        tables.append(Table("repeats", columns, padded, f"Accuracies at m = {_m_apart(first)}, the repeats apart."))
    drawn = f"Accuracy over m on {first.dataset}: {sizes}."
    figure = draw(first.dataset, curves, first.queries, min(counts))
    return Exhibit(RULE, [], tables, [Drawing("accuracy", figure, drawn)])


def _m_apart(experiment: Experiment) -> int:
    return max(m for m in experiment.shown_m if m <= 10)


def _by_repeat(experiment: Experiment, hits: list[dict[str, str]]) -> dict[str, list[float]]:
    """Of each distance the accuracy in each repeat, at one m."""
    m = _m_apart(experiment)
    counts: dict[str, dict[int, int]] = {}
    for row in hits:
        own = counts.setdefault(row["distance"], {})
        own[int(row["repeat"])] = own.get(int(row["repeat"]), 0) + int(row[f"hits_at_{m}"])
    return {name: [own[r] / m / experiment.queries for r in sorted(own)] for name, own in counts.items()}


def draw(dataset: str, curves: dict[str, list[dict[str, str]]], queries: int, repeats: int) -> Figure:
    """A panel for each scenario."""
    figure = new_figure(4.6 * len(curves), 4.2)
    axes = figure.subplots(1, len(curves), sharey=True, squeeze=False)[0]
    for ax, (scenario, rows) in zip(axes, curves.items(), strict=True):
        names = dict.fromkeys(row["distance"] for row in rows)
        own = {name: np.array([float(row["accuracy"]) for row in rows if row["distance"] == name]) for name in names}
        draw_curves(ax, figure_title(dataset, scenario, queries, repeats), own, {})
        ax.set_ylim(auto=True)
    return figure


def digest_of_runs(folder: Path, names: Sequence[str] | None = None) -> str:
    """Changes when any run does; or one of those with these names."""
    digest = hashlib.sha256()
    for path in sorted((*folder.glob("*/hits.csv"), *folder.glob("*/accuracy.csv"), *folder.glob("*/run.json"))):
        if names is None or path.parent.name in names:
            digest.update(f"{path.parent.name}/{path.name}".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def claims_exhibit(runs: Runs) -> Exhibit:
    """Every claim of the paper about retrieval, and ours, by the runs that lie there."""
    try:
        hits = read_hits(runs.folder)
    except (ValueError, OSError) as error:
        raise NotRunError(str(error)) from error
    others = runs.other_pictures({run.dataset: digest_in(run.pictures) for run in hits})
    if others:
        raise NotRunError(f"the runs of {others[0]} in {runs.folder} were made from other pictures than those here")
    judged = judge(hits)
    verdicts = []
    for each in judged:
        claim, by = each.claim, each.difference
        found = f"by {by.mean:+.3f} ({by.low:+.3f} to {by.high:+.3f}), {each.queries} queries" if by else "–"
        where = f"{claim.dataset}, {SCENARIOS[claim.scenario]}"
        verdicts.append(Verdict(f"{where}: {claim.text} ({claim.source})", found, each.verdict))
    return Exhibit(CLAIMS_RULE, verdicts, [Table("claims", *verdict_table(judged))])
