"""The atoms of measures, as the core takes them: integer masses, one measure after the other."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rpw.base.arrays import concatenated, rounded
from rpw.base.check import Array

__all__ = ["Atoms", "Ints", "Where", "as_masses", "atoms_of_one", "joined"]

Ints = npt.NDArray[np.int64]
# Points, float64 (n, d), which may be `GpuPoints`; or places in a shared space, int32 (n,).
Where = npt.NDArray[Any]

# Masses are multiples of 2^-60: flows are integers, and a weight's rounding does not depend on its place.
MASS_UNITS = 2.0**60


@dataclass(frozen=True, eq=False)
class Atoms:
    """The atoms of one or more measures, one after the other; those without mass are left out.

    Measure s has the atoms from ``start[s]`` up to ``start[s + 1]``. ``where`` holds their points, or their places in
    what the measures share: which of the two is known to the ground.
    """

    start: Ints
    weights: Array
    mass: Ints
    where: Where

    def __len__(self) -> int:
        return len(self.start) - 1

    @property
    def dimension(self) -> int | None:
        """The number of coordinates; None for places."""
        return int(self.where.shape[1]) if self.where.ndim == 2 else None

    @property
    def sizes(self) -> Ints:
        """The number of atoms of each measure."""
        return np.diff(self.start)

    def measure(self, s: int) -> Atoms:
        """One of the measures, without a copy."""
        part = slice(int(self.start[s]), int(self.start[s + 1]))
        start = np.array([0, part.stop - part.start], dtype=np.int64)
        return Atoms(start, self.weights[part], self.mass[part], self.where[part])

    def take(self, indices: Any) -> Atoms:
        """Some of the measures."""
        return joined([self.measure(int(s)) for s in indices])

    @cached_property
    def fingerprint(self) -> str:
        """A digest of everything that influences a distance."""
        digest = hashlib.sha256()
        for array in (self.start, self.mass, self.where):
            digest.update(str((array.dtype.str, array.shape)).encode())
            digest.update(np.ascontiguousarray(array).data)
        return digest.hexdigest()


def atoms_of_one(weights: Array, where: Where) -> Atoms:
    """The atoms of one measure, from weights that sum to 1."""
    mass = as_masses(weights)
    if np.count_nonzero(mass) < len(mass):
        kept = np.flatnonzero(mass)
        weights, mass, where = weights[kept], mass[kept], where[kept]
    return Atoms(np.array([0, len(mass)], dtype=np.int64), weights, mass, np.ascontiguousarray(where))


def joined(parts: list[Atoms]) -> Atoms:
    """Measures of several lists, one after the other."""
    start = np.concatenate([[0], np.cumsum(np.concatenate([part.sizes for part in parts]))]).astype(np.int64)
    return Atoms(start, *(concatenated([getattr(p, name) for p in parts]) for name in ("weights", "mass", "where")))


def as_masses(weights: Any) -> Any:
    """Weights as whole multiples of 1 / MASS_UNITS; of tensors on a GPU, on that GPU."""
    return rounded(weights * MASS_UNITS)
