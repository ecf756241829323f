"""How long a two-sample test takes: 999 splits in the plane, beside tests of other packages in the same run.

Run it with ``make bench-stats``. ``--peers PYTHON`` is the interpreter of an environment with hyppo (and alibi-detect
with torch, if they install there). ``--device cuda`` times the splits on a GPU. Times are the best of several; ratios
are to the first line of their table.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "2")  # before NumPy loads: peers get as many threads as we

import cProfile
import pstats
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import scipy.stats
from trials import Array, generator, options, print_row

import rpw

WIDTHS = [46, 10, 8, 10, 8]


def samples(seed: int, n: int, d: int) -> tuple[Array, Array]:
    rng = generator(seed, n, d)
    return rng.normal(size=(n, d)), rng.normal(0.2, 1, size=(n, d))


Times = tuple[float, float]  # seconds by the clock, and of the processor on all threads


def best_of(runs: int, call: Callable[[], object]) -> Times:
    found = []
    for _ in range(runs):
        clock, processor = time.perf_counter(), time.process_time()
        call()
        found.append((time.perf_counter() - clock, time.process_time() - processor))
    return min(clock for clock, _ in found), min(processor for _, processor in found)


def own_tests(x: Array, y: Array, splits: int, device: str) -> dict[str, Callable[[], object]]:
    def test(**asked: object) -> Callable[[], object]:
        return lambda: rpw.stats.two_sample_test(x, y, n_resamples=splits, rng=0, n_threads=2, device=device, **asked)

    tests = {
        "rpw, k=None": test(),
        "rpw, k=1, diameter=3": test(k=1, diameter=3),
        "rpw, k=1, diameter=3, contamination=5": test(k=1, diameter=3, contamination=5),
    }
    if device == "cpu":
        tests["statistic='wasserstein'"] = test(statistic="wasserstein")
        tests["statistic='energy'"] = test(statistic="energy")
    return tests


def scipy_energy(x: Array, y: Array, splits: int) -> Callable[[], object]:
    """What a user of SciPy would write; on the line, which is all that `energy_distance` takes."""
    return lambda: scipy.stats.permutation_test(
        (x[:, 0], y[:, 0]), scipy.stats.energy_distance, n_resamples=splits, alternative="greater", rng=0
    )


def print_times(times: dict[str, Times]) -> None:
    first = next(iter(times.values()))
    print_row(["", "clock", "ratio", "processor", "ratio"], WIDTHS)
    for name, (clock, processor) in times.items():
        row = [f"{clock:.3f} s", f"{clock / first[0]:.2f}", f"{processor:.3f} s", f"{processor / first[1]:.2f}"]
        print_row([name, *row], WIDTHS)


def peers_times(interpreter: str, x: Array, y: Array, splits: int, runs: int) -> dict[str, Times]:
    """Of the packages that the other environment has; the script says which are missing."""
    with tempfile.TemporaryDirectory() as folder:
        given, result = Path(folder, "given.npz"), Path(folder, "result.npz")
        np.savez(given, x=x, y=y, splits=splits, runs=runs)
        subprocess.run([interpreter, Path(__file__).with_name("peers_worker.py"), given, result], check=True)
        with np.load(result) as found:
            return {name: (float(found[name][0]), float(found[name][1])) for name in found.files}


def time_table(n: int, splits: int, runs: int, seed: int, device: str, peers: str | None) -> None:
    x, y = samples(seed, n, 2)
    print(f"\n{splits} splits of n = m = {n} in the plane, p = 2, two threads, {device}, best of {runs}")
    tests = own_tests(x, y, splits, device)
    times = {name: best_of(runs, tests[name]) for name in list(tests)[: None if runs > 1 else 2]}
    if peers is not None:
        times |= peers_times(peers, x, y, splits, runs)
    print_times(times)


def line_table(n: int, splits: int, runs: int, seed: int) -> None:
    x, y = samples(seed, n, 1)
    print(f"\n{splits} splits of n = m = {n} on the line, p = 2, two threads, best of {runs}")
    times = {name: best_of(runs, call) for name, call in own_tests(x, y, splits, "cpu").items()}
    times["SciPy's permutation_test of energy_distance"] = best_of(1, scipy_energy(x, y, splits))
    print_times(times)


def where_it_goes(n: int, splits: int, seed: int, device: str) -> None:
    """Seconds inside the functions of one test, on one thread."""
    x, y = samples(seed, n, 2)
    profile = cProfile.Profile()
    profile.runcall(
        rpw.stats.two_sample_test, x, y, n_resamples=splits, rng=0, n_threads=1, contamination=5, device=device
    )
    print(f"\nWhere {splits} splits of n = m = {n} spend their time (k=None, contamination=5, one thread, {device})")
    pstats.Stats(profile).sort_stats("tottime").print_stats(14)


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--peers", metavar="PYTHON", help="an interpreter that has hyppo or alibi-detect")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--profile", action="store_true", help="also say where the time goes")
    asked = parser.parse_args()
    splits, n = (49, 60) if asked.quick else (999, 300)
    time_table(n, splits, asked.runs, asked.seed, asked.device, asked.peers)
    if not asked.quick:
        time_table(1000, splits if asked.device == "cuda" else 99, 1, asked.seed, asked.device, None)
    if asked.device == "cpu":
        line_table(n, splits, asked.runs, asked.seed)
    if asked.profile:
        where_it_goes(n, splits, asked.seed, asked.device)


if __name__ == "__main__":
    main()
