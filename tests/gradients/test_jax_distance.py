"""rpw.jax: the values and gradients of rpw, under everything that JAX does to functions."""

import numpy as np
import pytest
from differences import central, is_close

import rpw

jax = pytest.importorskip("jax")
rj = pytest.importorskip("rpw.jax")
jnp = jax.numpy

pytestmark = pytest.mark.large
RNG = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def _in_float64():
    with jax.enable_x64(True):
        yield


@pytest.fixture(autouse=True, params=["ffi", "callback"])
def way(request, monkeypatch):
    """How XLA asks for distances: everything here holds for both."""
    if request.param == "callback":
        monkeypatch.setattr(rj, "_TARGET", None)
    elif rj._TARGET is None:
        pytest.skip("rpw was built without jax's headers")
    jax.clear_caches()  # what was compiled for the other way
    return request.param


def pair(n=6, m=8):
    return RNG.random((n, 2)), RNG.random((m, 2)), RNG.random(n) + 0.2, RNG.random(m) + 0.2


def batch(count=4):
    return RNG.random((count, 6, 2)), RNG.random((count, 8, 2))


def distance(x, y, a=None, b=None, **options):
    return rj.distance(x, y, a, b, **{"diameter": 1.0, **options})


# ---------------------------------------------------------------- values and gradients


@pytest.mark.parametrize("p", [1, 1.5, 2, 3])
def test_values_and_gradients_are_those_of_rpw(p):
    x, y, a, b = pair()

    def plain(x, y, a, b, k):
        return rpw.distance(x, y, a, b, p=p, k=float(k), diameter=1)

    arguments = (x, y, a, b, 0.7)
    value, gradients = jax.value_and_grad(
        lambda x, y, a, b, k: distance(x, y, a, b, p=p, k=k), argnums=(0, 1, 2, 3, 4)
    )(*map(jnp.asarray, arguments))
    assert value == plain(*arguments)
    for s, found in enumerate(gradients):
        changed = central(lambda v, s=s: plain(*arguments[:s], v, *arguments[s + 1 :]), arguments[s])
        assert is_close(found, changed), s


def test_costs_and_wasserstein():
    x, y, a, b = pair()
    cost = np.linalg.norm(x[:, None] - y, axis=2)
    value, found = jax.value_and_grad(lambda c: rj.distance(cost=c, a=a, b=b, diameter=1))(cost)
    assert value == rpw.distance(cost=cost, a=a, b=b, diameter=1)
    assert is_close(found, central(lambda c: rpw.distance(cost=c, a=a, b=b, diameter=1), cost))
    for mass in (1.0, 0.6):
        value, found = jax.value_and_grad(lambda x, mass=mass: rj.wasserstein(x, y, a, b, p=1.5, mass=mass))(x)
        assert value == rpw.transport(x, y, a, b, p=1.5, mass=mass).distance
        assert is_close(found, central(lambda x, m=mass: rpw.transport(x, y, a, b, p=1.5, mass=m).distance, x))


def test_check_grads_in_both_modes():
    from jax.test_util import check_grads

    check_grads(lambda *each: distance(*each[:4], k=each[4]), (*pair(), 1.3), order=1, rtol=1e-6)


@pytest.mark.parametrize(("p", "expected"), [(1, 3.0), (2, 7.5)])
def test_a_weight_of_zero_has_the_derivative_upwards(p, expected):
    """W of (1 - h) at 0 and h at 5 to 1 is 1 + 3h for p = 1, and √(1 + 15h) for p = 2."""
    x, y = jnp.array([0.0, 5.0]), jnp.array([1.0])
    found = jax.grad(lambda a: rj.wasserstein(x, y, a=a, p=p))(jnp.array([1.0, 0.0]))
    assert found.tolist() == pytest.approx([0, expected])


def test_identical_measures_have_the_gradient_zero():
    x, _, a, _ = pair()
    for found in jax.grad(lambda z, w: distance(z, x, w, a), (0, 1))(x, a):
        assert not found.any()


