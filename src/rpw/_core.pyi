"""Types of the compiled core. Internal: inputs are trusted."""

from collections.abc import Callable
from enum import Enum

import numpy as np
import numpy.typing as npt

_Floats = npt.NDArray[np.float64]
_Ints = npt.NDArray[np.int64]
_Nodes = npt.NDArray[np.int32]
_Plan = tuple[_Nodes, _Nodes, _Floats]
_Progress = Callable[[int], object] | None
_Failures = list[tuple[int, int, str]]

# ---------------------------------------------------------------- the space and its measures

class Metric(Enum):
    euclidean = 0
    cityblock = 1
    chebyshev = 2

class Space:
    """What the ground distance is."""

    @staticmethod
    def of_labels() -> Space:
        """None: all measures carry labels of equal points, and only total variation is asked for."""
    @staticmethod
    def of_metric(metric: Metric) -> Space: ...
    @staticmethod
    def of_matrix(matrix: _Floats) -> Space:
        """Distances between places, in any memory order; never changed, and not copied where it need not be."""
    @staticmethod
    def of_scratch(matrix: _Floats) -> Space:
        """The same for one pair, and the core may overwrite the matrix."""

class Measures:
    """Measures one after the other: where each starts (and the end), and the masses of all atoms.

    Atoms have points, or places in the matrix of the space; without either, atom i is at place i.
    """

    def __init__(
        self, start: _Ints, mass: _Ints, points: _Floats | None, place: _Nodes | None, label: _Ints | None
    ) -> None: ...

# ---------------------------------------------------------------- the question and its answer

class Quantity(Enum):
    crossing = 0
    mass = 1
    shared = 2
    crossings = 3
    profile = 4

class Need(Enum):
    value = 0
    bounds = 1
    plan = 2

class Solver(Enum):
    exact = 0
    walk = 1
    simplex = 2
    infinity = 3
    total_variation = 4
    line = 5
    lmr = 6
    bisection = 7
    points = 8

class Status(Enum):
    exact = 0
    tolerance = 1
    time_limit = 2
    beyond_cutoff = 3

class Question:
    """What is asked about a pair. Solver.exact stands for the exact one that p and the quantity call for."""

    def __init__(
        self,
        quantity: Quantity,
        *,
        p: float,
        kappa: float = 1.0,
        unmoved: float = 0.0,
        truncation: float = ...,
        tol: float = 0.0,
        solver: Solver = Solver.exact,
        need: Need = Need.value,
        max_breakpoints: int = 1000000,
    ) -> None: ...

class Outcome:
    def __init__(
        self,
        *,
        status: Status,
        solver: Solver,
        value: float,
        lower: float,
        upper: float,
        cost: float,
        multiplier: float,
        scale: float,
        iterations: int,
        u: _Floats,
        v: _Floats,
        row: _Nodes,
        column: _Nodes,
        mass: _Floats,
    ) -> None:
        """An answer that was found outside of the core; empty ``u`` and ``v`` where there is no proof by potentials."""
    @property
    def status(self) -> Status: ...
    @property
    def solver(self) -> Solver: ...
    @property
    def value(self) -> float: ...
    @property
    def lower(self) -> float: ...
    @property
    def upper(self) -> float: ...
    @property
    def cost(self) -> float:
        """W of the plan; not by LMR and bisection."""
    @property
    def multiplier(self) -> float: ...
    @property
    def scale(self) -> float:
        """The multiplier and the potentials are in units of ``scale ** p``."""
    @property
    def iterations(self) -> int: ...
    @property
    def has_potentials(self) -> bool: ...
    @property
    def u(self) -> _Floats: ...
    @property
    def v(self) -> _Floats: ...
    @property
    def route(self) -> list[tuple[str, str]]:
        """The engines that were asked, and what each said."""
    @property
    def plan(self) -> _Plan: ...
    @property
    def lengths(self) -> _Floats:
        """At p = inf, the distance of each entry of the plan."""

class Curve:
    @property
    def unmoved(self) -> _Floats: ...
    @property
    def cost(self) -> _Floats: ...
    @property
    def slope(self) -> _Floats: ...
    @property
    def used_up_a(self) -> _Floats:
        """The slope (p = inf: the threshold) at which each atom of the first measure had moved; empty by LMR."""
    @property
    def used_up_b(self) -> _Floats: ...
    @property
    def scale(self) -> float: ...
    @property
    def solver(self) -> Solver: ...

def solve(
    space: Space,
    a: Measures,
    b: Measures,
    question: Question,
    seconds: float,
    progress: Callable[[float, float, float, str, int], object] | None = None,
    check_fits: Callable[[int, int, int], None] | None = None,
) -> Outcome:
    """The first measure of ``a`` and the first of ``b``; past the time, the best that is proven.

    ``progress`` is called several times a second with the share of mass that is moved by then, and the bounds.
    ``check_fits`` raises ``MemoryError`` where a matrix of so many rows, columns and bytes per entry does not fit.
    """

def several(
    space: Space,
    a: Measures,
    b: Measures,
    question: Question,
    kappas: _Floats,
    seconds: float,
    check_fits: Callable[[int, int, int], None] | None = None,
) -> _Floats:
    """RPW of the first measures at each price, 0 among them; ``TimeoutError`` past the time."""

def profile(
    space: Space,
    a: Measures,
    b: Measures,
    question: Question,
    seconds: float,
    progress: Callable[[float, float, float, str, int], object] | None = None,
    check_fits: Callable[[int, int, int], None] | None = None,
) -> tuple[Curve, Curve | None]:
    """All breakpoints, and with ``tol`` those of a lower curve; reads p, truncation, tol, solver and max_breakpoints.

    ``ValueError`` where there are more breakpoints than that, ``TimeoutError`` past the time.
    """

