"""Inputs that are probably meant otherwise than they are taken: a warning or an error gives the way out, once."""

import pickle
import warnings

import numpy as np
import pytest

import rpw
from rpw.sklearn import RPWTransformer

RNG = np.random.default_rng(0)
PICTURE = np.zeros((28, 28), dtype=np.uint8)
PICTURE[5:20, 10:15] = 200
ROLLED = np.roll(PICTURE, 3, axis=0)


def said(call):
    """What a call warns of, as Python shows it to users: once for each line of code and text."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        call()
    assert {one.filename for one in caught} <= {__file__}
    return [str(one.message) for one in caught]


# ---------------------------------------------------------------- images


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda x, y: rpw.distance(x, y, diameter=1), "x"),
        (lambda x, y: rpw.solve(x.astype(float), y, diameter=1), "y"),
        (lambda x, y: rpw.wasserstein(x, y), "x"),
        (lambda x, y: rpw.profile(x, y), "x"),
        (lambda x, y: rpw.sliced(x, y, n_projections=2), "x"),
        (lambda x, y: rpw.Measure(x), "points"),
        (lambda x, y: rpw.diameter(x), "A"),
        (lambda x, y: rpw.diameter([x, y]), "A"),
        (lambda x, y: rpw.pairwise([x, y], diameter=1), "A"),
        (lambda x, y: rpw.pairwise(np.stack([x, y]), diameter=1), "A"),
        (lambda x, y: rpw.solve_pairs([x], [y.astype(float)], diameter=1), "A"),
        (lambda x, y: rpw.Index([x, y], diameter=1), "measures"),
        (lambda x, y: rpw.Index([x.astype(float)], diameter=1).query(y), "q"),
        (lambda x, y: rpw.barycenter([x, y], n_points=2, diameter=1, n_starts=1), "measures"),
        (lambda x, y: RPWTransformer(diameter=1).fit([x, y]), "X"),
    ],
)
def test_a_picture_of_bytes_as_points_is_warned_of_once(call, name):
    (message,) = said(lambda: call(PICTURE, ROLLED))
    assert message.startswith(f"{name} looks like ")
    assert "rpw.Measure.from_image(" in message


def test_both_ways_out_of_a_picture():
    assert said(lambda: rpw.distance(PICTURE.astype(float), ROLLED.astype(float), diameter=1)) == []
    one, other = rpw.Measure.from_image(PICTURE), rpw.Measure.from_image(ROLLED)
    assert said(lambda: rpw.distance(one, other)) == []
    # Three rows of a grid whose diagonal is 27 √2: without the warning, the rows as points gave 0.
    assert rpw.wasserstein(one, other) == pytest.approx(3 / np.hypot(27, 27))


@pytest.mark.parametrize(
    "points",
    [
        RNG.integers(0, 256, (1000, 3), dtype=np.uint8),  # colours
        RNG.integers(0, 256, (5, 5), dtype=np.uint8),
        RNG.integers(0, 2, (100, 128), dtype=np.uint8),  # flags
        RNG.integers(0, 256, (300, 64), dtype=np.uint8),  # small pictures, one in each row
        RNG.integers(0, 256, (28, 28)),
        RNG.random((28, 28)).astype(np.float32),
        RNG.random((28, 28)) > 0.5,
    ],
    ids=lambda points: f"{points.dtype} {points.shape}",
)
def test_ordinary_points_are_not_warned_of(points):
    assert said(lambda: rpw.wasserstein(points, points)) == []
    assert said(lambda: rpw.diameter([points, points])) == []


def test_a_list_that_holds_other_things_beside_a_picture_is_not_warned_of():
    assert said(lambda: rpw.pairwise([PICTURE, RNG.random((50, 28))], diameter=1)) == []


SQUARES = np.stack([PICTURE, ROLLED, PICTURE]) / 255


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda A: rpw.pairwise(A, diameter=1), "A"),
        (lambda A: rpw.pairwise(list(A), A, diameter=1), "B"),
        (lambda A: rpw.solve_pairs(A, list(A), diameter=1), "A"),
        (lambda A: rpw.diameter(A), "A"),
        (lambda A: rpw.Index(A, diameter=1), "measures"),
        (lambda A: rpw.Index(list(A), diameter=1).query(A), "q"),
        (lambda A: rpw.barycenter(A, n_points=2, diameter=1, n_starts=1), "measures"),
        (lambda A: RPWTransformer(diameter=1).fit(A).transform(A[:2]), "X"),
    ],
)
def test_an_array_of_floats_that_look_like_pixels_is_asked_about_once(call, name):
    (message,) = said(lambda: call(SQUARES))
    assert message == (
        f"{name} has shape (3, 28, 28): are these images? They are read as 3 clouds of 28 points in 28 dimensions. "
        f"For images, pass rpw.Measure.from_image of each; for clouds, pass list({name}) and this warning ends."
    )
    assert said(lambda: call(list(SQUARES))) == []


def digits():
    return pytest.importorskip("sklearn.datasets").load_digits().images[:20]


@pytest.mark.parametrize(
    "images",
    [
        lambda: digits(),  # 0 to 16
        lambda: digits() / 16,
        lambda: digits().astype(np.float32) / 16,
        lambda: np.stack([PICTURE, ROLLED]).astype(float),
        lambda: (RNG.random((4, 12, 20)) > 0.5).astype(float),  # masks
        lambda: np.where(RNG.random((10, 9, 9)) < 0.05, 0.0, RNG.random((10, 9, 9))),
    ],
)
def test_floats_that_look_like_pixels(images):
    (message,) = said(lambda: rpw.diameter(images()))
    assert "are these images?" in message
    assert said(lambda: rpw.diameter(list(images()))) == []


@pytest.mark.parametrize(
    "clouds",
    [
        RNG.random((60, 28, 28)),
        RNG.random((5, 10, 8)).astype(np.float32),
        RNG.normal(size=(5, 12, 10)),
        RNG.normal(size=(5, 12, 10)).round(),  # whole numbers, some below 0
        np.maximum(RNG.normal(size=(5, 12, 10)), 0),  # many zeros, and values above 1
        np.where(RNG.random((10, 20, 20)) < 0.002, 0.0, RNG.random((10, 20, 20))),  # a few zeros
        RNG.integers(0, 300, (5, 12, 10)).astype(float) + (np.arange(10) == 0) * 300.0,  # beyond 255
        digits()[:, :, :7] / 16,  # seven columns
        RNG.integers(0, 9, (5, 30, 3)).astype(float),
        RNG.integers(0, 9, (5, 30, 10)).astype(float),  # more than twice as long
        RNG.random((4, 12, 20)) > 0.5,  # bool
        RNG.integers(0, 9, (5, 12, 10)),
        np.zeros((3, 8, 8)),
        RNG.random((1, 8, 8)),
        RNG.integers(1, 6, (30, 20, 12)).astype(float),  # ratings
    ],
    ids=lambda clouds: f"{clouds.dtype} {clouds.shape}",
)
def test_clouds_of_many_dimensions_are_not_asked_about(clouds):
    assert said(lambda: rpw.diameter(clouds)) == []


def test_arrays_without_answer_are_not_asked_about():
    wrong = SQUARES.copy()
    wrong[2, 3, 4] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        rpw.diameter(wrong)


def test_an_image_of_pillow_is_refused_as_points():
    image = pytest.importorskip("PIL.Image").fromarray(PICTURE)
    with pytest.raises(ValueError, match=r"^y is an image of Pillow: pass rpw.Measure.from_image\(y\)"):
        rpw.distance(np.zeros((3, 28)), image)
    with pytest.raises(ValueError, match=r"^A\[1\] is an image of Pillow"):
        rpw.pairwise([np.zeros((3, 28)), image])


def test_colour_images_are_refused_with_the_way_out():
    colours = np.zeros((8, 8, 3), dtype=np.uint8)
    with pytest.raises(ValueError, match=r"^x must have shape.*Measure.from_image\(x\) for an image"):
        rpw.distance(colours, colours)
    with pytest.raises(ValueError, match=r"^A must be .*Measure.from_image\(item\) for item in A"):
        rpw.pairwise(colours[None])


def test_an_array_file_without_a_name_that_holds_a_picture_is_refused(tmp_path):
    np.save(tmp_path / "one.npy", PICTURE)
    np.save(tmp_path / "two.npy", np.stack([PICTURE, ROLLED]))
    with pytest.raises(ValueError, match=r"one.npy: holds an unnamed uint8 array of shape \(28, 28\).*PNG"):
        rpw.readers.read_points(tmp_path / "one.npy")
    with pytest.raises(ValueError, match=r"two.npy: holds an unnamed uint8 array of shape \(2, 28, 28\).*name images"):
        rpw.readers.read_collection(tmp_path / "two.npy")
    np.savez(tmp_path / "named.npz", points=PICTURE)
    assert said(lambda: rpw.readers.read_points(tmp_path / "named.npz")) == []
    np.savez(tmp_path / "all.npz", images=np.stack([PICTURE, ROLLED]))
    assert rpw.readers.read_collection(tmp_path / "all.npz").as_measures()[0] == rpw.Measure.from_image(PICTURE)


# ---------------------------------------------------------------- images of different sizes

LARGE, SMALL = rpw.Measure.from_image(PICTURE), rpw.Measure.from_image(PICTURE[:20])
PHOTO = RNG.random((6, 9, 3))


@pytest.mark.parametrize(
    "call",
    [
        lambda x, y: rpw.distance(x, y),
        lambda x, y: rpw.transport(x, y),
        lambda x, y: rpw.pairwise([x, y, x]),
        lambda x, y: rpw.pairwise([x, x], [x, y]),
        lambda x, y: rpw.solve_pairs([x], [y]),
        lambda x, y: rpw.Index([x, x]).query(y),
        lambda x, y: pickle.loads(pickle.dumps(rpw.Index([x]))).query(y),
        lambda x, y: rpw.Index([x]).add([y]),
        lambda x, y: rpw.diameter([x, y]),
        lambda x, y: rpw.barycenter([x, y], n_points=2, n_starts=1),
        lambda x, y: RPWTransformer().fit([x, y]),
    ],
)
def test_images_in_different_units_are_warned_of_once(call):
    (message,) = said(lambda: call(LARGE, SMALL))
    assert "different sizes" in message
    assert "diagonal=" in message
    assert said(lambda: call(LARGE, pickle.loads(pickle.dumps(SMALL)))) == [message]
    assert said(lambda: call(LARGE, rpw.Measure.from_image(ROLLED))) == []
    assert said(lambda: call(LARGE, rpw.Measure(SMALL.points, SMALL.weights))) == []  # nothing is known of it


def test_one_diagonal_gives_images_one_unit():
    diagonal = float(np.hypot(27, 27))
    small = rpw.Measure.from_image(PICTURE[:20], diagonal=diagonal)
    assert said(lambda: rpw.distance(LARGE, small)) == []
    assert rpw.distance(LARGE, small) == 0  # the last rows are empty
    assert rpw.Measure.from_image(PICTURE, diagonal=diagonal) == LARGE
    assert rpw.Measure.from_image(PICTURE, diagonal=2).points.max() == 19 / 2
    assert (LARGE.pixel, small.pixel, rpw.Measure([[0.0]]).pixel) == (1 / diagonal, 1 / diagonal, None)


def test_a_diagonal_for_colours():
    own = rpw.Measure.from_image(PHOTO)
    assert rpw.Measure.from_image(PHOTO, diagonal=float(np.hypot(5, 8))) == own
    first, beside = rpw.Measure.from_image(np.zeros((1, 2, 3)), diagonal=10.0).points
    assert np.linalg.norm(beside - first) == pytest.approx(np.sqrt(0.5 / 1.5) / 10)
    assert said(lambda: rpw.distance(own, rpw.Measure.from_image(PHOTO, position_weight=1.0))) != []
    for size in (2, 6):  # without positions there is one space for all sizes
        small = rpw.Measure.from_image(PHOTO[:size], position_weight=0)
        assert said(lambda small=small: rpw.distance(small, rpw.Measure.from_image(PHOTO, position_weight=0))) == []


@pytest.mark.parametrize("wrong", [0, -1.0, np.inf, np.nan, "long", True])
def test_a_diagonal_is_a_positive_length(wrong):
    with pytest.raises(ValueError, match=r"^diagonal must"):
        rpw.Measure.from_image(PICTURE, diagonal=wrong)


# ---------------------------------------------------------------- histograms as columns

SUPPORT = np.arange(6.0) / 5


def test_histograms_as_columns_of_another_shape_are_refused_with_the_way_out():
    with pytest.raises(ValueError, match=r"^A must hold histograms.*\(B, 500\).*\(500, 6\).*pass A.T$"):
        rpw.pairwise(np.ones((500, 6)), support=np.arange(500.0))
    with pytest.raises(ValueError, match=r"^b must have one weight per point.*\(500, 6\).*b\[:, 0\]"):
        rpw.distance(np.arange(500.0), np.arange(500.0), b=np.ones((500, 6)))


def test_columns_that_pot_takes_as_sets_on_the_line():
    """As the page for POT's users says."""
    ot = pytest.importorskip("ot")
    X, Y = RNG.normal(size=(50, 6)), RNG.normal(size=(40, 6))
    np.testing.assert_allclose(
        [rpw.wasserstein(u, v, p=1) for u, v in zip(X.T, Y.T, strict=True)], ot.wasserstein_1d(X, Y)
    )


