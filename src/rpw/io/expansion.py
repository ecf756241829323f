"""Packed files that would expand beyond belief: a few kilobytes must not fill a large machine."""

from __future__ import annotations

import os
from typing import IO

__all__ = ["check_expansion"]

# What takes this many bytes, and this many times the size of its file, is hardly data.
_LARGE = 1e9
_LARGEST_RATIO = 500


def check_expansion(expanded: float, stream: IO[bytes], subject: str, otherwise: str) -> None:
    """Raise if the content of the file ``stream`` would grow to ``expanded`` bytes and that is not believable.

    ``subject`` says what needs them; ``otherwise`` what the reason is if the file is not damaged, and the way out.
    """
    packed = os.fstat(stream.fileno()).st_size
    if expanded > max(_LARGE, _LARGEST_RATIO * packed):
        raise ValueError(
            f"{subject} {expanded / 1e9:,.1f} GB of memory, {expanded / packed:,.0f} times the size of the file: "
            f"damaged, or {otherwise}"
        )
