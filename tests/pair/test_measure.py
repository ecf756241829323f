"""Measures as values: normalised, immutable, comparable, picklable."""

import math
import pickle

import numpy as np
import pytest

import rpw


def test_weights_are_normalised_and_uniform_by_default():
    np.testing.assert_array_equal(rpw.Measure([[0.0], [1.0]], [3, 1]).weights, [0.75, 0.25])
    np.testing.assert_array_equal(rpw.Measure([0.0, 1.0, 2.0, 3.0]).weights, [0.25] * 4)
    assert math.fsum(rpw.Measure(np.zeros((7, 2)), np.arange(7.0)).weights) == pytest.approx(1, abs=1e-15)


def test_points_on_the_line_become_a_column():
    measure = rpw.Measure([1, 2, 3])
    assert measure.points.shape == (3, 1)
    assert measure.points.dtype == np.float64
    assert (len(measure), measure.dimension) == (3, 1)


def test_measures_cannot_be_changed():
    points, weights = np.zeros((2, 2)), np.ones(2)
    measure = rpw.Measure(points, weights)
    points[:], weights[:] = 7, [1, 5]
    np.testing.assert_array_equal(measure.points, np.zeros((2, 2)))
    np.testing.assert_array_equal(measure.weights, [0.5, 0.5])
    for array in (measure.points, measure.weights):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    with pytest.raises(AttributeError):
        measure.points = points
    with pytest.raises(AttributeError):
        measure.colour = "red"


def test_equality_hash_pickle_and_repr():
    measure = rpw.Measure([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]], [1, 2, 4])
    same = rpw.Measure([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]], [2, 4, 8])
    again = pickle.loads(pickle.dumps(measure))
    assert measure == same == again
    assert hash(measure) == hash(same) == hash(again)
    np.testing.assert_array_equal(again.weights, measure.weights)
    assert not again.points.flags.writeable
    assert measure != rpw.Measure(measure.points)
    assert measure != rpw.Measure(measure.points + 1, measure.weights)
    assert measure != rpw.Measure([0.1, 0.3, 0.5], [1, 2, 4])
    assert measure != "measure"
    assert repr(measure) == "Measure(3 points in 2 dimensions, weighted)"
    assert repr(rpw.Measure([0.0])) == "Measure(1 point in 1 dimension, uniform)"


def test_equal_measures_have_equal_hashes_also_at_minus_zero():
    plus, minus = rpw.Measure([0.0, 1.0]), rpw.Measure([-0.0, 1.0])
    assert plus == minus
    assert hash(plus) == hash(minus)


def test_from_histogram_drops_empty_bins():
    measure = rpw.Measure.from_histogram([0, 2, 0, 6], [[0, 0], [0, 1], [1, 0], [1, 1]])
    np.testing.assert_array_equal(measure.points, [[0, 1], [1, 1]])
    np.testing.assert_array_equal(measure.weights, [0.25, 0.75])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: rpw.Measure([[0.0, math.nan]]), r"^points\b.*\(0, 1\)"),
        (lambda: rpw.Measure([]), r"^points\b.*empty"),
        (lambda: rpw.Measure("abc"), r"^points\b.*numeric"),
        (lambda: rpw.Measure([0.0, 1.0], [1.0, -1.0]), r"^weights\b.*negative.*index 1"),
        (lambda: rpw.Measure([0.0, 1.0], [1.0]), r"^weights\b.*\(2,\)"),
        (lambda: rpw.Measure([0.0, 1.0], [0.0, 0.0]), r"^weights\b.*0"),
        (lambda: rpw.Measure.from_histogram([1, -1], [0.0, 1.0]), r"^w\b.*index 1"),
        (lambda: rpw.Measure.from_histogram([1, 1, 1], [0.0, 1.0]), r"^w\b.*\(2,\)"),
        (lambda: rpw.Measure.from_histogram([1], [math.inf]), r"^support\b.*index 0"),
        (lambda: rpw.Measure([[0.0, 1.0]]).with_coordinates([]), r"^order must list columns from 0 to 1"),
        (lambda: rpw.Measure([[0.0, 1.0]]).with_coordinates([0, 2]), r"^order must .* got \[0, 2\]"),
        (lambda: rpw.Measure([[0.0, 1.0]]).with_coordinates([0, -1]), r"^order\[1\] must be a whole number"),
        (lambda: rpw.Measure([[0.0, 1.0]]).with_coordinates([0.5]), r"^order\[0\] must be a whole number"),
    ],
)
def test_bad_measures_are_refused_by_name(make, message):
    with pytest.raises(ValueError, match=message):
        make()
