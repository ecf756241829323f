"""Scores and masks of outliers: by the linear programme of each price, and on planted ones."""

import math
import pickle

import matplotlib
import numpy as np
import oracles
import pytest
from scipy.stats import mannwhitneyu

import rpw

matplotlib.use("Agg")
INF = math.inf


def left_at(price, cost_p, a, b):
    """What the cheapest plan leaves where each unit that moves earns ``price``."""
    plan = oracles._solve_lp((cost_p - price).ravel(), a, b, None).x.reshape(cost_p.shape)
    return a - plan.sum(axis=1), b - plan.sum(axis=0)


@pytest.mark.sample(1)
@pytest.mark.parametrize("p", [1, 2, 3])
def test_scores_are_the_prices_at_which_atoms_are_used_up(p):
    """Points in general position: at each price between two slopes one plan is the cheapest."""
    rng = np.random.default_rng(p)
    for _ in range(8):
        x, y, a, b = rng.random((7, 2)), rng.random((6, 2)), rng.dirichlet(np.ones(7)), rng.dirichlet(np.ones(6))
        profile = rpw.profile(x, y, a, b, p=p)
        slopes = np.unique([profile.slope(mass) for mass in profile.mass[:-1]])
        for price in (slopes[1:] + slopes[:-1]) / 2:
            for left, scores in zip(
                left_at(price, oracles.euclidean(x, y) ** p, a, b), scores_of(profile), strict=True
            ):
                np.testing.assert_array_equal(left > 1e-8, scores**p > price)


def scores_of(profile):
    return profile.scores_a, profile.scores_b


def test_scores_at_infinity_are_thresholds():
    rng = np.random.default_rng(0)
    x, y = rng.random((8, 2)), rng.random((8, 2))
    profile = rpw.profile(x, y, p=INF)
    for scores, size in zip(scores_of(profile), (8, 8), strict=True):
        for threshold in np.unique(scores):  # so many are used up as the flow says; which, may be a choice
            flow = oracles.lp_flow(oracles.euclidean(x, y), None, None, threshold)
            assert (scores <= threshold).sum() == round(flow * size)


@pytest.mark.parametrize("p", [1, 2, INF])
def test_planted_scores(p):
    profile = rpw.profile([0.0, 1.0, 9.0], [0.0, 1.5, 2.0], p=p)
    np.testing.assert_allclose(profile.scores_a, [0, 0.5, 7], rtol=1e-12)
    np.testing.assert_allclose(profile.scores_b, [0, 0.5, 7], rtol=1e-12)


@pytest.mark.parametrize("p", [1, 2, INF])
def test_ties_have_the_same_score(p):
    profile = rpw.profile([0.0, 10.0, 20.0], [1.0, 11.0, 21.0], p=p)
    np.testing.assert_array_equal(profile.scores_a, [1, 1, 1])
    # Equal points: any of them may be the last.
    profile = rpw.profile([0.0, 0.0, 0.0, 5.0], [0.0, 0.0, 3.0, 5.0], [1, 1, 1, 1], p=p)
    np.testing.assert_array_equal(profile.scores_a, [3, 3, 3, 0])
    assert profile.scores_b.tolist() == [0, 0, 3, 0]


def test_a_rest_from_the_rounding_of_weights_is_no_outlier():
    """0.1 + 0.2 is not 0.3 in float64, nor in multiples of 2**-60."""
    x, y = [0.0, 0.1, 5.0, 9.0], [0.05, 5.1, 8.5]
    profile = rpw.profile(x, y, [0.1, 0.2, 0.3, 0.4], [0.3, 0.3, 0.4])
    np.testing.assert_allclose(profile.scores_b, [0.05, 0.1, 0.5], rtol=1e-12)
    profile = rpw.profile(y, x, [0.3, 0.3, 0.4], [0.1, 0.2, 0.3, 0.4])
    np.testing.assert_allclose(profile.scores_a, [0.05, 0.1, 0.5], rtol=1e-12)


