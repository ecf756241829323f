"""`rpw.solve_pairs(device="cuda")`: Results like those of the CPU, with plans, potentials and what stays behind.

The stand-in for the driver runs everywhere; a GPU does the same where there is one.
"""

import math
import pickle
import threading
import time

import numpy as np
import pytest
from host_gpu import HostDevice
from scipy.spatial.distance import cdist

import rpw
from rpw.many.backends.cuda import backend as cuda_backend
from rpw.many.backends.cuda.driver import NoGpuError, is_available
from rpw.many.backends.cuda.terms import Measures

QUESTIONS = [
    {},
    {"k": 0.05, "p": 1},
    {"k": 20, "p": 3, "metric": "cityblock"},
    {"k": 1e-6},
    {"distance": "wasserstein"},
    {"distance": "wasserstein", "p": 1, "metric": "chebyshev"},
    {"distance": "partial_wasserstein", "mass": 0.7},
    {"distance": "partial_wasserstein", "mass": 0.0, "p": 1.5},
    {"distance": "robot", "lam": 0.2},
    {"distance": "robot", "p": 1, "lam": 10.0},
]
SHARED = [{"k": 0}, {"distance": "total_variation"}, {"k": 0, "p": math.inf}]


def measures(seed, count=8, most=20, dimension=2):
    """Different sizes; ties, repeated points and zero weights in every second one."""
    rng = np.random.default_rng(seed)
    found = []
    for s in range(count):
        size = int(rng.integers(1, most + 1))
        points = rng.integers(4, size=(size, dimension)) / 3 if s % 2 else rng.random((size, dimension))
        weights = rng.integers(0, 3, size) + (np.arange(size) == 0) if s % 2 else rng.random(size) + 0.1
        found.append(rpw.Measure(points, weights))
    return found


def check_marginals(result, x, y):
    a, b = (m.weights / m.weights.sum() for m in (x, y))
    plan = result.plan
    assert plan.shape == (len(a), len(b))
    assert (plan.data > 0).all()
    # Weights are rounded to multiples of 2^-60, and one atom may carry what that made of all of them.
    rounding = max(1e-15, 2 * sum(plan.shape) * 2.0**-60)
    np.testing.assert_allclose(plan.sum(axis=1) + result.unmatched_a, a, rtol=0, atol=rounding)
    np.testing.assert_allclose(plan.sum(axis=0) + result.unmatched_b, b, rtol=0, atol=rounding)
    assert plan.sum() == pytest.approx(result.mass, abs=1e-14)
    assert not result.unmatched_a[a == 0].any()


def check_certificate(result, x, y, p, metric, lam=None):
    """Potentials for all atoms, those without mass too, that satisfy every inequality and prove the lower bound."""
    lengths = cdist(x.points, y.points, metric)
    powers = np.minimum(lengths, math.inf if lam is None else 2 * lam) ** p
    f, g = result.potentials
    slope = result.multiplier
    unit = 1 + powers.max() + slope
    assert f.max(initial=0) <= 0
    assert g.max(initial=0) <= 0
    assert (f[:, None] + g[None] - (powers - slope)).max() <= 1e-13 * unit
    a, b = (m.weights / m.weights.sum() for m in (x, y))
    paid = float((result.plan.toarray() * powers).sum())
    if lam is not None:  # what stays behind has its price too
        paid += float((1 - result.plan.sum()) * (2 * lam) ** p)
    moved = 1.0 if lam is not None else result.plan.sum()
    assert paid == pytest.approx(slope * moved + a @ f + b @ g, abs=1e-11 * unit)


def check_like_the_cpu(A, B, **options):
    given = {"metric": "euclidean", "p": 2} | ({} if "distance" in options else {"diameter": 1.5}) | options
    results = rpw.solve_pairs(A, B, **given, device="cuda")
    for x, y, found, expected in zip(A, B, results, rpw.solve_pairs(A, B, **given), strict=True):
        for name in ("distance", "lower", "upper", "cost", "mass", "gap"):
            assert getattr(found, name) == pytest.approx(getattr(expected, name), abs=1e-12), name
        assert (found.status, found.solver) == ("exact", "walk")
        assert found.lower <= found.distance == found.upper
        check_marginals(found, x, y)
        check_certificate(found, x, y, given["p"], given["metric"], given.get("lam"))
    return results


