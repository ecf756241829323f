"""The file of an `rpw.Index`: NumPy's ``npz`` with a description in JSON. Nothing is unpickled, nothing is trusted."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rpw.base import check
from rpw.base.columns import Columns
from rpw.io.arrays import open_archive
from rpw.io.files import replacing
from rpw.many.collection import check_collection
from rpw.many.support import as_shared_ground
from rpw.pair.atoms import Atoms
from rpw.pair.ground import Ground
from rpw.pair.metrics import as_metric
from rpw.pair.question import Question, as_question

__all__ = ["Content", "read", "write"]

_FORMAT = "rpw index"
_VERSION = 4
_ZIP_MAGIC = b"PK"
_NAMES = ("about", "start", "weights", "mass", "points", "place", "support", "cost")


class Content(NamedTuple):
    """All that an index is: the question, the measures and their ground, and the names of the columns of the tables
    that it was built from."""

    question: Question
    ground: Ground
    items: Atoms
    columns: Columns


def write(path: Path, content: Content) -> None:
    """Write the file as a whole or not at all."""
    question, ground, items, columns = content
    if ground.metric.calls_python:
        raise ValueError(
            "an index with a callable metric cannot be saved, because a function cannot be "
            "written to the file: choose a metric by its name, or pass cost="
        )
    arrays: dict[str, Any] = {"start": items.start, "weights": items.weights, "mass": items.mass}
    arrays |= {"points" if ground.size is None else "place": items.where} | ground.arrays()
    distance = {name: getattr(question, name) for name in ("name", "p", "k", "mass", "lam")}
    distance |= {"metric": ground.metric.given, "diameter": question.diameter}
    about: dict[str, Any] = {"format": _FORMAT, "version": _VERSION, "distance": distance}
    if columns.names:
        about["columns"] = columns.names
    about["digest"] = _digest(about, arrays)
    with replacing(path) as file:
        np.savez(file, about=np.array(json.dumps(about)), **arrays)


def read(path: Path) -> Content:
    """Read and check what `write` wrote."""
    arrays = _stored_arrays(path)
    about = _about(arrays)
    if about is None:
        raise ValueError(f"{path} is not an rpw index")
    if about.get("version") != _VERSION:
        raise ValueError(f"{path} is an rpw index of another version of rpw: build it again")
    try:
        content = _content(arrays, about.get("columns", []), **about["distance"])
        if about["digest"] != _digest(about, {name: array for name, array in arrays.items() if name != "about"}):
            raise ValueError("its arrays do not match the digest that was written with them")
        return content
    except KeyError as error:
        raise ValueError(f"{path} is damaged: it has no {error}") from error
    except Exception as error:  # arrays that do not fit together can raise nearly anything
        raise ValueError(f"{path} is damaged: {error}") from error


def _content(
    arrays: dict[str, Any],
    columns: Any,
    *,
    name: Any,
    metric: Any,
    diameter: Any,
    p: Any,
    k: Any,
    mass: Any = None,
    lam: Any = None,
) -> Content:
    """What the arrays say, checked like an index that is built: the core trusts its arrays."""
    if name != "rpw" or not isinstance(metric, str):
        raise ValueError(f"distance {name!r} with metric {metric!r} is not one of an index")
    question = as_question(name, p=p, k=k, diameter=check.as_positive(diameter, "diameter"), mass=mass, lam=lam)
    ground = as_shared_ground(arrays.get("support"), arrays.get("cost"), as_metric(metric))
    if ("points" in arrays) == ("place" in arrays) or ("points" in arrays) != (ground.size is None):
        raise ValueError("there must be either points, or place with support or cost")
    where = arrays["points" if ground.size is None else "place"]
    items = Atoms(arrays["start"], arrays["weights"], arrays["mass"], where)
    check_collection(items, ground)
    names = [tuple(str(name) for name in each) for each in columns]
    known = Columns.stored("the index", names, of_places=ground.size is not None)
    return Content(question, ground, items, known)


def _digest(about: dict[str, Any], arrays: dict[str, Any]) -> str:
    """SHA-256 of the parameters, of the names of columns if there are any, and of each array, in the order of their
    names."""
    digest = hashlib.sha256(json.dumps(about["distance"], sort_keys=True).encode())
    if "columns" in about:
        digest.update(json.dumps(about["columns"]).encode())
    for name, array in sorted(arrays.items()):
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


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
                is_index = "about" in stored.names
                return stored.read(name for name in stored.names if name in _NAMES) if is_index else {}
        except MemoryError as error:
            raise MemoryError(f"{path}: {error}") from error
        except Exception as error:  # zipfile and zlib raise types of their own on damaged files
            reason = " ".join(str(error).split()) or type(error).__name__
            raise ValueError(f"{path} is not an rpw index, or damaged: {reason}") from error


def _about(arrays: dict[str, Any]) -> dict[str, Any] | None:
    """What the file says of itself, if it is an index."""
    try:
        about = json.loads(str(arrays["about"]))
    except (KeyError, ValueError, RecursionError):  # the last: brackets in brackets, without end
        return None
    return about if isinstance(about, dict) and about.get("format") == _FORMAT else None
