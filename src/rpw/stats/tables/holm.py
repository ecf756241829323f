"""Holm's correction for many tests: the chance of even one false alarm stays below the level.

With the p-values in order, p₍₁₎ ≤ … ≤ p₍ₘ₎, the adjusted ones are max over j ≤ i of min(1, (m - j + 1) p₍ⱼ₎).
"""

from __future__ import annotations

import math
import sys

import numpy as np

from rpw.base.check import Array

__all__ = ["holm", "least_resamples", "usual_resamples"]


def holm(pvalues: Array) -> Array:
    """Adjusted p-values, in the order of those given."""
    order = np.argsort(pvalues, kind="stable")
    factors = np.arange(len(pvalues), 0, -1)
    adjusted = np.empty(len(pvalues))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(factors * pvalues[order]))
    return adjusted


def least_resamples(tests: int, alpha: float) -> int:
    """B with B + 1 ≥ tests / α: the smallest p-value, 1 / (B + 1), times the tests is then at most α."""
    return max(1, math.ceil(min(tests / alpha, sys.float_info.max) - 1e-9) - 1)


def usual_resamples(tests: int, alpha: float) -> int:
    """Twice as many: then one random split may reach the observed one by chance."""
    return least_resamples(2 * tests, alpha)
