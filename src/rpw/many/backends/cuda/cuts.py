"""What pairs that the GPU has solved say about others, as the kernel ``cuts`` takes it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rpw.base.check import Array
from rpw.many.backends.cuda.terms import Answers, Question
from rpw.pair.atoms import Ints

__all__ = ["Cut", "Cuts", "cuts_of"]


class Cut(NamedTuple):
    """A line below the profiles of all pairs with one first measure: a multiplier, and potentials of its atoms.

    In units of κ^p (docs/proofs/search.md, "Search").
    """

    multiplier: float
    u: Array


class Cuts:
    """Those of each query, in the order in which they came."""

    def __init__(self, count: int) -> None:
        self._of: list[list[Cut]] = [[] for _ in range(count)]

    def add(self, query: int, cut: Cut) -> None:
        """One more."""
        self._of[query].append(cut)

    def count(self, query: int) -> int:
        """As `Cuts.count` of the protocol."""
        return len(self._of[query])

    def forget(self, query: int) -> None:
        """As `Cuts.forget` of the protocol."""
        self._of[query] = []

    def last(self, since: Ints, most: int) -> list[list[Cut]]:
        """Of each query those that came since, and no more than so many."""
        return [own[begin:][-most:] for own, begin in zip(self._of, since.tolist(), strict=True)]


def cuts_of(answers: Answers, question: Question) -> list[Cut | None]:
    """What each pair says about others with the same first measure; None where it has no multiplier."""
    assert answers.u is not None and answers.u_start is not None and answers.multiplier is not None
    unit_p = (question.kappa / answers.scale) ** question.p
    multipliers, u = answers.multiplier / unit_p, answers.u / unit_p
    is_sound = (multipliers > 0) & np.isfinite(multipliers)
    return [
        Cut(float(multipliers[e]), u[answers.u_start[e] : answers.u_start[e + 1]]) if is_sound[e] else None
        for e in range(len(multipliers))
    ]
