"""One NVIDIA GPU."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from rpw import _core
from rpw.base.check import Array
from rpw.base.deadline import NEVER, Deadline
from rpw.base.spelling import setting
from rpw.many.backends.cuda.bounds import bound_pairs
from rpw.many.backends.cuda.cuts import Cut, Cuts, cuts_of
from rpw.many.backends.cuda.driver import device
from rpw.many.backends.cuda.outcomes import outcomes_of
from rpw.many.backends.cuda.pairs import solve_pairs
from rpw.many.backends.cuda.terms import BEYOND_CUTOFF, EXACT, Answers, Measures, Question
from rpw.many.backends.protocol import Report, Round
from rpw.many.batch import PairBatch
from rpw.many.errors import Failures
from rpw.pair.atoms import Atoms, Ints
from rpw.pair.ground_form import InArrays
from rpw.pair.question import Question as AskedQuestion

__all__ = ["LARGEST_P", "WIDEST", "CudaBackend", "check_gpu", "leaves_float64"]

# Pairs in a round of a search, at least: of each query, and of all together (and in a call, of small tiles).
_SOLVES_IN_ROUND, _PAIRS_IN_ROUND = 16, 512
_CUTS_AT_ONCE = 32  # that bound the candidates of a query: the last ones
_PAIRS_AT_ONCE = 1 << 20  # of which indices and answers lie on the GPU
_ATOMS_AT_ONCE = 1 << 22  # of which plans and potentials do
# Powers below 2^-1000 vanish: at this p those of lengths below 2^-100 of the largest distance, which count for nothing.
LARGEST_P = 10.0
_LARGEST_POWER = 960.0  # as a power of two; beyond, sums of powers might not be float64
WIDEST = 1e-9  # that bounds may lie apart, as p-th powers in units of the largest distance


def check_gpu(number: int) -> None:
    """Raise `NoGpuError` unless there is a GPU of this number."""
    device(number)


class CudaBackend:
    """Brings the measures to the GPU and asks it for one long list of pairs after the other.

    The core's arithmetic on integer masses, but another order of events: values agree with the core's to about 1e-12.
    """

    pairs_at_once = _PAIRS_IN_ROUND

    def __init__(self, batch: PairBatch, number: int = 0) -> None:
        reason = _reason_against(batch)
        if reason is not None:
            raise ValueError(
                f"{setting('device', 'cuda')} cannot compute this: {reason}; pass {setting('device', 'cpu')}"
            )
        self.batch, self.number = batch, number

    def __reduce__(self) -> tuple[Any, ...]:
        return CudaBackend, (self.batch, self.number)

    def check_ready(self) -> None:
        """As `Backend.check_ready`: raises `NoGpuError` without a GPU."""
        check_gpu(self.number)

    def check_fits(self, n_threads: int, is_halved: bool, limit: float = math.inf) -> None:
        """As `Backend.check_fits`: no pair needs a matrix here, and the GPU says itself when its memory is full."""

    def values(
        self,
        first: Ints,
        second: Ints,
        n_threads: int,
        report: Report = None,
        deadline: Deadline = NEVER,
        *,
        into: Array | None = None,
    ) -> tuple[Array, Failures]:
        """As `Backend.values`. The deadline and the report are asked about 50 times a second; pairs that are being
        solved at that moment are finished first, unless they take the whole GPU."""
        values = self.batch.no_values(len(first)) if into is None else into
        if not self.batch.question.several_k:
            return values, self._fill(values, self._questions[0], first, second, report, deadline)
        kappas, reasons = self.batch.question.kappas, dict[tuple[int, int], str]()
        for question in self._questions:
            prices = question.kappas or (question.kappa,)
            report_now = report if question is self._questions[-1] else None
            found = np.full((len(first), len(prices)), np.nan)
            place_of = found if question.kappas else found[:, 0]
            failures = self._fill(place_of, question, first, second, report_now, deadline)
            for place, kappa in enumerate(kappas):
                if kappa in prices:
                    values[:, place] = found[:, prices.index(kappa)]
            reasons |= {(s, t): reason for s, t, reason in failures}
        values[np.isnan(values).any(axis=1)] = np.nan
        return values, [(s, t, reason) for (s, t), reason in reasons.items()]

    def round_for(self, number: int, queries: int, n_threads: int) -> Round:
        """As `Backend.round_for`: long enough for a GPU, and each twice as long as the one before. A solve is so cheap
        that mixtures are not worth it."""
        return Round(max(_SOLVES_IN_ROUND << min(number, 40), _PAIRS_IN_ROUND // queries), mixtures=0, bounds_all=True)

    def new_cuts(self) -> Cuts:
        """As `Backend.new_cuts`."""
        return Cuts(len(self.batch.a))

    def values_within(
        self, first: Ints, second: Ints, cutoffs: Array, cuts: Cuts, n_threads: int, report: Report = None
    ) -> tuple[Array, Failures]:
        """As `Backend.values_within`."""
        question = self._questions[0]
        if question.quantity != "crossing":
            return self.values(first, second, n_threads, report)
        values, failures = np.full(len(first), np.nan), Failures()
        a, b, table = self._prepared(question)
        for begin, end in _chunks(a.sizes[first] + b.sizes[second]):
            part = slice(begin, end)
            note, gpu = _note_after(begin, report, NEVER), device(self.number)
            answers = solve_pairs(
                a,
                b,
                question,
                first[part],
                second[part],
                table=table,
                progress=note,
                gpu=gpu,
                cutoffs=cutoffs[part],
                potentials=True,
            )
            values[part], failed = _read_values(answers, question, first[part], second[part])
            failures += failed
            for query, cut in zip(first[part].tolist(), cuts_of(answers, question), strict=True):
                if cut is not None:
                    cuts.add(query, cut)
        return values, failures

    def cut_bounds(self, cuts: Cuts, since: Ints, first: Ints, second: Ints, n_threads: int) -> Array:
        """As `Backend.cut_bounds`."""
        return self._bounds(first, second, None, cuts.last(since, _CUTS_AT_ONCE))

    def mixed_bounds(self, cuts: Cuts, first: Ints, second: Ints, n_threads: int) -> Array:
        """As `Backend.mixed_bounds`: nobody asks."""
        return np.zeros(len(first))

    def _fill(
        self, values: Array, question: Question, first: Ints, second: Ints, report: Report, deadline: Deadline
    ) -> Failures:
        """Put the values of the pairs into place; those that fail."""
        failures = Failures()
        a, b, table = self._prepared(question)
        at_once = _PAIRS_AT_ONCE // max(1, len(question.kappas))
        for begin in range(0, len(first), at_once):
            part = slice(begin, begin + at_once)
            s, t = first[part], second[part]
            note = _note_after(begin, report, deadline)
            gpu = device(self.number)
            answers = solve_pairs(a, b, question, s, t, table=table, progress=note, gpu=gpu)
            values[part], failed = _read_values(answers, question, s, t)
            failures += failed
        return failures

    def outcomes(
        self, first: Ints, second: Ints, n_threads: int, report: Report = None, deadline: Deadline = NEVER
    ) -> tuple[list[_core.Outcome | None], Failures]:
        """As `Backend.outcomes`, with the deadline and the report of `values`."""
        question, failures = self._questions[0], Failures()
        a, b, table = self._prepared(question)
        found: list[_core.Outcome | None] = [None] * len(first)
        for begin, end in _chunks(a.sizes[first] + b.sizes[second]):
            if deadline.seconds_left == 0:
                break
            (of_a, s), (of_b, t) = _used(a, first[begin:end]), _used(b, second[begin:end])
            answers = solve_pairs(
                of_a,
                of_b,
                question,
                s,
                t,
                table=table,
                plans=True,
                progress=_note_after(begin, report, deadline),
                gpu=device(self.number),
                count_work=True,
                keeps_unfinished=True,
            )
            found[begin:end] = outcomes_of(answers, question, of_a, of_b, s, t)
            for e in np.flatnonzero((answers.status == EXACT) & ~_is_sound(answers, question)).tolist():
                found[begin + e] = None
                failures.append((int(first[begin + e]), int(second[begin + e]), _describe(answers, e)))
        return found, failures

    def bounds(self, first: Ints, second: Ints, n_threads: int, report: Report = None) -> Array:
        """As `Backend.bounds`: by nearest neighbours; 0 where the question is another than RPW."""
        return self._bounds(first, second, report)

    def _bounds(self, first: Ints, second: Ints, report: Report, cuts: list[list[Cut]] | None = None) -> Array:
        bounds, question = np.zeros(len(first)), self._questions[0]
        if question.quantity != "crossing":
            return bounds
        a, b, table = self._prepared(question)
        for begin in range(0, len(first), _PAIRS_AT_ONCE):
            part = slice(begin, begin + _PAIRS_AT_ONCE)
            gpu, pairs = device(self.number), (first[part], second[part])
            bounds[part] = bound_pairs(a, b, question, *pairs, gpu=gpu, table=table, cuts=cuts, progress=report)
        return bounds

    @cached_property
    def _questions(self) -> list[Question]:
        """One; with several k that of k = 0, and one for the prices that a walk passes on its way, or one for each
        price where their powers have no scale in common."""
        asked = self.batch.question
        if not asked.several_k:
            return [self._question(asked.kappa)]
        prices = sorted(set(asked.kappas))
        shared = [Question("shared", kappa=0.0)] if prices[0] == 0 else []
        prices = [kappa for kappa in prices if kappa > 0]
        if len(prices) < 2 or leaves_float64(self._largest, replace(self._question(prices[-1]), kappas=tuple(prices))):
            return shared + [self._question(kappa) for kappa in prices]
        return [*shared, replace(self._question(prices[-1]), kappas=tuple(prices))]

    def _question(self, kappa: float) -> Question:
        asked = self.batch.question
        if asked.is_of_shared_mass:
            return Question("shared")
        return Question(
            "crossing" if asked.is_of_crossing else "mass",
            p=asked.p,
            kappa=kappa,
            unmoved=asked.unmoved,
            truncation=asked.truncation,
            metric="euclidean" if self._arrays.metric is None else self._arrays.metric.name,
        )

    @cached_property
    def _arrays(self) -> InArrays:
        return self.batch.ground.lay_open(self.batch.question, self.batch.a, self.batch.b)

    @cached_property
    def _largest(self) -> float:
        """No distance is larger; 0 where only labels count."""
        arrays = self._arrays
        if arrays.matrix is not None:
            return float(arrays.matrix.max())
        return 0.0 if arrays.metric is None else _extent(arrays.where(self.batch.a), arrays.where(self.batch.b))

    def _prepared(self, question: Question) -> tuple[Measures, Measures, Array | None]:
        """What `solve_pairs` takes for one of the questions."""
        if question.quantity == "shared":
            return self._labelled
        if leaves_float64(self._largest, question):
            raise ValueError(
                f"{setting('device', 'cuda')} cannot compute this: distances reach to "
                f"{min(self._largest, question.truncation):.3g}, "
                f"and at p={question.p:g} and k * diameter = {question.kappa:.3g} their powers are outside the range "
                f"of float64; pass {setting('device', 'cpu')}"
            )
        return self._placed

    @cached_property
    def _placed(self) -> tuple[Measures, Measures, Array | None]:
        return *self._laid_out(self._arrays), self._arrays.matrix

    @cached_property
    def _labelled(self) -> tuple[Measures, Measures, None]:
        asked = _at_no_price(self.batch.question)
        return *self._laid_out(self.batch.ground.lay_open(asked, self.batch.a, self.batch.b)), None

    def _laid_out(self, arrays: InArrays) -> tuple[Measures, Measures]:
        a, b = self.batch.a, self.batch.b
        of_a = _measures(a, arrays)
        return of_a, of_a if b is a else _measures(b, arrays)


def _note_after(begin: int, report: Report, deadline: Deadline) -> Callable[[int], object]:
    """Asks the deadline, and reports pairs after those that were done before."""

    def note(done: int) -> None:
        deadline.check()
        if report is not None:
            report(begin + done)

    return note


def _chunks(atoms: Ints) -> Iterator[tuple[int, int]]:
    """Ranges of pairs whose plans and potentials lie on the GPU at the same time; a large pair is alone."""
    end_of_atoms = np.cumsum(atoms)
    begin = 0
    while begin < len(atoms):
        before = int(end_of_atoms[begin - 1]) if begin else 0
        end = max(begin + 1, int(np.searchsorted(end_of_atoms, before + _ATOMS_AT_ONCE, side="right")))
        yield begin, min(end, begin + _PAIRS_AT_ONCE)
        begin = min(end, begin + _PAIRS_AT_ONCE)


def _used(measures: Measures, which: Ints) -> tuple[Measures, Ints]:
    """The measures from the first to the last that is used, and where the others are among them."""
    begin = int(which.min())
    return measures.part(begin, int(which.max()) + 1), which - begin


def _at_no_price(question: AskedQuestion) -> AskedQuestion:
    """The same at k = 0, or as it is."""
    return replace(question, k=0.0, several_k=()) if question.several_k else question


def _reason_against(batch: PairBatch) -> str | None:
    """Why a GPU cannot compute the batch, if it cannot."""
    asked, ground = batch.question, batch.ground
    if asked.effort:
        return f"{next(iter(asked.effort))} is for the CPU; leave it out: a GPU solves each pair exactly in its own way"
    if asked.several_k:
        parts = [_at_no_price(asked)] if 0 in asked.kappas else []
        parts += [replace(asked, several_k=())] if asked.kappa > 0 else []
        reasons = (_reason_against(replace(batch, question=part)) for part in parts)
        return next((reason for reason in reasons if reason is not None), None)
    if ground.uses_labels(asked):
        return None
    if asked.is_of_shared_mass:
        return "with cost=, or if different points can have distance 0, total variation needs a maximum flow"
    if math.isinf(asked.p):
        return "at p = inf the distance needs maximum flows"
    if asked.p > LARGEST_P:
        return f"p is at most {LARGEST_P:g} on a GPU, got {asked.p:g}"
    if not ground.is_in_core:
        return f"metric={ground.metric.describe()} is computed in Python, not on a GPU"
    return None


def _measures(atoms: Atoms, arrays: InArrays) -> Measures:
    where = arrays.where(atoms)
    if arrays.metric is not None:
        return Measures(atoms.start, atoms.mass, points=where)
    if arrays.matrix is not None:
        return Measures(atoms.start, atoms.mass, place=where)
    # Two measures are merged label by label, as two sorted lists.
    order = np.lexsort((where, np.repeat(np.arange(len(atoms)), atoms.sizes)))
    rank = order - np.repeat(atoms.start[:-1], atoms.sizes)
    return Measures(atoms.start, atoms.mass[order], label=where[order].astype(np.int32), rank=rank)


def _extent(x: Array, y: Array) -> float:
    """No two points are farther apart, under any metric of the core."""
    low, high = (f([f(points, axis=0) for points in (x, y)], axis=0) for f in (np.min, np.max))
    with np.errstate(over="ignore"):
        return float(np.sum(high - low))


def leaves_float64(largest: float, question: Question) -> bool:
    """Whether p-th powers of distances, or of prices, are not all float64 in one unit."""
    lengths = [min(largest, question.truncation)]
    lengths += (question.kappa, *question.kappas) if question.quantity == "crossing" else ()
    positive = [length for length in lengths if length > 0]
    if not positive:
        return False
    span = math.log2(max(positive)) - math.log2(min(positive)) if math.isfinite(max(positive)) else math.inf
    return question.p * span > _LARGEST_POWER


def _read_values(answers: Answers, question: Question, first: Ints, second: Ints) -> tuple[Array, Failures]:
    """The values, NaN where they are not sound, and why."""
    values, failures = answers.value.copy(), Failures()
    for e in np.flatnonzero(~_is_sound(answers, question)).tolist():
        values[e] = np.nan
        failures.append((int(first[e]), int(second[e]), _describe(answers, e)))
    return values, failures


def _is_sound(answers: Answers, question: Question) -> Any:
    """Whether the values of each pair lie in their bounds, and these within rounding of each other."""
    is_beyond = answers.status == BEYOND_CUTOFF
    unit = answers.scale if question.quantity == "mass" else 1.0
    with np.errstate(invalid="ignore"):  # beyond a cutoff, bounds are infinite
        lower, upper = (np.power(bound / unit, question.p) for bound in (answers.lower, answers.upper))
        width = upper - lower
    is_between = (answers.lower <= answers.value) & (answers.value <= answers.upper)
    is_sound = is_between & (width <= WIDEST * np.maximum(1.0, upper))
    return is_sound.all(axis=1) if question.kappas else is_sound | is_beyond


def _describe(answers: Answers, e: int) -> str:
    bounds = np.stack([np.atleast_1d(answers.lower[e]), np.atleast_1d(answers.upper[e])])
    lower, upper = bounds[:, np.argmax(bounds[1] - bounds[0])]
    return f"the GPU proved no more than [{lower:.17g}, {upper:.17g}]; {setting('device', 'cpu')} may do better"
