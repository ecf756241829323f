"""Records the numbers that every public function returns on some thousands of inputs, and compares them later.

A change that should change no result is checked like this:

    python tests/properties/bits.py record numbers.json      before it
    python tests/properties/bits.py compare numbers.json     after it: names what differs, and exits with 1

Only public names of rpw are used, so that the script outlives what lies behind them. Numbers are the same if they agree
to 1e-12. Of a solve, exact answers must agree so, and the intervals of those within a tolerance must meet.
A plan is only held against the masses, since another plan may cost as little. A case that raises is the name of its
exception, and compares nothing: ``record`` names those. Iterations are cases of their own and are counted apart:
another way to the same answer may take another number of them. `--pairs` takes fewer inputs.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import rpw

EXPONENTS = (1.0, 1.5, 2.0, 3.0, float("inf"))
PRICES = (0.0, 0.1, 1.0, 10.0, 1e6)
METRICS = ("euclidean", "cityblock", "chebyshev", "minkowski", "canberra", "hamming")
PAIRS = 160
COLLECTIONS = 14
SHOWN = 20
SAME = 1e-12  # of two numbers, as a share of them

Case = tuple[str, Callable[[], Any]]


class Pair(NamedTuple):
    """Two weighted measures, and the length that their distances are to be measured with."""

    x: np.ndarray
    y: np.ndarray
    a: np.ndarray | None
    b: np.ndarray | None
    unit: float


class Answer(NamedTuple):
    """What one solve found."""

    distance: float
    lower: float
    upper: float
    status: str
    excess: float


class Between(NamedTuple):
    """What two curves prove, number by number."""

    lower: list[float]
    upper: list[float]


def third_power(x: Any, y: Any) -> float:
    """A callable metric: Minkowski's with exponent 3."""
    differences = np.abs(x - y)
    longest = differences.max() or 1.0
    return float(longest * ((differences / longest) ** 3).sum() ** (1 / 3))


# ---------------------------------------------------------------- inputs


def draw_points(rng: np.random.Generator, size: int, dimension: int, kind: int) -> np.ndarray:
    if kind == 0:  # ties and repeated points
        return rng.integers(0, 3, (size, dimension)).astype(np.float64)
    if kind == 1:
        return rng.random((size, dimension))
    if kind == 2:  # two clusters
        return rng.standard_normal((size, dimension)) / 10 + rng.integers(0, 2, (size, 1))
    return np.round(rng.random((size, dimension)), 1)


def draw_weights(rng: np.random.Generator, size: int, kind: int) -> np.ndarray | None:
    if kind == 0:
        return None
    if kind == 1:
        return rng.dirichlet(np.ones(size))
    if kind == 2:  # some of them zero
        weights = rng.integers(0, 4, size).astype(np.float64)
        weights[rng.integers(size)] = 1
        return weights
    return 10.0 ** rng.integers(-18, 1, size)


def draw_pair(seed: int) -> Pair:
    rng = np.random.default_rng(seed)
    dimension = int(rng.integers(1, 4))
    least, most = (150, 400) if seed % 40 == 11 else (40, 90) if seed % 8 == 0 else (1, 25)
    n, m = (int(size) for size in rng.integers(least, most, 2))
    points, weights = seed % 4, seed // 4 % 4
    unit = (1.0, 1e30, 1e-30, 1.0, 1e150)[seed % 5]
    x, y = (draw_points(rng, size, dimension, points) * unit for size in (n, m))
    a, b = (draw_weights(rng, size, weights) for size in (n, m))
    return Pair(x, y + (3 * unit if seed % 7 == 0 else 0), a, b, unit)


def draw_matrix(seed: int, n: int, m: int) -> np.ndarray:
    """A cost matrix that need not come from a metric: its zeros may form no blocks."""
    rng = np.random.default_rng(seed)
    matrix = rng.random((n, m)) if seed % 2 else rng.integers(0, 3, (n, m)).astype(np.float64)
    return np.asfortranarray(matrix) if seed % 3 == 0 else matrix


# ---------------------------------------------------------------- cases


def facts_of(result: rpw.Result) -> Answer:
    """What a Result says, and by how much its plan misses the masses."""
    return Answer(result.distance, result.lower, result.upper, result.status, excess_of_plan(result))


