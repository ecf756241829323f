"""What the commands of the experiments share: options, and where a run lies."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from rpw.cli._options import check_device_name, path
from rpw.cli._output import print_rows, seconds
from rpw.many.backends.choice import check_device

__all__ = ["Data", "Out", "Seed", "Size", "begin", "need_device", "print_files"]

Data = Annotated[
    Path | None,
    typer.Option(
        "--data",
        metavar="DIR",
        parser=path,
        help="Folder that holds mnist, cifar10 and corel.",
        show_default="the folder in RPW_DATA",
    ),
]
Seed = Annotated[int, typer.Option("--seed", metavar="NUMBER", min=0, help="Equal seeds give equal numbers.")]
Size = Annotated[
    int | None,
    typer.Option(
        "--size",
        metavar="PIXELS",
        min=2,
        help="Crop the pictures of a folder to squares, and resize them to this size.",
    ),
]
Out = Annotated[
    Path | None,
    typer.Option("--out", metavar="DIR", parser=path, help="Folder for the results.", show_default="rpw-output/..."),
]


def need_device(device: str) -> None:
    """Raise if the device has no proper name, or is not here."""
    check_device_name(device)
    check_device(device)


def begin(
    experiment: str, out: Path | None, name: str, asked: Mapping[str, Any], may_differ: tuple[str, ...] = ()
) -> Path:
    """The folder of a run, with a file that says what was asked for; refuses a folder that holds another run."""
    from rpw.experiments.files import begin_run

    folder = out or Path("rpw-output") / name
    begin_run(folder, experiment, asked, may_differ)
    return folder


def print_files(paths: dict[str, Path], start: float) -> None:
    """Where things are, and how long they took."""
    print_rows([*((name, str(path)) for name, path in paths.items()), ("time", seconds(start, time.perf_counter()))])
