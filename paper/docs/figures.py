"""Draws the figures of these pages again, from the CSV files; the pictures of the proofs from their seed.

.venv/bin/python paper/docs/figures.py [FIGURE...]

The runs behind the CSV files took hours on a GPU. The figures need only the files.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from results_csv import HERE, rows_of

from rpw_paper.convergence import Curve
from rpw_paper.drawing import COLOURS, GUIDE, finish
from rpw_paper.files import new_figure
from rpw_paper.paper import excess, lmr_time, plan_pictures, profile_reading, proportion, rates
from rpw_paper.paper.exhibit import Drawing
from rpw_paper.paper.parts import EXPONENTS
from rpw_paper.paper.rate_rule import Rate
from rpw_paper.perturbation import SCENARIOS
from rpw_paper.price_sweep import PriceSweep, draw_sweeps
from rpw_paper.retrieval_views import draw_curves, figure_title
from rpw_paper.robustness import Outliers
from rpw_paper.theory_views import draw_continuous, draw_discrete, draw_outliers

ALL_N = 100_000  # the largest sample of the rates
DATASETS = {"mnist": "MNIST", "cifar10": "CIFAR-10", "corel": "COREL"}


def claims():
    """The differences of all claims of the paper, with their intervals: a panel for each data set."""
    rows = [row for row in rows_of("claims.csv") if not row["source"].startswith("ours")]
    figure = new_figure(10.4, 5.8)
    looks = {"yes": ("o", COLOURS[5]), "not significant": ("s", COLOURS[2]), "no": ("X", COLOURS[3])}
    for ax, (dataset, name) in zip(figure.subplots(1, 3), DATASETS.items(), strict=True):
        own = [row for row in rows if row["dataset"] == dataset][::-1]
        for verdict, (marker, colour) in looks.items():
            places = [i for i, row in enumerate(own) if row["verdict"] == verdict]
            by, low, high = (np.array([float(own[i][key]) for i in places]) for key in ("difference", "low", "high"))
            look = {"fmt": marker, "color": colour, "ms": 5, "lw": 1.4, "label": f"verdict: {verdict}"}
            ax.errorbar(by, places, xerr=[by - low, high - by], **look)
        ax.axvline(0, color=GUIDE, lw=1, ls=":")
        labels = [_claim(row) for row in own]
        # Both data sets in colour have the same claims: the labels between them are enough.
        ax.set_yticks(range(len(own)), labels if dataset != "corel" else [""] * len(own), fontsize=8.5)
        held = sum(row["verdict"] == "yes" for row in own)
        finish(ax, f"{name}: {held} of {len(own)} hold", "difference of the accuracies", "")
    first, second, _ = figure.axes
    assert [row[1:] for row in _colour(rows, "cifar10")] == [row[1:] for row in _colour(rows, "corel")]
    first.set_ylabel("claim of the paper")
    second.set_ylabel("claim of the paper, in colour")
    handles, labels = first.get_legend_handles_labels()
    title = "Line: 95 % interval, from 600 queries. Yes and no: significant at 5 % after Holm's correction."
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False, title=title, title_fontsize=9)
    return figure


def _colour(rows, dataset):
    return [(row["dataset"], _claim(row)) for row in rows if row["dataset"] == dataset]


def _claim(row):
    scenario = {"noise": "noise", "shift": "shift", "both": "both"}
    other = f" in {scenario[row['worse_scenario']]}" if row["worse_scenario"] != row["scenario"] else ""
    return f"{scenario[row['scenario']]}: {row['better']} above {row['worse']}{other}"


def accuracy(run):
    """The curves of a run, without bands: three repeats are too few for them."""
    facts = json.loads((HERE / run / "run.json").read_text(encoding="utf-8"))
    curves = {}
    for row in rows_of(f"{run}/accuracy.csv"):
        curves.setdefault(row["distance"], []).append(float(row["accuracy"]))
    figure = new_figure(6.4, 4.6)
    title = figure_title(facts["dataset"], facts["scenario"], facts["queries"], facts["repeats"])
    draw_curves(figure.add_subplot(), title, {name: np.array(own) for name, own in curves.items()}, {})
    return figure


def sweep(folder):
    facts = json.loads((HERE / folder / "run.json").read_text(encoding="utf-8"))
    hits = {}
    for row in rows_of(f"{folder}/queries.csv"):
        hits.setdefault(row["distance"], {}).setdefault(row["parameter"], []).append(int(row["hits_at_10"]))
    ours, robot = (np.array(list(hits[name].values())) for name in ("RPW(2,k)", "ROBOT(λ)"))
    ends = {name: np.array(hits[name][""]) for name in ("W1", "W2", "TV")}
    title = f"{facts['dataset']}: {SCENARIOS[facts['scenario']]}"
    return draw_sweeps([PriceSweep(title, 10, ours, robot, ends, tuple(map(float, hits["ROBOT(λ)"])))])


def curves():
    """Those of the experiment on convergence."""
    values, found = {}, []
    for row in rows_of("convergence/values.csv"):
        by_n = values.setdefault((row["distribution"], row["distance"]), {})
        by_n.setdefault(int(row["n"]), []).append(float(row["value"]))
    for row in rows_of("convergence/exponents.csv"):
        by_n = values[row["distribution"], row["distance"]]
        fitted_from = 10_000 if row["distribution"] in ("two points", "4 x 4 grid") else 250
        n, own = np.array(list(by_n)), np.array(list(by_n.values()))
        found.append(Curve(row["distribution"], row["distance"], n, own, float(row["theory"]), fitted_from))
    return found


def outliers():
    rows = rows_of("robustness/outliers.csv")
    names = list(dict.fromkeys(row["distance"] for row in rows))
    places, shares = (tuple(dict.fromkeys(float(row[key]) for row in rows)) for key in ("outliers_at", "share"))
    change = np.array([float(row["change"]) for row in rows]).reshape(len(names), len(places), len(shares))
    return draw_outliers(Outliers(names, places, shares, change))


def values_of_rates(part):
    """The values behind the rates of a part, by what they are and by n; those of one density lie in another folder."""
    values = {}
    if part == "theorem-3-7-equal-distributions":
        for curve in curves():
            used = curve.n >= curve.fitted_from
            by_n = dict(zip(curve.n[used].tolist(), curve.values[used].tolist(), strict=True))
            values[f"{curve.case}, {curve.distance}"] = by_n
        return values
    for row in rows_of(f"paper/{part}/values.csv"):
        values.setdefault(row["what"], {}).setdefault(int(row["n"]), []).append(float(row["value"]))
    return values


def rates_of(part):
    """The rates of a part, from every value."""
    values = values_of_rates(part)
    return [
        Rate(row["what"], np.array(list(by_n), dtype=float), np.array(list(by_n.values())), float(row["bound"]))
        for row in rows_of(f"paper/{part}/rates.csv")
        for by_n in [values[row["what"]]]
    ]


def lmr_sweeps():
    """The times of LMR along each variable."""
    points, times = {}, {}
    for row in rows_of("paper/section-5/times.csv"):
        point = (int(row["n"]), float(row["delta"]), float(row["k"]))
        points.setdefault(row["along"], {})[point] = None
        times.setdefault((row["along"], point), []).append(float(row["seconds"]))
    return [
        lmr_time.sweep_of(along, list(own), np.array([times[along, point] for point in own]))
        for along, own in points.items()
    ]


def drawn(exhibit):
    (drawing,) = exhibit.drawings
    assert isinstance(drawing, Drawing)
    return drawing.figure


def figures() -> Iterator[tuple[str, object]]:
    """The name of each figure, and what draws it."""
    yield "claims.png", claims
    for dataset in DATASETS:
        for scenario in ("noise", "shift", "both"):
            run = f"{dataset}-{scenario}-50"
            yield f"{run}/accuracy.png", lambda run=run: accuracy(run)
            folder = f"sweep-{dataset}-{scenario}-{600 if dataset == 'mnist' else 50}"
            yield f"{folder}/sweep.png", lambda folder=folder: sweep(folder)
    yield "convergence/discrete.png", lambda: draw_discrete([c for c in curves() if c.fitted_from == 10_000])
    yield "convergence/densities.png", lambda: draw_continuous([c for c in curves() if c.fitted_from == 250])
    yield "robustness/outliers.png", outliers
    spaces = ("line", "square", "two squares", "cube")
    for part, cases in (
        ("lemma-3-3", lambda: rates.between_samples((2,), (2.0,), ALL_N)),
        ("lemma-3-4", lambda: rates.to_sample(spaces[1:3], (2.0,), ALL_N)),
        ("lemma-3-6", lambda: rates.to_sample(spaces, EXPONENTS, ALL_N)),
        ("theorem-3-7", lambda: rates.between_samples((1, 2, 3), EXPONENTS, ALL_N)),
    ):
        yield f"paper/{part}/rates.png", lambda part=part, cases=cases: rates.draw(cases(), rates_of(part))
    for part in ("lemma-3-5", "lemma-a-2"):
        yield f"paper/{part}/excess.png", lambda part=part: excess.draw(rates_of(part))
    yield "paper/section-5/times.png", lambda: lmr_time.draw(lmr_sweeps())
    yield "paper/figure-1/figure-1.png", lambda: drawn(plan_pictures.figure_1(seed=0))
    yield "paper/figure-2/profile.png", lambda: drawn(profile_reading.profile_exhibit(seed=0))
    yield "paper/figure-3/figure-3.png", lambda: drawn(plan_pictures.figure_3(seed=0))
    yield "paper/figure-4/figure-4.png", lambda: drawn(plan_pictures.figure_4(seed=0))
    yield "paper/lemma-3-2/ratio.png", lambda: drawn(proportion.proportion_exhibit(cases=1200, seed=0))


def draw_all(names, folder: Path = HERE):
    for name, figure in figures():
        if not names or name in names:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            figure().savefig(folder / name, format="png", dpi=120, metadata={"Software": None})


if __name__ == "__main__":
    draw_all(sys.argv[1:])
