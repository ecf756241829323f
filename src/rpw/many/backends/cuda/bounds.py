"""Lower bounds for many pairs on the GPU, by nearest neighbours or by cuts: much cheaper than the distances."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from rpw.many.backends.cuda.cuts import Cut
from rpw.many.backends.cuda.driver import Device
from rpw.many.backends.cuda.launches import RESERVED, launch_of
from rpw.many.backends.cuda.pairs import Work
from rpw.many.backends.cuda.terms import Measures, Question

_Ints = npt.NDArray[np.int64]
_THREADS = 128
_CUTS_AT_ONCE = 4  # of cuts.cu


def bound_pairs(
    a: Measures,
    b: Measures,
    question: Question,
    first: _Ints,
    second: _Ints,
    *,
    gpu: Device,
    table: Any = None,
    cuts: list[list[Cut]] | None = None,
    progress: Callable[[int], object] | None = None,
) -> npt.NDArray[np.float64]:
    """Lower bounds on RPW for the pairs (first[e], second[e]); 0 for those too large for shared memory.

    By nearest neighbours; with ``cuts``, by the best of those of each first measure.
    """
    bounds = np.zeros(len(first))
    rows, columns = a.sizes[first], b.sizes[second]
    room = 8 * (rows + columns if cuts is None else _CUTS_AT_ONCE * columns)
    fitting = np.flatnonzero(room <= gpu.shared_per_block - RESERVED)
    if len(fitting) == 0:
        return bounds
    gpu.make_current()
    work = Work(gpu, a, b, question, first, second, table)
    work.make_room()
    if cuts is not None:
        work.set_cuts(cuts)
    order = fitting[np.argsort(-room[fitting], kind="stable")]
    launch = launch_of(order, 0, int(room[order[0]]), _THREADS, 0, question, work.dimension)
    try:
        work.start(replace(launch, kernel="neighbours" if cuts is None else "cuts"))
        work.wait(progress)
    except BaseException:
        work.stop()
        raise
    bounds[fitting] = work.answers().value[fitting]
    return bounds
