"""The picture of a profile shows the curve and the crossing; that of a result what moves and what stays."""

import math
import pickle

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


# ---------------------------------------------------------------- axes and rings


class Table:
    """A table with names, as the libraries have it."""

    ndim = 2

    def __init__(self, values, *columns):
        self.values, self.columns, self.shape = values, list(columns), values.shape

    def __array__(self, dtype=None, copy=None):
        return self.values.astype(dtype or np.float64)

    def __len__(self):
        return len(self.values)


CLOUD = np.random.default_rng(5).random((30, 3))
PICTURE = np.zeros((12, 8))
PICTURE[2:5, 1:7] = 1.0
IMAGES = [rpw.Measure.from_image(PICTURE), rpw.Measure.from_image(np.roll(PICTURE, 4, axis=0))]


def plain(dimension):
    return CLOUD[:, :dimension], CLOUD[:, :dimension] + 0.1


def tables(*columns):
    return [Table(cloud, *columns) for cloud in plain(len(columns))]


@pytest.mark.parametrize(
    ("pair", "labels"),
    [
        (plain(1), ("coordinate", "")),
        (plain(2), ("coordinate 1", "coordinate 2")),
        (plain(3), ("first principal axis", "second principal axis")),
        (tables("age"), ("age", "")),
        (tables("age", "height (cm)"), ("age", "height (cm)")),
        (tables("age", "height", "weight"), ("first principal axis", "second principal axis")),
        ([rpw.Measure(each) for each in tables("age", "height")], ("age", "height")),
        (tables("0", "1"), ("coordinate 1", "coordinate 2")),
        (IMAGES, ("column / diagonal", "row / diagonal")),
    ],
)
def test_axes_are_named_and_have_numbers(pair, labels):
    from matplotlib import pyplot

    (of_many,) = rpw.solve_pairs([pair[0]], [pair[1]], diameter=1)
    mean = rpw.barycenter(pair, n_points=3, diameter=1, max_iter=1)
    for drawing in (rpw.solve(*pair, diameter=1).plot(), of_many.plot(), mean.plot()):
        drawing.figure.canvas.draw()
        assert (drawing.get_xlabel(), drawing.get_ylabel()) == labels
        assert drawing.axison
        assert len([tick for tick in drawing.get_xticklabels() if tick.get_text()]) >= 2
        if labels[1]:
            assert drawing.get_aspect() == 1
            assert len([tick for tick in drawing.get_yticklabels() if tick.get_text()]) >= 2
        assert drawing.yaxis_inverted() == (pair is IMAGES)
        pyplot.close(drawing.figure)


def test_a_picture_has_its_rows_downwards(ax):
    rpw.solve(*IMAGES).plot(ax)
    ax.figure.canvas.draw()
    dots = drawn(ax)[1]
    np.testing.assert_array_equal(dots["first"], IMAGES[0].points[:, ::-1])
    heights = [ax.transData.transform(dots[name])[:, 1].mean() for name in ("first", "second")]
    assert heights[0] > heights[1]  # the second lies four rows further down


def test_coordinates_of_a_picture_in_another_order_are_no_picture(ax):
    rpw.solve(*(each.with_coordinates([1, 0]) for each in IMAGES)).plot(ax)
    assert ax.get_xlabel() == "coordinate 1"
    assert not ax.yaxis_inverted()
    kept = [pickle.loads(pickle.dumps(each)).with_coordinates([0, 1]) for each in IMAGES]
    assert rpw.solve(*kept).plot().get_xlabel() == "column / diagonal"


def test_rows_on_the_line_say_whose_they_are(ax):
    rpw.solve([0.0, 1.0], [0.1, 7.0]).plot(ax)
    named = {tick.get_text(): height for tick, height in zip(ax.get_yticklabels(), ax.get_yticks(), strict=True)}
    assert named == {"first": 1, "second": 0}


def test_numbers_on_principal_axes_are_in_the_units_of_the_points(ax):
    far = np.array([[0.0, 0, 0], [300.0, 0, 400.0], [0, 1, 0]])
    rpw.solve(far, far, diameter=1).plot(ax)
    first = drawn(ax)[1]["first"]
    assert np.linalg.norm(first[1] - first[0]) == pytest.approx(500.0)


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_rings_have_the_colour_and_the_shape_of_their_measure(dimension, ax):
    from matplotlib.colors import same_color

    x, y = (np.vstack([cloud, np.full(dimension, far)]) for cloud, far in zip(plain(dimension), (50, -50), strict=True))
    rpw.solve(x, y, diameter=0.1).plot(ax)
    parts = {part.get_label(): part for part in ax.collections}
    for name in ("first", "second"):
        dots, rings = parts[name], parts[f"{name}, left behind"]
        assert same_color(rings.get_edgecolor()[0], dots.get_facecolor()[0])
        assert len(rings.get_facecolor()) == 0
        np.testing.assert_array_equal(rings.get_paths()[0].vertices, dots.get_paths()[0].vertices)
        assert rings.get_sizes().min() > dots.get_sizes().max()
    assert not same_color(parts["first"].get_facecolor()[0], parts["second"].get_facecolor()[0])


