"""The warning that points reach far beyond a diameter that was left out."""

import pickle
import warnings
from dataclasses import replace

import numpy as np
import pytest

import rpw
from rpw.base.arrays import _TORCH, GpuPoints, Home
from rpw.pair.ground import Points
from rpw.pair.metrics import as_metric

RNG = np.random.default_rng(0)
X, Y = RNG.random((6, 2)), RNG.random((5, 2))
X[0], Y[0] = (0.0, 0.0), (1.0, 1.0)  # the box is the unit square
SQRT2 = np.sqrt(2)
M = np.abs(np.subtract.outer(X[:, 0], Y[:, 0]))
M[0, 1] = M.max()
SQUARE = np.abs(np.subtract.outer(np.arange(6.0), np.arange(6.0))) / 5
ROWS = RNG.random((3, 6))

# Functions of one length by which everything is scaled, and what they reach over at length 1.
CALLS = {
    "solve": (lambda s, **o: rpw.solve(s * X, s * Y, **o), SQRT2),
    "distance": (lambda s, **o: rpw.distance(s * X, s * Y, **o), SQRT2),
    "distance of Measures": (lambda s, **o: rpw.distance(rpw.Measure(s * X), rpw.Measure(s * Y), **o), SQRT2),
    "distance of strided points": (lambda s, **o: rpw.distance((s * X)[::-1], np.asfortranarray(s * Y), **o), SQRT2),
    "distance at p = inf": (lambda s, **o: rpw.distance(s * X, s * Y, p=np.inf, **o), SQRT2),
    "distance by minkowski": (lambda s, **o: rpw.distance(s * X, s * Y, metric="minkowski", **o), SQRT2),
    "distance by cityblock": (lambda s, **o: rpw.distance(s * X, s * Y, metric="cityblock", **o), 2.0),
    "distance by chebyshev": (lambda s, **o: rpw.distance(s * X, s * Y, metric="chebyshev", **o), 1.0),
    "distance of costs": (lambda s, **o: rpw.distance(cost=s * M, **o), M.max()),
    "distance of strided costs": (lambda s, **o: rpw.distance(cost=np.asfortranarray(s * M), **o), M.max()),
    "profile": (lambda s, **o: rpw.profile(s * X, s * Y, **o).distance(1), SQRT2),
    "profile by lmr": (lambda s, **o: rpw.profile(s * X, s * Y, solver="lmr", tol=0.1, **o).distance(1), SQRT2),
    "profile at p = inf": (lambda s, **o: rpw.profile(s * X, s * Y, p=np.inf, **o).distance(1), SQRT2),
    "profile of costs": (lambda s, **o: rpw.profile(cost=s * M, **o).distance(1), M.max()),
    "pairwise": (lambda s, **o: rpw.pairwise([s * X, s * Y], **o), SQRT2),
    "pairwise of two": (lambda s, **o: rpw.pairwise([s * X], [s * Y], **o), SQRT2),
    "pairwise on a support": (lambda s, **o: rpw.pairwise(ROWS, support=s * np.linspace(0, 1, 6), **o), 1.0),
    "pairwise of costs": (lambda s, **o: rpw.pairwise(ROWS, cost=s * SQUARE, **o), 1.0),
    "Index": (lambda s, **o: rpw.Index([s * X, s * Y], **o).query(s * X, top=2)[0], SQRT2),
    "Index of costs": (lambda s, **o: rpw.Index(ROWS, cost=s * SQUARE, **o).query(ROWS, top=2)[0], 1.0),
}


