"""Real clusters: the same numbers as threads, whatever dies on the way."""

import json
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from children import ENVIRONMENT, wait_until
from stores import clouds, marks, start

import rpw

pytest.importorskip("zarr")
dask = pytest.importorskip("dask")
Client = pytest.importorskip("distributed").Client

pytestmark = pytest.mark.xdist_group("cluster")  # one process has the scheduler and the workers for all tests


def start_dask(folder, environment, *arguments):
    folder.mkdir()
    command = [sys.executable, "-m", "dask", *arguments, "--no-dashboard"]
    with open(folder / "log", "w") as log:
        return subprocess.Popen(command, env=environment, cwd=folder, stdout=log, stderr=log)


def start_scheduler(folder, environment=ENVIRONMENT):
    """A process, and its address."""
    file = folder / "scheduler.json"
    options = ("--host", "127.0.0.1", "--port", "0", "--scheduler-file", file)
    process = start_dask(folder, environment, "scheduler", *options)
    try:
        wait_until(lambda: file.exists() and file.stat().st_size, process)
        time.sleep(0.1)
        return process, json.loads(file.read_text())["address"]
    except BaseException:
        process.kill()
        raise


def start_worker(scheduler, folder, *options, environment=ENVIRONMENT):
    options = ("--no-nanny", "--nthreads", "1", "--local-directory", folder, *options)
    return start_dask(folder, environment, "worker", scheduler, *options)


def end(*processes):
    for process in processes:
        process.kill()
        process.wait(20)


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory):
    process, address = start_scheduler(tmp_path_factory.mktemp("cluster") / "scheduler")
    yield address
    end(process)


@pytest.fixture(scope="module")
def lonely_scheduler(tmp_path_factory):
    """One whose only workers are those that a test itself starts and ends."""
    process, address = start_scheduler(tmp_path_factory.mktemp("lonely") / "scheduler")
    yield address
    end(process)


@pytest.fixture(scope="module")
def pool():
    """The workers of the scheduler above; those that a test has killed are replaced for the next one."""
    workers = []
    yield workers
    end(*workers)


@pytest.fixture
def cluster(scheduler, pool, tmp_path):
    """A client, and two workers of one thread each in processes of their own."""
    pool[:] = [worker for worker in pool if worker.poll() is None]
    pool += [start_worker(scheduler, tmp_path / f"worker{number}") for number in range(2 - len(pool))]
    with Client(scheduler) as client:
        wait_until(lambda: len(client.scheduler_info()["workers"]) == 2)
        yield client, pool


def kill_after(worker, out, tiles):
    """Kill a worker as soon as so many tiles are stored; gives how many there were in the end."""
    seen = []

    def watch():
        wait_until(lambda: len(marks(out)) >= tiles)
        worker.kill()
        seen.append(len(marks(out)))

    watcher = threading.Thread(target=watch)
    watcher.start()
    return watcher, seen


@pytest.mark.thorough
def test_cluster_drill(cluster, tmp_path):
    """One of two workers is killed in the middle of a run: the same matrix."""
    client, workers = cluster
    out, A = tmp_path / "D.zarr", clouds(50, 250)
    watcher, seen = kill_after(workers[0], out, 3)
    stored = rpw.pairwise(A, out=out, client=client, k=5)
    watcher.join()
    assert workers[0].wait(20) == -signal.SIGKILL
    assert seen[0] < len(marks(out)), "the run was over before the worker died"
    expected = rpw.pairwise(A, k=5)
    np.testing.assert_array_equal(stored[:], expected)
    # Threads and clusters share stores.
    for client_or_none in (None, client):
        (out / ".rpw" / "done" / "0.1").unlink()
        np.testing.assert_array_equal(rpw.pairwise(A, out=out, client=client_or_none, k=5)[:], expected)


def test_clusters_give_the_same_as_threads(cluster, tmp_path, capsys):
    client, _ = cluster
    A, B = clouds(20, 9), clouds(12, 12, 1)
    factor = 1.5
    for options in (
        {"progress": True},
        {"distance": "total_variation"},
        {"metric": "canberra"},
        {"k": [10, 0.1, 0]},
        {"tol": 0.05, "solver": "lmr"},
        {"metric": lambda x, y: factor * float(np.abs(x - y).sum())},
    ):
        np.testing.assert_array_equal(rpw.pairwise(A, B, client=client, **options), rpw.pairwise(A, B, **options))
    assert "240/240" in capsys.readouterr().err
    stored = rpw.pairwise(A, out=tmp_path / "several.zarr", client=client, k=[10, 0.1, 0])
    np.testing.assert_array_equal(stored[:], rpw.pairwise(A, k=[10, 0.1, 0]))
    np.testing.assert_array_equal(rpw.pairwise(A, client=client, k=[10, 0.1, 0]), stored[:])
    rows, support = np.random.default_rng(0).random((12, 9)), A[0]
    inside = rpw.pairwise(rows, support=support, client=client)
    np.testing.assert_array_equal(inside, rpw.pairwise(rows, support=support))
    bad = A[7][3, 0]

    def touchy(x, y):
        if bad in (x[0], y[0]):
            raise RuntimeError("out of stock")
        return float(np.abs(x - y).sum())

    with pytest.raises(rpw.PairwiseError, match="out of stock") as caught:
        rpw.pairwise(A, client=client, metric=touchy)
    kept = rpw.pairwise(A, client=client, metric=touchy, on_error="nan")
    np.testing.assert_array_equal(caught.value.distances, kept)
    np.testing.assert_array_equal(kept, rpw.pairwise(A, metric=touchy, on_error="nan"))
    assert np.isnan(kept).sum() == 2 * 19
    wait_until(lambda: not client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)))


