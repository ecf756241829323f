"""Stored numbers are those that were computed: damage is found, mended where it can be, and never returned."""

import inspect
import json
import os
import pickle
import signal
import sys
import time

import numpy as np
import pytest
from checks import ragged_clouds as clouds
from children import run

import rpw

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


def set_version(store, version):
    metadata = json.loads((store / "zarr.json").read_text())
    metadata["attributes"]["rpw"]["version"] = version
    del metadata["attributes"]["rpw"]["digest"]  # which early ones did not write
    (store / "zarr.json").write_text(json.dumps(metadata))


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
    from rpw.many.store.tile_store import complete_shape

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


def test_damage_that_cannot_be_mended_is_refused(store):
    """The tiles are those of another version, whose last digits might be others."""
    set_version(store, "0.0.1")
    np.testing.assert_array_equal(rpw.pairwise(clouds(20, 4), out=store)[:], rpw.pairwise(clouds(20, 4)))
    flip(store / "c" / "1" / "1", 3)
    with pytest.raises(ValueError, match=r"tile \(1, 1\) .* is damaged; it was begun by rpw 0\.0\.1 and this is"):
        rpw.pairwise(clouds(20, 4), out=store)


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


def as_first_version(store):
    """What rpw 0.1 would have written: empty marks, and format 1."""
    metadata = json.loads((store / "zarr.json").read_text())
    metadata["attributes"]["rpw"] |= {"format": 1, "version": "0.1.0"}
    (store / "zarr.json").write_text(json.dumps(metadata))
    for mark in (store / ".rpw" / "done").iterdir():
        mark.write_bytes(b"")


@pytest.mark.parametrize("is_finished", [True, False])
def test_stores_of_the_first_version_are_refused_by_name(store, is_finished):
    expected = rpw.pairwise(clouds(20, 4))
    as_first_version(store)
    if not is_finished:
        (store / ".rpw" / "done" / "0.1").unlink()
    before = {path: path.read_bytes() for path in sorted(store.rglob("*")) if path.is_file()}
    with pytest.raises(ValueError, match=r"G\.zarr' was written by rpw 0\.1\.0, which kept no digests.*another path"):
        rpw.pairwise(clouds(20, 4), out=store)
    assert before == {path: path.read_bytes() for path in sorted(store.rglob("*")) if path.is_file()}
    np.testing.assert_array_equal(zarr.open_array(str(store), mode="r")[:], expected)  # as the message says


def test_stores_of_a_later_version_are_refused_by_name(store):
    metadata = json.loads((store / "zarr.json").read_text())
    metadata["attributes"]["rpw"] |= {"format": 4, "version": "7.0"}
    (store / "zarr.json").write_text(json.dumps(metadata))
    with pytest.raises(ValueError, match=r"was written by rpw 7\.0, which is newer"):
        rpw.pairwise(clouds(20, 4), out=store)


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


STOPPED = """
import sys, signal, os
import numpy as np
import rpw
from rpw.many.store.tree import Tree

{clouds}

write, count = Tree.write, 0

def dying(self, *arguments):
    global count
    count += 1
    if count == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
    write(self, *arguments)

Tree.write = dying
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
