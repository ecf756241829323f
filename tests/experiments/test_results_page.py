"""The page of results says what its CSV files say: claims, retrieval, times, convergence and robustness."""

import numpy as np
import pytest
from results_files import RESULTS, json_of, rows_of, verdicts_of

from rpw.experiments.claims import CLAIMS, OTHER_READING, judge, read_hits, verdict_table
from rpw.experiments.files import write_csv
from rpw.experiments.perturbation import rows_to_move
from rpw.experiments.retrieval import draw
from rpw.experiments.statistics import LEVEL, fitted_exponent, holm, paired_difference
from rpw.io.pictures import Pictures

pytestmark = pytest.mark.skipif(not RESULTS.exists(), reason="docs/ is not here, as in an sdist")


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
