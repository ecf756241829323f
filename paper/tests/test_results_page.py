"""The pages of results say what the CSV files say: claims, retrieval, times, convergence and robustness."""

import re

import numpy as np
import pytest
from results_files import ANSWERS, RESULTS, json_of, rows_of, verdicts_of

from rpw_paper.claims import CLAIMS, OTHER_READING, judge, read_hits, verdict_table
from rpw_paper.files import write_csv
from rpw_paper.perturbation import rows_to_move
from rpw_paper.statistics import LEVEL, fitted_exponent, holm, paired_difference

pytestmark = pytest.mark.skipif(not RESULTS.exists(), reason="docs/ is not here, as in an sdist")


def test_tables_are_filled_from_the_files(tables):
    for name, own in tables.pages().items():
        text = (RESULTS / f"{name}.md").read_text(encoding="utf-8")
        assert tables.filled(name, text) == text
        for header, rows in own:
            row = tables.as_text(header, rows).splitlines()[-1]
            spoiled = text.replace(row, re.sub(r"\d", "9", row))
            assert tables.filled(name, spoiled) == text != spoiled, (name, header)


def test_every_page_is_in_the_contents():
    names = {path.stem for path in RESULTS.glob("*.md")} - {"index"}
    contents = (RESULTS / "index.md").read_text(encoding="utf-8")
    listed = re.search(r"```{toctree}\n:hidden:\n\n(.*?)\n```", contents, re.S)[1].split()
    assert (len(listed), set(listed)) == (len(names), names)
    assert all(f"({name}.md)" in contents for name in names)


def test_every_figure_is_on_a_page_with_a_text():
    shown = {}
    for path in RESULTS.glob("*.md"):
        shown |= {place: words for words, place in re.findall(r"!\[(.*?)\]\((.*?)\)", path.read_text(encoding="utf-8"))}
    assert set(shown) == {str(path.relative_to(RESULTS)) for path in RESULTS.rglob("*.png")}
    assert all(len(words) > 30 for words in shown.values())
    assert len(set(shown.values())) == len(shown)


def test_the_verdict_comes_first(page):
    of_paper = [row["verdict"] for row in rows_of("claims.csv") if not row["source"].startswith("ours")]
    statements = [row["verdict"] for row in rows_of("paper/verdicts.csv")]
    counts = {answer: statements.count(answer) for answer in ANSWERS}
    assert sum(counts.values()) == len(statements)
    words = (
        f"Retrieval: {of_paper.count('yes')} of {len(of_paper)} claims hold, none is refuted, "
        f"{of_paper.count('not significant')} are not significant with 600 queries."
    )
    assert of_paper.count("no") == 0
    assert words in page("index")[:600]
    words = (
        f"Statements on theory, examples and times: of {len(statements)}, {counts['yes']} hold, {counts['no']} do not "
        f"(one of these is a misprint), {counts['consistent']} are *consistent* and {counts['open']} are *open*."
    )
    assert words in page("index")[:600]
    words = (
        f"{counts['yes']} of {len(statements)} statements are borne out, {counts['no']} are not borne out, "
        f"{counts['consistent']} are *consistent*, and {counts['open']} are *open*"
    )
    assert words in page("statements")


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
    words = (
        "It is 0.83 at n = 100, 0.56 at n = 10,000 and 0.23 at n = 1,000,000. "
        "On the grid the ratio is 0.92, 0.83 and 0.65"
    )
    assert words in page("statements")
    assert "RPW(2,10) falls to 0.23 times the mean of W2/10" in page("index")
    shares = [mean_of("4 x 4 grid", "RPW(2,1)", n) / mean_of("4 x 4 grid", "TV", n) for n in (10_000, 1_000_000)]
    assert [f"{share:.2f}" for share in shares] == ["0.75", "0.96"]
    assert "from 0.75 times the mean of TV at n = 10,000 to 0.96 times at n = 1,000,000" in page("rates")
    small = {
        n: max(1 - mean_of(case, "RPW(2,0.1)", n) / mean_of(case, "TV", n) for case in ratios)
        for n in (10, 1000, 3162, 10_000, 31_623, 100_000, 316_228, 1_000_000)
    }
    assert f"{small.pop(10):.1%}" == "9.5%"
    assert f"{max(small.values()):.1%}" == "1.2%"
    assert "differ by at most 1.2 %. On the grid at n = 10 they differ by 9.5 %" in page("statements")
    n = np.array([250, 600, 1500, 4000])
    assert f"{fitted_exponent(n, np.sqrt(np.log(n) / n)):.3f}" == "-0.427"
    assert "fitted over the same n, has the exponent -0.427" in page("rates")


