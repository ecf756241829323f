"""The command line, run as users run it: a child process, its exit code, its stdout and its stderr."""

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import rpw

pytest.importorskip("typer")
pytest.importorskip("rich")

ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if name not in ("FORCE_COLOR", "COLUMNS")},
    "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    "OPENBLAS_NUM_THREADS": "1",
    "MPLBACKEND": "Agg",
}


def has_tiles():
    try:
        from rpw.many.executors.run import run_tiles  # noqa: F401
    except ImportError:
        return False
    return True


needs_pairwise = pytest.mark.skipif(not has_tiles(), reason="rpw.pairwise(out=...) does not exist yet")
needs_index = pytest.mark.skipif(not hasattr(rpw, "Index"), reason="rpw.Index does not exist yet")


def call(*arguments, code=0, **environment):
    """Run ``rpw`` and check its exit code, that no line is too wide and that no traceback is shown."""
    done = subprocess.run(
        [sys.executable, "-m", "rpw.cli", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**ENVIRONMENT, **environment},
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    if "--json" not in arguments:
        assert all(len(line) <= 80 for line in done.stdout.splitlines()), done.stdout
        assert len(done.stdout.splitlines()) <= 40
        if "--help" not in arguments:
            assert all(line == line.rstrip() for line in done.stdout.splitlines()), "blanks at the end of a line"
    return done


def answer(*arguments):
    """The parsed JSON, which must be all there is."""
    done = call(*arguments, "--json")
    assert done.stderr == ""
    return json.loads(done.stdout, parse_constant=lambda text: pytest.fail(f"{text} is not JSON"))


def complaint(*arguments, code=1):
    """The one line on stderr; nothing is on stdout."""
    done = call(*arguments, code=code)
    assert done.stdout == ""
    assert done.stderr.startswith("rpw: ")
    assert len(done.stderr.splitlines()) == 1
    return done.stderr


def plain(text):
    """Without the colours of a terminal."""
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", text)


@pytest.fixture
def diracs(tmp_path):
    """Two points at distance 1: (1,1)-RPW is 1/2, (2,1)-RPW is the golden ratio's 0.618..., (inf,1) is 1."""
    (tmp_path / "a.csv").write_text("x,y\n0,0\n")
    (tmp_path / "b.csv").write_text("x,y\n0.6,0.8\n")
    return tmp_path / "a.csv", tmp_path / "b.csv"


@pytest.fixture
def clouds(tmp_path):
    """Five clouds in a folder, each a shifted copy of the first, and the points themselves."""
    folder = tmp_path / "clouds"
    folder.mkdir()
    base = np.random.default_rng(0).random((12, 2)) / 4
    points = [base + np.array([shift, 0]) for shift in (0, 0.1, 0.25, 0.5, 0.75)]
    for number, cloud in enumerate(points):
        np.save(folder / f"cloud{number}.npy", cloud)
    return folder, points


# ---------------------------------------------------------------- rpw itself


def test_version_and_help():
    assert call("--version").stdout == f"rpw {rpw.__version__}\n"
    assert "distance" in call("--help").stdout
    for command in ("distance", "profile", "pairwise", "index", "search"):
        text = call(command, "--help").stdout
        assert "--json" in text


@pytest.mark.parametrize(
    "arguments",
    [
        ("nonsense",),
        ("distance",),
        ("distance", "a.csv"),
        ("distance", "a.csv", "b.csv", "--p", "two"),
        ("distance", "a.csv", "b.csv", "--wrong"),
        ("pairwise", "folder"),
        ("distance", "a.csv", "b.csv", "--diameter", "large"),
        ("distance", "a.csv", "b.csv", "--metric", "crow"),
        ("profile", "a.csv", "b.csv", "--diameter", "large"),
        ("profile", "a.csv", "b.csv", "--metric", "crow"),
        ("pairwise", "folder", "--out", "D.zarr", "--diameter", "large"),
        ("pairwise", "folder", "--out", "D.zarr", "--distance", "euclid"),
        ("pairwise", "folder", "--out", "D.zarr", "--metric", "crow"),
        ("index", "folder", "--out", "I", "--metric", "crow"),
        ("search", "I", "q.csv", "--top", "0"),
    ],
)
def test_wrong_usage_is_exit_code_2(arguments):
    done = call(*arguments, code=2)
    assert "Usage" in done.stderr
    assert done.stdout == ""
    assert "callable" not in done.stderr
    assert "cost=" not in done.stderr


def test_a_shell_can_complete_commands_and_options():
    for words, expected in (
        ("rpw pair", ["pairwise"]),
        ("rpw reproduce retrieval --scen", ["--scenario"]),
        ("rpw reproduce retrieval --scenario s", ["shift"]),
        ("rpw reproduce retrieval --dataset c", ["cifar10", "corel"]),
        ("rpw pairwise D --distance w", ["wasserstein"]),
        ("rpw distance a.csv b.csv --metric ch", ["chebyshev"]),
    ):
        position = str(len(words.split()) - 1)
        shown = call(_RPW_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=position).stdout
        assert shown.split() == expected, words
    assert "--install-completion" in call("--help").stdout


@pytest.mark.parametrize("missing", ["typer", "rich"])
def test_without_the_extra_the_command_says_what_to_install(missing):
    code = f"import sys; sys.modules[{missing!r}] = None; from rpw.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, env=ENVIRONMENT, check=False
    )
    assert done.returncode == 1
    assert done.stderr == "the command line needs: pip install 'rpw[cli]'\n"
    assert done.stdout == ""


