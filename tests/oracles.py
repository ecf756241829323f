"""Slow, obviously right answers, independent of the library: they never import it.

Costs are ground distances, as in ``rpw.solve(cost=...)``. Weights are normalised here, exactly.
"""

from __future__ import annotations

import itertools
import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array, vstack

INF = math.inf


def normalised(weights, size):
    """Weights in float64, summing to 1 (uniform for None)."""
    if weights is None:
        return np.full(size, 1 / size)
    weights = np.asarray(weights, dtype=np.float64)
    return weights / math.fsum(weights)


def exact_weights(weights, size):
    """Weights as fractions that sum to exactly 1."""
    if weights is None:
        return [Fraction(1, size)] * size
    values = [Fraction(float(w)) for w in np.asarray(weights, dtype=np.float64)]
    return [w / sum(values) for w in values]


def euclidean(x, y):
    """Distances between all pairs, by the formula."""
    x, y = (np.asarray(z, dtype=np.float64).reshape(len(z), -1) for z in (x, y))
    return np.sqrt(((x[:, None, :] - y[None, :, :]) ** 2).sum(axis=2))


# ---------------------------------------------------------------- linear programmes (HiGHS)


def _solve_lp(objective, a, b, mass):
    n, m = len(a), len(b)
    pairs = np.arange(n * m)
    ones = np.ones(n * m)
    rows = csr_array((ones, (pairs // m, pairs)), shape=(n, n * m))
    columns = csr_array((ones, (pairs % m, pairs)), shape=(m, n * m))
    capacity = np.concatenate([a, b])
    equal = None if mass is None else (csr_array(ones[None, :]), [mass])
    answer = linprog(
        objective,
        A_ub=vstack([rows, columns]),
        b_ub=capacity,
        A_eq=None if equal is None else equal[0],
        b_eq=None if equal is None else equal[1],
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if not answer.success:
        raise AssertionError(f"the oracle failed: {answer.message}")
    return answer


def lp_cost_p(cost, a, b, p, mass):
    """F(mass) = W_{p,mass}**p by HiGHS. Costs should be of the order of 1."""
    cost = np.asarray(cost, dtype=np.float64)
    a, b = normalised(a, cost.shape[0]), normalised(b, cost.shape[1])
    reachable = min(mass, math.fsum(a), math.fsum(b)) * (1 - 1e-15)
    return max(0.0, float(_solve_lp((cost**p).ravel(), a, b, reachable).fun))


def lp_partial(cost, a, b, p, mass):
    """W_{p,mass} by HiGHS; at p = inf by maximum flows over short pairs."""
    cost = np.asarray(cost, dtype=np.float64)
    scale = float(cost.max()) or 1.0
    if not math.isinf(p):
        return scale * lp_cost_p(cost / scale, a, b, p, mass) ** (1 / p)
    for threshold in np.unique(np.append(cost, 0.0)):
        if lp_flow(cost, a, b, threshold) >= mass - 1e-10:
            return float(threshold)
    raise AssertionError("no threshold carries the mass")


def lp_flow(cost, a, b, threshold):
    """The largest mass that pairs no longer than ``threshold`` carry."""
    cost = np.asarray(cost, dtype=np.float64)
    a, b = normalised(a, cost.shape[0]), normalised(b, cost.shape[1])
    if not (cost <= threshold).any():
        return 0.0
    return -float(_solve_lp(np.where(cost <= threshold, -1.0, 0.0).ravel(), a, b, None).fun)


def lp_rpw(cost, a, b, p, kappa):
    """RPW by its definition: the least ε with W_{p,1-ε} <= κε, by bisection over linear programmes."""
    cost = np.asarray(cost, dtype=np.float64)
    if math.isinf(p):
        return _rpw_of_steps([(t, lp_flow(cost, a, b, t)) for t in np.unique(np.append(cost, 0.0))], kappa)
    low, high = 0.0, 1.0
    if lp_partial(cost, a, b, p, 1.0) <= 0:
        return 0.0
    while high - low > 1e-12:
        middle = (low + high) / 2
        if lp_partial(cost, a, b, p, 1 - middle) <= kappa * middle:
            high = middle
        else:
            low = middle
    return high


def _rpw_of_steps(steps, kappa):
    """The least ε such that the flow over pairs no longer than κε is at least 1 - ε."""
    if kappa == 0:
        return 1 - max(flow for length, flow in steps if length == 0) if any(t == 0 for t, _ in steps) else 1.0
    return min(1.0, min(max(float(t) / kappa, float(1 - flow)) for t, flow in steps))


# ---------------------------------------------------------------- exact arithmetic, by successive shortest paths


def exact_profile(cost_p, a, b):
    """Breakpoints [(mass, F)] of the profile in fractions: one shortest augmenting path (Bellman–Ford) per edge.

    ``cost_p`` holds p-th powers; ``a`` and ``b`` are weights or None.
    """
    n, m = len(cost_p), len(cost_p[0])
    source, sink = n + m, n + m + 1
    arcs = []  # [from, to, capacity, cost]; the arc e ^ 1 is the reverse of e
    for i, w in enumerate(exact_weights(a, n)):
        arcs += [[source, i, w, Fraction(0)], [i, source, Fraction(0), Fraction(0)]]
    for j, w in enumerate(exact_weights(b, m)):
        arcs += [[n + j, sink, w, Fraction(0)], [sink, n + j, Fraction(0), Fraction(0)]]
    for i, j in itertools.product(range(n), range(m)):
        c = Fraction(float(cost_p[i][j]))
        arcs += [[i, n + j, Fraction(2), c], [n + j, i, Fraction(0), -c]]
    points = [(Fraction(0), Fraction(0))]
    while True:
        path, length = _shortest_path(arcs, n + m + 2, source, sink)
        if path is None:
            break
        amount = min(arcs[e][2] for e in path)
        for e in path:
            arcs[e][2] -= amount
            arcs[e ^ 1][2] += amount
        mass, value = points[-1]
        if len(points) > 1 and (value - points[-2][1]) == length * (mass - points[-2][0]):
            points.pop()  # the same edge of F goes on
        points.append((mass + amount, value + length * amount))
    return points


def _shortest_path(arcs, size, source, sink):
    distance, by = [None] * size, [None] * size
    distance[source] = Fraction(0)
    changed = True
    while changed:
        changed = False
        for e, (u, v, capacity, cost) in enumerate(arcs):
            if capacity > 0 and distance[u] is not None and (distance[v] is None or distance[u] + cost < distance[v]):
                distance[v], by[v], changed = distance[u] + cost, e, True
    if distance[sink] is None:
        return None, None
    path, x = [], sink
    while x != source:
        path.append(by[x])
        x = arcs[by[x]][0]
    return path, distance[sink]


def exact_rpw(cost, a, b, p, kappa):
    """RPW for finite p from the exact profile; the crossing itself in 60 decimal digits."""
    cost = np.asarray(cost, dtype=np.float64)
    scale = float(cost.max()) or 1.0
    points = exact_profile((cost / scale) ** p, a, b)
    if kappa == 0:
        return float(1 - max(mass for mass, value in points if value == 0))
    with localcontext() as context:
        context.prec = 60
        line = Decimal(kappa) / Decimal(scale)

        def falls_short(epsilon):  # F(1 - ε) > (κε)^p
            return _interpolate(points, 1 - epsilon) > (line * epsilon) ** Decimal(p)

        low, high = Decimal(0), Decimal(1)
        if not falls_short(low):
            return 0.0
        for _ in range(400):
            middle = (low + high) / 2
            if falls_short(middle):
                low = middle
            else:
                high = middle
            if high - low < high * Decimal("1e-20"):
                break
        return float(high)


def _interpolate(points, mass):
    for (m0, f0), (m1, f1) in itertools.pairwise(points):
        if mass <= _decimal(m1):
            return _decimal(f0) + (mass - _decimal(m0)) * _decimal((f1 - f0) / (m1 - m0))
    return _decimal(points[-1][1])


def _decimal(fraction):
    return Decimal(fraction.numerator) / Decimal(fraction.denominator)


# ---------------------------------------------------------------- other distances by their definitions


def total_variation(x, y, a, b):
    """Half the sum of |mu - nu| over the distinct points."""
    masses = {}
    for points, weights, sign in ((x, a, 1), (y, b, -1)):
        points = np.asarray(points, dtype=np.float64).reshape(len(points), -1)
        for point, w in zip(points, exact_weights(weights, len(points)), strict=True):
            key = tuple(0.0 + point)
            masses[key] = masses.get(key, Fraction(0)) + sign * w
    return float(sum(abs(w) for w in masses.values()) / 2)


def levy_prokhorov(x, y, a, b):
    """inf { ε : mu(A) <= nu(A^ε) + ε and nu(A) <= mu(A^ε) + ε for every set A of points }, over all subsets."""
    cost = euclidean(x, y)
    a, b = exact_weights(a, len(x)), exact_weights(b, len(y))
    return float(max(_one_sided(cost, a, b), _one_sided(cost.T, b, a)))


def _one_sided(cost, a, b):
    """sup over sets A of inf { ε : mu(A) <= nu(A^ε) + ε }."""
    worst = Fraction(0)
    for size in range(1, len(a) + 1):
        for chosen in itertools.combinations(range(len(a)), size):
            mass = sum(a[i] for i in chosen)
            reach = cost[list(chosen)].min(axis=0)  # how far each point of the other measure is from A
            # On [t, next t) the neighbourhood A^ε is fixed (closed or open makes no difference to the infimum).
            best = min(
                max(Fraction(float(t)), mass - sum(w for w, r in zip(b, reach, strict=True) if r <= t))
                for t in np.append(reach, 0.0)
            )
            worst = max(worst, best)
    return worst
