"""`rpw.pairwise(device="cuda")`, from the border to the kernels' source.

The stand-in for the driver runs everywhere; a GPU does the same where there is one.
"""

import pickle

import numpy as np
import pytest

import rpw
from rpw.many.backends.choice import backend_for
from rpw.many.backends.cuda import backend as cuda_backend
from rpw.many.backends.cuda.backend import CudaBackend
from rpw.many.backends.cuda.driver import is_available
from rpw.many.batch import PairBatch
from rpw.many.collection import as_collection
from rpw.pair.ground import Points
from rpw.pair.metrics import as_metric
from rpw.pair.question import as_question

QUESTIONS = [
    {},
    {"k": 0.05, "p": 1},
    {"k": 20, "p": 3, "metric": "cityblock", "diameter": "auto"},
    {"k": 1e-9},
    {"k": 1e9},
    {"k": 0},
    {"k": 0, "p": np.inf},
    {"distance": "wasserstein"},
    {"distance": "wasserstein", "p": 1, "metric": "chebyshev"},
    {"distance": "wasserstein", "metric": "minkowski"},
    {"distance": "partial_wasserstein", "mass": 0.7},
    {"distance": "partial_wasserstein", "mass": 0.0},
    {"distance": "partial_wasserstein", "mass": 1.0},
    {"distance": "robot", "p": 1, "lam": 0.2},
    {"distance": "robot", "p": 2, "lam": 10.0},
    {"distance": "total_variation"},
]


def measures(seed=0, count=7):
    """Different sizes, a single point, zero weights, repeated points, and points that measures have in common."""
    rng = np.random.default_rng(seed)
    found = [rpw.Measure(rng.integers(4, size=(1 + 3 * s, 2)) / 3, rng.random(1 + 3 * s) + 0.1) for s in range(count)]
    weights = np.array([0.0, 1, 2, 0])
    return [*found, rpw.Measure(rng.random((4, 2)), weights), rpw.Measure(rng.random((12, 2)))]


def check_like_the_cpu(*collections, **options):
    found = rpw.pairwise(*collections, **options, device="cuda")
    np.testing.assert_allclose(found, rpw.pairwise(*collections, **options), rtol=0, atol=1e-12)
    return found


ENDS_OF_FLOAT64 = [1e-310, 1e-300, 1e-165, 1e-30, 1e30, 1e160, 1.7e308]


def check_at_size(size):
    """All in one unit, however small or large: RPW in units of Δ, and costs in units of the size, are the same."""
    points = [[[0.0]], [[0.0], [size]], [[size]]]
    found = rpw.pairwise(points, p=1, diameter=size, device="cuda")
    np.testing.assert_allclose(found, [[0, 1 / 4, 1 / 2], [1 / 4, 0, 1 / 4], [1 / 2, 1 / 4, 0]], atol=1e-12)
    clouds = [np.random.default_rng(s).random((6, 2)) / 2 for s in range(3)]  # a sum of two coordinates is a float64
    scaled = [cloud * size for cloud in clouds]
    for metric in ("euclidean", "cityblock", "chebyshev"):
        for p in (1, 2, 3.5):
            options = {"metric": metric, "p": p}
            expected = rpw.pairwise(clouds, **options, k=0.5, diameter=1)
            found = rpw.pairwise(scaled, **options, k=0.5, diameter=size, device="cuda")
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
            expected = rpw.pairwise(clouds, **options, distance="wasserstein")
            found = rpw.pairwise(scaled, **options, distance="wasserstein", device="cuda") / size
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


