"""rpw.torch: the values and gradients of rpw, under everything that torch does to functions."""

import numpy as np
import pytest
from differences import central, is_close

import rpw

torch = pytest.importorskip("torch")
rt = pytest.importorskip("rpw.torch")

pytestmark = pytest.mark.large
RNG = np.random.default_rng(0)
FLOAT64 = torch.float64


def tensor(*shape, grad=True, dtype=FLOAT64):
    made = torch.tensor(RNG.random(shape), dtype=dtype)
    return made.requires_grad_() if grad else made


def pair(n=6, m=8):
    """x, y, a and b, which all want gradients."""
    a, b = ((tensor(size, grad=False) + 0.2).requires_grad_() for size in (n, m))
    return tensor(n, 2), tensor(m, 2), a, b


def batch(count=4):
    return tensor(count, 6, 2), tensor(count, 8, 2, grad=False)


def distance(x, y, a=None, b=None, **options):
    return rt.distance(x, y, a, b, **{"diameter": 1.0, **options})


def gradient(loss, *inputs):
    found = torch.autograd.grad(loss, inputs)
    return found[0] if len(inputs) == 1 else found


def arrays(*tensors):
    return [each.detach().numpy() for each in tensors]


# ---------------------------------------------------------------- values and gradients


@pytest.mark.parametrize("p", [1, 1.5, 2, 3])
def test_values_are_those_of_rpw(p):
    x, y, a, b = pair()
    assert distance(x, y, a, b, p=p, k=0.1).item() == rpw.distance(*arrays(x, y, a, b), p=p, k=0.1, diameter=1)
    for mass in (1.0, 0.6):
        expected = rpw.transport(*arrays(x, y, a, b), p=p, mass=mass).distance
        assert rt.wasserstein(x, y, a, b, p=p, mass=mass).item() == expected
    cost = torch.cdist(x, y)
    expected = rpw.distance(cost=cost.detach().numpy(), a=arrays(a)[0], p=p, diameter=1)
    assert rt.distance(cost=cost, a=a, p=p, diameter=1).item() == expected


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "chebyshev"])
def test_gradcheck(metric):
    k = torch.tensor(1.3, dtype=FLOAT64, requires_grad=True)

    def function(x, y, a, b, k):
        return distance(x, y, a, b, k=k, metric=metric)

    assert torch.autograd.gradcheck(function, (*pair(), k))


def test_gradcheck_of_costs_of_a_batch_and_of_wasserstein():
    x, y, a, b = pair()
    cost = torch.cdist(x, y).detach().requires_grad_()
    assert torch.autograd.gradcheck(lambda c, a, b: rt.distance(cost=c, a=a, b=b, diameter=1), (cost, a, b))
    assert torch.autograd.gradcheck(lambda x, y, a, b: rt.wasserstein(x, y, a, b, p=1.5), (x, y, a, b))
    assert torch.autograd.gradcheck(lambda x, y: rt.wasserstein(x, y, mass=0.7), (x, y))
    k = tensor(3)
    assert torch.autograd.gradcheck(lambda x, y, k: distance(x, y, k=k + 0.1), (tensor(3, 4, 2), tensor(3, 5, 2), k))


def test_wasserstein_gradients_are_those_of_pot():
    ot = pytest.importorskip("ot")
    x, y, a, b = pair()
    a, b = (each.detach() / each.detach().sum() for each in (a, b))
    a.requires_grad_(), b.requires_grad_()
    ours = gradient(rt.wasserstein(x, y, a, b) ** 2, x, y, a, b)
    theirs = gradient(ot.emd2(a, b, torch.cdist(x, y) ** 2), x, y, a, b)
    for s, (one, other) in enumerate(zip(ours, theirs, strict=True)):
        centre = (other * (a, b)[s - 2]).sum() if s > 1 else 0.0  # theirs are not those of raw weights
        torch.testing.assert_close(one, other - centre, rtol=1e-9, atol=1e-12)


