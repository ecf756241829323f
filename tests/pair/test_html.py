"""What notebooks show: well-formed, escaped, inert, and true."""

import functools
import math
import warnings
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
    call = rows["is it large?"].split(" says ")[0]
    assert eval(call, {"rpw": rpw, "x": X, "y": Y}).distance == pytest.approx(result.distance, rel=1e-12)
    with pytest.raises(ValueError, match="x has weights"):  # so another call is named for these
        rpw.stats.noise_floor(weighted := rpw.Measure(X, np.arange(30)), Y)
    call = shown(rpw.solve(weighted, Y, p=1))[1]["is it large?"].split(" shows ")[0]
    assert eval(call, {"rpw": rpw, "alike": [weighted, Y]})[0, 1] == pytest.approx(rpw.distance(weighted, Y, p=1))
    assert "is it large?" not in shown(rpw.transport(X, Y))[1]
    assert "allow more time" in shown(rpw.solve(X, Y, time_limit=0))[1]["proven"]


def two_samples(**options):
    return rpw.stats.two_sample_test(X, Y, n_resamples=19, rng=0, **options)


@pytest.mark.parametrize(
    "make",
    [
        lambda: rpw.solve(X, Y, k=0.25, diameter=3),
        lambda: rpw.profile(X, Y, diameter=3).result(0.25),
        lambda: rpw.solve_pairs([X], [Y], k=0.25, diameter=3)[0],
        lambda: rpw.Index([X, Y], k=0.25, diameter=3),
        lambda: rpw.barycenter([X, Y], n_points=2, k=0.25, diameter=3, max_iter=1),
        lambda: two_samples(k=0.25, diameter=3),
        lambda: two_samples(k=0.25, diameter=3).noise_floor,
        lambda: rpw.stats.noise_floor(X, Y, k=0.25, diameter=3, n_resamples=9, rng=0),
        lambda: rpw.stats.equivalence_test(X, Y, 0.2, k=0.25, diameter=3),
    ],
)
def test_k_and_the_diameter_are_shown_by_their_names(make):
    """Their product alone says neither."""
    parameters = shown(make())[1]["with"]
    assert parameters.endswith("k = 0.25, Δ = 3")
    assert "0.75" not in parameters


def test_what_has_no_k_shows_none():
    for thing in (rpw.transport(X, Y), two_samples(statistic="wasserstein"), two_samples(statistic="energy")):
        assert "k = " not in shown(thing)[1]["with"]
        assert "nan" not in thing._repr_html_()
    assert "with" not in shown(two_samples(statistic="energy").noise_floor)[1]


def test_one_line_texts_show_k_and_the_diameter():
    assert "(k = 0.25, Δ = 3)" in str(two_samples(k=0.25, diameter=3))
    assert str(rpw.stats.equivalence_test(X, Y, 0.9, k=0.25, diameter=3)).count("(k = 0.25, Δ = 3)") == 1
    floor = rpw.stats.noise_floor(X, Y, k=0.25, diameter=3, n_resamples=9, rng=0)
    assert repr(floor).endswith("k=0.25, diameter=3)")
    assert (floor.k, floor.diameter, floor.kappa) == (0.25, 3, 0.75)


@pytest.mark.parametrize("tol", [0, 0.2])
def test_a_profile_shows_rpw_at_k_1(tol):
    profile = rpw.profile(X, Y, diameter=3, tol=tol)
    one, other = profile.lower.distance(1), profile.distance(1)
    row = shown(profile)[1]["RPW at k = 1, Δ = 3"]
    assert row == (f"{one:.6g} to {other:.6g}" if tol else f"{other:.6g}")
    if tol:
        assert shown(profile.lower)[1]["RPW at k = 1, Δ = 3"].startswith("at least ")


def test_showing_a_profile_warns_of_nothing():
    far = rpw.profile(X, Y + 1e6)  # at the default Δ = 1, which `distance` would warn of
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shown(far)


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
    assert (title, rows["measures"], rows["with"]) == ("Index", "2", "p = 1, k = 0.5, Δ = 3")
    assert rows["searches"].startswith("pairs 2, solved ")
    assert rows["metric"] == "euclidean"


def test_names_from_outside_are_escaped():
    assert shown(rpw.Index([X, Y], metric=hostile))[1]["metric"] == hostile.__name__
    assert shown(rpw.Index([X, Y], metric=functools.partial(hostile)))[1]["metric"].startswith("functools.partial(")
    assert shown(rpw.Index([[1, 2], [2, 1]], cost=[[0, 1], [1, 0]]))[1]["metric"] == "cost="
