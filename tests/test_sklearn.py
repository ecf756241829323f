"""RPW in scikit-learn: its own estimator checks, and the estimators people put behind the transformer."""

from unittest import SkipTest

import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn")

from sklearn.cluster import DBSCAN  # noqa: E402
from sklearn.neighbors import KNeighborsClassifier  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.utils.estimator_checks import estimator_checks_generator  # noqa: E402

import rpw  # noqa: E402
from rpw.sklearn import RPWTransformer  # noqa: E402

# The data of these checks have rows that sum to 0, which are no measures: refused on purpose.
ROWS_OF_ZEROS = {"check_estimators_dtypes"}


@pytest.mark.parametrize("mode", ["distance", "neighbors"])
def test_estimator_checks(mode):
    failed = {}
    for estimator, check in estimator_checks_generator(RPWTransformer(mode, n_neighbors=2)):
        name = getattr(check, "func", check).__name__
        try:
            check(estimator)
        except SkipTest:
            continue
        except Exception as error:
            failed[name] = f"{error!r:.300}"
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


def test_unknown_mode_is_refused():
    with pytest.raises(ValueError, match="mode"):
        RPWTransformer("nearest").fit(np.ones((3, 3)))
