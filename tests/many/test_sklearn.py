"""RPW in scikit-learn: its own estimator checks, and the estimators people put behind the transformer."""

import warnings
from unittest import SkipTest

import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn")

from scipy.sparse import csr_array  # noqa: E402
from sklearn.base import clone  # noqa: E402
from sklearn.cluster import DBSCAN  # noqa: E402
from sklearn.neighbors import KNeighborsClassifier  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.utils.estimator_checks import estimator_checks_generator  # noqa: E402

import rpw  # noqa: E402
from rpw.sklearn import RPWTransformer  # noqa: E402

# The data of these checks have rows that sum to 0, which are no measures: refused on purpose.
ROWS_OF_ZEROS = {
    "check_estimators_dtypes",
    "check_estimator_sparse_tag",
    "check_estimator_sparse_array",
    "check_estimator_sparse_matrix",
}


@pytest.mark.sample(1)
@pytest.mark.parametrize(("mode", "ks"), [("distance", None), ("neighbors", None), ("distance", [0.1, 1])])
def test_estimator_checks(mode, ks):
    failed = {}
    for estimator, check in estimator_checks_generator(RPWTransformer(mode, n_neighbors=2, support="line", ks=ks)):
        name = getattr(check, "func", check).__name__
        try:
            check(estimator)
        except SkipTest:
            continue
        except Exception as error:
            failed[name] = f"{error.__cause__ or error!r:.300}"
    assert set(failed) == ROWS_OF_ZEROS, failed
    assert all("sums to 0" in reason for reason in failed.values())


def two_kinds(rng, count):
    """Clouds around 0 and clouds around 1, of different sizes, each with an outlier."""
    labels = rng.integers(0, 2, count)
    clouds = [np.vstack([rng.normal(label, 0.1, (rng.integers(5, 9), 2)), [[9.0, 9.0]]]) for label in labels]
    return clouds, labels


def test_neighbours_classify_clouds_with_outliers():
    rng = np.random.default_rng(0)
    clouds, labels = two_kinds(rng, 40)
    tests, truth = two_kinds(rng, 12)
    for mode in ("distance", "neighbors"):
        model = make_pipeline(RPWTransformer(mode, n_neighbors=3), KNeighborsClassifier(3, metric="precomputed"))
        model.fit(clouds, labels)
        assert (model.predict(tests) == truth).all()


def test_graph_holds_the_distances():
    rng = np.random.default_rng(1)
    clouds, _ = two_kinds(rng, 15)
    matrix = RPWTransformer("distance").fit_transform(clouds)
    assert np.array_equal(matrix, rpw.pairwise(clouds, clouds))
    graph = RPWTransformer("neighbors", n_neighbors=4).fit_transform(clouds)
    assert graph.shape == matrix.shape
    assert (np.diff(graph.indptr) == 5).all()
    for row in range(len(clouds)):
        near = graph.indices[graph.indptr[row] : graph.indptr[row + 1]]
        assert np.array_equal(graph.data[graph.indptr[row] : graph.indptr[row + 1]], matrix[row, near])
        assert matrix[row, near].max() <= np.delete(matrix[row], near).min()


def test_clusters_of_a_precomputed_matrix():
    rng = np.random.default_rng(2)
    clouds, labels = two_kinds(rng, 30)
    found = DBSCAN(eps=0.25, min_samples=3, metric="precomputed").fit_predict(RPWTransformer().fit_transform(clouds))
    assert set(found) == {0, 1}
    assert len(set(zip(found, labels, strict=True))) == 2


@pytest.mark.parametrize("mode", ["distance", "neighbors"])
def test_an_array_of_clouds(mode):
    rng = np.random.default_rng(4)
    clouds, others = rng.random((9, 6, 2)), rng.random((4, 8, 2))  # the others have more points
    model = RPWTransformer(mode, n_neighbors=8).fit(clouds)
    for given in (clouds, others):
        found = model.transform(given)
        expected = rpw.pairwise(given, clouds)
        assert np.array_equal(found if mode == "distance" else found.toarray(), expected)
    with pytest.raises(ValueError, match="dimension"):
        model.transform(rng.random((2, 6, 3)))
    with pytest.raises(ValueError, match="dim"):
        RPWTransformer(mode, support=rng.random((6, 2))).fit(clouds)  # on a support, rows are histograms


