"""Stores that lost or damaged their manifest, and metrics whose state is part of the work."""

import functools
import json
import resource
import threading

import children
import numpy as np
import pytest
from checks import ragged_clouds as clouds

import rpw
from rpw.many.store.tile_store import write_names

# ---------------------------------------------------------------- stores


@pytest.fixture
def store(tmp_path):
    pytest.importorskip("zarr")
    out = tmp_path / "G.zarr"
    rpw.pairwise(clouds(8, 4), out=out)
    return out


def everything_in(folder):
    """All files below a folder, with what they hold; of links, where they point."""
    paths = sorted(folder.rglob("*"))
    return {
        str(path.relative_to(folder)): path.readlink() if path.is_symlink() else path.is_file() and path.read_bytes()
        for path in paths
    }


def test_tiles_without_a_manifest_are_nobodys(store):
    (store / "zarr.json").unlink()
    before = everything_in(store)
    for seed in (0, 1):
        with pytest.raises(ValueError, match=r"out='.*G\.zarr' has no zarr\.json.*choose another path, or remove it"):
            rpw.pairwise(clouds(8, 4, seed=seed), out=store)
    assert everything_in(store) == before


FOREIGN = {
    "a note": {".rpw/note": "mine"},
    "a note beside": {".rpw/lock": "", "note": "mine"},
    "a lock of somebody else": {".rpw/lock": "mine"},
    "a part of somebody else": {".rpw/part": "mine"},
    "marks": {".rpw/done/0.0": "mine"},
    "a folder": {".rpw/done/mine/note": "mine"},
    "tiles": {".rpw/lock": "", "c/0/0": "mine"},
    "a file of that name": {".rpw": "mine"},
    "done is a file": {".rpw/done": "mine"},
}


@pytest.mark.parametrize("name", FOREIGN)
def test_a_folder_of_our_name_without_our_manifest_is_left_alone(tmp_path, name):
    pytest.importorskip("zarr")
    out = tmp_path / "G.zarr"
    for path, text in FOREIGN[name].items():
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        (out / path).write_text(text)
    before = everything_in(out)
    with pytest.raises(ValueError, match=r"out='.*G\.zarr'.*choose another path"):
        rpw.pairwise(clouds(8, 4), out=out)
    assert everything_in(out) == before


@pytest.mark.sample(3)
@pytest.mark.parametrize("lock", [None, "", "process 17 on a machine\n"])
@pytest.mark.parametrize("part", [None, "", '{\n "zarr', '{\n "zarr_format": 3,\n "node_type": "arr'])
def test_what_a_run_leaves_that_died_before_its_manifest_is_ours(tmp_path, lock, part):
    pytest.importorskip("zarr")
    out = tmp_path / "G.zarr"
    (out / ".rpw" / "done").mkdir(parents=True)
    for name, text in (("lock", lock), ("part", part)):
        if text is not None:
            (out / ".rpw" / name).write_text(text)
    np.testing.assert_array_equal(rpw.pairwise(clouds(8, 4), out=out)[:], rpw.pairwise(clouds(8, 4)))
    assert (out / "zarr.json").read_text().startswith('{\n "zarr_format": 3,\n "node_type": "arr')


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


@pytest.mark.sample(6)
@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_manifest_is_one_clear_error(store, name):
    manifest = store / "zarr.json"
    whole = manifest.read_text()
    manifest.write_text(DAMAGE[name](whole))
    with pytest.raises(ValueError, match=r"out='.*G\.zarr': its zarr\.json is damaged: "):
        rpw.pairwise(clouds(8, 4), out=store)
    manifest.write_text(whole)
    np.testing.assert_array_equal(rpw.pairwise(clouds(8, 4), out=store)[:], rpw.pairwise(clouds(8, 4)))


CHANGED = {
    "distance": "wasserstein",
    "p": 3.0,
    "k": 5.0,
    "diameter": 2.0,
    "mass": 0.5,
    "metric": "cityblock",
    "device": "cuda",
    "shape": [9, 9],
    "rpw": {"inputs": {"A": "0" * 64, "B": "A", "support": None, "cost": None}},
}


