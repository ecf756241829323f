"""Files: read with errors that name them; written as a whole or not at all, also when several processes do."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, TypeVar

__all__ = ["read_guarded", "replacing", "sync_folder"]

T = TypeVar("T")


def read_guarded(where: Path, read: Callable[[IO[bytes]], T]) -> T:
    """Open ``where`` and ``read`` it; what is wrong inside becomes a ValueError that starts with its path."""
    if where.exists() and not where.is_file():
        raise ValueError(f"{where}: is not a regular file")
    with open(where, "rb") as stream:
        if not stream.read(1):
            raise ValueError(f"{where}: the file is empty")
        stream.seek(0)
        try:
            return read(stream)
        except ImportError:
            raise
        except MemoryError as error:
            raise MemoryError(f"{where}: {str(error) or 'does not fit into memory'}") from error
        except Exception as error:  # a damaged file can raise nearly anything inside a decoder
            message = " ".join(str(error).split()) or type(error).__name__
            raise ValueError(f"{where}: {message}") from error


@contextmanager
def replacing(path: Any) -> Iterator[IO[bytes]]:
    """A file to write to; it takes the place of ``path`` when the block ends well, and leaves nothing behind if not."""
    target = Path(path)
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder: the name of a file is needed", str(target))
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, f"there is no folder {target.parent}", str(target))
    # A name of its own, so that two writers never share a file. (Not mkstemp: its files are closed to other users.)
    partial = target.with_name(f".rpw-{os.getpid()}-{secrets.token_hex(8)}.part")
    try:
        with partial.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, target)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    sync_folder(target.parent)


def sync_folder(folder: Path) -> None:
    """Make the new name survive a crash too."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
