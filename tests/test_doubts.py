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
def test_a_picture_of_bytes_as_points_is_doubted_once(call, name):
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
def test_ordinary_points_are_not_doubted(points):
    assert said(lambda: rpw.wasserstein(points, points)) == []
    assert said(lambda: rpw.diameter([points, points])) == []


def test_a_list_that_holds_other_things_beside_a_picture_is_not_doubted():
    assert said(lambda: rpw.pairwise([PICTURE, RNG.random((50, 28))], diameter=1)) == []


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
    with pytest.raises(ValueError, match=r"one.npy: holds uint8 of shape \(28, 28\).*PNG"):
        rpw.readers.read_points(tmp_path / "one.npy")
    with pytest.raises(ValueError, match=r"two.npy: holds uint8 of shape \(2, 28, 28\).*as images"):
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
def test_images_in_different_units_are_doubted_once(call):
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

HISTOGRAMS = RNG.dirichlet(np.ones(6), 6)
SUPPORT = np.arange(6.0) / 5


@pytest.mark.parametrize(
    "call",
    [
        lambda A: rpw.pairwise(A, support=SUPPORT),
        lambda A: rpw.pairwise(A, cost=np.abs(np.subtract.outer(SUPPORT, SUPPORT))),
        lambda A: rpw.pairwise(pytest.importorskip("scipy.sparse").csr_array(A), support=SUPPORT),
        lambda A: rpw.pairwise(A.tolist(), support=SUPPORT),
        lambda A: rpw.Index(A, support=SUPPORT),
        lambda A: rpw.solve_pairs(A, np.ones((6, 6)), support=SUPPORT),
        lambda A: rpw.barycenter(A, support=SUPPORT),
        lambda A: RPWTransformer(support="line").fit(A),
    ],
)
def test_histograms_as_columns_of_a_square_array_are_doubted(call):
    (message,) = said(lambda: call(HISTOGRAMS.T))
    assert "columns" in message
    assert ".T if they are the columns" in message
    assert said(lambda: call(HISTOGRAMS)) == []
    assert said(lambda: call(RNG.integers(1, 9, (6, 6)).astype(float))) == []  # counts
    assert said(lambda: call((HISTOGRAMS + HISTOGRAMS.T)[::-1])) == []


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
    with pytest.raises(ValueError, match=r"^x has the column 'colour', which holds 'red'.*leave the column out"):
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
    with pytest.raises(ValueError, match=r"^y has the column 'v', which holds .*, and that is no number"):
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
