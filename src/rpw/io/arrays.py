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
from typing import IO, Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from rpw.base.memory import check_file_fits
from rpw.io.delimited import WEIGHT_NAMES
from rpw.io.expansion import check_expansion

__all__ = ["KNOWN_ARRAYS", "Archive", "Arrays", "load_arrays", "open_archive", "unknown_arrays"]

T = TypeVar("T")
Arrays = dict[str, npt.NDArray[Any]]
KNOWN_ARRAYS = ("images", "histograms", "support", "points", *WEIGHT_NAMES, "labels")
_LONGEST_HEADER = 1 << 16
_BYTES_AT_ONCE = 1 << 22


def load_arrays(stream: IO[bytes], suffix: str) -> Arrays:
    """The arrays of a file by name; that of an NPY file, and an only one of an NPZ file, is called ``""``."""
    if suffix == ".npy":
        size = os.fstat(stream.fileno()).st_size
        declared = _declared(stream, size, "not an NPY file")
        check_arrays_fit([declared])
        return {"": _read(stream, declared)}
    with open_archive(stream) as archive:
        names = archive.names
        if {"about", "start", "mass"} <= set(names):
            raise ValueError("is an index of rpw, not a measure or a collection; rpw search and rpw.Index.load read it")
        wanted = _wanted(names)
        if len(names) == 1 and not wanted:
            return {"": archive.read(names)[names[0]]}
        if not wanted:
            raise ValueError(unknown_arrays(names))
        return archive.read(wanted)


def _wanted(names: list[str]) -> list[str]:
    """Those of the arrays that say what the collection or the measure is: no others need be read."""
    for main, others in (("images", ()), ("histograms", ("support",))):
        if main in names:
            return [name for name in (main, *others, "labels") if name in names]
    return [name for name in names if name in KNOWN_ARRAYS]


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
        arrays = [self._each(name, lambda _, declared: declared) for name in names]
        check_arrays_fit(arrays)
        expanded = sum(array.bytes for array in arrays)
        otherwise = "nearly all values are equal; save them without compression, with numpy.savez"
        check_expansion(expanded, self._stream, "its arrays need", otherwise)
        return {name: self._each(name, _read) for name in names}

    def _each(self, name: str, use: Callable[[IO[bytes], Declared], T]) -> T:
        entry = self._entries[name]
        with self._archive.open(entry) as stream:
            try:
                return use(stream, _declared(stream, entry.file_size, "not an NPY array"))
            except MemoryError:
                raise
            except Exception as error:
                raise ValueError(f"array {name!r}: {error}") from error


class Declared(NamedTuple):
    """What the header of an array says, after its file's size has agreed."""

    shape: tuple[int, ...]
    is_fortran: bool
    kind: np.dtype[Any]

    @property
    def bytes(self) -> int:
        """Of the values, without the header."""
        return math.prod(self.shape) * self.kind.itemsize


def check_arrays_fit(arrays: list[Declared]) -> None:
    """Raise ``MemoryError`` if arrays of these sizes, and their values as float64 beside them, do not fit."""
    check_file_fits(sum(array.bytes + 8 * math.prod(array.shape) for array in arrays), "its arrays need")


def _declared(stream: IO[bytes], size: int, otherwise: str) -> Declared:
    """The header of an array in NPY format of ``size`` bytes in all, which must be the size that it promises."""
    if stream.read(6) != b"\x93NUMPY":
        raise ValueError(otherwise)
    declared = Declared(*_header(stream))
    if declared.kind.hasobject:
        raise ValueError("holds Python objects, which are never read from files; save an array of numbers")
    left = size - stream.tell()
    if declared.kind.itemsize == 0:
        raise ValueError(f"damaged: {math.prod(declared.shape):,} values without a byte")
    if min(declared.shape, default=0) < 0 or declared.bytes != left:
        raise ValueError(
            f"damaged: shape {declared.shape} of {declared.kind} needs {declared.bytes:,} bytes, and {left:,} follow"
        )
    return declared


def _read(stream: IO[bytes], declared: Declared) -> npt.NDArray[Any]:
    """The values that follow the header."""
    if declared.bytes == 0:
        return np.empty(declared.shape, declared.kind)
    content = np.empty(declared.bytes, dtype=np.uint8)
    done = 0
    while done < len(content):
        data = stream.read(min(len(content) - done, _BYTES_AT_ONCE))
        if not data:
            raise ValueError(f"cut off: {len(content):,} bytes are promised, and {done:,} follow")
        content[done : done + len(data)] = np.frombuffer(data, dtype=np.uint8)
        done += len(data)
    if stream.read(1):  # reaching the end is also what makes zipfile compare the checksum
        raise ValueError("damaged: more bytes follow than its shape needs")
    return content.view(declared.kind).reshape(declared.shape, order="F" if declared.is_fortran else "C")


def _header(stream: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    version = tuple(stream.read(2))
    readers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    if version not in readers:
        raise ValueError(f"NPY format {version} is not supported")
    length = stream.read(2 if version == (1, 0) else 4)
    promised = int.from_bytes(length, "little")
    if promised > _LONGEST_HEADER:  # NumPy would read up to 4 GB before it looks
        raise ValueError(f"damaged: a header of {promised:,} bytes")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what Python's parser thinks of the header
            return readers[version](io.BytesIO(length + stream.read(promised)))
    except Exception as error:  # Python's parser can raise nearly anything on nonsense, MemoryError too
        raise ValueError(f"damaged: its header cannot be understood: {error}") from error


def unknown_arrays(names: Iterable[str]) -> str:
    """What to say of a file without any array that has a meaning here."""
    found = ", ".join(sorted(names)[:8]) or "none"
    return f"holds none of the arrays points, images, or histograms and support; found: {found}"
