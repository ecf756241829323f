"""Files as measures and as collections of measures. Nothing is ever unpickled. `rpw.readers` lists the formats."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import compress
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from rpw.base.advice import has_pixels
from rpw.base.check import Array, as_floats, as_points, as_weights
from rpw.base.shared_docs import documented
from rpw.base.types import PathLike
from rpw.io.arrays import RAGGED, Arrays, load_arrays, unknown_arrays
from rpw.io.delimited import WEIGHT_NAMES, TextRules
from rpw.io.files import read_guarded
from rpw.io.images import image_atoms, read_pixels
from rpw.io.selection import EVERYTHING, Selection
from rpw.io.tables import Columns, Table, as_table, in_order, read_parquet, read_text
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

#: The extensions of image files that can be read.
IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".webp", ".ppm", ".pgm", ".pbm")

_TABLE_SUFFIXES = (".csv", ".tsv", ".parquet", ".pq")
_ARRAY_SUFFIXES = (".npy", ".npz")

# Every kind of file that holds one measure, by its ending.
_READERS: dict[str, Callable[[IO[bytes], Selection], Table]] = {
    ".csv": lambda stream, wanted: read_text(stream, ",", wanted),
    ".tsv": lambda stream, wanted: read_text(stream, "\t", wanted),
    ".npy": lambda stream, wanted: _as_measure(load_arrays(stream, ".npy"), wanted),
    ".npz": lambda stream, wanted: _as_measure(load_arrays(stream, ".npz"), wanted),
    ".parquet": read_parquet,
    ".pq": read_parquet,
    **dict.fromkeys(IMAGE_SUFFIXES, lambda stream, wanted: _read_image(stream, wanted)),
}


@dataclass(frozen=True, eq=False)
class Collection:
    r"""Measures that were read together: a list of them, or histograms on one support.

    `rpw.readers.read_collection` and `rpw.readers.read_queries` return it.

    Parameters
    ----------
    names : list of str
        The file name of each measure, or its number.
    measures : list of Measure, optional
        The measures; None if there are histograms.
    histograms : array of shape (B, n), optional
        The histograms; None if there are measures.
    support : array of shape (n, d), optional
        The points of the histograms.
    labels : array of shape (B,), optional
        The class of each measure.
    skipped : list of str, optional
        Files of the folder that were skipped because of their extension.
    columns : tuple of str, optional
        The names of the coordinates, if the files have some.
    kind : {"image", "table", None}, default None
        What the files are; None for arrays, which can hold anything.
    dropped : int, default 0
        How many rows with missing values were left out.

    Examples
    --------
    >>> import pathlib, tempfile, rpw
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("a", "b"):
    ...         _ = (pathlib.Path(folder) / f"{name}.csv").write_text("x,y\n0,0\n3,4\n")
    ...     collection = rpw.readers.read_collection(folder)
    >>> collection.names, collection.columns
    (['a.csv', 'b.csv'], ('x', 'y'))
    """

    names: list[str]
    measures: list[Measure] | None = None
    histograms: Array | None = None
    support: Array | None = None
    labels: npt.NDArray[Any] | None = None
    skipped: list[str] = field(default_factory=list)
    columns: Columns | None = None
    kind: str | None = None
    dropped: int = 0

    def __len__(self) -> int:
        return len(self.names)

    def as_measures(self) -> list[Measure]:
        """Return the measures; histograms become measures without their empty bins.

        Returns
        -------
        list of Measure
            One for each name.

        Examples
        --------
        >>> import numpy as np
        >>> import rpw
        >>> histograms, support = np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([[0.0], [1.0]])
        >>> rpw.readers.Collection(["0", "1"], histograms=histograms, support=support).as_measures()
        [Measure(1 point in 1 dimension, uniform), Measure(2 points in 1 dimension, uniform)]
        """
        if self.measures is not None:
            return self.measures
        if self.histograms is None or self.support is None:
            raise ValueError("a collection needs measures, or histograms and their support")
        return [Measure.from_histogram(row, self.support) for row in self.histograms]

    def check_beside(self, kind: str | None, whose: str) -> None:
        """Raise a ValueError if these files are images and other files are tables, or the other way round.

        Parameters
        ----------
        kind : {"image", "table", None}
            What the other files are.
        whose : str
            What the message calls them.

        Examples
        --------
        >>> import rpw
        >>> collection = rpw.readers.Collection(["a.png"], [rpw.Measure([[0.0, 0.0]])], kind="image")
        >>> collection.check_beside("image", "b.png")
        """
        _check_kinds(self.kind, self.names[0], kind, whose)

    def matched_to(self, columns: Columns | None, whose: str) -> Collection:
        """Return the same collection with its coordinates in the order of the given columns.

        Parameters
        ----------
        columns : tuple of str or None
            The names of the coordinates, in their order; with None, nothing changes.
        whose : str
            What the message calls the file with that order.

        Returns
        -------
        Collection
            The collection.

        Raises
        ------
        ValueError
            If the names differ.

        Examples
        --------
        >>> import rpw
        >>> collection = rpw.readers.Collection(["a.csv"], [rpw.Measure([[1.0, 2.0]])], columns=("x", "y"))
        >>> collection.matched_to(("y", "x"), "b.csv").measures[0].points
        array([[2., 1.]])
        """
        if self.measures is None or self.columns is None:
            return self
        tables = [Table(measure, self.columns) for measure in self.measures]
        measures = [in_order(table, self.names[0], columns, whose) for table in tables]
        return replace(self, measures=measures, columns=columns or self.columns)


@documented
def read_points(path: PathLike, *, decimal: str | None = None, header: bool | None = None) -> Measure:
    r"""Read one measure from a CSV, TSV, NPY, NPZ, Parquet or image file.

    In a table, a column named ``weight`` or ``weights`` holds the weights; every other column is a coordinate.

    Coordinates come in the order of the file. To match two tables by the names of their columns, use
    `rpw.readers.read_pair` or `rpw.readers.read_collection`.

    Parameters
    ----------
    path : str or path
        The file.
    %(text_rules)s

    Returns
    -------
    Measure
        The points and their weights.

    Raises
    ------
    OSError
        If the file cannot be opened.
    ValueError
        If its content cannot be read; the message says where.

    Examples
    --------
    >>> import pathlib, tempfile, rpw
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "points.csv"
    ...     _ = path.write_text("x,y,weight\n0,0,3\n3,4,1\n")
    ...     measure = rpw.readers.read_points(path)
    >>> measure.points, measure.weights
    (array([[0., 0.],
           [3., 4.]]), array([0.75, 0.25]))
    """
    return _read_table(Path(path), _by(decimal, header)).measure


@documented
def read_pair(
    first: PathLike, second: PathLike, *, decimal: str | None = None, header: bool | None = None
) -> tuple[Measure, Measure]:
    r"""Read two measures; if both files name their columns, they are matched by name.

    Parameters
    ----------
    first, second : str or path
        The files, as in `rpw.readers.read_points`.
    %(text_rules)s

    Returns
    -------
    first : Measure
        The first measure.
    second : Measure
        The second measure, with its coordinates in the order of the first file.

    Raises
    ------
    OSError
        If a file cannot be opened.
    ValueError
        If a file cannot be read, if the columns have different names, or if one is an image and the other a table.

    Examples
    --------
    >>> import pathlib, tempfile, rpw
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     one, two = (pathlib.Path(folder) / name for name in ("one.csv", "two.csv"))
    ...     _ = one.write_text("x,y\n1,2\n"), two.write_text("y,x\n2,1\n")
    ...     x, y = rpw.readers.read_pair(one, two)
    >>> x == y
    True
    """
    one, other = select_pair(first, second, _by(decimal, header))
    return one.measure, other.measure


def _by(decimal: str | None, header: bool | None) -> Selection:
    return Selection(text=TextRules(decimal, header))


def select_pair(first: PathLike, second: PathLike, wanted: Selection = EVERYTHING) -> tuple[Table, Table]:
    """As `read_pair`, of chosen columns and rows."""
    _check_kinds(_kind(Path(second)), str(second), _kind(Path(first)), str(first))
    one, other = _read_table(Path(first), wanted), _read_table(Path(second), wanted)
    return one, other._replace(measure=in_order(other, str(second), one.columns, str(first)))


@documented
def read_collection(path: PathLike, *, decimal: str | None = None, header: bool | None = None) -> Collection:
    """Read many measures from a folder, an NPZ file, or an NPY file.

    Parameters
    ----------
    path : str or path
        One of

        - a folder with a file for each measure, read in the order of their names (``patient9`` before ``patient10``),
        - a folder with such a folder for each class,
        - an NPY file of shape (B, n, d),
        - an NPZ file with ``points`` (B, n, d), or ``images`` (B, h, w) or (B, h, w, 3), or ``histograms`` (B, n) and
          ``support`` (n, d). It may also have ``labels`` (B,).
    %(text_rules)s

    Returns
    -------
    Collection
        The measures, with their names and labels.

    Raises
    ------
    OSError
        If a file cannot be opened.
    ValueError
        If a file cannot be read; the message names it.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import numpy as np
    >>> import rpw
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "clouds.npy"
    ...     np.save(path, np.zeros((3, 10, 2)))
    ...     len(rpw.readers.read_collection(path))
    3
    """
    return select_collection(path, _by(decimal, header))


def select_collection(path: PathLike, wanted: Selection = EVERYTHING) -> Collection:
    """As `read_collection`, of chosen columns and rows."""
    where = Path(path)
    if where.is_dir():
        return _read_folder(where, wanted)
    if where.suffix.lower() not in _ARRAY_SUFFIXES:
        _reader(where)  # an unknown extension is the likelier mistake
        raise ValueError(f"{where}: holds one measure; a collection is a folder, an NPZ or an NPY file")
    return read_guarded(where, lambda stream: _as_collection(_arrays(stream, where), wanted))


@documented
def read_queries(path: PathLike, *, decimal: str | None = None, header: bool | None = None) -> Collection:
    r"""Read a collection, or one measure as a collection of one.

    Parameters
    ----------
    path : str or path
        As in `rpw.readers.read_collection` or `rpw.readers.read_points`.
    %(text_rules)s

    Returns
    -------
    Collection
        The measures, with their names.

    Raises
    ------
    OSError
        If a file cannot be opened.
    ValueError
        If a file cannot be read; the message names it.

    Examples
    --------
    >>> import pathlib, tempfile, rpw
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "points.csv"
    ...     _ = path.write_text("x,y\n0,0\n3,4\n")
    ...     rpw.readers.read_queries(path).names
    ['points.csv']
    """
    return select_queries(path, _by(decimal, header))


def select_queries(path: PathLike, wanted: Selection = EVERYTHING) -> Collection:
    """As `read_queries`, of chosen columns and rows."""
    where = Path(path)
    if where.is_dir():
        return _read_folder(where, wanted)
    if where.suffix.lower() in _ARRAY_SUFFIXES:
        return read_guarded(where, lambda stream: _as_queries(_arrays(stream, where), where, wanted))
    return _alone(_read_table(where, wanted), where)


def _as_queries(arrays: Arrays, where: Path, wanted: Selection) -> Collection:
    return _as_collection(arrays, wanted) if _is_collection(arrays) else _alone(_as_measure(arrays, wanted), where)


def _alone(table: Table, where: Path) -> Collection:
    return Collection([where.name], [table.measure], columns=table.columns, kind=_kind(where), dropped=table.dropped)


def describe_image(path: PathLike) -> str | None:
    """Describe an image file by its kind and size, width first.

    Images with different descriptions become measures in different spaces.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    str or None
        For example ``"a grey image of 28 x 20 pixels"``; None if the file is not an image.

    Examples
    --------
    >>> import pathlib, tempfile, rpw
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "small.pgm"
    ...     _ = path.write_bytes(b"P5 3 2 255 " + bytes(6))
    ...     rpw.readers.describe_image(path)
    'a grey image of 3 x 2 pixels'
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


