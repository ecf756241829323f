"""Values and derivatives of many pairs. No shape depends on the numbers in the arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rpw.base import check
from rpw.base.advice import about_diameter
from rpw.base.arrays import on_host, placed
from rpw.base.check import Array
from rpw.base.warn import warn_caller
from rpw.many.backends.cuda.driver import Device
from rpw.many.gradients.asked import Asked
from rpw.many.gradients.by_core import solve_by_core
from rpw.many.gradients.by_kernels import solve_by_kernels
from rpw.many.gradients.derivatives import Gradients, derivatives_of
from rpw.many.gradients.pairs import Distances, Pairs, PointPairs, Side, atoms_there
from rpw.pair.metrics import as_metric, check_beside_cost

__all__ = ["gradients_of_cost", "gradients_of_points"]

_Sizes = tuple[Sequence[int], Sequence[int]]


def gradients_of_points(
    x: Any,
    y: Any,
    a: Any,
    b: Any,
    k: Any,
    *,
    asked: Asked,
    sizes: _Sizes = ((), ()),
    gpu: Device | None = None,
) -> Gradients:
    """Of the points x (B, n, d) and y (B, m, d), with raw weights a (B, n) and b (B, m) or None, and k (B,).

    With ``sizes``, only so many points of each measure count, and the others have no gradient. With ``gpu``, the arrays
    are tensors of torch on it, as float64: it computes, and nothing but sizes and bounds leaves it. What is malformed,
    and what a GPU cannot compute, is read on the host, which knows what to do.
    """
    return _gradients(x, y, a, b, k, asked, sizes, gpu)


def gradients_of_cost(cost: Any, a: Any, b: Any, k: Any, *, asked: Asked, gpu: Device | None = None) -> Gradients:
    """Of the distances cost (B, n, m), with raw weights a (B, n) and b (B, m) or None, and k (B,); else likewise."""
    check_beside_cost(as_metric(asked.metric))
    return _gradients(cost, None, a, b, k, asked, ((), ()), gpu)


def _gradients(x: Any, y: Any, a: Any, b: Any, k: Any, asked: Asked, sizes: _Sizes, gpu: Device | None) -> Gradients:
    """Without y, x holds costs."""
    found = None
    if gpu is not None:
        found = solve_by_kernels(_pairs_on_gpu(x, y, a, b, asked, sizes), asked, k, gpu)
    if found is None:
        x, y, a, b, k = (None if each is None else np.asarray(on_host(each)) for each in (x, y, a, b, k))
        found = solve_by_core(_checked_pairs(x, y, a, b, asked, sizes), asked, k)
    if not asked.has_diameter and asked.question.depends_on_diameter:
        warn_caller(about_diameter(found.extent()))
    return derivatives_of(found, asked.question)


# ---------------------------------------------------------------- on the host: malformed numbers are named


def _checked_pairs(x: Array, y: Array | None, a: Any, b: Any, asked: Asked, sizes: _Sizes) -> Pairs:
    if y is not None:
        x, y = _as_floats(x, "x"), _as_floats(y, "y")
        first, second = _checked_side(x, x.shape[1], a, "a", sizes[0]), _checked_side(y, y.shape[1], b, "b", sizes[1])
        return Pairs(PointPairs(x, y, as_metric(asked.metric)), first, second)
    cost = Distances(np.ascontiguousarray(_as_floats(x, "cost")))
    check.as_cost(cost.table)
    _, n, m = x.shape
    return Pairs(cost, _checked_side(x, n, a, "a"), _checked_side(x, m, b, "b"))


def _as_floats(value: Any, name: str) -> Array:
    """Finite numbers; where there is one pair only, messages speak of its arrays."""
    is_one = len(value) == 1
    floats = check.as_floats(value[0] if is_one else value, name)
    return floats[None] if is_one else floats


def _checked_side(like: Array, n: int, weights: Any, name: str, sizes: Sequence[int] = ()) -> Side:
    """Weights that are normalised as those of `rpw.distance`, to the last bit."""
    pairs, counts = len(like), _counts_of(like, sizes)
    is_there = atoms_there(pairs, n, counts, like)
    if weights is None:
        return Side(is_there / (n if counts is None else counts), None, is_there)
    raw = np.where(is_there, _as_floats(weights, name), 0.0)
    names = [name] if pairs == 1 else [f"{name}[{s}]" for s in range(pairs)]
    shares = [check.normalised(row, each) for row, each in zip(raw, names, strict=True)]
    return Side(np.stack(shares), raw, is_there)


# ---------------------------------------------------------------- on a GPU: whether all numbers are fit, the solve asks


def _pairs_on_gpu(x: Any, y: Any, a: Any, b: Any, asked: Asked, sizes: _Sizes) -> Pairs:
    x, y = x.contiguous(), None if y is None else y.contiguous()
    ground = Distances(x) if y is None else PointPairs(x, y, as_metric(asked.metric))
    n, m = x.shape[1], x.shape[2] if y is None else y.shape[1]
    return Pairs(ground, _side_on_gpu(x, n, a, sizes[0]), _side_on_gpu(x, m, b, sizes[1]))


def _side_on_gpu(like: Any, n: int, raw: Any, sizes: Sequence[int]) -> Side:
    counts = _counts_of(like, sizes)
    is_there = atoms_there(len(like), n, counts, like)
    if raw is None:
        return Side(is_there.double() / (n if counts is None else counts), None, is_there)
    raw = raw.where(is_there, 0.0)
    shares = raw / raw.amax(1, keepdim=True)  # first: both 1e308 and 1e-308 stay within reach
    return Side(shares / shares.sum(1, keepdim=True), raw, is_there)


def _counts_of(like: Any, sizes: Sequence[int]) -> Any:
    """(B, 1), where another array lies; None where all points count."""
    if len(sizes) == 0:
        return None
    return placed(sizes, like)[:, None]
