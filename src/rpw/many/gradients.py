"""Distances of many pairs with their gradients: what `rpw.torch` and `rpw.jax` wrap, and all of their mathematics.

One exact solve has the plan γ, the potentials f, g and the slope λ, and these are the gradient (docs/theory.md,
"Gradients"). Arrays in, arrays out, and no shape depends on the numbers in them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from rpw.base import check
from rpw.base.check import Array
from rpw.many.backends.core import CoreBackend, FlatOutcomes
from rpw.many.batch import PairBatch
from rpw.many.errors import PairwiseError
from rpw.pair.atoms import Atoms, Ints, Where, as_masses
from rpw.pair.dual import Dual
from rpw.pair.ground import Ground, Matrix, Points
from rpw.pair.metrics import as_metric, check_beside_cost, check_has_derivative
from rpw.pair.problem import Problem
from rpw.pair.question import Question, as_question
from rpw.pair.reach import warn_of_reach

__all__ = [
    "NO_SECOND_DERIVATIVES",
    "Asked",
    "Gradients",
    "as_asked",
    "as_price",
    "as_prices",
    "centred",
    "fall_in_k",
    "gain_of",
    "gradients_of_cost",
    "gradients_of_points",
    "plan_size",
    "slopes_of",
]

NO_SECOND_DERIVATIVES = (
    "rpw has first derivatives only: a second one needs the change of the plan and of its slope, which a solve does "
    "not give; take no gradient of the gradient, or detach it (create_graph=False, jax.lax.stop_gradient)"
)


def plan_size(n: int, m: int) -> int:
    """Entries enough for any plan: it mixes two vertices of the profile, and each of them is a forest."""
    return 2 * (n + m)


@dataclass(frozen=True)
class Asked:
    """What is asked about all pairs but for k; checked."""

    question: Question
    metric: str
    has_diameter: bool
    n_threads: int


@dataclass(frozen=True, eq=False)
class Gradients:
    """The distance of each pair, and its derivative in everything that it depends on."""

    value: Array  # (B,)
    points: tuple[Array, Array] | None  # (B, n, d) and (B, m, d), where there are points
    places: Ints | None  # where there are costs, (B, plan_size): the places in a flat (n * m) matrix of …
    slopes: Array | None  # … the entries with derivatives, which are these; 0 at the end, and beyond the plan
    weights: tuple[Array, Array]  # (B, n) and (B, m)
    k: Array  # (B,)


def as_asked(
    name: str, *, p: Any, metric: Any, diameter: Any, mass: Any, tol: Any, time_limit: Any, n_threads: int
) -> Asked:
    """Check what is asked; what has no derivative is refused."""
    if not isinstance(tol, Real) or tol != 0:
        raise ValueError(
            f"tol={tol!r} has no gradient: plan and potentials that stop early belong to different slopes; leave it out"
        )
    if time_limit is not None:
        raise ValueError("time_limit has no gradient: what a solve has found when it is cut off is none; leave it out")
    check_has_derivative(metric)
    exponent = check.as_number(p, "p")
    if exponent < 1:
        raise ValueError(f"p must be finite and at least 1, got {exponent}")
    if np.isinf(exponent):
        raise ValueError(
            "p=inf has no gradient: the distance is then the length of one way, or a share of the mass; pass a finite p"
        )
    question = as_question(name, p=p, diameter=diameter, mass=mass, need="plan")
    return Asked(question, metric, diameter is not None, n_threads)


def gradients_of_points(
    x: Any,
    y: Any,
    a: Any,
    b: Any,
    k: Any,
    *,
    asked: Asked,
    sizes: tuple[Sequence[int], Sequence[int]] = ((), ()),
) -> Gradients:
    """Of the points x (B, n, d) and y (B, m, d), with raw weights a (B, n) and b (B, m) or None, and k (B,).

    With ``sizes``, only so many points of each measure count, and the others have no gradient.
    """
    x, y = _as_floats(x, "x"), _as_floats(y, "y")
    first, second = _as_side(x, a, "a", sizes[0]), _as_side(y, b, "b", sizes[1])
    ground = Points(as_metric(asked.metric))
    solved = _Solved(first, second, ground, asked, as_prices(k, asked))
    if not asked.has_diameter and asked.question.depends_on_diameter:
        warn_of_reach(ground.reach(first.atoms.where, second.atoms.where))
    lengths, directions = ground.metric.ways(*solved.ends)
    ways = directions * solved.slopes(lengths)[:, None]
    points = first.summed(solved.rows, ways), second.summed(solved.columns, -ways)
    return Gradients(solved.value, points, None, None, solved.weights, solved.of_k)


def gradients_of_cost(cost: Any, a: Any, b: Any, k: Any, *, asked: Asked) -> Gradients:
    """Of the distances cost (B, n, m), with raw weights a (B, n) and b (B, m) or None, and k (B,)."""
    pairs, n, m = np.shape(cost)
    stacked = np.ascontiguousarray(_as_floats(cost, "cost")).reshape(pairs * n, m)
    matrix, largest = check.as_cost(stacked)
    places_a = np.arange(pairs * n, dtype=np.int32).reshape(pairs, n)
    places_b = np.broadcast_to(np.arange(m, dtype=np.int32), (pairs, m))
    check_beside_cost(as_metric(asked.metric))
    ground = Matrix(matrix, largest, as_metric(asked.metric))
    first, second = _as_side(places_a, a, "a"), _as_side(places_b, b, "b")
    solved = _Solved(first, second, ground, asked, as_prices(k, asked))
    if not asked.has_diameter and asked.question.depends_on_diameter:
        warn_of_reach(ground.reach(places_a, places_b))
    row, column = solved.ends
    places, slopes = np.zeros((pairs, plan_size(n, m)), dtype=np.int64), np.zeros((pairs, plan_size(n, m)))
    entry = solved.pair, np.arange(len(row)) - solved.found.plan_start[solved.pair]
    places[entry], slopes[entry] = (row % n).astype(np.int64) * m + column, solved.slopes(ground.pairs(row, column))
    return Gradients(solved.value, None, places, slopes, solved.weights, solved.of_k)


def as_price(k: Any) -> float:
    """A k that has a gradient."""
    if check.as_number(k, "k") == 0:
        raise ValueError("k=0 has no gradient: total variation only counts which points are equal; pass k > 0")
    return check.as_positive(k, "k")


def as_prices(k: Any, asked: Asked) -> Array:
    """kΔ of each pair."""
    if not asked.question.depends_on_diameter:
        return np.ones(len(k))
    prices, diameter = check.as_floats(k, "k"), asked.question.diameter
    for price in np.unique(prices).tolist():  # often the same for all
        check.as_kappa(as_price(price), diameter)
    return np.asarray(prices * diameter)


def _as_floats(value: Any, name: str) -> Array:
    """Finite numbers; where there is one pair only, messages speak of its arrays."""
    is_one = len(value) == 1
    floats = check.as_floats(value[0] if is_one else value, name)
    return floats[None] if is_one else floats


# ---------------------------------------------------------------- formulas, for arrays of NumPy and of torch


def gain_of(value: Any, multiplier: Any, scale: Any, kappas: Any, question: Question) -> Any:
    """What each distance gains when F gains 1 in units of ``scale ** p``; 0 for identical measures: a minimum."""
    p = question.p
    if question.is_of_cost:
        rise = (value / scale) ** (p - 1) * p / scale  # of F, where the distance rises by 1
    else:
        price = kappas / scale
        rise = multiplier + p * price * (price * value) ** (p - 1)
    rises = (value > 0) & (rise > 0)
    return rises / (rise + ~rises)


def slopes_of(mass: Any, lengths: Any, scale: Any, gain: Any, p: float) -> Any:
    """The derivatives in the lengths of the entries of a plan."""
    return mass * p * (lengths / scale) ** (p - 1) * (gain / scale)


def fall_in_k(value: Any, scale: Any, kappas: Any, gain: Any, question: Question) -> Any:
    """The derivatives in k. The price falls on ε alone: a larger k leaves less behind."""
    if question.is_of_cost:
        return 0.0 * value
    steepness = question.p * (kappas * value / scale) ** (question.p - 1) * value / scale
    return -steepness * question.diameter * gain


def centred(potentials: Any, weights: Any, is_there: Any, gain: Any, total: Any) -> Any:
    """The derivatives in raw weights: they are divided by their sum, so that only differences of potentials count."""
    means = (weights * potentials).sum(-1)[:, None]
    return (potentials - means) * (gain / total)[:, None] * is_there


# ---------------------------------------------------------------- one side of all pairs


@dataclass(frozen=True, eq=False)
class _Side:
    """A measure of each pair, all with as many atoms; those that only fill up the array have no weight."""

    where: Where  # (B, n, d) or (B, n)
    weights: Array  # (B, n), normalised
    total: Array | None  # (B,), of the weights as they were given; None where none were
    is_there: npt.NDArray[np.bool_]  # (B, n), whether an atom does not only fill up the array

    @cached_property
    def mass(self) -> Ints:
        return as_masses(self.weights)

    @cached_property
    def has_mass(self) -> npt.NDArray[np.bool_]:
        return self.mass > 0

    @cached_property
    def atoms(self) -> Atoms:
        """As the core takes them."""
        start = np.concatenate([[0], np.cumsum(self.has_mass.sum(axis=1))]).astype(np.int64)
        kept = self.has_mass
        return Atoms(start, self.weights[kept], self.mass[kept], np.ascontiguousarray(self.where[kept]))

    def summed(self, atoms: Ints, ways: Array) -> Array:
        """The sum of the ways of each atom; 0 for those without mass."""
        count, axes = len(self.atoms.mass), ways.shape[1]
        places = atoms[:, None] * axes + np.arange(axes)
        sums = np.bincount(places.ravel(), ways.ravel(), minlength=count * axes).reshape(count, axes)
        whole = np.zeros(self.where.shape)
        whole[self.has_mass] = sums
        return whole


def _as_side(where: Where, weights: Any, name: str, sizes: Sequence[int] = ()) -> _Side:
    pairs, n = where.shape[:2]
    counts = np.full(pairs, n) if len(sizes) == 0 else np.array(sizes)
    is_there = np.arange(n) < counts[:, None]
    if weights is None:
        return _Side(where, is_there / counts[:, None], None, is_there)
    raw = np.where(is_there, _as_floats(weights, name), 0.0)
    shares = np.stack([check.normalised(row, name if pairs == 1 else f"{name}[{s}]") for s, row in enumerate(raw)])
    with np.errstate(over="ignore"):  # an infinite sum makes derivatives 0, as they are to all digits
        return _Side(where, shares, raw.sum(axis=1), is_there)


# ---------------------------------------------------------------- all pairs, solved


@dataclass(frozen=True, eq=False)
class _Solved:
    """The answers of the core, and the derivatives that follow from them."""

    a: _Side
    b: _Side
    ground: Ground
    asked: Asked
    kappas: Array

    @cached_property
    def found(self) -> FlatOutcomes:
        batch = PairBatch(self.a.atoms, self.b.atoms, self.ground, self.asked.question)
        backend, threads = CoreBackend(batch), min(self.asked.n_threads, len(self.kappas))
        backend.check_fits(threads, is_halved=False)
        found, failures = backend.flat_outcomes(self.kappas, threads)
        if failures:
            raise PairwiseError.of(sorted(failures), found.value.tolist())
        return found

    @property
    def value(self) -> Array:
        return self.found.value

    @cached_property
    def gain(self) -> Array:
        """As `gain_of` tells."""
        found = self.found
        gain = gain_of(found.value, found.multiplier, found.scale, self.kappas, self.asked.question)
        return np.asarray(gain)

    @cached_property
    def pair(self) -> Ints:
        """The pair of each entry of the plans."""
        return np.repeat(np.arange(len(self.value)), np.diff(self.found.plan_start))

    @cached_property
    def rows(self) -> Ints:
        """The atom of each entry, counted through all pairs."""
        return np.asarray(self.a.atoms.start[self.pair] + self.found.row)

    @cached_property
    def columns(self) -> Ints:
        return np.asarray(self.b.atoms.start[self.pair] + self.found.column)

    @cached_property
    def ends(self) -> tuple[Where, Where]:
        """Where each entry starts and ends."""
        return self.a.atoms.where[self.rows], self.b.atoms.where[self.columns]

    def slopes(self, lengths: Array) -> Array:
        """The derivative in the distance of each entry, which are these lengths."""
        scale, gain = self.found.scale[self.pair], self.gain[self.pair]
        return np.asarray(slopes_of(self.found.mass, lengths, scale, gain, self.asked.question.p))

    @property
    def of_k(self) -> Array:
        """As `fall_in_k` tells."""
        return np.asarray(fall_in_k(self.value, self.found.scale, self.kappas, self.gain, self.asked.question))

    @property
    def weights(self) -> tuple[Array, Array]:
        """In the raw weights."""
        u, v = self._potentials
        return self._centred(self.a, 0.0 - u), self._centred(self.b, 0.0 - v)

    def _centred(self, side: _Side, potentials: Array) -> Array:
        if side.total is None:
            return np.zeros(side.weights.shape)
        return np.asarray(centred(potentials, side.weights, side.is_there, self.gain, side.total))

    @property
    def _potentials(self) -> tuple[Array, Array]:
        """u and v of all atoms, also of those without mass, in units of ``scale ** p``."""
        u, v = np.zeros(self.a.weights.shape), np.zeros(self.b.weights.shape)
        u[self.a.has_mass], v[self.b.has_mass] = self.found.u, self.found.v
        for pair in np.flatnonzero(self._has_idle):
            u[pair], v[pair] = self._with_idle(int(pair))
        return u, v

    @property
    def _has_idle(self) -> npt.NDArray[np.bool_]:
        """Whether some atom without mass has a weight that one may ask the derivative of."""
        has_idle = self.value < 0
        for side in (self.a, self.b):
            if side.total is not None:
                has_idle |= (side.is_there & ~side.has_mass).any(axis=1) & (self.value > 0)
        return has_idle

    def _with_idle(self, pair: int) -> tuple[Array, Array]:
        a, b = self.a, self.b
        u, v = (
            part[side.atoms.start[pair] : side.atoms.start[pair + 1]]
            for side, part in ((a, self.found.u), (b, self.found.v))
        )
        dual = Dual(float(self.found.multiplier[pair]), u, v, float(self.found.scale[pair]))
        problem = Problem(a.weights[pair], b.weights[pair], a.where[pair], b.where[pair], self.ground)
        whole = dual.of_each_atom(problem, self.asked.question)
        return whole.u, whole.v
