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

    def __init__(self, failures: Failures, distances: Any, way_out: str = "") -> None:
        i, j, reason = failures[0]
        more = f" (and {len(failures) - 1} more)" if len(failures) > 1 else ""
        super().__init__(f"pair ({i}, {j}) failed: {reason}{more}; the error's .distances holds the others{way_out}")
        self.failures = failures
        self.distances = distances
        self._way_out = way_out

    @classmethod
    def of(cls, failures: Failures, distances: Any, way_out: str = "") -> PairwiseError:
        """The error for these failures; a ``MemoryError`` too where the first of them is one.

        ``way_out`` ends the message: what the function that was called can do about it.
        """
        kind = _PairwiseMemoryError if is_out_of_memory(failures[0][2]) else PairwiseError
        return kind(failures, distances, way_out)

    def __reduce__(self) -> tuple[Any, ...]:  # else pickle would call it with the message alone
        return type(self), (self.failures, self.distances, self._way_out)


class _PairwiseMemoryError(PairwiseError, MemoryError):
    """A `PairwiseError` that whoever waits for a ``MemoryError`` catches as well."""
