"""The page of retrieved pictures in a real browser: the right pictures, nothing from outside, nothing unescaped."""

import dataclasses
import functools
import io
import re

import numpy as np
import pytest

from rpw_paper.page import SHOWN_CLASSES, SHOWN_PICTURES, findings, page, picture_uri, shown_queries
from rpw_paper.pictures import Pictures
from rpw_paper.plan_drawing import draw_plan, plan_between
from rpw_paper.retrieval import Plan, methods, retrieve
from rpw_paper.retrieval_views import accuracy_table, draw_accuracy, write_retrieval

pytest.importorskip("matplotlib")
pytest.importorskip("PIL")

pytestmark = pytest.mark.xdist_group("browser")  # one process has the browser and the retrieval for all tests

HOSTILE = [
    "<script>alert(1)</script>",
    'a"onmouseover="alert(2)',
    "&amp;'ü",
    "</figcaption><img src=http://x.invalid/>",
]
PIXELS_OF_FIGURE = """figure => {
    const image = figure.querySelector("img");
    const canvas = document.createElement("canvas");
    canvas.width = image.naturalWidth;
    canvas.height = image.naturalHeight;
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    return {
        number: Number(figure.dataset.picture),
        kind: figure.className,
        label: figure.querySelector("figcaption").textContent,
        shape: [image.naturalHeight, image.naturalWidth],
        pixels: Array.from(context.getImageData(0, 0, canvas.width, canvas.height).data),
    };
}"""


@pytest.fixture(scope="module")
def a_retrieval(tmp_path_factory):
    """One of each kind is enough for all tests; only its name differs."""

    @functools.cache
    def computed(is_colour):
        rng = np.random.default_rng(2)
        shape = (24, 7, 9, 3) if is_colour else (24, 7, 9)
        images = rng.integers(1, 256, size=shape, dtype=np.uint8)
        pictures = Pictures("any", images, np.array(HOSTILE)[np.arange(24) % 4])
        plan = Plan(pictures, "both", labelled=17, queries=7, seed=0)
        return retrieve(plan, methods(), repeats=2, store=tmp_path_factory.mktemp("nearest"))

    def named(is_colour=False, name="<i>odd & 'name'</i>"):
        result = computed(is_colour)
        pictures = dataclasses.replace(result.pictures, name=name)
        return dataclasses.replace(result, plan=dataclasses.replace(result.plan, pictures=pictures))

    return named


def expected_pixels(picture):
    """What a browser shows: grey pictures dark on white, scaled to their second largest value."""
    if picture.ndim == 2:
        value = 255 - np.round(255 * np.minimum(picture / np.sort(picture.ravel())[-2], 1))
        picture = np.stack([value] * 3, axis=2)
    return picture.astype(int)


