"""Readers: what a file holds is what comes back; what is damaged gives one clear line, never a crash."""

import pickle
import struct
import sys
import zipfile
import zlib

import numpy as np
import pytest

import rpw
from rpw.readers import describe_image, read_collection, read_pair, read_points, read_queries

POINTS = np.array([[0.5, 1.0], [2.0, -3.25], [4.0, 1e-3]])
WEIGHTS = np.array([1.0, 2.0, 5.0])
PLAIN, WEIGHTED = rpw.Measure(POINTS), rpw.Measure(POINTS, WEIGHTS)


def write_image(path, pixels):
    pytest.importorskip("PIL.Image").fromarray(np.asarray(pixels)).save(path)


def write_parquet(path, **columns):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow.table(columns), path)


def complaint(path, read=read_points):
    """The text of the error, which must be one line that names the file."""
    with pytest.raises((ValueError, OSError)) as error:
        read(path)
    text = str(error.value)
    assert path.name in text
    assert "\n" not in text
    return text


# ---------------------------------------------------------------- tables


@pytest.mark.parametrize(
    "text",
    [
        "0.5,1\n2,-3.25\n4,1e-3\n",
        "x,y\n0.5,1\n2,-3.25\n4,1e-3",
        "\ufeffx,y\r\n0.5,1\r\n2,-3.25\r\n4,1e-3\r\n",
        '"x","y"\n"0.5", 1\n\n 2 ,-3.25\n4,1e-3\n\n',
    ],
)
def test_csv_of_points(tmp_path, text):
    path = tmp_path / "a.csv"
    path.write_bytes(text.encode())
    assert read_points(path) == read_points(str(path)) == PLAIN


@pytest.mark.parametrize("name", ["weight", "weights", "Weight", "WEIGHTS"])
@pytest.mark.parametrize("column", [0, 1, 2])
def test_a_column_of_weights_may_stand_anywhere(tmp_path, name, column):
    path = tmp_path / "a.csv"
    table = np.insert(POINTS, column, WEIGHTS, axis=1)
    header = list(np.insert(np.array(["x", "y"], dtype=object), column, name))
    path.write_text(",".join(header) + "\n" + "\n".join(",".join(map(repr, row)) for row in table.tolist()))
    assert read_points(path) == WEIGHTED


def test_names_of_columns_may_be_numbers_beside_a_weight(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("0,1,weight\n0.5,1,1\n2,-3.25,2\n4,1e-3,5")
    assert read_points(path) == WEIGHTED


def test_tsv_and_endings_in_capitals(tmp_path):
    path = tmp_path / "A.TSV"
    path.write_text("x\ty\n0.5\t1\n2\t-3.25\n4\t1e-3")
    assert read_points(path) == PLAIN


def test_floats_survive_csv_exactly(tmp_path):
    points = np.random.default_rng(0).standard_normal((50, 3))
    path = tmp_path / "a.csv"
    path.write_text("\n".join(",".join(map(repr, row)) for row in points.tolist()))
    assert read_points(path) == rpw.Measure(points)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "the file is empty"),
        (b"\n\n  \n", "holds no points"),
        (b"x,y\n", "holds no points"),
        (b"1,2\n3\n", "line 2 has 1 values instead of 2"),
        (b"x,y\n1,2\n\n3,4,5\n", "line 4 has 3 values instead of 2"),
        (b"1,2\n3,four\n", "line 2, column 2: 'four' is not a number"),
        (b"x,y\n1,2\n3,\n", "line 3, column 2: '' is not a number"),
        (b"1,2\n3,nan\n", "line 2, column 2: 'nan' is not a finite number"),
        (b"1,2\n-inf,2\n", "line 2, column 1: '-inf' is not a finite number"),
        (b"1,2\n3,1e999\n", "line 2, column 2: '1e999' is not a finite number"),
        (b"0.5x,1\n2,3\n", "line 1 mixes numbers and text (column 1 is '0.5x')"),
        (b",x,y\n0,1,2\n", "column 1 looks like an index"),
        (b"weight\n1\n", "has weights but no coordinates"),
        (b"x,weight,weights\n1,1,1\n", "has 2 columns of weights"),
        (b"x,weight\n1,-1\n", "weights has a negative entry"),
        (b"x,weight\n1,0\n", "weights sums to 0"),
        (b"1,2\n\xff,4\n", "not text in UTF-8 (byte 4 is 0xff)"),
        ("1,2\n3,4\n".encode("utf-16"), "not text in UTF-8"),
        (b"1,2\n" + b"9" * 200_000 + b",1\n", "field larger than field limit"),
        (b"1;2\n3;4\n", "'3;4' is not a number"),
        (b"\x00\x00\x00", "holds no points"),
    ],
)
def test_damaged_csv_says_what_is_wrong_and_where(tmp_path, text, message):
    path = tmp_path / "a.csv"
    path.write_bytes(text)
    assert message in complaint(path)