# ---------------------------------------------------------------- tables

COLUMNS = {"u": [0.0, 1.0], "colour": ["red", "blue"], "v": [2.0, 3.0]}


def of_arrow(columns):
    return pytest.importorskip("pyarrow").table(columns)


def of_pandas(columns):
    return pytest.importorskip("pandas").DataFrame(columns)


def of_polars(columns):
    return pytest.importorskip("polars").DataFrame(columns)


@pytest.mark.parametrize("table", [of_arrow, of_pandas, of_polars])
def test_a_column_of_texts_is_named(table):
    texts = table(COLUMNS)
    with pytest.raises(ValueError, match=r"^x has the column 'colour', which holds 'red'.*drop the column"):
        rpw.distance(texts, texts)
    with pytest.raises(ValueError, match=r"^A\[0\] has the column 'colour'"):
        rpw.pairwise([texts, texts])
    with pytest.raises(ValueError, match=r"^points has the column 'colour'"):
        rpw.Measure(table({"colour": COLUMNS["colour"]}))


class Table:
    """As the libraries have it, for those who have none of them."""

    def __init__(self, columns):
        self.columns, self.values = list(columns), np.array(list(columns.values()), dtype=object).T
        self.ndim, self.shape = 2, self.values.shape

    def __array__(self, dtype=None, copy=None):
        return self.values


