"""Labelled pictures in the formats that people have (`read_pictures` lists them). Nothing is ever unpickled."""

import gzip
import hashlib
import math
import os
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Any, TypeVar

import numpy as np
import numpy.typing as npt

from rpw.images import read_pixels
from rpw.readers import IMAGE_SUFFIXES
from rpw_paper.base import Pixels, UsageError

T = TypeVar("T")

# The known data sets, and the names of the files or folders that may hold them.
DATASETS = {
    "mnist": ("mnist.npz", "mnist", "MNIST/raw", "MNIST"),
    "cifar10": ("cifar10.npz", "cifar10", "cifar-10-batches-bin"),
    "corel": ("corel5k.npz", "corel.npz", "corel", "corel5k"),
}
_CIFAR_RECORD = 1 + 3 * 32 * 32
_DIGITS_MARGIN = 1  # of the old pixels
_DIGIT_SCALE = 15  # 16 shades become 240 of 255


@dataclass(frozen=True, eq=False)
class Pictures:
    """Pictures of one size, with their labels: grey ones (B, h, w) as numbers of at least 0, or colour ones
    (B, h, w, 3) as uint8."""

    name: str
    images: Pixels
    labels: npt.NDArray[np.str_]

    def __len__(self) -> int:
        return len(self.images)

    @cached_property
    def digest(self) -> str:
        """Twelve characters that identify these pictures and labels."""
        digest = hashlib.sha256(repr((self.images.shape, self.images.dtype.str, self.labels.tolist())).encode())
        digest.update(np.ascontiguousarray(self.images).data)
        return digest.hexdigest()[:12]

    @property
    def is_colour(self) -> bool:
        return self.images.ndim == 4


def load_pictures(dataset: str, data: str | Path | None = None, size: int | None = None) -> Pictures:
    """A known data set by its name, or pictures from a path.

    ``dataset`` is ``"digits"`` (of scikit-learn), a name in `DATASETS`, or what `read_pictures` takes. ``data`` is the
    folder that holds the data sets of `DATASETS`; by default the folder named in the environment variable ``RPW_DATA``.
    """
    if data is not None and dataset not in DATASETS:
        names = ", ".join(DATASETS)
        raise UsageError(
            f"data {data} has no effect on dataset {dataset}, only on {names}: to read the pictures of that folder "
            f"itself, pass it as dataset (--dataset {data})"
        )
    if dataset == "digits":
        _check_no_size(size, "digits")
        return _digits()
    if dataset not in DATASETS:
        where = Path(dataset)
        if not dataset or not where.exists():
            known = ", ".join(["digits", *DATASETS])
            raise ValueError(f"dataset {dataset!r} is neither one of {known} nor a file or folder")
        return read_pictures(where, size=size)
    folder = data or os.environ.get("RPW_DATA")
    if not folder:
        raise UsageError(f"dataset {dataset!r} needs the folder that holds it: pass data (--data DIR), or set RPW_DATA")
    places = [Path(folder) / name for name in DATASETS[dataset]]
    for place in places:
        if place.exists():
            return read_pictures(place, name=dataset, size=size)
    raise ValueError(f"{folder}: holds none of {', '.join(DATASETS[dataset])}, where {dataset} was looked for")


def read_pictures(path: str | Path, *, name: str | None = None, size: int | None = None) -> Pictures:
    """Labelled pictures from an NPZ file or a folder.

    - an NPZ file with ``images`` (B, h, w) or (B, h, w, 3), and ``labels`` (B,)
    - MNIST's files ``...images...idx3...`` and ``...labels...idx1...``, plain or ``.gz``
    - CIFAR-10's binary batches, with the names of the classes in ``batches.meta.txt``
    - a folder with one folder of picture files for each class; with ``size``, the centred square of each is resized

    All files of one format in the folder are used.
    """
    where = Path(path)
    name = name or (where.resolve().name if where.is_dir() else where.stem)
    if not where.is_dir():
        if where.suffix.lower() != ".npz":
            raise ValueError(f"{where}: pictures come as an NPZ file or a folder")
        _check_no_size(size, str(where))
        return _checked(name, *_read(where, _read_npz), where)
    files = sorted(file for file in where.iterdir() if file.is_file() and not file.name.startswith("."))
    readers: list[Callable[[list[Path]], tuple[Pixels, Any] | None]] = [_from_npz, _from_idx, _from_cifar]
    for reader in readers:
        found = reader(files)
        if found is not None:
            _check_no_size(size, str(where))
            return _checked(name, *found, where)
    return _checked(name, *_from_classes(where, size), where)


def _check_no_size(size: int | None, where: str) -> None:
    if size is not None:
        raise UsageError(
            f"size (--size) is for folders of pictures; those of {where} have a size of their own: leave it out"
        )


