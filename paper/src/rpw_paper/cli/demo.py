"""``rpw-paper demo``."""

import time
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from rpw_paper.cli import options
from rpw_paper.cli.output import bar, print_json, print_lines, print_rows, print_table
from rpw_paper.demo import SCENARIOS, Setting, findings, run_demo
from rpw_paper.demo_views import DISTANCES, accuracy_table, settings, write_demo
from rpw_paper.files import begin_run
from rpw_paper.pictures import load_pictures

Out = Annotated[Path | None, options.folder("--out", "Folder for the results.", "demo_output")]


def demo(out: Out = None, n_threads: options.NThreads = None, as_json: options.Json = False) -> None:
    """Find handwritten digits in spite of noise and shifts.

    Needs no data, and takes about a minute on two cores. Says which distance still finds the digits, and writes a
    page that shows it.
    """
    start = time.perf_counter()
    pictures, setting = load_pictures("digits"), Setting()
    folder = begin_run(out or Path("demo_output"), "demo", {"dataset": pictures.name, **asdict(setting)})
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
    options.print_files({name: paths[name] for name in ("table", "figure", "page")}, start)
    print_lines(["", settings(found)])
