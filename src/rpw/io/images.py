"""Images as measures: where the mass lies, and the space that it lies in.

Both spaces are Euclidean and have diameter 1 over all images of one size, so that the default ``diameter=1`` fits:

- grey: a pixel is the point (row, column) / D with D the diagonal of the grid (or as given), and its value is its mass;
- colour: every pixel has the same mass, and squared distance (|Δcolour|² / 3 + w·|Δposition|² / D²) / (1 + w).
"""

from __future__ import annotations

import os
import sys
import warnings
from functools import lru_cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rpw.base.check import Array, as_floats, as_number, as_positive, check_nonnegative, first_index
from rpw.base.extras import import_extra
from rpw.base.memory import check_file_fits
from rpw.io.files import read_guarded

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["ImageAtoms", "image_atoms", "image_measure", "pixel_grid", "read_pixels"]

# The formats that are read. Not all that Pillow knows: some of those start other programs.
_FORMATS = ("PNG", "JPEG", "BMP", "GIF", "TIFF", "WEBP", "PPM")
_GREY_MODES = ("1", "L", "I", "F")
# Of images that are read from files: a header of a few bytes can ask for any number. Pillow has a limit too, which
# any part of the process can change.
_MOST_PIXELS = 1 << 26
# What a pixel takes on its way: in Pillow and its copies; as a measure, of grey and of colour.
_DECODING_BYTES = 16
_MEASURE_BYTES = {2: 64, 3: 160}
_LARGEST = {np.dtype(np.uint8): 255.0, np.dtype(np.uint16): 65535.0}


class ImageAtoms(NamedTuple):
    """The points of an image, their masses (None: all the same), and the distance of two pixels beside each other."""

    points: Array
    masses: Array | None
    pixel: float


def image_atoms(img: Any, position_weight: Any = 0.5, name: str = "img") -> tuple[Array, Array | None]:
    """Return the points of an image and their masses, as `rpw.Measure.from_image` uses them.

    Parameters
    ----------
    img : array-like, PIL image, or path
        The image, as in `rpw.Measure.from_image`.
    position_weight : float, default 0.5
        How much position counts beside colour, at least 0. It has no effect on grey images.
    name : str, default "img"
        What error messages call the image.

    Returns
    -------
    points : array of shape (n, 2) for grey, (n, 5) for colour
        The points.
    masses : array of shape (n,), or None
        The values of the pixels; None for colour, because all pixels count the same.

    Examples
    --------
    >>> import rpw
    >>> points, masses = rpw.images.image_atoms([[0, 3], [1, 0]])
    >>> masses
    array([3., 1.])
    """
    return image_measure(img, position_weight, name=name)[:2]


def image_measure(img: Any, position_weight: Any = 0.5, diagonal: Any = None, name: str = "img") -> ImageAtoms:
    """The same with the length of a pixel, in units of any diagonal."""
    weight = as_number(position_weight, "position_weight")
    if weight < 0 or np.isinf(weight):
        raise ValueError(f"position_weight must be finite and at least 0, got {weight}")
    pixels = as_pixels(img, name)
    height, width = pixels.shape[:2]
    check_file_fits(_MEASURE_BYTES[pixels.ndim] * height * width, f"{width:,} x {height:,} pixels as points need")
    length = _diagonal(height, width) if diagonal is None else as_positive(diagonal, "diagonal")
    grid = pixel_grid(height, width, length)
    if pixels.ndim == 2:
        return ImageAtoms(*_grey_atoms(pixels, grid, name), 1 / length)
    share = float(np.sqrt(weight / (1 + weight)))
    colours = pixels.reshape(-1, 3) / (np.sqrt(3) * np.sqrt(1 + weight))
    return ImageAtoms(np.hstack([grid * share, colours]), None, share / length)


def as_pixels(img: Any, name: str) -> Array:
    """Clean values: (h, w) masses of a grey image, or (h, w, 3) colours in [0, 1]."""
    if isinstance(img, (str, os.PathLike)):
        img, name = _read_file(img), os.fspath(img)
    elif _is_pillow_image(img):
        img = _decoded(img)
    pixels = as_floats(img, name)
    if pixels.ndim == 3 and pixels.shape[2] == 1:
        pixels = pixels[:, :, 0]
    if pixels.ndim not in (2, 3) or (pixels.ndim == 3 and pixels.shape[2] not in (3, 4)):
        raise ValueError(
            f"{name} must have shape (h, w) or (h, w, 1) for grey, (h, w, 3) for colour, or (h, w, 4) for colour with "
            f"an alpha channel, which is dropped; got shape {pixels.shape}"
        )
    if 0 in pixels.shape:
        raise ValueError(f"{name} is an empty image: shape {pixels.shape}")
    return pixels if pixels.ndim == 2 else _as_colours(pixels[:, :, :3], np.asarray(img).dtype, name)


