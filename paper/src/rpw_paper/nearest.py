"""The nearest labelled pictures of each query, exactly; queries that are finished are kept in files.

W1 and W2 of colour pictures, the slowest of all, are computed only for pairs that a lower bound does not exclude; the
other distances for all pairs.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import rpw
from rpw.images import pixel_grid
from rpw_paper.base import Array, Ints, Pixels, as_n_threads, replacing
from rpw_paper.slices import sliced_bounds

Told = Callable[[float], object]  # hears the share that is done
Found = tuple[Ints, Array]

# Queries whose answers are stored together: what an interruption costs on the CPU, and what keeps a GPU busy.
_AT_ONCE = {"cpu": 4, "cuda": 100}
_PAIRS_AT_ONCE = {"cpu": 8, "cuda": 256}  # of one query that are solved before its bounds are asked again
_MARGIN = 1e-11  # bounds and distances come from different sums


@dataclass(frozen=True, eq=False)
class Search:
    """What to find: the ``count`` nearest of the labelled pictures for each query, equal distances in the order of the
    permutation. ``options`` are those of `rpw.pairwise`; they may hold a list of k."""

    queries: Pixels
    labelled: Pixels
    options: Mapping[str, Any]
    count: int
    permutation: npt.NDArray[Any]
    n_threads: int | None = None
    device: str = "cpu"

    @property
    def kind(self) -> str:
        return self.device.partition(":")[0]

    @cached_property
    def bounds(self) -> Array | None:
        """Lower bounds on all distances; None if there are no useful ones."""
        p = self.options.get("p")
        if self.queries.ndim != 4 or self.options["distance"] != "wasserstein" or p not in (1, 2):
            return None
        return sliced_bounds(_as_clouds(self.queries), _as_clouds(self.labelled), p, as_n_threads(self.n_threads))


def find_nearest(search: Search, store: Path, made_from: Mapping[str, Any], report: Told = lambda _: None) -> Found:
    """The nearest labelled pictures, as indices, and their distances: arrays (queries, count), or (k, queries, count).

    The folder ``store`` keeps what is finished, for calls with equal ``made_from`` alone; the nearest of a search for
    more of them serve as well.
    """
    facts = {**made_from, **search.options, "count": search.count}
    total, known = len(search.queries), _kept(store, facts, len(search.labelled))
    for part in _missing(known, total, _AT_ONCE[search.kind]):
        report(len(known) / total)
        tell = _between(report, len(known), len(part), total)
        found = _scan(search, part, tell) if search.bounds is None else _search(search, part, search.bounds, tell)
        _keep(store / f"{part.start:05}-{part.stop:05}.npz", facts, part.start, found)
        known |= _by_query(part.start, found)
    report(1.0)
    order, distances = zip(*(known[q] for q in range(total)), strict=True)
    return np.stack(order, axis=-2), np.stack(distances, axis=-2)


def _between(report: Told, done: int, now: int, total: int) -> Told:
    return lambda share: report((done + now * share) / total)


def _by_query(start: int, found: Found) -> dict[int, Found]:
    order, distances = (np.moveaxis(part, -2, 0) for part in found)
    return {start + q: (order[q], distances[q]) for q in range(len(order))}


def _keep(path: Path, facts: Mapping[str, Any], start: int, found: Found) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = np.array(json.dumps(facts, sort_keys=True))
    with replacing(path) as stream:
        np.savez_compressed(
            stream, facts=text, start=np.array(start), order=found[0].astype(np.int32), distances=found[1]
        )


def _kept(store: Path, facts: Mapping[str, Any], labelled: int) -> dict[int, Found]:
    """What files of the folder say about each query; damaged ones, and those of other facts, say nothing."""
    known: dict[int, Found] = {}
    for path in sorted(store.glob("*.npz")):
        with suppress(Exception):  # a damaged file can raise nearly anything
            known |= _read(path, facts, labelled)
    return known


def _read(path: Path, facts: Mapping[str, Any], labelled: int) -> dict[int, Found]:
    """Nothing if the file is damaged, or does not hold what is asked for, or more of it."""
    with path.open("rb") as stream, np.load(stream, allow_pickle=False) as arrays:
        kept, start = json.loads(str(arrays["facts"])), int(arrays["start"])
        order, distances = arrays["order"].astype(np.int64), arrays["distances"]
    first, stop = map(int, path.stem.split("-"))
    is_asked_for = {**kept, "count": facts["count"]} == facts and kept["count"] >= facts["count"]
    is_whole = start == first and order.shape == distances.shape and order.shape[-2] == stop - first
    order, distances = order[..., : facts["count"]], distances[..., : facts["count"]]
    is_whole &= order.shape[-1] == facts["count"] and bool(np.isfinite(distances).all())
    is_whole &= order.min() >= 0 and order.max() < labelled
    return _by_query(start, (order, distances)) if is_asked_for and is_whole else {}


def _missing(known: Mapping[int, Found], queries: int, at_once: int) -> Iterator[range]:
    """Runs of queries that are not known yet, each at most so long."""
    todo = [q for q in range(queries) if q not in known]
    while todo:
        stop = next((i for i in range(1, len(todo)) if i == at_once or todo[i] != todo[i - 1] + 1), len(todo))
        yield range(todo[0], todo[stop - 1] + 1)
        todo = todo[stop:]


def _scan(search: Search, part: range, report: Told) -> Found:
    run: dict[str, Any] = {"n_threads": search.n_threads, "device": search.device}
    run["progress"] = lambda done, total: report(done / total)
    matrix = distance_matrix(search.queries[part.start : part.stop], search.labelled, search.options, **run)
    order = rank(matrix, search.permutation)[..., : search.count]
    return order, np.take_along_axis(matrix, order, axis=-1)


def distance_matrix(queries: Pixels, labelled: Pixels, options: Mapping[str, Any], **run: Any) -> Array:
    """All distances between two collections of pictures."""
    if options["distance"] == "total_variation" and queries.ndim == 4:
        a, b = _as_channels(queries), _as_channels(labelled)
        space: dict[str, Any] = {"support": np.arange(a.shape[1], dtype=np.float64)[:, None]}
    elif queries.ndim == 4:
        a, b = _as_clouds(queries), _as_clouds(labelled)
        space = {}
    else:
        a, b = _as_rows(queries), _as_rows(labelled)
        space = {"support": pixel_grid(*queries.shape[1:])}
    return np.asarray(rpw.pairwise(a, b, **space, **options, **run))


def _as_rows(images: Pixels) -> Array:
    """Grey pictures as histograms."""
    return images.reshape(len(images), -1).astype(np.float64)


def _as_clouds(images: Pixels) -> Array:
    """Colour pictures as points of position and colour, all of the same mass."""
    return np.stack([rpw.Measure.from_image(image).points for image in images])


def _as_channels(images: Pixels) -> Array:
    """Colour pictures as mass on pixels and channels, for TV as the authors take it: in the space of `from_image` few
    points coincide. A black picture has no mass, and counts as an evenly grey one."""
    rows = _as_rows(images)
    rows[rows.sum(axis=1) == 0] = 1
    return rows


def rank(matrix: Array, permutation: npt.NDArray[Any]) -> Ints:
    """For each row the columns from near to far; equal distances by their place in the permutation."""
    rows = [np.lexsort((permutation, row)) for row in matrix.reshape(-1, matrix.shape[-1])]
    return np.stack(rows).reshape(matrix.shape)


def _search(search: Search, part: range, bounds: Array, report: Told) -> Found:
    """For each query, pairs are solved from the lowest bound up, until no bound lies below the last distance kept."""
    found = []
    for done, q in enumerate(part):
        report(done / len(part))
        near, order = np.full(len(search.labelled), np.inf), np.argsort(bounds[q], kind="stable")
        for some in np.split(order, range(search.count, len(order), _PAIRS_AT_ONCE[search.kind])):
            if bounds[q, some].min(initial=np.inf) > np.partition(near, search.count - 1)[search.count - 1] + _MARGIN:
                break
            run: dict[str, Any] = {"n_threads": search.n_threads, "device": search.device}
            near[some] = distance_matrix(search.queries[q : q + 1], search.labelled[some], search.options, **run)
        found.append(near)
    order = rank(np.array(found), search.permutation)[:, : search.count]
    return order, np.take_along_axis(np.array(found), order, axis=1)
