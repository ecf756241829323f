"""Small pictures of columns, in SVG. Colours come from the page, so they follow its light or dark scheme."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from rpw.base.check import Array
from rpw.stats.tables.glance import Glance

__all__ = ["bars_of_moves", "draw_glance", "draw_profiles"]

_WIDTH, _HEIGHT = 190, 46
_LINE, _NAMES = 14, 84  # of categories: the height of a line, and the room for a name
_LONGEST_NAME = 13


def draw_glance(glance: Glance, name: str) -> str:
    """The shares of both tables: bins of numbers as areas, categories as pairs of bars."""
    return _areas(glance, name) if glance.is_ordered else _bars(glance, name)


def _areas(glance: Glance, name: str) -> str:
    tallest = max(float(glance.reference.max()), float(glance.current.max()))
    low, high = (escape(end) for end in glance.names)
    base = _HEIGHT + 14
    return (
        f'<svg role="img" aria-label="{escape(name)}" viewBox="0 0 {_WIDTH} {base}" width="{_WIDTH}" height="{base}">'
        f'<path class="ref area" d="{_steps(glance.reference, tallest)}V{_HEIGHT}H0Z"/>'
        f'<path class="cur line" d="{_steps(glance.current, tallest)}V{_HEIGHT}"/>'
        f'<path class="axis" d="M0 {_HEIGHT}H{_WIDTH}"/>'
        f'<text x="0" y="{base - 2}">{low}</text>'
        f'<text x="{_WIDTH}" y="{base - 2}" text-anchor="end">{high}</text></svg>'
    )


def _steps(shares: Array, tallest: float) -> str:
    """From the lower left corner over all bins, whose tops are flat."""
    tops = _HEIGHT - (_HEIGHT - 2) * shares / tallest
    ends = np.linspace(0, _WIDTH, len(shares) + 1)[1:]
    return f"M0 {_HEIGHT}" + "".join(f"V{top:.1f}H{end:.1f}" for top, end in zip(tops, ends, strict=True))


def _bars(glance: Glance, name: str) -> str:
    longest = max(float(glance.reference.max()), float(glance.current.max()))
    room, height = _WIDTH - _NAMES, _LINE * len(glance.names) + 2
    lines = []
    for place, (label, here, there) in enumerate(zip(glance.names, glance.reference, glance.current, strict=True)):
        top = _LINE * place
        lines.append(
            f'<text x="0" y="{top + 11}">{escape(_shortened(label))}</text>'
            f'<rect class="ref area" x="{_NAMES}" y="{top + 2}" width="{room * here / longest:.1f}" height="5"/>'
            f'<rect class="cur fill" x="{_NAMES}" y="{top + 7}" width="{room * there / longest:.1f}" height="5"/>'
        )
    return (
        f'<svg role="img" aria-label="{escape(name)}" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" '
        f'height="{height}">{"".join(lines)}</svg>'
    )


def _shortened(label: str) -> str:
    return label if len(label) <= _LONGEST_NAME else f"{label[: _LONGEST_NAME - 1]}…"


def draw_profiles(profiles: Sequence[tuple[Array, Array]], k: float, distance: float) -> str:
    """The cost of moving the rest over the share that stays: observed, of random splits, and the price of staying."""
    width, height, left, below = 560.0, 260.0, 52.0, 40.0
    farthest = min(1.0, 2.5 * distance) or 1.0  # equal tables have a picture too
    tallest = max(k * farthest, 1e-300) * 1.15

    def place(share: float, cost: float) -> str:
        return f"{left + (width - left) * share / farthest:.1f},{height * (1 - cost / tallest):.1f}"

    def line(shares: Array, costs: Array, kind: str) -> str:
        order = np.argsort(shares, kind="stable")
        shares, costs = shares[order], costs[order]
        grid = np.linspace(0.0, farthest, 200)
        found = np.sqrt(np.interp(grid, shares, costs**2))  # the square is a polyline
        points = " ".join(place(share, cost) for share, cost in zip(grid.tolist(), found.tolist(), strict=True))
        return f'<polyline class="{kind}" points="{points}"/>'

    random = "".join(line(shares, costs, "null") for shares, costs in profiles[1:])
    crossing = place(distance, k * distance).split(",")
    bottom = height + below
    return (
        f'<svg class="wide" role="img" aria-label="profiles" viewBox="0 0 {width:g} {bottom:g}">'
        f'<clipPath id="frame"><rect x="{left:g}" y="0" width="{width - left:g}" height="{height:g}"/></clipPath>'
        f'<g clip-path="url(#frame)">{random}{line(*profiles[0], "cur line")}'
        f'<polyline class="price" points="{place(0, 0)} {place(farthest, k * farthest)}"/></g>'
        f'<path class="axis" d="M{left:g} 0V{height:g}H{width:g}"/>'
        f'<circle class="cur fill" cx="{crossing[0]}" cy="{crossing[1]}" r="4"/>'
        f'<text x="{left:g}" y="{height + 16:g}" text-anchor="middle">0</text>'
        f'<text x="{width:g}" y="{height + 16:g}" text-anchor="end">{farthest:.3g}</text>'
        f'<text x="{(left + width) / 2:g}" y="{height + 32:g}" text-anchor="middle">share of rows left behind</text>'
        f'<text x="{left - 4:g}" y="12" text-anchor="end">{tallest:.2g}</text>'
        f'<text transform="translate({left - 20:g} {height / 2:g}) rotate(-90)" text-anchor="middle">cost, in widths '
        "of the middle half</text>"
        f'<text x="{left - 4:g}" y="{height:g}" text-anchor="end">0</text></svg>'
    )


def bars_of_moves(columns: Sequence[str], shares: Array, moves: Array, most: int = 10) -> str:
    """Which columns make up the cost of the plan: a bar each, the largest first."""
    lines = []
    for place in np.argsort(-shares, kind="stable")[:most].tolist():
        lines.append(
            f'<tr><th scope="row">{escape(columns[place])}</th><td class="bar"><svg viewBox="0 0 100 8" '
            f'preserveAspectRatio="none" role="img" aria-label="{shares[place]:.0%}"><rect class="cur fill" width="'
            f'{100 * shares[place]:.1f}" height="8"/></svg></td><td>{shares[place]:.0%}</td>'
            f"<td>{moves[place]:+.3g}</td></tr>"
        )
    return "".join(lines)
