"""Sliced distances: the mean over directions, its standard error, and what must fail."""

import copy
import math
import pickle

import numpy as np
import pytest

import rpw


def directions(count, dimension, seed):
    vectors = np.random.default_rng(seed).standard_normal((count, dimension))
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.mark.parametrize("p", [1, 2, math.inf])
def test_is_the_mean_over_directions(p):
    rng = np.random.default_rng(11)
    x, y, a = rng.normal(size=(40, 3)), rng.normal(size=(30, 3)) + 0.5, rng.random(40)
    result = rpw.sliced(x, y, a, p=p, k=0.5, diameter=1, n_projections=20, seed=4, n_threads=2)
    expected = [rpw.distance(x @ d, y @ d, a, p=p, k=0.5, diameter=1) for d in directions(20, 3, 4)]
    assert result.value == pytest.approx(np.mean(expected), rel=1e-11)
    assert result.stderr == pytest.approx(np.std(expected, ddof=1) / math.sqrt(20), rel=1e-9)
    assert (float(result), result.n_projections) == (result.value, 20)
    whole = [rpw.wasserstein(x @ d, y @ d, a, p=p) for d in directions(20, 3, 4)]
    power = 1 if p == math.inf else p
    mean = np.mean(np.power(whole, power)) ** (1 / power)
    assert rpw.sliced(x, y, a, p=p, n_projections=20, seed=4).value == pytest.approx(mean, rel=1e-11)


def test_a_shift_is_found_within_its_standard_error():
    """Along d a shift by h has W_2 = |h·d|, so the 2-mean over the sphere is |h| / sqrt(dimension)."""
    rng = np.random.default_rng(12)
    x, shift = rng.normal(size=(50, 4)), np.array([1.0, -2.0, 0.5, 0.25])
    result = rpw.sliced(x, x + shift, n_projections=4000, n_threads=2)
    assert abs(result.value - np.linalg.norm(shift) / 2) <= 4 * result.stderr
    assert 0 < result.stderr <= 0.02
    assert rpw.sliced(x, x + shift, n_projections=4000, n_threads=1) == result
    assert rpw.sliced(x, x + shift, n_projections=4000, seed=1) != result


def test_blocks_do_not_change_the_answer(monkeypatch):
    rng = np.random.default_rng(13)
    x, y = rng.random((20, 2)), rng.random((25, 2))
    expected = rpw.sliced(x, y, n_projections=30, n_threads=1)
    monkeypatch.setattr("rpw.pair.sliced._NUMBERS_PER_BLOCK", 100)
    assert rpw.sliced(x, y, n_projections=30, n_threads=1) == expected


def test_on_the_line_every_direction_is_the_same():
    x, y = np.array([0.0, 1.0, 5.0]), np.array([2.0, 3.0])
    for n_projections in (1, 10):
        assert rpw.sliced(x, y, n_projections=n_projections) == rpw.Sliced(rpw.wasserstein(x, y), 0.0, n_projections)
    expected = rpw.distance(x, y, p=1, k=0.5, diameter=1)
    assert rpw.sliced(x[:, None], y[:, None], p=1, k=0.5, diameter=1) == rpw.Sliced(expected, 0.0, 100)


def test_a_time_limit_ends_it():
    rng = np.random.default_rng(14)
    for shape in ((200_000,), (20_000, 2)):
        with pytest.raises(rpw.TimeLimitError):
            rpw.sliced(rng.random(shape), rng.random(shape), k=0.1, diameter=2, time_limit=1e-9)
    with pytest.raises(ValueError, match="time_limit"):
        rpw.sliced([0.0], [1.0], time_limit=-1)


def test_equal_measures_and_single_directions():
    x, a = np.random.default_rng(0).random((30, 3)), np.arange(1, 31)
    assert rpw.sliced(x, x[::-1], a, a[::-1]).value == 0
    assert rpw.sliced(x, x[::-1], a, a[::-1], k=1, diameter=2).value == 0
    assert math.isnan(rpw.sliced(x, x + 1, n_projections=1).stderr)
    assert rpw.sliced(rpw.Measure(x, a), x, k=1, diameter=2).value == rpw.sliced(x, x, a, k=1, diameter=2).value


def test_what_must_fail():
    x = np.zeros((3, 2))
    for arguments, name in [
        ({"n_projections": 0}, "n_projections"),
        ({"seed": -1}, "seed"),
        ({"k": 0}, "k must be positive"),
        ({"k": -1}, "k"),
        ({"diameter": 2}, "diameter has no effect without k"),
        ({"p": 0.5}, "p must be"),
        ({"n_threads": 0}, "n_threads"),
    ]:
        with pytest.raises(ValueError, match=name):
            rpw.sliced(x, x, **arguments)
    with pytest.raises(ValueError, match="same dimension"):
        rpw.sliced(x, np.zeros((3, 3)))
    with pytest.warns(UserWarning, match="span more than 2"):
        rpw.sliced(x, x + 9, k=1)


@pytest.mark.parametrize("offset", [2.0**30, 2.0**40])
def test_far_from_the_origin_no_digits_are_lost(offset):
    """The points are multiples of 2^-12, and so are the moved ones."""
    x, y = np.array([[0.0, 0.0], [1, 2]]) * 2**-12, np.array([[3.0, 1.0], [2, 5]]) * 2**-12
    assert rpw.sliced(x + offset, y + offset, p=1) == rpw.sliced(x, y, p=1)


def test_the_answer_is_a_float_that_says_what_was_asked():
    rng = np.random.default_rng(15)
    x, y = rng.random((9, 2)), rng.random((8, 2))
    plain = rpw.sliced(x, y, p=1, n_projections=7)
    robust = rpw.sliced(x, y, p=1, k=0.5, diameter=2, n_projections=7)
    assert isinstance(plain, float)
    assert f"{plain:.3f}" == f"{plain.value:.3f}"
    assert plain + 1 == plain.value + 1
    assert (plain.p, plain.k, plain.diameter) == (1, None, None)
    assert (robust.p, robust.k, robust.diameter) == (1, 0.5, 2)
    assert repr(plain) == f"Sliced({plain.value:.9g}, stderr={plain.stderr:.3g}, p=1, n_projections=7)"
    assert repr(robust) == (
        f"Sliced({robust.value:.9g}, stderr={robust.stderr:.3g}, p=1, k=0.5, diameter=2, n_projections=7)"
    )
    with pytest.raises(AttributeError):
        plain.stderr = 0.0
    for each in (plain, robust, copy.deepcopy(robust)):
        again = pickle.loads(pickle.dumps(each))
        assert repr(again) == repr(each)
        assert again == each
        assert again.stderr == each.stderr
