"""What the paper proves for all measures, tried on random ones: the slack of each inequality.

Theorem 2.1  RPW(μ, ν) ≤ RPW(μ, κ) + RPW(κ, ν), RPW(μ, ν) = RPW(ν, μ), RPW(μ, μ) = 0
Lemma 2.2    W_{p,1-α} = kβ  ⇒  min(α, β) ≤ RPW ≤ max(α, β)   (printed "≤ min" for the first; its proof shows "≥")
Theorem 3.1  RPW(μ, ν) - δ ≤ RPW(μ, (1-δ)ν + δν') ≤ (1-δ) RPW(μ, ν) + δ
Lemma A.1    min(δ(1-α), W_{p,1-δ(1-α)}/k) ≤ RPW ≤ min(δ, W_p/k),  δ = TV(μ, ν)
Lemma 4.1    RPW_{∞,1} = Lévy-Prokhorov, by its definition over all sets
Lemma 4.2    RPW_{p,0} = TV, half the sum of |differences of the masses|
Lemma 4.3    RPW ≤ W_p/k ≤ RPW + k^(-(p+1)/p)
Lemma A.4    RPW ≤ RPW from a profile that is at most δ' too high ≤ RPW + 2δ'/k
"""

import math
from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

import numpy as np

import rpw
from rpw_paper.base import Report, silent
from rpw_paper.paper.exhibit import NO, YES, Exhibit, Table, Verdict
from rpw_paper.paper.random_pairs import questions, random_measure

ROUNDING = 1e-9
RULE = (
    f"Yes: the inequality holds in every case, up to {ROUNDING:g} for rounding. No: some case breaks it. The cases are "
    "random measures of one to ten points in the plane, with p = 1, 2, 4 and ∞ and k = 0.1, 1 and 10 in turn."
)
Slacks = dict[str, float]  # of each inequality of a statement; negative if it is broken
Measures = tuple[rpw.Measure, rpw.Measure, rpw.Measure]


def _rpw(first: rpw.Measure, second: rpw.Measure, p: float, k: float) -> float:
    return float(rpw.distance(first, second, p=p, k=k, diameter=1))


def _metric(measures: Measures, p: float, k: float, _rng: np.random.Generator) -> Slacks:
    a, b, c = measures
    whole, one, two = _rpw(a, b, p, k), _rpw(a, c, p, k), _rpw(c, b, p, k)
    return {
        "triangle inequality": one + two - whole,
        "symmetry": -abs(whole - _rpw(b, a, p, k)),
        "0 for equal measures": -_rpw(a, a, p, k),
        "more than 0 for different ones": whole if whole > 0 or _total_variation(a, b) <= ROUNDING else -1.0,
    }


def _between(measures: Measures, p: float, k: float, rng: np.random.Generator) -> Slacks:
    a, b, _ = measures
    alpha = float(rng.random())
    beta = rpw.partial_wasserstein(a, b, p=p, mass=1 - alpha) / k
    value = _rpw(a, b, p, k)
    return {
        "RPW ≤ max(α, β)": max(alpha, beta) - value,
        "RPW ≥ min(α, β), as proved": value - min(alpha, beta),
        "RPW ≤ min(α, β), as printed": min(alpha, beta) - value,
    }


def _outliers(measures: Measures, p: float, k: float, rng: np.random.Generator) -> Slacks:
    a, b, noise = measures
    share = float(rng.random())
    points = np.concatenate([b.points, noise.points])
    mixed = rpw.Measure(points, np.concatenate([(1 - share) * b.weights, share * noise.weights]))
    before, after = _rpw(a, b, p, k), _rpw(a, mixed, p, k)
    return {"at least RPW - δ": after - before + share, "at most (1-δ) RPW + δ": (1 - share) * before + share - after}


def _both_bounds(measures: Measures, p: float, k: float, rng: np.random.Generator) -> Slacks:
    a, b, _ = measures
    left = (1 - float(rng.random())) * _total_variation(a, b)
    value, whole = _rpw(a, b, p, k), rpw.wasserstein(a, b, p=p) / k
    below = min(left, rpw.partial_wasserstein(a, b, p=p, mass=1 - left) / k)
    return {"the lower bound": value - below, "the upper bound": min(_total_variation(a, b), whole) - value}


def _levy_prokhorov(measures: Measures, _p: float, _k: float, _rng: np.random.Generator) -> Slacks:
    a, b, _ = measures
    return {"equality": -abs(_rpw(a, b, math.inf, 1) - levy_prokhorov_by_definition(a, b))}


