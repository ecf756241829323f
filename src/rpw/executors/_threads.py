"""Tiles on the threads of this process."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice

from rpw._check import Array
from rpw._pairs import Failures, PairBatch
from rpw.executors._tiles import Tile, Tiling

Results = Generator[tuple[Tile, Array, Failures], None, None]

# A tile with fewer pairs per thread than this would leave threads idle at its end: then several tiles run side by side.
_PAIRS_PER_THREAD = 16
_SECONDS_BETWEEN_REPORTS = 0.1


class _StoppedError(Exception):
    """Raised inside a tile that nobody waits for any more."""


def compute_on_threads(
    batch: PairBatch, tiling: Tiling, tiles: list[Tile], n_threads: int, report: Callable[[int], object] | None
) -> Results:
    """The values of each tile, as they are finished. Closing the generator stops the work within about 50 ms."""
    if not tiles:
        return
    batch.check_fits(n_threads, tiling.is_symmetric)
    per_tile = min(n_threads, max(1, max(map(tiling.count_pairs, ([tile] for tile in tiles))) // _PAIRS_PER_THREAD))
    side_by_side = -(-n_threads // per_tile)
    stop, done, todo = threading.Event(), dict.fromkeys(tiles, 0), iter(tiles)
    already = tiling.count_pairs(tiling.tiles) - tiling.count_pairs(tiles)

    def compute(tile: Tile) -> tuple[Array, Failures]:
        def note(count: int) -> None:  # called by the core every 50 ms; what it raises ends the work
            done[tile] = count
            if stop.is_set():
                raise _StoppedError

        return batch.values(*tiling.pairs(tile), per_tile, note)

    with ThreadPoolExecutor(side_by_side) as pool:
        # One more than can run, so that no thread waits while a tile is being written.
        running: dict[Future[tuple[Array, Failures]], Tile] = {
            pool.submit(compute, tile): tile for tile in islice(todo, side_by_side + 1)
        }
        try:
            while running:
                finished, _ = wait(running, timeout=_SECONDS_BETWEEN_REPORTS, return_when=FIRST_COMPLETED)
                for future in finished:
                    tile = running.pop(future)
                    running.update({pool.submit(compute, following): following for following in islice(todo, 1)})
                    yield tile, *future.result()
                if report is not None:
                    report(already + sum(done.values()))
        finally:
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
