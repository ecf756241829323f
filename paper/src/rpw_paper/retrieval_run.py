"""A whole run of the retrieval experiment in its folder: what it was made from, its files, and what they say again."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import rpw
from rpw_paper.base import Report, silent
from rpw_paper.files import begin_run
from rpw_paper.retrieval import Method, Plan, Retrieval, retrieve
from rpw_paper.retrieval_views import write_retrieval

MAY_DIFFER = ("repeats", "distances", "version")  # in a run that goes on


@dataclass(frozen=True, eq=False)
class Run:
    """What is drawn, by which distances pictures are found, and how often. ``lam`` is that of λ-ROBOT."""

    plan: Plan
    ways: list[Method]
    repeats: int
    lam: float = 0.1

    @property
    def counts(self) -> dict[str, int]:
        return {"labelled": self.plan.labelled, "queries": self.plan.queries, "repeats": self.repeats}

    @property
    def facts(self) -> dict[str, Any]:
        plan, pictures = self.plan, self.plan.pictures
        return {
            "dataset": pictures.name,
            "scenario": plan.scenario,
            **self.counts,
            "seed": plan.seed,
            "lam": self.lam,
            "nearest": plan.largest_m,
            "plain_queries": plan.plain_queries,
            "distances": ",".join(way.key for way in self.ways),
            "pictures": f"{' x '.join(map(str, pictures.images.shape[1:3]))} pixels, digest {pictures.digest}",
        }


def run_retrieval(
    run: Run, folder: Path, *, n_threads: int | None = None, device: str = "cpu", report: Report = silent
) -> tuple[Retrieval, dict[str, Path]]:
    """Compute what the folder does not hold yet, and write what it shows."""
    begin_run(folder, "retrieval", run.facts, may_differ=MAY_DIFFER)
    result = retrieve(
        run.plan,
        run.ways,
        repeats=run.repeats,
        store=folder / "nearest",
        n_threads=n_threads,
        device=device,
        report=report,
    )
    return result, write_retrieval(result, folder, {**run.facts, "version": rpw.__version__})
