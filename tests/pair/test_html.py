"""What notebooks show: well-formed, escaped, inert, and true."""

import functools
import math
from xml.etree import ElementTree

import numpy as np
import pytest

import rpw

RNG = np.random.default_rng(0)
INERT = {"div", "table", "caption", "b", "tbody", "tr", "th", "td", "svg", "path", "polyline"}
X, Y = RNG.random((30, 2)), RNG.random((20, 2))


def hostile(x, y):
    return float(np.abs(x - y).sum())


hostile.__name__ = "<script>alert('&\"')</script>"


def shown(thing):
    """The title and the rows of the table, which must be well-formed and inert."""
    html = thing._repr_html_()
    tree = ElementTree.fromstring(html)
    assert {element.tag for element in tree.iter()} <= INERT
    names = {name for element in tree.iter() for name in element.attrib}
    assert not [name for name in names if name.startswith("on") or name in ("href", "src", "id")]
    assert "url(" not in html
    return tree.find(".//b").text, {row.find("th").text: row.find("td").text for row in tree.iter("tr")}


def test_a_result_shows_its_distance_and_its_proof():
    title, rows = shown(result := rpw.solve(X, Y, p=1))
    assert title == "RPW distance"
    assert rows["distance"] == f"{result.distance:.9g}"
    assert rows["proven"].startswith(f"[{result.lower:.9g}, {result.upper:.9g}]")
    assert rows["between"].startswith("30 and 20 points")
    assert "rpw.stats.two_sample_test(x, y)" in rows["is it large?"]
    assert "is it large?" not in shown(rpw.transport(X, Y))[1]
    assert "allow more time" in shown(rpw.solve(X, Y, time_limit=0))[1]["proven"]


MASSES = np.linspace(0, 1, 201)


def heights_of_lines(profile):
    """How high each line of the drawing lies above the start of the first."""
    lines = [line.attrib["points"] for line in ElementTree.fromstring(profile._repr_html_()).iter("polyline")]
    points = [np.array([pair.split(",") for pair in line.split()], dtype=float) for line in lines]
    return [points[0][0, 1] - line[:, 1] for line in points]


@pytest.mark.parametrize("p", [1, 2, math.inf])
def test_a_profile_shows_its_curve(p):
    profile = rpw.profile(X, Y, p=p)
    title, rows = shown(profile)
    assert title == "OT-profile"
    assert rows["W at 90%"] == f"{profile(0.9):.6g}"
    (line,) = heights_of_lines(profile)
    np.testing.assert_allclose(line / line[-1], profile(MASSES) / profile(1.0), atol=0.01)


def test_a_profile_with_tol_shows_both_curves():
    profile = rpw.profile(X, Y, tol=0.2)
    lower, upper = heights_of_lines(profile)
    assert (profile.lower(MASSES) < 0.9 * profile(MASSES)).any()  # else there is nothing to see
    np.testing.assert_allclose(upper / upper[-1], profile(MASSES) / profile(1.0), atol=0.01)
    np.testing.assert_allclose(lower / upper[-1], profile.lower(MASSES) / profile(1.0), atol=0.01)
    assert shown(profile)[1]["W at 50%"] == f"{profile.lower(0.5):.6g} to {profile(0.5):.6g}"


def test_a_profile_of_equal_measures_is_flat():
    assert shown(rpw.profile([0.0, 1.0], [0.0, 1.0]))[1]["W at 100%"] == "0"


def test_a_measure_shows_its_extent():
    assert shown(rpw.Measure([[0.0, -2.0], [3.0, 4.0]], [1, 3])) == (
        "Measure",
        {"points": "2 in 2 dimensions", "weights": "0.25 to 0.75, sum 1", "coordinates": "x: 0 to 3; y: -2 to 4"},
    )
    assert shown(rpw.Measure(7.0 * np.eye(5)))[1]["coordinates"] == "0 to 7"


def test_an_index_shows_what_it_was_built_with_and_what_it_did():
    index = rpw.Index([X, Y], p=1, k=0.5, diameter=3)
    index.query(X, top=1)
    title, rows = shown(index)
    assert (title, rows["measures"], rows["with"]) == ("Index", "2", "p = 1, k = 0.5, diameter = 3")
    assert rows["searches"].startswith("pairs 2, solved ")
    assert rows["metric"] == "euclidean"


def test_names_from_outside_are_escaped():
    assert shown(rpw.Index([X, Y], metric=hostile))[1]["metric"] == hostile.__name__
    assert shown(rpw.Index([X, Y], metric=functools.partial(hostile)))[1]["metric"].startswith("functools.partial(")
    assert shown(rpw.Index([[1, 2], [2, 1]], cost=[[0, 1], [1, 0]]))[1]["metric"] == "cost="
