"""Runs that survive: stores on disk that resume after anything."""

import errno
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import time

import numpy as np
import pytest
from children import wait_until
from stores import clouds, marks, run, start

import rpw

zarr = pytest.importorskip("zarr")


class Counting:
    """A metric that counts how often it is asked."""

    def __init__(self):
        self.calls = 0

    def __call__(self, x, y):
        self.calls += 1
        return float(np.abs(x - y).sum())


# ---------------------------------------------------------------- what is stored


@pytest.mark.parametrize("sizes", [(30, None), (30, 17), (1, 40), (40, 1), (3, None), (1, 1), (2, None), (5, 5)])
def test_the_stored_matrix_is_the_one_in_memory(tmp_path, sizes):
    A, B = clouds(sizes[0], 9), None if sizes[1] is None else clouds(sizes[1], 6, 1)
    stored = rpw.pairwise(A, B, out=tmp_path / "D.zarr", k=2)
    np.testing.assert_array_equal(stored[:], rpw.pairwise(A, B, k=2))
    assert isinstance(stored, zarr.Array)
    assert stored.shape == (len(A), len(A if B is None else B))
    assert stored.read_only
    grid = [-(-n // c) for n, c in zip(stored.shape, stored.chunks, strict=True)]
    tiles = grid[0] * (grid[0] + 1) // 2 if B is None else grid[0] * grid[1]
    pairs = len(A) * (len(A) - 1) // 2 if B is None else len(A) * len(B)
    assert tiles >= min(16, pairs)
    assert len(marks(tmp_path / "D.zarr")) == tiles


@pytest.mark.parametrize("name", ["support", "cost", "metric", "callable"])
def test_every_kind_of_input_can_be_stored(tmp_path, name):
    points = clouds(1, 9)[0]
    rows = np.random.default_rng(0).random((12, 9))
    A, options = {
        "support": (rows, {"support": points}),
        "cost": (rows, {"cost": np.abs(points[:, :1] - points[:, 1]) + np.arange(9)}),
        "metric": (clouds(12, 5), {"metric": "canberra"}),
        "callable": (clouds(12, 5), {"metric": lambda x, y: float(np.abs(x - y).sum())}),
    }[name]
    stored = rpw.pairwise(A, out=tmp_path / "D.zarr", **options)
    np.testing.assert_array_equal(stored[:], rpw.pairwise(A, **options))


def test_attributes_say_what_it_is(tmp_path):
    A = clouds(8, 5)
    stored = rpw.pairwise(A, out=tmp_path / "D.zarr", p=3, k=2, diameter="auto")
    delta = rpw.diameter(A)
    assert stored.attrs["diameter"] == delta
    assert stored.attrs["k"] == 2
    assert (stored.attrs["distance"], stored.attrs["p"], stored.attrs["metric"]) == ("rpw", 3, "euclidean")
    assert stored.attrs["rpw"]["version"] == rpw.__version__
    assert not {"unmoved", "truncation", "kappa", "mass", "lam"} & set(stored.attrs)
    assert rpw.pairwise(A, out=tmp_path / "E.zarr", distance="levy_prokhorov").attrs["p"] == "inf"
    json.loads((tmp_path / "E.zarr" / "zarr.json").read_text(), parse_constant=pytest.fail)  # strict JSON


def test_attributes_are_what_was_passed(tmp_path):
    A = clouds(8, 5)
    delta = rpw.diameter(A)
    k = next(k / 10 for k in range(1, 1000) if k / 10 * delta / delta != k / 10)  # would be lost in k times diameter
    assert rpw.pairwise(A, out=tmp_path / "k", k=k, diameter="auto").attrs["k"] == k
    partial = rpw.pairwise(A, out=tmp_path / "mass", distance="partial_wasserstein", mass=0.9)
    assert partial.attrs["mass"] == 0.9
    assert "lam" not in partial.attrs
    assert rpw.pairwise(A, out=tmp_path / "lam", distance="robot", lam=0.3).attrs["lam"] == 0.3
    with pytest.raises(ValueError, match=r"mass is 0\.9 there and 0\.8 here"):
        rpw.pairwise(A, out=tmp_path / "mass", distance="partial_wasserstein", mass=0.8)
    with pytest.raises(ValueError, match=r"lam is 0\.3 there and 0\.2 here"):
        rpw.pairwise(A, out=tmp_path / "lam", distance="robot", lam=0.2)


def test_a_store_knows_tol_and_solver(tmp_path):
    A, out = clouds(8, 5), tmp_path / "D.zarr"
    stored = rpw.pairwise(A, out=out, tol=0.1, solver="lmr")
    assert (stored.attrs["tol"], stored.attrs["solver"]) == (0.1, "lmr")
    np.testing.assert_array_equal(rpw.pairwise(A, out=out, tol=0.1, solver="lmr")[:], stored[:])
    for other, reason in (
        ({"tol": 0.2, "solver": "lmr"}, r"tol is 0\.1 there and 0\.2 here"),
        ({"tol": 0.1, "solver": "bisection"}, "solver is 'lmr' there and 'bisection' here"),
        ({}, r"tol is 0\.1 there and 0\.0 here; solver is 'lmr' there and 'auto' here"),
    ):
        with pytest.raises(ValueError, match=reason):
            rpw.pairwise(A, out=out, **other)
    plain = rpw.pairwise(A, out=tmp_path / "E.zarr", solver="exact")  # another word for the default
    assert not {"tol", "solver"} & set(plain.attrs)
    rpw.pairwise(A, out=tmp_path / "E.zarr")
    with pytest.raises(ValueError, match=r"tol is 0\.0 there and 0\.1 here"):
        rpw.pairwise(A, out=tmp_path / "E.zarr", tol=0.1)


def test_the_fingerprint_of_a_matrix_stays(tmp_path):
    """Stores of earlier versions are known by it."""
    A = [np.arange(2.0 * n).reshape(n, 2) / 16 for n in range(1, 9)]
    stored = rpw.pairwise(A, out=tmp_path / "D.zarr", distance="robot", lam=0.3, p=1)
    assert stored.attrs["rpw"]["fingerprint"] == "ab1bf7fa924002060706b2feee9dfa16dade7ab157e237b8c096f88d8a651f05"


def test_long_work_has_small_tiles():
    """A tile is at most some ten seconds of work, however few pairs that is."""
    from rpw.many.batch import PairBatch
    from rpw.many.collection import as_collection
    from rpw.many.tiles import tiling_of
    from rpw.pair.ground import Points
    from rpw.pair.metrics import as_metric
    from rpw.pair.question import as_question

    ground = Points(as_metric("euclidean"))
    a = as_collection([np.zeros((3000, 1)) + np.arange(3000)[:, None]] * 200, "A", ground)
    batch = PairBatch(a, a, ground, as_question())
    assert tiling_of(batch, 1).tile <= (4, 4)
    for lanes in (1, 2, 50):
        assert len(tiling_of(batch, lanes).tiles) >= 4 * lanes


# ---------------------------------------------------------------- resuming


def test_the_same_call_again_computes_only_what_is_missing(tmp_path):
    out, A, metric = tmp_path / "D.zarr", clouds(30, 20), Counting()
    sample = 24 * 24  # distances that go into the fingerprint
    whole = rpw.pairwise(A, out=out, metric=metric)[:]
    everything = metric.calls - sample
    assert everything >= 30 * 29 / 2 * 20 * 20

    metric.calls = 0
    np.testing.assert_array_equal(rpw.pairwise(A, out=out, metric=metric)[:], whole)
    assert metric.calls == sample

    for name in ("0.1", "2.2", "1.3"):
        (out / ".rpw" / "done" / name).unlink()
    metric.calls = 0
    np.testing.assert_array_equal(rpw.pairwise(A, out=out, metric=metric)[:], whole)
    assert 0 < metric.calls - sample < everything * 3.5 / len(marks(out))


def test_a_run_that_died_before_it_began_resumes(tmp_path):
    out, A = tmp_path / "D.zarr", clouds(8, 5)
    (out / ".rpw").mkdir(parents=True)
    np.testing.assert_array_equal(rpw.pairwise(A, out=out)[:], rpw.pairwise(A))
    (tmp_path / "empty").mkdir()
    np.testing.assert_array_equal(rpw.pairwise(A, out=tmp_path / "empty")[:], rpw.pairwise(A))


def test_a_slow_pair_keeps_back_its_own_tile_alone(tmp_path):
    out, A = tmp_path / "D.zarr", clouds(12, 20)
    slow = {A[0][11, 0], A[1][11, 0]}  # points that are not in the fingerprint

    def patient(x, y):
        if slow == {x[0], y[0]}:
            wait_until(lambda: len(marks(out)) >= 3)
            assert "0.0" not in marks(out)
        return float(np.abs(x - y).sum())

    stored = rpw.pairwise(A, out=out, metric=patient, n_threads=2)
    np.testing.assert_array_equal(stored[:], rpw.pairwise(A, metric=lambda x, y: float(np.abs(x - y).sum())))


@pytest.mark.thorough
def test_a_callable_resumes_in_another_process(tmp_path):
    code = """
factor = float(sys.argv[2])
def metric(x, y):
    return factor * float(abs(x - y).sum())
rpw.pairwise(clouds(8, 5), metric=metric, out=sys.argv[1])
"""
    out = tmp_path / "D.zarr"
    for _ in range(2):
        answer = run(code, out, 1.0)
        assert answer.returncode == 0, answer.stderr
    answer = run(code, out, 2.0)  # the same code, but it depends on something else that has changed
    assert "ValueError" in answer.stderr
    assert "the metric gives other distances" in answer.stderr


CRASH_DRILL = "rpw.pairwise(clouds(60, 160), p=1.5, k=0.7, n_threads=2, out=sys.argv[1])"


@pytest.mark.thorough
def test_crash_drill(tmp_path):
    """Five times kill -9 at random moments, then the end: bit for bit an uninterrupted run."""
    A, moments = clouds(60, 160), random.Random(0)
    whole = rpw.pairwise(A, p=1.5, k=0.7, out=tmp_path / "whole.zarr")
    out = tmp_path / "D.zarr"
    for drill in range(5):
        finished = marks(out)
        with start(CRASH_DRILL, out) as child:
            wait_until(lambda before=finished: len(marks(out)) > len(before), child)
            time.sleep(moments.random() * 0.03)
            child.send_signal(signal.SIGKILL)
        assert finished < marks(out), "a finished tile was lost"
        assert drill < 4 or len(marks(out)) < len(marks(tmp_path / "whole.zarr")), "too small to be interrupted"
        stored = zarr.open_array(str(out), mode="r")[:]
        known = ~np.isnan(stored)
        np.testing.assert_array_equal(stored[known], whole[:][known])
    # What is finished now is not written again.
    times = {name: (out / "c" / name.replace(".", "/")).stat().st_mtime_ns for name in marks(out)}
    np.testing.assert_array_equal(rpw.pairwise(A, p=1.5, k=0.7, out=out)[:], whole[:])
    assert times == {name: (out / "c" / name.replace(".", "/")).stat().st_mtime_ns for name in times}
    np.testing.assert_array_equal(whole[:], rpw.pairwise(A, p=1.5, k=0.7))


# ---------------------------------------------------------------- what is refused


def test_other_work_is_refused_and_the_difference_named(tmp_path):
    out, A, B = tmp_path / "D.zarr", clouds(6, 5), clouds(4, 5, 1)
    rpw.pairwise(A, B, out=out, p=2, k=1)
    other = [A[0] + 1e-12, *A[1:]]
    for arguments, options, message in [
        ((A, B), {"p": 3}, r"p is 2\.0 there and 3\.0 here\. "),
        ((A, B), {"k": 3}, "k is 1.0 there and 3.0 here"),
        ((A, B), {"diameter": 2}, "diameter is 1.0 there and 2.0 here"),
        ((A, B), {"metric": "cityblock"}, "metric is 'euclidean' there and 'cityblock' here"),
        ((A, B), {"distance": "wasserstein"}, "distance is 'rpw' there and 'wasserstein' here"),
        ((other, B), {}, r"holds another matrix: A differs\. "),
        ((A, A[:4]), {}, r"holds another matrix: B differs\. "),
        ((A, B[:3]), {}, r"shape is \[6, 4\] there and \[6, 3\] here"),
        ((A,), {}, "symmetric is False there and True here"),
    ]:
        with pytest.raises(ValueError, match=message):
            rpw.pairwise(*arguments, out=out, **options)
    np.testing.assert_array_equal(rpw.pairwise(A, B, out=out)[:], rpw.pairwise(A, B))


def test_other_spaces_are_refused(tmp_path):
    points, rows = clouds(1, 6)[0], np.eye(6) + 0.1
    cost = np.linalg.norm(points[:, None] - points[None], axis=2)
    rpw.pairwise(rows, support=points, out=tmp_path / "support")
    rpw.pairwise(rows, cost=cost, out=tmp_path / "cost")
    with pytest.raises(ValueError, match="support differs"):
        rpw.pairwise(rows, support=points + 1e-9, out=tmp_path / "support")
    with pytest.raises(ValueError, match="cost differs"):
        rpw.pairwise(rows, cost=cost * 2, out=tmp_path / "cost")


def test_what_is_not_ours_is_left_alone(tmp_path):
    A = clouds(4, 3)
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "data").write_text("mine")
    zarr.create_array(str(tmp_path / "other.zarr"), shape=(4, 4), dtype="float64")
    for name in ("file", "folder", "other.zarr"):
        with pytest.raises(ValueError, match=f"out=.*{name}.*choose another path"):
            rpw.pairwise(A, out=tmp_path / name)
    for value in (3, "s3://bucket/D.zarr", "", b"D.zarr"):
        with pytest.raises(ValueError, match="out must be the path of a local folder"):
            rpw.pairwise(A, out=value)
    assert (tmp_path / "folder" / "data").read_text() == "mine"
    assert os.listdir(tmp_path / "folder") == ["data"]


@pytest.mark.parametrize("name", ["D.csv", "D.npy", "D.NPZ", "D.parquet", "D.h5"])
def test_a_name_of_another_format_is_refused(tmp_path, name):
    with pytest.raises(ValueError, match=rf"out='.*{name}' must be a folder, for a Zarr store: 'D.zarr'"):
        rpw.pairwise([[[0.0]], [[0.5]]], out=tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_other_names_are_stores_and_one_that_is_there_goes_on(tmp_path):
    for name in ("D", "D.zarr", "run.2", "a.csv.zarr"):
        assert rpw.pairwise([[[0.0]], [[0.5]]], out=tmp_path / name).shape == (2, 2)
    (tmp_path / "D").rename(tmp_path / "D.csv")  # as earlier versions wrote them
    assert rpw.pairwise([[[0.0]], [[0.5]]], out=tmp_path / "D.csv").shape == (2, 2)


@pytest.mark.thorough
def test_two_processes_on_one_store_are_detected(tmp_path):
    out, A = tmp_path / "D.zarr", clouds(60, 160)
    with start(CRASH_DRILL, out) as child:
        wait_until(lambda: marks(out), child)
        child.send_signal(signal.SIGSTOP)  # so that it cannot finish meanwhile
        with pytest.raises(RuntimeError, match=rf"D\.zarr' is being written by process {child.pid} on "):
            rpw.pairwise(A, p=1.5, k=0.7, out=out)
        child.kill()
    # The kernel has released the lock of the dead.
    np.testing.assert_array_equal(rpw.pairwise(A, p=1.5, k=0.7, out=out)[:], rpw.pairwise(A, p=1.5, k=0.7))


# ---------------------------------------------------------------- the disk


def test_a_full_disk_is_reported_and_the_run_resumes(tmp_path):
    disk, A = tmp_path / "disk", clouds(60, 9)
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("may not mount a small disk")
    try:
        out = disk / "D.zarr"
        with pytest.raises(
            OSError, match=r"No space left on device while writing.*goes on from the finished"
        ) as caught:
            rpw.pairwise(A, out=out)
        assert caught.value.errno == errno.ENOSPC
        kept = len(marks(out))
        assert 0 < kept < 21
        with pytest.raises(OSError, match="No space left"):  # still no space
            rpw.pairwise(A, out=out)
        subprocess.run(["mount", "-o", "remount,size=4m", str(disk)], check=True)
        np.testing.assert_array_equal(rpw.pairwise(A, out=out)[:], rpw.pairwise(A))
    finally:
        subprocess.run(["umount", str(disk)], check=False)


def test_a_limit_on_file_sizes_is_reported_and_the_run_resumes(tmp_path):
    out, A = tmp_path / "D.zarr", clouds(160, 5)
    code = "rpw.pairwise(clouds(160, 5), out=sys.argv[1])"
    limit = 3000  # more than zarr.json, less than a chunk
    answer = run(code, out, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    assert (
        "File too large while writing the matrix; the same call again goes on from the finished tiles" in answer.stderr
    )
    assert not marks(out)
    np.testing.assert_array_equal(rpw.pairwise(A, out=out)[:], rpw.pairwise(A))


# ---------------------------------------------------------------- pairs that fail


def test_failed_pairs_are_tried_again_or_left_as_nan(tmp_path):
    out, A, broken = tmp_path / "D.zarr", clouds(30, 20), tmp_path / "broken"
    bad = A[7][3, 0]  # not one of the points in the fingerprint
    broken.touch()  # outside of the function: what it encloses is part of the fingerprint

    def touchy(x, y):
        if bad in (x[0], y[0]) and broken.exists():
            raise RuntimeError("out of stock")
        return float(np.abs(x - y).sum())

    with pytest.raises(rpw.PairwiseError, match="out of stock") as caught:
        rpw.pairwise(A, metric=touchy, out=out)
    pairs = {(min(7, i), max(7, i)) for i in range(30) if i != 7}
    assert [failure[:2] for failure in caught.value.failures] == sorted(pairs)
    with_nan = caught.value.distances[:]
    assert np.isnan(with_nan).sum() == 2 * 29
    assert len([name for name in marks(out) if not name.endswith(".failed")]) < 21

    kept = rpw.pairwise(A, metric=touchy, out=out, on_error="nan")[:]
    np.testing.assert_array_equal(kept, with_nan)
    assert len(marks(out)) == 21
    assert not [name for name in marks(out) if name.endswith(".failed")]
    broken.unlink()
    np.testing.assert_array_equal(rpw.pairwise(A, metric=touchy, out=out, on_error="nan")[:], with_nan)
    whole = rpw.pairwise(A, metric=touchy, out=out)[:]  # on_error="raise" is not content with NaN
    np.testing.assert_array_equal(whole, rpw.pairwise(A, metric=touchy))
    np.testing.assert_array_equal(rpw.pairwise(A, metric=touchy, out=out, on_error="nan")[:], whole)


# ---------------------------------------------------------------- manners


def test_progress_goes_on_where_the_last_run_stopped(tmp_path, capsys):
    pytest.importorskip("tqdm")
    out, A = tmp_path / "D.zarr", clouds(30, 9)
    rpw.pairwise(A, out=out, progress=True)
    assert "435/435" in capsys.readouterr().err
    (out / ".rpw" / "done" / "0.1").unlink()
    rpw.pairwise(A, out=out, progress=True)
    text = capsys.readouterr().err
    assert "410/435" in text
    assert "435/435" in text


@pytest.mark.parametrize(
    ("module", "options", "hint"),
    [
        ("zarr", "out='D.zarr'", "out needs zarr: pip install zarr"),
        ("distributed", "client=3", "client needs dask[distributed]: pip install 'dask[distributed]'"),
        ("tqdm.auto", "progress=True", "progress=True needs tqdm: pip install tqdm"),
    ],
)
def test_a_missing_extra_is_named(module, options, hint, tmp_path):
    code = f"sys.modules[{module!r}] = None\nrpw.pairwise(clouds(3, 3), {options})"
    answer = run(code, cwd=tmp_path)
    assert "ImportError" in answer.stderr
    assert hint in answer.stderr
    assert not os.listdir(tmp_path)


def test_numpy_is_enough_for_a_matrix_in_memory():
    answer = run("rpw.pairwise(clouds(3, 3)); print({'zarr', 'dask', 'distributed', 'tqdm'} & set(sys.modules))")
    assert answer.stdout.strip() == "set()", answer.stderr
