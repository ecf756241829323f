"""Texts, rows and tables as lines that fit the terminal. A line never ends within a number, at any width from 40 on."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence

import typer
from rich.cells import cell_len

__all__ = ["WIDTH", "folded", "row_lines", "table_lines", "terminal_width"]

WIDTH = 80
_LEAST = 32
_GAP = "  "
_LEAST_COLUMN = 9  # columns of words get no narrower: "together)" is a word of ours

_NUMBER = re.compile(r"[+-]?\d[\d.,]*(e[+-]?\d+)?")
_PIECE = re.compile(r"[+-]?\d(?:[\d.,:+–-]|e(?=[+-]?\d))*|.", re.DOTALL)  # a number, a range or a date; or one sign

Rows = Sequence[tuple[str, str]]
Cells = Sequence[Sequence[str]]


def terminal_width() -> int:
    """How many signs a line may have."""
    return max(_LEAST, min(shutil.get_terminal_size().columns, WIDTH))


def folded(text: str, width: int) -> list[str]:
    """The lines of a text: they end at blanks, and within a word only if it is longer than a line."""
    lines = [""]
    for word in text.split(" "):
        pieces = _pieces(word, width)
        needed = cell_len(lines[-1]) + 1 + cell_len(pieces[0])
        if lines[-1] and needed <= width:
            lines[-1] += " "
        elif lines[-1]:
            lines.append("")
        for piece in pieces:
            if lines[-1] and cell_len(lines[-1]) + cell_len(piece) > width:
                lines.append("")
            lines[-1] += piece
    return lines


def _pieces(word: str, width: int) -> list[str]:
    """What stays on one line: the word, or its numbers if it does not fit, or signs if a number does not fit either."""
    if cell_len(word) <= width:
        return [word]
    return [part for found in _PIECE.findall(word) for part in ([found] if len(found) <= width else found)]


def row_lines(rows: Rows, width: int) -> list[str]:
    """Names and what they are, in two columns."""
    column = max((cell_len(name) for name, _ in rows), default=0)
    return [
        _padded("" if place else name, column, bold=True) + _GAP + line
        for name, entry in rows
        for place, line in enumerate(folded(entry, width - column - len(_GAP)))
    ]


def table_lines(header: Sequence[str], rows: Cells, width: int) -> list[str]:
    """A table with a header, numbers to the right; below each other, as names and entries, where it does not fit."""
    columns = [list(column) for column in zip(header, *rows, strict=True)]
    widths = _widths(columns, width - len(_GAP) * (len(columns) - 1))
    if widths is None:
        blocks = ([pair for pair in zip(header, row, strict=True) if pair[1]] for row in rows)
        return [line for block in blocks for line in [*row_lines(block, width), ""]][:-1]
    to_the_right = [all(map(_NUMBER.fullmatch, column[1:])) for column in columns]
    lines = []
    for row in [header, *rows]:
        cells = [folded(cell, each) for cell, each in zip(row, widths, strict=True)]
        for place in range(max(map(len, cells))):
            parts = [cell[place] if place < len(cell) else "" for cell in cells]
            lines.append(
                _GAP.join(
                    _padded(part, each, to_right, bold=row is header)
                    for part, each, to_right in zip(parts, widths, to_the_right, strict=True)
                )
            )
    return lines


def _widths(columns: Cells, room: int) -> list[int] | None:
    """The widths of the columns, the widest ones made narrower until all fit; None if that would break a number."""
    widths = [max(map(cell_len, column)) for column in columns]
    least = [max(_LEAST_COLUMN, *(len(part) for cell in column for part in _PIECE.findall(cell))) for column in columns]
    while sum(widths) > room:
        wide = [place for place, each in enumerate(widths) if each > least[place]]
        if not wide:
            return None
        widths[max(wide, key=widths.__getitem__)] -= 1
    return widths


def _padded(text: str, width: int, to_right: bool = False, *, bold: bool = False) -> str:
    blanks = " " * (width - cell_len(text))
    shown = typer.style(text, bold=True) if bold and text else text
    return blanks + shown if to_right else shown + blanks
