"""Profiles of measures on the line, exact and within a tolerance, and the scores of their points."""

import time

import numpy as np
import pytest
from lines import ALL_P, INF, between, random_points, random_problem, relative_error

import rpw


@pytest.mark.parametrize("p", ALL_P)
def test_profile_equals_the_dense_one(p):
    """All breakpoints for p = 1 and p = inf, on grids too, where many paths cost the same."""
    rng = np.random.default_rng(13)
    masses = np.linspace(0, 1, 101)
    for _ in range(60):
        x, y, a, b = random_problem(rng, most=30)
        dense = rpw.profile(None, None, a, b, cost=between(x, y), p=p, diameter=1)
        sparse = rpw.profile(x, y, a, b, p=p, diameter=1)
        assert sparse.solver == ("line" if p in (1, INF) else sparse.solver)
        np.testing.assert_allclose(sparse(masses), dense(masses), rtol=1e-10, atol=1e-10 * dense(1.0))
        for k in (0.1, 1.0, 10.0):
            assert relative_error(sparse.distance(k), dense.distance(k)) <= 1e-11
        assert (np.diff(sparse._slopes) > 0).all()


def test_steps_at_infinity_are_those_of_the_dense_profile():
    rng = np.random.default_rng(14)
    for _ in range(60):
        x, y, a, b = random_problem(rng, most=30)
        dense, sparse = rpw.profile(None, None, a, b, cost=between(x, y), p=INF), rpw.profile(x, y, a, b, p=INF)
        np.testing.assert_array_equal(sparse.cost_p, dense.cost_p)
        np.testing.assert_allclose(sparse.unmoved, dense.unmoved, rtol=0, atol=1e-15)


def flow_in_order(x, y, a, b, threshold):
    """The largest flow over pairs no longer than the threshold: in order, each takes the first that it reaches."""
    left_x, left_y = list(a), list(b)
    i = j = moved = 0
    while i < len(x) and j < len(y):
        if abs(x[i] - y[j]) <= threshold:
            amount = min(left_x[i], left_y[j])
            left_x[i] -= amount
            left_y[j] -= amount
            moved += amount
            i += left_x[i] == 0
            j += left_y[j] == 0
        elif x[i] < y[j]:
            i += 1
        else:
            j += 1
    return moved


def long_problems():
    """Measures that are mixed, that lie apart, and that do both; whole masses of equal sum."""
    rng = np.random.default_rng(28)
    for turn in range(12):
        n, m = (60, 60) if turn % 3 == 0 else rng.integers(40, 90, 2)
        x, y = rng.normal(size=n), rng.normal(size=m) ** (1 + turn % 2)
        if turn >= 4:
            x, y = np.abs(x), 2.0 * (turn % 4) + y
        if turn % 5 == 4:
            x, y = np.round(x, 1), np.round(y, 1)
        a, b = (np.ones(n, int), np.ones(m, int)) if turn % 3 == 0 else (rng.integers(1, 40, n), rng.integers(1, 40, m))
        yield np.sort(x), np.sort(y), a * b.sum(), b * a.sum()


def test_every_step_at_infinity_is_where_the_flow_grows():
    """As it is at the threshold of each step, and as it was before at all that are shorter."""
    for x, y, a, b in long_problems():
        profile = rpw.profile(x, y, a, b, p=INF)
        assert profile.solver == "line"
        assert profile.mass[-1] == 1
        before = flow_in_order(x, y, a, b, 0) if profile.cost_p[1] > 0 else 0
        assert before == 0
        for threshold, mass in zip(profile.cost_p[1:], profile.mass[1:], strict=True):
            assert flow_in_order(x, y, a, b, np.nextafter(threshold, -1)) == before
            before = flow_in_order(x, y, a, b, threshold)
            assert before / a.sum() == pytest.approx(mass, abs=1e-14)


def test_steps_at_infinity_are_those_of_all_points():
    """Long stretches that cannot hold the longest pair are skipped: the steps are still partial costs."""
    rng = np.random.default_rng(29)
    n = 5_000
    for x, y in (
        (rng.random(n), rng.random(n) + 2),
        (rng.normal(size=n), rng.random(n)),
        (rng.random(n) ** 2, rng.random(n) + 0.5),
    ):
        for a, b in ((None, None), (rng.random(n), rng.random(n))):
            profile = rpw.profile(x, y, a, b, p=INF)
            assert len(profile) > 0.9 * n
            middles = (profile.mass[1:] + profile.mass[:-1]) / 2
            for step in rng.integers(0, len(middles), 12):
                assert rpw.partial_wasserstein(x, y, a, b, p=INF, mass=middles[step]) == profile.cost_p[step + 1]


