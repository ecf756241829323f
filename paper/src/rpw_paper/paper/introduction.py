"""The introduction's two examples.

Outliers: μ, and ν = 0.99 μ + 0.01 ν' with W_p(μ, ν') = 1. Then W_p(μ, ν) = 0.1, 0.21 and 1 for p = 2, 3 and ∞; RPW is
at most 0.01 (Theorem 3.1). Partial W_p breaks the triangle inequality; RPW is a metric (Theorem 2.1).
"""

import math

import rpw
from rpw_paper.base import spelled
from rpw_paper.paper.exhibit import NO, YES, Exhibit, Table, Verdict

PRINTED = {2.0: 0.1, 3.0: 0.21, math.inf: 1.0}
SHARE = 0.01
RULE = "Yes: our number agrees with the printed digits (rounded or cut off), or the inequality holds. No: if not."


def introduction_exhibit() -> Exhibit:
    """Both examples, with points on the line."""
    inliers, spoiled = rpw.Measure([[0.0]]), rpw.Measure([[0.0], [1.0]], [1 - SHARE, SHARE])
    rows, verdicts = [], []
    for p, printed in PRINTED.items():
        whole, ours = rpw.wasserstein(inliers, spoiled, p=p), rpw.distance(inliers, spoiled, p=p, k=1)
        name = spelled(p)
        rows.append([name, printed, whole, ours])
        verdicts.append(_as_printed(f"1 % of outliers makes W_{name} {printed:g}", whole, printed))
        verdicts.append(_at_most(f"The same outliers make RPW_{{{name},1}} at most 0.01", ours, SHARE))
    a, b, c = rpw.Measure([[0.0]]), rpw.Measure([[0.0], [1.0]]), rpw.Measure([[1.0]])
    pairs = [(a, b), (b, c), (a, c)]
    partial = [rpw.partial_wasserstein(x, y, p=2, mass=0.5) for x, y in pairs]
    ours_too = [rpw.distance(x, y, p=2, k=1) for x, y in pairs]
    is_broken = partial[0] + partial[1] < partial[2]
    found = f"{partial[0]:.3g} + {partial[1]:.3g} < {partial[2]:.3f}"
    verdicts.append(Verdict("Partial W_2 breaks the triangle inequality", found, YES if is_broken else NO))
    verdicts.append(_at_most("RPW_{2,1} does not", ours_too[2], ours_too[0] + ours_too[1]))
    return Exhibit(
        RULE,
        verdicts,
        [
            Table("outliers", ["p", "printed", "w", "rpw"], rows, "1 % of the mass at distance 1."),
            Table(
                "triangle",
                ["distance", "a to b", "b to c", "a to c"],
                [["partial W2, half of the mass", *partial], ["RPW(2,1)", *ours_too]],
                "a and c are points at distance 1; b is half of each.",
            ),
        ],
    )


def _as_printed(statement: str, value: float, printed: float) -> Verdict:
    is_cut_off = math.floor(100 * value + 1e-9) / 100 == printed
    return Verdict(statement, f"{value:.4f}", YES if is_cut_off or round(value, 2) == printed else NO)


def _at_most(statement: str, value: float, most: float) -> Verdict:
    return Verdict(statement, f"{value:.4f} ≤ {most:.4f}", YES if value <= most + 1e-12 else NO)
