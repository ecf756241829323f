"""Times one RPW by PyCoOT; run by bench_lmr.py in an environment of its own: pycoot_worker.py INPUT.npz RESULT.json."""

from __future__ import annotations

import contextlib
import json
import math
import os
import sys
import time
import types
from collections.abc import Callable
from pathlib import Path

import numpy as np

WARM_UP = 1.0  # seconds
REPEATS = 2
AGAIN_BELOW = 20.0  # seconds: the repeats must fit the same minute


def load() -> Callable[..., float]:
    """PyCoOT's `rpw`; this starts the JVM."""
    # It asks for 128 GB. Compilation in the foreground leaves the time of this thread to compiled code.
    os.environ["_JAVA_OPTIONS"] = "-Xmx8g -Xbatch"
    sys.modules["torch"] = types.ModuleType("torch")  # imported by it, and not needed for LMR
    import cot

    function: Callable[..., float] = cot.rpw
    return function


def warm_up(rpw: Callable[..., float]) -> None:
    """Solve small problems until Java has compiled what it will."""
    rng = np.random.default_rng(0)
    uniform = np.full(200, 1 / 200)
    end = time.perf_counter() + WARM_UP
    while time.perf_counter() < end:
        with contextlib.suppress(Exception):
            rpw(uniform, uniform, rng.random((200, 200)), 1e-3, 1, 2)


def timed(call: Callable[[], float]) -> tuple[float, float]:
    """Seconds and value of one call; Java computes in this thread."""
    start = time.thread_time()
    value = float(call())
    return time.thread_time() - start, value


def main() -> None:
    rpw = load()
    with np.load(sys.argv[1], allow_pickle=False) as given:
        a, b = given["a"], given["b"]
        cost = np.ascontiguousarray(given["cost"].T)  # its rows belong to the second measure
        p, k, eps = int(given["p"]), float(given["k"]), float(given["eps"])
    result: dict[str, object]
    try:
        first, value = timed(lambda: rpw(a, b, cost, eps, k, p))
        best = first
        if first < AGAIN_BELOW:
            warm_up(rpw)
            best = min(timed(lambda: rpw(a, b, cost, eps, k, p))[0] for _ in range(REPEATS))
        result = {"first": first, "seconds": best, "value": value} if math.isfinite(value) else {"failure": "NaN"}
    except Exception as error:  # what Java throws has no common type here
        result = {"failure": type(error).__name__}
    Path(sys.argv[2]).write_text(json.dumps(result))


if __name__ == "__main__":
    main()
