"""What a run leaves behind: tables as CSV, figures as PNG and SVG, facts as JSON. Equal runs write equal bytes."""

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

import rpw
from rpw_paper.base import replacing

_SVG_OPTIONS: dict[Any, Any] = {
    "svg.hashsalt": "rpw",
    "svg.fonttype": "path",
}  # without a salt, identifiers would be random


def write_text(path: Path, text: str) -> Path:
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as stream:
        stream.write(text.encode())
    return path


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> Path:
    """A table; numbers with six digits after the point, or in exponent form if those say too little."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([as_cell(value) for value in row] for row in rows)
    return write_text(path, text.getvalue())


def as_cell(value: Any) -> str:
    """A number or text as it stands in a CSV file; nothing for NaN."""
    if not isinstance(value, float):
        return str(value)
    if value != value:
        return ""
    return f"{value:.6f}" if value == 0 or 1e-3 <= abs(value) < 1e6 else f"{value:.6e}"


def write_facts(folder: Path, facts: Mapping[str, Any]) -> Path:
    """The settings of a run, with which it can be repeated."""
    return write_text(folder / "run.json", json.dumps(facts, indent=2, sort_keys=True) + "\n")


def begin_run(folder: Path, experiment: str, asked: Mapping[str, Any], may_differ: Sequence[str] = ()) -> Path:
    """Write the settings of a run into its folder; refuse a folder that holds another run."""
    facts = {"experiment": experiment, **asked, "version": rpw.__version__}
    check_same_run(folder, facts, (*may_differ, "version"))
    write_facts(folder, facts)
    return folder


def check_same_run(folder: Path, facts: Mapping[str, Any], may_differ: Sequence[str]) -> None:
    """Raise if another run lies in the folder."""
    path = folder / "run.json"
    if not path.exists():
        return
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        changed = [name for name in facts if name not in may_differ and found.get(name) != facts[name]]
    except (ValueError, AttributeError, RecursionError) as error:
        raise ValueError(f"{path} is damaged: remove its folder, or choose another --out") from error
    if changed:
        name = changed[0]
        raise ValueError(
            f"--out {folder} holds another run: {name} is {found.get(name)!r} there and {facts[name]!r} here; "
            "remove it, or choose another"
        )


def new_figure(width: float, height: float) -> Figure:
    """An empty figure that belongs to no window."""
    return Figure(figsize=(width, height), layout="constrained")


def write_figure(figure: Figure, path: Path) -> list[Path]:
    """``path`` with the endings .png and .svg."""
    path.parent.mkdir(parents=True, exist_ok=True)
    picture = path.with_name(path.name + ".png")
    with replacing(picture) as stream:
        figure.savefig(stream, format="png", dpi=120)
    return [picture, write_text(path.with_name(path.name + ".svg"), svg_text(figure))]


def svg_text(figure: Figure) -> str:
    """The figure as SVG, with neither the date nor random names."""
    import matplotlib

    text = io.StringIO()
    with matplotlib.rc_context(_SVG_OPTIONS):
        figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()
