"""The command itself: help, wrong usage, completion, extras, and what all commands share."""

import os
import re

import numpy as np
import pytest
from children import forked_command, run, run_command
from commands import answer, call, complaint

import rpw


def without_times(text):
    return re.sub(r'[-+.e\d]+ s$|(?<="seconds": )[-+.e\d]+', "?", text, flags=re.MULTILINE)


@pytest.mark.thorough
def test_a_fork_is_the_command(clouds, tmp_path):
    """Most tests run commands in forks of a process that has everything imported: nobody must see a difference."""
    folder, _ = clouds
    one, other = folder / "cloud0.npy", folder / "cloud3.npy"
    for arguments in (
        ("distance", one, other),
        ("profile", one, other, "--json"),
        ("pairwise", folder, "--out", tmp_path / "D.csv"),
        ("index", folder, "--out", tmp_path / "I"),
        ("search", tmp_path / "I", other),
        ("search", tmp_path / "J", other),
        ("search",),
    ):
        fork, command = forked_command(*arguments), run_command(*arguments)
        assert without_times(fork.stdout) == without_times(command.stdout)
        assert (fork.returncode, fork.stderr) == (command.returncode, command.stderr)


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
        ("outliers", "a.csv"),
        ("diameter",),
        ("diameter", "a.csv", "--quantile", "most"),
        ("distance", "a.csv", "b.csv", "--time-limit", "soon"),
        ("profile", "a.csv"),
        ("profile", "a.csv", "b.csv", "--tol", "little"),
        ("pairwise", "folder"),
        ("pairwise", "folder", "--out", ""),
        ("index", "folder"),
        ("index", "folder", "--out", "I", "--k", "many"),
        ("search", "I"),
    ],
)
def test_a_command_line_that_cannot_be_parsed_is_exit_code_2(arguments):
    done = call(*arguments, code=2)
    assert "Usage" in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        (("pairwise", "folder"), "--out"),
        (("index", "folder"), "--out"),
        (("distance", "a.csv", "b.csv"), "--plan"),
        (("distance", "a.csv", "b.csv"), "--unmatched"),
        (("profile", "a.csv", "b.csv"), "--scores"),
        (("outliers", "a.csv", "b.csv"), "--out"),
        (("profile", "a.csv", "b.csv"), "--plot"),
    ],
)
def test_an_empty_path_is_refused_and_does_not_mean_this_folder(tmp_path, arguments, option):
    for text, kind in (("", "empty"), (" ", "blank"), ("\t ", "blank")):
        done = forked_command(*arguments, option, text, cwd=tmp_path)
        assert done.returncode == 2, done.stderr
        assert f"Invalid value for '{option}': the path is {kind}" in done.stderr
        assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("arguments", [("demo",), ("demo", "--out", "x"), ("reproduce", "retrieval", "--help")])
def test_a_command_that_moved_says_where(arguments):
    assert f"{arguments[0]} is now rpw-paper {arguments[0]}" in complaint(*arguments, code=2)
    assert f" {arguments[0]}" not in call("--help").stdout


