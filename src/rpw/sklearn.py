"""RPW in scikit-learn pipelines (needs ``pip install scikit-learn``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from rpw.base.extras import missing_extra
from rpw.base.shared_docs import documented

try:
    from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError as error:
    raise missing_extra("rpw.sklearn needs", "sklearn", because=error) from error

from rpw.base.arrays import on_host
from rpw.base.check import Array, as_choice, as_whole, check_table
from rpw.base.columns import Columns
from rpw.base.threads import as_n_threads
from rpw.base.warn import told_once
from rpw.index import Index
from rpw.many.backends.choice import check_device
from rpw.many.batch import PairBatch
from rpw.many.collection import as_collection, as_list_of_measures, check_same_dimension, is_one_cloud
from rpw.many.errors import PairwiseError, error_of
from rpw.many.known_pairs import KnownPairs
from rpw.many.pairwise import pairwise
from rpw.many.support import as_shared_ground
from rpw.measure import CollectionLike, Measure
from rpw.pair.metrics import Metric, as_metric
from rpw.pair.question import Question, as_question, as_question_of_several, check_distance
from rpw.stats.detector import RPWOutlierDetector

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

__all__ = ["RPWOutlierDetector", "RPWTransformer"]

_KNOWN = KnownPairs(most_bytes=1 << 30)
# What decides on the distances, and who computes them: from fit on it is settled. The others may be set at any time.
_SETTLED = ("distance", "p", "k", "mass", "lam", "metric", "diameter", "support", "cost", "device")


@documented
class RPWTransformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turn measures into their distances to the measures it was fitted on.

    Put it in front of any estimator that takes ``metric="precomputed"``, such as k-nearest neighbours, DBSCAN, t-SNE or
    UMAP.

    X is an array (B, n, d) of point sets, or a list of Measures or of arrays (n_i, d). With ``support`` or ``cost``, X
    can also be a table or sparse matrix (B, n) of histograms; rows that sum to 0 are refused.

    Parameters
    ----------
    mode : {"distance", "neighbors"}, default "distance"
        The dense matrix of distances, or the sparse graph of the nearest neighbours, as
        `sklearn.neighbors.KNeighborsTransformer` gives it. With RPW, the graph comes from an exact search.
    n_neighbors : int, default 5
        Neighbours in the graph. As in scikit-learn, one more is kept, because a measure is its own neighbour.
    %(distance_by_name)s
    %(p)s
    %(k)s
    ks : list of float, optional
        All values of ``k`` that a search will try; ``k`` must be one of them. Each pair is then solved once for all of
        them, and its distances are kept for later fits; see the notes.
    %(mass_of_many)s
    %(lam_of_many)s
    %(metric)s
    %(diameter_of_many)s
    support : array-like of shape (n, d), or "line", optional
        The points that all histograms share. ``"line"``: n equally spaced points from 0 to 1.
    %(shared_cost)s
    %(n_threads)s
    %(device)s

    Attributes
    ----------
    diameter_ : float or None
        The Δ in use: ``diameter``, 1 if you left it out, or what ``"auto"`` found in X of ``fit``. None for distances
        that do not depend on it.
    index_ : Index
        The measures of ``fit``.
    n_samples_fit_ : int
        The number of measures of ``fit``.

    Notes
    -----
    After ``fit`` you may change ``mode``, ``n_neighbors``, ``ks`` and ``n_threads``. If you change another parameter,
    ``transform`` raises an error until you call ``fit`` again. Answers are arrays of NumPy and SciPy, also if a GPU
    computes them.

    For a grid search over k, pass its values both to ``ks`` and to the grid::

        ks = [0.1, 1, 10]
        nearest = KNeighborsClassifier(metric="precomputed")
        model = Pipeline([("rpw", RPWTransformer(ks=ks)), ("knn", nearest)])
        GridSearchCV(model, {"rpw__k": ks}).fit(X, y)

    Without ``ks``, each fit solves its pairs again.

    With ``ks``, each pair of measures is solved once for all folds and both orders, d(x, y) and d(y, x). With
    ``diameter="auto"`` this does not work, because every fold has its own Δ. The distances are kept in the memory of
    the process, not in the estimator: up to 1 GiB, and the least recently used are dropped first. Threads share them,
    but processes do not, and ``n_jobs`` starts processes by default. You need no ``n_jobs``: ``n_threads`` uses all
    cores by default.

    Examples
    --------
    Each item is a point set. The new set is nearest to the first one:

    >>> from rpw.sklearn import RPWTransformer
    >>> model = RPWTransformer(p=1, diameter=1).fit([[[0.0]], [[3.0]]])
    >>> model.transform([[[0.1]]]).round(3)
    array([[0.091, 0.744]])
    """

    def __init__(
        self,
        mode: str = "distance",
        n_neighbors: int = 5,
        *,
        distance: str = "rpw",
        p: float = 2,
        k: float = 1,
        ks: Sequence[float] | None = None,
        mass: float | None = None,
        lam: float | None = None,
        metric: Metric = "euclidean",
        diameter: float | Literal["auto"] | None = None,
        support: ArrayLike | None = None,
        cost: ArrayLike | None = None,
        n_threads: int | None = None,
        device: str = "cpu",
    ) -> None:
        self.mode = mode
        self.n_neighbors = n_neighbors
        self.distance = distance
        self.p = p
        self.k = k
        self.ks = ks
        self.mass = mass
        self.lam = lam
        self.metric = metric
        self.diameter = diameter
        self.support = support
        self.cost = cost
        self.n_threads = n_threads
        self.device = device

    def fit(self, X: CollectionLike, y: object = None) -> RPWTransformer:
        """Keep the measures of X.

        Parameters
        ----------
        X : collection of measures
            As described for the class.
        y : object, default None
            Ignored.

        Returns
        -------
        RPWTransformer
            The estimator itself.

        Examples
        --------
        >>> from rpw.sklearn import RPWTransformer
        >>> RPWTransformer(diameter=1).fit([[[0.0]], [[3.0]]]).n_samples_fit_
        2
        """
        told = set[str]()
        with told_once(told):
            self._fit(X)
        self.told_ = frozenset(told)
        return self

    def _fit(self, X: CollectionLike) -> None:
        self._check_parameters()
        measures, space = self._as_measures(X, is_fit=True)
        _check_by_name(measures, space, self.metric)
        # Also where the distance is another: the index checks and copies what it is given, and costs little more.
        diameter = self.diameter if self.distance == "rpw" else 1.0
        asked = {"p": self.p, "k": self.k, "metric": self.metric, "diameter": diameter, **space}
        device = self.device if self.distance == "rpw" else "cpu"
        self.index_ = Index(measures, n_threads=self.n_threads, device=device, **asked)
        self.diameter_ = self.index_.diameter if as_question(self.distance, **self._asked).depends_on_diameter else None
        # Copies: X and the parameters stay the caller's.
        self.fitted_ = measures.copy()
        self.space_ = {name: np.array(value) for name, value in space.items() if value is not None}
        self.n_samples_fit_ = len(self.index_)
        self.settled_ = {name: getattr(self, name) for name in _SETTLED}

    def transform(self, X: CollectionLike) -> Any:
        """Compute the distances from the measures of X to the measures of ``fit``.

        Parameters
        ----------
        X : collection of measures
            As described for the class.

        Returns
        -------
        array or sparse matrix, one column for each measure of ``fit``
            The distances, or the graph of nearest neighbours if ``mode="neighbors"``.

        Examples
        --------
        >>> from rpw.sklearn import RPWTransformer
        >>> model = RPWTransformer("neighbors", 1, p=1, diameter=1)
        >>> model = model.fit([[[0.0]], [[1.0]], [[3.0]]])
        >>> model.transform([[[0.9]]]).indices  # the nearest, and one more
        array([1, 0], dtype=int32)
        """
        check_is_fitted(self, "index_")
        self._check_settled()
        self._check_parameters()  # the others can be set after fit
        with told_once(set(self.told_)):
            measures, _ = self._as_measures(X, is_fit=False)
            _check_by_name(measures, self.space_, self.metric, self.fitted_)
            return self._matrix(measures) if self.mode == "distance" else self._graph(measures)

    def _check_settled(self) -> None:
        """Raise for a parameter that is no longer what was fitted. Arrays are compared with the copies of `fit`."""
        for name, fitted in self.settled_.items():
            value = getattr(self, name)
            kept = fitted if isinstance(value, str) else self.space_.get(name, fitted)  # "line" has become an array
            if value is not fitted and not np.array_equal(on_host(value), on_host(kept)):
                raise ValueError(f"{name} was {_in_short(fitted)} in fit and is {_in_short(value)} now: call fit again")

    def _check_parameters(self) -> None:
        """Raise for a bad ``mode``, ``n_neighbors`` or ``distance``; the others are checked where they are used."""
        check_device(self.device)
        as_choice(self.mode, "mode", ("distance", "neighbors"))
        as_whole(self.n_neighbors, "n_neighbors", 1)
        as_metric(self.metric)
        check_distance(self.distance, diameter=self.diameter, **self._asked)
        as_question(self.distance, **self._asked)
        if self.ks is not None and float(self.k) not in self._question_of_all_k(1.0).several_k:
            raise ValueError(f"k must be one of ks={self.ks!r}, got {self.k!r}: add it there, or leave ks out")

    @property
    def _asked(self) -> dict[str, Any]:
        return {"p": self.p, "k": self.k, "mass": self.mass, "lam": self.lam}

    def _question_of_all_k(self, diameter: float) -> Question:
        return as_question_of_several(self.distance, p=self.p, k=self.ks, called="ks", diameter=diameter)

    def _known_matrix(self, measures: Any) -> Array:
        """From what is known of the pairs at all ``ks``."""
        ground = as_shared_ground(self.space_.get("support"), self.space_.get("cost"), as_metric(self.metric))
        a, b = (as_collection(each, "X", ground) for each in (measures, self.fitted_))
        check_same_dimension(a, b)
        batch = PairBatch(a, b, ground, self._question_of_all_k(self.index_.diameter))
        return _KNOWN.matrix(batch, float(self.k), as_n_threads(self.n_threads), self.device)

    def _matrix(self, measures: Any) -> Array:
        if self.ks is not None:
            return self._known_matrix(measures)
        try:
            matrix: Array = pairwise(
                measures,
                self.fitted_,
                distance=self.distance,
                metric=self.metric,
                diameter=self.index_.diameter,
                n_threads=self.n_threads,
                support=self.space_.get("support"),
                cost=self.space_.get("cost"),
                device=self.device,
                **self._asked,
            )
        except PairwiseError as error:  # which speaks of arguments of `pairwise`
            raise error_of(error.failures, error.distances) from None
        return matrix

    def _graph(self, measures: Any) -> csr_matrix:
        from scipy.sparse import csr_matrix

        top = min(as_whole(self.n_neighbors, "n_neighbors", 1) + 1, self.n_samples_fit_)
        if self.distance == "rpw" and self.ks is None:
            distances, indices = self.index_.query(measures, top=top, n_threads=self.n_threads)
        else:
            matrix = self._matrix(measures)
            indices = np.argsort(matrix, axis=1, kind="stable")[:, :top]  # equal distances by lower index
            distances = np.take_along_axis(matrix, indices, axis=1)
        start = np.arange(0, distances.size + 1, top)
        return csr_matrix((distances.ravel(), indices.ravel(), start), shape=(len(distances), self.n_samples_fit_))

    def _as_measures(self, X: CollectionLike, is_fit: bool) -> tuple[Any, dict[str, Any]]:
        """The measures, and what they stand on. Arrays come to the host, so that what follows in a pipeline is
        NumPy's."""
        X = [on_host(item) for item in X] if isinstance(X, (list, tuple)) else on_host(X)
        if self.support is None and self.cost is None:
            _check_point_sets(X)
            self._check_columns(X, is_fit, of_places=False)
            return as_list_of_measures(X, "X"), {}
        check_table(X, "X")  # scikit-learn would turn times into numbers, and names no column
        rows = validate_data(self, X, reset=is_fit, dtype=np.float64, ensure_min_samples=1, accept_sparse="csr")
        self._check_columns(X, is_fit, of_places=True)
        if rows.shape[1] == 1:
            raise ValueError("n_features = 1: all histograms on a single point are the same measure")
        if rows.min() < 0:
            raise ValueError("Negative values in data passed to RPWTransformer: histograms must be non-negative")
        if isinstance(self.support, str):
            if self.support != "line":
                raise ValueError(f"support must be an array of points or 'line', got {self.support!r}")
            return rows, {"support": np.arange(rows.shape[1]) / (rows.shape[1] - 1), "cost": self.cost}
        return rows, {"support": self.support, "cost": self.cost}

    def _check_columns(self, X: Any, is_fit: bool, of_places: bool) -> None:
        """Raise for a table whose columns have other names than in `fit`; scikit-learn knows only some tables."""
        if is_fit:
            columns = Columns(of_places).shared_with(X=X, cost=self.cost if of_places else None)
            self.columns_ = columns.owned_by("X of fit")
        else:
            self.columns_.shared_with(X=X)

    @property
    def _n_features_out(self) -> int:
        return int(self.n_samples_fit_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.input_tags.sparse = True
        return tags


def _in_short(value: Any) -> str:
    """A value of a parameter in a message."""
    shape = np.shape(on_host(value))
    return f"an array {shape}" if shape else repr(value)


def _check_point_sets(X: Any) -> None:
    """Raise for a table: its rows could be histograms, but on what?"""
    if isinstance(X, Measure) or not is_one_cloud(X):
        return
    shape = getattr(X, "shape", None)  # of a table: its columns may make no array
    if len(shape if isinstance(shape, tuple) else np.shape(X)) == 2:
        raise ValueError(
            "X is two-dimensional, which could mean histograms or points: for histograms (B, n) pass support= (of "
            "images: the pixels' positions) or cost=, or support='line' for n equally spaced points of [0, 1]; point "
            "sets are a list, or an array (B, n, d)"
        )


def _check_by_name(measures: Any, space: dict[str, Any], metric: Metric, fitted: Any = None) -> None:
    """Raise for what does not fit, and call it X: to those who compute it has other names."""
    if space:
        as_collection(measures, "X", as_shared_ground(space.get("support"), space.get("cost"), as_metric(metric)))
    elif fitted is not None and measures[0].dimension != fitted[0].dimension:
        raise ValueError(
            f"X has points of dimension {measures[0].dimension}, and X of fit had points of dimension "
            f"{fitted[0].dimension}"
        )
