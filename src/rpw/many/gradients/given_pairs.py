"""What users of `rpw.torch` and `rpw.jax` pass becomes one batch of pairs: shapes are checked here, numbers later.

Only attributes that every library of arrays has are read, so that functions can be traced and compiled through here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

__all__ = ["ArrayLibrary", "GivenPairs", "as_pairs"]

_RANKS = (2, 2, 1, 1, 0)  # of x, y, a, b and k of one pair
_SHAPES = {
    "x": "an array (n, d), or (B, n, d)",
    "cost": "an array (n, m), or (B, n, m)",
    "y": "an array (m, d), or (B, m, d)",
    "a": "an array (n,), or (B, n)",
    "b": "an array (m,), or (B, m)",
    "k": "a number, or an array (B,)",
}


class ArrayLibrary(NamedTuple):
    """What is asked of a library of arrays."""

    as_real: Callable[[Any, str], Any]  # an array of floats, or a ValueError that names it
    filled_up: Callable[[list[Any]], Any]  # one array of arrays that differ in their first axis, with zeros at the ends
    repeated: Callable[[Any, int], Any]  # the same array so many times


class GivenPairs(NamedTuple):
    """A batch of pairs: x (B, n, d) and y (B, m, d), or costs (B, n, m) in place of x and no y; weights, and k (B,)."""

    x: Any
    y: Any
    a: Any
    b: Any
    k: Any  # None where one number is meant for all
    sizes_x: list[int]  # where x was a list: how many points of each measure count
    sizes_y: list[int]
    is_batch: bool  # or one pair


def as_pairs(points: tuple[Any, Any], weights: tuple[Any, Any], cost: Any, k: Any, library: ArrayLibrary) -> GivenPairs:
    """Check the shapes of all arrays; those without a leading axis belong to each pair of the batch."""
    x, y, sizes_x, sizes_y = _as_grounds(points, cost, library)
    a = _as_weights(weights[0], "a", x.shape[-2], sizes_x, library)
    b = _as_weights(weights[1], "b", x.shape[-1] if y is None else y.shape[-2], sizes_y, library)
    price = None if k is None else library.as_real(k, "k")
    arrays = (x, y, a, b, price)
    count = _number_of_pairs(arrays, "cost" if y is None else "x")
    batch = [
        each if each is None or each.ndim > rank else library.repeated(each, count or 1)
        for each, rank in zip(arrays, _RANKS, strict=True)
    ]
    return GivenPairs(batch[0], batch[1], batch[2], batch[3], batch[4], sizes_x, sizes_y, count is not None)


def _number_of_pairs(arrays: tuple[Any, ...], first: str) -> int | None:
    """None where it is one pair, and no batch."""
    count, counted = None, first
    for name, each, rank in zip((first, "y", "a", "b", "k"), arrays, _RANKS, strict=True):
        if each is None or each.ndim == rank:
            continue
        if each.ndim != rank + 1:
            raise ValueError(f"{name} must be {_SHAPES[name]} for B pairs; got shape {tuple(each.shape)}")
        if count is not None and each.shape[0] != count:
            raise ValueError(f"{name} holds a batch of {each.shape[0]}, and {counted} holds a batch of {count}")
        count, counted = each.shape[0], name
    return count


def _as_grounds(points: tuple[Any, Any], cost: Any, library: ArrayLibrary) -> tuple[Any, Any, list[int], list[int]]:
    if cost is not None:
        if points[0] is not None or points[1] is not None:
            raise ValueError("pass either points x and y or a matrix cost, not both")
        matrix = library.as_real(cost, "cost")
        if matrix.ndim not in (2, 3) or 0 in matrix.shape:
            raise ValueError(
                f"cost must have shape (n, m), or (B, n, m) for a batch, and nothing may be empty; "
                f"got shape {tuple(matrix.shape)}"
            )
        return matrix, None, [], []
    x, sizes_x = _as_points(points[0], "x", library)
    y, sizes_y = _as_points(points[1], "y", library)
    if x.shape[-1] != y.shape[-1]:
        raise ValueError(f"x and y must have points of the same dimension, got {x.shape[-1]} and {y.shape[-1]}")
    return x, y, sizes_x, sizes_y


def _as_points(value: Any, name: str, library: ArrayLibrary) -> tuple[Any, list[int]]:
    """One cloud (n, d), or clouds (B, n, d); of a list, filled up, and the size of each."""
    if value is None:
        raise ValueError(f"{name} is missing: pass points x and y, or a matrix cost")
    if isinstance(value, (list, tuple)):
        clouds = [_as_points(each, f"{name}[{s}]", library)[0] for s, each in enumerate(value)]
        if not clouds or any(cloud.ndim != 2 or cloud.shape[-1] != clouds[0].shape[-1] for cloud in clouds):
            raise ValueError(f"{name} must hold arrays (n_i, d) of one dimension d, and at least one")
        return library.filled_up(clouds), [cloud.shape[0] for cloud in clouds]
    points = library.as_real(value, name)
    points = points[:, None] if points.ndim == 1 else points
    if points.ndim not in (2, 3) or 0 in points.shape:
        raise ValueError(
            f"{name} must have shape (n, d), or (n,) on the line, or (B, n, d) for a batch, and nothing may be empty; "
            f"got shape {tuple(points.shape)}"
        )
    return points, []


def _as_weights(value: Any, name: str, size: int, sizes: list[int], library: ArrayLibrary) -> Any:
    """Weights (n,) or (B, n); of a list, filled up."""
    if value is None:
        return None
    if isinstance(value, (list, tuple)):
        each = [library.as_real(weights, f"{name}[{s}]") for s, weights in enumerate(value)]
        for s, weights in enumerate(each):
            _check_weights(weights, f"{name}[{s}]", sizes[s] if s < len(sizes) else size, ranks=(1,))
        value = library.filled_up(each) if each else value
    weights = library.as_real(value, name)
    _check_weights(weights, name, size, ranks=(1, 2))
    return weights


def _check_weights(weights: Any, name: str, size: int, ranks: tuple[int, ...]) -> None:
    if weights.ndim not in ranks or weights.shape[-1] != size:
        raise ValueError(f"{name} must have one weight per point; got shape {tuple(weights.shape)} for {size} points")
