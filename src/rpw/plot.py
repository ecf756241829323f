"""Plots (need matplotlib: ``pip install matplotlib``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rpw.base.check import Array
from rpw.base.extras import import_extra
from rpw.base.shared_docs import documented

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rpw.measure import Measure
    from rpw.pair.displacement import Displacement
    from rpw.pair.profile import Profile
    from rpw.pair.result import Result
    from rpw.stats.outliers import OutliersResult
    from rpw.stats.two_sample_result import NoiseFloor

__all__ = ["plot_barycenter", "plot_displacement", "plot_null", "plot_outliers", "plot_profile", "plot_result"]

Mask = npt.NDArray[np.bool_]

_MOST_LINES = 300  # of a plan on the line, where more of them are one grey block
_LINES = ("tab:orange", "tab:green", "tab:red", "tab:purple", "tab:brown")  # of several k
_GREY = 0.65  # of a plan
_MOST_BARS = 30  # columns in one picture
_RING = {"o": 4.0, "^": 5.5}  # how much wider than a point its ring is; a triangle has less room inside
_DOT = 12.0  # the area of a point that carries 1/n of the mass
_COLUMNS = (3, 2, 1)  # of a legend: the first number that is narrow enough
_WIDEST = 1.2  # of a legend, in widths of the axes: that of their cell in a grid
_GAP = 4.0  # points between the axis and a legend
_TITLE = 22.0  # points that the title of the axes below takes
_MOST_ROOM = 0.6  # of the height of the axes, for a legend
_MOST_NAMES = 12  # of rows on the line


@documented
def plot_profile(
    profile: Profile, ax: Axes | None = None, k: float | Sequence[float] | None = None, is_lower: bool = False
) -> Axes:
    """Draw an OT-profile and, for each ``k``, the line k·Δ·(1 - α) with its crossing; see `rpw.Profile.plot`.

    Parameters
    ----------
    profile : Profile
        What to draw.
    %(ax)s
    k : float or list of float, optional
        One k or several.
    is_lower : bool, default False
        Whether the profile is the lower one of two curves.

    Returns
    -------
    %(returns_ax)s

    Examples
    --------
    >>> import rpw
    >>> profile = rpw.profile([0.0, 5.0], [0.0, 1.0], p=1, diameter=1)
    >>> ax = rpw.plot.plot_profile(profile, k=[1, 2])
    >>> len(ax.lines)  # the curve, and a line and a dot for each k
    5
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
    ax.set(xlabel="mass moved, $\\alpha$", ylabel="cost of moving it, $W$ (a distance)", xlim=(0, 1), ylim=(0, None))
    prices = [] if k is None else np.atleast_1d(k).tolist()
    heights = [
        _draw_crossing(profile, ax, each, _LINES[i % len(_LINES)], is_lower, is_alone=len(prices) == 1)
        for i, each in enumerate(prices)
    ]
    if heights:  # far outliers would press the crossings flat: then the curve leaves the picture at the top
        whole = min(float(profile(1.0)), max(prices) * profile.diameter)
        ax.set_ylim(0, 1.15 * max(whole, *heights) or None)
    _draw_legend(ax)
    return ax


def _axes(ax: Axes | None, width: float, height: float) -> Axes:
    """The axes that were given, or those of a new figure."""
    pyplot = import_extra("matplotlib.pyplot", "plots need")
    return pyplot.subplots(figsize=(width, height), layout="constrained")[1] if ax is None else ax


def _draw_crossing(profile: Profile, ax: Axes, k: float, color: str, is_lower: bool, *, is_alone: bool) -> float:
    """Draw the line of one k and where it meets the curve; returns how high that is."""
    distance, least = profile.distance(k), profile.lower.distance(k)
    height = k * profile.diameter
    crossing = (1 - distance, height * distance)
    text = f"RPW at least {distance:.4g}" if is_lower else f"RPW = {distance:.4g}"
    if profile.lower is not profile:
        ax.plot(1 - least, height * least, "o", color="black", fillstyle="none")
        text = f"RPW in [{least:.4g}, {distance:.4g}]"
    label = f"$k\\Delta(1-\\alpha)$, Δ = {profile.diameter:.4g}, k = {k:g}"
    ax.plot([0, 1], [height, 0], color=color, label=label if is_alone else f"{label}: {text}")
    ax.plot(*crossing, "o", color="black")
    if is_alone:  # texts beside several crossings would cover each other
        box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1.5}
        ax.annotate(text, crossing, (-10, 22), textcoords="offset points", ha="right", bbox=box)
        ax.axvspan(1 - distance, 1, color=color, alpha=0.12, lw=0, label="left behind")
    return height * distance


