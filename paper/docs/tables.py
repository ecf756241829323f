"""Fills the tables of these pages from the CSV files. A table is found by its first line.

python paper/docs/tables.py
"""

import re
from itertools import product
from statistics import mean, median

from results_csv import HERE, rows_of

SCENARIOS = {"noise": "noise", "shift": "shift", "both": "noise and shift"}
DATASETS = {"mnist": "MNIST", "cifar10": "CIFAR-10", "corel": "COREL"}
ANSWERS = ("yes", "consistent", "no", "open")
SWEPT = {
    (dataset, scenario): f"sweep-{dataset}-{scenario}-{queries}"
    for dataset, queries in (("mnist", 600), ("cifar10", 50), ("corel", 50))
    for scenario in SCENARIOS
}
FIXED_K = (0.178, 0.562, 1.78)
NEW_DRAWS = ("1", "2")  # repeats, counted from 0
KEYS = {"w1": "W1", "w2": "W2", "tv": "TV", "rpw-k1": "RPW(2,1)", "rpw-k0.1": "RPW(2,0.1)", "robot-0.1": "ROBOT(0.1)"}


def by_dataset():
    """How many of the paper's claims have which answer."""
    answers = ("yes", "no", "not significant")
    given = {name: [] for name in DATASETS.values()}
    for row in rows_of("claims.csv"):
        if not row["source"].startswith("ours"):
            given[DATASETS[row["dataset"]]].append(row["verdict"])
    given["**all**"] = [answer for own in given.values() for answer in own]
    return ["retrieval", "claims", *answers], [
        [name, str(len(own)), *(str(own.count(answer)) for answer in answers)] for name, own in given.items()
    ]


KINDS = {
    "the introduction's examples, figures 1 to 4": ("Introduction", "Figure 1", "Figure 2", "Figure 3", "Figure 4"),
    "Theorems 2.1 and 3.1; Lemmas 2.2, 3.2, 4.1 to 4.3, A.1, A.4": (
        *("Theorem 2.1", "Theorem 3.1", "Lemma 2.2", "Lemma 3.2", "Lemma 4.1", "Lemma 4.2", "Lemma 4.3", "Lemma A.1"),
        "Lemma A.4",
    ),
    "rates: Lemmas 3.3 to 3.6, A.2; Theorem 3.7": (
        *("Lemma 3.3", "Lemma 3.4", "Lemma 3.5", "Lemma 3.6", "Lemma A.2", "Theorem 3.7"),
        "Theorem 3.7, equal distributions",
    ),
    "figure 6: convergence on finitely many points": ("Figure 6",),
    "section 5: the running time and the error of LMR": ("Section 5",),
}


def by_kind():
    """How many statements of each kind have which answer."""
    given = {}
    for row in rows_of("paper/verdicts.csv"):
        (kind,) = (name for name, parts in KINDS.items() if row["part"] in parts)
        given.setdefault(kind, []).append(row["verdict"])
    rows = [(name, given[name]) for name in KINDS]
    rows.append(("**all**", [answer for _, own in rows for answer in own]))
    return ["statements", "number", *ANSWERS], [
        [name, str(len(own)), *(str(own.count(answer)) for answer in ANSWERS)] for name, own in rows
    ]


def verdicts():
    header = ["data", "scenario", "claim", "difference (95 % interval)", "p (Holm)", "verdict"]
    return header, [
        [
            DATASETS[row["dataset"]],
            unbroken(SCENARIOS[row["scenario"]]),
            f"{row['better']} above {row['worse']}"
            + (f" under {SCENARIOS[row['worse_scenario']]}" if row["worse_scenario"] != row["scenario"] else "")
            + (" (ours)" if row["source"].startswith("ours") else ""),
            *_found(row),
            _verdict(row["verdict"]),
        ]
        for row in rows_of("claims.csv")
    ]


def _verdict(answer):
    return f"**{answer}**" if answer in ("yes", "no") else unbroken(answer)


def unbroken(text):
    """A cell that keeps to one line."""
    return text.replace(" ", "\N{NO-BREAK SPACE}")


def _found(row):
    if not row["difference"]:  # not run
        return ["–"] * 2
    by, low, high, holm = (float(row[name]) for name in ("difference", "low", "high", "holm"))
    chance = "< 0.001" if holm < 0.001 else f"{holm:.3f}"
    return [f"{by:+.3f} " + unbroken(f"({low:+.3f} to {high:+.3f})"), unbroken(chance)]


