"""Checks of what users pass in: a clean value comes back, or a ``ValueError`` that names the argument.

Nothing behind this module checks again.
"""

from __future__ import annotations

import itertools
import math
import numbers
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rpw import _core
from rpw.base.arrays import on_host
from rpw.base.columns import is_lazy, names_of_coordinates
from rpw.base.spelling import name_of

Array = npt.NDArray[np.float64]

_BLOCK = 1 << 16
_UNEVEN = 1e-12  # relative: weights that differ by more are no rounding
_DEVICE = re.compile(r"cpu|cuda(:[0-9]{1,4})?")


def as_floats(value: Any, name: str) -> Array:
    """Coerce ``value`` to a float64 array without NaN or infinite entries.

    The array is our own, so that what another thread writes to the caller's after this check is never read.
    """
    floats = _as_numbers(value, name).copy()
    check_finite(floats, name, way_out=": drop such rows, or fill in a number")
    return floats


def is_sparse(value: Any) -> bool:
    """Whether it is a sparse matrix or array of SciPy (found without importing that)."""
    return type(value).__module__.startswith("scipy.sparse") and hasattr(value, "tocsr")


def _as_numbers(value: Any, name: str) -> Array:
    if type(value) is np.ndarray and value.dtype == np.float64:  # nearly always
        return value
    if is_sparse(value) or (isinstance(value, (list, tuple)) and any(is_sparse(item) for item in value)):
        raise ValueError(
            f"{name} is a sparse matrix of SciPy, and dense numbers are needed here: pass "
            f"{name}.toarray(). Only histograms may be sparse: one matrix with a histogram in each "
            "row, for pairwise or Index with support= or cost="
        )
    if np.ma.is_masked(value):
        raise ValueError(f"{name} has masked entries: fill or drop them first")
    if isinstance(value, (str, bytes, os.PathLike)):
        raise ValueError(
            f"{name} must be numeric, got the text {_shortened(os.fspath(value))}: files are read by rpw.readers, and "
            "distances between texts are passed as a matrix, rpw.solve(cost=...)"
        )
    _check_no_reader(value, name)
    try:
        array = np.asarray(on_host(value))
    except Exception as error:
        _check_columns(names_of_coordinates(value), _columns_of(value), name)
        raise _unreadable(value, name, error) from error
    if array.dtype.name == "bfloat16":  # of JAX, and no type of NumPy's own
        array = array.astype(np.float64)
    if array.dtype.kind not in "biuf" and array.ndim == 2:
        _check_columns(names_of_coordinates(value), list(array.T), name)
    if array.dtype.kind not in "biufO":
        _check_no_texts(array.dtype.kind in "SUT", name)
        raise ValueError(f"{name} must be numeric, got an array of {array.dtype}")
    if array.dtype.kind == "O":
        _check_objects(array, name)
    try:
        with np.errstate(over="ignore"):  # what leaves float64 is infinite, and is refused as such below
            floats = array.astype(np.float64, copy=False)
    except Exception as error:  # an object's own __float__ can raise anything
        raise ValueError(f"{name} must be numeric and rectangular: {error}") from error
    return floats


def _unreadable(value: Any, name: str, error: Exception) -> ValueError:
    """What to raise for what NumPy cannot read; derivatives are asked of other functions."""
    parts = value if isinstance(value, (list, tuple)) else [value]
    if any(getattr(part, "requires_grad", False) is True for part in parts):
        return ValueError(
            f"{name} requires gradients: rpw.torch has the functions that give them; for the value alone, pass "
            f"{name}.detach()"
        )
    if any(type(part).__name__.endswith("Tracer") for part in parts):
        return ValueError(f"{name} is traced by JAX: rpw.jax has the functions for grad, jit and vmap")
    return ValueError(f"{name} could not be read as an array of numbers: {error}")


def _check_no_texts(are_texts: bool, name: str) -> None:
    if are_texts:
        raise ValueError(
            f"{name} must be numeric, got an array of texts: convert them to numbers, or pass the distances between "
            "them as a matrix, rpw.solve(cost=...)"
        )


