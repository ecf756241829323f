"""What the axes are called, and columns of different units: the page warns as Python does, and offers to scale them."""

import warnings

import numpy as np
import pytest

import rpw
from rpw.explore import write_page
from rpw.stats.scale import as_scales

pd = pytest.importorskip("pandas")
pytestmark = pytest.mark.xdist_group("browser")

NAMES = ["price", "share <b>sold</b>"]
LONG = "a name that is far longer than what fits beside an axis"

# What is written on the stage, once it is drawn anew.
WRITTEN = """() => new Promise((done) => {
    const texts = [];
    const write = CanvasRenderingContext2D.prototype.fillText;
    CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
        if (this.canvas.id === "stage") texts.push(text);
        return write.call(this, text, ...place);
    };
    document.getElementById("fit").click();
    requestAnimationFrame(() => requestAnimationFrame(() => {
        CanvasRenderingContext2D.prototype.fillText = write;
        done(texts);
    }));
})"""


@pytest.fixture
def tables():
    rng = np.random.default_rng(11)
    x, y = (rng.normal([300, 0.3], [90, 0.05], (count, 2)) for count in (50, 40))
    return pd.DataFrame(x, columns=NAMES), pd.DataFrame(y, columns=NAMES)


@pytest.fixture
def tab(opened, tables, tmp_path):
    write_page(tmp_path / "page.html", *tables, diameter=600)
    return opened(tmp_path / "page.html")


def points_of(tab, side):
    return np.reshape(tab.evaluate(f"playground.state.clouds[{side}].points"), (-1, 2))


def rpw_of(tab):
    return tab.evaluate("playground.state.crossing.distance")


@pytest.mark.parametrize(
    ("columns", "shown"), [(NAMES, NAMES), (None, ["x", "y"]), (["", LONG], ["", f"{LONG[:27]}…"])]
)
def test_axes_are_called_by_the_columns(opened, tmp_path, columns, shown):
    points = np.random.default_rng(0).normal(size=(9, 2))
    write_page(tmp_path / "page.html", points if columns is None else pd.DataFrame(points, columns=columns), points)
    written = opened(tmp_path / "page.html").evaluate(WRITTEN)
    assert [text for text in written if text in (*shown, "x", "y")] == shown


def test_a_line_has_one_axis(opened, tmp_path):
    write_page(tmp_path / "page.html", [0.0, 1.0], [0.5], columns=("seconds",))
    written = opened(tmp_path / "page.html").evaluate(WRITTEN)
    assert "seconds" in written
    assert "y" not in written


def test_the_warning_is_that_of_python(tab, tables):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        rpw.distance(*tables, diameter=600)
    words = tab.locator("#units-text").inner_text()
    start, _, end = words.partition(", and the other column")
    assert str(told[0].message).startswith(start[0].lower() + start[1:])
    assert end == " has almost no effect."
    tab.fill("#k-field", "0")
    tab.press("#k-field", "Enter")
    tab.locator("#units").wait_for(state="hidden")  # total variation knows no lengths


def test_columns_of_one_unit_are_not_suspected(opened, settled, tables, tmp_path):
    write_page(tmp_path / "page.html", *(table * [1, 1500] for table in tables), diameter=600)
    assert opened(tmp_path / "page.html").locator("#units").is_hidden()


def test_scaled_columns_are_those_of_python_and_one_step_back_undoes_it(tab, settled, tables):
    before = tab.evaluate("({ ...playground.view })"), rpw_of(tab)
    tab.click("#scale")
    settled(tab)
    x, y = (table.to_numpy() for table in tables)
    units = as_scales("robust", np.concatenate([x, y])).widths
    assert np.array_equal(points_of(tab, 0), x / units)
    assert np.array_equal(points_of(tab, 1), y / units)
    code = tab.locator("#code").inner_text()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = eval(code, {"rpw": rpw, "x": x, "y": y, "a": None, "b": None})
    assert rpw_of(tab) == pytest.approx(result.distance, abs=1e-12)
    assert result._question.diameter == pytest.approx(rpw.diameter(x / units, y / units), rel=1e-3)
    assert f"price ÷ {units[0]:.4g}" in tab.evaluate(WRITTEN)
    assert f"price ÷ {units[0]:.4g}" in tab.locator("#units-text").inner_text()
    tab.click("#undo")
    settled(tab)
    assert np.array_equal(points_of(tab, 0), x)
    assert (tab.evaluate("({ ...playground.view })"), rpw_of(tab)) == before
    assert tab.locator("#scale").inner_text() == "Scale the columns"


def test_scaled_columns_are_saved_and_taken_back_as_they_came(tab, settled, tables, tmp_path):
    x, y = (table.to_numpy() for table in tables)
    tab.click("#scale")
    settled(tab)
    with tab.expect_download() as download:
        tab.click("#save-a")
    saved = np.loadtxt(download.value.path(), delimiter=",", skiprows=1)
    assert np.allclose(saved[:, :2], x, rtol=1e-14)
    tab.click("#scale")
    settled(tab)
    assert np.allclose(points_of(tab, 1), y, rtol=1e-14)
    assert tab.locator("#scale").inner_text() == "Scale the columns"
    tab.click("#scale")
    (tmp_path / "other.csv").write_text("310,0.3\n250,0.2\n")
    tab.set_input_files("#open-b", tmp_path / "other.csv")
    tab.locator("#count-b").filter(has_text="other.csv").wait_for()
    settled(tab)
    assert np.allclose(points_of(tab, 0), x, rtol=1e-14)
    assert np.array_equal(points_of(tab, 1), [[310, 0.3], [250, 0.2]])


def test_no_width_is_no_unit(opened, settled, tables, tmp_path):
    """Where more than half of a column is one value, a wider part of it gives the unit."""
    x, y = (table.assign(price=np.where(np.arange(len(table)) % 4, 300.0, table["price"])) for table in tables)
    write_page(tmp_path / "page.html", x, y)
    tab = opened(tmp_path / "page.html")
    tab.evaluate("document.getElementById('scale').click()")
    settled(tab)
    units = as_scales("robust", np.concatenate([x.to_numpy(), y.to_numpy()])).widths
    assert tab.evaluate("playground.state.units") == pytest.approx(units)


@pytest.mark.parametrize("width", [360, 1280])
def test_the_warning_fits_the_screen(opened, tables, tmp_path, width):
    x, y = (table.set_axis([LONG.replace(" ", "_"), LONG], axis=1) for table in tables)
    write_page(tmp_path / "page.html", x, y)
    tab = opened(tmp_path / "page.html", viewport={"width": width, "height": 740})
    assert tab.locator("#units").is_visible()
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