def accuracies(dataset, queries, shown, scenarios=tuple(SCENARIOS)):
    """A cell for each distance and scenario: the mean accuracies at some m, the highest in bold. Digits have five
    repeats, and ± at m = 10."""
    header = [f"{DATASETS.get(dataset, dataset)}, {queries} queries, m = {', '.join(map(str, shown))}"]
    header += [SCENARIOS[scenario] for scenario in scenarios]
    columns = []
    for scenario in scenarios:
        found = {
            (row["distance"], int(row["m"])): row for row in rows_of(f"{dataset}-{scenario}-{queries}/accuracy.csv")
        }
        names = [name for name in KEYS.values() if (name, shown[0]) in found]
        columns.append({name: " / ".join(_cell(found, names, name, m) for m in shown) for name in names})
    return header, [[name, *(column[name] for column in columns)] for name in columns[0]]


def _cell(found, names, name, m):
    row = found[name, m]
    text = f"{float(row['accuracy']):.3f}"
    if m == 10 and row["high"]:
        text += f" ±{float(row['high']) - float(row['accuracy']):.3f}"
    best = max(float(found[other, m]["accuracy"]) for other in names)
    return f"**{text}**" if float(row["accuracy"]) == best else text


def hits_of(run):
    """At m = 10, of every query: by distance and repeat."""
    found = {}
    for row in rows_of(f"{run}/hits.csv"):
        found.setdefault(row["distance"], {}).setdefault(row["repeat"], []).append(int(row["hits_at_10"]))
    return found


def repeats(dataset):
    """The three repeats apart: the accuracies at m = 10, the highest of each repeat in bold."""
    columns = []
    for scenario in SCENARIOS:
        found = {
            name: [mean(hits) / 10 for hits in own.values()]
            for name, own in hits_of(f"{dataset}-{scenario}-50").items()
        }
        best = [max(own) for own in zip(*found.values(), strict=True)]
        columns.append({name: " / ".join(map(_marked, own, best)) for name, own in found.items()})
    header = [f"{DATASETS[dataset]}, m = 10, repeats 1 / 2 / 3", *SCENARIOS.values()]
    return header, [[name, *(column[name] for column in columns)] for name in columns[0]]


def _marked(value, best):
    return f"**{value:.3f}**" if value == best else f"{value:.3f}"


def claims_by_repeat():
    """In how many of the two new draws of 50 queries the claimed winner won.

    The first repeat is no new draw: its queries are among the 600, and most of its labelled pictures are those of that
    run.
    """
    found = {}
    for row in rows_of("claims.csv"):
        found.setdefault((row["dataset"], row["verdict"]), []).append(new_draws_above(row))
    answers = ("yes", "no", "not significant")
    return ["claims", "with 600 queries", "number", "above in both new draws", "in one", "in none"], [
        [DATASETS[dataset], unbroken(verdict), str(len(times)), *(str(times.count(count)) for count in (2, 1, 0))]
        for dataset, verdict in product(DATASETS, answers)
        if (times := found.get((dataset, verdict)))
    ]


def new_draws_above(claim):
    better, worse = (
        hits_of(f"{claim['dataset']}-{claim[scenario]}-50")[claim[side]]
        for side, scenario in (("better", "scenario"), ("worse", "worse_scenario"))
    )
    return sum(sum(better[repeat]) > sum(worse[repeat]) for repeat in NEW_DRAWS)


def other_reading():
    """What each distance finds if queries are not tinted, and how much more than if they are."""
    found = {}
    for row in rows_of("claims-plain.csv"):
        if row["better"] == row["worse"]:
            by, low, high = (float(row[name]) for name in ("difference", "low", "high"))
            gain = unbroken(f"({by:+.3f}: {low:+.3f} to {high:+.3f})")
            where = f"{DATASETS[row['dataset']]}, {SCENARIOS[row['worse_scenario']]}"
            found.setdefault(row["better"], {})[where] = f"{_short(row['accuracy_better'])} {gain}"
    columns = list(found["W1"])
    return ["not tinted, 50 queries, m = 10", *columns], [
        [name, *(cells[where] for where in columns)] for name, cells in found.items()
    ]


