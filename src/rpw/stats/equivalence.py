"""Are two populations at most so far apart? A test whose p-value holds in any dimension.

Let G be the most mass that can be moved between the samples at W ≤ κ·margin. One row changes G by at most 1/n or 1/m,
and on average G is at most that of the populations. So McDiarmid's inequality says, if RPW of the populations exceeds
the margin:

    P(G - 1 + margin ≥ g) ≤ exp(-2 g² / (1/n + 1/m)).

docs/proofs/statistics.md, "At most so far apart".
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rpw.base import check
from rpw.base.deadline import deadline_after
from rpw.base.made_by_rpw import NO_PARAMETERS
from rpw.base.shared_docs import documented
from rpw.base.threads import as_n_threads
from rpw.measure import PointsLike
from rpw.pair.metrics import Metric, as_metric
from rpw.pair.question import as_question
from rpw.stats.resampled import Effort, resample
from rpw.stats.samples import as_samples
from rpw.stats.splits import observed_split
from rpw.stats.two_sample_result import deviation

__all__ = ["EquivalenceResult", "equivalence_test"]

_USUAL_LEVEL = 0.05


@dataclass(frozen=True)
class EquivalenceResult:
    """Whether two populations are proven to be at most ``margin`` apart.

    `rpw.stats.equivalence_test` returns it. ``print(result)`` says it in words.

    Attributes
    ----------
    statistic : float
        G - 1 + margin, but at least 0. G is the largest mass that can be moved at W ≤ k·Δ·margin. A larger statistic
        means closer samples.
    pvalue : float
        If RPW of the populations were above the margin, a p-value of at most α would have a probability of at most α.
    margin : float
        The margin that was tested.
    distance : float
        RPW of the samples.
    least_margin : float
        The smallest margin that samples of these sizes could prove at level 0.05, even if they were equal.
    n, m : int
        The numbers of rows of the two samples.
    p, k, diameter : float
        The exponent, the k and the Δ in use.

    Examples
    --------
    >>> import numpy as np
    >>> import rpw
    >>> x = np.random.default_rng(0).normal(size=2000)
    >>> print(rpw.stats.equivalence_test(x[:1000], x[1000:], 0.2, diameter=6))
    The populations are at most 0.2 apart: p = 4.25e-18. The samples are 0.0104 apart (k = 1, Δ = 6).
    """

    __signature__ = NO_PARAMETERS

    statistic: float
    pvalue: float
    margin: float
    distance: float
    least_margin: float
    n: int
    m: int
    p: float
    k: float
    diameter: float

    def __str__(self) -> str:
        is_proven = self.pvalue <= _USUAL_LEVEL
        verdict = "at most" if is_proven else "not proven to be at most"
        words = (
            f"The populations are {verdict} {self.margin:.3g} apart: p = {self.pvalue:.3g}. "
            f"The samples are {self.distance:.3g} apart (k = {self.k:.3g}, Δ = {self.diameter:.3g})."
        )
        if self.margin < self.least_margin:
            words += (
                f" Samples of {self.n:,} and {self.m:,} rows cannot prove a margin below {self.least_margin:.3g} "
                "at level 0.05."
            )
        return words

    def _repr_html_(self) -> str:
        from rpw.base.html import facts

        rows = [
            ("in words", str(self)),
            ("p-value", f"{self.pvalue:.4g}"),
            ("distance of the samples", f"{self.distance:.6g}"),
            ("least margin for these sizes", f"{self.least_margin:.4g}"),
            ("with", f"p = {self.p:g}, k = {self.k:.4g}, Δ = {self.diameter:.4g}"),
        ]
        return facts("Equivalence test", rows)


@documented
def equivalence_test(
    x: PointsLike,
    y: PointsLike,
    margin: float,
    *,
    diameter: float,
    p: float = 2,
    k: float = 1,
    metric: Metric = "euclidean",
    n_threads: int | None = None,
    time_limit: float | None = None,
) -> EquivalenceResult:
    """Test whether RPW of two populations is at most ``margin``; a small p-value says that it is.

    The p-value holds for every sample size, every p and any dimension. The rows must be drawn independently, and you
    must fix ``margin``, ``k`` and ``diameter`` before you see the data.

    Parameters
    ----------
    %(samples)s
    margin : float
        The largest RPW that would not matter, above 0 and at most 1.
    diameter : float
        The unit of length Δ.
    %(p)s
    %(k)s
    %(metric)s
    %(n_threads)s
    %(time_limit)s

    Returns
    -------
    EquivalenceResult
        The p-value, and what these sample sizes can prove.

    Raises
    ------
    TimeLimitError
        If ``time_limit`` passes first.

    See Also
    --------
    rpw.stats.two_sample_test : The opposite question: do the populations differ?

    Notes
    -----
    The p-value depends only on how much mass can be moved at a cost of k·Δ·margin. Once all mass can be moved, even
    closer samples have the same p-value. In many dimensions, two samples of one population are far apart, and a proof
    needs a larger margin or many more rows.

    Examples
    --------
    >>> import numpy as np
    >>> import rpw
    >>> x = np.random.default_rng(0).normal(size=2000)
    >>> result = rpw.stats.equivalence_test(x[:1000], x[1000:], 0.2, diameter=6)
    >>> result.pvalue < 0.01
    True
    >>> round(result.least_margin, 3)
    0.055
    """
    deadline = deadline_after(time_limit)
    share = check.as_share(margin, "margin")
    unit = check.as_positive(diameter, "diameter")
    kappa = check.as_kappa(k, unit)
    ground, samples = as_metric(metric), as_samples(x, y)
    split = observed_split(samples)
    effort = Effort("cpu", as_n_threads(n_threads), deadline, lambda done: None)
    question = as_question(p=p)
    found = resample(split, question, ground, np.array([kappa]), effort)
    distance = float(found.values[0, 0])
    if math.isnan(distance):
        deadline.check()
    curve = found.upper.get(0)
    # Without a profile: at W ≤ κ·margin at least all but the distance can be moved, if that is within the margin.
    moved = curve.most_mass(kappa * share) if curve is not None else 1.0 - distance
    gained = max(0.0, moved - 1.0 + share)
    pvalue = math.exp(-2.0 * gained**2 / (1 / samples.n + 1 / samples.m))
    least = deviation(samples.n, samples.m, _USUAL_LEVEL)
    sizes = samples.n, samples.m
    return EquivalenceResult(gained, pvalue, share, distance, least, *sizes, question.p, check.as_k(k), unit)
