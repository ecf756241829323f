"""Metrics and grounds as objects: what they say agrees with what they compute."""

import threading

import numpy as np
import pytest

import rpw
from rpw import _core
from rpw.many.support import Support, as_shared_ground
from rpw.pair.atoms import atoms_of_one
from rpw.pair.ground import Matrix, Points
from rpw.pair.metrics import _CORE, METRICS, as_metric

RNG = np.random.default_rng(8)
X, Y = RNG.random((7, 3)), RNG.random((5, 3))


def longest_step(x, y):
    return float(np.abs(x - y).max())


@pytest.mark.parametrize("name", [*METRICS, longest_step])
def test_blocks_and_lists_of_pairs_agree(name):
    metric = as_metric(name)
    x, y = X, Y
    if name in ("hamming", "jaccard", "rogerstanimoto", "sokalsneath"):  # of yes and no, and not all no
        x, y = (np.column_stack([np.ones(len(points)), points.round()]) for points in (X, Y))
    i, j = (index.ravel() for index in np.indices((len(x), len(y))))
    block = np.empty((len(x), len(y)))
    metric.fill(x, y, block)
    np.testing.assert_allclose(metric.pairs(x[i], y[j]), block.ravel(), rtol=1e-14, atol=0)
    if name is not longest_step:  # as SciPy has it
        from scipy.spatial.distance import cdist

        np.testing.assert_allclose(block, cdist(x, y, name), rtol=1e-14, atol=0)
    else:
        np.testing.assert_array_equal(block, np.abs(x[:, None] - y).max(axis=2))


def test_every_metric_of_the_core_has_a_name_and_its_own_norm():
    named = {metric.core for metric in _CORE}
    assert named == set(_core.Metric)
    orders = {metric.core: metric._order for metric in _CORE}
    assert len(set(orders.values())) == len(orders)


@pytest.mark.parametrize("name", METRICS)
def test_what_separates_does(name):
    """Distance 0 only between equal points, where that is promised; and 0 between different ones, where it is not."""
    metric = as_metric(name)
    points = np.array([[1.0, 0, 0], [2.0, 0, 0], [1.0, 1, 0], [3.0, 3, 3], [1.0, 1, 1]])
    block = np.empty((5, 5))
    metric.fill(points, points, block)
    assert not block.diagonal().any()
    apart = block[~np.eye(5, dtype=bool)]
    assert (apart > 0).all() == metric.separates


@pytest.mark.parametrize("name", ["euclidean", "canberra", longest_step])
def test_three_grounds_give_the_same_distances(name):
    points, metric = RNG.random((9, 2)), as_metric(name)
    matrix = np.empty((9, 9))
    metric.fill(points, points, matrix)
    support, square, own = Support(points, metric), Matrix(matrix, matrix.max(), metric), Points(metric)
    rows, columns = np.array([0, 4, 4]), np.array([8, 1, 4])
    for ground in (support, square):
        of_block, of_pairs = own.block(points[rows], points[columns]), own.pairs(points[rows], points[columns])
        np.testing.assert_allclose(ground.block(rows, columns), of_block, rtol=1e-15, atol=0)
        np.testing.assert_allclose(ground.pairs(rows, columns), of_pairs, rtol=1e-15, atol=0)
    assert square.diameter([]) == matrix.max()
    assert support.diameter([]) == own.diameter([points]) == rpw.diameter(points, metric=name)
    assert as_shared_ground(points, None, metric).size == 9
    assert as_shared_ground(None, matrix, as_metric("euclidean")).size == 9
    assert as_shared_ground(None, None, metric).size is None


def test_a_support_is_measured_once_whoever_asks():
    calls = []

    def counting(x, y):
        calls.append(1)
        return float(np.abs(x - y).sum())

    ground = Support(RNG.random((6, 2)), as_metric(counting))
    question = rpw.pair.question.as_question()
    atoms = atoms_of_one(np.full(6, 1 / 6), np.arange(6, dtype=np.int32))
    found = []
    threads = [threading.Thread(target=lambda: found.append(ground.prepare(question, atoms, atoms))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(calls) == 36
    assert all(one is found[0] for one in found)


def test_a_metric_may_have_the_name_of_one_of_scipys():
    def m(x, y):  # SciPy's alias of minkowski, to which it would pass an exponent
        return float(np.abs(x - y).sum())

    assert rpw.wasserstein([[0.0, 0]], [[1.0, 2]], p=1, metric=m) == 3
