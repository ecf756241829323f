"""The page as text: what it is made of, what it refuses, and that no data can break out of it."""

import json
import re

import numpy as np
import pytest

import rpw
from rpw.explore import MOST_POINTS, page, write_page
from rpw.explore.scripts import bundled

HOSTILE = "</script><script>alert(1)</script><!--<script>\"'&\u2028"
INF = float("inf")


def given_in(text):
    found = re.search(r'<script type="application/json" id="given">(.*?)</script>', text, re.DOTALL)
    return json.loads(found[1])


def test_a_page_without_data_begins_with_its_own():
    text = page()
    assert given_in(text) is None
    assert not re.search(r"\{\{\w+\}\}", text)
    assert not re.search(r"(src|href)\s*=\s*[\"']?(https?:)?//", text)
    assert "https://" not in text
    assert "http://" not in text


def test_points_weights_and_settings_are_in_the_page_to_the_bit():
    rng = np.random.default_rng(0)
    x, y, a = rng.normal(size=(5, 2)) * 1e3, rng.normal(size=(3, 2)), rng.random(5)
    given = given_in(page(x, y, a, p=INF, k=0.1, diameter=7.3, metric="cityblock"))
    assert np.array_equal(np.reshape(given["a"]["points"], (5, 2)), x)
    assert np.array_equal(given["a"]["weights"], rpw.Measure(x, a).weights)
    assert np.array_equal(given["b"]["weights"], np.full(3, 1 / 3))
    assert (given["p"], given["k"], given["diameter"], given["metric"]) == (None, 0.1, 7.3, "cityblock")
    assert given["dimension"] == 2
    assert given_in(page([0.0, 1.0], [0.5]))["dimension"] == 1


def test_hostile_names_stay_text():
    text = page([0.0, 1.0], [0.5], names=(HOSTILE, "B"))
    assert text.count("<script") == page().count("<script")
    assert text.count("</script") == page().count("</script")
    assert "alert(1)</" not in text
    assert given_in(text)["names"][0].startswith("</script><script>alert(1)</script>")


def test_names_of_any_kind_can_be_written(tmp_path):
    write_page(tmp_path / "page.html", [0.0], [1.0], names=("a\udcff\n\0b" * 50, ""))
    first, second = given_in((tmp_path / "page.html").read_text(encoding="utf-8"))["names"]
    assert len(first) <= 80
    assert second == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[0.0, 0, 0]], [[1.0, 0, 0]]), r"x must have points on a line or in the plane .* got 3 coordinates"),
        (([[0.0, 0]], [[1.0, 0, 0]]), r"y must have points on a line or in the plane"),
        (([[0.0, 0]], [0.0]), "same dimension, got 2 and 1"),
        ((np.zeros(MOST_POINTS + 1), [0.0]), r"x has 5,001 points, and the page takes 5,000 a side"),
        (([0.0], None), "y is missing"),
        (([0.0], [np.nan]), "y"),
        (([0.0], [1.0], [-1.0]), "a"),
        ((rpw.Measure([0.0]), [1.0], [1.0]), "a must be left out: the Measure x carries its weights"),
    ],
)
def test_what_cannot_be_drawn_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        page(*arguments)


@pytest.mark.parametrize("settings", [{"p": 0.5}, {"k": -1}, {"diameter": 0}, {"metric": "cosine"}, {"k": INF}])
def test_settings_are_those_of_solve(settings):
    with pytest.raises(ValueError, match=next(iter(settings))):
        page([0.0], [1.0], **settings)


@pytest.mark.parametrize("settings", [{"p": 0}, {"k": -1}, {"diameter": 0}, {"metric": "cosine"}, {"names": 3}])
def test_settings_are_checked_without_points_too(settings):
    with pytest.raises(ValueError, match=next(iter(settings))):
        page(**settings)


@pytest.mark.parametrize(
    "settings",
    [{"p": 1}, {"k": 5}, {"diameter": 2}, {"metric": "cityblock"}, {"names": ("a", "b")}, {"columns": ("a",)}],
)
def test_settings_without_points_are_not_ignored(settings):
    with pytest.raises(ValueError, match="p, k, diameter, metric, names and columns need points: pass x and y"):
        page(**settings)
    assert page(p=2.0, k=1.0, diameter=1, names=["A", "B"]) == page()  # what it would begin with anyway


@pytest.mark.parametrize("columns", [("a", "b"), (), 3, "a", (1,)])
def test_columns_are_strings_one_for_each_coordinate(columns):
    if columns == ():
        assert given_in(page([0.0], [1.0], columns=columns))["columns"] is None
        return
    with pytest.raises(ValueError, match="columns must"):
        page([0.0], [1.0], columns=columns)


