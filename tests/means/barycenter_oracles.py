"""Slow, obviously right barycenters, by linear programmes and grids; they never import the library."""

import itertools

import numpy as np
from scipy.optimize import linprog


def lp_barycenter(costs_p, inputs, weights, kappa=None):
    """The least Σ w W^p over weights on a support, or, with ``kappa`` and p = 1, the least Σ w RPW.

    Variables: b, the plans one after the other, and, where mass may be left out, the ε of each input, with
    mass = 1 - ε and cost <= κ ε.
    """
    m, sizes = costs_p[0].shape[1], [len(a) for a in inputs]
    starts = np.concatenate([[0], np.cumsum([n * m for n in sizes])]) + m
    total = starts[-1] + len(inputs)
    objective = np.zeros(total)
    equal, equal_to, below, below_to = [], [], [], []

    def row(entries):
        made = np.zeros(total)
        for where, value in entries:
            made[where] = value
        return made

    equal.append(row([(slice(0, m), 1.0)]))
    equal_to.append(1.0)
    for i, (cost, a, start) in enumerate(zip(costs_p, inputs, starts, strict=False)):
        of_plan, epsilon = slice(start, start + cost.size), starts[-1] + i
        for r, mass in enumerate(a):
            below.append(row([(slice(start + r * m, start + (r + 1) * m), 1.0)]))
            below_to.append(mass)
        for c in range(m):
            below.append(row([(slice(start + c, start + cost.size, m), 1.0), (c, -1.0)]))
            below_to.append(0.0)
        equal.append(row([(of_plan, 1.0), (epsilon, 1.0)]))
        equal_to.append(1.0)
        if kappa is None:
            objective[of_plan] = weights[i] * cost.ravel()
        else:
            objective[epsilon] = weights[i]
            below.append(row([(of_plan, cost.ravel()), (epsilon, -kappa)]))
            below_to.append(0.0)
    bounds = [(0, None)] * starts[-1] + [(0, 0 if kappa is None else None)] * len(inputs)
    found = linprog(objective, A_ub=below, b_ub=below_to, A_eq=equal, b_eq=equal_to, bounds=bounds, method="highs")
    return found.fun, found.x[:m]


def simplex_grid(size, steps):
    """All weights that are multiples of 1 / steps."""
    for cuts in itertools.combinations(range(steps + size - 1), size - 1):
        yield np.diff([-1, *cuts, steps + size - 1]) - 1.0


def distance_of_diracs(length, p, kappa):
    """ε with (1 - ε) length^p = (κ ε)^p, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if (1 - middle) * length**p > (kappa * middle) ** p else (low, middle)
    return high