def test_import_of_rpw_loads_no_command_line():
    code = "import sys, rpw, rpw.readers, rpw.cli; print({'typer', 'rich', 'PIL', 'pyarrow'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=ENVIRONMENT, check=True)
    assert done.stdout == "set()\n"


# ---------------------------------------------------------------- rpw distance


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


def test_swapped_columns_change_nothing_and_other_names_are_refused(tmp_path):
    base, swapped = tmp_path / "base", tmp_path / "swapped"
    base.mkdir()
    swapped.mkdir()
    (base / "a.csv").write_text("lat,lon\n0.1,0.5\n0.2,0.9\n")
    (base / "b.csv").write_text("lat,lon\n0.3,0.6\n")
    (swapped / "b.csv").write_text("lon,lat\n0.6,0.3\n")
    one = answer("distance", base / "a.csv", base / "b.csv")["distance"]
    assert answer("distance", base / "a.csv", swapped / "b.csv")["distance"] == one
    call("index", base, "--out", tmp_path / "I")
    assert answer("search", tmp_path / "I", swapped / "b.csv")["queries"][0]["nearest"][0]["distance"] == 0
    if has_tiles():
        between = ("pairwise", base, "--b", swapped, "--out", tmp_path / "D")
        found = answer(*between)
        assert (found["smallest"], found["largest"]) == (0, one)
    (swapped / "b.csv").write_text("x,y\n0.6,0.3\n")
    assert "has the columns x, y, and" in complaint("distance", base / "a.csv", swapped / "b.csv")
    assert "has the columns x, y, and" in complaint("search", tmp_path / "I", swapped / "b.csv")


REACHED = "the points reach over 5, far more than the diameter"


