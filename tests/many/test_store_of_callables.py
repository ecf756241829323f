"""Callable metrics in stores: their state is part of the work."""

import functools
import threading

import numpy as np
import pytest
from checks import ragged_clouds as clouds

import rpw


class Scaled:
    """Equal to the plain distance for all but very long ones, which no small sample has."""

    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x, y):
        length = float(np.abs(x - y).sum())
        return length * self.factor if length > 1e6 else length


class Locked(Scaled):
    """The same, and it cannot be pickled."""

    def __init__(self, factor):
        super().__init__(factor)
        self.lock = threading.Lock()


def scaled(factor, x, y):
    return Scaled(factor)(x, y)


def enclosing(factor):
    return lambda x, y: Scaled(factor)(x, y)


def enclosing_array(factor):
    table = np.zeros(5000)
    table[2500] = factor  # which repr leaves out
    return lambda x, y: Scaled(table[2500])(x, y)


def with_default(factor):
    def metric(x, y, scale=factor):
        return Scaled(scale)(x, y)

    return metric


def with_keyword(factor):
    def metric(x, y, *, scale=factor):
        return Scaled(scale)(x, y)

    return metric


def cached(factor):
    return functools.lru_cache(enclosing(factor))


KINDS = {
    "object": Scaled,
    "object that cannot be pickled": Locked,
    "method": lambda factor: Scaled(factor).__call__,
    "partial": lambda factor: functools.partial(scaled, factor),
    "closure": enclosing,
    "closure over an array": enclosing_array,
    "default": with_default,
    "keyword": with_keyword,
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_state_of_a_metric_is_part_of_the_work(tmp_path, kind):
    pytest.importorskip("zarr")
    out, A, make = tmp_path / "D.zarr", clouds(5, 3), KINDS[kind]
    whole = rpw.pairwise(A, metric=make(2.0), out=out)[:]
    np.testing.assert_array_equal(rpw.pairwise(A, metric=make(2.0), out=out)[:], whole)  # another one that is equal
    with pytest.raises(ValueError, match="holds another matrix: metric is 'callable "):
        rpw.pairwise(A, metric=make(3.0), out=out)


def test_metrics_are_told_apart_by_what_they_are():
    from rpw.pair.identity import describe_callable

    assert describe_callable(cached(2.0)) == describe_callable(cached(2.0)) != describe_callable(cached(3.0))

    def endless(x, y):  # holds itself
        return endless(x, y)

    assert describe_callable(endless) == describe_callable(endless)
    nested = [lambda x, y: sum(v * 2 for v in x), lambda x, y: sum(v * 3 for v in x)]
    assert describe_callable(nested[0]).split()[-1] != describe_callable(nested[1]).split()[-1]


def test_a_metric_that_changes_while_it_is_called_resumes(tmp_path):
    pytest.importorskip("zarr")

    class Counting:
        calls = 0

        def __call__(self, x, y):
            self.calls += 1
            return float(np.abs(x - y).sum())

    out, A = tmp_path / "D.zarr", clouds(8, 4)
    whole = rpw.pairwise(A, metric=Counting(), out=out)[:]
    (out / ".rpw" / "done" / "0.1").unlink()
    np.testing.assert_array_equal(rpw.pairwise(A, metric=Counting(), out=out)[:], whole)
