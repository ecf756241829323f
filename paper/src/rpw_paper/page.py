"""A page that shows queries with what each distance retrieved for them: one HTML file that loads nothing else."""

import base64
import io
from html import escape
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure
from PIL import Image

from rpw_paper.base import listed
from rpw_paper.files import svg_text
from rpw_paper.perturbation import SCENARIOS, described
from rpw_paper.plan_drawing import FIRST, SECOND, draw_plan, plan_between
from rpw_paper.retrieval import Retrieval
from rpw_paper.statistics import LEVEL, holm, paired_difference

NOT_DIFFERENT = "not significantly different from"
SHOWN_CLASSES = 12
SHOWN_PICTURES = 10
SHOWN_WIDTH = 48

_STYLE = """
:root { color-scheme: light dark; --good: #1a7f37; --bad: #b35900; }
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 62rem; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
/* Two covers move with the content, two shadows stay: a shadow shows on the side on which there is more to see. */
.wide { overflow-x: auto; background:
  linear-gradient(to right, Canvas 50%, transparent) 0 0 / 2.5rem 100% no-repeat local,
  linear-gradient(to left, Canvas 50%, transparent) 100% 0 / 2.5rem 100% no-repeat local,
  linear-gradient(to right, #777b, transparent) 0 0 / 1.2rem 100% no-repeat scroll,
  linear-gradient(to left, #777b, transparent) 100% 0 / 1.2rem 100% no-repeat scroll; }
th, td { white-space: nowrap; }
table { border-collapse: collapse; } th, td { padding: .2rem .7rem; text-align: right; }
th:first-child, td:first-child, .words { text-align: left; } tbody tr:nth-child(odd) { background: #8881; }
.chart { background: white; max-width: 100%; height: auto; }
.query { border-top: 1px solid #8886; padding-top: .8rem; margin-top: 1.4rem; }
.row { display: flex; flex-wrap: wrap; align-items: center; gap: .35rem; margin: .3rem 0; }
.name { width: 7.5rem; } .name small { opacity: .75; }
figure { margin: 0; text-align: center; font-size: .72rem; }
figure img { display: block; image-rendering: pixelated; border: 3px solid #8888; border-radius: 3px; }
.same img { border-color: var(--good); } .other img { border-color: var(--bad); border-style: dashed; }
.plan { display: flex; flex-wrap: wrap; gap: 1.2rem; align-items: flex-start; }
.overlay { background: white; width: min(100%, 22rem); border: 1px solid #8886; }
.overlay .cells { mix-blend-mode: multiply; }
.moved { stroke: #222; fill: #222; stroke-linecap: round; } .moved circle { stroke: none; }
.left { fill: none; stroke-width: .14; }
.plan > div { flex: 1 1 16rem; } .plan ul { padding-left: 1.2rem; } .plan b { font-weight: 600; }
figcaption { max-width: 3.6rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
"""

_SPACES = {
    False: "A picture is mass on its pixels; lengths are in units of the diagonal.",
    True: "For W, RPW and ROBOT a pixel is a point in five dimensions, position and colour, and the diameter is 1. TV "
    "is half the sum of the absolute differences, with mass 1 over all pixels and channels of a picture.",
}


def document(title: str, body: str, style: str = "") -> str:
    """A whole page that loads nothing else; title and body are HTML."""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>{_STYLE}{style}</style>
</head>
<body>
<h1>{title}</h1>
{body}
</body>
</html>
"""


def page(
    result: Retrieval, figure: Figure, shown_table: tuple[list[str], list[list[str]]], facts: dict[str, Any]
) -> str:
    """The page as text. Names and labels come from the data and are escaped."""
    chart = "data:image/svg+xml;base64," + base64.b64encode(svg_text(figure).encode()).decode()
    shown = shown_queries(result)
    title = escape(f"Retrieval: {result.pictures.name}, {SCENARIOS[result.scenario]}")
    given = ", ".join(f"{name} {value}" for name, value in facts.items())
    interval = ", ± half its 95 % confidence interval" if result.has_bands else ""
    return document(
        title,
        f"""<p>{escape(findings(result))}</p>
