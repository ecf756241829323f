"""Hypothesis generators of measures: ties, zero weights, repeated points, different sizes, grids and floats."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

FINITE_P = (1.0, 1.5, 2.0, 3.0)
ALL_P = (*FINITE_P, float("inf"))


class Weighted(NamedTuple):
    """One measure as the library takes it."""

    points: np.ndarray
    weights: np.ndarray | None


def examples(count):
    """So many examples of a problem, and of each an eighth where the profile has an eighth, as in ``make test``."""
    full = settings.get_profile("full").max_examples
    return max(1, count * min(settings.default.max_examples, full) // full)


def exponents(finite=False):
    return st.sampled_from(FINITE_P if finite else ALL_P)


def prices(zero=True):
    """k: special values and anything between."""
    special = [1e-9, 0.1, 0.5, 1.0, 2.0, 3.0, 10.0, 1e9] + [0.0] * zero
    return st.one_of(st.sampled_from(special), st.floats(0.01, 100))


def points(size, dimension):
    """Points on a small grid (ties, repeats), among coarse floats, or in general position."""
    grid = st.lists(st.integers(0, 3), min_size=size * dimension, max_size=size * dimension)
    floats = st.lists(
        st.floats(0, 1, width=16, allow_subnormal=False), min_size=size * dimension, max_size=size * dimension
    )
    general = st.integers(0, 2**32 - 1).map(lambda seed: np.random.default_rng(seed).random(size * dimension))
    return st.one_of(grid, grid, floats, general).map(lambda v: np.array(v, dtype=np.float64).reshape(size, dimension))


def weights(size):
    """Uniform, small integers with zeros, floats, float32, not normalised, and very unequal ones."""
    integers = st.lists(st.integers(0, 4), min_size=size, max_size=size).filter(any)
    floats = st.lists(st.floats(0.0625, 1, width=32), min_size=size, max_size=size)
    unequal = st.lists(st.sampled_from([0.0, 1e-12, 1e-6, 1.0]), min_size=size, max_size=size).filter(any)
    return st.one_of(
        st.none(),
        integers.map(lambda w: np.array(w, dtype=np.float64)),
        integers.map(lambda w: np.array(w, dtype=np.float64) * 7 / sum(w)),
        floats.map(np.array),
        floats.map(lambda w: np.array(w, dtype=np.float32)),
        floats.map(lambda w: np.array(w) * (0.9999999 / sum(w))),
        unequal.map(np.array),
    )


@st.composite
def measures(draw, count=2, most=5):
    """``count`` measures in one space of 1 to 3 dimensions, each of 1 to ``most`` points."""
    dimension = draw(st.integers(1, 3))
    sizes = [draw(st.integers(1, most)) for _ in range(count)]
    return [Weighted(draw(points(n, dimension)), draw(weights(n))) for n in sizes]


@st.composite
def split_copies(draw, most=5):
    """A measure, and the same measure with its atoms split, repeated and permuted."""
    (measure,) = draw(measures(count=1, most=most))
    size = len(measure.points)
    masses = np.full(size, 1 / size) if measure.weights is None else np.asarray(measure.weights, dtype=np.float64)
    pieces = [draw(st.sampled_from([(1.0,), (0.5, 0.5), (0.25, 0.75), (0.3, 0.7), (1.0, 0.0)])) for _ in range(size)]
    owner = np.repeat(np.arange(size), [len(piece) for piece in pieces])
    shares = np.concatenate(pieces)
    order = np.array(draw(st.permutations(range(len(owner)))))
    return measure, Weighted(measure.points[owner][order], (masses[owner] * shares)[order])


@st.composite
def cost_matrices(draw, most=5):
    """A matrix of ground distances with ties and zeros (no metric needed), and weights for its two sides."""
    n, m = draw(st.integers(1, most)), draw(st.integers(1, most))
    entries = st.one_of(st.integers(0, 3).map(float), st.floats(0.0625, 4, width=32))
    matrix = np.array(draw(st.lists(entries, min_size=n * m, max_size=n * m))).reshape(n, m)
    return matrix, draw(weights(n)), draw(weights(m))