# ---------------------------------------------------------------- legends


def drawings():
    rng = np.random.default_rng(0)
    x, y = np.vstack([rng.random((40, 2)), [[3.0, 3.0]]]), np.vstack([rng.random((40, 2)), [[-2.0, 2.0]]])
    yield rpw.solve(x, y, diameter=1)
    yield rpw.solve(x[:, 0], y[:, 0], diameter=1)
    yield rpw.solve(rng.random((40, 4)), rng.random((30, 4)), diameter=1)
    yield rpw.barycenter([x, y], n_points=5, diameter=1, max_iter=3)
    yield rpw.barycenter([x[:, 0], y[:, 0]], n_points=5, diameter=1, max_iter=3)
    yield rpw.transport(x, y).displacement
    yield rpw.stats.find_outliers(x, rng.random((200, 2)), rng=0)
    yield rpw.stats.two_sample_test(x, y, n_resamples=49, rng=0)
    yield rpw.profile(x, y, diameter=1)
    yield SeveralK(rpw.profile(x, y, diameter=1, tol=0.1))


class SeveralK:
    """A profile that is drawn with several k."""

    def __init__(self, profile):
        self.profile = profile

    def plot(self, ax):
        return self.profile.plot(ax, k=[0.1, 0.3, 1])


@pytest.mark.sample(1)
@pytest.mark.parametrize("layout", [None, "constrained", "own"])
def test_a_legend_covers_nothing(layout):
    """Neither the data, nor the numbers and names of the axes; and it lies within the figure."""
    from matplotlib import pyplot

    for thing in drawings():
        given = None if layout == "own" else pyplot.subplots(layout=layout)[1]
        ax = thing.plot(given)
        ax.figure.canvas.draw()
        place, picture = ax.get_legend().get_window_extent(), ax.figure.bbox
        for part in (ax.get_window_extent(), ax.xaxis.get_tightbbox(), ax.yaxis.get_tightbbox()):
            assert place.y1 <= part.y0 + 0.5 or not place.overlaps(part)
        assert (place.min >= picture.min - 0.5).all()
        assert (place.max <= picture.max + 0.5).all()
        assert ax.bbox.height > 0.4 * picture.height
        pyplot.close(ax.figure)


def test_axes_that_are_drawn_on_again_stay_as_large(ax):
    result = rpw.solve(*plain(2), diameter=1)
    heights = []
    for _ in range(3):
        ax.clear()
        result.plot(ax)
        heights.append(ax.get_position(original=True).height)
    assert heights[0] == pytest.approx(heights[2])


def test_a_legend_stays_above_the_axes_below_it():
    from matplotlib import pyplot

    figure, (upper, lower) = pyplot.subplots(2, figsize=(6, 8))
    for axes in (upper, lower):
        rpw.solve(*plain(2), diameter=1).plot(axes)
    figure.canvas.draw()
    assert upper.get_legend().get_window_extent().y0 > lower.title.get_window_extent().y1
    pyplot.close(figure)


def test_axes_that_share_their_limits_can_be_drawn_on():
    from matplotlib import pyplot

    figure, both = pyplot.subplots(1, 2, sharex=True, sharey=True)
    for axes in both:
        rpw.solve(*plain(2), diameter=1).plot(axes)
    figure.canvas.draw()
    assert both[0].get_xlim() == both[1].get_xlim()
    assert both[0].get_ylim() == both[1].get_ylim()
    pyplot.close(figure)


def test_the_legend_names_all_that_is_drawn(ax):
    rpw.solve([[0.0, 0.0], [9.0, 9.0]], [[0.1, 0.0], [-9.0, 9.0]], diameter=1).plot(ax)
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names == ["first", "first, left behind", "second", "second, left behind", "moves"]
    ax.clear()
    rpw.solve([0.0], [9.0], k=0).plot(ax)
    assert "moves" not in ax.get_legend_handles_labels()[1]
