"""A matrix of distances on disk that survives a crash: a Zarr array, one chunk per tile.

Of a stack of matrices, one for each of a list of k, a tile holds all: its pairs are solved once.

    D.zarr/zarr.json       shape, tile, parameters and fingerprint of the inputs (Zarr's own metadata), and a digest of
                           all that
    D.zarr/c/i/j           the chunks: float64, little-endian, not compressed (distances do not compress); of a stack,
                           whose first index is that of k, c/0/i/j
    D.zarr/.rpw/done/i.j   the mark of a finished tile: the SHA-256 of its chunk, and of its mirror image;
                           "i.j.nan" if pairs in it failed and were left NaN
    D.zarr/.rpw/part       a file being written
    D.zarr/.rpw/lock       held by the process that writes

Every file is written under another name, flushed to the disk and then renamed, so that it is there as a whole or not
at all. A tile is marked as finished after its chunk, and the mirror image of that, are in place. So a process that dies
at any moment loses the tiles in flight and nothing else, and whoever reads the array meanwhile finds NaN or the truth.
A tile whose chunks do not have the digests in its mark is not finished.

A matrix can grow: the same call with more measures behind those that are there. Then zarr.json gets the new shape, and
remembers the fingerprints and shapes before. Tiles keep their size. The digest of a tile covers the first fingerprint
that stands for all its measures, so tiles at the old border, which now have more of them, are computed again.

A folder is ours if its zarr.json says so; one without a zarr.json is touched only if it holds nothing but what a run
leaves that died before it wrote one. Nothing is ever deleted but marks that new ones replace. Links in a store are
refused (see tree).
"""

from __future__ import annotations

import errno
import json
import os
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from rpw.base.check import Array
from rpw.base.extras import import_extra
from rpw.base.version import VERSION
from rpw.many.batch import PairBatch
from rpw.many.store.digests import DONE, ENDINGS, Age, Chunks, as_mark, mark_of
from rpw.many.store.layout import check_layout, entry, layout_of
from rpw.many.store.manifest import FORMATS, NAMES, check_same_work, damaged, manifest_of
from rpw.many.store.seal import check_seal, sealed
from rpw.many.store.tree import Tree
from rpw.many.tiles import Tile, Tiling, tiling_of

_METADATA = "zarr.json"
_TABLES = (".csv", ".tsv", ".txt", ".json", ".parquet", ".feather", ".arrow", ".xlsx")
_OTHER_FORMATS = (*_TABLES, ".npy", ".npz", ".h5", ".hdf5", ".mat", ".pkl", ".pickle", ".zip")
_LOCK = (".rpw", "lock")
_OWNER = re.compile(rb"(process \d+ on [^\n]*\n)?")
_BEGINNING = b'{\n "zarr_format": 3,\n'  # of each zarr.json that we write


def open_store(out: Any, batch: PairBatch, lanes: int, retries_failed: bool) -> TileStore:
    """Open the store at ``out`` for this work, or begin it; refuse what holds anything else."""
    tree = Tree(_as_path(out))
    import_extra("zarr", "out needs")
    _check_is_ours(tree)
    before = _stored(tree, batch)
    if before is not None and not before.missing(retries_failed):
        return before  # finished: nothing will be written, so no lock is needed
    lock = _lock(tree)
    try:
        store = _stored(tree, batch) or _grown(tree, batch) or _begin(tree, batch, tiling_of(batch, lanes))
        if before is not None:
            store.trust(before)
        if store.missing(retries_failed):
            store.check_version()
    except BaseException:
        os.close(lock)
        raise
    store.lock = lock
    return store


def complete_shape(out: Path) -> list[int] | None:
    """The shape of the store at ``out`` if nothing is left to compute in it, else None."""
    try:
        tree = Tree(out)
        metadata = _metadata(tree)
        if metadata is None or not _store_of(tree, metadata).is_complete():
            return None
        return list(metadata["shape"])
    except (OSError, ValueError):
        return None


