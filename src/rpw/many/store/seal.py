"""A zarr.json carries a digest of what rpw wrote into it, so that a later change is noticed.

Other entries and other attributes are somebody else's, and may change.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from rpw.many.store.layout import layout_of
from rpw.many.store.manifest import FOR_PEOPLE, NAMES

_OF_ZARR = tuple(layout_of((), (1, 1), (1, 1)))


def sealed(metadata: dict[str, Any]) -> dict[str, Any]:
    """The content of a zarr.json, with its digest."""
    attributes = metadata["attributes"]
    facts = {**attributes["rpw"], "digest": _digest(metadata)}
    return {**metadata, "attributes": {**attributes, "rpw": facts}}


def check_seal(metadata: dict[str, Any]) -> None:
    """Raise if the content was changed after it was written; stores that are older than the digest have none."""
    digest = metadata["attributes"]["rpw"].get("digest")
    if digest is not None and digest != _digest(metadata):
        raise ValueError("it was changed after rpw had written it")


def _digest(metadata: dict[str, Any]) -> str:
    attributes = metadata["attributes"]
    facts = {name: value for name, value in attributes["rpw"].items() if name != "digest"}
    said = {name: attributes[name] for name in (*FOR_PEOPLE, *NAMES) if name in attributes}
    ours = [{name: metadata[name] for name in _OF_ZARR}, said, facts]
    return hashlib.sha256(json.dumps(ours, sort_keys=True).encode()).hexdigest()
