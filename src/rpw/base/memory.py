"""Refuses problems that cannot fit before anything is allocated."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

_HEAD_ROOM = 1.25  # for the lists that a walk keeps beside its costs
# Asking the system takes longer than solving a small problem, and a process without this much left could do nothing.
_ALWAYS_FITS = 2_000_000
_UNKNOWN = float("inf")

_TREES = "solver='points' needs no such matrix. "
_FEWER = "Fewer points need less: subsample them, or merge near ones into points with weights."


def available_bytes(root: Path = Path("/")) -> float:
    """Memory that this process may still take: the least of what is free, and of what all limits leave.

    Infinite where the system does not tell. ``root`` is the folder below which ``proc`` and ``sys`` lie.
    """
    return max(0.0, min([_free(root), _left_by_process(root), *_left_by_groups(root)]))


def _free(root: Path) -> float:
    """What the machine has left; where only Windows can tell, what that says."""
    with suppress(OSError, ValueError, StopIteration):
        lines = (root / "proc/meminfo").read_text().splitlines()
        return 1024.0 * int(next(line for line in lines if line.startswith("MemAvailable:")).split()[1])
    try:
        return float(os.sysconf("SC_PAGE_SIZE")) * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        import ctypes

    # MEMORYSTATUSEX: its length and the load as two halves of one number, then total and available memory of each kind.
    status, library = (ctypes.c_uint64 * 8)(64), getattr(ctypes, "windll", None)
    if library is None or not library.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)):
        return _UNKNOWN
    return float(min(status[2], status[4]))


def _left_by_process(root: Path) -> float:
    """What ``ulimit -v`` and ``ulimit -d`` leave this process."""
    try:
        import resource

        pages = [int(number) for number in (root / "proc/self/statm").read_text().split()]
        used = {resource.RLIMIT_AS: pages[0], resource.RLIMIT_DATA: pages[5]}
    except (ImportError, OSError, ValueError, IndexError):  # not a system with such limits
        return _UNKNOWN
    limits = {which: resource.getrlimit(which)[0] for which in used}
    page = os.sysconf("SC_PAGE_SIZE")
    left = [limit - used[which] * page for which, limit in limits.items() if limit != resource.RLIM_INFINITY]
    return float(min(left, default=_UNKNOWN))


def _left_by_groups(root: Path) -> Iterator[float]:
    """What each control group around this process (a container, a batch job) leaves it, in versions 1 and 2.

    In a container the path may be the one outside. Its own group is then at the top, which is looked at as well.
    """
    with suppress(OSError, ValueError):
        for line in (root / "proc/self/cgroup").read_text().splitlines():  # 0::/a/b, or 4:memory:/a/b
            number, controllers, path = [*line.split(":", 2), "", ""][:3]
            own = PurePosixPath(path.lstrip("/"))
            for group in (own, *own.parents):
                if "memory" in controllers.split(","):
                    files = "memory.limit_in_bytes", "memory.usage_in_bytes", "total_"
                    yield _left_by_group(root / "sys/fs/cgroup/memory" / group, *files)
                elif number == "0":
                    yield _left_by_group(root / "sys/fs/cgroup" / group, "memory.max", "memory.current", "")


def _left_by_group(folder: Path, limit: str, used: str, prefix: str) -> float:
    """The limit less what is used; files that the system keeps for speed are given back when memory is short."""
    left = _UNKNOWN
    with suppress(OSError, ValueError):  # also where the limit is "max"
        left = float(int((folder / limit).read_text()) - int((folder / used).read_text()))
        lines = (line.split() for line in (folder / "memory.stat").read_text().splitlines())
        cached = (f"{prefix}inactive_file", f"{prefix}active_file")
        left += sum(float(number) for name, number in lines if name in cached)
    return left


def is_out_of_memory(reason: str) -> bool:
    """Whether a pair failed because the memory ran out, in the core or in Python."""
    return reason.startswith("MemoryError")


def check_pairs_fit(
    n: int, m: int, bytes_per_cost: int = 8, limit: float = _UNKNOWN, has_trees: Callable[[], bool] = lambda: False
) -> None:
    """Raise ``MemoryError`` if an n x m problem needs more memory than there is, or than ``limit``.

    ``has_trees``: whether the caller has an argument ``solver``, and ``"points"`` would answer the question.
    """
    subject = f"{n:,} x {m:,} points need about {{}} for their costs"
    _check(n * m * bytes_per_cost * _HEAD_ROOM, subject, lambda: (_TREES if has_trees() else "") + _FEWER, limit)


def check_threads_fit(
    sizes_a: Any,
    sizes_b: Any,
    n_threads: int,
    is_halved: bool,
    limit: float = _UNKNOWN,
    needs_matrix: Callable[[int, int], bool] = lambda n, m: True,
) -> None:
    """Raise ``MemoryError`` if the largest pairs of two collections do not fit, as many as threads work on at once.

    ``is_halved``: both collections are the same, and no measure is compared with itself. ``limit``: what they may take
    where that is less than what is available. ``needs_matrix``: whether a pair of these sizes takes memory at all.
    """
    sizes_a, sizes_b = (np.sort(sizes)[::-1][: n_threads + 1].tolist() for sizes in (sizes_a, sizes_b))
    pairs = [(n, m) for i, n in enumerate(sizes_a) for m in sizes_b[i + 1 if is_halved else 0 :]]
    pairs = sorted((pair for pair in pairs if needs_matrix(*pair)), key=lambda pair: pair[0] * pair[1], reverse=True)
    if not pairs:
        return
    n, m = pairs[0]
    check_pairs_fit(n, m, limit=limit)
    subject = f"{n_threads} threads on pairs of up to {n:,} x {m:,} points need about {{}} for their costs"
    needed = sum(n * m for n, m in pairs[:n_threads]) * 8 * _HEAD_ROOM
    _check(needed, subject, lambda: "Pass a smaller n_threads, or subsample the points.", limit)


def check_matrix_fits(n: int, m: int, bytes_per_entry: int = 8) -> None:
    """Raise ``MemoryError`` if a matrix of distances does not fit."""
    subject = f"a matrix of {n:,} x {m:,} distances needs about {{}}"
    _check(n * m * bytes_per_entry, subject, lambda: "rpw.pairwise(out=) with a Zarr store keeps it on disk.")


def check_file_fits(needed: float, subject: str) -> None:
    """Raise ``MemoryError`` if the content of a file does not fit; ``subject`` says what needs the memory."""
    _check(needed, f"{subject} about {{}} of memory")


def _check(needed: float, subject: str, way_out: Callable[[], str] = lambda: "", limit: float = _UNKNOWN) -> None:
    """Raise if so many bytes are more than there are; ``subject`` leaves room for the number."""
    if needed <= min(_ALWAYS_FITS, limit):
        return
    available = min(available_bytes(), limit)
    if needed > available:
        text = f"{subject.format(f'{needed / 1e9:,.1f} GB')}, and {available / 1e9:,.1f} GB are available"
        raise MemoryError(f"{text}. {way_out()}" if way_out() else text)
