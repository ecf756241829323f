"""Pictures (needs matplotlib: ``pip install matplotlib``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, overload

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from rpw.base.check import Array
from rpw.base.extras import import_extra

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from scipy.sparse import csr_array

__all__ = ["plot_barycenter", "plot_displacement", "plot_null", "plot_outliers", "plot_profile", "plot_result"]

Mask = npt.NDArray[np.bool_]

_MOST_LINES = 300  # of a plan on the line, where more of them are one grey block
_LINES = ("tab:orange", "tab:green", "tab:red", "tab:purple", "tab:brown")  # of several k
_GREY = 0.65  # of a plan
_MOST_BARS = 30  # columns in one picture
_DOT = 12.0  # the area of a point that carries 1/n of the mass


class Curve(Protocol):
    """What is drawn of an `rpw.Profile`."""

    @property
    def p(self) -> float: ...
    @property
    def diameter(self) -> float: ...
    @property
    def mass(self) -> Array: ...
    @property
    def lower(self) -> Curve: ...
    def distance(self, k: float) -> float: ...
    @overload
    def __call__(self, alpha: float) -> float: ...
    @overload
    def __call__(self, alpha: ArrayLike) -> float | Array: ...


class Moved(Protocol):
    """What is drawn of an `rpw.Result`."""

    @property
    def plan(self) -> csr_array: ...
    @property
    def outliers_a(self) -> Mask: ...
    @property
    def outliers_b(self) -> Mask: ...


class Moves(Protocol):
    """What is drawn of an `rpw.Displacement`."""

    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def mean(self) -> Array: ...
    @property
    def median(self) -> Array: ...
    @property
    def absolute(self) -> Array: ...
    @property
    def share(self) -> Array | None: ...
    def largest(self, most: int) -> list[int]: ...


class Weighted(Protocol):
    """What is drawn of an `rpw.Measure`."""

    @property
    def points(self) -> Array: ...
    @property
    def weights(self) -> Array: ...


class Scored(Protocol):
    """What is drawn of an `rpw.stats.OutliersResult`."""

    @property
    def mask(self) -> Mask: ...
    @property
    def scores(self) -> Array: ...
    @property
    def calibration_scores(self) -> Array: ...
    @property
    def score(self) -> str: ...


class Floor(Protocol):
    """What is drawn of an `rpw.stats.NoiseFloor`."""

    @property
    def distance(self) -> float: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...
    @property
    def values(self) -> Array: ...


def plot_profile(
    profile: Curve, ax: Axes | None = None, k: float | Sequence[float] | None = None, is_lower: bool = False
) -> Axes:
    """Draw the OT-profile W_{p,α} over α and, with one or several ``k``, its crossings with the lines kΔ(1 - α).

    A profile that is not exact is a band between two curves; ``is_lower``: it is the lower of them, alone.
    """
    ax = _axes(ax, 6, 4)
    masses = np.union1d(np.linspace(0, 1, 401), np.union1d(profile.mass, profile.lower.mass))
    name = f"OT-profile $W_{{{_exponent(profile.p)},\\alpha}}$"
    is_band = profile.lower is not profile
    side = ", from above" if is_band else ", from below" if is_lower else ""
    ax.plot(masses, profile(masses), color="tab:blue", label=f"{name}{side}")
    if is_band:
        below = profile.lower(masses)
        ax.plot(masses, below, color="tab:blue", lw=0.8, label="from below")
        ax.fill_between(masses, below, profile(masses), color="tab:blue", alpha=0.2, lw=0)
    ax.set(xlabel="mass moved, $\\alpha$", ylabel="cost of moving it, $W$", xlim=(0, 1), ylim=(0, None))
    prices = [] if k is None else np.atleast_1d(k).tolist()
    heights = [
        _draw_crossing(profile, ax, each, _LINES[i % len(_LINES)], is_lower, is_alone=len(prices) == 1)
        for i, each in enumerate(prices)
    ]
    if heights:  # far outliers would press the crossings flat: then the curve leaves the picture at the top
        whole = min(float(profile(1.0)), max(prices) * profile.diameter)
        ax.set_ylim(0, 1.15 * max(whole, *heights) or None)
    # The line kΔ(1 - α) may pass through any corner: where none is free, it goes behind the text.
    ax.legend(loc="upper left" if k is None else "best", facecolor="white", edgecolor="none", framealpha=0.9)
    return ax


def _axes(ax: Axes | None, width: float, height: float) -> Axes:
    """The axes that were given, or those of a new figure."""
    pyplot = import_extra("matplotlib.pyplot", "plots need")
    return pyplot.subplots(figsize=(width, height), layout="constrained")[1] if ax is None else ax


def _draw_crossing(profile: Curve, ax: Axes, k: float, color: str, is_lower: bool, *, is_alone: bool) -> float:
    """Draw the line of one k and where it meets the curve; returns how high that is."""
    distance, least = profile.distance(k), profile.lower.distance(k)
    height = k * profile.diameter
    crossing = (1 - distance, height * distance)
    text = f"RPW at least {distance:.4g}" if is_lower else f"RPW = {distance:.4g}"
    if profile.lower is not profile:
        ax.plot(1 - least, height * least, "o", color="black", fillstyle="none")
        text = f"RPW in [{least:.4g}, {distance:.4g}]"
    label = f"$k\\Delta(1-\\alpha)$, k = {k:g}"
    ax.plot([0, 1], [height, 0], color=color, label=label if is_alone else f"{label}: {text}")
    ax.plot(*crossing, "o", color="black")
    if is_alone:  # texts beside several crossings would cover each other
        box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1.5}
        ax.annotate(text, crossing, (-10, 22), textcoords="offset points", ha="right", bbox=box)
    ax.axvspan(1 - distance, 1, color=color, alpha=0.12, lw=0)
    return height * distance


def _exponent(p: float) -> str:
    return "\\infty" if np.isinf(p) else f"{p:g}"


# ---------------------------------------------------------------- a plan


def plot_result(result: Moved, x: Array, y: Array, a: Array, b: Array, ax: Axes | None = None, title: str = "") -> Axes:
    """Draw both measures, the plan as lines, and a ring around every point of which more than half is left behind.

    Each ring has the colour of its measure, and the legend names it.
    """
    ax = _axes(ax, 5, 4.2)
    note, dimension = "", x.shape[1]
    if dimension == 1:
        x, y = _as_rows(x, 1.0), _as_rows(y, 0.0)
        if result.plan.nnz > _MOST_LINES:
            note = f"\n{_MOST_LINES} of {result.plan.nnz:,} lines"
    elif dimension > 2:
        x, y, share = _on_principal_axes(x, y, a, b)
        note = f"\nfirst two principal axes, {share:.0%} of the variance"
    else:
        ax.set_aspect("equal")
    _draw_points(ax, x, a, result.outliers_a, "tab:blue", "first")
    _draw_points(ax, y, b, result.outliers_b, "tab:red", "second")
    _draw_lines(ax, result, x, y, is_on_line=dimension == 1)
    ax.set_title(f"{title}{note}")
    if dimension == 1:
        ax.yaxis.set_visible(False)
        ax.spines[["left", "top", "right"]].set_visible(False)
    else:
        ax.set_axis_off()
    _draw_legend(ax)
    return ax


def _draw_legend(ax: Axes, below: float = -0.1) -> None:
    """Below the picture where the figure makes room for it, so that it covers nothing; else inside, on white."""
    if ax.figure.get_layout_engine() is None:
        place: dict[str, Any] = {"loc": "best", "facecolor": "white", "edgecolor": "none", "framealpha": 0.8}
    else:
        under = below if ax.axison else 0.0  # the numbers of an axis come first
        place = {"loc": "upper center", "bbox_to_anchor": (0.5, under), "ncols": 3, "frameon": False}
    ax.legend(fontsize=9, **place)


def _draw_points(ax: Axes, points: Array, weights: Array, behind: Mask, colour: str, name: str) -> None:
    """The points of one measure, and rings around those that it leaves behind."""
    area = _DOT * weights * np.count_nonzero(weights)
    ax.scatter(points[:, 0], points[:, 1], s=area, color=colour, lw=0, label=name, zorder=2)
    if behind.any():
        around, size, label = points[behind], (np.sqrt(area[behind]) + 4.0) ** 2, f"{name}, left behind"
        ax.scatter(
            around[:, 0], around[:, 1], s=size, facecolor="none", edgecolor=colour, lw=1.0, zorder=3, label=label
        )


def _draw_lines(ax: Axes, result: Moved, x: Array, y: Array, *, is_on_line: bool) -> None:
    from matplotlib.collections import LineCollection

    plan = result.plan.tocoo()
    i, j = plan.coords
    # A line is as strong as its share of what it could carry at most: that of an equal weight for each point.
    strength = np.clip(plan.data * max(1, min(plan.shape)), 0.15, 1.0)
    ends = np.stack([x[i], y[j]], axis=1)
    if is_on_line and len(ends) > _MOST_LINES:  # evenly, in their order
        some = np.argsort(ends[:, 0, 0], kind="stable")[np.linspace(0, len(ends) - 1, _MOST_LINES).astype(int)]
        ends, strength = ends[some], strength[some]
    greys = np.column_stack([np.full((len(ends), 3), _GREY), strength])
    ax.add_collection(LineCollection(list(ends), colors=greys, linewidths=0.8, zorder=1))
    if len(ends):  # for the legend: the first of the lines may be a faint one
        ax.plot([], [], color=str(_GREY), lw=0.8, label="moves")


def plot_displacement(moves: Moves, ax: Axes | None = None) -> Axes:
    """Draw the mean move along each coordinate as a bar, from the first column down, with its share of the cost."""
    columns = sorted(moves.largest(_MOST_BARS))
    ax = _axes(ax, 7, 1.4 + 0.3 * len(columns))
    mean, median, absolute = (np.nan_to_num(part[columns]) for part in (moves.mean, moves.median, moves.absolute))
    places = np.arange(len(columns))
    ax.barh(places, np.copysign(absolute, mean), height=0.7, color="tab:blue", alpha=0.25, label="mean absolute move")
    ax.barh(places, mean, height=0.7, color="tab:blue", label="mean move")
    ax.plot(median, places, "|", color="black", ms=10, mew=2, label="median move")
    ax.axvline(0, color="black", lw=0.8)
    if moves.share is not None:
        for place, column in enumerate(columns):
            end = (float(np.copysign(absolute[place], mean[place])), place)
            is_left = mean[place] < 0
            ax.annotate(
                f"{moves.share[column]:.0%}",
                end,
                (-4 if is_left else 4, 0),
                textcoords="offset points",
                ha="right" if is_left else "left",
                va="center",
                fontsize=8,
            )
    ax.set_yticks(places, [moves.names[column] for column in columns])
    ax.invert_yaxis()
    ax.margins(x=0.15)
    ax.set_xlabel("move from the first to the second, in the units of the column")
    hidden = len(moves.names) - len(columns)
    note = "" if moves.share is None else "; text: share of the cost"
    ax.set_title(f"Mean move along each column{note}" + (f"\n{hidden:,} more columns" if hidden else ""), fontsize=10)
    ax.spines[["top", "right"]].set_visible(False)
    beside = {} if ax.figure.get_layout_engine() is None else {"bbox_to_anchor": (1.0, 1.0)}  # the figure makes room
    ax.legend(loc="upper left" if beside else "best", fontsize=9, frameon=not beside, **beside)
    return ax


# ---------------------------------------------------------------- outliers


def plot_outliers(found: Scored, ax: Axes | None = None) -> Axes:
    """Draw which share of the rows has a higher score: one curve for the reference, and a dot for each row of x."""
    ax = _axes(ax, 6, 4)
    known, scores = np.sort(found.calibration_scores), found.scores
    ax.step(known, _shares_beyond(known), where="pre", color="0.5", label="reference", zorder=1)
    order = np.argsort(scores, kind="stable")
    across, up, is_named = scores[order], _shares_beyond(scores[order]), found.mask[order]
    for mask, colour, name in ((~is_named, "tab:blue", "x"), (is_named, "tab:red", "x, named")):
        if mask.any():
            ax.scatter(across[mask], up[mask], s=_DOT, color=colour, lw=0, label=name, zorder=2)
    ax.set(xlabel=f"score ({found.score})", ylabel="share of rows with this score or more", yscale="log")
    first, _, rest = str(found).replace("; ", ";\n", 1).partition(". ")
    ax.set_title(first if not rest else f"{first}.", fontsize=10)
    ax.legend(facecolor="white", edgecolor="none", framealpha=0.8)
    return ax


def _shares_beyond(ordered: Array) -> Array:
    """For each of some numbers in order, the share that is not below it."""
    return np.asarray(np.arange(len(ordered), 0, -1) / len(ordered))


# ---------------------------------------------------------------- a test


def plot_null(floor: Floor, xlabel: str, title: str = "", ax: Axes | None = None) -> Axes:
    """Draw what random splits of the pooled rows give, their middle 90 %, and the observed distance."""
    ax = _axes(ax, 6, 3.4)
    known = floor.values[~np.isnan(floor.values)]
    ax.hist(known, bins=min(40, max(5, len(known) // 10)), color="tab:gray", alpha=0.6, label="random splits")
    ax.axvspan(floor.low, floor.high, color="tab:blue", alpha=0.12, lw=0, label="their middle 90 %")
    ax.axvline(floor.distance, color="tab:red", lw=2, label=f"observed, {floor.distance:.3g}")
    ax.set(xlabel=xlabel, ylabel="number of splits", title=title)
    _draw_legend(ax, below=-0.18)
    return ax


# ---------------------------------------------------------------- a barycenter


def plot_barycenter(
    measure: Weighted, inputs: Sequence[Weighted], behind: Sequence[Mask], ax: Axes | None = None, title: str = ""
) -> Axes:
    """Draw the barycenter over the atoms of its inputs, with those in red that they leave out."""
    ax = _axes(ax, 5, 4.2)
    clouds, dimension = [measure.points, *(each.points for each in inputs)], measure.points.shape[1]
    if dimension == 1:  # the barycenter above the inputs, which go downwards
        clouds = [_as_rows(cloud, -float(row)) for row, cloud in enumerate(clouds)]
        ax.yaxis.set_visible(False)
        ax.spines[["left", "top", "right"]].set_visible(False)
    else:
        ax.set_axis_off()
        ax.set_aspect("equal" if dimension == 2 else "auto")
    if dimension > 2:
        others = np.concatenate(clouds[1:]), np.concatenate([each.weights for each in inputs])
        shown, rest, share = _on_principal_axes(clouds[0], others[0], measure.weights, others[1])
        clouds = [shown, *np.split(rest, np.cumsum([len(each.points) for each in inputs])[:-1])]
        title = f"{title}\nfirst two principal axes, {share:.0%} of the variance"
    atoms, is_out = np.concatenate(clouds[1:]), np.concatenate(list(behind))
    for mask, colour, name in ((~is_out, "0.6", "inputs"), (is_out, "tab:red", "inputs, left out")):
        if mask.any():
            ax.scatter(atoms[mask, 0], atoms[mask, 1], s=8, color=colour, alpha=0.6, lw=0, label=name, zorder=1)
    _draw_points(ax, clouds[0], measure.weights, np.zeros(len(clouds[0]), dtype=bool), "tab:blue", "barycenter")
    ax.set_title(title, fontsize=10)
    _draw_legend(ax)
    return ax


def _as_rows(points: Array, height: float) -> Array:
    """Points of the line at one height: the first measure above the second."""
    return np.column_stack([points[:, 0], np.full(len(points), height)])


def _on_principal_axes(x: Array, y: Array, a: Array, b: Array) -> tuple[Array, Array, float]:
    """The points on the two axes along which both measures together vary most, and the share of that variance."""
    points, weights = np.concatenate([x, y]), np.concatenate([a, b])
    size = float(np.abs(points).max()) or 1.0  # squares of huge or tiny coordinates would leave float64
    centred = points / size - weights @ (points / size) / weights.sum()
    _, spread, axes = np.linalg.svd(np.sqrt(weights)[:, None] * centred, full_matrices=False)
    axes *= np.sign(axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)])[
        :, None
    ]  # one of two signs, always the same
    shown = centred @ axes[:2].T
    variance = spread**2
    return shown[: len(x)], shown[len(x) :], float(variance[:2].sum() / (variance.sum() or 1.0))
