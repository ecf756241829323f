"""``rpw index DIR|FILE --out INDEX`` and ``rpw search INDEX QUERY --top 10``."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import rpw
from rpw.base.check import as_whole
from rpw.cli import _names
from rpw.cli._command import command, usage
from rpw.cli._files import check_target
from rpw.cli._notes import diameter_note, diameter_of, dropped_of, note_rows, skipped_of
from rpw.cli._options import DIAMETER_OF_ALL, QUANTILE_OF_AUTO, argument, check_quantile, file
from rpw.cli._print import Answer, Table, bar, counted
from rpw.io.readers import Collection, select_collection, select_queries
from rpw.io.selection import Selection
from rpw.pair.options import Option
from rpw.pair.question import as_question

__all__ = ["index", "search"]

_LINES = 16  # of a table, so that everything stays on one screen


@command(
    "Compare many",
    "rpw index folder --out clouds.rpw --diameter auto",
    "rpw index images.npz --out images.rpw --k 0.5",
    "rpw index folder --out clouds.rpw --columns x,y",
    out=file("Where to save the index.", heading=None, is_needed=True),
    diameter=DIAMETER_OF_ALL,
    quantile=QUANTILE_OF_AUTO,
)
def index(
    many: Path, out: Path, p: float, k: float | None, metric: str, diameter: float | str | None,
    quantile: float | None, wanted: Selection, as_json: bool,
) -> Answer:  # fmt: skip
    """Save a collection as an index for rpw search.

    The names of the files, and their labels, go to a second file: FILE.names.json.
    """
    k = 1.0 if k is None else k
    with usage():
        check_quantile(quantile, diameter)
        as_question(p=p, k=k, diameter=None if diameter == "auto" else diameter)
    check_target("--out", out, [many])
    collection = select_collection(many, wanted)
    measures = collection.as_measures()
    given = diameter_of(measures, None, metric, quantile) if diameter == "auto" else diameter
    built = rpw.Index(measures, p=p, k=k, metric=metric, diameter=1.0 if given is None else given)  # type: ignore[arg-type]
    built.save(out)
    _names.write(out, collection)
    note = diameter_note(diameter, k, measures, None, metric, looks_near=True)
    facts = {"measures": len(collection), "p": p, "k": k, "metric": metric, "diameter": built.diameter}
    facts |= {"out": out, "names": _names.beside(out), "quantile": quantile, "dropped": collection.dropped}
    rows = [
        ("index", f"{counted(len(collection), 'measure')} of {many} in {out}"),
        ("names", f"{_names.beside(out)}: keep it beside the index, rpw search reads names and labels from it"),
        ("with", f"p={p:g}, k={k:g}, metric={metric}, diameter={built.diameter:g}"),
        *skipped_of(collection),
        *dropped_of(collection),
        *note_rows(note),
    ]
    return Answer({**facts, "note": note}, [rows])


@command(
    "Compare many",
    "rpw search clouds.rpw query.csv",
    "rpw search clouds.rpw folder --top 3 --json",
    "rpw search images.rpw query.png --device cuda",
    saved=argument("INDEX", "An index made by rpw index."),
    query=argument("QUERY", "A file with points, an image, or a collection of them."),
    top=Option("How many neighbours.", int, default=10, check=partial(as_whole, name="top", least=1)),
)
def search(
    saved: Path, query: Path, top: int, wanted: Selection, n_threads: int | None, device: str, as_json: bool
) -> Answer:
    """Find the nearest items of an index, exactly.

    Of equal distances, the item that came first in the index is shown first.
    """
    queries = select_queries(query, wanted)
    if not saved.exists():
        raise FileNotFoundError(f"{saved}: there is no such index; rpw index makes one")
    found = rpw.Index.load(saved, device=device)
    names = _names.read(saved, len(found))
    queries.check_beside(names.kind, str(saved))
    queries = queries.matched_to(names.columns, str(saved))
    measures = queries.as_measures()
    if measures[0].dimension != found.dimension:
        raise ValueError(
            f"{query}: its points have {measures[0].dimension} coordinates, those of {saved} have {found.dimension}"
        )
    with bar(as_json, "queries") as progress:
        distances, indices = found.query(measures, top=min(top, len(found)), n_threads=n_threads, progress=progress)
    hits = [
        [_hit(float(d), int(i), names) for d, i in zip(row, near, strict=True)]
        for row, near in zip(np.atleast_2d(distances), np.atleast_2d(indices), strict=True)
    ]
    answers = [{"query": name, "nearest": near} for name, near in zip(queries.names, hits, strict=True)]
    work = asdict(found.stats)
    facts = {"index": saved, "queries": answers, "stats": work, "dropped": queries.dropped, "note": names.note}
    stats = ", ".join(f"{name.replace('_', ' ')} {value:,}" for name, value in work.items())
    rows = [("index", f"{saved}: {found!r}"), ("work", stats), *dropped_of(queries), *note_rows(names.note)]
    return Answer(facts, [*_nearest(queries, hits), rows])


def _hit(distance: float, number: int, known: _names.Names) -> dict[str, Any]:
    hit: dict[str, Any] = {"distance": distance, "index": number}
    if known.names is not None and known.names[number] != str(number):
        hit["name"] = known.names[number]
    if known.labels is not None:
        hit["label"] = known.labels[number]
    return hit


def _nearest(queries: Collection, hits: list[list[dict[str, Any]]]) -> list[str | Table]:
    """All neighbours of one query, or the first few of each of several."""
    several = len(hits) > 1
    rows = [
        [*([name] if several else []), str(rank + 1), *(_cell(entry) for entry in hit.values())]
        for name, near in zip(queries.names, hits, strict=True)
        for rank, hit in enumerate(near[: max(1, _LINES // len(hits))] if several else near)
    ]
    header = [*(["query"] if several else []), "rank", *hits[0][0]]
    left = sum(len(near) for near in hits) - min(len(rows), _LINES)
    return [Table(header, rows[:_LINES]), *([f"and {left:,} more: --json has them all"] if left else [])]


def _cell(entry: Any) -> str:
    return f"{entry:.9g}" if isinstance(entry, float) else str(entry)
