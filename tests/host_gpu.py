"""A stand-in for the driver: compiles the source of the kernels for the host, and launches it there."""

import ctypes
import functools

import numpy as np
from compiled import compiled

from rpw.many.backends.cuda.compile import joined_source

NEVER_WRITTEN = 0xAB  # each byte of fresh memory: nobody computes a number of these alone


@functools.cache
def _library(kernel, *flags):
    return compiled(joined_source(kernel), "-std=c++20", "-O1", "-ffp-contract=off", "-fPIC", "-shared", *flags)


class HostMemory:
    def __init__(self, array):
        self.array, self.pointer, self.size = array, array.ctypes.data, array.nbytes

    def write(self, array):
        self.array.view(array.dtype)[: len(array)] = array

    def read(self, dtype, count):
        found = self.array.view(dtype)[:count].copy()
        assert (found.view(f"u{found.itemsize}") != int.from_bytes([NEVER_WRITTEN] * found.itemsize)).all()
        return found


class HostDevice:
    """What `pairs` asks of the driver, on the host."""

    architecture, multiprocessors = "host", 4

    def __init__(self, shared=232448):
        self.shared_per_block, self.shared_per_multiprocessor = shared, shared + 1024
        self.launched = []

    def make_current(self):
        pass

    def call(self, name, *arguments):
        if name == "cuMemcpyHtoDAsync_v2":
            target, source, size, _ = arguments
            ctypes.memmove(target.value, source.value, size.value)
        else:
            assert name in ("cuStreamCreate", "cuStreamSynchronize")

    def is_busy(self, stream):
        return False

    def forget_stream(self, stream):
        pass

    def allocate(self, size):
        return HostMemory(np.full(size + 8, NEVER_WRITTEN, dtype=np.uint8))

    def bring(self, array, dtype):
        return HostMemory(np.ascontiguousarray(array, dtype=dtype))

    def finish_copies(self):
        pass

    def clear(self, memory, size=None):
        memory.array[:size] = 0

    def blocks_per_multiprocessor(self, kernel, threads, shared):
        return 1

    def kernel(self, name, **settings):
        flags = [f"-D{key}={value}" for key, value in sorted(settings.items())]
        return ctypes.CDLL(str(_library(name, *flags)))

    def launch(self, kernel, blocks, threads, shared, batch, stream=None, together=False):
        room = np.zeros(shared // 8 + 1)
        where = batch.workspace if together else room.ctypes.data
        kernel.rpw_cuda_host(ctypes.byref(batch), ctypes.c_void_p(where), 0)
        self.launched.append((threads, together, getattr(batch, "end", 0)))
