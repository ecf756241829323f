"""Executors: run a `PairBatch` tile by tile, on threads or on a cluster, into memory or into a store that survives.

    PairBatch → tiles (_tiles) → values, on threads (_threads) or on Dask (_cluster) → matrix in memory or Zarr (_store)

Nothing is computed here: every number comes from `PairBatch.values`, whoever calls it and wherever.
"""

from __future__ import annotations

from contextlib import closing
from typing import Any

from rpw._pairs import PairBatch
from rpw.executors._cluster import check_client, compute_on_cluster, size_of
from rpw.executors._memory import MemoryTarget
from rpw.executors._store import is_complete, open_store, write_names
from rpw.executors._threads import compute_on_threads
from rpw.pairwise import PairwiseError, Progress, progress_bar

__all__ = ["is_complete", "run_tiles", "write_names"]


def run_tiles(batch: PairBatch, *, out: Any, client: Any, n_threads: int, progress: Progress, on_error: str) -> Any:
    """Compute the tiles that are missing; the matrix is the Zarr array of ``out``, opened, or an array in memory."""
    lanes = 1
    if client is not None:
        check_client(client)
        lanes = size_of(client)
    retries_failed = on_error == "raise"
    with MemoryTarget(batch, lanes) if out is None else open_store(out, batch, lanes, retries_failed) as target:
        tiling, todo = target.tiling, target.missing(retries_failed)
        total = tiling.count_pairs(tiling.tiles)
        failures: list[tuple[int, int, str]] = []
        with progress_bar(total, progress, initial=total - tiling.count_pairs(todo)) as report:
            if client is None:
                results = compute_on_threads(batch, tiling, todo, n_threads, report)
            else:
                results = compute_on_cluster(batch, tiling, todo, client, report)
            with closing(results):
                for tile, values, failed in results:
                    target.write(tile, tiling.block(tile, values), is_whole=not failed, is_final=not retries_failed)
                    failures += failed
        matrix = target.result()
    if failures and retries_failed:
        raise PairwiseError.of(sorted(failures), matrix)
    return matrix
