"""Many pairs of two collections under one question: data only. Backends compute it, executors schedule it."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from rpw import _core
from rpw.base.check import Array
from rpw.base.memory import check_threads_fit
from rpw.pair.atoms import Atoms, Ints
from rpw.pair.ground import Ground
from rpw.pair.question import Question

__all__ = ["PairBatch"]

_POINTS_IN_SAMPLE = 24
_PAIRS_THAT_FIT = 10_000_000  # of points: 100 megabytes
_FEW_PAIRS = 1e8  # of points: for no more the core has a matrix in any case


@dataclass(frozen=True, eq=False)
class PairBatch:
    """Two collections, the ground between them, and a question. Immutable and picklable."""

    a: Atoms
    b: Atoms
    ground: Ground
    question: Question
    device: str = "cpu"  # the kind that computes it: "cpu" and "cuda" agree to about 1e-12, and not to the last bit

    @property
    def stack(self) -> tuple[int, ...]:
        """What comes before rows and columns in the shape of the answer: how many k, where there is a list of them."""
        return (len(self.question.several_k),) if self.question.several_k else ()

    def beginning(self, rows: int, columns: int) -> PairBatch | None:
        """The same question about the first measures of both collections; None if there are not so many."""
        if rows > len(self.a) or columns > len(self.b) or (self.b is self.a and rows != columns):
            return None
        a = self.a.take(range(rows))
        return replace(self, a=a, b=a if self.b is self.a else self.b.take(range(columns)))

    def no_values(self, count: int) -> Array:
        """NaN for so many pairs; of a stack, a row of them for each."""
        return np.full((count, *self.stack), np.nan)

    @property
    def is_symmetric(self) -> bool:
        """Whether one half of the matrix says everything."""
        return self.a is self.b and self.ground.is_symmetric

    def check_fits(self, n_threads: int, is_halved: bool = False, limit: float = math.inf) -> None:
        """Raise ``MemoryError`` if the pairs that the threads work on at the same time do not fit into memory."""
        if self.ground.uses_labels(self.question):
            return
        if not self.question.is_by_name and self.ground.has_on_line(self.a.where, self.b.where):
            return
        try:
            check_threads_fit(*self._sizes, n_threads, is_halved, limit, self._needs_matrix)
        except MemoryError:
            check_threads_fit(*self._distinct, n_threads, is_halved, limit, self._needs_matrix)

    @property
    def _sizes(self) -> tuple[Ints, Ints]:
        """Of all measures, as the core sees them. Pairs that fit nearly anywhere are not searched for equal points."""
        a, b = self.a.sizes, self.b.sizes
        return (a, b) if int(a.max()) * int(b.max()) <= _PAIRS_THAT_FIT else self._distinct

    @cached_property
    def _distinct(self) -> tuple[Ints, Ints]:
        """The sizes where equal points are one."""
        of_a = self._distinct_sizes(self.a)
        return of_a, of_a if self.b is self.a else self._distinct_sizes(self.b)

    def _distinct_sizes(self, atoms: Atoms) -> Ints:
        return np.array([self.ground.count(atoms.measure(s).where) for s in range(len(atoms))], dtype=np.int64)

    def _needs_matrix(self, n: int, m: int) -> bool:
        """Whether the core makes a matrix for a pair of these sizes, should it not lie on a line."""
        if n * m <= _FEW_PAIRS and self.question.solver != "points":
            return True
        dimension = self.a.dimension if self.ground.has_norm else None
        layout = False, self.ground.uses_labels(self.question), False, n, m, dimension or 0
        return _core.choose(self.question.to_core(), *layout)[2] > 0

    @cached_property
    def fingerprint(self) -> str:
        """A digest of the inputs and the parameters: equal only for equal work."""
        facts = self.question.describe() | {"metric": self.ground.metric.describe()}
        if self.device != "cpu":
            facts["device"] = self.device
        digest = hashlib.sha256(json.dumps(facts, sort_keys=True).encode())
        for part in (self.a.fingerprint, "same" if self.b is self.a else self.b.fingerprint):
            digest.update(part.encode())
        shared = self.ground.arrays()
        for name in ("support", "cost"):
            digest.update(np.ascontiguousarray(shared[name]).tobytes() if name in shared else b"none")
        if self.ground.metric.calls_python:  # a function: it may have changed without another name
            digest.update(self.ground.sample(self.a, self.b, _POINTS_IN_SAMPLE))
        return digest.hexdigest()
