"""One code for arrays of NumPy and tensors of torch: the steps that the two write differently, under one name.

What both write alike needs no name here: ``sum(1)``, ``reshape``, masks, and the functions of `library_of`. Whoever
brings a tensor has imported torch.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

__all__ = ["count_up", "library_of", "repeated", "rounded", "sums_at", "zeros"]


def library_of(array: Any) -> Any:
    """NumPy or torch: ``where``, ``amax``, ``amin``, ``sign`` and ``sqrt`` mean the same in both."""
    return np if isinstance(array, np.ndarray) else sys.modules["torch"]


def zeros(shape: tuple[int, ...], like: Any, dtype: str = "float64") -> Any:
    """So many zeros, where another array lies."""
    if isinstance(like, np.ndarray):
        return np.zeros(shape, dtype)
    return like.new_zeros(shape, dtype=getattr(library_of(like), dtype))


def count_up(count: int, like: Any, dtype: str = "int64") -> Any:
    """0, 1, 2, … where another array lies."""
    if isinstance(like, np.ndarray):
        return np.arange(count, dtype=dtype)
    torch = library_of(like)
    return torch.arange(count, dtype=getattr(torch, dtype), device=like.device)


def rounded(values: Any) -> Any:
    """The nearest whole numbers, as int64."""
    if isinstance(values, np.ndarray):
        return np.rint(values).astype(np.int64)
    return values.round().long()


def repeated(counts: Any, total: int) -> Any:
    """Each place of ``counts`` as often as it says; all together ``total``, which a GPU need not tell then."""
    if isinstance(counts, np.ndarray):
        return np.repeat(np.arange(len(counts)), counts)
    return library_of(counts).repeat_interleave(counts, output_size=total)


def sums_at(places: Any, rows: Any, count: int) -> Any:
    """(count, d): the sum of the rows (E, d) that belong to each place."""
    axes = rows.shape[1]
    if not isinstance(rows, np.ndarray):
        return rows.new_zeros(count, axes).index_add(0, places, rows)
    entries = places[:, None] * axes + np.arange(axes)
    return np.bincount(entries.ravel(), rows.ravel(), minlength=count * axes).reshape(count, axes)