def test_histograms_on_a_support():
    rng = np.random.default_rng(3)
    rows, support = rng.random((6, 9)), rng.random((9, 2))
    matrix = RPWTransformer(support=support).fit(rows).transform(rows[:2])
    assert np.array_equal(matrix, rpw.pairwise(rows[:2], rows, support=support))


def test_a_table_needs_to_know_what_it_stands_on():
    rows = np.random.default_rng(5).random((4, 9))
    pandas = type("Table", (), {"ndim": 2, "__array__": lambda self, *_, **__: rows})()  # as other libraries have it
    for table in (rows, rows.tolist(), csr_array(rows), pandas):
        with pytest.raises(ValueError, match=r"two-dimensional.*support='line'"):
            RPWTransformer().fit(table)
    places = np.arange(9) / 8
    expected = rpw.pairwise(rows, support=places)
    assert np.array_equal(RPWTransformer(support="line").fit_transform(rows), rpw.pairwise(rows, rows, support=places))
    assert np.allclose(RPWTransformer(support="line").fit_transform(rows), expected)
    with pytest.raises(ValueError, match="'line', got 'circle'"):
        RPWTransformer(support="circle").fit(rows)
    with pytest.raises(ValueError, match="either support or cost"):
        RPWTransformer(support="line", cost=np.ones((9, 9))).fit(rows)


def test_rows_of_images_need_their_pixels():
    """On the line, a picture moved down by one row is far from itself; on its pixels it is near."""
    grid = np.indices((6, 6)).reshape(2, -1).T / np.hypot(5, 5)
    pictures = np.zeros((3, 6, 6))
    pictures[0, 1:3, 1:3] = pictures[1, 2:4, 1:3] = pictures[2, 1:3, 2:4] = 1  # a block; moved down; moved right
    rows = pictures.reshape(3, -1)
    near = RPWTransformer(support=grid).fit_transform(rows)
    assert near[0, 1] == pytest.approx(near[0, 2])
    line = RPWTransformer(support="line").fit_transform(rows)
    assert line[0, 1] > 1.5 * line[0, 2]


OTHERS = {
    "rpw": {"p": 1, "k": 0.5},
    "wasserstein": {"p": 1},
    "partial_wasserstein": {"mass": 0.8},
    "total_variation": {},
    "levy_prokhorov": {},
    "robot": {"lam": 0.1},
}


@pytest.mark.parametrize("name", OTHERS)
def test_any_distance(name):
    rng = np.random.default_rng(6)
    clouds, others = rng.random((9, 6, 2)), rng.random((4, 8, 2))
    expected = rpw.pairwise(others, clouds, distance=name, **OTHERS[name])
    matrix = RPWTransformer(distance=name, **OTHERS[name]).fit(clouds).transform(others)
    assert np.array_equal(matrix, expected)
    graph = RPWTransformer("neighbors", 2, distance=name, **OTHERS[name]).fit(clouds).transform(others)
    assert graph.shape == expected.shape
    for row, near in enumerate(np.argsort(expected, axis=1, kind="stable")[:, :3]):
        stretch = slice(graph.indptr[row], graph.indptr[row + 1])
        assert graph.indices[stretch].tolist() == near.tolist()
        assert np.array_equal(graph.data[stretch], expected[row, near])


def test_a_distance_without_what_it_needs_is_refused_when_fitted():
    clouds = np.random.default_rng(7).random((3, 6, 2))
    for options, message in [
        ({"distance": "manhattan"}, "unknown distance"),
        ({"distance": "robot"}, "lam"),
        ({"mass": 0.5}, "mass"),
    ]:
        with pytest.raises(ValueError, match=message):
            RPWTransformer(**options).fit(clouds)