def _exponent(p: float) -> str:
    return "\\infty" if np.isinf(p) else f"{p:g}"


# ---------------------------------------------------------------- a plan


@documented
def plot_result(
    result: Result,
    x: Array,
    y: Array,
    a: Array,
    b: Array,
    ax: Axes | None = None,
    title: str = "",
    names: Sequence[str] = (),
    is_picture: bool = False,
) -> Axes:
    """Draw two measures, their plan, and rings around the points left behind; see `rpw.Result.plot`.

    Parameters
    ----------
    result : Result
        The plan.
    x, y : array of shape (n, d) and (m, d)
        The points of the two measures.
    a, b : array of shape (n,) and (m,)
        Their weights.
    %(ax)s
    title : str, default ""
        The title of the picture.
    names : sequence of str, default ()
        The names of the columns.
    is_picture : bool, default False
        Whether the points are rows and columns of pixels; rows then go downwards.

    Returns
    -------
    %(returns_ax)s

    Examples
    --------
    >>> import numpy as np
    >>> import rpw
    >>> x, y, a = np.array([[0.0], [1.0]]), np.array([[0.0], [9.0]]), np.array([0.5, 0.5])
    >>> ax = rpw.plot.plot_result(rpw.solve(x, y, diameter=1), x, y, a, a, title="two pairs")
    >>> ax.get_title()
    'two pairs'
    """
    ax = _axes(ax, 5, 4.2)
    is_on_line = x.shape[1] == 1
    (x, y), note = _on_plane(ax, [x, y], [a, b], ("first", "second"), names, is_picture)
    if is_on_line and result.plan.nnz > _MOST_LINES:
        note = f"\n{_MOST_LINES} of {result.plan.nnz:,} lines"
    _draw_points(ax, x, a, result.outliers_a, "tab:blue", "first")
    _draw_points(ax, y, b, result.outliers_b, "tab:red", "second", marker="^")
    _draw_lines(ax, result, x, y, is_on_line=is_on_line)
    ax.set_title(f"{title}{note}")
    _draw_legend(ax)
    return ax


def _on_plane(
    ax: Axes, clouds: list[Array], weights: list[Array], rows: Sequence[str], names: Sequence[str], is_picture: bool
) -> tuple[list[Array], str]:
    """Clouds as points of the plane, and what to say about it. The axes get their names, and one scale.

    Clouds on the line lie in rows, the first at the top.
    """
    dimension = clouds[0].shape[1]
    if dimension == 1:
        heights = np.arange(len(clouds))[::-1]
        _name_rows(ax, heights, rows)
        ax.set_xlabel(names[0] if names else "coordinate")
        return [_as_row(cloud, height) for cloud, height in zip(clouds, heights, strict=True)], ""
    note = ""
    if dimension > 2:
        clouds, share = _on_principal_axes(clouds, weights)
        note = f"\nfirst two principal axes, {share:.0%} of the variance"
        labels = ["first principal axis", "second principal axis"]
    elif is_picture:  # a point is (row, column), and rows go downwards
        clouds, labels = [cloud[:, ::-1] for cloud in clouds], ["column / diagonal", "row / diagonal"]
        ax.yaxis.set_inverted(True)
    else:
        labels = [*names] or ["coordinate 1", "coordinate 2"]
    ax.set(xlabel=labels[0], ylabel=labels[1])
    # Wider limits keep the axes large, whatever the clouds; axes that share their limits cannot have them.
    is_shared = any(len(group.get_siblings(ax)) > 1 for group in (ax.get_shared_x_axes(), ax.get_shared_y_axes()))
    ax.set_aspect("equal", adjustable="box" if is_shared else "datalim")
    return clouds, note


def _name_rows(ax: Axes, heights: npt.NDArray[np.int64], rows: Sequence[str]) -> None:
    """Whose points lie in which row; of many rows the first ones."""
    ax.set_yticks(heights[:_MOST_NAMES], rows[:_MOST_NAMES])
    ax.tick_params(axis="y", length=0)
    ax.spines[["left", "top", "right"]].set_visible(False)


