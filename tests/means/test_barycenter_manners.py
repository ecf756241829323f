"""How `rpw.barycenter` behaves: arguments, time limits, Ctrl-C, progress, pictures, pickles."""

import pickle
import threading
import time

import numpy as np
import pytest
from children import interrupted

import rpw

RNG = np.random.default_rng(0)
CLOUDS = [np.array([[0.0, 0.0], [1.0, 0.0]]), np.array([[0.5, 0.0], [0.5, 1.0], [0.0, 0.25]])]
SUPPORT = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
FREE, FIXED = {"n_points": 2, "diameter": 1}, {"support": SUPPORT, "diameter": 1}

REFUSED = {
    "nothing moves": ({}, "n_points .* or support"),
    "both move": (FREE | FIXED, "n_points .* or support"),
    "no points": (FREE | {"n_points": 0}, "n_points"),
    "half a point": (FREE | {"n_points": 1.5}, "n_points"),
    "a truth value of points": (FREE | {"n_points": True}, "n_points"),
    "empty support": (FIXED | {"support": np.empty((0, 2))}, "support"),
    "NaN in support": (FIXED | {"support": [[0.0, np.nan]]}, "support"),
    "support of another dimension": (FIXED | {"support": np.zeros((3, 3))}, "support .* dimension 3"),
    "p = inf": (FREE | {"p": np.inf}, "p must be finite"),
    "p < 1": (FREE | {"p": 0.5}, "p must"),
    "k = 0": (FREE | {"k": 0}, "k must be positive"),
    "k < 0": (FREE | {"k": -1}, "k must"),
    "k beyond float64": (FREE | {"k": 1e200}, r"^k=1e\+200 is too large for a barycenter.*smaller k"),
    "k beyond float64 on a support": (FIXED | {"k": 1e200}, r"^k=1e\+200 is too large for a barycenter.*smaller k"),
    "a diameter beyond float64": (FREE | {"diameter": 1e200}, "diameter=1e\\+200 and p=2.*rescale"),
    "a list of k": (FREE | {"k": [1, 2]}, "k must"),
    "diameter": (FREE | {"diameter": 0}, "diameter"),
    "diameter in words": (FREE | {"diameter": "large"}, "diameter"),
    "weights": (FREE | {"weights": [1]}, "weights"),
    "negative weights": (FREE | {"weights": [1, -1]}, "weights"),
    "weights of nothing": (FREE | {"weights": [0, 0]}, "weights"),
    "objective": (FREE | {"objective": "w2"}, "objective must be 'rpw_p' or 'rpw'"),
    "trim": (FREE | {"trim": 1}, "trim"),
    "trim < 0": (FREE | {"trim": -0.1}, "trim"),
    "trim as a text": (FREE | {"trim": "0.2"}, "trim"),
    "another metric": (FREE | {"metric": "cityblock"}, "metric must be 'euclidean'"),
    "a metric of arrays": (FREE | {"metric": np.array(["euclidean", "cityblock"])}, "metric"),
    "no metric": (FIXED | {"metric": "sqeuclidean"}, "sqeuclidean"),
    "free weights on a support": (FIXED | {"free_weights": True}, "free_weights"),
    "free weights as a number": (FREE | {"free_weights": 1}, "free_weights"),
    "starts on a support": (FIXED | {"n_starts": 2}, "n_starts"),
    "no starts": (FREE | {"n_starts": 0}, "n_starts"),
    "seed": (FREE | {"seed": -1}, "seed"),
    "tol": (FREE | {"tol": -1}, "tol"),
    "max_iter": (FREE | {"max_iter": 0}, "max_iter"),
    "n_threads": (FREE | {"n_threads": 0}, "n_threads"),
    "progress": (FREE | {"progress": "yes"}, "progress"),
    "device": (FREE | {"device": "tpu"}, "device"),
    "time_limit": (FREE | {"time_limit": -1}, "time_limit"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_bad_argument_is_named(name):
    options, words = REFUSED[name]
    with pytest.raises(ValueError, match=words):
        rpw.barycenter(CLOUDS, **options)


@pytest.mark.parametrize(
    ("measures", "words"),
    [
        ([], "measures"),
        (rpw.Measure(CLOUDS[0]), "measures"),
        (np.zeros((3, 2)), "measures"),
        ([CLOUDS[0], np.zeros((2, 3))], "measures"),
        ([CLOUDS[0], [[np.nan, 0.0]]], r"measures\[1\]"),
        ("digits", "measures"),
        (None, "measures"),
        (7, "measures"),
    ],
    ids=str,
)
def test_bad_measures_are_named(measures, words):
    with pytest.raises(ValueError, match=words):
        rpw.barycenter(measures, **FREE)


@pytest.mark.parametrize(
    "rows", [[[1.0, 2.0]], [[1.0, -1.0, 0.0]], [[0.0, 0.0, 0.0]], [], 3.0, [None], "rows"], ids=str
)
def test_bad_histograms_are_named(rows):
    with pytest.raises(ValueError, match="measures"):
        rpw.barycenter(rows, **FIXED)


def test_a_diameter_that_is_left_out_is_1_with_a_warning():
    far = [cloud * 10 for cloud in CLOUDS]
    with pytest.warns(UserWarning, match="diameter"):
        plain = rpw.barycenter(far, n_points=2)
    assert plain.objective == rpw.barycenter(far, n_points=2, diameter=1).objective
    whole = rpw.barycenter(far, n_points=2, diameter="auto")
    assert whole.diameter == rpw.diameter(far)
    assert whole.objective == rpw.barycenter(far, n_points=2, diameter=rpw.diameter(far)).objective


@pytest.mark.parametrize("scale", [1e-6, 1e6])
@pytest.mark.parametrize("options", [{"n_points": 3}, {"support": SUPPORT}], ids=str)
def test_the_unit_of_length_does_not_matter(scale, options):
    plain = rpw.barycenter(CLOUDS, **options, diameter=1)
    moved = {name: value * scale if name == "support" else value for name, value in options.items()}
    scaled = rpw.barycenter([cloud * scale for cloud in CLOUDS], **moved, diameter=scale)
    # Rounding may lead to another local optimum.
    assert scaled.objective == pytest.approx(plain.objective, rel=3e-3)


# ---------------------------------------------------------------- time


@pytest.mark.parametrize("options", [{"n_points": 40}, {"support": "clouds"}, {"n_points": 40, "free_weights": True}])
@pytest.mark.parametrize("seconds", [0.0, 0.3])
def test_time_limit_gives_the_best_so_far(options, seconds):
    clouds = RNG.random((12, 150, 2))
    if "support" in options:
        options = {"support": clouds[:4].reshape(-1, 2)}
    start = time.monotonic()
    found = rpw.barycenter(clouds, **options, diameter=1, tol=1e-9, time_limit=seconds)
    assert time.monotonic() - start < 10
    assert found.status == "time_limit"
    assert found.distances.shape == (12,)
    assert found.objective == pytest.approx((found.distances**2).mean())
    if found.lower is not None:
        assert 0 <= found.lower <= found.objective


@pytest.mark.thorough
def test_starts_that_had_no_turn_are_told():
    """The best start has converged, and time was up before the others: that is no convergence."""
    clouds, start = RNG.random((4, 15, 2)), time.monotonic()
    found = rpw.barycenter(clouds, n_points=6, diameter=1, n_starts=500, time_limit=4)
    assert time.monotonic() - start < 40
    assert found.status == "time_limit"
    assert len(found.start_objectives) < 500


def test_max_iter_is_told():
    clouds = RNG.random((5, 20, 2))
    for options in ({"n_points": 10}, {"support": clouds[0]}):
        found = rpw.barycenter(clouds, **options, diameter=1, tol=0, max_iter=2)
        assert found.status == "max_iter"
        assert len(found.history) <= 3


def test_the_last_digit_of_a_gap_ends_the_search():
    """At tol = 0 the gap stays open by rounding, and the search ends all the same."""
    found = rpw.barycenter(CLOUDS, **FIXED, tol=0)
    assert found.status in ("converged", "tolerance")
    assert found.gap <= 1e-6 * found.objective


LONG = """
import time
import numpy as np
import rpw

clouds = np.random.default_rng(0).random((20, 300, 2))
print("ready", flush=True)
try:
    rpw.barycenter(clouds, OPTIONS, diameter=1, tol=0, max_iter=10**6)
    print("finished", flush=True)
except KeyboardInterrupt:
    print("interrupted", time.time(), flush=True)
    assert rpw.distance([0.0], [1.0], p=1) == 0.5
    print("healthy", flush=True)
"""


@pytest.mark.sample(1)
@pytest.mark.parametrize("options", ["n_points=200, n_starts=100", "support=clouds[0]"])
def test_ctrl_c_ends_it(options):
    lines, sent, errors = interrupted(LONG.replace("OPTIONS", options), after=1.5)
    assert lines, errors
    assert lines[0].startswith("interrupted"), errors
    assert float(lines[0].split()[1]) - sent < 10
    assert lines[1:] == ["healthy"], errors


def test_no_thread_outlives_the_call():
    before = set(threading.enumerate())
    rpw.barycenter(CLOUDS, **FREE)
    rpw.barycenter(CLOUDS, **FIXED)
    assert set(threading.enumerate()) <= before


# ---------------------------------------------------------------- what comes back


def test_progress_counts_steps():
    seen = []
    found = rpw.barycenter(CLOUDS, **FREE, n_starts=2, max_iter=9, progress=lambda *counts: seen.append(counts))
    assert seen[0] == (0, 18)
    assert [done for done, _ in seen] == list(range(len(seen)))
    assert found.status == "converged"


@pytest.mark.parametrize("options", [FREE, FIXED], ids=["free", "fixed"])
def test_it_pickles_and_says_what_it_is(options):
    found = rpw.barycenter(CLOUDS, **options)
    again = pickle.loads(pickle.dumps(found))
    assert again.measure == found.measure
    assert again.results == found.results
    assert [each.tolist() for each in again.unmatched] == [each.tolist() for each in found.unmatched]
    assert "Barycenter(" in repr(found)
    assert found.status in repr(found)
    assert "proven lower bound" in found._repr_html_()


def test_what_it_hands_out_cannot_be_changed():
    found = rpw.barycenter(CLOUDS, **FREE)
    for array in (found.history, found.distances, found.left_out, found.counted, *found.unmatched):
        assert not array.flags.writeable


@pytest.mark.sample(1)
@pytest.mark.parametrize("dimension", [1, 2, 5])
def test_it_is_drawn(dimension):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    clouds = [*RNG.random((4, 10, dimension)), RNG.random((10, dimension)) + 3]
    found = rpw.barycenter(clouds, n_points=6, k=0.3, diameter=1)
    ax = found.plot()
    assert "input 4 leaves out most" in ax.get_title()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["inputs", "inputs, left out", "barycenter"]
    assert found.plot(ax) is ax
    pyplot.close(ax.figure)


def test_places_without_mass_are_not_drawn():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    found = rpw.barycenter([[1, 0, 0], [1, 0, 1]], **FIXED)
    ax = found.plot()
    drawn = sum(len(dots.get_offsets()) for dots in ax.collections if dots.get_label().startswith("inputs"))
    assert drawn == 3
    pyplot.close(ax.figure)


def test_the_gpu_is_asked(on_host):
    clouds = RNG.random((4, 9, 2))
    for options in ({"n_points": 5}, {"support": clouds[0]}):
        here = rpw.barycenter(clouds, **options, diameter=1)
        there = rpw.barycenter(clouds, **options, diameter=1, device="cuda")
        assert there.objective == pytest.approx(here.objective, rel=2e-3)


def test_no_gpu_is_said():
    with pytest.raises((rpw.NoGpuError, ValueError)):
        rpw.barycenter(CLOUDS, **FREE, device="cuda:9999")


def test_a_wrong_number_of_weights_says_what_has_one():
    clouds = [np.zeros((3, 2)), np.ones((3, 2)), np.full((3, 2), 2.0)]
    with pytest.raises(ValueError, match="weights must have one weight per measure, shape \\(3,\\)"):
        rpw.barycenter(clouds, [1.0, 2.0], n_points=2)
