"""rpw.torch for tensors on a GPU: computed there, with the values and gradients of the CPU.

On the host, tensors are taken for tensors on a GPU, and the stand-in for the driver computes with the source of the
kernels. A GPU does the same where there is one.
"""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
rt = pytest.importorskip("rpw.torch")

from rpw.many.backends.cuda import driver  # noqa: E402
from rpw.many.gradients import by_kernels, functions  # noqa: E402

pytestmark = pytest.mark.large
RNG = np.random.default_rng(0)
FLOAT64 = torch.float64


def tensor(*shape, least=0.0):
    return torch.tensor(RNG.random(shape) + least, dtype=FLOAT64)


def clouds(count=5, n=9, m=7, dimension=2):
    """x, y, a and b."""
    return [
        tensor(count, n, dimension),
        tensor(count, m, dimension),
        tensor(count, n, least=0.1),
        tensor(count, m, least=0.1),
    ]


class Place:
    """Where tensors are brought, and what computes there."""

    def __init__(self, device, launched):
        self.device, self._launched = device, launched

    def bring(self, given):
        if isinstance(given, list):
            return [self.bring(each) for each in given]
        return given.detach().to(self.device).requires_grad_(given.is_floating_point())

    def was_used(self):
        return self._launched()


@pytest.fixture
def host_place(host, monkeypatch):
    monkeypatch.setattr(rt, "_gpu_of", lambda tensor: host)
    return Place("cpu", lambda: bool(host.launched))


@pytest.fixture
def gpu_place(gpu, monkeypatch):
    if not torch.cuda.is_available():
        pytest.skip("torch has no CUDA")
    used = []
    solve = by_kernels.solve_pairs
    monkeypatch.setattr(by_kernels, "solve_pairs", lambda *a, **o: used.append(1) or solve(*a, **o))
    return Place("cuda", lambda: bool(used))


def leaves(given):
    return [leaf for each in given for leaf in (leaves(each) if isinstance(each, list) else [each])]


def on_the_cpu(function, given):
    mine = [[e.detach().clone().requires_grad_() for e in leaves([each])] for each in given]
    whole = [each if isinstance(raw, list) else each[0] for each, raw in zip(mine, given, strict=True)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rt, "_gpu_of", lambda tensor: None)
        value = function(*whole)
    return value, torch.autograd.grad((value * weight_of(value)).sum(), leaves(whole), allow_unused=True)


def weight_of(value):
    """Other incoming gradients than 1."""
    return torch.arange(1.0, value.numel() + 1, dtype=value.dtype, device=value.device).reshape(value.shape)


def check(place, function, *given, error=1e-9):
    """The value and all gradients are those of the CPU, and lie where the tensors lie."""
    expected, of_cpu = on_the_cpu(function, given)
    there = [place.bring(each) for each in given]
    value = function(*there)
    assert place.was_used()
    assert value.device == leaves(there)[0].device
    assert value.dtype == expected.dtype
    torch.testing.assert_close(value.cpu(), expected, rtol=0, atol=1e-11)
    found = torch.autograd.grad((value * weight_of(value)).sum(), leaves(there), allow_unused=True)
    for leaf, mine, theirs in zip(leaves(there), found, of_cpu, strict=True):
        if theirs is None:
            assert mine is None
            continue
        assert mine.device == leaf.device
        unit = float(theirs.abs().max()) or 1.0
        torch.testing.assert_close(mine.cpu(), theirs, rtol=0, atol=error * unit)


