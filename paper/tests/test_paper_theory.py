"""The statements of the paper one by one: planted answers, closed forms, and what must fail."""

import json
import math

import numpy as np
import pytest

import rpw
from rpw_paper.paper import excess, inequalities, lmr_time, plan_pictures, profile_reading, proportion, rates, spaces
from rpw_paper.paper.exhibit import ANSWERS, CONSISTENT, NO, OPEN, YES, Exhibit, Table, Verdict, read_part, write_part
from rpw_paper.paper.rate_rule import Rate, answer_by_rule, answer_of, slope_with, verdict

pytest.importorskip("matplotlib")
N = np.array([100.0, 1000.0, 10000.0, 100000.0])


def planted_rate(exponent, bound, power_of_log=0.0, noise=0.02, repeats=20):
    spread = 1 + noise * np.random.default_rng(3).standard_normal((len(N), repeats))
    return Rate("planted", N, (N**exponent * np.log(N) ** power_of_log)[:, None] * spread, bound)


@pytest.mark.parametrize(
    ("rate", "answer"),
    [
        (planted_rate(-0.5, -1 / 3), YES),
        (planted_rate(-0.5, -0.5), YES),  # a bound that is attained
        (planted_rate(-0.5, -0.5, power_of_log=0.4), CONSISTENT),  # slower than n^r, less than √log n
        (planted_rate(-0.48, -0.5, noise=0.001), CONSISTENT),
        (planted_rate(-0.48, -0.5, noise=0.2), YES),  # an interval that reaches the bound
        (planted_rate(-0.5, -0.5, power_of_log=0.75), OPEN),  # more than √log n, less than log n
        (planted_rate(-0.5, -0.5, power_of_log=2), NO),
        (planted_rate(-0.2, -0.5), NO),
        (planted_rate(-0.5, -0.5, noise=0.3, repeats=2), OPEN),
        (planted_rate(-0.5, -1 / 3, repeats=1), OPEN),  # no interval, no verdict
    ],
)
def test_the_rule_for_rates(rate, answer):
    assert answer_of(rate) == verdict(rate).answer == answer


def test_the_rule_at_its_borders():
    """By the ends of the interval: r itself, and the slopes with √log n and with log n."""
    root, log = (slope_with(N, -0.5, power) for power in (0.5, 1))
    assert -0.5 < root < log
    for low, high, answer in (
        (-0.6, root, YES),
        (-0.5, root, YES),
        (-0.499, root, CONSISTENT),
        (-0.499, root + 1e-9, OPEN),
        (-0.6, root + 1e-9, OPEN),
        (log, log + 0.1, OPEN),
        (log + 1e-9, log + 0.1, NO),
        (math.nan, math.nan, OPEN),
    ):
        assert answer_by_rule(N, -0.5, low, high) == answer, (low, high)


def test_a_rate_that_vanishes_is_not_judged():
    assert answer_of(Rate("zeros", N, np.zeros((4, 3)), -0.5)) == OPEN
    assert answer_of(Rate("two sizes", N[:2], np.ones((2, 3)), -0.5)) == OPEN


# ---------------------------------------------------------------- excess


def test_the_excess_of_one_cell_is_what_it_lacks():
    assert excess.excess(np.array([0.5, 0.5]), np.array([3, 1])) == 0.25
    assert excess.excess(np.array([0.5, 0.5]), np.array([2, 2])) == 0


@pytest.mark.parametrize("power", [1, 3])
@pytest.mark.parametrize("d", [1, 2, 3])
def test_the_excess_of_a_sample_is_its_expectation(d, power):
    """Half the mean absolute deviation of binomial counts, cell by cell."""
    from scipy.stats import binom

    n, alpha = 500, 0.2
    edges = np.minimum(np.arange(math.ceil(n**alpha) + 1) * n**-alpha, 1)
    line = np.diff(edges ** (1 / power))
    shares = line
    for _ in range(d - 1):
        shares = np.multiply.outer(shares, line).ravel()
    assert shares.sum() == pytest.approx(1)
    counts = np.arange(n + 1)
    expected = sum((binom.pmf(counts, n, share) * np.maximum(share - counts / n, 0)).sum() for share in shares)
    found = [excess.excess_of_sample(n, alpha, d, power, np.random.default_rng([d, power, i])) for i in range(200)]
    assert np.mean(found) == pytest.approx(expected, abs=4 * np.std(found) / math.sqrt(200))


def test_excess_of_a_grid_holds_and_a_wrong_exponent_does_not():
    found = excess.rates((2,), (1000, 4000, 16000, 64000), 10, 0, lambda *_: None)
    assert {answer_of(rate) for rate in found} == {YES}
    wrong = [Rate(rate.what, rate.n, rate.values, rate.bound - 0.3) for rate in found]
    assert {answer_of(rate) for rate in wrong} == {NO}


