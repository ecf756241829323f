"""``rpw reproduce sweep``."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rpw.base.usage import UsageError
from rpw.cli._experiment import Data, Out, Seed, Size, begin, need_device, print_files
from rpw.cli._options import Device, Json, NThreads
from rpw.cli._output import print_json, print_lines, print_table
from rpw.cli._pictures import Dataset, Labelled, Queries, Scenario, check_scenario, print_drawn, sizes_of
from rpw.cli._progress import bar
from rpw.io.pictures import load_pictures

if TYPE_CHECKING:
    from rpw.experiments.price_sweep import Choice

__all__ = ["EXAMPLES", "sweep"]

EXAMPLES = (
    "rpw reproduce sweep",
    "rpw reproduce sweep --scenario noise --lam 0.1,0.3",
    "rpw reproduce sweep --dataset mnist --data DIR",
)

Nearest = Annotated[
    int,
    typer.Option("--nearest", metavar="NUMBER", min=1, help="How many of the nearest pictures count."),
]
Lams = Annotated[
    str | None,
    typer.Option(
        "--lam", metavar="NUMBER[,NUMBER...]", help="The λ of λ-ROBOT.", show_default="seven, from 0.01 to 0.316"
    ),
]


def sweep(
    dataset: Dataset = "digits",
    scenario: Scenario = "both",
    labelled: Labelled = None,
    queries: Queries = None,
    seed: Seed = 0,
    nearest: Nearest = 10,
    lam: Lams = None,
    size: Size = None,
    data: Data = None,
    out: Out = None,
    n_threads: NThreads = None,
    device: Device = "cpu",
    as_json: Json = False,
) -> None:
    """How to choose k: the accuracy of retrieval over k.

    Tries k from 0.01 to 100, and λ-ROBOT over λ. Says which k are not significantly worse than the best one, and what
    is lost if k is wrong by a factor of three. The same command again resumes.
    """
    from rpw.experiments.price_sweep import choice_among, sweep_prices, write_sweep
    from rpw.experiments.retrieval import SWEPT_LAM, Plan

    start = time.perf_counter()
    check_scenario(scenario)
    lams = SWEPT_LAM if lam is None else _as_lams(lam)
    need_device(device)
    pictures = load_pictures(dataset, data, size)
    counts = sizes_of(pictures, labelled, queries)
    plan = Plan(pictures, scenario, counts["labelled"], counts["queries"], seed, largest_m=nearest)
    facts = {"dataset": pictures.name, "scenario": scenario, **counts, "seed": seed, "nearest": nearest}
    facts["pictures"] = f"digest {pictures.digest}"
    facts["lam"] = ",".join(f"{value:g}" for value in lams)
    folder = begin("sweep", out, f"sweep-{pictures.name}-{scenario}", facts, may_differ=("lam",))
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
