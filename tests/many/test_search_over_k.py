"""A grid search over k with ``RPWTransformer(ks=...)``: the same answers, and each pair is solved once."""

import pickle
import threading

import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn")

from sklearn.base import clone  # noqa: E402
from sklearn.model_selection import GridSearchCV, KFold, ShuffleSplit  # noqa: E402
from sklearn.neighbors import KNeighborsClassifier  # noqa: E402
from sklearn.pipeline import Pipeline  # noqa: E402

import rpw  # noqa: E402
import rpw.sklearn as module  # noqa: E402
from rpw.many.known_pairs import KnownPairs  # noqa: E402
from rpw.sklearn import RPWTransformer  # noqa: E402

KS = [10, 0.1, 0, 1]


@pytest.fixture(autouse=True)
def known(monkeypatch):
    """What is known to the module: nothing, at the start of each test."""
    fresh = KnownPairs(most_bytes=1 << 24)
    monkeypatch.setattr(module, "_KNOWN", fresh)
    return fresh


def two_kinds(count, seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, count)
    clouds = np.array([np.vstack([rng.normal(label, 0.8, (6, 2)), [[9.0, 9.0]]]) for label in labels])
    return clouds, labels


def search(X, y, cv, n_jobs=None, **options):
    model = Pipeline([("rpw", RPWTransformer(**options)), ("knn", KNeighborsClassifier(3, metric="precomputed"))])
    return GridSearchCV(model, {"rpw__k": KS}, cv=cv, n_jobs=n_jobs, error_score="raise").fit(X, y)


@pytest.mark.sample(1)
@pytest.mark.parametrize("mode", ["distance", "neighbors"])
@pytest.mark.parametrize("cv", [KFold(4), ShuffleSplit(3, test_size=0.3, random_state=0)], ids=["folds", "shuffles"])
def test_the_same_answers_and_each_pair_once(known, cv, mode):
    X, y = two_kinds(24, 0)
    plain = search(X, y, cv, mode=mode, diameter=10)
    assert known.solved == 0
    shared = search(X, y, cv, mode=mode, diameter=10, ks=KS)
    for name in ("mean_test_score", "std_test_score"):
        np.testing.assert_array_equal(shared.cv_results_[name], plain.cv_results_[name])
    assert shared.best_params_ == plain.best_params_
    assert known.solved == 24 * 25 / 2  # with those of a measure and itself; the last fit, on all, has left none out
    others, _ = two_kinds(5, 1)
    np.testing.assert_array_equal(shared.predict(others), plain.predict(others))
    assert known.solved == 24 * 25 / 2 + 24 * 5
    assert shared.best_estimator_["rpw"].k in KS


def test_threads_share_what_is_known(known):
    X, y = two_kinds(24, 0)
    import joblib

    with joblib.parallel_backend("threading"):
        shared = search(X, y, KFold(4), diameter=10, ks=KS, n_jobs=3)
    assert known.solved == 24 * 25 / 2
    plain = search(X, y, KFold(4), diameter=10)
    np.testing.assert_array_equal(shared.cv_results_["mean_test_score"], plain.cv_results_["mean_test_score"])


GROUNDS = {
    "points": lambda rng: (rng.random((8, 6, 2)), {}),
    "lists": lambda rng: ([rpw.Measure(rng.random((n, 2)), rng.random(n)) for n in range(2, 10)], {}),
    "support": lambda rng: (rng.random((8, 6)), {"support": rng.random((6, 2))}),
    "line": lambda rng: (rng.random((8, 6)), {"support": "line"}),
    "cost": lambda rng: (rng.random((8, 6)), {"cost": rng.random((6, 6))}),  # not symmetric
    "callable": lambda rng: (rng.random((8, 6, 2)), {"metric": lambda x, y: float(np.abs(x - y).max())}),
}


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("p", [2, np.inf])
def test_every_k_is_that_of_its_own(known, ground, p):
    X, options = GROUNDS[ground](np.random.default_rng(2))
    model = RPWTransformer(p=p, ks=KS, diameter="auto", **options)
    for k in KS:
        expected = RPWTransformer(p=p, k=k, diameter="auto", **options).fit(X[:5]).transform(X)
        matrix = clone(model).set_params(k=k).fit(X[:5]).transform(X)
        np.testing.assert_allclose(matrix, expected, rtol=0, atol=1e-12)
    assert known.solved == (40 if ground == "cost" else 15 + 3 * 5)


def test_equal_measures_are_one(known):
    X = np.repeat(np.random.default_rng(3).random((2, 6, 2)), 3, axis=0)
    matrix = RPWTransformer(ks=KS).fit_transform(X)
    assert known.solved == 3
    np.testing.assert_allclose(matrix, rpw.pairwise(X), atol=1e-12)