def test_sentences_on_where_rpw_of_a_large_k_stands(page):
    bands = {
        (row["distribution"], row["distance"]): (float(row["low"]), float(row["high"]))
        for row in rows_of("convergence/exponents.csv")
    }
    tv, ours, w2 = (bands["4 x 4 grid", name] for name in ("TV", "RPW(2,10)", "W2"))
    assert tv[1] < ours[0] < ours[1] < w2[0]
    tv, ours = (bands["two points", name] for name in ("TV", "RPW(2,10)"))
    assert tv[0] < ours[0] < tv[1] < ours[1]
    assert "On the grid its exponent lies between those of W2 and of TV" in page("rates")
    assert "On two points its interval overlaps that of TV" in page("rates")
    answers = [verdicts_of("Figure 6")[f"{case}: a large k gives W2/k"][1] for case in ("two points", "4 x 4 grid")]
    assert answers == ["no", "open"]
    assert "No on two points, open on the grid" in page("statements")
    largest = {}
    for row in rows_of("convergence/values.csv"):
        largest[row["distribution"]] = max(largest.get(row["distribution"], 0), int(row["n"]))
    discrete = {largest.pop("two points"), largest.pop("4 x 4 grid")}
    assert (discrete, set(largest.values())) == ({1_000_000}, {4000})
    assert "fitted from n = 10,000 to 1,000,000" in page("rates")
    assert "fitted from n = 250 to 4,000" in page("rates")


def test_sentences_on_robustness(page):
    changes = [row for row in rows_of("robustness/outliers.csv") if row["distance"].startswith("RPW")]
    assert sum(float(row["share"]) > 0 for row in changes) == 160
    assert all("in all 160 cases" in page(name) for name in ("robustness", "statements"))
    assert all(float(row["change"]) <= float(row["share"]) for row in changes)
    noise, shift = {}, {}
    for row in rows_of("robustness/thresholds.csv"):
        noise.setdefault(row["distance"], []).append(float(row["noise"]))
        shift.setdefault(row["distance"], []).append(float(row["shift"]))
    assert (np.array(noise["RPW(2,1)"]) < noise["W1"]).sum() == 14
    assert "RPW(2,1) withstands less noise than W1 on 14 of the 20 pictures" in page("robustness")
    ours = np.array(shift["RPW(2,1)"])
    assert ((ours > shift["TV"]).sum(), (ours > shift["W1"]).sum()) == (16, 20)
    assert "shift than TV on 16 of the 20 pictures, and more than W1 on all of them" in page("robustness")
    assert max(shift, key=lambda name: np.median(shift[name])) == "RPW(2,1)"
    assert max(shift, key=lambda name: np.mean(shift[name])) == "TV"
    *rest, second, first = sorted(shift["TV"])
    assert max(rest) < 5
    assert f"withstands {second:.1f} and {first:.1f} rows on two pictures" in page("robustness")


def test_sentences_on_one_percent_of_outliers(page):
    change = {}
    for row in rows_of("robustness/outliers.csv"):
        if float(row["share"]) == 0.01:
            change.setdefault(row["distance"], []).append(float(row["change"]))
    assert {f"{each:.5f}" for each in change["RPW(2,1)"]} == {"0.00096"}
    assert len(change["RPW(2,1)"]) == 4
    far = [change[name][-1] for name in ("W1", "W2", "W3")]
    assert [f"{far[0]:.1f}", f"{far[1]:.1f}", f"{far[2]:.0f}"] == ["1.0", "9.9", "21"]
    words = (
        "RPW(2,1) by 0.00096, whether they lie 0.5, 1, 10 or 100 diameters away. At 100 diameters, the same outliers "
        "change W1, W2 and W3 by 1.0, 9.9 and 21"
    )
    assert words in page("robustness")