def excess_of_plan(result: rpw.Result) -> float:
    """By how much the plan and what it leaves exceed the masses, as a share of them all."""
    plan = result.plan
    rows, columns = np.asarray(plan.sum(axis=1)).ravel(), np.asarray(plan.sum(axis=0)).ravel()
    moved, left_a, left_b = float(plan.sum()), result.unmatched_a, result.unmatched_b
    gaps = [abs(moved - result.mass), abs(moved + left_a.sum() - 1), abs(moved + left_b.sum() - 1)]
    return float(max(*gaps, -min(plan.data.min(initial=0.0), rows.min(), columns.min(), left_a.min(), left_b.min())))


def cases_of_solve(name: str, solve: Callable[[], rpw.Result]) -> Iterator[Case]:
    yield name, lambda: facts_of(solve())
    yield f"{name} iterations", lambda: solve().iterations


def cases_of_pair(seed: int) -> Iterator[Case]:
    pair = draw_pair(seed)
    points = {"x": pair.x, "y": pair.y, "a": pair.a, "b": pair.b}
    metric: Any = METRICS[seed % len(METRICS)] if seed % 9 else third_power
    points["metric"] = metric
    name = f"pair {seed}"
    for p in EXPONENTS:
        price = PRICES[(seed + int(min(p, 7) * 2)) % len(PRICES)]
        for k in dict.fromkeys((price, 1.0)):
            question = {"p": p, "k": k, "diameter": pair.unit}
            yield f"{name} distance p={p} k={k}", lambda q=question: rpw.distance(**points, **q)
            yield from cases_of_solve(f"{name} solve p={p} k={k}", lambda q=question: rpw.solve(**points, **q))
        yield f"{name} wasserstein p={p}", lambda p=p: rpw.wasserstein(**points, p=p)
        for mass in (0.0, 0.37, 0.75):
            call = f"{name} partial p={p} mass={mass}"
            yield call, lambda p=p, mass=mass: rpw.partial_wasserstein(**points, p=p, mass=mass)
        yield f"{name} robot p={p}", lambda p=p: rpw.robot(**points, p=p, lam=0.3 * pair.unit)
    yield f"{name} total_variation", lambda: rpw.total_variation(**points)
    yield f"{name} levy_prokhorov", lambda: rpw.levy_prokhorov(**points)
    yield f"{name} diameter", lambda: rpw.diameter([pair.x, pair.y], metric=metric)
    yield from cases_of_tolerance(name, points, pair.unit, seed)
    yield from cases_of_profile(name, points, pair.unit, seed)


def cases_of_tolerance(name: str, points: dict[str, Any], unit: float, seed: int) -> Iterator[Case]:
    p = EXPONENTS[seed % len(EXPONENTS)]
    for solver in ("auto", "lmr", "bisection"):
        for tol in (0.1, 1e-3):
            asked = {"p": p, "k": PRICES[1 + seed % 4], "diameter": unit, "tol": tol, "solver": solver}
            call = f"{name} solve p={p} {solver} tol={tol}"
            yield from cases_of_solve(call, lambda asked=asked: rpw.solve(**points, **asked))


def cases_of_profile(name: str, points: dict[str, Any], unit: float, seed: int) -> Iterator[Case]:
    p = EXPONENTS[seed % len(EXPONENTS)]

    def facts(profile: rpw.Profile) -> list[Any]:
        known = [profile.unmoved, profile.cost_p, profile.solver, profile([0.0, 0.3, 1.0])]
        return known + [profile.distance(k) for k in PRICES]

    def exact() -> list[Any]:
        profile = rpw.profile(**points, p=p, diameter=unit)
        return [*facts(profile), profile.elbow()]

    def within(tol: float, **more: Any) -> Between:
        profile = rpw.profile(**points, p=p, diameter=unit, tol=tol, **more)
        masses = np.linspace(0, 1, 41)
        curves = [[*curve(masses).tolist(), *curve.distance(PRICES).tolist()] for curve in (profile.lower, profile)]
        return Between(*curves)  # two curves, which have no elbow

    yield f"{name} profile p={p}", exact
    yield f"{name} profile p={p} tol", lambda: within(0.05 * unit)
    if p < float("inf"):  # where LMR has no profile
        yield f"{name} profile p={p} lmr", lambda: within(0.05 * unit, solver="lmr")


