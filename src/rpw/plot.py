"""Pictures (needs matplotlib: ``pip install 'rpw[plot]'``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rpw._profile import Profile

__all__ = ["plot_profile"]


def plot_profile(profile: Profile, ax: Axes | None = None, k: float | None = None) -> Axes:
    """Draw the OT-profile W_{p,α} over α and, with ``k``, its crossing with the line kΔ(1 - α)."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install 'rpw[plot]'") from error
    if ax is None:
        _, ax = pyplot.subplots(figsize=(6, 4), layout="constrained")
    masses = np.union1d(np.linspace(0, 1, 401), profile.mass)
    ax.plot(masses, profile(masses), color="tab:blue", label=f"OT-profile $W_{{{_exponent(profile.p)},\\alpha}}$")
    if k is not None:
        _draw_crossing(profile, ax, k)
    ax.set(xlabel="mass moved, $\\alpha$", ylabel="cost of moving it, $W$", xlim=(0, 1), ylim=(0, None))
    ax.legend(frameon=False, loc="upper left")
    return ax


def _draw_crossing(profile: Profile, ax: Axes, k: float) -> None:
    distance = profile.distance(k)
    height = k * profile.diameter
    ax.plot([0, 1], [height, 0], color="tab:orange", label=f"$k\\Delta(1-\\alpha)$, k = {k:g}")
    crossing = (1 - distance, height * distance)
    ax.plot(*crossing, "o", color="black")
    box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1.5}
    ax.annotate(f"RPW = {distance:.4g}", crossing, (-10, 22), textcoords="offset points", ha="right", bbox=box)
    ax.axvspan(1 - distance, 1, color="tab:orange", alpha=0.12, lw=0)
    ax.set_ylim(0, 1.15 * max(float(profile(1.0)), height * distance) or None)


def _exponent(p: float) -> str:
    return "\\infty" if np.isinf(p) else f"{p:g}"
