"""Ground metrics: a name or a callable becomes, once, an object that knows everything that is asked of a metric.

To add one that SciPy computes, add a line to ``_SCIPY``; to add one to the core, a line to ``_CORE``.
"""

from __future__ import annotations

import pickle
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rpw import _core
from rpw.base.advice import FAR, MANY, NEAR, UNKNOWN, Extent
from rpw.base.arrays import count_up, namespace_of
from rpw.base.check import Array, check_finite, check_nonnegative
from rpw.base.deadline import NEVER, Deadline
from rpw.base.spelling import setting
from rpw.pair.identity import describe_callable

__all__ = ["METRICS", "GroundMetric", "Metric", "as_metric", "check_beside_cost", "equal_rows"]

#: What ``metric=`` takes: a name, or a function of two points.
Metric = str | Callable[[Any, Any], float]

_PAIRS_PER_BLOCK = 1 << 19  # small enough that Ctrl-C and time_limit are noticed between two blocks


class GroundMetric(ABC):
    """A metric on points."""

    given: Metric  # as the user passed it
    separates = False  # whether d(x, y) = 0 exactly where x == y, so that equal points are found without distances
    calls_python = False  # whether Python is called for each pair of points
    is_trusted = True  # whether the triangle inequality is known to hold
    core: _core.Metric | None = None  # what the core calls it, where the core computes it

    @abstractmethod
    def fill(self, x: Array, y: Array, out: Array, deadline: Deadline = NEVER) -> None:
        """Write the distances between ``x`` and ``y`` into ``out``; raises where the deadline passes meanwhile."""

    def pairs(self, x: Array, y: Array) -> Array:
        """The distance between x[s] and y[s] for every s."""
        distances = np.empty((len(x), 1))
        for s in range(len(x)):
            self.fill(x[s : s + 1], y[s : s + 1], distances[s : s + 1])
        return distances[:, 0]

    def ways(self, x: Any, y: Any) -> tuple[Any, Any]:
        """The distance between x[s] and y[s] for every s, and its derivative in x[s]; where it is 0, so is that.

        Only for metrics of a norm (`check_has_derivative`): the derivative in y[s] is then the negative. Points are
        arrays of NumPy, or tensors of torch.
        """
        raise NotImplementedError

    def box(self, points: Array) -> tuple[float, bool]:
        """A length in linear time that no two of the points lie farther apart than, and whether two lie so far apart.

        Infinite where none is known, or where it is no float64.
        """
        return np.inf, False

    def middles(self, points: Array, one: Array, other: Array) -> list[Array]:
        """Places about in the middle of the points, beside the points themselves; two of these lie far apart."""
        return []

    def extent(self, x: Array, y: Array) -> Extent:
        """How far the points of both clouds extend together, as far as linear time tells."""
        return UNKNOWN

    def describe(self) -> str:
        """The same text for the same metric in another process (stores on disk depend on it)."""
        return str(self.given)

    def stopped_by(self, stop: threading.Event) -> GroundMetric:
        """The same metric, which gives up soon after ``stop`` is set, where it can take long."""
        return self

    @property
    def can_pickle(self) -> bool:
        """Whether the standard pickle can store it."""
        return True


