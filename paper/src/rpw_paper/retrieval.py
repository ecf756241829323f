"""Image retrieval (the paper's section 6.1): how many of the m nearest pictures show what the query shows?

Distances W1, W2, TV, RPW(2,1), RPW(2,0.1) and λ-ROBOT; the accuracy at m is the share of the m nearest labelled
pictures that carry the query's label, averaged over the queries and then over independent repeats.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rpw_paper.base import Array, Ints, Report, UsageError, silent, within
from rpw_paper.nearest import Search, find_nearest
from rpw_paper.perturbation import perturbed
from rpw_paper.pictures import Pictures
from rpw_paper.statistics import mean_and_band

LARGEST_M = 100
FEWEST_FOR_BANDS = 5  # repeats
# Four steps for each factor of ten: two steps are about a factor of three.
SWEPT_K = tuple(float(f"{10 ** (step / 4):.3g}") for step in range(-8, 9))
SWEPT_LAM = tuple(float(f"{10 ** (step / 4):.3g}") for step in range(-8, -1))


@dataclass(frozen=True)
class Method:
    """A distance by which to rank: what to call it, what to ask of `rpw.pairwise`, its file name, and its share of the
    time of all of them (measured on digits, MNIST and CIFAR-10, which agree to a few percent)."""

    name: str
    options: dict[str, Any]
    key: str
    effort: float


def methods(lam: float = 0.1) -> list[Method]:
    """The paper's distances, and λ-ROBOT."""
    return [
        Method("W1", {"distance": "wasserstein", "p": 1}, "w1", 0.32),
        Method("W2", {"distance": "wasserstein", "p": 2}, "w2", 0.36),
        Method("TV", {"distance": "total_variation"}, "tv", 0.01),
        Method("RPW(2,1)", {"distance": "rpw", "p": 2, "k": 1}, "rpw-k1", 0.18),
        Method("RPW(2,0.1)", {"distance": "rpw", "p": 2, "k": 0.1}, "rpw-k0.1", 0.05),
        Method(f"ROBOT({lam:g})", {"distance": "robot", "p": 1, "lam": lam}, f"robot-{lam:g}", 0.08),
    ]


def chosen_methods(keys: list[str], lam: float = 0.1) -> list[Method]:
    """Those of `methods` with these names in files, such as w1 or rpw-k0.1, in their usual order."""
    ways = methods(lam)
    unknown = [key for key in keys if key not in (way.key for way in ways)]
    if unknown:
        raise UsageError(f"there is no distance {unknown[0]!r}: choose from {', '.join(way.key for way in ways)}")
    return [way for way in ways if way.key in keys]


def swept_k() -> Method:
    """RPW at many k, which cost about what the largest does."""
    return Method("RPW(2,k)", {"distance": "rpw", "p": 2, "k": list(SWEPT_K)}, "rpw-sweep", 0.4)


def swept_lam(values: Sequence[float] = SWEPT_LAM) -> list[Method]:
    """λ-ROBOT at many λ. From 0.5 on, half the diameter, it would be W1."""
    return [
        Method(f"ROBOT({lam:g})", {"distance": "robot", "p": 1, "lam": lam}, f"robot-{lam:g}", 0.1) for lam in values
    ]


@dataclass(frozen=True, eq=False)
class Draw:
    """One repeat: which pictures were drawn (queries and labelled, as indices) and what the scenario made of them."""

    queries: npt.NDArray[Any]
    labelled: npt.NDArray[Any]
    query_index: Ints
    labelled_index: Ints


@dataclass(frozen=True, eq=False)
class Plan:
    """What is drawn, and how often: everything that the pictures of a run depend on.

    ``plain_queries``: a shift tints labelled colour pictures only (see `perturbed`). ``largest_m``: how many of the
    nearest pictures are retrieved.
    """

    pictures: Pictures
    scenario: str
    labelled: int
    queries: int
    seed: int
    plain_queries: bool = False
    largest_m: int = LARGEST_M

    def draw(self, repeat: int) -> Draw:
        counts = self.labelled, self.queries
        return draw(self.pictures, self.scenario, *counts, [self.seed, repeat], self.plain_queries)

    def facts(self, repeat: int) -> dict[str, Any]:
        """What tells the distances of a repeat from those of others."""
        return {
            "pictures": self.pictures.digest,
            "scenario": self.scenario,
            "plain_queries": self.plain_queries,
            "labelled": self.labelled,
            "queries": self.queries,
            "seed": self.seed,
            "repeat": repeat,
        }


