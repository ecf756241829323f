"""Inputs that lie on a GPU, and results that go back to it.

On the host, real arrays of torch and JAX that lie there are taken for arrays on a GPU (and NumPy's for CuPy's), so that
all that is asked of those libraries is asked; a stand-in for the driver computes. A GPU does the same where there is
one.
"""

import contextlib
import pickle
import sys
import types
from dataclasses import replace

import children
import numpy as np
import pytest

import rpw
from rpw.base import arrays
from rpw.many.backends.cuda import backend as cuda_backend
from rpw.many.collection import as_collection
from rpw.pair.ground import Points
from rpw.pair.metrics import as_metric

CLOUDS = np.random.default_rng(0).integers(9, size=(5, 12, 2)) / 8
RAGGED = [np.random.default_rng(s).integers(9, size=(3 + 4 * s, 2)) / 8 for s in range(5)]


class LikeCupy(np.ndarray):
    """NumPy's array as far as CuPy's is asked for more than that."""

    __module__ = "cupy"
    device = property(lambda self: contextlib.nullcontext())

    def __dlpack_device__(self):
        return 2, 0

    def get(self):
        return np.array(self)


def like_cupy(name):
    return lambda given: getattr(np, name)(given).view(LikeCupy)


LIKE_CUPY = types.SimpleNamespace(
    asarray=like_cupy("asarray"),
    ascontiguousarray=like_cupy("ascontiguousarray"),
    concatenate=like_cupy("concatenate"),
)


def of_torch(array, device="cpu"):
    torch = pytest.importorskip("torch")
    return torch.tensor(array, device=device)


def of_jax(array):
    jax = pytest.importorskip("jax")
    with jax.enable_x64(True):
        return jax.numpy.asarray(array)


def of_cupy(array):
    return np.array(array).view(LikeCupy)


def kind_of(array):
    return next(arrays._LIBRARIES[base.__module__.partition(".")[0]] for base in type(array).__mro__)


def in_float64(make):
    """JAX has float64 only where it is asked for."""
    return pytest.importorskip("jax").enable_x64(True) if make is of_jax else contextlib.nullcontext()


def as_here(make, expected):
    """What is left of it where JAX was not asked."""
    return expected.astype(np.float32) if make is of_jax else expected


def refuse(array):
    raise AssertionError("points on a GPU were copied to the host")


KINDS = [pytest.param(of_torch, marks=pytest.mark.large), pytest.param(of_jax, marks=pytest.mark.large), of_cupy]


@pytest.fixture
def on_host(host, monkeypatch):
    """`device="cuda"` is the host here, and what lies there lies on a GPU."""
    monkeypatch.setattr(cuda_backend, "device", lambda number: host)
    monkeypatch.setattr(arrays, "_CUDA", (1, 2))
    monkeypatch.setitem(sys.modules, "cupy", LIKE_CUPY)
    return host


def check_same(found, example, expected):
    """Numbers of the same library, equal to the bit: whoever brought the points, they are the same."""
    assert kind_of(found) is kind_of(example)
    np.testing.assert_array_equal(np.asarray(found), expected)