class CoreMetric(GroundMetric):
    """A metric of the core: that of a norm of the differences. ``order`` says which, as `numpy.linalg.norm` does."""

    core: _core.Metric
    separates = True

    def __init__(self, name: str, core: _core.Metric, order: float) -> None:
        self.given, self.core, self._order = name, core, order

    def fill(self, x: Array, y: Array, out: Array, deadline: Deadline = NEVER) -> None:
        """By the core, in blocks of rows."""
        x, y = np.ascontiguousarray(x), np.ascontiguousarray(y)
        unit = _core.length_unit(x, y)
        if np.isinf(unit):
            raise ValueError("x and y are too far apart: their distance is outside the range of float64")
        for rows in _row_blocks(len(x), len(y)):
            deadline.check()
            _core.fill_distances(x[rows], y, self.core, unit, out[rows])

    def pairs(self, x: Array, y: Array) -> Array:
        """All of them at once, each in a unit of its own: squares in a common one may vanish."""
        differences = np.abs(x - y)
        largest = differences.max(axis=1, initial=0.0)
        shares = differences / np.where(largest > 0, largest, 1.0)[:, None]
        return np.asarray(largest * np.linalg.norm(shares, self._order, axis=1), dtype=np.float64)

    def ways(self, x: Any, y: Any) -> tuple[Any, Any]:
        """By the norm; where several differences are the largest one, the first of them counts alone."""
        library, ways = namespace_of(x), x - y
        sizes = abs(ways)
        largest = library.amax(sizes, 1)
        if self._order == 2:
            # Of shares: squares of the ways themselves may vanish.
            shares = ways / library.where(largest > 0, largest, 1.0)[:, None]
            norms = library.sqrt((shares * shares).sum(1))
            return largest * norms, shares / library.where(norms > 0, norms, 1.0)[:, None]
        if self._order == 1:
            return sizes.sum(1), library.sign(ways)
        is_first = count_up(ways.shape[1], sizes) == sizes.argmax(1)[:, None]
        return largest, library.where(is_first, library.sign(ways), 0.0)

    def box(self, points: Array) -> tuple[float, bool]:
        """The diagonal of the bounding box; under the largest difference, and on the line, it is the diameter."""
        if np.isinf(_core.length_unit(points, points)):
            return np.inf, False
        diagonal = self._norm(points.max(axis=0) - points.min(axis=0))
        return diagonal, bool(np.isinf(self._order)) or points.shape[1] == 1

    def middles(self, points: Array, one: Array, other: Array) -> list[Array]:
        """Between the two, in the middle of the box, and the mean."""
        with np.errstate(over="ignore"):
            mean = points.mean(axis=0)
        places = [one / 2 + other / 2, points.min(axis=0) / 2 + points.max(axis=0) / 2, mean]
        return [place for place in places if np.isfinite(place).all()]

    def _norm(self, sides: Array) -> float:
        longest = float(sides.max())
        if longest == 0 or not np.isfinite(longest):
            return longest
        return longest * float(np.linalg.norm(sides / longest, self._order))

    def extent(self, x: Array, y: Array) -> Extent:
        """By the box around both. In many dimensions it is far wider than the points are, so points are looked at too.

        From one point to the farthest, and on to the farthest from there: that is at least half of the diameter.
        """
        x, y = np.ascontiguousarray(x), np.ascontiguousarray(y)
        most = _core.box_diameter(x, y, self.core)
        if most <= FAR:
            are_many = most <= NEAR and _core.count_distinct(np.concatenate([x, y])) >= MANY
            return Extent(most=most, are_many=are_many)
        if np.isinf(_core.length_unit(x, y)):  # who measures them will say that their distances are no float64
            return UNKNOWN
        here, least = x[0], 0.0
        for _ in range(2):
            here, least = max((self._farthest(here, cloud) for cloud in (x, y)), key=lambda found: found[1])
        return Extent(least, most)

    def _farthest(self, here: Array, points: Array) -> tuple[Array, float]:
        distances = np.empty((1, len(points)))
        self.fill(here[None, :], points, distances)
        place = int(distances[0].argmax())
        return points[place], float(distances[0, place])

    def __reduce__(self) -> tuple[Any, ...]:
        return as_metric, (self.given,)


class ScipyMetric(GroundMetric):
    """A metric that SciPy knows by name."""

    def __init__(self, name: str, *, separates: bool) -> None:
        self.given, self.separates = name, separates

    def fill(self, x: Array, y: Array, out: Array, deadline: Deadline = NEVER) -> None:
        """By SciPy, in blocks of rows."""
        _fill_by_scipy(x, y, self.given, out, deadline, setting("metric", self.given))

    def __reduce__(self) -> tuple[Any, ...]:
        return as_metric, (self.given,)


class CallableMetric(GroundMetric):
    """A user's function of two points, taken on trust but for its signs."""

    calls_python = True
    is_trusted = False

    def __init__(self, function: Callable[[Any, Any], float]) -> None:
        self.given = self._function = function

    def fill(self, x: Array, y: Array, out: Array, deadline: Deadline = NEVER) -> None:
        """By SciPy, which calls the function for each pair of points; the clock is looked at before each call."""

        # Not the function itself: SciPy would pass options to one that is called "m", say, after its own metrics.
        def in_time(u: Array, v: Array) -> float:
            deadline.check()
            return self._function(u, v)

        _fill_by_scipy(x, y, in_time, out, deadline, f"metric={self._function!r}")

    def describe(self) -> str:
        """A digest of its code and of what it carries along."""
        return self._description

    @cached_property
    def _description(self) -> str:
        """Cached: a callable object may change while it is called, and what it was at the start is what counts."""
        return describe_callable(self._function)

    def stopped_by(self, stop: threading.Event) -> GroundMetric:
        """The same function, which raises instead of being called once ``stop`` is set."""
        return CallableMetric(_Stoppable(self._function, stop))

    @property
    def can_pickle(self) -> bool:
        """Not every function can be pickled, such as a lambda."""
        try:
            pickle.dumps(self._function)
        except Exception:  # pickle raises nearly anything, as do the methods of callable objects
            return False
        return True


class _Stoppable:
    """A user's metric that can be stopped between two calls."""

    def __init__(self, metric: Callable[[Array, Array], float], stop: threading.Event) -> None:
        self._metric, self._stop = metric, stop

    def __call__(self, x: Array, y: Array) -> float:
        if self._stop.is_set():
            raise InterruptedError
        return self._metric(x, y)

    def __repr__(self) -> str:
        return repr(self._metric)


