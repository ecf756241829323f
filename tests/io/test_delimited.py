"""Delimited text: separators, decimal marks and headers. What a file leaves open is refused; an argument settles it."""

import time
import warnings
from contextlib import suppress

import numpy as np
import pytest
from sample_files import complaint

import rpw
from rpw.io.typed_tables import read_typed_table
from rpw.readers import read_collection, read_pair, read_points, read_queries

BOTH = [read_points, read_typed_table]


@pytest.fixture
def write(tmp_path):
    def to_file(text, name="a.csv"):
        (tmp_path / name).write_bytes(text.encode())
        return tmp_path / name

    return to_file


def numbers_of(path, read):
    """The columns of a file, by either reader."""
    if read is read_points:
        return read(path).points.T.tolist()
    return [column.numbers.tolist() for column in read(path).values()]


# ---------------------------------------------------------------- separators


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
@pytest.mark.parametrize("read", BOTH)
def test_the_separator_is_found(write, separator, name, read):
    text = "x,y\n1,2.5\n3,4\n".replace(",", separator)
    assert numbers_of(write(text, name), read) == [[1, 3], [2.5, 4]]
    assert numbers_of(write(f"\ufeff{text}".replace("\n", "\r\n"), name), read) == [[1, 3], [2.5, 4]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x;y\n1,5;2,5\n3,5;4,5\n", [[1.5, 3.5], [2.5, 4.5]]),
        ("a,b\tc\n1,5\t2\n", [[1.5], [2]]),
        ("speed; in km/h\n1\n2\n", [[1, 2]]),
        ('"a;b";"c ""d"""\n"1";2\n', [[1], [2]]),
        ('"a\nb";c\n1;2\n', [[1], [2]]),
    ],
)
@pytest.mark.parametrize("read", BOTH)
def test_the_separator_splits_all_lines_alike(write, text, expected, read):
    assert numbers_of(write(text), read) == expected


@pytest.mark.parametrize("read", BOTH)
def test_a_line_of_another_length_is_named(write, read):
    assert "line 3 has 1 values instead of 2" in complaint(write("a;b\n1;2\n3\n"), read)
    assert "line 2: a quote is opened there and never closed" in complaint(write('a;b\n1;"2\n3;4\n'), read)


def test_quoted_cells_are_those_of_the_csv_module(tmp_path):
    """Two independent ways: random cells with quotes, separators and line breaks."""
    import csv
    import io

    rng = np.random.default_rng(0)
    signs = ["a", "b", '"', ",", "\n", "\r\n", " ", "é", "\u2028"]
    for _ in range(200):
        cells = [["".join(rng.choice(signs, rng.integers(1, 8))) + "x" for _ in range(3)] for _ in range(4)]
        stream = io.StringIO()
        csv.writer(stream, lineterminator="\n").writerows([["p", "q", "r"], *cells])
        (tmp_path / "a.csv").write_bytes(stream.getvalue().encode())
        columns = [column.labels.tolist() for column in read_typed_table(tmp_path / "a.csv").values()]
        assert columns == [[cell.strip() for cell in column] for column in zip(*cells, strict=True)]


# ---------------------------------------------------------------- decimal marks

CENTS = "x;y\n999,5;1\n1.000;2\n1.200;3\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (CENTS, "line 3, column 1 (x): '1.000' has a point, and '999,5' in line 2 has a comma"),
        ("x;y\n1.000;2\n999,5;1\n", "line 3, column 1 (x): '999,5' has a comma, and '1.000' in line 2 has a point"),
        ("x;y\n0.5;1,5\n", "line 2, column 2 (y): '1,5' has a comma, and '0.5' in line 2 has a point"),
        ("x;y\n1;1,234\n2;3\n", "line 2, column 2 (y): '1,234' has a decimal comma, or a mark between thousands"),
        ("x;y\n1;1.234\n2;3\n", "line 2, column 2 (y): '1.234' has a decimal point, or a mark between thousands"),
        ('x,y\n1,"1,234"\n', "line 2, column 2 (y): '1,234' has a decimal comma, or a mark between thousands"),
        ("x;y\n1;1.234,5\n", "line 2, column 2 (y): '1.234,5' has marks between its thousands, which are not read"),
    ],
)
@pytest.mark.parametrize("read", BOTH)
def test_a_file_has_one_decimal_mark(write, text, reason, read):
    assert reason in complaint(write(text), read)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x;y\n1,234;1\n2,5;2\n", [1.234, 2.5]),
        ("x;y\n1,234;1,5\n2;2\n", [1.234, 2]),
        ("x;y\n0,234;1\n-1234,567e2;2\n", [0.234, -123456.7]),
        ("x\ty\n1,5\t1\n,25\t2\n", [1.5, 0.25]),
        ('x,y\n"1,5",1\n"2",2\n', [1.5, 2]),
        ("x;y\n1.234;1\n2.5;2\n", [1.234, 2.5]),
        ("x,y\n1.234,1\n2.345,2\n", [1.234, 2.345]),
        ("x\ty\n1.234\t1\n2.345\t2\n", [1.234, 2.345]),
    ],
)
@pytest.mark.parametrize("read", BOTH)
def test_all_of_a_file_decides_its_decimal_mark(write, text, expected, read):
    assert numbers_of(write(text), read)[0] == expected


