"""Arrays in NPY and NPZ files. Nothing is unpickled, and no header is believed before its file's size agrees."""

from __future__ import annotations

import math
import os
import warnings
import zipfile
from collections.abc import Iterable
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from rpw._memory import available_bytes
from rpw._tables import WEIGHT_NAMES

__all__ = ["KNOWN_ARRAYS", "Arrays", "load_arrays", "unknown_arrays"]

Arrays = dict[str, npt.NDArray[Any]]
KNOWN_ARRAYS = ("images", "histograms", "support", "points", *WEIGHT_NAMES, "labels")


def load_arrays(stream: IO[bytes], suffix: str) -> Arrays:
    """The arrays of a file by name; that of an NPY file, and an only one of an NPZ file, is called ``""``."""
    if suffix == ".npy":
        return {"": _load_npy(stream, os.fstat(stream.fileno()).st_size, "not an NPY file")}
    if not zipfile.is_zipfile(stream):
        raise ValueError("not an NPZ file, or cut off: it has no table of contents")
    with zipfile.ZipFile(stream) as archive:
        entries = {entry.filename.removesuffix(".npy"): entry for entry in archive.infolist()}
        if {"about", "start", "mass"} <= set(entries):
            raise ValueError("is an index of rpw, not a measure or a collection; rpw search and rpw.Index.load read it")
        wanted = [name for name in entries if name in KNOWN_ARRAYS]
        if len(entries) == 1 and not wanted:
            wanted = list(entries)
        if not wanted:
            raise ValueError(unknown_arrays(entries))
        arrays = {name: _load_entry(archive, entries[name], name) for name in wanted}
    return {"": arrays[wanted[0]]} if len(entries) == 1 and wanted[0] not in KNOWN_ARRAYS else arrays


def _load_entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, name: str) -> npt.NDArray[Any]:
    with archive.open(entry) as stream:
        try:
            return _load_npy(stream, entry.file_size, "not an NPY array")
        except MemoryError:
            raise
        except Exception as error:
            raise ValueError(f"array {name!r}: {error}") from error


def _load_npy(stream: IO[bytes], size: int, otherwise: str) -> npt.NDArray[Any]:
    """One array in NPY format of ``size`` bytes in all; what its header says is believed only if the size agrees."""
    if stream.read(6) != b"\x93NUMPY":
        raise ValueError(otherwise)
    shape, fortran, kind = _header(stream)
    if kind.hasobject:
        raise ValueError("holds Python objects, which only pickle can read; save an array of numbers")
    promised, left = math.prod(shape) * kind.itemsize, size - stream.tell()
    if min(shape, default=0) < 0 or promised != left:
        raise ValueError(f"damaged: shape {shape} of {kind} needs {promised:,} bytes, and {left:,} follow")
    if promised > available_bytes():
        raise MemoryError(f"an array of {promised / 1e9:,.1f} GB does not fit into memory")
    return np.frombuffer(stream.read(promised), dtype=kind).reshape(shape, order="F" if fortran else "C")


def _header(stream: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    version = tuple(stream.read(2))
    readers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    if version not in readers:
        raise ValueError(f"NPY format {version} is not supported")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what Python's parser thinks of the header
            return readers[version](stream)
    except Exception as error:  # Python's parser can raise nearly anything on nonsense, MemoryError too
        raise ValueError(f"damaged: its header cannot be understood: {error}") from error


def unknown_arrays(names: Iterable[str]) -> str:
    """What to say of a file without any array that has a meaning here."""
    found = ", ".join(sorted(names)[:8]) or "none"
    return f"holds none of the arrays points, images, or histograms and support; found: {found}"
