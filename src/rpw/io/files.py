"""Files: read with errors that name them; written as a whole or not at all, also when several processes do.

A file that is being written has a name of its own. One that nobody has written to for an hour was left by a writer that
was killed; the next writer in that folder removes it.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, TypeVar

from rpw.base.memory import check_file_fits

__all__ = ["check_room", "read_guarded", "replacing", "sync_folder"]

T = TypeVar("T")

_HOUR = 3600
# What takes this many bytes, and this many times the size of its file, is hardly data.
_LARGE, _LARGEST_RATIO = 1e9, 500
_PARTIAL = re.compile(r"\.rpw-\d+-[0-9a-f]{16}\.part")


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


def check_room(needed: float, stream: IO[bytes], subject: str, otherwise: str) -> None:
    """Raise if what is in the file ``stream`` does not fit into memory, or expands to more than is believable.

    ``subject`` says what needs so many bytes; ``otherwise`` what the reason is if the file is not damaged.
    """
    check_file_fits(needed, subject)
    packed = os.fstat(stream.fileno()).st_size
    if needed > max(_LARGE, _LARGEST_RATIO * packed):
        raise ValueError(
            f"{subject} {needed / 1e9:,.1f} GB of memory, {needed / packed:,.0f} times the size of the file: "
            f"damaged, or {otherwise}"
        )


@contextmanager
def replacing(path: Any) -> Iterator[IO[bytes]]:
    """A file to write to; it takes the place of ``path`` when the block ends well, and leaves nothing behind if not.

    Where ``path`` is a link, the file takes the place of the link; what that points to stays as it is. Who may read a
    file that is replaced may read the new one, and nobody else.
    """
    target = Path(path)
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder: the name of a file is needed", str(target))
    if target.exists() and not target.is_file():  # a device or a pipe would be gone
        raise FileExistsError(errno.EEXIST, "is not a regular file, and would be replaced by one", str(target))
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, f"there is no folder {target.parent}", str(target))
    _sweep(target.parent)
    # A name of its own, so that two writers never share a file. (Not mkstemp: its files are closed to other users.)
    partial = target.parent / f".rpw-{os.getpid()}-{secrets.token_hex(8)}.part"
    with _named(target):
        try:
            with partial.open("xb") as file:
                _take_mode(partial, target)
                yield file
                file.flush()
                os.fsync(file.fileno())
            os.replace(partial, target)  # after it is closed: Windows renames no file that is open
        except BaseException:
            partial.unlink(missing_ok=True)
            raise
        sync_folder(target.parent)


@contextmanager
def _named(target: Path) -> Iterator[None]:
    """Name the file in errors of the disk: a write that fails does not, and the name of a partial file says nothing."""
    try:
        yield
    except OSError as error:
        if error.filename is not None and not _PARTIAL.fullmatch(os.path.basename(error.filename)):
            raise
        # NumPy counts what it could write, and does not say why it stopped.
        reason = error.strerror or f"cannot be written whole ({error}): is the disk full?"
        raise OSError(error.errno or errno.EIO, reason, str(target)) from error


def _take_mode(partial: Path, target: Path) -> None:
    """What was closed to others stays closed, also while it is written."""
    with suppress(OSError):  # a new file, or a file system without modes
        if not target.is_symlink():
            partial.chmod(stat.S_IMODE(target.stat().st_mode))


def _sweep(folder: Path) -> None:
    """Remove the files that writers which were killed have left behind."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in [entry for entry in entries if _PARTIAL.fullmatch(entry.name)]:
            with suppress(OSError):  # another writer was faster, or it is not ours
                about = entry.stat(follow_symlinks=False)
                if stat.S_ISREG(about.st_mode) and time.time() - about.st_mtime > _HOUR:
                    os.unlink(entry.path)


def sync_folder(folder: Path) -> None:
    """Make the new name survive a crash too."""
    if not hasattr(os, "O_DIRECTORY"):  # Windows opens no folders
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
