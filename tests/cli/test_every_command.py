"""The command itself: help, wrong usage, completion, extras, and what all commands share."""

import re

import pytest
from children import forked_command, run, run_command
from commands import answer, call, complaint

import rpw


def without_times(text):
    return re.sub(r'[-+.e\d]+ s$|(?<="seconds": )[-+.e\d]+', "?", text, flags=re.MULTILINE)


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
