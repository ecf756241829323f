"""``rpw reproduce retrieval|convergence|robustness`` and ``rpw demo``."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

import rpw
from rpw._pairs import as_n_threads
from rpw.cli._options import Json, NThreads
from rpw.cli._output import guarded, print_json, print_lines, print_rows, print_table, seconds

__all__ = ["demo", "reproduce"]

# labelled, queries, repeats: the paper's, and what small pictures need.
_SIZES = {"digits": (500, 50, 5)}
_PAPER_SIZES = (2000, 50, 5)

Dataset = Annotated[
    str, typer.Option("--dataset", metavar="digits|mnist|cifar10|corel|DIR", help="Pictures: a name, or their folder.")
]
GreyDataset = Annotated[
    str, typer.Option("--dataset", metavar="digits|mnist|DIR", help="Grey pictures: a name, or their folder.")
]
Data = Annotated[
    Path | None, typer.Option("--data", metavar="DIR", help="Where mnist, cifar10, corel are; or RPW_DATA.")
]
Scenario = Annotated[str, typer.Option("--scenario", help="noise, shift, both or clean.")]
Labelled = Annotated[int | None, typer.Option("--labelled", min=1, help="Pictures to search; 2000, digits 500.")]
Queries = Annotated[int | None, typer.Option("--queries", min=1, help="Pictures to search for; 50.")]
Repeats = Annotated[int | None, typer.Option("--repeats", min=1, help="Independent repeats; 5.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Equal seeds give equal numbers.")]
Lam = Annotated[float, typer.Option("--lam", help="The λ of λ-ROBOT.")]
Size = Annotated[int | None, typer.Option("--size", min=2, help="Resize pictures of a folder to SIZE x SIZE.")]
Out = Annotated[Path | None, typer.Option("--out", help="Folder for what is made; the same call again resumes.")]

reproduce = typer.Typer(help="The experiments of the paper, one command each.", no_args_is_help=True)


def retrieval(
    dataset: Dataset = "digits",
    scenario: Scenario = "both",
    labelled: Labelled = None,
    queries: Queries = None,
    repeats: Repeats = None,
    seed: Seed = 0,
    lam: Lam = 0.1,
    size: Size = None,
    data: Data = None,
    out: Out = None,
    n_threads: NThreads = None,
    as_json: Json = False,
) -> None:
    """Image retrieval under noise and shift: accuracy of six distances, a figure, a page with pictures."""
    from rpw.experiments.retrieval_views import accuracy_table, write_retrieval

    start = time.perf_counter()
    result, facts, folder = _retrieve(
        dataset, scenario, (labelled, queries, repeats), seed, lam, size, data, out, n_threads, as_json
    )
    paths = write_retrieval(result, folder, facts)
    if as_json:
        mean, band = result.summary()
        names = [way.name for way in result.methods]
        print_json(
            {
                **facts,
                "accuracy": dict(zip(names, mean, strict=True)),
                "half_width": dict(zip(names, band, strict=True)),
                "ties": dict(zip(names, result.ties, strict=True)),
                "files": paths,
            }
        )
        return
    print_table(*accuracy_table(result))
    print_lines(["Share of the m nearest with the query's label; ± is half a 95 % confidence interval."])
    _print_files({"table": paths["table"], "figure": paths["figure"], "page": paths["page"]}, start)


def _retrieve(
    dataset: str,
    scenario: str,
    sizes: tuple[int | None, int | None, int | None],
    seed: int,
    lam: float,
    size: int | None,
    data: Path | None,
    out: Path | None,
    n_threads: int | None,
    is_quiet: bool,
) -> tuple[Any, dict[str, Any], Path]:
    """Run it; the result, what it was asked for, and the folder."""
    from rpw.experiments.files import check_same_run, new_figure, write_facts
    from rpw.experiments.perturbation import SCENARIOS
    from rpw.experiments.retrieval import check_size, retrieve
    from rpw.pictures import load_pictures

    if scenario not in SCENARIOS:
        raise ValueError(f"--scenario {scenario}: choose one of {', '.join(SCENARIOS)}")
    if not lam > 0 or lam == float("inf"):
        raise ValueError(f"--lam must be positive and finite, got {lam}")
    new_figure(1, 1)  # a missing library should be known before the work, not after it
    labelled, queries, repeats = (
        default if given is None else given
        for given, default in zip(sizes, _SIZES.get(dataset, _PAPER_SIZES), strict=True)
    )
    pictures = load_pictures(dataset, data, size)
    folder = out or Path("rpw-output") / f"retrieval-{pictures.name}-{scenario}"
    facts = {
        "dataset": pictures.name,
        "scenario": scenario,
        "labelled": labelled,
        "queries": queries,
        "repeats": repeats,
        "seed": seed,
        "lam": lam,
        "version": rpw.__version__,
    }
    check_size(pictures, labelled, queries)
    check_same_run(folder, facts, may_differ=("repeats", "version"))
    write_facts(folder, facts)
    if not is_quiet:
        print_lines(
            [f"{pictures.name}, {scenario}: {labelled} labelled, {queries} queries, {repeats} repeats, seed {seed}"]
        )
    result = retrieve(
        pictures,
        scenario=scenario,
        labelled=labelled,
        queries=queries,
        repeats=repeats,
        seed=seed,
        lam=lam,
        store=folder / "matrices",
        n_threads=n_threads,
        progress=_is_watched(is_quiet),
        report=_reporter(is_quiet),
    )
    return result, facts, folder


def convergence(
    repeats: Annotated[int, typer.Option("--repeats", min=1, help="Independent pairs of samples for each n.")] = 10,
    seed: Seed = 0,
    largest_n: Annotated[int, typer.Option("--largest-n", min=250, help="Largest sample of a density.")] = 4000,
    out: Out = None,
    n_threads: NThreads = None,
    as_json: Json = False,
) -> None:
    """How fast distances between samples vanish: fitted exponents beside the theory."""
    from rpw.experiments.convergence import continuous_curves, discrete_curves
    from rpw.experiments.files import new_figure, write_facts
    from rpw.experiments.theory_views import bound_table, exponent_table, write_convergence

    start = time.perf_counter()
    new_figure(1, 1)
    report = _reporter(as_json)
    threads = as_n_threads(n_threads)
    discrete = list(discrete_curves(seed, repeats, report))
    continuous = list(continuous_curves(seed, repeats, largest_n, threads, report))
    folder = out or Path("rpw-output") / "convergence"
    paths = write_convergence(discrete, continuous, folder)
    facts = {"seed": seed, "repeats": repeats, "largest_n": largest_n, "version": rpw.__version__}
    write_facts(folder, facts)
    if as_json:
        keys = ("distribution", "distance", "fitted", "theory")
        rows = [(c.case, c.distance, c.exponent(), c.theory) for c in [*discrete, *continuous]]
        print_json({**facts, "exponents": [dict(zip(keys, row, strict=True)) for row in rows], "files": paths})
        return
    print_table(*exponent_table(discrete))
    print_table(*bound_table(continuous))
    print_lines(["Exponents e of n^e, between two samples; bounds hold up to logarithms."])
    _print_files(paths, start)


def robustness(
    dataset: GreyDataset = "digits",
    count: Annotated[int, typer.Option("--count", min=1, help="Pictures in the threshold experiment.")] = 20,
    seed: Seed = 0,
    data: Data = None,
    out: Out = None,
    n_threads: NThreads = None,
    as_json: Json = False,
) -> None:
    """What outliers, noise and shifts do to distances."""
    from rpw.experiments.files import new_figure, write_facts
    from rpw.experiments.robustness import outlier_changes, thresholds
    from rpw.experiments.theory_views import outlier_table, threshold_table, write_robustness
    from rpw.pictures import load_pictures

    start = time.perf_counter()
    new_figure(1, 1)
    report = _reporter(as_json)
    pictures = load_pictures(dataset, data)
    report("outliers")
    outliers = outlier_changes(seed)
    report(f"thresholds on {pictures.name}")
    reached = thresholds(pictures, seed, count, n_threads)
    folder = out or Path("rpw-output") / "robustness"
    paths = write_robustness(outliers, reached, folder)
    facts = {"dataset": pictures.name, "count": count, "seed": seed, "version": rpw.__version__}
    write_facts(folder, facts)
    tables = {"outliers": outlier_table(outliers), "thresholds": threshold_table(reached)}
    if as_json:
        found = {name: [dict(zip(header, row, strict=True)) for row in rows] for name, (header, rows) in tables.items()}
        print_json({**facts, **found, "files": paths})
        return
    print_lines(["How much a distance changes when outliers join (in diameters; RPW at most by their share):"])
    print_table(*tables["outliers"])
    print_lines(
        [f"What makes a picture of {pictures.name} as far from itself as from the nearest other class (median):"]
    )
    print_table(*tables["thresholds"])
    _print_files(paths, start)


def demo(out: Out = None, n_threads: NThreads = None, as_json: Json = False) -> None:
    """Retrieve handwritten digits that are noisy and shifted: no data needed, under two minutes."""
    retrieval(out=out or Path("demo_output"), n_threads=n_threads, as_json=as_json)


def _is_watched(is_quiet: bool) -> bool:
    return not is_quiet and sys.stderr.isatty()


def _reporter(is_quiet: bool) -> Callable[[str], object]:
    """Says on stderr what is being done, unless nobody asked."""
    return (lambda _: None) if is_quiet else lambda text: print(text, file=sys.stderr, flush=True)


def _print_files(paths: dict[str, Path], start: float) -> None:
    print_rows([*((name, str(path)) for name, path in paths.items()), ("time", seconds(start, time.perf_counter()))])


reproduce.command("retrieval")(guarded(retrieval))
reproduce.command("convergence")(guarded(convergence))
reproduce.command("robustness")(guarded(robustness))