def _check_no_reader(value: Any, name: str) -> None:
    """Raise for what holds no numbers yet, or would become other numbers than somebody means."""
    if is_lazy(value):
        raise ValueError(f"{name} is a LazyFrame, which holds no numbers yet: pass {name}.collect()")
    if type(value).__module__.startswith("PIL."):
        raise ValueError(f"{name} is an image of Pillow: pass rpw.Measure.from_image({name})")


def check_table(value: Any, name: str) -> None:
    """Raise for a table with a column that holds no numbers; whatever is no table passes."""
    if names_of_coordinates(value):
        _as_numbers(value, name)


def _columns_of(table: Any) -> list[npt.NDArray[Any]]:
    """Each of them: together they are no array, as times beside numbers are none."""
    try:
        return [np.asarray(table[label]) for label in names_of_coordinates(table)]
    except Exception:  # no table, or one that is asked in another way
        return []


def _check_columns(names: tuple[str, ...], columns: list[npt.NDArray[Any]], name: str) -> None:
    """Raise for the first column of a table that holds something else than numbers, by its name."""
    if len(names) != len(columns):
        return
    for label, column in zip(names, columns, strict=True):
        is_of_objects = column.dtype.kind == "O"
        wrong = [entry for entry in column if not _is_number(entry)] if is_of_objects else column[:1]
        if len(wrong) and (is_of_objects or column.dtype.kind not in "biuf"):
            raise ValueError(
                f"{name} has the column {label!r}, which holds {_shortened(wrong[0])}, not a number: "
                "drop the column, or convert it to numbers"
            )


def _is_number(entry: Any) -> bool:
    """Whether Python makes a float of it; a text is none, whatever it says."""
    try:
        return not isinstance(entry, (str, bytes)) and isinstance(float(entry), float)
    except Exception:  # an object's own __float__ can raise anything
        return False


def _check_objects(array: npt.NDArray[np.object_], name: str) -> None:
    """Raise for what NumPy holds as an object, and is no number: it would speak of ``float()``."""
    if array.ndim == 0:
        kind = type(array.item()).__name__
        raise ValueError(
            f"{name} must be an array or a list, got an object of type {kind}: convert it to an array first"
        )
    _check_no_texts(any(isinstance(entry, (str, bytes)) for entry in array.flat), name)
    if any(isinstance(entry, np.ndarray) for entry in array.flat):
        raise ValueError(f"{name} is an array of arrays: pass list({name}) for a collection of point sets")


def check_finite(array: Array, name: str, way_out: str = "") -> None:
    """Raise if an entry is NaN or infinite."""
    finite = np.isfinite(array)
    if np.count_nonzero(finite) < finite.size:  # in a tenth of the time of `all`, which small arrays feel
        raise ValueError(f"{name} has a NaN or infinite entry, the first at {first_index(~finite)}{way_out}")


def check_nonnegative(array: Array, name: str) -> None:
    """Raise if an entry is negative."""
    if array.size and array.min() < 0:
        raise ValueError(f"{name} has a negative entry, the first at {first_index(array < 0)}")


def first_index(mask: npt.NDArray[np.bool_]) -> str:
    """Where the first True is, in words."""
    index = np.unravel_index(int(np.argmax(mask)), mask.shape)
    return f"index {int(index[0])}" if len(index) == 1 else f"index {tuple(int(i) for i in index)}"


