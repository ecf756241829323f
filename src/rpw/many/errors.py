"""Pairs that failed, and the error that lists them."""

from __future__ import annotations

from typing import Any

from rpw.base.memory import is_out_of_memory

__all__ = ["Failures", "PairwiseError", "error_of"]

Failures = list[tuple[int, int, str]]  # the numbers of two measures, and why their distance is missing


class PairwiseError(RuntimeError):
    """Some pairs failed; the error carries the results of all others.

    Parameters
    ----------
    failures : list of (int, int, str)
        The pairs that failed: i, j, and the reason.
    distances : array or list
        All other distances, with NaN for the pairs that failed. From `rpw.solve_pairs`, the list of results, with None
        for the pairs that failed; pair i is listed as (i, i).
    way_out : str, default ""
        The end of the message.

    Examples
    --------
    >>> import rpw
    >>> def metric(x, y):
    ...     return abs(x[0] - y[0]) if x[0] < 5 else float("nan")
    >>> try:
    ...     rpw.pairwise([[[0.0]], [[9.0]]], [[[1.0]]], metric=metric, diameter=1, p=1)
    ... except rpw.PairwiseError as error:
    ...     print([pair[:2] for pair in error.failures], error.distances.ravel())
    [(1, 0)] [0.5 nan]
    """

    def __init__(self, failures: Failures, distances: Any, way_out: str = "") -> None:
        i, j, reason = failures[0]
        more = f" (and {len(failures) - 1} more)" if len(failures) > 1 else ""
        known = "the error's .distances holds the answers for all other pairs"
        super().__init__(f"pair ({i}, {j}) failed: {reason}{more}; {known}{way_out}")
        self.failures = failures
        self.distances = distances
        self._way_out = way_out

    def __reduce__(self) -> tuple[Any, ...]:  # else pickle would call it with the message alone
        return type(self), (self.failures, self.distances, self._way_out)


class _PairwiseMemoryError(PairwiseError, MemoryError):
    """A `PairwiseError` that whoever waits for a ``MemoryError`` catches as well."""


def error_of(failures: Failures, distances: Any, way_out: str = "") -> PairwiseError:
    """The error for these failures; a ``MemoryError`` too if the first of them is one.

    ``way_out`` ends the message: what the function that was called can do about it.
    """
    kind = _PairwiseMemoryError if is_out_of_memory(failures[0][2]) else PairwiseError
    return kind(failures, distances, way_out)
