"""The pages of results say what the CSV files say: the parts of the paper, rates, and the time of LMR."""

import math

import numpy as np
import pytest
from results_files import ANSWERS, RESULTS, rows_of, verdicts_of

from rpw_paper.files import write_csv
from rpw_paper.paper import rates, spaces
from rpw_paper.paper.rate_rule import Rate, answer_of
from rpw_paper.statistics import fitted_exponent

pytestmark = pytest.mark.skipif(not RESULTS.exists(), reason="docs/ is not here, as in an sdist")


def test_sentences_on_the_parts_of_the_paper(page):
    answers = [(row["part"], row["verdict"]) for row in rows_of("paper/verdicts.csv")]
    assert [part for part, answer in answers if answer == "no"] == ["Lemma 2.2", "Figure 6"]
    statements = page("statements")
    assert "2 are not borne out" in statements
    printed = [row for row in rows_of("paper/lemma-2-2/cases.csv") if row["inequality"].endswith("as printed")]
    assert (sum(float(row["slack"]) < -1e-9 for row in printed), len(printed)) == (1168, 1200)
    assert "1,168 of 1,200 random cases break it" in statements
    assert verdicts_of("Figure 6")["two points: a large k gives W2/k"][1] == "no"
    cases = rows_of("paper/lemma-3-2/cases.csv")
    held = [float(row["ratio"]) for row in cases if row["a1"] == "True"]
    others = [float(row["ratio"]) for row in cases if row["a1"] == "False"]
    assert (len(held), len(others), sum(ratio < 0.1 for ratio in others)) == (1200, 1200, 750)
    assert f"{min(held):.3f}" == "0.367"
    assert max(held) <= 1
    assert f"{min(others):.2f}" == "0.01"
    assert "between 0.367 and 1 times min(δ, W_p/k) in 1,200 cases" in statements
    assert "The lower bound fails in 750 of them, down to 0.01" in statements


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
            is_below, reaches = float(row["high"]) <= float(row["with_log"]), float(row["low"]) <= float(row["bound"])
            assert is_below == (row["verdict"] in ("yes", "consistent"))
            assert (is_below and reaches) == (row["verdict"] == "yes")


def test_verdicts_are_those_of_the_rules(programs, tmp_path):
    """From the files of rates, times and figure 6; planted wrong answers would be found."""
    judge = programs("judge")
    rows = [list(row.values()) for row in rows_of("paper/verdicts.csv")]
    found = judge.from_files()
    for part, verdicts in found.items():
        own = [row[1:] for row in rows if row[0] == part]
        assert own == [[each.statement, each.found, each.answer] for each in verdicts]
    for part, folder in judge.RATES.items():
        assert [row["verdict"] for row in rows_of(f"paper/{folder}/rates.csv")] == [each.answer for each in found[part]]
    assert {answer for *_, answer in rows} == set(ANSWERS)


@pytest.mark.thorough
def test_all_verdicts_are_those_of_the_rules(programs, tmp_path):
    """The other parts are computed again, and the whole file has the same bytes."""
    judge = programs("judge")
    rows = judge.verdict_rows({**judge.from_files(), **judge.computed()})
    again = write_csv(tmp_path / "again.csv", ["part", "statement", "found", "verdict"], rows)
    assert again.read_bytes() == (RESULTS / "paper" / "verdicts.csv").read_bytes()


def test_sentences_on_rates_that_are_not_yes(page):
    judged = {}
    for path in sorted(RESULTS.glob("paper/*/rates.csv")):
        for row in rows_of(path):
            judged.setdefault(row["verdict"], []).append(f"{path.parent.name}: {row['what']}")
    counts = {answer: len(own) for answer, own in judged.items()}
    assert counts == {"yes": 62, "consistent": 3, "open": 5}
    words = "Of 70 measured rates, 62 keep their bounds, 3 "
    assert f"{words}keep them only thanks to a logarithmic factor (*consistent*), and 5 are open." in page("rates")
    assert f"{words}are consistent and 5 are open." in page("index")
    assert judged["consistent"] == [
        "lemma-3-6: square, p = 1",
        "lemma-3-6: cube, p = 1",
        "theorem-3-7-equal-distributions: cube, RPW(1,1)",
    ]
    words = "*Consistent*: Lemma 3.6 on the square and in the cube, and Theorem 3.7 for two samples of the cube"
    assert words in page("rates")
    assert all("p = 1" in what or "RPW(1,1)" in what for what in judged["consistent"] + judged["open"])
    assert "three are consistent and five are open, all at p = 1" in page("statements")
    fitted = rate_of("theorem-3-7-equal-distributions", "cube, RPW(1,1)")
    assert f"slower than its bound by {fitted['fitted'] - fitted['bound']:.3f}" in page("rates")


RATES = {"lemma-3-3": 3, "lemma-3-4": 4, "lemma-3-6": 6, "theorem-3-7": 7}


