"""Results for lists of pairs: each the same to the bit as alone."""

import textwrap
import time

import numpy as np
import pytest
from children import interrupted
from oracles import euclidean
from scipy.sparse import csr_array

import rpw
from rpw.base.deadline import NEVER, Deadline

INF = float("inf")
RNG = np.random.default_rng(0)
CLOUDS = [RNG.integers(0, 5, (RNG.integers(1, 20), 2)) / 4 for _ in range(24)]
WEIGHTED = [rpw.Measure(x, w + (w.sum() == 0)) for x in CLOUDS for w in [RNG.integers(0, 3, len(x)) * 1.0]]
A, B = WEIGHTED[:12], WEIGHTED[12:]


def slanted(x, y):
    return float(np.abs(x - y).sum())


def check_same(result, alone):
    assert result == alone  # the numbers and the plan
    assert result.plan.shape == alone.plan.shape
    assert result.multiplier == alone.multiplier
    if alone.potentials is not None:
        for mine, other in zip(result.potentials, alone.potentials, strict=True):
            np.testing.assert_array_equal(mine, other)


@pytest.mark.parametrize("metric", ["euclidean", "canberra", slanted])
@pytest.mark.parametrize("options", [{}, {"p": 1, "k": 0.3}, {"k": 0}, {"p": INF, "k": 2}])
@pytest.mark.parametrize("n_threads", [1, 3])
def test_the_same_bits_as_one_pair(options, metric, n_threads):
    results = rpw.solve_pairs(A, B, metric=metric, diameter=1.5, n_threads=n_threads, **options)
    for x, y, result in zip(A, B, results, strict=True):
        check_same(result, rpw.solve(x, y, metric=metric, diameter=1.5, **options))


@pytest.mark.parametrize(
    "options",
    [{"distance": "wasserstein"}, {"distance": "partial_wasserstein", "mass": 0.4}, {"distance": "robot", "lam": 0.2}],
)
def test_plans_of_other_distances(options):
    others = {name: value for name, value in options.items() if name != "distance"}
    for x, y, result in zip(A, B, rpw.solve_pairs(A, B, **options), strict=True):
        check_same(result, rpw.transport(x, y, **others))


def test_histograms():
    rows = RNG.integers(0, 3, (8, 10)) + np.eye(8, 10)
    support, cost = RNG.random((10, 2)), np.abs(np.subtract.outer(np.arange(10.0), np.arange(10.0))) / 9
    for a, b, result in zip(rows[:4], rows[4:], rpw.solve_pairs(rows[:4], rows[4:], support=support), strict=True):
        check_same(result, rpw.solve(support, support, a, b))
    sparse = rpw.solve_pairs(csr_array(rows[:4]), csr_array(rows[4:]), support=support)
    assert sparse == rpw.solve_pairs(rows[:4], rows[4:], support=support)
    for a, b, result in zip(rows[:4], rows[4:], rpw.solve_pairs(rows[:4], rows[4:], cost=cost), strict=True):
        check_same(result, rpw.solve(cost=cost, a=a, b=b))
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.close(sparse[0].plot().figure)  # the places are known


def test_progress_and_diameter():
    seen = []
    results = rpw.solve_pairs(A, B, diameter="auto", progress=lambda done, total: seen.append((done, total)))
    assert seen[0] == (0, 12)
    assert seen[-1] == (12, 12)
    assert results[0] == rpw.solve(A[0], B[0], diameter=rpw.diameter(A, B))
    with pytest.warns(UserWarning, match="diameter was left at 1"):
        rpw.solve_pairs([[0.0]], [[7.0]])


def test_what_is_refused():
    for arguments, options, words in (
        ((A, B[:3]), {}, "A and B must have the same length, got 12 and 3"),
        (([], []), {}, "A is an empty collection"),
        ((A[0], B), {}, "A must be a collection"),
        (([[0.0]], [[[0.0, 1.0]]]), {}, "different dimensions"),
        ((A, B), {"device": "tpu"}, "device must be"),
        ((A, B), {"k": -1}, "k must be"),
        ((A, B), {"mass": 0.5}, "mass has no effect"),
        ((A, B), {"n_threads": 0}, "n_threads"),
        (([[1, 2, 3]], [[1, 2]]), {"cost": np.ones((2, 2))}, "A must hold histograms"),
    ):
        with pytest.raises(ValueError, match=words):
            rpw.solve_pairs(*arguments, **options)


def test_a_pair_that_fails_is_named_and_the_others_are_kept():
    def broken(x, y):
        if x[0] == 7:
            raise ArithmeticError("seven")
        return abs(float(x[0] - y[0]))

    with pytest.raises(rpw.PairwiseError, match=r"pair \(1, 1\) failed: .*seven") as caught:
        rpw.solve_pairs([[0.0], [7.0], [1.0]], [[0.5], [0.5], [0.5]], metric=broken, diameter=10)
    first, none, last = caught.value.distances
    assert none is None
    assert first.distance == last.distance > 0
    far = [[[1e308]], [[0.0]]], [[[-1e308]], [[0.5]]]
    with pytest.raises(rpw.PairwiseError, match=r"pair \(0, 0\) failed"):
        rpw.solve_pairs(*far, diameter=1)