def ends_soon(ask):
    """What `ask` gives. It takes about a second; work that grows with the square of the points would take minutes."""
    start = time.monotonic()
    found = ask()
    assert time.monotonic() - start < 20
    return found


@pytest.mark.sample(1)
@pytest.mark.parametrize("shift", [0.0, 0.5, 2.3])
def test_steps_at_infinity_of_a_regular_grid(shift):
    """All blocks are equally good. Taken from one end to the other they would make one that grows again and again."""
    n = 160_000
    x, a = np.arange(float(n)), 1 + np.arange(n) % 3
    y, b = x + shift, np.roll(a, 1)
    profile = ends_soon(lambda: rpw.profile(x, y, a, b, p=INF, diameter=1))
    assert profile.solver == "line"
    assert profile.mass[-1] == 1
    assert len(profile) < 30
    for threshold, mass in list(zip(profile.cost_p, profile.mass, strict=True))[1:][-3:]:
        assert flow_in_order(x, y, a, b, threshold) / a.sum() == pytest.approx(mass, abs=1e-12)


def test_scores_at_infinity_of_a_regular_grid():
    """Which of equal blocks comes first changes nothing: an atom's score is when the last of it moves."""
    a, b = [1, 2, 3, 1, 2, 3], [3, 1, 2, 3, 1, 2]
    x = np.arange(6.0)
    profile, dense = rpw.profile(x, x, a, b, p=INF), rpw.profile(None, None, a, b, cost=between(x, x), p=INF)
    np.testing.assert_array_equal(profile.cost_p, dense.cost_p)
    np.testing.assert_allclose(profile.mass, dense.mass, rtol=0, atol=1e-15)
    assert set(profile.scores_a) | set(profile.scores_b) <= set(profile.cost_p)


@pytest.mark.parametrize("tol", [0, 0.01])
def test_profile_of_points_that_are_all_equal(tol):
    x = np.full(300_000, 7.0)
    profile = ends_soon(lambda: rpw.profile(x, x, p=2, diameter=1, tol=tol))
    assert profile.solver == "line"
    assert profile(1.0) == profile.distance(1.0) == profile.distance(0.0) == 0


