"""What the commands that retrieve pictures share: options, what may be asked for, and how many pictures there are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import typer

from rpw.cli._options import check_choice, one_of
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
        metavar="NAME|DIR",
        help=f"Pictures: digits, {', '.join(DATASETS)}, or a folder of pictures.",
        autocompletion=lambda incomplete: [name for name in ("digits", *DATASETS) if name.startswith(incomplete)],
    ),
]
Scenario = Annotated[
    str,
    one_of(
        "--scenario",
        tuple(SCENARIOS),
        "What happens to the pictures. Noise: mass on one pixel (grey), or white pixels "
        "(colour). Shift: up by a fourteenth of the height, in whole rows (grey), or a tint (colour).",
    ),
]
Labelled = Annotated[
    int | None,
    typer.Option(
        "--labelled", metavar="NUMBER", min=1, help="Pictures to search in.", show_default="2000; of digits 200"
    ),
]
Queries = Annotated[
    int | None,
    typer.Option("--queries", metavar="NUMBER", min=1, help="Pictures to search for.", show_default="50; of digits 20"),
]


def check_scenario(scenario: str) -> None:
    """Raise if there is no such perturbation."""
    check_choice("--scenario", scenario, tuple(SCENARIOS))


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
