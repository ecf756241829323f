"""What launches take: the fields of ``struct Batch`` in batch.cuh and of ``struct Spread``, in the same order."""

from __future__ import annotations

import ctypes

import numpy as np
import numpy.typing as npt

_Ints = npt.NDArray[np.int64]

_POINTERS = (
    "points_a",
    "points_b",
    "place_a",
    "place_b",
    "table",
    "start_a",
    "start_b",
    "mass_a",
    "mass_b",
    "total_a",
    "total_b",
    "unit_a",
    "unit_b",
    "before_a",
    "before_b",
    "first",
    "second",
    "order",
    "next",
    "done",
    "workspace",
    "kappas",
    "cutoffs",
    "value",
    "lower",
    "upper",
    "status",
    "work",
    "plan_start",
    "plan_row",
    "plan_column",
    "plan_mass",
    "u",
    "v",
    "u_start",
    "v_start",
    "multiplier",
    "cut_start",
)
_LONG = ("atoms_a", "atoms_b", "table_columns", "begin", "end")
_REAL = ("p", "kappa", "unmoved", "truncation", "scale", "tol")
_INT = ("question", "metric", "dimension", "prices")

NO_MORE = 2**62  # over ``next``: no team takes another pair, and all blocks together leave the one at hand


class Batch(ctypes.Structure):
    """The argument of the kernel ``walk``."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in _POINTERS),
        *((name, ctypes.c_longlong) for name in _LONG),
        *((name, ctypes.c_double) for name in _REAL),
        *((name, ctypes.c_int) for name in _INT),
    )


class Spread(ctypes.Structure):
    """The argument of the kernel ``spread``."""

    _fields_ = (
        ("points", ctypes.c_void_p),
        ("out", ctypes.c_void_p),
        ("atoms", ctypes.c_longlong),
        ("dimension", ctypes.c_longlong),
        ("unit", ctypes.c_double),
    )


def room_for(rows: _Ints, columns: _Ints, link_bytes: int) -> _Ints:
    """Bytes of the workspace of a pair: ``lay_out`` in workspace.cuh."""
    nodes, longer = rows + columns, np.maximum(rows, columns)
    links = (link_bytes * count for count in (nodes, nodes, columns, columns, longer))
    parts = (8 * nodes, 8 * nodes, 8 * columns, *links, np.full_like(rows, 4))
    total = np.zeros_like(nodes)
    for part in parts:
        total += (part + 7) // 8 * 8
    return total