def test_points_far_beyond_the_default_diameter_are_pointed_out_once(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    a, b = folder / "a.csv", folder / "b.csv"
    a.write_text("0,0\n1,0\n")
    b.write_text("3,4\n")
    commands = {
        "distance": (a, b),
        "profile": (a, b),
        "pairwise": (folder, "--out", tmp_path / "D.zarr"),
        "index": (folder, "--out", tmp_path / "I"),
    }
    for name, arguments in commands.items():
        if name == "pairwise" and not has_tiles():
            continue
        done = call(name, *arguments)
        assert " ".join(done.stdout.split()).count(REACHED) == 1
        assert not done.stderr  # no warning of Python as well
        assert answer(name, *arguments)["note"].startswith(REACHED)
        for given in ("1", "0.5", "7"):  # whoever passes one means it
            other = [tmp_path / f"D{given}.zarr" if part == tmp_path / "D.zarr" else part for part in arguments]
            assert "reach over" not in call(name, *other, "--diameter", given).stdout
        if name != "profile":
            k0 = [tmp_path / "D0.zarr" if part == tmp_path / "D.zarr" else part for part in arguments]
            assert "reach over" not in call(name, *k0, "--k", "0").stdout


def test_points_within_twice_the_default_diameter_are_not_pointed_out(diracs):
    assert "reach over" not in call("distance", *diracs).stdout
    assert answer("distance", *diracs)["note"] is None


@pytest.mark.parametrize("command", ["distance", "profile"])
def test_the_diameter_of_a_pair_is_that_of_both(tmp_path, command):
    (tmp_path / "a.csv").write_text("0,0\n1,0\n")
    (tmp_path / "b.csv").write_text("3,4\n")
    found = answer(command, tmp_path / "a.csv", tmp_path / "b.csv", "--diameter", "auto")
    expected = rpw.distance([[0, 0], [1, 0]], [[3, 4]], diameter=5)
    assert found["diameter"] == 5
    assert (found["distance"] if command == "distance" else found["distances"]["1"]) == pytest.approx(expected)
    shown = call(command, tmp_path / "a.csv", tmp_path / "b.csv", "--diameter", "auto").stdout
    assert "diameter=5" in shown
    assert "reach over" not in shown
    assert "no diameter" in complaint(command, tmp_path / "b.csv", tmp_path / "b.csv", "--diameter", "auto")


def test_one_iteration_is_not_iterations(clouds):
    folder, points = clouds
    for other in (0, 3):
        count = rpw.solve(points[0], points[other]).iterations
        shown = call("distance", folder / "cloud0.npy", folder / f"cloud{other}.npy").stdout
        assert f" {count:,} iteration{'s' * (count != 1)}, " in shown


def test_images_of_different_sizes_get_a_note(tmp_path):
    image = pytest.importorskip("PIL.Image")
    for name, shape in {"a": (4, 5), "b": (4, 6), "c": (4, 5), "colour": (4, 5, 3)}.items():
        image.fromarray(np.ones(shape, dtype=np.uint8)).save(tmp_path / f"{name}.png")
    for command in ("distance", "profile"):
        shown = " ".join(call(command, tmp_path / "a.png", tmp_path / "b.png").stdout.split())
        assert "a grey image of 5 x 4 pixels and a grey image of 6 x 4 pixels" in shown
        assert "different sizes" not in call(command, tmp_path / "a.png", tmp_path / "c.png").stdout
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
        (("a.csv", "a.csv", "--p", "0.5"), "p must be at least 1"),
        (("a.csv", "a.csv", "--p", "nan"), "p must not be NaN"),
        (("a.csv", "a.csv", "--k", "-1"), "k must be finite and at least 0"),
        (("a.csv", "a.csv", "--diameter", "0"), "diameter must be finite and positive"),
        (("a.csv", "a.csv", "--metric", "cosine"), "triangle inequality, so RPW would not be a metric; choose one of"),
        (("a.csv", "a.csv", "--solver", "magic"), "magic"),
        (("a.csv", "a.csv", "--solver", "lmr"), "tol"),
    ],
)
def test_user_mistakes_are_one_line_on_stderr(diracs, arguments, message):
    folder = diracs[0].parent
    (folder / "wide.csv").write_text("1,2,3\n")
    (folder / "bad.csv").write_text("1,2\n3\n")
    (folder / "odd.xyz").write_text("1,2\n")
    files = [folder / name for name in arguments[:2]]
    assert message in complaint("distance", *files, *arguments[2:])
    assert message in complaint("distance", *files, *arguments[2:], "--json")


def test_ctrl_c_ends_with_130(tmp_path):
    rng = np.random.default_rng(0)
    x = np.arange(9000.0)
    np.savez(tmp_path / "a.npz", points=x, weights=rng.dirichlet(np.ones(9000)))
    np.savez(tmp_path / "b.npz", points=x + 9000, weights=rng.dirichlet(np.ones(9000)))
    command = [sys.executable, "-m", "rpw.cli", "distance", tmp_path / "a.npz", tmp_path / "b.npz", "--k", "1e6"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT) as child:
        time.sleep(3)
        child.send_signal(signal.SIGINT)
        try:
            output, errors = child.communicate(timeout=30)
        finally:
            child.kill()
    assert (child.returncode, output, errors) == (130, "", "rpw: interrupted\n")


# ---------------------------------------------------------------- rpw profile


