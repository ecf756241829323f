"""The manifest of a store, its zarr.json: Zarr's own metadata, and what the matrix is the matrix of.

A digest of what rpw wrote into it shows a later change. Other entries and attributes are somebody else's, and may
change.
"""

from __future__ import annotations

import hashlib
import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from rpw.base.check import Array
from rpw.base.version import VERSION
from rpw.many.batch import PairBatch
from rpw.many.store.folder import METADATA, put

NAMES = ("rows", "columns")  # attributes with the names of the measures

# Attributes that say for people what the fingerprint stands for, and what they are where nothing is said.
_SAID = ("distance", "p", "k", "diameter", "mass", "lam", "tol", "solver", "metric", "device", "symmetric", "shape")
_DEFAULTS = {"device": "cpu", "tol": 0.0, "solver": "auto"}
_OF_ZARR = {
    "zarr_format": 3,
    "node_type": "array",
    "data_type": "float64",
    "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
    "fill_value": "NaN",
    "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
}


def manifest_of(batch: PairBatch, tile: tuple[int, ...], before: list[dict[str, Any]]) -> dict[str, Any]:
    """The manifest of a matrix in tiles of a size, or of a stack of matrices (k first).

    ``before`` has the fingerprints and shapes of a matrix before it grew. The digests of its chunks stand on them.
    """
    return _OF_ZARR | {
        "shape": _shape(batch),
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [*batch.stack, *tile]}},
        "attributes": _attributes(batch) | {"rpw": _facts(batch) | ({"before": before} if before else {})},
    }


def _shape(batch: PairBatch) -> list[int]:
    return [*batch.stack, len(batch.a), len(batch.b)]


def _attributes(batch: PairBatch) -> dict[str, Any]:
    """The parameters of a run. Floats in JSON come back bit for bit."""
    facts: dict[str, Any] = {name: getattr(batch.question, name) for name in ("p", "k", "diameter", "mass", "lam")}
    given = {name: value for name, value in facts.items() if value is not None}  # mass and lam: where they belong
    return {
        "distance": batch.question.name,
        **{name: value if math.isfinite(value) else str(value) for name, value in given.items()},
        **({"k": list(batch.question.several_k)} if batch.stack else {}),
        **batch.question.effort,
        "metric": batch.ground.metric.describe(),
        "device": batch.device,
        "symmetric": batch.is_symmetric,
        "shape": _shape(batch),
    }


def _facts(batch: PairBatch) -> dict[str, Any]:
    shared = batch.ground.arrays()
    inputs = {
        "A": batch.a.fingerprint,
        "B": "A" if batch.b is batch.a else batch.b.fingerprint,
        "support": _digest_of_array(shared.get("support")),
        "cost": _digest_of_array(shared.get("cost")),
    }
    form = 3 if batch.stack else 2  # what other versions read
    return {"format": form, "version": VERSION, "fingerprint": batch.fingerprint, "inputs": inputs}


def _digest_of_array(array: Array | None) -> str | None:
    if array is None:
        return None
    digest = hashlib.sha256(str(array.shape).encode())
    digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def save(folder: Path, manifest: dict[str, Any]) -> None:
    """Write the manifest, with its digest."""
    attributes = manifest["attributes"]
    facts = attributes["rpw"] | {"digest": _digest(manifest)}
    content = json.dumps(manifest | {"attributes": attributes | {"rpw": facts}}, indent=1, allow_nan=False)
    put(folder, METADATA, content.encode())


def load(folder: Path) -> dict[str, Any] | None:
    """The manifest that is there, if there is one; it must be as it was written."""
    try:
        content = (folder / METADATA).read_bytes()
    except FileNotFoundError:
        return None
    try:
        manifest: dict[str, Any] = json.loads(content)
        is_whole = manifest["attributes"]["rpw"]["digest"] == _digest(manifest)
    except (ValueError, KeyError, TypeError, RecursionError):  # anything can stand there
        is_whole = False
    if not is_whole:
        reason = "its zarr.json is damaged, or not of this version of rpw"
        raise ValueError(f"out={str(folder)!r}: {reason}: choose another path, or remove the folder")
    return manifest


def _digest(manifest: dict[str, Any]) -> str:
    attributes = manifest["attributes"]
    facts = {name: value for name, value in attributes["rpw"].items() if name != "digest"}
    said = {name: attributes[name] for name in (*_SAID, *NAMES) if name in attributes}
    ours = [{name: manifest[name] for name in (*_OF_ZARR, "shape", "chunk_grid")}, said, facts]
    return hashlib.sha256(json.dumps(ours, sort_keys=True).encode()).hexdigest()


def ages(manifest: dict[str, Any]) -> list[dict[str, Any]]:
    """The fingerprints and shapes of the matrix, from its beginning to today."""
    facts = manifest["attributes"]["rpw"]
    return [*facts.get("before", []), {"fingerprint": facts["fingerprint"], "shape": manifest["shape"][-2:]}]


def is_beginning(manifest: dict[str, Any], batch: PairBatch) -> bool:
    """Whether the store holds the matrix of the first measures of this work, and not yet of all."""
    *_, n, m = manifest["shape"]
    if (n, m) == (len(batch.a), len(batch.b)):
        return False
    first = batch.beginning(n, m)
    return first is not None and first.fingerprint == manifest["attributes"]["rpw"]["fingerprint"]


def check_same_work(folder: Path, manifest: dict[str, Any], batch: PairBatch) -> None:
    """Raise if the store holds another matrix, and say what differs."""
    there, here = _DEFAULTS | manifest["attributes"], _DEFAULTS | _attributes(batch)
    old, new = manifest["attributes"]["rpw"], _facts(batch)
    if old["fingerprint"] == new["fingerprint"]:
        return
    differences = [
        f"{name} is {there.get(name)!r} there and {here.get(name)!r} here"
        for name in _SAID
        if there.get(name) != here.get(name)
    ]
    differences += [f"{name} differs" for name, digest in new["inputs"].items() if old["inputs"][name] != digest]
    raise ValueError(
        f"out={str(folder)!r} holds another matrix: {'; '.join(differences) or 'the metric gives other distances'}. "
        "Choose another path. (A store grows only if its measures come first, in the same order, and all else is the "
        "same, including the diameter: pass that as a number)"
    )
