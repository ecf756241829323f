"""What a solve returns: facts that the solver found, and what follows from them."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rpw import _core
from rpw.base.check import Array
from rpw.base.frozen import read_only
from rpw.base.made_by_rpw import NO_PARAMETERS
from rpw.base.shared_docs import documented
from rpw.base.types import PathLike
from rpw.pair.displacement import Displacement, displacement_of
from rpw.pair.dual import Dual
from rpw.pair.problem import Problem
from rpw.pair.question import Question

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from scipy.sparse import csr_array

__all__ = ["Plan", "Result"]

Mask = npt.NDArray[np.bool_]

_ROUNDING = 1e-12  # of the mass of a plan: a way for so little could be longer than all others
_LITTLE_MASS = 1e-3  # below, the mass of a plan is known to more digits than 1 - distance has

_ADVICE = {
    "exact": "the two bounds agree up to rounding",
    "tolerance": "stopped as soon as the bounds were within tol, or as close as the rounding of weights lets them be",
    "time_limit": "stopped by time_limit: the interval is proven, but wider than asked for; allow more time",
}


@dataclass(frozen=True, eq=False)
class Plan:
    """A sparse transport plan as parallel arrays over the atoms that carry mass."""

    row: npt.NDArray[np.int32]
    column: npt.NDArray[np.int32]
    mass: Array

    def cost_in(self, problem: Problem, question: Question, price: float = 0.0) -> float:
        """W of the plan, from the distances of its pairs; what it does not move may have a price too, a length."""
        lengths = problem.pairs(problem.rows[self.row], problem.columns[self.column])
        lengths, masses, p = np.minimum(lengths, question.truncation), self.mass, question.p
        if price > 0:
            lengths, masses = np.append(lengths, price), np.append(masses, max(0.0, 1.0 - math.fsum(masses)))
        longest = float(lengths.max(initial=0.0))
        if longest == 0 or np.isinf(p):
            return longest
        # The p-th roots of the summands, before any power is taken: a tiny mass on a long way may be all that counts.
        roots = masses ** (1 / p) * (lengths / longest)
        largest = float(roots.max())
        if largest == 0:
            return 0.0
        return longest * (largest * _core.root(float(((roots / largest) ** p).sum()), p))

    def trimmed(self, mass: float) -> Plan:
        """The same plan with its last entries cut so that it moves ``mass`` in all."""
        excess = float(self.mass.sum()) - mass
        if excess <= 0:
            return self
        after = np.cumsum(self.mass[::-1])[::-1]  # mass of an entry and of all that follow
        kept = np.clip(after - excess, 0, self.mass)
        keep = kept > 0
        return Plan(self.row[keep], self.column[keep], kept[keep])

    def shorter_than(self, length: float, problem: Problem) -> Plan:
        """The part over pairs that are shorter."""
        keep = problem.pairs(problem.rows[self.row], problem.columns[self.column]) < length
        return Plan(self.row[keep], self.column[keep], self.mass[keep])

    def completed(self, mass: float, problem: Problem) -> Plan:
        """A plan that moves ``mass`` in all: what is missing goes to where there is room, in the order of the atoms."""
        missing = mass - math.fsum(self.mass)
        if missing <= _ROUNDING:
            return self
        sides = ((self.row, problem.a[problem.rows]), (self.column, problem.b[problem.columns]))
        rooms = [np.maximum(w - np.bincount(i, self.mass, minlength=len(w)), 0.0) for i, w in sides]
        until = [np.cumsum(room) for room in rooms]
        ends = np.sort(np.concatenate([*until, [missing]]), kind="stable")  # fast, since each part is sorted
        ends = ends[(ends > 0) & (ends <= missing)]
        added = np.diff(ends, prepend=0.0)
        ends, added = ends[added > 0], added[added > 0]
        places = [np.searchsorted(ups, ends - added / 2).clip(max=len(ups) - 1) for ups in until]
        row, column = (place.astype(np.int32) for place in places)
        parts = ((self.row, row), (self.column, column), (self.mass, added))
        return Plan(*(np.concatenate(part) for part in parts))


@dataclass(frozen=True, eq=False)
class Result:
    """A distance with its bounds, its plan, and what the plan leaves behind.

    `rpw.solve` and `rpw.transport` return it. RPW is a share of the mass. The distances of `rpw.transport` are costs,
    in the units of the points.

    Attributes
    ----------
    distance : float
        The distance, which ``plan`` attains. If the bounds differ, it is the upper bound, or less where weights below
        2e-9 of the sum leave more open than their plan costs.
    lower, upper : float
        Proven bounds, up to the rounding of float64.
    status : str
        ``"exact"`` if the bounds agree up to rounding. ``"tolerance"`` if they are within ``tol`` of each other, even
        if the time was over. ``"time_limit"`` if the time was over before that. With weights below 2e-9 of
        the sum, rounding may keep the bounds apart; the status is then ``"tolerance"`` too.
    solver : str
        The solver that answered; `rpw.choose_solver` explains the names.
    cost : float
        W_{p,mass} of the plan, in the units of the points (not its p-th power). From `rpw.transport` it is the
        distance. From `rpw.solve` it is k·Δ·distance. It can be less at p = inf, because the profile then has jumps.
        (At finite p this happens only on an edge so steep that a mass below 1e-280 makes the difference.)
    iterations : int
        Number of pivots or augmentations.
    route : tuple of (str, str)
        The engines that were asked, in order, and what each said: ``"answered"``, or why not (``"too much work"``,
        ``"in doubt"``, ``"not its kind"``, ``"no room"``, ``"unsound"``, ``"cut off"``). The page "The core on one
        page" explains them. Empty if a GPU answered, or if the time was over before the start.

    See Also
    --------
    rpw.Profile : The distances for every k.

    Examples
    --------
    A third of the first measure lies far away from the second:

    >>> import rpw
    >>> x, y = [0.0, 0.0, 9.0], [0.0, 0.1, 0.1]
    >>> result = rpw.solve(x, y, p=1, diameter=1)
    >>> result
    Result(distance=0.303030303, exact, mass=0.69697, cost=0.30303)
    >>> result.unmatched_a.round(3)
    array([0.   , 0.   , 0.303])
    >>> result.plan.toarray().round(2)
    array([[0.33, 0.  , 0.  ],
           [0.  , 0.33, 0.  ],
           [0.  , 0.  , 0.03]])
    """

    __signature__ = NO_PARAMETERS

    distance: float
    lower: float
    upper: float
    cost: float
    status: str
    solver: str
    iterations: int
    _problem: Problem
    _question: Question
    _plan: Plan
    _dual: Dual | None = None
    route: tuple[tuple[str, str], ...] = ()

    @property
    def gap(self) -> float:
        """How far apart the bounds are: ``upper - lower``."""
        return self.upper - self.lower

    @property
    def mass(self) -> float:
        """The mass that the plan moves.

        For RPW it is ``1 - distance``; from `rpw.transport` it is the mass you asked for. It is summed over the plan
        for λ-ROBOT, and also for RPW if nearly everything stays, because ``1 - distance`` would round a tiny mass to 0.
        """
        if self._question.is_of_cost:
            return self._question.moved if self._question.lam is None else math.fsum(self._plan.mass)
        moved = 1.0 - self.distance
        return moved if moved >= _LITTLE_MASS else math.fsum(self._plan.mass)

    @property
    def multiplier(self) -> float | None:
        """The slope λ of the p-th power of the OT-profile, at the mass that moves; None if there is none.

        It has the unit of distance**p. There is none if p = inf or k = 0, or if ``time_limit`` passed before one was
        found. From `rpw.transport` it is the slope of the edge on which ``mass`` lies. At mass 1, it is the slope of
        the last edge. At a breakpoint, it is at least the slope of the edge to the left.
        """
        if self._dual is None:
            return None
        return float(self._in_power_units(np.float64(self._dual.multiplier)))

    @cached_property
    def potentials(self) -> tuple[Array, Array] | None:
        """Dual potentials ``(f, g)``, which prove ``lower``; None if there are none.

        They satisfy f, g ≤ 0, ``f_i + g_j <= c_ij**p - λ`` and ``F(α) >= λα + a·f + b·g``, where F is the profile to
        the power p and λ is ``multiplier``. There are none if p = inf or k = 0, or if ``time_limit`` passed before they
        were found, or if ``lower`` was proven in another way. Points without weight get the largest values that keep
        the inequalities. If the time was over, they get -λ under ``cost`` or a callable metric.
        """
        if self._dual is None or self.multiplier is None:  # without a multiplier that is a float64 they say nothing
            return None
        whole = self._dual.on_all_atoms(self._problem, self._question)
        f, g = (read_only(-self._in_power_units(potentials)) for potentials in (whole.u, whole.v))
        return f, g

    @cached_property
    def plan(self) -> csr_array:
        """The transport plan: a SciPy ``csr_array`` of shape (n, m), whose entries sum to ``mass``."""
        from scipy.sparse import csr_array

        entries = self._plan
        row, column = self._problem.rows[entries.row], self._problem.columns[entries.column]
        plan = csr_array((entries.mass, (row, column)), shape=self._problem.shape)
        plan.sum_duplicates()  # what SciPy would do in place later
        for array in (plan.data, plan.indices, plan.indptr):
            read_only(array)
        return plan

    @cached_property
    def unmatched_a(self) -> Array:
        """The mass that each point of the first measure leaves behind, shape (n,)."""
        row = self._problem.rows[self._plan.row]
        moved = np.bincount(row, self._plan.mass, minlength=self._problem.shape[0])
        return read_only(np.maximum(self._problem.a - moved, 0.0))

    @cached_property
    def unmatched_b(self) -> Array:
        """The mass that each point of the second measure still lacks, shape (m,)."""
        column = self._problem.columns[self._plan.column]
        moved = np.bincount(column, self._plan.mass, minlength=self._problem.shape[1])
        return read_only(np.maximum(self._problem.b - moved, 0.0))

    @property
    def outliers_a(self) -> Mask:
        """Which points of the first measure the plan leaves behind: points with more than half of their mass unmatched.

        An array of bool, shape (n,). If the measures also differ in other ways, some of these points are ordinary;
        `rpw.stats.find_outliers` names outliers with a proven error. Use this instead of ``unmatched_a > 0``, which can
        be true because of rounding. Points without weight are never outliers.
        """
        return self.unmatched_a > 0.5 * self._problem.a

    @property
    def outliers_b(self) -> Mask:
        """Which points of the second measure are left behind: points with more than half of their mass unmatched.

        An array of bool, shape (m,); see ``outliers_a``.
        """
        return self.unmatched_b > 0.5 * self._problem.b

    @cached_property
    def displacement(self) -> Displacement:
        """How far the plan moves the mass along each column, as a `rpw.Displacement`.

        Moves lead from the first measure to the second, in the units of the points. Mass left behind does not count.
        RPW leaves the farthest rows behind, so these moves are shorter than the full shift. To see the full shift,
        raise ``k`` or use ``rpw.transport(x, y).displacement``. Two samples of one distribution show small moves too. A
        result of ``cost=`` has no coordinates, and raises a ValueError.

        Examples
        --------
        >>> import rpw
        >>> x, y = [[0.0, 5.0], [1.0, 5.0]], [[0.2, 5.0], [1.2, 5.0]]
        >>> rpw.solve(x, y, diameter=1).displacement
        Displacement(column 0 +0.2 (100% of the cost), column 1 +0 (0% of the cost))
        """
        row, column = self._problem.rows[self._plan.row], self._problem.columns[self._plan.column]
        return displacement_of(self._problem, self._question.p, row, column, self._plan.mass)

    @documented
    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw both measures, the plan, and rings around the points left behind (needs ``rpw[plot]``).

        Larger dots weigh more; darker lines carry more mass. The rings have the colour and the shape of their measure.
        Points on a line are drawn in two rows, the first measure above the second, with at most 300 lines. Points with
        more than two coordinates are drawn on their first two principal axes. Columns of tables give the axes their
        names; the rows of a grey image (`rpw.Measure.from_image`) go downwards.

        Both measures leave the same mass behind. If only one measure has outliers, the rings in the other measure mark
        ordinary points whose removal saves the most cost.

        Parameters
        ----------
        %(ax)s

        Returns
        -------
        %(returns_ax)s

        Raises
        ------
        ValueError
            If the result comes from ``cost=``, which has no points.

        Examples
        --------
        >>> import rpw
        >>> ax = rpw.solve([0.0, 0.1, 9.0], [0.0, 0.1, 0.2], diameter=1).plot()
        >>> ax.get_title()
        '66.8% moves, 33.2% stays'
        """
        from rpw.plot import plot_result

        given = self._problem
        if given.points is None:
            raise ValueError("plot needs points: this result comes from cost=, which has none")
        x, y = given.points
        return plot_result(self, x, y, given.a, given.b, ax, self._in_short(), given.names, given.is_picture)

    def explore(self, path: PathLike) -> None:
        """Write a page on which you move the points, and the distance, its plan and its profile follow.

        The page is one HTML file that opens in any browser, without a server. It begins with these points, weights, p,
        k and diameter. A result of `rpw.transport` has no k. Its page begins with k = 1, and with the largest distance
        between the points as the diameter.

        Parameters
        ----------
        path : str or path-like
            Where the page is written, such as ``"page.html"``. It must end in .html or .htm.

        Raises
        ------
        ValueError
            If the path has another ending, if the points have more than two coordinates, if there are more than 5,000
            on a side, if the metric is none of euclidean, cityblock and chebyshev, or if the result comes from
            ``cost=``, which has no points.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> import rpw
        >>> result = rpw.solve([[0.0, 0.0], [1.0, 0.0]], [[0.1, 0.0], [1.0, 0.9]], p=2, k=1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     result.explore(pathlib.Path(folder) / "page.html")
        """
        from rpw.explore import write_page

        given, asked = self._problem, self._question
        if given.points is None:
            raise ValueError("explore needs points: this result comes from cost=, which has none")
        metric = given.ground.metric
        core = metric.core
        if core is None:
            raise ValueError(
                f"metric must be euclidean, cityblock or chebyshev, which the page computes; got {metric.given!r}"
            )
        diameter = float(given.ground.diameter([given.x, given.y])) if asked.is_of_cost else asked.diameter
        settings: dict[str, Any] = {"p": asked.p, "k": asked.k, "diameter": diameter or 1.0}
        write_page(path, *given.points, given.a, given.b, metric=core.name, columns=given.names, **settings)

    def _in_short(self) -> str:
        """What moves and what that means, in a line."""
        if not self._question.is_of_cost:
            return f"{self.mass:.1%} moves, {self.distance:.1%} stays"
        return f"{self.mass:.1%} moves, {self._question.title} = {self.distance:.4g}"

    def _in_power_units(self, numbers: np.float64 | Array) -> Any:
        scale = 1.0 if self._dual is None else self._dual.scale
        return in_power_units(numbers, scale, self._question.p, "the multiplier and the potentials")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Result):
            return NotImplemented
        facts = ("distance", "lower", "upper", "cost", "status", "solver")
        if any(getattr(self, name) != getattr(other, name) for name in facts):
            return False
        mine, theirs = self._plan, other._plan
        return all(np.array_equal(getattr(mine, n), getattr(theirs, n)) for n in ("row", "column", "mass"))

    def __hash__(self) -> int:
        return hash((self.distance, self.lower, self.upper, self.status))

    def __getstate__(self) -> dict[str, Any]:
        state = {field.name: self.__dict__[field.name] for field in fields(self)}  # what is derived is derived again
        return state | {"_problem": self._problem.without_metric()}

    def __repr__(self) -> str:
        if self.status == "exact":  # the bounds agree up to rounding
            cost = "" if self._question.is_of_cost else f", cost={self.cost:.6g}"
            return f"Result(distance={self.distance:.9g}, exact, mass={self.mass:.6g}{cost})"
        return f"Result(distance={self.distance:.8g}, in [{self.lower:.8g}, {self.upper:.8g}], {self.status})"

    def _how_to_judge(self) -> list[tuple[str, str]]:
        """How to find out whether the number is large; a matrix has no points."""
        problem = self._problem
        if self._question.name != "rpw" or problem.points is None:
            return []
        return [("is it large?", self._question.judged_by(problem.a, problem.b, problem.ground.metric.given))]

    def _repr_html_(self) -> str:
        from rpw.base.html import facts

        n, m = self._problem.shape
        return facts(
            self._question.title,
            [
                ("distance", f"{self.distance:.9g}"),
                ("proven", f"[{self.lower:.9g}, {self.upper:.9g}]: {_ADVICE[self.status]}"),
                ("moved", f"{self.mass:.6g} of the mass at cost {self.cost:.6g}"),
                ("between", f"{n:,} and {m:,} points, {len(self._plan.mass):,} pairs in the plan"),
                ("with", self._question.parameters),
                *self._how_to_judge(),
                ("solver", f"{self.solver}, {self.iterations:,} iterations"),
            ],
        )


def representable_power(scale: float, p: float, what: str) -> float:
    """``scale ** p``, or a ValueError that names p where that is no float64."""
    with np.errstate(over="ignore", under="ignore"):
        power = float(np.float64(scale) ** p)
    if not np.isfinite(power) or power < np.finfo(np.float64).tiny:
        raise ValueError(
            f"{what} cannot be represented: costs of {scale:.3g} to the power p={p:g} are outside the range of "
            "float64; rescale the points (or cost) and the diameter by the same factor"
        )
    return power


def in_power_units(numbers: np.float64 | Array, scale: float, p: float, what: str) -> Any:
    """Numbers in units of ``scale ** p`` as they are, or a ValueError that names p where they are no float64."""
    power = representable_power(scale, p, what)
    with np.errstate(over="ignore"):
        products = numbers * power
    if not np.isfinite(products).all():
        largest = float(np.max(numbers))
        raise ValueError(
            f"{what} cannot be represented: {largest:.3g} times {scale:.3g} to the power p={p:g} is outside the range "
            "of float64; rescale the points (or cost) and the diameter by the same factor, or lower p"
        )
    return products
