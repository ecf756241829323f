"""Tables name their columns alike and in one order, or are refused, wherever they come in."""

import pickle

import numpy as np
import pytest

import rpw
from rpw.sklearn import RPWTransformer

RNG = np.random.default_rng(0)
SUPPORT = RNG.random((3, 2))


class Table:
    """As the libraries have it: names of columns, and numbers that NumPy can read."""

    def __init__(self, values, columns):
        self.values, self.columns = np.asarray(values, dtype=np.float64), list(columns)
        self.ndim, self.shape = 2, self.values.shape

    def __array__(self, dtype=None, copy=None):
        return self.values.astype(dtype or np.float64)

    def __len__(self):
        return len(self.values)

    def select(self, *columns):
        return Table(self.values[:, [self.columns.index(name) for name in columns]], columns)


class Series:
    """One histogram, whose labels name its places; as pandas has it."""

    ndim = 1

    def __init__(self, values, index):
        self.values, self.index, self.shape = np.asarray(values), list(index), np.shape(values)

    def __array__(self, dtype=None, copy=None):
        return self.values.astype(dtype or np.float64)

    def __len__(self):
        return len(self.values)

    def __iter__(self):
        return iter(self.values)


POINTS = Table(RNG.random((5, 2)), ["lon", "lat"])
SWAPPED = POINTS.select("lat", "lon")
ROWS = Table(RNG.random((4, 3)), ["h1", "h2", "h3"])
ROWS_SWAPPED = ROWS.select("h2", "h1", "h3")
COST = Table(np.abs(np.subtract.outer(np.arange(3.0), np.arange(3.0))), ["h2", "h1", "h3"])


def index():
    return rpw.Index([POINTS, POINTS.values + 1])


def histograms():
    return rpw.Index(ROWS, support=SUPPORT)


def saved(made, tmp_path):
    made.save(tmp_path / "index")
    return rpw.Index.load(tmp_path / "index")


def grown(made):
    made.add([POINTS])
    return made


