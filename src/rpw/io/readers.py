"""Files as measures and as collections of measures. Nothing is ever unpickled.

==================================== ========================== =====================================================
file                                 one measure                a collection
==================================== ========================== =====================================================
``.csv``, ``.tsv``                   a row per point
``.parquet``, ``.pq``                a row per point
``.png``, ``.jpg`` and other images  `rpw.Measure.from_image`
``.npy``                             (n, d) or (n,)             (B, n, d)
``.npz``                             ``points``, ``weights``;   ``images``; ``histograms`` with ``support``; or
                                     or one array               ``points`` (B, n, d), ``weights``; all with ``labels``
folder                                                          a file per measure, or a folder per class of such files
==================================== ========================== =====================================================

In tables, a column named ``weight`` or ``weights`` holds the weights; every other column is a coordinate. Where two
tables are compared and both have names, columns are matched by name, whatever their order. Clouds of different sizes
are a folder with one file each. Images of a folder must have one size and one kind (grey or colour).
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from itertools import compress
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from rpw.base.check import Array, as_floats, as_points, as_weights
from rpw.base.doubts import has_pixels
from rpw.base.types import PathLike
from rpw.io.arrays import KNOWN_ARRAYS, Arrays, load_arrays, open_archive, unknown_arrays
from rpw.io.files import read_guarded
from rpw.io.images import image_atoms, read_pixels
from rpw.io.tables import WEIGHT_NAMES, Columns, Table, in_order, read_parquet, read_text
from rpw.measure import Measure

__all__ = [
    "IMAGE_SUFFIXES",
    "Collection",
    "describe_image",
    "read_collection",
    "read_pair",
    "read_points",
    "read_queries",
]

IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".webp", ".ppm", ".pgm", ".pbm")

_TABLE_SUFFIXES = (".csv", ".tsv", ".parquet", ".pq")

# Every kind of file that holds one measure, by its ending.
_READERS: dict[str, Callable[[IO[bytes]], Table]] = {
    ".csv": lambda stream: read_text(stream, ","),
    ".tsv": lambda stream: read_text(stream, "\t"),
    ".npy": lambda stream: Table(_as_measure(load_arrays(stream, ".npy"))),
    ".npz": lambda stream: Table(_as_measure(load_arrays(stream, ".npz"))),
    ".parquet": read_parquet,
    ".pq": read_parquet,
    **dict.fromkeys(IMAGE_SUFFIXES, lambda stream: Table(_read_described(stream)[0])),
}


@dataclass(frozen=True, eq=False)
class Collection:
    """Measures that belong together: a list of them, or histograms on one shared support.

    Attributes
    ----------
    names : list of str
        One for each measure: the file's name, or its number.
    measures : list of Measure, or None where there are histograms
    histograms, support : arrays (B, n) and (n, d), or None where there are measures
    labels : array (B,), or None
        The class of each measure.
    skipped : list of str
        Files of the folder that were passed over because of their extension.
    columns : tuple of str, or None
        The names of the coordinates, where the files have some.
    kind : "image", "table" or None
        What the files are; None for arrays, which may hold anything.
    """

    names: list[str]
    measures: list[Measure] | None = None
    histograms: Array | None = None
    support: Array | None = None
    labels: npt.NDArray[Any] | None = None
    skipped: list[str] = field(default_factory=list)
    columns: Columns | None = None
    kind: str | None = None

    def __len__(self) -> int:
        return len(self.names)

    def as_measures(self) -> list[Measure]:
        """The measures; histograms become measures without their entries of zero weight."""
        if self.measures is not None:
            return self.measures
        if self.histograms is None or self.support is None:
            raise ValueError("a collection needs measures, or histograms and their support")
        return [Measure.from_histogram(row, self.support) for row in self.histograms]

    def check_beside(self, kind: str | None, whose: str) -> None:
        """Raise if these are images and ``whose`` files are tables, or the other way round."""
        _check_kinds(self.kind, self.names[0], kind, whose)

    def matched_to(self, columns: Columns | None, whose: str) -> Collection:
        """The same collection with its coordinates in the order of ``columns``; raises where the names differ."""
        if self.measures is None or self.columns is None:
            return self
        tables = [Table(measure, self.columns) for measure in self.measures]
        measures = [_in_order(table, columns, self.names[0], whose) for table in tables]
        return replace(self, measures=measures, columns=columns or self.columns)


def read_points(path: PathLike) -> Measure:
    """Read one measure from a CSV, TSV, NPY, NPZ, Parquet or image file.

    A Measure does not know the names of columns: coordinates come in the order of the file. Two tables whose columns
    may be ordered differently are read together, by `read_pair` or `read_collection`, which match them by name.

    Raises ``OSError`` where the file cannot be opened and ``ValueError`` for everything that is wrong in it.
    """
    return _read_table(Path(path)).measure


def read_pair(first: PathLike, second: PathLike) -> tuple[Measure, Measure]:
    """Read two measures; where both files name their columns, those of the second come in the order of the first."""
    _check_kinds(_kind(Path(second)), str(second), _kind(Path(first)), str(first))
    one, other = _read_table(Path(first)), _read_table(Path(second))
    return one.measure, _in_order(other, one.columns, str(second), str(first))


def read_collection(path: PathLike) -> Collection:
    """Read many measures from a folder (sorted by name), an NPZ file, or an NPY file of shape (B, n, d)."""
    where = Path(path)
    if where.is_dir():
        return _read_folder(where)
    suffix = where.suffix.lower()
    if suffix not in (".npy", ".npz"):
        _reader(where)  # an unknown extension is the likelier mistake
        raise ValueError(f"{where}: holds one measure; a collection is a folder, an NPZ or an NPY file")
    return read_guarded(where, lambda stream: _as_collection(_load_collection(stream, suffix)))


def read_queries(path: PathLike) -> Collection:
    """Read a collection, or one measure as a collection of one."""
    where = Path(path)
    suffix = where.suffix.lower()
    if where.is_dir():
        return _read_folder(where)
    if suffix in (".npy", ".npz"):
        arrays = read_guarded(where, lambda stream: load_arrays(stream, suffix))
        if _is_collection(arrays):
            return read_guarded(where, lambda _: _as_collection(arrays))
    table = _read_table(where)
    return Collection([where.name], [table.measure], columns=table.columns, kind=_kind(where))


def describe_image(path: PathLike) -> str | None:
    """Kind and size of an image file, such as ``a grey image of 28 x 20 pixels`` (width first); None for other files.

    Images with different descriptions become measures in different spaces.
    """
    where = Path(path)
    if where.suffix.lower() not in IMAGE_SUFFIXES:
        return None
    return read_guarded(where, lambda stream: _described(read_pixels(stream)))


# ---------------------------------------------------------------- files


def _kind(where: Path) -> str | None:
    """Whether it is an image or a table; None for arrays, which may hold pixels or points."""
    suffix = where.suffix.lower()
    return "image" if suffix in IMAGE_SUFFIXES else "table" if suffix in _TABLE_SUFFIXES else None


def _check_kinds(kind: str | None, where: str, other_kind: str | None, other: str) -> None:
    """Raise for an image beside a table: there is a number for them, and it means nothing."""
    if {kind, other_kind} == {"image", "table"}:
        here, there = ("an image", "a table") if kind == "image" else ("a table", "an image")
        raise ValueError(
            f"{where}: is {here}, and {other} is {there}: the points of an image are its pixels, in units of its "
            "diagonal, and have nothing to do with the coordinates of a table"
        )


def _read_table(where: Path) -> Table:
    return read_guarded(where, _reader(where))


def _in_order(table: Table, wanted: Columns | None, where: str, other: str) -> Measure:
    """The measure of the file ``where`` with its columns in the order of those of ``other``."""
    try:
        return in_order(table, wanted, other)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def _reader(where: Path) -> Callable[[IO[bytes]], Table]:
    suffix = where.suffix.lower()
    if suffix not in _READERS:
        if where.is_dir():
            raise ValueError(f"{where}: is a folder; one file is needed here")
        if not where.exists():
            raise FileNotFoundError(errno.ENOENT, "does not exist", str(where))
        known = "csv, tsv, npy, npz, parquet, or an image such as png"
        raise ValueError(f"{where}: unknown kind of file {suffix or '(no extension)'!r}; known are {known}")
    return _READERS[suffix]


def _read_folder(where: Path) -> Collection:
    files, skipped = _known_files(where)
    labels = None
    classes = [entry for entry in sorted(where.iterdir()) if entry.is_dir() and not entry.name.startswith(".")]
    if files:
        _check_no_classes(where, files[0], classes)
    else:
        for folder in classes:
            found, passed = _known_files(folder)
            files, skipped = files + found, skipped + passed
        labels = np.array([file.parent.name for file in files])
    if not files:
        raise ValueError(f"{where}: the folder holds no file that can be read (csv, npy, npz, parquet or image)")
    kind = _common_kind(files)
    measures, columns = _read_all(files)
    for file, measure in zip(files, measures, strict=True):
        if measure.dimension != measures[0].dimension:
            raise ValueError(
                f"{file}: its points have {measure.dimension} coordinates, those of {files[0].name} have "
                f"{measures[0].dimension}"
            )
    names = [str(file.relative_to(where)) for file in files]
    passed_over = [str(file.relative_to(where)) for file in skipped]
    return Collection(names, measures, labels=labels, skipped=passed_over, columns=columns, kind=kind)


def _common_kind(files: list[Path]) -> str | None:
    """What the files are, arrays apart; raises where there are images and tables among them."""
    of_kind = [(kind, file) for file in files if (kind := _kind(file)) is not None]
    for kind, file in of_kind:
        _check_kinds(kind, str(file), of_kind[0][0], of_kind[0][1].name)
    return of_kind[0][0] if of_kind else None


def _check_no_classes(where: Path, file: Path, folders: list[Path]) -> None:
    """Raise if there are files in folders beside ``file``: nobody knows whether they, or it, were meant."""
    for folder in folders:
        if os.access(folder, os.R_OK | os.X_OK) and _known_files(folder)[0]:
            raise ValueError(
                f"{where}: holds the file {file.name} and the folder {folder.name} with files of its own; put every "
                "file into the folder of its class, or all of them into one folder"
            )


def _read_all(files: list[Path]) -> tuple[list[Measure], Columns | None]:
    """The measures of the files, and the names of their columns; all images among them must lie in one space."""
    measures, first = [], None
    named: tuple[Path, Columns | None] = files[0], None  # the first file whose columns have names
    for file in files:
        if file.suffix.lower() not in IMAGE_SUFFIXES:
            table = _read_table(file)
            named = (file, table.columns) if named[1] is None else named
            measures.append(_in_order(table, named[1], str(file), str(named[0])))
            continue
        measure, text = read_guarded(file, _read_described)
        measures.append(measure)
        first = first or (file, text)
        if text != first[1]:
            raise ValueError(
                f"{file}: is {text}, and {first[0].name} is {first[1]}: images of different sizes or kinds do not live "
                "in one space"
            )
    return measures, named[1]


def _known_files(where: Path) -> tuple[list[Path], list[Path]]:
    """The files that can be read and the others, sorted by name; hidden files count as neither."""
    files = [entry for entry in sorted(where.iterdir()) if entry.is_file() and not entry.name.startswith(".")]
    is_known = [file.suffix.lower() in _READERS for file in files]
    return list(compress(files, is_known)), [file for file, known in zip(files, is_known, strict=True) if not known]


def _read_described(stream: IO[bytes]) -> tuple[Measure, str]:
    """An image as a measure, and its kind and size."""
    pixels = read_pixels(stream)
    return Measure(*image_atoms(pixels, name="the image")), _described(pixels)


def _described(pixels: npt.NDArray[Any]) -> str:
    height, width, *channels = pixels.shape
    return f"a {'colour' if channels else 'grey'} image of {width} x {height} pixels"


# ---------------------------------------------------------------- what the arrays mean


def _is_collection(arrays: Arrays) -> bool:
    points = arrays.get("points", arrays.get(""))
    return "images" in arrays or "histograms" in arrays or (points is not None and points.ndim == 3)


def _as_measure(arrays: Arrays) -> Measure:
    if _is_collection(arrays):
        shapes = ", ".join(f"{name or 'array'} {array.shape}" for name, array in arrays.items())
        raise ValueError(f"holds a collection, and one measure is needed here ({shapes})")
    if "" in arrays:
        _check_no_image(arrays[""], 2)
        return Measure(arrays[""])
    if "points" not in arrays:
        raise ValueError(unknown_arrays(arrays))
    return Measure(as_floats(arrays["points"], "points"), _weights(arrays))


def _check_no_image(array: npt.NDArray[Any], dimensions: int) -> None:
    """Raise for an array without a name that could be a picture, or several: rows would be taken as points."""
    if has_pixels(array, dimensions):
        raise ValueError(
            f"holds uint8 of shape {array.shape} without a name, images or points: save an image as PNG, several in an "
            "NPZ file as images, and points as floats or in an NPZ file as points"
        )


def _weights(arrays: Arrays) -> npt.NDArray[Any] | None:
    found = [arrays[name] for name in WEIGHT_NAMES if name in arrays]
    if len(found) > 1:
        raise ValueError("holds both weight and weights; one is allowed")
    return found[0] if found else None


_RAGGED = "clouds of different sizes are a folder with one file each"


def _load_collection(stream: IO[bytes], suffix: str) -> Arrays:
    """The arrays of a collection; several of unknown names are most likely clouds that did not fit into one array."""
    if suffix == ".npz":
        with open_archive(stream) as archive:
            names = archive.names
        if len(names) > 1 and not set(names) & set(KNOWN_ARRAYS):
            raise ValueError(_no_collection(names))
        stream.seek(0)
    return load_arrays(stream, suffix)


def _no_collection(names: Iterable[str]) -> str:
    wanted = "a collection is points (B, n, d), images (B, h, w), or histograms (B, n) with support (n, d)"
    return f"{unknown_arrays(names)}; {wanted}; {_RAGGED}"


def _as_collection(arrays: Arrays) -> Collection:
    if "images" in arrays:
        measures = _measures_of_images(arrays["images"])
        return Collection(_numbered(len(measures)), measures, labels=_labels(arrays, len(measures)))
    if "histograms" in arrays:
        return _histograms(arrays)
    points = arrays.get("points", arrays.get(""))
    if points is None:
        raise ValueError(_no_collection(arrays))
    if points.ndim != 3:
        raise ValueError(
            f"points of a collection must have shape (B, n, d), got {points.shape}; histograms need an NPZ file with "
            f"histograms (B, n) and support (n, d); {_RAGGED}"
        )
    _check_some(points, "points")
    if "points" not in arrays:
        _check_no_image(points, 3)
    measures = _measures_of_points(points, _weights(arrays))
    return Collection(_numbered(len(measures)), measures, labels=_labels(arrays, len(measures)))


def _measures_of_images(images: npt.NDArray[Any]) -> list[Measure]:
    if images.ndim not in (3, 4):
        raise ValueError(f"images must have shape (B, h, w) or (B, h, w, 3), got {images.shape}")
    _check_some(images, "images")
    return [Measure(*image_atoms(image, name=f"images[{i}]")) for i, image in enumerate(images)]


def _measures_of_points(points: npt.NDArray[Any], weights: npt.NDArray[Any] | None) -> list[Measure]:
    if weights is not None and weights.shape != points.shape[:2]:
        raise ValueError(f"weights must have shape {points.shape[:2]} like the points, got {weights.shape}")
    measures = []
    for i, cloud in enumerate(points):
        clean = as_points(cloud, f"points[{i}]")
        if weights is not None:
            as_weights(weights[i], f"weights[{i}]", len(clean))  # an error that says which
        measures.append(Measure(clean, None if weights is None else weights[i]))
    return measures


def _histograms(arrays: Arrays) -> Collection:
    if "support" not in arrays:
        raise ValueError("holds histograms without their support")
    support = as_points(arrays["support"], "support")
    given = arrays["histograms"]
    if given.ndim != 2 or given.shape[1] != len(support):
        raise ValueError(f"histograms must have shape (B, {len(support)}) on this support, got {given.shape}")
    _check_some(given, "histograms")
    histograms = as_floats(given, "histograms")
    for i, row in enumerate(histograms):
        as_weights(row, f"histograms[{i}]", len(support))
    labels = _labels(arrays, len(histograms))
    return Collection(_numbered(len(histograms)), histograms=histograms, support=support, labels=labels)


def _labels(arrays: Arrays, count: int) -> npt.NDArray[Any] | None:
    labels = arrays.get("labels")
    if labels is not None and (labels.shape != (count,) or labels.dtype.kind not in "biufU"):
        raise ValueError(f"labels must be {count} numbers or texts, got shape {labels.shape} of {labels.dtype}")
    return labels


def _check_some(array: npt.NDArray[Any], name: str) -> None:
    if len(array) == 0:
        raise ValueError(f"{name} is empty: the collection has no measure")


def _numbered(count: int) -> list[str]:
    return [str(i) for i in range(count)]
