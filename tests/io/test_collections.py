"""Collections: folders, classes, arrays of images, clouds or histograms; one space for all of them."""

import numpy as np
import pytest
from sample_files import PLAIN, POINTS, complaint, write_image

import rpw
from rpw.readers import describe_image, read_collection, read_queries


def test_a_folder_is_read_in_the_order_of_names(tmp_path):
    for number in (10, 2, 1):
        np.save(tmp_path / f"{number:02}.npy", np.full((number, 2), number))
    (tmp_path / "README.md").write_text("no data")
    (tmp_path / ".hidden.csv").write_text("no data")
    (tmp_path / "03.csv").write_text("3,3\n")
    collection = read_collection(tmp_path)
    assert collection.names == ["01.npy", "02.npy", "03.csv", "10.npy"]
    assert [len(measure) for measure in collection.measures] == [1, 2, 1, 10]
    assert collection.skipped == ["README.md"]
    assert collection.labels is None
    assert len(collection) == 4


def test_numbers_in_names_are_ordered_by_size(tmp_path):
    expected = ["2a.csv", "10.csv", "a.csv", "a1b2.csv", "a1b10.csv", "a001b3.csv", "a²b.csv"]
    for name in expected:
        (tmp_path / name).write_text("1,2\n")
    found = read_collection(tmp_path).names
    assert sorted(found) == sorted(expected)
    for earlier, later in [("2a", "10"), ("a1b2", "a1b10"), ("a1b2", "a001b3"), ("10", "a")]:
        assert found.index(f"{earlier}.csv") < found.index(f"{later}.csv")


def test_a_folder_per_class_gives_labels(tmp_path):
    for name, count in (("cat", 2), ("ant", 1)):
        (tmp_path / name).mkdir()
        for number in range(count):
            np.save(tmp_path / name / f"{number}.npy", POINTS)
    collection = read_collection(tmp_path)
    assert collection.names == ["ant/0.npy", "cat/0.npy", "cat/1.npy"]
    assert collection.labels.tolist() == ["ant", "cat", "cat"]


def test_folders_that_are_no_collections_are_refused(tmp_path):
    assert "holds no file that can be read" in complaint(tmp_path, read_collection)
    (tmp_path / "a.csv").write_text("1,2\n")
    (tmp_path / "b.csv").write_text("1,2,3\n")
    with pytest.raises(ValueError, match=r"b\.csv: its points have 3 coordinates, those of a\.csv have 2"):
        read_collection(tmp_path)
    (tmp_path / "b.csv").write_text("oops,2\n")
    with pytest.raises(ValueError, match=r"b\.csv: line 1 mixes"):
        read_collection(tmp_path)


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (np.ones((4, 3), dtype=np.uint8), "b.png: is a grey image of 3 x 4 pixels, and a.png is a grey image of 5 x 4"),
        (np.ones((4, 5, 3), dtype=np.uint8), "b.png: is a colour image of 5 x 4 pixels, and a.png is a grey image"),
    ],
)
def test_images_of_different_spaces_are_no_collection(tmp_path, second, message):
    write_image(tmp_path / "a.png", np.ones((4, 5), dtype=np.uint8))
    write_image(tmp_path / "b.png", second)
    text = complaint(tmp_path, read_collection)
    assert message in text
    assert "cannot be compared; make them equal first" in text
    write_image(tmp_path / "b.png", np.full((4, 5), 7, dtype=np.uint8))
    assert len(read_collection(tmp_path)) == 2


def test_images_of_classes_are_compared_too(tmp_path):
    for name, width in (("ant", 4), ("cat", 5)):
        (tmp_path / name).mkdir()
        write_image(tmp_path / name / "0.png", np.ones((4, width), dtype=np.uint8))
    assert "different sizes" in complaint(tmp_path, read_collection)


def test_description_of_an_image(tmp_path):
    write_image(tmp_path / "a.png", np.ones((4, 5, 3), dtype=np.uint8))
    np.save(tmp_path / "a.npy", POINTS)
    assert describe_image(tmp_path / "a.png") == "a colour image of 5 x 4 pixels"
    assert describe_image(tmp_path / "a.npy") is None


def test_clouds_of_different_sizes_belong_into_a_folder(tmp_path):
    np.savez(tmp_path / "a.npz", POINTS, POINTS[:2])
    np.save(tmp_path / "b.npy", POINTS)
    for name in ("a.npz", "b.npy"):
        text = complaint(tmp_path / name, read_collection)
        assert text.endswith("clouds of different sizes are a folder with one file each")
    assert "found: arr_0, arr_1; a collection is points (B, n, d)" in complaint(tmp_path / "a.npz", read_collection)