def test_parquet_tables(tmp_path):
    path = tmp_path / "a.parquet"
    write_parquet(path, x=POINTS[:, 0], y=POINTS[:, 1])
    assert read_points(path) == PLAIN
    write_parquet(path, weight=WEIGHTS.astype(np.int64), x=POINTS[:, 0], y=POINTS[:, 1])
    assert read_points(path) == WEIGHTED


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"x": ["a", "b"]}, "column 'x' is not numeric: string"),
        ({"x": [1.0, None]}, "column 'x' has 1 missing values"),
        ({"x": [1.0, np.nan]}, "NaN"),
        ({"x": [[1.0], [2.0]]}, "column 'x' is not numeric: list"),
        ({"x": np.empty(0)}, "holds no points"),
        ({"weight": [1.0]}, "no coordinates"),
        ({"x": [1.0], "__index_level_0__": [0]}, "column 2 looks like an index"),
    ],
)
def test_parquet_that_holds_no_points_is_refused(tmp_path, columns, message):
    path = tmp_path / "a.parquet"
    write_parquet(path, **columns)
    assert message in complaint(path)


# ---------------------------------------------------------------- columns of two tables


def pair_of(tmp_path, first, second):
    for name, text in (("a.csv", first), ("b.csv", second)):
        (tmp_path / name).write_text(text)
    return tmp_path / "a.csv", tmp_path / "b.csv"


@pytest.mark.parametrize(
    "second",
    ["lat,lon\n1,2\n3,4\n", "lon,lat\n2,1\n4,3\n", "LON, Lat\n2,1\n4,3\n", "1,2\n3,4\n"],
)
def test_columns_are_matched_by_name(tmp_path, second):
    paths = pair_of(tmp_path, "lat,lon\n5,6\n", second)
    assert read_pair(*paths) == (rpw.Measure([[5, 6]]), rpw.Measure([[1, 2], [3, 4]]))


