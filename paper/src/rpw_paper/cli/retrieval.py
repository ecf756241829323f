"""``rpw-paper reproduce retrieval``."""

import math
import time
from pathlib import Path
from typing import Annotated

import typer

from rpw_paper.base import UsageError
from rpw_paper.cli import options
from rpw_paper.cli.options import need_device, print_drawn, print_files
from rpw_paper.cli.output import bar, print_json, print_lines, print_table
from rpw_paper.files import begin_run
from rpw_paper.page import findings
from rpw_paper.pictures import load_pictures
from rpw_paper.retrieval import Plan, chosen_methods, methods
from rpw_paper.retrieval_run import MAY_DIFFER, Run, run_retrieval
from rpw_paper.retrieval_views import accuracy_table

Distances = Annotated[
    str | None,
    typer.Option(
        metavar="NAME[,NAME...]",
        help="Some of: w1, w2, tv, rpw-k1, rpw-k0.1, and robot- with its λ, such as robot-0.1.",
        show_default="all six",
    ),
]
Lam = Annotated[float, typer.Option(metavar="NUMBER", help="The λ of λ-ROBOT.")]


def retrieval(
    dataset: options.Dataset = "digits",
    scenario: options.Scenario = "both",
    labelled: options.Labelled = None,
    queries: options.Queries = None,
    repeats: options.Repeats = None,
    seed: options.Seed = 0,
    lam: Lam = 0.1,
    nearest: options.Nearest = 100,
    distances: Distances = None,
    plain_queries: options.PlainQueries = False,
    size: options.Size = None,
    data: options.Data = None,
    out: options.Out = None,
    n_threads: options.NThreads = None,
    device: options.Device = "cpu",
    as_json: options.Json = False,
) -> None:
    """Find pictures like a noisy or shifted one, with six distances.

    Writes accuracies with confidence intervals, a figure, and a page that shows what each distance found. The same
    command again resumes.
    """
    start = time.perf_counter()
    if not 0 < lam < math.inf:
        raise UsageError(f"--lam must be positive and finite, got {lam}")
    ways = methods(lam) if distances is None else chosen_methods(distances.split(","), lam)
    need_device(device)
    pictures = load_pictures(dataset, data, size)
    counts = {**options.sizes_of(pictures, labelled, queries), "repeats": options.repeats_of(pictures, repeats)}
    plan = Plan(pictures, scenario, counts["labelled"], counts["queries"], seed, plain_queries, nearest)
    run = Run(plan, ways, counts["repeats"], lam)
    name = f"retrieval-{pictures.name}-{scenario}{'-plain' * plain_queries}"
    folder = begin_run(out or Path("rpw-output", name), "retrieval", run.facts, MAY_DIFFER)
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
