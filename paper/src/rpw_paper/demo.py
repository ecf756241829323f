"""The demo: digits that are noisy, shifted, or both. Which distance still finds them?

The same queries are searched among the same labelled digits four times: untouched, and under the three perturbations of
the paper's section 6.1. A distance withstands all three if the worst of its three accuracies is high.
"""

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rpw_paper.base import Array, Ints, Report, listed, silent
from rpw_paper.nearest import distance_matrix, rank
from rpw_paper.pictures import Pictures
from rpw_paper.retrieval import Draw, Method, draw, methods
from rpw_paper.statistics import LEVEL, RESAMPLES, holm

SCENARIOS = ("clean", "noise", "shift", "both")  # the first is what the others are measured by
_NOT_DIFFERENT = "not significantly different from that of"


@dataclass(frozen=True)
class Setting:
    """How many pictures are drawn, how many of the nearest count, and how far a shift moves them.

    For the same time, more queries tell more than more labelled pictures do. The paper moves MNIST's digits, which are
    20 pixels high, by two rows; these are 16 pixels high.
    """

    labelled: int = 100
    queries: int = 40
    nearest: int = 5
    rows: int = 2
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Demo:
    """What was found: of each distance and scenario, for each query, the nearest labelled pictures, nearest first.

    ``order`` has them as indices, ``hits`` tells whether they show the query's digit: arrays (methods, scenarios,
    queries, nearest).
    """

    setting: Setting
    pictures: Pictures
    methods: list[Method]
    draws: list[Draw]
    order: Ints
    hits: npt.NDArray[np.bool_]

    @property
    def names(self) -> list[str]:
        return [way.name for way in self.methods]

    @property
    def accuracy(self) -> Array:
        """Of each distance in each scenario: the share of the nearest that show the query's digit."""
        return np.asarray(self.hits.mean(axis=(2, 3)))

    @property
    def worst(self) -> Array:
        """Of each distance: the lowest accuracy under a perturbation."""
        return np.asarray(self.accuracy[:, 1:].min(axis=1))

    @cached_property
    def resampled(self) -> Array:
        """Accuracies, and as a last column the worst, had the queries been drawn again from these: by the bootstrap.

        An array (methods, scenarios + 1, resamples). The queries are the same for all distances and scenarios.
        """
        by_query, queries = self.hits.mean(axis=3), self.setting.queries
        drawn = np.random.default_rng(self.setting.seed).integers(queries, size=(RESAMPLES, queries))
        means = by_query[:, :, drawn].mean(axis=3)
        return np.concatenate([means, means[:, 1:].min(axis=1, keepdims=True)], axis=1)

    @property
    def bands(self) -> tuple[Array, Array]:
        """The ends of the 95 % intervals of accuracies and worst, each (methods, scenarios + 1)."""
        low, high = np.quantile(self.resampled, [0.025, 0.975], axis=2)
        return low, high

    @property
    def facts(self) -> dict[str, Any]:
        size = " x ".join(map(str, self.pictures.images.shape[1:3]))
        return {"dataset": self.pictures.name, "pictures": f"{size} pixels", **asdict(self.setting)}


def run_demo(pictures: Pictures, setting: Setting, *, n_threads: int | None = None, report: Report = silent) -> Demo:
    """Seek all queries by all distances; ``report`` hears the share that is done, and what is being done."""
    ways = methods()
    counts = setting.labelled, setting.queries, [setting.seed, 0]
    draws = [draw(pictures, scenario, *counts, rows=setting.rows) for scenario in SCENARIOS]
    ties = np.random.default_rng([setting.seed, 0, 3]).permutation(setting.labelled)
    done, total, order = 0.0, len(draws) * sum(way.effort for way in ways), []
    for way in ways:
        for scenario, drawn in zip(SCENARIOS, draws, strict=True):
            report(done / total, f"{way.name}: {scenario}")
            distances = distance_matrix(drawn.queries, drawn.labelled, way.options, n_threads=n_threads)
            order.append(rank(distances, ties)[:, : setting.nearest])
            done += way.effort
    nearest = np.array(order).reshape(len(ways), len(draws), setting.queries, setting.nearest)
    labels = pictures.labels
    hits = labels[draws[0].labelled_index][nearest] == labels[draws[0].query_index][:, None]
    return Demo(setting, pictures, ways, draws, nearest, hits)


def findings(demo: Demo) -> list[str]:
    """Sentences on the figures of this run, the most important first."""
    worst, names = demo.worst, demo.names
    most, least = (_at(worst, value, names) for value in (worst.max(), worst.min()))
    first = (
        f"Under the worst of noise, shift and both, {_percent(worst.max())} of the {demo.setting.nearest} nearest "
        f"pictures by {most} still show the query's digit: the most of all distances. By {least} it is "
        f"{_percent(worst.min())}, the least."
    )
    return [first, _compared(demo), f"{_cost_of('noise', 'Noise', demo)} {_cost_of('shift', 'A shift', demo)}"]


def _compared(demo: Demo) -> str:
    """How the worst accuracy of the best RPW compares with the worst of the others.

    The best was chosen after the fact, so Holm's correction covers the comparisons of both RPW.
    """
    ours = [w for w, way in enumerate(demo.methods) if way.options["distance"] == "rpw"]
    pairs = [(w, other) for w in ours for other in range(len(demo.methods)) if other not in ours]
    chances = holm(np.array([_chance(demo.resampled[w, -1] - demo.resampled[other, -1]) for w, other in pairs]))
    own = max(ours, key=lambda w: float(demo.worst[w]))
    groups: dict[str, list[str]] = {"above that of": [], "below that of": [], _NOT_DIFFERENT: []}
    for (w, other), chance in zip(pairs, chances, strict=True):
        if w == own:
            side = "above that of" if demo.worst[own] > demo.worst[other] else "below that of"
            groups[side if chance <= LEVEL else _NOT_DIFFERENT].append(demo.names[other])
    said = ", and ".join(f"{words} {listed(names)}" for words, names in groups.items() if names)
    return f"With {demo.setting.queries} queries, the worst accuracy of {demo.names[own]} is {said}."


def _chance(differences: Array) -> float:
    """The two-sided p-value of a difference, from its bootstrap resamples."""
    beyond = min((differences <= 0).mean(), (differences >= 0).mean())
    return min(1.0, max(2 * float(beyond), 1 / len(differences)))


def _cost_of(scenario: str, subject: str, demo: Demo) -> str:
    """Which distance loses the most by a perturbation, and which the least."""
    before, after = demo.accuracy[:, 0], demo.accuracy[:, SCENARIOS.index(scenario)]
    falls = np.round(before - after, 9)  # a share of some hundred pictures
    texts = [f"({_percent(one)} to {_percent(other)})" for one, other in zip(before, after, strict=True)]

    def who(fall: float) -> str:
        return listed([f"{demo.names[w]} {texts[w]}" for w in np.flatnonzero(falls == fall)])

    return f"{subject} costs {who(falls.max())} the most, and {who(falls.min())} the least."


def _percent(share: float) -> str:
    """As in the table, without a zero at its end."""
    return f"{share:.1%}".replace(".0%", "%")


def _at(values: Array, value: float, names: list[str]) -> str:
    """The names of all that have this value."""
    return listed([name for name, own in zip(names, values, strict=True) if own == value])
