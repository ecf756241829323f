"""Paragraphs that several docstrings share, and the decorator that fills them in.

A docstring names a paragraph on a line of its own: ``%(points)s``. A paragraph may leave one word open, which follows
its name: ``%(progress splits)s``.
"""

from __future__ import annotations

import re
from typing import TypeVar

__all__ = ["SHARED", "documented"]

_Thing = TypeVar("_Thing")
_PLACE = re.compile(r"([ \t]*)%\((\w+)(?: ([^)]*))?\)s[ \t]*")


def documented(thing: _Thing) -> _Thing:
    """Fill the shared paragraphs into the docstring of a function or a class, which comes back."""
    text = thing.__doc__
    if text is not None:  # python -OO leaves none
        thing.__doc__ = "\n".join(_filled(line) if "%(" in line else line for line in text.split("\n"))
    return thing


def _filled(line: str) -> str:
    """The paragraph that a line names, indented as the line is; any other line as it is."""
    place = _PLACE.fullmatch(line)
    if place is None:
        return line
    indent, name, word = place.groups()
    text = SHARED[name].strip("\n").replace("{}", word or "")
    return indent + text.replace("\n", f"\n{indent}")


SHARED = {
    # ---------------------------------------------------------------- files
    "text_rules": """
decimal : {".", ","}, optional
    The decimal mark of CSV and TSV files. By default the file decides, and a file that leaves it open is refused.
header : bool, optional
    Whether the first line of CSV and TSV files names the columns. By default the file decides.
""",
    # ---------------------------------------------------------------- one pair
    "points": """
x, y : array-like of shape (n, d) and (m, d), or Measure
    The points of the two measures, one row each. An array of shape (n,) holds points on a line. Leave both out if
    you pass ``cost``.
""",
    "weights": """
a, b : array-like of shape (n,) and (m,), optional
    Weights of the points, at least 0; they are divided by their sum. All points weigh the same by default. A
    `rpw.Measure` has its own weights. Weights below 2**-61 of the sum count as 0.
""",
    "cost": """
cost : array-like of shape (n, m), optional
    Distances instead of points. Rows belong to the first measure, columns to the second. Pass the distances
    themselves, not their p-th powers.
""",
    "p": """
p : float, default 2
    Exponent of the Wasserstein cost, from 1 to inf.
""",
    "k": """
k : float, default 1
    How much leaving mass behind costs, at least 0. A larger k leaves less behind. k = 0 gives total variation; as k
    grows, k·Δ·RPW approaches W_p.
""",
    "metric": """
metric : str or callable, default "euclidean"
    Distance between points: a name in `rpw.cost.METRICS`, or a function of two points. A function must be a metric;
    this is not checked.
""",
    "diameter": """
diameter : float, optional
    The unit of length Δ. Use one Δ for everything you compare; `rpw.diameter` computes one. If you leave it out, Δ
    is 1.
""",
    "mass": """
mass : float
    The share of the mass to move, from 0 to 1.
""",
    "tol": """
tol : float, default 0.0
    How far the answer may be off; 0 means exact.
""",
    "time_limit": """
time_limit : float, optional
    Seconds. If the time is over before there is an answer, `rpw.TimeLimitError` is raised.
""",
    "solver": """
solver : {"auto", "exact", "walk", "simplex", "points", "lmr", "bisection"}, default "auto"
    The algorithm; `rpw.choose_solver` explains the names. ``"lmr"`` and ``"bisection"`` need ``tol`` > 0. The choice
    has no effect if k = 0. ``"walk"`` and ``"simplex"`` have no effect if p = inf. ``Result.solver`` names what ran.
""",
    "exact_solver": """
solver : {"auto", "exact", "walk", "simplex", "points"}, default "auto"
    The algorithm; `rpw.choose_solver` explains the names.
""",
    "progress_of_one": """
progress : bool or callable, default False
    If True, a line on stderr shows how much mass has moved, the bounds proven so far, and the number of pivots. It
    appears after two seconds. A terminal shows one line that is updated; a file gets a new line every five seconds.
    A function is called several times a second with ``(moved, lower, upper)``; an exception in it ends the solve.
""",
    "warns_of_pair": """
UserWarning
    If ``diameter`` was left out and the points (or costs) span more than 2: Δ = 1 is then probably too small. If
    both ``diameter`` and ``k`` were left out and 20 or more distinct points span less than 0.05: Δ = 1 is then
    probably too large. If a single column makes up nearly all of the distances: its unit then probably differs
    from the units of the other columns. (This is noticed from 20 points on each side, under the metrics euclidean,
    cityblock, chebyshev and minkowski.)
""",
    "raises_for_number": """
TimeLimitError
    If ``time_limit`` passes first. The error carries the bounds proven by then.
MemoryError
    If the distances do not fit into memory.
""",
    # ---------------------------------------------------------------- many pairs
    "collections": """
A, B : collections of measures
    A list of `rpw.Measure` objects or of arrays (n_i, d); an array (B, n, d); or histograms (B, n), one in each row,
    together with ``support`` or ``cost``.
""",
    "distance_by_name": """
distance : str, default "rpw"
    ``"rpw"``, ``"wasserstein"``, ``"partial_wasserstein"``, ``"total_variation"``, ``"levy_prokhorov"`` or
    ``"robot"``, as in the function of that name. A parameter that has no effect on this distance is refused.
""",
    "mass_of_many": """
mass : float, optional
    The share of the mass to move, for ``"partial_wasserstein"``.
""",
    "lam_of_many": """
lam : float, optional
    The parameter λ of ``"robot"``.
""",
    "diameter_of_many": """
diameter : float or "auto", optional
    One Δ for all measures. ``"auto"`` computes it from all of them with `rpw.diameter`. If you leave it out, Δ is 1.
""",
    "support": """
support : array-like of shape (n, d), optional
    The points that all histograms share.
""",
    "shared_cost": """
cost : array-like of shape (n, n), optional
    The distances between the points that all histograms share, instead of ``support``.
""",
    "n_threads": """
n_threads : int, optional
    Number of threads; by default, all cores that this process may use.
""",
    "progress": """
progress : bool or callable, default False
    If True, shows a progress bar (needs tqdm). A function is called with ``(done, total)``, the
    numbers of {}.
""",
    "device": """
device : str, default "cpu"
    ``"cpu"``, or ``"cuda"`` (``"cuda:1"``, ...) for an NVIDIA GPU. The notes of `rpw.pairwise` say what a GPU can
    compute.
""",
    "warns_of_many": """
UserWarning
    If ``diameter`` was left out, and Δ = 1 is probably too small or too large. Too small: the points (or costs) span
    more than 2. Too large: at least 20 distinct points span less than 0.05 (for k < 1, less than 0.05·k).
""",
    "warns_of_small_diameter": """
UserWarning
    If ``diameter`` was left out and the points (or costs) span more than 2. Δ = 1 is then probably too small.
""",
    # ---------------------------------------------------------------- tests
    "samples": """
x, y : array-like of shape (n, d) and (m, d), or Measure
    The two samples, one row for each observation. An array of shape (n,) has one number for each observation. Each
    sample needs at least two rows; all rows of a Measure must have the same weight.
""",
    "rng": """
rng : int or numpy.random.Generator, optional
    Seed or generator of the random splits. Pass an int to get the same answer again.
""",
    "scale": """
scale : {None, "robust"}, default None
    ``"robust"`` divides each column by its interquartile range (the width of its middle half), over both samples
    together.
""",
    "groups": """
groups : pair of array-like, optional
    A label for each row of the first sample, and for each row of the second. Rows with the same label belong together.
    Random splits move whole groups, so no label may be in both samples. For rows that follow each other in time, a
    group is a block of consecutive rows.
""",
    "confidence_level": """
confidence_level : float, default 0.95
    Between 0 and 1.
""",
    # ---------------------------------------------------------------- pictures
    "ax": """
ax : matplotlib.axes.Axes, optional
    Where to draw; a new figure by default.
""",
    "returns_ax": """
matplotlib.axes.Axes
    The axes that were drawn on.
""",
    # ---------------------------------------------------------------- losses
    "tensors": """
x, y : {} or list, of shape (n, d) and (m, d)
    One pair of point sets; shape (n,) means points on a line. A batch has shape (B, n, d) and (B, m, d), or is a list
    of B point sets of any sizes. If only one side is a batch, each of its items is paired with the other side.
a, b : {} or list, of shape (n,) and (m,), optional
    Weights of the points, or a batch of them. They are divided by their sum. The gradient is in the weights that
    you passed.
cost : {} of shape (n, m) or (B, n, m), optional
    Distances instead of points.
""",
    "finite_p": """
p : float, default 2
    Exponent of the Wasserstein cost, at least 1 and finite.
""",
    "k_of_each": """
k : float or {}, default 1
    How much leaving mass behind costs, above 0. One number for all pairs, or one for each.
""",
    "metric_with_gradient": """
metric : {"euclidean", "cityblock", "chebyshev", "minkowski"}, default "euclidean"
    Distance between points.
""",
    "mass_of_loss": """
mass : float, default 1.0
    The share of the mass to move; 1 gives W_p.
""",
    "threads_of_batches": """
n_threads : int, optional
    Number of threads, for batches; by default, all cores that this process may use.
""",
    "no_early_stop": """
tol : float, default 0.0
    Must stay 0: a solve that stops early has no gradient.
time_limit : None, default None
    Must stay None, for the same reason.
""",
}
