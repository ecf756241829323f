"""A stack of matrices on disk, one for each of a list of k: every pair is solved once, and what is stored survives."""

import json
import signal

import numpy as np
import pytest
from children import wait_until
from stores import clouds, marks, start

import rpw

zarr = pytest.importorskip("zarr")

K = [1, 0.1, 0, 10, 0.1]
CALLS = []


def counted(x, y):
    CALLS.append(1)
    return float(np.abs(x - y).sum())


@pytest.mark.sample(4)
@pytest.mark.parametrize("sizes", [(30, None), (30, 17), (1, 40), (40, 1), (3, None), (1, 1)])
@pytest.mark.parametrize("p", [2, np.inf])
def test_the_stored_stack_is_the_one_in_memory(tmp_path, sizes, p):
    A, B = clouds(sizes[0], 9), None if sizes[1] is None else clouds(sizes[1], 6, 1)
    stored = rpw.pairwise(A, B, out=tmp_path / "D.zarr", k=K, p=p)
    stack = rpw.pairwise(A, B, k=K, p=p)
    np.testing.assert_array_equal(stored[:], stack)
    np.testing.assert_array_equal(np.asarray(stored), stack)
    assert stored.shape == (5, len(A), len(A if B is None else B))
    assert stored.chunks[0] == 5  # all k of a pair in one tile
    for e, k in enumerate(K):
        np.testing.assert_allclose(stored[e], rpw.pairwise(A, B, k=k, p=p), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(stored[1:3, -1, ::2], stack[1:3, -1, ::2])
    np.testing.assert_array_equal(stored.oindex[[0, 4], [0], :], stack[[0, 4]][:, [0]])
    assert stored[2, 0, 0] == stack[2, 0, 0]
    np.testing.assert_array_equal(zarr.open(tmp_path / "D.zarr", mode="r")[:], stack)  # anybody's Zarr


def test_attributes_list_k_as_it_was_passed(tmp_path):
    A = clouds(6, 5)
    stored = rpw.pairwise(A, out=tmp_path / "D.zarr", k=np.array(K), p=np.inf, diameter="auto")
    assert stored.attrs["k"] == K
    assert (stored.attrs["p"], stored.attrs["shape"]) == ("inf", [5, 6, 6])
    json.loads((tmp_path / "D.zarr" / "zarr.json").read_text(), parse_constant=pytest.fail)  # strict JSON
    assert rpw.pairwise(A, out=tmp_path / "E.zarr", k=[3]).shape == (1, 6, 6)
    # Of one k: the format that older versions read, and have written.
    assert rpw.pairwise(A, out=tmp_path / "F.zarr", k=3).attrs["rpw"]["format"] == 2
    assert stored.attrs["rpw"]["format"] == 3


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ([0.1, 1], r"k is \[1.0, 0.1\] there and \[0.1, 1.0\] here"),
        ([1, 0.1, 3], r"shape is \[2, 6, 6\] there and \[3, 6, 6\] here"),
        (1, r"k is \[1.0, 0.1\] there and 1.0 here"),
    ],
)
def test_another_list_is_another_work(tmp_path, other, words):
    A = clouds(6, 5)
    rpw.pairwise(A, out=tmp_path / "D.zarr", k=[1, 0.1])
    with pytest.raises(ValueError, match=words):
        rpw.pairwise(A, out=tmp_path / "D.zarr", k=other)


def test_a_list_of_one_is_no_number(tmp_path):
    A = clouds(6, 5)
    rpw.pairwise(A, out=tmp_path / "D.zarr", k=1)
    with pytest.raises(ValueError, match=r"k is 1.0 there and \[1.0\] here"):
        rpw.pairwise(A, out=tmp_path / "D.zarr", k=[1])


def test_each_pair_is_solved_once_and_only_what_is_missing_again(tmp_path):
    out, A = tmp_path / "D.zarr", clouds(12, 7)
    pairs = sum(len(A[i]) * len(A[j]) for i in range(12) for j in range(i + 1, 12))
    sample = 24 * 24  # distances that go into the fingerprint
    CALLS.clear()
    whole = rpw.pairwise(A, out=out, metric=counted, k=K)[:]
    assert len(CALLS) == pairs + sample
    for name in ("0.1", "2.2"):
        (out / ".rpw" / "done" / name).unlink()
    CALLS.clear()
    np.testing.assert_array_equal(rpw.pairwise(A, out=out, metric=counted, k=K)[:], whole)
    assert sample < len(CALLS) < sample + pairs / 3