def write_names(out: Path, rows: list[str], columns: list[str]) -> None:
    """Put the names of the rows and columns into the attributes of the store at ``out``."""
    tree = Tree(out)
    metadata = _metadata(tree)
    names = dict(zip(NAMES, (rows, columns), strict=True))
    if metadata is None or names.items() <= metadata["attributes"].items():
        return
    metadata["attributes"] |= names
    lock = _lock(tree)
    try:
        with _explained(tree):
            tree.write(_encoded(sealed(metadata)), _METADATA)
    finally:
        os.close(lock)


class TileStore:
    """The store of one matrix."""

    def __init__(self, chunks: Chunks, version: str) -> None:
        self.tiling, self.lock = chunks.tiling, -1
        self._tree, self._version, self._chunks = chunks.tree, version, chunks
        self._finished: set[str] = set()  # marks whose digests were verified; once is enough
        self._damaged: set[Tile] = set()

    def __enter__(self) -> TileStore:
        return self

    def __exit__(self, *_: object) -> None:
        if self.lock >= 0:
            os.close(self.lock)  # the kernel releases the lock, here as after a crash
            self.lock = -1

    def trust(self, before: TileStore) -> None:
        """Take over what was verified of the same store a moment ago."""
        if self.tiling == before.tiling:
            self._finished, self._chunks.known = before._finished, before._chunks.known

    def check_version(self) -> None:
        """Raise if another version began: its last digits may differ."""
        if self._version == VERSION:
            return
        damaged = [self._chunks.described(tile) + " is damaged" for tile in sorted(self._damaged)[:1]]
        state = damaged[0] if damaged else f"out={str(self._tree.path)!r} is not finished"
        raise ValueError(
            f"{state}; it was begun by rpw {self._version} and this is {VERSION}: finish it with that version, "
            "or choose another path for out"
        )

    def is_complete(self) -> bool:
        """Whether nothing is left to compute. Marks are counted first: a damaged shape can promise endless tiles."""
        return self.tiling.count <= len(self._tree.names(*DONE)) and not self.missing(retries_failed=True)

    def missing(self, retries_failed: bool) -> list[Tile]:
        """The tiles that are not finished (nor complete but for failed pairs, unless these are to be tried again)."""
        marks = self._tree.names(*DONE)
        endings = ENDINGS[:1] if retries_failed else ENDINGS
        return [tile for tile in self.tiling.tiles if not self._is_finished(tile, endings, marks)]

    def _is_finished(self, tile: Tile, endings: tuple[str, ...], marks: set[str]) -> bool:
        name = mark_of(tile)
        if any(name + ending in self._finished for ending in endings):
            return True
        there = [ending for ending in endings if name + ending in marks]
        for ending in there:
            if self._chunks.verify(tile, ending):
                self._finished.add(name + ending)
                return True
        if there:
            self._damaged.add(tile)
        return False

    def write(self, tile: Tile, block: Array, *, is_whole: bool, is_final: bool) -> None:
        """Write a tile and its mirror image; mark it as finished if it has no failed pairs, or is to stay as it is."""
        digests = {}
        self._check_not_removed()
        with _explained(self._tree):
            for chunk, entries in zip(self._chunks.of(tile), (block, block.swapaxes(-1, -2)), strict=False):
                data = self._padded(entries)
                digests[chunk] = self._chunks.digest(chunk, data)
                self._tree.write(data, *self._chunks.place(chunk))
            if is_whole or is_final:
                ending, other = ENDINGS if is_whole else ENDINGS[::-1]
                self._tree.write(as_mark(digests), *DONE, mark_of(tile) + ending)
                self._tree.remove(*DONE, mark_of(tile) + other)
        self._chunks.known |= digests

    def _check_not_removed(self) -> None:
        """Raise if the lock has lost its name: then somebody else may have begun another store in the same place."""
        if os.fstat(self.lock).st_nlink == 0:
            text = "was removed while it was being written, with its finished tiles; the same call again begins anew"
            raise FileNotFoundError(errno.ENOENT, text, str(self._tree.path))

    def _padded(self, block: Array) -> bytes:
        """A chunk is always a whole one, also at the border of the matrix."""
        chunk = np.full((*self._chunks.stack, *self.tiling.tile), np.nan, dtype="<f8")
        chunk[..., : block.shape[-2], : block.shape[-1]] = block
        return chunk.tobytes()

    def result(self) -> Any:
        """The array, opened for reading; what is read is verified."""
        from rpw.many.store.reading import open_verified

        return open_verified(self._chunks)


