"""Gradients: what they cost beside the value alone, and a batch of them beside a loop of POT.

Run it with ``make bench-gradient`` (it needs torch). Times are the least of some runs. Processor time counts all
threads, and does not depend on what else the machine does; the clock shows what two threads are good for.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
import torch

import rpw
import rpw.torch

SAMPLED_PAIRS = 200  # of POT's loop: its rate does not need all pairs


def least(call: Callable[[], object], runs: int) -> tuple[float, float]:
    """Milliseconds of the processor, and by the clock."""
    both = []
    for _ in range(runs):
        start = time.process_time(), time.perf_counter()
        call()
        both.append((time.process_time() - start[0], time.perf_counter() - start[1]))
    cpu, clock = zip(*both, strict=True)
    return 1e3 * min(cpu), 1e3 * min(clock)


def one_pair(n: int, runs: int) -> None:
    """The value and the gradient of n points against n, beside the value alone."""
    print(f"\nn = m = {n}, p = 2, ms of the processor")
    print(f"{'':24}{'rpw.distance':>14}{'torch: value':>14}{'and gradient':>14}{'ratio':>8}{'to rpw.distance':>17}")
    rng = np.random.default_rng(0)
    for dimension in (2, 16):
        x, y = rng.random((n, dimension)), rng.random((n, dimension))
        a, b = rng.random(n) + 0.1, rng.random(n) + 0.1
        for weights in ((None, None), (a, b)):
            tensors = [None if each is None else torch.tensor(each) for each in (x, y, *weights)]
            inputs = [each.requires_grad_() for each in (tensors[0], *tensors[2:]) if each is not None]
            for k in (0.1, 1.0, 10.0):

                def value(k: float = k, tensors: list = tensors) -> torch.Tensor:
                    return rpw.torch.distance(*tensors, k=k, diameter=1.0)

                def plain(k: float = k, weights: tuple = weights, x: np.ndarray = x, y: np.ndarray = y) -> float:
                    return rpw.distance(x, y, *weights, k=k, diameter=1.0)

                def both(value: Callable = value, inputs: list = inputs) -> object:
                    return torch.autograd.grad(value(), inputs)

                def alone(value: Callable = value) -> torch.Tensor:
                    with torch.no_grad():
                        return value()

                times = [least(call, runs)[0] for call in (plain, alone, both)]
                name = f"d={dimension} k={k:g} {'weights' if weights[0] is not None else 'equal weights'}"
                ratios = times[2] / times[1], times[2] / times[0]
                print(f"{name:24}" + "".join(f"{t:14.1f}" for t in times) + f"{ratios[0]:8.2f}{ratios[1]:17.2f}")


def many_pairs(count: int, n: int, runs: int) -> None:
    """A batch with gradients in all points, beside a loop of `ot.emd2` on tensors, which is POT's way to them."""
    import ot

    rng = np.random.default_rng(1)
    x, y = torch.tensor(rng.random((count, n, 2))).requires_grad_(), torch.tensor(rng.random((count, n, 2)))
    uniform = torch.full((n,), 1 / n, dtype=torch.float64)

    def loop() -> object:
        loss = sum(ot.emd2(uniform, uniform, ot.dist(x[s], y[s])) for s in range(SAMPLED_PAIRS))
        return torch.autograd.grad(loss, x)

    theirs = [t * count / SAMPLED_PAIRS for t in least(loop, 2)]
    print(f"\n{count} pairs of {n} points with gradients, ms (processor, clock; times as fast by the clock)")
    print(f"{'loop of ot.emd2':24}{theirs[0]:10.0f}{theirs[1]:10.0f}")
    for name, loss in (("RPW, k = 1", rpw.torch.RPWLoss(diameter=1.0, n_threads=2)), ("W_2", None)):

        def ours(loss: Callable | None = loss) -> object:
            found = loss(x, y) if loss else rpw.torch.wasserstein(x, y, n_threads=2).mean()
            return torch.autograd.grad(found, x)

        cpu, clock = least(ours, runs)
        print(f"{name + ', two threads':24}{cpu:10.0f}{clock:10.0f}{theirs[1] / clock:10.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=9)
    options = parser.parse_args()
    torch.set_num_threads(1)  # its tensors are small here; idle threads of its own would count as work
    one_pair(1000, options.runs)
    many_pairs(1000, 100, max(2, options.runs // 3))


if __name__ == "__main__":
    main()
