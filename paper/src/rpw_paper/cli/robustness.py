"""``rpw-paper reproduce robustness``."""

import time
from pathlib import Path
from typing import Annotated

import typer

from rpw_paper.cli import options
from rpw_paper.cli.output import bar, print_json, print_lines, print_table
from rpw_paper.files import begin_run
from rpw_paper.pictures import load_pictures
from rpw_paper.robustness import check_pictures, outlier_changes, thresholds
from rpw_paper.theory_views import outlier_table, threshold_table, write_robustness

_PICTURES = "Grey pictures: digits, mnist, or a folder of pictures."
Dataset = Annotated[str, typer.Option(metavar="NAME|DIR", help=_PICTURES)]
Count = Annotated[int, options.number("--count", "How many pictures to perturb.")]


def robustness(
    dataset: Dataset = "digits",
    count: Count = 20,
    seed: options.Seed = 0,
    size: options.Size = None,
    data: options.Data = None,
    out: options.Out = None,
    n_threads: options.NThreads = None,
    as_json: options.Json = False,
) -> None:
    """What outliers, noise and shifts do to distances.

    First, outliers join a sample, at several distances from it. Then a picture loses mass to one pixel, or moves up,
    until it is as far from the original as the nearest picture of another class is. For this, one picture is drawn from
    each of the other classes.
    """
    start = time.perf_counter()
    pictures = load_pictures(dataset, data, size)
    check_pictures(pictures, count)
    facts = {"dataset": pictures.name, "pictures": f"digest {pictures.digest}", "count": count, "seed": seed}
    folder = begin_run(out or Path("rpw-output", "robustness"), "robustness", facts)
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
        print_json({**facts, **found, "files": {path.name: path for path in paths}})
        return
    print_lines(["How much a distance changes when outliers join, at 0.5 to 100 diameters (RPW: at most their share):"])
    print_table(*outlier_table(outliers))
    print_lines(
        [f"Noise and shift that take a picture of {pictures.name} as far from its original as another class (median):"]
    )
    print_table(*threshold_table(reached))
    options.print_files({path.name: path for path in paths if path.suffix != ".svg"}, start)
