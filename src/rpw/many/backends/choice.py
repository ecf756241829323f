"""Which backend computes a batch."""

from __future__ import annotations

import re
from dataclasses import replace

from rpw.many.backends.core import CoreBackend
from rpw.many.backends.cuda.backend import CudaBackend
from rpw.many.backends.protocol import Backend
from rpw.many.backends.python import PythonBackend
from rpw.many.batch import PairBatch

__all__ = ["backend_for"]

_GPU = re.compile(r"cuda(?::(\d{1,4}))?")


def backend_for(batch: PairBatch, device: object) -> Backend:
    """The one for this device: a GPU; here the threads of the core where it knows the ground, else Python, pair by
    pair."""
    if device == "cpu":
        return CoreBackend(batch) if batch.ground.is_in_core else PythonBackend(batch)
    named = _GPU.fullmatch(device) if isinstance(device, str) else None
    if named is None:
        raise ValueError(f"device must be 'cpu', 'cuda' or 'cuda:1' (and so on), got {device!r}")
    return CudaBackend(replace(batch, device="cuda"), int(named[1] or 0))
