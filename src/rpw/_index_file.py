"""The file of an `rpw.Index`: NumPy's ``npz`` with a description in JSON. Nothing is unpickled, nothing is trusted."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rpw import _check as check
from rpw._arrays import open_archive
from rpw._check import Array
from rpw._collection import Collection, Space, as_space
from rpw._files import replacing
from rpw._pairs import PairDistance, as_pair_distance

__all__ = ["Content", "read", "write"]

_FORMAT = "rpw index"
_VERSION = 2
_ZIP_MAGIC = b"PK"
_NAMES = ("about", "start", "weights", "mass", "points", "place", "support", "cost", "pivots", "from_pivots")


class Content(NamedTuple):
    """All that an index is: the distance, the measures and their space, the pivots and their distances to all."""

    distance: PairDistance
    space: Space
    items: Collection
    pivots: npt.NDArray[np.int64]
    from_pivots: Array


def write(path: Any, content: Content) -> None:
    """Write the file as a whole or not at all."""
    distance, space, items, pivots, from_pivots = content
    if not isinstance(distance.metric, str):
        raise ValueError("an index with a callable metric cannot be saved: functions are not data")
    arrays: dict[str, Any] = {"start": items.start, "weights": items.weights, "mass": items.mass}
    optional = {"points": items.points, "place": items.place, "support": space.support, "cost": space.cost}
    arrays |= {name: array for name, array in optional.items() if array is not None}
    about = json.dumps({"format": _FORMAT, "version": _VERSION, "distance": asdict(distance)})
    with replacing(path) as file:
        np.savez(file, about=np.array(about), pivots=pivots, from_pivots=from_pivots, **arrays)


def read(path: Any) -> Content:
    """Read and check what `write` wrote."""
    arrays = _stored_arrays(Path(path))
    about = _about(arrays)
    if about is None:
        raise ValueError(f"{path} is not an rpw index")
    if about.get("version") != _VERSION:
        raise ValueError(
            f"{path} is an rpw index of format {about.get('version')}, and this version of rpw reads format "
            f"{_VERSION}: build it again"
        )
    try:
        return _content(arrays, **about["distance"])
    except KeyError as error:
        raise ValueError(f"{path} is damaged: it has no {error}") from error
    except Exception as error:  # arrays that do not fit together can raise nearly anything
        raise ValueError(f"{path} is damaged: {error}") from error


def _content(arrays: dict[str, Any], *, name: Any, metric: Any, diameter: Any, **given: Any) -> Content:
    """What the arrays say, checked like an index that is built: the core trusts its arrays."""
    if name != "rpw" or not isinstance(metric, str):
        raise ValueError(f"distance {name!r} with metric {metric!r} is not one of an index")
    distance = as_pair_distance(name, metric=metric, diameter=check.as_positive(diameter, "diameter"), **given)
    space = as_space(arrays.get("support"), arrays.get("cost"))
    items = Collection(arrays["start"], arrays["weights"], arrays["mass"], arrays.get("points"), arrays.get("place"))
    items.check(space)
    _check_pivots(arrays["pivots"], arrays["from_pivots"], len(items))
    return Content(distance, space, items, arrays["pivots"], arrays["from_pivots"])


def _check_pivots(pivots: Any, from_pivots: Any, count: int) -> None:
    """Raise unless they are the numbers of measures, and their distances to all ``count`` of them."""
    if pivots.dtype != np.int64 or pivots.ndim != 1 or ((pivots < 0) | (pivots >= count)).any():
        raise ValueError("pivots are not numbers of measures")
    is_sound = from_pivots.dtype == np.float64 and from_pivots.shape == (len(pivots), count)
    if not is_sound or not from_pivots.flags.c_contiguous or not ((from_pivots >= 0) & (from_pivots <= 1 + 1e-9)).all():
        raise ValueError("from_pivots are not the distances from the pivots")


def _stored_arrays(path: Path) -> dict[str, Any]:
    """The arrays of an index; what else the file may hold is not read."""
    if path.is_dir():
        raise ValueError(f"{path} is not an rpw index: it is a folder")
    with path.open("rb") as file:
        if file.read(len(_ZIP_MAGIC)) != _ZIP_MAGIC:
            raise ValueError(f"{path} is not an rpw index")
        file.seek(0)
        try:
            with open_archive(file) as stored:
                if "about" not in stored.names:
                    return {}
                return stored.read(name for name in stored.names if name in _NAMES)
        except MemoryError as error:
            raise MemoryError(f"{path}: {error}") from error
        except Exception as error:  # zipfile and zlib raise types of their own on damaged files
            reason = " ".join(str(error).split()) or type(error).__name__
            raise ValueError(f"{path} is not an rpw index, or damaged: {reason}") from error


def _about(arrays: dict[str, Any]) -> dict[str, Any] | None:
    """What the file says of itself, if it is an index."""
    try:
        about = json.loads(str(arrays["about"]))
    except (KeyError, ValueError):
        return None
    return about if isinstance(about, dict) and about.get("format") == _FORMAT else None
