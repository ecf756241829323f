"""Matrices of distances: the same numbers as a loop over the single functions."""

import pickle
import textwrap
import threading

import numpy as np
import pytest
from children import interrupted

import rpw
from rpw.many.backends.choice import backend_for
from rpw.many.batch import PairBatch
from rpw.many.collection import as_collection
from rpw.pair.ground import Points
from rpw.pair.metrics import as_metric
from rpw.pair.question import as_question

INF = float("inf")


def clouds(count, seed=0, d=2, low=1, high=12, digits=1):
    """Point sets of different sizes with ties and repeated points."""
    rng = np.random.default_rng(seed)
    return [np.round(rng.random((rng.integers(low, high), d)), digits) for _ in range(count)]


def measures(count, seed=0):
    """Measures with uneven weights, some of them 0."""
    rng = np.random.default_rng(seed)
    weights = [rng.integers(0, 4, len(x)) * 1.0 for x in clouds(count, seed)]
    return [rpw.Measure(x, w + (w.sum() == 0)) for x, w in zip(clouds(count, seed), weights, strict=True)]


def histograms(count, size, seed=0):
    rows = np.random.default_rng(seed).integers(0, 5, (count, size)) * 1.0
    return rows + (rows.sum(axis=1, keepdims=True) == 0)


def loop(A, B, single):
    return np.array([[single(x, y) for y in B] for x in A])


def kinked(x, y):
    return float(np.abs(x - y).max() + 0.5 * np.abs(x - y).sum())


# ---------------------------------------------------------------- against a loop

SIX = {
    "rpw": (rpw.distance, {"p": 2, "k": 1.5}),
    "wasserstein": (rpw.wasserstein, {"p": 1.5}),
    "partial_wasserstein": (rpw.partial_wasserstein, {"p": 3, "mass": 0.7}),
    "total_variation": (rpw.total_variation, {}),
    "levy_prokhorov": (rpw.levy_prokhorov, {}),
    "robot": (rpw.robot, {"p": 1, "lam": 0.2}),
}

FORMS = {
    "measures": (measures(7), measures(5, 1)),
    "arrays of different sizes": (clouds(7), clouds(5, 1)),
    "points on the line": ([x[:, 0] for x in clouds(5)], [x[:, 0] for x in clouds(4, 1)]),
    "lists": ([x.tolist() for x in clouds(4)], [x.tolist() for x in clouds(3, 1)]),
    "one array": (np.random.default_rng(0).random((5, 6, 3)), np.random.default_rng(1).random((4, 8, 3))),
    "measures and arrays": (measures(3) + clouds(3), clouds(2, 1) + measures(2, 1)),
}


@pytest.mark.sample(12)
@pytest.mark.parametrize("name", SIX)
@pytest.mark.parametrize("form", FORMS)
def test_matrix_is_the_loop_over_the_single_function(form, name):
    (A, B), (single, options) = FORMS[form], SIX[name]
    expected = loop(A, B, lambda x, y: single(x, y, **options))
    np.testing.assert_array_equal(rpw.pairwise(A, B, distance=name, **options), expected)


@pytest.mark.sample(12)
@pytest.mark.parametrize("metric", ["cityblock", "chebyshev", "minkowski", "canberra", "hamming", kinked])
@pytest.mark.parametrize("name", SIX)
def test_other_metrics(name, metric):
    single, options = SIX[name]
    A, B = measures(5), measures(4, 1)
    expected = loop(A, B, lambda x, y: single(x, y, metric=metric, **options))
    np.testing.assert_array_equal(rpw.pairwise(A, B, distance=name, metric=metric, **options), expected)


@pytest.mark.sample(8)
@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "canberra", kinked])
@pytest.mark.parametrize("name", SIX)
def test_histograms_on_a_shared_support(name, metric):
    single, options = SIX[name]
    support = clouds(1, 3, low=9, high=10)[0]
    A, B = histograms(6, 9), histograms(4, 9, 1)
    expected = loop(A, B, lambda a, b: single(support, support, a, b, metric=metric, **options))
    result = rpw.pairwise(A, B, support=support, distance=name, metric=metric, **options)
    np.testing.assert_array_equal(result, expected)