class TestOnTheHost:
    @pytest.mark.parametrize("options", QUESTIONS, ids=str)
    @pytest.mark.parametrize("dimension", [1, 2])
    def test_results_are_those_of_the_cpu(self, on_host, options, dimension):
        check_like_the_cpu(measures(1, dimension=dimension), measures(2, dimension=dimension), **options)
        assert on_host.launched

    @pytest.mark.parametrize("options", SHARED, ids=str)
    def test_total_variation_gives_the_same_bits(self, on_host, options):
        A, B = measures(3, 12), measures(4, 12)
        found, expected = (rpw.solve_pairs(A, B, diameter=1, device=device, **options) for device in ("cuda", "cpu"))
        assert found == expected
        assert on_host.launched
        for x, y, result in zip(A, B, found, strict=True):
            assert (result.solver, result.multiplier, result.potentials) == ("total_variation", None, None)
            check_marginals(result, x, y)

    def test_planted_outliers(self, on_host):
        rng = np.random.default_rng(5)
        near = rng.random((20, 2)) / 100
        weights = np.full(23, 1 / 23)
        weights[4] = 0
        x = rpw.Measure(np.concatenate([near, [[9.0, 9], [8, 9], [9, 8]]]), weights)
        (result,) = rpw.solve_pairs([x], [near], diameter=1, k=0.5, device="cuda")
        assert np.flatnonzero(result.outliers_a).tolist() == [20, 21, 22]
        np.testing.assert_array_equal(result.outliers_b, np.arange(20) == 4)  # its twin has no mass
        assert result.unmatched_a[4] == 0
        assert len(result.potentials[0]) == 23
        again = pickle.loads(pickle.dumps(result))
        assert again == result

    def test_a_planted_plan(self, on_host):
        """Two unit masses a distance 1 apart at p = 1: 1 - α = α, the half of the mass moves."""
        (result,) = rpw.solve_pairs([[[0.0, 0]]], [[[1.0, 0]]], p=1, diameter=1, device="cuda")
        assert result.plan.toarray() == pytest.approx(0.5)
        assert (result.distance, result.multiplier) == (0.5, 1.0)

    def test_shared_grounds(self, on_host):
        rng = np.random.default_rng(6)
        rows, others = (rng.integers(0, 3, (5, 12)) + np.eye(5, 12) for _ in range(2))
        for ground in ({"support": rng.random((12, 2)), "metric": "canberra"}, {"cost": rng.random((12, 12))}):
            for distance in ({"distance": "rpw"}, {"distance": "robot", "lam": 0.2, "p": 1}):
                found, expected = (
                    rpw.solve_pairs(rows, others, diameter=1, device=device, **ground, **distance)
                    for device in ("cuda", "cpu")
                )
                for one, other, a, b in zip(found, expected, rows, others, strict=True):
                    assert one.distance == pytest.approx(other.distance, abs=1e-12)
                    np.testing.assert_allclose(one.plan.sum(axis=1) + one.unmatched_a, a / a.sum(), atol=1e-15)
                    np.testing.assert_allclose(one.plan.sum(axis=0) + one.unmatched_b, b / b.sum(), atol=1e-15)

    @pytest.mark.parametrize("options", [{}, {"k": 0}], ids=str)
    def test_chunks_bound_what_lies_on_the_gpu_and_change_nothing(self, on_host, options, monkeypatch):
        A, B = measures(7, 12), measures(8, 12)
        whole = rpw.solve_pairs(A, B, diameter=1, device="cuda", **options)
        sizes, solve, seen = [np.count_nonzero(m.weights) for m in (*A, *B)], cuda_backend.solve_pairs, []

        def counted(*arguments, **settings):
            answers = solve(*arguments, **settings)
            seen.append((len(answers.value), len(answers.plan_mass)))
            return answers

        monkeypatch.setattr(cuda_backend, "_ATOMS_AT_ONCE", 25)
        monkeypatch.setattr(cuda_backend, "solve_pairs", counted)
        reports = []
        options["progress"] = lambda done, total: reports.append(done)
        assert rpw.solve_pairs(A, B, diameter=1, device="cuda", **options) == whole
        assert all(pairs == 1 or entries <= 25 for pairs, entries in seen)
        assert len(seen) > 4
        assert sum(pairs for pairs, _ in seen) == 12
        assert sum(entries for _, entries in seen) == sum(sizes)
        assert reports == sorted(reports)
        assert reports[-1] == 12

    def test_past_the_deadline_the_rest_is_unproven(self, on_host, monkeypatch):
        A, B = measures(9, 6), measures(10, 6)
        expected = rpw.solve_pairs(A, B, diameter=1, device="cuda")
        monkeypatch.setattr(cuda_backend, "_ATOMS_AT_ONCE", 1)
        results = rpw.solve_pairs(
            A, B, diameter=1, device="cuda", time_limit=1.0, progress=lambda done, _: time.sleep(1.1 * (done == 2))
        )
        assert results[:2] == expected[:2]
        assert [result.status for result in results] == ["exact"] * 2 + ["time_limit"] * 4
        assert all((result.lower, result.upper) == (0, 1) for result in results[2:])
        for options in ({}, {"distance": "wasserstein"}, {"distance": "robot", "lam": 0.1}):
            for x, y, result in zip(
                A, B, rpw.solve_pairs(A, B, diameter=1, device="cuda", time_limit=0, **options), strict=True
            ):
                assert (result.status, result.lower) == ("time_limit", 0)
                check_marginals(result, x, y)

    def test_a_pair_without_proof_fails_alone(self, on_host, monkeypatch):
        solve = cuda_backend.solve_pairs

        def spoilt(*arguments, **options):
            answers = solve(*arguments, **options)
            answers.lower[2] = answers.value[2] - 0.1
            return answers

        A, B = measures(11, 4), measures(12, 4)
        expected = rpw.solve_pairs(A, B, diameter=1, device="cuda")
        monkeypatch.setattr(cuda_backend, "solve_pairs", spoilt)
        with pytest.raises(rpw.PairwiseError, match=r"pair \(2, 2\) failed: the GPU proved no more than") as caught:
            rpw.solve_pairs(A, B, diameter=1, device="cuda")
        assert caught.value.distances == [*expected[:2], None, expected[3]]

    @pytest.mark.parametrize("options", [{"p": math.inf}, {"metric": "canberra"}, {"distance": "levy_prokhorov"}])
    def test_refusals(self, on_host, options):
        with pytest.raises(ValueError, match=r"device='cuda' cannot compute this: .*device='cpu'"):
            rpw.solve_pairs(measures(1), measures(2), device="cuda", **options)

    @pytest.mark.skipif(is_available(), reason="there is a GPU")
    def test_without_a_gpu_there_is_one_clear_error(self):
        with pytest.raises(NoGpuError, match="device='cuda' needs an NVIDIA GPU"):
            rpw.solve_pairs(measures(1), measures(2), device="cuda")


