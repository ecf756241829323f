"""What a stored matrix is the matrix of."""

from __future__ import annotations

import hashlib
import math
from pathlib import Path
from typing import Any

import numpy as np

from rpw.base.check import Array
from rpw.base.version import VERSION
from rpw.many.batch import PairBatch

# The number of dimensions in each format that is read and written: a matrix, and a stack of them (k first), which older
# versions do not know. Format 1, of rpw 0.1, had no digests.
FORMATS = {2: 2, 3: 3}

# Attributes that say for people what the fingerprint stands for, and those that name the measures.
_ASKED = ("distance", "p", "k", "diameter", "mass", "lam", "tol", "solver")
FOR_PEOPLE = (*_ASKED, "metric", "device", "symmetric", "shape")
NAMES = ("rows", "columns")

_SILENT: dict[str, Any] = {
    "device": "cpu",
    "tol": 0.0,
    "solver": "auto",
}  # what a store that says nothing about it was made with

_INPUTS = {"A": "A holds other measures", "B": "B holds other measures", "support": "the support is another one"}
_INPUTS |= {"cost": "cost is another matrix"}


def manifest_of(batch: PairBatch, before: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """Inputs and parameters of a run, as the attributes of its Zarr array. Floats in JSON come back bit for bit.

    ``before`` has the fingerprints and shapes of a matrix before it grew. The digests of its chunks stand on them.
    """
    facts: dict[str, Any] = {name: getattr(batch.question, name) for name in ("p", "k", "diameter", "mass", "lam")}
    given = {name: value for name, value in facts.items() if value is not None}  # mass and lam: where they belong
    several = {"k": list(batch.question.several_k)} if batch.stack else {}
    shared = batch.ground.arrays()
    return {
        "distance": batch.question.name,
        **{name: value if math.isfinite(value) else str(value) for name, value in given.items()},
        **several,
        **batch.question.effort,
        "metric": batch.ground.metric.describe(),
        "device": batch.device,
        "symmetric": batch.is_symmetric,
        "shape": [*batch.stack, len(batch.a), len(batch.b)],
        "rpw": {
            "format": 3 if batch.stack else 2,
            "version": VERSION,
            "fingerprint": batch.fingerprint,
            "inputs": {
                "A": batch.a.fingerprint,
                "B": "A" if batch.b is batch.a else batch.b.fingerprint,
                "support": _digest(shared.get("support")),
                "cost": _digest(shared.get("cost")),
            },
            **({"before": before} if before else {}),
        },
    }


def check_same_work(path: Path, there: dict[str, Any], here: dict[str, Any]) -> None:
    """Raise if two manifests describe different work, and say what differs."""
    there = _SILENT | there
    here = _SILENT | here
    differences = [
        f"{name} is {there.get(name)!r} there and {here.get(name)!r} here"
        for name in FOR_PEOPLE
        if there.get(name) != here.get(name)
    ]
    of_there, of_here = there["rpw"].get("inputs", {}), here["rpw"]["inputs"]
    resized = _resized(there, here)  # their shape is named; whether the measures that both have are others is not known
    differences += [
        text for name, text in _INPUTS.items() if of_there.get(name) != of_here[name] and name not in resized
    ]
    reasons = "; ".join(differences)
    if there["rpw"].get("fingerprint") != here["rpw"]["fingerprint"]:
        reasons = reasons or "the metric gives other distances"
        raise ValueError(f"out={str(path)!r} holds another matrix: {reasons}. {_advice(there, here)}")
    if reasons:  # the fingerprint stands for all of this: somebody has changed one of them
        raise damaged(path, f"{reasons}, and the fingerprint is that of this matrix")


def _resized(there: dict[str, Any], here: dict[str, Any]) -> set[str]:
    """The collections of which one matrix has more measures than the other."""
    sizes = zip(there.get("shape", [])[-2:], here["shape"][-2:], strict=False)
    return {name for name, (old, new) in zip("AB", sizes, strict=False) if old != new}


def _advice(there: dict[str, Any], here: dict[str, Any]) -> str:
    """What to do about a store of another matrix."""
    if any(age["fingerprint"] == here["rpw"]["fingerprint"] for age in there["rpw"].get("before", [])):
        return "It began with these measures, and more were appended since: pass all of them, or read it with zarr.open"
    if any(new > old for old, new in zip(there.get("shape", []), here["shape"], strict=False)):
        return (
            "A store grows only if its measures come first, in the same order, and all else is the same, including the "
            "diameter (pass it as a number, not as 'auto'). If not, choose another path"
        )
    return "Choose another path"


def damaged(path: Path, reason: str) -> ValueError:
    """The error of a store whose zarr.json cannot be believed."""
    way_out = "Choose another path, or remove the folder"
    return ValueError(f"out={str(path)!r}: its zarr.json is damaged: {reason}. {way_out}")


def _digest(array: Array | None) -> str | None:
    if array is None:
        return None
    digest = hashlib.sha256(str(array.shape).encode())
    digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()