@pytest.mark.sample(12)
@pytest.mark.parametrize("kind", ["metric", "not symmetric", "not zero on the diagonal"])
@pytest.mark.parametrize("within", [True, False])
@pytest.mark.parametrize("name", SIX)
def test_histograms_with_a_shared_cost(name, within, kind):
    single, options = SIX[name]
    points = np.random.default_rng(4).random((8, 2))
    cost = np.linalg.norm(points[:, None] - points[None], axis=2)
    if kind == "not symmetric":
        cost[0, 1] *= 2
    if kind == "not zero on the diagonal":
        cost[np.diag_indices(8)] = 0.01
    A, B = histograms(6, 8), None if within else histograms(4, 8, 1)
    expected = loop(A, A if within else B, lambda a, b: single(cost=cost, a=a, b=b, **options))
    if within and kind == "metric":  # each pair is computed once: (i, j) stands for (j, i)
        expected = np.triu(expected) + np.triu(expected, 1).T
    np.testing.assert_array_equal(rpw.pairwise(A, B, cost=cost, distance=name, **options), expected)


@pytest.mark.parametrize("p", [1, 1.5, 2, 8, INF])
@pytest.mark.parametrize("k", [0, 0.3, 1, 1e6])
def test_every_p_and_k_with_a_diameter(p, k):
    A, B = measures(6), clouds(4, 1)
    expected = loop(A, B, lambda x, y: rpw.distance(x, y, p=p, k=k, diameter=1.7))
    np.testing.assert_array_equal(rpw.pairwise(A, B, p=p, k=k, diameter=1.7), expected)


EFFORTS = [
    {"tol": 0.05},
    {"tol": 0.05, "solver": "lmr"},
    {"tol": 0.05, "solver": "bisection"},
    {"solver": "walk"},
    {"solver": "simplex"},
    {"tol": 0.01, "solver": "points"},
    {"solver": "exact"},
]


@pytest.mark.sample(14)
@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "canberra", kinked])
@pytest.mark.parametrize("p", [1, 2, INF])
@pytest.mark.parametrize("effort", EFFORTS, ids=str)
def test_tol_and_solver_are_those_of_one_pair(effort, p, metric):
    if effort.get("solver") == "points" and metric not in ("euclidean", "cityblock"):
        pytest.skip("trees need a norm")
    A, B = measures(5), clouds(4, 1, high=25)
    expected = loop(A, B, lambda x, y: rpw.distance(x, y, p=p, k=0.7, metric=metric, **effort))
    found = rpw.pairwise(A, B, p=p, k=0.7, metric=metric, **effort)
    np.testing.assert_array_equal(found, expected)
    exact = rpw.pairwise(A, B, p=p, k=0.7, metric=metric)
    assert np.abs(found - exact).max() <= effort.get("tol", 0) + 1e-12


def test_tol_and_solver_of_histograms_and_of_other_distances():
    support, rows = clouds(1, 3, low=20, high=21)[0], histograms(5, 20)
    for effort in EFFORTS:
        if effort.get("solver") != "points":
            expected = loop(rows, rows, lambda a, b, effort=effort: rpw.distance(support, support, a, b, **effort))
            np.testing.assert_array_equal(rpw.pairwise(rows, rows.copy(), support=support, **effort), expected)
    A, B = measures(4), clouds(3, 1)
    for name, solver in (("wasserstein", "walk"), ("partial_wasserstein", "simplex"), ("robot", "points")):
        single, options = SIX[name]
        expected = loop(A, B, lambda x, y, f=single, o=options, s=solver: f(x, y, **o, solver=s))
        np.testing.assert_array_equal(rpw.pairwise(A, B, distance=name, **options, solver=solver), expected)


def test_a_tolerance_is_used():
    """Where everything is allowed, nothing is computed, and the bound is far above the distance."""
    A = [np.random.default_rng(seed).random((40, 2)) for seed in range(3)]
    assert (rpw.pairwise(A, tol=1)[np.triu_indices(3, 1)] > rpw.pairwise(A)[np.triu_indices(3, 1)]).all()