def _draw_legend(ax: Axes) -> None:
    """Below the axes, so that it covers nothing. A figure that does not make room by itself gets smaller axes."""
    from matplotlib.transforms import ScaledTranslation

    figure = ax.figure
    around = ax.xaxis.get_tightbbox()
    taken = ax.bbox.y0 - around.y0 if around is not None else 0.0  # by the numbers and the name of the axis
    below = ScaledTranslation(0, -(taken / figure.dpi + _GAP / 72), figure.dpi_scale_trans)
    place: dict[str, Any] = {
        "loc": "upper center",
        "bbox_to_anchor": (0.5, 0.0),
        "bbox_transform": ax.transAxes + below,
        "borderaxespad": 0.0,
        "columnspacing": 1.0,
        "handletextpad": 0.5,
        "fontsize": 9,
        "frameon": False,
    }
    for columns in _COLUMNS:
        legend = ax.legend(ncols=columns, **place)
        if legend.get_window_extent().width <= _WIDEST * ax.bbox.width:
            break
    if figure.get_layout_engine() is None:
        _make_room_below(ax, legend.get_window_extent().y0)


def _make_room_below(ax: Axes, bottom: float) -> None:
    """Lift the lower edge of the axes until nothing above ``bottom``, in pixels, meets what lies below."""
    figure, box = ax.figure, ax.bbox
    under = (each.bbox for each in figure.axes if each is not ax and each.bbox.y1 <= box.y0)
    tops = [each.y1 + _TITLE / 72 * figure.dpi for each in under if each.x0 < box.x1 and box.x0 < each.x1]
    lack = (max([figure.bbox.y0, *tops]) - bottom) / figure.bbox.height
    place = ax.get_position(original=True)
    if 0 < lack < _MOST_ROOM * place.height:
        ax.set_position((place.x0, place.y0 + lack, place.width, place.height - lack))
        ax.set_in_layout(True)  # a later tight_layout may place it again


def _draw_points(
    ax: Axes, points: Array, weights: Array, behind: Mask, colour: str, name: str, marker: str = "o"
) -> None:
    """The points of one measure, and rings of its colour and shape around those that it leaves behind."""
    area = _DOT * weights * np.count_nonzero(weights)
    ax.scatter(points[:, 0], points[:, 1], s=area, color=colour, lw=0, label=name, zorder=2, marker=marker)
    if behind.any():
        around, size = points[behind], (np.sqrt(area[behind]) + _RING[marker]) ** 2
        look: dict[str, Any] = {"facecolor": "none", "edgecolor": colour, "lw": 1.0, "marker": marker}
        ax.scatter(around[:, 0], around[:, 1], s=size, zorder=3, label=f"{name}, left behind", **look)


def _draw_lines(ax: Axes, result: Result, x: Array, y: Array, *, is_on_line: bool) -> None:
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


@documented
def plot_displacement(moves: Displacement, ax: Axes | None = None) -> Axes:
    """Draw the mean move along each column as a bar; see `rpw.Displacement.plot`.

    Parameters
    ----------
    moves : Displacement
        What to draw.
    %(ax)s

    Returns
    -------
    %(returns_ax)s

    Examples
    --------
    >>> import rpw
    >>> moves = rpw.transport([[0.0, 0.0]], [[1.0, -5.0]]).displacement
    >>> ax = rpw.plot.plot_displacement(moves)
    >>> ax.get_xlabel()
    'move from the first to the second, in the units of the column'
    """
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
    _draw_legend(ax)
    return ax


# ---------------------------------------------------------------- outliers


@documented
def plot_outliers(found: OutliersResult, ax: Axes | None = None) -> Axes:
    """Draw the scores of all rows over the scores of a reference; see `rpw.stats.OutliersResult.plot`.

    Parameters
    ----------
    found : OutliersResult
        What to draw.
    %(ax)s

    Returns
    -------
    %(returns_ax)s

    Examples
    --------
    >>> import rpw
    >>> reference = [[i / 200] for i in range(200)]
    >>> found = rpw.stats.find_outliers([[0.2], [9.0]], reference, rng=0)
    >>> ax = rpw.plot.plot_outliers(found)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['reference', 'x', 'x, named']
    """
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
    _draw_legend(ax)
    return ax


def _shares_beyond(ordered: Array) -> Array:
    """For each of some numbers in order, the share that is not below it."""
    return np.asarray(np.arange(len(ordered), 0, -1) / len(ordered))


# ---------------------------------------------------------------- a test


