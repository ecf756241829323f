"""The picture of a profile shows the curve and the crossing."""

import math

import matplotlib
import numpy as np
import pytest

import rpw

matplotlib.use("Agg")


@pytest.mark.parametrize("p", [1, 2, math.inf])
def test_plot_draws_the_profile_and_its_crossing(p):
    from matplotlib import pyplot

    profile = rpw.profile([0.0, 0.5, 3.0], [0.1, 0.6, 0.7], p=p)
    ax = profile.plot(k=1.0)
    curve = ax.get_lines()[0]
    np.testing.assert_allclose(curve.get_ydata(), profile(np.asarray(curve.get_xdata())), atol=1e-12)
    marked = [line.get_xydata()[0] for line in ax.get_lines() if len(line.get_xydata()) == 1]
    assert any(np.allclose(point, (1 - profile.distance(1.0), profile.distance(1.0))) for point in marked)
    pyplot.close(ax.figure)


def test_plot_takes_axes_and_needs_no_k():
    from matplotlib import pyplot

    figure, ax = pyplot.subplots()
    assert rpw.profile([0.0, 1.0], [0.0, 1.0]).plot(ax=ax) is ax
    assert ax.get_xlabel()
    pyplot.close(figure)