def warnings_of(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        answer = call()
    return [str(one.message) for one in caught], answer, [one.filename for one in caught]


@pytest.mark.parametrize("name", CALLS)
def test_warns_once_with_the_reason_and_the_way_out(name):
    call, unit = CALLS[name]
    length = 37.0 / unit
    messages, answer, files = warnings_of(lambda: call(length))
    assert len(messages) == 1
    assert (" reach" if "cost" in name else " span") in messages[0]
    assert " more than 2, " in messages[0]
    assert ("one diameter, the largest cost, for" if "cost" in name else "diameter=rpw.diameter(...)") in messages[0]
    assert files == [__file__]
    messages, given, _ = warnings_of(lambda: call(length, diameter=1))
    assert messages == []
    assert np.array_equal(given, answer) if isinstance(answer, np.ndarray) else given == answer


@pytest.mark.parametrize("name", CALLS)
def test_says_nothing_within_two_diameters_or_where_one_was_passed(name):
    call, unit = CALLS[name]
    assert warnings_of(lambda: call(1.99 / unit))[0] == []
    assert len(warnings_of(lambda: call(2.01 / unit))[0]) == 1
    for diameter in (1, 1.0, 0.1, 50):
        assert warnings_of(lambda d=diameter: call(37.0, diameter=d))[0] == []


def test_directions_in_many_dimensions_lie_close_although_their_box_is_wide():
    x, y = RNG.standard_normal((2, 200, 64))
    x, y = (cloud / np.linalg.norm(cloud, axis=1, keepdims=True) for cloud in (x, y))
    both = np.concatenate([x, y])
    assert np.linalg.norm(both.max(axis=0) - both.min(axis=0)) > 4
    assert rpw.diameter([x, y]) < 2
    assert warnings_of(lambda: rpw.distance(x, y))[0] == []
    assert warnings_of(lambda: rpw.pairwise([x, y]))[0] == []
    assert warnings_of(lambda: rpw.Index([x, y]).query(x, top=1))[0] == []
    assert len(warnings_of(lambda: rpw.distance(x, 2 * y))[0]) == 1


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "chebyshev", "minkowski"])
@pytest.mark.parametrize("dimension", [1, 2, 3, 20])
def test_only_what_is_wider_than_two_is_warned_of_and_all_that_is_twice_as_wide(metric, dimension):
    order = {"cityblock": 1, "chebyshev": np.inf}.get(metric, 2)
    cloud = RNG.standard_normal((60, dimension)) * RNG.random(dimension)
    width = np.linalg.norm(cloud[:, None] - cloud, order, axis=2).max()
    for length, expected in ((1.99, 0), (4.01, 1)):
        x, y = np.split(cloud * (length / width), 2)
        assert len(warnings_of(lambda x=x, y=y: rpw.distance(x, y, metric=metric))[0]) == expected


def test_a_loop_over_different_lengths_is_warned_of_once():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for length in (10, 20, 30):
            rpw.distance(length * X, length * Y)
            rpw.profile(length * X, length * Y).distance(1)
    assert len({one.lineno for one in caught}) == len(caught) == 2


@pytest.mark.parametrize("use", ["query", "radius_query", "add"])
def test_an_index_warns_once_of_measures_that_come_later(use, tmp_path):
    def call(index, q):
        return {"query": lambda: index.query(q), "radius_query": lambda: index.radius_query(q, 0.5)}.get(
            use, lambda: index.add([q])
        )()

    index = rpw.Index([X, Y])
    assert warnings_of(lambda: call(index, X + 0.1))[0] == []
    messages, _, files = warnings_of(lambda: call(index, X + 40))
    assert len(messages) == 1
    assert files == [__file__]
    assert warnings_of(lambda: call(index, X + 40))[0] == []
    for silent in (rpw.Index([X, Y], diameter=1), rpw.Index([X, Y], k=0), rpw.Index(ROWS, support=np.eye(6))):
        q = ROWS[0] if len(silent) == len(ROWS) else X + 40
        assert warnings_of(lambda i=silent, q=q: call(i, q))[0] == []


FAR = 100 * X, 100 * Y


@pytest.mark.parametrize(
    "call",
    [
        lambda: rpw.distance(*FAR, k=0),
        lambda: rpw.solve(*FAR, k=0),
        lambda: rpw.profile(*FAR),
        lambda: rpw.profile(*FAR)(0.5),
        lambda: rpw.profile(*FAR).distance(0),
        lambda: rpw.choose_solver(*FAR),  # what is chosen does not depend on it
        lambda: rpw.wasserstein(*FAR),
        lambda: rpw.partial_wasserstein(*FAR, mass=0.5),
        lambda: rpw.robot(*FAR, lam=1),
        lambda: rpw.total_variation(*FAR),
        lambda: rpw.levy_prokhorov(*FAR),
        lambda: rpw.pairwise(FAR, k=0),
        lambda: rpw.pairwise(FAR, diameter="auto"),
        lambda: rpw.pairwise(FAR, distance="wasserstein"),
        lambda: rpw.pairwise(FAR, distance="partial_wasserstein", mass=0.5),
        lambda: rpw.pairwise(FAR, distance="robot", lam=1),
        lambda: rpw.pairwise(FAR, distance="total_variation"),
        lambda: rpw.pairwise(FAR, distance="levy_prokhorov"),
        lambda: rpw.Index(FAR, diameter="auto"),
        lambda: rpw.Index(FAR, k=0),
        lambda: rpw.distance(*FAR, metric="canberra"),  # nothing that would take longer than a pass over the points
        lambda: rpw.distance(*FAR, metric=lambda x, y: float(np.abs(x - y).max())),
    ],
)
def test_says_nothing_where_the_diameter_does_not_matter_or_costs_time_to_judge(call):
    assert warnings_of(call)[0] == []


