"""The playground in a real browser: pointers, touch, keys, files, stories, themes, small screens, hostile data.

Every page that is opened is also looked at for requests, errors and messages (see conftest.py).
"""

import re

import numpy as np
import pytest

import rpw
from rpw.explore import write_page

pytestmark = pytest.mark.xdist_group("browser")

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&"
INF = float("inf")


def clouds(tab):
    """The clouds as the page has them, as arrays."""
    state = tab.evaluate("({ clouds: playground.state.clouds, dimension: playground.state.dimension })")
    return [
        (np.reshape(cloud["points"], (-1, state["dimension"])), np.array(cloud["weights"])) for cloud in state["clouds"]
    ]


def shown(tab):
    return tab.evaluate(
        "({ rpw: playground.state.crossing.distance, w: playground.state.transport.distance,"
        " p: playground.state.p, k: playground.state.k, diameter: playground.state.diameter })"
    )


def check_numbers(tab):
    """What the page says is what Python says of the same points."""
    (x, a), (y, b) = clouds(tab)
    found = shown(tab)
    p = INF if found["p"] == INF else found["p"]
    true = rpw.distance(x, y, a, b, p=p, k=found["k"], diameter=found["diameter"])
    assert abs(found["rpw"] - true) < 1e-12
    assert abs(found["w"] - rpw.wasserstein(x, y, a, b, p=p)) < 1e-12
    assert tab.locator("#rpw").inner_text() == f"{float(f'{true:.4g}'):#.4g}"


def place_of(tab, side, index):
    """Where a point lies on the screen."""
    return tab.evaluate(
        """([side, index]) => {
            const { state, view } = playground;
            const box = document.getElementById("stage").getBoundingClientRect();
            const [x, y] = state.clouds[side].points.slice(2 * index, 2 * index + 2);
            return [box.left + view.width / 2 + (x - view.middle[0]) * view.scale,
                    box.top + view.height / 2 - (y - view.middle[1]) * view.scale];
        }""",
        [side, index],
    )


def outermost(tab, side=1):
    """A point that lies apart from the others, so that a pointer can hit it alone."""
    (x, _), (y, _) = clouds(tab)
    points = (x, y)[side]
    distances = np.linalg.norm(points[:, None] - np.concatenate([x, y])[None], axis=2)
    return int(np.sort(distances, axis=1)[:, 1].argmax())


def drag(tab, start, to, steps=6):
    tab.mouse.move(*start)
    tab.mouse.down()
    tab.mouse.move(*to, steps=steps)
    tab.mouse.up()


# ---------------------------------------------------------------- pointers


def test_it_opens_solved(opened, plain_page):
    tab = opened(plain_page)
    check_numbers(tab)
    assert tab.locator("#count-a").inner_text() == "A · 60"
    assert re.fullmatch(r"0\.\d{12} ≤ RPW ≤ 0\.\d{12}", tab.locator("#proof").inner_text())


def test_a_dragged_point_follows_and_numbers_with_it(opened, settled, plain_page):
    tab = opened(plain_page)
    index = outermost(tab)
    before, _ = clouds(tab)[1]
    x, y = place_of(tab, 1, index)
    drag(tab, (x, y), (x - 40, y + 25))
    settled(tab)
    after, _ = clouds(tab)[1]
    scale = tab.evaluate("playground.view.scale")
    assert np.allclose(after[index] - before[index], [-40 / scale, -25 / scale], atol=1e-6)
    assert np.array_equal(np.delete(after, index, 0), np.delete(before, index, 0))
    check_numbers(tab)
    tab.click("#undo")
    settled(tab)
    assert np.array_equal(clouds(tab)[1][0], before)
    check_numbers(tab)


def test_a_box_selects_and_the_group_moves_together(opened, settled, plain_page):
    tab = opened(plain_page)
    stage = tab.locator("#stage").bounding_box()
    drag(tab, (stage["x"] + 2, stage["y"] + 2), (stage["x"] + stage["width"] - 2, stage["y"] + stage["height"] - 2))
    chosen = tab.evaluate("playground.state.selection.map((places) => places.size)")
    assert chosen == [60, 60]
    before = clouds(tab)
    number = shown(tab)["rpw"]
    x, y = place_of(tab, 0, 5)
    drag(tab, (x, y), (x + 30, y))
    settled(tab)
    after = clouds(tab)
    moves = [new[0] - old[0] for new, old in zip(after, before, strict=True)]
    assert np.allclose(np.concatenate(moves), moves[0][0], atol=1e-9)
    assert moves[0][0][0] > 0
    assert abs(shown(tab)["rpw"] - number) < 1e-9  # both have moved: their distance is the same
    check_numbers(tab)


