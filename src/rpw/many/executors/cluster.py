"""Tiles on the workers of a Dask cluster."""

from __future__ import annotations

import logging
import math
import re
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

from rpw.base.check import Array
from rpw.base.deadline import Deadline, TimeLimitError, deadline_after
from rpw.base.extras import import_extra
from rpw.many.backends.protocol import Backend
from rpw.many.errors import Failures
from rpw.many.executors.threads import Keep
from rpw.many.tiles import Tile, Tiling

# Tiles in flight per thread of the cluster: enough that no worker waits, few enough that results do not pile up.
_IN_FLIGHT_PER_LANE = 4
_ATTEMPTS = 5
_LOG = logging.getLogger("rpw")
_CHECKED: set[tuple[str, str]] = set()  # runs, and the workers in this process that have room for them
_CHECKING = threading.Lock()
_NO_RPW = re.compile(r"No module named 'rpw['.]")


def check_client(client: Any) -> None:
    """Raise unless it is a client of dask.distributed that is connected and works synchronously."""
    distributed = import_extra("distributed", "client needs")
    if not isinstance(client, distributed.Client):
        raise ValueError(f"client must be a dask.distributed.Client, got {type(client).__name__}")
    if client.status in ("closing", "closed"):
        raise ValueError("client is closed: pass a connected dask.distributed.Client")
    if client.asynchronous:
        raise ValueError("client must not be asynchronous: pass Client(..., asynchronous=False)")
    with _explains_lost_scheduler(client):
        client.nthreads()


def size_of(client: Any) -> int:
    """The number of tasks that the cluster runs at the same time, as it is now."""
    return max(1, sum(int(threads) for threads in client.nthreads().values()))


def compute_tile(
    backend: Backend, tiling: Tiling, tile: Tile, run: str, seconds: float | None
) -> tuple[Array, Failures]:
    """What a worker does. One thread: a worker runs as many tasks side by side as it has threads."""
    _check_memory_of_worker(backend, tiling.is_symmetric, run)
    return backend.values(*tiling.pairs(tile), 1, deadline=deadline_after(seconds))


def _check_memory_of_worker(backend: Backend, is_halved: bool, run: str) -> None:
    """Raise ``MemoryError`` unless this worker has room: before its first tile of a run for as many pairs as it has
    threads, then for the one that is added to those in memory."""
    worker = import_extra("distributed", "client needs").get_worker()
    most, taken = worker.memory_manager.memory_limit, worker.monitor.get_process_memory()
    with _CHECKING:
        n_threads = 1 if (run, worker.address) in _CHECKED else worker.state.nthreads
        try:
            backend.check_fits(n_threads, is_halved, most - taken if most else math.inf)
        except MemoryError as error:
            advice = (
                "(n_threads is what `dask worker --nthreads` sets, and what is available may be its --memory-limit)"
            )
            raise MemoryError(f"on the worker {worker.address}: {error} {advice}") from error
        _CHECKED.add((run, worker.address))


def compute_on_cluster(
    backend: Backend,
    tiling: Tiling,
    tiles: list[Tile],
    client: Any,
    keep: Keep,
    report: Callable[[int], object],
    deadline: Deadline,
) -> None:
    """Compute the tiles, and keep each as soon as it is finished. What is raised cancels what is outstanding."""
    if not tiles:
        return
    with _explains_lost_scheduler(client), _explains_missing_rpw():
        _compute(_Cluster(backend, tiling, client, deadline), tiling, tiles, keep, report)


def _compute(cluster: _Cluster, tiling: Tiling, tiles: list[Tile], keep: Keep, report: Callable[[int], object]) -> None:
    todo = iter(tiles)
    done = tiling.count_pairs(tiling.tiles) - tiling.count_pairs(tiles)
    try:
        for tile in islice(todo, _IN_FLIGHT_PER_LANE * cluster.lanes):
            cluster.submit(tile)
        for tile, values, failures in cluster.finished():
            for following in islice(todo, 1):
                cluster.submit(following)
            done += len(values)
            keep(tile, values, failures)
            report(done)
    finally:
        cluster.cancel()


