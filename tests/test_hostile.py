"""What a hostile tester found: silent nonsense, damaged files, shared names, and inputs that nobody sane would pass."""

import functools
import json
import os
import subprocess
import sys
import threading
import time
import tracemalloc
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

import rpw
from rpw import _memory, _pairs
from rpw.readers import read_collection

INF = float("inf")
ENVIRONMENT = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def clouds(count, n, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.random((n + s % 3, 2)) for s in range(count)]


def command(*arguments, **options):
    line = [sys.executable, "-m", "rpw.cli", *map(str, arguments)]
    return subprocess.run(line, env=ENVIRONMENT, capture_output=True, text=True, timeout=60, check=False, **options)


# ---------------------------------------------------------------- large p


@pytest.mark.parametrize("p", [300, 400, 500, 1000])
def test_a_profile_whose_powers_vanish_is_refused(p):
    x, y = np.linspace(0, 1, 6), np.linspace(0.01, 0.9, 6)
    with pytest.raises(ValueError, match=f"p={p}"):
        rpw.profile(x, y, p=p)
    assert 0 < rpw.distance(x, y, p=p, k=0.1) <= 1  # which scales


def test_a_profile_whose_powers_fit_is_that_of_distance():
    x, y = np.linspace(0, 1, 6), np.linspace(0.2, 0.9, 6)
    profile = rpw.profile(x, y, p=60)
    for k in (0.01, 0.1, 1, 10):
        assert profile.distance(k) == pytest.approx(rpw.distance(x, y, p=60, k=k), rel=1e-9)


def test_powers_that_vanish_only_in_cost_p_are_refused_too():
    cost = np.array([[1e-3, 1e-2], [1e-2, 1e-2]])
    with pytest.raises(ValueError, match=r"cost_p cannot be represented.*p=110"):
        rpw.profile(cost=cost, p=110)


def test_the_command_says_it_in_one_line(tmp_path):
    pytest.importorskip("typer")
    (tmp_path / "a.csv").write_text("0,0\n1,1\n")
    (tmp_path / "b.csv").write_text("0,0.1\n1,0.5\n")
    answer = command("profile", tmp_path / "a.csv", tmp_path / "b.csv", "--p", 1000)
    assert answer.returncode == 1
    assert answer.stderr.startswith("rpw: the profile cannot be represented")
    assert answer.stderr.count("\n") == 1


# ---------------------------------------------------------------- stores


@pytest.fixture
def store(tmp_path):
    pytest.importorskip("zarr")
    out = tmp_path / "G.zarr"
    rpw.pairwise(clouds(8, 4), out=out)
    return out


def test_tiles_without_a_manifest_are_not_adopted(store):
    (store / "zarr.json").unlink()
    other = clouds(8, 4, seed=1)
    np.testing.assert_array_equal(rpw.pairwise(other, out=store)[:], rpw.pairwise(other))


def test_a_store_without_a_manifest_that_holds_other_things_is_left_alone(store):
    (store / "zarr.json").unlink()
    (store / "notes.txt").write_text("mine")
    with pytest.raises(ValueError, match=r"has no zarr\.json, and holds 'notes.txt'"):
        rpw.pairwise(clouds(8, 4), out=store)
    assert (store / "notes.txt").read_text() == "mine"
    assert (store / "c" / "0" / "0").exists()


def changed(text, *names, value):
    """The JSON with one entry changed, or removed."""
    whole = json.loads(text)
    at = whole
    for name in names[:-1]:
        at = at[name]
    if value is None:
        del at[names[-1]]
    else:
        at[names[-1]] = value
    return json.dumps(whole)


