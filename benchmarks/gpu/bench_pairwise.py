"""`rpw.pairwise(device="cuda")` beside `device="cpu"` on the same machine: all pairs of digits.

    python benchmarks/gpu/bench_pairwise.py --data FOLDER        (with mnist.npz, `images` in it)

Times are of the whole call: checks, copies and the matrix included. The first call on the GPU compiles, unless the
cache has the code. The error is the largest difference of any two entries of the two matrices.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

import rpw


def digits(folder, count):
    found = []
    for picture in np.load(folder / "mnist.npz")["images"][:count] / 255.0:
        row, column = np.nonzero(picture)
        found.append(rpw.Measure(np.stack([row, column], 1) / (27 * np.sqrt(2)), picture[row, column]))
    return found


def timed(measures, **options):
    started = time.perf_counter()
    matrix = rpw.pairwise(measures, **options)
    return matrix, time.perf_counter() - started


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--count", type=int, default=450)
    options = parser.parse_args()
    measures = digits(options.data, options.count)
    pairs = len(measures) * (len(measures) - 1) // 2
    for question in ({"k": 0.1}, {"k": 1}, {"k": 10}, {"distance": "wasserstein"}, {"distance": "total_variation"}):
        first, cold = timed(measures, device="cuda", **question)
        runs = [timed(measures, device="cuda", **question) for _ in range(3)]
        expected, on_cpu = timed(measures, **question)
        print(
            f"{question!s:34} {pairs:,} pairs  first {cold:6.3f} s  then {np.median([t for _, t in runs]):6.3f} s  "
            f"CPU {on_cpu:6.2f} s  error {np.abs(first - expected).max():.1e}  "
            f"same bits {all(np.array_equal(first, again) for again, _ in runs)}",
            flush=True,
        )


if __name__ == "__main__":
    main()
