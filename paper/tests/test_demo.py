"""The demo: what it finds is what the distances say, and its sentences are those of its figures."""

import dataclasses
import json
import re

import numpy as np
import pytest

import rpw
from rpw.images import pixel_grid
from rpw_paper.demo import SCENARIOS, Setting, findings, run_demo
from rpw_paper.demo_views import DISTANCES, WORST, accuracy_table, draw_demo, write_demo
from rpw_paper.pictures import load_pictures

pytest.importorskip("sklearn")
pytest.importorskip("matplotlib")
pytest.importorskip("PIL")

SMALL = Setting(labelled=20, queries=5, nearest=3)


@pytest.fixture(scope="module")
def small():
    return run_demo(load_pictures("digits"), SMALL)


def test_the_nearest_are_those_of_the_distances(small):
    """TV by its definition, W1 and RPW for one query by themselves."""
    for s, drawn in enumerate(small.draws):
        queries, labelled = (each.reshape(len(each), -1) / each.sum(axis=(1, 2))[:, None] for each in drawn_pair(drawn))
        away = np.abs(queries[:, None] - labelled[None]).sum(axis=2) / 2
        found = np.take_along_axis(away, small.order[small.names.index("TV"), s], axis=1)
        np.testing.assert_allclose(found, np.sort(away, axis=1)[:, : SMALL.nearest], atol=1e-12)
    grid, last = pixel_grid(20, 20), SCENARIOS.index("both")
    pairs = [(grid, grid, queries[0], row) for row in labelled]
    for name, distance in (
        ("W1", lambda *pair: rpw.wasserstein(*pair, p=1)),
        ("RPW(2,0.1)", lambda *pair: rpw.distance(*pair, k=0.1)),
    ):
        away = np.array([distance(*pair) for pair in pairs])
        found = away[small.order[small.names.index(name), last, 0]]
        np.testing.assert_allclose(found, np.sort(away)[: SMALL.nearest], atol=1e-9)


def drawn_pair(drawn):
    return drawn.queries.astype(float), drawn.labelled.astype(float)


def test_hits_are_those_of_the_labels(small):
    labels, drawn = small.pictures.labels, small.draws[0]
    for w, s, q in np.ndindex(small.hits.shape[:3]):
        shown = labels[drawn.labelled_index[small.order[w, s, q]]]
        assert small.hits[w, s, q].tolist() == (shown == labels[drawn.query_index[q]]).tolist()


def test_the_scenarios_change_the_same_pictures(small):
    clean, noise, shift, both = (drawn.labelled.astype(float) for drawn in small.draws)
    assert (noise != clean).reshape(20, -1).sum(axis=1).max() == 1
    np.testing.assert_array_equal(shift[:, :-2], clean[:, 2:])
    assert (both != shift).reshape(20, -1).sum(axis=1).max() == 1
    np.testing.assert_array_equal(small.draws[2].queries, small.draws[0].queries)


def planted(small, shares, queries=60):
    """A demo in which each distance has these accuracies, of ten nearest, in every query."""
    hits = np.zeros((len(shares), len(SCENARIOS), queries, 10), dtype=bool)
    for w, row in enumerate(shares):
        for s, share in enumerate(row):
            hits[w, s, :, : round(10 * share)] = True
    setting = dataclasses.replace(small.setting, queries=queries, nearest=10)
    return dataclasses.replace(small, setting=setting, hits=hits)


# untouched, noise, shift, both; the distances are W1, W2, TV, RPW(2,1), RPW(2,0.1), ROBOT(0.1)
STORY = [
    [0.8, 0.2, 0.6, 0.4],
    [0.9, 0.2, 0.7, 0.4],
    [0.8, 0.8, 0.3, 0.4],
    [0.8, 0.7, 0.7, 0.6],
    [0.8, 0.8, 0.5, 0.5],
    [0.8, 0.7, 0.8, 0.6],
]


def test_sentences_say_what_the_figures_are(small):
    demo = planted(small, STORY)
    np.testing.assert_allclose(demo.worst, [0.2, 0.2, 0.3, 0.6, 0.5, 0.6])
    first, second, third = findings(demo)
    assert "60% of the 10 nearest pictures by RPW(2,1) and ROBOT(0.1) still show the query's digit: the most" in first
    assert first.endswith("By W1 and W2 it is 20%, the least.")
    assert second == (
        "With 60 queries, the worst accuracy of RPW(2,1) is above that of W1, W2 and TV, and not significantly "
        "different from that of ROBOT(0.1)."
    )
    words = "Noise costs W2 (90% to 20%) the most, and TV (80% to 80%) and RPW(2,0.1) (80% to 80%) the least."
    assert words in third
    assert "A shift costs TV (80% to 30%) the most, and ROBOT(0.1) (80% to 80%) the least." in third


