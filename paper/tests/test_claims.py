"""Verdicts on the paper's claims: by hand, by another way of computing, and on planted differences."""

import itertools
import json

import numpy as np
import pytest
from paper_command import forked_command

from rpw_paper.claims import CLAIMS, OTHER_READING, OURS, Claim, Hits, judge, read_hits, verdict_table
from rpw_paper.retrieval import methods
from rpw_paper.statistics import holm, paired_difference


def test_the_interval_is_that_of_all_resamples():
    counts = np.array([3, -1, 0, 0, 2])
    means = np.array([np.mean(drawn) for drawn in itertools.product(counts, repeat=5)])
    found = paired_difference(counts, np.zeros(5, dtype=int))
    expected = np.quantile(means, [0.025, 0.975], method="inverted_cdf")
    assert [found.mean, found.low, found.high] == pytest.approx([0.8, *expected])
    # The signs: ±3 ±1 ±2 is at least 4 from 0 in 4 of 8 cases, more often than the bootstrap's mean changes sides.
    assert 2 * (means <= 0).mean() < 0.5
    assert found.pvalue == pytest.approx(4 / 8)


def test_many_queries_agree_with_drawn_resamples():
    rng = np.random.default_rng(0)
    first, second = rng.binomial(10, 0.5, size=(2, 300))
    differences = first - second
    drawn = differences[rng.integers(300, size=(20000, 300))].mean(axis=1)
    found = paired_difference(first, second)
    np.testing.assert_allclose([found.low, found.high], np.quantile(drawn, [0.025, 0.975]), atol=0.02)
    signs = rng.choice([-1, 1], size=(20000, 300))
    far = np.abs((signs * differences).sum(axis=1)) >= abs(differences.sum())
    assert found.pvalue == pytest.approx(max(far.mean(), 2 * min((drawn <= 0).mean(), (drawn >= 0).mean())), abs=0.015)


def test_a_query_that_no_distance_finds_moves_the_mean_alone():
    first, second = np.array([5, 4, 6, 7, 5, 8]), np.array([3, 4, 2, 6, 4, 5])
    more = [np.concatenate([counts, np.full(6, 2)]) for counts in (first, second)]
    few, many = paired_difference(first, second), paired_difference(*more)
    assert many.mean == few.mean / 2
    assert few.pvalue == pytest.approx(2 / 2**5), "five differences, all of one sign"
    assert many.pvalue >= few.pvalue


def test_equal_counts_show_no_difference():
    counts = np.arange(50) % 11
    found = paired_difference(counts, counts)
    assert (found.mean, found.low, found.high, found.pvalue) == (0, 0, 0, 1)
    one = paired_difference(np.array([3]), np.array([1]))
    assert (one.mean, one.pvalue) == (2, pytest.approx(1)), "one query can be chance"
    with pytest.raises(ValueError, match="equally long"):
        paired_difference(np.array([], dtype=int), np.array([], dtype=int))


@pytest.mark.thorough
def test_many_thousand_queries_take_no_time_and_little_chance():
    rng = np.random.default_rng(6)
    first, second = rng.binomial(100, 0.5, size=(2, 50_000))
    found = paired_difference(first, second)
    error = 1.96 * (first - second).std() / np.sqrt(50_000)
    assert [found.low, found.high] == pytest.approx([found.mean - error, found.mean + error], abs=0.02 * error)
    assert found.pvalue > 0.001
    assert paired_difference(first + 1, second).pvalue == 1e-6, "no less is said"


def test_swapping_the_distances_turns_the_difference():
    rng = np.random.default_rng(1)
    first, second = rng.binomial(10, 0.6, 80), rng.binomial(10, 0.5, 80)
    one, other = paired_difference(first, second), paired_difference(second, first)
    assert one.mean == -other.mean
    assert one.pvalue == pytest.approx(other.pvalue)
    assert [one.low, one.high] == pytest.approx([-other.high, -other.low], abs=0.02)


# Differences of a query, and how likely they are: mean 0.14, with heavy or light tails, and mostly 0.
PLANTED = {
    "many": ([-3, -2, -1, 0, 1, 2, 3], [0.06, 0.08, 0.16, 0.36, 0.16, 0.09, 0.09]),
    "few": ([-1, 0, 1, 2], [0.04, 0.80, 0.14, 0.02]),
}


