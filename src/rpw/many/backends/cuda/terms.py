"""What the GPU is asked, of which measures, and what it answers."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from rpw.many.backends.cuda.driver import Memory

_Ints = npt.NDArray[np.int64]
_Floats = npt.NDArray[np.float64]

QUANTITIES = ("crossing", "mass", "shared")
METRICS = ("euclidean", "cityblock", "chebyshev")
EXACT, WITHIN_TOLERANCE, CUT_OFF, BEYOND_CUTOFF, UNFINISHED = 0, 1, 2, 3, -1


@dataclass(frozen=True, eq=False)
class Measures:
    """Measures one after the other, atoms without mass left out.

    ``mass`` are int64 multiples of 2^-60. Each atom has a point (float64, one row each), a place in the shared table
    (int32), or, for ``shared``, a label that equal points have in common (int32), in ascending order within each
    measure. Arrays may live on the GPU (anything with ``__cuda_array_interface__``), ``start`` is on the host.
    """

    start: _Ints
    mass: Any
    points: Any = None
    place: Any = None
    label: Any = None
    total: Any = None  # where the masses live on the GPU, so do their sums, one of each measure, and what each atom of
    unit: Any = None  # a measure has, where all have the same (else less the least): the host need not read them
    before: Any = None  # nor `masses_before`
    rank: _Ints | None = None  # of each atom in its measure, where sorting by label has moved it
    brought: dict[Any, dict[str, Memory]] = field(default_factory=dict, init=False, repr=False)  # to the GPU, so far

    @property
    def sizes(self) -> _Ints:
        """How many atoms each measure has."""
        return np.diff(self.start)

    def masses_before(self, mass: _Ints) -> _Ints:
        """Of each atom, the mass of those before it in its measure, in the order in which they came."""
        begins = np.repeat(self.start[:-1], self.sizes)
        place = np.arange(len(mass)) if self.rank is None else begins + self.rank
        in_order = np.empty_like(mass)
        in_order[place] = mass
        before = np.cumsum(in_order) - in_order  # through all measures it leaves int64, and differences come back
        return np.asarray((before - before[begins])[place])

    def part(self, begin: int, end: int) -> Measures:
        """The measures from ``begin`` up to ``end``."""
        if begin == 0 and end == len(self.start) - 1:
            return self
        start = self.start[begin : end + 1]
        atoms = slice(int(start[0]), int(start[-1]))
        of_atoms = (self.mass, self.points, self.place, self.label, self.rank)
        mass, points, place, label, rank = (None if array is None else array[atoms] for array in of_atoms)
        return Measures(start - start[0], mass, points, place, label, rank=rank)


@dataclass(frozen=True)
class Question:
    """What to compute: RPW (crossing), W_{p, 1 - unmoved} (mass), or total variation (shared).

    ``kappas`` asks for RPW at several prices, in ascending order; ``kappa`` is the last of them then.
    """

    quantity: str = "crossing"
    p: float = 2.0
    kappa: float = 1.0
    unmoved: float = 0.0
    truncation: float = math.inf
    metric: str = "euclidean"
    tol: float = 0.0
    kappas: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class Answers:
    """One entry for each pair, with several prices a row of values and bounds; plans and potentials where they were
    asked for.

    The plan of pair e lies in ``plan_*[plan_start[e] : plan_start[e + 1]]``, where ``plan_mass`` is not 0, with rows
    and columns counted in each measure. Potentials (u, v ≥ 0) and multiplier are in units of ``scale**p``; those of
    pair e begin at ``u_start[e]`` and ``v_start[e]``. ``status`` is EXACT, WITHIN_TOLERANCE, CUT_OFF (the bounds are
    proven, and a cost has no upper one) or UNFINISHED (nothing is known).
    """

    value: _Floats
    lower: _Floats
    upper: _Floats
    status: npt.NDArray[np.int32]
    scale: float
    work: _Ints | None = None
    plan_start: _Ints | None = None
    plan_row: npt.NDArray[np.int32] | None = None
    plan_column: npt.NDArray[np.int32] | None = None
    plan_mass: _Floats | None = None
    u_start: _Ints | None = None
    v_start: _Ints | None = None
    u: _Floats | None = None
    v: _Floats | None = None
    multiplier: _Floats | None = None