def times():
    """Of the first repeats. A part that was cut off and resumed has only the time of the queries that were left."""
    names, found = {**KEYS, "rpw-sweep": "RPW, 17 k"}, {}
    for row in (row for row in rows_of("times.csv") if row["repeat"] == "0"):
        text = row["seconds"]
        if int(row["queries"]) < int(row["run"].rpartition("-")[2]):
            text += f" (of {row['queries']} queries)"
        found.setdefault(row["run"], {})[names.get(row["distance"])] = text  # of λ-ROBOT the other λ are not shown
    header = ["seconds on one H200", *names.values()]
    return header, [[run, *(seconds.get(name, "–") for name in names.values())] for run, seconds in found.items()]


def exponents():
    found = rows_of("convergence/exponents.csv")
    discrete = [row for row in found if row["distribution"] in ("two points", "4 x 4 grid")]
    header = ["distribution", "distance", "fitted", "theory"]
    return header, [[row["distribution"], row["distance"], _fitted(row), _short(row["theory"])] for row in discrete]


def bounds():
    found = {(row["distribution"], row["distance"]): row for row in rows_of("convergence/exponents.csv")}
    rows = []
    for case in ("square", "two squares", "cube"):
        for p in ("1", "2", "4", "inf"):
            plain, ours = found[case, f"W{p}"], found[case, f"RPW({p},1)"]
            cells = [_fitted(plain), _short(plain["theory"]), _fitted(ours), _short(ours["theory"])]
            rows.append([case, p.replace("inf", "∞"), *cells])
    return ["density", "p", "W_p", "bound", "RPW(p,1)", "bound"], rows


def _fitted(row):
    return f"{float(row['fitted']):.3f} ±{float(row['high']) - float(row['fitted']):.3f}"


def _short(text):
    return f"{float(text):.3f}"


def outliers():
    found = {
        (row["distance"], float(row["outliers_at"]), float(row["share"])): float(row["change"])
        for row in rows_of("robustness/outliers.csv")
    }
    names, places = dict.fromkeys(key[0] for key in found), dict.fromkeys(key[1] for key in found)
    return ["distance", "outliers", *(f"at {place:g}" for place in places)], [
        [name, f"{share:.0%}", *(f"{found[name, place, share]:.4g}" for place in places)]
        for share in (0.01, 0.1)
        for name in names
    ]


def thresholds():
    found = {}
    for row in rows_of("robustness/thresholds.csv"):
        found.setdefault(row["distance"], []).append((float(row["noise"]), float(row["shift"])))
    rows = []
    for name, pairs in found.items():
        noise, shift = zip(*pairs, strict=True)
        rows.append([name, f"{median(noise):.1%}", f"{mean(noise):.1%}", f"{median(shift):.1f}", f"{mean(shift):.1f}"])
    return ["distance", "noise, median", "mean", "shift in rows, median", "mean"], rows


def parts():
    """How many statements of each part have which answer."""
    found = {}
    for row in rows_of("paper/verdicts.csv"):
        found.setdefault(row["part"], []).append(row["verdict"])
    return ["part of the paper", "statements", *ANSWERS], [
        [part, str(len(given)), *(str(given.count(answer) or "") for answer in ANSWERS)]
        for part, given in found.items()
    ]


def rates(part, name):
    """A row for each space, a column for each p: the fitted exponent, that of the bound, and the verdict unless yes."""
    found = {}
    for row in rows_of(f"paper/{part}/rates.csv"):
        space, _, p = row["what"].rpartition(", p = ")
        half = float(row["high"]) - float(row["fitted"])
        text = unbroken(f"{float(row['fitted']):.3f} ±{half:.3f}") + f" ({float(row['bound']):.3f})"
        found.setdefault(space, {})[p] = text + ("" if row["verdict"] == "yes" else f" *{row['verdict']}*")
    columns = ("1", "2", "4", "∞")
    return [name, *(f"p = {p}" for p in columns)], [
        [space, *(cells[p] for p in columns)] for space, cells in found.items()
    ]


def in_the_plane():
    """Lemmas 3.3 and 3.4: how far they were measured, and what was found."""
    rows = []
    for part, lemma in (("lemma-3-3", "Lemma 3.3"), ("lemma-3-4", "Lemma 3.4")):
        largest = {row["what"]: int(row["n"]) for row in rows_of(f"paper/{part}/values.csv")}  # n grows
        for row in rows_of(f"paper/{part}/rates.csv"):
            space = row["what"].removesuffix(", p = 2").removesuffix(", d = 2")
            cells = [_fitted(row), _short(row["bound"]), _verdict(row["verdict"])]
            rows.append([f"{lemma}, {space}", f"{largest[row['what']]:,}", *cells])
    return ["p = 2 in the plane", "largest n", "fitted", "bound", "verdict"], rows


