"""Barycenters of free points: planted answers, derivatives, and an objective that never rises."""

import numpy as np
import pytest
from barycenter_oracles import distance_of_diracs

import rpw
from rpw.base.deadline import NEVER
from rpw.means.evaluation import Inputs
from rpw.means.objective import Objective
from rpw.means.points import _targets

RNG = np.random.default_rng(0)


@pytest.mark.sample(3)
@pytest.mark.parametrize("p", [1, 1.5, 2, 3])
@pytest.mark.parametrize("objective", ["rpw_p", "rpw"])
def test_the_mean_of_copies_is_the_copy(p, objective):
    cloud = RNG.random((12, 2))
    found = rpw.barycenter([cloud] * 5, n_points=12, p=p, objective=objective, diameter=1)
    assert found.objective <= 1e-12
    assert rpw.wasserstein(found.measure, cloud) <= 1e-9
    assert found.left_out.max() <= 1e-12
    assert found.status == "converged"


@pytest.mark.sample(3)
@pytest.mark.parametrize("p", [1, 2, 3])
@pytest.mark.parametrize("k", [0.3, 1, 4])
def test_one_point_between_diracs_is_no_worse_than_any_on_a_grid(p, k):
    places, weights = np.array([[0.0], [0.6], [1.0]]), np.array([0.3, 0.3, 0.4])
    found = rpw.barycenter(places[:, None], weights, n_points=1, p=p, k=k, diameter=1, tol=1e-9)
    least = min(
        sum(w * distance_of_diracs(abs(float(x[0]) - y), p, k) ** p for w, x in zip(weights, places, strict=True))
        for y in np.linspace(0, 1, 401)
    )
    assert found.objective <= least + 1e-4
    assert found.objective == pytest.approx(float(weights @ found.distances**p), rel=1e-12)


def test_where_mass_is_too_dear_to_leave_one_point_is_the_mean():
    """The W2 barycenter with one point is the mean of the means."""
    clouds, weights = RNG.random((4, 7, 2)), np.array([0.1, 0.2, 0.3, 0.4])
    found = rpw.barycenter(clouds, weights, n_points=1, k=1e6, diameter=1, tol=1e-12)
    np.testing.assert_allclose(found.measure.points[0], weights @ clouds.mean(axis=1), rtol=0, atol=1e-5)


@pytest.mark.parametrize("p", [1.5, 2, 3])
@pytest.mark.parametrize("name", ["rpw_p", "rpw"])
def test_points_move_down_the_slope(p, name):
    """Finite differences of the objective along the way to the targets, and along each coordinate."""
    inputs = [rpw.Measure(RNG.random((7, 2)), RNG.dirichlet(np.ones(7))) for _ in range(3)]
    points, mass = RNG.random((5, 2)), RNG.dirichlet(np.ones(5))
    asked = Inputs(inputs, np.array([0.5, 0.3, 0.2]), p, 0.7, 1.0, "euclidean", 1, "cpu")
    objective = Objective(name, asked.weights, p, 0.0)

    def value(moved):
        return objective.value(asked.at(rpw.Measure(moved, mass), NEVER).distances)

    here = asked.at(rpw.Measure(points, mass), NEVER)
    gradient = np.zeros_like(points)
    for pull, result, x in zip(objective.tangent(here.distances) * here.rates, here.results, inputs, strict=True):
        ways = points[None] - x.points[:, None]
        lengths = np.linalg.norm(ways, axis=2, keepdims=True)
        gradient += pull * (p * result.plan.toarray()[:, :, None] * lengths ** (p - 2) * ways).sum(axis=0)
    for index in np.ndindex(*points.shape):
        step = np.zeros_like(points)
        step[index] = 1e-6
        assert (value(points + step) - value(points - step)) / 2e-6 == pytest.approx(gradient[index], abs=1e-7)
    assert (gradient * (_targets(here, objective) - points)).sum() < 0


@pytest.mark.sample(4)
@pytest.mark.parametrize("p", [1, 1.5, 2, 3])
@pytest.mark.parametrize("free_weights", [False, True])
@pytest.mark.parametrize("trim", [0.0, 0.25])
def test_the_objective_never_rises(p, free_weights, trim):
    inputs = [RNG.random((9, 2)) for _ in range(4)]
    found = rpw.barycenter(
        inputs, n_points=6, p=p, k=0.4, free_weights=free_weights, trim=trim, diameter=1, n_starts=2, max_iter=40
    )
    assert (np.diff(found.history) <= 0).all()
    assert found.history[-1] == found.objective == found.start_objectives[0]
    assert (np.diff(found.start_objectives) >= 0).all()
    powers = [rpw.distance(x, found.measure, p=p, k=0.4, diameter=1) ** p for x in inputs]
    assert found.objective == pytest.approx(found.counted @ powers, rel=1e-9)
    assert found.lower is None


