"""Do two samples come from one distribution? A permutation test by RPW, which replaced rows cannot forge.

At one price κ = kΔ the statistic is RPW. Without k it is the largest standardised excess (T - mean) / sd over a grid of
prices, mean and sd over all splits, the observed one included. So the observed split is ranked among equals, and the
p-value is exact.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from rpw.base import check
from rpw.base.arrays import settled_device
from rpw.base.check import Array
from rpw.base.deadline import NEVER, Deadline, TimeLimitError, deadline_after
from rpw.base.memory import check_matrix_fits
from rpw.base.progress import Progress, progress_bar
from rpw.base.shared_docs import documented
from rpw.base.threads import as_n_threads
from rpw.measure import PointsLike
from rpw.pair.metrics import GroundMetric, Metric, as_metric
from rpw.pair.question import Question, as_question
from rpw.stats.evidence import Evidence, rank_pvalue
from rpw.stats.prices import Prices, check_prices, prices_of
from rpw.stats.resampled import Effort, ground_of, resample, resampled_blocks, values_of
from rpw.stats.samples import Samples, as_rng, as_samples, check_scalable, warn_of_units
from rpw.stats.scale import NO_SCALES, as_scales
from rpw.stats.splits import Splits, all_or_random_splits, as_groups
from rpw.stats.two_sample_result import NoiseFloor, TwoSampleResult, noise_floor_of

__all__ = ["noise_floor", "two_sample_test"]

STATISTICS = ("rpw", "wasserstein", "energy")
_BEFORE_A_LOOK = 64  # splits that are solved before the test may stop early
_ENERGIES_AT_ONCE = 256


@documented
def two_sample_test(
    x: PointsLike,
    y: PointsLike,
    *,
    p: float = 2,
    k: float | None = None,
    diameter: float | None = None,
    metric: Metric = "euclidean",
    contamination: float = 0,
    n_resamples: int = 999,
    rng: Any = None,
    statistic: str = "rpw",
    alpha: float | None = None,
    scale: str | None = None,
    groups: Any = None,
    tol: float = 0.0,
    n_threads: int | None = None,
    device: str = "cpu",
    progress: Progress = False,
    time_limit: float | None = None,
) -> TwoSampleResult:
    """Test whether two samples come from the same distribution.

    The rows of both samples are pooled and split at random, again and again. If both samples come from one
    distribution, the observed split is like any other. The p-value is the share of splits that are at least as far
    apart as the samples.

    Rows must be independent. Repeated measurements of one customer, or rows that follow each other in time, make the
    p-value too small; ``groups`` keeps such rows together.

    Parameters
    ----------
    %(samples)s
    %(p)s
    k : float, optional
        How much leaving mass behind costs, in units of ``diameter``. By default three values are tried, 0.15, 1.5 and
        15, and the result names the one with the clearest difference. The p-value accounts for this choice.
    diameter : float, optional
        The unit of length Δ. By default it is the median distance between the pooled rows. The p-value is valid either
        way, but `rpw.stats.TwoSampleResult.at_most` needs a k and a Δ that you fixed before seeing the data.
    %(metric)s
    contamination : int or float, default 0
        How many rows may have been replaced by anything: an int counts rows, a float is a share of the smaller sample.
        The p-value and ``at_most()`` then hold whichever rows were replaced. Needs ``statistic="rpw"``. Without ``k``,
        the p-value is then at least 3 / (n_resamples + 1).
    n_resamples : int, default 999
        The number of random splits. If there are no more than this many different splits, each is taken once.
    %(rng)s
    statistic : {"rpw", "wasserstein", "energy"}, default "rpw"
        The distance between the samples. The last two are for comparison: one replaced row can change them arbitrarily.
    alpha : float, optional
        Stop as soon as the p-value is sure to exceed this level (Besag and Clifford). Needs ``k``. A test with
        ``alpha`` keeps neither a null distribution nor a noise floor, even if it runs to its end.
    %(scale)s
    %(groups)s
    tol : float, default 0.0
        How far RPW may be off. The p-value stays valid, but becomes a little larger.
    %(n_threads)s
    %(device)s
    %(progress splits)s
    time_limit : float, optional
        Seconds. ``unanswered`` then says how many random splits had no answer. The p-value counts each of them against
        a difference: it stays valid, but may be far too large.

    Returns
    -------
    TwoSampleResult
        The p-value, the distance, and what chance alone would give. ``print(result)`` says it in words.

    Raises
    ------
    TimeLimitError
        If ``time_limit`` passes before the distance of the two samples is known.

    Warns
    -----
    UserWarning
        If ``scale`` was left out and a single column makes up nearly all of the distances.

    See Also
    --------
    rpw.stats.noise_floor : What chance alone would give, from fewer splits.
    rpw.stats.equivalence_test : A proof that two populations are close.
    rpw.stats.drift : The same question for each column of a table.

    Examples
    --------
    Ten of 50 rows of the second sample lie far away:

    >>> import numpy as np
    >>> import rpw
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=(50, 2)), rng.normal(size=(50, 2))
    >>> y[:10] += 20
    >>> result = rpw.stats.two_sample_test(x, y, n_resamples=199, rng=0)
    >>> result.pvalue
    0.01
    >>> round(result.distance, 3), result.noise_floor.high < 0.17
    (0.2, True)
    """
    deadline = deadline_after(time_limit)
    test = _checked(x, y, p, k, diameter, metric, rng, statistic, scale, groups, tol, deadline)
    check.check_progress(progress)
    count = check.as_whole(n_resamples, "n_resamples", 1)
    rows = _as_rows(contamination, test)
    level = _as_level(alpha, test, k)
    device = settled_device(check.as_device(device), x=x, y=y)
    splits = all_or_random_splits(test.samples, count, test.rng, test.groups)
    with progress_bar(len(splits), progress, unit="split") as report:
        effort = Effort(device, as_n_threads(n_threads), deadline, report)
        if statistic != "rpw":
            return _by_other_statistic(test, splits, effort)
        if level is not None:
            return _stopped_early(test, splits, level, rows, effort)
        return _by_rpw(test, splits, rows, effort)


@documented
def noise_floor(
    x: PointsLike,
    y: PointsLike,
    *,
    p: float = 2,
    k: float = 1,
    diameter: float | None = None,
    metric: Metric = "euclidean",
    n_resamples: int = 49,
    rng: Any = None,
    scale: str | None = None,
    groups: Any = None,
    n_threads: int | None = None,
    device: str = "cpu",
) -> NoiseFloor:
    """Estimate the RPW that two samples of one distribution would have, by chance alone.

    Is an RPW of 0.17 large? Not if two samples of the same sizes from one distribution would be as far apart.

    Parameters
    ----------
    %(samples)s
    %(p)s
    k : float, default 1
        How much leaving mass behind costs; pass the same as to `rpw.distance`.
    diameter : float, optional
        The unit of length Δ; pass the same as to `rpw.distance`. By default it is the median distance between the
        pooled rows.
    %(metric)s
    n_resamples : int, default 49
        The number of random splits of the pooled rows.
    %(rng)s
    %(scale)s
    %(groups)s
    %(n_threads)s
    %(device)s

    Returns
    -------
    NoiseFloor
        The distance, and the range that chance gives. ``print(floor)`` says it in words.

    Warns
    -----
    UserWarning
        If ``scale`` was left out and a single column makes up nearly all of the distances.

    See Also
    --------
    rpw.stats.two_sample_test : A test with a p-value.

    Examples
    --------
    In six dimensions, two samples of 100 rows from the same distribution are 0.2 apart:

    >>> import numpy as np
    >>> import rpw
    >>> rng = np.random.default_rng(3)
    >>> x, y = rng.normal(size=(100, 6)), rng.normal(size=(100, 6))
    >>> print(rpw.stats.noise_floor(x, y, diameter=6.0, rng=0))
    0.201; two samples of one distribution would give 0.196 to 0.206
    """
    test = _checked(x, y, p, check.as_k(k), diameter, metric, rng, "rpw", scale, groups, 0.0)
    count = check.as_whole(n_resamples, "n_resamples", 1)
    device = settled_device(check.as_device(device), x=x, y=y)
    splits = all_or_random_splits(test.samples, count, test.rng, test.groups)
    kappas = test.prices.kappas
    effort = Effort(device, as_n_threads(n_threads), NEVER, lambda done: None)
    values = values_of(ground_of(splits.places, test.metric), splits, test.question, effort, tuple(kappas))[:, 0]
    return noise_floor_of(float(values[0]), values[1:], test.prices.ks[0], test.prices.unit)


@dataclass(frozen=True, eq=False)
class _Test:
    """All that was asked, checked."""

    statistic: str
    samples: Samples
    metric: GroundMetric
    question: Question
    prices: Prices
    groups: Any
    rng: np.random.Generator

    @property
    def why_no_upper_bound(self) -> str:
        """Why RPW of the populations has no proven bound; empty if it has one."""
        if self.groups is not None:
            return "rows of one group are not independent (groups=)"
        if self.prices.scales is not NO_SCALES:
            return "scale= takes the units from the data; scale the columns by numbers fixed beforehand"
        if not self.prices.is_fixed:
            return "k and the unit of length must be fixed before the data are seen: pass k= and diameter="
        return ""


def _checked(
    x: Any, y: Any, p: Any, k: Any, diameter: Any, metric: Any, rng: Any, statistic: Any, scale: Any, groups: Any,
    tol: Any, deadline: Deadline = NEVER,
) -> _Test:  # fmt: skip
    check.as_choice(statistic, "statistic", STATISTICS)
    ground, generator, samples = as_metric(metric), as_rng(rng), as_samples(x, y)
    check_scalable(scale, ground)
    if scale is None:
        warn_of_units(samples.points[: samples.n], samples.points[samples.n :], samples.columns, ground)
    scales = as_scales(scale, samples.points)
    samples = Samples(scales.apply(samples.points), samples.n, samples.columns)
    if statistic == "energy" and check.as_number(p, "p") != 2:
        raise ValueError("p has no effect on statistic='energy': leave it out")
    if statistic != "rpw" and (k is not None or diameter is not None or check.as_tol(tol) > 0):
        raise ValueError(f"k, diameter and tol have no effect on statistic={statistic!r}: leave them out")
    question = as_question("wasserstein", p=p) if statistic == "wasserstein" else as_question(p=p, tol=tol)
    prices = prices_of(k, diameter, samples.points, ground, scales, generator, deadline)
    if statistic == "rpw":  # the others have no price
        check_prices(prices)
    return _Test(statistic, samples, ground, question, prices, as_groups(groups, samples.n, samples.m), generator)


def _as_rows(contamination: Any, test: _Test) -> int:
    """How many replaced rows to allow for."""
    smaller = min(test.samples.n, test.samples.m)
    number = check.as_number(contamination, "contamination")
    is_share = not isinstance(contamination, (int, np.integer))
    if number < 0 or (is_share and number >= 1):
        raise ValueError(
            f"contamination must be a number of rows (an int), or a share below 1 (a float); got {contamination!r}"
        )
    rows = math.ceil(number * smaller - 1e-9) if is_share else int(number)
    if rows > smaller:
        raise ValueError(f"contamination is {rows} rows, and the smaller sample has only {smaller}")
    if rows and test.statistic != "rpw":
        raise ValueError(
            "contamination needs statistic='rpw': one replaced row can change the other statistics arbitrarily"
        )
    return rows


def _as_level(alpha: Any, test: _Test, k: Any) -> float | None:
    if alpha is None:
        return None
    level = check.as_number(alpha, "alpha")
    if not 0 < level < 1:
        raise ValueError(f"alpha must lie between 0 and 1, got {level}")
    if test.statistic != "rpw":
        raise ValueError(f"alpha needs statistic='rpw', got {test.statistic!r}: leave alpha out")
    if k is None:
        raise ValueError("alpha stops the test early, which needs one k: pass k=")
    return level


def _by_rpw(test: _Test, splits: Splits, rows: int, effort: Effort) -> TwoSampleResult:
    found = resample(splits, test.question, test.metric, test.prices.kappas, effort)
    if np.isnan(found.values[0]).any():
        raise TimeLimitError(done=0, total=len(splits))
    evidence = Evidence(test.prices, found, splits.is_all)
    price, statistics = evidence.clearest, evidence.statistics
    values = found.values[:, price]
    floor = noise_floor_of(float(values[0]), values[1:], test.prices.ks[price], test.prices.unit)
    return _result(
        test, float(statistics[0]), evidence.pvalue(rows), statistics[1:], floor, rows, splits.others,
        evidence.unanswered, price, evidence,
    )  # fmt: skip


def _stopped_early(test: _Test, splits: Splits, level: float, rows: int, effort: Effort) -> TwoSampleResult:
    """Besag and Clifford: after h splits that reach the observed one, at the L-th, p = h / L."""
    wanted = math.ceil(level * len(splits))
    low, high = test.prices.bounds(rows)
    observed, distance, reached, seen = math.nan, math.nan, 0, 0
    asked = splits, test.question, test.metric, test.prices.kappas, effort
    for start, found in resampled_blocks(*asked, most=_BEFORE_A_LOOK):
        shares = np.minimum(1.0, rows / found.sizes)
        if start == 0:
            if np.isnan(found.values[0, 0]):
                break
            observed, distance = found.lowest(0, 0, float(high[0]), float(shares[0])), float(found.values[0, 0])
            continue
        for split in range(int(np.logical_and.accumulate(found.has_answer).sum())):  # up to the first without an answer
            highest = found.highest(split, 0, float(low[0]), float(shares[split]))
            reached += rank_pvalue(observed, np.array([highest]), is_all=True) == 1
            seen += 1
            if reached == wanted and not splits.is_all:
                return _result(test, distance, wanted / seen, None, None, rows, seen, 0, distance=distance)
    if math.isnan(distance):
        raise TimeLimitError(done=0, total=len(splits))
    unanswered = splits.others - seen
    reached += unanswered
    pvalue = reached / splits.others if splits.is_all else (1 + reached) / len(splits)
    return _result(test, distance, pvalue, None, None, rows, splits.others, unanswered, distance=distance)


def _by_other_statistic(test: _Test, splits: Splits, effort: Effort) -> TwoSampleResult:
    if test.statistic == "wasserstein":
        values = values_of(ground_of(splits.places, test.metric), splits, test.question, effort)
    else:
        values = _energy(splits, test.metric, effort)
    if math.isnan(values[0]):
        raise TimeLimitError(done=0, total=len(splits))
    pvalue = rank_pvalue(float(values[0]), values[1:], splits.is_all)
    floor, unanswered = noise_floor_of(float(values[0]), values[1:]), int(np.isnan(values).sum())
    return _result(test, float(values[0]), pvalue, values[1:], floor, 0, splits.others, unanswered)


def _energy(splits: Splits, metric: GroundMetric, effort: Effort) -> Array:
    """2 E|X - Y| - E|X - X'| - E|Y - Y'|, that is -(a - b)ᵀ D (a - b), of every split; NaN without time."""
    check_matrix_fits(len(splits.places), len(splits.places))
    between = np.empty((len(splits.places), len(splits.places)))
    metric.fill(splits.places, splits.places, between, effort.deadline)
    values = np.full(len(splits), np.nan)
    for start, block in splits.blocks(_ENERGIES_AT_ONCE, effort.deadline):
        of_first, of_second = block.shares()
        apart = of_first - of_second
        values[start : start + len(block)] = -np.einsum("ij,ij->i", apart @ between, apart)
        effort.report(start + len(block))
    return values


def _result(
    test: _Test, statistic: float, pvalue: float, null: Array | None, floor: NoiseFloor | None, rows: int,
    n_resamples: int, unanswered: int, price: int = 0, evidence: Evidence | None = None, distance: float = math.nan,
) -> TwoSampleResult:  # fmt: skip
    name = test.statistic
    has_price = name == "rpw"
    return TwoSampleResult(
        statistic=statistic,
        pvalue=pvalue,
        null_distribution=null,
        distance=distance if floor is None else floor.distance,
        noise_floor=floor,
        name=name,
        p=test.question.p if name != "energy" else math.nan,
        k=test.prices.ks[price] if has_price else math.nan,
        diameter=test.prices.unit if has_price else math.nan,
        contamination=rows,
        n=test.samples.n,
        m=test.samples.m,
        n_resamples=n_resamples,
        unanswered=unanswered,
        _evidence=evidence,
        _no_upper_bound=test.why_no_upper_bound if has_price else f"statistic={name!r} has no such bound",
    )
