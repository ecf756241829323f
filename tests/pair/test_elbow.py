"""The elbow of a profile: planted shares of outliers, none, and what it says that it cannot do."""

import math
import pickle

import numpy as np
import pytest

import rpw

INF = math.inf
FAMILIES = ["normal", "uniform", "integer", "lattice", "t3"]


def inliers(rng, family, n, d):
    """A sample, and the scale of its distribution: the root of the mean squared distance from the centre."""
    points, deviation = {
        "normal": lambda: (rng.normal(size=(n, d)), 1.0),
        "uniform": lambda: (rng.random((n, d)), 12**-0.5),
        "integer": lambda: (np.round(rng.normal(40, 6, (n, d))), 6.0),
        "lattice": lambda: (rng.integers(0, 5, (n, d)).astype(float), 2**0.5),
        "t3": lambda: (rng.standard_t(3, (n, d)), 3**0.5),
    }[family]()
    return points, deviation * d**0.5


def directions(rng, count, d):
    towards = rng.normal(size=(count, d))
    return towards / np.linalg.norm(towards, axis=1, keepdims=True)


def places(rng, count, d, scale, how):
    """Where outliers lie, at least 10 scales from the centre."""
    if how == "together":
        return 10.5 * scale * directions(rng, 1, d) + 0.1 * scale * rng.normal(size=(count, d))
    if how == "one value":
        return np.repeat(rng.uniform(12, 40) * scale * directions(rng, 1, d), count, axis=0)
    if how == "ring":
        return 10 * scale * directions(rng, count, d)
    return 10 * scale * np.exp(rng.exponential(2, (count, 1))) * directions(rng, count, d)  # scattered


def places_of_both(rng, counts, d, scale, how):
    """For both clouds; those of one at least 10 scales from those of the other, else they would be no outliers."""
    if how in ("together", "one value"):
        first = places(rng, counts[0], d, scale, how)
        return first, -first.mean(axis=0) + np.zeros((counts[1], d))
    apart = np.empty((0, d))
    while len(apart) < sum(counts):
        (one,) = places(rng, 1, d, scale, "scattered")
        if len(apart) == 0 or np.linalg.norm(apart - one, axis=1).min() >= 10 * scale:
            apart = np.vstack([apart, one])
    return apart[: counts[0]], apart[counts[0] :]


def planted(seed, family, d, sizes, share, sides, how):
    """Two clouds with outliers, and the share of inliers."""
    rng = np.random.default_rng(seed)
    clouds, scale = [], 1.0
    for n in sizes:
        points, scale = inliers(rng, family, n, d)
        clouds.append(points)
    counts = [round(share * n) if side in sides else 0 for n, side in zip(sizes, "ab", strict=True)]
    centre = clouds[0].mean(axis=0)
    if sides == "ab":
        out = places_of_both(rng, counts, d, scale, how)
    else:
        out = [places(rng, count, d, scale, how) for count in counts]
    for points, where, count in zip(clouds, out, counts, strict=True):
        points[:count] = centre + where
    return *clouds, 1 - max(count / n for count, n in zip(counts, sizes, strict=True))


def a_case(rng):
    """Everything but the family, drawn at random."""
    d, p = int(rng.choice([1, 2, 5])), int(rng.choice([1, 2, 3]))
    sizes = (
        [int(n) for n in rng.choice([100, 150, 250], 2)] if rng.random() < 0.5 else [int(rng.integers(100, 300))] * 2
    )
    if rng.random() < 0.03:
        sizes = [1000, 1000]
    how = str(rng.choice(["together", "one value", "ring", "scattered"]))
    return d, p, sizes, math.exp(rng.uniform(math.log(0.01), math.log(0.3))), str(rng.choice(["a", "b", "ab"])), how


@pytest.mark.sample(2)
@pytest.mark.parametrize("family", FAMILIES)
def test_planted_outliers_are_found(family):
    """1 to 30 %, 10 scales away or more, in one cloud or in both: within 0.01 in 95 % of the cases."""
    rng, right = np.random.default_rng(FAMILIES.index(family)), []
    for seed in range(80):
        d, p, sizes, share, sides, how = a_case(rng)
        x, y, truth = planted(seed, family, d, sizes, share, sides, how)
        right.append(abs(rpw.profile(x, y, p=p).elbow() - truth) <= 0.01 + 1e-9)
    assert np.mean(right) >= 0.95


@pytest.mark.sample(2)
@pytest.mark.parametrize("family", FAMILIES)
def test_where_none_are_planted_none_are_named(family):
    """In 95 % of the cases."""
    rng, right = np.random.default_rng(10 + FAMILIES.index(family)), []
    for seed in range(80):
        d, p, (n, m), *_ = a_case(rng)
        sample = np.random.default_rng(seed)
        x, y = inliers(sample, family, n, d)[0], inliers(sample, family, m, d)[0]
        right.append(rpw.profile(x, y, p=p).elbow() == 1.0)
    assert np.mean(right) >= 0.95


@pytest.mark.parametrize("p", [1, 2, 3, INF])
def test_ages_with_999(p):
    """5 % of them; the rule that took a slope which rises from 0 for the largest jump gave 0.851."""
    rng = np.random.default_rng(0)
    x, y = (np.clip(np.round(rng.normal(45, 18, 1000)), 0, 100) for _ in range(2))
    assert rpw.profile(x, y, p=p).elbow() == 1.0
    y[rng.permutation(1000)[:50]] = 999
    assert rpw.profile(x, y, p=p).elbow() == 0.95
    assert rpw.profile(y, x[:700], p=p).elbow() == pytest.approx(0.95, abs=0.01)


