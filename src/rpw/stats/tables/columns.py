"""Which tests a column gets: its values, its missing rows; or a row that says why there is none.

If it mixes numbers, dates and texts, each of them is compared by itself, and the share of each is a test of its own.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from rpw.io.typed_columns import CATEGORY, DATE, EMPTY, MIXED, NUMBER, OTHER, TEXT, TypedColumn
from rpw.io.typed_tables import TypedTable
from rpw.pair.atoms import Ints
from rpw.stats.tables.categories import CategoryTest
from rpw.stats.tables.extent import why_too_wide
from rpw.stats.tables.numbers import LineTest
from rpw.stats.tables.row import DriftRow
from rpw.stats.tables.shares import ShareTest

__all__ = ["ColumnTest", "tests_of"]

ColumnTest = LineTest | CategoryTest | ShareTest

_MANY_LABELS = 0.75  # of the entries; with more there is next to nothing that could differ in frequency
_ALL_DIFFER = "nearly all of its texts differ: are they names, or numbers and dates in a spelling that is not read?"
_LEAST_VALUES = 2  # on each side: with one there is nothing to exchange
_SIDES = ("reference", "current table")

Mask = npt.NDArray[np.bool_]


def tests_of(
    column: str, reference: TypedTable, current: TypedTable, groups: Ints | None
) -> list[ColumnTest | DriftRow]:
    """The tests of one column, which may be in one of the tables only."""
    if column not in current or column not in reference:
        where = _SIDES[column not in reference]
        kind = (reference.get(column) or current[column]).kind
        return [DriftRow(column, "not compared", kind, note=f"it is only in the {where}")]
    pair = (reference[column], current[column])
    n, missing = len(pair[0]), np.concatenate([each.missing for each in pair])
    found = _tests_of_values(column, pair, groups)
    if missing.any() and not missing.all():
        found.append(ShareTest(column, found[0].kind, missing, n))
    return found


def _tests_of_values(
    column: str, pair: tuple[TypedColumn, TypedColumn], groups: Ints | None
) -> list[ColumnTest | DriftRow]:
    """The most frequent type in both tables together comes first: the split has no say in which one that is."""
    unknown = [each for each in pair if each.kind == OTHER]
    if unknown:
        return [DriftRow(column, "not compared", OTHER, note=unknown[0].note)]
    n = len(pair[0])
    rows = {kind: np.concatenate([each.are(kind) for each in pair]) for kind in (NUMBER, DATE, TEXT)}
    first, *rest = sorted(rows, key=lambda kind: -int(rows[kind].sum()))
    rest = [kind for kind in rest if rows[kind].any()]
    noun = first if rest else "value"
    found: list[ColumnTest | DriftRow] = [_test_of(column, first, pair, rows[first], groups, noun)]
    for kind in rest:
        test = _test_of(column, kind, pair, rows[kind], groups, kind)
        if not isinstance(test, DriftRow) or test.is_counted:  # a few entries of one more type need no row
            found.append(replace(test, part=f"{kind}s"))
        found.append(ShareTest(column, MIXED, rows[kind], n, f"{kind}s"))
    return found


def _test_of(
    column: str, type_: str, pair: tuple[TypedColumn, TypedColumn], rows: Mask, groups: Ints | None, noun: str
) -> LineTest | CategoryTest | DriftRow:
    """The test of all entries of one type, in ``rows`` of both tables together; they are called by ``noun``."""
    kind = EMPTY if not rows.any() else CATEGORY if type_ == TEXT else type_
    n = len(pair[0])
    too_few = _why_too_few(rows, n, groups, noun)
    nothing = DriftRow(column, "not compared", kind, note=too_few)
    if rows.sum() < 2 * _LEAST_VALUES:
        return nothing
    constant = f"{'it is' if noun == 'value' else f'its {noun}s are'} constant, and the same in both tables"
    test: LineTest | CategoryTest
    if type_ == TEXT:
        labels, codes = _factorised(np.concatenate([_labels(each) for each in pair])[rows])
        if len(labels) == 1:
            return replace(nothing, note=too_few or constant)
        if not too_few and len(labels) > _MANY_LABELS * rows.sum():  # pooled, so no split has a say in it
            return replace(nothing, note=_ALL_DIFFER)
        test = CategoryTest(column, kind, labels, codes, int(rows[:n].sum()), rows)
    else:
        numbers = np.concatenate([_numbers(each) for each in pair])[rows]
        too_wide = why_too_wide(numbers)
        if too_wide or numbers.min() == numbers.max():
            return replace(nothing, note=too_few or too_wide or constant)
        notes = [f"{each.note} in the {side}" for each, side in zip(pair, _SIDES, strict=True) if each.note]
        test = LineTest(column, kind, numbers, int(rows[:n].sum()), rows, "; ".join(notes))
    return replace(nothing, is_counted=True) if too_few else test  # other splits would have had this test


def _why_too_few(rows: Mask, n: int, groups: Ints | None, noun: str) -> str:
    """Why the values cannot be compared, if so."""
    for side, some in zip(_SIDES, (slice(None, n), slice(n, None)), strict=True):
        count = int(rows[some].sum())
        if count < _LEAST_VALUES:
            return f"the {side} has {count or 'no'} {noun}{'s' * (count != 1)}, and a test needs {_LEAST_VALUES}"
        if groups is not None and len(np.unique(groups[some][rows[some]])) < _LEAST_VALUES:
            return f"the {noun}s in the {side} are of one group, and a test needs two"
    return ""


def _numbers(column: TypedColumn) -> npt.NDArray[np.float64]:
    return np.full(len(column), np.nan) if column.numbers is None else column.numbers


def _labels(column: TypedColumn) -> npt.NDArray[Any]:
    return np.full(len(column), "", dtype=np.object_) if column.labels is None else column.labels


def _factorised(texts: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], Ints]:
    """The different texts in order, and the number of each. Arrays of objects: one long text must not widen all."""
    entries = texts.tolist()
    labels = np.array(sorted(set(entries)), dtype=np.object_)
    place = {label: number for number, label in enumerate(labels.tolist())}
    return labels, np.array([place[entry] for entry in entries], dtype=np.int64)