@pytest.mark.parametrize("make", KINDS)
class TestOnTheHost:
    @pytest.mark.parametrize("mode", ["distance", "neighbors"])
    @pytest.mark.parametrize("device", ["cpu", "cuda"])
    def test_a_pipeline_gets_arrays_of_numpy(self, on_host, make, mode, device):
        transformer = pytest.importorskip("rpw.sklearn").RPWTransformer
        for clouds in (CLOUDS, RAGGED):
            with in_float64(make):
                given = make(clouds) if clouds is CLOUDS else [make(cloud) for cloud in clouds]
            found = transformer(mode, n_neighbors=2, device=device).fit_transform(given)
            expected = transformer(mode, n_neighbors=2, device=device).fit_transform(clouds)
            if mode == "neighbors":
                found, expected = found.data, expected.data
            assert type(found) is np.ndarray
            np.testing.assert_array_equal(found, expected)
        assert bool(on_host.launched) == (device == "cuda")

    @pytest.mark.parametrize("options", [{}, {"distance": "wasserstein"}, {"k": 0}, {"diameter": "auto"}], ids=str)
    def test_results_live_where_the_inputs_live(self, on_host, make, options):
        for clouds in (CLOUDS, RAGGED):
            expected = rpw.pairwise(clouds, device="cuda", **options)
            given = make(clouds) if clouds is CLOUDS else [make(cloud) for cloud in clouds]
            with in_float64(make):
                check_same(rpw.pairwise(given, device="cuda", **options), make(CLOUDS), expected)
                check_same(rpw.pairwise(given, CLOUDS, device="cuda:0", **options)[:, :3], make(CLOUDS),
                           rpw.pairwise(clouds, CLOUDS, device="cuda", **options)[:, :3])  # fmt: skip
        assert isinstance(rpw.pairwise(CLOUDS, make(CLOUDS), device="cuda"), np.ndarray)

    def test_points_stay_where_they_are(self, on_host, make, monkeypatch):
        library = kind_of(make(CLOUDS))
        monkeypatch.setitem(
            arrays._LIBRARIES, type(make(CLOUDS)).__module__.partition(".")[0], replace(library, to_host=refuse)
        )
        for given in (make(CLOUDS), [make(cloud) for cloud in RAGGED]):
            atoms = as_collection(given, "A", Points(as_metric("euclidean")), device="cuda:0")
            assert isinstance(atoms.where, arrays.GpuPoints)
            np.testing.assert_array_equal(np.max(atoms.where, axis=0), 1)
            with pytest.raises(AssertionError, match="were copied"):
                np.asarray(atoms.where)

    def test_types_are_widened_exactly_and_strides_do_not_matter(self, on_host, make):
        expected = rpw.pairwise(CLOUDS, device="cuda")
        for given in (CLOUDS.astype(np.float32), CLOUDS.astype(np.float16), CLOUDS.transpose(0, 2, 1).copy()):
            tensor = make(given)
            tensor = tensor.swapaxes(1, 2) if given.shape != CLOUDS.shape else tensor
            np.testing.assert_array_equal(np.asarray(rpw.pairwise(tensor, device="cuda")), as_here(make, expected))
        whole = (8 * CLOUDS).astype(np.int64)
        np.testing.assert_array_equal(
            np.asarray(rpw.pairwise(make(whole), device="cuda")), as_here(make, rpw.pairwise(whole, device="cuda"))
        )

    def test_on_the_cpu_the_result_is_numpys(self, make):
        found = rpw.pairwise(make(CLOUDS))
        assert type(found) is np.ndarray
        np.testing.assert_array_equal(found, rpw.pairwise(CLOUDS))

    def test_histograms_support_and_cost(self, on_host, make):
        rng = np.random.default_rng(1)
        rows, support, cost = rng.random((4, 6)), rng.random((6, 2)), rng.random((6, 6))
        for name, shared in (("support", support), ("cost", cost)):
            expected = rpw.pairwise(rows, device="cuda", **{name: shared})
            with in_float64(make):
                check_same(rpw.pairwise(make(rows), device="cuda", **{name: make(shared)}), make(rows), expected)

    def test_results_of_pairs_are_on_the_host(self, on_host, make):
        given = [make(cloud) for cloud in RAGGED]
        found = rpw.solve_pairs(given, make(CLOUDS), device="cuda", diameter=1)
        expected = rpw.solve_pairs(RAGGED, CLOUDS, diameter=1)
        for one, other in zip(found, expected, strict=True):
            assert one.distance == pytest.approx(other.distance, abs=1e-12)
            assert one.plan.sum() == pytest.approx(1 - one.distance)
        with pytest.raises(ValueError, match=r"B is on cuda:0, .* on cuda:2"):
            rpw.solve_pairs(RAGGED, make(CLOUDS), device="cuda:2", diameter=1)

    def test_search(self, on_host, make):
        expected = rpw.Index(CLOUDS, device="cuda").query(RAGGED, top=3)
        index = rpw.Index(make(CLOUDS), device="cuda")
        queries = [make(cloud) for cloud in RAGGED]
        with in_float64(make):
            for found, right in zip(index.query(queries, top=3), expected, strict=True):
                check_same(found, make(CLOUDS), right)
            for found, right in zip(index.query(queries[0], top=3), expected, strict=True):
                check_same(found, make(CLOUDS), right[0])
            distances, indices = index.radius_query(queries, 0.25)
        for row, items, right in zip(distances, indices, expected[0], strict=True):
            assert kind_of(row) is kind_of(items) is kind_of(make(CLOUDS))
            np.testing.assert_array_equal(np.asarray(row)[:3], right[right <= 0.25])
        index.add(queries)
        np.testing.assert_array_equal(np.asarray(index.query(queries, top=1)[1])[:, 0], 5 + np.arange(5))

    def test_an_index_has_points_of_its_own(self, on_host, make, tmp_path):
        given = make(CLOUDS)
        index = rpw.Index(given, device="cuda")
        if make is not of_jax:  # whose arrays cannot be changed
            given[:] = 0
        index.save(tmp_path / "index.npz")
        for again in (index, pickle.loads(pickle.dumps(index)), rpw.Index.load(tmp_path / "index.npz")):
            assert again.query(CLOUDS[2], top=1)[1].tolist() == [2]

    def test_a_store_is_the_same_from_either_place(self, on_host, make, tmp_path):
        pytest.importorskip("zarr")
        out = tmp_path / "D.zarr"
        rpw.pairwise(CLOUDS, device="cuda", out=out)
        on_host.launched.clear()
        found = rpw.pairwise(make(CLOUDS), device="cuda", out=out)
        assert on_host.launched == []
        assert not isinstance(found, np.ndarray)
        np.testing.assert_array_equal(found[:], rpw.pairwise(CLOUDS, device="cuda"))

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            (np.where(CLOUDS[1, 2, 0] == CLOUDS, np.nan, CLOUDS), "A has a NaN or infinite entry, the first at index"),
            (CLOUDS[0], "A is a two-dimensional array"),
            (CLOUDS[:0], "A is an empty collection"),
            (CLOUDS[:, :0], r"A\[0\] is an empty measure"),
            (CLOUDS + 1j, "A must be numeric"),
        ],
    )
    def test_what_is_malformed_is_named_as_on_the_host(self, on_host, make, given, message):
        with pytest.raises(ValueError, match=message):
            rpw.pairwise(make(given), device="cuda")

    def test_lists_that_do_not_fit_together(self, on_host, make):
        with pytest.raises(ValueError, match="A mixes measures of different dimensions"):
            rpw.pairwise([make(CLOUDS[0]), make(CLOUDS[0, :, :1])], device="cuda")
        found = rpw.pairwise([make(CLOUDS[0]), CLOUDS[1]], device="cuda")  # one of them is on the host
        assert type(found) is np.ndarray

    def test_another_gpu_is_an_error_that_names_both(self, on_host, make):
        for call in (
            lambda: rpw.pairwise(make(CLOUDS), device="cuda:1"),
            lambda: rpw.pairwise(CLOUDS, [make(CLOUDS[0])], device="cuda:1"),
            lambda: rpw.Index(CLOUDS, device="cuda:1").query(make(CLOUDS[0])),
        ):
            with pytest.raises(ValueError, match=r"(A|B|q) is on cuda:0, .* on cuda:1"):
                call()


