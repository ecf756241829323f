"""What the commands that retrieve pictures share: options, what may be asked for, and how many pictures there are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import typer

from rpw.base.usage import UsageError
from rpw.cli._options import choices
from rpw.cli._output import print_lines
from rpw.experiments.perturbation import SCENARIOS, described
from rpw.io.pictures import DATASETS, Pictures

__all__ = ["Dataset", "Labelled", "Queries", "Scenario", "check_scenario", "print_drawn", "repeats_of", "sizes_of"]

# labelled, queries, repeats: the paper's, and what small pictures need.
_SIZES = {"digits": (200, 20, 5)}
_PAPER_SIZES = (2000, 50, 5)

Dataset = Annotated[
    str,
    typer.Option(
        "--dataset",
        metavar="digits|mnist|cifar10|corel|DIR",
        help="Pictures: a name, or their folder.",
        autocompletion=choices("digits", *DATASETS),
    ),
]
Scenario = Annotated[
    str,
    typer.Option(
        "--scenario",
        help="noise (on one pixel; white pixels), shift (two rows up; a tint), both or clean.",
        autocompletion=choices(*SCENARIOS),
    ),
]
Labelled = Annotated[
    int | None, typer.Option("--labelled", min=1, help="Pictures to search in.", show_default="2000, digits 200")
]
Queries = Annotated[
    int | None, typer.Option("--queries", min=1, help="Pictures to search for.", show_default="50, digits 20")
]


def check_scenario(scenario: str) -> None:
    """Raise if there is no such perturbation."""
    if scenario not in SCENARIOS:
        raise UsageError(f"--scenario {scenario}: choose one of {', '.join(SCENARIOS)}")


def sizes_of(pictures: Pictures, labelled: int | None, queries: int | None) -> dict[str, int]:
    """How many pictures of each kind: as given, else as in the paper, or as many as there are."""
    from rpw.experiments.retrieval import check_size

    usual = _SIZES.get(pictures.name, _PAPER_SIZES)
    queries = queries or max(1, min(usual[1], len(pictures) // 5))
    labelled = labelled or max(1, min(usual[0], len(pictures) - queries))
    check_size(pictures, labelled, queries)
    return {"labelled": labelled, "queries": queries}


def repeats_of(pictures: Pictures, repeats: int | None) -> int:
    """How many repeats: as given, else as in the paper."""
    return repeats or _SIZES.get(pictures.name, _PAPER_SIZES)[2]


def print_drawn(pictures: Pictures, scenario: str, counts: Mapping[str, int], plain_queries: bool = False) -> None:
    """How many pictures are drawn, and what is done to them."""
    print_lines([f"{pictures.name}: " + ", ".join(f"{count} {name}" for name, count in counts.items())])
    print_lines([described(scenario, pictures.is_colour, pictures.images.shape[1], plain_queries)])