def test_float32_is_computed_in_float64_and_rounded_once():
    x, y, a, b = (each.detach().to(torch.float32).requires_grad_() for each in pair())
    loss = distance(x, y, a, b, k=0.1)
    assert loss.dtype == torch.float32
    expected = rpw.distance(*(each.astype(np.float64) for each in arrays(x, y, a, b)), k=0.1, diameter=1)
    assert loss.item() == np.float32(expected)
    exact = gradient(distance(*(each.double() for each in (x, y, a, b)), k=0.1), x, y, a, b)
    for one, other in zip(gradient(loss, x, y, a, b), exact, strict=True):
        assert one.dtype == torch.float32
        torch.testing.assert_close(one, other, rtol=0, atol=0)
    assert distance(x, y.double()).dtype == FLOAT64
    assert distance(torch.arange(4), torch.arange(5)).dtype == FLOAT64


def test_identical_measures_and_points_that_coincide():
    x, _, a, _ = pair()
    for found in gradient(distance(x, x.detach().clone(), a, a.detach().clone()), x, a):
        assert not found.any()
    together = x.detach().clone()
    together[1:] += 0.3
    assert torch.isfinite(gradient(distance(x, together, p=1), x)).all()


@pytest.mark.parametrize(("p", "expected"), [(1, 3.0), (2, 7.5)])
def test_a_weight_of_zero_has_the_derivative_upwards(p, expected):
    """W of (1 - h) at 0 and h at 5 to 1 is 1 + 3h for p = 1, and √(1 + 15h) for p = 2."""
    a = torch.tensor([1.0, 0.0], requires_grad=True)
    rt.wasserstein(torch.tensor([0.0, 5.0]), torch.tensor([1.0]), a=a, p=p).backward()
    assert a.grad.tolist() == pytest.approx([0, expected])


def test_inputs_are_left_alone():
    x, y, a, b = pair()
    before = [each.detach().clone() for each in (x, y, a, b)]
    distance(x, y, a, b).backward()
    assert all(torch.equal(one, other) for one, other in zip(before, (x, y, a, b), strict=True))
    with torch.inference_mode():
        assert distance(x, y, a, b) > 0
    strided = tensor(2, 6).T
    assert torch.equal(distance(strided, y), distance(strided.contiguous(), y))


# ---------------------------------------------------------------- batches


def test_a_batch_is_each_of_its_pairs():
    x, y = batch()
    a, k = tensor(4, 6), tensor(4)
    together = distance(x, y, a, k=k)
    assert together.shape == (4,)
    alone = [distance(x[s], y[s], a[s], k=k[s]) for s in range(4)]
    assert together.tolist() == [each.item() for each in alone]
    weights = tensor(4, grad=False)
    for one, other in zip(
        gradient(together @ weights, x, a, k), gradient(torch.stack(alone) @ weights, x, a, k), strict=True
    ):
        torch.testing.assert_close(one, other, rtol=1e-13, atol=0)
    costs = torch.cdist(x, y)
    torch.testing.assert_close(rt.distance(cost=costs, a=a, k=k, diameter=1), together, rtol=1e-12, atol=0)


def test_what_is_no_batch_belongs_to_each_pair():
    x, y = batch()
    fixed, a = y[0], tensor(6)
    together = distance(x, fixed, a)
    assert together.tolist() == [distance(each, fixed, a).item() for each in x]
    expected = sum(gradient(distance(each, fixed, a), a) for each in x)
    torch.testing.assert_close(gradient(together.sum(), a), expected)


def test_ragged_lists():
    x, y = ([tensor(n, 3) for n in sizes] for sizes in ((3, 7, 5), (6, 2, 4)))
    b = [tensor(n) for n in (6, 2, 4)]
    together, alone = distance(x, y, b=b), [distance(x[s], y[s], b=b[s]) for s in range(3)]
    assert together.tolist() == [each.item() for each in alone]
    for one, other in zip(gradient(together.sum(), *x, *y, *b), gradient(sum(alone), *x, *y, *b), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-13, atol=0)
    assert distance(x, y[0].detach()).shape == (3,)