def test_verdicts_in_words(page):
    rows = rows_of("claims.csv")
    of_paper = [row for row in rows if not row["source"].startswith("ours")]
    retrieval = page("retrieval")
    words = f"over all {len(rows)} claims ({len(of_paper)} of the paper's, {len(rows) - len(of_paper)} of ours)"
    assert words in retrieval
    counts = {answer: [row["verdict"] for row in of_paper].count(answer) for answer in ("yes", "no", "not significant")}
    assert counts == {"yes": 27, "no": 0, "not significant": 19}
    assert "27 of the paper's 46 claims hold, none is refuted, and 19 are not significant" in retrieval
    below = next(row for row in of_paper if float(row["difference"]) < 0 and row["dataset"] == "mnist")
    assert (below["scenario"], below["better"], below["worse"]) == ("noise", "RPW(2,1)", "TV")
    by = f"{-float(below['difference']):.3f}"
    assert f"{by} *below* TV; without Holm's correction, this has p = {float(below['p']):.3f}" in retrieval
    assert f"With noise alone it does not differ significantly from TV ({by} below)" in page("index")
    across = [row for row in rows if row["scenario"] != row["worse_scenario"]]
    assert [(row["better"], row["scenario"], row["worse_scenario"]) for row in across] == [("TV", "noise", "shift")]
    assert "One claim compares two scenarios: TV with noise against TV with a shift" in retrieval
    for name, words in (
        ("mnist", "MNIST: 14 of 16 claims hold"),
        ("cifar10", "CIFAR-10: 4 of 15"),
        ("corel", "COREL: 9 of 15"),
    ):
        verdicts = [row["verdict"] for row in of_paper if row["dataset"] == name]
        held = f"{verdicts.count('yes')} of {len(verdicts)}"
        assert held in words
        assert words in retrieval
        assert f"**{held} claims hold" in page(name)


def test_differences_in_words(page):
    rows = rows_of("claims.csv")
    assert {row["queries"] for row in rows} == {"600"}
    assert "on the same 600 queries" in page("retrieval")
    widths = [(float(row["high"]) - float(row["low"])) / 2 for row in rows]
    assert (f"{min(widths):.3f}", f"{max(widths):.3f}") == ("0.004", "0.025")
    assert "Half the width of an interval is between 0.004 and 0.025" in page("retrieval")
    colour = [row for row in rows if row["dataset"] == "cifar10"]
    assert all((row["worse"] == "TV") == (row["verdict"] == "yes") for row in colour if row["scenario"] != "shift")
    assert {row["verdict"] for row in colour if row["scenario"] == "shift"} == {"not significant"}
    assert "With a shift alone, no claim is significant" in page("retrieval")
    ours = [row for row in colour if row["better"] == "RPW(2,0.1)" and row["worse"] in ("W1", "W2")]
    ends = [(f"{min(found):+.3f}", f"{max(found):+.3f}") for found in columns_of(ours)]
    assert ends == [("-0.005", "+0.011"), ("-0.018", "+0.025")]
    words = "the differences lie between -0.005 and +0.011, and their intervals reach from -0.018 to +0.025"
    assert words in page("retrieval")


