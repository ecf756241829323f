"""``rpw index DIR|FILE --out I`` and ``rpw search I QUERY --top 10``."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

import rpw
from rpw.base.check import as_device
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
    as_diameter,
    as_metric,
    as_one_k,
    check_question,
    diameter_note,
    note_row,
    path,
    skipped_note,
    usage,
)
from rpw.cli._output import counted, print_json, print_rows, print_table, seconds
from rpw.cli._progress import bar, counting
from rpw.cli._targets import check_not_read
from rpw.io.readers import Collection, read_collection, read_queries

__all__ = ["index", "search"]

Out = Annotated[Path, typer.Option("--out", parser=path, help="Where to save the index.")]
Saved = Annotated[Path, typer.Argument(metavar="I", parser=path, help="An index made by rpw index.")]
Query = Annotated[Path, typer.Argument(metavar="QUERY", parser=path, help="One measure, or a collection of them.")]
Top = Annotated[int, typer.Option("--top", min=1, help="How many neighbours.")]

_LINES = 16  # of a table, so that everything stays on one screen


def index(
    a: Many,
    out: Out,
    p: P = 2.0,
    k: K = None,
    metric: Metric = "euclidean",
    diameter: Diameter = None,
    as_json: Json = False,
) -> None:
    """Build an index for exact nearest neighbours and save it."""
    metric, span, price = as_metric(metric), as_diameter(diameter), as_one_k(k)
    with usage():
        check_question(p=p, k=price, diameter=span)
        check_not_read("--out", out, [a])
    collection = read_collection(a)
    start = time.perf_counter()
    measures = collection.as_measures()
    built = rpw.Index(measures, p=p, k=price, metric=metric, diameter=1.0 if span is None else span)
    built.save(out)
    _names.write(out, collection)
    end = time.perf_counter()
    note = diameter_note(span, price, measures, None, metric, looks_near=True)
    facts = {"measures": len(collection), "p": p, "k": price, "metric": metric, "diameter": built.diameter}
    if as_json:
        print_json({"out": out, "names": _names.beside(out), **facts, "note": note, "seconds": end - start})
        return
    print_rows(
        [
            ("index", f"{counted(len(collection), 'measure')} of {a} in {out}"),
            ("names", f"{_names.beside(out)}: keep it beside the index, rpw search reads names and labels from it"),
            ("with", f"p={p:g}, k={price:g}, metric={metric}, diameter={facts['diameter']:g}"),
            ("time", seconds(start, end)),
            *skipped_note(collection.skipped),
            *note_row(note),
        ]
    )


def search(
    saved: Saved,
    query: Query,
    top: Top = 10,
    n_threads: NThreads = None,
    device: Device = "cpu",
    as_json: Json = False,
) -> None:
    """The nearest measures of an index, exactly; equal distances by lower index."""
    with usage():
        as_device(device)
    queries = read_queries(query)
    if not saved.exists():
        raise FileNotFoundError(f"{saved}: there is no such index; rpw index makes one")
    found = rpw.Index.load(saved, device=device)
    names, labels, columns, kind, note = _names.read(saved, len(found))
    queries.check_beside(kind, str(saved))
    queries = queries.matched_to(columns, str(saved))
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
        facts = {"stats": asdict(found.stats), "note": note, "seconds": end - start}
        print_json({"index": saved, "queries": answers, **facts})
        return
    _print_hits(queries, hits)
    stats = ", ".join(f"{name.replace('_', ' ')} {value:,}" for name, value in asdict(found.stats).items())
    print_rows([("index", f"{saved}: {found!r}"), ("work", stats), ("time", seconds(start, end)), *note_row(note)])


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
