"""Data enters: the public function. What is minimised is in `objective`, and how in `weights` and `points`."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from rpw.base import check
from rpw.base.arrays import settled_device
from rpw.base.deadline import deadline_after
from rpw.base.frozen import read_only
from rpw.base.progress import Progress, progress_bar
from rpw.base.shared_docs import documented
from rpw.base.threads import as_n_threads
from rpw.means import reading
from rpw.means.budget import Descent
from rpw.means.evaluation import Inputs
from rpw.means.objective import Objective
from rpw.means.result import Barycenter
from rpw.means.search import Search
from rpw.measure import CollectionLike, Measure
from rpw.pair.metrics import Metric

__all__ = ["barycenter"]

_OBJECTIVES = ("rpw_p", "rpw")
_TOL_PROVEN, _TOL_LOCAL = 1e-3, 1e-5
_STARTS = 3


@documented
def barycenter(
    measures: CollectionLike,
    weights: ArrayLike | None = None,
    *,
    n_points: int | None = None,
    support: ArrayLike | None = None,
    p: float = 2,
    k: float = 1,
    diameter: float | Literal["auto"] | None = None,
    metric: Metric = "euclidean",
    objective: Literal["rpw_p", "rpw"] = "rpw_p",
    trim: float = 0.0,
    free_weights: bool = False,
    n_starts: int | None = None,
    seed: int = 0,
    tol: float | None = None,
    max_iter: int = 300,
    n_threads: int | None = None,
    progress: Progress = False,
    device: str = "cpu",
    time_limit: float | None = None,
) -> Barycenter:
    """Compute a robust mean of measures: the measure with the smallest Σ w·RPW^p to all of them.

    Pass ``n_points`` to let points move, or ``support`` to keep points in place and let their weights move.

    Parameters
    ----------
    measures : collection of measures
        A list of `rpw.Measure` objects or of arrays (n_i, d), or an array (B, n, d). With ``support``, also histograms
        (B, n).
    weights : array-like of shape (B,), optional
        How much each measure counts; divided by their sum. All count the same by default.
    n_points : int, optional
        Free support: this many points of equal weight move. The search is local.
    support : array-like of shape (m, d), optional
        Fixed support: these points stay, and their weights move. The optimum has a proven gap.
    p : float, default 2
        Exponent of the Wasserstein cost, at least 1 and finite.
    k : float, default 1
        How much leaving mass behind costs, above 0.
    %(diameter_of_many)s
    metric : str or callable, default "euclidean"
        Distance between points, as in `rpw.solve`. Free points need ``"euclidean"``.
    objective : {"rpw_p", "rpw"}, default "rpw_p"
        ``"rpw_p"`` minimises Σ w·RPW^p, ``"rpw"`` minimises Σ w·RPW. With ``"rpw"``, far measures have less influence,
        and the search is local if p > 1.
    trim : float, default 0.0
        The share of the weights to ignore, from 0 to below 1: the measures farthest from the barycenter do not count.
        The search is then local.
    free_weights : bool, default False
        Whether the weights of free points move too.
    n_starts : int, optional
        Free support: the number of starts, of which the best is kept; 3 by default.
    seed : int, default 0
        Seed of the starts.
    tol : float, optional
        When to stop, as a fraction of the objective. On a fixed support with a proven bound, the search stops at this
        gap (default 1e-3). In all other cases it stops when a step gains less than this (default 1e-5).
    max_iter : int, default 300
        The largest number of steps, for each start.
    %(n_threads)s
    %(progress steps)s
    %(device)s
    time_limit : float, optional
        Seconds. If the time is over, the best measure so far comes back, with ``status == "time_limit"``.

    Returns
    -------
    Barycenter
        The mean, its objective, and what each measure leaves out of it.

    Warns
    -----
    %(warns_of_many)s

    See Also
    --------
    rpw.Barycenter : What comes back.

    Examples
    --------
    The mean of two point masses lies between them:

    >>> import rpw
    >>> found = rpw.barycenter([[[0.0]], [[1.0]]], n_points=1, diameter=1)
    >>> found.measure.points.round(3), found.distances.round(3)
    (array([[0.5]]), array([0.39, 0.39]))

    On a fixed support, with a proven gap:

    >>> histograms, support = [[1, 0, 0], [0, 0, 1]], [0.0, 0.5, 1.0]
    >>> found = rpw.barycenter(histograms, support=support, tol=1e-6, diameter=1)
    >>> found.measure.weights.round(2), found.gap <= 1e-6 * found.objective
    (array([0.31, 0.38, 0.31]), True)
    """
    deadline = deadline_after(time_limit)
    check.check_progress(progress)
    reading.check_kind(n_points, support, n_starts, free_weights, metric)
    device = settled_device(check.as_device(device), measures=measures, support=support)
    places = None if support is None else check.as_points(support, "support")
    given, names = reading.as_given(measures, support, places, metric)
    shares = check.as_weights(weights, "weights", len(given), each="measure")
    p, k = reading.as_finite_p(p), reading.as_positive_k(k)
    sought = Objective(check.as_choice(objective, "objective", _OBJECTIVES), shares, p, reading.as_trim(trim))
    usual = _TOL_PROVEN if places is not None and sought.is_convex else _TOL_LOCAL
    share, most = usual if tol is None else check.as_tol(tol), check.as_whole(max_iter, "max_iter", 1)
    starts = _STARTS if n_starts is None else check.as_whole(n_starts, "n_starts", 1)
    rng, threads = np.random.default_rng(check.as_whole(seed, "seed", 0)), as_n_threads(n_threads)
    moves = check.as_flag(free_weights, "free_weights")
    count = 0 if n_points is None else check.as_whole(n_points, "n_points", 1)
    delta = reading.as_space(diameter, given, places, metric, p, k)
    lighter = [reading.lightened(measure) for measure in given]
    inputs = Inputs(lighter, shares, p, k, delta, metric, threads, device)
    with progress_bar(most * (starts if places is None else 1), progress, unit="step") as report:
        search = Search(inputs, sought, share, most, deadline, lambda: report(report.done + 1))
        if places is not None:
            return _as_result(search.on_support(places), sought, given, names)
        return _as_result(search.of_points(count, starts, rng, free_weights=moves), sought, given, names)


def _as_result(ends: list[Descent], objective: Objective, given: list[Measure], names: tuple[str, ...]) -> Barycenter:
    """The best end, which is the first, in the user's words."""
    best, inputs = ends[0], ends[0].at.inputs
    is_cut_off = any(end.status == "time_limit" for end in ends)  # a better start may not have had its turn
    return Barycenter(
        measure=best.at.measure,
        objective=best.value,
        lower=best.lower,
        status="time_limit" if is_cut_off else best.status,
        history=read_only(np.array(best.history)),
        start_objectives=read_only(np.array([end.value for end in ends])),
        counted=read_only(objective.counted(best.at.distances).copy()),
        results=best.at.results,
        p=inputs.p,
        k=inputs.k,
        diameter=inputs.diameter,
        _given=given,
        _names=names,
    )
