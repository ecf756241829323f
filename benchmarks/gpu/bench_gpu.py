"""What one GPU does with data that lie on it, beside the CPU and beside its peers.

    python benchmarks/gpu/bench_gpu.py --data FOLDER --peers FOLDER   (--only digits,photos,... for some; see CASES)

FOLDER of the data has mnist.npz and cifar10.npz (`images` in each); that of the peers holds what is importable of
`torch_linear_assignment` (PyPI, pure Python) and, as cot_transport.py, the file cot/transport.py of PyCoOT. Whatever is
missing is said and left out. Inputs are tensors of torch on the GPU, and so are results: times are of the whole call.

Where the time goes, a profiler tells: `ncu --clock-control none --kernel-name walk --page raw --section SpeedOfLight
--section WarpStateStats --section SchedulerStats python benchmarks/gpu/bench_gpu.py --data FOLDER --only profile`.

The CPU's time is that of a sample on two threads, times the number of pairs; the error is the largest difference from
the CPU on all pairs that were compared (``--compare 0``: all of them, on all cores).
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import time
from pathlib import Path

import numpy as np
import torch

import rpw
from rpw.many.backends.cuda.pairs import solve_pairs
from rpw.many.backends.cuda.terms import Measures, Question
from rpw.pair.atoms import as_masses

QUESTIONS = (
    ("(2,0.1)-RPW", {"k": 0.1}),
    ("(2,1)-RPW", {"k": 1}),
    ("(2,10)-RPW", {"k": 10}),
    ("W2", {"distance": "wasserstein"}),
)


def clock(work, repeats=1):
    """The result, and the seconds of the fastest of some calls."""
    times = []
    for _ in range(repeats):
        torch.cuda.synchronize()
        started = time.perf_counter()
        found = work()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - started)
    return found, min(times)


def on_gpu(array):
    return torch.as_tensor(array, device="cuda")


def digits(folder, count):
    """Histograms on the 28 x 28 grid, and that grid, in a square of diagonal 1."""
    pictures = np.load(folder / "mnist.npz")["images"][:count]
    grid = np.stack(np.mgrid[:28, :28], axis=-1).reshape(-1, 2) / (27 * np.sqrt(2))
    return pictures.reshape(len(pictures), -1) / 255.0, grid


def photos(folder, count):
    """1,024 points in five dimensions for each photograph."""
    row, column = (side.ravel() / 31 for side in np.mgrid[:32, :32])
    pictures = np.load(folder / "cifar10.npz")["images"][:count] / 255.0
    return np.stack([np.column_stack([row, column, p.reshape(-1, 3)]) / np.sqrt(5) for p in pictures])


def matrices(name, a, b, compare, sample, **shared):
    """One row of the table for each question: first call, then, two threads of the CPU, the error."""
    print(f"| | first call | then | CPU, two threads | CPU, {os.cpu_count()} threads | largest difference |")
    given = on_gpu(a), on_gpu(b), {key: on_gpu(value) for key, value in shared.items()}
    pairs = len(a) * len(b)
    for label, question in QUESTIONS:
        call = lambda: rpw.pairwise(*given[:2], device="cuda", diameter=1, **given[2], **question)  # noqa: B023, E731
        first, cold = clock(call)
        again, warm = clock(call, 3 if cold < 3 else 1)
        assert isinstance(first, torch.Tensor)
        assert first.is_cuda
        assert torch.equal(first, again), "repeats differ"
        rows = min(sample, len(a))
        _, on_two = clock(lambda: rpw.pairwise(a[:rows], b[:rows], n_threads=2, diameter=1, **shared, **question))  # noqa: B023
        few = len(a) if compare == 0 else min(compare, len(a))
        expected, on_all = clock(lambda: rpw.pairwise(a[:few], b, diameter=1, **shared, **question))  # noqa: B023
        error = np.abs(first[:few].cpu().numpy() - expected).max()
        print(
            f"| {pairs:,} {name} pairs, {label} | {cold:.2f} s | {warm:.3f} s | {on_two / rows**2 * pairs:.0f} s "
            f"| {on_all / few / len(b) * pairs:.1f} s | {error:.1e} on {few * len(b):,} |",
            flush=True,
        )
        assert error <= 1e-12


def show_digits(options):
    pictures, grid = digits(options.data, 650)
    matrices("MNIST", pictures[:400], pictures[400:650], options.compare or 0, 12, support=grid)


def show_photos(options):
    clouds = photos(options.data, 200)
    matrices("CIFAR-10", clouds[:100], clouds[100:], options.compare and 1, 3)


def show_uniform(options):
    """4,096 balanced pairs of 300 points of equal mass: an assignment, which peers solve in float32 or float64."""
    rng = np.random.default_rng(0)
    a, b = rng.random((2, 64, 300, 2))
    x, y = on_gpu(a), on_gpu(b)
    call = lambda: rpw.pairwise(x, y, distance="wasserstein", device="cuda")  # noqa: E731
    _, cold = clock(call)
    ours, warm = clock(call, 5)
    expected, cpu = clock(lambda: rpw.pairwise(a[:4], b, distance="wasserstein", n_threads=2))
    error = np.abs(ours[:4].cpu().numpy() - expected).max()
    print(
        f"rpw, float64: first {cold:.3f} s, then {warm:.4f} s, CPU on two threads {16 * cpu:.1f} s, error {error:.1e}"
    )
    cost = torch.cdist(x[:, None], y[None], compute_mode="donot_use_mm_for_euclid_dist").square().flatten(0, 1)
    beside_assignment(cost, ours.reshape(-1))
    beside_sinkhorn("300 points", cost, None, None, ours.reshape(-1))


def beside_assignment(cost, ours):
    try:
        peer = importlib.import_module("torch_linear_assignment")
    except ImportError as error:
        print(f"torch-linear-assignment: not here ({error})")
        return
    for dtype in (torch.float32, torch.float64):
        typed = cost.to(dtype)
        try:
            _, cold = clock(lambda: peer.batch_linear_assignment(typed))  # noqa: B023
            columns, warm = clock(lambda: peer.batch_linear_assignment(typed), 5)  # noqa: B023
        except Exception as error:
            print(f"torch-linear-assignment, {dtype}: {type(error).__name__}: {str(error)[:200]}")
            continue
        value = cost.gather(2, columns[..., None])[..., 0].mean(dim=1).sqrt()
        error = (value - ours).abs().max().item()
        print(f"torch-linear-assignment, {dtype}: first {cold:.3f} s, then {warm:.4f} s, error {error:.1e}", flush=True)


def sinkhorn(cost, log_a, log_b, strength, steps):
    """The cost of its plan, as W2, by batched Sinkhorn in the log domain; and the mass that the plan misplaces."""
    f, g = torch.zeros_like(log_a), torch.zeros_like(log_b)
    scaled = -cost / strength
    for _ in range(steps):
        f = -torch.logsumexp(scaled + (g + log_b)[:, None, :], dim=2)
        g = -torch.logsumexp(scaled + (f + log_a)[:, :, None], dim=1)
    plan = (scaled + (f + log_a)[:, :, None] + (g + log_b)[:, None, :]).exp()
    left = (plan.sum(dim=2) - log_a.exp()).abs().sum(dim=1)
    return (plan * cost).sum(dim=(1, 2)).clamp_min(0).sqrt(), left


def beside_sinkhorn(name, cost, log_a, log_b, exact, at_once=256):
    """Its time for all pairs, its error, and the mass that its plan misplaces."""
    pairs, rows, columns = len(exact), *cost.shape[1:]
    log_a = torch.full((pairs, rows), -np.log(rows), device="cuda") if log_a is None else log_a
    log_b = torch.full((pairs, columns), -np.log(columns), device="cuda") if log_b is None else log_b
    for strength, steps in ((1e-2, 100), (1e-3, 1000)):

        def call(strength=strength, steps=steps):
            found = []
            for begin in range(0, pairs, at_once):
                part = slice(begin, begin + at_once)
                costs = (cost if len(cost) == 1 else cost[part]).float()
                found.append(sinkhorn(costs, log_a[part].float(), log_b[part].float(), strength, steps))
            return [torch.cat(column) for column in zip(*found, strict=True)]

        (values, left), seconds = clock(call)
        error = (values.double() - exact).abs()
        print(
            f"Sinkhorn, {name}, strength {strength:g}, {steps} steps, float32: {pairs:,} pairs {seconds:.2f} s, error "
            f"mean {error.mean():.1e} max {error.max():.1e}, mass in the wrong place up to {left.max():.1e}",
            flush=True,
        )


def show_peers(options):
    """Sinkhorn on digits, and the authors' transport of one pair."""
    pictures, grid = digits(options.data, 48)
    x, y, support = on_gpu(pictures[:16]), on_gpu(pictures[16:]), on_gpu(grid)
    exact, seconds = clock(lambda: rpw.pairwise(x, y, support=support, device="cuda", distance="wasserstein"), 3)
    print(f"rpw, MNIST, W2: {exact.numel()} pairs {seconds:.4f} s")
    cost = torch.cdist(support, support, compute_mode="donot_use_mm_for_euclid_dist").square()[None]
    logs = [(h / h.sum(dim=1, keepdim=True)).log().clamp_min(-1e4) for h in (x, y)]
    log_a, log_b = logs[0].repeat_interleave(len(y), 0), logs[1].repeat(len(x), 1)
    beside_sinkhorn("MNIST on all 784 pixels", cost, log_a, log_b, exact.reshape(-1), 64)
    beside_transport_torch(pictures, grid, exact[0, 0].item())


