"""The page of retrieved pictures in a real browser: the right pictures, nothing from outside, nothing unescaped."""

import numpy as np
import pytest

from rpw.experiments.page import SHOWN_PICTURES, page, picture_uri
from rpw.experiments.retrieval import retrieve
from rpw.experiments.retrieval_views import accuracy_table, draw_accuracy, write_retrieval
from rpw.pictures import Pictures

pytest.importorskip("zarr")
pytest.importorskip("matplotlib")
pytest.importorskip("PIL")

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


def a_retrieval(tmp_path, is_colour: bool):
    rng = np.random.default_rng(2)
    shape = (24, 7, 9, 3) if is_colour else (24, 7, 9)
    images = rng.integers(1, 256, size=shape, dtype=np.uint8)
    pictures = Pictures("<i>odd & 'name'</i>", images, np.array(HOSTILE)[np.arange(24) % 4])
    return retrieve(pictures, scenario="both", labelled=18, queries=4, repeats=2, seed=0, store=tmp_path / "matrices")


def expected_pixels(picture):
    """What a browser shows: grey pictures dark on white, scaled to their second largest value."""
    if picture.ndim == 2:
        value = 255 - np.round(255 * np.minimum(picture / np.sort(picture.ravel())[-2], 1))
        picture = np.stack([value] * 3, axis=2)
    return picture.astype(int)


@pytest.mark.parametrize("is_colour", [False, True], ids=["grey", "colour"])
def test_the_page_shows_the_right_pictures_and_asks_for_nothing(browser, tmp_path, is_colour):
    result = a_retrieval(tmp_path, is_colour)
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
    assert len(rows) == 4
    for q, section in enumerate(rows):
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
    assert tab.evaluate("document.querySelector('.chart').naturalWidth") > 100, "the chart is drawn"
    assert tab.evaluate("document.documentElement.scrollWidth") <= 1100
    assert requests == [where.as_uri()]
    assert messages == []
    tab.close()


def test_the_text_of_the_page_is_escaped_and_refers_to_nothing(tmp_path):
    result = a_retrieval(tmp_path, is_colour=False)
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
