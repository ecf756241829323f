"""The gradient is the derivative: finite differences, identities that hold exactly, and ties."""

import itertools

import numpy as np
import pytest
from children import run
from differences import central, is_close

import rpw
from rpw.many.gradients.asked import as_asked
from rpw.many.gradients.derivatives import plan_size
from rpw.many.gradients.functions import gradients_of_cost, gradients_of_points

RNG = np.random.default_rng(0)
POWERS, PRICES, SHAPES = (1, 1.5, 2, 3), (0.1, 1, 10), ((7, 7), (6, 9))
CASES = list(itertools.product(POWERS, PRICES, SHAPES))


def asked_for(name="rpw", p=2, metric="euclidean", mass=None, diameter=1.0):
    options = {"p": p, "metric": metric, "mass": mass, "diameter": diameter if name == "rpw" else None}
    return as_asked(name, **options, tol=0, time_limit=None, n_threads=1)


def of_points(x, y, a=None, b=None, k=1.0, **asked):
    """Of one pair: the value, and the derivatives in x, y, a, b and k."""
    pair = (each if each is None else each[None] for each in (x, y, a, b))
    found = gradients_of_points(*pair, np.array([k]), asked=asked_for(**asked))
    return found.value[0], *(part[0] for part in (*found.points, *found.weights, found.k))


def of_cost(cost, a=None, b=None, k=1.0, **asked):
    """Of one pair: the value, and the derivatives in cost, a, b and k."""
    pair = (each if each is None else each[None] for each in (cost, a, b))
    found = gradients_of_cost(*pair, np.array([k]), asked=asked_for(**asked))
    whole = np.zeros(cost.size)
    np.add.at(whole, found.places[0], found.slopes[0])
    return found.value[0], whole.reshape(cost.shape), *(part[0] for part in (*found.weights, found.k))


def clouds(n, m):
    return RNG.random((n, 2)), RNG.random((m, 2)), RNG.random(n) + 0.2, RNG.random(m) + 0.2


def check_all(function, arguments, gradients):
    """Each gradient beside central differences of the same function in that argument alone."""
    for s, gradient in enumerate(gradients):

        def changed(value, s=s):
            return function(*arguments[:s], value, *arguments[s + 1 :])

        expected = central(changed, np.asarray(arguments[s], dtype=float))
        assert is_close(gradient, expected), f"argument {s}"


# ---------------------------------------------------------------- finite differences


@pytest.mark.sample(8)
@pytest.mark.parametrize(("p", "k", "shape"), CASES)
def test_gradient_of_rpw_in_everything(p, k, shape):
    """The raw weights sum to neither 1 nor the same."""
    arguments = (*clouds(*shape), float(k))
    value, *gradients = of_points(*arguments, p=p)
    assert value == pytest.approx(rpw.distance(*arguments[:4], p=p, k=k, diameter=1), rel=1e-14)
    check_all(lambda x, y, a, b, k: rpw.distance(x, y, a, b, p=p, k=float(k), diameter=1), arguments, gradients)


@pytest.mark.sample(8)
@pytest.mark.parametrize(("p", "k", "shape"), CASES)
def test_gradient_of_rpw_in_costs(p, k, shape):
    x, y, a, b = clouds(*shape)
    arguments = (np.linalg.norm(x[:, None] - y, axis=2), a, b, float(k))
    _, *gradients = of_cost(*arguments, p=p)
    check_all(
        lambda cost, a, b, k: rpw.distance(cost=cost, a=a, b=b, p=p, k=float(k), diameter=1), arguments, gradients
    )


@pytest.mark.sample(8)
@pytest.mark.parametrize(("p", "k", "shape"), CASES)
def test_gradient_at_equal_weights_in_points_costs_and_k(p, k, shape):
    x, y, _, _ = clouds(*shape)
    _, of_x, of_y, _, _, of_k = of_points(x, y, k=k, p=p)
    check_all(lambda x, y, k: rpw.distance(x, y, p=p, k=float(k), diameter=1), (x, y, float(k)), (of_x, of_y, of_k))
    cost = np.linalg.norm(x[:, None] - y, axis=2)
    check_all(lambda cost: rpw.distance(cost=cost, p=p, k=k, diameter=1), (cost,), of_cost(cost, k=k, p=p)[1:2])