def beside_transport_torch(pictures, grid, exact):
    try:
        peer = importlib.import_module("cot_transport")
    except ImportError as error:
        print(f"transport_torch: not here ({error})")
        return
    a, b = (pictures[s] / pictures[s].sum() for s in (0, 16))
    x, y = grid[a > 0], grid[b > 0]
    cost = np.linalg.norm(y[:, None] - x[None], axis=2) ** 2  # its matrix is (second, first)
    for accuracy in (1e-1, 1e-2):
        given = [torch.tensor(v, device="cuda") for v in (a[a > 0], b[b > 0], cost)]
        try:
            found, seconds = clock(lambda: peer.transport_torch(*given, accuracy, torch.device("cuda")))  # noqa: B023
        except Exception as error:
            print(f"transport_torch, {accuracy:g}: {type(error).__name__}: {str(error)[:200]}")
            continue
        plan = found[0] if isinstance(found, tuple) else found
        value = (plan.double() * given[2]).sum().clamp_min(0).sqrt().item()
        print(
            f"transport_torch, one MNIST pair ({len(x)} x {len(y)}), accuracy {accuracy:g} of the cost: "
            f"{seconds:.2f} s, W2 {value:.5f}, exact {exact:.5f}",
            flush=True,
        )


def show_large(options):
    """One pair on the whole GPU, a tenth of one side in a far corner; no array of n x m anywhere."""
    for size, tol in ((5000, 0.0), (20000, 0.001), (20000, 0.0)):
        rng = np.random.default_rng(0)
        x, y = rng.random((2, size, 2))
        y[: size // 10] = [3, 3] + 0.1 * rng.random((size // 10, 2))
        points, mass = on_gpu(np.concatenate([x, y]) / 4.5), as_masses(np.full(2 * size, 1 / size))
        measures = Measures(np.array([0, size, 2 * size]), mass, points)
        pair, started = (np.array([0]), np.array([1])), time.perf_counter()

        def give_up(done, started=started):
            if time.perf_counter() - started > options.patience:
                raise TimeoutError

        try:
            answers, seconds = clock(
                lambda: solve_pairs(measures, measures, Question(kappa=1 / 4.5, tol=tol), *pair, progress=give_up)  # noqa: B023
            )
        except TimeoutError:
            print(f"one pair of {size:,}, tol {tol:g}: given up after {options.patience} s")
            continue
        low, high = answers.lower[0], answers.upper[0]
        print(f"one pair of {size:,}, tol {tol:g}: {seconds:.2f} s, within [{low:.9f}, {high:.9f}]", flush=True)


def show_search(options):
    """Nearest digits: how many pairs bounds leave to be solved, and the time beside brute force and the CPU."""
    pictures, grid = digits(options.data, 2032)
    items, queries, support = pictures[32:], pictures[:32], on_gpu(grid)
    for k in (0.1, 1, 10):
        index = rpw.Index(on_gpu(items), support=support, k=k, diameter=1, device="cuda")
        index.query(on_gpu(queries[:2]))
        index.stats = rpw.index.SearchStats()
        (distances, found), seconds = clock(lambda: index.query(on_gpu(queries)))  # noqa: B023
        brute, by_brute = clock(
            lambda: rpw.pairwise(on_gpu(queries), on_gpu(items), support=support, k=k, diameter=1, device="cuda")  # noqa: B023
        )
        right = torch.sort(brute, dim=1, stable=True)
        same = torch.equal(right.indices[:, :10], found) and torch.equal(right.values[:, :10], distances)
        here = rpw.Index(items, support=grid, k=k, diameter=1)
        _, cpu = clock(lambda: here.query(queries[:8], n_threads=2))  # noqa: B023
        print(
            f"search, k = {k:g}: {len(queries)} queries of {len(items):,} digits {seconds:.3f} s (brute force "
            f"{by_brute:.3f} s, CPU on two threads {4 * cpu:.2f} s), solved {index.stats.solved:,} of "
            f"{index.stats.pairs:,}, as brute force: {same}",
            flush=True,
        )


def show_plans(options):
    """Results with plans for aligned pairs, and several k from one walk."""
    pictures, grid = digits(options.data, 200)
    support = on_gpu(grid)
    first, second = np.repeat(pictures[:100], 100, axis=0), np.tile(pictures[100:], (100, 1))
    call = lambda: rpw.solve_pairs(first, second, support=grid, diameter=1, device="cuda")  # noqa: E731
    clock(call)
    results, seconds = clock(call)
    few = slice(0, 200)
    here, cpu = clock(lambda: rpw.solve_pairs(first[few], second[few], support=grid, diameter=1, n_threads=2))
    error = max(abs(one.distance - other.distance) for one, other in zip(results, here, strict=False))
    print(
        f"solve_pairs, {len(results):,} plans: {seconds:.2f} s, CPU on two threads {50 * cpu:.0f} s, error {error:.1e}"
    )
    given = on_gpu(pictures[:100]), on_gpu(pictures[100:])
    times = []
    for k in ([0.1, 1, 10], 10):
        call = lambda: rpw.pairwise(*given, support=support, k=k, diameter=1, device="cuda")  # noqa: B023, E731
        clock(call)
        times.append(clock(call, 3)[1])
    print(f"10,000 pairs, k = 0.1, 1 and 10 together {times[0]:.3f} s, k = 10 alone {times[1]:.3f} s", flush=True)


def show_profile(options):
    """Short runs for a profiler, one kernel at a time."""
    pictures, grid = digits(options.data, 1000)
    ink = (pictures > 0).sum(axis=1)
    usual = on_gpu(pictures[np.argsort(np.abs(ink - np.median(ink)), kind="stable")[:120]])  # so that few launches do
    rpw.pairwise(usual[:60], usual[60:], support=on_gpu(grid), diameter=1, device="cuda")
    colours = on_gpu(photos(options.data, 60))
    rpw.pairwise(colours[:30], colours[30:], diameter=1, device="cuda")


CASES = {
    "digits": show_digits,
    "photos": show_photos,
    "uniform": show_uniform,
    "large": show_large,
    "plans": show_plans,
    "search": show_search,
    "peers": show_peers,
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--peers", type=Path)
    parser.add_argument("--only", default=",".join(CASES))
    parser.add_argument("--compare", type=int, default=40, help="rows of MNIST's matrix to compare; 0: all, everywhere")
    parser.add_argument("--patience", type=float, default=30, help="seconds for one large pair")
    options = parser.parse_args()
    if options.peers:
        sys.path.insert(0, str(options.peers))
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, {os.cpu_count()} cores")
    for name in options.only.split(","):
        (CASES | {"profile": show_profile})[name](options)


if __name__ == "__main__":
    main()
