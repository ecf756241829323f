"""Figures 1, 3 and 4 on our own data: what each distance moves and leaves behind, and how two proofs go.

Figure 1  TV is the mass that is not shared; W_p the cost of moving all mass; RPW leaves ε behind, at cost kε.
Figure 3  the triangle inequality: what both plans move through the middle measure has mass ≥ 1 - ε₁ - ε₂.
Figure 4  the proof of Lemma 3.4: γ₁ moves what it can inside fine cells, γ₂ the rest inside coarse ones; what is
          left is the excess of the coarse grid, and RPW_{2,1} ≤ max(mass left, cost of γ₁ + γ₂) by Lemma 2.2.
"""

import math
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

import rpw
from rpw_paper.base import Array
from rpw_paper.drawing import finish, legend
from rpw_paper.files import new_figure
from rpw_paper.paper.exhibit import NO, YES, Drawing, Exhibit, Table, Verdict
from rpw_paper.plan_drawing import FIRST, SECOND

GREEN, PURPLE = "#009e73", "#8a4fbf"
ROUNDING = 1e-9
RULE = f"Yes: the numbers of the picture satisfy the statement, up to {ROUNDING:g}. No: they do not."


def _hills(seed: int) -> tuple[Array, Array, Array]:
    """Two measures on 60 points of the line: a hill and its shift, and a little that lies far off."""
    rng = np.random.default_rng([seed, 80])
    x = (np.arange(60) + 0.5) / 60
    near = float(rng.uniform(0.05, 0.08))
    first = np.exp(-(((x - 0.3) / 0.09) ** 2))
    second = np.exp(-(((x - 0.3 - near) / 0.09) ** 2))
    far = np.exp(-(((x - 0.9) / 0.03) ** 2))
    first, second = first / first.sum(), 0.92 * second / second.sum() + 0.08 * far / far.sum()
    return x, first, second


def figure_1(*, seed: int) -> Exhibit:
    """TV, W_2 and RPW_{2,1} of two measures on the line."""
    x, a, b = _hills(seed)
    shared = np.minimum(a, b)
    whole, ours = rpw.transport(x, x, a, b, p=2), rpw.solve(x, x, a, b, p=2, k=1, diameter=1)
    unshared, tv = 1 - float(shared.sum()), rpw.total_variation(x, x, a, b)
    full, cost = rpw.wasserstein(x, x, a, b, p=2), _cost(ours.plan, x, x)
    verdicts = [
        _equal("TV is the mass that is not shared (hatched in ii)", unshared, tv),
        _equal("W_2 is the cost of moving all the mass (iii)", _cost(whole.plan, x, x), full),
        _equal("RPW_{2,1} leaves ε behind, and moves the rest at cost ε (iv)", cost, ours.distance),
        _equal("The mass left behind (hatched in iv) is RPW itself", float(ours.unmatched_a.sum()), ours.distance),
    ]
    rows = [[float(x[i]), *map(float, (a[i], b[i], ours.unmatched_a[i], ours.unmatched_b[i]))] for i in range(len(x))]
    caption = (
        f"(i) The measures. (ii) TV = {tv:.3f}: the mass that is not shared. (iii) W2 = {full:.3f}: all mass moves. "
        f"(iv) RPW(2,1) = {ours.distance:.3f}: the hatched mass is left behind, the rest moves."
    )
    header = ["x", "mu", "nu", "left_of_mu", "left_of_nu"]
    drawing = Drawing("figure-1", _draw_figure_1(x, a, b, whole.plan, ours), caption)
    return Exhibit(RULE, verdicts, [Table("masses", header, rows)], [drawing])


def _cost(plan: Any, x: Array, y: Array, p: float = 2.0) -> float:
    listed = plan.tocoo()
    i, j = listed.coords
    apart = np.abs(x[i] - y[j]) if x.ndim == 1 else np.linalg.norm(x[i] - y[j], axis=1)
    return float((listed.data * apart**p).sum() ** (1 / p))


def _equal(statement: str, drawn: float, computed: float) -> Verdict:
    answer = YES if abs(drawn - computed) <= ROUNDING else NO
    return Verdict(statement, f"{drawn:.6f} and {computed:.6f}", answer)