def test_collections_in_one_file(tmp_path):
    rng = np.random.default_rng(0)
    images, colours = rng.integers(0, 255, (3, 4, 5), dtype=np.uint8), rng.random((3, 4, 5, 3))
    clouds, weights, labels = rng.random((3, 7, 2)), rng.random((3, 7)), np.array([3, 1, 4])
    np.savez(tmp_path / "images.npz", images=images, labels=labels, ids=np.ones(3))
    np.savez(tmp_path / "colours.npz", images=colours)
    np.savez(tmp_path / "clouds.npz", points=clouds, weights=weights, labels=np.array(["a", "b", "c"]))
    np.save(tmp_path / "clouds.npy", clouds)
    grey = read_collection(tmp_path / "images.npz")
    assert grey.measures == [rpw.Measure.from_image(image) for image in images]
    assert grey.labels.tolist() == [3, 1, 4]
    assert grey.names == ["0", "1", "2"]
    assert read_collection(tmp_path / "colours.npz").measures == [rpw.Measure.from_image(image) for image in colours]
    assert read_collection(tmp_path / "clouds.npz").measures == list(map(rpw.Measure, clouds, weights))
    assert read_collection(tmp_path / "clouds.npz").labels.tolist() == ["a", "b", "c"]
    assert read_collection(tmp_path / "clouds.npy").measures == list(map(rpw.Measure, clouds))


def test_histograms_share_their_support(tmp_path):
    histograms, support = np.array([[0.0, 2.0, 2.0], [3.0, 0.0, 1.0]]), np.array([0.0, 1.0, 5.0])
    np.savez(tmp_path / "a.npz", histograms=histograms, support=support)
    collection = read_collection(tmp_path / "a.npz")
    assert collection.measures is None
    np.testing.assert_array_equal(collection.histograms, histograms)
    np.testing.assert_array_equal(collection.support, support[:, None])
    assert collection.as_measures() == [rpw.Measure([1.0, 5.0]), rpw.Measure([0.0, 5.0], [3, 1])]


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"images": np.ones((2, 3))}, "images must have shape"),
        ({"images": np.ones((2, 3, 3, 7))}, "images[0] must have shape"),
        ({"images": np.zeros((0, 3, 3))}, "images is empty"),
        ({"images": np.array([np.ones((2, 2)), np.zeros((2, 2))])}, "images[1] is all zero"),
        ({"images": np.ones((2, 3, 3)), "labels": np.ones(3)}, "labels must be 2 numbers or texts"),
        ({"histograms": np.ones((2, 3))}, "without their support"),
        ({"histograms": np.ones((2, 3)), "support": np.ones((4, 2))}, "histograms must have shape (B, 4)"),
        ({"histograms": -np.ones((2, 3)), "support": np.ones(3)}, "histograms[0] has a negative entry"),
        ({"histograms": np.zeros((2, 3)), "support": np.ones(3)}, "histograms[0] sums to 0"),
        ({"points": np.ones((2, 3))}, "points of a collection must have shape (B, n, d)"),
        ({"points": np.ones((2, 3, 2)), "weights": np.ones((2, 2))}, "weights must have shape (2, 3)"),
        ({"points": np.ones((1, 3, 2)), "weights": np.zeros((1, 3))}, "points[0]: weights sums to 0"),
        ({"points": np.full((1, 3, 2), np.nan)}, "points[0]: points has a NaN"),
        ({"points": np.ones((0, 3, 2))}, "points is empty"),
        ({"labels": np.ones(3)}, "holds none of the arrays"),
    ],
)
def test_collections_that_do_not_fit_together_are_refused(tmp_path, arrays, message):
    np.savez(tmp_path / "a.npz", **arrays)
    assert message in complaint(tmp_path / "a.npz", read_collection)


def test_one_measure_is_no_collection_but_may_be_a_query(tmp_path):
    (tmp_path / "a.csv").write_text("0.5,1\n2,-3.25\n4,1e-3\n")
    np.save(tmp_path / "a.npy", POINTS)
    np.save(tmp_path / "b.npy", POINTS[None])
    assert "holds one measure" in complaint(tmp_path / "a.csv", read_collection)
    assert "must have shape (B, n, d)" in complaint(tmp_path / "a.npy", read_collection)
    for name in ("a.csv", "a.npy", "b.npy"):
        assert read_queries(tmp_path / name).as_measures() == [PLAIN]
    assert read_queries(tmp_path / "a.csv").names == ["a.csv"]
