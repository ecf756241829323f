"""``rpw distance``: the numbers of the library, notes, one line for every mistake."""

import signal
import time

import numpy as np
import pytest
from children import start
from commands import answer, call, complaint

import rpw


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--p", "1"), 0.5),
        ((), (5**0.5 - 1) / 2),
        (("--p", "inf"), 1.0),
        (("--p", "inf", "--k", "4"), 0.25),
        (("--p", "1", "--k", "3"), 0.25),
        (("--p", "1", "--diameter", "3"), 0.25),
        (("--p", "1", "--metric", "cityblock"), 1.4 / 2.4),
        (("--k", "0"), 1.0),
        (("--p", "1", "--tol", "0.01", "--solver", "bisection"), 0.5),
    ],
)
def test_distance_of_two_points(diracs, options, expected):
    found = answer("distance", *diracs, *options)
    assert found["distance"] == pytest.approx(expected, abs=0.01 if "--tol" in options else 1e-12)
    assert found["lower"] <= found["distance"] == found["upper"]
    assert found["a"] == {"path": str(diracs[0]), "points": 1}
    assert f"RPW distance  {found['distance']:.12g}\n" in call("distance", *diracs, *options).stdout


def test_infinite_p_is_valid_json(diracs):
    assert answer("distance", *diracs, "--p", "inf")["p"] == "inf"


def test_distance_is_that_of_the_library(clouds):
    folder, points = clouds
    found = answer("distance", folder / "cloud0.npy", folder / "cloud3.npy", "--p", "3", "--k", "0.5")
    result = rpw.solve(points[0], points[3], p=3, k=0.5)
    assert {name: found[name] for name in ("distance", "lower", "upper", "cost", "iterations")} == {
        name: getattr(result, name) for name in ("distance", "lower", "upper", "cost", "iterations")
    }


def test_a_time_limit_gives_an_interval(clouds):
    folder, _ = clouds
    found = answer("distance", folder / "cloud0.npy", folder / "cloud3.npy", "--time-limit", "0")
    assert (found["lower"], found["upper"], found["status"]) == (0, 1, "time_limit")


def test_points_within_twice_the_default_diameter_are_not_pointed_out(diracs):
    assert "points span" not in call("distance", *diracs).stdout
    assert answer("distance", *diracs)["note"] is None


@pytest.mark.parametrize("command", ["distance", "profile"])
def test_one_pair_has_no_diameter_of_its_own(tmp_path, command):
    """As in Python: it would not be the Δ of the next pair."""
    (tmp_path / "a.csv").write_text("0,0\n1,0\n")
    (tmp_path / "b.csv").write_text("3,4\n")
    files = tmp_path / "a.csv", tmp_path / "b.csv"
    said = complaint(command, *files, "--diameter", "auto", code=2)
    assert "belongs to the space, not to one pair" in said
    assert "pass a number" in said
    found = answer(command, *files, "--diameter", "5")
    expected = rpw.distance([[0, 0], [1, 0]], [[3, 4]], diameter=5)
    assert found["diameter"] == 5
    assert (found["distance"] if command == "distance" else found["distances"]["1"]) == pytest.approx(expected)
    shown = call(command, *files, "--diameter", "5").stdout
    assert "diameter=5" in shown
    assert "points span" not in shown


def test_points_far_closer_than_the_default_diameter_are_pointed_out_unless_k_was_chosen(tmp_path):
    points = [f"{i / 1000},{i % 7 / 1000}\n" for i in range(30)]
    folder = tmp_path / "clouds"
    folder.mkdir()
    files = folder / "a.csv", folder / "b.csv"
    for file in files:
        file.write_text("".join(points))
    assert "as sensitive to outliers" in " ".join(call("distance", *files).stdout.split())
    assert "as sensitive to outliers" in answer("distance", *files)["note"]
    for silent in (("--k", "0.5"), ("--diameter", "1"), ("--metric", "canberra")):
        assert answer("distance", *files, *silent)["note"] is None
    assert answer("profile", *files)["note"] is None
    assert "as sensitive to outliers" in answer("pairwise", folder, "--out", tmp_path / "D.npy", "--k", "2")["note"]
    assert answer("pairwise", folder, "--out", tmp_path / "D.npy", "--k", "0.01,2")["note"] is None
    assert "as sensitive to outliers" in answer("index", folder, "--out", tmp_path / "I")["note"]


def test_one_iteration_is_not_iterations(clouds):
    folder, points = clouds
    for other in (0, 3):
        count = rpw.solve(points[0], points[other]).iterations
        shown = call("distance", folder / "cloud0.npy", folder / f"cloud{other}.npy").stdout
        assert f" {count:,} iteration{'s' * (count != 1)}\n" in shown


