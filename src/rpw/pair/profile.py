"""The OT-profile: the cost of moving a share of the mass, for every share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, overload

import numpy as np
from numpy.typing import ArrayLike

from rpw.base.check import Array, as_k, as_kappa, as_mass, for_each
from rpw.base.frozen import read_only
from rpw.pair.crossing import Polyline
from rpw.pair.elbow import Spread, outlier_share
from rpw.pair.reach import NO_REACH, Reach, warn_of_reach
from rpw.pair.result import Result, in_power_units

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from scipy.sparse import csr_array

__all__ = ["Profile"]

_SMALLEST_STEP = 1e-15  # masses are told apart to this much
_OTHER_NUMBER = 1e-6  # far beyond rounding, as a share of what there is at most


class Pair(Protocol):
    """Two measures that can be solved again."""

    def crossing(self, k: float) -> Result:
        """RPW with its plan."""

    def transport(self, mass: float) -> Result:
        """The cheapest plan that moves a mass."""

    def without_metric(self) -> Pair:
        """The same, as it can be pickled."""


@dataclass(frozen=True, eq=False)
class Profile:
    """The OT-profile of two measures: exact, or with ``tol`` an upper curve, with ``lower`` as the other one.

    ``mass`` and ``cost_p`` hold the breakpoints of the convex, piecewise linear F(α) = W_{p,α}**p. At p = inf, where F
    has no meaning, ``cost_p`` holds the left-continuous step curve W_{inf,α} itself: its value on the interval that
    ends at the same entry of ``mass``.

    ``profile(alpha)`` is W_{p,alpha}; ``profile.distance(k)`` is RPW for any k from this one solve. Of a profile with
    ``tol`` they are upper bounds, and ``profile.lower(alpha)`` and ``profile.lower.distance(k)`` lower ones.
    Plans are not kept: ``profile.plan(mass)`` and ``profile.result(k)`` solve the pair once more, up to there.
    """

    p: float
    diameter: float
    solver: str
    unmoved: Array  # 1 - mass, exact where it is tiny
    _cost: Array  # in units of scale ** p (p = inf: of the distance)
    _scale: float
    _slopes: Array  # of the edges of F, in the same units (p = inf: none)
    _reach: Reach = NO_REACH  # of the points, if the diameter was left out
    _lower: Profile | None = None  # the other curve, where this one is not exact
    _pair: Pair | None = None  # to solve again, for plans
    _used_up: tuple[Array, Array] | None = None  # the slope (p = inf: W) at which each atom had moved
    _spread: Spread | None = None  # how far apart the measures lie, where this is the exact profile
    _upper: Profile | None = None  # the curve to which this is the lower one

    def __post_init__(self) -> None:
        for array in (self.unmoved, self._cost, self._slopes, *(self._used_up or ())):
            read_only(array)

    @cached_property
    def lower(self) -> Profile:
        """A curve that is proven to lie nowhere above the profile; an exact profile is its own.

        In units of W it is nowhere further below this one than ``tol``. It is a `Profile` too, with its own
        breakpoints, and ``lower.distance(k)`` is a lower bound on RPW.
        """
        return self if self._lower is None else replace(self._lower, _reach=self._reach, _upper=self)

    @property
    def is_exact(self) -> bool:
        """Whether this is the profile itself, not one of two curves around it."""
        return self._lower is None and not self._is_lower

    @property
    def _is_lower(self) -> bool:
        return self._upper is not None

    @cached_property
    def mass(self) -> Array:
        """The breakpoints, from 0 to 1."""
        return read_only(1.0 - self.unmoved)

    @cached_property
    def cost_p(self) -> Array:
        """F at the breakpoints (at p = inf: W itself)."""
        if np.isinf(self.p):
            return self._cost
        return read_only(in_power_units(self._cost, self._scale, self.p, "cost_p"))

    @overload
    def __call__(self, alpha: float) -> float: ...

    @overload
    def __call__(self, alpha: ArrayLike) -> float | Array: ...

    def __call__(self, alpha: ArrayLike) -> float | Array:
        """W_{p,alpha}, for a number or an array of masses in [0, 1]."""
        alphas = np.asarray(for_each(alpha, "alpha", _as_alpha))
        if np.isinf(self.p):
            steps = np.searchsorted(self.mass, self._snapped(alphas), side="left")
            values = self._cost[steps.clip(max=len(self.mass) - 1)]
        else:
            values = self._scale * np.interp(self._snapped(alphas), self.mass, self._cost) ** (1 / self.p)
        if self._upper is not None:  # where the profile is steep, the rounding of a breakpoint could lift one above it
            values = np.minimum(values, self._upper(alphas))
        return float(values) if alphas.ndim == 0 else values

    def _snapped(self, alphas: Array) -> Array:
        """The masses, less what the rounding of one such as 5/6 puts beyond a breakpoint: that may be far dearer."""
        before = self.mass[np.searchsorted(self.mass, alphas, side="right") - 1]
        return np.where(alphas - before <= _SMALLEST_STEP, before, alphas)

    @overload
    def slope(self, alpha: float) -> float: ...

    @overload
    def slope(self, alpha: ArrayLike) -> float | Array: ...

    def slope(self, alpha: ArrayLike) -> float | Array:
        """The right derivative of F = W**p at mass ``alpha``, in units of distance**p (at 1: infinite).

        For a number or an array. It is the price of the next bit of mass, and the multiplier λ of a `rpw.Result`.
        Raises at p = inf.
        """
        if np.isinf(self.p):
            raise ValueError("the profile has no slope at p = inf: it is a step curve")
        return for_each(alpha, "alpha", lambda one: self._slope_at(_as_alpha(one)))

    def _slope_at(self, mass: float) -> float:
        edge = int(np.searchsorted(self.mass, mass, side="right")) - 1
        if edge >= len(self._slopes):
            return float("inf")
        return float(in_power_units(self._slopes[edge], self._scale, self.p, "slope"))

    @overload
    def distance(self, k: float) -> float: ...

    @overload
    def distance(self, k: ArrayLike) -> float | Array: ...

    def distance(self, k: ArrayLike) -> float | Array:
        """(p,k)-RPW for a number or an array of k, from the crossing of the profile with the line of slope -kΔ.

        Where the profile was asked for with ``tol``, this is an upper bound and ``lower.distance(k)`` a lower one; they
        differ by at most ``tol / (kΔ)``.

        >>> import rpw
        >>> rpw.profile([0.0], [1.0], p=1).distance([1, 3]).tolist()
        [0.5, 0.25]
        """
        kappas = for_each(k, "k", lambda one: as_kappa(one, self.diameter))
        if np.any(np.greater(kappas, 0)):
            warn_of_reach(self._reach)
        found = for_each(kappas, "k", self._crossing)
        return found if self._upper is None else _lesser(found, for_each(kappas, "k", self._upper._crossing))

    def _crossing(self, kappa: float) -> float:
        return Polyline(self.p, self.unmoved, self._cost, self._slopes, self._scale).crossing(kappa)

    @cached_property
    def scores_a(self) -> Array:
        """The price at which each atom of the first measure has moved: λ^(1/p) at the slope λ that uses up its mass.

        Along the profile mass that has moved never comes back, so there is one such moment. The score is the p-th root
        of what a bit of mass costs when the last of this atom moves (at p = inf, W itself then). It has the unit of a
        length, but it is a price of mass, not how far away the point lies. If two clusters have other shares in the
        second measure, mass must go from one to the other, and ordinary points pay for the whole way. To find
        outliers, use `rpw.stats.find_outliers`, which bounds how many of those named are ordinary.

        Atoms that are used up at the same price, and equal points, have the same score; a rest that stays to the end
        counts as used up there. If only one measure has outliers, as much mass of the other has high scores
        too: that for which nothing but the outliers is left. So read the scores of the measure that you doubt.
        Atoms without weight have score 0. Only of the exact profile: ``tol`` does no harm where the two curves
        come from it, as for points on a line with p = 1, or a few thousand of equal weight and finite p.

        >>> import rpw
        >>> rpw.profile([0.0, 1.0, 9.0], [0.0, 1.5, 2.0], p=1).scores_a.tolist()
        [0.0, 0.5, 7.0]
        """
        return self._lengths(self._prices[0])

    @cached_property
    def scores_b(self) -> Array:
        """The same for the second measure."""
        return self._lengths(self._prices[1])

    @cached_property
    def _prices(self) -> tuple[Array, Array]:
        if self._used_up is not None:
            return self._used_up
        raise ValueError("scores need the exact profile, and this one is only within its tol: leave tol out")

    def _lengths(self, prices: Array) -> Array:
        return prices if np.isinf(self.p) else read_only(self._scale * prices ** (1 / self.p))

    def result(self, k: float) -> Result:
        """(p,k)-RPW with its plan, as `rpw.solve` gives it.

        The profile keeps the measures (and ``cost=``), but no plans: each call solves the pair once more, up to that k.

        >>> import rpw
        >>> rpw.profile([0.0, 5.0], [0.0, 1.0], p=1, diameter=1).result(k=1).unmatched_a.round(6).tolist()
        [0.0, 0.4]
        """
        price = as_k(k)
        if as_kappa(price, self.diameter) > 0:
            warn_of_reach(self._reach)
        found = self._solvable.crossing(price)
        self._check_unchanged(self.lower.distance(price), found.distance, self.distance(price))
        return found

    def plan(self, mass: float) -> csr_array:
        """The plan that moves ``mass`` at the least cost, as `rpw.transport` gives it; each call solves once more.

        >>> import rpw
        >>> rpw.profile([0.0, 5.0], [0.0, 1.0], p=1).plan(0.75).toarray().tolist()
        [[0.5, 0.0], [0.0, 0.25]]
        """
        found, power = self._solvable.transport(as_mass(mass)), 1.0 if np.isinf(self.p) else self.p
        whole = self(1.0) or 1.0
        self._check_unchanged(*((w / whole) ** power for w in (self.lower(mass), found.distance, self(mass))))
        return found.plan

    def _check_unchanged(self, low: float, found: float, high: float) -> None:
        """Raise if a pair that was solved again is another one: a callable metric may be another function by now."""
        if not low - _OTHER_NUMBER <= found <= high + _OTHER_NUMBER:
            raise ValueError("metric has changed since this profile was computed: call rpw.profile again")

    @property
    def _solvable(self) -> Pair:
        if self._is_lower:
            raise ValueError(
                "the lower curve has no plans: ask the profile that it belongs to for plan(mass) or result(k)"
            )
        if self._pair is None:
            raise ValueError("this profile does not know its measures any more: call rpw.profile again")
        return self._pair

    def elbow(self) -> float:
        """The mass at which the slope of the profile jumps beyond the width of the measures; 1.0 if it does not.

        It is a first guess of the share of inliers, without a proven error. To name outliers, use
        `rpw.stats.find_outliers`.

        The price of a bit of mass is compared, as a length λ^(1/p), with the width of the inliers: 95 % of the
        distances between those of the two measures are shorter. A price is too high if it is more than twice that
        width, and more than so few points would cost at the end of a heavy tail (of a t-distribution with 3 degrees of
        freedom). At p = inf, W itself is the price. docs/theory.md, "The elbow", has the rule and the measurements.

        Where 1 to 30 % of the points lie at least 10 standard deviations away (the root of the inliers' mean squared
        distance from their centre), in one measure or in both, it is within 0.01 in 95 of 100 cases. Without outliers
        it is 1.0 in 95 of 100. What it cannot do:

        - Outliers that lie nearer are seldom named. One or two points must lie far farther out than ten.
        - What both measures have at the same place is no outlier, however far out it lies. So scattered outliers of
          both count only if they lie far from each other too.
        - Inliers in several heaps are as wide as all heaps together.
        - Where most inliers are equal, there is little to compare with, and it may say 1.0.
        - At p = 1, moving everything by a little costs as much as moving a part all the way. So a shift may be taken
          for outliers; p = 2 tells the two apart.
        - Half of the mass or more is never out.

        Two curves within ``tol`` have no elbow: their
        breakpoints are few.

        >>> import numpy as np
        >>> import rpw
        >>> ages = np.arange(1000) % 80
        >>> wrong = np.where(np.arange(1000) < 50, 999, ages)
        >>> rpw.profile(ages, wrong).elbow(), rpw.profile(ages, ages[:900]).elbow()
        (0.95, 1.0)
        """
        if self._spread is None:
            raise ValueError("elbow needs the exact profile, and this one is only within its tol: leave tol out")
        lengths = self._cost[1:] if np.isinf(self.p) else self._lengths(self._slopes)
        return 1.0 - outlier_share(self.unmoved[:-1], lengths, self._spread)

    def plot(self, ax: Axes | None = None, k: float | Sequence[float] | None = None) -> Axes:
        """Draw W_{p,α} over α and, with one or several ``k``, the lines kΔ(1 - α) and their crossings.

        Needs matplotlib.
        Of a profile with ``tol`` there are two curves and two crossings, and what is not known lies between.
        """
        from rpw.plot import plot_profile

        return plot_profile(self, ax=ax, k=k, is_lower=self._is_lower)

    def __len__(self) -> int:
        return len(self.unmoved)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Profile):
            return NotImplemented
        same = (self.p, self.diameter, self._scale) == (other.p, other.diameter, other._scale)
        same = same and self._lower == other._lower
        return same and np.array_equal(self.unmoved, other.unmoved) and np.array_equal(self._cost, other._cost)

    def __hash__(self) -> int:
        return hash((self.p, self.diameter, self.unmoved.tobytes(), self._cost.tobytes()))

    def __getstate__(self) -> dict[str, Any]:
        state = {field.name: self.__dict__[field.name] for field in fields(self)}  # what is derived is derived again
        return state | {"_pair": None if self._pair is None else self._pair.without_metric()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()  # pickle forgets what is read-only

    def _repr_html_(self) -> str:
        from rpw.base.html import curve, facts

        masses = np.linspace(0, 1, 201)
        below = None if self._lower is None else np.asarray(self.lower(masses))
        return facts(
            "OT-profile",
            [
                ("p", f"{self.p:g}"),
                ("diameter", f"{self.diameter:g}"),
                ("breakpoints", f"{len(self):,}"),
                *((f"W at {mass:.0%}", self._cost_in_words(mass)) for mass in (0.5, 0.9, 1.0)),
                *([("elbow", f"{self.elbow():.4g} of the mass")] if self.is_exact else []),
                ("solver", self.solver),
            ],
            curve(masses, np.asarray(self(masses)), "the cost of moving a mass, from 0 to 1", below),
        )

    def _cost_in_words(self, mass: float) -> str:
        upper = f"{self(mass):.6g}"
        if self._is_lower:
            return f"at least {upper}"
        return upper if self._lower is None else f"{self.lower(mass):.6g} to {upper}"

    def __repr__(self) -> str:
        below = "" if self._lower is None else f" (at least {self.lower(1.0):.6g})"
        value = f"W at least {self(1.0):.6g}" if self._is_lower else f"W={self(1.0):.6g}{below}"
        return f"Profile(p={self.p:g}, {len(self)} breakpoints, {value} at mass 1)"


def _lesser(one: float | Array, other: float | Array) -> float | Array:
    least = np.minimum(one, other)
    return float(least) if least.ndim == 0 else least


def _as_alpha(value: Any) -> float:
    return as_mass(value, "alpha")