PAIR = ("a.csv", "b.csv")  # neither these files nor the folder exist: nothing is read before the options are right
MANY = ("folder", "--out", "D")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        *(
            (("distance", *PAIR, *options), reason)
            for options, reason in (
                (("--p", "0.5"), "--p must be at least 1"),
                (("--p", "nan"), "--p must not be NaN"),
                (("--k", "-1"), "--k must be finite and at least 0"),
                (("--tol", "-1"), "--tol must be"),
                (("--time-limit", "-1"), "--time-limit must be at least 0"),
                (("--diameter", "0"), "--diameter must be finite and positive"),
                (("--diameter", "large"), "--diameter large: is neither auto nor a number"),
                (("--metric", "crow"), "--metric crow: choose one of"),
                (("--metric", "cosine"), "--metric cosine breaks the triangle inequality"),
                (("--solver", "magic"), "--solver magic: choose one of"),
                (("--solver", "lmr"), "--solver lmr is approximate: pass --tol > 0"),
            )
        ),
        *(
            (("profile", *PAIR, *options), reason)
            for options, reason in (
                (("--p", "0"), "--p must be at least 1"),
                (("--k", "1", "--k", "-1"), "--k must be finite and at least 0"),
                (("--k", "1,x"), "--k '1,x' is neither a number"),
                (("--k", ""), "--k '' is neither a number"),
                (("--tol", "nan"), "--tol must"),
                (("--time-limit", "-1"), "--time-limit must be at least 0"),
                (("--diameter", "-3"), "--diameter must be finite and positive"),
                (("--metric", "dice"), "--metric dice"),
                (("--solver", "simplex"), "--solver simplex: choose one of auto, exact"),
                (("--plot", "a.csv"), "--plot a.csv: "),
                (("--plot", "out.xyz"), "--plot out.xyz: choose a file that ends in one of"),
            )
        ),
        *(
            (("pairwise", *MANY, *options), reason)
            for options, reason in (
                (("--p", "0"), "--p must be at least 1"),
                (("--k", "1,-1"), "--k must be finite and at least 0"),
                (("--k", "1,"), "--k '1,' is neither a number"),
                (("--diameter", "nan"), "--diameter must"),
                (("--distance", "euclid"), "--distance euclid: choose one of rpw"),
                (("--distance", "robot", "--lam", "0"), "--lam must be"),
                (("--distance", "partial_wasserstein", "--mass", "2"), "--mass must lie in [0, 1]"),
                (("--distance", "partial_wasserstein"), "--mass is missing: --distance partial_wasserstein needs it"),
                (("--mass", "0.5"), "--mass has no effect on --distance rpw"),
                (("--metric", "crow"), "--metric crow: choose one of"),
                (("--device", "gpu"), "--device must be 'cpu', 'cuda' or 'cuda:1'"),
                (("--n-threads", "0"), "--n-threads must be a whole number of at least 1"),
                (("--time-limit", "-1"), "--time-limit must be at least 0"),
                (("--out", "D.txt"), "--out D.txt: a matrix is written to a file in"),
                (("--out", "D.csv", "--k", "1,2"), "--out D.csv: a table holds one matrix"),
            )
        ),
        (("index", *MANY, "--p", "0"), "--p must be at least 1"),
        (("index", *MANY, "--k", "-1"), "--k must be finite"),
        (("index", *MANY, "--diameter", "0"), "--diameter must be finite and positive"),
        (("index", *MANY, "--metric", "crow"), "--metric crow: choose one of"),
        (("index", "folder", "--out", "folder"), "--out folder: is one of the inputs"),
        (("search", "I", "q.csv", "--device", "gpu"), "--device must be 'cpu', 'cuda' or 'cuda:1'"),
        (("search", "I", "q.csv", "--top", "0"), "--top must be a whole number of at least 1"),
        (("outliers", *PAIR, "--seed", "-1"), "--seed must be a whole number of at least 0"),
    ],
)
def test_options_that_make_no_sense_are_exit_code_2_in_one_line(arguments, reason):
    for extra in ((), ("--json",)):
        text = complaint(*arguments, *extra, code=2)
        assert text.startswith("rpw: ")
        assert reason in text
        assert "callable" not in text
        assert "cost=" not in text


def test_wrong_data_are_exit_code_1(tmp_path, clouds):
    folder, _ = clouds
    good = folder / "cloud0.npy"
    (bad := tmp_path / "bad.csv").write_text("1,2\n3\n")
    (wide := tmp_path / "wide.csv").write_text("1,2,3\n")
    call("index", folder, "--out", tmp_path / "I")
    for arguments in (
        *(
            (command, good, other)
            for command in ("distance", "profile")
            for other in (bad, wide, tmp_path / "none.csv")
        ),
        ("profile", good, good, "--plot", tmp_path / "nowhere" / "out.png"),
        ("pairwise", tmp_path / "none", "--out", tmp_path / "D"),
        ("pairwise", bad, "--out", tmp_path / "D"),
        ("pairwise", folder, "--out", tmp_path / "nowhere" / "D.csv"),
        ("index", tmp_path / "none", "--out", tmp_path / "J"),
        ("search", tmp_path / "none", good),
        ("search", tmp_path / "I", bad),
        ("search", bad, good),
    ):
        complaint(*arguments, code=1)
    text = complaint("search", tmp_path / "I", wide)
    assert text == f"rpw: {wide}: its points have 3 coordinates, those of {tmp_path / 'I'} have 2\n"