def test_differences_of_photographs_in_words(page):
    rows = [row for row in rows_of("claims.csv") if row["dataset"] == "corel"]
    assert {row["verdict"] for row in rows if row["scenario"] == "noise"} == {"yes"}
    shifted = [row for row in rows if row["scenario"] != "noise"]
    assert all((row["worse"] == "TV") == (row["verdict"] == "yes") for row in shifted)
    left = [row for row in shifted if row["verdict"] == "not significant"]
    assert len(left) == 6
    differences, _ = columns_of([row for row in left if row["better"] == "RPW(2,0.1)"])
    assert (f"{min(differences):.3f}", f"{max(differences):.3f}") == ("0.002", "0.005")
    assert "RPW(2,0.1) was between 0.002 and 0.005 above W1 and W2" in page("retrieval")
    assert all(0 < float(row["difference"]) < 0.001 for row in left if row["better"] == "W1")
    _, ends = columns_of(left)
    assert (f"{min(ends):+.3f}", f"{max(ends):+.3f}") == ("-0.007", "+0.015")
    assert "Their intervals reach from -0.007 to +0.015" in page("retrieval")


def test_differences_of_digits_in_words(page):
    counts = {}
    for row in rows_of("digits-both-20/hits.csv"):
        counts.setdefault(row["distance"], []).append(int(row["hits_at_10"]))
    others = ("W1", "W2", "TV", "ROBOT(0.1)")
    found = [paired_difference(np.array(counts["RPW(2,0.1)"]), np.array(counts[name])) for name in others]
    significant = holm(np.array([each.pvalue for each in found])) <= LEVEL
    assert significant.tolist() == [True, True, False, True]
    said = [f"{each.mean / 10:.3f} ({each.low / 10:.3f} to {each.high / 10:.3f})" for each in found]
    assert f"above W1 by {said[0]}, above W2 by {said[1]}, and above ROBOT(0.1) by {said[3]}" in page("digits")
    assert f"Its difference from TV is not significant: {said[2]}" in page("digits")
    assert {len(own) for own in counts.values()} == {100}


def test_the_other_reading_in_words(page):
    rows = rows_of("claims-plain.csv")
    assert {(row["verdict"], row["queries"]) for row in rows} == {("not significant", "50")}
    reading = page("other-reading")
    assert f"{min(float(row['holm']) for row in rows):.3f}" == "0.089"
    assert "**None of the 44 is significant**; the smallest corrected p is 0.089" in reading
    gains, claims = ([row for row in rows if (row["better"] == row["worse"]) == is_gain] for is_gain in (True, False))
    assert (len(gains), len(claims)) == (24, 20)
    small, photographs = ([row for row in gains if row["dataset"] == name] for name in ("cifar10", "corel"))
    differences, _ = columns_of(small)
    assert (f"{min(differences):.3f}", f"{max(differences):.3f}") == ("0.010", "0.076")
    assert "All twelve gains are positive, between 0.010 and 0.076" in reading
    assert all((float(row["low"]) > 0) == (row["better"] != "TV") for row in small)
    differences, _ = columns_of(photographs)
    assert (f"{min(differences):+.3f}", f"{max(differences):+.3f}") == ("-0.016", "+0.014")
    assert "The gains lie between -0.016 and +0.014, and all their intervals contain 0" in reading
    assert all(float(row["low"]) <= 0 <= float(row["high"]) for row in (*photographs, *claims))
    differences, _ = columns_of([row for row in claims if row["better"] == "RPW(2,0.1)"])
    assert (len(differences), f"{min(differences):.3f}", f"{max(differences):.3f}") == (12, "0.002", "0.066")
    assert "RPW(2,0.1) was above W1, W2 and TV in all four runs, by 0.002 to 0.066" in reading


