"""The mean of fifteen pictures of one digit, three of which are noise: with the noise, and without its influence.

Run it with ``python examples/robust_mean_of_digits.py`` where rpw, matplotlib and scikit-learn are installed. It names
the noise by the mass that it leaves out, and writes the picture to ``demo_output/robust_mean_of_digits.png``. The
pictures are the 8 x 8 digits of scikit-learn, or MNIST where the folder RPW_DATA holds it.
"""

from __future__ import annotations

import os
from pathlib import Path

import matplotlib
import numpy as np
import numpy.typing as npt

import rpw
from rpw.pictures import load_pictures

matplotlib.use("Agg")  # a picture in a file; no display is needed
from matplotlib import pyplot
from matplotlib.axes import Axes

Floats = npt.NDArray[np.float64]

PICTURE = Path(__file__).resolve().parent.parent / "demo_output" / "robust_mean_of_digits.png"
DIGIT, INPUTS, NOISY, POINTS, K = "3", 15, 3, 150, 2.0


def planted(seed: int) -> Floats:
    """Fifteen pictures; the last three are noise."""
    pictures = load_pictures("mnist" if os.environ.get("RPW_DATA") else "digits")
    rng = np.random.default_rng(seed)
    chosen = rng.choice(np.flatnonzero(pictures.labels == DIGIT), INPUTS, replace=False)
    images = np.asarray(pictures.images[chosen], dtype=np.float64)
    images[-NOISY:] = rng.uniform(0, images.max(), images[-NOISY:].shape)
    return images


def means_of(images: Floats) -> dict[str, rpw.Barycenter]:
    """The same fifteen pictures, three ways; and the twelve clean ones, to compare with."""
    measures = [rpw.Measure.from_image(image) for image in images]
    asked = {"n_points": POINTS, "diameter": 1.0, "n_starts": 1}
    return {
        "twelve clean ones alone": rpw.barycenter(measures[:-NOISY], k=K, **asked),
        "nearly W2: k = 1000": rpw.barycenter(measures, k=1000, **asked),
        "sum of RPW": rpw.barycenter(measures, k=K, objective="rpw", **asked),
        "sum of RPW², trim = 0.2": rpw.barycenter(measures, k=K, trim=NOISY / INPUTS, **asked),
    }


def draw_mean(ax: Axes, found: rpw.Barycenter, title: str) -> None:
    points = found.measure.points
    ax.scatter(points[:, 1], -points[:, 0], s=9, color="tab:blue", lw=0)
    ax.set(title=title, aspect="equal", xlim=(-0.05, 0.76), ylim=(-0.76, 0.05), xticks=[], yticks=[])
    ax.title.set_fontsize(9)


def draw_input(ax: Axes, images: Floats, number: int) -> None:
    ax.imshow(images[number], cmap="gray_r")
    ax.set(xticks=[], yticks=[])
    ax.set_title(f"input {number}{', noise' if number >= INPUTS - NOISY else ''}", fontsize=9)


def draw_left_out(ax: Axes, found: rpw.Barycenter) -> None:
    colours = ["0.6"] * (INPUTS - NOISY) + ["tab:red"] * NOISY
    ax.bar(np.arange(INPUTS), found.left_out, color=colours)
    ax.set(xlabel="input (noise in red)", ylabel="mass left out", title="What each input leaves out, trim = 0.2")
    ax.title.set_fontsize(9)


def draw(images: Floats, means: dict[str, rpw.Barycenter], robust: rpw.Barycenter) -> None:
    figure = pyplot.figure(figsize=(9.6, 6.8), layout="constrained")
    grid = figure.add_gridspec(3, 4, height_ratios=(1.2, 2.0, 1.3))
    for column, number in enumerate((0, 5, INPUTS - NOISY, INPUTS - 1)):
        draw_input(figure.add_subplot(grid[0, column]), images, number)
    for column, (name, found) in enumerate(means.items()):
        draw_mean(figure.add_subplot(grid[1, column]), found, name)
    draw_left_out(figure.add_subplot(grid[2, :]), robust)
    PICTURE.parent.mkdir(exist_ok=True)
    figure.savefig(PICTURE, dpi=100)
    pyplot.close(figure)


def main() -> None:
    images = planted(0)
    means = means_of(images)
    clean, robust = means["twelve clean ones alone"], means["sum of RPW², trim = 0.2"]
    print("W2 to the mean of the twelve clean pictures, in diagonals of a picture:")
    for name, found in means.items():
        if found is not clean:
            print(f"  {name:<26}{rpw.wasserstein(found.measure, clean.measure):.4f}")
    named = sorted(int(i) for i in np.argsort(robust.left_out)[-NOISY:])
    print(f"Inputs {', '.join(map(str, named))} leave out most; the noise is in the last {NOISY} of {INPUTS}.")
    draw(images, means, robust)


if __name__ == "__main__":
    main()
