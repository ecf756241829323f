"""A process ends with the exit code of its script, whatever its daemon threads are doing."""

import textwrap

import pytest
from children import run

# A daemon thread goes on and on with one call; the script ends meanwhile.
SCRIPT = """
import sys, threading, time
import numpy as np, rpw
from rpw import _core
from rpw.base.deadline import NEVER
from rpw.pair.problem import as_problem
from rpw.pair.question import as_question

rng = np.random.default_rng(0)
x, y = rng.random((1000, 3)), rng.random((1000, 3))
clouds = rng.random((300, 40, 3))
index = rpw.Index(clouds[:100], diameter=1)

def taxi(u, v):
    return float(abs(u - v).sum())

def tell(*_):
    return sum(range(20_000))

def ask_for_room():
    question = as_question(p=2, diameter=1)
    pair = as_problem(x, y, None, None).to_core(question, NEVER)
    _core.solve(*pair, question.to_core(), 0.01, None, tell)

def go_on():
    while True:
        CALL

for _ in range(2):
    threading.Thread(target=go_on, daemon=True).start()
time.sleep(float(sys.argv[1]))
sys.exit(7)
"""

CALLS = {
    "small calls": "rpw.distance(x[:12], y[:12], diameter=1)",
    "points on a line": "rpw.distance(x[:, 0], y[:, 0], diameter=1)",
    "one solve": "rpw.solve(x, y, diameter=1)",
    "its progress": "rpw.solve(x, y, diameter=1, progress=tell)",
    "room for memory": "ask_for_room()",
    "a profile": "rpw.profile(x, y, progress=tell)",
    "a callable metric": "rpw.distance(x, y, diameter=1, metric=taxi)",
    "a matrix": "rpw.pairwise(clouds, diameter=1, n_threads=2)",
    "its progress, too": "rpw.pairwise(clouds, diameter=1, n_threads=2, progress=tell)",
    "a matrix of a callable metric": "rpw.pairwise(clouds, diameter=1, metric=taxi)",
    "plans of many pairs": "rpw.solve_pairs(clouds, clouds[::-1], diameter=1)",
    "a search": "index.query(clouds + 0.1, 3)",
    "distinct points": "rpw.total_variation(x, y)",
}


def check_exit(call, after):
    child = run("-c", textwrap.dedent(SCRIPT).replace("CALL", CALLS[call]), after, timeout=20)
    assert child.returncode == 7, child.stderr
    assert child.stderr == ""


@pytest.mark.parametrize("call", CALLS)
def test_a_daemon_thread_inside_a_call_does_not_change_the_exit_code(call):
    check_exit(call, after=0.3)


@pytest.mark.thorough
@pytest.mark.parametrize("call", CALLS)
def test_the_exit_code_stays_at_whatever_moment_the_script_ends(call):
    for moment in range(10):
        check_exit(call, after=0.2 + 0.037 * moment)