class Checks:
    """What holds on the host and on a GPU; `place` says which."""

    @pytest.mark.parametrize("k", [0.1, 1.0, 10.0])
    @pytest.mark.parametrize("p", [1, 1.5, 2, 3])
    def test_rpw_in_everything(self, place, p, k):
        prices = k * (1 + tensor(5))
        check(place, lambda x, y, a, b: rt.distance(x, y, a, b, p=p, k=k, diameter=1), *clouds())
        check(place, lambda x, y, k: rt.distance(x, y, p=p, k=k, diameter=2), *clouds()[:2], prices)

    @pytest.mark.parametrize("metric", ["cityblock", "chebyshev", "minkowski"])
    def test_other_norms(self, place, metric):
        check(place, lambda x, y, a, b: rt.distance(x, y, a, b, metric=metric, diameter=1), *clouds(dimension=3))

    @pytest.mark.parametrize("mass", [1.0, 0.6])
    @pytest.mark.parametrize("p", [1, 2, 3])
    def test_wasserstein(self, place, p, mass):
        check(place, lambda x, y, a, b: rt.wasserstein(x, y, a, b, p=p, mass=mass), *clouds())

    def test_one_pair_points_on_the_line_and_one_point(self, place):
        x, y, a, b = (each[0] for each in clouds())
        check(place, lambda *given: rt.distance(*given, diameter=1), x, y, a, b)
        check(place, lambda *given: rt.distance(*given, diameter=1), x[:, 0], y[:, 0], a, b)
        check(place, lambda *given: rt.distance(*given, diameter=1), x[:1], y[:1])

    @pytest.mark.parametrize("p", [1, 2])
    def test_costs(self, place, p):
        x, y, a, b = clouds()
        cost, one = torch.cdist(x, y), torch.cdist(x, y)[0]
        check(place, lambda c, a, b: rt.distance(cost=c, a=a, b=b, p=p, diameter=1), cost, a, b)
        check(place, lambda c, a, b: rt.wasserstein(cost=c, a=a, b=b, p=p), cost, a, b)
        check(place, lambda c: rt.distance(cost=c, p=p, diameter=1), one)

    def test_ragged_lists_with_weights(self, place):
        sizes = [(3, 8), (11, 1), (1, 4), (6, 6)]
        x, y = ([tensor(size[side], 2) for size in sizes] for side in (0, 1))
        a, b = ([tensor(size[side], least=0.1) for size in sizes] for side in (0, 1))
        check(place, lambda x, y, a, b: rt.distance(x, y, a, b, diameter=1), x, y, a, b)
        check(place, lambda x, y: rt.distance(x, y, diameter=1), x, y)

    @pytest.mark.parametrize("p", [1, 2])
    def test_weights_of_zero_have_the_derivative_upwards(self, place, p):
        x, y, a, b = clouds()
        a[1, 3] = a[4, 0] = a[4, 8] = b[4, 2] = 0
        check(place, lambda *given: rt.distance(*given, p=p, diameter=1), x, y, a, b)
        cost = torch.cdist(x, y, p=3)  # with p=1 many plans cost the same, and each is a derivative
        check(place, lambda c, a, b: rt.distance(cost=c, a=a, b=b, p=p, diameter=1), cost, a, b)
        x[4, 0] += 5  # far away: where all mass moves, it must be brought along
        for mass in (1.0, 0.6):
            check(place, lambda *given, mass=mass: rt.wasserstein(*given, p=p, mass=mass), x, y, a, b)
            cost = torch.cdist(x, y)
            check(place, lambda c, a, b, m=mass: rt.wasserstein(cost=c, a=a, b=b, p=p, mass=m), cost, a, b)

    def test_float32_is_rounded_once(self, place):
        x, y = (each.float() for each in clouds()[:2])
        check(place, lambda x, y: rt.distance(x, y, diameter=1), x, y, error=1e-6)

    def test_layouts_do_not_matter(self, place):
        x, y, *_ = clouds()
        check(place, lambda x, y: rt.distance(x.mT, y.mT, diameter=1), x.mT.contiguous(), y.mT.contiguous())
        check(place, lambda x, y: rt.distance(x[::2], y[0], diameter=1), x, y)

    def test_identical_measures_have_the_gradient_zero(self, place):
        x = place.bring(clouds()[0])
        loss = rt.distance(x, x.detach().flip(1), diameter=1)
        assert loss.abs().max() < 1e-15
        (found,) = torch.autograd.grad(loss.sum(), x)
        assert not found.isnan().any()
        assert found.abs().max() < 1e-6

    def test_what_is_wrong_is_said_as_on_the_cpu(self, place):
        x, y, a, _ = clouds()
        x[2, 1, 0] = float("nan")
        with pytest.raises(ValueError, match=r"x has a NaN.*\(2, 1, 0\)"):
            rt.distance(place.bring(x), place.bring(y), diameter=1)
        x[2, 1, 0], a[3, 2] = 0.5, -1
        with pytest.raises(ValueError, match=r"a\[3\]"):
            rt.distance(place.bring(x), place.bring(y), place.bring(a), diameter=1)
        with pytest.raises(ValueError, match=r"a\[0\] sums to 0"):
            rt.distance(place.bring(x), place.bring(y), place.bring(0 * a), diameter=1)
        with pytest.raises(ValueError, match="k=0"):
            rt.distance(place.bring(x), place.bring(y), k=0, diameter=1)
        with pytest.raises(ValueError, match="cost"):
            rt.distance(cost=place.bring(-torch.cdist(x, y)), diameter=1)
        with pytest.raises(ValueError, match="metric has no effect with cost"):
            rt.distance(cost=place.bring(torch.cdist(x, y)), metric="cityblock", diameter=1)
        with pytest.warns(UserWarning, match="diameter was left at 1"):
            rt.distance(place.bring(9 * x), place.bring(y))

    def test_opcheck_passes_whole(self, place):
        x, y, a, b = (place.bring(each[:2]) for each in clouds())
        k = place.bring(tensor(2, least=0.5))
        arguments = (x, y, a, b, k, "rpw", "euclidean", 2.0, 1.0, None, [], [], 1)
        torch.library.opcheck(torch.ops.rpw.distances, arguments)
        cost = place.bring(torch.cdist(x, y).cpu())
        torch.library.opcheck(torch.ops.rpw.distances, (cost, None, *arguments[2:]))

    def test_vmap_and_func_grad(self, place):
        x, y = (place.bring(each) for each in clouds()[:2])
        each = torch.func.vmap(torch.func.grad(lambda x, y: rt.distance(x, y, diameter=1)))(x, y)
        (whole,) = torch.autograd.grad(rt.distance(x, y, diameter=1).sum(), x)
        torch.testing.assert_close(each, whole, rtol=0, atol=1e-12)

    def test_compiled_without_a_break(self, place):
        x, y = (place.bring(each) for each in clouds()[:2])
        loss = torch.compile(lambda x, y: rt.distance(x, y, diameter=1).mean(), fullgraph=True, backend="aot_eager")
        (found,) = torch.autograd.grad(loss(x, y), x)
        (expected,) = torch.autograd.grad(rt.distance(x, y, diameter=1).mean(), x)
        torch.testing.assert_close(found, expected, rtol=0, atol=1e-12)


