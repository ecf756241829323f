"""The page of results says what its CSV files say."""

import csv
import importlib.util
import json
import math
from pathlib import Path

import numpy as np
import pytest

from rpw.experiments.claims import CLAIMS, OTHER_READING, judge, read_hits, verdict_table
from rpw.experiments.files import write_csv
from rpw.experiments.paper import rates, spaces
from rpw.experiments.paper.rate_rule import Rate, answer_of
from rpw.experiments.perturbation import rows_to_move
from rpw.experiments.retrieval import draw
from rpw.experiments.statistics import LEVEL, fitted_exponent, holm, paired_difference
from rpw.io.pictures import Pictures

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


def json_of(run):
    return json.loads((RESULTS / run / "run.json").read_text(encoding="utf-8"))


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


def test_sentences_on_where_rpw_of_a_large_k_stands(page):
    bands = {
        (row["distribution"], row["distance"]): (float(row["low"]), float(row["high"]))
        for row in rows_of("convergence/exponents.csv")
    }
    tv, ours, w2 = (bands["4 x 4 grid", name] for name in ("TV", "RPW(2,10)", "W2"))
    assert tv[1] < ours[0] < ours[1] < w2[0]
    tv, ours = (bands["two points", name] for name in ("TV", "RPW(2,10)"))
    assert tv[0] < ours[0] < tv[1] < ours[1]
    assert "still on its way on the grid: its exponent lies between those of W2 and of TV" in page
    assert "On two points it is not told apart from that of TV" in page
    answers = [verdicts_of("Figure 6")[f"{case}: a large k gives W2/k"][1] for case in ("two points", "4 x 4 grid")]
    assert answers == ["no", "not decided"]
    assert "The verdict is *no* on two points and *not decided* on the grid" in page
    largest = {}
    for row in rows_of("convergence/values.csv"):
        largest[row["distribution"]] = max(largest.get(row["distribution"], 0), int(row["n"]))
    discrete = {largest.pop("two points"), largest.pop("4 x 4 grid")}
    assert (discrete, set(largest.values())) == ({1_000_000}, {4000})
    assert "from n = 10,000 to 1,000,000 (two points, grid) and from 250 to 4,000" in page


def test_sentences_on_robustness(page):
    changes = [row for row in rows_of("robustness/outliers.csv") if row["distance"].startswith("RPW")]
    assert sum(float(row["share"]) > 0 for row in changes) == 160
    assert "in all 160 cases" in page
    assert all(float(row["change"]) <= float(row["share"]) for row in changes)
    noise, shift = {}, {}
    for row in rows_of("robustness/thresholds.csv"):
        noise.setdefault(row["distance"], []).append(float(row["noise"]))
        shift.setdefault(row["distance"], []).append(float(row["shift"]))
    assert (np.array(noise["RPW(2,1)"]) < noise["W1"]).sum() == 14
    assert "RPW(2,1)\nwithstands less noise than W1 on 14 of the 20 pictures" in page
    ours = np.array(shift["RPW(2,1)"])
    assert ((ours > shift["TV"]).sum(), (ours > shift["W1"]).sum()) == (16, 20)
    assert max(shift, key=lambda name: np.median(shift[name])) == "RPW(2,1)"
    assert max(shift, key=lambda name: np.mean(shift[name])) == "TV"
    *rest, second, first = sorted(shift["TV"])
    assert max(rest) < 5
    assert f"withstands {second:.1f} and {first:.1f} rows on two pictures" in page


