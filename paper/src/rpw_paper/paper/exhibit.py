"""What a part shows: verdicts, tables and figures; how it lies in a folder, and how it is read back.

``part.json`` is written last, and whole or not at all. It holds the digests of the other files, and one of itself. A
part is finished if it was made from the same facts and none of its files has changed. If not, the part is made again.

The answers of verdicts:

- yes, no: by the rule of the part;
- consistent: a bound on a rate is kept only thanks to the logarithm that it allows (see `rate_rule`);
- open: the measurements allow both answers;
- not significant: the same for a comparison of two distances, at 5 % after Holm's correction;
- not run: there is nothing to judge by.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from rpw_paper.claims import NOT_SIGNIFICANT
from rpw_paper.files import as_cell, write_csv, write_figure, write_text

YES, CONSISTENT, NO, OPEN, NOT_RUN = "yes", "consistent", "no", "open", "not run"
ANSWERS = (YES, CONSISTENT, NO, OPEN, NOT_SIGNIFICANT, NOT_RUN)


@dataclass(frozen=True)
class Verdict:
    """A statement, what was found, and the answer by the rule of its part."""

    statement: str
    found: str
    answer: str

    def __post_init__(self) -> None:
        if self.answer not in ANSWERS:
            raise ValueError(f"answer must be one of {', '.join(ANSWERS)}, got {self.answer!r}")


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
    """A part that was read back: tables as texts, figures as the names of SVG files in the folder.

    ``pictures`` are the digests of the data sets that it was made from; None if the pictures were not there.
    """

    folder: Path
    rule: str
    verdicts: tuple[Verdict, ...]
    tables: tuple[dict[str, Any], ...] = ()
    drawings: tuple[dict[str, str], ...] = ()
    files: tuple[str, ...] = field(default=())
    pictures: Mapping[str, str | None] = field(default_factory=dict)


def write_files(tables: Sequence[Table], figures: Mapping[str, Figure], folder: Path) -> list[Path]:
    """Each table as CSV, each figure as PNG and SVG."""
    paths = [write_csv(folder / f"{table.name}.csv", table.header, table.rows) for table in tables]
    return paths + [path for name, figure in figures.items() for path in write_figure(figure, folder / name)]


def write_part(
    exhibit: Exhibit, folder: Path, facts: Mapping[str, Any], pictures: Mapping[str, str | None] | None = None
) -> Finished:
    """Write the files of a part, ``part.json`` last."""
    paths = write_files(exhibit.tables, {each.name: each.figure for each in exhibit.drawings}, folder)
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
        "files": {path.name: _digest_of_file(path) for path in paths},
        "pictures": dict(pictures or {}),
    }
    whole = {**text, "digest": _digest_of(text)}
    write_text(folder / "part.json", json.dumps(whole, indent=1, sort_keys=True) + "\n")
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
        if text.pop("digest") != _digest_of(text) or text["facts"] != json.loads(json.dumps(dict(facts))):
            return None
        if any(_digest_of_file(folder / name) != digest for name, digest in text["files"].items()):
            return None
        return Finished(
            folder,
            text["rule"],
            tuple(Verdict(*each) for each in text["verdicts"]),
            tuple(text["tables"]),
            tuple(text["drawings"]),
            tuple(text["files"]),
            text["pictures"],
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _digest_of(text: Mapping[str, Any]) -> str:
    """Of what ``part.json`` says."""
    return hashlib.sha256(json.dumps(text, sort_keys=True).encode()).hexdigest()


def _digest_of_file(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
