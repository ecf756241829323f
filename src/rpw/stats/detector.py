"""Outliers one row at a time, as scikit-learn has it. Only `rpw.sklearn` imports this file."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from rpw.base.arrays import on_host
from rpw.base.check import Array, as_inner_share, as_whole, check_table
from rpw.base.columns import Columns
from rpw.base.shared_docs import documented
from rpw.base.threads import as_n_threads
from rpw.base.warn import warn_caller
from rpw.pair.metrics import Metric, as_metric
from rpw.stats.conformal import conformal_pvalues, least_that_can_be_named, score_limit, split
from rpw.stats.scores import Nearest

__all__ = ["RPWOutlierDetector"]


@documented
class RPWOutlierDetector(OutlierMixin, BaseEstimator):  # type: ignore[misc]
    """Find rows that do not belong to the rows it was fitted on, with a proven error for each row.

    An ordinary row that was not fitted is called an outlier with probability at most ``alpha``, for every distribution,
    if it is exchangeable with the rows of ``fit``. Among many ordinary rows, about a share ``alpha`` is called an
    outlier. To bound the share of mistakes among the named rows, use `rpw.stats.find_outliers`.

    Parameters
    ----------
    alpha : float, default 0.05
        The probability of a false alarm for one row, between 0 and 1. At least 1 / ``alpha`` - 1 rows must calibrate
        the p-values; see ``calibration``.
    n_neighbors : int, default 5
        The score of a row is the distance to its ``n_neighbors``-th nearest row, among the rows it is scored against.
    %(metric)s
    calibration : float, default 0.5
        The share of the rows of ``fit``, drawn at random, that calibrate the p-values. All rows are scored against
        the rest of ``fit``.
    random_state : int, RandomState or None, default None
        Seed of the random draw of the rows that calibrate.
    %(n_threads)s

    Attributes
    ----------
    calibration_scores_ : array
        The scores of the rows that calibrate, sorted.
    offset_ : float
        ``decision_function`` is ``score_samples`` minus this number.
    n_features_in_ : int
        The number of columns.

    Notes
    -----
    The detector is meant for rows that come later. By default, half of the rows of ``fit`` are scored against
    themselves, so ``fit_predict`` finds hardly any outliers among them.

    The guarantee assumes that fitted and later rows are treated in the same way. If a scaler in front of the detector
    learns from the fitted rows, the bound holds only approximately.

    Examples
    --------
    >>> from rpw.sklearn import RPWOutlierDetector
    >>> rows = [[i / 100] for i in range(100)]
    >>> model = RPWOutlierDetector(alpha=0.1, random_state=0).fit(rows)
    >>> model.predict([[0.5], [3.0]])
    array([ 1, -1])
    >>> model.pvalues([[3.0]]).round(3)
    array([0.02])
    """

    def __init__(
        self,
        *,
        alpha: float = 0.05,
        n_neighbors: int = 5,
        metric: Metric = "euclidean",
        calibration: float = 0.5,
        random_state: Any = None,
        n_threads: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.calibration = calibration
        self.random_state = random_state
        self.n_threads = n_threads

    def fit(self, X: npt.ArrayLike, y: object = None) -> RPWOutlierDetector:
        """Learn from ordinary rows.

        Parameters
        ----------
        X : array-like of shape (n, d)
            The rows.
        y : object, default None
            Ignored.

        Returns
        -------
        RPWOutlierDetector
            The estimator itself.

        Warns
        -----
        UserWarning
            If there are too few rows to call any row an outlier.

        Examples
        --------
        >>> from rpw.sklearn import RPWOutlierDetector
        >>> rows = [[i / 100] for i in range(100)]
        >>> RPWOutlierDetector(alpha=0.1, random_state=0).fit(rows).n_features_in_
        1
        """
        alpha, share = as_inner_share(self.alpha, "alpha"), as_inner_share(self.calibration, "calibration")
        rows = self._as_rows(X, is_fit=True)
        nth, metric = as_whole(self.n_neighbors, "n_neighbors", 1), as_metric(self.metric)
        # scikit-learn's generators are older than those that `split` draws with.
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        model, calibrating = split(len(rows), share, np.random.default_rng(seed))
        if least_that_can_be_named(1, alpha, len(calibrating)) > 1:
            warn_caller(
                "X has too few rows for this alpha, so no row can be called an outlier: at least 1 / alpha - 1 rows "
                "must calibrate the p-values; fit more rows, or take a larger alpha"
            )
        self.nearest_ = Nearest(rows[model], metric, nth)
        self.calibration_scores_ = np.sort(self.nearest_(rows[calibrating], as_n_threads(self.n_threads)))
        self.offset_ = -score_limit(self.calibration_scores_, alpha)
        return self

    def score_samples(self, X: npt.ArrayLike) -> Array:
        """Return minus the score of each row: the lower, the farther out.

        Parameters
        ----------
        X : array-like of shape (m, d)
            The rows.

        Returns
        -------
        array of shape (m,)
            Minus the distance to the ``n_neighbors``-th nearest row.

        Examples
        --------
        >>> from rpw.sklearn import RPWOutlierDetector
        >>> model = RPWOutlierDetector(n_neighbors=1, alpha=0.5, random_state=0)
        >>> model = model.fit([[0.0], [0.0], [1.0], [1.0]])
        >>> model.score_samples([[5.0]])
        array([-4.])
        """
        check_is_fitted(self, "nearest_")
        return -self.nearest_(self._as_rows(X, is_fit=False), as_n_threads(self.n_threads))

    def decision_function(self, X: npt.ArrayLike) -> Array:
        """Return a number for each row that is negative if ``predict`` calls the row an outlier.

        Parameters
        ----------
        X : array-like of shape (m, d)
            The rows.

        Returns
        -------
        array of shape (m,)
            ``score_samples`` minus ``offset_``.

        Examples
        --------
        >>> from rpw.sklearn import RPWOutlierDetector
        >>> rows = [[i / 100] for i in range(100)]
        >>> model = RPWOutlierDetector(alpha=0.1, random_state=0).fit(rows)
        >>> model.decision_function([[0.5], [3.0]]) < 0
        array([False,  True])
        """
        return np.asarray(self.score_samples(X) - self.offset_)

    def predict(self, X: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Return -1 for each row whose p-value is at most ``alpha``, and 1 for the others.

        Parameters
        ----------
        X : array-like of shape (m, d)
            The rows.

        Returns
        -------
        array of int, shape (m,)
            -1 for outliers, 1 for ordinary rows.

        Examples
        --------
        >>> from rpw.sklearn import RPWOutlierDetector
        >>> rows = [[i / 100] for i in range(100)]
        >>> model = RPWOutlierDetector(alpha=0.1, random_state=0).fit(rows)
        >>> model.predict([[0.5], [3.0]])
        array([ 1, -1])
        """
        return np.where(self.decision_function(X) < 0, -1, 1)

    def pvalues(self, X: npt.ArrayLike) -> Array:
        """Return the conformal p-value of each row.

        For one ordinary row, it is at most α with probability at most α.

        Parameters
        ----------
        X : array-like of shape (m, d)
            The rows.

        Returns
        -------
        array of shape (m,)
            The p-values.

        Examples
        --------
        >>> from rpw.sklearn import RPWOutlierDetector
        >>> rows = [[i / 100] for i in range(100)]
        >>> model = RPWOutlierDetector(alpha=0.1, random_state=0).fit(rows)
        >>> model.pvalues([[0.5], [3.0]]).round(2)
        array([0.96, 0.02])
        """
        scores = -self.score_samples(X)
        return conformal_pvalues(self.calibration_scores_, scores)

    def _as_rows(self, X: Any, is_fit: bool) -> Array:
        """Clean rows. Tables must name their columns as those of `fit` do; scikit-learn knows only some of them."""
        X = on_host(X)
        check_table(X, "X")  # scikit-learn would turn times into numbers, and names no column
        rows: Array = validate_data(self, X, reset=is_fit, dtype=np.float64, ensure_min_samples=2 if is_fit else 1)
        if is_fit:
            self.columns_ = Columns().shared_with(X=X).owned_by("X of fit")
        else:
            self.columns_.shared_with(X=X)
        return rows