def test_a_whole_cloud_can_be_chosen_dragged_and_removed(opened, settled, plain_page):
    tab = opened(plain_page)
    tab.click("#select-b")
    x, y = place_of(tab, 1, outermost(tab))
    number = shown(tab)["w"]
    drag(tab, (x, y), (x + 60, y))
    settled(tab)
    check_numbers(tab)
    assert shown(tab)["w"] > number
    tab.click("#delete")
    settled(tab)
    assert tab.locator("#rpw").inner_text() == "–"
    assert "Both clouds need points" in tab.locator("#message").inner_text()
    tab.click("#undo")
    settled(tab)
    check_numbers(tab)


def test_points_are_drawn(opened, settled, plain_page):
    tab = opened(plain_page)
    tab.select_option("#sample", "empty")
    stage = tab.locator("#stage").bounding_box()
    middle = (stage["x"] + stage["width"] / 2, stage["y"] + stage["height"] / 2)
    for mode, dy in (("draw0", -40), ("draw1", 40)):
        tab.locator(f'input[value="{mode}"]').locator("..").click()
        drag(tab, (middle[0] - 60, middle[1] + dy), (middle[0] + 60, middle[1] + dy), steps=12)
    settled(tab)
    sizes = [len(weights) for _, weights in clouds(tab)]
    assert min(sizes) >= 5
    check_numbers(tab)


def test_a_full_cloud_takes_no_more_points_and_says_so(opened, settled, tmp_path):
    write_page(tmp_path / "full.html", np.linspace(0, 1, 5000), [0.2, 0.4])
    tab = opened(tmp_path / "full.html")
    tab.locator('input[value="draw0"]').locator("..").click()
    stage = tab.locator("#stage").bounding_box()
    middle = (stage["x"] + stage["width"] / 2, stage["y"] + stage["height"] / 2)
    drag(tab, middle, (middle[0] + 60, middle[1]))
    settled(tab)
    assert [len(weights) for _, weights in clouds(tab)] == [5000, 2]
    assert tab.locator("#message").inner_text() == "A is full: a cloud can have 5,000 points."
    assert tab.locator("#undo").is_disabled()
    tab.locator('input[value="draw1"]').locator("..").click()
    drag(tab, middle, (middle[0] + 60, middle[1]))
    settled(tab)
    assert len(clouds(tab)[1][1]) > 2
    assert tab.locator("#message").inner_text() == ""


def test_touch_moves_a_point(opened, settled, plain_page):
    tab = opened(plain_page, has_touch=True)
    index = outermost(tab)
    before, _ = clouds(tab)[1]
    x, y = place_of(tab, 1, index)
    session = tab.context.new_cdp_session(tab)

    def touch(kind, *points):
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": u, "y": v} for u, v in points]})

    touch("touchStart", (x + 4, y))
    for step in range(1, 6):
        touch("touchMove", (x + 4 - 8 * step, y))
    touch("touchEnd")
    settled(tab)
    after, _ = clouds(tab)[1]
    assert after[index][0] < before[index][0] - 20 / tab.evaluate("playground.view.scale")
    check_numbers(tab)


@pytest.mark.thorough
def test_many_points_are_followed_with_bounds_and_then_exactly(opened, settled, plain_page):
    tab = opened(plain_page)
    tab.select_option("#sample", "two-2000")
    tab.click("#select-b")
    x, y = place_of(tab, 1, outermost(tab))
    tab.mouse.move(x, y)
    tab.mouse.down()
    for step in range(5):
        tab.mouse.move(x + 4 * step, y)
    assert tab.evaluate("playground.state.isMoving")
    tab.mouse.up()
    settled(tab)
    assert tab.evaluate("playground.state.profile.isWhole && playground.state.crossing.isExact")
    (x, a), (y, b) = clouds(tab)
    assert abs(shown(tab)["rpw"] - rpw.distance(x, y, a, b, k=1, diameter=1)) < 1e-12


# ---------------------------------------------------------------- keys