def test_decimal_settles_it(write):
    path = write("x;y\n1,234;1\n5;2\n")
    measure = rpw.Measure([[1.234, 1], [5, 2]])
    assert read_points(path, decimal=",") == measure
    assert read_pair(path, path, decimal=",") == (measure, measure)
    assert read_queries(path, decimal=",").measures == [measure]
    assert read_collection(path.parent, decimal=",").measures == [measure]
    reason = complaint(path, lambda path: read_points(path, decimal="."))
    assert "line 2, column 1 (x): '1,234' is not a number" in reason
    assert read_points(write("x;y\n1.234;1\n5;2\n"), decimal=".") == measure
    with pytest.raises(ValueError, match=r"decimal must be '\.' or ',', got ';'"):
        read_points(path, decimal=";")


# ---------------------------------------------------------------- headers

WHOLE = "5,7\n1,2\n3,3\n8,5\n2,2\n"
BROKEN = "5,0.7\n1,0.2\n3,0.3\n8,0.5\n2,0.2\n"


@pytest.mark.parametrize(
    "text",
    [
        f"0,1\n{WHOLE}",
        f'"0","1"\n{WHOLE}',
        f"0,1\n{BROKEN}",
        f"2024-01-01,2024-02-01\n{WHOLE}",
        "2019,2020\n" + WHOLE.replace(",", ".5,").replace("\n", ".5\n"),
        "2019;2020\n" + WHOLE.replace(",", ",5;").replace("\n", ",5\n"),
    ],
)
@pytest.mark.parametrize("read", BOTH)
def test_a_header_of_numbers_is_no_row(write, text, read):
    path = write(text)
    with pytest.warns(UserWarning, match=r"a\.csv: the first line \(.*\) was taken for names: header=False"):
        assert len(numbers_of(path, read)[0]) == 5
    assert len(read_points(path, header=True)) == 5


@pytest.mark.filterwarnings("ignore:.*taken for names")
@pytest.mark.parametrize(
    "text", [f"x,2019\n{BROKEN}", f"0,weight\n{WHOLE}", ",0,1\n0,5,7\n1,1,2\n2,3,3\n3,8,5\n4,2,2\n"]
)
def test_a_header_with_some_numbers_is_no_row(write, text):
    path = write(text)
    if text[0] == ",":  # an index of pandas, which is no coordinate
        assert "column 1 looks like an index" in complaint(path)
    else:
        assert len(read_points(path)) == 5


