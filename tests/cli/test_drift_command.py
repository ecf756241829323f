"""``rpw drift``: what it prints, its exit codes, and its page."""

import gzip
import json

import numpy as np
import pytest
from commands import answer, call, complaint
from typer.testing import CliRunner

from rpw.cli._app import app

RNG = np.random.default_rng(0)
QUICK = ("--alpha", "0.2", "--n-resamples", "39")  # enough splits for four tests


def write(where, separator=",", shift=0.0, n=40, **more):
    columns = {
        "age": RNG.normal(40 + shift, 5, n).round(3),
        "size": RNG.normal(size=n).round(3),
        "city": RNG.choice(["Graz", "Linz"], n),
        **more,
    }
    lines = [separator.join(columns), *(separator.join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    text = "\n".join(lines) + "\n"
    where.write_bytes(gzip.compress(text.encode()) if where.suffix == ".gz" else text.encode())
    return where


@pytest.fixture
def tables(tmp_path):
    """Reference, a current table with a drift, and one without."""
    return (
        write(tmp_path / "ref.csv"),
        write(tmp_path / "moved.csv.gz", ";", shift=6.0),
        write(tmp_path / "same.tsv", "\t"),
    )


def test_the_sentence_comes_first_and_the_seed_repeats_it(tables):
    reference, moved, _ = tables
    lines = call("drift", reference, moved, *QUICK).stdout.splitlines()
    assert lines[0].startswith("1 of 3 columns has drifted: age")
    first, again = (answer("drift", reference, moved, "--seed", 5, *QUICK) for _ in range(2))
    assert {**first, "seconds": 0} == {**again, "seconds": 0}
    assert first["drifted"] == ["age"]
    assert [row["column"] for row in first["rows"]] == ["age", "size", "city", ""]
    assert first["rows"][0]["changed_at_least"] > 0
    assert first["rows_of_reference"] == 40


def test_exit_codes_for_pipelines(tables):
    reference, moved, same = tables
    call("drift", reference, moved, "--columns", "age", *QUICK)
    done = call("drift", reference, moved, "--fail-on", "drift", "--columns", "age", *QUICK, code=3)
    assert done.stderr == ""
    assert done.stdout.startswith("1 of 1 column has drifted: age.")
    failed = call("drift", reference, moved, "--fail-on", "drift", "--json", "--columns", "age", *QUICK, code=3)
    assert json.loads(failed.stdout)["drifted"] == ["age"]
    call("drift", reference, same, "--fail-on", "drift", "--columns", "size,city")


def test_exit_codes_if_a_column_was_not_compared(tables, tmp_path):
    reference, *_ = tables
    wider = write(tmp_path / "wider.csv", new=["x"] * 40)
    call("drift", reference, wider, "--fail-on", "drift", "--columns", "size,city,new")
    assert (
        "not compared: new"
        in call("drift", reference, wider, "--fail-on", "any", "--columns", "size,new", code=3).stdout
    )


def test_a_column_that_is_wholly_missing_in_one_table_fails(tmp_path):
    """With three rows no test can call it a drift."""
    reference, empty = (write(tmp_path / f"{name}.csv", n=3, x=x) for name, x in (("a", range(3)), ("b", [""] * 3)))
    done = call("drift", reference, empty, "--columns", "size,x", "--fail-on", "any", code=3)
    assert "1 column was not compared: x." in " ".join(done.stdout.split())


def test_what_did_not_finish_is_no_success(tables):
    reference, _, same = tables
    limited = ("--n-resamples", 100_000, "--time-limit", 0.5, "--columns", "city,size")
    for fail_on, code in (("drift", 1), ("any", 3)):
        done = call("drift", reference, same, *limited, "--fail-on", fail_on, code=code)
        assert "No time was left for" in done.stdout
    found = answer("drift", reference, same, *limited)
    assert found["drifted"] == []
    assert "size" in found["unanswered"]
    assert 0 < found["rows"][1]["unanswered"] <= found["rows"][1]["n_resamples"] == 100_000


def test_a_long_comparison_says_so_in_a_line(tables, monkeypatch):
    from rpw.stats.tables import stages

    monkeypatch.setattr(stages, "_BEFORE_WORDS", 0.0)
    monkeypatch.setattr(stages, "_LONG", 0.0)
    files = [str(table) for table in tables[:2]]
    words = CliRunner().invoke(app, ["drift", *files, "--columns", "size", "--n-resamples", "39"]).stderr
    assert words.startswith("rpw: note: 1 test of 39 random splits will take about ")
    assert words.endswith("draw fewer rows, or pass --time-limit\n")


def test_rows_without_a_test_say_why_below_the_table(tmp_path):
    named, renamed = (write(tmp_path / f"{name}.csv", **{name: range(40)}) for name in ("old", "new"))
    first, *lines = call("drift", named, renamed, "--columns", "city,old,new").stdout.split("\n\n")
    assert " ".join(first.split()) == "The only column compared has not drifted. 2 columns were not compared: old, new."
    assert "no test" in lines[0]
    assert lines[1].splitlines()[:2] == [
        "No test of old: it is only in the reference.",
        "No test of new: it is only in the current table.",
    ]
    assert "compare a distance with what chance gives" in lines[1]


def test_a_row_of_json_says_what_its_distance_is(tables):
    reference, moved, _ = tables
    rows = {row["column"]: row for row in answer("drift", reference, moved, *QUICK)["rows"]}
    assert (rows["age"]["p"], rows["city"]["k"], rows["city"]["unit"]) == (2, 0, None)
    assert rows["age"]["unit"] > 0
    assert 38 < rows["age"]["median_reference"] < 42 < rows["age"]["median_current"] < 49
    assert "Median " in rows["age"]["words"]


def test_without_time_the_check_fails(tables):
    reference, _, same = tables
    assert "--time-limit passed" in complaint("drift", reference, same, "--time-limit", 0, "--fail-on", "any")


def test_columns_and_many_rows_of_output(tmp_path):
    many = {f"column {i}": RNG.normal(size=20) for i in range(23)}
    reference, current = write(tmp_path / "a.csv", n=20, **many), write(tmp_path / "b.csv", n=20, **many)
    done = call("drift", reference, current, "--n-resamples", "80", "--alpha", "0.9")
    assert "more rows: see --json or --out" in done.stdout
    assert [row["column"] for row in answer("drift", reference, current, "--columns", "size, city")["rows"]] == [
        "size",
        "city",
    ]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--alpha", "0"), "--alpha must lie between 0 and 1"),
        (("--alpha", "nan"), "--alpha must not be NaN"),
        (("--fail-on", "rain"), "--fail-on rain: choose one of drift, any"),
        (("--out", "page.txt"), "--out page.txt: choose a file that ends in one of .html"),
        (("--time-limit", "-1"), "--time-limit must be at least 0"),
    ],
)
def test_options_that_make_no_sense_are_exit_code_2(options, reason):
    assert reason in complaint("drift", "a.csv", "b.csv", *options, code=2)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--columns", "zz"), "--columns has 'zz', which is in neither table; they have age, size, city"),
        (("--n-resamples", "1"), "--n-resamples 1 is too few for 4 tests at --alpha 0.05: "),
        (("--n-resamples", "2000000"), "--n-resamples must be at most 1,000,000, got 2,000,000"),
        (("--alpha", "1e-9"), "--alpha 1e-09 with 4 tests needs "),
    ],
)
def test_options_that_do_not_fit_the_tables_are_named_as_options(tables, options, reason):
    reference, _, same = tables
    assert complaint("drift", reference, same, *options).startswith(f"rpw: {reason}")


def test_wrong_files_are_exit_code_1_and_named(tables, tmp_path):
    reference, *_ = tables
    (bad := tmp_path / "bad.csv").write_text("x,y\n1,2\n3\n")
    assert f"{bad}: line 3 has 1 values instead of 2" in complaint("drift", reference, bad)
    assert "none.csv" in complaint("drift", reference, tmp_path / "none.csv")


def test_the_page_is_written_and_what_is_read_is_not_overwritten(tables, tmp_path):
    reference, moved, _ = tables
    out = tmp_path / "page.html"
    assert str(out.name) in "".join(call("drift", reference, moved, "--out", out, *QUICK).stdout.split())
    text = out.read_text(encoding="utf-8")
    assert "1 of 3 columns has drifted: age" in text
    assert "ref.csv and moved.csv.gz" in text
    (html := tmp_path / "table.html").write_text("x\n1\n")
    assert "is one of the inputs" in complaint("drift", reference, html, "--out", html, code=2)


def test_nothing_to_compare_is_not_green(tables, tmp_path):
    other = tmp_path / "other.csv"
    other.write_text("name\na\nb\n")
    call("drift", tables[0], other, "--fail-on", "drift", *QUICK, code=1)
    call("drift", tables[0], other, *QUICK)
