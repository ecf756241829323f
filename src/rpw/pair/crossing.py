"""Where a profile meets the price of what stays behind; the price may be shifted.

With F(1 - u) the p-th power of the cost while the share u stays behind, the crossing at a shift t is

    min { e ≥ 0 : F(1 - (e - t)) ≤ (κ e)^p }.

At t = 0 that is RPW. At t = s and t = -s it is the upper and the lower end of what RPW can become when a share s of the
mass is replaced (docs/proofs/statistics.md, "How far replaced points can move RPW").
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rpw import _core
from rpw.base.check import Array

__all__ = ["Polyline"]


class Polyline(NamedTuple):
    """The breakpoints of a profile: from all mass unmoved to none."""

    p: float
    unmoved: Array
    cost: Array  # in units of scale ** p (p = inf: of the distance)
    slope: Array  # of the edges, in the same units (p = inf: none)
    scale: float

    @classmethod
    def of_core(cls, p: float, curve: _core.Curve) -> Polyline:
        """As the core gives it."""
        return cls(p, curve.unmoved, curve.cost, curve.slope, curve.scale)

    def crossing(self, kappa: float, shift: float = 0.0) -> float:
        """The smallest e, at most 1."""
        if np.isinf(kappa):  # nothing may cost anything, or else may stay
            return min(1.0, max(0.0, shift))
        found = self._of_steps(kappa, shift) if np.isinf(self.p) else self._of_edges(kappa, shift)
        return min(1.0, found)

    def most_mass(self, length: float) -> float:
        """The largest mass that can be moved at W ≤ ``length``."""
        if np.isinf(self.p):
            return float(1.0 - self.unmoved[np.flatnonzero(self.cost <= length)[-1]])
        with np.errstate(over="ignore"):
            height = np.float64(length / self.scale) ** self.p
        end = int(np.searchsorted(self.cost, height, side="right"))
        if end == len(self.cost):
            return float(1.0 - self.unmoved[-1])
        start = end - 1
        moved = (height - float(self.cost[start])) / float(self.slope[start])
        return float(min(1.0 - self.unmoved[start] + moved, 1.0 - self.unmoved[end]))

    def _of_edges(self, kappa: float, shift: float) -> float:
        scaled, shrink = _core.scaled_price(kappa, self.scale)
        if scaled == 0:
            return max(0.0, float(self.unmoved[np.flatnonzero(self.cost == 0)[-1]]) + shift)
        left = self.unmoved + shift if shift else self.unmoved
        reached = np.flatnonzero(scaled * left <= self.cost ** (1 / self.p))
        if len(reached) == 0:  # all the mass that can be moved costs less than what may stay
            return max(0.0, float(left[-1]))
        end = int(reached[0])
        if end == 0:
            return max(0.0, float(left[0]))
        start, slope = end - 1, float(self.slope[end - 1])
        height = float(self.cost[start]) + slope * float(left[start])
        crossing = _core.crossing(height, slope, scaled, self.p)
        found = float(np.clip(crossing, max(0.0, left[end]), left[start]))
        return found if shift else shrink * found

    def _of_steps(self, kappa: float, shift: float) -> float:
        """min over steps of max(threshold / κ, what stays)."""
        if kappa == 0:
            return max(0.0, float(self.unmoved[np.flatnonzero(self.cost == 0)[-1]]) + shift)
        with np.errstate(over="ignore"):
            return max(0.0, float(np.maximum(self.cost / kappa, self.unmoved + shift).min()))