def test_scores_of_atoms_without_weight_and_of_costs():
    profile = rpw.profile(cost=[[0.0, 2.0], [9.0, 1.0], [3.0, 3.0]], a=[1, 1, 0], p=1)
    assert profile.scores_a.tolist() == [0, 1, 0]
    assert pickle.loads(pickle.dumps(profile)).scores_b.tolist() == [0, 1]
    with pytest.raises(ValueError, match="scores need the exact profile"):
        _ = rpw.profile([0.0, 1.0], [0.5, 2.0], solver="lmr", tol=0.1).scores_a


# ---------------------------------------------------------------- planted outliers


def planted(seed, n=300, share=0.05):
    """A cloud, another sample of it with outliers elsewhere, and which those are."""
    rng = np.random.default_rng(seed)
    count = round(share * n)
    x, y = rng.normal(0, 0.1, (n, 2)), rng.normal(0, 0.1, (n, 2))
    angle = rng.uniform(0, 2 * math.pi, count)
    y[:count] = rng.uniform(1.2, 1.8, (count, 1)) * np.column_stack([np.cos(angle), np.sin(angle)])
    return x, y, np.arange(n) < count


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_scores_tell_planted_outliers(seed, p):
    x, y, is_out = planted(seed)
    profile = rpw.profile(x, y, p=p)
    scores = profile.scores_b
    wins = mannwhitneyu(scores[is_out], scores[~is_out]).statistic
    assert wins / (is_out.sum() * (~is_out).sum()) > 0.99  # the area under the curve
    at_elbow = rpw.transport(x, y, p=p, mass=profile.elbow())
    np.testing.assert_array_equal(at_elbow.outliers_b, is_out)


def test_masks_count_more_than_half():
    result = rpw.transport([0.0, 5.0], [0.0, 6.0, 9.0], b=[2, 1, 1], p=1, mass=0.7)
    assert result.unmatched_b.round(12).tolist() == [0, 0.05, 0.25]
    assert result.outliers_b.tolist() == [False, False, True]
    assert result.outliers_a.tolist() == [False, True]
    assert result.outliers_a.dtype == bool
    half = rpw.transport([0.0], [0.0], mass=0.5)
    assert half.outliers_a.tolist() == [False]  # just half
    assert rpw.solve([0.0, 1.0], [0.0, 1.0], [1, 0], [1, 0]).outliers_a.tolist() == [
        False,
        False,
    ]  # no weight, no outlier


def test_rings_are_the_masks():
    from matplotlib import pyplot

    x, y, is_out = planted(0)
    result = rpw.transport(x, y, mass=0.95)
    ax = result.plot()
    names = ("first", "second")
    rings = {part.get_label(): part for part in ax.collections if "left behind" in part.get_label()}
    np.testing.assert_array_equal(rings["first, left behind"].get_offsets(), x[result.outliers_a])
    np.testing.assert_array_equal(rings["second, left behind"].get_offsets(), y[is_out])
    dots = {part.get_label(): part.get_facecolor()[0] for part in ax.collections if part.get_label() in names}
    for name in names:
        np.testing.assert_array_equal(rings[f"{name}, left behind"].get_edgecolor()[0], dots[name])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "first",
        "first, left behind",
        "second",
        "second, left behind",
        "moves",
    ]
    pyplot.close(ax.figure)
    everything = rpw.transport(x, y).plot()
    assert [text.get_text() for text in everything.get_legend().get_texts()] == ["first", "second", "moves"]
    pyplot.close(everything.figure)


@pytest.mark.parametrize("p", [1, 2, 8, 16])
def test_the_plan_pays_all_that_it_may_beside_far_outliers(p):
    """The number is known before the steep edge that it lies on; the plan has to reach that edge all the same."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n, m = (int(size) for size in rng.integers(2, 60, 2))
        x, y = rng.normal(size=(n, 2)), rng.normal(size=(m, 2))
        x[: max(1, n // 8)] += 10.0 ** rng.integers(1, 9)
        a, b = rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(m))
        k = 10.0 ** rng.integers(-2, 4)
        found = rpw.solve(x, y, a, b, p=p, k=k, diameter=1)
        walked = rpw.solve(x, y, a, b, p=p, k=k, diameter=1, solver="walk")
        assert found.status == "exact"
        assert found.distance == pytest.approx(walked.distance, rel=1e-10)
        assert found.cost == pytest.approx(walked.cost, rel=1e-7)
