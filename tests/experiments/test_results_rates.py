"""The page of results says what its CSV files say: the parts of the paper, rates, and the time of LMR."""

import math

import numpy as np
import pytest
from results_files import RESULTS, rows_of, verdicts_of

from rpw.experiments.paper import rates, spaces
from rpw.experiments.paper.rate_rule import Rate, answer_of
from rpw.experiments.statistics import fitted_exponent

pytestmark = pytest.mark.skipif(not RESULTS.exists(), reason="docs/ is not here, as in an sdist")


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
