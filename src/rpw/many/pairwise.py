"""Matrices of distances between the measures of two collections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from rpw.base import check
from rpw.base.advice import about_diameter
from rpw.base.arrays import home_of, settled_device
from rpw.base.check import Array
from rpw.base.columns import Columns
from rpw.base.deadline import NEVER, Deadline, deadline_after
from rpw.base.progress import Progress
from rpw.base.shared_docs import documented
from rpw.base.spelling import setting
from rpw.base.threads import as_n_threads
from rpw.base.types import PathLike, StoredMatrix
from rpw.base.warn import warn_caller
from rpw.many.backends.choice import backend_for
from rpw.many.batch import PairBatch
from rpw.many.collection import as_collection, check_same_dimension, points_given
from rpw.many.executors.run import run_tiles
from rpw.many.support import as_shared_ground
from rpw.measure import CollectionLike
from rpw.pair.atoms import Atoms
from rpw.pair.ground import Ground
from rpw.pair.metrics import Metric, as_metric
from rpw.pair.question import Question, as_question, as_question_of_several, check_distance

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["pairwise"]

_WITHOUT_SOLVER = ("total_variation", "levy_prokhorov")


@overload
def pairwise(
    A: CollectionLike,
    B: CollectionLike | None = None,
    *,
    distance: str = "rpw",
    p: float = 2,
    k: float | Sequence[float] | Array = 1,
    mass: float | None = None,
    lam: float | None = None,
    metric: Metric = "euclidean",
    diameter: float | Literal["auto"] | None = None,
    tol: float = 0.0,
    solver: str = "auto",
    support: ArrayLike | None = None,
    cost: ArrayLike | None = None,
    n_threads: int | None = None,
    progress: Progress = False,
    on_error: str = "raise",
    out: None = None,
    client: Client | None = None,
    device: str = "cpu",
    time_limit: float | None = None,
) -> Array: ...


@overload
def pairwise(
    A: CollectionLike,
    B: CollectionLike | None = None,
    *,
    distance: str = "rpw",
    p: float = 2,
    k: float | Sequence[float] | Array = 1,
    mass: float | None = None,
    lam: float | None = None,
    metric: Metric = "euclidean",
    diameter: float | Literal["auto"] | None = None,
    tol: float = 0.0,
    solver: str = "auto",
    support: ArrayLike | None = None,
    cost: ArrayLike | None = None,
    n_threads: int | None = None,
    progress: Progress = False,
    on_error: str = "raise",
    out: PathLike,
    client: Client | None = None,
    device: str = "cpu",
    time_limit: float | None = None,
) -> StoredMatrix: ...


@documented
def pairwise(
    A: CollectionLike,
    B: CollectionLike | None = None,
    *,
    distance: str = "rpw",
    p: float = 2,
    k: float | Sequence[float] | Array = 1,
    mass: float | None = None,
    lam: float | None = None,
    metric: Metric = "euclidean",
    diameter: float | Literal["auto"] | None = None,
    tol: float = 0.0,
    solver: str = "auto",
    support: ArrayLike | None = None,
    cost: ArrayLike | None = None,
    n_threads: int | None = None,
    progress: Progress = False,
    on_error: str = "raise",
    out: PathLike | None = None,
    client: Client | None = None,
    device: str = "cpu",
    time_limit: float | None = None,
) -> Array | StoredMatrix:
    """Compute all distances between the measures of two collections.

    Parameters
    ----------
    %(collections)s
        If you leave out ``B``, ``A`` is compared with itself: each pair is computed once, as distance(A[i], A[j]) with
        i < j, and mirrored (unless ``cost`` is not symmetric).
    %(distance_by_name)s
    %(p)s
    k : float or list of float, default 1
        How much leaving mass behind costs, at least 0. For a list, there is one matrix for each k, at about the cost of
        the slowest k alone.
    %(mass_of_many)s
    %(lam_of_many)s
    %(metric)s
    %(diameter_of_many)s
    tol : float, default 0
        Error allowed in each distance, as in `rpw.distance`; 0 means exact. Needs ``distance="rpw"``, a single ``k``
        and the CPU.
    solver : str, default "auto"
        The algorithm, as in the function of that distance. Needs a single ``k`` and the CPU.
    %(support)s
    %(shared_cost)s
    n_threads : int, optional
        Number of threads; by default, all cores that this process may use. Not together with ``client``.
    %(progress pairs)s
    on_error : {"raise", "nan"}, default "raise"
        What to do if a pair fails. ``"raise"`` finishes the other pairs and then raises `rpw.PairwiseError`; ``"nan"``
        leaves NaN in its place.
    out : path, optional
        Folder of a Zarr store. The matrix is computed in tiles, and finished tiles are written there as they come. If
        you call again with the same arguments, only what is missing is computed.
    client : dask.distributed.Client, optional
        Compute on this cluster instead of on threads. Its scheduler and its workers need rpw too.
    device : str, default "cpu"
        ``"cpu"``, or ``"cuda"`` (``"cuda:1"``, ...) for an NVIDIA GPU; see the notes.
    time_limit : float, optional
        Seconds for the whole matrix. If the time is over before the end, `rpw.TimeLimitError` is raised.

    Returns
    -------
    array of shape (len(A), len(B))
        The distances. For a list of k, shape (len(k), len(A), len(B)). With ``out``, a Zarr array that verifies what is
        read from it. If ``A`` lies on the GPU that computes, and there is neither ``out`` nor ``client``, an array of
        the same library on that GPU.

    Raises
    ------
    PairwiseError
        If some pairs fail. All others are finished first. The error carries the other distances.
    TimeLimitError
        If ``time_limit`` passes first. The error says how many pairs were finished; with ``out``, finished tiles are
        kept.
    MemoryError
        If the matrix, or the distances of a pair, do not fit into memory.
    NoGpuError
        If ``device`` names a GPU that is not there.

    Warns
    -----
    %(warns_of_many)s

    See Also
    --------
    rpw.solve_pairs : Results with plans, for pairs (A[0], B[0]), (A[1], B[1]), ...
    rpw.Index : The nearest measures, without computing all distances.

    Notes
    -----
    The numbers are the same as from the function for one pair. For a list of k, each matrix is within 1e-12 of the one
    for that k alone, and a store lists the values of k as ``attrs["k"]``.

    **Stores.** A store is refused if it holds another matrix, if it contains links, or if its name looks like a file of
    another format, such as ``D.csv``. Tiles carry digests, and a damaged tile is computed again. ``attrs["diameter"]``
    is the Δ in use. A callable ``metric`` counts as the same if its code, its defaults, the values it encloses, and
    some of its distances are the same. If the metric reads a global variable or a file, a change there is noticed only
    if one of these distances changes.

    **GPU.** The numbers agree with those of the CPU to about 1e-12; a store records whether CPU or GPU computes it.
    Arrays of torch, CuPy or JAX on that GPU stay there, and ``"cuda"`` then means the GPU they are on. A GPU cannot
    compute p = inf or p > 10. It cannot compute total variation if different points can have distance 0, as with
    ``cost`` or a callable ``metric``. It can compute metrics of SciPy and callables only with ``support``. The CUDA
    source is compiled on first use by NVRTC, which torch, CuPy and ``rpw[gpu]`` bring. With ``client``, the workers
    need the GPUs.

    Examples
    --------
    Three point masses, at 0, 1 and 3:

    >>> import rpw
    >>> clouds = [[[0.0]], [[1.0]], [[3.0]]]
    >>> rpw.pairwise(clouds, p=1, diameter=1).round(3)
    array([[0.   , 0.5  , 0.75 ],
           [0.5  , 0.   , 0.667],
           [0.75 , 0.667, 0.   ]])

    Histograms on shared bins, with W_1:

    >>> histograms, support = [[1, 0, 0], [0, 0, 1], [1, 0, 1]], [0.0, 1.0, 2.0]
    >>> rpw.pairwise(histograms, distance="wasserstein", p=1, support=support)
    array([[0., 2., 1.],
           [2., 0., 1.],
           [1., 1., 0.]])
    """
    deadline = deadline_after(time_limit)
    check.as_choice(on_error, "on_error", ("raise", "nan"))
    check.check_progress(progress)
    if client is not None and n_threads is not None:
        raise ValueError("n_threads has no effect with client=, whose workers have their own threads: leave it out")
    device = settled_device(check.as_device(device), A=A, B=B, support=support, cost=cost)
    ground = as_shared_ground(support, cost, as_metric(metric))
    a = as_collection(A, "A", ground, device=device)
    b = a if B is None else as_collection(B, "B", ground, device=device)
    check_same_dimension(a, b)
    Columns(of_places=ground.size is not None).shared_with(A=A, B=B, cost=cost)
    check_distance(distance, p=p, k=k, diameter=diameter, mass=mass, lam=lam)
    delta = as_diameter(diameter, ground, [a, b], (A, B), deadline)
    question = _as_question(distance, tol, solver, p=p, k=k, diameter=delta, mass=mass, lam=lam)
    _check_has_points(question, ground)
    batch = PairBatch(a, b, ground, question)
    if diameter is None:
        warn_of_batch(batch)
    backend, threads = backend_for(batch, device), as_n_threads(n_threads)
    if client is None:
        backend.check_ready()
    matrix: Any = run_tiles(
        backend,
        out=out,
        client=client,
        n_threads=threads,
        progress=progress,
        retries_failed=on_error == "raise",
        deadline=deadline,
    )
    home = home_of(A) if out is None and client is None and device != "cpu" else None
    found: Array | StoredMatrix = matrix if home is None else home.bring_back(matrix)
    return found


def _as_question(distance: str, tol: Any, solver: Any, *, k: Any, **others: Any) -> Question:
    """One question for all pairs; raises for a ``tol`` or ``solver`` that has no meaning beside the others."""
    if distance != "rpw" and check.as_tol(tol) > 0:
        raise ValueError(f"tol has no effect on distance={distance!r}: leave it out")
    if distance in _WITHOUT_SOLVER and solver != "auto":
        raise ValueError(f"solver has no effect on distance={distance!r}: leave it out")
    if not check.has_entries(k):
        return as_question(distance, k=k, tol=tol, solver=solver, **others)
    if check.as_tol(tol) > 0 or solver != "auto":
        name = "tol" if check.as_tol(tol) > 0 else "solver"
        raise ValueError(
            f"{name} has no effect beside a list of k, because one exact search answers all of them: leave it out"
        )
    return as_question_of_several(distance, k=k, **others)


def _check_has_points(question: Question, ground: Ground) -> None:
    if question.solver == "points" and (ground.size is not None or not ground.has_norm):
        raise ValueError(
            f"{setting('solver', 'points')} needs points without support= or cost=, and one of the metrics "
            f"euclidean, cityblock, chebyshev and minkowski: leave solver out, or pass {setting('solver', 'exact')}"
        )


def as_diameter(
    value: Any, ground: Ground, collections: list[Atoms], given: tuple[Any, ...], deadline: Deadline = NEVER
) -> float:
    """A given diameter, or the one of everything in the collections and in the Measures that they were ``given`` as."""
    if not isinstance(value, str):
        return check.as_diameter(value)
    if value != "auto":
        raise ValueError(f"diameter must be a positive number or 'auto', got {value!r}")
    different = collections[:1] if collections[-1] is collections[0] else collections
    clouds = [np.asarray(atoms.where) for atoms in different] + points_given(*given)
    found = ground.diameter(clouds, deadline)
    if not found:
        raise ValueError("diameter='auto' is 0, because all points are equal: pass a positive number")
    return check.as_positive(found, "diameter='auto'")


def warn_of_batch(batch: PairBatch) -> bool:
    """Warn where Δ was left out, matters, and hardly fits; returns whether it did."""
    question = batch.question
    if not question.depends_on_diameter:
        return False
    extent = batch.ground.extent(batch.a.where, batch.b.where)
    return warn_caller(about_diameter(extent, *question.several_k or (question.k,)))