@dataclass(frozen=True, eq=False)
class Retrieval:
    """What was found and, for the pictures of the page, the first repeat.

    Attributes
    ----------
    hits : array (methods, repeats, queries, largest m) of bool
        Whether the picture retrieved at this place carries the query's label.
    query_index : array (repeats, queries)
    ties : array (methods,)
        The share of retrieved pictures that are exactly as far from the query as another one.
    first : Draw of the first repeat, with ``order`` and ``distances``, arrays (methods, queries, largest m).
    """

    plan: Plan
    methods: list[Method]
    hits: npt.NDArray[np.bool_]
    query_index: Ints
    ties: Array
    first: Draw
    order: Ints
    distances: Array

    @property
    def pictures(self) -> Pictures:
        return self.plan.pictures

    @property
    def scenario(self) -> str:
        return self.plan.scenario

    @property
    def largest_m(self) -> int:
        """The largest number of pictures that was retrieved for a query."""
        return int(self.hits.shape[3])

    @property
    def accuracy(self) -> Array:
        """Of each method, in each repeat, at each m: the share of hits, averaged over the queries."""
        return np.asarray((self.hits.cumsum(axis=3) / np.arange(1, self.largest_m + 1)).mean(axis=2))

    @property
    def has_bands(self) -> bool:
        """Whether there are enough repeats: the intervals of fewer can be wider than all accuracies that there are."""
        return len(self.query_index) >= FEWEST_FOR_BANDS

    def summary(self) -> tuple[Array, Array]:
        """Mean accuracy and half the width of its 95 % confidence interval, each (methods, m); NaN without bands."""
        mean, band = mean_and_band(self.accuracy, axis=1)
        return mean, band if self.has_bands else np.full_like(band, np.nan)


def check_size(pictures: Pictures, labelled: int, queries: int) -> None:
    """Raise if there are not that many pictures."""
    if labelled + queries > len(pictures):
        raise ValueError(
            f"{pictures.name} has {len(pictures)} pictures, fewer than {labelled} labelled and {queries} queries"
        )


def draw(
    pictures: Pictures,
    scenario: str,
    labelled: int,
    queries: int,
    seed: list[int],
    plain_queries: bool = False,
    rows: int | None = None,
) -> Draw:
    """Choose queries and labelled pictures at random, none twice, and perturb them; see `perturbed`."""
    check_size(pictures, labelled, queries)
    chosen = np.random.default_rng([*seed, 0]).permutation(len(pictures))[: queries + labelled]
    query_index, labelled_index = chosen[:queries], chosen[queries:]
    chosen_pictures = pictures.images[query_index], pictures.images[labelled_index]
    seen = perturbed(*chosen_pictures, scenario, seed, plain_queries, rows)
    return Draw(*seen, query_index, labelled_index)


def retrieve(
    plan: Plan,
    ways: list[Method],
    *,
    repeats: int,
    store: Path,
    n_threads: int | None = None,
    device: str = "cpu",
    report: Report = silent,
) -> Retrieval:
    """Run the experiment. What is found goes to the folder ``store``; the same call again resumes.

    ``report`` hears the share that is done, and what is being done.
    """
    draws = [plan.draw(repeat) for repeat in range(repeats)]
    for drawn in draws:  # before the work begins
        _check_not_black(plan.pictures, drawn)
    found = []
    for repeat, drawn in enumerate(draws):
        of_repeat = []
        for w, way in enumerate(ways):
            before, total = (sum(way.effort for way in some) for some in (ways[:w], ways))
            done, size = (repeat + before / total) / repeats, way.effort / total / repeats
            tell = within(report, done, size, f"repeat {repeat + 1} of {repeats}: ")
            run: dict[str, Any] = {"n_threads": n_threads, "device": device, "report": tell}
            of_repeat.append(find(plan, way, repeat, drawn, store=store, **run))
        found.append(of_repeat)
    order, distances = (np.array([[pair[i] for pair in row] for row in found]).swapaxes(0, 1) for i in (0, 1))
    labels = plan.pictures.labels
    by_repeat = [
        labels[each.labelled_index][order[:, r]] == labels[each.query_index][:, None] for r, each in enumerate(draws)
    ]
    hits = np.stack(by_repeat, axis=1)
    ties = np.array([_share_of_ties(each.reshape(-1, each.shape[-1])) for each in distances])
    asked_for = np.stack([drawn.query_index for drawn in draws])
    return Retrieval(plan, ways, hits, asked_for, ties, draws[0], order[:, 0], distances[:, 0])


def find(
    plan: Plan, way: Method, repeat: int, drawn: Draw, *, store: Path, report: Report, **run: Any
) -> tuple[Ints, Array]:
    """The nearest labelled pictures of a repeat by one distance, and how far they are."""
    permutation = np.random.default_rng([plan.seed, repeat, 3]).permutation(plan.labelled)
    count = min(plan.largest_m, plan.labelled)
    search = Search(drawn.queries, drawn.labelled, way.options, count, permutation, **run)
    place = store / f"repeat-{repeat}" / way.key
    return find_nearest(search, place, plan.facts(repeat), lambda share: report(share, way.name))


def _check_not_black(pictures: Pictures, drawn: Draw) -> None:
    """Raise if a grey picture has no mass (colour pictures have the same mass everywhere)."""
    if pictures.is_colour:
        return
    for images, index in ((drawn.queries, drawn.query_index), (drawn.labelled, drawn.labelled_index)):
        black = np.flatnonzero(images.reshape(len(images), -1).max(axis=1) == 0)
        if len(black):
            number = int(index[black[0]])
            raise ValueError(
                f"picture {number} of {pictures.name} (label {pictures.labels[number]}) is all black, or the shift "
                "moved all of it out: it has no mass"
            )


def _share_of_ties(matrix: Array) -> float:
    shares = []
    for row in matrix:
        _, counts = np.unique(row, return_counts=True)
        shares.append(counts[counts > 1].sum() / len(row))
    return float(np.mean(shares))
