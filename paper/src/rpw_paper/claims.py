"""The paper's claims about retrieval, five of our own, and what the hits of the queries say about each.

A claim says that one distance retrieves more pictures of the query's label than another, among the ten nearest (the
number in the paper's introduction). Hits are paired by query. Holm's correction covers all claims, including those
that were not run.

The paper does not say whether a shift tints colour queries too. We tint them. Runs of the other reading have scenarios
of their own, such as shift-plain, and their own list of claims.
"""

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from rpw_paper.base import Ints
from rpw_paper.statistics import LEVEL, UNKNOWN, Difference, holm, paired_difference

NOT_SIGNIFICANT = "not significant"  # at 5 %, after Holm's correction
_PLAIN = "-plain"  # ends the scenarios of the other reading


@dataclass(frozen=True)
class Claim:
    """In ``scenario``, the distance ``better`` finds more than ``worse`` does there (or in ``worse_scenario``)."""

    dataset: str
    scenario: str
    better: str
    worse: str
    source: str
    worse_scenario: str = ""
    m: int = 10

    @property
    def sides(self) -> tuple[tuple[str, str], tuple[str, str]]:
        """Scenario and distance, of the better and of the worse."""
        return (self.scenario, self.better), (self.worse_scenario or self.scenario, self.worse)

    @property
    def text(self) -> str:
        than = f"{self.worse} under {self.worse_scenario}" if self.worse_scenario else self.worse
        return f"{self.better} above {than}"


OURS = "ours, not the paper's"
_INTRODUCTION = "introduction: our distance is above W1, W2 and TV"
_MNIST = "section 6.1, MNIST"
_COLOUR = {"cifar10": "section 6.1, CIFAR-10", "corel": "appendix, COREL"}

# "Our distance" is RPW with the k that the paper names for the data set.
CLAIMS: tuple[Claim, ...] = (
    *(Claim("mnist", "noise", better, "W2", f"{_MNIST} (i)") for better in ("TV", "W1", "RPW(2,1)")),
    Claim("mnist", "noise", "RPW(2,1)", "W1", f"{_MNIST} (i)"),
    Claim("mnist", "noise", "RPW(2,1)", "TV", _INTRODUCTION),
    Claim("mnist", "shift", "W2", "W1", f"{_MNIST} (ii)"),
    Claim("mnist", "noise", "TV", "TV", f"{_MNIST} (ii): TV drops", worse_scenario="shift"),
    *(Claim("mnist", "shift", better, "TV", f"{_MNIST} (ii)") for better in ("W2", "RPW(2,1)")),
    *(Claim("mnist", "shift", "RPW(2,1)", worse, _INTRODUCTION) for worse in ("W1", "W2")),
    Claim("mnist", "both", "W2", "W1", f"{_MNIST} (iii)"),
    *(Claim("mnist", "both", "RPW(2,1)", worse, f"{_MNIST} (iii)") for worse in ("W1", "W2", "TV", "RPW(2,0.1)")),
    *(
        Claim(dataset, scenario, better, worse, source or _COLOUR[dataset])
        for dataset in _COLOUR
        for scenario in ("noise", "shift", "both")
        for better, worse, source in (
            ("W1", "W2", ""),
            ("W1", "TV", ""),
            ("RPW(2,0.1)", "W1", ""),
            ("RPW(2,0.1)", "W2", _INTRODUCTION),
            ("RPW(2,0.1)", "TV", _INTRODUCTION),
        )
    ),
    *(
        Claim("mnist", scenario, better, worse, OURS)
        for scenario, better, worse in (
            ("noise", "RPW(2,0.1)", "TV"),
            ("noise", "RPW(2,0.1)", "RPW(2,1)"),
            ("noise", "RPW(2,0.1)", "ROBOT(0.1)"),
            ("noise", "ROBOT(0.1)", "RPW(2,1)"),
            ("both", "RPW(2,1)", "ROBOT(0.1)"),
        )
    ),
)

# The paper's claims about shifted colour pictures; and whether each distance finds more than it does when queries are
# tinted. The pictures are the same, one by one.
OTHER_READING: tuple[Claim, ...] = (
    *(
        replace(claim, scenario=claim.scenario + _PLAIN)
        for claim in CLAIMS
        if claim.dataset in _COLOUR and claim.scenario in ("shift", "both")
    ),
    *(
        Claim(dataset, scenario + _PLAIN, name, name, OURS, worse_scenario=scenario)
        for dataset in _COLOUR
        for scenario in ("shift", "both")
        for name in ("W1", "W2", "TV", "RPW(2,1)", "RPW(2,0.1)", "ROBOT(0.1)")
    ),
)


@dataclass(frozen=True, eq=False)
class Hits:
    """The first repeat of a run: how many of the m nearest carry the query's label, by distance and m.

    Runs with equal ``drawn`` and equal queries have the same queries and labelled pictures, one by one.
    """

    dataset: str
    scenario: str
    drawn: tuple[Any, ...]
    queries: tuple[int, ...]
    counts: dict[tuple[str, int], Ints]

    @property
    def pictures(self) -> str:
        """What the run says of its pictures: their size and their digest."""
        return str(self.drawn[0])


