"""The chunks of a stored matrix, and the marks with their digests: what a bit has changed in is found out."""

from __future__ import annotations

import hashlib
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from rpw.base.check import Array
from rpw.many.store.folder import DONE, put
from rpw.many.store.manifest import ages
from rpw.many.tiles import Tile, Tiling

# The endings of marks: of tiles whose pairs are all there, with failed pairs that stay NaN, and with failed pairs
# that the next run tries again.
WHOLE, WITH_NAN, TO_RETRY = "", ".nan", ".failed"
_ENDINGS = (WHOLE, WITH_NAN, TO_RETRY)
_LONGEST_MARK = 1000


class Chunks:
    """The chunks of the matrix, or stack of matrices, that a manifest describes."""

    def __init__(self, folder: Path, manifest: dict[str, Any]) -> None:
        *self._stack, n, m = manifest["shape"]  # of a stack, a chunk holds all k of its pairs
        *_, rows, columns = manifest["chunk_grid"]["configuration"]["chunk_shape"]
        self.folder = folder
        self.tiling = Tiling((n, m), (rows, columns), manifest["attributes"]["symmetric"])
        self._ages = [(age["fingerprint"], replace(self.tiling, shape=tuple(age["shape"]))) for age in ages(manifest)]

    def ending(self, tile: Tile) -> str | None:
        """That of the mark whose digests the tile and its mirror image have, if there is one."""
        expected = _as_mark([self._digest(chunk, self._stored(chunk)) for chunk in self._of(tile)])
        return next((ending for ending in _ENDINGS if self._mark(tile, ending) == expected), None)

    def write(self, tile: Tile, block: Array, ending: str) -> None:
        """Write a tile and its mirror image, then the mark that says so."""
        digests = []
        for chunk, entries in zip(self._of(tile), (block, block.swapaxes(-1, -2)), strict=False):
            data = self._padded(entries)
            digests.append(self._digest(chunk, data))
            put(self.folder, self._place(chunk), data)
        put(self.folder, _mark_of(tile) + ending, _as_mark(digests))
        for other in set(_ENDINGS) - {ending}:
            (self.folder / (_mark_of(tile) + other)).unlink(missing_ok=True)

    def check(self, key: str) -> None:
        """Raise if a chunk lies at this place of Zarr, and is not as it was written."""
        *_, i, j = "", *key.split("/")
        if not (i.isdecimal() and j.isdecimal() and key == self._place((int(i), int(j)))):
            return
        chunk = int(i), int(j)
        tile = min(chunk, chunk[::-1]) if self.tiling.is_symmetric else chunk
        data = self._stored(chunk)
        digest = self._digest(chunk, data).encode()
        if not any(digest in self._mark(tile, ending) for ending in _ENDINGS):
            rows, columns = self.tiling.spans(chunk)
            raise ValueError(
                f"out={str(self.folder)!r}: tile {chunk} (rows {rows.start} to {rows.stop - 1}, columns "
                f"{columns.start} to {columns.stop - 1}; {key}) is {'damaged' if data else 'missing'}, or the store "
                "has grown since this array was opened: call rpw.pairwise with this out and all its inputs again, "
                "which computes what is missing"
            )

    def _of(self, tile: Tile) -> list[Tile]:
        """The places where a tile lies: its own, and that of its mirror image."""
        return [tile, tile[::-1]] if self.tiling.is_symmetric and tile[0] != tile[1] else [tile]

    def _place(self, chunk: Tile) -> str:
        """Where Zarr looks for a chunk."""
        return "/".join(["c", *("0" for _ in self._stack), str(chunk[0]), str(chunk[1])])

    def _stored(self, chunk: Tile) -> bytes:
        return self._read(self._place(chunk), 8 * math.prod((*self._stack, *self.tiling.tile)))

    def _mark(self, tile: Tile, ending: str) -> bytes:
        return self._read(_mark_of(tile) + ending, _LONGEST_MARK)

    def _read(self, name: str, length: int) -> bytes:
        """A file of this length, or the beginning of a longer one; nothing if it is not there."""
        try:
            with open(self.folder / name, "rb") as file:
                return file.read(length + 1)
        except FileNotFoundError:
            return b""

    def _digest(self, chunk: Tile, data: bytes) -> str:
        """The digest covers the matrix and the place too: a chunk from elsewhere is as wrong as a damaged one.

        The matrix is that of the first age in which the chunk had all the measures that it has today.
        """
        today = self.tiling.spans(chunk)
        fingerprint = next(name for name, tiling in self._ages if tiling.spans(chunk) == today)
        digest = hashlib.sha256(f"{fingerprint} {self.tiling.tile} {chunk}\n".encode())
        digest.update(data)
        return digest.hexdigest()

    def _padded(self, block: Array) -> bytes:
        """A chunk is always a whole one, also at the border of the matrix."""
        chunk = np.full((*self._stack, *self.tiling.tile), np.nan, dtype="<f8")
        chunk[..., : block.shape[-2], : block.shape[-1]] = block
        return chunk.tobytes()


def _mark_of(tile: Tile) -> str:
    return f"{DONE}/{tile[0]}.{tile[1]}"


def _as_mark(digests: list[str]) -> bytes:
    return "".join(f"{digest}\n" for digest in digests).encode()
