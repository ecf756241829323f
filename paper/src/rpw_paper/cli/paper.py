"""``rpw-paper reproduce paper``."""

import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from rpw_paper.cli import options
from rpw_paper.cli.output import bar, counted, print_json, print_lines, print_table
from rpw_paper.files import begin_run
from rpw_paper.paper.page import counts_of
from rpw_paper.paper.parts import FULL, QUICK, Job, Part, all_parts
from rpw_paper.paper.retrieved import Runs
from rpw_paper.paper.whole import Whole, chosen_parts, make_whole

_QUICK = "Small sizes, and scikit-learn's digits as pictures: about two minutes."
Quick = Annotated[bool, typer.Option("--quick", help=_QUICK)]
Parts = Annotated[
    str | None,
    typer.Option(
        metavar="NAME[,NAME...]",
        help="Some parts, such as 'lemma 3.2,figure 5'. A wrong name lists all parts.",
        show_default="all",
    ),
]
_RUNS = "Folder of runs of rpw-paper reproduce retrieval: finished ones are read, new ones are written there."
_LARGEST = "Largest sample, from 250 to 100000; parts that would be slow take smaller ones."
RunsFolder = Annotated[Path | None, options.folder("--runs", _RUNS, "runs, in --out")]
LargestN = Annotated[
    int | None, options.number("--largest-n", _LARGEST, 250, max=100_000, show_default="100000; with --quick 1000")
]
Repeats = Annotated[
    int | None, options.number("--repeats", "Samples of each size, at least 2.", 2, show_default="20; with --quick 10")
]


def paper(
    quick: Quick = False,
    parts: Parts = None,
    largest_n: LargestN = None,
    repeats: Repeats = None,
    seed: options.Seed = 0,
    runs: RunsFolder = None,
    data: options.Data = None,
    out: options.Out = None,
    n_threads: options.NThreads = None,
    device: options.Device = "cpu",
    as_json: options.Json = False,
) -> None:
    """The whole paper on one page, with a verdict for each statement.

    Statements, figures and experiments are numbered as in the paper. The same command again resumes: parts that are
    finished are not computed again.
    """
    start = time.perf_counter()
    size = QUICK if quick else FULL
    size = replace(size, largest_n=largest_n or size.largest_n, repeats=repeats or size.repeats)
    every = all_parts(size)
    some = every if parts is None else chosen_parts(every, parts.split(","))
    options.need_device(device)
    facts = {"size": size.name, "largest_n": size.largest_n, "repeats": size.repeats, "seed": seed}
    folder = begin_run(out or Path("rpw-output", f"paper{'-quick' * quick}"), "paper", facts)
    job = Job(Runs(runs or folder / "runs", seed, data, n_threads, device))
    with bar(as_json) as report:
        whole = make_whole(some, job, folder, facts, report, shown=every)
    verdicts = [each for part in some if part.slug in whole.found for each in whole.found[part.slug].verdicts]
    files = {"page": folder / "index.html", "verdicts": folder / "verdicts.csv"}
    if as_json:
        found = {
            part.number: [vars(v) for v in whole.found[part.slug].verdicts] for part in some if part.slug in whole.found
        }
        print_json({**facts, "verdicts": found, "left_out": whole.left_out, "made": whole.made, "files": files})
        return
    print_table(["part", "what", "verdicts"], [[part.number, part.title, _told(part, whole)] for part in some])
    print_lines([counts_of(verdicts), f"Made now: {counted(len(whole.made), 'part')}."])
    print_lines(f"Not run: {part.number}: {whole.left_out[part.slug]}" for part in some if part.slug in whole.left_out)
    options.print_files(files, start)


def _told(part: Part, whole: Whole) -> str:
    """How many statements of a part have which answer."""
    if part.slug not in whole.found:
        return "not run"
    answers = Counter(each.answer for each in whole.found[part.slug].verdicts)
    return ", ".join(f"{count} {answer}" for answer, count in answers.items()) or "shown"
