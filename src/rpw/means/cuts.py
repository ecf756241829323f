"""Lines below RPW^p of each input: what a bundle method has learnt, and what that proves.

For multipliers θ >= 0 with Σ_s θ_is <= c_i (the lines s of input i), and all weights b on the simplex:

    Σ c_i RPW_i^p(b) >= Σ θ_is (offset_is + slope_is · b) >= Σ θ_is offset_is + min_j (Σ θ_is slope_is)_j

so any θ proves a lower bound, however it was found.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rpw.base.check import Array
from rpw.base.deadline import Deadline
from rpw.means.evaluation import Evaluation
from rpw.pair.atoms import Ints

__all__ = ["Cuts", "Guess"]

_MOST_IDLE = 15  # rounds after which a line that proves nothing is forgotten
_FEWEST_ATOMS = 100  # of those that the programme may give weight to


@dataclass(frozen=True, eq=False)
class Guess:
    """The least value of the model in a box, where it lies, and the multipliers of the lines there."""

    weights: Array
    value: float
    multipliers: Array


class Cuts:
    """The lines found so far, several for each input."""

    def __init__(self, n_inputs: int, n_atoms: int) -> None:
        self._n_inputs = n_inputs
        self._slopes: Array = np.empty((0, n_atoms))
        self._offsets: Array = np.empty(0)
        self._owner: Ints = np.empty(0, dtype=np.int64)
        self._idle: Ints = np.empty(0, dtype=np.int64)
        self._price: Array = np.zeros(n_atoms)

    def add(self, evaluation: Evaluation) -> None:
        """A line for each input, which touches RPW^p at the evaluated weights."""
        slopes, offsets = evaluation.lines()
        self._slopes = np.concatenate([self._slopes, slopes])
        self._offsets = np.concatenate([self._offsets, offsets])
        self._owner = np.concatenate([self._owner, np.arange(self._n_inputs)])
        self._idle = np.concatenate([self._idle, np.zeros(self._n_inputs, dtype=np.int64)])

    def least(self, counts: Array, centre: Array, radius: float, unit: float, deadline: Deadline) -> Guess | None:
        """The least Σ counts_i t_i over weights within ``radius`` of ``centre``, each t_i above the lines of its input.

        In units of ``unit``, about the size of the answer, since the tolerances of the solver are absolute. None where
        time is up or the solver finds nothing.
        """
        from scipy import optimize

        linprog: Any = optimize.linprog
        atoms = self._promising(centre)
        count, n = len(self._slopes), len(atoms)
        of_inputs = np.zeros((count, self._n_inputs))
        of_inputs[np.arange(count), self._owner] = -1.0
        bounds = np.zeros((n + self._n_inputs, 2))
        bounds[:n, 0] = np.maximum(centre[atoms] - radius, 0.0)
        bounds[:n, 1] = np.minimum(centre[atoms] + radius, 1.0)
        bounds[n:, 1] = np.inf
        found = linprog(
            np.concatenate([np.zeros(n), counts]),
            A_ub=np.concatenate([self._slopes[:, atoms] / unit, of_inputs], axis=1),
            b_ub=-self._offsets / unit,
            A_eq=np.concatenate([np.ones(n), np.zeros(self._n_inputs)])[None],
            b_eq=[1.0],
            bounds=bounds,
            method="highs-ds",
            options={"presolve": False} | ({"time_limit": deadline.seconds_left} if deadline.is_set else {}),
        )
        if found.x is None or found.ineqlin.marginals is None:
            return None
        weights = np.zeros(len(centre))
        weights[atoms] = np.maximum(found.x[:n], 0.0)
        return Guess(weights / weights.sum(), float(found.fun) * unit, np.maximum(-found.ineqlin.marginals, 0.0))

    def _promising(self, centre: Array) -> Ints:
        """The atoms that may get weight: those that have some, and the cheapest others, up to as many again.

        The programme is several times as fast without the rest, and what is proven does not depend on it.
        """
        has_weight = centre > 0
        count = max(_FEWEST_ATOMS, 2 * int(np.count_nonzero(has_weight)))
        order = np.lexsort((self._price, ~has_weight))
        return np.sort(order[:count])

    def bound(self, multipliers: Array, counts: Array) -> float:
        """What the multipliers prove about Σ counts_i RPW_i^p, whatever the rounding of who found them."""
        sums = np.bincount(self._owner, multipliers, minlength=self._n_inputs)
        allowed = np.divide(counts, sums, out=np.ones_like(sums), where=sums > counts)
        sound = multipliers * allowed[self._owner]
        self._price = sound @ self._slopes
        return max(0.0, float(sound @ self._offsets + self._price.min()))

    def forget(self, multipliers: Array) -> None:
        """Leave out lines that have proven nothing for long."""
        self._idle = np.where(multipliers > 0, 0, self._idle + 1)
        kept = self._idle < _MOST_IDLE
        self._slopes, self._offsets = self._slopes[kept], self._offsets[kept]
        self._owner, self._idle = self._owner[kept], self._idle[kept]
