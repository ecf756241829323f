"""The site that ``make docs`` has built: links lead somewhere, pictures have words, and nothing asks another host."""

import re
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

import pytest

SHOWN = (
    "index.html",
    "gallery/first_steps/tutorial.html",
    "gallery/index.html",
    "api/index.html",
    "api/generated/rpw.solve.html",
    "results/index.html",
    "meaning.html",
    "choosing.html",
    "theory.html",
)
# Lines of code that end beyond the right edge, and small pictures that nobody can read.
CUT = """() => [
  ...[...document.querySelectorAll(':is(.highlight-python, .highlight-Python, .highlight-sh, .doctest) pre')]
    .filter((block) => block.scrollWidth > block.clientWidth),
  ...[...document.querySelectorAll('.sphx-glr-thumbcontainer img')].filter((image) => image.clientWidth < 300),
].map((each) => each.textContent || each.src)"""


class Page(HTMLParser):
    """What a page links to, what it loads, its anchors, and its pictures without words."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loaded, self.anchors, self.silent = [], [], set(), []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.anchors |= {found[name] for name in ("id", "name") if found.get(name)}
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        if tag in ("script", "img", "iframe") and found.get("src"):
            self.loaded.append(found["src"])
        if tag == "link" and found.get("rel") != "canonical" and found.get("href"):
            self.loaded.append(found["href"])
        if tag == "img" and not (found.get("alt") or "").strip():
            self.silent.append(found.get("src"))


@pytest.fixture(scope="module")
def pages(site):
    return {path: Page(path) for path in site.rglob("*.html") if "_static" not in path.parts}


def test_a_page_is_read_as_meant(tmp_path):
    (tmp_path / "page.html").write_text(
        '<h1 id="top">x</h1><a href="a.html#b">a</a><img src="x.png"><img src="y.png" alt="words">'
        '<script src="https://elsewhere.org/x.js"></script>'
    )
    page = Page(tmp_path / "page.html")
    assert (page.links, page.anchors, page.silent) == (["a.html#b"], {"top"}, ["x.png"])
    assert page.loaded == ["x.png", "y.png", "https://elsewhere.org/x.js"]


def test_every_link_within_the_site_leads_somewhere(pages):
    assert len(pages) > 100
    lost = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            anchors = pages[target].anchors if target in pages else ()
            if not target.exists() or (parts.fragment and target in pages and unquote(parts.fragment) not in anchors):
                lost.append((path.name, link))
    assert not lost


def test_nothing_is_loaded_from_another_host(pages):
    strangers = [(path.name, name) for path, page in pages.items() for name in page.loaded if urlsplit(name).netloc]
    assert not strangers


def test_every_picture_has_words(pages):
    assert not [(path.name, name) for path, page in pages.items() for name in page.silent]


@pytest.mark.xdist_group("browser")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_in_a_browser(browser, site, scheme):
    tab = browser.new_page(color_scheme=scheme)
    requests, messages = [], []
    tab.on("request", lambda request: requests.append(request.url))
    tab.on("console", lambda message: message.type in ("error", "warning") and messages.append(message.text))
    tab.on("pageerror", lambda error: messages.append(str(error)))
    for name in SHOWN:
        tab.goto((site / name).as_uri())
        tab.wait_for_load_state("networkidle")
        for width in (1280, 375):
            tab.set_viewport_size({"width": width, "height": 900})
            assert tab.evaluate("document.documentElement.scrollWidth") <= width, name
            assert tab.evaluate(CUT) == [], name
        assert tab.evaluate("document.documentElement.dataset.theme") == scheme
    assert not [url for url in requests if not url.startswith(("file:", "data:", "blob:"))]
    assert messages == []
    tab.close()


@pytest.mark.xdist_group("browser")
def test_formulas_are_drawn(browser, site):
    tab = browser.new_page()
    tab.goto((site / "theory.html").as_uri())
    tab.wait_for_selector("mjx-container svg")
    assert tab.locator("mjx-container svg").count() > 10
    assert not tab.locator("[data-mml-node='merror']").count()
    assert not re.search(r"\\\(|\\\[", tab.locator("article").inner_text())
    tab.close()


@pytest.mark.xdist_group("browser")
def test_indices_and_powers_in_running_text_are_drawn(browser, site):
    tab = browser.new_page()
    shown = set()
    for path in [*sorted((site / "proofs").glob("*.html")), site / "meaning.html", site / "benchmarks" / "points.html"]:
        tab.goto(path.as_uri())
        shown |= set(tab.locator("article :is(sub, sup)").all_inner_texts())
        tab.evaluate("document.querySelectorAll('article :is(pre, code, mjx-container)').forEach(e => e.remove())")
        assert not re.findall(r"\S*(?:\^|\b[A-Za-zα-ω]_)\S*", tab.locator("article").inner_text()), path.name
    assert {"ij", "p", "lo", "1/p", "∞"} <= shown  # c_ij, (κε)^p, κ_lo, F^(1/p), ε_∞
    assert any(re.fullmatch(r"\d\.\d\d", power) for power in shown)  # n^1.56
    tab.close()