def test_all_of_it_works_from_the_keyboard(opened, settled, plain_page):
    """Tab to the stage; choose, move, remove; tab to the sliders; every stop shows where the focus is."""
    tab = opened(plain_page)
    stops = []
    for _ in range(40):
        tab.keyboard.press("Tab")
        focused = tab.evaluate(
            """() => {
                const at = document.activeElement;
                const shown = at.matches(".modes input, .file input") ? at.nextElementSibling : at;
                const { outlineStyle, outlineWidth } = getComputedStyle(shown);
                const isSeen = outlineStyle !== "none" && outlineWidth !== "0px";
                return [at.id || at.dataset.story || at.name || at.tagName, isSeen,
                        Boolean(at.labels?.length || at.ariaLabel || at.textContent.trim())];
            }"""
        )
        if focused[0] == "BODY" or (stops and focused[0] == stops[0]):
            break
        stops.append(focused[0])
        assert focused[1], f"nothing shows that {focused[0]} has the focus"
        assert focused[2], f"{focused[0]} has no name"
    for wanted in (
        "theme",
        "outlier",
        "mode",
        "select-a",
        "stage",
        "sample",
        "open-a",
        "p-slider",
        "k-field",
        "diameter-fit",
    ):
        assert wanted in stops

    tab.focus("#stage")
    tab.keyboard.press("n")
    tab.keyboard.press("n")
    assert tab.evaluate("[...playground.state.selection[0]]") == [1]
    assert "Point 2 of A" in tab.locator("#spoken").inner_text()
    before = clouds(tab)[0][0]
    tab.keyboard.press("ArrowRight")
    tab.keyboard.press("Shift+ArrowUp")
    settled(tab)
    scale = tab.evaluate("playground.view.scale")
    assert np.allclose(clouds(tab)[0][0][1] - before[1], [4 / scale, 40 / scale])
    check_numbers(tab)
    tab.keyboard.press("Delete")
    settled(tab)
    assert np.array_equal(clouds(tab)[0][0], np.delete(before, 1, 0))
    check_numbers(tab)
    tab.keyboard.press("Control+z")
    settled(tab)
    assert len(clouds(tab)[0][0]) == 60
    tab.keyboard.press("b")
    assert tab.evaluate("playground.state.selection.map((places) => places.size)") == [0, 60]
    tab.keyboard.press("Escape")
    assert tab.evaluate("playground.state.selection.map((places) => places.size)") == [0, 0]
    tab.focus('input[value="draw0"]')
    tab.keyboard.press("Space")
    tab.focus("#stage")
    tab.keyboard.press("Enter")
    settled(tab)
    assert len(clouds(tab)[0][0]) == 61
    check_numbers(tab)


def test_the_values_are_said_at_rest(opened, settled, plain_page):
    tab = opened(plain_page)
    tab.focus("#k-slider")
    tab.keyboard.press("ArrowRight")
    settled(tab)
    number, w = tab.locator("#rpw").inner_text(), tab.locator("#w").inner_text()
    assert 0.01 < float(number) < 0.1  # four digits that count are five after the point
    down, up = (f"{function(1e5 * shown(tab)['rpw']) / 1e5:.5f}" for function in (np.floor, np.ceil))
    assert number in (down, up)
    said = re.compile(rf"^RPW {number}, proven between {down} and {up}\. W {w}\. .* of the mass stays behind\.$")
    tab.get_by_role("status").filter(has_text=said).wait_for(state="attached")


# ---------------------------------------------------------------- parameters


def test_sliders_and_fields(opened, settled, plain_page):
    tab = opened(plain_page)
    tab.locator("#p-slider").fill("10.1")
    settled(tab)
    assert shown(tab)["p"] == INF
    assert tab.locator("#p-field").input_value() == "∞"
    assert tab.locator("#p-slider").get_attribute("aria-valuetext") == "infinity"
    check_numbers(tab)
    for field, text, name, value in (
        ("#p-field", "1", "p", 1),
        ("#p-field", "inf", "p", INF),
        ("#p-field", "12,5", "p", 12.5),
        ("#k-field", "0", "k", 0),
        ("#k-field", "0.37", "k", 0.37),
        ("#diameter-field", "2.5", "diameter", 2.5),
    ):
        tab.fill(field, text)
        tab.press(field, "Enter")
        settled(tab)
        assert shown(tab)[name] == value
        check_numbers(tab)
    for field, text in (("#p-field", "0.5"), ("#k-field", "-1"), ("#diameter-field", "zero")):
        before = shown(tab)
        tab.fill(field, text)
        tab.press(field, "Enter")
        assert not tab.locator(field).evaluate("(field) => field.checkValidity()")
        assert shown(tab) == before
        tab.press(field, "Escape")
    tab.click("#diameter-fit")
    settled(tab)
    (x, _), (y, _) = clouds(tab)
    assert np.isclose(shown(tab)["diameter"], rpw.diameter(x, y), rtol=2e-4)
    assert tab.locator("#code").inner_text().startswith("rpw.solve(x, y, a, b, p=12.5, k=0.37, diameter=")


def test_python_gets_every_digit(opened, tmp_path):
    x, y, p, k, diameter = [0.0, 1.0], [0.2, 5.0], 1.2345678901234567, 1 / 3, 100 / 7
    write_page(tmp_path / "page.html", x, y, p=p, k=k, diameter=diameter)
    tab = opened(tmp_path / "page.html")
    assert tab.locator("#code").inner_text() == f"rpw.solve(x, y, a, b, p={p!r}, k={k!r}, diameter={diameter!r})"


