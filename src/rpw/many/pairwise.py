"""Matrices of distances between the measures of two collections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from rpw.base import check
from rpw.base.arrays import home_of, settled_device
from rpw.base.check import Array
from rpw.base.columns import Columns
from rpw.base.deadline import NEVER, Deadline, deadline_after
from rpw.base.progress import Progress
from rpw.base.threads import as_n_threads
from rpw.base.types import PathLike, StoredMatrix
from rpw.many.backends.choice import backend_for
from rpw.many.batch import PairBatch
from rpw.many.collection import as_collection, check_same_dimension, points_given
from rpw.many.executors.run import run_tiles
from rpw.many.support import as_shared_ground
from rpw.measure import CollectionLike
from rpw.pair.atoms import Atoms
from rpw.pair.ground import Ground
from rpw.pair.metrics import Metric, as_metric
from rpw.pair.question import as_question, as_question_of_several, check_distance
from rpw.pair.reach import near_for, warn_of_nearness, warn_of_reach

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["pairwise"]


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
    """The matrix of distances between all measures of ``A`` and all of ``B``.

    Parameters
    ----------
    A, B : collections
        Lists of `rpw.Measure` or of (n_i, d) arrays, an array (B, n, d), or histograms (B, n) on one shared ``support``
        (n, d) or one shared matrix ``cost`` (n, n) of ground distances. Without ``B``: ``A`` against itself; then each
        pair is computed once, as distance(A[i], A[j]) with i < j, and mirrored (unless ``cost`` is not symmetric).
    distance : {"rpw", "wasserstein", "partial_wasserstein", "total_variation", "levy_prokhorov", "robot"}
        With ``p``, ``k``, and ``mass`` or ``lam`` where it needs one, as in the function of that name. What it does not
        listen to (``k`` of W_p, say) is refused.
    k : float or list of floats
        For a list (any order, 0 too) there is a matrix for each k, and each pair is solved once, which costs little
        more than the dearest of them alone.
    diameter : float or "auto", optional
        One Δ for the whole collection; ``"auto"`` is that of `rpw.diameter` over A and B together, which also says
        whether it is exact (a store has it as ``attrs["diameter"]``). Left out, it is 1, with a warning where the
        points (or costs) reach over more than 2, or where 20 different points or more all lie within 0.05 (for a
        ``k`` below 1: within 0.05 * k).
    n_threads : int, optional
        Default: all cores of this process. Not beside ``client``.
    progress : bool or callable
        Show a progress bar (needs ``rpw[cluster]`` for tqdm), or call this function with (pairs done, all pairs) as
        they are computed.
    on_error : {"raise", "nan"}
        What to do when a pair fails: finish the others and raise `PairwiseError`, or leave NaN in its place.
    out : path, optional
        Write finished tiles to this Zarr store as they come; the same call again computes only what is missing, and
        another call is refused. Tiles carry digests: a damaged one is computed again. Links in the store are refused,
        and so are names of files of another format, such as ``D.csv``: the store is a folder.
        A callable ``metric`` is known by its code, its defaults, what it encloses or carries as an object, and some
        distances that it gives; that a global variable or a file which it reads has changed is noticed only if one of
        those distances changes with it.
    client : dask.distributed.Client, optional
        Compute the tiles on this cluster instead of on threads; its scheduler and its workers need rpw too.
    device : str
        ``"cpu"``, or ``"cuda"`` (``"cuda:1"``, ...) for an NVIDIA GPU, whose numbers agree with those of the CPU to
        about 1e-12; a store knows which of the two computes it. Points in arrays of torch, CuPy or JAX that lie on that
        GPU stay there (``"cuda"`` alone is the GPU they lie on). Not there: p = inf, p > 10, metrics that are callables
        or SciPy's (unless on a ``support``), and total variation with ``cost``. The CUDA source is compiled on first
        use, by the NVRTC that torch, CuPy or ``rpw[gpu]`` brings. With ``client``, its workers need the GPUs. Without a
        GPU: `rpw.NoGpuError`.
    time_limit : float, optional
        Seconds for the whole run; then `rpw.TimeLimitError` says how many pairs were finished (with ``out``, whole
        tiles, which are kept: the same call again goes on).

    Returns
    -------
    array (len A, len B), the same numbers as a loop over the single functions, called for each pair that is computed;
    with ``out``, the Zarr array, which verifies what is read from it. For a list of k, array (len k, len A, len B), in
    memory or in Zarr (then its ``attrs["k"]`` is the list): each matrix is within 1e-12 of the one for that k alone.
    Computed by the GPU on which the arrays of ``A`` lie, and without ``out`` and ``client``, it is an array of their
    library there; otherwise of NumPy.

    >>> import rpw
    >>> rpw.pairwise([[[0.0]], [[1.0]], [[3.0]]], p=1, diameter=1).round(3).tolist()
    [[0.0, 0.5, 0.75], [0.5, 0.0, 0.667], [0.75, 0.667, 0.0]]
    """
    deadline = deadline_after(time_limit)
    check.as_choice(on_error, "on_error", ("raise", "nan"))
    check.check_progress(progress)
    if client is not None and n_threads is not None:
        raise ValueError("n_threads has no effect beside client=: the threads of its workers compute, so leave it out")
    device = settled_device(check.as_device(device), A=A, B=B, support=support, cost=cost)
    ground = as_shared_ground(support, cost, as_metric(metric))
    a = as_collection(A, "A", ground, device=device)
    b = a if B is None else as_collection(B, "B", ground, device=device)
    check_same_dimension(a, b)
    Columns(of_places=ground.size is not None).shared_with(A=A, B=B, cost=cost)
    check_distance(distance, p=p, k=k, diameter=diameter, mass=mass, lam=lam)
    delta = as_diameter(diameter, ground, [a, b], (A, B), deadline)
    asked = as_question_of_several if check.has_entries(k) else as_question
    batch = PairBatch(a, b, ground, asked(distance, p=p, k=k, diameter=delta, mass=mass, lam=lam))
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
    return check.as_positive(ground.diameter(clouds, deadline), "diameter='auto'")


def warn_of_batch(batch: PairBatch) -> None:
    """Warn where Δ was left out, matters, and hardly fits."""
    if batch.question.depends_on_diameter:
        warn_of_reach(batch.ground.reach(batch.a.where, batch.b.where))
        warn_if_near(batch)


def warn_if_near(batch: PairBatch) -> None:
    """Warn where Δ was left out, and is far larger than all distances."""
    question = batch.question
    length = near_for(*question.several_k or (question.k,))
    if batch.ground.is_near(batch.a.where, batch.b.where, length):
        warn_of_nearness()
