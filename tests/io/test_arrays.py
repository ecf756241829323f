"""NPY and NPZ: points as they were saved; headers are not believed, and nothing is ever unpickled."""

import pickle
import struct
import sys
import zipfile

import numpy as np
import pytest
from sample_files import PLAIN, POINTS, WEIGHTED, WEIGHTS, complaint

import rpw
from rpw.readers import read_points


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
    assert "array 'points': not an NPY file" in complaint(path)
    with zipfile.ZipFile(path, "w"):
        pass
    assert "found: none" in complaint(path)