def _draw_figure_1(x: Array, a: Array, b: Array, plan: Any, ours: rpw.Result) -> Figure:

    figure = new_figure(10.4, 7.0)
    axes = figure.subplots(2, 2, sharex=True, sharey=True).ravel()
    titles = ("(i) two measures", "(ii) TV: what is not shared", "(iii) W2: all mass moves", "(iv) RPW(2,1)")
    for ax, title in zip(axes, titles, strict=True):
        for masses, colour, label in ((a, FIRST, "μ"), (b, SECOND, "ν")):
            ax.fill_between(x, masses, step="mid", color=colour, alpha=0.3, lw=0, label=label)
        ax.set_ylim(-0.06, 1.08 * max(a.max(), b.max()))
        finish(ax, title, "position x", "mass of each of 60 points")
        ax.tick_params(labelbottom=True, labelleft=True)
        ax.set_yticks([0, 0.05, 0.1])
    edges = np.arange(len(x) + 1) / len(x)
    green: dict[str, Any] = {"fill": True, "fc": GREEN, "alpha": 0.6, "lw": 0, "hatch": "////", "ec": "white"}
    axes[1].stairs(np.maximum(a, b), edges, baseline=np.minimum(a, b), **green)
    for ax, drawn in ((axes[2], plan), (axes[3], ours.plan)):
        _arcs(ax, drawn, x)
    for masses, left in ((a, ours.unmatched_a), (b, ours.unmatched_b)):
        axes[3].stairs(masses, edges, baseline=masses - left, **green)
    moves = Line2D([], [], color="0.25", lw=1, label="arcs: mass moves")
    stays, apart = (
        Patch(fc=GREEN, alpha=0.6, hatch="////", ec="white", label=label)
        for label in ("hatched: left behind", "hatched: not shared")
    )
    explained: list[list[Any]] = [[], [apart], [moves], [moves, stays]]
    for ax, marks in zip(axes, explained, strict=True):
        legend(ax, *marks, loc="upper right", fontsize=9)
    return figure


def _arcs(ax: Axes, plan: Any, x: Array) -> None:
    """An arc below the axis for each move, from its start to its end."""
    listed = plan.tocoo()
    for i, j, mass in zip(*listed.coords, listed.data, strict=True):
        if i != j:
            across = np.linspace(x[i], x[j], 12)
            bow = -0.055 * np.sqrt(abs(x[i] - x[j])) * np.sin(np.pi * np.linspace(0, 1, 12))
            ax.plot(across, bow, color="0.25", lw=0.3 + 60 * float(mass), alpha=0.6)


def common_mass(into: Any, out_of: Any) -> Array:
    """The mass at each point of the middle measure that both plans use: the smaller of inflow and outflow."""
    return np.asarray(np.minimum(into.toarray().sum(axis=0), out_of.toarray().sum(axis=1)))


def figure_3(*, seed: int) -> Exhibit:
    """Three clouds; each of the outer two has points that the middle one lacks."""
    rng = np.random.default_rng([seed, 81])
    shape = rng.normal(size=(24, 2)) * 0.05
    clouds = [shape + [centre, 0.5] + rng.normal(size=shape.shape) * 0.01 for centre in (0.44, 0.5, 0.56)]
    clouds[0][:3] += [0.0, 0.3]
    clouds[2][-4:] -= [0.0, 0.3]
    first, middle, second = clouds
    one = rpw.solve(first, middle, p=2, k=1, diameter=1)
    two = rpw.solve(middle, second, p=2, k=1, diameter=1)
    whole = rpw.distance(first, second, p=2, k=1, diameter=1)
    common = float(common_mass(one.plan, two.plan).sum())
    least = 1 - one.distance - two.distance
    verdicts = [
        _at_least("The mass that both plans share is at least 1 - ε₁ - ε₂", common, least),
        _at_least("RPW(μ, ν) ≤ ε₁ + ε₂", one.distance + two.distance, whole),
    ]
    caption = (
        f"From μ to κ: ε₁ = {one.distance:.3f}. From κ to ν: ε₂ = {two.distance:.3f}. From μ to ν directly: "
        f"{whole:.3f}. Both plans use the mass {common:.3f} of κ."
    )
    rows = [["epsilon_1", one.distance], ["epsilon_2", two.distance], ["common", common], ["mu_to_nu", whole]]
    drawing = Drawing("figure-3", _draw_figure_3(clouds, one, two), caption)
    return Exhibit(RULE, verdicts, [Table("numbers", ["what", "value"], rows)], [drawing])


