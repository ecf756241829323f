"""Which rows do not belong to a reference: `find_outliers`, with a proven false discovery rate, and its result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from rpw.base import check
from rpw.base.check import Array
from rpw.base.columns import Columns
from rpw.base.doubts import warn_of_image
from rpw.base.frozen import read_only
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


@dataclass(frozen=True, eq=False)
class OutliersResult:
    """Which rows of x do not belong to the reference.

    Attributes
    ----------
    mask : array of bool (m,)
        The rows that are named as outliers.
    pvalues : array (m,)
        The conformal p-value of each row: small for rows that lie farther out than nearly all reference rows. The
        p-value of one ordinary row is at most α with probability at most α. Many rows have some small ones by chance,
        so take ``mask``, not ``pvalues <= 0.05``.
    scores : array (m,)
        How far out each row lies; what that means is said by ``score``.
    calibration_scores : array (l,)
        The scores of the reference rows that the p-values come from.
    fdr : float
        The level: on average at most this share of the rows in ``mask`` are ordinary.
    least_named : int
        Either none or at least so many rows are named, however far out they lie.
    score : str
        The name of the score.

    >>> import rpw
    >>> found = rpw.stats.find_outliers([[0.2], [0.7], [9.0]], [[i / 200] for i in range(200)], rng=0)
    >>> found.mask.tolist(), found.least_named
    ([False, False, True], 1)
    """

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
                f"{count:,} of {total:,} rows {'is' if is_one else 'are'} named as {'an ' * is_one}outlier"
                f"{'s' * (not is_one)}; on average at most {100 * self.fdr:.3g} % of the rows named are ordinary."
            )
        return f"None of {total:,} rows is named as an outlier. {self._what_could_be_named}"

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
            f"Too few rows stand out. {limit} With more reference rows it takes fewer: for a single one "
            f"{calibration_for_one(len(self.mask), self.fdr):,} must calibrate the p-values, and here "
            f"{calibrating:,} do."
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the scores of x over those of the reference, with the named rows in red (needs ``rpw[plot]``)."""
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

    On average at most a share ``fdr`` of the rows named are ordinary, for every number of rows, every distribution, and
    every score. It holds if the ordinary rows of x and those of the reference are exchangeable: drawn independently
    from one distribution, say. **Rows that depend on each other, such as those of a time series or repeated
    measurements of one customer, void it. So does a reference with rows that were picked by hand.** If x has no
    outliers, any are named in at most a share ``fdr`` of the cases.

    Parameters
    ----------
    x : array-like (m, d), or (m,) on the line, or Measure with equal weights
        The rows to look at.
    reference : array-like (n, d), or (n,) on the line, or Measure with equal weights
        Rows that are ordinary. A part of them, drawn at random, is what scores are computed against; the others
        calibrate the p-values. For a single outlier among m rows to be named, at least m / ``fdr`` - 1 must calibrate.
    fdr : float
        The false discovery rate, between 0 and 1.
    rng : int, numpy.random.Generator or None
        Draws the two parts, the order in which rows are scored, and the order of equal scores. Choose it before you
        look at the answer: the best of several draws has no proven error.
    score : {"nearest", "move", "price"} or callable
        ``"nearest"``: the distance to the ``n_neighbors``-th nearest of the reference rows. ``"move"``: how far the
        mass of the row moves in the plan of W_p. ``"price"``: what a bit of mass costs when the last of the row has
        moved (`Profile.scores_b`). A function gets the rows to score, in a random order, and the reference rows to
        score them against, and returns a number for each row, higher for rows that lie farther out.
        docs/howto.md, "Outliers against a reference", compares them.
    n_neighbors : int
        Of ``"nearest"``.
    metric : str or callable
        As in `rpw.solve`; a function as ``score`` has its own.
    p : float
        Exponent in [1, inf], of ``"move"`` and ``"price"``.
    scale : {None, "robust"}
        ``"robust"`` divides each column by the width of its middle half, over all rows of x and the reference together.
        A function as ``score`` gets the scaled rows.
    calibration : float
        The share of the reference rows that calibrate, in (0, 1).
    n_threads : int, optional
        Threads that look for the nearest rows; all cores if omitted.

    Returns
    -------
    OutliersResult

    Notes
    -----
    Without ``scale``, columns count in the units that they come in. A column with far larger numbers than the others
    is nearly the whole distance, and outliers in the others are missed. A warning names such a column if the reference
    has 20 rows or more; two such columns escape it. If you scale the columns yourself, take numbers that you know
    beforehand, or numbers from all rows of x and the reference together. Numbers from one of the two alone void the
    proof.

    Rows with missing values (NaN) are refused. Leave them out, or fill in a number in the same way on both sides.

    Without a reference no method has an error that is proven for every distribution. If you have none, look at
    scores only.

    >>> import numpy as np
    >>> import rpw
    >>> rng = np.random.default_rng(0)
    >>> usual, new = rng.normal(size=(800, 2)), rng.normal(size=(200, 2))
    >>> new[:20] += 8
    >>> found = rpw.stats.find_outliers(new, usual, rng=0)
    >>> print(found)
    21 of 200 rows are named as outliers; on average at most 5 % of the rows named are ordinary.
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

    model, calibrating = split(len(known), share, draws)
    pooled = np.concatenate([known[calibrating], rows])
    order = draws.permutation(len(pooled))
    scores = np.empty(len(pooled))
    scores[order] = _scores_of(scored, pooled[order], known[model])
    places = order_with_random_ties(scores, draws)
    pvalues = conformal_pvalues(places[: len(calibrating)], places[len(calibrating) :])
    least = least_that_can_be_named(len(rows), level, len(calibrating))
    if least > len(rows):
        warn_caller(
            "reference has too few rows for this fdr, so no row can be named as an outlier: at least 1 / fdr - 1 rows "
            "must calibrate; pass more reference rows, or a larger fdr"
        )
    return OutliersResult(
        mask=named(pvalues, level),
        pvalues=pvalues,
        scores=scores[len(calibrating) :].copy(),
        calibration_scores=scores[: len(calibrating)].copy(),
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
            raise ValueError(f"{argument} has no effect beside score={score!r:.60}: leave it out")
    return score_by_name(name, ground, exponent, nth, threads) if name else score


def _scores_of(score: Score, rows: Array, reference: Array) -> Array:
    """One for each row. Infinite scores are fine, since only their order counts."""
    scores = np.asarray(score(rows, reference))
    if scores.shape != (len(rows),) or scores.dtype.kind not in "biuf":
        raise ValueError(
            f"score must return one number for each row, shape ({len(rows)},); got shape {scores.shape} of "
            f"{scores.dtype}"
        )
    if np.isnan(scores).any():
        raise ValueError("score has returned NaN")
    return scores.astype(np.float64)