@pytest.mark.large
class TestOfTorch:
    def test_tensors_that_record_gradients_are_refused(self, on_host):
        torch = pytest.importorskip("torch")
        tensor = torch.tensor(CLOUDS, requires_grad=True)
        for given in (tensor, [tensor[0], tensor[1]]):
            with pytest.raises(ValueError, match=r"^A.*detach\(\)"):
                rpw.pairwise(given, device="cuda")

    def test_bfloat16_is_read_everywhere(self, on_host):
        torch, jax = pytest.importorskip("torch"), pytest.importorskip("jax")
        expected = rpw.pairwise(CLOUDS)
        for given in (torch.tensor(CLOUDS, dtype=torch.bfloat16), jax.numpy.asarray(CLOUDS, dtype="bfloat16")):
            np.testing.assert_array_equal(rpw.pairwise(given), expected)
            np.testing.assert_allclose(np.asarray(rpw.pairwise(given, device="cuda")), expected, atol=1e-6)

    def test_the_gpu_of_the_inputs_computes(self, on_host, monkeypatch):
        numbers = []
        monkeypatch.setattr(cuda_backend, "device", lambda number: numbers.append(number) or on_host)
        monkeypatch.setattr(arrays, "_number_of_gpu", lambda array: 3)
        torch = pytest.importorskip("torch")
        assert isinstance(rpw.pairwise(torch.tensor(CLOUDS), device="cuda"), torch.Tensor)
        assert set(numbers) == {3}


@pytest.mark.parametrize("size", [1e-310, 1e-165, 1e300])
def test_points_at_the_ends_of_float64(on_host, size):
    """Their unit is a float64 where its reciprocal may be none."""
    found = rpw.pairwise(of_cupy(CLOUDS * size), diameter=size, device="cuda")
    np.testing.assert_allclose(np.asarray(found), rpw.pairwise(CLOUDS, diameter=1), rtol=0, atol=1e-12)


