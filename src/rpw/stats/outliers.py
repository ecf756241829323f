"""Which rows do not belong to a reference: `find_outliers`, with a proven false discovery rate, and its result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from rpw.base import check
from rpw.base.advice import warn_of_image
from rpw.base.check import Array
from rpw.base.columns import Columns
from rpw.base.frozen import read_only
from rpw.base.made_by_rpw import NO_PARAMETERS
from rpw.base.shared_docs import documented
from rpw.base.threads import as_n_threads
from rpw.base.warn import warn_caller
from rpw.measure import PointsLike
from rpw.pair.metrics import GroundMetric, Metric, as_metric
from rpw.stats.conformal import (
    calibration_for_one,
    conformal_pvalues,
    least_that_can_be_named,
    named,
    order_with_random_ties,
    split,
)
from rpw.stats.samples import as_rng, as_rows, check_scalable, names_of_either, warn_of_units
from rpw.stats.scale import as_scales
from rpw.stats.scores import SCORES, Score, score_by_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["OutliersResult", "find_outliers"]

Mask = npt.NDArray[np.bool_]
Rng = int | np.random.Generator | np.random.SeedSequence | None

_P, _NEIGHBORS = 2, 5
_FAR_MORE = 2  # times as many rows to look at as in the reference: then the two may be exchanged


@dataclass(frozen=True, eq=False)
class OutliersResult:
    """Which rows do not belong to a reference.

    `rpw.stats.find_outliers` returns it. ``print(result)`` says it in words.

    Attributes
    ----------
    mask : array of bool, shape (m,)
        The rows that are named as outliers.
    pvalues : array of shape (m,)
        The conformal p-value of each row; small for rows that lie farther out than nearly all reference rows. For one
        ordinary row, it is at most α with probability at most α. Among many rows some are small by chance, so use
        ``mask``, not ``pvalues <= 0.05``.
    scores : array of shape (m,)
        How far out each row lies.
    calibration_scores : array
        The scores of the reference rows that the p-values come from.
    fdr : float
        On average, at most this share of the rows in ``mask`` are ordinary.
    least_named : int
        The number of named rows is either 0 or at least this, however far out the rows lie.
    score : str
        The name of the score.

    Examples
    --------
    >>> import rpw
    >>> reference = [[i / 200] for i in range(200)]
    >>> found = rpw.stats.find_outliers([[0.2], [0.7], [9.0]], reference, rng=0)
    >>> found.mask
    array([False, False,  True])
    >>> print(found)
    1 of 3 rows is named as an outlier; on average at most 5 % of the rows named are ordinary.
    """

    __signature__ = NO_PARAMETERS

    mask: Mask
    pvalues: Array
    scores: Array
    calibration_scores: Array
    fdr: float
    least_named: int
    score: str

    def __post_init__(self) -> None:
        for array in (self.mask, self.pvalues, self.scores, self.calibration_scores):
            read_only(array)

    def __str__(self) -> str:
        count, total = int(self.mask.sum()), len(self.mask)
        if count > 0:
            is_one = count == 1
            return (
                f"{count:,} of {total:,} row{'s' * (total != 1)} {'is' if is_one else 'are'} named as "
                f"{'an outlier' if is_one else 'outliers'}; "
                f"on average at most {100 * self.fdr:.3g} % of the rows named are ordinary."
            )
        subject = "The row is not" if total == 1 else f"None of {total:,} rows is"
        return f"{subject} named as an outlier. {self._what_could_be_named}"

    @property
    def _what_could_be_named(self) -> str:
        """Why no row is named."""
        calibrating = len(self.calibration_scores)
        if self.least_named > len(self.mask):
            return (
                f"None could have been named, however far out it lies: {calibration_for_one(1, self.fdr):,} rows of "
                f"the reference must calibrate the p-values, and here {calibrating:,} do."
            )
        if self.least_named == 1:
            return "No row stands out enough; a single one could have been named."
        limit = f"It takes at least {self.least_named:,} outliers before any can be named."
        if self.pvalues.min() * (calibrating + 1) > 1.5:  # in whole numbers: more than 1
            return f"No row stands out enough. {limit}"
        return (
            f"Too few rows stand out. {limit} With more reference rows, fewer outliers are enough: to name a single "
            f"one, {calibration_for_one(len(self.mask), self.fdr):,} rows must calibrate the p-values, and here "
            f"{calibrating:,} do."
        )

    @documented
    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the scores of x over the reference scores, with the named rows in red (needs ``rpw[plot]``).

        Parameters
        ----------
        %(ax)s

        Returns
        -------
        %(returns_ax)s

        Examples
        --------
        >>> import rpw
        >>> reference = [[i / 200] for i in range(200)]
        >>> found = rpw.stats.find_outliers([[0.2], [0.7], [9.0]], reference, rng=0)
        >>> found.plot().get_xlabel()
        'score (nearest)'
        """
        from rpw.plot import plot_outliers

        return plot_outliers(self, ax)

    def __repr__(self) -> str:
        return (
            f"OutliersResult({int(self.mask.sum())} of {len(self.mask)} rows named, fdr={self.fdr:g}, "
            f"least_named={self.least_named}, score={self.score!r})"
        )

    def _repr_html_(self) -> str:
        from rpw.base.html import facts

        where = np.flatnonzero(self.mask)
        listed = ", ".join(map(str, where[:10])) + (", …" if len(where) > 10 else "")
        rows = [
            ("in words", str(self)),
            ("rows", listed or "none"),
            ("smallest p-value", f"{self.pvalues.min():.4g}"),
            ("false discovery rate", f"at most {self.fdr:g}"),
            ("could be named", f"{self.least_named:,} rows or more"),
            ("with", f"score = {self.score}, {len(self.calibration_scores):,} rows calibrate"),
        ]
        return facts("Outliers", rows)