@pytest.mark.parametrize("metric", ["euclidean", slanted])
def test_time_limit_gives_what_is_proven(metric):
    clouds = list(np.random.default_rng(1).random((4, 300, 2)))
    results = rpw.solve_pairs(clouds, clouds[::-1], metric=metric, time_limit=0, diameter=2)
    assert [result.status for result in results] == ["time_limit"] * 4
    assert all(result.lower <= result.upper == 1 for result in results)


def dawdling(x, y):
    time.sleep(0.002)
    return float(np.abs(x - y).max())


@pytest.mark.parametrize(("metric", "n", "few"), [("euclidean", 60_000, 300), (dawdling, 40, 2)])
def test_a_hard_pair_leaves_time_to_those_after_it(metric, n, few):
    """The hard one takes 3 s or more where it has no limit."""
    random = np.random.default_rng(7)
    first = [random.random((n, 2)), *random.random((4, few, 2))]
    second = [random.random((n, 2)) + 0.5, *random.random((4, few, 2))]
    options = {"k": 10, "metric": metric, "diameter": 1, "n_threads": 1}
    hard, *easy = rpw.solve_pairs(first, second, time_limit=1, **options)
    assert hard.status == "time_limit"
    assert 0 <= hard.lower <= hard.upper <= 1
    assert [result.status for result in easy] == ["exact"] * 4
    alone = [rpw.distance(x, y, k=10, metric=metric, diameter=1) for x, y in zip(first[1:], second[1:], strict=True)]
    assert [result.distance for result in easy] == alone


@pytest.mark.parametrize(("count", "n_threads"), [(1, 1), (7, 1), (7, 3), (6, 3), (100, 8)])
def test_every_pair_has_at_least_half_of_an_equal_share(count, n_threads):
    deadline = Deadline(time.monotonic() + 1000.0)
    ends = 1000.0 - deadline.kept_back(count, n_threads)
    rounds = -(-count // n_threads)
    assert ends[-1] == 1000.0
    assert (np.diff(ends) >= 0).all()
    starts = np.concatenate([np.zeros(n_threads), ends])[:count]  # where each pair takes all the time that it has
    assert (ends - starts).min() >= 500.0 / rounds * (1 - 1e-4)
    assert ends[0] >= 500.0
    assert (NEVER.kept_back(count, n_threads) == 0).all()


@pytest.mark.parametrize(("p", "k"), [(1, 1.0), (5, 1.0), (2, 100.0)])
def test_pairs_cut_off_anywhere_have_bounds_around_the_truth(p, k):
    """Pairs share one clock, so it is looked at anywhere in a small one: also on the edge that reaches the crossing."""
    random = np.random.default_rng(0)
    first, second = ([random.random((random.integers(2, 60), 2)) for _ in range(400)] for _ in range(2))
    options = {"p": p, "k": k, "diameter": 1, "n_threads": 1}
    truth = rpw.solve_pairs(first, second, **options)
    cut_off = rpw.solve_pairs(first, second, time_limit=0, **options)
    assert sum(result.status == "time_limit" for result in cut_off) > 50
    for x, y, result, exact in zip(first, second, cut_off, truth, strict=True):
        assert result.lower <= exact.distance * (1 + 1e-12)
        assert exact.distance <= result.upper * (1 + 1e-12)
        paid = (result.plan.multiply(euclidean(x, y) ** p)).sum() ** (1 / p)
        assert paid <= k * result.upper * (1 + 1e-12)


def test_ctrl_c_stops_it():
    code = """
        import time
        import numpy as np
        import rpw

        clouds = list(np.random.default_rng(0).random((6, 4000, 2)))
        try:
            print("ready", flush=True)
            rpw.solve_pairs(clouds, [x + 3 for x in clouds], k=100, diameter=1)
            print("finished", flush=True)
        except KeyboardInterrupt:
            print("interrupted", time.time(), flush=True)
    """
    lines, sent, errors = interrupted(textwrap.dedent(code), after=1.2)
    assert len(lines) == 1, errors
    assert lines[0].startswith("interrupted"), (lines, errors)
    assert float(lines[0].split()[1]) - sent < 5.0


@pytest.mark.filterwarnings("ignore:.*diameter was left:UserWarning")
@pytest.mark.parametrize("options", [{}, {"p": INF}, {"distance": "wasserstein"}])
def test_each_pair_that_is_cut_off_names_its_own_solver(options):
    line = np.column_stack([np.arange(3000.0), np.arange(3000.0)])
    plane = np.random.default_rng(2).random((600, 2))
    first, second = [line, plane, plane, line], [line + 1, plane[::-1] + 1, line, plane]
    others = {name: value for name, value in options.items() if name != "distance"}
    alone = rpw.transport if "distance" in options else rpw.solve
    expected = [alone(x, y, time_limit=0, **others) for x, y in zip(first, second, strict=True)]
    results = rpw.solve_pairs(first, second, time_limit=0, **options)
    results += rpw.solve_pairs(first[::-1], second[::-1], time_limit=0, **options)[::-1]
    for result, other in zip(results, expected + expected, strict=True):
        assert (result.status, other.status) == ("time_limit", "time_limit")
        assert result.solver == other.solver
    chosen = [rpw.choose_solver(x, y, **others)[0] for x, y in zip(first, second, strict=True)]
    assert [other.solver for other in expected] == chosen
    assert chosen[0] == "line" != chosen[1]
