"""Free points that flow towards data with outliers: under RPW they end there too, only later.

RPW is a metric: it is 0 only where the points have reached all of the data. So free points go to the outliers in the
end, and a point that is left behind stays where it is, without a gradient. Partial W leaves them out for good.

Run it with ``python examples/learning/flow.py`` where rpw, torch and matplotlib are installed. It takes some seconds,
prints the share of points at the outliers over time, and writes the picture to ``demo_output/flow.png``.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import matplotlib
import numpy as np
import torch

import rpw.torch

matplotlib.use("Agg")  # a picture in a file; no display is needed
from matplotlib import pyplot

PICTURE = Path(__file__).resolve().parents[2] / "demo_output" / "flow.png"
SIZE, SHARE, STEPS, SHOWN = 200, 0.1, 600, (50, 100, 200, 400, 600)
OUTLIERS = np.array([4.0, 2.0])
Loss = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]

LOSSES: dict[str, Loss] = {
    "W_2": lambda x, y: rpw.torch.wasserstein(x, y) ** 2,
    "RPW, k = 1": lambda x, y: rpw.torch.distance(x, y, k=1, diameter=2.0),
    "partial W_2, mass 0.9": lambda x, y: rpw.torch.wasserstein(x, y, mass=0.9) ** 2,
}


def start_and_data(seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """A small cloud, and a ring of which a tenth lies elsewhere."""
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0, 2 * np.pi, SIZE)
    ring = np.column_stack([np.cos(angle), np.sin(angle)]) * rng.normal(1, 0.05, (SIZE, 1))
    count = round(SHARE * SIZE)
    ring[:count] = OUTLIERS + rng.normal(0, 0.15, (count, 2))
    return torch.tensor(rng.normal([-2.0, 0.0], 0.2, (SIZE, 2))), torch.tensor(ring)


def flow(loss: Loss, start: torch.Tensor, data: torch.Tensor) -> tuple[np.ndarray, list[float]]:
    """Steps along the gradient, at a rate by which the fastest point goes a tenth first; the share at the outliers."""
    x, rate, shares = start.clone().requires_grad_(), 0.0, []
    for _ in range(STEPS):
        (gradient,) = torch.autograd.grad(loss(x, data), x)
        rate = rate or 0.1 / gradient.norm(dim=1).max().item()
        with torch.no_grad():
            x -= rate * gradient
        shares.append(float((x.detach() - torch.tensor(OUTLIERS)).norm(dim=1).lt(0.75).double().mean()))
    return x.detach().numpy(), shares


def main() -> None:
    torch.set_num_threads(1)  # the tensors are small
    start, data = start_and_data(0)
    _, grid = pyplot.subplots(2, 2, figsize=(12, 7), layout="constrained")
    axes = grid.ravel()
    print(f"share of points at the outliers after {SHOWN} steps, and where they started")
    for axis, (name, loss) in zip(axes, LOSSES.items(), strict=False):
        x, shares = flow(loss, start, data)
        left = float((np.linalg.norm(x - start.mean(dim=0).numpy(), axis=1) < 0.7).mean())
        print(f"{name:22}", *(f"{shares[step - 1]:6.1%}" for step in SHOWN), f"   {left:6.1%}")
        axis.scatter(*data.T, s=12, color="0.75", label="data")
        axis.scatter(*start.T, s=4, color="tab:blue", alpha=0.3, label="start")
        axis.scatter(*x.T, s=8, color="tab:red", label=f"after {STEPS} steps")
        axis.set(title=name, aspect="equal")
        axes[-1].plot(range(1, STEPS + 1), shares, label=name)
    axes[0].legend(loc="lower right")
    axes[-1].axhline(SHARE, color="0.7", linestyle="--", label="outliers in the data")
    axes[-1].set(title="share of points at the outliers", xlabel="steps")
    axes[-1].legend(loc=(0.55, 0.62))
    PICTURE.parent.mkdir(exist_ok=True)
    pyplot.savefig(PICTURE, dpi=120)
    print(f"picture: {PICTURE}")


if __name__ == "__main__":
    main()
