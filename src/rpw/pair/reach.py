"""Warnings where points reach far beyond a diameter that nobody chose, or fill hardly any of it.

RPW counts lengths in units of Δ and is never above 1. Where Δ was left at 1 and the points lie tens or hundreds apart,
nearly every distance comes out close to 1 and says nothing. Where they all lie within a few hundredths, no way is
long enough to be left out: RPW is W_p, and an outlier counts as much as it does there.
"""

from __future__ import annotations

from dataclasses import dataclass

from rpw.base.warn import warn_caller

__all__ = ["FAR", "MANY", "NO_REACH", "Reach", "near_for", "warn_of_nearness", "warn_of_reach"]

FAR = 2.0  # in units of the default diameter, 1
MANY = 20  # distinct points; of fewer, nobody expects outliers to be told apart
_NEAR = 0.05  # likewise


@dataclass(frozen=True)
class Reach:
    """How far something is known to reach: the distance of two of the points, or the largest cost."""

    length: float
    is_of_cost: bool = False

    @property
    def is_far(self) -> bool:
        """Whether the default diameter is unlikely to be meant."""
        return self.length > FAR

    @property
    def subject(self) -> str:
        """What reaches, and how."""
        return "the costs reach" if self.is_of_cost else "the points span"


NO_REACH = Reach(0.0)


def warn_of_reach(reach: Reach) -> None:
    """Warn the code that called rpw, if the default diameter hardly fits."""
    if not reach.is_far:
        return
    warn_caller(
        f"{reach.subject} more than {FAR:g}, and diameter was left at 1: RPW is then close to 1 for "
        f"all measures that are far apart; {_way_out(reach.is_of_cost)}"
    )


def near_for(*prices: float) -> float:
    """How close to each other all points lie where robustness is lost for each of these k."""
    return _NEAR * min(1.0, *prices)


def warn_of_nearness() -> None:
    """Warn the code that called rpw that the default diameter is far larger than all distances."""
    warn_caller(
        f"all points (or all costs) span less than {_NEAR:g}, and diameter was left at 1: RPW is then "
        f"close to W_p / k, and as sensitive to outliers as W_p; {_way_out(is_of_cost=False)}"
    )


def _way_out(is_of_cost: bool) -> str:
    one = "one diameter, the largest cost," if is_of_cost else "one diameter=rpw.diameter(...)"
    return f"pass {one} for everything you compare; diameter=1 keeps this scale"