@pytest.mark.parametrize("first", ["2019,2020", "1,2", "0.5,1", "0,1.0", "1e3,5", "1,0", "0,0", "-1,2", "NA,3"])
def test_a_first_line_of_numbers_over_numbers_is_a_row(write, first):
    path = write(f"{first}\n3,4\n5,6\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if "NA" not in first:
            assert len(read_points(path)) == 3
            assert len(read_points(path, header=False)) == 3
    assert read_points(path, header=True) == rpw.Measure([[3, 4], [5, 6]])
    table = "line 1 holds numbers, and the names of the columns are needed there"
    assert table in complaint(path, read_typed_table)


@pytest.mark.parametrize(
    "text", ["3\n0.5\n0.25\n", "0\n0.5\n", "0\n1\n2\n", "x5,7\n1,2\n", "ann,0\nbob,3\n", "2019,2020\n1.5,2\n3,4.5\n"]
)
def test_what_may_be_names_or_a_row_is_refused(write, text):
    path = write(text)
    assert "header=True makes it names, and header=False a row" in complaint(path)
    if text[0].isdigit():
        assert len(read_points(path, header=False)) == len(read_points(path, header=True)) + 1


def test_drift_takes_the_same_arguments(write):
    path = write("when;x;y\n" + "".join(f"{i};{i % 3},234;{i % 2}\n" for i in range(1, 20, 3)))
    with pytest.raises(ValueError, match=r"pass decimal=',' or decimal='\.'"):
        rpw.stats.drift(path, path)
    result = rpw.stats.drift(path, path, exclude=["when"], decimal=",", rng=0)
    assert [row.name for row in result.rows] == ["x", "y"]
    with pytest.raises(ValueError, match="exclude must be a list of names, got 'x'"):
        rpw.stats.drift(path, path, exclude="x", decimal=",")


def test_columns_without_names_are_numbered(write):
    result = rpw.stats.drift(*[write("1,a\n2,b\n3,a\n4,b\n" * 5)] * 2, header=False, rng=0)
    assert [row.name for row in result.rows][:2] == ["0", "1"]


@pytest.mark.parametrize("read", BOTH)
def test_byte_order_marks_are_no_part_of_a_name_or_a_number(write, read):
    assert numbers_of(write("\ufeff\ufeffx,y\n1,2\n"), read) == [[1], [2]]
    assert len(read_points(write("\ufeff\ufeff5.5\n6.5\n7.5\n"))) == 3


def test_a_row_without_entries_is_missing_everywhere(write):
    """pandas writes such rows: they keep their numbers, and count as missing as in Parquet."""
    path = write("t,h\n1,2\n,\n3,4\n\n")
    columns = read_typed_table(path)
    assert {name: column.missing.tolist() for name, column in columns.items()} == {
        "t": [False, True, False],
        "h": [False, True, False],
    }
    assert "line 3" in complaint(path)
    before = write("t,h\n" + "1,2\n3,1\n" * 50, "before.csv")
    after = write("t,h\n" + "1,2\n,\n" * 50, "after.csv")
    assert rpw.stats.drift(before, after, rng=0).drifted == ("t", "h")


def test_the_row_numbers_of_pandas_are_no_column(write):
    assert list(read_typed_table(write(",age,city\n0,40,Graz\n1,50,Wien\n"))) == ["age", "city"]
    with pytest.raises(ValueError, match="column 1: the name of the column is empty; write one there"):
        read_typed_table(write(",age\n5,40\n1,50\n"))


def test_drift_refuses_a_row_in_the_place_of_names(write):
    path = write("34,Graz\n28,Wien\n51,Linz\n")
    with pytest.raises(ValueError, match="mixes numbers and text"):
        rpw.stats.drift(path, path)
    assert rpw.stats.drift(path, path, header=False, rng=0).n == 3


# ---------------------------------------------------------------- sizes


@pytest.mark.parametrize("read", BOTH)
def test_wide_headers_and_cells_are_read(write, read):
    width = 20_000
    names = ",".join(f"column_{place}" for place in range(width))
    assert len(names) > 131_072
    path = write(f"{names}\n{','.join(['1'] * width)}\n")
    assert len(numbers_of(path, read)) == width
    assert numbers_of(write(f"x,y\n1,{'0' * 140_000}2.5\n"), read) == [[1], [2.5]]
    assert read_typed_table(write(f"x,y\n1,{'a' * 140_000}\n"))["y"].labels[0] == "a" * 140_000


@pytest.mark.parametrize("tail", ["x", "e", ",5x", ".5x", "_"])
@pytest.mark.parametrize("read", BOTH)
def test_long_cells_take_no_long_time(write, tail, read):
    """A megabyte of digits took an hour; the limit only tells one from the other."""
    path = write(f"x;y\n{'9' * 1_000_000}{tail};1\n2;3\n")
    start = time.perf_counter()
    with suppress(ValueError):  # it is no number
        read(path)
    assert time.perf_counter() - start < 20


def test_many_columns_are_chosen_and_matched_in_no_long_time(write):
    width = 20_000
    names = [f"c{place}" for place in range(width)]
    one = write(f"{','.join(names)}\n{','.join(map(str, range(width)))}\n")
    other = write(f"{','.join(names[::-1])}\n{','.join(map(str, range(width)[::-1]))}\n", "b.csv")
    start = time.perf_counter()
    first, second = read_pair(one, other)
    assert first == second
    assert "the name 'c1' comes twice" in complaint(
        write(f"{','.join([*names, 'c1'])}\n{'1,' * width}1\n"), read_typed_table
    )
    assert time.perf_counter() - start < 20
