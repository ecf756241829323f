"""``rpw reproduce``: the list of the experiments."""

from __future__ import annotations

import typer

from rpw.cli import claims, convergence, paper, retrieval, robustness, sweep
from rpw.cli._help import Group, add_command, show_help

__all__ = ["reproduce"]

EXAMPLES = (
    "rpw reproduce paper --quick",
    "rpw reproduce retrieval --dataset mnist --data DIR",
    "rpw reproduce sweep --help",
)

reproduce = typer.Typer(
    cls=Group,
    help="The experiments of the paper, one command each.",
    epilog="\n".join(EXAMPLES),
    invoke_without_command=True,
    rich_help_panel="Try it, and the paper",
)
reproduce.callback(invoke_without_command=True)(show_help)
add_command(reproduce, "paper", paper.paper, paper.EXAMPLES)
add_command(reproduce, "retrieval", retrieval.retrieval, retrieval.EXAMPLES)
add_command(reproduce, "claims", claims.claims, claims.EXAMPLES)
add_command(reproduce, "convergence", convergence.convergence, convergence.EXAMPLES)
add_command(reproduce, "robustness", robustness.robustness, robustness.EXAMPLES)
add_command(reproduce, "sweep", sweep.sweep, sweep.EXAMPLES)
