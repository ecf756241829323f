"""What is kept of a column for its small picture: the shares of both tables in a few bins, or in its categories."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rpw.base.check import Array
from rpw.stats.tables.categories import CategoryTest
from rpw.stats.tables.numbers import LineTest
from rpw.stats.tables.shares import ShareTest
from rpw.stats.tables.shown_number import shown_number

__all__ = ["Glance", "glance_at"]

_BINS = 32
_MAIN = (0.01, 0.99)  # pooled quantiles; what lies beyond is counted in the outermost bins
_LABELS = 6


@dataclass(frozen=True, eq=False)
class Glance:
    """Shares of the rows of both tables. Bars of numbers stand side by side, and have names only at the two ends."""

    names: tuple[str, ...]
    reference: Array
    current: Array
    is_ordered: bool


def glance_at(test: LineTest | CategoryTest | ShareTest) -> Glance:
    """Of one test."""
    if isinstance(test, LineTest):
        return _of_numbers(test)
    if isinstance(test, ShareTest):
        return _of_codes(test.labels, test.marked.astype(np.int64), test.n)
    return _of_codes(test.labels, test.codes, test.n)


def _of_numbers(test: LineTest) -> Glance:
    low, high = np.quantile(test.values, _MAIN)
    if low == high:
        low, high = test.values.min(), test.values.max()
    edges = np.linspace(low, high, _BINS + 1)
    inside = np.clip(test.values, low, high)
    first, second = (np.histogram(some, edges)[0] / len(some) for some in (inside[: test.n], inside[test.n :]))
    return Glance(tuple(shown_number(end, test.kind) for end in (low, high)), first, second, True)


def _of_codes(labels: np.ndarray, codes: np.ndarray, n: int) -> Glance:
    first, second = (np.bincount(some, minlength=len(labels)) / len(some) for some in (codes[:n], codes[n:]))
    order = np.argsort(-(first + second), kind="stable")
    shown, rest = order[:_LABELS], order[_LABELS:]
    names = [str(labels[place]) for place in shown]
    if len(rest):
        names.append(f"{len(rest):,} others")
        first, second = (np.append(some[shown], some[rest].sum()) for some in (first, second))
    else:
        first, second = first[shown], second[shown]
    return Glance(tuple(names), first, second, False)
