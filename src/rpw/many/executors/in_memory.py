"""The matrix in memory, as a place where tiles go."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rpw.base.check import Array
from rpw.base.memory import check_matrix_fits
from rpw.many.batch import PairBatch
from rpw.many.tiles import Tile, Tiling, tiling_of

_BYTES_PER_VALUE, _BYTES_PER_INDEX = 8, 8


def _bytes_per_entry(batch: PairBatch) -> int:
    """Of a stack: of all its matrices."""
    return _BYTES_PER_VALUE * math.prod(batch.stack)


class MemoryTarget:
    """Collects tiles in an array. Nothing is ever finished before."""

    def __init__(self, tiling: Tiling, bytes_per_entry: int) -> None:
        self.tiling = tiling
        check_matrix_fits(*tiling.shape, bytes_per_entry)
        self._matrix: Array | None = None

    @classmethod
    def in_tiles(cls, batch: PairBatch, lanes: int) -> MemoryTarget:
        """For tiles that come from elsewhere."""
        return cls(tiling_of(batch, lanes), _bytes_per_entry(batch))

    @classmethod
    def as_a_whole(cls, batch: PairBatch) -> MemoryTarget:
        """In one tile: the threads of this process share out its pairs among themselves."""
        shape = len(batch.a), len(batch.b)
        # Of each pair the entry, two indices and the value (of a stack: at each k) exist at the same time.
        of_entry = _bytes_per_entry(batch)
        of_pair = 2 * _BYTES_PER_INDEX + of_entry
        return cls(Tiling(shape, shape, batch.is_symmetric), of_entry + of_pair // (1 + batch.is_symmetric))

    def __enter__(self) -> MemoryTarget:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def missing(self, retries_failed: bool) -> list[Tile]:
        """The tiles that have to be computed: all."""
        return self.tiling.tiles

    def write(self, tile: Tile, block: Array, *, is_whole: bool, is_final: bool) -> None:
        """Put a tile, and its mirror image, into place."""
        if block.shape[-2:] == self.tiling.shape:
            self._matrix = block
            return
        if self._matrix is None:
            self._matrix = np.full((*block.shape[:-2], *self.tiling.shape), np.nan)
        rows, columns = (slice(span.start, span.stop) for span in self.tiling.spans(tile))
        self._matrix[..., rows, columns] = block
        if self.tiling.is_symmetric:
            self._matrix[..., columns, rows] = block.swapaxes(-1, -2)

    def result(self) -> Any:
        """The matrix; for several k a stack of them, k first."""
        return None if self._matrix is None else np.ascontiguousarray(self._matrix)
