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
        names, labels, columns, kind = (content[name] for name in ("names", "labels", "columns", "kind"))
        if content["digest"] != _digest(index) or any(len(each) != count for each in (names, labels or names)):
            raise ValueError("of another index")
        return Names(names, labels, None if columns is None else tuple(columns), kind)
    except (OSError, ValueError, KeyError, TypeError):
        return Names(note=f"there is no {place.name} that belongs to this index: neighbours have numbers only")


def beside(index: Path) -> Path:
    """Where the names of an index are."""
    return index.with_name(index.name + ".names.json")


def _digest(index: Path) -> str:
    with index.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
