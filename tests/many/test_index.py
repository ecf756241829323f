"""The index gives the answers of brute force, always, and says how little it had to solve."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import measures

import rpw

INF = float("inf")


def clouds(rng, count, dimension=2, grid=False):
    """Clouds of different sizes; on a grid, with many equal distances."""
    sizes = rng.integers(1, 12, count)
    if grid:
        return [rng.integers(0, 3, (n, dimension)) / 2 for n in sizes]
    return [rng.random((n, dimension)) for n in sizes]


def brute_force(queries, items, top, **options):
    matrix = rpw.pairwise(queries, items, **options)
    order = np.argsort(matrix, axis=1, kind="stable")[:, :top]
    return np.take_along_axis(matrix, order, axis=1), order


@pytest.mark.parametrize("grid", [False, True])
@pytest.mark.parametrize(("p", "k"), [(1, 1), (2, 1), (2, 0.1), (2, 10), (3, 1), (INF, 1), (2, 0)])
def test_same_as_brute_force(grid, p, k):
    rng = np.random.default_rng([grid, 0])
    items, queries = clouds(rng, 60, grid=grid), clouds(rng, 12, grid=grid)
    index = rpw.Index(items, p=p, k=k)
    for top in (1, 7, 60):
        distances, indices = index.query(queries, top=top)
        expected, order = brute_force(queries, items, top, p=p, k=k)
        assert np.array_equal(distances, expected)
        assert np.array_equal(indices, order)
    stats = index.stats
    assert stats.pairs == 3 * 60 * 12 == stats.solved + stats.bounded + stats.stopped_early


@given(measures(count=9, most=4), st.sampled_from((1.0, 2.0, INF)), st.sampled_from((0.3, 1.0, 5.0)))
def test_same_as_brute_force_with_ties_and_weights(collection, p, k):
    items = [rpw.Measure(m.points, m.weights) for m in collection]
    index = rpw.Index(items[2:], p=p, k=k)
    distances, indices = index.query(items[:2], top=3)
    expected, order = brute_force(items[:2], items[2:], 3, p=p, k=k)
    assert np.array_equal(distances, expected)
    assert np.array_equal(indices, order)


@pytest.mark.parametrize(("p", "k"), [(1, 1), (2, 10), (INF, 1), (2, 0)])
def test_threads_share_a_query_without_changing_it(p, k):
    rng = np.random.default_rng(3)
    items = clouds(rng, 50, grid=True)  # many equal distances: the lower index must win whoever comes first
    index = rpw.Index(items, p=p, k=k)
    for s in range(6):
        query = rng.integers(0, 3, (7, 2)) / 2
        expected, order = brute_force([query], items, 5, p=p, k=k)
        for n_threads in (1, 2, 7):
            distances, indices = index.query(query, top=5, n_threads=n_threads)
            assert np.array_equal(distances, expected[0])
            assert np.array_equal(indices, order[0])
            near, at = index.radius_query(query, expected[0, 3], n_threads=n_threads)
            assert np.array_equal(near[:4], expected[0, :4])
            assert set(order[0, :4]) <= set(at)
        stats = index.stats
        assert stats.pairs == 300 * (s + 1) == stats.solved + stats.bounded + stats.stopped_early


def test_distances_are_those_of_distance_bit_for_bit():
    rng = np.random.default_rng(1)
    items, query = clouds(rng, 30), rng.random((8, 2))
    distances, indices = rpw.Index(items).query(query, top=5)
    assert distances.shape == indices.shape == (5,)
    assert [rpw.distance(query, items[i]) for i in indices] == distances.tolist()


@pytest.mark.parametrize(("p", "k"), [(1, 1), (2, 1), (2, 10), (3, 2)])
def test_same_as_brute_force_between_more_points(p, k):
    """From thirty points on, pairs are given up before their first solve is finished; the others keep their bits."""
    rng = np.random.default_rng([4, p, k])
    measures = [
        rpw.Measure(rng.random((n, 2)) + 0.1 * rng.random(2), rng.dirichlet(np.ones(n)))
        for n in rng.integers(33, 60, 44)
    ]
    queries, items = measures[:4], measures[4:]
    index = rpw.Index(items, p=p, k=k)
    distances, indices = index.query(queries, top=3)
    expected, order = brute_force(queries, items, 40, p=p, k=k)
    assert np.array_equal(distances, expected[:, :3])
    assert np.array_equal(indices, order[:, :3])
    assert index.stats.stopped_early > 20
    for place in (2, 20):  # the radius is the distance of that item, which must be found
        near, at = index.radius_query(queries[0], expected[0, place])
        assert np.array_equal(near, expected[0, : place + 1])
        assert np.array_equal(at, order[0, : place + 1])


@pytest.mark.parametrize("shared", ["support", "cost"])
def test_histograms_on_a_shared_space(shared):
    rng = np.random.default_rng(2)
    places = rng.random((16, 2))
    space = {"support": places} if shared == "support" else {"cost": np.abs(places[:, :1] - places[:, 0])}
    rows = rng.random((40, 16)) * (rng.random((40, 16)) < 0.4) + np.eye(16)[rng.integers(16, size=40)]
    index = rpw.Index(rows[5:], **space)
    distances, indices = index.query(rows[:5], top=4)
    expected, order = brute_force(rows[:5], rows[5:], 4, **space)
    assert np.array_equal(distances, expected)
    assert np.array_equal(indices, order)
    one, _ = index.query(rows[0], top=4)
    assert np.array_equal(one, distances[0])


@pytest.mark.parametrize("metric", ["cityblock", "canberra", lambda u, v: float(np.abs(u - v).max())])
def test_other_metrics(metric):
    rng = np.random.default_rng(3)
    items, queries = clouds(rng, 12), clouds(rng, 3)
    distances, indices = rpw.Index(items, metric=metric).query(queries, top=4)
    expected, order = brute_force(queries, items, 4, metric=metric)
    assert np.array_equal(distances, expected)
    assert np.array_equal(indices, order)


def test_radius_query():
    rng = np.random.default_rng(4)
    items, queries = clouds(rng, 40), clouds(rng, 4)
    matrix = rpw.pairwise(queries, items)
    index = rpw.Index(items)
    for radius in (0.0, 0.2, float(matrix[1, 7]), 1.0):
        distances, indices = index.radius_query(queries, radius)
        assert isinstance(distances, list)
        assert isinstance(indices, list)
        for row, near, which in zip(matrix, distances, indices, strict=True):
            inside = np.argsort(row, kind="stable")[: (row <= radius).sum()]
            assert np.array_equal(which, inside)
            assert np.array_equal(near, row[inside])
    assert [len(column) for column in index.radius_query(queries[:1], 0.2)] == [1, 1]
    distances, indices = index.radius_query(queries[0], 0.2)
    assert distances.ndim == indices.ndim == 1


def test_a_table_of_another_library_is_one_query():
    class Table:
        ndim = 2

        def __array__(self, dtype=None, copy=None):
            return np.array([[0.5], [1.0]])

    index = rpw.Index([[[0.0]], [[1.0]]])
    assert index.query(Table())[0].tolist() == index.query(np.array([[0.5], [1.0]]))[0].tolist()


def test_parameters_can_be_read_and_not_written():
    metric = "cityblock"
    index = rpw.Index(clouds(np.random.default_rng(9), 5), p=3, k=7, metric=metric, diameter="auto")
    assert (index.p, index.k, index.metric) == (3, 7, metric)  # k as given, not from k times diameter
    for name in ("p", "k", "metric", "diameter"):
        with pytest.raises(AttributeError):
            setattr(index, name, 1)


def test_stats_add_up_over_searches():
    rng = np.random.default_rng(10)
    index = rpw.Index(clouds(rng, 20))
    for searches in (1, 2, 3):
        index.query(clouds(rng, 2), top=3)
        stats = index.stats
        assert stats.pairs == searches * 2 * 20 == stats.solved + stats.bounded + stats.stopped_early


def test_adding_measures_keeps_the_diameter():
    rng = np.random.default_rng(5)
    items, queries = clouds(rng, 30), clouds(rng, 4)
    index = rpw.Index(items[:10], diameter="auto")
    fixed = index.diameter
    index.add(items[10:])
    assert (len(index), index.diameter) == (30, fixed)
    expected, order = brute_force(queries, items, 5, diameter=fixed)
    distances, indices = index.query(queries, top=5)
    assert np.array_equal(distances, expected)
    assert np.array_equal(indices, order)


@pytest.mark.parametrize("space", ["points", "support", "cost"])
def test_save_and_load(tmp_path, space):
    rng = np.random.default_rng(6)
    if space == "points":
        items, queries, options = clouds(rng, 20), clouds(rng, 3), {}
    else:
        items, queries, places = rng.random((20, 9)), rng.random((3, 9)), rng.random((9, 2))
        options = {"support": places} if space == "support" else {"cost": np.abs(places[:, :1] - places[:, 0])}
    index = rpw.Index(items, p=1, k=3, diameter=2.0, **options)
    index.save(tmp_path / "saved")
    again = rpw.Index.load(tmp_path / "saved")
    assert (len(again), again.diameter, repr(again)) == (20, 2.0, repr(index))
    for mine, theirs in zip(index.query(queries, top=6), again.query(queries, top=6), strict=True):
        assert np.array_equal(mine, theirs)
    again.add(items[:2])
    assert len(again) == 22
    assert (again.p, again.k, again.metric) == (1, 3, "euclidean")
    assert [path.name for path in tmp_path.iterdir()] == ["saved"]


def test_files_that_are_no_index_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError):
        rpw.Index.load(tmp_path / "nothing")
    good = tmp_path / "good"
    rpw.Index(clouds(np.random.default_rng(7), 5)).save(good)
    whole = good.read_bytes()
    with np.load(good) as stored:
        arrays = {name: stored[name] for name in stored.files}
    damaged = {
        "empty": b"",
        "text": b"not an index",
        "cut": whole[: len(whole) // 2],
        "flipped": whole[:200] + bytes(b ^ 255 for b in whole[200:260]) + whole[260:],
    }
    for name, content in damaged.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ValueError, match=name):
            rpw.Index.load(tmp_path / name)
    for name, change in {
        "future": {"about": np.array(json.dumps({"format": "rpw index", "version": 99, "distance": {}}))},
        "short": {"mass": arrays["mass"][:-1]},
        "negative": {"mass": -arrays["mass"]},
        "pickled": {"about": np.array([{"a": 1}], dtype=object)},
    }.items():
        np.savez(tmp_path / f"{name}.npz", **{**arrays, **change})
        with pytest.raises(ValueError, match=name) as error:
            rpw.Index.load(tmp_path / f"{name}.npz")
        assert "allow_pickle" not in str(error.value)


def test_what_is_no_index_is_called_so(tmp_path):
    (tmp_path / "table.csv").write_text("1,2\n")
    (tmp_path / "folder").mkdir()
    np.save(tmp_path / "array.npy", np.ones(3))
    np.savez(tmp_path / "arrays.npz", points=np.ones((3, 2)))
    np.savez(tmp_path / "objects.npz", points=np.array([{}], dtype=object))
    np.savez(tmp_path / "about.npz", about=np.array("a story"))
    np.savez(tmp_path / "other.npz", about=np.array(json.dumps({"format": "song", "version": 1})))
    for path in tmp_path.iterdir():
        with pytest.raises(ValueError, match=rf"{path.name} is not an rpw index") as error:
            rpw.Index.load(path)
        assert "pickle" not in str(error.value)
        assert "about'" not in str(error.value)


def test_callable_metrics_are_not_saved(tmp_path):
    index = rpw.Index([[[0.0]], [[1.0]]], metric=lambda u, v: float(abs(u - v).sum()))
    with pytest.raises(ValueError, match="callable"):
        index.save(tmp_path / "index")


def test_bad_arguments_are_named():
    index = rpw.Index([[[0.0]], [[1.0]]])
    assert index.query([[0.5]], top=3)[1].tolist() == [0, 1]
    for top in (0, -1, 1.5, "two", None):
        with pytest.raises(ValueError, match="top"):
            index.query([[0.5]], top=top)
    with pytest.raises(ValueError, match="radius"):
        index.radius_query([[0.5]], -1)
    with pytest.raises(ValueError, match="the index has points of dimension 1, and q has points of dimension 2"):
        index.query(np.zeros((3, 2)), top=1)
    with pytest.raises(ValueError, match="the index has points of dimension 1, and measures has points of dimension 2"):
        index.add(np.zeros((1, 3, 2)))
    for empty in ([], (), np.empty((0, 3, 1))):
        with pytest.raises(ValueError, match="q is an empty collection"):
            index.query(empty)
    with pytest.raises(ValueError, match="q is an empty collection"):
        rpw.Index(np.eye(3), cost=1 - np.eye(3)).query([])
    with pytest.raises(ValueError, match="measures is one set of points: pass a list") as error:
        index.add(np.zeros((3, 1)))
    assert "support=" not in str(error.value)
    with pytest.raises(ValueError, match="n_threads"):
        index.query([[0.5]], top=1, n_threads=0)
    with pytest.raises(ValueError, match="measures"):
        rpw.Index([])


@pytest.mark.parametrize("name", ["n_pivots", "assume_metric"])
def test_arguments_of_earlier_searches_are_gone(name):
    with pytest.raises(TypeError, match=f"unexpected keyword argument '{name}'"):
        rpw.Index([[[0.5]]], **{name: None})


def test_most_pairs_are_never_solved():
    rng = np.random.default_rng(8)
    centres = rng.random((200, 2)) * 4
    items = [centre + 0.05 * rng.random((20, 2)) for centre in centres]
    index = rpw.Index(items)
    index.query(items[:10], top=3)
    assert index.stats.solved < 0.2 * index.stats.pairs


# ---------------------------------------------------------------- what an index has prepared


CALLED = []


def counting(x, y):
    CALLED.append(1)
    if x[0] == 99 or y[0] == 99:
        raise ZeroDivisionError("ninety-nine")
    return float(np.abs(x - y).max())


def test_the_support_is_measured_once_for_all_queries():
    places, rows = np.arange(6.0)[:, None], np.random.default_rng(2).random((8, 6))
    index = rpw.Index(rows[:4], support=places, metric=counting, diameter=5)
    index.query(rows[4], top=2)
    CALLED.clear()
    for row in rows[4:]:
        index.query(row, top=2)
        index.radius_query(row, 0.4)
    index.add(rows[6:7])
    distances, indices = index.query(rows[6], top=5)
    assert CALLED == []
    assert (distances[0], indices[0]) == (0, 4)  # what was added is found


def test_places_that_come_with_a_query_are_found():
    """Of a large support, only places with mass are measured; a query may have others."""
    places = np.linspace(0, 1, 3000)
    rows = np.zeros((4, 3000))
    rows[0, :3] = rows[1, 1000:1003] = rows[2, 2000:2010] = rows[3, 2995:] = 1
    index = rpw.Index(rows[:3], support=places, p=1, diameter=1)
    for query in (rows[1], rows[3], rows[0], rows[3]):
        distances, indices = index.query(query, top=3)
        at = [rpw.Measure.from_histogram(row, places) for row in (query, *rows[indices])]
        expected = [rpw.distance(at[0], other, p=1) for other in at[1:]]
        np.testing.assert_allclose(distances, expected, rtol=0, atol=1e-12)
        assert indices[0] == min(2, np.flatnonzero((rows == query).all(axis=1))[0])


def test_counts_add_up_after_a_failure():
    good, bad = np.array([[1.0], [2.0]]), np.array([[99.0], [3.0]])
    index = rpw.Index([good], metric=counting, diameter=100)
    with pytest.raises(RuntimeError, match=r"query 0 and measure 0 failed: .*ninety-nine"):
        index.query(bad)
    index.query(good, top=1)
    stats = index.stats
    assert stats.pairs == stats.solved + stats.bounded + stats.stopped_early == 1


def test_an_index_pickles_after_use():
    import pickle

    places, rows = np.arange(6.0)[:, None], np.random.default_rng(2).random((8, 6))
    index = rpw.Index(rows[:4], support=places, diameter=5)
    expected = index.query(rows[5], top=3)
    copy = pickle.loads(pickle.dumps(index))
    for mine, theirs in zip(expected, copy.query(rows[5], top=3), strict=True):
        np.testing.assert_array_equal(mine, theirs)