class TestOnTheHost:
    @pytest.mark.parametrize("options", QUESTIONS, ids=str)
    def test_numbers_are_those_of_the_cpu(self, on_host, options):
        found = check_like_the_cpu(measures(), **options)
        assert on_host.launched
        np.testing.assert_array_equal(np.diag(found), 0)
        check_like_the_cpu(measures(1, 3), measures(2, 2), **options)

    def test_planted_answers(self, on_host):
        points = [[[0.0]], [[1.0]], [[3.0]]]
        found = rpw.pairwise(points, p=1, diameter=1, device="cuda")
        np.testing.assert_allclose(found, [[0, 1 / 2, 3 / 4], [1 / 2, 0, 2 / 3], [3 / 4, 2 / 3, 0]], atol=1e-15)
        found = rpw.pairwise(points, p=2, distance="wasserstein", device="cuda:3")
        np.testing.assert_allclose(found, [[0, 1, 3], [1, 0, 2], [3, 2, 0]], atol=1e-15)

    @pytest.mark.sample(2)
    @pytest.mark.parametrize("metric", ["euclidean", "canberra", lambda x, y: float(np.abs(x - y).max())])
    @pytest.mark.parametrize("distance", ["rpw", "wasserstein"])
    def test_histograms_on_a_support(self, on_host, metric, distance):
        rng = np.random.default_rng(3)
        rows, support = rng.random((5, 20)) * (rng.random((5, 20)) < 0.6) + 1e-3, rng.random((20, 3))
        check_like_the_cpu(rows, support=support, metric=metric, distance=distance)
        check_like_the_cpu(rows[:2], rows, support=support, metric=metric, distance=distance)

    def test_places_of_a_large_support_that_carry_mass(self, on_host):
        rng = np.random.default_rng(4)
        rows = np.zeros((4, 3000))
        for row in rows:
            row[rng.integers(3000, size=9)] = 1
        check_like_the_cpu(rows, support=rng.random((3000, 2)), metric="canberra")
        check_like_the_cpu(rows, support=rng.integers(3, size=(3000, 2)), distance="total_variation")

    @pytest.mark.parametrize("options", [{}, {"p": 1, "k": 0.3}, {"distance": "robot", "lam": 0.2, "p": 1}], ids=str)
    def test_a_shared_matrix_that_is_not_symmetric(self, on_host, options):
        rng = np.random.default_rng(5)
        check_like_the_cpu(rng.random((4, 9)), cost=rng.random((9, 9)), **options)

    @pytest.mark.sample(2)
    @pytest.mark.parametrize("size", ENDS_OF_FLOAT64)
    def test_tiny_and_enormous_distances(self, on_host, size):
        check_at_size(size)

    def test_points_that_are_all_equal_at_a_tiny_diameter(self, on_host):
        np.testing.assert_array_equal(rpw.pairwise(np.zeros((2, 3, 2)), diameter=5e-324, device="cuda"), 0)

    def test_progress_counts_all_pairs(self, on_host, monkeypatch):
        monkeypatch.setattr(cuda_backend, "_PAIRS_AT_ONCE", 5)
        seen = []
        check_like_the_cpu(measures(), progress=lambda done, total: seen.append((done, total)))
        on_the_gpu = seen[: seen.index((36, 36)) + 1]
        assert on_the_gpu == sorted(on_the_gpu)
        assert {total for _, total in seen} == {36}

    def test_time_limit_is_noticed_between_chunks(self, on_host, monkeypatch):
        with pytest.raises(rpw.TimeLimitError, match="of 36 pairs"):
            rpw.pairwise(measures(), device="cuda", time_limit=0)

    def test_ctrl_c_ends_the_work(self, on_host):
        def interrupt(done, total):
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            rpw.pairwise(measures(), device="cuda", progress=interrupt)

    def test_a_pair_without_proof_fails_alone(self, on_host, monkeypatch):
        solve = cuda_backend.solve_pairs

        def spoilt(*arguments, **options):
            answers = solve(*arguments, **options)
            answers.lower[3] = answers.value[3] - 0.1
            answers.value[5] = np.nan
            return answers

        monkeypatch.setattr(cuda_backend, "solve_pairs", spoilt)
        found = rpw.pairwise(measures(), device="cuda", on_error="nan")
        assert np.isnan(found).sum() == 4
        with pytest.raises(rpw.PairwiseError, match=r"the GPU proved no more than") as caught:
            rpw.pairwise(measures(), device="cuda")
        assert [failure[:2] for failure in caught.value.failures] == [(0, 4), (0, 6)]

    def test_a_store_belongs_to_its_device(self, on_host, tmp_path):
        out = tmp_path / "D.zarr"
        found = rpw.pairwise(measures(), device="cuda", out=out)
        np.testing.assert_array_equal(found, rpw.pairwise(measures(), device="cuda"))
        on_host.launched.clear()
        rpw.pairwise(measures(), device="cuda:1", out=out)
        assert on_host.launched == []  # finished, whichever GPU it was
        with pytest.raises(ValueError, match=r"device is 'cuda' there and 'cpu' here"):
            rpw.pairwise(measures(), out=out)

    @pytest.mark.xdist_group("cluster")
    def test_workers_of_a_cluster_take_the_same_way(self, on_host):
        distributed = pytest.importorskip("distributed")
        with distributed.Client(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None) as client:
            check_like_the_cpu(measures(), client=client)
        assert len(on_host.launched) > 4  # tiles

    def test_backends_pickle_before_and_after_use(self, on_host):
        ground = Points(as_metric("euclidean"))
        a = as_collection(measures(), "A", ground)
        backend = backend_for(PairBatch(a, a, ground, as_question()), "cuda:2")
        first, second = np.triu_indices(4, k=1)
        fresh = pickle.loads(pickle.dumps(backend))
        values, failures = backend.values(first, second, 1)
        used = pickle.loads(pickle.dumps(backend))
        assert failures == []
        for copy in (fresh, used):
            assert isinstance(copy, CudaBackend)
            assert copy.number == 2
            np.testing.assert_array_equal(copy.values(first, second, 1)[0], values)

    @pytest.mark.sample(1)
    @pytest.mark.parametrize("options", [{}, {"k": 0.2, "p": 1}, {"k": 0}], ids=str)
    def test_search_finds_what_the_cpu_finds(self, on_host, options, tmp_path):
        items, queries = [np.random.default_rng(s).random((5 + s, 2)) for s in range(9)], measures(8, 2)
        index, here = (rpw.Index(items, device=device, **options) for device in ("cuda", "cpu"))
        index.save(tmp_path / "index.npz")
        seen = []
        for there in (index, rpw.Index.load(tmp_path / "index.npz", device="cuda"), pickle.loads(pickle.dumps(index))):
            on_host.launched.clear()
            found = there.query(queries, top=4, progress=lambda done, total: seen.append((done, total)))
            assert on_host.launched
            for one, other in zip(found, here.query(queries, top=4), strict=True):
                np.testing.assert_allclose(one, other, rtol=0, atol=1e-12)
        assert seen[-1] == (4, 4)
        found, expected = index.radius_query(queries[0], 0.5), here.radius_query(queries[0], 0.5)
        np.testing.assert_array_equal(found[1], expected[1])