class LazyFrame:
    """As polars and narwhals have it: asking for its columns may take long, and warns."""

    @property
    def columns(self):
        raise AssertionError("the columns of a table that is still to be computed were asked for")

    def collect(self):
        return np.zeros((2, 2))


@pytest.mark.parametrize("missing", ["three", None, b"3", [3.0]])
def test_the_first_column_without_numbers_is_named(missing):
    table = Table({"u": [0.0, 1.0], "mixed": [True, 2], "v": [1.0, missing]})
    with pytest.raises(ValueError, match=r"^y has the column 'v', which holds .*, not a number"):
        rpw.distance(np.zeros((2, 3)), table)


def test_a_lazy_table_is_to_be_collected():
    lazy = LazyFrame()
    for call, name in (
        (lambda: rpw.distance(lazy, lazy), "x"),
        (lambda: rpw.Measure(lazy), "points"),
        (lambda: rpw.pairwise([lazy, lazy]), "A[0]"),
        (lambda: rpw.pairwise(lazy), "A"),
        (lambda: rpw.pairwise(lazy, support=SUPPORT), "A"),
        (lambda: rpw.diameter(lazy), "A"),
        (lambda: rpw.Index([np.zeros((2, 2))], diameter=1).query(lazy), "q"),
        (lambda: rpw.barycenter([lazy], n_points=2), "measures[0]"),
    ):
        with pytest.raises(ValueError, match="is a LazyFrame") as caught:
            call()
        assert f"pass {name}.collect()" in str(caught.value).replace("q[0]", "q")


