"""``rpw reproduce robustness``."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from rpw.cli._experiment import Data, Out, Seed, Size, begin, print_files
from rpw.cli._options import Json, NThreads
from rpw.cli._output import print_json, print_lines, print_table
from rpw.cli._progress import bar
from rpw.io.pictures import load_pictures

__all__ = ["EXAMPLES", "robustness"]

EXAMPLES = (
    "rpw reproduce robustness",
    "rpw reproduce robustness --dataset mnist --data DIR",
)

Dataset = Annotated[
    str,
    typer.Option("--dataset", metavar="NAME|DIR", help="Grey pictures: digits, mnist, or a folder of pictures."),
]
Count = Annotated[int, typer.Option("--count", metavar="NUMBER", min=1, help="How many pictures to perturb.")]


def robustness(
    dataset: Dataset = "digits",
    count: Count = 20,
    seed: Seed = 0,
    size: Size = None,
    data: Data = None,
    out: Out = None,
    n_threads: NThreads = None,
    as_json: Json = False,
) -> None:
    """What outliers, noise and shifts do to distances.

    First, outliers join a sample, at several distances from it. Then a picture loses mass to one pixel, or moves up,
    until it is as far from the original as the nearest picture of another class is. For this, one picture is drawn from
    each of the other classes.
    """
    from rpw.experiments.robustness import check_pictures, outlier_changes, thresholds
    from rpw.experiments.theory_views import outlier_table, threshold_table, write_robustness

    start = time.perf_counter()
    pictures = load_pictures(dataset, data, size)
    check_pictures(pictures, count)
    facts = {"dataset": pictures.name, "pictures": f"digest {pictures.digest}", "count": count, "seed": seed}
    folder = begin("robustness", out, "robustness", facts)
    with bar(as_json) as report:
        report(0, "outliers")
        outliers = outlier_changes(seed)
        reached = thresholds(pictures, seed, count, n_threads, report)
    paths = write_robustness(outliers, reached, folder)
    if as_json:
        names = [way.name for way in reached.methods]
        found = {
            "shares": outliers.shares,
            "outliers_at": outliers.distances,
            "change": dict(zip(outliers.names, outliers.change, strict=True)),
            "noise": dict(zip(names, reached.noise, strict=True)),
            "shift": dict(zip(names, reached.shift, strict=True)),
        }
        print_json({**facts, **found, "files": paths})
        return
    print_lines(["How much a distance changes when outliers join, at 0.5 to 100 diameters (RPW: at most their share):"])
    print_table(*outlier_table(outliers))
    print_lines(
        [f"Noise and shift that take a picture of {pictures.name} as far from its original as another class (median):"]
    )
    print_table(*threshold_table(reached))
    print_files(paths, start)