@pytest.mark.parametrize("distance", [3.6e-301, 1.23456789e-5, 9.999999999999999e-7, 2e-4, 1 / 3, 0.0])
def test_the_bounds_shown_are_proven(opened, tmp_path, distance):
    write_page(tmp_path / "page.html", [0.0], [distance], p=INF)
    tab = opened(tmp_path / "page.html")
    lower, upper = tab.evaluate("[playground.state.crossing.lower, playground.state.crossing.upper]")
    low, high = map(float, tab.locator("#proof").inner_text().split(" ≤ RPW ≤ "))
    assert low <= lower <= upper <= high
    assert high - low <= max(1e-11 * distance, 2e-12 * (distance >= 1e-4))
    assert np.isclose(upper, distance, rtol=1e-9, atol=0)


def test_k_is_the_cost_of_leaving_mass_behind(opened, plain_page):
    tab = opened(plain_page)
    assert tab.locator('label[for="k-slider"]').inner_text().endswith("cost of leaving mass behind")
    assert "price" not in tab.locator("body").inner_text()


def test_the_line_of_the_profile_can_be_dragged(opened, settled, plain_page):
    tab = opened(plain_page)
    box = tab.locator("#profile").bounding_box()
    drag(tab, (box["x"] + box["width"] - 60, box["y"] + 100), (box["x"] + 120, box["y"] + 60))
    settled(tab)
    assert shown(tab)["k"] != 1
    check_numbers(tab)


# ---------------------------------------------------------------- stories


def tell(tab, settled, name, t):
    tab.click(f'[data-story="{name}"]')
    tab.locator("#story-handle").fill(str(t))
    settled(tab)
    check_numbers(tab)
    return shown(tab)


def test_one_outlier_moves_w_and_hardly_rpw(opened, settled, plain_page):
    tab = opened(plain_page)
    near, far = (tell(tab, settled, "outlier", t) for t in (0, 1))
    assert far["w"] > 1.5 * near["w"]
    assert far["rpw"] <= near["rpw"] + 1 / 60
    assert "which is 1/60" in tab.locator("#story-text").inner_text()


def test_a_shift_is_seen_beside_noise(opened, settled, plain_page):
    tab = opened(plain_page)
    start, little, much = (tell(tab, settled, "shift", t) for t in (0, 0.1, 1))
    assert abs(start["rpw"] - 0.05) < 0.01
    assert start["w"] > 1.5 * start["rpw"]
    assert little["rpw"] - start["rpw"] < 0.005  # the shift is 0.03, less than kΔ × 0.05
    assert much["rpw"] > 4 * start["rpw"]


def test_k_trades_noise_and_shift(opened, settled, plain_page):
    tab = opened(plain_page)
    found = [tell(tab, settled, "price", t) for t in (0, 0.25, 0.5, 0.75, 1)]
    assert [round(each["k"], 2) for each in found][::4] == [0.03, 30]
    assert np.all(np.diff([each["rpw"] for each in found]) < 0)
    assert found[0]["rpw"] > 0.5
    assert np.isclose(found[-1]["k"] * found[-1]["rpw"], found[-1]["w"], rtol=0.02)
    tab.fill("#k-field", "2")
    tab.press("#k-field", "Enter")
    settled(tab)
    left = np.array(tab.evaluate("Array.from(playground.state.crossing.unmatchedB)")) * 60
    assert left[:3].min() > 0.5  # the three noisy points
    assert left[3:].max() < 0.5


def test_a_story_plays_and_stops(opened, settled, plain_page):
    tab = opened(plain_page, reduced_motion="no-preference")
    tab.click('[data-story="price"]')
    assert tab.locator("#play").inner_text() == "Pause"
    tab.wait_for_timeout(300)
    tab.click("#play")
    settled(tab)
    assert tab.locator("#play").inner_text() == "Play"
    assert 0 < float(tab.locator("#story-handle").input_value()) < 1
    check_numbers(tab)
    assert opened(plain_page, fragment="#shift").locator("#story-text").inner_text().startswith("3 of the 60")


# ---------------------------------------------------------------- files


@pytest.mark.parametrize("at_once", [True, False])
def test_columns_of_files_are_matched_by_name(opened, settled, plain_page, tmp_path, at_once):
    tab = opened(plain_page)
    files = [tmp_path / f"{name}.csv" for name in "abc"]
    for file, text in zip(files, ("x,y\n0,1\n2,3\n", "Y,X\n5,4\n7,6\n", "u,v\n1,2\n"), strict=True):
        file.write_text(text)
    if at_once:
        tab.set_input_files("#open-a", files[:2])
    else:
        tab.set_input_files("#open-a", [files[0], files[0]])
        tab.locator("#count-b").filter(has_text="a.csv").wait_for()
        tab.set_input_files("#open-b", files[1])
    tab.locator("#count-b").filter(has_text="b.csv").wait_for()
    settled(tab)
    by_name = {tuple(map(tuple, points)) for points, _ in clouds(tab)}
    assert by_name in ({((0, 1), (2, 3)), ((4, 5), (6, 7))}, {((1, 0), (3, 2)), ((5, 4), (7, 6))})
    tab.set_input_files("#open-a", files[2])
    tab.locator("#file-message").filter(has_text="the columns are u, v").wait_for()


