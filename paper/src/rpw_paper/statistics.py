"""Means with confidence intervals, exponents of power laws with their errors, and differences between paired counts."""

from dataclasses import dataclass

import numpy as np

from rpw_paper.base import Array, Ints

RESAMPLES = 2000
LEAST_PVALUE = 1e-6  # smaller ones are given as this: their digits would come from rounding
LEVEL = 0.05  # of significance, after the correction


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


def exponent_band(n: Array, values: Array, seed: int = 0) -> float:
    """Half the width of the 95 % confidence interval of the exponent that is fitted to the means of values (sizes,
    repeats).

    By the bootstrap: repeats are drawn again, separately for each size. NaN for one repeat, and if a mean may be 0.
    """
    sizes, repeats = values.shape
    if repeats < 2:
        return float("nan")
    drawn = np.random.default_rng(seed).integers(repeats, size=(RESAMPLES, sizes, repeats))
    means = values[np.arange(sizes)[:, None], drawn].mean(axis=2)
    if (means <= 0).any():
        return float("nan")
    away = np.log(n) - np.log(n).mean()
    slopes = np.log(means) @ (away / (away @ away))  # all fits at once: each is linear in the logarithms
    return float(1.96 * slopes.std(ddof=1) * np.sqrt(repeats / (repeats - 1)))  # resamples vary less than repeats do


@dataclass(frozen=True)
class Difference:
    """The mean of the differences, its 95 % interval, and its two-sided p-value."""

    mean: float
    low: float
    high: float
    pvalue: float


UNKNOWN = Difference(*[float("nan")] * 4)


def paired_difference(first: Ints, second: Ints) -> Difference:
    """How much larger the first counts are than the second, on average over the queries that both belong to.

    The interval is that of the bootstrap over queries, which keeps the two counts of a query together. Counts are whole
    numbers, so the distribution over all resamples is computed, not drawn: there is no seed. The p-value is the larger
    of two: the bootstrap's, which is too small if few queries differ, and that of the sign-flip test, which is exact if
    neither distance is better.
    """
    differences = np.asarray(first, dtype=np.int64) - np.asarray(second, dtype=np.int64)
    if differences.ndim != 1 or len(differences) == 0:
        raise ValueError(f"first and second must be equally long lists of counts, got shape {differences.shape}")
    count = len(differences)
    sums, shares = _resampled_sums(differences)
    below = shares.cumsum()
    low, high = (float(sums[np.argmax(below >= level)]) / count for level in (0.025, 0.975))
    by_bootstrap = 2 * min(shares[sums <= 0].sum(), shares[sums >= 0].sum())
    pvalue = float(np.clip(max(by_bootstrap, _by_signs(differences)), LEAST_PVALUE, 1))
    return Difference(float(differences.mean()), low, high, pvalue)


def _resampled_sums(values: Ints) -> tuple[Ints, Array]:
    """All sums of len(values) draws with replacement, and their probabilities: the power of a polynomial."""
    from scipy.fft import irfft, next_fast_len, rfft

    least, count = int(values.min()), len(values)
    one = np.bincount(values - least) / count
    length = count * (len(one) - 1) + 1
    size = next_fast_len(length, real=True)
    shares = irfft(rfft(one, size) ** count, size)[:length]
    return np.arange(length) + count * least, np.maximum(shares, 0)


def _by_signs(differences: Ints) -> float:
    """How often the sum is as far from 0 as it is, when each difference has a random sign."""
    from scipy.fft import irfft, next_fast_len

    sizes, counts = np.unique(np.abs(differences), return_counts=True)
    size = next_fast_len(2 * int(sizes @ counts) + 1, real=True)
    turns = np.arange(size // 2 + 1) / size
    waves = np.prod([np.cos(2 * np.pi * turns * step) ** times for step, times in zip(sizes, counts, strict=True)], 0)
    shares = irfft(waves, size)  # sums below 0 lie at the end
    sums = np.minimum(np.arange(size), size - np.arange(size))
    return float(shares[sums >= abs(int(differences.sum()))].sum())


def holm(pvalues: Array) -> Array:
    """p-values corrected for their number by Holm's method: if those of at most 0.05 are rejected, the chance of any
    false rejection is at most 0.05."""
    pvalues = np.asarray(pvalues, dtype=np.float64)
    order = np.argsort(pvalues, kind="stable")
    corrected = np.empty_like(pvalues)
    factors = np.arange(len(pvalues), 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(pvalues[order] * factors), 1)
    return corrected
