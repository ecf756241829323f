"""The list of commands. To add one, write a function in its own module and register it here with `guarded`."""

from __future__ import annotations

from typing import Annotated

import typer

import rpw
from rpw.cli import distance, drift, pairwise, profile, search
from rpw.cli._output import guarded, print_version
from rpw.cli.demo import demo
from rpw.cli.reproduce import reproduce

__all__ = ["app"]

app = typer.Typer(
    name="rpw",
    help="Robust partial p-Wasserstein (RPW) distances between point clouds, weighted points and images.",
    epilog="Files: CSV, TSV, NPY, NPZ, Parquet, images. Exit codes: 0 done, 1 wrong data, 2 wrong usage, 130 stopped.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _version(asked: bool) -> None:
    if asked:
        print_version(rpw.__version__)
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")] = (
        False
    ),
) -> None:
    """Options of ``rpw`` itself."""


app.command("distance")(guarded(distance.distance))
app.command("profile")(guarded(profile.profile))
app.command("drift")(guarded(drift.drift))
app.command("pairwise")(guarded(pairwise.pairwise))
app.command("index")(guarded(search.index))
app.command("search")(guarded(search.search))
app.command("demo")(guarded(demo))
app.add_typer(reproduce, name="reproduce")
