"""LMR beside PyCoOT (the authors' own, in Java) and beside our exact solver, and the memory that it takes.

Run it with ``make bench-lmr`` (one thread). PyCoOT gets an environment of its own under benchmarks/output; without Java
its table is skipped. ``--quick`` leaves out the largest sizes, ``--table`` picks one table.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # one thread for everybody; must be set before NumPy loads

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import workloads
from bench import geometric_mean
from workloads import Workload

import rpw

OUTPUT = Path(__file__).parents[1] / "output"
ENVIRONMENT = OUTPUT / "pycoot-env"
# Its own pins, less torch and SciPy, which its LMR does not use; it needs pkg_resources without saying so.
REQUIREMENTS = ("pycoot==0.1.3", "numpy==1.24", "jpype1==1.5.0", "packaging", "setuptools<81")
LIMIT = 60.0  # seconds for one solve
START = 15.0  # seconds for the interpreter, the JVM and the warm-up

MEMORY_PROBE = """
import numpy as np, rpw
def status(key):
    return next(int(line.split()[1]) / 1024 for line in open("/proc/self/status") if line.startswith(key))
rng = np.random.default_rng(0)
x, y = rng.random((2, {n}, 2))
rpw.solve(x[:50], y[:50], p=2, tol=0.01, solver="lmr")  # loads what is loaded late
before = status("VmRSS")
result = rpw.solve(x, y, p=2, tol=0.01, solver={solver!r})
print(status("VmHWM"), status("VmHWM") - before, result.distance, result.gap)
"""


class UnavailableError(Exception):
    """PyCoOT cannot be had here, and why."""


def timed(call: Callable[[], float], budget: float = 0.5) -> tuple[float, float]:
    """Best time of as many calls as fit the budget (at least one, at most five), and the value.

    It is the processor's time for this thread, as for PyCoOT: what else the machine does would lengthen long runs more
    than short ones.
    """
    times: list[float] = []
    while not times or (len(times) < 5 and sum(times) < budget):
        start = time.thread_time()
        value = call()
        times.append(time.thread_time() - start)
    return min(times), value


def pycoot_python() -> Path:
    """The Python of the environment for PyCoOT, which is made on the first call."""
    if not (os.environ.get("JAVA_HOME") or shutil.which("java")):
        raise UnavailableError("there is no Java")
    python = ENVIRONMENT / "bin" / "python"
    done = ENVIRONMENT / "complete"
    if not done.exists():
        print(f"Making the environment for PyCoOT, {ENVIRONMENT} ...", flush=True)
        venv.create(ENVIRONMENT, clear=True, with_pip=True)
        install = [python, "-m", "pip", "install", "-q", "--no-deps", *REQUIREMENTS]
        pip = subprocess.run(install, capture_output=True, text=True)
        if pip.returncode:
            raise UnavailableError("pip: " + last_line(pip.stderr))
        done.touch()
    return python


def last_line(text: str) -> str:
    return (text.strip().splitlines() or ["no message"])[-1]


def pycoot(python: Path, work: Workload, p: int, k: float, tol: float) -> dict[str, Any]:
    """PyCoOT's answer in a child process: ``first``, ``seconds`` (warm) and ``value``, or ``failure``."""
    scale = work.cost.max()  # costs are scaled to maximum 1, and k with them: the answer stays
    k /= scale
    given = {"cost": work.cost / scale, "a": work.a, "b": work.b, "p": p, "k": k, "eps": (k * tol / 2) ** p}
    with tempfile.TemporaryDirectory(dir=OUTPUT) as folder:
        files = Path(folder, "input.npz"), Path(folder, "result.json")
        np.savez(files[0], **given)
        worker = Path(__file__).with_name("pycoot_worker.py")
        try:
            done = subprocess.run([python, worker, *files], capture_output=True, text=True, timeout=START + LIMIT)
        except subprocess.TimeoutExpired:
            return {"failure": "over a minute"}
        if done.returncode or not files[1].exists():
            return {"failure": last_line(done.stderr)}
        result: dict[str, Any] = json.loads(files[1].read_text())
    return result if result.get("seconds", 0.0) <= LIMIT else {"failure": "over a minute"}


def pycoot_cases(quick: bool) -> Iterator[tuple[Workload, int, float, float]]:
    """Inputs with p, k and tol; all three k for the small ones."""
    kinds = (("uniform", False), ("uniform", True), ("dirichlet", False))
    works = [workloads.square(n, *kind) for n in ((300,) if quick else (300, 1000, 3000)) for kind in kinds]
    for work in (*works, workloads.grey_images(), workloads.colour_images()):
        for p in (2, 1):
            for k in (0.1, 1.0, 10.0) if len(work.a) == 300 else (1.0,):
                for tol in (0.1, 0.01):
                    yield work, p, k, tol


