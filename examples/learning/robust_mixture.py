"""A mixture of three Gaussians fitted to data of which a tenth are outliers, by RPW and by three other losses.

The mixture is a weighted measure: its means, its scales and the weights of its components move along the gradient. Each
loss with a parameter has it chosen on data sets of its own, by the true error; then all are judged on others. All start
from the same places, a few for each data set, of which the one with the least loss counts.

Run it with ``python examples/learning/robust_mixture.py`` where rpw, torch and matplotlib are installed. It takes about
a minute, prints the errors, and writes the picture to ``demo_output/robust_mixture.png``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import matplotlib
import numpy as np
import torch
from scipy.optimize import linear_sum_assignment

import rpw
import rpw.torch

matplotlib.use("Agg")  # a picture in a file; no display is needed
from matplotlib import pyplot
from matplotlib.axes import Axes

PICTURE = Path(__file__).resolve().parents[2] / "demo_output" / "robust_mixture.png"
SIZE, SHARE, POINTS, STARTS, STEPS = 150, 0.1, 40, 4, 150  # POINTS stand for each component
TUNED_ON, JUDGED_ON = (100, 101), (0, 1, 2, 3, 4)
Loss = Callable[[torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]  # of points, weights and data, batch by batch


class Mixture(NamedTuple):
    """Of round Gaussians."""

    means: np.ndarray  # (3, 2)
    scales: np.ndarray
    weights: np.ndarray


TRUTH = Mixture(np.array([[0.0, 2.0], [-1.7, -1.0], [1.7, -1.0]]), np.array([0.5, 0.4, 0.7]), np.array([0.5, 0.3, 0.2]))


class UnbalancedSinkhorn:
    """The debiased divergence with the cost |x - y|^2 and Kullback–Leibler penalties, as GeomLoss has it with reach.

    At the optimal potentials, the gradient of the dual problem is that of the divergence: so the iterations need no
    gradient themselves, and each step starts from the potentials of the one before.
    """

    def __init__(self, reach: float, blur: float = 0.2, iterations: int = 8) -> None:
        self.reach_p, self.unit, self.iterations = reach**2, blur**2, iterations
        self.damping = self.reach_p / (self.reach_p + self.unit)
        self.potentials: tuple[torch.Tensor, ...] | None = None

    def __call__(self, x: torch.Tensor, a: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        cost, own = torch.cdist(x, y) ** 2, torch.cdist(x, x) ** 2
        b = torch.full(y.shape[:2], 1 / y.shape[1], dtype=y.dtype)
        with torch.no_grad():
            f, g, h = self.potentials or (torch.zeros_like(a), torch.zeros_like(b), torch.zeros_like(a))
            for _ in range(self.iterations):
                g = self._answer(f, a, cost.mT)
                f = self._answer(g, b, cost)
                h = (h + self._answer(h, a, own)) / 2
            self.potentials = f, g, h
        both = self._paid(f, a) + self._paid(g, b) - self.unit * self._moved(f, g, a, b, cost)
        return both - self._paid(h, a) + self.unit / 2 * self._moved(h, h, a, a, own)  # that of the data is constant

    def _answer(self, potential: torch.Tensor, weights: torch.Tensor, cost: torch.Tensor) -> torch.Tensor:
        exponents = (potential / self.unit + weights.log())[:, None, :] - cost / self.unit
        return -self.damping * self.unit * exponents.logsumexp(2)

    def _paid(self, potential: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
        return (weights * self.reach_p * -torch.expm1(-potential / self.reach_p)).sum(1)

    def _moved(
        self, f: torch.Tensor, g: torch.Tensor, a: torch.Tensor, b: torch.Tensor, cost: torch.Tensor
    ) -> torch.Tensor:
        return (a[:, :, None] * b[:, None, :] * torch.exp((f[:, :, None] + g[:, None, :] - cost) / self.unit)).sum(
            (1, 2)
        )


def rpw_loss(k: float) -> Loss:
    """In units of the diameter of nine tenths of the data."""

    def loss(x: torch.Tensor, a: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        unit = torch.tensor([rpw.diameter(each.numpy(), quantile=0.9) for each in y])[:, None, None]
        return rpw.torch.distance(x / unit, y / unit, a, k=k, diameter=1.0)

    return loss


def wasserstein_loss(mass: float) -> Loss:
    return lambda x, a, y: rpw.torch.wasserstein(x, y, a, mass=mass) ** 2


# For each loss, its parameters to choose from.
LOSSES: dict[str, tuple[Callable[[float], Loss], tuple[float, ...]]] = {
    "W_2": (wasserstein_loss, (1.0,)),
    "RPW": (rpw_loss, (0.1, 0.2, 0.5, 1.0)),
    "partial W_2": (wasserstein_loss, (0.8, 0.85, 0.9, 0.95)),
    "unbalanced Sinkhorn": (UnbalancedSinkhorn, (0.5, 1.0, 2.0, 4.0)),
}


def data(seed: int) -> np.ndarray:
    """Samples of the mixture, the first tenth replaced by a cluster elsewhere."""
    rng = np.random.default_rng(seed)
    which = rng.choice(3, SIZE, p=TRUTH.weights)
    points = TRUTH.means[which] + TRUTH.scales[which, None] * rng.normal(size=(SIZE, 2))
    count = round(SHARE * SIZE)
    points[:count] = np.array([6.0, -5.0]) + rng.normal(0, 0.5, (count, 2))
    return points


def standard_points() -> torch.Tensor:
    """Evenly spread points that stand for the Gaussian with mean 0 and covariance 1: a spiral of golden angles."""
    number = torch.arange(POINTS, dtype=torch.float64)
    radius = torch.sqrt(-2 * torch.log(1 - (number + 0.5) / POINTS))
    angle = number * math.pi * (3 - math.sqrt(5))
    return torch.stack([radius * angle.cos(), radius * angle.sin()], dim=1)


def fits(loss: Loss, seeds: tuple[int, ...]) -> list[Mixture]:
    """One for each data set, all at once: the best of some starts, each from three of the data."""
    clouds = [data(seed) for seed in seeds]
    y = torch.tensor(np.repeat(clouds, STARTS, axis=0))
    rng = np.random.default_rng(7)
    means = torch.stack([each[torch.tensor(rng.choice(SIZE, 3, replace=False))] for each in y]).requires_grad_()
    log_scales, logits = (torch.zeros(len(y), 3, dtype=torch.float64, requires_grad=True) for _ in range(2))
    optimiser = torch.optim.Adam([means, log_scales, logits], lr=0.1)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, STEPS)
    for _ in range(STEPS):
        optimiser.zero_grad()
        points = means[:, :, None] + log_scales.exp()[:, :, None, None] * standard_points()
        weights = (logits.softmax(1) / POINTS)[:, :, None].expand(-1, -1, POINTS)
        each = loss(points.flatten(1, 2), weights.flatten(1), y)
        each.sum().backward()
        optimiser.step()
        schedule.step()
    best = [STARTS * s + int(part.argmin()) for s, part in enumerate(each.detach().split(STARTS))]
    found = (part.detach().numpy() for part in (means, log_scales.exp(), logits.softmax(1)))
    return [Mixture(*parts) for parts in zip(*(part[best] for part in found), strict=True)]


def error(found: Mixture) -> float:
    """The root of the mean square over the components, whichever of the fitted ones is taken for which true one."""
    squares = ((TRUTH.means[:, None] - found.means) ** 2).sum(2)
    squares += (TRUTH.scales[:, None] - found.scales) ** 2 + (TRUTH.weights[:, None] - found.weights) ** 2
    return math.sqrt(squares[linear_sum_assignment(squares)].mean())


def draw(axis: Axes, found: Mixture, **style: object) -> None:
    """A circle of two standard deviations for each component, the thicker the more it weighs."""
    angle = np.linspace(0, 2 * np.pi, 100)
    circle = np.array([np.cos(angle), np.sin(angle)])
    for mean, scale, weight in zip(*found, strict=True):
        axis.plot(*(mean[:, None] + 2 * scale * circle), linewidth=0.5 + 4 * weight, **style)
        style.pop("label", None)


def main() -> None:
    torch.set_num_threads(1)  # the tensors are small
    _, axes = pyplot.subplots(1, 5, figsize=(20, 4.5), layout="constrained")
    means = {}
    print(f"{'loss':22}{'parameter':>10}{'error':>8}   on each data set")
    for axis, (name, (make, choices)) in zip(axes, LOSSES.items(), strict=False):
        tried = {c: sum(map(error, fits(make(c), TUNED_ON))) for c in choices} if len(choices) > 1 else {choices[0]: 0}
        best = min(tried, key=tried.__getitem__)
        found = fits(make(best), JUDGED_ON)
        errors = [error(each) for each in found]
        means[name] = sum(errors) / len(errors)
        print(f"{name:22}{best:10g}{means[name]:8.3f}   {np.round(errors, 3)}", flush=True)
        axis.scatter(*data(JUDGED_ON[0]).T, s=8, color="0.7")
        draw(axis, TRUTH, color="black", linestyle="--", label="the truth")
        draw(axis, found[0], color="C0", label="the fit")
        axis.set(title=f"{name}: error {errors[0]:.2f}", aspect="equal", xlim=(-5, 8), ylim=(-7, 5))
        axis.legend(loc="lower left", title="thicker: weighs more")
    axes[-1].barh(list(means), list(means.values()))
    axes[-1].invert_yaxis()
    axes[-1].set(title=f"mean error, {len(JUDGED_ON)} data sets")
    PICTURE.parent.mkdir(exist_ok=True)
    pyplot.savefig(PICTURE, dpi=100)
    print(f"picture: {PICTURE}")


if __name__ == "__main__":
    main()
