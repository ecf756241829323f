"""How far a long solve has come: what a function of the caller hears, and the line on a terminal and elsewhere."""

import os
import re
import subprocess
import sys
from inspect import signature
from itertools import pairwise

import numpy as np
import pytest
from children import ENVIRONMENT, run, run_command

import rpw

# Other densities make a long way: more than two seconds on any machine, on a matrix and on points.
SIZES = {"simplex": 4000, "points": 60_000}
# So long that news come even on a machine three times as fast; W is found sooner.
LONG_ENOUGH = {"walk": 3000, "simplex": 3000, "exact": 6000, "points": 12_000}
LINE = (
    r"rpw, \d+ s: \d+\.\d% moved, the answer (in \[[-.e\d]+, [-.e\d]+\]|at least [-.e\d]+); ([a-z ]+, )?[\d,]+ pivots"
)
# A line sooner and oftener than by default: the test need not be long.
WATCHED = """
import sys
import numpy as np, rpw
from rpw.base import progress
progress._BEFORE_FIRST, progress._ON_TERMINAL, progress._ELSEWHERE = 0.2, 0.1, 0.5
n, rng = int(sys.argv[2]), np.random.default_rng(0)
x, y = rng.random((n, 2)), np.sqrt(rng.random((n, 2)))
rpw.solve(x, y, k=30, diameter=1, solver=sys.argv[1], time_limit=2, progress=True)
print("end", file=sys.stderr)
"""


def clouds(n):
    rng = np.random.default_rng(0)
    return rng.random((n, 2)), np.sqrt(rng.random((n, 2)))


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("function", "options", "solver"),
    [
        (rpw.distance, {"k": 30, "diameter": 1}, "walk"),
        (rpw.distance, {"k": 30, "diameter": 1}, "simplex"),
        (rpw.distance, {"k": 30, "diameter": 1}, "points"),
        (rpw.wasserstein, {}, "exact"),
        (rpw.wasserstein, {}, "points"),
        (rpw.partial_wasserstein, {"mass": 0.95}, "walk"),
        (rpw.robot, {"lam": 0.4}, "points"),
    ],
)
def test_a_function_hears_of_mass_and_bounds(function, options, solver):
    x, y = clouds(LONG_ENOUGH[solver])
    heard = []
    value = function(x, y, **options, solver=solver, progress=lambda *news: heard.append(news))
    assert value == function(x, y, **options, solver=solver)
    assert len(heard) >= 1
    for moved, lower, upper in heard:
        assert 0 <= moved <= 1
        assert lower <= value * (1 + 1e-9)
        assert upper >= value * (1 - 1e-9)
    for (_, lower, upper), (_, later_lower, later_upper) in pairwise(heard):
        assert lower <= later_lower
        assert upper >= later_upper
    if solver in ("walk", "points"):
        assert max(lower for _, lower, _ in heard) > 0
        assert max(moved for moved, _, _ in heard) > 0.5


@pytest.mark.parametrize("name", [name for name in rpw.__all__ if hasattr(getattr(rpw, name), "__code__")])
def test_what_obeys_a_time_limit_tells_how_far_it_is(name):
    """Not `choose_solver`, which solves nothing, and not `diameter`, whose work has a limit of its own."""
    arguments = signature(getattr(rpw, name)).parameters
    assert ("progress" in arguments) == ("time_limit" in arguments and name not in ("choose_solver", "diameter"))


def test_levy_prokhorov_tells_bounds_on_its_value():
    x, y = clouds(3000)
    heard = []
    value = rpw.levy_prokhorov(x, y, progress=lambda *news: heard.append(news))
    assert value == rpw.levy_prokhorov(x, y)
    assert heard
    assert all(lower <= value <= upper and 0 <= moved <= 1 for moved, lower, upper in heard)
    with pytest.raises(ValueError, match=r"^progress must be True, False or a function"):
        rpw.levy_prokhorov([0.0], [1.0], progress=3)


