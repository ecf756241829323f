"""Convergence and robustness: rates of the theory, closed forms, planted thresholds; the statistics and tables."""

import math

import numpy as np
import pytest
from planted_pictures import COLOUR

import rpw
from rpw_paper import convergence, robustness
from rpw_paper.files import as_cell, write_csv
from rpw_paper.pictures import Pictures
from rpw_paper.statistics import exponent_band, fitted_exponent, mean_and_band


def test_bands():
    mean, band = mean_and_band(np.array([[1.0, 2.0, 3.0]]), axis=1)
    assert mean.tolist() == [2.0]
    assert band[0] == pytest.approx(4.302653 / math.sqrt(3), rel=1e-6)
    assert np.isnan(mean_and_band(np.ones((2, 1)), axis=1)[1]).all()


def test_a_threshold_lies_where_straight_lines_cross_the_level():
    assert robustness._crossing(np.array([0.0, 1.0, 4.0]), 2.5) == 1.5
    assert robustness._crossing(np.array([0.0, 1.0, 4.0]), 1.0) == 1.0
    assert robustness._crossing(np.array([0.0, 2.0, 1.0, 4.0]), 1.0) == 0.5
    assert robustness._crossing(np.array([3.0, 4.0]), 2.0) == 0.0
    assert math.isinf(robustness._crossing(np.array([0.0, 1.0]), 2.0))


def test_rates_of_the_theory():
    assert [convergence.rate_of_rpw(p, 2) for p in (1, 2, 4, math.inf)] == [-1 / 2, -1 / 3, -2 / 7, -1 / 4]
    assert [convergence.rate_of_rpw(p, 3) for p in (1, 2, math.inf)] == [-1 / 3, -2 / 7, -1 / 5]
    assert [convergence.rate_of_w(p, 2) for p in (1, 2, 4, math.inf)] == [-1 / 2, -1 / 4, -1 / 8, 0]
    n = np.array([10.0, 100.0, 1000.0])
    assert fitted_exponent(n, 7 * n**-0.4) == pytest.approx(-0.4)


def test_exponents_vary_as_much_as_repeats_show():
    """Against the spread of exponents over independent experiments."""
    n, rng = np.array([100.0, 1000.0, 10000.0, 100000.0]), np.random.default_rng(5)
    values = n[:, None] ** -0.5 * rng.gamma(4, 0.25, size=(200, 4, 10))
    fitted = [fitted_exponent(n, each.mean(axis=1)) for each in values]
    bands = [exponent_band(n, each) for each in values[:40]]
    assert np.mean(bands) == pytest.approx(1.96 * np.std(fitted), rel=0.12)
    assert exponent_band(n, values[0]) == exponent_band(n, values[0])
    assert np.isnan(exponent_band(n, values[0][:, :1]))
    assert np.isnan(exponent_band(n, np.zeros((4, 3))))


def test_spaces_have_diameter_one():
    for support in convergence.DISCRETE.values():
        assert rpw.diameter([support()]) == pytest.approx(1)
    for _, sample in convergence.CONTINUOUS.values():
        points = sample(np.random.default_rng(0), 20000)
        assert 0.95 < rpw.diameter([points]) <= 1


def test_discrete_curves_follow_the_theory():
    curves = {(c.case, c.distance): c for c in convergence.discrete_curves(0, 10)}
    assert len(curves) == 10
    for case in convergence.DISCRETE:
        assert curves[case, "W2"].exponent() == pytest.approx(-0.25, abs=0.06)
        assert curves[case, "TV"].exponent() == pytest.approx(-0.5, abs=0.08)
        assert curves[case, "RPW(2,0.1)"].exponent() == pytest.approx(-0.5, abs=0.08)
    two = {name: curve.mean for (case, name), curve in curves.items() if case == "two points"}
    small = convergence.DISCRETE_N.index(100)
    assert two["RPW(2,10)"][small] == pytest.approx(two["W2"][small] / 10, rel=0.25)
    # The closed form: the imbalance t has to move by 1, so that ε solves t - ε = k² ε².
    for k in (0.1, 1, 10):
        t = two["TV"][-1]
        assert two[f"RPW(2,{k:g})"][-1] == pytest.approx((math.sqrt(1 + 4 * k**2 * t) - 1) / (2 * k**2), rel=0.05)


def test_continuous_curves_are_deterministic_whatever_the_threads():
    shares = []
    one = list(convergence.continuous_curves(0, 2, 250, 1))
    two = list(convergence.continuous_curves(0, 2, 250, 2, lambda share, what: shares.append(share)))
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1)
    assert len(one) == 24
    assert all(np.array_equal(a.values, b.values) for a, b in zip(one, two, strict=True))
    by_name = {(c.case, c.distance): c.mean[-1] for c in one}
    assert by_name["two squares", "Winf"] > 0.5, "one sample has more points in a square, and one must cross over"
    assert by_name["two squares", "RPW(inf,1)"] < 0.15


def test_outliers_change_rpw_by_at_most_their_share():
    result = robustness.outlier_changes(0)
    shares = np.array(result.shares)
    for name, change in zip(result.names, result.change, strict=True):
        if name.startswith("RPW"):
            assert (change <= shares + 1e-12).all()
        else:
            assert change[-1, 1] > 0.9, "one percent of outliers at 100 moves W1 by one and more"


def test_thresholds_of_planted_pictures():
    """One lit pixel each: TV to another class is 1, and noise reaches that only where it is everything."""
    images = np.zeros((2, 5, 5), dtype=np.uint8)
    images[0, 4, 0] = images[1, 0, 4] = 1
    result = robustness.thresholds(Pictures("dots", images, np.array(["a", "b"])), 0, 2)
    by_name = {way.name: (result.noise[w], result.shift[w]) for w, way in enumerate(result.methods)}
    assert (by_name["TV"][0] == 1).all()
    assert (by_name["TV"][1] == 1).all(), "a shift by one row shares nothing"
    assert np.isinf(by_name["W1"][1]).all(), "the other dot is a diagonal away, and no shift goes that far"
    with pytest.raises(ValueError, match="2 pictures, fewer than --count 3"):
        robustness.thresholds(Pictures("dots", images, np.array(["a", "b"])), 0, 3)
    with pytest.raises(ValueError, match="the same label; the thresholds need two or more"):
        robustness.thresholds(Pictures("dots", images, np.array(["a", "a"])), 0, 2)
    with pytest.raises(ValueError, match="picture 1 of dots is all black"):
        robustness.thresholds(Pictures("dots", images * np.array([1, 0])[:, None, None], np.array(["a", "b"])), 0, 2)
    with pytest.raises(ValueError, match="need grey pictures"):
        robustness.thresholds(Pictures("c", COLOUR, np.array(list("aabbccdd"))), 0, 2)


def test_cells_and_tables(tmp_path):
    assert [as_cell(v) for v in (0.5, 1e-9, float("nan"), 3, "a", 0.0)] == [
        "0.500000",
        "1.000000e-09",
        "",
        "3",
        "a",
        "0.000000",
    ]
    assert write_csv(tmp_path / "deep" / "t.csv", ["x", "y"], [("a,b", 1.0)]).read_bytes() == b'x,y\n"a,b",1.000000\n'
