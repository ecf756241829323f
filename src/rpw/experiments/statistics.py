"""Means with confidence intervals, and exponents of power laws."""

from __future__ import annotations

import numpy as np

from rpw.base.check import Array

__all__ = ["fitted_exponent", "mean_and_band"]


def mean_and_band(values: Array, axis: int) -> tuple[Array, Array]:
    """The mean along an axis, and half the width of its 95 % confidence interval by Student's t; NaN for one value."""
    from scipy.stats import t

    count = values.shape[axis]
    mean = values.mean(axis=axis)
    if count < 2:
        return mean, np.full_like(mean, np.nan)
    return mean, float(t.ppf(0.975, count - 1)) * values.std(axis=axis, ddof=1) / np.sqrt(count)


def fitted_exponent(n: Array, values: Array) -> float:
    """The exponent e of the power law values ~ n^e, by least squares on logarithms."""
    return float(np.polyfit(np.log(n), np.log(values), 1)[0])