def test_none_of_the_libraries_is_imported():
    program = "import sys, rpw; rpw.pairwise([[[0.0]]]); assert not {'torch', 'jax', 'cupy'} & sys.modules.keys()"
    assert children.run("-c", program).returncode == 0


# ---------------------------------------------------------------- on a GPU


def _of_cupy_on_gpu(array):
    return pytest.importorskip("cupy").asarray(array)


def _of_jax_on_gpu(array):
    jax = pytest.importorskip("jax")
    with jax.enable_x64(True):
        return jax.device_put(array, jax.devices("gpu")[0])


@pytest.mark.usefixtures("gpu")
@pytest.mark.parametrize("make", [lambda array: of_torch(array, "cuda"), _of_cupy_on_gpu, _of_jax_on_gpu],
                         ids=["torch", "cupy", "jax"])  # fmt: skip
class TestOnTheGpu:
    def to_host(self, array):
        return np.asarray(arrays.on_host(array))

    def check(self, found, example, expected):
        assert kind_of(found) is kind_of(example)
        home = arrays.home_of(found)
        assert home is not None, "the result is not on the GPU"
        assert home.number == 0
        here = self.to_host(found)
        # JAX has no float64 unless it is told to.
        np.testing.assert_allclose(here, expected, rtol=0, atol=1e-12 if here.dtype == np.float64 else 1e-6)

    @pytest.mark.parametrize("options", [{}, {"distance": "wasserstein"}, {"k": 0}, {"diameter": "auto"}], ids=str)
    def test_results_live_where_the_inputs_live(self, make, options):
        for clouds in (CLOUDS, RAGGED):
            given = make(clouds) if clouds is CLOUDS else [make(cloud) for cloud in clouds]
            found = rpw.pairwise(given, device="cuda", **options)
            self.check(found, make(CLOUDS), rpw.pairwise(clouds, **options))
            self.check(rpw.pairwise(given, CLOUDS, device="cuda"), make(CLOUDS), rpw.pairwise(clouds, CLOUDS))

    def test_the_bits_are_those_of_points_on_the_host(self, make):
        clouds = np.random.default_rng(3).random((20, 40, 3))
        atoms = as_collection(make(clouds), "A", Points(as_metric("euclidean")), device="cuda:0")
        assert isinstance(atoms.where, arrays.GpuPoints)
        np.testing.assert_array_equal(np.asarray(atoms.where), clouds.reshape(-1, 3))
        found = self.to_host(rpw.pairwise(make(clouds), device="cuda"))
        expected = rpw.pairwise(clouds, device="cuda")
        np.testing.assert_array_equal(found, expected.astype(found.dtype))

    def test_other_types_and_strides(self, make):
        expected = rpw.pairwise(CLOUDS)
        for tensor in (make(CLOUDS.astype(np.float32)), make(CLOUDS.transpose(0, 2, 1).copy()).swapaxes(1, 2)):
            self.check(rpw.pairwise(tensor, device="cuda"), tensor, expected)

    def test_histograms(self, make):
        rng = np.random.default_rng(4)
        rows, support = rng.random((4, 6)), rng.random((6, 2))
        found = rpw.pairwise(make(rows), support=make(support), device="cuda")
        self.check(found, make(rows), rpw.pairwise(rows, support=support))

    def test_on_the_cpu_the_result_is_numpys(self, make):
        found = rpw.pairwise(make(CLOUDS))
        assert type(found) is np.ndarray
        np.testing.assert_array_equal(found, rpw.pairwise(CLOUDS))

    def test_search(self, make):
        clouds = np.random.default_rng(5).random((60, 25, 2))
        index = rpw.Index(make(clouds[5:]), device="cuda")
        expected = rpw.Index(clouds[5:]).query(clouds[:5], top=4)
        distances, indices = index.query(make(clouds[:5]), top=4)
        self.check(distances, make(clouds), expected[0])
        np.testing.assert_array_equal(self.to_host(indices), expected[1])

    def test_nan_and_another_gpu_are_refused(self, make):
        with pytest.raises(ValueError, match="A has a NaN"):
            rpw.pairwise(make(np.where(CLOUDS > 0.9, np.nan, CLOUDS)), device="cuda")
        with pytest.raises(ValueError, match="A is on cuda:0"):
            rpw.pairwise(make(CLOUDS), device="cuda:1")
