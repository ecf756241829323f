"""``rpw-paper reproduce sweep``."""

import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from rpw_paper.base import UsageError
from rpw_paper.cli import options
from rpw_paper.cli.options import need_device, print_drawn, print_files
from rpw_paper.cli.output import bar, print_json, print_lines, print_table
from rpw_paper.files import begin_run
from rpw_paper.pictures import load_pictures
from rpw_paper.price_sweep import Choice, choice_among, sweep_prices, write_sweep
from rpw_paper.retrieval import SWEPT_LAM, Plan

Lams = Annotated[
    str | None,
    typer.Option(metavar="NUMBER[,NUMBER...]", help="The λ of λ-ROBOT.", show_default="seven, from 0.01 to 0.316"),
]


def sweep(
    dataset: options.Dataset = "digits",
    scenario: options.Scenario = "both",
    labelled: options.Labelled = None,
    queries: options.Queries = None,
    seed: options.Seed = 0,
    nearest: options.Nearest = 10,
    lam: Lams = None,
    size: options.Size = None,
    data: options.Data = None,
    out: options.Out = None,
    n_threads: options.NThreads = None,
    device: options.Device = "cpu",
    as_json: options.Json = False,
) -> None:
    """How to choose k: the accuracy of retrieval over k.

    Tries k from 0.01 to 100, and λ-ROBOT over λ. Says which k are not significantly worse than the best one, and what
    is lost if k is wrong by a factor of three. The same command again resumes.
    """
    start = time.perf_counter()
    lams = SWEPT_LAM if lam is None else _as_lams(lam)
    need_device(device)
    pictures = load_pictures(dataset, data, size)
    counts = options.sizes_of(pictures, labelled, queries)
    plan = Plan(pictures, scenario, counts["labelled"], counts["queries"], seed, largest_m=nearest)
    facts = {"dataset": pictures.name, "scenario": scenario, **counts, "seed": seed, "nearest": nearest}
    facts["pictures"] = f"digest {pictures.digest}"
    facts["lam"] = ",".join(f"{value:g}" for value in lams)
    folder = begin_run(out or Path("rpw-output", f"sweep-{pictures.name}-{scenario}"), "sweep", facts, ("lam",))
    if not as_json:
        print_drawn(pictures, scenario, counts)
    with bar(as_json) as report:
        run: dict[str, Any] = {"n_threads": n_threads, "device": device, "report": report}
        found = sweep_prices(plan, store=folder / "nearest", m=nearest, lams=lams, **run)
    paths = write_sweep(found, folder)
    chosen = {name: choice_among(values, hits, found.m) for name, values, hits in found.families}
    if as_json:
        curves = {name: dict(zip(values, found.accuracy(hits), strict=True)) for name, values, hits in found.families}
        choice = {name: asdict(each) for name, each in chosen.items()}
        print_json({**facts, "accuracy": curves, "choice": choice, "files": paths})
        return
    _print_choices(chosen, found.m)
    print_files(paths, start)


def _as_lams(text: str) -> tuple[float, ...]:
    """Different numbers that λ-ROBOT may have, in their order; with six digits, as in the names of files."""
    try:
        given = sorted({float(f"{float(number):g}") for number in text.split(",")})
    except ValueError:
        given = []
    if not given or not all(0 < number < float("inf") for number in given):
        raise UsageError(f"--lam {text!r} must be a positive number, or several with commas between them")
    return tuple(given)


def _print_choices(chosen: Mapping[str, Choice], m: int) -> None:
    """A row for each family of distances."""
    rows = [
        [
            name,
            f"{choice.best:g}",
            f"{choice.accuracy:.3f}",
            f"{choice.low:g} to {choice.high:g}",
            ", ".join(f"{-loss.mean:+.3f}" if loss else "-" for loss in (choice.below, choice.above)),
        ]
        for name, choice in chosen.items()
    ]
    print_table(["distance", "best", "accuracy", "not significantly worse", "change at 1/3, 3x"], rows)
    note = (
        "The best value was chosen on these queries. The last column is the change of the accuracy at a third of this "
        "value and at three times this value."
    )
    print_lines([f"Accuracy is the share of the {m} nearest with the query's label. {note}"])
