"""The help of every command: examples, choices, words for what is meant, at any width."""

import re
import shlex
from types import SimpleNamespace

import pytest
import typer
from commands import call
from typer.testing import CliRunner

from rpw.cli import _help
from rpw.cli._app import app
from rpw.pair.metrics import METRICS
from rpw.pair.question import DISTANCES, SOLVERS

ROOT = typer.main.get_command(app)


def walk(command=ROOT, path=()):
    """Every command and group, with the words that call it."""
    yield path, command
    for name, each in getattr(command, "commands", {}).items():
        if not each.hidden:
            yield from walk(each, (*path, name))


ALL = dict(walk())
NAMES = [" ".join(path) or "rpw itself" for path in ALL]
every_command = pytest.mark.parametrize("path", ALL, ids=NAMES)


def shown(path, width=80):
    done = CliRunner().invoke(app, [*path, "--help"], env={"COLUMNS": str(width)}, prog_name="rpw")
    assert done.exit_code == 0, done.output
    return done.output


def words(text):
    return " ".join(text.split())


def examples_of(text):
    lines = text.partition("Examples:\n")[2].splitlines()
    return [line.strip() for line in lines if not line.strip().startswith("#")]


def options_of(command):
    return [each for each in command.params if each.param_type_name == "option"]


def test_there_are_commands():
    assert {("distance",), ("outliers",), ("diameter",)} < set(ALL)


@every_command
def test_a_help_has_examples_and_no_types_of_python(path):
    text = shown(path)
    assert text.startswith("Usage: rpw")
    assert len(examples_of(text)) >= 2
    assert not re.search(r"<|\bbool\b|\bfloat\b|\bint range\b|VALUE", text)
    assert not re.search(r"\bNone\b|\bI\b", text)


@every_command
@pytest.mark.parametrize("width", [120, 80, 60, 40])
def test_a_help_fits_the_terminal(path, width):
    text = shown(path, width)
    example_lines = text.partition("Examples:\n")[2].splitlines()
    lines = text.partition("Examples:\n")[0].splitlines()
    assert all(len(line) <= min(width, 80) for line in lines), max(lines, key=len)
    assert all(len(line) <= 65 for line in example_lines)  # so that they can be copied as they are
    if width >= 60:
        assert all(len(line) <= 60 or width > 60 for line in example_lines if not line.strip().startswith("rpw"))
    assert words(text) == words(shown(path)), "the same words at every width"
    assert all(line == line.rstrip() for line in text.splitlines())


@every_command
def test_every_option_is_explained_by_a_sentence(path):
    text = words(shown(path))
    for each in options_of(ALL[path]):
        assert each.help, each.opts
        assert each.opts[0] in text
        assert each.is_flag or each.metavar, each.opts
        assert each.name in ("install_completion", "show_completion") or each.help.rstrip().endswith("."), each.help


def parsed(line):
    """What an example asks for, read by the command that it names; raises for an option that is not there."""
    words_, command, path = shlex.split(line)[1:], ROOT, ()
    while words_ and words_[0] in getattr(command, "commands", {}):
        path, command = (*path, words_[0]), command.commands[words_[0]]
        words_ = words_[1:]
    if "--help" not in words_:
        command.make_context(path[-1], words_)
    return path


@every_command
def test_examples_can_be_parsed_and_are_of_that_command(path):
    called = [parsed(line) for line in examples_of(shown(path))]
    assert any(each[: len(path)] == path for each in called)
    assert all(each for each in called)


def choices_of(option):
    listed = re.search(r"One of: (.*?)\.$", option.help or "")
    return listed[1].split(", ") if listed else []


WITH_CHOICES = [(path, each) for path, command in ALL.items() for each in options_of(command) if choices_of(each)]