@documented
def find_outliers(
    x: PointsLike,
    reference: PointsLike,
    *,
    fdr: float = 0.05,
    rng: Rng = None,
    score: Literal["nearest", "move", "price"] | Score = "nearest",
    n_neighbors: int = _NEIGHBORS,
    metric: Metric = "euclidean",
    p: float = _P,
    scale: Literal["robust"] | None = None,
    calibration: float = 0.5,
    n_threads: int | None = None,
) -> OutliersResult:
    """Name the rows of ``x`` that do not belong to ``reference``, with a proven false discovery rate.

    On average, at most a share ``fdr`` of the named rows are ordinary. This holds for every number of rows, every
    distribution and every score, if the ordinary rows of x and the rows of the reference are exchangeable: for example,
    drawn independently from one distribution. If x has no outliers, the chance that even one row is named is at most
    ``fdr``.

    **Dependent rows, such as a time series or repeated measurements of one customer, void the guarantee. So does a
    reference whose rows were picked by hand.**

    Parameters
    ----------
    x : array-like of shape (m, d), or Measure
        The rows to look at. An array of shape (m,) has one number for each row; all rows of a Measure must have the
        same weight.
    reference : array-like of shape (n, d), or Measure
        Rows that are ordinary. Scores are computed against a random part of them; the other reference rows calibrate
        the p-values. To name a single outlier among m rows, at least m / ``fdr`` - 1 rows must calibrate.
    fdr : float, default 0.05
        The false discovery rate, between 0 and 1.
    rng : int or numpy.random.Generator, optional
        Seed or generator of the random split of the reference and of the order of equal scores. Choose it before you
        see the answer: the best of several draws has no guarantee.
    score : {"nearest", "move", "price"} or callable, default "nearest"
        How far out a row lies. ``"nearest"``: the distance to the ``n_neighbors``-th nearest reference row. ``"move"``:
        how far the mass of the row moves in the plan of W_p. ``"price"``: `rpw.Profile.scores_b`. A function gets the
        rows to score, in random order, and the reference rows, and returns a number for each row, higher for rows
        farther out. The how-to "Find outliers" compares the scores.
    n_neighbors : int, default 5
        For ``"nearest"``: which neighbour counts.
    metric : str or callable, default "euclidean"
        Distance between rows, as in `rpw.solve`. Not together with a function as ``score``.
    p : float, default 2
        Exponent for ``"move"`` and ``"price"``, from 1 to inf.
    scale : {None, "robust"}, default None
        ``"robust"`` divides each column by its interquartile range (the width of its middle half), over the rows of x
        and the reference together.
    calibration : float, default 0.5
        The share of the reference rows that calibrate, between 0 and 1.
    %(n_threads)s

    Returns
    -------
    OutliersResult
        The named rows, with their p-values and scores.

    Warns
    -----
    UserWarning
        If the reference has too few rows to name any outlier. If ``scale`` was left out and a single column makes up
        nearly all of the distances (20 or more reference rows). If x and the reference look exchanged: x has at least
        twice as many rows, none of them is named, and rows of the reference would be named beside those of x.

    See Also
    --------
    rpw.sklearn.RPWOutlierDetector : An estimator that judges rows one at a time.

    Notes
    -----
    Without ``scale``, columns count in their own units. A column with far larger numbers than the others then outweighs
    them, and outliers in the other columns are missed. The warning notices one such column, but not two. If you scale
    the columns yourself, use numbers that you knew beforehand, or numbers from all rows of x and the reference
    together; numbers from only one of them void the guarantee.

    Rows with missing values (NaN) are refused. Drop them, or fill in a number in the same way on both sides.

    Without a reference, no method has an error that is proven for every distribution.

    Examples
    --------
    Twenty of 200 new rows are shifted. They are named, with one false alarm:

    >>> import numpy as np
    >>> import rpw
    >>> rng = np.random.default_rng(0)
    >>> usual, new = rng.normal(size=(800, 2)), rng.normal(size=(200, 2))
    >>> new[:20] += 8
    >>> found = rpw.stats.find_outliers(new, usual, rng=0)
    >>> print(found)
    21 of 200 rows are named as outliers; on average at most 5 % of the rows named are ordinary.
    >>> int(found.mask[:20].sum())
    20
    """
    rows, known = as_rows(x, "x"), as_rows(reference, "reference")
    Columns().shared_with(x=x, reference=reference)
    warn_of_image(x=x, reference=reference)
    if rows.shape[1] != known.shape[1]:
        raise ValueError(
            f"x and reference must have rows of the same dimension, got {rows.shape[1]} and {known.shape[1]}"
        )
    if len(known) < 2:
        raise ValueError("reference needs at least 2 rows, one to score against and one that calibrates; got 1")
    level, share = check.as_inner_share(fdr, "fdr"), check.as_inner_share(calibration, "calibration")
    draws, threads = as_rng(rng), as_n_threads(n_threads)
    ground = as_metric(metric)
    scored = _as_score(score, ground, p, n_neighbors, threads)
    check_scalable(scale, ground)
    if scale is None and not callable(score):
        warn_of_units(known, known, names_of_either(x, reference), ground)  # x may have few rows, or many outliers
    scales = as_scales(scale, np.concatenate([known, rows]))
    rows, known = scales.apply(rows), scales.apply(known)

    scores, calibrating = _scores_beside(rows, known, scored, share, draws)
    pvalues = _pvalues(scores, calibrating, draws)
    mask, least = named(pvalues, level), least_that_can_be_named(len(rows), level, len(calibrating))
    if not mask.any() and not callable(score) and _look_exchanged(rows, known, ground, level, threads):
        warn_caller(
            "no row is named, but rows of the reference would be if they were compared with the rows to look at, which "
            "are far more: are the two exchanged?"
        )
    elif least > len(rows):
        warn_caller(
            "reference has too few rows for this fdr, so no row can be named as an outlier: at least 1 / fdr - 1 of "
            "them must calibrate the p-values; pass more reference rows, or a larger fdr"
        )
    return OutliersResult(
        mask=mask,
        pvalues=pvalues,
        scores=scores,
        calibration_scores=calibrating,
        fdr=level,
        least_named=least,
        score=score if isinstance(score, str) else getattr(score, "__name__", type(score).__name__),
    )


