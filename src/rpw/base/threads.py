"""How many threads there may be."""

from __future__ import annotations

import os
from typing import Any

from rpw.base.check import as_whole

__all__ = ["as_n_threads"]

_MOST_THREADS = 64  # or four per core: more would only cost memory, and systems refuse thousands


def as_n_threads(value: Any) -> int:
    """The number of threads: all cores that this process may use, unless given."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if value is None:
        return cores
    return min(as_whole(value, "n_threads", 1), max(_MOST_THREADS, 4 * cores))
