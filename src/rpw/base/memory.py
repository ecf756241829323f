"""Refuses problems that cannot fit before anything is allocated.

What may still be taken is the least of what the machine has left, what every control group around this process leaves
it (containers, batch systems; versions 1 and 2), and what its own limits (``ulimit -v``, ``ulimit -d``) leave it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import numpy as np

# Head room for the lists that a walk keeps beside its costs.
_HEAD_ROOM = 1.25
# Asking the system takes longer than solving a small problem, and a process without this much left could do nothing.
_ALWAYS_FITS = 2_000_000

# What would work instead.
_TREES = "solver='points' needs no such matrix. "
_FEWER = "Fewer points need less: subsample them, or merge near ones into points with weights."

_ROOT = Path("/")


def available_bytes(root: Path = _ROOT) -> float:
    """Memory this process may still take, or infinity where the system does not tell.

    ``root`` is the folder below which ``proc`` and ``sys`` lie.
    """
    groups = min(map(_left_in, control_groups(root)), default=float("inf"))
    return max(0.0, min(_from_meminfo(root), groups, _from_limits(root)))


def is_out_of_memory(reason: str) -> bool:
    """Whether a pair failed because the memory ran out, in the core or in Python."""
    return reason.startswith("MemoryError")


def check_pairs_fit(
    n: int, m: int, bytes_per_cost: int = 8, limit: float = float("inf"), has_trees: Callable[[], bool] = lambda: False
) -> None:
    """Raise ``MemoryError`` if an n x m problem needs more memory than there is, or than ``limit``.

    ``has_trees``: whether the caller has an argument ``solver``, and ``"points"`` would answer the question.
    """
    needed = n * m * bytes_per_cost * _HEAD_ROOM
    if needed <= min(_ALWAYS_FITS, limit):
        return
    available = min(available_bytes(), limit)
    if needed > available:
        raise MemoryError(
            f"{n:,} x {m:,} points need about {needed / 1e9:,.1f} GB for their costs, and {available / 1e9:,.1f} GB "
            f"are available. {_TREES + _FEWER if has_trees() else _FEWER}"
        )


def check_threads_fit(
    sizes_a: Any,
    sizes_b: Any,
    n_threads: int,
    is_halved: bool,
    limit: float = float("inf"),
    needs_matrix: Callable[[int, int], bool] = lambda n, m: True,
) -> None:
    """Raise ``MemoryError`` if the largest pairs of two collections do not fit, as many as threads work on at once.

    ``is_halved``: both collections are the same, and no measure is compared with itself. ``limit``: what they may take
    where that is less than what is available. ``needs_matrix``: whether a pair of these sizes takes memory at all.
    """
    most = n_threads + 1
    sizes_a, sizes_b = (np.sort(sizes)[::-1][:most].astype(np.float64) for sizes in (sizes_a, sizes_b))
    pairs = np.triu_indices(len(sizes_a), k=1) if is_halved else np.indices((len(sizes_a), len(sizes_b))).reshape(2, -1)
    n, m = sizes_a[pairs[0]], sizes_b[pairs[1]]
    counts = np.array([needs_matrix(int(i), int(j)) for i, j in zip(n, m, strict=True)], dtype=np.bool_)
    n, m = n[counts], m[counts]
    if len(n) == 0:
        return
    largest = int(np.argmax(n * m))
    check_pairs_fit(int(n[largest]), int(m[largest]), limit=limit)
    needed = float(np.sort(n * m)[::-1][:n_threads].sum()) * 8 * _HEAD_ROOM
    if len(n) == 1:  # checked above
        return
    available = min(available_bytes(), limit)
    if needed > available:
        raise MemoryError(
            f"{n_threads} threads on pairs of up to {int(n[largest]):,} x {int(m[largest]):,} points need about "
            f"{needed / 1e9:,.1f} GB for their costs, and {available / 1e9:,.1f} GB are available. Pass a smaller "
            "n_threads, or subsample the points."
        )


def check_matrix_fits(n: int, m: int, bytes_per_entry: int = 8) -> None:
    """Raise ``MemoryError`` if a matrix of distances does not fit."""
    needed, available = n * m * bytes_per_entry, available_bytes()
    if needed > available:
        raise MemoryError(
            f"a matrix of {n:,} x {m:,} distances needs about {needed / 1e9:,.1f} GB, and {available / 1e9:,.1f} GB "
            "are available. rpw.pairwise(out=) with a Zarr store keeps it on disk."
        )


def check_file_fits(needed: float, subject: str) -> None:
    """Raise ``MemoryError`` if the content of a file does not fit; ``subject`` says what needs the memory."""
    if needed <= _ALWAYS_FITS:
        return
    available = available_bytes()
    if needed > available:
        raise MemoryError(
            f"{subject} about {needed / 1e9:,.1f} GB of memory, and {available / 1e9:,.1f} GB are available"
        )


def _from_meminfo(root: Path) -> float:
    try:
        for line in (root / "proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return float(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    try:
        return float(os.sysconf("SC_PAGE_SIZE")) * os.sysconf("SC_PHYS_PAGES")
    except AttributeError:
        return _from_windows()
    except (OSError, ValueError):
        return float("inf")


def _from_windows() -> float:
    import ctypes

    class MemoryStatus(ctypes.Structure):  # MEMORYSTATUSEX
        _fields_ = (
            ("length", ctypes.c_uint32),
            ("load", ctypes.c_uint32),
            ("total_physical", ctypes.c_uint64),
            ("available_physical", ctypes.c_uint64),
            ("total_commit", ctypes.c_uint64),
            ("available_commit", ctypes.c_uint64),
            ("total_virtual", ctypes.c_uint64),
            ("available_virtual", ctypes.c_uint64),
            ("available_extended_virtual", ctypes.c_uint64),
        )

    status = MemoryStatus(length=ctypes.sizeof(MemoryStatus))
    library: Any = getattr(ctypes, "windll", None)  # there on Windows alone
    if library is None or not library.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)):
        return float("inf")
    return float(min(status.available_physical, status.available_commit))


def _from_limits(root: Path) -> float:
    """What the limits on the address space and on the data of this process leave."""
    try:
        import resource

        used = [int(pages) for pages in (root / "proc/self/statm").read_text().split()]
        page = os.sysconf("SC_PAGE_SIZE")
        limits = [(resource.RLIMIT_AS, used[0]), (resource.RLIMIT_DATA, used[5])]
        soft = [(resource.getrlimit(which)[0], pages * page) for which, pages in limits]
        return min((float(limit - taken) for limit, taken in soft if limit != resource.RLIM_INFINITY), default=np.inf)
    except (ImportError, OSError, ValueError, IndexError):  # not a system with such limits
        return float("inf")


class _Files(NamedTuple):
    """What the two versions of control groups call the same facts."""

    limit: str
    used: str
    cached: tuple[str, ...]  # lines of memory.stat: given back as soon as memory is short


_FILES = {
    1: _Files("memory.limit_in_bytes", "memory.usage_in_bytes", ("total_inactive_file", "total_active_file")),
    2: _Files("memory.max", "memory.current", ("inactive_file", "active_file")),
}


_NO_LIMIT = 1 << 60  # how version 1 says "max": the largest number that is a multiple of the page size


class _Group(NamedTuple):
    folder: Path
    files: _Files


def _left_in(group: _Group) -> float:
    """The limit of one control group less what is used in it; infinity where it has none."""
    try:
        limit = (group.folder / group.files.limit).read_text().strip()
        if limit == "max" or int(limit) >= _NO_LIMIT:
            return float("inf")
        left = float(limit) - float((group.folder / group.files.used).read_text())
    except (OSError, ValueError):
        return float("inf")
    try:
        lines = (line.split() for line in (group.folder / "memory.stat").read_text().splitlines())
        return left + sum(float(value) for name, value in lines if name in group.files.cached)
    except (OSError, ValueError):
        return left


@cache
def control_groups(root: Path) -> tuple[_Group, ...]:
    """The control groups that limit the memory of this process: a process stays where it was started."""
    return tuple(_groups_upwards(root))


def _groups_upwards(root: Path) -> Iterator[_Group]:
    """The process's own group first, then those around it: each of them counts."""
    for version, path in _memberships(root):
        for mount in _mounts(root, version):
            own = _below(mount.source, path)
            for part in (own, *own.parents):
                yield _Group(root / mount.target.relative_to("/") / part, _FILES[version])


