"""The plan of paper/gpu/evidence.py: which parts it runs, in which order, and how long it thinks they take."""

import csv
import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPT, TIMES = ROOT / "gpu" / "evidence.py", ROOT / "docs" / "times.csv"
pytestmark = pytest.mark.skipif(not (SCRIPT.exists() and TIMES.exists()), reason="they are not here, as in an sdist")


@pytest.fixture(scope="module")
def evidence():
    spec = importlib.util.spec_from_file_location("evidence", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules["evidence"] = module  # dataclasses look there
    spec.loader.exec_module(module)
    yield module
    del sys.modules["evidence"]


def test_no_part_comes_twice_and_each_is_known(evidence):
    names = [part.name for part in evidence.all_parts()]
    assert len(set(names)) == len(names)
    assert all(evidence.way_of(part.key).key == part.key for part in evidence.all_parts())


def test_a_sweep_over_k_comes_before_any_over_lam(evidence):
    stage = [part for part in evidence.all_parts() if part.stage == "sweep"]
    over_k = [i for i, part in enumerate(stage) if part.key == "rpw-sweep"]
    over_lam = [i for i, part in enumerate(stage) if part.key.startswith("robot-") and part.key != "robot-0.1"]
    assert max(over_k) < min(over_lam)
    assert (len(over_k), len(over_lam)) == (9 + 3, (9 + 3) * 6)


def test_guesses_are_near_what_was_measured(evidence):
    guessed = {part.name: part.seconds for part in evidence.all_parts()}
    with TIMES.open(encoding="utf-8", newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["run"].endswith(f"-{row['queries']}")]  # not cut off
    for row in rows:
        guess = guessed[f"{row['run']}/nearest/repeat-{row['repeat']}/{row['distance']}"]
        assert float(row["seconds"]) / 2 < guess < 2 * float(row["seconds"]) + evidence.BESIDE, row
