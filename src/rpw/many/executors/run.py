"""One run: the tiles that are missing, on threads or on a cluster, into memory or into a store."""

from __future__ import annotations

from typing import Any

from rpw.base.check import Array
from rpw.base.deadline import Deadline, TimeLimitError
from rpw.base.progress import Progress, progress_bar
from rpw.many.backends.protocol import Backend
from rpw.many.errors import Failures, error_of
from rpw.many.executors.cluster import check_client, compute_on_cluster, size_of
from rpw.many.executors.in_memory import MemoryTarget
from rpw.many.executors.threads import compute_on_threads
from rpw.many.store.tile_store import TileStore, open_store
from rpw.many.tiles import Tile

__all__ = ["run_tiles"]


def run_tiles(
    backend: Backend,
    *,
    out: Any,
    client: Any,
    n_threads: int,
    progress: Progress,
    retries_failed: bool,
    deadline: Deadline,
) -> Any:
    """Compute the tiles that are missing; the matrix is the Zarr array of ``out``, opened, or an array in memory."""
    failures, kept = Failures(), list[int]()
    with _target(backend, out, client, retries_failed) as target:
        tiling, todo = target.tiling, target.missing(retries_failed)
        total = tiling.count_pairs(tiling.tiles)
        before = total - tiling.count_pairs(todo)

        def keep(tile: Tile, values: Array, failed: Failures) -> None:
            target.write(tile, tiling.block(tile, values), is_whole=not failed, is_final=not retries_failed)
            failures.extend(failed)
            kept.append(len(values))

        with progress_bar(total, progress, initial=before) as report:
            try:
                if client is None:
                    compute_on_threads(backend, tiling, todo, n_threads, keep, report, deadline)
                else:
                    compute_on_cluster(backend, tiling, todo, client, keep, report, deadline)
            except TimeLimitError as error:  # what is not in a store is lost, but was computed
                done = report.done if out is None else before + sum(kept)
                raise TimeLimitError(done=done, total=total) from error
        matrix = target.result()
    if failures and retries_failed:
        raise error_of(sorted(failures), matrix, ", and on_error='nan' returns these")
    return matrix


def _target(backend: Backend, out: Any, client: Any, retries_failed: bool) -> MemoryTarget | TileStore:
    """Where the tiles go."""
    if client is not None:
        check_client(client)
    if out is not None:
        return open_store(out, backend.batch, 1 if client is None else size_of(client), retries_failed)
    if client is not None:
        return MemoryTarget.in_tiles(backend.batch, size_of(client))
    return MemoryTarget.as_a_whole(backend.batch)