def test_threads_do_not_change_a_bit():
    x, y = tensor(20, 12, 2), tensor(20, 9, 2)
    one, two = (gradient(distance(x, y, n_threads=n).sum(), x) for n in (1, 2))
    assert torch.equal(one, two)


def test_the_module():
    x, y = batch()
    each = distance(x, y, p=1, k=2.0)
    for reduction, expected in (("none", each), ("sum", each.sum()), ("mean", each.mean())):
        assert torch.equal(rt.RPWLoss(1, 2.0, reduction=reduction, diameter=1.0)(x, y), expected)
    assert "reduction='mean'" in repr(rt.RPWLoss())
    with pytest.raises(ValueError, match=r"^reduction must be 'mean' or 'sum' or 'none', got 'avg'"):
        rt.RPWLoss(reduction="avg")


# ---------------------------------------------------------------- what torch does to functions


@pytest.mark.parametrize("kind", ["points", "cost"])
def test_opcheck_passes_whole(kind):
    x, y, k, a = tensor(3, 4, 2), tensor(3, 5, 2), (tensor(3, grad=False) + 0.1).requires_grad_(), tensor(3, 4)
    cost = torch.cdist(x, y).detach().requires_grad_()
    first = (x, y) if kind == "points" else (cost, None)
    passed = torch.library.opcheck(
        torch.ops.rpw.distances.default, (*first, a, None, k, "rpw", "euclidean", 2.0, 1.0, None, [], [], 1)
    )
    assert len(passed) == 4
    assert set(passed.values()) == {"SUCCESS"}
    x, y, k = (each.detach() for each in (x, y, k))
    torch.library.opcheck(torch.ops.rpw.times.default, (k, x, x, y, None, None, k, 0))


def test_func_grad_and_vmap_together():
    x, y = batch()
    expected = gradient(distance(x, y).sum(), x)
    one, func = x.detach(), torch.func
    torch.testing.assert_close(func.grad(distance)(one[0], y[0]), expected[0])
    torch.testing.assert_close(func.vmap(distance)(one, y), distance(one, y))
    torch.testing.assert_close(func.vmap(func.grad(distance))(one, y), expected)
    torch.testing.assert_close(func.grad(lambda x: func.vmap(distance)(x, y).sum())(one), expected)
    jacobian = func.jacrev(lambda x: distance(x, y))(one)
    torch.testing.assert_close(jacobian.diagonal(dim1=0, dim2=1).permute(2, 0, 1), expected)
    all_pairs = func.vmap(func.vmap(distance, (None, 0)), (0, None))(one, y)
    assert all_pairs.tolist() == [[distance(p, q).item() for q in y] for p in one]


def test_vmap_over_weights_costs_k_and_the_last_axis():
    x, y, _, _ = (each.detach() for each in pair())
    a, k = tensor(3, 6, grad=False), tensor(3, grad=False) + 0.1
    found = torch.func.vmap(torch.func.grad(lambda a, k: distance(x, y, a, k=k), argnums=(0, 1)))(a, k)
    for s in range(3):
        expected = torch.func.grad(lambda a, k: distance(x, y, a, k=k), argnums=(0, 1))(a[s], k[s])
        torch.testing.assert_close((found[0][s], found[1][s]), expected)
    costs = tensor(4, 5, 3, grad=False)
    each = torch.func.vmap(torch.func.grad(lambda c: rt.distance(cost=c, diameter=1)), in_dims=2)(costs)
    for s in range(3):
        torch.testing.assert_close(each[s], torch.func.grad(lambda c: rt.distance(cost=c, diameter=1))(costs[..., s]))