def test_total_variation_takes_the_same_argument():
    assert rpw.total_variation([0.0, 1.0], [1.0, 2.0], progress=lambda *_: None) == 0.5
    with pytest.raises(ValueError, match=r"^progress must be True, False or a function"):
        rpw.total_variation([0.0], [1.0], progress=3)


def test_sliced_counts_directions(monkeypatch):
    x, y = clouds(50)
    expected = rpw.sliced(x, y, n_projections=40)
    monkeypatch.setattr("rpw.pair.sliced._NUMBERS_PER_BLOCK", 1000)  # ten directions
    heard = []
    assert rpw.sliced(x, y, n_projections=40, n_threads=2, progress=lambda *news: heard.append(news)) == expected
    assert heard[0] == (0, 40)
    assert heard[-1] == (40, 40)
    assert heard == sorted(heard)
    with pytest.raises(ValueError, match=r"^progress must be True, False or a function"):
        rpw.sliced(x, y, progress=3)

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rpw.sliced(x, y, progress=stop)


@pytest.mark.parametrize("solver", ["walk", "simplex", "points"])
@pytest.mark.parametrize("function", [rpw.solve, rpw.transport])
def test_what_was_told_is_not_lost_when_time_is_up(function, solver):
    x, y = clouds(2500)
    options = {"k": 30, "diameter": 1} if function is rpw.solve else {"mass": 0.95}
    for seconds in (0.1, 0.2, 0.3):
        heard = []
        result = function(
            x, y, **options, solver=solver, time_limit=seconds, progress=lambda *news, heard=heard: heard.append(news)
        )
        assert result.lower >= max((lower for _, lower, _ in heard), default=0) * (1 - 1e-9)
        assert result.upper <= min((upper for _, _, upper in heard), default=np.inf) * (1 + 1e-9)


@pytest.mark.parametrize("seconds", [0.3, 1.0])
def test_a_transport_at_infinity_attains_what_was_told(seconds):
    rng = np.random.default_rng(0)
    x, y = rng.random((2, 12_000, 2))
    heard = []
    result = rpw.transport(x, y + 0.3, p=np.inf, time_limit=seconds, progress=lambda *news: heard.append(news))
    assert result.plan.sum() == pytest.approx(1, abs=1e-9)
    assert result.upper <= min((upper for _, _, upper in heard), default=np.inf) * (1 + 1e-9)


