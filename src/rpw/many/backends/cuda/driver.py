"""The CUDA driver, as far as it is used here, through ctypes.

Works in the device's primary context, the one that torch, CuPy and JAX use: their pointers are valid here.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any

import numpy as np
import numpy.typing as npt

from rpw.base.spelling import setting
from rpw.many.backends.cuda.compile import cubin

_MULTIPROCESSORS, _MAJOR, _MINOR, _SHARED_PER_BLOCK, _SHARED_PER_MULTIPROCESSOR = 16, 75, 76, 97, 81
_NON_BLOCKING = 1  # CU_STREAM_NON_BLOCKING
_NOT_READY = 600  # CUDA_ERROR_NOT_READY
_DYNAMIC_SHARED = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES


class NoGpuError(RuntimeError):
    """``device="cuda"`` was asked for, and this process can use no such NVIDIA GPU.

    Examples
    --------
    Compute on the GPU if there is one, and on the CPU if not:

    >>> import rpw
    >>> clouds = [[[0.0]], [[1.0]]]
    >>> try:
    ...     D = rpw.pairwise(clouds, p=1, diameter=1, device="cuda")
    ... except rpw.NoGpuError:
    ...     D = rpw.pairwise(clouds, p=1, diameter=1)
    >>> D.round(3).tolist()
    [[0.0, 0.5], [0.5, 0.0]]
    """


def is_available() -> bool:
    """Whether an NVIDIA GPU and its driver are there."""
    try:
        device(0)
    except NoGpuError:
        return False
    return True


@functools.cache
def device(ordinal: int = 0) -> Device:
    """The GPU with this number; its context is made on the first call and kept."""
    return Device(ordinal)


class Memory:
    """An array on the GPU: owned, or borrowed from whoever made it (then ``owner`` keeps it alive)."""

    def __init__(self, gpu: Device, pointer: int, size: int, owner: Any = None) -> None:
        self.gpu, self.pointer, self.size, self._owner = gpu, pointer, size, owner

    def __del__(self) -> None:
        if self._owner is None and self.pointer:
            self.gpu.free(self.pointer)

    def read(self, dtype: Any, count: int) -> npt.NDArray[Any]:
        """The first ``count`` numbers, as an array on the host."""
        out = np.empty(count, dtype=dtype)
        if out.nbytes:
            self.gpu.call("cuMemcpyDtoH_v2", ctypes.c_void_p(out.ctypes.data), _address(self), _bytes(out.nbytes))
        return out

    def write(self, array: npt.NDArray[Any]) -> None:
        """Overwrite the beginning."""
        self.gpu.call("cuMemcpyHtoD_v2", _address(self), ctypes.c_void_p(array.ctypes.data), _bytes(array.nbytes))


class Stream:
    """Work that is done in order, beside that of other streams."""

    def __init__(self, gpu: Device) -> None:
        self.gpu, self.handle = gpu, ctypes.c_void_p()
        gpu.call("cuStreamCreate", ctypes.byref(self.handle), _NON_BLOCKING)

    def __del__(self) -> None:
        self.gpu.forget_stream(self.handle)

    def is_busy(self) -> bool:
        """Whether work is left; raises what went wrong in it."""
        return self.gpu.is_busy(self.handle)

    def read(self, memory: Memory, dtype: Any, count: int) -> npt.NDArray[Any]:
        """Like `Memory.read`, without waiting for other streams."""
        out = np.empty(count, dtype=dtype)
        self.gpu.call(
            "cuMemcpyDtoHAsync_v2", ctypes.c_void_p(out.ctypes.data), _address(memory), _bytes(out.nbytes), self.handle
        )
        self.wait()
        return out

    def write(self, memory: Memory, array: npt.NDArray[Any]) -> None:
        """Like `Memory.write`, without waiting for other streams."""
        self.gpu.call(
            "cuMemcpyHtoDAsync_v2",
            _address(memory),
            ctypes.c_void_p(array.ctypes.data),
            _bytes(array.nbytes),
            self.handle,
        )
        self.wait()

    def wait(self) -> None:
        """Wait for all work of this stream."""
        self.gpu.call("cuStreamSynchronize", self.handle)


class Device:
    """One GPU."""

    def __init__(self, ordinal: int) -> None:
        try:
            self._cuda = ctypes.CDLL("libcuda.so.1")
        except OSError as error:
            raise NoGpuError(
                f"{setting('device', 'cuda')} needs an NVIDIA GPU, and there is no driver (libcuda.so.1) here: "
                f"pass {setting('device', 'cpu')}"
            ) from error
        if self._cuda.cuInit(0) != 0:
            raise NoGpuError(
                f"{setting('device', 'cuda')} needs an NVIDIA GPU, and the driver finds none for this process: "
                f"pass {setting('device', 'cpu')}"
            )
        number = ctypes.c_int()
        if self._cuda.cuDeviceGet(ctypes.byref(number), ordinal) != 0:
            raise NoGpuError(
                f"{setting('device', f'cuda:{ordinal}')} names a GPU that the driver does not know: pass a smaller "
                f"number, or {setting('device', 'cpu')}"
            )
        self._number = number
        context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), number)
        self._context = context
        self.make_current()
        self.multiprocessors = self._attribute(_MULTIPROCESSORS)
        self.architecture = f"sm_{self._attribute(_MAJOR)}{self._attribute(_MINOR)}"
        self.shared_per_block = self._attribute(_SHARED_PER_BLOCK)
        self.shared_per_multiprocessor = self._attribute(_SHARED_PER_MULTIPROCESSOR)
        self._kernels: dict[tuple[str, tuple[tuple[str, int], ...]], ctypes.c_void_p] = {}

    def make_current(self) -> None:
        """Contexts belong to threads: the thread that computes says so first."""
        self.call("cuCtxSetCurrent", self._context)

    def call(self, name: str, *arguments: Any) -> None:
        """One function of the driver; raises what it reports."""
        self._raise(name, getattr(self._cuda, name)(*arguments))

    def _raise(self, name: str, code: int) -> None:
        if code == 0:
            return
        text = ctypes.c_char_p()
        self._cuda.cuGetErrorString(code, ctypes.byref(text))
        reason = f"{name}: {(text.value or b'unknown error').decode()} ({code})"
        raise MemoryError(f"the GPU has too little free memory; {reason}") if code == 2 else RuntimeError(reason)

    def _attribute(self, which: int) -> int:
        value = ctypes.c_int()
        self.call("cuDeviceGetAttribute", ctypes.byref(value), which, self._number)
        return value.value

    def allocate(self, size: int) -> Memory:
        """Fresh memory, not cleared."""
        pointer = ctypes.c_ulonglong()
        self.call("cuMemAlloc_v2", ctypes.byref(pointer), _bytes(max(size, 8)))
        return Memory(self, pointer.value, size)

    def free(self, pointer: int) -> None:
        """Give memory back, from whichever thread (at exit the driver may be gone: then there is nothing to give)."""
        self._cuda.cuCtxSetCurrent(self._context)
        self._cuda.cuMemFree_v2(ctypes.c_ulonglong(pointer))

    def clear(self, memory: Memory, size: int | None = None) -> None:
        """Set all bytes to 0."""
        self.call("cuMemsetD8_v2", _address(memory), ctypes.c_ubyte(0), _bytes(memory.size if size is None else size))

    def bring(self, array: Any, dtype: Any) -> Memory:
        """The array on this GPU: copied from the host, or as it is where it lives on a GPU already."""
        interface = getattr(array, "__cuda_array_interface__", None)
        if interface is None:
            ready = np.ascontiguousarray(array, dtype=dtype)
            memory = self.allocate(ready.nbytes)
            if ready.nbytes:
                memory.write(ready)
            return memory
        if np.dtype(interface["typestr"]) != np.dtype(dtype) or interface.get("strides") is not None:
            raise ValueError(f"an array on the GPU must be contiguous and of {np.dtype(dtype)} here")
        size = int(np.prod(interface["shape"], dtype=np.int64)) * np.dtype(dtype).itemsize
        return Memory(self, interface["data"][0], size, array)

    def kernel(self, name: str, **settings: int) -> ctypes.c_void_p:
        """The kernel of this name, compiled with these settings."""
        key = name, tuple(sorted(settings.items()))
        if key not in self._kernels:
            module, function = ctypes.c_void_p(), ctypes.c_void_p()
            self.call("cuModuleLoadData", ctypes.byref(module), cubin(name, self.architecture, key[1]))
            self.call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
            self._kernels[key] = function
        return self._kernels[key]

    def blocks_per_multiprocessor(self, function: ctypes.c_void_p, threads: int, shared: int) -> int:
        """How many blocks of this kernel run on a multiprocessor at the same time."""
        self.call("cuFuncSetAttribute", function, _DYNAMIC_SHARED, shared)
        blocks = ctypes.c_int()
        self.call(
            "cuOccupancyMaxActiveBlocksPerMultiprocessor", ctypes.byref(blocks), function, threads, _bytes(shared)
        )
        return blocks.value

    def launch(
        self,
        function: ctypes.c_void_p,
        blocks: int,
        threads: int,
        shared: int,
        *arguments: Any,
        stream: Stream | None = None,
        together: bool = False,
    ) -> None:
        """Start a kernel; ``together`` when its blocks wait for each other."""
        pointers = (ctypes.c_void_p * len(arguments))(*(ctypes.addressof(argument) for argument in arguments))
        where = None if stream is None else stream.handle
        grid = blocks, 1, 1, threads, 1, 1, shared, where, pointers
        if together:
            self.call("cuLaunchCooperativeKernel", function, *grid)
        else:
            self.call("cuLaunchKernel", function, *grid, None)

    def is_busy(self, stream: ctypes.c_void_p) -> bool:
        """Whether a stream has work left."""
        code = self._cuda.cuStreamQuery(stream)
        if code != _NOT_READY:
            self._raise("cuStreamQuery", code)
        return bool(code == _NOT_READY)

    def forget_stream(self, stream: ctypes.c_void_p) -> None:
        """Give a stream back."""
        self._cuda.cuStreamDestroy_v2(stream)

    def finish_copies(self) -> None:
        """Wait for what was copied, cleared and spread so far: streams of their own would not."""
        self.call("cuStreamSynchronize", None)


def _address(memory: Memory) -> ctypes.c_ulonglong:
    return ctypes.c_ulonglong(memory.pointer)


def _bytes(size: int) -> ctypes.c_size_t:
    return ctypes.c_size_t(size)
