"""Exact nearest neighbours under RPW, with most pairs never solved.

RPW has cheap lower bounds, so a search can leave out what is provably too far: by the potentials of pairs that were
solved, by moving every atom to its nearest neighbour, and by the dual bound inside a solve that is given up as soon as
it passes the current m-th best (docs/proofs/search.md, "Search"; `rpw.many.search`). The answers are always those of
brute force.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, overload

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from rpw.base import check
from rpw.base.advice import about_diameter
from rpw.base.arrays import home_of, settled_device
from rpw.base.check import Array
from rpw.base.columns import Columns
from rpw.base.memory import is_out_of_memory
from rpw.base.progress import Progress, progress_bar
from rpw.base.shared_docs import documented
from rpw.base.threads import as_n_threads
from rpw.base.types import PathLike
from rpw.base.warn import warn_caller
from rpw.many import index_file
from rpw.many.backends.choice import backend_for
from rpw.many.batch import PairBatch
from rpw.many.collection import as_collection, is_one_cloud
from rpw.many.errors import Failures
from rpw.many.pairwise import as_diameter, warn_of_batch
from rpw.many.search import Found, search_in_rounds
from rpw.many.support import as_shared_ground
from rpw.measure import CollectionLike, Measure, PointsLike
from rpw.pair.atoms import Atoms, joined
from rpw.pair.metrics import Metric, as_metric
from rpw.pair.question import as_question

__all__ = ["Index", "SearchStats"]

_Ints = npt.NDArray[np.int64]
_Row = np.ndarray[tuple[int], np.dtype[np.float64]]
_IntRow = np.ndarray[tuple[int], np.dtype[np.int64]]
_Rows = np.ndarray[tuple[int, int], np.dtype[np.float64]]
_IntRows = np.ndarray[tuple[int, int], np.dtype[np.int64]]
# All that an index is, in the order of its file.
_PARTS = ("_question", "_ground", "_items", "_columns")


@dataclass
class SearchStats:
    """Counts of the pairs (query, measure) in all searches since the index was built or loaded.

    The counts grow with every search. ``index.stats = rpw.index.SearchStats()`` sets them to 0.

    Parameters
    ----------
    pairs : int, default 0
        All pairs: queries times measures. It is the sum of the other three.
    solved : int, default 0
        Pairs whose distance was computed.
    bounded : int, default 0
        Pairs that a bound excluded, without any solve.
    stopped_early : int, default 0
        Pairs whose solve stopped as soon as they were proven to be too far away.

    Examples
    --------
    >>> import rpw
    >>> index = rpw.Index([[[0.0]], [[1.0]], [[30.0]]], p=1, diameter=1)
    >>> distances, indices = index.query([[0.9]], top=1)
    >>> stats = index.stats
    >>> stats.pairs, stats.solved + stats.bounded + stats.stopped_early
    (3, 3)
    """

    pairs: int = 0
    solved: int = 0
    bounded: int = 0
    stopped_early: int = 0


@documented
class Index:
    """A collection of measures that finds the nearest ones under RPW, exactly.

    Most pairs are excluded by bounds and never solved. The answers are the same as from comparing with every measure.

    Parameters
    ----------
    measures : collection of measures
        A list of `rpw.Measure` objects or of arrays (n_i, d); an array (B, n, d); or histograms (B, n), one in each
        row, together with ``support`` or ``cost``.
    %(p)s
    %(k)s
    %(metric)s
    %(diameter_of_many)s
        It stays the same when measures are added.
    %(support)s
    %(shared_cost)s
    n_threads : int, optional
        Has no effect, because building an index solves no pairs.
    %(device)s

    Attributes
    ----------
    stats : SearchStats
        How many pairs all searches so far have solved, and how many they have excluded.

    Warns
    -----
    UserWarning
        If ``diameter`` was left out, and Δ = 1 is probably too small or too large. Too small: the points (or costs)
        span more than 2. Too large: at least 20 distinct points span less than 0.05 (for k < 1, less than 0.05·k).
        Points of queries and of added measures count too.

    See Also
    --------
    rpw.pairwise : All distances.

    Examples
    --------
    >>> import rpw
    >>> index = rpw.Index([[[0.0]], [[1.0]], [[3.0]]], p=1, diameter=1)
    >>> index
    Index(3 measures, p=1, k=1, diameter=1)
    >>> distances, indices = index.query([[0.9]], top=2)
    >>> indices, distances.round(3)
    (array([1, 0]), array([0.091, 0.474]))
    """

    def __init__(
        self,
        measures: CollectionLike,
        *,
        p: float = 2,
        k: float = 1,
        metric: Metric = "euclidean",
        diameter: float | Literal["auto"] | None = None,
        support: ArrayLike | None = None,
        cost: ArrayLike | None = None,
        n_threads: int | None = None,
        device: str = "cpu",
    ) -> None:
        as_n_threads(n_threads)
        # A copy: what the caller does to the arrays later changes no answer.
        device = settled_device(check.as_device(device), measures=measures, support=support, cost=cost)
        self._ground = as_shared_ground(support, cost, as_metric(metric)).copy()
        self._items = as_collection(measures, "measures", self._ground, device=device)
        columns = Columns(of_places=self._ground.size is not None).shared_with(measures=measures, cost=cost)
        self._columns = columns.owned_by("the index")
        delta = as_diameter(diameter, self._ground, [self._items], (measures,))
        self._question = as_question(p=p, k=k, diameter=delta)
        is_told = diameter is not None or warn_of_batch(
            PairBatch(self._items, self._items, self._ground, self._question)
        )
        # What measures share was looked at, and nothing lies outside of it.
        self._is_watched = not is_told and self._question.depends_on_diameter and self._ground.size is None
        self._set_device(device)
        self.stats = SearchStats()

    def __len__(self) -> int:
        return len(self._items)

    @property
    def p(self) -> float:
        """The exponent."""
        return self._question.p

    @property
    def k(self) -> float:
        """How much leaving mass behind costs, in units of the diameter."""
        return self._question.k

    @property
    def metric(self) -> Metric:
        """The distance between points: a name or a callable; it has no meaning for an index with ``cost``."""
        return self._ground.metric.given

    @property
    def diameter(self) -> float:
        """The unit of length Δ, fixed when the index was built."""
        return self._question.diameter

    @overload
    def query(
        self, q: Measure, top: int = 10, n_threads: int | None = None, progress: Progress = False
    ) -> tuple[_Row, _IntRow]: ...

    @overload
    def query(
        self, q: Sequence[Measure], top: int = 10, n_threads: int | None = None, progress: Progress = False
    ) -> tuple[_Rows, _IntRows]: ...

    @overload
    def query(
        self, q: CollectionLike, top: int = 10, n_threads: int | None = None, progress: Progress = False
    ) -> tuple[Array, _Ints]: ...

    @documented
    def query(
        self, q: PointsLike | CollectionLike, top: int = 10, n_threads: int | None = None, progress: Progress = False
    ) -> tuple[Array, _Ints]:
        """Find the nearest measures.

        Parameters
        ----------
        q : Measure, array-like, or collection of measures
            One query, or several as in ``measures`` of `rpw.Index`.
        top : int, default 10
            How many neighbours to find. A smaller index returns all it has.
        %(n_threads)s
        %(progress queries)s

        Returns
        -------
        distances : array of shape (top,), or (len(q), top) for several queries
            The distances, smallest first.
        indices : array of the same shape
            Which measures they belong to. Equal distances are in the order of the index.

        Examples
        --------
        >>> import rpw
        >>> index = rpw.Index([[[0.0]], [[1.0]], [[3.0]]], p=1, diameter=1)
        >>> distances, indices = index.query([[[0.9]], [[2.8]]], top=1)
        >>> indices.ravel(), distances.ravel().round(3)
        (array([1, 2]), array([0.091, 0.167]))
        """
        count, threads = min(check.as_whole(top, "top", 1), len(self)), as_n_threads(n_threads)
        check.check_progress(progress)
        queries, is_one = self._as_queries(q)
        found = self._search(queries, count, np.inf, threads, progress)
        distances, indices = (self._bring_back(np.stack(column), q) for column in zip(*found, strict=True))
        return (distances[0], indices[0]) if is_one else (distances, indices)

    @overload
    def radius_query(
        self, q: Measure, radius: float, n_threads: int | None = None, progress: Progress = False
    ) -> tuple[_Row, _IntRow]: ...

    @overload
    def radius_query(
        self, q: Sequence[Measure], radius: float, n_threads: int | None = None, progress: Progress = False
    ) -> tuple[list[_Row], list[_IntRow]]: ...

    @overload
    def radius_query(
        self, q: CollectionLike, radius: float, n_threads: int | None = None, progress: Progress = False
    ) -> tuple[Any, Any]: ...

    @documented
    def radius_query(
        self, q: PointsLike | CollectionLike, radius: float, n_threads: int | None = None, progress: Progress = False
    ) -> tuple[Any, Any]:
        """Find all measures within a radius.

        Parameters
        ----------
        q : Measure, array-like, or collection of measures
            One query, or several as in ``measures`` of `rpw.Index`.
        radius : float
            The largest distance, at least 0.
        %(n_threads)s
        %(progress queries)s

        Returns
        -------
        distances : array, or list of arrays for several queries
            The distances, smallest first.
        indices : array, or list of arrays for several queries
            Which measures they belong to. Equal distances are in the order of the index.

        Examples
        --------
        >>> import rpw
        >>> index = rpw.Index([[[0.0]], [[1.0]], [[3.0]]], p=1, diameter=1)
        >>> distances, indices = index.radius_query([[0.9]], radius=0.5)
        >>> indices, distances.round(3)
        (array([1, 0]), array([0.091, 0.474]))
        """
        limit = check.as_number(radius, "radius")
        if limit < 0:
            raise ValueError(f"radius must be at least 0, got {radius!r}")
        threads = as_n_threads(n_threads)
        check.check_progress(progress)
        queries, is_one = self._as_queries(q)
        found = self._search(queries, len(self), limit, threads, progress)
        distances, indices = ([self._bring_back(row, q) for row in column] for column in zip(*found, strict=True))
        return (distances[0], indices[0]) if is_one else (distances, indices)

    def add(self, measures: CollectionLike, n_threads: int | None = None) -> None:
        """Append measures to the index; Δ stays the same.

        Parameters
        ----------
        measures : collection of measures
            As in `rpw.Index`.
        n_threads : int, optional
            Has no effect, because adding measures solves no pairs.

        Examples
        --------
        >>> import rpw
        >>> index = rpw.Index([[[0.0]], [[1.0]]], p=1, diameter=1)
        >>> index.add([[[0.8]]])
        >>> index.query([[0.7]], top=1)[1]
        array([2])
        """
        as_n_threads(n_threads)
        if self._ground.size is None and getattr(measures, "ndim", None) == 2:
            raise ValueError("measures is one set of points: pass a list of sets, such as index.add([points])")
        settled_device(self._device, measures=measures)
        more = as_collection(measures, "measures", self._ground, device=self._device)
        self._check_dimension(more, "measures")
        columns = self._columns.shared_with(measures=measures).owned_by("the index")
        self._look(more)
        self._items = joined([self._items, more])
        self._columns = columns

    def save(self, path: PathLike) -> None:
        """Write the index to one file, in NumPy's ``npz`` format without pickle.

        A file that exists is replaced only when the new one is complete. An index with a callable metric cannot be
        saved.

        Parameters
        ----------
        path : str or path
            The file.

        See Also
        --------
        rpw.Index.load : Read it again.

        Examples
        --------
        >>> import tempfile, pathlib, rpw
        >>> index = rpw.Index([[[0.0]], [[1.0]]], p=1, diameter=1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder) / "index.npz"
        ...     index.save(path)
        ...     rpw.Index.load(path)
        Index(2 measures, p=1, k=1, diameter=1)
        """
        index_file.write(check.as_path(path), index_file.Content(*(getattr(self, name) for name in _PARTS)))

    @classmethod
    def load(cls, path: PathLike, device: str = "cpu") -> Index:
        """Read an index that `rpw.Index.save` wrote.

        Parameters
        ----------
        path : str or path
            The file.
        device : str, default "cpu"
            ``"cpu"``, or ``"cuda"`` (``"cuda:1"``, ...) for an NVIDIA GPU. It need not be the device on which the index
            was built.

        Returns
        -------
        Index
            The index, with its statistics at 0.

        Raises
        ------
        ValueError
            If the file is not an index, or is damaged.

        Examples
        --------
        >>> import tempfile, pathlib, rpw
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder) / "index.npz"
        ...     rpw.Index([[[0.0]], [[1.0]]], p=1, diameter=1).save(path)
        ...     rpw.Index.load(path).query([[0.9]], top=1)[1]
        array([1])
        """
        device = settled_device(check.as_device(device))
        content = index_file.read(check.as_path(path))
        index = cls.__new__(cls)
        for name, part in zip(_PARTS, content, strict=True):
            setattr(index, name, part)
        index._set_device(device)
        index.stats = SearchStats()
        index._is_watched = False
        return index

    def _set_device(self, device: str) -> None:
        batch = PairBatch(self._items, self._items, self._ground, self._question)
        backend_for(batch, device).check_ready()
        self._device = device

    def _repr_html_(self) -> str:
        from rpw.base.html import facts

        metric = "cost=" if "cost" in self._ground.arrays() else getattr(self.metric, "__name__", self.metric)
        counts = ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in vars(self.stats).items())
        return facts(
            "Index",
            [
                ("measures", f"{len(self):,}"),
                ("with", f"p = {self.p:g}, k = {self.k:g}, Δ = {self.diameter:g}"),
                ("metric", str(metric)),
                ("searches", counts),
            ],
        )

    def __repr__(self) -> str:
        asked = self._question
        measures = f"{len(self)} measure{'s' * (len(self) != 1)}"
        return f"Index({measures}, p={asked.p:g}, k={asked.k:g}, diameter={asked.diameter:g})"

    def _as_queries(self, q: Any) -> tuple[Atoms, bool]:
        """The queries as a collection, and whether there was only one."""
        if isinstance(q, (list, tuple)) and len(q) == 0:
            raise ValueError("q is an empty collection")
        is_one = self._is_one_query(q)
        if is_one and check.is_sparse(q):
            q = q.toarray()  # one histogram
        settled_device(self._device, q=q)
        queries = as_collection([self._as_one(q)] if is_one else q, "q", self._ground, device=self._device)
        self._check_dimension(queries, "q")
        self._columns.shared_with(q=q)
        self._look(queries)
        return queries, is_one

    def _look(self, measures: Atoms) -> None:
        """Warn once, when measures come that lie far from the first one under a diameter that nobody chose."""
        if self._is_watched:
            extent = self._ground.extent(self._items.measure(0).where, measures.where)
            self._is_watched = not warn_caller(about_diameter(extent))

    def _as_one(self, q: Any) -> Any:
        """One query, such that a list that holds it is a collection: rows of numbers are points."""
        is_plain = self._ground.size is None and isinstance(q, (list, tuple))
        return check.as_points(q, "q") if is_plain else q

    def _bring_back(self, values: Any, q: Any) -> Any:
        """To where the query lies, if that is the GPU that computes."""
        home = None if self._device == "cpu" else home_of(q)
        return values if home is None else home.bring_back(values)

    @property
    def dimension(self) -> int | None:
        """The number of coordinates of each point; None for histograms."""
        return self._items.dimension

    def _check_dimension(self, other: Atoms, name: str) -> None:
        here, there = self._items.dimension, other.dimension
        if here != there:
            raise ValueError(f"the index has points of dimension {here}, and {name} has points of dimension {there}")

    def _is_one_query(self, q: Any) -> bool:
        if self._ground.size is not None:
            dimensions = getattr(q, "ndim", None)
            return bool((check.as_floats(q, "q").ndim if dimensions is None else dimensions) == 1)
        return is_one_cloud(q)

    def _search(
        self, queries: Atoms, top: int, radius: float, n_threads: int, progress: Progress
    ) -> list[tuple[Array, _Ints]]:
        backend = backend_for(PairBatch(queries, self._items, self._ground, self._question), self._device)
        backend.check_fits(n_threads, False)
        with progress_bar(len(queries), progress, unit="query") as report:
            found = search_in_rounds(backend, top, radius, n_threads, report)
        _raise_first(found.failures)
        self._count(len(queries) * len(self), found)
        return found.neighbours

    def _count(self, pairs: int, found: Found) -> None:
        """Count the pairs of a search that has succeeded: then, and only then, they add up."""
        self.stats.pairs += pairs
        self.stats.bounded += pairs - found.stopped_early - found.solved
        self.stats.stopped_early += found.stopped_early
        self.stats.solved += found.solved


def _raise_first(failures: Failures) -> None:
    """Raise for the first pair that failed, if there is one."""
    if failures:
        s, t, reason = min(failures)
        kind = MemoryError if is_out_of_memory(reason) else RuntimeError
        raise kind(f"query {s} and measure {t} failed: {reason}")