def _at_least(statement: str, larger: float, smaller: float) -> Verdict:
    return Verdict(statement, f"{larger:.6f} and {smaller:.6f}", YES if larger >= smaller - ROUNDING else NO)


def _draw_figure_3(clouds: list[Array], one: rpw.Result, two: rpw.Result) -> Figure:

    figure = new_figure(10.4, 5.6)
    ax = figure.add_subplot()
    apart = 0.35
    shown = [cloud + np.array([offset, 0.0]) for cloud, offset in zip(clouds, (-apart, 0.0, apart), strict=True)]
    for plan, start, end, colour in ((one.plan, shown[0], shown[1], FIRST), (two.plan, shown[1], shown[2], SECOND)):
        listed = plan.tocoo()
        for i, j in zip(*listed.coords, strict=True):
            ax.plot(*np.stack([start[i], end[j]]).T, color=colour, lw=0.8, alpha=0.55)
    common = common_mass(one.plan, two.plan) * len(clouds[1])
    for cloud, left in ((shown[0], one.unmatched_a), (shown[2], two.unmatched_b)):
        kept = 1 - np.asarray(left) * len(cloud)
        stays = cloud[kept < 1 - ROUNDING]
        ax.scatter(stays[:, 0], stays[:, 1], s=45, color=GREEN, marker="D")
        ax.scatter(cloud[:, 0], cloud[:, 1], s=45 * np.maximum(kept, 0), color="0.3")
    ax.scatter(shown[1][:, 0], shown[1][:, 1], s=45, color="0.75", marker="s")
    ax.scatter(shown[1][:, 0], shown[1][:, 1], s=45 * common, color=PURPLE, marker="s")
    for cloud, name in zip(shown, ("μ", "κ", "ν"), strict=True):
        ax.text(float(np.median(cloud[:, 0])), 0.93, name, ha="center", fontsize=14)
    ax.set_ylim(0.02, 0.99)
    ax.set_aspect("equal")
    title = f"The plans from μ to κ and from κ to ν; the clouds are drawn {apart:g} apart"
    finish(ax, title, "x (μ moved to the left, ν to the right)", "y")
    dot: dict[str, Any] = {"ls": "none", "ms": 7}
    legend(
        ax,
        Line2D([], [], color=FIRST, lw=1, label="plan from μ to κ"),
        Line2D([], [], color=SECOND, lw=1, label="plan from κ to ν"),
        Line2D([], [], marker="o", color="0.3", label="mass that a plan uses", **dot),
        Line2D([], [], marker="D", color=GREEN, label="left behind", **dot),
        Line2D([], [], marker="s", color=PURPLE, label="mass of κ that both plans use", **dot),
        Line2D([], [], marker="s", color="0.75", label="the rest of κ", **dot),
        loc="lower left",
        ncols=2,
    )
    return figure


def cells_plan(a: Array, b: Array, x: Array, y: Array, side: float) -> Array:
    """The matrix of a plan that moves as much mass as possible inside each cell, in proportion to the masses there."""
    moved = np.zeros((len(x), len(y)))
    own, other = (np.floor(points / side + 1e-9).astype(int) for points in (x, y))
    for cell in np.unique(own, axis=0):
        i, j = np.flatnonzero((own == cell).all(axis=1)), np.flatnonzero((other == cell).all(axis=1))
        mass = min(a[i].sum(), b[j].sum())
        if mass > 0:
            moved[np.ix_(i, j)] = np.outer(a[i] / a[i].sum(), b[j] / b[j].sum()) * mass
    return moved


