"""What is asked about a pair: one value that everybody reads, and the one place where the core's question is made."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

from rpw import _core
from rpw.base import check
from rpw.base.check import Array
from rpw.base.spelling import name_of, setting
from rpw.pair.options import OPTIONS, SOLVERS

__all__ = [
    "DEFAULTS",
    "DISTANCES",
    "SOLVERS",
    "Need",
    "Question",
    "as_question",
    "as_question_of_several",
    "check_distance",
]

Need = Literal["value", "bounds", "plan"]

# Every distance, and the options that it listens to. One without a default must be given.
DISTANCES: dict[str, tuple[str, ...]] = {
    "rpw": ("p", "k", "diameter"),
    "wasserstein": ("p",),
    "partial_wasserstein": ("p", "mass"),
    "total_variation": (),
    "levy_prokhorov": (),
    "robot": ("p", "lam"),
}
_TITLES = {
    "rpw": "RPW distance",
    "wasserstein": "Wasserstein distance",
    "partial_wasserstein": "partial Wasserstein distance",
    "total_variation": "total variation",
    "levy_prokhorov": "Lévy–Prokhorov distance",
    "robot": "λ-ROBOT",
}
DEFAULTS = {name: OPTIONS[name].default for name in ("p", "k", "diameter")}

_WITH_ERROR = ("lmr", "bisection")
_STRATEGIES = ("walk", "simplex", "points")
_MANY_BREAKPOINTS = 2**62
_PLAIN = {bool, int, float, str, type(None)}  # whose values never change


@dataclass(frozen=True)
class Question:
    """Which distance, with which parameters, how exactly, and what has to come back with it."""

    name: str = "rpw"
    p: float = 2.0
    k: float = 1.0
    mass: float | None = None
    lam: float | None = None
    diameter: float = 1.0
    tol: float = 0.0
    solver: str = "auto"
    need: Need = "value"
    several_k: tuple[float, ...] = ()  # where RPW is asked for at more than one k; ``k`` is the largest of them

    @property
    def kappas(self) -> tuple[float, ...]:
        """The prices, where there are several."""
        return tuple(k * self.diameter for k in self.several_k)

    @property
    def kappa(self) -> float:
        """The price of leaving mass behind, in units of distance."""
        return 1.0 if self.name == "levy_prokhorov" else self.k * self.diameter

    @property
    def unmoved(self) -> float:
        """The share of mass that stays."""
        return 0.0 if self.mass is None else 1.0 - self.mass

    @property
    def moved(self) -> float:
        """The share of mass that a cost is asked for."""
        return 1.0 if self.mass is None else self.mass

    @property
    def truncation(self) -> float:
        """Where the ground distance is cut off."""
        return math.inf if self.lam is None else 2 * self.lam

    @property
    def is_of_shared_mass(self) -> bool:
        """Whether it is total variation: then all that counts is which points are equal."""
        return self.name == "total_variation" or (self.name == "rpw" and self.kappa == 0 and not self.several_k)

    @property
    def is_of_crossing(self) -> bool:
        """Whether it is the share that is left behind where profile and price cross; else a cost at a given mass."""
        return self.name in ("rpw", "levy_prokhorov") and not self.is_of_shared_mass

    @property
    def is_on_profile(self) -> bool:
        """Whether it is the crossing of a profile with edges, whose slopes are multipliers."""
        return self.is_of_crossing and not math.isinf(self.p)

    @property
    def is_of_cost(self) -> bool:
        """Whether it is the cost of moving a given mass: a length, and not a share of the mass."""
        return not (self.is_of_crossing or self.is_of_shared_mass)

    @property
    def moves_all(self) -> bool:
        """Whether no mass may stay behind."""
        return self.is_of_cost and self.unmoved == 0

    @property
    def depends_on_diameter(self) -> bool:
        """Whether another Δ would give another number."""
        return self.name == "rpw" and self.kappa > 0

    @property
    def largest(self) -> float:
        """What the answer can never exceed."""
        return self.truncation if self.is_of_cost else 1.0

    @property
    def is_by_name(self) -> bool:
        """Whether one algorithm was asked for, rather than the exact one that suits the problem."""
        return self.solver in _WITH_ERROR + _STRATEGIES

    @property
    def can_ask_for_trees(self) -> bool:
        """Whether ``solver="points"`` can be passed beside it, and answers between points."""
        return self.name != "levy_prokhorov" and (math.isfinite(self.p) or self.lam is None)

    @property
    def title(self) -> str:
        """What the number is called."""
        return _TITLES[self.name]

    @property
    def parameters(self) -> str:
        """What the number depends on beside the measures, in words."""
        if not self.is_of_cost:
            return f"p = {self.p:g}, k = {self.k:g}, Δ = {self.diameter:g}"
        return f"p = {self.p:g}, " + (f"mass = {self.moved:g}" if self.lam is None else f"λ = {self.lam:g}")

    def judged_by(self, a: Array, b: Array, metric: Any = "euclidean") -> str:
        """The call that helps to judge a distance between points of these masses, with the same parameters."""
        exponent = "" if self.p == 2 else f"p={self.p:.12g}, " if math.isfinite(self.p) else 'p=float("inf"), '
        named = f'"{metric}"' if isinstance(metric, str) else "metric"
        other = "" if metric == "euclidean" else f", metric={named}"
        given = f"{exponent}k={self.k:.12g}, diameter={self.diameter:.12g}{other}"
        if min(len(a), len(b)) < 2 or check.are_uneven(a) or check.are_uneven(b):  # nothing to split at random
            return f"rpw.pairwise(alike, {given}) shows the distances between data that should be alike"
        return f"rpw.stats.noise_floor(x, y, {given}) says what chance alone gives"

    @property
    def effort(self) -> dict[str, Any]:
        """``tol`` and ``solver`` as far as they were given: other ones may give other digits."""
        given = {"tol": self.tol} if self.tol > 0 else {}
        return given | ({"solver": self.solver} if self.is_by_name else {})

    def describe(self) -> dict[str, Any]:
        """What influences the number, as plain values (for fingerprints: stores on disk depend on every character)."""
        facts = {name: getattr(self, name) for name in ("name", "p", "kappa", "unmoved", "truncation", "diameter")}
        if self.several_k:
            facts["kappas"] = repr(self.kappas)
        facts |= self.effort
        return {name: repr(value) if isinstance(value, float) else value for name, value in facts.items()}

    def to_core(self, max_breakpoints: int = _MANY_BREAKPOINTS) -> _core.Question:
        """The question as the core takes it; ``max_breakpoints`` counts where the whole profile is asked for."""
        kind = _core.Quantity.mass if self.is_of_cost else _core.Quantity.crossing
        return _core.Question(
            _core.Quantity.shared if self.is_of_shared_mass else kind,
            p=self.p,
            kappa=self.kappa,
            unmoved=self.unmoved,
            truncation=self.truncation,
            tol=self.tol,
            solver=getattr(_core.Solver, self.solver) if self.is_by_name else _core.Solver.exact,
            need=getattr(_core.Need, self.need),
            max_breakpoints=min(max_breakpoints, _MANY_BREAKPOINTS),
        )


def as_question(
    name: Any = "rpw",
    *,
    p: Any = 2,
    k: Any = 1,
    diameter: Any = None,
    mass: Any = None,
    lam: Any = None,
    tol: Any = 0.0,
    solver: Any = "auto",
    need: Need = "value",
) -> Question:
    """Check the name of the distance and the parameters that belong to it.

    Callers loop with the same parameters, so plain ones are checked once. Other objects may change.
    """
    given = (name, p, k, diameter, mass, lam, tol, solver, need)
    return _known_question(*given) if _PLAIN.issuperset(map(type, given)) else _checked_question(*given)


def _checked_question(
    name: Any, p: Any, k: Any, diameter: Any, mass: Any, lam: Any, tol: Any, solver: Any, need: Need
) -> Question:
    check_distance(name, p=p, k=k, diameter=diameter, mass=mass, lam=lam)
    tol = check.as_tol(tol)
    _check_solver(solver, tol, name)
    if isinstance(diameter, str):
        raise ValueError(
            f"diameter must be a number for a single pair, got {diameter!r}: compute one with "
            "rpw.diameter, from everything you compare"
        )
    p, diameter, k = check.as_p(p), check.as_diameter(diameter), check.as_k(k)
    check.as_kappa(k, diameter)
    if name == "levy_prokhorov":  # its own exponent and price, whatever was passed
        p, k = math.inf, 1.0
    mass = None if mass is None else check.as_mass(mass)
    lam = None if lam is None else check.as_positive(lam, "lam")
    return Question(name, p, k, mass, lam, diameter, tol, solver, need)


_known_question = lru_cache(maxsize=256, typed=True)(_checked_question)


def as_question_of_several(name: Any, *, k: Any, called: str = "k", **others: Any) -> Question:
    """The same for RPW at each of a list of k, which messages call ``called``."""
    if name != "rpw":
        raise ValueError(f"{called} may be a list only if distance='rpw': {name!r} has no k")
    entries = check.entries_of(k, called)
    if entries.ndim != 1:
        raise ValueError(f"{called} must be a list of numbers, got {k!r}")
    if len(entries) == 0:
        raise ValueError(f"{name_of(called)} is an empty list: it needs at least one number")
    several = [check.as_k(each, called) for each in entries]
    for each in several:
        as_question(name, k=each, **others)
    return replace(as_question(name, k=max(several), **others), several_k=tuple(several))


def check_distance(name: Any, *, p: Any, k: Any, diameter: Any, mass: Any, lam: Any) -> None:
    """Raise unless there is a distance of this name, and it listens to all that was given and got what it needs."""
    if not isinstance(name, str) or name not in DISTANCES:
        raise ValueError(f"unknown distance {name!r}; choose one of {', '.join(DISTANCES)}")
    for option, value, owner in (("mass", mass, "partial_wasserstein"), ("lam", lam, "robot")):
        if value is None and option in DISTANCES[name]:
            raise ValueError(f"{name_of(option)} is missing: {setting('distance', name)} needs it")
        if value is not None and option not in DISTANCES[name]:
            raise ValueError(f"{name_of(option)} has no effect on {setting('distance', name)}: only {owner!r} takes it")
    for option, value in (("p", p), ("k", k), ("diameter", diameter)):
        if option not in DISTANCES[name] and not _is_default(option, value):
            raise ValueError(f"{name_of(option)} has no effect on {setting('distance', name)}: leave it out")


def _is_default(option: str, value: Any) -> bool:
    if value is None or isinstance(value, str) or check.has_entries(value):
        return value is None
    return check.as_number(value, option) == float(DEFAULTS[option])


def _check_solver(solver: object, tol: float, distance: str) -> None:
    """Raise unless ``solver`` is a known name that finds this distance and can keep ``tol``."""
    known = SOLVERS if distance == "rpw" else tuple(name for name in SOLVERS if name not in _WITH_ERROR)
    is_name = isinstance(solver, str)
    if not is_name or solver not in known:
        why = (
            f"{setting('solver', solver)} computes only RPW"
            if is_name and solver in SOLVERS
            else f"unknown solver {solver!r}"
        )
        raise ValueError(f"{why}; choose one of {', '.join(map(repr, known))}")
    if solver in _WITH_ERROR and tol == 0:
        raise ValueError(
            f"{setting('solver', solver)} is approximate: pass {name_of('tol')} > 0, or {setting('solver', 'exact')}"
        )
