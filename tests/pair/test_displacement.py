"""Which column moved: planted moves, sums over the plan, names of columns."""

import math
import pickle
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
from scipy.spatial.distance import cdist

import rpw

matplotlib.use("Agg")

RNG = np.random.default_rng(0)
METRICS = ["euclidean", "cityblock", "chebyshev", "minkowski"]


class Table:
    """As the libraries have it: names of columns, and numbers that NumPy can read."""

    ndim = 2

    def __init__(self, values, columns):
        self.values, self.columns, self.shape = np.asarray(values, dtype=np.float64), list(columns), np.shape(values)

    def __array__(self, dtype=None, copy=None):
        return self.values.astype(dtype or np.float64)

    def __len__(self):
        return len(self.values)


# ---------------------------------------------------------------- numbers


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("p", [1, 2, 3.5, math.inf])
def test_a_planted_shift_is_found_beside_far_outliers(metric, p):
    x = np.array([[i, j, 0.0] for i in range(8) for j in range(8)])  # a grid: the shortest way is the planted one
    shift = np.array([0.03, 0.0, -0.04])
    y = x + shift
    y[:4] += 1e4
    np.testing.assert_allclose(rpw.solve(x, y, p=p, k=1, diameter=10, metric=metric).displacement.median, shift)
    # As much as can move without them: RPW would move parts of them too, as far as its price allows.
    moved = rpw.transport(x, y, p=p, mass=60 / 64, metric=metric).displacement
    np.testing.assert_allclose(moved.mean, shift, atol=1e-12)
    np.testing.assert_allclose(moved.median, shift, atol=1e-12)
    np.testing.assert_allclose(moved.absolute, np.abs(shift), atol=1e-12)
    # How the norm of (3, 0, -4) is made up, by its derivative.
    share = {"cityblock": [3 / 7, 0, 4 / 7], "chebyshev": [0, 0, 1]}.get(metric, [9 / 25, 0, 16 / 25])
    np.testing.assert_allclose(moved.share, share, atol=1e-9)


@pytest.mark.parametrize("p", [1, 2, 4])
@pytest.mark.parametrize("metric", METRICS)
def test_what_moves_everything_moves_the_mean_to_the_mean(p, metric):
    """Whichever plan it is: its margins are the two measures."""
    x, y = RNG.normal(size=(17, 3)), RNG.normal(1.0, 2.0, size=(23, 3))
    a, b = RNG.dirichlet(np.ones(17)), RNG.dirichlet(np.ones(23))
    a[3] = 0.0
    result = rpw.transport(x, y, a, b, p=p, metric=metric)
    np.testing.assert_allclose(result.displacement.mean, b @ y - a / a.sum() @ x, atol=1e-12)


@pytest.mark.parametrize(("metric", "p"), [("euclidean", 2), ("minkowski", 2), ("cityblock", 1)])
def test_shares_are_those_of_a_cost_that_is_a_sum_over_columns(metric, p):
    x, y = RNG.normal(size=(30, 4)), RNG.normal(0.5, 1.5, size=(20, 4))
    result = rpw.solve(x, y, p=p, metric=metric, diameter=3)
    by_column = np.abs(x[:, None] - y) ** p  # (n, m, d)
    expected = np.einsum("ij,ijc->c", result.plan.toarray(), by_column) / result.cost**p
    np.testing.assert_allclose(result.displacement.share, expected, rtol=1e-9)
    assert expected.sum() == pytest.approx(1)


@pytest.mark.parametrize("p", [1, 1.5, 2, 30, math.inf])
@pytest.mark.parametrize("metric", METRICS)
def test_moves_and_shares_follow_the_definition(p, metric):
    """The share by finite differences: how much W^p grows where a column of the fixed plan is stretched."""
    x, y = RNG.normal(size=(12, 3)), RNG.normal(0.5, 1.5, size=(15, 3))
    result = rpw.solve(x, y, p=p, metric=metric, diameter=3)
    plan, moves = result.plan.toarray(), y - x[:, None]
    moved, total = result.displacement, plan.sum()
    np.testing.assert_allclose(moved.mean, np.einsum("ij,ijc->c", plan, moves) / total, atol=1e-12)
    np.testing.assert_allclose(moved.absolute, np.einsum("ij,ijc->c", plan, np.abs(moves)) / total, atol=1e-12)
    for column in range(3):
        of_column = moves[:, :, column]
        assert plan[of_column < moved.median[column] - 1e-12].sum() <= total / 2 + 1e-12
        assert plan[of_column > moved.median[column] + 1e-12].sum() <= total / 2 + 1e-12
    assert moved.share.sum() == pytest.approx(1)

    def cost(stretch):
        lengths = cdist(x * stretch, y * stretch, metric)[plan > 0]
        if math.isinf(p):
            return lengths.max()
        return float((plan[plan > 0] * lengths**p).sum()) ** (1 / p)

    h = 1e-6
    for column in range(3):
        stretch = np.ones(3)
        stretch[column] += h
        up = cost(stretch)
        stretch[column] -= 2 * h
        assert moved.share[column] == pytest.approx((up - cost(stretch)) / (2 * h) / cost(np.ones(3)), abs=1e-5)


