"""RPW of the two samples of every split, at every price, and how far replaced rows could have moved it.

All splits share one ground. If whole profiles are affordable, there is one for each split: it holds RPW at every price,
and the proven range of RPW after any share s of the rows was replaced,

    T⁻_s = min { e ≥ 0 : W_{1-s-e} ≤ κ e },      T⁺_s = min { e ≥ s : W_{1-e+s} ≤ κ e }.

Else there is one for the observed split alone, and of the others RPW, with the wider range T - s, T + s
(docs/proofs/statistics.md, "How far replaced points can move RPW").
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from rpw.base.check import Array
from rpw.base.deadline import Deadline, TimeLimitError
from rpw.many.backends.choice import backend_for
from rpw.many.backends.core import CoreBackend
from rpw.many.batch import PairBatch
from rpw.many.support import Support
from rpw.pair.atoms import Ints
from rpw.pair.crossing import Polyline
from rpw.pair.ground import Ground, Points
from rpw.pair.metrics import GroundMetric
from rpw.pair.question import Question
from rpw.stats.splits import Block, Splits

__all__ = ["Effort", "Resampled", "ground_of", "resample", "resampled_blocks", "values_of"]

_MOST_PLACES = 5_000  # for whole profiles of all splits: the matrix of all distances has 200 megabytes
_MOST_BREAKPOINTS = 50_000_000  # of all profiles together: 1.2 gigabytes
_MOST_PLACES_OF_ONE = 20_000  # for the profile of the observed split alone, which takes as long as seven values
_ENTRIES_AT_ONCE = 2_000_000  # atoms of the splits that are handed over together
_AT_ONCE_ON_CPU = 256  # splits; a GPU takes all that fit
# On a line with samples of two sizes, and for very many places, two curves that enclose the profile take far less time:
# this far apart, as a share of the smallest price.
_BAND = 1e-2


@dataclass(frozen=True, eq=False)
class Effort:
    """Who computes, how long, and who is told."""

    device: str
    n_threads: int
    deadline: Deadline
    report: Callable[[int], object]


@dataclass(frozen=True, eq=False)
class Resampled:
    """What the splits gave; the observed one is the first. Splits without an answer in time are NaN.

    A split has a whole profile, or two curves around it, or RPW alone.
    """

    values: Array  # RPW, (splits, prices)
    kappas: Array
    sizes: Ints  # the smaller sample of each split
    upper: dict[int, Polyline] = field(default_factory=dict)  # of those splits that have curves
    lower: dict[int, Polyline] = field(default_factory=dict)

    @classmethod
    def nothing(cls, count: int, kappas: Array) -> Resampled:
        """As it is before any split is solved."""
        return cls(np.full((count, len(kappas)), np.nan), kappas, np.ones(count, dtype=np.int64))

    def put(self, start: int, part: Resampled) -> None:
        """Write what some splits gave, the first of which is number ``start``."""
        here = slice(start, start + len(part.values))
        self.values[here], self.sizes[here] = part.values, part.sizes
        self.upper.update({start + split: curve for split, curve in part.upper.items()})
        self.lower.update({start + split: curve for split, curve in part.lower.items()})

    @property
    def has_answer(self) -> npt.NDArray[np.bool_]:
        """Of each split."""
        return np.asarray(~np.isnan(self.values).any(axis=1))

    def lowest(self, split: int, price: int, kappa: float, share: float) -> float:
        """The least that RPW of a split can have been before a share was replaced, at a price that may be higher.

        Where the lower curve meets the price that is shifted to the right. Without curves: RPW falls at most in
        proportion as the price rises.
        """
        curve, value = self.lower.get(split), float(self.values[split, price])
        if curve is not None:
            return curve.crossing(kappa, -share)
        if math.isnan(value) or math.isinf(kappa):
            return 0.0
        return max(0.0, value * self._factor(price, kappa) - max(0.0, share))

    def highest(self, split: int, price: int, kappa: float, share: float) -> float:
        """The most that it can have been, at a price that may be lower; 1 for a split without an answer.

        Where the upper curve meets the price that is shifted to the left. Without curves: RPW rises at most in
        proportion as the price falls.
        """
        curve, value = self.upper.get(split), float(self.values[split, price])
        if curve is not None:
            return curve.crossing(kappa, share)
        if math.isnan(value) or kappa == 0 < self.kappas[price]:
            return 1.0
        return min(1.0, value * self._factor(price, kappa) + max(0.0, share))

    def _factor(self, price: int, kappa: float) -> float:
        return 1.0 if kappa == self.kappas[price] else float(self.kappas[price]) / kappa


def ground_of(places: Array, metric: GroundMetric) -> Support | Points:
    """One ground for all splits: a shared support, or without a matrix if there are too many places for one."""
    support = Support(places, metric)
    return support if len(places) <= _MOST_PLACES or _is_on_line(support) else Points(metric)


def resample(splits: Splits, question: Question, metric: GroundMetric, kappas: Array, effort: Effort) -> Resampled:
    """Solve every split, by whole profiles if they are affordable; the observed one nearly always is."""
    found = Resampled.nothing(len(splits), kappas)
    for start, part in resampled_blocks(splits, question, metric, kappas, effort):
        found.put(start, part)
    if 0 not in found.upper and len(splits.places) <= _MOST_PLACES_OF_ONE and not effort.deadline.is_over:
        ground, silent = ground_of(splits.places, metric), replace(effort, device="cpu", report=lambda done: None)
        with suppress(ValueError, MemoryError):
            alone = _by_profiles(ground, splits.observed_block, question, kappas, silent)
            found.upper.update(alone.upper)
            found.lower.update(alone.lower)
    return found


def resampled_blocks(
    splits: Splits, question: Question, metric: GroundMetric, kappas: Array, effort: Effort, most: int = sys.maxsize
) -> Iterator[tuple[int, Resampled]]:
    """What block after block of the splits gave, and the place of the first one in it; until the time is over."""
    ground = ground_of(splits.places, metric)
    has_curves, breakpoints = effort.device == "cpu" and ground.size is not None, 0
    for start, block in splits.blocks(min(most, _at_once(splits, effort)), effort.deadline):
        told = replace(effort, report=_from(start, effort.report))
        part = None
        if has_curves:
            with suppress(ValueError):
                part = _by_profiles(ground, block, question, kappas, told)
        if part is not None:
            breakpoints += sum(len(curve.unmoved) for curve in part.upper.values())
        # None: distances over so many orders of magnitude that their powers fit no float64. With tol, curves are short,
        # and values without them would be of another kind.
        has_curves = part is not None and (breakpoints < _MOST_BREAKPOINTS or question.tol > 0)
        if part is None:
            part = Resampled(_values_of(ground, block, question, told, tuple(kappas)), kappas, block.sizes)
        yield start, part


def values_of(
    ground: Ground, splits: Splits, question: Question, effort: Effort, kappas: tuple[float, ...] = ()
) -> Array:
    """One number for each split, or with several prices one for each of them; NaN for those that had no time."""
    values = np.full((len(splits), len(kappas)) if kappas else len(splits), np.nan)
    for start, block in splits.blocks(_at_once(splits, effort), effort.deadline):
        told = replace(effort, report=_from(start, effort.report))
        values[start : start + len(block)] = _values_of(ground, block, question, told, kappas)
    return values


def _values_of(ground: Ground, block: Block, question: Question, effort: Effort, kappas: tuple[float, ...]) -> Array:
    asked = replace(question, k=max(kappas), several_k=kappas, diameter=1.0, tol=0.0) if kappas else question
    values = np.full((len(block), len(kappas)) if kappas else len(block), np.nan)
    with suppress(TimeLimitError):  # what is known by then is in its place
        pairs, batch = _batch_of(ground, block, asked, effort)
        backend = backend_for(batch, effort.device)
        _, failures = backend.values(pairs, pairs, effort.n_threads, effort.report, effort.deadline, into=values)
        _check_solved(failures)
    return values


def _batch_of(ground: Ground, block: Block, question: Question, effort: Effort) -> tuple[Ints, PairBatch]:
    """One pair for each split. The matrix of a shared ground is made here, for here there is a deadline."""
    a, b = block.atoms(with_points=ground.size is None)
    if ground.size is not None and effort.device == "cpu":
        ground.prepare(question, a, b, effort.deadline)
    return np.arange(len(block)), PairBatch(a, b, ground, question)


def _by_profiles(ground: Ground, block: Block, question: Question, kappas: Array, effort: Effort) -> Resampled:
    band = question.tol * float(kappas.min())
    is_wide = ground.size is None or (_is_on_line(ground) and _has_long_profiles(block, question))
    if band > 0 or not is_wide:
        return _curves(ground, block, replace(question, tol=band), kappas, effort)
    values = _values_of(ground, block, question, replace(effort, report=lambda done: None), tuple(kappas))
    band = _BAND * float(kappas[kappas > 0].min(initial=1.0))
    return replace(_curves(ground, block, replace(question, tol=band), kappas, effort), values=values)


def _curves(ground: Ground, block: Block, question: Question, kappas: Array, effort: Effort) -> Resampled:
    found = replace(Resampled.nothing(len(block), kappas), sizes=block.sizes)
    with suppress(TimeLimitError):
        pairs, batch = _batch_of(ground, block, question, effort)
        bands, failures = CoreBackend(batch).profiles(pairs, pairs, effort.n_threads, effort.report, effort.deadline)
        _check_solved(failures)
        for split, band in enumerate(bands):
            if band is not None:
                found.upper[split] = above = Polyline.of_core(question.p, band[0])
                found.lower[split] = above if band[1] is None else Polyline.of_core(question.p, band[1])
                found.values[split] = [above.crossing(kappa) for kappa in kappas.tolist()]
    return found


def _is_on_line(ground: Ground) -> bool:
    nowhere: Ints = np.zeros(0, dtype=np.int64)
    return ground.has_on_line(nowhere, nowhere)


def _has_long_profiles(block: Block, question: Question) -> bool:
    """Whether exact profiles on a line are long: unequal masses at 1 < p < inf."""
    is_even = int(block.pooled.max()) == 1 and bool((2 * block.sizes == len(block.pooled)).all())
    return 1 < question.p < math.inf and not is_even


def _at_once(splits: Splits, effort: Effort) -> int:
    most = _AT_ONCE_ON_CPU if effort.device == "cpu" else len(splits)
    return max(1, min(most, _ENTRIES_AT_ONCE // len(splits.pooled)))


def _from(start: int, report: Callable[[int], object]) -> Callable[[int], object]:
    return lambda done: report(start + done)


def _check_solved(failures: list[tuple[int, int, str]]) -> None:
    if failures:
        raise ValueError(f"a split of x and y could not be solved: {failures[0][2]}")
