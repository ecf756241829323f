"""Options that several commands share, and what they mean."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

import rpw
from rpw_paper.base import UsageError
from rpw_paper.cli.output import print_lines, print_rows
from rpw_paper.perturbation import described
from rpw_paper.pictures import DATASETS, Pictures
from rpw_paper.retrieval import check_size


def path(text: str) -> Path:
    """A path that says something: an unset variable of a shell would mean the current folder, a blank a new one."""
    if not str(text).strip():
        raise typer.BadParameter("the path is empty" if not str(text) else "the path is blank")
    return Path(text)


def number(name: str, help: str, least: int = 1, **more: Any) -> Any:
    """An option that takes a whole number."""
    return typer.Option(name, metavar="NUMBER", min=least, help=help, **more)


def folder(name: str, help: str, default: str) -> Any:
    """An option that takes the path of a folder."""
    return typer.Option(name, metavar="DIR", parser=path, help=help, show_default=default)


def _known(incomplete: str) -> list[str]:
    return [name for name in ("digits", *DATASETS) if name.startswith(incomplete)]


Dataset = Annotated[
    str,
    typer.Option(
        metavar="NAME|DIR",
        help=f"Pictures: digits, {', '.join(DATASETS)}, or a folder of pictures.",
        autocompletion=_known,
    ),
]
Scenario = Annotated[
    Literal["noise", "shift", "both", "clean"],
    typer.Option(
        help="What happens to the pictures. Noise: mass on one pixel (grey), or white pixels (colour). Shift: up by a "
        "fourteenth of the height, in whole rows (grey), or a tint (colour)."
    ),
]
Labelled = Annotated[int | None, number("--labelled", "Pictures to search in.", show_default="2000; of digits 200")]
Queries = Annotated[int | None, number("--queries", "Pictures to search for.", show_default="50; of digits 20")]
Nearest = Annotated[int, number("--nearest", "How many of the nearest pictures count.")]
Repeats = Annotated[int | None, number("--repeats", "Independent repeats.", show_default="5")]
_PLAIN = "A shift tints the labelled pictures in colour, but not the queries."
PlainQueries = Annotated[bool, typer.Option("--plain-queries", help=_PLAIN)]
Seed = Annotated[int, number("--seed", "Equal seeds give equal numbers.", 0)]
Size = Annotated[
    int | None,
    typer.Option(metavar="PIXELS", min=2, help="Crop the pictures of a folder to squares, and resize them to this."),
]
Data = Annotated[Path | None, folder("--data", "Folder that holds mnist, cifar10 and corel.", "the folder in RPW_DATA")]
Out = Annotated[Path | None, folder("--out", "Folder for the results.", "rpw-output/...")]
NThreads = Annotated[int | None, number("--n-threads", "Threads.", show_default="all cores")]
Device = Annotated[str, typer.Option(metavar="cpu|cuda|cuda:N", help="Where to compute; cuda is an NVIDIA GPU.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object, and nothing else.")]

# labelled, queries, repeats: the paper's, and what small pictures need.
_SIZES = {"digits": (200, 20, 5)}
_PAPER_SIZES = (2000, 50, 5)


def sizes_of(pictures: Pictures, labelled: int | None, queries: int | None) -> dict[str, int]:
    """How many pictures of each kind: as given, else as in the paper, or as many as there are."""
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


def need_device(device: str) -> None:
    """Raise if the device has no proper name, or is not here: asked before any picture is read."""
    try:
        rpw.pairwise([[[0.0]]], [[[0.0]]], diameter=1, device=device)
    except ValueError:
        raise UsageError(f"--device {device}: choose one of cpu, cuda, cuda:N") from None


def print_files(paths: Mapping[str, Path], start: float) -> None:
    """Where things are, and how long they took."""
    print_rows(
        [*((name, str(path)) for name, path in paths.items()), ("time", f"{time.perf_counter() - start:,.3g} s")]
    )