def test_mass_that_moves_both_ways_has_no_mean_move():
    moved = rpw.transport([[0.0, 0.0], [1.0, 0.0]], [[-0.2, 0.0], [1.2, 0.0]]).displacement
    np.testing.assert_allclose(moved.mean, 0, atol=1e-15)
    np.testing.assert_allclose(moved.median, 0, atol=1e-15)
    np.testing.assert_allclose(moved.absolute, [0.2, 0])
    np.testing.assert_allclose(moved.share, [1, 0])


@pytest.mark.parametrize("size", [1e-200, 1e150])
def test_lengths_whose_powers_are_no_floats(size):
    x, y = RNG.normal(size=(6, 2)), RNG.normal(size=(6, 2))
    plain = rpw.solve(x, y, p=5, diameter=4).displacement
    scaled = rpw.solve(x * size, y * size, p=5, diameter=4 * size).displacement
    np.testing.assert_allclose(scaled.mean, plain.mean * size, rtol=1e-9)
    np.testing.assert_allclose(scaled.share, plain.share, rtol=1e-9)


def test_nothing_moves_or_nothing_costs():
    nothing = rpw.solve([[0.0, 0.0]], [[1.0, 1.0]], diameter=1, time_limit=0).displacement
    assert np.isnan(nothing.mean).all()
    assert np.isnan(nothing.median).all()
    assert np.isnan(nothing.absolute).all()
    assert nothing.share.tolist() == [0, 0]
    assert "nan" in repr(nothing)
    still = rpw.solve([[0.0, 2.0], [5.0, 1.0]], [[0.0, 2.0], [7.0, 1.0]], k=0).displacement  # total variation
    assert [list(part) for part in (still.mean, still.median, still.absolute, still.share)] == [[0, 0]] * 4


def test_other_metrics_have_moves_and_no_shares():
    x, y = RNG.random((5, 2)) + 1, RNG.random((5, 2)) + 2
    for metric in ("canberra", lambda u, v: float(np.abs(u - v).sum())):
        moved = rpw.transport(x, y, metric=metric).displacement
        np.testing.assert_allclose(moved.mean, y.mean(axis=0) - x.mean(axis=0))
        assert moved.share is None
        assert "cost" not in repr(moved)


def test_costs_have_no_columns():
    with pytest.raises(ValueError, match=r"displacement needs points: this result comes from cost="):
        _ = rpw.solve(cost=[[0.0, 1.0], [1.0, 0.0]]).displacement


def test_the_numbers_cannot_be_changed():
    moved = rpw.solve([[0.0, 0.0]], [[0.1, 0.0]]).displacement
    for array in (moved.mean, moved.median, moved.absolute, moved.share):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


# ---------------------------------------------------------------- names


def of_arrow(values, names):
    return pytest.importorskip("pyarrow").table(dict(zip(names, np.asarray(values).T, strict=True)))


def of_pandas(values, names):
    return pytest.importorskip("pandas").DataFrame(values, columns=names)


def of_polars(values, names):
    return pytest.importorskip("polars").DataFrame(values, schema=names)


@pytest.mark.parametrize("table", [Table, of_arrow, of_pandas, of_polars])
def test_names_are_those_of_a_table_on_either_side(table):
    values, names = RNG.random((5, 2)), ["age", "dose"]
    x = table(values, names)
    for result in (
        rpw.solve(x, np.add(values, [0.0, 0.1])),
        rpw.solve(values, table(values + 0.1, names)),
        rpw.transport(rpw.Measure(x), values),
        rpw.solve_pairs([values, x], [values, values + 0.1])[0],
    ):
        assert result.displacement.names == ("age", "dose")
        assert pickle.loads(pickle.dumps(result)).displacement.names == ("age", "dose")