DAMAGE = {
    "empty": lambda text: "",
    "garbage": lambda text: "garbage",
    "binary": lambda text: "\x00\x01",
    "cut": lambda text: text[: len(text) // 2],
    "a list": lambda text: "[]",
    "null": lambda text: "null",
    "deep": lambda text: "[" * 100_000,
    "deep entry": lambda text: '{"attributes":' * 900 + "1" + "}" * 900,
    "no attributes": lambda text: changed(text, "attributes", value=None),
    "attributes of another type": lambda text: changed(text, "attributes", value=3),
    "no rpw": lambda text: changed(text, "attributes", "rpw", value=None),
    "no inputs": lambda text: changed(text, "attributes", "rpw", "inputs", value=None),
    "inputs of another type": lambda text: changed(text, "attributes", "rpw", "inputs", value=[1]),
    "version of another type": lambda text: changed(text, "attributes", "rpw", "version", value=3),
    "symmetric of another type": lambda text: changed(text, "attributes", "symmetric", value="yes"),
    "not symmetric": lambda text: changed(text, "attributes", "symmetric", value=False),
    "no shape": lambda text: changed(text, "shape", value=None),
    "shape of another type": lambda text: changed(text, "shape", value="8x8"),
    "another shape": lambda text: changed(text, "shape", value=[9, 9]),
    "three dimensions": lambda text: changed(text, "shape", value=[8, 8, 8]),
    "no chunk_grid": lambda text: changed(text, "chunk_grid", value=None),
    "empty chunks": lambda text: changed(text, "chunk_grid", "configuration", "chunk_shape", value=[0, 0]),
    "huge chunks": lambda text: changed(text, "chunk_grid", "configuration", "chunk_shape", value=[10**9, 10**9]),
    "oblong chunks": lambda text: changed(text, "chunk_grid", "configuration", "chunk_shape", value=[1, 2]),
    "fractional chunks": lambda text: changed(text, "chunk_grid", "configuration", "chunk_shape", value=[1.5, 1.5]),
    "another type of data": lambda text: changed(text, "data_type", value="int8"),
    "other codecs": lambda text: changed(text, "codecs", value=[]),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_manifest_is_one_clear_error(store, name):
    manifest = store / "zarr.json"
    whole = manifest.read_text()
    manifest.write_text(DAMAGE[name](whole))
    with pytest.raises(ValueError, match=r"out='.*G\.zarr': its zarr\.json is damaged: "):
        rpw.pairwise(clouds(8, 4), out=store)
    manifest.write_text(whole)
    np.testing.assert_array_equal(rpw.pairwise(clouds(8, 4), out=store)[:], rpw.pairwise(clouds(8, 4)))


def test_out_with_a_null_character_is_named():
    pytest.importorskip("zarr")
    with pytest.raises(ValueError, match="out must be the path"):
        rpw.pairwise(clouds(3, 3), out="a\0b")


# ---------------------------------------------------------------- callable metrics in stores


class Scaled:
    """Equal to the plain distance for all but very long ones, which no small sample has."""

    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x, y):
        length = float(np.abs(x - y).sum())
        return length * self.factor if length > 1e6 else length


class Locked(Scaled):
    """The same, and it cannot be pickled."""

    def __init__(self, factor):
        super().__init__(factor)
        self.lock = threading.Lock()


def scaled(factor, x, y):
    return Scaled(factor)(x, y)


def enclosing(factor):
    return lambda x, y: Scaled(factor)(x, y)


def enclosing_array(factor):
    table = np.zeros(5000)
    table[2500] = factor  # which repr leaves out
    return lambda x, y: Scaled(table[2500])(x, y)


def with_default(factor):
    def metric(x, y, scale=factor):
        return Scaled(scale)(x, y)

    return metric


def with_keyword(factor):
    def metric(x, y, *, scale=factor):
        return Scaled(scale)(x, y)

    return metric


def cached(factor):
    return functools.lru_cache(enclosing(factor))


KINDS = {
    "object": Scaled,
    "object that cannot be pickled": Locked,
    "method": lambda factor: Scaled(factor).__call__,
    "partial": lambda factor: functools.partial(scaled, factor),
    "closure": enclosing,
    "closure over an array": enclosing_array,
    "default": with_default,
    "keyword": with_keyword,
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_state_of_a_metric_is_part_of_the_work(tmp_path, kind):
    pytest.importorskip("zarr")
    out, A, make = tmp_path / "D.zarr", clouds(5, 3), KINDS[kind]
    whole = rpw.pairwise(A, metric=make(2.0), out=out)[:]
    np.testing.assert_array_equal(rpw.pairwise(A, metric=make(2.0), out=out)[:], whole)  # another one that is equal
    with pytest.raises(ValueError, match="holds another matrix: metric is 'callable "):
        rpw.pairwise(A, metric=make(3.0), out=out)


def test_metrics_are_told_apart_by_what_they_are():
    from rpw._identity import describe_callable

    assert describe_callable(cached(2.0)) == describe_callable(cached(2.0)) != describe_callable(cached(3.0))

    def endless(x, y):  # holds itself
        return endless(x, y)

    assert describe_callable(endless) == describe_callable(endless)
    nested = [lambda x, y: sum(v * 2 for v in x), lambda x, y: sum(v * 3 for v in x)]
    assert describe_callable(nested[0]).split()[-1] != describe_callable(nested[1]).split()[-1]


def test_a_metric_that_changes_while_it_is_called_resumes(tmp_path):
    pytest.importorskip("zarr")

    class Counting:
        calls = 0

        def __call__(self, x, y):
            self.calls += 1
            return float(np.abs(x - y).sum())

    out, A = tmp_path / "D.zarr", clouds(8, 4)
    whole = rpw.pairwise(A, metric=Counting(), out=out)[:]
    (out / ".rpw" / "done" / "0.1").unlink()
    np.testing.assert_array_equal(rpw.pairwise(A, metric=Counting(), out=out)[:], whole)


# ---------------------------------------------------------------- arrays stay the caller's


@pytest.mark.parametrize("name", ["support", "cost"])
def test_an_index_does_not_share_arrays_with_its_caller(name):
    rng = np.random.default_rng(0)
    places, rows = rng.random((6, 2)), rng.random((9, 6))
    space = places if name == "support" else np.abs(places[:, :1] - places[:, 0])
    index = rpw.Index(rows, **{name: space})
    before = index.query(rows[0], top=9)
    space *= 7
    rows[1:] = rows[0]
    for mine, theirs in zip(before, index.query(rows[0], top=9), strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("mode", ["distance", "neighbors"])
@pytest.mark.parametrize("kind", ["support", "cost", "points"])
def test_a_transformer_does_not_share_arrays_with_its_caller(mode, kind):
    pytest.importorskip("sklearn")
    from rpw.sklearn import RPWTransformer

    rng = np.random.default_rng(0)
    if kind == "points":
        X, space = rng.random((9, 5, 2)), {}
    else:
        X, places = rng.random((9, 6)), rng.random((6, 2))
        space = {kind: places if kind == "support" else np.abs(places[:, :1] - places[:, 0])}
    queries = X[:3].copy()
    model = RPWTransformer(mode, n_neighbors=2, **space).fit(X)
    before = model.transform(queries)
    X[:] = X[0]
    for array in space.values():
        array *= 7
    after = model.transform(queries)
    if mode == "neighbors":
        before, after = before.toarray(), after.toarray()
    np.testing.assert_array_equal(before, after)


# ---------------------------------------------------------------- files of an index


def test_many_writers_of_one_index(tmp_path):
    indices = [rpw.Index(clouds(20 + s, 5, seed=s)) for s in range(4)]
    path = tmp_path / "I"

    def save(index):
        for _ in range(25):
            index.save(path)
            assert len(rpw.Index.load(path)) in (20, 21, 22, 23)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(save, indices))
    assert os.listdir(tmp_path) == ["I"]


def test_a_save_that_fails_leaves_nothing(tmp_path, monkeypatch):
    index, path = rpw.Index(clouds(5, 4)), tmp_path / "I"
    index.save(path)
    before = path.read_bytes()
    assert (path.stat().st_mode & 0o777) == 0o666 & ~current_umask()

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez", full)
    with pytest.raises(OSError, match="No space left"):
        index.save(path)
    assert os.listdir(tmp_path) == ["I"]
    assert path.read_bytes() == before


def current_umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_an_index_is_not_saved_to_a_folder(tmp_path):
    index = rpw.Index(clouds(5, 4))
    with pytest.raises(OSError, match="is a folder"):
        index.save(tmp_path)
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        index.save(tmp_path / "nope" / "I")
    assert not os.listdir(tmp_path)


def saved_arrays(tmp_path, kind):
    rng = np.random.default_rng(0)
    if kind == "points":
        index = rpw.Index(clouds(6, 4), n_pivots=2)
    else:
        places, rows = rng.random((5, 2)), rng.random((6, 5))
        space = {kind: places if kind == "support" else np.abs(places[:, :1] - places[:, 0])}
        index = rpw.Index(rows, n_pivots=2, assume_metric=True, **space)
    index.save(tmp_path / "whole")
    with np.load(tmp_path / "whole") as stored:
        return {name: stored[name] for name in stored.files}


def about(arrays, **changes):
    text = json.loads(str(arrays["about"]))
    text["distance"] |= changes
    return {"about": np.array(json.dumps(text))}


def replaced(array, at, value):
    copy = array.copy()
    copy.flat[at] = value
    return copy


BROKEN = {
    "place beyond": ("support", lambda a: {"place": replaced(a["place"], 0, 5)}),
    "place far beyond": ("cost", lambda a: {"place": replaced(a["place"], 3, 2**31 - 1)}),
    "negative place": ("cost", lambda a: {"place": replaced(a["place"], 0, -1)}),
    "place of another type": ("support", lambda a: {"place": a["place"].astype(np.int64)}),
    "place without support": ("support", lambda a: {"support": None}),
    "place without cost": ("cost", lambda a: {"cost": None}),
    "support beside points": ("points", lambda a: {"support": np.eye(3)}),
    "neither points nor place": ("points", lambda a: {"points": None}),
    "both points and place": ("support", lambda a: {"points": np.zeros((len(a["mass"]), 2))}),
    "oblong cost": ("cost", lambda a: {"cost": a["cost"][:, :3]}),
    "negative cost": ("cost", lambda a: {"cost": -a["cost"]}),
    "NaN in support": ("support", lambda a: {"support": replaced(a["support"], 0, np.nan)}),
    "NaN in points": ("points", lambda a: {"points": replaced(a["points"], 0, np.nan)}),
    "points of another type": ("points", lambda a: {"points": a["points"].astype(np.float32)}),
    "flat points": ("points", lambda a: {"points": a["points"].ravel()}),
    "points in another order": ("points", lambda a: {"points": np.asfortranarray(a["points"])}),
    "too few points": ("points", lambda a: {"points": a["points"][:-1]}),
    "negative k": ("points", lambda a: about(a, k=-1.0)),
    "NaN k": ("points", lambda a: about(a, k=float("nan"))),
    "k of another type": ("points", lambda a: about(a, k="1")),
    "p = 0": ("points", lambda a: about(a, p=0)),
    "no diameter": ("points", lambda a: about(a, diameter=0)),
    "infinite diameter": ("points", lambda a: about(a, diameter=INF)),
    "another distance": ("points", lambda a: about(a, name="wasserstein")),
    "unknown distance": ("points", lambda a: about(a, name="magic")),
    "unknown metric": ("points", lambda a: about(a, metric="magic")),
    "refused metric": ("points", lambda a: about(a, metric="cosine")),
    "metric of another type": ("points", lambda a: about(a, metric=3)),
    "mass that belongs elsewhere": ("points", lambda a: about(a, mass=0.5)),
    "unknown parameter": ("points", lambda a: about(a, magic=1)),
    "no parameters": ("points", lambda a: {"about": np.array('{"format": "rpw index", "version": 2}')}),
    "parameters of another type": (
        "points",
        lambda a: {"about": np.array('{"format": "rpw index", "version": 2, "distance": [1]}')},
    ),
    "masses that do not sum up": ("points", lambda a: {"mass": a["mass"] * 2}),
    "too little mass": ("points", lambda a: {"mass": a["mass"] // 2, "weights": a["weights"] / 2}),
    "negative weight": ("points", lambda a: {"weights": replaced(a["weights"], 0, -0.5)}),
    "NaN weight": ("points", lambda a: {"weights": replaced(a["weights"], 0, np.nan)}),
    "masses as floats": ("points", lambda a: {"mass": a["mass"].astype(float)}),
    "no measures": ("points", lambda a: {"start": np.array([0])}),
    "empty start": ("points", lambda a: {"start": np.empty(0, dtype=np.int64)}),
    "start that goes back": ("points", lambda a: {"start": replaced(a["start"], 1, a["start"][2] + 1)}),
    "start beyond": ("points", lambda a: {"start": replaced(a["start"], -1, 10**6)}),
    "a number as start": ("points", lambda a: {"start": np.int64(0)}),
    "pivot beyond": ("points", lambda a: {"pivots": replaced(a["pivots"], 0, 6)}),
    "negative pivot": ("points", lambda a: {"pivots": replaced(a["pivots"], 0, -1)}),
    "pivots as floats": ("points", lambda a: {"pivots": a["pivots"].astype(float)}),
    "too many pivots": ("points", lambda a: {"pivots": np.zeros(3, dtype=np.int64)}),
    "NaN from pivots": ("points", lambda a: {"from_pivots": replaced(a["from_pivots"], 0, np.nan)}),
    "far pivots": ("points", lambda a: {"from_pivots": a["from_pivots"] + 2}),
    "no pivots": ("points", lambda a: {"pivots": None}),
}


@pytest.mark.parametrize("name", BROKEN)
def test_an_index_with_broken_arrays_is_refused(tmp_path, name):
    kind, change = BROKEN[name]
    arrays = saved_arrays(tmp_path, kind)
    assert len(rpw.Index.load(tmp_path / "whole")) == 6
    arrays |= change(arrays)
    with open(tmp_path / "broken", "wb") as file:
        np.savez(file, **{name: array for name, array in arrays.items() if array is not None})
    with pytest.raises(ValueError, match="broken is damaged: ") as caught:
        rpw.Index.load(tmp_path / "broken")
    assert "\n" not in str(caught.value)


# ---------------------------------------------------------------- errors that travel


def test_an_error_of_pairs_survives_pickling(tmp_path):
    far = [[[0.0]], [[1.7e308]], [[-1.7e308]]]
    with ProcessPoolExecutor(1) as pool:
        with pytest.raises(rpw.PairwiseError, match=r"pair \(1, 2\) failed") as caught:
            pool.submit(rpw.pairwise, far).result(timeout=60)
        assert pool.submit(abs, -1).result(timeout=60) == 1  # the pool lives
    assert caught.value.failures[0][:2] == (1, 2)
    assert np.isnan(caught.value.distances[1, 2])


# ---------------------------------------------------------------- memory


def test_two_small_histograms_on_a_large_support():
    places, rows = np.random.default_rng(0).random((40_000, 2)), np.zeros((2, 40_000))
    rows[0, 7], rows[1, 39_999] = 1, 1
    expected = rpw.distance(places[[7]], places[[39_999]])
    tracemalloc.start()
    assert rpw.pairwise(rows, support=places)[0, 1] == expected
    assert rpw.Index(rows, support=places).query(rows[0], top=2)[0].tolist() == [0, expected]
    assert rpw.pairwise(rows + 1, support=places, distance="total_variation")[0, 1] == pytest.approx(1 / 40_001)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1e8  # all distances between the places would be 12.8 GB


def test_leaving_out_empty_places_changes_no_bit(monkeypatch):
    rng = np.random.default_rng(0)
    places, rows = rng.random((3000, 2)), rng.random((6, 3000)) * (rng.random((6, 3000)) < 0.02)

    def answers():
        for distance in ("rpw", "wasserstein", "total_variation"):
            yield rpw.pairwise(rows, support=places, distance=distance)
            yield rpw.pairwise(rows[:2], rows[2:], support=places, distance=distance)
        yield from rpw.Index(rows[1:], support=places).query(rows[0], top=4)

    fewer = list(answers())
    monkeypatch.setattr(_pairs, "_LARGE_SUPPORT", 10**9)
    for mine, theirs in zip(fewer, answers(), strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.fixture
def little_memory(monkeypatch):
    """A machine with a megabyte to spare."""
    monkeypatch.setattr(_memory, "available_bytes", lambda: 1e6)


def test_what_does_not_fit_is_refused(little_memory, tmp_path):
    large = [np.zeros((600, 2)), np.ones((600, 2))]
    for call in (
        lambda: rpw.pairwise(large),
        lambda: rpw.pairwise(large, metric="canberra"),
        lambda: rpw.Index(large, n_pivots=1),
        lambda: rpw.Index(large).query(large[0], top=1),
        lambda: rpw.Index(large).radius_query(large, 0.1),
        lambda: rpw.pairwise(large, out=tmp_path / "D.zarr"),
    ):
        with pytest.raises(MemoryError, match="600 x 600 points need about"):
            call()
    rows, places = np.ones((2, 600)), np.arange(600.0)
    with pytest.raises(MemoryError, match="600 x 600 points need about"):
        rpw.pairwise(rows, support=places)
    with pytest.raises(MemoryError, match="600 x 600 points need about"):
        rpw.Index(rows, support=places).query(rows[0], top=1)
    many = [[[float(s)]] for s in range(400)]
    with pytest.raises(MemoryError, match=r"a matrix of 400 x 400 distances needs.*out="):
        rpw.pairwise(many)


def test_threads_share_the_memory(little_memory):
    several = [np.zeros((200, 2)) + s for s in range(6)]  # 400,000 bytes a pair
    with pytest.raises(MemoryError, match=r"4 threads on pairs of up to 200 x 200 points.*n_threads"):
        rpw.pairwise(several, n_threads=4)
    assert rpw.pairwise(several, n_threads=2).shape == (6, 6)
    # One large measure is never compared with itself, and only one thread at a time can work on a large pair.
    one_large = [np.zeros((2000, 1)), *([[float(s)]] for s in range(20))]
    assert rpw.pairwise(one_large, n_threads=16).shape == (21, 21)


# ---------------------------------------------------------------- numbers


@pytest.mark.parametrize("bad", [INF, -INF, float("nan"), 0, -1, 1.5, "a", pytest.param(10**400, id="huge")])
def test_counts_that_are_none_are_named(bad):
    A = clouds(4, 3)
    index = rpw.Index(A)
    with pytest.raises(ValueError, match="n_threads"):
        rpw.pairwise(A, n_threads=bad)
    with pytest.raises(ValueError, match="n_threads"):
        index.query(A, n_threads=bad)
    with pytest.raises(ValueError, match="top"):
        index.query(A, top=bad)
    if bad != 0:
        with pytest.raises(ValueError, match="n_pivots"):
            rpw.Index(A, n_pivots=bad)


def test_a_million_threads_are_not_started():
    A, metric = clouds(12, 3), lambda x, y: float(np.abs(x - y).sum())
    for options in ({}, {"metric": metric}):
        np.testing.assert_array_equal(rpw.pairwise(A, n_threads=10**6, **options), rpw.pairwise(A, **options))
        index = rpw.Index(A, n_threads=10**6, **options)
        np.testing.assert_array_equal(index.query(A, n_threads=10**6)[0], index.query(A)[0])


def test_a_million_threads_are_not_started_for_a_store(tmp_path):
    pytest.importorskip("zarr")
    A = clouds(12, 3)
    np.testing.assert_array_equal(rpw.pairwise(A, n_threads=10**6, out=tmp_path / "D")[:], rpw.pairwise(A))


def test_bad_parameters_of_the_transformer_are_named():
    pytest.importorskip("sklearn")
    from rpw.sklearn import RPWTransformer

    X = np.random.default_rng(0).random((6, 5))
    model = RPWTransformer("neighbors", n_neighbors=2).fit(X)
    for bad in (-1, 1.5, "a", None, 0, INF):
        with pytest.raises(ValueError, match="n_neighbors"):
            RPWTransformer("neighbors", n_neighbors=bad).fit_transform(X)
        with pytest.raises(ValueError, match="n_neighbors"):
            model.set_params(n_neighbors=bad).transform(X)
    with pytest.raises(ValueError, match="mode"):
        RPWTransformer().fit(X).set_params(mode="foo").transform(X)


@pytest.mark.parametrize("n_pivots", [0, 2])
def test_a_pair_that_fails_in_a_search_is_named(n_pivots):
    index = rpw.Index([[[0.0]], [[1.0]], [[2.0]]], n_pivots=n_pivots)
    with pytest.raises((ValueError, RuntimeError), match=r"query 1 and measure 0 failed: the points are too far apart"):
        index.query([[[0.5]], [[1.7e308], [-1.7e308]]], top=1, n_threads=1)
    far = rpw.Index([[[0.0]], [[1.0]], [[-1.7e308]]])
    with pytest.raises((ValueError, RuntimeError), match=r"query 0 and measure 2 failed: the points are too far apart"):
        far.query([[1.7e308]], top=1)
    with pytest.raises(RuntimeError, match=r"measure \d and measure \d failed: the points are too far apart"):
        rpw.Index([[[0.0]], [[1.7e308]], [[-1.7e308]]], n_pivots=2)


# ---------------------------------------------------------------- the command line


@pytest.fixture
def files(tmp_path):
    pytest.importorskip("typer")
    folder = tmp_path / "clouds"
    folder.mkdir()
    for s, cloud in enumerate(clouds(4, 3)):
        np.savetxt(folder / f"{s}.csv", cloud, delimiter=",")
    return folder


def test_a_closed_stdout_is_no_error(files):
    for closed, code in ((">&-", 0), (">&- 2>&-", 0)):
        line = f"{sys.executable} -m rpw.cli distance {files / '0.csv'} {files / '1.csv'} {closed}"
        answer = subprocess.run(line, shell=True, env=ENVIRONMENT, capture_output=True, text=True, check=False)
        assert (answer.returncode, answer.stderr) == (code, "")


@pytest.mark.parametrize("key", ["names", "labels"])
def test_too_few_names_are_none(files, tmp_path, key):
    path = tmp_path / "I"
    assert command("index", files, "--out", path).returncode == 0
    names = tmp_path / "I.names.json"
    content = json.loads(names.read_text())
    content[key] = ["only one"]
    names.write_text(json.dumps(content))
    answer = command("search", path, files / "0.csv", "--json")
    assert answer.returncode == 0, answer.stderr
    found = json.loads(answer.stdout)
    assert "I.names.json is damaged" in found["note"]
    assert set(found["queries"][0]["nearest"][0]) == {"distance", "index"}


def test_what_does_not_exist_is_called_so(files, tmp_path):
    answer = command("pairwise", tmp_path / "nope", "--out", tmp_path / "E.zarr")
    assert (answer.returncode, answer.stderr) == (1, f"rpw: {tmp_path / 'nope'}: does not exist\n")
    assert not (tmp_path / "E.zarr").exists()


def test_an_empty_path_is_refused(files, tmp_path):
    path = tmp_path / "I"
    command("index", files, "--out", path)
    for arguments in (("search", path, ""), ("distance", "", files / "0.csv"), ("index", files, "--out", "")):
        answer = command(*arguments, cwd=files)
        assert answer.returncode == 2
        assert "the path is empty" in answer.stderr


def test_an_index_is_not_a_measure(files, tmp_path):
    path = tmp_path / "I.npz"
    command("index", files, "--out", path)
    for arguments in (("distance", path, path), ("index", path, "--out", tmp_path / "J"), ("search", path, path)):
        answer = command(*arguments)
        assert answer.returncode == 1
        assert "I.npz: is an index of rpw, not a measure" in answer.stderr


def test_a_file_beside_the_folders_of_classes_is_refused(files):
    inner = files / "cats"
    inner.mkdir()
    assert len(read_collection(files)) == 4  # an empty folder is no class
    (inner / "0.csv").write_text("0,0\n")
    with pytest.raises(ValueError, match=r"holds the file 0\.csv and the folder cats"):
        read_collection(files)


# ---------------------------------------------------------------- clusters


def start_dask(what, folder, environment):
    folder.mkdir()
    line = [sys.executable, "-m", "dask", *what, "--no-dashboard"]
    with open(folder / "log", "w") as log:
        return subprocess.Popen(line, env=environment, cwd=folder, stdout=log, stderr=log)


@pytest.fixture
def dask(tmp_path):
    """Starts a scheduler and workers, each with rpw or without; ends them."""
    pytest.importorskip("distributed")
    without = {**ENVIRONMENT, "PYTHONPATH": ""}
    probe = subprocess.run([sys.executable, "-c", "import rpw"], env=without, cwd=tmp_path, capture_output=True)
    processes = []

    def scheduler(has_rpw=True):
        if not has_rpw and probe.returncode == 0:
            pytest.skip("rpw is installed here, so that every process has it")
        file = tmp_path / "scheduler.json"
        what = ["scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", file]
        processes.append(start_dask(what, tmp_path / "scheduler", ENVIRONMENT if has_rpw else without))
        end = time.monotonic() + 60
        while not (file.exists() and file.stat().st_size):
            assert time.monotonic() < end
            time.sleep(0.05)
        time.sleep(0.1)
        return json.loads(file.read_text())["address"]

    def worker(address, has_rpw=True):
        if not has_rpw and probe.returncode == 0:
            pytest.skip("rpw is installed here, so that every process has it")
        what = ["worker", address, "--nthreads", "1", "--no-nanny"]
        processes.append(start_dask(what, tmp_path / "worker", ENVIRONMENT if has_rpw else without))

    yield scheduler, worker
    for process in reversed(processes):
        process.kill()
        process.wait(20)


@pytest.mark.parametrize("lacking", ["scheduler", "worker"])
def test_a_cluster_without_rpw_is_told_so(dask, lacking):
    from distributed import Client

    scheduler, worker = dask
    address = scheduler(has_rpw=lacking != "scheduler")
    worker(address, has_rpw=lacking != "worker")
    with Client(address) as client:
        client.wait_for_workers(1, timeout=60)
        with pytest.raises(RuntimeError, match="its scheduler and its workers need rpw"):
            rpw.pairwise(clouds(6, 3), client=client)


def test_a_cluster_without_workers_is_waited_for(dask, caplog):
    from distributed import Client

    scheduler, worker = dask
    address = scheduler()
    late = threading.Timer(1.0, worker, [address])
    with Client(address) as client:
        late.start()
        matrix = rpw.pairwise(clouds(6, 3), client=client)
        late.join()
    assert "the cluster has no workers: waiting" in caplog.text
    np.testing.assert_array_equal(matrix, rpw.pairwise(clouds(6, 3)))
