"""Points on the line: times beside `numpy.sort` of both arrays and beside what people use today, and errors.

    python benchmarks/pair/bench_line.py [--n 5000 1000000] [--repeat 3] [--problems 1000]

Errors of W are relative to SciPy (p = 1) and POT (p = 2). RPW has no peer: its error is the gap that the potentials
leave, and 1,000 small problems are compared with the dense solver. Times are those of the processor.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable

import numpy as np
import ot
import scipy.stats

import rpw

INF = math.inf
PRICES = (0.1, 1.0, 10.0)
Weights = np.ndarray | None


def best_time(call: Callable[[], float], repeat: int) -> tuple[float, float]:
    """The shortest of several runs, and the last answer."""
    times = []
    for _ in range(repeat):
        start = time.process_time()
        answer = call()
        times.append(time.process_time() - start)
    return min(times), answer


def peers(x: np.ndarray, y: np.ndarray, a: Weights, b: Weights) -> dict[str, Callable[[], float]]:
    """What others compute, after the root."""
    calls = {
        "scipy.stats.wasserstein_distance": lambda: float(scipy.stats.wasserstein_distance(x, y, a, b)),
        "ot.emd2_1d W_1": lambda: float(ot.emd2_1d(x, y, a, b, metric="minkowski", p=1)),
        "ot.emd2_1d W_2": lambda: math.sqrt(ot.emd2_1d(x, y, a, b)),
    }
    partial = getattr(ot, "partial_wasserstein_1d", None) or getattr(ot.partial, "partial_wasserstein_1d", None)
    if partial is not None and a is None:  # p = 1 and equal masses only; the whole profile
        calls["ot.partial_wasserstein_1d"] = lambda: float(np.sum(partial(x, y)[2])) / len(x)
    return calls


def ours(x: np.ndarray, y: np.ndarray, a: Weights, b: Weights) -> dict[str, Callable[[], float]]:
    """What is timed of rpw."""
    calls = {f"W_{p}": (lambda p=p: rpw.wasserstein(x, y, a, b, p=p)) for p in (1, 2)}
    for p in (1, 2):
        for k in PRICES:
            name = f"RPW p={p} k={k:g}"
            calls[name] = lambda p=p, k=k: rpw.distance(x, y, a, b, p=p, k=k, diameter=1)
    calls["profile p=1"] = lambda: rpw.profile(x, y, a, b, p=1, diameter=1, max_breakpoints=10**8)(1.0)
    return calls


def error_of(name: str, value: float, found: dict[str, float], pair: tuple[np.ndarray, ...]) -> str:
    """In words: against a peer, or by the proof."""
    peer = {"W_1": "scipy.stats.wasserstein_distance", "profile p=1": "scipy.stats.wasserstein_distance"}.get(name)
    peer = "ot.emd2_1d W_2" if name == "W_2" else peer
    if peer is not None:
        return f"{abs(value / found[peer] - 1):.0e} from {peer}"
    if not name.startswith("RPW"):
        return ""
    p, k = (float(word.split("=")[1]) for word in name.split()[1:])
    return f"{rpw.solve(*pair, p=p, k=k, diameter=1).gap:.0e} by its proof"


def time_all(n: int, repeat: int) -> None:
    """The table for n points on either side."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=n), 1.1 * rng.normal(size=n) + 0.2
    unit, _ = best_time(lambda: float(np.sort(x)[0] + np.sort(y)[0]), 10 * repeat)
    print(f"n = m = {n:,}: numpy.sort of both {unit * 1e3:.2f} ms")
    for kind, (a, b) in {
        "uniform": (None, None),
        "Dirichlet": (rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(n))),
    }.items():
        found: dict[str, float] = {}
        for name, call in (peers(x, y, a, b) | ours(x, y, a, b)).items():
            seconds, found[name] = best_time(call, repeat)
            error = error_of(name, found[name], found, (x, y, a, b))
            print(f"  {kind:9} {name:34} {seconds * 1e3:10.2f} ms {seconds / unit:8.1f} sorts  {error}", flush=True)


def small_problem(rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Ties or none, equal weights or Dirichlet ones, of different sizes."""
    sizes = rng.integers(1, 40, 2)
    points = [rng.normal(size=n) if rng.random() < 0.5 else rng.integers(0, 9, n) / 7 for n in sizes]
    weights = [rng.dirichlet(np.ones(n)) if rng.random() < 0.5 else np.ones(n) for n in sizes]
    return *points, *weights


def worst_errors(count: int) -> None:
    """The largest relative differences from the dense solver, over random problems."""
    rng, worst = np.random.default_rng(1), {"RPW": 0.0, "W": 0.0, "partial W": 0.0}
    for _ in range(count):
        x, y, a, b = small_problem(rng)
        p, k, mass = rng.choice([1, 1.5, 2, 3, INF]), 10.0 ** rng.uniform(-1, 1), rng.random()
        cost = np.abs(x[:, None] - y)
        for name, value, expected in (
            ("RPW", *(rpw.distance(*o, a, b, **c, p=p, k=k, diameter=1) for o, c in both(x, y, cost))),
            ("W", *(rpw.wasserstein(*o, a, b, **c, p=p) for o, c in both(x, y, cost))),
            ("partial W", *(rpw.partial_wasserstein(*o, a, b, **c, p=p, mass=mass) for o, c in both(x, y, cost))),
        ):
            worst[name] = max(worst[name], 0.0 if value == expected else abs(value / expected - 1))
    print(
        f"{count:,} random problems, p in {{1, 1.5, 2, 3, inf}}: the largest relative differences from the matrix are"
    )
    print("  " + ", ".join(f"{name} {error:.0e}" for name, error in worst.items()))


def both(x: np.ndarray, y: np.ndarray, cost: np.ndarray) -> list[tuple[tuple, dict]]:
    """The arguments for the line and for the matrix."""
    return [((x, y), {}), ((None, None), {"cost": cost})]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, nargs="+", default=[5000, 1_000_000])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--problems", type=int, default=1000)
    options = parser.parse_args()
    for n in options.n:
        time_all(n, options.repeat if n > 100_000 else 5 * options.repeat)
    worst_errors(options.problems)


if __name__ == "__main__":
    main()
