"""Inputs that must work, and those that must fail with a ValueError that names the argument and the first bad index."""

import math
import pathlib
from fractions import Fraction

import numpy as np
import pytest
from checks import assert_close

import rpw

INF, NAN = math.inf, math.nan

# Every function that takes the common arguments, ready to be called with points or cost.
FUNCTIONS = {
    "solve": rpw.solve,
    "distance": rpw.distance,
    "profile": rpw.profile,
    "wasserstein": rpw.wasserstein,
    "partial_wasserstein": lambda *args, **options: rpw.partial_wasserstein(*args, mass=0.5, **options),
    "total_variation": rpw.total_variation,
    "levy_prokhorov": rpw.levy_prokhorov,
    "robot": lambda *args, **options: rpw.robot(*args, lam=1.0, **options),
    "choose_solver": rpw.choose_solver,
}
every_function = pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS.keys())

RNG = np.random.default_rng(0)
X, Y = RNG.random((5, 2)), RNG.random((4, 2))
A, B = RNG.random(5), RNG.random(4)
COST = RNG.random((5, 4))


def with_entry(array, index, value):
    changed = np.array(array)
    changed[index] = value
    return changed


def points(x=X, y=Y, a=A, b=B, **options):
    return {"x": x, "y": y, "a": a, "b": b, **options}


# ---------------------------------------------------------------- refused by every function


BAD_MEASURES = [
    # NaN and infinite entries
    (points(x=with_entry(X, (2, 1), NAN)), r"^x\b.*NaN.*\(2, 1\)"),
    (points(y=with_entry(Y, (3, 0), INF)), r"^y\b.*infinite.*\(3, 0\)"),
    (points(x=with_entry(with_entry(X, (4, 0), NAN), (1, 1), -INF)), r"^x\b.*\(1, 1\)"),
    (points(x=[0.0, 1.0, NAN, 3.0, 4.0], y=[1.0], b=None), r"^x\b.*index 2"),
    (points(a=with_entry(A, 3, NAN)), r"^a\b.*NaN.*index 3"),
    (points(b=with_entry(B, 0, INF)), r"^b\b.*infinite.*index 0"),
    ({"cost": with_entry(COST, (1, 2), NAN)}, r"^cost\b.*NaN.*\(1, 2\)"),
    ({"cost": with_entry(COST, (0, 3), INF)}, r"^cost\b.*infinite.*\(0, 3\)"),
    # negative entries
    (points(a=with_entry(A, 2, -1e-3)), r"^a\b.*negative.*index 2"),
    (points(b=with_entry(B, 1, -1.0)), r"^b\b.*negative.*index 1"),
    ({"cost": with_entry(COST, (4, 1), -1e-9)}, r"^cost\b.*negative.*\(4, 1\)"),
    # weights of the wrong kind
    (points(a=np.zeros(5)), r"^a\b.*sums? to 0"),
    (points(b=np.zeros(4)), r"^b\b.*sums? to 0"),
    (points(a=A[:4]), r"^a\b.*\(5,\)"),
    (points(b=np.append(B, 1.0)), r"^b\b.*\(4,\)"),
    (points(a=A[:, None]), r"^a\b.*shape"),
    (points(a=1.0), r"^a\b.*shape"),
    ({"cost": COST, "a": A[:4]}, r"^a\b.*\(5,\)"),
    ({"cost": COST, "b": A}, r"^b\b.*\(4,\)"),
    ({"cost": COST.T, "a": A}, r"^a\b.*\(4,\)"),
    # empty measures and shapes
    (points(x=np.empty((0, 2)), a=None), r"^x\b.*empty"),
    (points(y=[], b=None), r"^y\b.*empty"),
    (points(x=np.empty((5, 0)), y=np.empty((4, 0))), r"^x\b.*coordinates"),
    (points(x=np.zeros((5, 2, 2))), r"^x\b.*shape"),
    (points(x=1.0), r"^x\b.*shape"),
    (points(y=np.zeros((4, 3))), r"^x and y\b.*dimension.*2.*3"),
    (points(y=np.zeros(4)), r"^x and y\b.*dimension.*2.*1"),
    ({"cost": np.zeros((0, 3))}, r"^cost\b.*empty"),
    ({"cost": np.zeros((3, 0))}, r"^cost\b.*empty"),
    ({"cost": np.zeros(3)}, r"^cost\b.*shape"),
    ({"cost": np.zeros((2, 2, 2))}, r"^cost\b.*shape"),
    ({"cost": 1.0}, r"^cost\b.*shape"),
    # not numeric
    (points(x=[["0", "1"]] * 5), r"^x\b.*numeric, got an array of texts: .*distances.*\(cost=\.\.\.\)$"),
    (points(x=np.full((5, 2), None)), r"^x\b"),
    (points(x=X + 1j), r"^x\b.*numeric"),
    (points(x=[[0.0, 1.0], [2.0]], a=None), r"^x\b"),
    (points(x="points"), r"^x\b.*numeric, got the text 'points': files are read by rpw.readers, .*\(cost=\.\.\.\)$"),
    (points(y=b"p" * 999), r"^y\b.*numeric, got the text b'p{55}\.\.\.: "),
    (points(x=pathlib.Path("a.csv")), r"^x\b.*numeric, got the text 'a.csv'"),
    (points(b="uniform"), r"^b\b.*numeric, got the text 'uniform'"),
    ({"cost": "D.npy"}, r"^cost\b.*numeric, got the text 'D.npy'"),
    (points(x=object()), r"^x\b"),
    (points(y=np.array(["2020-01-01"] * 4, dtype="datetime64[D]")), r"^y\b.*numeric"),
    (points(a=["heavy"] * 5), r"^a\b.*numeric"),
    (points(b=[None] * 4), r"^b\b"),
    (points(b={"weights": 1}), r"^b\b"),
    ({"cost": [["far", "near"]]}, r"^cost\b.*numeric"),
    # both or neither
    (points(cost=COST), r"\bcost\b"),
    ({"x": X, "cost": COST}, r"\bcost\b"),
    ({"y": Y, "cost": COST}, r"\bcost\b"),
    ({}, r"^x\b.*missing"),
    ({"x": X}, r"^y\b.*missing"),
    ({"y": Y}, r"^x\b.*missing"),
    ({"a": A, "b": B}, r"^x\b.*missing"),
    # Measures carry their weights
    (points(x=rpw.Measure(X)), r"^a\b.*Measure"),
    (points(y=rpw.Measure(Y)), r"^b\b.*Measure"),
    # metrics
    (points(metric="nearest"), r"metric.*nearest"),
    (points(metric=7), r"metric.*7"),
    (points(metric=None), r"metric"),
]


