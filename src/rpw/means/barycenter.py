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
    """A robust mean of measures: the one with the least Σ w RPW^p to all of them.

    Parameters
    ----------
    measures : collection
        Lists of `rpw.Measure` or of (n_i, d) arrays, or an array (B, n, d). With ``support``, also histograms (B, n).
    weights : array-like (B,), optional
        What each input counts; normalised, equal if omitted.
    n_points : int
        Free support: so many points of equal weight move. The search is local.
    support : array-like (m, d)
        Instead of ``n_points``: the points stay, and their weights move. The optimum comes with a proven gap.
    p, k, diameter : as in `rpw.pairwise`; p must be finite, and k positive
    metric : as in `rpw.pairwise`, on a fixed support; free points move under the Euclidean metric only
    objective : {"rpw_p", "rpw"}
        Σ w RPW^p, or Σ w RPW, on which far inputs have less influence. The second is local at p > 1.
    trim : float
        In [0, 1): inputs of up to this share of the weights do not count, always those farthest away. Local.
    free_weights : bool
        Whether the weights of free points move too.
    n_starts, seed : int
        Free support: the number of starts (3 if omitted), of which the best end is kept, and the seed of what they
        draw.
    tol : float, optional
        On a fixed support with a proven bound, stop at a gap of ``tol`` times the objective (default 1e-3). Elsewhere,
        stop when a step gains less than ``tol`` times the objective (default 1e-5).
    max_iter : int
        The most steps (of each start).
    n_threads, progress, device : as in `rpw.solve_pairs`
        Progress is counted in steps.
    time_limit : float, optional
        Seconds; then the best measure so far comes back, with ``status == "time_limit"``.

    >>> import rpw
    >>> found = rpw.barycenter([[[0.0]], [[1.0]]], n_points=1, diameter=1)
    >>> found.measure.points.round(3).tolist(), found.distances.round(3).tolist()
    ([[0.5]], [0.39, 0.39])
    >>> found = rpw.barycenter([[1, 0, 0], [0, 0, 1]], support=[0.0, 0.5, 1.0], tol=1e-6, diameter=1)
    >>> found.measure.weights.round(2).tolist(), found.gap <= 1e-6 * found.objective
    ([0.31, 0.38, 0.31], True)
    """
    deadline = deadline_after(time_limit)
    check.check_progress(progress)
    reading.check_kind(n_points, support, n_starts, free_weights, metric)
    device = settled_device(check.as_device(device), measures=measures, support=support)
    places = None if support is None else check.as_points(support, "support")
    given = reading.as_given(measures, support, places, metric)
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
            return _as_result(search.on_support(places), sought, given)
        return _as_result(search.of_points(count, starts, rng, free_weights=moves), sought, given)


def _as_result(ends: list[Descent], objective: Objective, given: list[Measure]) -> Barycenter:
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
    )
