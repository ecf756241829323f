"""Which backend computes a batch."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rpw.base.check import as_device
from rpw.many.backends.core import CoreBackend
from rpw.many.backends.cuda.backend import CudaBackend, check_gpu
from rpw.many.backends.protocol import Backend
from rpw.many.backends.python import PythonBackend
from rpw.many.batch import PairBatch

__all__ = ["backend_for", "check_device"]


def backend_for(batch: PairBatch, device: str) -> Backend:
    """The one for this device: a GPU; here the threads of the core where it knows the ground, else Python, pair by
    pair."""
    number = _number_of_gpu(device)
    if number is None:
        return CoreBackend(batch) if batch.ground.is_in_core else PythonBackend(batch)
    return CudaBackend(replace(batch, device="cuda"), number)


def check_device(device: Any) -> None:
    """Raise where there is no such device, before there is a batch: `NoGpuError` for a GPU."""
    number = _number_of_gpu(as_device(device))
    if number is not None:
        check_gpu(number)


def _number_of_gpu(device: str) -> int | None:
    """None for the CPU."""
    return None if device == "cpu" else int(device.partition(":")[2] or 0)