<p>{escape(_described(result))}
{_SPACES[result.pictures.is_colour]}</p>
<h2>Accuracy</h2>
<p>The share of the m nearest labelled pictures that carry the query's label; mean over the repeats{interval}.
Ties: the share of retrieved pictures that are exactly as far from the query as another one.</p>
{table(*shown_table)}
<p><img class="chart" src="{chart}" alt="Accuracy over the number of retrieved pictures, a line for each distance"></p>
{_plan(result, shown)}
<h2>What was retrieved</h2>
<p>{_which(result, shown)} of the first repeat, after the perturbation. Beside each query are the nearest labelled
pictures, the nearest first. A solid green frame marks the query's label, a dashed brown one another label.</p>
{"".join(_query(result, q) for q in shown)}
<h2>Settings</h2>
<p>{escape(given)}</p>
<p>Files beside this page: accuracy.csv (means and confidence intervals), repeats.csv, hits.csv (each query), ties.csv,
accuracy.png and .svg, run.json (the settings), and the folder nearest (the pictures found for each query, with their
distances).</p>""",
    )


def _described(result: Retrieval) -> str:
    pictures = result.pictures
    return described(result.scenario, pictures.is_colour, pictures.images.shape[1], result.plan.plain_queries)


def shown_queries(result: Retrieval) -> list[int]:
    """The first query of each class, in the order of their labels; of many classes, the first few."""
    _, first = np.unique(result.pictures.labels[result.first.query_index], return_index=True)
    return [int(q) for q in first[:SHOWN_CLASSES]]


def _which(result: Retrieval, shown: list[int]) -> str:
    classes = len(np.unique(result.pictures.labels))
    if len(shown) == classes:
        return "One query of each class"
    return f"One query each of {len(shown)} of the {classes} classes"


def findings(result: Retrieval) -> str:
    """Which distance finds the most and the least, and how the best RPW compares with the others, query by query."""
    m = min(10, result.largest_m)
    mean = result.summary()[0][:, m - 1]
    named = [f"{way.name} ({share:.0%})" for way, share in zip(result.methods, mean, strict=True)]
    nearest = f"Among the {m} nearest pictures" if m > 1 else "Looking at the nearest picture"
    first = (
        f"{nearest}, {named[int(np.argmax(mean))]} finds the query's label most often and "
        f"{named[int(np.argmin(mean))]} least often."
    )
    ours = [w for w, way in enumerate(result.methods) if way.options["distance"] == "rpw"]
    others = [w for w in range(len(named)) if w not in ours]
    if not ours or not others:
        return first
    own = max(ours, key=lambda w: float(mean[w]))
    return f"{first} Compared query by query, {named[own]} is {_compared(result, ours, own, others, m)}."


def _compared(result: Retrieval, ours: list[int], own: int, others: list[int], m: int) -> str:
    """Which distances one of our own is above, below, or not significantly different from, by the rule of the claims.

    It was chosen after the fact, so Holm's correction covers the comparisons of all of our own.
    """
    hits = result.hits[..., :m].sum(axis=-1).reshape(len(result.methods), -1)
    pairs = [(w, other) for w in ours for other in others]
    found = [paired_difference(hits[w], hits[other]) for w, other in pairs]
    groups: dict[str, list[str]] = {"above": [], "below": [], NOT_DIFFERENT: []}
    for (w, other), each, chance in zip(pairs, found, holm(np.array([each.pvalue for each in found])), strict=True):
        if w == own:
            side = "above" if each.mean > 0 else "below"
            groups[side if chance <= LEVEL else NOT_DIFFERENT].append(result.methods[other].name)
    return "; ".join(f"{words} {listed(names)}" for words, names in groups.items() if names)


def _plan(result: Retrieval, shown: list[int]) -> str:
    """The plan between one query and the picture that the first RPW finds; grey pictures only."""
    w = next((w for w, way in enumerate(result.methods) if way.options["distance"] == "rpw"), None)
    if result.pictures.is_colour or w is None:
        return ""
    way, labels = result.methods[w], result.pictures.labels
    query, found = result.first.query_index, result.first.labelled_index
    nearest = [(q, int(result.order[w, q, 0])) for q in shown]
    hits = [(q, s) for q, s in nearest if labels[query[q]] == labels[found[s]]]
    # Two pictures of one class, as far from each other as possible, show most of what is left behind.
    q, s = max(hits or nearest, key=lambda pair: result.distances[w, pair[0], 0])
    pair = (query[q], found[s])
    pictures = (result.first.queries[q], result.first.labelled[s])
    plan = plan_between(*pictures, p=way.options["p"], k=way.options["k"])
    figures = "".join(
        picture(pixels, int(number), str(labels[number]), "own") for pixels, number in zip(pictures, pair, strict=True)
    )
    name = escape(way.name)
    return f"""<h2>What {name} moves, and what it leaves behind</h2>
