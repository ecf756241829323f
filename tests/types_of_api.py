"""What type checkers see. ``make check`` runs mypy on this file; nothing here is ever called.

An ``ignore`` that mypy does not need is an error too: those lines are the calls that must be refused.
"""

from pathlib import Path
from typing import Any, assert_type

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

import rpw
from rpw.base.types import StoredMatrix
from rpw.cost import Diameter

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Row = np.ndarray[tuple[int], np.dtype[np.float64]]
IntRow = np.ndarray[tuple[int], np.dtype[np.int64]]
Rows = np.ndarray[tuple[int, int], np.dtype[np.float64]]
IntRows = np.ndarray[tuple[int, int], np.dtype[np.int64]]


def single_pairs(x: Floats, measure: rpw.Measure, table: list[list[float]]) -> None:
    assert_type(rpw.distance(x, measure), float)
    assert_type(rpw.distance(table, [1.0, 2.0], [1, 2], None, diameter=3), float)
    assert_type(rpw.solve(cost=table, a=(1, 2), p=1), rpw.Result)
    assert_type(rpw.choose_solver(x, x, metric=lambda a, b: abs(float(a[0] - b[0]))), tuple[str, str])
    mixed: list[rpw.Measure | Floats] = [measure, x]
    assert_type(rpw.diameter(mixed, [x]), Diameter)
    rpw.distance(x, x, diameter=rpw.diameter(measure, x))
    assert_type(rpw.diameter(measure, x, quantile=0.99).is_exact, bool)
    assert_type(rpw.sliced(x, measure, p=1, n_projections=9), rpw.Sliced)
    curve = rpw.profile(x, measure)
    assert_type(curve, rpw.Profile)
    assert_type(curve(0.5), float)
    assert_type(curve(x), float | Floats)
    assert_type(curve.distance(1), float)
    assert_type(curve.distance([0.1, 1]), float | Floats)
    assert_type(curve.slope(0.5), float)
    assert_type(curve.slope(x), float | Floats)
    assert_type(curve.result(1), rpw.Result)
    assert_type(curve.plan(0.5), csr_array)
    assert_type(curve.scores_a, Floats)
    assert_type(rpw.transport(x, measure, mass=0.5), rpw.Result)
    assert_type(rpw.transport(x, measure, lam=2).outliers_b, npt.NDArray[np.bool_])
    rpw.distance(measure, [measure])  # type: ignore[arg-type]
    rpw.distance(x, {1.0, 2.0})  # type: ignore[arg-type]
    rpw.distance(x, x, diameter="auto")  # type: ignore[arg-type]
    rpw.Measure(measure)  # type: ignore[arg-type]


def collections(clouds: list[Floats], measures: list[rpw.Measure], rows: csr_array) -> None:
    assert_type(rpw.pairwise(clouds), Floats)
    assert_type(rpw.pairwise(measures, clouds, diameter="auto"), Floats)
    mixed: list[rpw.Measure | Floats] = [measures[0], clouds[0]]
    assert_type(rpw.pairwise(mixed), Floats)
    assert_type(rpw.pairwise(rows, support=clouds[0]), Floats)
    assert_type(rpw.pairwise(measures, out="D.zarr"), StoredMatrix)
    assert_type(rpw.pairwise(measures, out=Path("D.zarr")).shape, tuple[int, ...])
    assert_type(np.asarray(rpw.pairwise(measures, out="D.zarr"), dtype=np.float64), Floats)
    assert_type(rpw.pairwise(clouds, k=[0.1, 1, 10]), Floats)
    assert_type(rpw.solve_pairs(clouds, measures, diameter="auto"), list[rpw.Result])
    assert_type(rpw.pairwise(clouds, k=[1, 2], out="D.zarr"), StoredMatrix)
    caught: RuntimeError = rpw.NoGpuError("no GPU")
    assert_type(caught.args, tuple[Any, ...])
    rpw.pairwise(measures[0])  # type: ignore[call-overload]
    rpw.pairwise(measures, out=3)  # type: ignore[call-overload]
    rpw.pairwise(measures, diameter="automatic")  # type: ignore[call-overload]


def means(clouds: list[Floats], measures: list[rpw.Measure], rows: csr_array) -> None:
    found = rpw.barycenter(measures, [1, 2], n_points=10, p=1.5, k=0.3, diameter="auto", objective="rpw")
    assert_type(found, rpw.Barycenter)
    assert_type(found.measure, rpw.Measure)
    assert_type(found.lower, float | None)
    assert_type(found.left_out, Floats)
    assert_type(found.unmatched, list[Floats])
    assert_type(found.results, list[rpw.Result])
    assert_type(rpw.barycenter(rows, support=clouds[0]).gap, float | None)
    rpw.barycenter(measures, n_points=10, objective="w2")  # type: ignore[arg-type]
    rpw.barycenter(measures, n_points="ten")  # type: ignore[arg-type]


def searches(index: rpw.Index, cloud: Floats, measures: list[rpw.Measure], rows: csr_array) -> None:
    assert_type(index.query(measures[0], top=3), tuple[Row, IntRow])
    assert_type(index.query(measures), tuple[Rows, IntRows])
    assert_type(index.query(cloud), tuple[Floats, Ints])
    assert_type(index.query(rows), tuple[Floats, Ints])
    assert_type(index.radius_query(measures[0], 0.1), tuple[Row, IntRow])
    assert_type(index.radius_query(measures, 0.1), tuple[list[Row], list[IntRow]])
    assert_type(index.radius_query(cloud, 0.1), tuple[Any, Any])
    assert_type(rpw.Index.load(Path("I")).diameter, float)
    index.query(object())  # type: ignore[call-overload]
    index.add(measures[0])  # type: ignore[arg-type]


def statistics(x: Floats, measure: rpw.Measure, generator: np.random.Generator) -> None:
    found = rpw.stats.find_outliers(x, measure, fdr=0.1, rng=generator, score="move", p=1)
    assert_type(found, rpw.stats.OutliersResult)
    assert_type(found.mask, npt.NDArray[np.bool_])
    assert_type(found.pvalues, Floats)
    assert_type(found.least_named, int)
    rpw.stats.find_outliers([1.0, 2.0], [[0.5]], rng=0, score=lambda rows, reference: rows[:, 0])
    rpw.stats.find_outliers(x, x, score="lof")  # type: ignore[arg-type]
    rpw.stats.find_outliers(x, x, rng="seed")  # type: ignore[arg-type]


def modules_loaded_when_used() -> None:
    assert_type(rpw.readers.read_points("a.csv"), rpw.Measure)
    assert_type(rpw.readers.read_pair("a.csv", "b.csv"), tuple[rpw.Measure, rpw.Measure])
