"""``--columns`` and ``--drop-missing``, for every command that reads tables of points."""

import numpy as np
import pytest
from commands import answer, call, complaint

import rpw

TABLE = "name,x,y,weight\nann,0.1,0.2,1\nbob,0.5,NA,2\neve,0.9,0.4,3\n"
OTHER = "y,name,x,weight\n0.3,cat,0.2,1\n0.1,dog,0.7,\n,elk,0.3,1\n"
X = rpw.Measure([[0.1, 0.2], [0.9, 0.4]], [1, 3])
Y = rpw.Measure([[0.2, 0.3]])


@pytest.fixture
def tables(tmp_path):
    folder = tmp_path / "tables"
    folder.mkdir()
    (folder / "a.csv").write_text(TABLE)
    (folder / "b.csv").write_text(OTHER)
    return folder


CHOSEN = ("--columns", "x,y", "--drop-missing")


def test_one_pair(tables):
    files = tables / "a.csv", tables / "b.csv"
    found = answer("distance", *files, *CHOSEN)
    assert found["distance"] == rpw.distance(X, Y)
    assert (found["dropped"], found["a"]["points"], found["b"]["points"]) == (3, 2, 1)
    shown = "".join(call("distance", *files, *CHOSEN).stdout.split())  # lines may break anywhere in a long path
    assert f"rowswithmissingvalues:1of{files[0]},2of{files[1]}" in shown
    profile = answer("profile", *files, *CHOSEN)
    assert (profile["distances"]["1"], profile["dropped"]) == (pytest.approx(rpw.distance(X, Y), abs=1e-12), 3)
    assert answer("diameter", *files, *CHOSEN)["diameter"] == rpw.diameter([X, Y])


def test_collections(tables, tmp_path):
    found = answer("pairwise", tables, "--out", tmp_path / "D.npy", *CHOSEN)
    np.testing.assert_array_equal(np.load(tmp_path / "D.npy"), rpw.pairwise([X, Y]))
    assert found["dropped"] == 3
    assert "3 rows with missing values" in call("pairwise", tables, "--out", tmp_path / "D.npy", *CHOSEN).stdout
    assert answer("index", tables, "--out", tmp_path / "I", *CHOSEN)["dropped"] == 3
    nearest = answer("search", tmp_path / "I", tables / "b.csv", *CHOSEN)
    assert [hit["name"] for hit in nearest["queries"][0]["nearest"]] == ["b.csv", "a.csv"]
    assert nearest["dropped"] == 2
    (tables / "b.csv").write_text("x,y\n0.2,0.3\n")
    assert "1 row with missing values" in call("index", tables, "--out", tmp_path / "I", *CHOSEN).stdout


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ("x", [0, 1]),
        ("X", [0, 1]),
        ("2", [0, 1]),
        ("2,3", [0, 1, 2]),
        ("2-3", [0, 1, 2]),
        ("3,x", [2, 0]),
        (" x , y ", [0, 1, 2]),
        ('"x","y"', [0, 1, 2]),
    ],
)
def test_columns_by_name_and_by_number(tmp_path, columns, expected):
    """By the diameter, in which the columns have different parts."""
    (tmp_path / "a.csv").write_text("name,x,y\nann,0,0\nbob,3,4\n")
    size = {(0, 1): 3, (0, 1, 2): 5, (2, 0): 5}[tuple(expected)]
    assert answer("diameter", tmp_path / "a.csv", "--columns", columns)["diameter"] == size


def test_columns_without_names(tmp_path):
    (tmp_path / "a.csv").write_text("7,0,0\n8,3,4\n")
    assert answer("diameter", tmp_path / "a.csv", "--columns", "2-3")["diameter"] == 5
    assert answer("diameter", tmp_path / "a.csv", "--columns", "3")["diameter"] == 4
    assert "its columns have no names, so choose them by number" in complaint(
        "diameter", tmp_path / "a.csv", "--columns", "x"
    )


@pytest.mark.parametrize("first", ["id,1,2,3", ",0,1,2", "id,x,y,z", "7,1,2,z"])
@pytest.mark.parametrize("more", [(), ("--drop-missing",)], ids=["", "drop"])
def test_a_first_line_with_any_text_is_a_header(tmp_path, first, more):
    """Also if the cells of the chosen columns are numbers."""
    (tmp_path / "a.csv").write_text(f"{first}\n7,0,10,100\n8,3,14,100\n")
    found = answer("diameter", tmp_path / "a.csv", "--columns", "2-3", *more)
    assert (found["points"], found["diameter"], found["dropped"]) == (2, 5, 0)


