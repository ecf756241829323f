"""The OT-profile: the cost of moving a share of the mass, for every share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike

from rpw.base.advice import UNKNOWN, Extent, about_diameter
from rpw.base.check import Array, as_k, as_kappa, as_mass, for_each
from rpw.base.frozen import read_only
from rpw.base.made_by_rpw import NO_PARAMETERS
from rpw.base.shared_docs import documented
from rpw.base.warn import warn_caller
from rpw.pair.crossing import Polyline
from rpw.pair.elbow import Spread, outlier_share
from rpw.pair.result import Result, in_power_units

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from scipy.sparse import csr_array

    from rpw.pair.solvers import SolvedPair

__all__ = ["Profile"]

_SMALLEST_STEP = 1e-15  # masses are told apart to this much
_OTHER_NUMBER = 1e-6  # far beyond rounding, as a share of what there is at most


@dataclass(frozen=True, eq=False)
class Profile:
    """The OT-profile of two measures: what it costs to move a share of the mass, for every share.

    `rpw.profile` returns it. ``profile(alpha)`` is the cost W_{p,α}, and ``profile.distance(k)`` is RPW at any k.

    If you passed ``tol``, this is a curve above the exact profile, and ``profile.lower`` is a curve below it. Then
    ``profile(alpha)`` and ``profile.distance(k)`` are upper bounds, and ``profile.lower(alpha)`` and
    ``profile.lower.distance(k)`` are lower bounds.

    No plans are kept. ``profile.plan(mass)`` and ``profile.result(k)`` solve the pair again.

    Attributes
    ----------
    p : float
        The exponent.
    diameter : float
        The unit of length Δ.
    solver : str
        The solver that answered; `rpw.choose_solver` explains the names.
    unmoved : array
        ``1 - mass`` at the breakpoints, exact even if it is tiny.

    Examples
    --------
    One of four points is an outlier. Moving three quarters of the mass is cheap, and the last quarter is not:

    >>> import rpw
    >>> x, y = [0.0, 1.0, 2.0, 3.0], [0.1, 1.1, 2.1, 90.0]
    >>> profile = rpw.profile(x, y, p=1, diameter=3)
    >>> round(profile(0.75), 3), round(profile(1.0), 3)
    (0.075, 21.825)
    >>> profile.distance([0.1, 1, 10]).round(3)
    array([0.25 , 0.242, 0.187])
    """

    __signature__ = NO_PARAMETERS

    p: float
    diameter: float
    solver: str
    unmoved: Array  # 1 - mass, exact where it is tiny
    _cost: Array  # in units of scale ** p (p = inf: of the distance)
    _scale: float
    _slopes: Array  # of the edges of F, in the same units (p = inf: none)
    _extent: Extent = UNKNOWN  # of the points, if the diameter was left out
    _lower: Profile | None = None  # the other curve, where this one is not exact
    _pair: SolvedPair | None = None  # to solve again, for plans
    _used_up: tuple[Array, Array] | None = None  # the slope (p = inf: W) at which each atom had moved
    _spread: Spread | None = None  # how far apart the measures lie, where this is the exact profile
    _upper: Profile | None = None  # the curve to which this is the lower one

    def __post_init__(self) -> None:
        for array in (self.unmoved, self._cost, self._slopes, *(self._used_up or ())):
            read_only(array)

    @cached_property
    def lower(self) -> Profile:
        """A curve that is nowhere above the exact profile, as a `rpw.Profile`; an exact profile is its own lower curve.

        In units of W, it is nowhere more than ``tol`` below the upper curve. ``lower.distance(k)`` is a lower bound on
        RPW.
        """
        return self if self._lower is None else replace(self._lower, _extent=self._extent, _upper=self)

    @property
    def is_exact(self) -> bool:
        """Whether this is the exact profile, not one of two curves around it."""
        return self._lower is None and not self._is_lower

    @property
    def _is_lower(self) -> bool:
        return self._upper is not None

    @cached_property
    def mass(self) -> Array:
        """The breakpoints: shares of the mass, from 0 to 1."""
        return read_only(1.0 - self.unmoved)

    @cached_property
    def cost_p(self) -> Array:
        """The convex curve F(α) = W_{p,α}**p at the breakpoints; between them it is linear.

        If p = inf, the array holds W itself, which is a step curve: each entry is the value on the interval that ends
        at the same entry of ``mass``.
        """
        if np.isinf(self.p):
            return self._cost
        return read_only(in_power_units(self._cost, self._scale, self.p, "cost_p"))

    @overload
    def __call__(self, alpha: float) -> float: ...

    @overload
    def __call__(self, alpha: ArrayLike) -> float | Array: ...

    def __call__(self, alpha: ArrayLike) -> float | Array:
        """Return W_{p,α}: the least cost of moving a share α of the mass.

        Parameters
        ----------
        alpha : float or array-like
            One share or many, from 0 to 1.

        Returns
        -------
        float or array
            The cost, in the units of the points; an array if ``alpha`` is array-like.

        Examples
        --------
        >>> import rpw
        >>> profile = rpw.profile([0.0, 5.0], [0.0, 1.0], p=1)
        >>> profile([0.5, 0.75, 1.0])
        array([0., 1., 2.])
        """
        alphas = np.asarray(for_each(alpha, "alpha", _as_alpha))
        if np.isinf(self.p):
            last = len(self.mass) - 1  # also of several steps that end at 1, up to rounding
            steps = np.searchsorted(self.mass, self._snapped(alphas), side="left")
            values = self._cost[np.where(alphas == 1, last, steps.clip(max=last))]
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
        """Return the slope of F(α) = W_{p,α}**p to the right of α: what the next bit of mass costs.

        Parameters
        ----------
        alpha : float or array-like
            One share or many, from 0 to 1.

        Returns
        -------
        float or array
            The slope, in units of distance**p; infinite at 1. It is the ``multiplier`` of a `rpw.Result`.

        Raises
        ------
        ValueError
            If p = inf: the profile is then a step curve.

        Examples
        --------
        The first half of the mass costs nothing. Each unit of the second half travels a distance of 4:

        >>> import rpw
        >>> rpw.profile([0.0, 5.0], [0.0, 1.0], p=1).slope([0.25, 0.75])
        array([0., 4.])
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

    @documented
    def distance(self, k: ArrayLike) -> float | Array:
        """Return RPW at one k or many.

        RPW is 1 - α at the point where the profile meets the line k·Δ·(1 - α).

        Parameters
        ----------
        k : float or array-like
            How much leaving mass behind costs, at least 0.

        Returns
        -------
        float or array
            RPW; an array if ``k`` is array-like. If you passed ``tol``, it is an upper bound, at most ``tol / (k·Δ)``
            above ``lower.distance(k)``.

        Warns
        -----
        %(warns_of_small_diameter)s

        Examples
        --------
        >>> import rpw
        >>> rpw.profile([0.0], [1.0], p=1, diameter=1).distance([1, 3])
        array([0.5 , 0.25])
        """
        kappas = for_each(k, "k", lambda one: as_kappa(one, self.diameter))
        if np.any(np.greater(kappas, 0)):
            warn_caller(about_diameter(self._extent))
        found = for_each(kappas, "k", self._crossing)
        return found if self._upper is None else _lesser(found, for_each(kappas, "k", self._upper._crossing))

    def _crossing(self, kappa: float) -> float:
        return Polyline(self.p, self.unmoved, self._cost, self._slopes, self._scale).crossing(kappa)

    @cached_property
    def scores_a(self) -> Array:
        """The cost of moving the last bit of the mass of each point, for the first measure.

        An array of shape (n,), as lengths. The score is λ^(1/p). λ is the slope of the p-th power of the
        profile, at the mass where the point has just moved completely. (If p = inf, the score is W at this mass.)
        Points with high scores move last. Points without weight have score 0, and equal points have equal scores.

        A score is not how far away a point lies. If clusters have different shares in the two measures, mass must go
        from one cluster to another, and ordinary points get high scores. If only one measure has outliers, the same
        amount of mass of the other measure has high scores too, because only outliers remain to match it. So read the
        scores of the measure in which you expect outliers. To name outliers, use `rpw.stats.find_outliers`, which has a
        proven error.

        Scores need the exact profile. A profile with ``tol`` has scores only if its curves come from the exact profile:
        for points on a line with p = 1, and for a few thousand points of equal weight with finite p.

        Examples
        --------
        >>> import rpw
        >>> rpw.profile([0.0, 1.0, 9.0], [0.0, 1.5, 2.0], p=1).scores_a
        array([0. , 0.5, 7. ])
        """
        return self._lengths(self._prices[0])

    @cached_property
    def scores_b(self) -> Array:
        """The same scores for the points of the second measure, shape (m,); see ``scores_a``."""
        return self._lengths(self._prices[1])

    @cached_property
    def _prices(self) -> tuple[Array, Array]:
        if self._used_up is not None:
            return self._used_up
        raise ValueError("scores need the exact profile, and this one was computed with tol: leave tol out")

    def _lengths(self, prices: Array) -> Array:
        return prices if np.isinf(self.p) else read_only(self._scale * prices ** (1 / self.p))

    @documented
    def result(self, k: float) -> Result:
        """Solve the pair again at one k, and return the distance with its plan.

        Parameters
        ----------
        k : float
            How much leaving mass behind costs, at least 0.

        Returns
        -------
        Result
            The same as from `rpw.solve`.

        Raises
        ------
        ValueError
            If this is the lower of two curves, or if ``cost`` or a callable ``metric`` has changed since.

        Warns
        -----
        %(warns_of_small_diameter)s

        Examples
        --------
        >>> import rpw
        >>> profile = rpw.profile([0.0, 5.0], [0.0, 1.0], p=1, diameter=1)
        >>> profile.result(k=1).unmatched_a.round(3)
        array([0. , 0.4])
        """
        price = as_k(k)
        if as_kappa(price, self.diameter) > 0:
            warn_caller(about_diameter(self._extent))
        found = self._solvable.crossing(price)
        self._check_unchanged(self.lower.distance(price), found.distance, self.distance(price))
        return found

    @documented
    def plan(self, mass: float) -> csr_array:
        """Solve the pair again, and return the cheapest plan that moves the given mass.

        Parameters
        ----------
        %(mass)s

        Returns
        -------
        scipy.sparse.csr_array
            The plan, shape (n, m).

        Raises
        ------
        ValueError
            If this is the lower of two curves, or if ``cost`` or a callable ``metric`` has changed since.

        See Also
        --------
        rpw.transport : The same without a profile.

        Examples
        --------
        >>> import rpw
        >>> rpw.profile([0.0, 5.0], [0.0, 1.0], p=1).plan(0.75).toarray()
        array([[0.5 , 0.  ],
               [0.  , 0.25]])
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
    def _solvable(self) -> SolvedPair:
        if self._is_lower:
            raise ValueError(
                "the lower curve has no plans: call plan(mass) or result(k) of the profile that it belongs to"
            )
        if self._pair is None:
            raise ValueError("this profile no longer has its measures: call rpw.profile again")
        return self._pair

    def elbow(self) -> float:
        """Guess the share of inliers: beyond it, moving more costs far more than the width of the data.

        This is a guess without a proven error. To name outliers, use `rpw.stats.find_outliers`.

        Returns
        -------
        float
            The share of inliers; 1.0 if nothing looks like an outlier.

        Raises
        ------
        ValueError
            If the profile is not exact (``tol`` > 0).

        Notes
        -----
        The rule compares the cost of a bit of mass, as a length λ^(1/p), with the width of the inliers: 95 % of the
        distances between inliers of the two measures are shorter than this width. A cost is too high if it is above
        twice the width, and also above what equally few points would cost in the tail of a heavy-tailed distribution
        (a t-distribution with 3 degrees of freedom). If p = inf, W itself is compared. The section "The elbow" of the
        proofs has the measurements.

        If 1 to 30 % of the points lie at least 10 standard deviations away, in one measure or in both, the elbow is
        within 0.01 of the true share of inliers in 97 to 99 % of the cases. Without outliers it is 1.0 in 98 % or more.
        What it cannot do:

        - It seldom sees outliers that lie nearer. A single outlier, or two, must lie much farther out than 10 standard
          deviations.
        - Outliers that both measures have at the same place are not seen. Scattered outliers of both measures count
          only if they also lie far from each other.
        - If the inliers form several clusters, their width is that of all clusters together.
        - If most inliers are equal, their width says little, and the elbow may be 1.0.
        - At p = 1, a small shift of all points can cost as much as a long move of a few, so a shift can look like
          outliers. Use p = 2 to separate the two.
        - It never calls half of the mass or more outliers.

        Examples
        --------
        Of 1,000 ages, 50 were entered as 999. Without errors, the elbow is 1.0:

        >>> import numpy as np
        >>> import rpw
        >>> ages = np.arange(1000) % 80
        >>> wrong = np.where(np.arange(1000) < 50, 999, ages)
        >>> rpw.profile(ages, wrong).elbow(), rpw.profile(ages, ages[:900]).elbow()
        (0.95, 1.0)
        """
        if self._spread is None:
            raise ValueError("elbow needs the exact profile, and this one was computed with tol: leave tol out")
        lengths = self._cost[1:] if np.isinf(self.p) else self._lengths(self._slopes)
        return 1.0 - outlier_share(self.unmoved[:-1], lengths, self._spread)

    @documented
    def plot(self, ax: Axes | None = None, k: float | Sequence[float] | None = None) -> Axes:
        r"""Draw the profile and, for each ``k``, the line k·Δ·(1 - α) with its crossing (needs ``rpw[plot]``).

        A profile with ``tol`` is drawn as a band between two curves, with two crossings for each k.

        Parameters
        ----------
        %(ax)s
        k : float or list of float, optional
            One k or several.

        Returns
        -------
        %(returns_ax)s

        Examples
        --------
        >>> import rpw
        >>> ax = rpw.profile([0.0, 5.0], [0.0, 1.0], p=1, diameter=1).plot(k=1)
        >>> ax.get_xlabel()
        'mass moved, $\\alpha$'
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
                ("Δ", f"{self.diameter:g}"),
                ("breakpoints", f"{len(self):,}"),
                *((f"W at {mass:.0%}", self._cost_in_words(mass)) for mass in (0.5, 0.9, 1.0)),
                (f"RPW at k = 1, Δ = {self.diameter:g}", self._distance_in_words(1.0)),
                *([("elbow", f"{self.elbow():.4g} of the mass")] if self.is_exact else []),
                ("solver", self.solver),
            ],
            curve(masses, np.asarray(self(masses)), "the cost of moving a mass, from 0 to 1", below),
        )

    def _cost_in_words(self, mass: float) -> str:
        return self._in_words(self(mass), self.lower(mass))

    def _distance_in_words(self, k: float) -> str:
        """RPW, without the warnings of `distance`: nobody asked for it."""
        kappa = k * self.diameter
        return self._in_words(self._crossing(kappa), self.lower._crossing(kappa))

    def _in_words(self, value: float, least: float) -> str:
        if self._is_lower:
            return f"at least {value:.6g}"
        return f"{value:.6g}" if self._lower is None else f"{least:.6g} to {value:.6g}"

    def __repr__(self) -> str:
        below = "" if self._lower is None else f" (at least {self.lower(1.0):.6g})"
        value = f"W at least {self(1.0):.6g}" if self._is_lower else f"W={self(1.0):.6g}{below}"
        return f"Profile(p={self.p:g}, {len(self)} breakpoints, {value} at mass 1)"


def _lesser(one: float | Array, other: float | Array) -> float | Array:
    least = np.minimum(one, other)
    return float(least) if least.ndim == 0 else least


def _as_alpha(value: Any) -> float:
    return as_mass(value, "alpha")
