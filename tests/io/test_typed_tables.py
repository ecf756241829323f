"""Tables from files and libraries: every way to write the same table gives the same columns with the same types."""

import datetime
import decimal
import gzip
import importlib.util

import numpy as np
import pytest

from rpw.io.typed_columns import column_of_array, column_of_entries
from rpw.io.typed_tables import read_typed_table
from rpw.stats.tables.tables import as_typed_table

CSV = """\ufeffage,city,day,moment,member,empty
1.5,Graz,2024-01-02,2024-01-02T12:00,true,
-2e3,"Linz, Ost",1970-01-01,2024-01-01 00:00:00,false,NA
,NULL,,,None,n/a

7,Graz,2024-02-29,2024-01-01T01:00+01:00,true,
"""
KINDS = {"age": "number", "city": "category", "day": "date", "moment": "date", "member": "category", "empty": "empty"}


def check(table):
    assert {name: column.kind for name, column in table.items()} == KINDS
    assert table["age"].numbers.tolist()[:2] == [1.5, -2000]
    assert table["age"].missing.tolist() == [False, False, True, False]
    assert table["city"].labels.tolist() == ["Graz", "Linz, Ost", "", "Graz"]
    assert table["city"].missing.tolist() == [False, False, True, False]
    assert table["day"].numbers[[0, 1, 3]].tolist() == [19724, 0, 19782]
    assert table["moment"].numbers[[0, 1, 3]].tolist() == [19724.5, 19723, 19723]
    assert table["empty"].missing.all()


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("is_packed", [False, True])
def test_separators_and_gzip(tmp_path, separator, is_packed):
    text = CSV if separator == "," else CSV.replace("Linz, Ost", "Linz@ Ost").replace(",", separator).replace("@", ",")
    where = tmp_path / ("table.csv.gz" if is_packed else "table.csv")
    content = text.encode()
    where.write_bytes(gzip.compress(content) if is_packed else content)
    check(read_typed_table(where))


def test_one_column_keeps_its_empty_lines_out_and_its_missing_entries_in(tmp_path):
    (tmp_path / "a.csv").write_text('x\n1\n\nNA\n""\n2\n')
    assert read_typed_table(tmp_path / "a.csv")["x"].missing.tolist() == [False, True, True, False]


def test_names_with_line_breaks_of_any_kind(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('\n"a\nb","c\u2028d",e\n1,2,3\n"4",5,"6\n"\nend,5,6\n', encoding="utf-8")
    table = read_typed_table(path)
    assert list(table) == ["a\nb", "c\u2028d", "e"]
    assert table["c\u2028d"].numbers.tolist() == [2, 5, 5]
    assert table["a\nb"].numbers[:2].tolist() == [1, 4]
    assert table["a\nb"].labels.tolist() == ["", "", "end"]


def test_mixed_entries_of_text(tmp_path):
    (tmp_path / "a.csv").write_text("x,y,z\n1,2024-01-01,2024-02-30\nabc,5,2024-02-28\n1_000,x,\n")
    table = read_typed_table(tmp_path / "a.csv")
    assert [column.kind for column in table.values()] == ["mixed"] * 3
    assert table["x"].types.tolist() == ["number", "text", "text"]
    assert table["y"].types.tolist() == ["date", "number", "text"]
    assert table["z"].types.tolist() == ["text", "date", ""]


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.csv", b"", "the file is empty"),
        ("a.csv", b"x,y\n", "holds the names of columns, and no rows"),
        ("a.csv", b"x,y\n1,2\n3\n", "line 3 has 1 values instead of 2"),
        ("a.csv", b"1,2\n3,4\n", "line 1 holds numbers, and the names of the columns are needed there"),
        ("a.csv", b"x,,z\n3,4,5\n", "line 1, column 2: the name of the column is empty"),
        ("a.csv", b"x,x\n3,4\n", "line 1, column 2: the name 'x' comes twice"),
        ("a.csv", b'x,y\n1,2\n3,"4\n5,6\n7,8\n', "line 3: a quote is opened there and never closed"),
        ("a.csv", b'x\n1\n"', "line 3: a quote is opened there and never closed"),
        ("a.csv", b'"x,y\n1,2\n', "line 1: a quote is opened there and never closed"),
        ("a.csv", b"x,y\n1,2\n" + b'3,"4\n' + b"5,6\n" * 50_000, "line 3: a quote is opened there and never closed"),
        ("a.csv.gz", gzip.compress(b"x\n" + b"1\n" * 33_000_000, 1), "its cells need 1.1 GB of memory"),
        ("a.csv", b"x\n\xff\n", "not text in UTF-8"),
        ("a.csv.gz", gzip.compress(b"x\n1\n", mtime=0)[:-9], "ended before"),
        ("a.parquet", b"PAR1", "a.parquet: "),
        ("a.xlsx", b"PK", "unknown kind of table '.xlsx'; known are csv, tsv, txt, each also with .gz, and parquet"),
        ("a", b"x\n1\n", r"unknown kind of table '\(no extension\)'"),
    ],
)
def test_what_is_wrong_in_a_file_is_told_with_its_place(tmp_path, name, content, reason):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=reason) as caught:
        read_typed_table(tmp_path / name)
    assert str(tmp_path / name) in str(caught.value)