def _as_colours(pixels: Array, given: np.dtype[Any], name: str) -> Array:
    """Colours in [0, 1]: unsigned integers of 8 or 16 bits are divided by their largest value."""
    if given in _LARGEST:
        return pixels / _LARGEST[given]
    if given.kind in "iu":
        raise ValueError(f"{name} holds colours as {given}: pass them as uint8, or as floats in [0, 1]")
    outside = (pixels < 0) | (pixels > 1)
    if outside.any():
        raise ValueError(
            f"{name} has a colour outside [0, 1], the first at {first_index(outside)}; divide by the largest value "
            "that a colour can have, such as 255"
        )
    return pixels


def _grey_atoms(pixels: Array, grid: Array, name: str) -> tuple[Array, Array]:
    check_nonnegative(pixels, name)
    lit = pixels > 0
    if not lit.any():
        raise ValueError(f"{name} is all zero: a grey image needs at least one pixel with mass")
    return grid[lit.ravel()], pixels[lit]


@lru_cache(maxsize=8)
def pixel_grid(height: int, width: int, diagonal: float | None = None) -> Array:
    """Return the positions of all pixels, row by row, divided by the diagonal of the grid.

    Pass them as ``support`` to compare images as histograms.

    Parameters
    ----------
    height, width : int
        The size of the images, in pixels.
    diagonal : float, optional
        What to divide by instead, in pixels.

    Returns
    -------
    array of shape (height · width, 2)
        Row and column of each pixel; read-only.

    Examples
    --------
    >>> import rpw
    >>> rpw.images.pixel_grid(2, 2, diagonal=1).tolist()
    [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    """
    length = _diagonal(height, width) if diagonal is None else as_positive(diagonal, "diagonal")
    grid = np.indices((height, width), dtype=np.float64).reshape(2, -1).T / length
    grid.flags.writeable = False
    return grid


def _diagonal(height: int, width: int) -> float:
    """From the first pixel to the last; of a single pixel, 1."""
    return float(np.hypot(height - 1, width - 1)) or 1.0


def _read_file(path: str | os.PathLike[str]) -> npt.NDArray[Any]:
    return read_guarded(Path(path), read_pixels)


def read_pixels(stream: IO[bytes]) -> npt.NDArray[Any]:
    """Read the pixels of an image file, or of its first frame (needs ``rpw[images]``).

    Parameters
    ----------
    stream : binary file
        An open file: PNG, JPEG, BMP, GIF, TIFF, WEBP or PPM.

    Returns
    -------
    array of shape (h, w) for grey, (h, w, 3) for colour
        The pixels as Pillow decodes them.

    Raises
    ------
    ValueError
        If it is not an image, or is damaged.

    Examples
    --------
    >>> import io, rpw
    >>> rpw.images.read_pixels(io.BytesIO(b"P5 2 1 255 " + bytes([0, 200])))
    array([[  0, 200]], dtype=uint8)
    """
    pillow = import_extra("PIL.Image", "image files need")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", pillow.DecompressionBombWarning)
            with pillow.open(stream, formats=_FORMATS) as image:  # reads the header only
                _check_size(image.width, image.height)
                return _decoded(image)
    except MemoryError:
        raise
    except pillow.UnidentifiedImageError as error:
        raise ValueError(f"not an image that can be read ({', '.join(_FORMATS)})") from error
    except Exception as error:  # a damaged file can raise nearly anything inside a decoder
        raise ValueError(f"the image cannot be decoded: {error}") from error


def _check_size(width: int, height: int) -> None:
    """Raise if an image is too large, before any of it is decoded."""
    if width * height > _MOST_PIXELS:
        raise ValueError(f"{width:,} x {height:,} pixels are more than the {_MOST_PIXELS:,} that are read from a file")
    check_file_fits(_DECODING_BYTES * width * height, f"its {width:,} x {height:,} pixels need")


def _decoded(image: Image) -> npt.NDArray[Any]:
    if image.mode in ("LA", "La"):
        image = image.convert("L")
    elif image.mode not in _GREY_MODES and not image.mode.startswith("I;16"):
        image = image.convert("RGB")  # palettes and other colour spaces; drops alpha
    return np.asarray(image)


def _is_pillow_image(img: Any) -> bool:
    pillow = sys.modules.get("PIL.Image")  # not loaded: then it cannot be one
    return pillow is not None and isinstance(img, pillow.Image)