def test_sentences_on_times(page):
    rows, gpu = rows_of("times.csv"), page("gpu")
    resumed = [row for row in rows if int(row["queries"]) < int(row["run"].rpartition("-")[2])]
    assert len(resumed) == 4
    assert "Four searches were cut off and resumed" in gpu
    on_cores = [row for row in rows_of("times-cpu.csv") if int(row["queries"]) < 50]
    assert [tuple(row.values())[:4] for row in on_cores] == [("cifar10-noise-50", "2", "w1", "26")]
    assert "W1 with noise on CIFAR-10, third repeat, 26 of 50 queries" in gpu
    assert f"{max(float(row['from_cpu']) for row in rows):.1e}" == "2.2e-16"
    assert "differ by at most 2.2e-16" in gpu
    seconds = {(row["run"], row["distance"]): float(row["seconds"]) for row in rows if row["repeat"] == "0"}
    ratios = {run: taken / seconds[run, "rpw-k1"] for (run, key), taken in seconds.items() if key == "rpw-sweep"}
    small = [f"{ratios.pop(f'mnist-{scenario}-50'):.1f}" for scenario in ("shift", "both", "noise")]
    assert f"the ratios are {small[0]}, {small[1]} and {small[2]}. There k = 1 takes about a second" in gpu
    assert all(0.75 < seconds[f"mnist-{scenario}-50", "rpw-k1"] < 1.25 for scenario in ("noise", "shift", "both"))
    ends = f"between {min(ratios.values()):.1f} and {max(ratios.values()):.1f} times as long as k = 1, in colour"
    assert ends in gpu
    first, second = (seconds[f"cifar10-{scenario}-50", "tv"] for scenario in ("noise", "shift"))
    assert f"TV on CIFAR-10 took {first} s with noise and {second} s with a shift" in gpu
    kept = {(run, json_of(run)["nearest"]) for run, _ in seconds}
    assert all(nearest == (10 if run.endswith("-600") else 100) for run, nearest in kept)
    assert "Runs with 50 queries look for the 100 nearest, runs with 600 queries for the ten nearest" in gpu
    ends = []
    for lam in ("0.01", "0.1", "0.316"):
        taken = [seconds[f"cifar10-{scenario}-50", f"robot-{lam}"] for scenario in ("noise", "shift", "both")]
        ends.append(f"{min(taken)} to {max(taken)} s at λ = {lam}")
    assert f"**λ-ROBOT** on CIFAR-10 took {ends[0]}, {ends[1]}, and {ends[2]}, in the first repeat." in gpu


def test_each_swept_parameter_has_its_time(tables):
    timed = {(row["run"], row["distance"]) for row in rows_of("times.csv") if row["repeat"] == "0"}
    for folder in tables.SWEPT.values():
        swept = {row["parameter"] for row in rows_of(f"{folder}/sweep.csv") if row["distance"] == "ROBOT(λ)"}
        assert {(folder.removeprefix("sweep-"), f"robot-{float(lam):g}") for lam in swept} <= timed


def test_sentence_on_the_size_of_digits(page):
    digits = json_of("digits-both-20")["pictures"]
    assert digits.startswith("20 x 20 pixels")
    assert (rows_to_move(20), rows_to_move(28)) == (1, 2)
    assert "The shift is one row of 20; on MNIST it is two rows of 28" in page("digits")


def test_sentences_on_what_cores_found_and_what_was_found_twice(page):
    def of_50(name):
        own = [row for row in rows_of(name) if row["distance"] in ("w1", "w2") and row["queries"] == "50"]
        return [float(row["seconds"]) for row in own if row["run"].endswith("-50") and "mnist" not in row["run"]]

    cores, device = of_50("times-cpu.csv"), of_50("times.csv")
    assert (len(cores), f"{min(cores):.0f}", f"{max(cores):.0f}") == (19, "54", "98")
    assert "Each of 19 searches in colour took 54 to 98 s" in page("gpu")
    assert f"the GPU takes {min(device):.1f} to {max(device):.1f} s" in page("gpu")
    twice = rows_of("twice.csv")
    assert {(row["same_pictures"], row["same_bits"]) for row in twice} == {("yes", "yes")}
    assert (len({row["run"] for row in twice}), len(twice)) == (12, 24)
    assert "In twelve runs, RPW(2,1) and RPW(2,0.1) were computed twice" in page("gpu")