# ---------------------------------------------------------------- rates


def test_middles_are_as_far_as_promised():
    for density in spaces.DENSITIES.values():
        n = density.sizes(1000)[0]
        middles = density.middles(n)
        sample = density.sample(np.random.default_rng(0), 4000)
        nearest = np.min(np.linalg.norm(sample[:, None] - middles[None], axis=2), axis=1)
        assert nearest.max() <= density.error(n, math.inf) + 1e-12
        assert math.sqrt((nearest**2).mean()) == pytest.approx(density.error(n, 2), rel=0.05)
        assert rpw.diameter([middles]) <= 1
        assert len(middles) == n * (spaces.MIDDLES_ON_LINE if density.dimension == 1 else 1)
        assert len(density.sizes(4096)) >= 4, "an exponent needs some sizes"


@pytest.mark.sample(2)
@pytest.mark.parametrize("pair", spaces.PAIRS, ids=lambda pair: pair.name)
@pytest.mark.parametrize("p", [1, 2, math.inf])
def test_a_distance_on_the_line_is_that_of_the_boxes(pair, p):
    """Against fine grids of the boxes themselves, in the plane."""
    m, side = 40, spaces.box_side(2)
    u = (np.arange(m) + 0.5) / m
    x, y = (np.stack(np.meshgrid(q(u, side), side * u), axis=-1).reshape(-1, 2) for q in (pair.first, pair.second))
    assert rpw.diameter([np.concatenate([x, y])]) <= 1
    assert spaces.true_distance(pair, 2, p, points=m) == pytest.approx(
        rpw.distance(x, y, p=p, k=1, diameter=1), abs=1e-9
    )
    assert spaces.true_distance(pair, 2, p, points=2000) == pytest.approx(spaces.true_distance(pair, 2, p), abs=2e-3)


def test_shares_of_slabs_differ_by_what_they_say():
    first, second = (spaces.PAIRS[1].first, spaces.PAIRS[1].second)
    u = (np.arange(1000) + 0.5) / 1000
    left = [(q(u, 0.6) < 0.3).mean() for q in (first, second)]
    assert left == pytest.approx([0.5, 0.5 - spaces.SHARE])
    assert spaces.true_distance(spaces.PAIRS[1], 2, math.inf) == pytest.approx(spaces.SHARE, abs=1e-4)


def test_rates_do_not_depend_on_threads_and_hold():
    cases = rates.to_sample(["square"], [2.0], 700)
    one, two = (rates.rate_exhibit(cases, repeats=8, seed=[0, 1], n_threads=threads, caption="") for threads in (1, 2))
    assert one.tables[1].rows == two.tables[1].rows
    assert [each.answer for each in one.verdicts] == [YES]
    between = rates.rate_exhibit(rates.between_samples([1], [1.0], 1000), repeats=3, seed=[0, 2], caption="")
    assert len(between.verdicts) == len(spaces.PAIRS)


def largest_samples(cases):
    return {case.what: case.sizes[-1] for case in cases}


@pytest.mark.thorough
def test_how_far_each_case_goes():
    """Off the line to the largest n; less where p = ∞ needs a matrix, and at p = 1 where mass moves far."""
    every = [1.0, 2.0, math.inf]
    densities = largest_samples(rates.to_sample(["line", "square", "two squares", "cube"], every, 100_000))
    assert densities["line, p = ∞"] == 100_000
    for space, largest in (("square", 316**2), ("two squares", 2 * 223**2), ("cube", 46**3)):
        assert densities[f"{space}, p = 1"] == densities[f"{space}, p = 2"] == largest
        assert 3900 < densities[f"{space}, p = ∞"] <= rates.LARGEST_WITH_MATRIX
    for what, largest in largest_samples(rates.between_samples([1, 2], every, 100_000)).items():
        space, _, p = what.rpartition(", p = ")
        limits = {} if space.endswith("d = 1") else {"1": 10_000, "∞": rates.LARGEST_WITH_MATRIX}
        assert largest == limits.get(p, 100_000), what
    assert largest_samples(rates.between_samples([3], [4.0], 100_000)) == {
        "shifted box, d = 3, p = 4": 31_623,
        "slabs of other weights, d = 3, p = 4": 100_000,
    }


@pytest.mark.thorough
@pytest.mark.parametrize("largest_n", [250, 1000, 3000])
def test_no_sample_is_larger_than_it_may_be(largest_n):
    cases = [*rates.to_sample(["line", "square", "two squares"], [1.0, math.inf], largest_n)]
    cases += rates.between_samples([1, 2], [1.0, math.inf], largest_n)
    for case in cases:
        assert case.sizes[-1] <= largest_n
        assert len(case.sizes) > 1
        assert list(case.sizes) == sorted(set(case.sizes))


