"""The front door: user input in, a Result, a Profile or a number out. Nothing is computed here."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace

from numpy.typing import ArrayLike

from rpw.base import check
from rpw.base.advice import UNKNOWN, about_diameter
from rpw.base.deadline import deadline_after
from rpw.base.progress import ProgressOfOne, Tell, progress_line
from rpw.base.shared_docs import documented
from rpw.base.warn import warn_caller
from rpw.measure import PointsLike
from rpw.pair import solvers
from rpw.pair.metrics import Metric
from rpw.pair.problem import Problem, as_problem
from rpw.pair.profile import Profile
from rpw.pair.question import Question, as_question
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


@documented
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
    """Compute the (p,k)-RPW distance with its bounds, its plan and what the plan leaves behind.

    RPW is the smallest share ε of the mass such that moving the rest costs at most k·Δ·ε.

    Parameters
    ----------
    %(points)s
    %(weights)s
    %(cost)s
    %(p)s
    %(k)s
    %(metric)s
    %(diameter)s
    %(tol)s
    time_limit : float, optional
        Seconds, including the time to compute the distances. If the time is over, the result holds the bounds proven so
        far, and its status is ``"time_limit"``.
    %(solver)s
    %(progress_of_one)s

    Returns
    -------
    Result
        The distance, its bounds, the plan, and the points left behind.

    Raises
    ------
    MemoryError
        If the distances do not fit into memory.

    Warns
    -----
    %(warns_of_pair)s

    See Also
    --------
    rpw.distance : The distance alone, as a number.
    rpw.profile : The distance for every k, from one solve.
    rpw.solve_pairs : The same for many pairs.
    rpw.stats.two_sample_test : Whether the distance is larger than chance would make it.

    Examples
    --------
    Four heights were measured twice, in centimetres. The last one was typed in millimetres the second time.

    >>> import rpw
    >>> first = [168.0, 171.0, 174.0, 180.0]
    >>> second = [168.2, 171.2, 174.2, 1802.0]
    >>> result = rpw.solve(first, second, diameter=10)
    >>> round(result.distance, 3)
    0.25
    >>> result.outliers_b
    array([False, False, False,  True])
    >>> result.status
    'exact'
    """
    deadline = deadline_after(time_limit)
    question = as_question(p=p, k=k, diameter=diameter, tol=tol, solver=solver)
    problem = as_problem(x, y, a, b, cost=cost, metric=metric)
    _warn_of_pair(diameter, k, problem, question)
    with _telling(progress) as tell:
        return solvers.solve(problem, question, deadline, tell)


@documented
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
    """Compute the (p,k)-RPW distance as a number.

    RPW is the smallest share ε of the mass such that moving the rest costs at most k·Δ·ε.

    Parameters
    ----------
    %(points)s
    %(weights)s
    %(cost)s
    %(p)s
    %(k)s
    %(metric)s
    %(diameter)s
    %(tol)s
    %(time_limit)s
    %(solver)s
    %(progress_of_one)s

    Returns
    -------
    float
        RPW, from 0 to 1.

    Raises
    ------
    %(raises_for_number)s

    Warns
    -----
    %(warns_of_pair)s

    See Also
    --------
    rpw.solve : The distance with its bounds, its plan and the points left behind.
    rpw.pairwise : All distances between two collections.

    Examples
    --------
    A quarter of the mass lies far away. It adds at most a quarter to the distance, however far away it is:

    >>> import rpw
    >>> x, y = [0.0, 0.1, 0.2, 0.3], [0.0, 0.1, 0.2, 1000.0]
    >>> round(rpw.distance(x, y, diameter=1), 6)
    0.25
    >>> round(rpw.wasserstein(x, y), 2)
    499.85
    """
    deadline = deadline_after(time_limit)
    question = as_question(p=p, k=k, diameter=diameter, tol=tol, solver=solver)
    problem = as_problem(x, y, a, b, cost=cost, metric=metric)
    _warn_of_pair(diameter, k, problem, question)
    with _telling(progress) as tell:
        return solvers.value(problem, question, deadline, tell)


@documented
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
    """Say which solver `rpw.solve` would run on these arguments, and why.

    Parameters
    ----------
    %(points)s
    %(weights)s
    %(cost)s
    %(p)s
    %(k)s
    %(metric)s
    %(diameter)s
    %(tol)s
    time_limit : float, optional
        Seconds, as in `rpw.solve`. The limit has no effect on the choice.
    solver : {"auto", "exact", "walk", "simplex", "points", "lmr", "bisection"}, default "auto"
        The algorithm you would ask for; the notes explain the names.

    Returns
    -------
    name : str
        The name of the solver.
    reason : str
        Why it is chosen.

    Raises
    ------
    ValueError, MemoryError
        For everything that `rpw.solve` would refuse.

    Notes
    -----
    The first line that applies names the solver:

    ==============================================  ===================
    if                                              the solver is
    ==============================================  ===================
    k = 0                                           ``total_variation``
    ``solver="lmr"`` or ``"bisection"``             the one you named
    ``solver="walk"`` or ``"simplex"``, p finite    the one you named
    ``solver="points"``                             ``points``
    the points lie on a line                        ``line``
    there are too many points for a matrix          ``points``
    p = inf                                         ``infinity``
    in all other cases                              ``exact``
    ==============================================  ===================

    What they do:

    - ``total_variation`` sums over equal points, or solves one maximum flow.
    - ``lmr`` and ``bisection`` are the paper's algorithms, to within ``tol``.
    - ``walk`` follows the exact OT-profile from breakpoint to breakpoint. ``simplex`` jumps along it.
    - ``exact`` walks, and jumps if the walk would be long. With ``tol`` it stops as soon as its bounds are close.
    - ``line`` builds plans in the order of the points, without a matrix.
    - ``points`` uses k-d trees instead of a matrix: a walk, or a simplex that starts from cells of points. With ``tol``
      or ``time_limit`` it tries bounds from cells first. With p = inf it solves maximum flows.
    - ``infinity`` solves maximum flows over pairs, shortest pairs first.

    ``Result.solver`` names the algorithm that gave the answer, and ``Result.route`` lists every attempt. They can
    differ from the choice. ``exact`` ends as ``walk``, or as ``simplex`` if it jumped; between thousands of points,
    ``points`` is tried first. If rounding leaves a doubt for ``line``, or powers exceed the range of float64 for
    ``points``, an exact solver takes over. ``lmr`` hands over to ``exact`` if its unit would fall below 2**-60 of the
    largest cost in use.

    Examples
    --------
    >>> import rpw
    >>> rpw.choose_solver([0.0, 1.0], [0.5, 2.0], diameter=1)[0]
    'line'
    >>> rpw.choose_solver([[0.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [2.0, 2.0]], diameter=3)[0]
    'exact'
    """
    deadline_after(time_limit)
    question = as_question(p=p, k=k, diameter=diameter, tol=tol, solver=solver)
    problem = as_problem(x, y, a, b, cost=cost, metric=metric)
    return solvers.choose(problem, question)


@documented
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
    """Compute the OT-profile: the cost of moving a share α of the mass, for every α.

    The profile also has RPW for every k, from one solve.

    Parameters
    ----------
    %(points)s
    %(weights)s
    %(cost)s
    %(p)s
    %(metric)s
    %(diameter)s
    solver : {"auto", "exact", "walk", "points", "lmr"}, default "auto"
        The algorithm; `rpw.choose_solver` explains the names. ``"lmr"`` needs ``tol`` > 0. The choice has no effect if
        p = inf.
    tol : float, default 0.0
        How far apart the two curves around the profile may be, in units of W; 0 means one exact profile.
    %(time_limit)s
    max_breakpoints : int, default 1000000
        The most breakpoints that an exact profile may have. Their number can grow exponentially with the number of
        points.
    %(progress_of_one)s

    Returns
    -------
    Profile
        The exact profile. With ``tol`` > 0, a curve above it; `rpw.Profile.lower` is a curve below it.

    Raises
    ------
    ValueError
        If the exact profile has more than ``max_breakpoints`` breakpoints.
    TimeLimitError
        If ``time_limit`` passes first. Nothing of the curve is kept.
    MemoryError
        If the distances do not fit into memory.

    See Also
    --------
    rpw.solve : RPW at one k, with its plan.

    Notes
    -----
    For a profile, ``progress`` reports the share of the mass up to which the curve is known, and bounds on W_p, its
    last value. With ``tol``, a part is known once the two curves are close enough. Without ``tol``, the upper
    bound is infinite until the end.

    Examples
    --------
    Half of the mass need not move at all. Moving everything costs 2, because the other half
    travels 4, from 5 to 1:

    >>> import rpw
    >>> profile = rpw.profile([0.0, 5.0], [0.0, 1.0], p=1, diameter=1)
    >>> profile.mass
    array([0. , 0.5, 1. ])
    >>> profile(0.5), profile(1.0)
    (0.0, 2.0)
    >>> profile.distance([1, 2]).round(3)  # RPW for k = 1 and k = 2
    array([0.4  , 0.333])
    """
    deadline = deadline_after(time_limit)
    question = as_question(p=p, diameter=diameter, tol=tol, solver=solver)
    limit = check.as_whole(max_breakpoints, "max_breakpoints", 2)
    problem = as_problem(x, y, a, b, cost=cost, metric=metric)
    with _telling(progress, "W") as tell:
        curve = solvers.profile(problem, question, limit, deadline, tell)
    extent = problem.extent if diameter is None else UNKNOWN
    return replace(curve, _extent=extent)  # the curve has no Δ: the warning comes with a k


@documented
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
    """Compute the p-Wasserstein distance W_p.

    Parameters
    ----------
    %(points)s
    %(weights)s
    %(cost)s
    %(p)s
    %(metric)s
    %(time_limit)s
    %(exact_solver)s
    %(progress_of_one)s

    Returns
    -------
    float
        W_p, in the units of the points.

    Raises
    ------
    %(raises_for_number)s

    See Also
    --------
    rpw.transport : W_p with its plan.
    rpw.partial_wasserstein : The cost of moving only a part of the mass.

    Examples
    --------
    >>> import rpw
    >>> rpw.wasserstein([0.0, 1.0], [1.0, 2.0], p=1)
    1.0
    """
    deadline, question = deadline_after(time_limit), as_question("wasserstein", p=p, solver=solver)
    with _telling(progress) as tell:
        return solvers.value(as_problem(x, y, a, b, cost=cost, metric=metric), question, deadline, tell)


@documented
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
    """Compute the partial Wasserstein distance: the least cost of moving a given share of the mass.

    Parameters
    ----------
    %(points)s
    %(weights)s
    %(mass)s
    %(cost)s
    %(p)s
    %(metric)s
    %(time_limit)s
    %(exact_solver)s
    %(progress_of_one)s

    Returns
    -------
    float
        The cost W_{p,mass}, in the units of the points.

    Raises
    ------
    %(raises_for_number)s

    See Also
    --------
    rpw.transport : The same with its plan.
    rpw.profile : The cost of every share, from one solve.

    Examples
    --------
    Half of the mass is in place already. The other half is 8 away:

    >>> import rpw
    >>> x, y = [0.0, 9.0], [0.0, 1.0]
    >>> [rpw.partial_wasserstein(x, y, mass=mass, p=1) for mass in (0.5, 0.75, 1.0)]
    [0.0, 2.0, 4.0]
    """
    deadline, question = deadline_after(time_limit), as_question("partial_wasserstein", p=p, mass=mass, solver=solver)
    with _telling(progress) as tell:
        return solvers.value(as_problem(x, y, a, b, cost=cost, metric=metric), question, deadline, tell)


@documented
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
    """Compute the plan behind W_p, partial W_p or λ-ROBOT, with its potentials and bounds.

    Parameters
    ----------
    %(points)s
    %(weights)s
    mass : float, default 1.0
        The share of the mass to move, from 0 to 1; 1 gives W_p.
    %(p)s
    %(cost)s
    %(metric)s
    lam : float, optional
        λ > 0, for λ-ROBOT. The plan holds only pairs closer than 2λ. The rest stays unmatched, and costs as much as
        mass that moves by 2λ. Not together with ``mass``.
    time_limit : float, optional
        Seconds. If the time is over, the result holds the bounds proven so far and a complete plan: mass not yet
        matched goes to any free place (for λ-ROBOT, it stays unmatched).
    %(exact_solver)s
    %(progress_of_one)s

    Returns
    -------
    Result
        Its ``distance``, ``lower``, ``upper`` and ``cost`` are W_{p,mass} (or λ-ROBOT), in the units of the points. Its
        ``mass`` is the mass that moves. ``multiplier`` and ``potentials`` are None if p = inf.

    Raises
    ------
    MemoryError
        If the distances do not fit into memory.

    See Also
    --------
    rpw.wasserstein : W_p as a number.
    rpw.solve : The plan of RPW, which finds by itself how much to move.

    Examples
    --------
    Each point of x moves to a point of y. The last point has the longest way:

    >>> import rpw
    >>> x, y = [0.0, 1.0, 9.0], [0.0, 2.0, 3.0]
    >>> result = rpw.transport(x, y, p=1)
    >>> round(result.distance, 6)
    2.333333
    >>> result.plan.toarray().round(3).diagonal()
    array([0.333, 0.333, 0.333])

    If only two thirds of the mass have to move, the last point stays:

    >>> rpw.transport(x, y, p=1, mass=2 / 3).unmatched_a.round(3)
    array([0.   , 0.   , 0.333])
    """
    deadline = deadline_after(time_limit)
    question = _question_of_transport(p, check.as_mass(mass), lam, solver)
    with _telling(progress) as tell:
        return solvers.solve(as_problem(x, y, a, b, cost=cost, metric=metric), question, deadline, tell)


def _question_of_transport(p: float, mass: float, lam: float | None, solver: str) -> Question:
    if lam is not None:
        if mass != 1:
            raise ValueError(
                f"mass={mass:g} and lam exclude each other: λ-ROBOT chooses by itself how much moves; "
                "leave one of them out"
            )
        return as_question("robot", p=p, lam=lam, solver=solver)
    if mass == 1:
        return as_question("wasserstein", p=p, solver=solver)
    return as_question("partial_wasserstein", p=p, mass=mass, solver=solver)


@documented
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
    """Compute the total variation distance: the share of the mass that the two measures do not have in common.

    It equals RPW with k = 0, for every p.

    Parameters
    ----------
    %(points)s
    %(weights)s
    %(cost)s
    %(metric)s
    %(time_limit)s
    %(progress_of_one)s

    Returns
    -------
    float
        From 0 (equal measures) to 1 (no point in common).

    Raises
    ------
    %(raises_for_number)s

    Examples
    --------
    One of two points is shared:

    >>> import rpw
    >>> rpw.total_variation([0.0, 1.0], [1.0, 2.0])
    0.5
    """
    deadline, question = deadline_after(time_limit), as_question("total_variation")
    with _telling(progress) as tell:
        return solvers.value(as_problem(x, y, a, b, cost=cost, metric=metric), question, deadline, tell)


@documented
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
    """Compute the Lévy–Prokhorov distance.

    It is the smallest ε for which no move needs to be longer than ε after a share ε of the mass is left out. It equals
    RPW with p = inf and k·Δ = 1, so it has no ``diameter``: lengths count as they are.

    Parameters
    ----------
    %(points)s
    %(weights)s
    %(cost)s
    %(metric)s
    %(time_limit)s
    %(progress_of_one)s

    Returns
    -------
    float
        From 0 to 1.

    Raises
    ------
    %(raises_for_number)s

    Examples
    --------
    A shift by 0.25 is a distance of 0.25. If a tenth of the mass lies far away, the distance is 0.1:

    >>> import rpw
    >>> rpw.levy_prokhorov([0.0], [0.25])
    0.25
    >>> round(rpw.levy_prokhorov([0.0], [0.0, 9.0], b=[0.9, 0.1]), 6)
    0.1
    """
    deadline, question = deadline_after(time_limit), as_question("levy_prokhorov")
    with _telling(progress) as tell:
        return solvers.value(as_problem(x, y, a, b, cost=cost, metric=metric), question, deadline, tell)


@documented
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
    """Compute λ-ROBOT: W_p after cutting off distances at 2λ.

    Parameters
    ----------
    %(points)s
    %(weights)s
    lam : float
        λ > 0: distances above 2λ count as 2λ.
    %(cost)s
    %(p)s
    %(metric)s
    %(time_limit)s
    %(exact_solver)s
    %(progress_of_one)s

    Returns
    -------
    float
        The cost, at most 2λ.

    Raises
    ------
    %(raises_for_number)s

    See Also
    --------
    rpw.transport : The same with its plan, by ``lam=``.

    Examples
    --------
    Half of the mass stays in place. The other half is 8 away, which counts as 2λ = 1:

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


def _warn_of_pair(diameter: float | None, k: float, problem: Problem, question: Question) -> None:
    """Warn where Δ was left out, matters and hardly fits, and where one column makes up nearly all of the distances."""
    if diameter is None and question.depends_on_diameter:
        warn_caller(about_diameter(problem.extent, *([k] if k is _K else [])))
    if not question.is_of_shared_mass:
        warn_caller(problem.about_units())
