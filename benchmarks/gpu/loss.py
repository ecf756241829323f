"""Losses of tensors on one GPU: are they those of the CPU, do they stay on the GPU, and how long do they take?

    PYTHONPATH=SITE python3 loss.py [--pairs 1000 10000] [--points 100]

Needs torch with CUDA beside rpw. Each row of the first table is the largest difference from the CPU: of the values, and
of the gradients in units of their largest entry. The second table has the least of some runs by the clock, value and
gradient together, beside the CPU with all of its cores and, where POT is installed, beside a loop of it on the CPU.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable

import numpy as np
import torch

import rpw.torch
from rpw.many.backends.cuda import driver
from rpw.many.gradients import functions

SAMPLED_PAIRS = 200  # of POT's loop
VALUES, GRADIENTS = 1e-11, 1e-8  # that may differ


def drawn(rng, pairs: int, n: int, m: int, dimension: int = 2) -> list[torch.Tensor]:
    """x, y, a and b, on the CPU."""
    shapes = ((pairs, n, dimension), (pairs, m, dimension), (pairs, n), (pairs, m))
    return [torch.tensor(rng.random(shape) + 0.1) for shape in shapes]


def differences(function: Callable, given: list[torch.Tensor]) -> tuple[float, float]:
    """Of the values and of the gradients, between the GPU and the CPU."""
    found = []
    for device in ("cuda", "cpu"):
        there = [each.detach().to(device).requires_grad_() for each in given]
        value = function(*there)
        gradients = torch.autograd.grad(value.sum(), there)
        assert {each.device.type for each in (value, *gradients)} == {device}, "a loss or a gradient moved away"
        found.append((value.detach().cpu(), [each.cpu() for each in gradients]))
    (value, gradients), (expected, others) = found
    errors = [
        float((g - o).abs().max() / o.abs().max().clamp(min=1e-300)) for g, o in zip(gradients, others, strict=True)
    ]
    return float((value - expected).abs().max()), max(errors)


def check(name: str, function: Callable, given: list[torch.Tensor], bad: list[str]) -> None:
    value, gradient = differences(function, given)
    is_good = value <= VALUES and gradient <= GRADIENTS
    if not is_good:
        bad.append(name)
    print(f"{name:44}{value:10.1e}{gradient:10.1e}  {'' if is_good else 'TOO FAR'}", flush=True)


def compare(bad: list[str]) -> None:
    """Values and gradients of the GPU beside those of the CPU."""
    rng = np.random.default_rng(0)
    print(f"{'':44}{'values':>10}{'gradients':>10}")
    for p in (1, 1.5, 2, 3):
        for k in (0.1, 1.0, 10.0):
            loss = lambda x, y, a, b, p=p, k=k: rpw.torch.distance(x, y, a, b, p=p, k=k, diameter=1)  # noqa: E731
            check(f"RPW p={p} k={k:g}, 50 pairs of 40 and 60", loss, drawn(rng, 50, 40, 60), bad)
        for mass in (1.0, 0.8):
            loss = lambda x, y, a, b, p=p, mass=mass: rpw.torch.wasserstein(x, y, a, b, p=p, mass=mass)  # noqa: E731
            check(f"W p={p} mass={mass:g}, 50 pairs of 40 and 60", loss, drawn(rng, 50, 40, 60), bad)
    x, y, a, b = drawn(rng, 30, 40, 60)
    check(
        "RPW of costs", lambda c, a, b: rpw.torch.distance(cost=c, a=a, b=b, diameter=1), [torch.cdist(x, y), a, b], bad
    )
    check("RPW, a k for each pair", lambda x, k: rpw.torch.distance(x, y.to(x.device), k=k, diameter=1),
          [x, torch.tensor(rng.random(30) + 0.1)], bad)  # fmt: skip
    a[::3, ::5] = 0
    check("RPW, weights of 0", lambda x, y, a, b: rpw.torch.distance(x, y, a, b, diameter=1), [x, y, a, b], bad)
    for n, dimension in ((500, 3), (1500, 2), (5000, 2)):
        given = drawn(rng, 2, n, n + 10, dimension)
        check(
            f"RPW, 2 pairs of {n} in {dimension} dimensions", lambda *g: rpw.torch.distance(*g, diameter=1), given, bad
        )


def tried(name: str, trial: Callable[[], object], bad: list[str]) -> None:
    try:
        trial()
        print(f"{name:44}passes", flush=True)
    except Exception as error:
        bad.append(name)
        print(f"{name:44}FAILED: {type(error).__name__}: {str(error)[:300]}", flush=True)


def try_torch(bad: list[str]) -> None:
    """Everything that torch does to functions."""
    x, y, a, b = (each.cuda().requires_grad_() for each in drawn(np.random.default_rng(1), 4, 10, 12))
    k = torch.full((4,), 1.0, dtype=torch.float64, device="cuda")
    arguments = (x, y, a, b, k, "rpw", "euclidean", 2.0, 1.0, None, [], [], 1)

    def loss(x, y):
        return rpw.torch.distance(x, y, diameter=1).mean()

    def compiled(**options):
        (found,) = torch.autograd.grad(torch.compile(loss, fullgraph=True, **options)(x, y), x)
        torch.testing.assert_close(found, torch.autograd.grad(loss(x, y), x)[0], rtol=0, atol=1e-12)

    def mapped():
        each = torch.func.vmap(torch.func.grad(loss))(x, y)
        torch.testing.assert_close(each / 4, torch.autograd.grad(loss(x, y), x)[0], rtol=0, atol=1e-12)

    tried("opcheck", lambda: torch.library.opcheck(torch.ops.rpw.distances, arguments), bad)
    tried("compile, aot_eager", lambda: compiled(backend="aot_eager"), bad)
    tried("compile, inductor", compiled, bad)
    tried("compile, inductor with graphs of CUDA", lambda: compiled(mode="reduce-overhead"), bad)
    tried("compile, shapes that change", lambda: compiled(dynamic=True), bad)
    tried("vmap of grad", mapped, bad)


def stays(bad: list[str]) -> None:
    """No tensor comes to the host, but for the sizes of the measures, k, and bounds."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a tensor came to the host")

    def trial() -> None:
        x, y, a, b = (each.cuda().requires_grad_() for each in drawn(np.random.default_rng(2), 100, 100, 100))
        kept = functions.solve_by_core, driver.Memory.read
        functions.solve_by_core, driver.Memory.read = refuse, refuse
        try:
            rpw.torch.distance(x, y, a, b, diameter=1).sum().backward()
        finally:
            functions.solve_by_core, driver.Memory.read = kept
        assert x.grad.is_cuda

    tried("points, plans and gradients stay on the GPU", trial, bad)


