"""The numeric column that stands out most: its profile beside random ones, and the rows that RPW leaves behind."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rpw.base.check import Array
from rpw.base.deadline import TimeLimitError
from rpw.pair.atoms import Ints
from rpw.pair.crossing import Polyline
from rpw.pair.functions import solve
from rpw.stats.tables.numbers import LineFinding, LineTest
from rpw.stats.tables.setup import Setup

__all__ = ["LeftBehind", "WorstColumn", "worst_column"]

Mask = npt.NDArray[np.bool_]

_RANDOM_SPLITS = 20


@dataclass(frozen=True, eq=False)
class LeftBehind:
    """Rows of one table, numbered from 0, and their values; the farthest from the pooled median first."""

    rows: Ints
    values: Array


@dataclass(frozen=True, eq=False)
class WorstColumn:
    """What the page shows of it.

    ``profiles`` are pairs of arrays: the share that stays behind, and the cost of moving the rest, in widths of the
    pooled middle half. The first is the observed one.
    """

    column: str
    kind: str
    k: float
    width: float
    distance: float
    profiles: tuple[tuple[Array, Array], ...]
    reference: LeftBehind
    current: LeftBehind


def worst_column(
    found: list[tuple[LineTest, LineFinding]], rows_of_reference: int, setup: Setup, seed: int
) -> WorstColumn | None:
    """The smallest p-value; among equal ones the column that stands out most. None if no time was left."""
    if not found:
        return None
    test, finding = min(found, key=lambda each: (each[1].row.pvalue, -each[1].excess))
    deadline = setup.effort.deadline
    scaled = test.values / finding.width
    try:
        deadline.check()
        curves = test.profiles(setup, np.random.default_rng(seed), _RANDOM_SPLITS)
        result = solve(
            scaled[: test.n], scaled[test.n :], p=test.question.p, k=finding.k, diameter=1.0,
            time_limit=deadline.seconds_left if deadline.is_set else None,
        )  # fmt: skip
    except TimeLimitError:
        return None
    rows = np.flatnonzero(test.present)
    return WorstColumn(
        test.column, test.kind, finding.k, finding.width, finding.row.distance,
        tuple(_shares_and_costs(curve) for curve in curves),
        _left_behind(test.values[: test.n], result.outliers_a, rows[: test.n], test.values),
        _left_behind(test.values[test.n :], result.outliers_b, rows[test.n :] - rows_of_reference, test.values),
    )  # fmt: skip


def _shares_and_costs(curve: Polyline) -> tuple[Array, Array]:
    return curve.unmoved, curve.scale * curve.cost ** (1 / curve.p)


def _left_behind(values: Array, is_left: Mask, rows: Ints, pooled: Array) -> LeftBehind:
    away = np.abs(values - np.median(pooled))
    order = np.argsort(-away, kind="stable")
    order = order[is_left[order]]
    return LeftBehind(rows[order], values[order])
