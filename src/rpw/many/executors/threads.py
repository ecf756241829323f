"""Tiles on the threads of this process."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice

from rpw.base.check import Array
from rpw.base.deadline import Deadline
from rpw.many.backends.protocol import Backend
from rpw.many.errors import Failures
from rpw.many.tiles import Tile, Tiling

Results = Generator[tuple[Tile, Array, Failures], None, None]

# A tile with fewer pairs per thread than this would leave threads idle at its end: then several tiles run side by side.
_PAIRS_PER_THREAD = 16
_SECONDS_BETWEEN_REPORTS = 0.1


class _StoppedError(Exception):
    """Raised inside a tile that nobody waits for any more."""


def compute_on_threads(
    backend: Backend,
    tiling: Tiling,
    tiles: list[Tile],
    n_threads: int,
    report: Callable[[int], object],
    deadline: Deadline,
) -> Results:
    """The values of each tile, as they are finished. Closing the generator stops the work within about 50 ms."""
    if not tiles:
        return
    backend.check_fits(n_threads, tiling.is_symmetric)
    per_tile, side_by_side = _shares(tiling, tiles, n_threads)
    stop, done, todo = threading.Event(), dict.fromkeys(tiles, 0), iter(tiles)
    already = tiling.count_pairs(tiling.tiles) - tiling.count_pairs(tiles)

    def compute(tile: Tile) -> tuple[Array, Failures]:
        def note(count: int) -> None:  # called by the core every 50 ms; what it raises ends the work
            done[tile] = count
            if stop.is_set():
                raise _StoppedError

        return backend.values(*tiling.pairs(tile), per_tile, note, deadline)

    with ThreadPoolExecutor(side_by_side) as pool:
        # One more than can run, so that no thread waits while a tile is being written.
        running: dict[Future[tuple[Array, Failures]], Tile] = {
            pool.submit(compute, tile): tile for tile in islice(todo, side_by_side + 1)
        }
        try:
            while running:
                finished, _ = wait(running, timeout=_SECONDS_BETWEEN_REPORTS, return_when=FIRST_COMPLETED)
                report(already + sum(done.values()))
                for future in finished:
                    tile = running.pop(future)
                    running.update({pool.submit(compute, following): following for following in islice(todo, 1)})
                    yield tile, *future.result()
        finally:
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)


def _shares(tiling: Tiling, tiles: list[Tile], n_threads: int) -> tuple[int, int]:
    """How many threads work on a tile, and on how many tiles at the same time."""
    most = max(tiling.count_pairs([tile]) for tile in tiles) // _PAIRS_PER_THREAD
    per_tile = n_threads if len(tiles) == 1 else min(n_threads, max(1, most))
    return per_tile, -(-n_threads // per_tile)
