"""Which engines were asked, and what each said: `Result.route`, beside what `rpw.choose_solver` names."""

import math
import pickle

import numpy as np
import pytest

import rpw
from rpw.base import memory as _memory

ANSWERED = "answered"
RNG = np.random.default_rng(0)
PLANE = RNG.random((50, 2)), RNG.random((60, 2))
LINE = RNG.random(9), RNG.random(8)
SLANTED = RNG.random((40, 1)) * RNG.normal(size=3)
CLUMPS = [10.0 * RNG.integers(0, 3, (2100, 1)) + 1e-3 * RNG.normal(size=(2100, 2)) for _ in range(2)]
SQUARE = RNG.random((2, 2100, 2))
INF = math.inf


@pytest.mark.parametrize(("pair", "asked", "route", "named"), [
    (PLANE, {}, [("matrix", ANSWERED)], "exact"),
    (PLANE, {"k": 0}, [("labels", ANSWERED)], "total_variation"),
    (PLANE, {"solver": "points"}, [("points", ANSWERED)], "points"),
    (PLANE, {"solver": "lmr", "tol": 0.01}, [("lmr", ANSWERED)], "lmr"),
    (PLANE, {"solver": "bisection", "tol": 0.01}, [("bisection", ANSWERED)], "bisection"),
    (PLANE, {"solver": "lmr", "tol": 0.01, "p": 40}, [("lmr", "not its kind"), ("matrix", ANSWERED)], "lmr"),
    (LINE, {}, [("line", ANSWERED)], "line"),
    (LINE, {"solver": "walk"}, [("matrix", ANSWERED)], "walk"),
    (LINE, {"solver": "walk", "p": INF}, [("line", ANSWERED)], "line"),
    (LINE, {"solver": "lmr", "tol": 0.01, "p": 40}, [("lmr", "not its kind"), ("line", ANSWERED)], "lmr"),
    ((SLANTED, SLANTED * (1 + 1e-13)), {}, [("line", "in doubt"), ("matrix", ANSWERED)], "line"),
    (([0.0, 1e-150], [1e-151, 1e200]), {"k": 1e-100}, [("line", "not its kind"), ("matrix", ANSWERED)], "line"),
    (SQUARE, {}, [("points", ANSWERED)], "exact"),
    (SQUARE, {"p": INF}, [("points", ANSWERED)], "infinity"),
    (CLUMPS, {"p": INF}, [("points", "too much work"), ("matrix", ANSWERED)], "infinity"),
])  # fmt: skip
def test_engines_are_asked_in_turn(pair, asked, route, named):
    asked = {"k": 1.0, "diameter": 1} | asked
    result = rpw.solve(*pair, **asked)
    assert list(result.route) == route
    assert rpw.choose_solver(*pair, **asked)[0] == named
    assert result.distance == rpw.distance(*pair, **asked)  # the same question, but for what comes with it
    assert pickle.loads(pickle.dumps(result)).route == result.route


def test_one_pair_and_many_take_the_same_route():
    (together,) = rpw.solve_pairs([SQUARE[0]], [SQUARE[1]], diameter=1)
    assert together.route == rpw.solve(*SQUARE, diameter=1).route


def test_trees_stand_in_for_a_matrix_without_room(monkeypatch):
    expected = rpw.solve(*CLUMPS, p=INF, diameter=1)
    monkeypatch.setattr(_memory, "available_bytes", lambda: 1e6)
    result = rpw.solve(*CLUMPS, p=INF, diameter=1)
    assert list(result.route) == [("points", "too much work"), ("matrix", "no room"), ("points", ANSWERED)]
    assert result.distance == expected.distance
    with pytest.raises(MemoryError, match="2,100 x 2,100"):
        rpw.solve(*CLUMPS, diameter=1, solver="walk")


def test_what_was_cut_off_says_so():
    early = rpw.solve(*SQUARE, diameter=1, time_limit=1e-9)
    assert (early.status, early.route) == ("time_limit", ())
    x, y = RNG.random((2, 20_000, 2))
    late = rpw.solve(x, y, k=100, diameter=1, time_limit=0.5)  # takes some seconds
    assert (late.status, late.route) == ("time_limit", (("points", "cut off"),))


@pytest.mark.parametrize("solver", ["auto", "lmr", "walk"])
def test_cells_may_answer_within_tol_before_an_engine_is_asked(solver):
    x, y = RNG.random((20_000, 3)), RNG.random((100, 3))
    result = rpw.solve(x, y, p=3, tol=0.3, time_limit=60, solver=solver)
    assert (result.status, result.solver, result.route) == ("tolerance", "points", (("points", ANSWERED),))
    assert result.lower <= rpw.distance(x, y, p=3) * (1 + 1e-9) <= result.upper * (1 + 1e-9)


def test_points_without_weight_do_not_hide_a_line():
    pair = [[0, 0], [1, 0], [0.3, 0.7]], [[0.1, 0], [0.9, 0]], [1, 1, 0]
    assert rpw.choose_solver(*pair)[0] == rpw.solve(*pair).solver == "line"


def test_no_advice_that_cannot_be_followed(monkeypatch):
    """Trees at p = inf need plain coordinates, and find no profile there."""
    monkeypatch.setattr(_memory, "available_bytes", lambda: 1e6)
    far = [1e-150 * each for each in SQUARE]
    calls = [
        lambda: rpw.solve(*far, p=INF, diameter=1e-150, solver="points"),
        lambda: rpw.solve(*far, p=INF, diameter=1e-150),
        lambda: rpw.profile(*SQUARE, p=INF),
    ]
    for call in calls:
        with pytest.raises(MemoryError, match="2,100 x 2,100") as caught:
            call()
        assert "solver='points'" not in str(caught.value)
    with pytest.raises(MemoryError, match="solver='points' needs no such matrix"):
        rpw.profile(*SQUARE, p=2)


@pytest.mark.parametrize("p", [1, 2, INF])
def test_several_k_are_asked_as_one_k_is(p):
    """0 among them is total variation, in any order and twice; points at p = inf need no matrix, as one k does not."""
    ks = [1.0, 0.0, 0.1, 0.0, 30.0, 1.0]
    x, y = SQUARE[0], np.concatenate([SQUARE[0][:700], SQUARE[1][700:]])
    found = rpw.pairwise([x], [y], p=p, k=ks, diameter=1).ravel()
    alone = [rpw.distance(x, y, p=p, k=k, diameter=1) for k in ks]
    np.testing.assert_allclose(found, alone, rtol=1e-11)
    assert found[1] == pytest.approx(1400 / 2100, rel=1e-12)


def test_the_reason_names_a_trial():
    assert "k-d trees are tried first" in rpw.choose_solver(*SQUARE, diameter=1)[1]
    assert "tried first" not in rpw.choose_solver(*PLANE, diameter=1)[1]
