"""Ground metrics: which are allowed, what they compute; and the diameter of a space."""

import math

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import rpw
from rpw.cost import METRICS

RNG = np.random.default_rng(0)
X, Y = RNG.random((7, 3)), RNG.random((6, 3))
BITS_X, BITS_Y = RNG.integers(0, 2, (7, 8)), RNG.integers(0, 2, (6, 8))
BITS_X[:, 0] = BITS_Y[:, 0] = 1  # no empty sets


def data_for(metric):
    if metric in ("jaccard", "rogerstanimoto", "sokalsneath", "hamming"):
        return BITS_X, BITS_Y
    return X, Y


# Every name that SciPy's cdist takes.
NAMES_OF_SCIPY = [
    "braycurtis",
    "canberra",
    "chebyshev",
    "cityblock",
    "correlation",
    "cosine",
    "dice",
    "euclidean",
    "hamming",
    "jaccard",
    "jensenshannon",
    "mahalanobis",
    "minkowski",
    "rogerstanimoto",
    "russellrao",
    "seuclidean",
    "sokalsneath",
    "sqeuclidean",
    "yule",
]


# ---------------------------------------------------------------- metrics


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("p", [1, 2, math.inf])
def test_allowed_metrics_are_what_scipy_computes(metric, p):
    x, y = data_for(metric)
    kind = bool if metric in ("jaccard", "rogerstanimoto", "sokalsneath") else float
    expected = cdist(x.astype(kind), y.astype(kind), metric)
    assert rpw.distance(x, y, p=p, metric=metric) == pytest.approx(rpw.distance(cost=expected, p=p), abs=1e-12)
    assert rpw.distance(x, y, p=p, k=0, metric=metric) == pytest.approx(rpw.distance(cost=expected, k=0), abs=1e-12)


@pytest.mark.parametrize("metric", METRICS)
def test_equal_points_are_at_distance_zero_under_every_metric(metric):
    x, _ = data_for(metric)
    assert rpw.distance(x, x[::-1], metric=metric) == 0
    assert rpw.distance(x, x[::-1], metric=metric, k=0) == 0


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "chebyshev", "minkowski"])
def test_the_four_named_in_the_contract_are_there(metric):
    assert metric in METRICS


@pytest.mark.parametrize("metric", ["sqeuclidean", "cosine", "correlation", "braycurtis", "dice", "yule"])
def test_names_without_triangle_inequality_are_refused_with_the_way_out(metric):
    with pytest.raises(ValueError, match=rf"{metric}.*triangle.*cost="):
        rpw.distance(X, Y, metric=metric)


@pytest.mark.parametrize("metric", ["seuclidean", "mahalanobis"])
def test_names_with_parameters_from_the_pair_are_refused_with_the_way_out(metric):
    with pytest.raises(ValueError, match=rf"{metric}.*pair.*callable"):
        rpw.distance(X, Y, metric=metric)


def test_every_name_of_scipy_is_allowed_or_refused_with_a_reason():
    for name in set(NAMES_OF_SCIPY) - set(METRICS):
        with pytest.raises(ValueError, match=name) as caught:
            rpw.distance(X, Y, metric=name)
        assert "unknown" not in str(caught.value), name


def test_a_callable_metric():
    def taxi(u, v):
        return float(np.abs(u - v).sum())

    assert rpw.distance(X, Y, metric=taxi) == pytest.approx(rpw.distance(X, Y, metric="cityblock"), abs=1e-12)
    assert rpw.distance(X, Y, metric=taxi, k=0) == 1
    assert rpw.diameter(X, Y, metric=taxi) == pytest.approx(
        cdist(np.concatenate([X, Y]), np.concatenate([X, Y]), "cityblock").max()
    )


def test_a_callable_that_identifies_points_decides_total_variation():
    """Points count as equal where the callable says 0."""
    assert rpw.distance([0.1, 1.2], [0.3, 1.4], k=0, metric=lambda u, v: float(abs(int(u[0]) - int(v[0])))) == 0


