"""Finite differences, to compare gradients with."""

import numpy as np


def central(function, at, step=1e-6):
    """The derivatives of a function of one array, an entry at a time."""
    at = np.asarray(at, dtype=float)
    slopes = np.empty(at.shape)
    for index in np.ndindex(at.shape):
        ends = []
        for by in (step, -step):
            moved = at.copy()
            moved[index] += by * max(abs(at[index]), 0.1)
            ends.append((moved[index], function(moved)))
        slopes[index] = (ends[0][1] - ends[1][1]) / (ends[0][0] - ends[1][0])
    return slopes


def is_close(found, expected):
    """Whether they agree to 1e-6 of the norm, and where that is 0, to what rounding makes of a difference."""
    error = np.linalg.norm(np.asarray(found) - expected)
    return error <= 1e-6 * np.linalg.norm(expected) + 1e-9
