"""Arguments of odd kinds are refused by a ValueError that names them, and so are arguments without effect."""

import datetime
import signal
from decimal import Decimal

import numpy as np
import pytest

import rpw
from rpw.sklearn import RPWTransformer

X, Y = np.array([[0.0, 0.0], [1.0, 0.0]]), np.array([[0.5, 0.0], [0.5, 1.0], [0.0, 0.25]])
SUPPORT, ROWS = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]])
COST = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]])


class WithGradient:
    """As torch has it: NumPy may not read it, and it has no truth value."""

    requires_grad, ndim, shape = True, 1, (2,)

    def __array__(self, *_, **__):
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")

    def __bool__(self):
        raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")

    def __len__(self):
        return 2


class Hostile:
    def __bool__(self):
        raise ArithmeticError

    __float__ = __bool__


def holding_itself():
    made = []
    made.append(made)
    return made


# What is neither a number, nor numbers, nor a name, nor a choice.
JUNK = {
    "complex": 1j,
    "array of texts": np.array(["cpu", "raise"]),
    "masked": np.ma.masked,
    "masked array": np.ma.array([0.5, 0.7], mask=[False, True]),
    "date": datetime.date(2020, 1, 1),
    "dates": [datetime.datetime(2020, 1, 1)] * 2,
    "NumPy's date": np.datetime64("2020-01-01"),
    "NumPy's dates": np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[D]"),
    "NumPy's times": np.array([1, 2], dtype="timedelta64[s]"),
    "dict": {"a": 1},
    "dict of lists": {"x": [0.0, 1.0]},
    "set": {1, 2},
    "tensor": WithGradient(),
    "tensors": [WithGradient(), WithGradient()],
    "object": object(),
    "hostile": Hostile(),
    "list of a dict": [{"a": 1}],
    "holding itself": holding_itself(),
    "slice": slice(3),
    "structured": np.zeros(2, dtype=[("a", float)]),
}
NO_NUMBER = JUNK | {
    "text": "0.5",
    "bytes": b"1",
    "truth": True,
    "NumPy's truth": np.True_,
    "truths": [True, False],
    "ragged": [[1], [1, 2]],
    "decimal": Decimal("0.5"),
    "texts": ["0.5"],
    "NaN": np.nan,
    "NaN in a list": [0.5, np.nan],
    "nothing in a list": [None],
}
NO_CHOICE = JUNK | {"text": "0.5", "bytes": b"cpu", "number": 1, "none": None, "array": np.array([1.0, 2.0])}
NO_FLAG = NO_CHOICE | {"list": [], "zero": 0, "truths": np.array([True, False])}
NO_PATH = {name: value for name, value in NO_CHOICE.items() if name != "text"}


def transformed(X=(X, Y), **options):
    return RPWTransformer(**options).fit_transform(list(X) if isinstance(X, tuple) else X)