def cases_of_matrix(seed: int) -> Iterator[Case]:
    rng = np.random.default_rng(seed)
    n, m = (int(size) for size in rng.integers(1, 20, 2))
    matrix = draw_matrix(seed, n, m)
    given = {
        "cost": matrix,
        "a": draw_weights(rng, n, seed % 4),
        "b": draw_weights(rng, m, seed // 2 % 4),
    }
    name = f"matrix {seed}"
    p = EXPONENTS[seed % len(EXPONENTS)]
    for k in PRICES:
        yield f"{name} distance p={p} k={k}", lambda k=k: rpw.distance(**given, p=p, k=k)
        yield from cases_of_solve(f"{name} solve p={p} k={k}", lambda k=k: rpw.solve(**given, p=p, k=k))
    yield f"{name} wasserstein p={p}", lambda: rpw.wasserstein(**given, p=p)
    yield f"{name} partial p={p}", lambda: rpw.partial_wasserstein(**given, p=p, mass=0.6)
    yield f"{name} robot p={p}", lambda: rpw.robot(**given, p=p, lam=0.4)
    yield f"{name} total_variation", lambda: rpw.total_variation(**given)
    yield f"{name} levy_prokhorov", lambda: rpw.levy_prokhorov(**given)
    yield from cases_of_tolerance(name, given, 1.0, seed)
    yield from cases_of_profile(name, given, 1.0, seed)
    yield f"{name} untouched", lambda: matrix


def draw_collection(seed: int) -> tuple[list[rpw.Measure], list[rpw.Measure]]:
    rng = np.random.default_rng(seed)
    dimension, unit = 1 + seed % 3, (1.0, 1.0, 1e30, 1e-30)[seed % 4]
    made = []
    for s in range(13):
        size = int(rng.integers(1, 12))
        points = draw_points(rng, size, dimension, (seed + s) % 4) * unit
        made.append(rpw.Measure(points, draw_weights(rng, size, (seed // 2 + s) % 4)))
    return made[:8], made[8:]


def draw_histograms(seed: int) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    """Histograms, and what they share: a support or a matrix."""
    rng = np.random.default_rng(seed)
    size = 16
    rows = np.array([draw_weights(rng, size, 1 + seed % 2) for _ in range(13)])
    support = draw_points(rng, size, 2, seed % 4)
    if seed % 3:
        return rows[:8], rows[8:], {"support": support, "metric": third_power if seed % 4 == 1 else "euclidean"}
    matrix = rng.random((size, size)) * 2 if seed % 2 else np.abs(support[:, None] - support).sum(axis=2)
    return rows[:8], rows[8:], {"cost": matrix}


def cases_of_collection(seed: int) -> Iterator[Case]:
    A, B, shared = *draw_collection(seed), {"metric": METRICS[seed % 4] if seed % 5 else third_power}
    yield from cases_of_many(f"collection {seed}", A, B, shared, seed)
    A, B, shared = draw_histograms(seed)
    yield from cases_of_many(f"histograms {seed}", A, B, shared, seed)


def cases_of_many(name: str, A: Any, B: Any, shared: dict[str, Any], seed: int) -> Iterator[Case]:
    for distance in ("total_variation", "levy_prokhorov"):
        yield f"{name} pairwise {distance}", lambda d=distance: rpw.pairwise(A, B, n_threads=2, distance=d, **shared)
    for p in EXPONENTS:
        question = {"p": p, **shared}
        for distance, more in (
            ("rpw", {"k": PRICES[(seed + int(min(p, 7))) % len(PRICES)], "diameter": "auto"}),
            ("wasserstein", {}),
            ("partial_wasserstein", {"mass": 0.7}),
            ("robot", {"lam": 0.25}),
        ):
            asked = {"distance": distance, **more, **question}
            yield f"{name} pairwise {distance} p={p}", lambda asked=asked: rpw.pairwise(A, B, n_threads=2, **asked)
        yield f"{name} pairwise itself p={p}", lambda q=question: rpw.pairwise(A, n_threads=1, **q)
        for k in (PRICES[seed % len(PRICES)], 1.0):
            asked = {"k": k, "diameter": "auto", **question}
            yield from cases_of_index(f"{name} index p={p} k={k}", A, B, asked)
    yield f"{name} pairwise out", lambda: in_store(A, B, shared)


def cases_of_index(name: str, A: Any, B: Any, asked: dict[str, Any]) -> Iterator[Case]:
    def index() -> rpw.Index:
        return rpw.Index(A, **asked)

    yield f"{name} query", lambda: index().query(B, top=3)
    yield f"{name} query one", lambda: index().query(B[0], top=8, n_threads=2)
    yield f"{name} radius", lambda: index().radius_query(B, 0.5)
    yield f"{name} radius one", lambda: index().radius_query(B[1], 0.7, n_threads=2)


def in_store(A: Any, B: Any, shared: dict[str, Any]) -> np.ndarray:
    with tempfile.TemporaryDirectory() as folder:
        return np.asarray(rpw.pairwise(A, B, out=Path(folder) / "store.zarr", **shared)[:])


def all_cases(pairs: int = PAIRS, collections: int = COLLECTIONS) -> Iterator[Case]:
    for seed in range(pairs):
        yield from cases_of_pair(seed)
        yield from cases_of_matrix(seed)
    for seed in range(collections):
        yield from cases_of_collection(seed)


# ---------------------------------------------------------------- record and compare


def atoms_of(value: Any) -> Iterator[Any]:
    """The numbers and words in a value, in order."""
    if isinstance(value, list | tuple):
        yield f"[{len(value)}"
        for item in value:
            yield from atoms_of(item)
    elif isinstance(value, np.ndarray):
        yield f"{value.dtype.kind}{value.shape}"
        yield from value.ravel().tolist()
    else:
        yield value


def numbers_of(call: Callable[[], Any]) -> Any:
    """What the call returns, as JSON can hold it; or the name of what it raises."""
    try:
        value = call()
    except (ValueError, RuntimeError, MemoryError) as error:
        return type(error).__name__
    return value._asdict() if isinstance(value, Answer | Between) else list(atoms_of(value))


def are_close(before: Any, now: Any) -> bool:
    """Whether two numbers agree to rounding, or two words."""
    if isinstance(before, float | int) and isinstance(now, float | int):
        return before == now or abs(before - now) <= SAME * max(abs(before), abs(now))
    return bool(before == now)


def do_meet(low: float, high: float, other_low: float, other_high: float) -> bool:
    """Whether two intervals have a number in common, up to rounding."""
    return max(low, other_low) <= min(high, other_high) * (1 + SAME)


def is_same(before: Any, now: Any) -> bool:
    """Whether a case gave the same answer twice."""
    if isinstance(before, list) and isinstance(now, list):
        return len(before) == len(now) and all(map(are_close, before, now))
    if not (isinstance(before, dict) and isinstance(now, dict)):
        return bool(before == now)
    if "status" not in now:
        return all(map(do_meet, before["lower"], before["upper"], now["lower"], now["upper"]))
    if now["excess"] > SAME or (before["status"] == "exact" != now["status"]):
        return False
    if before["status"] == "exact":
        return all(are_close(before[name], now[name]) for name in ("distance", "lower", "upper"))
    return do_meet(before["lower"], before["upper"], now["lower"], now["upper"])


def compare(before: dict[str, Any], now: dict[str, Any]) -> int:
    """Print the first cases that differ; how many there are, but for iterations."""
    different = [name for name in now if not is_same(before.get(name), now[name])]
    counts = [name for name in different if name.endswith("iterations")]
    wrong = [name for name in different if not name.endswith("iterations")]
    for name in wrong[:SHOWN]:
        print(f"{name}\n    before: {str(before.get(name))[:300]}\n    now:    {str(now[name])[:300]}")
    print(f"{len(now)} cases, {len(wrong)} differ; {len(counts)} numbers of iterations too")
    return len(wrong)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["record", "compare"])
    parser.add_argument("file", type=Path)
    parser.add_argument("--pairs", type=int, default=PAIRS, help="of points and of matrices; default %(default)s")
    parser.add_argument("--collections", type=int, default=COLLECTIONS, help="default %(default)s")
    options = parser.parse_args()
    now = {name: numbers_of(call) for name, call in all_cases(options.pairs, options.collections)}
    if options.action == "record":
        options.file.write_text(json.dumps(now))
        raised = [name for name, numbers in now.items() if isinstance(numbers, str)]
        print(f"{len(now)} cases, of which {len(raised)} raise{': ' * bool(raised)}{', '.join(raised[:SHOWN])}")
        return 0
    return 1 if compare(json.loads(options.file.read_text()), now) else 0


if __name__ == "__main__":
    sys.exit(main())