def test_names_of_a_support_and_none_of_numbered_columns():
    support, weights = Table(np.eye(3)[:, :2], ["u", "v"]), RNG.dirichlet(np.ones(3), 2)
    (result,) = rpw.solve_pairs(weights[:1], weights[1:], support=support, distance="wasserstein")
    assert result.displacement.names == ("u", "v")
    difference = (weights[1] - weights[0]) @ support.values
    np.testing.assert_allclose(result.displacement.mean, difference, atol=1e-12)
    numbered = Table(RNG.random((4, 2)), [0, 1])
    assert rpw.solve(numbered, numbered.values).displacement.names == ("column 0", "column 1")
    assert rpw.solve(numbered, Table(numbered.values, ["u", "v"])).displacement.names == ("u", "v")
    assert rpw.solve([0.0, 1.0], [0.5, 1.0]).displacement.names == ("column 0",)


# ---------------------------------------------------------------- what is shown


def shifted(names, shift):
    x = Table(RNG.random((10, len(names))), names)
    return rpw.transport(x, x.values + shift).displacement


def test_the_largest_come_first_and_the_rest_is_counted():
    names = [f"c{i}" for i in range(40)]
    moved = shifted(names, 1e-3 * np.arange(40))
    assert moved.largest(2) == [39, 38]
    assert repr(moved).startswith("Displacement(c39 +0.039 (7% of the cost), c38 +0.038 (")
    assert repr(moved).endswith(", and 34 more)")
    rows = ElementTree.fromstring(moved._repr_html_()).findall(".//tr")
    assert len(rows) == 31
    assert rows[0].find("th").text == "c39"
    assert "10 more columns" in rows[-1].find("td").text


def test_names_are_escaped():
    hostile = "<script>alert('&\"')</script>"
    tree = ElementTree.fromstring(shifted([hostile, "b"], [0.0, 0.1])._repr_html_())
    assert [row.find("th").text for row in tree.iter("tr")] == ["b", hostile]


@pytest.mark.parametrize("columns", [1, 3, 40])
def test_the_picture_has_a_bar_for_each_column_in_their_order(columns):
    from matplotlib import pyplot

    names = [f"name {i}" for i in range(columns)]
    moved = shifted(names, 1e-3 * np.arange(1, columns + 1) * (-1) ** np.arange(columns))
    ax = moved.plot()
    drawn = list(range(columns))[-30:]
    assert [label.get_text() for label in ax.get_yticklabels()] == [names[i] for i in drawn]
    pale, dark = ax.containers
    np.testing.assert_allclose(ax.get_lines()[0].get_xdata(), moved.median[drawn])
    np.testing.assert_allclose([bar.get_width() for bar in dark], moved.mean[drawn])
    np.testing.assert_allclose(np.abs([bar.get_width() for bar in pale]), moved.absolute[drawn])
    assert [text.get_text() for text in ax.texts] == [f"{moved.share[i]:.0%}" for i in drawn]
    assert ("10 more columns" in ax.get_title()) == (columns == 40)
    assert "units" in ax.get_xlabel()
    assert moved.plot(ax) is ax
    ax.figure.canvas.draw()
    pyplot.close(ax.figure)


def test_a_picture_without_shares_or_without_moves():
    from matplotlib import pyplot

    x = RNG.random((5, 2)) + 1
    for moved, shares in (
        (rpw.transport(x, x + 0.1, metric="canberra").displacement, []),
        (rpw.solve(x, x + 5, time_limit=0).displacement, ["0%", "0%"]),
    ):
        ax = moved.plot()
        ax.figure.canvas.draw()
        assert [text.get_text() for text in ax.texts] == shares
        pyplot.close(ax.figure)


# ---------------------------------------------------------------- what the words promise


def test_moves_of_rpw_are_shorter_than_the_shift_and_grow_with_k():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(150, 2)), rng.normal([1.0, 0.0], size=(150, 2))
    full = rpw.transport(x, y).displacement.mean[0]
    moves = [rpw.solve(x, y, k=k, diameter=1).displacement.mean[0] for k in (1, 5, 1000)]
    assert moves[0] < 0.8 * full
    assert moves == sorted(moves)
    assert moves[-1] == pytest.approx(full, rel=0.05)


def test_equal_samples_move_too_and_in_many_dimensions_the_mean_finds_the_shift():
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(150, 30)), rng.normal(size=(150, 30))
    assert np.abs(rpw.transport(x, y).displacement.mean).max() > 0.05
    y[:, 7] += 1
    moved = rpw.transport(x, y).displacement
    assert moved.largest(1) == [7]
    assert repr(moved).startswith("Displacement(column 7 +")
    assert moved.share[7] < 0.15  # all others have parts of the cost as well


@pytest.mark.parametrize("most", [-1, 1.5, math.nan])
def test_how_many_columns_are_largest_must_be_a_whole_number(most):
    with pytest.raises(ValueError, match=r"^most"):
        rpw.transport([[0.0, 0.0]], [[1.0, -5.0]]).displacement.largest(most)
