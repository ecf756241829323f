"""The three perturbations of the paper's section 6.1, and none.

- noise, grey: a random pixel of every picture gains between 0 and 10 % of the picture's mass;
  colour: 10 % of the pixels of every picture become white.
- shift, grey: every labelled picture moves up by 2 of 28 rows (one pixel in small pictures);
  colour: a random channel of every picture gains 20 of 255.
- both: shift, then noise.
"""

import numpy as np

from rpw_paper.base import Pixels

SCENARIOS = {"noise": "noise", "shift": "shift", "both": "noise and shift", "clean": "no perturbation"}  # in words
LARGEST_NOISE = 0.1  # of the mass of a grey picture
SHARE_OF_WHITE = 0.1  # of the pixels of a colour picture
TINT = 20  # of 255


def perturbed(
    queries: Pixels,
    labelled: Pixels,
    scenario: str,
    seed: list[int],
    plain_queries: bool = False,
    rows: int | None = None,
) -> tuple[Pixels, Pixels]:
    """Queries and labelled pictures as the scenario leaves them; with ``plain_queries``, no query is tinted.

    The paper does not say whether queries are tinted. All else is the same in both readings. ``rows``: how far a shift
    moves grey pictures; left out, as far as the paper does.
    """
    if scenario not in SCENARIOS:
        raise ValueError(f"scenario must be one of {', '.join(SCENARIOS)}, got {scenario!r}")
    is_colour = queries.ndim == 4
    if scenario in ("shift", "both"):
        rng = np.random.default_rng([*seed, 1])
        if is_colour:
            tinted, labelled = tint(queries, TINT, rng), tint(labelled, TINT, rng)
            queries = queries if plain_queries else tinted
        else:
            labelled = move_up(labelled, rows or rows_to_move(labelled.shape[1]))
    if scenario in ("noise", "both"):
        rng = np.random.default_rng([*seed, 2])
        spoil = add_white if is_colour else add_noise
        queries, labelled = spoil(queries, rng), spoil(labelled, rng)
    return queries, labelled


def described(scenario: str, is_colour: bool, height: int, plain_queries: bool = False, rows: int | None = None) -> str:
    """What the scenario does to pictures of this kind, in a sentence or two."""
    if is_colour:
        noise = f"{SHARE_OF_WHITE:.0%} of the pixels of every picture become white."
        which = "labelled picture (no query)" if plain_queries else "picture"
        shift = f"A random colour channel of every {which} gains {TINT} of 255."
    else:
        noise = f"A random pixel of every picture gains up to {LARGEST_NOISE:.0%} of the picture's mass."
        rows = rows or rows_to_move(height)
        shift = f"Every labelled picture (no query) moves up by {rows} row{'s' * (rows > 1)}."
    parts = {"noise": [noise], "shift": [shift], "both": [shift, noise], "clean": ["Nothing is changed."]}
    return " ".join(parts[scenario])


def rows_to_move(height: int) -> int:
    """How far a picture of this height is moved: 2 pixels of MNIST's 28."""
    return max(1, round(2 * height / 28))


def add_noise(images: Pixels, rng: np.random.Generator, largest: float = LARGEST_NOISE) -> Pixels:
    """A random pixel of each picture gains a random share of its mass, up to ``largest``."""
    rows = images.reshape(len(images), -1).astype(np.float64)
    pixel = rng.integers(rows.shape[1], size=len(rows))
    rows[np.arange(len(rows)), pixel] += largest * rng.random(len(rows)) * rows.sum(axis=1)
    return rows.reshape(images.shape)


def move_up(images: Pixels, rows: int) -> Pixels:
    """Each picture moved up by some rows; what leaves at the top is lost, and empty rows follow at the bottom."""
    moved = np.zeros_like(images)
    moved[:, : images.shape[1] - rows] = images[:, rows:]
    return moved


def add_white(images: Pixels, rng: np.random.Generator, share: float = SHARE_OF_WHITE) -> Pixels:
    """A random share of the pixels of each picture become white."""
    count, height, width, channels = images.shape
    pixels = images.reshape(count, height * width, channels).copy()
    chosen = rng.random((count, height * width)).argsort(axis=1)[:, : round(share * height * width)]
    pixels[np.arange(count)[:, None], chosen] = 255
    return pixels.reshape(images.shape)


def tint(images: Pixels, amount: int, rng: np.random.Generator) -> Pixels:
    """A random channel of each picture gains ``amount``, up to 255."""
    tinted = images.astype(np.int64)
    tinted[np.arange(len(images)), :, :, rng.integers(3, size=len(images))] += amount
    return np.minimum(tinted, 255).astype(np.uint8)