@pytest.mark.parametrize("metric", ["euclidean", "canberra", kinked])
def test_within_one_collection_each_pair_once(metric):
    A = measures(12, 5)
    matrix = rpw.pairwise(A, metric=metric)
    np.testing.assert_array_equal(matrix, matrix.T)
    assert (matrix.diagonal() == 0).all()
    full = rpw.pairwise(A, list(A), metric=metric)
    np.testing.assert_array_equal(np.triu(matrix), np.triu(full))
    np.testing.assert_allclose(matrix, full, rtol=0, atol=1e-12)


@pytest.mark.parametrize("metric", ["euclidean", kinked])
def test_threads_change_nothing(metric):
    A = measures(14, 6)
    np.testing.assert_array_equal(
        rpw.pairwise(A, metric=metric, n_threads=1), rpw.pairwise(A, metric=metric, n_threads=2)
    )


def test_planted_translations():
    """Single points at distance d: RPW_{1,1} is d / (1 + d)."""
    places = np.array([0.0, 1.0, 3.0, 7.0])
    d = np.abs(places[:, None] - places[None])
    np.testing.assert_allclose(rpw.pairwise([[[x]] for x in places], p=1), d / (1 + d), rtol=0, atol=1e-15)


# ---------------------------------------------------------------- the diameter


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "canberra"])
def test_auto_diameter_is_that_of_all_points(metric):
    A, B = measures(5), [x * 3 for x in clouds(4, 1)]
    delta = rpw.diameter(A, B, metric=metric)
    automatic = rpw.pairwise(A, B, diameter="auto", metric=metric)
    np.testing.assert_array_equal(automatic, rpw.pairwise(A, B, diameter=delta, metric=metric))
    assert (automatic != rpw.pairwise(A, B, metric=metric)).any()


def test_auto_diameter_counts_points_without_mass():
    A = [rpw.Measure([[0.0], [1.0], [50.0]], [1, 1, 0]), rpw.Measure([[0.5], [2.0]])]
    assert rpw.diameter(A) == 50
    np.testing.assert_array_equal(rpw.pairwise(A, diameter="auto"), rpw.pairwise(A, diameter=50.0))


def test_auto_diameter_of_a_shared_space():
    support, rows = np.array([[0.0], [1.0], [4.0]]), np.array([[1, 1, 0], [0, 1, 0]])
    expected = rpw.pairwise(rows, support=support, diameter=4.0)
    np.testing.assert_array_equal(rpw.pairwise(rows, support=support, diameter="auto"), expected)
    cost = np.abs(support - support.T)
    np.testing.assert_array_equal(rpw.pairwise(rows, cost=cost, diameter="auto"), expected)


# ---------------------------------------------------------------- pairs that fail


def touchy(x, y):
    if 0.77 in (x[0], y[0]):
        raise RuntimeError("out of stock")
    return float(np.abs(x - y).sum())


def with_two_bad_ones():
    A = [x + 0.01 for x in clouds(6)]
    A[2][0, 0] = A[4][0, 0] = 0.77
    return A


BAD_PAIRS = [(i, j) for i in range(6) for j in range(i + 1, 6) if {i, j} & {2, 4}]


@pytest.mark.parametrize("n_threads", [1, 2])
def test_a_pair_that_fails_is_named_and_does_not_lose_the_rest(n_threads):
    A = with_two_bad_ones()
    with pytest.raises(rpw.PairwiseError, match=r"pair \(0, 2\) failed: .*out of stock.*8 more") as caught:
        rpw.pairwise(A, metric=touchy, n_threads=n_threads)
    assert [failure[:2] for failure in caught.value.failures] == BAD_PAIRS
    kept = rpw.pairwise(A, metric=touchy, on_error="nan", n_threads=n_threads)
    np.testing.assert_array_equal(caught.value.distances, kept)
    good = [0, 1, 3, 5]
    np.testing.assert_array_equal(kept[np.ix_(good, good)], rpw.pairwise([A[i] for i in good], metric=touchy))
    assert np.isnan(kept).sum() == 2 * len(BAD_PAIRS)


# ---------------------------------------------------------------- what is refused