def _read_table(where: Path, wanted: Selection = EVERYTHING) -> Table:
    reader = _reader(where)
    return read_guarded(where, lambda stream: reader(stream, wanted))


def _reader(where: Path) -> Callable[[IO[bytes], Selection], Table]:
    suffix = where.suffix.lower()
    if suffix not in _READERS:
        if where.is_dir():
            raise ValueError(f"{where}: is a folder; one file is needed here")
        if not where.exists():
            raise FileNotFoundError(errno.ENOENT, "does not exist", str(where))
        known = "csv, tsv, npy, npz, parquet, or an image such as png"
        raise ValueError(f"{where}: unknown kind of file {suffix or '(no extension)'!r}; known are {known}")
    return _READERS[suffix]


def _read_folder(where: Path, wanted: Selection) -> Collection:
    files, skipped = _known_files(where)
    labels = None
    classes = [entry for entry in _entries(where) if entry.is_dir() and not entry.name.startswith(".")]
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
    measures, columns, dropped = _read_all(files, wanted)
    names = [str(file.relative_to(where)) for file in files]
    passed_over = [str(file.relative_to(where)) for file in skipped]
    return Collection(names, measures, labels=labels, skipped=passed_over, columns=columns, kind=kind, dropped=dropped)


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


def _read_all(files: list[Path], wanted: Selection) -> tuple[list[Measure], Columns | None, int]:
    """The measures of the files, the names of their columns, and how many rows were left out."""
    measures, dropped = [], 0
    columns: tuple[Path, Columns | None] = files[0], None  # the first file whose columns have names
    image: tuple[Path, str] | None = None  # the first image, and what it is
    for file in files:
        table = _read_table(file, wanted)
        columns = (file, table.columns) if columns[1] is None else columns
        if table.image is not None:
            image = image or (file, table.image)
            if table.image != image[1]:
                raise ValueError(
                    f"{file}: is {table.image}, and {image[0].name} is {image[1]}: images of different sizes or kinds "
                    "cannot be compared; make them equal first"
                )
        measures.append(in_order(table, str(file), columns[1], str(columns[0])))
        if measures[-1].dimension != measures[0].dimension:
            raise ValueError(
                f"{file}: its points have {measures[-1].dimension} coordinates, those of {files[0].name} have "
                f"{measures[0].dimension}"
            )
        dropped += table.dropped
    return measures, columns[1], dropped