def test_matched_columns_keep_their_weights_to_the_bit(tmp_path):
    paths = pair_of(tmp_path, "x,y,z\n0,0,0\n", "z,weight,x,y\n3,0.1,1,2\n6,0.7,4,5\n9,0.3,7,8\n")
    found = read_pair(*paths)[1]
    assert found.points.tolist() == [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
    assert np.array_equal(found.weights, read_points(paths[1]).weights)


@pytest.mark.parametrize("header", ["x,y", "lat,height", "lat,lat", "lon,lon"])
def test_columns_of_other_names_are_refused(tmp_path, header):
    a, b = pair_of(tmp_path, "lat,lon\n5,6\n", f"{header}\n1,2\n")
    names = header.replace(",", ", ")
    with pytest.raises(ValueError, match=rf"b\.csv: has the columns {names}, and .*a\.csv has lat, lon"):
        read_pair(a, b)
    assert "matched by their names" in complaint(tmp_path, read_collection).replace(str(tmp_path), tmp_path.name)


def test_columns_of_a_folder_are_those_of_its_first_table(tmp_path):
    np.save(tmp_path / "a.npy", [[1.0, 2.0]])  # has no names: as it stands
    (tmp_path / "b.csv").write_text("lat,lon\n1,2\n")
    (tmp_path / "c.tsv").write_text("lon\tlat\n2\t1\n")
    found = read_collection(tmp_path)
    assert found.columns == ("lat", "lon")
    assert found.measures == [rpw.Measure([[1, 2]])] * 3
    (tmp_path / "d.csv").write_text("x,y\n1,2\n")
    assert "d.csv: has the columns x, y" in complaint(tmp_path, read_collection).replace(str(tmp_path), tmp_path.name)


def test_columns_of_parquet_tables(tmp_path):
    write_parquet(tmp_path / "a.parquet", lat=[1.0, 3.0], lon=[2.0, 4.0])
    write_parquet(tmp_path / "b.parquet", lon=[2.0, 4.0], lat=[1.0, 3.0])
    first, second = read_pair(tmp_path / "a.parquet", tmp_path / "b.parquet")
    assert first == second


def test_another_collection_is_matched_too(tmp_path):
    (tmp_path / "a.csv").write_text("lon,lat\n2,1\n")
    query = read_queries(tmp_path / "a.csv")
    assert query.columns == ("lon", "lat")
    assert query.matched_to(("lat", "lon"), "the index").measures == [rpw.Measure([[1, 2]])]
    assert query.matched_to(None, "the index").measures == query.measures
    with pytest.raises(ValueError, match=r"a\.csv: has the columns lon, lat, and the index has x, y"):
        query.matched_to(("x", "y"), "the index")


# ---------------------------------------------------------------- NPY and NPZ


@pytest.mark.parametrize("dtype", ["<f8", ">f8", "<f4", "<i2", "u1"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_npy_of_points(tmp_path, dtype, order):
    points = np.arange(6).reshape(3, 2).astype(dtype)
    np.save(tmp_path / "a.npy", np.asarray(points, order=order))
    assert read_points(tmp_path / "a.npy") == rpw.Measure(points)


def test_npz_of_points_and_of_one_array(tmp_path):
    np.savez(tmp_path / "a.npz", points=POINTS, weights=WEIGHTS)
    np.savez_compressed(tmp_path / "b.npz", points=POINTS, weight=WEIGHTS, something_else=np.ones(3))
    np.savez(tmp_path / "c.npz", cloud=POINTS)
    assert read_points(tmp_path / "a.npz") == read_points(tmp_path / "b.npz") == WEIGHTED
    assert read_points(tmp_path / "c.npz") == PLAIN


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"u": POINTS, "v": POINTS}, "holds none of the arrays points, images, or histograms"),
        ({"points": POINTS, "weights": WEIGHTS[:2]}, "weights must have one weight per point"),
        ({"points": POINTS, "weights": WEIGHTS, "weight": WEIGHTS}, "both weight and weights"),
        ({"points": np.array(["a", "b"])}, "points must be numeric"),
        ({"points": np.full((2, 2), np.nan)}, "points has a NaN"),
        ({"points": np.empty((0, 2))}, "empty measure"),
        ({"images": np.ones((2, 3, 3))}, "holds a collection"),
        ({"points": np.ones((2, 3, 3))}, "holds a collection"),
        ({"weights": WEIGHTS}, "holds none of the arrays"),
    ],
)
def test_npz_that_is_not_one_measure_is_refused(tmp_path, arrays, message):
    np.savez(tmp_path / "a.npz", **arrays)
    assert message in complaint(tmp_path / "a.npz")


class Bomb:
    """Something whose unpickling would be seen."""

    def __reduce__(self):
        return (sys.exit, ("unpickled",))