@pytest.mark.parametrize("metric", ["cityblock", "chebyshev", "minkowski"])
def test_gradient_under_other_norms(metric):
    arguments = clouds(6, 8)
    _, *gradients = of_points(*arguments, p=1.5, metric=metric)
    check_all(lambda x, y, a, b: rpw.distance(x, y, a, b, p=1.5, metric=metric, diameter=1), arguments, gradients[:4])


@pytest.mark.parametrize(("p", "mass"), list(itertools.product(POWERS, (None, 0.6))))
def test_gradient_of_wasserstein_distances(p, mass):
    arguments = clouds(6, 8)
    name = "wasserstein" if mass is None else "partial_wasserstein"
    value, *gradients = of_points(*arguments, name=name, p=p, mass=mass)

    def function(x, y, a, b):
        return rpw.transport(x, y, a, b, p=p, mass=1.0 if mass is None else mass).distance

    assert value == pytest.approx(function(*arguments), rel=1e-14)
    check_all(function, arguments, gradients[:4])
    assert gradients[4] == 0


@pytest.mark.parametrize("p", POWERS)
@pytest.mark.parametrize("name", ["rpw", "wasserstein"])
def test_gradient_on_the_line(name, p):
    """Another solver finds plan and potentials there."""
    arguments = tuple(each[:, :1] if each.ndim == 2 else each for each in clouds(7, 9))
    value, *gradients = of_points(*arguments, name=name, p=p)

    def function(x, y, a, b):
        return rpw.distance(x, y, a, b, p=p, diameter=1) if name == "rpw" else rpw.wasserstein(x, y, a, b, p=p)

    assert value == pytest.approx(function(*arguments), rel=1e-13)
    check_all(function, arguments, gradients[:4])


def test_gradient_with_a_diameter_and_in_many_dimensions():
    x, y, a, b = RNG.random((5, 30)) * 100, RNG.random((6, 30)) * 100, RNG.random(5) + 0.1, RNG.random(6) + 0.1
    _, *gradients = of_points(x, y, a, b, 0.7, diameter=40.0)
    check_all(lambda x, y, a, b, k: rpw.distance(x, y, a, b, k=float(k), diameter=40), (x, y, a, b, 0.7), gradients)


@pytest.mark.parametrize("p", [1, 2])
def test_the_gradient_in_equal_weights_lies_between_the_two_derivatives(p):
    """A unit of weight that is added to an atom has another price than one that is taken away."""
    x, y = RNG.random((8, 2)), RNG.random((8, 2))
    ones = np.ones(8)
    _, _, _, of_a, of_b, _ = of_points(x, y, ones, ones, p=p)
    has_kink = False
    step = 1e-7
    for side, gradient in ((0, of_a), (1, of_b)):
        for i in range(8):

            def moved(by, side=side, i=i):
                weights = [ones.copy(), ones.copy()]
                weights[side][i] += by
                return rpw.distance(x, y, *weights, p=p, diameter=1)

            up, down = (moved(step) - moved(0.0)) / step, (moved(0.0) - moved(-step)) / step
            assert min(up, down) - 1e-6 <= gradient[i] <= max(up, down) + 1e-6
            has_kink = has_kink or abs(up - down) > 1e-3
    assert has_kink, "a test without a kink shows nothing"


def test_the_derivative_in_a_weight_of_zero_is_the_one_upwards():
    x, y, a, b = clouds(6, 7)
    a[2] = b[0] = b[4] = 0.0
    _, _, _, of_a, of_b, _ = of_points(x, y, a, b)
    for side, gradient, i in ((0, of_a, 2), (1, of_b, 0), (1, of_b, 4)):
        weights = [a.copy(), b.copy()]
        weights[side][i] = 1e-7
        expected = (rpw.distance(x, y, *weights, diameter=1) - rpw.distance(x, y, a, b, diameter=1)) / 1e-7
        assert gradient[i] == pytest.approx(expected, rel=1e-4, abs=1e-6)


