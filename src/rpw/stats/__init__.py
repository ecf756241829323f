"""What a distance means: tests, noise floors and outliers, in the manner of ``scipy.stats``.

>>> import numpy as np
>>> import rpw
>>> rng = np.random.default_rng(0)
>>> x, y = rng.normal(size=(60, 2)), rng.normal(1, 1, size=(60, 2))
>>> bool(rpw.stats.two_sample_test(x, y, n_resamples=199, rng=0).pvalue < 0.01)
True
"""

from rpw.stats.equivalence import EquivalenceResult, equivalence_test
from rpw.stats.outliers import OutliersResult, find_outliers
from rpw.stats.tables.drift import drift
from rpw.stats.tables.result import DriftResult
from rpw.stats.tables.row import DriftRow
from rpw.stats.two_sample import noise_floor, two_sample_test
from rpw.stats.two_sample_result import NoiseFloor, TwoSampleResult

__all__ = [
    "DriftResult",
    "DriftRow",
    "EquivalenceResult",
    "NoiseFloor",
    "OutliersResult",
    "TwoSampleResult",
    "drift",
    "equivalence_test",
    "find_outliers",
    "noise_floor",
    "two_sample_test",
]