def _as_score(score: Any, ground: GroundMetric, p: Any, n_neighbors: Any, threads: int) -> Score:
    """A function of the rows and of R0; raises for an argument that it would not listen to."""
    exponent, nth = check.as_p(p), check.as_whole(n_neighbors, "n_neighbors", 1)
    given = {"p": exponent != _P, "n_neighbors": nth != _NEIGHBORS, "metric": ground.given != "euclidean"}
    heard = {"nearest": ("n_neighbors", "metric"), "move": ("p", "metric"), "price": ("p", "metric")}
    name = "" if callable(score) else check.as_choice(score, "score", SCORES)
    for argument, is_given in given.items():
        if is_given and argument not in heard.get(name, ()):
            raise ValueError(f"{argument} has no effect with score={score!r:.60}: leave it out")
    return score_by_name(name, ground, exponent, nth, threads) if name else score


def _scores_beside(
    rows: Array, known: Array, score: Score, share: float, draws: np.random.Generator
) -> tuple[Array, Array]:
    """The scores of the rows and of the part of the reference that calibrates; they are computed in a random order."""
    model, calibrating = split(len(known), share, draws)
    pooled = np.concatenate([known[calibrating], rows])
    order = draws.permutation(len(pooled))
    scores = np.empty(len(pooled))
    scores[order] = _scores_of(score, pooled[order], known[model])
    return scores[len(calibrating) :].copy(), scores[: len(calibrating)].copy()


def _pvalues(scores: Array, calibrating: Array, draws: np.random.Generator) -> Array:
    places = order_with_random_ties(np.concatenate([calibrating, scores]), draws)
    return conformal_pvalues(places[: len(calibrating)], places[len(calibrating) :])


def _look_exchanged(rows: Array, known: Array, ground: GroundMetric, level: float, threads: int) -> bool:
    """Whether rows of the reference do not belong to x, which is far larger: they are named if the two are exchanged.

    If all rows are exchangeable, that happens with probability ``level`` at most.
    """
    if len(rows) < _FAR_MORE * len(known):
        return False
    draws = np.random.default_rng(0)  # the draws of the caller are for the answer
    nearest = score_by_name("nearest", ground, _P, _NEIGHBORS, threads)
    return bool(named(_pvalues(*_scores_beside(known, rows, nearest, 0.5, draws), draws), level).any())


def _scores_of(score: Score, rows: Array, reference: Array) -> Array:
    """One for each row. Infinite scores are fine, since only their order counts."""
    scores = np.asarray(score(rows, reference))
    if scores.shape != (len(rows),) or scores.dtype.kind not in "biuf":
        raise ValueError(
            f"score must return one number for each row, shape ({len(rows)},); got shape {scores.shape} of "
            f"{scores.dtype}"
        )
    if np.isnan(scores).any():
        raise ValueError(
            "score must return a number for every row, and has returned NaN; return inf for rows that are farthest out"
        )
    return scores.astype(np.float64)
