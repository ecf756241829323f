"""What users pass in becomes `Inputs` and an `Objective`, or a ``ValueError`` that names the argument."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rpw.base import check
from rpw.base.check import Array, is_sparse
from rpw.base.columns import Columns
from rpw.many.batch import PairBatch
from rpw.many.collection import as_list_of_measures, as_measures
from rpw.many.pairwise import as_diameter, warn_of_batch
from rpw.many.support import as_shared_ground
from rpw.measure import Measure
from rpw.pair.atoms import atoms_of_one, joined
from rpw.pair.metrics import as_metric
from rpw.pair.question import as_question

__all__ = ["as_finite_p", "as_given", "as_positive_k", "as_space", "as_trim", "check_kind", "lightened"]

_BINARY_DIGITS = 1000  # that (kΔ)^p may have: float64 has 1023, and a search begins at several times the price


def check_kind(n_points: Any, support: Any, n_starts: Any, free_weights: Any, metric: Any) -> None:
    """Raise unless it is said what moves, once, and nothing is said that has no effect."""
    if (n_points is None) == (support is None):
        came = "neither" if support is None else "both"
        raise ValueError(
            f"pass either n_points (points move) or support (points stay, and their weights move): got {came}"
        )
    if support is not None:
        if n_starts is not None:
            raise ValueError("n_starts has no effect with support=, where one start finds the optimum: leave it out")
        if check.as_flag(free_weights, "free_weights"):
            raise ValueError("free_weights has no effect with support=, where weights always move: leave it out")
    elif as_metric(metric).given != "euclidean":
        raise ValueError(
            f"metric must be 'euclidean' if points move, got {metric!r}; with support= it can be any other"
        )


def as_given(measures: Any, support: Any, places: Array | None, metric: Any) -> tuple[list[Measure], tuple[str, ...]]:
    """The inputs as measures, with all their atoms, and the names of their columns, if they have some.

    Rows of numbers beside ``support`` are histograms on it.
    """
    are_histograms = support is not None and _are_rows(measures)
    columns = Columns(of_places=are_histograms).shared_with(measures=measures)
    if support is None or places is None:
        return as_list_of_measures(measures, "measures"), columns.best
    if are_histograms:
        ground = as_shared_ground(support, None, as_metric(metric))
        given = [Measure(places, weights) for weights, _ in as_measures(measures, "measures", ground)]
        return given, Columns().shared_with(support=support).best
    columns = columns.shared_with(support=support)
    given = as_list_of_measures(measures, "measures")
    if given[0].dimension != places.shape[1]:
        raise ValueError(
            f"support has points of dimension {places.shape[1]}, and measures has points of dimension "
            f"{given[0].dimension}"
        )
    return given, columns.best


def _are_rows(measures: Any) -> bool:
    """Whether it is a table of numbers, sparse or dense, and no list of clouds."""
    if is_sparse(measures):
        return True
    if isinstance(measures, list | tuple):
        return all(_is_row(item) for item in measures)
    return getattr(measures, "ndim", 2) == 2


def _is_row(item: Any) -> bool:
    shape = getattr(item, "shape", None)
    if isinstance(shape, tuple):
        return len(shape) <= 1
    is_nested = isinstance(item, list | tuple) and len(item) > 0 and isinstance(item[0], list | tuple)
    return not is_nested and not isinstance(item, Measure)


def lightened(measure: Measure) -> Measure:
    """The measure without atoms that carry no mass, which would only be in the way."""
    has_mass = measure.weights > 0
    return measure if has_mass.all() else Measure(measure.points[has_mass], measure.weights[has_mass])


def as_space(diameter: Any, given: list[Measure], places: Array | None, metric: Any, p: float, k: float) -> float:
    """Δ of the inputs and the support, with the warnings of `rpw.pairwise` where it was left out."""
    ground = as_shared_ground(None, None, as_metric(metric))
    inputs = joined([atoms_of_one(measure.weights, measure.points) for measure in given])
    others = inputs if places is None else atoms_of_one(np.full(len(places), 1 / len(places)), places)
    delta = as_diameter(diameter, ground, [inputs, others], (given,))
    if p * (math.log2(check.as_kappa(k, delta)) + 3) > _BINARY_DIGITS:
        raise ValueError(
            f"k={k:g} is too large for a barycenter: (k * diameter) ** p is outside the range of "
            f"float64, with diameter={delta:g} and p={p:g}; pass a smaller k (once all mass moves, a "
            "larger k changes nothing), or rescale points and diameter"
        )
    if diameter is None:
        warn_of_batch(PairBatch(inputs, others, ground, as_question(p=p, k=k, diameter=delta)))
    return delta


def as_finite_p(value: Any) -> float:
    """The exponent, in [1, inf)."""
    p = check.as_p(value)
    if math.isinf(p):
        raise ValueError("p must be finite for a barycenter: at p = inf, a plan does not say where to move")
    return p


def as_positive_k(value: Any) -> float:
    """The price of leaving mass behind, > 0."""
    k = check.as_k(value)
    if k == 0:
        raise ValueError("k must be positive for a barycenter: at k = 0, total variation, nothing is moved")
    return k


def as_trim(value: Any) -> float:
    """The share of the inputs that need not count, in [0, 1)."""
    trim = check.as_number(value, "trim")
    if not 0 <= trim < 1:
        raise ValueError(f"trim must lie in [0, 1), got {trim}")
    return trim