@pytest.mark.sample(1)
@pytest.mark.parametrize("is_colour", [False, True], ids=["grey", "colour"])
def test_the_page_shows_the_right_pictures_and_asks_for_nothing(browser, a_retrieval, tmp_path, is_colour):
    result = a_retrieval(is_colour)
    where = write_retrieval(result, tmp_path, {"dataset": result.pictures.name, "seed": 0})["page"]
    requests, messages = [], []
    tab = browser.new_page(viewport={"width": 1100, "height": 900})
    tab.on("request", lambda request: requests.append(request.url))
    tab.on("console", lambda message: messages.append(message.text))
    tab.on("pageerror", lambda error: messages.append(str(error)))
    tab.on("dialog", lambda dialog: messages.append(dialog.message))
    tab.goto(where.as_uri())
    assert "<i>odd & 'name'</i>" in tab.title()
    rows = tab.locator(".query").all()
    labels = result.pictures.labels[result.first.query_index].tolist()
    assert [labels.index(label) for label in sorted(set(labels))] == shown_queries(result), "one of each class"
    assert len(rows) == len(set(labels)) > 2
    for q, section in zip(shown_queries(result), rows, strict=True):
        figures = section.locator("figure").all()
        seen = [figure.evaluate(PIXELS_OF_FIGURE) for figure in figures]
        drawn = result.first
        own = result.pictures.labels[drawn.query_index[q]]
        wanted = [(drawn.queries[q], drawn.query_index[q], "own")]
        for w in range(len(result.methods)):
            for s in result.order[w, q, :SHOWN_PICTURES]:
                is_same = result.pictures.labels[drawn.labelled_index[s]] == own
                wanted.append((drawn.labelled[s], drawn.labelled_index[s], "same" if is_same else "other"))
        assert len(seen) == len(wanted)
        for found, (picture, number, kind) in zip(seen, wanted, strict=True):
            assert (found["number"], found["kind"]) == (number, kind)
            assert found["label"] == result.pictures.labels[number]
            pixels = np.array(found["pixels"]).reshape(*found["shape"], 4)[:, :, :3]
            np.testing.assert_array_equal(pixels, expected_pixels(picture))
    names = [row.get_attribute("data-distance") for row in rows[0].locator("[data-distance]").all()]
    assert names == [way.name for way in result.methods]
    assert tab.locator("script, [onmouseover]").count() == 0
    assert tab.locator("svg.overlay").count() == (0 if is_colour else 1)
    assert tab.evaluate("document.querySelector('.chart').naturalWidth") > 100, "the chart is drawn"
    assert tab.evaluate("document.documentElement.scrollWidth") <= 1100
    assert requests == [where.as_uri()]
    assert messages == []
    tab.close()


def test_the_text_of_the_page_is_escaped_and_refers_to_nothing(a_retrieval):
    result = a_retrieval()
    text = page(result, draw_accuracy(result), accuracy_table(result), {"dataset": result.pictures.name})
    assert "<script" not in text
    assert "<i>odd" not in text
    assert "&lt;script&gt;alert(1)" in text
    for part in ('src="http', "url(", "@import", '<link rel="stylesheet'):
        assert part not in text
    assert all(source.startswith("data:image/") for source in text.split('src="')[1:])


def test_pictures_become_png_data():
    for picture in (np.zeros((2, 3)), np.ones((2, 3, 3), dtype=np.uint8)):
        assert picture_uri(picture).startswith("data:image/png;base64,")


def test_a_narrow_table_shows_on_which_side_it_goes_on(browser, a_retrieval, tmp_path):
    """The strip at its right edge is darker while there is more to see, and the one at its left edge afterwards."""
    from PIL import Image

    result = a_retrieval()
    where = write_retrieval(result, tmp_path, {"dataset": "x"})["page"]
    tab = browser.new_page(viewport={"width": 260, "height": 900})
    tab.goto(where.as_uri())
    assert tab.evaluate("document.documentElement.scrollWidth") <= 260, "the page itself does not scroll"
    table = tab.locator(".wide")
    assert table.evaluate("box => box.scrollWidth > box.clientWidth + 40"), "farther than a cover is wide"

    def edges():
        pixels = np.asarray(Image.open(io.BytesIO(table.screenshot())).convert("L"), dtype=float)
        return np.median(pixels[:, 1]), np.median(pixels[:, -2])

    left, right = edges()
    assert right < left - 30
    table.evaluate("box => { box.scrollLeft = box.scrollWidth }")
    left, right = edges()
    assert left < right - 30
    tab.close()


def test_of_many_classes_a_few_are_shown(tmp_path):
    rng = np.random.default_rng(0)
    pictures = Pictures("many", rng.integers(1, 9, size=(60, 3, 3)), np.array([f"{i % 20:02}" for i in range(60)]))
    result = retrieve(Plan(pictures, "clean", 20, 40, seed=0), methods(), repeats=1, store=tmp_path)
    labels = pictures.labels[result.first.query_index]
    assert [labels[q] for q in shown_queries(result)] == sorted(set(labels))[:SHOWN_CLASSES]
    text = page(result, draw_accuracy(result), accuracy_table(result), {})
    assert f"One query each of {SHOWN_CLASSES} of the 20 classes" in text


