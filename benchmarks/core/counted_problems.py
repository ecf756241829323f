"""The problems whose work is counted: for each family, questions that a few hundredths of a second answer.

A case is a name, how far its answer may lie from another one (relative), and what computes it.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

import rpw

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "pair"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "many"))

import pictures
import workloads
from workloads import Workload

Case = tuple[str, float, Callable[[], float]]
EXACT = 1e-9
PS = (1.0, 2.0)
KS = (0.1, 1.0, 10.0)


def _ask(function: Callable[..., float], work: Workload, p: float, **options: float) -> Callable[[], float]:
    return lambda: float(function(cost=work.cost, a=work.a, b=work.b, p=p, **options))


def _height(*arguments: np.ndarray | None, **options: object) -> float:
    return float(rpw.profile(*arguments, **options)(0.9))


def _clouds(sizes: tuple[int, ...]) -> Iterator[Workload]:
    for n in sizes:
        for weights, outliers in itertools.product(("uniform", "dirichlet"), (False, True)):
            yield workloads.square(n, weights, outliers)


def _in_space(n: int, dimension: int) -> Workload:
    rng = np.random.default_rng([n, dimension])
    x, y = rng.normal(size=(n, dimension)), rng.normal(size=(n, dimension)) + 0.1
    cost = np.linalg.norm(x[:, None] - y, axis=2)
    return Workload(f"{dimension}-d {n}", cost / cost.max(), np.full(n, 1 / n), np.full(n, 1 / n))


def _pictures(side: int) -> Workload:
    """Smooth pictures of 256 grey levels, with noise."""
    rng = np.random.default_rng(side)
    grid = workloads.pixel_grid(side, side)
    images = []
    for _ in range(2):
        light = sum(np.exp(-((grid - 0.7 * rng.random(2)) ** 2).sum(axis=1) / 0.01) for _ in range(3))
        image = (
            np.floor(255 * light / light.max()) + 1 + np.floor(100 * rng.random(side**2)) * (rng.random(side**2) < 0.1)
        )
        images.append(image / image.sum())
    cost = np.linalg.norm(grid[:, None] - grid, axis=2)
    return Workload(f"{side}x{side} pictures", cost, *images)


def _all(sizes: tuple[int, ...] = (150, 400)) -> Iterator[Workload]:
    yield from _clouds(sizes)
    yield _pictures(16)
    yield _in_space(300, 10)
    yield _in_space(300, 64)


def small() -> Iterator[Case]:
    for n, p, k in itertools.product((10, 30, 60, 100), PS, KS):
        x, y = np.random.default_rng(n).random((2, n, 2)) / 2
        yield f"n={n} p={p:g} k={k:g}", EXACT, partial(rpw.distance, x, y, p=p, k=k)


def crossings() -> Iterator[Case]:
    large = [workloads.square(800, "uniform", False), workloads.square(800, "dirichlet", True)]
    for work, p, k in itertools.product((*_all(), *large), PS, KS):
        yield f"{work.name} p={p:g} k={k:g}", EXACT, _ask(rpw.distance, work, p, k=k)


def digits() -> Iterator[Case]:
    """Pairs of pictures of digits: unequal weights on a grid."""
    images = pictures.load("digits")[0]
    of_both = [[rpw.Measure.from_image(image) for image in images[first : first + 6]] for first in (0, 50)]
    for p, k in itertools.product(PS, KS):
        call = partial(rpw.pairwise, *of_both, p=p, k=k, diameter=1.42, n_threads=1)
        yield f"p={p:g} k={k:g}", EXACT, lambda call=call: float(call().sum())


def outliers() -> Iterator[Case]:
    """A tenth of one cloud lies far away: λ has to rise from the cost of near points to that of far ones."""
    for n, far, weights in itertools.product((100, 400), (5.0, 1e3), ("uniform", "dirichlet")):
        rng = np.random.default_rng([n, len(weights)])
        x, y = rng.random((2, n, 2))
        y[: n // 10] = far + 0.1 * rng.random((n // 10, 2))
        a, b = (np.full(n, 1 / n) if weights == "uniform" else rng.dirichlet(np.ones(n)) for _ in range(2))
        work = Workload(f"{n} {weights}, {far:g} away", np.linalg.norm(x[:, None] - y, axis=2), a, b)
        for k in (1.0, 10.0):
            yield f"RPW {work.name} k={k:g}", EXACT, _ask(rpw.distance, work, 2, k=k)
        yield f"partial W {work.name}", EXACT, _ask(rpw.partial_wasserstein, work, 1, mass=0.95)
        yield f"W {work.name}", EXACT, _ask(rpw.wasserstein, work, 2)
        if n == 100:
            yield f"profile {work.name}", EXACT, _ask(_height, work, 1)


def _structured(n: int) -> Iterator[Workload]:
    for family in (workloads.lines, workloads.curves, workloads.ties, workloads.uneven_clouds):
        yield from family(n)
    yield workloads.in_order(n)
    yield workloads.comb(n)
    yield workloads.shapes()
    yield workloads.exponential(24)
    for few, many in ((1, 4_000), (2, 4_000), (20, 1_000), (60, 600), (150, 700)):
        yield workloads.few_against_many(few, many)


def structured() -> Iterator[Case]:
    for work, p, k in itertools.product(_structured(120), PS, (0.3, 3.0)):
        yield f"{work.name} p={p:g} k={k:g}", EXACT, _ask(rpw.distance, work, p, k=k)


def transport() -> Iterator[Case]:
    for work, p in itertools.product(itertools.chain(_all((150, 300)), _structured(100)), PS):
        yield f"W {work.name} p={p:g}", EXACT, _ask(rpw.wasserstein, work, p)
        yield f"partial W {work.name} p={p:g}", EXACT, _ask(rpw.partial_wasserstein, work, p, mass=0.9)


def profiles() -> Iterator[Case]:
    for work, p in itertools.product(itertools.chain(_clouds((100, 200)), [_in_space(150, 10)]), PS):
        yield f"{work.name} p={p:g}", EXACT, _ask(_height, work, p)
        yield f"{work.name} p={p:g} tol=0.01", 0.03, _ask(_height, work, p, tol=0.01)


def tolerance() -> Iterator[Case]:
    for work, p, k in itertools.product(_all((200,)), PS, KS):
        yield f"{work.name} p={p:g} k={k:g}", 0.1, _ask(rpw.distance, work, p, k=k, tol=0.01)


def infinity() -> Iterator[Case]:
    for work in _all((150, 300)):
        for function in (rpw.distance, rpw.wasserstein, _height):
            yield f"{function.__name__} {work.name}", EXACT, _ask(function, work, math.inf)
        yield f"_height {work.name} tol=0.01", 0.1, _ask(_height, work, math.inf, tol=0.01)


def line() -> Iterator[Case]:
    for n, is_even in itertools.product((50, 1_000, 10_000), (True, False)):
        rng = np.random.default_rng(n)
        points = rng.normal(0, 0.2, n), rng.normal(0.1, 0.2, n + (not is_even))
        weights = (None, None) if is_even else (rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(n + 1)))
        for p in (1.0, 1.5, 2.0, math.inf):
            name = f"n={n} {'uniform' if is_even else 'Dirichlet'} p={p:g}"
            yield f"W {name}", EXACT, partial(rpw.wasserstein, *points, *weights, p=p)
            for k in KS:
                yield f"RPW {name} k={k:g}", EXACT, partial(rpw.distance, *points, *weights, p=p, k=k, diameter=1)
            curve = partial(_height, *points, *weights, p=p, diameter=1)
            if n <= 1_000 and (p in (1.0, math.inf) or n <= 50):
                yield f"profile {name}", EXACT, curve
            if n <= 1_000:
                yield f"profile {name} tol=0.01", 0.03, partial(curve, tol=0.01)
    rng = np.random.default_rng(3)
    repeated = rng.integers(0, 15, 5_000) / 15, rng.integers(0, 15, 5_000) / 14
    slanted = [np.outer(rng.random(500), (1.0, 2.0, 0.5)) for _ in range(2)]
    for p in (1.0, 2.0, math.inf):
        yield f"repeated p={p:g}", EXACT, partial(rpw.distance, *repeated, p=p)
        yield f"slanted p={p:g}", EXACT, partial(rpw.distance, *slanted, p=p)


def lmr() -> Iterator[Case]:
    for work, p, tol in itertools.product(_all((100,)), PS, (0.1, 0.02)):
        if len(work.a) <= 150:
            yield f"{work.name} p={p:g} {tol=}", 3 * tol, _ask(rpw.distance, work, p, tol=tol, solver="lmr")
    for work in _clouds((60,)):
        yield f"profile {work.name}", 0.2, _ask(_height, work, 1, tol=0.05, solver="lmr")


def many() -> Iterator[Case]:
    rng = np.random.default_rng(7)
    clouds = list(rng.random((12, 40, 2)) / 2)
    grid = workloads.pixel_grid(10, 10)
    rows = rng.random((12, 100)) * (rng.random((12, 100)) < 0.4)
    one = {"n_threads": 1}
    for p in PS:
        yield f"clouds p={p:g}", EXACT, lambda p=p: float(rpw.pairwise(clouds, p=p, **one).sum())
        yield f"pictures p={p:g}", EXACT, lambda p=p: float(rpw.pairwise(rows, support=grid, p=p, **one).sum())
    yield "several k", EXACT, lambda: float(rpw.pairwise(clouds, k=[0.1, 1, 10], **one).sum())
    yield "W", EXACT, lambda: float(rpw.pairwise(clouds, distance="wasserstein", **one).sum())
    yield "plans", EXACT, lambda: sum(r.distance for r in rpw.solve_pairs(clouds[:6], clouds[6:], **one))
    index = rpw.Index(rows[4:], support=grid)
    yield "search", EXACT, lambda: float(index.query(rows[:4], top=3, **one)[0].sum())


def _moved_clouds(n: int, dimension: int, kind: str) -> tuple[np.ndarray, ...]:
    """Two clouds and their weights."""
    rng = np.random.default_rng([n, dimension, len(kind)])
    x, y = rng.random((n, dimension)), rng.random((n, dimension))
    if kind == "outliers":
        y[: n // 10] = 5 + 0.1 * rng.random((n // 10, dimension))
    if kind == "shifted":
        y[:, 0] += 0.05
    if kind == "density":
        y = rng.normal(0.5, 0.15, (n, dimension))
    if kind == "clusters":
        x, y = (
            c[rng.integers(0, 12, n)] + 0.01 * rng.normal(size=(n, dimension)) for c in rng.random((2, 12, dimension))
        )
    if kind == "dirichlet":
        return x, y, rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(n))
    return x, y


def points() -> Iterator[Case]:
    """Without a matrix, asked for: walks over trees and searches from cells."""
    on_points = {"solver": "points", "diameter": 1}
    kinds = ("plain", "outliers", "shifted", "density", "clusters", "dirichlet")
    for kind, p in itertools.product(kinds, (1.0, 2.0, 3.0)):
        clouds = _moved_clouds(1_100, 2, kind)
        yield f"2-d {kind} p={p:g}", EXACT, partial(rpw.distance, *clouds, p=p, **on_points)
    for kind, k in itertools.product(kinds, (0.1, 10.0)):
        yield f"2-d {kind} k={k:g}", EXACT, partial(rpw.distance, *_moved_clouds(500, 2, kind), k=k, p=2, **on_points)
    for kind, dimension in itertools.product(("plain", "outliers", "clusters"), (3, 8, 16)):
        clouds = _moved_clouds(1_100 if dimension == 3 else 500, dimension, kind)
        yield f"{dimension}-d {kind}", EXACT, partial(rpw.distance, *clouds, p=2, **on_points)
    for kind in ("plain", "shifted", "density"):
        clouds = _moved_clouds(1_100, 2, kind)
        yield f"W 2-d {kind}", EXACT, partial(rpw.wasserstein, *clouds, p=2, solver="points")
        yield f"tol 2-d {kind}", 0.1, partial(rpw.distance, *clouds, p=2, tol=0.01, **on_points)
        yield f"p=inf 2-d {kind}", EXACT, partial(rpw.distance, *clouds, p=math.inf, **on_points)
        yield f"profile 2-d {kind}", EXACT, partial(_height, *_moved_clouds(300, 2, kind), p=2, **on_points)
    for few, many in ((20, 2_000), (100, 1_500)):
        x, y = _moved_clouds(many, 2, "plain")
        yield f"{few} x {many}", EXACT, partial(rpw.distance, x[:few], y, p=2, **on_points)


def trial() -> Iterator[Case]:
    """Points where trees are tried before a matrix."""
    for dimension, kind in itertools.product((2, 3), ("plain", "outliers", "clusters")):
        clouds = _moved_clouds(2_050, dimension, kind)
        yield f"{dimension}-d {kind}", EXACT, partial(rpw.distance, *clouds, p=2, k=1, diameter=1)
    plain = _moved_clouds(2_050, 2, "plain")
    yield "p=inf", EXACT, partial(rpw.distance, *plain, p=math.inf, diameter=1)
    yield "W", EXACT, partial(rpw.wasserstein, *plain, p=2)
    yield "smaller", EXACT, partial(rpw.distance, *_moved_clouds(1_500, 2, "plain"), p=2, diameter=1)
    yield "repeated", EXACT, partial(rpw.distance, np.round(plain[0], 1), np.round(plain[1], 1), p=2, diameter=1)


FAMILIES = (
    small,
    crossings,
    digits,
    outliers,
    structured,
    transport,
    profiles,
    tolerance,
    infinity,
    line,
    lmr,
    many,
    points,
    trial,
)
