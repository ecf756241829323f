"""What notebooks show: small tables and drawings in plain HTML and SVG. All text is escaped; nothing runs."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from rpw.base.check import Array

__all__ = ["curve", "facts"]

_WIDTH, _HEIGHT, _MARGIN = 220.0, 120.0, 6.0


def facts(title: str, rows: Iterable[tuple[str, str]], drawing: str = "") -> str:
    """A table of two columns, with a drawing beside it; both keep the colours of the notebook."""
    lines = "".join(
        f'<tr><th scope="row" style="text-align:left">{escape(name)}</th>'
        f'<td style="text-align:left">{escape(value)}</td></tr>'
        for name, value in rows
    )
    caption = f'<caption style="text-align:left"><b>{escape(title)}</b></caption>'
    return (
        '<div style="display:flex;flex-wrap:wrap;gap:1em;align-items:center">'
        f"<table>{caption}<tbody>{lines}</tbody></table>{drawing}</div>"
    )


def curve(x: Array, y: Array, name: str, lower: Array | None = None) -> str:
    """A line through points of growing x, from 0 up, with its axes; with ``lower``, a second, and a band between."""
    tallest = float(y.max())
    line = _points(x, y, tallest)
    low, right = _HEIGHT - _MARGIN, _WIDTH - _MARGIN
    below = "" if lower is None else _band(line, _points(x, lower, tallest))
    return (
        f'<svg role="img" aria-label="{escape(name)}" width="{_WIDTH:g}" height="{_HEIGHT:g}">'
        f'<path d="M{_MARGIN:g} {_MARGIN:g}V{low:g}H{right:g}" fill="none" stroke="currentColor" opacity="0.4"/>'
        f'{below}<polyline points="{" ".join(line)}" fill="none" stroke="#1f77b4" stroke-width="2"/></svg>'
    )


def _points(x: Array, y: Array, tallest: float) -> list[str]:
    across, up = _scaled(x, float(x.max()), _WIDTH), _scaled(y, tallest, _HEIGHT)
    return [f"{u:.1f},{_HEIGHT - v:.1f}" for u, v in zip(across, up, strict=True)]


def _band(upper: list[str], lower: list[str]) -> str:
    """What lies between two lines, and the lower one of them."""
    return (
        f'<path d="M{" ".join([*upper, *reversed(lower)])}Z" fill="#1f77b4" opacity="0.2"/>'
        f'<polyline points="{" ".join(lower)}" fill="none" stroke="#1f77b4" stroke-width="1"/>'
    )


def _scaled(values: Array, largest: float, side: float) -> Array:
    """Values from 0 to ``largest`` as lengths inside the margins of a side."""
    return _MARGIN + (side - 2 * _MARGIN) * (values / largest if largest > 0 else values)