def test_files_are_opened_and_saved(opened, settled, plain_page, tmp_path):
    tab = opened(plain_page)
    first, second = tmp_path / "first.csv", tmp_path / f"{HOSTILE[:9].replace('/', '')}.csv"
    first.write_text("x,y,weight\n0,0,1\n10,2.5,3\n-4,1e1,0\n")
    second.write_text("1;2\n3;4\n")
    tab.set_input_files("#open-a", [first, second])
    tab.locator("#count-b").filter(has_text=second.name).wait_for()
    settled(tab)
    assert np.array_equal(clouds(tab)[0][0], [[0, 0], [10, 2.5], [-4, 10]])
    assert np.array_equal(clouds(tab)[0][1], [1, 3, 0])
    assert np.array_equal(clouds(tab)[1][0], [[1, 2], [3, 4]])
    assert tab.locator("#count-b").inner_text() == f"{second.name} · 2"
    check_numbers(tab)
    tab.set_input_files("#open-a", [first, second, first])
    tab.locator("#file-message").filter(has_text="Only the first two files were read.").wait_for()
    with tab.expect_download() as download:
        tab.click("#save-a")
    assert download.value.suggested_filename == "a.csv"
    assert download.value.path().read_text() == "x,y,weight\n0,0,1\n10,2.5,3\n-4,10,0\n"


REFUSED = [
    ("", "holds no points"),
    ("x,y\n", "holds no points"),
    ("1,2,3\n", "points need 1 or 2 coordinates, and this file has 3"),
    ("1,2\n3\n", "line 2 has 1 cell instead of 2"),
    ("1,nan\n2,3\n4,5\n", 'line 1: "nan" is not a number'),
    ("1,\n2,3\n4,5\n", 'line 1: "" is not a number'),
    ("a,\n2,3\n", "line 1: the name of column 2 is empty"),
    ("-inf,nan\n2,3\n", 'line 1: "-inf" is not a number'),
    ("1,x\n2,3\n", 'line 1: "x" is not a number'),
    ("0x10,0x20\n2,3\n", 'line 1: "0x10" is not a number'),
    ("x,y\n0x10,3\n", 'line 2: "0x10" is not a number'),
    ("1,5;2,5\n2.5;3\n", 'line 2: "2.5" has another decimal mark than "1,5" in line 1'),
    ("x;y\n1,234;5\n", 'line 2: "1,234" has a decimal mark, or one between thousands, and nothing tells'),
    ("1e999,1\n2,3\n", 'line 1: "1e999" is not a number'),
    ("x,y\n1,two\n", 'line 2: "two" is not a number'),
    ("x,weight\n1,-1\n", "a weight is negative"),
    ("weight,weight,x\n1,1,2\n", "has 2 columns of weights; one is allowed"),
    ("x,y,weight\n1,1,0\n", "all weights are 0"),
    (
        "1\n2\n",
        "its points have 1 coordinate, and the points of the other cloud have 2: "
        "to replace both clouds, open two files at once",
    ),
    ("1,1\n" * 5001, "holds 5001 points, and the playground takes 5000"),
    (f"x,y\n1,{HOSTILE}\n", "is not a number"),
]


def test_files_that_cannot_be_read_say_why(opened, plain_page, tmp_path):
    tab = opened(plain_page)
    before = clouds(tab)
    for number, (text, message) in enumerate(REFUSED):
        path = tmp_path / f"wrong{number}.csv"
        path.write_text(text)
        tab.set_input_files("#open-b", path)
        tab.locator("#file-message").filter(has_text=path.name).wait_for()
        assert message in tab.locator("#file-message").inner_text()
        assert np.array_equal(clouds(tab)[1][0], before[1][0]), text


@pytest.mark.parametrize("head", ["", "x,y\n", "information,2nd\n", '"e","nano"\n'])
def test_the_first_line_is_names_or_a_point(opened, settled, plain_page, tmp_path, head):
    tab = opened(plain_page)
    path = tmp_path / "points.csv"
    path.write_text(head + "+1.,-.5e+1\n2,3\n4,5\n")
    tab.set_input_files("#open-a", path)
    tab.locator("#count-a").filter(has_text="points.csv").wait_for()
    settled(tab)
    assert np.array_equal(clouds(tab)[0][0], [[1, -5], [2, 3], [4, 5]])


def test_no_old_number_stands_beside_an_error(opened, settled, plain_page, tmp_path):
    tab = opened(plain_page)
    path = tmp_path / "far.csv"
    path.write_text("1e308,1e308\n-1e308,-1e308\n")
    tab.set_input_files("#open-a", path)
    tab.locator("#message").filter(has_text="too far apart").wait_for()
    tab.wait_for_timeout(500)  # not until it is settled: with old numbers it never would be
    assert [tab.locator(name).inner_text() for name in ("#rpw", "#w", "#proof", "#moves")] == ["–", "–", "", ""]
    tab.click("#undo")
    settled(tab)
    assert tab.locator("#message").inner_text() == ""
    check_numbers(tab)


