"""Scores: how far out each row z_j of a cloud lies, seen from the rows r_i of R0. The higher, the farther out.

    nearest   the n-th smallest d(r_i, z_j): how far away the n-th nearest row of R0 is
    move      (sum over i of P_ij d(r_i, z_j)^p / b_j)^(1/p): how far the mass b_j of z_j moves in the plan P of W_p
    price     λ^(1/p) at the slope λ of the OT-profile at which all mass of z_j has moved: `Profile.scores_b`

The first looks at one row at a time. The other two look at all rows together, since they share the mass of R0.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from rpw.base.check import Array
from rpw.pair.functions import profile, transport
from rpw.pair.metrics import GroundMetric

if TYPE_CHECKING:
    from scipy.spatial import KDTree

__all__ = ["SCORES", "Nearest", "Score", "score_by_name"]

Score: TypeAlias = Callable[[Array, Array], ArrayLike]  # of the rows to score, and of R0
SCORES = ("nearest", "move", "price")

_ORDERS = {"euclidean": 2.0, "minkowski": 2.0, "cityblock": 1.0, "chebyshev": math.inf}  # norms that trees know
_MOST_DIMENSIONS = 16  # beyond, a tree looks at nearly all points, and blocks of distances are faster
_TINY, _HUGE = 1e-100, 1e100  # beyond these, squares leave float64; blocks of distances have a scale
_PAIRS_PER_BLOCK = 1 << 22
_ROWS_PER_QUERY = 512  # so few that Ctrl-C does not wait long for them


class Nearest:
    """How far away the n-th nearest row of R0 is; the farthest one, if R0 has fewer rows."""

    def __init__(self, reference: Array, metric: GroundMetric, n_neighbors: int) -> None:
        from scipy.spatial import KDTree  # its import takes a fifth of a second

        self._reference, self._metric = np.ascontiguousarray(reference), metric
        self._nth = min(n_neighbors, len(reference))
        order = None if callable(metric.given) else _ORDERS.get(metric.given)
        self._order = order if order is not None and _suits_trees(reference) else 0.0
        self._tree = KDTree(self._reference) if self._order else None

    def __call__(self, rows: Array, n_threads: int = 1) -> Array:
        """The distance of each row."""
        if self._tree is None:
            return self._by_blocks(rows)
        blocks = [rows[start : start + _ROWS_PER_QUERY] for start in range(0, len(rows), _ROWS_PER_QUERY)]
        # Not by workers= of SciPy: after Ctrl-C its threads would go on over arrays that are gone.
        with ThreadPoolExecutor(n_threads) as pool:
            waiting = [pool.submit(self._by_tree, self._tree, block) for block in blocks]
            try:
                return np.concatenate([each.result() for each in waiting])
            finally:
                for each in waiting:
                    each.cancel()

    def _by_tree(self, tree: KDTree, rows: Array) -> Array:
        return np.asarray(tree.query(rows, k=[self._nth], p=self._order)[0], dtype=np.float64)[:, 0]

    def _by_blocks(self, rows: Array) -> Array:
        found = np.empty(len(rows))
        step = max(1, _PAIRS_PER_BLOCK // len(self._reference))
        for start in range(0, len(rows), step):
            part = np.ascontiguousarray(rows[start : start + step])
            distances = np.empty((len(part), len(self._reference)))
            self._metric.fill(part, self._reference, distances)
            found[start : start + step] = np.partition(distances, self._nth - 1, axis=1)[:, self._nth - 1]
        return found


def _suits_trees(points: Array) -> bool:
    largest = float(np.abs(points).max())
    return points.shape[1] <= _MOST_DIMENSIONS and (largest == 0 or _TINY < largest < _HUGE)


def score_by_name(name: str, metric: GroundMetric, p: float, n_neighbors: int, n_threads: int) -> Score:
    """The score of this name, as a function of the rows and of R0."""
    if name == "nearest":
        return lambda rows, reference: Nearest(reference, metric, n_neighbors)(rows, n_threads)
    return partial(_move if name == "move" else _price, metric=metric, p=p)


def _move(rows: Array, reference: Array, metric: GroundMetric, p: float) -> Array:
    plan = transport(reference, rows, p=p, metric=metric.given).plan.tocoo()
    i, j = plan.coords
    lengths = metric.pairs(reference[i], rows[j])
    longest = float(lengths.max()) or 1.0
    if math.isinf(p):
        farthest = np.zeros(len(rows))
        np.maximum.at(farthest, j, lengths)
        return farthest
    means = np.bincount(j, plan.data * (lengths / longest) ** p, minlength=len(rows)) * len(rows)
    return np.asarray(longest * means ** (1 / p), dtype=np.float64)


def _price(rows: Array, reference: Array, metric: GroundMetric, p: float) -> Array:
    return profile(reference, rows, p=p, metric=metric.given).scores_b
