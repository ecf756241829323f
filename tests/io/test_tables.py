"""Tables: what a file holds is what comes back, columns are matched by name, damage is named with its line."""

import io
import threading

import numpy as np
import pytest
from sample_files import PLAIN, POINTS, WEIGHTED, WEIGHTS, complaint, write_parquet

import rpw
from rpw.io import tables, typed_tables
from rpw.readers import read_collection, read_pair, read_points, read_queries


@pytest.mark.parametrize(
    "text",
    [
        "0.5,1\n2,-3.25\n4,1e-3\n",
        "x,y\n0.5,1\n2,-3.25\n4,1e-3",
        "\ufeffx,y\r\n0.5,1\r\n2,-3.25\r\n4,1e-3\r\n",
        '"x","y"\n"0.5", 1\n\n 2 ,-3.25\n4,1e-3\n\n',
    ],
)
def test_csv_of_points(tmp_path, text):
    path = tmp_path / "a.csv"
    path.write_bytes(text.encode())
    assert read_points(path) == read_points(str(path)) == PLAIN


@pytest.mark.parametrize("name", ["weight", "weights", "Weight", "WEIGHTS"])
@pytest.mark.parametrize("column", [0, 1, 2])
def test_a_column_of_weights_may_stand_anywhere(tmp_path, name, column):
    path = tmp_path / "a.csv"
    table = np.insert(POINTS, column, WEIGHTS, axis=1)
    header = list(np.insert(np.array(["x", "y"], dtype=object), column, name))
    path.write_text(",".join(header) + "\n" + "\n".join(",".join(map(repr, row)) for row in table.tolist()))
    assert read_points(path) == WEIGHTED


def test_names_of_columns_may_be_numbers_beside_a_weight(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("0,1,weight\n0.5,1,1\n2,-3.25,2\n4,1e-3,5")
    assert read_points(path) == WEIGHTED


def test_tsv_and_endings_in_capitals(tmp_path):
    path = tmp_path / "A.TSV"
    path.write_text("x\ty\n0.5\t1\n2\t-3.25\n4\t1e-3")
    assert read_points(path) == PLAIN


def test_floats_survive_csv_exactly(tmp_path):
    points = np.random.default_rng(0).standard_normal((50, 3))
    path = tmp_path / "a.csv"
    path.write_text("\n".join(",".join(map(repr, row)) for row in points.tolist()))
    assert read_points(path) == rpw.Measure(points)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "the file is empty"),
        (b"\n\n  \n", "holds no points"),
        (b"x,y\n", "holds no points"),
        (b"1,2\n3\n", "line 2 has 1 values instead of 2"),
        (b"x,y\n1,2\n\n3,4,5\n", "line 4 has 3 values instead of 2"),
        (b"1,2\n3,four\n", "line 2, column 2: 'four' is not a number"),
        (b"x,y\n1,2\n3,\n", "line 3, column 2 (y): '' is not a number"),
        (b"1,2\n3,nan\n", "line 2, column 2: 'nan' is not a number"),
        (b"1,2\n-inf,2\n", "line 2, column 1: '-inf' is not a finite number"),
        (b"1,2\n3,1e999\n", "line 2, column 2: '1e999' is not a finite number"),
        (b"1,2\n3,1_000\n", "line 2, column 2: '1_000' is not a number"),
        (b"1_000,2_000\n3,4\n", "line 1, column 1: '1_000' is not a number"),
        (b"x,y\n 1_0 ,2\n", "line 2, column 1 (x): '1_0' is not a number"),
        ("x,y\n1,\uff11\uff12\n".encode(), "line 2, column 2 (y): '\uff11\uff12' is not a number"),
        ("1,\u0663\n".encode(), "line 1, column 2: '\u0663' is not a number"),
        (b"1,2\n3,Infinity\n", "line 2, column 2: 'Infinity' is not a finite number"),
        (b"0.5x,1\n2,3\n", "line 1 mixes numbers and text (column 1 is '0.5x')"),
        (b",x,y\n0,1,2\n", "column 1 looks like an index"),
        (b"weight\n1\n", "has weights but no coordinates"),
        (b"x,weight,weights\n1,1,1\n", "has 2 columns of weights"),
        (b"x,weight\n1,-1\n", "weights has a negative entry"),
        (b"x,weight\n1,0\n", "weights sums to 0"),
        (b"1,2\n\xff,4\n", "not text in UTF-8 (byte 4 is 0xff)"),
        ("1,2\n3,4\n".encode("utf-16"), "not text in UTF-8"),
        (b"1,2\n" + b"9" * 200_000 + b",1\n", f"line 2, column 1: '{'9' * 40}' is not a finite number"),
        (b"x y\n1 2\n", "line 2, column 1 (x y): '1 2' is not a number"),
        (b"speed; km/h\n1\nfast\n", "line 3, column 1 (speed; km/h): 'fast' is not a number"),
        (b"\x00\x00\x00", "holds no points"),
    ],
)
def test_damaged_csv_says_what_is_wrong_and_where(tmp_path, text, message):
    path = tmp_path / "a.csv"
    path.write_bytes(text)
    assert message in complaint(path)


def test_a_separator_in_a_name_is_a_name(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"speed; in km/h\n1\n2\n")
    assert read_points(path) == rpw.Measure([1.0, 2.0])


