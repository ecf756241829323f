"""Views of the demo: first what was found, then the figures, then the settings."""

import base64
from html import escape
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

import rpw
from rpw_paper.demo import SCENARIOS, Demo, findings
from rpw_paper.drawing import style_of
from rpw_paper.files import new_figure, svg_text, write_csv, write_facts, write_figure, write_text
from rpw_paper.page import document, picture, table
from rpw_paper.perturbation import described

COLUMNS = {"clean": "untouched", "noise": "noise", "shift": "shift", "both": "both"}
WORST = "worst of the three"
DISTANCES = {
    "W1, W2": "Wasserstein distances: the cost of moving all ink of one picture onto the other.",
    "TV": "Total variation: the share of the ink that is on different pixels.",
    "RPW(2,k)": "Robust partial Wasserstein, for k = 1 and k = 0.1: the smallest share of the ink left behind so that "
    "moving the rest costs at most k times that share. A smaller k makes moves count more.",
    "ROBOT(0.1)": "λ-ROBOT for λ = 0.1: W1 in which no move counts as longer than 2λ, a fifth of the diagonal.",
}
SHOWN_QUERIES = 3
_STYLE = """
.first { font-size: 1.15rem; } dt { font-weight: 600; } dd { margin: 0 0 .5rem 1.2rem; }
.done figcaption { max-width: none; } .done figure { width: 4.5rem; } .done img { margin: auto; }
.found { margin: .8rem 0 1.6rem; } .found th, .found td { text-align: left; padding: .1rem .6rem .1rem 0; }
.found .row { flex-wrap: nowrap; gap: .15rem; margin: 0; } .found img { width: 40px; height: 40px; }
.found figure { width: 46px; }
"""


def accuracy_table(demo: Demo) -> tuple[list[str], list[list[str]]]:
    """Header and rows: the accuracy of each distance in each scenario, and its worst of the three perturbations."""
    shares = np.column_stack([demo.accuracy, demo.worst])
    rows = [[name, *(f"{share:.1%}" for share in row)] for name, row in zip(demo.names, shares, strict=True)]
    return ["distance", *COLUMNS.values(), WORST], rows


def settings(demo: Demo) -> str:
    """The settings of the run, in a few sentences."""
    asked = demo.setting
    height = demo.pictures.images.shape[1]
    drawn = f"{asked.queries} queries among {asked.labelled} labelled pictures of {demo.pictures.name}"
    counted = f"Percentages: the share of the {asked.nearest} nearest pictures that show the query's digit."
    compared = "Comparisons: by the bootstrap over queries, with Holm's correction."
    size = f"{height} x {height} pixels, seed {asked.seed}"
    return f"{drawn} ({size}). {_described('both', demo)} {counted} {compared}"


def _described(scenario: str, demo: Demo) -> str:
    return described(scenario, is_colour=False, height=demo.pictures.images.shape[1], rows=demo.setting.rows)


def write_demo(demo: Demo, out: Path) -> dict[str, Path]:
    """Write all files of the demo, and return their paths."""
    (low, high), shares = demo.bands, np.column_stack([demo.accuracy, demo.worst])
    accuracies = (
        (name, scenario, float(shares[w, s]), float(low[w, s]), float(high[w, s]))
        for w, name in enumerate(demo.names)
        for s, scenario in enumerate((*SCENARIOS, "worst"))
    )
    labels = demo.pictures.labels[demo.draws[0].query_index]
    hits = (
        (name, scenario, int(query), str(labels[q]), int(demo.hits[w, s, q].sum()))
        for w, name in enumerate(demo.names)
        for s, scenario in enumerate(SCENARIOS)
        for q, query in enumerate(demo.draws[0].query_index)
    )
    paths = {
        "table": write_csv(out / "accuracy.csv", ["distance", "scenario", "accuracy", "low", "high"], accuracies),
        "hits": write_csv(out / "hits.csv", ["distance", "scenario", "query", "label", "hits"], hits),
    }
    figure = draw_demo(demo)
    paths["figure"], paths["drawing"] = write_figure(figure, out / "accuracy")
    paths["page"] = write_text(out / "page.html", _page(demo, figure))
    write_facts(out, {"experiment": "demo", **demo.facts, "version": rpw.__version__})
    return paths


