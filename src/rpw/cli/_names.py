"""The names, labels, columns and kind of what an index holds, in a JSON file beside it.

The file carries a digest of the index: names of another index are worse than none.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, NamedTuple

from rpw.io.files import replacing
from rpw.io.readers import Collection

__all__ = ["Names", "beside", "read", "write"]


class Names(NamedTuple):
    """What is known of the measures of an index, as far as the file says; and why, if nothing is known."""

    names: list[str] | None = None
    labels: list[Any] | None = None
    columns: tuple[str, ...] | None = None
    kind: str | None = None
    note: str | None = None


def write(index: Path, collection: Collection) -> None:
    """Store the names and labels of ``collection`` beside ``index``."""
    labels = None if collection.labels is None else collection.labels.tolist()
    content = {"version": 1, "digest": _digest(index), "names": collection.names, "labels": labels}
    content |= {"columns": collection.columns, "kind": collection.kind}
    with replacing(beside(index)) as file:
        file.write(json.dumps(content).encode())


def read(index: Path, count: int) -> Names:
    """The ``count`` names and labels, if the file has some that belong to this index; else the reason."""
    place = beside(index)
    try:
        content = json.loads(place.read_text(encoding="utf-8"))
        if content["version"] != 1 or content["digest"] != _digest(index):
            return Names(note=f"{place.name} belongs to another index: neighbours have numbers only")
        names, labels = [str(name) for name in content["names"]], content["labels"]
        labels = None if labels is None else list(labels)
        if len(names) != count or (labels is not None and len(labels) != count):
            return Names(note=f"{place.name} is damaged: neighbours have numbers only")
        columns = content.get("columns")  # files of rpw 0.1 have none
        columns = None if columns is None else tuple(str(name) for name in columns)
        kind = content.get("kind")
        return Names(names, labels, columns, kind if kind in ("image", "table") else None)
    except FileNotFoundError:
        return Names(note=f"there is no {place.name} beside the index: neighbours have numbers only")
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return Names(note=f"{place.name} cannot be read: neighbours have numbers only")


def beside(index: Path) -> Path:
    """Where the names of an index are."""
    return index.with_name(index.name + ".names.json")


def _digest(index: Path) -> str:
    with index.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
