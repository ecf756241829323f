"""A matrix of distances on disk that survives a crash: a Zarr array, one chunk per tile.

    D.zarr/zarr.json       shape, tile, parameters and fingerprint of the inputs (Zarr's own metadata)
    D.zarr/c/i/j           the chunks: float64, little-endian, not compressed (distances do not compress)
    D.zarr/.rpw/done/i.j   one empty file per finished tile; "i.j.nan" if pairs in it failed and were left NaN
    D.zarr/.rpw/part       a file being written
    D.zarr/.rpw/lock       held by the process that writes

Every file is written under another name, flushed to the disk and then renamed, so that it is there as a whole or not
at all. A tile is marked as finished after its chunk, and the mirror image of that, are in place. So a process that dies
at any moment loses the tiles in flight and nothing else, and whoever reads the array meanwhile finds NaN or the truth.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import rpw
from rpw._check import Array
from rpw._files import sync_folder
from rpw._pairs import PairBatch
from rpw.executors._extras import import_extra
from rpw.executors._layout import check_layout, entry, layout_of
from rpw.executors._manifest import FORMAT, check_same_work, manifest_of
from rpw.executors._tiles import Tile, Tiling, tiling_of


def open_store(out: Any, batch: PairBatch, lanes: int, retries_failed: bool) -> TileStore:
    """Open the store at ``out`` for this work, or begin it; refuse what holds anything else."""
    import_extra("zarr", "out")
    path = _as_path(out)
    _check_is_ours(path)
    store = _stored(path, batch)
    if store is not None and not store.missing(retries_failed):
        return store  # finished: nothing will be written, so no lock is needed
    lock = _lock(path)
    try:
        store = _stored(path, batch) or _begin(path, batch, tiling_of(batch, lanes))
        if store.missing(retries_failed):
            store.check_version()
    except BaseException:
        os.close(lock)
        raise
    store.lock = lock
    return store


def is_complete(out: Path) -> bool:
    """Whether there is a store at ``out`` with nothing left to compute."""
    try:
        metadata = _metadata(out)
        return metadata is not None and not _store_of(out, metadata).missing(retries_failed=True)
    except (OSError, ValueError):
        return False


def write_names(out: Path, rows: list[str], columns: list[str]) -> None:
    """Put the names of the rows and columns into the attributes of the store at ``out``."""
    metadata = _metadata(out)
    names = {"rows": rows, "columns": columns}
    if metadata is None or names.items() <= metadata["attributes"].items():
        return
    metadata["attributes"] |= names
    lock = _lock(out)
    try:
        with _explained(out):
            _write(out, out / "zarr.json", _encoded(metadata))
    finally:
        os.close(lock)


class TileStore:
    """The store of one matrix."""

    def __init__(self, path: Path, tiling: Tiling, version: str) -> None:
        self.path, self.tiling, self.lock = path, tiling, -1
        self._version = version
        self._chunk_bytes = 8 * tiling.tile[0] * tiling.tile[1]

    def __enter__(self) -> TileStore:
        return self

    def __exit__(self, *_: object) -> None:
        if self.lock >= 0:
            os.close(self.lock)  # the kernel releases the lock, here as after a crash
            self.lock = -1

    def check_version(self) -> None:
        """Raise if another version began: its last digits might be others."""
        if self._version != rpw.__version__:
            raise ValueError(
                f"{self.path} was begun by rpw {self._version} and is not finished; this is {rpw.__version__}: finish "
                "it with that version, or choose another path for out"
            )

    def missing(self, retries_failed: bool) -> list[Tile]:
        """The tiles that are not finished (nor complete but for failed pairs, unless these are to be tried again)."""
        done = self.path / ".rpw" / "done"
        marks = set(os.listdir(done)) if done.is_dir() else set()
        return [tile for tile in self.tiling.tiles if not self._is_finished(tile, marks, retries_failed)]

    def _is_finished(self, tile: Tile, marks: set[str], retries_failed: bool) -> bool:
        name = _mark(tile)
        if name not in marks and (retries_failed or f"{name}.nan" not in marks):
            return False
        return all(_size(self._chunk(chunk)) == self._chunk_bytes for chunk in self._chunks(tile))

    def _chunks(self, tile: Tile) -> list[Tile]:
        """The tile, and its mirror image."""
        return [tile, tile[::-1]] if self.tiling.is_symmetric and tile[0] != tile[1] else [tile]

    def _chunk(self, tile: Tile) -> Path:
        return self.path / "c" / str(tile[0]) / str(tile[1])

    def write(self, tile: Tile, block: Array, *, is_whole: bool, is_final: bool) -> None:
        """Write a tile and its mirror image; mark it as finished if it has no failed pairs, or is to stay as it is."""
        done = self.path / ".rpw" / "done"
        with _explained(self.path):
            for chunk, entries in zip(self._chunks(tile), (block, block.T), strict=False):
                _write(self.path, self._chunk(chunk), self._padded(entries))
            if is_whole or is_final:
                (done / f"{_mark(tile)}{'' if is_whole else '.nan'}").touch()
                sync_folder(done)

    def _padded(self, block: Array) -> bytes:
        """A chunk is always a whole one, also at the border of the matrix."""
        chunk = np.full(self.tiling.tile, np.nan, dtype="<f8")
        chunk[: block.shape[0], : block.shape[1]] = block
        return chunk.tobytes()

    def result(self) -> Any:
        """The array, opened for reading."""
        return import_extra("zarr", "out").open_array(str(self.path), mode="r")


def _as_path(out: Any) -> Path:
    text = os.fspath(out) if isinstance(out, (str, os.PathLike)) else None
    if not isinstance(text, str) or not text or "://" in text or "\0" in text:
        raise ValueError(f"out must be the path of a local folder, got {out!r}")
    return Path(text)


def _check_is_ours(path: Path) -> None:
    """Raise if there is something that this module did not put there."""
    if not path.exists():
        return
    if not path.is_dir():
        raise ValueError(f"out={str(path)!r} is a file: choose another path")
    if any(path.iterdir()) and not (path / ".rpw").is_dir():
        raise ValueError(f"out={str(path)!r} is there and was not written by rpw.pairwise: choose another path")


def _stored(path: Path, batch: PairBatch) -> TileStore | None:
    """The store that is there, if there is one; it must hold the same work."""
    metadata = _metadata(path)
    if metadata is None:
        return None
    manifest = manifest_of(batch)
    try:
        check_same_work(path, metadata["attributes"], manifest)
    except RecursionError as error:
        raise _damaged(path, "it is nested too deeply") from error
    if metadata["shape"] != manifest["shape"] or metadata["attributes"]["symmetric"] != manifest["symmetric"]:
        raise _damaged(path, "its shape is not that of the matrix with its fingerprint")
    return _store_of(path, metadata)


def _metadata(path: Path) -> dict[str, Any] | None:
    """What the store says of itself, if there is one; it must be one of ours, and whole."""
    try:
        metadata: dict[str, Any] = json.loads((path / "zarr.json").read_bytes())
        form = entry(metadata, int, "attributes", "rpw", "format")
        if form == FORMAT:
            check_layout(metadata)
    except FileNotFoundError:
        return None
    except (json.JSONDecodeError, UnicodeDecodeError, IsADirectoryError) as error:
        raise _damaged(path, "it is not JSON") from error
    except RecursionError as error:
        raise _damaged(path, "it is nested too deeply") from error
    except ValueError as error:
        raise _damaged(path, str(error)) from error
    if form != FORMAT:
        raise ValueError(f"out={str(path)!r} has a format of another version of rpw: choose another path")
    return metadata


def _damaged(path: Path, reason: str) -> ValueError:
    way_out = "Choose another path, or remove the folder"
    return ValueError(f"out={str(path)!r}: its zarr.json is damaged: {reason}. {way_out}")


def _store_of(path: Path, metadata: dict[str, Any]) -> TileStore:
    (n, m), attributes = metadata["shape"], metadata["attributes"]
    rows, columns = metadata["chunk_grid"]["configuration"]["chunk_shape"]
    return TileStore(path, Tiling((n, m), (rows, columns), attributes["symmetric"]), attributes["rpw"]["version"])


def _begin(path: Path, batch: PairBatch, tiling: Tiling) -> TileStore:
    metadata = {**layout_of(tiling.shape, tiling.tile), "attributes": manifest_of(batch)}
    _drop_orphans(path)
    with _explained(path):
        _write(path, path / "zarr.json", _encoded(metadata))
    return TileStore(path, tiling, rpw.__version__)


def _drop_orphans(path: Path) -> None:
    """Remove tiles and marks without a zarr.json: nobody knows of which matrix they are."""
    strangers = sorted({found.name for found in path.iterdir()} - {".rpw", "c"})
    if strangers:
        raise ValueError(
            f"out={str(path)!r} has no zarr.json, and holds {strangers[0]!r}, which is not ours: choose another path"
        )
    done = path / ".rpw" / "done"
    with _explained(path):
        for mark in done.iterdir():  # before their tiles: a mark without its tile does no harm
            mark.unlink()
        sync_folder(done)
        if (path / "c").exists():
            shutil.rmtree(path / "c")


def _encoded(metadata: dict[str, Any]) -> bytes:
    return json.dumps(metadata, indent=1, allow_nan=False).encode()


def _lock(path: Path) -> int:
    """Become the only process that writes; a descriptor to close."""
    with _explained(path):
        (path / ".rpw" / "done").mkdir(parents=True, exist_ok=True)
        lock = os.open(path / ".rpw" / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        owner = os.pread(lock, 200, 0).decode(errors="replace").strip() or "another process"
        os.close(lock)
        raise RuntimeError(f"out={str(path)!r} is being written by {owner}: wait for it, or stop it first") from error
    try:
        with _explained(path):
            os.ftruncate(lock, 0)
            os.pwrite(lock, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)
    except BaseException:
        os.close(lock)
        raise
    return lock


def _write(root: Path, path: Path, data: bytes) -> None:
    """Write a file that is there as a whole, on the disk, or not at all."""
    part = root / ".rpw" / "part"
    try:
        with open(part, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        path.parent.mkdir(parents=True, exist_ok=True)
        os.replace(part, path)
    except OSError:
        part.unlink(missing_ok=True)
        raise
    for folder in (path.parent, *path.parent.parents):
        sync_folder(folder)
        if folder == root:
            break


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Say what an error of the disk means for the store."""
    try:
        yield
    except OSError as error:
        advice = "finished tiles are kept, and the same call again goes on"
        text = f"{error.strerror or error} while writing the matrix; {advice}"
        raise OSError(error.errno, text, str(path)) from error


def _mark(tile: Tile) -> str:
    return f"{tile[0]}.{tile[1]}"


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return -1
