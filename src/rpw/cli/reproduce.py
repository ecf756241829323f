"""``rpw reproduce``: the list of the experiments."""

from __future__ import annotations

import typer

from rpw.cli._output import guarded
from rpw.cli.claims import claims
from rpw.cli.convergence import convergence
from rpw.cli.paper import paper
from rpw.cli.retrieval import retrieval
from rpw.cli.robustness import robustness
from rpw.cli.sweep import sweep

__all__ = ["reproduce"]

reproduce = typer.Typer(help="The experiments of the paper, one command each.", no_args_is_help=True)
reproduce.command("paper")(guarded(paper))
reproduce.command("retrieval")(guarded(retrieval))
reproduce.command("claims")(guarded(claims))
reproduce.command("convergence")(guarded(convergence))
reproduce.command("robustness")(guarded(robustness))
reproduce.command("sweep")(guarded(sweep))