@pytest.mark.sample(60)
@every_function
@pytest.mark.parametrize(("arguments", "message"), BAD_MEASURES)
def test_bad_measures_are_refused_by_name(function, arguments, message):
    with pytest.raises(ValueError, match=message):
        function(**arguments)


def test_columns_of_two_tables_in_another_order_are_not_taken_for_each_other():
    arrow = pytest.importorskip("pyarrow")
    x = arrow.table({"lon": [0.0, 1.0], "lat": [0.1, 0.2]})
    other, alike = x.select(["lat", "lon"]), x.select(["lon", "lat"])
    assert rpw.distance(x, alike) == 0
    for function in FUNCTIONS.values():
        with pytest.raises(ValueError, match=r"^y has the columns lat, lon, and x has lon, lat"):
            function(x, other)
    with pytest.raises(ValueError, match=r"^A\[2\] has the columns lat, lon, and A\[0\] has lon, lat"):
        rpw.pairwise([x, alike, other])
    for function in (rpw.pairwise, rpw.solve_pairs):
        with pytest.raises(ValueError, match=r"^B\[0\] has the columns lat, lon, and A\[0\] has lon, lat"):
            function([x], [other])
    assert rpw.distance(x, np.asarray(alike)) == 0
    assert rpw.distance(np.asarray(x), np.asarray(other)) > 0  # without names it is the caller's order


# ---------------------------------------------------------------- refused parameters

BAD_P = [0.5, 0, -1, -INF, NAN, "2", None, [1, 2], 1j, True]
BAD_K = [-1, -1e-300, NAN, INF, -INF, "1", None, [1], 1j, True]
BAD_DIAMETER = [0, -1, NAN, INF, "auto", [1.0]]


