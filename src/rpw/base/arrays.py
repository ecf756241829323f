"""Arrays of other libraries: torch, CuPy and JAX, none of which is imported unless one of its arrays comes in.

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

__all__ = [
    "GpuPoints",
    "Home",
    "concatenated",
    "count_up",
    "gpu_points",
    "home_of",
    "namespace_of",
    "on_host",
    "placed",
    "repeated",
    "rounded",
    "settled_device",
    "sums_at",
    "zeros",
]

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


def _like_numpy(
    name: str,
    within: Callable[[Any], AbstractContextManager[Any]],
    contiguous: Callable[[Any], Any],
    bring: Callable[[npt.NDArray[Any], Any], Any],
    to_host: Callable[[Any], Any],
) -> _Library:
    """CuPy or JAX, which are asked alike: ``within`` an array's own context, its library does as NumPy does."""

    def points(x: Any) -> Any:
        with within(x):
            return contiguous(x.astype(np.float64) + 0.0) if _is_real(x.dtype) else None

    def box(x: Any) -> npt.NDArray[np.float64]:
        with within(x):
            return np.stack([to_host(x.min(axis=0)), to_host(x.max(axis=0))])

    def concatenate(parts: list[Any]) -> Any:
        with within(parts[0]):
            return sys.modules[name].concatenate(parts)

    def part(x: Any, rows: Any) -> Any:
        with within(x):
            return contiguous(x[rows])

    return _Library(points, box, concatenate, part, bring, to_host)


def _cupy_bring(values: Any, example: Any) -> Any:
    with example.device:
        return sys.modules["cupy"].asarray(values)


def _in_float64(_: Any) -> AbstractContextManager[Any]:
    """JAX computes in float32 unless it is told otherwise."""
    jax: Any = sys.modules["jax"]
    return jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64()  # type: ignore[no-any-return]


_CUPY = _like_numpy(
    "cupy",
    within=lambda x: x.device,
    contiguous=lambda x: sys.modules["cupy"].ascontiguousarray(x),
    bring=_cupy_bring,
    to_host=lambda x: x.get(),
)
_JAX = _like_numpy(
    "jax.numpy",
    within=_in_float64,
    contiguous=lambda x: x,
    bring=lambda values, example: sys.modules["jax"].device_put(values, next(iter(example.devices()))),
    to_host=np.asarray,
)

_LIBRARIES = {"torch": _TORCH, "cupy": _CUPY, "jax": _JAX, "jaxlib": _JAX}


# ---------------------------------------------------------------- one code for arrays of NumPy and tensors of torch
#
# What both write alike needs no name here: ``sum(1)``, ``reshape``, masks, and the functions of `namespace_of`.


def namespace_of(array: Any) -> Any:
    """NumPy or torch: ``where``, ``amax``, ``amin``, ``sign`` and ``sqrt`` mean the same in both."""
    return np if isinstance(array, np.ndarray) else sys.modules["torch"]


def _made_beside(like: Any, maker: str, value: Any, dtype: str) -> Any:
    namespace = namespace_of(like)
    place = {} if namespace is np else {"device": like.device}
    return getattr(namespace, maker)(value, dtype=getattr(namespace, dtype), **place)


def zeros(shape: tuple[int, ...], like: Any, dtype: str = "float64") -> Any:
    """So many zeros, where another array lies."""
    return _made_beside(like, "zeros", shape, dtype)


def count_up(count: int, like: Any, dtype: str = "int64") -> Any:
    """0, 1, 2, … where another array lies."""
    return _made_beside(like, "arange", count, dtype)


def placed(values: Any, like: Any) -> Any:
    """Whole numbers, where another array lies."""
    return _made_beside(like, "asarray", values, "int64")


def rounded(values: Any) -> Any:
    """The nearest whole numbers, as int64."""
    return np.rint(values).astype(np.int64) if isinstance(values, np.ndarray) else values.round().long()


def repeated(counts: Any, total: int) -> Any:
    """Each place of ``counts`` as often as it says; all together ``total``, which a GPU need not tell then."""
    if isinstance(counts, np.ndarray):
        return np.repeat(np.arange(len(counts)), counts)
    return namespace_of(counts).repeat_interleave(counts, output_size=total)


def sums_at(places: Any, rows: Any, count: int) -> Any:
    """(count, d): the sum of the rows (E, d) that belong to each place."""
    axes = rows.shape[1]
    if not isinstance(rows, np.ndarray):
        return rows.new_zeros(count, axes).index_add(0, places, rows)
    entries = places[:, None] * axes + np.arange(axes)
    return np.bincount(entries.ravel(), rows.ravel(), minlength=count * axes).reshape(count, axes)