@pytest.mark.thorough
def test_flows_at_infinity_are_watched_too():
    rng = np.random.default_rng(0)
    x, y = rng.random((20_000, 2)), rng.random((20_000, 2))
    for function, options in ((rpw.distance, {"diameter": 1}), (rpw.wasserstein, {})):
        heard = []
        asked = {"p": np.inf, "solver": "points", **options}
        value = function(x, y, **asked, progress=lambda *news, heard=heard: heard.append(news))
        assert all(lower <= value <= upper for _, lower, upper in heard)
        assert heard[-1][0] > 0


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("options", "n", "is_walked"),
    [
        ({}, 1200, True),
        ({"p": 1, "solver": "walk"}, 1200, True),
        ({"solver": "points"}, 800, True),
        ({"tol": 1e-3}, 1200, False),
        ({"p": np.inf}, 1500, True),
        ({"p": np.inf, "tol": 0.1}, 2000, False),
        ({"tol": 0.05, "solver": "lmr"}, 800, True),
    ],
)
def test_a_profile_is_watched(options, n, is_walked):
    """Up to which mass it is known, and bounds on its end."""
    x, y = clouds(n)
    y = np.vstack([y, y[: n // 50] + 2])
    heard = []
    curve = rpw.profile(x, y, **options, progress=lambda *news: heard.append(news))
    assert curve == rpw.profile(x, y, **options)
    assert len(heard) >= 1
    for moved, lower, upper in heard:
        assert 0 <= moved <= 1
        assert lower <= curve.lower(1.0) * (1 + 1e-9) + options.get("tol", 0.0)
        assert upper >= curve.lower(1.0) * (1 - 1e-9)
    for earlier, later in pairwise(heard):
        assert earlier[0] <= later[0]
        assert earlier[1] <= later[1]
        assert earlier[2] >= later[2]
    if is_walked:
        assert heard[-1][0] > 0.5


@pytest.mark.thorough
def test_a_profile_on_a_line_is_watched():
    rng = np.random.default_rng(0)
    for p, n in ((1, 400_000), (2, 40_000), (np.inf, 100_000)):
        x, y = rng.random(n), rng.random(n) + 0.5
        heard = []
        curve = rpw.profile(x, y, p=p, progress=lambda *news, heard=heard: heard.append(news))
        assert all(0 <= moved <= 1 and 0 <= lower <= curve(1.0) * (1 + 1e-9) for moved, lower, _ in heard)
        assert heard[-1][0] > 0


def test_the_line_of_a_profile_says_what_is_bounded(monkeypatch, capfd):
    monkeypatch.setattr("rpw.base.progress._BEFORE_FIRST", 0.1)
    monkeypatch.setattr("rpw.base.progress._ELSEWHERE", 0.1)
    x, y = clouds(1000)
    rpw.profile(x, np.vstack([y, y[:20] + 2]), progress=True)
    first = capfd.readouterr().err.splitlines()[0]
    assert re.fullmatch(r"rpw, \d+ s: \d+\.\d% moved, W at least [-.e\d]+; [\d,]+ pivots", first), first


@pytest.mark.parametrize(
    "options",
    [
        {"solver": "bisection", "tol": 1e-3},
        {"solver": "lmr", "tol": 1e-3},
        {"solver": "lmr", "tol": 1e-3, "p": np.inf},
        {"p": 40, "solver": "walk"},
    ],
)
def test_questions_within_the_question_tell_nothing(options):
    """Bisection asks for costs, a scale for thresholds: their bounds are not those of RPW."""
    x, y = clouds(800)
    x[:2], y[:2] = [[0, 0], [1, 1]], [[0, 1e-9], [1, 1 + 1e-9]]  # powers of such lengths vanish beside the others
    heard = []
    value = rpw.distance(x, y, k=10, diameter=1, **options, progress=lambda *news: heard.append(news))
    tol = options.get("tol", 0.0)
    for _, lower, upper in heard:
        assert lower <= value * (1 + 1e-9) + tol
        assert upper >= value * (1 - 1e-9) - tol


def test_results_are_watched_too():
    x, y = clouds(6000)
    heard = []
    assert rpw.solve(x, y, k=30, diameter=1, progress=lambda *news: heard.append(news)) == rpw.solve(
        x, y, k=30, diameter=1
    )
    assert rpw.transport(x, y, progress=lambda *news: heard.append(news)).distance == rpw.wasserstein(x, y)
    assert len(heard) >= 2


def test_what_the_function_raises_ends_the_solve():
    def stop(*_):
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        rpw.solve(*clouds(4000), k=30, diameter=1, progress=stop)


def test_a_short_solve_says_nothing(capfd):
    x, y = clouds(20)
    assert rpw.solve(x, y, diameter=1, progress=True) == rpw.solve(x, y, diameter=1)
    assert rpw.wasserstein(x, y, progress=np.True_) == rpw.wasserstein(x, y, progress=np.False_)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("function", [rpw.solve, rpw.distance, rpw.wasserstein, rpw.transport, rpw.profile])
@pytest.mark.parametrize("junk", [None, "yes", 1, [True]])
def test_junk_is_refused(function, junk):
    with pytest.raises(ValueError, match=r"progress must be True, False or a function of \(moved, lower, upper\)"):
        function([0.0], [1.0], progress=junk)


@pytest.mark.sample(1)
@pytest.mark.parametrize("solver", SIZES)
def test_lines_in_a_pipe(solver):
    child = run("-c", WATCHED, solver, str(SIZES[solver]))
    *lines, end = child.stderr.splitlines()
    assert end == "end", child.stderr
    assert 2 <= len(lines) <= 8
    for line in lines:
        assert re.fullmatch(LINE, line), line
    assert child.stdout == ""


def on_terminal(line, columns=80):
    """What a process writes to stderr where that is a terminal."""
    termios = pytest.importorskip("termios")
    reading, writing = os.openpty()
    termios.tcsetwinsize(writing, (24, columns))
    environment = {**ENVIRONMENT, "TERM": "xterm"}
    child = subprocess.run(
        [sys.executable, *map(str, line)],
        stdout=subprocess.PIPE, stderr=writing, timeout=60, env=environment, check=True,
    )  # fmt: skip
    os.write(writing, b"over")
    shown = os.read(reading, 100_000).decode()
    os.close(reading)
    os.close(writing)
    return shown.removesuffix("over"), child.stdout.decode()


@pytest.mark.sample(1)
@pytest.mark.parametrize("columns", [100, 40])
def test_one_line_on_a_terminal_is_written_over(columns):
    shown, _ = on_terminal(["-c", WATCHED, "points", SIZES["points"]], columns)
    assert shown.endswith("\rend\r\n")
    first, *lines, erased = shown.removesuffix("\rend\r\n").split("\r")
    assert first == ""
    assert len(lines) >= 4
    for line in lines:
        assert len(line) < columns
        assert re.fullmatch(LINE, line.rstrip()) if columns == 100 else re.match(r"rpw, \d+ s: \d+\.\d% moved", line), (
            line
        )
    assert erased.strip() == ""
    assert len(erased) >= len(lines[-1].rstrip())


def test_the_command_shows_it_to_a_person_only(tmp_path):
    for name, points in zip("xy", clouds(SIZES["points"]), strict=True):
        np.save(tmp_path / f"{name}.npy", points)
    line = ["distance", tmp_path / "x.npy", tmp_path / "y.npy", "--k", "30", "--diameter", "1", "--time-limit", "2.8"]
    shown, printed = on_terminal(["-m", "rpw.cli", *line], 100)
    assert re.search(LINE, shown)
    assert "RPW distance" in printed
    assert on_terminal(["-m", "rpw.cli", *line[:-1], "0.5", "--json"])[0] == ""
    assert run_command(*line).stderr == ""


# 120 pairs of 0.01 s each; the pause between two lines off a terminal is argv[1].
MATRIX = """
import sys, time
import numpy as np, rpw
from rpw.base import progress
progress._ELSEWHERE = float(sys.argv[1])

def dawdling(x, y):
    time.sleep(0.01)
    return float(np.abs(x - y).max())

rpw.pairwise(list(np.random.default_rng(0).random((16, 1, 2))), metric=dawdling, n_threads=1, diameter=1, progress=True)
"""


def bars_in(text):
    return re.findall(r"(\d+)/120 ", text)


@pytest.mark.thorough
def test_the_bar_of_a_matrix_is_written_rarely_where_nobody_looks():
    pytest.importorskip("tqdm")
    written = bars_in(run("-c", MATRIX, 5.0).stderr)
    assert (written[0], written[-1]) == ("0", "120")
    assert len(written) <= 3
    assert 4 <= len(bars_in(run("-c", MATRIX, 0.2).stderr)) <= 12
    shown, _ = on_terminal(["-c", MATRIX, 5.0])
    assert len(bars_in(shown)) >= 6


def test_a_bar_without_anywhere_to_write_is_left_out():
    code = "import sys, rpw; sys.stderr = None; print(rpw.pairwise([[[0.0]], [[1.0]]], p=1, progress=True)[0])"
    assert run("-c", code).stdout == "[0.  0.5]\n"
