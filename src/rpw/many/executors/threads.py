"""Tiles on the threads of this process.

There is one pool of threads, that of the backend. It gets the pairs of many tiles as one list and fills one array, so
no thread waits for the end of a tile. The thread that calls it is told of progress about every 50 ms, and looks then
which tiles are whole: values are NaN until they are known.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import takewhile

import numpy as np

from rpw.base.check import Array
from rpw.base.deadline import Deadline
from rpw.many.backends.protocol import Backend
from rpw.many.errors import Failures
from rpw.many.tiles import Tile, Tiling

Keep = Callable[[Tile, Array, Failures], None]  # told of each finished tile: its values, and the pairs that failed


def compute_on_threads(
    backend: Backend,
    tiling: Tiling,
    tiles: list[Tile],
    n_threads: int,
    keep: Keep,
    report: Callable[[int], object],
    deadline: Deadline,
) -> None:
    """Compute the tiles, and keep each as soon as it is finished; one in which pairs fail, at the end of its call."""
    if not tiles:
        return
    backend.check_fits(n_threads, tiling.is_symmetric)
    done = tiling.count_pairs(tiling.tiles) - tiling.count_pairs(tiles)
    at_once = backend.pairs_at_once // math.prod(backend.batch.stack)  # of a stack, every k counts as a pair does
    for together in _calls(tiling, tiles, at_once):
        _compute_together(backend, tiling, together, n_threads, keep, _after(done, report), deadline)
        done += tiling.count_pairs(together)


def _compute_together(
    backend: Backend,
    tiling: Tiling,
    tiles: list[Tile],
    n_threads: int,
    keep: Keep,
    report: Callable[[int], object],
    deadline: Deadline,
) -> None:
    """The same in one call of the backend."""
    first, second = (np.concatenate(side) for side in zip(*map(tiling.pairs, tiles), strict=True))
    values, waiting = backend.batch.no_values(len(first)), _spans(tiling, tiles)

    def note(done: int) -> None:
        # Pairs are taken in order, so no tile is whole that ends later than this.
        begun = list(takewhile(lambda item: item[1].stop <= done + n_threads, waiting.items()))
        for tile, span in begun:
            if not np.isnan(values[span].min(initial=0.0)):
                keep(tile, values[span], [])
                del waiting[tile]
        report(done)

    _, failures = backend.values(first, second, n_threads, note, deadline, into=values)
    failed = defaultdict[Tile, Failures](list)
    for i, j, reason in failures:
        failed[tiling.tile_of(i, j)].append((i, j, reason))
    for tile, span in waiting.items():
        keep(tile, values[span], failed[tile])


def _after(before: int, report: Callable[[int], object]) -> Callable[[int], object]:
    """Reports pairs after those that were done before."""
    return lambda done: report(before + done)


def _calls(tiling: Tiling, tiles: list[Tile], pairs_at_once: int) -> Iterator[list[Tile]]:
    """The tiles of one call after the other: as few as have so many pairs together."""
    together, pairs = list[Tile](), 0
    for tile in tiles:
        together.append(tile)
        pairs += tiling.count_pairs([tile])
        if pairs >= pairs_at_once:
            yield together
            together, pairs = [], 0
    if together:
        yield together


def _spans(tiling: Tiling, tiles: list[Tile]) -> dict[Tile, slice]:
    """Which pairs of a call are those of each tile."""
    ends = np.cumsum([tiling.count_pairs([tile]) for tile in tiles]).tolist()
    return {tile: slice(start, end) for tile, start, end in zip(tiles, [0, *ends], ends, strict=False)}