def _shortened(value: Any) -> str:
    """What came, in one short line."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."


def as_points(value: Any, name: str) -> Array:
    """Coerce to an (n, d) array of points; (n,) means n points on the line."""
    points = as_floats(value, name)
    if points.ndim == 1:
        points = points[:, None]
    if points.ndim != 2:
        way_out = f"; pass rpw.Measure.from_image({name}) for an image" if points.ndim == 3 else ""
        raise ValueError(
            f"{name} must have shape (n, d), or (n,) for points on the line; got shape {points.shape}{way_out}"
        )
    if points.shape[0] == 0:
        raise ValueError(f"{name} is an empty measure: it needs at least one point")
    if points.shape[1] == 0:
        raise ValueError(f"{name} has points without coordinates (shape {points.shape})")
    return points


def as_weights(value: Any, name: str, length: int, each: str = "point") -> Array:
    """Coerce to weights that sum to 1 (uniform if None); the sum does not depend on the order of the entries.

    ``each``: what has a weight.
    """
    if value is None:
        weights = np.empty(length)
        weights.fill(1.0 / length)
        return weights
    weights = as_floats(value, name)
    if weights.shape != (length,):
        is_column_each = weights.ndim == 2 and weights.shape[0] == length
        way_out = f"; pass one column, such as {name}[:, 0], or distances as cost=" if is_column_each else ""
        raise ValueError(
            f"{name} must have one weight per {each}, shape ({length},); got shape {weights.shape}{way_out}"
        )
    return normalised(weights, name)


def are_uneven(weights: Array) -> bool:
    """Whether the weights differ, by more than rounding."""
    return bool(np.ptp(weights) > _UNEVEN * float(weights.max()))


def normalised(weights: Array, name: str) -> Array:
    """Finite weights over their sum, which is rounded once."""
    check_nonnegative(weights, name)
    largest = float(weights.max())
    if largest == 0:
        raise ValueError(f"{name} sums to 0: at least one weight must be positive")
    # Dividing by the largest first keeps both 1e308 and 1e-308 within reach.
    weights = weights / largest
    return weights / _exact_sum(weights[weights > 0])  # histograms are mostly zeros


def _exact_sum(numbers: Array) -> float:
    """The sum, rounded once. Python adds up lists several times as fast as arrays; short ones need little memory."""
    blocks = (numbers[start : start + _BLOCK].tolist() for start in range(0, len(numbers), _BLOCK))
    return math.fsum(itertools.chain.from_iterable(blocks))


def as_cost(value: Any, name: str = "cost") -> tuple[Array, float]:
    """Coerce to a two-dimensional matrix of ground distances; it, and its largest entry."""
    cost = _as_numbers(value, name)
    if cost.ndim != 2:
        raise ValueError(f"{name} must be a matrix of ground distances, shape (n, m); got shape {cost.shape}")
    if 0 in cost.shape:
        raise ValueError(f"{name} belongs to an empty measure (shape {cost.shape})")
    largest = _core.largest_if_sound(cost) if cost.flags.c_contiguous else None  # one pass: it may be large
    if largest is None:
        check_finite(cost, name)
        check_nonnegative(cost, name)
        largest = float(cost.max())
    return cost, largest


def as_number(value: Any, name: str) -> float:
    """Coerce a scalar; NaN is refused."""
    if type(value) is float and not math.isnan(value):  # nearly always
        return value
    given = value
    if isinstance(value, np.ndarray) and value.ndim == 0 and not np.ma.is_masked(value):
        value = value.item()
    is_real = type(value) is int or isinstance(value, numbers.Real)  # asking an abstract class takes longer
    if not is_real or isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name_of(name)} must be a number, got {_shortened(given)}")
    try:
        number = float(value)
    except OverflowError as error:
        raise ValueError(f"{name_of(name)} is too large for float64: {_shortened(value)}") from error
    if math.isnan(number):
        raise ValueError(f"{name_of(name)} must not be NaN")
    return number


def has_entries(value: Any) -> bool:
    """Whether it is a list or an array, and not a single value."""
    dimensions = getattr(value, "ndim", 0)
    return isinstance(value, (list, tuple, range)) or (isinstance(dimensions, int) and dimensions > 0)


def entries_of(values: Any, name: str) -> npt.NDArray[np.object_]:
    """The entries of a list or an array of any shape as they were passed: a text or a truth value is no number."""
    if np.ma.is_masked(values):
        raise ValueError(f"{name} has masked entries: fill or drop them first")
    try:
        return np.asarray(on_host(values), dtype=object)
    except Exception as error:
        raise _unreadable(values, name, error) from error


def for_each(values: Any, name: str, function: Callable[[Any], float]) -> float | Array:
    """The function of a number, or of each entry of a list or an array of any shape."""
    if not has_entries(values):
        return function(values)
    entries = entries_of(values, name)
    return np.array([function(entry) for entry in entries.ravel()], dtype=np.float64).reshape(entries.shape)


def as_whole(value: Any, name: str, least: int) -> int:
    """A whole number of at least ``least``."""
    number = as_number(value, name)
    if math.isinf(number) or number < least or number != int(number):
        raise ValueError(f"{name_of(name)} must be a whole number of at least {least}, got {value!r}")
    return int(number)


def as_p(value: Any) -> float:
    """The exponent, in [1, inf]."""
    p = as_number(value, "p")
    if p < 1:
        raise ValueError(f"{name_of('p')} must be at least 1 (inf is allowed), got {p}")
    return p


def as_k(value: Any, name: str = "k") -> float:
    """The price of leaving mass behind, finite and >= 0."""
    return _at_least_zero(value, name)


def as_kappa(k: Any, diameter: float) -> float:
    """kΔ, the price of leaving mass behind in units of distance."""
    price = as_k(k)
    kappa = price * diameter
    if math.isinf(kappa) or (kappa == 0 and price > 0):
        raise ValueError(f"k * diameter is outside the range of float64: k={price}, diameter={diameter}")
    return kappa


def as_tol(value: Any) -> float:
    """The promised error, finite and >= 0."""
    return _at_least_zero(value, "tol")


def _at_least_zero(value: Any, name: str) -> float:
    number = as_number(value, name)
    if number < 0 or math.isinf(number):
        raise ValueError(f"{name_of(name)} must be finite and at least 0, got {number}")
    return number


def as_positive(value: Any, name: str) -> float:
    """A finite number > 0 (``diameter``, ``lam``)."""
    number = as_number(value, name)
    if number <= 0 or math.isinf(number):
        raise ValueError(f"{name_of(name)} must be finite and positive, got {number}")
    return number


def as_diameter(value: Any) -> float:
    """Δ, or 1 for None."""
    return 1.0 if value is None else as_positive(value, "diameter")


def as_share(value: Any, name: str) -> float:
    """A share that is not nothing, in (0, 1]."""
    share = as_number(value, name)
    if not 0 < share <= 1:
        raise ValueError(f"{name_of(name)} must lie in (0, 1], got {share}")
    return share


def as_inner_share(value: Any, name: str) -> float:
    """A share that is neither nothing nor all, in (0, 1)."""
    share = as_number(value, name)
    if not 0 < share < 1:
        raise ValueError(f"{name_of(name)} must lie between 0 and 1, got {share}")
    return share


def as_mass(value: Any, name: str = "mass") -> float:
    """The share of mass to move, in [0, 1]."""
    mass = as_number(value, name)
    if not 0 <= mass <= 1:
        raise ValueError(f"{name_of(name)} must lie in [0, 1], got {mass}")
    return mass


# ---------------------------------------------------------------- what is no number


def as_choice(value: Any, name: str, choices: Sequence[str]) -> str:
    """One of these words."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} must be {' or '.join(map(repr, choices))}, got {_shortened(value)}")
    return value


def as_flag(value: Any, name: str) -> bool:
    """True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} must be True or False, got {_shortened(value)}")
    return bool(value)


def check_progress(value: Any, told: str = "(done, total)") -> None:
    """Raise unless it is what ``progress=`` may be: a function is told ``told``."""
    if not callable(value) and not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"progress must be True, False or a function of {told}, got {_shortened(value)}")


def as_device(value: Any) -> str:
    """The name of a device; whether there is one, others ask."""
    if not isinstance(value, str) or not _DEVICE.fullmatch(value):
        raise ValueError(f"{name_of('device')} must be 'cpu', 'cuda' or 'cuda:1' (and so on), got {_shortened(value)}")
    return value


def as_path(value: Any, name: str = "path") -> Path:
    """The place of a file."""
    if not isinstance(value, (str, os.PathLike)):
        raise ValueError(f"{name} must be a path, got {_shortened(value)}")
    return Path(value)
