"""A stored matrix that grows: more measures behind those that are there, and nothing computed twice but the border."""

import json
import shutil
import signal

import numpy as np
import pytest
from children import wait_until
from stores import clouds, marks, run, start

import rpw

zarr = pytest.importorskip("zarr")


class Counting:
    """A metric that counts how often it is asked, and is the same metric for the store."""

    calls = 0

    def __call__(self, x, y):
        Counting.calls += 1
        return float(np.abs(x - y).sum())


@pytest.mark.parametrize(("before", "after"), [(20, 21), (1, 9), (6, 40), (12, 13), (2, 3)])
def test_more_rows(tmp_path, before, after):
    A, out = clouds(after, 6), tmp_path / "D.zarr"
    rpw.pairwise(A[:before], out=out, k=2)
    grown = rpw.pairwise(A, out=out, k=2)
    np.testing.assert_array_equal(grown[:], rpw.pairwise(A, k=2))
    assert grown.attrs["shape"] == [after, after]
    np.testing.assert_array_equal(rpw.pairwise(A, out=out, k=2)[:], grown[:])


@pytest.mark.parametrize("sizes", [(9, 5, 12, 5), (9, 5, 9, 8), (4, 3, 11, 13)])
def test_rows_and_columns_of_two_collections(tmp_path, sizes):
    A, B, out = clouds(sizes[2], 6), clouds(sizes[3], 5, 1), tmp_path / "D.zarr"
    rpw.pairwise(A[: sizes[0]], B[: sizes[1]], out=out)
    np.testing.assert_array_equal(rpw.pairwise(A, B, out=out)[:], rpw.pairwise(A, B))


def test_again_and_again(tmp_path):
    A, out = clouds(30, 5), tmp_path / "D.zarr"
    for count in (7, 8, 9, 15, 16, 29, 30):
        np.testing.assert_array_equal(rpw.pairwise(A[:count], out=out)[:], rpw.pairwise(A[:count]))


@pytest.mark.parametrize("name", ["support", "cost", "several k", "callable"])
def test_every_kind_of_input(tmp_path, name):
    points = clouds(1, 9)[0]
    rows = np.random.default_rng(0).random((14, 9))
    A, options = {
        "support": (rows, {"support": points}),
        "cost": (rows, {"cost": np.abs(points[:, :1] - points[:, 1]) + np.arange(9)}),
        "several k": (clouds(14, 5), {"k": [0.1, 1, 10]}),
        "callable": (clouds(14, 5), {"metric": Counting()}),
    }[name]
    rpw.pairwise(A[:11], out=tmp_path / "D.zarr", **options)
    stored = rpw.pairwise(A, out=tmp_path / "D.zarr", **options)
    np.testing.assert_array_equal(stored[:], rpw.pairwise(A, **options))


def test_what_is_there_is_not_computed_again(tmp_path):
    A, out = clouds(31, 5), tmp_path / "D.zarr"
    side = rpw.pairwise(A[:30], out=out, metric=Counting()).chunks[0]
    assert 30 % side == 0  # no tile at the border was cut
    before = Counting.calls
    rpw.pairwise(A, out=out, metric=Counting())
    of_new_row = sum(len(A[30]) * len(cloud) for cloud in A[:30])
    assert of_new_row <= Counting.calls - before <= of_new_row + 3000  # a sample identifies the metric


def test_attributes_of_others_stay_and_names_go(tmp_path):
    A, out = clouds(9, 5), tmp_path / "D.zarr"
    rpw.pairwise(A[:8], out=out)
    array = zarr.open_array(out, mode="r+")
    array.attrs["mine"] = "kept"
    assert rpw.pairwise(A, out=out).attrs["mine"] == "kept"


@pytest.mark.parametrize("change", ["order", "value", "k", "fewer", "auto"])
def test_what_is_no_growth_is_refused(tmp_path, change):
    A, out = clouds(10, 5), tmp_path / "D.zarr"
    A[9] = A[9] + 5  # it changes the largest distance
    options = {"diameter": "auto"} if change == "auto" else {"diameter": 1}
    rpw.pairwise(A[:8], out=out, **options)
    others = {
        "order": [*A[1:8], A[0], A[8]],
        "value": [A[0] + 1e-12, *A[1:]],
        "fewer": A[:7],
    }.get(change, A)
    with pytest.raises(ValueError, match=r"holds another matrix: .*A store grows only if its measures come first"):
        rpw.pairwise(others, out=out, **options | ({"k": 3} if change == "k" else {}))
    np.testing.assert_array_equal(rpw.pairwise(A[:8], out=out, **options)[:], rpw.pairwise(A[:8], **options))


