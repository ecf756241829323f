"""Retrieval: planted classes are found, the matrices are those of the library."""

import numpy as np
import pytest
from planted_pictures import COLOUR, planted

import rpw
from rpw.experiments import retrieval
from rpw.images import pixel_grid
from rpw.pictures import Pictures

pytest.importorskip("zarr")


def run(pictures, tmp_path, **options):
    given = {"scenario": "clean", "labelled": 12, "queries": 5, "repeats": 2, "seed": 0, "store": tmp_path, **options}
    return retrieval.retrieve(pictures, **given)


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


def test_matrices_are_those_of_the_single_functions(tmp_path):
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
        matrix = retrieval._matrix(drawn, way, out=tmp_path / f"{way.key}.zarr")
        expected = [[single[way.name](q.ravel(), x.ravel()) for x in drawn.labelled] for q in drawn.queries]
        np.testing.assert_allclose(matrix, expected, rtol=1e-12, atol=1e-15, err_msg=way.name)


def test_colour_pictures_use_five_dimensions_and_tv_the_channels(tmp_path):
    images = COLOUR.copy()
    images[0] = 0  # a black picture has no mass of its own
    pictures = Pictures("colours", images, np.array(list("aabbccdd")))
    drawn = retrieval.draw(pictures, "clean", 5, 3, [0, 0])
    ways = {way.name: way for way in retrieval.methods()}
    tv = retrieval._matrix(drawn, ways["TV"], out=tmp_path / "tv.zarr")
    flat = [part.reshape(len(part), -1).astype(float) for part in (drawn.queries, drawn.labelled)]
    flat = [np.where(part.sum(axis=1, keepdims=True) == 0, 1, part) for part in flat]
    q, x = (part / part.sum(axis=1, keepdims=True) for part in flat)
    np.testing.assert_allclose(tv, 0.5 * np.abs(q[:, None] - x[None]).sum(axis=2), rtol=1e-9)
    ours = retrieval._matrix(drawn, ways["RPW(2,1)"], out=tmp_path / "rpw.zarr")
    one = rpw.distance(rpw.Measure.from_image(drawn.queries[1]), rpw.Measure.from_image(drawn.labelled[2]), p=2, k=1)
    assert ours[1, 2] == one


def test_ties_are_ranked_by_the_permutation():
    matrix = np.array([[0.5, 0.1, 0.5, 0.5], [0.0, 0.0, 0.0, 0.0]])
    assert retrieval.rank(matrix, np.array([3, 2, 1, 0])).tolist() == [[1, 3, 2, 0], [3, 2, 1, 0]]
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
