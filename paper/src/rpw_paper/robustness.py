"""What outliers, noise and shifts do to a distance (the paper's Theorem 3.1 and its introduction).

Outliers: ν is replaced by (1-δ) ν + δ ν' with ν' far away; RPW changes by at most δ, for any ν'.
Thresholds: how much noise or shift makes a picture as far from itself as from the nearest picture of another class?
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import rpw
from rpw.images import pixel_grid
from rpw_paper.base import Array, Report, silent
from rpw_paper.pictures import Pictures
from rpw_paper.retrieval import Method, methods

SHARES = tuple(round(0.01 * step, 2) for step in range(21))
DISTANCES = (0.5, 1.0, 10.0, 100.0)
POINTS = 200
NOISE_STEPS = 200


@dataclass(frozen=True, eq=False)
class Outliers:
    """|change| of each distance: array (names, distances of the outliers, shares of outliers)."""

    names: list[str]
    distances: tuple[float, ...]
    shares: tuple[float, ...]
    change: Array


def outlier_changes(seed: int) -> Outliers:
    """Two samples of a square of diameter 1; outliers gather around a point at each distance from its centre."""
    rng = np.random.default_rng([seed, 20])
    x, y = (rng.random((POINTS, 2)) / math.sqrt(2) for _ in range(2))
    around = 0.01 * rng.standard_normal((POINTS // 10, 2))
    functions: dict[str, Callable[..., float]] = {
        **{f"W{p}": lambda *args, p=p: rpw.wasserstein(*args, p=p) for p in (1, 2, 3)},
        **{f"RPW(2,{k:g})": lambda *args, k=k: rpw.distance(*args, p=2, k=k, diameter=1) for k in (1, 0.1)},
    }
    change = np.zeros((len(functions), len(DISTANCES), len(SHARES)))
    for f, function in enumerate(functions.values()):
        for d, far in enumerate(DISTANCES):
            outliers = np.full(2, 0.5 / math.sqrt(2)) + far * np.array([0.6, 0.8]) + around
            spoiled = np.concatenate([y, outliers])
            values = [function(x, spoiled, None, _mixed(share, len(outliers))) for share in SHARES]
            change[f, d] = np.abs(np.array(values) - values[0])
    return Outliers(list(functions), DISTANCES, SHARES, change)


def _mixed(share: float, outliers: int) -> Array:
    return np.concatenate([np.full(POINTS, (1 - share) / POINTS), np.full(outliers, share / outliers)])


@dataclass(frozen=True, eq=False)
class Thresholds:
    """For each distance and picture: the share of noise, and the shift in rows (steps of a share and whole rows are
    measured, and joined by straight lines); inf if none is enough."""

    dataset: str
    methods: list[Method]
    noise: Array
    shift: Array
    largest_shift: int


def check_pictures(pictures: Pictures, count: int) -> None:
    """Raise if the thresholds cannot be found on these pictures."""
    if pictures.is_colour:
        raise ValueError(f"the thresholds need grey pictures; those of {pictures.name} have colours")
    if count > len(pictures):
        raise ValueError(f"{pictures.name} has {len(pictures)} pictures, fewer than --count {count}")
    if len(set(pictures.labels)) < 2:
        raise ValueError(f"all pictures of {pictures.name} have the same label; the thresholds need two or more")
    empty = np.flatnonzero(pictures.images.reshape(len(pictures), -1).max(axis=1) == 0)
    if len(empty):
        raise ValueError(f"picture {empty[0]} of {pictures.name} is all black: it has no mass")


def thresholds(
    pictures: Pictures, seed: int, count: int, n_threads: int | None = None, report: Report = silent
) -> Thresholds:
    """The experiment on ``count`` random grey pictures; ``report`` hears the share that is done."""
    check_pictures(pictures, count)
    rng = np.random.default_rng([seed, 21])
    ways = methods()
    noise, shift = np.empty((len(ways), count)), np.empty((len(ways), count))
    height = pictures.images.shape[1]
    for s, index in enumerate(rng.permutation(len(pictures))[:count]):
        own = pictures.images[index].astype(np.float64)
        others = _one_of_each_other_class(pictures, int(index), rng)
        spoiled = _with_noise(own, rng)
        shifted = _moved(own)
        for w, way in enumerate(ways):
            report((s + w / len(ways)) / count, f"picture {s + 1} of {count}: {way.name}")
            nearest = float(_row(own, others, way, n_threads).min())
            noise[w, s] = _crossing(_row(own, spoiled, way, n_threads), nearest) / NOISE_STEPS
            shift[w, s] = _crossing(_row(_tall(own[None])[0], shifted, way, n_threads, height), nearest)
    return Thresholds(pictures.name, ways, noise, shift, height)


def _one_of_each_other_class(pictures: Pictures, index: int, rng: np.random.Generator) -> Array:
    chosen = []
    for label in np.unique(pictures.labels):
        if label != pictures.labels[index]:
            chosen.append(rng.choice(np.flatnonzero(pictures.labels == label)))
    return pictures.images[chosen].astype(np.float64)


def _with_noise(own: Array, rng: np.random.Generator) -> Array:
    """The picture with more and more of its mass replaced by mass on one random pixel."""
    spot = np.zeros(own.size)
    spot[rng.integers(own.size)] = 1
    share = np.arange(NOISE_STEPS + 1)[:, None] / NOISE_STEPS
    return np.asarray((1 - share) * own.ravel() / own.sum() + share * spot).reshape(-1, *own.shape)


def _tall(images: Array) -> Array:
    """On a canvas of twice the height, the picture at its lower end: nothing is lost when it moves up."""
    return np.concatenate([np.zeros_like(images), images], axis=1)


def _moved(own: Array) -> Array:
    tall = _tall(own[None])[0]
    return np.stack([np.roll(tall, -rows, axis=0) for rows in range(own.shape[0] + 1)])


def _row(own: Array, others: Array, way: Method, n_threads: int | None, height: int | None = None) -> Array:
    """Distances from one picture to others, in the space of pictures of this height."""
    grid = pixel_grid(*own.shape)
    if height is not None:  # lengths in units of the diagonal of the picture, not of the canvas
        grid = grid * (np.hypot(*np.subtract(own.shape, 1)) / (np.hypot(height - 1, own.shape[1] - 1) or 1.0))
    flat: Any = others.reshape(len(others), -1)
    return np.asarray(rpw.pairwise(own.reshape(1, -1), flat, support=grid, n_threads=n_threads, **way.options)[0])


def _crossing(values: Array, level: float) -> float:
    """The first place at which the values reach the level, with straight lines between them; inf if there is none."""
    reached = np.flatnonzero(values >= level)
    if len(reached) == 0:
        return math.inf
    end = int(reached[0])
    if end == 0:
        return 0.0
    before, after = values[end - 1 : end + 1]
    return float(end - 1 + (level - before) / (after - before))
