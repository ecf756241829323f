"""Many pairs: matrices on threads and on a cluster, and exact search, beside a loop of POT on as many processes.

Run it with ``make bench-pairs``. Pictures: MNIST in the folder RPW_DATA, else the digits of scikit-learn. ``--quick``
takes fewer of them and leaves out the cluster. ``--wasserstein PYTHON`` is the interpreter of an environment with the
package `wasserstein` (``pip install "numpy<2" wasserstein``), to be timed beside W_2.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # threads are ours to count; must be set before NumPy loads

import argparse
import multiprocessing
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pictures

import rpw
from rpw.images import pixel_grid

Array = np.ndarray
SAMPLED_PAIRS = 2000  # of POT's loop: its rate does not need all pairs


def noisy_pictures(count: int, seed: int) -> tuple[Array, str]:
    """Grey pictures with the paper's noise, and what they are called."""
    images, _ = pictures.load()
    rng = np.random.default_rng(seed)
    return pictures.add_noise(images[rng.permutation(len(images))[:count]], rng), pictures.GREY


def histograms(images: Array) -> Array:
    return images.reshape(len(images), -1)


def timed(call, *arguments, **options):
    start = time.perf_counter()
    value = call(*arguments, **options)
    return time.perf_counter() - start, value


def emd2_loop(job: tuple[Array, Array, Array, Array]) -> int:
    """What a user of POT would write: drop empty pixels, one `emd2` per pair."""
    import ot

    queries, items, pairs, cost_p = job
    for i, j in pairs:
        a, b = queries[i] / queries[i].sum(), items[j] / items[j].sum()
        rows, columns = np.flatnonzero(a), np.flatnonzero(b)
        ot.emd2(a[rows], b[columns], cost_p[np.ix_(rows, columns)])
    return len(pairs)


def pot_rate(queries: Array, items: Array, support: Array, processes: int) -> float:
    """Pairs per second of the loop on several processes."""
    rng = np.random.default_rng(0)
    pairs = np.stack(
        [rng.integers(len(queries), size=SAMPLED_PAIRS), rng.integers(len(items), size=SAMPLED_PAIRS)], axis=1
    )
    cost_p = ((support[:, None] - support[None]) ** 2).sum(axis=2)
    jobs = [(queries, items, part, cost_p) for part in np.array_split(pairs, processes)]
    with multiprocessing.Pool(processes) as pool:
        pool.map(emd2_loop, [(q, i, p[:2], c) for q, i, p, c in jobs])  # imports done before the clock starts
        seconds, _ = timed(pool.map, emd2_loop, jobs, chunksize=1)
    return SAMPLED_PAIRS / seconds


