"""RPW and Wasserstein distances for JAX: exact values with exact gradients (needs ``pip install jax``).

>>> import jax, jax.numpy as jnp, rpw.jax
>>> y = jnp.full(3, 0.1)
>>> def loss(x):
...     return rpw.jax.distance(x, y, p=1, diameter=1)
>>> gradient = jax.grad(loss)(jnp.array([0.0, 0.0, 9.0]))
>>> [round(float(each), 4) for each in gradient]
[-0.0337, -0.0337, 0.0027]
"""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Sequence
from functools import lru_cache, partial
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rpw.base.check import as_number
from rpw.base.extras import missing_extra
from rpw.base.shared_docs import documented
from rpw.base.threads import as_n_threads
from rpw.many.gradients.asked import NO_SECOND_DERIVATIVES, Asked, as_asked, as_price
from rpw.many.gradients.derivatives import plan_size
from rpw.many.gradients.functions import gradients_of_cost, gradients_of_points
from rpw.many.gradients.given_pairs import ArrayLibrary, as_pairs

try:
    import jax
    import jax.numpy as jnp
except ImportError as error:
    raise missing_extra("rpw.jax needs", "jax", because=error) from error

if TYPE_CHECKING:
    from jax import Array

__all__ = ["distance", "wasserstein"]


@documented
def distance(
    x: Array | Sequence[Array] | None = None,
    y: Array | Sequence[Array] | None = None,
    a: Array | Sequence[Array] | None = None,
    b: Array | Sequence[Array] | None = None,
    *,
    cost: Array | None = None,
    p: float = 2,
    k: float | Array = 1,
    metric: str = "euclidean",
    diameter: float | None = None,
    tol: float = 0.0,
    time_limit: None = None,
    n_threads: int | None = None,
) -> Array:
    """Compute the (p,k)-RPW distance of JAX arrays, with gradients in x, y, a, b, cost and k.

    The value is the same as from `rpw.distance`. It works under ``jit``, ``grad``, ``vmap``, ``jvp`` and their
    combinations. Under ``vmap`` all pairs are solved at once, on all threads. Second derivatives are refused.

    Parameters
    ----------
    %(tensors array)s
    %(finite_p)s
    %(k_of_each array)s
    %(metric_with_gradient)s
    %(diameter)s
    %(no_early_stop)s
    %(threads_of_batches)s

    Returns
    -------
    jax.Array
        A scalar, or shape (B,) for a batch, with the type of the inputs. It is computed in float64 on the CPU. If JAX
        has only float32 (``jax_enable_x64`` is off), just the inputs and the answer are rounded.

    Warns
    -----
    %(warns_of_small_diameter)s

    Notes
    -----
    Everything except arrays must be known when a function is traced; k may be an array. The page "Gradients" says in
    which cases the derivative is not unique.

    Examples
    --------
    The third point is an outlier. Its gradient is small:

    >>> import jax, jax.numpy as jnp, rpw.jax
    >>> y = jnp.full(3, 0.1)
    >>> def loss(x):
    ...     return rpw.jax.distance(x, y, p=1, diameter=1)
    >>> gradient = jax.grad(loss)(jnp.array([0.0, 0.0, 9.0]))
    >>> [round(float(each), 4) for each in gradient]
    [-0.0337, -0.0337, 0.0027]
    """
    asked = {"p": p, "metric": metric, "diameter": diameter, "mass": None, "tol": tol, "time_limit": time_limit}
    return _distances(_as_settings("rpw", k, n_threads, **asked), (x, y), (a, b), cost, k)


@documented
def wasserstein(
    x: Array | Sequence[Array] | None = None,
    y: Array | Sequence[Array] | None = None,
    a: Array | Sequence[Array] | None = None,
    b: Array | Sequence[Array] | None = None,
    *,
    cost: Array | None = None,
    p: float = 2,
    mass: float = 1.0,
    metric: str = "euclidean",
    tol: float = 0.0,
    time_limit: None = None,
    n_threads: int | None = None,
) -> Array:
    """Compute W_p of JAX arrays, or the least cost of moving a share of the mass, with gradients.

    Parameters
    ----------
    %(tensors array)s
    %(finite_p)s
    %(mass_of_loss)s
    %(metric_with_gradient)s
    %(no_early_stop)s
    %(threads_of_batches)s

    Returns
    -------
    jax.Array
        A scalar, or shape (B,) for a batch, as from `rpw.jax.distance`.

    Examples
    --------
    >>> import jax, jax.numpy as jnp, rpw.jax
    >>> y = jnp.array([1.0, 3.0])
    >>> jax.grad(lambda x: rpw.jax.wasserstein(x, y, p=1))(jnp.array([0.0, 1.0])).tolist()
    [-0.5, -0.5]
    """
    share = as_number(mass, "mass")
    name = "wasserstein" if share == 1 else "partial_wasserstein"
    asked = {
        "p": p,
        "metric": metric,
        "diameter": None,
        "mass": None if share == 1 else share,
        "tol": tol,
        "time_limit": time_limit,
    }
    return _distances(_as_settings(name, 1.0, n_threads, **asked), (x, y), (a, b), cost, 1.0)