def test_options_with_a_fixed_set_list_it():
    found = {(path[-1], option.opts[0]): choices_of(option) for path, option in WITH_CHOICES}
    assert found["distance", "--solver"] == found["pairwise", "--solver"] == list(SOLVERS)
    assert found["profile", "--solver"] == ["auto", "exact", "walk", "points", "lmr"]
    assert found["index", "--metric"] == found["outliers", "--metric"] == list(METRICS)
    assert found["pairwise", "--distance"] == list(DISTANCES)
    assert found["search", "--device"] == ["cpu", "cuda", "cuda:N"]
    assert found["drift", "--fail-on"] == ["drift", "any"]
    assert found["pairwise", "--on-error"] == ["raise", "nan"]
    assert found["outliers", "--scale"] == ["none", "robust"]
    for path, command in ALL.items():
        for option in options_of(command):
            if option.name in ("solver", "metric", "device", "distance", "score", "scale", "on_error"):
                assert (path, option) in WITH_CHOICES


NAMES_OF_OPTIONS = [" ".join([*path, option.opts[0]]) for path, option in WITH_CHOICES]


@pytest.mark.parametrize(("path", "option"), WITH_CHOICES, ids=NAMES_OF_OPTIONS)
def test_what_is_none_of_the_choices_is_refused_with_the_list(path, option):
    """Before anything is read: the files do not exist."""
    arguments = [f"{each.name}.csv" for each in ALL[path].params if each.param_type_name == "argument"]
    needed = [word for each in options_of(ALL[path]) if each.required for word in (each.opts[0], "out.npz")]
    done = CliRunner().invoke(app, [*path, *arguments, *needed, option.opts[0], "nonsense"], prog_name="rpw")
    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr == f"rpw: {option.opts[0]} nonsense: choose one of {', '.join(choices_of(option))}\n"


# ---------------------------------------------------------------- without a command


def test_without_a_command_there_is_the_help_and_code_2():
    done = call(code=2)
    assert done.stderr == ""
    assert done.stdout == call("--help").stdout


def test_commands_stand_in_groups_with_one_line_each():
    lines = shown(()).splitlines()
    for group, names in (
        ("Compare two files:", ["distance", "profile", "explore", "drift", "outliers"]),
        ("Compare many:", ["pairwise", "index", "search", "diameter"]),
    ):
        start = lines.index(group) + 1
        assert [line.split()[0] for line in lines[start : start + len(names)]] == names
        assert lines[start + len(names)] == ""
    assert len(examples_of(shown(()))) == 2


# ---------------------------------------------------------------- the layout itself


def test_names_that_are_long_stand_on_a_line_of_their_own():
    table = _help._table([("--short", "One."), (f"--{'long' * 9}", "Two.")], 80)
    assert table[0].split() == ["--short", "One."]
    assert table[1:] == [f"  --{'long' * 9}", " " * 30 + "Two."]
    assert _help._table([("--short", "One two.")], 60) == ["  --short", "      One two."]


def test_a_default_longer_than_a_line_ends_lines_between_its_words():
    glued = "It. [default:~the~largest~of~all]"
    assert _help._wrapped(glued, 20, "  ") == ["  It. [default: the", "  largest of all]"]
    assert _help._wrapped(glued, 32, "  ") == ["  It.", "  [default: the largest of all]"]


@pytest.mark.parametrize(
    ("facts", "text"),
    [
        ({"default": 2.0, "show_default": True}, "It. [default: 2]"),
        ({"default": None, "show_default": True}, "It."),
        ({"default": None, "show_default": "all cores"}, "It. [default:~all~cores]"),
        ({"default": False, "show_default": True, "is_flag": True}, "It."),
        ({"default": None, "show_default": True, "required": True}, "It. [required]"),
    ],
)
def test_defaults_are_told(facts, text):
    plain = {"param_type_name": "option", "help": "It.", "is_flag": False, "required": False}
    assert _help._text(SimpleNamespace(**{**plain, **facts})).replace("~2", " 2") == text


def test_a_terminal_that_knows_few_signs(tmp_path):
    shown = call("diameter", "--help", PYTHONIOENCODING="ascii").stdout
    assert "One diameter \\u0394 for all the files" in shown
