"""Pairs in tensors of torch on a GPU, solved by the kernels of ``device="cuda"``: only sizes and bounds leave it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from rpw.base.advice import Extent
from rpw.base.arrays import repeated
from rpw.base.check import Array
from rpw.many.backends.cuda.backend import LARGEST_P, WIDEST, leaves_float64
from rpw.many.backends.cuda.driver import Device
from rpw.many.backends.cuda.pairs import scale_of, solve_pairs
from rpw.many.backends.cuda.terms import EXACT, Answers, Measures, Question
from rpw.many.gradients.asked import Asked, as_prices
from rpw.many.gradients.pairs import Distances, Pairs, PointPairs, Side, Solved
from rpw.pair.atoms import Ints

__all__ = ["solve_by_kernels"]

_ENTRIES_AT_ONCE = 1 << 24  # of distances from and to points without weight


def solve_by_kernels(pairs: Pairs, asked: Asked, k: Any, gpu: Device) -> Solved | None:
    """The answers; None for what is malformed, and for what a GPU cannot compute."""
    facts = _facts_of(pairs, k) if asked.question.p <= LARGEST_P else None
    if facts is None:
        return None
    prices = as_prices(facts.k, asked)
    question = _as_question(asked, prices)
    if leaves_float64(facts.lengths.most, replace(question, kappas=(float(prices.min()), question.kappa))):
        return None
    pairs = replace(pairs, a=replace(pairs.a, sizes=facts.sizes_a), b=replace(pairs.b, sizes=facts.sizes_b))
    answers = _answers(pairs, question, prices, scale_of(question, facts.lengths.typical), gpu)
    if not _is_sound(answers, question):
        return None
    return _as_solved(pairs, answers, asked, k * asked.question.diameter, facts.lengths.extent)


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
    extent: Extent  # as far as it is known without looking at all points


class _Facts(NamedTuple):
    lengths: _Lengths
    k: Array
    sizes_a: Ints  # how many points of each measure have mass
    sizes_b: Ints


def _facts_of(pairs: Pairs, k: Any) -> _Facts | None:
    """None where some number is not what it should be. All is read at once: each reading waits for the GPU."""
    import torch

    ground, a, b = pairs.ground, pairs.a, pairs.b
    extremes = _extremes_of_costs(ground) if isinstance(ground, Distances) else _extremes_of_points(ground)
    parts = [extremes, _is_fit(a), _is_fit(b), k, a.counts, b.counts]
    ends = np.cumsum([len(part) for part in parts])[:-1]
    ends_of_range, fit_a, fit_b, prices, sizes_a, sizes_b = np.split(
        torch.cat([part.to(torch.float64) for part in parts]).cpu().numpy(), ends
    )
    if not (np.isfinite(ends_of_range).all() and fit_a.all() and fit_b.all() and np.isfinite(prices).all()):
        return None
    lengths = _of_costs(ends_of_range) if isinstance(ground, Distances) else _of_box(ends_of_range)
    return None if lengths is None else _Facts(lengths, prices, sizes_a.astype(np.int64), sizes_b.astype(np.int64))


def _is_fit(side: Side) -> Any:
    """Whether all weights are: one number, on the GPU."""
    import torch

    if side.raw is None:
        return side.weights.new_ones(1)
    return torch.atleast_1d(side.raw.isfinite().all() & (side.raw >= 0).all() & (side.raw.amax(1) > 0).all())


def _extremes_of_points(ground: PointPairs) -> Any:
    """The least and the largest coordinates: not finite where some coordinate is not."""
    import torch

    clouds = [each.reshape(-1, each.shape[2]) for each in ground.where]
    return torch.cat([torch.minimum(*(c.amin(0) for c in clouds)), torch.maximum(*(c.amax(0) for c in clouds))])


def _of_box(extremes: Array) -> _Lengths:
    """Some two points lie as far apart as the longest side of the box around all is."""
    low, high = extremes.reshape(2, -1)
    with np.errstate(over="ignore"):
        sides = high - low
    return _Lengths(math.hypot(*sides), float(sides.sum()), Extent(float(sides.max())))


def _extremes_of_costs(ground: Distances) -> Any:
    """The least and the largest distance: not finite where some distance is not."""
    import torch

    return torch.stack([ground.cost.amin(), ground.cost.amax()])


def _of_costs(extremes: Array) -> _Lengths | None:
    """By the largest one; none where some are negative."""
    least, largest = extremes.tolist()
    return None if least < 0 else _Lengths(largest, largest, Extent(largest, is_of_cost=True))


# ---------------------------------------------------------------- all pairs, solved


def _answers(pairs: Pairs, question: Question, prices: Array, scale: float, gpu: Device) -> Answers:
    """With plans and potentials, all of which stay on the GPU."""
    import torch

    like, table = pairs.a.weights, pairs.ground.table
    types = {"float64": torch.float64, "int64": torch.int64, "int32": torch.int32}
    a, b = (_measures(side, where) for side, where in zip((pairs.a, pairs.b), pairs.ground.where, strict=True))
    if like.is_cuda:  # kernels run in streams of their own, and memory that torch gave back may still be in use
        torch.cuda.current_stream(like.device).synchronize()
    has_own = question.quantity == "crossing" and bool((prices != question.kappa).any())
    return solve_pairs(
        a,
        b,
        question,
        np.arange(len(prices)),
        np.arange(len(prices)),
        table=None if table is None else ((table / scale) ** question.p).clamp(max=1e290),
        plans=True,
        gpu=gpu,
        kappas=prices if has_own else None,
        scale=scale,
        empty=lambda count, dtype: like.new_empty(count, dtype=types[dtype.name]),
    )


def _measures(side: Side, where: Any) -> Measures:
    """As the kernels take them, with points (B, n, d) or places (B, n)."""
    most = side.mass.amax(1)
    least = side.mass.where(side.has_mass, most[:, None]).amin(1)
    unit = least.where(least == most, -least)
    before = side.kept(side.mass.cumsum(1) - side.mass)
    kind = {"points" if where.ndim == 3 else "place": side.kept(where)}
    return Measures(side.start, side.kept(side.mass), **kind, total=side.mass.sum(1), unit=unit, before=before)


def _is_sound(answers: Answers, question: Question) -> bool:
    """Whether all values are exact and lie in bounds within rounding of each other: as the backend judges them."""
    found: Any = answers
    unit = answers.scale if question.quantity == "mass" else 1.0
    lower, upper = ((bound / unit) ** question.p for bound in (found.lower, found.upper))
    is_between = (found.lower <= found.value) & (found.value <= found.upper) & (found.status == EXACT)
    return bool((is_between & (upper - lower <= WIDEST * upper.clamp(min=1.0))).all())


def _as_solved(pairs: Pairs, answers: Answers, asked: Asked, kappas: Any, extent: Extent) -> Solved:
    """A pair has as many entries as atoms; those of a plan that has fewer are any, without mass."""
    found: Any = answers
    pair = repeated(pairs.a.counts + pairs.b.counts, len(found.plan_mass))
    row, column = (each.long().clamp(min=0) for each in (found.plan_row, found.plan_column))
    u, v = _potentials(pairs, answers, asked)
    return Solved(
        pairs,
        found.value,
        found.multiplier,
        found.value.new_full(found.value.shape, answers.scale),
        kappas,
        u,
        v,
        pair,
        pairs.a.atoms_at(pair, row),
        pairs.b.atoms_at(pair, column),
        found.plan_mass,
        pairs.a.begins + pairs.b.begins,
        lambda: extent,
    )


def _potentials(pairs: Pairs, answers: Answers, asked: Asked) -> tuple[Any, Any]:
    """u and v of all atoms, those without mass too: what each would need if it alone had some."""
    found: Any = answers
    a, b, p = pairs.a, pairs.b, asked.question.p
    u, v = a.whole(found.u), b.whole(found.v)
    if all(side.raw is None or side.is_full for side in (a, b)):
        return u, v
    least = -math.inf if asked.question.moves_all else 0.0  # as in `Dual.of_each_atom`
    at_once = max(1, _ENTRIES_AT_ONCE // (u.shape[1] * v.shape[1]))
    for some in (a.has_idle | b.has_idle).nonzero()[:, 0].split(at_once):
        slope = found.multiplier[some, None]
        powers = _distances(pairs.ground, some, answers.scale) ** p
        to_kept = (powers + v[some, None, :]).masked_fill(~b.has_mass[some, None, :], math.inf).amin(2)
        from_kept = (powers + u[some, :, None]).masked_fill(~a.has_mass[some, :, None], math.inf).amin(1)
        u[some] = u[some].where(a.has_mass[some], (slope - to_kept).clamp(min=least))
        v[some] = v[some].where(b.has_mass[some], (slope - from_kept).clamp(min=least))
    return u, v


def _distances(ground: PointPairs | Distances, pairs: Any, scale: float) -> Any:
    """All of some pairs, in units of the scale."""
    import torch

    if isinstance(ground, Distances):
        return ground.cost[pairs] / scale
    order = {"cityblock": 1.0, "chebyshev": math.inf}.get(str(ground.metric.given), 2.0)
    mode = "donot_use_mm_for_euclid_dist"  # products round off small distances
    return torch.cdist(ground.x[pairs] / scale, ground.y[pairs] / scale, order, compute_mode=mode)