FAR = ["1e17,1e17\n1e17,1.00000000000001e17\n", "1e20,1e20\n1e20,1e20\n", "1e17\n1.0000000000000002e17\n"]


@pytest.mark.parametrize("far", FAR)
def test_a_grid_far_from_zero_ends(opened, settled, plain_page, tmp_path, far):
    """Lines one step apart are one number there: to count on from one to the next would never end."""
    tab = opened(plain_page)
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    first.write_text(far)
    second.write_text(far)
    tab.set_input_files("#open-a", [first, second])
    tab.locator("#count-b").filter(has_text="second.csv").wait_for()
    settled(tab)
    assert shown(tab)["rpw"] == 0
    has_distance = len(set(far.split())) > 1
    assert ("largest distance" in tab.locator("#file-message").inner_text()) == has_distance


@pytest.fixture
def own_page(tmp_path):
    x, y = [[0, 0], [1, 2], [3, 1]], [[1, 0], [2, 2]]
    write_page(tmp_path / "own.html", x, y, k=0.5, diameter=4, names=("mine", "yours"))
    return tmp_path / "own.html"


def all_of(tab):
    """What a step back must bring back."""
    settings = "({ p, k, diameter, metric, names }) => ({ p, k, diameter, metric, names })"
    state = tab.evaluate(f"({settings})(playground.state)")
    look = tab.evaluate("({ middle: playground.view.middle, scale: playground.view.scale })")
    points = [[each.tolist() for each in cloud] for cloud in clouds(tab)]
    return state | look | {"points": points, "rpw": shown(tab)["rpw"], "name": tab.locator("#count-a").inner_text()}


def test_one_step_back_undoes_a_file_or_a_story_as_a_whole(opened, settled, own_page, tmp_path):
    tab = opened(own_page)
    other = tmp_path / "other.csv"
    other.write_text("500001,5200001\n500002,5200003\n")
    before = all_of(tab)
    tab.set_input_files("#open-a", other)
    tab.locator("#count-a").filter(has_text="other.csv").wait_for()
    settled(tab)
    of_file = all_of(tab)
    assert of_file["diameter"] != before["diameter"]
    for button in ('[data-story="outlier"]', '[data-story=""]'):
        tab.click(button)
        settled(tab)
        assert all_of(tab)["points"] != of_file["points"]
        tab.click("#undo")
        settled(tab)
        assert all_of(tab) == of_file
        assert tab.locator("#story").is_hidden()
    tab.click("#undo")
    settled(tab)
    assert all_of(tab) == before
    assert not tab.locator("#undo").is_enabled()


def test_your_data_keeps_its_names(opened, settled, own_page, tmp_path):
    tab = opened(own_page)
    before = all_of(tab)
    (tmp_path / "other.csv").write_text("1,2\n3,4\n")
    tab.set_input_files("#open-a", tmp_path / "other.csv")
    tab.locator("#count-a").filter(has_text="other.csv").wait_for()
    tab.click('[data-story=""]')
    settled(tab)
    assert all_of(tab) == before


def test_a_window_that_gets_its_size_back_gets_its_picture_back(opened, own_page):
    tab = opened(own_page)
    before, first = tab.evaluate("playground.view.scale"), tab.viewport_size
    for _ in range(3):
        for size in ({"width": 390, "height": 844}, {"width": 844, "height": 390}, first):
            tab.set_viewport_size(size)
            tab.wait_for_timeout(50)
    assert tab.evaluate("playground.view.scale") == before


def test_zooming_ends_where_numbers_end(opened, settled, own_page):
    tab = opened(own_page)
    for button in ("zoom-in", "zoom-out"):
        tab.evaluate(f"() => {{ for (let n = 0; n < 6000; n += 1) document.getElementById('{button}').click(); }}")
        assert 1e-290 < tab.evaluate("playground.view.scale") < 1e290
        tab.locator("#stage").press("a")
        tab.locator("#stage").press("ArrowLeft")
        settled(tab)
        assert all(np.isfinite(points).all() for points, _ in clouds(tab))
        tab.click("#fit")
    check_numbers(tab)


LABELS = """() => new Promise((done) => {
    const texts = [];
    const draw = CanvasRenderingContext2D.prototype.fillText;
    CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
        if (this.canvas.id === "stage") texts.push(text);
        return draw.call(this, text, ...place);
    };
    document.getElementById("fit").click();
    requestAnimationFrame(() => requestAnimationFrame(() => {
        CanvasRenderingContext2D.prototype.fillText = draw;
        done(texts);
    }));
})"""