def test_without_x64_only_inputs_and_answers_are_rounded():
    x, y, a, _ = (each.astype(np.float32) for each in pair())
    with jax.enable_x64(False):
        value, found = jax.value_and_grad(lambda x, a: distance(x, y, a, k=0.1), (0, 1))(x, a)
        assert value.dtype == found[0].dtype == found[1].dtype == jnp.float32
    wide = (each.astype(np.float64) for each in (x, y, a))
    exact, exact_found = jax.value_and_grad(lambda x, y, a: distance(x, y, a, k=0.1), (0, 2))(*wide)
    assert value == np.float32(exact)  # k, a number, is not rounded
    for one, other in zip(found, exact_found, strict=True):
        np.testing.assert_allclose(one, np.asarray(other), rtol=1e-6, atol=1e-9)


# ---------------------------------------------------------------- what JAX does to functions


def test_jit_grad_and_vmap_together_unlike_pot_625():
    x, y = batch()
    expected = np.stack([jax.grad(distance)(p, q) for p, q in zip(x, y, strict=True)])
    values = [float(distance(p, q)) for p, q in zip(x, y, strict=True)]
    for function in (distance, jax.jit(distance)):
        assert jax.vmap(function)(x, y).tolist() == values
    for found in (
        jax.jit(jax.vmap(jax.grad(distance)))(x, y),
        jax.vmap(jax.jit(jax.grad(distance)))(x, y),
        jax.grad(lambda x: jax.vmap(jax.jit(distance))(x, y).sum())(x),
        jax.jit(jax.grad(lambda x: distance(x, y).sum()))(x),
        jax.vmap(jax.grad(distance), (2, 0))(np.moveaxis(x, 0, 2), y),
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-13)
    all_pairs = jax.jit(jax.vmap(jax.vmap(distance, (None, 0)), (0, None)))(x, y)
    assert all_pairs.tolist() == [[float(distance(p, q)) for q in y] for p in x]


def test_vmap_over_weights_k_and_costs():
    x, y, _, _ = pair()
    a, k = RNG.random((3, 6)), RNG.random(3) + 0.1

    def of_both(a, k):
        return distance(x, y, a, k=k)

    found = jax.vmap(jax.grad(of_both, (0, 1)))(a, k)
    for s in range(3):
        for one, other in zip(found, jax.grad(of_both, (0, 1))(a[s], k[s]), strict=True):
            np.testing.assert_array_equal(one[s], other)
    costs = RNG.random((3, 4, 5))
    each = jax.vmap(jax.grad(lambda c: rj.distance(cost=c, diameter=1)))(costs)
    whole = jax.grad(lambda c: rj.distance(cost=c, diameter=1).sum())(costs)
    np.testing.assert_array_equal(each, whole)


def test_forward_mode_agrees_with_reverse_mode():
    x, y, _, _ = pair()
    np.testing.assert_allclose(jax.jacfwd(distance)(x, y), jax.grad(distance)(x, y), rtol=1e-13, atol=1e-16)


def test_batches_and_ragged_lists():
    x, y = batch()
    assert distance(x, y[0]).tolist() == [float(distance(each, y[0])) for each in x]
    x, y = ([RNG.random((n, 3)) for n in sizes] for sizes in ((3, 7, 5), (6, 2, 4)))
    b = [RNG.random(n) for n in (6, 2, 4)]
    assert distance(x, y, b=b).tolist() == [float(distance(x[s], y[s], b=b[s])) for s in range(3)]
    found = jax.grad(lambda x, b: distance(x, y, b=b).sum(), (0, 1))(x, b)
    for s in range(3):
        alone = jax.grad(lambda x, b, s=s: distance(x, y[s], b=b), (0, 1))(x[s], b[s])
        np.testing.assert_allclose(found[0][s], alone[0], rtol=1e-13)
        np.testing.assert_allclose(found[1][s], alone[1], rtol=1e-13)


def test_a_large_pair_under_jit_does_not_hang():
    x, y = RNG.random((1500, 2)), RNG.random((1400, 2))
    assert jax.jit(distance)(x, y) == rpw.distance(x, y, diameter=1)


