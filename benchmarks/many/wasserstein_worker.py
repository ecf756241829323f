"""Times W_2 of all pairs by the package `wasserstein`; run by bench_pairs.py in an environment of its own, since that
package needs NumPy 1: wasserstein_worker.py INPUT.npz RESULT.npz."""

from __future__ import annotations

import sys
import time

import numpy as np
import wasserstein


def events(histograms: np.ndarray, support: np.ndarray) -> list[np.ndarray]:
    """Rows of weight and coordinates, as the package wants them; empty pixels are dropped."""
    return [np.column_stack([h[h > 0] / h.sum(), support[h > 0]]) for h in histograms]


def main(given: str, result: str) -> None:
    with np.load(given) as data:
        queries, items = (events(data[name], data["support"]) for name in ("queries", "items"))
        threads = int(data["n_threads"])
    solver = wasserstein.PairwiseEMD(R=1.0, beta=2.0, norm=False, num_threads=threads, print_every=-1, verbose=0)
    solver(queries[:2], items[:2])  # threads are started before the clock
    start = time.perf_counter()
    solver(queries, items)
    seconds = time.perf_counter() - start
    np.savez(result, seconds=seconds, powers=np.asarray(solver.emds()))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