def test_weights_that_move_too_are_no_worse():
    inputs = [rpw.Measure(RNG.random((9, 2)), RNG.dirichlet(np.full(9, 0.5))) for _ in range(4)]
    fixed = rpw.barycenter(inputs, n_points=5, k=0.4, diameter=1, n_starts=1)
    moved = rpw.barycenter(inputs, n_points=5, k=0.4, diameter=1, n_starts=1, free_weights=True)
    assert moved.objective < fixed.objective
    assert np.ptp(fixed.measure.weights) == 0 < np.ptp(moved.measure.weights)


def noisy_rings():
    """Ten rings in the middle, and two clouds of noise all over."""
    angles = RNG.uniform(0, 2 * np.pi, (10, 30))
    rings = 0.5 + 0.2 * np.stack([np.cos(angles), np.sin(angles)], axis=2) + RNG.normal(0, 0.01, (10, 30, 2))
    return [*rings, *RNG.random((2, 30, 2))]


@pytest.mark.sample(1)
@pytest.mark.parametrize(("objective", "trim"), [("rpw_p", 0.0), ("rpw", 0.0), ("rpw_p", 0.2)])
def test_inputs_that_are_noise_are_named(objective, trim):
    found = rpw.barycenter(noisy_rings(), n_points=30, k=0.3, objective=objective, trim=trim, diameter=1)
    assert sorted(np.argsort(found.left_out)[-2:]) == [10, 11]
    assert found.left_out[10:].min() > 1.5 * found.left_out[:10].max()


def test_a_trimmed_mean_is_that_of_the_good_inputs():
    """Beside it, a mean that is nearly that of W_2 is drawn apart by the noise."""
    inputs = noisy_rings()
    asked = {"n_points": 30, "diameter": 1, "n_starts": 1}
    clean = rpw.barycenter(inputs[:10], k=2, **asked)
    trimmed = rpw.barycenter(inputs, k=2, trim=2 / 12, **asked)
    plain = rpw.barycenter(inputs, k=1000, **asked)
    assert trimmed.counted[10:].tolist() == [0, 0]
    to_clean = [rpw.wasserstein(found.measure, clean.measure) for found in (trimmed, plain)]
    assert to_clean[0] < 0.6 * to_clean[1]


def test_atoms_that_are_noise_are_named_and_do_not_move_the_mean():
    """Each ring has three far atoms, elsewhere in each. The mean has as much mass to spare as they have, so that three
    of its points may lie anywhere, also at some of them."""
    angles = RNG.uniform(0, 2 * np.pi, (10, 3))
    far = 0.5 + 0.7 * np.stack([np.cos(angles), np.sin(angles)], axis=2)
    rings = [np.concatenate([ring, out]) for ring, out in zip(noisy_rings(), far, strict=False)]
    found = rpw.barycenter(rings, n_points=30, k=0.3, objective="rpw", diameter=1)
    for result, unmatched in zip(found.results, found.unmatched, strict=True):
        assert unmatched.sum() == pytest.approx(result.distance, abs=1e-12)
    behind = sum(unmatched[-3:].sum() for unmatched in found.unmatched)
    far_share, ring_share = behind / (10 * 3 / 33), (found.left_out.sum() - behind) / (10 * 30 / 33)
    assert far_share > 5 * ring_share
    radius = np.linalg.norm(found.measure.points - 0.5, axis=1)
    assert np.count_nonzero(np.abs(radius - 0.2) < 0.03) >= 26


def test_atoms_without_mass_have_their_place():
    measures = [rpw.Measure([[0.0], [5.0], [1.0]], [1, 0, 1]), rpw.Measure([[0.2], [0.9]])]
    found = rpw.barycenter(measures, n_points=2, k=0.5, diameter=5)
    assert [len(each) for each in found.unmatched] == [3, 2]
    assert found.unmatched[0][1] == 0


def test_runs_repeat_and_seeds_differ():
    inputs = [RNG.random((8, 2)) for _ in range(5)]
    asked = {"n_points": 4, "diameter": 1, "n_starts": 1}
    first, again = rpw.barycenter(inputs, **asked, n_threads=1), rpw.barycenter(inputs, **asked, n_threads=2)
    assert first.measure == again.measure
    assert first.history.tolist() == again.history.tolist()
    assert rpw.barycenter(inputs, **asked, seed=3).measure != first.measure


def test_an_input_without_weight_is_only_measured():
    inputs = [RNG.random((6, 2)) for _ in range(3)]
    asked = {"n_points": 4, "diameter": 1, "n_starts": 1}
    found = rpw.barycenter([*inputs, RNG.random((6, 2)) + 2], [1, 1, 1, 0], **asked)
    assert found.left_out[3] > 2 * found.left_out[:3].max()
    assert found.objective == pytest.approx((found.distances[:3] ** 2).mean(), rel=1e-12)
