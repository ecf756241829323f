"""Robust partial p-Wasserstein (RPW) distances between discrete measures: exact, with proof, and fast.

>>> import rpw
>>> rpw.distance([[0.0, 0.0]], [[1.0, 0.0]], p=1)
0.5
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from rpw.base import ctrl_c as _ctrl_c  # noqa: F401 (first, so that it is there while the others load)
from rpw.base.deadline import TimeLimitError
from rpw.base.version import VERSION as _VERSION
from rpw.cost import diameter
from rpw.index import Index
from rpw.many.backends.cuda.driver import NoGpuError
from rpw.many.errors import PairwiseError
from rpw.many.pairwise import pairwise
from rpw.many.solve_pairs import solve_pairs
from rpw.means.barycenter import barycenter
from rpw.means.result import Barycenter
from rpw.measure import Measure
from rpw.pair.displacement import Displacement
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

if _TYPE_CHECKING:
    from rpw import explore as explore
    from rpw import images as images
    from rpw import jax as jax
    from rpw import plot as plot
    from rpw import readers as readers
    from rpw import sklearn as sklearn
    from rpw import stats as stats
    from rpw import torch as torch

__version__ = _VERSION
# Some need an extra.
_LOADED_WHEN_USED = ("explore", "images", "jax", "plot", "readers", "sklearn", "stats", "torch")
_MODULES = ("cost", "index", "measure", *_LOADED_WHEN_USED)


def __getattr__(name: str) -> _Any:
    """A module that is not loaded yet."""
    if name in _LOADED_WHEN_USED:
        from importlib import import_module

        return import_module(f"rpw.{name}")
    if name == "pictures":
        raise AttributeError("rpw.pictures is now rpw_paper.pictures: pip install ./paper in a clone of rpw")
    raise AttributeError(f"module 'rpw' has no attribute {name!r}")


def __dir__() -> list[str]:
    """What is meant for users."""
    return sorted([*__all__, *_MODULES, "__doc__", "__version__"])


__all__ = [
    "Barycenter",
    "Displacement",
    "Index",
    "Measure",
    "NoGpuError",
    "PairwiseError",
    "Profile",
    "Result",
    "Sliced",
    "TimeLimitError",
    "barycenter",
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