def _entries(where: Path) -> list[Path]:
    """By name, with numbers by size: patient21 comes after patient20, not after patient2, so that a matrix can grow."""
    return sorted(where.iterdir(), key=lambda entry: (_words_and_numbers(entry.name), entry.name))


def _words_and_numbers(name: str) -> list[str | int]:
    return [int(part) if place % 2 else part for place, part in enumerate(re.split("([0-9]+)", name))]


def _known_files(where: Path) -> tuple[list[Path], list[Path]]:
    """The files that can be read and the others, in order; hidden files count as neither."""
    files = [entry for entry in _entries(where) if entry.is_file() and not entry.name.startswith(".")]
    is_known = [file.suffix.lower() in _READERS for file in files]
    return list(compress(files, is_known)), [file for file, known in zip(files, is_known, strict=True) if not known]


def _read_image(stream: IO[bytes], wanted: Selection) -> Table:
    if wanted.chooses:
        raise ValueError("is an image, which has no columns to choose from")
    pixels = read_pixels(stream)
    return Table(Measure(*image_atoms(pixels, name="the image")), image=_described(pixels))


def _described(pixels: npt.NDArray[Any]) -> str:
    height, width, *channels = pixels.shape
    return f"a {'colour' if channels else 'grey'} image of {width} x {height} pixels"


