"""Matrices of distances between the measures of two collections."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from rpw import _check as check
from rpw._check import Array
from rpw._collection import Collection, Space, as_collection, as_space
from rpw._memory import check_matrix_fits
from rpw._pairs import PairBatch, as_n_threads, as_pair_distance, is_out_of_memory
from rpw._reach import reach_of, warn_of_reach
from rpw._types import CollectionLike, PathLike, StoredMatrix
from rpw.cost import Metric, check_metric, diameter_of_points
from rpw.measure import Measure

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["PairwiseError", "Progress", "pairwise"]

Progress = bool | Callable[[int, int], object]  # whether to show a bar, or a function to call with (done, total)

_BYTES_PER_ENTRY, _BYTES_PER_PAIR = 8, 24


class PairwiseError(RuntimeError):
    """Some pairs failed; ``failures`` lists ``(i, j, reason)`` and ``distances`` holds all the others (NaN there)."""

    def __init__(self, failures: list[tuple[int, int, str]], distances: Any) -> None:
        i, j, reason = failures[0]
        more = f" (and {len(failures) - 1} more)" if len(failures) > 1 else ""
        super().__init__(f"pair ({i}, {j}) failed: {reason}{more}; on_error='nan' keeps the rest of the matrix")
        self.failures = failures
        self.distances = distances

    @classmethod
    def of(cls, failures: list[tuple[int, int, str]], distances: Any) -> PairwiseError:
        """The error for these failures; a ``MemoryError`` too where the first of them is one."""
        kind = _PairwiseMemoryError if is_out_of_memory(failures[0][2]) else PairwiseError
        return kind(failures, distances)

    def __reduce__(self) -> tuple[Any, ...]:  # else pickle would call it with the message alone
        return type(self), (self.failures, self.distances)


class _PairwiseMemoryError(PairwiseError, MemoryError):
    """A `PairwiseError` that whoever waits for a ``MemoryError`` catches as well."""


@overload
def pairwise(
    A: CollectionLike,
    B: CollectionLike | None = None,
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
    on_error: str = "raise",
    out: None = None,
    client: Client | None = None,
    device: str = "cpu",
) -> Array: ...


@overload
def pairwise(
    A: CollectionLike,
    B: CollectionLike | None = None,
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
    on_error: str = "raise",
    out: PathLike,
    client: Client | None = None,
    device: str = "cpu",
) -> StoredMatrix: ...


def pairwise(
    A: CollectionLike,
    B: CollectionLike | None = None,
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
    on_error: str = "raise",
    out: PathLike | None = None,
    client: Client | None = None,
    device: str = "cpu",
) -> Array | StoredMatrix:
    """The matrix of distances between all measures of ``A`` and all of ``B``.

    Parameters
    ----------
    A, B : collections
        Lists of `rpw.Measure` or of (n_i, d) arrays, an array (B, n, d), or histograms (B, n) on one shared ``support``
        (n, d) or one shared matrix ``cost`` (n, n) of ground distances. Without ``B``: ``A`` against itself; then each
        pair is computed once, as distance(A[i], A[j]) with i < j, and mirrored (unless ``cost`` is not symmetric).
    distance : {"rpw", "wasserstein", "partial_wasserstein", "total_variation", "levy_prokhorov", "robot"}
        With ``p``, ``k``, and ``mass`` or ``lam`` where it needs one, as in the function of that name.
    diameter : float or "auto", optional
        One Δ for the whole collection; ``"auto"`` is that of `rpw.diameter` over A and B together. Left out, it is 1,
        with a warning where the points (or costs) reach over more than 2.
    n_threads : int, optional
        Default: all cores of this process.
    progress : bool or callable
        Show a progress bar (needs ``rpw[cluster]`` for tqdm), or call this function with (pairs done, all pairs) as
        they are computed.
    on_error : {"raise", "nan"}
        What to do when a pair fails: finish the others and raise `PairwiseError`, or leave NaN in its place.
    out : path, optional
        Write finished tiles to this Zarr store as they come; the same call again computes only what is missing, and
        another call is refused. Tiles carry digests: a damaged one is computed again. Links in the store are refused.
        A callable ``metric`` is known by its code, its defaults, what it encloses or carries as an object, and some
        distances that it gives; that a global variable or a file which it reads has changed is noticed only if one of
        those distances changes with it.
    client : dask.distributed.Client, optional
        Compute the tiles on this cluster instead of on threads; its scheduler and its workers need rpw too.
    device : {"cpu"}
        Only ``"cpu"`` here.

    Returns
    -------
    array (len A, len B), the same numbers as a loop over the single functions, called for each pair that is computed;
    with ``out``, the Zarr array, which verifies what is read from it.

    >>> import rpw
    >>> rpw.pairwise([[[0.0]], [[1.0]], [[3.0]]], p=1, diameter=1).round(3).tolist()
    [[0.0, 0.5, 0.75], [0.5, 0.0, 0.667], [0.75, 0.667, 0.0]]
    """
    if device != "cpu":
        raise ValueError(f"device must be 'cpu' (there is no other here), got {device!r}")
    if on_error not in ("raise", "nan"):
        raise ValueError(f"on_error must be 'raise' or 'nan', got {on_error!r}")
    space = as_space(support, cost)
    a = as_collection(A, "A", space)
    b = a if B is None else as_collection(B, "B", space)
    check_same_space(a, b)
    delta = as_diameter(diameter, a, b, space, metric, (A, B))
    wanted = as_pair_distance(distance, p=p, k=k, diameter=delta, metric=metric, mass=mass, lam=lam)
    batch = PairBatch(a, b, space, wanted)
    if diameter is None:
        warn_of_batch(batch)
    threads = as_n_threads(n_threads)
    if out is not None or client is not None:
        from rpw.executors import run_tiles

        matrix: Array | StoredMatrix = run_tiles(
            batch, out=out, client=client, n_threads=threads, progress=progress, on_error=on_error
        )
        return matrix
    return _in_memory(batch, threads, progress, on_error)


def _in_memory(batch: PairBatch, n_threads: int, progress: Progress, on_error: str) -> Array:
    is_halved = is_symmetric(batch)
    # Of each pair the entry, two indices and the value exist at the same time.
    check_matrix_fits(len(batch.a), len(batch.b), _BYTES_PER_ENTRY + _BYTES_PER_PAIR // (1 + is_halved))
    batch.check_fits(n_threads, is_halved)
    first, second = pairs_of(batch)
    with progress_bar(len(first), progress) as report:
        values, failures = batch.values(first, second, n_threads, report)
    matrix = np.zeros((len(batch.a), len(batch.b)))
    matrix[first, second] = values
    if is_symmetric(batch):
        matrix[second, first] = values
    if failures and on_error == "raise":
        raise PairwiseError.of(sorted(failures), matrix)
    return matrix


def is_symmetric(batch: PairBatch) -> bool:
    """Whether one half of the matrix says everything."""
    cost = batch.space.cost
    return batch.a is batch.b and (cost is None or (np.array_equal(cost, cost.T) and not cost.diagonal().any()))


def pairs_of(batch: PairBatch) -> tuple[Any, Any]:
    """All pairs that have to be computed: the ones above the diagonal, or all."""
    if is_symmetric(batch):
        return np.triu_indices(len(batch.a), k=1)
    first, second = np.indices((len(batch.a), len(batch.b)))
    return first.ravel(), second.ravel()


def check_same_space(a: Collection, b: Collection) -> None:
    """Raise if points of the two collections have different dimensions."""
    if a.points is not None and b.points is not None and a.points.shape[1] != b.points.shape[1]:
        raise ValueError(f"A and B have points of different dimensions: {a.points.shape[1]} and {b.points.shape[1]}")


def as_diameter(
    value: Any, a: Collection, b: Collection, space: Space, metric: Any, given: tuple[Any, ...] = ()
) -> float:
    """A given diameter, or the one of everything in the two collections, and of the Measures that they were ``given``
    as: atoms without mass are not in a collection, but they are points of the space."""
    if not isinstance(value, str):
        return check.as_diameter(value)
    if value != "auto":
        raise ValueError(f"diameter must be a positive number or 'auto', got {value!r}")
    clouds = [m.points for items in given if isinstance(items, list | tuple) for m in items if isinstance(m, Measure)]
    return check.as_positive(_diameter_of(a, b, space, check_metric(metric), clouds), "diameter='auto'")


def _diameter_of(a: Collection, b: Collection, space: Space, metric: Metric, more: list[Array]) -> float:
    if space.cost is not None:
        return float(space.cost.max())
    clouds = [space.support] if space.support is not None else [a.points, b.points, *more]
    return diameter_of_points([cloud for cloud in clouds if cloud is not None], metric)


def warn_of_batch(batch: PairBatch) -> None:
    """Warn where Δ was left out, matters, and hardly fits."""
    if batch.distance.name == "rpw" and batch.distance.kappa > 0:
        x, y = (batch.space.support if points is None else points for points in (batch.a.points, batch.b.points))
        largest = None if batch.space.cost is None else float(batch.space.cost.max())
        warn_of_reach(reach_of(x, y, largest, batch.distance.metric))


class progress_bar:  # noqa: N801 (reads as a verb: with progress_bar(...) as report)
    """A tqdm bar, or the caller's function, or nothing; gives the function that reports how many are done."""

    def __init__(self, total: int, progress: Progress, unit: str = "pair", initial: int = 0) -> None:
        self._bar: Any = None
        self._tell = progress if callable(progress) else None
        self._total = total
        if self._tell is not None:
            self._tell(initial, total)
        elif progress:
            try:
                from tqdm.auto import tqdm
            except ImportError as error:
                raise ImportError("progress=True needs tqdm: pip install 'rpw[cluster]'") from error

            class Bar(tqdm):  # type: ignore[misc]
                monitor_interval = 0  # else tqdm starts a thread that outlives the call

            self._bar = Bar(total=total, unit=unit, initial=initial)

    def __enter__(self) -> Callable[[int], object] | None:
        return None if self._bar is None and self._tell is None else self._report

    def _report(self, done: int) -> None:
        if self._tell is not None:
            self._tell(done, self._total)
        else:
            self._bar.update(done - self._bar.n)

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()