def test_vmap_over_lists():
    x, y, others = tensor(3, 4, 2), tensor(3, 6, 2, grad=False), tensor(2, 5, 2, grad=False)
    mapped = torch.func.vmap(lambda x, y: distance([x, y], list(others)))(x, y)
    expected = torch.stack([distance([a, b], list(others)) for a, b in zip(x, y, strict=True)])
    torch.testing.assert_close(mapped, expected, rtol=0, atol=0)
    weight = torch.arange(6.0, dtype=FLOAT64).reshape(3, 2)
    found, theirs = (gradient((weight * each).sum(), x) for each in (mapped, expected))
    torch.testing.assert_close(found, theirs, rtol=0, atol=1e-15)


@pytest.mark.filterwarnings("error")
def test_weights_whose_sum_is_no_float64():
    x, y, *_ = pair(5, 5)
    a = torch.full((5,), 1.7e308, dtype=FLOAT64, requires_grad=True)
    loss = distance(x, y, a)
    assert loss.item() == pytest.approx(distance(x, y).item(), abs=1e-15)
    assert gradient(loss, a).tolist() == [0.0] * 5


def test_threads_may_be_any_whole_number():
    x, y = batch()
    assert distance(x, y, n_threads=np.int64(2)).tolist() == distance(x, y).tolist()


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_compiled_without_a_break(backend):
    x, y, a, b = pair()

    def function(x, y, a, b):
        return (3 * distance(x.sin(), y, a, b, k=0.7)).exp()

    compiled = torch.compile(function, fullgraph=True, backend=backend)
    torch.testing.assert_close(compiled(x, y, a, b), function(x, y, a, b))
    for one, other in zip(
        gradient(compiled(x, y, a, b), x, y, a, b), gradient(function(x, y, a, b), x, y, a, b), strict=True
    ):
        torch.testing.assert_close(one, other, rtol=1e-12, atol=0)


def test_compiled_costs_batches_lists_and_modules():
    x, y = batch()
    cost = torch.cdist(x, y).detach().requires_grad_()
    lists = [tensor(n, 2) for n in (3, 5)], [tensor(n, 2, grad=False) for n in (4, 2)]
    loss = rt.RPWLoss(diameter=1.0, n_threads=2, k=torch.nn.Parameter(torch.tensor(0.7)))
    assert len(list(loss.parameters())) == 1
    for function, arguments, input_ in (
        (lambda c: rt.distance(cost=c, diameter=1.0).sum(), (cost,), cost),
        (lambda x, y: loss(x, y), (x, y), x),
        (lambda x, y: distance(x, y).sum(), lists, lists[0][1]),
        (lambda x, y: rt.wasserstein(x, y, mass=0.8).sum(), (x, y), x),
    ):
        compiled = torch.compile(function, fullgraph=True, backend="aot_eager")
        torch.testing.assert_close(gradient(compiled(*arguments), input_), gradient(function(*arguments), input_))


def test_compiled_for_batches_of_any_size():
    compiled = torch.compile(lambda x, y: distance(x, y).sum(), fullgraph=True, dynamic=True, backend="aot_eager")
    for count, n in ((2, 3), (5, 4), (7, 9)):
        x, y = tensor(count, n, 2), tensor(count, n + 1, 2)
        torch.testing.assert_close(gradient(compiled(x, y), x), gradient(distance(x, y).sum(), x))


def test_checkpoints_and_exported_programs():
    from torch.utils.checkpoint import checkpoint

    x, y, _, _ = pair()
    again = checkpoint(lambda x: distance(x, y), x, use_reentrant=False)
    torch.testing.assert_close(gradient(again, x), gradient(distance(x, y), x))
    loss = rt.RPWLoss(diameter=1.0)
    exported = torch.export.export(loss, (x.detach(), y.detach())).module()
    assert torch.equal(exported(x.detach(), y.detach()), loss(x.detach(), y.detach()))


