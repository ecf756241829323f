"""Which points do not belong? A cloud, another sample of it with outliers around it, and what the profile says of each.

Run it with ``python examples/outliers.py`` where rpw and matplotlib are installed. It prints how well the scores tell
the outliers, and writes the picture to ``demo_output/outliers.png``.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np
import numpy.typing as npt

import rpw

matplotlib.use("Agg")  # a picture in a file; no display is needed
from matplotlib import pyplot
from matplotlib.axes import Axes

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

PICTURE = Path(__file__).resolve().parent.parent / "demo_output" / "outliers.png"
SIZE, SHARE = 400, 0.05


def sample(seed: int) -> tuple[Floats, Floats, Mask]:
    """A ring, another sample of it with outliers, and which those are."""
    rng = np.random.default_rng(seed)
    clouds = []
    for _ in range(2):
        angle, radius = rng.uniform(0, 2 * np.pi, SIZE), rng.normal(0.3, 0.03, SIZE)
        clouds.append(np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]))
    x, y = clouds
    is_out = np.arange(SIZE) < round(SHARE * SIZE)
    y[is_out] *= rng.uniform(6, 9, (is_out.sum(), 1))
    return x, y, is_out


def area_under_curve(scores: Floats, is_out: Mask) -> float:
    """The chance that an outlier has a higher score than another point (ties count half)."""
    above, below = scores[is_out][:, None], scores[~is_out]
    return float(np.mean((above > below) + 0.5 * (above == below)))


def draw_scores(ax: Axes, x: Floats, y: Floats, scores: Floats, is_out: Mask) -> None:
    ax.scatter(*x.T, s=14, color="0.8", lw=0, label="first cloud")
    dots = ax.scatter(*y.T, c=scores, s=14, cmap="viridis", lw=0)
    ax.scatter(*y[is_out].T, s=60, facecolor="none", edgecolor="tab:red", lw=0.8, label="planted outliers")
    ax.figure.colorbar(dots, ax=ax, label="score, in units of length", shrink=0.8)
    ax.set(title="The score of each point of the second cloud", aspect="equal")
    ax.set_axis_off()
    ax.legend(frameon=False, fontsize=9, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=2)


def main() -> None:
    x, y, is_out = sample(0)
    profile = rpw.profile(x, y, p=2)
    scores, elbow = profile.scores_b, profile.elbow()
    found = np.argsort(scores)[round(elbow * SIZE) :]  # as many as the elbow says, those with the highest scores
    print(f"{is_out.sum()} of the {SIZE} points of the second cloud are planted around the ring.")
    print(
        f"The scores tell them from the others with an area under the curve of {area_under_curve(scores, is_out):.3f}."
    )
    print(
        f"The elbow guesses {elbow:.1%} inliers. Of the {len(found)} points with the highest scores, "
        f"{is_out[found].sum()} are planted."
    )
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9.6, 4.6), layout="constrained")
    draw_scores(left, x, y, scores, is_out)
    rpw.transport(x, y, p=2, mass=elbow).plot(ax=right).set_title("The plan at the elbow, and what it leaves behind")
    PICTURE.parent.mkdir(exist_ok=True)
    figure.savefig(PICTURE, dpi=100)
    pyplot.close(figure)


if __name__ == "__main__":
    main()
