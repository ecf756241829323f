"""The one registry of options: what each means, its type, its range, and what it is if it is left out.

The command line is made of it, and questions take their defaults from it. An option that has several meanings is here
with the usual one; `dataclasses.replace` makes the others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from rpw.base import check
from rpw.base.deadline import deadline_after
from rpw.pair.metrics import METRICS

__all__ = ["DISTANCE", "OPTIONS", "SOLVERS", "Option"]

SOLVERS = ("auto", "exact", "walk", "simplex", "points", "lmr", "bisection")

DISTANCE = "Distance"  # the heading of what the number depends on


@dataclass(frozen=True)
class Option:
    """One option: what a user may write, and the sentence that says what for."""

    sentence: str
    kind: Any = float
    metavar: str | None = "NUMBER"
    default: Any = None
    otherwise: str | None = None  # what holds if it is left out, where the default does not say it
    check: Callable[[Any], Any] | None = None  # gives the clean value, or raises for one out of range
    choices: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()  # options that have no meaning beside it
    heading: str | None = None
    flags: str | None = None  # where these are not its name
    is_argument: bool = False
    is_needed: bool = False


def _as_seconds(value: Any) -> Any:
    deadline_after(value)
    return value


OPTIONS = {
    "p": Option("Exponent p, from 1 to inf.", default=2.0, check=check.as_p, heading=DISTANCE),
    "k": Option("Cost of leaving mass behind, at least 0.", default=1.0, check=check.as_k, heading=DISTANCE),
    "metric": Option(
        "Distance between two points.", str, "NAME", default="euclidean", choices=METRICS, heading=DISTANCE
    ),
    "diameter": Option(
        "Size Δ of the space, the unit of length: one number for all pairs that you compare. rpw diameter computes it.",
        default=1.0,
        check=check.as_diameter,
        heading=DISTANCE,
    ),
    "quantile": Option(
        "The share of the points that count, in (0, 1]. 0.9 ignores the 10 % of points farthest from a central point.",
        metavar="SHARE",
        default=1.0,
        check=partial(check.as_share, name="quantile"),
        heading=DISTANCE,
    ),
    "mass": Option(
        "For partial_wasserstein: the share that moves.", metavar="SHARE", check=check.as_mass, heading=DISTANCE
    ),
    "lam": Option(
        "For robot: λ; lengths are cut at 2λ.",
        check=partial(check.as_positive, name="lam"),
        heading=DISTANCE,
    ),
    "tol": Option(
        "Error allowed in the distance; 0 means exact.", default=0.0, check=check.as_tol, heading=DISTANCE
    ),
    "solver": Option(
        "Algorithm; lmr and bisection need --tol.", str, "NAME", default="auto", choices=SOLVERS, heading=DISTANCE
    ),
    "time_limit": Option(
        "Give up after this many seconds, with exit code 1.", metavar="SECONDS", check=_as_seconds
    ),
    "n_threads": Option(
        "Threads.", int, otherwise="all cores", check=partial(check.as_whole, name="n_threads", least=1)
    ),
    "device": Option(
        "Where to compute: cpu, cuda (an NVIDIA GPU) or cuda:N (the GPU number N).", str, "NAME", default="cpu",
        check=check.as_device,
    ),
    "seed": Option("Seed of the random splits.", int, default=0, check=partial(check.as_whole, name="seed", least=0)),
    "alpha": Option(
        "Chance of even one false alarm.", default=0.05, check=partial(check.as_inner_share, name="alpha")
    ),
    "n_resamples": Option(
        "Random splits for each test.", int, otherwise="399, then enough for --alpha",
        check=partial(check.as_whole, name="n_resamples", least=1),
    ),
    "fdr": Option(
        "False discovery rate: on average, at most this share of the rows named are ordinary.",
        metavar="SHARE",
        default=0.05,
        check=partial(check.as_inner_share, name="fdr"),
    ),
}  # fmt: skip
