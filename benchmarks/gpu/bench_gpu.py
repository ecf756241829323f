"""Exact distances by the hundred thousand on one GPU: correctness beside the CPU, then times.

    python benchmarks/gpu/bench_gpu.py --data FOLDER        (with mnist.npz and cifar10.npz, `images` in each)

Prints one line per case: the first call (with compilation), the median of the repeats, the largest difference from the
CPU on a sample, the widest pair of bounds, and whether repeats gave the same bits.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import numpy as np

from rpw import _core
from rpw.many.backends.cuda.pairs import Measures, Question, solve_pairs
from rpw.pair.atoms import as_masses


def as_measures(clouds):
    start = np.concatenate([[0], np.cumsum([len(w) for _, w in clouds])]).astype(np.int64)
    points = np.concatenate([x for x, _ in clouds])
    return Measures(start, as_masses(np.concatenate([w for _, w in clouds])), np.ascontiguousarray(points))


def mnist(folder, count):
    clouds = []
    for picture in np.load(folder / "mnist.npz")["images"][:count] / 255.0:
        row, column = np.nonzero(picture)
        weight = picture[row, column]
        clouds.append((np.stack([row, column], 1) / (27 * np.sqrt(2)), weight / weight.sum()))
    return as_measures(clouds)


def cifar(folder, count):
    row, column = (side.ravel() / 31 for side in np.mgrid[:32, :32])
    clouds = []
    for picture in np.load(folder / "cifar10.npz")["images"][:count] / 255.0:
        points = np.column_stack([row, column, picture.reshape(-1, 3)]) / np.sqrt(5)
        clouds.append((points, np.full(len(points), 1 / len(points))))
    return as_measures(clouds)


def random_clouds(rng, count, sizes, dimension, uniform=False):
    clouds = []
    for _ in range(count):
        size = int(rng.integers(*sizes))
        weight = np.ones(size) if uniform else rng.random(size) + 0.01
        clouds.append((rng.random((size, dimension)), weight / weight.sum()))
    return as_measures(clouds)


def on_cpu(measures, question, first, second):
    space = _core.Space.of_metric(getattr(_core.Metric, question.metric))
    of_core = _core.Measures(measures.start, measures.mass, measures.points, None, None)
    asked = _core.Question(
        getattr(_core.Quantity, question.quantity),
        p=question.p,
        kappa=question.kappa,
        unmoved=question.unmoved,
        truncation=question.truncation,
    )
    values, failures = _core.pair_values(space, of_core, of_core, asked, first, second, os.cpu_count(), np.inf, None)
    assert not failures, failures[:3]
    return values


def some_pairs(rng, measures, count):
    return rng.integers(len(measures.start) - 1, size=(2, count))


def case(name, measures, question, pairs, sample, repeats=2, **options):
    first, second = pairs
    started = time.perf_counter()
    answers = solve_pairs(measures, measures, question, first, second, count_work=True, **options)
    cold = time.perf_counter() - started
    times, same = [], True
    for _ in range(repeats):
        started = time.perf_counter()
        again = solve_pairs(measures, measures, question, first, second, **options)
        times.append(time.perf_counter() - started)
        same &= all(np.array_equal(getattr(again, f), getattr(answers, f)) for f in ("value", "lower", "upper"))
    started = time.perf_counter()
    expected = on_cpu(measures, question, first[:sample], second[:sample]) if sample else np.empty(0)
    cpu = (time.perf_counter() - started) / max(sample, 1)
    error = np.abs(answers.value[:sample] - expected).max(initial=0)
    work = answers.work.mean(axis=0)
    print(
        f"{name:34} {len(first):7} pairs  first {cold:7.3f}s  then {np.median(times) if times else 0:7.3f}s  "
        f"err {error:.1e}  gap {np.max(answers.upper - answers.lower):.1e}  same {same}  "
        f"reach/edge/renew {work[0]:.0f}/{work[1]:.0f}/{work[2]:.0f}  cpu {1e3 * cpu:.2f}ms/pair",
        flush=True,
    )
    assert not np.isnan(answers.value).any()
    return answers


def check_all_questions(rng):
    for dimension in (1, 2, 3, 5, 9):
        small = random_clouds(rng, 40, (1, 60), dimension)
        pairs = some_pairs(rng, small, 400)
        for question in (
            Question(),
            Question(p=1, kappa=0.3),
            Question(p=3.5, kappa=2),
            Question(metric="cityblock", p=1),
            Question(metric="chebyshev", p=2, kappa=0.5),
            Question("mass"),
            Question("mass", p=1, unmoved=0.25),
            Question("mass", p=1, truncation=0.2),
            Question("mass", p=2, truncation=0.3, unmoved=0.1),
        ):
            case(f"d={dimension} {question.quantity} p={question.p} {question.metric}", small, question, pairs, 400, 1)


def large_pair(rng, size, question):
    x, y = rng.random((2, size, 2))
    y[: size // 10] = [3, 3] + 0.1 * rng.random((size // 10, 2))
    measures = as_measures([(x / 4.5, np.full(size, 1 / size)), (y / 4.5, np.full(size, 1 / size))])
    return case(
        f"one pair of {size}, tol {question.tol}", measures, question, np.array([[0], [1]]), int(size <= 5000), 0
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--mnist-pairs", type=int, default=100_000)
    parser.add_argument("--cifar-pairs", type=int, default=10_000)
    parser.add_argument("--teams", default="")
    parser.add_argument("--kinds", default="k=0.1,k=1.0,k=10.0,W2")
    parser.add_argument("--repeats", type=int, default=2)
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    wanted = lambda name: not options.only or name in options.only.split(",")  # noqa: E731
    teams = {"teams": ((10**9, int(options.teams)),)} if options.teams else {}
    if wanted("check"):
        check_all_questions(rng)
    questions = [(f"k={k}", Question(kappa=k)) for k in (0.1, 1.0, 10.0)] + [("W2", Question("mass"))]
    questions = [pair for pair in questions if pair[0] in options.kinds.split(",")]
    if options.data and wanted("mnist"):
        digits = mnist(options.data, 1000)
        pairs = some_pairs(rng, digits, options.mnist_pairs)
        for name, question in questions:
            case(f"mnist {name} {options.teams}", digits, question, pairs, 500, options.repeats, **teams)
    if options.data and wanted("cifar"):
        photos = cifar(options.data, 400)
        pairs = some_pairs(rng, photos, options.cifar_pairs)
        for name, question in questions:
            case(f"cifar {name} {options.teams}", photos, question, pairs, 100, options.repeats, **teams)
    if wanted("uniform"):
        clouds = random_clouds(rng, 128, (300, 301), 2, uniform=True)
        case(f"uniform 300 W2 {options.teams}", clouds, Question("mass"), some_pairs(rng, clouds, 4096), 200, **teams)
    if wanted("large"):
        for size in (5000, 20000):
            large_pair(rng, size, Question(kappa=1 / 4.5, tol=0.001))


if __name__ == "__main__":
    main()
