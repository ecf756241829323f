"""Robust partial p-Wasserstein (RPW) distances between discrete measures: exact, with proof, and fast.

>>> import rpw
>>> rpw.distance([[0.0, 0.0]], [[1.0, 0.0]], p=1)
0.5
"""

from importlib import import_module
from types import ModuleType

from rpw.base.deadline import TimeLimitError
from rpw.base.version import VERSION
from rpw.cost import diameter
from rpw.index import Index
from rpw.measure import Measure
from rpw.pair.functions import (
    choose_solver,
    distance,
    levy_prokhorov,
    partial_wasserstein,
    profile,
    robot,
    solve,
    total_variation,
    transport,
    wasserstein,
)
from rpw.pair.profile import Profile
from rpw.pair.result import Result
from rpw.pair.sliced import Sliced, sliced
from rpw.pairwise import NoGpuError, PairwiseError, pairwise, solve_pairs

__version__ = VERSION


def __getattr__(name: str) -> ModuleType:
    """Load the parts that need an extra when they are first used."""
    if name == "sklearn":
        return import_module("rpw.sklearn")
    raise AttributeError(f"module 'rpw' has no attribute {name!r}")


__all__ = [
    "Index",
    "Measure",
    "NoGpuError",
    "PairwiseError",
    "Profile",
    "Result",
    "Sliced",
    "TimeLimitError",
    "choose_solver",
    "diameter",
    "distance",
    "levy_prokhorov",
    "pairwise",
    "partial_wasserstein",
    "profile",
    "robot",
    "sliced",
    "solve",
    "solve_pairs",
    "total_variation",
    "transport",
    "wasserstein",
]