@pytest.mark.sample(1)
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
    assert "99,856 on the square, 99,458 on two squares and 97,336 in the cube" in page("rates")
    for what, n in largest["theorem-3-7"].items():
        space, _, p = what.rpartition(", p = ")
        d = int(space[-1])
        is_slow = space.startswith("shifted") and p == "4"
        off_the_line = {"1": 10_000, "∞": 4096}.get(p, 31_623 if is_slow else 100_000)
        assert n == (100_000 if d == 1 else off_the_line), what
    words = "p = ∞ has at most 4,096 points, p = 1 at most 10,000, and the shifted box at most 31,623 for p = 4"
    assert words in page("rates")
    assert "p = ∞ may need a matrix of distances, so samples have at most 4,096 points there" in page("rates")


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
    assert f"and {100 * min(off):.0f} % to {100 * max(off):.0f} % in the other spaces" in page("rates")
    assert max(shares["line"]) < 0.01
    assert "No verdict depends on it" in page("rates")


def test_sentences_on_two_squares(page, programs, tmp_path):
    facts, rates_page = programs("facts"), page("rates")
    for name in ("paper/two-squares.csv", "paper/two-squares-together.csv"):
        again = write_csv(tmp_path / "again.csv", *facts.FILES[name]())
        assert again.read_bytes() == (RESULTS / name).read_bytes()
    rows = [rate_of(part, "two squares, p = 2") for part in ("lemma-3-4", "lemma-3-6")]
    assert rows[0]["low"] > rows[1]["high"]
    said = [f"{row['fitted']:.3f} ±{row['high'] - row['fitted']:.3f}" for row in rows]
    assert f"measured twice: {said[0]} under Lemma 3.4 and {said[1]} under Lemma 3.6" in rates_page
    found = rows_of("paper/two-squares.csv")
    least = min(float(row["correlation"]) for row in found)
    assert f"the two have a correlation of {math.floor(100 * least) / 100:.2f} or more" in rates_page
    told = {(row["part"], row["n"]): f"{float(row['times_the_mean']):.1f}" for row in found}
    first, second = ([told[part, n] for n in ("128", "99458")] for part in ("lemma-3-4", "lemma-3-6"))
    words = f"by chance {first[0]} times this average at n = 128, and {first[1]} times at n = 99,458: a flatter slope"
    assert words in rates_page
    assert f"it was {second[0]} and {second[1]} times this average: a steeper slope" in rates_page
    (both,) = rows_of("paper/two-squares-together.csv")
    fitted, high = float(both["fitted"]), float(both["high"])
    assert f"The forty repeats together give {fitted:.3f} ±{high - fitted:.3f}" in rates_page


def test_shares_in_one_square_are_those_of_the_seeds(programs):
    """By hand: the samples of Lemma 3.4, case 1, as the rates draw them."""
    n, density = 128, spaces.DENSITIES["two squares"]
    points = density.sample(np.random.default_rng([0, 40, RATES["lemma-3-4"], 1, n, 0]), n)
    lower = np.count_nonzero((points < 0.3).all(axis=1))
    assert programs("facts").off_a_half("lemma-3-4", n)[0] == abs(lower / n - 0.5)


def test_sentences_on_samples(page):
    left = [row for row in rows_of("paper/theorem-3-7/rates.csv") if row["verdict"] != "yes"]
    assert [row["what"] for row in left] == [
        "shifted box, d = 1, p = 1",
        "shifted box, d = 2, p = 1",
        "slabs of other weights, d = 2, p = 1",
    ]
    assert all(float(row["fitted"]) < float(row["with_log"]) < float(row["high"]) for row in left)
    assert {row["verdict"] for row in left} == {"open"}
    words = "Three cells are open, all with p = 1: the shifted box for d = 1 and d = 2, and the slabs for d = 2"
    assert words in page("rates")
    rows = rows_of("paper/theorem-3-7-equal-distributions/rates.csv")
    others = {row["what"]: row["verdict"] for row in rows if row["verdict"] != "yes"}
    assert others == {"square, RPW(1,1)": "open", "two squares, RPW(1,1)": "open", "cube, RPW(1,1)": "consistent"}
    assert len(rows) - len(others) == 9
    words = "Nine of twelve are *yes*, the cube at p = 1 is *consistent*, and the square and two squares at p = 1 are"
    assert f"{words} *open*" in page("rates")


def test_sentences_on_the_time_of_lmr(page):
    means = {}
    for row in rows_of("paper/section-5/times.csv"):
        means.setdefault(row["along"], {}).setdefault((row["delta"], row["k"]), []).append(float(row["seconds"]))
    for along, start in (("1/δ", "Along 1/δ their mean"), ("1/k", "Along 1/k it")):
        rising = [np.mean(own) for own in means[along].values()]  # 1/δ and 1/k grow
        assert rising[:3] == sorted(rising[:3])
        assert rising[3] < rising[2]
        words = f"{start} rises from {rising[0]:.2f} to {rising[2]:.2f} s, and falls to {rising[3]:.2f} s"
        assert words in page("rates")
    (row,) = (row for row in rows_of("paper/section-5/exponents.csv") if row["along"] == "n")
    said = f"{float(row['fitted']):.2f} ±{float(row['half_width']):.2f}"
    assert f"the interval {said} contains the bound 2" in page("rates")
    assert f"the interval of its exponent, {said}, contains the bound 2" in page("statements")