@pytest.mark.parametrize("types", [np.float64, np.float32, np.float16, jnp.bfloat16], ids=str)
def test_the_callback_gives_the_same_bits(way, types, monkeypatch):
    if way == "callback":
        pytest.skip("it is what the FFI is compared with")
    x, y, a, b = (jnp.asarray(each, types) for each in pair())
    k = jnp.asarray([0.3, 2.0], types)

    def values_and_gradients():
        jax.clear_caches()
        points = jax.vmap(
            jax.value_and_grad(lambda k, *given: distance(*given, k=k), (0, 1, 2, 3, 4)), (0,) + 4 * (None,)
        )
        costs = jax.value_and_grad(lambda c, b: rj.distance(cost=c, b=b, p=1.5, diameter=1), (0, 1))
        lists = jax.value_and_grad(lambda x, y: rj.wasserstein([x, y], [y, x], mass=0.7).sum(), (0, 1))
        cost = jnp.abs(x[:, :1] - y[:, 0])
        return jax.tree.leaves([jax.jit(points)(k, x, y, a, b), jax.jit(costs)(cost, b), lists(x, y)])

    found = values_and_gradients()
    monkeypatch.setattr(rj, "_TARGET", None)
    for ours, theirs in zip(found, values_and_gradients(), strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(np.asarray(ours), np.asarray(theirs))


def test_the_ffi_is_what_is_compiled(way):
    compiled = jax.jit(distance).lower(*pair()).as_text()
    assert ("rpw_distances" in compiled) == (way == "ffi")


def test_a_door_that_is_newer_than_jax_is_left_alone(way):
    """XLA would refuse to run anything beside it."""
    if way == "callback":
        pytest.skip("it has no door")
    major, minor = pytest.importorskip("rpw._jax_ffi").api_version
    assert rj._is_known((major, minor))
    assert rj._is_known((major, 0))
    assert not rj._is_known((major, 99))
    assert not rj._is_known((major + 1, 0))


def test_second_derivatives_raise_and_say_why():
    x, y, _, _ = pair()
    for second in (jax.hessian(distance), jax.grad(lambda x, y: jax.grad(distance)(x, y).sum())):
        with pytest.raises(ValueError, match="rpw has first derivatives only"):
            second(x, y)


REFUSED = {
    "truth for mass": (lambda x, y: rj.wasserstein(x, y, mass=True), r"^mass must be a number, got True"),
    "a mass that is traced": (
        lambda x, y: jax.jit(lambda m: rj.wasserstein(x, y, mass=m))(1.0),
        r"^mass must be a number",
    ),
    "no price": (lambda x, y: distance(x, y, k=None), r"^k must be a number, got None"),
    "p = inf": (lambda x, y: distance(x, y, p=np.inf), r"^p=inf has no gradient"),
    "k = 0": (lambda x, y: distance(x, y, k=0), r"^k=0 has no gradient"),
    "tol": (lambda x, y: distance(x, y, tol=1e-3), r"^tol=0.001 has no gradient"),
    "time_limit": (lambda x, y: distance(x, y, time_limit=1), r"^time_limit has no gradient"),
    "text": (lambda x, y: distance("points", y), r"^x could not be read as an array of numbers"),
    "nothing": (lambda x, y: distance(x, None), r"^y is missing"),
    "weights": (lambda x, y: distance(x, y, y[:, 0]), r"^a must have one weight per point"),
    "numbers as weights": (lambda x, y: distance(x, y, [0.5, 0.5]), r"^a\[0\] must have one weight per point"),
    "complex": (lambda x, y: distance(x + 1j, y), r"^x must hold real numbers"),
    "prices": (lambda x, y: distance(x, y, k=np.ones((2, 2))), r"^k must be a number, .* got shape \(2, 2\)"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    call, message = REFUSED[name]
    with pytest.raises(ValueError, match=message):
        call(*pair()[:2])


def test_numbers_are_checked_when_they_are_known():
    x, y, a, _ = pair()
    for call, message in (
        (lambda: distance(x * np.nan, y), "x has a NaN or infinite entry"),
        (lambda: jax.jit(distance)(x, y, -a), "a has a negative entry"),
        (lambda: distance(x, y, k=jnp.array(0.0)), "k=0 has no gradient"),
    ):
        with pytest.raises(Exception, match=message):  # JAX wraps what its callbacks raise in an error of its own
            jax.block_until_ready(call())