def figure_4(*, seed: int, points: int = 60, fine: int = 8, coarse: int = 4) -> Exhibit:
    """A sample of the uniform distribution on a square of diameter 1, and two aligned grids."""
    rng = np.random.default_rng([seed, 82])
    per_cell = 2  # middles across a fine cell, which stand for the uniform distribution
    m = fine * per_cell
    scale = 1 / math.sqrt(2)
    y = scale * (np.indices((m, m)).reshape(2, -1).T + 0.5) / m
    x = scale * rng.random((points, 2))
    a, b = np.full(points, 1 / points), np.full(len(y), 1 / len(y))
    first = cells_plan(a, b, x, y, scale / fine)
    second = cells_plan(a - first.sum(axis=1), b - first.sum(axis=0), x, y, scale / coarse)
    both = first + second
    cost = float((both * ((x[:, None] - y[None]) ** 2).sum(axis=2)).sum() ** 0.5)
    left = 1 - float(both.sum())
    held = np.floor(coarse * x / scale).astype(int) @ [coarse, 1]
    excess = float(np.maximum(1 / coarse**2 - np.bincount(held, minlength=coarse**2) / points, 0).sum())
    value = rpw.distance(x, y, p=2, k=1, diameter=1)
    verdicts = [
        _equal("What γ leaves is the excess of the coarse grid", left, excess),
        _at_least("RPW_{2,1} ≤ max(mass left, cost of γ)", max(left, cost), value),
    ]
    rows = [["moved_by_gamma_1", float(first.sum())], ["moved_by_gamma_2", float(second.sum())], ["left", left]]
    rows += [["cost", cost], ["rpw", value]]
    caption = (
        f"(a) The uniform distribution and a sample of {points}. (b) γ₁ moves {first.sum():.3f} inside fine cells. "
        f"(c) γ₂ moves {second.sum():.3f} of the rest inside coarse ones. (d) Their sum leaves {left:.3f} behind and "
        f"costs {cost:.3f}."
    )
    drawing = Drawing("figure-4", _draw_figure_4(x, y, (first, second), (fine, coarse)), caption)
    return Exhibit(RULE, verdicts, [Table("numbers", ["what", "value"], rows)], [drawing])


def _draw_figure_4(x: Array, y: Array, plans: tuple[Array, Array], grids: tuple[int, int]) -> Figure:

    figure = new_figure(9.0, 10.0)
    axes = figure.subplots(2, 2).ravel()
    side = 1 / math.sqrt(2)
    panels: list[tuple[str, list[tuple[Array, str]], int]] = [
        ("(a) μ and a sample", [], 0),
        ("(b) γ₁, fine cells", [(plans[0], FIRST)], grids[0]),
        ("(c) γ₂, coarse cells", [(plans[1], GREEN)], grids[1]),
        ("(d) γ = γ₁ + γ₂", [(plans[0], FIRST), (plans[1], GREEN)], 0),
    ]
    for ax, (title, shown, cells) in zip(axes, panels, strict=True):
        ax.fill_between([0, side], 0, side, color="0.92", lw=0)
        for tick in np.linspace(0, side, cells + 1)[1:-1]:
            ax.axhline(tick, color="0.7", lw=0.6)
            ax.axvline(tick, color="0.7", lw=0.6)
        for plan, colour in shown:
            i, j = np.nonzero(plan > 1e-12)
            lines = np.stack([x[i], y[j]], axis=1)
            ax.plot(*lines.transpose(2, 1, 0), color=colour, lw=0.35, alpha=0.5)
        ax.plot(*x.T, "o", color=SECOND, ms=4)
        ax.set(xlim=(0, side), ylim=(0, side), title=title, xlabel="x", ylabel="y")
        ax.set_aspect("equal")
    marks = [
        Patch(color="0.92", label="grey: μ, uniform"),
        Line2D([], [], marker="o", ls="none", color=SECOND, ms=5, label="points of the sample"),
        Line2D([], [], color=FIRST, lw=1, label="γ₁ moves inside fine cells"),
        Line2D([], [], color=GREEN, lw=1, label="γ₂ moves the rest inside coarse cells"),
    ]
    figure.legend(handles=marks, loc="outside lower center", ncols=2, frameon=False)
    return figure
