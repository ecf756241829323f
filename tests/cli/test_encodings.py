"""What a terminal cannot show is escaped, and nothing else of the output is lost."""

import json
import re

import numpy as np
import pytest
from children import ENVIRONMENT, run_command

RNG = np.random.default_rng(0)
TIME = re.compile(r"[0-9.e+-]+ ?s(?![a-z])")


@pytest.fixture
def files(tmp_path):
    """Two tables whose names, and whose columns, have signs that cp1252 lacks."""
    for name, shift in (("before ≥ α.csv", 0.0), ("after → β.csv", 6.0)):
        rows = RNG.normal(40 + shift, 5, (60, 2))
        np.savetxt(tmp_path / name, rows, delimiter=",", header="größe,länge Δ", comments="", encoding="utf-8")
    return "before ≥ α.csv", "after → β.csv"


def shown(folder, encoding, *arguments):
    """What a process of its own prints under this encoding, as a text."""
    environment = {**ENVIRONMENT, "PYTHONIOENCODING": encoding}
    done = run_command(*arguments, cwd=folder, env=environment, encoding=encoding)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def words(text, encoding="utf-8"):
    """Without blanks, for longer words fold the lines elsewhere; and without times."""
    escaped = text.encode(encoding, "backslashreplace").decode(encoding)
    return "".join(TIME.sub("", " ".join(escaped.split())).split())


COMMANDS = {
    "drift": ("drift",),
    "distance": ("distance", "--diameter", "30"),
    "outliers": ("outliers", "--fdr", "0.2"),
}


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
@pytest.mark.parametrize("command", COMMANDS)
def test_the_whole_result_is_shown(tmp_path, files, command, encoding):
    name, *options = COMMANDS[command]
    line = (name, *files, *options)
    expected = shown(tmp_path, "utf-8", *line)
    assert "≥" in expected
    if command == "drift":  # there the signs of the table itself have plain ones for them
        expected = expected.replace("changed ≥", "changed >=")
        expected = expected.replace("–", "-") if encoding == "ascii" else expected
    assert words(shown(tmp_path, encoding, *line)) == words(expected, encoding)


@pytest.mark.parametrize("command", COMMANDS)
def test_json_stays_json(tmp_path, files, command):
    name, *options = COMMANDS[command]
    line = (name, *files, *options, "--json")
    answers = [json.loads(shown(tmp_path, encoding, *line)) for encoding in ("utf-8", "ascii")]
    first, second = ({**answer, "seconds": 0} for answer in answers)
    assert first == second
