"""What a part shows: verdicts, tables and figures; how it lies in a folder, and how it is read back.

``part.json`` is written last, and whole or not at all. A part is finished when it is there, was made from the same
facts, and every file that it names is there too; else the part is made again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rpw.experiments.files import as_cell, write_csv, write_figure, write_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "NO",
    "NOT_RUN",
    "OPEN",
    "YES",
    "Drawing",
    "Exhibit",
    "Finished",
    "Table",
    "Verdict",
    "read_part",
    "write_part",
]

YES, NO, OPEN, NOT_RUN = "yes", "no", "not decided", "not run"


@dataclass(frozen=True)
class Verdict:
    """A statement, what was found, and the answer by the rule of its part."""

    statement: str
    found: str
    answer: str

    def __post_init__(self) -> None:
        if self.answer not in (YES, NO, OPEN, NOT_RUN):
            raise ValueError(f"answer must be one of {YES}, {NO}, {OPEN}, {NOT_RUN}, got {self.answer!r}")


@dataclass(frozen=True, eq=False)
class Table:
    """A CSV file; with a caption, the page shows it too."""

    name: str
    header: Sequence[str]
    rows: Sequence[Sequence[Any]]
    caption: str = ""


@dataclass(frozen=True, eq=False)
class Drawing:
    """A figure, and what it shows."""

    name: str
    figure: Figure
    caption: str


@dataclass(frozen=True, eq=False)
class Exhibit:
    """All that a part found. ``rule`` says how its verdicts come about."""

    rule: str
    verdicts: Sequence[Verdict]
    tables: Sequence[Table] = ()
    drawings: Sequence[Drawing] = ()


@dataclass(frozen=True)
class Finished:
    """A part that was read back: tables as texts, figures as the names of SVG files in the folder."""

    folder: Path
    rule: str
    verdicts: tuple[Verdict, ...]
    tables: tuple[dict[str, Any], ...] = ()
    drawings: tuple[dict[str, str], ...] = ()
    files: tuple[str, ...] = field(default=())


def write_part(exhibit: Exhibit, folder: Path, facts: Mapping[str, Any]) -> Finished:
    """Write the files of a part, ``part.json`` last."""
    files = []
    for table in exhibit.tables:
        files.append(write_csv(folder / f"{table.name}.csv", table.header, table.rows).name)
    for drawing in exhibit.drawings:
        files += [path.name for path in write_figure(drawing.figure, folder / drawing.name)]
    shown = [table for table in exhibit.tables if table.caption]
    text = {
        "facts": dict(facts),
        "rule": exhibit.rule,
        "verdicts": [[each.statement, each.found, each.answer] for each in exhibit.verdicts],
        "tables": [
            {
                "name": table.name,
                "caption": table.caption,
                "header": list(table.header),
                "rows": [[_shown(value) for value in row] for row in table.rows],
            }
            for table in shown
        ],
        "drawings": [{"name": drawing.name, "caption": drawing.caption} for drawing in exhibit.drawings],
        "files": files,
    }
    write_text(folder / "part.json", json.dumps(text, indent=1, sort_keys=True) + "\n")
    found = read_part(folder, facts)
    assert found is not None, f"{folder} was just written"
    return found


def _shown(value: Any) -> str:
    """Four digits of a number on the page; the file beside it has more."""
    if not isinstance(value, float):
        return as_cell(value)
    return "–" if value != value else f"{value:.4g}"


def read_part(folder: Path, facts: Mapping[str, Any]) -> Finished | None:
    """The part that lies there, if it is whole and was made from these facts."""
    try:
        text = json.loads((folder / "part.json").read_text(encoding="utf-8"))
        found = Finished(
            folder,
            text["rule"],
            tuple(Verdict(*each) for each in text["verdicts"]),
            tuple(text["tables"]),
            tuple(text["drawings"]),
            tuple(text["files"]),
        )
        made_from = text["facts"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    is_whole = all((folder / name).is_file() for name in found.files)
    return found if is_whole and made_from == json.loads(json.dumps(dict(facts))) else None