def _await_worker(client: Any) -> None:
    """Wait for a first worker; Dask itself would give up after half a minute."""
    if not client.nthreads():
        _LOG.warning("the cluster has no workers: waiting for the first one")
        client.wait_for_workers(1)


@contextmanager
def _explains_lost_scheduler(client: Any) -> Iterator[None]:
    """Say what an error means that comes while the client has no connection, or has not noticed yet."""
    closed = import_extra("distributed.comm", "client needs").CommClosedError
    try:
        yield
    except Exception as error:
        if client.status == "running" and not isinstance(error, closed):
            raise
        address = getattr(client.scheduler, "address", "which is unknown")
        raise ConnectionError(
            f"the scheduler of client=, {address}, does not answer: pass a client= whose cluster is running, or none "
            "(with out=, finished tiles are kept)"
        ) from error


@contextmanager
def _explains_missing_rpw() -> Iterator[None]:
    """Say what an import that failed on the cluster means."""
    try:
        yield
    except Exception as error:
        if any(_NO_RPW.search(str(cause)) for cause in _causes(error)):
            raise RuntimeError(
                "the cluster cannot import rpw: its scheduler and its workers need rpw, in the version of this process"
            ) from error
        raise


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


class _Cluster:
    """The tiles in flight, and the inputs that lie on the workers."""

    def __init__(self, backend: Backend, tiling: Tiling, client: Any, deadline: Deadline) -> None:
        self._backend, self._tiling, self._client, self._deadline = backend, tiling, client, deadline
        self._distributed = import_extra("distributed", "client needs")
        self._running: dict[Any, Tile] = {}
        self._attempts: dict[Tile, int] = {}
        self._run = uuid.uuid4().hex
        self._queue = self._distributed.as_completed(timeout=self._seconds_left)
        self._scatter()

    def _scatter(self) -> None:
        _await_worker(self._client)
        # Without hash=False Dask would digest all inputs only to find a name for them.
        self._inputs = self._client.scatter(self._backend, broadcast=True, hash=False)

    @property
    def lanes(self) -> int:
        """The number of tiles that can run at the same time."""
        return size_of(self._client)

    @property
    def _seconds_left(self) -> float | None:
        """Until the deadline, where there is one. (Workers have clocks of their own, so moments mean nothing there.)"""
        return None if math.isinf(self._deadline.moment) else self._deadline.seconds_left

    def submit(self, tile: Tile) -> None:
        """Put a tile into the queue of the scheduler."""
        self._attempts[tile] = self._attempts.get(tile, 0) + 1
        key = f"rpw-tile-{tile[0]}-{tile[1]}-{uuid.uuid4().hex}"
        asked = (self._inputs, self._tiling, tile, self._run, self._seconds_left)
        future = self._client.submit(compute_tile, *asked, key=key, pure=False)
        self._running[future] = tile
        self._queue.add(future)

    def finished(self) -> Iterator[tuple[Tile, Array, Failures]]:
        """The tiles as they come back. The scheduler itself repeats what a lost worker had; if too much was lost for
        that (the inputs on all workers, or the same tile too often), the inputs are sent again."""
        lost = (self._distributed.CancelledError, self._distributed.KilledWorker)
        while self._running:
            try:
                future = next(self._queue)
            except self._distributed.TimeoutError as error:
                raise TimeLimitError from error
            tile = self._running.pop(future)
            try:
                values, failures = future.result()
            except lost:
                if self._attempts[tile] >= _ATTEMPTS:
                    raise
                if self._inputs.status != "finished":
                    self._scatter()
                self.submit(tile)
                continue
            future.release()
            yield tile, values, failures

    def cancel(self) -> None:
        """Drop what has not come back, and the inputs."""
        if self._running:
            self._client.cancel(list(self._running))
        self._running.clear()
        self._inputs.release()
