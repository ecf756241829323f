"""Stored numbers are those that were computed: damage is found, mended where it can be, and never returned."""

import inspect
import json
import os
import pickle
import shutil
import signal
import sys
import time

import numpy as np
import pytest
from checks import ragged_clouds as clouds
from children import run

import rpw
from rpw.many.store.tile_store import complete_shape, write_names

zarr = pytest.importorskip("zarr")


@pytest.fixture
def store(tmp_path):
    out = tmp_path / "G.zarr"
    rpw.pairwise(clouds(20, 4), out=out)
    return out


def flip(path, bit):
    data = bytearray(path.read_bytes())
    data[bit // 8 % len(data)] ^= 1 << bit % 8
    path.write_bytes(data)


def files_of(store, folder):
    return sorted(path for path in (store / folder).rglob("*") if path.is_file())


@pytest.mark.sample(1)
@pytest.mark.parametrize("folder", ["c", ".rpw/done"])
def test_a_flipped_bit_anywhere_is_mended(store, folder):
    """One bit in each file, another one each time; what is not damaged is not computed again."""
    expected, paths = rpw.pairwise(clouds(20, 4)), files_of(store, folder)
    assert len(paths) >= 28
    for number, path in enumerate(paths):
        times = {other: other.stat().st_mtime_ns for other in files_of(store, "c")}
        before = path.read_bytes()
        flip(path, 37 * number + 5)
        assert path.read_bytes() != before
        np.testing.assert_array_equal(rpw.pairwise(clouds(20, 4), out=store)[:], expected)
        assert path.read_bytes() == before
        written = [other for other in times if other.stat().st_mtime_ns != times[other]]
        assert 1 <= len(written) <= 2  # the tile and its mirror image


@pytest.mark.thorough
def test_every_bit_of_a_tile_counts(store):
    """All 64 bits of each number, as read through the array that was returned."""
    array = rpw.pairwise(clouds(20, 4), out=store)
    path, expected = store / "c" / "0" / "1", array[:]
    for bit in range(8 * path.stat().st_size):
        flip(path, bit)
        with pytest.raises(ValueError, match=r"out='.*G\.zarr': tile \(0, 1\) \(rows 0 to .*; c/0/1\) is damaged"):
            array[0]
        np.testing.assert_array_equal(array[-1], expected[-1])  # in other tiles
        flip(path, bit)
    np.testing.assert_array_equal(array[:], expected)


def test_every_bit_of_a_mark_counts(tmp_path):
    store = tmp_path / "G.zarr"
    rpw.pairwise(clouds(3, 4), out=store)
    path = store / ".rpw" / "done" / "0.1"
    assert len(path.read_bytes().split()) == 2
    for bit in range(8 * path.stat().st_size):
        flip(path, bit)
        assert complete_shape(store) is None
        flip(path, bit)
    assert complete_shape(store) == [3, 3]


OTHER_DAMAGE = {
    "a chunk from another place": lambda s: (s / "c/0/1").write_bytes((s / "c/1/2").read_bytes()),
    "a mirror image that is none": lambda s: (s / "c/1/0").write_bytes((s / "c/0/1").read_bytes()[::-1]),
    "tile and mark from another place": lambda s: [
        (s / to).write_bytes((s / at).read_bytes())
        for to, at in (("c/0/1", "c/1/2"), ("c/1/0", "c/2/1"), (".rpw/done/0.1", ".rpw/done/1.2"))
    ],
    "zeros": lambda s: (s / "c/0/1").write_bytes(bytes((s / "c/0/1").stat().st_size)),
    "longer": lambda s: (s / "c/0/1").write_bytes((s / "c/0/1").read_bytes() + bytes(8)),
    "an enormous chunk": lambda s: os.truncate(s / "c/0/1", 2**40),
    "an enormous mark": lambda s: os.truncate(s / ".rpw/done/0.1", 2**40),
    "an empty mark": lambda s: (s / ".rpw/done/0.1").write_bytes(b""),
    "no chunk": lambda s: (s / "c/0/1").unlink(),
}


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", OTHER_DAMAGE)
def test_other_damage_is_mended(store, name):
    OTHER_DAMAGE[name](store)
    np.testing.assert_array_equal(rpw.pairwise(clouds(20, 4), out=store)[:], rpw.pairwise(clouds(20, 4)))


def test_marks_of_another_matrix_prove_nothing(store, tmp_path):
    other = clouds(20, 4, seed=1)
    rpw.pairwise(other, out=tmp_path / "H.zarr")
    for name in ("c/0/1", "c/1/0", ".rpw/done/0.1"):
        (store / name).write_bytes((tmp_path / "H.zarr" / name).read_bytes())
    np.testing.assert_array_equal(rpw.pairwise(clouds(20, 4), out=store)[:], rpw.pairwise(clouds(20, 4)))


READ_DAMAGED = """
import sys
import numpy as np
import zarr
import rpw

array = rpw.pairwise([np.full((1, 2), s / 40) for s in range(40)], out=sys.argv[1])
chunk = f"{sys.argv[1]}/c/0/0"
data = bytearray(open(chunk, "rb").read())
data[3] ^= 1
open(chunk, "wb").write(data)
try:
    array[:]
except ValueError as error:
    print(error)
"""


def test_a_damaged_tile_is_one_error_that_names_it(tmp_path):
    """What asyncio may add at the end of Python, of chunks that were read beside it, is not ours to promise."""
    done = run("-c", READ_DAMAGED, tmp_path / "D.zarr", timeout=120)
    assert done.returncode == 0
    assert "tile (0, 0)" in done.stdout
    assert "Traceback" not in done.stdout


def test_what_is_returned_is_verified_in_every_way_to_read_it(store):
    array = rpw.pairwise(clouds(20, 4), out=store)
    assert isinstance(array, zarr.Array)
    again = pickle.loads(pickle.dumps(array))
    expected = array[:]
    flip(store / "c" / "0" / "1", 60)
    for read in (
        lambda: array[:],
        lambda: again[0],
        lambda: np.asarray(array),
        lambda: array.oindex[[0], [4]],
        lambda: array.vindex[[0], [4]],
        lambda: array.blocks[0, 1],
    ):
        with pytest.raises(ValueError, match=r"tile \(0, 1\)"):
            read()
    flip(store / "c" / "0" / "1", 60)
    np.testing.assert_array_equal(again[:], expected)
    (store / "c" / "0" / "1").unlink()
    with pytest.raises(ValueError, match=r"tile \(0, 1\) .* is missing"):
        array[:]
    with pytest.raises(ValueError, match="read-only"):
        array[0, 0] = 3


def test_an_array_sees_what_was_computed_later(tmp_path):
    A, out, broken = clouds(20, 4), tmp_path / "D.zarr", tmp_path / "broken"
    bad = A[7][3, 0]
    broken.touch()

    def touchy(x, y):
        if bad in (x[0], y[0]) and broken.exists():
            raise RuntimeError("out of stock")
        return float(np.abs(x - y).sum())

    with_nan = rpw.pairwise(A, metric=touchy, out=out, on_error="nan")
    assert np.isnan(with_nan[:]).sum() == 2 * 19
    with pytest.raises(rpw.PairwiseError) as caught:
        rpw.pairwise(A, metric=touchy, out=out)
    np.testing.assert_array_equal(caught.value.distances[:], with_nan[:])
    broken.unlink()
    whole = rpw.pairwise(A, metric=touchy, out=out)[:]
    assert not np.isnan(whole).any()
    np.testing.assert_array_equal(with_nan[:], whole)
    assert not list((out / ".rpw" / "done").glob("*.nan"))


def test_the_command_line_mends_and_verifies(tmp_path, capsys, monkeypatch):
    pytest.importorskip("typer")
    from rpw.cli import main

    command = ["rpw", "pairwise", str(tmp_path / "in"), "--out", str(tmp_path / "D.zarr"), "--json"]
    monkeypatch.setattr(sys, "argv", command)
    for number, cloud in enumerate(clouds(4, 4)):
        (tmp_path / "in").mkdir(exist_ok=True)
        np.save(tmp_path / "in" / f"{number}.npy", cloud)
    answers = []
    for _ in range(2):
        with pytest.raises(SystemExit) as ended:
            main()
        assert not ended.value.code
        answers.append(json.loads(capsys.readouterr().out))
        flip(tmp_path / "D.zarr" / "c" / "0" / "1", 61)
    assert answers[0]["largest"] == answers[1]["largest"] == rpw.pairwise(clouds(4, 4)).max()
    assert not answers[1]["already_complete"]


@pytest.mark.parametrize("is_damaged", [True, False])
def test_another_version_may_read_but_not_go_on(tmp_path, monkeypatch, is_damaged):
    """Its last digits might be others."""
    out = tmp_path / "G.zarr"
    with monkeypatch.context() as patched:
        for module in ("manifest", "tile_store"):
            patched.setattr(f"rpw.many.store.{module}.VERSION", "0.0.1")
        rpw.pairwise(clouds(20, 4), out=out)
    np.testing.assert_array_equal(rpw.pairwise(clouds(20, 4), out=out)[:], rpw.pairwise(clouds(20, 4)))
    if is_damaged:
        flip(out / "c" / "1" / "1", 3)
    else:
        (out / ".rpw" / "done" / "0.1").unlink()
    with pytest.raises(ValueError, match=r"G\.zarr' is not finished, or damaged; it was begun by rpw 0\.0\.1 and"):
        rpw.pairwise(clouds(20, 4), out=out)


# ---------------------------------------------------------------- the manifest


DAMAGE = ["", "garbage", "\0\1", "{", "[]", "null", "[" * 100_000, '{"attributes":' * 900 + "1" + "}" * 900]
CHANGES = {  # None: the entry is gone
    "attributes": [None, 3],
    "attributes.rpw": [None],
    "attributes.rpw.inputs": [None, [1]],
    "attributes.rpw.fingerprint": ["0" * 64],
    "attributes.rpw.version": ["0.0.1", 3],
    "attributes.rpw.format": [4],
    "attributes.rpw.digest": [None],
    "attributes.distance": ["wasserstein"],
    "attributes.p": [3.0],
    "attributes.k": [5.0],
    "attributes.diameter": [2.0],
    "attributes.mass": [0.5],
    "attributes.metric": ["cityblock"],
    "attributes.device": ["cuda"],
    "attributes.symmetric": ["yes", False],
    "attributes.shape": [[9, 9]],
    "attributes.rows": [list("hgfedcba")],
    "shape": [None, "8x8", [9, 9], [8, 8, 8], [10**9, 10**9]],
    "chunk_grid": [None],
    "chunk_grid.configuration.chunk_shape": [[0, 0], [3, 3], [10**9, 10**9], [1, 2], [1.5, 1.5]],
    "data_type": ["int8"],
    "codecs": [[]],
}
DAMAGE += [(name, value) for name, values in CHANGES.items() for value in values]


def damaged(text, damage):
    """The JSON with one entry changed, or removed; or something else."""
    if isinstance(damage, str):
        return damage
    at = whole = json.loads(text)
    *above, name = damage[0].split(".")
    for each in above:
        at = at[each]
    at[name] = damage[1]
    if damage[1] is None:
        del at[name]
    return json.dumps(whole)


@pytest.mark.sample(8)
@pytest.mark.parametrize("k", [1, [1, 0.1]], ids=["", "of a stack"])
@pytest.mark.parametrize("damage", DAMAGE, ids=lambda damage: str(damage)[:40])
def test_a_damaged_manifest_is_one_clear_error(tmp_path, damage, k):
    out, A, manifest = tmp_path / "G.zarr", clouds(8, 4), tmp_path / "G.zarr" / "zarr.json"
    stored = rpw.pairwise(A, out=out, k=k)[:]
    write_names(out, list("abcdefgh"), list("abcdefgh"))
    whole, tiles = manifest.read_text(), everything_in(out / "c")
    manifest.write_text(damaged(whole, damage))
    with pytest.raises(ValueError, match=r"out='.*G\.zarr': its zarr\.json is damaged, or not of this version"):
        rpw.pairwise(A, out=out, k=k)
    assert complete_shape(out) is None
    assert everything_in(out / "c") == tiles
    manifest.write_text(whole)
    array = rpw.pairwise(A, out=out, k=k)
    np.testing.assert_array_equal(array[:], stored)
    assert array.attrs["rows"] == list("abcdefgh")


def test_attributes_of_others_may_come_and_go(store):
    zarr.open_array(store, mode="r+").attrs["note"] = "mine"
    array = rpw.pairwise(clouds(20, 4), out=store)
    assert array.attrs["note"] == "mine"
    np.testing.assert_array_equal(array[:], rpw.pairwise(clouds(20, 4)))


# ---------------------------------------------------------------- whose folder it is


def everything_in(folder):
    """All files below a folder, with what they hold; of links, where they point."""
    paths = sorted(folder.rglob("*"))
    return {
        str(path.relative_to(folder)): path.readlink() if path.is_symlink() else path.is_file() and path.read_bytes()
        for path in paths
    }


FOREIGN = {
    "a note beside": {".rpw/lock": "", "note": "mine"},
    "marks": {".rpw/done/0.0": "mine"},
    "a folder": {".rpw/done/mine/note": "mine"},
    "tiles": {".rpw/lock": "", "c/0/0": "mine"},
    "a manifest": {"zarr.json": "{}"},
}


@pytest.mark.parametrize("name", FOREIGN)
def test_a_folder_of_our_name_without_our_manifest_is_left_alone(tmp_path, name):
    out = tmp_path / "G.zarr"
    for path, text in FOREIGN[name].items():
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        (out / path).write_text(text)
    before = everything_in(out)
    with pytest.raises(ValueError, match=r"out='.*G\.zarr'.*choose another path"):
        rpw.pairwise(clouds(8, 4), out=out)
    assert everything_in(out) == before


def test_tiles_without_a_manifest_are_nobodys(store):
    (store / "zarr.json").unlink()
    before = everything_in(store)
    with pytest.raises(
        ValueError, match=r"out='.*G\.zarr' is there and is no store of rpw.*choose another path, or remove"
    ):
        rpw.pairwise(clouds(20, 4), out=store)
    assert everything_in(store) == before


@pytest.mark.parametrize("name", ["zarr.json", ".rpw", ".rpw/lock", ".rpw/part", ".rpw/done", "c", "c/0", "c/0/1"])
def test_a_link_inside_a_store_is_refused(store, tmp_path, name):
    """What it points to stays as it was, also if that is what the store itself would hold."""
    copy = tmp_path / "copy.zarr"
    (store / ".rpw" / "done" / "0.1").unlink()
    (store / ".rpw" / "part").write_text("")
    store.rename(copy)
    shutil.copytree(copy, store)
    shutil.rmtree(store / name) if (store / name).is_dir() else (store / name).unlink()
    (store / name).symlink_to(copy / name)
    before = everything_in(copy)
    with pytest.raises(ValueError, match=rf"^out='{store}': its {name} is a link, and no link is followed there"):
        rpw.pairwise(clouds(20, 4), out=store)
    with pytest.raises(ValueError, match=rf"its {name} is a link"):
        write_names(store, rows=["a"] * 20, columns=["b"] * 20)
    assert everything_in(copy) == before


def test_a_second_name_of_a_file_is_not_written_through(store, tmp_path):
    """Hard links: files that are ours by one name and the user's by another."""
    (tmp_path / "note").write_text("mine")
    os.link(tmp_path / "note", store / ".rpw" / "part")
    os.link(store / "c" / "0" / "1", tmp_path / "second")
    flip(store / "c" / "0" / "1", 3)
    before = (tmp_path / "second").read_bytes()
    np.testing.assert_array_equal(rpw.pairwise(clouds(20, 4), out=store)[:], rpw.pairwise(clouds(20, 4)))
    assert ((tmp_path / "note").read_text(), (tmp_path / "second").read_bytes()) == ("mine", before)


def test_the_path_that_the_user_gives_may_be_a_link(store, tmp_path):
    (tmp_path / "link").symlink_to(store)
    (store / ".rpw" / "done" / "0.1").unlink()
    stored = rpw.pairwise(clouds(20, 4), out=tmp_path / "link")
    np.testing.assert_array_equal(stored[:], rpw.pairwise(clouds(20, 4)))
    assert (store / ".rpw" / "done" / "0.1").exists()
    (tmp_path / "nowhere").symlink_to(tmp_path / "new")
    with pytest.raises(ValueError, match=r"out='.*nowhere' is no folder"):
        rpw.pairwise(clouds(20, 4), out=tmp_path / "nowhere")
    assert not (tmp_path / "new").exists()


# ---------------------------------------------------------------- kills


@pytest.mark.sample(3)
@pytest.mark.parametrize("lock", [None, "", "process 17 on a machine\n"])
@pytest.mark.parametrize("part", [None, "", '{\n "zarr', '{\n "zarr_format": 3,\n "node_type": "arr'])
def test_what_a_run_leaves_that_died_before_its_manifest_is_ours(tmp_path, lock, part):
    out = tmp_path / "G.zarr"
    (out / ".rpw" / "done").mkdir(parents=True)
    for name, text in (("lock", lock), ("part", part)):
        if text is not None:
            (out / ".rpw" / name).write_text(text)
    np.testing.assert_array_equal(rpw.pairwise(clouds(8, 4), out=out)[:], rpw.pairwise(clouds(8, 4)))
    assert (out / "zarr.json").read_text().startswith('{\n "zarr_format": 3,\n "node_type": "arr')


STOPPED = """
import sys, signal, os
import numpy as np
import rpw

{clouds}

replace, count = os.replace, 0

def dying(*arguments, **options):
    global count
    count += 1
    if count == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
    replace(*arguments, **options)

os.replace = dying
rpw.pairwise(ragged_clouds(20, 4), out=sys.argv[1])
"""


@pytest.mark.sample(2)
@pytest.mark.parametrize("step", [1, 2, 3, 4, 5, 6, 7])
def test_killed_between_any_two_writes(tmp_path, step):
    """Before the manifest, before a chunk, its mirror image, its mark: what is marked is whole, the rest is redone."""
    out, code = tmp_path / "D.zarr", STOPPED.format(clouds=inspect.getsource(clouds))
    assert run("-c", code, out, step).returncode == -signal.SIGKILL
    time.sleep(0.01)  # more than the grain of the times of files
    chunks = {path: path.stat().st_mtime_ns for path in files_of(out, "c")} if (out / "c").exists() else {}
    marks = {path.name for path in files_of(out, ".rpw/done")}
    np.testing.assert_array_equal(rpw.pairwise(clouds(20, 4), out=out)[:], rpw.pairwise(clouds(20, 4)))
    for mark in marks:
        chunk = out / "c" / mark.replace(".", "/")
        assert chunk.stat().st_mtime_ns == chunks[chunk]
