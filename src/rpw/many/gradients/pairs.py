"""Pairs that are solved for their gradients: both sides, where distances come from, and what a solve leaves.

All arrays are of NumPy, or all are tensors of torch on one GPU: `rpw.base.arrays` has what these write
differently.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rpw.base.advice import Extent
from rpw.base.arrays import count_up, namespace_of, zeros
from rpw.pair.atoms import Ints, as_masses
from rpw.pair.metrics import GroundMetric

__all__ = ["Distances", "Pairs", "PointPairs", "Side", "Solved", "atoms_there"]


def atoms_there(pairs: int, n: int, sizes: Any, like: Any) -> Any:
    """(B, n): whether an atom does not only fill up the array. ``sizes`` (B, 1) says how many do; None: all of them."""
    return namespace_of(like).broadcast_to(count_up(n, like) < (n if sizes is None else sizes), (pairs, n))


@dataclass(frozen=True, eq=False)
class Side:
    """A measure of each pair, all with as many atoms; those that only fill up the array have no weight."""

    weights: Any  # (B, n), normalised
    raw: Any  # (B, n), as they were given, 0 for atoms that only fill up; None where none were given
    is_there: Any  # (B, n)
    sizes: Ints | None = None  # how many atoms of each measure have mass, on the host, as soon as it knows

    @cached_property
    def mass(self) -> Any:
        """(B, n), whole numbers."""
        return as_masses(self.weights)

    @cached_property
    def has_mass(self) -> Any:
        """(B, n): lighter ones than half a unit have none."""
        return self.mass > 0

    @cached_property
    def counts(self) -> Any:
        """The sizes, where the weights lie."""
        return self.has_mass.sum(1)

    @cached_property
    def begins(self) -> Any:
        """Where the atoms with mass of each measure begin, where the weights lie."""
        return self.counts.cumsum(0) - self.counts

    @cached_property
    def start(self) -> Ints:
        """Likewise on the host, and the end."""
        assert self.sizes is not None
        return np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)

    @property
    def is_full(self) -> bool:
        """Whether all atoms have mass."""
        pairs, n = self.weights.shape
        return bool(self.start[-1] == pairs * n)

    @cached_property
    def total(self) -> Any:
        """Of the weights as they were given."""
        with np.errstate(over="ignore"):  # an infinite sum makes derivatives 0, as they are to all digits
            return self.raw.sum(1)

    @property
    def has_idle(self) -> Any:
        """(B,): whether some atom without mass has a weight that one may ask the derivative of."""
        return (self.is_there & ~self.has_mass).any(1)

    def kept(self, values: Any) -> Any:
        """Of (B, n, …), those of the atoms with mass, one measure after the other."""
        return values.reshape(-1, *values.shape[2:]) if self.is_full else values[self.has_mass]

    def whole(self, values: Any) -> Any:
        """The way back: (B, n, …), with 0 for atoms without mass."""
        shape = (*self.weights.shape, *values.shape[1:])
        if self.is_full:
            return values.reshape(shape)
        out = zeros(shape, like=values)
        out[self.has_mass] = values
        return out

    def atoms_at(self, pair: Any, place: Any) -> Any:
        """Atoms counted through all (B, n), by their pair and their place among its atoms with mass."""
        pairs, n = self.weights.shape
        return self.kept(count_up(pairs * n, place).reshape(pairs, n))[self.begins[pair] + place]


@dataclass(frozen=True, eq=False)
class PointPairs:
    """Points x (B, n, d) and y (B, m, d) under the metric of a norm."""

    x: Any
    y: Any
    metric: GroundMetric

    table = None

    @property
    def where(self) -> tuple[Any, Any]:
        """The points of both sides."""
        return self.x, self.y


@dataclass(frozen=True, eq=False)
class Distances:
    """Distances (B, n, m)."""

    cost: Any

    @property
    def table(self) -> Any:
        """One matrix, in which that of each pair stands below that of the pair before."""
        pairs, n, m = self.cost.shape
        return self.cost.reshape(pairs * n, m)

    @property
    def where(self) -> tuple[Any, Any]:
        """The places of both sides in that matrix."""
        pairs, n, m = self.cost.shape
        columns = namespace_of(self.cost).broadcast_to(count_up(m, self.cost, "int32"), (pairs, m))
        return count_up(pairs * n, self.cost, "int32").reshape(pairs, n), columns


@dataclass(frozen=True, eq=False)
class Pairs:
    """All that the distances depend on, but for k; checked."""

    ground: PointPairs | Distances
    a: Side
    b: Side


@dataclass(frozen=True, eq=False)
class Solved:
    """What a solve of all pairs leaves. λ and the potentials are in units of ``scale ** p`` of their pair."""

    pairs: Pairs
    value: Any  # (B,), and the next three
    multiplier: Any
    scale: Any
    kappas: Any  # kΔ
    u: Any  # (B, n), of all atoms: of one without mass, what it would need if it alone had some
    v: Any  # (B, m)
    pair: Any  # (E,), of each entry of the plans
    row: Any  # (E,), its atoms, counted through all (B, n) and (B, m)
    column: Any
    mass: Any  # (E,), may be 0
    begins: Any  # (B,), where the entries of each pair begin
    extent: Callable[[], Extent]
