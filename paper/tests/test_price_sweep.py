"""The choice of k: planted hits, and the same pictures as the retrieval finds."""

import json

import numpy as np
import pytest
from paper_command import forked_command
from planted_pictures import planted

from rpw_paper.paper.choosing import verdict_on
from rpw_paper.paper.exhibit import NO, OPEN, YES
from rpw_paper.price_sweep import choice_among, choice_cells, sweep_prices, write_sweep
from rpw_paper.retrieval import SWEPT_K, SWEPT_LAM, Plan, methods, retrieve

K = (0.1, 0.3, 1.0, 3.0, 10.0)


def hits(*shares, queries=200, m=10):
    """Hits with these means, from draws that the parameters share."""
    drawn = np.random.default_rng(0).random((queries, m))
    return np.array([(drawn < share).sum(axis=1) for share in shares])


def test_the_best_and_what_is_not_significantly_worse():
    found = choice_among(K, hits(0.3, 0.7, 0.8, 0.8, 0.5), 10)
    assert found.best == 3.0, "the middle of two is the upper one"
    assert (found.low, found.high) == (1.0, 3.0)
    assert found.accuracy == pytest.approx(0.8, abs=0.03)
    assert found.below.mean == pytest.approx(0, abs=0.03)
    assert found.above.mean == pytest.approx(0.3, abs=0.03)
    assert found.above.low <= found.above.mean <= found.above.high


def test_nothing_is_said_of_what_was_not_swept():
    """A best parameter at the end has nothing beyond it; one alone has nothing beside it."""
    lowest, highest = (
        choice_among(K, hits(*shares), 10) for shares in ((0.9, 0.6, 0.5, 0.5, 0.5), (0.2, 0.2, 0.2, 0.2, 0.7))
    )
    assert (lowest.best, lowest.below) == (0.1, None)
    assert lowest.above.mean == pytest.approx(0.3, abs=0.03)
    assert (highest.best, highest.above) == (10.0, None)
    assert verdict_on("", lowest).answer == NO, "the side that is known decides"
    alone = choice_among((0.1,), hits(0.5), 10)
    assert (alone.best, alone.low, alone.high, alone.below, alone.above) == (0.1, 0.1, 0.1, None, None)
    assert np.isnan(choice_cells(alone)[4:]).all()
    coarse = choice_among((0.01, 1.0, 100.0), hits(0.5, 0.7, 0.5), 10)
    assert (coarse.below, coarse.above) == (None, None), "a hundredth is not a third"


def test_two_steps_of_the_sweep_are_a_factor_of_three():
    for values in (SWEPT_K, SWEPT_LAM):
        for i in range(2, len(values) - 2):
            shares = np.full(len(values), 0.5)
            shares[[i - 2, i, i + 2]] = 0.4, 0.9, 0.6
            found = choice_among(values, hits(*shares), 10)
            assert found.best == values[i]
            assert found.below.mean == pytest.approx(0.5, abs=0.03)
            assert found.above.mean == pytest.approx(0.3, abs=0.03)


def test_where_nothing_differs_all_are_as_good():
    found = choice_among(K, np.full((5, 20), 4), 10)
    assert (found.best, found.low, found.high) == (1.0, 0.1, 10.0)
    assert found.below.mean == found.above.mean == 0


def test_a_factor_of_three_is_judged():
    assert verdict_on("", choice_among(K, hits(0.79, 0.8, 0.81, 0.8, 0.79), 10)).answer == YES
    assert verdict_on("", choice_among(K, hits(0.2, 0.5, 0.8, 0.5, 0.2), 10)).answer == NO
    assert verdict_on("", choice_among(K, hits(0.5, 0.76, 0.81, 0.76, 0.5, queries=12), 10)).answer == OPEN


def test_a_sweep_finds_what_the_retrieval_finds(tmp_path):
    plan = Plan(planted(each=10), "both", labelled=20, queries=6, seed=0, largest_m=10)
    shares = []
    swept = sweep_prices(plan, store=tmp_path / "nearest", m=5, report=lambda share, _: shares.append(share))
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1)
    found = retrieve(plan, methods(), repeats=1, store=tmp_path / "other")
    expected = {
        way.name: row[0, :, :5].sum(axis=1).tolist() for way, row in zip(found.methods, found.hits, strict=True)
    }
    assert swept.rpw[SWEPT_K.index(1.0)].tolist() == expected["RPW(2,1)"]
    assert swept.rpw[SWEPT_K.index(0.1)].tolist() == expected["RPW(2,0.1)"]
    assert swept.robot[SWEPT_LAM.index(0.1)].tolist() == expected["ROBOT(0.1)"]
    assert {name: row.tolist() for name, row in swept.ends.items()} == {
        name: expected[name] for name in ("W1", "W2", "TV")
    }
    paths = write_sweep(swept, tmp_path / "out")
    assert paths["queries"].read_text().count("\n") == 1 + 6 * (len(SWEPT_K) + len(SWEPT_LAM) + 3)
    curve = [line.split(",") for line in paths["accuracy"].read_text().splitlines() if line.startswith("ROBOT")]
    best = max(float(row[2]) for row in curve)
    for row in curve:
        assert float(row[3]) == pytest.approx(best - float(row[2]), abs=2e-6), "the loss is against the best of them"
    few = sweep_prices(plan, store=tmp_path / "nearest", m=5, lams=(0.1,))
    assert few.robot.tolist() == [expected["ROBOT(0.1)"]]
    assert few.rpw.tolist() == swept.rpw.tolist()


def test_the_command(tmp_path):
    folder = tmp_path / "pics"
    folder.mkdir()
    pictures = planted()
    np.savez(folder / "some.npz", images=pictures.images, labels=pictures.labels)
    arguments = ("reproduce", "sweep", "--dataset", folder, "--labelled", 12, "--queries", 3, "--out", tmp_path / "out")
    done = forked_command(*arguments, "--json", timeout=200)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert len(answer["accuracy"]["RPW(2,k)"]) == 17
    shown = forked_command(*arguments, timeout=200)
    assert max(map(len, shown.stdout.splitlines())) <= 80
    few = forked_command(*arguments, "--lam", "0.3,0.1,0.10000001", "--json", timeout=200)
    assert list(json.loads(few.stdout)["accuracy"]["ROBOT(λ)"]) == ["0.1", "0.3"]
    for wrong in ("0", "-1", "inf", "nan", "0.1,x", ""):
        refused = forked_command("reproduce", "sweep", "--lam", wrong, cwd=tmp_path)
        assert refused.returncode == 2
        assert "--lam" in refused.stderr
    refused = forked_command("reproduce", "sweep", "--scenario", "loud", cwd=tmp_path)
    assert refused.returncode == 2
    assert "'loud'" in refused.stderr