def test_verdicts_in_words(page):
    rows = rows_of("claims.csv")
    of_paper = [row for row in rows if not row["source"].startswith("ours")]
    assert f"over all {len(rows)} claims ({len(of_paper)} of the paper's, {len(rows) - len(of_paper)} of ours)" in page
    counts = {answer: [row["verdict"] for row in of_paper].count(answer) for answer in ("yes", "no", "not decided")}
    assert counts == {"yes": 27, "no": 0, "not decided": 19}
    assert "Of the paper's 46 claims, 27 hold, none is\nrefuted, and 19 are not decided" in page
    below = next(row for row in of_paper if float(row["difference"]) < 0 and row["dataset"] == "mnist")
    assert (below["scenario"], below["better"], below["worse"]) == ("noise", "RPW(2,1)", "TV")
    assert f"*below* TV; by itself, without Holm's correction, this has p = {float(below['p']):.3f}" in page
    across = [row for row in rows if row["scenario"] != row["worse_scenario"]]
    assert [(row["better"], row["scenario"], row["worse_scenario"]) for row in across] == [("TV", "noise", "shift")]
    assert "That one compares TV under noise with TV under shift" in page
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
    on_cores = [row for row in rows_of("times-cpu.csv") if int(row["queries"]) < 50]
    assert [tuple(row.values())[:4] for row in on_cores] == [("cifar10-noise-50", "2", "w1", "26")]
    assert "W1 with noise on CIFAR-10, third repeat, 26 of 50 queries" in page
    assert f"{max(float(row['from_cpu']) for row in rows):.1e}" == "2.2e-16"
    assert "differ by at most 2.2e-16" in page
    seconds = {(row["run"], row["distance"]): float(row["seconds"]) for row in rows if row["repeat"] == "0"}
    ratios = {run: taken / seconds[run, "rpw-k1"] for (run, key), taken in seconds.items() if key == "rpw-sweep"}
    small = [f"{ratios.pop(f'mnist-{scenario}-50'):.1f}" for scenario in ("shift", "both", "noise")]
    assert f"have {small[0]}, {small[1]}\n  and {small[2]}, but there k = 1 takes about a second" in page
    assert all(0.75 < seconds[f"mnist-{scenario}-50", "rpw-k1"] < 1.25 for scenario in ("noise", "shift", "both"))
    assert (
        f"between {min(ratios.values()):.1f} and {max(ratios.values()):.1f} times what k = 1 takes, in colour" in page
    )
    first, second = (seconds[f"cifar10-{scenario}-50", "tv"] for scenario in ("noise", "shift"))
    assert f"TV on CIFAR-10 took {first} s with noise and {second} s with a shift" in page
    kept = {(run, json_of(run)["nearest"]) for run, _ in seconds}
    assert all(nearest == (10 if run.endswith("-600") else 100) for run, nearest in kept)
    assert "(100 for 50 queries, 10 for 600)" in page
    ends = []
    for lam in ("0.01", "0.1", "0.316"):
        taken = [seconds[f"cifar10-{scenario}-50", f"robot-{lam}"] for scenario in ("noise", "shift", "both")]
        ends.append(f"{min(taken)} to {max(taken)} s at λ = {lam}")
    assert f"In the first repeat, λ-ROBOT on CIFAR-10 took {ends[0]}, {ends[1]}, and {ends[2]}." in page


def test_each_swept_parameter_has_its_time(tables):
    timed = {(row["run"], row["distance"]) for row in rows_of("times.csv") if row["repeat"] == "0"}
    for folder in tables.SWEPT.values():
        swept = {row["parameter"] for row in rows_of(f"{folder}/sweep.csv") if row["distance"] == "ROBOT(λ)"}
        assert {(folder.removeprefix("sweep-"), f"robot-{float(lam):g}") for lam in swept} <= timed


def test_sentence_on_the_size_of_digits(page):
    digits = json_of("digits-both-20")["pictures"]
    assert digits.startswith("20 x 20 pixels")
    assert (rows_to_move(20), rows_to_move(28)) == (1, 2)
    assert "The shift is one of 20 rows; on MNIST it is two\nof 28" in page


