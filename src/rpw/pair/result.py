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
from rpw.pair.displacement import Displacement, displacement_of
from rpw.pair.dual import Dual
from rpw.pair.problem import Problem
from rpw.pair.question import Question

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from scipy.sparse import csr_array

__all__ = ["IS_IT_LARGE", "Plan", "Result"]

Mask = npt.NDArray[np.bool_]

_ROUNDING = 1e-12  # of the mass of a plan: a way for so little could be longer than all others
_LITTLE_MASS = 1e-3  # below, the mass of a plan is known to more digits than 1 - distance has

IS_IT_LARGE = "rpw.stats.two_sample_test(x, y) compares it with two samples of one distribution"
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
    """A distance with its plan and its proof: RPW from `rpw.solve`, W_{p,mass} or λ-ROBOT from `rpw.transport`.

    Attributes
    ----------
    distance : float
        The distance; where the bounds differ, the upper one (the one ``plan`` attains). RPW is a share of the mass,
        what `rpw.transport` gives is a cost, in units of the ground distance.
    lower, upper : float
        Proven bounds, up to the rounding of float64 (docs/theory.md, "Rounding").
    status : str
        ``"exact"``, ``"tolerance"`` (stopped within ``tol``; also where weights near 2**-60 of the sum decide, whose
        rounding keeps the bounds apart, and where the bounds had met when time was up) or ``"time_limit"``.
    solver : str
        The solver that ran (see `rpw.choose_solver`).
    cost : float
        W_{p, mass} of the plan, in units of the ground distance (not its p-th power). From `rpw.transport` it is the
        distance. From `rpw.solve` it is k·Δ·distance at the crossing; less where the crossing lies on a jump (at
        p = inf), or on an edge so steep that the mass which would make up the difference is below 1e-280.
    iterations : int
        Pivots or augmentations.
    route : tuple of (str, str)
        The engines that were asked, in order, and what each said: ``"answered"``, or why it did not (``"too much
        work"``, ``"in doubt"``, ``"not its kind"``, ``"no room"``, ``"unsound"``, ``"cut off"``). docs/core.md says
        what they are. Empty where time was up before any was asked, and where a GPU answered.
    """

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
        """``upper - lower``."""
        return self.upper - self.lower

    @property
    def mass(self) -> float:
        """The mass that the plan moves: of RPW ``1 - distance``, from `rpw.transport` the mass that was asked for.

        It is summed over the plan for λ-ROBOT, which leaves behind what is too far away, and where nearly everything
        stays: 1e-62 is lost in ``1 - distance``.
        """
        if self._question.is_of_cost:
            return self._question.moved if self._question.lam is None else math.fsum(self._plan.mass)
        moved = 1.0 - self.distance
        return moved if moved >= _LITTLE_MASS else math.fsum(self._plan.mass)

    @property
    def multiplier(self) -> float | None:
        """The slope λ of the profile at the crossing; None at p = inf and k = 0, and where ``time_limit`` left none.

        From `rpw.transport`, that of the edge on which ``mass`` lies: at mass 1 the last one, and where two edges meet
        a slope that is not below that of the first.
        """
        if self._dual is None:
            return None
        return float(self._in_power_units(np.float64(self._dual.multiplier)))

    @cached_property
    def potentials(self) -> tuple[Array, Array] | None:
        """``(f, g)`` with f, g <= 0, ``f_i + g_j <= c_ij**p - λ`` and ``F(α) >= λα + a·f + b·g``.

        They prove ``lower``. None at p = inf and k = 0. After a ``time_limit`` None too, where there were none yet, and
        where ``lower`` was proven in another way. Atoms without mass get the largest
        values that keep the inequalities; only where they belong to ``cost=`` or a callable metric, and ``time_limit``
        left no time for them, they get -λ.
        """
        if self._dual is None or self.multiplier is None:  # without a multiplier that is a float64 they say nothing
            return None
        whole = self._dual.on_all_atoms(self._problem, self._question)
        f, g = (read_only(-self._in_power_units(potentials)) for potentials in (whole.u, whole.v))
        return f, g

    @cached_property
    def plan(self) -> csr_array:
        """The plan as a SciPy ``csr_array`` of shape (n, m), which moves ``mass`` in all."""
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
        """The mass of every atom of the first measure that stays behind."""
        row = self._problem.rows[self._plan.row]
        moved = np.bincount(row, self._plan.mass, minlength=self._problem.shape[0])
        return read_only(np.maximum(self._problem.a - moved, 0.0))

    @cached_property
    def unmatched_b(self) -> Array:
        """The mass of every atom of the second measure that nothing is moved to."""
        column = self._problem.columns[self._plan.column]
        moved = np.bincount(column, self._plan.mass, minlength=self._problem.shape[1])
        return read_only(np.maximum(self._problem.b - moved, 0.0))

    @property
    def outliers_a(self) -> Mask:
        """What the plan leaves behind of the first measure: the atoms of which more than half stays.

        If the measures also differ in other ways, ordinary points are among them. `rpw.stats.find_outliers` names
        outliers with a proven error. What is merely > 0 in ``unmatched_a`` may be a rest of 1e-20. Atoms without
        weight are none.
        """
        return self.unmatched_a > 0.5 * self._problem.a

    @property
    def outliers_b(self) -> Mask:
        """The same for the second measure: nothing comes to more than half of their weight."""
        return self.unmatched_b > 0.5 * self._problem.b

    @cached_property
    def displacement(self) -> Displacement:
        """Which column moved: the mean move of the plan along each coordinate, and its share of the cost.

        Moves are in the units of the points, and lead from the first measure to the second. What is left behind does
        not count. RPW leaves the farthest rows behind, so moves are shorter than the shift. Raise ``k``, or use
        ``rpw.transport(x, y).displacement``, to see the full shift. Two equal samples show small moves too: there is no
        chance level here. Raises for results of ``cost=``, which has no coordinates.

        >>> import rpw
        >>> rpw.solve([[0.0, 5.0], [1.0, 5.0]], [[0.2, 5.0], [1.2, 5.0]]).displacement
        Displacement(column 0 +0.2 (100% of the cost), column 1 +0 (0% of the cost))
        """
        row, column = self._problem.rows[self._plan.row], self._problem.columns[self._plan.column]
        return displacement_of(self._problem, self._question.p, row, column, self._plan.mass)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw what moves and what is left behind (needs ``rpw[plot]``).

        Both measures, lines for the plan, and a ring around every outlier, in the colour of its measure (see
        ``outliers_a``). The larger a dot, the more it weighs; the darker a line, the more it carries. Both measures
        leave the same mass behind: where only one has outliers, the other has rings around points that it can best
        spare. Points on the line lie in two rows, the first measure above the second, and of many lines 300 are drawn.
        Points with more than two coordinates are drawn on their first two principal axes. Raises where there are no
        points, only ``cost=``.
        """
        from rpw.plot import plot_result

        given = self._problem
        if given.points is None:
            raise ValueError("plot needs points: this result comes from cost=, which says nothing about where they lie")
        return plot_result(self, *given.points, given.a, given.b, ax, self._in_short())

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
                *([] if self._question.is_of_cost else [("is it large?", IS_IT_LARGE)]),
                ("solver", f"{self.solver}, {self.iterations:,} iterations"),
            ],
        )


def representable_power(scale: float, p: float, what: str) -> float:
    """``scale ** p``, or a ValueError that names p where that is no float64."""
    with np.errstate(over="ignore", under="ignore"):
        power = float(np.float64(scale) ** p)
    if not np.isfinite(power) or power < np.finfo(np.float64).tiny:
        raise ValueError(
            f"{what} cannot be represented: costs of {scale:.3g} to the power p={p:g} are no float64; "
            "rescale the points (or cost) and the diameter by the same factor"
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
            f"{what} cannot be represented: {largest:.3g} times {scale:.3g} to the power p={p:g} is no float64; "
            "rescale the points (or cost) and the diameter by the same factor, or lower p"
        )
    return products