def test_profile_of_planted_points(tmp_path):
    """Half of the mass stays at 0, the other half moves by 4 (p = 1): F is 0 up to 1/2, then of slope 4."""
    (tmp_path / "a.csv").write_text("0\n5\n")
    (tmp_path / "b.csv").write_text("0\n1\n")
    found = answer("profile", tmp_path / "a.csv", tmp_path / "b.csv", "--p", "1", "--k", "4")
    np.testing.assert_allclose(found["mass"], [0, 0.5, 1], atol=1e-12)
    np.testing.assert_allclose(found["cost_p"], [0, 0, 2], atol=1e-12)
    assert found["elbow"] == pytest.approx(0.5)
    assert found["distances"]["4"] == pytest.approx(0.25, abs=1e-12)  # 4 (1/2 - ε) = 4 ε
    assert set(found["distances"]) == {"0.1", "1", "4", "10"}
    assert "W at 100%" in call("profile", tmp_path / "a.csv", tmp_path / "b.csv").stdout


def test_profile_draws_a_picture(diracs):
    picture = diracs[0].parent / "out.png"
    assert answer("profile", *diracs, "--plot", picture)["plot"] == str(picture)
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert "out.svg" in call("profile", *diracs, "--plot", picture.with_suffix(".svg"), "--p", "inf").stdout.replace(
        "\n", ""
    ).replace(" ", "")


def test_profile_refuses_pictures_that_it_cannot_write(diracs):
    folder = diracs[0].parent
    assert "must end in one of" in complaint("profile", *diracs, "--plot", folder / "out.xyz")
    assert "there is no folder" in complaint("profile", *diracs, "--plot", folder / "nowhere" / "out.png")


# ---------------------------------------------------------------- rpw pairwise


@needs_pairwise
def test_pairwise_is_a_loop_over_distance_and_resumes(clouds, tmp_path):
    zarr = pytest.importorskip("zarr")
    folder, points = clouds
    out = tmp_path / "D.zarr"
    found = answer("pairwise", folder, "--out", out, "--p", "1", "--k", "0.5", "--n-threads", "2")
    expected = np.array([[rpw.distance(x, y, p=1, k=0.5) for y in points] for x in points])
    matrix = np.asarray(zarr.open(out, mode="r")[:])
    np.testing.assert_array_equal(matrix, expected)
    assert found["shape"] == [5, 5]
    assert found["rows"] == [f"cloud{number}.npy" for number in range(5)]
    assert found["resumed"] is False
    assert found["largest"] == expected.max()
    assert found["smallest"] == expected[~np.eye(5, dtype=bool)].min()
    shown = call("pairwise", folder, "--out", out, "--p", "1", "--k", "0.5", "--n-threads", "2").stdout
    assert "5 x 5" in shown
    assert "(already complete)" in shown
    next((out / ".rpw" / "done").iterdir()).unlink()
    shown = call("pairwise", folder, "--out", out, "--p", "1", "--k", "0.5", "--n-threads", "2").stdout
    assert "(continued)" in shown
    again = answer("pairwise", folder, "--out", out, "--p", "1", "--k", "0.5")
    assert (again["resumed"], again["already_complete"]) == (True, True)
    complaint("pairwise", folder, "--out", out, "--p", "2")  # other parameters: not the same matrix


@needs_pairwise
def test_pairwise_between_two_collections_and_other_distances(clouds, tmp_path):
    zarr = pytest.importorskip("zarr")
    folder, points = clouds
    np.save(tmp_path / "queries.npy", np.array(points[:2]) + 0.01)
    queries = np.array(points[:2]) + 0.01
    call("pairwise", tmp_path / "queries.npy", "--b", folder, "--out", tmp_path / "W", "--distance", "wasserstein")
    expected = [[rpw.wasserstein(x, y) for y in points] for x in queries]
    np.testing.assert_array_equal(zarr.open(tmp_path / "W", mode="r")[:], expected)
    call("pairwise", tmp_path / "queries.npy", "--out", tmp_path / "R", "--distance", "robot", "--lam", "0.2")
    np.testing.assert_array_equal(
        zarr.open(tmp_path / "R", mode="r")[:], [[rpw.robot(x, y, lam=0.2) for y in queries] for x in queries]
    )


