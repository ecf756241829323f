"""The list of commands. To add one, write a function and its examples in a module of its own, and register it here."""

from __future__ import annotations

from typing import Annotated

import typer

import rpw
from rpw.base.usage import UsageError
from rpw.cli import diameter, distance, drift, explore, outliers, pairwise, profile, search
from rpw.cli._help import Command, Group, add_command, show_help
from rpw.cli._output import guarded, print_version

__all__ = ["app"]

TWO, MANY = "Compare two files", "Compare many"

EXAMPLES = (
    "# how far apart are two point clouds?",
    "rpw distance a.csv b.csv",
    "# has a table changed?",
    "rpw drift before.csv after.csv",
)

app = typer.Typer(
    name="rpw",
    cls=Group,
    help=(
        "Robust partial p-Wasserstein (RPW) distances between point clouds, weighted points and images.\n\n"
        "Files are CSV, TSV, NPY, NPZ, Parquet or images. rpw COMMAND --help explains a command.\n\n"
        "Exit codes: 0 done, 1 the files or the machine do not allow it, 2 wrong usage, 3 drift --fail-on has found "
        "something, 130 interrupted."
    ),
    epilog="\n".join(EXAMPLES),
    pretty_exceptions_enable=False,
)


def _version(asked: bool) -> None:
    if asked:
        print_version(rpw.__version__)
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _options(
    ctx: typer.Context,
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")] = (
        False
    ),
) -> None:
    show_help(ctx)


add_command(app, "distance", distance.distance, distance.EXAMPLES, TWO)
add_command(app, "profile", profile.profile, profile.EXAMPLES, TWO)
add_command(app, "explore", explore.explore, explore.EXAMPLES, TWO)
add_command(app, "drift", drift.drift, drift.EXAMPLES, TWO)
add_command(app, "outliers", outliers.outliers, outliers.EXAMPLES, TWO)
add_command(app, "pairwise", pairwise.pairwise, pairwise.EXAMPLES, MANY)
add_command(app, "index", search.index, search.EXAMPLES_OF_INDEX, MANY)
add_command(app, "search", search.search, search.EXAMPLES_OF_SEARCH, MANY)
add_command(app, "diameter", diameter.diameter, diameter.EXAMPLES, MANY)


def _moved(ctx: typer.Context) -> None:
    """This command is now one of rpw-paper."""
    raise UsageError(
        f"{ctx.info_name} is now rpw-paper {ctx.info_name}, a project of its own: pip install ./paper in a clone of rpw"
    )


for name in ("demo", "reproduce"):
    anything = {"allow_extra_args": True, "ignore_unknown_options": True}
    app.command(name, cls=Command, hidden=True, add_help_option=False, context_settings=anything)(guarded(_moved))
