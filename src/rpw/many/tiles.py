"""How a matrix is cut into tiles."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rpw.base.check import Array
from rpw.many.batch import PairBatch

_Ints = npt.NDArray[np.int64]
Tile = tuple[int, int]  # row and column in the grid of tiles

_FEWEST_TILES = 16
_TILES_PER_LANE = 4
_SECONDS_PER_TILE = 10.0
# What a pair of measures with n and m atoms takes at most, as a rule: a + b n m. Pessimistic, so that tiles are rather
# too small than too large.
_SECONDS_PER_PAIR = 1e-4
_SECONDS_PER_ENTRY = 1e-7
_SECONDS_PER_CALL = 1e-5  # per entry, where the metric is a Python function


@dataclass(frozen=True)
class Tiling:
    """A matrix cut into tiles; of a symmetric one only those on and above the diagonal are computed."""

    shape: tuple[int, int]
    tile: tuple[int, int]
    is_symmetric: bool

    @property
    def grid(self) -> tuple[int, int]:
        """The number of rows and columns of tiles."""
        return -(-self.shape[0] // self.tile[0]), -(-self.shape[1] // self.tile[1])

    @property
    def count(self) -> int:
        """The number of tiles to compute."""
        rows, columns = self.grid
        return rows * (rows + 1) // 2 if self.is_symmetric else rows * columns

    @property
    def tiles(self) -> list[Tile]:
        """The tiles to compute."""
        rows, columns = self.grid
        return [(i, j) for i in range(rows) for j in range(i if self.is_symmetric else 0, columns)]

    def spans(self, tile: Tile) -> tuple[range, range]:
        """The rows and columns of the matrix that the tile covers."""
        (r, c), (n, m) = self.tile, self.shape
        return range(tile[0] * r, min(n, (tile[0] + 1) * r)), range(tile[1] * c, min(m, (tile[1] + 1) * c))

    def tile_of(self, row: int, column: int) -> Tile:
        """The tile that covers an entry."""
        return row // self.tile[0], column // self.tile[1]

    def is_halved(self, tile: Tile) -> bool:
        """Whether the tile lies on the diagonal of a symmetric matrix."""
        return self.is_symmetric and tile[0] == tile[1]

    def pairs(self, tile: Tile) -> tuple[_Ints, _Ints]:
        """The pairs of measures to compute for a tile."""
        rows, columns = self.spans(tile)
        if self.is_halved(tile):
            first, second = np.triu_indices(len(rows), k=1)
        else:
            first, second = (index.ravel() for index in np.indices((len(rows), len(columns))))
        return first + rows.start, second + columns.start

    def count_pairs(self, tiles: Iterable[Tile]) -> int:
        """The number of pairs in some tiles."""
        return sum(self._pairs_in(tile) for tile in tiles)

    def _pairs_in(self, tile: Tile) -> int:
        rows, columns = self.spans(tile)
        return len(rows) * (len(rows) - 1) // 2 if self.is_halved(tile) else len(rows) * len(columns)

    def block(self, tile: Tile, values: Array) -> Array:
        """The entries of the tile, from the values of its pairs; from a row of them for each, a stack: k first."""
        rows, columns = self.spans(tile)
        by_k = values.T  # one k: the same
        if not self.is_halved(tile):
            return by_k.reshape(*by_k.shape[:-1], len(rows), len(columns))
        block = np.zeros((*by_k.shape[:-1], len(rows), len(rows)))
        i, j = np.triu_indices(len(rows), k=1)
        block[..., i, j] = by_k
        block[..., j, i] = by_k
        return block


def tiling_of(batch: PairBatch, lanes: int) -> Tiling:
    """Tiles for a run on so many workers: at least sixteen, each of about ten seconds of work at most."""
    n, m = len(batch.a), len(batch.b)
    most = max(1, int(_SECONDS_PER_TILE / _mean_seconds(batch)))
    fewest = max(_FEWEST_TILES, _TILES_PER_LANE * lanes)
    if batch.is_symmetric:
        across = math.ceil((math.sqrt(8 * fewest + 1) - 1) / 2)  # then across (across + 1) / 2 >= fewest
        side = max(1, min(n // across, math.isqrt(most)))
        return Tiling((n, n), (side, side), True)
    pairs = max(1, min(n * m // fewest, most))
    rows = min(n, math.isqrt(pairs))
    columns = min(m, pairs // rows)
    return Tiling((n, m), (min(n, pairs // columns), columns), False)


def _mean_seconds(batch: PairBatch) -> float:
    """A pessimistic guess of the time of one pair, from the sizes alone."""
    per_entry = _SECONDS_PER_CALL if batch.ground.metric.calls_python else _SECONDS_PER_ENTRY
    n, m = (float(atoms.sizes.mean()) for atoms in (batch.a, batch.b))
    # Of a stack, every k counts as a pair does: its tiles hold no more numbers than those of a matrix.
    return _SECONDS_PER_PAIR * math.prod(batch.stack) + per_entry * n * m