@dataclass(frozen=True)
class Judged:
    """A claim, the accuracies of its two distances, and their difference: None if it was not run."""

    claim: Claim
    queries: int = 0
    better: float = float("nan")
    worse: float = float("nan")
    difference: Difference | None = None
    corrected: float = float("nan")

    @property
    def verdict(self) -> str:
        """Yes, no (it is the other way round), not significant, or not run."""
        if self.difference is None:
            return "not run"
        if self.corrected > LEVEL:
            return NOT_SIGNIFICANT
        return "yes" if self.difference.mean > 0 else "no"


def judge(runs: Sequence[Hits], claims: Sequence[Claim] = CLAIMS) -> list[Judged]:
    """Judge each claim by the run with the most queries that has both its distances."""
    compared = [_compared(claim, runs) for claim in claims]
    corrected = holm(np.array([each.difference.pvalue if each.difference else 1.0 for each in compared]))
    return [
        replace(each, corrected=float(value)) if each.difference else each
        for each, value in zip(compared, corrected, strict=True)
    ]


def _compared(claim: Claim, runs: Sequence[Hits]) -> Judged:
    firsts, seconds = (_with(claim, scenario, distance, runs) for scenario, distance in claim.sides)
    pairs = [(a, b) for a in firsts for b in seconds if (a.drawn, a.queries) == (b.drawn, b.queries)]
    if not pairs:
        return Judged(claim)
    a, b = max(pairs, key=lambda pair: len(pair[0].queries))
    first, second, m = a.counts[claim.better, claim.m], b.counts[claim.worse, claim.m], claim.m
    found = paired_difference(first, second)
    difference = Difference(found.mean / m, found.low / m, found.high / m, found.pvalue)
    return Judged(claim, len(first), float(first.mean()) / m, float(second.mean()) / m, difference)


def _with(claim: Claim, scenario: str, distance: str, runs: Sequence[Hits]) -> list[Hits]:
    asked = (claim.dataset, scenario)
    return [run for run in runs if (run.dataset, run.scenario) == asked and (distance, claim.m) in run.counts]


def read_hits(folder: Path, plain_queries: bool = False) -> list[Hits]:
    """The runs of ``reproduce retrieval`` in the folders of a folder; those of the other reading if asked for."""
    runs: dict[str, Hits] = {}
    for path in sorted(folder.glob("*/hits.csv")):
        try:
            facts = json.loads((path.parent / "run.json").read_text(encoding="utf-8"))
            if plain_queries or not facts["plain_queries"]:
                runs[path.parent.name] = _read(path, facts)
        except (AttributeError, KeyError, TypeError, ValueError, IndexError, csv.Error) as error:
            raise ValueError(
                f"{path.parent} holds no whole run of rpw-paper reproduce retrieval: make it again"
            ) from error
    if not runs and any(folder.glob("*/hits.csv")):
        raise ValueError(f"all runs in {folder} have plain queries: --plain-queries judges them")
    if not runs:
        raise ValueError(
            f"{folder} holds no folder with hits.csv: name the folder that holds those of rpw-paper reproduce retrieval"
        )
    _check_same_pictures(folder, runs)
    return list(runs.values())


def _check_same_pictures(folder: Path, runs: Mapping[str, Hits]) -> None:
    """Raise if two runs of one data set were made from different pictures."""
    first: dict[str, str] = {}
    for name, run in runs.items():
        other = first.setdefault(run.dataset, name)
        if runs[other].pictures != run.pictures:
            raise ValueError(
                f"{folder} holds runs of different pictures that are all called {run.dataset}: {other} has "
                f"{runs[other].pictures}, and {name} has {run.pictures}; remove the runs of the wrong ones"
            )


def digest_in(pictures: str) -> str:
    """The digest, of what a run says of its pictures."""
    return pictures.rpartition("digest ")[2]


def _read(path: Path, facts: dict[str, Any]) -> Hits:
    with path.open(encoding="utf-8", newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["repeat"] == "0"]
    by_distance: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        by_distance.setdefault(row["distance"], []).append(row)
    (queries,) = {tuple(int(row["query"]) for row in own) for own in by_distance.values()}  # one list for all
    if len(queries) != facts["queries"]:
        raise ValueError(f"{len(queries)} queries of {facts['queries']}")
    columns = [name for name in rows[0] if name.startswith("hits_at_")]
    counts = {
        (name, int(column.removeprefix("hits_at_"))): np.array([int(row[column]) for row in own], dtype=np.int64)
        for name, own in by_distance.items()
        for column in columns
    }
    for (name, m), own in counts.items():
        if own.min() < 0 or own.max() > m:
            raise ValueError(f"{name} has no number of hits from 0 to {m}")
    drawn = tuple(facts[name] for name in ("pictures", "labelled", "queries", "seed"))
    return Hits(facts["dataset"], facts["scenario"] + _PLAIN * facts["plain_queries"], drawn, queries, counts)


def verdict_table(judged: Iterable[Judged]) -> tuple[list[str], list[list[Any]]]:
    """Header and rows of ``claims.csv``."""
    header = ["dataset", "scenario", "better", "worse_scenario", "worse", "m", "queries", "accuracy_better"]
    header += ["accuracy_worse", "difference", "low", "high", "p", "holm", "verdict", "source"]
    rows = []
    for each in judged:
        claim, found = each.claim, each.difference or UNKNOWN
        row: list[Any] = [claim.dataset, claim.scenario, claim.better, claim.sides[1][0], claim.worse, claim.m]
        row += [each.queries, each.better, each.worse, found.mean, found.low, found.high, found.pvalue]
        rows.append([*row, each.corrected, each.verdict, claim.source])
    return header, rows
