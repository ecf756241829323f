"""Arrays that lie on an NVIDIA GPU: those of torch, CuPy and JAX, none of which is imported unless one comes in.

Which GPU it is, an array says by the DLPack protocol; the rest (another type, a bounding box, the way back) is left to
its own library, in that library's stream.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["GpuPoints", "Home", "concatenated", "gpu_points", "home_of", "on_host", "settled_device"]

_CUDA = (2, 13)  # DLPack's kDLCUDA, kDLCUDAManaged


@dataclass(frozen=True)
class _Library:
    """What is asked of a library. Points come out as float64, row by row, in memory of their own, without -0.0."""

    points: Callable[[Any], Any]  # None for what cannot be read so: complex numbers, tensors that record gradients, …
    box: Callable[[Any], npt.NDArray[np.float64]]  # least and largest coordinates, on the host: waits for all before it
    concatenate: Callable[[list[Any]], Any]
    part: Callable[[Any, Any], Any]
    bring: Callable[[npt.NDArray[Any], Any], Any]  # an array of the host to where another one lies
    to_host: Callable[[Any], Any]


@dataclass(frozen=True, eq=False)
class Home:
    """Where an array on a GPU lives: results go back there."""

    library: _Library
    number: int  # of the GPU
    example: Any

    def bring_back(self, values: npt.NDArray[Any]) -> Any:
        """The same numbers, as an array of that library on that GPU."""
        return self.library.bring(values, self.example)


@dataclass(frozen=True, eq=False)
class GpuPoints:
    """Points (n, d) on a GPU. CUDA reads them as they are; for NumPy they are an array too, by a copy to the host."""

    array: Any
    home: Home

    ndim = 2
    dtype = np.dtype(np.float64)

    @property
    def shape(self) -> tuple[int, int]:
        """As of an array."""
        rows, columns = self.array.shape
        return int(rows), int(columns)

    @property
    def __cuda_array_interface__(self) -> Any:
        return self.array.__cuda_array_interface__

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, part: Any) -> GpuPoints:
        return GpuPoints(self.home.library.part(self.array, part), self.home)

    def __array__(self, *_: Any, **__: Any) -> npt.NDArray[np.float64]:
        return np.asarray(self.home.library.to_host(self.array))

    def __reduce__(self) -> tuple[Any, ...]:
        return np.asarray, (np.asarray(self),)  # another process may have another GPU, or none

    @cached_property
    def _box(self) -> npt.NDArray[np.float64]:
        return self.home.library.box(self.array)

    def min(self, axis: int, out: None = None) -> npt.NDArray[np.float64]:
        """As NumPy asks for it, of the points (axis 0): without copying them."""
        return np.asarray(self._box[0])

    def max(self, axis: int, out: None = None) -> npt.NDArray[np.float64]:
        """As NumPy asks for it, of the points (axis 0): without copying them."""
        return np.asarray(self._box[1])

    def is_finite(self) -> bool:
        """Whether no coordinate is NaN or infinite."""
        return bool(np.isfinite(self._box).all())


def home_of(value: Any) -> Home | None:
    """Where an array, or every array of a list, lives, if that is one GPU; for a list, the home of its first."""
    if not isinstance(value, (list, tuple)):
        return _home_of_array(value)
    homes = [_home_of_array(item) for item in value]
    places = {None if home is None else (home.library, home.number) for home in homes}
    return homes[0] if len(places) == 1 else None


def _home_of_array(value: Any) -> Home | None:
    library = _library_of(value)
    number = None if library is None else _number_of_gpu(value)
    return None if library is None or number is None else Home(library, number, value)


def _number_of_gpu(value: Any) -> int | None:
    try:
        kind, number = value.__dlpack_device__()
    except Exception:  # on several devices at once, or nowhere yet: not an array on one GPU
        return None
    return int(number) if int(kind) in _CUDA else None


def _library_of(value: Any) -> _Library | None:
    roots = (base.__module__.partition(".")[0] for base in type(value).__mro__)
    return next((_LIBRARIES[root] for root in roots if root in _LIBRARIES), None)


def on_host(value: Any) -> Any:
    """An array of torch, CuPy or JAX, wherever it lies, in a form that NumPy reads; everything else as it is."""
    library = _library_of(value)
    return value if library is None else library.to_host(value)


def settled_device(device: str, **arguments: Any) -> str:
    """The device by its number: ``"cuda"`` alone is the GPU that the arguments lie on, or else the first.

    Raises where they lie on another one.
    """
    if device == "cpu":
        return device
    for name, number in _gpus_of(arguments):
        if device == "cuda":
            device = f"cuda:{number}"
        elif device != f"cuda:{number}":
            raise ValueError(
                f"{name} is on cuda:{number}, but the distances are to be computed on {device}: move "
                "all arrays to one GPU, and pass its name as device="
            )
    return "cuda:0" if device == "cuda" else device


def _gpus_of(arguments: dict[str, Any]) -> Iterator[tuple[str, int]]:
    for name, value in arguments.items():
        for item in value if isinstance(value, (list, tuple)) else [value]:
            home = _home_of_array(item)
            if home is not None:
                yield name, home.number


def gpu_points(value: Any) -> tuple[GpuPoints, npt.NDArray[np.int64]] | None:
    """The points of a (B, n, d) array or of a list of (n_i, d) arrays on one GPU, and how many each measure has.

    None for all else, also for what is malformed: whoever reads it on the host says what is wrong with it.
    """
    home = home_of(value)
    if home is None:
        return None
    is_list = isinstance(value, (list, tuple))
    parts = [_as_rows(part) for part in value] if is_list else [value]
    if any(part.ndim != (2 if is_list else 3) or 0 in part.shape for part in parts):
        return None
    if len({part.shape[-1] for part in parts}) > 1:
        return None
    sizes = [len(part) for part in parts] if is_list else [value.shape[1]] * len(value)
    array = _clean(home.library, [part.reshape(-1, part.shape[-1]) for part in parts])
    points = None if array is None else GpuPoints(array, home)
    return None if points is None or not points.is_finite() else (points, np.array(sizes, dtype=np.int64))


def _as_rows(part: Any) -> Any:
    return part.reshape(-1, 1) if part.ndim == 1 else part


def _clean(library: _Library, parts: list[Any]) -> Any:
    """All points in one array; one step for all where their types agree, since what joins them might round else."""
    if len({part.dtype for part in parts}) == 1:
        return library.points(parts[0] if len(parts) == 1 else library.concatenate(parts))
    clean = [library.points(part) for part in parts]
    return None if any(part is None for part in clean) else library.concatenate(clean)


def concatenated(arrays: list[Any]) -> Any:
    """Arrays one after the other: on the GPU if all of them are there, else on the host."""
    homes = [array.home for array in arrays if isinstance(array, GpuPoints)]
    if len(homes) < len(arrays) or len({(home.library, home.number) for home in homes}) > 1:
        return np.concatenate([np.asarray(array) for array in arrays])
    return GpuPoints(homes[0].library.concatenate([array.array for array in arrays]), homes[0])


# ---------------------------------------------------------------- the libraries


def _is_real(dtype: Any) -> bool:
    return dtype.kind in "biuf" or dtype.name == "bfloat16"


def _torch_points(x: Any) -> Any:
    torch = sys.modules["torch"]
    if x.requires_grad or x.is_complex() or x.is_quantized or x.layout != torch.strided:
        return None
    return (x.to(torch.float64) + 0.0).contiguous()


def _torch_to_host(x: Any) -> Any:
    return x.double().cpu() if str(x.dtype) == "torch.bfloat16" else x.cpu()  # NumPy has no bfloat16


_TORCH = _Library(
    points=_torch_points,
    box=lambda x: np.asarray(sys.modules["torch"].stack([x.amin(0), x.amax(0)]).cpu()),
    concatenate=lambda parts: sys.modules["torch"].cat(parts),
    part=lambda x, part: x[part].contiguous(),
    bring=lambda values, example: sys.modules["torch"].as_tensor(values, device=example.device),
    to_host=_torch_to_host,
)


def _cupy_points(x: Any) -> Any:
    cupy = sys.modules["cupy"]
    with x.device:
        return cupy.ascontiguousarray(x.astype(np.float64) + 0.0) if _is_real(x.dtype) else None


def _cupy_box(x: Any) -> Any:
    with x.device:
        return np.stack([x.min(axis=0).get(), x.max(axis=0).get()])


def _cupy_concatenate(parts: list[Any]) -> Any:
    with parts[0].device:
        return sys.modules["cupy"].concatenate(parts)


def _cupy_bring(values: Any, example: Any) -> Any:
    with example.device:
        return sys.modules["cupy"].asarray(values)


def _cupy_part(x: Any, part: Any) -> Any:
    with x.device:
        return sys.modules["cupy"].ascontiguousarray(x[part])


_CUPY = _Library(
    points=_cupy_points,
    box=_cupy_box,
    concatenate=_cupy_concatenate,
    part=_cupy_part,
    bring=_cupy_bring,
    to_host=lambda x: x.get(),
)


def _in_float64() -> AbstractContextManager[Any]:
    """JAX computes in float32 unless it is told otherwise."""
    jax = sys.modules["jax"]
    within: AbstractContextManager[Any] = (
        jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64()
    )
    return within


def _jax_points(x: Any) -> Any:
    if not _is_real(x.dtype):
        return None
    with _in_float64():
        return x.astype(np.float64) + 0.0


def _jax_box(x: Any) -> Any:
    with _in_float64():
        return np.stack([np.asarray(x.min(axis=0)), np.asarray(x.max(axis=0))])


def _jax_concatenate(parts: list[Any]) -> Any:
    with _in_float64():
        return sys.modules["jax"].numpy.concatenate(parts)


def _jax_part(x: Any, part: Any) -> Any:
    with _in_float64():
        return x[part]


_JAX = _Library(
    points=_jax_points,
    box=_jax_box,
    concatenate=_jax_concatenate,
    part=_jax_part,
    bring=lambda values, example: sys.modules["jax"].device_put(values, next(iter(example.devices()))),
    to_host=np.asarray,
)

_LIBRARIES = {"torch": _TORCH, "cupy": _CUPY, "jax": _JAX, "jaxlib": _JAX}
