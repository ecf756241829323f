"""Speed and memory of the exact solvers beside POT, as ratios measured in one run, with the error beside the time.

Run it with ``make bench`` (all tables, one thread) or, for a quick look, ``make bench ARGS=--quick``.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # one thread for everybody; must be set before NumPy loads

import argparse
import gc
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import peers
import workloads

import rpw

KS = (0.1, 1.0, 10.0)
MORE_KS = (*KS, 100.0)
LEAST_YARDSTICK = 1e-3  # seconds; a call of POT that is faster counts as so long


def timed(call: Callable[[], float], budget: float = 0.5) -> tuple[float, float]:
    """Best processor time of as many calls as fit the budget (at least one, at most five), and the value."""
    best, spent = np.inf, 0.0
    gc.collect()
    for _ in range(5):
        start = time.process_time()
        value = call()
        elapsed = time.process_time() - start
        best, spent = min(best, elapsed), spent + elapsed
        if spent > budget:
            break
    return best, value


def geometric_mean(ratios: list[float]) -> float:
    return float(np.exp(np.mean(np.log(ratios))))


def tell(name: str, ratios: list[float]) -> None:
    print(f"{name:32} geometric mean {geometric_mean(ratios):.3f}, worst {max(ratios):.3f}", flush=True)


def speed_table(sizes: tuple[int, ...]) -> list[float]:
    """Exact RPW, W_p and the whole profile over one `ot.emd2` of the same problem."""
    print("Time over one ot.emd2(a, b, C**p) of the same problem (one thread, best of up to five)")
    head = f"{'input':34} p  emd2 ms  k=0.1    k=1   k=10     W  profile  points  error W"
    print(head + "\n" + "-" * len(head))
    ratios: dict[str, list[float]] = {"rpw": [], "w": [], "profile, uniform": [], "profile, unequal": []}
    for work in workloads.all_workloads(sizes):
        for p in (2, 1):
            cost_p = work.cost**p
            emd2, value = timed(lambda c=cost_p, w=work: peers.emd2(w.a, w.b, c))
            given = {"cost": work.cost, "a": work.a, "b": work.b, "p": p}
            rpws = [timed(lambda k=k, g=given: rpw.distance(**g, k=k))[0] / emd2 for k in KS]
            w, mine = timed(lambda g=given: rpw.wasserstein(**g))
            curve, breakpoints = timed(lambda g=given: len(rpw.profile(**g)))
            ratios["rpw"] += rpws
            ratios["w"].append(w / emd2)
            ratios["profile, uniform" if work.is_uniform else "profile, unequal"].append(curve / emd2)
            print(
                f"{work.name:34} {p} {1e3 * emd2:8.1f} {rpws[0]:6.3f} {rpws[1]:6.3f} {rpws[2]:6.3f} {w / emd2:5.3f} "
                f"{curve / emd2:8.3f} {breakpoints:7d} {abs(mine**p / value - 1):8.0e}",
                flush=True,
            )
    for name, values in ratios.items():
        tell(name, values)
    return ratios["w"]


def cross_beside_peer(work: workloads.Workload, p: int, k: float, emd2: float, budget: float) -> tuple[float, float]:
    """RPW's time over the dearer yardstick, and its error against the peer's line at the multiplier."""
    given = {"cost": work.cost, "a": work.a, "b": work.b, "p": p, "k": k}
    mine, value = timed(lambda: rpw.distance(**given), budget)
    multiplier = rpw.solve(**given).multiplier * (1 + 1e-9)  # what the answer leaves behind shall stay behind
    cost_p = work.cost**p
    theirs, height = timed(lambda: peers.height_at(work.a, work.b, cost_p, multiplier), budget)
    near = height / (k + multiplier)
    if p == 2:
        near = 2 * height / (multiplier + np.hypot(multiplier, 2 * k * np.sqrt(max(height, 0.0))))
    return mine / max(emd2, theirs, LEAST_YARDSTICK), abs(near - value)


def structured_table(n: int, budget: float) -> list[float]:
    """Inputs with cliffs: RPW over the dearer of two yardsticks, W over the first of them."""
    print("\nStructured inputs: RPW over the dearer of one ot.emd2 and one ot.emd2 with a dummy row and column at the")
    print("crossing's multiplier; W over ot.emd2 (each counted as 1 ms at least)")
    head = f"{'input':30} p  emd2 ms  k=0.1    k=1   k=10  k=100       W  error RPW  error W"
    print(head + "\n" + "-" * len(head))
    crossings: list[float] = []
    full: list[float] = []
    for work in workloads.structured_workloads(n):
        for p in (1, 2):
            cost_p = work.cost**p
            emd2, value = timed(lambda c=cost_p, w=work: peers.emd2(w.a, w.b, c), budget)
            answers = [cross_beside_peer(work, p, k, emd2, budget) for k in MORE_KS]
            w, mine = timed(lambda w=work, p=p: rpw.wasserstein(cost=w.cost, a=w.a, b=w.b, p=p), budget)
            crossings += [ratio for ratio, _ in answers]
            full.append(w / max(emd2, LEAST_YARDSTICK))
            shown = " ".join(f"{ratio:6.3f}" for ratio, _ in answers)
            print(
                f"{work.name:30} {p} {1e3 * emd2:8.1f} {shown} {full[-1]:7.3f} "
                f"{max(error for _, error in answers):10.0e} {abs(mine**p - value) / (value or 1):8.0e}",
                flush=True,
            )
    tell("structured, rpw", crossings)
    tell("structured, w", full)
    return full


def growth_table() -> None:
    """How the time grows with n."""
    print("\nTime of n = 4000 over n = 1000 (square, uniform, p = 2)")
    works = [workloads.square(n, "uniform", False) for n in (1000, 4000)]
    for name, call in (
        ("rpw.distance k=0.1", lambda w: rpw.distance(cost=w.cost, a=w.a, b=w.b, k=0.1)),
        ("rpw.distance k=1", lambda w: rpw.distance(cost=w.cost, a=w.a, b=w.b, k=1)),
        ("rpw.distance k=10", lambda w: rpw.distance(cost=w.cost, a=w.a, b=w.b, k=10)),
        ("rpw.wasserstein", lambda w: rpw.wasserstein(cost=w.cost, a=w.a, b=w.b)),
        ("ot.emd2", lambda w: peers.emd2(w.a, w.b, w.cost**2)),
    ):
        times = [timed(lambda w=work, c=call: c(w))[0] for work in works]
        ratio = times[1] / times[0]
        print(f"  {name:20} {ratio:6.1f} times, exponent {np.log(ratio) / np.log(4):.2f}")


def bisection_table() -> None:
    """The paper's bisection on POT, to 1e-6, over our exact answer."""
    print("\nThe paper's bisection on POT (to 1e-6) over rpw.distance (exact), k = 1")
    for work, p in (
        (workloads.square(300, "uniform", False), 2),
        (workloads.square(1000, "uniform", True), 2),
        (workloads.square(300, "dirichlet", False), 1),
        (workloads.grey_images(), 2),
    ):
        mine, exact = timed(lambda w=work, p=p: rpw.distance(cost=w.cost, a=w.a, b=w.b, p=p, k=1))
        theirs, near = timed(lambda w=work, p=p: peers.rpw_by_bisection(w.a, w.b, w.cost**p, p, 1.0, 1e-6), budget=0)
        print(f"  {work.name:34} p={p}  {theirs / mine:7.0f} times, they differ by {abs(near - exact):.1e}", flush=True)


def memory_table(n: int = 5000) -> None:
    """Peak memory beyond the caller's arrays, each call in a process of its own."""
    array = n * n * 8 / 1e6
    print(f"\nPeak memory beyond the caller's arrays, n = m = {n} (one n x m float64 array: {array:.0f} MB)")
    script = Path(__file__).with_name("memory.py")
    for call in ("rpw.distance", "rpw.wasserstein", "rpw.profile", "rpw.distance from points", "ot.emd2"):
        done = subprocess.run([sys.executable, script, call, str(n)], capture_output=True, text=True, check=True)
        print(f"  {call:26} {float(done.stdout):7.0f} MB", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes of the tables of times only")
    quick = parser.parse_args().quick
    full = speed_table((300, 1000) if quick else (300, 1000, 3000))
    full += structured_table(*(200, 0.02) if quick else (1000, 0.5))
    tell("w, both families", full)
    if not quick:
        growth_table()
        bisection_table()
        memory_table()


if __name__ == "__main__":
    main()
