"""``rpw reproduce retrieval`` and ``rpw demo``."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from rpw.base.usage import UsageError
from rpw.cli._experiment import Data, Out, Seed, Size, begin, need_device, print_files
from rpw.cli._options import Device, Json, NThreads, path, usage
from rpw.cli._output import print_json, print_lines, print_table
from rpw.cli._pictures import Dataset, Labelled, Queries, Scenario, check_scenario, print_drawn, repeats_of, sizes_of
from rpw.cli._progress import bar
from rpw.io.pictures import load_pictures

__all__ = ["demo", "retrieval"]

Repeats = Annotated[int | None, typer.Option("--repeats", min=1, help="Independent repeats.", show_default="5")]
Nearest = Annotated[int, typer.Option("--nearest", min=1, help="How many of the nearest to retrieve.")]
Distances = Annotated[
    str | None,
    typer.Option("--distances", metavar="NAME,NAME...", help="Some of w1, w2, tv, rpw-k1, rpw-k0.1, robot-LAM."),
]
PlainQueries = Annotated[
    bool, typer.Option("--plain-queries", help="Colour: a shift tints labelled pictures, and no query.")
]
DemoOut = Annotated[
    Path | None, typer.Option("--out", parser=path, help="Folder for what is made.", show_default="demo_output")
]
Lam = Annotated[float, typer.Option("--lam", help="The λ of λ-ROBOT.")]


def retrieval(
    dataset: Dataset = "digits",
    scenario: Scenario = "both",
    labelled: Labelled = None,
    queries: Queries = None,
    repeats: Repeats = None,
    seed: Seed = 0,
    lam: Lam = 0.1,
    nearest: Nearest = 100,
    distances: Distances = None,
    plain_queries: PlainQueries = False,
    size: Size = None,
    data: Data = None,
    out: Out = None,
    n_threads: NThreads = None,
    device: Device = "cpu",
    as_json: Json = False,
) -> None:
    """Image retrieval under noise and shift, with six distances; the same call again resumes.

    Writes accuracies with confidence intervals, a figure, and a page that shows what each distance found.
    """
    from rpw.experiments.page import findings
    from rpw.experiments.retrieval import Plan, chosen_methods, methods
    from rpw.experiments.retrieval_run import MAY_DIFFER, Run, run_retrieval
    from rpw.experiments.retrieval_views import accuracy_table

    start = time.perf_counter()
    check_scenario(scenario)
    if not lam > 0 or lam == float("inf"):
        raise UsageError(f"--lam must be positive and finite, got {lam}")
    with usage():
        ways = methods(lam) if distances is None else chosen_methods(distances.split(","), lam)
    need_device(device)
    pictures = load_pictures(dataset, data, size)
    counts = {**sizes_of(pictures, labelled, queries), "repeats": repeats_of(pictures, repeats)}
    plan = Plan(pictures, scenario, counts["labelled"], counts["queries"], seed, plain_queries, nearest)
    run = Run(plan, ways, counts["repeats"], lam)
    name = f"retrieval-{pictures.name}-{scenario}{'-plain' * plain_queries}"
    folder = begin("retrieval", out, name, run.facts, may_differ=MAY_DIFFER)
    if not as_json:
        print_drawn(pictures, scenario, counts, plain_queries)
    with bar(as_json) as report:
        result, paths = run_retrieval(run, folder, n_threads=n_threads, device=device, report=report)
    if as_json:
        names, (mean, band) = [way.name for way in result.methods], result.summary()
        found = {"accuracy": mean, "half_width": band, "ties": result.ties}
        print_json(
            {**run.facts, **{key: dict(zip(names, rows, strict=True)) for key, rows in found.items()}, "files": paths}
        )
        return
    print_table(*accuracy_table(result))
    interval = "; ± is half a 95 % confidence interval" if result.has_bands else ""
    print_lines([f"Share of the m nearest with the query's label{interval}.", findings(result)])
    print_files({name: paths[name] for name in ("table", "figure", "page")}, start)


def demo(out: DemoOut = None, n_threads: NThreads = None, as_json: Json = False) -> None:
    """Retrieve handwritten digits that are noisy and shifted: no data needed, under a minute on two cores."""
    retrieval(out=out or Path("demo_output"), n_threads=n_threads, as_json=as_json)
