"""The steps of a search: bounds by cuts, rounds, and answers that depend on neither."""

from pathlib import Path

import numpy as np
import pytest
from children import run

import rpw
from rpw import _core
from rpw.many.backends.core import CoreBackend
from rpw.many.batch import PairBatch
from rpw.many.collection import as_collection
from rpw.many.support import as_shared_ground
from rpw.pair.metrics import as_metric
from rpw.pair.question import as_question

INF = float("inf")
GROUNDS = ("points", "support", "cost")


def by_definition(multiplier, u, a, b, cost, p):
    """Where λ(1 - ε) - Σ a u - Σ b v meets ε^p, by bisection; costs and potentials in units of κ^p."""
    v = np.maximum(0, multiplier - (cost**p + u[:, None]).min(axis=0))
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        is_below = multiplier * (1 - middle) - a @ u - b @ v > middle**p
        low, high = (middle, high) if is_below else (low, middle)
    return low


def blobs(rng, count, side):
    """Pictures of a few strokes, as histograms on a grid."""
    x, y = np.mgrid[:side, :side] / side
    rows = []
    for centres in rng.random((count, 3, 2)):
        strokes = [np.exp(-((x - cx) ** 2 + (y - cy) ** 2) / 0.02) for cx, cy in centres]
        picture = np.sum(strokes, axis=0)
        rows.append(np.where(picture > 0.3, picture, 0).ravel())
    return np.array(rows), np.stack([x.ravel(), y.ravel()], axis=1)


def backend_on(ground, rng, p=2, k=1.0, count=9):
    """Three queries and some items, at places or with points of their own."""
    places = rng.random((30, 2))
    costs = np.linalg.norm(places[:, None] - places, axis=2)
    shared = {"points": (None, None), "support": (places, None), "cost": (None, costs)}[ground]
    space = as_shared_ground(*shared, as_metric("euclidean"))
    if ground == "points":
        measures = [rpw.Measure(rng.random((n, 2)), rng.random(n) + 0.1) for n in rng.integers(2, 14, count + 3)]
    else:
        measures = rng.random((count + 3, 30)) * (rng.random((count + 3, 30)) < 0.4) + 1e-9
    a, b = as_collection(measures[:3], "a", space), as_collection(measures[3:], "b", space)
    return CoreBackend(PairBatch(a, b, space, as_question(p=p, k=k, diameter=1)))


def costs_of(backend, s, t):
    """In units of κ."""
    batch = backend.batch
    a, b = batch.a.measure(s), batch.b.measure(t)
    return a.weights, b.weights, batch.ground.block(a.where, b.where) / batch.question.kappa


def all_pairs(backend):
    return tuple(index.ravel() for index in np.indices((len(backend.batch.a), len(backend.batch.b))))


def any_cut(rng, backend, query):
    """A multiplier and potentials, whoever's they might be."""
    n, scale = backend.batch.a.sizes[query], backend.batch.question.kappa**-backend.batch.question.p
    return scale * rng.random() / 4, scale * rng.random(n) * (rng.random(n) < 0.3) / 8


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize(("p", "k"), [(1, 1.0), (2, 0.1), (2, 10.0), (3, 1.0), (1.5, 0.3)])
def test_any_cut_bounds_every_pair(ground, p, k):
    rng = np.random.default_rng([3, GROUNDS.index(ground)])
    for _ in range(5):
        backend = backend_on(ground, rng, p, k)
        first, second = all_pairs(backend)
        distances, _ = backend.values(first, second, 1)
        each, cuts = [any_cut(rng, backend, query) for query in range(3)], backend.new_cuts()
        for query, cut in enumerate(each):
            cuts.add(query, *cut)
        mixed = backend.mixed_bounds(cuts, first, second, 2)
        assert (mixed <= distances + 1e-13).all()
        if ground == "points":
            continue
        found = backend.cut_bounds(cuts, np.zeros(3, dtype=np.int64), first, second, 2)
        expected = [by_definition(*each[s], *costs_of(backend, s, t), p) for s, t in zip(first, second, strict=True)]
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
        assert (mixed >= found - 1e-13).all()