# ---------------------------------------------------------------- what users pass becomes a batch of pairs


class _Pair(NamedTuple):
    """One pair; what is None was left out. Without y, x holds costs."""

    x: Any
    y: Any
    a: Any
    b: Any
    k: Any
    n: Any  # how many points of x count, where a list was filled up
    m: Any  # of y


class _Settings(NamedTuple):
    """What is known when a function is traced, checked: plain values, which can be written down."""

    name: str
    p: float
    metric: str
    diameter: float | None
    mass: float | None
    n_threads: int
    k: float  # where it is no array: as an array it would be rounded where there is only float32


def _as_settings(name: str, k: Any, n_threads: int | None, **asked: Any) -> _Settings:
    threads = as_n_threads(n_threads)
    checked = as_asked(name, **asked, n_threads=threads)
    diameter = checked.question.diameter if checked.has_diameter else None
    price = as_price(k) if isinstance(k, Real) or k is None else 1.0
    return _Settings(name, checked.question.p, asked["metric"], diameter, asked["mass"], threads, price)


@lru_cache
def _asked(settings: _Settings) -> Asked:
    name, p, metric, diameter, mass, n_threads, _ = settings
    return as_asked(
        name, p=p, metric=metric, diameter=diameter, mass=mass, tol=0.0, time_limit=None, n_threads=n_threads
    )


def _distances(settings: _Settings, points: tuple[Any, Any], weights: tuple[Any, Any], cost: Any, k: Any) -> Any:
    given = as_pairs(points, weights, cost, None if isinstance(k, Real) else k, _LIBRARY)
    sizes = (jnp.array(each) if each else None for each in (given.sizes_x, given.sizes_y))
    found = jax.vmap(partial(_value, settings))(_Pair(given.x, given.y, given.a, given.b, given.k, *sizes))
    return found if given.is_batch else found[0]


def _as_real(value: Any, name: str) -> Any:
    try:
        array = jnp.asarray(value)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} could not be read as an array of numbers: {error}") from error
    if jnp.iscomplexobj(array):
        raise ValueError(f"{name} must hold real numbers, got {array.dtype}")
    return array if jnp.issubdtype(array.dtype, jnp.floating) else array.astype(float)


def _filled_up(arrays: list[Any]) -> Any:
    most = max(len(each) for each in arrays)
    return jnp.stack([jnp.pad(each, [(0, most - len(each))] + [(0, 0)] * (each.ndim - 1)) for each in arrays])


_LIBRARY = ArrayLibrary(_as_real, _filled_up, lambda array, count: jnp.broadcast_to(array, (count, *array.shape)))


# ---------------------------------------------------------------- on the host


def _solve(settings: _Settings, pair: _Pair) -> tuple[Any, ...]:
    """The distances, and all that their gradient needs; for any number of axes before those of a pair."""
    before = pair.x.shape[:-2]
    flat: list[Any] = [
        None if each is None else np.asarray(each).reshape(-1, *np.shape(each)[len(before) :]) for each in pair
    ]
    x, y, a, b, k, *sizes = flat
    prices = np.full(len(x), settings.k) if k is None else k
    if y is None:
        found = gradients_of_cost(x, a, b, prices, asked=_asked(settings))
        grounds: Any = (found.slopes, found.places)
    else:
        n, m = (() if each is None else each for each in sizes)
        found = gradients_of_points(x, y, a, b, prices, asked=_asked(settings), sizes=(n, m))
        grounds = found.points
    parts = (found.value, *grounds, *found.weights, found.k)
    return tuple(
        None if like is None else part.reshape(before + part.shape[1:]).astype(like.dtype)
        for part, like in zip(parts, _shaped(pair), strict=True)
    )


def _shaped(pair: _Pair) -> tuple[Any, ...]:
    """Types and shapes of what comes out for one pair."""
    given = [each for each in pair[:4] if each is not None]
    grounds: tuple[Any, ...] = pair.x, pair.y
    if pair.y is None:
        size = plan_size(*pair.x.shape[-2:])
        grounds = jax.ShapeDtypeStruct((size,), pair.x.dtype), jax.ShapeDtypeStruct((size,), jnp.int32)
    value = jax.ShapeDtypeStruct((), jnp.result_type(*given))
    each = (value, *grounds, pair.a, pair.b, pair.k)
    return tuple(None if like is None else jax.ShapeDtypeStruct(like.shape, like.dtype) for like in each)


