"""All distances from the inputs to one measure, with their derivatives: everything that the methods know.

RPW = ε solves F(1 - ε) = (κε)^p with κ = kΔ; λ is the slope of F there, and (f, g) are the potentials
(docs/proofs/derivatives.md, "Barycenters"). In the unit t = ε^p:

    dt = rate · dF    with    rate = p ε^(p-1) / (λ + p κ^p ε^(p-1))
    t(b') >= offset + slope · b'    for all weights b', with    slope = rate · g
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rpw.base.check import Array
from rpw.base.deadline import Deadline
from rpw.many.solve_pairs import solve_pairs
from rpw.measure import Measure
from rpw.pair.metrics import Metric
from rpw.pair.result import Result

__all__ = ["Evaluation", "Inputs"]


@dataclass(frozen=True, eq=False)
class Inputs:
    """The measures whose mean is sought, without atoms that carry no mass, and how they are compared."""

    measures: list[Measure]
    weights: Array
    p: float
    k: float
    diameter: float
    metric: Metric
    n_threads: int
    device: str

    def at(self, measure: Measure, deadline: Deadline, price: float = 1.0) -> Evaluation:
        """The distances to one measure; ``price`` times k is what leaving mass behind costs."""
        results = solve_pairs(
            self.measures,
            [measure] * len(self.measures),
            p=self.p,
            k=self.k * price,
            metric=self.metric,
            diameter=self.diameter,
            n_threads=self.n_threads,
            device=self.device,
            time_limit=deadline.seconds_left if deadline.is_set else None,
        )
        return Evaluation(self, measure, results, self.k * self.diameter * price)


@dataclass(frozen=True, eq=False)
class Evaluation:
    """One measure, and the results of all inputs against it."""

    inputs: Inputs
    measure: Measure
    results: list[Result]
    kappa: float

    @property
    def p(self) -> float:
        """The exponent."""
        return self.inputs.p

    @property
    def is_whole(self) -> bool:
        """Whether time was enough for all pairs."""
        return all(result.status != "time_limit" for result in self.results)

    @cached_property
    def distances(self) -> Array:
        """RPW of each input."""
        return np.array([result.distance for result in self.results])

    @cached_property
    def rates(self) -> Array:
        """The derivative of each RPW^p by the cost F of its plan; 0 at distance 0, where every change is an increase
        of higher order."""
        multipliers = np.array([result.multiplier or 0.0 for result in self.results])
        growth = self.p * self.distances ** (self.p - 1)
        whole = multipliers + self.kappa**self.p * growth
        return np.where(whole > 0, growth / np.where(whole > 0, whole, 1.0), 0.0)

    def lines(self) -> tuple[Array, Array]:
        """Slopes (inputs, atoms) and offsets of lines below RPW^p of each input, as functions of the weights.

        F(α) >= λα + a·f + b'·g holds for all weights b' and all α, so at the crossing of b', where t' = ε'^p:
        κ^p t' + λ t'^(1/p) >= λ + a·f + b'·g. The left side is concave in t', hence below its tangent at t = ε^p.
        """
        slopes = np.zeros((len(self.results), len(self.measure)))
        offsets = np.zeros(len(self.results))
        for i, result in enumerate(self.results):
            rate, distance, a = self.rates[i], self.distances[i], self.inputs.measures[i].weights
            if result.potentials is None or result.multiplier is None:
                continue  # the line 0, which is always below
            f, g = result.potentials
            reached = self.kappa**self.p * distance**self.p + result.multiplier * distance
            slopes[i] = rate * g
            offsets[i] = distance**self.p + rate * (result.multiplier + a @ f - reached)
        return slopes, offsets
