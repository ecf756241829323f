"""Another thread writes to the caller's arrays during a call: any number or error may come, but the process lives."""

import threading

import numpy as np
import pytest
from children import run

import rpw

# Each runs in a process of its own, which a fault would end. The core works without the GIL, so the writer never rests.
CHILD = """
import sys, threading, warnings
import numpy as np, rpw

warnings.simplefilter("ignore")
rng = np.random.default_rng(int(sys.argv[1]))
written, has_ended = [], threading.Event()

def write():
    numbers = np.random.default_rng(1)
    while not has_ended.is_set():
        for array in list(written):
            if numbers.random() < 0.1:
                array.flat[numbers.integers(array.size)] = numbers.choice([np.nan, np.inf, -1.0, 1e300])
            array[...] = numbers.random(array.shape) * numbers.choice([1e-3, 1.0, 100.0])

writer = threading.Thread(target=write)
writer.start()
ended = 0
try:
    for call in range(int(sys.argv[2])):
        arrays, ask = CALL
        written[:] = arrays
        try:
            ask(*arrays)
        except (ValueError, ArithmeticError, RuntimeError, TimeoutError):
            pass
        ended += 1
finally:
    has_ended.set()
    writer.join()
print("ended", ended)
"""
SIZES = "rng.integers(2, 400, 2)"
CALLS = {
    "points": (
        "(rng.random((4000, 3)), rng.random((4000, 3))), "
        "lambda x, y: [rpw.distance, rpw.solve, rpw.wasserstein][call % 3](x, y, p=[1, 2][call % 2])",
        8,
    ),
    "points at p = inf": ("(rng.random((3000, 2)), rng.random((3000, 2))), rpw.levy_prokhorov", 8),
    "points on the line": ("(rng.random(200000), rng.random(200000)), lambda x, y: rpw.solve(x, y, p=1 + call % 2)", 8),
    "weights": (
        "(rng.random(300), rng.random(300)), "
        "lambda a, b: rpw.solve(rng.random((300, 2)), rng.random((300, 2)), a, b, p=1 + call % 2)",
        40,
    ),
    "cost": (f"(rng.random({SIZES}),), lambda cost: rpw.solve(cost=cost, p=[1, 1.5, 2][call % 3])", 60),
    "cost at p = inf": (
        "(rng.random((1000, 1200)),), lambda cost: "
        "[rpw.solve, rpw.transport, rpw.profile][call % 3](cost=cost, p=float('inf'))",
        24,
    ),
    "cost at k = 0": (f"(rng.random({SIZES}).round(1),), lambda cost: rpw.total_variation(cost=cost)", 60),
    "cost by lmr": (f"(rng.random({SIZES}),), lambda cost: rpw.solve(cost=cost, solver='lmr', tol=0.01)", 40),
    "histograms": (
        "(rng.random((20, 30)), rng.random((30, 30))), lambda h, cost: rpw.pairwise(h, cost=cost, p=1 + call % 2)",
        20,
    ),
}


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", CALLS)
def test_the_process_lives(name):
    call, count = CALLS[name]
    child = run("-c", CHILD.replace("CALL", call), 7, count, timeout=300)
    assert child.stdout.strip() == f"ended {count}", (child.returncode, child.stderr[-2000:])


def test_points_and_weights_are_read_once():
    """What is written after a call has begun changes nothing: the answer is that of the arrays as they were."""
    rng = np.random.default_rng(3)
    x, y, a = rng.random((6000, 2)), rng.random((6000, 2)), rng.random(6000)
    expected = rpw.distance(x, y, a, diameter=1)
    began = threading.Event()

    def write(*_):
        x[...] = y[...] = a[...] = np.nan
        began.set()

    assert rpw.distance(x, y, a, diameter=1, progress=write) == expected
    assert began.is_set()
