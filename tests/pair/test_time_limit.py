"""``time_limit``: bounds come back, or an error that carries what is known."""

import math
import pickle
import time

import numpy as np
import pytest

import rpw

RNG = np.random.default_rng(5)
X, Y = RNG.random((1200, 3)), RNG.random((1200, 3))
A, B = RNG.dirichlet(np.ones(1200)), RNG.dirichlet(np.ones(1200))
NUMBERS = {
    "distance": (lambda **o: rpw.distance(X, Y, A, B, k=10, diameter=2, **o), 1.0),
    "levy_prokhorov": (lambda **o: rpw.levy_prokhorov(X, Y, A, B, **o), 1.0),
    "wasserstein": (lambda **o: rpw.wasserstein(X, Y, A, B, **o), math.inf),
    "partial_wasserstein": (lambda **o: rpw.partial_wasserstein(X, Y, A, B, mass=0.9, **o), math.inf),
    "robot": (lambda **o: rpw.robot(X, Y, A, B, lam=0.4, **o), math.inf),
}


def slow(x, y):
    time.sleep(0.004)
    return float(np.abs(x - y).max())


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("seconds", [0, 0.003])
def test_numbers_raise_with_bounds_around_the_answer(name, seconds):
    ask, most = NUMBERS[name]
    with pytest.raises(TimeoutError) as caught:
        ask(time_limit=seconds)
    error = caught.value
    assert isinstance(error, rpw.TimeLimitError)
    assert 0 <= error.lower <= error.upper <= most
    answer = ask(time_limit=600)
    assert error.lower <= answer * (1 + 1e-9)
    assert error.upper >= answer * (1 - 1e-9)
    assert answer == ask()


@pytest.mark.parametrize("ask", [rpw.distance, rpw.total_variation, rpw.wasserstein, rpw.levy_prokhorov])
def test_distances_in_python_are_given_up_too(ask):
    # 0.004 s for a pair of points, and a look at the clock before each block of pairs.
    with pytest.raises(rpw.TimeLimitError) as caught:
        ask([0.0, 2.0], [1.0, 3.0], metric=slow, time_limit=0)
    assert caught.value.lower == 0
    assert caught.value.upper == (math.inf if ask is rpw.wasserstein else 1)


@pytest.mark.parametrize("ask", [rpw.solve, rpw.profile, rpw.transport, rpw.distance])
def test_the_clock_is_looked_at_before_each_call_of_a_metric(ask):
    """3,600 calls of 0.004 s are one block of pairs: without a look between them they take 14 s."""
    x, y = RNG.random((2, 60, 2))
    start = time.monotonic()
    try:
        result = ask(x, y, metric=slow, time_limit=0.2)
        assert result.status == "time_limit"
    except rpw.TimeLimitError:
        pass
    assert time.monotonic() - start < 2


def test_total_variation_with_time():
    assert rpw.total_variation([0.0, 1.0], [1.0, 2.0], time_limit=60) == 0.5


def test_a_profile_has_no_bounds():
    with pytest.raises(rpw.TimeLimitError) as caught:
        rpw.profile(X, Y, A, B, time_limit=0.01)
    assert caught.value.lower is caught.value.upper is None
    assert rpw.profile([0.0], [1.0], time_limit=60) == rpw.profile([0.0], [1.0])


@pytest.mark.parametrize("ask", [rpw.distance, rpw.profile, rpw.wasserstein, rpw.total_variation])
def test_what_is_no_time_limit(ask):
    for wrong in (-1, math.nan, "soon"):
        with pytest.raises(ValueError, match="time_limit"):
            ask([0.0], [1.0], time_limit=wrong)
    with pytest.raises(ValueError, match="time_limit"):
        rpw.pairwise([[[0.0]]], time_limit=-1)


@pytest.mark.parametrize("options", [{"metric": slow}, {}])
def test_a_matrix_says_how_far_it_came(options):
    clouds = list(RNG.random((60, 1, 2))) if options else list(RNG.random((40, 200, 3)))
    total = len(clouds) * (len(clouds) - 1) // 2
    with pytest.raises(rpw.TimeLimitError, match=f"of {total:,} pairs") as caught:
        rpw.pairwise(clouds, diameter=2, n_threads=1, time_limit=0.2, **options)
    assert 0 < caught.value.done < caught.value.total == total
    assert caught.value.lower is None


CALLS = {"quick": 0}


def slow_in_the_end(x, y):
    CALLS["quick"] -= 1
    if CALLS["quick"] < 0:
        time.sleep(0.1)
    return float(np.abs(x - y).max())


def test_finished_tiles_stay(tmp_path):
    pytest.importorskip("zarr")
    clouds = list(RNG.random((16, 1, 2)))
    asked = {"metric": slow_in_the_end, "out": tmp_path / "D.zarr", "n_threads": 1}
    CALLS["quick"] = 16 * 16 + 60  # the distances that tell the metric from others, and half of the pairs
    with pytest.raises(rpw.TimeLimitError) as caught:
        rpw.pairwise(clouds, time_limit=1.5, **asked)
    assert 0 < caught.value.done < caught.value.total == 120
    CALLS["quick"] = 10**6
    seen = []
    stored = rpw.pairwise(clouds, progress=lambda done, total: seen.append(done), **asked)
    assert seen[0] == caught.value.done
    np.testing.assert_array_equal(stored[:], rpw.pairwise(clouds, metric="chebyshev"))


def test_a_cluster_keeps_to_the_time_too(tmp_path):
    distributed = pytest.importorskip("distributed")
    clouds = list(RNG.random((40, 1, 2)))
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
        pytest.raises(rpw.TimeLimitError) as caught,
    ):
        rpw.pairwise(clouds, metric=slow, client=client, time_limit=0.5)
    assert caught.value.done < caught.value.total == 780


def test_the_error_pickles():
    for error in (rpw.TimeLimitError(0.25, 0.5), rpw.TimeLimitError(done=3, total=8), rpw.TimeLimitError()):
        copy = pickle.loads(pickle.dumps(error))
        assert str(copy) == str(error)
        assert vars(copy) == vars(error)


def test_a_profile_is_given_up_also_while_its_width_is_measured():
    """A metric that becomes slow once the matrix is there: what `elbow` will need takes hundreds of calls more."""
    calls = 0

    def metric(x, y):
        nonlocal calls
        calls += 1
        if calls > 32 * 32:
            time.sleep(0.05)
        return float(np.abs(x - y).sum())

    x, y = np.random.default_rng(0).random((2, 32, 2))
    rpw.profile(x[:2], y[:2], metric=metric)  # what is imported on the way is
    calls = 0
    with pytest.raises(rpw.TimeLimitError):
        rpw.profile(x, y, metric=metric, time_limit=2)
    assert 32 * 32 < calls < 32 * 32 + 100


def test_points_on_a_line_only_up_to_rounding_prove_nothing_early():
    """Beside points at 1e100 the others lie on one line, up to rounding that is far longer than their distances."""
    rng = np.random.default_rng(0)
    x, y, b = rng.random((3000, 2)), rng.random((3000, 2)), rng.dirichlet(np.ones(3000))
    y[:300] += 1e100
    asked = {"b": b, "p": math.inf, "k": 0.1, "diameter": 1}
    exact = rpw.distance(x, y, **asked)
    for limit in np.geomspace(5e-4, 0.05, 60).tolist():
        result = rpw.solve(x, y, **asked, time_limit=limit)
        assert result.lower <= exact * (1 + 1e-9)
        assert exact <= result.upper * (1 + 1e-9)
