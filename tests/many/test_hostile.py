"""Arguments that nobody sane would pass: shared arrays, millions of threads, counts that are none."""

from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest
from checks import ragged_clouds as clouds

import rpw

INF = float("inf")


# ---------------------------------------------------------------- arrays stay the caller's


@pytest.mark.parametrize("name", ["support", "cost"])
def test_an_index_does_not_share_arrays_with_its_caller(name):
    rng = np.random.default_rng(0)
    places, rows = rng.random((6, 2)), rng.random((9, 6))
    space = places if name == "support" else np.abs(places[:, :1] - places[:, 0])
    index = rpw.Index(rows, **{name: space})
    before = index.query(rows[0], top=9)
    space *= 7
    rows[1:] = rows[0]
    for mine, theirs in zip(before, index.query(rows[0], top=9), strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("mode", ["distance", "neighbors"])
@pytest.mark.parametrize("kind", ["support", "cost", "points"])
def test_a_transformer_does_not_share_arrays_with_its_caller(mode, kind):
    pytest.importorskip("sklearn")
    from rpw.sklearn import RPWTransformer

    rng = np.random.default_rng(0)
    if kind == "points":
        X, space = rng.random((9, 5, 2)), {}
    else:
        X, places = rng.random((9, 6)), rng.random((6, 2))
        space = {kind: places if kind == "support" else np.abs(places[:, :1] - places[:, 0])}
    queries = X[:3].copy()
    model = RPWTransformer(mode, n_neighbors=2, **space).fit(X)
    before = model.transform(queries)
    X[:] = X[0]
    for array in space.values():
        array *= 7
    after = model.transform(queries)
    if mode == "neighbors":
        before, after = before.toarray(), after.toarray()
    np.testing.assert_array_equal(before, after)


# ---------------------------------------------------------------- errors that travel


def test_an_error_of_pairs_survives_pickling(tmp_path):
    far = [[[0.0]], [[1.7e308]], [[-1.7e308]]]
    with ProcessPoolExecutor(1) as pool:
        with pytest.raises(rpw.PairwiseError, match=r"pair \(1, 2\) failed") as caught:
            pool.submit(rpw.pairwise, far).result(timeout=60)
        assert pool.submit(abs, -1).result(timeout=60) == 1  # the pool lives
    assert caught.value.failures[0][:2] == (1, 2)
    assert np.isnan(caught.value.distances[1, 2])


# ---------------------------------------------------------------- numbers


@pytest.mark.parametrize("bad", [INF, -INF, float("nan"), 0, -1, 1.5, "a", pytest.param(10**400, id="huge")])
def test_counts_that_are_none_are_named(bad):
    A = clouds(4, 3)
    index = rpw.Index(A)
    with pytest.raises(ValueError, match="n_threads"):
        rpw.pairwise(A, n_threads=bad)
    with pytest.raises(ValueError, match="n_threads"):
        index.query(A, n_threads=bad)
    with pytest.raises(ValueError, match="top"):
        index.query(A, top=bad)


def test_a_million_threads_are_not_started():
    A, metric = clouds(12, 3), lambda x, y: float(np.abs(x - y).sum())
    for options in ({}, {"metric": metric}):
        np.testing.assert_array_equal(rpw.pairwise(A, n_threads=10**6, **options), rpw.pairwise(A, **options))
        index = rpw.Index(A, n_threads=10**6, **options)
        np.testing.assert_array_equal(index.query(A, n_threads=10**6)[0], index.query(A)[0])


def test_a_million_threads_are_not_started_for_a_store(tmp_path):
    pytest.importorskip("zarr")
    A = clouds(12, 3)
    np.testing.assert_array_equal(rpw.pairwise(A, n_threads=10**6, out=tmp_path / "D")[:], rpw.pairwise(A))


def test_bad_parameters_of_the_transformer_are_named():
    pytest.importorskip("sklearn")
    from rpw.sklearn import RPWTransformer

    X = np.random.default_rng(0).random((6, 5))
    model = RPWTransformer("neighbors", n_neighbors=2, support="line").fit(X)
    for bad in (-1, 1.5, "a", None, 0, INF):
        with pytest.raises(ValueError, match="n_neighbors"):
            RPWTransformer("neighbors", n_neighbors=bad, support="line").fit_transform(X)
        with pytest.raises(ValueError, match="n_neighbors"):
            model.set_params(n_neighbors=bad).transform(X)
    with pytest.raises(ValueError, match="mode"):
        RPWTransformer(support="line").fit(X).set_params(mode="foo").transform(X)


def test_a_pair_that_fails_in_a_search_is_named():
    index = rpw.Index([[[0.0]], [[1.0]], [[2.0]]])
    with pytest.raises((ValueError, RuntimeError), match=r"query 1 and measure 0 failed: the points are too far apart"):
        index.query([[[0.5]], [[1.7e308], [-1.7e308]]], top=1, n_threads=1)
    far = rpw.Index([[[0.0]], [[1.0]], [[-1.7e308]]])
    with pytest.raises((ValueError, RuntimeError), match=r"query 0 and measure 2 failed: the points are too far apart"):
        far.query([[1.7e308]], top=1)
