"""What executors, and searches, ask of whoever computes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from rpw import _core
from rpw.base.check import Array
from rpw.base.deadline import NEVER, Deadline
from rpw.many.batch import PairBatch
from rpw.many.errors import Failures
from rpw.pair.atoms import Ints

__all__ = ["Backend", "Cuts", "Report", "Round"]

Report = Callable[[int], object] | None  # called with the number of pairs done, now and then; may raise to stop


class Cuts(Protocol):
    """What the solves of a search say about the other pairs of each query: lines below their profiles.

    Only the backend that made them looks inside (docs/proofs/search.md, "Search").
    """

    def count(self, query: int) -> int:
        """How many there are of this query."""

    def forget(self, query: int) -> None:
        """Drop those of this query."""


class Round(NamedTuple):
    """How much a search takes at once of each query: pairs to solve, candidates whose bounds are sharpened before, and
    whether new cuts bound all candidates first."""

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

    @property
    def pairs_at_once(self) -> int:
        """How many pairs of several tiles are worth a call of `values`. A backend that fills ``into`` pair by pair
        takes many; of one that fills it at the end, many would keep back the tiles that are finished first."""

    def values(
        self,
        first: Ints,
        second: Ints,
        n_threads: int,
        report: Report = None,
        deadline: Deadline = NEVER,
        *,
        into: Array | None = None,
    ) -> tuple[Array, Failures]:
        """The distances of the pairs (first[e], second[e]); NaN and a reason for those that fail.

        An array (pairs,). With several k in the question, an array (pairs, k), whose columns are in the order of
        ``question.several_k``; a pair that fails is listed once, and is NaN at each k. Raises `rpw.TimeLimitError` past
        the deadline. A number depends neither on ``n_threads`` nor on who computes it.

        ``into`` is such an array full of NaN. It is filled and returned, and ``report`` may read what is there.
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

    def new_cuts(self) -> Cuts:
        """None yet, for a search of this backend; the methods below take no others."""

    def values_within(
        self, first: Ints, second: Ints, cutoffs: Array, cuts: Any, n_threads: int, report: Report = None
    ) -> tuple[Array, Failures]:
        """As `values`, but infinite for pairs that were given up, proven to lie beyond their cutoff; ``cuts`` get
        what the solves say about other pairs."""

    def cut_bounds(self, cuts: Any, since: Ints, first: Ints, second: Ints, n_threads: int) -> Array:
        """Lower bounds as in `bounds`, each the best by the cuts of its query q, from number ``since[q]`` on; where
        `Round.bounds_all` says so."""

    def mixed_bounds(self, cuts: Any, first: Ints, second: Ints, n_threads: int) -> Array:
        """Sharper bounds by the same cuts, for candidates that are worth it: still far cheaper than a solve."""