def _checked(name: str, images: Pixels, labels: Any, where: Path) -> Pictures:
    if images.ndim not in (3, 4) or (images.ndim == 4 and images.shape[3] != 3) or 0 in images.shape:
        raise ValueError(f"{where}: images must have shape (B, h, w) or (B, h, w, 3), got {images.shape}")
    if images.dtype.kind not in "biuf" or (images.ndim == 4 and images.dtype != np.uint8):
        raise ValueError(f"{where}: images must be numbers, and uint8 if they have colours; got {images.dtype}")
    if images.dtype.kind == "f" and not np.isfinite(images).all():
        raise ValueError(f"{where}: images hold NaN or infinite values")
    if images.ndim == 3 and images.min() < 0:
        raise ValueError(f"{where}: grey images must not be negative")
    labels = np.asarray(labels)
    _check_labels(labels, len(images), where)
    return Pictures(_printable(name), images, np.array([_printable(str(label)) for label in labels.tolist()]))


def _check_labels(labels: npt.NDArray[Any], count: int, where: Path) -> None:
    if labels.shape != (count,) or labels.dtype.kind not in "biufU":
        raise ValueError(
            f"{where}: labels must be {count} numbers or texts, got shape {labels.shape} of {labels.dtype}"
        )
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise ValueError(f"{where}: labels hold NaN or infinite values")


def _printable(text: str) -> str:
    """The text without what a page or a figure cannot show: file systems allow any bytes in names."""
    return "".join(c if c.isprintable() else "\ufffd" for c in text)


def _digits() -> Pictures:
    """The digits of scikit-learn, enlarged from 8 × 8 to 16 × 16 pixels. Around them is a margin, so that a shift by
    one row loses nothing."""
    from sklearn.datasets import load_digits  # slow, and other pictures need none of it

    digits = load_digits()
    margin = (_DIGITS_MARGIN, _DIGITS_MARGIN)
    images = np.pad(digits.images, ((0, 0), margin, margin))
    enlarged = _twice_as_long(_twice_as_long(images, 1), 2)
    return Pictures("digits", np.round(_DIGIT_SCALE * enlarged).astype(np.uint8), digits.target.astype(np.str_))


def _twice_as_long(images: Pixels, axis: int) -> Pixels:
    """Two pixels for each, by straight lines between the middles of the old ones."""
    last = images.shape[axis] - 1
    before, after = (np.take(images, np.arange(last + 1) + step, axis, mode="clip") for step in (-1, 1))
    halves = np.stack([0.75 * images + 0.25 * before, 0.75 * images + 0.25 * after], axis=axis + 1)
    return halves.reshape(*images.shape[:axis], 2 * (last + 1), *images.shape[axis + 1 :])


def _read(path: Path, read: Callable[[IO[bytes]], T]) -> T:
    """What is wrong inside a file becomes an error that names it."""
    try:
        with path.open("rb") as stream:
            return read(stream)
    except Exception as error:  # a damaged file can raise nearly anything inside a decoder
        raise ValueError(f"{path}: {error or type(error).__name__}") from error


def _read_npz(stream: IO[bytes]) -> tuple[Pixels, Any]:
    with np.load(stream, allow_pickle=False) as arrays:
        if not {"images", "labels"} <= set(arrays.files):
            raise ValueError(f"must hold the arrays images and labels; found: {', '.join(arrays.files) or 'neither'}")
        images, labels = arrays["images"], arrays["labels"]
    if len(images) != labels.size:
        raise ValueError(f"holds {len(images)} images and {labels.size} labels")
    return images, labels


def _from_npz(files: list[Path]) -> tuple[Pixels, Any] | None:
    return _joined([_read(file, _read_npz) for file in files if file.suffix.lower() == ".npz"], files)


def _from_idx(files: list[Path]) -> tuple[Pixels, Any] | None:
    names = {file.name: file for file in files}
    parts = []
    for file in files:
        if not re.search(r"images.idx3", file.name) or file.name.removesuffix(".gz") in names.keys() - {file.name}:
            continue  # where both lie there, the packed file is a copy
        partner = file.name.replace("images", "labels").replace("idx3", "idx1")
        labels = names.get(partner) or names.get(partner.removesuffix(".gz")) or names.get(partner + ".gz")
        if labels is None:
            raise ValueError(f"{file}: its labels are missing, which should lie in {partner}")
        parts.append((_read(file, _read_idx), _read(labels, _read_idx)))
        if len(parts[-1][0]) != len(parts[-1][1]):
            raise ValueError(f"{file}: holds {len(parts[-1][0])} images, and {labels.name} {len(parts[-1][1])} labels")
    return _joined(parts, files)