def test_autocast_computes_in_float32():
    layer, y = torch.nn.Linear(2, 2), tensor(5, 2, grad=False, dtype=torch.float32)
    with torch.autocast("cpu", torch.bfloat16):
        points = layer(tensor(6, 2, grad=False, dtype=torch.float32))
        loss = distance(points, y)
    assert points.dtype == torch.bfloat16
    assert loss.dtype == torch.float32
    loss.backward()
    assert layer.weight.grad.any()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16], ids=str)
def test_short_floats_are_rounded_only_at_the_end(dtype):
    """Value and gradients are those of the same numbers in float64, in the nearest short floats."""
    for inputs, loss in (
        (pair(), lambda x, y, a, b: distance(x, y, a, b, p=1)),
        ((tensor(6, 8),), lambda cost: distance(None, None, cost=cost)),
    ):
        short = [each.detach().abs().to(dtype).requires_grad_() for each in inputs]
        long = [each.detach().to(torch.float64).requires_grad_() for each in short]
        here, there = loss(*short), loss(*long)
        assert torch.equal(here, there.to(dtype))
        for found, expected in zip(torch.autograd.grad(here, short), torch.autograd.grad(there, long), strict=True):
            assert torch.equal(found, expected.to(dtype))


def test_second_derivatives_raise_and_say_why():
    """Also where they are only one term of a loss, which would silently lack it."""
    x, y, _, _ = pair()
    (first,) = torch.autograd.grad(distance(x, y), x, create_graph=True)
    with pytest.raises(RuntimeError, match="rpw has first derivatives only"):
        first.sum().backward()
    (first,) = torch.autograd.grad(distance(x, y), x, create_graph=True)
    with pytest.raises(RuntimeError, match="rpw has first derivatives only"):
        (distance(x, y) + first.square().sum()).backward()
    with pytest.raises(RuntimeError, match="rpw has first derivatives only"):
        torch.func.grad(lambda x: torch.func.grad(distance)(x, y).sum())(x.detach())
    weight = tensor(6)
    (first,) = torch.autograd.grad(distance(x, y, weight), weight, create_graph=True)
    with pytest.raises(RuntimeError, match="rpw has first derivatives only"):
        first.square().sum().backward()


@pytest.mark.parametrize("inner", range(5))
@pytest.mark.parametrize("outer", range(5))
def test_mixed_second_derivatives_raise_too(inner, outer):
    """The slope in x depends on y, a, b and k as well."""
    inputs = [each.detach() for each in (*pair(), torch.tensor(0.7, dtype=FLOAT64))]

    def squares(w):
        def loss(v):
            given = [*inputs]
            given[outer], given[inner] = w, v
            return distance(*given[:4], k=given[4])

        return torch.func.grad(loss)(w if inner == outer else inputs[inner]).square().sum()

    with pytest.raises(RuntimeError, match="rpw has first derivatives only"):
        torch.func.grad(squares)(inputs[outer])


NESTED = {
    "grad of grad": lambda f: torch.func.grad(lambda z: torch.func.grad(f)(z).square().sum()),
    "jacrev of jacrev": lambda f: torch.func.jacrev(torch.func.jacrev(f)),
    "grad of vjp": lambda f: torch.func.grad(lambda z: torch.func.vjp(f, z)[1](torch.ones((), dtype=FLOAT64))[0].sum()),
}


@pytest.mark.parametrize("fullgraph", [False, True])
@pytest.mark.parametrize("nested", NESTED)
def test_compiled_second_derivatives_raise_and_are_never_zero(nested, fullgraph):
    """The compiler takes the backward of any function that has its own for a constant."""
    x, y = (each.detach() for each in pair()[:2])
    torch._dynamo.reset()
    compiled = torch.compile(NESTED[nested](lambda z: distance(z, y)), fullgraph=fullgraph, backend="aot_eager")
    with pytest.raises(RuntimeError, match="rpw has first derivatives only"):
        compiled(x)


