"""
Fit a mixture of three Gaussians, with outliers in the data
===========================================================

Three round Gaussians have means, scales and weights of their own. A tenth of the data are outliers. Does one of the
three Gaussians go to the outliers?

All data here are synthetic. Everything runs on the CPU.
"""

# %%
# The model is a weighted measure: 25 points stand for each component and share its weight. RPW and
# W₂ have gradients in the points and in the weights.

import math

import matplotlib.pyplot as plt
import numpy as np
import torch
from scipy.optimize import linear_sum_assignment

import rpw
import rpw.torch

torch.set_num_threads(1)  # the tensors are small
SIZE, POINTS, STARTS, STEPS = 100, 25, 4, 100
MEANS = np.array([[0.0, 2.0], [-1.7, -1.0], [1.7, -1.0]])
SCALES, WEIGHTS = np.array([0.5, 0.4, 0.7]), np.array([0.5, 0.3, 0.2])


def data(seed):
    """Samples of the true mixture; the first tenth is replaced by a cluster elsewhere."""
    rng = np.random.default_rng(seed)
    which = rng.choice(3, SIZE, p=WEIGHTS)
    points = MEANS[which] + SCALES[which, None] * rng.normal(size=(SIZE, 2))
    points[: SIZE // 10] = np.array([6.0, -5.0]) + rng.normal(0, 0.5, (SIZE // 10, 2))
    return points


# %%
# Three losses
# ------------
# Partial W₂ is told the true share of the outliers. RPW is not: it has only k = 0.2, the cost of leaving points out.

losses = {
    "W₂": lambda x, y, a, unit: rpw.torch.wasserstein(x, y, a) ** 2,
    "RPW, k = 0.2": lambda x, y, a, unit: rpw.torch.distance(
        x / unit, y / unit, a, k=0.2, diameter=1.0
    ),
    "partial W₂, mass 0.9": lambda x, y, a, unit: (
        rpw.torch.wasserstein(x, y, a, mass=0.9) ** 2
    ),
}

# %%
# The fit
# -------
# Each fit starts four times, each time from three points of the data. The start with the least loss at the end counts.
# All starts are one batch.

number = torch.arange(POINTS, dtype=torch.float64)
radius, angle = (
    torch.sqrt(-2 * torch.log(1 - (number + 0.5) / POINTS)),
    number * math.pi * (3 - math.sqrt(5)),
)
standard = torch.stack([radius * angle.cos(), radius * angle.sin()], dim=1)


def fit(loss, points):
    rng = np.random.default_rng(7)
    unit = rpw.diameter(points, quantile=0.9)
    y = torch.tensor(points).expand(STARTS, -1, -1)
    first = np.array(
        [points[rng.choice(SIZE, 3, replace=False)] for _ in range(STARTS)]
    )
    means = torch.tensor(first, requires_grad=True)
    scales, logits = (
        torch.zeros(STARTS, 3, dtype=torch.float64, requires_grad=True)
        for _ in range(2)
    )
    optimiser = torch.optim.Adam([means, scales, logits], lr=0.15)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, STEPS)
    for _ in range(STEPS):
        optimiser.zero_grad()
        x = means[:, :, None] + scales.exp()[:, :, None, None] * standard
        a = (logits.softmax(1) / POINTS)[:, :, None].expand(-1, -1, POINTS)
        each = loss(x.flatten(1, 2), y, a.flatten(1), unit)
        each.sum().backward()
        optimiser.step()
        schedule.step()
    best = each.argmin()
    return [
        part.detach().numpy()[best] for part in (means, scales.exp(), logits.softmax(1))
    ]


def error(means, scales, weights):
    """The root of the mean square over the components, each compared with the true one it stands for."""
    squares = ((MEANS[:, None] - means) ** 2).sum(axis=2)
    squares += (SCALES[:, None] - scales) ** 2 + (WEIGHTS[:, None] - weights) ** 2
    return math.sqrt(squares[linear_sum_assignment(squares)].mean())


seeds = (0, 1)
fits = {
    name: [fit(loss, data(seed)) for seed in seeds] for name, loss in losses.items()
}
for name, found in fits.items():
    print(
        f"{name:22} errors on {len(seeds)} data sets: "
        + ", ".join(f"{error(*each):.2f}" for each in found)
    )

# %%
# Under W₂ one component goes to the outliers, and another component has to cover two groups. Under RPW and partial
# W₂, all three are at their true places. The circles have a radius of two standard deviations. The thicker the line,
# the larger the weight.

circle = np.linspace(0, 2 * np.pi, 100)
circle = 2 * np.array([np.cos(circle), np.sin(circle)])
fig, axes = plt.subplots(
    1, 3, figsize=(10, 4.6), sharex=True, sharey=True, layout="constrained"
)
for ax, (name, found) in zip(axes, fits.items(), strict=True):
    dots = ax.scatter(*data(seeds[0]).T, s=8, color="0.6")
    for parts, style in (((MEANS, SCALES, WEIGHTS), "k--"), (found[0], "C0-")):
        for mean, scale, weight in zip(*parts, strict=True):
            (line,) = ax.plot(
                *(mean[:, None] + scale * circle), style, linewidth=0.5 + 4 * weight
            )
    ax.set(title=f"{name}: error {error(*found[0]):.2f}", xlabel="x", aspect="equal")
axes[0].set_ylabel("y")
truth = plt.Line2D([], [], color="black", linestyle="--")
fig.legend(
    [dots, truth, line],
    ["data", "truth", "fit"],
    loc="outside lower center",
    ncols=3,
    frameon=False,
)
plt.show()

# %%
# **Take away:** RPW keeps every component of a small model with the bulk of the data. It need not be told the share
# of the outliers.