@pytest.mark.parametrize("is_mirror", [False, True])
def test_damage_at_any_k_is_found_and_computed_again(tmp_path, is_mirror):
    out, A = tmp_path / "D.zarr", clouds(30, 6)
    stored = rpw.pairwise(A, out=out, k=K)
    whole = stored[:]
    chunk = out / "c" / "0" / ("1/0" if is_mirror else "0/1")
    data = bytearray(chunk.read_bytes())
    data[-5] ^= 1  # of the last k
    chunk.write_bytes(data)
    with pytest.raises(ValueError, match=r"is damaged.*computes what is missing"):
        stored[:]
    np.testing.assert_array_equal(rpw.pairwise(A, out=out, k=K)[:], whole)
    (out / "c" / "0" / "2" / "2").write_bytes(chunk.read_bytes())  # the chunk of other pairs
    np.testing.assert_array_equal(rpw.pairwise(A, out=out, k=K)[:], whole)
    np.testing.assert_array_equal(stored[:], whole)


CHILD = "rpw.pairwise(clouds(40, 60), out=sys.argv[1], k=[10, 0.1, 1], n_threads=1)"


def test_a_killed_run_goes_on(tmp_path):
    out = tmp_path / "D.zarr"
    child = start(CHILD, out)
    wait_until(lambda: len(marks(out)) >= 2, child)
    child.send_signal(signal.SIGKILL)
    child.wait()
    finished = marks(out)
    assert 2 <= len(finished) < 21, "the child was too fast"
    before = {name: (out / ".rpw" / "done" / name).stat().st_mtime_ns for name in finished}
    A = clouds(40, 60)
    stored = rpw.pairwise(A, out=out, k=[10, 0.1, 1])
    np.testing.assert_array_equal(stored[:], rpw.pairwise(A, k=[10, 0.1, 1]))
    assert {name: (out / ".rpw" / "done" / name).stat().st_mtime_ns for name in finished} == before


def broken(x, y):
    if 7 in (x[0], y[0]):
        raise ArithmeticError("seven")
    return abs(float(x[0] - y[0]))


def test_pairs_that_fail_are_nan_at_every_k(tmp_path):
    out, A = tmp_path / "D.zarr", [[0.0], [7.0], [1.0]]
    stored = rpw.pairwise(A, k=[1, 2], metric=broken, diameter=1, on_error="nan", out=out)
    assert np.isnan(stored[:]).tolist() == 2 * [[[False, True, False], [True, False, True], [False, True, False]]]
    assert any(name.endswith(".nan") for name in marks(out))
    with pytest.raises(rpw.PairwiseError, match=r"pair \(0, 1\) failed: .*seven \(and 1 more\)") as caught:
        rpw.pairwise(A, k=[1, 2], metric=broken, diameter=1, out=out)
    assert caught.value.distances.shape == (2, 3, 3)


def test_time_limit_keeps_whole_tiles(tmp_path):
    out, A = tmp_path / "D.zarr", clouds(12, 300)
    with pytest.raises(rpw.TimeLimitError, match=r"of 66 pairs were finished"):
        rpw.pairwise(A, out=out, k=[1, 10], time_limit=0.05, n_threads=1)
    stored = zarr.open(out, mode="r")[:]
    known = ~np.isnan(stored)
    assert (known == known[0]).all()  # at every k, or at none
    assert not known.all()


def test_tiles_of_long_lists_hold_no_more_numbers():
    from rpw.many.batch import PairBatch
    from rpw.many.collection import as_collection
    from rpw.many.tiles import tiling_of
    from rpw.pair.ground import Points
    from rpw.pair.metrics import as_metric
    from rpw.pair.question import as_question_of_several

    ground = Points(as_metric("euclidean"))
    a, b = (as_collection(np.zeros((4000, 1, 2)), name, ground) for name in "AB")
    for count in (1, 10, 1000):
        tile = tiling_of(PairBatch(a, b, ground, as_question_of_several("rpw", k=[1.0] * count)), 1).tile
        assert count * tile[0] * tile[1] <= 100_000