def _as_path(out: Any) -> Path:
    text = os.fspath(out) if isinstance(out, (str, os.PathLike)) else None
    if not isinstance(text, str) or not text or "://" in text or "\0" in text:
        raise ValueError(f"out must be the path of a local folder, got {out!r}")
    path = Path(text)
    if path.suffix.lower() in _OTHER_FORMATS and not (path / _METADATA).exists():
        raise ValueError(
            f"out={text!r} has the name of another file format, but a Zarr store is a folder: call it "
            f"{path.with_suffix('.zarr').name!r}, or pass no out= and save the array yourself"
        )
    return path


def _check_is_ours(tree: Tree) -> None:
    """Raise if there is something that this module did not put there."""
    name = f"out={str(tree.path)!r}"
    if tree.path.is_symlink() and not tree.path.exists():
        raise ValueError(f"{name} is a link to nothing: choose another path")
    if not tree.path.exists():
        return
    if not tree.path.is_dir():
        raise ValueError(f"{name} is a file: choose another path")
    names = tree.names()
    if names and ".rpw" not in names:
        raise ValueError(f"{name} is there and was not written by rpw.pairwise: choose another path")
    if names and _METADATA not in names and not _is_barely_begun(tree, names):
        raise ValueError(f"{name} has no zarr.json, so it is not a store of rpw: choose another path, or remove it")


def _is_barely_begun(tree: Tree, names: set[str]) -> bool:
    """Whether there is nothing but what a run leaves that died before it wrote its zarr.json."""
    try:
        inside = tree.names(".rpw")
        if names != {".rpw"} or not inside <= {"lock", "done", "part"} or tree.names(*DONE):
            return False
        owner, part = (tree.read(".rpw", name) or b"" for name in ("lock", "part"))
    except OSError:
        return False
    return _OWNER.fullmatch(owner) is not None and (part[: len(_BEGINNING)] == _BEGINNING[: len(part)])


def _stored(tree: Tree, batch: PairBatch) -> TileStore | None:
    """The store that is there, if there is one; it must hold the same work, or the beginning of it: then None."""
    metadata = _metadata(tree)
    if metadata is None or _is_beginning(metadata, batch):
        return None
    manifest = manifest_of(batch)
    try:
        check_same_work(tree.path, metadata["attributes"], manifest)
    except RecursionError as error:
        raise damaged(tree.path, "it is nested too deeply") from error
    if metadata["shape"] != manifest["shape"] or metadata["attributes"]["symmetric"] != manifest["symmetric"]:
        raise damaged(tree.path, "its shape is not that of the matrix with its fingerprint")
    return _store_of(tree, metadata)


def _metadata(tree: Tree) -> dict[str, Any] | None:
    """What the store says of itself, if there is one; it must be one of ours, and whole."""
    path = tree.path
    content = tree.read(_METADATA)
    if content is None:
        return None
    try:
        metadata: dict[str, Any] = json.loads(content)
        form = entry(metadata, int, "attributes", "rpw", "format")
        if form in FORMATS:
            check_layout(metadata, FORMATS[form])
            check_seal(metadata)
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise damaged(path, "it is not JSON") from error
    except RecursionError as error:
        raise damaged(path, "it is nested too deeply") from error
    except ValueError as error:
        raise damaged(path, str(error)) from error
    if form not in FORMATS:
        raise _of_another_format(path, form, metadata["attributes"]["rpw"].get("version"))
    return metadata


def _of_another_format(path: Path, form: int, version: Any) -> ValueError:
    if form > max(FORMATS):
        return ValueError(f"out={str(path)!r} was written by rpw {version}, which is newer: choose another path")
    return ValueError(
        f"out={str(path)!r} was written by rpw {version}, which kept no digests: damage would go unseen. "
        "Choose another path to compute the numbers again (zarr.open reads those that are there, unverified)"
    )


