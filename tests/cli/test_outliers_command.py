"""``rpw outliers``: the rows, scores and p-values of the library."""

import csv

import numpy as np
import pytest
from commands import answer, call, complaint

import rpw

RNG = np.random.default_rng(0)


@pytest.fixture
def samples(tmp_path):
    """800 ordinary rows, and 200 new ones of which the first 20 are planted far away; a row between them misses."""
    usual, new = RNG.normal(size=(800, 2)), RNG.normal(size=(200, 2))
    new[:20] += 8
    (tmp_path / "usual.csv").write_text("\n".join(["x,y", *(f"{a},{b}" for a, b in usual.tolist())]))
    rows = [f"{b},{a}" for a, b in new.tolist()]
    rows.insert(10, "NA,1")
    (tmp_path / "new.csv").write_text("\n".join(["y,x", *rows]))
    return (tmp_path / "usual.csv", tmp_path / "new.csv"), usual, new


def test_rows_are_those_of_the_library(samples, tmp_path):
    files, usual, new = samples
    expected = rpw.stats.find_outliers(new, usual, rng=3)
    out = tmp_path / "rows.csv"
    found = answer("outliers", *files, "--drop-missing", "--seed", 3, "--out", out)
    numbers = np.array([*range(10), *range(11, 201)])
    assert found["named"] == numbers[expected.mask].tolist()
    assert set(range(10)) | set(range(11, 21)) <= set(found["named"])  # what was planted
    assert found["scores"] == expected.scores.tolist()
    assert found["pvalues"] == expected.pvalues.tolist()
    assert (found["least_named"], found["fdr"], found["dropped"]) == (expected.least_named, 0.05, 1)
    assert found["row_numbers"] == numbers.tolist()
    with out.open(newline="") as stream:
        header, *rows = csv.reader(stream)
    assert header == ["row", "score", "pvalue", "outlier"]
    assert [int(row[0]) for row in rows] == numbers.tolist()
    assert [float(row[1]) for row in rows] == expected.scores.tolist()
    assert [float(row[2]) for row in rows] == expected.pvalues.tolist()
    assert [row[3] == "True" for row in rows] == expected.mask.tolist()


def test_the_sentence_comes_first_then_the_farthest_rows(samples):
    files, usual, new = samples
    shown = call("outliers", *files, "--drop-missing").stdout
    expected = rpw.stats.find_outliers(new, usual, rng=0)
    assert " ".join(shown.split()).startswith(str(expected))
    lines = shown.splitlines()
    first = lines[lines.index("row    score   p-value") + 1 :] if "row    score   p-value" in lines else lines[4:]
    scores = [float(line.split()[1]) for line in first[:16]]
    assert scores == sorted(scores, reverse=True)
    assert "more: --json or --out has them all" in shown
    assert call("outliers", *files, "--drop-missing").stdout.splitlines()[:20] == lines[:20]  # the seed repeats it


@pytest.mark.parametrize(
    ("options", "asked"),
    [
        (("--fdr", "0.2"), {"fdr": 0.2}),
        (("--scale", "robust"), {"scale": "robust"}),
        (("--score", "move"), {"score": "move"}),
        (("--score", "price"), {"score": "price"}),
        (("--metric", "cityblock"), {"metric": "cityblock"}),
    ],
)
def test_options_are_those_of_the_library(samples, options, asked):
    files, usual, new = samples
    found = answer("outliers", *files, "--drop-missing", *options)
    expected = rpw.stats.find_outliers(new, usual, rng=0, **asked)
    assert found["pvalues"] == expected.pvalues.tolist()
    assert found["count"] == int(expected.mask.sum())


def test_warnings_are_notes(tmp_path):
    rows = "\n".join(["x,y", *(f"{a * 1e4},{b}" for a, b in RNG.normal(size=(60, 2)).tolist())])
    for name in ("usual.csv", "new.csv"):
        (tmp_path / name).write_text(rows)
    done = call("outliers", tmp_path / "usual.csv", tmp_path / "new.csv", "--fdr", "0.01")
    assert done.stderr == ""
    text = " ".join(done.stdout.split())
    assert "makes up nearly all of the distance" in text
    assert "too few rows for this fdr" in text
    note = answer("outliers", tmp_path / "usual.csv", tmp_path / "new.csv", "--fdr", "0.01")["note"]
    assert "too few rows for this fdr" in note
    assert "None of 60 rows is named" in text


@pytest.mark.parametrize("fdr", ["0", "1", "-1", "nan", "2"])
def test_rates_that_make_no_sense(fdr):
    assert complaint("outliers", "a.csv", "b.csv", "--fdr", fdr, code=2).startswith("rpw: --fdr must")


def test_wrong_data_are_exit_code_1(samples, tmp_path):
    files, *_ = samples
    reason = complaint("outliers", *files)
    assert "new.csv: line 12, column 1 (y): 'NA' is not a number; --drop-missing leaves out such rows" in reason
    (tmp_path / "wide.csv").write_text("1,2,3\n")
    assert "have 2 coordinates, those of" in complaint("outliers", files[0], tmp_path / "wide.csv")
    (tmp_path / "heavy.csv").write_text("x,y,weight\n1,2,3\n4,5,6\n")
    for pair in ((files[0], tmp_path / "heavy.csv"), (tmp_path / "heavy.csv", files[0])):
        assert complaint("outliers", *pair).startswith(f"rpw: {tmp_path / 'heavy.csv'}: has weights, but")


def test_one_row_is_spoken_of_as_one(samples, tmp_path):
    files, *_ = samples
    (tmp_path / "one.csv").write_text("x,y\n0,0\n")
    assert call("outliers", files[0], tmp_path / "one.csv").stdout.startswith("The row is not named as an outlier.")
