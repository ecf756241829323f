"""Processes of their own: how tests start them, speak to them and wait for them."""

from __future__ import annotations

import functools
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

# What a terminal or its user has set must not change what is printed.
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if name not in ("FORCE_COLOR", "COLUMNS")},
    "MPLBACKEND": "Agg",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
}


def hear_ctrl_c():
    """For ``preexec_fn``: a job in the background ignores Ctrl-C, and its children would inherit that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def start(*arguments, **options):
    """A running ``python ...`` whose output can be read, and which hears Ctrl-C."""
    if os.name == "nt":
        pytest.skip("Windows sends Ctrl-C to all processes of a console at once")
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "env": ENVIRONMENT}
    return subprocess.Popen([sys.executable, *map(str, arguments)], **{**pipes, **options}, preexec_fn=hear_ctrl_c)


def run(*arguments, **options):
    """A finished ``python ...`` with its return code and its output."""
    given = {"capture_output": True, "text": True, "timeout": 60, "check": False, "env": ENVIRONMENT, **options}
    return subprocess.run([sys.executable, *map(str, arguments)], **given)


def run_command(*arguments, **options):
    """``rpw`` in a process of its own."""
    return run("-m", "rpw.cli", *arguments, **options)


@functools.cache
def _fork_server():
    """The one of this process; it ends with its stdin."""
    line = [sys.executable, Path(__file__).with_name("fork_server.py")]
    return subprocess.Popen(line, env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def forked(*arguments, cwd=None, env=ENVIRONMENT, timeout=120):
    """As `run`, without the time for its imports; what an interpreter reads when it starts is not heard."""
    server, line = _fork_server(), [*map(str, arguments)]
    with tempfile.NamedTemporaryFile() as stdout, tempfile.NamedTemporaryFile() as stderr:
        request = {"arguments": line, "folder": os.fspath(cwd or os.getcwd()), "environment": dict(env)}
        print(json.dumps({**request, "stdout": stdout.name, "stderr": stderr.name}), file=server.stdin, flush=True)
        killer = threading.Timer(timeout, server.kill)
        killer.start()
        code = server.stdout.readline()
        killer.cancel()
        assert code, f"python {' '.join(line)} did not end"
        return subprocess.CompletedProcess(line, int(code), stdout.read().decode(), stderr.read().decode())


def forked_command(*arguments, **options):
    """As `run_command`, by `forked`."""
    return forked("-m", "rpw.cli", *arguments, **options)


def interrupted(code, *arguments, after):
    """Ctrl-C some seconds after the child has said "ready": what else it printed, when it was sent, and its stderr."""
    with start("-c", code, *arguments) as child:
        killer = threading.Timer(60, child.kill)
        killer.start()
        try:
            assert child.stdout.readline().strip() == "ready", child.stderr.read()
            time.sleep(after)
            sent = time.time()
            child.send_signal(signal.SIGINT)
            output, errors = child.communicate(timeout=60)
        finally:
            killer.cancel()
            child.kill()
    return [line for line in output.splitlines() if line != "ready"], sent, errors


def seconds_until_interrupted(before, line, after):
    """Ctrl-C some seconds after a line of Python has begun: how long it goes on. ``before``: what the line needs."""
    code = f"""
import numpy as np, rpw, time
{before}
print("ready", flush=True)
try:
    {line}
    print("finished", flush=True)
except KeyboardInterrupt:
    print("interrupted", time.time(), flush=True)
"""
    lines, sent, errors = interrupted(code, after=after)
    assert lines[0].startswith("interrupted"), (lines, errors)
    return float(lines[0].split()[1]) - sent


def wait_until(is_true, process=None, seconds=30):
    end = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < end, "nothing happened"
        assert process is None or process.poll() is None, process.communicate()
        time.sleep(0.002)
