"""Which backend computes a batch."""

from __future__ import annotations

from rpw.many.backends.core import CoreBackend
from rpw.many.backends.protocol import Backend
from rpw.many.backends.python import PythonBackend
from rpw.many.batch import PairBatch

__all__ = ["backend_for"]


def backend_for(batch: PairBatch, device: object) -> Backend:
    """The one for this device: here the threads of the core where it knows the ground, else Python, pair by pair."""
    if device != "cpu":
        raise ValueError(f"device must be 'cpu' (there is no other here), got {device!r}")
    return CoreBackend(batch) if batch.ground.is_in_core else PythonBackend(batch)
