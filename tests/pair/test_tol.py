"""``tol`` is a promise: LMR, bisection and the early stop of the exact walk keep it, on every kind of input."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import INF, euclidean
from strategies import measures

import rpw

PROBLEMS = 2000
TOLS = (0.1, 0.01, 0.001)


def random_points(rng, size):
    """General position, or a small grid with ties and repeats."""
    return rng.random((size, 2)) if rng.random() < 0.5 else rng.integers(0, 4, (size, 2)) / 4


def random_weights(rng, size):
    """Uniform, or unequal with zeros."""
    if rng.random() < 0.3:
        return None
    weights = rng.random(size) * (rng.random(size) < 0.8)
    weights[rng.integers(size)] += 0.01
    return weights


def random_problem(rng):
    n, m = rng.integers(1, 61, 2)
    unit = 10.0 ** rng.choice([0, 0, 0, -6, 6, -30, 30])
    return {
        "x": random_points(rng, n) * unit,
        "y": random_points(rng, m) * unit,
        "a": random_weights(rng, n),
        "b": random_weights(rng, m),
        "p": float(rng.choice([1, 1.5, 2, 3])),
        "k": float(rng.choice([0.01, 0.1, 1, 10])),
        "diameter": unit if rng.random() < 0.8 else 1.0,
    }


def assert_promise_kept(result, exact, tol):
    rounding = 1e-12
    assert result.lower <= result.distance == result.upper
    assert result.lower <= exact + rounding
    assert exact <= result.upper + rounding
    assert result.gap <= tol
    assert abs(result.distance - exact) <= tol + rounding
    assert result.plan.sum() == pytest.approx(result.mass, abs=1e-12)
    assert result.cost <= (result.distance * result._question.kappa) * (1 + 1e-9) + 1e-300


@pytest.mark.thorough
def test_no_broken_promise_in_many_random_problems(capsys):
    rng = np.random.default_rng(2024)
    worst = dict.fromkeys(("lmr", "exact", "bisection"), 0.0)
    for round_ in range(PROBLEMS):
        problem, tol = random_problem(rng), float(rng.choice(TOLS))
        exact = rpw.distance(**problem)
        for solver in ("lmr", "exact") + ("bisection",) * (round_ % 8 == 0):
            result = rpw.solve(**problem, tol=tol, solver=solver)
            assert_promise_kept(result, exact, tol)
            worst[solver] = max(worst[solver], abs(result.distance - exact) / tol)
    with capsys.disabled():
        print("\nlargest error over tol:", ", ".join(f"{name} {value:.3f}" for name, value in worst.items()))
    assert max(worst.values()) <= 1


@given(
    measures(), st.sampled_from((1.0, 1.5, 2.0, 3.0)), st.sampled_from((0.01, 0.3, 1.0, 10.0)), st.sampled_from(TOLS)
)
def test_every_solver_keeps_its_promise(pair, p, k, tol):
    (x, a), (y, b) = pair
    exact = rpw.distance(x, y, a, b, p=p, k=k)
    for solver in ("lmr", "bisection", "exact", "auto"):
        assert_promise_kept(rpw.solve(x, y, a, b, p=p, k=k, tol=tol, solver=solver), exact, tol)


@given(measures(), st.sampled_from((0.3, 1.0, 3.0)), st.sampled_from(TOLS))
def test_promise_at_infinity(pair, k, tol):
    (x, a), (y, b) = pair
    exact = rpw.distance(x, y, a, b, p=INF, k=k)
    for solver in ("lmr", "bisection", "exact"):
        result = rpw.solve(x, y, a, b, p=INF, k=k, tol=tol, solver=solver)
        assert result.lower <= exact + 1e-12
        assert exact <= result.upper + 1e-12
        assert result.gap <= tol * (1 + 1e-12)


@given(measures(), st.sampled_from((1.0, 1.5, 2.0, 3.0)), st.sampled_from((0.3, 0.03, 0.003)))
def test_lmr_profile_is_within_tol_and_never_below(pair, p, tol):
    (x, a), (y, b) = pair
    exact = rpw.profile(x, y, a, b, p=p)
    near = rpw.profile(x, y, a, b, p=p, solver="lmr", tol=tol)
    masses = np.union1d(np.linspace(0, 1, 23), np.union1d(exact.mass, near.mass)).clip(0, 1)
    above = near(masses) - exact(masses)
    unit = max(1.0, float(exact(1.0)))
    assert above.min() >= -1e-7 * unit  # a root of rounding: (1e-15) ** (1 / 2)
    assert above.max() <= tol + 1e-9 * unit
    assert near.solver == "lmr"


def test_potentials_of_lmr_are_a_valid_certificate():
    rng = np.random.default_rng(3)
    x, y, a, b = rng.random((30, 2)), rng.random((25, 2)), rng.random(30), rng.random(25)
    a[:4] = 0
    result = rpw.solve(x, y, a, b, p=2, k=1, tol=0.01, solver="lmr")
    f, g = result.potentials
    assert f.max() <= 0
    assert g.max() <= 0
    assert (f[:, None] + g[None, :] <= euclidean(x, y) ** 2 - result.multiplier + 1e-12).all()


def test_units_beyond_32_bits_and_beyond_reach():
    rng = np.random.default_rng(4)
    points = {"x": rng.random((20, 2)), "y": rng.random((20, 2)) + 0.2}
    wide = rpw.solve(**points, p=3, k=0.01, tol=0.001, solver="lmr")
    assert wide.solver == "lmr"
    assert abs(wide.distance - rpw.distance(**points, p=3, k=0.01)) <= 0.001
    finer = rpw.solve(**points, p=8, k=1, tol=1e-4, solver="lmr")
    assert finer.solver in {"walk", "simplex"}
    assert finer.gap <= 1e-4


def test_k_zero_goes_to_total_variation_whatever_is_asked_for():
    for solver in ("auto", "exact", "lmr", "bisection"):
        result = rpw.solve([0.0, 1.0], [1.0, 2.0], k=0, tol=0.1, solver=solver)
        assert (result.distance, result.solver) == (0.5, "total_variation")


@pytest.mark.parametrize("solver", ["lmr", "bisection"])
def test_tol_zero_is_refused(solver):
    with pytest.raises(ValueError, match="tol"):
        rpw.solve([0.0], [1.0], solver=solver)
    with pytest.raises(ValueError, match="tol"):
        rpw.choose_solver([0.0], [1.0], solver=solver)


def test_bisection_has_no_profile():
    with pytest.raises(ValueError, match="bisection"):
        rpw.profile([0.0], [1.0], solver="bisection", tol=0.1)


@pytest.mark.parametrize("solver", ["auto", "exact", "walk", "simplex", "lmr", "bisection"])
def test_a_solver_that_has_nothing_to_do_is_said_to(solver):
    x, y, tol = [[0.0, 0.0], [1.0, 0.5]], [[0.0, 0.1], [1.0, 0.5]], 0.01
    for options, name, is_idle in (
        ({"k": 0}, "total_variation", solver not in ("auto", "exact")),
        ({"k": 0, "p": math.inf}, "total_variation", solver not in ("auto", "exact")),
        ({"p": math.inf}, solver if solver in ("lmr", "bisection") else "infinity", solver in ("walk", "simplex")),
        ({"p": 2}, None, False),
    ):
        chosen, reason = rpw.choose_solver(x, y, tol=tol, solver=solver, **options)
        assert (f"solver={solver!r} has nothing to do" in reason) == is_idle
        ran = rpw.solve(x, y, tol=tol, solver=solver, **options).solver
        assert name is None or name == chosen == ran


def test_choose_solver_says_what_runs():
    rng = np.random.default_rng(5)
    n = 1000
    points = {"x": rng.random((n, 2)), "y": rng.random((n, 2)), "a": rng.random(n), "b": rng.random(n)}
    for arguments in (
        {"tol": 0.01, "k": 10},
        {"tol": 0.01, "k": 1},
        {"p": INF},
        {"k": 0},
        {"tol": 0.01, "solver": "lmr"},
    ):
        name, reason = rpw.choose_solver(**points, **arguments)
        assert reason
        assert rpw.solve(**points, **arguments).solver in ({"walk", "simplex"} if name == "exact" else {name})
    assert rpw.choose_solver(**points, tol=0.1, k=10)[0] == "exact"  # LMR has to be asked for


def test_the_reason_names_cells_where_they_may_answer():
    x = np.random.default_rng(3).random((17_000, 2))
    y = np.sqrt(x[::-1])
    for points, solver in ((slice(None), "auto"), (slice(2000), "points")):
        asked = {"diameter": 1, "solver": solver}
        assert rpw.choose_solver(x[points], y[points], **asked)[0] == "points"
        assert "cells" not in rpw.choose_solver(x[points], y[points], **asked)[1]
        assert "cells of many points" in rpw.choose_solver(x[points], y[points], tol=0.05, **asked)[1]
    assert "cells" not in rpw.choose_solver(x[:2000], y[:2000], tol=0.05, diameter=1)[1]
    assert "cells" not in rpw.choose_solver(x, y, tol=0.05, p=INF, diameter=1)[1]
    # Fewer pivots than a walk to the end: cells have answered.
    whole, rough = (rpw.solve(x[:2000], y[:2000], tol=tol, **asked) for tol in (0.0, 0.05))
    assert rough.iterations < whole.iterations / 4


@pytest.mark.parametrize("solver", ["auto", "exact", "walk", "simplex"])
def test_what_runs_on_the_line_is_what_was_said(solver):
    """At p = inf a strategy that was asked for has nothing to do; maximum flows ran where the line was named."""
    x, y = [0.0, 1.0, 3.0], [0.1, 1.2, 7.0]
    name, reason = rpw.choose_solver(x, y, p=INF, solver=solver)
    assert name == rpw.solve(x, y, p=INF, solver=solver).solver == "line"
    assert ("has nothing to do" in reason) == (solver in ("walk", "simplex"))


@pytest.mark.parametrize("solver", ["lmr", "bisection", "exact"])
@pytest.mark.parametrize("p", [1, 2, INF])
def test_time_limit_gives_a_proven_interval(solver, p):
    rng = np.random.default_rng(6)
    points = {"x": rng.random((400, 2)), "y": rng.random((400, 2)) + 0.1}
    exact = rpw.distance(**points, p=p, k=3)
    for seconds in (0.0, 0.001, 0.01):
        result = rpw.solve(**points, p=p, k=3, tol=1e-6, time_limit=seconds, solver=solver)
        assert result.lower - 1e-12 <= exact <= result.upper + 1e-12
        assert result.status in {"time_limit", "tolerance", "exact"}
        assert math.isfinite(result.cost)


@pytest.mark.sample(15)
@pytest.mark.parametrize("solver", ["lmr", "exact", "bisection"])
@pytest.mark.parametrize("tol", [1e-300, 1e-9, 0.3, 5.0, 1e300])
@pytest.mark.parametrize("p", [1, 100, 300, 1e6, INF])
def test_extreme_tolerances_and_powers(solver, tol, p):
    if solver == "bisection" and tol < 1e-9:
        pytest.skip("halving down to 1e-300 takes its time")
    problem = {"x": [0.0, 1.0], "y": [0.0, 2.0], "p": p, "k": 1}
    exact = rpw.distance(**problem)
    result = rpw.solve(**problem, tol=tol, solver=solver)
    assert result.lower - 1e-12 <= exact <= result.upper + 1e-12
    assert result.gap <= tol


def test_costs_beyond_the_cap_are_not_used():
    # A cap above 2**53 is not a float64: rounding it down once made capped pairs look usable.
    result = rpw.solve(cost=[[1.0]], p=8, k=0.05, tol=0.002, solver="lmr")
    assert result.upper >= rpw.distance(cost=[[1.0]], p=8, k=0.05) - 1e-12
    assert result.cost <= 0.05 * result.distance * (1 + 1e-9)


@pytest.mark.parametrize(("scale", "tol"), [(1.0, 1e300), (1e150, 1e-9), (1.0, 1e-9)])
def test_extreme_tolerances_of_a_profile(scale, tol):
    x, y = np.array([0.0, 1.0]) * scale, np.array([0.0, 2.0]) * scale
    near = rpw.profile(x, y, p=1, solver="lmr", tol=tol)
    exact = rpw.profile(x, y, p=1)
    assert 0 <= near(1.0) - exact(1.0) <= tol


def test_what_is_proven_within_tol_excludes_nothing():
    """Bounds that nearly meet were closed upwards, beyond the exact answer."""
    for seed in range(12, 36):
        rng = np.random.default_rng(seed)
        x, y, a = rng.integers(0, 8, (38, 2)) / 8, rng.integers(0, 8, (53, 2)) / 8, rng.random(38)
        rough, exact = (rpw.solve(x, y, a=a, p=9.5, k=0.0106, diameter=1, tol=tol) for tol in (1e-6, 0))
        assert rough.lower <= exact.upper * (1 + 1e-14)
        assert exact.lower * (1 - 1e-14) <= rough.upper <= rough.lower + 1e-6
