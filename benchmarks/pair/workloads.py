"""The inputs that every benchmark shares: planar squares, images, and clouds in many dimensions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

import rpw
from rpw.experiments.perturbation import add_white
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
        pixels = np.round(255 * colour).astype(np.uint8).reshape(1, 32, 32, 3)
        return rpw.Measure.from_image(add_white(pixels, rng)[0]).points

    uniform = np.full(1024, 1 / 1024)
    return Workload("32x32 colour images", cdist(image(), image()), uniform, uniform)


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