@pytest.mark.sample(20)
@pytest.mark.parametrize("name", ["solve", "distance", "profile", "wasserstein", "choose_solver", "robot"])
@pytest.mark.parametrize("p", BAD_P)
def test_bad_p(name, p):
    with pytest.raises(ValueError, match=r"^p\b"):
        FUNCTIONS[name](X, Y, p=p)


@pytest.mark.sample(10)
@pytest.mark.parametrize("name", ["solve", "distance", "choose_solver"])
@pytest.mark.parametrize("k", BAD_K)
def test_bad_k(name, k):
    with pytest.raises(ValueError, match=r"^k\b"):
        FUNCTIONS[name](X, Y, k=k)


@pytest.mark.parametrize("name", ["solve", "distance", "profile", "choose_solver"])
@pytest.mark.parametrize("diameter", BAD_DIAMETER)
def test_bad_diameter(name, diameter):
    with pytest.raises(ValueError, match=r"^diameter\b"):
        FUNCTIONS[name](X, Y, diameter=diameter)


@pytest.mark.parametrize("mass", [-0.1, 1.0000001, NAN, INF, "half", None])
def test_bad_mass(mass):
    with pytest.raises(ValueError, match=r"^mass\b"):
        rpw.partial_wasserstein(X, Y, mass=mass)


@pytest.mark.parametrize("lam", [0, -1, NAN, INF, "1", None])
def test_bad_lam(lam):
    with pytest.raises(ValueError, match=r"^lam\b"):
        rpw.robot(X, Y, lam=lam)


@pytest.mark.parametrize("name", ["solve", "distance", "profile"])
@pytest.mark.parametrize("tol", [-1e-9, NAN, INF, "0", None])
def test_bad_tol(name, tol):
    with pytest.raises(ValueError, match=r"^tol\b"):
        FUNCTIONS[name](X, Y, tol=tol)


@pytest.mark.parametrize("time_limit", [-1, NAN, "1", [1]])
def test_bad_time_limit(time_limit):
    with pytest.raises(ValueError, match=r"^time_limit\b"):
        rpw.solve(X, Y, time_limit=time_limit)


@pytest.mark.parametrize("name", ["solve", "distance", "profile", "choose_solver"])
@pytest.mark.parametrize("solver", ["fastest", "", None, 3])
def test_unknown_solver(name, solver):
    with pytest.raises(ValueError, match=r"solver.*exact"):
        FUNCTIONS[name](X, Y, solver=solver)


def test_k_times_diameter_beyond_float64():
    for k, diameter in ((1e200, 1e200), (1e-200, 1e-200)):
        with pytest.raises(ValueError, match="diameter"):
            rpw.distance(X, Y, k=k, diameter=diameter)


def test_points_too_far_apart_for_float64():
    with pytest.raises(ValueError, match=r"\bx\b.*\by\b"):
        rpw.distance([[-1.7e308]], [[1.7e308]])


# ---------------------------------------------------------------- forms that work and agree


def forms_of(array):
    """The same numbers in other clothes."""
    wide = np.zeros((2 * array.shape[0], *array.shape[1:]))
    wide[::2] = array
    frozen = array.copy()
    frozen.flags.writeable = False
    return {
        "list": array.tolist(),
        "fortran": np.asfortranarray(array),
        "strided": wide[::2],
        "reversed": array[::-1].copy()[::-1],
        "read-only": frozen,
        "big-endian": array.astype(">f8"),
        "object": array.astype(object),
        "longdouble": array.astype(np.longdouble),
    }


@pytest.mark.sample(20)
@every_function
@pytest.mark.parametrize("form", list(forms_of(X)))
def test_other_forms_of_the_same_points_agree(function, form):
    expected = function(X, Y, A, B)
    arguments = [forms_of(array)[form] for array in (X, Y, A, B)]
    assert function(*arguments) == expected


@pytest.mark.sample(20)
@every_function
@pytest.mark.parametrize("form", list(forms_of(COST)))
def test_other_forms_of_the_same_cost_agree(function, form):
    expected = function(cost=COST, a=A, b=B)
    assert function(cost=forms_of(COST)[form], a=forms_of(A)[form], b=forms_of(B)[form]) == expected