@pytest.mark.thorough
def test_inputs_are_sent_again_when_all_workers_die(cluster, scheduler, tmp_path):
    client, workers = cluster
    out, A = tmp_path / "D.zarr", clouds(50, 250)
    watchers = [kill_after(worker, out, 2)[0] for worker in workers]
    replacement = threading.Timer(1.0, lambda: workers.append(start_worker(scheduler, tmp_path / "three")))
    wait_for = threading.Thread(target=lambda: (*(w.join() for w in watchers), replacement.start()))
    wait_for.start()
    stored = rpw.pairwise(A, out=out, client=client, k=5)
    wait_for.join()
    np.testing.assert_array_equal(stored[:], rpw.pairwise(A, k=5))


def test_a_worker_checks_its_memory_before_a_tile(lonely_scheduler, tmp_path):
    worker = start_worker(lonely_scheduler, tmp_path / "small", "--memory-limit", "500MB", "--nthreads", "2")
    rng = np.random.default_rng(0)
    large = [rng.random((9000, 2)), rng.random((9000, 2)), [[0.5, 0.5]]]  # 810 MB for the largest pair
    medium = [rng.random((5000, 2)) for _ in range(3)]  # 250 MB a pair: one fits, two do not
    try:
        with Client(lonely_scheduler) as client:
            client.wait_for_workers(1, timeout=40)
            with pytest.raises(MemoryError, match=r"on the worker tcp://\S+: 9,000 x 9,000 points need about 0\.8 GB"):
                rpw.pairwise(large, client=client)
            with pytest.raises(MemoryError, match=r"on the worker \S+: 2 threads on .* 5,000 x 5,000 .*--nthreads"):
                rpw.pairwise(medium, client=client)
            small = clouds(12, 5)
            np.testing.assert_array_equal(rpw.pairwise(small, client=client), rpw.pairwise(small))
    finally:
        end(worker)


@pytest.mark.thorough
@pytest.mark.parametrize("dies", ["before", "during"])
def test_a_dead_scheduler_is_named(tmp_path, dies):
    process, address = start_scheduler(tmp_path / "scheduler")
    worker = start_worker(address, tmp_path / "worker")
    out, A = tmp_path / "D.zarr", clouds(50, 250)
    try:
        with dask.config.set({"distributed.comm.timeouts.connect": "1s"}), Client(address) as client:
            client.wait_for_workers(1, timeout=40)
            watcher = kill_after(process, out, 0 if dies == "before" else 3)[0]
            if dies == "before":
                watcher.join()
            with pytest.raises(ConnectionError, match=rf"the scheduler of client=, {address}, does not answer: pass a"):
                rpw.pairwise(A, out=out, client=client, k=5)
            watcher.join()
    finally:
        end(worker, process)
    assert (len(marks(out)) >= 3) == (dies == "during")


def test_ctrl_c_cancels_what_is_outstanding(cluster, scheduler, tmp_path):
    client, _ = cluster
    code = """
from distributed import Client
with Client(sys.argv[1]) as client:
    try:
        rpw.pairwise(clouds(200, 300), client=client, out=sys.argv[2])
    except KeyboardInterrupt:
        print("interrupted", flush=True)
"""
    out = tmp_path / "D.zarr"
    with start(code, scheduler, out) as child:
        wait_until(lambda: marks(out), child)
        child.send_signal(signal.SIGINT)
        output, errors = child.communicate(timeout=30)
    assert output.strip() == "interrupted", errors
    wait_until(lambda: not client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)))


def test_what_is_no_client_is_refused():
    client = Client(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0")
    client.close()
    with pytest.raises(ValueError, match=r"client is closed: pass a connected dask\.distributed\.Client"):
        rpw.pairwise(clouds(3, 3), client=client)
    for value in ("127.0.0.1:8786", 3, object()):
        with pytest.raises(ValueError, match=r"client must be a dask\.distributed\.Client"):
            rpw.pairwise(clouds(3, 3), client=value)


# ---------------------------------------------------------------- clusters that lack something


@pytest.mark.thorough
@pytest.mark.parametrize("lacking", ["scheduler", "worker"])
def test_a_cluster_without_rpw_is_told_so(tmp_path, lacking):
    hidden = tmp_path / "hidden" / "rpw.py"
    hidden.parent.mkdir()
    hidden.write_text("raise ModuleNotFoundError(\"No module named 'rpw'\", name='rpw')")
    without = {**ENVIRONMENT, "PYTHONPATH": str(hidden.parent)}
    environments = {name: without if name == lacking else ENVIRONMENT for name in ("scheduler", "worker")}
    scheduler, address = start_scheduler(tmp_path / "scheduler", environments["scheduler"])
    worker = start_worker(address, tmp_path / "worker", environment=environments["worker"])
    try:
        with Client(address) as client:
            client.wait_for_workers(1, timeout=60)
            with pytest.raises(RuntimeError, match="its scheduler and its workers need rpw"):
                rpw.pairwise(clouds(6, 3), client=client)
    finally:
        end(worker, scheduler)


@pytest.mark.thorough
def test_a_cluster_without_workers_is_waited_for(lonely_scheduler, tmp_path, caplog):
    workers = []
    late = threading.Timer(1.0, lambda: workers.append(start_worker(lonely_scheduler, tmp_path / "worker")))
    try:
        with Client(lonely_scheduler) as client:
            wait_until(lambda: not client.scheduler_info()["workers"])
            late.start()
            matrix = rpw.pairwise(clouds(6, 3), client=client)
            late.join()
    finally:
        end(*workers)
    assert "the cluster has no workers: waiting" in caplog.text
    np.testing.assert_array_equal(matrix, rpw.pairwise(clouds(6, 3)))
