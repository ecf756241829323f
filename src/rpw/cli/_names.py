"""The names and labels of what an index holds, in a JSON file beside it.

The file carries a digest of the index: names of another index are worse than none.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from rpw.readers import Collection

__all__ = ["read", "write"]


def write(index: Path, collection: Collection) -> None:
    """Store the names and labels of ``collection`` beside ``index``."""
    labels = None if collection.labels is None else collection.labels.tolist()
    content = {"version": 1, "digest": _digest(index), "names": collection.names, "labels": labels}
    _beside(index).write_text(json.dumps(content), encoding="utf-8")


def read(index: Path) -> tuple[list[str] | None, list[Any] | None]:
    """Names and labels, or None where there are none that belong to this index."""
    try:
        content = json.loads(_beside(index).read_text(encoding="utf-8"))
        if content["version"] != 1 or content["digest"] != _digest(index):
            return None, None
        names, labels = [str(name) for name in content["names"]], content["labels"]
        return names, None if labels is None else list(labels)
    except (OSError, ValueError, KeyError, TypeError):
        return None, None


def _beside(index: Path) -> Path:
    return index.with_name(index.name + ".names.json")


def _digest(index: Path) -> str:
    with index.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