def pair_values(
    space: Space,
    a: Measures,
    b: Measures,
    question: Question,
    first: _Ints,
    second: _Ints,
    values: _Floats,
    threads: int,
    seconds: float,
    progress: _Progress,
) -> _Failures:
    """Put the values of many pairs into ``values``; return the pairs that fail, with a reason.

    ``values`` holds NaN before, and for a pair that fails it stays; whoever is told of progress may read the others
    meanwhile. ``TimeoutError`` past the time.
    """

def pair_values_at(
    space: Space,
    a: Measures,
    b: Measures,
    question: Question,
    first: _Ints,
    second: _Ints,
    values: _Floats,
    kappas: _Floats,
    threads: int,
    seconds: float,
    progress: _Progress,
) -> _Failures:
    """The same for RPW at several prices, those of one pair after those of the other; reads p of the question."""

def pair_outcomes(
    space: Space,
    a: Measures,
    b: Measures,
    question: Question,
    first: _Ints,
    second: _Ints,
    kept_back: _Floats,
    threads: int,
    seconds: float,
    progress: _Progress,
) -> tuple[list[Outcome], _Failures]:
    """As ``solve`` answers for each pair; past its time, the best that is proven. A pair that fails has no answer.

    ``kept_back``: the seconds that each pair leaves to those after it.
    """

def pair_profiles(
    space: Space,
    a: Measures,
    b: Measures,
    question: Question,
    first: _Ints,
    second: _Ints,
    threads: int,
    seconds: float,
    progress: _Progress,
) -> tuple[list[tuple[Curve, Curve | None] | None], _Failures]:
    """As ``profile`` answers for each pair, without ``used_up``; None where a pair fails or has no time left."""

def pair_flat_outcomes(
    space: Space,
    a: Measures,
    b: Measures,
    question: Question,
    first: _Ints,
    second: _Ints,
    kappas: _Floats,
    threads: int,
    seconds: float,
    progress: _Progress,
) -> tuple[
    tuple[_Floats, _Floats, _Floats, _Floats, _Floats, _Ints, _Nodes, _Nodes, _Floats],
    _Failures,
]:
    """The same in a few arrays, those of one pair after those of the other, and at a price of its own for each.

    Value, multiplier and scale of each pair; u and v of all atoms (0 where there are none); where the plan of each pair
    starts, and the end; row, column and mass of all entries.
    """

def pair_values_within(
    space: Space,
    a: Measures,
    b: Measures,
    question: Question,
    first: _Ints,
    second: _Ints,
    cutoffs: _Floats,
    cuts: Cuts,
    threads: int,
    seconds: float,
    progress: _Progress,
) -> tuple[_Floats, _Failures]:
    """RPW of many pairs; infinite where it was given up, proven to lie beyond the cutoff of the pair.

    NaN, and the pair with a reason, where one fails. What the solves say about other pairs is added to ``cuts``, in the
    order of the pairs.
    """

def neighbour_bounds(
    space: Space,
    a: Measures,
    b: Measures,
    question: Question,
    first: _Ints,
    second: _Ints,
    threads: int,
    seconds: float,
    progress: _Progress,
) -> _Floats:
    """Lower bounds on RPW by nearest neighbours; 0 for other questions, and for pairs that fail."""

def cut_bounds(
    space: Space,
    a: Measures,
    b: Measures,
    question: Question,
    first: _Ints,
    second: _Ints,
    cuts: Cuts,
    since: _Ints,
    threads: int,
    seconds: float,
    progress: _Progress,
) -> _Floats:
    """Lower bounds on RPW for pairs of measures at places that they share.

    Each is the best by the cuts of its first measure s, from number ``since[s]`` on.
    """

def mixed_bounds(
    space: Space,
    a: Measures,
    b: Measures,
    question: Question,
    first: _Ints,
    second: _Ints,
    cuts: Cuts,
    most: int,
    threads: int,
    seconds: float,
    progress: _Progress,
) -> _Floats:
    """Sharper ones, each by a mixture of the cuts that suit the pair best, among the last ``most``."""

class Cuts:
    """What solved pairs say about all others with the same first measure, which is a query of a search."""

    def __init__(self, count: int) -> None: ...
    def add(self, query: int, multiplier: float, u: _Floats) -> None:
        """A multiplier and row potentials, in units of κ^p."""

    def count(self, query: int) -> int: ...
    def forget(self, query: int) -> None: ...

# ---------------------------------------------------------------- single steps, as the core takes them

def length_unit(x: _Floats, y: _Floats) -> float: ...
def lie_on_line(x: _Floats, y: _Floats, metric: Metric) -> bool: ...
def label_points(points: _Floats) -> _Ints: ...
def count_distinct(points: _Floats) -> int: ...
def box_diameter(x: _Floats, y: _Floats, metric: Metric) -> float: ...
def leading_column(x: _Floats, y: _Floats) -> int | None: ...
def fill_distances(x: _Floats, y: _Floats, metric: Metric, unit: float, out: _Floats) -> None: ...
def fill_powers(distances: _Floats, scale: float, p: float, out: _Floats) -> None: ...
def largest_if_sound(cost: _Floats) -> float | None: ...
def root(x: float, p: float) -> float: ...
def choose(
    question: Question,
    is_on_line: bool,
    has_labels: bool,
    has_matrix: bool,
    rows: int,
    columns: int,
    dimension: int,
) -> tuple[Solver, str, int]:
    """What `solve` would name as its solver, why, and the bytes that it takes for each pair of atoms."""

def scaled_price(kappa: float, scale: float) -> tuple[float, float]: ...
def crossing(height: float, slope: float, kappa: float, p: float) -> float: ...
