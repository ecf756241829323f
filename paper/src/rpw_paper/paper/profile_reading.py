"""Figure 2: distances are read off the OT-profile α ↦ W_{p,α}.

    RPW_{p,k} = 1 - x*, if the line y = k(1 - x) meets the profile at x*;
    TV = 1 - (the largest α with W_{p,α} = 0);    W_p = the profile at α = 1, and W_p/k once k is large.

Each reading is compared with the distance that is computed separately.
"""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import rpw
from rpw_paper.drawing import COLOURS, GUIDE, MARKERS, finish, legend
from rpw_paper.files import new_figure
from rpw_paper.paper.exhibit import NO, OPEN, YES, Drawing, Exhibit, Table, Verdict

P = 2
PRICES = (0.25, 1.0, 4.0)
LARGE = (10.0, 100.0, 1000.0)
ROUNDING = 1e-9
CLOSE = 0.02
RULE = (
    f"Yes: the reading and the distance that is computed separately differ by at most {ROUNDING:g}. No: by more. For a "
    f"large k: yes if RPW comes closer to W_2/k with every k and is within {CLOSE:.0%} at the largest; if not, open."
)


def two_measures(seed: int) -> tuple[rpw.Measure, rpw.Measure]:
    """Masses on a 6 × 6 grid of diameter 1: half of the mass is shared, a bit lies far off."""
    rng = np.random.default_rng([seed, 70])
    grid = np.indices((6, 6)).reshape(2, -1).T / (5 * np.sqrt(2))
    shared, own, other = rng.random((3, len(grid)))
    other[-6:] += 4  # in the last column, away from the others
    first, second = (0.5 * shared / shared.sum() + 0.5 * extra / extra.sum() for extra in (own, other))
    return rpw.Measure(grid, first), rpw.Measure(grid, second)


def crossing(profile: rpw.Profile, k: float) -> float:
    """1 - x*, by bisection on the curve alone."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if float(profile(1 - middle)) <= k * middle:
            high = middle
        else:
            low = middle
    return high


def profile_exhibit(*, seed: int) -> Exhibit:
    """Read, and compare."""
    first, second = two_measures(seed)
    profile = rpw.profile(first, second, p=P, diameter=1)
    zero = float(profile.mass[profile.cost_p <= 0].max(initial=0.0))
    readings = [
        ("TV", 1 - zero, rpw.total_variation(first, second)),
        ("W2", float(profile(1.0)), rpw.wasserstein(first, second, p=P)),
        *((f"RPW(2,{k:g})", crossing(profile, k), rpw.distance(first, second, p=P, k=k, diameter=1)) for k in PRICES),
    ]
    whole = readings[1][2]
    limits = [(k, rpw.distance(first, second, p=P, k=k, diameter=1), whole / k) for k in LARGE]
    rows = [[name, read, computed, abs(read - computed)] for name, read, computed in readings]
    rows += [[f"RPW(2,{k:g}), beside W2/k", value, expected, abs(value - expected)] for k, value, expected in limits]
    curve = [[float(x), float(profile(x))] for x in np.linspace(0, 1, 201)]
    caption = "The profile, the lines y = k(1 - x), and the distances at their crossings."
    return Exhibit(
        RULE,
        [*(_verdict(*reading) for reading in readings), _limit(limits)],
        [
            Table(
                "readings",
                ["distance", "read", "computed", "difference"],
                rows,
                "The distance read off the profile, and the same computed separately.",
            ),
            Table("profile", ["mass", "w"], curve),
        ],
        [Drawing("profile", draw(profile, zero, readings), caption)],
    )


def _verdict(name: str, read: float, computed: float) -> Verdict:
    apart = abs(read - computed)
    return Verdict(
        f"{name} is read off the profile", f"{read:.6f} and {computed:.6f}", YES if apart <= ROUNDING else NO
    )


def _limit(limits: list[tuple[float, float, float]]) -> Verdict:
    ratios = [value / expected for _, value, expected in limits]
    is_close = ratios == sorted(ratios) and 1 - CLOSE <= ratios[-1] <= 1 + ROUNDING
    found = ", ".join(f"{ratio:.3f} at k = {k:g}" for ratio, (k, *_) in zip(ratios, limits, strict=True))
    return Verdict("RPW approaches W_2/k as k grows", f"ratio {found}", YES if is_close else OPEN)


def draw(profile: rpw.Profile, zero: float, readings: list[tuple[str, float, float]]) -> Figure:
    """The figure of the paper in our own data."""
    figure = new_figure(8.4, 5.0)
    ax = figure.add_subplot()
    x = np.linspace(0, 1, 401)
    ax.plot(x, [float(profile(each)) for each in x], color="black", lw=2, label="the profile $W_{2,α}$")
    top = 1.15 * float(profile(1.0))
    for colour, marker, k, (name, read, _) in zip(COLOURS[3:], MARKERS[3:], PRICES, readings[2:], strict=False):
        ax.plot(x, k * (1 - x), color=colour, lw=1.3)
        ax.plot([1 - read], [k * read], marker, color=colour, ms=7, label=f"crossing with y = {k:g}(1 - x)")
        _span(ax, 1 - read, k * read, f"{name} = {read:.3f}", colour)
    ax.plot([zero], [0], MARKERS[2], color=COLOURS[2], ms=7, clip_on=False, label="the profile leaves 0")
    _span(ax, zero, 0.0, f"TV = {1 - zero:.3f}", "#555555")
    end = float(profile(1.0))
    ax.plot([1], [end], MARKERS[1], color=COLOURS[1], ms=7, clip_on=False, label="the end of the profile")
    ax.annotate(f"W2 = {end:.3f}   ", (1, end), ha="right", va="bottom", fontsize=9)
    ax.plot([], [], ":", color=GUIDE, lw=1.2, label="dotted: its length is the distance")
    ax.set(xlim=(0, 1.002), ylim=(0, top))
    finish(ax, "Distances read off the profile", "mass α that moves", "cost $W_{2,α}$")
    legend(ax, loc="upper left")
    return figure


def _span(ax: Axes, left: float, height: float, text: str, colour: str) -> None:
    """From the crossing to α = 1: this length is the distance."""
    ax.plot([left, 1], [height, height], color=colour, lw=1.2, ls=":", clip_on=False)
    place: dict[str, Any] = {"textcoords": "offset points", "ha": "right", "va": "bottom", "fontsize": 9}
    ax.annotate(text, (left, height), (-9, 3), color=colour, bbox={"fc": "white", "ec": "none", "pad": 1}, **place)