# The function, what else it needs, and what may not be passed under which name.
REFUSING = {
    "profile": (lambda alpha: rpw.profile(X, Y)(alpha), {}, {"alpha": NO_NUMBER}),
    "slope": (lambda alpha: rpw.profile(X, Y).slope(alpha), {}, {"alpha": NO_NUMBER}),
    "profile.distance": (lambda k: rpw.profile(X, Y).distance(k), {}, {"k": NO_NUMBER}),
    "profile.result": (lambda k: rpw.profile(X, Y).result(k), {}, {"k": NO_NUMBER}),
    "profile.plan": (lambda mass: rpw.profile(X, Y).plan(mass), {}, {"mass": NO_NUMBER}),
    "solve": (
        rpw.solve,
        {"x": X, "y": Y},
        dict.fromkeys(("p", "k", "diameter", "tol", "time_limit"), NO_NUMBER)
        | dict.fromkeys(("x", "y", "a", "b"), JUNK)
        | {"solver": NO_CHOICE, "progress": NO_FLAG},
    ),
    "robot": (rpw.robot, {"x": X, "y": Y}, {"lam": NO_NUMBER}),
    "transport": (rpw.transport, {"x": X, "y": Y}, {"mass": NO_NUMBER, "solver": NO_CHOICE, "progress": NO_FLAG}),
    "cost": (rpw.distance, {}, {"cost": JUNK}),
    "pairwise": (
        rpw.pairwise,
        {"A": [X, Y]},
        {"A": JUNK, "B": JUNK, "k": NO_NUMBER, "device": NO_CHOICE, "on_error": NO_CHOICE, "progress": NO_FLAG}
        | {"n_threads": NO_NUMBER, "distance": NO_CHOICE, "out": {"date": datetime.date(2020, 1, 1), "number": 3}},
    ),
    "histograms": (rpw.pairwise, {"A": ROWS, "support": SUPPORT}, {"A": JUNK, "B": JUNK, "support": JUNK}),
    "solve_pairs": (rpw.solve_pairs, {"A": [X], "B": [Y]}, {"A": JUNK, "device": NO_CHOICE, "progress": NO_FLAG}),
    "solve_pairs of histograms": (rpw.solve_pairs, {"A": ROWS, "B": ROWS, "support": SUPPORT}, {"A": JUNK, "B": JUNK}),
    "Index": (
        rpw.Index,
        {"measures": [X, Y]},
        {
            "measures": JUNK,
            "device": NO_CHOICE,
            "n_threads": NO_NUMBER,
        },
    ),
    "query": (
        lambda **asked: rpw.Index([X, Y]).query(**asked),
        {"q": X},
        {"q": JUNK, "top": NO_NUMBER, "n_threads": NO_NUMBER, "progress": NO_FLAG},
    ),
    "query of histograms": (lambda q: rpw.Index(ROWS, support=SUPPORT).query(q), {}, {"q": JUNK}),
    "radius_query": (
        lambda **asked: rpw.Index([X, Y]).radius_query(**asked),
        {"q": X, "radius": 1},
        {"q": JUNK, "radius": NO_NUMBER, "progress": NO_FLAG},
    ),
    "add": (
        lambda **asked: rpw.Index([X, Y]).add(**asked),
        {"measures": [X]},
        {"measures": JUNK, "n_threads": NO_NUMBER},
    ),
    "save": (lambda path: rpw.Index([X, Y]).save(path), {}, {"path": NO_PATH}),
    "load": (rpw.Index.load, {"path": "nowhere"}, {"path": NO_PATH, "device": NO_CHOICE}),
    "Measure": (rpw.Measure, {"points": X}, {"points": JUNK, "weights": JUNK}),
    "transformer": (
        transformed,
        {},
        {"X": JUNK, "ks": NO_NUMBER, "k": NO_NUMBER, "device": NO_CHOICE, "mode": NO_CHOICE, "n_neighbors": NO_NUMBER},
    ),
}
CASES = [(function, argument) for function, (_, _, refused) in REFUSING.items() for argument in refused]


@pytest.fixture
def impatient():
    """A minute for each test: a list that holds itself can keep a loop going for ever."""

    def ring(*_):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.filterwarnings("ignore:.*diameter was left:UserWarning")
