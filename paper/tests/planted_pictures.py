"""Pictures whose classes cannot be mistaken, and some without any meaning."""

import numpy as np

from rpw_paper.pictures import Pictures

RNG = np.random.default_rng(5)
GREY = RNG.integers(1, 200, size=(9, 14, 6), dtype=np.uint8)
COLOUR = RNG.integers(0, 256, size=(8, 10, 10, 3), dtype=np.uint8)


def planted(classes=3, each=8, side=6, seed=1):
    """Pictures of a class share one corner of the canvas; classes lie apart."""
    rng = np.random.default_rng(seed)
    images = np.zeros((classes * each, side, side), dtype=np.uint8)
    corners = [(0, 0), (0, side - 2), (side - 2, 0), (side - 2, side - 2)]
    labels = np.repeat(np.arange(classes), each)
    for image, label in zip(images, labels, strict=True):
        row, column = corners[label]
        image[row : row + 2, column : column + 2] = rng.integers(1, 9, size=(2, 2))
    return Pictures("planted", images, labels.astype(np.str_))
