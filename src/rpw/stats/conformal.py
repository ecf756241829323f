"""Conformal p-values, and the procedure of Benjamini and Hochberg.

The reference rows are split at random into R0 and R1. All rows of R1 and x get a score S against R0; the higher, the
farther out. With l = |R1| and m rows in x,

    p_j = (1 + #{i in R1 : S_i >= S_j}) / (l + 1)                   (equal scores are put in a random order)
    named: the k rows with the smallest p, for the largest k with p_(k) <= level * k / m

docs/proofs/statistics.md, "Outliers with a proven error", proves that on average at most a share ``level`` of the named
rows are ordinary.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from rpw.base.check import Array

__all__ = [
    "calibration_for_one",
    "conformal_pvalues",
    "least_that_can_be_named",
    "named",
    "order_with_random_ties",
    "score_limit",
    "split",
]

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

_ROUNDING = 1e-12  # relative: 0.05 * 3 / 15 and 1 / 100 are meant to be equal


def split(count: int, share: float, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Two parts of ``count`` rows, drawn at random; the second has about ``share`` of them. Neither is empty."""
    second = min(max(round(share * count), 1), count - 1)
    drawn = rng.permutation(count)
    return drawn[second:], drawn[:second]


def order_with_random_ties(scores: Array, rng: np.random.Generator) -> Ints:
    """The place of each score among all of them, from the lowest; those of equal scores are drawn."""
    places = np.empty(len(scores), dtype=np.int64)
    places[np.lexsort((rng.random(len(scores)), scores))] = np.arange(len(scores))
    return places


def conformal_pvalues(calibration: Array | Ints, scores: Array | Ints) -> Array:
    """p_j of each score, among the scores of the rows that calibrate it."""
    below = np.searchsorted(np.sort(calibration), scores, side="left")
    return np.asarray((1 + len(calibration) - below) / (len(calibration) + 1), dtype=np.float64)


def score_limit(calibration: Array, level: float) -> float:
    """A score has a p-value of at most ``level`` just if it is higher than this; infinite if no p-value is so small."""
    allowed = math.floor(level * (len(calibration) + 1) * (1 + _ROUNDING))  # p = allowed / (l + 1) at most
    return math.inf if allowed == 0 else float(np.sort(calibration)[-min(allowed, len(calibration))])


def named(pvalues: Array, level: float) -> Mask:
    """The rows that the procedure of Benjamini and Hochberg names."""
    count = len(pvalues)
    ordered = np.sort(pvalues)
    allowed = level * np.arange(1, count + 1) / count * (1 + _ROUNDING)
    fits = np.flatnonzero(ordered <= allowed)
    return pvalues <= ordered[fits[-1]] if len(fits) else np.zeros(count, dtype=bool)


def least_that_can_be_named(count: int, level: float, calibration: int) -> int:
    """So many rows out of ``count`` are named, or none: even the smallest p-value is 1 / (calibration + 1)."""
    return math.ceil(count / (level * (calibration + 1)) / (1 + _ROUNDING))


def calibration_for_one(count: int, level: float) -> int:
    """So many rows must calibrate for a single row out of ``count`` to be named."""
    return math.ceil(count / level / (1 + _ROUNDING)) - 1