def _is_total_variation(measures: Measures, p: float, _k: float, _rng: np.random.Generator) -> Slacks:
    a, b, _ = measures
    return {"equality": -abs(_rpw(a, b, p, 0) - _total_variation(a, b))}


def _near_wasserstein(measures: Measures, p: float, k: float, _rng: np.random.Generator) -> Slacks:
    a, b, _ = measures
    value, whole = _rpw(a, b, p, k), rpw.wasserstein(a, b, p=p) / k
    return {"RPW ≤ W_p/k": whole - value, "W_p/k ≤ RPW + k^(-(p+1)/p)": value + k ** -(1 + 1 / p) - whole}


def _from_rough_profile(measures: Measures, p: float, k: float, rng: np.random.Generator) -> Slacks:
    a, b, _ = measures
    finite, rough = min(p, 4.0), float(rng.uniform(0.02, 0.2))
    profile = rpw.profile(a, b, p=finite, solver="lmr", tol=rough, diameter=1)
    value, above = _rpw(a, b, finite, k), profile.distance(k)
    return {"at least RPW": above - value, "at most RPW + 2δ'/k": value + 2 * rough / k - above}


def _total_variation(a: rpw.Measure, b: rpw.Measure) -> float:
    """By its definition, over the points that either has."""
    masses: dict[tuple[float, ...], float] = {}
    for measure, sign in ((a, 1.0), (b, -1.0)):
        for point, mass in zip(measure.points.tolist(), measure.weights.tolist(), strict=True):
            masses[tuple(point)] = masses.get(tuple(point), 0.0) + sign * mass
    return sum(map(abs, masses.values())) / 2


def levy_prokhorov_by_definition(a: rpw.Measure, b: rpw.Measure) -> float:
    """The least ε with a(S) ≤ b(points within ε of S) + ε for every set S of points of a (at most ten of them)."""
    apart = np.hypot(*(a.points[:, None] - b.points[None]).transpose(2, 0, 1))
    sets = np.array(list(product((0.0, 1.0), repeat=len(apart)))[1:])  # a row for each, with 1 for its members
    masses, best = sets @ a.weights, 1.0
    for reach in np.unique(np.append(apart, 0.0)):
        if reach >= best:
            break
        reached = sets @ (apart <= reach) > 0
        lacking = (masses - reached @ b.weights).max()
        best = min(best, max(float(reach), float(lacking)))
    return best


STATEMENTS: Mapping[str, Callable[[Measures, float, float, np.random.Generator], Slacks]] = {
    "Theorem 2.1": _metric,
    "Lemma 2.2": _between,
    "Theorem 3.1": _outliers,
    "Lemma A.1": _both_bounds,
    "Lemma 4.1": _levy_prokhorov,
    "Lemma 4.2": _is_total_variation,
    "Lemma 4.3": _near_wasserstein,
    "Lemma A.4": _from_rough_profile,
}


def inequality_exhibit(number: str, *, cases: int, seed: int, report: Report = silent) -> Exhibit:
    """One statement on random measures."""
    rows: list[list[Any]] = []
    slacks: dict[str, list[float]] = {}
    for case, p, k in questions(cases):
        report(case / cases, f"case {case + 1} of {cases}")
        rng = np.random.default_rng([seed, 50, list(STATEMENTS).index(number), case])
        measures = (random_measure(rng), random_measure(rng), random_measure(rng))
        for name, slack in STATEMENTS[number](measures, p, k, rng).items():
            rows.append([case, p, k, name, slack])
            slacks.setdefault(name, []).append(slack)
    return Exhibit(
        RULE,
        [verdict_of(name, found) for name, found in slacks.items()],
        [Table("cases", ["case", "p", "k", "inequality", "slack"], rows)],
    )


def verdict_of(name: str, slacks: list[float]) -> Verdict:
    """Whether an inequality holds in every case."""
    broken = sum(slack < -ROUNDING for slack in slacks)
    if broken:
        return Verdict(name, f"broken in {broken} of {len(slacks)} cases, by up to {-min(slacks):.3g}", NO)
    closest = f"; the smallest slack is {max(min(slacks), 0.0):.2g}" if max(slacks) > ROUNDING else ""
    return Verdict(name, f"holds in all {len(slacks)} cases{closest}", YES)