def test_points_that_float64_cannot_measure_are_an_error_and_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match="too far apart"):
            rpw.distance([[-1e308]], [[1e308]])
        index = rpw.Index([[[0.0]], [[-1e308]], [[1e308]]])
        index.add([[[0.5]]])
    assert len(warnings_of(lambda: index.add([[[3.0]]]))[0]) == 1


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "chebyshev"])
def test_one_pair_that_float64_cannot_measure_does_not_cost_the_others(metric):
    clouds = [[[0.0] * 9], [[0.5] * 9], [[1e308] * 9]]  # the sum of the sides is infinite, not each side
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = rpw.pairwise(clouds, metric=metric, on_error="nan")
    assert found[0, 1] == rpw.distance(*clouds[:2], metric=metric)
    assert np.isnan(found[2, 0])


def test_a_profile_keeps_its_warning_when_pickled():
    curve = pickle.loads(pickle.dumps(rpw.profile(*FAR)))
    with pytest.warns(UserWarning, match="span more than 2"):
        curve.distance(1)
    given = pickle.loads(pickle.dumps(rpw.profile(*FAR, diameter=1)))
    assert given == curve  # as curves they are the same
    assert warnings_of(lambda: given.distance(1))[0] == []


def test_an_index_keeps_its_diameter_and_says_nothing_again(tmp_path):
    with pytest.warns(UserWarning, match="span more than 2"):
        rpw.Index(FAR).save(tmp_path / "I")

    def again():
        index = rpw.Index.load(tmp_path / "I")
        index.add([FAR[0]])
        index.query(FAR[1], top=1)
        return index.diameter

    assert warnings_of(again)[:2] == ([], 1.0)


def test_a_store_does_not_care_whether_the_default_was_written_out(tmp_path):
    pytest.importorskip("zarr")
    with pytest.warns(UserWarning, match="span more than 2"):
        first = rpw.pairwise(FAR, out=tmp_path / "D.zarr")[:]
    assert np.array_equal(rpw.pairwise(FAR, out=tmp_path / "D.zarr", diameter=1.0)[:], first)  # else it is refused


# ---------------------------------------------------------------- the other end


CLOSE = 0.001 * RNG.standard_normal((15, 2)), 0.001 * RNG.standard_normal((15, 2))
PLACES = 0.001 * RNG.random((24, 3))
HISTOGRAMS = RNG.random((3, 24))
COSTS = np.abs(np.subtract.outer(PLACES[:, 0], PLACES[:, 0]))
NEAR = {
    "solve": lambda **o: rpw.solve(*CLOSE, **o),
    "distance": lambda **o: rpw.distance(*CLOSE, **o),
    "distance at p = inf": lambda **o: rpw.distance(*CLOSE, p=np.inf, **o),
    "distance by cityblock": lambda **o: rpw.distance(*CLOSE, metric="cityblock", **o),
    "distance of costs": lambda **o: rpw.distance(cost=COSTS, **o),
    "pairwise": lambda **o: rpw.pairwise(CLOSE, **o),
    "pairwise of two": lambda **o: rpw.pairwise(CLOSE[:1], CLOSE[1:], **o),
    "pairwise on a support": lambda **o: rpw.pairwise(HISTOGRAMS, support=PLACES, **o),
    "pairwise of costs": lambda **o: rpw.pairwise(HISTOGRAMS, cost=COSTS, **o),
    "solve_pairs": lambda **o: rpw.solve_pairs(CLOSE[:1], CLOSE[1:], **o),
    "Index": lambda **o: rpw.Index(CLOSE, **o),
}