def test_a_folder_or_nothing(tmp_path):
    with pytest.raises(ValueError, match="is a folder"):
        read_typed_table(tmp_path)
    with pytest.raises(FileNotFoundError):
        read_typed_table(tmp_path / "none.csv")


# ---------------------------------------------------------------- libraries

ROWS = {
    "age": [1.5, -2000.0, None, 7.0],
    "city": ["Graz", "Linz, Ost", None, "Graz"],
    "day": [datetime.date(2024, 1, 2), datetime.date(1970, 1, 1), None, datetime.date(2024, 2, 29)],
    "moment": [
        datetime.datetime(2024, 1, 2, 12),
        datetime.datetime(2024, 1, 1),
        None,
        datetime.datetime(2024, 1, 1),
    ],
    "member": [True, False, None, True],
    "empty": [None] * 4,
}


def arrow():
    return pytest.importorskip("pyarrow").table(ROWS)


def as_pandas():
    return pytest.importorskip("pandas").DataFrame(ROWS)


def as_polars():
    return pytest.importorskip("polars").DataFrame(ROWS)


@pytest.mark.parametrize("make", [lambda: ROWS, arrow, as_pandas, as_polars], ids=["dict", "arrow", "pandas", "polars"])
def test_tables_of_libraries(make):
    if make is not None and importlib.util.find_spec("narwhals") is None:
        pytest.skip("narwhals is not installed")
    check(as_typed_table(make(), "table"))


def test_parquet(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow(), tmp_path / "table.parquet")
    check(read_typed_table(tmp_path / "table.parquet"))


def test_other_types_of_arrow():
    pyarrow = pytest.importorskip("pyarrow")
    table = as_typed_table(
        pyarrow.table(
            {
                "words": pyarrow.array(["a", "b", None]).dictionary_encode(),
                "whole": pyarrow.array([1, None, 3], pyarrow.int16()),
                "money": pyarrow.array([decimal.Decimal("1.50"), None, decimal.Decimal("2.25")]),
                "span": pyarrow.array([datetime.timedelta(days=2), None, datetime.timedelta(hours=12)]),
                "lists": [[1], [2], None],
            }
        ),
        "table",
    )
    assert {name: column.kind for name, column in table.items()} == {
        "words": "category",
        "whole": "number",
        "money": "number",
        "span": "number",
        "lists": "other",
    }
    assert table["whole"].numbers[[0, 2]].tolist() == [1, 3]
    assert table["money"].numbers[[0, 2]].tolist() == [1.5, 2.25]
    assert table["span"].numbers[[0, 2]].tolist() == [2, 0.5]
    assert all(column.missing.sum() == 1 for column in table.values())


def test_arrays_by_their_dtype():
    assert column_of_array(np.array([True, False])).labels.tolist() == ["True", "False"]
    assert column_of_array(np.array(["2024-01-01", "NaT"], dtype="M8[s]")).missing.tolist() == [False, True]
    assert column_of_array(np.array([36, "NaT"], dtype="m8[h]")).numbers[0] == 1.5
    assert column_of_array(np.ma.masked_array([1.0, 2.0], [False, True])).missing.tolist() == [False, True]
    assert column_of_array(np.array([1j, 2])).kind == "other"
    assert column_of_array([1, "a", None, float("nan")]).types.tolist() == ["number", "text", "", ""]
    assert column_of_entries([np.float32(1), decimal.Decimal(2), 3]).numbers.tolist() == [1, 2, 3]
    assert column_of_entries([np.datetime64("2024-01-02"), datetime.date(2024, 1, 2)]).numbers.tolist() == [19724] * 2


def test_a_structured_array_has_its_own_names():
    array = np.array([(1, "a"), (2, "b")], dtype=[("x", float), ("y", "U1")])
    assert {name: column.kind for name, column in as_typed_table(array, "table").items()} == {
        "x": "number",
        "y": "category",
    }


def test_two_columns_of_one_name_and_lazy_tables_are_refused():
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.Table.from_arrays([pyarrow.array([1, 2]), pyarrow.array([1, 2])], names=["x", "x"])
    with pytest.raises(ValueError, match="x"):
        as_typed_table(table, "reference")
    polars = pytest.importorskip("polars")
    with pytest.raises(ValueError, match=r"pass reference.collect\(\)"):
        as_typed_table(polars.LazyFrame({"x": [1]}), "reference")