def test_a_missing_value_makes_no_header(tmp_path):
    (tmp_path / "a.csv").write_text("NA,0,0\n8,3,4\n")
    assert answer("diameter", tmp_path / "a.csv", "--columns", "2-3")["diameter"] == 5
    reason = complaint("diameter", tmp_path / "a.csv", "--columns", "1-2")
    assert "line 1, column 1: 'NA' is not a number; --drop-missing" in reason


def test_a_number_that_is_the_name_of_another_column(tmp_path):
    (tmp_path / "a.csv").write_text("0,1,2019,weight\n0,0,0,1\n3,4,12,1\n")
    for columns, size in (("1-1", 3), ('"1"', 4), ("1-3", 13), ("2-3", 160**0.5), ("3", 12), ("2019", 12), ("0", 3)):
        found = answer("diameter", tmp_path / "a.csv", "--columns", columns)
        assert found["diameter"] == pytest.approx(size), columns
    reason = complaint("diameter", tmp_path / "a.csv", "--columns", "1")
    assert "a.csv: 1 could be column 1, which is named '0', or the column named '1', which is column 2:" in reason
    assert "write 1-1 for the first" in reason
    (tmp_path / "a.csv").write_text("1,2,weight\n0,0,1\n3,4,1\n")
    assert answer("diameter", tmp_path / "a.csv", "--columns", "1")["diameter"] == 3  # place and name agree
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(arrow.table({"0": [0, 3], "1": [0, 4], "2": [0, 12]}), tmp_path / "a.parquet")
    assert "1 could be column 1" in complaint("diameter", tmp_path / "a.parquet", "--columns", "1")
    assert answer("diameter", tmp_path / "a.parquet", "--columns", "1-3")["diameter"] == 13
    assert answer("diameter", tmp_path / "a.parquet", "--columns", "1-1")["diameter"] == 3
    assert answer("diameter", tmp_path / "a.parquet", "--columns", '"1"')["diameter"] == 4


def test_the_first_line_may_have_missing_values(tmp_path):
    (tmp_path / "a.csv").write_text("1,NA\n0,0\n3,4\n")
    assert answer("diameter", tmp_path / "a.csv", "--drop-missing")["diameter"] == 5
    (tmp_path / "a.csv").write_text("NA,null\n0,0\nnone,1\n3,4\n,2\n")
    found = answer("diameter", tmp_path / "a.csv", "--drop-missing")
    assert (found["diameter"], found["dropped"]) == (5, 3)


def test_only_chosen_columns_need_values(tmp_path):
    (tmp_path / "a.csv").write_text("x,y,z\n0,0,NA\n3,4,NA\n")
    found = answer("diameter", tmp_path / "a.csv", "--columns", "x,y", "--drop-missing")
    assert (found["diameter"], found["dropped"]) == (5, 0)


def test_an_index_of_pandas_is_left_out(tmp_path):
    (tmp_path / "a.csv").write_text(",x,y\n0,0,0\n1,3,4\n")
    assert "looks like an index" in complaint("diameter", tmp_path / "a.csv")
    assert answer("diameter", tmp_path / "a.csv", "--columns", "x,y")["diameter"] == 5


