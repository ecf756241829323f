"""Arrays that nobody can change: what a result hands out, and what it keeps for later."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

__all__ = ["frozen", "read_only"]

_Entries = TypeVar("_Entries", bound=np.generic)


def read_only(array: np.ndarray[Any, np.dtype[_Entries]]) -> np.ndarray[Any, np.dtype[_Entries]]:
    """The same array, which cannot be written to any more."""
    array.flags.writeable = False
    return array


def frozen(array: np.ndarray[Any, np.dtype[_Entries]]) -> np.ndarray[Any, np.dtype[_Entries]]:
    """The same entries in a read-only array of its own; no copy where it is one already."""
    is_frozen = array.flags.owndata and not array.flags.writeable  # a view changes with what it looks at
    return array if is_frozen else read_only(array.copy())