def test_only_the_cuts_that_were_not_seen_are_asked():
    rng = np.random.default_rng(12)
    backend = backend_on("support", rng)
    first, second = all_pairs(backend)
    each, cuts = [[any_cut(rng, backend, query) for _ in range(4)] for query in range(3)], backend.new_cuts()
    for query, own in enumerate(each):
        for cut in own:
            cuts.add(query, *cut)
    cuts.forget(2)
    assert [cuts.count(query) for query in range(3)] == [4, 4, 0]
    found = backend.cut_bounds(cuts, np.array([1, 4, 0]), first, second, 2)
    expected = [
        max(by_definition(*cut, *costs_of(backend, 0, t), 2) for cut in each[0][1:]) for t in second[first == 0]
    ]
    np.testing.assert_allclose(found[first == 0], expected, rtol=0, atol=1e-12)
    assert (found[first > 0] == 0).all()


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("k", [0.1, 1.0, 10.0])
def test_the_cut_of_a_solved_pair_is_sharp_for_it(ground, k):
    rng = np.random.default_rng(4)
    backend = backend_on(ground, rng, k=k)
    first, second = all_pairs(backend)
    everything = backend.new_cuts()
    distances, failures = backend.values_within(first, second, np.full(len(first), 1.0), everything, 1)
    assert not failures
    np.testing.assert_array_equal(distances, backend.values(first, second, 1)[0])
    for e, distance in enumerate(distances):
        own, pair = backend.new_cuts(), (first[e : e + 1], second[e : e + 1])
        backend.values_within(*pair, np.ones(1), own, 1)
        assert backend.mixed_bounds(own, *pair, 1)[0] == pytest.approx(distance, abs=1e-9)
    for bounds in (backend.mixed_bounds(everything, first, second, 1), backend.bounds(first, second, 1)):
        assert (bounds <= distances + 1e-12).all()


@pytest.mark.parametrize("ground", ["support", "cost"])
@pytest.mark.parametrize(("p", "k"), [(1, 1.0), (2, 0.1), (2, 1.0), (2, 10.0), (3, 1.0), (INF, 1.0), (2, 0.0)])
def test_pictures_are_found_as_by_brute_force(ground, p, k):
    rng = np.random.default_rng(5)
    rows, grid = blobs(rng, 130, 9)
    rows[70] = rows[12]  # a tie
    space = {"support": grid} if ground == "support" else {"cost": np.linalg.norm(grid[:, None] - grid, axis=2)}
    queries, items = rows[:4], rows[4:]
    index, matrix = rpw.Index(items, p=p, k=k, **space), rpw.pairwise(queries, items, p=p, k=k, **space)
    order = np.argsort(matrix, axis=1, kind="stable")
    for n_threads in (1, 3):
        distances, indices = index.query(queries, top=7, n_threads=n_threads)
        np.testing.assert_array_equal(indices, order[:, :7])
        np.testing.assert_array_equal(distances, np.take_along_axis(matrix, order[:, :7], axis=1))
        for q in range(4):
            radius = matrix[q, order[q, 9]]
            near, which = index.radius_query(queries[q], radius, n_threads=n_threads)
            expected = order[q, : (matrix[q] <= radius).sum()]
            np.testing.assert_array_equal(which, expected)
            np.testing.assert_array_equal(near, matrix[q, expected])
    stats = index.stats
    assert stats.pairs == 2 * 8 * 126 == stats.solved + stats.bounded + stats.stopped_early


def test_few_pairs_are_begun():
    """Nearest neighbours and the potentials of the last pair alone began 0.107 of them, and these bounds 0.048."""
    rows, grid = blobs(np.random.default_rng(6), 410, 12)
    index = rpw.Index(rows[10:], support=grid)
    index.query(rows[:10], top=5, n_threads=1)
    assert index.stats.solved + index.stats.stopped_early < 0.08 * index.stats.pairs


def test_queries_that_wait_change_nothing(monkeypatch):
    rows, grid = blobs(np.random.default_rng(7), 60, 8)
    index, done = rpw.Index(rows[9:], support=grid), []
    expected = index.query(rows[:9], top=4)
    monkeypatch.setattr("rpw.many.search._PAIRS_AT_ONCE", 100)
    found = index.query(rows[:9], top=4, progress=lambda finished, total: done.append((finished, total)))
    for mine, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(mine, other)
    assert done == sorted(done)
    assert done[-1] == (9, 9)


@pytest.mark.parametrize("ground", GROUNDS)
def test_what_progress_raises_ends_the_search(ground):
    rng = np.random.default_rng(8)
    places = rng.random((40, 2))
    shared = {"points": {}, "support": {"support": places}}.get(
        ground, {"cost": np.linalg.norm(places[:, None] - places, axis=2)}
    )
    items = [rng.random((40, 2)) for _ in range(40)] if ground == "points" else rng.random((40, 40))

    def stop(done, total):
        raise KeyboardInterrupt

    index = rpw.Index(items, **shared)
    with pytest.raises(KeyboardInterrupt):
        index.query(items[:3], top=3, progress=stop)
    assert index.stats.pairs == 0
    assert index.query(items[:3], top=1)[1].ravel().tolist() == [0, 1, 2]