def test_the_diameter_warns_once_and_only_where_it_matters():
    clouds = 50 * np.random.default_rng(8).random((5, 6, 2))
    for options, count in [({}, 1), ({"diameter": 1}, 0), ({"diameter": "auto"}, 0), ({"distance": "wasserstein"}, 0)]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = RPWTransformer(**options)
            model.fit(clouds)
            model.transform(clouds)
        assert [str(one.message)[:20] for one in caught] == ["the points span more"] * count


def test_columns_have_names():
    clouds = np.random.default_rng(9).random((3, 6, 2))
    for mode in ("distance", "neighbors"):
        model = RPWTransformer(mode).fit(clouds)
        assert model.get_feature_names_out().tolist() == ["rpwtransformer0", "rpwtransformer1", "rpwtransformer2"]
    assert isinstance(RPWTransformer().set_output(transform="default").fit_transform(clouds), np.ndarray)


def test_output_as_a_table():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(10)
    rows = pandas.DataFrame(rng.random((3, 9)), index=["a", "b", "c"])
    table = RPWTransformer(support="line").set_output(transform="pandas").fit(rows).transform(rows[1:])
    assert table.index.tolist() == ["b", "c"]
    assert table.columns.tolist() == ["rpwtransformer0", "rpwtransformer1", "rpwtransformer2"]
    plain = RPWTransformer(support="line").fit(rows).transform(rows[1:])
    assert np.array_equal(table.to_numpy(), plain)
    clouds = [rng.random((n, 2)) for n in (3, 4)]
    assert RPWTransformer().set_output(transform="pandas").fit_transform(clouds).shape == (2, 2)


def test_sparse_rows_are_histograms():
    rng = np.random.default_rng(11)
    rows = rng.random((6, 9)) * (rng.random((6, 9)) < 0.6)
    support = rng.random((9, 2))
    dense = RPWTransformer(support=support).fit(rows).transform(rows[:2])
    assert np.array_equal(RPWTransformer(support=support).fit(csr_array(rows)).transform(csr_array(rows[:2])), dense)


def test_unknown_mode_is_refused():
    with pytest.raises(ValueError, match="mode"):
        RPWTransformer("nearest").fit(np.ones((3, 3)))


@pytest.mark.parametrize("mode", ["distance", "neighbors"])
def test_device(on_host, mode):
    """On the host's stand-in for a GPU."""
    clouds, _ = two_kinds(np.random.default_rng(7), 8)
    expected = RPWTransformer(mode, n_neighbors=3).fit_transform(clouds)
    assert not on_host.launched
    found = RPWTransformer(mode, n_neighbors=3, device="cuda").fit_transform(clouds)
    assert on_host.launched
    if mode == "neighbors":
        assert np.array_equal(found.indices, expected.indices)
        found, expected = found.data, expected.data
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_other_distances_on_a_device(on_host):
    clouds, _ = two_kinds(np.random.default_rng(8), 5)
    options = {"distance": "wasserstein", "p": 1}
    found = RPWTransformer(device="cuda:1", **options).fit_transform(clouds)
    assert on_host.launched
    np.testing.assert_allclose(found, RPWTransformer(**options).fit_transform(clouds), rtol=0, atol=1e-11)
    with pytest.raises(ValueError, match="device must be 'cpu', 'cuda'"):
        RPWTransformer(device="gpu", **options).fit(clouds)


@pytest.mark.parametrize("mode", ["distance", "neighbors"])
@pytest.mark.parametrize("asked", [{}, {"ks": [1, 2]}, {"distance": "wasserstein"}], ids=["rpw", "several k", "w"])
def test_errors_call_x_by_its_name(mode, asked):
    rng = np.random.default_rng(0)
    rows, clouds = rng.random((5, 4)), rng.random((5, 6, 2))
    empty = rows * (np.arange(5) != 2)[:, None]
    model = RPWTransformer(mode=mode, n_neighbors=2, **asked)
    on_line = clone(model).set_params(support="line")
    for wrong in (empty, csr_array(empty)):
        with pytest.raises(ValueError, match=r"^X\[2\] sums to 0"):
            clone(on_line).fit(wrong)
        with pytest.raises(ValueError, match=r"^X\[2\] sums to 0"):
            clone(on_line).fit(rows).transform(wrong)
    for space in ({"support": clouds[0][:3]}, {"cost": np.ones((3, 3)) - np.eye(3)}):
        with pytest.raises(ValueError, match=r"^X must hold histograms on the shared support, shape \(B, 3\)"):
            clone(model).set_params(**space).fit(rows)
    with pytest.raises(ValueError, match=r"^X has points of dimension 3, and X of fit had points of dimension 2"):
        clone(model).fit(clouds).transform(rng.random((2, 6, 3)))