@pytest.mark.parametrize("name", NEAR)
def test_points_that_fill_hardly_any_of_the_default_diameter_are_warned_of(name):
    messages, _, files = warnings_of(NEAR[name])
    assert len(messages) == 1
    assert "all points (or all costs) span less than 0.05" in messages[0]
    assert ("one diameter, the largest cost, for" if "cost" in name else "diameter=rpw.diameter(...)") in messages[0]
    assert files == [__file__]
    for diameter in (1, 0.005):
        assert warnings_of(lambda d=diameter: NEAR[name](diameter=d))[0] == []
    assert warnings_of(lambda: NEAR[name](k=0))[0] == []


@pytest.mark.parametrize("name", NEAR)
def test_a_pair_is_not_warned_of_where_k_was_chosen_and_a_collection_where_k_makes_up_for_it(name):
    is_pair = name.startswith(("solve", "distance")) and name != "solve_pairs"
    for k in (1, 1.0, np.float64(1), 10):
        assert len(warnings_of(lambda k=k: NEAR[name](k=k))[0]) == (not is_pair)
    assert warnings_of(lambda: NEAR[name](k=0.01))[0] == []
    if name.startswith("pairwise"):
        assert warnings_of(lambda: NEAR[name](k=[0.01, 1, 10]))[0] == []
        assert len(warnings_of(lambda: NEAR[name](k=[2, 1, 10]))[0]) == 1


def test_how_many_points_and_how_close():
    line = np.linspace(0, 1, 20)
    for length, count in ((0.0499, 1), (0.0501, 0)):
        assert len(warnings_of(lambda s=length: rpw.distance(s * line, s * line[::2]))[0]) == count
        assert len(warnings_of(lambda s=length: rpw.pairwise([s * line, s * line[:1]]))[0]) == count
    for few in (line[:19], np.repeat(line[:19], 50), np.zeros(50)):
        assert warnings_of(lambda x=few: rpw.distance(0.01 * x, 0.01 * x))[0] == []
        assert warnings_of(lambda x=few: rpw.pairwise([0.01 * x, 0.01 * x]))[0] == []


def test_points_of_another_library_are_looked_at_too():
    given = np.concatenate(CLOSE)
    library = replace(_TORCH, part=lambda x, part: x[part], to_host=np.asarray)
    held = GpuPoints(given, Home(library, 0, given))  # as they lie in a collection on a GPU
    ground = Points(as_metric("euclidean"))
    assert ground.extent(held, held).are_many
    assert ground.extent(held, held[:3]).are_many
    assert not ground.extent(held[:3], held[:3]).are_many


def test_an_index_is_never_warned_of_what_is_close_later():
    index = rpw.Index([np.zeros((1, 2))])
    assert warnings_of(lambda: index.add(list(CLOSE)))[0] == []
    assert warnings_of(lambda: index.query(CLOSE[0], top=1))[0] == []
    assert warnings_of(lambda: index.radius_query(CLOSE[0], 0.1))[0] == []


@pytest.mark.parametrize(
    "call",
    [
        lambda: rpw.profile(*CLOSE).distance(1),
        lambda: rpw.wasserstein(*CLOSE),
        lambda: rpw.levy_prokhorov(*CLOSE),
        lambda: rpw.choose_solver(*CLOSE),
        lambda: rpw.sliced(*CLOSE, k=1, n_projections=9),
        lambda: rpw.pairwise(CLOSE, distance="wasserstein"),
        lambda: rpw.pairwise(CLOSE, diameter="auto"),
        lambda: rpw.distance(*CLOSE, metric=lambda x, y: float(abs(x - y).max())),
    ],
)
def test_says_nothing_of_close_points_elsewhere(call):
    assert warnings_of(call)[0] == []


def test_with_their_own_diameter_outliers_are_told_apart():
    """At a scale of 0.001 and Δ = 1, RPW is W_2 and names hardly any of the 20 planted ones."""
    rng = np.random.default_rng(4)
    x, y = 0.001 * rng.standard_normal((2, 200, 2))
    y[:20] += 0.02
    with pytest.warns(UserWarning, match="as sensitive to outliers as W_p"):
        lost = rpw.solve(x, y)
    assert lost.distance == pytest.approx(rpw.wasserstein(x, y), rel=0.05)
    kept = rpw.solve(x, y, diameter=rpw.diameter(x, y, quantile=0.9), k=0.2)
    assert (kept.unmatched_b[:20] > 0.0025).sum() >= 15
    assert (lost.unmatched_b[:20] > 0.0025).sum() <= 2
