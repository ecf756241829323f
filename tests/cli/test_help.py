"""The help of every command: examples that can be run, choices, a sentence for every option."""

import re
import shlex

import pytest
import typer
from commands import call
from typer.testing import CliRunner

from rpw.cli._app import app
from rpw.pair.metrics import METRICS
from rpw.pair.options import SOLVERS
from rpw.pair.question import DISTANCES

ROOT = typer.main.get_command(app)
COMMANDS = {name: each for name, each in ROOT.commands.items() if not each.hidden}
every_command = pytest.mark.parametrize("name", COMMANDS)


def examples_of(command):
    return command.epilog.split("\n\n")[1:]


def options_of(command):
    return [each for each in command.params if each.param_type_name == "option"]


@every_command
@pytest.mark.parametrize("width", [80, 60])
def test_a_help_fits_the_terminal_and_shows_every_option(name, width):
    shown = call(name, "--help", COLUMNS=str(width)).stdout
    assert all(len(line) <= width for line in shown.splitlines())
    for each in options_of(COMMANDS[name]):
        assert each.opts[0] in shown
        assert each.help.endswith("."), each.help


@every_command
def test_examples_can_be_parsed(name):
    examples = examples_of(COMMANDS[name])
    assert any(line.startswith(f"rpw {name} ") for line in examples)
    for line in examples:
        _, called, *words = shlex.split(line)
        COMMANDS[called].make_context(called, words)


def choices_of(option):
    listed = re.search(r"One of: (.*?)\.$", option.help or "")
    return listed[1].split(", ") if listed else []


WITH_CHOICES = {
    (name, each.opts[0]): each for name in COMMANDS for each in options_of(COMMANDS[name]) if choices_of(each)
}


def test_options_with_a_fixed_set_list_it():
    found = {place: choices_of(option) for place, option in WITH_CHOICES.items()}
    assert found["distance", "--solver"] == found["pairwise", "--solver"] == list(SOLVERS)
    assert found["profile", "--solver"] == ["auto", "exact", "walk", "points", "lmr"]
    assert found["index", "--metric"] == found["outliers", "--metric"] == list(METRICS)
    assert found["pairwise", "--distance"] == list(DISTANCES)
    assert found["drift", "--fail-on"] == ["drift", "any"]
    assert found["pairwise", "--on-error"] == ["raise", "nan"]
    assert found["outliers", "--scale"] == ["none", "robust"]


@pytest.mark.parametrize(("name", "flag"), WITH_CHOICES)
def test_what_is_none_of_the_choices_is_refused_with_the_list(name, flag):
    """Before anything is read: the files do not exist."""
    arguments = [f"{each.name}.csv" for each in COMMANDS[name].params if each.param_type_name == "argument"]
    needed = [word for each in options_of(COMMANDS[name]) if each.required for word in (each.opts[0], "out.npz")]
    done = CliRunner().invoke(app, [name, *arguments, *needed, flag, "nonsense"], prog_name="rpw")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == f"rpw: {flag} nonsense: choose one of {', '.join(choices_of(WITH_CHOICES[name, flag]))}\n"


def test_without_a_command_there_is_the_help_and_code_2():
    done = call(code=2)
    assert done.stderr == ""
    assert done.stdout.strip() == call("--help").stdout.strip()
    assert "Compare two files" in done.stdout


def test_a_terminal_that_knows_few_signs():
    assert "\\u0394" in call("diameter", "--help", PYTHONIOENCODING="ascii").stdout
