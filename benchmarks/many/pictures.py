"""Pictures for the benchmarks: data sets in the folder RPW_DATA, else scikit-learn's digits; and the paper's noise."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

GREY = "mnist" if os.environ.get("RPW_DATA") else "digits"


def load(name: str = GREY) -> tuple[np.ndarray, np.ndarray]:
    """Images and labels."""
    if name != "digits":
        with np.load(Path(os.environ["RPW_DATA"], f"{name}.npz")) as arrays:
            return arrays["images"], arrays["labels"]
    from scipy.ndimage import zoom
    from sklearn.datasets import load_digits

    small = load_digits()  # with a margin, and enlarged to 20 x 20 pixels
    padded = np.pad(small.images, ((0, 0), (1, 1), (1, 1)))
    return np.round(15 * zoom(padded, (1, 2, 2), order=1, mode="grid-constant", grid_mode=True)), small.target


def add_noise(images: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A random pixel of each picture gains up to a tenth of its mass."""
    rows = images.reshape(len(images), -1).astype(np.float64)
    pixel = rng.integers(rows.shape[1], size=len(rows))
    rows[np.arange(len(rows)), pixel] += 0.1 * rng.random(len(rows)) * rows.sum(axis=1)
    return rows.reshape(images.shape)


def move_up(images: np.ndarray) -> np.ndarray:
    """Each picture moved up by 2 of 28 rows."""
    rows = round(2 * images.shape[1] / 28)
    return np.pad(images[:, rows:], ((0, 0), (0, rows), (0, 0)))
