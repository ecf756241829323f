"""RPW of the two samples of every split, at every price, and how far replaced rows could have moved it.

All splits share one ground. If whole profiles are affordable, there is one for each split: it holds RPW at every price,
and the proven range of RPW after any share s of the rows was replaced,

    T⁻_s = min { e ≥ 0 : W_{1-s-e} ≤ κ e },      T⁺_s = min { e ≥ s : W_{1-e+s} ≤ κ e }.

Else there is RPW alone, and the wider range T - s, T + s
(docs/proofs/statistics.md, "How far replaced points can move RPW").
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

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
from rpw.stats.splits import Splits

__all__ = ["Curves", "Effort", "Resampled", "Values", "ground_of", "resample", "values_of"]

_MOST_PLACES = 5_000  # for whole profiles: the matrix of all distances has 200 megabytes
_ENTRIES_AT_ONCE = 2_000_000  # atoms of the splits that are handed over together
_AT_ONCE_ON_CPU = 256  # splits; a GPU takes all that fit
# On a line with samples of two sizes the exact profile would need a matrix. Two curves that enclose it take a
# few milliseconds: this far apart, as a share of the smallest price.
_BAND_ON_LINE = 1e-2


@dataclass(frozen=True, eq=False)
class Effort:
    """Who computes, how long, and who is told."""

    device: str
    n_threads: int
    deadline: Deadline
    report: Callable[[int], object]


class Resampled(Protocol):
    """What the splits gave; the observed one is the first. Splits without an answer in time are NaN."""

    @property
    def values(self) -> Array:
        """RPW, (splits, prices)."""

    def lowest(self, split: int, price: int, kappa: float, share: float) -> float:
        """The least that RPW of a split can have been before a share was replaced, at a price that may be higher."""

    def highest(self, split: int, price: int, kappa: float, share: float) -> float:
        """The most that it can have been, at a price that may be lower; 1 for a split without an answer."""


@dataclass(frozen=True, eq=False)
class Values:
    """RPW alone."""

    values: Array
    kappas: Array

    def lowest(self, split: int, price: int, kappa: float, share: float) -> float:
        """RPW falls at most in proportion as the price rises."""
        value = float(self.values[split, price])
        return 0.0 if math.isnan(value) or math.isinf(kappa) else max(0.0, value * self._factor(price, kappa) - share)

    def highest(self, split: int, price: int, kappa: float, share: float) -> float:
        """And rises at most in proportion as the price falls."""
        value = float(self.values[split, price])
        if math.isnan(value) or kappa == 0 < self.kappas[price]:
            return 1.0
        return min(1.0, value * self._factor(price, kappa) + share)

    def _factor(self, price: int, kappa: float) -> float:
        return 1.0 if kappa == self.kappas[price] else float(self.kappas[price]) / kappa


@dataclass(frozen=True, eq=False)
class Curves:
    """A whole profile for each split, or two curves around it."""

    values: Array
    upper: list[Polyline | None]
    lower: list[Polyline | None]

    def lowest(self, split: int, price: int, kappa: float, share: float) -> float:
        """Where the lower curve meets the price that is shifted to the right."""
        curve = self.lower[split]
        return 0.0 if curve is None else curve.crossing(kappa, -share)

    def highest(self, split: int, price: int, kappa: float, share: float) -> float:
        """Where the upper curve meets the price that is shifted to the left."""
        curve = self.upper[split]
        return 1.0 if curve is None else curve.crossing(kappa, share)


def ground_of(places: Array, metric: GroundMetric) -> Support | Points:
    """One ground for all splits: a shared support, or without a matrix if there are too many places for one."""
    support = Support(places, metric)
    return support if len(places) <= _MOST_PLACES or _is_on_line(support) else Points(metric)


def resample(
    splits: Splits, question: Question, metric: GroundMetric, kappas: Array, effort: Effort
) -> Values | Curves:
    """Solve every split, by whole profiles if they are affordable."""
    ground = ground_of(splits.places, metric)
    if effort.device == "cpu" and ground.size is not None:
        with suppress(ValueError):  # distances over so many orders of magnitude that their powers fit no float64
            return _by_profiles(ground, splits, question, kappas, effort)
    return Values(values_of(ground, splits, question, effort, tuple(kappas)), kappas)


def _by_profiles(ground: Ground, splits: Splits, question: Question, kappas: Array, effort: Effort) -> Curves:
    if question.tol > 0:
        return _curves(ground, splits, replace(question, tol=question.tol * float(kappas.min())), kappas, effort)
    if _is_on_line(ground) and _has_long_profiles(splits, question):
        values = values_of(ground, splits, question, replace(effort, report=lambda done: None), tuple(kappas))
        tol = _BAND_ON_LINE * float(kappas[kappas > 0].min(initial=1.0))
        return replace(_curves(ground, splits, replace(question, tol=tol), kappas, effort), values=values)
    return _curves(ground, splits, question, kappas, effort)


def values_of(
    ground: Ground, splits: Splits, question: Question, effort: Effort, kappas: tuple[float, ...] = ()
) -> Array:
    """One number for each split, or with several prices one for each of them; NaN for those that had no time."""
    asked = replace(question, k=max(kappas), several_k=kappas, diameter=1.0, tol=0.0) if kappas else question
    values = np.full((len(splits), len(kappas)) if kappas else len(splits), np.nan)
    with suppress(TimeLimitError):  # what is known by then is in its place
        for start, stop in _parts(splits, effort.device):
            a, b = splits.atoms(start, stop, ground.size is None)
            backend = backend_for(PairBatch(a, b, ground, asked), effort.device)
            pairs, report = np.arange(stop - start), _from(start, effort.report)
            _, failures = backend.values(
                pairs, pairs, effort.n_threads, report, effort.deadline, into=values[start:stop]
            )
            _check_solved(failures)
    return values


def _curves(ground: Ground, splits: Splits, question: Question, kappas: Array, effort: Effort) -> Curves:
    upper: list[Polyline | None] = []
    lower: list[Polyline | None] = []
    for start, stop in _parts(splits, effort.device):
        if effort.deadline.seconds_left == 0:
            break
        a, b = splits.atoms(start, stop, ground.size is None)
        pairs = np.arange(stop - start)
        backend = CoreBackend(PairBatch(a, b, ground, question))
        bands, failures = backend.profiles(pairs, pairs, effort.n_threads, _from(start, effort.report), effort.deadline)
        _check_solved(failures)
        for band in bands:
            above = None if band is None else Polyline.of_core(question.p, band[0])
            below = above if band is None or band[1] is None else Polyline.of_core(question.p, band[1])
            upper.append(above)
            lower.append(below)
    missing = len(splits) - len(upper)
    upper, lower = [*upper, *[None] * missing], [*lower, *[None] * missing]
    values = [[math.nan if curve is None else curve.crossing(kappa) for kappa in kappas.tolist()] for curve in upper]
    return Curves(np.array(values), upper, lower)


def _is_on_line(ground: Ground) -> bool:
    nowhere: Ints = np.zeros(0, dtype=np.int64)
    return ground.has_on_line(nowhere, nowhere)


def _has_long_profiles(splits: Splits, question: Question) -> bool:
    """Whether exact profiles on a line are long: unequal masses at 1 < p < inf."""
    is_even = int(splits.pooled.max()) == 1 and 2 * int(splits.first[0].sum(dtype=np.int64)) == len(splits.pooled)
    return 1 < question.p < math.inf and not is_even


def _parts(splits: Splits, device: str) -> list[tuple[int, int]]:
    most = _AT_ONCE_ON_CPU if device == "cpu" else len(splits)
    step = max(1, min(most, _ENTRIES_AT_ONCE // len(splits.pooled)))
    return [(start, min(start + step, len(splits))) for start in range(0, len(splits), step)]


def _from(start: int, report: Callable[[int], object]) -> Callable[[int], object]:
    return lambda done: report(start + done)


def _check_solved(failures: list[tuple[int, int, str]]) -> None:
    if failures:
        raise ValueError(f"a split of x and y could not be solved: {failures[0][2]}")
