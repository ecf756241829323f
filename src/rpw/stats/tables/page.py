"""The page of a comparison: one HTML file that asks nothing of the network. All text from the data is escaped."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from rpw.stats.tables.drawings import bars_of_moves, draw_glance, draw_profiles
from rpw.stats.tables.glance import Glance
from rpw.stats.tables.joint import JointFinding
from rpw.stats.tables.numbers import MOST_AT_P_2
from rpw.stats.tables.row import DriftRow
from rpw.stats.tables.shown_number import shown_number
from rpw.stats.tables.worst import LeftBehind, WorstColumn

__all__ = ["Shown", "fragment_of", "page_of"]

_MOST_LEFT = 20  # rows that are listed
_MOST_IN_NOTEBOOK = 30

_COLOURS = """
:root{color-scheme:light dark;--ink:#1c2330;--soft:#5b6475;--paper:#fff;--rule:#d9dde5;--ref:#3b78b8;--cur:#d9660f;
--bad:#b3261e;--shade:#f4f6f9}
@media(prefers-color-scheme:dark){:root{--ink:#e7eaf0;--soft:#a3acbd;--paper:#14181f;--rule:#343b48;--ref:#6aa9ea;
--cur:#ff9a4a;--bad:#ff8a80;--shade:#1b212b}}
"""
_DRAWINGS = """
.drift svg{display:block;max-width:100%}.drift svg text{fill:var(--soft,currentColor);font:11px system-ui,sans-serif}
.drift .ref.area{fill:var(--ref,#3b78b8);fill-opacity:.45}.drift .cur.fill{fill:var(--cur,#d9660f)}
.drift .cur.line{fill:none;stroke:var(--cur,#d9660f);stroke-width:1.8}
.drift .axis{fill:none;stroke:var(--soft,currentColor);stroke-width:1}
.drift .null{fill:none;stroke:var(--soft,#888);stroke-width:.8;opacity:.5}
.drift .price{fill:none;stroke:var(--ink,currentColor);stroke-width:1.2;stroke-dasharray:5 4}
.drift .key{display:inline-block;width:.9em;height:.9em;border-radius:2px;vertical-align:-.1em;margin:0 .2em 0 .7em}
"""
_LAYOUT = """
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif}
main{max-width:64rem;margin:0 auto;padding:1.5rem 1rem 4rem}
h1{font-size:1.1rem;font-weight:600;color:var(--soft);margin:0 0 .5rem}
h2{font-size:1.2rem;margin:2.5rem 0 .5rem;overflow-wrap:anywhere}
.sentence{font-size:1.45rem;line-height:1.35;margin:0 0 .75rem;overflow-wrap:anywhere}
.soft,figcaption{font-weight:400;color:var(--soft);font-size:.9rem}
table{border-collapse:collapse;width:100%;font-size:.92rem}
th,td{text-align:left;padding:.45rem .6rem .45rem 0;vertical-align:top;border-top:1px solid var(--rule)}
thead th{border-top:0;color:var(--soft);font-weight:500;white-space:nowrap}
td{font-variant-numeric:tabular-nums}
tbody th{overflow-wrap:anywhere;max-width:14rem}
tr.drifted th{color:var(--bad)}
.badge{color:var(--bad);font-weight:600}
.note{grid-column:1/-1;color:var(--soft);font-size:.85rem;border-top:0;padding-top:0;overflow-wrap:anywhere}
figure{margin:0}
.drift .wide{width:100%;max-width:40rem;height:auto}
.moves .bar{width:45%}.moves .bar svg{width:100%;height:.8rem}
.left{display:flex;flex-wrap:wrap;gap:1.5rem}.left div{flex:1 1 18rem}
.left ol{list-style:none;margin:.3rem 0;padding:0;display:flex;flex-wrap:wrap;gap:.3rem}
.left li{background:var(--shade);border-radius:4px;padding:.1rem .5rem;font-size:.85rem}
@media(max-width:46rem){
.columns thead{position:absolute;left:-100vw}
.columns tbody{display:block;border-top:1px solid var(--rule);padding:.7rem 0}
.columns tr{display:grid;grid-template-columns:1fr 1fr;gap:.15rem 1rem}
.columns th,.columns td{border:0;padding:0;max-width:none}
.columns th,.columns .picture,.columns .note{grid-column:1/-1}
.columns td[data-label]::before{content:attr(data-label) " ";color:var(--soft);font-size:.85rem}
.sentence{font-size:1.2rem}}
"""
_KEY = (
    '<span class="key" style="background:var(--ref,#3b78b8);opacity:.6"></span>reference'
    '<span class="key" style="background:var(--cur,#d9660f)"></span>current'
)


@dataclass(frozen=True, eq=False)
class Shown:
    """What the page is about."""

    sentence: str
    rows: tuple[DriftRow, ...]
    alpha: float
    n_resamples: int
    n: int
    m: int
    glances: dict[str, Glance]
    worst: WorstColumn | None
    joint: JointFinding | None
    is_drifted_together: bool


def page_of(shown: Shown, title: str) -> str:
    """The whole page."""
    worst = shown.worst
    parts = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="sentence">{escape(shown.sentence)}</p>',
        f'<p class="soft">{escape(_how(shown))}</p>',
        f'<h2>Columns</h2><p class="soft">{_KEY}</p>{_table(shown, None)}',
        _moves(shown),
        "" if worst is None else _profiles(worst) + _left_behind(worst),
        _how_to_read(shown),
    ]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_COLOURS}{_DRAWINGS}{_LAYOUT}</style></head>"
        f'<body><main class="drift">{"".join(parts)}</main></body></html>\n'
    )


def fragment_of(shown: Shown) -> str:
    """What a notebook shows: the sentence and the table."""
    return (
        f'<div class="drift"><style>{_DRAWINGS}</style><p><b>{escape(shown.sentence)}</b></p><p>{_KEY}</p>'
        f"{_table(shown, _MOST_IN_NOTEBOOK)}</div>"
    )


def _how(shown: Shown) -> str:
    return (
        f"{shown.n:,} rows of reference and {shown.m:,} of current data. Each test compares with up "
        f"to {shown.n_resamples:,} random splits of all rows. If nothing has changed, the chance of even one false "
        f"alarm is at most {shown.alpha:.3g} (Holm's correction), provided that rows are independent."
    )


def _table(shown: Shown, most: int | None) -> str:
    rows = sorted(shown.rows, key=lambda row: (not row.is_test, row.adjusted if row.is_test else 0.0))
    listed = rows[:most]
    head = "".join(
        f'<th scope="col">{name}</th>'
        for name in ("column", "", "distance", "by chance", "p", "adjusted p", "changed at least")
    )
    hidden = len(rows) - len(listed)
    more = f"<p>… and {hidden:,} more rows</p>" if hidden else ""
    body = "".join(_row(row, shown) for row in listed)
    return f'<table class="columns"><thead><tr>{head}</tr></thead>{body}</table>{more}'


def _row(row: DriftRow, shown: Shown) -> str:
    glance = shown.glances.get(row.name) if row.is_test else None
    picture = "" if glance is None else draw_glance(glance, f"{row.name} in both tables")
    badge = ' <span class="badge">drifted</span>' if row.is_drifted else ""
    name = f'<th scope="row">{escape(row.name)}{badge}<br><span class="soft">{escape(row.kind)}</span></th>'
    note = "; ".join(text for text in (row.medians and f"median {row.medians}", row.note) if text)
    note = note if row.is_known else f"Not compared: {row.note}."
    below = f'<tr><td class="note" colspan="7">{escape(note)}</td></tr>' if note else ""
    if not row.is_known:
        return f"<tbody><tr>{name}<td></td><td></td><td></td><td></td><td></td><td></td></tr>{below}</tbody>"
    changed = f"{row.changed_at_least:,} of {row.n + row.m:,} rows" if row.is_drifted and row.changed_at_least else ""
    cells = [
        ("distance", f"{row.distance:.3g}"),
        ("by chance", f"{row.floor_low:.3g} to {row.floor_high:.3g}"),
        ("p", f"{row.pvalue:.2g}"),
        ("adjusted p", f"{row.adjusted:.2g}"),
        ("changed at least", changed),
    ]
    numbers = "".join(f'<td data-label="{label}">{escape(text)}</td>' if text else "<td></td>" for label, text in cells)
    drifted = ' class="drifted"' if row.is_drifted else ""
    return f'<tbody><tr{drifted}>{name}<td class="picture">{picture}</td>{numbers}</tr>{below}</tbody>'


def _moves(shown: Shown) -> str:
    joint = shown.joint
    if joint is None or not shown.is_drifted_together or joint.shares is None or joint.moves is None:
        return ""
    return (
        '<h2>Numbers and dates together: which columns move</h2><p class="soft">The share of each column in the cost '
        "of RPW’s plan, and its mean move in its own units, over the rows that are moved.</p>"
        f'<table class="moves"><tbody>{bars_of_moves(joint.columns, joint.shares, joint.moves)}</tbody></table>'
    )


def _profiles(worst: WorstColumn) -> str:
    if not worst.profiles:
        return ""
    unit = "days" if worst.kind == "date" else "in the units of the column"
    return (
        f"<h2>Profile of {escape(worst.column)}</h2><figure>{draw_profiles(worst.profiles, worst.k, worst.distance)}"
        "<figcaption>The cost of moving all other rows, if a share is left behind. Thick: reference against current. "
        "Thin: random splits, which show what chance alone gives. Dashed: what leaving rows behind costs; RPW is "
        "where the dashed line meets the thick one. Costs are in widths of the middle half of the column, "
        f"{worst.width:.4g} {unit}; k = {worst.k:g}, Δ = 1 width.</figcaption></figure>"
    )


def _left_behind(worst: WorstColumn) -> str:
    sides = "".join(
        f"<div><b>{len(side.rows):,} of the {name}</b>{_rows(side, worst.kind)}</div>"
        for name, side in (("reference", worst.reference), ("current table", worst.current))
    )
    return (
        f"<h2>Rows of {escape(worst.column)} left behind</h2>"
        '<p class="soft">RPW leaves these rows behind, because moving them would cost more. They are not proven '
        "errors. The farthest from the median come first, each as row: value; the first row is number 0.</p>"
        f'<div class="left">{sides}</div>'
    )


def _rows(side: LeftBehind, kind: str) -> str:
    shown = zip(side.rows[:_MOST_LEFT].tolist(), side.values[:_MOST_LEFT].tolist(), strict=True)
    items = "".join(f"<li>{row:,}: {escape(shown_number(value, kind))}</li>" for row, value in shown)
    hidden = len(side.rows) - _MOST_LEFT
    return f"<ol>{items}{f'<li>… and {hidden:,} more</li>' if hidden > 0 else ''}</ol>"


def _how_to_read(shown: Shown) -> str:
    return (
        '<h2>How to read this</h2><p class="soft">Numbers and dates are divided by the width of the pooled middle half '
        "of their column and compared by RPW, the robust partial p-Wasserstein distance, for three values of k. p is "
        f"2; for columns with more than {MOST_AT_P_2:,} values it is 1. The k with the clearest difference is shown. "
        "So distances of different columns use different k: compare each with what chance gives. Categories and "
        "missing values are compared by total variation. “By chance” is what two samples of one distribution would "
        "give, from 5 % to 95 %. “Changed at least” counts rows, in either table, that must have been replaced; it "
        f"holds with confidence {1 - shown.alpha:.3g} for each column by itself. Dependent rows, such "
        "as repeated customers, make every p-value too small.</p>"
    )