def _store_of(tree: Tree, metadata: dict[str, Any]) -> TileStore:
    (*stack, n, m), attributes = metadata["shape"], metadata["attributes"]
    *_, rows, columns = metadata["chunk_grid"]["configuration"]["chunk_shape"]
    tiling = Tiling((n, m), (rows, columns), attributes["symmetric"])
    ages = tuple(Age(age["fingerprint"], (age["shape"][0], age["shape"][1])) for age in _ages(metadata))
    return TileStore(Chunks(tree, tiling, tuple(stack), ages), attributes["rpw"]["version"])


def _ages(metadata: dict[str, Any]) -> list[dict[str, Any]]:
    """The fingerprints and shapes of the matrix, from its beginning to today."""
    facts = metadata["attributes"]["rpw"]
    return [*facts.get("before", []), {"fingerprint": facts["fingerprint"], "shape": metadata["shape"][-2:]}]


def _is_beginning(metadata: dict[str, Any], batch: PairBatch) -> bool:
    """Whether the store holds the matrix of the first measures of this work, and not yet of all."""
    (*_, n, m), facts = metadata["shape"], metadata["attributes"]["rpw"]
    if (n, m) == (len(batch.a), len(batch.b)):
        return False
    first = batch.beginning(n, m)
    return first is not None and first.fingerprint == facts["fingerprint"]


def _grown(tree: Tree, batch: PairBatch) -> TileStore | None:
    """The store that is there, made as large as this work; None if there is none."""
    metadata = _metadata(tree)
    if metadata is None:
        return None
    _store_of(tree, metadata).check_version()
    tile = metadata["chunk_grid"]["configuration"]["chunk_shape"][-2:]
    of_others = {name: value for name, value in metadata["attributes"].items() if name not in NAMES}
    attributes = of_others | manifest_of(batch, _ages(metadata))
    grown = {**layout_of(batch.stack, (len(batch.a), len(batch.b)), tuple(tile)), "attributes": attributes}
    with _explained(tree):
        tree.write(_encoded(sealed(grown)), _METADATA)
    return _store_of(tree, grown)


def _begin(tree: Tree, batch: PairBatch, tiling: Tiling) -> TileStore:
    manifest = manifest_of(batch)
    metadata = {**layout_of(batch.stack, tiling.shape, tiling.tile), "attributes": manifest}
    with _explained(tree):
        tree.write(_encoded(sealed(metadata)), _METADATA)
    return _store_of(tree, metadata)


def _encoded(metadata: dict[str, Any]) -> bytes:
    return json.dumps(metadata, indent=1, allow_nan=False).encode()


def _lock(tree: Tree) -> int:
    """Become the only process that writes; a descriptor to close."""
    import fcntl  # not everywhere: Tree has refused the other systems

    with _explained(tree):
        tree.make(*DONE)
        lock = tree.open_file(*_LOCK, flags=os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        owner = os.pread(lock, 200, 0).decode(errors="replace").strip() or "another process"
        os.close(lock)
        where = f"out={str(tree.path)!r}"
        raise RuntimeError(f"{where} is being written by {owner}: wait for it, or stop it first") from error
    try:
        if os.fstat(lock).st_nlink == 1:  # else it has a second name, and may be somebody's file
            with _explained(tree):
                os.ftruncate(lock, 0)
                os.pwrite(lock, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)
    except BaseException:
        os.close(lock)
        raise
    return lock


@contextmanager
def _explained(tree: Tree) -> Iterator[None]:
    """Say what an error of the disk means for the store."""
    try:
        yield
    except OSError as error:
        if (tree.path / _METADATA).exists():
            advice = "finished tiles are kept, and the same call again goes on"
        else:
            advice = "no store is there (any more), and the same call again begins a new one"
        text = f"{error.strerror or error} while writing the matrix; {advice}"
        raise OSError(error.errno, text, str(tree.path)) from error
