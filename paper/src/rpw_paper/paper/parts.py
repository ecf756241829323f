"""The parts of the whole, in the order of the paper: its number, what it says, how long it takes, and what makes it."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rpw_paper.base import Report, silent
from rpw_paper.paper import inequalities, plan_pictures
from rpw_paper.paper.choosing import choosing_exhibit
from rpw_paper.paper.excess import excess_exhibit
from rpw_paper.paper.exhibit import Exhibit
from rpw_paper.paper.introduction import introduction_exhibit
from rpw_paper.paper.lmr_time import lmr_exhibit
from rpw_paper.paper.outliers import outlier_exhibit, threshold_exhibit
from rpw_paper.paper.profile_reading import profile_exhibit
from rpw_paper.paper.proportion import proportion_exhibit
from rpw_paper.paper.rates import LARGEST_WITH_MATRIX, Case, between_samples, rate_exhibit, to_sample
from rpw_paper.paper.retrieved import ALL, Experiment, Runs, claims_exhibit, digest_of_runs, retrieval_exhibit
from rpw_paper.paper.samples import figure_6, same_distribution
from rpw_paper.paper.statements import STATEMENTS

EXPONENTS = (1.0, 2.0, 4.0, math.inf)
_SPACES = ("line", "square", "two squares", "cube")
SCENARIOS = ("noise", "shift", "both")


@dataclass(frozen=True)
class Size:
    """How much is computed: random cases, the largest sample, repeats, and the pictures."""

    name: str
    cases: int
    largest_n: int
    repeats: int
    largest_count: int
    lmr_sizes: tuple[int, ...]


QUICK = Size("quick", cases=120, largest_n=1000, repeats=10, largest_count=100_000, lmr_sizes=(100, 200, 400))
FULL = Size(
    "full", cases=1200, largest_n=100_000, repeats=20, largest_count=1_000_000, lmr_sizes=(250, 500, 1000, 2000)
)


@dataclass(frozen=True, eq=False)
class Job:
    """What a part needs to be made."""

    runs: Runs
    report: Report = silent

    @property
    def seed(self) -> int:
        return self.runs.seed

    @property
    def plain(self) -> dict[str, Any]:
        """For those that need no more than a seed and a listener."""
        return {"seed": self.seed, "report": self.report}


@dataclass(frozen=True, eq=False)
class Part:
    """One statement or figure. ``seconds`` is about how long it takes on two cores; ``sizes`` is what it depends on."""

    number: str
    seconds: float
    make: Callable[..., Exhibit]
    sizes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def title(self) -> str:
        return STATEMENTS[self.number][0]

    @property
    def statement(self) -> str:
        return STATEMENTS[self.number][1]

    @property
    def slug(self) -> str:
        """The name of its folder, and of its place on the page."""
        return re.sub(r"[^a-z0-9]+", "-", self.number.lower()).strip("-")

    @property
    def is_made_from_runs(self) -> bool:
        """Whether it judges what all runs of retrieval left."""
        return self.make is _claims

    def facts(self, job: Job) -> dict[str, Any]:
        sizes = {name: str(value) for name, value in self.sizes.items()}
        if self.is_made_from_runs:
            sizes["runs"] = digest_of_runs(job.runs.folder)
        elif self.make is _retrieval:
            sizes["runs"] = digest_of_runs(job.runs.folder, [each.name for each in self.sizes["experiments"]])
        return {"number": self.number, "seed": job.seed, **sizes}

    def pictures(self, job: Job) -> dict[str, str | None]:
        """The data sets that it is made from, and their digests."""
        named = [each.dataset for each in self.sizes.get("experiments", ())]
        if "dataset" in self.sizes:
            named.append(self.sizes["dataset"])
        return {name: job.runs.digest(name) for name in named}

    def exhibit(self, job: Job) -> Exhibit:
        return self.make(job, **self.sizes)


_TO_SAMPLE = "RPW between a density and its sample (upper bounds). Dotted: the slope of the bound."
_BETWEEN = "How far the RPW of samples is from that of the distributions. Dotted: the slope of the bound."


def _rates(number: int, caption: str, cases: Callable[..., list[Case]], *of: Sequence[Any]) -> Callable[..., Exhibit]:
    def make(job: Job, largest_n: int, repeats: int) -> Exhibit:
        run: dict[str, Any] = {"seed": [job.seed, 40, number], "n_threads": job.runs.n_threads, "report": job.report}
        return rate_exhibit(cases(*of, largest_n), repeats=repeats, caption=caption, **run)

    return make


def _same_distribution(job: Job, **sizes: Any) -> Exhibit:
    return same_distribution(**sizes, n_threads=job.runs.n_threads, **job.plain)


def _lmr(job: Job, **sizes: Any) -> Exhibit:
    return lmr_exhibit(**sizes, deltas=(0.1, 0.05, 0.025, 0.0125), prices=(4.0, 2.0, 1.0, 0.5), **job.plain)


def _excess(job: Job, dimensions: tuple[int, ...], **sizes: Any) -> Exhibit:
    return excess_exhibit(dimensions, **sizes, **job.plain)


def _retrieval(job: Job, experiments: tuple[Experiment, ...]) -> Exhibit:
    return retrieval_exhibit(job.runs, experiments, job.report)


def _choosing(job: Job, experiments: tuple[Experiment, ...]) -> Exhibit:
    return choosing_exhibit(job.runs, experiments, job.report)


def _claims(job: Job) -> Exhibit:
    return claims_exhibit(job.runs)


def _thresholds(job: Job, dataset: str, count: int) -> Exhibit:
    return threshold_exhibit(job.runs, dataset, count, job.report)


def _random(number: str) -> Callable[..., Exhibit]:
    return lambda job, cases: inequalities.inequality_exhibit(number, cases=cases, **job.plain)


def _outliers(job: Job, cases: int) -> Exhibit:
    return outlier_exhibit(_random("Theorem 3.1")(job, cases), job.seed)


def all_parts(size: Size) -> list[Part]:
    """Every part, in the order of the paper; then what it does not have."""
    made = [*_checked(size), *_drawn(), *_measured(size), *_retrieved(size)]
    order = list(STATEMENTS)
    return sorted(made, key=lambda part: order.index(part.number))


def _checked(size: Size) -> list[Part]:
    """What is proved for all measures, on random ones."""
    cases = {"cases": size.cases}
    plain = ("Theorem 2.1", "Lemma 2.2", "Lemma 4.2", "Lemma 4.3", "Lemma A.1", "Lemma A.4")
    return [
        *(Part(number, size.cases / 1000, _random(number), cases) for number in plain),
        Part("Lemma 4.1", size.cases / 40, _random("Lemma 4.1"), cases),
        Part("Theorem 3.1", 2 + size.cases / 1000, _outliers, cases),
        Part("Lemma 3.2", size.cases / 200, lambda job, cases: proportion_exhibit(cases=cases, **job.plain), cases),
        Part("Introduction", 0.1, lambda _: introduction_exhibit()),
    ]


def _drawn() -> list[Part]:
    """Pictures."""
    return [
        Part("Figure 1", 1, lambda job: plan_pictures.figure_1(seed=job.seed)),
        Part("Figure 2", 1, lambda job: profile_exhibit(seed=job.seed)),
        Part("Figure 3", 0.5, lambda job: plan_pictures.figure_3(seed=job.seed)),
        Part("Figure 4", 3, lambda job: plan_pictures.figure_4(seed=job.seed)),
    ]


def _measured(size: Size) -> list[Part]:
    """Rates and times."""
    rate = {"largest_n": size.largest_n, "repeats": size.repeats}
    effort = size.repeats * (size.largest_n / 1000) ** 1.2 / 10  # in units of the quick size
    with_matrix = min(max(size.largest_n, 1500), LARGEST_WITH_MATRIX)  # 1500: three sizes at least
    densities = {"largest_n": with_matrix, "repeats": size.repeats // 2}
    counts = tuple(n for n in (1000, 3162, 10_000, 31_623, 100_000, 316_228, 1_000_000) if n <= size.largest_count)
    together = 0.35 * size.repeats * (with_matrix / 1500) ** 2.5
    grids = {"sizes": counts, "repeats": size.repeats}
    counting = size.repeats * size.largest_count / 500_000
    samples = max(3, size.repeats // 4)
    lmr = {"sizes": size.lmr_sizes, "repeats": samples}
    return [
        Part("Lemma 3.3", 0.5 * effort, _rates(3, _BETWEEN, between_samples, (2,), (2.0,)), rate),
        Part("Lemma 3.4", 0.4 * effort, _rates(4, _TO_SAMPLE, to_sample, _SPACES[1:3], (2.0,)), rate),
        Part("Lemma 3.5", counting, _excess, {"dimensions": (2,), **grids}),
        Part("Lemma 3.6", 2.5 * effort, _rates(6, _TO_SAMPLE, to_sample, _SPACES, EXPONENTS), rate),
        Part("Theorem 3.7", 3 + 2.2 * effort, _rates(7, _BETWEEN, between_samples, (1, 2, 3), EXPONENTS), rate),
        Part("Theorem 3.7, equal distributions", together, _same_distribution, densities),
        Part("Section 5", size.lmr_sizes[-1] ** 2 * samples / 100_000, _lmr, lmr),
        Part("Figure 6", 3, lambda job, repeats: figure_6(repeats=repeats, seed=job.seed), {"repeats": 10}),
        Part("Lemma A.2", counting, _excess, {"dimensions": (1, 3), **grids}),
    ]


def _retrieved(size: Size) -> list[Part]:
    """Pictures that are found. Seconds are those of two cores; a GPU takes about a hundredth."""
    if size.name == "quick":
        digits = tuple(Experiment("digits", scenario, 100, 10, nearest=50) for scenario in SCENARIOS)
        return [
            Part("Figure 5, digits", 20, _retrieval, {"experiments": digits}),
            Part("Ours, thresholds", 10, _thresholds, {"dataset": "digits", "count": 5}),
            Part("Ours, k", 25, _choosing, {"experiments": (Experiment("digits", "both", 60, 10, nearest=50),)}),
        ]
    swept = (*_experiments("mnist", 600), *_experiments("cifar10"), *_experiments("corel"))
    return [
        Part("Figure 5, MNIST", 3300, _retrieval, {"experiments": _experiments("mnist")}),
        Part("Figure 5, CIFAR-10", 120_000, _retrieval, {"experiments": _experiments("cifar10")}),
        Part("Figure 7, COREL", 120_000, _retrieval, {"experiments": _experiments("corel")}),
        Part("Section 6.1, MNIST", 12_000, _retrieval, {"experiments": _experiments("mnist", 600)}),
        Part("Section 6.1, CIFAR-10", 400_000, _retrieval, {"experiments": _experiments("cifar10", 600)}),
        Part("Section 6.1, COREL", 400_000, _retrieval, {"experiments": _experiments("corel", 600)}),
        Part("Section 6.1", 5, _claims),
        Part("Ours, thresholds", 40, _thresholds, {"dataset": "mnist", "count": 20}),
        Part("Ours, k", 200_000, _choosing, {"experiments": swept}),
    ]


def _experiments(dataset: str, queries: int = 50) -> tuple[Experiment, ...]:
    """The paper's size, three times; or the ten nearest for more queries, by the distances that a claim names."""
    if queries == 50:
        return tuple(Experiment(dataset, scenario, 2000, queries, repeats=3) for scenario in SCENARIOS)
    distances = ALL if dataset == "mnist" else ("w1", "w2", "tv", "rpw-k0.1")
    return tuple(Experiment(dataset, scenario, 2000, queries, 10, distances=distances) for scenario in SCENARIOS)