@pytest.mark.parametrize(("start", "step"), [(5_200_000, 1), (1_700_000_000, 300), (-3e13, 2e6), (0, 1e-9), (0.0, 0.2)])
def test_neighbouring_lines_of_the_grid_have_different_numbers(opened, tmp_path, start, step):
    write_page(tmp_path / "page.html", [start, start + step], [start + 2 * step, start + 3 * step], diameter=step)
    texts = opened(tmp_path / "page.html").evaluate(LABELS)
    values = [float(text.replace("−", "-")) for text in texts if text != "x"]  # the name of the axis
    assert len(values) > 3
    assert len(set(values)) == len(values)
    assert np.allclose(np.diff(values), np.diff(values)[0], rtol=1e-3)


def test_k_and_diameter_have_the_range_of_python(opened, settled, own_page):
    tab = opened(own_page)
    picture = "document.getElementById('profile').toDataURL()"
    before = tab.evaluate(picture)
    for extreme in ("1e300", "1e-300"):
        for name in ("k", "diameter"):
            tab.fill(f"#{name}-field", extreme)
            tab.press(f"#{name}-field", "Enter")
        tab.locator("#message").filter(has_text="k times Δ is too").wait_for()
        assert [tab.locator(name).inner_text() for name in ("#rpw", "#proof")] == ["–", ""]
        for name, value in (("k", "0.5"), ("diameter", "4")):
            tab.fill(f"#{name}-field", value)
            tab.press(f"#{name}-field", "Enter")
        settled(tab)
        check_numbers(tab)
        assert tab.evaluate(picture) == before


NO_NUMBERS = [("diameter", "1,000"), ("k", "0x10"), ("p", "1e999"), ("k", "1e999"), ("k", "")]


@pytest.mark.parametrize(("name", "text"), NO_NUMBERS)
def test_a_field_takes_no_guess(opened, own_page, name, text):
    tab = opened(own_page)
    before = shown(tab)
    tab.fill(f"#{name}-field", text)
    tab.press(f"#{name}-field", "Enter")
    assert tab.locator(f"#{name}-field").evaluate("field => field.validationMessage") != ""
    assert shown(tab) == before


def test_w_has_an_answer_where_the_profile_has_none(opened, tmp_path):
    x, y = [[0.0, 0.0], [1.0, 2.0], [3.0, 1.0]], [[1.0, 0.0], [12.0, 9.0]]
    write_page(tmp_path / "page.html", x, y, p=300, diameter=12)
    tab = opened(tmp_path / "page.html")
    assert float(tab.locator("#w").inner_text()) == pytest.approx(rpw.wasserstein(x, y, p=300), rel=1e-3)


def test_a_file_can_be_dropped(opened, settled, plain_page):
    tab = opened(plain_page)
    tab.evaluate(
        """() => {
            const stage = document.getElementById("stage-room");
            const data = new DataTransfer();
            data.items.add(new File(["x,y\\n0.1,0.2\\n0.3,0.1\\n"], "dropped.csv"));
            const box = stage.getBoundingClientRect();
            const place = { clientX: box.right - 20, clientY: box.top + 9 };
            const at = { dataTransfer: data, bubbles: true, cancelable: true, ...place };
            stage.dispatchEvent(new DragEvent("dragover", at));
            stage.dispatchEvent(new DragEvent("drop", at));
        }"""
    )
    tab.locator("#count-b").filter(has_text="dropped.csv").wait_for()
    settled(tab)
    assert np.array_equal(clouds(tab)[1][0], [[0.1, 0.2], [0.3, 0.1]])
    check_numbers(tab)


# ---------------------------------------------------------------- looks


def brightness(tab):
    colour = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    return sum(map(int, re.findall(r"\d+", colour)[:3])) / 3


def drawn_colours(tab):
    """Whether the stage shows a point of each cloud in the colour that the theme has for it."""
    for side, name in ((0, "--a"), (1, "--b")):
        wanted, found = tab.evaluate(
            """([name, x, y]) => {
                const stage = document.getElementById("stage");
                const copy = document.createElement("canvas");
                [copy.width, copy.height] = [stage.width, stage.height];
                const context = copy.getContext("2d", { willReadFrequently: true });
                context.drawImage(stage, 0, 0);
                const box = stage.getBoundingClientRect();
                const found = [...context.getImageData(x - box.left, y - box.top, 1, 1).data].slice(0, 3);
                context.fillStyle = getComputedStyle(document.body).getPropertyValue(name).trim();
                context.fillRect(0, 0, 1, 1);
                return [[...context.getImageData(0, 0, 1, 1).data].slice(0, 3), found];
            }""",
            [name, *place_of(tab, side, outermost(tab, side))],
        )
        if np.abs(np.array(wanted) - found).max() > 12:
            return False
    return True


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_light_or_dark_as_the_system_or_the_button_says(opened, settled, plain_page, scheme):
    tab = opened(plain_page, color_scheme=scheme)
    assert (brightness(tab) > 200) == (scheme == "light")
    assert drawn_colours(tab)
    tab.click("#theme")
    settled(tab)
    assert (brightness(tab) > 200) == (scheme == "dark")
    assert drawn_colours(tab)