@pytest.mark.parametrize("p", [1, 2, 3, INF])
@pytest.mark.parametrize("sides", ["a", "b", "ab"])
def test_as_many_as_the_elbow_says_have_the_highest_scores(sides, p):
    """The recipe of docs/howto/outliers.md: the points are those that were planted."""
    x, y, truth = planted(7, "normal", 2, [300, 300], 0.05, sides, "scattered")
    profile = rpw.profile(x, y, p=p)
    assert profile.elbow() == pytest.approx(truth, abs=1e-12)
    for side, scores in (("a", profile.scores_a), ("b", profile.scores_b)):
        if side in sides:
            assert set(np.argsort(scores)[round(profile.elbow() * 300) :]) == set(range(15))


def test_the_fewer_the_farther():
    """Three of a thousand are named at 60 deviations, and one too; one at 10 may be the end of a heavy tail."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=1000), rng.normal(size=1000)
    for count, far, elbow in ((3, 60, 0.997), (1, 60, 0.999), (1, 10, 1.0), (30, 10, 0.97)):
        moved = y.copy()
        moved[:count] = far
        assert rpw.profile(x, moved).elbow() == pytest.approx(elbow, abs=1e-12)


def test_what_both_have_is_no_outlier():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(200, 2)), rng.normal(size=(200, 2))
    x[:20] += 50
    y[:20] += 50
    assert rpw.profile(x, y).elbow() == 1.0
    y[100:110] = [300, 0]
    assert rpw.profile(x, y).elbow() == pytest.approx(0.95, abs=1e-12)


@pytest.mark.parametrize("shift", [0.5, 1.0])
@pytest.mark.parametrize("p", [2, 3])
def test_a_shift_is_no_outlier(p, shift):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        assert rpw.profile(rng.normal(size=200), rng.normal(shift, 1, 150), p=p).elbow() == 1.0


@pytest.mark.parametrize("p", [1, 2, INF])
def test_values_that_are_mostly_equal(p):
    """Rare ones, and many zeros: what differs from the others is not out for that."""
    rng = np.random.default_rng(1)
    for share in (0.02, 0.05, 0.3):
        x, y = (rng.random((2, 300)) < share).astype(float)
        assert rpw.profile(x, y, p=p).elbow() == 1.0
    x, y = rng.exponential(size=(2, 300)) * (rng.random((2, 300)) < 0.2)
    assert rpw.profile(x, y, p=p).elbow() == 1.0
    assert rpw.profile(np.zeros(9), np.zeros(9), p=p).elbow() == 1.0
    assert rpw.profile(np.zeros(9), np.ones(9), p=p).elbow() == 1.0


def test_it_depends_on_nothing_but_the_measures():
    x, y, truth = planted(3, "normal", 2, [200, 150], 0.08, "b", "ring")
    rng = np.random.default_rng(0)
    cost = np.linalg.norm(x[:, None] - y, axis=2)
    for given in (
        rpw.profile(x, y),
        rpw.profile(y, x),
        rpw.profile(x[rng.permutation(200)], y[rng.permutation(150)]),
        rpw.profile(1e-200 * x, 1e-200 * y, p=1),
        rpw.profile(1e200 * x, 1e200 * y, p=1, diameter=1e200),
        rpw.profile(cost=cost),
        rpw.profile(np.vstack([np.full((3, 2), 1e9), x]), y, [0, 0, 0, *np.ones(200)]),  # atoms without weight
        rpw.profile(np.repeat(x, 2, axis=0), y),
    ):
        assert given.elbow() == pytest.approx(truth, abs=1e-12)


def test_it_stays_when_the_matrix_changes_and_the_metric_is_lost():
    x, y, truth = planted(3, "normal", 2, [60, 60], 0.1, "b", "ring")
    cost = np.linalg.norm(x[:, None] - y, axis=2)
    profile = rpw.profile(cost=cost)
    cost[:] = 1
    assert profile.elbow() == pytest.approx(truth, abs=1e-12)
    of_callable = rpw.profile(x, y, metric=lambda u, v: float(np.abs(u - v).max()))
    again = pickle.loads(pickle.dumps(of_callable))
    assert again == of_callable
    assert again.elbow() == of_callable.elbow() == pytest.approx(truth, abs=1e-12)


def test_a_dear_metric_is_asked_no_more_than_once_for_each_pair():
    calls = []
    x, y = np.random.default_rng(0).random((2, 12, 2))
    rpw.profile(x, y, metric=lambda u, v: calls.append(1) or float(np.abs(u - v).max())).elbow()
    assert len(calls) <= 2 * 12 * 12  # once for the profile


def test_the_pairs_it_looks_at_stand_for_all():
    """Whatever the order and the weights: the quantiles of their distances are those of all pairs."""
    from rpw.pair.elbow import spread_of
    from rpw.pair.problem import as_problem

    rng = np.random.default_rng(0)
    x, y = np.sort(rng.normal(size=400)), np.sort(rng.exponential(size=300))
    a = rng.integers(0, 4, 400)
    found = spread_of(as_problem(x, y, a, None))
    every = np.abs(np.repeat(x, a)[:, None] - y).ravel()
    levels = np.linspace(0.05, 0.95, 10)
    ranks = np.searchsorted(np.sort(every), np.quantile(found.distances, levels)) / len(every)
    np.testing.assert_allclose(ranks, levels, atol=0.02)
    assert found.atoms == pytest.approx(a.sum() ** 2 / (a**2).sum())