def test_images_of_different_sizes_get_a_note(tmp_path):
    image = pytest.importorskip("PIL.Image")
    for name, shape in {"a": (4, 5), "b": (4, 6), "c": (4, 5), "colour": (4, 5, 3)}.items():
        image.fromarray(np.ones(shape, dtype=np.uint8)).save(tmp_path / f"{name}.png")
    for command in ("distance", "profile"):
        shown = " ".join(call(command, tmp_path / "a.png", tmp_path / "b.png").stdout.split())
        assert "a grey image of 5 x 4 pixels and a grey image of 6 x 4 pixels" in shown
        assert "different sizes" not in call(command, tmp_path / "a.png", tmp_path / "c.png").stdout
        assert "different sizes" in answer(command, tmp_path / "a.png", tmp_path / "b.png")["note"]
        assert answer(command, tmp_path / "a.png", tmp_path / "c.png")["note"] is None
    text = complaint("distance", tmp_path / "a.png", tmp_path / "colour.png")
    assert "a grey image of 5 x 4 pixels and a colour image of 5 x 4 pixels" in text


def test_names_of_files_may_be_long_and_strange(tmp_path):
    path = tmp_path / ("[bold]ä " + "very" * 40 + ".csv")
    path.write_text("1,2\n")
    assert "".join(path.name.split()) in "".join(call("distance", path, path).stdout.split())
    call("distance", path, path, PYTHONIOENCODING="ascii")
    assert answer("distance", path, path)["a"]["path"] == str(path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("a.csv", "missing.csv"), "missing.csv: No such file or directory"),
        (("a.csv", "wide.csv"), "have 2 coordinates, those of"),
        (("a.csv", "bad.csv"), "bad.csv: line 2 has 1 values instead of 2"),
        (("a.csv", "odd.xyz"), "unknown kind of file '.xyz'"),
    ],
)
def test_user_mistakes_are_one_line_on_stderr(diracs, arguments, message):
    folder = diracs[0].parent
    (folder / "wide.csv").write_text("1,2,3\n")
    (folder / "bad.csv").write_text("1,2\n3\n")
    (folder / "odd.xyz").write_text("1,2\n")
    files = [folder / name for name in arguments]
    assert message in complaint("distance", *files)
    assert message in complaint("distance", *files, "--json")


def test_ctrl_c_ends_with_130(tmp_path):
    rng = np.random.default_rng(0)
    for name in ("a", "b"):
        np.savez(tmp_path / f"{name}.npz", points=rng.random((60_000, 2)), weights=rng.dirichlet(np.ones(60_000)))
    with start("-m", "rpw.cli", "distance", tmp_path / "a.npz", tmp_path / "b.npz", "--k", "1e6") as child:
        time.sleep(3)
        child.send_signal(signal.SIGINT)
        try:
            output, errors = child.communicate(timeout=30)
        finally:
            child.kill()
    assert (child.returncode, output, errors) == (130, "", "rpw: interrupted\n")


def test_says_how_to_find_out_whether_it_is_large(clouds, diracs, tmp_path):
    given = ("--p", "inf", "--k", "0.3", "--diameter", "2", "--metric", "cityblock")

    def calls_to_make(*files):
        assert "is it large" not in str(answer("distance", *files, *given))
        shown = " ".join(call("distance", *files, *given).stdout.split())
        return [name for name in ("rpw.stats.noise_floor(x, y,", "rpw.pairwise(alike,") if f"{name} {written}" in shown]

    written = 'p=float("inf"), k=0.3, diameter=2, metric="cityblock")'
    folder, _ = clouds
    assert calls_to_make(folder / "cloud0.npy", folder / "cloud3.npy") == ["rpw.stats.noise_floor(x, y,"]
    # Rows of different weight cannot be exchanged, and one row cannot be split.
    (tmp_path / "weighted.csv").write_text("x,y,weight\n0,0,1\n1,0,2\n")
    assert calls_to_make(tmp_path / "weighted.csv", tmp_path / "weighted.csv") == ["rpw.pairwise(alike,"]
    assert calls_to_make(*diracs) == ["rpw.pairwise(alike,"]


def test_a_column_that_makes_up_all_of_the_distance_is_a_note(tmp_path):
    rng = np.random.default_rng(0)
    for name in ("a", "b"):
        rows = [f"{income:.0f},{age:.1f}" for income, age in rng.normal(size=(40, 2)) * [1e4, 10] + [3e4, 40]]
        (tmp_path / f"{name}.csv").write_text("\n".join(["income,age", *rows]))
    files = tmp_path / "a.csv", tmp_path / "b.csv"
    done = call("distance", *files, "--diameter", "1e4")
    assert "column 0 (counted from 0) makes up nearly all of the distance" in " ".join(done.stdout.split())
    assert not done.stderr  # no warning of Python as well
    assert answer("distance", *files, "--diameter", "1e4")["note"].startswith("column 0 (counted from 0) makes up")
    both = answer("distance", *files)["note"]
    assert both.startswith("the points span")
    assert "; column 0 (counted from 0) makes up" in both
    assert answer("distance", *files, "--k", "0")["note"] is None
