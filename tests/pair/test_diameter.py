"""The diameter: the largest distance between any two points, of all or of the inliers."""

import copy
import json
import math
import pickle
import time

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import rpw
from rpw.cost import METRICS, Diameter

RNG = np.random.default_rng(0)
NORMS = ["euclidean", "cityblock", "chebyshev", "minkowski"]


def brute(points, metric="euclidean"):
    points = np.asarray(points, dtype=np.float64)
    return cdist(points, points, metric).max()


def clouds(rng, n, d):
    """Clouds of different shapes: ties, repeated points, hollow ones, an outlier, coordinates of different scale."""
    normal = rng.standard_normal((n, d))
    yield normal
    yield rng.integers(-3, 4, (n, d))
    yield normal / np.linalg.norm(normal, axis=1, keepdims=True)
    yield rng.random((n, d)) ** 9 * np.logspace(-3, 3, d)
    yield normal[rng.integers(0, max(1, n // 4), n)]
    yield np.concatenate([normal[1:], normal[:1] + 1e4])
    yield np.repeat(normal[:1], n, axis=0)


@pytest.mark.sample(10)
@pytest.mark.parametrize("d", [1, 2, 3, 7, 50, 400])
@pytest.mark.parametrize("n", [1, 2, 3, 30, 150])
def test_it_is_the_largest_distance_between_any_two_points(n, d):
    for points in clouds(np.random.default_rng([n, d]), n, d):
        for metric in NORMS:
            found = rpw.diameter(points, metric=metric)
            assert found == pytest.approx(brute(points, metric), rel=1e-13, abs=0)
            assert found.is_exact
            assert found.lower == found


@pytest.mark.parametrize("metric", sorted(set(METRICS) - set(NORMS)))
def test_it_is_so_for_the_metrics_of_scipy_too(metric):
    for seed in range(12):
        rng = np.random.default_rng(seed)
        n, d = rng.integers(2, 90), rng.integers(2, 40)
        points = rng.random((n, d)) if seed % 2 else (rng.random((n, d)) < 0.5) + np.eye(n, d)
        points[:, -1] = 1  # no row of zeros: some metrics are not defined there
        found = rpw.diameter(points, metric=metric)
        assert found.is_exact
        assert found == pytest.approx(brute(points, metric), rel=1e-12, abs=0)


def test_unit_vectors_in_many_dimensions_lie_far_closer_than_the_corners_of_their_box():
    points = RNG.standard_normal((600, 384))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    assert np.linalg.norm(points.max(axis=0) - points.min(axis=0)) > 5
    found = rpw.diameter(points)
    assert found < 1.6
    assert found == pytest.approx(brute(points), rel=1e-14)
    assert rpw.diameter(points, metric="minkowski") == found
    assert rpw.pairwise([points[:2], points[2:4]], diameter="auto")[0, 1] == rpw.distance(
        points[:2], points[2:4], diameter=rpw.diameter(points[:4])
    )


@pytest.mark.parametrize("metric", NORMS)
def test_sums_over_very_many_coordinates_are_no_less_exact(metric):
    points = RNG.standard_normal((40, 20_000)) * np.logspace(-9, 3, 20_000)
    found = rpw.diameter(points, metric=metric)
    assert found.is_exact
    assert found == pytest.approx(brute(points, metric), rel=1e-12)


@pytest.mark.parametrize("n", [3000, 40_000])
def test_a_regular_polygon_where_no_point_is_nearer_to_the_middle(n):
    angles = 2 * np.pi * np.arange(n) / n
    points = np.stack([np.cos(angles), np.sin(angles)], axis=1) + np.array([5, 7])
    assert rpw.diameter(points) == pytest.approx(2, rel=1e-14)
    assert rpw.diameter(points[::2]) == pytest.approx(2, rel=1e-14)
    odd = points[: n // 2]  # half of it: from one end to the other
    assert rpw.diameter(odd) == pytest.approx(np.linalg.norm(odd[0] - odd[-1]), rel=1e-14)


def test_a_planted_pair_among_very_many_points():
    rng = np.random.default_rng(1)
    for d in (1, 2, 3, 20):
        points = rng.random((200_000, d))
        points[[777, 123_456]] = np.full(d, -1.0), np.full(d, 2.0)
        assert rpw.diameter(points) == pytest.approx(3 * math.sqrt(d), rel=1e-14)


def test_categories_as_corners_of_a_simplex():
    points = np.eye(12)[RNG.integers(0, 12, 100_000)]
    found = rpw.diameter(points)
    assert found == math.sqrt(2)
    assert found.is_exact


@pytest.mark.parametrize("metric", NORMS)
@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e160, 1e300])
def test_huge_and_tiny_spaces(metric, scale):
    points = RNG.standard_normal((40, 3))
    assert rpw.diameter(scale * points, metric=metric) == pytest.approx(scale * brute(points, metric), rel=1e-13)
    assert rpw.diameter(points + 1e9, metric=metric) == pytest.approx(brute(points, metric), rel=1e-6)


@pytest.mark.parametrize("metric", NORMS)
def test_a_huge_coordinate_that_all_share_swallows_nothing(metric):
    points = RNG.standard_normal((40, 3))
    for huge in (1e160, -1e250):
        shared = np.column_stack([points, np.full(40, huge)])
        assert rpw.diameter(shared, metric=metric) == pytest.approx(brute(points, metric), rel=1e-13)


def test_the_number_does_not_depend_on_the_order_nor_on_who_asks():
    points = RNG.standard_normal((500, 6))
    found = {float(rpw.diameter(RNG.permutation(points))) for _ in range(5)}
    found |= {float(rpw.diameter(points[:200], points[200:])), float(rpw.diameter([points[:7], points[7:], points]))}
    found.add(rpw.Index([points[:100], points[100:]], diameter="auto").diameter)
    assert len(found) == 1


# ---------------------------------------------------------------- what a callable costs, and the bound beyond that


class Counting:
    """A metric that counts how often it is called."""

    def __init__(self):
        self.calls = 0

    def __call__(self, x, y):
        self.calls += 1
        return float(abs(x - y).sum())


def test_a_callable_is_called_for_pairs_that_can_be_the_farthest():
    points = RNG.standard_normal((1000, 2))
    metric = Counting()
    found = rpw.diameter(points, metric=metric)
    assert found.is_exact
    assert found == pytest.approx(brute(points, "cityblock"), rel=1e-13)
    assert metric.calls < 100_000  # of 499,500 pairs
    repeated = Counting()
    assert rpw.diameter(points[RNG.integers(0, 20, 5000)], metric=repeated) <= found
    assert repeated.calls < 1000


@pytest.mark.thorough
@pytest.mark.parametrize(("n", "d"), [(1000, 60), (2500, 60)])
def test_beyond_the_stated_work_there_are_two_bounds(n, d):
    """In many dimensions all points lie on a sphere, and nothing can be left out: 1,000 points are looked at."""
    points = RNG.standard_normal((n, d))
    points /= np.abs(points).sum(axis=1, keepdims=True)
    metric, truth = Counting(), brute(points, "cityblock")
    found = rpw.diameter(points, metric=metric)
    assert found.is_exact == (n == 1000)
    assert found.lower <= truth * (1 + 1e-13)
    assert truth <= found * (1 + 1e-13)
    assert found <= 2 * truth * (1 + 1e-13)
    assert metric.calls <= 2**19 + 6 * n
    if found.is_exact:
        assert found == pytest.approx(truth, rel=1e-13)


@pytest.mark.parametrize("metric", NORMS)
@pytest.mark.parametrize("work", [0, 10**6, 10**7])
def test_a_bound_of_the_core_contains_the_truth_and_more_work_narrows_it(metric, work, monkeypatch):
    """With less work than is stated, which would take seconds."""
    points = np.random.default_rng(3).standard_normal((500, 300))
    exact, truth = rpw.diameter(points, metric=metric), brute(points, metric)
    assert exact == pytest.approx(truth, rel=1e-13)
    monkeypatch.setattr("rpw.pair.diameter._MOST_IN_CORE", work)
    found = rpw.diameter(points, metric=metric)
    assert found.is_exact == (metric == "chebyshev")  # the longest side of the box
    assert found.lower <= exact <= found <= 2 * truth
    monkeypatch.setattr("rpw.pair.diameter._MOST_IN_CORE", work // 4)
    rough = rpw.diameter(points, metric=metric)
    assert rough >= found
    assert rough.lower <= found.lower


def test_a_diameter_is_a_float_that_says_whether_it_is_exact():
    bound = Diameter(3.5, 2.0)
    for same in (bound, pickle.loads(pickle.dumps(bound)), copy.copy(bound), copy.deepcopy(bound)):
        assert isinstance(same, float)
        assert (float(same), same.lower, same.is_exact) == (3.5, 2.0, False)
    assert repr(bound) == "3.5"
    assert json.dumps(bound) == "3.5"
    assert bound + 1 == 4.5
    assert hash(bound) == hash(3.5)
    assert Diameter(2).is_exact
    assert rpw.distance([0.0], [1.0], diameter=bound) == rpw.distance([0.0], [1.0], diameter=3.5)


# ---------------------------------------------------------------- without gross outliers


@pytest.mark.parametrize("metric", NORMS)
@pytest.mark.parametrize("d", [1, 2, 10, 100])
def test_one_row_of_three_hundred_does_not_matter(metric, d):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        inliers = rng.standard_normal((299, d))
        own = rpw.diameter(inliers, metric=metric)
        for far in (1e4, 1e9, 1e200):
            points = rng.permutation(np.concatenate([inliers, np.full((1, d), far)]))
            found = rpw.diameter(points, metric=metric, quantile=0.99)
            assert 0.75 * own <= found <= own
            assert found.is_exact


def test_inliers_of_a_callable():
    inliers = RNG.standard_normal((99, 2))
    metric = Counting()
    found = rpw.diameter(np.concatenate([inliers, [[1e4, 1e4]]]), metric=metric, quantile=0.99)
    assert found == pytest.approx(rpw.diameter(inliers, metric="cityblock"), rel=1e-14)
    assert metric.calls <= 100**2 + 99**2 / 2 + 10 * 100


@pytest.mark.parametrize("share", [0.01, 0.1, 0.4])
def test_up_to_the_share_that_is_left_out_points_may_lie_anywhere(share):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        count = round(share * 1000)
        shapes = (
            rng.standard_normal((count, 2)) * 1e6,  # everywhere
            np.array([1e5, 0]) + rng.standard_normal((count, 2)) * 1e-3,  # a clump
            np.outer(np.arange(count) + 50, [-1.0, 1.0]),  # a ray that begins close by
        )
        inliers = rng.random((1000 - count, 2))
        for outliers in shapes:
            found = rpw.diameter(outliers, inliers, quantile=1 - share)
            assert 0.9 * math.sqrt(2) * (1 - share) <= found <= math.sqrt(2)


def test_what_is_left_out_are_the_points_farthest_from_the_middle():
    points = np.arange(101.0)  # the middle is 50
    assert rpw.diameter(points) == 100
    assert rpw.diameter(points, quantile=0.9) == 90  # ten points may lie anywhere: five at each end
    assert rpw.diameter(points, quantile=1 - 1e-9) == 100
    assert rpw.diameter([0.0, 1.0, 1e4], quantile=0.5) == 1
    assert rpw.diameter(np.arange(10.0), quantile=0.9) in (8, 9)  # one of ten, although 1 - 0.9 is less than 0.1
    assert rpw.diameter([*range(9), 1e4], quantile=0.9) == 8
    assert rpw.diameter([*range(9), 1e4], quantile=0.91) == 1e4  # less than one point
    assert rpw.diameter([3.0], quantile=0.5) == 0
    assert rpw.diameter([[2.0, 2.0]] * 5 + [[1.0, 9.0]], quantile=0.8) == 0


def test_inliers_do_not_depend_on_the_order_nor_on_weights():
    points = np.random.default_rng(5).standard_t(2, (2000, 3))
    found = {float(rpw.diameter(RNG.permutation(points), quantile=0.95)) for _ in range(5)}
    found.add(float(rpw.diameter(rpw.Measure(points, np.arange(2000.0)), quantile=0.95)))
    assert len(found) == 1
    assert found.pop() < rpw.diameter(points)


@pytest.mark.parametrize(("metric", "d"), [("euclidean", 8), ("cityblock", 30), ("chebyshev", 3)])
def test_inliers_of_a_lattice_do_not_depend_on_the_order_either(metric, d):
    """Many of its points lie equally far from the corner, and have the same sum of coordinates."""
    points = np.random.default_rng(6).standard_normal((700, d)).round()
    for quantile in (0.5, 0.9):
        shuffled = (RNG.permutation(points) for _ in range(8))
        assert len({float(rpw.diameter(these, metric=metric, quantile=quantile)) for these in shuffled}) == 1


def test_a_shift_of_one_sigma_is_seen_again():
    """One row of 300 at 1e4 hides it in units of the largest distance, and not in those of the inliers."""
    rng = np.random.default_rng(2)
    x, y = rng.standard_normal((2, 300, 2))
    x[0], shift = 1e4, np.array([1, 0])
    hidden = rpw.distance(x, y + shift, diameter=rpw.diameter(x, y))
    seen = rpw.distance(x, y + shift, diameter=rpw.diameter(x, y, quantile=0.99))
    same = rpw.distance(x, y, diameter=rpw.diameter(x, y, quantile=0.99))
    assert hidden < 0.02
    assert seen > 0.08
    assert seen > 1.5 * same


# ---------------------------------------------------------------- hostile input


@pytest.mark.parametrize("quantile", [0, -0.5, 1.5, math.nan, math.inf, "0.5", None, True, [0.5], 1j])
def test_a_quantile_lies_between_0_and_1(quantile):
    with pytest.raises(ValueError, match="quantile"):
        rpw.diameter([0.0, 1.0], quantile=quantile)


@pytest.mark.parametrize("metric", NORMS)
@pytest.mark.parametrize("quantile", [1, 0.5])
def test_points_that_float64_cannot_measure(metric, quantile):
    with pytest.raises(ValueError, match="too far apart"):
        rpw.diameter([[-1e308, 0.0], [1e308, 0.0], [1e308, 1.0]], metric=metric, quantile=quantile)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -1.0, None, "far"])
def test_a_metric_that_returns_nonsense_is_refused(bad):
    with pytest.raises(ValueError, match="metric"):
        rpw.diameter(RNG.random((5, 2)), metric=lambda x, y: bad)


def test_the_time_limit_of_a_matrix_is_noticed_while_its_diameter_is_sought():
    clouds = list(RNG.standard_normal((4, 400, 30)))

    def slow(x, y):
        time.sleep(0.001)
        return float(abs(x - y).sum())

    start = time.monotonic()
    with pytest.raises(rpw.TimeLimitError):
        rpw.pairwise(clouds, metric=slow, diameter="auto", time_limit=0.2)
    assert time.monotonic() - start < 60  # all pairs would take twenty minutes
