"""Small files that would expand to much: only what is needed is expanded, and only if its declared size fits."""

import io
import os
import tracemalloc
import zipfile

import numpy as np
import pytest
from checks import ragged_clouds as clouds

import rpw
from rpw.base import memory as _memory
from rpw.io import files
from rpw.io.typed_tables import read_typed_table
from rpw.readers import read_collection, read_points

LARGE = 120_000_000  # bytes of zeros; packed, they take 0.1 MB
PIECE = bytes(1 << 22)


def npy_header(shape, kind="<f8", version=1):
    stream = io.BytesIO()
    write = np.lib.format.write_array_header_1_0 if version == 1 else np.lib.format.write_array_header_2_0
    write(stream, {"descr": kind, "fortran_order": False, "shape": shape})
    return stream.getvalue()


def add_bomb(path, name, head=None, size=LARGE):
    """Append a member of ``size`` zeros after ``head``."""
    head = npy_header((size // 8,)) if head is None else head
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive, archive.open(f"{name}.npy", "w") as member:
        member.write(head)
        for start in range(0, size, len(PIECE)):
            member.write(PIECE[: min(len(PIECE), size - start)])


@pytest.fixture(scope="module")
def bomb(tmp_path_factory):
    """An NPZ file with one large array of a name that means nothing."""
    path = tmp_path_factory.mktemp("bomb") / "bomb.npz"
    add_bomb(path, "payload")
    assert path.stat().st_size < 1_000_000
    return path.read_bytes()


class Peak:
    """The most memory that Python and NumPy held inside the block."""

    def __enter__(self):
        tracemalloc.start()
        return self

    def __exit__(self, *_):
        self.bytes = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()


def with_arrays(path, content, **arrays):
    """The bomb, and these arrays beside it."""
    path.write_bytes(content)
    with zipfile.ZipFile(path, "a") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w") as member:
                np.lib.format.write_array(member, np.asarray(array), allow_pickle=False)
    return path


def test_unknown_arrays_beside_an_index_are_not_expanded(tmp_path, bomb):
    index = rpw.Index(clouds(6, 4))
    index.save(tmp_path / "I")
    with np.load(tmp_path / "I") as stored:
        path = with_arrays(tmp_path / "J", bomb, **dict(stored))
    with Peak() as peak:
        again = rpw.Index.load(path)
    assert peak.bytes < 20_000_000
    np.testing.assert_array_equal(again.query(clouds(1, 4)[0], top=3)[0], index.query(clouds(1, 4)[0], top=3)[0])
    path.write_bytes(bomb)
    with Peak() as peak, pytest.raises(ValueError, match="is not an rpw index"):
        rpw.Index.load(path)
    assert peak.bytes < 20_000_000


def test_unknown_arrays_beside_others_are_not_expanded(tmp_path, bomb):
    points = np.random.default_rng(0).random((3, 4, 2))
    for arrays, read, size in (
        ({"points": points[0]}, read_points, 4),
        ({"points": points}, read_collection, 3),
        ({"images": np.ones((3, 2, 2)), "labels": [1, 2, 3]}, read_collection, 3),
        ({"histograms": np.ones((2, 4)), "support": points[0]}, read_collection, 2),
    ):
        path = with_arrays(tmp_path / "x.npz", bomb, **arrays)
        with Peak() as peak:
            assert len(read(path)) == size
        assert peak.bytes < 20_000_000


@pytest.mark.parametrize(
    ("available", "large", "error", "reason"),
    [  # room for one of the large arrays as it is, not for more; and room for all, which does not make them believable
        (LARGE * 1.5, 1e9, MemoryError, r"its arrays need about 0\.2 GB"),
        (1e12, 1e8, ValueError, r"its arrays need 0\.2 GB of memory, 2,\d\d\d times the size of the file: damaged, or"),
    ],
)
def test_declared_sizes_are_looked_at_first(tmp_path, bomb, monkeypatch, available, large, error, reason):
    index, only, several = tmp_path / "I", tmp_path / "only.npz", tmp_path / "several.npz"
    rpw.Index(clouds(3, 4)).save(index)
    add_bomb(index, "cost")  # an array that an index may have
    only.write_bytes(bomb)
    for name in ("points", "weights", "labels"):
        add_bomb(several, name, size=LARGE // 3)
    monkeypatch.setattr(_memory, "available_bytes", lambda: available)
    monkeypatch.setattr(files, "_LARGE", large)
    for path, read in ((index, rpw.Index.load), (only, read_points), (several, read_points)):
        with Peak() as peak, pytest.raises(error, match=rf"{path.name}.*: {reason}"):
            read(path)
        assert peak.bytes < 20_000_000


def test_equal_values_of_ordinary_number_or_without_compression_are_no_bomb(tmp_path, monkeypatch):
    np.savez_compressed(tmp_path / "a.npz", points=np.zeros((100_000, 2)))
    assert (tmp_path / "a.npz").stat().st_size < 1_600_000 / 500
    assert len(read_points(tmp_path / "a.npz")) == 100_000
    monkeypatch.setattr(files, "_LARGE", 1e6)
    with pytest.raises(ValueError, match=r"with numpy\.savez"):
        read_points(tmp_path / "a.npz")
    np.savez(tmp_path / "a.npz", points=np.zeros((100_000, 2)))
    assert len(read_points(tmp_path / "a.npz")) == 100_000


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", ["about", "points", "mass"])
def test_headers_and_the_table_of_contents_must_agree(tmp_path, name):
    index = tmp_path / "I"
    rpw.Index(clouds(3, 4)).save(index)
    with np.load(index) as stored:
        arrays = {key: array for key, array in stored.items() if key != name}
    for head in (npy_header((10**12,)), npy_header((5,)), npy_header((-1,)), b"\x93NUMPY\x02\x00\xff\xff\xff\x7f"):
        path = tmp_path / "broken"
        path.unlink(missing_ok=True)
        add_bomb(path, name, head, LARGE // 4)
        with_arrays(path, path.read_bytes(), **arrays)
        with Peak() as peak, pytest.raises(ValueError, match=f"damaged: array '{name}': damaged"):
            rpw.Index.load(path)
        assert peak.bytes < 20_000_000
        os.rename(path, tmp_path / "broken.npz")
        with Peak() as peak, pytest.raises(ValueError, match=r"broken\.npz: "):
            read_points(tmp_path / "broken.npz")
        assert peak.bytes < 20_000_000


def test_a_member_that_is_longer_or_shorter_than_it_says(tmp_path):
    """The sizes in the table of contents are no more than a promise either."""
    values = np.arange(1000.0).reshape(500, 2)
    np.savez(tmp_path / "x.npz", points=values)
    whole = (tmp_path / "x.npz").read_bytes()
    np.testing.assert_array_equal(read_points(tmp_path / "x.npz").points, values)
    at = whole.rindex(b"PK\x01\x02") + 24  # the size in the table of contents
    size = int.from_bytes(whole[at : at + 4], "little")
    for promised in (size - 16, size + 16):
        (tmp_path / "x.npz").write_bytes(whole[:at] + promised.to_bytes(4, "little") + whole[at + 4 :])
        with pytest.raises(ValueError, match=r"x\.npz: array 'points': "):
            read_points(tmp_path / "x.npz")


def test_a_flipped_bit_inside_an_array_is_found(tmp_path):
    index = rpw.Index(clouds(3, 4))
    index.save(tmp_path / "I")
    content = bytearray((tmp_path / "I").read_bytes())
    where = content.index(index._items.where.tobytes())
    content[where + 6] ^= 1
    (tmp_path / "I").write_bytes(content)
    with pytest.raises(ValueError, match="damaged: array 'points': Bad CRC"):
        rpw.Index.load(tmp_path / "I")


# ---------------------------------------------------------------- Parquet


@pytest.fixture(scope="module")
def many_zeros(tmp_path_factory):
    """A table of twenty million equal rows in a file of a few kilobytes."""
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path_factory.mktemp("parquet") / "zeros.parquet"
    kind = arrow.schema([("x", arrow.float64()), ("y", arrow.float64())])
    column = arrow.array(np.zeros(1_000_000))
    with parquet.ParquetWriter(path, kind, compression="zstd") as writer:
        for _ in range(20):
            writer.write_table(arrow.table([column, column], schema=kind))
    assert path.stat().st_size < 200_000
    return path


@pytest.mark.parametrize(
    ("available", "large", "error", "reason"),
    [  # a machine with room for 48 GB should not fill it with two billion times the same point either
        (9e8, 1e9, MemoryError, r"its 20,000,000 rows of 2 columns need about 1\.0 GB of memory, and 0\.9 GB"),
        (1e12, 1e8, ValueError, r".* times the size of the file: damaged, or"),
    ],
)
def test_tables_are_refused_before_they_are_expanded(many_zeros, monkeypatch, available, large, error, reason):
    import pyarrow

    monkeypatch.setattr(_memory, "available_bytes", lambda: available)
    monkeypatch.setattr(files, "_LARGE", large)
    before = pyarrow.total_allocated_bytes()
    with Peak() as peak, pytest.raises(error, match=rf"zeros\.parquet: {reason}"):
        read_points(many_zeros)
    assert peak.bytes < 20_000_000
    assert pyarrow.total_allocated_bytes() <= before + 20_000_000


def test_equal_rows_of_ordinary_number_are_no_bomb(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    pytest.importorskip("pyarrow.parquet").write_table(arrow.table({"x": np.zeros(100_000)}), tmp_path / "a.parquet")
    assert (tmp_path / "a.parquet").stat().st_size < 10_000
    assert read_points(tmp_path / "a.parquet") == rpw.Measure(np.zeros((100_000, 1)))


def test_texts_in_a_table_are_refused_before_they_are_expanded(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    texts = arrow.table({"x": ["a" * 100_000] * 50})
    with pytest.importorskip("pyarrow.parquet").ParquetWriter(tmp_path / "a.parquet", texts.schema) as writer:
        for _ in range(20):
            writer.write_table(texts)
    before = arrow.default_memory_pool().max_memory()
    with pytest.raises(ValueError, match="column 'x' is not numeric: string"):
        read_points(tmp_path / "a.parquet")
    assert arrow.default_memory_pool().max_memory() == before  # all of them take 100 MB


@pytest.mark.parametrize("read", [read_points, read_typed_table])
def test_a_dictionary_for_billions_of_rows_is_refused(tmp_path, monkeypatch, read):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr(_memory, "available_bytes", lambda: 1e12)
    monkeypatch.setattr(files, "_LARGE", 1e7)
    parquet.write_table(arrow.table({"x": np.zeros(1_000_000)}), tmp_path / "a.parquet", compression="zstd")
    assert (tmp_path / "a.parquet").stat().st_size < 10_000
    before = arrow.default_memory_pool().max_memory()
    with pytest.raises(ValueError, match=r"a\.parquet: its 1,000,000 rows of 1 columns need .* the size of the file"):
        read(tmp_path / "a.parquet")
    assert arrow.default_memory_pool().max_memory() == before


@pytest.mark.parametrize("kind", ["string", "large_string", "dictionary"])
def test_a_dictionary_with_one_long_text_is_not_copied(tmp_path, kind):
    """Two hundred bytes, and ten gigabytes of texts."""
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    long = arrow.array(["a" * 2_000_000], arrow.large_string() if kind == "large_string" else arrow.string())
    column = arrow.DictionaryArray.from_arrays(arrow.array(np.zeros(5000, dtype=np.int32)), long)
    parquet.write_table(
        arrow.table({"x": column}), tmp_path / "a.parquet", compression="brotli", store_schema=kind != "string"
    )
    assert (tmp_path / "a.parquet").stat().st_size < 2_000
    before = arrow.default_memory_pool().max_memory()
    with Peak() as peak:
        found = read_typed_table(tmp_path / "a.parquet")["x"]
    assert (found.kind, len(found), set(map(len, found.labels))) == ("category", 5000, {2_000_000})
    assert peak.bytes < 20_000_000
    assert arrow.default_memory_pool().max_memory() < before + 20_000_000


def test_lists_and_bytes_are_not_read(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = arrow.table({"x": [[1] * 1_000_000], "y": [b"1"], "z": [{"a": 1}], "w": ["text"], "v": [None]})
    parquet.write_table(table, tmp_path / "a.parquet")
    before = arrow.default_memory_pool().max_memory()
    found = read_typed_table(tmp_path / "a.parquet")
    assert {name: column.kind for name, column in found.items()} == {
        "x": "other", "y": "other", "z": "other", "w": "category", "v": "empty",
    }  # fmt: skip
    assert found["x"].note == "list<element: int64> is no type that can be compared"
    assert arrow.default_memory_pool().max_memory() == before


def test_many_objects_in_few_bytes_are_refused(tmp_path):
    """Booleans and texts become objects, which take far more room than the columns of Arrow."""
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pa.table({"flag": pa.array(np.zeros(40_000_000, dtype=np.bool_))}), tmp_path / "a.parquet")
    with pytest.raises(ValueError, match="texts and other objects need"):
        read_typed_table(tmp_path / "a.parquet")