@pytest.mark.parametrize(("p", "expected"), [(1, 3.0), (2, 7.5)])
def test_a_far_point_of_weight_zero_must_be_brought_along_where_all_mass_moves(p, expected):
    """W of (1 - h) at 0 and h at 5 to 1 is 1 + 3h for p = 1, and √(1 + 15h) for p = 2."""
    line = np.array([[0.0], [5.0]]), np.array([[1.0]]), np.array([1.0, 0.0]), np.ones(1)
    cost = abs(line[0] - line[1].T)
    for x, y, a, b in (line, (line[1], line[0], line[3], line[2])):
        weights = of_points(x, y, a, b, name="wasserstein", p=p)[3:5]
        assert sorted(np.concatenate(weights)) == pytest.approx([0, 0, expected])
    assert of_cost(cost, *line[2:], name="wasserstein", p=p)[2] == pytest.approx([0, expected])


@pytest.mark.parametrize("mass", [1.0, 0.95, 0.6])
@pytest.mark.parametrize("p", POWERS)
def test_the_derivatives_in_weights_of_zero_are_those_upwards_of_every_mass(p, mass):
    rng = np.random.default_rng(7)
    name, share = ("wasserstein", None) if mass == 1 else ("partial_wasserstein", mass)
    for dimension in (1, 2, 3):
        x, y = 3 * rng.random((8, dimension)), rng.random((7, dimension))
        a, b = rng.random(8) + 0.2, rng.random(7) + 0.2
        a[[1, 4, 5]] = b[[0, 6]] = 0.0
        _, _, _, *of_weights, _ = of_points(x, y, a, b, name=name, p=p, mass=share)
        for side, i in ((0, 1), (0, 4), (0, 5), (1, 0), (1, 6)):
            values = []
            for weight in (0.0, 1e-6, 2e-6):
                weights = [a.copy(), b.copy()]
                weights[side][i] = weight
                values.append(rpw.transport(x, y, *weights, p=p, mass=mass).distance)
            upwards = (4 * values[1] - values[2] - 3 * values[0]) / 2e-6
            assert of_weights[side][i] == pytest.approx(upwards, rel=1e-6, abs=1e-8)


def test_where_the_dual_is_not_unique_a_weight_of_zero_has_at_most_the_derivative_upwards():
    """With equal weights the other atoms have prices within a range; those of the solve are some of them."""
    rng = np.random.default_rng(8)
    for _ in range(20):
        x, y, a, b = 3 * rng.random((6, 2)), rng.random((5, 2)), np.ones(6), np.ones(5)
        a[3] = 0.0
        of_a = of_points(x, y, a, b, name="wasserstein", p=1)[3]
        more = np.where(np.arange(6) == 3, 1e-6, a)
        assert of_a[3] <= (rpw.wasserstein(x, y, more, b, p=1) - rpw.wasserstein(x, y, a, b, p=1)) / 1e-6 + 1e-6


# ---------------------------------------------------------------- identities, also with ties


def with_ties(case):
    """Few places, points on top of each other, equal weights, zero weights, or all on one line."""
    n, m = RNG.integers(2, 12, 2)
    x, y = (np.round(RNG.random((size, 2)) * 3) / 3 for size in (n, m))
    a, b = (RNG.integers(0, 3, size).astype(float) for size in (n, m))
    a[0] = b[0] = 1.0
    if case % 3 == 0:
        a, b = np.ones(n), np.ones(m)
    if case % 4 == 0:
        x[:, 1] = y[:, 1] = 0
    return x, y, a, b


