"""The command line, run as users run it: a child process, its exit code, its stdout and its stderr."""

import json

import pytest
from children import ENVIRONMENT, forked_command, run_command


def call(*arguments, code=0, **environment):
    """Run ``rpw`` and check its exit code, that no line is too wide and that no traceback is shown."""
    is_for_the_interpreter = any(name.startswith("PYTHON") for name in environment)
    run = run_command if is_for_the_interpreter else forked_command
    done = run(*arguments, timeout=120, env={**ENVIRONMENT, **environment})
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    lines = done.stdout.splitlines()
    if "--json" not in arguments and not done.stdout.lstrip().startswith("Usage"):  # the help is typer's
        assert all(len(line) <= 80 for line in lines), done.stdout
        assert len(lines) <= 40
        assert all(line == line.rstrip() for line in lines), "blanks at the end of a line"
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
