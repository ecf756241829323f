"""A matrix of distances on disk that survives a crash: a Zarr array, one chunk per tile.

Of a stack of matrices, one for each of a list of k, a tile holds all: its pairs are solved once.

    D.zarr/zarr.json       the manifest: shape, tile, parameters and fingerprint of the inputs, and a digest of all that
    D.zarr/c/i/j           the chunks: float64, little-endian, not compressed (distances do not compress); of a stack,
                           whose first index is that of k, c/0/i/j
    D.zarr/.rpw/done/i.j   the mark of a finished tile: the SHA-256 of its chunk, and of its mirror image;
                           "i.j.nan" if pairs in it failed and were left NaN, "i.j.failed" if they are tried again
    D.zarr/.rpw/part       a file being written
    D.zarr/.rpw/lock       held by the process that writes

Every file is written under another name, flushed to the disk and then renamed, so that it is there as a whole or not
at all. A tile is marked as finished after its chunk, and the mirror image of that, are in place. So a process that dies
at any moment loses the tiles in flight and nothing else, and whoever reads the array meanwhile finds NaN or the truth.
A tile whose chunks do not have the digests in its mark is not finished.

A matrix can grow: the same call with more measures behind those that are there. Then the manifest gets the new shape,
and remembers the fingerprints and shapes before. Tiles keep their size. The digest of a tile covers the first
fingerprint that stands for all its measures, so tiles at the old border, which now have more of them, are computed
again.
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import Any

from rpw.base.check import Array
from rpw.base.extras import import_extra
from rpw.base.version import VERSION
from rpw.many.batch import PairBatch
from rpw.many.store.chunks import TO_RETRY, WHOLE, WITH_NAN, Chunks
from rpw.many.store.folder import DONE, as_folder, locked
from rpw.many.store.manifest import NAMES, ages, check_same_work, is_beginning, load, manifest_of, save
from rpw.many.tiles import Tile, tiling_of


def open_store(out: Any, batch: PairBatch, lanes: int, retries_failed: bool) -> TileStore:
    """Open the store at ``out`` for this work, or begin it; refuse what holds anything else."""
    folder = as_folder(out)
    import_extra("zarr", "out needs")
    store = _stored(folder, batch)
    if store is not None and store.is_complete(retries_failed):
        return store  # nothing will be written, so no lock is needed
    with ExitStack() as held:
        held.enter_context(locked(folder))
        store = _stored(folder, batch) or _begun(folder, batch, lanes)
        if store.missing(retries_failed):
            store.check_version()
        store.lock = held.pop_all()
    return store


def complete_shape(out: Path) -> list[int] | None:
    """The shape of the store at ``out`` if nothing is left to compute in it, else None."""
    try:
        manifest = load(as_folder(out))
    except ValueError:
        return None
    if manifest is None or not TileStore(out, manifest).is_complete(retries_failed=True):
        return None
    return list(manifest["shape"])


def write_names(out: Path, rows: list[str], columns: list[str]) -> None:
    """Put the names of the rows and columns into the attributes of the store at ``out``."""
    manifest = load(as_folder(out))
    names = dict(zip(NAMES, (rows, columns), strict=True))
    if manifest is None or names.items() <= manifest["attributes"].items():
        return
    manifest["attributes"] |= names
    with locked(out):
        save(out, manifest)


class TileStore:
    """The store of one matrix."""

    def __init__(self, folder: Path, manifest: dict[str, Any]) -> None:
        self._chunks, self._version = Chunks(folder, manifest), manifest["attributes"]["rpw"]["version"]
        self.tiling = self._chunks.tiling
        self.lock = ExitStack()

    def __enter__(self) -> TileStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.lock.close()

    @cached_property
    def _endings(self) -> dict[Tile, str | None]:
        """The endings of the marks that are true, when the store was opened."""
        return {tile: self._chunks.ending(tile) for tile in self.tiling.tiles}

    def missing(self, retries_failed: bool) -> list[Tile]:
        """The tiles that are not finished (nor complete but for failed pairs, unless these are to be tried again)."""
        finished = (WHOLE,) if retries_failed else (WHOLE, WITH_NAN)
        return [tile for tile, ending in self._endings.items() if ending not in finished]

    def is_complete(self, retries_failed: bool) -> bool:
        """Whether nothing is left to compute. Marks are counted first: that is faster than to read all tiles."""
        try:
            marks = len(os.listdir(self._chunks.folder / DONE))
        except FileNotFoundError:
            return False
        return marks >= self.tiling.count and not self.missing(retries_failed)

    def check_version(self) -> None:
        """Raise if another version began: its last digits may differ."""
        if self._version != VERSION:
            raise ValueError(
                f"out={str(self._chunks.folder)!r} is not finished, or damaged; it was begun by rpw {self._version} "
                f"and this is {VERSION}: finish it with that version, or choose another path for out"
            )

    def write(self, tile: Tile, block: Array, *, is_whole: bool, is_final: bool) -> None:
        """Write a tile and its mirror image; it is finished if it has no failed pairs, or is to stay as it is."""
        self._chunks.write(tile, block, WHOLE if is_whole else WITH_NAN if is_final else TO_RETRY)

    def result(self) -> Any:
        """The array, opened for reading; what is read is verified."""
        from rpw.many.store.reading import open_verified

        return open_verified(self._chunks)


def _stored(folder: Path, batch: PairBatch) -> TileStore | None:
    """The store that is there, if there is one; it must hold the same work, or the beginning of it: then None."""
    manifest = load(folder)
    if manifest is None or is_beginning(manifest, batch):
        return None
    check_same_work(folder, manifest, batch)
    return TileStore(folder, manifest)


def _begun(folder: Path, batch: PairBatch, lanes: int) -> TileStore:
    """A new store; or the one that is there, made as large as this work."""
    before = load(folder)
    if before is None:
        manifest = manifest_of(batch, tiling_of(batch, lanes).tile, [])
    else:
        TileStore(folder, before).check_version()
        tile = before["chunk_grid"]["configuration"]["chunk_shape"][-2:]
        manifest = manifest_of(batch, tile, ages(before))
        of_others = {name: value for name, value in before["attributes"].items() if name not in NAMES}
        manifest["attributes"] = of_others | manifest["attributes"]
    save(folder, manifest)
    return TileStore(folder, manifest)
