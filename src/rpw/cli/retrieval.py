"""``rpw reproduce retrieval``."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from rpw.base.usage import UsageError
from rpw.cli._experiment import Data, Out, Seed, Size, begin, need_device, print_files
from rpw.cli._options import Device, Json, NThreads, usage
from rpw.cli._output import print_json, print_lines, print_table
from rpw.cli._pictures import Dataset, Labelled, Queries, Scenario, check_scenario, print_drawn, repeats_of, sizes_of
from rpw.cli._progress import bar
from rpw.io.pictures import load_pictures

__all__ = ["EXAMPLES", "retrieval"]

EXAMPLES = (
    "rpw reproduce retrieval",
    "rpw reproduce retrieval --dataset mnist --data DIR",
    "rpw reproduce retrieval --scenario noise --distances w2,rpw-k1",
)

Repeats = Annotated[
    int | None,
    typer.Option("--repeats", metavar="NUMBER", min=1, help="Independent repeats.", show_default="5"),
]
Nearest = Annotated[
    int, typer.Option("--nearest", metavar="NUMBER", min=1, help="How many of the nearest pictures to retrieve.")
]
Distances = Annotated[
    str | None,
    typer.Option(
        "--distances",
        metavar="NAME[,NAME...]",
        help="Some of: w1, w2, tv, rpw-k1, rpw-k0.1, and robot- with its λ, such as robot-0.1.",
        show_default="all six",
    ),
]
PlainQueries = Annotated[
    bool,
    typer.Option("--plain-queries", help="Colour pictures: a shift tints the labelled pictures, but not the queries."),
]
Lam = Annotated[float, typer.Option("--lam", metavar="NUMBER", help="The λ of λ-ROBOT.")]


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
    """Find pictures like a noisy or shifted one, with six distances.

    Writes accuracies with confidence intervals, a figure, and a page that shows what each distance found. The same
    command again resumes.
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
