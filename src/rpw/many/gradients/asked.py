"""What is asked about all pairs: checked once, and what has no derivative is refused."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from rpw.base import check
from rpw.base.check import Array
from rpw.pair.metrics import check_has_derivative
from rpw.pair.question import Question, as_question

__all__ = ["NO_SECOND_DERIVATIVES", "Asked", "as_asked", "as_price", "as_prices"]

NO_SECOND_DERIVATIVES = (
    "rpw has first derivatives only: a second one needs the change of the plan and of its slope, which a solve does "
    "not give; take no gradient of the gradient, or detach it (create_graph=False, jax.lax.stop_gradient)"
)


@dataclass(frozen=True)
class Asked:
    """What is asked about all pairs but for k; checked."""

    question: Question
    metric: str
    has_diameter: bool
    n_threads: int


def as_asked(
    name: str, *, p: Any, metric: Any, diameter: Any, mass: Any, tol: Any, time_limit: Any, n_threads: int
) -> Asked:
    """Check what is asked; what has no derivative is refused."""
    if not isinstance(tol, Real) or tol != 0:
        raise ValueError(f"tol={tol!r} has no gradient: a solve must not stop early; leave it out")
    if time_limit is not None:
        raise ValueError("time_limit has no gradient: a solve must not stop early; leave it out")
    check_has_derivative(metric)
    exponent = check.as_number(p, "p")
    if exponent < 1:
        raise ValueError(f"p must be finite and at least 1, got {exponent}")
    if np.isinf(exponent):
        raise ValueError(
            "p=inf has no gradient: the distance is then the length of one move, or a share of the "
            "mass; pass a finite p"
        )
    question = as_question(name, p=p, diameter=diameter, mass=mass, need="plan")
    return Asked(question, metric, diameter is not None, n_threads)


def as_price(k: Any) -> float:
    """A k that has a gradient."""
    if check.as_number(k, "k") == 0:
        raise ValueError("k=0 has no gradient: total variation only counts which points are equal; pass k > 0")
    return check.as_positive(k, "k")


def as_prices(k: Any, asked: Asked) -> Array:
    """kΔ of each pair."""
    if not asked.question.depends_on_diameter:
        return np.ones(len(k))
    prices, diameter = check.as_floats(k, "k"), asked.question.diameter
    for price in np.unique(prices).tolist():  # often the same for all
        check.as_kappa(as_price(price), diameter)
    return np.asarray(prices * diameter)