def _read_idx(stream: IO[bytes]) -> Pixels:
    """One array in the IDX format of unsigned bytes: two zero bytes, 8, the number of axes, their lengths, the data."""
    is_packed = stream.read(2) == b"\x1f\x8b"
    stream.seek(0)
    with gzip.GzipFile(fileobj=stream) if is_packed else stream as content:
        head = content.read(4)
        if len(head) < 4 or head[:3] != b"\0\0\x08" or head[3] not in (1, 3):
            raise ValueError("not an IDX file of bytes with one or three axes")
        lengths = content.read(4 * head[3])
        if len(lengths) < 4 * head[3]:
            raise ValueError("cut off in its header")
        shape, data = struct.unpack(f">{head[3]}I", lengths), content.read()
    if len(data) != math.prod(shape):
        raise ValueError(f"damaged: its shape {shape} needs another number of bytes than the {len(data):,} that follow")
    return np.frombuffer(data, dtype=np.uint8).reshape(shape)


def _from_cifar(files: list[Path]) -> tuple[Pixels, Any] | None:
    batches = [file for file in files if re.fullmatch(r"(data|test)_batch(_\d+)?\.bin", file.name)]
    found = _joined([_read(file, _read_cifar) for file in batches], files)
    meta = next((file for file in files if file.name == "batches.meta.txt"), None)
    if found is None or meta is None:
        return found
    names = meta.read_text(encoding="utf-8", errors="replace").split()
    images, labels = found
    if labels.max() >= len(names):
        raise ValueError(f"{meta}: names {len(names)} classes, and there is a picture of class {labels.max()}")
    return images, np.array(names)[labels]


def _read_cifar(stream: IO[bytes]) -> tuple[Pixels, Any]:
    """Records of one byte for the class and 32 × 32 bytes for each of red, green and blue."""
    data = np.frombuffer(stream.read(), dtype=np.uint8)
    if data.size == 0 or data.size % _CIFAR_RECORD:
        raise ValueError(f"damaged: {data.size:,} bytes are no whole number of records of {_CIFAR_RECORD:,}")
    records = data.reshape(-1, _CIFAR_RECORD)
    return records[:, 1:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1), records[:, 0]


def _joined(parts: list[tuple[Pixels, Any]], files: list[Path]) -> tuple[Pixels, Any] | None:
    if not parts:
        return None
    shapes = {images.shape[1:] for images, _ in parts}
    if len(shapes) > 1:
        raise ValueError(f"{files[0].parent}: its files hold pictures of different sizes: {sorted(shapes)}")
    return np.concatenate([images for images, _ in parts]), np.concatenate([np.atleast_1d(part) for _, part in parts])


def _from_classes(where: Path, size: int | None) -> tuple[Pixels, Any]:
    folders = sorted(entry for entry in where.iterdir() if entry.is_dir() and not entry.name.startswith("."))
    files = [
        file
        for folder in folders
        for file in sorted(folder.iterdir())
        if file.suffix.lower() in IMAGE_SUFFIXES and not file.name.startswith(".")
    ]
    if not files:
        raise ValueError(
            f"{where}: holds no pictures that can be read: an NPZ file with images and labels, MNIST's idx files, "
            "CIFAR-10's binary batches, or one folder of pictures for each class"
        )
    pixels = [_read(file, lambda stream: _resized(read_pixels(stream), size)) for file in files]
    if any(picture.ndim == 3 for picture in pixels):  # then all are taken for colour
        pixels = [_as_colour(picture, file) for file, picture in zip(files, pixels, strict=True)]
    for file, picture in zip(files, pixels, strict=True):
        if picture.shape != pixels[0].shape:
            shapes = [" x ".join(map(str, shape[:2])) for shape in (picture.shape, pixels[0].shape)]
            raise ValueError(
                f"{file}: has {shapes[0]} pixels, {files[0]} has {shapes[1]}: pass a size (--size) to make them equal"
            )
    return np.stack(pixels), np.array([file.parent.name for file in files])


def _as_colour(picture: Pixels, file: Path) -> Pixels:
    """Three channels of 8 bits. (Grey pictures alone keep their values: only their proportions count.)"""
    if picture.dtype == bool:
        picture = picture * np.uint8(255)
    if picture.dtype == np.uint16:
        picture = np.round(picture / 257).astype(np.uint8)
    if picture.dtype != np.uint8:
        raise ValueError(f"{file}: has {picture.dtype} pixels, which cannot stand beside colours of 8 bits")
    return picture if picture.ndim == 3 else np.stack([picture] * 3, axis=2)


def _resized(picture: Pixels, size: int | None) -> Pixels:
    """The centred square, resized to size × size."""
    if size is None:
        return picture
    from PIL import Image  # which no other format needs

    height, width = picture.shape[:2]
    side = min(height, width)
    top, left = (height - side) // 2, (width - side) // 2
    square = np.ascontiguousarray(picture[top : top + side, left : left + side])
    if square.dtype != np.uint8:
        square = square.astype(np.float32)
    small = np.asarray(Image.fromarray(square).resize((size, size), Image.Resampling.LANCZOS))
    return np.asarray(np.maximum(small, 0))  # the filter overshoots where values are not bytes
