"""Which rows of two tables the joint test of drift compares."""

import numpy as np
import pytest

from rpw.stats.tables.joint import JointTest

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("sizes", [(200, 20), (20, 200)])
def test_the_joint_sample_holds_whole_groups_of_either_table(sizes):
    """Were groups of the larger table thinned out, groups could not change sides: they would differ in size."""
    groups = np.repeat(np.arange(sum(sizes)), np.tile([5, 15], sum(sizes) // 2))
    n = int(np.count_nonzero(groups < sizes[0]))
    points = RNG.normal(size=(len(groups), 2))
    x, y, drawn = JointTest(("a", "b"), points, n, groups, 100, 0)._sample(np.random.default_rng(0))
    for side, rows in zip(drawn, (x, y), strict=True):
        labels, counts = np.unique(side, return_counts=True)
        assert len(labels) == 10  # of ten rows on average
        assert (counts == np.bincount(groups)[labels]).all()
        np.testing.assert_array_equal(rows, points[np.isin(groups, labels)])


def test_a_group_larger_than_the_joint_sample_loses_rows():
    groups = np.repeat(np.arange(4), [300, 3, 3, 300])
    x, y, drawn = JointTest(("a", "b"), RNG.normal(size=(606, 2)), 303, groups, 50, 0)._sample(np.random.default_rng(0))
    assert len(x) == len(y) == 53
    assert [len(np.unique(side)) for side in drawn] == [2, 2]