@needs_pairwise
def test_the_store_knows_the_names_of_rows_and_columns(clouds, tmp_path):
    zarr = pytest.importorskip("zarr")
    folder, points = clouds
    np.save(tmp_path / "queries.npy", np.array(points[:2]) + 0.01)
    out = tmp_path / "D.zarr"
    arguments = ("pairwise", tmp_path / "queries.npy", "--b", folder, "--out", out)
    rpw.pairwise(list(np.array(points[:2]) + 0.01), points, out=out)  # without names
    assert "rows" not in zarr.open(out, mode="r").attrs
    before = zarr.open(out, mode="r")[:]
    names = [f"cloud{number}.npy" for number in range(5)]
    assert answer(*arguments)["already_complete"]
    stored = zarr.open(out, mode="r")
    assert (stored.attrs["rows"], stored.attrs["columns"]) == (["0", "1"], names)
    assert stored.attrs["distance"] == "rpw"
    np.testing.assert_array_equal(stored[:], before)
    (folder / "cloud0.npy").rename(folder / "a.npy")  # the same measures in the same order: only a name is new
    next((out / ".rpw" / "done").iterdir()).unlink()
    answer(*arguments)
    assert zarr.open(out, mode="r").attrs["columns"] == ["a.npy", *names[1:]]
    rpw.pairwise(list(np.array(points[:2]) + 0.01), points, out=out)  # Python keeps them
    assert zarr.open(out, mode="r").attrs["columns"] == ["a.npy", *names[1:]]
    complaint(*arguments, "--k", "3")
    assert zarr.open(out, mode="r").attrs["k"] == 1


@needs_pairwise
def test_pairs_that_fail_do_not_cost_the_names(tmp_path):
    zarr = pytest.importorskip("zarr")
    np.save(tmp_path / "a.npy", np.array([[[1.0, 2.0]], [[3.0, 4.0]], [[0.0, 0.0]]]))  # no distribution: NaN
    assert "failed" in complaint("pairwise", tmp_path / "a.npy", "--out", tmp_path / "D", "--metric", "jensenshannon")
    assert zarr.open(tmp_path / "D", mode="r").attrs["rows"] == ["0", "1", "2"]


@pytest.mark.parametrize("ending", [".csv", ".TSV", ".npy", ".npz"])
def test_the_matrix_as_a_file_of_the_format_that_was_asked_for(clouds, tmp_path, ending):
    folder, points = clouds
    (folder / "cloud4.npy").rename(folder / 'odd, "name"\t5.npy')
    np.save(tmp_path / "queries.npy", np.array(points[:2]) + 0.01)
    out = tmp_path / f"D{ending}"
    out.write_text("what was there before")
    span = rpw.diameter(points, list(np.array(points[:2]) + 0.01))
    expected = np.array([[rpw.distance(x, y + 0.01, p=1, diameter=span) for y in points[:2]] for x in points])
    found = answer("pairwise", folder, "--b", tmp_path / "queries.npy", "--out", out, "--p", "1", "--diameter", "auto")
    assert (found["shape"], found["diameter"], found["resumed"]) == ([5, 2], span, False)
    assert found["largest"] == expected.max()
    rows, columns = [*(f"cloud{number}.npy" for number in range(4)), 'odd, "name"\t5.npy'], ["0", "1"]
    if ending == ".npy":
        matrix = np.load(out)
    elif ending == ".npz":
        with np.load(out) as stored:
            matrix = stored["distances"]
            assert (stored["rows"].tolist(), stored["columns"].tolist()) == (rows, columns)
            assert (str(stored["distance"]), float(stored["p"]), float(stored["diameter"])) == ("rpw", 1, span)
    else:
        with open(out, newline="") as stream:
            table = list(csv.reader(stream, delimiter="," if ending == ".csv" else "\t"))
        assert table[0] == ["", *columns]
        assert [row[0] for row in table[1:]] == rows
        matrix = np.array([row[1:] for row in table[1:]], dtype=float)
    np.testing.assert_array_equal(matrix, expected)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([out.name, "clouds", "queries.npy"])


def test_pairs_that_fail_are_nan_in_the_file(tmp_path):
    np.save(tmp_path / "a.npy", np.array([[[1.0, 2.0]], [[3.0, 4.0]], [[0.0, 0.0]]]))  # no distribution: NaN
    out = tmp_path / "D.npy"
    assert "failed" in complaint("pairwise", tmp_path / "a.npy", "--out", out, "--metric", "jensenshannon")
    assert np.isnan(np.load(out)).tolist() == [[False, False, True], [False, False, True], [True, True, False]]


