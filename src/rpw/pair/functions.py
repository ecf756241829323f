"""The front door: user input in, a Result, a Profile or a number out. Nothing is computed here."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace

from numpy.typing import ArrayLike

from rpw.base import check
from rpw.base.deadline import deadline_after
from rpw.base.doubts import of_one_scale
from rpw.base.progress import ProgressOfOne, Tell, progress_line
from rpw.base.warn import warn_caller
from rpw.measure import PointsLike
from rpw.pair import solvers
from rpw.pair.metrics import Metric
from rpw.pair.problem import Problem, as_problem
from rpw.pair.profile import Profile
from rpw.pair.question import Question, as_question
from rpw.pair.reach import NO_REACH, Reach, near_for, warn_of_nearness, warn_of_reach
from rpw.pair.result import Result

__all__ = [
    "choose_solver",
    "distance",
    "levy_prokhorov",
    "partial_wasserstein",
    "profile",
    "robot",
    "solve",
    "total_variation",
    "transport",
    "wasserstein",
]

_SILENCE: AbstractContextManager[None] = nullcontext()  # one for all calls: small solves take microseconds
_K = float("1")  # the default k, by its identity: a k that was passed, also 1, is another object


def solve(
    x: PointsLike | None = None,
    y: PointsLike | None = None,
    a: ArrayLike | None = None,
    b: ArrayLike | None = None,
    *,
    cost: ArrayLike | None = None,
    p: float = 2,
    k: float = _K,
    metric: Metric = "euclidean",
    diameter: float | None = None,
    tol: float = 0.0,
    time_limit: float | None = None,
    solver: str = "auto",
    progress: ProgressOfOne = False,
) -> Result:
    """Solve for the (p,k)-RPW distance and everything that comes with it.

    RPW is the smallest ε such that all but ε of the mass can be moved at a cost W_{p,1-ε} of at most k·Δ·ε.

    Parameters
    ----------
    x, y : array-like (n, d) and (m, d), or (n,) and (m,) on the line, or Measure
        The points. Leave them out if you pass ``cost``.
    a, b : array-like (n,) and (m,), optional
        Non-negative weights, normalised in float64 (default: uniform). Not allowed beside a Measure, which carries its
        own. Weights below 2**-61 of the sum count as zero.
    cost : array-like (n, m), optional
        Ground *distances* (not their p-th powers) instead of points; rows belong to the first measure.
    p : float
        Exponent in [1, inf].
    k : float
        Price of leaving mass behind, >= 0. k = 0 is total variation; as k grows, k·Δ·RPW approaches W_p.
    metric : str or callable
        Ground metric for points, see `rpw.cost.METRICS`. A callable takes two points and is taken on trust.
    diameter : float, optional
        Δ of the *space* (`rpw.diameter` computes one for a whole collection); it sets the unit of length. Left out, it
        is 1, with a warning where the points (or costs) reach over more than 2; and, where ``k`` was left out too,
        where 20 different points or more all lie within 0.05.
    tol : float
        Error allowed in the answer; 0 means exact.
    time_limit : float, optional
        Seconds, building the costs included; after that the best proven interval so far is returned.
    solver : {"auto", "exact", "walk", "simplex", "points", "lmr", "bisection"}
        See `rpw.choose_solver`. The last two need ``tol`` > 0. At k = 0 none of them has anything to do, nor have
        ``"walk"`` and ``"simplex"`` at p = inf; ``Result.solver`` tells what ran.
    progress : bool or callable
        Tell on stderr, after two seconds, how much of the mass has moved, which bounds are proven so far, and how many
        pivots were made: a line that is written over on a terminal, and one every five seconds elsewhere. A function is
        called several times a second with (moved, lower, upper); what it raises ends the solve.

    Returns
    -------
    Result

    Warns, once, if one column makes up nearly all of the distances between points (20 or more on each side, under a
    norm): then the columns are hardly meant to have the units that they have.

    >>> import rpw
    >>> result = rpw.solve([0.0, 0.0, 9.0], [0.0, 0.1, 0.1], p=1, k=1, diameter=1)
    >>> round(result.distance, 6), result.unmatched_a.round(3).tolist()
    (0.30303, [0.0, 0.0, 0.303])
    """
    deadline = deadline_after(time_limit)
    question = as_question(p=p, k=k, diameter=diameter, tol=tol, solver=solver)
    problem = as_problem(x, y, a, b, cost=cost, metric=metric)
    _warn_of_default(diameter, k, problem, question)
    _warn_of_units(problem, question)
    with _telling(progress) as tell:
        return solvers.solve(problem, question, deadline, tell)


def distance(
    x: PointsLike | None = None,
    y: PointsLike | None = None,
    a: ArrayLike | None = None,
    b: ArrayLike | None = None,
    *,
    cost: ArrayLike | None = None,
    p: float = 2,
    k: float = _K,
    metric: Metric = "euclidean",
    diameter: float | None = None,
    tol: float = 0.0,
    time_limit: float | None = None,
    solver: str = "auto",
    progress: ProgressOfOne = False,
) -> float:
    """The (p,k)-RPW distance as a number; parameters as in `rpw.solve`.

    Past ``time_limit`` it raises `rpw.TimeLimitError`, which carries the bounds that were proven by then; so do the
    other functions that return a number.

    >>> import rpw
    >>> round(rpw.distance([0.0], [1.0], p=2, k=1), 6)
    0.618034
    """
    deadline = deadline_after(time_limit)
    question = as_question(p=p, k=k, diameter=diameter, tol=tol, solver=solver)
    problem = as_problem(x, y, a, b, cost=cost, metric=metric)
    _warn_of_default(diameter, k, problem, question)
    _warn_of_units(problem, question)
    with _telling(progress) as tell:
        return solvers.value(problem, question, deadline, tell)


def choose_solver(
    x: PointsLike | None = None,
    y: PointsLike | None = None,
    a: ArrayLike | None = None,
    b: ArrayLike | None = None,
    *,
    cost: ArrayLike | None = None,
    p: float = 2,
    k: float = 1,
    metric: Metric = "euclidean",
    diameter: float | None = None,
    tol: float = 0.0,
    time_limit: float | None = None,
    solver: str = "auto",
) -> tuple[str, str]:
    """What ``solve`` would run on the same arguments, and why, as ``(name, reason)``.

    =============================================== ===================== ============================================
    when                                            solver                what it does
    =============================================== ===================== ============================================
    k = 0                                           ``total_variation``   sums over equal points (or one maximum flow)
    ``solver="lmr"`` or ``"bisection"``             that one              the paper's algorithms, to within ``tol``
    ``solver="walk"`` or ``"simplex"``, finite p    that one              one of the two exact strategies alone
    ``solver="points"``                             ``points``            k-d trees, no matrix: a walk, or a simplex
                                                                          that starts from cells of points (with
                                                                          ``tol`` or ``time_limit`` bounds from cells
                                                                          come first); at p = inf flows
    points on a line                                ``line``              plans in the order of the points, no matrix
    points, too many for a matrix                   ``points``            as above
    p = inf                                         ``infinity``          maximum flows over pairs, shortest first
    else                                            ``exact``             walk along the exact OT-profile, with jumps
                                                                          by a simplex where it would be long; with
                                                                          ``tol`` it stops when the bounds are close
    =============================================== ===================== ============================================

    LMR hands over to ``exact`` where its unit would fall below 2**-60 of the largest cost that can be used;
    ``Result.solver`` tells what ran: of ``exact``, ``walk`` alone or ``simplex`` too, which also answer for ``line``
    where rounding leaves a doubt, and for ``points`` where powers leave float64; or ``points``, which is tried first
    between thousands of points (``Result.route`` tells all). What
    `solve` would refuse is refused here in the same way, also a problem whose costs do not fit into memory
    (``MemoryError``).
    """
    deadline_after(time_limit)
    question = as_question(p=p, k=k, diameter=diameter, tol=tol, solver=solver)
    problem = as_problem(x, y, a, b, cost=cost, metric=metric)
    return solvers.choose(problem, question)


def profile(
    x: PointsLike | None = None,
    y: PointsLike | None = None,
    a: ArrayLike | None = None,
    b: ArrayLike | None = None,
    *,
    cost: ArrayLike | None = None,
    p: float = 2,
    metric: Metric = "euclidean",
    diameter: float | None = None,
    solver: str = "auto",
    tol: float = 0.0,
    time_limit: float | None = None,
    max_breakpoints: int = 1_000_000,
    progress: ProgressOfOne = False,
) -> Profile:
    """The OT-profile: W_{p,α} for every mass α, and RPW for every k, from one solve.

    Parameters as in `rpw.solve`. With ``tol`` = 0 the profile is exact. It can be very long, exponentially so in the
    number of points: beyond ``max_breakpoints`` a ValueError says so. With ``tol`` > 0, a few solves give two curves
    that are proven to enclose the exact profile. The result is the upper one, and `Profile.lower` is the lower one. In
    units of W they are at most ``tol`` apart. ``solver="lmr"`` finds such curves in another way, for finite p. Past
    ``time_limit`` it raises `rpw.TimeLimitError`, and nothing of the curve is kept. ``progress`` is as in `rpw.solve`:
    it tells for how much of the mass the profile is known (with ``tol``, for how much the two curves are close enough),
    and a lower and an upper bound on its end, W_p. Without ``tol`` the upper bound is infinite: nothing is known there
    yet.

    >>> import rpw
    >>> rpw.profile([0.0, 5.0], [0.0, 1.0], p=1).mass.tolist()
    [0.0, 0.5, 1.0]
    """
    deadline = deadline_after(time_limit)
    question = as_question(p=p, diameter=diameter, tol=tol, solver=solver)
    limit = check.as_whole(max_breakpoints, "max_breakpoints", 2)
    problem = as_problem(x, y, a, b, cost=cost, metric=metric)
    with _telling(progress, "W") as tell:
        curve = solvers.profile(problem, question, limit, deadline, tell)
    reach = _reach_beyond(diameter, problem, question)
    return replace(curve, _reach=reach)  # the curve has no Δ: the warning comes with a k


def wasserstein(
    x: PointsLike | None = None,
    y: PointsLike | None = None,
    a: ArrayLike | None = None,
    b: ArrayLike | None = None,
    *,
    cost: ArrayLike | None = None,
    p: float = 2,
    metric: Metric = "euclidean",
    time_limit: float | None = None,
    solver: str = "auto",
    progress: ProgressOfOne = False,
) -> float:
    """The p-Wasserstein distance W_p, for p in [1, inf]; parameters as in `rpw.solve`.

    >>> import rpw
    >>> rpw.wasserstein([0.0, 1.0], [1.0, 2.0], p=1)
    1.0
    """
    deadline, question = deadline_after(time_limit), as_question("wasserstein", p=p, solver=solver)
    with _telling(progress) as tell:
        return solvers.value(as_problem(x, y, a, b, cost=cost, metric=metric), question, deadline, tell)


def partial_wasserstein(
    x: PointsLike | None = None,
    y: PointsLike | None = None,
    a: ArrayLike | None = None,
    b: ArrayLike | None = None,
    *,
    mass: float,
    cost: ArrayLike | None = None,
    p: float = 2,
    metric: Metric = "euclidean",
    time_limit: float | None = None,
    solver: str = "auto",
    progress: ProgressOfOne = False,
) -> float:
    """W_{p, mass}: the least cost of moving a share ``mass`` of the mass, for p in [1, inf].

    >>> import rpw
    >>> rpw.partial_wasserstein([0.0, 9.0], [0.0, 1.0], mass=0.5)
    0.0
    """
    deadline, question = deadline_after(time_limit), as_question("partial_wasserstein", p=p, mass=mass, solver=solver)
    with _telling(progress) as tell:
        return solvers.value(as_problem(x, y, a, b, cost=cost, metric=metric), question, deadline, tell)


def transport(
    x: PointsLike | None = None,
    y: PointsLike | None = None,
    a: ArrayLike | None = None,
    b: ArrayLike | None = None,
    *,
    mass: float = 1.0,
    p: float = 2,
    cost: ArrayLike | None = None,
    metric: Metric = "euclidean",
    lam: float | None = None,
    time_limit: float | None = None,
    solver: str = "auto",
    progress: ProgressOfOne = False,
) -> Result:
    """The plan behind W_p, partial W_p or λ-ROBOT, with its potentials and its proof; parameters as in `rpw.solve`.

    Parameters
    ----------
    mass : float
        The share of the mass to move, in [0, 1].
    lam : float, optional
        λ-ROBOT instead: the plan holds pairs that are shorter than 2λ, the rest stays unmatched and is priced at 2λ.
    time_limit : float, optional
        Seconds; after that the plan so far, with the rest moved to wherever there is room (of λ-ROBOT: left behind),
        and the bounds that are proven.
    solver : {"auto", "exact", "walk", "simplex", "points"}
        As in `rpw.solve`; ``"lmr"`` and ``"bisection"`` answer for RPW alone.

    Returns
    -------
    Result, in which ``.distance``, ``.lower`` and ``.upper`` are W_{p,mass} itself (or λ-ROBOT), ``.cost`` is the same,
    and ``.mass`` is what moves. ``.multiplier`` and ``.potentials`` are None at p = inf.

    >>> import rpw
    >>> result = rpw.transport([0.0, 1.0, 9.0], [0.0, 2.0, 3.0], p=1)
    >>> round(result.distance, 6), result.plan.toarray().round(3).diagonal().tolist()
    (2.333333, [0.333, 0.333, 0.333])
    >>> rpw.transport([0.0, 1.0, 9.0], [0.0, 2.0, 3.0], p=1, mass=2 / 3).unmatched_a.round(3).tolist()
    [0.0, 0.0, 0.333]
    """
    deadline = deadline_after(time_limit)
    question = _question_of_transport(p, check.as_mass(mass), lam, solver)
    with _telling(progress) as tell:
        return solvers.solve(as_problem(x, y, a, b, cost=cost, metric=metric), question, deadline, tell)


def _question_of_transport(p: float, mass: float, lam: float | None, solver: str) -> Question:
    if lam is not None:
        if mass != 1:
            raise ValueError(f"mass={mass:g} beside lam: λ-ROBOT itself decides what moves; leave one of them out")
        return as_question("robot", p=p, lam=lam, solver=solver)
    if mass == 1:
        return as_question("wasserstein", p=p, solver=solver)
    return as_question("partial_wasserstein", p=p, mass=mass, solver=solver)


def total_variation(
    x: PointsLike | None = None,
    y: PointsLike | None = None,
    a: ArrayLike | None = None,
    b: ArrayLike | None = None,
    *,
    cost: ArrayLike | None = None,
    metric: Metric = "euclidean",
    time_limit: float | None = None,
    progress: ProgressOfOne = False,
) -> float:
    """The total variation distance: the mass that is not shared. It is (p,0)-RPW for every p; parameters as in
    `rpw.solve`.

    >>> import rpw
    >>> rpw.total_variation([0.0, 1.0], [1.0, 2.0])
    0.5
    """
    deadline, question = deadline_after(time_limit), as_question("total_variation")
    with _telling(progress) as tell:
        return solvers.value(as_problem(x, y, a, b, cost=cost, metric=metric), question, deadline, tell)


def levy_prokhorov(
    x: PointsLike | None = None,
    y: PointsLike | None = None,
    a: ArrayLike | None = None,
    b: ArrayLike | None = None,
    *,
    cost: ArrayLike | None = None,
    metric: Metric = "euclidean",
    time_limit: float | None = None,
    progress: ProgressOfOne = False,
) -> float:
    """The Lévy–Prokhorov distance, (inf,1)-RPW on the raw distances (there is no diameter); parameters as in
    `rpw.solve`.

    >>> import rpw
    >>> rpw.levy_prokhorov([0.0], [0.25])
    0.25
    """
    deadline, question = deadline_after(time_limit), as_question("levy_prokhorov")
    with _telling(progress) as tell:
        return solvers.value(as_problem(x, y, a, b, cost=cost, metric=metric), question, deadline, tell)


def robot(
    x: PointsLike | None = None,
    y: PointsLike | None = None,
    a: ArrayLike | None = None,
    b: ArrayLike | None = None,
    *,
    lam: float,
    cost: ArrayLike | None = None,
    p: float = 2,
    metric: Metric = "euclidean",
    time_limit: float | None = None,
    solver: str = "auto",
    progress: ProgressOfOne = False,
) -> float:
    """λ-ROBOT: W_p under the truncated ground distance min(c, 2λ), with λ = ``lam``.

    >>> import rpw
    >>> rpw.robot([0.0, 9.0], [0.0, 1.0], lam=0.5, p=1)
    0.5
    """
    deadline, question = deadline_after(time_limit), as_question("robot", p=p, lam=lam, solver=solver)
    with _telling(progress) as tell:
        return solvers.value(as_problem(x, y, a, b, cost=cost, metric=metric), question, deadline, tell)


def _telling(progress: ProgressOfOne, bounded: str = "the answer") -> AbstractContextManager[Tell | None]:
    if progress is False:
        return _SILENCE
    check.check_progress(progress, "(moved, lower, upper)")
    return progress_line(progress, bounded)


def _warn_of_default(diameter: float | None, k: float, problem: Problem, question: Question) -> None:
    """Warn where Δ was left out, matters, and hardly fits."""
    warn_of_reach(_reach_beyond(diameter, problem, question))
    if diameter is None and k is _K and problem.is_near(near_for(k)):
        warn_of_nearness()


def _warn_of_units(problem: Problem, question: Question) -> None:
    """Warn where lengths matter, and one column makes up nearly all of them."""
    column = None if question.is_of_shared_mass else problem.leading_column
    if column is not None:
        warn_caller(of_one_scale(column))


def _reach_beyond(diameter: float | None, problem: Problem, question: Question) -> Reach:
    """How far the atoms reach, where Δ matters and was left out; else 0."""
    return problem.reach if diameter is None and question.depends_on_diameter else NO_REACH
