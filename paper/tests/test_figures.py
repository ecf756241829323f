"""Figures explain themselves: labels on all axes, titles that differ, a marker beside each colour, and legends."""

import re

import numpy as np
import pytest
from results_files import RESULTS

from rpw_paper.drawing import style_of
from rpw_paper.paper import lmr_time
from rpw_paper.price_sweep import PriceSweep, draw_sweeps
from rpw_paper.retrieval import SWEPT_K

pytest.importorskip("matplotlib")
with_docs = pytest.mark.skipif(not RESULTS.exists(), reason="docs/ is not here, as in an sdist")

QUICK = (
    *("claims.png", "mnist-both-50/accuracy.png", "sweep-corel-noise-50/sweep.png", "robustness/outliers.png"),
    *("convergence/discrete.png", "convergence/densities.png", "paper/section-5/times.png"),
    *("paper/lemma-3-4/rates.png", "paper/lemma-3-5/excess.png", "paper/figure-1/figure-1.png"),
    *("paper/figure-2/profile.png", "paper/figure-3/figure-3.png", "paper/figure-4/figure-4.png"),
)


def drawn(programs, name):
    return dict(programs("figures").figures())[name]()


def legends_of(figure):
    return [*figure.legends, *(ax.get_legend() for ax in figure.axes if ax.get_legend())]


def check(figure):
    titles = [ax.get_title() for ax in figure.axes]
    assert all(titles)
    assert len(set(titles)) == len(titles)
    for ax in figure.axes:
        assert ax.get_xlabel()
        assert ax.get_ylabel() or ax is not figure.axes[0]
        # Lines that are named and differ in colour differ in marker or style too.
        named = [line for line in ax.get_lines() if not line.get_label().startswith("_")]
        looks = {line.get_label(): (line.get_marker(), line.get_linestyle()) for line in named}
        colours = {line.get_label(): line.get_color() for line in named}
        by_look = {}
        for label, look in looks.items():
            by_look.setdefault(look, set()).add(colours[label])
        assert all(len(own) == 1 for own in by_look.values()), ax.get_title()
    assert legends_of(figure)


@with_docs
@pytest.mark.parametrize("name", QUICK)
def test_a_figure_explains_itself(programs, name):
    check(drawn(programs, name))


@with_docs
@pytest.mark.thorough
def test_all_figures_explain_themselves(programs):
    for _, figure in programs("figures").figures():
        check(figure())


@with_docs
def test_every_committed_figure_can_be_drawn_again(programs):
    names = {name for name, _ in programs("figures").figures()}
    assert names == {str(path.relative_to(RESULTS)) for path in RESULTS.rglob("*.png")}


def said_by(figure):
    return [text.get_text() for legend in legends_of(figure) for text in legend.get_texts()]


def test_bars_shading_and_the_best_are_explained():
    hits = np.random.default_rng(0).integers(0, 11, size=(len(SWEPT_K), 40))
    ends = dict.fromkeys(("W1", "W2", "TV"), hits[0])
    said = said_by(draw_sweeps([PriceSweep("planted", 10, hits, hits[:3], ends, (0.01, 0.1, 0.3))]))
    for words in (
        "bar: 95 % interval",
        "shaded: not significantly below",
        "the best",
        "RPW(2,k)",
        "ROBOT(λ)",
        "TV",
        "W2",
    ):
        assert any(text.startswith(words) for text in said), words


def test_exponents_of_times_say_what_they_are():
    values = np.array([1.0, 2.0, 4.0])
    sweep = lmr_time.Sweep("1/δ", "n = 3", values, np.tile(values[:, None] ** 1.5, 2), values**3)
    other = lmr_time.Sweep("n", "δ = 1", values, np.tile(values[:, None] ** 2, 2), values**2)
    said = said_by(lmr_time.draw([sweep, other]))
    assert "mean time: fitted exponent 1.50 in 1/δ" in said
    assert "scaled bound: fitted exponent 3.00 here, 4 in the end" in said
    assert all(re.search(r"exponent", text) for text in said if re.search(r"\d\.\d\d", text))


def test_each_distance_has_a_colour_and_a_marker_of_its_own():
    names = ("W1", "W2", "TV", "RPW(2,1)", "RPW(2,0.1)", "ROBOT(0.1)", "RPW(2,10)")
    colours, markers = zip(*map(style_of, names), strict=True)
    assert len(set(colours)) == len(set(markers)) == len(names)
    assert style_of("ROBOT(0.3)") == style_of("ROBOT(0.1)")