def test_the_gradient_of_a_compiled_gradient_is_an_error_of_torch():
    x, y, _, _ = pair()
    loss = torch.compile(lambda x: distance(x, y.detach()), fullgraph=True, backend="aot_eager")
    (first,) = torch.autograd.grad(loss(x), x, create_graph=True)
    with pytest.raises(RuntimeError, match="double backward"):
        (first.square().sum() + x.sum()).backward()


def test_nested_gradients_compile_where_no_second_derivative_is_taken():
    """Not as one graph: there torch does not tell who depends on whom."""
    x, y = (each.detach() for each in pair()[:2])

    def product(z):
        return torch.func.grad(lambda t: t.square() * distance(z, y))(torch.ones((), dtype=FLOAT64))

    compiled = torch.compile(torch.func.grad(product), backend="aot_eager")
    torch.testing.assert_close(compiled(x), 2 * torch.func.grad(lambda z: distance(z, y))(x))


def test_forward_mode_is_refused_and_never_zero():
    x, y, _, _ = pair()
    with pytest.raises(NotImplementedError, match="jvp"):
        torch.func.jvp(lambda x: distance(x, y.detach()), (x.detach(),), (x.detach(),))
    with torch.autograd.forward_ad.dual_level(), pytest.raises(NotImplementedError, match="jvp"):
        distance(torch.autograd.forward_ad.make_dual(x.detach(), x.detach()), y.detach())


# ---------------------------------------------------------------- what others got wrong


def test_the_incoming_gradient_counts_once_as_in_pot_309():
    x, y, a, b = pair()
    plain = gradient(distance(x, y, a, b), x, y, a, b)
    for one, other in zip(gradient(-3 * distance(x, y, a, b), x, y, a, b), plain, strict=True):
        torch.testing.assert_close(one, -3 * other)
    both = gradient(distance(x, y, a, b) + distance(x, y, a, b), a)
    torch.testing.assert_close(both, 2 * plain[2])


def test_gradients_in_weights_are_those_of_raw_weights_unlike_pot_364():
    x, y, a, b = pair()
    for weights, found in zip((a, b), gradient(distance(x, y, a, b), a, b), strict=True):
        assert (weights * found).sum().item() == pytest.approx(0, abs=1e-14)
    longer = (a.detach() * 7).requires_grad_()
    torch.testing.assert_close(gradient(distance(x, y, longer, b), longer) * 7, gradient(distance(x, y, a, b), a))
    logits = tensor(6)
    softmax = gradient(distance(x, y, logits.softmax(0)), logits)
    expected = central(
        lambda z: rpw.distance(*arrays(x, y), np.exp(z) / np.exp(z).sum(), diameter=1), arrays(logits)[0]
    )
    assert is_close(softmax, expected)


def test_the_loss_is_on_the_device_of_its_inputs_unlike_pot_679():
    """Nothing but the shapes is computed here: there need not be a GPU."""
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode(allow_non_fake_inputs=True):
        x, y = (torch.empty(3, n, 2, device="meta", requires_grad=True) for n in (4, 5))
        outputs = torch.ops.rpw.distances(
            x, y, None, None, x.new_ones(3), "rpw", "euclidean", 2.0, None, None, [], [], 1
        )
        assert {each.device.type for each in outputs} == {"meta"}


def test_a_loss_of_tensors_on_a_gpu_is_on_that_gpu_unlike_pot_679(gpu):
    if not torch.cuda.is_available():
        pytest.skip("torch has no CUDA")
    x, y, a, b = (each.detach().cuda().requires_grad_() for each in pair())
    loss = distance(x, y, a, b, k=torch.tensor(2.0, device="cuda"))
    assert loss.is_cuda
    assert loss.item() == pytest.approx(distance(*(each.cpu() for each in (x, y, a, b)), k=2.0).item(), abs=1e-12)
    assert all(each.is_cuda for each in gradient(loss, x, y, a, b))


def test_gradients_in_weights_are_there_unlike_geomloss_93():
    x, y, a, b = pair()
    distance(x.detach(), y.detach(), a, b).backward()
    assert a.grad is not None
    assert b.grad is not None
    assert a.grad.any()
    assert b.grad.any()


