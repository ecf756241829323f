"""``rpw demo``."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from rpw.cli._experiment import begin, print_files
from rpw.cli._options import Json, NThreads, path
from rpw.cli._output import print_json, print_lines, print_rows, print_table
from rpw.cli._progress import bar
from rpw.io.pictures import load_pictures

__all__ = ["EXAMPLES", "demo"]

EXAMPLES = (
    "rpw demo",
    "rpw demo --out digits",
)

Out = Annotated[
    Path | None,
    typer.Option("--out", metavar="DIR", parser=path, help="Folder for the results.", show_default="demo_output"),
]


def demo(out: Out = None, n_threads: NThreads = None, as_json: Json = False) -> None:
    """Find handwritten digits in spite of noise and shifts.

    Needs no data, and takes about a minute on two cores. Says which distance still finds the digits, and writes a
    page that shows it.
    """
    from rpw.experiments.demo import SCENARIOS, Setting, findings, run_demo
    from rpw.experiments.demo_views import DISTANCES, accuracy_table, settings, write_demo

    start = time.perf_counter()
    pictures, setting = load_pictures("digits"), Setting()
    folder = begin("demo", out or Path("demo_output"), "", {"dataset": pictures.name, **asdict(setting)})
    with bar(as_json) as report:
        found = run_demo(pictures, setting, n_threads=n_threads, report=report)
    paths = write_demo(found, folder)
    if as_json:
        accuracy = {
            name: dict(zip((*SCENARIOS, "worst"), [*row, worst], strict=True))
            for name, row, worst in zip(found.names, found.accuracy, found.worst, strict=True)
        }
        print_json({**found.facts, "accuracy": accuracy, "findings": findings(found), "files": paths})
        return
    print_lines([*findings(found), ""])
    print_table(*accuracy_table(found))
    print_lines([""])
    print_rows(DISTANCES.items())
    print_lines([""])
    print_files({name: paths[name] for name in ("table", "figure", "page")}, start)
    print_lines(["", settings(found)])
