"""The picture of a profile shows the curve and the crossing; that of a result what moves and what stays."""

import math

import matplotlib
import numpy as np
import pytest

import rpw

matplotlib.use("Agg")
from matplotlib.collections import LineCollection


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


def test_plot_of_a_profile_with_tol_draws_both_curves_and_what_lies_between():
    from matplotlib import pyplot
    from matplotlib.collections import PolyCollection

    x, y = np.random.default_rng(0).random((2, 40, 2))
    profile = rpw.profile(x, y, tol=0.1)
    ax = profile.plot(k=0.5)
    upper, lower = (line for line in ax.get_lines() if len(line.get_xydata()) > 2)
    for line, curve in ((upper, profile), (lower, profile.lower)):
        masses = np.asarray(line.get_xdata())
        assert set(curve.mass) <= set(masses)
        np.testing.assert_array_equal(line.get_ydata(), curve(masses))
    (band,) = (part for part in ax.collections if isinstance(part, PolyCollection))
    corners = {tuple(corner) for corner in band.get_paths()[0].vertices}
    assert corners >= {*map(tuple, upper.get_xydata()), *map(tuple, lower.get_xydata())}
    marked = [line.get_xydata()[0] for line in ax.get_lines() if len(line.get_xydata()) == 1]
    for rpw_distance in (profile.distance(0.5), profile.lower.distance(0.5)):
        assert any(np.allclose(point, (1 - rpw_distance, 0.5 * rpw_distance)) for point in marked)
    pyplot.close(ax.figure)


def test_plot_of_a_lower_curve_alone_says_that_it_is_one():
    from matplotlib import pyplot

    x, y = np.random.default_rng(0).random((2, 40, 2))
    lower = rpw.profile(x, y, tol=0.1).lower
    ax = lower.plot(k=0.2)
    assert ax.get_legend_handles_labels()[1][0].endswith(", from below")
    assert [text.get_text() for text in ax.texts] == [f"RPW at least {lower.distance(0.2):.4g}"]
    pyplot.close(ax.figure)


def test_far_outliers_do_not_press_the_crossing_flat():
    from matplotlib import pyplot

    x = np.random.default_rng(0).random((40, 2))
    profile = rpw.profile(x, np.concatenate([x[:38] + 0.02, x[38:] + 1e4]))
    for k in (0.5, [0.1, 0.5]):
        ax = profile.plot(k=k)
        crossing = 0.5 * profile.distance(0.5)
        assert crossing < ax.get_ylim()[1] < 50 * crossing
        pyplot.close(ax.figure)
    ax = profile.plot(k=1e6)  # here the whole curve lies below the crossing's line
    assert ax.get_ylim()[1] > profile(1.0)
    pyplot.close(ax.figure)


def test_the_numbers_of_several_k_stand_in_the_legend():
    """Beside the crossings, which lie close together, they would cover each other."""
    from matplotlib import pyplot

    x, y = np.random.default_rng(0).random((2, 40, 2))
    profile = rpw.profile(x, y)
    ax = profile.plot(k=[0.1, 0.3])
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    for k, label in zip((0.1, 0.3), labels[1:], strict=True):
        assert label.endswith(f"k = {k}: RPW = {profile.distance(k):.4g}")
    assert not ax.texts
    pyplot.close(ax.figure)


@pytest.mark.parametrize("tol", [0, 0.05])
def test_the_line_does_not_strike_out_the_legend(tol):
    """At this k it goes through the upper left corner. With tol no place is free: it goes behind the text."""
    from matplotlib import pyplot

    x, y = np.random.default_rng(0).random((2, 40, 2))
    ax = rpw.profile(x, y, p=1, tol=tol).plot(k=0.2)
    ax.figure.canvas.draw()
    legend = ax.get_legend()
    (line,) = (line for line in ax.get_lines() if str(line.get_label()).startswith("$k"))
    is_crossed = line.get_path().transformed(line.get_transform()).intersects_bbox(legend.get_window_extent(), False)
    assert not is_crossed or (legend.get_frame_on() and legend.get_frame().get_alpha() >= 0.8)
    assert not is_crossed or tol
    pyplot.close(ax.figure)


def test_plot_takes_axes_and_needs_no_k():
    from matplotlib import pyplot

    figure, ax = pyplot.subplots()
    assert rpw.profile([0.0, 1.0], [0.0, 1.0]).plot(ax=ax) is ax
    assert ax.get_xlabel()
    pyplot.close(figure)


# ---------------------------------------------------------------- plans


def drawn(ax):
    """The segments of the plan, and for each kind of dots where they are."""
    (lines,) = (part for part in ax.collections if isinstance(part, LineCollection))
    dots = {part.get_label(): np.asarray(part.get_offsets()) for part in ax.collections if part is not lines}
    return np.array(lines.get_segments()), dots


@pytest.fixture
def ax():
    from matplotlib import pyplot

    figure, axes = pyplot.subplots()
    yield axes
    pyplot.close(figure)


def test_of_many_lines_on_the_line_some_are_drawn(ax):
    x = np.random.default_rng(1).permutation(np.arange(4000.0))
    rpw.transport(x, x + 0.25).plot(ax=ax)
    segments, dots = drawn(ax)
    assert "300 of 4,000 lines" in ax.get_title()
    np.testing.assert_allclose(segments[:, 1, 0] - segments[:, 0, 0], 0.25)
    np.testing.assert_allclose(segments[:, 0, 0], np.linspace(0, 3999, 300), atol=1)
    assert len(dots["first"]) == 4000