@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(("name", "argument"), CASES)
def test_odd_kinds_are_refused_by_name(name, argument, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    function, others, refused = REFUSING[name]
    for kind, value in refused[argument].items():
        with pytest.raises(ValueError, match=rf"\b{argument}\b") as caught:
            function(**{**others, argument: value})
        assert len(str(caught.value)) < 400, kind
    assert not list(tmp_path.iterdir())


def test_what_means_the_same_is_taken():
    profile = rpw.profile(X, Y)
    alphas = [0, 0.5, 1]
    for other in (tuple(alphas), np.array(alphas), np.array(alphas, dtype=object), np.ma.array(alphas)):
        np.testing.assert_array_equal(profile(other), profile(np.array(alphas)))
        np.testing.assert_array_equal(profile.slope(other), [profile.slope(alpha) for alpha in alphas])
    assert profile(np.array(0.5)) == profile(np.float32(0.5)) == profile(0.5)
    assert isinstance(profile(np.array(0.5)), float)
    assert profile([[0.5], [1.0]]).shape == (2, 1)
    assert profile([]).shape == (0,)
    np.testing.assert_array_equal(rpw.pairwise([X, Y], k=range(1, 3)), rpw.pairwise([X, Y], k=np.array([1, 2])))
    assert rpw.pairwise([X, Y], k=np.array(2.0)).shape == (2, 2)
    rpw.Index([X, Y]).query(X, progress=np.False_)


def test_what_requires_gradients_is_sent_to_rpw_torch():
    for call in (lambda: rpw.distance(X, WithGradient()), lambda: rpw.distance(X, [WithGradient()])):
        with pytest.raises(ValueError, match=r"^y requires gradients: rpw\.torch .*y\.detach\(\)$"):
            call()


@pytest.mark.large
def test_what_jax_traces_is_sent_to_rpw_jax():
    jax = pytest.importorskip("jax")
    for transform in (jax.grad, jax.jit):
        with pytest.raises(ValueError, match=r"^x is traced by JAX: rpw\.jax "):
            transform(lambda x: rpw.distance(x, Y))(X)


@pytest.mark.large
def test_tensors_that_require_grad():
    torch = pytest.importorskip("torch")
    tensor = torch.tensor([0.25, 0.75], requires_grad=True)
    for call in (
        lambda: rpw.distance(tensor, tensor),
        lambda: rpw.pairwise([tensor]),
        lambda: rpw.Index([X[:, 0]]).query(tensor),
        lambda: rpw.Index(ROWS[:, :2], support=X).query(tensor),
        lambda: rpw.pairwise([X], k=tensor),
        lambda: rpw.profile(X, Y)(tensor),
    ):
        with pytest.raises(ValueError, match=r"^\S+ requires gradients: rpw\.torch .*detach\(\)$"):
            call()
    assert rpw.profile(X, Y)(tensor.detach()).tolist() == rpw.profile(X, Y)([0.25, 0.75]).tolist()


# ---------------------------------------------------------------- without effect

WITHOUT_EFFECT = {
    "k of W": (rpw.pairwise, {"distance": "wasserstein", "k": 5}, "k"),
    "several k of W": (rpw.pairwise, {"distance": "wasserstein", "k": [1, 2]}, "k"),
    "diameter of W": (rpw.pairwise, {"distance": "wasserstein", "diameter": 3}, "diameter"),
    "the diameter of W, found": (rpw.pairwise, {"distance": "wasserstein", "diameter": "auto"}, "diameter"),
    "k of partial W": (rpw.pairwise, {"distance": "partial_wasserstein", "mass": 0.5, "k": 2}, "k"),
    "k of ROBOT": (rpw.pairwise, {"distance": "robot", "lam": 0.5, "k": 2}, "k"),
    "p of total variation": (rpw.pairwise, {"distance": "total_variation", "p": 1}, "p"),
    "k of total variation": (rpw.pairwise, {"distance": "total_variation", "k": 0}, "k"),
    "p of Lévy-Prokhorov": (rpw.pairwise, {"distance": "levy_prokhorov", "p": np.inf}, "p"),
    "diameter of Lévy-Prokhorov": (rpw.pairwise, {"distance": "levy_prokhorov", "diameter": 2}, "diameter"),
    "mass": (rpw.pairwise, {"mass": 0.5}, "mass"),
    "lam": (rpw.pairwise, {"distance": "wasserstein", "lam": 0.5}, "lam"),
    "threads beside a client": (rpw.pairwise, {"client": object(), "n_threads": 2}, "n_threads"),
    "in solve_pairs": (lambda A, **asked: rpw.solve_pairs(A, A, **asked), {"distance": "wasserstein", "k": 5}, "k"),
    "in a transformer": (transformed, {"distance": "wasserstein", "k": 5}, "k"),
    "in a transformer, Δ": (transformed, {"distance": "robot", "lam": 1, "diameter": "auto"}, "diameter"),
    "metric beside cost": (rpw.pairwise, {"cost": COST, "metric": "cityblock"}, "metric"),
    "callable beside cost": (lambda A, **asked: rpw.Index(A, **asked), {"cost": COST, "metric": max}, "metric"),
    "metric of one cost": (lambda A, **asked: rpw.solve(**asked), {"cost": COST, "metric": "cityblock"}, "metric"),
}


@pytest.mark.parametrize("name", WITHOUT_EFFECT)
def test_arguments_without_effect_are_refused(name):
    function, asked, argument = WITHOUT_EFFECT[name]
    with pytest.raises(ValueError, match=rf"^{argument} has no effect"):
        function(ROWS if "cost" in asked else [X, Y], **asked)


@pytest.mark.parametrize("distance", ["wasserstein", "total_variation", "levy_prokhorov"])
def test_defaults_that_are_written_out_are_no_mistake(distance):
    expected = rpw.pairwise([X, Y], distance=distance)
    asked = {"p": 2, "k": 1.0, "diameter": np.array(1), "mass": None, "lam": None, "metric": "euclidean"}
    np.testing.assert_array_equal(rpw.pairwise([X, Y], distance=distance, **asked), expected)
    np.testing.assert_array_equal(RPWTransformer(distance=distance).fit_transform([X, Y]), expected)


def test_a_distance_that_is_no_metric_is_refused_with_what_holds_for_each():
    for function in (rpw.wasserstein, rpw.distance, rpw.total_variation):
        with pytest.raises(ValueError, match=r"metric='sqeuclidean'.*so RPW and W_p would not be metrics") as caught:
            function(X, Y, metric="sqeuclidean")
        assert "for W_2, pass metric='euclidean' and p=2" in str(caught.value)
    squared = ((X[:, None] - Y) ** 2).sum(axis=2)
    assert rpw.wasserstein(X, Y) == pytest.approx(rpw.wasserstein(cost=squared, p=1) ** 0.5, rel=1e-12)
    with pytest.raises(ValueError, match=r"would not be metrics; to use it anyway, compute the matrix and pass it"):
        rpw.wasserstein(X, Y, metric="cosine")
