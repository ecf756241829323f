"""What is minimised: a sum over the inputs, as a function of their distances.

    Φ = min over ω of Σ ω_i ε_i^q    with q = p ("rpw_p") or 1 ("rpw"), 0 <= ω <= w, Σ ω = 1 - trim

As a function of t = ε^p it is concave and does not decrease, so it lies below its tangents: lowering Σ (∂Φ/∂t_i) t_i
lowers Φ. Where it is linear in t (q = p or p = 1, and nothing trimmed), that sum is Φ itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rpw.base.check import Array

__all__ = ["Objective"]

_LEAST_SHARE = 1e-3  # of the largest distance: t^(1/p) is steeper than any number at 0
_NO_WEIGHT = 1e-12  # what rounding leaves of an input that is trimmed


@dataclass(frozen=True, eq=False)
class Objective:
    """The sum that is minimised."""

    name: str
    weights: Array
    p: float
    trim: float

    @property
    def is_convex(self) -> bool:
        """Whether it is convex in the weights of the barycenter: then, and only then, there are bounds from below."""
        return self.trim == 0 and (self.name == "rpw_p" or self.p == 1)

    def value(self, distances: Array) -> float:
        """Φ."""
        return float(self.counted(distances) @ distances ** (self.p if self.name == "rpw_p" else 1.0))

    def counted(self, distances: Array) -> Array:
        """ω: the weights of the inputs that count; the farthest are left out until their weights reach ``trim``."""
        nearest = np.argsort(distances, kind="stable")
        before = np.cumsum(self.weights[nearest]) - self.weights[nearest]
        room = 1.0 - self.trim - before
        counted = np.empty_like(self.weights)
        counted[nearest] = np.clip(np.where(room > _NO_WEIGHT, room, 0.0), 0.0, self.weights[nearest])
        return self.weights if self.trim == 0 else counted

    def tangent(self, distances: Array) -> Array:
        """The derivatives of Φ by t_i = ε_i^p."""
        counted = self.counted(distances)
        if self.name == "rpw_p" or self.p == 1:
            return counted
        least = _LEAST_SHARE * float(distances.max()) or 1.0
        return counted / self.p * np.maximum(distances, least) ** (1 - self.p)
