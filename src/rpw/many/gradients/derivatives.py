"""The derivatives in everything, from what a solve leaves (docs/proofs/derivatives.md, "Gradients"): formulas only."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rpw.base.arrays import count_up, sums_at, zeros
from rpw.many.gradients.pairs import Distances, PointPairs, Side, Solved
from rpw.pair.question import Question

__all__ = ["Gradients", "derivatives_of", "plan_size"]


@dataclass(frozen=True, eq=False)
class Gradients:
    """The distance of each pair, and its derivative in everything that it depends on: arrays of NumPy, or of torch."""

    value: Any  # (B,)
    points: tuple[Any, Any] | None  # (B, n, d) and (B, m, d), where there are points
    places: Any  # where there are costs, (B, plan_size): the places in a flat (n * m) matrix of …
    slopes: Any  # … the entries with derivatives, which are these; 0 at the end, and beyond the plan
    weights: tuple[Any, Any]  # (B, n) and (B, m)
    k: Any  # (B,)


def plan_size(n: int, m: int) -> int:
    """Entries enough for any plan: it mixes two vertices of the profile, and each of them is a forest."""
    return 2 * (n + m)


def derivatives_of(solved: Solved, question: Question) -> Gradients:
    """The values, and the derivatives in points or costs, in raw weights, and in k."""
    found, pairs, ground = _Derivatives(solved, question), solved.pairs, solved.pairs.ground
    points, places, slopes = None, None, None
    if isinstance(ground, PointPairs):
        points = found.of_points(ground)
    else:
        places, slopes = found.of_entries(ground)
    weights = found.of_weights(pairs.a, solved.u), found.of_weights(pairs.b, solved.v)
    return Gradients(solved.value, points, places, slopes, weights, found.of_k())


@dataclass(frozen=True, eq=False)
class _Derivatives:
    found: Solved
    question: Question

    @cached_property
    def gain(self) -> Any:
        """What each distance gains when F gains 1 in units of ``scale ** p``; 0 for identical measures: a minimum."""
        p, value, scale = self.question.p, self.found.value, self.found.scale
        if self.question.is_of_cost:
            rise = (value / scale) ** (p - 1) * p / scale  # of F, where the distance rises by 1
        else:
            price = self.found.kappas / scale
            rise = self.found.multiplier + p * price * (price * value) ** (p - 1)
        rises = (value > 0) & (rise > 0)
        return rises / (rise + ~rises)

    def of_points(self, ground: PointPairs) -> tuple[Any, Any]:
        """The sum of the ways of each point; 0 for those without mass."""
        rows, columns = self.found.row, self.found.column
        x, y = (each.reshape(-1, each.shape[2]) for each in (ground.x, ground.y))
        lengths, directions = ground.metric.ways(x[rows], y[columns])
        ways = directions * self._slopes(lengths)[:, None]
        of_x, of_y = sums_at(rows, ways, len(x)), sums_at(columns, -ways, len(y))
        return of_x.reshape(ground.x.shape), of_y.reshape(ground.y.shape)

    def of_entries(self, ground: Distances) -> tuple[Any, Any]:
        """The places in the flat matrix of each pair, and the derivatives there."""
        found, (pairs, n, m) = self.found, ground.cost.shape
        at = found.row % n * m + found.column % m
        shape = pairs, plan_size(n, m)
        places, slopes = zeros(shape, at, "int64"), zeros(shape, ground.cost)
        entry = found.pair, count_up(len(at), at) - found.begins[found.pair]
        places[entry], slopes[entry] = at, self._slopes(ground.cost.reshape(pairs, n * m)[found.pair, at])
        return places, slopes

    def _slopes(self, lengths: Any) -> Any:
        """In the lengths of the entries of the plans."""
        found, p = self.found, self.question.p
        scale = found.scale[found.pair]
        return found.mass * p * (lengths / scale) ** (p - 1) * (self.gain[found.pair] / scale)

    def of_weights(self, side: Side, potentials: Any) -> Any:
        """Raw weights are divided by their sum, so that only differences of potentials count."""
        if side.raw is None:
            return zeros(side.weights.shape, side.weights)
        rises = 0.0 - potentials
        means = (side.weights * rises).sum(1)[:, None]
        return (rises - means) * (self.gain / side.total)[:, None] * side.is_there

    def of_k(self) -> Any:
        """The price falls on ε alone: a larger k leaves less behind."""
        value, scale, p = self.found.value, self.found.scale, self.question.p
        if self.question.is_of_cost:
            return 0.0 * value
        steepness = p * (self.found.kappas * value / scale) ** (p - 1) * value / scale
        return -steepness * self.question.diameter * self.gain
