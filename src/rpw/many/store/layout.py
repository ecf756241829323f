"""The metadata that Zarr needs to read our chunks, and the check that a file still holds it."""

from __future__ import annotations

import json
from typing import Any, TypeVar

T = TypeVar("T")


def layout_of(stack: tuple[int, ...], shape: tuple[int, ...], tile: tuple[int, ...]) -> dict[str, Any]:
    """The metadata of Zarr for a matrix in tiles, or a stack of matrices (k first), without attributes."""
    return {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [*stack, *shape],
        "data_type": "float64",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [*stack, *tile]}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": "NaN",
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
    }


def check_layout(metadata: Any, dimensions: int) -> None:
    """Raise a ValueError that names the entry unless ``metadata``, as read from a file, is whole."""
    *stack, n, m = _sizes(metadata, dimensions, "shape")
    *whole, rows, columns = _sizes(metadata, dimensions, "chunk_grid", "configuration", "chunk_shape")
    shape, tile = (n, m), (rows, columns)
    is_symmetric = entry(metadata, bool, "attributes", "symmetric")
    if whole != stack:
        raise ValueError("its chunk_shape does not hold every k")
    if tile[0] > shape[0] or tile[1] > shape[1]:
        raise ValueError("its chunk_shape is larger than its shape")
    if is_symmetric and (shape[0] != shape[1] or tile[0] != tile[1]):
        raise ValueError("it is symmetric and not square")
    for name, kind in (("version", str), ("fingerprint", str), ("inputs", dict)):
        entry(metadata, kind, "attributes", "rpw", name)
    if "before" in metadata["attributes"]["rpw"]:
        for age in entry(metadata, list, "attributes", "rpw", "before"):
            entry(age, str, "fingerprint")
            before = _sizes(age, 2, "shape")
            if before[0] > n or before[1] > m:
                raise ValueError("it was larger before than it is")
    for name, value in json.loads(json.dumps(layout_of(tuple(stack), shape, tile))).items():
        if metadata.get(name) != value:
            raise ValueError(f"its {name} is not {json.dumps(value)}")


def entry(metadata: Any, kind: type[T], *names: str) -> T:
    """The value under a path of names, of just this type."""
    value = metadata
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    if type(value) is not kind:
        found = "missing" if value is None else f"of type {type(value).__name__}"
        raise ValueError(f"its {'.'.join(names)} is {found}")
    return value


def _sizes(metadata: Any, count: int, *names: str) -> list[int]:
    sizes = entry(metadata, list, *names)
    if len(sizes) != count or any(type(size) is not int or size < 1 for size in sizes):
        raise ValueError(f"its {'.'.join(names)} is not a list of {count} positive whole numbers")
    return sizes