# ---------------------------------------------------------------- by name

_CORE = (
    CoreMetric("euclidean", _core.Metric.euclidean, 2),
    CoreMetric("cityblock", _core.Metric.cityblock, 1),
    CoreMetric("chebyshev", _core.Metric.chebyshev, np.inf),
    CoreMetric("minkowski", _core.Metric.euclidean, 2),  # SciPy's exponent 2; another as a callable
)
_SCIPY = (
    ScipyMetric("canberra", separates=True),
    ScipyMetric("hamming", separates=True),
    ScipyMetric("jaccard", separates=False),
    ScipyMetric("jensenshannon", separates=False),
    ScipyMetric("rogerstanimoto", separates=False),
    ScipyMetric("sokalsneath", separates=False),
)
_BY_NAME: dict[str, GroundMetric] = {str(metric.given): metric for metric in (*_CORE, *_SCIPY)}
#: The names of metrics that ``metric=`` takes.
METRICS = tuple(_BY_NAME)

_NO_TRIANGLE = ("sqeuclidean", "cosine", "correlation", "braycurtis", "dice", "yule")
_HINTS = {"sqeuclidean": "for W_2, pass metric='euclidean' and p=2; "}
_FROM_THE_PAIR = ("seuclidean", "mahalanobis")
_NOT_ZERO_AT_EQUALITY = ("russellrao", "kulczynski1", "matching", "sokalmichener")


def as_metric(metric: Any) -> GroundMetric:
    """The metric of this name, or of this callable; raises with the reason and the way out where there is none."""
    if callable(metric):
        return CallableMetric(metric)
    if not isinstance(metric, str):
        raise ValueError(f"metric must be a name or a callable, got {metric!r}")
    if metric in _BY_NAME:
        return _BY_NAME[metric]
    if metric in _NO_TRIANGLE:
        raise ValueError(
            f"{setting('metric', metric)} breaks the triangle inequality, so RPW and W_p would not be metrics; "
            f"{_HINTS.get(metric, '')}to use it anyway, compute the matrix and pass it as cost="
        )
    if metric in _FROM_THE_PAIR:
        raise ValueError(
            f"{setting('metric', metric)} takes its parameters from the pair itself, so distances of different "
            "pairs would not be comparable; fix the parameters in a callable"
        )
    if metric in _NOT_ZERO_AT_EQUALITY:
        raise ValueError(
            f"{setting('metric', metric)} can be above 0 for equal points, or 0 for different ones; compute a "
            "matrix and pass it as cost= instead"
        )
    raise ValueError(f"unknown metric {metric!r}; choose one of {', '.join(METRICS)}, a callable, or pass cost=")


def check_has_derivative(metric: Any) -> None:
    """Raise for all but the names of metrics with `GroundMetric.ways`; the message names no others."""
    if not isinstance(metric, str):
        raise ValueError(f"metric must be a name here, got {metric!r}: compute other distances and pass cost=")
    if metric in _NO_TRIANGLE:
        as_metric(metric)  # which tells more
    known = [str(each.given) for each in _CORE]
    if metric not in known:
        raise ValueError(
            f"metric={metric!r} has no gradient here: choose one of {', '.join(known)}, or compute "
            "the distances yourself and pass cost="
        )


def check_beside_cost(metric: GroundMetric) -> None:
    """Raise where a metric was given beside a matrix of distances; the default cannot be told from none."""
    if callable(metric.given) or metric.given != _CORE[0].given:
        raise ValueError("metric has no effect with cost=, which holds the distances already: leave one of them out")


# ---------------------------------------------------------------- steps


def _row_blocks(rows: int, columns: int) -> Iterator[slice]:
    """Slices of rows that hold a moderate number of pairs each."""
    step = max(1, _PAIRS_PER_BLOCK // max(1, columns))
    for start in range(0, rows, step):
        yield slice(start, min(rows, start + step))


def _fill_by_scipy(x: Array, y: Array, metric: Any, out: Array, deadline: Deadline, shown: str) -> None:
    from scipy.spatial.distance import cdist

    for rows in _row_blocks(len(x), len(y)):
        deadline.check()
        block = out[rows]
        try:
            cdist(x[rows], y, metric, out=block)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{shown} could not be computed on these points: {error}") from error
        if not (np.isfinite(block).all() and (block >= 0).all()):
            filled = out[: rows.stop]  # so that the index is that of the whole matrix
            check_finite(filled, f"{shown}: the matrix of distances")
            check_nonnegative(filled, f"{shown}: the matrix of distances")


def equal_rows(points: Array) -> npt.NDArray[np.int64]:
    """One label per row, the same for equal rows, counted in the order of the rows; -0.0 equals 0.0."""
    return _core.label_points(np.ascontiguousarray(points))
