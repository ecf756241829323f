"""Retrieval: planted classes are found, the distances are those of the library, what is finished is kept."""

from dataclasses import replace

import numpy as np
import pytest
from planted_pictures import COLOUR, planted

import rpw
from rpw.images import pixel_grid
from rpw_paper import nearest, retrieval
from rpw_paper.pictures import Pictures
from rpw_paper.retrieval_views import accuracy_table, draw_accuracy, hit_counts
from rpw_paper.slices import sliced_bounds


def run(pictures, tmp_path, report=lambda *_: None, ways=None, repeats=2, **options):
    given = {"scenario": "clean", "labelled": 12, "queries": 5, "seed": 0, **options}
    plan = retrieval.Plan(pictures, **given)
    return retrieval.retrieve(plan, ways or retrieval.methods(), repeats=repeats, store=tmp_path, report=report)


def some_colours(count=40, side=4):
    rng = np.random.default_rng(3)
    images = rng.integers(0, 256, size=(count, 1, 1, 3)) + rng.integers(-60, 60, size=(count, side, side, 3))
    return Pictures("colours", images.clip(0, 255).astype(np.uint8), (np.arange(count) % 4).astype(np.str_))


def test_planted_classes_are_retrieved_without_fault(tmp_path):
    result = run(planted(), tmp_path, labelled=18, queries=4)
    for w, way in enumerate(result.methods):
        for repeat in range(2):
            drawn = retrieval.draw(planted(), "clean", 18, 4, [0, repeat])
            labels = planted().labels
            counts = [(labels[drawn.labelled_index] == labels[q]).sum() for q in drawn.query_index]
            assert (result.accuracy[w, repeat, : min(counts)] == 1).all(), way.name
            expected = np.mean([count / 18 for count in counts])
            assert result.accuracy[w, repeat, -1] == pytest.approx(expected), "all of 18 are retrieved in the end"


def test_matrices_are_those_of_the_single_functions():
    drawn = retrieval.draw(planted(), "noise", 6, 3, [0, 0])
    grid = pixel_grid(6, 6)
    single = {
        "W1": lambda a, b: rpw.wasserstein(grid, grid, a, b, p=1),
        "W2": lambda a, b: rpw.wasserstein(grid, grid, a, b, p=2),
        "TV": lambda a, b: 0.5 * np.abs(a / a.sum() - b / b.sum()).sum(),
        "RPW(2,1)": lambda a, b: rpw.distance(grid, grid, a, b, p=2, k=1),
        "RPW(2,0.1)": lambda a, b: rpw.distance(grid, grid, a, b, p=2, k=0.1),
        "ROBOT(0.1)": lambda a, b: rpw.robot(grid, grid, a, b, p=1, lam=0.1),
    }
    for way in retrieval.methods():
        matrix = nearest.distance_matrix(drawn.queries, drawn.labelled, way.options)
        expected = [[single[way.name](q.ravel(), x.ravel()) for x in drawn.labelled] for q in drawn.queries]
        np.testing.assert_allclose(matrix, expected, rtol=1e-12, atol=1e-15, err_msg=way.name)


def test_colour_pictures_use_five_dimensions_and_tv_the_channels():
    images = COLOUR.copy()
    images[0] = 0  # a black picture has no mass of its own
    pictures = Pictures("colours", images, np.array(list("aabbccdd")))
    drawn = retrieval.draw(pictures, "clean", 5, 3, [0, 0])
    ways = {way.name: way for way in retrieval.methods()}
    tv = nearest.distance_matrix(drawn.queries, drawn.labelled, ways["TV"].options)
    flat = [part.reshape(len(part), -1).astype(float) for part in (drawn.queries, drawn.labelled)]
    flat = [np.where(part.sum(axis=1, keepdims=True) == 0, 1, part) for part in flat]
    q, x = (part / part.sum(axis=1, keepdims=True) for part in flat)
    np.testing.assert_allclose(tv, 0.5 * np.abs(q[:, None] - x[None]).sum(axis=2), rtol=1e-9)
    ours = nearest.distance_matrix(drawn.queries, drawn.labelled, ways["RPW(2,1)"].options)
    one = rpw.distance(rpw.Measure.from_image(drawn.queries[1]), rpw.Measure.from_image(drawn.labelled[2]), p=2, k=1)
    assert ours[1, 2] == one