SQUARE = np.ones((3, 3))
ARRAY_OF_ARRAYS = np.array([np.ones((2, 2)), np.ones((3, 2))], dtype=object)
REFUSED = {
    "support as text": ((np.ones((2, 3)),), {"support": "line"}, r"support must be .*'line'.*np.linspace\(0, 1, n\)"),
    "cost as text": ((np.ones((2, 3)),), {"cost": "D.npy"}, "cost must be numeric, got the text 'D.npy'"),
    "A as text": (("folder",), {}, "A must be numeric, got the text 'folder': files are read by rpw.readers"),
    "histograms or points": (([[1.0]], np.ones((2, 3))), {}, "B is a two-dimensional array.*support= or cost="),
    "dict": (({"one": [[1.0]]},), {}, "A must be an array or a list, got an object of type dict"),
    "generator": (((c for c in [[1.0]]),), {}, "A must be an array or a list, got an object of type generator"),
    "array of arrays": ((ARRAY_OF_ARRAYS,), {}, r"A is an array of arrays.*pass list\(A\)"),
    "two-dimensional": ((np.ones((2, 3)),), {}, "A is a two-dimensional array.*support= or cost="),
    "one Measure": ((rpw.Measure([[0.0]]),), {}, "A must be a collection.*one Measure"),
    "empty list": (([],), {}, "A is an empty collection"),
    "empty measure": (([[[0.0]], []],), {}, r"A\[1\].*empty"),
    "NaN": (([[0.0], [0.0]], [[0.0], [1.0, np.nan]]), {}, r"B\[1\] has a NaN"),
    "text": (([["a"]],), {}, r"A\[0\]"),
    "dimensions": (([[[0.0]], [[0.0, 1.0]]],), {}, "A mixes measures of different dimensions"),
    "dimensions of both": (([[[0.0]]], [[[0.0, 1.0]]]), {}, "A and B have points of different dimensions"),
    "both": ((SQUARE,), {"support": SQUARE, "cost": SQUARE}, "either support or cost"),
    "cost": ((SQUARE,), {"cost": np.ones((3, 2))}, "cost must be square"),
    "length": ((np.ones((2, 4)),), {"support": SQUARE}, r"A must hold histograms.*\(B, 3\)"),
    "negative weight": (([[1.0, 2.0], [1.0, -1.0]],), {"support": [0.0, 1.0]}, r"A\[1\] has a negative"),
    "no weight": (([[1.0, 2.0], [0.0, 0.0]],), {"cost": 1 - np.eye(2)}, r"A\[1\] sums to 0"),
    "distance": (([[0.0]],), {"distance": "cosine"}, "unknown distance 'cosine'"),
    "metric": (([[0.0]],), {"metric": "sqeuclidean"}, "sqeuclidean"),
    "mass": (([[0.0]],), {"distance": "partial_wasserstein"}, "mass"),
    "lam": (([[0.0]],), {"lam": 1.0}, "lam"),
    "p": (([[0.0]],), {"p": 0.5}, "p must"),
    "k": (([[0.0]],), {"k": -1}, "k must"),
    "diameter": (([[0.0]],), {"diameter": 0}, "diameter must"),
    "word for diameter": (([[0.0]],), {"diameter": "max"}, "diameter must be a positive number or 'auto'"),
    "no diameter": (([[0.0], [0.0]],), {"diameter": "auto"}, "diameter='auto'"),
    "n_threads": (([[0.0]],), {"n_threads": 0}, "n_threads"),
    "n_threads of half": (([[0.0]],), {"n_threads": 1.5}, "n_threads"),
    "on_error": (([[0.0]],), {"on_error": "ignore"}, "on_error must be"),
    "device": (([[0.0]],), {"device": "tpu"}, "device"),
    "tol": (([[0.0]],), {"tol": -1}, "tol must be"),
    "tol of W": (([[0.0]],), {"distance": "wasserstein", "tol": 0.1}, "tol has no effect on distance='wasserstein'"),
    "tol and list": (([[0.0]],), {"k": [1, 2], "tol": 0.1}, "tol has no effect beside a list of k"),
    "solver": (([[0.0]],), {"solver": "magic"}, "unknown solver 'magic'; choose one of"),
    "solver without tol": (([[0.0]],), {"solver": "lmr"}, "solver='lmr' is approximate: pass tol > 0"),
    "solver of W": (([[0.0]],), {"distance": "wasserstein", "solver": "lmr"}, "solver='lmr' computes only RPW"),
    "solver of TV": (([[0.0]],), {"distance": "total_variation", "solver": "walk"}, "solver has no effect on distance"),
    "solver and list": (([[0.0]],), {"k": [1, 2], "solver": "walk"}, "solver has no effect beside a list of k"),
    "trees": (([[0.0]],), {"solver": "points", "metric": "canberra"}, "solver='points' needs points"),
    "trees of costs": ((SQUARE,), {"solver": "points", "cost": SQUARE}, "solver='points' needs points"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_bad_input_is_refused_by_name(name):
    arguments, options, message = REFUSED[name]
    with pytest.raises(ValueError, match=message):
        rpw.pairwise(*arguments, **options)


# ---------------------------------------------------------------- manners


@pytest.mark.parametrize("metric", ["euclidean", "canberra"])
def test_batches_pickle_before_and_after_use(metric):
    ground = Points(as_metric(metric))
    a = as_collection(measures(4), "A", ground)
    backend = backend_for(PairBatch(a, a, ground, as_question()), "cpu")
    first, second = np.triu_indices(4, k=1)
    fresh = pickle.loads(pickle.dumps(backend))
    values, failures = backend.values(first, second, 1)
    used = pickle.loads(pickle.dumps(backend))
    assert failures == []
    for copy in (fresh, used):
        assert copy.batch.a is copy.batch.b
        assert copy.batch.fingerprint == backend.batch.fingerprint
        np.testing.assert_array_equal(copy.values(first, second, 2)[0], values)


def test_progress_bar_counts_pairs_and_leaves_no_thread(capsys):
    pytest.importorskip("tqdm")
    before = threading.active_count()
    rpw.pairwise(measures(9), progress=True)
    assert "36/36" in capsys.readouterr().err
    assert threading.active_count() == before


LONG_MATRIX = """
import sys, time
import numpy as np
import rpw

def slow(x, y):
    return float(np.abs(x - y).sum())

rng = np.random.default_rng(0)
A = [rng.random((SIZE, 2)) for _ in range(400)]
before = rpw.pairwise([x[:20] for x in A[:5]])
try:
    print("ready", flush=True)
    rpw.pairwise(A, OPTIONS)
    print("finished", flush=True)
except KeyboardInterrupt:
    print("interrupted", time.time(), flush=True)
    assert (rpw.pairwise([x[:20] for x in A[:5]]) == before).all()
    print("healthy", flush=True)
"""

LONG_CALLS = {
    "many pairs": (300, "p=2"),
    "long pairs": (4000, "p=2, k=100, n_threads=2"),
    "a metric of SciPy": (300, "metric='canberra'"),
    "a metric in Python, long pairs": (2000, "metric=slow"),
    "into a store": (300, "out=sys.argv[1]"),
    "long pairs into a store": (4000, "k=100, out=sys.argv[1]"),
    "a metric in Python into a store": (2000, "metric=slow, out=sys.argv[1]"),
}


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", LONG_CALLS)
def test_ctrl_c_ends_a_matrix_and_leaves_the_process_healthy(name, tmp_path):
    """The promise is 0.5 s; ten times that is allowed here for a busy machine."""
    size, options = LONG_CALLS[name]
    if "out" in options:
        pytest.importorskip("zarr")
    code = textwrap.dedent(LONG_MATRIX).replace("SIZE", str(size)).replace("OPTIONS", options)
    lines, sent, errors = interrupted(code, tmp_path / "D.zarr", after=1.2)
    assert lines, errors
    assert lines[0].startswith("interrupted"), (lines, errors)
    assert float(lines[0].split()[1]) - sent < 5.0
    assert lines[1:] == ["healthy"], errors


def test_progress_may_be_a_function():
    clouds = list(np.random.default_rng(0).random((5, 6, 2)))
    seen = []
    expected = rpw.pairwise(clouds)
    np.testing.assert_array_equal(rpw.pairwise(clouds, progress=lambda *counts: seen.append(counts)), expected)
    assert seen[0] == (0, 10)
    assert seen[-1] == (10, 10)
    assert seen == sorted(seen)
    seen.clear()
    rpw.Index(clouds).query(clouds, top=2, progress=lambda *counts: seen.append(counts))
    assert seen[0] == (0, 5)
    assert seen[-1] == (5, 5)