def test_nothing_is_ever_unpickled(tmp_path):
    np.save(tmp_path / "a.npy", np.array([Bomb()], dtype=object), allow_pickle=True)
    np.savez(tmp_path / "a.npz", points=np.array([[Bomb()]], dtype=object))
    (tmp_path / "b.npy").write_bytes(pickle.dumps(Bomb()))
    (tmp_path / "b.npz").write_bytes(pickle.dumps(Bomb()))
    assert "pickle" in complaint(tmp_path / "a.npy")
    assert "pickle" in complaint(tmp_path / "a.npz")
    assert "not an NPY file" in complaint(tmp_path / "b.npy")
    assert "not an NPZ file" in complaint(tmp_path / "b.npz")


def npy(shape, payload=b"", descr="<f8"):
    """An NPY file that claims ``shape``."""
    header = f"{{'descr': {descr!r}, 'fortran_order': False, 'shape': {shape}, }}".encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + payload


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (npy("(1000000000000, 2)"), "needs 16,000,000,000,000 bytes, and 0 follow"),
        (npy("(99999999999999999999999, 99999999999)", b"\0" * 80), "damaged"),
        (npy("(-3, 2)", b"\0" * 48), "damaged"),
        (npy("(3, 2)", b"\0" * 47), "needs 48 bytes, and 47 follow"),
        (npy("(3, 2)", b"\0" * 49), "needs 48 bytes, and 49 follow"),
        (npy("(" * 4000), "damaged: its header"),
        (npy("(3, 2)", b"\0" * 48, descr="no type"), "damaged: its header"),
        (npy("(1000000000000,)", descr="<U0"), "a.npy"),
        (npy("(1,)", b"\0" * 16, descr="<c16"), "must be numeric"),
        (npy("(1000000, 0)"), "points without coordinates"),
        (b"\x93NUMPY\x09\x00" + b"\0" * 50, "NPY format (9, 0)"),
        (b"\x93NUM", "not an NPY file"),
        (b"x,y\n1,2\n", "not an NPY file"),
    ],
)
def test_headers_are_not_believed(tmp_path, content, message):
    path = tmp_path / "a.npy"
    path.write_bytes(content)
    assert message in complaint(path)


def test_an_entry_of_an_archive_is_not_believed_either(tmp_path):
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("points.npy", npy("(1000000000000, 2)"))
    assert "array 'points': damaged" in complaint(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("points.npy", "x,y")
    assert "array 'points': not an NPY array" in complaint(path)
    with zipfile.ZipFile(path, "w"):
        pass
    assert "found: none" in complaint(path)


# ---------------------------------------------------------------- images, endings, folders in the place of files


def test_images_become_measures(tmp_path):
    grey = np.array([[0, 1], [2, 0]], dtype=np.uint8)
    colour = np.random.default_rng(0).integers(0, 256, (3, 2, 3), dtype=np.uint8)
    write_image(tmp_path / "g.png", grey)
    write_image(tmp_path / "c.png", colour)
    assert read_points(tmp_path / "g.png") == rpw.Measure.from_image(grey)
    assert read_points(tmp_path / "c.png") == rpw.Measure.from_image(colour)
    write_image(tmp_path / "black.png", 0 * grey)
    assert "all zero" in complaint(tmp_path / "black.png")


def test_a_picture_that_claims_to_be_huge_is_refused(tmp_path):
    write_image(tmp_path / "a.png", np.ones((2, 2), dtype=np.uint8))
    content = bytearray((tmp_path / "a.png").read_bytes())
    content[16:24] = struct.pack(">II", 60_000, 60_000)
    content[29:33] = struct.pack(">I", zlib.crc32(bytes(content[12:29])))
    (tmp_path / "a.png").write_bytes(bytes(content))
    assert "decompression bomb" in complaint(tmp_path / "a.png")


def test_what_is_not_a_file_of_a_known_kind(tmp_path):
    (tmp_path / "a.xyz").write_text("1,2")
    (tmp_path / "plain").write_text("1,2")
    (tmp_path / "folder.csv").mkdir()
    assert "unknown kind of file '.xyz'" in complaint(tmp_path / "a.xyz")
    assert "no extension" in complaint(tmp_path / "plain")
    assert "is a folder" in complaint(tmp_path)
    assert "not a regular file" in complaint(tmp_path / "folder.csv")
    with pytest.raises(FileNotFoundError):
        read_points(tmp_path / "missing.csv")
    with pytest.raises(FileNotFoundError):
        read_collection(tmp_path / "missing.npz")


@pytest.mark.parametrize(("module", "ending", "extra"), [("PIL", "png", "images"), ("pyarrow", "parquet", "parquet")])
def test_a_missing_extra_is_named(tmp_path, monkeypatch, module, ending, extra):
    path = tmp_path / f"a.{ending}"
    path.write_bytes(b"something")
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=rf"pip install 'rpw\[{extra}\]'"):
        read_points(path)


