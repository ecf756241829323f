"""The curve of the profile on the page is the profile: with many points, far outliers, and on the way there."""

import numpy as np
import pytest
from test_numbers_in_browser import check_on, check_places

import rpw
from rpw.explore import write_page

pytestmark = pytest.mark.xdist_group("browser")

# Every curve that is shown from now on, until nothing is computed any more.
CURVES = """() => new Promise((done) => {
    const curves = [];
    let last = null;
    const look = () => {
        const { profile, isMoving } = playground.state;
        if (profile && profile !== last) {
            curves.push([Array.from(profile.alpha), Array.from(profile.cost)]);
            last = profile;
        }
        if (!isMoving && playground.isUpToDate()) done(curves);
        else setTimeout(look, 5);
    };
    look();
})"""


def table(rng, count, shift):
    """Two columns of very different units, and a few far outliers."""
    points = np.column_stack([300 * (rng.lognormal(0, 0.5, count) + shift), rng.normal(0.3, 0.05, count)])
    points[:5, 0] *= 40
    return points


def two_tables(n, m):
    rng = np.random.default_rng(3)
    return table(rng, n, 0), table(rng, m, 0.05)


def test_every_curve_on_the_way_to_the_last_one_is_on_the_profile(opened, tmp_path):
    x, y = two_tables(560, 500)
    write_page(tmp_path / "page.html", x, y, diameter=float(rpw.diameter(x, y)))
    tab = opened(tmp_path / "page.html")
    tab.locator("#k-slider").fill("0.3")  # for a moment answers have to come fast
    *on_the_way, last = tab.evaluate(CURVES)
    whole = rpw.profile(x, y)
    for alpha, cost in on_the_way:
        check_on(np.array(alpha), np.array(cost), whole, far=1 / 128)
    check_places(*map(np.array, last), whole)


@pytest.mark.thorough
def test_thousands_of_points_in_different_units_have_their_curve(opened, tmp_path):
    x, y = two_tables(2876, 2412)
    write_page(tmp_path / "page.html", x, y, diameter=float(rpw.diameter(x, y)))
    check_curve(opened(tmp_path / "page.html"), x, y)


@pytest.mark.parametrize("count", [700, pytest.param(2940, marks=pytest.mark.thorough)])
def test_one_column_has_its_curve(opened, tmp_path, count):
    x, y = (each[:, 0] for each in two_tables(count, count - 100))
    write_page(tmp_path / "page.html", x, y, diameter=float(rpw.diameter(x, y)))
    check_curve(opened(tmp_path / "page.html"), x, y)


def check_curve(tab, x, y):
    """The last curve against W at ten masses, each computed by itself."""
    (curve,) = tab.evaluate(CURVES)
    masses, far = np.array([0.05, 0.25, 0.5, 0.75, 0.85, 0.9, 0.95, 0.98, 0.995, 1]), 1 / 40 + 1 / 128
    drawn = np.interp(masses, *curve)
    low, high = (
        [rpw.partial_wasserstein(x, y, mass=each) for each in np.clip(masses + step, 0, 1)] for step in (-far, far)
    )
    assert drawn[-1] == pytest.approx(rpw.wasserstein(x, y))
    assert (drawn >= np.array(low) - far * drawn[-1]).all()
    assert (drawn <= np.array(high) + far * drawn[-1]).all()


SLOW = "window.Worker = class { postMessage() {} terminate() {} }"  # it never comes to an end


def test_while_it_computes_it_says_so(browser, plain_page):
    context = browser.new_context()
    tab = context.new_page()
    tab.add_init_script(SLOW)
    tab.goto(plain_page.as_uri())
    tab.wait_for_selector("html[data-ready]")
    tab.locator("#computing").filter(has_text="Computing RPW, W, and the curve …").wait_for()
    assert [tab.locator(name).inner_text() for name in ("#rpw", "#w")] == ["computing …"] * 2
    tab.locator("#spoken").filter(has_text="Computing …").wait_for(state="attached")
    tab.click("#select-b")
    tab.click("#delete")
    tab.locator("#message").filter(has_text="Both clouds need points").wait_for()
    assert [tab.locator(name).inner_text() for name in ("#rpw", "#w", "#computing")] == ["–", "–", ""]
    context.close()


def test_at_the_end_it_says_nothing_of_computing(opened, plain_page):
    assert opened(plain_page).locator("#computing").inner_text() == ""