# ---------------------------------------------------------------- what the arrays mean


def _arrays(stream: IO[bytes], where: Path) -> Arrays:
    return load_arrays(stream, where.suffix.lower())


def _is_collection(arrays: Arrays) -> bool:
    points = arrays.get("points", arrays.get(""))
    return "images" in arrays or "histograms" in arrays or (points is not None and points.ndim == 3)


def _as_measure(arrays: Arrays, wanted: Selection) -> Table:
    if _is_collection(arrays):
        shapes = ", ".join(f"{name or 'array'} {array.shape}" for name, array in arrays.items())
        raise ValueError(f"holds a collection, and one measure is needed here ({shapes})")
    if "" in arrays:
        _check_no_image(arrays[""], 2)
        return _as_cloud(arrays[""], None, wanted)
    if "points" not in arrays:
        raise ValueError(unknown_arrays(arrays))
    return _as_cloud(arrays["points"], _weights(arrays), wanted)


def _as_cloud(points: npt.NDArray[Any], weights: npt.NDArray[Any] | None, wanted: Selection) -> Table:
    """The measure of an array of points (n, d) or (n,), of chosen columns and rows."""
    are_numbers = all(each is None or each.dtype.kind in "biuf" for each in (points, weights))
    fits = points.ndim in (1, 2) and (weights is None or weights.shape == points.shape[:1])
    if wanted.is_whole or not (are_numbers and fits):
        return Table(Measure(as_floats(points, "points"), weights))  # or an error that says what is wrong
    columns = points.reshape(len(points), -1)
    places = wanted.places([], columns.shape[1])
    labels = [f"column {place + 1}" for place in places]
    return as_table(columns[:, places], weights, labels, wanted.drop_missing)


