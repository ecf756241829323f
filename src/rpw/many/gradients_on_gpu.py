"""The same as `gradients`, for tensors of torch on a GPU, which computes it: nothing but sizes and bounds leaves it.

The kernels of ``device="cuda"`` give plans, potentials and slopes, and torch makes gradients of them. Tensors come in
as float64; torch is imported by then.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from rpw.base.check import Array
from rpw.many.backends.cuda.backend import LARGEST_P, WIDEST, leaves_float64
from rpw.many.backends.cuda.driver import Device
from rpw.many.backends.cuda.pairs import scale_of, solve_pairs
from rpw.many.backends.cuda.terms import EXACT, Answers, Measures, Question
from rpw.many.gradients import Asked, Gradients, as_prices, centred, fall_in_k, gain_of, plan_size, slopes_of
from rpw.pair.atoms import MASS_UNITS, Ints
from rpw.pair.metrics import as_metric, check_beside_cost
from rpw.pair.reach import Reach, warn_of_reach

__all__ = ["gradients_on_gpu"]

_ENTRIES_AT_ONCE = 1 << 24  # of distances from and to points without weight


def gradients_on_gpu(
    x: Any,
    y: Any,
    a: Any,
    b: Any,
    k: Any,
    *,
    asked: Asked,
    sizes: tuple[Sequence[int], Sequence[int]],
    gpu: Device,
) -> Gradients | None:
    """Of points x and y, or, where y is None, of distances x, as `gradients_of_points` and `gradients_of_cost` tell.

    None for what is malformed, and for what a GPU cannot compute: whoever reads it on the host knows what to do.
    """
    if asked.question.p > LARGEST_P:
        return None
    if y is None:
        check_beside_cost(as_metric(asked.metric))
    space = _Table(x.contiguous()) if y is None else _Points(x.contiguous(), y.contiguous(), asked.metric)
    first, second = _as_side(x, space.shape[0], a, sizes[0]), _as_side(x, space.shape[1], b, sizes[1])
    facts = _facts_of(space, first, second, k)
    if facts is None:
        return None
    prices = as_prices(facts.k, asked)
    question = _as_question(asked, prices)
    if leaves_float64(facts.lengths.most, replace(question, kappas=(float(prices.min()), question.kappa))):
        return None
    first, second = replace(first, sizes=facts.sizes_a), replace(second, sizes=facts.sizes_b)
    answers = _solved(space, first, second, question, prices, scale_of(question, facts.lengths.typical), gpu)
    if not _is_sound(answers, question):
        return None
    if not asked.has_diameter and asked.question.depends_on_diameter:
        warn_of_reach(facts.lengths.reach)
    return _Gradient(space, first, second, answers, asked, k * asked.question.diameter).whole()


def _as_question(asked: Asked, prices: Array) -> Question:
    of_cost = asked.question.is_of_cost
    return Question(
        "mass" if of_cost else "crossing",
        p=asked.question.p,
        kappa=float(prices.max()),
        unmoved=asked.question.unmoved,
        metric="euclidean" if asked.metric == "minkowski" else asked.metric,  # SciPy's exponent 2
    )


# ---------------------------------------------------------------- what the host has to know


class _Lengths(NamedTuple):
    """How long distances are."""

    typical: float
    most: float  # no distance is longer
    reach: Reach  # as far as it is known without looking at all points


class _Facts(NamedTuple):
    lengths: _Lengths
    k: Array
    sizes_a: Ints  # how many points of each measure have mass
    sizes_b: Ints


def _facts_of(space: _Points | _Table, first: _Side, second: _Side, k: Any) -> _Facts | None:
    """None where some number is not what it should be. All is read at once: each reading waits for the GPU."""
    import torch

    parts = [space.extremes(), first.flags(), second.flags(), k, first.counts, second.counts]
    ends = np.cumsum([len(part) for part in parts])[:-1]
    extremes, flags_a, flags_b, prices, sizes_a, sizes_b = np.split(
        torch.cat([part.to(torch.float64) for part in parts]).cpu().numpy(), ends
    )
    lengths = space.lengths(extremes) if np.isfinite(extremes).all() else None
    if lengths is None or not (flags_a.all() and flags_b.all() and np.isfinite(prices).all()):
        return None
    return _Facts(lengths, prices, sizes_a.astype(np.int64), sizes_b.astype(np.int64))


# ---------------------------------------------------------------- one side of all pairs


@dataclass(frozen=True, eq=False)
class _Side:
    """A measure of each pair, all with as many atoms; those that only fill up the tensor have no weight."""

    weights: Any  # (B, n), normalised
    raw: Any  # (B, n), or None where none were given
    is_there: Any  # (B, n)
    sizes: Ints | None = None  # of each measure without the atoms that have no mass

    def flags(self) -> Any:
        """Zeros where weights are unfit."""
        import torch

        if self.raw is None:
            return self.weights.new_ones(1)
        is_fit = self.raw.isfinite().all() & (self.raw >= 0).all() & (self.raw.amax(1) > 0).all()
        return torch.atleast_1d(is_fit)

    @cached_property
    def mass(self) -> Any:
        """(B, n), as whole numbers of `MASS_UNITS`."""
        return (self.weights * MASS_UNITS).round().long()

    @cached_property
    def has_mass(self) -> Any:
        return self.mass > 0

    @cached_property
    def counts(self) -> Any:
        """The sizes, on the GPU."""
        return self.has_mass.sum(1)

    @cached_property
    def start(self) -> Ints:
        assert self.sizes is not None
        return np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)

    @cached_property
    def begins(self) -> Any:
        """Where the atoms of each measure begin, on the GPU."""
        return self.counts.cumsum(0) - self.counts

    @property
    def is_full(self) -> bool:
        """Whether all atoms have mass."""
        return bool(self.start[-1] == self.weights.numel())

    def kept(self, values: Any) -> Any:
        """Of (B, n, …), those of the atoms with mass, one measure after the other."""
        return values.reshape(-1, *values.shape[2:]) if self.is_full else values[self.has_mass]

    def whole(self, values: Any) -> Any:
        """The way back: (B, n, …), with 0 for atoms without mass."""
        shape = (*self.weights.shape, *values.shape[1:])
        if self.is_full:
            return values.reshape(shape)
        out = values.new_zeros(shape)
        out[self.has_mass] = values
        return out

    def measures(self, points: Any = None, place: Any = None) -> Measures:
        """As the kernels take them, with points (B, n, d) or places (B, n)."""
        most = self.mass.amax(1)
        least = self.mass.where(self.has_mass, most[:, None]).amin(1)
        where = {name: self.kept(each) for name, each in (("points", points), ("place", place)) if each is not None}
        unit = most * (least == most)
        before = self.kept(self.mass.cumsum(1) - self.mass)
        return Measures(self.start, self.kept(self.mass), **where, total=self.mass.sum(1), unit=unit, before=before)


def _as_side(like: Any, n: int, raw: Any, sizes: Sequence[int]) -> _Side:
    import torch

    pairs = len(like)
    counts = torch.as_tensor(list(sizes) or [n], device=like.device)[:, None]
    is_there = (torch.arange(n, device=like.device) < counts).expand(pairs, n)
    if raw is None:
        return _Side((is_there / counts.double()).expand(pairs, n), None, is_there)
    raw = raw.where(is_there, 0.0)
    shares = raw / raw.amax(1, keepdim=True)  # first: both 1e308 and 1e-308 stay within reach
    return _Side(shares / shares.sum(1, keepdim=True), raw, is_there)


# ---------------------------------------------------------------- where distances come from


@dataclass(frozen=True, eq=False)
class _Points:
    """Points x (B, n, d) and y (B, m, d) under the metric of a norm."""

    x: Any
    y: Any
    metric: str

    @property
    def shape(self) -> tuple[int, int]:
        """How many atoms each measure has at most."""
        return self.x.shape[1], self.y.shape[1]

    def extremes(self) -> Any:
        """The least and the largest coordinates: not finite where some coordinate is not."""
        import torch

        clouds = [each.reshape(-1, each.shape[2]) for each in (self.x, self.y)]
        return torch.cat([torch.minimum(*(c.amin(0) for c in clouds)), torch.maximum(*(c.amax(0) for c in clouds))])

    def lengths(self, extremes: Array) -> _Lengths:
        """By the box around all points: some two of them lie as far apart as its longest side is."""
        low, high = extremes.reshape(2, -1)
        with np.errstate(over="ignore"):
            sides = high - low
        return _Lengths(math.hypot(*sides), float(sides.sum()), Reach(float(sides.max())))

    def measures(self, first: _Side, second: _Side, question: Question, scale: float) -> tuple[Measures, Measures, Any]:
        """And no table."""
        return first.measures(points=self.x), second.measures(points=self.y), None

    def powers(self, pairs: Any, scale: float, p: float) -> Any:
        """All distances of some pairs in units of the scale, to the p-th."""
        import torch

        order = {"cityblock": 1.0, "chebyshev": math.inf}.get(self.metric, 2.0)
        mode = "donot_use_mm_for_euclid_dist"  # products round off small distances
        return torch.cdist(self.x[pairs] / scale, self.y[pairs] / scale, order, compute_mode=mode) ** p

    def ways(self, x: Any, y: Any) -> tuple[Any, Any]:
        """As `GroundMetric.ways`."""
        ways = x - y
        sizes = ways.abs()
        largest = sizes.amax(1)
        if self.metric == "cityblock":
            return sizes.sum(1), ways.sign()
        if self.metric == "chebyshev":
            first = sizes.argmax(1, keepdim=True)
            return largest, ways.new_zeros(ways.shape).scatter(1, first, ways.gather(1, first).sign())
        shares = ways / largest.where(largest > 0, 1.0)[:, None]
        norms = (shares * shares).sum(1).sqrt()
        return largest * norms, shares / norms.where(norms > 0, 1.0)[:, None]


@dataclass(frozen=True, eq=False)
class _Table:
    """Distances (B, n, m)."""

    cost: Any

    @property
    def shape(self) -> tuple[int, int]:
        """How many atoms each measure has."""
        return self.cost.shape[1], self.cost.shape[2]

    def extremes(self) -> Any:
        """The least and the largest distance: not finite where some distance is not."""
        import torch

        return torch.stack([self.cost.amin(), self.cost.amax()])

    def lengths(self, extremes: Array) -> _Lengths | None:
        """By the largest one; none where some are negative."""
        least, largest = extremes.tolist()
        return None if least < 0 else _Lengths(largest, largest, Reach(largest, is_of_cost=True))

    def measures(self, first: _Side, second: _Side, question: Question, scale: float) -> tuple[Measures, Measures, Any]:
        """Places in one table of p-th powers, in which that of each pair stands below that of the pair before."""
        import torch

        pairs, n, m = self.cost.shape
        powers = ((self.cost / scale) ** question.p).clamp(max=1e290).reshape(pairs * n, m)
        rows = torch.arange(pairs * n, dtype=torch.int32, device=self.cost.device).reshape(pairs, n)
        columns = torch.arange(m, dtype=torch.int32, device=self.cost.device).expand(pairs, m).contiguous()
        return first.measures(place=rows), second.measures(place=columns), powers

    def powers(self, pairs: Any, scale: float, p: float) -> Any:
        """All distances of some pairs in units of the scale, to the p-th."""
        return (self.cost[pairs] / scale) ** p


# ---------------------------------------------------------------- all pairs, solved


def _solved(
    space: _Points | _Table,
    first: _Side,
    second: _Side,
    question: Question,
    prices: Array,
    scale: float,
    gpu: Device,
) -> Answers:
    """On the GPU, with plans and potentials, all of which stay there."""
    import torch

    like = first.weights
    types = {"float64": torch.float64, "int64": torch.int64, "int32": torch.int32}
    a, b, table = space.measures(first, second, question, scale)
    if like.is_cuda:  # kernels run in streams of their own, and memory that torch gave back may still be in use
        torch.cuda.current_stream(like.device).synchronize()
    has_own = question.quantity == "crossing" and bool((prices != question.kappa).any())
    return solve_pairs(
        a,
        b,
        question,
        np.arange(len(prices)),
        np.arange(len(prices)),
        table=table,
        plans=True,
        gpu=gpu,
        kappas=prices if has_own else None,
        scale=scale,
        empty=lambda count, dtype: like.new_empty(count, dtype=types[dtype.name]),
    )


def _is_sound(answers: Answers, question: Question) -> bool:
    """Whether all values are exact and lie in bounds within rounding of each other: as the backend judges them."""
    found: Any = answers
    unit = answers.scale if question.quantity == "mass" else 1.0
    lower, upper = ((bound / unit) ** question.p for bound in (found.lower, found.upper))
    is_between = (found.lower <= found.value) & (found.value <= found.upper) & (found.status == EXACT)
    return bool((is_between & (upper - lower <= WIDEST * upper.clamp(min=1.0))).all())


@dataclass(frozen=True, eq=False)
class _Gradient:
    """What follows from the answers."""

    space: _Points | _Table
    a: _Side
    b: _Side
    found: Any  # Answers, of tensors
    asked: Asked
    kappas: Any

    def whole(self) -> Gradients:
        """The values, and the derivatives in everything."""
        found, question, gain = self.found, self.asked.question, self.gain
        points, places, slopes = None, None, None
        if isinstance(self.space, _Table):
            places, slopes = self._of_entries(self.space)
        else:
            points = self._of_points(self.space)
        u, v = self._potentials
        weights = self._of_weights(self.a, u), self._of_weights(self.b, v)
        of_k = fall_in_k(found.value, found.scale, self.kappas, gain, question)
        return Gradients(found.value, points, places, slopes, weights, of_k)

    @cached_property
    def gain(self) -> Any:
        return gain_of(self.found.value, self.found.multiplier, self.found.scale, self.kappas, self.asked.question)

    @cached_property
    def pair(self) -> Any:
        """The pair of each entry of the plans, of which a pair has as many as atoms."""
        import torch

        counts = self.a.counts + self.b.counts
        return torch.repeat_interleave(counts, output_size=len(self.found.plan_mass))

    @cached_property
    def ends(self) -> tuple[Any, Any]:
        """The atoms of each entry, counted through all pairs; any where the entry has no mass."""
        row, column = (each.long().clamp(min=0) for each in (self.found.plan_row, self.found.plan_column))
        return self.a.begins[self.pair] + row, self.b.begins[self.pair] + column

    def _slopes(self, lengths: Any) -> Any:
        return slopes_of(self.found.plan_mass, lengths, self.found.scale, self.gain[self.pair], self.asked.question.p)

    def _of_points(self, space: _Points) -> tuple[Any, Any]:
        rows, columns = self.ends
        x, y = self.a.kept(space.x), self.b.kept(space.y)
        lengths, directions = space.ways(x[rows], y[columns])
        ways = directions * self._slopes(lengths)[:, None]
        of_x = x.new_zeros(x.shape).index_add(0, rows, ways)
        return self.a.whole(of_x), self.b.whole(y.new_zeros(y.shape).index_add(0, columns, -ways))

    def _of_entries(self, space: _Table) -> tuple[Any, Any]:
        """The places in the flat table of each pair, and the derivatives there."""
        import torch

        pairs, n, m = space.cost.shape
        kept = [
            side.kept(torch.arange(size, device=space.cost.device).expand(pairs, size))
            for side, size in ((self.a, n), (self.b, m))
        ]
        row, column = (atoms[end] for atoms, end in zip(kept, self.ends, strict=True))
        slopes = self._slopes(space.cost[self.pair, row, column])
        begins = self.a.begins + self.b.begins
        entry = self.pair, torch.arange(len(slopes), device=slopes.device) - begins[self.pair]
        places, padded = (
            slopes.new_zeros(pairs, plan_size(n, m), dtype=torch.int64),
            slopes.new_zeros(pairs, plan_size(n, m)),
        )
        places[entry], padded[entry] = row * m + column, slopes
        return places, padded

    def _of_weights(self, side: _Side, potentials: Any) -> Any:
        if side.raw is None:
            return side.weights.new_zeros(side.weights.shape)
        return centred(-potentials, side.weights, side.is_there, self.gain, side.raw.sum(1))

    @property
    def _potentials(self) -> tuple[Any, Any]:
        """u and v of all atoms, those without mass too: what each would need if it alone had some."""
        u, v = self.a.whole(self.found.u), self.b.whole(self.found.v)
        if all(side.raw is None or side.is_full for side in (self.a, self.b)):
            return u, v
        is_idle = ((self.a.is_there & ~self.a.has_mass).any(1) | (self.b.is_there & ~self.b.has_mass).any(1)).nonzero()
        n, m = self.space.shape
        least = -math.inf if self.asked.question.moves_all else 0.0  # as in `Dual.of_each_atom`
        for some in is_idle[:, 0].split(max(1, _ENTRIES_AT_ONCE // (n * m))):
            slope = self.found.multiplier[some, None]
            powers = self.space.powers(some, self.found.scale, self.asked.question.p)
            to_kept = (powers + v[some, None, :]).masked_fill(~self.b.has_mass[some, None, :], math.inf).amin(2)
            from_kept = (powers + u[some, :, None]).masked_fill(~self.a.has_mass[some, :, None], math.inf).amin(1)
            u[some] = u[some].where(self.a.has_mass[some], (slope - to_kept).clamp(min=least))
            v[some] = v[some].where(self.b.has_mass[some], (slope - from_kept).clamp(min=least))
        return u, v
