"""The page as text: its parts are put together, with the points that it begins with."""

from __future__ import annotations

import base64
import gzip
import json
import math
import re
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from rpw.base.check import as_choice, as_diameter, as_k, as_kappa, as_p, as_path, as_points, as_weights
from rpw.base.columns import Columns
from rpw.explore.scripts import bundled
from rpw.io.files import replacing
from rpw.measure import Measure

__all__ = ["METRICS", "MOST_POINTS", "check_suffix", "page", "write_page"]

MOST_POINTS = 5000  # of each cloud; browser/state.js has the same number
METRICS = ("euclidean", "cityblock", "chebyshev")  # of the compiled core

_LONGEST_NAME = 80
_NAMES = ("A", "B")


def page(
    x: Any = None,
    y: Any = None,
    a: Any = None,
    b: Any = None,
    *,
    p: float = 2,
    k: float = 1,
    diameter: float | None = None,
    metric: str = "euclidean",
    names: tuple[str, str] = ("A", "B"),
    columns: tuple[str, ...] | None = None,
) -> str:
    """Return the playground as HTML.

    Parameters
    ----------
    x, y : array-like of shape (n, d) and (m, d), or Measure, optional
        The points that the page begins with: at most 5,000 a side, on a line or in the plane. Without points, the page
        begins with a sample of its own, and the other arguments must keep their defaults.
    a, b : array-like of shape (n,) and (m,), optional
        Weights of the points. All points weigh the same by default.
    p : float, default 2
        The exponent that the page begins with, as in `rpw.solve`.
    k : float, default 1
        The k that the page begins with, as in `rpw.solve`.
    diameter : float, optional
        The unit of length Δ that the page begins with. If you leave it out, Δ is 1.
    metric : {"euclidean", "cityblock", "chebyshev"}, default "euclidean"
        Distance between points.
    names : tuple of two str, default ("A", "B")
        What the two clouds are called on the page.
    columns : tuple of str, optional
        What the axes are called. If you leave it out, they are called by the columns of the tables x and y, or else x
        and y.

    Returns
    -------
    str
        One page that needs no other file.

    Examples
    --------
    >>> from rpw.explore import page
    >>> page([[0.0, 0.0], [1.0, 0.0]], [[0.0, 0.1]], k=0.5).startswith("<!DOCTYPE html>")
    True
    """
    p, k, diameter = as_p(p), as_k(k), as_diameter(diameter)
    as_kappa(k, diameter)
    metric = as_choice(metric, "metric", METRICS)
    first, second = _as_names(names)
    if x is None and y is None and a is None and b is None:
        if (p, k, diameter, metric, first, second, columns) != (2, 1, 1, "euclidean", *_NAMES, None):
            raise ValueError("p, k, diameter, metric, names and columns need points: pass x and y")
        return _filled("RPW playground", "RPW playground", "Free play", None)
    best = Columns().shared_with(x=x, y=y).best
    x, a = _as_cloud(x, a, "x", "a")
    y, b = _as_cloud(y, b, "y", "b")
    if x.shape[1] != y.shape[1]:
        raise ValueError(f"x and y must have points of the same dimension, got {x.shape[1]} and {y.shape[1]}")
    given = {
        "dimension": x.shape[1],
        "metric": metric,
        "names": [first, second],
        "columns": _as_columns(best if columns is None else columns, x.shape[1]),
        "p": p if math.isfinite(p) else None,  # JSON has no infinity
        "k": k,
        "diameter": diameter,
        "a": {"points": x.ravel().tolist(), "weights": a.tolist()},
        "b": {"points": y.ravel().tolist(), "weights": b.tolist()},
    }
    heading = f"{first} and {second}"
    return _filled(f"RPW playground: {heading}", heading, "Your data", given)


def write_page(path: Any, *points_and_weights: Any, **settings: Any) -> None:
    """Write the playground to a file.

    A file that exists is replaced only when the new page is complete.

    Parameters
    ----------
    path : str or path
        The file, such as ``"page.html"``. It must end in .html or .htm.
    *points_and_weights : array-like or Measure
        x, y, a and b, as in `rpw.explore.page`.
    **settings : object
        The other arguments of `rpw.explore.page`.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from rpw.explore import write_page
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_page(pathlib.Path(folder) / "page.html", [0.0, 1.0], [0.1, 5.0])
    """
    target = as_path(path)
    check_suffix(target, "path")
    text = page(*points_and_weights, **settings)
    with replacing(target) as file:
        file.write(text.encode("utf-8"))


def check_suffix(path: Path, name: str) -> None:
    """Raise unless a file may hold a page, by its ending: no table is lost to a page."""
    if path.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"{name} {path}: the page is written to a file that ends in .html or .htm")


def _as_names(names: Any) -> tuple[str, str]:
    if not isinstance(names, (tuple, list)) or len(names) != 2 or not all(isinstance(each, str) for each in names):
        raise ValueError(f"names must be two strings, one for each cloud, got {names!r:.60}")
    first, second = names
    return _short(first), _short(second)


def _as_columns(names: Any, dimension: int) -> list[str] | None:
    if not isinstance(names, (tuple, list)) or not all(isinstance(each, str) for each in names):
        raise ValueError(f"columns must be strings, one for each coordinate, got {names!r:.60}")
    if names and len(names) != dimension:
        raise ValueError(f"columns must have a name for each of {dimension} coordinates, got {len(names)}")
    return [_short(each) for each in names] or None


def _as_cloud(points: Any, weights: Any, name: str, weights_name: str) -> tuple[Any, Any]:
    if isinstance(points, Measure):
        if weights is not None:
            raise ValueError(f"{weights_name} must be left out: the Measure {name} carries its weights")
        points, weights = points.points, points.weights
    if points is None:
        raise ValueError(f"{name} is missing: pass points x and y")
    clean = as_points(points, name)
    count, dimension = clean.shape
    if dimension > 2:
        raise ValueError(f"{name} must have points on a line or in the plane to be drawn, got {dimension} coordinates")
    if count > MOST_POINTS:
        raise ValueError(
            f"{name} has {count:,} points, and the page takes {MOST_POINTS:,} a side: pass a sample of them"
        )
    return clean, as_weights(weights, weights_name, count)


def _short(name: str) -> str:
    shown = "".join(c if c.isprintable() and not 0xD800 <= ord(c) <= 0xDFFF else "\ufffd" for c in name).strip()
    return shown if len(shown) <= _LONGEST_NAME else shown[: _LONGEST_NAME - 1] + "…"


# ---------------------------------------------------------------- the parts


def _filled(title: str, heading: str, home: str, given: dict[str, Any] | None) -> str:
    parts = {**_fixed_parts(), "title": escape(title), "heading": escape(heading), "home": escape(home)}
    parts["given"] = _as_json(given)
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _text("page.html"))


def _as_json(value: Any) -> str:
    """JSON inside of HTML: no letter in it ends the element that holds it, or begins another."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


@cache
def _fixed_parts() -> dict[str, str]:
    compiled = gzip.compress(files("rpw.explore").joinpath("core.wasm").read_bytes(), 9, mtime=0)
    return {
        "style": _text("style.css").rstrip(),
        "script": bundled("main", _text),
        "worker": bundled("worker", _text),
        "wasm": base64.b64encode(compiled).decode(),
    }


def _text(name: str) -> str:
    return files("rpw.explore").joinpath("browser", name).read_text(encoding="utf-8")