def test_a_lazy_table_of_polars():
    frame = of_polars({"u": [0.0, 1.0], "v": [2.0, 3.0]})
    with pytest.raises(ValueError, match=r"^x is a LazyFrame, which holds no numbers yet: pass x.collect\(\)"):
        rpw.distance(frame.lazy(), frame)
    assert rpw.distance(frame.lazy().collect(), frame, diameter=1) == 0


# ---------------------------------------------------------------- columns in units of their own


def raw_units(size, scales, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(2, size, len(scales))) * scales


class Named:
    """A table, as the libraries have it."""

    ndim = 2

    def __init__(self, values, columns):
        self.values, self.columns, self.shape = values, columns, values.shape

    def __array__(self, dtype=None, copy=None):
        return self.values.astype(dtype or np.float64)

    def __len__(self):
        return len(self.values)


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "chebyshev", "minkowski"])
@pytest.mark.parametrize("call", [rpw.solve, rpw.distance])
@pytest.mark.parametrize("place", [0, 1, 4])
def test_a_column_that_makes_up_all_of_the_distance_is_named_once(call, metric, place):
    scales = np.ones(5)
    scales[place] = 1e4
    x, y = raw_units(50, scales)

    def loop():
        for _ in range(3):
            call(x, y, metric=metric, diameter=1e4)

    (message,) = said(loop)
    assert message.startswith(f"column {place} (counted from 0) makes up nearly all of the distance")
    assert "scale='robust'" in message
    columns = [f"c{i}" for i in range(5)]
    for first, second in ((Named(x, columns), y), (x, rpw.Measure(Named(y, columns)))):
        (message,) = said(lambda x=first, y=second: call(x, y, metric=metric, diameter=1e4))
        assert message.startswith(f"the column c{place} makes up")