def test_sentences_on_what_cores_found_and_what_was_found_twice(page):
    def of_50(name):
        own = [row for row in rows_of(name) if row["distance"] in ("w1", "w2") and row["queries"] == "50"]
        return [float(row["seconds"]) for row in own if row["run"].endswith("-50") and "mnist" not in row["run"]]

    cores, device = of_50("times-cpu.csv"), of_50("times.csv")
    assert (len(cores), f"{min(cores):.0f}", f"{max(cores):.0f}") == (19, "54", "98")
    assert "54 to 98 s for each of\n  19 searches in colour" in page
    assert (min(device) > 18, max(device) < 36.5) == (True, True)
    assert "where the GPU takes 19 to 36 s" in page
    twice = rows_of("twice.csv")
    assert {(row["same_pictures"], row["same_bits"]) for row in twice} == {("yes", "yes")}
    assert (len({row["run"] for row in twice}), len(twice)) == (12, 24)
    assert "of twelve runs were found twice" in page


def test_sentences_on_repeats(tables, page):
    _, rows = tables.claims_by_repeat()
    decided = [row for row in rows if row[1] == "yes"]
    assert sum(int(row[2]) for row in decided) == sum(int(row[3]) for row in decided) == 31
    assert "All 31 claims that 600 queries decide, the paper's 27 and four of ours, have the same sign in both" in page
    highest = {}
    for dataset in ("mnist", "cifar10", "corel"):
        header, rows = tables.repeats(dataset)
        for column, scenario in enumerate(header[1:], start=1):
            places = [
                [name for name, *cells in rows if cell_at(cells[column - 1], r).startswith("*")] for r in range(3)
            ]
            highest[dataset, scenario] = [" and ".join(names) for names in places]
    assert highest["mnist", "noise"] == highest["corel", "noise"] == ["RPW(2,0.1)"] * 3
    assert highest["mnist", "noise and shift"] == ["RPW(2,1)"] * 3
    assert sorted(highest["mnist", "shift"]) == ["RPW(2,1)", "RPW(2,1)", "W2"]
    for scenario in ("shift", "noise and shift"):
        assert sorted(highest["corel", scenario]) == ["ROBOT(0.1)", "RPW(2,0.1)", "W1"]
    colour = [name for (dataset, _), names in highest.items() if dataset == "cifar10" for name in names]
    assert (sum(name.startswith("RPW") for name in colour), colour.count("ROBOT(0.1)"), len(colour)) == (8, 1, 9)
    assert "One of these two was the highest in eight of the nine cases,\nROBOT(0.1) in one" in page
    best = {}
    for scenario in ("shift", "both"):
        rows = [row for row in rows_of(f"cifar10-{scenario}-600/accuracy.csv") if row["m"] == "10"]
        best[scenario] = max(rows, key=lambda row: float(row["accuracy"]))["distance"]
    assert best == {"shift": "W2", "both": "W1"}
    assert "Of the four distances that have 600 queries, W2 leads with a shift, and W1 with both" in page


def test_sentences_on_claims_that_new_draws_do_not_decide(tables, page):
    left = {"mnist": [], "cifar10": [], "corel": []}
    for row in rows_of("claims.csv"):
        if row["verdict"] == "not decided" and not row["source"].startswith("ours"):
            left[row["dataset"]].append((tables.new_draws_above(row) == 2, float(row["difference"]) < 0))
    counts = {name: (sum(both for both, _ in own), len(own)) for name, own in left.items()}
    assert counts == {"mnist": (0, 2), "cifar10": (9, 11), "corel": (1, 6)}
    assert "nine of eleven on CIFAR-10 have the paper's sign in both, one of six on COREL, and none of two" in page
    assert sum(both and other for both, other in left["cifar10"]) == 5
    assert "with 600 queries, five of those nine have the other sign" in page


def test_sentences_on_what_the_repeats_share(page):
    """By the drawing itself: it needs the number of pictures, and none of them."""
    large, *small = (drawn(queries, repeat) for queries, repeat in ((600, 0), (50, 0), (50, 1), (50, 2)))
    assert np.array_equal(small[0].query_index, large.query_index[:50])
    shared = [len(np.intersect1d(own.labelled_index, large.labelled_index)) for own in small]
    assert shared[0] == 1450
    assert "1,450 of its 2,000 labelled pictures are those of the run with 600" in page
    assert all(abs(count - 800) < 20 for count in shared[1:])
    assert "on COREL, which has 5,000, each shares about 800\nlabelled pictures" in page


