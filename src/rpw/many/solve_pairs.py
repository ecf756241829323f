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
from rpw.base.shared_docs import documented
from rpw.base.threads import as_n_threads
from rpw.many.backends.choice import backend_for
from rpw.many.backends.protocol import Backend
from rpw.many.batch import PairBatch
from rpw.many.collection import as_measures, check_same_dimension
from rpw.many.errors import error_of
from rpw.many.pairwise import as_diameter, warn_of_batch
from rpw.many.support import as_shared_ground
from rpw.measure import CollectionLike, is_grid
from rpw.pair import solvers
from rpw.pair.atoms import atoms_of_one, joined
from rpw.pair.metrics import Metric, as_metric
from rpw.pair.problem import Problem
from rpw.pair.question import as_question, check_distance
from rpw.pair.result import Result

__all__ = ["solve_pairs"]


@documented
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
    """Solve A[i] against B[i] for every i, and return a result with a plan for each pair.

    The results are the same as from `rpw.solve`. For ``"wasserstein"``, ``"partial_wasserstein"`` and ``"robot"``, they
    are the same as from `rpw.transport`. On the CPU they agree to the last bit.

    Parameters
    ----------
    %(collections)s
        Both have the same length.
    %(distance_by_name)s
    %(p)s
    %(k)s
    %(mass_of_many)s
    %(lam_of_many)s
    %(metric)s
    %(diameter_of_many)s
    %(support)s
    %(shared_cost)s
    %(n_threads)s
    %(progress pairs)s
    device : str, default "cpu"
        ``"cpu"``, or ``"cuda"`` (``"cuda:1"``, ...) for an NVIDIA GPU. Distances and bounds agree with those of the CPU
        to about 1e-12. If several plans are equally cheap, the GPU may return another one. The notes of `rpw.pairwise`
        say what a GPU can compute.
    time_limit : float, optional
        Seconds for all pairs. Pairs that are not finished come back with the bounds proven so far, and with ``status ==
        "time_limit"``. On the CPU, half of the time is reserved, in equal parts, for pairs that have not begun, so a
        hard pair may be stopped early.

    Returns
    -------
    list of Result
        One result for each pair.

    Raises
    ------
    PairwiseError
        If some pairs fail. All others are finished first. Its ``failures`` names them; its ``distances`` holds the
        other results, and None for the pairs that failed.
    MemoryError
        If the distances of a pair do not fit into memory.
    NoGpuError
        If ``device`` names a GPU that is not there.

    Warns
    -----
    %(warns_of_many)s

    See Also
    --------
    rpw.pairwise : All distances between two collections, without plans.

    Examples
    --------
    The second pair leaves a quarter of the mass behind, on the point at 2:

    >>> import rpw
    >>> A, B = [[[0.0]], [[1.0]]], [[[0.5]], [[2.0], [1.0]]]
    >>> results = rpw.solve_pairs(A, B, p=1, diameter=1)
    >>> [round(result.distance, 3) for result in results]
    [0.333, 0.25]
    >>> results[1].unmatched_b.round(3)
    array([0.25, 0.  ])
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
    is_picture = any(is_grid(item) for side in (A, B) if isinstance(side, (list, tuple)) for item in side)
    problems = [Problem(a, b, x, y, ground, names, is_picture) for (a, x), (b, y) in zip(first, second, strict=True)]
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
        raise error_of(sorted(failures), [results.get(s) for s in range(len(problems))])
    return list(results.values())