def test_parquet(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    path = tmp_path / "a.parquet"
    values = {
        "name": ["a", "b", "c", "d"],
        "y": [0.0, 4.0, None, float("nan")],
        "0": [0, 3, 5, 6],
        "weight": [1, 1, 1, 1],
    }
    parquet.write_table(arrow.table(values), path)
    assert "column 'name' is not numeric" in complaint("diameter", path)
    reason = complaint("diameter", path, "--columns", "y")
    assert reason.endswith("column 'y' has 1 missing values; --drop-missing leaves out such rows\n")
    for columns in ("0,y", "3,2", "2-3"):
        found = answer("diameter", path, "--columns", columns, "--drop-missing")
        assert (found["diameter"], found["dropped"]) == (5, 2), columns
    assert answer("diameter", path, "--columns", "0")["diameter"] == 6
    flags = tmp_path / "flags.parquet"
    parquet.write_table(arrow.table({"x": [True, None, False]}), flags)
    assert answer("diameter", flags, "--drop-missing")["diameter"] == 1


def test_an_infinite_entry_is_named_by_its_row_in_the_file(tmp_path):
    """Rows with missing values before it count too."""
    values = np.array([[np.nan, 1.0], [0.0, 2.0], [1.0, np.nan], [2.0, -np.inf]])
    np.save(tmp_path / "a.npy", values)
    reason = complaint("diameter", tmp_path / "a.npy", "--drop-missing")
    assert reason.endswith("a.npy: row 3, counted from 0, column 2: -inf is not a finite number\n")
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(arrow.table({"x": values[:, 0], "y": values[:, 1]}), tmp_path / "a.parquet")
    reason = complaint("diameter", tmp_path / "a.parquet", "--drop-missing")
    assert reason.endswith("a.parquet: row 3, counted from 0, column 'y': -inf is not a finite number\n")


def test_arrays(tmp_path):
    points = np.array([[0.0, 7.0, 0.0], [3.0, np.nan, 4.0], [np.nan, 1.0, 9.0]])
    np.save(tmp_path / "a.npy", points)
    found = answer("diameter", tmp_path / "a.npy", "--columns", "1,3", "--drop-missing")
    assert (found["diameter"], found["dropped"]) == (5, 1)
    assert "has no column 4: it has only 3" in complaint("diameter", tmp_path / "a.npy", "--columns", "4")
    np.savez(tmp_path / "w.npz", points=points, weights=[1.0, np.nan, 1.0])
    found = answer("diameter", tmp_path / "w.npz", "--columns", "3", "--drop-missing")
    assert (found["diameter"], found["dropped"]) == (9, 1)
    np.save(tmp_path / "many.npy", np.array([points, points[::-1]]))
    found = answer("pairwise", tmp_path / "many.npy", "--out", tmp_path / "D.csv", "--columns", "1,3", "--drop-missing")
    assert (found["largest"], found["dropped"]) == (0, 2)
    np.save(tmp_path / "gone.npy", np.array([points, np.full((3, 3), np.nan)]))
    reason = complaint("pairwise", tmp_path / "gone.npy", "--out", tmp_path / "D.csv", "--drop-missing")
    assert "points[1]: every row has a missing value" in reason


def test_images_and_histograms_have_no_columns(tmp_path):
    pictures = pytest.importorskip("PIL.Image")
    pictures.new("L", (3, 3), 200).save(tmp_path / "a.png")
    reason = complaint("distance", tmp_path / "a.png", tmp_path / "a.png", "--columns", "1")
    assert "a.png: is an image, which has no columns to choose from" in reason
    assert answer("distance", tmp_path / "a.png", tmp_path / "a.png", "--drop-missing")["dropped"] == 0
    np.savez(tmp_path / "h.npz", histograms=np.ones((2, 3)), support=np.eye(3))
    reason = complaint("pairwise", tmp_path / "h.npz", "--out", tmp_path / "D.csv", "--columns", "1")
    assert "holds histograms, support, which have no columns to choose from" in reason


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ("z", "a.csv: has no column 'z': its columns are name, x, y, weight"),
        ("7", "a.csv: has no column 7: it has only 4, counted from 1"),
        ("1-999999999", "a.csv: has no column 999999999: it has only 4, counted from 1"),
        ("x,2", "a.csv: column '2' is chosen twice"),
        ("x,1-3", "a.csv: column '2' is chosen twice"),
        ("x,weight", "a.csv: column 'weight' holds the weights, so it cannot be a coordinate"),
        ("name", "a.csv: line 2, column 1 (name): 'ann' is not a number"),
        ("0", "a.csv: has no column '0'"),
    ],
)
def test_columns_that_are_not_there(tables, columns, reason):
    assert reason in complaint("distance", tables / "a.csv", tables / "b.csv", "--columns", columns)


@pytest.mark.parametrize("columns", ["", " ", "x,", ",", "3-2", "0-2", '""', '"x', '"x"y', "x\ny", '"x\ny"', "x\n"])
def test_lists_of_columns_that_make_no_sense(columns):
    for command in (("distance", "a", "b"), ("pairwise", "a", "--out", "D"), ("search", "I", "q"), ("diameter", "a")):
        reason = complaint(*command, "--columns", columns, code=2)
        assert reason.startswith("rpw: --columns")
        assert reason.count("\n") == 1


def test_nothing_is_left(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,NA\nnull,2\n")
    for command in ("distance", "profile", "outliers"):
        reason = complaint(command, tmp_path / "a.csv", tmp_path / "a.csv", "--drop-missing")
        assert reason == f"rpw: {tmp_path / 'a.csv'}: every row has a missing value, so no point is left\n"


def test_a_missing_value_is_an_error_that_names_the_way_out(tables):
    reason = complaint("distance", tables / "a.csv", tables / "a.csv", "--columns", "x,y")
    assert reason.endswith("a.csv: line 3, column 3 (y): 'NA' is not a number; --drop-missing leaves out such rows\n")
    (tables / "a.csv").write_text("x\n1\nmany\n")
    assert "--drop-missing" not in complaint("distance", tables / "a.csv", tables / "a.csv")
