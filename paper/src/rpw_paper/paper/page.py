"""All parts on one page, which loads nothing else: verdicts first, then each part with its tables and figures."""

import base64
from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from rpw_paper.page import document, table
from rpw_paper.paper.exhibit import ANSWERS, CONSISTENT, NO, NOT_RUN, YES, Finished, Verdict
from rpw_paper.paper.parts import Part

LARGEST_DRAWING = 400_000  # bytes of an SVG; beyond it, the PNG is shown

_STYLE = """
.answer { display: inline-block; min-width: 6.2rem; text-align: center; padding: 0 .5rem; border-radius: 3px; }
.yes { background: #1a7f3733; } .no { background: #c0262633; } .open { background: #b3590033; }
.consistent { background: #0072b233; }
.left { background: #8883; }
.verdicts td, .verdicts th { text-align: left; white-space: normal; vertical-align: top; }
.verdicts td:last-child { white-space: nowrap; }
.part { border-top: 1px solid #8886; margin-top: 2.4rem; }
.statement { border-left: 3px solid #8886; padding-left: .8rem; }
.drawing { text-align: left; margin: 1rem 0; font-size: .9rem; }
.drawing img { image-rendering: auto; border: 0; background: white; max-width: 100%; height: auto; }
.drawing figcaption { max-width: none; white-space: normal; }
.small { font-size: .85rem; opacity: .8; }
"""

_CLASSES = dict.fromkeys(ANSWERS, "open") | {YES: "yes", CONSISTENT: "consistent", NO: "no", NOT_RUN: "left"}


def whole_page(
    parts: Sequence[Part], found: Mapping[str, Finished], left_out: Mapping[str, str], facts: Mapping[str, Any]
) -> str:
    """The page of these parts; those that are not in ``found`` were left out, for the reason in ``left_out``."""
    given = ", ".join(f"{name} {value}" for name, value in facts.items())
    verdicts = [each for part in parts if part.slug in found for each in found[part.slug].verdicts]
    missing = len([part for part in parts if part.slug not in found])
    absent = f" Parts not made: {missing}." if missing else ""
    body = f"""<p>The statements, figures and experiments of Raghvendra, Shirzadian and Zhang (ICML 2024), with exact
distances. Each part has its number in the paper. Settings: {escape(given)}.</p>
<h2>Verdicts</h2>
<p>{escape(counts_of(verdicts))}{absent} Each part states its rule. <em>Consistent</em>: a bound on a rate is kept only
thanks to the logarithm that it allows. <em>Open</em>: the measurements allow both answers.</p>
{_summary(parts, found, left_out)}
{"".join(_section(part, found.get(part.slug), left_out.get(part.slug, "not made yet")) for part in parts)}"""
    return document("The paper, part by part", body, _STYLE)


def counts_of(verdicts: Sequence[Verdict]) -> str:
    """How many statements have which answer."""
    counts = Counter(each.answer for each in verdicts)
    listed = ", ".join(f"{counts[answer]} {answer}" for answer in ANSWERS if counts[answer])
    return f"{len(verdicts)} statements: {listed}." if verdicts else "No statement was judged."


def _summary(parts: Sequence[Part], found: Mapping[str, Finished], left_out: Mapping[str, str]) -> str:
    """One row for each part."""
    rows = []
    for part in parts:
        if part.slug not in found:
            answers = _badge(NOT_RUN) + " " + escape(left_out.get(part.slug, "not made yet"))
        else:
            counts = Counter(each.answer for each in found[part.slug].verdicts)
            shown = [f"{_badge(answer, f'{counts[answer]} {answer}')}" for answer in _CLASSES if counts[answer]]
            answers = " ".join(shown) or "shown, not judged"
        link = f'<a href="#{part.slug}">{escape(part.number)}</a>'
        rows.append(f"<tr><td>{link}</td><td>{escape(part.title)}</td><td>{answers}</td></tr>")
    head = "<thead><tr><th>part</th><th>what</th><th>verdicts</th></tr></thead>"
    return f'<div class="wide"><table class="verdicts">{head}<tbody>{"".join(rows)}</tbody></table></div>'


def _badge(answer: str, text: str = "") -> str:
    return f'<span class="answer {_CLASSES[answer]}">{escape(text or answer)}</span>'


def _section(part: Part, finished: Finished | None, why_not: str) -> str:
    head = f'<section class="part" id="{part.slug}"><h2>{escape(part.number)}: {escape(part.title)}</h2>'
    head += f'<p class="statement">{escape(part.statement)}</p>'
    if finished is None:
        return f"{head}<p>{_badge(NOT_RUN)} {escape(why_not)}</p></section>\n"
    names = ", ".join(f"{part.slug}/{name}" for name in finished.files if not name.endswith(".svg"))
    return (
        head
        + _verdicts(finished.verdicts)
        + "".join(
            f"<p>{escape(each['caption'])}</p>{table(each['header'], each['rows'], each['name'])}"
            for each in finished.tables
        )
        + "".join(_drawing(finished, each["name"], each["caption"]) for each in finished.drawings)
        + f'<p class="small">{escape(finished.rule)}</p><p class="small">Files: {escape(names)}</p></section>\n'
    )


def _verdicts(verdicts: Sequence[Verdict]) -> str:
    if not verdicts:
        return ""
    rows = "".join(
        f"<tr><td>{escape(each.statement)}</td><td>{escape(each.found)}</td><td>{_badge(each.answer)}</td></tr>"
        for each in verdicts
    )
    head = "<thead><tr><th>statement</th><th>found</th><th>verdict</th></tr></thead>"
    return f'<div class="wide"><table class="verdicts">{head}<tbody>{rows}</tbody></table></div>'


def _drawing(finished: Finished, name: str, caption: str) -> str:
    vector = finished.folder / f"{name}.svg"
    kind, path = (
        ("svg+xml", vector) if vector.stat().st_size <= LARGEST_DRAWING else ("png", vector.with_suffix(".png"))
    )
    content = base64.b64encode(path.read_bytes()).decode()
    image = f'<img src="data:image/{kind};base64,{content}" alt="{escape(caption)}">'
    return f'<figure class="drawing">{image}<figcaption>{escape(caption)}</figcaption></figure>'
