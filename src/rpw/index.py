"""Exact nearest neighbours under RPW, with most pairs never solved.

RPW is a metric and has cheap lower bounds, so a search can leave out what is provably too far: every atom moved to its
nearest neighbour (both ways), the triangle inequality over pivots, the potentials of the last pair solved, and the dual
bound inside a solve that is given up as soon as it passes the current m-th best (docs/theory.md, "Search"). The answers
are those of brute force, always.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rpw import _check as check
from rpw import _core
from rpw._check import Array
from rpw._collection import Collection, as_collection, as_space
from rpw._pairs import PairBatch, PairDistance, as_n_threads, as_pair_distance
from rpw.cost import Metric
from rpw.measure import Measure
from rpw.pairwise import as_diameter, check_same_space, progress_bar

__all__ = ["Index", "SearchStats"]

_Ints = npt.NDArray[np.int64]
_FORMAT = "rpw index"
_VERSION = 1
_DEFAULT_PIVOTS = 0


@dataclass
class SearchStats:
    """What became of the pairs (query, measure) of all searches so far."""

    pairs: int = 0
    solved: int = 0
    bounded: int = 0
    stopped_early: int = 0


class Index:
    """A collection of measures that answers nearest-neighbour queries exactly.

    Parameters
    ----------
    measures : collection
        As in `rpw.pairwise`: a list of Measures or arrays, a (B, n, d) array, or histograms (B, n) with ``support=`` or
        ``cost=``.
    p, k, metric : as in `rpw.distance`
    diameter : float or "auto"
        Δ, fixed when the index is built; ``add`` keeps it.
    n_pivots : int, optional
        Measures whose distances to all others are computed when the index is built; they sharpen the bounds through the
        triangle inequality. Default: 0; they pay where one distance costs far more than all pairs of points.
    assume_metric : bool
        Promise that ``cost=`` or the callable obeys the triangle inequality, so that pivots may be used.
    n_threads : int, optional
        For building; default: all cores.

    >>> import rpw
    >>> index = rpw.Index([[[0.0]], [[1.0]], [[3.0]]], p=1)
    >>> distances, indices = index.query([[0.9]], top=2)
    >>> indices.tolist()
    [1, 0]
    """

    def __init__(
        self,
        measures: Any,
        *,
        p: float = 2,
        k: float = 1,
        metric: Metric = "euclidean",
        diameter: float | str = 1.0,
        support: Any = None,
        cost: Any = None,
        n_pivots: int | None = None,
        assume_metric: bool = False,
        n_threads: int | None = None,
    ) -> None:
        self._space = as_space(support, cost)
        self._items = as_collection(measures, "measures", self._space)
        delta = as_diameter(diameter, self._items, self._items, self._space, metric, (measures,))
        self._distance = as_pair_distance("rpw", p=p, k=k, diameter=delta, metric=metric)
        is_trusted = assume_metric or (cost is None and isinstance(metric, str))
        wanted = _as_n_pivots(n_pivots, is_trusted)
        self._pivots = np.empty(0, dtype=np.int64)
        self._from_pivots = np.empty((0, len(self)))
        self._choose_pivots(min(wanted, len(self)), as_n_threads(n_threads))
        self.stats = SearchStats()

    def __len__(self) -> int:
        return len(self._items)

    @property
    def diameter(self) -> float:
        """Δ of the space, fixed when the index was built."""
        return self._distance.diameter

    def query(self, q: Any, top: int = 10, n_threads: int | None = None, progress: bool = False) -> tuple[Array, _Ints]:
        """The ``top`` nearest measures: ``(distances, indices)``, sorted; equal distances by lower index.

        For one query two arrays of shape (top,), for a list of queries two of shape (len q, top); a smaller index gives
        all it has. Threads work on different queries.
        """
        count = check.as_number(top, "top")
        if count < 1 or count != int(count):
            raise ValueError(f"top must be a whole number of at least 1, got {top!r}")
        queries, is_one = self._as_queries(q)
        found = self._search(queries, min(int(count), len(self)), np.inf, as_n_threads(n_threads), progress)
        distances, indices = (np.stack(column) for column in zip(*found, strict=True))
        return (distances[0], indices[0]) if is_one else (distances, indices)

    def radius_query(self, q: Any, radius: float, n_threads: int | None = None, progress: bool = False) -> Any:
        """All measures within ``radius``: sorted ``(distances, indices)``, or a list of such for a list of queries."""
        limit = check.as_number(radius, "radius")
        if limit < 0:
            raise ValueError(f"radius must be at least 0, got {radius!r}")
        queries, is_one = self._as_queries(q)
        found = self._search(queries, len(self), limit, as_n_threads(n_threads), progress)
        return found[0] if is_one else found

    def add(self, measures: Any, n_threads: int | None = None) -> None:
        """Append measures; Δ and the pivots stay what they were."""
        more = as_collection(measures, "measures", self._space)
        check_same_space(self._items, more)
        if len(self._pivots):
            pivots = self._items.take(self._pivots)
            new = self._matrix(pivots, more, as_n_threads(n_threads))
            self._from_pivots = np.ascontiguousarray(np.hstack([self._from_pivots, new]))
        else:
            self._from_pivots = np.empty((0, len(self) + len(more)))
        self._items = self._items.joined_with(more)

    def save(self, path: Any) -> None:
        """Write the index to one file (NumPy's ``npz``, no pickle), replacing it only when complete."""
        if not isinstance(self._distance.metric, str):
            raise ValueError("an index with a callable metric cannot be saved: functions are not data")
        arrays: dict[str, Any] = {"start": self._items.start, "weights": self._items.weights, "mass": self._items.mass}
        optional = {"points": self._items.points, "place": self._items.place}
        optional |= {"support": self._space.support, "cost": self._space.cost}
        arrays |= {name: array for name, array in optional.items() if array is not None}
        about = {"format": _FORMAT, "version": _VERSION, "distance": asdict(self._distance)}
        target = Path(path)
        partial = target.with_name(target.name + ".part")
        with partial.open("wb") as file:
            np.savez(
                file,
                about=np.array(json.dumps(about)),
                pivots=self._pivots,
                from_pivots=self._from_pivots,
                **arrays,
            )
            file.flush()
            os.fsync(file.fileno())
        partial.replace(target)

    @classmethod
    def load(cls, path: Any) -> Index:
        """Read an index that `save` wrote."""
        try:
            with Path(path).open("rb") as file, np.load(file, allow_pickle=False) as stored:
                arrays = {name: stored[name] for name in stored.files}
            about = json.loads(str(arrays["about"]))
            if about["format"] != _FORMAT or about["version"] != _VERSION:
                raise ValueError(f"format {about['format']!r} version {about['version']} is not known here")
            return cls._restored(arrays, PairDistance(**about["distance"]))
        except FileNotFoundError:
            raise
        except (KeyError, TypeError, ValueError, OSError, EOFError) as error:
            raise ValueError(f"{path} is not an index that this version can read: {error}") from error
        except Exception as error:  # zipfile and zlib raise types of their own on damaged files
            raise ValueError(f"{path} is damaged: {error}") from error

    @classmethod
    def _restored(cls, arrays: dict[str, Any], distance: PairDistance) -> Index:
        index = cls.__new__(cls)
        index._space = as_space(arrays.get("support"), arrays.get("cost"))
        index._items = Collection(
            arrays["start"], arrays["weights"], arrays["mass"], arrays.get("points"), arrays.get("place")
        )
        index._items.check()
        index._distance = distance
        index._pivots, index._from_pivots = arrays["pivots"], arrays["from_pivots"]
        if index._from_pivots.shape != (len(index._pivots), len(index._items)):
            raise ValueError("the distances to the pivots do not fit the measures")
        index.stats = SearchStats()
        return index

    def __repr__(self) -> str:
        d = self._distance
        return (
            f"Index({len(self)} measures, p={d.p:g}, k={d.kappa / d.diameter:g}, diameter={d.diameter:g}, "
            f"{len(self._pivots)} pivots)"
        )

    def _as_queries(self, q: Any) -> tuple[Collection, bool]:
        """The queries as a collection, and whether there was only one."""
        is_one = self._is_one_query(q)
        queries = as_collection([q] if is_one else q, "q", self._space)
        check_same_space(self._items, queries)
        return queries, is_one

    def _is_one_query(self, q: Any) -> bool:
        if self._space.size is not None:
            return np.ndim(q) == 1
        if isinstance(q, Measure) or (isinstance(q, np.ndarray) and q.ndim <= 2):
            return True
        if isinstance(q, (list, tuple)) and not any(isinstance(item, (Measure, np.ndarray)) for item in q):
            return _depth(q) <= 2
        return False

    def _matrix(self, a: Collection, b: Collection, n_threads: int) -> Array:
        first, second = (index.ravel() for index in np.indices((len(a), len(b))))
        values, failures = PairBatch(a, b, self._space, self._distance).values(first, second, n_threads)
        if failures:
            e, reason = failures[0]
            raise RuntimeError(f"pair ({first[e]}, {second[e]}) failed: {reason}")
        return values.reshape(len(a), len(b))

    def _choose_pivots(self, count: int, n_threads: int) -> None:
        """Pivots far from each other, one after the other: each is the farthest from those before it."""
        nearest = np.full(len(self), np.inf)
        chosen: list[int] = []
        rows = []
        for _ in range(count):
            chosen.append(0 if not chosen else int(np.argmax(nearest)))
            rows.append(self._matrix(self._items.take(chosen[-1:]), self._items, n_threads)[0])
            nearest = np.minimum(nearest, rows[-1])
        if chosen:
            self._pivots = np.array(chosen, dtype=np.int64)
            self._from_pivots = np.ascontiguousarray(np.stack(rows))

    def _search(
        self, queries: Collection, top: int, radius: float, n_threads: int, progress: bool
    ) -> list[tuple[Array, _Ints]]:
        batch = PairBatch(queries, self._items, self._space, self._distance)
        self.stats.pairs += len(queries) * len(self)
        if not batch.is_for_core:
            return self._search_by_brute_force(queries, top, radius, n_threads)
        to_pivots = np.empty((len(queries), 0))
        if len(self._pivots):
            to_pivots = self._matrix(queries, self._items.take(self._pivots), n_threads)
        with progress_bar(len(queries), progress, unit="query") as report:
            found, counts = _core.search(
                *batch.core_collections, batch.task, top, radius, to_pivots, self._from_pivots, n_threads, report
            )
        bounded, stopped_early, solved = counts
        self.stats.bounded += bounded
        self.stats.stopped_early += stopped_early
        self.stats.solved += solved
        return found

    def _search_by_brute_force(
        self, queries: Collection, top: int, radius: float, n_threads: int
    ) -> list[tuple[Array, _Ints]]:
        matrix = self._matrix(queries, self._items, n_threads)
        self.stats.solved += matrix.size
        found = []
        for row in matrix:
            order = np.argsort(row, kind="stable")[:top].astype(np.int64)
            order = order[row[order] <= radius]
            found.append((row[order], order))
        return found


def _as_n_pivots(value: Any, is_trusted: bool) -> int:
    if value is None:
        return _DEFAULT_PIVOTS if is_trusted else 0
    number = check.as_number(value, "n_pivots")
    if number < 0 or number != int(number):
        raise ValueError(f"n_pivots must be a whole number of at least 0, got {value!r}")
    if number > 0 and not is_trusted:
        raise ValueError("n_pivots needs the triangle inequality: pass assume_metric=True if cost or metric obeys it")
    return int(number)


def _depth(value: Any) -> int:
    """How deep lists are nested at their first entries."""
    depth = 0
    while isinstance(value, (list, tuple)) and len(value):
        depth, value = depth + 1, value[0]
    return depth
