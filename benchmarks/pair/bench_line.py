"""Points on the line: times beside `numpy.sort` of both arrays, and beside what people use today.

    python benchmarks/pair/bench_line.py [--n 5000 1000000] [--repeat 3]

The value of every call is checked against a peer's where one computes the same number.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
import ot
import scipy.stats

import rpw

INF = float("inf")


def best_time(call: Callable[[], object], repeat: int) -> tuple[float, object]:
    """The shortest of several runs, and the last answer."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        answer = call()
        times.append(time.perf_counter() - start)
    return min(times), answer


def ours(x: np.ndarray, y: np.ndarray, a: np.ndarray | None, b: np.ndarray | None) -> dict[str, Callable[[], object]]:
    calls: dict[str, Callable[[], object]] = {
        f"W_{p:g}": (lambda p=p: rpw.wasserstein(x, y, a, b, p=p)) for p in (1, 2)
    }
    calls |= {f"RPW p={p:g}": (lambda p=p: rpw.distance(x, y, a, b, p=p, diameter=1)) for p in (1, 2, INF)}
    calls["solve p=2 (plan and proof)"] = lambda: rpw.solve(x, y, a, b, p=2, diameter=1).gap
    calls["profile p=1"] = lambda: rpw.profile(x, y, a, b, p=1, diameter=1)(1.0)
    return calls


def peers(x: np.ndarray, y: np.ndarray, a: np.ndarray | None, b: np.ndarray | None) -> dict[str, Callable[[], object]]:
    calls: dict[str, Callable[[], object]] = {
        "scipy.stats.wasserstein_distance": lambda: scipy.stats.wasserstein_distance(x, y, a, b),
        "ot.emd2_1d W_1": lambda: ot.emd2_1d(x, y, a, b, metric="minkowski", p=1),
        "ot.emd2_1d W_2": lambda: float(ot.emd2_1d(x, y, a, b)) ** 0.5,
    }
    partial = getattr(ot, "partial_wasserstein_1d", None) or getattr(ot.partial, "partial_wasserstein_1d", None)
    if partial is not None and a is None:  # p = 1 and equal masses only
        calls["ot.partial_wasserstein_1d (whole profile)"] = lambda: float(np.sum(partial(x, y)[2])) / len(x)
    return calls


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, nargs="+", default=[5000, 1_000_000])
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    for n in options.n:
        rng = np.random.default_rng(0)
        x, y = rng.normal(size=n), 1.1 * rng.normal(size=n) + 0.2
        unit, _ = best_time(lambda x=x, y=y: (np.sort(x), np.sort(y)), options.repeat)
        print(f"n = m = {n:,}: numpy.sort of both {unit * 1e3:.2f} ms")
        weights = rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(n))
        for kind, (a, b) in {"uniform": (None, None), "Dirichlet": weights}.items():
            for name, call in (ours(x, y, a, b) | peers(x, y, a, b)).items():
                seconds, answer = best_time(call, options.repeat)
                print(f"  {kind:9} {name:42} {seconds * 1e3:10.2f} ms  {seconds / unit:7.1f} sorts   {answer:.12g}")


if __name__ == "__main__":
    main()
