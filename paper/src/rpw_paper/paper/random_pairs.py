"""Small random measures in a square of diameter 1, half of them on a coarse grid: points coincide, distances tie."""

import math
from collections.abc import Iterator

import numpy as np

import rpw

EXPONENTS = (1.0, 2.0, 4.0, math.inf)
PRICES = (0.1, 1.0, 10.0)


def random_measure(rng: np.random.Generator, largest: int = 10) -> rpw.Measure:
    """Between one point and ``largest``, with weights of which some may be 0."""
    n = int(rng.integers(1, largest + 1))
    points = rng.random((n, 2))
    if rng.random() < 0.5:
        points = np.round(3 * points) / 3
    weights = rng.random(n) * (rng.random(n) < 0.9)
    return rpw.Measure(points / math.sqrt(2), weights if weights.sum() > 0 else None)


def questions(cases: int) -> Iterator[tuple[int, float, float]]:
    """The number of a case, its p and its k: all combinations in turn."""
    combinations = [(p, k) for p in EXPONENTS for k in PRICES]
    for case in range(cases):
        yield (case, *combinations[case % len(combinations)])
