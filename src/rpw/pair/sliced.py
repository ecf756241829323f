"""Sliced distances: the mean over random directions of a distance on the line."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rpw import _core
from rpw.base import check
from rpw.base.advice import about_diameter
from rpw.base.check import Array
from rpw.base.deadline import Deadline, TimeLimitError, deadline_after
from rpw.base.made_by_rpw import NO_PARAMETERS
from rpw.base.memory import is_out_of_memory
from rpw.base.progress import Progress, progress_bar
from rpw.base.shared_docs import documented
from rpw.base.threads import as_n_threads
from rpw.base.warn import warn_caller
from rpw.measure import PointsLike
from rpw.pair.atoms import Ints, as_masses
from rpw.pair.problem import as_problem
from rpw.pair.question import Question, as_question

__all__ = ["Sliced", "sliced"]

_NUMBERS_PER_BLOCK = 1 << 22  # projections are made in blocks of about this many


class Sliced(float):
    """A float that `rpw.sliced` returns: an estimate over random directions, with its standard error.

    Examples
    --------
    >>> import rpw
    >>> estimate = rpw.sliced([[0.0, 0.0]], [[3.0, 4.0]], n_projections=1000)
    >>> round(estimate, 2), round(estimate.stderr, 2)  # the truth is 5 / √2 = 3.54
    (3.51, 0.04)
    >>> estimate.p, estimate.k
    (2.0, None)
    """

    __signature__ = NO_PARAMETERS

    __slots__ = ("_asked", "_n_projections", "_stderr")
    _stderr: float
    _n_projections: int
    _asked: tuple[float, float | None, float | None]

    def __new__(
        cls,
        value: float,
        stderr: float,
        n_projections: int,
        p: float = 2.0,
        k: float | None = None,
        diameter: float | None = None,
    ) -> Sliced:
        """Of these facts."""
        number = super().__new__(cls, value)
        number._stderr, number._n_projections, number._asked = stderr, n_projections, (p, k, diameter)
        return number

    @property
    def value(self) -> float:
        """The number alone, as a plain float."""
        return float(self)

    @property
    def stderr(self) -> float:
        """The standard error; 0 for points on a line, NaN for a single direction."""
        return self._stderr

    @property
    def n_projections(self) -> int:
        """The number of directions."""
        return self._n_projections

    @property
    def p(self) -> float:
        """The exponent."""
        return self._asked[0]

    @property
    def k(self) -> float | None:
        """How much leaving mass behind costs, in units of ``diameter``; None for sliced W_p."""
        return self._asked[1]

    @property
    def diameter(self) -> float | None:
        """The unit of length Δ; None for sliced W_p."""
        return self._asked[2]

    def __reduce__(self) -> tuple[Any, ...]:
        return Sliced, (float(self), self._stderr, self._n_projections, *self._asked)

    def __repr__(self) -> str:
        asked = "" if self.k is None else f", k={self.k:g}, diameter={self.diameter:g}"
        stderr = f"stderr={self.stderr:.3g}, p={self.p:g}{asked}"
        return f"Sliced({self.value:.9g}, {stderr}, n_projections={self.n_projections})"


@documented
def sliced(
    x: PointsLike,
    y: PointsLike,
    a: ArrayLike | None = None,
    b: ArrayLike | None = None,
    *,
    p: float = 2,
    k: float | None = None,
    diameter: float | None = None,
    n_projections: int = 100,
    seed: int = 0,
    n_threads: int | None = None,
    time_limit: float | None = None,
    progress: Progress = False,
) -> Sliced:
    """Estimate sliced W_p, or sliced RPW if you pass ``k``, from projections onto random lines.

    It takes nearly linear time. ``k`` has no default here: without k, all mass is moved.

    Parameters
    ----------
    x, y : array-like of shape (n, d) and (m, d), or Measure
        The points of the two measures, one row each, under the Euclidean metric. For points on a line all directions
        are the same, so only one is solved, and the standard error is 0.
    %(weights)s
    %(p)s
    k : float, optional
        How much leaving mass behind costs, above 0. With k, the answer is the mean of RPW over the directions. Without
        k, it is sliced W_p: the p-th root of the mean of W_p**p (if p = inf, the mean of W).
    diameter : float, optional
        The unit of length Δ, as in `rpw.solve`. Only together with ``k``.
    n_projections : int, default 100
        The number of random directions, uniform on the sphere.
    seed : int, default 0
        Seed of the directions. With a larger ``n_projections``, the same directions come first.
    %(n_threads)s
    %(time_limit)s
    %(progress directions)s

    Returns
    -------
    Sliced
        A float with its standard error ``stderr``.

    Raises
    ------
    TimeLimitError
        If ``time_limit`` passes first.

    Warns
    -----
    UserWarning
        If you pass ``k`` without ``diameter``, and the points span more than 2.

    Examples
    --------
    A quarter of the mass lies far away. It dominates sliced W, and adds at most a quarter to sliced RPW:

    >>> import rpw
    >>> x, y = [0.0, 0.0, 0.0, 9.0], [0.0, 0.0, 0.0, 0.0]
    >>> rpw.sliced(x, y, p=1)
    Sliced(2.25, stderr=0, p=1, n_projections=100)
    >>> rpw.sliced(x, y, p=1, k=1, diameter=1)
    Sliced(0.225, stderr=0, p=1, k=1, diameter=1, n_projections=100)
    """
    deadline = deadline_after(time_limit)
    count, threads = check.as_whole(n_projections, "n_projections", 1), as_n_threads(n_threads)
    seed = check.as_whole(seed, "seed", 0)
    check.check_progress(progress)
    if k is None and diameter is not None:
        raise ValueError(
            "diameter has no effect without k, because sliced W_p does not depend on it: pass k too, or leave diameter "
            "out"
        )
    problem = as_problem(x, y, a, b)
    question = as_question("wasserstein", p=p) if k is None else as_question(p=p, k=k, diameter=diameter)
    if question.is_of_shared_mass:
        raise ValueError(
            "k must be positive here, got 0: sliced total variation equals rpw.total_variation, "
            "because almost no direction projects two different points onto one"
        )
    if k is not None and diameter is None:
        warn_caller(about_diameter(problem.extent))
    mass_a, mass_b = as_masses(problem.a), as_masses(problem.b)
    # Far from the origin, products with directions would lose the digits in which points differ.
    near_x, near_y = (points - problem.x[:1] for points in (problem.x, problem.y))
    sides = (near_x[problem.rows], mass_a[problem.rows]), (near_y[problem.columns], mass_b[problem.columns])
    asked = (question.p, None, None) if k is None else (question.p, question.k, question.diameter)
    is_on_line = problem.x.shape[1] == 1
    directions = np.ones((1, 1)) if is_on_line else _directions(problem.x.shape[1], count, seed)
    with progress_bar(len(directions), progress, unit="direction") as report:
        values = _values(sides, question, directions, threads, deadline, report if progress else None)
    if is_on_line:
        return Sliced(float(values[0]), 0.0, count, *asked)
    return Sliced(*_mean(values, question.p if k is None and not math.isinf(question.p) else 1.0), count, *asked)


def _directions(dimension: int, count: int, seed: int) -> Array:
    vectors = np.random.default_rng(seed).standard_normal((count, dimension))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


_Side = tuple[Array, Ints]  # points and their masses


def _values(
    both: tuple[_Side, _Side],
    question: Question,
    directions: Array,
    n_threads: int,
    deadline: Deadline,
    report: Callable[[int], None] | None,
) -> Array:
    """The distance along every direction."""
    (x, mass_x), (y, mass_y) = both
    step = max(n_threads, _NUMBERS_PER_BLOCK // (len(x) + len(y)))
    space, blocks = _core.Space.of_metric(_core.Metric.euclidean), []
    for start in range(0, len(directions), step):
        block = directions[start : start + step]
        each, threads = np.arange(len(block)), min(n_threads, len(block))
        sides = (_projected(x, mass_x, block), _projected(y, mass_y, block))
        values, seconds, asked = np.full(len(block), np.nan), deadline.seconds_left, question.to_core()
        note = None if report is None else partial(_report_after, start, report)
        try:
            failures = _core.pair_values(space, *sides, asked, each, each, values, threads, seconds, note)
        except TimeoutError:
            raise TimeLimitError from None
        for _, _, reason in failures:
            kind = MemoryError if is_out_of_memory(reason) else ValueError
            raise kind(f"the projections could not be compared: {reason}")
        blocks.append(values)
    return np.concatenate(blocks)


def _report_after(start: int, report: Callable[[int], None], done: int) -> None:
    report(start + done)


def _projected(points: Array, mass: Ints, directions: Array) -> _core.Measures:
    """One measure on the line for each direction."""
    count, n = len(directions), len(points)
    coordinates = np.ascontiguousarray(directions @ points.T).reshape(-1, 1)
    return _core.Measures(np.arange(count + 1) * n, np.tile(mass, count), coordinates, None, None)


def _mean(values: Array, power: float) -> tuple[float, float]:
    """The mean of the powers, after the root, and its standard error by the delta method."""
    unit, count = float(values.max()), len(values)
    if unit == 0:
        return 0.0, 0.0
    powers = (values / unit) ** power
    mean = float(powers.mean())
    spread = float(powers.std(ddof=1)) / math.sqrt(count) if count > 1 else math.nan
    return unit * mean ** (1 / power), unit * spread * mean ** (1 / power - 1) / power