def test_files_that_cannot_be_written_are_refused_before_the_work(clouds, tmp_path):
    folder, points = clouds
    assert "in .csv, .tsv, .npy, .npz, or to a Zarr store" in complaint("pairwise", folder, "--out", tmp_path / "D.txt")
    (tmp_path / "folder.csv").mkdir()
    assert "is a folder" in complaint("pairwise", folder, "--out", tmp_path / "folder.csv")
    assert "there is no folder" in complaint("pairwise", folder, "--out", tmp_path / "nowhere" / "D.csv")
    assert "where it would be taken for a measure" in complaint("pairwise", folder, "--out", folder / "D.csv")
    np.save(tmp_path / "all.npy", np.array(points))
    before = (tmp_path / "all.npy").read_bytes()
    for arguments in (("all.npy",), ("clouds", "--b", "all.npy")):
        given = [name if name.startswith("--") else tmp_path / name for name in arguments]
        assert "is what is read" in complaint("pairwise", *given, "--out", tmp_path / "all.npy")
    assert (tmp_path / "all.npy").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["all.npy", "clouds", "folder.csv"]


@needs_pairwise
def test_a_store_that_is_there_keeps_its_name(clouds, tmp_path):
    pytest.importorskip("zarr")
    folder, points = clouds
    rpw.pairwise(points, out=tmp_path / "D.v1")
    assert answer("pairwise", folder, "--out", tmp_path / "D.v1")["already_complete"]


@needs_pairwise
def test_one_file_is_not_files(clouds, tmp_path):
    folder, _ = clouds
    (folder / "README.md").write_text("no data")
    assert "1 file of unknown kind" in call("pairwise", folder, "--out", tmp_path / "D").stdout
    (folder / "notes.md").write_text("no data")
    assert "2 files of unknown kind" in call("pairwise", folder, "--out", tmp_path / "D").stdout


@needs_pairwise
def test_pairwise_of_histograms_and_automatic_diameter(tmp_path):
    zarr = pytest.importorskip("zarr")
    rng = np.random.default_rng(0)
    histograms, support = rng.random((4, 6)), 7 * rng.random((6, 2))
    np.savez(tmp_path / "h.npz", histograms=histograms, support=support)
    found = answer("pairwise", tmp_path / "h.npz", "--out", tmp_path / "D", "--diameter", "auto")
    delta = rpw.diameter(support)
    assert found["diameter"] == delta
    expected = [[rpw.distance(support, support, a, b, diameter=delta) for b in histograms] for a in histograms]
    np.testing.assert_array_equal(zarr.open(tmp_path / "D", mode="r")[:], expected)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--distance", "wasserstein", "--k", "1"), "--k means nothing to --distance wasserstein"),
        (("--distance", "robot"), "--distance robot needs --lam"),
        (("--mass", "0.5"), "--mass means nothing to --distance rpw"),
        (("--distance", "total_variation", "--p", "1"), "--p means nothing"),
    ],
)
def test_options_that_do_not_belong_to_the_distance_are_refused(clouds, tmp_path, options, message):
    assert message in complaint("pairwise", clouds[0], "--out", tmp_path / "D", *options)
    assert not (tmp_path / "D").exists()


@needs_pairwise
def test_pairwise_refuses_what_is_no_collection(diracs, tmp_path):
    assert "holds one measure" in complaint("pairwise", diracs[0], "--out", tmp_path / "D")
    assert "No such file" in complaint("pairwise", tmp_path / "missing.npz", "--out", tmp_path / "D")


# ---------------------------------------------------------------- rpw index, rpw search


@needs_index
def test_search_finds_the_nearest_in_order(clouds, tmp_path):
    folder, points = clouds
    query = points[0] + np.array([0.12, 0])
    np.save(tmp_path / "q.npy", query)
    built = answer("index", folder, "--out", tmp_path / "I", "--p", "1")
    assert built["measures"] == 5
    found = answer("search", tmp_path / "I", tmp_path / "q.npy", "--top", "3")["queries"]
    assert [query["query"] for query in found] == ["q.npy"]
    assert [hit["index"] for hit in found[0]["nearest"]] == [1, 0, 2]  # shifts 0.1, 0 and 0.25 beside 0.12
    assert [hit["name"] for hit in found[0]["nearest"]] == ["cloud1.npy", "cloud0.npy", "cloud2.npy"]
    for hit in found[0]["nearest"]:
        assert hit["distance"] == rpw.distance(query, points[hit["index"]], p=1)
    assert "cloud1.npy" in call("search", tmp_path / "I", tmp_path / "q.npy").stdout


