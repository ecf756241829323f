"""Lower bounds on W_p between clouds of equally many points of equal mass, from their projections onto lines.

For an orthonormal basis, W_p is at least the root of the sum of the squares of the W_p of the projections, for p = 1
and p = 2: the projections of the best plan are plans, |v|² is the sum of v_i², and |v| is at least w·|v_i| for every
unit vector w. On a line, the best plan keeps the order; means over runs of neighbours are no farther apart than the
neighbours are in the mean. The bound for a pair is the best one over many bases.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from scipy.spatial.distance import cdist

from rpw_paper.base import Array

_BASES = 64
_LONGEST_RUN = 8


def sliced_bounds(a: Array, b: Array, p: int, n_threads: int) -> Array:
    """Lower bounds (len a, len b) on W_p, p = 1 or 2, for clouds (count, points, dimension)."""
    bases = _bases(a.shape[2])

    def bound(basis: Array) -> Array:
        return np.asarray(sum(_on_line(a @ line, b @ line, p) for line in basis))

    best = np.zeros((len(a), len(b)))
    with ThreadPoolExecutor(n_threads) as pool:
        for begin in range(0, len(bases), n_threads):  # no more matrices than threads at a time
            best = np.maximum.reduce([best, *pool.map(bound, bases[begin : begin + n_threads])])
    return np.asarray(np.sqrt(best))


def _bases(dimension: int) -> list[Array]:
    """The axes, and fixed random rotations of them."""
    rng = np.random.default_rng(0)
    return [np.eye(dimension), *(np.linalg.qr(rng.normal(size=(dimension, dimension)))[0] for _ in range(_BASES - 1))]


def _on_line(a: Array, b: Array, p: int) -> Array:
    """The squares of lower bounds on W_p between rows of numbers."""
    a, b = _runs(a), _runs(b)
    apart = cdist(a, b, "cityblock") if p == 1 else cdist(a, b, "sqeuclidean")
    return np.asarray((apart / a.shape[1]) ** (2 / p))


def _runs(rows: Array) -> Array:
    """The means of runs of neighbours on the line, all equally long."""
    count = rows.shape[1]
    length = next(length for length in range(min(_LONGEST_RUN, count), 0, -1) if count % length == 0)
    return np.asarray(np.sort(rows, axis=1).reshape(len(rows), -1, length).mean(axis=2))