class Witness(io.FileIO):
    """A file that remembers which threads have read it."""

    def __init__(self, path):
        super().__init__(path)
        self.threads = set()

    def read(self, *size):
        self.threads.add(threading.get_ident())
        return super().read(*size)


@pytest.mark.parametrize("read", [tables.read_parquet, typed_tables._read_parquet])
def test_no_thread_of_arrow_reads_parquet(tmp_path, read):
    """It could still hold a buffer of Python when Python ends, and would abort the process."""
    write_parquet(tmp_path / "a.parquet", x=POINTS[:, 0], y=POINTS[:, 1])
    with Witness(tmp_path / "a.parquet") as file:
        read(file)
    assert file.threads == {threading.get_ident()}


def test_parquet_tables(tmp_path):
    path = tmp_path / "a.parquet"
    write_parquet(path, x=POINTS[:, 0], y=POINTS[:, 1])
    assert read_points(path) == PLAIN
    write_parquet(path, weight=WEIGHTS.astype(np.int64), x=POINTS[:, 0], y=POINTS[:, 1])
    assert read_points(path) == WEIGHTED


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"x": ["a", "b"]}, "column 'x' is not numeric: string"),
        ({"x": [1.0, None]}, "column 'x' has 1 missing values"),
        ({"x": [1.0, np.nan]}, "NaN"),
        ({"x": [[1.0], [2.0]]}, "column 'x' is not numeric: list"),
        ({"x": np.empty(0)}, "holds no points"),
        ({"weight": [1.0]}, "no coordinates"),
        ({"x": [1.0], "__index_level_0__": [0]}, "column 2 looks like an index"),
    ],
)
def test_parquet_that_holds_no_points_is_refused(tmp_path, columns, message):
    path = tmp_path / "a.parquet"
    write_parquet(path, **columns)
    assert message in complaint(path)


# ---------------------------------------------------------------- columns of two tables


def pair_of(tmp_path, first, second):
    for name, text in (("a.csv", first), ("b.csv", second)):
        (tmp_path / name).write_text(text)
    return tmp_path / "a.csv", tmp_path / "b.csv"


@pytest.mark.parametrize(
    "second",
    ["lat,lon\n1,2\n3,4\n", "lon,lat\n2,1\n4,3\n", "LON, Lat\n2,1\n4,3\n", "1,2\n3,4\n"],
)
def test_columns_are_matched_by_name(tmp_path, second):
    paths = pair_of(tmp_path, "lat,lon\n5,6\n", second)
    assert read_pair(*paths) == (rpw.Measure([[5, 6]]), rpw.Measure([[1, 2], [3, 4]]))


def test_matched_columns_keep_their_weights_to_the_bit(tmp_path):
    paths = pair_of(tmp_path, "x,y,z\n0,0,0\n", "z,weight,x,y\n3,0.1,1,2\n6,0.7,4,5\n9,0.3,7,8\n")
    found = read_pair(*paths)[1]
    assert found.points.tolist() == [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
    assert np.array_equal(found.weights, read_points(paths[1]).weights)


@pytest.mark.parametrize("header", ["x,y", "lat,height", "lat,lat", "lon,lon"])
def test_columns_of_other_names_are_refused(tmp_path, header):
    a, b = pair_of(tmp_path, "lat,lon\n5,6\n", f"{header}\n1,2\n")
    names = header.replace(",", ", ")
    with pytest.raises(ValueError, match=rf"b\.csv: has the columns {names}, and .*a\.csv has lat, lon"):
        read_pair(a, b)
    assert "matched by their names" in complaint(tmp_path, read_collection).replace(str(tmp_path), tmp_path.name)


def test_columns_of_a_folder_are_those_of_its_first_table(tmp_path):
    np.save(tmp_path / "a.npy", [[1.0, 2.0]])  # has no names: as it stands
    (tmp_path / "b.csv").write_text("lat,lon\n1,2\n")
    (tmp_path / "c.tsv").write_text("lon\tlat\n2\t1\n")
    found = read_collection(tmp_path)
    assert found.columns == ("lat", "lon")
    assert found.measures == [rpw.Measure([[1, 2]])] * 3
    (tmp_path / "d.csv").write_text("x,y\n1,2\n")
    assert "d.csv: has the columns x, y" in complaint(tmp_path, read_collection).replace(str(tmp_path), tmp_path.name)


def test_columns_of_parquet_tables(tmp_path):
    write_parquet(tmp_path / "a.parquet", lat=[1.0, 3.0], lon=[2.0, 4.0])
    write_parquet(tmp_path / "b.parquet", lon=[2.0, 4.0], lat=[1.0, 3.0])
    first, second = read_pair(tmp_path / "a.parquet", tmp_path / "b.parquet")
    assert first == second


def test_another_collection_is_matched_too(tmp_path):
    (tmp_path / "a.csv").write_text("lon,lat\n2,1\n")
    query = read_queries(tmp_path / "a.csv")
    assert query.columns == ("lon", "lat")
    assert query.matched_to(("lat", "lon"), "the index").measures == [rpw.Measure([[1, 2]])]
    assert query.matched_to(None, "the index").measures == query.measures
    with pytest.raises(ValueError, match=r"a\.csv: has the columns lon, lat, and the index has x, y"):
        query.matched_to(("x", "y"), "the index")
