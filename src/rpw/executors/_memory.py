"""The matrix in memory, as a place where tiles go."""

from __future__ import annotations

from typing import Any

import numpy as np

from rpw._check import Array
from rpw._memory import check_matrix_fits
from rpw._pairs import PairBatch
from rpw.executors._tiles import Tile, tiling_of


class MemoryTarget:
    """Collects tiles in an array. Nothing is ever finished before."""

    def __init__(self, batch: PairBatch, lanes: int) -> None:
        self.tiling = tiling_of(batch, lanes)
        check_matrix_fits(*self.tiling.shape)
        self._matrix = np.full(self.tiling.shape, np.nan)

    def __enter__(self) -> MemoryTarget:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def missing(self, retries_failed: bool) -> list[Tile]:
        """The tiles that have to be computed: all."""
        return self.tiling.tiles

    def write(self, tile: Tile, block: Array, *, is_whole: bool, is_final: bool) -> None:
        """Put a tile, and its mirror image, into place."""
        rows, columns = (slice(span.start, span.stop) for span in self.tiling.spans(tile))
        self._matrix[rows, columns] = block
        if self.tiling.is_symmetric:
            self._matrix[columns, rows] = block.T

    def result(self) -> Any:
        """The matrix."""
        return self._matrix
