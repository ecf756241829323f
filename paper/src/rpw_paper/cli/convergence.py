"""``rpw-paper reproduce convergence``."""

import time
from pathlib import Path
from typing import Annotated

from rpw_paper.base import as_n_threads
from rpw_paper.cli import options
from rpw_paper.cli.output import bar, print_json, print_lines, print_table
from rpw_paper.convergence import FITTED_FROM, continuous_curves, discrete_curves
from rpw_paper.files import begin_run
from rpw_paper.theory_views import bound_table, exponent_table, write_convergence

_LARGEST = "Largest sample of a density, at least 100; sizes are 100, 250, 600, 1500 and 4000."
Repeats = Annotated[int, options.number("--repeats", "Independent pairs of samples for each size.")]
LargestN = Annotated[int, options.number("--largest-n", _LARGEST, 100)]


def convergence(
    repeats: Repeats = 10,
    seed: options.Seed = 0,
    largest_n: LargestN = 4000,
    out: options.Out = None,
    n_threads: options.NThreads = None,
    as_json: options.Json = False,
) -> None:
    """How fast distances between samples vanish, compared with the theory.

    Fits an exponent to each distance: for two points and a 4 x 4 grid, as in the paper, and for densities on a square,
    two squares and a cube. All have diameter 1.
    """
    start = time.perf_counter()
    facts = {"seed": seed, "repeats": repeats, "largest_n": largest_n}
    folder = begin_run(out or Path("rpw-output", "convergence"), "convergence", facts)
    threads = as_n_threads(n_threads)
    with bar(as_json) as report:
        report(0, "finitely many points")
        discrete = list(discrete_curves(seed, repeats))
        continuous = list(continuous_curves(seed, repeats, largest_n, threads, report))
    paths = write_convergence(discrete, continuous, folder)
    if as_json:
        keys = ("distribution", "distance", "fitted", "half_width", "theory")
        rows = [(c.case, c.distance, c.exponent(), c.band(), c.theory) for c in [*discrete, *continuous]]
        found = [dict(zip(keys, row, strict=True)) for row in rows]
        print_json({**facts, "exponents": found, "files": {path.name: path for path in paths}})
        return
    print_table(*exponent_table(discrete))
    print_table(*bound_table(continuous))
    print_lines(
        [
            "Exponents e: two samples of size n are about n^e apart. Fitted over n >= "
            f"{FITTED_FROM['discrete']:,}, and for densities over n >= {FITTED_FROM['continuous']}; ± is half a 95 % "
            "confidence interval. For densities, the theory gives upper bounds, up to logarithms."
        ]
    )
    options.print_files({path.name: path for path in paths if path.suffix != ".svg"}, start)
