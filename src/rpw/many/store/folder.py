"""The folder of a store: whose it is, who may write to it, and how a file gets there."""

from __future__ import annotations

import importlib.util
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from rpw.io.files import sync_folder

METADATA = "zarr.json"
OURS = ".rpw"
DONE = f"{OURS}/done"
_PART, _LOCK = f"{OURS}/part", f"{OURS}/lock"
_FILE_FORMATS = (".csv", ".tsv", ".json", ".parquet", ".npy", ".npz", ".h5", ".mat", ".pkl")


def as_folder(out: Any) -> Path:
    """The folder that ``out`` names: new, empty, or of a store of ours."""
    text = os.fspath(out) if isinstance(out, (str, os.PathLike)) else None
    if not isinstance(text, str) or not text or "://" in text or "\0" in text:
        raise ValueError(f"out must be the path of a local folder, got {out!r}")
    if importlib.util.find_spec("fcntl") is None:
        raise ValueError(
            f"out={text!r}: stores on disk need a POSIX system (Linux, macOS), and this is {sys.platform}. "
            "Pass no out= to get the matrix as an array, and save that"
        )
    folder = Path(os.path.abspath(text))
    if os.path.lexists(folder):
        _check_is_ours(folder)
    elif folder.suffix.lower() in _FILE_FORMATS:
        raise ValueError(f"out={text!r} must be a folder, for a Zarr store: {folder.with_suffix('.zarr').name!r}")
    return folder


def _check_is_ours(folder: Path) -> None:
    if not folder.is_dir():
        raise ValueError(f"out={str(folder)!r} is no folder: choose another path")
    names = set(os.listdir(folder))
    # A run that dies before it writes the metadata leaves its folder for the lock, and no finished tile.
    is_begun = names == {OURS} and not list(folder.glob(f"{DONE}/*"))
    if names and not is_begun and not {OURS, METADATA} <= names:
        raise ValueError(
            f"out={str(folder)!r} is there and is no store of rpw (which has {METADATA} and {OURS}): "
            "choose another path, or remove it"
        )
    link = next((path for path in folder.rglob("*") if path.is_symlink()), None)
    if link is not None:
        raise ValueError(
            f"out={str(folder)!r}: its {link.relative_to(folder)} is a link, and no link is followed there: "
            "remove it, or choose another path for out"
        )


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Be the only process that writes. The kernel releases the lock of a process that dies."""
    import fcntl  # not on every system, see as_folder

    (folder / DONE).mkdir(parents=True, exist_ok=True)
    with open(folder / _LOCK, "a+b", buffering=0) as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            lock.seek(0)
            owner = lock.read(200).decode(errors="replace").strip() or "another process"
            text = f"out={str(folder)!r} is being written by {owner}: wait for it, or stop it first"
            raise RuntimeError(text) from error
        lock.truncate(0)
        lock.write(f"process {os.getpid()} on {socket.gethostname()}\n".encode())
        yield


def put(folder: Path, name: str, data: bytes) -> None:
    """Write a file that is there as a whole, on the disk, or not at all. Only who holds the lock may do so."""
    part, target = folder / _PART, folder / name
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        part.unlink(missing_ok=True)  # not truncated: it might have a second name elsewhere
        with open(part, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
        sync_folder(target.parent)
    except OSError as error:
        with suppress(OSError):
            part.unlink()
        advice = "the same call again goes on from the finished tiles that are there"
        raise OSError(error.errno, f"{error.strerror} while writing the matrix; {advice}", str(folder)) from error
