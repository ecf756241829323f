"""Figure 6, and Theorem 3.7 for two samples of one distribution.

Figure 6: two samples of size n, drawn from two points, and from a 4 × 4 grid. RPW_{2,1} converges significantly faster
than W_2; a small k gives TV, a large one W_2/k (section 6.2).
Theorem 3.7 with μ = ν: RPW_{p,1}(μ_n, μ'_n) = Õ(n^r) on densities; r as in `rates`.
"""

import numpy as np

from rpw_paper.base import Report, as_n_threads, silent
from rpw_paper.convergence import Curve, continuous_curves, discrete_curves
from rpw_paper.paper.exhibit import NO, OPEN, YES, Drawing, Exhibit, Table, Verdict
from rpw_paper.paper.rate_rule import CAPTION, HEADER, Rate, verdict
from rpw_paper.paper.rate_rule import RULE as RATE_RULE
from rpw_paper.theory_views import draw_continuous, draw_discrete, fitted_table, value_table

CLOSE, FROM = 0.05, 1000
ROUGH, FAR = 0.2, 0.5
RULE = (
    "Faster: yes if the 95 % interval of the exponent of RPW(2,1) lies below that of W2, no if it lies above, open if "
    f"they overlap. Small k: yes if the means of RPW(2,0.1) and TV differ by at most {CLOSE:.0%} for all n ≥ {FROM:,}, "
    f"no if not. Large k: yes if the mean of RPW(2,10) is within {ROUGH:.0%} of W2/10 at every n, no if it is below "
    "half of W2/10 at the largest n, open in between."
)


def figure_6(*, repeats: int, seed: int) -> Exhibit:
    """Finitely many points: the paper's own experiment."""
    curves = list(discrete_curves(seed, repeats))
    verdicts = []
    for case in dict.fromkeys(curve.case for curve in curves):
        verdicts += case_verdicts(case, {curve.distance: curve for curve in curves if curve.case == case})
    caption = "Exponents over n ≥ 10,000, with 95 % intervals."
    return Exhibit(
        RULE,
        verdicts,
        [fitted_table(curves, caption), value_table(curves)],
        [Drawing("figure-6", draw_discrete(curves), "Means over the repeats.")],
    )


def case_verdicts(case: str, curves: dict[str, Curve]) -> list[Verdict]:
    """What the paper says of one distribution."""
    ours, plain = curves["RPW(2,1)"], curves["W2"]
    gaps = plain.exponent() - plain.band() - ours.exponent() - ours.band()
    behind = ours.exponent() - ours.band() - plain.exponent() - plain.band()
    faster = YES if gaps > 0 else NO if behind > 0 else OPEN
    small = np.abs(curves["RPW(2,0.1)"].mean / curves["TV"].mean - 1)[ours.n >= FROM]
    large = 10 * curves["RPW(2,10)"].mean / plain.mean
    rough = YES if (np.abs(large - 1) <= ROUGH).all() else NO if large[-1] < FAR else OPEN
    exponents = f"{ours.exponent():.3f} ± {ours.band():.3f} and {plain.exponent():.3f} ± {plain.band():.3f}"
    ratios = f"ratio {large.max():.2f} at most, {large[-1]:.2f} at n = {int(ours.n[-1]):,}"
    return [
        Verdict(f"{case}: RPW(2,1) converges significantly faster than W2", exponents, faster),
        Verdict(
            f"{case}: a small k gives TV", f"apart by up to {small.max():.1%}", YES if small.max() <= CLOSE else NO
        ),
        Verdict(f"{case}: a large k gives W2/k", ratios, rough),
    ]


def same_distribution(
    *, repeats: int, largest_n: int, seed: int, n_threads: int | None = None, report: Report = silent
) -> Exhibit:
    """Densities on a square, two squares and a cube."""
    curves = list(continuous_curves(seed, repeats, largest_n, as_n_threads(n_threads), report))
    rates = [as_rate(curve) for curve in curves if curve.distance.startswith("RPW")]
    return Exhibit(
        RATE_RULE,
        [verdict(rate) for rate in rates],
        [Table("rates", HEADER, [rate.row() for rate in rates], CAPTION), value_table(curves)],
        [Drawing("densities", draw_continuous(curves), "Means over the repeats; W_p is dashed and hollow.")],
    )


def as_rate(curve: Curve) -> Rate:
    """Over the sizes that are fitted."""
    used = curve.n >= curve.fitted_from
    return Rate(f"{curve.case}, {curve.distance}", curve.n[used].astype(float), curve.values[used], curve.theory)
