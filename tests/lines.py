"""Problems on the line, and ways to ask for them."""

import math

import numpy as np

import rpw
from rpw import _core
from rpw.base.deadline import NEVER
from rpw.pair.problem import as_problem
from rpw.pair.question import as_question

INF = math.inf
ALL_P = [1, 1.5, 2, 3, INF]


def random_points(rng, n):
    """Points of one of four kinds: apart from each other, on a coarse grid, on tenths, or in clusters."""
    kind = rng.integers(4)
    if kind == 0:
        return rng.normal(size=n) + rng.normal()
    if kind == 1:
        return rng.integers(0, 8, n).astype(float)
    if kind == 2:
        return np.round(rng.random(n), 1) + 0.3
    return rng.integers(0, 3, n) + 1e-3 * rng.random(n)


def random_weights(rng, n):
    """Equal, Dirichlet, over fifteen orders of magnitude, or small multiples of each other."""
    kind = rng.integers(4)
    if kind == 0:
        return np.ones(n)
    if kind == 1:
        return rng.dirichlet(np.ones(n))
    if kind == 2:
        return 10.0 ** rng.uniform(-15, 0, n)
    return rng.integers(1, 4, n).astype(float)


def random_problem(rng, most=30):
    n, m = rng.integers(1, most, 2)
    return random_points(rng, n), random_points(rng, m), random_weights(rng, n), random_weights(rng, m)


def relative_error(value, expected):
    return 0.0 if value == expected else abs(value - expected) / max(abs(expected), 1e-300)


def between(x, y):
    """The matrix of distances: with it the dense solvers are asked."""
    return np.abs(np.asarray(x, dtype=float)[:, None] - np.asarray(y, dtype=float))


def solve(x, y, a=None, b=None, *, p=2, k=1, **options):
    result = rpw.solve(x, y, a, b, p=p, k=k, diameter=1, **options)
    assert result.solver == "line"
    return result


def ask(x, y, a=None, b=None, *, quantity="mass", p=2, unmoved=0.0, truncation=INF, seconds=INF):
    """The whole answer of the core, with bounds, plan and potentials."""
    problem = as_problem(x, y, a, b)
    question = _core.Question(
        getattr(_core.Quantity, quantity), p=p, unmoved=unmoved, truncation=truncation, need=_core.Need.plan
    )
    outcome = _core.solve(*problem.to_core(as_question(p=p, diameter=1), NEVER), question, seconds)
    assert outcome.solver == _core.Solver.line
    return outcome