class TestRefusals:
    @pytest.mark.parametrize(
        ("options", "reason"),
        [
            ({"p": np.inf}, "p = inf"),
            ({"p": 11}, "p is at most 10"),
            ({"distance": "levy_prokhorov"}, "p = inf"),
            ({"metric": lambda x, y: abs(x - y).sum()}, "computed in Python"),
            ({"metric": "canberra"}, "computed in Python"),
            ({"tol": 0.1}, "tol is for the CPU"),
            ({"solver": "walk"}, "solver is for the CPU"),
        ],
        ids=["p = inf", "p = 11", "levy_prokhorov", "a function", "canberra", "tol", "solver"],
    )
    def test_what_no_gpu_computes_is_refused_by_name(self, options, reason):
        with pytest.raises(ValueError, match=rf"device='cuda' cannot compute this: .*{reason}.*device='cpu'"):
            rpw.pairwise(measures(), device="cuda", **options)

    def test_so_does_an_index(self):
        with pytest.raises(ValueError, match="device='cuda' cannot compute this"):
            rpw.Index(measures(), p=np.inf, device="cuda")

    def test_total_variation_by_a_matrix_is_refused(self):
        for options in ({"k": 0}, {"distance": "total_variation"}):
            with pytest.raises(ValueError, match=r"device='cuda' cannot compute this: .*cost="):
                rpw.pairwise(np.ones((2, 3)), cost=np.ones((3, 3)), device="cuda", **options)

    @pytest.mark.parametrize("far", [1e200, 1.7e308, 1e-165, 1e-310])
    def test_powers_that_leave_float64_are_refused(self, on_host, far):
        with pytest.raises(ValueError, match=r"device='cuda' cannot compute this: distances reach to"):
            rpw.pairwise([[[0.0]], [[far]], [[-far]]], device="cuda")

    @pytest.mark.parametrize(
        "device", ["gpu", "cuda:", "cuda:-1", "cuda:x", "cuda:\N{ARABIC-INDIC DIGIT THREE}", "CUDA", None, 0, ""]
    )
    def test_unknown_devices_are_refused(self, device):
        with pytest.raises(ValueError, match=r"device must be 'cpu', 'cuda'"):
            rpw.pairwise(measures(), device=device)

    @pytest.mark.skipif(is_available(), reason="there is a GPU")
    def test_without_a_gpu_there_is_one_clear_error_and_no_store(self, tmp_path):
        with pytest.raises(rpw.NoGpuError, match="device='cuda' needs an NVIDIA GPU"):
            rpw.pairwise(measures(), device="cuda", out=tmp_path / "D.zarr")
        assert not (tmp_path / "D.zarr").exists()
        with pytest.raises(rpw.NoGpuError, match="device='cuda' needs an NVIDIA GPU"):
            rpw.Index(measures(), device="cuda")