def test_ties_are_ranked_by_the_permutation():
    matrix = np.array([[0.5, 0.1, 0.5, 0.5], [0.0, 0.0, 0.0, 0.0]])
    assert nearest.rank(matrix, np.array([3, 2, 1, 0])).tolist() == [[1, 3, 2, 0], [3, 2, 1, 0]]
    assert retrieval._share_of_ties(matrix) == (0.75 + 1) / 2


def test_too_few_pictures_are_refused(tmp_path):
    with pytest.raises(ValueError, match="planted has 24 pictures, fewer than 30 labelled and 5 queries"):
        run(planted(), tmp_path, labelled=30)


def test_black_pictures_are_named_before_the_work(tmp_path):
    images = planted().images.copy()
    images[5] = 0
    with pytest.raises(ValueError, match=r"picture 5 of dark \(label 0\) is all black"):
        run(Pictures("dark", images, planted().labels), tmp_path, labelled=18, queries=6)
    images[:] = 0
    images[:, 0] = 1
    with pytest.raises(ValueError, match="the shift moved all of it out"):
        run(Pictures("top", images, planted().labels), tmp_path, scenario="shift")
    assert not list(tmp_path.iterdir())


def test_the_share_that_is_done_grows_from_nothing_to_all(tmp_path):
    seen = []
    run(planted(), tmp_path, report=lambda share, what: seen.append((share, what)))
    shares = [share for share, _ in seen]
    assert shares == sorted(shares)
    assert shares[0] == 0
    assert shares[-1] == pytest.approx(1)
    assert list(dict.fromkeys(what for _, what in seen)) == [
        f"repeat {repeat} of 2: {way.name}" for repeat in (1, 2) for way in retrieval.methods()
    ]


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize(("points", "dimension"), [(1, 1), (12, 2), (16, 5), (7, 3)])
def test_bounds_from_slices_lie_below_the_distances(p, points, dimension):
    rng = np.random.default_rng(points)
    a, b = (rng.random((count, points, dimension)) * rng.random((count, 1, 1)) for count in (5, 9))
    b[0] = a[0]
    distances = rpw.pairwise(a, b, distance="wasserstein", p=p)
    bounds = sliced_bounds(a, b, p, 2)
    assert (bounds <= distances + 1e-12).all()
    assert np.median(bounds / distances.clip(1e-300)) > 0.5, "they are of use"
    moved = a + rng.random(dimension)
    along = np.diag(sliced_bounds(a, moved, p, 1))
    assert (along <= np.linalg.norm(moved[0] - a[0], axis=1)[0] + 1e-12).all()


@pytest.mark.parametrize("count", [1, 6, 30])
@pytest.mark.parametrize("key", ["w1", "w2"])
def test_the_search_finds_what_all_pairs_would(tmp_path, key, count):
    images = some_colours().images.copy()
    images[8:16] = images[8]  # equal distances: the permutation decides
    pictures = Pictures("colours", images, some_colours().labels)
    plan = retrieval.Plan(pictures, "shift", 30, 10, 1, largest_m=count)
    drawn, (way,) = plan.draw(0), retrieval.chosen_methods([key])
    order, distances = retrieval.find(plan, way, 0, drawn, store=tmp_path, report=lambda *_: None)
    matrix = nearest.distance_matrix(drawn.queries, drawn.labelled, way.options)
    permutation = np.random.default_rng([1, 0, 3]).permutation(30)
    assert order.tolist() == nearest.rank(matrix, permutation)[:, :count].tolist()
    assert (distances == np.take_along_axis(matrix, order, axis=1)).all()


