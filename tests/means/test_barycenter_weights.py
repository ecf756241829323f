"""Barycenters on a fixed support: the proven gap holds, and the optimum is that of a linear programme."""

import numpy as np
import pytest
from barycenter_oracles import lp_barycenter, simplex_grid
from oracles import euclidean

import rpw
from rpw.base.deadline import NEVER
from rpw.means.evaluation import Inputs

RNG = np.random.default_rng(0)


def objective_at(measure, inputs, weights, p, k, power):
    """Σ w RPW^power, by the single function."""
    return sum(
        w * rpw.distance(x, measure, p=p, k=k, diameter=1) ** power for w, x in zip(weights, inputs, strict=True)
    )


def random_inputs(count, size, dimension=2):
    return [rpw.Measure(RNG.random((size, dimension)), RNG.dirichlet(np.ones(size))) for _ in range(count)]


def check_bounds(found, inputs, weights, p, k):
    """The objective is what it says, its bound lies below it, and the history falls."""
    assert found.objective == pytest.approx(objective_at(found.measure, inputs, weights, p, k, p), rel=1e-9, abs=1e-15)
    assert found.lower <= found.objective
    assert found.gap == found.objective - found.lower
    assert (np.diff(found.history) <= 0).all()
    assert found.history[-1] == found.objective


@pytest.mark.parametrize("p", [1, 1.5, 2, 3])
@pytest.mark.parametrize("k", [0.1, 1, 10])
def test_the_lines_lie_below_the_powers_and_touch_them(p, k):
    inputs = random_inputs(3, 5)
    support = RNG.random((6, 2))
    asked = Inputs(inputs, np.full(3, 1 / 3), p, k, 1.0, "euclidean", 1, "cpu")
    weights = RNG.dirichlet(np.ones(6)) * [1, 1, 0, 1, 1, 1]
    here = asked.at(rpw.Measure(support, weights), NEVER)
    slopes, offsets = here.lines()
    np.testing.assert_allclose(slopes @ here.measure.weights + offsets, here.distances**p, rtol=1e-9, atol=1e-13)
    for _ in range(30):
        other = RNG.dirichlet(np.full(6, RNG.choice([0.1, 1.0, 10.0])))
        powers = asked.at(rpw.Measure(support, other), NEVER).distances ** p
        assert (slopes @ other + offsets <= powers + 1e-12).all()


@pytest.mark.parametrize("k", [0.05, 0.5, 5])
def test_at_p_1_it_is_the_linear_programme(k):
    inputs, support, weights = random_inputs(4, 6), RNG.random((8, 2)), np.array([0.1, 0.2, 0.3, 0.4])
    costs = [euclidean(x.points, support) for x in inputs]
    expected, _ = lp_barycenter(costs, [x.weights for x in inputs], weights, kappa=k)
    found = rpw.barycenter(inputs, weights, support=support, p=1, k=k, diameter=1, tol=1e-6)
    check_bounds(found, inputs, weights, 1, k)
    assert found.status == "tolerance"
    assert found.lower <= expected + 1e-9
    assert expected - 1e-9 <= found.objective <= expected * (1 + 1e-6) + 1e-9


@pytest.mark.parametrize("k", [1e6, 1e12])
def test_where_mass_is_too_dear_to_leave_it_is_the_wasserstein_barycenter(k):
    inputs, support, weights = random_inputs(3, 5), RNG.random((9, 2)), np.array([0.5, 0.3, 0.2])
    costs = [euclidean(x.points, support) ** 2 for x in inputs]
    expected, _ = lp_barycenter(costs, [x.weights for x in inputs], weights)
    found = rpw.barycenter(inputs, weights, support=support, p=2, k=k, diameter=1, tol=1e-5)
    assert found.objective * k**2 == pytest.approx(expected, rel=1e-4)
    assert found.lower * k**2 == pytest.approx(expected, rel=1e-4)
    squares = [w * rpw.wasserstein(x, found.measure, p=2) ** 2 for w, x in zip(weights, inputs, strict=True)]
    assert sum(squares) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("p", [1.5, 2, 4])