def test_a_larger_sample_keeps_the_numbers_of_the_smaller_ones():
    few, more = (
        rates.rate_exhibit(rates.to_sample(["square"], [2.0], n), repeats=2, seed=[0, 1], caption="")
        for n in (400, 1600)
    )
    assert more.tables[1].rows[: len(few.tables[1].rows)] == few.tables[1].rows
    assert len(more.tables[1].rows) > len(few.tables[1].rows)


@pytest.mark.parametrize(
    ("sizes", "ticks"), [([100, 200, 300], [300, 200, 100]), (list(range(1, 11)), [10, 7, 4, 1]), ([5], [5])]
)
def test_few_ticks_and_the_largest_size_among_them(sizes, ticks):
    assert rates._ticks(np.array(sizes)).tolist() == ticks


# ---------------------------------------------------------------- inequalities


@pytest.mark.parametrize("number", inequalities.STATEMENTS)
def test_statements_hold_on_random_measures(number):
    answers = {
        each.statement: each.answer for each in inequalities.inequality_exhibit(number, cases=36, seed=1).verdicts
    }
    assert answers.pop("RPW ≤ min(α, β), as printed", NO) == NO
    assert set(answers.values()) == {YES}


def test_a_broken_inequality_is_seen():
    assert inequalities.verdict_of("any", [0.1, -1e-12, 0.0]).answer == YES
    broken = inequalities.verdict_of("any", [0.1, -1e-3, 0.0])
    assert broken.answer == NO
    assert "1 of 3" in broken.found
    assert "0.001" in broken.found


def test_levy_prokhorov_by_its_definition():
    a, b = rpw.Measure([[0.0, 0.0]]), rpw.Measure([[0.3, 0.0]])
    assert inequalities.levy_prokhorov_by_definition(a, b) == pytest.approx(0.3)
    far = rpw.Measure([[0.0, 0.0], [1.0, 0.0]], [0.9, 0.1])
    assert inequalities.levy_prokhorov_by_definition(a, far) == pytest.approx(0.1)


# ---------------------------------------------------------------- Lemma 3.2


def test_proportion_needs_its_assumption():
    found = proportion.proportion_exhibit(cases=24, seed=2)
    assert [each.answer for each in found.verdicts] == [YES, YES, YES]
    rng = np.random.default_rng(0)
    even, uneven = (proportion.spoiled(2.0, 1.0, rng, is_uneven) for is_uneven in (False, True))
    assert even.has_a1
    assert not uneven.has_a1
    assert proportion.verdicts([uneven])[0].answer == OPEN, "no case satisfies the assumption"
    assert proportion.verdicts([even])[2].answer == OPEN


def test_a_ratio_outside_is_seen():
    low = proportion.Spoiled(2, 1, 0.2, 0.1, 0.3, 0.3, 0.001, False)
    high = proportion.Spoiled(2, 1, 0.2, 0.1, 0.3, 0.3, 0.25, False)
    assert [each.answer for each in proportion.verdicts([low])[:2]] == [NO, YES]
    assert [each.answer for each in proportion.verdicts([high])[:2]] == [YES, NO]


# ---------------------------------------------------------------- figures


def test_what_is_read_off_the_profile():
    """Two points: F(α) is 0 up to 1 - t and then rises by 1, so that ε solves t - ε = k²ε²."""
    t = 0.3
    x = np.array([[0.0, 0.0], [1.0, 0.0]])
    profile = rpw.profile(x, x, [1, 0], [1 - t, t], p=2, diameter=1)
    for k in (0.5, 1, 10):
        closed = (math.sqrt(1 + 4 * k**2 * t) - 1) / (2 * k**2)
        assert profile_reading.crossing(profile, k) == pytest.approx(closed, abs=1e-12)
    found = profile_reading.profile_exhibit(seed=3)
    assert {each.answer for each in found.verdicts} == {YES}
    assert profile_reading._verdict("TV", 0.3, 0.3001).answer == NO


@pytest.mark.sample(2)
@pytest.mark.parametrize("figure", [plan_pictures.figure_1, plan_pictures.figure_3, plan_pictures.figure_4])
@pytest.mark.parametrize("seed", [0, 7])
def test_numbers_of_the_pictures(figure, seed):
    found = figure(seed=seed)
    assert {each.answer for each in found.verdicts} == {YES}
    assert len(found.drawings) == 1


def test_a_plan_inside_cells():
    x, y = np.array([[0.1, 0.1], [0.9, 0.9]]), np.array([[0.2, 0.2], [0.3, 0.1], [0.6, 0.1]])
    moved = plan_pictures.cells_plan(np.array([0.5, 0.5]), np.array([0.2, 0.2, 0.6]), x, y, 0.5)
    assert moved == pytest.approx(np.array([[0.2, 0.2, 0], [0, 0, 0]]))


