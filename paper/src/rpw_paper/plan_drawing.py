"""The plan between two grey pictures as an SVG: what moved, what kept its pixel, what was left behind."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

import rpw
from rpw.images import pixel_grid
from rpw_paper.base import Array

FIRST, SECOND = "#0072b2", "#d55e00"  # blue and orange, which most eyes tell apart
_DARK_FIRST, _DARK_SECOND = "#00395a", "#7a2b00"  # the marks stand out from the pixels
_SMALLEST_SHOWN = 1e-4  # of the mass: what is less would be invisible


@dataclass(frozen=True, eq=False)
class PlanOfPictures:
    """Masses on the pixels of two pictures (each h, w), the plan between pixels, and what it leaves behind.

    ``start``, ``end`` (pixels, counted row by row) and ``mass`` list the plan.
    """

    first: Array
    second: Array
    start: npt.NDArray[Any]
    end: npt.NDArray[Any]
    mass: Array
    left_first: Array
    left_second: Array
    distance: float

    @property
    def kept(self) -> float:
        return float(self.mass[self.start == self.end].sum())

    @property
    def moved(self) -> float:
        return float(self.mass[self.start != self.end].sum())


def plan_between(first: npt.NDArray[Any], second: npt.NDArray[Any], p: float, k: float) -> PlanOfPictures:
    """Solve for two grey pictures of one size."""
    a, b = (np.asarray(picture, dtype=np.float64) / picture.sum() for picture in (first, second))
    grid = pixel_grid(*a.shape)
    result = rpw.solve(grid, grid, a.ravel(), b.ravel(), p=p, k=k)
    plan = result.plan.tocoo()
    start, end = plan.coords
    left = (result.unmatched_a.reshape(a.shape), result.unmatched_b.reshape(b.shape))
    return PlanOfPictures(a, b, start, end, plan.data, *left, result.distance)


def draw_plan(plan: PlanOfPictures) -> str:
    """Both pictures over each other, lines for what moved, rings and squares for what was left behind."""
    height, width = plan.first.shape
    largest = max(float(plan.left_first.max()), float(plan.left_second.max()), float(plan.mass.max(initial=0.0)))
    return (
        f'<svg class="overlay" role="img" viewBox="0 0 {width} {height}" '
        'aria-label="Both pictures over each other, with the plan between them">'
        f"{_cells(plan.first, FIRST)}{_cells(plan.second, SECOND)}{_lines(plan, largest)}"
        f"{_rings(plan.left_first, largest)}{_squares(plan.left_second, largest)}</svg>"
    )


def _cells(picture: Array, colour: str) -> str:
    """The pixels, the stronger the more mass; the second largest value is full, for the largest may be noise."""
    values = np.sort(picture.ravel())
    full = float(values[-2] if len(values) > 1 and values[-2] > 0 else values[-1])
    cells = "".join(
        f'<rect x="{c}" y="{r}" width="1" height="1" fill-opacity="{0.6 * min(picture[r, c] / full, 1):.2f}"/>'
        for r, c in np.argwhere(picture > 0)
    )
    return f'<g class="cells" fill="{colour}">{cells}</g>'


def _lines(plan: PlanOfPictures, largest: float) -> str:
    """From the pixel that gives to a dot on the one that takes; as wide as the square root of the mass."""
    width = plan.first.shape[1]
    parts = []
    for i, j, mass in zip(plan.start, plan.end, plan.mass, strict=True):
        if i == j or mass < _SMALLEST_SHOWN:
            continue
        (y1, x1), (y2, x2) = divmod(int(i), width), divmod(int(j), width)
        thick = 0.22 * float(np.sqrt(mass / largest))
        parts.append(
            f'<line x1="{x1 + 0.5}" y1="{y1 + 0.5}" x2="{x2 + 0.5}" y2="{y2 + 0.5}" stroke-width="{thick:.3f}"/>'
            f'<circle cx="{x2 + 0.5}" cy="{y2 + 0.5}" r="{max(thick, 0.08):.3f}"/>'
        )
    return f'<g class="moved">{"".join(parts)}</g>'


def _rings(left: Array, largest: float) -> str:
    marks = "".join(f'<circle cx="{c + 0.5}" cy="{r + 0.5}" r="{size:.3f}"/>' for r, c, size in _marks(left, largest))
    return f'<g class="left" stroke="{_DARK_FIRST}">{marks}</g>'


def _squares(left: Array, largest: float) -> str:
    marks = "".join(
        f'<rect x="{c + 0.5 - size:.3f}" y="{r + 0.5 - size:.3f}" width="{2 * size:.3f}" height="{2 * size:.3f}"/>'
        for r, c, size in _marks(left, largest)
    )
    return f'<g class="left" stroke="{_DARK_SECOND}">{marks}</g>'


def _marks(left: Array, largest: float) -> list[tuple[int, int, float]]:
    """Row, column and half the size of a mark, by the square root of the mass; no larger than a pixel."""
    shown = np.argwhere(left > _SMALLEST_SHOWN)
    return [(int(r), int(c), 0.46 * float(np.sqrt(left[r, c] / largest))) for r, c in shown]
