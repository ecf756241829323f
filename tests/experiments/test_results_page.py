"""The page of results says what its CSV files say."""

import csv
import importlib.util
import math
from pathlib import Path

import numpy as np
import pytest

from rpw.experiments.claims import CLAIMS, OTHER_READING, judge, read_hits, verdict_table
from rpw.experiments.files import write_csv
from rpw.experiments.paper import rates, spaces
from rpw.experiments.paper.rate_rule import Rate, answer_of
from rpw.experiments.statistics import LEVEL, fitted_exponent, holm, paired_difference

RESULTS = Path(__file__).parents[2] / "docs" / "results"
pytestmark = pytest.mark.skipif(not RESULTS.exists(), reason="docs/ is not here, as in an sdist")


@pytest.fixture(scope="module")
def tables():
    spec = importlib.util.spec_from_file_location("tables", RESULTS / "tables.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def page():
    return (RESULTS / "README.md").read_text(encoding="utf-8")


def rows_of(name):
    with (RESULTS / name).open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_tables_are_filled_from_the_files(tables, page):
    assert tables.filled(page) == page
    spoiled = page.replace("0.81", "0.82", 1)
    assert tables.filled(spoiled) == page != spoiled


@pytest.mark.parametrize(("name", "claims"), [("claims", CLAIMS), ("claims-plain", OTHER_READING)])
def test_verdicts_follow_from_the_hits(tmp_path, name, claims):
    judged = judge(read_hits(RESULTS, plain_queries=claims is OTHER_READING), claims)
    again = write_csv(tmp_path / "again.csv", *verdict_table(judged))
    assert again.read_bytes() == (RESULTS / f"{name}.csv").read_bytes()


def test_curves_follow_from_the_hits():
    for path in RESULTS.glob("*/hits.csv"):
        accuracy = {(row["distance"], int(row["m"])): row for row in rows_of(path.parent / "accuracy.csv")}
        hits = rows_of(path)
        for m in (m for m in (1, 10, 50, 100) if f"hits_at_{m}" in hits[0]):
            for name in {row["distance"] for row in hits}:
                counts = [int(row[f"hits_at_{m}"]) for row in hits if row["distance"] == name]
                assert float(accuracy[name, m]["accuracy"]) == pytest.approx(np.mean(counts) / m, abs=1e-6)


def test_exponents_follow_from_the_values():
    values = {}
    for row in rows_of("convergence/values.csv"):
        by_n = values.setdefault((row["distribution"], row["distance"]), {})
        by_n.setdefault(int(row["n"]), []).append(float(row["value"]))
    for row in rows_of("convergence/exponents.csv"):
        least = 10_000 if row["distribution"] in ("two points", "4 x 4 grid") else 250
        by_n = {n: found for n, found in values[row["distribution"], row["distance"]].items() if n >= least}
        fitted = fitted_exponent(np.array(list(by_n)), np.array([np.mean(found) for found in by_n.values()]))
        assert float(row["fitted"]) == pytest.approx(fitted, abs=1e-4)
        assert float(row["low"]) < fitted < float(row["high"])


def mean_of(case, distance, n):
    rows = rows_of("convergence/values.csv")
    asked = (case, distance, str(n))
    return np.mean([float(row["value"]) for row in rows if (row["distribution"], row["distance"], row["n"]) == asked])


def test_sentences_on_convergence(page):
    """The numbers in the words, that no table shows."""
    ratios = {
        case: [mean_of(case, "RPW(2,10)", n) / mean_of(case, "W2", n) * 10 for n in (100, 10_000, 1_000_000)]
        for case in ("two points", "4 x 4 grid")
    }
    assert [f"{ratio:.2f}" for ratio in ratios["two points"]] == ["0.83", "0.56", "0.23"]
    assert [f"{ratio:.2f}" for ratio in ratios["4 x 4 grid"]] == ["0.92", "0.83", "0.65"]
    assert (
        "0.83 of that of W2/10 at n = 100, 0.56 at n = 10,000 and 0.23 at n = 1,000,000; on the grid 0.92, 0.83" in page
    )
    shares = [mean_of("4 x 4 grid", "RPW(2,1)", n) / mean_of("4 x 4 grid", "TV", n) for n in (10_000, 1_000_000)]
    assert [f"{share:.2f}" for share in shares] == ["0.75", "0.96"]
    small = {
        n: max(1 - mean_of(case, "RPW(2,0.1)", n) / mean_of(case, "TV", n) for case in ratios)
        for n in (10, 1000, 3162, 10_000, 31_623, 100_000, 316_228, 1_000_000)
    }
    assert f"{small.pop(10):.1%}" == "9.5%"
    assert f"{max(small.values()):.1%}" == "1.2%"
    n = np.array([250, 600, 1500, 4000])
    assert f"{fitted_exponent(n, np.sqrt(np.log(n) / n)):.3f}" == "-0.427"
    assert "fitted over the same n, has -0.427" in page


def test_sentences_on_robustness(page):
    changes = [row for row in rows_of("robustness/outliers.csv") if row["distance"].startswith("RPW")]
    assert len(changes) == 168
    assert "in all 168 cases" in page
    assert all(float(row["change"]) <= float(row["share"]) for row in changes)
    shift = {}
    for row in rows_of("robustness/thresholds.csv"):
        shift.setdefault(row["distance"], []).append(float(row["shift"]))
    ours = np.array(shift["RPW(2,1)"])
    assert ((ours > shift["TV"]).sum(), (ours > shift["W1"]).sum()) == (16, 20)
    assert max(shift, key=lambda name: np.median(shift[name])) == "RPW(2,1)"
    assert max(shift, key=lambda name: np.mean(shift[name])) == "TV"
    assert f"{max(shift['TV']):.1f}" == "10.7"


def test_verdicts_in_words(page):
    rows = rows_of("claims.csv")
    of_paper = [row for row in rows if not row["source"].startswith("ours")]
    assert f"over all {len(rows)} claims ({len(of_paper)} of the paper's, {len(rows) - len(of_paper)} of ours)" in page
    counts = {answer: [row["verdict"] for row in of_paper].count(answer) for answer in ("yes", "no", "not decided")}
    assert counts == {"yes": 27, "no": 0, "not decided": 19}
    assert "Of the paper's 46 claims, 27 hold, none is\nrefuted, and 19 are not decided" in page
    for name, words in (
        ("mnist", "MNIST: 14 of 16 claims hold"),
        ("cifar10", "CIFAR-10: 4 of 15"),
        ("corel", "COREL: 9 of 15"),
    ):
        verdicts = [row["verdict"] for row in of_paper if row["dataset"] == name]
        assert f"{verdicts.count('yes')} of {len(verdicts)}" in words
        assert words in page


def test_differences_in_words(page):
    rows = rows_of("claims.csv")
    assert {row["queries"] for row in rows} == {"600"}
    assert "here all are judged by 600" in page
    widths = [(float(row["high"]) - float(row["low"])) / 2 for row in rows]
    assert (f"{min(widths):.3f}", f"{max(widths):.3f}") == ("0.004", "0.025")
    assert "they gave between ±0.004 and ±0.025" in page
    colour = [row for row in rows if row["dataset"] == "cifar10"]
    assert all((row["worse"] == "TV") == (row["verdict"] == "yes") for row in colour if row["scenario"] != "shift")
    assert {row["verdict"] for row in colour if row["scenario"] == "shift"} == {"not decided"}
    ours = [row for row in colour if row["better"] == "RPW(2,0.1)" and row["worse"] in ("W1", "W2")]
    ends = [(f"{min(found):+.3f}", f"{max(found):+.3f}") for found in columns_of(ours)]
    assert ends == [("-0.005", "+0.011"), ("-0.018", "+0.025")]
    assert "from them lie between -0.005 and +0.011, with intervals that reach from -0.018 to +0.025" in page


def test_differences_of_photographs_in_words(page):
    rows = [row for row in rows_of("claims.csv") if row["dataset"] == "corel"]
    assert {row["verdict"] for row in rows if row["scenario"] == "noise"} == {"yes"}
    shifted = [row for row in rows if row["scenario"] != "noise"]
    assert all((row["worse"] == "TV") == (row["verdict"] == "yes") for row in shifted)
    left = [row for row in shifted if row["verdict"] == "not decided"]
    assert len(left) == 6
    differences, _ = columns_of([row for row in left if row["better"] == "RPW(2,0.1)"])
    assert (f"{min(differences):.3f}", f"{max(differences):.3f}") == ("0.002", "0.005")
    assert "RPW(2,0.1) was between 0.002 and 0.005\n  above W1 and W2" in page
    assert all(0 < float(row["difference"]) < 0.001 for row in left if row["better"] == "W1")
    _, ends = columns_of(left)
    assert (f"{min(ends):+.3f}", f"{max(ends):+.3f}") == ("-0.007", "+0.015")
    assert "with intervals that reach from -0.007 to +0.015" in page


def test_differences_of_digits_in_words(page):
    counts = {}
    for row in rows_of("digits-both-20/hits.csv"):
        counts.setdefault(row["distance"], []).append(int(row["hits_at_10"]))
    others = ("W1", "W2", "TV", "ROBOT(0.1)")
    found = [paired_difference(np.array(counts["RPW(2,0.1)"]), np.array(counts[name])) for name in others]
    decided = holm(np.array([each.pvalue for each in found])) <= LEVEL
    assert decided.tolist() == [True, True, False, True]
    said = [f"{each.mean / 10:.3f} ({each.low / 10:.3f} to {each.high / 10:.3f})" for each in found]
    assert f"above W1 by {said[0]}, above W2 by {said[1]}, and\nabove ROBOT(0.1) by {said[3]}" in page
    assert f"It is not told apart from TV: {said[2]}" in page
    assert {len(own) for own in counts.values()} == {100}


def test_the_other_reading_in_words(page):
    rows = rows_of("claims-plain.csv")
    assert {(row["verdict"], row["queries"]) for row in rows} == {("not decided", "50")}
    assert f"{min(float(row['holm']) for row in rows):.3f}" == "0.089"
    assert "**none of the 44 is decided**; the smallest Holm is 0.089" in page
    gains, claims = ([row for row in rows if (row["better"] == row["worse"]) == is_gain] for is_gain in (True, False))
    assert (len(gains), len(claims)) == (24, 20)
    small, photographs = ([row for row in gains if row["dataset"] == name] for name in ("cifar10", "corel"))
    differences, _ = columns_of(small)
    assert (f"{min(differences):.3f}", f"{max(differences):.3f}") == ("0.010", "0.076")
    assert "All twelve gains are positive, between 0.010 and 0.076" in page
    assert all((float(row["low"]) > 0) == (row["better"] != "TV") for row in small)
    differences, _ = columns_of(photographs)
    assert (f"{min(differences):+.3f}", f"{max(differences):+.3f}") == ("-0.016", "+0.014")
    assert "The gains lie between -0.016 and +0.014, and all their intervals hold 0" in page
    assert all(float(row["low"]) <= 0 <= float(row["high"]) for row in (*photographs, *claims))
    differences, _ = columns_of([row for row in claims if row["better"] == "RPW(2,0.1)"])
    assert (len(differences), f"{min(differences):.3f}", f"{max(differences):.3f}") == (12, "0.002", "0.066")
    assert "RPW(2,0.1) was above W1, W2 and TV in all four runs, by 0.002 to 0.066" in page


def test_sentences_on_times(page):
    rows = rows_of("times.csv")
    resumed = [row for row in rows if int(row["queries"]) < int(row["run"].rpartition("-")[2])]
    assert len(resumed) == 4
    assert "Four parts were cut off and resumed" in page
    assert f"{max(float(row['from_cpu']) for row in rows):.1e}" == "2.2e-16"
    assert "differ by at most 2.2e-16" in page
    seconds = {(row["run"], row["distance"]): float(row["seconds"]) for row in rows}
    times = [taken / seconds[run, "rpw-k1"] for (run, key), taken in seconds.items() if key == "rpw-sweep"]
    assert f"17 k together took between {min(times):.1f} and {max(times):.1f} times" in page
    ends = []
    for lam in ("0.0316", "0.1", "0.316"):
        taken = [seconds[f"cifar10-{scenario}-50", f"robot-{lam}"] for scenario in ("noise", "shift", "both")]
        ends.append(f"{min(taken)} to {max(taken)} s at λ = {lam}")
    assert f"λ-ROBOT on CIFAR-10 took {ends[0]}, {ends[1]}, and {ends[2]}." in page


def columns_of(rows):
    """All differences, and all ends of their intervals."""
    yield [float(row["difference"]) for row in rows]
    yield [float(row[name]) for row in rows for name in ("low", "high")]


def verdicts_of(part):
    return {
        row["statement"]: (row["found"], row["verdict"]) for row in rows_of("paper/verdicts.csv") if row["part"] == part
    }


def test_sentences_on_the_parts_of_the_paper(page):
    answers = [(row["part"], row["verdict"]) for row in rows_of("paper/verdicts.csv")]
    assert [part for part, answer in answers if answer == "no"] == ["Lemma 2.2", "Figure 6"]
    assert "**Two statements are not borne out.**" in page
    printed = [row for row in rows_of("paper/lemma-2-2/cases.csv") if row["inequality"].endswith("as printed")]
    assert (sum(float(row["room"]) < -1e-9 for row in printed), len(printed)) == (1168, 1200)
    assert "1,168 of 1,200 random cases break it" in page
    assert verdicts_of("Figure 6")["two points: a large k gives W2/k"][1] == "no"
    cases = rows_of("paper/lemma-3-2/cases.csv")
    held = [float(row["ratio"]) for row in cases if row["a1"] == "True"]
    others = [float(row["ratio"]) for row in cases if row["a1"] == "False"]
    assert (len(held), len(others), sum(ratio < 0.1 for ratio in others)) == (1200, 1200, 750)
    assert f"{min(held):.3f}" == "0.367"
    assert max(held) <= 1
    assert f"{min(others):.2f}" == "0.01"
    assert "between 0.367 and 1 times min(δ, W_p/k) in 1,200 cases" in page


def values_of(path):
    """By what and by n; samples of one density are those of the convergence."""
    values = {}
    own = path.parent / "values.csv"
    for row in rows_of(own if own.exists() else "convergence/values.csv"):
        what = row["what"] if own.exists() else f"{row['distribution']}, {row['distance']}"
        if own.exists() or int(row["n"]) >= 250:
            values.setdefault(what, {}).setdefault(int(row["n"]), []).append(float(row["value"]))
    return values


def test_rates_follow_from_the_values():
    for path in sorted(RESULTS.glob("paper/*/rates.csv")):
        values = values_of(path)
        for row in rows_of(path):
            by_n = values[row["what"]]
            fitted = fitted_exponent(np.array(list(by_n)), np.array([np.mean(found) for found in by_n.values()]))
            assert float(row["fitted"]) == pytest.approx(fitted, abs=1e-4)
            assert (float(row["high"]) <= float(row["with_log"])) == (row["verdict"] == "yes")


RATES = {"lemma-3-3": 3, "lemma-3-4": 4, "lemma-3-6": 6, "theorem-3-7": 7}


@pytest.mark.parametrize("part", ["lemma-3-3", "lemma-3-4", "lemma-3-6"])
def test_values_of_small_samples_are_found_again(part):
    plane = (2,), (2.0,), 200
    cases = {
        "lemma-3-3": rates.between_samples(*plane),
        "lemma-3-4": rates.to_sample(("square", "two squares"), *plane[1:]),
        "lemma-3-6": rates.to_sample(("line", "square", "two squares", "cube"), (1.0, 2.0, 4.0, math.inf), 200),
    }[part]
    stored = {
        (row["what"], int(row["n"]), int(row["repeat"])): row["value"] for row in rows_of(f"paper/{part}/values.csv")
    }
    for number, case in enumerate(cases):
        n = case.sizes[0]
        found = case.measure(np.random.default_rng([0, 40, RATES[part], number, n, 0]), n)
        assert float(stored[case.what, n, 0]) == pytest.approx(found, abs=1e-6)


@pytest.fixture(scope="module")
def largest():
    """The largest sample of each case of a rate."""
    return {
        part: {row["what"]: int(row["n"]) for row in rows_of(f"paper/{part}/values.csv")}  # n grows
        for part in RATES
    }


def test_sizes_of_samples(page, largest):
    densities = largest["lemma-3-6"]
    for what, n in densities.items():
        space, _, p = what.partition(", p = ")
        if space == "line" or p != "∞":
            most = {"line": 100_000, "square": 99_856, "two squares": 99_458, "cube": 97_336}[space]
            assert n == most
        else:
            assert 4000 < n <= 4096
    assert "99,856 on the square, 99,458 on two squares and 97,336 in the cube" in page
    for what, n in largest["theorem-3-7"].items():
        space, _, p = what.rpartition(", p = ")
        d = int(space[-1])
        is_slow = space.startswith("shifted") and p == "4"
        off_the_line = {"1": 10_000, "∞": 4096}.get(p, 31_623 if is_slow else 100_000)
        assert n == (100_000 if d == 1 else off_the_line), what
    assert "p = ∞ has at most 4,096 points" in page
    assert "p = 1 has at\nmost 10,000 points, and the shifted box at most 31,623 points for p = 4" in page


def rate_of(part, what):
    row = next(row for row in rows_of(f"paper/{part}/rates.csv") if row["what"] == what)
    return {name: float(row[name]) for name in ("fitted", "low", "high", "bound", "spread")}


def test_what_is_added_to_upper_bounds(page):
    """Its share at the largest n, and that no verdict rests on it."""
    by_case, shares = values_of(RESULTS / "paper/lemma-3-6/rates.csv"), {}
    for row in rows_of("paper/lemma-3-6/rates.csv"):
        space, _, p = row["what"].partition(", p = ")
        density, by_n = spaces.DENSITIES[space], by_case[row["what"]]
        added = {n: density.error(n, float(p.replace("∞", "inf"))) for n in by_n}
        last = max(by_n)
        shares.setdefault(space, []).append(added[last] / np.mean(by_n[last]))
        n = np.array(list(by_n), dtype=float)
        bare = np.array([np.array(found) - added[size] for size, found in by_n.items()])
        assert answer_of(Rate("without it", n, bare, float(row["bound"]))) == row["verdict"]
    off = [share for space, own in shares.items() if space != "line" for share in own]
    assert f"between {100 * min(off):.0f} % and {100 * max(off):.0f} % of\nthe mean off the line" in page
    assert max(shares["line"]) < 0.01
    assert "No verdict rests on it" in page


def shares_off_a_half(part, number, n):
    """Of the samples behind the values: how far the share of points in one of the two squares is from a half."""
    density = spaces.DENSITIES["two squares"]
    samples = [density.sample(np.random.default_rng([0, 40, part, number, n, repeat]), n) for repeat in range(20)]
    return np.array([abs(np.mean(points[:, 0] < 0.3) - 0.5) for points in samples])


def test_sentences_on_two_squares(page):
    what, numbers = "two squares, p = 2", {"lemma-3-4": (4, 1), "lemma-3-6": (6, 9)}
    rows = [rate_of(part, what) for part in numbers]
    assert rows[0]["low"] > rows[1]["high"]
    said = [f"{row['fitted']:.3f} ±{row['high'] - row['fitted']:.3f}" for row in rows]
    assert f"miss each other: {said[0]} under Lemma 3.4 and\n{said[1]} under Lemma 3.6" in page
    values = [values_of(RESULTS / f"paper/{part}/rates.csv")[what] for part in numbers]
    correlations, times = [], []
    for own, seeds in zip(values, numbers.values(), strict=True):
        off = {n: shares_off_a_half(*seeds, n) for n in own}
        correlations += [np.corrcoef(off[n], own[n])[0, 1] for n in own]
        times += [off[n].mean() * math.sqrt(2 * math.pi * n) for n in (128, 99_458)]
    assert f"correlations of {math.floor(100 * min(correlations)) / 100:.2f} and\nmore" in page
    told = [f"{each:.1f}" for each in times]
    assert f"to be {told[0]} times as far away at n = 128,\nand {told[1]} times at n = 99,458" in page
    assert f"they were {told[2]} and {told[3]} times as far away" in page
    n = np.array(list(values[0]), dtype=float)
    both = Rate("both", n, np.array([[*values[0][size], *values[1][size]] for size in values[0]]), -1 / 3)
    assert f"both together give {both.fitted:.3f} ±{both.band:.3f}" in page


def test_sentences_on_samples(page):
    left = [row for row in rows_of("paper/theorem-3-7/rates.csv") if row["verdict"] != "yes"]
    assert [row["what"] for row in left] == [
        "shifted box, d = 1, p = 1",
        "shifted box, d = 2, p = 1",
        "slabs of other weights, d = 2, p = 1",
    ]
    assert all(float(row["fitted"]) < float(row["with_log"]) < float(row["high"]) for row in left)
    assert "three cells, all with p = 1: the shifted box for d = 1 and d = 2, and the slabs for d = 2" in page
    open_ones = [
        row["what"] for row in rows_of("paper/theorem-3-7-equal-distributions/rates.csv") if row["verdict"] != "yes"
    ]
    assert open_ones == ["square, RPW(1,1)", "two squares, RPW(1,1)"]
    assert "ten of twelve are *yes*" in page


@pytest.fixture(scope="module")
def sweeps(tables):
    """Of each experiment the choices, and the rows of the curves, by distance and parameter."""
    found = {}
    for dataset, scenario in tables.SWEPT:
        folder = f"sweep-{dataset}-{scenario}-50"
        chosen = {row["distance"]: row for row in rows_of(f"{folder}/choice.csv")}
        curves = {(row["distance"], row["parameter"]): row for row in rows_of(f"{folder}/sweep.csv")}
        found[dataset, scenario] = chosen, curves
    return found


def hits_of(dataset, scenario):
    """Of every query of a sweep, by distance and parameter."""
    hits = {}
    for row in rows_of(f"sweep-{dataset}-{scenario}-50/queries.csv"):
        hits.setdefault((row["distance"], row["parameter"]), []).append(int(row["hits_at_10"]))
    return hits


def compared(sweeps, better, worse):
    """Two parameters of distances in every sweep, and how likely the differences are chance."""
    found = []
    for where in sweeps:
        hits = hits_of(*where)
        found.append(paired_difference(np.array(hits[better]), np.array(hits[worse])))
    return found, holm(np.array([each.pvalue for each in found]))


def test_sweeps_follow_from_the_hits(sweeps):
    for where, (chosen, curves) in sweeps.items():
        hits = hits_of(*where)
        for (name, parameter), row in curves.items():
            own = np.array(hits[name, parameter])
            assert float(row["accuracy_at_10"]) == pytest.approx(own.mean() / 10, abs=1e-6)
            if name in chosen:
                best = np.array(hits[name, f"{float(chosen[name]['best']):.6f}"])
                loss = paired_difference(best, own)
                expected = [loss.mean / 10, loss.low / 10, loss.high / 10]
                assert [float(row[key]) for key in ("loss", "loss_low", "loss_high")] == pytest.approx(
                    expected, abs=1e-6
                )


def losses_of(sweeps, name, datasets=("mnist", "cifar10")):
    """What a third of the best parameter and three times it lose, and the ends of the intervals."""
    cells = [
        (chosen[name], side)
        for (dataset, _), (chosen, _) in sweeps.items()
        for side in ("third", "triple")
        if dataset in datasets and chosen[name][side]
    ]
    ends = [float(row[side + end]) for row, side in cells for end in ("_low", "_high")]
    return [float(row[side]) for row, side in cells], ends


def span(numbers):
    return f"{min(numbers):.3f}", f"{max(numbers):.3f}"


def test_sentences_on_the_best_k(sweeps, page):
    chosen = {where: own["RPW(2,k)"] for where, (own, _) in sweeps.items()}
    best = [float(row["best"]) for row in chosen.values()]
    assert f"lay between {min(best):g} and {max(best):g}." in page
    spans = {(float(row["low"]), float(row["high"])) for (dataset, _), row in chosen.items() if dataset != "mnist"}
    assert spans == {(0.01, 100)}
    assert "no k from 0.01 to 100 is told apart from it" in page
    losses, ends = losses_of(sweeps, "RPW(2,k)")
    low, high = span(losses)
    assert (
        f"lose between {low} and {high}, with intervals that reach from\n  {span(ends)[0]} to {span(ends)[1]}" in page
    )


def test_sentences_on_robot(sweeps, page):
    for dataset, words in (
        ("mnist", "lose between {} and {} on MNIST, with intervals that reach from {} to\n  {}"),
        ("cifar10", "on CIFAR-10 between {} and {}, with intervals that reach from {} to {}."),
    ):
        losses, ends = losses_of(sweeps, "ROBOT(λ)", (dataset,))
        assert words.format(*span(losses), *span(ends)) in page
    colour = {scenario: own["ROBOT(λ)"] for (dataset, scenario), (own, _) in sweeps.items() if dataset == "cifar10"}
    assert {(float(row["low"]), float(row["high"])) for row in colour.values()} == {(0.0316, 0.316)}
    assert "On CIFAR-10 none of the three λ is told\n  apart from the best one" in page
    assert [scenario for scenario, row in colour.items() if row["best"] == row["low"]] == ["noise"]
    all_hits = [hits_of(*where) for where in sweeps]
    assert all(hits["ROBOT(λ)", "0.316000"] == hits["W1", ""] for hits in all_hits)
    assert sum(len(hits["W1", ""]) for hits in all_hits) == 300
    assert "each of the 300 queries of the six\n  has as many hits as with W1" in page


def test_sentences_on_the_rule_for_k(sweeps, page):
    small, rule, large = (
        {where: curves["RPW(2,k)", k] for where, (_, curves) in sweeps.items()}
        for k in ("0.178000", "0.562000", "1.780000")
    )
    assert all(float(row["holm"]) > LEVEL for row in rule.values())
    _, most = span([float(row["loss"]) for row in rule.values()])
    _, reach = span([float(row["loss_high"]) for row in rule.values()])
    assert f"It loses at most {most}, with intervals that reach up to {reach}." in page
    worst = [max(float(row["loss"]) for row in own.values()) for own in (small, large)]
    assert f"A third of 0.562 loses up to {worst[0]:.3f}, three times it up to {worst[1]:.3f}" in page
    told = [[where for where, row in own.items() if float(row["holm"]) <= LEVEL] for own in (small, large)]
    assert told == [[("mnist", "shift")], [("mnist", "noise")]]
    for where, row in small.items():
        assert (float(row["loss"]) < float(large[where]["loss"])) == (where[1] == "noise")
    ends = [
        abs(float(curves["RPW(2,k)", k]["accuracy_at_10"]) - float(curves[name, ""]["accuracy_at_10"]))
        for (dataset, _), (_, curves) in sweeps.items()
        for k, name in (("0.010000", "TV"), ("100.000000", "W2"))
        if dataset == "mnist"
    ]
    assert max(ends) == pytest.approx(0.002)


def test_sentences_on_the_safer_side(sweeps, page):
    found, chances = compared(sweeps, ("RPW(2,k)", "0.178000"), ("RPW(2,k)", "1.780000"))
    noise, shift, *others = found
    assert [where for where, chance in zip(sweeps, chances, strict=True) if chance <= LEVEL] == [("mnist", "noise")]
    said = f"above by {noise.mean / 10:.3f} ({noise.low / 10:.3f} to {noise.high / 10:.3f}; Holm, over the\n  six, is"
    assert f"{said} {chances[0]:.3f})" in page
    said = (
        f"it was {-shift.mean / 10:.3f} below ({-shift.high / 10:.3f} to {-shift.low / 10:.3f}; Holm {chances[1]:.3f})"
    )
    assert said in page
    assert f"In the other four they differ by at most {max(abs(each.mean) for each in others) / 10:.3f}" in page
    assert all(each.low <= 0 <= each.high for each in others)


def test_sentences_on_k_beside_robot(sweeps, page):
    found, chances = compared(sweeps, ("RPW(2,k)", "0.562000"), ("ROBOT(λ)", "0.100000"))
    low, high = span([each.mean / 10 for each in found])
    ends = span([end / 10 for each in found for end in (each.low, each.high)])
    chance = min(chances)
    assert chance > LEVEL
    said = f"was above by {low} to {high}, with\n  intervals that reach from {ends[0]} to {ends[1]} (the smallest Holm"
    assert said in page
    assert f"is {chance:.3f})" in page