def rate_table(queries: Array, items: Array, support: Array) -> tuple[float, Array]:
    print(f"\n(2,1)-RPW, exact: {len(queries)} x {len(items)} pairs")
    one, _ = timed(rpw.pairwise, queries[: max(1, len(queries) // 5)], items, support=support, n_threads=1)
    rate_one = max(1, len(queries) // 5) * len(items) / one
    two, matrix = timed(rpw.pairwise, queries, items, support=support, n_threads=2)
    rate_two = matrix.size / two
    pot = pot_rate(queries, items, support, processes=2)
    print(f"  rpw.pairwise, 1 thread       {rate_one:8.0f} pairs/s")
    print(f"  rpw.pairwise, 2 threads      {rate_two:8.0f} pairs/s   {rate_two / rate_one:.2f} times one thread")
    print(f"  ot.emd2 loop, 2 processes    {pot:8.0f} pairs/s   rpw has {rate_two / pot:.2f} times as many")
    return two, matrix


def full_mass_table(queries: Array, items: Array, support: Array, interpreter: str | None) -> None:
    """W_2 beside POT's loop and, where there is one, the package `wasserstein` on as many threads."""
    print(f"\nW_2: {len(queries)} x {len(items)} pairs, two threads")
    seconds, matrix = timed(rpw.pairwise, queries, items, support=support, distance="wasserstein", n_threads=2)
    rate = matrix.size / seconds
    pot = pot_rate(queries, items, support, processes=2)
    print(f"  rpw.pairwise                 {rate:8.0f} pairs/s")
    print(f"  ot.emd2 loop, 2 processes    {pot:8.0f} pairs/s   rpw has {rate / pot:.2f} times as many")
    if interpreter is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        given, result = Path(folder, "given.npz"), Path(folder, "result.npz")
        np.savez(given, queries=queries, items=items, support=support, n_threads=2)
        subprocess.run([interpreter, Path(__file__).with_name("wasserstein_worker.py"), given, result], check=True)
        with np.load(result) as theirs:
            other, error = matrix.size / float(theirs["seconds"]), np.abs(np.sqrt(theirs["powers"]) - matrix).max()
    print(f"  the package wasserstein      {other:8.0f} pairs/s   rpw has {rate / other:.2f} times as many")
    print(f"  they differ by at most {error:.0e}")


def search_table(name: str, queries: Array, items: Array, brute: float, matrix: Array, **space: Array) -> None:
    build, index = timed(rpw.Index, items, **space)
    seconds, (distances, indices) = timed(index.query, queries, top=10, n_threads=2)
    order = np.argsort(matrix, axis=1, kind="stable")[:, :10]
    same = np.array_equal(order, indices) and np.array_equal(np.take_along_axis(matrix, order, axis=1), distances)
    stats = index.stats
    print(f"\nrpw.Index, {name}, top 10, two threads: {'identical to' if same else 'DIFFERS FROM'} brute force")
    print(f"  build {build:.2f} s, queries {seconds:.1f} s, brute force {brute:.1f} s: {seconds / brute:.1%}")
    print(f"  of {stats.pairs} pairs: bounded {stats.bounded}, given up {stats.stopped_early}, solved {stats.solved}")


def colour_search(n_queries: int, n_labelled: int) -> None:
    """Pictures of 1024 points each, which they do not share."""
    images = pictures.load("cifar10")[0]
    order = np.random.default_rng(0).permutation(len(images))[: n_queries + n_labelled]
    clouds = np.stack([rpw.Measure.from_image(image).points for image in images[order]])
    queries, items = clouds[:n_queries], clouds[n_queries:]
    brute, matrix = timed(rpw.pairwise, queries, items, n_threads=2)
    search_table("CIFAR-10", queries, items, brute, matrix)


def cluster_table(queries: Array, items: Array, support: Array, pairs: int) -> None:
    try:
        from distributed import Client
    except ImportError:
        print("\nCluster: skipped, dask is not installed (rpw[cluster])")
        return
    rows = items[: pairs // len(queries)]
    threads, matrix = timed(rpw.pairwise, queries, rows, support=support, n_threads=2)
    port = 18786
    command = [
        sys.executable,
        "-m",
        "distributed.cli.dask_scheduler",
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
        "--no-dashboard",
    ]
    worker = [
        sys.executable,
        "-m",
        "distributed.cli.dask_worker",
        f"tcp://127.0.0.1:{port}",
        "--nthreads",
        "1",
        "--no-dashboard",
    ]
    processes = [subprocess.Popen(c, stderr=subprocess.DEVNULL) for c in (command, worker, worker)]
    try:
        with Client(f"tcp://127.0.0.1:{port}", timeout=60) as client:
            client.wait_for_workers(2, timeout=60)
            seconds, other = timed(rpw.pairwise, queries, rows, support=support, client=client)
    finally:
        for process in reversed(processes):
            process.terminate()
            process.wait()
    same = "the same matrix" if np.array_equal(matrix, other) else "ANOTHER matrix"
    print(
        f"\nCluster of two workers, {matrix.size} pairs: {seconds:.1f} s, two threads {threads:.1f} s: "
        f"{seconds / threads:.2f} times, {same}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer pictures, no cluster")
    parser.add_argument("--queries", type=int)
    parser.add_argument("--labelled", type=int)
    parser.add_argument("--wasserstein", metavar="PYTHON", help="an interpreter that has the package wasserstein")
    options = parser.parse_args()
    n_queries, n_labelled = (
        options.queries or (20 if options.quick else 50),
        options.labelled or (400 if options.quick else 2000),
    )
    images, name = noisy_pictures(n_queries + n_labelled, seed=0)
    height, width = images.shape[1:]
    queries, items, support = histograms(images[:n_queries]), histograms(images[n_queries:]), pixel_grid(height, width)
    print(f"{name}, noise on one pixel of each picture, zero pixels dropped")
    brute, matrix = rate_table(queries, items, support)
    full_mass_table(queries[: n_queries // 5], items, support, options.wasserstein)
    search_table("noise", queries, items, brute, matrix, support=support)
    moved = histograms(pictures.move_up(images[n_queries:]))
    brute, matrix = timed(rpw.pairwise, queries, moved, support=support, n_threads=2)
    search_table("noise and shift", queries, moved, brute, matrix, support=support)
    if os.environ.get("RPW_DATA"):
        colour_search(2, n_labelled)
    if not options.quick:
        cluster_table(queries, items, support, 20_000)


if __name__ == "__main__":
    main()