class BusyHost(HostDevice):
    """Launches run beside the caller, each on its stream, as those of a GPU do; every pair takes all of it."""

    def __init__(self):
        super().__init__(shared=1100)
        self._threads = {}

    def call(self, name, *arguments):
        if name == "cuStreamCreate":
            arguments[0]._obj.value = len(self._threads) + 1
            self._threads[len(self._threads) + 1] = None
        elif name == "cuStreamSynchronize":
            thread = self._threads.get(getattr(arguments[0], "value", None))
            if thread is not None:
                thread.join()
        elif name == "cuMemcpyDtoHAsync_v2":
            target, source, size, _ = arguments
            np.ctypeslib.as_array((np.ctypeslib.ctypes.c_ubyte * size.value).from_address(target.value))[:] = (
                np.ctypeslib.as_array((np.ctypeslib.ctypes.c_ubyte * size.value).from_address(source.value))
            )
        else:
            super().call(name, *arguments)

    def is_busy(self, stream):
        return self._threads[stream.value].is_alive()

    def launch(self, kernel, blocks, threads, shared, batch, stream=None, together=False):
        own = type(batch).from_buffer_copy(batch)  # the next launch has another one
        work = threading.Thread(
            target=super().launch, args=(kernel, blocks, threads, shared, own), kwargs={"together": together}
        )
        self._threads[stream.handle.value] = work
        work.start()

    def are_all_done(self):
        return not any(thread is not None and thread.is_alive() for thread in self._threads.values())


@pytest.fixture(scope="module")
def clouds():
    """Two measures of 1,500 points, for which the stand-in would need many seconds."""
    rng = np.random.default_rng(13)
    return [rpw.Measure(rng.random((1500, 2)), rng.random(1500) + 0.1) for _ in range(2)]