def test_what_differs_is_not_mixed_up(known):
    X = np.random.default_rng(4).random((5, 6, 2))
    for options in ({"p": 1}, {"p": 2}, {"diameter": 3}, {"metric": "cityblock"}, {"ks": [1, 2]}):
        options = {"ks": KS} | options
        matrix = RPWTransformer(**options).fit_transform(X)
        expected = RPWTransformer(**{**options, "ks": None}).fit_transform(X)
        np.testing.assert_allclose(matrix, expected, rtol=0, atol=1e-12)
    assert known.solved == 5 * 15
    rows = np.random.default_rng(5).random((4, 6))
    for support in (np.arange(6.0), np.arange(6.0) ** 2):
        matrix = RPWTransformer(ks=KS, support=support, diameter=25).fit_transform(rows)
        np.testing.assert_allclose(matrix, rpw.pairwise(rows, support=support, diameter=25), rtol=0, atol=1e-12)


FACTOR = [1.0]


def changing(x, y):
    return FACTOR[0] * float(np.abs(x - y).sum())


def test_a_function_that_has_changed_is_noticed(known):
    X = np.random.default_rng(6).random((5, 6, 2))
    before = RPWTransformer(ks=KS, metric=changing, diameter=5).fit_transform(X)
    FACTOR[0] = 2.0
    after = RPWTransformer(ks=KS, metric=changing, diameter=5).fit_transform(X)
    np.testing.assert_allclose(after, rpw.pairwise(X, metric=changing, diameter=5), rtol=0, atol=1e-12)
    assert (after[~np.eye(5, dtype=bool)] > before[~np.eye(5, dtype=bool)]).all()


def test_what_is_known_is_bounded(monkeypatch):
    small = KnownPairs(most_bytes=15 * 8 * 5)  # fifteen pairs: four distances and a key each
    monkeypatch.setattr(module, "_KNOWN", small)
    X, others = np.random.default_rng(7).random((2, 5, 6, 2))
    model = RPWTransformer(ks=KS)
    for _ in range(2):
        model.fit_transform(X)
    assert small.solved == 15
    RPWTransformer(ks=KS, p=1).fit_transform(X)  # takes the place of the first
    np.testing.assert_allclose(model.fit_transform(X), rpw.pairwise(X), rtol=0, atol=1e-12)
    assert small.solved == 45
    np.testing.assert_allclose(model.transform(others), rpw.pairwise(others, X), rtol=0, atol=1e-12)  # does not fit
    np.testing.assert_allclose(model.transform(others), rpw.pairwise(others, X), rtol=0, atol=1e-12)


def test_nothing_is_pickled_with_the_estimator(known):
    X = np.random.default_rng(8).random((5, 6, 2))
    plain, knowing = RPWTransformer().fit(X), RPWTransformer(ks=KS).fit(X)
    knowing.transform(X)
    assert len(pickle.dumps(knowing)) < len(pickle.dumps(plain)) + 200
    again = pickle.loads(pickle.dumps(knowing))
    np.testing.assert_array_equal(again.transform(X), knowing.transform(X))
    assert known.solved == 15
    assert clone(knowing).get_params()["ks"] == KS


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"ks": [2, 3]}, r"k must be one of ks=\[2, 3\], got 1"),
        ({"ks": []}, "ks is an empty list: it needs at least one number"),
        ({"ks": [1, -1]}, "ks must be finite and at least 0"),
        ({"ks": [1], "distance": "wasserstein"}, "ks may be a list only if distance='rpw': 'wasserstein' has no k"),
        ({"ks": 1}, "ks must be a list of numbers, got 1"),
    ],
)
def test_what_is_refused(options, words):
    with pytest.raises(ValueError, match=words):
        RPWTransformer(**options).fit(np.random.default_rng(9).random((3, 4, 2)))


def test_known_distances_of_a_gpu_are_its_own(known, on_host):
    X = np.random.default_rng(10).random((5, 4, 2))
    here = RPWTransformer(ks=KS).fit_transform(X)
    assert not on_host.launched
    for _ in range(2):
        there = RPWTransformer(ks=KS, device="cuda").fit_transform(X)
        assert known.solved == 2 * 15
    assert on_host.launched
    np.testing.assert_allclose(there, here, rtol=0, atol=1e-12)


def broken(x, y):
    if 7 in (x[0], y[0]):
        raise ArithmeticError("seven")
    return abs(float(x[0] - y[0]))


def test_pairs_that_fail_are_named_and_not_kept(known):
    X = [[[0.0]], [[7.0]], [[1.0]]]
    model = RPWTransformer(ks=[1, 2], metric=broken, p=1, diameter=1).fit(X[:1] + X[2:])
    for _ in range(2):
        with pytest.raises(rpw.PairwiseError, match=r"pair \(1, 0\) failed: .*seven"):
            model.transform(X)
    np.testing.assert_allclose(model.transform(X[::2]), [[0, 0.5], [0.5, 0]])


def test_threads_that_ask_for_the_same_get_the_same(known):
    X = np.random.default_rng(10).random((12, 30, 2))
    model, found = RPWTransformer(ks=KS, n_threads=1).fit(X), []
    threads = [threading.Thread(target=lambda: found.append(model.transform(X))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert all(np.array_equal(each, found[0]) for each in found)
    assert known.solved == 78