def _memberships(root: Path) -> Iterator[tuple[int, PurePosixPath]]:
    """The groups that this process is in, as (version, path): lines such as ``0::/a/b`` and ``4:memory:/a/b``."""
    for line in _lines(root / "proc/self/cgroup"):
        number, controllers, path = [*line.split(":", 2), "", ""][:3]
        if number == "0" and controllers == "":
            yield 2, PurePosixPath(path)
        elif "memory" in controllers.split(","):
            yield 1, PurePosixPath(path)


class _Mount(NamedTuple):
    source: PurePosixPath  # the group that is seen at the top of the mount
    target: PurePosixPath


def _mounts(root: Path, version: int) -> Iterator[_Mount]:
    """Where the groups of one version are mounted: lines ``id parent dev source target options … - type name more``."""
    for line in _lines(root / "proc/self/mountinfo"):
        before, _, after = line.partition(" - ")
        fields, kind = before.split(), after.split()
        if len(fields) < 5 or len(kind) < 3 or not fields[4].startswith("/"):
            continue
        is_wanted = kind[0] == "cgroup2" if version == 2 else kind[0] == "cgroup" and "memory" in kind[2].split(",")
        if is_wanted:
            yield _Mount(PurePosixPath(fields[3]), PurePosixPath(fields[4].replace("\\040", " ")))


def _below(source: PurePosixPath, path: PurePosixPath) -> PurePosixPath:
    """A path inside a mount; the top of the mount where the path lies elsewhere, as it may in a container."""
    if ".." in path.parts or not path.is_relative_to(source):
        return PurePosixPath()
    return path.relative_to(source)


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except (OSError, ValueError):
        return []
