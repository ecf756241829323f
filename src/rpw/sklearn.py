"""RPW in scikit-learn pipelines (needs ``pip install 'rpw[sklearn]'``)."""

from __future__ import annotations

from typing import Any

import numpy as np

try:
    from sklearn.base import BaseEstimator, TransformerMixin
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError as error:
    raise ImportError("rpw.sklearn needs scikit-learn: pip install 'rpw[sklearn]'") from error

from rpw._check import Array, as_whole
from rpw.index import Index
from rpw.pairwise import pairwise

__all__ = ["RPWTransformer"]


class RPWTransformer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turns measures into their RPW distances to the measures it was fitted on.

    Put it in front of anything that takes ``metric="precomputed"``: `KNeighborsClassifier`, `DBSCAN`, `TSNE`, UMAP.

    Parameters
    ----------
    mode : {"distance", "neighbors"}
        The dense matrix of distances, or the sparse graph of the ``n_neighbors`` nearest (what `KNeighborsTransformer`
        gives, for ``metric="precomputed"``); the graph comes from an exact, pruned search.
    n_neighbors : int
        Neighbours in the graph. As in scikit-learn, one more is kept, because a measure is its own neighbour.
    p, k, metric, diameter : as in `rpw.pairwise`
    support, cost : optional
        What the histograms in the rows of X stand on. Without either, a row of a two-dimensional X is a histogram on
        n equally spaced points of [0, 1]; rows that sum to 0 are refused.
    n_threads : int, optional

    X may be a (B, n) array of histograms, a (B, n, d) array of point sets, or a list of Measures or (n_i, d) arrays.
    """

    def __init__(
        self,
        mode: str = "distance",
        n_neighbors: int = 5,
        *,
        p: float = 2,
        k: float = 1,
        metric: Any = "euclidean",
        diameter: Any = 1.0,
        support: Any = None,
        cost: Any = None,
        n_threads: int | None = None,
    ) -> None:
        self.mode = mode
        self.n_neighbors = n_neighbors
        self.p = p
        self.k = k
        self.metric = metric
        self.diameter = diameter
        self.support = support
        self.cost = cost
        self.n_threads = n_threads

    def fit(self, X: Any, y: Any = None) -> RPWTransformer:
        """Keep the measures of X; ``y`` is ignored."""
        self._check_parameters()
        measures, space = self._as_measures(X, is_fit=True)
        self.index_ = Index(
            measures, p=self.p, k=self.k, metric=self.metric, diameter=self.diameter, n_threads=self.n_threads, **space
        )
        self.fitted_ = self.index_._items  # a copy: X stays the caller's
        self.n_samples_fit_ = len(self.index_)
        return self

    def transform(self, X: Any) -> Any:
        """Distances from the measures of X to those of `fit`: an array (len X, n_samples_fit), or a sparse graph."""
        check_is_fitted(self, "index_")
        self._check_parameters()  # they can be set after fit
        measures, _ = self._as_measures(X, is_fit=False)
        if self.mode == "distance":
            return pairwise(
                measures,
                self.fitted_,
                p=self.p,
                k=self.k,
                metric=self.metric,
                diameter=self.index_.diameter,
                n_threads=self.n_threads,
                support=self.index_._space.support,
                cost=self.index_._space.cost,
            )
        return self._graph(measures)

    def _check_parameters(self) -> None:
        """Raise for a bad ``mode`` or ``n_neighbors``; the other parameters are checked where they are used."""
        if self.mode not in ("distance", "neighbors"):
            raise ValueError(f"mode must be 'distance' or 'neighbors', got {self.mode!r}")
        if self.mode == "neighbors":
            as_whole(self.n_neighbors, "n_neighbors", 1)

    def _graph(self, measures: Any) -> Any:
        from scipy.sparse import csr_matrix

        top = min(as_whole(self.n_neighbors, "n_neighbors", 1) + 1, self.n_samples_fit_)
        distances, indices = self.index_.query(measures, top=top, n_threads=self.n_threads)
        start = np.arange(0, distances.size + 1, top)
        return csr_matrix((distances.ravel(), indices.ravel(), start), shape=(len(distances), self.n_samples_fit_))

    def _as_measures(self, X: Any, is_fit: bool) -> tuple[Any, dict[str, Any]]:
        """The measures, and what they stand on."""
        if self.support is None and self.cost is None and _holds_point_sets(X):
            return X, {}
        rows: Array = validate_data(self, X, reset=is_fit, dtype=np.float64, ensure_min_samples=1)
        if rows.shape[1] == 1:
            raise ValueError("n_features = 1: all histograms on a single point are the same measure")
        if rows.min() < 0:
            raise ValueError("Negative values in data passed to RPWTransformer: histograms must be non-negative")
        if self.support is not None or self.cost is not None:
            return rows, {"support": self.support, "cost": self.cost}
        places = np.arange(rows.shape[1]) / max(1, rows.shape[1] - 1)
        return rows, {"support": places}

    @property
    def _n_features_out(self) -> int:
        return int(self.n_samples_fit_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags


def _holds_point_sets(X: Any) -> bool:
    """Whether X is an array (B, n, d), or a list of measures and point sets; anything else is a table of histograms."""
    if isinstance(X, (list, tuple)):
        return not _is_rectangular(X)
    return isinstance(X, np.ndarray) and X.ndim == 3


def _is_rectangular(X: Any) -> bool:
    """Whether X is a plain table of numbers, written as a list of lists."""
    return all(np.ndim(row) == 1 and not isinstance(row, np.ndarray) for row in X)