def pycoot_table(quick: bool) -> None:
    """The same promised error by PyCoOT and by solver="lmr"."""
    try:
        python = pycoot_python()
        trial = pycoot(python, workloads.square(50, "uniform", False), 2, 1.0, 0.1)
        if "failure" in trial:
            raise UnavailableError(trial["failure"])
    except UnavailableError as reason:
        print(f"PyCoOT skipped: {reason}")
        return
    print("PyCoOT beside solver='lmr' at the same promised error (! breaks the promise)")
    head = f"{'input':32} p    k   tol  PyCoOT: first     warm    error      lmr s    error  first     warm (ratios)"
    print(head + "\n" + "-" * len(head))
    ratios: dict[str, list[float]] = {}
    cases = failures = 0
    for work, p, k, tol in pycoot_cases(quick):
        given = {"cost": work.cost, "a": work.a, "b": work.b, "p": p, "k": k}
        exact = rpw.distance(**given)
        mine, value = timed(lambda g=given, t=tol: rpw.solve(**g, tol=t, solver="lmr").distance)
        theirs = pycoot(python, work, p, k, tol)
        start = f"{work.name:32} {p} {k:4g} {tol:5g} "
        end = f"{mine:10.4f} {shown(value - exact, tol)}"
        cases += 1
        if "failure" in theirs:
            failures += 1
            print(f"{start} {theirs['failure']:>31} {end}", flush=True)
            continue
        error = theirs["value"] - exact
        first, warm = theirs["first"] / mine, theirs["seconds"] / mine
        groups = {"first call": first, "warm": warm, f"warm, tol = {tol}": warm, f"warm, k = {k:g}": warm}
        for group, ratio in groups.items():
            ratios.setdefault(group, []).append(ratio)
        if abs(error) <= tol:
            ratios.setdefault("warm, it keeps tol", []).append(warm)
        start += f" {theirs['first']:12.3f} {theirs['seconds']:8.3f} {shown(error, tol)}"
        print(f"{start} {end} {first:6.1f} {warm:8.1f}", flush=True)
    for group, values in sorted(ratios.items()):
        summary = f"geometric mean {geometric_mean(values):.1f}, worst {min(values):.1f}"
        print(f"PyCoOT / lmr, {group:18} {summary} ({len(values)} inputs)")
    print(f"PyCoOT gives no answer within a minute: {failures} of {cases}")


def shown(error: float, tol: float) -> str:
    return f"{abs(error):8.0e}{'!' if abs(error) > tol else ' '}"


def own_table(quick: bool, tol: float = 0.01) -> None:
    """LMR beside the exact solver with and without an early stop."""
    print(f"\nOur solvers, seconds: lmr and exact at tol = {tol}, exact at tol = 0")
    head = f"{'input':32} p    k        lmr  exact tol  exact 0  lmr / exact tol"
    print(head + "\n" + "-" * len(head))
    ratios: dict[str, float] = {}
    for n in (1000,) if quick else (1000, 3000, 5000):
        for weights, outliers in (("uniform", False), ("dirichlet", False), ("uniform", True)):
            work = workloads.square(n, weights, outliers)
            for p in (2, 1):
                for k in (0.1, 1.0, 10.0):
                    given = {"cost": work.cost, "a": work.a, "b": work.b, "p": p, "k": k}
                    times = [
                        timed(lambda g=given, s=s, t=t: rpw.solve(**g, solver=s, tol=t).distance)[0]
                        for s, t in (("lmr", tol), ("exact", tol), ("exact", 0.0))
                    ]
                    name = f"{work.name:32} {p} {k:4g}"
                    ratios[name] = times[0] / times[1]
                    print(f"{name} {times[0]:10.4f} {times[1]:10.4f} {times[2]:8.4f} {ratios[name]:10.2f}", flush=True)
    wins = [name for name, ratio in ratios.items() if ratio < 1]
    print(f"lmr / exact tol: geometric mean {geometric_mean(list(ratios.values())):.2f}, ", end="")
    print(f"from {min(ratios.values()):.2f} to {max(ratios.values()):.2f}; lmr wins {len(wins)} of {len(ratios)}")


def memory_table(n: int = 10_000) -> None:
    """Peak memory from points, each call in a process of its own."""
    print(f"\nPeak memory of rpw.solve(x, y, p=2, tol=0.01), n = m = {n} points in the square")
    for solver in ("lmr", "exact"):
        probe = [sys.executable, "-c", MEMORY_PROBE.format(n=n, solver=solver)]
        done = subprocess.run(probe, capture_output=True, text=True, check=True)
        total, beyond, _, gap = map(float, done.stdout.split())
        print(f"  {solver:6} {total:6.0f} MB in all, {beyond:6.0f} MB beyond the imports; gap {gap:.4f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="without the larger sizes")
    parser.add_argument("--table", choices=("pycoot", "own", "memory"), help="this table only")
    args = parser.parse_args()
    OUTPUT.mkdir(exist_ok=True)
    if args.table in (None, "pycoot"):
        pycoot_table(args.quick)
    if args.table in (None, "own"):
        own_table(args.quick)
    if args.table in (None, "memory"):
        memory_table()


if __name__ == "__main__":
    main()