def draw_demo(demo: Demo) -> Figure:
    """A group of marks for each scenario, and one for the worst of the three: side by side, so none hides another.

    Thin lines are 95 % intervals.
    """
    figure = new_figure(8.4, 4.8)
    ax = figure.add_subplot()
    (low, high), shares = demo.bands, np.column_stack([demo.accuracy, demo.worst])
    places = np.array([*range(len(SCENARIOS)), len(SCENARIOS) + 0.35])  # the last group stands apart
    for w, way in enumerate(demo.methods):
        colour, marker = style_of(way.name)
        x = places + 0.12 * (w - (len(demo.methods) - 1) / 2)
        reach = np.maximum([shares[w] - low[w], high[w] - shares[w]], 0)  # -1e-17 is no length
        ax.errorbar(x, shares[w], reach, fmt=marker, color=colour, ms=8, lw=1.2, label=way.name)
    ax.axvline(len(SCENARIOS) - 0.33, color="#999999", lw=1)
    ax.set_xticks(places, [*COLUMNS.values(), WORST], fontsize=11)
    ax.set_xlabel("what was done to the pictures")
    ax.set_ylabel(f"share of the {demo.setting.nearest} nearest that show the query's digit")
    ax.set_ylim(0, 1)
    ax.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
    ax.tick_params(axis="x", length=0)
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis="y", alpha=0.25)
    interval = Line2D([], [], color="0.4", lw=1.2, label="thin line: 95 % interval")
    handles = [*ax.get_legend_handles_labels()[0], interval]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles), frameon=False, handletextpad=0.2)
    return figure


def _page(demo: Demo, figure: Figure) -> str:
    chart = "data:image/svg+xml;base64," + base64.b64encode(svg_text(figure).encode()).decode()
    (first, *rest), shown = findings(demo), _shown(demo)
    distances = "".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in DISTANCES.items())
    return document(
        "Which distance still finds the digit?",
        f"""<p class="first">{escape(first)}</p>
<p>{escape(" ".join(rest))}</p>
<p><img class="chart" src="{chart}" alt="Accuracies of all distances in all scenarios, and their worst"></p>
{table(*accuracy_table(demo))}
<p>The table has the share of the {demo.setting.nearest} nearest pictures that show the query's digit.</p>
<h2>The distances</h2>
<dl>{distances}</dl>
<h2>What was done to the pictures</h2>
<p>Noise: {escape(_described("noise", demo))} Shift: {escape(_described("shift", demo))} Both: the shift, then the
noise.</p>
{_perturbed(demo)}
<h2>What was found</h2>
<p>{len(shown)} queries, each with its nearest labelled pictures, the nearest first. A solid green frame marks the
query's digit, a dashed brown one another digit.</p>
{"".join(_query(demo, q) for q in shown)}
<h2>Settings</h2>
<p>{escape(settings(demo))}</p>
<p>Files beside this page: accuracy.csv (with intervals), hits.csv (each query), accuracy.png and .svg, and run.json
(the settings).</p>""",
        _STYLE,
    )


def _perturbed(demo: Demo) -> str:
    """The first query and the first labelled picture, in all scenarios."""
    labels, rows = demo.pictures.labels, []
    for name in ("query", "labelled"):
        index = int(getattr(demo.draws[0], f"{name}_index")[0])
        seen = [getattr(drawn, "queries" if name == "query" else "labelled")[0] for drawn in demo.draws]
        figures = "".join(
            picture(pixels, index, COLUMNS[scenario], "own", f"a {labels[index]}")
            for scenario, pixels in zip(SCENARIOS, seen, strict=True)
        )
        rows.append(f'<div class="row done"><div class="name">{name}</div>{figures}</div>')
    return "\n".join(rows)


def _shown(demo: Demo) -> list[int]:
    """The first queries of different digits."""
    _, first = np.unique(demo.pictures.labels[demo.draws[0].query_index], return_index=True)
    return sorted(int(q) for q in first)[:SHOWN_QUERIES]


def _query(demo: Demo, q: int) -> str:
    """What each distance found for one query: a row for each, with the three perturbations beside each other."""
    label, three = str(demo.pictures.labels[demo.draws[0].query_index[q]]), range(1, len(SCENARIOS))
    heads = "".join(f"<th>{COLUMNS[SCENARIOS[s]]}</th>" for s in three)
    own = "".join(
        f"<td>{picture(demo.draws[s].queries[q], int(demo.draws[s].query_index[q]), label, 'own')}</td>" for s in three
    )
    rows = [f"<tr><th></th>{heads}</tr>", f"<tr><td>query {q + 1}</td>{own}</tr>"]
    for w, name in enumerate(demo.names):
        cells = "".join(f'<td><div class="row">{_found(demo, w, s, q, label)}</div></td>' for s in three)
        rows.append(f'<tr data-distance="{name}"><td>{name}</td>{cells}</tr>')
    whole = f'<table class="found">{"".join(rows)}</table>'
    return f'<div class="wide" tabindex="0" role="region" aria-label="query {q + 1}">{whole}</div>\n'


def _found(demo: Demo, w: int, s: int, q: int, label: str) -> str:
    """The nearest pictures in one scenario."""
    drawn, figures = demo.draws[s], []
    for i in demo.order[w, s, q]:
        number = int(drawn.labelled_index[i])
        text = str(demo.pictures.labels[number])
        figures.append(picture(drawn.labelled[i], number, text, "same" if text == label else "other"))
    return "".join(figures)