@pytest.mark.sample(4)
@pytest.mark.parametrize("is_sealed", [True, False], ids=["", "of an early version"])
@pytest.mark.parametrize("name", CHANGED)
def test_a_changed_attribute_is_not_believed(store, name, is_sealed):
    """Early stores have no digest of their zarr.json; their attributes must be those of what is asked for."""
    manifest = store / "zarr.json"
    whole = json.loads(manifest.read_text())
    if not is_sealed:
        whole["attributes"]["rpw"].pop("digest", None)
    manifest.write_text(json.dumps(whole))
    np.testing.assert_array_equal(rpw.pairwise(clouds(8, 4), out=store)[:], rpw.pairwise(clouds(8, 4)))
    value = {**whole["attributes"]["rpw"], **CHANGED[name]} if name == "rpw" else CHANGED[name]
    manifest.write_text(json.dumps({**whole, "attributes": {**whole["attributes"], name: value}}))
    with pytest.raises(ValueError, match=r"out='.*G\.zarr': its zarr\.json is damaged: "):
        rpw.pairwise(clouds(8, 4), out=store)


@pytest.mark.parametrize("names", [("fingerprint",), ("version",), ("inputs", "cost")])
def test_changed_facts_are_not_believed(store, names):
    manifest = store / "zarr.json"
    manifest.write_text(changed(manifest.read_text(), "attributes", "rpw", *names, value="0" * 64))
    with pytest.raises(ValueError, match=r"its zarr\.json is damaged: it was changed after rpw had written it"):
        rpw.pairwise(clouds(8, 4), out=store)


def test_other_tiles_do_not_cost_the_finished_ones(store):
    manifest, before = store / "zarr.json", everything_in(store / "c")
    side = json.loads(manifest.read_text())["chunk_grid"]["configuration"]["chunk_shape"][0]
    other = [side + 1, side + 1]
    manifest.write_text(changed(manifest.read_text(), "chunk_grid", "configuration", "chunk_shape", value=other))
    with pytest.raises(ValueError, match=r"its zarr\.json is damaged: it was changed after rpw had written it"):
        rpw.pairwise(clouds(8, 4), out=store)
    assert everything_in(store / "c") == before


def test_attributes_of_others_may_come_and_go(store):
    zarr = pytest.importorskip("zarr")
    zarr.open_array(store, mode="r+").attrs["note"] = "mine"
    array = rpw.pairwise(clouds(8, 4), out=store)
    assert array.attrs["note"] == "mine"
    np.testing.assert_array_equal(array[:], rpw.pairwise(clouds(8, 4)))


def test_names_that_were_changed_are_not_believed(store):
    write_names(store, list("abcdefgh"), list("abcdefgh"))
    assert rpw.pairwise(clouds(8, 4), out=store).attrs["rows"] == list("abcdefgh")
    manifest = store / "zarr.json"
    manifest.write_text(changed(manifest.read_text(), "attributes", "rows", value=list("hgfedcba")))
    with pytest.raises(ValueError, match=r"its zarr\.json is damaged: it was changed after rpw had written it"):
        rpw.pairwise(clouds(8, 4), out=store)


@pytest.mark.parametrize("is_sealed", [True, False], ids=["", "of an early version"])
def test_a_shape_that_promises_endless_tiles_ends_at_once(store, is_sealed):
    """The command looks whether a store is complete before it knows what the shape must be."""
    whole = json.loads((store / "zarr.json").read_text())
    whole["shape"] = [10**9, 10**9]
    if not is_sealed:
        whole["attributes"]["rpw"].pop("digest", None)
    (store / "zarr.json").write_text(json.dumps(whole))
    code = "import sys; from rpw.many.store.tile_store import complete_shape; print(complete_shape(sys.argv[1]))"
    done = children.run("-c", code, store, preexec_fn=allow_little)
    assert done.stdout == "None\n", done.stderr


def allow_little():
    """So that what hangs does not take the machine with it: 20 seconds, and 4 GB."""
    resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))


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
    from rpw.pair.identity import describe_callable

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
