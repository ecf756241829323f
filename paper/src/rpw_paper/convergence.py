"""How fast the distance between two samples of one distribution vanishes (the paper's sections 3.2 and 6.2).

Two independent samples have n points each. W_p falls like n^(-1/2p) in the worst case. RPW_{p,1} falls at least like
n^(-1/d) for p ≤ d/2, and like n^(-p/(p(d+2)-d)) for larger p, up to logarithms (Theorem 3.7). On finitely many points
RPW falls like n^(-1/2).
"""

import math
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

import rpw
from rpw_paper.base import Array, Report, silent
from rpw_paper.statistics import exponent_band, fitted_exponent

DISCRETE_N = tuple(round(10 ** (e / 2)) for e in range(2, 13))  # 10 to 10^6
CONTINUOUS_N = (100, 250, 600, 1500, 4000)
PRICES = (0.1, 1.0, 10.0)
EXPONENTS = (1.0, 2.0, 4.0, math.inf)
FITTED_FROM = {"discrete": 10_000, "continuous": 250}


@dataclass(frozen=True, eq=False)
class Curve:
    """One distance on one distribution: values (sizes, repeats), the exponent that theory gives, and a remark."""

    case: str
    distance: str
    n: Array
    values: Array
    theory: float
    fitted_from: int
    remark: str = ""

    @property
    def mean(self) -> Array:
        return np.asarray(self.values.mean(axis=1))

    def exponent(self) -> float:
        """Fitted over the larger n; NaN if fewer than three of them have a positive mean."""
        used = self._used
        return fitted_exponent(self.n[used], self.mean[used]) if used.sum() > 2 else math.nan

    def band(self) -> float:
        """Half the width of the exponent's 95 % confidence interval, from the repeats; NaN if there is none."""
        used = self._used
        return exponent_band(self.n[used], self.values[used]) if used.sum() > 2 else math.nan

    @property
    def _used(self) -> npt.NDArray[np.bool_]:
        return (self.n >= self.fitted_from) & (self.mean > 0)


def rate_of_rpw(p: float, d: int) -> float:
    """The exponent of the upper bound for RPW_{p,1} in d dimensions."""
    if p <= d / 2:
        return -1 / d
    return -1 / (d + 2) if math.isinf(p) else -p / (p * (d + 2) - d)


def rate_of_w(p: float, d: int) -> float:
    """The exponent of the upper bound for W_p in d dimensions; 0 if it need not converge."""
    return -1 / d if p <= d / 2 else -1 / (2 * p) + 0.0  # not -0.0


def _grid_points() -> Array:
    """A 4 × 4 grid of diameter 1."""
    return np.indices((4, 4)).reshape(2, -1).T / (3 * math.sqrt(2))


DISCRETE: dict[str, Callable[[], Array]] = {
    "two points": lambda: np.array([[0.0, 0.0], [1.0, 0.0]]),
    "4 x 4 grid": _grid_points,
}


def discrete_curves(seed: int, repeats: int) -> Iterator[Curve]:
    """Samples from finitely many points; equal points are merged into one heavier point."""
    names = ["W2", "TV", *(f"RPW(2,{k:g})" for k in PRICES)]
    for number, (case, support) in enumerate(DISCRETE.items()):
        points = support()
        values = np.empty((len(names), len(DISCRETE_N), repeats))
        for i, n in enumerate(DISCRETE_N):
            for repeat in range(repeats):
                rng = np.random.default_rng([seed, number, n, repeat])
                a, b = (np.bincount(rng.integers(len(points), size=n), minlength=len(points)) for _ in range(2))
                values[:, i, repeat] = _discrete_distances(points, a, b)
        for name, rows in zip(names, values, strict=True):
            remark = "bends towards -0.50 near n = k^4 = 10,000" if name == "RPW(2,10)" else ""
            theory = -0.25 if name == "W2" else -0.5
            yield Curve(case, name, np.array(DISCRETE_N), rows, theory, FITTED_FROM["discrete"], remark)


def _discrete_distances(points: Array, a: Any, b: Any) -> list[float]:
    """W2, TV and RPW for all prices, from one profile."""
    profile = rpw.profile(points, points, a, b, p=2)
    unshared = rpw.total_variation(points, points, a, b)
    return [float(profile(1.0)), unshared, *(profile.distance(k) for k in PRICES)]


def _square(rng: np.random.Generator, n: int) -> Array:
    return rng.random((n, 2)) / math.sqrt(2)


def _two_squares(rng: np.random.Generator, n: int) -> Array:
    """Half the mass each on two squares in opposite corners of one of diameter 1."""
    side = 0.2 / math.sqrt(2)
    corner = rng.integers(2, size=(n, 1)) * (1 / math.sqrt(2) - side)
    return corner + side * rng.random((n, 2))


def _cube(rng: np.random.Generator, n: int) -> Array:
    return rng.random((n, 3)) / math.sqrt(3)


CONTINUOUS: dict[str, tuple[int, Callable[[np.random.Generator, int], Array]]] = {
    "square": (2, _square),
    "two squares": (2, _two_squares),
    "cube": (3, _cube),
}


# The rough cost of a distance on each density, in units of n² for n points: for the share that is done.
_EFFORT = {"square": 1.0, "two squares": 5.0, "cube": 1.0}


def continuous_curves(
    seed: int, repeats: int, largest_n: int, n_threads: int, report: Report = silent
) -> Iterator[Curve]:
    """Samples from densities in spaces of diameter 1: W_p and RPW_{p,1} for several p."""
    sizes = [n for n in CONTINUOUS_N if n <= largest_n]
    jobs = [(n, repeat) for n in reversed(sizes) for repeat in range(repeats)]  # the longest first
    everything = len(EXPONENTS) * sum(_EFFORT.values()) * sum(n**2 for n, _ in jobs)
    done = 0.0
    for number, (case, (dimension, sample)) in enumerate(CONTINUOUS.items()):
        for p in EXPONENTS:
            pairs = []
            with ThreadPoolExecutor(n_threads) as pool:
                found = pool.map(partial(_continuous_distances, sample, p, [seed, 10 + number]), jobs)
                for (size, _), pair in zip(jobs, found, strict=True):
                    pairs.append(pair)
                    done += _EFFORT[case] * size**2
                    report(done / everything, f"{case}, p = {p:g}")
            values = np.array(pairs).reshape(len(sizes), repeats, 2)[::-1]
            n, fitted_from = np.array(sizes), FITTED_FROM["continuous"]
            yield Curve(case, f"W{p:g}", n, values[:, :, 0], rate_of_w(p, dimension), fitted_from)
            yield Curve(case, f"RPW({p:g},1)", n, values[:, :, 1], rate_of_rpw(p, dimension), fitted_from)


def _continuous_distances(
    sample: Callable[[np.random.Generator, int], Array], p: float, seed: list[int], job: tuple[int, int]
) -> tuple[float, float]:
    n, repeat = job
    rng = np.random.default_rng([*seed, n, repeat])
    x, y = sample(rng, n), sample(rng, n)
    return rpw.wasserstein(x, y, p=p), rpw.distance(x, y, p=p, k=1)
