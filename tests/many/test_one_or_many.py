"""What is one cloud and what is a collection of clouds: one rule, whoever reads them."""

import numpy as np
import pytest

import rpw
from rpw.many.collection import is_one_cloud

LINE = [[0.0, 1.0, 9.0], [2.0, 4.0, 5.0]]
PLANE = [[[0.0, 1.0], [3.0, 5.0]], [[2.0, 2.0], [4.0, 1.0], [1.0, 7.0]]]


def torch_tensor(cloud):
    return pytest.importorskip("torch").tensor(cloud, dtype=pytest.importorskip("torch").float64)


class Foreign:
    """An array of another library, which NumPy can read."""

    def __init__(self, cloud):
        self._array = np.array(cloud)
        self.shape, self.ndim = self._array.shape, self._array.ndim

    def __array__(self, *_, **__):
        return self._array

    def __len__(self):
        return len(self._array)


def pandas_of(cloud):
    pandas = pytest.importorskip("pandas")
    return pandas.Series(cloud) if np.ndim(cloud) == 1 else pandas.DataFrame(cloud)


def polars_of(cloud):
    polars = pytest.importorskip("polars")
    return polars.Series(cloud) if np.ndim(cloud) == 1 else polars.DataFrame(cloud, orient="row")


def arrow_of(cloud):
    arrow = pytest.importorskip("pyarrow")
    if np.ndim(cloud) == 1:
        return arrow.array(cloud)
    return arrow.table({f"x{t}": column for t, column in enumerate(zip(*cloud, strict=True))})


KINDS = {
    "arrays": np.array,
    "Measures": rpw.Measure,
    "Measures with a point without weight": lambda cloud: rpw.Measure(cloud, [0, *[1] * (len(cloud) - 1)]),
    "tensors": torch_tensor,
    "arrays of another library": Foreign,
    "pandas": pandas_of,
    "polars": polars_of,
    "arrow": arrow_of,
    "lists of arrays": lambda cloud: [np.array(point) for point in cloud],
    "lists of scalars": lambda cloud: [np.array(point).tolist() for point in np.array(cloud)],
}


EACH_KIND = [pytest.param(kind, marks=pytest.mark.large) if kind == "tensors" else kind for kind in KINDS]


def truth(*clouds):
    points = np.concatenate([np.reshape(cloud, (len(cloud), -1)) for cloud in clouds])
    return np.linalg.norm(points[:, None] - points, axis=2).max()


@pytest.mark.parametrize("clouds", [LINE, PLANE], ids=["line", "plane"])
@pytest.mark.parametrize("kind", EACH_KIND)
def test_every_collection_is_read_alike_by_all(kind, clouds):
    if clouds is LINE and "lists" in kind:
        pytest.skip("rows of numbers are one cloud")
    made = [KINDS[kind](cloud) for cloud in clouds]
    expected = truth(*clouds)
    for collection in (made, tuple(made), [made[0], np.array(clouds[1])]):
        assert not is_one_cloud(collection)
        assert rpw.diameter(collection) == pytest.approx(expected, rel=1e-14)
        assert rpw.Index(collection, diameter="auto").diameter == pytest.approx(expected, rel=1e-14)
        matrix = rpw.pairwise(collection, diameter="auto")
        assert matrix == pytest.approx(rpw.pairwise(collection, diameter=expected), rel=1e-12)
        result = rpw.solve_pairs(collection, collection[::-1], diameter="auto")[0]
        assert result.distance == pytest.approx(matrix[0, 1], rel=1e-12)
        index = rpw.Index(collection, diameter=expected)
        assert index.query(collection, top=2)[0].shape == (2, 2)
    assert rpw.diameter(made[:1], made[1:]) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("clouds", [LINE, PLANE], ids=["line", "plane"])
@pytest.mark.parametrize("kind", EACH_KIND)
def test_one_cloud_is_read_as_rpw_distance_reads_it(kind, clouds):
    cloud = KINDS[kind](clouds[0])
    assert is_one_cloud(cloud) or kind == "lists of arrays"
    if is_one_cloud(cloud):
        assert rpw.diameter(cloud) == pytest.approx(truth(clouds[0]), rel=1e-14)
        distances, indices = rpw.Index([np.array(c) for c in clouds], diameter=9).query(cloud, top=1)
        assert (distances.shape, indices.shape) == ((1,), (1,))


@pytest.mark.parametrize("kind", ["tensors", "pandas", "arrays", "arrays of another library"])
def test_the_estimator_takes_lists_of_clouds_on_the_line(kind):
    transformer = pytest.importorskip("rpw.sklearn").RPWTransformer
    made = [KINDS[kind](cloud) for cloud in LINE]
    found = transformer(diameter="auto").fit(made)
    assert found.index_.diameter == 9
    assert found.transform(made) == pytest.approx(rpw.pairwise(LINE_ARRAYS, diameter=9), rel=1e-12)


LINE_ARRAYS = [np.array(cloud) for cloud in LINE]


def test_clouds_of_different_length_on_the_line():
    ragged = [[0.0, 1.0, 9.0], [2.0, 4.0]]
    assert rpw.diameter(ragged) == 9
    assert rpw.pairwise(ragged, diameter="auto") == pytest.approx(rpw.pairwise(ragged, diameter=9))
    assert rpw.diameter([range(3), range(5)]) == 4


def test_rows_of_numbers_are_one_cloud_and_no_collection():
    rows = [[0.0, 0.0], [3.0, 4.0]]
    assert rpw.diameter(rows) == 5
    assert rpw.diameter([tuple(row) for row in rows]) == 5
    assert rpw.diameter([[np.float64(value) for value in row] for row in rows]) == 5
    assert rpw.diameter([np.array(1.0), np.array(4.0)]) == 3  # numbers
    index = rpw.Index([np.array(rows)], diameter=1)
    assert index.query(rows, top=1)[0].shape == (1,)
    for call in (rpw.pairwise, rpw.Index, index.add, lambda A: rpw.solve_pairs(A, A)):
        for table in (rows, tuple(rows), [[0.0, 1.0, 2.0]]):
            with pytest.raises(ValueError, match=r"rows of numbers.*np\.array"):
                call(table)
    assert rpw.pairwise([np.array(row) for row in rows], diameter=1).shape == (2, 2)
    assert rpw.pairwise([[0.0], [1.0]], p=1, diameter=1)[0, 1] == 0.5  # the same points, either way


def test_a_list_that_holds_itself_ends():
    endless = []
    endless.append(endless)
    for call in (rpw.diameter, rpw.pairwise, rpw.Index, rpw.Index(PLANE, diameter=1).query):
        with pytest.raises(ValueError, match=r"^(A|q|measures)\b"):
            call(endless)


@pytest.mark.parametrize("bad", [[], [[]], [[], []], {}, {1: 2}, "ab", ["ab"], None, 3.0, [None], [{}], set()])
def test_what_is_no_cloud_is_refused_by_name(bad):
    for call, name in (
        (rpw.diameter, "A"),
        (lambda v: rpw.diameter([0.0], v) if v is not None else rpw.diameter(v), ""),
    ):
        with pytest.raises(ValueError, match=rf"^{name or '[AB]'}\b"):
            call(bad)


def test_different_dimensions_are_refused_by_name():
    with pytest.raises(ValueError, match=r"A mixes measures of different dimensions"):
        rpw.diameter([np.zeros((2, 2)), np.zeros((2, 3))])
    with pytest.raises(ValueError, match=r"A and B mix points of different dimensions"):
        rpw.diameter([np.zeros((2, 2))], [np.zeros((2, 3))])
