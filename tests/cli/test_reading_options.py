"""``--exclude``, ``--decimal`` and ``--header/--no-header``, for every command on tables, and the words around them."""

import numpy as np
import pytest
from commands import answer, call, complaint

import rpw

STAMPED = "time,x,y,weight\n2026-01-01,0,0,1\n2026-01-02,3,4,2\n"


@pytest.fixture
def stamped(tmp_path):
    (tmp_path / "a.csv").write_text(STAMPED)
    return tmp_path / "a.csv"


@pytest.mark.parametrize(
    "options",
    [
        ("--exclude", "time"),
        ("--exclude", "1"),
        ("--exclude", "TIME"),
        ("--columns", "1-3", "--exclude", "time"),
        ("--exclude", "1,weight"),
        ("--columns", "x,y", "--exclude", "weight"),
    ],
)
def test_a_time_stamp_is_left_out(stamped, options):
    assert answer("diameter", stamped, *options)["diameter"] == 5
    stamped.with_name("b.csv").write_text("time,x,y,weight\nnow,0,0,1\n")
    weights = [1, 1] if "weight" in options[-1] else [1, 2]
    expected = rpw.distance(rpw.Measure([[0, 0], [3, 4]], weights), rpw.Measure([[0.0, 0.0]]))
    assert answer("distance", stamped, stamped.with_name("b.csv"), *options)["distance"] == expected


def test_every_command_on_tables_takes_them(stamped, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    for name in ("a", "b"):
        (folder / f"{name}.csv").write_text(STAMPED)
    same = (folder / "a.csv", folder / "b.csv")
    out = ("--exclude", "time", "--decimal", ".", "--header")
    commands = [
        ("distance", *same), ("profile", *same), ("explore", *same, "--out", tmp_path / "page.html"),
        ("diameter", folder), ("pairwise", folder, "--out", tmp_path / "D.csv"),
        ("index", folder, "--out", tmp_path / "I"), ("search", tmp_path / "I", same[0]),
    ]  # fmt: skip
    for command in commands:
        call(*command, *out)
        assert "decimal must be '.' or ',', got ';'" in complaint(*command, "--decimal", ";", code=2)
    (tmp_path / "c.csv").write_text("time,x\n" + "".join(f"{place},{place % 7}\n" for place in range(30)))
    call("outliers", tmp_path / "c.csv", tmp_path / "c.csv", *out)


def test_excluded_columns_are_there_and_leave_some(stamped):
    assert "a.csv: has no column 'when': its columns are time, x, y" in complaint(
        "diameter", stamped, "--exclude", "when"
    )
    assert "a.csv: has no column that is left" in complaint("diameter", stamped, "--exclude", "1-4")
    assert "--exclude 'x,': names, numbers or ranges" in complaint("diameter", stamped, "--exclude", "x,", code=2)


def test_what_is_no_number_names_its_column_and_the_way_out(stamped):
    reason = complaint("diameter", stamped)
    assert reason.endswith(
        "a.csv: line 2, column 1 (time): '2026-01-01' is not a number; --columns says which columns to read, and "
        "--exclude which not\n"
    )


def test_an_array_without_one_of_its_columns(tmp_path):
    np.save(tmp_path / "a.npy", [[0.0, 9, 0], [3, 1, 4]])
    assert answer("diameter", tmp_path / "a.npy", "--exclude", "2")["diameter"] == 5


def test_the_decimal_mark_of_a_file(tmp_path):
    (tmp_path / "a.csv").write_text("x;y\n0;0\n3,000;4,000\n")
    reason = complaint("diameter", tmp_path / "a.csv")
    assert "line 3, column 1 (x): '3,000' has a decimal comma, or a mark between thousands" in reason
    assert "pass --decimal , or --decimal ." in reason
    assert answer("diameter", tmp_path / "a.csv", "--decimal", ",")["diameter"] == 5


def test_the_first_line_of_a_file(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("0,1\n0,0\n3,4\n")
    found = answer("diameter", path)
    assert (found["diameter"], found["points"]) == (5, 2)
    assert found["warnings"] == [f"{path}: the first line (0, 1) was taken for names: --no-header makes it a row"]
    assert "rpw: note: " in call("diameter", path).stderr
    for option, points in (("--header", 2), ("--no-header", 3)):
        found = answer("diameter", path, option)
        assert found["points"] == points
        assert "warnings" not in found
    path.write_text("0\n0.5\n")
    assert "--header makes it names, and --no-header a row" in complaint("diameter", path)


def test_drift_leaves_out_a_column(tmp_path):
    rows = "".join(f"{place};{place % 7},5\n" for place in range(40))
    for name, start in (("a", 0), ("b", 1000)):
        (tmp_path / f"{name}.csv").write_text("time;x\n" + rows.replace("\n", f"{start}\n"))
    files = tmp_path / "a.csv", tmp_path / "b.csv"
    quick = ("--alpha", "0.2", "--n-resamples", "39")
    found = answer("drift", *files, "--exclude", "time", "--decimal", ",", *quick)
    assert [row["column"] for row in found["rows"]] == ["x"]
    assert "--exclude has 'when', which is in neither table" in complaint("drift", *files, "--exclude", "when")
    assert "--exclude has every column" in complaint("drift", *files, "--exclude", "time,x")
    assert "--decimal" in complaint("drift", *files, "--decimal", "comma", code=2)
    assert len(answer("drift", *files, "--no-header", *quick)["rows"]) >= 2
