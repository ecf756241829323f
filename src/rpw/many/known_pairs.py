"""Distances of pairs that were solved before, at several k: what is asked for again is not solved again.

A search over k fits the same measures again and again, split into other halves each time. Here a pair is known by what
its measures hold, so that it is solved once, at all k, whoever asks for it.
"""

from __future__ import annotations

import hashlib
import json
import math
import threading
from collections import OrderedDict
from dataclasses import dataclass, field

import numpy as np

from rpw.base.check import Array
from rpw.base.memory import check_matrix_fits
from rpw.many.backends.choice import backend_for
from rpw.many.batch import PairBatch
from rpw.many.errors import error_of
from rpw.pair.atoms import Atoms, Ints

__all__ = ["KnownPairs"]

_NUMBERS_PER_PAIR = 5  # the distance, the key, its order and its place among those that are known, and a copy
_POINTS_IN_SAMPLE = 24


@dataclass
class _Table:
    """What is known under one question on one ground."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    numbers: dict[str, int] = field(default_factory=dict)  # of the measures, by what they hold
    keys: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))  # of the pairs, ascending
    values: Array = field(default_factory=lambda: np.empty((0, 0)))  # a row for each pair, a column for each k
    sampled: tuple[Atoms, Atoms, bytes] | None = None  # what a metric that is a function gave, and where

    @property
    def size(self) -> int:
        """Bytes of the distances."""
        return self.keys.nbytes + self.values.nbytes

    def numbers_of(self, atoms: Atoms) -> Ints:
        """A number for each measure, the same for equal ones."""
        held = (atoms.measure(s).fingerprint for s in range(len(atoms)))
        return np.array([self.numbers.setdefault(each, len(self.numbers)) for each in held], dtype=np.int64)

    def add(self, keys: Ints, values: Array) -> None:
        """Keep the distances of pairs that were not known."""
        both = np.concatenate([self.keys, keys])
        order = np.argsort(both, kind="stable")
        self.keys = both[order]
        self.values = np.concatenate([self.values, values])[order] if len(self.values) else values[order]

    def forget_if_changed(self, batch: PairBatch) -> None:
        """Begin anew if a metric that is a function gives other distances than it did."""
        if not batch.ground.metric.calls_python:
            return
        a, b, before = self.sampled or (batch.a, batch.b, b"")
        now = batch.ground.sample(a, b, _POINTS_IN_SAMPLE)
        if now != before:
            self.keys, self.values = self.keys[:0], self.values[:0]
            self.sampled = a, b, now


class KnownPairs:
    """Keeps the distances of as many pairs as fit into so many bytes; threads may share it."""

    def __init__(self, most_bytes: int) -> None:
        self.solved = 0  # pairs, so far
        self._most_bytes = most_bytes
        self._tables: OrderedDict[str, _Table] = OrderedDict()
        self._lock = threading.Lock()

    def matrix(self, batch: PairBatch, k: float, n_threads: int, device: str = "cpu") -> Array:
        """The matrix for one of the several k of the batch. Pairs that are not known are solved, at all k.

        Where the ground is symmetric, d(x, y) answers for d(y, x) as well.
        """
        column = batch.question.several_k.index(k)
        shape = len(batch.a), len(batch.b)
        check_matrix_fits(*shape, 8 * (_NUMBERS_PER_PAIR + 2 * math.prod(batch.stack)))
        table = self._table(batch, "cpu" if device == "cpu" else "cuda")  # whose last digits differ
        with table.lock:  # who asks for the same meanwhile waits for the answer
            table.forget_if_changed(batch)
            keys = _keys_of(table.numbers_of(batch.a), table.numbers_of(batch.b), batch.ground.is_symmetric)
            self._solve_unknown(table, keys, batch, n_threads, device)
            found: Array = table.values[np.searchsorted(table.keys, keys), column]
        self._stay_in_bounds()
        return found.reshape(shape)

    def _solve_unknown(self, table: _Table, keys: Ints, batch: PairBatch, n_threads: int, device: str) -> None:
        wanted, places = np.unique(keys, return_index=True)
        is_new = ~np.isin(wanted, table.keys, assume_unique=True)
        if not is_new.any():
            return
        first, second = np.divmod(places[is_new], len(batch.b))
        backend = backend_for(batch, device)
        backend.check_ready()
        backend.check_fits(n_threads, is_halved=False)
        values, failures = backend.values(first, second, n_threads)
        with self._lock:
            self.solved += len(first)
        if failures:
            matrix = np.full((*batch.stack, len(batch.a), len(batch.b)), np.nan)
            matrix[:, first, second] = values.T
            raise error_of(sorted(failures), matrix)
        table.add(wanted[is_new], values)

    def _table(self, batch: PairBatch, device: str) -> _Table:
        key = f"{device} {_question_on_ground(batch)}"
        with self._lock:
            table = self._tables.setdefault(key, _Table())
            self._tables.move_to_end(key)
            return table

    def _stay_in_bounds(self) -> None:
        """Forget what has not been asked for the longest, until the rest fits."""
        with self._lock:
            while self._tables and sum(table.size for table in self._tables.values()) > self._most_bytes:
                self._tables.popitem(last=False)


def _keys_of(a: Ints, b: Ints, is_symmetric: bool) -> Ints:
    """One number for each pair, row by row."""
    first, second = (each.ravel() for each in np.broadcast_arrays(a[:, None], b[None, :]))
    if is_symmetric:
        first, second = np.minimum(first, second), np.maximum(first, second)
    keys: Ints = (first << 32) | second
    return keys


def _question_on_ground(batch: PairBatch) -> str:
    """A digest of all that a distance depends on beside its two measures."""
    facts = batch.question.describe() | {"metric": batch.ground.metric.describe()}
    digest = hashlib.sha256(json.dumps(facts, sort_keys=True).encode())
    for name, array in sorted(batch.ground.arrays().items()):
        digest.update(f"{name} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()