def test_a_result_shows_its_plan_and_what_stays(ax):
    x = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0]])
    y = np.array([[0.0, 0.1], [1.0, 0.1], [2.0, 0.1], [90.0, 90.0]])
    result = rpw.solve(x, y, k=0.5)
    assert result.plot(ax=ax) is ax
    segments, dots = drawn(ax)
    i, j = result.plan.tocoo().coords
    np.testing.assert_array_equal(segments, np.stack([x[i], y[j]], axis=1))
    np.testing.assert_array_equal(dots["first"], x)
    np.testing.assert_array_equal(dots["second"], y)
    np.testing.assert_array_equal(dots["first, left behind"], x[3:])
    np.testing.assert_array_equal(dots["second, left behind"], y[3:])
    assert f"{result.distance:.1%} stays" in ax.get_title()


def test_points_of_the_line_lie_in_two_rows(ax):
    rpw.solve([0.0, 1.0], [0.1, 1.1, 7.0], [3, 1]).plot(ax)
    segments, dots = drawn(ax)
    assert dots["first"].tolist() == [[0, 1], [1, 1]]
    assert dots["second"].tolist() == [[0.1, 0], [1.1, 0], [7, 0]]
    assert (segments[:, :, 1] == [1, 0]).all()


def test_more_dimensions_are_drawn_on_their_principal_axes(ax):
    """Points of a plane in space: a rotation, so distances within the plane are those of the picture."""
    rng = np.random.default_rng(0)
    plane, _ = np.linalg.qr(rng.normal(size=(5, 5)))
    flat = rng.random((30, 2)) * [3, 1]
    x = flat @ plane[:2]
    rpw.solve(x, x + 1e-3 * plane[0]).plot(ax)
    first = drawn(ax)[1]["first"]
    between = [np.linalg.norm(points[:, None] - points, axis=2) for points in (first, flat)]
    np.testing.assert_allclose(between[0] / between[0].max(), between[1] / between[1].max(), atol=1e-9)
    assert "first two principal axes, 100% of the variance" in ax.get_title()


@pytest.mark.sample(3)
@pytest.mark.parametrize("p", [1, 2, math.inf])
@pytest.mark.parametrize("k", [0, 1])
def test_every_result_with_points_can_be_drawn(p, k):
    from matplotlib import pyplot

    for result in (
        rpw.solve([0.0], [1.0], p=p, k=k),
        rpw.solve(np.zeros((3, 4)), np.zeros((2, 4)), p=p, k=k),
        rpw.solve([[0.0, 0], [1, 1]], [[0.0, 0], [1, 1]], [1, 0], [0, 1], p=p, k=k),
        rpw.solve(np.arange(6.0).reshape(3, 2), np.ones((3, 2)), p=p, k=k, time_limit=0),
        rpw.solve(1e200 * np.eye(3), 2e200 * np.eye(3), p=p, k=k, diameter=1e200),
    ):
        drawing = result.plot()
        drawing.figure.canvas.draw()
        assert drawing.has_data()
        pyplot.close(drawing.figure)


def test_a_result_without_points_cannot_be_drawn():
    with pytest.raises(ValueError, match="plot needs points: this result comes from cost="):
        rpw.solve(cost=[[0.0, 1.0]]).plot()


# ---------------------------------------------------------------- legends


def drawings():
    rng = np.random.default_rng(0)
    x, y = np.vstack([rng.random((40, 2)), [[3.0, 3.0]]]), np.vstack([rng.random((40, 2)), [[-2.0, 2.0]]])
    yield rpw.solve(x, y, diameter=1)
    yield rpw.solve(x[:, 0], y[:, 0], diameter=1)
    yield rpw.solve(rng.random((40, 4)), rng.random((30, 4)), diameter=1)
    yield rpw.barycenter([x, y], n_points=5, diameter=1, max_iter=3)
    yield rpw.barycenter([x[:, 0], y[:, 0]], n_points=5, diameter=1, max_iter=3)


@pytest.mark.sample(1)
@pytest.mark.parametrize("layout", [None, "constrained", "own"])
def test_a_legend_covers_nothing_where_there_is_room(layout):
    """On a figure of the caller that makes no room, it is readable at least: points shine through only faintly."""
    from matplotlib import pyplot

    for drawn_thing in drawings():
        given = None if layout == "own" else pyplot.subplots(layout=layout)[1]
        ax = drawn_thing.plot(given)
        ax.figure.canvas.draw()
        legend = ax.get_legend()
        place, picture = legend.get_window_extent(), ax.figure.bbox
        if layout is None:
            assert legend.get_frame_on()
            assert legend.get_frame().get_alpha() >= 0.8
        else:
            offsets = (part.get_offset_transform().transform(part.get_offsets()) for part in ax.collections)
            dots = np.concatenate([np.asarray(each) for each in offsets])
            assert not ((dots >= place.min).all(axis=1) & (dots <= place.max).all(axis=1)).any()
            assert (place.min >= picture.min).all()
            assert (place.max <= picture.max).all()
        pyplot.close(ax.figure)


def test_the_legend_names_all_that_is_drawn(ax):
    rpw.solve([[0.0, 0.0], [9.0, 9.0]], [[0.1, 0.0], [-9.0, 9.0]], diameter=1).plot(ax)
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names == ["first", "first, left behind", "second", "second, left behind", "moves"]
    ax.clear()
    rpw.solve([0.0], [9.0], k=0).plot(ax)
    assert "moves" not in ax.get_legend_handles_labels()[1]
