"""Make all parts: finished ones are read, the others computed in turn. The page is written again after each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rpw_paper.base import Report, UsageError, silent, within
from rpw_paper.files import write_csv, write_text
from rpw_paper.paper.exhibit import Finished, read_part, write_part
from rpw_paper.paper.page import whole_page
from rpw_paper.paper.parts import Job, Part
from rpw_paper.paper.retrieved import NotRunError


@dataclass(eq=False)
class Whole:
    """The finished parts, those that could not be made (and why), and those that are new."""

    parts: Sequence[Part]
    found: dict[str, Finished] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    made: list[str] = field(default_factory=list)


def chosen_parts(parts: Sequence[Part], names: Sequence[str]) -> list[Part]:
    """The parts with these numbers, in the order of the paper. "figure 5" stands for all parts of figure 5. Two names
    that form one number, such as "ours" and "k", stand for that part."""
    numbers = {part.number.lower() for part in parts}
    rest, chosen = [name.strip().lower() for name in names], set()
    while rest:
        both = ", ".join(rest[:2])
        taken = 2 if len(rest) > 1 and both in numbers else 1
        chosen |= {part.number for part in _named(parts, both if taken == 2 else rest[0])}
        rest = rest[taken:]
    return [part for part in parts if part.number in chosen]


def _named(parts: Sequence[Part], name: str) -> list[Part]:
    found = [part for part in parts if part.number.lower() == name]
    found = found or [part for part in parts if part.number.lower().startswith(f"{name},")]
    if not found:
        raise UsageError(f"there is no part {name!r}: choose from {', '.join(part.number for part in parts)}")
    return found


def in_order_of_work(parts: Sequence[Part]) -> list[Part]:
    """The short ones first, so the page fills soon; last the part that judges the runs of the others."""
    return sorted(parts, key=lambda part: (part.is_made_from_runs, part.seconds))


def make_whole(
    parts: Sequence[Part],
    job: Job,
    out: Path,
    facts: Mapping[str, Any],
    report: Report = silent,
    shown: Sequence[Part] | None = None,
) -> Whole:
    """Make what is not finished. ``shown`` are the parts of the page, if they are more than those made."""
    whole = Whole(shown or parts)
    for part in whole.parts:
        finished = _finished(part, job, out)
        if finished is not None:
            whole.found[part.slug] = finished
    total = sum(part.seconds for part in parts)
    done = sum(part.seconds for part in parts if part.slug in whole.found)
    for part in in_order_of_work(parts):
        if part.slug in whole.found and _finished(part, job, out) is not None:
            continue
        tell = within(report, done / total, part.seconds / total, f"{part.number}: ")
        tell(0.0, part.title)
        _make(part, replace(job, report=tell), out, whole)
        done += part.seconds
        _publish(whole, out, facts)
    _publish(whole, out, facts)
    return whole


def _finished(part: Part, job: Job, out: Path) -> Finished | None:
    """The finished part in its folder; None if it must be made, also because its pictures have changed."""
    found = read_part(out / part.slug, part.facts(job))
    return None if found is None or job.runs.other_pictures(found.pictures) else found


def _publish(whole: Whole, out: Path, facts: Mapping[str, Any]) -> None:
    """Write the verdicts and the page of all parts that are finished."""
    rows = [
        [part.number, each.statement, each.found, each.answer]
        for part in whole.parts
        if part.slug in whole.found
        for each in whole.found[part.slug].verdicts
    ]
    write_csv(out / "verdicts.csv", ["part", "statement", "found", "verdict"], rows)
    write_text(out / "index.html", whole_page(whole.parts, whole.found, whole.left_out, facts))


def _make(part: Part, job: Job, out: Path, whole: Whole) -> None:
    """Make one part. Its facts are taken afterwards, because it may be made from the files of earlier parts."""
    try:
        exhibit = part.exhibit(job)
    except NotRunError as error:
        whole.found.pop(part.slug, None)
        whole.left_out[part.slug] = str(error)
        return
    whole.found[part.slug] = write_part(exhibit, out / part.slug, part.facts(job), part.pictures(job))
    whole.made.append(part.slug)
