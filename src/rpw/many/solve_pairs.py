"""Results, with plans, for aligned lists of measures."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from rpw.base import check
from rpw.base.arrays import settled_device
from rpw.base.columns import Columns, names_of_coordinates
from rpw.base.deadline import Deadline, deadline_after
from rpw.base.progress import Progress, progress_bar
from rpw.base.threads import as_n_threads
from rpw.many.backends.choice import backend_for
from rpw.many.backends.protocol import Backend
from rpw.many.batch import PairBatch
from rpw.many.collection import as_measures, check_same_dimension
from rpw.many.errors import PairwiseError
from rpw.many.pairwise import as_diameter, warn_of_batch
from rpw.many.support import as_shared_ground
from rpw.measure import CollectionLike
from rpw.pair import solvers
from rpw.pair.atoms import atoms_of_one, joined
from rpw.pair.metrics import Metric, as_metric
from rpw.pair.problem import Problem
from rpw.pair.question import as_question, check_distance
from rpw.pair.result import Result

__all__ = ["solve_pairs"]


def solve_pairs(
    A: CollectionLike,
    B: CollectionLike,
    *,
    distance: str = "rpw",
    p: float = 2,
    k: float = 1,
    mass: float | None = None,
    lam: float | None = None,
    metric: Metric = "euclidean",
    diameter: float | Literal["auto"] | None = None,
    support: ArrayLike | None = None,
    cost: ArrayLike | None = None,
    n_threads: int | None = None,
    progress: Progress = False,
    device: str = "cpu",
    time_limit: float | None = None,
) -> list[Result]:
    """Results with plans for the pairs (A[0], B[0]), (A[1], B[1]), …, on all threads or on a GPU.

    The same results as `rpw.solve` (for other distances, `rpw.transport`) gives for each pair; on the CPU to the bit.

    Parameters
    ----------
    A, B : collections of the same length, as in `rpw.pairwise`
    distance, p, k, mass, lam, metric, diameter, support, cost, n_threads, progress : as in `rpw.pairwise`
    device : str
        ``"cpu"``, or ``"cuda"`` (``"cuda:1"``, ...), for what `rpw.pairwise` computes there. Distances and bounds agree
        with those of the CPU to about 1e-12; where several plans are equally cheap, it may be another one of them.
    time_limit : float, optional
        Seconds for all pairs. Those that are not finished come back with what was proven, and
        ``status == "time_limit"``. On the CPU, half of the time is kept for the pairs that wait, in equal parts: a
        hard pair may be stopped before the end, so that those after it have their turn.

    Raises
    ------
    PairwiseError
        After all pairs were tried, if some failed: ``failures`` names them, ``distances`` holds the other Results, and
        None in place of those.

    >>> import rpw
    >>> results = rpw.solve_pairs([[[0.0]], [[1.0]]], [[[0.5]], [[2.0], [1.0]]], p=1, diameter=1)
    >>> [round(result.distance, 6) for result in results], results[1].unmatched_b.round(6).tolist()
    ([0.333333, 0.25], [0.25, 0.0])
    """
    deadline = deadline_after(time_limit)
    check.check_progress(progress)
    device = settled_device(check.as_device(device), A=A, B=B, support=support, cost=cost)
    # A copy: what the caller does to the arrays later changes nothing that a Result gives.
    ground = as_shared_ground(support, cost, as_metric(metric)).copy()
    first, second = as_measures(A, "A", ground), as_measures(B, "B", ground)
    if len(first) != len(second):
        raise ValueError(f"A and B must have the same length, got {len(first)} and {len(second)} measures")
    of_a, of_b = (joined([atoms_of_one(*measure) for measure in side]) for side in (first, second))
    check_same_dimension(of_a, of_b)
    columns = Columns(of_places=ground.size is not None).shared_with(A=A, B=B, cost=cost)
    names = columns.best if support is None else names_of_coordinates(support)
    check_distance(distance, p=p, k=k, diameter=diameter, mass=mass, lam=lam)
    delta = as_diameter(diameter, ground, [of_a, of_b], (A, B))
    question = as_question(distance, p=p, k=k, diameter=delta, mass=mass, lam=lam)
    problems = [Problem(a, b, x, y, ground, names) for (a, x), (b, y) in zip(first, second, strict=True)]
    batch = PairBatch(of_a, of_b, ground, replace(question, need="plan"))
    if diameter is None:
        warn_of_batch(batch)
    backend, threads = backend_for(batch, device), as_n_threads(n_threads)
    backend.check_ready()
    return _solve(problems, backend, threads, progress, deadline)


def _solve(
    problems: list[Problem], backend: Backend, n_threads: int, progress: Progress, deadline: Deadline
) -> list[Result]:
    """The answers of the backend as Results."""
    batch, pairs = backend.batch, np.arange(len(problems))
    backend.check_fits(n_threads, is_halved=False)
    with progress_bar(len(pairs), progress) as report:
        outcomes, failures = backend.outcomes(pairs, pairs, n_threads, report, deadline)
    failed = {s for s, _, _ in failures}
    results = {
        s: solvers.as_result(problem, batch.question, outcome, deadline)
        for s, (problem, outcome) in enumerate(zip(problems, outcomes, strict=True))
        if s not in failed
    }
    if failures:
        raise PairwiseError.of(sorted(failures), [results.get(s) for s in range(len(problems))])
    return list(results.values())