def test_after_an_unfinished_growth_the_smaller_matrix_is_refused(tmp_path):
    A, out = clouds(10, 5), tmp_path / "D.zarr"
    rpw.pairwise(A[:8], out=out)
    with pytest.raises(rpw.TimeLimitError):
        rpw.pairwise(A, out=out, time_limit=0)
    with pytest.raises(ValueError, match=r"shape is \[10, 10\] there and \[8, 8\] here"):
        rpw.pairwise(A[:8], out=out)
    np.testing.assert_array_equal(rpw.pairwise(A, out=out)[:], rpw.pairwise(A))


def test_a_store_of_another_version_does_not_grow_and_what_it_began_with_is_sealed(tmp_path, monkeypatch):
    A, out = clouds(9, 5), tmp_path / "D.zarr"
    with monkeypatch.context() as patched:
        for module in ("manifest", "tile_store"):
            patched.setattr(f"rpw.many.store.{module}.VERSION", "0.0.1")
        rpw.pairwise(A[:7], out=out)
        rpw.pairwise(A[:8], out=out)
    before = (out / "zarr.json").read_bytes()
    with pytest.raises(ValueError, match=r"begun by rpw 0\.0\.1"):
        rpw.pairwise(A, out=out)
    assert (out / "zarr.json").read_bytes() == before
    content = json.loads(before)
    content["attributes"]["rpw"]["before"][0]["shape"] = [8, 8]
    (out / "zarr.json").write_text(json.dumps(content))
    with pytest.raises(ValueError, match="damaged"):
        rpw.pairwise(A[:8], out=out)


def test_a_store_that_grew_otherwise_is_not_believed(tmp_path):
    """An older zarr.json comes back from a backup, and the store grows again, by other measures."""
    A, others, out = clouds(24, 5), clouds(12, 6, 7), tmp_path / "D.zarr"
    rpw.pairwise(A[:12], out=out)
    before = (out / "zarr.json").read_bytes()
    rpw.pairwise(A, out=out)
    (out / "zarr.json").write_bytes(before)
    grown = [*A[:12], *others]
    np.testing.assert_array_equal(rpw.pairwise(grown, out=out)[:], rpw.pairwise(grown))


def test_an_array_that_was_opened_before_says_that_the_store_has_grown(tmp_path):
    A, out = clouds(21, 5), tmp_path / "D.zarr"
    opened = rpw.pairwise(A[:20], out=out)
    rpw.pairwise(A, out=out)
    with pytest.raises(ValueError, match="the store has grown"):
        opened[:]


def test_a_damaged_tile_of_before_is_computed_again(tmp_path):
    A, out = clouds(12, 5), tmp_path / "D.zarr"
    rpw.pairwise(A[:11], out=out)
    chunk = next((out / "c" / "0").iterdir())
    chunk.write_bytes(bytes(len(chunk.read_bytes())))
    np.testing.assert_array_equal(rpw.pairwise(A, out=out)[:], rpw.pairwise(A))


def test_a_killed_run_goes_on(tmp_path):
    """Killed at several moments of its growth: what is left is always the beginning of the truth."""
    out, first = tmp_path / "D.zarr", tmp_path / "first.zarr"
    run("rpw.pairwise(clouds(40, 60)[:30], out=sys.argv[1])", first, check=True)
    A = clouds(40, 60)
    truth = rpw.pairwise(A)
    for wanted in (0, 3, 9):
        shutil.copytree(first, out)
        begun = len(marks(out))
        child = start("rpw.pairwise(clouds(40, 60), out=sys.argv[1], n_threads=1)", out)
        wait_until(lambda begun=begun, wanted=wanted: len(marks(out)) >= begun + wanted, child)
        child.send_signal(signal.SIGKILL)
        child.communicate()
        raw = zarr.open_array(out, mode="r")[:]
        there = ~np.isnan(raw)
        assert np.array_equal(raw[there], truth[: len(raw), : len(raw)][there])
        np.testing.assert_array_equal(rpw.pairwise(A, out=out)[:], truth)
        shutil.rmtree(out)
