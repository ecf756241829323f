"""A robust mean of digits: 15 pictures of one digit, three of them replaced by noise, beside the barycenters of POT.

Run it with ``python benchmarks/many/bench_barycenter.py``. Pictures: MNIST in the folder RPW_DATA, else the digits of
scikit-learn. Each mean is judged by its W_2 to the clean mean, which is POT's free-support barycenter of the twelve
clean pictures (unit: the diagonal of the picture). Noise is a picture of independent uniform grey values.
``--fixed`` times the certified barycenter on all pixels too.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # threads are ours to count; must be set before NumPy loads

import argparse
import time
import warnings

import numpy as np
import ot
import pictures

import rpw
from rpw.images import pixel_grid

Array = np.ndarray
INPUTS, NOISY = 15, 3
TRIM = NOISY / INPUTS
RIVAL_GRID = {"reg": (0.001, 0.002, 0.005), "reg_m": (0.01, 0.1, 1.0)}  # of the unbalanced barycenter: the best counts


def planted(digit: int, seed: int) -> tuple[Array, Array]:
    """The clean pictures, and all with the noise in the first places."""
    images, labels = pictures.load()
    rng = np.random.default_rng(seed)
    chosen = rng.choice(np.flatnonzero(labels == digit), INPUTS, replace=False)
    images = np.asarray(images[chosen], dtype=np.float64)
    noisy = images.copy()
    noisy[:NOISY] = rng.uniform(0, images.max(), noisy[:NOISY].shape)
    return images[NOISY:], noisy


def as_measures(images: Array) -> list[rpw.Measure]:
    return [rpw.Measure.from_image(image) for image in images]


def free_of_pot(images: Array, n_points: int) -> Array:
    measures = as_measures(images)
    start = np.random.default_rng(0).normal(0.5 / np.sqrt(2), 0.05, (n_points, 2))
    clouds, weights = [m.points for m in measures], [m.weights for m in measures]
    return ot.lp.free_support_barycenter(clouds, weights, start, numItermax=200, stopThr=1e-9)


def unbalanced_of_pot(images: Array, reg: float, reg_m: float) -> rpw.Measure | None:
    """On the pixels; None where its iteration has left float64."""
    grid = pixel_grid(*images.shape[1:])
    rows = images.reshape(len(images), -1)
    cost = ((grid[:, None] - grid[None]) ** 2).sum(axis=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some of its parameters do not converge, and do not win
        mean = ot.unbalanced.barycenter_unbalanced(
            (rows / rows.sum(axis=1, keepdims=True)).T, cost, reg, reg_m, numItermax=2000, stopThr=1e-6
        )
    return rpw.Measure(grid, mean) if np.isfinite(mean).all() and mean.sum() > 0 else None


def best_unbalanced(images: Array, clean: Array) -> float:
    """The least W_2 to the clean mean over a grid of parameters, chosen with knowledge that a user would not have."""
    pairs = [(reg, reg_m) for reg in RIVAL_GRID["reg"] for reg_m in RIVAL_GRID["reg_m"]]
    found = [unbalanced_of_pot(images, *pair) for pair in pairs]
    return min(rpw.wasserstein(mean, clean) for mean in found if mean is not None)


def row(name: str, distance: float, rival: float, note: str = "") -> None:
    print(f"  {name:<44}{distance:8.4f}   {distance / rival:5.2f} of POT's free support   {note}".rstrip())


def ours(images: Array, n_points: int, k: float, **options) -> tuple[rpw.Barycenter, float]:
    start = time.perf_counter()
    found = rpw.barycenter(as_measures(images), n_points=n_points, k=k, diameter=1, n_starts=1, n_threads=2, **options)
    return found, time.perf_counter() - start


def compare(digit: int, seed: int, n_points: int, k: float) -> None:
    clean_images, noisy = planted(digit, seed)
    clean = free_of_pot(clean_images, n_points)
    rival = rpw.wasserstein(free_of_pot(noisy, n_points), clean)
    print(f"\ndigit {digit}, seed {seed}, {n_points} points, k = {k:g}: W_2 to the clean mean")
    row("POT, free support", rival, rival)
    row("POT, unbalanced, best of its grid", best_unbalanced(noisy, clean), rival)
    alone, _ = ours(clean_images, n_points, k)
    base = rpw.wasserstein(alone.measure, clean)
    row("rpw, the twelve clean ones alone", base, rival)
    variants = {
        "rpw, sum of RPW^2": {},
        "rpw, sum of RPW": {"objective": "rpw"},
        f"rpw, sum of RPW^2, trim = {TRIM:g}": {"trim": TRIM},
        "rpw, sum of RPW^2, trim = 0.4": {"trim": 0.4},
    }
    for name, options in variants.items():
        found, seconds = ours(noisy, n_points, k, **options)
        distance = rpw.wasserstein(found.measure, clean)
        named = sorted(np.argsort(found.left_out)[-NOISY:]) == list(range(NOISY))
        least, most = found.left_out[:NOISY].min(), found.left_out[NOISY:].max()
        note = f"{distance / base:.2f} of clean; noise {'named' if named else 'NOT NAMED'}: {least:.3f} > {most:.3f}"
        row(name, distance, rival, f"{note}; {seconds:.1f} s")


def fixed(digit: int, seed: int, k: float) -> None:
    """The certified barycenter on all pixels."""
    _, noisy = planted(digit, seed)
    grid, start, used = pixel_grid(*noisy.shape[1:]), time.perf_counter(), time.process_time()
    found = rpw.barycenter(noisy.reshape(len(noisy), -1), support=grid, k=k, diameter=1, n_threads=2)
    seconds, cpu = time.perf_counter() - start, time.process_time() - used
    print(f"\nfixed support of {len(grid)} pixels: {found}")
    print(f"  {len(found.history) - 1} steps, {seconds:.1f} s, {cpu:.1f} s of processor time")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--digits", type=int, nargs="+", default=[3, 0, 7])
    parser.add_argument("--points", type=int, default=300)
    parser.add_argument("--k", type=float, default=5.0)
    parser.add_argument("--fixed", action="store_true")
    given = parser.parse_args()
    for digit in given.digits:
        compare(digit, seed=digit + 1, n_points=given.points, k=given.k)
    if given.fixed:
        fixed(given.digits[0], seed=given.digits[0] + 1, k=given.k)


if __name__ == "__main__":
    main()
