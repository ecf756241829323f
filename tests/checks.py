"""What must hold for every answer, written once."""

from __future__ import annotations

import math

import numpy as np
from oracles import normalised


def is_close(value, expected):
    """Equal to 1e-12, and to nine digits where the answer is tiny (k = 1e9 has answers of 1e-10)."""
    error = abs(value - expected)
    return error <= 1e-12 and error <= 1e-9 * abs(expected) + 1e-14


def assert_close(value, expected):
    assert is_close(value, expected), f"{value!r} should be {expected!r}"


def assert_cost_close(value, expected, unit):
    """Costs W: to 1e-9 of the unit of length."""
    assert abs(value - expected) <= 1e-9 * unit, f"{value!r} should be {expected!r}"


def check_plan(result, cost, a, b, p, kappa):
    """The plan of a Result: marginals, mass, cost, unmatched mass."""
    n, m = cost.shape
    a, b = normalised(a, n), normalised(b, m)
    plan = result.plan.toarray()
    assert plan.shape == (n, m)
    assert (plan >= 0).all()
    assert (plan.sum(axis=1) - a).max() <= 1e-12
    assert (plan.sum(axis=0) - b).max() <= 1e-12
    assert abs(plan.sum() - (1 - result.distance)) <= 1e-12
    assert abs(result.mass - (1 - result.distance)) <= 1e-15
    assert abs(plan.sum() - result.mass) <= 1e-12 * result.mass  # to as many digits where nearly nothing moves
    np.testing.assert_allclose(result.unmatched_a, np.maximum(a - plan.sum(axis=1), 0), rtol=0, atol=1e-12)
    np.testing.assert_allclose(result.unmatched_b, np.maximum(b - plan.sum(axis=0), 0), rtol=0, atol=1e-12)
    assert (result.unmatched_a >= 0).all()
    assert (result.unmatched_b >= 0).all()
    used = plan > 0
    unit = float(cost[used].max()) if used.any() else 0.0
    if math.isinf(p) or unit == 0:
        moved_at = unit
    else:
        moved_at = unit * float((plan[used] * (cost[used] / unit) ** p).sum()) ** (1 / p)
    assert abs(result.cost - moved_at) <= 1e-9 * max(unit, kappa)
    assert moved_at <= kappa * result.distance + 1e-9 * kappa  # what makes `upper` an upper bound
    if result.status == "exact" and 0 < kappa < math.inf and 0 < result.distance < 1 and not math.isinf(p):
        assert abs(moved_at - kappa * result.distance) <= 1e-9 * kappa


def check_bounds(result, kappa, exact=True):
    """lower <= distance <= upper, and how far apart they may be."""
    assert 0 <= result.lower <= result.distance <= result.upper <= 1
    assert result.distance == result.upper
    assert result.gap == result.upper - result.lower
    if exact:
        assert result.status == "exact"
        assert result.gap <= 1e-9 * min(1.0, 1 / kappa if kappa else 1.0)


def check_potentials(result, cost, p):
    """f, g <= 0 and f_i + g_j <= c_ij**p - λ over all pairs, in units of the largest cost that matters."""
    f, g = result.potentials
    multiplier = result.multiplier
    assert f.shape == (cost.shape[0],)
    assert g.shape == (cost.shape[1],)
    assert multiplier >= 0
    assert (f <= 0).all()
    assert (g <= 0).all()
    slack = cost**p - multiplier - f[:, None] - g[None, :]
    assert slack.min() >= -1e-12 * max(multiplier, float(-f.min()), float(-g.min()))


def lower_line(result, a, b, n, m):
    """The line α ↦ λα + a·f + b·g that the potentials put below F, as (slope, value at 0)."""
    f, g = result.potentials
    return result.multiplier, math.fsum(normalised(a, n) * f) + math.fsum(normalised(b, m) * g)


def ragged_clouds(count, n, seed=0):
    """Point sets of slightly different sizes."""
    rng = np.random.default_rng(seed)
    return [rng.random((n + s % 3, 2)) for s in range(count)]