class TestOnTheHost(Checks):
    @pytest.fixture
    def place(self, host_place):
        return host_place

    def test_tensors_never_come_to_the_host(self, host_place, monkeypatch):
        x, y, a, b = (host_place.bring(each) for each in clouds())

        def refuse(*_, **__):
            raise AssertionError("a tensor came to the host")

        monkeypatch.setattr(functions, "on_host", refuse)
        monkeypatch.setattr("host_gpu.HostMemory.read", refuse)
        rt.distance(x, y, a, b, diameter=1).sum().backward()
        rt.distance(cost=torch.cdist(x, y), a=a, diameter=1).sum().backward()
        assert host_place.was_used()
        assert all(each.grad.isfinite().all() for each in (x, y, a, b))

    def test_what_a_gpu_cannot_compute_is_computed_on_the_cpu(self, host_place):
        x, y = (host_place.bring(each) for each in clouds()[:2])
        found = rt.distance(x, y, p=12, diameter=1)
        tiny = rt.distance(x * 1e150, y * 1e150, p=9, k=1e-9, diameter=1)
        assert not host_place.was_used()
        torch.testing.assert_close(found, on_the_cpu(lambda x, y: rt.distance(x, y, p=12, diameter=1), [x, y])[0])
        assert tiny.isfinite().all()

    def test_without_a_driver_the_cpu_computes(self, monkeypatch):
        def no_driver(number):
            raise driver.NoGpuError

        monkeypatch.setattr(rt, "device", no_driver)
        like_cuda = type("LikeCuda", (), {"is_cuda": True, "device": torch.device("cuda:0")})
        assert rt._gpu_of(like_cuda()) is None


class TestOnTheGpu(Checks):
    @pytest.fixture
    def place(self, gpu_place):
        return gpu_place

    def test_tensors_never_come_to_the_host(self, gpu_place, monkeypatch):
        x, y, a, b = (gpu_place.bring(each) for each in clouds())

        def refuse(*_, **__):
            raise AssertionError("a tensor came to the host")

        monkeypatch.setattr(functions, "on_host", refuse)
        monkeypatch.setattr(driver.Memory, "read", refuse)
        rt.distance(x, y, a, b, diameter=1).sum().backward()
        assert x.grad.is_cuda

    def test_other_streams_and_large_pairs(self, gpu_place):
        with torch.cuda.stream(torch.cuda.Stream()):
            check(gpu_place, lambda *given: rt.distance(*given, diameter=1), *clouds(40, 60, 50))
        x, y, a, b = clouds(1, 4500, 4600)
        check(gpu_place, lambda *given: rt.distance(*given, diameter=1), x, y, a, b)
        x, y, a, b = clouds(3, 700, 900, 5)
        check(gpu_place, lambda *given: rt.distance(*given, k=0.3, diameter=1), x, y, a, b)

    def test_compiled_by_inductor_with_shapes_that_change(self, gpu_place):
        loss = torch.compile(lambda x, y: rt.distance(x, y, diameter=1).mean(), fullgraph=True, dynamic=True)
        for count in (3, 5, 8):
            x, y = (gpu_place.bring(each) for each in clouds(count)[:2])
            (found,) = torch.autograd.grad(loss(x, y), x)
            (expected,) = torch.autograd.grad(rt.distance(x, y, diameter=1).mean(), x)
            torch.testing.assert_close(found, expected, rtol=0, atol=1e-12)

    def test_compiled_with_graphs_of_cuda(self, gpu_place):
        x, y = (gpu_place.bring(each) for each in clouds()[:2])
        loss = torch.compile(lambda x, y: (2 * rt.distance(x + 0, y, diameter=1)).mean(), mode="reduce-overhead")
        for _ in range(3):  # the third time, what was recorded runs
            torch.compiler.cudagraph_mark_step_begin()
            (found,) = torch.autograd.grad(loss(x, y), x)
        (expected,) = torch.autograd.grad(2 * rt.distance(x, y, diameter=1).mean(), x)
        torch.testing.assert_close(found, expected, rtol=0, atol=1e-12)

    def test_tensors_on_two_devices_are_refused(self, gpu_place):
        x, y, *_ = clouds()
        with pytest.raises(ValueError, match="one device"):
            rt.distance(gpu_place.bring(x), y, diameter=1)