def test_compiled_func_grad_keeps_the_backward_unlike_pytorch_193279():
    x, y = batch()
    compiled = torch.compile(
        lambda x: torch.func.grad(lambda x: distance(x, y).sum())(x), fullgraph=True, backend="aot_eager"
    )
    torch.testing.assert_close(compiled(x.detach()), gradient(distance(x, y).sum(), x))


def test_arguments_equal_to_their_defaults_compile_unlike_pytorch_162687():
    x, y, _, _ = pair()
    for options in ({}, {"p": 2, "k": 1, "metric": "euclidean", "tol": 0.0, "time_limit": None, "n_threads": None}):
        compiled = torch.compile(
            lambda x, options=options: rt.distance(x, y.detach(), **options), fullgraph=True, backend="aot_eager"
        )
        torch.testing.assert_close(gradient(compiled(x), x), gradient(rt.distance(x, y.detach()), x))


# ---------------------------------------------------------------- what is refused

REFUSED = {
    "truth for mass": (lambda x, y: rt.wasserstein(x, y, mass=True), r"^mass must be a number, got True"),
    "a tensor for mass": (
        lambda x, y: rt.wasserstein(x, y, mass=torch.tensor(1.0)),
        r"^mass must be a number, got tensor",
    ),
    "p = inf": (lambda x, y: distance(x, y, p=float("inf")), r"^p=inf has no gradient"),
    "p below 1": (lambda x, y: distance(x, y, p=0.5), r"^p must be finite and at least 1, got 0.5$"),
    "no mass": (lambda x, y: rt.wasserstein(x, y, mass=None), r"^mass must be a number, got None$"),
    "a price below 0": (lambda x, y: distance(x, y, k=-1), r"^k must be finite and positive, got -1.0$"),
    "tol below 0": (lambda x, y: distance(x, y, tol=-1), r"^tol=-1 has no gradient"),
    "an unknown metric": (
        lambda x, y: distance(x, y, metric="euclid"),
        r"^metric='euclid' has no gradient here.* euclidean, cityblock, chebyshev, minkowski, or .* pass cost=$",
    ),
    "a metric without parameters": (
        lambda x, y: distance(x, y, metric="mahalanobis"),
        r"^metric='mahalanobis' has no gradient here",
    ),
    "float8": (
        lambda x, y: distance(x.to(torch.float8_e4m3fn), y),
        r"^x has the type torch.float8_e4m3fn: pass x.float\(\)",
    ),
    "k = 0": (lambda x, y: distance(x, y, k=0), r"^k=0 has no gradient"),
    "a k of 0": (lambda x, y: distance(x, y, k=torch.tensor(0.0)), r"^k=0 has no gradient"),
    "tol": (lambda x, y: distance(x, y, tol=1e-3), r"^tol=0.001 has no gradient"),
    "time_limit": (lambda x, y: rt.wasserstein(x, y, time_limit=1), r"^time_limit has no gradient"),
    "a square": (lambda x, y: distance(x, y, metric="sqeuclidean"), r"triangle inequality"),
    "a callable": (lambda x, y: distance(x, y, metric=torch.dist), r"^metric must be a name here"),
    "text": (lambda x, y: distance(x, y, p="2"), r"^p must be a number, got '2'"),
    "no exponent": (lambda x, y: distance(x, y, p=None), r"^p must be a number, got None"),
    "truth for threads": (lambda x, y: distance(x, y, n_threads=True), r"^n_threads must be a number, got True"),
    "no pairs": (lambda x, y: distance(x[None][:0], y), r"^x must have.*nothing may be empty; got shape \(0, 6, 2\)"),
    "no pairs of a vmap": (
        lambda x, y: torch.func.vmap(lambda x: distance(x, y))(x[None][:0]),
        r"^vmap got a batch of no",
    ),
    "truth": (lambda x, y: distance(x, y, k=True), r"^k must be a number, got True"),
    "arrays": (lambda x, y: distance(x.detach().numpy(), y), r"^x must be a torch tensor, got ndarray"),
    "nothing": (lambda x, y: distance(x, None), r"^y is missing"),
    "both": (lambda x, y: rt.distance(x, y, cost=x), r"^pass either points x and y or a matrix cost"),
    "a metric beside cost": (
        lambda x, y: rt.distance(cost=x, metric="cityblock"),
        r"^metric has no effect with cost",
    ),
    "dimensions": (lambda x, y: distance(x, y[:, :1]), r"same dimension, got 2 and 1"),
    "an empty one": (lambda x, y: distance(x[:0], y), r"^x must have shape \(n, d\).*got shape \(0, 2\)"),
    "an empty list": (lambda x, y: distance([], y), r"^x must hold arrays"),
    "a list of batches": (lambda x, y: distance([x[None]], y), r"^x must hold arrays"),
    "batches": (lambda x, y: distance(x.expand(2, -1, -1), y.expand(3, -1, -1)), r"^y holds a batch of 3.* batch of 2"),
    "weights": (lambda x, y: distance(x, y, y[:, 0]), r"^a must have one weight per point.*\(8,\) for 6 points"),
    "prices": (lambda x, y: distance(x, y, k=torch.ones(2, 2)), r"^k must be a number, .* got shape \(2, 2\)"),
    "weights of a list": (
        lambda x, y: distance([x[:3], x], [y, y], [x[:, 0], x[:3, 0]]),
        r"^a\[0\] must have one weight per point.*\(6,\) for 3 points",
    ),
    "numbers as weights": (lambda x, y: distance(x, y, [0.5, 0.5]), r"^a\[0\] must be a torch tensor, got float"),
    "complex": (lambda x, y: distance(x.to(torch.complex64), y), r"^x must be a dense tensor of real numbers"),
    "sparse": (lambda x, y: distance(x.to_sparse(), y), r"^x must be a dense tensor of real numbers"),
    "NaN": (lambda x, y: distance(x * float("nan"), y), r"^x has a NaN or infinite entry"),
    "negative": (lambda x, y: distance(x, y, -x[:, 0]), r"^a has a negative entry"),
    "threads": (lambda x, y: distance(x, y, n_threads=0), r"^n_threads must be a whole number of at least 1, got 0"),
    "mass": (lambda x, y: rt.wasserstein(x, y, mass=1.5), r"^mass must lie in \[0, 1\]"),
    "diameter": (lambda x, y: rt.distance(x, y, diameter=-1), r"^diameter must be finite and positive"),
    "devices": (lambda x, y: distance(x, y.to("meta")), r"^all tensors must lie on one device"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    call, message = REFUSED[name]
    with pytest.raises(ValueError, match=message):
        call(tensor(6, 2, grad=False), tensor(8, 2, grad=False))


WRONG_FROM_THE_START = {
    "p": (float("inf"), r"^p=inf has no gradient"),
    "k": (0, r"^k=0 has no gradient"),
    "metric": ("canberra", r"^metric='canberra' has no gradient here"),
    "diameter": (-1, r"^diameter must be finite and positive"),
    "n_threads": (0, r"^n_threads must be"),
    "reduction": ("max", r"^reduction must be"),
}


@pytest.mark.parametrize("name", WRONG_FROM_THE_START)
def test_a_module_is_refused_when_it_is_made(name):
    value, message = WRONG_FROM_THE_START[name]
    with pytest.raises(ValueError, match=message):
        rt.RPWLoss(**{name: value})


def test_a_price_that_is_learned_is_checked_when_it_is_used():
    loss = rt.RPWLoss(k=torch.nn.Parameter(torch.tensor(0.0)), diameter=1)
    with pytest.raises(ValueError, match=r"^k=0 has no gradient"):
        loss(tensor(6, 2), tensor(8, 2))
