"""Two builds of rpw in one run: the times of this one over those of another, family by family.

    python benchmarks/pair/compare.py OTHER [--family NAME ...] [--quick]

OTHER is a folder that holds the other build's package ``rpw``. Each build runs in a process of its own, and the two
take turns on every case. Times are those of the processor, the best of several. The answers must agree to 1e-9.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import itertools
import json
import math
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import workloads

import rpw

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "many"))

import pictures

Case = tuple[str, Callable[[], float]]
TURNS = 3
BUDGET = 0.3  # seconds of a turn
PS = (1.0, 2.0)
KS = (0.1, 1.0, 10.0)


def ask_of(function: Callable[..., float], work: workloads.Workload, p: float, **options: float) -> Callable[[], float]:
    return lambda: float(function(cost=work.cost, a=work.a, b=work.b, p=p, **options))


def height(*arguments: np.ndarray | None, **options: object) -> float:
    """The profile at 0.9."""
    return float(rpw.profile(*arguments, **options)(0.9))


def exists(answer: Callable[[], float]) -> Callable[[], float]:
    """1 where an answer comes: intervals within a tolerance may differ."""
    return lambda: float(answer() > 0)


def small(quick: bool) -> Iterator[Case]:
    """Pairs of 10 to 100 points, from points."""
    for n, p, k in itertools.product((10, 30, 100), PS, KS):
        x, y = np.random.default_rng(n).random((2, n, 2)) / 2
        yield f"n={n} p={p:g} k={k:g}", partial(rpw.distance, x, y, p=p, k=k)


def _works(quick: bool) -> Iterator[tuple[workloads.Workload, float]]:
    yield from itertools.product(workloads.all_workloads((300,) if quick else (300, 1000, 3000)), PS)


def _structured(quick: bool) -> Iterator[tuple[workloads.Workload, float]]:
    yield from itertools.product(workloads.structured_workloads(150 if quick else 600), PS)


def _crossings(works: Iterator[tuple[workloads.Workload, float]], **options: float) -> Iterator[Case]:
    for (work, p), k in itertools.product(works, KS):
        yield f"{work.name} p={p:g} k={k:g}", ask_of(rpw.distance, work, p, k=k, **options)


def crossings(quick: bool) -> Iterator[Case]:
    """RPW of clouds and pictures."""
    return _crossings(_works(quick))


def structured(quick: bool) -> Iterator[Case]:
    """RPW of lines, curves, ties, wide weights, few against many."""
    return _crossings(_structured(quick))


def transport(quick: bool) -> Iterator[Case]:
    """W and partial W of all these."""
    for work, p in itertools.chain(_works(quick), _structured(True)):
        yield f"W {work.name} p={p:g}", ask_of(rpw.wasserstein, work, p)
        yield f"partial W {work.name} p={p:g}", ask_of(rpw.partial_wasserstein, work, p, mass=0.9)


def profiles(quick: bool) -> Iterator[Case]:
    """Whole profiles, exact and within 0.01."""
    for work, p in _works(True):
        yield f"{work.name} p={p:g}", ask_of(height, work, p)
        yield f"{work.name} p={p:g} tol=0.01", exists(ask_of(height, work, p, tol=0.01))


def tolerance(quick: bool) -> Iterator[Case]:
    """RPW within 0.01."""
    for name, call in _crossings(_works(quick), tol=0.01):
        yield name, exists(call)


def infinity(quick: bool) -> Iterator[Case]:
    """p = ∞: RPW, W and the profile."""
    for work, _ in _works(True):
        for function in (rpw.distance, rpw.wasserstein, height):
            yield f"{function.__name__} {work.name}", ask_of(function, work, math.inf)


def line(quick: bool) -> Iterator[Case]:
    """Points on the line, up to 10^5."""
    for n, is_even in itertools.product((50, 5000) if quick else (50, 5000, 100_000), (True, False)):
        rng = np.random.default_rng(n)
        points = rng.normal(0, 0.2, n), rng.normal(0.1, 0.2, n + (not is_even))
        weights = (None, None) if is_even else (rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(n + 1)))
        for p in (1.0, 1.5, 2.0, math.inf):
            name = f"n={n} {'uniform' if is_even else 'Dirichlet'} p={p:g}"
            yield f"W {name}", partial(rpw.wasserstein, *points, *weights, p=p)
            for k in KS:
                yield f"RPW {name} k={k:g}", partial(rpw.distance, *points, *weights, p=p, k=k, diameter=1)
            curve = partial(height, *points, *weights, p=p, diameter=1)
            if p in (1.0, math.inf) or n <= 50:
                yield f"profile {name}", curve
            yield f"profile {name} tol=0.01", exists(partial(curve, tol=0.01))


def many(quick: bool) -> Iterator[Case]:
    """Matrices of pairs on one thread: clouds, histograms on one support, several k, plans, a search."""
    rng = np.random.default_rng(7)
    clouds = list(rng.random((20, 60, 2)) / 2)
    grid = workloads.pixel_grid(12, 12)
    rows = rng.random((24, 144)) * (rng.random((24, 144)) < 0.4)
    for p in PS:
        yield f"clouds p={p:g}", lambda p=p: float(rpw.pairwise(clouds, p=p, n_threads=1).sum())
        yield f"pictures p={p:g}", lambda p=p: float(rpw.pairwise(rows, support=grid, p=p, n_threads=1).sum())
    yield "several k", lambda: float(rpw.pairwise(clouds, k=[0.1, 1, 10], n_threads=1).sum())
    yield "W", lambda: float(rpw.pairwise(clouds, distance="wasserstein", n_threads=1).sum())
    yield "plans", lambda: sum(r.distance for r in rpw.solve_pairs(clouds[:10], clouds[10:], n_threads=1))
    index = rpw.Index(rows[4:], support=grid)
    yield "search", lambda: float(index.query(rows[:4], top=3, n_threads=1)[0].sum())


def digits(quick: bool) -> Iterator[Case]:
    """Pairs of pictures as the paper has them: unequal weights on a grid. MNIST where RPW_DATA names its folder."""
    chosen = np.random.default_rng(3).permutation(1000)[: 12 if quick else 42]
    measures = [rpw.Measure.from_image(image) for image in pictures.load()[0][chosen].astype(float)]
    one = {"diameter": 1.42, "n_threads": 1}
    for p, k in itertools.product(PS, KS):
        call = partial(rpw.pairwise, measures[:2], measures[2:], p=p, k=k, **one)
        yield f"p={p:g} k={k:g}", lambda call=call: float(call().sum())
    yield "W", lambda: float(rpw.pairwise(measures[:2], measures[2:], distance="wasserstein", n_threads=1).sum())
    yield "several k", lambda: float(rpw.pairwise(measures[:1], measures[1:], k=[0.1, 1, 10], **one).sum())
    index = rpw.Index(measures[2:], diameter=1.42)
    yield "search", lambda: float(index.query(measures[:2], top=3, n_threads=1)[0].sum())


def dimensions(quick: bool) -> Iterator[Case]:
    """Clouds from points, in 2 to 3,072 dimensions."""
    for n, d in itertools.product((50, 300) if quick else (50, 300, 1000), (2, 5, 64, 512, 3072)):
        x, y = np.random.default_rng([n, d]).normal(size=(2, n, d)) / (6 * math.sqrt(d))
        yield f"RPW {n} x {d}-d", partial(rpw.distance, x, y, diameter=1)
        yield f"W {n} x {d}-d", partial(rpw.wasserstein, x, y)


FAMILIES = (small, crossings, structured, transport, profiles, tolerance, infinity, line, many, digits, dimensions)


def work(family: str, quick: bool) -> None:
    """For each line that comes, the next case: its name, its time and its answer; an empty name at the end."""
    chosen = next(f for f in FAMILIES if f.__name__ == family)
    for name, call in chosen(quick):
        call()
        for turn in range(TURNS):
            sys.stdin.readline()
            best, spent, value = math.inf, 0.0, 0.0
            while best == math.inf or spent + best < BUDGET:
                start = time.process_time()
                value = call()
                best = min(best, time.process_time() - start)
                spent += time.process_time() - start
            print(json.dumps([name, best, value, turn]), flush=True)
    sys.stdin.readline()
    print(json.dumps(["", 0, 0, 0]), flush=True)


def start(package: Path, family: str, quick: bool) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(package)}
    line = [sys.executable, __file__, str(package), "--work", family, *(["--quick"] if quick else [])]
    return subprocess.Popen(line, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def ask(process: subprocess.Popen[str]) -> tuple[str, float, float]:
    assert process.stdin is not None
    assert process.stdout is not None
    print(file=process.stdin, flush=True)
    name, seconds, value, _ = json.loads(process.stdout.readline())
    return name, seconds, value


def compare(other: Path, family: str, quick: bool) -> tuple[list[tuple[float, str]], list[str]]:
    """The ratios of a family, and the names of cases whose answers differ."""
    here = Path(rpw.__file__).parent.parent
    ratios, wrong = [], []
    with start(other, family, quick) as before, start(here, family, quick) as after:
        while True:
            turns = [(ask(before), ask(after))]
            if not turns[0][0][0]:
                return ratios, wrong
            turns += [(ask(before), ask(after)) for _ in range(TURNS - 1)]
            name = turns[0][0][0]
            old, new = (min(turn[side][1] for turn in turns) for side in (0, 1))
            ratios.append((new / old, f"{name} ({1e3 * old:.3g} ms)"))
            if abs(turns[0][0][2] - turns[0][1][2]) > 1e-9 * max(1, abs(turns[0][0][2])):
                wrong.append(name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path)
    parser.add_argument("--family", action="append", choices=[f.__name__ for f in FAMILIES])
    parser.add_argument("--quick", action="store_true", help="smaller inputs")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        work(options.work, options.quick)
        return
    print("Time of this build over the other's: geometric mean and the four worst (processor time)")
    for family in options.family or [f.__name__ for f in FAMILIES]:
        ratios, wrong = compare(options.other.resolve(), family, options.quick)
        mean = math.exp(sum(math.log(ratio) for ratio, _ in ratios) / len(ratios))
        print(f"{family:12} {len(ratios):4} cases  mean {mean:.3f}", flush=True)
        for ratio, name in sorted(ratios, reverse=True)[:4]:
            print(f"    {ratio:6.2f}  {name}")
        for name in wrong:
            print(f"    DIFFERENT ANSWER: {name}")


if __name__ == "__main__":
    main()