def drawn(queries, repeat):
    images = np.zeros((5000, 2, 2), dtype=np.uint8)
    blank = Pictures("blank", images, np.zeros(5000, dtype=np.str_))
    return draw(blank, "clean", 2000, queries, [0, repeat])


def cell_at(cell, repeat):
    return cell.split(" / ")[repeat]


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
    """Of each experiment the choices, the rows of the curves and the hits of every query, by distance and parameter."""
    found = {}
    for where, folder in tables.SWEPT.items():
        chosen = {row["distance"]: row for row in rows_of(f"{folder}/choice.csv")}
        curves = {(row["distance"], row["parameter"]): row for row in rows_of(f"{folder}/sweep.csv")}
        hits = {}
        for row in rows_of(f"{folder}/queries.csv"):
            hits.setdefault((row["distance"], row["parameter"]), []).append(int(row["hits_at_10"]))
        found[where] = chosen, curves, {key: np.array(own) for key, own in hits.items()}
    return found


def compared(sweeps, better, worse):
    """Two parameters of distances in every sweep, and how likely the differences are chance."""
    found = [paired_difference(hits[better], hits[worse]) for _, _, hits in sweeps.values()]
    return found, holm(np.array([each.pvalue for each in found]))


def said(each):
    return f"{each.mean / 10:.3f} ({each.low / 10:.3f} to {each.high / 10:.3f})"


def test_sentences_on_the_time_of_lmr(page):
    means = {}
    for row in rows_of("paper/section-5/times.csv"):
        means.setdefault(row["along"], {}).setdefault((row["delta"], row["k"]), []).append(float(row["seconds"]))
    for along, start in (("1/δ", "Along 1/δ their mean"), ("1/k", "Along 1/k it")):
        rising = [np.mean(own) for own in means[along].values()]  # 1/δ and 1/k grow
        assert rising[:3] == sorted(rising[:3])
        assert rising[3] < rising[2]
        words = f"{start} rises from {rising[0]:.2f} to {rising[2]:.2f} s, and falls to {rising[3]:.2f} s"
        assert words in page.replace("\n", " ")


def test_sweeps_follow_from_the_hits(sweeps):
    for chosen, curves, hits in sweeps.values():
        for (name, parameter), row in curves.items():
            own = hits[name, parameter]
            assert float(row["accuracy_at_10"]) == pytest.approx(own.mean() / 10, abs=1e-6)
            if name in chosen:
                loss = paired_difference(hits[name, f"{float(chosen[name]['best']):.6f}"], own)
                expected = [loss.mean / 10, loss.low / 10, loss.high / 10]
                assert [float(row[key]) for key in ("loss", "loss_low", "loss_high")] == pytest.approx(
                    expected, abs=1e-6
                )


def test_a_sweep_agrees_with_the_retrieval_at_the_same_k(sweeps):
    for (dataset, scenario), (_, _, hits) in sweeps.items():
        queries = len(hits["W1", ""])
        by_name = {}
        for row in rows_of(f"{dataset}-{scenario}-{queries}/hits.csv"):
            if row["repeat"] == "0":
                by_name.setdefault(row["distance"], []).append(int(row["hits_at_10"]))
        for name, key in (("RPW(2,0.1)", ("RPW(2,k)", "0.100000")), ("W2", ("W2", "")), ("TV", ("TV", ""))):
            assert hits[key].tolist() == by_name[name]


def losses_of(sweeps, name, datasets):
    """What a third of the best parameter and three times it lose, and whether that is decided."""
    cells = []
    for (dataset, _), (chosen, curves, _) in sweeps.items():
        best = float(chosen[name]["best"])
        for side, factor in (("third", 10**-0.5), ("triple", 10**0.5)):
            if dataset in datasets and chosen[name][side]:
                near = min(
                    (key for key in curves if key[0] == name), key=lambda key: abs(float(key[1]) - factor * best)
                )
                assert float(curves[near]["loss"]) == pytest.approx(float(chosen[name][side]))
                cells.append((float(chosen[name][side]), float(curves[near]["holm"]) <= LEVEL))
    return cells