@pytest.mark.parametrize("queries", [50, 600])
@pytest.mark.parametrize("kind", PLANTED)
def test_intervals_cover_what_was_planted(kind, queries):
    values, chances = PLANTED[kind]
    truth, rng, draws = float(np.dot(values, chances)), np.random.default_rng(2), 300
    covered = 0
    for _ in range(draws):
        found = paired_difference(rng.choice(values, p=chances, size=queries), np.zeros(queries, dtype=int))
        covered += found.low <= truth <= found.high
    assert covered / draws >= 0.90, "95 % asked for; three standard errors of 300 draws, and 50 queries are few"
    assert covered / draws <= 0.99


def test_chance_alone_is_seldom_taken_for_a_difference():
    """Also where few queries differ, in which the bootstrap alone goes wrong."""
    rng, draws = np.random.default_rng(3), 1500
    for chances in ([0.05, 0.9, 0.05], [0.3, 0.4, 0.3]):
        found = [
            paired_difference(rng.choice([-1, 0, 1], p=chances, size=50), np.zeros(50, dtype=int)).pvalue
            for _ in range(draws)
        ]
        for level in (0.05, 0.005):
            assert np.mean(np.array(found) <= level) <= level + 3 * np.sqrt(level / draws)


def test_holm_by_hand():
    assert holm(np.array([0.01, 0.04, 0.03, 0.005])).tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm(np.array([0.6, 0.7])).tolist() == [1, 1]
    assert holm(np.array([0.2, 0.2])).tolist() == pytest.approx([0.4, 0.4])
    assert holm(np.array([])).tolist() == []


def run(scenario, queries=600, dataset="mnist", labelled=2000, **distances):
    counts = {(name, 10): np.array(hits) for name, hits in distances.items()}
    return Hits(dataset, scenario, ("digest", labelled, queries, 0), tuple(range(queries)), counts)


def claim(better, worse, scenario="noise", **more):
    return Claim("mnist", scenario, better, worse, "planted", **more)


def test_verdicts_on_planted_distances():
    rng = np.random.default_rng(4)
    level = rng.binomial(8, 0.5, size=600)
    runs = [run("noise", low=level, high=level + (rng.random(600) < 0.2), same=level), run("shift", low=level + 2)]
    claims = [
        claim("high", "low"),
        claim("low", "high"),
        claim("low", "same"),
        claim("low", "low", worse_scenario="shift"),
        claim("high", "none"),
    ]
    judged = judge(runs, claims)
    assert [each.verdict for each in judged] == ["yes", "no", "not significant", "no", "not run"]
    assert judged[3].difference.mean == pytest.approx(-0.2), "a share of the ten nearest"
    assert judged[0].better - judged[0].worse == pytest.approx(judged[0].difference.mean)
    assert judged[0].corrected == pytest.approx(5e-6), "the least p, times five"
    assert verdict_table(judged)[1][4][7:14] == pytest.approx([np.nan] * 7, nan_ok=True)


def test_claims_that_were_not_run_count():
    better, worse = np.array([5] * 12), np.array([4] * 8 + [5] * 4)
    alone = judge([run("noise", 12, a=better, b=worse)], [claim("a", "b")])
    among = judge([run("noise", 12, a=better, b=worse)], [claim("a", "b"), *[claim("a", "missing")] * 9])
    assert alone[0].verdict == "yes"
    assert among[0].corrected == pytest.approx(10 * alone[0].corrected)
    assert among[0].verdict == "not significant"


def test_the_run_with_most_queries_answers_and_runs_are_not_mixed():
    few, many = run("noise", 2, a=[1, 2], b=[2, 3]), run("noise", 3, a=[4, 4, 4], b=[1, 1, 1])
    assert judge([few, many], [claim("a", "b")])[0].queries == 3
    half = run("noise", 3, a=[4, 4, 4])
    assert judge([few, half], [claim("a", "b")])[0].queries == 2
    other = run("noise", 3, labelled=100, b=[1, 1, 1])
    assert judge([half, other], [claim("a", "b")])[0].verdict == "not run", "their labelled pictures differ"


def test_the_claims_are_different_and_name_what_is_computed():
    sides = [(each.dataset, each.sides) for each in CLAIMS]
    assert len(set(sides)) == len(sides) == 51
    assert not {(data, (b, a)) for data, (a, b) in sides} & set(sides), "no claim contradicts another"
    assert {name for _, pair in sides for _, name in pair} == {way.name for way in methods()}
    of_paper = [each for each in CLAIMS if each.source != OURS]
    assert "ROBOT(0.1)" not in {name for each in of_paper for name in (each.better, each.worse)}, (
        "it is not in the paper"
    )
    assert {each.m for each in CLAIMS} == {10}