CONTRASTS = """() => {
    const style = getComputedStyle(document.body);
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const luminance = (name) => {
        canvas.fillStyle = style.getPropertyValue(name).trim();
        canvas.fillRect(0, 0, 1, 1);
        const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map((v) => v / 255)
            .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const contrast = (x, y) => (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
    return ["--ink", "--soft", "--rpw", "--w"].flatMap((name) =>
        ["--paper", "--card"].map((back) => contrast(luminance(name), luminance(back))));
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read(opened, plain_page, scheme):
    """4.5 to 1, as WCAG asks for."""
    assert min(opened(plain_page, color_scheme=scheme).evaluate(CONTRASTS)) >= 4.5


@pytest.mark.parametrize("width", [360, 700, 1280])
def test_it_fits_the_screen(opened, plain_page, width):
    tab = opened(plain_page, viewport={"width": width, "height": 740}, fragment="#outlier")
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    stage = tab.locator("#stage").bounding_box()
    assert stage["width"] > 0.6 * min(width, 900)
    for name in ("#rpw", "#k-slider", "#profile", "#play"):
        box = tab.locator(name).bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width


# ---------------------------------------------------------------- the data of users


def test_a_written_page_begins_with_the_users_data(opened, settled, tmp_path):
    rng = np.random.default_rng(5)
    x, y, a = 40 * rng.normal(size=(30, 2)), 40 * rng.normal(size=(20, 2)) + 9, rng.random(30)
    result = rpw.solve(x, y, a, p=1.5, k=0.7, diameter=250, metric="cityblock")
    result.explore(tmp_path / "page.html")
    tab = opened(tmp_path / "page.html")
    assert shown(tab)["rpw"] == pytest.approx(result.distance, abs=1e-12)
    assert (shown(tab)["p"], shown(tab)["k"], shown(tab)["diameter"]) == (1.5, 0.7, 250)
    places = np.array([place_of(tab, side, i) for side, count in ((0, 30), (1, 20)) for i in range(count)])
    stage = tab.locator("#stage").bounding_box()
    assert (places[:, 0] > stage["x"]).all()
    assert (places[:, 0] < stage["x"] + stage["width"]).all()
    tell(tab, settled, "outlier", 0.5)
    tab.click('[data-story=""]')
    settled(tab)
    assert shown(tab)["rpw"] == pytest.approx(result.distance, abs=1e-12)
    assert tab.locator("#code").inner_text().endswith('metric="cityblock")')


@pytest.mark.parametrize("p", [1, INF])
def test_points_on_a_line(opened, settled, tmp_path, p):
    result = rpw.solve([0.0, 1.0, 2.0], [0.5, 1.5, 9.0, 9.0], b=[1, 1, 1, 2], p=p, k=1, diameter=4)
    result.explore(tmp_path / "page.html")
    tab = opened(tmp_path / "page.html")
    check_numbers(tab)
    tab.focus("#stage")
    for key in ("a", "ArrowRight", "ArrowUp"):
        tab.keyboard.press(key)
    settled(tab)
    moves = clouds(tab)[0][0].ravel() - [0, 1, 2]
    assert np.allclose(moves, moves[0])
    assert moves[0] > 0
    check_numbers(tab)


def test_hostile_names_and_data_stay_text(opened, tmp_path):
    write_page(tmp_path / "page.html", [[0.0, 0.0], [1e9, 1e-300]], [[-1e9, 5.0]], names=(HOSTILE, HOSTILE))
    tab = opened(tmp_path / "page.html")
    assert tab.locator("h1").inner_text() == f"{HOSTILE} and {HOSTILE}"
    assert tab.locator("#count-a").inner_text() == f"{HOSTILE} · 2"
    assert tab.title() == f"RPW playground: {HOSTILE} and {HOSTILE}"
    assert tab.locator("img").count() == 0
    assert tab.evaluate("document.scripts.length") == 4
    assert tab.evaluate("document.documentElement.scrollWidth") <= 1280


LATE_REFUSAL = """window.Worker = class {
    postMessage() { setTimeout(() => this.onerror(new Event("error"))); }
    terminate() {}
}"""


@pytest.mark.parametrize("script", ["delete window.Worker", LATE_REFUSAL])
def test_a_browser_without_workers_still_solves(settled, plain_page, browser, script):
    context = browser.new_context()
    tab = context.new_page()
    tab.add_init_script(script)
    tab.goto(plain_page.as_uri())
    tab.wait_for_selector("html[data-ready]")
    settled(tab)
    check_numbers(tab)
    context.close()
