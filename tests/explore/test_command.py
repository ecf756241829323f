"""``rpw explore``."""

import json
import re

import numpy as np
import pytest
from commands import answer, call, complaint

HOSTILE = "<img src=x onerror=alert(1)>&.csv"


@pytest.fixture
def files(tmp_path):
    (tmp_path / HOSTILE).write_text("x,y,weight\n0,0,1\n3,0,2\n")
    (tmp_path / "b.csv").write_text("x,y\n0,4\n1,1\n")
    return tmp_path / HOSTILE, tmp_path / "b.csv"


def given_in(path):
    text = path.read_text(encoding="utf-8")
    return json.loads(re.search(r'id="given">(.*?)</script>', text, re.DOTALL)[1])


def test_the_page_begins_with_the_files(files, tmp_path):
    told = answer("explore", *files, "--out", tmp_path / "page.html", "--k", "0.5", "--p", "inf")
    given = given_in(tmp_path / "page.html")
    assert given["names"] == [HOSTILE, "b.csv"]
    assert given["a"] == {"points": [0, 0, 3, 0], "weights": [1 / 3, 2 / 3]}
    assert (given["p"], given["k"], given["diameter"]) == (None, 0.5, 5)  # from (0, 4) to (3, 0)
    assert told["diameter"] == 5
    assert told["page"] == str(tmp_path / "page.html")
    assert HOSTILE not in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_the_axes_are_called_by_the_header_and_columns_of_different_units_are_named(tmp_path):
    rng = np.random.default_rng(0)
    for name in ("a.csv", "b.csv"):
        rows = rng.normal([300, 0.3], [90, 0.05], (30, 2))
        np.savetxt(tmp_path / name, rows, delimiter=",", header="price,share", comments="")
    told = call("explore", tmp_path / "a.csv", tmp_path / "b.csv", "--out", tmp_path / "page.html")
    assert "makes up nearly all of the distance" in " ".join(told.stdout.split())
    assert "press Scale the columns on the page" in " ".join(told.stdout.split())
    assert given_in(tmp_path / "page.html")["columns"] == ["price", "share"]


def test_the_diameter_and_the_metric_can_be_given(files, tmp_path):
    call("explore", *files, "--out", tmp_path / "page.html", "--diameter", "12", "--metric", "cityblock")
    given = given_in(tmp_path / "page.html")
    assert (given["diameter"], given["metric"]) == (12, "cityblock")


def test_wrong_usage(files, tmp_path):
    out = ("--out", tmp_path / "page.html")
    assert "--out" in (told := complaint("explore", *files, "--out", tmp_path / "page.txt", code=2))
    assert "choose a file that ends in one of .html, .htm" in told
    assert "choose one of" in complaint("explore", *files, *out, "--metric", "cosine", code=2)
    assert "p" in complaint("explore", *files, *out, "--p", "0.5", code=2)
    assert list(tmp_path.glob("*.html")) == []


def test_files_that_cannot_be_drawn_are_named(files, tmp_path):
    np.save(tmp_path / "deep.npy", np.zeros((4, 3)))
    np.save(tmp_path / "long.npy", np.arange(10_002.0).reshape(-1, 2))
    deep = complaint("explore", tmp_path / "deep.npy", tmp_path / "deep.npy", "--out", tmp_path / "page.html", code=1)
    assert "deep.npy" in deep
    assert "3 coordinates" in deep
    long = complaint("explore", tmp_path / "long.npy", files[1], "--out", tmp_path / "page.html", code=1)
    assert "long.npy" in long
    assert "5,001 points" in long
    assert list(tmp_path.glob("*.html")) == []