def write_run(folder, scenario, plain_queries, pictures="digest", **distances):
    """A run of six queries of CIFAR-10, as ``rpw-paper reproduce retrieval`` leaves it."""
    folder.mkdir(parents=True)
    facts = {"dataset": "cifar10", "scenario": scenario, "plain_queries": plain_queries, "pictures": pictures}
    (folder / "run.json").write_text(json.dumps({**facts, "labelled": 30, "queries": 6, "seed": 0}))
    rows = [f"{name},0,{q},cat,{hits[q]}" for name, hits in distances.items() for q in range(6)]
    (folder / "hits.csv").write_text("\n".join(["distance,repeat,query,label,hits_at_10", *rows]) + "\n")


def found_by(judged):
    return {each.claim.text: each.difference.mean for each in judged if each.difference}


def test_the_other_reading_is_judged_apart(tmp_path):
    write_run(tmp_path / "a", "shift", False, W1=[2] * 6, W2=[5] * 6)
    write_run(tmp_path / "b", "shift", True, W1=[6] * 6, W2=[5] * 6)
    usual = found_by(judge(read_hits(tmp_path)))
    assert usual == pytest.approx({"W1 above W2": -0.3}), "as if the other were not there"
    found = found_by(judge(read_hits(tmp_path, plain_queries=True), OTHER_READING))
    assert found == pytest.approx({"W1 above W2": 0.1, "W1 above W1 under shift": 0.4, "W2 above W2 under shift": 0})
    assert len(OTHER_READING) == 2 * 2 * (5 + 6)
    assert len({(each.dataset, each.sides) for each in OTHER_READING}) == len(OTHER_READING)


def test_runs_of_different_pictures_are_not_judged_together(tmp_path):
    pytest.importorskip("typer")
    write_run(tmp_path / "a", "noise", False, W1=[2] * 6, W2=[5] * 6)
    write_run(tmp_path / "b", "shift", False, pictures="another digest", W1=[6] * 6, W2=[5] * 6)
    done = forked_command("reproduce", "claims", tmp_path)
    assert done.returncode == 1
    assert "holds runs of different pictures that are all called cifar10: a has digest, and b has" in done.stderr
    assert not (tmp_path / "claims.csv").exists()


def test_the_command_judges_the_other_reading(tmp_path):
    pytest.importorskip("typer")
    write_run(tmp_path / "b", "both", True, W1=[6] * 6, W2=[5] * 6)
    assert "have plain queries: --plain-queries judges them" in forked_command("reproduce", "claims", tmp_path).stderr
    done = forked_command("reproduce", "claims", tmp_path, "--plain-queries", "--json")
    assert done.returncode == 0, done.stderr
    (only,) = (each for each in json.loads(done.stdout)["claims"] if each["verdict"] != "not run")
    assert (only["scenario"], only["better"], only["worse"]) == ("both-plain", "W1", "W2")
    assert (tmp_path / "claims-plain.csv").exists()
    assert not (tmp_path / "claims.csv").exists()


def test_the_command_judges_runs(tmp_path):
    pytest.importorskip("typer")
    small = ("reproduce", "retrieval", "--labelled", 30, "--queries", 6, "--repeats", 2)
    assert forked_command(*small, "--out", tmp_path / "runs" / "one", timeout=300).returncode == 0
    done = forked_command("reproduce", "claims", tmp_path / "runs", "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)["claims"]
    assert {each["verdict"] for each in answer} == {"not run"}, "the paper claims nothing about digits"
    (read,) = read_hits(tmp_path / "runs")
    assert len(read.queries) == 6
    text = (tmp_path / "runs" / "one" / "hits.csv").read_text()
    lines = text.splitlines()
    (tmp_path / "runs" / "one" / "hits.csv").write_text("\n".join(lines[:-8]) + "\n")
    broken = forked_command("reproduce", "claims", tmp_path / "runs")
    assert broken.returncode == 1
    assert "one holds no whole run" in broken.stderr
    (tmp_path / "empty").mkdir()
    assert "holds no folder with hits.csv" in forked_command("reproduce", "claims", tmp_path / "empty").stderr
