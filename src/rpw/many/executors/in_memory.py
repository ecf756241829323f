"""The matrix in memory, as a place where tiles go."""

from __future__ import annotations

from typing import Any

import numpy as np

from rpw.base.check import Array
from rpw.base.memory import check_matrix_fits
from rpw.many.batch import PairBatch
from rpw.many.tiles import Tile, Tiling, tiling_of

_BYTES_PER_ENTRY, _BYTES_PER_PAIR = 8, 24


class MemoryTarget:
    """Collects tiles in an array. Nothing is ever finished before."""

    def __init__(self, tiling: Tiling, bytes_per_entry: int) -> None:
        self.tiling = tiling
        check_matrix_fits(*tiling.shape, bytes_per_entry)
        self._matrix: Array | None = None

    @classmethod
    def in_tiles(cls, batch: PairBatch, lanes: int) -> MemoryTarget:
        """For tiles that come from elsewhere."""
        return cls(tiling_of(batch, lanes), _BYTES_PER_ENTRY)

    @classmethod
    def as_a_whole(cls, batch: PairBatch) -> MemoryTarget:
        """In one tile: the threads of this process share out its pairs among themselves."""
        shape = len(batch.a), len(batch.b)
        # Of each pair the entry, two indices and the value exist at the same time.
        bytes_per_entry = _BYTES_PER_ENTRY + _BYTES_PER_PAIR // (1 + batch.is_symmetric)
        return cls(Tiling(shape, shape, batch.is_symmetric), bytes_per_entry)

    def __enter__(self) -> MemoryTarget:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def missing(self, retries_failed: bool) -> list[Tile]:
        """The tiles that have to be computed: all."""
        return self.tiling.tiles

    def write(self, tile: Tile, block: Array, *, is_whole: bool, is_final: bool) -> None:
        """Put a tile, and its mirror image, into place."""
        if block.shape == self.tiling.shape:
            self._matrix = block
            return
        if self._matrix is None:
            self._matrix = np.full(self.tiling.shape, np.nan)
        rows, columns = (slice(span.start, span.stop) for span in self.tiling.spans(tile))
        self._matrix[rows, columns] = block
        if self.tiling.is_symmetric:
            self._matrix[columns, rows] = block.T

    def result(self) -> Any:
        """The matrix."""
        return self._matrix