@pytest.mark.parametrize("k", [0.2, 1])
def test_no_weights_on_a_grid_are_below_the_proven_bound(p, k):
    inputs, support, weights = random_inputs(3, 4), RNG.random((4, 2)), np.array([0.2, 0.3, 0.5])
    found = rpw.barycenter(inputs, weights, support=support, p=p, k=k, diameter=1, tol=1e-4)
    check_bounds(found, inputs, weights, p, k)
    assert found.gap <= 1e-4 * found.objective
    on_grid = [rpw.Measure(support, b) for b in simplex_grid(4, 12)]
    powers = rpw.pairwise(inputs, on_grid, p=p, k=k, diameter=1) ** p
    least = float((weights @ powers).min())
    assert found.lower <= least
    assert found.objective <= least * (1 + 1e-4)


@pytest.mark.parametrize("p", [1, 2])
def test_the_mean_of_copies_is_the_copy(p):
    row = np.array([0.0, 0.5, 0.25, 0.0, 0.25])
    found = rpw.barycenter([row] * 4, support=np.arange(5.0), p=p, diameter=4)
    assert found.status == "tolerance"
    assert found.objective <= 1e-20
    np.testing.assert_allclose(found.measure.weights, row, rtol=0, atol=1e-12)


def test_histograms_and_measures_on_the_same_support_agree():
    rows, support = RNG.dirichlet(np.full(6, 0.5), size=3), RNG.random((6, 2))
    rows[0, 2] = 0
    from scipy.sparse import csr_array

    asked = {"support": support, "diameter": 1, "tol": 1e-4}
    first = rpw.barycenter(rows, **asked)
    for others in (csr_array(rows), rows.tolist(), [rpw.Measure(support, row) for row in rows]):
        other = rpw.barycenter(others, **asked)
        assert other.objective == pytest.approx(first.objective, rel=1e-9)
        assert [len(each) for each in other.unmatched] == [6, 6, 6]


def test_another_metric_is_heard():
    inputs, support = random_inputs(3, 5), RNG.random((6, 2))
    costs = [np.abs(x.points[:, None] - support[None]).sum(axis=2) for x in inputs]
    expected, _ = lp_barycenter(costs, [x.weights for x in inputs], np.full(3, 1 / 3), kappa=0.5)
    found = rpw.barycenter(inputs, support=support, p=1, k=0.5, metric="cityblock", diameter=1, tol=1e-6)
    assert found.objective == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize(("objective", "trim"), [("rpw", 0.0), ("rpw_p", 0.3), ("rpw", 0.3)])
def test_what_is_not_convex_is_local_and_falls(objective, trim):
    inputs = [*random_inputs(4, 6), rpw.Measure(RNG.random((6, 2)) + 5)]
    found = rpw.barycenter(inputs, support=RNG.random((10, 2)), k=0.3, diameter=1, objective=objective, trim=trim)
    assert found.lower is None
    assert found.gap is None
    assert found.status == "converged"
    assert (np.diff(found.history) <= 0).all()
    assert found.history[-1] < found.history[0]
    power = 2 if objective == "rpw_p" else 1
    assert found.objective == pytest.approx(found.counted @ found.distances**power, rel=1e-12)
    assert found.counted.sum() == pytest.approx(1 - trim)


def test_trimmed_inputs_do_not_count():
    """Two far inputs of ten: without them, and with them trimmed, the convex problem has one optimum."""
    near, support = random_inputs(8, 5), RNG.random((10, 2))
    far = [rpw.Measure(RNG.random((5, 2)) + 3) for _ in range(2)]
    trimmed = rpw.barycenter([*near, *far], support=support, trim=0.2, diameter=1, tol=1e-6)
    alone = rpw.barycenter(near, support=support, diameter=1, tol=1e-6)
    assert trimmed.counted[8:].tolist() == [0, 0]
    assert trimmed.objective / 0.8 == pytest.approx(alone.objective, rel=1e-4)
    assert sorted(np.argsort(trimmed.left_out)[-2:]) == [8, 9]
