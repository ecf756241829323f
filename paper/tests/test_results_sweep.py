"""The page on the sweep over k says what its CSV files say."""

import numpy as np
import pytest
from results_files import RESULTS, rows_of, text_of

from rpw_paper.statistics import LEVEL, holm, paired_difference

pytestmark = pytest.mark.skipif(not RESULTS.exists(), reason="docs/ is not here, as in an sdist")


@pytest.fixture(scope="module")
def page():
    return text_of("choosing-k")


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
    """What a third of the best parameter and three times it lose, and whether that is significant."""
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
    words = (
        "No loss is significant for k from 0.1 to 0.316 with noise, from 0.562 on with a shift, and at 0.316 and 0.562 "
        "with both"
    )
    assert words in page
    wide = {where for where, (_, low, high) in spans.items() if (low, high) == (0.01, 100)}
    assert wide == {(data, scenario) for data in ("cifar10", "corel") for scenario in ("noise", "shift", "both")} - {
        ("corel", "noise")
    }
    assert spans["corel", "noise"][0] == 0.0178
    below = [
        float(k)
        for (name, k), row in sweeps["corel", "noise"][1].items()
        if name == "RPW(2,k)" and float(row["holm"]) <= LEVEL
    ]
    assert below == [10, 17.8, 31.6, 56.2, 100]
    assert "On CIFAR-10, and on COREL with a shift or with both, no k from 0.01 to 100 is significantly below" in page
    assert "every k from 10 on is significantly worse" in page
    best = {
        (where, name): equally_good(curves, name)
        for where, (_, curves, _) in sweeps.items()
        for name in ("RPW(2,k)", "ROBOT(λ)")
    }
    shared = {key: found for key, found in best.items() if len(found) > 1}
    assert shared == {(("corel", "both"), "RPW(2,k)"): ["0.056200", "0.562000"]}
    assert "of two the larger: on COREL with noise and shift, k = 0.0562 is as good as k = 0.562" in page


def equally_good(curves, name):
    """The parameters that share the highest accuracy."""
    own = {k: float(row["accuracy_at_10"]) for (distance, k), row in curves.items() if distance == name}
    return [k for k, accuracy in own.items() if accuracy == max(own.values())]


def test_sentences_on_a_factor_of_three(sweeps, page):
    grey = losses_of(sweeps, "RPW(2,k)", ("mnist",))
    assert [f"{end([loss for loss, _ in grey]):.3f}" for end in (min, max)] == ["0.003", "0.041"]
    assert (len(grey), sum(significant for _, significant in grey)) == (6, 4)
    words = "MNIST loses 0.003 to 0.041. Four of these six losses are significant; the two with a shift alone are not"
    assert words in page
    assert not any(
        significant
        for _, significant in losses_of({("mnist", "shift"): sweeps["mnist", "shift"]}, "RPW(2,k)", ("mnist",))
    )
    everywhere = [loss for loss, _ in losses_of(sweeps, "RPW(2,k)", ("mnist", "cifar10", "corel"))]
    assert (f"{min(everywhere):.3f}", f"{max(everywhere):.3f}") == ("0.002", "0.041")
    assert "Over all nine experiments, the losses lie between 0.002 and 0.041" in page
    robot = losses_of(sweeps, "ROBOT(λ)", ("mnist",))
    assert [f"{end([loss for loss, _ in robot]):.3f}" for end in (min, max)] == ["0.022", "0.066"]
    assert (len(robot), all(significant for _, significant in robot)) == (4, True)
    assert "lose between 0.022 and 0.066. All four losses that were measured are significant." in page


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
    assert f"The largest of these eight losses is {losses[worst]}, with noise on COREL" in page
    largest = {}
    for (dataset, _), (_, curves, _) in sweeps.items():
        for (name, k), row in curves.items():
            if (dataset, name) == ("mnist", "RPW(2,k)"):
                largest[k] = max(largest.get(k, 0.0), float(row["loss"]))
    safest = min(largest, key=largest.get)
    assert (len(largest), safest) == (17, "0.562000")
    words = "Of 17 values of k from 0.01 to 100, k = 0.562 is the best compromise on MNIST: in each of the three"
    assert f"{words} scenarios its accuracy is at most {largest[safest]:.3f} below that of the best k" in page
    assert "Of 17 values of k, 0.562 is the best compromise on MNIST" in text_of("index")
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
    words = "RPW with the smallest k is almost TV, and with the largest k almost W2"
    assert f"{words}: the accuracies differ by at most 0.002" in page


def test_sentences_on_k_beside_robot(sweeps, page):
    found, chances = compared(sweeps, ("RPW(2,k)", "0.562000"), ("ROBOT(λ)", "0.100000"))
    by_place = dict(zip(sweeps, zip(found, chances, strict=True), strict=True))
    assert [where for where, (_, chance) in by_place.items() if chance <= LEVEL] == [
        ("mnist", "shift"),
        ("mnist", "both"),
    ]
    assert f"On MNIST, RPW(2,0.562) is above ROBOT(0.1) with a shift, by {said(by_place['mnist', 'shift'][0])}" in page
    assert f"with both, by {said(by_place['mnist', 'both'][0])}" in page
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
    words = "by 0.012 with noise, 0.053 with a shift and 0.035 with both"
    assert f"{words}. But k and λ were chosen on these same queries." in page
    chosen, curves, _ = sweeps["mnist", "shift"]
    assert float(chosen["ROBOT(λ)"]["best"]) == max(float(k) for name, k in curves if name == "ROBOT(λ)") == 0.178
    assert "With a shift the best λ, 0.178, is the largest that was run" in page
    colour = [own for (dataset, _), (_, _, own) in sweeps.items() if dataset == "cifar10"]
    assert all((hits["ROBOT(λ)", "0.316000"] == hits["W1", ""]).all() for hits in colour)
    assert [len(hits["W1", ""]) for hits in colour] == [50] * 3
    assert "each of the 50 queries has as many hits as with W1, in all three scenarios" in page