@pytest.mark.parametrize("bad", [math.nan, -1.0])
def test_the_first_bad_distance_has_its_place_in_the_whole_matrix(bad, monkeypatch):
    """Distances are computed some rows at a time."""
    monkeypatch.setattr("rpw.pair.metrics._PAIRS_PER_BLOCK", 4)
    x, y = np.arange(5.0), np.arange(10.0, 12.0)
    with pytest.raises(ValueError, match=r"metric.*\(3, 1\)"):
        rpw.distance(x, y, diameter=1, metric=lambda u, v: bad if (u[0], v[0]) == (3, 11) else abs(u[0] - v[0]))


@pytest.mark.parametrize("bad", [math.nan, math.inf, -1.0])
def test_a_callable_that_returns_nonsense_is_refused(bad):
    with pytest.raises(ValueError, match=r"metric.*\(0, 0\)"):
        rpw.distance(X, Y, metric=lambda u, v: bad)


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "chebyshev", "minkowski"])
@pytest.mark.parametrize("scale", [1e-200, 1e-150, 1e150, 1e300])
def test_coordinates_whose_squares_leave_float64(metric, scale):
    x, y = X[:, :2], Y[:, :2]
    plain = rpw.wasserstein(x, y, p=1, metric=metric)
    assert rpw.wasserstein(scale * x, scale * y, p=1, metric=metric) == pytest.approx(scale * plain, rel=1e-12)


# ---------------------------------------------------------------- diameter


def test_diameter_of_a_triangle_is_its_longest_side():
    points = [[0.0, 0.0], [3.0, 1.0], [1.0, 4.0]]
    assert rpw.diameter(points) == pytest.approx(math.sqrt(17))
    assert rpw.diameter(points, metric="cityblock") == 5
    assert rpw.diameter(points, metric="chebyshev") == 4


def test_one_diameter_for_a_collection():
    whole = rpw.diameter(np.concatenate([X, Y]))
    assert rpw.diameter(X, Y) == whole
    assert rpw.diameter([X, Y]) == whole
    assert rpw.diameter([rpw.Measure(X), rpw.Measure(Y)]) == whole
    assert rpw.diameter(rpw.Measure(X), [Y]) == whole
    assert rpw.diameter(np.stack([X[:6], Y])) == rpw.diameter(X[:6], Y)
    assert rpw.diameter(rpw.Measure(X, np.arange(7.0))) == rpw.diameter(X)  # of the space, weights do not count


def test_diameter_of_points_on_the_line_and_of_one_point():
    assert rpw.diameter([1.0, 4.0, 2.0]) == 3
    assert rpw.diameter([[1.0, 2.0]]) == 0


@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1e200, 1e300])
def test_diameter_of_huge_and_tiny_spaces(scale):
    assert rpw.diameter([[0.0, 0.0], [3 * scale, 4 * scale]]) == pytest.approx(5 * scale, rel=1e-14)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[0.0, math.nan]],), r"^A\b.*\(0, 1\)"),
        (([0.0], [[math.inf]]), r"^B\b.*\(0, 0\)"),
        (([X, np.array([[math.nan]])],), r"^A\[1\]"),
        (([[0.0]], [[0.0, 1.0]]), r"A and B.*dimension"),
        (([],), r"^A\b.*empty"),
        (("points",), r"^A\b"),
    ],
)
def test_diameter_refuses_bad_input_by_name(arguments, message):
    with pytest.raises(ValueError, match=message):
        rpw.diameter(*arguments)


def test_diameter_refuses_metrics_like_everything_else():
    with pytest.raises(ValueError, match=r"cosine.*triangle"):
        rpw.diameter(X, metric="cosine")
    with pytest.raises(ValueError, match="metric"):
        rpw.diameter(X, metric="nonsense")