def test_tables_give_their_columns():
    pd = pytest.importorskip("pandas")
    one, other = (pd.DataFrame([[0.0, 1.0]], columns=names) for names in (["u", HOSTILE], ["u", "w"]))
    assert given_in(page(one, [[2.0, 3.0]]))["columns"] == ["u", HOSTILE.replace("\u2028", "\ufffd")]
    assert given_in(page(rpw.Measure(other), other))["columns"] == ["u", "w"]
    with pytest.raises(ValueError, match="the same columns in the same order"):
        page(one, other)


def test_a_result_gives_its_columns(tmp_path):
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame([[0.0, 1.0]], columns=["u", "w"])
    rpw.solve(table, table + 1).explore(tmp_path / "page.html")
    assert given_in((tmp_path / "page.html").read_text(encoding="utf-8"))["columns"] == ["u", "w"]


@pytest.mark.parametrize("names", [("a",), ("a", "b", "c"), 3, None, "ab", ("a", None), {"a", "b"}])
def test_names_are_two_strings(names):
    with pytest.raises(ValueError, match="names must be two strings, one for each cloud"):
        page([0.0], [1.0], names=names)


def test_the_limit_is_the_same_in_python_and_in_the_page():
    assert f"MOST_POINTS = {MOST_POINTS};" in page()


def test_a_page_is_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "page.html"
    path.write_text("before")
    with pytest.raises(ValueError, match="coordinates"):
        write_page(path, np.zeros((2, 3)), np.zeros((2, 3)))
    assert path.read_text() == "before"
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        write_page(tmp_path / "nowhere" / "page.html", [0.0], [1.0])
    write_page(path, [0.0], [1.0])
    assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert [each.name for each in tmp_path.iterdir()] == ["page.html"]


@pytest.mark.parametrize("name", ["data.csv", "data", "page.html.npy"])
def test_a_page_does_not_replace_a_file_of_another_kind(tmp_path, name):
    path = tmp_path / name
    path.write_text("1,2")
    result = rpw.solve([0.0], [1.0])
    for write in (lambda: write_page(path, [0.0], [1.0]), lambda: result.explore(str(path))):
        with pytest.raises(ValueError, match=r"^path .*: the page is written to a file that ends in \.html or \.htm$"):
            write()
    assert path.read_text() == "1,2"
    result.explore(tmp_path / "PAGE.HTM")
    assert (tmp_path / "PAGE.HTM").exists()


# ---------------------------------------------------------------- Result.explore


def test_a_result_writes_its_own_question(tmp_path):
    x, y, b = [[0.0, 0.0], [1.0, 2.0]], [[3.0, 1.0], [0.0, 1.0], [5.0, 5.0]], [1, 2, 0]
    rpw.solve(x, y, None, b, p=3, k=0.25, diameter=8, metric="chebyshev").explore(tmp_path / "page.html")
    given = given_in((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert (given["p"], given["k"], given["diameter"], given["metric"]) == (3, 0.25, 8, "chebyshev")
    assert given["b"] == {"points": [3, 1, 0, 1, 5, 5], "weights": [1 / 3, 2 / 3, 0]}


def test_a_transport_begins_with_the_largest_distance(tmp_path):
    rpw.transport([0.0, 4.0], [1.0, -3.0], p=1).explore(tmp_path / "page.html")
    given = given_in((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert (given["p"], given["k"], given["diameter"]) == (1, 1, 7)


def test_results_without_points_or_with_other_metrics_say_so(tmp_path):
    with pytest.raises(ValueError, match="explore needs points"):
        rpw.solve(cost=[[1.0]]).explore(tmp_path / "page.html")
    with pytest.raises(ValueError, match="metric must be euclidean, cityblock or chebyshev"):
        rpw.solve([[1.0, 0.0]], [[0.0, 1.0]], metric="canberra").explore(tmp_path / "page.html")
    with pytest.raises(ValueError, match="x must have points on a line or in the plane"):
        rpw.solve(np.zeros((2, 3)), np.ones((2, 3))).explore(tmp_path / "page.html")
    assert list(tmp_path.iterdir()) == []


# ---------------------------------------------------------------- the assembler of scripts


def test_modules_come_after_what_they_need_and_keep_their_names_to_themselves():
    files = {
        "main.js": 'import { one } from "./a.js";\nimport {\n  two,\n} from "./b.js";\nconst own = one + two;\n',
        "a.js": "const own = 1;\nexport const one = own;\n",
        "b.js": 'import { one } from "./a.js";\nconst own = 1;\nexport function two() {}\n',
    }
    script = bundled("main", files.__getitem__)
    assert script.index("aModule =") < script.index("bModule =") < script.index("mainModule =")
    assert script.count("aModule =") == 1
    assert "export" not in script
    assert "import" not in script


def test_odd_imports_and_circles_are_errors():
    with pytest.raises(ValueError, match="not known here"):
        bundled("main", {"main.js": 'import all from "./a.js";\n'}.__getitem__)
    circle = {"main.js": 'import { a } from "./a.js";\n', "a.js": 'import { b } from "./main.js";\n'}
    with pytest.raises(ValueError, match="imports itself"):
        bundled("main", circle.__getitem__)