def test_measures_that_are_added_are_searched():
    rows, grid = blobs(np.random.default_rng(9), 50, 8)
    index = rpw.Index(rows[:20], support=grid)
    index.query(rows[30], top=3)
    index.add(rows[20:])
    distances, indices = index.query(rows[30:33], top=1)
    np.testing.assert_array_equal(indices[:, 0], [30, 31, 32])
    np.testing.assert_array_equal(distances, 0)


def large_backends(rng, p, k):
    """Two clouds so large that trees are asked first, as points and as places in a matrix."""
    clouds = [rng.random((2000, 2)), 0.9 * rng.random((2100, 2))]
    places = np.concatenate(clouds)
    rows = np.zeros((2, 4100))
    rows[0, :2000], rows[1, 2000:] = 1, 1
    for measures, support in ((clouds, None), (rows, places)):
        space = as_shared_ground(support, None, as_metric("euclidean"))
        a, b = (as_collection(measures[part], "a", space) for part in (slice(1), slice(1, 2)))
        yield CoreBackend(PairBatch(a, b, space, as_question(p=p, k=k, diameter=1)))


@pytest.mark.sample(1)
@pytest.mark.parametrize(("p", "k"), [(1, 1.0), (2, 0.1), (3, 1.0)])
def test_bounds_by_trees_are_those_of_a_matrix(p, k):
    rng = np.random.default_rng(10)
    on_points, on_places = large_backends(rng, p, k)
    only = np.zeros(1, dtype=np.int64)
    cuts = on_points.new_cuts()
    (distance,), _ = on_points.values_within(only, only, np.ones(1), cuts, 1)
    assert cuts.count(0) == 1
    sharp = on_points.mixed_bounds(cuts, only, only, 1)[0]
    assert sharp == pytest.approx(distance, rel=1e-9)
    for _ in range(4):  # more than are mixed
        cuts.add(0, *any_cut(rng, on_points, 0))
    (by_trees,), (by_matrix,) = (each.mixed_bounds(cuts, only, only, 1) for each in (on_points, on_places))
    assert by_trees == pytest.approx(by_matrix, rel=1e-9)
    assert 0 < by_trees <= distance
    by_neighbours = [_core_bound(each) for each in (on_points, on_places)]
    assert by_neighbours[0] == pytest.approx(by_neighbours[1], rel=1e-9)
    assert 0 < by_neighbours[0] <= distance


def _core_bound(backend):
    only = np.zeros(1, dtype=np.int64)
    return _core.neighbour_bounds(*backend._prepared, backend._question, only, only, 1, INF, None)[0]


@pytest.mark.thorough
def test_large_clouds_are_found_as_by_brute_force():
    rng = np.random.default_rng(11)
    clouds = [rng.random((2000 + 10 * s, 3)) * (1 + 0.02 * s) for s in range(30)]
    query = rng.random((2050, 3))
    index, matrix = rpw.Index(clouds, diameter=1), rpw.pairwise([query], clouds, diameter=1)[0]
    distances, indices = index.query(query, top=4)
    np.testing.assert_array_equal(indices, np.argsort(matrix)[:4])
    np.testing.assert_array_equal(distances, np.sort(matrix)[:4])
    assert index.stats.bounded > 10


PEAK = """
import numpy as np, rpw

rng = np.random.default_rng(0)
cloud = lambda n: rng.random((n, 2))
for p in (3, np.inf):  # bounds by nearest neighbours
    rpw.Index([cloud(16_000)], p=p, k=0.05, diameter=1).query(cloud(16_000), top=1, n_threads=1)
small = [cloud(200) + 0.3 for _ in range(30)]  # their cuts bound the large one
rpw.Index([*small, cloud(16_000)], k=0.1, diameter=1).query(cloud(16_000), top=1, n_threads=1)
with open("/proc/self/status") as lines:
    print(next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")))
"""


@pytest.mark.thorough
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak of memory is read from /proc")
def test_bounds_of_large_clouds_make_no_matrix():
    done = run("-c", PEAK)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 400_000  # kilobytes; a matrix would take 2 gigabytes