<div class="plan">{draw_plan(plan)}
<div><div class="row">{figures}</div>
<p>A query (<b style="color:{FIRST}">blue</b>) and the picture that {name} finds first
(<b style="color:{SECOND}">orange</b>), drawn over each other.</p>
<ul>
<li>{plan.kept:.1%} of the mass keeps its pixel: both colours overlap.</li>
<li>{plan.moved:.1%} moves to another pixel: a line that ends in a dot.</li>
<li>{plan.distance:.1%} is left behind on either side, which is the distance {plan.distance:.4f}: rings on the query,
squares on the picture found.</li>
</ul></div></div>"""


def table(header: list[str], rows: list[list[str]], name: str = "accuracies") -> str:
    """A table with its own scroll bar if it is too wide."""
    head = "".join(_cell(name, rows[0][i] if rows else name, "th") for i, name in enumerate(header))
    body = "".join("<tr>" + "".join(_cell(cell, cell) for cell in row) + "</tr>" for row in rows)
    whole = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="wide" tabindex="0" role="region" aria-label="{escape(name)}">{whole}</div>'


def _cell(text: str, like: str, tag: str = "td") -> str:
    """Words are aligned left, numbers right; a header is aligned like the cells below it."""
    words = ' class="words"' if like[:1].isalpha() else ""
    return f"<{tag}{words}>{escape(text)}</{tag}>"


def _query(result: Retrieval, q: int) -> str:
    label = str(result.pictures.labels[result.first.query_index[q]])
    rows = "".join(_row(result, q, w, label) for w in range(len(result.methods)))
    own = picture(result.first.queries[q], int(result.first.query_index[q]), label, "own")
    head = f'<div class="row"><div class="name">Query {q + 1}</div>{own}</div>'
    return f'<section class="query">{head}\n{rows}</section>\n'


def _row(result: Retrieval, q: int, w: int, label: str) -> str:
    nearest = result.order[w, q, :SHOWN_PICTURES]
    labels = [str(result.pictures.labels[result.first.labelled_index[s]]) for s in nearest]
    hits = sum(found == label for found in labels)
    pictures = "".join(
        picture(
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


def picture(pixels: npt.NDArray[Any], number: int, label: str, kind: str, title: str = "") -> str:
    """A picture with its label; ``kind`` is own, same or other, by which it is framed."""
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
    if pixels.ndim == 2:
        second = float(np.partition(pixels.ravel(), -2)[-2]) if pixels.size > 1 else 0.0
        black = second or float(pixels.max()) or 1.0
        pixels = 255 - np.round(255 * np.minimum(pixels / black, 1))
    stream = io.BytesIO()
    Image.fromarray(pixels.astype(np.uint8)).save(stream, format="PNG", optimize=True)
    return "data:image/png;base64," + base64.b64encode(stream.getvalue()).decode()