def test_sentences_on_the_best_k(sweeps, page):
    chosen = {where: own["RPW(2,k)"] for where, (own, _, _) in sweeps.items()}
    spans = {where: tuple(float(row[name]) for name in ("best", "low", "high")) for where, row in chosen.items()}
    assert spans["mnist", "noise"] == (0.178, 0.1, 0.316)
    assert spans["mnist", "shift"] == (1.78, 0.562, 100)
    assert spans["mnist", "both"] == (0.562, 0.316, 0.562)
    assert "The best k is 0.178 with noise, 1.78 with a shift, and 0.562 with both." in page
    wide = {where for where, (_, low, high) in spans.items() if (low, high) == (0.01, 100)}
    assert wide == {(data, scenario) for data in ("cifar10", "corel") for scenario in ("noise", "shift", "both")} - {
        ("corel", "noise")
    }
    assert spans["corel", "noise"][0] == 0.0178
    told = [
        float(k)
        for (name, k), row in sweeps["corel", "noise"][1].items()
        if name == "RPW(2,k)" and float(row["holm"]) <= LEVEL
    ]
    assert told == [10, 17.8, 31.6, 56.2, 100]
    assert "nor on COREL with a shift or with both" in page
    assert "every k from 10 on is told apart from it" in page
    best = {
        (where, name): equally_good(curves, name)
        for where, (_, curves, _) in sweeps.items()
        for name in ("RPW(2,k)", "ROBOT(λ)")
    }
    shared = {key: found for key, found in best.items() if len(found) > 1}
    assert shared == {(("corel", "both"), "RPW(2,k)"): ["0.056200", "0.562000"]}
    assert "of two the larger: on\nCOREL with both, k = 0.0562 is as good as k = 0.562" in page


def equally_good(curves, name):
    """The parameters that share the highest accuracy."""
    own = {k: float(row["accuracy_at_10"]) for (distance, k), row in curves.items() if distance == name}
    return [k for k, accuracy in own.items() if accuracy == max(own.values())]


def test_sentences_on_a_factor_of_three(sweeps, page):
    grey = losses_of(sweeps, "RPW(2,k)", ("mnist",))
    assert [f"{end([loss for loss, _ in grey]):.3f}" for end in (min, max)] == ["0.003", "0.041"]
    assert (len(grey), sum(decided for _, decided in grey)) == (6, 4)
    assert not any(
        decided for _, decided in losses_of({("mnist", "shift"): sweeps["mnist", "shift"]}, "RPW(2,k)", ("mnist",))
    )
    everywhere = [loss for loss, _ in losses_of(sweeps, "RPW(2,k)", ("mnist", "cifar10", "corel"))]
    assert (f"{min(everywhere):.3f}", f"{max(everywhere):.3f}") == ("0.002", "0.041")
    assert "Over all nine experiments, the losses lie between 0.002 and 0.041" in page
    robot = losses_of(sweeps, "ROBOT(λ)", ("mnist",))
    assert [f"{end([loss for loss, _ in robot]):.3f}" for end in (min, max)] == ["0.022", "0.066"]
    assert (len(robot), all(decided for _, decided in robot)) == (4, True)
    assert "lose between 0.022 and 0.066, and all four are decided" in page


