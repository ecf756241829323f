"""Inputs that nobody sane would pass: huge exponents, shared arrays, millions of threads, closed pipes."""

import json
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest
from checks import ENVIRONMENT
from checks import ragged_clouds as clouds
from checks import run_command as command

import rpw
from rpw.readers import read_collection

INF = float("inf")


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


# ---------------------------------------------------------------- errors that travel


def test_an_error_of_pairs_survives_pickling(tmp_path):
    far = [[[0.0]], [[1.7e308]], [[-1.7e308]]]
    with ProcessPoolExecutor(1) as pool:
        with pytest.raises(rpw.PairwiseError, match=r"pair \(1, 2\) failed") as caught:
            pool.submit(rpw.pairwise, far).result(timeout=60)
        assert pool.submit(abs, -1).result(timeout=60) == 1  # the pool lives
    assert caught.value.failures[0][:2] == (1, 2)
    assert np.isnan(caught.value.distances[1, 2])


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
    model = RPWTransformer("neighbors", n_neighbors=2, support="line").fit(X)
    for bad in (-1, 1.5, "a", None, 0, INF):
        with pytest.raises(ValueError, match="n_neighbors"):
            RPWTransformer("neighbors", n_neighbors=bad, support="line").fit_transform(X)
        with pytest.raises(ValueError, match="n_neighbors"):
            model.set_params(n_neighbors=bad).transform(X)
    with pytest.raises(ValueError, match="mode"):
        RPWTransformer(support="line").fit(X).set_params(mode="foo").transform(X)


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
