"""``rpw index DIR|FILE --out INDEX`` and ``rpw search INDEX QUERY --top 10``."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

import rpw
from rpw.cli import _names
from rpw.cli._options import (
    Device,
    Diameter,
    Json,
    K,
    Many,
    Metric,
    NThreads,
    P,
    Quantile,
    as_diameter,
    as_metric,
    as_one_k,
    check_device_name,
    check_question,
    diameter_note,
    diameter_of,
    dropped_of,
    note_row,
    path,
    skipped_note,
    usage,
)
from rpw.cli._output import counted, print_json, print_rows, print_table, seconds
from rpw.cli._progress import bar, counting
from rpw.cli._tables import reads_tables
from rpw.cli._targets import check_not_read
from rpw.io.readers import Collection, select_collection, select_queries
from rpw.io.selection import EVERYTHING, Selection

__all__ = ["EXAMPLES_OF_INDEX", "EXAMPLES_OF_SEARCH", "index", "search"]

EXAMPLES_OF_INDEX = (
    "rpw index folder --out clouds.rpw --diameter auto",
    "rpw index images.npz --out images.rpw --k 0.5",
    "rpw index folder --out clouds.rpw --columns x,y",
)
EXAMPLES_OF_SEARCH = (
    "rpw search clouds.rpw query.csv",
    "rpw search clouds.rpw folder --top 3 --json",
    "rpw search images.rpw query.png --device cuda",
)

Out = Annotated[Path, typer.Option("--out", metavar="FILE", parser=path, help="Where to save the index.")]
Saved = Annotated[Path, typer.Argument(metavar="INDEX", parser=path, help="An index made by rpw index.")]
Query = Annotated[
    Path, typer.Argument(metavar="QUERY", parser=path, help="A file with points, an image, or a collection of them.")
]
Top = Annotated[int, typer.Option("--top", metavar="NUMBER", min=1, help="How many neighbours.")]

_LINES = 16  # of a table, so that everything stays on one screen


@reads_tables
def index(
    a: Many,
    out: Out,
    p: P = 2.0,
    k: K = None,
    metric: Metric = "euclidean",
    diameter: Diameter = None,
    quantile: Quantile = None,
    wanted: Selection = EVERYTHING,
    as_json: Json = False,
) -> None:
    """Save a collection as an index for rpw search.

    The names of the files, and their labels, go to a second file: FILE.names.json.
    """
    metric, span, price = as_metric(metric), as_diameter(diameter, quantile), as_one_k(k)
    with usage():
        check_question(p=p, k=price, diameter=span)
        check_not_read("--out", out, [a])
    collection = select_collection(a, wanted)
    start = time.perf_counter()
    measures = collection.as_measures()
    delta = diameter_of(measures, None, metric, quantile) if span == "auto" else span
    built = rpw.Index(measures, p=p, k=price, metric=metric, diameter=1.0 if delta is None else delta)
    built.save(out)
    _names.write(out, collection)
    end = time.perf_counter()
    note = diameter_note(span, price, measures, None, metric, looks_near=True)
    facts = {"measures": len(collection), "p": p, "k": price, "metric": metric, "diameter": built.diameter}
    if as_json:
        how = {"quantile": quantile, "dropped": collection.dropped, "note": note, "seconds": end - start}
        print_json({"out": out, "names": _names.beside(out), **facts, **how})
        return
    print_rows(
        [
            ("index", f"{counted(len(collection), 'measure')} of {a} in {out}"),
            ("names", f"{_names.beside(out)}: keep it beside the index, rpw search reads names and labels from it"),
            ("with", f"p={p:g}, k={price:g}, metric={metric}, diameter={facts['diameter']:g}"),
            ("time", seconds(start, end)),
            *skipped_note(collection.skipped),
            *dropped_of(collection),
            *note_row(note),
        ]
    )


@reads_tables
def search(
    saved: Saved,
    query: Query,
    top: Top = 10,
    wanted: Selection = EVERYTHING,
    n_threads: NThreads = None,
    device: Device = "cpu",
    as_json: Json = False,
) -> None:
    """Find the nearest items of an index, exactly.

    Of equal distances, the item that came first in the index is shown first.
    """
    check_device_name(device)
    queries = select_queries(query, wanted)
    if not saved.exists():
        raise FileNotFoundError(f"{saved}: there is no such index; rpw index makes one")
    found = rpw.Index.load(saved, device=device)
    names, labels, of_index, kind, note = _names.read(saved, len(found))
    queries.check_beside(kind, str(saved))
    queries = queries.matched_to(of_index, str(saved))
    measures = queries.as_measures()
    if measures[0].dimension != found.dimension:
        raise ValueError(
            f"{query}: its points have {measures[0].dimension} coordinates, those of {saved} have {found.dimension}"
        )
    start = time.perf_counter()
    with bar(as_json) as report:
        distances, indices = found.query(
            measures, top=min(top, len(found)), n_threads=n_threads, progress=counting(report, "queries")
        )
    end = time.perf_counter()
    hits = [
        [_hit(float(d), int(i), names, labels) for d, i in zip(row, near, strict=True)]
        for row, near in zip(np.atleast_2d(distances), np.atleast_2d(indices), strict=True)
    ]
    if as_json:
        answers = [{"query": name, "nearest": near} for name, near in zip(queries.names, hits, strict=True)]
        facts = {"stats": asdict(found.stats), "dropped": queries.dropped, "note": note, "seconds": end - start}
        print_json({"index": saved, "queries": answers, **facts})
        return
    _print_hits(queries, hits)
    stats = ", ".join(f"{name.replace('_', ' ')} {value:,}" for name, value in asdict(found.stats).items())
    rows = [("index", f"{saved}: {found!r}"), ("work", stats), ("time", seconds(start, end))]
    print_rows([*rows, *dropped_of(queries), *note_row(note)])


def _hit(distance: float, number: int, names: list[str] | None, labels: list[Any] | None) -> dict[str, Any]:
    hit: dict[str, Any] = {"distance": distance, "index": number}
    if names is not None and names[number] != str(number):
        hit["name"] = names[number]
    if labels is not None:
        hit["label"] = labels[number]
    return hit


def _print_hits(queries: Collection, hits: list[list[dict[str, Any]]]) -> None:
    """All neighbours of one query, or the first few of each of several."""
    several = len(hits) > 1
    rows = [
        [*([name] if several else []), str(rank + 1), *(_cell(entry) for entry in hit.values())]
        for name, near in zip(queries.names, hits, strict=True)
        for rank, hit in enumerate(near[: max(1, _LINES // len(hits))] if several else near)
    ]
    header = [*(["query"] if several else []), "rank", *hits[0][0]]
    print_table(header, rows[:_LINES])
    shown = min(len(rows), _LINES)
    left = sum(len(near) for near in hits) - shown
    if left:
        print_rows([("", f"and {left:,} more: --json has them all")])


def _cell(entry: Any) -> str:
    return f"{entry:.9g}" if isinstance(entry, float) else str(entry)