def _check_no_image(array: npt.NDArray[Any], dimensions: int) -> None:
    """Raise for an array without a name that could be a picture, or several: rows would be taken as points."""
    if has_pixels(array, dimensions):
        raise ValueError(
            f"holds an unnamed uint8 array of shape {array.shape}, which could be images or points: "
            "save an image as PNG, several images in an NPZ file under the name images, and points "
            "as floats or in an NPZ file under the name points"
        )


def _weights(arrays: Arrays) -> npt.NDArray[Any] | None:
    found = [arrays[name] for name in WEIGHT_NAMES if name in arrays]
    if len(found) > 1:
        raise ValueError("holds both weight and weights; one is allowed")
    return found[0] if found else None


def _as_collection(arrays: Arrays, wanted: Selection) -> Collection:
    if wanted.chooses and {"images", "histograms"} & set(arrays):
        raise ValueError(f"holds {', '.join(arrays)}, which have no columns to choose from")
    if "images" in arrays:
        measures = _measures_of_images(arrays["images"])
        return Collection(_numbered(len(measures)), measures, labels=_labels(arrays, len(measures)))
    if "histograms" in arrays:
        return _histograms(arrays)
    points = arrays.get("points", arrays.get(""))
    if points is None:
        raise ValueError(unknown_arrays(arrays))
    if points.ndim != 3:
        raise ValueError(
            f"points of a collection must have shape (B, n, d), got {points.shape}; histograms need an NPZ file with "
            f"histograms (B, n) and support (n, d); {RAGGED}"
        )
    _check_some(points, "points")
    if "points" not in arrays:
        _check_no_image(points, 3)
    clouds = _clouds(points, _weights(arrays), wanted)
    return Collection(
        _numbered(len(clouds)),
        [cloud.measure for cloud in clouds],
        labels=_labels(arrays, len(clouds)),
        dropped=sum(cloud.dropped for cloud in clouds),
    )


def _measures_of_images(images: npt.NDArray[Any]) -> list[Measure]:
    if images.ndim not in (3, 4):
        raise ValueError(f"images must have shape (B, h, w) or (B, h, w, 3), got {images.shape}")
    _check_some(images, "images")
    return [Measure(*image_atoms(image, name=f"images[{i}]")) for i, image in enumerate(images)]


def _clouds(points: npt.NDArray[Any], weights: npt.NDArray[Any] | None, wanted: Selection) -> list[Table]:
    """The clouds of an array (B, n, d), of chosen columns and rows."""
    if weights is not None and weights.shape != points.shape[:2]:
        raise ValueError(f"weights must have shape {points.shape[:2]} like the points, got {weights.shape}")
    clouds = []
    for i, cloud in enumerate(points):
        try:
            clouds.append(_as_cloud(cloud, None if weights is None else weights[i], wanted))
        except ValueError as error:
            raise ValueError(f"points[{i}]: {error}") from None
    return clouds


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
