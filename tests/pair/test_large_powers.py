"""Exponents so large that powers leave float64: refused by name, or scaled."""

import numpy as np
import pytest

import rpw


@pytest.mark.parametrize("p", [300, 400, 500, 1000])
def test_a_profile_whose_powers_vanish_is_refused(p):
    x, y = np.linspace(0, 1, 6), np.linspace(0.01, 0.9, 6)
    with pytest.raises(ValueError, match=f"p={p}"):
        rpw.profile(x, y, p=p)
    assert 0 < rpw.distance(x, y, p=p, k=0.1) <= 1  # which scales


def test_a_profile_whose_powers_fit_is_that_of_distance():
    x, y = np.linspace(0, 1, 6), np.linspace(0.2, 0.9, 6)
    profile = rpw.profile(x, y, p=60)
    for k in (0.01, 0.1, 1, 10):
        assert profile.distance(k) == pytest.approx(rpw.distance(x, y, p=60, k=k), rel=1e-9)


def test_powers_that_vanish_only_in_cost_p_are_refused_too():
    cost = np.array([[1e-3, 1e-2], [1e-2, 1e-2]])
    with pytest.raises(ValueError, match=r"cost_p cannot be represented.*p=110"):
        rpw.profile(cost=cost, p=110)