# ---------------------------------------------------------------- collections


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
    assert "do not live in one space" in text
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
        ({"points": np.ones((1, 3, 2)), "weights": np.zeros((1, 3))}, "weights[0] sums to 0"),
        ({"points": np.full((1, 3, 2), np.nan)}, "points[0] has a NaN"),
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


# ---------------------------------------------------------------- damage at random


def seeds(folder):
    """One good file of every kind."""
    rng = np.random.default_rng(0)
    points, weights = rng.random((20, 2)), rng.random(20)
    lines = [",".join(map(repr, row)) for row in np.column_stack([points, weights]).tolist()]
    (folder / "a.csv").write_text("x,y,weight\n" + "\n".join(lines))
    np.save(folder / "a.npy", points)
    np.savez(folder / "a.npz", points=points, weights=weights)
    np.savez_compressed(folder / "b.npz", images=rng.integers(0, 255, (3, 4, 4), dtype=np.uint8), labels=np.arange(3))
    np.savez(folder / "c.npz", histograms=rng.random((3, 5)), support=rng.random((5, 2)))
    write_image(folder / "a.png", rng.integers(0, 255, (5, 6, 3), dtype=np.uint8))
    write_image(folder / "a.jpg", rng.integers(0, 255, (9, 9), dtype=np.uint8))
    write_image(folder / "a.gif", rng.integers(0, 255, (5, 6), dtype=np.uint8))
    write_image(folder / "a.tiff", rng.integers(0, 255, (5, 6), dtype=np.uint8))
    write_parquet(folder / "a.parquet", x=points[:, 0], y=points[:, 1], weight=weights)
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def damaged(content, rng):
    """Cut off, overwritten, with bytes inserted, or doubled."""
    content = bytearray(content)
    for _ in range(rng.integers(1, 4)):
        place = int(rng.integers(0, len(content) + 1))
        match rng.integers(0, 4):
            case 0:
                del content[place:]
            case 1:
                content[place : place + 4] = rng.bytes(4)
            case 2:
                content[place:place] = rng.bytes(int(rng.integers(1, 9)))
            case _:
                del content[place : place + int(rng.integers(1, 30))]
    return bytes(content)


def complaint_if_any(path, read):
    try:
        read(path)
    except (ValueError, OSError) as error:
        return str(error)
    return None


def test_damaged_files_give_an_answer_or_a_clear_error(tmp_path):
    (tmp_path / "good").mkdir()
    good = seeds(tmp_path / "good")
    rng = np.random.default_rng(1)
    errors = 0
    for turn in range(1500):
        name = list(good)[turn % len(good)]
        path = tmp_path / name
        path.write_bytes(damaged(good[name], rng))
        for read in (read_points, read_collection, read_queries):
            text = complaint_if_any(path, read)
            errors += text is not None
            assert text is None or (name in text and "\n" not in text)
    assert errors > 1500


def test_every_kind_of_content_under_every_ending(tmp_path):
    (tmp_path / "good").mkdir()
    good = seeds(tmp_path / "good")
    images = {"png", "jpg", "gif", "tiff"}
    for name, content in good.items():
        for other in good:
            path = tmp_path / f"wrong_{other}"
            path.write_bytes(content)
            endings = {name.split(".")[1], other.split(".")[1]}
            if len(endings) > 1 and not endings <= images:  # Pillow looks at the content
                assert complaint(path, read_queries)
