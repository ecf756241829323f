"""Lemma 3.2: RPW is in proportion to min(δ, W_p/k).

Let μ and μ' differ in a mass δ (their TV), and let (A1) hold: W_{p,1-δ/10}(μ, μ') ≥ W_p(μ, μ')/2. Then, for k > 0,

    RPW_{p,k}(μ, μ') = Θ(min(δ, W_p(μ, μ')/k)),

and by Lemma A.1 with α = 0.9 the constants are 1/10 and 1. In half of the cases a share δ of a sample's mass moves by
one length; (A1) then holds as a rule, and is checked. In the other half a hundredth of that mass goes far and the rest
moves little. This breaks (A1), and the lower bound with it: the lemma needs its assumption.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

import rpw
from rpw_paper.base import Report, silent, spelled
from rpw_paper.drawing import COLOURS, GUIDE, MARKERS, finish, legend
from rpw_paper.files import new_figure
from rpw_paper.paper.exhibit import NO, OPEN, YES, Drawing, Exhibit, Table, Verdict
from rpw_paper.paper.random_pairs import questions

POINTS = 30
ROUNDING = 1e-9
LEAST = 0.1  # the constant of the lower bound
RULE = (
    "Yes: RPW lies between min(δ, W_p/k)/10 and min(δ, W_p/k), up to 1e-9, in every case that satisfies (A1). No: in "
    "some case it does not. Open: no case satisfies (A1)."
)


@dataclass(frozen=True)
class Spoiled:
    """A measure and its noisy version, by the numbers of the lemma."""

    p: float
    k: float
    delta: float
    length: float
    whole: float
    partial: float
    value: float
    is_uneven: bool

    @property
    def has_a1(self) -> bool:
        return self.partial >= self.whole / 2 - ROUNDING

    @property
    def scale(self) -> float:
        """What RPW is in proportion to."""
        return min(self.delta, self.whole / self.k)

    @property
    def ratio(self) -> float:
        return self.value / self.scale


def spoiled(p: float, k: float, rng: np.random.Generator, is_uneven: bool = False) -> Spoiled:
    """A share δ of every point's mass moves by one length; if uneven, a hundredth of it goes far and the rest less."""
    points = rng.random((POINTS, 2)) * 0.3
    delta = float(10 ** rng.uniform(-2.5, -0.3))
    length = 1e-4 if is_uneven else float(10 ** rng.uniform(-3, -0.4))
    angle = rng.uniform(0, 2 * np.pi, POINTS)
    moved = points + length * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    parts, masses = [points, moved], [np.full(POINTS, (1 - delta) / POINTS), np.full(POINTS, delta / POINTS)]
    if is_uneven:
        masses[1] *= 0.99
        parts.append(np.array([[0.75, 0.65]]))
        masses.append(np.array([0.01 * delta]))
    own, other = rpw.Measure(points), rpw.Measure(np.concatenate(parts), np.concatenate(masses))
    whole = rpw.wasserstein(own, other, p=p)
    partial = rpw.partial_wasserstein(own, other, p=p, mass=1 - delta / 10)
    value = rpw.distance(own, other, p=p, k=k, diameter=1)
    return Spoiled(p, k, delta, length, whole, partial, float(value), is_uneven)


def proportion_exhibit(*, cases: int, seed: int, report: Report = silent) -> Exhibit:
    """The lemma on random measures, with its assumption and without it."""
    found = []
    for case, p, k in questions(cases):
        report(case / cases, f"case {case + 1} of {cases}")
        for is_uneven in (False, True):
            found.append(spoiled(p, k, np.random.default_rng([seed, 60, case, int(is_uneven)]), is_uneven))
    rows = [
        [each.p, each.k, each.delta, each.length, each.whole, each.partial, each.value, each.ratio, str(each.has_a1)]
        for each in found
    ]
    header = ["p", "k", "delta", "length", "w", "w_without_a_tenth_of_delta", "rpw", "ratio", "a1"]
    caption = "RPW in units of min(δ, W_p/k), for cases that satisfy (A1) and cases that break it."
    return Exhibit(RULE, verdicts(found), [Table("cases", header, rows)], [Drawing("ratio", draw(found), caption)])


def verdicts(found: list[Spoiled]) -> list[Verdict]:
    """Both bounds under (A1), and whether the lower one needs it."""
    held = [each for each in found if each.has_a1]
    others = [each.ratio for each in found if not each.has_a1]
    needs = sum(ratio < LEAST for ratio in others)
    return [
        _bound("RPW ≥ min(δ, W_p/k)/10 under (A1)", held, lambda each: each.value - LEAST * each.scale),
        _bound("RPW ≤ min(δ, W_p/k) under (A1)", held, lambda each: each.scale - each.value),
        Verdict(
            "The lower bound needs (A1)",
            f"{needs} of {len(others)} cases without it lie below" + (f", down to {min(others):.3g}" if needs else ""),
            YES if needs else OPEN,
        ),
    ]


def _bound(statement: str, held: list[Spoiled], room: Callable[[Spoiled], float]) -> Verdict:
    if not held:
        return Verdict(statement, "no case satisfies (A1)", OPEN)
    ratios = [each.ratio for each in held]
    broken = sum(room(each) < -ROUNDING for each in held)
    found = f"ratios from {min(ratios):.3g} to {max(ratios):.3g} in {len(held)} cases"
    return Verdict(statement, found + (f", {broken} of them outside" if broken else ""), NO if broken else YES)


def draw(found: list[Spoiled]) -> Figure:
    """A mark for each case: on the left those that satisfy (A1), on the right those that break it."""
    figure = new_figure(10.4, 4.6)
    axes = figure.subplots(1, 2, sharex=True, sharey=True)
    panels = ((True, "(A1) holds: the lemma applies"), (False, "(A1) is broken: the lemma says nothing"))
    for ax, (has_a1, title) in zip(axes, panels, strict=True):
        for colour, marker, p in zip(COLOURS, MARKERS, sorted({each.p for each in found}), strict=False):
            own = [each for each in found if each.p == p and each.has_a1 == has_a1]
            across = [each.whole / (each.k * each.delta) for each in own]
            label = f"p = {spelled(p)}"
            ax.loglog(across, [each.ratio for each in own], marker, color=colour, ms=4, alpha=0.6, label=label)
        for level in (LEAST, 1.0):
            label = "dotted: the bounds 0.1 and 1 of the lemma" if level == LEAST else ""
            ax.axhline(level, color=GUIDE, lw=1.2, ls=":", label=label)
        finish(ax, title, "$W_p / (k δ)$", "RPW / min(δ, $W_p/k$)")
        legend(ax, loc="lower left", ncols=2)
    bottom, _ = axes[0].get_ylim()
    axes[0].set_ylim(bottom / 4)  # room for the legend
    return figure
