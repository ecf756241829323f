"""Pairs that failed, and the error that lists them."""

from __future__ import annotations

from typing import Any

from rpw.base.memory import is_out_of_memory

__all__ = ["Failures", "PairwiseError"]

Failures = list[tuple[int, int, str]]  # the numbers of two measures, and why their distance is missing


class PairwiseError(RuntimeError):
    """Some pairs failed; ``failures`` lists ``(i, j, reason)`` and ``distances`` holds all the others (NaN there).

    From `rpw.solve_pairs`, where pair i is ``(i, i)``, ``distances`` is the list of Results (None there).
    """

    def __init__(self, failures: Failures, distances: Any) -> None:
        i, j, reason = failures[0]
        more = f" (and {len(failures) - 1} more)" if len(failures) > 1 else ""
        is_list = isinstance(distances, list)
        rest = "the error's .distances holds the others" if is_list else "on_error='nan' keeps the rest of the matrix"
        super().__init__(f"pair ({i}, {j}) failed: {reason}{more}; {rest}")
        self.failures = failures
        self.distances = distances

    @classmethod
    def of(cls, failures: Failures, distances: Any) -> PairwiseError:
        """The error for these failures; a ``MemoryError`` too where the first of them is one."""
        kind = _PairwiseMemoryError if is_out_of_memory(failures[0][2]) else PairwiseError
        return kind(failures, distances)

    def __reduce__(self) -> tuple[Any, ...]:  # else pickle would call it with the message alone
        return type(self), (self.failures, self.distances)


class _PairwiseMemoryError(PairwiseError, MemoryError):
    """A `PairwiseError` that whoever waits for a ``MemoryError`` catches as well."""