def test_many_k_are_found_together(tmp_path):
    plan = retrieval.Plan(planted(), "noise", 12, 5, 0, largest_m=4)
    drawn = plan.draw(0)
    order, distances = retrieval.find(plan, retrieval.swept_k(), 0, drawn, store=tmp_path, report=lambda *_: None)
    assert order.shape == distances.shape == (len(retrieval.SWEPT_K), 5, 4)
    for key, k in (("rpw-k1", 1), ("rpw-k0.1", 0.1)):
        one = retrieval.find(plan, *retrieval.chosen_methods([key]), 0, drawn, store=tmp_path, report=lambda *_: None)
        place = retrieval.SWEPT_K.index(k)
        assert (order[place] == one[0]).all()
        np.testing.assert_allclose(distances[place], one[1], rtol=0, atol=1e-12)
    for ways in ([retrieval.swept_k()], retrieval.swept_lam()):
        for way in ways:
            again = retrieval.find(plan, way, 0, drawn, store=tmp_path, report=lambda *_: None)
            assert again[0].shape[-2:] == (5, 4)


def test_what_is_finished_is_not_computed_again(tmp_path, monkeypatch):
    plan, (way,) = retrieval.Plan(planted(), "noise", 12, 11, 0), retrieval.chosen_methods(["rpw-k1"])
    drawn = plan.draw(0)

    def found(plan=plan):
        return retrieval.find(plan, way, 0, drawn, store=tmp_path, report=lambda *_: None)

    whole, scan, parts = found(), nearest._scan, []
    monkeypatch.setattr(nearest, "_scan", lambda search, part, report: parts.append(part) or scan(search, part, report))
    assert all((a == b).all() for a, b in zip(found(), whole, strict=True))
    assert parts == []
    files = sorted(tmp_path.rglob("*.npz"))
    files[0].unlink()
    files[2].write_bytes(files[2].read_bytes()[:-40])
    assert all((a == b).all() for a, b in zip(found(), whole, strict=True))
    assert parts == [range(4), range(8, 11)], "what is gone, and what is damaged"
    parts.clear()
    found(retrieval.Plan(planted(), "noise", 12, 11, 1))
    assert parts == [range(4), range(4, 8), range(8, 11)], "another seed asks for other distances"


def damage(path, **changed):
    """Write a file of the store anew, with other arrays."""
    with np.load(path) as arrays:
        kept = dict(arrays)
    np.savez_compressed(path, **{**kept, **changed})


@pytest.mark.parametrize(
    "changed",
    [
        {"facts": "null"},
        {"facts": "[1]"},
        {"facts": "3"},
        {"facts": "[" * 100_000},
        {"facts": '{"count": "12"}'},
        {"start": 5},
        {"start": np.array([0, 1])},
        {"order": np.array(3)},
        {"order": np.full((4, 12), 12)},
        {"order": np.full((4, 12), -1)},
        {"order": np.zeros((4, 3), dtype=int)},
        {"distances": np.full((4, 12), np.nan)},
        {"distances": np.zeros((3, 12))},
    ],
)
def test_a_file_that_says_something_else_is_computed_again(tmp_path, changed):
    plan, (way,) = retrieval.Plan(planted(), "noise", 12, 8, 0), retrieval.chosen_methods(["rpw-k1"])

    def found():
        return retrieval.find(plan, way, 0, plan.draw(0), store=tmp_path, report=lambda *_: None)

    whole = found()
    path = tmp_path / "repeat-0" / "rpw-k1" / "00000-00004.npz"
    damage(path, **changed)
    assert all((a == b).all() for a, b in zip(found(), whole, strict=True))
    path.write_bytes(np.zeros(40).tobytes())
    assert all((a == b).all() for a, b in zip(found(), whole, strict=True))


@pytest.mark.parametrize("way", [retrieval.swept_k(), *retrieval.chosen_methods(["w1", "rpw-k1"])])
def test_the_nearest_of_many_serve_a_search_for_fewer(tmp_path, way):
    def found(count, store):
        plan = retrieval.Plan(some_colours(), "both", 30, 6, 0, largest_m=count)
        return retrieval.find(plan, way, 0, plan.draw(0), store=store, report=lambda *_: None)

    def files():
        return {path: path.stat().st_mtime_ns for path in tmp_path.glob("kept/**/*.npz")}

    twelve, before = found(12, tmp_path / "kept"), files()
    five = found(5, tmp_path / "kept")
    assert files() == before, "nothing was computed"
    assert all((few == many[..., :5]).all() for few, many in zip(five, twelve, strict=True))
    for count in (5, 20):
        kept, fresh = found(count, tmp_path / "kept"), found(count, tmp_path / f"fresh-{count}")
        assert all((a == b).all() for a, b in zip(kept, fresh, strict=True))


