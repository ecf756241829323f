"""The inputs that every benchmark shares: planar squares, images, clouds in many dimensions, and structured inputs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

import rpw
from rpw.images import pixel_grid


@dataclass(frozen=True)
class Workload:
    """Two measures and the distances between them; the space has diameter 1 (or close to it)."""

    name: str
    cost: np.ndarray
    a: np.ndarray
    b: np.ndarray

    @property
    def is_uniform(self) -> bool:
        return bool(np.ptp(self.a) == 0 and np.ptp(self.b) == 0)


def square(n: int, weights: str, outliers: bool, seed: int = 0) -> Workload:
    """Uniform points in the unit square; with outliers, a tenth of the second cloud sits in one corner."""
    rng = np.random.default_rng([seed, n, weights == "dirichlet", outliers])
    x, y = rng.random((n, 2)), rng.random((n, 2))
    if outliers:
        y[: n // 10] = 0.9 + 0.1 * rng.random((n // 10, 2))
    a, b = (_weights(n, weights, rng) for _ in range(2))
    name = f"square {n} {weights}{' + outliers' if outliers else ''}"
    return Workload(name, cdist(x, y) / np.sqrt(2), a, b)


def _weights(n: int, kind: str, rng: np.random.Generator) -> np.ndarray:
    return np.full(n, 1 / n) if kind == "uniform" else rng.dirichlet(np.ones(n))


def grey_images(seed: int = 0) -> Workload:
    """Two smooth 28 x 28 pictures with 256 grey levels and noise on a tenth of the pixels."""
    rng = np.random.default_rng([seed, 28])
    grid = pixel_grid(28, 28)

    def image() -> np.ndarray:
        light = sum(np.exp(-((grid - 0.7 * rng.random(2)) ** 2).sum(axis=1) / 0.01) for _ in range(4))
        pixels = np.floor(255 * light / light.max()) + 1
        noisy = rng.random(784) < 0.1
        pixels[noisy] += np.floor(100 * rng.random(int(noisy.sum())))
        return pixels / pixels.sum()

    return Workload("28x28 grey images", cdist(grid, grid), image(), image())


def colour_images(seed: int = 0) -> Workload:
    """Two 32 x 32 pictures as points of position and colour, a tenth of the pixels white."""
    rng = np.random.default_rng([seed, 32])
    grid = pixel_grid(32, 32)

    def image() -> np.ndarray:
        colour = np.abs(np.sin(8 * np.sqrt(2) * grid @ rng.random((2, 3)) / 2 + 6 * rng.random(3)))
        pixels = np.round(255 * colour).astype(np.uint8)
        pixels[rng.random(1024).argsort()[:102]] = 255
        return rpw.Measure.from_image(pixels.reshape(32, 32, 3)).points

    uniform = np.full(1024, 1 / 1024)
    return Workload("32x32 colour images", cdist(image(), image()), uniform, uniform)


def _scaled(name: str, cost: np.ndarray, a: np.ndarray, b: np.ndarray) -> Workload:
    """The same with 1 as the largest cost."""
    return Workload(name, cost / cost.max(), a, b)


def _on_circle(angle: np.ndarray, radius: np.ndarray | float = 1.0) -> np.ndarray:
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)


def _moved(points: np.ndarray, right: float) -> np.ndarray:
    return points + np.array([right, 0])


def lines(n: int, seed: int = 0) -> Iterator[Workload]:
    """Points on a line: overlapping, apart, and with uneven weights."""
    rng = np.random.default_rng([seed, n, 1])
    even, uneven = np.full(n, 1 / n), [rng.dirichlet(np.ones(n)) for _ in range(2)]
    x, y = rng.normal(0, 1, (n, 1)), rng.normal(0.5, 1, n)
    yield _scaled(f"line {n}, normal", np.abs(x - y), even, even)
    yield _scaled(f"line {n}, apart", np.abs(rng.random((n, 1)) - rng.random(n) - 2), even, even)
    yield _scaled(f"line {n}, Dirichlet", np.abs(x - y), *uneven)


def in_order(n: int, seed: int = 0) -> Workload:
    """Points given in order, against as many a little further on (evenly spaced ones make POT go in circles)."""
    rng = np.random.default_rng([seed, n, 5])
    x, y = np.sort(rng.random((2, n)))
    cost = np.abs(x[:, None] - y - 0.3)
    return _scaled(f"line {n}, in order", cost, *(rng.dirichlet(np.ones(n)) for _ in range(2)))


def comb(n: int, seed: int = 0) -> Workload:
    """Distances along a comb: points of a line, each at the end of a tooth of its own."""
    rng = np.random.default_rng([seed, n, 6])
    (x, y), (teeth, others) = rng.random((2, n)), 0.01 * rng.random((2, n))
    cost = np.abs(x[:, None] - y) + teeth[:, None] + others
    return _scaled(f"comb {n}, Dirichlet", cost, *(rng.dirichlet(np.ones(n)) for _ in range(2)))


def curves(n: int, seed: int = 0) -> Iterator[Workload]:
    """Points on curves in the plane."""
    rng = np.random.default_rng([seed, n, 2])
    even = np.full(n, 1 / n)
    s, t = 2 * np.pi * rng.random((2, n))
    yield _scaled(f"circles {n}, 6 apart", cdist(_on_circle(s), _moved(_on_circle(t), 6)), even, even)
    yield _scaled(f"circles {n}, 1 apart", cdist(_on_circle(s), _moved(_on_circle(t), 1)), even, even)
    s, t = 3 * s, 3 * t
    yield _scaled(f"spirals {n}", cdist(_on_circle(s, s), _on_circle(t + 0.3, t)), even, even)
    x = np.stack([s, np.sin(s)], axis=1)
    y = np.stack([t, np.sin(t) + 0.2], axis=1)
    yield _scaled(f"waves {n}", cdist(x, y), even, even)


def ties(n: int, seed: int = 0) -> Iterator[Workload]:
    """Costs of few values, and sums of a number for the row and one for the column."""
    rng = np.random.default_rng([seed, n, 3])
    a, b = (rng.dirichlet(np.ones(n)) for _ in range(2))
    yield Workload(f"zero or one {n}, Dirichlet", (rng.random((n, n)) < 0.5).astype(float), a, b)
    sums = rng.integers(0, 100, (n, 1)) + rng.integers(0, 100, n)
    yield _scaled(f"outer sums {n}, Dirichlet", sums.astype(float), a, b)
    yield _scaled(f"outer products {n}, Dirichlet", rng.random((n, 1)) * rng.random(n), a, b)


def shapes() -> Workload:
    """A square of 289 pixels and a disc of about 75 on a 32 x 32 grid."""
    grid = np.stack(np.meshgrid(range(32), range(32), indexing="ij"), axis=-1).reshape(-1, 2)
    square_, disc = grid[(np.abs(grid - 13) <= 8).all(axis=1)], grid[((grid - 20) ** 2).sum(axis=1) <= 23]
    even = [np.full(len(x), 1 / len(x)) for x in (square_, disc)]
    return _scaled(f"shapes {len(square_)} x {len(disc)}", cdist(square_, disc), *even)


def uneven_clouds(n: int, seed: int = 0) -> Iterator[Workload]:
    """Planar clouds apart from each other, and clouds with weights over eight orders of magnitude."""
    rng = np.random.default_rng([seed, n, 4])
    x, y = rng.random((n, 2)), rng.random((n, 2))
    a, b = (rng.dirichlet(np.ones(n)) for _ in range(2))
    yield _scaled(f"clouds {n}, 3 apart, Dirichlet", cdist(x, _moved(y, 3)), a, b)
    wide = [w / w.sum() for w in 10 ** rng.uniform(-8, 0, (2, n))]
    yield _scaled(f"wide weights {n}", cdist(x, y), *wide)


def exponential(n: int) -> Workload:
    """A metric whose profile has 2^(n-1) + 1 breakpoints (docs/proofs/simplex.md, "Two strategies")."""
    i = np.arange(1, n + 1)
    cost = 2.0 ** np.maximum(i[:, None], i) - 1
    np.fill_diagonal(cost, 2.0 ** (n + 1))
    weights = 2.0**i / (2.0 ** (n + 1) - 2)
    return _scaled(f"exponential {n}", cost + 2.0 ** (n + 1), weights, weights)


def few_against_many(few: int, many: int, seed: int = 0) -> Workload:
    """Planar clouds of very different sizes, Dirichlet weights."""
    rng = np.random.default_rng([seed, few, many])
    cost = cdist(rng.random((few, 2)), rng.random((many, 2)))
    return _scaled(f"{few} x {many}", cost, rng.dirichlet(np.ones(few)), rng.dirichlet(np.ones(many)))


def structured_workloads(n: int) -> Iterator[Workload]:
    """Inputs with ties, trees of great depth, or many breakpoints."""
    for family in (lines, curves, ties, uneven_clouds):
        yield from family(n)
    yield in_order(n)
    yield comb(n)
    yield shapes()
    yield exponential(24)
    yield exponential(48)
    yield few_against_many(1, 40_000)
    yield few_against_many(2, 20_000)
    yield few_against_many(3, 8_000)
    yield few_against_many(20, 4_000)
    yield few_against_many(900, 3_600)


def many_dimensions(seed: int = 0) -> Workload:
    """Gaussian clouds in 64 dimensions."""
    rng = np.random.default_rng([seed, 64])
    x, y = rng.normal(size=(1000, 64)), rng.normal(size=(1000, 64)) + 0.1
    uniform = np.full(1000, 1 / 1000)
    return Workload("64-d clouds 1000", cdist(x, y) / 25, uniform, uniform)


def all_workloads(sizes: tuple[int, ...]) -> Iterator[Workload]:
    """Every workload of the speed table."""
    for n in sizes:
        for weights in ("uniform", "dirichlet"):
            for outliers in (False, True):
                yield square(n, weights, outliers)
    yield grey_images()
    yield colour_images()
    yield many_dimensions()
