"""Times the tests of hyppo and alibi-detect, as far as the environment has them; bench_time.py starts it.

Given: an .npz with x, y, splits and runs. Result: an .npz with seconds by name, by the clock and of the
processor, the best of all runs.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "2")

import sys
import time

import numpy as np


def hyppo_tests(x, y, splits):
    from hyppo.ksample import MMD, Energy

    yield "hyppo Energy", lambda: Energy().test(x, y, reps=splits, workers=1, auto=False)
    yield "hyppo MMD", lambda: MMD().test(x, y, reps=splits, workers=1, auto=False)


def alibi_tests(x, y, splits):
    from alibi_detect.cd import MMDDrift

    yield "alibi-detect MMDDrift", lambda: MMDDrift(x, backend="pytorch", n_permutations=splits).predict(y)


def main() -> None:
    with np.load(sys.argv[1]) as given:
        x, y, splits, runs = given["x"], given["y"], int(given["splits"]), int(given["runs"])
    seconds = {}
    for tests in (hyppo_tests, alibi_tests):
        try:
            for name, call in tests(x, y, splits):
                call()  # compiles
                for _ in range(runs):
                    clock, processor = time.perf_counter(), time.process_time()
                    call()
                    found = (time.perf_counter() - clock, time.process_time() - processor)
                    seconds[name] = np.minimum(seconds.get(name, np.inf), found)
        except ImportError as error:
            print(f"left out: {error}", flush=True)
    np.savez(sys.argv[2], **seconds)


if __name__ == "__main__":
    main()