def test_sentences_on_the_rule_for_k(sweeps, page):
    small, rule, large = (
        {where: curves["RPW(2,k)", k] for where, (_, curves, _) in sweeps.items()}
        for k in ("0.178000", "0.562000", "1.780000")
    )
    assert [where for where, row in rule.items() if float(row["holm"]) <= LEVEL] == [("mnist", "noise")]
    losses = {
        where: "{:.3f} ({:.3f} to {:.3f})".format(*(float(row[key]) for key in ("loss", "loss_low", "loss_high")))
        for where, row in rule.items()
    }
    assert f"loses {losses['mnist', 'noise']} with noise on MNIST" in page
    worst = max(rule, key=lambda where: float(rule[where]["loss"]))
    assert worst == ("corel", "noise")
    assert f"The largest is {losses[worst]}, with noise on COREL" in page
    assert f"With noise on COREL, k = 0.562\nlost {losses[worst]}." in page
    largest = {}
    for (dataset, _), (_, curves, _) in sweeps.items():
        for (name, k), row in curves.items():
            if (dataset, name) == ("mnist", "RPW(2,k)"):
                largest[k] = max(largest.get(k, 0.0), float(row["loss"]))
    safest = min(largest, key=largest.get)
    assert (len(largest), safest) == (17, "0.562000")
    assert "Of all 17 k, 0.562 has the best worst\ncase" in page
    assert f"over the three scenarios it lost at most {largest[safest]:.3f}" in page
    for own, where, text in (
        (small, "shift", "k = 0.178 loses 0.075 with a shift"),
        (large, "noise", "k = 1.78 loses 0.092 with noise"),
    ):
        most = max((key for key in own if key[0] == "mnist"), key=lambda key: float(own[key]["loss"]))
        assert most == ("mnist", where)
        assert f"loses {float(own[most]['loss']):.3f} with" in text
        assert text in page
    assert max(float(row["loss"]) for (dataset, _), row in rule.items() if dataset == "mnist") == float(
        rule["mnist", "noise"]["loss"]
    )
    ends = [
        abs(float(curves["RPW(2,k)", k]["accuracy_at_10"]) - float(curves[name, ""]["accuracy_at_10"]))
        for (dataset, _), (_, curves, _) in sweeps.items()
        for k, name in (("0.010000", "TV"), ("100.000000", "W2"))
        if dataset == "mnist"
    ]
    assert f"{max(ends):.3f}" == "0.002"


def test_sentences_on_k_beside_robot(sweeps, page):
    found, chances = compared(sweeps, ("RPW(2,k)", "0.562000"), ("ROBOT(λ)", "0.100000"))
    by_place = dict(zip(sweeps, zip(found, chances, strict=True), strict=True))
    assert [where for where, (_, chance) in by_place.items() if chance <= LEVEL] == [
        ("mnist", "shift"),
        ("mnist", "both"),
    ]
    assert f"on MNIST with a shift, by {said(by_place['mnist', 'shift'][0])}" in page
    assert f"with both, by {said(by_place['mnist', 'both'][0])}" in page.replace("\n ", "")
    rest = [each.mean / 10 for each, chance in by_place.values() if chance > LEVEL]
    assert (len(rest), f"{min(rest):+.3f}", f"{max(rest):+.3f}") == (7, "-0.004", "+0.008")
    assert "the differences lie between -0.004 and +0.008" in page
    best = []
    for (dataset, _), (chosen, _, hits) in sweeps.items():
        if dataset == "mnist":
            ours, theirs = (hits[name, f"{float(row['best']):.6f}"] for name, row in chosen.items())
            best.append(paired_difference(ours, theirs))
    assert [f"{each.mean / 10:.3f}" for each in best] == ["0.012", "0.053", "0.035"]
    assert all(each.low > 0 for each in best)
    assert "by 0.012, 0.053 and 0.035; but both were chosen on these queries" in page
    chosen, curves, _ = sweeps["mnist", "shift"]
    assert float(chosen["ROBOT(λ)"]["best"]) == max(float(k) for name, k in curves if name == "ROBOT(λ)") == 0.178
    assert "With a shift the best λ, 0.178, is the largest one run" in page
    colour = [own for (dataset, _), (_, _, own) in sweeps.items() if dataset == "cifar10"]
    assert all((hits["ROBOT(λ)", "0.316000"] == hits["W1", ""]).all() for hits in colour)
    assert [len(hits["W1", ""]) for hits in colour] == [50] * 3
    assert "each of the 50\n  queries has as many hits as with W1, in all three scenarios" in page