CHANGED = {
    "k": ({}, {"k": 10}),
    "k of several": ({"ks": [1, 10]}, {"k": 10}),
    "p": ({}, {"p": 1}),
    "diameter": ({}, {"diameter": 3.0}),
    "diameter of the data": ({}, {"diameter": "auto"}),
    "distance": ({}, {"distance": "wasserstein"}),
    "mass": ({"distance": "partial_wasserstein", "mass": 0.5}, {"mass": 0.7}),
    "lam": ({"distance": "robot", "lam": 0.5}, {"lam": 0.7}),
    "metric": ({}, {"metric": "cityblock"}),
    "device": ({}, {"device": "cuda"}),
    "support": ({"support": np.arange(4.0)}, {"support": np.arange(4.0) ** 2}),
    "support for points": ({}, {"support": np.arange(4.0)}),
    "cost": ({"cost": 1 - np.eye(4)}, {"cost": 2 - 2 * np.eye(4)}),
    "cost for a support": ({"support": "line"}, {"support": None, "cost": 1 - np.eye(4)}),
}


@pytest.mark.parametrize("mode", ["distance", "neighbors"])
@pytest.mark.parametrize("name", CHANGED)
def test_what_was_fitted_answers_for_nothing_else(name, mode):
    """One mode gave the distances of the new parameter, and the other those of the old one."""
    before, after = CHANGED[name]
    rng = np.random.default_rng(9)
    of_rows = "support" in before or "cost" in before
    X = rng.random((6, 4)) + 0.1 if of_rows else rng.random((6, 4, 2))
    if name != "diameter of the data" and "distance" not in before and "distance" not in after:
        before = {"diameter": 1.0, **before}
    model = RPWTransformer(mode, n_neighbors=2, **before).fit(X)
    expected = model.transform(X)
    model.set_params(**after)
    with pytest.raises(ValueError, match=rf"^({'|'.join(after)}) was .* in fit and is .* now: call fit again"):
        model.transform(X)
    same = model.set_params(**{each: before.get(each, getattr(RPWTransformer(), each)) for each in after})
    assert (same.transform(X) != expected).sum() == 0


@pytest.mark.parametrize("options", [{}, {"ks": [0.5, 1]}, {"distance": "wasserstein"}], ids=str)
def test_what_does_not_change_the_distances_may_be_set_after_fit(options):
    X = np.random.default_rng(10).random((6, 4, 2))
    given = options if "distance" in options else {"diameter": 1.0, **options}
    model, fresh = RPWTransformer(**given).fit(X), RPWTransformer("neighbors", n_neighbors=3, n_threads=1, **given)
    found = model.set_params(mode="neighbors", n_neighbors=3, n_threads=1).transform(X)
    assert (found != fresh.fit(X).transform(X)).nnz == 0
    assert abs(model.set_params(ks=None).transform(X) - found).max() <= 1e-15  # a search over several k ends elsewhere


def test_the_same_word_is_no_change():
    rows = np.random.default_rng(11).random((5, 4)) + 0.1
    model = RPWTransformer(support="line").fit(rows)
    expected = model.transform(rows)
    model.set_params(support="".join(["li", "ne"]))  # equal, and another object
    assert np.array_equal(model.transform(rows), expected)


def test_equal_values_are_no_change():
    rows, support = np.random.default_rng(11).random((5, 4)) + 0.1, np.arange(4.0)
    model = RPWTransformer(support=support, k=1, diameter=3).fit(rows)
    expected = model.transform(rows)
    model.set_params(support=support.tolist(), k=1.0, diameter=np.float64(3))
    assert np.array_equal(model.transform(rows), expected)
    support *= 2  # fit has kept a copy
    assert np.array_equal(model.transform(rows), expected)
