"""Prints the peak memory (MB) that one call takes beyond its inputs; run by bench.py in a process of its own."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np


def peak() -> float:
    """The high-water mark of this process alone (getrusage would start from that of its parent)."""
    line = next(s for s in Path("/proc/self/status").read_text().splitlines() if s.startswith("VmHWM:"))
    return float(line.split()[1]) / 1024


def main() -> None:
    call, n = sys.argv[1], int(sys.argv[2])
    rng = np.random.default_rng(0)
    x, y = rng.random((n, 2)), rng.random((n, 2))
    import rpw

    rpw.distance(x[:50], y[:50])  # loads what is loaded late
    if call == "rpw.distance from points":
        before = peak()
        rpw.distance(x, y)
    else:
        from scipy.spatial.distance import cdist

        cost, a, b = cdist(x, y), np.full(n, 1 / n), np.full(n, 1 / n)
        if call == "ot.emd2":
            import ot

            cost *= cost
            ot.emd2(a[:50] * n / 50, b[:50] * n / 50, cost[:50, :50].copy())
        calls = {
            "rpw.distance": lambda: rpw.distance(cost=cost, a=a, b=b),
            "rpw.wasserstein": lambda: rpw.wasserstein(cost=cost, a=a, b=b),
            "rpw.profile": lambda: rpw.profile(cost=cost, a=a, b=b),
            "ot.emd2": lambda: ot.emd2(a, b, cost, numItermax=10_000_000),
        }
        before = peak()
        calls[call]()
    print(peak() - before)


if __name__ == "__main__":
    main()
