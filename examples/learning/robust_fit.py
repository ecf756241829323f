"""A Gaussian fitted to data of which a tenth are outliers: RPW beside W_2, partial W_2 and unbalanced Sinkhorn.

A restricted family cannot go to the outliers and to the rest, and RPW lets it leave the outliers out. Each loss with a
parameter has it chosen on data sets of its own, by the true error; then all are judged on others.

Run it with ``python examples/learning/robust_fit.py`` where rpw, torch and matplotlib are installed. It takes about a
minute, prints the errors, and writes the picture to ``demo_output/robust_fit.png``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import matplotlib
import numpy as np
import torch

import rpw
import rpw.torch

matplotlib.use("Agg")  # a picture in a file; no display is needed
from matplotlib import pyplot
from matplotlib.axes import Axes

PICTURE = Path(__file__).resolve().parents[2] / "demo_output" / "robust_fit.png"
SIZE, SHARE, STEPS = 200, 0.1, 200
TUNED_ON, JUDGED_ON = (100, 101), (0, 1, 2)
TRUE_MEAN, TRUE_ROOT = np.zeros(2), np.array([[1.0, 0.0], [0.6, 0.5]])  # the covariance is ROOT ROOT'
Loss = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
Fit = tuple[np.ndarray, np.ndarray]


class UnbalancedSinkhorn:
    """The debiased divergence with the cost |x - y|^2 and Kullback–Leibler penalties, as GeomLoss has it with reach.

    The gradient is that of the cost under the plan, which is optimal: so the iterations need no gradient themselves,
    and each step starts from the potentials of the one before.
    """

    def __init__(self, reach: float, blur: float = 0.2, iterations: int = 15) -> None:
        self.unit, self.damping = blur**2, reach**2 / (reach**2 + blur**2)
        self.iterations, self.potentials = iterations, torch.zeros(3, SIZE, dtype=torch.float64)

    def __call__(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        cost, own = torch.cdist(x, y) ** 2, torch.cdist(x, x.detach()) ** 2
        with torch.no_grad():
            f, g, h = self.potentials
            for _ in range(self.iterations):
                g = self._answer(f, cost.T)
                f = self._answer(g, cost)
                h = (h + self._answer(h, own)) / 2
            self.potentials = torch.stack([f, g, h])
        return (self._plan(f, g, cost) * cost).sum() - (self._plan(h, h, own) * own).sum()

    def _answer(self, potential: torch.Tensor, cost: torch.Tensor) -> torch.Tensor:
        exponents = (potential - cost) / self.unit - math.log(len(potential))
        return -self.damping * self.unit * exponents.logsumexp(1)

    def _plan(self, f: torch.Tensor, g: torch.Tensor, cost: torch.Tensor) -> torch.Tensor:
        return torch.exp((f[:, None] + g - cost.detach()) / self.unit) / (len(f) * len(g))


def rpw_loss(k: float) -> Loss:
    """In units of the diameter of nine tenths of the data."""
    return lambda x, y: rpw.torch.distance(x, y, k=k, diameter=float(rpw.diameter(y.numpy(), quantile=0.9)))


# For each loss, its parameters to choose from.
LOSSES: dict[str, tuple[Callable[[float], Loss], tuple[float, ...]]] = {
    "W_2": (lambda _: lambda x, y: rpw.torch.wasserstein(x, y) ** 2, (0.0,)),
    "RPW": (rpw_loss, (0.1, 0.2, 0.5)),
    "partial W_2": (lambda mass: lambda x, y: rpw.torch.wasserstein(x, y, mass=mass) ** 2, (0.8, 0.85, 0.9, 0.95)),
    "unbalanced Sinkhorn": (UnbalancedSinkhorn, (0.5, 1.0, 2.0)),
}


def data(seed: int) -> torch.Tensor:
    """Samples of the Gaussian, the first tenth replaced by a cluster elsewhere."""
    rng = np.random.default_rng(seed)
    points = TRUE_MEAN + rng.normal(size=(SIZE, 2)) @ TRUE_ROOT.T
    count = round(SHARE * SIZE)
    points[:count] = np.array([5.0, -4.0]) + rng.normal(0, 0.5, (count, 2))
    return torch.tensor(points)


def standard_points() -> torch.Tensor:
    """Evenly spread points that stand for the Gaussian with mean 0 and covariance 1: a spiral of golden angles."""
    number = torch.arange(SIZE, dtype=torch.float64)
    radius = torch.sqrt(-2 * torch.log(1 - (number + 0.5) / SIZE))
    angle = number * math.pi * (3 - math.sqrt(5))
    return torch.stack([radius * angle.cos(), radius * angle.sin()], dim=1)


def fit(loss: Loss, y: torch.Tensor) -> Fit:
    """The mean and the root of the covariance, from those of all data on."""
    z = standard_points()
    mean = y.mean(dim=0).requires_grad_()
    root = torch.linalg.cholesky(torch.cov(y.T)).requires_grad_()
    optimiser = torch.optim.Adam([mean, root], lr=0.05)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, STEPS)
    for _ in range(STEPS):
        optimiser.zero_grad()
        loss(mean + z @ root.tril().T, y).backward()
        optimiser.step()
        schedule.step()
    return mean.detach().numpy(), root.tril().detach().numpy()


def error(found: Fit) -> float:
    """W_2 between the fitted and the true Gaussian: their means, and the roots of their covariances."""
    mean, root = found
    lengths = np.linalg.svd(TRUE_ROOT.T @ root, compute_uv=False).sum()
    spread = (TRUE_ROOT**2).sum() + (root**2).sum() - 2 * lengths
    return math.sqrt(((mean - TRUE_MEAN) ** 2).sum() + max(0.0, spread))


def draw_ellipse(axis: Axes, found: Fit, **style: object) -> None:
    angle = np.linspace(0, 2 * np.pi, 100)
    axis.plot(*(found[0][:, None] + 2 * found[1] @ np.array([np.cos(angle), np.sin(angle)])), **style)


def main() -> None:
    torch.set_num_threads(1)  # the tensors are small
    _, (left, right) = pyplot.subplots(1, 2, figsize=(12, 5), layout="constrained")
    left.scatter(*data(JUDGED_ON[0]).T, s=8, color="0.7", label="data")
    draw_ellipse(left, (TRUE_MEAN, TRUE_ROOT), color="black", linestyle="--", label="the truth")
    means = {}
    print(f"{'loss':22}{'parameter':>10}{'error':>8}   on each data set")
    for name, (make, choices) in LOSSES.items():
        tried = {choice: sum(error(fit(make(choice), data(s))) for s in TUNED_ON) for choice in choices[1:] and choices}
        best = min(tried, key=tried.__getitem__, default=choices[0])
        fits = [fit(make(best), data(seed)) for seed in JUDGED_ON]
        errors = [error(found) for found in fits]
        means[name] = sum(errors) / len(errors)
        print(f"{name:22}{best:10g}{means[name]:8.3f}   {np.round(errors, 3)}", flush=True)
        draw_ellipse(left, fits[0], label=name)
    left.set(title="where two standard deviations end", aspect="equal")
    left.legend(loc="lower left")
    right.bar(list(means), list(means.values()))
    right.set(title=f"error of the parameters, mean of {len(JUDGED_ON)} data sets")
    PICTURE.parent.mkdir(exist_ok=True)
    pyplot.savefig(PICTURE, dpi=120)
    print(f"picture: {PICTURE}")


if __name__ == "__main__":
    main()
