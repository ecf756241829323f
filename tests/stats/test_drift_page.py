"""The page of a comparison in a real browser: it asks for nothing, shows what was found, and fits a phone."""

import re

import numpy as np
import pytest

import rpw

pytestmark = pytest.mark.xdist_group("browser")

HOSTILE = "<script>alert(1)</script>\"'&"


@pytest.fixture(scope="module")
def result():
    rng = np.random.default_rng(0)

    def table(shift, labels):
        city = rng.choice(labels, 150)
        price = np.exp(rng.normal(size=150))
        price[:20] = np.nan if shift else price[:20]
        days = np.datetime64("2024-01-01") + rng.integers(0, 100, 150)
        return {HOSTILE: rng.normal(shift, 1, 150), "price": price, "city": city, "day": days, "a long " * 12: city}

    first, second = table(0, ["Graz", HOSTILE]), {**table(1.5, ["Graz", "Linz"]), "new": np.arange(150)}
    return rpw.stats.drift(first, second, rng=0, alpha=0.2, n_resamples=79)


@pytest.fixture
def page(result, tmp_path):
    result.save_page(tmp_path / "page.html", f"title {HOSTILE}")
    return tmp_path / "page.html"


def opened(browser, page, **options):
    requests, messages = [], []
    tab = browser.new_page(**options)
    tab.on("request", lambda request: requests.append(request.url))
    tab.on("console", lambda message: messages.append(message.text))
    tab.on("dialog", lambda dialog: messages.append(dialog.message))
    tab.goto(page.as_uri())
    assert requests == [page.as_uri()]
    assert messages == []
    return tab


def test_the_page_asks_for_nothing_and_says_what_was_found(browser, page, result):
    tab = opened(browser, page, viewport={"width": 1100, "height": 900})
    assert tab.locator(".sentence").inner_text() == result.sentence
    names = tab.locator(".columns tbody th").all_inner_texts()
    assert len(names) == len(result.rows)
    assert any(HOSTILE in name and "drifted" in name for name in names)
    assert tab.locator(".columns tbody svg").count() == sum(
        row.is_test and row.part != "together" for row in result.rows
    )
    notes = tab.locator(".note").all_inner_texts()
    assert any(note.startswith("median 2024-") for note in notes)
    assert "Not compared: it is only in the current table." in notes
    assert tab.locator("svg polyline.null").count() == 20
    assert tab.locator("svg polyline.cur.line").count() == 1
    behind = result.to_dict()["left_behind"]
    shown = tab.locator(".left li").all_inner_texts()
    assert [int(re.sub(r"[^\d]", "", text.split(":")[0])) for text in shown if ":" in text] == [
        *behind["reference"][:20],
        *behind["current"][:20],
    ]
    tab.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone_in_both_schemes(browser, page, scheme):
    tab = opened(browser, page, viewport={"width": 360, "height": 700}, color_scheme=scheme)
    assert tab.evaluate("document.documentElement.scrollWidth") <= 360
    background = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    brightness = sum(map(int, re.findall(r"\d+", background)[:3])) / 3
    assert (brightness > 200) == (scheme == "light")
    tab.close()


def test_a_long_name_does_not_widen_the_page(browser, tmp_path):
    rng = np.random.default_rng(1)
    first, second = ({"x" * 400: rng.normal(shift, 1, 80)} for shift in (0, 3))
    rpw.stats.drift(first, second, rng=0).save_page(tmp_path / "page.html")
    tab = opened(browser, tmp_path / "page.html", viewport={"width": 360, "height": 700})
    assert tab.evaluate("document.documentElement.scrollWidth") <= 360
    tab.close()


def test_nothing_on_the_page_comes_from_elsewhere_or_runs(page):
    text = page.read_text(encoding="utf-8")
    assert "<script" not in text
    assert not re.search(r"(src|href|url)\s*[=(]\s*[\"']?(https?:)?//", text)


def test_a_notebook_shows_the_sentence_and_the_table(result):
    text = result._repr_html_()
    assert "<script" not in text
    assert text.count('<th scope="row">') == len(result.rows)


def test_rows_left_behind_are_those_of_the_tables(result):
    """A clump far away stays behind: its rows are named, by their numbers in the table with its missing entries."""
    rng = np.random.default_rng(1)
    first, second = ({"x": rng.normal(size=80)} for _ in range(2))
    second["x"][[3, 50, 77]] = np.nan
    second["x"][[10, 60]] = 1000.0
    behind = rpw.stats.drift(first, second, rng=0).to_dict()["left_behind"]
    assert behind["column"] == "x"
    assert {10, 60} <= set(behind["current"][:2])


def test_a_page_in_a_folder_that_is_not_there(result, tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        result.save_page(tmp_path / "nowhere" / "page.html")


def test_equal_tables_have_a_page_too(tmp_path):
    table = {"a": [1.0, 2.0, 3.0, 5.0]}
    result = rpw.stats.drift(table, table, rng=0)
    result.save_page(tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert result.sentence in text
    assert "nan" not in text.lower().replace("columnname", "")
    assert result.sentence in result._repr_html_()