@pytest.mark.parametrize(("repeats", "has_bands"), [(1, False), (3, False), (5, True)])
def test_bands_need_five_repeats(tmp_path, repeats, has_bands):
    result = run(planted(), tmp_path, repeats=repeats)
    _, band = result.summary()
    assert result.has_bands == has_bands
    assert np.isnan(band).all() != has_bands
    assert any("±" in cell for row in accuracy_table(result)[1] for cell in row) == has_bands
    assert bool(draw_accuracy(result).axes[0].collections) == has_bands


def test_hits_say_for_every_query_what_the_accuracy_says_of_all(tmp_path):
    result = run(some_colours(), tmp_path, scenario="both", labelled=25, queries=9, largest_m=10)
    assert result.largest_m == 10
    header, rows = hit_counts(result)
    assert header == ["distance", "repeat", "query", "label", "hits_at_1", "hits_at_10"]
    table = list(rows)
    for w, way in enumerate(result.methods):
        for repeat in (0, 1):
            of_queries = [row for row in table if row[:2] == [way.name, repeat]]
            assert [row[2] for row in of_queries] == result.query_index[repeat].tolist()
            assert np.mean([row[5] for row in of_queries]) / 10 == pytest.approx(result.accuracy[w, repeat, 9])
            assert all(row[3] == result.pictures.labels[row[2]] for row in of_queries)


def test_the_other_reading_leaves_queries_as_they_are(tmp_path):
    for scenario in ("shift", "both", "noise"):
        plain, tinted = (retrieval.Plan(some_colours(), scenario, 25, 9, 0, plain) for plain in (True, False))
        a, b = plain.draw(0), tinted.draw(0)
        assert (a.labelled == b.labelled).all()
        assert (a.queries == b.queries).all() == (scenario == "noise")
        assert plain.facts(0) != tinted.facts(0)
    assert (
        retrieval.Plan(some_colours(), "shift", 25, 9, 0, True).draw(0).queries == some_colours().images[a.query_index]
    ).all()


def test_unknown_distances_are_refused():
    with pytest.raises(ValueError, match="no distance 'w3': choose from w1, w2, tv"):
        retrieval.chosen_methods(["w1", "w3"])


@pytest.mark.sample(1)
@pytest.mark.parametrize("is_colour", [True, False], ids=["colour", "grey"])
@pytest.mark.usefixtures("gpu")
def test_a_gpu_finds_the_same_pictures(tmp_path, is_colour):
    pictures = some_colours() if is_colour else planted()
    plan = retrieval.Plan(pictures, "both", 17, 5, 0, largest_m=6)
    drawn = plan.draw(0)
    for way in (*retrieval.methods(), retrieval.swept_k(), retrieval.swept_lam()[0]):
        found = [
            retrieval.find(plan, way, 0, drawn, store=tmp_path / device, report=lambda *_: None, device=device)
            for device in ("cpu", "cuda")
        ]
        np.testing.assert_allclose(found[0][1], found[1][1], rtol=0, atol=1e-12, err_msg=way.name)
        if is_colour and way.key != "rpw-sweep":  # otherwise equal distances come in any order, by their last bits
            assert (found[0][0] == found[1][0]).all(), way.name


def test_lines_that_coincide_are_marked_at_places_of_their_own(tmp_path):
    pytest.importorskip("matplotlib")
    plan = retrieval.Plan(planted(), "clean", 18, 4, 0)
    result = retrieval.retrieve(plan, retrieval.methods(), repeats=1, store=tmp_path)
    wide = replace(result, hits=np.ones((6, 1, 4, 100), dtype=bool))  # all lines are one
    lines = draw_accuracy(wide).axes[0].get_lines()
    assert len({line.get_marker() for line in lines}) == 6
    offsets = [line.get_markevery() for line in lines]
    assert len({start for start, _ in offsets}) == 6
    assert {step for _, step in offsets} == {10}