@pytest.mark.usefixtures("gpu")
class TestOnTheGpu:
    @pytest.mark.parametrize("options", QUESTIONS, ids=str)
    def test_numbers_are_those_of_the_cpu(self, options):
        check_like_the_cpu(measures(count=30), **options)

    @pytest.mark.parametrize("size", ENDS_OF_FLOAT64)
    def test_tiny_and_enormous_distances(self, size):
        check_at_size(size)

    def test_grounds_that_are_shared(self):
        rng = np.random.default_rng(6)
        rows, support = rng.random((30, 80)), rng.random((80, 3))
        for metric in ("euclidean", "canberra"):
            check_like_the_cpu(rows, support=support, metric=metric)
        check_like_the_cpu(rows, cost=rng.random((80, 80)), p=1)

    def test_tiles_of_a_store_are_the_bits_of_the_matrix(self, tmp_path):
        pytest.importorskip("zarr")
        found = rpw.pairwise(measures(count=30), device="cuda", out=tmp_path / "D.zarr")
        np.testing.assert_array_equal(found, rpw.pairwise(measures(count=30), device="cuda"))

    def test_progress_that_raises_ends_the_work(self):
        def interrupt(done, total):
            if done:
                raise KeyboardInterrupt

        clouds = np.random.default_rng(7).random((200, 400, 2))
        with pytest.raises(KeyboardInterrupt):
            rpw.pairwise(clouds, device="cuda", progress=interrupt)
        with pytest.raises(rpw.TimeLimitError):
            rpw.pairwise(clouds, device="cuda", time_limit=0.05)
        check_like_the_cpu(clouds[:4])

    def test_search_finds_what_the_cpu_finds(self):
        clouds = np.random.default_rng(10).random((200, 30, 2))
        found, expected = (rpw.Index(clouds[9:], device=device).query(clouds[:9]) for device in ("cuda", "cpu"))
        np.testing.assert_allclose(found[0], expected[0], rtol=0, atol=1e-12)
        np.testing.assert_array_equal(found[1], expected[1])