def test_two_sentences_say_what_is_seen(a_retrieval):
    result = a_retrieval()
    text = page(result, draw_accuracy(result), accuracy_table(result), {})
    mean = result.summary()[0][:, 9]
    best, worst = (f"{result.methods[w].name} ({mean[w]:.0%})" for w in (mean.argmax(), mean.argmin()))
    assert f"{best} finds the query&#x27;s label most often and {worst} least often." in text
    assert "is not significantly different from W1, W2, TV and ROBOT(0.1)." in text, "these pictures are noise"


def test_findings_name_whom_the_best_rpw_is_above(a_retrieval):
    """Planted hits of 100 queries: RPW(2,0.1) as good as TV, below ROBOT, above W1 and W2."""
    result = a_retrieval()
    level = {"W1": 2, "W2": 1, "TV": 5, "RPW(2,1)": 3, "RPW(2,0.1)": 5, "ROBOT(0.1)": 7}
    hits = np.zeros((6, 1, 100, 10), dtype=bool)
    for w, way in enumerate(result.methods):
        hits[w, :, :, : level[way.name]] = True
    said = findings(dataclasses.replace(result, hits=hits))
    assert "ROBOT(0.1) (70%) finds the query's label most often and W2 (10%) least often" in said
    assert "RPW(2,0.1) (50%) is above W1 and W2; below ROBOT(0.1); not significantly different from TV." in said
    alone = dataclasses.replace(result, hits=hits[:3], methods=result.methods[:3])
    assert findings(alone).endswith("least often."), "without RPW there is nothing to compare"


def test_the_plan_shows_what_moves_what_keeps_its_pixel_and_what_stays():
    """A bar that moves by one pixel in its half, and mass on a pixel far away that stays."""
    first, second = np.zeros((4, 9)), np.zeros((4, 9))
    first[:, 1] = second[:2, 1] = second[2:, 2] = 1
    first[0, 8], second[3, 8] = 0.1, 0.1
    plan = plan_between(first, second, p=2, k=1)
    assert plan.kept + plan.moved + plan.distance == pytest.approx(1, abs=1e-12)
    assert plan.left_first.sum() == pytest.approx(plan.distance, abs=1e-12)
    assert plan.left_second.sum() == pytest.approx(plan.distance, abs=1e-12)
    assert plan.kept >= 2 / 4.1 - 1e-12
    drawn = draw_plan(plan)
    shown = [(i, j) for i, j, mass in zip(plan.start, plan.end, plan.mass, strict=True) if i != j and mass > 1e-4]
    lines = re.findall(r'<line x1="([0-9.]+)" y1="([0-9.]+)" x2="([0-9.]+)" y2="([0-9.]+)"', drawn)
    ends = [tuple(float(value) - 0.5 for value in line) for line in lines]
    assert ends == [(i % 9, i // 9, j % 9, j // 9) for i, j in shown]
    rings = drawn.split('class="left"')[1]
    assert rings.count("<circle") == (plan.left_first > 1e-4).sum() > 0
    squares = drawn.split('class="left"')[2]
    assert squares.count("<rect") == (plan.left_second > 1e-4).sum() > 0


def test_the_plan_of_the_page_is_that_of_the_distance_it_states(a_retrieval):
    result = a_retrieval()
    text = page(result, draw_accuracy(result), accuracy_table(result), {})
    stated = float(re.search(r"which is the distance ([0-9.]+)", text)[1])
    w = [way.name for way in result.methods].index("RPW(2,1)")
    first = result.distances[w, shown_queries(result), 0]
    assert np.abs(first - stated).min() < 6e-5


@pytest.mark.parametrize("lit", [(0, 0), (0, 1)])
def test_pictures_of_one_lit_pixel_have_a_plan(lit):
    first, second = np.zeros((1, 2)), np.zeros((1, 2))
    first[0, 0] = second[lit] = 3
    plan = plan_between(first, second, p=2, k=1)
    assert plan.kept == (1 if lit == (0, 0) else 0)
    assert "nan" not in draw_plan(plan)
