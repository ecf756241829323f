"""What executors, and searches, ask of whoever computes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from rpw import _core
from rpw.base.check import Array
from rpw.base.deadline import NEVER, Deadline
from rpw.many.batch import PairBatch
from rpw.many.errors import Failures
from rpw.pair.atoms import Ints

__all__ = ["Backend", "Line", "Lines", "Report", "Round"]

Report = Callable[[int], object] | None  # called with the number of pairs done, now and then; may raise to stop


class Line(NamedTuple):
    """What a solved pair says about all pairs with the same first measure: a line below their profiles.

    The multiplier and the potentials of the atoms of the first measure, in units of κ^p (docs/theory.md, "Search").
    """

    multiplier: float
    u: Array


Lines = Sequence[Sequence[Line]]  # of each query


class Round(NamedTuple):
    """How much a search takes at once of each query: pairs to solve, candidates whose bounds are sharpened before, and
    whether new lines bound all candidates first."""

    solves: int
    mixtures: int
    bounds_all: bool


class Backend(Protocol):
    """Computes any list of pairs of one batch. Picklable, without what it has prepared."""

    @property
    def batch(self) -> PairBatch:
        """The data."""

    def check_ready(self) -> None:
        """Raise unless this process has what it takes to compute; where a cluster computes, nobody asks."""

    def check_fits(self, n_threads: int, is_halved: bool, limit: float = math.inf) -> None:
        """Raise ``MemoryError`` if the pairs that the threads work on at the same time do not fit into memory."""

    def values(
        self, first: Ints, second: Ints, n_threads: int, report: Report = None, deadline: Deadline = NEVER
    ) -> tuple[Array, Failures]:
        """The distances of the pairs (first[e], second[e]); NaN and a reason for those that fail.

        An array (pairs,). With several k in the question, an array (pairs, k), whose columns are in the order of
        ``question.several_k``; a pair that fails is listed once, and is NaN at each k. Raises `rpw.TimeLimitError` past
        the deadline. A number depends neither on ``n_threads`` nor on who computes it.
        """

    def outcomes(
        self, first: Ints, second: Ints, n_threads: int, report: Report = None, deadline: Deadline = NEVER
    ) -> tuple[list[_core.Outcome | None], Failures]:
        """The answers with all that the question needs, such as plans; None and a reason for pairs that fail.

        The pairs share the time as `Deadline.kept_back` says. One whose time is up holds what is proven by then, and
        None where that is nothing.
        """

    # What a search asks (`rpw.many.search`).

    def round_for(self, number: int, queries: int, n_threads: int) -> Round:
        """How much of so many queries to take at once, in the round of this number from 0 on."""

    def bounds(self, first: Ints, second: Ints, n_threads: int, report: Report = None) -> Array:
        """Lower bounds on the distances of the pairs (first[e], second[e]), true to about 1e-13, for far less than
        these; 0 where there are none."""

    def values_within(
        self, first: Ints, second: Ints, cutoffs: Array, n_threads: int, report: Report = None
    ) -> tuple[Array, Failures, list[Line | None]]:
        """As `values`, but infinite for pairs that were given up, proven to lie beyond their cutoff; and what the solve
        of each pair says about others."""

    def line_bounds(self, lines: Lines, first: Ints, second: Ints, n_threads: int) -> Array:
        """Lower bounds as in `bounds`, each the best by the lines of its query; where `Round.bounds_all` says so."""

    def mixed_bounds(self, lines: Lines, first: Ints, second: Ints, n_threads: int) -> Array:
        """Sharper bounds by the same lines, for candidates that are worth it: still far cheaper than a solve."""