@documented
def plot_null(floor: NoiseFloor, xlabel: str, title: str = "", ax: Axes | None = None) -> Axes:
    """Draw the distances of random splits, their middle 90 %, and the observed distance.

    Parameters
    ----------
    floor : NoiseFloor
        What to draw.
    xlabel : str
        The name of the distance.
    title : str, default ""
        The title of the picture.
    %(ax)s

    Returns
    -------
    %(returns_ax)s

    Examples
    --------
    >>> import numpy as np
    >>> import rpw
    >>> x = np.arange(20.0)
    >>> floor = rpw.stats.noise_floor(x, x + 5, diameter=20, rng=0)
    >>> rpw.plot.plot_null(floor, "RPW").get_ylabel()
    'number of splits'
    """
    ax = _axes(ax, 6, 3.4)
    known = floor.values[~np.isnan(floor.values)]
    ax.hist(known, bins=min(40, max(5, len(known) // 10)), color="tab:gray", alpha=0.6, label="random splits")
    ax.axvspan(floor.low, floor.high, color="tab:blue", alpha=0.12, lw=0, label="their middle 90 %")
    ax.axvline(floor.distance, color="tab:red", lw=2, label=f"observed, {floor.distance:.3g}")
    ax.set(xlabel=xlabel, ylabel="number of splits", title=title)
    _draw_legend(ax)
    return ax


# ---------------------------------------------------------------- a barycenter


@documented
def plot_barycenter(
    measure: Measure,
    inputs: Sequence[Measure],
    behind: Sequence[Mask],
    ax: Axes | None = None,
    title: str = "",
    names: Sequence[str] = (),
    is_picture: bool = False,
) -> Axes:
    """Draw a barycenter over the points of its inputs; see `rpw.Barycenter.plot`.

    Parameters
    ----------
    measure : Measure
        The barycenter.
    inputs : sequence of Measure
        The measures it is a mean of.
    behind : sequence of array of bool
        For each input, which of its points are left out.
    %(ax)s
    title : str, default ""
        The title of the picture.
    names : sequence of str, default ()
        The names of the columns.
    is_picture : bool, default False
        Whether the points are rows and columns of pixels; rows then go downwards.

    Returns
    -------
    %(returns_ax)s

    Examples
    --------
    >>> import numpy as np
    >>> import rpw
    >>> inputs = [rpw.Measure([[0.0]]), rpw.Measure([[1.0]])]
    >>> mean, behind = rpw.Measure([[0.5]]), [np.array([False])] * 2
    >>> ax = rpw.plot.plot_barycenter(mean, inputs, behind, title="a mean")
    >>> ax.get_title()
    'a mean'
    """
    ax = _axes(ax, 5, 4.2)
    measures = [measure, *inputs]
    rows = ["barycenter", *(f"input {place}" for place in range(len(inputs)))]
    clouds, weights = [each.points for each in measures], [each.weights for each in measures]
    clouds, note = _on_plane(ax, clouds, weights, rows, names, is_picture)
    atoms, is_out = np.concatenate(clouds[1:]), np.concatenate(list(behind))
    for mask, colour, name in ((~is_out, "0.6", "inputs"), (is_out, "tab:red", "inputs, left out")):
        if mask.any():
            ax.scatter(atoms[mask, 0], atoms[mask, 1], s=8, color=colour, alpha=0.6, lw=0, label=name, zorder=1)
    _draw_points(ax, clouds[0], measure.weights, np.zeros(len(clouds[0]), dtype=bool), "tab:blue", "barycenter")
    ax.set_title(f"{title}{note}", fontsize=10)
    _draw_legend(ax)
    return ax


def _as_row(points: Array, height: float) -> Array:
    """Points of the line at one height."""
    return np.column_stack([points[:, 0], np.full(len(points), height)])


def _on_principal_axes(clouds: list[Array], weights: list[Array]) -> tuple[list[Array], float]:
    """The points on the two axes along which all measures together vary most, and the share of that variance."""
    points, masses = np.concatenate(clouds), np.concatenate(weights)
    size = float(np.abs(points).max()) or 1.0  # squares of huge or tiny coordinates would leave float64
    centred = points / size - masses @ (points / size) / masses.sum()
    _, spread, axes = np.linalg.svd(np.sqrt(masses)[:, None] * centred, full_matrices=False)
    # One of two signs, always the same.
    axes *= np.sign(axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)])[:, None]
    shown = size * (centred @ axes[:2].T)
    variance = spread**2
    share = float(variance[:2].sum() / (variance.sum() or 1.0))
    return np.split(shown, np.cumsum([len(cloud) for cloud in clouds])[:-1]), share
