"""How commands end where they are interrupted early, or cannot print: one line and an exit code, never a traceback."""

import os
import signal
import subprocess
import sys

import pytest
from children import ENVIRONMENT, hear_ctrl_c

# Sends this process Ctrl-C when it begins to import a module, which it would find by itself.
INTERRUPTS = """
import os, signal, sys

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == os.environ["INTERRUPTED_AT"]:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupting())
"""
# What pip writes as the command ``rpw``.
SCRIPT = "import sys\nfrom rpw.cli import main\nif __name__ == '__main__':\n    sys.exit(main())\n"


def run(line, folder, handler=hear_ctrl_c, **options):
    environment = {**ENVIRONMENT, "PYTHONPATH": os.pathsep.join([str(folder), ENVIRONMENT["PYTHONPATH"]])}
    environment |= options.pop("environment", {})
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "timeout": 60, "check": False}
    return subprocess.run(line, env=environment, preexec_fn=handler, **{**pipes, **options})


@pytest.fixture
def lines(tmp_path):
    """The ways to start the command."""
    script = tmp_path / "bin" / "rpw"
    script.parent.mkdir()
    script.write_text(SCRIPT)
    module = [sys.executable, "-m"]
    return {"script": [sys.executable, script], "module": [*module, "rpw"], "inner module": [*module, "rpw.cli"]}


@pytest.mark.sample(4)
@pytest.mark.parametrize("start", ["script", "module", "inner module"])
@pytest.mark.parametrize("moment", ["numpy", "numpy.linalg", "rpw._core", "rpw.pair.ground", "typer", "rpw.cli.search"])
def test_ctrl_c_while_libraries_load(tmp_path, lines, start, moment):
    (tmp_path / "sitecustomize.py").write_text(INTERRUPTS)
    done = run([*lines[start], "--version"], tmp_path, environment={"INTERRUPTED_AT": moment})
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "rpw: interrupted\n")


def test_ctrl_c_that_is_ignored_stays_ignored(tmp_path, lines):
    """As in a job in the background."""
    (tmp_path / "sitecustomize.py").write_text(INTERRUPTS)
    ignoring = {"handler": lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)}
    done = run([*lines["script"], "--version"], tmp_path, environment={"INTERRUPTED_AT": "typer"}, **ignoring)
    assert (done.returncode, done.stderr) == (0, "")


def test_other_programs_keep_their_ctrl_c(tmp_path):
    """Whoever imports rpw decides what an interruption means."""
    (tmp_path / "sitecustomize.py").write_text(INTERRUPTS)
    (tmp_path / "other.py").write_text("try:\n    import rpw\nexcept KeyboardInterrupt:\n    print('heard')\n")
    for line in ([tmp_path / "other.py"], ["-m", "other"]):
        done = run([sys.executable, *line], tmp_path, environment={"INTERRUPTED_AT": "rpw.measure"})
        assert (done.returncode, done.stdout, done.stderr) == (0, "heard\n", "")


# ---------------------------------------------------------------- a stdout or stderr on a full disk

needs_full = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
OUTPUTS = {
    "table": ("distance", "a.csv", "b.csv"),
    "json": ("distance", "a.csv", "b.csv", "--json"),
    "profile": ("profile", "a.csv", "b.csv"),
    "help": ("--help",),
    "help of a command": ("distance", "--help"),
    "no arguments": (),
    "version": ("--version",),
}


@pytest.mark.sample(2)
@needs_full
@pytest.mark.parametrize("unbuffered", ["", "1"], ids=["buffered", "unbuffered"])
@pytest.mark.parametrize("name", OUTPUTS)
def test_a_stdout_that_is_full_is_one_line(tmp_path, diracs, lines, name, unbuffered):
    with open("/dev/full", "w") as full:
        kinds = {"cwd": tmp_path, "stdout": full, "environment": {"PYTHONUNBUFFERED": unbuffered}}
        done = run([*lines["module"], *OUTPUTS[name]], tmp_path, **kinds)
    assert (done.returncode, done.stderr) == (1, "rpw: stdout: No space left on device\n")


@needs_full
@pytest.mark.parametrize(("arguments", "code"), [(("distance", "none.csv", "b.csv"), 1), (("distance",), 1)])
def test_a_stderr_that_is_full_leaves_the_exit_code(tmp_path, diracs, lines, arguments, code):
    with open("/dev/full", "w") as full:
        kinds = {"cwd": tmp_path, "stderr": full, "environment": {"PYTHONUNBUFFERED": ""}}
        done = run([*lines["module"], *arguments], tmp_path, **kinds)
    assert (done.returncode, done.stdout) == (code, "")


@pytest.mark.parametrize("name", ["table", "json", "help"])
def test_a_reader_that_has_gone_is_no_news(tmp_path, diracs, lines, name):
    there, here = os.pipe()
    os.close(there)
    try:
        kinds = {"cwd": tmp_path, "stdout": here, "environment": {"PYTHONUNBUFFERED": ""}}
        done = run([*lines["module"], *OUTPUTS[name]], tmp_path, **kinds)
    finally:
        os.close(here)
    assert (done.returncode, done.stderr) == (1, "")