def excesses():
    rows = [row for part in ("lemma-3-5", "lemma-a-2") for row in rows_of(f"paper/{part}/rates.csv")]
    return ["excess of a grid", "fitted", "bound", "verdict"], [
        [row["what"].removeprefix("excess, "), _fitted(row), _short(row["bound"]), _verdict(row["verdict"])]
        for row in sorted(rows, key=lambda row: row["what"].partition("d = ")[2])
    ]


def growth():
    return ["LMR's time along", "with", "exponent", "bound in the end", "bound here"], [
        [
            row["along"],
            row["fixed"],
            f"{float(row['fitted']):.2f} ±{float(row['half_width']):.2f}",
            f"{float(row['bound']):.0f}",
            f"{float(row['bound_here']):.2f}",
        ]
        for row in rows_of("paper/section-5/exponents.csv")
    ]


def choices():
    """The best parameter, the range without a significant loss, and the losses at a third of it and three times it."""
    rows = []
    for (dataset, scenario), folder in SWEPT.items():
        for row in rows_of(f"{folder}/choice.csv"):
            best, low, high = (f"{float(row[name]):g}" for name in ("best", "low", "high"))
            losses = [_loss(row, "third"), _loss(row, "triple")]
            near = low if low == high else unbroken(f"{low} to {high}")
            cells = [best, _short(row["accuracy"]), near, *losses]
            rows.append([DATASETS[dataset], unbroken(SCENARIOS[scenario]), row["distance"], *cells])
    header = ["data", "scenario", "distance", "best", "accuracy", "no significant loss"]
    return [*header, "loss at a third", "at three times"], rows


def fixed_k():
    """What some k lose against the best one; significant losses in bold."""
    rows = []
    for (dataset, scenario), folder in SWEPT.items():
        found = {row["parameter"]: row for row in rows_of(f"{folder}/sweep.csv")[:17]}
        best = float(rows_of(f"{folder}/choice.csv")[0]["best"])
        cells = ["the best" if k == best else _bold_if_significant(found[f"{k:.6f}"]) for k in FIXED_K]
        rows.append([f"{DATASETS[dataset]}, {SCENARIOS[scenario]}", *cells])
    return ["RPW(2,k) loses against the best k", *(f"k = {k:g}" for k in FIXED_K)], rows


def _bold_if_significant(row):
    return f"**{_loss(row, 'loss')}**" if float(row["holm"]) <= 0.05 else _loss(row, "loss")


def _loss(row, name):
    """With its interval, if it was swept."""
    if not row[name]:
        return "–"
    by, low, high = (float(row[each]) for each in (name, f"{name}_low", f"{name}_high"))
    return f"{by:.3f} " + unbroken(f"({low:.3f} to {high:.3f})")


def pages():
    """The tables of each page."""
    retrieved = {
        dataset: [accuracies(dataset, 600, (1, 10)), accuracies(dataset, 50, (1, 10, 50, 100)), repeats(dataset)]
        for dataset in DATASETS
    }
    return {
        "index": [by_dataset(), by_kind()],
        "retrieval": [verdicts(), claims_by_repeat()],
        **retrieved,
        "digits": [accuracies("digits", 20, (1, 10, 50, 100), ("both",))],
        "choosing-k": [choices(), fixed_k()],
        "other-reading": [other_reading()],
        "statements": [parts()],
        "rates": [
            *(rates("lemma-3-6", "μ and μ_n"), rates("theorem-3-7", "μ_n and ν_n"), in_the_plane(), excesses()),
            *(exponents(), bounds(), growth()),
        ],
        "robustness": [outliers(), thresholds()],
        "gpu": [times()],
    }


def as_text(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" if cells[0] != "---" else f"|{'|'.join(cells)}|" for cells in lines)


def filled(name, page):
    """The page of this name with its tables as the CSV files say."""
    for header, rows in pages()[name]:
        text = as_text(header, rows)
        place = re.escape(text.partition("\n")[0]) + r"(?:\n\|.*)*"
        assert len(re.findall(place, page)) == 1, f"{name}.md has no table, or two, with the line {text[:80]}"
        page = re.sub(place, lambda _, text=text: text, page)
    return page


if __name__ == "__main__":
    for name in pages():
        path = HERE / f"{name}.md"
        path.write_text(filled(name, path.read_text(encoding="utf-8")), encoding="utf-8")