def test_images_are_not_compared_with_tables(tmp_path):
    pixels = np.arange(1, 13, dtype=np.uint8).reshape(3, 4)
    pictures, tables, mixed = (tmp_path / name for name in ("pictures", "tables", "mixed"))
    for place in (pictures, tables, mixed):
        place.mkdir()
    for place in (pictures, mixed):
        pytest.importorskip("PIL.Image").fromarray(pixels).save(place / "a.png")
    for place in (tables, mixed):
        (place / "b.csv").write_text("0.1,0.2\n")
    image, table = pictures / "a.png", tables / "b.csv"
    for command in ("distance", "profile"):
        assert f"{table}: is a table, and {image} is an image: " in complaint(command, image, table)
        assert f"{image}: is an image, and {table} is a table: " in complaint(command, table, image)
    for command in ("pairwise", "index"):
        assert "mixed/b.csv: is a table, and a.png is an image" in complaint(command, mixed, "--out", tmp_path / "D")
    assert "is a table, and" in complaint("pairwise", pictures, "--b", tables, "--out", tmp_path / "D")
    for here, query in ((pictures, table), (tables, image)):
        call("index", here, "--out", tmp_path / "I")
        assert "have nothing to do with" in complaint("search", tmp_path / "I", query)
    np.save(tmp_path / "c.npy", rpw.Measure.from_image(pixels).points)  # arrays may hold the places of pixels
    for other in (image, table):
        call("distance", other, tmp_path / "c.npy")


def test_a_shell_can_complete_commands_and_options():
    for words, expected in (
        ("rpw pair", ["pairwise"]),
        ("rpw pairwise D --distance w", ["wasserstein"]),
        ("rpw distance a.csv b.csv --metric ch", ["chebyshev"]),
        ("rpw distance a.csv b.csv --solver w", ["walk"]),
        ("rpw profile a.csv b.csv --solver e", ["exact"]),
    ):
        position = str(len(words.split()) - 1)
        shown = call(_RPW_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=position).stdout
        assert shown.split() == expected, words
    assert "--install-completion" in call("--help").stdout


@pytest.mark.parametrize("missing", ["typer", "rich"])
def test_without_the_extra_the_command_says_what_to_install(missing):
    code = f"import sys; sys.modules[{missing!r}] = None; from rpw.cli import main; main()"
    done = run("-c", code)
    assert done.returncode == 1
    assert done.stderr == "the command line needs typer and rich: pip install typer rich\n"
    assert done.stdout == ""


def test_the_package_can_be_run_as_the_command():
    for arguments in (["--version"], ["distance", "--help"], ["nonsense"]):
        done, expected = run("-m", "rpw", *arguments), run_command(*arguments)
        assert (done.returncode, done.stdout, done.stderr) == (
            expected.returncode,
            expected.stdout,
            expected.stderr,
        )
    assert run("-m", "rpw", "--version").stdout.strip().endswith(rpw.__version__)


def test_import_of_rpw_loads_no_command_line():
    code = "import sys, rpw, rpw.readers, rpw.cli; print({'typer', 'rich', 'PIL', 'pyarrow'} & set(sys.modules))"
    done = run("-c", code)
    assert done.stdout == "set()\n"


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
    found = answer("pairwise", base, "--b", swapped, "--out", tmp_path / "D")
    assert (found["smallest"], found["largest"]) == (0, one)
    (swapped / "b.csv").write_text("x,y\n0.6,0.3\n")
    assert "has the columns x, y, and" in complaint("distance", base / "a.csv", swapped / "b.csv")
    assert "has the columns x, y, and" in complaint("search", tmp_path / "I", swapped / "b.csv")


REACHED = "the points span more than 2, and diameter was left at 1"


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
        done = call(name, *arguments)
        assert " ".join(done.stdout.split()).count(REACHED) == 1
        assert not done.stderr  # no warning of Python as well
        assert answer(name, *arguments)["note"].startswith(REACHED)
        for given in ("1", "0.5", "7"):  # whoever passes one means it
            other = [tmp_path / f"D{given}.zarr" if part == tmp_path / "D.zarr" else part for part in arguments]
            assert "points span" not in call(name, *other, "--diameter", given).stdout
        if name != "profile":
            k0 = [tmp_path / "D0.zarr" if part == tmp_path / "D.zarr" else part for part in arguments]
            assert "points span" not in call(name, *k0, "--k", "0").stdout