def least(call: Callable[[], object], runs: int) -> float:
    """Milliseconds by the clock."""
    times = []
    for _ in range(runs):
        torch.cuda.synchronize()
        start = time.perf_counter()
        call()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    return 1e3 * min(times)


def step(loss: Callable, x: torch.Tensor, *others: torch.Tensor) -> object:
    return torch.autograd.grad(loss(x, *others).sum(), x)


def pot_loop(x: torch.Tensor, y: torch.Tensor) -> float | None:
    try:
        import ot
    except ImportError:
        return None
    uniform = torch.full((x.shape[1],), 1 / x.shape[1], dtype=torch.float64)
    some = x.detach().cpu().requires_grad_()

    def loop() -> object:
        pairs = range(min(SAMPLED_PAIRS, len(x)))
        return torch.autograd.grad(sum(ot.emd2(uniform, uniform, ot.dist(some[s], y.cpu()[s])) for s in pairs), some)

    return least(loop, 1) * len(x) / min(SAMPLED_PAIRS, len(x))


def time_it(pairs: int, points: int, runs: int) -> None:
    rng = np.random.default_rng(3)
    x, y, a, b = drawn(rng, pairs, points, points)
    on_gpu = [each.cuda() for each in (x, y, a, b)]
    there, here = on_gpu[0].requires_grad_(), x.requires_grad_()
    print(f"\n{pairs} pairs of {points} points with gradients, ms by the clock ({os.cpu_count()} cores)")
    print(f"{'':34}{'GPU':>10}{'CPU':>10}{'CPU / GPU':>11}{'value alone, GPU':>18}")
    losses = {
        "RPW, k = 1": lambda x, y, *_: rpw.torch.distance(x, y, diameter=1.0),
        "RPW, k = 0.1": lambda x, y, *_: rpw.torch.distance(x, y, k=0.1, diameter=1.0),
        "RPW, k = 1, weights": lambda *given: rpw.torch.distance(*given, diameter=1.0),
        "W_2": lambda x, y, *_: rpw.torch.wasserstein(x, y),
    }
    for name, loss in losses.items():
        step(loss, there, *on_gpu[1:])  # compiles the kernels
        gpu = least(lambda loss=loss: step(loss, there, *on_gpu[1:]), runs)
        with torch.no_grad():
            alone = least(lambda loss=loss: loss(*on_gpu), runs)
        cpu = least(lambda loss=loss: step(loss, here, y, a, b), max(1, runs // 3))
        print(f"{name:34}{gpu:10.1f}{cpu:10.1f}{cpu / gpu:11.1f}{alone:18.1f}", flush=True)
    theirs = pot_loop(x, y)
    if theirs is not None:
        print(f"{'loop of ot.emd2 on the CPU':34}{'':10}{theirs:10.1f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, nargs="+", default=[1000, 10000])
    parser.add_argument("--points", type=int, default=100)
    parser.add_argument("--runs", type=int, default=6)
    options = parser.parse_args()
    print(f"torch {torch.__version__}, {torch.cuda.get_device_name()}, rpw from {os.path.dirname(rpw.__file__)}")
    bad: list[str] = []
    compare(bad)
    try_torch(bad)
    stays(bad)
    for pairs in options.pairs:
        time_it(pairs, options.points, options.runs)
    if bad:
        sys.exit(f"\nFAILED: {', '.join(bad)}")
    print("\nall checks passed")


if __name__ == "__main__":
    main()
