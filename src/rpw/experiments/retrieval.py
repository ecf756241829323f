"""Image retrieval (the paper's section 5.1): how many of the m nearest pictures show what the query shows?

Distances W1, W2, TV, RPW(2,1), RPW(2,0.1) and λ-ROBOT; the accuracy at m is the share of the m nearest labelled
pictures that carry the query's label, averaged over the queries and then over independent repeats.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import rpw
from rpw.base.check import Array
from rpw.experiments.perturbation import perturbed
from rpw.experiments.statistics import mean_and_band
from rpw.io.images import pixel_grid
from rpw.io.pictures import Pictures

__all__ = ["Draw", "Method", "Retrieval", "check_size", "draw", "methods", "rank", "retrieve"]

Ints = npt.NDArray[np.int64]
LARGEST_M = 100


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


@dataclass(frozen=True, eq=False)
class Draw:
    """One repeat: which pictures were drawn (queries and labelled, as indices) and what the scenario made of them."""

    queries: npt.NDArray[Any]
    labelled: npt.NDArray[Any]
    query_index: Ints
    labelled_index: Ints


@dataclass(frozen=True, eq=False)
class Retrieval:
    """Accuracies and, for the pictures of the page, the first repeat.

    Attributes
    ----------
    accuracy : array (methods, repeats, largest m)
    ties : array (methods,)
        The share of labelled pictures whose distance to the query is also that of another one.
    first : Draw of the first repeat, with ``order`` and ``distances``, arrays (methods, queries, largest m).
    """

    pictures: Pictures
    scenario: str
    seed: int
    methods: list[Method]
    accuracy: Array
    ties: Array
    first: Draw
    order: Ints
    distances: Array

    @property
    def largest_m(self) -> int:
        """The largest number of pictures that was retrieved for a query."""
        return int(self.accuracy.shape[2])

    def summary(self) -> tuple[Array, Array]:
        """Mean accuracy and half the width of its 95 % confidence interval, each (methods, m)."""
        return mean_and_band(self.accuracy, axis=1)


def check_size(pictures: Pictures, labelled: int, queries: int) -> None:
    """Raise if there are not that many pictures."""
    if labelled + queries > len(pictures):
        raise ValueError(
            f"{pictures.name} has {len(pictures)} pictures, fewer than {labelled} labelled and {queries} queries"
        )


def draw(pictures: Pictures, scenario: str, labelled: int, queries: int, seed: list[int]) -> Draw:
    """Choose queries and labelled pictures at random, none twice, and perturb them."""
    check_size(pictures, labelled, queries)
    chosen = np.random.default_rng([*seed, 0]).permutation(len(pictures))[: queries + labelled]
    query_index, labelled_index = chosen[:queries], chosen[queries:]
    seen = perturbed(pictures.images[query_index], pictures.images[labelled_index], scenario, seed)
    return Draw(*seen, query_index, labelled_index)


def retrieve(
    pictures: Pictures,
    *,
    scenario: str,
    labelled: int,
    queries: int,
    repeats: int,
    seed: int,
    store: Path,
    lam: float = 0.1,
    n_threads: int | None = None,
    device: str = "cpu",
    report: Callable[[float, str], object] = lambda *_: None,
) -> Retrieval:
    """Run the experiment. The matrices go to the folder ``store``; the same call again resumes.

    ``report`` hears the share that is done, and what is being done.
    """
    ways = methods(lam)
    for repeat in range(repeats):  # before the work begins
        _check_not_black(pictures, draw(pictures, scenario, labelled, queries, [seed, repeat]))
    accuracy = np.empty((len(ways), repeats, min(LARGEST_M, labelled)))
    ties = np.zeros(len(ways))
    for repeat in range(repeats):
        drawn = draw(pictures, scenario, labelled, queries, [seed, repeat])
        permutation = np.random.default_rng([seed, repeat, 3]).permutation(labelled)
        same = pictures.labels[drawn.query_index][:, None] == pictures.labels[drawn.labelled_index][None]
        ranked = []
        for w, way in enumerate(ways):
            tell = partial(_tell, report, ways, w, repeat, repeats)
            place = store / f"repeat-{repeat}" / f"{way.key}.zarr"
            matrix = _matrix(drawn, way, n_threads=n_threads, device=device, progress=tell, out=place)
            order = rank(matrix, permutation)[:, : accuracy.shape[2]]
            accuracy[w, repeat] = _accuracy(np.take_along_axis(same, order, axis=1))
            ties[w] += _share_of_ties(matrix) / repeats
            ranked.append((order, np.take_along_axis(matrix, order, axis=1)))
        if repeat == 0:
            first, orders, distances = drawn, *(np.stack(part) for part in zip(*ranked, strict=True))
    return Retrieval(pictures, scenario, seed, ways, accuracy, ties, first, orders, distances)


def _tell(
    report: Callable[[float, str], object], ways: list[Method], w: int, repeat: int, repeats: int, done: int, total: int
) -> None:
    """Report the share of all work that is done when ``done`` pairs of one matrix are."""
    before = sum(way.effort for way in ways[:w])
    share = (before + ways[w].effort * done / total) / sum(way.effort for way in ways)
    report((repeat + share) / repeats, f"repeat {repeat + 1} of {repeats}: {ways[w].name}")


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


def _matrix(drawn: Draw, way: Method, *, out: Path, **options: Any) -> Array:
    out.parent.mkdir(parents=True, exist_ok=True)
    if way.options["distance"] == "total_variation" and drawn.queries.ndim == 4:
        queries, labelled, space = _as_channels(drawn)
    elif drawn.queries.ndim == 4:
        queries, labelled = _as_measures(drawn.queries), _as_measures(drawn.labelled)
        space = {}
    else:
        queries, labelled = _as_rows(drawn.queries), _as_rows(drawn.labelled)
        space = {"support": pixel_grid(*drawn.queries.shape[1:])}
    return np.asarray(rpw.pairwise(queries, labelled, out=str(out), **space, **way.options, **options)[:])


def _as_rows(images: npt.NDArray[Any]) -> Any:
    """Grey pictures as histograms."""
    return images.reshape(len(images), -1).astype(np.float64)


def _as_measures(images: npt.NDArray[Any]) -> Any:
    return [rpw.Measure.from_image(image) for image in images]


def _as_channels(drawn: Draw) -> tuple[Any, Any, dict[str, Any]]:
    """Colour pictures as mass on pixels and channels, the authors' TV; in the space of `from_image` hardly two points
    coincide. A black picture has no mass and is taken for an evenly grey one."""
    rows = [_as_rows(images) for images in (drawn.queries, drawn.labelled)]
    for part in rows:
        part[part.sum(axis=1) == 0] = 1
    return rows[0], rows[1], {"support": np.arange(rows[0].shape[1], dtype=np.float64)[:, None]}


def rank(matrix: Array, permutation: npt.NDArray[Any]) -> Ints:
    """For each row the columns from near to far; equal distances by their place in the permutation."""
    return np.stack([np.lexsort((permutation, row)) for row in matrix])


def _accuracy(hits: npt.NDArray[np.bool_]) -> Array:
    """hits (queries, m): the share of hits among the first 1, 2, …, m, averaged over the queries."""
    return np.asarray((hits.cumsum(axis=1) / np.arange(1, hits.shape[1] + 1)).mean(axis=0))


def _share_of_ties(matrix: Array) -> float:
    shares = []
    for row in matrix:
        _, counts = np.unique(row, return_counts=True)
        shares.append(counts[counts > 1].sum() / len(row))
    return float(np.mean(shares))