# ---------------------------------------------------------------- the time of LMR


def test_the_bound_of_lmr():
    assert lmr_time.bound(10, 0.1, 1) == pytest.approx(100 / 0.01 + 10 / 0.0001)
    assert lmr_time.bound(10, 0.1, 0.5) == lmr_time.bound(10, 0.05, 1)


@pytest.mark.parametrize(("exponent", "answer"), [(1.5, YES), (2.6, NO), (2.0, OPEN)])
def test_growth_beyond_the_bound_is_seen(exponent, answer):
    n = np.array([100.0, 200.0, 400.0, 800.0])
    times = (n**exponent)[:, None] * (1 + 0.05 * np.random.default_rng(0).standard_normal((4, 5)))
    sweep = lmr_time.Sweep("n", "", n, times, np.array([lmr_time.bound(each, 0.01, 1) for each in n]))
    assert lmr_time.verdict(sweep).answer == answer


def test_lmr_keeps_itspromise():
    found = lmr_time.lmr_exhibit(sizes=(20, 40, 60), deltas=(0.2, 0.1), prices=(2.0, 1.0), repeats=2, seed=0)
    assert found.verdicts[-1].answer == YES
    rows = [list(row) for row in found.tables[1].rows]
    rows[0][7] = 1.0
    assert lmr_time.promise(rows).answer == NO


# ---------------------------------------------------------------- parts in folders


def exhibit():
    table = Table("numbers", ["a", "b"], [[1, 0.123456789]], "Numbers.")
    return Exhibit("a rule", [Verdict("1 = 1", "it is", YES)], [table, Table("more", ["c"], [[2]])])


def test_a_part_is_read_back_only_if_it_is_whole(tmp_path):
    facts = {"seed": 0, "sizes": (1, 2)}
    written = write_part(exhibit(), tmp_path, facts)
    assert read_part(tmp_path, facts) == written
    assert written.tables[0]["rows"] == [["1", "0.1235"]]
    assert [table["name"] for table in written.tables] == ["numbers"], "a table without a caption is a file only"
    assert read_part(tmp_path, {**facts, "seed": 1}) is None
    assert read_part(tmp_path / "nowhere", facts) is None
    (tmp_path / "more.csv").unlink()
    assert read_part(tmp_path, facts) is None


@pytest.mark.parametrize(
    "junk", ["", "[]", "{", '{"rule": 1}', '{"facts": {}, "rule": "", "verdicts": [["", "", "perhaps"]]}']
)
def test_damaged_parts_are_made_again(tmp_path, junk):
    write_part(exhibit(), tmp_path, {})
    (tmp_path / "part.json").write_text(junk)
    assert read_part(tmp_path, {}) is None


@pytest.mark.parametrize(
    "damage",
    [lambda text: "", lambda text: text[: len(text) // 2], lambda text: text[:-2] + "9\n", lambda text: text + "\n"],
    ids=["emptied", "cut", "edited", "longer"],
)
@pytest.mark.parametrize("name", ["numbers.csv", "more.csv"])
def test_a_part_is_known_by_the_content_of_its_files(tmp_path, name, damage):
    written = write_part(exhibit(), tmp_path, {})
    path = tmp_path / name
    whole = path.read_text()
    path.write_text(damage(whole))
    assert read_part(tmp_path, {}) is None
    path.write_text(whole)
    assert read_part(tmp_path, {}) == written


def test_a_part_whose_part_json_was_changed_anywhere_is_made_again(tmp_path):
    """Each entry of it, at any depth, taken away or put in the place of another type."""
    write_part(exhibit(), tmp_path, {"seed": 0})
    path = tmp_path / "part.json"
    whole = json.loads(path.read_text())
    count = 0
    for places in entries_of(whole):
        for change in (lambda at, name: at.pop(name), lambda at, name: at.__setitem__(name, 7)):
            damaged = json.loads(json.dumps(whole))
            at = damaged
            for name in places[:-1]:
                at = at[name]
            change(at, places[-1])
            path.write_text(json.dumps(damaged))
            assert read_part(tmp_path, {"seed": 0}) is None, places
            count += 1
    assert count > 30
    path.write_text(json.dumps(whole))
    assert read_part(tmp_path, {"seed": 0}) is not None


def entries_of(value, before=()):
    """The places of all entries of lists and objects."""
    if not isinstance(value, dict | list):
        return
    for name, entry in value.items() if isinstance(value, dict) else enumerate(value):
        yield (*before, name)
        yield from entries_of(entry, (*before, name))


def test_an_answer_is_one_of_six():
    assert len(set(ANSWERS)) == 6
    with pytest.raises(ValueError, match="perhaps"):
        Verdict("a", "b", "perhaps")
