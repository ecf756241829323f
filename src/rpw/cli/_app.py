"""The list of commands. To add one, write a function in a module of its own, and name it here."""

from __future__ import annotations

from typing import Annotated

import typer

import rpw
from rpw.cli import diameter, distance, drift, explore, outliers, pairwise, profile, search
from rpw.cli._command import fail

__all__ = ["app"]

EXAMPLES = (
    "Examples:",
    "rpw distance a.csv b.csv",
    "rpw drift before.csv after.csv",
)

app = typer.Typer(
    name="rpw",
    help=(
        "Robust partial p-Wasserstein (RPW) distances between point clouds, weighted points and images.\n\n"
        "Files are CSV, TSV, NPY, NPZ, Parquet or images. rpw COMMAND --help explains a command.\n\n"
        "Exit codes: 0 done, 1 the files or the machine do not allow it, 2 wrong usage, 3 drift --fail-on has found "
        "something, 130 interrupted."
    ),
    epilog="\n\n".join(EXAMPLES),
    pretty_exceptions_enable=False,
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"rpw {rpw.__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _options(
    ctx: typer.Context,
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")] = (
        False
    ),
) -> None:
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())
        raise typer.Exit(2)


for command in (
    distance.distance, profile.profile, explore.explore, drift.drift, outliers.outliers, pairwise.pairwise,
    search.index, search.search, diameter.diameter,
):  # fmt: skip
    command.add_to(app)


def _moved(ctx: typer.Context) -> None:
    """This command is now one of rpw-paper."""
    name = ctx.info_name
    fail(f"{name} is now rpw-paper {name}, a project of its own: pip install ./paper in a clone of rpw", 2)


for name in ("demo", "reproduce"):
    anything = {"allow_extra_args": True, "ignore_unknown_options": True}
    app.command(name, hidden=True, add_help_option=False, context_settings=anything)(_moved)