def test_sentences_do_not_favour_rpw(small):
    """The same figures with RPW and W exchanged."""
    demo = planted(small, [STORY[3], STORY[4], STORY[2], STORY[0], STORY[1], STORY[5]])
    first, second, _ = findings(demo)
    assert "by W1 and ROBOT(0.1) still show" in first
    assert "By RPW(2,1) and RPW(2,0.1) it is 20%, the least" in first
    assert second.startswith(
        "With 60 queries, the worst accuracy of RPW(2,1) is below that of W1, W2, TV and ROBOT(0.1)"
    )


def test_few_queries_show_no_difference(small):
    """Two queries that contradict each other."""
    demo = planted(small, STORY, queries=2)
    demo.hits[:, :, 1] = ~demo.hits[:, :, 1]
    assert findings(demo)[1].endswith("is not significantly different from that of W1, W2, TV and ROBOT(0.1).")


def test_intervals_hold_the_figures_and_narrow_with_more_queries(small):
    rng = np.random.default_rng(0)
    widths = []
    for queries in (20, 500):
        demo = planted(small, STORY, queries)
        demo.hits[:] = rng.random(demo.hits.shape) < 0.5
        low, high = demo.bands
        assert (low[:, :-1] <= demo.accuracy).all()
        assert (demo.accuracy <= high[:, :-1]).all()
        widths.append((high - low)[:, :-1].mean())
    # A mean of `queries` shares of ten fair coins, each of variance 1/40.
    np.testing.assert_allclose(widths, [2 * 1.96 * np.sqrt(1 / 40 / n) for n in (20, 500)], rtol=0.15)


def test_the_figure_hides_nothing(small):
    """All distances equal: every mark has a place and a shape of its own."""
    figure = draw_demo(planted(small, [STORY[0]] * 6))
    (ax,) = figure.axes
    lines = [container[0] for container in ax.containers]
    assert len({line.get_marker() for line in lines}) == len(small.methods)
    places = np.sort(np.concatenate([line.get_xdata() for line in lines]))
    assert np.diff(places).min() > 0.1
    assert [tick.get_text() for tick in ax.get_xticklabels()][-1] == WORST
    (legend,) = figure.legends
    said = [text.get_text() for text in legend.get_texts()]
    assert said == [*small.names, "thin line: 95 % interval"]


def test_the_page_begins_with_the_sentence_and_ends_with_the_settings(small, tmp_path):
    paths = write_demo(small, tmp_path)
    text = paths["page"].read_text(encoding="utf-8")
    first = re.search(r"<h1>.*?</h1>\s*<p[^>]*>(.*?)</p>", text, re.S)[1]
    assert first == findings(small)[0].replace("'", "&#x27;")
    heads = re.findall(r"<h2>(.*?)</h2>", text)
    assert heads == ["The distances", "What was done to the pictures", "What was found", "Settings"]
    for name, words in DISTANCES.items():
        assert f"<dt>{name}</dt><dd>{words.replace(chr(39), '&#x27;')}</dd>" in text
    header, rows = accuracy_table(small)
    assert header == ["distance", "untouched", "noise", "shift", "both", WORST]
    assert all(f"<td>{cell}</td>" in text for row in rows for cell in row[1:])
    assert {row[-1] for row in rows} == {f"{share:.1%}" for share in small.worst}
    lines = (tmp_path / "accuracy.csv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 1 + len(small.methods) * (len(SCENARIOS) + 1)
    facts = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    assert (facts["experiment"], facts["labelled"]) == ("demo", 20)


@pytest.mark.thorough
def test_the_command_says_the_sentence_first_and_the_settings_last(small, tmp_path, monkeypatch, capsys):
    """In this process and small, as nothing else makes it quick; again into the same folder, with the same bytes."""
    pytest.importorskip("typer")
    from rpw_paper.cli.demo import demo

    monkeypatch.setattr("rpw_paper.cli.demo.Setting", lambda: SMALL)
    for _ in range(2):
        demo(out=tmp_path / "out", n_threads=2)
        printed = capsys.readouterr().out
        page = (tmp_path / "out" / "page.html").read_bytes()
    assert page == write_demo(small, tmp_path)["page"].read_bytes()
    lines = printed.splitlines()
    assert max(map(len, lines)) <= 80
    whole = " ".join(printed.split())
    assert whole.startswith(findings(small)[0])
    assert whole.endswith("with Holm's correction.")
    for word in ("worst of the three", "Total variation", "λ-ROBOT"):
        assert word in whole
    assert "page.html" in "".join(printed.split())  # long paths are folded
    demo(out=tmp_path / "out", as_json=True)
    answer = json.loads(capsys.readouterr().out)
    assert answer["accuracy"]["TV"]["worst"] == small.worst[2]
    assert answer["findings"] == findings(small)
