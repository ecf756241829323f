"""The list of commands. To add one, write a function in a module of its own, and register it here."""

from typing import Annotated

import typer

import rpw
from rpw_paper.cli.claims import claims
from rpw_paper.cli.convergence import convergence
from rpw_paper.cli.demo import demo
from rpw_paper.cli.output import guarded, print_lines
from rpw_paper.cli.paper import paper
from rpw_paper.cli.retrieval import retrieval
from rpw_paper.cli.robustness import robustness
from rpw_paper.cli.sweep import sweep

app = typer.Typer(
    help="The experiments of the paper on robust partial p-Wasserstein distances, by the library rpw.",
    pretty_exceptions_enable=False,
    no_args_is_help=True,
)
reproduce = typer.Typer(help="The experiments of the paper, one command each.", no_args_is_help=True)


def _version(is_asked: bool) -> None:
    if is_asked:
        print_lines([f"rpw-paper, with rpw {rpw.__version__}"])
        raise typer.Exit


@app.callback()
def _options(version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True)] = False) -> None:
    """Options of all commands."""


app.command()(guarded(demo))
app.add_typer(reproduce, name="reproduce")
for command in (paper, retrieval, claims, convergence, robustness, sweep):
    reproduce.command()(guarded(command))
