"""A page that shows queries with what each distance retrieved for them: one HTML file that asks for nothing else."""

from __future__ import annotations

import base64
import io
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rpw.experiments.files import svg_text
from rpw.experiments.perturbation import SCENARIOS, described
from rpw.experiments.retrieval import Retrieval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["page", "picture_uri"]

SHOWN_QUERIES = 12
SHOWN_PICTURES = 10
SHOWN_WIDTH = 48

_STYLE = """
:root { color-scheme: light dark; --good: #1a7f37; --bad: #b35900; }
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 62rem; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; } th, td { padding: .2rem .7rem; text-align: right; }
th:first-child, td:first-child { text-align: left; } tbody tr:nth-child(odd) { background: #8881; }
.chart { background: white; max-width: 100%; height: auto; }
.query { border-top: 1px solid #8886; padding-top: .8rem; margin-top: 1.4rem; }
.row { display: flex; flex-wrap: wrap; align-items: center; gap: .35rem; margin: .3rem 0; }
.name { width: 7.5rem; } .name small { opacity: .75; }
figure { margin: 0; text-align: center; font-size: .72rem; }
figure img { display: block; image-rendering: pixelated; border: 3px solid #8888; border-radius: 3px; }
.same img { border-color: var(--good); } .other img { border-color: var(--bad); border-style: dashed; }
figcaption { max-width: 3.6rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
"""

_SPACES = {
    False: "Distances lie between masses on pixels, in units of the diagonal.",
    True: "W, RPW and ROBOT lie between the pixels as points in five dimensions, position and colour, of diameter 1; "
    "TV is half the difference of the pictures, each of mass 1 over pixels and channels.",
}


def page(result: Retrieval, figure: Figure, table: tuple[list[str], list[list[str]]], facts: dict[str, Any]) -> str:
    """The page as text. Names and labels come from the data and are escaped."""
    chart = "data:image/svg+xml;base64," + base64.b64encode(svg_text(figure).encode()).decode()
    shown = min(SHOWN_QUERIES, len(result.first.queries))
    title = escape(f"Retrieval: {result.pictures.name}, {SCENARIOS[result.scenario]}")
    given = ", ".join(f"{name} {value}" for name, value in facts.items())
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>{_STYLE}</style>
</head>
<body>
<h1>{title}</h1>
<p>{escape(given)}</p>
<p>{escape(described(result.scenario, result.pictures.is_colour, result.pictures.images.shape[1]))}
{_SPACES[result.pictures.is_colour]}</p>
<h2>Accuracy</h2>
<p>Share of the m nearest labelled pictures that carry the query's label; mean over the repeats, ± half its 95 %
confidence interval. Ties: labelled pictures whose distance to the query is also that of another one.</p>
{_table(*table)}
<p><img class="chart" src="{chart}" alt="Accuracy over the number of retrieved pictures, a line for each distance"></p>
<h2>What was retrieved</h2>
<p>The first {shown} queries of the first repeat, as the perturbation left them, and the nearest labelled pictures from
left to right. A solid green frame: the query's label; a dashed brown one: another.</p>
{"".join(_query(result, q) for q in range(shown))}
<p>Beside this page: accuracy.csv (means and confidence intervals), repeats.csv, ties.csv, accuracy.png and .svg,
run.json (what was asked for), and the matrices of distances in Zarr.</p>
</body>
</html>
"""


def _table(header: list[str], rows: list[list[str]]) -> str:
    head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _query(result: Retrieval, q: int) -> str:
    label = str(result.pictures.labels[result.first.query_index[q]])
    rows = "".join(_row(result, q, w, label) for w in range(len(result.methods)))
    own = _picture(result.first.queries[q], int(result.first.query_index[q]), label, "own")
    head = f'<div class="row"><div class="name">Query {q + 1}</div>{own}</div>'
    return f'<section class="query">{head}\n{rows}</section>\n'


def _row(result: Retrieval, q: int, w: int, label: str) -> str:
    nearest = result.order[w, q, :SHOWN_PICTURES]
    labels = [str(result.pictures.labels[result.first.labelled_index[s]]) for s in nearest]
    hits = sum(found == label for found in labels)
    pictures = "".join(
        _picture(
            result.first.labelled[s],
            int(result.first.labelled_index[s]),
            found,
            "same" if found == label else "other",
            f"distance {result.distances[w, q, place]:.5g}",
        )
        for place, (s, found) in enumerate(zip(nearest, labels, strict=True))
    )
    way = escape(result.methods[w].name)
    name = f'<div class="name">{way}<br><small>{hits} of {len(nearest)}</small></div>'
    return f'<div class="row" data-distance="{way}">{name}{pictures}</div>\n'


def _picture(pixels: npt.NDArray[Any], number: int, label: str, kind: str, title: str = "") -> str:
    text = escape(label)
    hover = escape(f"picture {number}, {label}" + (f", {title}" if title else ""))
    height = min(max(round(SHOWN_WIDTH * pixels.shape[0] / pixels.shape[1]), 4), 4 * SHOWN_WIDTH)
    return (
        f'<figure class="{kind}" data-picture="{number}"><img src="{picture_uri(pixels)}" width="{SHOWN_WIDTH}" '
        f'height="{height}" alt="{text}" title="{hover}"><figcaption>{text}</figcaption></figure>'
    )


def picture_uri(pixels: npt.NDArray[Any]) -> str:
    """The picture as a PNG inside a data URI; a grey one in black on white.

    Its second largest value is black: the largest may be noise, and all else would be pale beside it.
    """
    try:
        from PIL import Image
    except ImportError as error:
        raise ImportError("the page needs Pillow: pip install 'rpw[images]'") from error
    if pixels.ndim == 2:
        second = float(np.partition(pixels.ravel(), -2)[-2]) if pixels.size > 1 else 0.0
        black = second or float(pixels.max()) or 1.0
        pixels = 255 - np.round(255 * np.minimum(pixels / black, 1))
    stream = io.BytesIO()
    Image.fromarray(pixels.astype(np.uint8)).save(stream, format="PNG", optimize=True)
    return "data:image/png;base64," + base64.b64encode(stream.getvalue()).decode()
