"""Which tests a column gets: its values, its missing rows; or a row that says why there is none."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt

from rpw.io.typed_columns import DATE, EMPTY, MIXED, NUMBER, OTHER, TypedColumn
from rpw.io.typed_tables import TypedTable
from rpw.pair.atoms import Ints
from rpw.stats.tables.categories import CategoryTest
from rpw.stats.tables.extent import why_too_wide
from rpw.stats.tables.missing import MissingTest
from rpw.stats.tables.numbers import LineTest
from rpw.stats.tables.row import DriftRow

__all__ = ["ColumnTest", "tests_of"]

ColumnTest = LineTest | CategoryTest | MissingTest

_LEAST_VALUES = 2  # on each side: with one there is nothing to exchange
_FEW_LABELS = 100  # numbers and texts together with so few different ones are categories
_SIDES = ("reference", "current table")


def tests_of(
    column: str, reference: TypedTable, current: TypedTable, groups: Ints | None
) -> list[ColumnTest | DriftRow]:
    """The tests of one column, which may be in one of the tables only."""
    if column not in current or column not in reference:
        where = _SIDES[column not in reference]
        kind = (reference.get(column) or current[column]).kind
        return [DriftRow(column, "not compared", kind, note=f"it is only in the {where}")]
    pair = (reference[column], current[column])
    missing = np.concatenate([each.missing for each in pair])
    n = len(pair[0])
    found: list[ColumnTest | DriftRow] = [_values_test(column, pair, ~missing, n, groups)]
    if missing.any() and not missing.all():
        found.append(MissingTest(column, found[0].kind, missing, n))
    return found


def _values_test(
    column: str, pair: tuple[TypedColumn, TypedColumn], present: npt.NDArray[np.bool_], n: int, groups: Ints | None
) -> ColumnTest | DriftRow:
    kind = _common_kind(pair)
    reason = _why_not(pair, kind, present, n, groups)
    if reason:
        return DriftRow(column, "not compared", kind, note=reason)
    notes = [f"{each.note} in the {side}" for each, side in zip(pair, _SIDES, strict=True) if each.note]
    in_first = int(present[:n].sum())
    if kind in (NUMBER, DATE):
        numbers = np.concatenate([_numbers(each) for each in pair])[present]
        if numbers.min() == numbers.max():
            return DriftRow(column, "not compared", kind, note="it is constant, and the same in both tables")
        reason = why_too_wide(numbers)
        if reason:
            return DriftRow(column, "not compared", kind, note=reason)
        return LineTest(column, kind, numbers, in_first, present, "; ".join(notes))
    texts = np.concatenate([each.as_texts() for each in pair])[present]
    if kind == MIXED:
        types = np.concatenate([each.as_types() for each in pair])[present]
        is_few = len(set(texts.tolist())) <= _FEW_LABELS
        notes.append(
            f"mixed types ({_counted(types)}): {'compared as categories' if is_few else 'only the types are compared'}"
        )
        texts = texts if is_few else types
    labels, codes = _factorised(texts)
    if len(labels) == 1 and kind != MIXED:
        return DriftRow(column, "not compared", kind, note="it is constant, and the same in both tables")
    return CategoryTest(column, kind, labels, codes, in_first, present, note="; ".join(notes))


def _common_kind(pair: tuple[TypedColumn, TypedColumn]) -> str:
    """That of both; a column without values has none of its own."""
    kinds = {each.kind for each in pair}
    if OTHER in kinds:
        return OTHER
    kinds = kinds - {EMPTY} or {EMPTY}
    return kinds.pop() if len(kinds) == 1 else MIXED


def _why_not(
    pair: tuple[TypedColumn, TypedColumn], kind: str, present: npt.NDArray[np.bool_], n: int, groups: Ints | None
) -> str:
    """Why the values cannot be compared, if so."""
    if kind == OTHER:
        return next(each.note for each in pair if each.kind == OTHER)
    for side, rows in zip(_SIDES, (slice(None, n), slice(n, None)), strict=True):
        count = int(present[rows].sum())
        if count < _LEAST_VALUES:
            return f"the {side} has {count or 'no'} value{'s' * (count != 1)}, and a test needs {_LEAST_VALUES}"
        if groups is not None and len(np.unique(groups[rows][present[rows]])) < _LEAST_VALUES:
            return f"the values in the {side} are of one group, and a test needs two"
    return ""


def _numbers(column: TypedColumn) -> npt.NDArray[np.float64]:
    return np.full(len(column), np.nan) if column.numbers is None else column.numbers


def _factorised(texts: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], Ints]:
    """The different texts in order, and the number of each. Arrays of objects: one long text must not widen all."""
    entries = texts.tolist()
    labels = np.array(sorted(set(entries)), dtype=np.object_)
    place = {label: number for number, label in enumerate(labels.tolist())}
    return labels, np.array([place[entry] for entry in entries], dtype=np.int64)


def _counted(types: npt.NDArray[np.str_]) -> str:
    return ", ".join(f"{count:,} {name}{'s' * (count != 1)}" for name, count in Counter(types.tolist()).most_common())
