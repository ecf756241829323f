"""Refuses problems that cannot fit before anything is allocated."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

# Head room for the lists that a walk keeps beside its costs.
_HEAD_ROOM = 1.25


def available_bytes() -> float:
    """Memory this process may still take, or infinity where the system does not tell."""
    return min(_from_meminfo(), _from_cgroup())


def check_pairs_fit(n: int, m: int, bytes_per_cost: int = 8, limit: float = float("inf")) -> None:
    """Raise ``MemoryError`` if an n x m problem needs more memory than there is, or than ``limit``."""
    needed = n * m * bytes_per_cost * _HEAD_ROOM
    available = min(available_bytes(), limit)
    if needed > available:
        raise MemoryError(
            f"{n:,} x {m:,} points need about {needed / 1e9:,.1f} GB for their costs, and {available / 1e9:,.1f} GB "
            "are available. Subsample the points, or merge near ones and pass their summed weights as a and b."
        )


def check_threads_fit(sizes_a: Any, sizes_b: Any, n_threads: int, is_halved: bool, limit: float = float("inf")) -> None:
    """Raise ``MemoryError`` if the largest pairs of two collections do not fit, as many as threads work on at once.

    ``is_halved``: both collections are the same, and no measure is compared with itself. ``limit``: what they may take
    where that is less than what is available.
    """
    most = n_threads + 1
    sizes_a, sizes_b = (np.sort(sizes)[::-1][:most].astype(np.float64) for sizes in (sizes_a, sizes_b))
    pairs = np.triu_indices(len(sizes_a), k=1) if is_halved else np.indices((len(sizes_a), len(sizes_b))).reshape(2, -1)
    n, m = sizes_a[pairs[0]], sizes_b[pairs[1]]
    if len(n) == 0:
        return
    largest = int(np.argmax(n * m))
    check_pairs_fit(int(n[largest]), int(m[largest]), limit=limit)
    needed = float(np.sort(n * m)[::-1][:n_threads].sum()) * 8 * _HEAD_ROOM
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
            "are available. Pass out= to keep it on disk."
        )


def _from_meminfo() -> float:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return float(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    try:
        return float(os.sysconf("SC_PAGE_SIZE")) * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return float("inf")


def _from_cgroup() -> float:
    try:
        limit = Path("/sys/fs/cgroup/memory.max").read_text().strip()
        used = Path("/sys/fs/cgroup/memory.current").read_text().strip()
        return float("inf") if limit == "max" else float(limit) - float(used)
    except (OSError, ValueError):
        return float("inf")