@pytest.mark.sample(8)
@pytest.mark.parametrize("case", range(24))
def test_identities_that_hold_wherever_the_plan_is_optimal(case):
    """Moving all points together, or all weights in proportion, changes nothing, nor does another unit of length."""
    p, k = POWERS[case % 4], PRICES[case % 3]
    x, y, a, b = with_ties(case)
    value, of_x, of_y, of_a, of_b, of_k = of_points(x, y, a, b, k, p=p)
    assert all(np.isfinite(each).all() for each in (of_x, of_y, of_a, of_b, of_k))
    assert np.allclose(of_x.sum(axis=0) + of_y.sum(axis=0), 0, atol=1e-12)
    assert (of_x * x).sum() + (of_y * y).sum() + of_k * k == pytest.approx(0, abs=1e-12)
    assert a @ of_a == pytest.approx(0, abs=1e-12)
    assert b @ of_b == pytest.approx(0, abs=1e-12)
    cost = np.linalg.norm(x[:, None] - y, axis=2)
    same, of_cost_, *_ = of_cost(cost, a, b, k, p=p)
    assert same == pytest.approx(value, abs=1e-12)
    assert (of_cost_ * cost).sum() + of_k * k == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("case", range(12))
def test_plans_fit_into_their_places(case):
    """The plan at the crossing mixes two vertices that need not be neighbours."""
    rng = np.random.default_rng(case)
    n, m = rng.integers(20, 45, 2)
    x, y = (np.round(rng.random((size, 2)) * 6) for size in (n, m))
    a, b = rng.integers(1, 4, n), rng.integers(1, 4, m)
    if case % 4 == 0:
        x[:, 1] = y[:, 1] = 0  # the line
    for p, k in ((1, 0.3), (2, 1.0), (3, 5.0)):
        entries = rpw.solve(x, y, a, b, p=p, k=k, diameter=1)._plan.mass
        assert len(entries) <= plan_size(n, m)


def test_a_batch_is_each_of_its_pairs_also_with_a_k_of_its_own():
    x, y = RNG.random((5, 6, 3)), RNG.random((5, 4, 3))
    a, b, k = RNG.random((5, 6)), RNG.random((5, 4)), RNG.random(5) + 0.1
    a[2, 3:] = 0
    found = gradients_of_points(x, y, a, b, k, asked=asked_for())
    for s in range(5):
        value, *gradients = of_points(x[s], y[s], a[s], b[s], k[s])
        assert found.value[s] == value == rpw.distance(x[s], y[s], a[s], b[s], k=k[s], diameter=1)
        for whole, one in zip((*found.points, *found.weights, found.k), gradients, strict=True):
            np.testing.assert_array_equal(whole[s], one)


def test_points_that_only_fill_up_the_array_count_for_nothing():
    x, y, a, b = clouds(6, 9)
    padded = [np.full((1, 12, 2), 5.0), np.full((1, 12, 2), 7.0), np.full((1, 12), 3.0), np.full((1, 12), 4.0)]
    for whole, part in zip(padded, (x, y, a, b), strict=True):
        whole[0, : len(part)] = part
    for given in ((a, b), (None, None)):
        weights = padded[2:] if given[0] is not None else (None, None)
        found = gradients_of_points(*padded[:2], *weights, np.ones(1), asked=asked_for(), sizes=([6], [9]))
        value, *gradients = of_points(x, y, *given)
        assert found.value[0] == value
        for whole, one in zip((*found.points, *found.weights), gradients, strict=False):
            np.testing.assert_array_equal(whole[0, : len(one)], one)
            assert not whole[0, len(one) :].any()


# ---------------------------------------------------------------- where there is no derivative


@pytest.mark.parametrize("p", POWERS)
def test_identical_measures_have_the_gradient_zero(p):
    x, _, a, _ = clouds(7, 7)
    order = RNG.permutation(7)
    for y, b in ((x, a), (x[order], 3 * a[order])):
        value, *gradients = of_points(x, y, a, b, p=p)
        assert value == pytest.approx(0, abs=1e-12)
        assert all(np.isfinite(each).all() and not each.any() for each in gradients if value == 0)
    assert of_points(x, x, a, a, p=p)[0] == 0
    _, *gradients = of_points(x, x, name="wasserstein", p=p)
    assert not any(each.any() for each in gradients)


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "chebyshev"])
def test_points_that_coincide_have_the_gradient_zero(metric):
    x, y = np.array([[0.0, 0.0], [1.0, 1.0]]), np.array([[0.0, 0.0], [1.0, 2.0]])
    value, of_x, of_y, *_ = of_points(x, y, p=1, metric=metric)
    assert value > 0
    assert not of_x[0].any()
    assert not of_y[0].any()
    assert of_x[1, 1] < 0


