"""Which backend computes a batch."""

from __future__ import annotations

import re
from dataclasses import replace

from rpw.many.backends.core import CoreBackend
from rpw.many.backends.cuda.backend import CudaBackend, check_gpu
from rpw.many.backends.protocol import Backend
from rpw.many.backends.python import PythonBackend
from rpw.many.batch import PairBatch

__all__ = ["backend_for", "check_device", "check_device_name"]

_GPU = re.compile(r"cuda(?::([0-9]{1,4}))?")


def backend_for(batch: PairBatch, device: object) -> Backend:
    """The one for this device: a GPU; here the threads of the core where it knows the ground, else Python, pair by
    pair."""
    number = _number_of_gpu(device)
    if number is None:
        return CoreBackend(batch) if batch.ground.is_in_core else PythonBackend(batch)
    return CudaBackend(replace(batch, device="cuda"), number)


def check_device(device: object) -> None:
    """Raise where there is no such device, before there is a batch: `NoGpuError` for a GPU."""
    number = _number_of_gpu(device)
    if number is not None:
        check_gpu(number)


def check_device_name(device: object) -> None:
    """Raise unless it is the name of a device, whether or not there is one here."""
    _number_of_gpu(device)


def _number_of_gpu(device: object) -> int | None:
    """None for the CPU."""
    if device == "cpu":
        return None
    named = _GPU.fullmatch(device) if isinstance(device, str) else None
    if named is None:
        raise ValueError(f"device must be 'cpu', 'cuda' or 'cuda:1' (and so on), got {device!r}")
    return int(named[1] or 0)