# Each call, and who complains about whom.
REFUSED = {
    "distance": (lambda _: rpw.distance(POINTS, SWAPPED), "y", "x"),
    "sliced": (lambda _: rpw.sliced(POINTS, SWAPPED), "y", "x"),
    "one list": (lambda _: rpw.pairwise([POINTS.values, POINTS, SWAPPED]), "A[2]", "A[1]"),
    "two lists": (lambda _: rpw.pairwise([POINTS], [SWAPPED]), "B[0]", "A[0]"),
    "the first has no names": (lambda _: rpw.pairwise([POINTS.values, POINTS], [SWAPPED]), "B[0]", "A[1]"),
    "solve_pairs": (lambda _: rpw.solve_pairs([POINTS], [SWAPPED]), "B[0]", "A[0]"),
    "Index": (lambda _: rpw.Index([POINTS, SWAPPED]), "measures[1]", "measures[0]"),
    "query": (lambda _: index().query(SWAPPED), "q", "the index"),
    "queries": (lambda _: index().query([POINTS, SWAPPED]), "q[1]", "the index"),
    "radius_query": (lambda _: index().radius_query(SWAPPED, 1), "q", "the index"),
    "add": (lambda _: index().add([SWAPPED]), "measures[0]", "the index"),
    "after add": (lambda _: grown(rpw.Index([POINTS.values])).query(SWAPPED), "q", "the index"),
    "after load": (lambda path: saved(index(), path).query(SWAPPED), "q", "the index"),
    "after pickle": (lambda _: pickle.loads(pickle.dumps(index())).query(SWAPPED), "q", "the index"),
    "fit": (lambda _: RPWTransformer().fit([POINTS, SWAPPED]), "X[1]", "X[0]"),
    "transform": (lambda _: RPWTransformer().fit([POINTS]).transform([SWAPPED]), "X[0]", "X of fit"),
    "graph": (lambda _: RPWTransformer("neighbors", 1).fit([POINTS]).transform([SWAPPED]), "X[0]", "X of fit"),
    "known pairs": (lambda _: RPWTransformer(ks=[1, 2]).fit([POINTS]).transform([SWAPPED]), "X[0]", "X of fit"),
}
REFUSED_HISTOGRAMS = {
    "pairwise": (lambda _: rpw.pairwise(ROWS, ROWS_SWAPPED, support=SUPPORT), "B", "A"),
    "solve_pairs": (lambda _: rpw.solve_pairs(ROWS, ROWS_SWAPPED, support=SUPPORT), "B", "A"),
    "cost": (lambda _: rpw.pairwise(ROWS, cost=COST), "cost", "A"),
    "query": (lambda _: histograms().query(ROWS_SWAPPED), "q", "the index"),
    "radius_query": (lambda _: histograms().radius_query(ROWS_SWAPPED, 1), "q", "the index"),
    "add": (lambda _: histograms().add(ROWS_SWAPPED), "measures", "the index"),
    "after load": (lambda path: saved(histograms(), path).query(ROWS_SWAPPED), "q", "the index"),
    "series": (lambda _: histograms().query(Series(np.ones(3), ROWS_SWAPPED.columns)), "q", "the index"),
    "transform": (lambda _: RPWTransformer(support=SUPPORT).fit(ROWS).transform(ROWS_SWAPPED), "X", "X of fit"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_coordinates_in_another_order_are_refused(name, tmp_path):
    call, one, other = REFUSED[name]
    with pytest.raises(ValueError, match="has the columns") as caught:
        call(tmp_path)
    assert str(caught.value).startswith(f"{one} has the columns lat, lon, and {other} has lon, lat: tables must have")


@pytest.mark.parametrize("name", REFUSED_HISTOGRAMS)
def test_places_in_another_order_are_refused(name, tmp_path):
    call, one, other = REFUSED_HISTOGRAMS[name]
    with pytest.raises(ValueError, match="has the columns") as caught:
        call(tmp_path)
    assert str(caught.value).startswith(f"{one} has the columns h2, h1, h3, and {other} has h1, h2, h3: tables must")


def test_the_same_names_and_no_names_are_taken(tmp_path):
    plain = rpw.Index([POINTS.values, POINTS.values + 1]).query(POINTS.values)
    for made in (index(), saved(index(), tmp_path)):
        for query in (POINTS, POINTS.values, rpw.Measure(POINTS), Table(POINTS, [0, 1])):
            assert made.query(query)[0].tolist() == plain[0].tolist()
    by_place = rpw.pairwise(ROWS.values, support=SUPPORT)
    for other in (ROWS, ROWS.values, list(ROWS.values), [Series(row, ROWS.columns) for row in ROWS.values]):
        assert np.array_equal(rpw.pairwise(ROWS, other, support=SUPPORT), by_place)
    rows = [Series(row, range(3 * s, 3 * s + 3)) for s, row in enumerate(ROWS.values)]  # numbers of rows, say
    assert np.array_equal(rpw.pairwise(rows, support=SUPPORT), by_place)


def test_columns_that_are_only_numbered_are_compared_with_their_like():
    numbered = Table(POINTS, [0, 1])
    assert rpw.distance(numbered, POINTS) == rpw.distance(POINTS, numbered) == 0
    with pytest.raises(ValueError, match=r"^y has the columns 1, 0, and x has 0, 1"):
        rpw.distance(numbered, numbered.select(1, 0))
    with pytest.raises(ValueError, match=r"^A\[2\] has the columns lat, lon, and A\[1\] has lon, lat"):
        rpw.pairwise([numbered, POINTS, SWAPPED])


def test_of_many_columns_the_first_difference_is_told():
    names = [f"c{s}" for s in range(20)]
    x, y = Table(np.zeros((2, 20)), names), Table(np.zeros((2, 20)), [*names[:18], "z", "c19"])
    with pytest.raises(ValueError, match=r"^y has the column z at index 18, and x has c18 there: tables must"):
        rpw.distance(x, y)


def test_another_number_of_columns_is_another_dimension():
    with pytest.raises(ValueError, match="dimension"):
        index().query(Table(np.zeros((2, 3)), ["lon", "lat", "height"]))


def test_what_is_no_list_of_names_is_none():
    for columns in (2, lambda: ["lat", "lon"]):
        odd = Table(POINTS, [])
        odd.columns = columns
        assert rpw.distance(odd, POINTS) == 0


def test_an_index_of_tables_that_was_damaged_is_refused(tmp_path):
    index().save(tmp_path / "index")
    stored = dict(np.load(tmp_path / "index"))
    stored["about"] = np.array(str(stored["about"]).replace("lat", "alt"))
    with (tmp_path / "index").open("wb") as file:
        np.savez(file, **stored)
    with pytest.raises(ValueError, match=r"damaged: .*digest"):
        rpw.Index.load(tmp_path / "index")


def test_tables_of_pandas():
    pandas = pytest.importorskip("pandas")
    points, rows = pandas.DataFrame(POINTS.values, columns=POINTS.columns), pandas.DataFrame(ROWS.values)
    rows.columns = ROWS.columns
    made = rpw.Index([points])
    assert made.query(points)[0].tolist() == [0]
    with pytest.raises(ValueError, match=r"^q has the columns lat, lon"):
        made.query(points[["lat", "lon"]])
    made = rpw.Index(rows, support=SUPPORT)
    assert made.query(rows.iloc[2], top=1)[1].tolist() == [2]
    with pytest.raises(ValueError, match=r"^q has the columns h2, h1, h3"):
        made.query(rows[["h2", "h1", "h3"]].iloc[2])


def test_measures_remember_how_their_coordinates_were_named():
    one, other = rpw.Measure(POINTS), rpw.Measure(SWAPPED)
    assert one.columns == ("lon", "lat")
    assert pickle.loads(pickle.dumps(other)).columns == ("lat", "lon")
    assert rpw.Measure.from_histogram([1, 2, 0, 1, 1], POINTS).columns == ("lon", "lat")
    assert other.with_coordinates([1, 0]).columns == one.columns
    assert rpw.Measure(POINTS.values).columns == ()
    for ask in (
        lambda: rpw.distance(one, other),
        lambda: rpw.distance(POINTS, other),
        lambda: rpw.distance(one, pickle.loads(pickle.dumps(other))),
        lambda: rpw.diameter([one], [other]),
        lambda: rpw.pairwise([one, other]),
        lambda: rpw.solve_pairs([one], [other]),
        lambda: rpw.Index([one]).query(other),
        lambda: rpw.Index([one]).add([other]),
        lambda: index().query(other),
    ):
        with pytest.raises(ValueError, match="columns"):
            ask()
    assert rpw.distance(one, other.with_coordinates([1, 0])) == 0
    assert rpw.distance(one, rpw.Measure(POINTS.values)) == 0
    assert one == rpw.Measure(POINTS.values)  # the numbers are the same
