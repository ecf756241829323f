"""Refuses problems that cannot fit before anything is allocated."""

from __future__ import annotations

import os
from pathlib import Path

# Head room for the lists that a walk keeps beside its costs.
_HEAD_ROOM = 1.25


def available_bytes() -> float:
    """Memory this process may still take, or infinity where the system does not tell."""
    return min(_from_meminfo(), _from_cgroup())


def check_pairs_fit(n: int, m: int, bytes_per_cost: int = 8) -> None:
    """Raise ``MemoryError`` if an n x m problem needs more memory than there is."""
    needed = n * m * bytes_per_cost * _HEAD_ROOM
    available = available_bytes()
    if needed > available:
        raise MemoryError(
            f"{n:,} x {m:,} points need about {needed / 1e9:,.1f} GB for their costs, and {available / 1e9:,.1f} GB "
            "are available. Subsample the points, or merge near ones and pass their summed weights as a and b."
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