@pytest.mark.sample(20)
@every_function
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.uint64, np.float16, np.float32, bool])
def test_other_types_of_numbers_agree(function, dtype):
    x, y = (np.random.default_rng(1).integers(0, 2, (n, 2)).astype(dtype) for n in (5, 4))
    a, b = np.array([1, 0, 1, 1, 1]).astype(dtype), np.array([1, 1, 0, 1]).astype(dtype)
    assert function(x, y, a, b) == function(*(z.astype(np.float64) for z in (x, y, a, b)))


def test_unsigned_integers_do_not_wrap_around():
    assert rpw.wasserstein(np.array([0], dtype=np.uint8), np.array([255], dtype=np.uint8), p=1) == 255


@every_function
def test_points_on_the_line_may_be_flat(function):
    x, y = X[:, 0], Y[:, 0]
    assert function(x, y, A, B) == function(x[:, None], y[:, None], A, B)


@every_function
def test_measures_instead_of_points(function):
    both = function(rpw.Measure(X, A), rpw.Measure(Y, B))
    assert function(rpw.Measure(X, A), Y, None, B) == both
    assert function(X, rpw.Measure(Y, B), A) == both


@pytest.mark.parametrize("p", [1, 2, INF])
@pytest.mark.parametrize("factor", [0.9999999, 7, 1e-300, 1e300])
def test_weights_are_normalised(factor, p):
    expected = rpw.distance(X, Y, A / A.sum(), B / B.sum(), p=p)
    assert_close(rpw.distance(X, Y, factor * A, B / factor, p=p), expected)


def test_float32_weights_are_normalised_in_float64():
    a = np.full(10, 0.1, dtype=np.float32)
    x = np.arange(10.0)
    assert rpw.distance(x, x, a, None) == 0
    assert_close(rpw.distance(x, x + 0.25, a, None), rpw.distance(x, x + 0.25))


@pytest.mark.parametrize("p", [1, 2, INF])
def test_atoms_without_weight_change_nothing(p):
    x, a = np.concatenate([X, [[1e9, 1e9]], X]), np.concatenate([A, [0.0], np.zeros(5)])
    assert_close(rpw.distance(x, Y, a, B, p=p), rpw.distance(X, Y, A, B, p=p))


@pytest.mark.parametrize("number", [np.float32(2), np.float64(2), np.int32(2), np.array(2.0), Fraction(2), 2])
def test_numbers_of_any_kind(number):
    expected = rpw.solve(X, Y, p=2.0, k=2.0, diameter=2.0, tol=0.0)
    assert rpw.solve(X, Y, p=number, k=number, diameter=number) == expected


@every_function
def test_arrays_are_never_modified(function):
    given = {"x": X.copy(), "y": Y.copy(), "a": A.copy(), "b": B.copy()}
    function(**given)
    for name, original in (("x", X), ("y", Y), ("a", A), ("b", B)):
        np.testing.assert_array_equal(given[name], original)
    cost = COST.copy()
    function(cost=cost, a=given["a"], b=given["b"])
    np.testing.assert_array_equal(cost, COST)


@pytest.mark.parametrize("p", [1, 2, 8, INF])
@pytest.mark.parametrize("k", [0, 1, 5])
def test_a_cost_matrix_is_never_modified(k, p):
    for original in (COST, 10 * COST, COST / COST.max()):
        cost = original.copy()
        result = rpw.solve(cost=cost, p=p, k=k)
        _ = result.potentials, result.plan, result.unmatched_a
        rpw.profile(cost=cost, p=p)
        rpw.robot(cost=cost, lam=0.1, p=p)
        np.testing.assert_array_equal(cost, original)


def test_results_return_nothing_that_aliases_the_input():
    a = A / A.sum()
    result = rpw.solve(X, Y, a, B)
    before = result.unmatched_a.copy()
    a[:] = 7
    np.testing.assert_array_equal(result.unmatched_a, before)


def test_one_point_against_many():
    y = np.arange(1.0, 5.0)
    assert rpw.wasserstein([0.0], y, p=1) == pytest.approx(2.5)
    assert rpw.wasserstein(y, [0.0], p=INF) == 4
    assert_close(rpw.distance([0.0], y, p=1, k=1), rpw.distance(y, [0.0], p=1, k=1))