@pytest.mark.parametrize("tol", [0, 0.01])
def test_profile_of_equal_masses_on_two_places(tol):
    """A quarter of 1 % has to move by 1, and the rest stays where it is."""
    n, far = 400_000, 1_000
    x, y = (np.arange(n) < n // 2).astype(float), (np.arange(n) < n // 2 + far).astype(float)
    profile = ends_soon(lambda: rpw.profile(x, y, p=2, diameter=1, tol=tol))
    assert profile.solver == "line"
    np.testing.assert_allclose(profile.mass, [0, 1 - far / n, 1], rtol=0, atol=1e-15)
    np.testing.assert_allclose(profile.cost_p, [0, 0, far / n], rtol=1e-12)


@pytest.mark.parametrize("p", [2, 5])
def test_profile_of_equal_masses_that_leave_one_place_for_another(p):
    """Pairs one inside the other around one block: its equal pairs are one term of the sum, not one each."""
    n = 400_000
    x, y = (np.arange(n) < n // 4).astype(float), (np.arange(n) < 3 * n // 4).astype(float)
    profile = ends_soon(lambda: rpw.profile(x, y, p=p, diameter=1))
    assert profile.solver == "line"
    np.testing.assert_allclose(profile.mass, [0, 0.5, 1], rtol=0, atol=1e-15)
    np.testing.assert_allclose(profile.cost_p, [0, 0, 0.5], rtol=1e-12)


def test_profile_of_equal_masses_behind_a_far_point():
    """Every second pair of the grid is next to the block of the far point, which must not be summed up each time."""
    n = 300_000
    x, y = np.append(-5.0, np.arange(n) + 0.125), np.append(np.arange(float(n)), n + 5.0)
    profile = ends_soon(lambda: rpw.profile(x, y, p=2, diameter=1))
    assert profile.solver == "line"
    assert profile(n / (n + 1)) == pytest.approx(0.125 * np.sqrt(n / (n + 1)), rel=1e-12)
    assert profile(1.0) == pytest.approx(rpw.wasserstein(x, y, p=2), rel=1e-12)


@pytest.mark.parametrize("p", [1.5, 2, 3])
def test_profile_between_equal_masses_with_ties_everywhere(p):
    """Few places, so that rows and columns share them, and long rows of pairs that cost the same."""
    rng = np.random.default_rng(31)
    masses = np.linspace(0, 1, 101)
    for turn in range(60):
        n, places = rng.integers(1, 40 if turn % 3 else 120), rng.integers(1, 6)
        x, y = rng.integers(0, places, n), rng.integers(0, places, n) + 0.5 * (turn % 2)
        dense, sparse = rpw.profile(cost=between(x, y), p=p), rpw.profile(x, y, p=p, diameter=1)
        assert sparse.solver == "line"
        np.testing.assert_allclose(sparse(masses), dense(masses), rtol=1e-12, atol=1e-12 * dense(1.0))


@pytest.mark.parametrize("p", [1.5, 2, 3])
def test_profile_between_equal_masses(p):
    """Pair by pair, without a matrix."""
    rng = np.random.default_rng(15)
    masses = np.linspace(0, 1, 101)
    for _ in range(60):
        n = rng.integers(1, 40)
        x, y = random_points(rng, n), random_points(rng, n)
        dense, sparse = rpw.profile(cost=between(x, y), p=p), rpw.profile(x, y, p=p)
        assert sparse.solver == "line"
        np.testing.assert_allclose(sparse(masses), dense(masses), rtol=1e-12, atol=1e-12 * dense(1.0))
        assert len(sparse) <= n + 1


@pytest.mark.parametrize("p", [1.5, 2, 3.5])
def test_profile_between_equal_masses_gives_the_distances(p):
    """Every breakpoint is a solve of another kind: mixed points, measures apart from each other, and ties."""
    rng = np.random.default_rng(23)
    n = 3000
    x, y = rng.normal(size=n), 1.1 * rng.normal(size=n) + 0.2
    for pair in ((x, y), (x, y + 20), (np.round(x, 1), np.round(y, 1)), (x, x[::-1] + 1e-6)):
        profile = rpw.profile(*pair, p=p, diameter=1)
        assert profile.solver == "line"
        for k in (0.1, 1.0, 10.0):
            assert relative_error(profile.distance(k), rpw.distance(*pair, p=p, k=k, diameter=1)) <= 1e-12
        for mass in (0.3, 0.75, 1.0):
            assert relative_error(profile(mass), rpw.partial_wasserstein(*pair, p=p, mass=mass)) <= 1e-12


def test_profile_for_p_1_where_flows_are_reversed_again_and_again():
    """Pairs that enclose a cluster and push flow through it in turn: about n²/4 breakpoints, found all the same."""
    turns, gaps = 12, 10
    cluster = np.arange(2 * gaps, dtype=float)
    outer = 100.0 * 4.0 ** np.arange(turns)
    left, right = -outer, outer + 2 * gaps
    is_even = np.arange(turns) % 2 == 0
    x = np.concatenate([cluster[:gaps], np.where(is_even, left, right)])
    y = np.concatenate([cluster[gaps:], np.where(is_even, right, left)])
    heights = 0.01 * np.arange(1, gaps + 1)
    pushes = np.full(turns, 4.0)
    pushes[0] = 2.0
    a, b = np.concatenate([heights, pushes]), np.concatenate([heights[::-1], pushes])
    dense, sparse = rpw.profile(None, None, a, b, cost=between(x, y), p=1), rpw.profile(x, y, a, b, p=1)
    assert sparse.solver == "line"
    assert len(sparse) > turns * gaps
    masses = np.linspace(0, 1, 301)
    np.testing.assert_allclose(sparse(masses), dense(masses), rtol=1e-12, atol=1e-12 * dense(1.0))


def test_profile_within_a_tolerance_is_a_sandwich():
    rng = np.random.default_rng(8)
    x, y, a = rng.normal(size=300), rng.normal(size=200) + 0.3, rng.dirichlet(np.ones(300))
    exact, rough = rpw.profile(x, y, a, p=2), rpw.profile(x, y, a, p=2, tol=1e-3)
    masses = np.linspace(0, 1, 501)
    excess = rough(masses) - exact(masses)
    assert excess.min() >= -1e-12
    assert excess.max() <= 1e-3
    assert len(rough) < len(exact) / 10


@pytest.mark.parametrize("p", [1, 1.5, 2])
def test_profile_between_chords_and_lines(p):
    """Where the walk finds all of it: as few breakpoints as tol allows, and the scores of the exact one."""
    rng = np.random.default_rng(24)
    for tol in (1e-1, 1e-2, 1e-3):
        x, y = rng.normal(size=300), 1.2 * rng.normal(size=300) + 0.3
        a, b = (rng.random(300), rng.random(300)) if p == 1 else (None, None)
        exact, rough = rpw.profile(x, y, a, b, p=p), rpw.profile(x, y, a, b, p=p, tol=tol)
        assert rough.solver == "line"
        assert len(rough) + len(rough.lower) < len(exact) / 3
        masses = np.unique(np.concatenate([exact.mass, rough.mass, rough.lower.mass]))
        assert (rough(masses) >= exact(masses) - 1e-12).all()
        assert (rough.lower(masses) ** p <= exact(masses) ** p + 1e-12).all()
        assert (rough(masses) - rough.lower(masses)).max() <= tol + 1e-12
        assert rough(1.0) == exact(1.0)
        np.testing.assert_array_equal(rough.scores_a, exact.scores_a)
    assert rpw.profile(x, y, a, b, p=p, tol=1e-300) == exact
    with pytest.raises(ValueError, match="max_breakpoints=20"):
        rpw.profile(x, y, a, b, p=p, tol=1e-12, max_breakpoints=20)
    assert len(rpw.profile(x, y, a, b, p=p, tol=0.1, max_breakpoints=20)) <= 20


def test_profile_within_a_tolerance_of_equal_masses_that_lie_apart():
    """There the exact profile takes a sum over all pairs, and prices find the two curves in its place."""
    rng = np.random.default_rng(31)
    n = 20_000
    x, y = rng.random(n), rng.random(n) + 2
    exact = rpw.profile(x, y, p=2, diameter=1)
    tol = 1e-3 * exact(1.0)
    rough = rpw.profile(x, y, p=2, tol=tol, diameter=1)
    assert rough.solver == "line"
    masses = np.union1d(exact.mass[::17], np.union1d(rough.mass, rough.lower.mass))
    assert (rough(masses) >= exact(masses) - 1e-9).all()
    assert (rough.lower(masses) <= exact(masses) + 1e-9).all()
    assert (rough(masses) - rough.lower(masses)).max() <= tol + 1e-9
    with pytest.raises(ValueError, match="leave tol out"):
        _ = rough.scores_a
    ks = [0.1, 1.0, 10.0]
    several = rpw.pairwise([x], [y], p=2, k=ks, diameter=1).ravel()
    np.testing.assert_allclose(several, exact.distance(ks), rtol=1e-12)


@pytest.mark.parametrize("p", [1, 1.5, 2, 3])
def test_scores_equal_those_of_the_dense_walk(p):
    rng = np.random.default_rng(25)
    for turn in range(40):
        n = int(rng.integers(1, 25))
        m = int(rng.integers(1, 25)) if p == 1 else n
        x, y = rng.normal(size=n), rng.normal(size=m)
        a, b = (rng.random(n) + 0.01, rng.random(m) + 0.01) if p == 1 and turn % 2 else (None, None)
        sparse, dense = rpw.profile(x, y, a, b, p=p), rpw.profile(x, y, a, b, p=p, solver="walk")
        assert (sparse.solver, dense.solver) == ("line", "walk")
        np.testing.assert_allclose(sparse.scores_a, dense.scores_a, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(sparse.scores_b, dense.scores_b, rtol=1e-9, atol=1e-12)


@pytest.mark.sample(1)
@pytest.mark.parametrize("p", [1, 2])
def test_scores_of_many_points(p):
    """A matrix would be 80 GB. The atoms with a score above λ are those that the cheapest plan at λ leaves."""
    rng = np.random.default_rng(26)
    n = 100_000
    x, y = rng.normal(size=n), rng.normal(size=n)
    y[:500] += 20
    profile = rpw.profile(x, y, p=p)
    assert set(np.argsort(profile.scores_b)[-500:]) == set(range(500))
    kept = rpw.transport(x, y, p=p, mass=0.9)
    for scores, behind in ((profile.scores_a, kept.unmatched_a), (profile.scores_b, kept.unmatched_b)):
        is_left = behind > 0.5 / n
        assert is_left.sum() == n // 10
        assert scores[is_left].min() >= scores[~is_left].max() * (1 - 1e-9)


@pytest.mark.parametrize("digits", [1, 17])
def test_scores_at_infinity_tell_how_much_has_moved(digits):
    """A matrix would be 80 GB. Atoms with no larger a score than t make up the largest flow over pairs up to t."""
    rng = np.random.default_rng(30)
    n = 100_000
    x, y = np.round(rng.normal(size=n), digits), np.round(rng.normal(size=n) + 0.1, digits)
    y[:500] += 20
    profile = rpw.profile(x, y, p=INF)
    for points, scores in ((x, profile.scores_a), (y, profile.scores_b)):
        for step in range(1, len(profile), 1 + len(profile) // 20):
            used_up = scores <= profile.cost_p[step]
            assert used_up.sum() / n <= profile.mass[step] + 1e-12
            if digits > 1:
                assert used_up.sum() / n == pytest.approx(profile.mass[step], abs=1e-12)
        assert len(np.unique(np.stack([points, scores]), axis=1).T) == len(np.unique(points))
    assert set(np.argsort(profile.scores_b)[-500:]) == set(range(500))


def test_scores_need_the_exact_profile():
    rng = np.random.default_rng(27)
    x, y, a = rng.random(4000), rng.random(4000), rng.random(4000)
    for p in (2, INF):
        with pytest.raises(ValueError, match="leave tol out"):
            _ = rpw.profile(x, y, a, p=p, tol=0.1).scores_a