def test_sentences_on_repeats(tables, page):
    _, rows = tables.claims_by_repeat()
    held = [row for row in rows if row[1] == "yes"]
    assert sum(int(row[2]) for row in held) == sum(int(row[3]) for row in held) == 31
    words = "All 31 significant claims, the paper's 27 and four of ours, have the same sign in both new draws"
    assert words in page("retrieval")
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
    words = (
        "RPW(2,0.1) was the highest in all three repeats with noise, and RPW(2,1) in all three with noise and shift. "
        "With a shift RPW(2,1) was the highest in two repeats and W2 in one"
    )
    assert words in page("mnist")
    for scenario in ("shift", "noise and shift"):
        assert sorted(highest["corel", scenario]) == ["ROBOT(0.1)", "RPW(2,0.1)", "W1"]
    assert "RPW(2,0.1), W1 and ROBOT(0.1) were each the highest in one repeat" in page("corel")
    colour = [name for (dataset, _), names in highest.items() if dataset == "cifar10" for name in names]
    assert (sum(name.startswith("RPW") for name in colour), colour.count("ROBOT(0.1)"), len(colour)) == (8, 1, 9)
    assert "RPW(2,1) or RPW(2,0.1) was the highest in eight cases, ROBOT(0.1) in one" in page("cifar10")
    best = {}
    for scenario in ("shift", "both"):
        rows = [row for row in rows_of(f"cifar10-{scenario}-600/accuracy.csv") if row["m"] == "10"]
        best[scenario] = max(rows, key=lambda row: float(row["accuracy"]))["distance"]
    assert best == {"shift": "W2", "both": "W1"}
    assert "At m = 10, W2 is the highest with a shift, and W1 with both" in page("cifar10")


def test_sentences_on_claims_that_are_not_significant(tables, page):
    left = {"mnist": [], "cifar10": [], "corel": []}
    for row in rows_of("claims.csv"):
        if row["verdict"] == "not significant" and not row["source"].startswith("ours"):
            left[row["dataset"]].append((tables.new_draws_above(row) == 2, float(row["difference"]) < 0))
    counts = {name: (sum(both for both, _ in own), len(own)) for name, own in left.items()}
    assert counts == {"mnist": (0, 2), "cifar10": (9, 11), "corel": (1, 6)}
    words = (
        "some have the paper's sign in both draws: nine of eleven on CIFAR-10, one of six on COREL, and none of two on "
        "MNIST"
    )
    assert words in page("retrieval")
    assert sum(both and other for both, other in left["cifar10"]) == 5
    assert "with 600 queries, five of the nine on CIFAR-10 have the opposite sign" in page("retrieval")


def test_sentences_on_what_the_repeats_share(page, programs, tmp_path):
    """The file is what the drawing gives: it needs the number of pictures, and none of them."""
    again = write_csv(tmp_path / "again.csv", *programs("facts").shared())
    assert again.read_bytes() == (RESULTS / "shared.csv").read_bytes()
    rows = {(row["dataset"], row["repeat"]): row for row in rows_of("shared.csv")}
    assert len(rows) == 9
    for dataset in ("mnist", "cifar10", "corel"):
        first = rows[dataset, "1"]
        assert (first["queries_in_common"], first["labelled_in_common"]) == ("50", "1450")
    words = (
        "its 50 queries are among the 600, and 1,450 of its 2,000 labelled pictures are also in the run with 600 "
        "queries"
    )
    assert words in page("retrieval")
    new = [rows["corel", repeat]["labelled_in_common"] for repeat in ("2", "3")]
    assert f"{new[0]} in repeat 2 and {new[1]} in repeat 3 of COREL, which has only 5,000 pictures" in page("retrieval")
    assert {row["pictures"] for key, row in rows.items() if key[0] == "corel"} == {"5000"}
    corel, cifar = ([rows[name, repeat]["queries_in_common"] for repeat in ("2", "3")] for name in ("corel", "cifar10"))
    assert f"{' and '.join(corel)} on COREL, {' and '.join(cifar)} on CIFAR-10" in page("retrieval")


def cell_at(cell, repeat):
    return cell.split(" / ")[repeat]


def columns_of(rows):
    """All differences, and all ends of their intervals."""
    yield [float(row["difference"]) for row in rows]
    yield [float(row[name]) for row in rows for name in ("low", "high")]
