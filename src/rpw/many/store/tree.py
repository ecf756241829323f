"""A folder of ours on the disk, in which nothing is read, written or removed through a link.

Every name below the folder is looked up by descriptor, step by step, so that a link which somebody puts there meanwhile
is not followed either. The path of the folder itself is the user's: links in it are resolved, once.
"""

from __future__ import annotations

import importlib.util
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_NEEDED = ("O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "pread", "pwrite")
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
_PART = "part"


class Tree:
    """The folder of a store; names are given as their steps from there."""

    def __init__(self, path: Path) -> None:
        _check_system(path)
        self.path = path
        self.root = os.path.realpath(path)

    def names(self, *folder: str) -> set[str]:
        """What lies in a folder; nothing if it is not there."""
        try:
            with self._opened(*folder) as descriptor:
                return set(os.listdir(descriptor))
        except FileNotFoundError:
            return set()

    def make(self, *folder: str) -> None:
        """Create a folder, and those above it."""
        os.makedirs(self.root, exist_ok=True)
        with self._opened(*folder, creates=True):
            pass

    def open_file(self, *names: str, flags: int) -> int:
        """A descriptor of a regular file."""
        with self._opened(*names[:-1]) as folder:
            # Without O_NONBLOCK a named pipe would be waited for, for ever.
            descriptor = self._open(names, flags | os.O_NONBLOCK, folder)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise self._refusal(names, "is not a regular file")
        return descriptor

    def read(self, *names: str, at_most: int | None = None) -> bytes | None:
        """The content of a file; None if it is not there, or longer than it may be."""
        try:
            descriptor = self.open_file(*names, flags=os.O_RDONLY)
        except FileNotFoundError:
            return None
        with open(descriptor, "rb") as file:
            if at_most is not None and os.fstat(descriptor).st_size > at_most:
                return None
            return file.read()

    def write(self, data: bytes, *names: str) -> None:
        """Write a file that is there as a whole, on the disk, or not at all. Only one process at a time may do so."""
        with self._opened(".rpw") as ours, self._opened(*names[:-1], creates=True) as folder:
            self._check_no_link(names, folder)  # it would be replaced, not followed; but it is not ours
            try:
                self._write_part(data, ours)
                os.replace(_PART, names[-1], src_dir_fd=ours, dst_dir_fd=folder)
            except OSError:
                with suppress(OSError):
                    os.unlink(_PART, dir_fd=ours)
                raise
        self._sync(*names[:-1])

    def _write_part(self, data: bytes, ours: int) -> None:
        where = (".rpw", _PART)
        self._check_no_link(where, ours)
        with suppress(FileNotFoundError):  # not truncated: it might have a second name elsewhere
            os.unlink(_PART, dir_fd=ours)
        with open(self._open(where, os.O_WRONLY | os.O_CREAT | os.O_EXCL, ours), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())

    def remove(self, *names: str) -> None:
        """Remove a file, if it is there."""
        with self._opened(*names[:-1]) as folder, suppress(FileNotFoundError):
            self._check_no_link(names, folder)
            os.unlink(names[-1], dir_fd=folder)

    def _sync(self, *folder: str) -> None:
        """Make the names in a folder, and in those above it, survive a crash."""
        for depth in range(len(folder), -1, -1):
            with self._opened(*folder[:depth]) as descriptor:
                os.fsync(descriptor)

    @contextmanager
    def _opened(self, *folder: str, creates: bool = False) -> Iterator[int]:
        """A descriptor of a folder."""
        descriptor = self._open((self.root,), _FOLDER, None)
        try:
            for depth, name in enumerate(folder, start=1):
                if creates:
                    with suppress(FileExistsError):
                        os.mkdir(name, dir_fd=descriptor)
                inner = self._open(folder[:depth], _FOLDER, descriptor)
                outer, descriptor = descriptor, inner
                os.close(outer)  # after the exchange: Ctrl-C in between must not close it twice
            yield descriptor
        finally:
            os.close(descriptor)

    def _open(self, names: tuple[str, ...], flags: int, folder: int | None) -> int:
        try:
            return os.open(names[-1], flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644, dir_fd=folder)
        except OSError as error:
            self._check_no_link(names, folder)
            if isinstance(error, NotADirectoryError):
                raise self._refusal(names, "is not a folder") from error
            raise

    def _check_no_link(self, names: tuple[str, ...], folder: int | None) -> None:
        with suppress(FileNotFoundError):
            if stat.S_ISLNK(os.stat(names[-1], dir_fd=folder, follow_symlinks=False).st_mode):
                raise self._refusal(names, "is a link, and no link is followed there")

    def _refusal(self, names: tuple[str, ...], reason: str) -> ValueError:
        return ValueError(
            f"out={str(self.path)!r}: its {'/'.join(names)} {reason}: remove it, or choose another path for out"
        )


def _check_system(path: Path) -> None:
    """Raise on a system where names cannot be looked up by descriptor, or files cannot be locked."""
    has_all = all(hasattr(os, name) for name in _NEEDED) and os.open in os.supports_dir_fd
    if not has_all or importlib.util.find_spec("fcntl") is None:
        raise ValueError(
            f"out={str(path)!r}: stores on disk need a POSIX system (Linux, macOS), and this is {sys.platform}. "
            "Pass no out= to get the matrix as an array, and save that"
        )
