"""Arrays in NPY and NPZ files.

Nothing is unpickled, no header is believed before its file's size agrees, and nothing is expanded that is not needed,
does not fit into memory, or grows beyond belief.
"""

from __future__ import annotations

import io
import math
import os
import warnings
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import IO, Any, TypeVar

import numpy as np
import numpy.typing as npt

from rpw.io.delimited import WEIGHT_NAMES
from rpw.io.files import check_room

__all__ = ["RAGGED", "Archive", "Arrays", "load_arrays", "open_archive", "unknown_arrays"]

T = TypeVar("T")
Arrays = dict[str, npt.NDArray[Any]]
_KNOWN_ARRAYS = ("images", "histograms", "support", "points", *WEIGHT_NAMES, "labels")
RAGGED = "clouds of different sizes are a folder with one file each"
_LONGEST_HEADER = 1 << 16
_PACKED = "nearly all values are equal; save them without compression, with numpy.savez"


def load_arrays(stream: IO[bytes], suffix: str) -> Arrays:
    """The arrays of a file by name; that of an NPY file, and an only one of an NPZ file, is called ``""``."""
    if suffix == ".npy":
        check_room(_needed(stream, os.fstat(stream.fileno()).st_size), stream, "its arrays need", _PACKED)
        stream.seek(0)
        return {"": _values(stream)}
    with open_archive(stream) as archive:
        names = archive.names
        if {"about", "start", "mass"} <= set(names):
            raise ValueError("is an index of rpw, not a measure or a collection; rpw search and rpw.Index.load read it")
        wanted = [name for name in names if name in _KNOWN_ARRAYS]
        if len(names) == 1 and not wanted:
            return {"": archive.read(names)[names[0]]}
        if not wanted:
            raise ValueError(unknown_arrays(names))
        return archive.read(wanted)


@contextmanager
def open_archive(stream: IO[bytes]) -> Iterator[Archive]:
    """The arrays of an NPZ file, to be read by name."""
    if not zipfile.is_zipfile(stream):
        raise ValueError("not an NPZ file, or cut off: it has no table of contents")
    with zipfile.ZipFile(stream) as archive:
        yield Archive(archive, stream)


class Archive:
    """An NPZ file of which nothing is expanded but the arrays that are asked for, and those only if all fit, and are
    not larger than the file makes believable."""

    def __init__(self, archive: zipfile.ZipFile, stream: IO[bytes]) -> None:
        self._archive, self._stream = archive, stream
        self._entries = {entry.filename.removesuffix(".npy"): entry for entry in archive.infolist()}

    @property
    def names(self) -> list[str]:
        """The names of all arrays."""
        return list(self._entries)

    def read(self, names: Iterable[str]) -> Arrays:
        """These arrays. Their sizes, which header and table of contents must agree on, are looked at first."""
        names = list(names)
        needed = sum(self._each(name, _needed) for name in names)
        check_room(needed, self._stream, "its arrays need", _PACKED)
        return {name: self._each(name, lambda member, _: _values(member)) for name in names}

    def _each(self, name: str, use: Callable[[IO[bytes], int], T]) -> T:
        entry = self._entries[name]
        with self._archive.open(entry) as member:
            try:
                return use(member, entry.file_size)
            except MemoryError:
                raise
            except Exception as error:
                raise ValueError(f"array {name!r}: {error}") from error


def _needed(stream: IO[bytes], size: int) -> int:
    """The memory for an NPY file of ``size`` bytes, which must be the size that its header promises.

    That is for its values, and for their copies as float64.
    """
    head = io.BytesIO(stream.read(_LONGEST_HEADER))
    shape, kind = _header(head)
    if kind.hasobject:
        raise ValueError("holds Python objects, which are never read from files; save an array of numbers")
    count, left = math.prod(shape), size - head.tell()
    if min(shape, default=0) < 0 or kind.itemsize == 0 or count * kind.itemsize != left:
        raise ValueError(f"damaged: shape {shape} of {kind} needs {count * kind.itemsize:,} bytes, and {left:,} follow")
    return left + 8 * count


def _header(head: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[Any]]:
    if head.read(6) != b"\x93NUMPY":
        raise ValueError("not an NPY file")
    version = tuple(head.read(2))
    readers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    if version not in readers:
        raise ValueError(f"NPY format {version} is not supported")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what Python's parser thinks of the header
            shape, _, kind = readers[version](head)
    except Exception as error:  # Python's parser can raise nearly anything on nonsense, MemoryError too
        raise ValueError(f"damaged: its header cannot be understood: {error}") from error
    return shape, kind


def _values(stream: IO[bytes]) -> npt.NDArray[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.lib.format.read_array(stream, allow_pickle=False)


def unknown_arrays(names: Iterable[str]) -> str:
    """What to say of a file without any array that has a meaning here."""
    found = ", ".join(sorted(names)[:8]) or "none"
    wanted = "a collection is points (B, n, d), images (B, h, w), or histograms (B, n) with support (n, d)"
    return f"holds none of the arrays points, images, or histograms and support; found: {found}; {wanted}; {RAGGED}"