def _by_callback(settings: _Settings, pair: _Pair) -> Any:
    return jax.pure_callback(partial(_solve, settings), _shaped(pair), pair, vmap_method="broadcast_all")


# ---------------------------------------------------------------- through the FFI of XLA, where it was built


def _through_ffi(settings: _Settings, pair: _Pair) -> Any:
    """As `_by_callback`, without what jax does around a callback."""
    shaped = _shaped(pair)
    words = json.dumps(
        [settings, *([None if each is None else str(each.dtype) for each in some] for some in (pair, shaped))]
    )
    call = jax.ffi.ffi_call(_TARGET, [each for each in shaped if each is not None], vmap_method="broadcast_all")
    found = iter(call(*(each for each in pair if each is not None), settings=words))
    return tuple(None if like is None else next(found) for like in shaped)


def _answer(words: str, read: list[Any], written: list[Any]) -> None:
    """What XLA asks for: reads its buffers, and fills others. The words hold all settings, so that a program which jax
    has kept on disk means the same in another process."""
    settings, of_pair, of_answer = json.loads(words)
    pair = _Pair(*_arrays(read, of_pair))
    for found, place in zip(_solve(_Settings(*settings), pair), _arrays(written, of_answer), strict=True):
        if place is not None:
            place[...] = found


def _arrays(buffers: list[Any], types: list[str | None]) -> list[Any]:
    """As arrays of NumPy, without a copy; None where there is no type."""
    following = iter(buffers)
    return [None if dtype is None else _array(next(following), dtype) for dtype in types]


def _array(buffer: tuple[Any, list[int]], dtype: str) -> Any:
    memory, shape = buffer
    return np.frombuffer(memory, jnp.dtype(dtype)).reshape(shape)


def _register() -> str | None:
    """The name of the door for XLA on the CPU; None where rpw was built without jax's headers, or jax is too old."""
    if not hasattr(jax, "ffi") or importlib.util.find_spec("rpw._jax_ffi") is None:
        return None
    door = importlib.import_module("rpw._jax_ffi")
    if not _is_known(door.api_version):
        return None
    jax.ffi.register_ffi_target("rpw_distances", door.handler(_answer), platform="cpu")
    return "rpw_distances"


def _is_known(version: tuple[int, int]) -> bool:
    """Whether this jax knows the version of the FFI that rpw was built with: else no program at all would run."""
    header = Path(jax.ffi.include_dir()) / "xla" / "ffi" / "api" / "c_api.h"
    if not header.exists():
        return False
    found = re.findall(r"#define XLA_FFI_API_(?:MAJOR|MINOR) (\d+)", header.read_text(encoding="utf-8"))
    major, minor = map(int, found)
    return major == version[0] and minor >= version[1]


_TARGET = _register()


def _derivatives_of(settings: _Settings, pair: _Pair) -> Any:
    by_callback = partial(_by_callback, settings)
    if _TARGET is None:
        return by_callback(pair)
    return jax.lax.platform_dependent(pair, cpu=partial(_through_ffi, settings), default=by_callback)


# ---------------------------------------------------------------- the value, and how it changes


def _refuse(*_: Any) -> Any:
    raise ValueError(NO_SECOND_DERIVATIVES)


def _value_of(settings: _Settings, pair: _Pair) -> Any:
    return _derivatives(settings, pair)[0]


def _moved(settings: _Settings, pairs: tuple[_Pair], moves: tuple[_Pair]) -> tuple[Any, Any]:
    """The value, and its change: linear in how the inputs move, so that JAX finds the gradient by itself."""
    (pair,), (move,) = pairs, moves
    value, of_x, of_y, *others = _derivatives(settings, pair)
    if pair.y is None:
        change = (of_x * move.x.reshape(-1)[of_y]).sum()  # of_y holds the places of the entries
    else:
        change = (of_x * move.x).sum() + (of_y * move.y).sum()
    for slope, way in zip(others, (move.a, move.b, move.k), strict=True):
        change = change if slope is None else change + (slope * way).sum()
    return value, change.astype(value.dtype)


_derivatives = jax.custom_jvp(_derivatives_of, nondiff_argnums=(0,))
_derivatives.defjvp(_refuse)
_value = jax.custom_jvp(_value_of, nondiff_argnums=(0,))
_value.defjvp(_moved)
