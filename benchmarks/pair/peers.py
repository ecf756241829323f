"""What people use today, called the way they would call it."""

from __future__ import annotations

import numpy as np
import ot


def emd2(a: np.ndarray, b: np.ndarray, cost_p: np.ndarray) -> float:
    """POT's exact optimal transport; its iteration limit is raised so that it always finishes."""
    return float(ot.emd2(a, b, cost_p, numItermax=10_000_000))


def partial_cost_p(a: np.ndarray, b: np.ndarray, cost_p: np.ndarray, mass: float) -> float:
    """F(mass) by one `ot.emd` with a dummy row and column, as in the paper's highly accurate algorithm."""
    n, m = cost_p.shape
    extended = np.zeros((n + 1, m + 1))
    extended[:n, :m] = cost_p
    extended[n, m] = 2 * cost_p.max() + 1  # the dummies must not serve each other
    left = 1 - mass
    plan = ot.emd(np.append(a, left), np.append(b, left), extended, numItermax=10_000_000)
    return float((plan[:n, :m] * cost_p).sum())


def height_at(a: np.ndarray, b: np.ndarray, cost_p: np.ndarray, multiplier: float) -> float:
    """min F(1 - ε) + λε by one `ot.emd2` with a dummy row and column: RPW's problem, given the answer's λ."""
    n, m = cost_p.shape
    extended = np.full((n + 1, m + 1), multiplier / 2)
    extended[:n, :m] = cost_p
    extended[n, m] = 0
    return float(ot.emd2(np.append(a, b.sum()), np.append(b, a.sum()), extended, numItermax=10_000_000))


def rpw_by_bisection(a: np.ndarray, b: np.ndarray, cost_p: np.ndarray, p: float, k: float, tol: float) -> float:
    """(p,k)-RPW to ``tol`` by bisection on the distance (paper, appendix, highly accurate algorithm)."""
    low, high = 0.0, 1.0
    while high - low > tol:
        middle = (low + high) / 2
        if partial_cost_p(a, b, cost_p, 1 - middle) <= (k * middle) ** p:
            high = middle
        else:
            low = middle
    return high
