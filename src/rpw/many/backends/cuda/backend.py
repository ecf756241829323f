"""One NVIDIA GPU."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np

from rpw import _core
from rpw.base.check import Array
from rpw.base.deadline import NEVER, Deadline
from rpw.many.backends.cuda.bounds import bound_pairs
from rpw.many.backends.cuda.driver import device
from rpw.many.backends.cuda.pairs import Answers, Measures, Question, solve_pairs
from rpw.many.backends.protocol import Report
from rpw.many.batch import PairBatch
from rpw.many.errors import Failures
from rpw.pair.atoms import Atoms, Ints
from rpw.pair.ground import InArrays

__all__ = ["CudaBackend"]

_PAIRS_AT_ONCE = 1 << 20  # of which indices and answers lie on the GPU
# Powers below 2^-1000 vanish: at this p those of lengths below 2^-100 of the largest distance, which count for nothing.
_LARGEST_P = 10.0
_LARGEST_POWER = 960.0  # as a power of two; beyond, sums of powers might not be float64
_WIDEST = 1e-9  # that bounds may lie apart, as p-th powers in units of the largest distance


class CudaBackend:
    """Brings the measures to the GPU and asks it for one long list of pairs after the other.

    The core's arithmetic on integer masses, but another order of events: values agree with the core's to about 1e-12.
    """

    def __init__(self, batch: PairBatch, number: int = 0) -> None:
        reason = _reason_against(batch)
        if reason is not None:
            raise ValueError(f"device='cuda' cannot compute this: {reason}; pass device='cpu'")
        self.batch, self.number = batch, number

    def __reduce__(self) -> tuple[Any, ...]:
        return CudaBackend, (self.batch, self.number)

    def check_ready(self) -> None:
        """As `Backend.check_ready`: raises `NoGpuError` without a GPU."""
        device(self.number)

    def check_fits(self, n_threads: int, is_halved: bool, limit: float = math.inf) -> None:
        """As `Backend.check_fits`: no pair needs a matrix here, and the GPU says itself when its memory is full."""

    def values(
        self, first: Ints, second: Ints, n_threads: int, report: Report = None, deadline: Deadline = NEVER
    ) -> tuple[Array, Failures]:
        """As `Backend.values`. The deadline and the report are asked about 50 times a second; pairs that are being
        solved at that moment are finished first."""
        values, failures = np.full(len(first), np.nan), Failures()
        for begin in range(0, len(first), _PAIRS_AT_ONCE):
            part = slice(begin, begin + _PAIRS_AT_ONCE)

            def note(done: int, before: int = begin) -> None:
                deadline.check()
                if report is not None:
                    report(before + done)

            answers = self._solve(first[part], second[part], note)
            unsound = ~_is_sound(answers, self._question)
            values[part] = np.where(unsound, np.nan, answers.value)
            failures += [
                (int(first[begin + e]), int(second[begin + e]), _describe(answers, int(e)))
                for e in np.flatnonzero(unsound)
            ]
        return values, failures

    def outcomes(
        self, first: Ints, second: Ints, n_threads: int, report: Report = None, deadline: Deadline = NEVER
    ) -> tuple[list[_core.Outcome | None], Failures]:
        """Refused: plans and potentials stay on the GPU so far, and only numbers come back."""
        raise ValueError("device='cuda' gives numbers, not plans; pass device='cpu'")

    def bounds(self, first: Ints, second: Ints, report: Report = None) -> Array:
        """As `BoundingBackend.bounds`: by nearest neighbours; 0 where the question is another than RPW."""
        bounds = np.zeros(len(first))
        if self._question.quantity != "crossing":
            return bounds
        gpu = device(self.number)
        a, b, table = self._prepared
        for begin in range(0, len(first), _PAIRS_AT_ONCE):
            part = slice(begin, begin + _PAIRS_AT_ONCE)
            pairs = first[part], second[part]
            bounds[part] = bound_pairs(a, b, self._question, *pairs, gpu=gpu, table=table, progress=report)
        return bounds

    def _solve(self, first: Ints, second: Ints, note: Report) -> Answers:
        gpu = device(self.number)
        a, b, table = self._prepared
        return solve_pairs(a, b, self._question, first, second, table=table, progress=note, gpu=gpu)

    @cached_property
    def _question(self) -> Question:
        asked, ground = self.batch.question, self.batch.ground
        if ground.uses_labels(asked):
            return Question("shared")
        return Question(
            "crossing" if asked.is_of_crossing else "mass",
            p=asked.p,
            kappa=asked.kappa,
            unmoved=asked.unmoved,
            truncation=asked.truncation,
            metric="euclidean" if self._arrays.metric is None else self._arrays.metric.name,
        )

    @cached_property
    def _arrays(self) -> InArrays:
        return self.batch.ground.lay_open(self.batch.question, self.batch.a, self.batch.b)

    @cached_property
    def _prepared(self) -> tuple[Measures, Measures, Array | None]:
        a, b, arrays = self.batch.a, self.batch.b, self._arrays
        if arrays.matrix is not None:
            _check_powers(float(arrays.matrix.max()), self._question)
        elif arrays.metric is not None:
            _check_powers(_extent(arrays.where(a), arrays.where(b)), self._question)
        of_a = _measures(a, arrays)
        return of_a, of_a if b is a else _measures(b, arrays), arrays.matrix


def _reason_against(batch: PairBatch) -> str | None:
    """Why a GPU cannot compute the batch, if it cannot."""
    asked, ground = batch.question, batch.ground
    if asked.several_k:
        return "it takes one k at a time"
    if ground.uses_labels(asked):
        return None
    if asked.is_of_shared_mass:
        return "where distance 0 does not mean equal points (cost=, or such a metric), total variation is a flow"
    if math.isinf(asked.p):
        return "at p = inf the distance is a flow"
    if asked.p > _LARGEST_P:
        return f"p is at most {_LARGEST_P:g} there, got {asked.p:g}"
    if not ground.is_in_core:
        return f"metric={ground.metric.describe()} is known to Python alone"
    return None


def _measures(atoms: Atoms, arrays: InArrays) -> Measures:
    where = arrays.where(atoms)
    if arrays.metric is not None:
        return Measures(atoms.start, atoms.mass, points=where)
    if arrays.matrix is not None:
        return Measures(atoms.start, atoms.mass, place=where)
    # Two measures are merged label by label, as two sorted lists.
    order = np.lexsort((where, np.repeat(np.arange(len(atoms)), atoms.sizes)))
    return Measures(atoms.start, atoms.mass[order], label=where[order].astype(np.int32))


def _extent(x: Array, y: Array) -> float:
    """No two points are farther apart, under any metric of the core."""
    low, high = (f([f(points, axis=0) for points in (x, y)], axis=0) for f in (np.min, np.max))
    with np.errstate(over="ignore"):
        return float(np.sum(high - low))


def _check_powers(largest: float, question: Question) -> None:
    """Raise where p-th powers of distances, or of κ, would leave float64."""
    lengths = [min(largest, question.truncation)]
    lengths += [question.kappa] if question.quantity == "crossing" else []
    positive = [length for length in lengths if length > 0]
    if not positive:
        return
    span = math.log2(max(positive)) - math.log2(min(positive)) if math.isfinite(max(positive)) else math.inf
    if question.p * span > _LARGEST_POWER:
        raise ValueError(
            f"device='cuda' cannot compute this: distances reach to {lengths[0]:.3g}, which at p={question.p:g} and "
            f"k * diameter = {question.kappa:.3g} leaves float64; pass device='cpu'"
        )


def _is_sound(answers: Answers, question: Question) -> Any:
    """Whether each value lies in its bounds, and these within rounding of each other."""
    unit = answers.scale if question.quantity == "mass" else 1.0
    lower, upper = (np.power(bound / unit, question.p) for bound in (answers.lower, answers.upper))
    is_between = (answers.lower <= answers.value) & (answers.value <= answers.upper)
    return is_between & (upper - lower <= _WIDEST * np.maximum(1.0, upper))


def _describe(answers: Answers, e: int) -> str:
    return f"the GPU proved no more than [{answers.lower[e]:.17g}, {answers.upper[e]:.17g}]; device='cpu' may do better"
