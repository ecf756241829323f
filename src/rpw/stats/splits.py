"""Splits of the pooled rows into two samples: the observed one, and those that chance could have given.

Rows that lie at one place are counted, not told apart, so a split is a row of counts. The null hypothesis says that
every split of the same sizes was as likely as the observed one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Any

import numpy as np
import numpy.typing as npt

from rpw.base.check import Array
from rpw.base.deadline import NEVER, Deadline
from rpw.pair.atoms import Atoms, Ints, as_masses
from rpw.stats.samples import Samples

__all__ = ["Block", "Splits", "all_or_random_splits", "as_groups", "observed_split", "splits_of_counts"]

Counts = npt.NDArray[np.integer[Any]]
Sides = npt.NDArray[np.bool_]

_DRAWN_AT_ONCE = 2_000_000  # sides of rows, or counts


@dataclass(frozen=True, eq=False)
class Block:
    """Some splits: how many rows of the first sample lie at each place, split by split."""

    places: Array  # (places, d)
    pooled: Counts  # (places,)
    first: Counts  # (splits, places)

    def __len__(self) -> int:
        return len(self.first)

    @property
    def sizes(self) -> Ints:
        """The smaller of the two sample sizes, split by split."""
        n = self.first.sum(axis=1, dtype=np.int64)
        smaller: Ints = np.minimum(n, int(self.pooled.sum()) - n)
        return smaller

    def atoms(self, with_points: bool = False) -> tuple[Atoms, Atoms]:
        """The two samples of each split, as measures on the places; or with points of their own."""
        points = self.places if with_points else None
        return _as_atoms(self.first, points), _as_atoms(self.pooled - self.first, points)

    def shares(self) -> tuple[Array, Array]:
        """The share of either sample at each place, split by split."""
        first = self.first.astype(np.float64)
        second = self.pooled - first
        return first / first.sum(axis=1, keepdims=True), second / second.sum(axis=1, keepdims=True)


def _as_atoms(counts: Counts, points: Array | None) -> Atoms:
    split, place = np.nonzero(counts)
    ends = np.bincount(split, minlength=len(counts)).cumsum()
    weights = counts[split, place] / counts.sum(axis=1, dtype=np.int64)[split]
    start = np.concatenate([[0], ends]).astype(np.int64)
    return Atoms(start, weights, as_masses(weights), place.astype(np.int32) if points is None else points[place])


@dataclass(frozen=True, eq=False)
class Splits:
    """The observed split, and others that are drawn block by block: all of them together may not fit into memory.

    ``is_all`` says that the splits after the first are all there are, the observed one among them.
    """

    places: Array  # (places, d)
    pooled: Counts  # (places,)
    observed: Counts  # (places,)
    others: int
    is_all: bool
    _draw: Callable[[int], Iterator[Counts]]  # the others, so many at a time
    _drawn_of_each: int  # numbers that are drawn for one split

    def __len__(self) -> int:
        return 1 + self.others

    def blocks(self, most: int, deadline: Deadline = NEVER) -> Iterator[tuple[int, Block]]:
        """The observed split, then blocks of at most so many others, each with the place of its first one.

        They end when the deadline has passed. Each call goes on with the random numbers where the last one stopped.
        """
        start, drawing = 1, self._draw(max(1, min(most, _DRAWN_AT_ONCE // self._drawn_of_each)))
        yield 0, self.observed_block
        while not deadline.is_over and (drawn := next(drawing, None)) is not None:
            yield start, Block(self.places, self.pooled, drawn)
            start += len(drawn)

    @property
    def observed_block(self) -> Block:
        """The observed split alone."""
        return Block(self.places, self.pooled, self.observed[None, :])


def all_or_random_splits(
    samples: Samples, n_resamples: int, rng: np.random.Generator, groups: Ints | None = None
) -> Splits:
    """All splits of the rows if there are at most ``n_resamples``; else so many random ones.

    With ``groups``, the group of each row, whole groups change sides.
    """
    labels, n = samples.labels, samples.n
    of_row = np.arange(len(labels)) if groups is None else groups
    units = int(of_row.max()) + 1
    in_first = np.zeros(units, dtype=np.bool_)
    in_first[of_row[:n]] = True
    chosen = int(in_first.sum())
    is_all = units <= n_resamples and math.comb(units, chosen) <= n_resamples  # at least as many as units
    pooled = np.bincount(labels)
    dtype = np.min_scalar_type(int(pooled.max()))
    by_place = np.argsort(labels, kind="stable")
    starts = np.cumsum(pooled) - pooled

    def counts(sides: Sides) -> Counts:
        return np.add.reduceat(sides[:, of_row[by_place]], starts, axis=1, dtype=dtype)

    def draw(step: int) -> Iterator[Counts]:
        sides = _all_sides(units, chosen, step) if is_all else _random_sides(in_first, n_resamples, rng, step)
        return map(counts, sides)

    others = math.comb(units, chosen) if is_all else n_resamples
    observed = counts(in_first[None, :])[0]
    return Splits(samples.places, pooled.astype(dtype), observed, others, is_all, draw, len(labels))


def observed_split(samples: Samples) -> Splits:
    """The observed split alone."""
    return all_or_random_splits(samples, 0, np.random.default_rng(0))


def splits_of_counts(
    places: Array, pooled: Counts, observed: Counts, n_resamples: int, rng: np.random.Generator
) -> Splits:
    """Random splits of many rows at few places, drawn as counts."""
    n = int(observed.sum())

    def draw(step: int) -> Iterator[Counts]:
        for size in _sizes(n_resamples, step):
            yield rng.multivariate_hypergeometric(pooled, n, size=size, method="marginals")

    return Splits(places, pooled, observed, n_resamples, False, draw, len(places))


def as_groups(groups: Any, n: int, m: int) -> Ints | None:
    """The group of each pooled row, numbered from 0; ``groups`` is a pair, for the rows of the two samples."""
    if groups is None:
        return None
    if not isinstance(groups, Sequence) or isinstance(groups, str) or len(groups) != 2:
        raise ValueError(
            "groups must be a pair: the labels of the rows of the first sample, and the labels of the rows of the "
            f"second; got {groups!r:.60}"
        )
    of_x, of_y = _labels_in(groups[0], "groups[0]", n), _labels_in(groups[1], "groups[1]", m)
    both = set(of_x) & set(of_y)
    if both:
        raise ValueError(
            f"groups has {next(iter(both))!r} in both samples: random splits move whole groups, so a group must lie "
            "in one sample; if it has rows in both, choose one sample at random, and remove its rows from the other"
        )
    numbers: dict[Hashable, int] = {}
    found = np.array([numbers.setdefault(label, len(numbers)) for label in of_x + of_y], dtype=np.int64)
    if len(set(of_x)) < 2 or len(set(of_y)) < 2:
        raise ValueError(
            f"groups must have at least two groups in each sample, got {len(set(of_x))} and {len(set(of_y))}"
        )
    return found


def _labels_in(side: Any, name: str, rows: int) -> list[Any]:
    # Lists keep their entries: NumPy would turn numbers beside texts into texts.
    labels = list(side) if isinstance(side, (list, tuple)) else np.asarray(side).ravel().tolist()
    if len(labels) != rows:
        raise ValueError(f"{name} must have one label for each row, {rows}; got {len(labels)}")
    for label in labels:
        _check_label(label, name)
    return labels


def _check_label(label: Any, name: str) -> None:
    try:
        hash(label)
        is_missing = label is None or bool(label != label)
    except (TypeError, ValueError, ArithmeticError) as error:  # such as a dict, or the NA of pandas
        kind = type(label).__name__
        raise ValueError(f"{name} has a label of type {kind}, and groups need numbers or texts") from error
    if is_missing:
        raise ValueError(f"{name} has a missing label: each row needs a group")


def _all_sides(units: int, chosen: int, step: int) -> Iterator[Sides]:
    every = combinations(range(units), chosen)
    while members := list(islice(every, step)):
        sides = np.zeros((len(members), units), dtype=np.bool_)
        np.put_along_axis(sides, np.array(members), True, axis=1)
        yield sides


def _random_sides(in_first: Sides, count: int, rng: np.random.Generator, step: int) -> Iterator[Sides]:
    for size in _sizes(count, step):
        sides = np.tile(in_first, (size, 1))
        rng.permuted(sides, axis=1, out=sides)
        yield sides


def _sizes(count: int, step: int) -> list[int]:
    """Of parts that have at most so many entries each."""
    return [min(step, count - start) for start in range(0, count, step)]