@pytest.mark.parametrize("unit", [1e-30, 1e-3, 1e30])
def test_the_unit_of_length_may_be_any(unit):
    x, y, a, b = clouds(6, 7)
    for p in (2, 11):
        value, of_x, of_y, of_a, of_b, of_k = of_points(x, y, a, b, p=p)
        scaled = of_points(x * unit, y * unit, a, b, p=p, diameter=unit)
        for one, other, factor in zip(
            (value, of_x, of_y, of_a, of_b, of_k), scaled, (1, unit, unit, 1, 1, 1), strict=True
        ):
            np.testing.assert_allclose(np.asarray(other) * factor, one, rtol=1e-9, atol=1e-14)


REFUSED = {
    "p": ({"p": np.inf}, r"^p=inf has no gradient"),
    "tol": ({"tol": 0.1}, r"^tol=0.1 has no gradient"),
    "time_limit": ({"time_limit": 3.0}, r"^time_limit has no gradient"),
    "sqeuclidean": ({"metric": "sqeuclidean"}, r"^metric='sqeuclidean' breaks the triangle"),
    "canberra": ({"metric": "canberra"}, r"^metric='canberra' has no gradient here.*euclidean.*cost="),
    "callable": ({"metric": max}, r"^metric must be a name here.*cost="),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_gradient_is_refused(name):
    given, message = REFUSED[name]
    options = {"p": 2, "metric": "euclidean", "diameter": None, "mass": None, "tol": 0, "time_limit": None}
    with pytest.raises(ValueError, match=message):
        as_asked("rpw", **{**options, **given}, n_threads=1)


def test_k_of_zero_is_refused_and_numbers_are_checked():
    x, y, a, b = clouds(3, 4)
    with pytest.raises(ValueError, match=r"^k=0 has no gradient: total variation"):
        of_points(x, y, k=0.0)
    for k, message in ((-1.0, "k must be finite and positive"), (np.nan, "k has a NaN")):
        with pytest.raises(ValueError, match=message):
            of_points(x, y, k=k)
    with pytest.raises(ValueError, match="a has a negative entry"):
        of_points(x, y, -a, b)
    with pytest.raises(ValueError, match="b sums to 0"):
        of_points(x, y, a, 0 * b)
    with pytest.raises(ValueError, match=r"x has a NaN or infinite entry, the first at index \(1, 0\)"):
        of_points(np.array([[0.0], [np.nan]]), np.zeros((1, 1)))
    with pytest.raises(ValueError, match=r"cost has a negative entry, the first at index \(0, 0\)"):
        of_cost(-np.ones((2, 2)))
    both = np.stack([a, np.where(np.arange(3) == 2, -1.0, a)])
    with pytest.raises(ValueError, match=r"a\[1\] has a negative entry, the first at index 2"):
        gradients_of_points(np.stack([x, x]), np.stack([y, y]), both, None, np.ones(2), asked=asked_for())


def test_points_that_reach_far_warn_of_the_diameter_that_was_left_out():
    far = np.array([[0.0, 0.0], [9.0, 1.0]])
    with pytest.warns(UserWarning, match="diameter was left at 1"):
        of_points(far, far + 1.0, diameter=None)


@pytest.mark.parametrize("name", ["torch", "jax"])
def test_a_missing_library_is_named(name):
    program = (
        f"import sys; sys.modules[{name!r}] = None\nimport rpw\ntry: rpw.{name}\n"
        "except ImportError as error: print(error)"
    )
    assert run("-c", program).stdout == f"rpw.{name} needs {name}: pip install {name}\n"
