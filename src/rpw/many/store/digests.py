"""Chunks of a stored matrix, read with proof: what a bit has changed in is found out, never returned."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from rpw.many.store.tree import Tree
from rpw.many.tiles import Tile, Tiling

DONE = (".rpw", "done")
ENDINGS = ("", ".nan")  # of the marks of tiles without failed pairs, and with some
_LONGEST_MARK = 1000


class Age(NamedTuple):
    """The matrix before or after it grew."""

    fingerprint: str
    shape: tuple[int, int]


@dataclass
class Chunks:
    """The chunks of one matrix, and the digests that they must have, as far as this process knows them."""

    tree: Tree
    tiling: Tiling
    stack: tuple[int, ...]  # how many k, where there is a list of them: a chunk holds all of its pairs' numbers
    ages: tuple[Age, ...]  # of the matrix: one, or more if it has grown; the last is that of today
    known: dict[Tile, str] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """The length of a chunk in bytes: always a whole one, also at the border of the matrix."""
        return 8 * math.prod((*self.stack, *self.tiling.tile))

    def place(self, chunk: Tile) -> tuple[str, ...]:
        """Where Zarr looks for a chunk."""
        return "c", *("0" for _ in self.stack), str(chunk[0]), str(chunk[1])

    def chunk_at(self, *names: str) -> Tile | None:
        """The chunk that lies there; None if it is the place of something else."""
        if len(names) != len(self.stack) + 3 or not all(name.isdecimal() for name in names[1:]):
            return None
        chunk = int(names[-2]), int(names[-1])
        return chunk if names == self.place(chunk) else None

    def of(self, tile: Tile) -> list[Tile]:
        """The places where a tile lies: its own, and that of its mirror image."""
        return [tile, tile[::-1]] if self.tiling.is_symmetric and tile[0] != tile[1] else [tile]

    def digest(self, chunk: Tile, data: bytes) -> str:
        """The digest covers the matrix and the place too: a chunk from elsewhere is as wrong as a damaged one."""
        digest = hashlib.sha256(f"{self._fingerprint(chunk)} {self.tiling.tile} {chunk}\n".encode())
        digest.update(data)
        return digest.hexdigest()

    def _fingerprint(self, chunk: Tile) -> str:
        """That of the first age in which the chunk had all the measures that it has today."""
        today = self.tiling.spans(chunk)
        whole = (age for age in self.ages if replace(self.tiling, shape=age.shape).spans(chunk) == today)
        return next(whole).fingerprint

    def stored(self, chunk: Tile) -> bytes | None:
        """The bytes of a chunk as they are on the disk; None if it is not there, or not of the right length."""
        data = self.tree.read(*self.place(chunk), at_most=self.size)
        return data if data is not None and len(data) == self.size else None

    def verify(self, tile: Tile, ending: str) -> bool:
        """Whether a tile and its mirror image have the digests that its mark holds; then these are known."""
        chunks = self.of(tile)
        mark = self.tree.read(*DONE, mark_of(tile) + ending, at_most=_LONGEST_MARK)
        found = {}
        for chunk in chunks:
            data = self.stored(chunk)
            if mark is None or data is None:
                return False
            found[chunk] = self.digest(chunk, data)
        if mark != as_mark(found):
            return False
        self.known |= found
        return True

    def read(self, chunk: Tile) -> bytes:
        """The bytes of a chunk; raises unless they are those that were written."""
        data = self.stored(chunk)
        if data is not None and self.known.get(chunk) == self.digest(chunk, data):
            return data
        # Perhaps another process has meanwhile computed what had failed.
        tile = min(chunk, chunk[::-1]) if self.tiling.is_symmetric else chunk
        if any(self.verify(tile, ending) for ending in ENDINGS):
            data = self.stored(chunk)
            if data is not None and self.known[chunk] == self.digest(chunk, data):
                return data
        raise ValueError(
            f"{self.described(chunk)} is {'missing' if data is None else 'damaged'}, or the store has grown since this "
            "array was opened: call rpw.pairwise with this out and all its inputs again, which computes what is missing"
        )

    def described(self, chunk: Tile) -> str:
        """Which tile of which store, for people."""
        rows, columns = self.tiling.spans(chunk)
        entries = f"rows {rows.start} to {rows.stop - 1}, columns {columns.start} to {columns.stop - 1}"
        return f"out={str(self.tree.path)!r}: tile {chunk} ({entries}; {'/'.join(self.place(chunk))})"


def mark_of(tile: Tile) -> str:
    """The name of the file that says that a tile is finished."""
    return f"{tile[0]}.{tile[1]}"


def as_mark(digests: dict[Tile, str]) -> bytes:
    """The content of that file: the digests of the tile and of its mirror image, a line each."""
    return "".join(f"{digest}\n" for digest in digests.values()).encode()