class TestCutOff:
    """A pair that takes the whole GPU."""

    @pytest.fixture
    def busy(self, monkeypatch):
        found = BusyHost()
        monkeypatch.setattr(cuda_backend, "device", lambda number: found)
        return found

    @pytest.mark.parametrize(
        "options", [{"k": 30}, {"distance": "wasserstein"}, {"distance": "robot", "lam": 0.5}], ids=str
    )
    def test_a_deadline_gives_what_is_proven(self, busy, clouds, options):
        x, y = clouds
        rpw.solve_pairs([x.points[:9]], [y.points[:9]], diameter=1, device="cuda", **options)  # compiles
        result = rpw.solve_pairs([x], [y], diameter=1, device="cuda", time_limit=0.25, **options)[0]
        expected = rpw.solve_pairs([x], [y], diameter=1, **options)[0]
        assert busy.are_all_done()
        assert {together for _, together, _ in busy.launched} == {True}
        assert result.status == "time_limit"
        assert result.lower < expected.distance < result.upper
        assert result.lower > 0
        assert result.plan.nnz > 10  # it was on its way
        check_marginals(result, x, y)

    def test_a_matrix_is_given_up(self, busy, clouds):
        with pytest.raises(rpw.TimeLimitError, match="0 of 1 pairs"):
            rpw.pairwise(clouds, k=30, diameter=1, device="cuda", time_limit=0.3)
        assert busy.are_all_done()

    def test_what_progress_raises_ends_it(self, busy, clouds):
        def interrupt(done, total):
            if len(busy.launched) == 0 and not busy.are_all_done():
                raise KeyboardInterrupt

        x, y = clouds
        with pytest.raises(KeyboardInterrupt):
            rpw.solve_pairs([x], [y], k=30, diameter=1, device="cuda", progress=interrupt)
        assert busy.are_all_done()

    def test_small_pairs_are_not_disturbed(self, busy):
        A, B = measures(1), measures(2)
        check_like_the_cpu(A, B)


def test_parts_of_measures():
    start = np.array([0, 2, 3, 6])
    whole = Measures(start, np.arange(6), points=np.arange(12.0).reshape(6, 2), rank=np.arange(6))
    part = whole.part(1, 3)
    assert whole.part(0, 3) is whole
    assert part.start.tolist() == [0, 1, 4]
    assert part.mass.tolist() == part.rank.tolist() == [2, 3, 4, 5]
    assert part.points[:, 0].tolist() == [4, 6, 8, 10]
    assert part.place is None


@pytest.mark.usefixtures("gpu")
class TestOnTheGpu:
    @pytest.mark.parametrize("options", QUESTIONS, ids=str)
    def test_results_are_those_of_the_cpu(self, options):
        for dimension, most in ((1, 60), (2, 300), (5, 150)):
            A, B = (measures(seed, 20, most, dimension) for seed in (1, 2))
            check_like_the_cpu(A, B, **options)

    @pytest.mark.parametrize("options", SHARED, ids=str)
    def test_total_variation_gives_the_same_bits(self, options):
        A, B = measures(3, 40, 200), measures(4, 40, 200)
        found, expected = (rpw.solve_pairs(A, B, diameter=1, device=device, **options) for device in ("cuda", "cpu"))
        assert found == expected

    def test_repeats_give_the_same_bits(self):
        A, B = measures(5, 30, 400), measures(6, 30, 400)
        once, again = (rpw.solve_pairs(A, B, diameter=1, device="cuda") for _ in range(2))
        assert once == again
        for one, other in zip(once, again, strict=True):
            for mine, theirs in zip(one.potentials, other.potentials, strict=True):
                np.testing.assert_array_equal(mine, theirs)

    def test_a_large_pair(self):
        """More than a block can hold: all blocks work on it."""
        rng = np.random.default_rng(7)
        x, y = rpw.Measure(rng.random((6000, 2))), rpw.Measure(rng.random((6500, 2)))
        check_like_the_cpu([x], [y], k=0.05)

    @pytest.mark.parametrize("options", [{"k": 100}, {"distance": "wasserstein"}], ids=str)
    def test_a_large_pair_is_cut_off_by_its_deadline(self, options):
        rng = np.random.default_rng(8)
        x, y = rng.random((20000, 2)), rng.random((20000, 2)) ** 2
        rpw.solve_pairs([x[:6000]], [y[:6000]], diameter=1, k=0.01, device="cuda")  # compiles
        (result,) = rpw.solve_pairs([x], [y], diameter=1, device="cuda", time_limit=0.5, **options)
        assert result.status == "time_limit"
        assert 0 < result.lower < result.upper
        assert result.plan.nnz > 10
        check_marginals(result, rpw.Measure(x), rpw.Measure(y))

    def test_ctrl_c_ends_a_large_pair(self):
        rng = np.random.default_rng(9)
        x, y = rng.random((20000, 2)), rng.random((20000, 2)) ** 2

        def interrupt(done, total):
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            rpw.pairwise([x], [y], k=100, diameter=1, device="cuda", progress=interrupt)
        check_like_the_cpu(measures(1), measures(2))  # the GPU is free again