@pytest.mark.parametrize("size", [20, 33, 500, 5000])
def test_neither_outliers_nor_ties_nor_the_order_of_rows_hide_that_column(size):
    x, y = raw_units(size, [1.0, 3000.0, 2.0])
    for cloud in (x, y):
        cloud[: size // 20, 0] += 1e7  # typing errors in another column
        cloud[:, 2] = np.arange(size) % 2  # a flag
    in_order = x[np.argsort(x[:, 1])], y[np.argsort(y[:, 1])]
    for one, other in ((x, y), in_order):
        (message,) = said(lambda x=one, y=other: rpw.distance(x, y, diameter=1e4, tol=0.5))
        assert "column 1 " in message


GRID = np.stack(np.meshgrid(np.arange(28.0), np.arange(28.0)), axis=-1).reshape(-1, 2)
FLAT = np.column_stack([np.linspace(0, 1000, 60), np.full(60, 3.0)])
TURN = np.linspace(0, 2 * np.pi, 60)
HEAPS = RNG.normal(size=(60, 2)) + np.repeat([[0.0, 0.0], [0.0, 1e4]], 30, axis=0)
NORMAL = RNG.normal(size=(2, 60, 3))
SILENT = {
    "columns of one scale": NORMAL,
    "one column ten times as wide": NORMAL * [1, 10, 1],
    "one column thirty times as wide": NORMAL * [1, 30, 1],
    "pixels": (GRID, np.add(GRID, [0.0, 3.0])),
    "pixels of a wide picture": (GRID * [1, 4], GRID * [1, 4] + 2),
    "a constant column": (FLAT, np.add(FLAT, [5.0, 0.0])),
    "a line with rounding": (FLAT * [1, 0] + np.sin(np.pi) * TURN[:, None] * [0, 1], FLAT),
    "a line that is turned": (FLAT @ [[0.6, 0.8], [-0.8, 0.6]], FLAT @ [[0.8, 0.6], [-0.6, 0.8]]),
    "a line that hardly rises": (FLAT @ [[1, 0.001], [0, 1]], FLAT @ [[1, 0.001], [0, 1]] + 2),
    "a far shift along one axis": (NORMAL[0], NORMAL[1] + [1e5, 0, 0]),
    "far outliers along one axis": (NORMAL[0], np.where(np.arange(60)[:, None] < 6, [1e6, 0, 0], NORMAL[1])),
    "two heaps far apart along one axis": (HEAPS, HEAPS + 1),
    "heavy tails": np.random.default_rng(3).standard_cauchy((2, 60, 3)),
    "one-hot rows": (np.eye(25), np.eye(25)[::-1]),
    "equal points": (np.zeros((30, 2)), np.ones((30, 2))),
    "few points": NORMAL[:, :19] * [1, 1e4, 1],
    "few points on one side": (NORMAL[0] * [1, 1e4, 1], NORMAL[1, :19] * [1, 1e4, 1]),
    "huge coordinates": NORMAL * 1e299,
}


@pytest.mark.parametrize("name", SILENT)
def test_ordinary_columns_are_not_warned_of(name):
    x, y = SILENT[name]
    assert said(lambda: rpw.distance(x, y, diameter=1, tol=0.5)) == []


def test_no_warning_about_units_where_columns_are_no_lengths():
    x, y = raw_units(40, [1e4, 1.0])
    cost = np.abs(x[:, :1] - y[:, 0])
    for call in (
        lambda: rpw.distance(x, y, k=0),
        lambda: rpw.distance(np.abs(x), np.abs(y), metric="canberra", diameter=1),
        lambda: rpw.distance(cost=cost, diameter=1e4),
        lambda: rpw.distance(x[:, 0], y[:, 0], diameter=1e4),
        lambda: rpw.distance(x / [1e4, 1.0], y / [1e4, 1.0], diameter=4),  # the way out
    ):
        assert said(call) == []
