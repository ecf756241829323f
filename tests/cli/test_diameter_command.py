"""``rpw diameter``, and ``--quantile`` beside ``--diameter auto``."""

import numpy as np
import pytest
from commands import answer, call, complaint

import rpw


@pytest.fixture
def files(tmp_path):
    """Two tables whose columns have another order, and one point far away."""
    (tmp_path / "a.csv").write_text("x,y\n0,0\n3,0\n")
    (tmp_path / "b.csv").write_text("y,x\n4,0\n100,0\n")
    return tmp_path / "a.csv", tmp_path / "b.csv"


def test_the_largest_distance_in_all_files(files):
    found = answer("diameter", *files)
    assert found["diameter"] == pytest.approx((3**2 + 100**2) ** 0.5, rel=1e-15)  # from (3, 0) to (0, 100)
    assert (found["is_exact"], found["points"], found["clouds"], found["dropped"]) == (True, 4, 2, 0)
    assert answer("diameter", files[0])["diameter"] == 3
    assert answer("diameter", *files, "--metric", "cityblock")["diameter"] == 103


def test_a_quantile_leaves_out_what_is_far(files):
    found = answer("diameter", *files, "--quantile", "0.75")
    assert (found["diameter"], found["quantile"]) == (5, 0.75)  # (3, 0) and (0, 4)
    assert "0.75 of the points count" in call("diameter", *files, "--quantile", "0.75").stdout


def test_the_number_alone_can_be_passed_on(files):
    line = call("diameter", *files, "--quantile", "0.75", "--number").stdout
    assert line == "5.0\n"
    assert answer("distance", *files, "--diameter", line.strip())["diameter"] == 5
    exact = call("diameter", *files, "--number").stdout
    assert float(exact) == answer("diameter", *files)["diameter"]


def test_folders_arrays_and_histograms(clouds, tmp_path):
    folder, points = clouds
    assert answer("diameter", folder)["diameter"] == rpw.diameter(points)
    np.save(tmp_path / "all.npy", np.array(points) + 1)
    both = answer("diameter", folder, tmp_path / "all.npy", "--quantile", "0.9")
    assert both["diameter"] == rpw.diameter([*points, *(np.array(points) + 1)], quantile=0.9)
    assert both["clouds"] == 10
    np.savez(tmp_path / "h.npz", histograms=np.ones((2, 3)), support=[[0.0], [1.0], [7.0]])
    assert answer("diameter", tmp_path / "h.npz")["diameter"] == 7


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--quantile", "0"), "--quantile must lie in (0, 1]"),
        (("--quantile", "1.5"), "--quantile must lie in (0, 1]"),
        (("--quantile", "nan"), "--quantile must not be NaN"),
        (("--number", "--json"), "--number and --json: choose one of them"),
    ],
)
def test_options_that_make_no_sense(files, options, reason):
    assert reason in complaint("diameter", *files, *options, code=2)


def test_files_that_do_not_fit_together(files, tmp_path):
    (tmp_path / "wide.csv").write_text("1,2,3\n")
    assert f"{tmp_path / 'wide.csv'}: its points have 3 coordinates, those of {files[0]} have 2" in complaint(
        "diameter", files[0], tmp_path / "wide.csv"
    )
    (tmp_path / "other.csv").write_text("u,v\n1,2\n")
    assert "has the columns u, v, and" in complaint("diameter", files[0], tmp_path / "other.csv")
    assert "No such file" in complaint("diameter", tmp_path / "none.csv")
    assert "Usage" in call("diameter", code=2).stderr


@pytest.fixture
def with_outlier(tmp_path):
    """Ten clouds within a unit, of which one has a point at 1000."""
    folder = tmp_path / "folder"
    folder.mkdir()
    points = [np.random.default_rng(seed).random((10, 2)) for seed in range(10)]
    points[3][0] = 1000
    for number, cloud in enumerate(points):
        np.save(folder / f"{number}.npy", cloud)
    return folder, points


def test_quantile_beside_auto(with_outlier, tmp_path):
    folder, points = with_outlier
    delta = rpw.diameter(points, quantile=0.98)
    assert delta < 2 < 1000 < rpw.diameter(points)
    auto = ("--diameter", "auto", "--quantile", "0.98")
    found = answer("pairwise", folder, "--out", tmp_path / "D.npy", *auto)
    assert (found["diameter"], found["quantile"]) == (delta, 0.98)
    np.testing.assert_array_equal(np.load(tmp_path / "D.npy"), rpw.pairwise(points, diameter=delta))
    assert answer("index", folder, "--out", tmp_path / "I", *auto)["diameter"] == delta
    query = answer("search", tmp_path / "I", folder / "0.npy")["queries"][0]["nearest"]
    assert [hit["distance"] for hit in query] == sorted(rpw.pairwise(points, diameter=delta)[0])
    for command in (("pairwise", folder, "--out", tmp_path / "E.npy"), ("index", folder, "--out", tmp_path / "J")):
        assert answer(*command, "--diameter", "auto")["diameter"] == rpw.diameter(points)
        for options in (("--quantile", "0.98"), ("--diameter", "2", "--quantile", "0.98")):
            assert "--quantile belongs to --diameter auto" in complaint(*command, *options, code=2)
        assert "--quantile must lie in (0, 1]" in complaint(*command, *auto[:3], "2", code=2)


def test_points_that_are_all_equal_have_no_diameter(tmp_path):
    np.save(tmp_path / "equal.npy", np.array([[[0.0]] * 9 + [[1.0]]] * 2))
    for command in (("pairwise", tmp_path / "equal.npy", "--out"), ("index", tmp_path / "equal.npy", "--out")):
        reason = complaint(*command, tmp_path / "D.npy", "--diameter", "auto", "--quantile", "0.5")
        assert (
            "--diameter auto must be positive, and here it is 0: all points that --quantile counts are equal" in reason
        )