@needs_index
def test_search_for_several_queries_with_labels(tmp_path):
    images = np.zeros((4, 1, 5), dtype=np.uint8)
    images[range(4), 0, range(4)] = 1
    np.savez(tmp_path / "images.npz", images=images, labels=np.array([7, 8, 9, 9]))
    call("index", tmp_path / "images.npz", "--out", tmp_path / "I")
    found = answer("search", tmp_path / "I", tmp_path / "images.npz", "--top", "2")["queries"]
    assert [[hit["label"] for hit in query["nearest"]] for query in found] == [[7, 8], [8, 7], [9, 8], [9, 9]]
    assert [query["nearest"][0]["distance"] for query in found] == [0] * 4
    assert "label" in call("search", tmp_path / "I", tmp_path / "images.npz", "--top", "4").stdout


@needs_index
def test_names_of_another_index_are_not_shown(clouds, tmp_path):
    folder, _ = clouds
    call("index", folder, "--out", tmp_path / "I")
    (folder / "cloud0.npy").rename(folder / "zero.npy")
    call("index", folder, "--out", tmp_path / "J")
    (tmp_path / "J.names.json").replace(tmp_path / "I.names.json")
    arguments = ("search", tmp_path / "I", folder / "cloud1.npy", "--top", "1")
    assert answer(*arguments)["queries"][0]["nearest"] == [{"distance": 0.0, "index": 1}]
    assert answer(*arguments)["note"] == "I.names.json belongs to another index: neighbours have numbers only"
    assert "I.names.json belongs to another index" in " ".join(call(*arguments).stdout.split())
    (tmp_path / "I.names.json").unlink()
    assert "there is no I.names.json beside the index" in " ".join(call(*arguments).stdout.split())
    (tmp_path / "I.names.json").write_text("[")
    assert "I.names.json cannot be read" in " ".join(call(*arguments).stdout.split())


@needs_index
def test_the_file_of_names_is_announced(clouds, tmp_path):
    folder, _ = clouds
    assert "I.names.json" in call("index", folder, "--out", tmp_path / "I").stdout.replace("\n", "").replace(" ", "")
    assert answer("index", folder, "--out", tmp_path / "I")["names"] == str(tmp_path / "I.names.json")
    found = call("search", tmp_path / "I", folder / "cloud1.npy")
    assert "note" not in found.stdout
    assert found.stderr == ""


@needs_index
@pytest.mark.parametrize("command", ["search", "pairwise"])
def test_progress_is_shown_on_a_terminal(clouds, tmp_path, command):
    termios = pytest.importorskip("termios")
    folder, _ = clouds
    call("index", folder, "--out", tmp_path / "I")
    arguments = ("search", tmp_path / "I", folder) if command == "search" else ("pairwise", folder, "--out")
    counted = "5 queries" if command == "search" else "10 pairs"
    for extra, is_shown in ((), True), (("--json",), False):
        if command == "pairwise":
            extra = (tmp_path / f"D{is_shown}.csv", *extra)
        reading, writing = os.openpty()
        termios.tcsetwinsize(writing, (24, 80))
        line = [sys.executable, "-m", "rpw.cli", *arguments, *extra]
        environment = {**ENVIRONMENT, "TERM": "xterm"}
        subprocess.run(line, stdout=subprocess.PIPE, stderr=writing, timeout=60, env=environment, check=True)
        os.write(writing, b"end")
        shown = os.read(reading, 100_000).decode()
        os.close(reading)
        os.close(writing)
        assert shown == "end" or is_shown
        assert (f"100% 0:00 left {counted}" in plain(shown)) == is_shown


@needs_index
def test_search_refuses_what_is_no_index(diracs, tmp_path):
    assert "no such index" in complaint("search", tmp_path / "missing", diracs[0])
    assert complaint("search", diracs[0], diracs[1]) == f"rpw: {diracs[0]} is not an rpw index\n"
